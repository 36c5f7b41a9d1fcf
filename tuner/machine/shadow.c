/*
 * shadow.c - three stamps a byte: the last write and the last two reads of different warps. A stamp is a
 * thread and its warp's clock; clocks grow over blocks, so that stamps of earlier blocks are known by being
 * older than the block, and nothing is cleared between blocks.
 *
 * Of more than two readers the eldest are forgotten: a race with one of these alone is missed, never made up.
 */
#include "machine/shadow.h"

#include <stdlib.h>
#include <string.h>

/* clock << 12 | engine << 11 | copy << 10 | thread, or which engine; what an engine copies is no thread's
 * copy */
typedef uint32_t stamp;
enum {
    THREAD_BITS = 10,
    COPY_BIT = 1 << THREAD_BITS,
    ENGINE_BIT = 2 << THREAD_BITS,
    CLOCK_SHIFT = THREAD_BITS + 2,
    WHO = ENGINE_BIT | (COPY_BIT - 1)
};
#define MOST_CLOCK ((1u << (32 - CLOCK_SHIFT)) - 1)

typedef struct cell {
    stamp write;
    stamp read[2]; /* the later one first */
} cell;

struct atx_shadow {
    size_t bytes;
    unsigned char *written; /* a bit a byte */
    cell cells[];
};

static uint32_t clock_of(stamp s)
{
    return s >> CLOCK_SHIFT;
}

static int thread_of(stamp s)
{
    return (int)(s & (COPY_BIT - 1));
}

static int warp_of(stamp s)
{
    return thread_of(s) / ATX_LANES;
}

/* ---- order ---- */

uint32_t atx_shadow_order_latest(const atx_shadow_order *o)
{
    uint32_t latest = 0;
    for (int w = 0; w < ATX_MAX_WARPS; w++)
        latest = o->now[w] > latest ? o->now[w] : latest;
    for (int e = 0; e < o->engine_count; e++)
        latest = o->engines[e] > latest ? o->engines[e] : latest;
    return latest;
}

bool atx_shadow_order_begin(atx_shadow_order *o, uint32_t latest)
{
    const uint32_t own = atx_shadow_order_latest(o);
    latest = own > latest ? own : latest;
    if (latest >= MOST_CLOCK / 2)
        return false;
    o->base = latest + 1;
    o->engine_count = 0;
    for (int w = 0; w < ATX_MAX_WARPS; w++) {
        o->now[w] = o->base + 1;
        o->own[w] = o->own_lanes[w] = 0;
        for (int v = 0; v < ATX_MAX_WARPS; v++)
            o->known[w][v] = o->fenced[w][v] = o->base;
    }
    return true;
}

/* A block that ticks for ever stays where it is: then races of its later part are missed. */
static void tick(atx_shadow_order *o, int warp)
{
    o->now[warp] += o->now[warp] < MOST_CLOCK;
}

/* Knowledge of some lanes becomes that of the whole warp. */
static void share_seen(atx_shadow_order *o, int warp)
{
    for (int e = 0; e < o->engine_count; e++)
        if (o->seen[warp][e].phase > o->engine_known[warp][e])
            o->engine_known[warp][e] = o->seen[warp][e].phase;
}

void atx_shadow_order_warp(atx_shadow_order *o, int warp)
{
    o->known[warp][warp] = o->now[warp];
    share_seen(o, warp);
    tick(o, warp);
}

void atx_shadow_order_fence(atx_shadow_order *o, int warp)
{
    if (!o->fences)
        return;
    for (int v = 0; v < ATX_MAX_WARPS; v++)
        if (o->known[warp][v] > o->fenced[warp][v])
            o->fenced[warp][v] = o->known[warp][v];
    o->fenced[warp][warp] = o->now[warp];
    tick(o, warp);
}

static void share_fences(atx_shadow_order *o, uint32_t warps)
{
    for (int v = 0; v < ATX_MAX_WARPS && o->fences; v++) {
        uint32_t most = 0;
        for (uint32_t left = warps; left; left &= left - 1)
            most = o->fenced[__builtin_ctz(left)][v] > most ? o->fenced[__builtin_ctz(left)][v] : most;
        for (uint32_t left = warps; left; left &= left - 1)
            o->fenced[__builtin_ctz(left)][v] = most;
    }
}

