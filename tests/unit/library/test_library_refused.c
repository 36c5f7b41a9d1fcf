/*
 * test_library_refused.c - mistakes of programs that call <autotune/autotune.h>: every function
 * refuses it with a status and with words, and leaves its outputs as they were. Buffers: test_library_run.c.
 */
#include "library_support.h"

#include <math.h>

TestSuite(library_refused, .init = set_up, .fini = tear_down);

/* The status is this one, and the text says it. */
#define refused(call, expected, words)                                                                       \
    do {                                                                                                     \
        at_error err = { 0 };                                                                                \
        cr_expect_eq(call, expected, "%s", err.text);                                                        \
        cr_expect(strstr(err.text, words), "found: %s", err.text);                                           \
    } while (0)

Test(library_refused, options_that_cannot_be_opened_with)
{
    static const struct {
        at_open_options options;
        at_status status;
        const char *says;
    } CASES[] = {
        { { .struct_bytes = 0 }, AT_ERR_USAGE, "found struct_bytes = 0; expected sizeof(at_open_options)" },
        { { .struct_bytes = sizeof(at_open_options), .tune_s = -1 },
          AT_ERR_USAGE,
          "tune_s = -1; expected seconds" },
        { { .struct_bytes = sizeof(at_open_options), .tune_s = NAN },
          AT_ERR_USAGE,
          "expected seconds, 0 or more" },
        { { .struct_bytes = sizeof(at_open_options), .database = "" },
          AT_ERR_USAGE,
          "the name of the database is empty" },
        { { .struct_bytes = sizeof(at_open_options), .database = ":memory:" },
          AT_ERR_USAGE,
          "expected a file" },
        { { .struct_bytes = sizeof(at_open_options), .templates = "/none/such" },
          AT_ERR_INPUT,
          "/none/such: No such file" },
    };
    at_tuner *tuner = NULL;
    refused(at_open(NULL, NULL, &err), AT_ERR_USAGE, "a place for the tuner");
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        refused(at_open(&tuner, &CASES[i].options, &err), CASES[i].status, CASES[i].says);
        cr_expect_null(tuner);
    }
    at_close(NULL);
    cr_expect_str_eq(at_warnings(NULL), "");
}

static const struct {
    at_problem problem;
    at_status status;
    const char *says;
} PROBLEMS[] = {
    { { .struct_bytes = sizeof(at_problem), .op = NULL }, AT_ERR_INPUT, "no operation ''" },
    { { .struct_bytes = sizeof(at_problem), .op = "" },
      AT_ERR_INPUT,
      "expected one of: argmax block_quant cast_transpose" },
    { { .struct_bytes = sizeof(at_problem), .op = "transpos", .size_count = 2 },
      AT_ERR_INPUT,
      "no operation 'transpos'" },
    { { .op = "copy", .type = AT_TYPE_U8, .size_count = 1, .sizes = { 8 } },
      AT_ERR_USAGE,
      "found struct_bytes = 0; expected sizeof(at_problem)" },
    { { .struct_bytes = sizeof(at_problem), .op = "copy", .size_count = 1, .sizes = { 8 } },
      AT_ERR_USAGE,
      "found type 0; expected an at_type" },
    { { .struct_bytes = sizeof(at_problem), .op = "copy", .type = AT_TYPE_F8_E4M3 },
      AT_ERR_USAGE,
      "that is not reserved" },
    { { .struct_bytes = sizeof(at_problem), .op = "copy", .type = (at_type)99 },
      AT_ERR_USAGE,
      "type 99; expected an at_type" },
    { { .struct_bytes = sizeof(at_problem), .op = "copy", .type = (at_type)-1 },
      AT_ERR_USAGE,
      "type -1; expected an at_type" },
    { { .struct_bytes = sizeof(at_problem), .op = "copy", .type = AT_TYPE_U8, .size_count = -1 },
      AT_ERR_USAGE,
      "size_count = -1; expected 0 to 16" },
    { { .struct_bytes = sizeof(at_problem), .op = "copy", .type = AT_TYPE_U8, .size_count = 17 },
      AT_ERR_USAGE,
      "size_count = 17; expected 0 to 16" },
    { { .struct_bytes = sizeof(at_problem),
        .op = "transpose",
        .type = AT_TYPE_U8,
        .size_count = 1,
        .sizes = { 8 } },
      AT_ERR_INPUT,
      "found 1 size" },
    { { .struct_bytes = sizeof(at_problem),
        .op = "transpose",
        .type = AT_TYPE_U8,
        .size_count = 2,
        .sizes = { -8, 8 } },
      AT_ERR_INPUT,
      "rows = -8" },
    { { .struct_bytes = sizeof(at_problem),
        .op = "transpose",
        .type = AT_TYPE_U8,
        .size_count = 2,
        .sizes = { 0, 8 } },
      AT_ERR_INPUT,
      "at least one element" },
    { { .struct_bytes = sizeof(at_problem),
        .op = "transpose",
        .type = AT_TYPE_U8,
        .size_count = 2,
        .sizes = { INT64_MAX, 2 } },
      AT_ERR_INPUT,
      "overflow" },
    { { .struct_bytes = sizeof(at_problem),
        .op = "transpose",
        .type = AT_TYPE_U8,
        .size_count = 2,
        .sizes = { 8, 8 },
        .pitches = { 7 } },
      AT_ERR_INPUT,
      "ld_in = 7; expected at least cols = 8" },
    { { .struct_bytes = sizeof(at_problem),
        .op = "transpose",
        .type = AT_TYPE_U8,
        .size_count = 2,
        .sizes = { 8, 8 },
        .alignments = { 3 } },
      AT_ERR_INPUT,
      "align_in = 3; expected a power of two" },
    { { .struct_bytes = sizeof(at_problem), .op = "permute", .type = AT_TYPE_U8, .layout = { .rank = 17 } },
      AT_ERR_USAGE,
      "rank 17; expected 0 to 16" },
    { { .struct_bytes = sizeof(at_problem), .op = "permute", .type = AT_TYPE_U8, .layout = { .rank = -1 } },
      AT_ERR_USAGE,
      "rank -1; expected 0 to 16" },
    { { .struct_bytes = sizeof(at_problem),
        .op = "permute",
        .type = AT_TYPE_U8,
        .layout = { .rank = 1, .extents = { -3 } } },
      AT_ERR_INPUT,
      "extent of -3" },
};

