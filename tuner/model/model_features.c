/*
 * model_features.c - one vector for a template: the problem's features, the launch's, the template's slots in
 * their order.
 *
 * Invariant: names and numbers are written by walks over the same lists, so that they stay side by side.
 */
#include "model/model_features.h"

#include "lang/arch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_TWOS  8  /* of a row's bytes: more than any access is wide */
#define MANY_WAVES 64 /* so many are as good as any number              */
#define FEW_DIMS   4  /* of more only neighbours are compared: a model has room for 250 features */
#define RUNS       4  /* so many fastest dimensions of a layout are looked at                  */

/* Of the problem as a whole; then those of each size, of each pair of dimensions, and of layouts. */
enum {
    ELSEWHERE = ATX_MODEL_FEATURE_ELSEWHERE,
    TYPE,
    ELEMENT_BYTES,
    CC,
    SMS,
    ELEMENTS,
    TRAFFIC,
    TRAFFIC_IN_L2,
    WHOLE
};
enum { SIZE, SIZE_LOG, SIZE_BYTES, SIZE_TWOS, OF_SIZE };
enum { RATIO, AREA_BYTES, AREA_TWOS, LESS, OF_PAIR };
enum {
    BLOCKS,
    THREADS,
    SHARED,
    RESIDENT,
    WAVES,
    LAST_WAVE,
    WHOLE_WAVES,
    THREADS_AN_ELEMENT,
    BYTES_A_BLOCK,
    RESIDENT_THREADS,
    BUSY,
    IN_FLIGHT,
    SHARED_A_BYTE,
    UNEVEN,
    FIGURES
};

/* Of the fastest dimensions of the input and the output, each with those before it, and of the layouts as
 * wholes: the order of a permutation is in no extent. */
enum { RUN, RUN_TWOS, PLACE, RUN_EXTENT, OF_RUN };
enum { RANK, STEP_IN, STEP_IN_TWOS, STEP_OUT, STEP_OUT_TWOS, OF_LAYOUTS };

static const char *const WHOLE_NAMES[WHOLE] = { "elsewhere", "type",     "element bytes", "cc",
                                                "sms",       "elements", "traffic",       "traffic in L2" };
static const char *const SIZE_NAMES[OF_SIZE] = { "", "log ", "bytes ", "twos " };
static const char *const PAIR_NAMES[OF_PAIR] = { "ratio", "area", "area twos", "lesser" };
static const char *const RUN_NAMES[OF_RUN] = { "bytes", "twos", "place", "extent" };
static const char *const LAYOUT_NAMES[OF_LAYOUTS] = { "rank", "step in", "twos step in", "step out",
                                                      "twos step out" };
static const char *const FIGURE_NAMES[FIGURES] = {
    [BLOCKS] = "blocks",
    [THREADS] = "threads of a block",
    [SHARED] = "shared bytes",
    [RESIDENT] = "resident blocks",
    [WAVES] = "waves",
    [LAST_WAVE] = "share of waves used",
    [WHOLE_WAVES] = "whole waves",
    [THREADS_AN_ELEMENT] = "threads an element",
    [BYTES_A_BLOCK] = "bytes a block",
    [RESIDENT_THREADS] = "resident threads",
    [BUSY] = "busy threads",
    [IN_FLIGHT] = "bytes under way",
    [SHARED_A_BYTE] = "shared bytes a byte",
    [UNEVEN] = "blocks of the fullest",
};

static bool is_pair(const atx_op *op, int a, int b)
{
    return op->shape.dim_count <= FEW_DIMS || b == a + 1;
}

static int pair_count(const atx_op *op)
{
    return op->shape.dim_count <= FEW_DIMS ? op->shape.dim_count * (op->shape.dim_count - 1) / 2
                                           : op->shape.dim_count - 1;
}

static int size_count(const atx_op *op)
{
    return op->shape.dim_count + op->shape.pitch_count + op->shape.align_count;
}

