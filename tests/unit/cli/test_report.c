/* test_report.c - results as text, JSON lines and CSV; the progress line is a program's, see tests/cli. */
#include "cli/report.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static atx_catalog *catalog;

static void open_catalog(void)
{
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
}

static void close_catalog(void)
{
    atx_catalog_close(catalog);
}

TestSuite(report, .init = open_catalog, .fini = close_catalog);

static atx_problem problem(void)
{
    atx_problem p;
    at_error err = { 0 };
    cr_assert_eq(atx_problem_init(&p, atx_catalog_find_op(catalog, "transpose"), ATX_F32,
                                  (int64_t[]){ 512, 2048 }, 2, &err),
                 AT_OK, "%s", err.text);
    return p;
}

static const atx_answer ANSWER = {
    .winner = { .template_name = "tile",
                .config = "A=1 B=\"2\"",
                .timing.median_s = 4e-6,
                .timing.min_s = 3.9e-6,
                .timing.spread = 0.01,
                .timing.samples = 45,
                .ceiling_s = 3.5e-6,
                .ceiling_name = "memcpy",
                .ties = "x\ny",
                .objective = "",
                .trials = 10,
                .space_count = 20,
                .geometry = { .grid = { 1, 2, 3 }, .block = { 4, 5, 6 }, .shared_bytes = 512 },
                .resources = { 40, 4608, 16, 24, 32 },
                .conditions = { .temperature_c = 40 } },
    .fingerprint = { .device = "GPU, the \"one\"", .driver = "1", .nvrtc = "13.0" },
    .traffic_bytes = 8000,
};

static char *report(atx_format format, const atx_result *r)
{
    atx_str out = { 0 };
    atx_report_result(&out, &(atx_report_layout){ .format = format }, r);
    cr_assert(!out.failed && out.len > 0);
    return out.data;
}

Test(report, a_row_has_time_speed_share_and_notes)
{
    atx_problem p = problem();
    atx_result r = { .problem = &p, .found = true, .answer = &ANSWER, .interrupted = true };
    char *row = report(ATX_TEXT, &r);
    cr_assert_str_eq(
        row, "512x2048 f32               4.00 us        2 87.5 %  tile A=1 B=\"2\"  [tied with 2 others]  "
             "[interrupted]  [10 of 20 configurations]\n");
    free(row);
}

static const char *text_row(const atx_report_layout *layout, const atx_result *r)
{
    static atx_str out;
    atx_str_clear(&out);
    atx_report_result(&out, layout, r);
    return atx_str_text(&out);
}

Test(report, a_row_that_is_too_wide_has_its_details_below)
{
    atx_problem p = problem();
    atx_result r = { .problem = &p, .found = true, .answer = &ANSWER };
    atx_report_layout layout = { .width = 60 };
    atx_report_fit(&layout, &p, 1);
    cr_assert_str_eq(text_row(&layout, &r), "512x2048 f32               4.00 us        2 87.5 %\n"
                                            "    tile A=1 B=\"2\"  [tied with 2 others]  [10 of 20\n"
                                            "    configurations]\n");
    layout.width = 115;
    cr_assert(strchr(text_row(&layout, &r), '\n')[1] == '\0', "%s", text_row(&layout, &r));
    layout.width = 114;
    cr_assert(strchr(text_row(&layout, &r), '\n')[1] != '\0', "%s", text_row(&layout, &r));
}

Test(report, the_first_column_is_as_wide_as_the_longest_problem)
{
    atx_str head = { 0 };
    atx_problem p = problem();
    at_error err = { 0 };
    cr_assert_eq(atx_problem_init(&p, atx_catalog_find_op(catalog, "transpose"), ATX_BF16,
                                  (int64_t[]){ 12345, 123456789, 1234 }, 3, &err),
                 AT_OK, "%s", err.text);
    atx_report_layout layout = { .width = 200 };
    atx_report_fit(&layout, &p, 1);
    cr_assert_eq(layout.problem_columns, strlen("12345x123456789x1234 bf16"));
    atx_report_head(&head, &layout);
    cr_assert_str_eq(atx_str_text(&head), "problem                          time     GB/s   copy  winner\n");
    atx_str_clear(&head);
}