Test(library_refused, problems_that_are_none)
{
    at_tuner *tuner = tuner_with_winner();
    at_found *found = NULL;
    for (size_t i = 0; i < sizeof PROBLEMS / sizeof *PROBLEMS; i++) {
        refused(at_find(&found, tuner, &PROBLEMS[i].problem, NULL, &err), PROBLEMS[i].status,
                PROBLEMS[i].says);
        cr_expect_null(found, "%zu", i);
    }
    at_close(tuner);
}

/* All that is read of it fits a number, and its buffer does not: 2^64 bytes are no bytes. */
Test(library_refused, a_buffer_whose_bytes_are_no_number)
{
    static const char OP[] = "/*!autotune\nop wide\nshape n\ntype T = f32\narg y T[n] output\nreference r\n"
                             "grid 1\nblock 1\ntraffic 64\n*/\n__global__ void r(T *y) {}\n";
    static const char ANY[] =
        "/*!autotune\ntemplate any\ngrid 1\nblock 1\n*/\n__global__ void wide_any(T *y) {}\n";
    at_problem p = { .struct_bytes = sizeof(at_problem),
                     .op = "wide",
                     .type = AT_TYPE_F32,
                     .size_count = 1,
                     .sizes = { INT64_C(1) << 62 } };
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    char path[256];
    at_tuner *tuner = NULL;
    at_found *found = NULL;
    snprintf(path, sizeof path, "%s/op.cu", home.path);
    put_text(path, OP);
    snprintf(path, sizeof path, "%s/any.cu", home.path);
    put_text(path, ANY);
    options.templates = home.path;
    cr_assert_eq(at_open(&tuner, &options, NULL), AT_OK);
    refused(at_find(&found, tuner, &p, &ON_H200, &err), AT_ERR_INPUT,
            "found 4611686018427387904 elements for 'y'; expected fewer");
    cr_expect_null(found);
    p.sizes[0] /= 4;
    cr_assert_eq(at_find(&found, tuner, &p, &ON_H200, NULL), AT_OK);
    cr_expect_eq(found->launches[0]->args[0]->bytes, INT64_C(1) << 62);
    at_found_close(found);
    at_close(tuner);
}

