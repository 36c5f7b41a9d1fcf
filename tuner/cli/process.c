/*
 * process.c - see process.h.
 *
 * A closed descriptor is replaced by one that is open the wrong way round: reading 0, writing 1 and 2 fail
 * with EBADF, as they did before, and no other code needs to know that it was closed.
 */
#include "cli/process.h"

#include "cli/commands.h"
#include "library/miss.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#define TIED_S   2      /* to end in order, once its parent has ended */
#define GRACE_US 350000 /* twice that for a command to end in order; a user waits for a second at most */

atomic_int atx_cancel_requested = 0; /* lock-free: a handler may write it */
static atomic_int asked_by = SIGINT; /* the first signal that asked to end */

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
    _exit(ATX_EXIT_SYSTEM);
}

/* Children inherit ignored signals, so they report errors of writing too. Signals that the parent has blocked
 * are unblocked. SIGCHLD is not ignored: exit statuses of children would be unknown. */
void atx_process_begin(void)
{
    const struct sigaction ignore = { .sa_handler = SIG_IGN }, usual = { .sa_handler = SIG_DFL };
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    sigaction(SIGCHLD, &usual, NULL);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        stand_in(fd);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

/*
 * ---- signals ----
 *
 * atx_cancel_requested counts: asked, reminded, over. A reminder is there for its EINTR alone: code that
 * began to wait for a pipe just after the first signal then reads the flag. No handler has SA_RESTART.
 */

/* As shells show it: 130 for SIGINT, 143 for SIGTERM, 129 for SIGHUP. */
static int interrupted_code(void)
{
    return ATX_EXIT_INTERRUPTED - SIGINT + asked_by;
}

static void remind(int number)
{
    static const char WORDS[] = "autotune: interrupted\n";
    (void)number;
    if (++atx_cancel_requested <= 2)
        return;
    (void)!write(STDERR_FILENO, WORDS, sizeof WORDS - 1);
    _exit(interrupted_code());
}

static void ask(int number)
{
    if (atx_cancel_requested)
        _exit(interrupted_code());
    asked_by = number;
    atx_cancel_requested = 1;
}

/* setitimer is a plain system call: a handler may use it. */
static void ask_for_soon(int number)
{
    const struct itimerval grace = { .it_value.tv_usec = GRACE_US, .it_interval.tv_usec = GRACE_US };
    ask(number);
    setitimer(ITIMER_REAL, &grace, NULL);
}

/* `nohup` ignores SIGHUP, and that stays. */
static void catch_with(void (*handler)(int))
{
    const struct sigaction caught = { .sa_handler = handler };
    struct sigaction before;
    sigaction(SIGINT, &caught, NULL);
    sigaction(SIGTERM, &caught, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &caught, NULL);
}

void atx_process_catch_signals(void)
{
    const struct sigaction reminder = { .sa_handler = remind };
    sigaction(SIGALRM, &reminder, NULL);
    catch_with(ask_for_soon);
}

void atx_process_take_time(void)
{
    const struct itimerval none = { 0 };
    catch_with(ask);
    setitimer(ITIMER_REAL, &none, NULL);
}

/* ---- the parent process ---- */

/* A thread of its own: whatever the others wait for. Nothing is written to the pipe, so there is nothing to
 * read.
 */
static void *end_with_input(void *unused)
{
    struct pollfd input = { .fd = STDIN_FILENO };
    (void)unused;
    while (poll(&input, 1, -1) < 0 && errno == EINTR)
        ;
    kill(getpid(), SIGTERM);
    sleep(TIED_S);
    kill(getpid(), SIGTERM);
    return NULL;
}

void atx_process_tie(void)
{
    pthread_t thread;
    sigset_t all, before;
    if (!getenv(ATX_TIED_VARIABLE))
        return;
    unsetenv(ATX_TIED_VARIABLE);
    atx_close_from(STDERR_FILENO + 1); /* descriptors of that process */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals go to the other threads */
    if (pthread_create(&thread, NULL, end_with_input, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- output ---- */

/* The reader of a pipe or a socket has closed it. */
static bool reader_left(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    return poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP)) != 0;
}

/* A write that failed long ago left no errno: the cause as far as it can be seen. */
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

int atx_process_finish_output(int code)
{
    errno = 0;
    bool flushed = fflush(stdout) == 0;
    int why = errno;
    if ((atx_cancel_requested && code == ATX_EXIT_OK) || code == ATX_EXIT_INTERRUPTED)
        code = interrupted_code();
    if ((flushed && !ferror(stdout)) || atx_cancel_requested)
        return code;
    if (reader_left(STDOUT_FILENO))
        return code == ATX_EXIT_OK ? ATX_EXIT_UNREAD : code;
    fprintf(stderr, "autotune: error: the output could not be written%s\n", cause_of(why));
    return code == ATX_EXIT_OK ? ATX_EXIT_SYSTEM : code;
}
