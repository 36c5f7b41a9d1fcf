/* test_index_set.c - numbers that were put into a set are found there, whatever was taken out around them. */
#include "util/index_set.h"
#include "util/rng.h"

#include <criterion/criterion.h>

enum { NUMBERS = 1000 };

Test(index_set, an_empty_one_has_nothing)
{
    atx_index_set set = { 0 };
    cr_assert(!atx_index_set_has(&set, 0));
    cr_assert(atx_index_set_add(&set, 0) && atx_index_set_has(&set, 0) && !atx_index_set_has(&set, 1));
    atx_index_set_remove(&set, 0);
    cr_assert(!atx_index_set_has(&set, 0));
    cr_assert_eq(set.count, 0);
    atx_index_set_clear(&set);
}

/* Against a list of flags: numbers come and go at random, far apart and side by side. */
Test(index_set, holds_what_was_added_and_not_removed)
{
    atx_index_set set = { 0 };
    bool is_there[NUMBERS] = { false };
    size_t count = 0;
    atx_rng rng = { .state = 1 };
    for (int step = 0; step < 200000; step++) {
        int i = (int)atx_rng_below(&rng, NUMBERS);
        int64_t index = i % 2 ? i : (int64_t)i << 50;
        cr_assert_eq(atx_index_set_has(&set, index), is_there[i], "step %d", step);
        if (is_there[i])
            atx_index_set_remove(&set, index);
        else
            cr_assert(atx_index_set_add(&set, index));
        count += is_there[i] ? (size_t)-1 : 1;
        is_there[i] = !is_there[i];
        cr_assert_eq(set.count, count);
    }
    for (int i = 0; i < NUMBERS; i++)
        cr_assert_eq(atx_index_set_has(&set, i % 2 ? i : (int64_t)i << 50), is_there[i]);
    atx_index_set_clear(&set);
}
