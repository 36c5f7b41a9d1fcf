/*
 * test_surrogate.c - the Gaussian process against the textbook: the whole matrix, solved anew for each
 * question. Before it learns, its kernel is the one that surrogate.h gives, with 1 - r = 1/2 and length =
 * exp(-0.7) for every feature, half of the rough kernel for the ordered ones, and a noise of
 * exp(-6) of the signal's variance.
 */
#include "search/surrogate.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const char OP[] =
    "/*!autotune\nop fill\nshape n\ntype T = storage\narg out T[n] output\n"
    "reference fill_reference\ngrid 1\nblock 32\ncheck exact\ntraffic n * sizeof(T)\n*/\n"
    "extern \"C\" __global__ void fill_reference(T *out) {}\n";

static const char TEMPLATE[] =
    "/*!autotune\ntemplate tiles\nparam A = 1..8\nparam B = x y z\nparam C = 3 5 11 12\n"
    "grid 1\nblock 32\n*/\nextern \"C\" __global__ void fill_tiles(T *out) {}\n";

enum { ROWS = 40, SLOTS = 56, ALL = ROWS + SLOTS };

static atx_op *op;
static atx_template *tiles;
static atx_space *space;
static int64_t slots[ATX_MAX_SLOTS];
static atx_search search;
static atx_features *features;
static int first; /* the feature that is A itself */
static atx_surrogate *surrogate;
static uint8_t level[ALL][ATX_MAX_FEATURES]; /* of all 96 configurations, shuffled */

