/*
 * shadow.h - what is remembered of every byte of a memory: who wrote it last, who read it last, and so
 * whether an access races with one before it, or reads what nobody wrote.
 *
 * The order of the threads of a block: each warp has a clock that ticks when it synchronises, and knows of
 * every other warp up to which tick all that it did happened before now. A barrier tells its warps of each
 * other. Two accesses that are not ordered this way, one of them a write of another value, are a race,
 * whatever the order in which the machine ran them. Lanes of a warp are ordered by bar.warp.sync, shuffles,
 * votes and barriers; by nothing else.
 */
#ifndef AUTOTUNE_MACHINE_SHADOW_H
#define AUTOTUNE_MACHINE_SHADOW_H

#include "machine/counts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AT__MAX_WARPS   32 /* of a block */
#define AT__MAX_ENGINES 64 /* of a block: see below */

/* ---- who knows what of whom ---- */

/* What some lanes of a warp know of an engine, and others perhaps not. */
typedef struct at__shadow_seen {
    uint32_t phase, lanes;
} at__shadow_seen;

/* Who has arrived where others wait. */
typedef struct at__shadow_arrivals {
    uint32_t warps;
    uint32_t until[AT__MAX_WARPS]; /* the last time, by their clocks */
    uint32_t lanes[AT__MAX_WARPS]; /* that ever did                  */
} at__shadow_arrivals;

typedef struct at__shadow_order {
    uint32_t now[AT__MAX_WARPS];                           /* clocks; they only ever grow, also over blocks */
    uint32_t known[AT__MAX_WARPS][AT__MAX_WARPS];          /* known[w][v]: what w knows of v                */
    uint32_t own[AT__MAX_WARPS], own_lanes[AT__MAX_WARPS]; /* what w knows of these lanes of its own */
    uint32_t base;                                         /* where this block began                        */
    uint32_t before_launch;                                /* the latest clock before the launch           */
    bool fences;                                   /* the next is kept: set it once, before the first block */
    uint32_t fenced[AT__MAX_WARPS][AT__MAX_WARPS]; /* what w knows of v that a fence was behind */
    int engine_count;
    uint32_t engines[AT__MAX_ENGINES];     /* the phase of each that is not over */
    uint32_t engine_seen[AT__MAX_ENGINES]; /* the last that somebody knows to be over */
    uint32_t engine_known[AT__MAX_WARPS][AT__MAX_ENGINES];
    at__shadow_seen seen[AT__MAX_WARPS][AT__MAX_ENGINES];
} at__shadow_order;

/* A block begins: what was before is forgotten, also what blocks with other orders did until `latest`. Zero
 * the order before the first. false: the clocks are full; shadows must be cleared, and the order zeroed. */
bool at__shadow_order_begin(at__shadow_order *order, uint32_t latest);
uint32_t at__shadow_order_latest(const at__shadow_order *order);
void at__shadow_order_warp(at__shadow_order *order, int warp);          /* its lanes synchronised */
void at__shadow_order_barrier(at__shadow_order *order, uint32_t warps); /* a barrier of these     */
/* Lanes arrive where others will wait, and go on: what they do from now on is not what these wait for. */
void at__shadow_order_arrive(at__shadow_order *order, at__shadow_arrivals *at, int warp, uint32_t lanes);
/* Lanes of a warp have waited for those who arrived, of whom some may be of this warp, of these that have not
 * ended. */
void at__shadow_order_learn(at__shadow_order *order, const at__shadow_arrivals *from, int warp,
                            uint32_t alive);
/* A fence of a warp: engines, who look at memory in a way of their own, see what it knows of. */
void at__shadow_order_fence(at__shadow_order *order, int warp);

/*
 * An engine writes by itself, in phases: all copies that tell one mbarrier of their bytes. What it writes in
 * a phase is there for who knows that the phase is over: because it looked, or is ordered after one that did.
 */
int at__shadow_order_engine(at__shadow_order *order); /* one more; -1: there are too many */
void at__shadow_order_phase(at__shadow_order *order, int engine);
/* Lanes look at it and find all phases but the present one to be over. */
void at__shadow_order_see(at__shadow_order *order, int engine, int warp, uint32_t lanes);
/* Did anybody? */
bool at__shadow_order_is_seen(const at__shadow_order *order, int engine, uint32_t phase);

