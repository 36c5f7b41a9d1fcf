/* kernel.c - see kernel.h. */
#include "search/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A template without the parameter lies so far beside the middle of the line: other templates tell little. */
#define ABSENT_DISTANCE 0.2

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

/* In a plane: no kernel of other distances is sure to be one, which has a matrix that can be factored. */
static double distance(const atx_feature *f, int a, int b)
{
    if (a == b)
        return 0;
    if (!f->ordered)
        return 1;
    if (f->place[a] <= ATX_ABSENT || f->place[b] <= ATX_ABSENT)
        return hypot(ABSENT_DISTANCE, (double)fmaxf(f->place[a], f->place[b]) - 0.5);
    return fabs((double)f->place[a] - (double)f->place[b]);
}

/* What all entries of a feature's table have in common. */
typedef struct shape {
    double matter, per_length, rough;
} shape;

static shape shape_of(const atx_kernel *k, int dim)
{
    bool ordered = atx_features_at(k->features, dim)->ordered;
    return (shape){ .matter = logistic(k->at.of[dim][ATX_RELEVANCE]),
                    .per_length = exp(-k->at.of[dim][ATX_LENGTH]),
                    .rough = ordered ? logistic(k->at.roughness) : 1 };
}

/* The entry of two levels, and its derivatives by what is learned. */
static void set_entry(atx_kernel *k, int dim, const shape *s, int a, int b)
{
    size_t levels = (size_t)k->stride[dim], at = k->table[dim] + (size_t)a * levels + (size_t)b;
    size_t mirrored = k->table[dim] + (size_t)b * levels + (size_t)a;
    double far = distance(atx_features_at(k->features, dim), a, b) * s->per_length;
    double bend = 1.7320508075688772 * far, sharp = exp(-far), smooth = s->rough < 1 ? exp(-bend) : 0;
    double near = s->rough * sharp + (1 - s->rough) * (1 + bend) * smooth;
    const double slope[ATX_KINDS] = {
        s->matter * (1 - s->matter) * (near - 1),
        s->matter * (s->rough * far * sharp + (1 - s->rough) * bend * bend * smooth),
        s->matter * s->rough * (1 - s->rough) * (sharp - (1 + bend) * smooth),
    };
    k->factor[at] = k->factor[mirrored] = (float)(1 - s->matter + s->matter * near);
    for (int i = 0; i < ATX_KINDS; i++)
        k->slope[i][at] = k->slope[i][mirrored] = (float)slope[i];
}

void atx_kernel_update(atx_kernel *k)
{
    for (int d = 0; d < k->dims; d++) {
        const struct atx_levels_seen *seen = &k->seen[d];
        shape s = shape_of(k, d);
        for (int a = 0; a < seen->count; a++)
            for (int b = 0; b <= a; b++)
                set_entry(k, d, &s, seen->list[a], seen->list[b]);
    }
    k->noise = exp(k->at.noise);
}

void atx_kernel_see(atx_kernel *k, const uint8_t *levels)
{
    for (int d = 0; d < k->dims; d++) {
        struct atx_levels_seen *seen = &k->seen[d];
        if (seen->has[levels[d]])
            continue;
        shape s = shape_of(k, d);
        seen->has[levels[d]] = true;
        seen->list[seen->count++] = levels[d];
        for (int i = 0; i < seen->count; i++)
            set_entry(k, d, &s, levels[d], seen->list[i]);
    }
}

void atx_kernel_close(atx_kernel *k)
{
    free(k->factor);
    for (int i = 0; i < ATX_KINDS; i++)
        free(k->slope[i]);
    free(k->work);
    *k = (atx_kernel){ .features = NULL };
}
