/* test_export_expected.c - what nobody measured, exported: the answers that come with the program. */
#include "compile/nvrtc.h"
#include "export/export.h"
#include "lang/catalog.h"
#include "lookup/lookup.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

typedef struct asked {
    atx_catalog *catalog;
    atx_lookup *lookup;
    atx_problem problem;
    atx_found found;
} asked;

static asked ask(atx_dtype type, int64_t rows, int64_t cols)
{
    asked a = { 0 };
    at_error err = { 0 };
    atx_found found;
    unsetenv("AUTOTUNE_NO_SHIPPED");
    cr_assert_eq(atx_catalog_open(&a.catalog, NULL, &err), AT_OK, "%s", err.text);
    const atx_op *op = atx_catalog_find_op(a.catalog, "transpose");
    cr_assert_eq(atx_problem_init(&a.problem, op, type, (int64_t[]){ rows, cols }, 2, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(atx_lookup_open(&a.lookup, NULL, a.catalog, &err), AT_OK, "%s", err.text);
    atx_lookup_add_shipped(a.lookup);
    cr_assert_eq(atx_lookup_find(&found, a.lookup, &a.problem, NULL, &err), AT_OK, "%s", err.text);
    cr_assert(found.match == ATX_MATCH_PREDICTED || found.match == ATX_MATCH_NEAR, "%s",
              atx_match_name(found.match));
    a.found = found;
    return a;
}

static void forget(asked *a)
{
    atx_lookup_close(a->lookup);
    atx_catalog_close(a->catalog);
}

static void write_cu(atx_str *out, asked *a, bool with_main)
{
    at_error err = { 0 };
    const atx_export_input in = { .found = &a->found, .problem = &a->problem, .with_main = with_main };
    cr_assert_eq(atx_export_cu(out, &in, &err), AT_OK, "%s", err.text);
}

Test(export_expected, no_time_is_said_to_be_measured)
{
    atx_str text = { 0 };
    asked a = ask(ATX_F32, 4096, 4099);
    write_cu(&text, &a, true);
    cr_assert(strstr(text.data, "\n// not measured   this shape was not tuned"));
    cr_assert(strstr(text.data, "\n// expected       about "));
    cr_assert(strstr(text.data, "\n// measure it     autotune tune transpose 4096x4099 f32 --device 0\n"));
    cr_assert(!strstr(text.data, "// measured") && !strstr(text.data, "// conditions") &&
              !strstr(text.data, "// copy ceiling") && !strstr(text.data, "--force"));
    cr_assert(strstr(text.data, "autotune_stored[] = \"expected\""));
    cr_assert(strstr(text.data, "autotune_traffic_bytes = 134316032.0"), "the traffic is this problem's");
    atx_str_clear(&text);
    forget(&a);
}

Test(export_expected, json_has_the_expected_time_and_no_median)
{
    atx_str text = { 0 };
    at_error err = { 0 };
    asked a = ask(ATX_F32, 4096, 4099);
    const atx_export_input in = { .found = &a.found, .problem = &a.problem };
    cr_assert_eq(atx_export_json(&text, &in, &err), AT_OK, "%s", err.text);
    cr_assert(strstr(text.data, "\"median_s\":null,") && strstr(text.data, "\"expected_s\":"));
    cr_assert(strstr(text.data, "\"shape\":\"4096x4099\""));
    cr_assert(strstr(text.data, "\"gb_per_s\":null,") && strstr(text.data, "\"measured_at\":null,"));
    atx_str_clear(&text);
    forget(&a);
}

Test(export_expected, a_trial_of_this_problem_is_told_as_one_of_a_search)
{
    atx_str text = { 0 };
    asked a = ask(ATX_F32, 4096, 4099);
    atx_answer trial = *a.found.answer;
    trial.winner.timing = (atx_timing){ .median_s = 5e-5, .min_s = 5e-5, .samples = 7 };
    trial.measured_at = (char *)(uintptr_t) "2026-01-01T00:00:00Z";
    trial.traffic_bytes = 100000000;
    a.found.answer = &trial;
    a.found.match = ATX_MATCH_NEAR;
    a.found.why = "this shape's winner is out of date: its template was changed";
    a.found.own = true;
    write_cu(&text, &a, false);
    cr_assert(
        strstr(text.data, "// measured       50.00 us, 2000 GB/s, cold L2, in a search, not re-measured"),
        "%s", text.data);
    cr_assert(strstr(text.data, "// not the winner this shape's winner is out of date"));
    atx_str_clear(&text);
    forget(&a);
}

/* The kernel of the exported file, without the launcher, for which it takes nvcc. */
Test(export_expected, the_exported_kernels_compile, .timeout = 120)
{
    static const struct {
        atx_dtype type;
        int64_t rows, cols;
    } ROWS[] = { { ATX_U8, 10661, 39 }, { ATX_F16, 1130, 1131 }, { ATX_F32, 4096, 4099 },
                 { ATX_F64, 3, 53903 }, { ATX_C128, 112, 1117 }, { ATX_U8, 5, 3934215 },
                 { ATX_F32, 97, 163 },  { ATX_F16, 36, 1253 } };
    atx_nvrtc *nvrtc = NULL;
    at_error err = { 0 };
    if (atx_nvrtc_open(&nvrtc, &err) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        atx_str text = { 0 }, code = { 0 }, log = { 0 };
        atx_resources ignored;
        bool ok = false;
        asked a = ask(ROWS[i].type, ROWS[i].rows, ROWS[i].cols);
        write_cu(&text, &a, false);
        char *host = strstr(text.data, "#include <cuda_runtime.h>");
        cr_assert(host);
        *host = '\0';
        cr_assert_eq(atx_nvrtc_compile(nvrtc, &ok, &code, &log, &ignored,
                                       &(atx_nvrtc_source){ text.data, "export.cu", 90, ATX_CUBIN }, &err),
                     AT_OK, "%s", err.text);
        cr_assert(ok, "%s: %s", a.found.t->name, atx_str_text(&log));
        atx_str_clear(&text);
        atx_str_clear(&code);
        atx_str_clear(&log);
        forget(&a);
    }
    atx_nvrtc_close(nvrtc);
}
