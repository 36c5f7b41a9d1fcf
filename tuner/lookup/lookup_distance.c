/*
 * lookup_distance.c - the distance between a tuned problem and one that was not tuned.
 *
 * A sum over the dimensions. Each counts the factors of two between its sizes. The op declares (`near`) other
 * differences that count: narrow sizes, rows of another alignment, dimensions that may be exchanged. If
 * dimensions may be exchanged, the nearest order counts. An op that declares nothing gets the plain sum.
 * Properties of the hardware are added for every op: too few bytes to fill the device, so few that the launch
 * takes all of the time, and other alignments of buffers.
 *
 * Invariant: 0 for equal problems, never below; every term is a difference of the two problems.
 * `tools/near_loss` measures the loss of answers; run it after a change here or to a `near` line. Figures:
 * README.md.
 */
#include "lookup/lookup_internal.h"

#include "lang/layout.h"

#include <math.h>
#include <stdlib.h>

#define ALIGNMENT_STEP 1.0 /* for each factor of two between alignments of rows, besides the op's cost    */
#define BUFFER_STEP    0.1 /* the same for the buffers themselves: it tells equals apart                  */
#define WIDEST_ACCESS  16  /* bytes                                                                       */
#define SMALL_TRAFFIC  (16 << 20)
#define SMALL_COST     3.0 /* fewer bytes cannot fill the device with large tiles: 5 to 15 %              */
#define TINY_TRAFFIC   (512 << 10)
#define TINY_COST      24.0 /* where a launch takes all of the time any kernel wins                       */
#define MOVED_COST     4.0  /* a dimension that stands elsewhere in the input's order, of an op of layouts */

/* |log2| of the ratio; sizes of zero count as one. */
static double factors_of_two(int64_t a, int64_t b)
{
    return a == b ? 0 : fabs(log2((double)(a > 0 ? a : 1) / (double)(b > 0 ? b : 1)));
}

/* The widest power of two, at most an access, that divides the bytes of a row of this length. */
static int64_t alignment(int64_t elements, int element_bytes)
{
    int64_t bytes = elements % WIDEST_ACCESS * element_bytes, align = WIDEST_ACCESS;
    while (bytes % align != 0)
        align /= 2;
    return align;
}

/* The widest access that the beginning of all rows of dimension `i` allows: what their distance and the
 * buffer's own alignment allow. The distance is a pitch, or the dimension itself.
 */
static int64_t row_alignment(const int64_t *sizes, const atx_op *op, int i, int element_bytes)
{
    const int64_t *aligns = sizes + atx_problem_first_align(op);
    int64_t elements = sizes[i], buffer = ATX_FULL_ALIGN;
    for (int k = 0; k < op->shape.pitch_count; k++)
        if (op->shape.pitches[k].dim == i)
            elements = sizes[op->shape.dim_count + k];
    for (int k = 0; k < op->shape.align_count; k++) {
        int pitch = op->shape.aligns[k].pitch;
        if ((pitch < 0 || op->shape.pitches[pitch].dim == i) && aligns[k] < buffer)
            buffer = aligns[k];
    }
    int64_t rows = alignment(elements, element_bytes);
    return rows < buffer ? rows : buffer;
}

static double alignment_distance(const int64_t *there, int j, const atx_problem *p, int i)
{
    int element_bytes = atx_dtype_bytes(p->type);
    int64_t a = row_alignment(there, p->op, j, element_bytes);
    int64_t b = row_alignment(p->dims, p->op, i, element_bytes);
    return a == b ? 0
                  : (double)p->op->shape.dims[i].near.aligned_cost + ALIGNMENT_STEP * factors_of_two(a, b);
}

/* Dimension `j` there as dimension `i` here. */
static double dim_distance(const int64_t *there, int j, const atx_problem *p, int i)
{
    const atx_near *near = &p->op->shape.dims[i].near;
    double d = factors_of_two(there[j], p->dims[i]);
    if (near->aligned_cost)
        d += alignment_distance(there, j, p, i);
    bool narrow_there = there[j] <= near->narrow, narrow_here = p->dims[i] <= near->narrow;
    return narrow_there == narrow_here ? d : d + (double)near->narrow_cost;
}

/* All dimensions; `pair` NULL: each as itself. */
static double dims_distance(const int64_t *there, const atx_problem *p, const atx_exchange *pair)
{
    double d = pair ? (double)pair->cost : 0;
    for (int i = 0; i < p->op->shape.dim_count; i++) {
        int j = !pair || (i != pair->dims[0] && i != pair->dims[1]) ? i : pair->dims[i == pair->dims[0]];
        d += dim_distance(there, j, p, i);
    }
    return d;
}

/* Exactly one of two numbers of bytes is below the limit. */
static bool only_one_below(double limit, double a, double b)
{
    return (a < limit) != (b < limit);
}

double atx_shape_distance(const atx_entry *there, const atx_problem *p, double traffic)
{
    const atx_op *op = p->op;
    int element_bytes = atx_dtype_bytes(p->type);
    double bytes_there = there->traffic * element_bytes, bytes_here = traffic * element_bytes;
    double d = dims_distance(there->dims, p, NULL);
    for (int i = 0; i < op->shape.exchange_count; i++)
        d = fmin(d, dims_distance(there->dims, p, &op->shape.exchanges[i]));
    for (int i = atx_problem_first_align(op); i < atx_problem_size_count(op); i++)
        d += BUFFER_STEP * factors_of_two(there->dims[i], p->dims[i]);
    if (op->shape.layout_count)
        d += MOVED_COST * atx_layout_moved(op, there->dims, p->dims);
    d += only_one_below(TINY_TRAFFIC, bytes_there, bytes_here) ? TINY_COST : 0;
    return only_one_below(SMALL_TRAFFIC, bytes_there, bytes_here) ? d + SMALL_COST : d;
}

double atx_device_distance(const atx_entry *e, const atx_gpu_model *device)
{
    const atx_fingerprint *f = &e->answer.fingerprint;
    return atx_gpu_distance(&(atx_gpu_model){ .name = f->device, .cc = f->cc, .sms = f->sms }, device);
}

static int by_distance(const void *a, const void *b)
{
    const atx_ranked *x = a, *y = b;
    if (x->distance < y->distance || x->distance > y->distance)
        return x->distance < y->distance ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

void atx_rank(atx_ranked *list, size_t count)
{
    qsort(list, count, sizeof *list, by_distance);
}
