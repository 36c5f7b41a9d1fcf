/* test_progress.c - the progress line, and when it is written. */
#include "lang/catalog.h"
#include "cli/progress.h"

#include <criterion/criterion.h>
#include <string.h>

static atx_catalog *catalog;
static atx_problem problem;
static atx_progress progress;

static void open_progress(void)
{
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&problem, atx_catalog_find_op(catalog, "transpose"), ATX_F32,
                                  (int64_t[]){ 4096, 4096 }, 2, &err),
                 AT_OK, "%s", err.text);
    progress = (atx_progress){ .problem = &problem,
                               .problem_index = 1,
                               .problem_count = 3,
                               .phase = ATX_PHASE_SEARCH,
                               .done = 50,
                               .total = 100,
                               .failed = 2,
                               .best_s = 36e-6,
                               .best_share = 0.944,
                               .best = "tile_rows TILE=32",
                               .left_s = 12 };
}

static void close_progress(void)
{
    atx_catalog_close(catalog);
}

TestSuite(progress, .init = open_progress, .fini = close_progress);

static atx_display display(bool terminal, bool verbose)
{
    atx_display d;
    atx_display_init(&d, false, verbose);
    d.terminal = terminal;
    return d;
}

Test(progress, a_line_tells_where_the_run_is_and_what_is_best)
{
    atx_str line = { 0 };
    atx_progress_line(&line, &progress, -1, 0);
    cr_assert_str_eq(atx_str_text(&line),
                     "GPU 0  2/3 4096x4096 f32  search [##########..........] 50/100 (2 failed)  12 s left  "
                     "best 36.00 us, 3728 GB/s, 94.4 % of copy  tile_rows TILE=32");
    atx_str_clear(&line);
}

Test(progress, a_line_tells_of_devices_that_take_part)
{
    atx_str line = { 0 };
    progress.helping = 3;
    atx_progress_line(&line, &progress, -1, 0);
    cr_assert(strstr(atx_str_text(&line), "GPU 0 and 3 more  2/3 4096x4096 f32"), "%s", atx_str_text(&line));
    atx_str_clear(&line);
}

Test(progress, a_setup_has_no_trials_to_count)
{
    atx_str line = { 0 };
    progress.phase = ATX_PHASE_SETUP;
    progress.doing = "counting the configurations of tile";
    progress.left_s = -1;
    atx_progress_line(&line, &progress, -1, 0);
    cr_assert_str_eq(atx_str_text(&line),
                     "GPU 0  2/3 4096x4096 f32  set up: counting the configurations of tile");
    atx_str_clear(&line);
}

Test(progress, a_line_is_never_wider_than_the_terminal)
{
    for (int width = 1; width < 200; width++) {
        atx_str line = { 0 };
        atx_progress_line(&line, &progress, 30, (size_t)width);
        cr_assert_leq(line.len, (size_t)width);
        cr_assert_eq(strlen(atx_str_text(&line)), line.len);
        atx_str_clear(&line);
    }
}

