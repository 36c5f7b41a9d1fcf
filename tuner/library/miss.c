/*
 * miss.c - see miss.h.
 *
 * The process that gets the problem's lock starts the program; all others wait until the lock is free or the
 * budget is over. A waiter never starts the program itself: by then the tuning has failed, or its result is
 * in the database.
 *
 * The program gets a part of the budget for its search; the rest is for its start, its re-measurement and its
 * end. When the budget is over it is asked to end, and is killed if it does not. Its measurements are stored:
 * the next request continues from them.
 *
 * The program ends when this process ends, in whatever way: its standard input is a pipe whose other end this
 * process holds and never writes to. A fork of this process without exec holds it too.
 */
#include "library/miss.h"

#include "lookup/learned.h"
#include "model/model.h"
#include "source/allowed.h"
#include "util/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SEARCH_SHARE 0.6  /* of the budget           */
#define MOST_S       8e5  /* that `tune` may be told */
#define GRACE_S      0.5  /* to end in order         */
#define LOOK_S       0.01 /* between two looks       */
#define NAME         "autotune"

extern char **environ;

static bool stopped(const atx_miss *m)
{
    return (m->stop && atomic_load(m->stop)) || (m->cancel && __atomic_load_n(m->cancel, __ATOMIC_RELAXED));
}

static void look_later(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = (long)(1e9 * LOOK_S) }, NULL);
}

/* ---- the program ---- */

/* FOLDER/MORE/autotune, when that is a program: lib/autotune is a folder where there is an MPI. */
static bool is_in(atx_str *out, const char *folder, size_t len, const char *more)
{
    struct stat info;
    atx_str_reset(out);
    atx_str_add_bytes(out, folder, len);
    atx_str_addf(out, "/%s" NAME, more);
    return !out->failed && stat(out->data, &info) == 0 && S_ISREG(info.st_mode) &&
           access(out->data, X_OK) == 0;
}

static bool is_beside(atx_str *out, const char *file)
{
    static const char *const PLACES[] = { "", "../bin/", "../../bin/" }; /* lib, lib/x86_64-linux-gnu */
    const char *slash = strrchr(file, '/');
    for (size_t i = 0; slash && i < sizeof PLACES / sizeof *PLACES; i++)
        if (is_in(out, file, (size_t)(slash - file), PLACES[i]))
            return true;
    return false;
}

/* An empty entry is the folder that the process is in, and a relative one is looked up from there. */
static bool is_in_path(atx_str *out, bool no_environment)
{
    const char *at = no_environment ? NULL : getenv("PATH");
    while (at && *at) {
        size_t len = strcspn(at, ":");
        if (*at == '/' && is_in(out, at, len, ""))
            return true;
        at += len + (at[len] == ':');
    }
    return false;
}

/*
 * The shared library that this code is in; "": it is a part of the application, or was loaded by a relative
 * name, which another folder may have by now.
 */
const char *atx_own_library(void)
{
    Dl_info info;
    void *map = NULL;
    bool known = dladdr1((const void *)(uintptr_t)&stopped, &info, &map, RTLD_DL_LINKMAP) != 0 && map;
    const char *name = known ? ((const struct link_map *)map)->l_name : "";
    return *name == '/' ? name : "";
}

/*
 * The program that belongs to this code: beside the shared library that this is a part of, in `bin` beside
 * its folder or the one above, else in an absolute folder of $PATH. Never beside the application, nor in the
 * folder that the process is in. no_environment: nor in $PATH. AT_ERR_NOT_FOUND: nowhere.
 */
static at_status find_program(atx_str *out, bool no_environment, at_error *err)
{
    const char *library = atx_own_library();
    if (is_beside(out, library) || is_in_path(out, no_environment))
        return AT_OK;
    at_status status = atx_str_status(out, err);
    return status != AT_OK
               ? status
               : atx_fail(err, AT_ERR_NOT_FOUND,
                          "found no program " NAME "%s%s; expected one in a folder of $PATH, or named in "
                          "at_open_options.program",
                          *library ? " beside " : "", library);
}

