/*
 * machine.h - runs kernels of a PTX module on the CPU: warps of 32 lanes, blocks one after the other (blocks
 * of a cluster together), bit for bit where the ISA is.
 *
 * Addresses. Each buffer and each .global and .const variable is a region with 2^40 addresses of its own, and
 * begins 2^20 behind their start: an address outside of a region still tells which one was meant. Shared and
 * local memory have 32-bit addresses from AT__MACHINE_SHARED_BASE and AT__MACHINE_LOCAL_BASE (so that 0 is
 * none), generic ones with AT__MACHINE_SHARED_WINDOW or _LOCAL_WINDOW added; a block of rank r in a cluster
 * sees shared memory of rank s at (s + 1) << 24 and up, and its own also from 0.
 *
 * Every access is checked against its region's bounds and alignment whether or not somebody watches: what
 * does not hold is a finding and ends the launch. A buffer that begins off a multiple of 16 is part of a
 * larger one: reads of the 16 aligned bytes that hold its first one are allowed, and find 0xa5 before it. A
 * watch is told before an access is made.
 *
 * Threads: a machine is used from one thread; modules are shared.
 */
#ifndef AUTOTUNE_MACHINE_H
#define AUTOTUNE_MACHINE_H

#include "ptx/ptx.h"

enum { AT__MACHINE_LANES = 32 };

#define AT__MACHINE_REGION_SHIFT  40
#define AT__MACHINE_REGION_START  ((uint64_t)1 << 20)
#define AT__MACHINE_SHARED_WINDOW ((uint64_t)1 << 40)
#define AT__MACHINE_LOCAL_WINDOW  ((uint64_t)2 << 40)
#define AT__MACHINE_FIRST_REGION  16 /* region n is at (16 + n) << 40 */
#define AT__MACHINE_SHARED_BASE   1024
#define AT__MACHINE_LOCAL_BASE    1024
#define AT__MACHINE_RANK_SHIFT    24
#define AT__REGION_FRONT          16 /* bytes before each region; see above */

typedef struct at__machine at__machine;

/* ---- memory ---- */

typedef enum at__machine_region_kind {
    AT__REGION_BUFFER,
    AT__REGION_GLOBAL_VARIABLE,
    AT__REGION_CONST_VARIABLE
} at__machine_region_kind;

enum { AT__REGION_READ_ONLY = 1, AT__REGION_INITIALISED = 2, AT__REGION_OUTPUT = 4 }; /* flags */

typedef struct at__machine_region {
    char name[64];
    int kind, flags;
    uint64_t address; /* of its first byte */
    int64_t bytes;
    unsigned char *data; /* AT__REGION_FRONT bytes lie before; of the machine: read and written freely between
                            launches */
} at__machine_region;

/* Borrows the module, whose .global and .const variables become the first regions. */
at_status at__machine_open(at__machine **out, const at__ptx_module *module, at_error *err) AT_MUST_CHECK;
void at__machine_close(at__machine *machine); /* NULL is allowed */

/*
 * A buffer of zeroes, or, with `initial`, a copy of that. Its address is a multiple of `align` (a power of
 * two up to 2^19) and of no larger power of two. *region is its number.
 */
at_status at__machine_add_buffer(int *region, at__machine *machine, const char *name, int64_t bytes,
                                 int64_t align, int flags, const void *initial, at_error *err) AT_MUST_CHECK;
int at__machine_region_count(const at__machine *machine);
/* Valid until the next at__machine_add_buffer. */
const at__machine_region *at__machine_region_at(const at__machine *machine, int region);
/* The region whose 2^40 addresses hold this one, also outside of its bytes; -1: none. */
int at__machine_region_of(const at__machine *machine, uint64_t address);

/* ---- what a watch is told ---- */

/* Where something happened. Valid during the call. */
typedef struct at__machine_at {
    const at__ptx_function *function;
    const at__ptx_instruction *instruction; /* NULL: a block begins or ends */
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
} at__machine_at;

typedef enum at__machine_access_kind {
    AT__ACCESS_LOAD,
    AT__ACCESS_STORE,
    AT__ACCESS_ATOMIC,       /* reads and writes */
    AT__ACCESS_REDUCTION,    /* likewise, without a result */
    AT__ACCESS_ASYNC_SOURCE, /* cp.async: what it reads; told when it is issued            */
    AT__ACCESS_ASYNC_TARGET, /* what it will write, until a wait: see AT__EVENT_ASYNC_DONE */
    AT__ACCESS_BULK_SOURCE,  /* cp.async.bulk: one lane at a time, `lane_bytes` is how many it reads */
    AT__ACCESS_BULK_TARGET,  /* what it writes: it may until the barrier's phase is over, or the group awaited
                              */
    AT__ACCESS_STORE_ASYNC,  /* st.async: likewise until the phase is over */
    AT__ACCESS_MATRIX_LOAD,  /* ldmatrix: a row of 16 bytes an address */
    AT__ACCESS_MATRIX_STORE,
    AT__ACCESS_BARRIER, /* an mbarrier's own word */
    AT__ACCESS_PREFETCH /* has no effect, is not checked */
} at__machine_access_kind;

/*
 * One request of a warp in one space; a generic one whose lanes are in several is told once for each. Lanes
 * that are not in `mask` have no address.
 */
