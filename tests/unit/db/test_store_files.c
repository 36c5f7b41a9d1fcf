/*
 * test_store_files.c - the store against hostile files, other processes, full disks and sudden ends.
 */
#include "store_support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(store_files);

static void write_file(const char *path, const void *data, size_t len)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(data, 1, len, file) == len && fclose(file) == 0, "%s", path);
}

static atx_str read_file(const char *path)
{
    atx_str out = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_str_read_file(&out, path, 1 << 26, &err), AT_OK, "%s", err.text);
    return out;
}

static bool exists(const char *path, const char *suffix)
{
    char name[400];
    struct stat info;
    snprintf(name, sizeof name, "%s%s", path, suffix);
    return stat(name, &info) == 0;
}

/* Opens `path` in both modes, expects `status` and `text`, and not a byte of the file changed. */
static void refuses(const char *path, at_status expect, const char *text)
{
    atx_str before = read_file(path);
    for (int mode = ATX_STORE_WRITE; mode <= ATX_STORE_READ; mode++) {
        atx_store *store = (atx_store *)-1;
        at_error err = { 0 };
        at_status status = atx_store_open_wait(&store, path, (atx_open_mode)mode, 100, &err);
        cr_assert_eq(status, expect, "mode %d: %s: %s", mode, at_status_name(status), err.text);
        cr_assert(store == (atx_store *)-1);
        cr_assert(strstr(err.text, text) && strstr(err.text, path), "mode %d: %s", mode, err.text);
    }
    atx_str after = read_file(path);
    cr_assert(before.len == after.len && memcmp(before.data, after.data, before.len) == 0);
    atx_str_clear(&before);
    atx_str_clear(&after);
}

static void make_store(const char *path, int trials)
{
    atx_store *store = open_ok(path, ATX_STORE_WRITE);
    for (int i = 0; i < trials; i++) {
        char config[32];
        snprintf(config, sizeof config, "A=%d", i);
        atx_trial_row row = trial_of(config, 1e-6 * (i + 1));
        put_ok(store, &KEY, &H200, &row, 1);
    }
    atx_winner winner = winner_of("A=0", 1e-6);
    cr_assert_eq(atx_store_put_winner(store, 0, &KEY, &H200, &winner, NULL), AT_OK);
    atx_store_close(store);
}

static long trials_in(const char *path)
{
    atx_store *store = open_ok(path, ATX_STORE_READ);
    long count = strtol(scalar(store, "SELECT count(*) FROM trial").text, NULL, 10);
    cr_assert_str_eq(scalar(store, "PRAGMA integrity_check").text, "ok");
    atx_store_close(store);
    return count;
}

