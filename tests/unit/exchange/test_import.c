/* test_import.c - recorded spaces of other tuners: what comes into the store, what is refused, and replays.
 */
#include "exchange/import.h"
#include "exchange/import_file.h"
#include "exchange/t4.h"
#include "tune/tune.h"
#include "scratch_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(import, .init = enter_scratch, .fini = leave_scratch);

#define DATA AT_SOURCE_DIR "/tests/data/import/"

typedef struct warnings {
    int count;
    char last[600];
} warnings;

static void on_warning(void *context, const char *text)
{
    warnings *w = context;
    w->count++;
    snprintf(w->last, sizeof w->last, "%s", text);
}

static at_status try_read(atx_import *out, warnings *w, const char *const *paths, int count, at_error *err)
{
    atx_import_options options = { .context = w, .warning = on_warning };
    *w = (warnings){ 0 };
    return atx_import_read(out, paths, count, &options, err);
}

static atx_import read_ok(const char *first, const char *second)
{
    const char *const paths[] = { first, second };
    atx_import import = { 0 };
    warnings w;
    at_error err = { 0 };
    cr_assert_eq(try_read(&import, &w, paths, second ? 2 : 1, &err), AT_OK, "%s", err.text);
    return import;
}

static const char *write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    cr_assert(file);
    fputs(text, file);
    fclose(file);
    return name;
}

static const atx_trial_row *find_row(const atx_imported *item, const char *config)
{
    for (size_t i = 0; i < item->count; i++)
        if (strcmp(item->rows[i].config, config) == 0)
            return &item->rows[i];
    cr_assert_fail("no trial of %s", config);
    return NULL;
}

/* ---- what is read ---- */

Test(import, reads_a_cache_file)
{
    atx_import import = read_ok(DATA "scale_cache.json", NULL);
    const atx_imported *item = &import.items[0];
    cr_assert_eq(import.count, 1);
    cr_assert_str_eq(item->op->name, "scale");
    cr_assert(item->op->recorded);
    cr_assert_str_eq(item->t->name, "kernel");
    cr_assert_eq(item->problem.dims[0], 1024);
    cr_assert_eq(item->problem.dims[1], 512);
    cr_assert_str_eq(item->fingerprint.device, "Example GPU");
    cr_assert_eq(item->count, 7);
    cr_assert_eq(item->outcomes[ATX_TIMED], 3);
    cr_assert_eq(item->outcomes[ATX_COMPILE_FAILED], 1);
    cr_assert_eq(item->outcomes[ATX_LAUNCH_FAILED], 3);
    cr_assert_not(item->torn);

    const atx_trial_row *row = find_row(item, "block_size_x=32 items=1 order=rows streaming=1");
    cr_assert_eq(row->outcome, ATX_TIMED);
    cr_assert_float_eq(row->timing.median_s, 2e-3, 1e-12, "the objective");
    cr_assert_float_eq(row->timing.min_s, 1.5e-3, 1e-12);
    cr_assert_float_eq(row->timing.spread, 0.4, 1e-9, "(p90 - p10) / median of the repetitions");
    cr_assert_eq(row->timing.samples, 3);
    cr_assert_float_eq(row->compile_s, 0.25, 1e-12);
    cr_assert_str_eq(row->measured_at, "2024-05-06T05:08:09Z", "UTC");

    row = find_row(item, "block_size_x=64 items=2 order=columns streaming=0");
    cr_assert_eq(row->timing.samples, 1, "no repetitions were recorded");
    cr_assert_float_eq(row->timing.min_s, 0.75e-3, 1e-12);
    row = find_row(item, "block_size_x=128 items=2 order=rows streaming=0");
    cr_assert_eq(row->outcome, ATX_LAUNCH_FAILED);
    cr_assert_str_eq(row->log, "RuntimeFailedConfig");
    atx_import_clear(&import);
}

