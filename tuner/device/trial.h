/*
 * trial.h - the data that a supervisor and a device exchange: a problem laid out as buffers, a kernel to try,
 * its result, and the re-measurement.
 *
 * Plain data, used by the supervisor (device.h), the process that has the GPU (runner/), and the builders of
 * kernels. No CUDA. Pointers are borrowed for the call that takes the struct.
 */
#pragma once

#include "device/verdict.h"
#include "declare/data.h"
#include "lang/problem.h"
#include "lang/record.h"
#include "lang/tensor_map.h"

/* The runner's figures of its GPU, at its start; for a replay: those of the recorded one. */
typedef struct atx_device_info {
    int ordinal;     /* of CUDA; ATX_REPLAY_ORDINAL: a replay                   */
    char name[128];  /* "NVIDIA H200"; "replay of NVIDIA H200"                  */
    char uuid[64];   /* "GPU-..." or ""                                      */
    char driver[32]; /* "580.159.04"; the CUDA version when NVML is missing  */
    int cuda;        /* the newest version of CUDA that the driver supports, as 13000; of a replay 0 */
    char nvrtc[16];  /* of a replay: the compiler of the recorded kernels    */
    char host[64];   /* the machine that it is in; of a replay ""            */
    int visible;     /* CUDA devices that there are with this one; of a replay, or unknown, 0 */
    int64_t free_bytes;
    int64_t other_processes;  /* that compute on it; -1: unknown                     */
    int64_t ecc_errors;       /* uncorrected, since the driver was loaded; likewise  */
    char no_device_lock[200]; /* why runs on it do not take turns; "": they do       */
    atx_limits limits;
} atx_device_info;

#define ATX_REPLAY_ORDINAL   (-1)
#define ATX_REPLAY_RECORDING " recording "

/* A launch that follows another one of the same code. */
typedef struct atx_kernel_step {
    const char *name;
    atx_geometry geometry;
    int arg_count;
    struct atx_kernel_arg {
        int buffer;    /* index of one of the problem's buffers, or -1: a scalar */
        int bytes;     /* of the scalar: 1, 2, 4 or 8; of the struct */
        int64_t value; /* of a float: its bits; of a struct: where it is among the kernel's `structs` */
        int is_struct; /* 0 or 1: no byte is left over */
        int map;       /* a tensor map of the buffer: which of the kernel's, from 1; 0: none */
    } args[ATX_MAX_ARGS];
} atx_kernel_step;

/* One launch of a sequence that has loops: of a step, the first being 0, with what it takes this time. */
typedef struct atx_kernel_launch {
    int step;
    int arg_count;
    atx_geometry geometry;
    struct atx_kernel_arg args[ATX_MAX_ARGS];
} atx_kernel_launch;
#define ATX_MAX_LAUNCHES 4096

/* A kernel with everything a launch needs. Buffers are the problem's, in the order of the op's arguments. */
typedef struct atx_kernel {
    const char *identity; /* "transpose 4096x4096 b4 tile TILE=32": the key of a replay    */
    const void *cubin;
    size_t cubin_len;
    const char *name;
    atx_geometry geometry;
    int arg_count;
    struct atx_kernel_arg args[ATX_MAX_ARGS];
    int more_count; /* launches that follow, timed with the first */
    atx_kernel_step more[ATX_MAX_STEPS - 1];
    const void *launches; /* of loops: all launches in their order, one behind the other; borrowed as the
                          cubin is. NULL: each step once; see atx_kernel_next */
    size_t launches_len;
    int launch_count;
    atx_tensor_layout maps[ATX_MAX_MAPS];
    int map_count;
    int variable_count; /* of its code, which get contents of buffers before it is launched */
    struct atx_kernel_variable {
        const char *name;
        int buffer;
    } variables[ATX_MAX_ARGS];
    /* Arguments that are passed by value, and which of their bytes are addresses of buffers: see
     * kernel_args.h. */
    unsigned char structs[ATX_MAX_STRUCT_BYTES];
    int struct_bytes;
    struct atx_kernel_pointer {
        int at;
        int buffer;
    } pointers[ATX_MAX_ARGS];
    int pointer_count;
} atx_kernel;

/* Goes through a kernel's launches. *at begins as 0; false behind the last. */
bool atx_kernel_next(atx_kernel_launch *out, const atx_kernel *kernel, size_t *at);

/* How many they are. */
static inline int atx_kernel_launches(const atx_kernel *kernel)
{
    return kernel->launches ? kernel->launch_count : 1 + kernel->more_count;
}

/* Adds one to those of a sequence. */
void atx_launches_add(atx_str *launches, const atx_kernel_launch *one);

/* Where an array's bytes are. */
typedef struct atx_data_file {
    char path[512]; /* "": in no file */
    int64_t at;
} atx_data_file;

/* A field of a buffer's structs: see columns.h. */
typedef struct atx_buffer_column {
    char name[32];
    uint64_t how;
    atx_filling filling;
} atx_buffer_column;

