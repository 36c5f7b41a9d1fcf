/* allowed.c - real names are compared, so that neither a link nor ".." leads out of a folder. */
#include "source/allowed.h"

#include "source/folders.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct atx_allowed {
    char *root, *here; /* real names; here NULL: the working directory does not count */
    atx_folders more;
    const atx_headers *headers;
};

/* Downloads are often opened from the home directory, which holds keys and passwords. */
static bool holds_home(const char *folder)
{
    const char *home = getenv("HOME");
    ATX_FREED char *real = home && *home ? realpath(home, NULL) : NULL;
    bool holds =
        strcmp(folder, "/") == 0 || (real && (strcmp(real, folder) == 0 || atx_is_below(real, folder)));
    return holds;
}

at_status atx_allowed_open(atx_allowed **out, const char *root, const char *folders,
                           const atx_headers *headers, at_error *err)
{
    atx_allowed *a = calloc(1, sizeof *a);
    if (!a)
        return atx_no_memory(err);
    a->headers = headers;
    a->root = realpath(root, NULL); /* NULL: it cannot be read, and opening it says why */
    a->here = getcwd(NULL, 0);
    if (a->here && holds_home(a->here)) {
        free(a->here);
        a->here = NULL;
    }
    at_status status = atx_folders_read(&a->more, "allow", folders, err);
    if (status == AT_OK)
        *out = a;
    else
        atx_allowed_close(a);
    return status;
}

void atx_allowed_close(atx_allowed *allowed)
{
    if (!allowed)
        return;
    free(allowed->root);
    free(allowed->here);
    atx_folders_clear(&allowed->more);
    free(allowed);
}

static bool is_in(const char *real, const char *folder)
{
    return folder && (strcmp(real, folder) == 0 || atx_is_below(real, folder));
}

/* One that the user named may be a link still (folders.c). */
static bool is_in_named(const char *real, const char *folder)
{
    ATX_FREED char *own = realpath(folder, NULL);
    return is_in(real, own);
}

static bool is_allowed(const atx_allowed *a, const char *real)
{
    bool in = is_in(real, a->root) || (is_in(real, a->here) && !strstr(real + strlen(a->here), "/."));
    for (int i = 0; i < a->more.count && !in; i++)
        in = is_in_named(real, a->more.items[i]);
    for (int i = 0; i < atx_headers_count(a->headers) && !in; i++)
        in = is_in_named(real, atx_headers_folder(a->headers, i));
    return in;
}

/* The folder that has to be allowed: the file's, or itself. */
static int folder_len(const char *real, bool *is_folder)
{
    struct stat info;
    const char *slash = strrchr(real, '/');
    *is_folder = stat(real, &info) == 0 && S_ISDIR(info.st_mode);
    return *is_folder ? (int)strlen(real) : slash == real ? 1 : (int)(slash - real);
}

static at_status refuse(const atx_allowed *a, const char *path, const char *real, at_error *err)
{
    bool is_folder = false, same = strcmp(path, real) == 0;
    const int len = folder_len(real, &is_folder);
    return atx_fail(
        err, AT_ERR_INPUT,
        "%.200s%s%.200s: found %s outside of the folder of templates %.200s%s; expected one inside, or "
        "--allow %.*s (`allow` in a program, " ATX_ALLOW_ENV "), if these templates may read it",
        path, same ? "" : ", which is ", same ? "" : real, is_folder ? "a folder" : "a file",
        a->root ? a->root : "",
        a->here ? " and of the working directory"
                : " (the working directory does not count: it holds the home directory)",
        len < 200 ? len : 200, real);
}

at_status atx_allowed_check(const atx_allowed *a, const char *path, at_error *err)
{
    ATX_FREED char *real = realpath(path, NULL);
    return real && !is_allowed(a, real) ? refuse(a, path, real, err) : AT_OK;
}