Test(import, reads_t4_results)
{
    atx_import import = read_ok(DATA "scale_t4.json", NULL);
    const atx_imported *item = &import.items[0];
    cr_assert_str_eq(item->op->name, "scale_t4", "after the file: it names no kernel");
    cr_assert_str_eq(item->fingerprint.device, "scale_t4", "nor a device");
    cr_assert_eq(item->outcomes[ATX_TIMED], 1);
    cr_assert_eq(item->outcomes[ATX_TIMED_OUT], 1);
    cr_assert_eq(item->outcomes[ATX_WRONG_RESULT], 1);
    const atx_trial_row *row = find_row(item, "block_size_x=64 items=2 order=rows streaming=0");
    cr_assert_float_eq(row->timing.median_s, 500e-6, 1e-12, "microseconds");
    cr_assert_eq(row->timing.samples, 2);
    cr_assert_float_eq(row->compile_s, 0.1, 1e-12);
    const atx_param *items = &item->t->scope.params[1];
    cr_assert_eq(items->count, 3, "the values that occur, ascending");
    cr_assert_eq(items->values[0], 1);
    cr_assert_eq(items->values[2], 4);
    atx_import_clear(&import);
}

/* A row needs a time, or a word for why there is none; most have both. */
Test(import, a_t4_result_has_a_time_or_a_word_for_why_there_is_none)
{
    write_file("half.json",
               "{\"results\": [\n"
               "{\"configuration\": {\"a\": 1}, \"measurements\": [{\"name\": \"time\", \"value\": 2}]},\n"
               "{\"configuration\": {\"a\": 2}, \"invalidity\": \"timeout\"},\n"
               "{\"configuration\": {\"a\": 3}, \"invalidity\": \"compile\"}]}");
    atx_import import = read_ok("half.json", NULL);
    const atx_imported *item = &import.items[0];
    cr_assert_eq(item->count, 3);
    cr_assert_eq(find_row(item, "a=1")->outcome, ATX_TIMED);
    cr_assert_float_eq(find_row(item, "a=1")->timing.median_s, 2e-3, 1e-12,
                       "milliseconds, when it is not said");
    cr_assert_eq(find_row(item, "a=2")->outcome, ATX_TIMED_OUT);
    cr_assert_eq(find_row(item, "a=3")->outcome, ATX_COMPILE_FAILED);
    atx_import_clear(&import);
}

Test(import, t4_results_take_values_sizes_and_name_from_their_declaration)
{
    atx_import import = read_ok(DATA "scale_t1.json", DATA "scale_t4.json");
    const atx_imported *item = &import.items[0];
    cr_assert_eq(import.count, 1);
    cr_assert_str_eq(item->op->name, "scale");
    cr_assert_eq(item->problem.type, ATX_F64, "the first argument that is written");
    cr_assert_eq(item->problem.dims[1], 512);
    cr_assert_eq(item->t->scope.params[0].count, 3);
    cr_assert_eq(item->t->scope.params[0].values[2], 128);
    cr_assert_eq(item->t->scope.require_count, 5);
    find_row(item, "block_size_x=32 items=4 order=columns streaming=1");
    atx_import_clear(&import);
}

Test(import, a_declaration_alone_is_declared)
{
    atx_import import = read_ok(DATA "scale_t1.json", NULL);
    cr_assert_eq(import.items[0].count, 0);
    cr_assert_eq(import.items[0].t->scope.param_count, 5);
    cr_assert_eq(import.items[0].t->scope.require_count, 5);
    atx_import_clear(&import);
}

Test(import, a_condition_that_recorded_configurations_break_is_left_out_with_a_warning)
{
    const char *const paths[] = { DATA "scale_cache.json", DATA "scale_t1.json" };
    atx_import import = { 0 };
    warnings w;
    at_error err = { 0 };
    cr_assert_eq(try_read(&import, &w, paths, 2, &err), AT_OK, "%s", err.text);
    cr_assert_eq(w.count, 1);
    cr_assert(strstr(w.last, "scale_t1.json:15:24: found 1 of 7 recorded configurations that break"), "%s",
              w.last);
    cr_assert_eq(import.items[0].t->scope.require_count, 4);
    atx_import_clear(&import);
}