Test(store_files, what_is_no_database_is_left_alone)
{
    static const struct {
        const char *data;
        size_t len;
    } CASES[] = { { "x", 1 },
                  { "4096x4096 f32\n", 14 },
                  { "SQLite format 3", 15 },
                  { "SQLite format 4\0 and so on", 26 },
                  { "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 18 } };
    folder f = folder_make();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        write_file(f.db, CASES[i].data, CASES[i].len);
        refuses(f.db, AT_ERR_STORE, i == 2 ? "database of another program" : "not a database");
    }
    cr_assert(!exists(f.db, "-wal") && !exists(f.db, "-shm") && !exists(f.db, "-journal"));
    folder_remove(&f);
}

Test(store_files, databases_of_others_are_left_alone)
{
    folder f = folder_make();
    run_sql(f.db, "CREATE TABLE trial (x)");
    refuses(f.db, AT_ERR_STORE, "database of another program (application_id 0x00000000");
    run_sql(f.db, "PRAGMA application_id = 252006673");
    refuses(f.db, AT_ERR_STORE, "application_id 0x0f055111");
    cr_assert(!exists(f.db, "-wal") && !exists(f.db, "-shm") && !exists(f.db, "-journal"));
    folder_remove(&f);
}

/* A file and its log, as a crash leaves them: what `sql` does is in the log alone. */
static atx_str crash_after(const char *path, const char *sql)
{
    char wal[200], shm[200];
    sqlite3 *db = NULL;
    snprintf(wal, sizeof wal, "%s-wal", path);
    snprintf(shm, sizeof shm, "%s-shm", path);
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
    atx_str log = read_file(wal), file = read_file(path);
    sqlite3_close(db);
    write_file(path, file.data, file.len);
    write_file(wal, log.data, log.len);
    unlink(shm);
    atx_str_clear(&file);
    return log;
}

static void expect_log(const char *path, const atx_str *log)
{
    char wal[200];
    snprintf(wal, sizeof wal, "%s-wal", path);
    cr_assert(exists(path, "-wal"));
    atx_str after = read_file(wal);
    cr_assert(after.len == log->len && memcmp(after.data, log->data, log->len) == 0);
    atx_str_clear(&after);
}

/* A WAL left by a crashed owner must not be brought into the file by us. */
Test(store_files, a_pending_wal_of_others_is_left_alone)
{
    folder f = folder_make();
    run_sql(f.db, "PRAGMA journal_mode = WAL");
    atx_str log = crash_after(f.db, "CREATE TABLE t (x); INSERT INTO t VALUES (1)");
    refuses(f.db, AT_ERR_STORE, "database of another program");
    expect_log(f.db, &log);
    atx_str_clear(&log);
    folder_remove(&f);
}

Test(store_files, a_pending_wal_of_a_newer_schema_is_left_alone)
{
    folder f = folder_make();
    char newer[60], says[80];
    snprintf(newer, sizeof newer, "PRAGMA user_version = %d", ATX_SCHEMA_VERSION + 1);
    snprintf(says, sizeof says, "found schema version %d", ATX_SCHEMA_VERSION + 1);
    make_store(f.db, 1);
    run_sql(f.db, newer);
    atx_str log = crash_after(f.db, "CREATE TABLE theirs (x)");
    refuses(f.db, AT_ERR_STORE, says);
    expect_log(f.db, &log);
    atx_str_clear(&log);
    folder_remove(&f);
}

/* Who reads writes nothing: the log is the next writer's business. */
Test(store_files, a_reader_leaves_a_pending_log_where_it_is)
{
    folder f = folder_make();
    make_store(f.db, 3);
    atx_str log = crash_after(f.db, "UPDATE trial SET log = 'of the log'");
    cr_assert_eq(trials_in(f.db), 3);
    atx_store *store = open_ok(f.db, ATX_STORE_READ);
    cr_assert_str_eq(scalar(store, "SELECT log FROM main.trial").text, "of the log");
    atx_store_close(store);
    expect_log(f.db, &log);
    atx_str_clear(&log);
    folder_remove(&f);
}

/* Of a newer autotune, of one from before the first release, or damaged. */
Test(store_files, another_schema_version_is_left_alone)
{
    static const struct {
        int version;
        const char *writer;
    } CASES[] = { { ATX_SCHEMA_VERSION + 1, "a newer autotune, or one from before version 0.1.0;" },
                  { 6, "a newer autotune, or one from before version 0.1.0;" },
                  { ATX_SCHEMA_VERSION - 1, "an autotune from before version 0.1.0;" },
                  { 0, "no release of autotune;" },
                  { -5, "no release of autotune;" } };
    folder f = folder_make();
    make_store(f.db, 1);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char sql[60], says[160];
        snprintf(sql, sizeof sql, "PRAGMA user_version = %d", CASES[i].version);
        snprintf(says, sizeof says,
                 "found schema version %d (user_version); expected %d: it was written by %s",
                 CASES[i].version, ATX_SCHEMA_VERSION, CASES[i].writer);
        run_sql(f.db, sql);
        refuses(f.db, AT_ERR_STORE, says);
    }
    folder_remove(&f);
}

/* Its main file may be of this version still, while its log is not. */
Test(store_files, a_schema_version_that_only_the_log_has_is_seen)
{
    folder f = folder_make();
    make_store(f.db, 1);
    atx_str log = crash_after(f.db, "PRAGMA user_version = 99");
    refuses(f.db, AT_ERR_STORE, "found schema version 99");
    expect_log(f.db, &log);
    atx_str_clear(&log);
    folder_remove(&f);
}

