/*
 * process.c - see process.h.
 *
 * The stand-in for a closed descriptor is open the wrong way round: reading 0, writing 1 and 2 fail with
 * EBADF, as they did before, and nobody needs to remember that it was closed.
 */
#include "cli/process.h"

#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

/* A user waits for a second at most: until a wait for a pipe is cut short, then for a command to end in
 * order.
 */
#define CUT_US   100000
#define GRACE_US 700000

atomic_int at__cancel_requested = 0; /* lock-free: a handler may write it */

/* ---- descriptors ---- */

/* In their order: the lowest number that is free is the one that is missing. */
static void stand_in(int fd)
{
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
        return;
    if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) == fd)
        return;
    dprintf(STDERR_FILENO, "autotune: error: descriptor %d is closed and /dev/null cannot be opened: %s\n",
            fd, strerror(errno));
    _exit(AT__EXIT_SYSTEM);
}

/* Children inherit what is ignored, and so fail in words too. */
void at__process_begin(void)
{
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        stand_in(fd);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

/* ---- signals ---- */

/* setitimer is a plain system call: a handler may use it. */
static void end_in(long us)
{
    const struct itimerval after = { .it_value.tv_usec = us };
    setitimer(ITIMER_REAL, &after, NULL);
}

/* The first time it only cuts a wait short, as it is caught without SA_RESTART: whoever waits for a pipe may
 * have something to clear away. */
static void end_now(int number)
{
    static const char WORDS[] = "autotune: interrupted\n";
    (void)number;
    if (at__cancel_requested == 1) {
        at__cancel_requested = 2;
        end_in(GRACE_US);
        return;
    }
    (void)!write(STDERR_FILENO, WORDS, sizeof WORDS - 1);
    _exit(AT__EXIT_INTERRUPTED);
}

static void ask(int number)
{
    (void)number;
    if (at__cancel_requested)
        _exit(AT__EXIT_INTERRUPTED);
    at__cancel_requested = 1;
}

static void ask_for_soon(int number)
{
    ask(number);
    end_in(CUT_US);
}

/* `nohup` ignores SIGHUP, and that stays. */
static void catch_with(void (*handler)(int))
{
    const struct sigaction caught = { .sa_handler = handler, .sa_flags = SA_RESTART };
    struct sigaction before;
    sigaction(SIGINT, &caught, NULL);
    sigaction(SIGTERM, &caught, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &caught, NULL);
}

void at__process_catch_signals(void)
{
    const struct sigaction over = { .sa_handler = end_now };
    sigaction(SIGALRM, &over, NULL);
    catch_with(ask_for_soon);
}

void at__process_take_time(void)
{
    catch_with(ask);
}

/* ---- output ---- */

/* Whoever read a pipe or a socket has closed it. */
static bool reader_left(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    return poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP)) != 0;
}

/* A write that failed long ago left no errno: what can still be seen of its cause. */
static const char *cause_of(int why)
{
    struct rlimit limit;
    off_t at = lseek(STDOUT_FILENO, 0, SEEK_CUR);
    if ((fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return ": stdout is closed";
    if (at >= 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0 && (rlim_t)at >= limit.rlim_cur)
        return ": the limit of a file's size is reached (ulimit -f)";
    return why == ENOSPC ? ": the disk is full" : "";
}

int at__process_finish_output(int code)
{
    errno = 0;
    bool flushed = fflush(stdout) == 0;
    int why = errno;
    if (flushed && !ferror(stdout))
        return code;
    if (at__cancel_requested) /* which cuts a wait for a reader short too */
        return code == AT__EXIT_OK ? AT__EXIT_INTERRUPTED : code;
    if (reader_left(STDOUT_FILENO))
        return code == AT__EXIT_OK ? AT__EXIT_UNREAD : code;
    fprintf(stderr, "autotune: error: the output could not be written%s\n", cause_of(why));
    return code == AT__EXIT_OK ? AT__EXIT_SYSTEM : code;
}