typedef struct atx_buffer {
    atx_role role; /* all but ATX_SCALAR */
    int64_t bytes;
    int64_t align; /* it begins at a multiple of these bytes, and of no more; 0 or ATX_FULL_ALIGN: anywhere
                      suitable */
    char name[ATX_MAX_NAME];
    int element_bytes; /* for messages; 0: bytes                                        */
    int number;        /* of its elements, see declare/data.h; 0: opaque bytes             */
    bool zero;         /* an output that begins as zeros                                */
    int how;           /* what an input or inout holds, as atx_generate has it; with this, but for the ... */
    atx_filling filling; /* ... seed of the offsets that it goes with, which are those of the ... */
    int goes_with;       /* ... buffer so many places behind it, or before it; 0: of none */
    int column_count;    /* of structs: their fields; else 0 */
    atx_buffer_column columns[ATX_MAX_FIELDS];
    atx_check check; /* of an output or inout; without its place */
    int validator; /* ATX_BY: which launch of the setup's validates it, from 1; 0: one that validates another
                      too */
    atx_data_file data; /* of an input or inout that comes from a file */
} atx_buffer;

/*
 * The kernels that fill and compare are compiled in parts, side by side: see verify.cu. A problem that has no
 * use for a part (atx_check_is_needed) may lack its code. Inputs of rows and sorted numbers are made by parts
 * of their own, which take a compiler twice as long.
 */
typedef enum atx_check_kind {
    ATX_CHECK_FILL,
    ATX_CHECK_GUARD,
    ATX_CHECK_GENERATE,
    ATX_CHECK_GENERATED,
    ATX_CHECK_CLOSE,
    ATX_CHECK_WORST,
    ATX_CHECK_EQUAL,
    ATX_CHECK_GENERATE_ROWS, /* these two have all that GENERATE and GENERATED have */
    ATX_CHECK_GENERATED_ROWS,
    ATX_CHECK_PARTS
} atx_check_kind;
typedef struct atx_check_part {
    const void *cubin;
    size_t len;
} atx_check_part;

/* A problem on the device: buffers, their contents, the right answer. */
typedef struct atx_setup {
    atx_buffer buffers[ATX_MAX_ARGS];
    int buffer_count;
    atx_kernel reference; /* without a cubin: the answer is in a file, or there is none */
    atx_data_file answer; /* of the one output */
    atx_kernel validator; /* its launches validate outputs, each by itself; without a cubin: none does */
    atx_check_part verify[ATX_CHECK_PARTS];
    bool gaps;           /* the reference does not write all of its outputs: the rest must not change */
    int64_t moved_bytes; /* of the buffers, by the op's own count: it may touch few rows of a table; 0: all */
    int64_t copy_bytes;  /* that a copy of the problem moves from the first input to the first output */
    bool own_copies;     /* ... of a pair of buffers made for it: the problem's own do not suit */
    bool energy;         /* the energy of the op's own kernels is measured: atx_timing.joules */
    bool warm;           /* do not rotate buffers out of the L2 cache */
    uint64_t seed;       /* of the random bits */
    uint64_t chance;     /* 0: checks are random; in a test: the same checks each time */
} atx_setup;

typedef struct atx_trial {
    int64_t tag;
    atx_kernel kernel; /* cubin is copied on submission */
    bool is_copy;      /* a ceiling candidate: its output must equal the first input */
    double best_s;     /* the fastest so far: one that is clearly slower gets fewer samples; 0: none */
} atx_trial;

typedef struct atx_measured {
    int64_t tag;
    atx_outcome outcome;
    atx_timing timing;
    atx_resources resources;
    double busy_s;  /* wall time that the trial took on the runner                    */
    double saved_s; /* device time that the rest of its samples would have taken: it lost the race */
    bool doubtful;  /* launch_failed for a reason that may be another kernel's: before it was tried again */
    atx_conditions conditions;
    atx_verdict verdict;
    char log[512];
} atx_measured;

/* The re-measurement: candidates timed again, interleaved in random order, until their order is clear. */
#define ATX_MAX_TOP_CANDIDATES 24
typedef struct atx_top_candidate {
    atx_kernel kernel;
    bool is_copy;
    bool is_memcpy; /* the driver's copy of the first input to the first output; no kernel */
} atx_top_candidate;

/* The request. No round is added after `budget_until_s`, on atx_now_s(); 0: whenever it helps. */
typedef struct atx_remeasure_request {
    const atx_top_candidate *list;
    int count;
    uint64_t seed; /* of the order of each round */
    double budget_until_s;
} atx_remeasure_request;

typedef struct atx_remeasure_row {
    atx_outcome outcome; /* ATX_TIMED also means: verified again afterwards */
    atx_timing timing;
    bool tied; /* with the best of its kind: the difference is within the noise */
    atx_verdict verdict;
    char log[400];
} atx_remeasure_row;

/* The circumstances of a re-measurement. */
typedef struct atx_remeasure_notes {
    atx_conditions conditions;
    int64_t discarded; /* rounds that were thrown away and taken again ... */
    char why[48];      /* ... because of this: "thermal slowdown"          */
} atx_remeasure_notes;
