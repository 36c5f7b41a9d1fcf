/*
 * store_cache.c - the cache of compiled kernels: find by key, insert, and remove when it is too large.
 *
 * The least recently used kernel is removed first. The order of use is the order of rowids, so that the next
 * kernel to remove is found without reading, sorting or indexing anything else. A kernel that is used gets
 * the next rowid, at most once a day, because its row is written anew. A winner's kernel that is next to be
 * removed is moved to the end instead, as long as there are others. Every step is a transaction of a few
 * rows: other processes wait for milliseconds, two that remove at once share the work, and kill -9 leaves a
 * cache that is only larger than its limit.
 *
 * Each kernel is stored with a hash of its key, its log and itself. A kernel that a faulty disk or another
 * user changed is treated as missing.
 */
#include "db/store_internal.h"
#include "util/clock.h"
#include "util/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINNER "winner " /* the beginning of stored_at */
#define SEAL   "sha256:" /* and the hash in hexadecimal  */

enum {
    DATE_CHARS = 10,    /* of "2026-11-20T21:52:57Z"                                    */
    PUTS_A_CHECK = 64,  /* whether there are too many is asked at the first and then so often */
    ROWS_A_STEP = 64,   /* removed, or sent to the end, in a transaction                */
    STEPS_A_CHECK = 16, /* of a cache that is far too large, some each time             */
    SEAL_BYTES = sizeof SEAL - 1 + ATX_HASH_TEXT - 1,
};

static const char REMOVING[] = "remove compiled kernels";

void atx_store_limit_cubins(atx_store *cache, int64_t bytes)
{
    cache->cubin_limit_bytes = bytes;
}

at_status atx_store_cubin_limit(int64_t *bytes, const char *option, at_error *err)
{
    char *end = NULL;
    const char *text = option ? option : getenv("AUTOTUNE_CACHE_LIMIT");
    if (!text || (!option && !text[0]))
        text = ATX_CACHE_LIMIT_TEXT;
    errno = 0;
    long long mib = strtoll(text, &end, 10);
    if (errno || end == text || *end || mib < 0 || mib > INT64_MAX >> 20)
        return atx_fail(err, AT_ERR_USAGE, "%s: found '%.40s'; expected MiB, 0 for no limit",
                        option ? "--cache-limit" : "AUTOTUNE_CACHE_LIMIT", text);
    *bytes = (int64_t)mib << 20;
    return AT_OK;
}

/* Its place in the order only saves time later, so a failure is ignored. */
static void use(atx_store *cache, const char *key, const char *stored_at)
{
    char now[21], used[sizeof WINNER + 21];
    bool won = strncmp(stored_at, WINNER, sizeof WINNER - 1) == 0;
    const char *date = won ? stored_at + sizeof WINNER - 1 : stored_at;
    atx_utc_text(now);
    if (cache->read_only || strncmp(date, now, DATE_CHARS) == 0)
        return;
    snprintf(used, sizeof used, "%s%s", won ? WINNER : "", now);
    at_status ignored =
        atx_store_exec(cache, ATX_SQL_USE_CUBIN, "use a compiled kernel", NULL, "ss", key, used);
    (void)ignored;
}

static void make_seal(char out[SEAL_BYTES + 1], const char *key, const char *log, const void *cubin,
                      size_t len)
{
    atx_sha256 h;
    atx_sha256_init(&h);
    atx_sha256_add(&h, key, strlen(key) + 1);
    atx_sha256_add(&h, log, strlen(log) + 1);
    if (len)
        atx_sha256_add(&h, cubin, len);
    memcpy(out, SEAL, sizeof SEAL - 1);
    atx_sha256_text(&h, out + sizeof SEAL - 1);
}

/* Takes the seal off; false: there is none, or not that of this kernel. */
static bool unseal(atx_str *cubin, const atx_str *log, const char *key)
{
    char seal[SEAL_BYTES + 1];
    if (cubin->len < SEAL_BYTES)
        return false;
    size_t len = cubin->len - SEAL_BYTES;
    make_seal(seal, key, atx_str_text(log), cubin->data, len);
    if (memcmp(cubin->data + len, seal, SEAL_BYTES) != 0)
        return false;
    cubin->len = len;
    cubin->data[len] = '\0';
    return true;
}

at_status atx_store_get_cubin(atx_str *cubin, atx_str *log, atx_store *cache, const char *key, at_error *err)
{
    ATX_LOCAL(atx_str) stored_at = { 0 };
    atx_str *const outs[] = { cubin, log, &stored_at };
    ATX_TRY(atx_store_get_columns(outs, 3, cache, ATX_SQL_GET_CUBIN, "read a compiled kernel", key, err));
    if (!unseal(cubin, log, key)) {
        atx_str_clear(cubin);
        atx_str_clear(log);
        return atx_fail(err, AT_ERR_NOT_FOUND, "%s: the compiled kernel %s is damaged", cache->path, key);
    }
    use(cache, key, atx_str_text(&stored_at));
    return AT_OK;
}

at_status atx_store_keep_cubin(atx_store *cache, const char *key, at_error *err)
{
    char now[21], kept[sizeof WINNER + 21];
    atx_utc_text(now);
    snprintf(kept, sizeof kept, WINNER "%s", now);
    return atx_store_exec(cache, ATX_SQL_KEEP_CUBIN, "keep a winner's kernel", err, "ss", key, kept);
}

static at_status ask_integer(int64_t *out, atx_store *cache, atx_sql sql, at_error *err)
{
    return atx_store_ask(out, cache, sql, REMOVING, err);
}

