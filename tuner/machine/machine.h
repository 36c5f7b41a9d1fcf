/*
 * machine.h - runs kernels of a PTX module on the CPU: warps of 32 lanes, blocks one after the other (blocks
 * of a cluster together), bit for bit where the ISA defines the bits.
 *
 * Addresses. Each buffer and each .global and .const variable is a region with 2^40 addresses of its own, and
 * begins 2^20 behind their start: an address outside of a region still shows which region was meant. Shared
 * and local memory have 32-bit addresses from ATX_MACHINE_SHARED_BASE and ATX_MACHINE_LOCAL_BASE (so that 0
 * is none), generic ones with ATX_MACHINE_SHARED_WINDOW or _LOCAL_WINDOW added; a block of rank r in a
 * cluster sees shared memory of rank s at (s + 1) << 24 and up, and its own also from 0.
 *
 * Every access is checked against its region's bounds and alignment, with or without a watch: a violation is
 * a finding and ends the launch. A buffer that begins off a multiple of 16 is part of a larger one: reads of
 * the 16 aligned bytes that hold its first one are allowed, and find 0xa5 before it. A watch is called before
 * an access is made.
 *
 * Threads: a machine is used from one thread; modules are shared.
 */
#pragma once

#include "ptx/ptx.h"

enum { ATX_MACHINE_LANES = 32 };

#define ATX_MACHINE_REGION_SHIFT  40
#define ATX_MACHINE_REGION_START  ((uint64_t)1 << 20)
#define ATX_MACHINE_SHARED_WINDOW ((uint64_t)1 << 40)
#define ATX_MACHINE_LOCAL_WINDOW  ((uint64_t)2 << 40)
#define ATX_MACHINE_FIRST_REGION  16 /* region n is at (16 + n) << 40 */
#define ATX_MACHINE_SHARED_BASE   1024
#define ATX_MACHINE_LOCAL_BASE    1024
#define ATX_MACHINE_RANK_SHIFT    24
#define ATX_REGION_FRONT          16 /* bytes before each region; see above */

typedef struct atx_machine atx_machine;

/* ---- memory ---- */

typedef enum atx_machine_region_kind {
    ATX_REGION_BUFFER,
    ATX_REGION_GLOBAL_VARIABLE,
    ATX_REGION_CONST_VARIABLE
} atx_machine_region_kind;

enum { ATX_REGION_READ_ONLY = 1, ATX_REGION_INITIALISED = 2, ATX_REGION_OUTPUT = 4 }; /* flags */

typedef struct atx_machine_region {
    char name[256]; /* of a variable as PTX has it, with its namespaces */
    int kind, flags;
    uint64_t address; /* of its first byte */
    int64_t bytes;
    unsigned char *data; /* ATX_REGION_FRONT bytes lie before; of the machine: read and written freely between
                            launches */
} atx_machine_region;

/* Borrows the module, whose .global and .const variables become the first regions. */
at_status atx_machine_open(atx_machine **out, const atx_ptx_module *module, at_error *err) AT_MUST_CHECK;
void atx_machine_close(atx_machine *machine); /* NULL is allowed */
ATX_CLOSES(atx_machine)

typedef struct atx_machine_buffer {
    const char *name;
    int64_t bytes;
    int64_t align; /* its address is a multiple of this power of two, up to 2^19, and of no larger one */
    int flags;
    const void *initial; /* initial contents; NULL: zeroes    */
} atx_machine_buffer;

/* *region is its number. */
at_status atx_machine_add_buffer(int *region, atx_machine *machine, const atx_machine_buffer *buffer,
                                 at_error *err) AT_MUST_CHECK;
int atx_machine_region_count(const atx_machine *machine);
/* Valid until the next atx_machine_add_buffer. */
const atx_machine_region *atx_machine_region_at(const atx_machine *machine, int region);
/* The region whose 2^40 addresses hold this one, also outside of its bytes; -1: none. */
int atx_machine_region_of(const atx_machine *machine, uint64_t address);

/* ---- events for a watch ---- */

