/* cmd_cache.c - `autotune cache`: how large the cache of compiled kernels is, and making it smaller. */
#include "cli/commands.h"
#include "db/store.h"

#include <inttypes.h>
#include <stdio.h>

static const atx_usage USAGE = {
    "autotune cache [--shrink] [--cache-limit MIB]",
    "Prints the path of the cache of compiled kernels, how many it has and their size. Runs keep the cache "
    "near its limit: they remove the least recently used kernels first, those of winners last. The freed "
    "space is reused; --shrink returns it to the file system. You may delete the file while no run uses it; "
    "only compile time is lost.",
};

static double mib(int64_t bytes)
{
    return (double)bytes / (1 << 20);
}

static void print_sizes(const char *path, const atx_cubin_sizes *sizes, int64_t limit_bytes)
{
    char limit[32] = "no limit";
    if (limit_bytes)
        snprintf(limit, sizeof limit, "limit %.0f MiB", mib(limit_bytes));
    atx_print(stdout, "%s\n  kernels  %" PRId64 "\n  in use   %.1f MiB, %s\n", path, sizes->kernels,
              mib(sizes->file_bytes - sizes->free_bytes), limit);
    atx_print(stdout, "  file     %.1f MiB, %.1f MiB of it free\n", mib(sizes->file_bytes),
              mib(sizes->free_bytes));
}

static at_status shrink(const char *path, int64_t limit_bytes, at_error *err)
{
    atx_store *cache = NULL;
    int64_t removed = 0;
    at_status status = atx_store_open(&cache, path, ATX_STORE_WRITE, err);
    if (status == AT_OK && limit_bytes)
        status = atx_store_remove_cubins(&removed, cache, limit_bytes, err);
    ATX_THEN(status, atx_store_shrink_file(cache, err));
    if (status == AT_OK)
        atx_print(stdout, "removed %" PRId64 " kernels\n", removed);
    atx_store_close(cache);
    return status;
}

static at_status show(const char *path, int64_t limit_bytes, bool smaller, at_error *err)
{
    atx_store *cache = NULL;
    atx_cubin_sizes sizes;
    at_error why;
    at_status status = atx_store_open(&cache, path, ATX_STORE_READ, err); /* not made when it is not there */
    if (status == AT_ERR_NOT_FOUND)
        return atx_fail(err, status, "%s: no cache yet; `autotune SHAPE` makes it on a machine with a GPU",
                        path);
    if (status == AT_OK && smaller) {
        atx_store_close(cache);
        cache = NULL;
        status = shrink(path, limit_bytes, err);
        ATX_THEN(status, atx_store_open(&cache, path, ATX_STORE_READ, err));
    }
    ATX_THEN(status, atx_store_cubin_sizes(&sizes, cache, err));
    if (status == AT_OK)
        print_sizes(path, &sizes, limit_bytes);
    if (status == AT_OK && atx_store_is_private(path, &why) != AT_OK)
        atx_warn(why.text);
    atx_store_close(cache);
    return status;
}

int atx_cmd_cache(int argc, char **argv)
{
    atx_words words = { 0 };
    ATX_LOCAL(atx_str) path = { 0 };
    at_error err = { 0 };
    const char *limit = NULL;
    int64_t limit_bytes = 0;
    bool smaller = false;
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--shrink", ATX_OPT_FLAG, NULL,
          "remove kernels beyond the limit and return free space to the file system; no run may use the "
          "cache",
          &smaller },
        { "--cache-limit", ATX_OPT_TEXT, "MIB", "default $AUTOTUNE_CACHE_LIMIT, else 1024; 0: no limit",
          &limit },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &words, &code))
        return code;
    at_status status = atx_store_cubin_limit(&limit_bytes, limit, &err);
    if (status == AT_OK && words.count)
        status = atx_fail(&err, AT_ERR_USAGE, "found '%s'; expected only options", words.items[0]);
    ATX_THEN(status, atx_store_cache_path(&path, &err));
    if (status == AT_OK && !path.len)
        status =
            atx_fail(&err, AT_ERR_USAGE, "no place for a cache: set AUTOTUNE_CACHE, XDG_CACHE_HOME or HOME");
    ATX_THEN(status, show(atx_str_text(&path), limit_bytes, smaller, &err));
    if (status != AT_OK)
        code = atx_complain(&err);
    return code;
}
