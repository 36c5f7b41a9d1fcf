/* memory_support.h - an allocator that fails when it is told, linked with --wrap; one copy a file. */
#pragma once

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "util/fail.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *data, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *data, size_t size);

static atomic_long allocations_left = -1; /* allocations until one fails; below zero: none does */
static atomic_bool from_then_on;

static bool fails(void)
{
    if (allocations_left < 0)
        return false;
    return allocations_left == 0 ? from_then_on || allocations_left-- == 0 : allocations_left-- < 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *data, size_t size)
{
    return fails() ? NULL : __real_realloc(data, size);
}

/* What the last run that went well came to, as far as it can be told in one number. */
static size_t made;

static inline void count(size_t number)
{
    made = 31 * made + number;
}

/* All of so many early allocations fail, then fewer and fewer. Sanitizers make a run ten times as slow. */
static inline long early_ones(void)
{
#if defined(AT_SANITIZED)
    if (!getenv("AUTOTUNE_TEST_ALL"))
        return 40;
#endif
    return 200;
}

/* Runs with one allocation after the other failing (all early ones, some of many), until a run needs fewer.
 */
static inline void fail_each(at_status (*run)(at_error *err))
{
    const long early = early_ones();
    at_error none = { 0 };
    cr_assert_eq(run(&none), AT_OK, "%s", none.text);
    size_t expected = made;
    for (long n = 0;; n += 1 + n / early) {
        at_error err = { 0 };
        made = 0;
        allocations_left = n;
        at_status status = run(&err);
        bool hit = allocations_left < 0;
        allocations_left = -1;
        cr_assert(status != AT_OK || made == expected, "allocation %ld: something is missing", n);
        if (!hit) {
            cr_assert_eq(status, AT_OK, "%s", err.text);
            cr_assert_gt(n, 0);
            return;
        }
        cr_assert(status == AT_ERR_MEMORY || status == AT_OK, "allocation %ld: %s", n, err.text);
        cr_assert(status == AT_OK || err.status == AT_ERR_MEMORY);
    }
}
