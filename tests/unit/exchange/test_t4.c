/* test_t4.c - which trials a T4 file has, and how each stands in it; a whole one is in tests/cli/merge.cmd.
 */
#include "exchange/t4.h"
#include "store_support.h"
#include "util/str.h"

#include <criterion/criterion.h>
#include <string.h>

static atx_store *store;

static void begin(void)
{
    store = memory_ok();
}

static void end(void)
{
    atx_store_close(store);
}

TestSuite(t4, .init = begin, .fini = end);

static atx_fingerprint device(const char *name)
{
    atx_fingerprint f = H200;
    snprintf(f.device, sizeof f.device, "%s", name);
    return f;
}

/* A trial of this configuration, slower than those before it, so that it stands behind them. */
static void put(const char *op, const char *shape, const char *type_key, const char *on, const char *config)
{
    const atx_problem_key key = { op, shape, type_key, 1, 8, 0 };
    const atx_fingerprint f = device(on);
    static int count;
    atx_trial_row row = trial_of(config, 1e-3 * ++count);
    put_ok(store, &key, &f, &row, 1);
}

/* What is written, and what becomes of it. */
typedef struct page {
    atx_str text;
    int lines, most; /* after so many nobody reads any more; 0: somebody reads on */
    bool cuts;       /* the table of trials is gone once the first line is written */
    at_error err;
    at_status status;
} page;

static bool take_line(void *context, const char *line)
{
    page *p = context;
    atx_str_addf(&p->text, "%s\n", line);
    if (p->cuts)
        cr_assert_eq(sqlite3_exec(store->db, "DROP TABLE trial", NULL, NULL, NULL), SQLITE_OK);
    p->cuts = false;
    return ++p->lines != p->most;
}

static void write_page(page *p, const atx_dump_options *options)
{
    p->status = atx_t4_write(store, options, take_line, p, &p->err);
}

static page page_of(const atx_dump_options *options)
{
    page p = { .lines = 0 };
    write_page(&p, options);
    return p;
}

static void expect_written(page p, int trials)
{
    cr_expect_eq(p.status, AT_OK, "%s", p.err.text);
    cr_expect_eq(p.lines, trials + 2, "%s", atx_str_text(&p.text));
    atx_str_clear(&p.text);
}

static void expect_refused(page p, at_status status, const char *why)
{
    cr_expect_eq(p.status, status);
    cr_expect(strstr(p.err.text, why), "%s", p.err.text);
    cr_expect_eq(p.lines, 0, "nothing is written: %s", atx_str_text(&p.text));
    atx_str_clear(&p.text);
}

/* ---- which trials ---- */

Test(t4, an_operation_chooses_the_problem)
{
    put("blur", "64x64", "b4", "GPU", "A=1");
    put("fold", "64x64", "b4", "GPU", "A=2");
    page p = page_of(&(atx_dump_options){ .op = "fold" });
    cr_expect(strstr(atx_str_text(&p.text), "\"kernel\":\"fold\",\"shape\":\"64x64\",\"type\":\"b4\""), "%s",
              atx_str_text(&p.text));
    cr_expect(strstr(atx_str_text(&p.text), "{\"A\":2}"), "%s", atx_str_text(&p.text));
    expect_written(p, 1);
}

Test(t4, a_problem_is_chosen_by_its_shape_and_its_type)
{
    const atx_problem_key wanted[] = { { "", "8x8", "b4", 0, 0, 0 }, { "", "64x64", "b2", 0, 0, 0 } };
    const atx_dump_options options = { .problems = wanted, .problem_count = 2 };
    put("blur", "64x64", "b4", "GPU", "A=1");
    put("blur", "8x8", "b2", "GPU", "A=2");
    expect_refused(page_of(&options), AT_ERR_NOT_FOUND, "no trials are stored that these options choose");
    put("blur", "64x64", "b2", "GPU", "A=3");
    page p = page_of(&options);
    cr_expect(strstr(atx_str_text(&p.text), "{\"A\":3}"), "%s", atx_str_text(&p.text));
    expect_written(p, 1);
}

Test(t4, there_is_a_place_for_one_problem)
{
    put("blur", "64x64", "b4", "GPU", "A=1");
    put("blur", "64x64", "b2", "GPU", "A=1");
    put("fold", "64x64", "b4", "GPU", "A=1");
    expect_refused(page_of(&(atx_dump_options){ .op = NULL }), AT_ERR_INPUT, "found 3 problems");
    expect_refused(page_of(&(atx_dump_options){ .op = "blur" }), AT_ERR_INPUT, "found 2 problems");
}

