/* test_keep.c - --local-db: each line reaches its rank, also when an allocation fails, or it is said that one
 * did not. The ranks are made up here. */
#include "cli/commands.h"
#include "cli/keep.h"
#include "memory_support.h"
#include "store_support.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

void __wrap_atx_print(FILE *stream, const char *format, ...);

static atomic_int warnings;

void __wrap_atx_print(FILE *stream, const char *format, ...)
{
    (void)stream;
    warnings += strstr(format, "--local-db") != NULL;
}

/* ---- two ranks ---- */

atomic_int atx_cancel_requested;
enum { RANKS = 2 };
static char kept[RANKS][1 << 14];
static int refusals;

int atx_ranks_count(const atx_ranks *ranks)
{
    (void)ranks;
    return RANKS;
}

int atx_ranks_of(const atx_ranks *ranks, const char *uuid, const char *host)
{
    (void)ranks, (void)uuid;
    return strcmp(host, "second") == 0;
}

bool atx_ranks_keep(atx_ranks *ranks, int rank, const char *path, const atx_str *text)
{
    size_t len = strlen(kept[rank]);
    (void)ranks, (void)path;
    if (refusals > 0 && refusals--)
        return false;
    cr_assert_lt(len + text->len, sizeof kept[rank]);
    memcpy(kept[rank] + len, text->data, text->len);
    return true;
}

/* ---- what is measured ---- */

static void measure(atx_store *store, const char *host, const char *config)
{
    atx_run_info info = { .command = "", .strategy = "random", .device_uuid = "", .host = host };
    atx_trial_row row = trial_of(config, 1e-6);
    int64_t run = 0;
    cr_assert_eq(atx_store_begin_run(&run, store, &info, NULL), AT_OK);
    cr_assert_eq(atx_store_put_trials(store, run, &KEY, &H200, &row, 1, NULL), AT_OK);
}

/* Two runs on two machines, kept at the end, with `allocations` that succeed before one fails. Whether one
 * did. */
static bool run_and_end(long allocations, bool on)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_keep *keep = NULL;
    at_error err = { 0 };
    memset(kept, 0, sizeof kept);
    warnings = 0;
    cr_assert_eq(atx_keep_begin(&keep, NULL, f.db, f.path, &err), AT_OK, "%s", err.text);
    measure(store, "first", "OF_FIRST=1");
    measure(store, "second", "OF_SECOND=1");
    from_then_on = on;
    left = allocations;
    atx_keep_end(keep);
    bool failed = left < (on ? 1 : 0);
    left = -1;
    atx_store_close(store);
    folder_remove(&f);
    return failed;
}

static bool has_all(void)
{
    return strstr(kept[0], "OF_FIRST=1") && strstr(kept[1], "OF_SECOND=1");
}

TestSuite(keep);

Test(keep, each_rank_gets_the_lines_of_its_machine)
{
    run_and_end(-1, false);
    cr_expect(has_all() && !strstr(kept[0], "OF_SECOND") && !strstr(kept[1], "OF_FIRST"), "%s\n%s", kept[0],
              kept[1]);
    cr_expect_eq(warnings, 0);
}

Test(keep, no_line_is_lost_when_an_allocation_fails)
{
    long n = 0;
    for (; run_and_end(n, false); n++) {
        cr_expect(has_all(), "allocation %ld: '%s', '%s'", n, kept[0], kept[1]);
        cr_expect(!strstr(kept[0], "OF_SECOND") && !strstr(kept[1], "OF_FIRST"), "allocation %ld", n);
    }
    cr_expect_gt(n, 3);
}

Test(keep, a_line_that_is_lost_is_told)
{
    for (long n = 0; run_and_end(n, true); n++)
        cr_expect(has_all() || warnings == 1, "allocation %ld: %d warnings", n, warnings);
}

Test(keep, what_could_not_be_sent_is_sent_again)
{
    refusals = 1;
    run_and_end(-1, false);
    cr_expect(has_all() && warnings == 0);
    refusals = 100;
    run_and_end(-1, false);
    cr_expect_eq(warnings, 1);
}
