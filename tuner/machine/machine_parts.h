/*
 * machine_parts.h - the machine's own parts. Private to machine*.c.
 *
 * Registers are 32 lanes of 64 bits each, whatever their type: 16 and 32 bits are kept with zeroes above. A
 * predicate is a mask, bit l of lane l, in its first 64 bits. Constants have lanes as registers have, so that
 * an operand is a place and nothing else.
 */
#ifndef AUTOTUNE_MACHINE_PARTS_H
#define AUTOTUNE_MACHINE_PARTS_H

#include "machine/machine.h"
#include "util/str.h"

#include <string.h>

enum {
    AT__LANES = AT__MACHINE_LANES,
    AT__MAX_REFS = 40,
    AT__MAX_NODES = 192,
    AT__MAX_BARRIERS = 16,
    AT__MAX_CLUSTER = 16,
    AT__PARAM_WINDOW_REGION = 3 /* generic addresses of kernel parameters: 3 << 40 and up */
};

typedef struct at__exec at__exec;
typedef struct at__decoded at__decoded;

/* Executes one instruction for the lanes of `mask`, which is not 0. */
typedef void at__handler(at__exec *x, const at__decoded *d, uint32_t mask);

typedef enum at__local_base { AT__BASE_FIXED, AT__BASE_FRAME } at__local_base;

/* An instruction ready to run. `ref`: a register's number, or ~ of a constant's; all of them are valid. */
struct at__decoded {
    at__handler *run;
    const at__ptx_instruction *ptx;
    uint64_t keep;              /* bits that the first result's register has */
    int64_t offset[3];          /* of its addresses, as they stand */
    uint8_t frame[3];           /* at__local_base of these */
    uint8_t at[AT__PTX_GROUPS]; /* the first ref of each group               */
    bool guard_negated;
    bool syncs;           /* waits for the other lanes of its mask: shfl.sync, vote.sync, .. */
    uint8_t bytes;        /* of an element in memory                                         */
    int32_t guard;        /* register; -1: none */
    int32_t target, join; /* of a branch: where to, and where both ways meet (-1: nowhere) */
    int32_t ref[AT__MAX_REFS];
};

typedef struct at__code {
    const at__ptx_function *function;
    at__decoded *code; /* one more than the function has: a ret */
    int32_t slots;     /* registers, and one for results that nobody wants */
    uint64_t *constants;
    int32_t constant_count;
    size_t constant_cap;
} at__code;

/* What one entry needs, decoded. */
typedef struct at__program {
    int32_t entry;
    at__code *functions; /* as many as the module has; code NULL: not reached */
} at__program;

/* ---- running ---- */

typedef enum at__node_state {
    AT__NODE_FREE,
    AT__NODE_RUNS,
    AT__NODE_WAITS, /* for the nodes below it */
    AT__NODE_AT_BARRIER,
    AT__NODE_AT_CLUSTER,
    AT__NODE_AT_WARP
} at__node_state;

/*
 * Lanes that go the same way. A branch that parts them makes two nodes below the one they were, which goes on
 * at the place where both meet when neither is left; a call makes one.
 */
typedef struct at__node {
    uint8_t state;
    uint8_t barrier;
    bool is_call; /* the one above it is the caller */
    uint32_t mask;
    uint32_t wanted; /* AT_WARP: lanes that must come */
    int32_t function, pc, join;
    int32_t above, below; /* a node; how many are below */
    int32_t registers;    /* first slot of its frame */
    int64_t local;        /* first byte of its frame */
} at__node;

typedef struct at__async_copy {
    int32_t lane, bytes, source_bytes;
    int64_t group;
    unsigned char *to;
    const unsigned char *from;
} at__async_copy;

typedef struct at__warp {
    int32_t number;
    uint32_t alive;
    int32_t current; /* node */
    int32_t node_count;
    at__node nodes[AT__MAX_NODES];
    uint32_t tid[3][AT__LANES];
    uint64_t *registers;
    int32_t slots;
    unsigned char *local;
    int64_t local_bytes; /* of a lane */
    int64_t executed;
    uint32_t carry; /* of add.cc */
    uint32_t cluster_arrived, cluster_waits;
    int64_t cluster_phase, cluster_target;
    at__async_copy *copies;
    size_t copy_count, copy_cap;
    int64_t committed[AT__LANES];
    int64_t bulk_committed[AT__LANES];
    uint64_t awaited;     /* the mbarrier that was last seen not to be over: see AT__EVENT_MBARRIER_PHASE */
    int64_t awaited_when; /* what the warp had executed; 0: never */
} at__warp;

