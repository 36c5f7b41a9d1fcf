/*
 * test_surroundings.c - what a program is started into: descriptors that are closed, processes that are
 * frozen for a while.
 */
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

TestSuite(surroundings, .init = e2e_begin, .fini = e2e_end);

static e2e_run run;

/* ---- closed descriptors: whatever is opened first must not take their place ---- */

static void tune_without(int fd)
{
    e2e_start_without(&run, fd, E2E_QUICK, E2E_MINE "--max-trials 4");
    e2e_wait(&run);
    e2e_expect_no_process();
    e2e_expect_whole();
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner"), 1);
}

Test(surroundings, without_stdin_a_run_is_as_ever)
{
    tune_without(0);
    e2e_expect(run.code == 0 && strstr(run.out, "THREADS="), run);
}

/* The results went into the socket of the device's runner, and nobody was told. */
Test(surroundings, without_stdout_the_exit_code_tells_that_results_were_lost)
{
    tune_without(1);
    e2e_expect(run.code == 5, run);
    e2e_expect(strstr(run.err, "error: the output could not be written: stdout is closed"), run);
}

Test(surroundings, without_stderr_a_run_is_as_ever)
{
    tune_without(2);
    e2e_expect(run.code == 0 && strstr(run.out, "THREADS="), run);
}

/* ---- turns ---- */

/* Figures that two runs take at once are none: whoever cannot be kept from it is told. */
Test(surroundings, a_run_that_cannot_take_turns_says_so)
{
    const char *path = "/tmp/autotune-GPU-5c5c5c5c-5c5c-5c5c-5c5c-5c5c5c5c5cfb.lock";
    unlink(path);
    cr_assert_eq(symlink("/nowhere", path), 0);
    e2e_script("count 1000");
    e2e_tune(&run, E2E_QUICK, E2E_MINE "--max-trials 1 --device 251");
    unlink(path);
    e2e_expect(run.code == 0, run);
    e2e_expect(strstr(run.err, "warning: GPU 251: other runs of autotune on it are not kept from disturbing"),
               run);
    e2e_expect(strstr(run.err, ".lock: is a symbolic link"), run);
}