Test(import, a_torn_cache_file_gives_what_was_complete)
{
    char whole[8192] = "";
    FILE *file = fopen(DATA "scale_cache.json", "r");
    size_t len = fread(whole, 1, sizeof whole - 1, file);
    fclose(file);
    char *cut = strstr(whole, "\"items\": 2, \"order\": \"columns\"");
    cr_assert(cut && (size_t)(cut - whole) < len);
    *cut = '\0';
    atx_import import = read_ok(write_file("torn.json", whole), NULL);
    cr_assert(import.items[0].torn);
    cr_assert_eq(import.items[0].count, 2);
    atx_import_clear(&import);
}

/* ---- what is refused ---- */

#define CACHE(keys, values, entries)                                                                         \
    "{\"kernel_name\": \"k\", \"tune_params_keys\": " keys ",\n\"tune_params\": " values                     \
    ",\n\"cache\": {" entries "}}"
#define T1(values, condition)                                                                                \
    "{\"ConfigurationSpace\": {\n\"TuningParameters\": [{\"Name\": \"a\", \"Values\": \"" values "\"}],\n"   \
    "\"Conditions\": [{\"Expression\": \"" condition "\"}]}}"

#define T4(metadata, value, unit)                                                                            \
    "{\"metadata\": {" metadata "}, \"results\": [\n{\"configuration\": {\"a\": 1}, "                        \
    "\"invalidity\": \"correct\", \"measurements\": [{\"name\": \"time\", \"value\": " value                 \
    ", \"unit\": \"" unit "\"}]}]}"
#define OWN(more, results)                                                                                   \
    "{\"metadata\": {\"kernel\": \"k\", \"shape\": \"3x4\", \"type\": \"b4\", \"device\": \"D\"" more        \
    "}, \"results\": [\n" results "]}"

static const struct {
    const char *text, *message;
} REFUSED[] = {
    { "[1, 2]", "bad.json: expected a T1 declaration (ConfigurationSpace), a Kernel Tuner cache file" },
    { "{\"cache\": {}}",
      "bad.json: expected a T1 declaration (ConfigurationSpace), a Kernel Tuner cache file" },
    { "{\"results\": []}", "bad.json:1:13: found no result with a configuration; expected one" },
    { "{\"results\": [", "bad.json:1:13: found no result with a configuration; expected one" },
    { "{\"results\": [{\"configuration\": {\"a\": 1}}]}",
      "bad.json:1:14: found a result without configuration" },
    { CACHE("[]", "{}", ""), "bad.json:1:42: found no parameters; expected a list of their names" },
    { CACHE("[\"a\"]", "{}", ""), "bad.json:1:44: found no values of a in tune_params" },
    { CACHE("[\"a b\"]", "{}", ""), "bad.json:1:44: found 'a b'; expected the name of a parameter" },
    { CACHE("[\"a\"]", "{\"a\": [[1]]}", ""), "bad.json:2:23: found a list or an object" },
    { CACHE("[\"a\"]", "{\"a\": [1]}", "\"1\": {\"a\": 1}"),
      "bad.json:3:16: found an entry with neither time nor __error__; expected a number, or why it failed" },
    { CACHE("[\"a\"]", "{\"a\": [1]}", "\"2\": {\"a\": 2, \"time\": 1}"),
      "bad.json:3:22: found a = 2, which is none of the declared values" },
    { CACHE("[\"a\"]", "{\"a\": [1]}", "\"1\": {\"a\": 1, \"time\": 1e400}"),
      "bad.json:3:16: median_s: found inf; expected a number from 1e-15 to 1000000000" },
    { CACHE("[\"a\"]", "{\"a\": [1]}", "\"1\": {\"a\": 1, \"time\": 1e30}"),
      "bad.json:3:16: median_s: found 1e+27; expected a number from 1e-15 to 1000000000" },
    { CACHE("[\"a\"]", "{\"a\": [1]}", "\"1\": {\"time\": 1}"),
      "bad.json:3:16: found no value of a; expected one of every parameter" },
    { CACHE("[\"a\"]", "{\"a\": [\"x y\", \"x,y\"]}", "\"1\": {\"a\": \"x y\", \"time\": 1}"),
      "bad.json: its space cannot be declared: declaration:11:19: found 'a_x_y' a second time" },
    { T4("\"timeunit\": \"fortnights\"", "1", ""),
      "bad.json:1:28: found the unit 'fortnights' of a time; expected seconds, milliseconds" },
    { T4("\"timeunit\": 3", "1", ""), "bad.json:1:27: found the unit '3' of a time; expected seconds" },
    { T4("", "1", "GFLOP/s"), "bad.json:2:109: found the unit 'GFLOP/s' of a time; expected seconds" },
    { OWN("", "{\"configuration\": {\"a\": 1}, \"invalidity\": \"compile\"}"),
      "bad.json:2:1: found a configuration without a template, and none in the metadata; expected" },
    { OWN(", \"template\": \"a b\"", "{\"configuration\": {\"a\": 1}, \"invalidity\": \"compile\"}"),
      "bad.json:1:88: found 'a b'; expected the name of a template: letters, digits and _" },
    { T1("[1, 2.5]", "a > 1"), "bad.json:2:51: found '2.5'; expected an integer" },
    { T1("[1, 1]", "a > 1"), "bad.json:2:47: found a value of 'a' twice; expected each once" },
    { T1("[]", "a > 1"), "bad.json:2:47: found no values of 'a'; expected a list of them" },
    { T1("[1, 2]", "a > b"), "bad.json:3:36: found 'b'; expected the name of a parameter" },
    { T1("[1, 2]", "1 / a == 1"),
      "bad.json:3:34: found a quotient that is not whole; expected only exact ones, or //; at a=2" },
    { T1("[-1, 2]", "a % 2 == 1"), "bad.json:3:34: found a side below zero; expected none; at a=-1" },
    { "{\"ConfigurationSpace\": {}}", "bad.json:1:24: found no parameters" },
};

