/* store_support.c - see store_support.h. */
#include "store_support.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

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

atx_store *open_ok(const char *path, atx_open_mode mode)
{
    atx_store *store = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_store_open(&store, path, mode, &err), AT_OK, "%s", err.text);
    return store;
}

atx_store *memory_ok(void)
{
    atx_store *store = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_store_open_memory(&store, &err), AT_OK, "%s", err.text);
    return store;
}

void put_ok(atx_store *store, const atx_problem_key *key, const atx_fingerprint *fingerprint,
            const atx_trial_row *rows, size_t count)
{
    at_error err = { 0 };
    cr_assert_eq(atx_store_put_trials(store, 0, key, fingerprint, rows, count, &err), AT_OK, "%s", err.text);
}

cell *scalar_into(cell *out, atx_store *store, const char *sql)
{
    sqlite3_stmt *s = NULL;
    cr_assert_eq(sqlite3_prepare_v2(store->db, sql, -1, &s, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(store->db));
    const bool has_row = sqlite3_step(s) == SQLITE_ROW;
    snprintf(out->text, sizeof out->text, "%s", has_row ? atx_store_text(s, 0) : "(none)");
    sqlite3_finalize(s);
    return out;
}

void run_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

pid_t spawn_batches(const char *program, const char *path, int count, int first, FILE **out)
{
    char counts[16], firsts[16];
    pid_t child = -1;
    int ends[2] = { -1, -1 };
    posix_spawn_file_actions_t actions;
    snprintf(counts, sizeof counts, "%d", count);
    snprintf(firsts, sizeof firsts, "%d", first);
    char *argv[] = { (char *)(uintptr_t)program, (char *)(uintptr_t)path, counts, firsts, NULL };
    posix_spawn_file_actions_init(&actions);
    if (!out)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (out) {
        cr_assert_eq(pipe(ends), 0);
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
    }
    cr_assert_eq(posix_spawn(&child, argv[0], &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    if (out) {
        close(ends[1]);
        cr_assert(*out = fdopen(ends[0], "r"));
    }
    return child;
}
