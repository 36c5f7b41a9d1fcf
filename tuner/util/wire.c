/*
 * wire.c - frames over a socket, and the processes at its other end.
 *
 * A frame is an atx_frame_head and its body. Within a body a number takes 8 bytes, and bytes are their count
 * (a number) followed by themselves; a text counts its final zero.
 */
#include "util/wire.h"

#include "util/bug.h"
#include "util/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- bodies ---- */

void atx_put_i64(atx_str *body, int64_t value)
{
    atx_str_add_bytes(body, &value, sizeof value);
}

void atx_put_f64(atx_str *body, double value)
{
    atx_str_add_bytes(body, &value, sizeof value);
}

void atx_put_bytes(atx_str *body, const void *bytes, size_t len)
{
    atx_put_i64(body, (int64_t)len);
    atx_str_add_bytes(body, bytes, len);
}

void atx_put_text(atx_str *body, const char *text)
{
    const char *sent = text ? text : "";
    atx_put_bytes(body, sent, strlen(sent) + 1);
}

static void get(atx_reader *r, void *out, size_t size)
{
    memset(out, 0, size);
    if (r->bad || (size_t)(r->end - r->at) < size) {
        r->bad = true;
        return;
    }
    memcpy(out, r->at, size);
    r->at += size;
}

int64_t atx_get_i64(atx_reader *r)
{
    int64_t value;
    get(r, &value, sizeof value);
    return value;
}

double atx_get_f64(atx_reader *r)
{
    double value;
    get(r, &value, sizeof value);
    return value;
}

const void *atx_get_bytes(atx_reader *r, size_t *len)
{
    int64_t count = atx_get_i64(r);
    if (count < 0 || count > r->end - r->at)
        r->bad = true;
    *len = r->bad ? 0 : (size_t)count;
    const void *bytes = r->bad ? "" : r->at;
    r->at += *len;
    return bytes;
}

const char *atx_get_text(atx_reader *r)
{
    size_t len;
    const char *text = atx_get_bytes(r, &len);
    if (len == 0 || text[len - 1] != '\0')
        r->bad = true;
    return r->bad ? "" : text;
}

/* ---- frames ---- */

#define SLICE_MS 50 /* between two checks for cancellation */

typedef struct peer {
    int fd;
    bool (*keep_waiting)(void *context); /* NULL: always */
    void *context;
} peer;

/* Waits for room, or for something to receive, when the last call said that there was none; false:
 * keep_waiting says to stop, or the call failed for another reason. */
static bool wait_for(const peer *p, short events)
{
    struct pollfd fd = { .fd = p->fd, .events = events };
    if (errno == EINTR)
        return true;
    if (errno != EAGAIN)
        return false;
    int ready = poll(&fd, 1, p->keep_waiting ? SLICE_MS : -1);
    if (ready > 0 || !p->keep_waiting || p->keep_waiting(p->context))
        return ready >= 0 || errno == EINTR;
    errno = ETIMEDOUT;
    return false;
}

static at_status send_bytes(const peer *p, const void *bytes, size_t len, at_error *err)
{
    for (const char *at = bytes; len > 0;) {
        ssize_t sent = send(p->fd, at, len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && !wait_for(p, POLLOUT))
            return atx_fail(err, AT_ERR_SYSTEM, "cannot send to the other process: %s", strerror(errno));
        if (sent > 0) {
            at += sent;
            len -= (size_t)sent;
        }
    }
    return AT_OK;
}

at_status atx_wire_send_while(int fd, uint32_t kind, const atx_str *body, bool (*keep_waiting)(void *context),
                              void *context, at_error *err)
{
    const peer p = { .fd = fd, .keep_waiting = keep_waiting, .context = context };
    assert(kind != 0);
    ATX_TRY(atx_str_status(body, err));
    if (body->len > ATX_FRAME_MAX)
        return atx_fail(err, AT_ERR_SYSTEM, "a message of %zu bytes is too long to be sent", body->len);
    atx_frame_head head = { .kind = kind, .length = (uint32_t)body->len };
    at_status status = send_bytes(&p, &head, sizeof head, err);
    ATX_THEN(status, send_bytes(&p, atx_str_text(body), body->len, err));
    if (status != AT_OK) /* the next frame would be taken for the rest of this one */
        shutdown(fd, SHUT_WR);
    return status;
}

at_status atx_wire_send(int fd, uint32_t kind, const atx_str *body, at_error *err)
{
    return atx_wire_send_while(fd, kind, body, NULL, NULL, err);
}

/* Reads until `len` bytes or the end of the stream; returns how many, or -1 with errno. */
static ssize_t recv_bytes(const peer *p, void *out, size_t len)
{
    size_t have = 0;
    while (have < len) {
        ssize_t got = recv(p->fd, (char *)out + have, len - have, p->keep_waiting ? MSG_DONTWAIT : 0);
        if (got == 0)
            break;
        if (got < 0 && !wait_for(p, POLLIN))
            return -1;
        if (got > 0)
            have += (size_t)got;
    }
    return (ssize_t)have;
}

