/* test_wire.c - frames and child processes. */
#include "util/wire.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static at__reader reader_of(const at__str *body)
{
    return (at__reader){ .at = at__str_text(body), .end = at__str_text(body) + body->len };
}

Test(wire, a_body_reads_back_as_it_was_written)
{
    at__str body = { 0 };
    at__put_i64(&body, INT64_MIN);
    at__put_f64(&body, 0.1);
    at__put_text(&body, "tile");
    at__put_text(&body, NULL);
    at__put_bytes(&body, "a\0b", 3);
    at__put_bytes(&body, NULL, 0);
    at__put_f64(&body, INFINITY);

    at__reader r = reader_of(&body);
    size_t len;
    cr_assert(at__get_i64(&r) == INT64_MIN);
    cr_assert(at__get_f64(&r) == 0.1);
    cr_assert_str_eq(at__get_text(&r), "tile");
    cr_assert_str_eq(at__get_text(&r), "");
    cr_assert(memcmp(at__get_bytes(&r, &len), "a\0b", 3) == 0 && len == 3);
    cr_assert(at__get_bytes(&r, &len) != NULL && len == 0);
    cr_assert(isinf(at__get_f64(&r)));
    cr_assert(!r.bad && r.at == r.end);
    at__str_clear(&body);
}

Test(wire, a_short_body_is_bad_and_gives_zeros)
{
    size_t len = 9;
    at__str body = { 0 };
    at__put_i64(&body, 7);
    at__put_bytes(&body, "xyz", 3);
    for (size_t cut = 0; cut < body.len; cut++) {
        at__reader r = { .at = body.data, .end = body.data + cut };
        at__get_i64(&r);
        const void *bytes = at__get_bytes(&r, &len);
        cr_assert(r.bad && bytes && len == 0, "cut at %zu", cut);
        cr_assert(at__get_i64(&r) == 0 && at__get_f64(&r) == 0);
        cr_assert_str_eq(at__get_text(&r), "");
    }
    at__str_clear(&body);
}

Test(wire, a_length_that_lies_is_bad)
{
    static const int64_t LENGTHS[] = { -1, INT64_MIN, INT64_MAX, 4 };
    for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++) {
        size_t len;
        at__str body = { 0 };
        at__put_i64(&body, LENGTHS[i]);
        at__str_add(&body, "xyz");
        at__reader r = reader_of(&body);
        at__get_bytes(&r, &len);
        cr_assert(r.bad && len == 0);
        at__str_clear(&body);
    }
}

Test(wire, a_text_without_its_end_is_bad)
{
    at__str body = { 0 };
    at__put_bytes(&body, "xyz", 3);
    at__reader r = reader_of(&body);
    cr_assert_str_eq(at__get_text(&r), "");
    cr_assert(r.bad);
    at__str_clear(&body);
}

/* ---- frames ---- */

/* send() as the linker names it; fails once when `fails_after` calls were well. */
static int fails_after = -1;
ssize_t __real_send(int fd, const void *data, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *data, size_t size, int flags);

ssize_t __wrap_send(int fd, const void *data, size_t size, int flags)
{
    if (fails_after >= 0 && fails_after-- == 0) {
        errno = ENOBUFS;
        return -1;
    }
    return __real_send(fd, data, size, flags);
}

/* The frame behind would be read as the rest of the one that broke off: there must be none. */
Test(wire, behind_a_frame_that_broke_off_nothing_comes)
{
    int ends[2];
    uint32_t kind = 0;
    at__str body = { 0 }, got = { 0 };
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    at__put_text(&body, "of as many bytes as the one behind it");
    fails_after = 1; /* the head is sent */
    cr_assert_eq(at__wire_send(ends[0], 5, &body, NULL), AT_ERR_SYSTEM);
    cr_assert_eq(at__wire_send(ends[0], 6, &body, NULL), AT_ERR_SYSTEM);
    cr_assert_eq(at__wire_recv(ends[1], &kind, &got, NULL), AT_ERR_SYSTEM, "kind %u", (unsigned)kind);
    close(ends[0]);
    close(ends[1]);
    at__str_clear(&body);
    at__str_clear(&got);
}

typedef struct sender {
    int fd;
    const at__str *body;
    at_status status;
} sender;

static void *send_frame(void *arg)
{
    sender *s = arg;
    s->status = at__wire_send(s->fd, 5, s->body, NULL);
    return NULL;
}