/* Where something happened. Valid during the call. */
typedef struct atx_machine_at {
    const atx_ptx_function *function;
    const atx_ptx_instruction *instruction; /* NULL: a block begins or ends */
    int32_t index;                          /* of the instruction in its function */
    uint32_t mask;                          /* lanes that execute it        */
    int64_t block;                          /* x + grid.x * (y + grid.y * z) */
    uint32_t block_at[3];
    int32_t rank;         /* of the block in its cluster */
    int32_t warp;         /* of the block */
    int32_t warp_count;   /* of the block */
    int32_t thread_count; /* of the block */
    int64_t shared_bytes; /* static and dynamic, of each block */
    uint32_t alive;       /* lanes of this warp that have not ended */
} atx_machine_at;

typedef enum atx_machine_access_kind {
    ATX_ACCESS_LOAD,
    ATX_ACCESS_STORE,
    ATX_ACCESS_ATOMIC,       /* reads and writes */
    ATX_ACCESS_REDUCTION,    /* likewise, without a result */
    ATX_ACCESS_ASYNC_SOURCE, /* cp.async: its source; reported when it is issued           */
    ATX_ACCESS_ASYNC_TARGET, /* its target, until a wait: see ATX_EVENT_ASYNC_DONE         */
    ATX_ACCESS_BULK_SOURCE,  /* cp.async.bulk: one lane at a time, `lane_bytes` is how many it reads */
    ATX_ACCESS_BULK_TARGET,  /* what it writes: it may until the barrier's phase is over, or the group awaited
                              */
    ATX_ACCESS_STORE_ASYNC,  /* st.async: likewise until the phase is over */
    ATX_ACCESS_MATRIX_LOAD,  /* ldmatrix: a row of 16 bytes an address */
    ATX_ACCESS_MATRIX_STORE,
    ATX_ACCESS_BARRIER, /* an mbarrier's own word */
    ATX_ACCESS_PREFETCH /* has no effect, is not checked */
} atx_machine_access_kind;

/*
 * One request of a warp in one space; a generic one whose lanes are in several is reported once for each.
 * Lanes that are not in `mask` have no address.
 */
typedef struct atx_machine_access {
    atx_machine_access_kind kind;
    atx_ptx_space space; /* GLOBAL, SHARED, SHARED_CLUSTER (of another block), LOCAL, CONST */
    uint32_t mask;
    int32_t bytes; /* of each lane */
    int32_t element_bytes;
    const uint64_t
        *address; /* [32]: of GLOBAL and CONST as above; SHARED and LOCAL: offset from 0, without BASE */
    const int32_t *rank;       /* [32], SHARED_CLUSTER only: of the block whose memory it is */
    const int32_t *lane_bytes; /* [32]; NULL: all `bytes`. ASYNC_SOURCE may read less than is written */
    unsigned char *const *at; /* [32]: where the bytes of each lane are, as they still are; to be read only */
    const uint64_t *const *values; /* STORE: the stored values, of each element [32]; NULL: not known */
    int64_t group; /* ASYNC, BULK: counts the commits of a lane; the same as in ATX_EVENT_ASYNC_DONE,
                      _BULK_DONE */
    /* [32]: the mbarrier that hears of what is written, as ATX_EVENT_MBARRIER_PHASE has it; NULL: none */
    const uint64_t *barrier;
} atx_machine_access;

typedef enum atx_machine_event {
    ATX_EVENT_BARRIER_ARRIVE,  /* lanes of `mask` wait at barrier `number` (bar.arrive: go on)    */
    ATX_EVENT_BARRIER_RELEASE, /* all that had to have arrived at barrier `number` of this block  */
    ATX_EVENT_CLUSTER_ARRIVE,
    ATX_EVENT_CLUSTER_RELEASE, /* reported once, for the whole cluster    */
    ATX_EVENT_WARP_SYNC,       /* `mask` came together: bar.warp.sync, shfl.sync, vote.sync, ... */
    ATX_EVENT_FENCE,
    ATX_EVENT_ASYNC_DONE,     /* of the lanes in `mask`, groups below `number` are written */
    ATX_EVENT_BULK_READ,      /* of the lane in `mask`, bulk groups below `number` have read their sources */
    ATX_EVENT_BULK_DONE,      /* likewise, and have written */
    ATX_EVENT_MBARRIER_PHASE, /* a phase of barrier `number`, of any block of the cluster, is over: its offset
                                 + (its block's rank << ATX_MACHINE_RANK_SHIFT) */
    ATX_EVENT_MBARRIER_ARRIVE, /* `number`: its offset in shared memory */
    ATX_EVENT_MBARRIER_PASS,   /* a wait for it has succeeded for `mask` */
    ATX_EVENT_EXIT             /* lanes of `mask` end */
} atx_machine_event;