Test(import, says_what_is_wrong_and_where)
{
    const char *const paths[] = { "bad.json" };
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        atx_import import = { 0 };
        warnings w;
        at_error err = { 0 };
        write_file("bad.json", REFUSED[i].text);
        cr_assert_eq(try_read(&import, &w, paths, 1, &err), AT_ERR_INPUT, "%s", REFUSED[i].text);
        cr_assert_eq(strncmp(err.text, REFUSED[i].message, strlen(REFUSED[i].message)), 0, "%s\n%s",
                     REFUSED[i].text, err.text);
    }
}

/* ---- what other versions write ---- */

Test(import, a_failure_of_kernel_tuner_has_a_word_or_a_time_that_is_none)
{
    atx_import import =
        read_ok(write_file("failed.json", CACHE("[\"a\"]", "{\"a\": [1, 2, 3, 4]}",
                                                "\"1\": {\"a\": 1, \"time\": 2}, \"2\": {\"a\": 2, "
                                                "\"__error__\": \"CompilationFailedConfig\"},"
                                                "\"3\": {\"a\": 3, \"time\": 1e20}, \"4\": {\"a\": 4, "
                                                "\"time\": 3, \"__error__\": \"InvalidConfig\"}")),
                NULL);
    const atx_imported *item = &import.items[0];
    cr_assert_eq(item->count, 4);
    cr_expect_eq(find_row(item, "a=1")->outcome, ATX_TIMED);
    cr_expect_eq(find_row(item, "a=2")->outcome, ATX_COMPILE_FAILED);
    cr_expect_str_eq(find_row(item, "a=2")->log, "CompilationFailedConfig");
    cr_expect_eq(find_row(item, "a=3")->outcome, ATX_LAUNCH_FAILED);
    cr_expect_str_eq(find_row(item, "a=3")->log, "1e20");
    cr_expect_eq(find_row(item, "a=4")->outcome, ATX_LAUNCH_FAILED);
    atx_import_clear(&import);
}

