/*
 * faults.c - system calls and allocations that fail when they are told to. Linked into a program, it stands
 * before the C library also for SQLite, zlib and whatever else the program loads.
 *
 *   AT_FAULT=KIND:N:HOW    the N-th call of a kind fails: KIND memory, files or processes, or what some file
 *                          systems have not, mapping (memory that is shared) or locks;
 *                          HOW once (that call alone) or on (that one and all later ones)
 *   AT_FAULT_ERRNO=N       of locks (default ENOLCK)
 *   AT_FAULT_ROLE=ROLE     in which process: main (default), worker or runner
 *   AT_FAULT_LOG=FILE      a line is appended when it has failed: KIND N CALL; at the end of a process in
 * which there were fewer calls: KIND COUNT end
 *
 * Counted from main() on, in each process for itself; not what NVRTC does in the main one. A stream whose
 * call fails writes from then on into a device that is always full, or reads from a folder: what the C
 * library makes of that is real.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Seen by the libraries that the program loads. */
#define OURS __attribute__((visibility("default")))

typedef enum kind { MEMORY, FILES, PROCESSES, MAPPING, LOCKS, KINDS } kind;
static const char *const KIND_NAMES[KINDS] = { "memory", "files", "processes", "mapping", "locks" };

static struct {
    bool on;   /* something is to fail in this process */
    bool all;  /* and everything after it              */
    bool main; /* it is the program itself, no helper  */
    kind kind; /* of what                              */
    long at;   /* which one, from 1                    */
    int error; /* of a lock                            */
    char log[256];
} plan;
static atomic_long seen;

/* ---- the plan ---- */

static const char *role_of(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "__compile") == 0)
        return "worker";
    return argc > 1 && strcmp(argv[1], "__device") == 0 ? "runner" : "main";
}

static _Noreturn void refuse(const char *text)
{
    fprintf(stderr, "faults: AT_FAULT=%s: expected memory|files|processes|mapping|locks:N:once|on\n", text);
    _exit(125);
}

/* The C library hands a constructor what it hands main(). */
__attribute__((constructor)) static void read_plan(int argc, char **argv)
{
    char name[16], how[8], end;
    const char *text = getenv("AT_FAULT"), *role = getenv("AT_FAULT_ROLE"), *log = getenv("AT_FAULT_LOG");
    const char *error = getenv("AT_FAULT_ERRNO");
    const char *own = role_of(argc, argv);
    if (!text || strcmp(role ? role : "main", own) != 0)
        return;
    plan.main = strcmp(own, "main") == 0;
    if (sscanf(text, "%15[a-z]:%ld:%7[a-z]%c", name, &plan.at, how, &end) != 3 || plan.at < 1)
        refuse(text);
    while (plan.kind < KINDS && strcmp(KIND_NAMES[plan.kind], name) != 0)
        plan.kind++;
    plan.all = strcmp(how, "on") == 0;
    if (plan.kind == KINDS || (!plan.all && strcmp(how, "once") != 0))
        refuse(text);
    snprintf(plan.log, sizeof plan.log, "%s", log ? log : "");
    plan.error = error ? atoi(error) : ENOLCK;
    plan.on = true;
}

/* With bare system calls: everything else may be failing. */
static void tell(long number, const char *call)
{
    char line[64];
    if (!plan.log[0])
        return;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, plan.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    int len = snprintf(line, sizeof line, "%s %ld %s\n", KIND_NAMES[plan.kind], number, call);
    if (fd < 0)
        return;
    long written = syscall(SYS_write, fd, line, (size_t)len);
    (void)written;
    syscall(SYS_close, fd);
}

/* NVRTC is not ours, and without memory it crashes: in its own process it may, and is expected to. */
static bool is_spared(const void *caller)
{
    Dl_info info;
    return plan.main && dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libnvrtc");
}

static bool fails_at(kind k, const char *call, const void *caller)
{
    if (!plan.on || plan.kind != k || is_spared(caller))
        return false;
    int before = errno;
    long number = atomic_fetch_add(&seen, 1) + 1;
    if (number == plan.at)
        tell(number, call);
    errno = before;
    return plan.all ? number >= plan.at : number == plan.at;
}

#define fails(k, call) fails_at(k, call, __builtin_return_address(0))

__attribute__((destructor)) static void tell_end(void)
{
    if (plan.on && seen < plan.at)
        tell(seen, "end");
}

/* What comes after this file: the C library, or a sanitizer that stands before it. */
static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        _exit(125);
    return found;
}

/* ---- memory ---- */

/* Where a sanitizer has its own, so that it still watches; without one these are not there. */
extern void *__interceptor_malloc(size_t size) __attribute__((weak));
extern void *__interceptor_calloc(size_t count, size_t size) __attribute__((weak));
extern void *__interceptor_realloc(void *data, size_t size) __attribute__((weak));
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *data, size_t size);

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

OURS void *malloc(size_t size)
{
    if (fails(MEMORY, "malloc"))
        return no_memory();
    return __interceptor_malloc ? __interceptor_malloc(size) : __libc_malloc(size);
}

