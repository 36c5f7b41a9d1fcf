/*
 * regular.c - O_NONBLOCK opens a pipe without its other end; the kind is read from the open descriptor, so
 * that no other file can take its place in between.
 */
#include "util/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

const char *atx_file_kind(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
           : S_ISREG(mode)  ? "a regular file"
                            : "a device";
}

bool atx_same_contents(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Of a socket open() says only ENXIO, which is no reason that a user would understand. */
static at_status refuse(const char *path, int error, at_error *err)
{
    struct stat info;
    if (error == ENXIO && stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return atx_fail(err, AT_ERR_INPUT, "%s: found %s; expected a regular file", path,
                        atx_file_kind(info.st_mode));
    return atx_read_failed(path, error, err);
}

at_status atx_regular_open(FILE **out, struct stat *info, const char *path, at_error *err)
{
    struct stat own;
    at_status status = AT_OK;
    FILE *file = NULL;
    info = info ? info : &own;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return refuse(path, errno, err);
    if (fstat(fd, info) != 0)
        status = atx_read_failed(path, errno, err);
    else if (!S_ISREG(info->st_mode))
        status = atx_fail(err, AT_ERR_INPUT, "%s: found %s; expected a regular file", path,
                          atx_file_kind(info->st_mode));
    else if (!(file = fdopen(fd, "rb")))
        status = atx_no_memory(err);
    if (status != AT_OK)
        close(fd);
    else
        *out = file;
    return status;
}

at_status atx_regular_read(atx_str *out, const char *path, size_t limit, at_error *err)
{
    FILE *file = NULL;
    ATX_TRY(atx_regular_open(&file, NULL, path, err));
    return atx_str_read_stream(out, file, path, limit, err);
}
