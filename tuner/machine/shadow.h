/*
 * shadow.h - the last writer and readers of every byte of a memory, and so whether an access races with an
 * earlier one or reads uninitialized memory.
 *
 * The order of the threads of a block: each warp has a clock that ticks when it synchronises, and knows for
 * every other warp the tick up to which its accesses happened before now. A barrier merges the clocks of its
 * warps. Two accesses that are not ordered this way, one of them a write of another value, are a race, in
 * whatever order the machine ran them. Lanes of a warp are ordered by bar.warp.sync, shuffles, votes and
 * barriers; by nothing else.
 */
#pragma once

#include "machine/counts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ATX_MAX_WARPS   32 /* of a block */
#define ATX_MAX_ENGINES 64 /* of a block: see below */

/* ---- knowledge of warps ---- */

/* Knowledge of an engine that some lanes of a warp have, and others perhaps not. */
typedef struct atx_shadow_seen {
    uint32_t phase, lanes;
} atx_shadow_seen;

/* Who has arrived where others wait. */
typedef struct atx_shadow_arrivals {
    uint32_t warps;
    uint32_t until[ATX_MAX_WARPS]; /* the last time, by their clocks */
    uint32_t lanes[ATX_MAX_WARPS]; /* that ever did                  */
} atx_shadow_arrivals;

typedef struct atx_shadow_order {
    uint32_t now[ATX_MAX_WARPS];                           /* clocks; they only ever grow, also over blocks */
    uint32_t known[ATX_MAX_WARPS][ATX_MAX_WARPS];          /* known[w][v]: the clock of v that w knows      */
    uint32_t own[ATX_MAX_WARPS], own_lanes[ATX_MAX_WARPS]; /* the same for these lanes of its own */
    uint32_t base;                                         /* where this block began                        */
    uint32_t before_launch;                                /* the latest clock before the launch           */
    bool fences;                                   /* the next is kept: set it once, before the first block */
    uint32_t fenced[ATX_MAX_WARPS][ATX_MAX_WARPS]; /* the same for accesses of v before a fence */
    int engine_count;
    uint32_t engines[ATX_MAX_ENGINES];     /* the phase of each that is not over */
    uint32_t engine_seen[ATX_MAX_ENGINES]; /* the last that a warp knows to be over   */
    uint32_t engine_known[ATX_MAX_WARPS][ATX_MAX_ENGINES];
    atx_shadow_seen seen[ATX_MAX_WARPS][ATX_MAX_ENGINES];
} atx_shadow_order;

/* A block begins: what was before is forgotten, also what blocks with other orders did until `latest`. Zero
 * the order before the first. false: the clocks are full; shadows must be cleared, and the order zeroed. */
bool atx_shadow_order_begin(atx_shadow_order *order, uint32_t latest);
uint32_t atx_shadow_order_latest(const atx_shadow_order *order);
void atx_shadow_order_warp(atx_shadow_order *order, int warp);          /* its lanes synchronised */
void atx_shadow_order_barrier(atx_shadow_order *order, uint32_t warps); /* a barrier of these     */
/* Lanes arrive where others will wait, and go on: what they do from now on is not what these wait for. */
void atx_shadow_order_arrive(atx_shadow_order *order, atx_shadow_arrivals *at, int warp, uint32_t lanes);
/* Those of a warp's lanes that have not ended have waited for the lanes that arrived, some of which may be of
 * this warp. */
void atx_shadow_order_learn(atx_shadow_order *order, const atx_shadow_arrivals *from, int warp,
                            uint32_t alive);
/* A fence of a warp: accesses that it is ordered after are visible to engines for copies from here on. */
void atx_shadow_order_fence(atx_shadow_order *order, int warp);

/*
 * An engine writes asynchronously, in phases: all copies that report their bytes to one mbarrier. Its writes
 * of a phase are visible to lanes that have seen the end of the phase, or are ordered after one that has.
 */
int atx_shadow_order_engine(atx_shadow_order *order); /* one more; -1: there are too many */
void atx_shadow_order_phase(atx_shadow_order *order, int engine);
/* Lanes look at it and find all phases but the present one to be over. */
void atx_shadow_order_see(atx_shadow_order *order, int engine, int warp, uint32_t lanes);
/* Did any lane? */
bool atx_shadow_order_is_seen(const atx_shadow_order *order, int engine, uint32_t phase);

