/* test_launch.c - how a template's kernels are launched, and for which variant of an architecture its code is
 * compiled. */
#include "declare_support.h"
#include "lang/arch.h"
#include "lang/render_pragmas.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define SINGLE(lines) MINI_TEMPLATE("param C = 1 2 16\ngrid rows\nblock 64\n" lines)
#define STEPS(lines)                                                                                         \
    MINI_TEMPLATE("param C = 1 2 16\nlaunch mini_t grid 8 block 32 arg y x rows half\n" lines)

/* Step `step` of this text, with the parameter C and `rows` as given. */
static at_status geometry(atx_geometry *out, const char *source, int step, const char *config, int64_t rows,
                          at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    atx_config values;
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_template(op, source);
    bind_problem(slots, op, rows, 64);
    at_status status = atx_config_parse(&values, t, config, err);
    if (status == AT_OK)
        status = atx_config_bind(slots, t, &values, err);
    if (status == AT_OK)
        status = atx_geometry_of(out, &t->call.steps[step].launch, slots, err);
    atx_template_close(t);
    atx_op_close(op);
    return status;
}

static atx_geometry geometry_ok(const char *source, int step, const char *config)
{
    atx_geometry g = { 0 };
    at_error err = { 0 };
    cr_assert_eq(geometry(&g, source, step, config, 64, &err), AT_OK, "%s", err.text);
    return g;
}

Test(launch, a_template_without_such_lines_has_a_plain_launch)
{
    const atx_geometry g = geometry_ok(SINGLE(""), 0, "C=1");
    cr_assert(atx_geometry_is_plain(&g));
    cr_assert_eq(atx_geometry_cluster(&g), 1);
    cr_assert_eq(g.grid[0], 64);
}

Test(launch, lines_say_clusters_a_cooperative_grid_and_the_carveout)
{
    const atx_geometry g = geometry_ok(SINGLE("cluster C 1\ncooperative\ncarveout 25 * C\n"), 0, "C=2");
    cr_assert_eq(g.cluster[0], 2);
    cr_assert_eq(g.cluster[1], 1);
    cr_assert_eq(g.cluster[2], 1);
    cr_assert_eq(atx_geometry_cluster(&g), 2);
    cr_assert_eq(g.cooperative, 1);
    cr_assert_eq(g.carveout, 51);
    cr_assert_not(atx_geometry_is_plain(&g));
}

Test(launch, whether_a_grid_is_cooperative_may_depend_on_parameters)
{
    cr_assert_eq(geometry_ok(SINGLE("cooperative C > 1\n"), 0, "C=1").cooperative, 0);
    cr_assert_eq(geometry_ok(SINGLE("cooperative C > 1\n"), 0, "C=16").cooperative, 1);
}

Test(launch, a_line_launch_has_the_same_words_in_any_order)
{
    static const char TEXT[] = STEPS(
        "launch mini_t grid rows 2 block 32 programmatic cooperative C == 2 cluster C, 2 shared 64 arg y\n");
    const atx_geometry first = geometry_ok(TEXT, 0, "C=2"), g = geometry_ok(TEXT, 1, "C=2");
    cr_assert(atx_geometry_is_plain(&first));
    cr_assert_eq(g.programmatic, 1);
    cr_assert_eq(g.cooperative, 1);
    cr_assert_eq(atx_geometry_cluster(&g), 4);
    cr_assert_eq(g.shared_bytes, 64);
}

Test(launch, a_grid_that_clusters_do_not_divide_has_no_launch)
{
    atx_geometry g;
    at_error err = { 0 };
    cr_assert_eq(geometry(&g, SINGLE("cluster C\n"), 0, "C=16", 100, &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "t.cu:6:9: a grid of 100 in x; expected a multiple of the cluster's 16");
    cr_assert_eq(geometry(&g, SINGLE("cluster C\n"), 0, "C=2", 100, &err), AT_OK);
}

Test(launch, says_what_is_wrong_with_such_lines)
{
    static const struct {
        const char *text, *message;
    } BAD[] = {
        { SINGLE("cluster\n"), "found nothing more; expected a number" },
        { SINGLE("cluster 1 1 1 1\n"), "found '1'; expected 'block', 'shared', 'cluster'" },
        { SINGLE("cooperative\ncooperative\n"), "found a second 'cooperative' line" },
        { STEPS("cooperative\n"), "found a 'cooperative' line beside a launch" },
        { STEPS("launch mini_t grid 1 block 1 shared 8 shared 8\n"),
          "found a second 'shared'; expected one" },
        { MINI_TEMPLATE("launch mini_t grid 1 block 1 programmatic\n"),
          "t.cu:3:8: found 'programmatic' in the first launch; expected it in one that follows another" },
        { MINI_TEMPLATE("cooperative\nlaunch mini_t grid 1 block 1\n"),
          "found a launch beside a 'grid' line" },
        { SINGLE("programmatic\n"), "found 'programmatic'; expected one of" },
        { SINGLE("target sm_90\n"), "t.cu:6:8: found 'sm_90'; expected an architecture with a letter, as "
                                    "sm_90a or sm_100f, or 'specific'" },
        { SINGLE("target sm_80a\n"), "found 'sm_80a'; expected an architecture with a letter" },
        { SINGLE("target sm_90f\n"), "found 'sm_90f'; expected an architecture with a letter" },
        { SINGLE("target\n"), "found the end of the line; expected an architecture" },
        { SINGLE("target specific sm_90a\n"), "found 'sm_90a'; expected the end of the line" },
    };
    atx_op *op = read_op(MINI_OP);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        atx_template *t = NULL;
        at_error err = { 0 };
        cr_expect_eq(atx_template_read(&t, op, BAD[i].text, strlen(BAD[i].text), "t.cu", &err), AT_ERR_INPUT,
                     "%s", BAD[i].text);
        cr_expect_not_null(strstr(err.text, BAD[i].message), "%s\n%s", BAD[i].message, err.text);
    }
    atx_op_close(op);
}