static void fill(at__str *body, size_t count)
{
    for (size_t i = 0; i < count; i++)
        at__str_add_bytes(body, &(char){ (char)(i * 7) }, 1);
}

/* More than a socket holds at once, over blocking and non-blocking sockets. */
static void travel(bool blocking)
{
    int pair[2];
    pthread_t thread;
    uint32_t kind = 0;
    at__str sent = { 0 }, got = { 0 };
    cr_assert(socketpair(AF_UNIX, SOCK_STREAM | (blocking ? 0 : SOCK_NONBLOCK), 0, pair) == 0);
    fill(&sent, 3 * 1000 * 1000 + 1);
    sender s = { .fd = pair[0], .body = &sent };
    cr_assert(pthread_create(&thread, NULL, send_frame, &s) == 0);
    cr_assert(at__wire_recv(pair[1], &kind, &got, NULL) == AT_OK);
    pthread_join(thread, NULL);
    cr_assert(s.status == AT_OK && kind == 5 && got.len == sent.len);
    cr_assert(memcmp(got.data, sent.data, sent.len) == 0);
    close(pair[0]);
    cr_assert(at__wire_recv(pair[1], &kind, &got, NULL) == AT_OK && kind == 0, "clean end");
    close(pair[1]);
    at__str_clear(&sent);
    at__str_clear(&got);
}

Test(wire, a_large_frame_travels_over_a_blocking_socket)
{
    travel(true);
}

Test(wire, a_large_frame_travels_over_a_non_blocking_socket)
{
    travel(false);
}

Test(wire, a_stream_that_ends_within_a_frame_is_an_error)
{
    at__frame_head head = { .kind = 1, .length = 10 };
    for (size_t cut = 1; cut < sizeof head + 2; cut++) {
        int pair[2];
        char bytes[sizeof head + 2] = { 0 };
        uint32_t kind = 77;
        at_error err = { 0 };
        at__str body = { 0 };
        memcpy(bytes, &head, sizeof head);
        cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
        cr_assert(write(pair[0], bytes, cut) == (ssize_t)cut);
        close(pair[0]);
        cr_assert(at__wire_recv(pair[1], &kind, &body, &err) == AT_ERR_SYSTEM && kind == 77);
        cr_assert(err.text[0]);
        close(pair[1]);
        at__str_clear(&body);
    }
}

Test(wire, sending_to_nobody_is_an_error_and_no_signal)
{
    int pair[2];
    at_error err = { 0 };
    at__str body = { 0 };
    cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    close(pair[1]);
    cr_assert(at__wire_send(pair[0], 1, &body, &err) == AT_ERR_SYSTEM);
    cr_assert(strstr(err.text, "cannot send"));
    close(pair[0]);
}

static bool has_asked_less_than_three_times(void *context)
{
    int *asked = context;
    return ++*asked < 3;
}

/* A peer that is frozen, or busy for ever: a blocking send would never come back. */
Test(wire, sending_to_one_that_takes_nothing_ends_with_the_patience, .timeout = 600)
{
    int pair[2], asked = 0;
    at__str body = { 0 };
    at_error err = { 0 };
    static char large[4 << 20];
    cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    at__put_bytes(&body, large, sizeof large);
    cr_assert_eq(at__wire_send_while(pair[0], 1, &body, has_asked_less_than_three_times, &asked, &err),
                 AT_ERR_SYSTEM);
    cr_assert_eq(asked, 3);
    cr_assert(strstr(err.text, "cannot send to the other process"), "%s", err.text);
    at__str_clear(&body);
    close(pair[0]);
    close(pair[1]);
}

/* A peer that was frozen while it sent: a blocking receive would never come back. */
Test(wire, receiving_what_does_not_go_on_ends_with_the_patience, .timeout = 600)
{
    int pair[2], asked = 0;
    uint32_t kind = 0;
    at__str body = { 0 };
    at_error err = { 0 };
    at__put_text(&body, "a message");
    cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    cr_assert_eq(at__wire_send(pair[0], 7, &body, &err), AT_OK, "%s", err.text);
    char frame[200];
    ssize_t len = recv(pair[1], frame, sizeof frame, 0);
    for (ssize_t part = 1; part < len; part++, asked = 0) {
        cr_assert_eq(send(pair[0], frame, (size_t)part, 0), part);
        cr_assert_eq(
            at__wire_recv_while(pair[1], &kind, &body, has_asked_less_than_three_times, &asked, &err),
            AT_ERR_SYSTEM);
        cr_assert(asked == 3 && kind == 0, "%zd of %zd bytes", part, len);
    }
    cr_assert_eq(send(pair[0], frame, (size_t)len, 0), len);
    cr_assert_eq(at__wire_recv_while(pair[1], &kind, &body, has_asked_less_than_three_times, &asked, &err),
                 AT_OK, "%s", err.text);
    cr_assert(kind == 7 && asked == 0);
    at__str_clear(&body);
    close(pair[0]);
    close(pair[1]);
}