/* ---- bytes ---- */

typedef struct at__shadow at__shadow;

/* `written`: all of it holds something. NULL: out of memory. */
at__shadow *at__shadow_open(size_t bytes, bool written);
void at__shadow_close(at__shadow *shadow); /* NULL is allowed */

/* Forgets who it was; what is written of memory that outlives blocks stays so. */
void at__shadow_forget(at__shadow *shadow);

typedef enum at__touch_kind {
    AT__TOUCH_READ,
    AT__TOUCH_STEADY_READ, /* a read of what nobody may write during the launch: ld.global.nc */
    AT__TOUCH_WRITE,
    AT__TOUCH_STRONG_READ, /* volatile, relaxed, ...: races with nothing         */
    AT__TOUCH_ATOMIC,      /* reads or writes, and races with nothing            */
    AT__TOUCH_LOOK,        /* of who may look at once, but not before what lies there was made: an mbarrier */
    AT__TOUCH_COPY         /* a write by an asynchronous copy: nobody may look before it was awaited */
} at__touch_kind;

typedef struct at__touch {
    at__touch_kind kind;
    at__access at; /* offsets in the memory, all of them within it      */
    int warp;      /* of the block                                      */
    /* Of a write: what is written, 16 bytes a lane, and what the memory held there before. NULL: not known.
     */
    const unsigned char *values, *before;
} at__touch;

typedef enum at__hazard_kind {
    AT__HAZARD_NONE,
    AT__HAZARD_UNWRITTEN,
    AT__HAZARD_NOT_AWAITED,
    AT__HAZARD_WRITE_WRITE,
    AT__HAZARD_READ_WRITE, /* read first, then written */
    AT__HAZARD_WRITE_READ,
    AT__HAZARD_STALE,     /* a steady read of what this launch has written */
    AT__HAZARD_NOT_FENCED /* written, then read by an engine, and no fence between */
} at__hazard_kind;

/* The first that is wrong with an access. */
typedef struct at__hazard {
    at__hazard_kind kind;
    int lane;        /* of the access that was asked for       */
    int other;       /* the other thread of a race, in its block; below 0: ~engine */
    uint64_t offset; /* of the byte                            */
} at__hazard;

/*
 * Notes an access. `local`: the memory is a block's own, so what is older than the block was not written;
 * else it outlives blocks, whose threads are not compared.
 */
at__hazard at__shadow_touch(at__shadow *shadow, const at__shadow_order *order, const at__touch *touch,
                            bool local);

/* An asynchronous copy has been awaited by its warp: from now on it counts as a write of its lanes. */
void at__shadow_await(at__shadow *shadow, const at__shadow_order *order, const at__access *at, int warp);

/* Bytes one behind the other that one thread has copied. */
typedef struct at__range {
    int thread; /* of the block */
    int engine; /* that writes them; -1: they are on their way until the thread awaits them */
    uint64_t at;
    int32_t bytes;
    const unsigned char *values, *before; /* of a write, what it will be and what it was; NULL: not known */
} at__range;

/* The first that is wrong with a copy's source, and with its target, which is then on its way. */
at__hazard at__shadow_read_range(const at__shadow *shadow, const at__shadow_order *order,
                                 const at__range *range, bool local);
at__hazard at__shadow_write_range(at__shadow *shadow, const at__shadow_order *order, const at__range *range);
/* A target in another block than the thread's: nothing is compared. */
void at__shadow_set_range(at__shadow *shadow, const at__shadow_order *order, const at__range *range);
/* The thread has awaited what has no engine: it counts as its write. */
void at__shadow_await_range(at__shadow *shadow, const at__shadow_order *order, const at__range *range);
/* Its thread has read them, or its engine does. */
void at__shadow_note_range(at__shadow *shadow, const at__shadow_order *order, const at__range *range);

/* Written before the block began, as it were: by others whom nobody compares with. */
void at__shadow_set(at__shadow *shadow, const at__shadow_order *order, uint64_t at, int bytes);

#endif