at_status atx_store_cubin_sizes(atx_cubin_sizes *out, atx_store *cache, at_error *err)
{
    atx_cubin_sizes sizes = { 0 };
    ATX_TRY(ask_integer(&sizes.kernels, cache, ATX_SQL_COUNT_CUBINS, err));
    ATX_TRY(ask_integer(&sizes.file_bytes, cache, ATX_SQL_FILE_BYTES, err));
    ATX_TRY(ask_integer(&sizes.free_bytes, cache, ATX_SQL_FREE_BYTES, err));
    *out = sizes;
    return AT_OK;
}

typedef struct removal {
    atx_store *cache;
    int64_t limit_bytes;
    int64_t kernels; /* that there are; below zero: not asked yet */
    int64_t removed, sent_back;
    bool done;
} removal;

static at_status is_small_enough(bool *out, const removal *r, at_error *err)
{
    int64_t file = 0, unused = 0;
    at_status status = ask_integer(&file, r->cache, ATX_SQL_FILE_BYTES, err);
    ATX_THEN(status, ask_integer(&unused, r->cache, ATX_SQL_FREE_BYTES, err));
    *out = file - unused <= r->limit_bytes;
    return status;
}

/* The rowid of the kernel that was used longest ago, and whether it is a winner's; 0: there is none. */
static at_status first_kernel(int64_t *id, bool *won, atx_store *cache, at_error *err)
{
    ATX_LOCAL(atx_query) q = { 0 };
    at_status status = atx_query_begin(&q, cache, ATX_SQL_FIRST_CUBIN, REMOVING, err, "");
    *id = 0;
    *won = false;
    if (atx_query_next(&q, &status, err)) {
        *id = sqlite3_column_int64(q.statement, 0);
        *won = strncmp(atx_store_text(q.statement, 1), WINNER, sizeof WINNER - 1) == 0;
    }
    return status;
}

/* Winners' go only when all have been sent to the end once: then there are no others. */
static at_status remove_first(removal *r, at_error *err)
{
    int64_t id = 0;
    bool won = false;
    at_status status = first_kernel(&id, &won, r->cache, err);
    if (status == AT_OK && won && r->kernels < 0)
        status = ask_integer(&r->kernels, r->cache, ATX_SQL_COUNT_CUBINS, err);
    if (status != AT_OK || id == 0) {
        r->done = true;
        return status;
    }
    bool send_back = won && r->sent_back < r->kernels;
    r->sent_back += send_back;
    r->removed += !send_back;
    return atx_store_exec(r->cache, send_back ? ATX_SQL_LAST_CUBIN : ATX_SQL_DROP_CUBIN, REMOVING, err, "i",
                          id);
}

/* One transaction. */
static at_status remove_some(removal *r, at_error *err)
{
    removal before = *r;
    at_status status = atx_store_begin(r->cache, err);
    if (status != AT_OK)
        return status;
    for (int i = 0; i < ROWS_A_STEP && status == AT_OK && !r->done; i++) {
        status = is_small_enough(&r->done, r, err);
        if (status == AT_OK && !r->done)
            status = remove_first(r, err);
    }
    status = atx_store_end(r->cache, status, err);
    if (status != AT_OK)
        *r = before;
    return status;
}

/* At most so many steps. */
static at_status remove_steps(int64_t *removed, atx_store *cache, int64_t limit_bytes, int64_t steps,
                              at_error *err)
{
    removal r = { .cache = cache, .limit_bytes = limit_bytes, .kernels = -1 };
    int64_t has_trials = 0;
    at_status status = is_small_enough(&r.done, &r, err);
    if (status == AT_OK && !r.done)
        status = ask_integer(&has_trials, cache, ATX_SQL_HAS_TRIALS, err);
    for (int64_t i = 0; i < steps && status == AT_OK && !r.done && !has_trials; i++)
        status = remove_some(&r, err);
    *removed = r.removed;
    return status;
}

at_status atx_store_remove_cubins(int64_t *removed, atx_store *cache, int64_t limit_bytes, at_error *err)
{
    return remove_steps(removed, cache, limit_bytes, INT64_MAX, err);
}

at_status atx_store_put_cubin(atx_store *cache, const char *key, const void *cubin, size_t len,
                              const char *log, at_error *err)
{
    char now[21], seal[SEAL_BYTES + 1];
    int64_t removed = 0;
    atx_str sealed = { 0 };
    log = log ? log : "";
    atx_utc_text(now);
    make_seal(seal, key, log, cubin, len);
    atx_str_add_bytes(&sealed, len ? cubin : "", len);
    atx_str_add(&sealed, seal);
    at_status status = atx_str_status(&sealed, err);
    ATX_THEN(status, atx_store_begin(cache, err));
    if (status != AT_OK)
        goto done;
    status = atx_store_exec(cache, ATX_SQL_PUT_CUBIN, "store a compiled kernel", err, "sbss", key,
                            sealed.data, sealed.len, log, now);
    status = atx_store_end(cache, status, err);
    if (status == AT_OK && cache->cubin_limit_bytes && cache->cubins_put++ % PUTS_A_CHECK == 0)
        status = remove_steps(&removed, cache, cache->cubin_limit_bytes, STEPS_A_CHECK, err);
done:
    atx_str_clear(&sealed);
    return status;
}

at_status atx_store_shrink_file(atx_store *store, at_error *err)
{
    static const char doing[] = "give free space back";
    ATX_TRY(atx_store_exec(store, ATX_SQL_VACUUM, doing, err, ""));
    return atx_store_exec(store, ATX_SQL_EMPTY_LOG, doing, err, "");
}
