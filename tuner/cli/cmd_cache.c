/* cmd_cache.c - `autotune cache`: how large the cache of compiled kernels is, and making it smaller. */
#include "cli/commands.h"
#include "db/store.h"

#include <inttypes.h>
#include <stdio.h>

static const at__usage USAGE = {
    "autotune cache [--shrink] [--cache-limit MIB]",
    "Prints where compiled kernels are kept, how many there are and how much room they take. A run keeps the "
    "cache near its limit by itself: kernels that were used longest ago go first, those of winners last. "
    "Their room is used again by others; --shrink gives it back to the file system. Nothing is lost with the "
    "file but the time to compile: it may also be deleted when no run uses it.",
};

static double mib(int64_t bytes)
{
    return (double)bytes / (1 << 20);
}

static void print_sizes(const char *path, const at__cubin_sizes *sizes, int64_t limit_bytes)
{
    at__print(stdout, "%s\n  kernels  %" PRId64 "\n  in use   %.1f MiB of ", path, sizes->kernels,
              mib(sizes->file_bytes - sizes->free_bytes));
    if (limit_bytes)
        at__print(stdout, "%.0f MiB\n", mib(limit_bytes));
    else
        at__print(stdout, "any number\n");
    at__print(stdout, "  file     %.1f MiB, %.1f MiB of it free\n", mib(sizes->file_bytes),
              mib(sizes->free_bytes));
}

static at_status shrink(const char *path, int64_t limit_bytes, at_error *err)
{
    at__store *cache = NULL;
    int64_t removed = 0;
    at_status status = at__store_open(&cache, path, AT__STORE_WRITE, err);
    if (status == AT_OK && limit_bytes)
        status = at__store_remove_cubins(&removed, cache, limit_bytes, err);
    if (status == AT_OK)
        status = at__store_shrink_file(cache, err);
    if (status == AT_OK)
        at__print(stdout, "removed %" PRId64 " kernels\n", removed);
    at__store_close(cache);
    return status;
}

static at_status show(const char *path, int64_t limit_bytes, bool smaller, at_error *err)
{
    at__store *cache = NULL;
    at__cubin_sizes sizes;
    at_error why;
    at_status status = at__store_open(&cache, path, AT__STORE_READ, err); /* not made when it is not there */
    if (status == AT_ERR_NOT_FOUND)
        return at_fail(err, status, "%s: no cache yet; `autotune SHAPE` makes it on a machine with a GPU",
                       path);
    if (status == AT_OK && smaller) {
        at__store_close(cache);
        cache = NULL;
        status = shrink(path, limit_bytes, err);
        if (status == AT_OK)
            status = at__store_open(&cache, path, AT__STORE_READ, err);
    }
    if (status == AT_OK)
        status = at__store_cubin_sizes(&sizes, cache, err);
    if (status == AT_OK)
        print_sizes(path, &sizes, limit_bytes);
    if (status == AT_OK && at__store_is_private(path, &why) != AT_OK)
        at__warn(why.text);
    at__store_close(cache);
    return status;
}

int at__cmd_cache(int argc, char **argv)
{
    at__words words = { 0 };
    at__str path = { 0 };
    at_error err = { 0 };
    const char *limit = NULL;
    int64_t limit_bytes = 0;
    bool smaller = false;
    int code = AT__EXIT_OK;
    const at__option TABLE[] = {
        { "--shrink", AT__OPT_FLAG, NULL,
          "remove what is beyond the limit and give free room back to the file system; no run may be using "
          "it",
          &smaller },
        { "--cache-limit", AT__OPT_TEXT, "MIB", "default $AUTOTUNE_CACHE_LIMIT, else 1024; 0: no limit",
          &limit },
        { NULL, AT__OPT_FLAG, NULL, NULL, NULL },
    };
    if (!at__command_options(&USAGE, TABLE, argc, argv, &words, &code))
        return code;
    at_status status = at__store_cubin_limit(&limit_bytes, limit, &err);
    if (status == AT_OK && words.count)
        status = at_fail(&err, AT_ERR_USAGE, "found '%s'; expected only options", words.items[0]);
    if (status == AT_OK)
        status = at__store_cache_path(&path, &err);
    if (status == AT_OK && !path.len)
        status =
            at_fail(&err, AT_ERR_USAGE, "no place for a cache: set AUTOTUNE_CACHE, XDG_CACHE_HOME or HOME");
    if (status == AT_OK)
        status = show(at__str_text(&path), limit_bytes, smaller, &err);
    if (status != AT_OK)
        code = at__complain(&err);
    at__str_clear(&path);
    return code;
}
