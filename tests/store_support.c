/* store_support.c - see store_support.h. */
#include "store_support.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const at__problem_key KEY = { "transpose", "4096x4096", "b4", 4096 * 4096, 2ll * 4 * 4096 * 4096 };
const at__fingerprint H200 = { "NVIDIA H200", 90, 132, 143771, "580", "13.0", "0.1.0", true };

folder folder_make(void)
{
    folder f;
    const char *base = getenv("TMPDIR");
    snprintf(f.path, sizeof f.path, "%s/autotune-test-XXXXXX", base ? base : "/tmp");
    cr_assert(mkdtemp(f.path), "no scratch folder");
    snprintf(f.db, sizeof f.db, "%s/store.db", f.path);
    return f;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info, (void)type, (void)walk;
    return remove(path);
}

void folder_remove(folder *f)
{
    nftw(f->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void set_or_unset(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

at__store *open_ok(const char *path, at__open_mode mode)
{
    at__store *store = NULL;
    at_error err = { 0 };
    cr_assert_eq(at__store_open(&store, path, mode, &err), AT_OK, "%s", err.text);
    return store;
}

at__trial_row trial_of(const char *config, double median_s)
{
    return (at__trial_row){
        .template_name = "tile",
        .template_hash = "h1",
        .config = config,
        .outcome = AT__TIMED,
        .median_s = median_s,
        .min_s = median_s,
        .samples = 10,
        .log = "",
        .source_hash = "s1",
    };
}

at__winner winner_of(const char *config, double median_s)
{
    return (at__winner){
        .template_name = "tile",
        .template_hash = "h1",
        .config = config,
        .source_hash = "s1",
        .op_hash = "o1",
        .median_s = median_s,
        .min_s = median_s * 0.5,
        .spread = 0.25,
        .samples = 25,
        .ceiling_s = median_s * 0.75,
        .ceiling_name = "memcpy",
        .ties = "",
        .trials = 100,
        .space_count = 1000,
        .grid = { 7, 8, 9 },
        .block = { 32, 4, 2 },
        .shared_bytes = 4224,
        .registers = 40,
        .elapsed_s = 12.5,
        .conditions = { 1980, 3201, 45, 320, 4 },
    };
}

void put_ok(at__store *store, const at__problem_key *key, const at__fingerprint *fingerprint,
            const at__trial_row *rows, size_t count)
{
    at_error err = { 0 };
    cr_assert_eq(at__store_put_trials(store, 0, key, fingerprint, rows, count, &err), AT_OK, "%s", err.text);
}

cell scalar(at__store *store, const char *sql)
{
    cell out = { "(none)" };
    sqlite3_stmt *s = NULL;
    cr_assert_eq(sqlite3_prepare_v2(store->db, sql, -1, &s, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(store->db));
    if (sqlite3_step(s) == SQLITE_ROW)
        snprintf(out.text, sizeof out.text, "%s", at__store_text(s, 0));
    sqlite3_finalize(s);
    return out;
}
