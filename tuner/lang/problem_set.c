/*
 * problem_set.c - problems in order, and a hash table that finds those that are there already.
 *
 * At most half of the table is taken: there is always a free place.
 */
#include "lang/problem_set.h"

#include "util/str.h"

#include <stdint.h>
#include <stdlib.h>

static bool same(const atx_problem *a, const atx_problem *b)
{
    bool equal = a->op == b->op && a->type == b->type;
    for (int i = 0; equal && i < atx_problem_size_count(a->op); i++)
        equal = a->dims[i] == b->dims[i];
    return equal;
}

static uint64_t hash_of(const atx_problem *p)
{
    uint64_t hash = (uint64_t)(uintptr_t)p->op * 31 + (uint64_t)p->type;
    for (int i = 0; i < atx_problem_size_count(p->op); i++)
        hash = (hash ^ (uint64_t)p->dims[i]) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* Where the problem is, or belongs. */
static size_t *seen_slot(const atx_problem_set *s, const atx_problem *p)
{
    size_t i = (size_t)hash_of(p) & (s->seen_cap - 1);
    while (s->seen[i] && !same(&s->problems[s->seen[i] - 1], p))
        i = (i + 1) & (s->seen_cap - 1);
    return &s->seen[i];
}

static bool grow_seen(atx_problem_set *s)
{
    size_t cap = s->seen_cap ? s->seen_cap * 2 : 64;
    size_t *grown = calloc(cap, sizeof *grown);
    if (!grown)
        return false;
    free(s->seen);
    s->seen = grown;
    s->seen_cap = cap;
    for (size_t i = 0; i < s->count; i++)
        *seen_slot(s, &s->problems[i]) = i + 1;
    return true;
}

at_status atx_problem_set_add(atx_problem_set *s, const atx_problem *problem, int64_t calls, at_error *err)
{
    if (2 * (s->count + 1) > s->seen_cap && !grow_seen(s))
        return atx_no_memory(err);
    size_t *slot = seen_slot(s, problem);
    if (*slot) {
        int64_t *sum = &s->calls[*slot - 1];
        *sum = calls > INT64_MAX - *sum ? INT64_MAX : *sum + calls;
        return AT_OK;
    }
    if (!atx_grow(&s->problems, &s->cap, s->count, sizeof *s->problems) ||
        !atx_grow(&s->calls, &s->calls_cap, s->count, sizeof *s->calls))
        return atx_no_memory(err);
    s->calls[s->count] = calls;
    s->problems[s->count++] = *problem;
    *slot = s->count;
    return AT_OK;
}

void atx_problem_set_clear(atx_problem_set *s)
{
    free(s->problems);
    free(s->calls);
    free(s->seen);
    *s = (atx_problem_set){ 0 };
}
