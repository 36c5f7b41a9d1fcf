/*
 * out_file.c - see out_file.h. `temporary` is set while a file beside the real one is being written; nothing
 * else is ever removed or renamed here.
 */
#include "util/out_file.h"

#include "util/beside.h"
#include "util/real_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct atx_out_file {
    FILE *stream;
    const char *path; /* as the user gave it */
    atx_str real, temporary;
    int held;    /* `temporary` is open, and so kept, until it has its place; -1: there is none */
    bool is_new; /* it takes no other's place */
    int error;   /* errno of the first failure; 0: none */
};

static at_status fail(const atx_out_file *f, int error, at_error *err)
{
    return atx_fail(err, AT_ERR_SYSTEM, "%s: cannot be written: %s", f->path,
                    error == ENOENT ? "its folder does not exist" : strerror(error));
}

/* The descriptor that a name stands for: /dev/stdout, /dev/fd/3; -1: none. Opening it again would begin at
 * its start, or replace it. */
static int descriptor_of(const char *path)
{
    static const char *const FOLDERS[] = { "/dev/fd/", "/proc/self/fd/" };
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
        size_t len = strlen(FOLDERS[i]), digits;
        if (strncmp(path, FOLDERS[i], len) != 0)
            continue;
        digits = strspn(path + len, "0123456789");
        if (digits > 0 && digits < 7 && !path[len + digits])
            return atoi(path + len);
    }
    return -1;
}

static bool is_stdout(const struct stat *info)
{
    struct stat out;
    return S_ISREG(info->st_mode) && fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == info->st_dev &&
           out.st_ino == info->st_ino;
}

/* Takes the descriptor. */
static at_status stream_of(atx_out_file *f, int fd, at_error *err)
{
    if (fd < 0)
        return fail(f, errno, err);
    f->stream = fdopen(fd, "w");
    if (f->stream)
        return AT_OK;
    close(fd);
    return atx_no_memory(err);
}

static at_status open_descriptor(atx_out_file *f, int fd, at_error *err)
{
    if (fd == STDOUT_FILENO) {
        f->stream = stdout;
        return AT_OK;
    }
    return stream_of(f, fcntl(fd, F_DUPFD_CLOEXEC, 3), err);
}

/* `info` NULL: it is not there yet. */
static at_status open_beside(atx_out_file *f, const struct stat *info, at_error *err)
{
    if (info && faccessat(AT_FDCWD, f->path, W_OK, AT_EACCESS) != 0)
        return fail(f, errno, err);
    if (f->is_new) /* a link that leads nowhere has the name, too */
        atx_str_add(&f->real, f->path);
    ATX_TRY(f->is_new ? atx_str_status(&f->real, err) : atx_real_path(&f->real, f->path, err));
    int fd = atx_make_beside(&f->temporary, atx_str_text(&f->real), 0666);
    if (fd >= 0 && info) {
        bool same_owner = fchown(fd, info->st_uid, info->st_gid) == 0;
        fchmod(fd, info->st_mode & (same_owner ? 07777 : 0777)); /* where there are permissions at all */
    }
    f->held = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (fd < 0) {
        atx_str_clear(&f->temporary);
        if (info) /* a file that may be written, in a folder that may not */
            fd = open(f->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    }
    return stream_of(f, fd, err);
}

static at_status open_named(atx_out_file *f, at_error *err)
{
    struct stat info;
    int fd = descriptor_of(f->path);
    if (fd >= 0)
        return open_descriptor(f, fd, err);
    if (stat(f->path, &info) != 0)
        return errno == ENOENT ? open_beside(f, NULL, err) : fail(f, errno, err);
    if (is_stdout(&info))
        return open_descriptor(f, STDOUT_FILENO, err);
    if (S_ISREG(info.st_mode))
        return open_beside(f, &info, err);
    if (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode))
        return stream_of(f, open(f->path, O_WRONLY | O_NOCTTY | O_CLOEXEC), err);
    return atx_fail(err, AT_ERR_USAGE, "-o: '%s' is %s; expected a file, or - for stdout", f->path,
                    S_ISDIR(info.st_mode) ? "a directory" : "no regular file");
}

/* A look before the rename would miss a file that comes between them. Not every file system has links, nor
 * has each a rename that replaces nothing. */
static bool take_place(const atx_out_file *f)
{
    const char *from = f->temporary.data, *to = f->real.data;
    if (!f->is_new)
        return rename(from, to) == 0;
    if (link(from, to) == 0) {
        unlink(from);
        return true;
    }
    return errno != EEXIST && renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0;
}

