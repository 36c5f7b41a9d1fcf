/*
 * machine_internal.h - the machine's own parts. Private to machine*.c.
 *
 * Registers are 32 lanes of 64 bits each, whatever their type: 16 and 32 bits are kept with zeroes above. A
 * predicate is a mask, bit l of lane l, in its first 64 bits. Constants have lanes as registers have, so that
 * an operand is a place and nothing else.
 */
#pragma once

#include "machine/machine.h"
#include "util/str.h"

#include <string.h>

enum {
    ATX_LANES = ATX_MACHINE_LANES,
    ATX_MAX_REFS = 40,
    ATX_MAX_NODES = 192,
    ATX_MAX_BARRIERS = 16,
    ATX_MAX_CLUSTER = 16,
    ATX_PARAM_WINDOW_REGION = 3, /* generic addresses of kernel parameters: 3 << 40 and up */
    ATX_FUNCTION_REGION = 4,     /* addresses of functions: 4 << 40 and up, 16 bytes apart */
    ATX_RESERVED_BYTES = 1024    /* of shared memory, for %reserved_smem_offset_N */
};

typedef struct atx_exec atx_exec;
typedef struct atx_decoded atx_decoded;

/* Executes one instruction for the lanes of `mask`, which is not 0. */
typedef void atx_handler(atx_exec *x, const atx_decoded *d, uint32_t mask);

typedef enum atx_local_base { ATX_BASE_FIXED, ATX_BASE_FRAME } atx_local_base;

/* An instruction ready to run. `ref`: a register's number, or ~ of a constant's; all of them are valid. */
struct atx_decoded {
    atx_handler *run;
    const atx_ptx_instruction *ptx;
    uint64_t keep;              /* bits that the first result's register has */
    int64_t offset[3];          /* of its addresses, as they stand */
    uint8_t frame[3];           /* atx_local_base of these */
    uint8_t at[ATX_PTX_GROUPS]; /* the first ref of each group               */
    bool guard_negated;
    bool syncs;           /* waits for the other lanes of its mask: shfl.sync, vote.sync, .. */
    uint8_t bytes;        /* of an element in memory                                         */
    int32_t guard;        /* register; -1: none */
    int32_t target, join; /* of a branch: where to, and where both ways meet (-1: nowhere) */
    int32_t ref[ATX_MAX_REFS];
};

typedef struct atx_code {
    const atx_ptx_function *function;
    atx_decoded *code; /* one more than the function has: a ret */
    int32_t slots;     /* registers, and one for results that are dropped */
    uint64_t *constants;
    int32_t constant_count;
    size_t constant_cap;
} atx_code;

/* One entry and its functions, decoded. */
typedef struct atx_program {
    int32_t entry;
    atx_code *functions;                 /* as many as the module has; code NULL: not reached */
    bool calls_addresses, uses_reserved; /* of functions; of shared memory */
} atx_program;

/* ---- running ---- */

typedef enum atx_node_state {
    ATX_NODE_FREE,
    ATX_NODE_RUNS,
    ATX_NODE_WAITS, /* for the nodes below it */
    ATX_NODE_AT_BARRIER,
    ATX_NODE_AT_CLUSTER,
    ATX_NODE_AT_WARP
} atx_node_state;

/*
 * Lanes that go the same way. A branch that parts them makes two nodes below the one they were, which goes on
 * at the place where both meet when neither is left; a call makes one.
 */
typedef struct atx_node {
    uint8_t state;
    uint8_t barrier;
    bool is_call; /* the one above it is the caller */
    uint32_t mask;
    uint32_t wanted; /* AT_WARP: lanes that must come */
    int32_t function, pc, join;
    int32_t above, below; /* a node; how many are below */
    int32_t registers;    /* first slot of its frame */
    int64_t local;        /* first byte of its frame */
} atx_node;

typedef struct atx_async_copy {
    int32_t lane, bytes, source_bytes;
    int64_t group;
    unsigned char *to;
    const unsigned char *from;
} atx_async_copy;