static int run_count(const atx_op *op)
{
    return op->shape.dim_count < RUNS ? op->shape.dim_count : RUNS;
}

static int layout_features(const atx_op *op)
{
    return op->shape.layout_count ? 2 * OF_RUN * run_count(op) + OF_LAYOUTS : 0;
}

atx_model_features atx_model_features_of(const atx_op *op, const atx_template *t)
{
    atx_model_features v = { .op = op, .t = t };
    v.problem_count = WHOLE + OF_SIZE * size_count(op) + OF_PAIR * pair_count(op) + layout_features(op);
    v.count = v.problem_count + (t ? FIGURES + t->scope.symbols.count - op->scope.symbols.count : 0);
    return v;
}

/* ---- names ---- */

static const char *size_name(const atx_op *op, int i)
{
    if (i < op->shape.dim_count)
        return op->shape.dims[i].name;
    i -= op->shape.dim_count;
    return i < op->shape.pitch_count ? op->shape.pitches[i].name
                                     : op->shape.aligns[i - op->shape.pitch_count].name;
}

static void pair_name(char out[ATX_MAX_NAME], const atx_op *op, int at)
{
    int pair = at / OF_PAIR, a = 0, b = 1;
    for (; pair > 0; pair--)
        if (b + 1 < op->shape.dim_count && is_pair(op, a, b + 1))
            b++;
        else
            b = ++a + 1;
    snprintf(out, ATX_MAX_NAME, "%s %.20s %.20s", PAIR_NAMES[at % OF_PAIR], op->shape.dims[a].name,
             op->shape.dims[b].name);
}

static void layout_name(char out[ATX_MAX_NAME], const atx_op *op, int at)
{
    int runs = OF_RUN * run_count(op);
    if (at < 2 * runs)
        snprintf(out, ATX_MAX_NAME, "%s %s %d", at < runs ? "in" : "out", RUN_NAMES[at % OF_RUN],
                 at % runs / OF_RUN);
    else
        snprintf(out, ATX_MAX_NAME, "%s", LAYOUT_NAMES[at - 2 * runs]);
}

/* A label's number is the same everywhere. */
static bool is_label(const atx_template *t, int slot)
{
    for (int i = 0; i < t->scope.param_count; i++) {
        const atx_param *p = &t->scope.params[i];
        if (p->label_slot >= 0 && slot >= p->label_slot && slot < p->label_slot + p->count)
            return true;
    }
    return false;
}

/* A word and the first `most` characters of a name. */
static void put_name(char out[ATX_MAX_NAME], const char *word, const char *name, int most)
{
    for (; *word; word++)
        *out++ = *word;
    for (; *name && most > 0; most--)
        *out++ = *name++;
    *out = '\0';
}

void atx_model_features_name(char out[ATX_MAX_NAME], const atx_model_features *v, int i)
{
    const atx_op *op = v->op;
    int sizes = size_count(op), at = i;
    out[0] = '\0';
    if (at < WHOLE) {
        put_name(out, "", WHOLE_NAMES[at], 50);
    } else if ((at -= WHOLE) < OF_SIZE * sizes) {
        put_name(out, SIZE_NAMES[at % OF_SIZE], size_name(op, at / OF_SIZE), 50);
    } else if ((at -= OF_SIZE * sizes) < OF_PAIR * pair_count(op)) {
        pair_name(out, op, at);
    } else if ((at -= OF_PAIR * pair_count(op)) < layout_features(op)) {
        layout_name(out, op, at);
    } else if ((at -= layout_features(op)) < FIGURES) {
        put_name(out, "", FIGURE_NAMES[at], 50);
    } else if (!is_label(v->t, at - FIGURES + op->scope.symbols.count)) {
        put_name(out, ".", atx_symbol_name(&v->t->scope.symbols, at - FIGURES + op->scope.symbols.count), 60);
    }
}

/* ---- numbers ---- */

static float log_of(double value)
{
    return (float)(value > 0 ? log2(value) : -1);
}

