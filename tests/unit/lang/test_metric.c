/* test_metric.c - metrics of the user: their lines, and their values. */
#include "lang/metric.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(metric);

#define HEAD "/*!autotune\nop x\nshape n\nlet half = n / 2\ntype T = f32\n"
#define TAIL                                                                                                 \
    "\narg y T[n] output\nreference r\ngrid 1\nblock 1\ntraffic 4 * n\n*/ extern \"C\" __global__ void r(T " \
    "*y) {}"

static const atx_resources TAKES = {
    .registers = 40, .shared_bytes = 3000, .stack_bytes = 0, .spill_bytes = 8, .local_bytes = 0
};

static const char CONFIG[] = "TILE=32 UNROLL=-4 KEEP=true SKIP=false ORDER=by_row TILE_ROWS=5";

static const atx_timing TIMING = { .median_s = 2e-6, .joules = 0.25 };

static at_status read(atx_op **out, const char *lines, at_error *err)
{
    char text[2000];
    snprintf(text, sizeof text, "%s%s%s", HEAD, lines, TAIL);
    return atx_op_read(out, text, strlen(text), "op.cu", err);
}

/* Of the last metric; n is 1000, 2 us. */
static at_status value_of(double *out, const char *lines, const atx_resources *r, at_error *err)
{
    atx_op *op = NULL;
    atx_problem p;
    cr_assert_eq(read(&op, lines, err), AT_OK, "%s", err->text);
    cr_assert_eq(atx_problem_init(&p, op, ATX_F32, (int64_t[]){ 1000 }, 1, err), AT_OK, "%s", err->text);
    at_status status =
        atx_metric_value(out, &p, op->goal.metric_count - 1, &(atx_record){ &TIMING, r, CONFIG }, err);
    atx_op_close(op);
    return status;
}

Test(metric, arithmetic_is_real_and_what_is_of_integers_stays_so)
{
    static const struct {
        const char *lines;
        double value;
    } ROWS[] = {
        { "metric a = 1 / 2", 0.5 },
        { "metric a = traffic / median_s / 1000000000", 2 },
        { "ops 3 * n\nmetric a = ops / median_s", 1.5e9 },
        { "metric a = registers * shared_bytes + spill_bytes", 120008 },
        { "metric a = half / 1000", 0.5 },
        { "metric a = 7 % 4 + ceil_div(7, 4) + log2(9) + (5 & 6)", 3 + 2 + 3 + 4 },
        { "metric a = max(1 / 4, 1 / 3) - min(1 / 4, 1)", 1.0 / 3 - 0.25 },
        { "metric a = abs(-1 / 4)", 0.25 },
        { "metric a = median_s < 1 / 1000 && registers > 32 ? 1 / 8 : 2", 0.125 },
        { "metric a = !(registers == 40) || !1", 0 },
        { "metric a = sizeof(T) / 8", 0.5 },
        { "metric a = 1 / 4\nmetric b = a * a", 0.0625 },
        { "metric a = energy_j * 4", 1 },
        { "metric a = 9000000000000000000 * 1000", 9e21 },
        { "metric a = n / param.TILE + param.TILE * 2", 1000 / 32.0 + 64 },
        { "metric a = param.TILE_ROWS + param.UNROLL", 1 },
        { "metric a = param.KEEP ? 3 : 4\nmetric b = a + param.SKIP", 3 },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        at_error err = { 0 };
        double value = NAN;
        cr_assert_eq(value_of(&value, ROWS[i].lines, &TAKES, &err), AT_OK, "%s: %s", ROWS[i].lines, err.text);
        cr_assert_lt(fabs(value - ROWS[i].value), 1e-12 * fmax(1, ROWS[i].value), "%s: %g", ROWS[i].lines,
                     value);
    }
}

Test(metric, what_has_no_value_says_where_and_why)
{
    static const struct {
        const char *lines, *why;
    } ROWS[] = {
        { "metric a = 1 / (registers - 40)", "op.cu:6:14: division by zero in '1 / (registers - 40)'" },
        { "metric a = median_s % 2", "op.cu:6:21: an operation on integers of what is no whole number in" },
        { "metric a = ops / median_s", "op.cu:6:12: not known in 'ops'" },
        { "metric a = 1 / 0\nmetric b = a + 1", "op.cu:7:12: not known in 'a'" },
        { "metric a = param.ORDER", "op.cu:6:12: not known in 'param.ORDER'" },
        { "metric a = param.TIL", "op.cu:6:12: not known in 'param.TIL'" },
        { "metric a = 1 / median_s\nmetric b = a * a * a * a * a * a * a * a * a * a * a * a * a * a * a * a "
          "* a * "
          "a * a * a * a * a * a * a * a * a * a * a * a * a * a * a * a * a * a * a * a * a * a * a * a * a "
          "* a "
          "* a * a * a * a * a * a * a * a * a * a * a * a * a",
          "overflow in " },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        at_error err = { 0 };
        double value = NAN;
        cr_assert_eq(value_of(&value, ROWS[i].lines, &TAKES, &err), AT_ERR_INPUT, "%s", ROWS[i].lines);
        cr_assert(strstr(err.text, ROWS[i].why), "%s", err.text);
    }
}

