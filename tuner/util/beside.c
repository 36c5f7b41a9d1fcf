/*
 * beside.c - free names: the process's number makes them unique, and open() reports one that is taken.
 *
 * Invariant: a name is removed only while its lock is held by the remover, so only one of two that clean up
 * removes it. A file that was just made and is not locked yet may be removed; its maker sees this and makes
 * another.
 */
#include "util/beside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_TRIES = 100 }; /* files of this process that are in use */

static const char MARK[] = ".autotune-";

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? atx_text_copy(path, slash == path ? 1 : (size_t)(slash - path)) : atx_text_copy(".", 1);
}

/* Is it still there by this name? */
static bool has_name(int folder, const char *name, int fd)
{
    struct stat own, named;
    return fstat(fd, &own) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

/* ---- left-over files ---- */

/* The length of BASE.autotune-1-0.new that a name begins with, alone or before a '-'; 0: it does not. */
static size_t left_len(const char *name, const char *base)
{
    static const char DIGITS[] = "0123456789";
    const size_t len = strlen(base), mark = sizeof MARK - 1;
    const char *at = name + len + mark;
    if (strncmp(name, base, len) != 0 || strncmp(name + len, MARK, mark) != 0)
        return 0;
    size_t process = strspn(at, DIGITS), number = at[process] == '-' ? strspn(at + process + 1, DIGITS) : 0;
    at += process + 1 + number;
    if (!process || !number || strncmp(at, ".new", 4) != 0 || (at[4] && at[4] != '-'))
        return 0;
    return (size_t)(at + 4 - name);
}

/* Names one behind the other, each with its zero. */
static void list_left(atx_str *names, DIR *folder, const char *base)
{
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (left_len(entry->d_name, base))
            atx_str_add_bytes(names, entry->d_name, strlen(entry->d_name) + 1);
}

/* Removes a file that no process holds, after the files that are named after it. */
static void remove_left(int folder, const char *name, const atx_str *names)
{
    const size_t len = strlen(name);
    int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && has_name(folder, name, fd)) {
        for (const char *at = names->data; at < names->data + names->len; at += strlen(at) + 1)
            if (strncmp(at, name, len) == 0 && at[len] == '-')
                unlinkat(folder, at, 0);
        unlinkat(folder, name, 0);
    }
    close(fd);
}

void atx_clean_beside(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    ATX_FREED char *folder = folder_of(path);
    atx_str names = { 0 };
    DIR *dir = folder ? opendir(folder) : NULL;
    if (dir)
        list_left(&names, dir, base);
    const char *end = names.len && !names.failed ? names.data + names.len : names.data;
    for (const char *at = names.data; at < end; at += strlen(at) + 1)
        if (!at[left_len(at, base)])
            remove_left(dirfd(dir), at, &names);
    if (dir)
        closedir(dir);
    atx_str_clear(&names);
}

/* ---- a new one ---- */

/* False: another process removed it first. That does not happen where there are no locks. */
static bool keep(int fd, const char *name)
{
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    return locked && has_name(AT_FDCWD, name, fd);
}

int atx_make_beside(atx_str *name, const char *path, mode_t mode)
{
    int fd = -1;
    atx_clean_beside(path);
    for (int i = 0; i < MAX_TRIES && fd < 0; i++) {
        atx_str_reset(name);
        atx_str_addf(name, "%s%s%ld-%d.new", path, MARK, (long)getpid(), i);
        if (name->failed) {
            errno = ENOMEM;
            break;
        }
        fd = open(name->data, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            break;
        if (fd >= 0 && !keep(fd, name->data)) {
            close(fd);
            fd = -1;
            errno = EEXIST;
        }
    }
    return fd;
}

void atx_sync_name(const char *path)
{
    ATX_FREED char *folder = folder_of(path);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}