Test(t4, an_empty_store_has_no_trials)
{
    expect_refused(page_of(&(atx_dump_options){ .op = NULL }), AT_ERR_NOT_FOUND, "no trials are stored");
}

Test(t4, there_is_a_place_for_one_device)
{
    put("blur", "64x64", "b4", "NVIDIA H100", "A=1");
    put("blur", "64x64", "b4", "NVIDIA H200", "A=2");
    put("blur", "64x64", "b4", "NVIDIA H200", "A=3");
    put("blur", "64x64", "b4", "NVIDIA H100", "A=4");
    put("blur", "64x64", "b4", "NVIDIA H200 NVL", "A=5");
    expect_refused(page_of(&(atx_dump_options){ .op = NULL }), AT_ERR_INPUT, "several devices");
    expect_refused(page_of(&(atx_dump_options){ .device = "A100" }), AT_ERR_NOT_FOUND,
                   "no trials are stored");
    page p = page_of(&(atx_dump_options){ .device = "NVIDIA H200" });
    cr_expect(strstr(atx_str_text(&p.text), "\"device\":\"NVIDIA H200\""), "%s", atx_str_text(&p.text));
    cr_expect_null(strstr(atx_str_text(&p.text), "{\"A\":1}"), "%s", atx_str_text(&p.text));
    expect_written(p, 2);
}

/* ---- how a trial stands there ---- */

/* The one line of a trial. */
static page line_of(atx_trial_row row)
{
    const atx_fingerprint f = device("GPU");
    put_ok(store, &KEY, &f, &row, 1);
    page p = page_of(&(atx_dump_options){ .op = NULL });
    cr_assert_eq(p.status, AT_OK, "%s", p.err.text);
    return p;
}

static void expect_line(atx_trial_row row, const char *part)
{
    page p = line_of(row);
    cr_expect(strstr(atx_str_text(&p.text), part), "expected %s in %s", part, atx_str_text(&p.text));
    atx_str_clear(&p.text);
}

Test(t4, values_are_numbers_where_json_has_them)
{
    expect_line(trial_of("A=0 B=-39 C=007 D=-0 E=-07 F=- G=19ab H=1.5 I= J=x=y K=\"", 1e-3),
                "{\"A\":0,\"B\":-39,\"C\":\"007\",\"D\":-0,\"E\":\"-07\",\"F\":\"-\",\"G\":\"19ab\","
                "\"H\":\"1.5\",\"I\":\"\",\"J\":\"x=y\",\"K\":\"\\\"\"}");
}

Test(t4, what_is_no_value_is_left_out_of_a_configuration)
{
    expect_line(trial_of("A=1  fast   B=2 slow", 1e-3), "\"configuration\":{\"A\":1,\"B\":2}");
}

Test(t4, a_configuration_has_its_template_where_there_are_several)
{
    atx_trial_row rows[] = { trial_of("A=1", 1e-3), trial_of("", 2e-3), trial_of("A=3", 3e-3) };
    const atx_fingerprint gpu = device("GPU");
    rows[0].template_name = rows[2].template_name = "one";
    rows[1].template_name = "other";
    expect_line(rows[0], "\"configuration\":{\"A\":1}");
    put_ok(store, &KEY, &gpu, &rows[1], 1);
    page p = line_of(rows[2]);
    cr_expect(strstr(atx_str_text(&p.text), "{\"template\":\"one\",\"A\":1}"), "%s", atx_str_text(&p.text));
    cr_expect(strstr(atx_str_text(&p.text), "{\"template\":\"other\"}"), "%s", atx_str_text(&p.text));
    atx_str_clear(&p.text);
}