static void share_engines(atx_shadow_order *o, uint32_t warps)
{
    for (int e = 0; e < o->engine_count; e++) {
        uint32_t most = 0;
        for (uint32_t left = warps; left; left &= left - 1) {
            const int w = __builtin_ctz(left);
            share_seen(o, w);
            most = o->engine_known[w][e] > most ? o->engine_known[w][e] : most;
        }
        for (uint32_t left = warps; left; left &= left - 1)
            o->engine_known[__builtin_ctz(left)][e] = most;
    }
}

void atx_shadow_order_barrier(atx_shadow_order *o, uint32_t warps)
{
    uint32_t most[ATX_MAX_WARPS] = { 0 };
    for (uint32_t left = warps; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        o->known[w][w] = o->now[w];
        for (int v = 0; v < ATX_MAX_WARPS; v++)
            most[v] = o->known[w][v] > most[v] ? o->known[w][v] : most[v];
    }
    share_engines(o, warps);
    share_fences(o, warps);
    for (uint32_t left = warps; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        memcpy(o->known[w], most, sizeof most);
        tick(o, w);
    }
}

void atx_shadow_order_arrive(atx_shadow_order *o, atx_shadow_arrivals *at, int warp, uint32_t lanes)
{
    at->warps |= 1u << warp;
    at->until[warp] = o->now[warp];
    at->lanes[warp] |= lanes;
    tick(o, warp);
}

/* A warp knows the accesses of its own lanes before its last synchronisation. */
static void learn_own(atx_shadow_order *o, const atx_shadow_arrivals *from, int warp, uint32_t alive)
{
    uint32_t *known = &o->known[warp][warp];
    share_seen(o, warp);
    if ((alive & ~from->lanes[warp]) == 0) {
        *known = from->until[warp] > *known ? from->until[warp] : *known;
        return;
    }
    o->own[warp] = from->until[warp] > o->own[warp] ? from->until[warp] : o->own[warp];
    o->own_lanes[warp] |= from->lanes[warp];
}

/* What these know of others is taken as it is now; when they arrived it was not more. */
static void learn_from(atx_shadow_order *o, int warp, int w, uint32_t until)
{
    for (int v = 0; v < ATX_MAX_WARPS && o->fences; v++)
        if (o->fenced[w][v] > o->fenced[warp][v])
            o->fenced[warp][v] = o->fenced[w][v];
    for (int v = 0; v < ATX_MAX_WARPS; v++)
        if (v != w && o->known[w][v] > o->known[warp][v])
            o->known[warp][v] = o->known[w][v];
    for (int e = 0; e < o->engine_count; e++) {
        const uint32_t known = o->engine_known[w][e], seen = o->seen[w][e].phase;
        const uint32_t most = known > seen ? known : seen;
        if (most > o->engine_known[warp][e])
            o->engine_known[warp][e] = most;
    }
    if (until > o->known[warp][w])
        o->known[warp][w] = until;
}

void atx_shadow_order_learn(atx_shadow_order *o, const atx_shadow_arrivals *from, int warp, uint32_t alive)
{
    for (uint32_t left = from->warps; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        if (w == warp)
            learn_own(o, from, warp, alive);
        else
            learn_from(o, warp, w, from->until[w]);
    }
}

int atx_shadow_order_engine(atx_shadow_order *o)
{
    if (o->engine_count == ATX_MAX_ENGINES)
        return -1;
    const int e = o->engine_count++;
    o->engines[e] = o->base + 1;
    o->engine_seen[e] = o->base;
    for (int w = 0; w < ATX_MAX_WARPS; w++) {
        o->engine_known[w][e] = o->base;
        o->seen[w][e].phase = o->seen[w][e].lanes = 0;
    }
    return e;
}

/* One whose clock is full counts as done with all: it cannot be told any more. */
void atx_shadow_order_phase(atx_shadow_order *o, int engine)
{
    o->engines[engine] += o->engines[engine] < MOST_CLOCK;
}

void atx_shadow_order_see(atx_shadow_order *o, int engine, int warp, uint32_t lanes)
{
    const uint32_t now = o->engines[engine], phase = now < MOST_CLOCK ? now - 1 : now;
    uint32_t *known = &o->engine_known[warp][engine];
    atx_shadow_seen *seen = &o->seen[warp][engine];
    o->engine_seen[engine] = phase;
    if (*known >= phase)
        return;
    if (seen->phase != phase) {
        if ((seen->lanes & ~lanes) && seen->phase > *known)
            *known = seen->phase; /* else it would be forgotten that these have seen it */
        *seen = (atx_shadow_seen){ phase, 0 };
    }
    seen->lanes |= lanes;
}