typedef struct atx_warp {
    int32_t number;
    uint32_t alive;
    int32_t current; /* node */
    int32_t node_count;
    atx_node nodes[ATX_MAX_NODES];
    uint32_t tid[3][ATX_LANES];
    uint64_t *registers;
    int32_t slots;
    unsigned char *local;
    int64_t local_bytes; /* of a lane */
    int64_t executed;
    uint32_t carry; /* of add.cc */
    uint32_t cluster_arrived, cluster_waits;
    int64_t cluster_phase, cluster_target;
    atx_async_copy *copies;
    size_t copy_count, copy_cap;
    int64_t committed[ATX_LANES];
    int64_t bulk_committed[ATX_LANES];
    uint64_t awaited;     /* the mbarrier that was last seen not to be over: see ATX_EVENT_MBARRIER_PHASE */
    int64_t awaited_when; /* number of executed instructions; 0: never */
} atx_warp;

typedef struct atx_barrier {
    bool open;        /* a warp waits */
    int32_t expected; /* threads; 0: all */
    int32_t arrivals; /* of bar.arrive */
} atx_barrier;

typedef struct atx_block {
    int64_t number;
    uint32_t at[3];
    int32_t rank;
    unsigned char *shared;
    atx_warp *warps;
    atx_barrier barriers[ATX_MAX_BARRIERS];
} atx_block;

struct atx_exec {
    atx_machine *machine;
    const atx_machine_launch *launch;
    const atx_machine_watch *watch;
    atx_machine_result *result;
    const atx_program *program;
    const atx_code *code; /* of the node */
    atx_block *block;
    atx_warp *warp;
    atx_node *node;
    uint64_t *registers; /* of the node's frame */
    atx_machine_at at;

    atx_block blocks[ATX_MAX_CLUSTER]; /* of the cluster that runs */
    int32_t block_count, warp_count, thread_count;
    uint32_t grid[3], size[3], cluster[3];
    int64_t shared_bytes;
    int64_t warp_budget;
    bool stop;  /* a finding, the watch, or no memory */
    bool yield; /* another warp's turn */
    bool no_memory;
};

struct atx_machine {
    const atx_ptx_module *module;
    atx_machine_region *regions;
    size_t region_count, region_cap;
    int32_t *variable_regions; /* of the module's variables; -1: none */
    int heap_region;           /* -1: none */
    int64_t heap_used;         /* unused memory begins here */
    struct atx_heap_piece *pieces;
    size_t piece_count, piece_cap;
    atx_program program;
    atx_str printed;
};

/* ---- lanes ---- */

static inline uint64_t *atx_lanes(const atx_exec *x, int32_t ref)
{
    return ref >= 0 ? x->registers + (size_t)ref * ATX_LANES : x->code->constants + (size_t)~ref * ATX_LANES;
}

/* The first operand of group `g`. */
static inline uint64_t *atx_group(const atx_exec *x, const atx_decoded *d, int g)
{
    return atx_lanes(x, d->ref[d->at[g]]);
}

/* A whole warp in a loop that compilers turn into vectors, else lane by lane. */
#define ATX_EACH_LANE(mask, ...)                                                                             \
    do {                                                                                                     \
        if ((mask) == UINT32_MAX) {                                                                          \
            for (int l = 0; l < ATX_LANES; l++) {                                                            \
                __VA_ARGS__;                                                                                 \
            }                                                                                                \
        } else {                                                                                             \
            for (int l = 0; l < ATX_LANES; l++)                                                              \
                if ((mask) >> l & 1) {                                                                       \
                    __VA_ARGS__;                                                                             \
                }                                                                                            \
        }                                                                                                    \
    } while (0)

/* An instruction of up to three operands a, b, c of type T, made by `read` of a register's 64 bits; `result`,
 * an expression of them, are the 64 bits that it leaves. */