Test(store_files, a_truncated_database_is_damaged)
{
    folder f = folder_make();
    make_store(f.db, 100);
    atx_str whole = read_file(f.db);
    for (size_t len = 4096; len < whole.len; len += 4096 * 7) {
        write_file(f.db, whole.data, len);
        refuses(f.db, AT_ERR_STORE, "damaged");
    }
    atx_str_clear(&whole);
    folder_remove(&f);
}

Test(store_files, a_database_without_its_views_is_refused)
{
    folder f = folder_make();
    make_store(f.db, 1);
    run_sql(f.db, "DROP VIEW best");
    refuses(f.db, AT_ERR_STORE, "views of autotune's schema are missing");
    folder_remove(&f);
}

static bool ignore(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    (void)fingerprint;
    *(size_t *)context += strlen(row->config) + strlen(row->log) + (size_t)row->outcome;
    return true;
}

static void use(const char *path)
{
    atx_store *store = NULL;
    at_error err = { 0 };
    atx_answer answer = { 0 };
    atx_trial_row row = trial_of("A=1", 1e-6);
    size_t sum = 0;
    if (atx_store_open_wait(&store, path, ATX_STORE_WRITE, 100, &err) != AT_OK)
        return;
    at_status s1 = atx_store_each_trial(store, &KEY, NULL, ignore, &sum, &err);
    at_status s2 = atx_store_find_winner(&answer, store, &KEY, &H200, NULL, &err);
    at_status s3 = atx_store_put_trials(store, 0, &KEY, &H200, &row, 1, &err);
    (void)s1, (void)s2, (void)s3;
    atx_answer_clear(&answer);
    atx_store_close(store);
}

/* Any outcome is right that is no crash, no hang and no sanitizer report. */
Test(store_files, random_damage_never_crashes)
{
    folder f = folder_make();
    make_store(f.db, 20);
    atx_str whole = read_file(f.db);
    srand(1);
    for (int round = 0; round < 200; round++) {
        atx_str copy = { 0 };
        atx_str_add_bytes(&copy, whole.data, whole.len);
        for (int i = 0; i < 1 + round % 50; i++)
            copy.data[(size_t)rand() % (i % 2 ? 4096 : copy.len)] = (char)rand();
        write_file(f.db, copy.data, copy.len);
        use(f.db);
        atx_str_clear(&copy);
    }
    atx_str_clear(&whole);
    folder_remove(&f);
}

Test(store_files, what_is_not_there_is_made_only_for_writing)
{
    folder f = folder_make();
    atx_store *store = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_store_open(&store, f.db, ATX_STORE_READ, &err), AT_ERR_NOT_FOUND);
    cr_assert(strstr(err.text, "no such database"), "%s", err.text);
    cr_assert(!exists(f.db, ""));
    write_file(f.db, "", 0);
    cr_assert_eq(atx_store_open(&store, f.db, ATX_STORE_READ, &err), AT_ERR_NOT_FOUND);
    cr_assert(strstr(err.text, "is empty"), "%s", err.text);
    atx_store_close(open_ok(f.db, ATX_STORE_WRITE));
    atx_store_close(open_ok(f.db, ATX_STORE_READ));
    folder_remove(&f);
}