Test(import, times_are_in_the_unit_that_is_said)
{
    static const struct {
        const char *text;
        double median_s;
    } CASES[] = {
        { T4("\"timeunit\": \"s\"", "2.5", ""), 2.5 },
        { T4("\"timeunit\": \"Seconds\"", "2.5", ""), 2.5 },
        { T4("\"timeunit\": \"milliseconds\"", "2.5", ""), 2.5e-3 },
        { T4("\"timeunit\": \"miliseconds\"", "2.5", ""), 2.5e-3 },
        { T4("\"timeunit\": \"us\"", "2.5", ""), 2.5e-6 },
        { T4("\"timeunit\": \"\u00b5s\"", "2.5", ""), 2.5e-6 },
        { T4("\"timeunit\": \"microseconds\"", "2.5", ""), 2.5e-6 },
        { T4("\"timeunit\": \"ns\"", "2.5", ""), 2.5e-9 },
        { T4("\"timeunit\": \"nanoseconds\"", "2.5", ""), 2.5e-9 },
        { T4("", "2.5", ""), 2.5e-3 },
        { T4("\"timeunit\": \"s\"", "2.5", "us"), 2.5e-6 }, /* a measurement's own goes first */
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_import import = read_ok(write_file("unit.json", CASES[i].text), NULL);
        cr_expect_float_eq(import.items[0].rows[0].timing.median_s / CASES[i].median_s, 1, 1e-12, "%s",
                           CASES[i].text);
        atx_import_clear(&import);
    }
}

/* ---- what autotune writes ---- */

#define FAILED(configuration) "{\"configuration\": {" configuration "}, \"invalidity\": \"compile\"}"

Test(import, t4_results_of_ours_keep_their_problem_and_their_template)
{
    atx_import import = read_ok(
        write_file("own.json", OWN(", \"template\": \"tile\"", FAILED("\"A\": 1") "," FAILED("\"A\": 2"))),
        NULL);
    const atx_imported *item = &import.items[0];
    cr_assert_eq(import.count, 1);
    cr_expect_str_eq(item->op->name, "k");
    cr_expect_str_eq(item->t->name, "tile");
    cr_expect_str_eq(item->fingerprint.device, "D");
    cr_expect_eq(item->problem.type, ATX_F32, "of 4 bytes");
    cr_assert_eq(item->op->shape.dim_count, 2);
    cr_expect(item->problem.dims[0] == 3 && item->problem.dims[1] == 4);
    atx_import_clear(&import);
}

Test(import, a_shape_that_is_more_than_sizes_is_a_part_of_the_name)
{
    static const char TEXT[] =
        "{\"metadata\": {\"kernel\": \"permute\", \"shape\": \"4x8:1.0\", \"type\": \"b2\", "
        "\"template\": \"t\"}, \"results\": [" FAILED("\"A\": 1") "]}";
    atx_import import = read_ok(write_file("own.json", TEXT), NULL);
    cr_expect_str_eq(import.items[0].op->name, "permute_4x8_1_0");
    atx_import_clear(&import);
}

/* Each template is an item with parameters of its own, and one operation in the store. */
Test(import, t4_results_of_several_templates_become_several_templates)
{
    atx_import import = read_ok(
        write_file(
            "own.json",
            OWN("", FAILED("\"template\": \"wide\", \"A\": 1") "," FAILED(
                        "\"template\": \"tall\", \"B\": \"x\", \"C\": 3") "," FAILED("\"template\": "
                                                                                     "\"wide\", \"A\": 2"))),
        NULL);
    at_error err = { 0 };
    atx_store *store = memory_ok();
    cr_assert_eq(import.count, 2);
    cr_assert_eq(import.items[0].count, 2);
    cr_assert_eq(import.items[1].count, 1);
    find_row(&import.items[0], "A=2");
    find_row(&import.items[1], "B=x C=3");
    for (int i = 0; i < 2; i++)
        cr_assert_eq(atx_import_store(&import.items[i], store, &err), AT_OK, "%s", err.text);
    cr_expect_str_eq(
        scalar(store, "SELECT group_concat(path, ' ') FROM (SELECT path FROM source ORDER BY path)").text,
        "recorded/k.cu recorded/k/tall.cu");
    cr_expect_str_eq(scalar(store, "SELECT group_concat(template || ' ' || config, ', ') FROM "
                                   "(SELECT template, config FROM trials_all ORDER BY template, config)")
                         .text,
                     "tall B=x C=3, wide A=1, wide A=2");
    atx_store_close(store);
    atx_import_clear(&import);
}