OURS void *calloc(size_t count, size_t size)
{
    if (fails(MEMORY, "calloc"))
        return no_memory();
    return __interceptor_calloc ? __interceptor_calloc(count, size) : __libc_calloc(count, size);
}

OURS void *realloc(void *data, size_t size)
{
    if (fails(MEMORY, "realloc"))
        return no_memory();
    return __interceptor_realloc ? __interceptor_realloc(data, size) : __libc_realloc(data, size);
}

/* ---- calls that return a number, -1 with errno when they fail ---- */

#define CALL(kind, error, type, name, params, args)                                                          \
    OURS type name params;                                                                                   \
    OURS type name params                                                                                    \
    {                                                                                                        \
        static type(*_Atomic real) params;                                                                   \
        if (fails(kind, #name)) {                                                                            \
            errno = error;                                                                                   \
            return (type)-1;                                                                                 \
        }                                                                                                    \
        if (!real)                                                                                           \
            real = (type(*) params)next(#name);                                                              \
        return real args;                                                                                    \
    }

CALL(FILES, EIO, ssize_t, read, (int fd, void *out, size_t size), (fd, out, size))
CALL(FILES, EIO, ssize_t, pread, (int fd, void *out, size_t size, off_t at), (fd, out, size, at))
CALL(FILES, EIO, ssize_t, pread64, (int fd, void *out, size_t size, off64_t at), (fd, out, size, at))
CALL(FILES, ENOSPC, ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size))
CALL(FILES, ENOSPC, ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
CALL(FILES, ENOSPC, ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at),
     (fd, data, size, at))
CALL(FILES, EIO, int, fsync, (int fd), (fd))
CALL(FILES, EIO, int, fdatasync, (int fd), (fd))
CALL(FILES, EIO, int, ftruncate, (int fd, off_t size), (fd, size))
CALL(FILES, EIO, int, ftruncate64, (int fd, off64_t size), (fd, size))
CALL(FILES, EACCES, int, rename, (const char *from, const char *to), (from, to))
CALL(FILES, EACCES, int, unlink, (const char *path), (path))
CALL(FILES, EACCES, int, mkdir, (const char *path, mode_t mode), (path, mode))
CALL(FILES, EACCES, int, access, (const char *path, int how), (path, how))
CALL(FILES, EACCES, int, stat, (const char *path, struct stat *out), (path, out))
CALL(FILES, EACCES, int, stat64, (const char *path, struct stat64 *out), (path, out))
CALL(FILES, EACCES, int, lstat, (const char *path, struct stat *out), (path, out))
CALL(FILES, EACCES, int, lstat64, (const char *path, struct stat64 *out), (path, out))
CALL(FILES, EIO, int, fstat, (int fd, struct stat *out), (fd, out))
CALL(FILES, EIO, int, fstat64, (int fd, struct stat64 *out), (fd, out))
CALL(FILES, EPERM, int, fchmod, (int fd, mode_t mode), (fd, mode))
CALL(FILES, EMFILE, int, dup, (int fd), (fd))
CALL(FILES, EMFILE, int, mkstemp, (char *path), (path))
CALL(PROCESSES, EAGAIN, pid_t, fork, (void), ())
CALL(PROCESSES, EMFILE, int, pipe2, (int ends[2], int flags), (ends, flags))
CALL(PROCESSES, EMFILE, int, dup2, (int fd, int to), (fd, to))
CALL(PROCESSES, EMFILE, int, dup3, (int fd, int to, int flags), (fd, to, flags))
CALL(PROCESSES, ENOMEM, int, execv, (const char *path, char *const argv[]), (path, argv))
CALL(PROCESSES, EMFILE, int, socketpair, (int domain, int type, int protocol, int ends[2]),
     (domain, type, protocol, ends))
CALL(PROCESSES, ECONNRESET, ssize_t, send, (int fd, const void *data, size_t size, int flags),
     (fd, data, size, flags))
CALL(PROCESSES, ECONNRESET, ssize_t, recv, (int fd, void *out, size_t size, int flags),
     (fd, out, size, flags))

/* With a mode that is there only when a file may be made. */
#define OPEN(name)                                                                                           \
    OURS int name(const char *path, int flags, ...);                                                         \
    OURS int name(const char *path, int flags, ...)                                                          \
    {                                                                                                        \
        static int (*_Atomic real)(const char *, int, ...);                                                  \
        va_list rest;                                                                                        \
        va_start(rest, flags);                                                                               \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;                            \
        va_end(rest);                                                                                        \
        if (fails(FILES, #name)) {                                                                           \
            errno = EMFILE;                                                                                  \
            return -1;                                                                                       \
        }                                                                                                    \
        if (!real)                                                                                           \
            real = (int (*)(const char *, int, ...))next(#name);                                             \
        return real(path, flags, mode);                                                                      \
    }

OPEN(open)
OPEN(open64)

/* Only locks fail, and what duplicates a descriptor. */
#define CONTROL(name)                                                                                        \
    OURS int name(int fd, int command, ...);                                                                 \
    OURS int name(int fd, int command, ...)                                                                  \
    {                                                                                                        \
        static int (*_Atomic real)(int, int, ...);                                                           \
        va_list rest;                                                                                        \
        va_start(rest, command);                                                                             \
        void *argument = va_arg(rest, void *);                                                               \
        va_end(rest);                                                                                        \
        bool lock = command == F_SETLK || command == F_SETLKW;                                               \
        if ((lock || command == F_DUPFD_CLOEXEC) && fails(lock ? FILES : PROCESSES, #name)) {                \
            errno = lock ? ENOLCK : EMFILE;                                                                  \
            return -1;                                                                                       \
        }                                                                                                    \
        if (lock && fails(LOCKS, #name)) {                                                                   \
            errno = plan.error;                                                                              \
            return -1;                                                                                       \
        }                                                                                                    \
        if (!real)                                                                                           \
            real = (int (*)(int, int, ...))next(#name);                                                      \
        return real(fd, command, argument);                                                                  \
    }

CONTROL(fcntl)
CONTROL(fcntl64)

/* A descriptor is closed whatever close() says, as Linux does it. */
OURS int close(int fd)
{
    long code = syscall(SYS_close, fd);
    if (fails(FILES, "close")) {
        errno = EIO;
        return -1;
    }
    return (int)code;
}

#define MAP(name, offset)                                                                                    \
    OURS void *name(void *at, size_t size, int access, int flags, int fd, offset from)                       \
    {                                                                                                        \
        static void *(*_Atomic real)(void *, size_t, int, int, int, offset);                                 \
        if (fd >= 0 && fails(FILES, #name)) {                                                                \
            errno = ENOMEM;                                                                                  \
            return MAP_FAILED;                                                                               \
        }                                                                                                    \
        if (fd >= 0 && flags & MAP_SHARED && fails(MAPPING, #name)) {                                        \
            errno = ENODEV;                                                                                  \
            return MAP_FAILED;                                                                               \
        }                                                                                                    \
        if (!real)                                                                                           \
            real = (void *(*)(void *, size_t, int, int, int, offset))next(#name);                            \
        return real(at, size, access, flags, fd, from);                                                      \
    }

MAP(mmap, off_t)
MAP(mmap64, off64_t)

/* Nobody waits for what is sure to fail: SQLite tries a lock again for ten seconds. */
OURS int usleep(useconds_t time_us)
{
    if (!plan.on)
        return (int)syscall(SYS_nanosleep, &(struct timespec){ .tv_nsec = 1000L * (long)time_us }, NULL);
    return 0;
}

/* ---- folders ---- */

OURS DIR *opendir(const char *path)
{
    static DIR *(*_Atomic real)(const char *);
    if (fails(FILES, "opendir")) {
        errno = EMFILE;
        return NULL;
    }
    if (!real)
        real = (DIR * (*)(const char *)) next("opendir");
    return real(path);
}

OURS struct dirent *readdir(DIR *dir)
{
    static struct dirent *(*_Atomic real)(DIR *);
    if (fails(FILES, "readdir")) {
        errno = EIO;
        return NULL;
    }
    if (!real)
        real = (struct dirent * (*)(DIR *)) next("readdir");
    return real(dir);
}

/* ---- streams ---- */

OURS FILE *fopen(const char *path, const char *mode)
{
    static FILE *(*_Atomic real)(const char *, const char *);
    if (fails(FILES, "fopen")) {
        errno = EMFILE;
        return NULL;
    }
    if (!real)
        real = (FILE * (*)(const char *, const char *)) next("fopen");
    return real(path, mode);
}

/* From now on the stream's descriptor is one that fails in the real way. */
static void spoil(FILE *stream, const char *with, int flags)
{
    int fd = fileno(stream), other = (int)syscall(SYS_openat, AT_FDCWD, with, flags | O_CLOEXEC, 0);
    if (other < 0 || fd < 0)
        return;
    syscall(SYS_dup3, other, fd, 0);
    syscall(SYS_close, other);
}

static void spoil_output(FILE *stream, const char *call)
{
    if (stream && stream != stderr && fails_at(FILES, call, NULL))
        spoil(stream, "/dev/full", O_WRONLY);
}

#define STREAM(type, name, params, args, stream)                                                             \
    OURS type name params                                                                                    \
    {                                                                                                        \
        static type(*_Atomic real) params;                                                                   \
        spoil_output(stream, #name);                                                                         \
        if (!real)                                                                                           \
            real = (type(*) params)next(#name);                                                              \
        return real args;                                                                                    \
    }

STREAM(size_t, fwrite, (const void *data, size_t size, size_t count, FILE *stream),
       (data, size, count, stream), stream)
STREAM(int, fputs, (const char *text, FILE *stream), (text, stream), stream)
STREAM(int, fflush, (FILE * stream), (stream), stream)
STREAM(int, fclose, (FILE * stream), (stream), stream)

OURS size_t fread(void *out, size_t size, size_t count, FILE *stream)
{
    static size_t (*_Atomic real)(void *, size_t, size_t, FILE *);
    if (fails(FILES, "fread"))
        spoil(stream, "/", O_RDONLY | O_DIRECTORY);
    if (!real)
        real = (size_t(*)(void *, size_t, size_t, FILE *))next("fread");
    return real(out, size, count, stream);
}