Test(library_refused, questions_without_a_part)
{
    static const struct {
        at_target target;
        const char *says;
    } WRONG[] = {
        { { .struct_bytes = 0 }, "expected sizeof(at_target)" },
        { { .struct_bytes = 1 << 30 }, "expected sizeof(at_target)" },
        { { .struct_bytes = sizeof(at_target), .arch = "sm_12" }, "sm_90" },
        { { .struct_bytes = sizeof(at_target), .arch = "sm_90", .sms = -1 }, "0 or more multiprocessors" },
    };
    at_tuner *tuner = tuner_with_winner();
    at_found *found = NULL;
    const at_found *borrowed = NULL;
    refused(at_find(NULL, tuner, &TUNED, NULL, &err), AT_ERR_USAGE, "NULL");
    refused(at_find(&found, NULL, &TUNED, NULL, &err), AT_ERR_USAGE, "NULL");
    refused(at_find(&found, tuner, NULL, NULL, &err), AT_ERR_USAGE, "NULL");
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
        refused(at_find(&found, tuner, &TUNED, &WRONG[i].target, &err), AT_ERR_USAGE, WRONG[i].says);
    refused(at_prepare(&borrowed, NULL, &TUNED, NULL, &err), AT_ERR_USAGE, "expected a tuner");
    refused(at_prepare(&borrowed, tuner, NULL, NULL, &err), AT_ERR_USAGE, "a problem");
    cr_expect(!found && !borrowed);
    at_found_close(NULL);
    at_close(tuner);
}

Test(library_refused, permutations_that_are_none)
{
    const int64_t extents[] = { 4, 5, 6 }, empty[] = { 4, 0, 6 };
    const int order[] = { 2, 1, 0 }, twice[] = { 0, 0, 1 }, beyond[] = { 0, 1, 3 };
    at_problem problem = { .struct_bytes = sizeof(at_problem), .op = "untouched" };
    refused(at_permute(NULL, AT_TYPE_F32, 3, extents, order, &err), AT_ERR_USAGE, "expected no NULL");
    refused(at_permute(&problem, AT_TYPE_F32, 3, NULL, order, &err), AT_ERR_USAGE, "expected no NULL");
    refused(at_permute(&problem, AT_TYPE_F32, 3, extents, NULL, &err), AT_ERR_USAGE, "expected no NULL");
    refused(at_permute(&problem, AT_TYPE_F32, -1, extents, order, &err), AT_ERR_USAGE, "a rank of 0 to 16");
    refused(at_permute(&problem, AT_TYPE_F32, 17, extents, order, &err), AT_ERR_USAGE, "a rank of 0 to 16");
    refused(at_permute(&problem, (at_type)99, 3, extents, order, &err), AT_ERR_USAGE, "found type 99");
    refused(at_permute(&problem, AT_TYPE_F32, 3, empty, order, &err), AT_ERR_INPUT, "extent of 0");
    refused(at_permute(&problem, AT_TYPE_F32, 3, extents, twice, &err), AT_ERR_INPUT, "a second time");
    refused(at_permute(&problem, AT_TYPE_F32, 3, extents, beyond, &err), AT_ERR_INPUT, "index 3");
    cr_expect_str_eq(problem.op, "untouched");
}

Test(library_refused, source_and_code_of_nothing)
{
    at_tuner *tuner = tuner_with_winner();
    at_found *found = find_ok(tuner, TUNED, NULL);
    char *source = NULL;
    at_code *code = NULL;
    refused(at_source(NULL, found, &err), AT_ERR_USAGE, "NULL");
    refused(at_source(&source, NULL, &err), AT_ERR_USAGE, "NULL");
    refused(at_compile(NULL, tuner, found, AT_CODE_PTX, NULL, &err), AT_ERR_USAGE, "NULL");
    refused(at_compile(&code, NULL, found, AT_CODE_PTX, NULL, &err), AT_ERR_USAGE, "NULL");
    refused(at_compile(&code, tuner, NULL, AT_CODE_PTX, NULL, &err), AT_ERR_USAGE, "NULL");
    refused(at_compile(&code, tuner, found, (at_code_kind)7, NULL, &err), AT_ERR_USAGE, "the kind is none");
    cr_expect(!source && !code);
    at_code_close(NULL);
    at_free(NULL);
    at_found_close(found);
    at_close(tuner);
}

Test(library_refused, names_and_types_that_are_none)
{
    at_type type = AT_TYPE_F64;
    refused(at_type_parse(NULL, "f32", &err), AT_ERR_USAGE, "NULL");
    refused(at_type_parse(&type, NULL, &err), AT_ERR_USAGE, "NULL");
    refused(at_type_parse(&type, "", &err), AT_ERR_INPUT, "f32");
    refused(at_type_parse(&type, "f33", &err), AT_ERR_INPUT, "'f33'");
    cr_expect_eq(type, AT_TYPE_F64);
    cr_expect_str_eq(at_type_name((at_type)-1), "");
    cr_expect_eq(at_type_bits((at_type)-1), 0);
    cr_expect_str_eq(at_match_name((at_match)-1), "");
    cr_expect_str_eq(at_match_name((at_match)99), "");
    cr_expect(at_status_name((at_status)99)[0], "a word in any case");
}