Test(wire, an_inbox_gives_frames_as_they_become_complete)
{
    int pair[2];
    at__str wire = { 0 }, body = { 0 };
    at__inbox in = { 0 };
    uint32_t kind = 0;
    at__reader r;
    int frames = 0;
    for (uint32_t i = 1; i <= 3; i++) {
        at__str_reset(&body);
        at__put_i64(&body, i * 100);
        at__frame_head head = { .kind = i, .length = (uint32_t)body.len };
        at__str_add_bytes(&wire, &head, sizeof head);
        at__str_add_bytes(&wire, body.data, body.len);
    }
    cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    for (size_t i = 0; i < wire.len; i++) {
        cr_assert(write(pair[0], wire.data + i, 1) == 1);
        at__inbox_fill(&in, pair[1]);
        if (at__inbox_next(&in, &kind, &r)) {
            frames++;
            cr_assert(kind == (uint32_t)frames && at__get_i64(&r) == frames * 100 && !r.bad);
        }
    }
    cr_assert(frames == 3 && !in.ended);
    cr_assert(write(pair[0], wire.data, wire.len - 1) == (ssize_t)wire.len - 1);
    close(pair[0]);
    at__inbox_fill(&in, pair[1]);
    cr_assert(in.ended, "the end is seen, and what came before it is kept");
    cr_assert(at__inbox_next(&in, &kind, &r) && kind == 1);
    cr_assert(at__inbox_next(&in, &kind, &r) && kind == 2);
    cr_assert(!at__inbox_next(&in, &kind, &r));
    at__inbox_clear(&in);
    close(pair[1]);
    at__str_clear(&wire);
    at__str_clear(&body);
}

Test(wire, an_inbox_ends_at_what_is_no_frame)
{
    int pair[2];
    at__inbox in = { 0 };
    uint32_t kind;
    at__reader r;
    cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    cr_assert(write(pair[0], "\xff\xff\xff\xff\xff\xff\xff\xff", 8) == 8);
    at__inbox_fill(&in, pair[1]);
    cr_assert(!at__inbox_next(&in, &kind, &r) && in.ended);
    at__inbox_clear(&in);
    close(pair[0]);
    close(pair[1]);
}

/* ---- children: the shell plays the part of the program ---- */

static void spawn_shell(at__child *child, const char *script)
{
    const char *argv[] = { "sh", "-c", script, NULL };
    at_error err = { 0 };
    setenv("AUTOTUNE_EXE", "/bin/sh", 1);
    cr_assert(at__child_spawn(child, argv, &err) == AT_OK, "%s", err.text);
}

/* Whether a process is there and no zombie. */
static bool is_alive(int pid)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    fclose(file);
    return state != 'Z' && state != 'X';
}

Test(wire, a_child_talks_over_its_descriptor)
{
    at__child child;
    at__str body = { 0 }, back = { 0 };
    uint32_t kind;
    spawn_shell(&child, "exec cat <&3 >&3");
    at__put_text(&body, "hello");
    cr_assert(at__wire_send(child.fd, 9, &body, NULL) == AT_OK);
    cr_assert(at__wire_recv(child.fd, &kind, &back, NULL) == AT_OK && kind == 9);
    cr_assert(back.len == body.len && memcmp(back.data, body.data, body.len) == 0);
    at__child_stop(&child, 5);
    cr_assert(child.pid == 0);
    cr_assert(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "reaped");
    at__str_clear(&body);
    at__str_clear(&back);
}