/* ---- running it ---- */

typedef struct run {
    pid_t pid;
    int said;  /* a file in memory with its stderr; -1: none            */
    int alive; /* the end of a pipe that closes with this process; -1: none */
    int wait_status;
    bool gone; /* its end was reaped elsewhere: a program may wait for all children */
} run;

#define NOT_RUNNING                                                                                          \
    {                                                                                                        \
        .said = -1, .alive = -1                                                                              \
    }

/* The caller may have closed its own 0, 1 and 2: a file of that number would be replaced in the program. */
static int above_standard(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return moved;
}

/* Variables that the program gets: as options names of folders with a comma would be two, and "" could not be
 * said. */
enum { VARIABLES = 3 };
static const char *const NAMES[VARIABLES] = { ATX_HEADERS_ENV, ATX_ALLOW_ENV, ATX_TIED_VARIABLE };

/* Does the program not get this one of our environment, or another one of its name? */
static bool is_left_out(const char *text, const char *const *values, bool no_environment)
{
    static const char OURS[] = "AUTOTUNE_";
    size_t len = strcspn(text, "=");
    for (int i = 0; i < VARIABLES; i++)
        if (values[i] && strlen(NAMES[i]) == len && memcmp(text, NAMES[i], len) == 0)
            return true;
    return no_environment && strncmp(text, OURS, sizeof OURS - 1) == 0;
}

/* NULL: out of memory. `texts` are borrowed by it. */
static char **environment(atx_str texts[VARIABLES], const atx_miss *m)
{
    const char *const values[VARIABLES] = { m->headers, m->allow, "1" };
    size_t all = 0, count = 0;
    bool failed = false;
    while (environ[all])
        all++;
    char **out = calloc(all + VARIABLES + 1, sizeof *out);
    for (size_t i = 0; out && i < all; i++)
        if (!is_left_out(environ[i], values, m->no_environment))
            out[count++] = environ[i];
    for (int i = 0; out && i < VARIABLES; i++) {
        if (!values[i])
            continue;
        atx_str_addf(&texts[i], "%s=%s", NAMES[i], values[i]);
        out[count++] = texts[i].data;
        failed |= texts[i].failed;
    }
    if (failed) {
        free(out);
        return NULL;
    }
    return out;
}

/* Its standard input, which ends when r->alive is closed; -1: errno says why there is none. */
static int open_alive(run *r)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    ends[0] = above_standard(ends[0]);
    r->alive = above_standard(ends[1]);
    if (ends[0] >= 0 && r->alive >= 0)
        return ends[0];
    int why = errno;
    if (ends[0] >= 0)
        close(ends[0]);
    errno = why;
    return -1;
}

/* The program inherits neither the caller's signals nor, since it closes them (cli/process.c), its
 * descriptors. */
static int start(run *r, int input, const char *program, const char *const *argv, char *const *with)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    r->said = above_standard(memfd_create(NAME " tune", MFD_CLOEXEC));
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (r->said >= 0)
        posix_spawn_file_actions_adddup2(&files, r->said, STDERR_FILENO);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int code = posix_spawn(&r->pid, program, &files, &attributes, (char *const *)(uintptr_t)argv, with);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return code;
}

static at_status spawn(run *r, const atx_miss *m, const char *const *argv, at_error *err)
{
    atx_str texts[VARIABLES] = { { 0 } };
    char **with = environment(texts, m);
    int input = with ? open_alive(r) : -1;
    int code = !with ? ENOMEM : input < 0 ? errno : start(r, input, argv[0], argv, with);
    if (input >= 0)
        close(input);
    free(with);
    for (int i = 0; i < VARIABLES; i++)
        atx_str_clear(&texts[i]);
    return code == 0 ? AT_OK
                     : atx_fail(err, AT_ERR_SYSTEM, "%s: cannot be started: %s", argv[0], strerror(code));
}