bool atx_shadow_order_is_seen(const atx_shadow_order *o, int engine, uint32_t phase)
{
    return o->engine_seen[engine] >= phase;
}

static bool engine_is_before(const atx_shadow_order *o, stamp s, int thread)
{
    const int warp = thread / ATX_LANES, engine = thread_of(s);
    const atx_shadow_seen *seen = &o->seen[warp][engine];
    return o->engine_known[warp][engine] >= clock_of(s) ||
           (seen->phase >= clock_of(s) && (seen->lanes >> thread % ATX_LANES & 1));
}

/* Of a lane of its own that the warp has waited for. */
static bool is_of_own_lane(const atx_shadow_order *o, stamp s, int warp)
{
    return warp_of(s) == warp && o->own[warp] >= clock_of(s) &&
           (o->own_lanes[warp] >> thread_of(s) % ATX_LANES & 1);
}

/* Did this happen before what the warp does now? A thread's own accesses did; so did those of other blocks.
 */
static bool is_before(const atx_shadow_order *o, stamp s, int thread)
{
    if (s & ENGINE_BIT)
        return clock_of(s) < o->base || engine_is_before(o, s, thread);
    return clock_of(s) < o->base || thread_of(s) == thread ||
           o->known[thread / ATX_LANES][warp_of(s)] >= clock_of(s) ||
           is_of_own_lane(o, s, thread / ATX_LANES);
}

/* ---- a memory ---- */

atx_shadow *atx_shadow_open(size_t bytes, bool written)
{
    atx_shadow *s = calloc(1, sizeof *s + bytes * sizeof(cell));
    if (!s)
        return NULL;
    s->bytes = bytes;
    s->written = malloc(bytes / 8 + 1);
    if (!s->written) {
        free(s);
        return NULL;
    }
    memset(s->written, written ? 0xff : 0, bytes / 8 + 1);
    return s;
}

void atx_shadow_close(atx_shadow *s)
{
    if (s)
        free(s->written);
    free(s);
}

void atx_shadow_forget(atx_shadow *s)
{
    memset(s->cells, 0, s->bytes * sizeof(cell));
}

static bool is_written(const atx_shadow *s, const atx_shadow_order *o, uint64_t at, bool local)
{
    return local ? s->cells[at].write && clock_of(s->cells[at].write) >= o->base
                 : s->written[at / 8] >> at % 8 & 1;
}

static bool is_copy_on_its_way(const atx_shadow_order *o, stamp s, int thread)
{
    return (s & ENGINE_BIT) ? !is_before(o, s, thread) : (s & COPY_BIT) && clock_of(s) >= o->base;
}

/* As atx_hazard has it. */
static int who(stamp s)
{
    return s & ENGINE_BIT ? ~thread_of(s) : thread_of(s);
}

static atx_hazard_kind check_read(const atx_shadow *s, const atx_shadow_order *o, uint64_t at, int thread,
                                  bool local, int *other)
{
    const cell *c = &s->cells[at];
    if (!is_written(s, o, at, local))
        return ATX_HAZARD_UNWRITTEN;
    *other = who(c->write);
    if (is_copy_on_its_way(o, c->write, thread))
        return ATX_HAZARD_NOT_AWAITED;
    return is_before(o, c->write, thread) ? ATX_HAZARD_NONE : ATX_HAZARD_WRITE_READ;
}

/* An older copy may be read of memory that this launch has written, in whatever order. */
static atx_hazard_kind check_steady(const atx_shadow *s, const atx_shadow_order *o, uint64_t at, int thread,
                                    bool local, int *other)
{
    const atx_hazard_kind kind = check_read(s, o, at, thread, local, other);
    const bool stale = clock_of(s->cells[at].write) > o->before_launch;
    return kind == ATX_HAZARD_NONE && stale ? ATX_HAZARD_STALE : kind;
}

