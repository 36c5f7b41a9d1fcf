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

static atx_reader reader_of(const atx_str *body)
{
    return (atx_reader){ .at = atx_str_text(body), .end = atx_str_text(body) + body->len };
}

Test(wire, a_body_reads_back_as_it_was_written)
{
    atx_str body = { 0 };
    atx_put_i64(&body, INT64_MIN);
    atx_put_f64(&body, 0.1);
    atx_put_text(&body, "tile");
    atx_put_text(&body, NULL);
    atx_put_bytes(&body, "a\0b", 3);
    atx_put_bytes(&body, NULL, 0);
    atx_put_f64(&body, INFINITY);

    atx_reader r = reader_of(&body);
    size_t len;
    cr_assert(atx_get_i64(&r) == INT64_MIN);
    cr_assert(atx_get_f64(&r) == 0.1);
    cr_assert_str_eq(atx_get_text(&r), "tile");
    cr_assert_str_eq(atx_get_text(&r), "");
    cr_assert(memcmp(atx_get_bytes(&r, &len), "a\0b", 3) == 0 && len == 3);
    cr_assert(atx_get_bytes(&r, &len) != NULL && len == 0);
    cr_assert(isinf(atx_get_f64(&r)));
    cr_assert(!r.bad && r.at == r.end);
    atx_str_clear(&body);
}

Test(wire, a_short_body_is_bad_and_gives_zeros)
{
    size_t len = 9;
    atx_str body = { 0 };
    atx_put_i64(&body, 7);
    atx_put_bytes(&body, "xyz", 3);
    for (size_t cut = 0; cut < body.len; cut++) {
        atx_reader r = { .at = body.data, .end = body.data + cut };
        atx_get_i64(&r);
        const void *bytes = atx_get_bytes(&r, &len);
        cr_assert(r.bad && bytes && len == 0, "cut at %zu", cut);
        cr_assert(atx_get_i64(&r) == 0 && atx_get_f64(&r) == 0);
        cr_assert_str_eq(atx_get_text(&r), "");
    }
    atx_str_clear(&body);
}

Test(wire, a_length_that_lies_is_bad)
{
    static const int64_t LENGTHS[] = { -1, INT64_MIN, INT64_MAX, 4 };
    for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++) {
        size_t len;
        atx_str body = { 0 };
        atx_put_i64(&body, LENGTHS[i]);
        atx_str_add(&body, "xyz");
        atx_reader r = reader_of(&body);
        atx_get_bytes(&r, &len);
        cr_assert(r.bad && len == 0);
        atx_str_clear(&body);
    }
}

Test(wire, a_text_without_its_end_is_bad)
{
    atx_str body = { 0 };
    atx_put_bytes(&body, "xyz", 3);
    atx_reader r = reader_of(&body);
    cr_assert_str_eq(atx_get_text(&r), "");
    cr_assert(r.bad);
    atx_str_clear(&body);
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
    atx_str body = { 0 }, got = { 0 };
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    atx_put_text(&body, "of as many bytes as the one behind it");
    fails_after = 1; /* the head is sent */
    cr_assert_eq(atx_wire_send(ends[0], 5, &body, NULL), AT_ERR_SYSTEM);
    cr_assert_eq(atx_wire_send(ends[0], 6, &body, NULL), AT_ERR_SYSTEM);
    cr_assert_eq(atx_wire_recv(ends[1], &kind, &got, NULL), AT_ERR_SYSTEM, "kind %u", (unsigned)kind);
    close(ends[0]);
    close(ends[1]);
    atx_str_clear(&body);
    atx_str_clear(&got);
}

typedef struct sender {
    int fd;
    const atx_str *body;
    at_status status;
} sender;

static void *send_frame(void *arg)
{
    sender *s = arg;
    s->status = atx_wire_send(s->fd, 5, s->body, NULL);
    return NULL;
}

static void fill(atx_str *body, size_t count)
{
    for (size_t i = 0; i < count; i++)
        atx_str_add_bytes(body, &(char){ (char)(i * 7) }, 1);
}