typedef struct at__barrier {
    bool open;        /* somebody waits */
    int32_t expected; /* threads; 0: all */
    int32_t arrivals; /* of bar.arrive */
} at__barrier;

typedef struct at__block {
    int64_t number;
    uint32_t at[3];
    int32_t rank;
    unsigned char *shared;
    at__warp *warps;
    at__barrier barriers[AT__MAX_BARRIERS];
} at__block;

struct at__exec {
    at__machine *machine;
    const at__machine_launch *launch;
    const at__machine_watch *watch;
    at__machine_result *result;
    const at__program *program;
    const at__code *code; /* of the node */
    at__block *block;
    at__warp *warp;
    at__node *node;
    uint64_t *registers; /* of the node's frame */
    at__machine_at at;

    at__block blocks[AT__MAX_CLUSTER]; /* of the cluster that runs */
    int32_t block_count, warp_count, thread_count;
    uint32_t grid[3], size[3], cluster[3];
    int64_t shared_bytes;
    int64_t warp_budget;
    bool stop;  /* a finding, the watch, or no memory */
    bool yield; /* another warp's turn */
    bool no_memory;
    int last_region;
};

struct at__machine {
    const at__ptx_module *module;
    at__machine_region *regions;
    size_t region_count, region_cap;
    int32_t *variable_regions; /* of the module's variables; -1: none */
    at__program program;
    at__str printed;
};

/* ---- lanes ---- */

static inline uint64_t *at__lanes(const at__exec *x, int32_t ref)
{
    return ref >= 0 ? x->registers + (size_t)ref * AT__LANES : x->code->constants + (size_t)~ref * AT__LANES;
}

/* The first operand of group `g`. */
static inline uint64_t *at__group(const at__exec *x, const at__decoded *d, int g)
{
    return at__lanes(x, d->ref[d->at[g]]);
}

/* A whole warp in a loop that compilers turn into vectors, else lane by lane. */
#define AT__EACH_LANE(mask, ...)                                                                             \
    do {                                                                                                     \
        if ((mask) == UINT32_MAX) {                                                                          \
            for (int l = 0; l < AT__LANES; l++) {                                                            \
                __VA_ARGS__;                                                                                 \
            }                                                                                                \
        } else {                                                                                             \
            for (int l = 0; l < AT__LANES; l++)                                                              \
                if ((mask) >> l & 1) {                                                                       \
                    __VA_ARGS__;                                                                             \
                }                                                                                            \
        }                                                                                                    \
    } while (0)

/* An instruction of up to three operands a, b, c of type T, made by `read` of a register's 64 bits; `result`,
 * an expression of them, are the 64 bits that it leaves. */
#define AT__LANE_OP(name, T, read, result)                                                                   \
    static void name(at__exec *x, const at__decoded *d, uint32_t mask)                                       \
    {                                                                                                        \
        uint64_t *to = at__group(x, d, 0);                                                                   \
        const uint64_t *A = at__group(x, d, 1), *B = at__group(x, d, 2), *C = at__group(x, d, 3);            \
        (void)B;                                                                                             \
        (void)C;                                                                                             \
        AT__EACH_LANE(mask, {                                                                                \
            const T a = read(A[l]), b = read(B[l]), c = read(C[l]);                                          \
            (void)b;                                                                                         \
            (void)c;                                                                                         \
            to[l] = result;                                                                                  \
        });                                                                                                  \
    }