/* ---- targets ---- */

static void expect_target(const char *source, const char *target)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_template(op, source);
    cr_expect_str_eq(t->build.target, target, "%s", source);
    atx_template_close(t);
    atx_op_close(op);
}

Test(launch, code_that_mentions_what_one_architecture_has_is_compiled_for_that_alone)
{
    expect_target(SINGLE(""), "");
    expect_target(SINGLE("") "__device__ void f() { asm(\"wgmma.fence.sync.aligned;\"); }\n", "specific");
    expect_target(SINGLE("") "__device__ void f() { asm(\"tcgen05.wait::ld.sync.aligned;\"); }\n",
                  "specific");
    expect_target(SINGLE("") "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n#endif\n", "specific");
    expect_target(SINGLE("") "// wgmma would be faster here\n", "");
    expect_target(SINGLE("") "#if 0\nvoid wgmma();\n#endif\n", "");
    expect_target(SINGLE("target sm_90a sm_100f\n") "void wgmma();\n", "sm_90a sm_100f");
    expect_target(SINGLE("target specific\n"), "specific");
}

Test(launch, a_template_with_a_target_has_no_configuration_elsewhere)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_template(op, SINGLE("target sm_90a sm_100f\n"));
    cr_assert_eq(t->scope.require_count, 1);
    cr_assert_str_eq(t->scope.requires[0].reason, "its target is sm_90a sm_100f");
    const int cc = atx_symbols_find(&t->scope.symbols, "device.cc", strlen("device.cc"));
    static const struct {
        int64_t cc, holds;
    } CASES[] = { { 80, 0 }, { 90, 1 }, { 100, 1 }, { 103, 1 }, { 120, 0 } };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        int64_t slots[ATX_MAX_SLOTS] = { 0 }, holds = -1;
        at_error err = { 0 };
        slots[cc] = CASES[i].cc;
        cr_assert_eq(atx_expr_eval(&holds, t->scope.requires[0].expr, slots, &err), AT_OK);
        cr_expect_eq(holds, CASES[i].holds, "%d", (int)CASES[i].cc);
    }
    atx_template_close(t);
    atx_op_close(op);
}

Test(launch, words_of_a_target_mean_a_variant_of_the_device_s_own_architecture)
{
    static const struct {
        const char *words;
        int cc;
        char variant;
    } CASES[] = {
        { "specific", 80, 0 },
        { "specific", 90, 'a' },
        { "specific", 120, 'a' },
        { "sm_90a", 90, 'a' },
        { "sm_90a", 100, 0 },
        { "sm_90a sm_100f", 100, 'f' },
        { "sm_90a sm_100f", 103, 'f' },
        { "sm_100a sm_90a", 103, 0 },
        { "sm_90a sm_120f", 121, 'f' },
        { "", 90, 0 },
        { NULL, 90, 0 },
        { "nonsense of a store", 90, 0 },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        cr_expect_eq(atx_arch_variant(CASES[i].words, CASES[i].cc), CASES[i].variant, "%s on %d",
                     CASES[i].words ? CASES[i].words : "NULL", CASES[i].cc);
}

Test(launch, a_rendered_text_carries_its_target)
{
    atx_str text = { 0 };
    atx_pragmas pragmas;
    at_error err = { 0 };
    atx_render_target(&text, "");
    cr_assert_eq(text.len, 0);
    atx_render_target(&text, "sm_90a sm_100f");
    atx_render_target(&text, "specific");
    atx_str_add(&text, "int x;\n");
    cr_assert_eq(atx_pragmas_read(&pragmas, atx_str_text(&text), &err), AT_OK);
    cr_assert_str_eq(pragmas.target, "sm_90a sm_100f", "the first one counts");
    atx_pragmas_clear(&pragmas);
    atx_str_clear(&text);
}