static void open_all(void)
{
    const atx_limits limits = {
        .cc = 90, .sms = 132, .max_threads_per_block = 1024, .max_grid_x = 2147483647
    };
    int64_t n = 64;
    atx_problem problem;
    at_error err = { 0 };
    cr_assert_eq(atx_op_read(&op, OP, sizeof OP - 1, "op.cu", &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F32, &n, 1, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_bind(slots, &problem, &limits, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_template_read(&tiles, op, TEMPLATE, sizeof TEMPLATE - 1, "t.cu", &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(atx_space_open(&space, tiles, slots, NULL, 0, &err), AT_OK, "%s", err.text);
    search = (atx_search){ .spaces = &space, .space_count = 1, .slots = slots, .seed = 1 };
    atx_search_count(&search);
    cr_assert_eq(search.total, ALL);
    cr_assert_eq(atx_features_open(&features, &search, &err), AT_OK, "%s", err.text);
    while (atx_features_at(features, first)->levels != 9) /* and that of having none */
        cr_assert_lt(++first, atx_features_count(features));
    for (int i = 0; i < ALL; i++)
        atx_features_levels(level[i], features, i * 37 % ALL);
    cr_assert_eq(atx_surrogate_open(&surrogate, features, ROWS, SLOTS, &err), AT_OK, "%s", err.text);
}

static void close_all(void)
{
    atx_surrogate_close(surrogate);
    atx_features_close(features);
    atx_space_close(space);
    atx_template_close(tiles);
    atx_op_close(op);
}

TestSuite(surrogate, .init = open_all, .fini = close_all);

/* ---- the textbook ---- */

static const double NOISE = 0.0024787521766663585; /* exp(-6) */

static double covariance(const uint8_t *a, const uint8_t *b)
{
    double product = 1;
    for (int d = 0; d < atx_features_count(features); d++) {
        const atx_feature *f = atx_features_at(features, d);
        double apart = a[d] == b[d] ? 0
                       : f->ordered ? fabs((double)f->place[a[d]] - (double)f->place[b[d]])
                                    : 1;
        double far = apart / exp(-0.7), rough = f->ordered ? 0.5 : 1;
        double smooth = (1 + sqrt(3) * far) * exp(-sqrt(3) * far);
        product *= 0.5 + 0.5 * (rough * exp(-far) + (1 - rough) * smooth);
    }
    return product;
}

/* x = (K + noise)^-1 b over the given rows, by elimination. */
static void solve(double *x, const double *b, const int *rows, int n)
{
    static double a[ROWS][ROWS + 1];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i][j] = covariance(level[rows[i]], level[rows[j]]) + (i == j ? NOISE + 1e-9 : 0);
        a[i][n] = b[i];
    }
    for (int p = 0; p < n; p++)
        for (int i = 0; i < n; i++)
            for (int j = n; i != p && j >= p; j--)
                a[i][j] -= a[i][p] / a[p][p] * a[p][j];
    for (int i = 0; i < n; i++)
        x[i] = a[i][n] / a[i][i];
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

typedef struct guess {
    double mean, deviation;
} guess;

/* What values at `rows` say of one more place. The signal's variance is theirs, with a little prior. */
static guess textbook(const uint8_t *place, const double *values, const int *rows, int n)
{
    double middle = 0, rest[ROWS], to[ROWS], by_rest[ROWS], by_to[ROWS];
    for (int i = 0; i < n; i++)
        middle += values[i] / n;
    for (int i = 0; i < n; i++) {
        rest[i] = values[i] - middle;
        to[i] = covariance(place, level[rows[i]]);
    }
    solve(by_rest, rest, rows, n);
    solve(by_to, to, rows, n);
    double scale = (dot(rest, by_rest, n) + 1e-4) / (n + 1);
    return (guess){ middle + dot(to, by_rest, n), sqrt(scale * (1 - dot(to, by_to, n))) };
}

/* ---- what is tested ---- */

static double value_of(int i)
{
    return sin(3.0 * level[i][first]) + 0.3 * level[i][first + 2] + 0.01 * (i * 29 % 17);
}

static void place_all(void)
{
    for (int m = 0; m < SLOTS; m++)
        atx_surrogate_place(surrogate, m, level[ROWS + m]);
}

/* All slots and the row that has no value yet, against the values of `rows`. */
static void expect_textbook(const int *rows, int n)
{
    double mean[SLOTS], deviation[SLOTS], values[ROWS];
    for (int i = 0; i < n; i++)
        values[i] = value_of(rows[i]);
    atx_surrogate_predict(surrogate, mean, deviation, SLOTS);
    for (int m = 0; m < SLOTS; m++) {
        guess g = textbook(level[ROWS + m], values, rows, n);
        cr_assert_float_eq(mean[m], g.mean, 1e-3, "slot %d: %g, by the book %g", m, mean[m], g.mean);
        cr_assert_float_eq(deviation[m], g.deviation, 1e-3 + 0.01 * g.deviation,
                           "slot %d: %g, by the book %g", m, deviation[m], g.deviation);
    }
}

static void add_rows(int from, int count)
{
    for (int i = from; i < from + count; i++)
        atx_surrogate_set(surrogate, atx_surrogate_add(surrogate, level[i]), value_of(i));
}

Test(surrogate, predicts_what_the_whole_matrix_says)
{
    int rows[ROWS];
    for (int i = 0; i < ROWS; i++)
        rows[i] = i;
    place_all(); /* some observations come before the candidates, some after */
    add_rows(0, ROWS / 2);
    expect_textbook(rows, ROWS / 2);
    add_rows(ROWS / 2, ROWS / 2);
    expect_textbook(rows, ROWS);
    place_all();
    expect_textbook(rows, ROWS);
    cr_assert_eq(atx_surrogate_rows(surrogate), ROWS);
}

Test(surrogate, an_observation_that_is_removed_says_nothing_more)
{
    int rows[ROWS], n = 0;
    place_all();
    add_rows(0, ROWS);
    atx_surrogate_remove(surrogate, 30);
    atx_surrogate_remove(surrogate, 7);
    for (int i = 0; i < ROWS; i++)
        if (i != 7 && i != 30)
            rows[n++] = i;
    expect_textbook(rows, n);
    atx_surrogate_clear(surrogate);
    place_all();
    add_rows(10, 5);
    expect_textbook((const int[]){ 10, 11, 12, 13, 14 }, 5);
}

/* How sure the model is where it has been: the noise is what is left of the variance. */
Test(surrogate, one_observation_leaves_its_noise)
{
    double mean[2], deviation[2], scale;
    atx_surrogate_place(surrogate, 0, level[0]);
    atx_surrogate_place(surrogate, 1, level[1]);
    atx_surrogate_set(surrogate, atx_surrogate_add(surrogate, level[0]), 5);
    atx_surrogate_predict(surrogate, mean, deviation, 2);
    scale = 1e-4 / 2;
    cr_assert_float_eq(mean[0], 5, 1e-6);
    cr_assert_float_eq(deviation[0], sqrt(scale * NOISE / (1 + NOISE)), 1e-5);
    cr_assert_gt(deviation[1], 3 * deviation[0]);
}

/* What was proposed has no value yet: it lowers the uncertainty around it and moves no mean. */
Test(surrogate, an_observation_without_a_value_makes_sure_and_moves_nothing)
{
    double before[SLOTS], after[SLOTS], unsure[SLOTS], surer[SLOTS];
    place_all();
    add_rows(0, 10);
    atx_surrogate_predict(surrogate, before, unsure, SLOTS);
    int row = atx_surrogate_add(surrogate, level[ROWS + 3]);
    atx_surrogate_predict(surrogate, after, surer, SLOTS);
    for (int m = 0; m < SLOTS; m++) {
        cr_assert_float_eq(after[m], before[m], 1e-9);
        cr_assert_leq(surer[m], unsure[m] + 1e-9);
    }
    cr_assert_lt(surer[3], 0.2 * unsure[3]);

    double mean, deviation;
    atx_surrogate_predict_row(surrogate, &mean, &deviation, row);
    cr_assert_float_eq(mean, before[3], 1e-4, "the row is that of slot 3: %g, %g", mean, before[3]);
    cr_assert_float_eq(deviation, unsure[3], 1e-3, "%g, %g", deviation, unsure[3]);
}

Test(surrogate, other_values_give_other_means)
{
    double mean[SLOTS], other[SLOTS], deviation[SLOTS], values[ROWS];
    place_all();
    add_rows(0, 20);
    atx_surrogate_predict(surrogate, mean, deviation, SLOTS);
    for (int i = 0; i < 20; i++)
        values[i] = 7 - 2 * value_of(i);
    atx_surrogate_predict_other(surrogate, other, values, SLOTS);
    for (int m = 0; m < SLOTS; m++)
        cr_assert_float_eq(other[m], 7 - 2 * mean[m], 1e-4);
}

/* Root of the mean square of what is predicted and what is, over all slots. */
static double error_of(double (*truth)(int i))
{
    double mean[SLOTS], deviation[SLOTS], sum = 0;
    atx_surrogate_predict(surrogate, mean, deviation, SLOTS);
    for (int m = 0; m < SLOTS; m++)
        sum += pow(mean[m] - truth(ROWS + m), 2);
    return sqrt(sum / SLOTS);
}

static double only_the_first(int i)
{
    return level[i][first] % 2 ? 3 + 0.1 * level[i][first] : 0.1 * level[i][first];
}

Test(surrogate, learns_which_features_matter)
{
    place_all();
    for (int i = 0; i < ROWS; i++)
        atx_surrogate_set(surrogate, atx_surrogate_add(surrogate, level[i]), only_the_first(i));
    double before = error_of(only_the_first);
    atx_surrogate_learn(surrogate, 30);
    double after = error_of(only_the_first);
    cr_assert_lt(after, 0.5 * before, "%g, without learning %g", after, before);
}

static double plane(int i)
{
    return 0.2 * level[i][first];
}

Test(surrogate, learns_how_much_is_noise)
{
    place_all();
    for (int i = 0; i < ROWS; i++)
        atx_surrogate_set(surrogate, atx_surrogate_add(surrogate, level[i]),
                          plane(i) + (i * 13 % 7 - 3) * 0.2);
    double before = error_of(plane);
    atx_surrogate_learn(surrogate, 30);
    double after = error_of(plane);
    cr_assert_lt(after, 0.8 * before, "%g, without learning %g", after, before);
}

/* A bump without corners over the eight levels of A. */
static double bump(int i)
{
    return exp(-pow((level[i][first] - 4.5) / 2.5, 2));
}

/* Seven levels of A tell the eighth. The rough kernel alone misses it by 0.25. */
Test(surrogate, learns_that_values_are_smooth)
{
    double mean, deviation;
    for (int i = 0; i < ROWS; i++)
        if (level[i][first] != 5)
            atx_surrogate_set(surrogate, atx_surrogate_add(surrogate, level[i]), bump(i));
    atx_surrogate_learn(surrogate, 30);
    int between = 0;
    while (level[between][first] != 5)
        between++;
    atx_surrogate_place(surrogate, 0, level[between]);
    atx_surrogate_predict(surrogate, &mean, &deviation, 1);
    cr_assert_lt(fabs(mean - bump(between)), 0.17, "%g, really %g", mean, bump(between));
}

/* Every third row is of a template without A. */
Test(surrogate, a_template_without_the_parameter_does_not_spoil_it)
{
    place_all();
    for (int i = 0; i < ROWS; i++) {
        uint8_t of[ATX_MAX_FEATURES];
        memcpy(of, level[i], sizeof of);
        of[first] = i % 3 ? of[first] : 0;
        atx_surrogate_set(surrogate, atx_surrogate_add(surrogate, of), i % 3 ? plane(i) : 0.9);
    }
    atx_surrogate_learn(surrogate, 60);
    double error = error_of(plane);
    cr_assert_lt(error, 0.05, "%g", error);
}

static double mean_deviation(void)
{
    double mean[SLOTS], deviation[SLOTS], sum = 0;
    atx_surrogate_predict(surrogate, mean, deviation, SLOTS);
    for (int m = 0; m < SLOTS; m++)
        sum += deviation[m] / SLOTS;
    return sum;
}

/* After the model has learned, a trial takes ten times as long as another that all features say is the same.
 */
Test(surrogate, one_disturbed_trial_does_not_spoil_it)
{
    place_all();
    for (int i = 0; i < ROWS - 1; i++)
        atx_surrogate_set(surrogate, atx_surrogate_add(surrogate, level[i]), plane(i));
    atx_surrogate_learn(surrogate, 30);
    double error = error_of(plane), deviation = mean_deviation();
    atx_surrogate_set(surrogate, atx_surrogate_add(surrogate, level[5]), plane(5) + log(10));
    double later = error_of(plane), unsure = mean_deviation();
    cr_assert_lt(unsure, 3 * deviation, "%g, before %g", unsure, deviation);
    cr_assert_lt(later, error + 0.1, "%g, before %g", later, error);
}
