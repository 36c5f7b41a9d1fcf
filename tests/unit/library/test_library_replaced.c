/* test_library_replaced.c - another database in the place of an open one. Part of test_library. */
#include "library_support.h"

#include <time.h>
#include <unistd.h>

TestSuite(library_replaced, .init = set_up, .fini = tear_down);

/* Tells whether a question that began well ends so within some time: a look is taken ten times a second. */
static bool comes_to(at_tuner *tuner, at_problem problem, at_match match, at_status status)
{
    at_error err = { 0 };
    for (int i = 0; i < 3000; i++) {
        at_found *found = NULL;
        at_status got = at_find(&found, tuner, &problem, &ON_H200, &err);
        bool same = got == status && (got != AT_OK || found->match == match);
        at_found_close(found);
        if (same)
            return got == AT_OK || strstr(err.text, home.db) != NULL;
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    return false;
}

/* As a script does that brings results to machines. */
Test(library_replaced, answers_from_the_database_that_has_taken_the_place_of_its_own)
{
    char before[200];
    const at_problem other = { .struct_bytes = sizeof(at_problem),
                               .op = "transpose",
                               .type = AT_TYPE_F32,
                               .size_count = 2,
                               .sizes = { 512, 512 } };
    at_tuner *tuner = tuner_with_winner();
    at_found *found = find_ok(tuner, other, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_NEAR);
    at_found_close(found);
    snprintf(before, sizeof before, "%s.before", home.db);
    cr_assert_eq(rename(home.db, before), 0);
    found = find_ok(tuner, TUNED, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_EXACT, "while there is no other, it is the one that it was");
    at_found_close(found);
    put_winner("512x512", 512 * 512, "NVIDIA H200", 132);
    cr_expect(comes_to(tuner, other, AT_MATCH_EXACT, AT_OK));
    cr_expect(comes_to(tuner, TUNED, AT_MATCH_NEAR, AT_OK), "what the old one had is gone");
    FILE *file = fopen(before, "w");
    cr_assert(file && fputs("no database\n", file) >= 0);
    fclose(file);
    cr_assert_eq(rename(before, home.db), 0);
    cr_expect(comes_to(tuner, other, AT_MATCH_NONE, AT_ERR_STORE), "no answer looks as if it were from it");
    unlink(home.db);
    put_winner("1024x2048", 1024 * 2048, "NVIDIA H200", 132);
    cr_expect(comes_to(tuner, TUNED, AT_MATCH_EXACT, AT_OK));
    at_close(tuner);
}