/* More than a socket holds at once, over blocking and non-blocking sockets. */
static void travel(bool blocking)
{
    int pair[2];
    pthread_t thread;
    uint32_t kind = 0;
    atx_str sent = { 0 }, got = { 0 };
    cr_assert(socketpair(AF_UNIX, SOCK_STREAM | (blocking ? 0 : SOCK_NONBLOCK), 0, pair) == 0);
    fill(&sent, 3 * 1000 * 1000 + 1);
    sender s = { .fd = pair[0], .body = &sent };
    cr_assert(pthread_create(&thread, NULL, send_frame, &s) == 0);
    cr_assert(atx_wire_recv(pair[1], &kind, &got, NULL) == AT_OK);
    pthread_join(thread, NULL);
    cr_assert(s.status == AT_OK && kind == 5 && got.len == sent.len);
    cr_assert(memcmp(got.data, sent.data, sent.len) == 0);
    close(pair[0]);
    cr_assert(atx_wire_recv(pair[1], &kind, &got, NULL) == AT_OK && kind == 0, "clean end");
    close(pair[1]);
    atx_str_clear(&sent);
    atx_str_clear(&got);
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
    atx_frame_head head = { .kind = 1, .length = 10 };
    for (size_t cut = 1; cut < sizeof head + 2; cut++) {
        int pair[2];
        char bytes[sizeof head + 2] = { 0 };
        uint32_t kind = 77;
        at_error err = { 0 };
        atx_str body = { 0 };
        memcpy(bytes, &head, sizeof head);
        cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
        cr_assert(write(pair[0], bytes, cut) == (ssize_t)cut);
        close(pair[0]);
        cr_assert(atx_wire_recv(pair[1], &kind, &body, &err) == AT_ERR_SYSTEM && kind == 77);
        cr_assert(err.text[0]);
        close(pair[1]);
        atx_str_clear(&body);
    }
}

Test(wire, sending_to_nobody_is_an_error_and_no_signal)
{
    int pair[2];
    at_error err = { 0 };
    atx_str body = { 0 };
    cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    close(pair[1]);
    cr_assert(atx_wire_send(pair[0], 1, &body, &err) == AT_ERR_SYSTEM);
    cr_assert(strstr(err.text, "cannot send"));
    close(pair[0]);
}

static bool has_asked_less_than_three_times(void *context)
{
    int *asked = context;
    return ++*asked < 3;
}

/* A peer that is frozen, or busy for ever: a blocking send would never come back. */
Test(wire, sending_to_one_that_takes_nothing_ends_with_the_wait_time, .timeout = 600)
{
    int pair[2], asked = 0;
    atx_str body = { 0 };
    at_error err = { 0 };
    static char large[4 << 20];
    cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    atx_put_bytes(&body, large, sizeof large);
    cr_assert_eq(atx_wire_send_while(pair[0], 1, &body, has_asked_less_than_three_times, &asked, &err),
                 AT_ERR_SYSTEM);
    cr_assert_eq(asked, 3);
    cr_assert(strstr(err.text, "cannot send to the other process"), "%s", err.text);
    atx_str_clear(&body);
    close(pair[0]);
    close(pair[1]);
}

/* A peer that was frozen while it sent: a blocking receive would never come back. */
Test(wire, receiving_what_does_not_go_on_ends_with_the_wait_time, .timeout = 600)
{
    int pair[2], asked = 0;
    uint32_t kind = 0;
    atx_str body = { 0 };
    at_error err = { 0 };
    atx_put_text(&body, "a message");
    cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    cr_assert_eq(atx_wire_send(pair[0], 7, &body, &err), AT_OK, "%s", err.text);
    char frame[200];
    ssize_t len = recv(pair[1], frame, sizeof frame, 0);
    for (ssize_t part = 1; part < len; part++, asked = 0) {
        cr_assert_eq(send(pair[0], frame, (size_t)part, 0), part);
        cr_assert_eq(
            atx_wire_recv_while(pair[1], &kind, &body, has_asked_less_than_three_times, &asked, &err),
            AT_ERR_SYSTEM);
        cr_assert(asked == 3 && kind == 0, "%zd of %zd bytes", part, len);
    }
    cr_assert_eq(send(pair[0], frame, (size_t)len, 0), len);
    cr_assert_eq(atx_wire_recv_while(pair[1], &kind, &body, has_asked_less_than_three_times, &asked, &err),
                 AT_OK, "%s", err.text);
    cr_assert(kind == 7 && asked == 0);
    atx_str_clear(&body);
    close(pair[0]);
    close(pair[1]);
}

Test(wire, an_inbox_gives_frames_as_they_become_complete)
{
    int pair[2];
    atx_str wire = { 0 }, body = { 0 };
    atx_inbox in = { 0 };
    uint32_t kind = 0;
    atx_reader r;
    int frames = 0;
    for (uint32_t i = 1; i <= 3; i++) {
        atx_str_reset(&body);
        atx_put_i64(&body, i * 100);
        atx_frame_head head = { .kind = i, .length = (uint32_t)body.len };
        atx_str_add_bytes(&wire, &head, sizeof head);
        atx_str_add_bytes(&wire, body.data, body.len);
    }
    cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    for (size_t i = 0; i < wire.len; i++) {
        cr_assert(write(pair[0], wire.data + i, 1) == 1);
        atx_inbox_fill(&in, pair[1]);
        if (atx_inbox_next(&in, &kind, &r)) {
            frames++;
            cr_assert(kind == (uint32_t)frames && atx_get_i64(&r) == frames * 100 && !r.bad);
        }
    }
    cr_assert(frames == 3 && !in.ended);
    cr_assert(write(pair[0], wire.data, wire.len - 1) == (ssize_t)wire.len - 1);
    close(pair[0]);
    atx_inbox_fill(&in, pair[1]);
    cr_assert(in.ended, "the end is seen, and what came before it is kept");
    cr_assert(atx_inbox_next(&in, &kind, &r) && kind == 1);
    cr_assert(atx_inbox_next(&in, &kind, &r) && kind == 2);
    cr_assert(!atx_inbox_next(&in, &kind, &r));
    atx_inbox_clear(&in);
    close(pair[1]);
    atx_str_clear(&wire);
    atx_str_clear(&body);
}

