/* store_support.c - see store_support.h. */
#include "store_support.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
