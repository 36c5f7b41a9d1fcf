/* test_device_number.c - a number is a GPU of this machine, for commands that only read, too: here an H200.
 */
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(device_number, .init = e2e_begin, .fini = e2e_end);

static e2e_run run;

static void expect(const char *args, int code, const char *part)
{
    e2e_tune(&run, E2E_QUICK, args);
    e2e_expect(run.code == code, run);
    e2e_expect(strstr(code == 0 ? run.out : run.err, part), run);
}

/* The names of an H100 ("80GB") and of an H200 have a 0 as well. */
Test(device_number, what_ships_answers_for_the_gpu_with_the_number)
{
    unsetenv("AUTOTUNE_NO_SHIPPED");
    expect("query 4096x4096 f32 --device 0", 0, "on NVIDIA H200 (exact match)");
    expect("export 4096x4096 f32 --device 0", 0, "for NVIDIA H200");
    expect("explain 4096x4096 f32 --device 0 --blocks 1", 0, "times of NVIDIA H200");
    expect("query 4096x4096 f32 --device 1", 3, "--device 1: ");
}

Test(device_number, what_was_tuned_on_the_gpu_with_the_number_is_shown)
{
    expect("tune copy 1000 f32 --max-trials 1 --jobs 1 --device 0", 0, "");
    expect("query copy 1000 f32 --device 0", 0, "exact match");
    expect("show copy 1000 f32 --device 0", 0, "of best");
    expect("show copy 1000 f32 --device 1", 3, "--device 1: ");
    expect("dump --device 0", 0, "\"kind\":\"winner\"");
    expect("verify --device 0", 0, "");
}
