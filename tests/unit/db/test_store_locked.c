/*
 * test_store_locked.c - a database that another process holds: waited for, then named; who was told to end
 * does not wait.
 */
#include "store_support.h"

#include "util/clock.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

TestSuite(store_locked);

Test(store_locked, a_locked_database_is_waited_for_and_then_named)
{
    folder f = folder_make();
    atx_store *store = NULL, *other = NULL;
    at_error err = { 0 };
    atx_trial_row row = trial_of("A=1", 1e-6);
    atx_store_close(open_ok(f.db, ATX_STORE_WRITE));
    cr_assert_eq(atx_store_open_wait(&store, f.db, ATX_STORE_WRITE, 200, &err), AT_OK, "%s", err.text);
    other = open_ok(f.db, ATX_STORE_WRITE);
    cr_assert_eq(atx_store_begin(other, NULL), AT_OK);
    cr_assert_eq(atx_store_put_trials(store, 0, &KEY, &H200, &row, 1, &err), AT_ERR_STORE);
    cr_assert(strstr(err.text, "locked by another process for more than 0.2 s"), "%s", err.text);
    cr_assert_eq(atx_store_end(other, AT_OK, NULL), AT_OK);
    put_ok(store, &KEY, &H200, &row, 1);
    atx_store_close(other);
    atx_store_close(store);
    folder_remove(&f);
}

/* Who could end it, and does not, waits as long; a wait is slept. */
Test(store_locked, a_lock_is_waited_for_without_work_as_long_as_nobody_asks_to_end)
{
    folder f = folder_make();
    atx_store *store = NULL, *other = NULL;
    at_error err = { 0 };
    atomic_int asked = 0;
    const atx_cancel cancel = { .flag = &asked };
    atx_trial_row row = trial_of("A=1", 1e-6);
    atx_store_close(open_ok(f.db, ATX_STORE_WRITE));
    cr_assert_eq(atx_store_open_wait(&store, f.db, ATX_STORE_WRITE, 200, &err), AT_OK, "%s", err.text);
    atx_store_set_cancel(store, &cancel);
    other = open_ok(f.db, ATX_STORE_WRITE);
    cr_assert_eq(atx_store_begin(other, NULL), AT_OK);
    double start_s = atx_now_s();
    clock_t work = clock();
    cr_assert_eq(atx_store_put_trials(store, 0, &KEY, &H200, &row, 1, &err), AT_ERR_STORE);
    cr_expect_geq(atx_now_s() - start_s, 0.2, "%g s", atx_now_s() - start_s);
    cr_expect_lt(clock() - work, CLOCKS_PER_SEC / 10);
    cr_assert_eq(atx_store_end(other, AT_OK, NULL), AT_OK);
    atx_store_close(other);
    atx_store_close(store);
    folder_remove(&f);
}

Test(store_locked, a_lock_during_creation_is_waited_for_too)
{
    folder f = folder_make();
    atx_store *store = NULL;
    at_error err = { 0 };
    sqlite3 *db = NULL;
    cr_assert_eq(sqlite3_open(f.db, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    cr_assert_eq(atx_store_open_wait(&store, f.db, ATX_STORE_WRITE, 100, &err), AT_ERR_STORE);
    cr_assert(strstr(err.text, "locked"), "%s", err.text);
    sqlite3_close(db);
    atx_store_close(open_ok(f.db, ATX_STORE_WRITE));
    folder_remove(&f);
}

/* 30 seconds are the wait time of an opening that nobody ends. */
Test(store_locked, whoever_asks_to_end_waits_for_no_lock)
{
    folder f = folder_make();
    atx_store *store = NULL;
    at_error err = { 0 };
    sqlite3 *db = NULL;
    atomic_int asked = 1;
    const atx_cancel cancel = { .flag = &asked };
    atx_store_close(open_ok(f.db, ATX_STORE_WRITE));
    cr_assert_eq(sqlite3_open(f.db, &db), SQLITE_OK);
    cr_assert_eq(
        sqlite3_exec(db, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT", NULL, NULL, NULL),
        SQLITE_OK);
    for (int mode = ATX_STORE_WRITE; mode <= ATX_STORE_READ; mode++) {
        double start_s = atx_now_s();
        cr_assert_eq(atx_store_open_unless(&store, f.db, (atx_open_mode)mode, &cancel, &err),
                     AT_ERR_CANCELLED, "%s", err.text);
        cr_assert_lt(atx_now_s() - start_s, 20);
        cr_assert(strstr(err.text, "interrupted") && strstr(err.text, f.db), "%s", err.text);
    }
    sqlite3_close(db);
    folder_remove(&f);
}

/* What was measured is stored, also of a run that was interrupted. */
Test(store_locked, whoever_asked_to_end_may_still_store)
{
    folder f = folder_make();
    atx_store *store = NULL;
    at_error err = { 0 };
    atomic_int asked = 1;
    const atx_cancel cancel = { .flag = &asked };
    atx_trial_row row = trial_of("A=1", 1e-6);
    atx_store_close(open_ok(f.db, ATX_STORE_WRITE));
    cr_assert_eq(atx_store_open_unless(&store, f.db, ATX_STORE_WRITE, &cancel, &err), AT_OK, "%s", err.text);
    put_ok(store, &KEY, &H200, &row, 1);
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trial").text, "1");
    atx_store_close(store);
    folder_remove(&f);
}

/* ---- killed at the worst moment ---- */

static bool is_to_die;

/* The lock of a new file is what a file system without its lock daemon takes long for. */
int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, void *argument);
int __wrap_fcntl(int fd, int command, void *argument)
{
    if (is_to_die && command == F_SETLK)
        raise(SIGKILL);
    return __real_fcntl(fd, command, argument);
}

static int count_files(const char *path)
{
    int count = 0;
    DIR *dir = opendir(path);
    cr_assert_not_null(dir);
    for (const struct dirent *each; (each = readdir(dir));)
        count += each->d_name[0] != '.';
    closedir(dir);
    return count;
}

Test(store_locked, who_is_killed_while_it_looks_for_locks_leaves_no_file_behind)
{
    folder f = folder_make();
    sqlite3 *db = NULL;
    int status = 0;
    atx_store_close(open_ok(f.db, ATX_STORE_WRITE));
    cr_assert_eq(sqlite3_open(f.db, &db), SQLITE_OK);
    cr_assert_eq(
        sqlite3_exec(db, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT", NULL, NULL, NULL),
        SQLITE_OK);
    const int before = count_files(f.path);
    pid_t child = fork();
    if (child == 0) {
        atx_store *store = NULL;
        is_to_die = true;
        _exit(atx_store_open_wait(&store, f.db, ATX_STORE_WRITE, 5000, NULL) == AT_OK);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "it was killed there: %d", status);
    cr_assert_eq(count_files(f.path), before);
    sqlite3_close(db);
    folder_remove(&f);
}