static void forget(run *r)
{
    if (r->said >= 0)
        close(r->said);
    if (r->alive >= 0)
        close(r->alive);
}

/* Has it ended? */
static bool ended(run *r)
{
    pid_t got = waitpid(r->pid, &r->wait_status, WNOHANG);
    r->gone = got < 0 && errno == ECHILD;
    return got == r->pid || r->gone;
}

/* False: it has not by then. */
static bool ends_until(run *r, double until_s, const atx_miss *m)
{
    while (!ended(r)) {
        if (atx_now_s() >= until_s || (m && stopped(m)))
            return false;
        look_later();
    }
    return true;
}

static void end(run *r)
{
    kill(r->pid, SIGTERM);
    if (ends_until(r, atx_now_s() + GRACE_S, NULL))
        return;
    kill(r->pid, SIGKILL); /* its helpers end with it */
    while (waitpid(r->pid, &r->wait_status, 0) < 0 && errno == EINTR)
        ;
}

/* The last line of its output, without its name. */
static void read_said(char *out, size_t size, const run *r)
{
    char text[2048];
    off_t bytes = r->said >= 0 ? lseek(r->said, 0, SEEK_END) : 0;
    off_t from = bytes > (off_t)sizeof text - 1 ? bytes - (off_t)sizeof text + 1 : 0;
    ssize_t len = r->said >= 0 ? pread(r->said, text, sizeof text - 1, from) : 0;
    while (len > 0 && text[len - 1] == '\n')
        len--;
    text[len > 0 ? len : 0] = '\0';
    const char *line = strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text;
    static const char BEFORE[] = NAME ": error: ";
    line += strncmp(line, BEFORE, sizeof BEFORE - 1) == 0 ? sizeof BEFORE - 1 : 0;
    snprintf(out, size, "%.*s", (int)size - 1, line);
}

/* `doing`: its first word. */
static at_status check_end(const run *r, const char *doing, at_error *err)
{
    char said[600];
    if (r->gone || (WIFEXITED(r->wait_status) && WEXITSTATUS(r->wait_status) == 0))
        return AT_OK;
    read_said(said, sizeof said, r);
    if (WIFSIGNALED(r->wait_status))
        return atx_fail(err, AT_ERR_SYSTEM, NAME " %s was ended by signal %d (%s)%s%s", doing,
                        WTERMSIG(r->wait_status), strsignal(WTERMSIG(r->wait_status)), *said ? ": " : "",
                        said);
    return atx_fail(err, AT_ERR_SYSTEM, NAME " %s ended with exit code %d%s%s", doing,
                    WEXITSTATUS(r->wait_status), *said ? ": " : "", said);
}

/* Until it has ended, or its time is over. argv[1]: what it does. */
static at_status run_until(const atx_miss *m, const char *const *argv, double until_s, at_error *err)
{
    const bool tunes = strcmp(argv[1], "tune") == 0;
    run r = NOT_RUNNING;
    at_status status = spawn(&r, m, argv, err);
    if (status == AT_OK && ends_until(&r, until_s, m)) {
        status = check_end(&r, argv[1], err);
    } else if (status == AT_OK) {
        end(&r);
        status = !tunes || stopped(m)
                     ? atx_fail(err, AT_ERR_CANCELLED, "%s was ended", tunes ? "tuning" : "learning")
                     : atx_fail(err, AT_ERR_SYSTEM,
                                "the budget of %g s was over before " NAME " tune had found a winner",
                                m->budget_s);
    }
    forget(&r);
    return status;
}

/* ---- one at a time ---- */

