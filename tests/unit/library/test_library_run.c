/* test_library_run.c - at_run and at_prepare, with a driver that only takes notes (see fake_driver.h). */
#include "fake_driver.h"
#include "library_run_support.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

TestSuite(library_run, .init = set_up, .fini = tear_down);

Test(library_run, runs_what_was_tuned)
{
    at_error err = { 0 };
    const at_found *used = NULL;
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    fake_record r = fake_read();
    cr_assert_eq(r.launches, 1);
    cr_assert_eq(r.grid[0], 32 * 64);
    cr_assert_eq(r.block[0], 32);
    cr_assert_eq(r.block[1], 8);
    cr_assert_eq(r.stream, at_address(0x77));
    const int64_t expected[] = { OUT, IN, 1, 1024, 2048 };
    cr_assert_eq(memcmp(r.params, expected, sizeof expected), 0);
    cr_assert_eq(at_prepare(&used, tuner, &TUNED, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(used->match, AT_MATCH_EXACT);
    cr_assert_str_eq(used->device, "NVIDIA H200");
    cr_assert_str_eq(used->warning, "");
    at_close(tuner);
    cr_assert_eq(fake_read().loads, 1);
    cr_assert_eq(fake_read().unloads, 1);
}

Test(library_run, runs_right_what_nobody_tuned)
{
    const at_found *used = NULL;
    at_tuner *tuner = NULL;
    at_error err = { 0 };
    at_problem ragged = { .struct_bytes = sizeof(at_problem),
                          .op = "transpose",
                          .type = AT_TYPE_F32,
                          .size_count = 3,
                          .sizes = { 3, 17, 1000 } };
    cr_assert_eq(at_open(&tuner, NULL, &err), AT_OK, "%s", err.text);
    fake_use_context(1);
    run_or_skip(tuner, ragged);
    cr_assert_eq(at_prepare(&used, tuner, &ragged, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(used->match, AT_MATCH_NONE);
    cr_assert(strstr(used->why, "not measured"), "%s", used->why);
    cr_assert_eq(fake_read().params[4], 1000);
    at_close(tuner);
}

/* A server that must not wait for a compiler: it prepares ahead, and then only launches. */
Test(library_run, without_leave_to_compile_only_what_is_there_runs)
{
    const at_buffer buffers[] = { { at_address(OUT), 0 }, { at_address(IN), 0 } };
    at_run_options options = AT_RUN_OPTIONS_INIT;
    at_error err = { 0 };
    at_tuner *tuner = tuner_with_winner();
    options.no_compile = 1;
    fake_use_context(1);
    at_status status = at_run(tuner, &TUNED, buffers, 2, NULL, &options, &err);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_ERR_NOT_FOUND, "%s", err.text);
    cr_assert(strstr(err.text, "neither loaded nor in the cache"), "%s", err.text);
    cr_assert_eq(fake_read().launches, 0);
    cr_assert_eq(at_prepare(NULL, tuner, &TUNED, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at_run(tuner, &TUNED, buffers, 2, NULL, &options, &err), AT_OK, "%s", err.text);
    at_close(tuner);
    tuner = open_tuner(); /* another process: the cache has it */
    cr_assert_eq(at_run(tuner, &TUNED, buffers, 2, NULL, &options, &err), AT_OK, "%s", err.text);
    cr_assert_eq(fake_read().launches, 2);
    at_close(tuner);
}

/* A program that meets ever-new shapes: loaded kernels need not stay until it ends. */
Test(library_run, what_is_forgotten_is_unloaded_and_prepared_again)
{
    at_error err = { 0 };
    const at_found *used = NULL;
    at_tuner *tuner = tuner_with_winner();
    at_problem other = TUNED;
    other.sizes[0] = 96;
    cr_assert_eq(at_forget(tuner, &err), AT_OK, "nothing was loaded: %s", err.text);
    fake_use_context(2);
    run_or_skip(tuner, TUNED);
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    run_or_skip(tuner, other);
    cr_assert_eq(at_prepare(&used, tuner, &TUNED, NULL, &err), AT_OK, "%s", err.text);
    int loads = fake_read().loads;
    cr_assert_eq(at_forget(tuner, &err), AT_OK, "%s", err.text);
    cr_assert_eq(fake_read().unloads, loads - 1, "those of the other context stay");
    cr_assert_str_eq(used->shape, "1024x2048");
    run_or_skip(tuner, TUNED);
    cr_assert_eq(fake_read().loads, loads + 1);
    fake_use_context(2);
    run_or_skip(tuner, TUNED);
    cr_assert_eq(fake_read().loads, loads + 1);
    at_close(tuner);
    cr_assert_eq(at_forget(NULL, &err), AT_ERR_USAGE);
}

/* Programs that tune by themselves: graphs may still run kernels that were loaded before. */
Test(library_run, what_is_renewed_is_looked_up_again_and_stays_loaded)
{
    at_error err = { 0 };
    const at_found *before = NULL, *after = NULL;
    put_winner("96x2048", 96 * 2048, "NVIDIA H200", 132);
    at_tuner *tuner = open_tuner();
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    cr_assert_eq(at_prepare(&before, tuner, &TUNED, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_neq(before->match, AT_MATCH_EXACT);
    put_winner("1024x2048", 1024 * 2048, "NVIDIA H200", 132);
    cr_assert_eq(at_prepare(&after, tuner, &TUNED, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_neq(after->match, AT_MATCH_EXACT, "it is not looked up at each call");
    cr_assert_eq(at_renew(tuner, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at_prepare(&after, tuner, &TUNED, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(after->match, AT_MATCH_EXACT);
    cr_assert_neq(before->match, AT_MATCH_EXACT, "the earlier answer stays as it was");
    cr_assert_eq(fake_read().unloads, 0);
    at_close(tuner);
    cr_assert_eq(at_renew(NULL, &err), AT_ERR_USAGE);
}

Test(library_run, a_buffer_that_is_told_to_be_too_small_is_refused)
{
    enum { BYTES = 4 * 1024 * 2048 };
    at_buffer buffers[] = { { at_address(OUT), BYTES }, { at_address(IN), BYTES } };
    at_error err = { 0 };
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    cr_assert_eq(at_run(tuner, &TUNED, buffers, 2, NULL, NULL, &err), AT_OK, "%s", err.text);
    buffers[1].bytes--;
    cr_assert_eq(at_run(tuner, &TUNED, buffers, 2, NULL, NULL, &err), AT_ERR_USAGE);
    cr_assert(strstr(err.text, "in: found a buffer of 8388607 bytes; expected 8388608"), "%s", err.text);
    cr_assert_eq(fake_read().launches, 2);
    at_close(tuner);
}

Test(library_run, loads_a_kernel_once_a_context)
{
    at_tuner *tuner = tuner_with_winner();
    at_problem other = TUNED;
    other.type = AT_TYPE_U32; /* another problem, the same kernel */
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    run_or_skip(tuner, TUNED);
    run_or_skip(tuner, other);
    cr_assert_eq(fake_read().loads, 1);
    fake_use_context(2);
    run_or_skip(tuner, TUNED);
    cr_assert_eq(fake_read().loads, 2);
    cr_assert_eq(fake_read().launches, 4);
    at_close(tuner);
    cr_assert_eq(fake_read().unloads, 1, "kernels of other contexts are left to them");
}

Test(library_run, does_not_launch_on_buffers_that_cannot_be_right)
{
    static const struct {
        uintptr_t out, in;
        const char *says;
    } CASES[] = {
        { OUT + 2, IN, "buffer 0 begins at a multiple of 2 bytes and no more" },
        { OUT, IN + 129, "expected device memory that is aligned to 4 bytes" },
        { 0, IN, "out: found NULL; expected device memory" },
        { OUT, OUT, "overlap" },
        { OUT, OUT + 256, "overlap" },
        { OUT + 4 * 1024 * 2048 - 256, OUT, "overlap" },
    };
    at_error err = { 0 };
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        cr_assert_eq(run_at(tuner, TUNED, CASES[i].out, CASES[i].in, &err), AT_ERR_USAGE, "%zu", i);
        cr_assert(strstr(err.text, CASES[i].says), "%zu: %s", i, err.text);
    }
    const at_buffer buffers[] = { { at_address(OUT), 0 }, { at_address(IN), 0 }, { at_address(IN), 0 } };
    cr_assert_eq(at_run(tuner, &TUNED, buffers, 3, NULL, NULL, &err), AT_ERR_USAGE);
    cr_assert_eq(at_run(tuner, &TUNED, NULL, 2, NULL, NULL, &err), AT_ERR_USAGE);
    cr_assert_eq(at_run(NULL, &TUNED, buffers, 2, NULL, NULL, &err), AT_ERR_USAGE);
    cr_assert_eq(fake_read().launches, 1);
    cr_assert_eq(run_at(tuner, TUNED, OUT + 4 * 1024 * 2048, OUT, &err), AT_OK, "neighbours do not overlap");
    at_close(tuner);
}

Test(library_run, buffers_may_begin_anywhere_that_suits_their_elements)
{
    at_error err = { 0 };
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    cr_assert_eq(run_at(tuner, TUNED, OUT + 4, IN + 72, &err), AT_OK, "%s", err.text);
    cr_assert_eq(fake_read().params[0], OUT + 4);
    cr_assert_eq(fake_read().params[1], IN + 72);
    cr_assert_eq(fake_read().loads, 1, "of tile_rows, which takes any");
    cr_assert_eq(run_at(tuner, TUNED, OUT + 4, IN + 40, &err), AT_OK, "%s", err.text);
    cr_assert_eq(fake_read().launches, 3);
    at_close(tuner);
}

Test(library_run, alignment_is_part_of_the_problem)
{
    at_error err = { 0 };
    const at_found *used = NULL;
    put_winner("1024x2048@16x4", 1024 * 2048, "NVIDIA H200", 132);
    at_tuner *tuner = tuner_with_winner();
    at_problem problem = TUNED;
    problem.alignments[0] = 16;
    problem.alignments[1] = 4;
    at_found *found = find_ok(tuner, problem, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_EXACT, "%s", found->why);
    cr_assert_str_eq(found->shape, "1024x2048@16x4");
    cr_assert_eq(found->launches[0]->args[0]->align, 4);
    cr_assert_eq(found->launches[0]->args[1]->align, 16);
    at_found_close(found);
    problem.alignments[1] = 0;
    found = find_ok(tuner, problem, &ON_H200);
    cr_assert_str_eq(found->shape, "1024x2048@16x256");
    cr_assert_eq(found->match, AT_MATCH_NEAR);
    at_found_close(found);
    problem.alignments[1] = 3;
    cr_assert_eq(at_find(&found, tuner, &problem, &ON_H200, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "align_out = 3"), "%s", err.text);
    problem.alignments[1] = 4;
    fake_use_context(1);
    run_or_skip(tuner, problem);
    cr_assert_eq(at_prepare(&used, tuner, &problem, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_str_eq(used->shape, "1024x2048@16x4", "what was promised, although buffers are better");
    cr_assert_eq(run_at(tuner, problem, OUT + 8, IN + 8, &err), AT_ERR_USAGE, "a broken promise");
    cr_assert(strstr(err.text, "buffer 1 begins at a multiple of 8 bytes and no more; expected device memory "
                               "that is aligned to 16 bytes"),
              "%s", err.text);
    at_close(tuner);
}

/* It would load nothing, and say as little as "invalid image". */
Test(library_run, a_driver_that_is_too_old_for_nvrtc_is_named)
{
    at_error err = { 0 };
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    at_close(tuner);
    fake_use_cuda(11070);
    tuner = open_tuner(); /* on another machine: a driver stays as it is */
    at_problem other = TUNED;
    other.sizes[0] += 64;
    cr_expect_eq(run_at(tuner, other, OUT, IN, &err), AT_ERR_DEVICE);
    cr_expect(strstr(err.text, "a driver for CUDA 11.7, which loads no kernel that a compiler of CUDA 1") &&
                  strstr(err.text, "expected NVRTC of CUDA 11"),
              "%s", err.text);
    cr_expect_eq(fake_read().loads, 1);
    at_close(tuner);
}

Test(library_run, needs_a_context)
{
    at_error err = { 0 };
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(0);
    cr_assert_eq(run_at(tuner, TUNED, OUT, IN, &err), AT_ERR_USAGE);
    cr_assert(strstr(err.text, "no CUDA context"), "%s", err.text);
    at_close(tuner);
}

Test(library_run, a_cache_that_cannot_be_used_is_a_warning)
{
    at_error err = { 0 };
    const at_found *used = NULL;
    set_or_unset("AUTOTUNE_CACHE", home.path); /* a folder */
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    cr_assert_eq(at_prepare(&used, tuner, &TUNED, NULL, &err), AT_OK);
    cr_assert(strstr(used->warning, home.path), "'%s'", used->warning);
    at_close(tuner);
}

/* Every kernel of the cache becomes one that the store takes for good and the driver does not load. */
static int spoil_kernels(const char *path)
{
    at_error err = { 0 };
    atx_store *cache = open_ok(path, ATX_STORE_WRITE);
    int count = atoi(scalar(cache, "SELECT count(*) FROM cubin").text);
    cell key = scalar(cache, "SELECT key FROM cubin");
    cr_assert_eq(atx_store_put_cubin(cache, key.text, "no kernel", 9, "", &err), AT_OK, "%s", err.text);
    atx_store_close(cache);
    return count;
}

Test(library_run, a_kernel_of_the_cache_that_does_not_load_is_compiled_again)
{
    at_error err = { 0 };
    const at_found *used = NULL;
    char path[200];
    snprintf(path, sizeof path, "%s/own/kernels.db", home.path);
    set_or_unset("AUTOTUNE_CACHE", path);
    for (int i = 0; i < 2; i++) {
        at_tuner *tuner = i ? open_tuner() : tuner_with_winner();
        fake_use_context(1);
        run_or_skip(tuner, TUNED);
        cr_assert_eq(at_prepare(&used, tuner, &TUNED, NULL, &err), AT_OK, "%s", err.text);
        cr_assert_str_eq(used->warning, "");
        at_close(tuner);
        cr_assert_eq(spoil_kernels(path), 1);
    }
    cr_assert_eq(fake_read().loads, 2);
}

Test(library_run, so_is_a_limit_of_the_cache_that_makes_no_sense)
{
    at_error err = { 0 };
    const at_found *used = NULL;
    set_or_unset("AUTOTUNE_CACHE_LIMIT", "much");
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    cr_assert_eq(at_prepare(&used, tuner, &TUNED, NULL, &err), AT_OK);
    cr_assert(strstr(used->warning, "AUTOTUNE_CACHE_LIMIT: found 'much'"), "'%s'", used->warning);
    at_close(tuner);
    set_or_unset("AUTOTUNE_CACHE_LIMIT", NULL);
}

enum { THREADS = 4, ROUNDS = 25, SHAPES = 8 };

static void *run_many(void *tuner)
{
    size_t failures = 0;
    fake_use_context(1);
    for (int i = 0; i < ROUNDS * SHAPES; i++) {
        at_problem problem = TUNED;
        problem.sizes[1] = 64 * (1 + i % SHAPES);
        failures += run_at(tuner, problem, OUT, IN, NULL) != AT_OK;
        failures += fake_read().params[4] != problem.sizes[1];
    }
    return (void *)failures;
}

Test(library_run, serves_many_threads)
{
    pthread_t threads[THREADS];
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, run_many, tuner), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failures = NULL;
        pthread_join(threads[i], &failures);
        cr_assert_null(failures);
    }
    cr_assert_eq(fake_read().launches, 1 + THREADS * ROUNDS * SHAPES);
    cr_assert_eq(fake_read().loads, 1 + SHAPES, "small shapes have a kernel each, loaded once");
    at_close(tuner);
}

/* Well under the 2 microseconds that the header promises; the limit leaves room for sanitizers. The least of
 * several batches: other processes can only make one slower. */
Test(library_run, the_second_call_is_quick)
{
    enum { BATCHES = 20, CALLS = 5000 };
    at_tuner *tuner = tuner_with_winner();
    const at_buffer buffers[] = { { at_address(OUT), 0 }, { at_address(IN), 0 } };
    double least_us = INFINITY;
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    for (int k = 0; k < BATCHES; k++) {
        struct timespec from, to;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        for (int i = 0; i < CALLS; i++)
            cr_assert_eq(at_run(tuner, &TUNED, buffers, 2, NULL, NULL, NULL), AT_OK);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
        const double ns = 1e9 * (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec);
        least_us = fmin(least_us, 1e-3 * ns / CALLS);
    }
    cr_assert_lt(least_us, 10, "%.3f us", least_us);
    at_close(tuner);
}