/* A write of the same value changes nothing for a reader. */
static atx_hazard_kind check_write(const atx_shadow *s, const atx_shadow_order *o, uint64_t at, int thread,
                                   bool changes, int *other)
{
    const cell *c = &s->cells[at];
    *other = who(c->write);
    if (is_copy_on_its_way(o, c->write, thread))
        return ATX_HAZARD_NOT_AWAITED;
    if (changes && !is_before(o, c->write, thread))
        return ATX_HAZARD_WRITE_WRITE;
    for (int i = 0; i < 2 && changes; i++) {
        *other = who(c->read[i]);
        if (!is_before(o, c->read[i], thread))
            return *other < 0 ? ATX_HAZARD_NOT_AWAITED : ATX_HAZARD_READ_WRITE;
    }
    return ATX_HAZARD_NONE;
}

/* One byte of one lane of a touch. */
static atx_hazard_kind check(const atx_shadow *s, const atx_shadow_order *o, const atx_touch *t, int lane,
                             int byte, bool local, int *other)
{
    const int thread = t->warp * ATX_LANES + lane;
    const uint64_t at = t->at.address[lane] + (unsigned)byte;
    switch (t->kind) {
    case ATX_TOUCH_READ:
    case ATX_TOUCH_LOOK:
        return check_read(s, o, at, thread, local, other);
    case ATX_TOUCH_STEADY_READ:
        return check_steady(s, o, at, thread, local, other);
    case ATX_TOUCH_STRONG_READ:
    case ATX_TOUCH_ATOMIC:
        return is_written(s, o, at, local) ? ATX_HAZARD_NONE : ATX_HAZARD_UNWRITTEN;
    default:
        return check_write(s, o, at, thread,
                           !t->values || t->values[16 * lane + byte] != t->before[16 * lane + byte], other);
    }
}

static void note_read(cell *c, stamp own)
{
    if ((c->read[0] ^ own) & WHO)
        c->read[1] = c->read[0];
    c->read[0] = own;
}

static void note(atx_shadow *s, const atx_shadow_order *o, const atx_touch *t, uint64_t at, int lane)
{
    cell *c = &s->cells[at];
    if (t->kind == ATX_TOUCH_STRONG_READ || t->kind == ATX_TOUCH_LOOK)
        return;
    const stamp own = o->now[t->warp] << CLOCK_SHIFT | (uint32_t)(t->warp * ATX_LANES + lane);
    if (t->kind != ATX_TOUCH_READ && t->kind != ATX_TOUCH_STEADY_READ) {
        c->write = t->kind == ATX_TOUCH_COPY ? own | COPY_BIT : own;
        s->written[at / 8] |= (unsigned char)(1u << at % 8);
        return;
    }
    note_read(c, own);
}

/* Two lanes of one instruction that write different values to one byte: which of them stays is unknown. */
static bool lanes_disagree(const atx_shadow *s, const atx_shadow_order *o, const atx_touch *t, uint64_t at,
                           int lane, int byte, int *other)
{
    const stamp w = s->cells[at].write;
    const int there = thread_of(w) % ATX_LANES;
    if ((w & ENGINE_BIT) || clock_of(w) != o->now[t->warp] || warp_of(w) != t->warp || there == lane ||
        !(t->at.active >> there & 1) || at - t->at.address[there] >= (uint64_t)t->at.bytes)
        return false;
    *other = thread_of(w);
    return !t->values ||
           t->values[16 * lane + byte] != t->values[16 * there + (int)(at - t->at.address[there])];
}

static void keep(atx_hazard *h, atx_hazard_kind kind, int lane, int other, uint64_t offset)
{
    if (h->kind == ATX_HAZARD_NONE && kind != ATX_HAZARD_NONE)
        *h = (atx_hazard){ kind, lane, other, offset };
}

atx_hazard atx_shadow_touch(atx_shadow *s, const atx_shadow_order *o, const atx_touch *t, bool local)
{
    atx_hazard h = { .kind = ATX_HAZARD_NONE };
    int other = 0;
    for (uint32_t left = t->at.active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        for (int i = 0; i < t->at.bytes; i++) {
            const atx_hazard_kind kind = check(s, o, t, lane, i, local, &other);
            keep(&h, kind, lane, other, t->at.address[lane] + (unsigned)i);
        }
    }
    for (uint32_t left = t->at.active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        for (int i = 0; i < t->at.bytes; i++) {
            const uint64_t at = t->at.address[lane] + (unsigned)i;
            if ((t->kind == ATX_TOUCH_WRITE || t->kind == ATX_TOUCH_COPY) &&
                lanes_disagree(s, o, t, at, lane, i, &other))
                keep(&h, ATX_HAZARD_WRITE_WRITE, lane, other, at);
            note(s, o, t, at, lane);
        }
    }
    return h;
}