/* The device counts too: two of one machine may be different models. */
static at_status name_of(uint64_t *out, const atx_miss *m, const atx_problem *p, at_error *err)
{
    ATX_LOCAL(atx_str) text = { 0 };
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    atx_str_addf(&text, "%s %s %s ", m->device, p->op->name, atx_dtype_key(p->type, p->op->storage));
    atx_problem_shape(&text, p);
    at_status status = atx_str_status(&text, err);
    for (const char *at = atx_str_text(&text); *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
    *out = hash ^ hash >> 32;
    return status;
}

/* Until the process that tunes it has ended. */
static at_status wait_for_others(const atx_miss *m, uint64_t name, double until_s, at_error *err)
{
    int lock = -1;
    at_status status;
    while ((status = atx_store_lock_problem(&lock, m->database, name, err)) == AT_ERR_NOT_FOUND) {
        if (stopped(m))
            return atx_fail(err, AT_ERR_CANCELLED, "tuning was ended");
        if (atx_now_s() >= until_s)
            return atx_fail(err, AT_ERR_SYSTEM,
                            "another process tunes it, and has not ended within the budget of %g s",
                            m->budget_s);
        look_later();
    }
    if (status == AT_OK)
        close(lock);
    return status;
}

/* Unless another process has this lock: then *busy. argv[0] is set here. */
static at_status run_alone(bool *busy, const atx_miss *m, uint64_t name, const char **argv, double until_s,
                           at_error *err)
{
    ATX_LOCAL(atx_str) found = { 0 };
    int lock = -1;
    *busy = false;
    at_status status = m->program ? AT_OK : find_program(&found, m->no_environment, err);
    argv[0] = m->program ? m->program : atx_str_text(&found);
    if (status == AT_OK) {
        status = atx_store_lock_problem(&lock, m->database, name, err);
        *busy = status == AT_ERR_NOT_FOUND;
    }
    ATX_THEN(status, run_until(m, argv, until_s, err));
    if (lock >= 0)
        close(lock);
    return status;
}

at_status atx_miss_tune(const atx_miss *m, const atx_problem *p, at_error *err)
{
    const double until_s = atx_now_s() + m->budget_s, search_s = fmin(SEARCH_SHARE * m->budget_s, MOST_S);
    ATX_LOCAL(atx_str) shape = { 0 };
    char budget[32];
    uint64_t name = 0;
    bool busy = false;
    snprintf(budget, sizeof budget, "%.0fms", 1e3 * search_s + 1);
    atx_problem_shape(&shape, p);
    const char *argv[] = { NULL,
                           "tune",
                           p->op->name,
                           atx_str_text(&shape),
                           atx_dtype_name(p->type),
                           "--device",
                           m->device,
                           "--db",
                           m->database,
                           "--budget",
                           budget,
                           "--quiet",
                           "--no-learn",
                           m->templates ? "--templates" : NULL,
                           m->templates,
                           NULL };
    at_status status = atx_str_status(&shape, err);
    ATX_THEN(status, name_of(&name, m, p, err));
    ATX_THEN(status, run_alone(&busy, m, name, argv, until_s, err));
    return busy ? wait_for_others(m, name, until_s, err) : status;
}

/* ---- learning ---- */

#define LEARNING 0x6c6561726eu /* the lock of learning, beside those of problems */
#define LEARN_S  60.0

static bool is_due(const atx_miss *m)
{
    const atx_learning learning = { .db = m->database, .more = ATX_MORE_TO_LEARN, .cancel = m->stop };
    bool due = false;
    return atx_learned_is_due(&due, &learning, NULL) == AT_OK && due;
}

at_status atx_miss_learn(const atx_miss *m, at_error *err)
{
    const char *argv[] = { NULL,         "learn", "--db", m->database, m->templates ? "--templates" : NULL,
                           m->templates, NULL };
    bool busy = false;
    if (!is_due(m))
        return AT_OK;
    at_status status = run_alone(&busy, m, LEARNING, argv, atx_now_s() + LEARN_S, err);
    return busy ? AT_OK : status;
}