Test(store_files, paths_that_are_no_files)
{
    folder f = folder_make();
    atx_store *store = NULL;
    at_error err = { 0 };
    char below[200];
    snprintf(below, sizeof below, "%s/below/x.db", f.db);
    for (int mode = ATX_STORE_WRITE; mode <= ATX_STORE_READ; mode++) {
        cr_assert_eq(atx_store_open(&store, f.path, (atx_open_mode)mode, &err), AT_ERR_STORE);
        cr_assert(strstr(err.text, "is a folder"), "%s", err.text);
        cr_assert_eq(atx_store_open(&store, "/dev/null", (atx_open_mode)mode, &err), AT_ERR_STORE);
        cr_assert(strstr(err.text, "not a regular file"), "%s", err.text);
        cr_assert_eq(atx_store_open(&store, "", (atx_open_mode)mode, &err), AT_ERR_USAGE);
    }
    write_file(f.db, "a file, not a folder", 20);
    cr_assert_eq(atx_store_open(&store, below, ATX_STORE_WRITE, &err), AT_ERR_STORE);
    cr_assert(strstr(err.text, "Not a directory"), "%s", err.text);
    cr_assert_eq(atx_store_open(&store, f.path, ATX_STORE_WRITE, NULL), AT_ERR_STORE);
    folder_remove(&f);
}

/* SQLite takes these for databases that end with the process. */
Test(store_files, names_that_are_none_of_a_file_are_refused)
{
    static const char *const NAMES[] = { "", ":memory:", "file:x.db", "file::memory:?cache=shared",
                                         "FILE:x" };
    folder f = folder_make();
    cr_assert_eq(chdir(f.path), 0);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        for (int mode = ATX_STORE_WRITE; mode <= ATX_STORE_READ; mode++) {
            atx_store *store = NULL;
            at_error err = { 0 };
            cr_assert_eq(atx_store_open(&store, NAMES[i], (atx_open_mode)mode, &err), AT_ERR_USAGE);
            cr_assert(strstr(err.text, "the name of the database") && strstr(err.text, NAMES[i]), "%s",
                      err.text);
        }
    cr_assert(!exists("file:x.db", "") && !exists("FILE:x", ""));
    make_store("./:memory:", 2);
    cr_assert_eq(trials_in("./:memory:"), 2);
    atx_store_close(memory_ok()); /* another one */
    folder_remove(&f);
}

/* Permissions mean nothing to root. */
static void leave_root(void)
{
    if (geteuid() == 0)
        cr_assert_eq(seteuid(65534), 0);
}

static void back_to_root(void)
{
    if (getuid() == 0)
        cr_assert_eq(seteuid(0), 0);
}

Test(store_files, a_read_only_file_can_be_read)
{
    folder f = folder_make();
    atx_store *store = NULL;
    at_error err = { 0 };
    make_store(f.db, 3);
    cr_assert_eq(chmod(f.db, 0444) | chmod(f.path, 0555), 0);
    leave_root();
    cr_assert_eq(atx_store_open(&store, f.db, ATX_STORE_WRITE, &err), AT_ERR_STORE);
    cr_assert(strstr(err.text, "the file is read-only; change its permissions"), "%s", err.text);
    cr_assert_eq(trials_in(f.db), 3); /* a WAL database in a folder where no -shm can be made */
    back_to_root();
    cr_assert_eq(chmod(f.path, 0755), 0);
    folder_remove(&f);
}

/* The folder refuses a -wal, though the file itself may be written. */
Test(store_files, a_writable_file_in_a_read_only_folder)
{
    folder f = folder_make();
    atx_store *store = NULL;
    at_error err = { 0 };
    make_store(f.db, 3);
    cr_assert_eq(chmod(f.db, 0666) | chmod(f.path, 0555), 0);
    leave_root();
    cr_assert_eq(atx_store_open(&store, f.db, ATX_STORE_WRITE, &err), AT_ERR_STORE);
    cr_assert(strstr(err.text, f.db) && strstr(err.text, "permissions"), "%s", err.text);
    cr_assert_eq(trials_in(f.db), 3);
    back_to_root();
    folder_remove(&f);
}