static at_status recv_body(const peer *p, size_t length, atx_str *body, at_error *err)
{
    char chunk[16384];
    while (length > 0) {
        size_t want = length < sizeof chunk ? length : sizeof chunk;
        if (recv_bytes(p, chunk, want) != (ssize_t)want)
            return atx_fail(err, AT_ERR_SYSTEM, "the other process went away within a message");
        atx_str_add_bytes(body, chunk, want);
        length -= want;
    }
    return atx_str_status(body, err);
}

at_status atx_wire_recv_while(int fd, uint32_t *kind, atx_str *body, bool (*keep_waiting)(void *context),
                              void *context, at_error *err)
{
    const peer p = { .fd = fd, .keep_waiting = keep_waiting, .context = context };
    atx_frame_head head = { 0 };
    atx_str_reset(body);
    ssize_t got = recv_bytes(&p, &head, sizeof head);
    if (got < 0)
        return atx_fail(err, AT_ERR_SYSTEM, "cannot receive from the other process: %s", strerror(errno));
    if (got == 0) {
        *kind = 0;
        return AT_OK;
    }
    if (got != sizeof head || head.kind == 0 || head.length > ATX_FRAME_MAX)
        return atx_fail(err, AT_ERR_SYSTEM, "the other process sent what is no message");
    ATX_TRY(recv_body(&p, head.length, body, err));
    *kind = head.kind;
    return AT_OK;
}

at_status atx_wire_recv(int fd, uint32_t *kind, atx_str *body, at_error *err)
{
    return atx_wire_recv_while(fd, kind, body, NULL, NULL, err);
}

void atx_inbox_fill(atx_inbox *in, int fd)
{
    char chunk[65536];
    if (in->used > 0) { /* frames that were handed out make room */
        in->bytes.len -= in->used;
        memmove(in->bytes.data, in->bytes.data + in->used, in->bytes.len);
        in->used = 0;
    }
    while (!in->ended) {
        ssize_t got = recv(fd, chunk, sizeof chunk, MSG_DONTWAIT);
        if (got > 0)
            atx_str_add_bytes(&in->bytes, chunk, (size_t)got);
        else if (got < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        else
            in->ended = true;
        if (in->bytes.failed)
            in->ended = true;
    }
}

bool atx_inbox_next(atx_inbox *in, uint32_t *kind, atx_reader *body)
{
    atx_frame_head head;
    size_t left = in->bytes.len - in->used;
    if (left < sizeof head)
        return false;
    const char *at = in->bytes.data + in->used;
    memcpy(&head, at, sizeof head);
    if (head.kind == 0 || head.length > ATX_FRAME_MAX) {
        in->ended = true;
        return false;
    }
    if (left - sizeof head < head.length)
        return false;
    at += sizeof head;
    *kind = head.kind;
    *body = (atx_reader){ .at = at, .end = at + head.length };
    in->used += sizeof head + head.length;
    return true;
}

void atx_inbox_clear(atx_inbox *in)
{
    atx_str_clear(&in->bytes);
    *in = (atx_inbox){ 0 };
}

/* ---- children ---- */

#define REPORT_FD (ATX_CHILD_FD + 1) /* where a child that cannot be executed says why; closed by exec */
#define HIGH_FD   (REPORT_FD + 1)    /* above every number that the child gives a meaning */

/* The system call by its number: glibc has a name for it since 2.34, and the headers of older kernels none.
 * Kernels before 5.9 and some sandboxes do not have it. */
void atx_close_from(unsigned first)
{
    enum { CLOSE_RANGE = 436 };
    struct rlimit limit;
    if (syscall(CLOSE_RANGE, first, ~0u, 0u) == 0)
        return;
    unsigned end = 65536;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < end)
        end = (unsigned)limit.rlim_cur;
    for (unsigned fd = first; fd < end; fd++)
        close((int)fd);
}

/* A descriptor of that file that is not wanted here. A limit below HIGH_FD is EINVAL to the system. */
static int move_up(int fd)
{
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);
    if (fd >= 0 && high < 0 && errno == EINVAL)
        errno = EMFILE;
    return high;
}

/* The descriptors of a child. `sock` and `report` may be any number, also one that is wanted here. False:
 * errno says why. */
static bool place_descriptors(int sock, int report)
{
    int high_sock = move_up(sock);
    int high_report = high_sock < 0 ? -1 : move_up(report);
    int high_null = high_report < 0 ? -1 : move_up(open("/dev/null", O_RDWR | O_CLOEXEC));
    if (high_null < 0)
        return false;
    if (dup2(high_null, 0) < 0 || dup2(high_null, 1) < 0 || dup2(high_sock, ATX_CHILD_FD) < 0 ||
        dup3(high_report, REPORT_FD, O_CLOEXEC) < 0)
        return false;
    atx_close_from(REPORT_FD + 1);
    return true;
}

/* The child's code between fork and exec: only calls that are safe there, whatever threads the parent has.
 */