typedef struct at__machine_access {
    at__machine_access_kind kind;
    at__ptx_space space; /* GLOBAL, SHARED, SHARED_CLUSTER (of another block), LOCAL, CONST */
    uint32_t mask;
    bool generic;  /* the instruction names no space */
    int32_t bytes; /* of each lane */
    int32_t element_bytes;
    const uint64_t
        *address; /* [32]: of GLOBAL and CONST as above; SHARED and LOCAL: offset from 0, without BASE */
    const int32_t *rank;       /* [32], SHARED_CLUSTER only: of the block whose memory it is */
    const int32_t *lane_bytes; /* [32]; NULL: all `bytes`. ASYNC_SOURCE may read less than is written */
    unsigned char *const *at; /* [32]: where the bytes of each lane are, as they still are; to be read only */
    const uint64_t *const *values; /* STORE: of each element [32], what is stored; NULL: not told */
    int64_t group; /* ASYNC, BULK: counts the commits of a lane; the same as in AT__EVENT_ASYNC_DONE,
                      _BULK_DONE */
    /* [32]: the mbarrier that hears of what is written, as AT__EVENT_MBARRIER_PHASE has it; NULL: none */
    const uint64_t *barrier;
} at__machine_access;

typedef enum at__machine_event {
    AT__EVENT_BARRIER_ARRIVE,  /* lanes of `mask` wait at barrier `number` (bar.arrive: go on)    */
    AT__EVENT_BARRIER_RELEASE, /* all that had to have arrived at barrier `number` of this block  */
    AT__EVENT_CLUSTER_ARRIVE,
    AT__EVENT_CLUSTER_RELEASE, /* told once, of the whole cluster         */
    AT__EVENT_WARP_SYNC,       /* `mask` came together: bar.warp.sync, shfl.sync, vote.sync, ... */
    AT__EVENT_FENCE,
    AT__EVENT_ASYNC_DONE,     /* of the lanes in `mask`, groups below `number` are written */
    AT__EVENT_BULK_READ,      /* of the lane in `mask`, bulk groups below `number` have read their sources */
    AT__EVENT_BULK_DONE,      /* likewise, and have written */
    AT__EVENT_MBARRIER_PHASE, /* a phase of barrier `number`, of any block of the cluster, is over: its offset
                                 + (its block's rank << AT__MACHINE_RANK_SHIFT) */
    AT__EVENT_MBARRIER_ARRIVE, /* `number`: its offset in shared memory */
    AT__EVENT_MBARRIER_PASS,   /* a wait for it has succeeded for `mask` */
    AT__EVENT_EXIT             /* lanes of `mask` end */
} at__machine_event;

/*
 * Any may be NULL. false ends the launch: at__machine_launch then returns AT_OK, with a finding of kind
 * AT__FINDING_STOPPED, which the watch has its own record of.
 */
typedef struct at__machine_watch {
    void *context;
    bool (*block_begin)(void *context, const at__machine_at *at);
    bool (*block_end)(void *context, const at__machine_at *at);
    bool (*issue)(void *context,
                  const at__machine_at *at); /* each warp instruction, before it has any effect */
    bool (*access)(void *context, const at__machine_at *at, const at__machine_access *access);
    bool (*event)(void *context, const at__machine_at *at, at__machine_event event, int64_t number);
} at__machine_watch;

/* ---- launches ---- */

typedef enum at__machine_finding_kind {
    AT__FINDING_NONE,
    AT__FINDING_BOUNDS,
    AT__FINDING_MISALIGNED,
    AT__FINDING_READ_ONLY, /* a write to a buffer that is an input */
    AT__FINDING_BARRIER,   /* threads wait at a barrier that others never reach */
    AT__FINDING_ENDLESS,   /* the budget of instructions was spent */
    AT__FINDING_TRAP,      /* trap, or a failed assertion */
    AT__FINDING_INVALID,   /* what the ISA leaves undefined: shfl of lanes that are not there, ... */
    AT__FINDING_STOPPED    /* the watch said so */
} at__machine_finding_kind;

typedef struct at__machine_finding {
    at__machine_finding_kind kind;
    char text[256];                   /* "4 bytes at offset 4096 of buffer 'in' of 4096 bytes are read" */
    const at__ptx_function *function; /* NULL: no instruction is to blame */
    int32_t index;                    /* of the instruction */
    const char *file;                 /* of the source; NULL: no .loc */
    int32_t line, text_line;
    int64_t block;
    uint32_t block_at[3], thread_at[3];
    int32_t warp, lane;
    uint64_t address;
    int region; /* -1: none */
    bool waits; /* ENDLESS: for an mbarrier that lacks arrivals or bytes */
} at__machine_finding;

typedef struct at__machine_launch {
    int32_t function;                       /* an entry of the module */
    uint32_t grid[3], block[3], cluster[3]; /* cluster 0 0 0: as the kernel says, else 1 1 1 */
    int64_t shared_bytes;                   /* dynamic */
    const void *arguments;                  /* parameter bytes as laid out by `variables[].offset` */
    int64_t argument_bytes;
    const int64_t *blocks; /* which to run, ascending; NULL: all. Clusters run whole */
    int64_t block_count;
    int64_t warp_budget;            /* instructions of a warp; 0: 2^28 */
    int64_t budget;                 /* thread instructions of the launch; 0: no limit */
    const at__machine_watch *watch; /* NULL: none */
    unsigned char turned; /* bits that are turned in what shared memory holds before it is written */
} at__machine_launch;

typedef struct at__machine_result {
    at__machine_finding finding; /* the first: it has ended the launch */
    int64_t blocks, warp_instructions, thread_instructions;
    bool inexact; /* an instruction ran whose last bits the ISA leaves open */
} at__machine_result;

/*
 * AT_ERR_USAGE: the launch does not fit the kernel (size of the arguments, block, cluster, shared memory).
 * A finding is a result, not an error.
 */
at_status at__machine_run(at__machine_result *out, at__machine *machine, const at__machine_launch *launch,
                          at_error *err) AT_MUST_CHECK;

/* What kernels printed by printf since the machine was opened; up to 1 MiB is kept. */
const char *at__machine_printed(const at__machine *machine);

#endif