static float twos_of(int64_t value)
{
    int twos = 0;
    for (; value && value % 2 == 0 && twos < MOST_TWOS; value /= 2)
        twos++;
    return (float)(value ? twos : MOST_TWOS);
}

static int64_t saturated(double value)
{
    return value < 9e18 ? (int64_t)value : INT64_MAX;
}

static double elements_of(const atx_problem *p)
{
    double count = 1;
    for (int i = 0; i < p->op->shape.dim_count; i++)
        count *= (double)p->dims[i];
    return count;
}

/* Bytes that must be moved; where the op does not say, those of its elements. */
static double traffic_of(const atx_problem *p, const int64_t *slots)
{
    int64_t bytes = 0;
    if (p->op->goal.traffic && atx_expr_eval(&bytes, p->op->goal.traffic, slots, NULL) == AT_OK && bytes > 0)
        return (double)bytes;
    return elements_of(p) * atx_dtype_bytes(p->type);
}

static const atx_limits *limits_of(atx_limits *out, const atx_op *op, const int64_t *slots)
{
    const int64_t *from = slots + op->scope.device_slot;
    memcpy(out, from, sizeof *out);
    return out;
}

/* The i-th of what has a name of its own: strides lie between pitches and alignments. */
static int64_t size_of(const atx_problem *p, int i)
{
    int leading = p->op->shape.dim_count + p->op->shape.pitch_count;
    return p->dims[i < leading ? i : atx_problem_first_align(p->op) + i - leading];
}

/* Of the fastest dimensions of one side, and where they stand on the other. */
static void run_numbers(float *out, const atx_problem *p, const int *fastest, int rank, const int *place)
{
    double bytes = atx_dtype_bytes(p->type);
    for (int k = 0; k < run_count(p->op); k++, out += OF_RUN) {
        double extent = k < rank ? (double)p->dims[fastest[k]] : 1;
        bytes *= extent;
        out[RUN] = log_of(bytes);
        out[RUN_TWOS] = twos_of(saturated(bytes));
        out[PLACE] = (float)(k < rank ? place[fastest[k]] : -1);
        out[RUN_EXTENT] = log_of(extent);
    }
}

static void layout_numbers(float *out, const atx_problem *p)
{
    const atx_op *op = p->op;
    int order[ATX_MAX_DIMS] = { 0 }, in[ATX_MAX_DIMS] = { 0 }, of_out[ATX_MAX_DIMS] = { 0 };
    int place_in[ATX_MAX_DIMS] = { 0 }, place_out[ATX_MAX_DIMS] = { 0 }, runs = OF_RUN * run_count(op);
    int rank = atx_problem_input_order(order, op, p->dims), last = op->shape.dim_count - 1;
    const int64_t *steps_in = p->dims + atx_problem_first_stride(op, 0);
    const int64_t *steps_out = p->dims + atx_problem_first_stride(op, 1);
    double bytes = atx_dtype_bytes(p->type);
    for (int k = 0; k < rank; k++) {
        in[k] = order[rank - 1 - k];
        of_out[k] = last - k;
        place_in[in[k]] = k;
        place_out[of_out[k]] = k;
    }
    run_numbers(out, p, in, rank, place_out);
    run_numbers(out + runs, p, of_out, rank, place_in);
    out += 2 * runs;
    double step_in = (double)steps_in[last] * bytes;
    double step_out = (double)steps_out[in[0]] * bytes;
    out[RANK] = (float)rank;
    out[STEP_IN] = log_of(step_in);
    out[STEP_IN_TWOS] = twos_of(saturated(step_in));
    out[STEP_OUT] = log_of(step_out);
    out[STEP_OUT_TWOS] = twos_of(saturated(step_out));
}