/* What is in the log is not in the file: reading without it would answer with old results. */
Test(store_files, a_log_that_cannot_be_brought_in_is_named)
{
    folder f = folder_make();
    char wal[200], shm[200];
    atx_store *store = NULL;
    at_error err = { 0 };
    snprintf(wal, sizeof wal, "%s-wal", f.db);
    snprintf(shm, sizeof shm, "%s-shm", f.db);
    make_store(f.db, 3);
    atx_store *writer = open_ok(f.db, ATX_STORE_WRITE);
    atx_trial_row row = trial_of("A=100", 1e-6);
    put_ok(writer, &KEY, &H200, &row, 1);
    atx_str log = read_file(wal);
    atx_store_close(writer);
    write_file(wal, log.data, log.len);
    unlink(shm);
    cr_assert_eq(chmod(f.db, 0444) | chmod(wal, 0444) | chmod(f.path, 0555), 0);
    leave_root();
    cr_assert_eq(atx_store_open(&store, f.db, ATX_STORE_READ, &err), AT_ERR_STORE);
    cr_assert(strstr(err.text, "its log") && strstr(err.text, wal), "%s", err.text);
    back_to_root();
    atx_str_clear(&log);
    folder_remove(&f);
}

Test(store_files, a_folder_that_cannot_be_written)
{
    folder f = folder_make();
    atx_store *store = NULL;
    at_error err = { 0 };
    char below[200];
    snprintf(below, sizeof below, "%s/a/b.db", f.path);
    cr_assert_eq(chmod(f.path, 0555), 0);
    leave_root();
    cr_assert_eq(atx_store_open(&store, f.db, ATX_STORE_WRITE, &err), AT_ERR_STORE);
    cr_assert(strstr(err.text, f.db) && strstr(err.text, "permissions"), "%s", err.text);
    cr_assert_eq(atx_store_open(&store, below, ATX_STORE_WRITE, &err), AT_ERR_STORE);
    cr_assert(strstr(err.text, "cannot make the folder") && strstr(err.text, "Permission denied"), "%s",
              err.text);
    back_to_root();
    folder_remove(&f);
}

/* For root: of a file system that is only read the message says so, and not that something is missing. */
Test(store_files, a_file_system_that_is_only_read)
{
    folder f = folder_make();
    atx_store *store = NULL;
    at_error err = { 0 };
    char below[200];
    snprintf(below, sizeof below, "%s/a/b/c.db", f.path);
    if (mount("tmpfs", f.path, "tmpfs", MS_RDONLY, NULL) != 0)
        cr_skip_test("no file system of its own: %s", strerror(errno));
    at_status status = atx_store_open(&store, below, ATX_STORE_WRITE, &err);
    umount2(f.path, MNT_DETACH);
    cr_assert_eq(status, AT_ERR_STORE);
    cr_assert(strstr(err.text, "cannot make the folder") && strstr(err.text, "/a: Read-only file system"),
              "%s", err.text);
    folder_remove(&f);
}

/* unix-dotfile has no shared memory, like some network file systems. */
Test(store_files, without_shared_memory_the_rollback_journal_serves)
{
    folder f = folder_make();
    char local[200];
    atx_store *store = NULL;
    at_error err = { 0 };
    snprintf(local, sizeof local, "%s/local.db", f.path);
    make_store(local, 1);
    cr_assert_eq(sqlite3_vfs_register(sqlite3_vfs_find("unix-dotfile"), 1), SQLITE_OK);
    make_store(f.db, 5);
    store = open_ok(f.db, ATX_STORE_WRITE);
    cr_assert_str_eq(scalar(store, "PRAGMA journal_mode").text, "delete");
    atx_store_close(store);
    cr_assert_eq(trials_in(f.db), 5);
    /* One that was made elsewhere, in WAL mode, cannot be opened here; it must say so. */
    cr_assert_eq(atx_store_open(&store, local, ATX_STORE_WRITE, &err), AT_ERR_STORE);
    cr_assert(strstr(err.text, "network file system"), "%s", err.text);
    folder_remove(&f);
}

Test(store_files, a_full_disk_loses_nothing_that_was_stored)
{
    folder f = folder_make();
    make_store(f.db, 3);
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    at_error err = { 0 };
    static char log[200000];
    atx_trial_row row = trial_of("A=100", 1e-6);
    memset(log, 'x', sizeof log - 1);
    row.log = log;
    (void)scalar(store, "PRAGMA max_page_count = 30");
    cr_assert_eq(atx_store_put_trials(store, 0, &KEY, &H200, &row, 1, &err), AT_ERR_STORE);
    cr_assert(strstr(err.text, "disk is full"), "%s", err.text);
    row.log = "";
    put_ok(store, &KEY, &H200, &row, 1);
    atx_store_close(store);
    cr_assert_eq(trials_in(f.db), 4);
    folder_remove(&f);
}