static _Noreturn void become(const char *program, const char *const *argv, int sock, int report, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    /* The parent may have died before prctl: then the signal would not be sent. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(127);
    if (place_descriptors(sock, report)) {
        execv(program, (char *const *)argv);
        report = REPORT_FD;
    }
    int why = errno;
    ssize_t written = write(report, &why, sizeof why);
    _exit(written < 0 ? 126 : 127);
}

/* Waits for exec: it closes the pipe; a failure arrives as an errno. 0: the program runs. */
static int exec_result(int report)
{
    int why = 0;
    ssize_t got;
    do
        got = read(report, &why, sizeof why);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof why ? why : 0;
}

static void close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
}

static at_status cannot_start(const char *what, int why, at_error *err)
{
    struct rlimit limit = { 0 };
    if (why == EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0)
        return atx_fail(
            err, AT_ERR_SYSTEM,
            "cannot start %s: found a limit of %llu open files; expected a higher one: `ulimit -n 1024`",
            what, (unsigned long long)limit.rlim_cur);
    return atx_fail(err, AT_ERR_SYSTEM, "cannot start %s: %s", what, strerror(why));
}

at_status atx_child_spawn(atx_child *out, const char *const *argv, at_error *err)
{
    at_status status = AT_OK;
    const char *program = getenv("AUTOTUNE_EXE");
    int sock[2] = { -1, -1 }, report[2] = { -1, -1 };
    pid_t parent = getpid(), pid = -1;
    int why = 0;

    if (!program || !*program)
        program = "/proc/self/exe"; /* also right when the file was replaced or deleted since we started */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sock) != 0 || pipe2(report, O_CLOEXEC) != 0 ||
        (pid = fork()) < 0) {
        status = cannot_start("another process", errno, err);
        goto done;
    }
    if (pid == 0)
        become(program, argv, sock[1], report[1], parent);
    close(report[1]);
    report[1] = -1;
    if ((why = exec_result(report[0])) != 0) {
        waitpid(pid, NULL, 0);
        status = cannot_start(program, why, err);
        goto done;
    }
    *out = (atx_child){ .pid = pid, .fd = sock[0] };
    sock[0] = -1;
done:
    close_pair(sock);
    close_pair(report);
    return status;
}

at_status atx_child_spawn_at(atx_child *out, atx_site *site, const char *const *argv, at_error *err)
{
    return site ? site->spawn(site, out, argv, err) : atx_child_spawn(out, argv, err);
}

void atx_host_name(char *out, size_t size)
{
    const char *node = getenv("SLURMD_NODENAME");
    if (node && *node)
        snprintf(out, size, "%s", node);
    else if (gethostname(out, size) != 0)
        snprintf(out, size, "unknown");
    out[size - 1] = '\0';
}

double atx_child_used_s(const atx_child *child)
{
    clockid_t clock;
    struct timespec used = { 0 };
    if (child->site || clock_getcpuclockid(child->pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* Waits for the child's end; kills it when grace_s is over. Returns its wait status; *killed: it took that.
 */
static int reap(pid_t pid, double grace_s, bool *killed)
{
    int wait_status = 0;
    double until = atx_now_s() + grace_s;
    long pause_ns = 200 * 1000;

    *killed = false;
    for (;;) {
        pid_t got = waitpid(pid, &wait_status, *killed ? 0 : WNOHANG);
        if (got == pid || (got < 0 && errno != EINTR))
            return wait_status;
        if (!*killed && atx_now_s() >= until) {
            kill(pid, SIGKILL);
            *killed = true;
        } else if (!*killed) {
            nanosleep(&(struct timespec){ .tv_nsec = pause_ns }, NULL);
            pause_ns = pause_ns < 20 * 1000 * 1000 ? pause_ns * 2 : pause_ns;
        }
    }
}

void atx_child_kill(const atx_child *child)
{
    if (child->pid > 0 && child->site)
        child->site->kill(child->site, child);
    else if (child->pid > 0)
        kill(child->pid, SIGKILL);
}

void atx_child_stop(atx_child *child, double grace_s)
{
    bool killed;
    if (child->pid <= 0)
        return;
    if (child->site) {
        child->site->stop(child->site, child, grace_s);
        return;
    }
    close(child->fd);
    reap(child->pid, grace_s, &killed);
    *child = (atx_child){ 0 };
}

static void say_how(int status, char *out, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(out, size, "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(out, size, "ended with exit code %d", WEXITSTATUS(status));
}

void atx_child_close(atx_child *child)
{
    if (child->fd >= 0)
        close(child->fd);
    child->fd = -1;
}

bool atx_child_reaped(atx_child *child, char *out, size_t size)
{
    int status = 0;
    pid_t got = waitpid(child->pid, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR))
        return false;
    say_how(status, out, size);
    atx_child_close(child);
    *child = (atx_child){ 0 };
    return true;
}

void atx_child_exit_status(atx_child *child, char *out, size_t size)
{
    bool killed;
    if (child->pid <= 0) {
        snprintf(out, size, "never started");
        return;
    }
    if (child->site) {
        child->site->exit_status(child->site, child, out, size);
        return;
    }
    close(child->fd);
    int status = reap(child->pid, 1.0, &killed);
    if (killed)
        snprintf(out, size, "closed its connection and did not end");
    else
        say_how(status, out, size);
    *child = (atx_child){ 0 };
}