static bool takes(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "k") == 0;
}

Test(import, a_name_that_is_taken_gets_an_ending)
{
    const char *const paths[] = { write_file("own.json", OWN(", \"template\": \"t\"", FAILED("\"A\": 1"))) };
    atx_import import = { 0 };
    at_error err = { 0 };
    const atx_import_options options = { .is_taken = takes };
    cr_assert_eq(atx_import_read(&import, paths, 1, &options, &err), AT_OK, "%s", err.text);
    cr_expect_str_eq(import.items[0].op->name, "k_recorded");
    atx_import_clear(&import);
}

/* ---- the store, and replays ---- */

Test(import, comes_back_from_the_store_with_its_declaration)
{
    atx_import import = read_ok(DATA "scale_cache.json", NULL);
    at_error err = { 0 };
    atx_store *store = memory_ok();
    cr_assert_eq(atx_import_store(&import.items[0], store, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_import_store(&import.items[0], store, &err), AT_OK, "again: %s", err.text);
    cr_assert_str_eq(scalar(store, "SELECT count(*) FROM trials_all WHERE op = 'scale'").text, "7");
    cr_assert_str_eq(scalar(store, "SELECT shape || ' ' || type_key FROM trials_all").text, "1024x512 f32");
    cr_assert_str_eq(scalar(store, "SELECT path FROM source").text, "recorded/scale.cu");
    atx_import_clear(&import);

    import = read_ok(DATA "scale_t1.json", DATA "scale_t4.json");
    cr_assert_eq(atx_import_store(&import.items[0], store, &err), AT_ERR_INPUT, "another declaration");
    cr_assert(strstr(err.text, "operation scale is in the database already"), "%s", err.text);
    atx_import_clear(&import);
    atx_store_close(store);
}

/* ---- T4, written ---- */

static bool write_line(void *context, const char *line)
{
    return fprintf(context, "%s\n", line) > 0;
}

static at_status write_t4(atx_store *store, const atx_dump_options *options, const char *path, at_error *err)
{
    FILE *file = fopen(path, "w");
    cr_assert(file);
    at_status status = atx_t4_write(store, options, write_line, file, err);
    fclose(file);
    return status;
}

Test(import, t4_results_come_back_as_they_went_out)
{
    static const atx_dump_options ALL = { 0 };
    atx_import import = read_ok(DATA "scale_cache.json", NULL);
    at_error err = { 0 };
    atx_store *store = memory_ok();
    for (size_t i = 0; i < import.items[0].count; i++)
        if (import.items[0].rows[i].outcome == ATX_LAUNCH_FAILED)
            import.items[0].rows[i].outcome = ATX_CRASHED; /* T4 has one word for both */
    cr_assert_eq(atx_import_store(&import.items[0], store, &err), AT_OK, "%s", err.text);
    cr_assert_eq(write_t4(store, &ALL, "out.json", &err), AT_OK, "%s", err.text);
    atx_import again = read_ok("out.json", NULL);
    cr_assert_eq(again.items[0].count, import.items[0].count);
    for (size_t i = 0; i < import.items[0].count; i++) {
        const atx_trial_row *row = &import.items[0].rows[i], *back = find_row(&again.items[0], row->config);
        cr_assert_eq(row->outcome, back->outcome);
        cr_assert_float_eq(row->timing.median_s, back->timing.median_s, 1e-15);
        cr_assert_float_eq(row->timing.min_s, back->timing.min_s, 1e-15);
        cr_assert_float_eq(row->timing.spread, back->timing.spread, 1e-12);
        cr_assert_eq(row->timing.samples, back->timing.samples);
        cr_assert_float_eq(row->compile_s, back->compile_s, 1e-15);
    }
    atx_import_clear(&again);
    atx_import_clear(&import);
    atx_store_close(store);
}

Test(import, t4_results_are_of_one_problem_on_one_device)
{
    at_error err = { 0 };
    atx_store *store = memory_ok();
    atx_trial_row rows[] = { trial_of("N=1", 1e-6), trial_of("N=2", 2e-6) };
    atx_problem_key other = KEY;
    atx_fingerprint device = H200;
    atx_dump_options options = { 0 };
    cr_assert_eq(write_t4(store, &options, "out.json", &err), AT_ERR_NOT_FOUND);

    put_ok(store, &KEY, &H200, rows, 2);
    cr_assert_eq(write_t4(store, &options, "out.json", &err), AT_OK, "%s", err.text);

    snprintf(device.device, sizeof device.device, "NVIDIA B200");
    put_ok(store, &KEY, &device, rows, 1);
    cr_assert_eq(write_t4(store, &options, "out.json", &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "--device"), "%s", err.text);
    options.device = H200.device;
    cr_assert_eq(write_t4(store, &options, "out.json", &err), AT_OK, "%s", err.text);

    other.shape = "1x1";
    put_ok(store, &other, &H200, rows, 2);
    cr_assert_eq(write_t4(store, &options, "out.json", &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "found 2 problems"), "%s", err.text);
    options.problems = &KEY;
    options.problem_count = 1;
    cr_assert_eq(write_t4(store, &options, "out.json", &err), AT_OK, "%s", err.text);
    atx_store_close(store);
}

/* A database that somebody else filled may have anything in its texts. */
Test(import, t4_results_are_json_whatever_names_and_values_hold)
{
    static const char *const CONFIG = "N=007 A\"=x\\y B=-0 C=-";
    at_error err = { 0 };
    atx_str text = { 0 };
    atx_store *store = memory_ok();
    atx_trial_row rows[] = { trial_of("N=1", 1e-6), trial_of(CONFIG, 2e-6) };
    rows[1].template_name = "til\"e";
    put_ok(store, &KEY, &H200, rows, 2);
    cr_assert_eq(write_t4(store, &(atx_dump_options){ 0 }, "out.json", &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_str_read_file(&text, "out.json", 1 << 20, &err), AT_OK, "%s", err.text);
    cr_assert(strstr(text.data,
                     "{\"template\":\"til\\\"e\",\"N\":\"007\",\"A\\\"\":\"x\\\\y\",\"B\":-0,\"C\":\"-\"}"),
              "%s", text.data);
    atx_str_clear(&text);
    atx_store_close(store);
}

/* ---- real recordings ---- */

static const struct {
    const char *recording, *space;
    size_t count;
    int64_t failed;
    double best_s;
} REAL[] = {
    { "convolution_A100.json.gz", "convolution_T1.json", 4362, 161, 5.536e-4 },
    { "convolution_A100_T4.json.gz", "convolution_T1.json", 4362, 161, 5.536e-4 },
    { "dedispersion_W6600.json.gz", "dedispersion_T1.json", 11130, 0, 0 },
    { "gemm_RTX_3090.json.gz", "gemm_T1.json", 17956, 0, 0 },
};

/* Their folder is named by $AUTOTUNE_SPACES; without it there is nothing to test. */
Test(import, reads_published_recordings)
{
    const char *spaces = getenv("AUTOTUNE_SPACES");
    if (!spaces || !*spaces)
        cr_skip_test("skipped: AUTOTUNE_SPACES names no folder of recorded spaces");
    for (size_t i = 0; i < sizeof REAL / sizeof *REAL; i++) {
        char recording[512], space[512];
        snprintf(recording, sizeof recording, "%s/%s", spaces, REAL[i].recording);
        snprintf(space, sizeof space, "%s/%s", spaces, REAL[i].space);
        atx_import import = read_ok(recording, space);
        const atx_imported *item = &import.items[0];
        double best_s = 1;
        cr_assert_eq(import.count, 1);
        cr_assert_eq(item->count, REAL[i].count, "%zu", item->count);
        cr_assert_eq((int64_t)item->count - item->outcomes[ATX_TIMED], REAL[i].failed);
        for (size_t k = 0; k < item->count; k++)
            if (item->rows[k].outcome == ATX_TIMED && item->rows[k].timing.median_s < best_s)
                best_s = item->rows[k].timing.median_s;
        if (REAL[i].best_s > 0)
            cr_assert_float_eq(best_s / REAL[i].best_s, 1, 1e-3, "%g", best_s);
        atx_import_clear(&import);
    }
}
