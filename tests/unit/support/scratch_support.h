/* scratch_support.h - a folder of its own for each test of a file: names in messages are short. */
#pragma once

#include "store_support.h"

#include <criterion/criterion.h>
#include <unistd.h>

static folder scratch;

static inline void enter_scratch(void)
{
    scratch = folder_make();
    cr_assert_eq(chdir(scratch.path), 0);
}

static inline void leave_scratch(void)
{
    cr_assert_eq(chdir("/"), 0);
    folder_remove(&scratch);
}
