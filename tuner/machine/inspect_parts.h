/*
 * inspect_parts.h - what the inspector keeps of the blocks that run. Private to inspect*.c.
 */
#ifndef AUTOTUNE_MACHINE_INSPECT_PARTS_H
#define AUTOTUNE_MACHINE_INSPECT_PARTS_H

#include "machine/inspect.h"
#include "machine/shadow.h"

enum { AT__MOST_RANKS = 16, AT__MOST_REGIONS = 64, AT__NAMED_BARRIERS = 16 };

/* An asynchronous copy that is on its way. */
typedef struct at__copy {
    at__access at;
    int warp;
    int64_t group;
} at__copy;

/* Where an instruction stands, to be told later. */
typedef struct at__issued {
    const at__ptx_instruction *instruction;
    int32_t index;
    int thread;
    uint32_t block_at[3];
} at__issued;

/* A bulk copy whose thread has not awaited its group. */
typedef struct at__bulk {
    at__range source; /* shared memory of the own block; others' is not followed */
    at__range target;
    int region; /* of the target; -1: not followed */
    int64_t group;
    at__issued issued;
} at__bulk;

typedef struct at__bulks {
    at__bulk *items;
    size_t count, cap;
} at__bulks;

/* Its number is that of its engine. */
typedef struct at__mbarrier {
    uint64_t offset;
    at__shadow_arrivals arrived;
    uint32_t last;     /* the phase of the last bulk copy or st.async that tells it; 0: none */
    at__issued issued; /* that one */
} at__mbarrier;

/* A block that runs; a cluster has several at once. */
typedef struct at__block_seen {
    at__shadow_order order;
    at__shadow *shared;
    int64_t shared_bytes;
    uint32_t arrived[AT__NAMED_BARRIERS]; /* warps */
    uint32_t ended;                       /* warps with lanes that have: barriers count them in */
    at__mbarrier mbarriers[AT__MAX_ENGINES];
    int mbarrier_count;
    at__shadow_arrivals elsewhere; /* at others */
    at__copy *copies;
    size_t copy_count, copy_cap;
    at__bulks reading; /* that may still read their source */
    at__bulks writing; /* the others */
    bool runs;
} at__block_seen;

struct at__inspector {
    const at__ptx_module *module;
    at__machine *machine;
    at__machine_watch watch;
    uint32_t dims[3]; /* of the launch's blocks */
    at__block_seen blocks[AT__MOST_RANKS];
    at__shadow *regions[AT__MOST_REGIONS];
    at__flaws flaws;
    at__range source; /* of the bulk copy that runs */
    const unsigned char *source_at;
    bool source_is_own;     /* shared memory of its block */
    uint32_t latest;        /* of the clocks of blocks that have ended */
    uint32_t before_launch; /* likewise, of earlier launches */
    bool failed;            /* out of memory */
};

/* ---- inspect.c ---- */

void at__inspect_place(at__flaw *f, const at__inspector *in, const at__issued *issued);
at__issued at__inspect_issued(const at__machine_at *at, int lane);
/* "byte 12 of shared 'tile'", or of shared memory at all. */
void at__inspect_shared_place(char *out, size_t size, const at__inspector *in, uint64_t offset);
/* Of bytes that `where` names, in memory of a block or of all. */
void at__inspect_tell(at__inspector *in, const at__machine_at *at, const at__hazard *h, const char *where,
                      bool shared);
at__shadow *at__inspect_region(at__inspector *in, int region);
/* NULL: there are too many, and this one is not followed. */
at__mbarrier *at__inspect_mbarrier(at__block_seen *b, uint64_t offset);

/* ---- inspect_bulk.c: copies that go on while threads do ---- */

/* A bulk copy, or a store that tells a barrier. */
void at__inspect_bulk(at__inspector *in, const at__machine_at *at, const at__machine_access *a);
/* Writes to what bulk copies still read. */
void at__inspect_sources(at__inspector *in, const at__machine_at *at, const at__machine_access *a);
/* A lane has awaited its groups below `below`: that they were read, or all of them. */
void at__inspect_bulk_done(at__inspector *in, const at__machine_at *at, int64_t below, bool written);
/* Threads end, and so does the block: what is still on its way. */
void at__inspect_bulk_exit(at__inspector *in, const at__machine_at *at);
void at__inspect_bulk_end(at__inspector *in, const at__machine_at *at);

#endif
