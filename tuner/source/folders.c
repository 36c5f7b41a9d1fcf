/* folders.c - names become absolute when they are read: another process that gets them may run elsewhere. */
#include "source/folders.h"

#include "util/real_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name that has a ':' itself, of which `given` is what stands before that: the longest one that is a
 * folder. 0: none is. */
static size_t longer_name(const char *given, size_t len)
{
    struct stat info;
    size_t found = 0;
    while (given[len] == ':') {
        len += 1 + strcspn(given + len + 1, ":");
        ATX_FREED char *path = atx_text_copy(given, len);
        if (path && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
            found = len;
    }
    return found;
}

static at_status refuse_colon(const char *what, const char *path, size_t len, at_error *err)
{
    return atx_fail(err, AT_ERR_USAGE,
                    "%s: found the folder %.*s, and ':' stands between folders; expected a name without it, "
                    "such as that of a link to the folder",
                    what, (int)len, path);
}

/* The absolute path: without links, so that all processes mean one folder whatever becomes of them; but by
 * its own name where the real one has a ':'. NULL: errno says why. */
static char *absolute(const char *path)
{
    char *real = realpath(path, NULL);
    atx_str own = { 0 };
    if (!real || !strchr(real, ':'))
        return real;
    atx_str_add(&own, path);
    atx_path_from_here(&own);
    free(real);
    return own.data;
}

static at_status add_folder(atx_folders *f, const char *what, const char *given, size_t len, at_error *err)
{
    ATX_FREED char *path = atx_text_copy(given, len);
    struct stat info;
    at_status status = AT_OK;
    if (!path)
        return atx_no_memory(err);
    char *real = absolute(path);
    const int error = real ? 0 : errno;
    if (f->count == ATX_MAX_FOLDERS)
        status = atx_fail(err, AT_ERR_USAGE, "%s: found more than %d folders; expected fewer", what,
                          ATX_MAX_FOLDERS);
    else if (!real && longer_name(given, len))
        status = refuse_colon(what, given, longer_name(given, len), err);
    else if (!real || stat(real, &info) != 0 || (S_ISDIR(info.st_mode) && access(real, R_OK | X_OK) != 0))
        status = atx_fail(err, AT_ERR_USAGE, "%s: %s: %s; expected a folder that can be read", what, path,
                          strerror(real ? errno : error));
    else if (!S_ISDIR(info.st_mode))
        status = atx_fail(err, AT_ERR_USAGE, "%s: found the file %s; expected a folder", what, path);
    else if (strpbrk(real, ":\n"))
        status = refuse_colon(what, real, strlen(real), err);
    if (status == AT_OK) {
        atx_str_addf(&f->text, "%s%s", f->count ? ":" : "", real);
        f->items[f->count++] = real;
        real = NULL;
    }
    free(real);
    return status;
}

at_status atx_folders_read(atx_folders *out, const char *what, const char *folders, at_error *err)
{
    for (const char *at = folders ? folders : ""; *at;) {
        size_t len = strcspn(at, ":");
        if (len)
            ATX_TRY(add_folder(out, what, at, len, err));
        at += len + (at[len] == ':');
    }
    return atx_str_status(&out->text, err);
}

void atx_folders_clear(atx_folders *folders)
{
    for (int i = 0; i < folders->count; i++)
        free(folders->items[i]);
    atx_str_clear(&folders->text);
    *folders = (atx_folders){ .count = 0 };
}

bool atx_is_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    while (len && folder[len - 1] == '/')
        len--; /* the root */
    return strncmp(path, folder, len) == 0 && path[len] == '/';
}
