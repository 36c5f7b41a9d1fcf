/* test_library_table.c - a problem that has run is found again, and nothing else for it. Part of
 * test_library. */
#include "library/library.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { HASH = 7 }; /* of all of them, as two that differ may have one */

static at_tuner *tuner;
static atx_prepared entries[300];
static int entry_count;

static void begin(void)
{
    tuner = calloc(1, sizeof *tuner);
    cr_assert(tuner && pthread_rwlock_init(&tuner->table_lock, NULL) == 0);
}

static void end(void)
{
    free(tuner->table.buckets);
    pthread_rwlock_destroy(&tuner->table_lock);
    free(tuner);
}

TestSuite(library_table, .init = begin, .fini = end);

static const at_problem PROBLEM = { .struct_bytes = sizeof(at_problem),
                                    .op = "transpose",
                                    .type = AT_TYPE_F32,
                                    .size_count = 2,
                                    .sizes = { 64, 32 },
                                    .pitches = { 64 },
                                    .alignments = { 16 } };

static atx_prepared *add(const at_problem *problem, uint64_t hash, atx_prepared *old)
{
    at_error err = { 0 };
    atx_prepared *p = &entries[entry_count++];
    *p = (atx_prepared){ .hash = hash, .context = 1, .steps = { { 2 } }, .problem = *problem };
    cr_assert_eq(atx_table_add(tuner, p, old, &err), AT_OK, "%s", err.text);
    return p;
}

static atx_prepared *find(const at_problem *problem, uint64_t steps, uint64_t context)
{
    const atx_asking asking = {
        .problem = problem, .steps = { { steps } }, .context = context, .hash = HASH
    };
    return atx_table_find(&tuner->table, &asking);
}

Test(library_table, what_differs_in_one_thing_is_not_found_even_under_the_same_hash)
{
    at_problem others[6];
    const atx_prepared *p = add(&PROBLEM, HASH, NULL);
    cr_assert_eq(find(&PROBLEM, 2, 1), p);
    cr_expect_null(find(&PROBLEM, 3, 1), "the buffers' alignment");
    cr_expect_null(find(&PROBLEM, 2, 2), "the context");
    for (int i = 0; i < 6; i++)
        others[i] = PROBLEM;
    others[0].op = "copy";
    others[1].type = AT_TYPE_I32;
    others[2].sizes[1] = 33;
    others[3].pitches[0] = 65;
    others[4].alignments[0] = 8;
    others[5].size_count = 1;
    for (int i = 0; i < 6; i++)
        cr_expect_null(find(&others[i], 2, 1), "case %d", i);
}

/* Also when the table has grown, which turns the order of its entries. */
Test(library_table, what_was_replaced_is_not_found_any_more)
{
    at_problem other = PROBLEM;
    atx_prepared *old = add(&PROBLEM, HASH, NULL);
    const atx_prepared *newer = add(&PROBLEM, HASH, old);
    for (uint64_t i = 0; i < 200; i++) {
        cr_assert_eq(find(&PROBLEM, 2, 1), newer, "%d others", (int)i);
        other.sizes[0] = 1000 + (int64_t)i;
        add(&other, HASH + 64 * i, NULL);
    }
}