Test(t4, a_failure_has_its_word_in_place_of_a_time)
{
    static const struct {
        atx_outcome outcome;
        const char *config, *invalidity, *time, *word;
    } FAILED[] = {
        { ATX_COMPILE_FAILED, "A=1", "compile", "CompilationFailedConfig", "compile_failed" },
        { ATX_LAUNCH_FAILED, "A=2", "runtime", "RuntimeFailedConfig", "launch_failed" },
        { ATX_WRONG_RESULT, "A=3", "correctness", "RuntimeFailedConfig", "wrong_result" },
        { ATX_CRASHED, "A=4", "runtime", "RuntimeFailedConfig", "crashed" },
        { ATX_TIMED_OUT, "A=5", "timeout", "RuntimeFailedConfig", "timed_out" },
    };
    for (size_t i = 0; i < sizeof FAILED / sizeof *FAILED; i++) {
        char part[320];
        atx_trial_row row = trial_of(FAILED[i].config, 0);
        row.outcome = FAILED[i].outcome;
        row.resources = ATX_RESOURCES_UNKNOWN;
        snprintf(part, sizeof part,
                 "{\"%c\":%c},\"times\":{\"compilation\":0,\"framework\":0,\"search_algorithm\":0,"
                 "\"validation\":0},\"invalidity\":\"%s\",\"correctness\":0,\"measurements\":[{\"name\":"
                 "\"time\",\"value\":\"%s\",\"unit\":\"ms\"},{\"name\":\"outcome\",\"value\":\"%s\",\"unit\":"
                 "\"\"}]",
                 row.config[0], row.config[2], FAILED[i].invalidity, FAILED[i].time, FAILED[i].word);
        expect_line(row, part);
    }
}

Test(t4, times_are_milliseconds_with_all_their_digits)
{
    atx_trial_row row = trial_of("A=1", 0.0123456789012345);
    row.timing.min_s = 0.0120000000000001;
    row.compile_s = 1.25;
    page p = line_of(row);
    const char *text = atx_str_text(&p.text);
    cr_expect(strstr(text, "\"compilation\":1250,"), "%s", text);
    cr_expect(strstr(text, "\"runtimes\":[12.3456789012345]"), "%s", text);
    cr_expect(strstr(text, "{\"name\":\"time\",\"value\":12.3456789012345,\"unit\":\"ms\"}"), "%s", text);
    cr_expect(strstr(text, "{\"name\":\"time_min\",\"value\":12.0000000000001,\"unit\":\"ms\"}"), "%s", text);
    atx_str_clear(&p.text);
}

Test(t4, what_is_not_known_of_a_kernel_is_no_measurement)
{
    atx_trial_row row = trial_of("A=1", 1e-3);
    row.resources = ATX_RESOURCES_UNKNOWN;
    row.resources.local_bytes = 0;
    page p = line_of(row);
    const char *text = atx_str_text(&p.text);
    cr_expect(strstr(text, "{\"name\":\"local_memory\",\"value\":0,\"unit\":\"bytes\"}"), "%s", text);
    cr_expect_null(strstr(text, "registers"), "%s", text);
    cr_expect_null(strstr(text, "spill_traffic"), "%s", text);
    atx_str_clear(&p.text);
}

/* ---- what goes wrong ---- */

Test(t4, it_ends_when_nobody_reads_any_more)
{
    put("blur", "64x64", "b4", "GPU", "A=1");
    put("blur", "64x64", "b4", "GPU", "A=2");
    for (int most = 1; most <= 3; most++) {
        page p = { .most = most };
        write_page(&p, &(atx_dump_options){ .op = NULL });
        cr_expect_eq(p.status, AT_OK, "%s", p.err.text);
        cr_expect_eq(p.lines, most);
        atx_str_clear(&p.text);
    }
}

/* It is no JSON then, and nobody takes half of the trials for all. */
Test(t4, what_breaks_off_has_no_end)
{
    put("blur", "64x64", "b4", "GPU", "A=1");
    page p = { .cuts = true };
    write_page(&p, &(atx_dump_options){ .op = NULL });
    cr_expect_eq(p.status, AT_ERR_STORE, "%s", p.err.text);
    cr_expect_eq(p.lines, 1, "%s", atx_str_text(&p.text));
    atx_str_clear(&p.text);
}

Test(t4, trials_that_cannot_be_read_are_told_from_none)
{
    put("blur", "64x64", "b4", "GPU", "A=1");
    cr_assert_eq(sqlite3_exec(store->db, "DROP TABLE trial", NULL, NULL, NULL), SQLITE_OK);
    expect_refused(page_of(&(atx_dump_options){ .op = NULL }), AT_ERR_STORE, "trial");
}

Test(t4, problems_that_cannot_be_read_are_told_from_none)
{
    cr_assert_eq(sqlite3_exec(store->db, "DROP TABLE problem", NULL, NULL, NULL), SQLITE_OK);
    expect_refused(page_of(&(atx_dump_options){ .op = NULL }), AT_ERR_STORE, "problem");
}