/*
 * Any may be NULL. false ends the launch: atx_machine_launch then returns AT_OK, with a finding of kind
 * ATX_FINDING_STOPPED, which the watch has its own record of.
 */
typedef struct atx_machine_watch {
    void *context;
    bool (*block_begin)(void *context, const atx_machine_at *at);
    bool (*block_end)(void *context, const atx_machine_at *at);
    bool (*issue)(void *context,
                  const atx_machine_at *at); /* each warp instruction, before it has any effect */
    bool (*access)(void *context, const atx_machine_at *at, const atx_machine_access *access);
    bool (*event)(void *context, const atx_machine_at *at, atx_machine_event event, int64_t number);
} atx_machine_watch;

/* ---- launches ---- */

typedef enum atx_machine_finding_kind {
    ATX_FINDING_NONE,
    ATX_FINDING_BOUNDS,
    ATX_FINDING_MISALIGNED,
    ATX_FINDING_READ_ONLY, /* a write to a buffer that is an input */
    ATX_FINDING_BARRIER,   /* threads wait at a barrier that others never reach */
    ATX_FINDING_ENDLESS,   /* the budget of instructions was spent */
    ATX_FINDING_TRAP,      /* trap, or a failed assertion */
    ATX_FINDING_INVALID,   /* undefined by the ISA: shfl of lanes that are not there, ...          */
    ATX_FINDING_STOPPED    /* the watch said so */
} atx_machine_finding_kind;

typedef struct atx_machine_finding {
    atx_machine_finding_kind kind;
    char text[256];                   /* "4 bytes at offset 4096 of buffer 'in' of 4096 bytes are read" */
    const atx_ptx_function *function; /* NULL: no instruction is to blame */
    int32_t index;                    /* of the instruction */
    const char *file;                 /* of the source; NULL: no .loc */
    int32_t line, text_line;
    int64_t block;
    uint32_t block_at[3], thread_at[3];
    int32_t warp, lane;
    uint64_t address;
    int region; /* -1: none */
    bool waits; /* ENDLESS: for an mbarrier that lacks arrivals or bytes */
} atx_machine_finding;

typedef struct atx_machine_launch {
    int32_t function;                       /* an entry of the module */
    uint32_t grid[3], block[3], cluster[3]; /* cluster 0 0 0: as the kernel says, else 1 1 1 */
    int64_t shared_bytes;                   /* dynamic */
    const void *arguments;                  /* parameter bytes as laid out by `variables[].offset` */
    int64_t argument_bytes;
    const int64_t *blocks; /* which to run, ascending; NULL: all. Clusters run whole */
    int64_t block_count;
    bool leftover;                  /* a block finds the previous block's data in shared memory   */
    bool descending;                /* all blocks, the last one first */
    int64_t warp_budget;            /* instructions of a warp; 0: 2^28 */
    int64_t budget;                 /* steps of the launch; 0: no limit */
    const atx_machine_watch *watch; /* NULL: none */
    unsigned char swapped;          /* bits that are inverted in shared memory before it is written */
} atx_machine_launch;

typedef struct atx_machine_result {
    atx_machine_finding finding; /* the first: it has ended the launch */
    int64_t blocks, warp_instructions, thread_instructions;
    int64_t
        steps; /* 32 for each instruction of a warp, however many of its lanes execute it: what takes time */
    bool inexact; /* an instruction ran whose last bits the ISA leaves open */
} atx_machine_result;

/*
 * AT_ERR_USAGE: the launch does not fit the kernel (size of the arguments, block, cluster, shared memory).
 * A finding is a result, not an error.
 */
at_status atx_machine_run(atx_machine_result *out, atx_machine *machine, const atx_machine_launch *launch,
                          at_error *err) AT_MUST_CHECK;

/* Bytes of the device's heap that kernels have taken and not given back; *call: one that takes some, or NULL.
 */
int64_t atx_machine_heap_taken(const atx_machine *machine, const atx_ptx_instruction **call);

/* The output of printf in kernels since the machine was opened; up to 1 MiB is kept. */
const char *atx_machine_printed(const atx_machine *machine);
