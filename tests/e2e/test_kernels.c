/*
 * test_kernels.c - the cache of compiled kernels that the tests of this folder share. ctest runs this first,
 * so that they find in it what each of them needs.
 */
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(kernels, .init = e2e_begin, .fini = e2e_end);

Test(kernels, what_one_run_has_compiled_another_takes_from_the_cache)
{
    static e2e_run run;
    e2e_tune(&run, E2E_REAL, E2E_MINE "--max-trials 2");
    e2e_expect(run.code == 0, run);
    e2e_tune(&run, E2E_REAL, E2E_MINE "--max-trials 2 --force");
    e2e_expect(run.code == 0 && strstr(run.err, " 0 kernels compiled"), run);
}
