/*
 * lookup_near.c - the winner of another problem for one that was never tuned.
 *
 * Candidates are ranked by a distance and the first whose requirements hold for this problem is the answer.
 */
#include "lookup_index.h"

#include "arch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The distance: a unit is a factor of two in one dimension. Rows of another alignment want other accesses,
 * and a narrow matrix another template, so each costs more than any usual difference in size. Not measured
 * yet.
 */
#define ALIGNMENT_COST 8.0
#define NARROW_COST    6.0
#define NARROW         32
#define SMALL_COST     3.0
#define SMALL_BYTES    (8 << 20)
#define OTHER_CC_COST  4.0

typedef struct ranked {
    size_t entry;
    double distance;
} ranked;

/* The widest power of two, at most 16, that divides the bytes of a row of this length. */
static int64_t alignment(int64_t elements, int element_bytes)
{
    int64_t bytes = elements % 16 * element_bytes, align = 16;
    while (bytes % align != 0)
        align /= 2;
    return align;
}

static double distance(const at__entry *e, const at__problem *p, const at__target *target)
{
    int element_bytes = at__dtype_bytes(p->type);
    double d = 0, here = element_bytes, there = element_bytes;
    for (int i = 0; i < p->op->dim_count; i++) {
        d += fabs(log2((double)e->dims[i] / (double)p->dims[i]));
        d +=
            alignment(e->dims[i], element_bytes) != alignment(p->dims[i], element_bytes) ? ALIGNMENT_COST : 0;
        d += (e->dims[i] <= NARROW) != (p->dims[i] <= NARROW) ? NARROW_COST : 0;
        here *= (double)p->dims[i];
        there *= (double)e->dims[i];
    }
    d += (here < SMALL_BYTES) != (there < SMALL_BYTES) ? SMALL_COST : 0;
    if (target && target->cc && e->answer.fingerprint.cc != target->cc)
        d += OTHER_CC_COST;
    return d;
}

static int by_distance(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->distance < y->distance || x->distance > y->distance)
        return x->distance < y->distance ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

/* Limits of the device that is asked for, or else of the one the winner was measured on. */
static at_status limits_for(at__limits *out, const at__entry *e, const at__target *target, at_error *err)
{
    char arch[32];
    const at__fingerprint *f = &e->answer.fingerprint;
    bool given = target && target->cc;
    snprintf(arch, sizeof arch, "sm_%d", (int)(given ? target->cc : f->cc));
    at_status status = at__arch_parse(out, arch, err);
    if (status == AT_OK)
        out->sms = given && target->sms ? target->sms : f->sms;
    return status;
}

/* Whether the winner's configuration is one of the template's for this problem; its geometry there. */
static bool fits(at__geometry *geometry, const at__entry *e, const at__problem *p, const at__target *target)
{
    int64_t slots[AT__MAX_SLOTS], value = 0;
    at__limits limits;
    if (!e->t || limits_for(&limits, e, target, NULL) != AT_OK ||
        at__problem_bind(slots, p, &limits, NULL) != AT_OK ||
        at__config_bind(slots, e->t, &e->config, NULL) != AT_OK)
        return false;
    for (size_t i = 0; i < e->t->require_count; i++)
        if (at__expr_eval(&value, e->t->requires[i].expr, slots, NULL) != AT_OK || !value)
            return false;
    return at__geometry_of(geometry, &e->t->launch, slots, NULL) == AT_OK;
}

/* The nearest entry that fits, on the device or on others; AT__NO_ENTRY when there is none. */
static at_status nearest(size_t *out, at__geometry *geometry, const at__lookup *l, const at__problem *p,
                         const char *device, bool on_device, const at__target *target, at_error *err)
{
    const char *type_key = at__dtype_key(p->type, p->op->storage);
    size_t count = 0;
    *out = AT__NO_ENTRY;
    ranked *list = malloc((l->count + 1) * sizeof *list);
    if (!list)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < l->count; i++)
        if (l->entries[i].op == p->op && strcmp(l->entries[i].answer.type_key, type_key) == 0 &&
            at__entry_is_on(&l->entries[i], device) == on_device)
            list[count++] = (ranked){ i, distance(&l->entries[i], p, target) };
    qsort(list, count, sizeof *list, by_distance);
    for (size_t i = 0; i < count && *out == AT__NO_ENTRY; i++)
        if (fits(geometry, &l->entries[list[i].entry], p, target))
            *out = list[i].entry;
    free(list);
    return AT_OK;
}

static void explain(char *out, size_t size, const at__lookup *l, const at__problem *p, const at__found *f,
                    const char *device)
{
    size_t same = 0;
    const char *type_key = at__dtype_key(p->type, p->op->storage);
    for (size_t i = 0; i < l->count; i++)
        same += l->entries[i].op == p->op && strcmp(l->entries[i].answer.type_key, type_key) == 0;
    if (f->match == AT__MATCH_NEAR)
        snprintf(out, size, "this shape was not tuned; the configuration is that of %s", f->answer->shape);
    else if (f->match == AT__MATCH_OTHER_DEVICE)
        snprintf(out, size, "nothing was tuned on %s; the configuration is that of %s on %s", device,
                 f->answer->shape, f->answer->fingerprint.device);
    else if (same)
        snprintf(out, size, "none of the %zu stored winners of %s with this element type fits this shape",
                 same, p->op->name);
    else
        snprintf(out, size, "the store has no winner of %s with this element type", p->op->name);
}

static at__memo *remembered(const at__lookup *l, const at__problem *p, uint64_t hash, const char *device)
{
    size_t count = l->memo_count < AT__MEMO_COUNT ? l->memo_count : AT__MEMO_COUNT;
    for (size_t i = 0; i < count; i++)
        if (l->memo[i].hash == hash && l->memo[i].type == p->type && strcmp(l->memo[i].device, device) == 0 &&
            memcmp(l->memo[i].dims, p->dims, sizeof p->dims) == 0)
            return &l->memo[i];
    return NULL;
}

at_status at__lookup_near(at__found *out, at__lookup *l, const at__problem *p, uint64_t hash,
                          const char *device, const at__target *target, at_error *err)
{
    at__memo *m = remembered(l, p, hash, device);
    if (m) {
        *out = m->found;
        return AT_OK;
    }
    if (!l->memo && !(l->memo = calloc(AT__MEMO_COUNT, sizeof *l->memo)))
        return at_fail(err, AT_ERR_MEMORY, "out of memory");

    at__found f = { .match = AT__MATCH_NEAR };
    size_t entry = AT__NO_ENTRY;
    at_status status = nearest(&entry, &f.geometry, l, p, device, true, target, err);
    if (status == AT_OK && entry == AT__NO_ENTRY) {
        f.match = AT__MATCH_OTHER_DEVICE;
        status = nearest(&entry, &f.geometry, l, p, device, false, target, err);
    }
    if (status != AT_OK)
        return status;
    if (entry == AT__NO_ENTRY) {
        f = (at__found){ .match = AT__MATCH_NONE };
    } else {
        f.t = l->entries[entry].t;
        f.config = l->entries[entry].config;
        f.answer = &l->entries[entry].answer;
    }
    m = &l->memo[l->memo_count++ % AT__MEMO_COUNT];
    *m = (at__memo){ .hash = hash, .type = p->type, .found = f };
    memcpy(m->dims, p->dims, sizeof m->dims);
    snprintf(m->device, sizeof m->device, "%s", device);
    explain(m->why, sizeof m->why, l, p, &f, device);
    m->found.why = m->why;
    *out = m->found;
    return AT_OK;
}