/* The bar gives way before a figure does, and no word is cut. */
Test(progress, a_narrow_terminal_has_the_figures_and_a_shorter_bar)
{
    static const struct {
        size_t width;
        const char *line;
    } CASES[] = {
        { 88, "GPU 0  2/3 4096x4096 f32  search [#####.....] 50/100 (2 failed)  12 s left, 30 s for all" },
        { 80, "GPU 0  2/3 4096x4096 f32  search 50/100 (2 failed)  12 s left, 30 s for all" },
        { 70, "GPU 0  2/3 4096x4096 f32  search 50/100 (2 failed)  12 s left" },
        { 60, "GPU 0  2/3 4096x4096 f32  search 50/100 (2 failed)" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_str line = { 0 };
        atx_progress_line(&line, &progress, 30, CASES[i].width);
        cr_expect_str_eq(atx_str_text(&line), CASES[i].line);
        atx_str_clear(&line);
    }
}

Test(progress, nothing_to_count_yet_is_an_empty_bar)
{
    atx_str line = { 0 };
    progress.done = progress.total = progress.failed = 0;
    progress.best_s = 0;
    progress.left_s = -1;
    atx_progress_line(&line, &progress, -1, 0);
    cr_assert_str_eq(atx_str_text(&line), "GPU 0  2/3 4096x4096 f32  search [....................] 0/0");
    atx_str_clear(&line);
}

Test(progress, a_terminal_is_redrawn_ten_times_a_second_at_most)
{
    atx_display d = display(true, false);
    int drawn = 0;
    for (int ms = 0; ms < 10000; ms++) {
        progress.phase = ms % 2 ? ATX_PHASE_SEARCH : ATX_PHASE_REMEASURE;
        progress.problem_index = ms % 3;
        drawn += atx_display_due(&d, &progress, 100 + ms * 1e-3);
    }
    cr_assert(drawn > 90 && drawn <= 101, "%d", drawn);
}

Test(progress, devices_take_turns_on_a_terminal)
{
    atx_display d = display(true, false);
    int drawn[2] = { 0 }, switches = 0, last = 0;
    for (int ms = 0; ms < 12000; ms++) {
        progress.device = ms % 2;
        if (!atx_display_due(&d, &progress, 100 + ms * 1e-3))
            continue;
        drawn[progress.device]++;
        switches += last != progress.device;
        last = progress.device;
    }
    cr_assert(drawn[0] > 40 && drawn[1] > 40 && drawn[0] + drawn[1] <= 121, "%d %d", drawn[0], drawn[1]);
    cr_assert(switches >= 2 && switches <= 4, "%d", switches);
}

Test(progress, elsewhere_there_are_only_results)
{
    atx_display d = display(false, false);
    for (int s = 0; s < 1000; s += 10) {
        progress.problem_index = s / 100;
        cr_assert(!atx_display_due(&d, &progress, 100 + s));
    }
}

Test(progress, a_line_tells_when_all_problems_will_be_done)
{
    static const struct {
        double left_s, list_left_s;
        const char *says;
    } TRIES[] = { { 12, 99, "/100 (2 failed)  12 s left, 99 s for all  best" },
                  { -1, 5990, "/100 (2 failed)  100 min for all  best" },
                  { 12, 7200, "/100 (2 failed)  12 s left, 2.0 h for all  best" },
                  { 12, -1, "/100 (2 failed)  12 s left  best" } };
    for (size_t i = 0; i < sizeof TRIES / sizeof *TRIES; i++) {
        atx_str line = { 0 };
        progress.left_s = TRIES[i].left_s;
        atx_progress_line(&line, &progress, TRIES[i].list_left_s, 0);
        cr_assert(strstr(atx_str_text(&line), TRIES[i].says), "%s", atx_str_text(&line));
        atx_str_clear(&line);
    }
}

Test(progress, a_total_that_is_estimated_is_marked)
{
    atx_str line = { 0 };
    progress.total_is_estimate = true;
    atx_progress_line(&line, &progress, -1, 0);
    cr_assert(strstr(atx_str_text(&line), "] 50/~100 "), "%s", atx_str_text(&line));
    atx_str_clear(&line);
}

static void expect_left(const atx_display *d, double now_s, double expected_s)
{
    double left_s = atx_display_list_left(d, &progress, now_s);
    cr_assert_float_eq(left_s, expected_s, 1e-6, "%g, expected %g", left_s, expected_s);
}

Test(progress, the_time_of_a_list_follows_from_the_problems_that_are_done)
{
    atx_display d = display(true, false);
    d.list.began_s = 100;
    progress.problem_count = 12;
    progress.left_s = -1;
    expect_left(&d, 100, -1); /* nothing is known */
    progress.elapsed_s = 2;
    progress.left_s = 3;
    expect_left(&d, 102, 3 + 11 * 5); /* as if all took as long */
    atx_display_finished(&d, false, 102);
    atx_display_finished(&d, false, 102);
    expect_left(&d, 102, 3 + 9 * 5); /* what was known before has no time of its own */
    atx_display_finished(&d, true, 108);
    progress.left_s = -1;
    expect_left(&d, 110, 9 * 8 - 2);
    progress.left_s = 300;
    expect_left(&d, 110, 300); /* never less than this problem alone */
}

Test(progress, verbose_tells_every_phase_and_quiet_nothing)
{
    atx_display d = display(false, true);
    cr_assert(atx_display_due(&d, &progress, 100));
    progress.phase = ATX_PHASE_REMEASURE;
    cr_assert(atx_display_due(&d, &progress, 100.1));
    cr_assert(atx_display_due(&d, &progress, 102.2));
    d.quiet = true;
    cr_assert(!atx_display_due(&d, &progress, 200));
}