static inline float at__f32(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline uint64_t at__bits_f32(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static inline double at__f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t at__bits_f64(double value)
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
static inline uint64_t at__result_f64(double value, double a, double b, double c)
{
    const double nan = a != a ? a : b != b ? b : c;
    if (value == value)
        return at__bits_f64(value);
    return nan != nan ? at__bits_f64(nan) | (uint64_t)1 << 51 : 0xfff8000000000000;
}

static inline int at__first_lane(uint32_t mask)
{
    return __builtin_ctz(mask);
}

/* ---- machine_cfg.c ---- */

/* For each instruction of a function where the ways of its branch meet, -1: nowhere; malloc'ed. */
at_status at__find_joins(int32_t **out, const at__ptx_function *f, at_error *err) AT_MUST_CHECK;

/* ---- machine_decode.c ---- */

/* Decodes the entry and what it calls; what it had is freed. AT_ERR_INPUT: an instruction is not known. */
at_status at__decode(at__machine *machine, int32_t entry, at_error *err) AT_MUST_CHECK;
void at__program_clear(at__program *program, const at__ptx_module *module);

/* Who executes an instruction: NULL where nobody can. */
at__handler *at__select_int(const at__ptx_instruction *i);
at__handler *at__select_logic(const at__ptx_instruction *i);
at__handler *at__select_compare(const at__ptx_instruction *i);
at__handler *at__select_move(const at__ptx_instruction *i);
/* mov of a special register or a variable's address, by the kind of its operand. */
at__handler *at__special_mov(int operand_kind);
at__handler *at__select_float(const at__ptx_instruction *i);
at__handler *at__select_approx(const at__ptx_instruction *i);
at__handler *at__select_convert(const at__ptx_instruction *i);
at__handler *at__select_half(const at__ptx_instruction *i);
at__handler *at__select_memory(const at__ptx_instruction *i);
at__handler *at__select_atomic(const at__ptx_instruction *i);
at__handler *at__select_async(const at__ptx_instruction *i);
at__handler *at__select_mbarrier(const at__ptx_instruction *i);
at__handler *at__select_warp(const at__ptx_instruction *i);
at__handler *at__select_matrix(const at__ptx_instruction *i);
at__handler *at__select_mma(const at__ptx_instruction *i);
at__handler *at__select_control(const at__ptx_instruction *i);
at__handler *at__select_barrier(const at__ptx_instruction *i);
/* A function without a body that the machine makes itself: printf's, a failed assertion's. */
bool at__is_system_function(const char *name);

/* ---- machine_memory.c ---- */

/* An access of a warp that is being made. */
typedef struct at__request {
    at__machine_access_kind kind;
    at__ptx_space space;
    int32_t bytes, element_bytes;
    uint32_t mask;
    uint64_t address[AT__LANES]; /* as in the program; then as the watch is told */
    const int32_t *lane_bytes;   /* NULL: all `bytes` */
    int64_t group;
    unsigned char *at[AT__LANES]; /* where it is, after at__reach */
    int32_t rank[AT__LANES];
    const uint64_t *const *values; /* of a store: see at__machine_access */
    const uint64_t *barrier;       /* likewise */
} at__request;

/* The bits of an address that count in a space: PTX truncates a wider register that names a place in shared
 * or local memory ("Addresses as Operands"), and compilers leave carries above these bits. */
uint64_t at__address_bits(at__ptx_space space);
/* Fills addresses from the k-th address operand; `space` must be set. */
void at__addresses(at__request *r, const at__exec *x, const at__decoded *d, int k, int group, uint32_t mask);
/* Checks the request, tells the watch, fills `at`. false: the launch ends. */
bool at__reach(at__exec *x, at__request *r);
/* A finding at the instruction that runs, of this lane. Always false. */
bool at__find_fault(at__exec *x, at__machine_finding_kind kind, int lane, const char *format, ...)
    AT_PRINTF(4, 5);

/* ---- machine_print.c ---- */

/* What printf prints of these lanes: generic addresses of formats and of arguments. */
void at__print_lanes(at__exec *x, const uint64_t *formats, const uint64_t *arguments, uint32_t mask);

/* ---- machine_control.c, machine_barrier.c, machine_async.c ---- */

int32_t at__node_add(at__exec *x, at__node node); /* -1: none left, a finding */
/* Lanes of the node that runs leave it for `target`; the others go on where they are. */
void at__part(at__exec *x, uint32_t taken, int32_t target, int32_t join);
/* Lanes end; `everywhere`: not only in this call. */
void at__leave(at__exec *x, uint32_t lanes, bool everywhere);
/* The node that runs has no lane left, or has come to where it meets others. */
void at__end_node(at__exec *x, int32_t node);
/* Looks whether all have come, after lanes have arrived or ended. */
void at__check_barriers(at__exec *x);
void at__check_cluster(at__exec *x);
bool at__event(at__exec *x, at__machine_event event, uint32_t mask, int64_t number);
/* Makes the copies of these lanes whose group is below limits[lane]. */
void at__finish_copies(at__exec *x, uint32_t lanes, const int64_t limits[AT__LANES]);
/* Nodes of a warp that wait for each other, when all have come. false: none went on. */
bool at__release_warp(at__exec *x);

#endif
