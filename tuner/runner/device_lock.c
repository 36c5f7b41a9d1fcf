/*
 * device_lock.c - see device_lock.h.
 *
 * Two files in a folder that everybody may write to, locked with flock(2), for which a file that was opened
 * for reading is enough: all users lock the same files, also those of other users. They are
 * never written to nor removed: a file that is removed while others have it would be two.
 */
#include "runner/device_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS 10 /* another process may make or remove the file between two calls */

/*
 * The one that is there, else a new one. O_CREAT on another user's file is refused in a sticky folder
 * (fs.protected_regular), so the two are calls of their own; no umask shall keep others out.
 */
static int open_shared(const char *path)
{
    const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int fd = open(path, flags);
    for (int i = 0; i < ATTEMPTS && fd < 0 && errno == ENOENT; i++) {
        mode_t mask = umask(0);
        fd = open(path, flags | O_CREAT | O_EXCL, 0666);
        umask(mask);
        if (fd < 0 && errno == EEXIST)
            fd = open(path, flags);
    }
    return fd;
}

static bool lock(int fd, int how)
{
    int code;
    do
        code = flock(fd, how);
    while (code != 0 && errno == EINTR);
    return code == 0;
}

/* Some file systems have no locks. */
static bool has_locks(int fd)
{
    return lock(fd, LOCK_SH | LOCK_NB) ? lock(fd, LOCK_UN) : errno == EWOULDBLOCK;
}

/* A file that can be locked; -1: why[0..size) says why not. */
static int open_lock(const char *folder, const char *uuid, const char *kind, char *why, size_t size)
{
    char path[256];
    const char *what = NULL;
    struct stat info;
    snprintf(path, sizeof path, "%s/autotune-%s.%s", folder, uuid, kind);
    int fd = open_shared(path);
    if (fd < 0)
        what = errno == ELOOP ? "is a symbolic link" : strerror(errno);
    else if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        what = "is no regular file";
    else if (!has_locks(fd))
        what = strerror(errno);
    if (!what)
        return fd;
    snprintf(why, size, "%s: %s", path, what);
    if (fd >= 0)
        close(fd);
    return -1;
}

bool atx_device_lock_open(atx_device_lock *out, const char *folder, const char *uuid, char *why, size_t size)
{
    *out = (atx_device_lock){ .door = -1, .device = -1 };
    int device = open_lock(folder, uuid, "lock", why, size);
    int door = device >= 0 ? open_lock(folder, uuid, "door", why, size) : -1;
    if (door < 0 && device >= 0)
        close(device);
    if (door >= 0)
        *out = (atx_device_lock){ .door = door, .device = device };
    return door >= 0;
}

void atx_device_lock_close(atx_device_lock *self)
{
    if (self->door >= 0)
        close(self->door);
    if (self->device >= 0)
        close(self->device);
    *self = (atx_device_lock){ .door = -1, .device = -1 };
}

bool atx_device_lock_try(const atx_device_lock *self)
{
    if (self->device < 0)
        return true;
    if (!lock(self->door, LOCK_EX | LOCK_NB) || !lock(self->device, LOCK_EX | LOCK_NB))
        return false;
    lock(self->door, LOCK_UN);
    return true;
}

void atx_device_lock_wait(const atx_device_lock *self)
{
    if (self->device < 0)
        return;
    lock(self->door, LOCK_EX);
    lock(self->device, LOCK_EX);
    lock(self->door, LOCK_UN);
}

void atx_device_lock_end(const atx_device_lock *self)
{
    if (self->device >= 0)
        lock(self->device, LOCK_UN);
}
