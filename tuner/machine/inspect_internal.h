/* inspect_internal.h - the inspector's data of the running blocks. Private to inspect*.c. */
#pragma once

#include "machine/inspect.h"
#include "machine/shadow.h"

enum { ATX_MOST_RANKS = 16, ATX_MOST_REGIONS = 64, ATX_NAMED_BARRIERS = 16, ATX_MOST_FLAGS = 16 };

/* An asynchronous copy that is on its way. */
typedef struct atx_copy {
    atx_access at;
    int warp;
    int64_t group;
} atx_copy;

/* Where an instruction stands, to be told later. */
typedef struct atx_issued {
    const atx_ptx_instruction *instruction;
    int32_t index;
    int thread;
    uint32_t block_at[3];
} atx_issued;

/* A bulk copy whose thread has not awaited its group. */
typedef struct atx_bulk {
    atx_range source; /* shared memory of the own block; others' is not followed */
    atx_range target;
    int region; /* of the target; -1: not followed */
    int64_t group;
    atx_issued issued;
} atx_bulk;

typedef struct atx_bulks {
    atx_bulk *items;
    size_t count, cap;
} atx_bulks;

/* Its number is that of its engine. */
typedef struct atx_mbarrier {
    uint64_t offset;
    atx_shadow_arrivals arrived;
    uint32_t last;     /* the phase of the last bulk copy or st.async that tells it; 0: none */
    atx_issued issued; /* that one */
} atx_mbarrier;

/* A flag of the kernel's own, which threads release and acquire. */
typedef struct atx_flag {
    uint64_t address;
    uint8_t space;
    atx_shadow_arrivals released;
} atx_flag;

/* A variable of the module: its first contents, and the reader that saw them. */
typedef struct atx_variable_seen {
    unsigned char *before; /* NULL: no variable, or not watched  */
    bool is_read;
    uint64_t offset; /* that was read first */
    atx_issued issued;
} atx_variable_seen;

/* A block that runs; a cluster has several at once. */
typedef struct atx_block_seen {
    atx_shadow_order order;
    atx_shadow *shared;
    int64_t shared_bytes;
    uint32_t arrived[ATX_NAMED_BARRIERS]; /* warps */
    uint32_t ended;                       /* warps with lanes that have: barriers count them in */
    atx_mbarrier mbarriers[ATX_MAX_ENGINES];
    int mbarrier_count;
    atx_shadow_arrivals elsewhere; /* at others */
    atx_flag flags[ATX_MOST_FLAGS];
    int flag_count;
    atx_copy *copies;
    size_t copy_count, copy_cap;
    atx_bulks reading; /* that may still read their source */
    atx_bulks writing; /* the others */
    bool runs;
} atx_block_seen;

struct atx_inspector {
    const atx_ptx_module *module;
    atx_machine *machine;
    atx_machine_watch watch;
    uint32_t dims[3]; /* of the launch's blocks */
    atx_block_seen blocks[ATX_MOST_RANKS];
    atx_shadow *regions[ATX_MOST_REGIONS];
    atx_variable_seen variables[ATX_MOST_REGIONS];
    atx_flaws flaws;
    atx_range source; /* of the bulk copy that runs */
    const unsigned char *source_at;
    bool source_is_own;     /* shared memory of its block */
    uint32_t latest;        /* of the clocks of blocks that have ended */
    uint32_t before_launch; /* likewise, of earlier launches */
    bool failed;            /* out of memory */
};

/* ---- inspect_tell.c ---- */

/* File and line of the source. */
void atx_inspect_line(atx_flaw *f, const atx_inspector *in, const atx_ptx_instruction *i);
void atx_inspect_place(atx_flaw *f, const atx_inspector *in, const atx_issued *issued);
atx_issued atx_inspect_issued(const atx_machine_at *at, int lane);
/* As it is written in the source: of "_ZZ6kernelE4tile" tile. */
const char *atx_inspect_plain_name(const char *name);
/* "byte 12 of shared 'tile'", or of shared memory at all. */
void atx_inspect_shared_place(char *out, size_t size, const atx_inspector *in, uint64_t offset);
/* See atx_inspect_hazard. */
void atx_inspect_tell(atx_inspector *in, const atx_machine_at *at, const atx_hazard *h, int region);
/* NULL: there are too many, and this one is not followed. */
atx_mbarrier *atx_inspect_mbarrier(atx_block_seen *b, uint64_t offset);

/* ---- inspect_state.c: variables that keep something from one launch to the next ---- */

/* NULL: there are too many regions, and this one is not followed. */
atx_shadow *atx_inspect_region(atx_inspector *in, int region);
/* Tells of it, if there is one. `region`: -1 is the block's shared memory. */
void atx_inspect_hazard(atx_inspector *in, const atx_machine_at *at, const atx_hazard *h, int region);
/* All launches have ended. */
void atx_inspect_state_tell(atx_inspector *in);
void atx_inspect_state_close(atx_inspector *in);

/* ---- inspect_bulk.c: copies that go on while threads do ---- */

/* A bulk copy, or a store that tells a barrier. */
void atx_inspect_bulk(atx_inspector *in, const atx_machine_at *at, const atx_machine_access *a);
/* Writes to memory that bulk copies still read. */
void atx_inspect_sources(atx_inspector *in, const atx_machine_at *at, const atx_machine_access *a);
/* A lane has awaited its groups below `below`: that they were read, or all of them. */
void atx_inspect_bulk_done(atx_inspector *in, const atx_machine_at *at, int64_t below, bool written);
/* Threads end, and so does the block: copies that are still running. */
void atx_inspect_bulk_exit(atx_inspector *in, const atx_machine_at *at);
void atx_inspect_bulk_end(atx_inspector *in, const atx_machine_at *at);
