/* test_store_cache.c - which compiled kernels a cache with a limit keeps, and who may use it at once. */
#include "store_support.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

TestSuite(store_cache);

#define MIB (1 << 20)

/* A check every 64 kernels, of a little more than CUBIN_BYTES each. */
#define SLACK_BYTES (64 * 3 * 4096)

static int64_t used_bytes(atx_store *cache)
{
    atx_cubin_sizes sizes;
    at_error err = { 0 };
    cr_assert_eq(atx_store_cubin_sizes(&sizes, cache, &err), AT_OK, "%s", err.text);
    return sizes.file_bytes - sizes.free_bytes;
}

static bool has(atx_store *cache, int number)
{
    char sql[80];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM cubin WHERE key = 'K%d'", number);
    return atoi(scalar(cache, sql).text) == 1;
}

/* How many of K<from> ... K<to - 1> are there. */
static int count(atx_store *cache, int from, int to)
{
    char sql[120];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM cubin WHERE CAST(substr(key, 2) AS INT) BETWEEN %d AND %d", from, to - 1);
    return atoi(scalar(cache, sql).text);
}

static void run(atx_store *cache, const char *sql)
{
    cr_assert_eq(sqlite3_exec(cache->db, sql, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(cache->db));
}

static void read_kernel(atx_store *cache, int number)
{
    char key[32];
    at_error err = { 0 };
    atx_str cubin = { 0 }, log = { 0 };
    snprintf(key, sizeof key, "K%d", number);
    cr_assert_eq(atx_store_get_cubin(&cubin, &log, cache, key, &err), AT_OK, "%s", err.text);
    cr_assert(cubin.len == CUBIN_BYTES && strcmp(log.data, "log") == 0);
    atx_str_clear(&cubin);
    atx_str_clear(&log);
}

static void keep(atx_store *cache, int number)
{
    char key[32];
    at_error err = { 0 };
    snprintf(key, sizeof key, "K%d", number);
    cr_assert_eq(atx_store_keep_cubin(cache, key, &err), AT_OK, "%s", err.text);
}

static int64_t shrink_to(atx_store *cache, int64_t bytes)
{
    int64_t removed = -1;
    at_error err = { 0 };
    cr_assert_eq(atx_store_remove_cubins(&removed, cache, bytes, &err), AT_OK, "%s", err.text);
    cr_assert_leq(used_bytes(cache), bytes);
    return removed;
}

Test(store_cache, stays_near_its_limit_and_the_oldest_go)
{
    folder f = folder_make();
    cr_assert_eq(store_write_kernels(f.db, 1500, 0, 4 * MIB, NULL), 0);
    atx_store *cache = open_ok(f.db, ATX_STORE_READ);
    cr_assert_leq(used_bytes(cache), 4 * MIB + SLACK_BYTES);
    int left = count(cache, 0, 1500);
    cr_assert(left > 300 && left < 600, "%d", left);
    cr_assert_eq(count(cache, 1500 - left, 1500), left, "the newest");
    atx_store_close(cache);
    struct stat info;
    cr_assert_eq(stat(f.db, &info), 0);
    cr_assert_leq(info.st_size, 5 * MIB, "room is used again");
    folder_remove(&f);
}

Test(store_cache, without_a_limit_everything_stays)
{
    folder f = folder_make();
    cr_assert_eq(store_write_kernels(f.db, 300, 0, 0, NULL), 0);
    atx_store *cache = open_ok(f.db, ATX_STORE_READ);
    cr_assert_eq(count(cache, 0, 300), 300);
    atx_store_close(cache);
    folder_remove(&f);
}

Test(store_cache, what_was_used_today_stays_longer_than_what_was_not)
{
    folder f = folder_make();
    cr_assert_eq(store_write_kernels(f.db, 300, 0, 0, NULL), 0);
    atx_store *cache = open_ok(f.db, ATX_STORE_WRITE);
    run(cache, "UPDATE cubin SET stored_at = '2020-01-01T00:00:00Z'");
    for (int i = 0; i < 20; i++)
        read_kernel(cache, i);
    cr_assert_gt(shrink_to(cache, MIB), 100);
    cr_assert_eq(count(cache, 0, 20), 20);
    cr_assert_eq(count(cache, 20, 120), 0);
    cr_assert(has(cache, 299));
    atx_store_close(cache);
    folder_remove(&f);
}

/* Reading is what a trial does: it must not cost a write each time. */
Test(store_cache, a_kernel_is_written_anew_once_a_day_at_most)
{
    folder f = folder_make();
    cr_assert_eq(store_write_kernels(f.db, 2, 0, 0, NULL), 0);
    atx_store *cache = open_ok(f.db, ATX_STORE_WRITE);
    run(cache, "UPDATE cubin SET stored_at = '2020-01-01T00:00:00Z' WHERE key = 'K0'");
    int before = sqlite3_total_changes(cache->db);
    for (int i = 0; i < 10; i++) {
        read_kernel(cache, 0);
        read_kernel(cache, 1);
    }
    cr_assert_eq(sqlite3_total_changes(cache->db) - before, 1);
    keep(cache, 1);
    keep(cache, 1);
    cr_assert_eq(sqlite3_total_changes(cache->db) - before, 2);
    atx_store_close(cache);
    folder_remove(&f);
}

Test(store_cache, kernels_of_winners_go_last)
{
    folder f = folder_make();
    cr_assert_eq(store_write_kernels(f.db, 300, 0, 0, NULL), 0);
    atx_store *cache = open_ok(f.db, ATX_STORE_WRITE);
    for (int i = 0; i < 100; i++)
        keep(cache, i);
    keep(cache, 1000); /* is not there */
    run(cache, "UPDATE cubin SET stored_at = 'winner 2020-01-01T00:00:00Z' WHERE key < 'K1'");
    read_kernel(cache, 0);
    cr_assert_str_eq(scalar(cache, "SELECT substr(stored_at, 1, 9) FROM cubin WHERE key = 'K0'").text,
                     "winner 20");
    cr_assert_eq(store_write_kernels(f.db, 1, 0, 0, NULL), 0, "compiled again by another process");
    cr_assert_str_eq(scalar(cache, "SELECT substr(stored_at, 1, 9) FROM cubin WHERE key = 'K0'").text,
                     "winner 20");
    cr_assert_eq(store_write_kernels(f.db, 50, 300, 0, NULL), 0);
    shrink_to(cache, 3 * MIB / 2);
    cr_assert_eq(count(cache, 0, 100), 100, "all winners");
    int others = count(cache, 100, 350);
    cr_assert(others > 50 && others < 100, "%d", others);
    shrink_to(cache, MIB / 2);
    cr_assert_eq(count(cache, 100, 350), 0, "all others went before");
    int winners = count(cache, 0, 100);
    cr_assert(winners > 30 && winners < 70, "%d", winners);
    shrink_to(cache, MIB / 4);
    cr_assert_lt(count(cache, 0, 100), winners, "and then winners too");
    atx_store_close(cache);
    folder_remove(&f);
}

Test(store_cache, a_limit_that_cannot_be_kept_is_no_endless_loop)
{
    folder f = folder_make();
    int64_t removed = 0;
    cr_assert_eq(store_write_kernels(f.db, 100, 0, 1, NULL), 0);
    atx_store *cache = open_ok(f.db, ATX_STORE_WRITE);
    cr_assert_eq(atx_store_remove_cubins(&removed, cache, 1, NULL), AT_OK);
    cr_assert_eq(count(cache, 0, 100), 0);
    atx_store_close(cache);
    folder_remove(&f);
}

Test(store_cache, a_database_with_trials_is_no_cache_and_is_left_alone)
{
    folder f = folder_make();
    const atx_trial_row row = trial_of("A=1", 1e-6);
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    put_ok(store, &KEY, &H200, &row, 1);
    cr_assert_eq(store_write_kernels(f.db, 200, 0, MIB, NULL), 0);
    cr_assert_eq(count(store, 0, 200), 200);
    atx_store_close(store);
    folder_remove(&f);
}

Test(store_cache, free_room_goes_back_to_the_file_system_and_the_order_stays)
{
    folder f = folder_make();
    struct stat info;
    at_error err = { 0 };
    cr_assert_eq(store_write_kernels(f.db, 500, 0, 0, NULL), 0);
    atx_store *cache = open_ok(f.db, ATX_STORE_WRITE);
    keep(cache, 0);
    shrink_to(cache, MIB);
    cr_assert_eq(atx_store_shrink_file(cache, &err), AT_OK, "%s", err.text);
    cr_assert_eq(stat(f.db, &info), 0);
    cr_assert_leq(info.st_size, MIB);
    cr_assert_str_eq(scalar(cache, "PRAGMA integrity_check").text, "ok");
    int left = count(cache, 0, 500);
    shrink_to(cache, MIB / 2);
    cr_assert(has(cache, 0) && has(cache, 499) && !has(cache, 500 - left + 1),
              "the oldest went, the winner did not");
    atx_store_close(cache);
    folder_remove(&f);
}

Test(store_cache, the_limit_comes_from_the_option_else_the_environment_else_it_is_a_gibibyte)
{
    static const struct {
        const char *option, *environment;
        int64_t mib; /* below zero: refused */
    } CASES[] = {
        { NULL, NULL, 1024 }, { NULL, "", 1024 }, { NULL, "10", 10 },
        { "20", "10", 20 },   { "0", "10", 0 },   { NULL, "1g", -1 },
        { "-1", NULL, -1 },   { "", NULL, -1 },   { "9999999999999999", NULL, -1 },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        int64_t bytes = -1;
        at_error err = { 0 };
        set_or_unset("AUTOTUNE_CACHE_LIMIT", CASES[i].environment);
        at_status status = atx_store_cubin_limit(&bytes, CASES[i].option, &err);
        cr_assert_eq(status, CASES[i].mib < 0 ? AT_ERR_USAGE : AT_OK, "case %zu: %s", i, err.text);
        if (status == AT_OK)
            cr_assert_eq(bytes, CASES[i].mib << 20, "case %zu", i);
        else
            cr_assert(strstr(err.text, CASES[i].option ? "--cache-limit" : "AUTOTUNE_CACHE_LIMIT"), "%s",
                      err.text);
    }
    unsetenv("AUTOTUNE_CACHE_LIMIT");
}

/* ---- what is damaged ---- */

static at_status get(atx_store *cache, const char *key)
{
    at_error err = { 0 };
    atx_str cubin = { 0 }, log = { 0 };
    at_status status = atx_store_get_cubin(&cubin, &log, cache, key, &err);
    cr_assert(status == AT_OK || (!cubin.len && !log.len), "nothing of it is handed out");
    atx_str_clear(&cubin);
    atx_str_clear(&log);
    return status;
}

Test(store_cache, a_damaged_kernel_is_not_there_until_it_is_put_again)
{
    static const char *const DAMAGE[] = {
        ("UPDATE cubin SET cubin = CAST(substr(cubin, 1, 100) || x'01' || substr(cubin, 102) AS BLOB) WHERE "
         "key = 'K0'"),
        "UPDATE cubin SET cubin = CAST(substr(cubin, 2) AS BLOB) WHERE key = 'K0'",
        "UPDATE cubin SET cubin = substr(cubin, 1, length(cubin) - 1) WHERE key = 'K0'",
        "UPDATE cubin SET cubin = x'' WHERE key = 'K0'",
        "UPDATE cubin SET cubin = x'7f454c46' WHERE key = 'K0'", /* shorter than a seal */
        "UPDATE cubin SET log = 'lag' WHERE key = 'K0'",
        "UPDATE cubin SET cubin = (SELECT cubin FROM cubin WHERE key = 'K1') WHERE key = 'K0'",
        /* a version that wrote no seals */
        "UPDATE cubin SET cubin = substr(cubin, 1, 8000) WHERE key = 'K0'",
    };
    folder f = folder_make();
    atx_store *cache = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_store_open_cache(&cache, f.db, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_store_put_cubin(cache, "K1", "another", 7, "log", &err), AT_OK);
    for (size_t i = 0; i < sizeof DAMAGE / sizeof *DAMAGE; i++) {
        cr_assert_eq(store_write_kernels(f.db, 1, 0, 0, NULL), 0);
        read_kernel(cache, 0);
        run(cache, DAMAGE[i]);
        cr_assert_eq(get(cache, "K0"), AT_ERR_NOT_FOUND, "%s", DAMAGE[i]);
    }
    cr_assert_eq(get(cache, "K1"), AT_OK, "others are");
    atx_store_close(cache);
    folder_remove(&f);
}

/* ---- who may write ---- */

static mode_t mode_of(const char *path)
{
    struct stat info;
    cr_assert_eq(stat(path, &info), 0, "%s", path);
    return info.st_mode & 07777;
}

Test(store_cache, what_is_made_is_for_its_user_alone)
{
    folder f = folder_make();
    atx_store *cache = NULL;
    at_error err = { 0 };
    char path[200], name[220];
    static const char *const BESIDE[] = { "-wal", "-shm" };
    umask(0);
    snprintf(path, sizeof path, "%s/a/b/kernels.db", f.path);
    cr_assert_eq(atx_store_open_cache(&cache, path, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_store_put_cubin(cache, "K", "code", 4, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(mode_of(path), 0600);
    for (size_t i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s%s", path, BESIDE[i]);
        cr_assert_eq(mode_of(name), 0600, "%s", name);
    }
    atx_store_close(cache);
    snprintf(name, sizeof name, "%s/a/b", f.path);
    cr_assert_eq(mode_of(name), 0700);
    snprintf(name, sizeof name, "%s/a", f.path);
    cr_assert_eq(mode_of(name), 0700);
    snprintf(name, sizeof name, "ls -A %s/a/b | grep -c new-", f.path);
    cr_assert_neq(system(name), 0, "nothing else is left there");
    folder_remove(&f);
}

static void expect_refusal(const char *path, const char *what)
{
    at_error err = { 0 };
    atx_store *cache = NULL;
    cr_assert_eq(atx_store_open_cache(&cache, path, NULL, &err), AT_ERR_STORE, "%s was taken", what);
    cr_assert(strstr(err.text, what) && strstr(err.text, "AUTOTUNE_CACHE"), "%s", err.text);
    atx_store *store = open_ok(path, ATX_STORE_WRITE); /* its figures may be used */
    atx_store_close(store);
}

static void expect_trust(const char *path)
{
    at_error err = { 0 };
    atx_store *cache = NULL;
    cr_assert_eq(atx_store_open_cache(&cache, path, NULL, &err), AT_OK, "%s", err.text);
    atx_store_close(cache);
}

Test(store_cache, what_others_may_write_is_not_taken_for_code)
{
    folder f = folder_make();
    char beside[200];
    cr_assert_eq(store_write_kernels(f.db, 1, 0, 0, NULL), 0);
    chmod(f.db, 0644); /* as an older version made it under a umask of 022 */
    expect_trust(f.db);
    chmod(f.db, 0664);
    expect_refusal(f.db, "others may write to the file (mode 0664)");
    chmod(f.db, 0602);
    expect_refusal(f.db, "others may write to the file (mode 0602)");
    chmod(f.db, 0600);
    chmod(f.path, 0770);
    expect_refusal(f.db, "others may write to the folder (mode 0770)");
    chmod(f.path, 01777);
    expect_refusal(f.db, "others may write to the folder (mode 1777)");
    chmod(f.path, 0755);
    expect_trust(f.db);
    snprintf(beside, sizeof beside, "%s-journal", f.db);
    fclose(fopen(beside, "w"));
    chmod(beside, 0666);
    expect_refusal(f.db, "db-journal: others may write to the file (mode 0666)");
    folder_remove(&f);
}

Test(store_cache, a_link_is_followed_to_what_it_names)
{
    folder f = folder_make(), other = folder_make();
    cr_assert_eq(store_write_kernels(other.db, 1, 0, 0, NULL), 0);
    cr_assert_eq(chmod(other.db, 0600), 0);
    cr_assert_eq(symlink(other.db, f.db), 0);
    expect_trust(f.db);
    chmod(other.path, 0777);
    expect_refusal(f.db, "others may write to the folder (mode 0777)");
    folder_remove(&f);
    folder_remove(&other);
}

Test(store_cache, what_belongs_to_another_user_is_not_taken_for_code)
{
    folder f = folder_make();
    if (geteuid() != 0)
        cr_skip_test("only root can give files away");
    cr_assert_eq(store_write_kernels(f.db, 1, 0, 0, NULL), 0);
    cr_assert_eq(chmod(f.db, 0600), 0);
    cr_assert_eq(chown(f.db, 12345, 0), 0);
    expect_refusal(f.db, "the file belongs to another user (12345)");
    cr_assert_eq(chown(f.db, 0, 12345), 0);
    expect_trust(f.db);
    cr_assert_eq(chown(f.path, 12345, 0), 0);
    expect_refusal(f.db, "the folder belongs to another user (12345)");
    folder_remove(&f);
}

/* ---- other processes ---- */

/* *said, when asked for, reads the number of each kernel that it has stored. */
static pid_t spawn_writer(const char *path, int kernels, int first, int64_t limit_bytes, FILE **said)
{
    int ends[2] = { -1, -1 };
    char texts[3][24];
    pid_t child = -1;
    posix_spawn_file_actions_t actions;
    snprintf(texts[0], sizeof texts[0], "%d", kernels);
    snprintf(texts[1], sizeof texts[1], "%d", first);
    snprintf(texts[2], sizeof texts[2], "%lld", (long long)limit_bytes);
    char *argv[] = {
        (char[]){ AT_STORE_WRITER }, (char *)(uintptr_t)path, texts[0], texts[1], texts[2], NULL
    };
    posix_spawn_file_actions_init(&actions);
    cr_assert(!said || pipe2(ends, O_CLOEXEC) == 0);
    if (said)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    else
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    cr_assert_eq(posix_spawn(&child, argv[0], &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    if (said) {
        close(ends[1]);
        *said = fdopen(ends[0], "r");
    }
    return child;
}

static int wait_for(pid_t child)
{
    int state = -1;
    cr_assert_eq(waitpid(child, &state, 0), child);
    return state;
}

Test(store_cache, processes_share_the_work_of_removing)
{
    folder f = folder_make();
    pid_t children[4];
    for (int i = 0; i < 4; i++)
        children[i] = spawn_writer(f.db, 600, 10000 * i, 2 * MIB, NULL);
    for (int i = 0; i < 4; i++) {
        int state = wait_for(children[i]);
        cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 0, "child %d: %x", i, (unsigned)state);
    }
    atx_store *cache = open_ok(f.db, ATX_STORE_READ);
    cr_assert_leq(used_bytes(cache), 2 * MIB + 4 * SLACK_BYTES);
    cr_assert_gt(count(cache, 0, 100000), 100, "none removed more than had to go");
    cr_assert_str_eq(scalar(cache, "PRAGMA integrity_check").text, "ok");
    atx_store_close(cache);
    folder_remove(&f);
}

enum { FULL = 2 * MIB / CUBIN_BYTES }; /* with so many kernels more, something was removed */

/* In the midst of removing: the next one goes on. */
Test(store_cache, kill_9_leaves_a_sound_cache)
{
    folder f = folder_make();
    for (int round = 0; round < 10; round++) {
        int first = round * 1000000;
        FILE *said = NULL;
        char line[32];
        pid_t child = spawn_writer(f.db, 1000000, first, MIB, &said);
        while (fgets(line, sizeof line, said) && atoi(line) < first + FULL + 13 * round)
            ;
        kill(child, SIGKILL);
        int state = wait_for(child);
        fclose(said);
        cr_assert(WIFSIGNALED(state), "%x", (unsigned)state);
        atx_store *cache = open_ok(f.db, ATX_STORE_WRITE);
        cr_assert_str_eq(scalar(cache, "PRAGMA integrity_check").text, "ok");
        cr_assert_leq(used_bytes(cache), MIB + 2 * SLACK_BYTES);
        atx_store_close(cache);
    }
    folder_remove(&f);
}