Test(report, a_problem_without_winner_says_why)
{
    atx_problem p = problem();
    atx_result r = { .problem = &p, .why = "it does, \"not\" fit" };
    char *row = report(ATX_TEXT, &r), *json = report(ATX_JSON, &r), *csv = report(ATX_CSV, &r);
    cr_assert_str_eq(row, "512x2048 f32           no winner: it does, \"not\" fit\n");
    cr_assert(strstr(json, "\"why\":\"it does, \\\"not\\\" fit\""), "%s", json);
    cr_assert(strstr(csv, "none,\"it does, \"\"not\"\" fit\","), "%s", csv);
    free(row);
    free(json);
    free(csv);
}

/* Commas outside of quotes. */
static int fields(const char *line)
{
    int count = 1;
    bool quoted = false;
    for (; *line && (*line != '\n' || quoted); line++) {
        quoted ^= *line == '"';
        count += *line == ',' && !quoted;
    }
    return count;
}

Test(report, every_csv_row_has_the_columns_of_the_head)
{
    atx_problem p = problem();
    atx_result good = { .problem = &p, .found = true, .answer = &ANSWER },
               bad = { .problem = &p, .why = "no" };
    atx_str head = { 0 };
    atx_report_head(&head, &(atx_report_layout){ .format = ATX_CSV });
    char *a = report(ATX_CSV, &good), *b = report(ATX_CSV, &bad);
    cr_assert_eq(fields(a), fields(atx_str_text(&head)), "%s%s", atx_str_text(&head), a);
    cr_assert_eq(fields(b), fields(atx_str_text(&head)), "%s%s", atx_str_text(&head), b);
    free(a);
    free(b);
    atx_str_clear(&head);
}

Test(report, json_is_one_escaped_line)
{
    atx_problem p = problem();
    atx_result r = { .problem = &p, .found = true, .answer = &ANSWER };
    char *json = report(ATX_JSON, &r);
    cr_assert(strchr(json, '\n') == json + strlen(json) - 1);
    cr_assert(strstr(json, "\"config\":\"A=1 B=\\\"2\\\"\""), "%s", json);
    cr_assert(strstr(json, "\"ties\":\"x\\ny\""), "%s", json);
    cr_assert(strstr(json, "\"grid_x\":1,\"grid_y\":2,\"grid_z\":3"), "%s", json);
    cr_assert(strstr(json, "\"device\":\"GPU, the \\\"one\\\"\""), "%s", json);
    cr_assert(strstr(json, "\"temperature_c\":40"), "%s", json);
    cr_assert(strstr(json, "\"measured_at\":null"), "%s", json);
    free(json);
}

Test(report, totals_count_every_outcome)
{
    atx_problem p = problem();
    atx_totals t = { 0 };
    atx_str out = { 0 };
    atx_result r = { .problem = &p, .found = true, .answer = &ANSWER, .compiled = 5 };
    r.outcomes[ATX_TIMED] = 7;
    r.outcomes[ATX_CRASHED] = 1;
    atx_totals_add(&t, &r);
    atx_report_totals(&out, &t, 2.0);
    cr_assert_str_eq(atx_str_text(&out),
                     "1 of 1 problems have a winner; 8 trials, 1 crashed; 5 kernels compiled; 2.0 s, "
                     "4 configurations a second");
    atx_str_clear(&out);
}

Test(report, totals_of_a_list_that_was_interrupted_count_all_of_it)
{
    atx_problem p = problem();
    atx_totals t = { .listed = 14 };
    atx_str out = { 0 };
    atx_result r = { .problem = &p, .found = true, .answer = &ANSWER, .interrupted = true };
    for (int i = 0; i < 3; i++)
        atx_totals_add(&t, &r);
    atx_report_totals(&out, &t, 2.0);
    cr_assert_str_eq(atx_str_text(&out),
                     "3 of 14 problems have a winner; 0 trials; 0 kernels compiled; 2.0 s; "
                     "interrupted, the same command goes on from here");
    atx_str_clear(&out);
}

Test(report, totals_say_how_busy_the_device_was_and_what_races_spared_it)
{
    atx_problem p = problem();
    atx_totals t = { 0 };
    atx_str out = { 0 };
    atx_result r = { .problem = &p, .device_busy_s = 3, .device_open_s = 4, .race_saved_s = 1.26, .why = "" };
    r.outcomes[ATX_TIMED] = 8;
    atx_totals_add(&t, &r);
    atx_totals_add(&t, &r);
    atx_report_totals(&out, &t, 4.0);
    cr_assert_str_eq(
        atx_str_text(&out),
        "0 of 2 problems have a winner; 16 trials; 0 kernels compiled; 4.0 s, 4 configurations a "
        "second; device busy 75 %, races spared it 2.5 s");
    atx_str_clear(&out);
}