/* Ends with the handle; `place`: the written file takes its place. */
static void finish(atx_out_file *f, bool place)
{
    bool sync = f->temporary.len > 0 && place;
    bool bad = f->stream && f->stream != stdout && place && (fflush(f->stream) != 0 || ferror(f->stream));
    bad = bad || (sync && fsync(fileno(f->stream)) != 0);
    if (bad && !f->error)
        f->error = errno;
    if (f->stream && f->stream != stdout && fclose(f->stream) != 0 && !f->error)
        f->error = errno;
    if (sync && !f->error && !take_place(f))
        f->error = errno;
    if (sync && !f->error)
        atx_sync_name(f->real.data);
    else if (f->temporary.len)
        unlink(f->temporary.data);
    if (f->held >= 0)
        close(f->held);
}

static void release(atx_out_file *f)
{
    atx_str_clear(&f->real);
    atx_str_clear(&f->temporary);
    free(f);
}

at_status atx_out_open(atx_out_file **out, const char *path, at_error *err)
{
    at_status status = AT_OK;
    atx_out_file *f = calloc(1, sizeof *f);
    if (!f) {
        atx_no_memory(err);
        return AT_ERR_MEMORY;
    }
    f->path = path ? path : "-";
    f->held = -1;
    if (strcmp(f->path, "-") == 0)
        f->stream = stdout;
    else if (!*f->path)
        status = atx_fail(err, AT_ERR_USAGE, "-o: found an empty name; expected a file, or - for stdout");
    else
        status = open_named(f, err);
    if (status != AT_OK) {
        atx_out_discard(f);
        return status;
    }
    *out = f;
    return AT_OK;
}

/* A file in a folder that takes none is written in place: that may not even be opened. Nor a named pipe,
 * which waits for its reader, and tells it by being closed that this was all. */
at_status atx_out_check(const char *path, at_error *err)
{
    struct stat info;
    atx_out_file *file = NULL;
    atx_out_file probe = { .path = path };
    if (stat(path, &info) == 0 && (S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode)) &&
        descriptor_of(path) < 0) {
        if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
            return fail(&probe, errno, err);
        return AT_OK;
    }
    at_status status = atx_out_open(&file, path, err);
    atx_out_discard(file);
    return status;
}

bool atx_out_write(atx_out_file *f, const void *bytes, size_t count)
{
    if (!f->error && count && fwrite(bytes, 1, count, f->stream) != count)
        f->error = errno;
    return !f->error;
}

at_status atx_out_commit(atx_out_file *f, at_error *err)
{
    at_status status = AT_OK;
    bool is_file = f->temporary.len > 0;
    finish(f, true);
    if (f->error == EEXIST && f->is_new)
        status = atx_fail(
            err, AT_ERR_INPUT,
            "%s is there, and nothing is overwritten: remove it, or name another folder with -o", f->path);
    else if (f->error && f->stream != stdout)
        status = atx_fail(err, AT_ERR_SYSTEM, "%s: could not be written: %s%s", f->path, strerror(f->error),
                          is_file ? "; it is as it was" : "");
    release(f);
    return status;
}

void atx_out_discard(atx_out_file *f)
{
    if (!f)
        return;
    finish(f, false);
    release(f);
}

at_status atx_out_write_all(const char *path, const void *bytes, size_t count, at_error *err)
{
    atx_out_file *file = NULL;
    ATX_TRY(atx_out_open(&file, path, err));
    atx_out_write(file, bytes, count);
    return atx_out_commit(file, err);
}

at_status atx_out_write_new(const char *path, const void *bytes, size_t count, at_error *err)
{
    atx_out_file *file = calloc(1, sizeof *file);
    if (!file)
        return atx_no_memory(err);
    file->path = path;
    file->held = -1;
    file->is_new = true;
    at_status status = open_beside(file, NULL, err);
    if (status != AT_OK) {
        atx_out_discard(file);
        return status;
    }
    atx_out_write(file, bytes, count);
    return atx_out_commit(file, err);
}

at_status atx_out_append(const char *path, const char *text, size_t len, at_error *err)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return atx_fail(err, AT_ERR_SYSTEM, "%s cannot be opened: %s", path, strerror(errno));
    ssize_t written = write(fd, text, len);
    int why = written < 0 ? errno : ENOSPC;
    close(fd);
    if (written == (ssize_t)len)
        return AT_OK;
    return atx_fail(err, AT_ERR_SYSTEM, "%s cannot be written: %s", path, strerror(why));
}