Test(store_files, a_file_that_may_not_grow_loses_nothing_either)
{
    folder f = folder_make();
    make_store(f.db, 3);
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    at_error err = { 0 };
    static char log[1 << 20];
    struct rlimit small = { 1 << 18, RLIM_INFINITY };
    atx_trial_row row = trial_of("A=100", 1e-6);
    memset(log, 'x', sizeof log - 1);
    row.log = log;
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    cr_assert_eq(atx_store_put_trials(store, 0, &KEY, &H200, &row, 1, &err), AT_ERR_STORE);
    cr_assert(strstr(err.text, "disk I/O error"), "%s", err.text);
    row.log = "";
    put_ok(store, &KEY, &H200, &row, 1);
    atx_store_close(store);
    cr_assert_eq(trials_in(f.db), 4);
    folder_remove(&f);
}

typedef struct thread_job {
    const char *path;
    int first, result;
} thread_job;

static void *thread_main(void *context)
{
    thread_job *job = context;
    job->result = store_write_batches(job->path, 50, job->first, NULL);
    return NULL;
}

Test(store_files, threads_with_a_handle_each_write_at_once)
{
    folder f = folder_make();
    pthread_t threads[4];
    thread_job jobs[4];
    for (int i = 0; i < 4; i++) {
        jobs[i] = (thread_job){ f.db, 1000 * i, -1 };
        cr_assert_eq(pthread_create(&threads[i], NULL, thread_main, &jobs[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        cr_assert_eq(jobs[i].result, 0);
    }
    cr_assert_eq(trials_in(f.db), 400);
    folder_remove(&f);
}

Test(store_files, processes_create_and_write_one_file_at_once)
{
    folder f = folder_make();
    pid_t children[6];
    for (int i = 0; i < 6; i++)
        children[i] = spawn_batches(AT_STORE_WRITER, f.db, 30, 1000 * i, NULL);
    for (int i = 0; i < 6; i++) {
        int state = -1;
        cr_assert_eq(waitpid(children[i], &state, 0), children[i]);
        cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 0, "child %d: %x", i, (unsigned)state);
    }
    cr_assert_eq(trials_in(f.db), 360);
    folder_remove(&f);
}

/* Kills a writer at some moment; everything it had reported must be there, and no half of a batch. */
static void kill_writer(const char *path, int first, int after)
{
    FILE *said = NULL;
    char line[32];
    int last = first - 1;
    pid_t child = spawn_batches(AT_STORE_WRITER, path, 1000000, first, &said);
    while (fgets(line, sizeof line, said)) {
        last = atoi(line);
        if (last == first + after)
            kill(child, SIGKILL);
    }
    fclose(said);
    int state = 0;
    cr_assert_eq(waitpid(child, &state, 0), child);
    cr_assert(WIFSIGNALED(state) && last >= first + after, "%x %d", (unsigned)state, last);

    atx_store *store = open_ok(path, ATX_STORE_WRITE);
    char sql[200];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM trial WHERE config LIKE 'N=%%' AND "
             "CAST(substr(config, 3) AS INT) BETWEEN %d AND %d",
             first, last);
    cr_assert_eq(atoi(scalar(store, sql).text), 2 * (last - first + 1));
    cr_assert_str_eq(scalar(store, "SELECT count(*) % 2 FROM trial").text, "0");
    cr_assert_str_eq(scalar(store, "PRAGMA integrity_check").text, "ok");
    atx_store_close(store);
}

Test(store_files, kill_9_loses_nothing_that_was_committed)
{
    folder f = folder_make();
    for (int round = 0; round < 12; round++)
        kill_writer(f.db, round * 1000000, round * 13);
    folder_remove(&f);
}