/* ---- bytes ---- */

typedef struct atx_shadow atx_shadow;

/* `written`: all of it holds something. NULL: out of memory. */
atx_shadow *atx_shadow_open(size_t bytes, bool written);
void atx_shadow_close(atx_shadow *shadow); /* NULL is allowed */

/* Forgets which lanes accessed it; memory that outlives blocks stays marked as written. */
void atx_shadow_forget(atx_shadow *shadow);

typedef enum atx_touch_kind {
    ATX_TOUCH_READ,
    ATX_TOUCH_STEADY_READ, /* a read of data that no thread may write during the launch: ld.global.nc */
    ATX_TOUCH_WRITE,
    ATX_TOUCH_STRONG_READ, /* volatile, relaxed, ...: races with nothing         */
    ATX_TOUCH_ATOMIC,      /* reads or writes, and races with nothing            */
    ATX_TOUCH_LOOK,        /* of an mbarrier: at any time after its initialisation */
    ATX_TOUCH_COPY         /* a write by an asynchronous copy: no thread may read before a wait */
} atx_touch_kind;

typedef struct atx_touch {
    atx_touch_kind kind;
    atx_access at; /* offsets in the memory, all of them within it      */
    int warp;      /* of the block                                      */
    /* Of a write: what is written, 16 bytes a lane, and what the memory held there before. NULL: not known.
     */
    const unsigned char *values, *before;
} atx_touch;

typedef enum atx_hazard_kind {
    ATX_HAZARD_NONE,
    ATX_HAZARD_UNWRITTEN,
    ATX_HAZARD_NOT_AWAITED,
    ATX_HAZARD_WRITE_WRITE,
    ATX_HAZARD_READ_WRITE, /* read first, then written */
    ATX_HAZARD_WRITE_READ,
    ATX_HAZARD_STALE,     /* a steady read of memory that this launch has written */
    ATX_HAZARD_NOT_FENCED /* written, then read by an engine, and no fence between */
} atx_hazard_kind;

/* The first that is wrong with an access. */
typedef struct atx_hazard {
    atx_hazard_kind kind;
    int lane;        /* of the access that was asked for       */
    int other;       /* the other thread of a race, in its block; below 0: ~engine */
    uint64_t offset; /* of the byte                            */
} atx_hazard;

/*
 * Notes an access. `local`: the memory is a block's own, so what is older than the block was not written;
 * else it outlives blocks, whose threads are not compared.
 */
atx_hazard atx_shadow_touch(atx_shadow *shadow, const atx_shadow_order *order, const atx_touch *touch,
                            bool local);

/* An asynchronous copy has been awaited by its warp: from now on it counts as a write of its lanes. */
void atx_shadow_await(atx_shadow *shadow, const atx_shadow_order *order, const atx_access *at, int warp);

/* Bytes one behind the other that one thread has copied. */
typedef struct atx_range {
    int thread; /* of the block */
    int engine; /* that writes them; -1: they are on their way until the thread awaits them */
    uint64_t at;
    int32_t bytes;
    const unsigned char *values, *before; /* of a write, what it will be and what it was; NULL: not known */
} atx_range;

/* The first that is wrong with a copy's source, and with its target, which is then on its way. */
atx_hazard atx_shadow_read_range(const atx_shadow *shadow, const atx_shadow_order *order,
                                 const atx_range *range, bool local);
atx_hazard atx_shadow_write_range(atx_shadow *shadow, const atx_shadow_order *order, const atx_range *range);
/* A target in another block than the thread's: nothing is compared. */
void atx_shadow_set_range(atx_shadow *shadow, const atx_shadow_order *order, const atx_range *range);
/* The thread has awaited a copy without an engine: it counts as its write. */
void atx_shadow_await_range(atx_shadow *shadow, const atx_shadow_order *order, const atx_range *range);
/* Its thread has read them, or its engine does. */
void atx_shadow_note_range(atx_shadow *shadow, const atx_shadow_order *order, const atx_range *range);

/* As if written before the block began: not compared with any access. */
void atx_shadow_set(atx_shadow *shadow, const atx_shadow_order *order, uint64_t at, int bytes);
