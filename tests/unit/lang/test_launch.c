/* test_launch.c - how a template's kernels are launched, and for which variant of an architecture its code is
 * compiled. */
#include "declare_support.h"
#include "lang/arch.h"
#include "lang/render_pragmas.h"
#include "lang/tensor_map.h"

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

/* ---- tensor maps ---- */

#define MAPPED(line) MINI_TEMPLATE("param W = 8 16 64 256\ngrid 1\nblock 32\n" line "\narg y map rows\n")

/* Of the op's input x, a matrix of 64 columns and `rows` rows of 4 bytes. */
static at_status layout(atx_tensor_layout *out, const char *line, const char *config, int64_t rows,
                        at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    char source[600];
    atx_config values;
    snprintf(source, sizeof source, MAPPED("%s"), line);
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_template(op, source);
    bind_problem(slots, op, rows, 64);
    at_status status = atx_config_parse(&values, t, config, err);
    if (status == AT_OK)
        status = atx_config_bind(slots, t, &values, err);
    if (status == AT_OK)
        status = atx_tensor_layout_of(out, t, 0, slots, err);
    cr_assert_eq(t->call.steps[0].args[1], op->arg_count, "behind the op's arguments");
    cr_assert_str_eq(atx_template_arg(t, op->arg_count)->name, "map");
    cr_assert_eq(atx_template_arg(t, op->arg_count)->scalar_bytes, ATX_TENSOR_MAP_BYTES);
    atx_template_close(t);
    atx_op_close(op);
    return status;
}

Test(launch, a_tensor_map_is_what_its_line_says_for_one_problem_and_configuration)
{
    atx_tensor_layout l;
    at_error err = { 0 };
    cr_assert_eq(
        layout(&l, "tensormap map = x dims cols rows box W 8 swizzle W * 4 l2 256", "W=8", 100, &err), AT_OK,
        "%s", err.text);
    cr_assert_eq(l.buffer, 1);
    cr_assert_eq(l.rank, 2);
    cr_assert_str_eq(atx_tensor_type_word(l.type), "UINT32", "T is storage");
    cr_assert(l.dims[0] == 64 && l.dims[1] == 100);
    cr_assert_eq(l.strides[0], 256, "dense rows");
    cr_assert(l.box[0] == 8 && l.box[1] == 8 && l.steps[0] == 1 && l.steps[1] == 1);
    cr_assert_str_eq(atx_tensor_swizzle_word(l.swizzle), "32B");
    cr_assert_str_eq(atx_tensor_l2_word(l.l2), "L2_256B");
    cr_assert_str_eq(atx_tensor_interleave_word(l.interleave), "NONE");
    cr_assert_eq(layout(&l, "tensormap map = x dims 32 rows 2 strides 256, 128 box 8, 1, 2 steps 1 2 1 nan",
                        "W=8", 10, &err),
                 AT_OK, "%s", err.text);
    cr_assert(l.rank == 3 && l.strides[0] == 256 && l.strides[1] == 128 && l.steps[1] == 2 && l.nan);
}

Test(launch, sizes_that_no_tensor_map_has_are_none_of_a_configuration)
{
    static const struct {
        const char *line, *message;
        int64_t rows;
    } BAD[] = {
        { "tensormap map = x dims cols rows box W + 1 8",
          "a box of 9 elements of 4 bytes; expected a multiple of 16", 8 },
        { "tensormap map = x dims cols rows box W rows", "'rows' is 257; expected 1 to 256", 257 },
        { "tensormap map = x dims cols rows box W 8 swizzle 48", "'48' is 48; expected 0 or bytes", 8 },
        { "tensormap map = x dims cols rows box W * 8 8 swizzle 128",
          "rows of 256 bytes in a box with swizzle 128", 8 },
        { "tensormap map = x dims rows cols box 4 4", "28 bytes from one to the next along dimension 2", 7 },
        { "tensormap map = x dims cols rows box W 8 steps 9 1", "'9' is 9; expected 1 to 8", 8 },
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        atx_tensor_layout l;
        at_error err = { 0 };
        cr_expect_eq(layout(&l, BAD[i].line, "W=8", BAD[i].rows, &err), AT_ERR_INPUT, "%s", BAD[i].line);
        cr_expect_not_null(strstr(err.text, BAD[i].message), "%s: %s", BAD[i].line, err.text);
    }
}

Test(launch, says_what_is_wrong_with_the_line_of_a_tensor_map)
{
    static const struct {
        const char *text, *message;
    } BAD[] = {
        { MAPPED("tensormap map = rows dims 4 box 4"),
          "found 'rows'; expected a buffer of the operation mini" },
        { MAPPED("tensormap map = x box 4"), "expected 'dims' and the sizes of the buffer" },
        { MAPPED("tensormap map = x dims 4 4 box 4"),
          "found 1 sizes behind 'box'; expected 2, of 2 dimensions" },
        { MAPPED("tensormap map = x dims 4 4 strides 16 16 box 4 4"),
          "found 2 sizes behind 'strides'; expected 1" },
        { MAPPED("tensormap map = x dims 4 4 box 4 4 swizzle 0 1"), "found '1'; expected 'strides', 'box'" },
        { MAPPED("tensormap y = x dims 4 box 4"), "found argument 'y' a second time; expected a new name" },
        { MINI_TEMPLATE("grid 1\nblock 1\ntensormap map = x dims 4 box 4\n"),
          "t.cu:5:11: found 'map', which no launch takes; expected its name in a line 'arg NAME...'" },
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