Test(metric, a_figure_that_nobody_knows_has_no_value)
{
    at_error err = { 0 };
    double value = NAN;
    cr_assert_eq(value_of(&value, "metric a = registers", &ATX_RESOURCES_UNKNOWN, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "not known in 'registers'"), "%s", err.text);
    cr_assert_eq(value_of(&value, "metric a = median_s", &ATX_RESOURCES_UNKNOWN, &err), AT_OK);
}

Test(metric, lines_that_make_no_sense_are_refused_with_their_place)
{
    static const struct {
        const char *lines, *why;
    } ROWS[] = {
        { "metric a", "op.cu:6:9: found the end of the line; expected '='" },
        { "metric time = 1", "op.cu:6:8: found 'time', which is a name already" },
        { "metric median_s = 1", "op.cu:6:8: found 'median_s', which is a name already" },
        { "metric n = 1", "op.cu:6:8: found 'n', which is a name already" },
        { "metric a = 1\nmetric a = 2", "op.cu:7:8: found 'a', which is a name already" },
        { "metric A = 1", "op.cu:6:8: found 'A'; expected a name of a-z" },
        { "metric a = median", "op.cu:6:12: unknown name 'median'; did you mean 'median_s'?" },
        { "metric a = device.sms", "op.cu:6:12: unknown name 'device.sms'" },
        { "metric a = TILE", "op.cu:6:12: unknown name 'TILE'" },
        { "metric a = param.A1 + param.A2 + param.A3 + param.A4 + param.A5 + param.A6 + param.A7 + param.A8 "
          "+ "
          "param.A9\nmetric b = param.A10 + param.A11 + param.A12 + param.A13 + param.A14 + param.A15 + "
          "param.A16 + param.A17",
          "unknown name 'param.A17'" },
        { "metric a = b\nmetric b = 1", "op.cu:6:12: unknown name 'b'" },
        { "objective", "op.cu:6:10: found the end of the line; expected a name of a-z" },
        { "objective a\nmetric a = 1",
          "op.cu:6:11: found 'a'; expected time, or the name of a metric above" },
        { "metric a = 1\nobjective a min", "op.cu:7:13: found 'min'; expected the end of the line" },
        { "objective time max", "op.cu:6:16: found 'max'; expected the end of the line" },
        { "objective time\nobjective time", "op.cu:7:1: found a second 'objective' line" },
        { "metric a = 1\nmetric b = 1\nmetric c = 1\nmetric d = 1\nmetric e = 1\nmetric f = 1\n"
          "metric g = 1\nmetric h = 1\nmetric i = 1",
          "op.cu:14:8: found more than 8 metrics" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        at_error err = { 0 };
        atx_op *op = NULL;
        cr_assert_eq(read(&op, ROWS[i].lines, &err), AT_ERR_INPUT, "%s", ROWS[i].lines);
        cr_assert(strstr(err.text, ROWS[i].why), "%s: %s", ROWS[i].lines, err.text);
    }
}

/* Who reads the text may compare it: what the objective does not read is not in it. */
Test(metric, an_objective_is_told_with_what_it_is_made_of)
{
    static const struct {
        const char *lines, *text;
    } ROWS[] = {
        { "metric a = 1", "" },
        { "metric a = 1\nobjective time", "" },
        { "metric a = 1 / 2\nobjective a", "min a (a = 1 / 2)" },
        { "metric a = 1\nmetric b = 2\nmetric c = a\nmetric d = c + 1\nobjective d max",
          "max d (a = 1, c = a, d = c + 1)" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        at_error err = { 0 };
        atx_op *op = NULL;
        cr_assert_eq(read(&op, ROWS[i].lines, &err), AT_OK, "%s", err.text);
        cr_assert_str_eq(op->goal.objective_text, ROWS[i].text);
        atx_op_close(op);
    }
}

static double score_of(const char *lines, double seconds)
{
    atx_op *op = NULL;
    atx_problem p;
    at_error err = { 0 };
    cr_assert_eq(read(&op, lines, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&p, op, ATX_F32, (int64_t[]){ 1000 }, 1, &err), AT_OK, "%s", err.text);
    double score =
        atx_score_or_none(&p, &(atx_record){ &(atx_timing){ .median_s = seconds }, &TAKES, CONFIG });
    atx_op_close(op);
    return score;
}

Test(metric, a_score_is_better_the_smaller_it_is)
{
    cr_assert_float_eq(score_of("metric a = median_s", 2e-6), 2e-6, 1e-12, "without an objective the time");
    cr_assert_float_eq(score_of("metric a = registers\nobjective a", 2e-6), 40, 1e-9);
    cr_assert_float_eq(score_of("metric a = registers\nobjective a max", 2e-6), 1 / 40.0, 1e-9);
    cr_assert_float_eq(score_of("metric a = median_s * param.TILE\nobjective a", 2e-6), 64e-6, 1e-12);
    cr_assert(isinf(score_of("metric a = registers - 40\nobjective a", 2e-6)), "not above zero");
    cr_assert(isinf(score_of("metric a = 1 / (registers - 40)\nobjective a max", 2e-6)), "no value");
}