void atx_model_features_problem(float *out, const atx_model_features *v, const atx_problem *p,
                                const int64_t *slots)
{
    atx_limits limits;
    limits_of(&limits, v->op, slots);
    double bytes = atx_dtype_bytes(p->type), traffic = traffic_of(p, slots);
    out[ELSEWHERE] = 0;
    out[TYPE] = p->op->storage ? 0 : (float)p->type;
    out[ELEMENT_BYTES] = (float)bytes;
    out[CC] = (float)limits.cc;
    out[SMS] = (float)limits.sms;
    out[ELEMENTS] = log_of(elements_of(p));
    out[TRAFFIC] = log_of(traffic);
    out[TRAFFIC_IN_L2] = log_of(traffic / (double)(limits.l2_bytes > 0 ? limits.l2_bytes : 1));
    out += WHOLE;
    for (int i = 0; i < size_count(v->op); i++, out += OF_SIZE) {
        double size = (double)size_of(p, i);
        out[SIZE] = (float)size;
        out[SIZE_LOG] = log_of(size);
        out[SIZE_BYTES] = log_of(size * bytes);
        out[SIZE_TWOS] = twos_of(saturated(size * bytes));
    }
    for (int a = 0; a < v->op->shape.dim_count; a++)
        for (int b = a + 1; b < v->op->shape.dim_count && is_pair(v->op, a, b); b++, out += OF_PAIR) {
            double area = (double)p->dims[a] * (double)p->dims[b] * bytes;
            out[RATIO] = log_of((double)p->dims[a]) - log_of((double)p->dims[b]);
            out[AREA_BYTES] = log_of(area);
            out[AREA_TWOS] = twos_of(saturated(area));
            out[LESS] = (float)(p->dims[a] < p->dims[b] ? p->dims[a] : p->dims[b]);
        }
    if (layout_features(v->op))
        layout_numbers(out, p);
}

static void figures(float *out, const atx_op *op, const int64_t *slots, const atx_geometry *g,
                    double log_elements, double log_traffic)
{
    atx_limits limits;
    limits_of(&limits, op, slots);
    double blocks = (double)g->grid[0] * (double)g->grid[1] * (double)g->grid[2];
    int64_t threads = g->block[0] * g->block[1] * g->block[2];
    atx_occupancy o = atx_arch_occupancy(limits.cc, threads, 0, g->shared_bytes);
    double resident = o.blocks > 0 ? (double)o.blocks : 1, sms = limits.sms > 0 ? (double)limits.sms : 1;
    double waves = blocks / (sms * resident), busy = fmin(blocks, sms * resident);
    out[BLOCKS] = log_of(blocks);
    out[THREADS] = (float)threads;
    out[SHARED] = log_of((double)g->shared_bytes + 1);
    out[RESIDENT] = (float)resident;
    out[WAVES] = log_of(waves);
    out[LAST_WAVE] = (float)(waves / ceil(waves));
    out[WHOLE_WAVES] = (float)fmin(ceil(waves), MANY_WAVES);
    out[THREADS_AN_ELEMENT] = (float)(log_of(blocks) + log_of((double)threads) - log_elements);
    out[BYTES_A_BLOCK] = (float)(log_traffic - log_of(blocks));
    out[RESIDENT_THREADS] = (float)(resident * (double)threads);
    out[BUSY] = (float)(busy * (double)threads / (sms * 2048));
    out[IN_FLIGHT] = (float)(log_of(busy) + log_traffic - log_of(blocks));
    out[SHARED_A_BYTE] = (float)(log_of(blocks) + log_of((double)g->shared_bytes + 1) - log_traffic);
    out[UNEVEN] = (float)(blocks < MANY_WAVES * sms ? ceil(blocks / sms) * sms / blocks : 1);
}

void atx_model_features_config(float *out, const atx_model_features *v, const int64_t *slots,
                               const atx_geometry *g)
{
    const atx_op *op = v->op;
    float *f = out + v->problem_count;
    figures(f, op, slots, g, out[ELEMENTS], out[TRAFFIC]);
    f += FIGURES;
    for (int i = op->scope.symbols.count; i < v->t->scope.symbols.count; i++)
        *f++ = (float)slots[i];
}
