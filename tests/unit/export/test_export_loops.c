/* test_export_loops.c - an exported candidate of many launches: what comes again is a loop in its launcher.
 */
#include "export/export.h"
#include "lang/catalog.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void export_relax(atx_str *out, int64_t steps, bool with_main, bool json)
{
    at_error err = { 0 };
    atx_catalog *catalog = NULL;
    atx_problem problem;
    cr_assert_eq(atx_catalog_open(&catalog, AT_SOURCE_DIR "/tests/data/machine/loops", &err), AT_OK, "%s",
                 err.text);
    const atx_op *op = atx_catalog_find_op(catalog, "relax");
    const atx_template *t = atx_catalog_find_template(catalog, op, "step");
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F32, (int64_t[]){ 20, 30, steps }, 3, &err), AT_OK, "%s",
                 err.text);
    atx_answer answer = {
        .winner = { .template_name = "step",
                    .template_hash = t->text.hash,
                    .config = "BX=16 BY=2",
                    .ceiling_name = "",
                    .ties = "",
                    .objective = "",
                    .timing.median_s = 1e-6,
                    .geometry.grid = { 2, 10, 1 },
                    .geometry.block = { 16, 2, 1 } },
        .fingerprint = { .device = "GPU", .cc = 90, .sms = 132, .driver = "1", .nvrtc = "13.0" },
        .measured_at = "2026-01-01T00:00:00Z"
    };
    const atx_found found = { .match = ATX_MATCH_EXACT, .why = "", .t = t, .answer = &answer, .own = true };
    const atx_export_input in = { &found, &problem, .with_main = with_main };
    cr_assert_eq(json ? atx_export_json(out, &in, &err) : atx_export_cu(out, &in, &err), AT_OK, "%s",
                 err.text);
    atx_catalog_close(catalog);
}

#define LAUNCH(args) "<<<dim3(2, 10, 1), dim3(16, 2, 1), 0, stream>>>(" args ", 20, 30);\n"
#define NAME(steps)  "relax_20x30x" steps "_f32_kernel"

static void expect(int64_t steps, const char *launches)
{
    atx_str out = { 0 };
    export_relax(&out, steps, false, false);
    cr_assert(strstr(out.data, launches), "expected: %s\nfound: %s", launches,
              strstr(out.data, "cudaError_t relax"));
    atx_str_clear(&out);
}

Test(export_loops, what_comes_again_is_a_loop)
{
    expect(1, "    " NAME("1") LAUNCH("out, in") "    return cudaGetLastError();");
    expect(2, "    " NAME("2") LAUNCH("tmp, in") "    " NAME("2") LAUNCH("out, tmp"));
    expect(7, "    " NAME("7") LAUNCH("out, in") "    for (int i = 0; i < 3; i++) {\n    " NAME("7") LAUNCH(
                  "tmp, out") "    " NAME("7") LAUNCH("out, tmp") "    }\n    return cudaGetLastError();");
}

Test(export_loops, a_self_test_repeats_its_reference)
{
    atx_str out = { 0 };
    export_relax(&out, 2, true, false);
    const char *reference = strstr(out.data, "static void autotune_reference(void *const *buffers)\n{\n");
    cr_assert(reference);
    cr_assert(strstr(reference,
                     "relax_reference<<<dim3(1, 20, 1), dim3(32, 1, 1), 0>>>((T *)buffers[2], (const T "
                     "*)buffers[1], (const T *)buffers[1], 20, 30);\n"),
              "found: %.600s", reference);
    cr_assert(strstr(reference,
                     "relax_reference<<<dim3(1, 20, 1), dim3(32, 1, 1), 0>>>((T *)buffers[0], (const T "
                     "*)buffers[1], (T *)buffers[2], 20, 30);\n}\n"),
              "found: %.600s", reference);
    atx_str_clear(&out);
}

Test(export_loops, json_lists_every_launch)
{
    atx_str out = { 0 };
    int launches = 0;
    export_relax(&out, 7, false, true);
    for (const char *at = out.data; (at = strstr(at, "\"grid\":[2,10,1]")); at++)
        launches++;
    cr_assert_eq(launches, 7, "found: %s", out.data);
    atx_str_clear(&out);
}

/* Of thousands the text is as long as of a few, and made in no time. */
Test(export_loops, many_launches_are_a_short_text)
{
    atx_str few = { 0 }, many = { 0 };
    export_relax(&few, 6, false, false);
    export_relax(&many, 4000, false, false);
    cr_assert(many.len < few.len + 100, "%zu and %zu", many.len, few.len);
    atx_str_clear(&few);
    atx_str_clear(&many);
}