#define ATX_LANE_OP(name, T, read, result)                                                                   \
    static void name(atx_exec *x, const atx_decoded *d, uint32_t mask)                                       \
    {                                                                                                        \
        uint64_t *to = atx_group(x, d, 0);                                                                   \
        const uint64_t *A = atx_group(x, d, 1), *B = atx_group(x, d, 2), *C = atx_group(x, d, 3);            \
        (void)B;                                                                                             \
        (void)C;                                                                                             \
        ATX_EACH_LANE(mask, {                                                                                \
            const T a = read(A[l]), b = read(B[l]), c = read(C[l]);                                          \
            (void)a;                                                                                         \
            (void)b;                                                                                         \
            (void)c;                                                                                         \
            to[l] = result;                                                                                  \
        });                                                                                                  \
    }

/* Bits of a predicate, one a lane: those of `mask` are replaced. */
static inline void atx_put_predicate(uint64_t *to, uint32_t mask, uint64_t bits)
{
    *to = (*to & ~(uint64_t)mask) | (bits & mask);
}

/* An f32: subnormals as zeroes of their sign, where told. */
static inline uint64_t atx_flush_f32(uint64_t bits, bool flush)
{
    return flush && (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

static inline float atx_f32(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline uint64_t atx_bits_f32(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static inline double atx_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t atx_bits_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/*
 * A result of f64 operands. The ISA does not say which NaN comes out and processors differ (x86 makes a
 * negative one, arm64 a positive one): here it is that of the first operand that is one, made quiet, or
 * CUDART_NAN.
 */
static inline uint64_t atx_result_f64(double value, double a, double b, double c)
{
    const double nan = a != a ? a : b != b ? b : c;
    if (value == value)
        return atx_bits_f64(value);
    return nan != nan ? atx_bits_f64(nan) | (uint64_t)1 << 51 : 0xfff8000000000000;
}

static inline int atx_first_lane(uint32_t mask)
{
    return __builtin_ctz(mask);
}

/* ---- machine_cfg.c ---- */

/* For each instruction of a function where the ways of its branch meet, -1: nowhere; malloc'ed. */
at_status atx_find_joins(int32_t **out, const atx_ptx_function *f, at_error *err) AT_MUST_CHECK;

/* ---- machine_decode.c ---- */

/* Decodes the entry and its callees; the earlier ones are freed. AT_ERR_INPUT: an instruction is not known.
 */
at_status atx_decode(atx_machine *machine, int32_t entry, at_error *err) AT_MUST_CHECK;
void atx_program_clear(atx_program *program, const atx_ptx_module *module);

/* A row of a table of handlers. */
typedef struct atx_choice {
    uint8_t op, type;
    uint32_t flags;
    atx_handler *run;
} atx_choice;

/* The handler of the row with just these words; NULL: there is none. */
static inline atx_handler *atx_choose(const atx_ptx_instruction *i, const atx_choice *choices, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (choices[k].op == i->op && choices[k].type == i->type && choices[k].flags == i->flags)
            return choices[k].run;
    return NULL;
}

/* The function that executes an instruction; NULL: there is none. */
atx_handler *atx_select_int(const atx_ptx_instruction *i);
atx_handler *atx_select_logic(const atx_ptx_instruction *i);
atx_handler *atx_select_compare(const atx_ptx_instruction *i);
atx_handler *atx_select_move(const atx_ptx_instruction *i);
/* mov of a special register or a variable's address, by the kind of its operand. */
atx_handler *atx_special_mov(int operand_kind);
atx_handler *atx_select_float(const atx_ptx_instruction *i);
atx_handler *atx_select_approx(const atx_ptx_instruction *i);
atx_handler *atx_select_convert(const atx_ptx_instruction *i);
atx_handler *atx_select_half(const atx_ptx_instruction *i);
atx_handler *atx_select_memory(const atx_ptx_instruction *i);
atx_handler *atx_select_atomic(const atx_ptx_instruction *i);
atx_handler *atx_select_async(const atx_ptx_instruction *i);
atx_handler *atx_select_mbarrier(const atx_ptx_instruction *i);
atx_handler *atx_select_warp(const atx_ptx_instruction *i);
atx_handler *atx_select_matrix(const atx_ptx_instruction *i);
atx_handler *atx_select_mma(const atx_ptx_instruction *i);
atx_handler *atx_select_wmma(const atx_ptx_instruction *i);
atx_handler *atx_select_control(const atx_ptx_instruction *i);
atx_handler *atx_select_barrier(const atx_ptx_instruction *i);
uint64_t atx_function_address(int32_t function);
/* A call of the functions whose addresses lanes have in a register. */
atx_handler atx_call_address;
/* A function without a body that the machine makes itself: printf's, a failed assertion's, the heap's. */
bool atx_is_system_function(const char *name);

/* ---- machine_regions.c, machine_reach.c ---- */

at_status atx_region_add(atx_machine *m, const atx_machine_buffer *b, int kind, at_error *err);

/* An access of a warp that is being made. */
typedef struct atx_request {
    atx_machine_access_kind kind;
    atx_ptx_space space;
    int32_t bytes, element_bytes;
    uint32_t mask;
    uint64_t address[ATX_LANES]; /* as in the program; then as passed to the watch */
    const int32_t *lane_bytes;   /* NULL: all `bytes` */
    int64_t group;
    unsigned char *at[ATX_LANES]; /* where it is, after atx_reach */
    int32_t rank[ATX_LANES];
    const uint64_t *const *values; /* of a store: see atx_machine_access */
    const uint64_t *barrier;       /* likewise */
} atx_request;

/* The bits of an address that count in a space: PTX truncates a wider register that names a place in shared
 * or local memory ("Addresses as Operands"), and compilers leave carries above these bits. */
uint64_t atx_address_bits(atx_ptx_space space);
/* Fills addresses from the k-th address operand; `space` must be set. */
void atx_addresses(atx_request *r, const atx_exec *x, const atx_decoded *d, int k, int group, uint32_t mask);
/* Checks the request, tells the watch, fills `at`. false: the launch ends. */
bool atx_reach(atx_exec *x, atx_request *r);
/* Tells the watch alone. false: the launch ends. */
bool atx_tell_access(atx_exec *x, const atx_request *r, atx_ptx_space space, uint32_t mask);
/* A finding at the instruction that runs, of this lane. Always false. */
bool atx_find_fault(atx_exec *x, atx_machine_finding_kind kind, int lane, const char *format, ...)
    AT_PRINTF(4, 5);
/* Tells the watch. false: the launch ends. */
bool atx_event(atx_exec *x, atx_machine_event event, uint32_t mask, int64_t number);

/* ---- machine_heap.c ---- */

/* The heap of a device, where a module calls malloc; its region is the machine's. */
at_status atx_heap_open(atx_machine *m, at_error *err);
uint64_t atx_heap_take(atx_machine *m, uint64_t bytes); /* an address; 0: none is left */
bool atx_heap_give(atx_machine *m, uint64_t address);   /* false: not one that was taken */

/* ---- machine_print.c ---- */

/* The output of printf of these lanes: generic addresses of formats and of arguments. */
void atx_print_lanes(atx_exec *x, const uint64_t *formats, const uint64_t *arguments, uint32_t mask);

/* ---- machine_control.c, machine_barrier.c, machine_async.c ---- */

/* Lanes of the node that runs leave it for `target`; the others go on where they are. */
void atx_diverge(atx_exec *x, uint32_t taken, int32_t target, int32_t join);
/* The node that runs has no lane left, or has come to where it meets others. */
void atx_end_node(atx_exec *x, int32_t node);
/* Looks whether all have come, after lanes have arrived or ended. */
void atx_check_barriers(atx_exec *x);
void atx_check_cluster(atx_exec *x);
/* Nodes of a warp that wait for each other, when all have come. false: none went on. */
bool atx_release_warp(atx_exec *x);
