/*
 * real_path.c - realpath() resolves existing names. From a name that does not exist the last part is removed
 * (a link is replaced by its target), and the folder before it is resolved in the same way.
 */
#include "util/real_path.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_STEPS = 40 }; /* links and missing folders; as many as Linux follows */

static at_status resolve(atx_str *out, const char *path, int steps, at_error *err);

/* The target of the link `path`, seen from its folder. */
static at_status follow(atx_str *out, const char *path, size_t folder_len, int steps, at_error *err)
{
    char target[PATH_MAX];
    ATX_LOCAL(atx_str) full = { 0 };
    ssize_t len = readlink(path, target, sizeof target - 1);
    if (len < 0)
        return atx_fail(err, AT_ERR_SYSTEM, "%s: %s", path, strerror(errno));
    target[len] = '\0';
    if (target[0] != '/')
        atx_str_add_bytes(&full, path, folder_len);
    atx_str_add(&full, target);
    ATX_TRY(atx_str_status(&full, err));
    return resolve(out, atx_str_text(&full), steps + 1, err);
}

/* The folder's real name and the last part of the path. */
static at_status join(atx_str *out, const char *path, size_t folder_len, int steps, at_error *err)
{
    atx_str folder = { 0 };
    at_status status = AT_OK;
    atx_str_add_bytes(&folder, path, folder_len);
    while (folder.len > 1 && folder.data[folder.len - 1] == '/')
        folder.data[--folder.len] = '\0';
    if ((status = atx_str_status(&folder, err)) == AT_OK)
        status = resolve(out, folder.len ? folder.data : ".", steps + 1, err);
    if (status == AT_OK)
        atx_str_addf(out, "%s%s", strcmp(atx_str_text(out), "/") ? "/" : "", path + folder_len);
    atx_str_clear(&folder);
    return status;
}

static at_status resolve(atx_str *out, const char *path, int steps, at_error *err)
{
    struct stat info;
    char *found = realpath(path, NULL);
    atx_str_reset(out);
    if (found) {
        atx_str_add(out, found);
        free(found);
        return AT_OK;
    }
    if (errno != ENOENT || steps == MAX_STEPS)
        return atx_fail(err, AT_ERR_SYSTEM, "%s: %s", path, strerror(errno == ENOENT ? ELOOP : errno));
    const char *slash = strrchr(path, '/');
    size_t folder_len = slash ? (size_t)(slash - path) + 1 : 0;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode) ? follow(out, path, folder_len, steps, err)
                                                            : join(out, path, folder_len, steps, err);
}

at_status atx_real_path(atx_str *out, const char *path, at_error *err)
{
    ATX_TRY(resolve(out, path, 0, err));
    return atx_str_status(out, err);
}

void atx_path_from_here(atx_str *path)
{
    if (path->failed || !path->len || path->data[0] == '/')
        return;
    ATX_FREED char *here = getcwd(NULL, 0);
    atx_str full = { 0 };
    if (!here)
        return;
    atx_str_addf(&full, "%s%s%s", here, here[1] ? "/" : "", path->data);
    atx_str_clear(path);
    *path = full;
}

bool atx_same_file(const char *a, const char *b)
{
    struct stat first, second;
    ATX_LOCAL(atx_str) real = { 0 }, other = { 0 };
    bool here = stat(a, &first) == 0, there = stat(b, &second) == 0;
    if (here && there)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    return here == there && atx_real_path(&real, a, NULL) == AT_OK &&
           atx_real_path(&other, b, NULL) == AT_OK && strcmp(atx_str_text(&real), atx_str_text(&other)) == 0;
}