Test(wire, a_child_has_four_descriptors_and_a_group_of_its_own)
{
    at__child child;
    char text[256] = "";
    size_t have = 0;
    int extra = dup(2), far = fcntl(2, F_DUPFD, 100); /* neither closes on exec */
    cr_assert(extra >= 0 && far >= 0);
    spawn_shell(&child, "for f in /proc/$$/fd/*; do printf '%s ' ${f##*/}; done >&3;"
                        "echo '|' $(cut -d ' ' -f 5 /proc/$$/stat) >&3");
    for (ssize_t got; (got = read(child.fd, text + have, sizeof text - 1 - have)) > 0;)
        have += (size_t)got;
    char *bar = strchr(text, '|');
    cr_assert(bar, "%s", text);
    *bar = '\0';
    cr_assert(atoi(bar + 1) == child.pid);
    /* The shell's own are 4, with which it reads the folder, and 10, where it keeps what >&3 stands in for.
     */
    for (char *at = strtok(text, " "); at; at = strtok(NULL, " "))
        cr_assert(atoi(at) <= 4 || atoi(at) == 10, "%s is open", at);
    at__child_stop(&child, 5);
    close(extra);
    close(far);
}

Test(wire, a_child_that_does_not_end_is_killed)
{
    at__child child;
    spawn_shell(&child, "trap '' TERM; exec sleep 100000");
    int pid = child.pid;
    at__child_stop(&child, 0.2);
    cr_assert(!is_alive(pid));
    at__child_stop(&child, 0.2); /* harmless */
}

Test(wire, an_autopsy_tells_signal_and_exit_code)
{
    at__child child;
    char how[128];
    spawn_shell(&child, "kill -9 $$");
    at__child_autopsy(&child, how, sizeof how);
    cr_assert_str_eq(how, "killed by signal 9 (Killed)");
    spawn_shell(&child, "exit 7");
    at__child_autopsy(&child, how, sizeof how);
    cr_assert_str_eq(how, "ended with exit code 7");
    spawn_shell(&child, "exec 3>&-; exec sleep 100");
    at__child_autopsy(&child, how, sizeof how);
    cr_assert_str_eq(how, "closed its connection and did not end");
    at__child_autopsy(&child, how, sizeof how);
    cr_assert_str_eq(how, "never started");
}

Test(wire, a_program_that_cannot_be_executed_is_named)
{
    const char *argv[] = { "autotune", NULL };
    at__child child = { .pid = 0, .fd = 12345 };
    at_error err = { 0 };
    setenv("AUTOTUNE_EXE", "/nonexistent/autotune", 1);
    cr_assert(at__child_spawn(&child, argv, &err) == AT_ERR_SYSTEM);
    cr_assert_str_eq(err.text, "cannot start /nonexistent/autotune: No such file or directory");
    cr_assert(child.fd == 12345, "the output keeps its value");
    cr_assert(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

Test(wire, a_limit_of_open_files_that_is_too_low_is_named)
{
    const char *const argv[] = { "sh", "-c", "exit 0", NULL };
    struct rlimit limit;
    int started = 0;
    setenv("AUTOTUNE_EXE", "/bin/sh", 1);
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    for (rlim_t n = 3; n <= 40; n++) {
        char words[80];
        at_error err = { 0 };
        at__child child = { 0 };
        limit.rlim_cur = n;
        cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
        snprintf(words, sizeof words, "found a limit of %d open files; expected a higher one", (int)n);
        if (at__child_spawn(&child, argv, &err) == AT_OK) {
            at__child_stop(&child, 100);
            started++;
        } else {
            cr_expect(strstr(err.text, words), "%d: %s", (int)n, err.text);
        }
    }
    cr_expect_gt(started, 20);
}

Test(wire, a_child_dies_with_its_parent)
{
    static const char *const ARGV[] = { "autotune", "__orphan", NULL };
    at__child child;
    at__str body = { 0 };
    uint32_t kind;
    char how[128];
    setenv("AUTOTUNE_EXE", AT_WORKER, 1);
    cr_assert(at__child_spawn(&child, ARGV, NULL) == AT_OK);
    cr_assert(at__wire_recv(child.fd, &kind, &body, NULL) == AT_OK && kind == 1);
    at__reader r = reader_of(&body);
    int grandchild = (int)at__get_i64(&r);
    at__child_autopsy(&child, how, sizeof how);
    cr_assert_str_eq(how, "killed by signal 9 (Killed)");
    cr_assert_gt(grandchild, 0);
    while (is_alive(grandchild))
        nanosleep(&(struct timespec){ .tv_nsec = 10 * 1000 * 1000 }, NULL);
    at__str_clear(&body);
}