Test(wire, an_inbox_ends_at_what_is_no_frame)
{
    int pair[2];
    atx_inbox in = { 0 };
    uint32_t kind;
    atx_reader r;
    cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    cr_assert(write(pair[0], "\xff\xff\xff\xff\xff\xff\xff\xff", 8) == 8);
    atx_inbox_fill(&in, pair[1]);
    cr_assert(!atx_inbox_next(&in, &kind, &r) && in.ended);
    atx_inbox_clear(&in);
    close(pair[0]);
    close(pair[1]);
}

/* ---- children: the shell plays the part of the program ---- */

static void spawn_shell(atx_child *child, const char *script)
{
    const char *argv[] = { "sh", "-c", script, NULL };
    at_error err = { 0 };
    setenv("AUTOTUNE_EXE", "/bin/sh", 1);
    cr_assert(atx_child_spawn(child, argv, &err) == AT_OK, "%s", err.text);
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
    atx_child child;
    atx_str body = { 0 }, back = { 0 };
    uint32_t kind;
    spawn_shell(&child, "exec cat <&3 >&3");
    atx_put_text(&body, "hello");
    cr_assert(atx_wire_send(child.fd, 9, &body, NULL) == AT_OK);
    cr_assert(atx_wire_recv(child.fd, &kind, &back, NULL) == AT_OK && kind == 9);
    cr_assert(back.len == body.len && memcmp(back.data, body.data, body.len) == 0);
    atx_child_stop(&child, 5);
    cr_assert(child.pid == 0);
    cr_assert(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "reaped");
    atx_str_clear(&body);
    atx_str_clear(&back);
}

Test(wire, a_child_has_four_descriptors_and_a_group_of_its_own)
{
    atx_child child;
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
    atx_child_stop(&child, 5);
    close(extra);
    close(far);
}

Test(wire, a_child_that_does_not_end_is_killed)
{
    atx_child child;
    spawn_shell(&child, "trap '' TERM; exec sleep 100000");
    int pid = child.pid;
    atx_child_stop(&child, 0.2);
    cr_assert(!is_alive(pid));
    atx_child_stop(&child, 0.2); /* harmless */
}

Test(wire, an_exit_status_tells_signal_and_exit_code)
{
    atx_child child;
    char how[128];
    spawn_shell(&child, "kill -9 $$");
    atx_child_exit_status(&child, how, sizeof how);
    cr_assert_str_eq(how, "killed by signal 9 (Killed)");
    spawn_shell(&child, "exit 7");
    atx_child_exit_status(&child, how, sizeof how);
    cr_assert_str_eq(how, "ended with exit code 7");
    spawn_shell(&child, "exec 3>&-; exec sleep 100");
    atx_child_exit_status(&child, how, sizeof how);
    cr_assert_str_eq(how, "closed its connection and did not end");
    atx_child_exit_status(&child, how, sizeof how);
    cr_assert_str_eq(how, "never started");
}

Test(wire, a_program_that_cannot_be_executed_is_named)
{
    const char *argv[] = { "autotune", NULL };
    atx_child child = { .pid = 0, .fd = 12345 };
    at_error err = { 0 };
    setenv("AUTOTUNE_EXE", "/nonexistent/autotune", 1);
    cr_assert(atx_child_spawn(&child, argv, &err) == AT_ERR_SYSTEM);
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
        atx_child child = { 0 };
        limit.rlim_cur = n;
        cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
        snprintf(words, sizeof words, "found a limit of %d open files; expected a higher one", (int)n);
        if (atx_child_spawn(&child, argv, &err) == AT_OK) {
            atx_child_stop(&child, 100);
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
    atx_child child;
    atx_str body = { 0 };
    uint32_t kind;
    char how[128];
    setenv("AUTOTUNE_EXE", AT_WORKER, 1);
    cr_assert(atx_child_spawn(&child, ARGV, NULL) == AT_OK);
    cr_assert(atx_wire_recv(child.fd, &kind, &body, NULL) == AT_OK && kind == 1);
    atx_reader r = reader_of(&body);
    int grandchild = (int)atx_get_i64(&r);
    atx_child_exit_status(&child, how, sizeof how);
    cr_assert_str_eq(how, "killed by signal 9 (Killed)");
    cr_assert_gt(grandchild, 0);
    while (is_alive(grandchild))
        nanosleep(&(struct timespec){ .tv_nsec = 10 * 1000 * 1000 }, NULL);
    atx_str_clear(&body);
}
