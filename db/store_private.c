/*
 * store_private.c - a cache of compiled kernels is code: it is used when nobody but its user and root can
 * have written it. A file of such a folder is the user's own or root's; whoever may only write a folder above
 * it could at most put another file of the user's in its place.
 *
 * What is made here is for the user alone. A new file is made beside its place and linked there, because
 * opening and closing it in its place would drop the locks of other handles of this process.
 */
#include "db/store_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OTHERS_WRITE = S_IWGRP | S_IWOTH };

static const char ANOTHER[] = "name another one with AUTOTUNE_CACHE";

static at_status validate(const char *path, const struct stat *info, at_error *err)
{
    bool folder = S_ISDIR(info->st_mode);
    const char *what = folder ? "folder" : "file";
    if (info->st_uid != geteuid() && info->st_uid != 0)
        return atx_fail(
            err, AT_ERR_STORE,
            "%s: the %s belongs to another user (%lld), so compiled kernels are not taken from it; %s", path,
            what, (long long)info->st_uid, ANOTHER);
    bool shared = info->st_mode & S_ISVTX; /* on purpose, as /tmp is */
    if (info->st_mode & OTHERS_WRITE)
        return atx_fail(
            err, AT_ERR_STORE,
            "%s: others may write to the %s (mode %04o), so compiled kernels are not taken from it; "
            "%s%s%s%s",
            path, what, (unsigned)(info->st_mode & 07777), shared ? "" : "`chmod go-w ", shared ? "" : path,
            shared ? "" : "` if you trust what is there, or ", ANOTHER);
    return AT_OK;
}

/* What is not there is no danger. */
static at_status validate_beside(const char *path, const char *ending, at_error *err)
{
    atx_str name = { 0 };
    struct stat info;
    atx_str_addf(&name, "%s%s", path, ending);
    at_status status = atx_str_status(&name, err);
    if (status == AT_OK && stat(name.data, &info) == 0)
        status = validate(name.data, &info, err);
    atx_str_clear(&name);
    return status;
}

static at_status validate_folder_of(const char *path, at_error *err)
{
    atx_str folder = { 0 };
    struct stat info;
    const char *slash = strrchr(path, '/');
    atx_str_add_bytes(&folder, slash ? path : ".", slash ? (size_t)(slash - path) + (slash == path) : 1);
    at_status status = atx_str_status(&folder, err);
    if (status == AT_OK && stat(folder.data, &info) != 0)
        status = atx_fail(err, AT_ERR_STORE, "%s: %s", folder.data, strerror(errno));
    if (status == AT_OK)
        status = validate(folder.data, &info, err);
    atx_str_clear(&folder);
    return status;
}

at_status atx_store_is_private(const char *path, at_error *err)
{
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return AT_OK;                  /* opening it says that it is no file */
    char *real = realpath(path, NULL); /* SQLite follows links too */
    const char *name = real ? real : path;
    at_status status = validate_folder_of(name, err);
    for (int i = 0; i < ATX_BESIDE_COUNT && status == AT_OK; i++)
        status = validate_beside(name, atx_store_beside[i], err);
    free(real);
    return status;
}

/* Makes it empty, for its user alone. Where that cannot be done SQLite says why, or does it in its own way.
 */
static void make_file(const char *path)
{
    atx_str name = { 0 };
    struct stat info;
    if (stat(path, &info) == 0)
        return;
    atx_str_addf(&name, "%s.new-XXXXXX", path);
    int fd = name.failed ? -1 : mkstemp(name.data); /* 0600 */
    if (fd >= 0) {
        close(fd);
        int linked = link(name.data, path); /* fails where another process was first: its file is as good */
        (void)linked;
        unlink(name.data);
    }
    atx_str_clear(&name);
}

at_status atx_store_open_cache(atx_store **out, const char *path, const atx_cancel *cancel, at_error *err)
{
    if (path[0] == '\0')
        return atx_fail(err, AT_ERR_USAGE, "the name of the cache is empty");
    at_status status = atx_store_check_name(path, err);
    if (status == AT_OK && access(path, F_OK) != 0)
        status = atx_store_make_parents(path, 0700, err);
    if (status == AT_OK)
        status = atx_store_is_private(path, err);
    if (status != AT_OK)
        return status;
    make_file(path);
    return atx_store_open_unless(out, path, ATX_STORE_WRITE, cancel, err);
}