void atx_shadow_set(atx_shadow *s, const atx_shadow_order *o, uint64_t at, int bytes)
{
    for (int i = 0; i < bytes; i++)
        s->cells[at + (unsigned)i] = (cell){ .write = o->base << CLOCK_SHIFT };
}

void atx_shadow_await(atx_shadow *s, const atx_shadow_order *o, const atx_access *a, int warp)
{
    for (uint32_t left = a->active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint32_t thread = (uint32_t)(warp * ATX_LANES + lane);
        for (int i = 0; i < a->bytes; i++) {
            cell *c = &s->cells[a->address[lane] + (unsigned)i];
            if ((c->write & COPY_BIT) && thread_of(c->write) == (int)thread)
                c->write = o->now[warp] << CLOCK_SHIFT | thread;
        }
    }
}

/* ---- many bytes of one thread ---- */

static stamp range_stamp(const atx_shadow_order *o, const atx_range *r)
{
    if (r->engine >= 0)
        return o->engines[r->engine] << CLOCK_SHIFT | ENGINE_BIT | (uint32_t)r->engine;
    return o->now[r->thread / ATX_LANES] << CLOCK_SHIFT | COPY_BIT | (uint32_t)r->thread;
}

static void mark_written(atx_shadow *s, uint64_t at, stamp by)
{
    s->cells[at].write = by;
    s->written[at / 8] |= (unsigned char)(1u << at % 8);
}

static bool is_fenced(const atx_shadow_order *o, stamp s, int thread)
{
    return !o->fences || (s & ENGINE_BIT) || clock_of(s) <= o->fenced[thread / ATX_LANES][warp_of(s)];
}

atx_hazard atx_shadow_read_range(const atx_shadow *s, const atx_shadow_order *o, const atx_range *r,
                                 bool local)
{
    atx_hazard h = { .kind = ATX_HAZARD_NONE };
    int other = 0;
    for (uint64_t at = r->at; at < r->at + (uint64_t)r->bytes && h.kind == ATX_HAZARD_NONE; at++) {
        atx_hazard_kind kind = check_read(s, o, at, r->thread, local, &other);
        if (kind == ATX_HAZARD_NONE && !is_fenced(o, s->cells[at].write, r->thread))
            kind = ATX_HAZARD_NOT_FENCED;
        keep(&h, kind, r->thread % ATX_LANES, other, at);
    }
    return h;
}

atx_hazard atx_shadow_write_range(atx_shadow *s, const atx_shadow_order *o, const atx_range *r)
{
    atx_hazard h = { .kind = ATX_HAZARD_NONE };
    const stamp by = range_stamp(o, r);
    int other = 0;
    for (int32_t i = 0; i < r->bytes; i++) {
        const uint64_t at = r->at + (uint64_t)i;
        const bool changes = !r->values || r->values[i] != r->before[i];
        const atx_hazard_kind kind =
            changes ? check_write(s, o, at, r->thread, true, &other) : ATX_HAZARD_NONE;
        keep(&h, kind, r->thread % ATX_LANES, other, at);
        mark_written(s, at, by);
    }
    return h;
}

void atx_shadow_set_range(atx_shadow *s, const atx_shadow_order *o, const atx_range *r)
{
    for (int32_t i = 0; i < r->bytes; i++) {
        s->cells[r->at + (uint64_t)i].read[0] = s->cells[r->at + (uint64_t)i].read[1] = 0;
        mark_written(s, r->at + (uint64_t)i, range_stamp(o, r));
    }
}

void atx_shadow_await_range(atx_shadow *s, const atx_shadow_order *o, const atx_range *r)
{
    const stamp own = o->now[r->thread / ATX_LANES] << CLOCK_SHIFT | (uint32_t)r->thread;
    for (uint64_t at = r->at; at < r->at + (uint64_t)r->bytes; at++) {
        cell *c = &s->cells[at];
        if ((c->write & COPY_BIT) && thread_of(c->write) == r->thread)
            c->write = own;
    }
}

void atx_shadow_note_range(atx_shadow *s, const atx_shadow_order *o, const atx_range *r)
{
    const stamp own = range_stamp(o, r);
    for (uint64_t at = r->at; at < r->at + (uint64_t)r->bytes; at++)
        note_read(&s->cells[at], own);
}
