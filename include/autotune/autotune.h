/*
 * autotune.h - the fastest known kernel for a problem: looked up, rendered, compiled, launched.
 *
 * For programs that use the results of `autotune tune`. Look-ups need no GPU, no driver and no NVRTC.
 * at_compile opens NVRTC. Only at_run and at_prepare open the CUDA driver; they use the context that is
 * current in the calling thread.
 *
 * Units     seconds (double) where a name ends in _s, bytes where it ends in _bytes, otherwise counts.
 * Errors    every fallible call returns at_status and describes the error in *err, unless err is NULL. A
 *           problem of which nothing is known has an answer (AT_MATCH_NONE) and is no error. A call that
 *           fails does not change its outputs. The library never prints and never exits; it aborts only
 *           where a bug of its own would corrupt memory.
 * Structs   a struct that a program fills begins with its size, struct_bytes, which AT_..._INIT sets. Set
 *           all other members to zero first: 0 in a member of a later version means "as before". A program
 *           that was compiled with an older header, whose structs are shorter, works with this library. One
 *           with a newer header works as long as it sets no member that this library lacks. A size of 0 is
 *           AT_ERR_USAGE. Structs that the library fills are reached by pointers and may be longer than in
 *           this header: do not copy them, or walk them as arrays, unless their comment allows it.
 * Ownership the caller closes or frees what a call returns, unless it is "borrowed". Arguments are borrowed
 *           for the call. Release all that came from a tuner before you close the tuner.
 * Threads   any number of threads may use one tuner at once; close it after all others have finished. Slow
 *           steps (a look-up in the store, a compilation) are done one at a time. A problem that has run
 *           before takes only a read lock. A forked process must not use what was opened before the fork;
 *           closing it there does nothing.
 * State     no global variables. Environment: AUTOTUNE_ALLOW, AUTOTUNE_CACHE, AUTOTUNE_CACHE_LIMIT,
 *           AUTOTUNE_DB, AUTOTUNE_HEADERS, AUTOTUNE_LOG_SHAPES, AUTOTUNE_NO_COMPILE, AUTOTUNE_NO_MODEL,
 *           AUTOTUNE_NO_SHIPPED, AUTOTUNE_NVRTC, AUTOTUNE_PACKS, CUDA_HOME, CUDA_PATH, CONDA_PREFIX,
 *           XDG_DATA_HOME, XDG_CACHE_HOME, HOME, PATH. Each is read at its first use;
 *           at_open_options.no_environment ignores them. Relative file names refer to the working directory
 *           at the time of at_open.
 */
#ifndef AUTOTUNE_AUTOTUNE_H
#define AUTOTUNE_AUTOTUNE_H

#include <autotune/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AT_VERSION_MAJOR  0
#define AT_VERSION_MINOR  1
#define AT_VERSION_PATCH  0
#define AT_VERSION_NUMBER (10000 * AT_VERSION_MAJOR + 100 * AT_VERSION_MINOR + AT_VERSION_PATCH)

/* The version of the library in use, which may be newer than this header. */
AUTOTUNE_API const char *at_version(void); /* "0.1.0" */
AUTOTUNE_API int at_version_number(void);  /* as AT_VERSION_NUMBER */

/* ---- problems ---- */

/* Element types. An op that only moves bits (transpose, copy) treats types of one size alike. */
typedef enum at_type {
    AT_TYPE_NONE = 0,
    AT_TYPE_U8 = 10,
    AT_TYPE_U16 = 11,
    AT_TYPE_U32 = 12,
    AT_TYPE_U64 = 13,
    AT_TYPE_I8 = 20,
    AT_TYPE_I16 = 21,
    AT_TYPE_I32 = 22,
    AT_TYPE_I64 = 23,
    AT_TYPE_F16 = 30,
    AT_TYPE_BF16 = 31,
    AT_TYPE_F32 = 32,
    AT_TYPE_F64 = 33,
    AT_TYPE_C64 = 40, /* two f32 */
    AT_TYPE_C128 = 41,
    AT_TYPE_BOOL = 45, /* a byte, 0 or 1 */
    /* Reserved: no op takes them yet; using one is AT_ERR_USAGE. */
    AT_TYPE_F8_E4M3 = 50,
    AT_TYPE_F8_E5M2 = 51,
    AT_TYPE_F8_E8M0 = 52,
    AT_TYPE_F6_E2M3 = 53,
    AT_TYPE_F6_E3M2 = 54,
    AT_TYPE_F4_E2M1 = 55
} at_type;

AUTOTUNE_API const char *at_type_name(at_type type); /* "f32"; "" for other numbers and reserved types */
AUTOTUNE_API int at_type_bits(at_type type);         /* 4, 6, 8, 16, 32, 64 or 128; 0 for other numbers */
/* "f32", also "float32", "float", "half" ... in any case. AT_ERR_INPUT lists the valid words. */
AUTOTUNE_API at_status at_type_parse(at_type *out, const char *text, at_error *err) AT_MUST_CHECK;

#define AT_MAX_SIZES      16
#define AT_MAX_PITCHES    8
#define AT_MAX_ALIGNMENTS 16
#define AT_MAX_RANK       16

/*
 * Two layouts of one index space, for ops that rearrange (permute). Each dimension has an extent and a stride
 * in the input and in the output, in elements; the dimensions may be in any order. Strides are 1 or more, and
 * different indices have different places in the output. An op may take fewer dimensions than AT_MAX_RANK
 * (permute: 8); dimensions that follow each other in both layouts count as one. Later versions add no
 * members.
 */
typedef struct at_layout {
    int rank;
    int64_t extents[AT_MAX_RANK], strides_in[AT_MAX_RANK], strides_out[AT_MAX_RANK];
} at_layout;

/*
 * The computation that is asked for:
 *
 *     at_problem problem = AT_PROBLEM_INIT;
 *     problem.op = "transpose";
 *     problem.type = AT_TYPE_F32;
 *     problem.size_count = 2;
 *     problem.sizes[0] = rows;
 *     problem.sizes[1] = cols;
 *
 * or { .struct_bytes = sizeof(at_problem), .op = "transpose", ... }, or at_problem_parse. The sizes are in
 * the order of a shape on the command line, 8x4096x128. Leading sizes with a default (a batch of 1) may be
 * left out. Elements of the arrays that the op does not use must be 0.
 */
typedef struct at_problem {
    size_t struct_bytes; /* sizeof(at_problem) */
    const char *op;
    at_type type;
    int size_count;
    int64_t sizes[AT_MAX_SIZES];
    int64_t pitches[AT_MAX_PITCHES]; /* leading dimensions in elements, in the op's order; 0: dense */
    /* Alignments of the buffers in bytes, in the op's order (transpose: in, out): powers of two from the
     * element's size to 256. 0: 256, except in at_run, which takes them from the addresses. */
    int64_t alignments[AT_MAX_ALIGNMENTS];
    /* For ops that rearrange, in place of sizes and pitches; ignored by all others. */
    at_layout layout;
} at_problem;

#define AT_PROBLEM_INIT                                                                                      \
    {                                                                                                        \
        sizeof(at_problem), NULL, AT_TYPE_NONE, 0, { 0 }, { 0 }, { 0 },                                      \
        {                                                                                                    \
            0, { 0 }, { 0 },                                                                                 \
            {                                                                                                \
                0                                                                                            \
            }                                                                                                \
        }                                                                                                    \
    }

/*
 * Makes the problem of permuting the dimensions of a dense, row-major array: output dimension i is input
 * dimension permutation[i]. Set out->struct_bytes first; all other members are overwritten. AT_ERR_INPUT:
 * `permutation` is not a permutation, or the array has no elements. A permutation that amounts to a transpose
 * or a copy is looked up and run as such.
 */
AUTOTUNE_API at_status at_permute(at_problem *out, at_type type, int rank, const int64_t *extents,
                                  const int *permutation, at_error *err) AT_MUST_CHECK;

/* ---- a tuner ---- */

typedef struct at_tuner at_tuner;

typedef struct at_open_options {
    size_t struct_bytes;   /* sizeof(at_open_options) */
    const char *database;  /* NULL: $AUTOTUNE_DB, else the default; see `autotune --help`               */
    const char *cache;     /* of compiled kernels; NULL: $AUTOTUNE_CACHE, else the default; "": no file */
    const char *templates; /* folder of more ops and templates, DIR/<op>/...; NULL: only those built in */
    int no_shipped;        /* 1: use only the database, not the built-in results; the same as the
                            environment variable AUTOTUNE_NO_SHIPPED=1                                  */
    /*
     * Above 0: when at_run or at_prepare first gets a problem without an exact result, it starts the program
     * `autotune` to tune it, and waits for it at most this many seconds of wall time plus one. The results
     * are stored in the database, which is created if it is missing. 0: never tune.
     */
    double tune_s;
    int tune_in_background; /* 1: at_run uses what is known until the tuning has finished               */
    /*
     * The executable of `autotune`. NULL: the first executable regular file of that name beside the shared
     * library, in ../bin or ../../bin from there, or in the folders of $PATH, except relative and empty
     * entries. The application's own folder and the working directory are not searched: an application that
     * is linked with the static library, or has loaded the shared one by a relative name, finds it only
     * in $PATH.
     */
    const char *program;
    const char *headers; /* folders of headers that kernels may include, "DIR:DIR", like the program's
                            `--headers`; NULL: $AUTOTUNE_HEADERS; "": none                              */
    const char *allow;   /* folders whose files `templates` may name, besides their own folder and the
                            working directory: "DIR:DIR"; NULL: $AUTOTUNE_ALLOW; "": none               */
    /*
     * Called with a line of text for each fault that does not stop the caller: files of `templates` that are
     * ignored, a cache that cannot be used, a configuration that does not work here, a tuning in the
     * background that failed. Called from any thread that uses the tuner and from the tuner's own thread; it
     * must not call the tuner, and must return soon. NULL: no such calls.
     */
    void (*log)(void *log_context, const char *text);
    void *log_context;
    /*
     * 1: ignore environment variables. What they would name comes from the options, or is not used: no
     * database, cache, headers or other folders; the built-in results and model answer; NVRTC is what the
     * loader finds, or that of /usr/local/cuda; `program` is searched beside the shared library only, and
     * gets no variable AUTOTUNE_.... HOME and XDG_CACHE_HOME are still read if `templates` names a folder:
     * its files must not name files of the home folder, and hashes of large files are cached.
     */
    int no_environment;
    /* A file to which at_run adds a line for each new problem, and, when the tuner is closed, how often each
     * was asked for; input of `autotune pack --shapes` and `autotune tune --shapes`. NULL:
     * $AUTOTUNE_LOG_SHAPES; "": none. AT_ERR_USAGE: it cannot be written. */
    const char *log_shapes;
    /*
     * Packs (few kernels of an op for all sizes, from `autotune pack`): files NAME.json or folders of them,
     * "PATH:PATH". NULL: $AUTOTUNE_PACKS; "": none. at_run and at_prepare use a pack's kernel for a problem
     * and device instead of compiling one, unless the problem's own winner is known, and if the winner cannot
     * be compiled or loaded. With tune_in_background they use it until the tuning has finished. Its kernels
     * are loaded once for all sizes. AT_ERR_INPUT: a file is not a pack, or its op or templates have changed.
     * If no packs are named, those installed with the shared library are used unless no_shipped is set: where
     * compiling is forbidden or has failed, with tune_in_background, and in the first calls of at_run,
     * outside of captures, for a problem with exact outputs, while a thread compiles its own kernel.
     */
    const char *packs;
    /* 1, or the environment variable AUTOTUNE_NO_COMPILE=1: at_run and at_prepare never compile or tune, as
     * with at_run_options.no_compile in each call. A kernel in no pack and not in the cache is
     * AT_ERR_NOT_FOUND. */
    int no_compile;
} at_open_options;

#define AT_OPEN_OPTIONS_INIT                                                                                 \
    {                                                                                                        \
        sizeof(at_open_options), NULL, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0   \
    }

/*
 * Opens the database read-only; options may be NULL. AT_ERR_NOT_FOUND: the file that `database` names does
 * not exist. A missing default file is not an error: this tuner then has no results of its own, even if the
 * file is created later. AT_ERR_STORE: the file is not a database of autotune, or one of a newer version, or
 * one of its tables cannot be read. AT_ERR_USAGE: an option is out of its range, or a folder of `headers` or
 * `allow` cannot be read. With tune_s no database needs to exist. The time that at_open takes does not depend
 * on what is stored: results are read by the look-ups that need them.
 *
 * Results that other processes store are seen by look-ups a tenth of a second later, and so is another
 * database that replaces this one by rename(2). If the new one cannot be read, look-ups fail with
 * AT_ERR_STORE until it can. To add to a database that is in use, run `autotune merge`: copying a file over
 * it, or putting one beside the -wal of another, damages it.
 *
 * The library has built-in winners (NVIDIA H200 and H100). Exact results of the database come first, then
 * exact built-in ones, then near results of both. Built-in results, operations and templates are read by the
 * first look-up that needs them, which takes some milliseconds at most.
 */
AUTOTUNE_API at_status at_open(at_tuner **out, const at_open_options *options, at_error *err) AT_MUST_CHECK;

/*
 * NULL is allowed. Kernels that at_run launched must have ended. Those of the current context are unloaded;
 * those of other contexts stay loaded until their context is destroyed. A program may end without it: exit()
 * waits for a running compilation, except for a tuner's first one in a thread of the program's own.
 */
AUTOTUNE_API void at_close(at_tuner *tuner);

/*
 * The files of `templates` that at_open ignored, and why, a line each: "file:line:column: what was found;
 * what was expected". A wrong template is ignored alone, a wrong op with its folder. "": none. Valid until
 * at_close.
 */
AUTOTUNE_API const char *at_warnings(const at_tuner *tuner);

/*
 * Reads a problem in the form of the command line and of shapes files, op, shape, type, words:
 * "transpose 8x4096x128 bf16", "transpose 4096x4096/4160x4352@16x4 f32", "cast_transpose 8x8 bf16 to=e5m2",
 * "permute 8x2048x3:2.0.1 f16". Set out->struct_bytes first; all other members are overwritten. out->op is
 * borrowed until at_close. AT_ERR_INPUT: "problem:1:COLUMN: what was found; what was expected".
 */
AUTOTUNE_API at_status at_problem_parse(at_problem *out, at_tuner *tuner, const char *text,
                                        at_error *err) AT_MUST_CHECK;

/* The declaration of an operation: the members that its problems have. */
typedef struct at_op {
    const char *name;           /* "transpose" */
    const char *about;          /* a short description; "" if its file has none */
    int size_count;             /* number of at_problem.sizes; 0 with takes_layout */
    const char *const *sizes;   /* their names, in the order of a shape */
    int takes_layout;           /* 1: at_problem.layout in place of sizes */
    int buffer_count;           /* number of buffers that at_run takes */
    const char *const *buffers; /* their names, in the order of at_run */
    int scalar_count;           /* number of scalars that at_run_options.scalars may set */
    const char *const *scalars; /* their names */
} at_op;

/* The i-th operation of the tuner, from 0 on. AT_ERR_NOT_FOUND: there are no more. Borrowed until at_close.
 */
AUTOTUNE_API at_status at_op_at(const at_op **out, at_tuner *tuner, int i, at_error *err) AT_MUST_CHECK;

/* ---- looking up ---- */

/*
 * The device of a look-up. A number ("0") is a GPU of this machine, in CUDA's order; this opens the driver.
 * Anything else is a device name, in any case: the full name, or whole words of it that no other known device
 * has ("H200"). A device without results needs its full name; with `arch` any name is accepted. AT_ERR_USAGE
 * lists the known names. AT_ERR_DEVICE: there is no such GPU.
 */
typedef struct at_target {
    size_t struct_bytes; /* sizeof(at_target)                                                   */
    const char *device;  /* NULL or "": the device of the newest result; without a database this machine's
                            GPU, else the device with the most built-in winners of the op       */
    const char *arch;    /* "sm_90", "9.0"; with "sm_90a", "sm_100f" at_compile may use instructions of that
                            architecture or family alone; NULL or "": that of the result        */
    int sms;             /* number of multiprocessors; 0: that of the result                    */
} at_target;

#define AT_TARGET_INIT                                                                                       \
    {                                                                                                        \
        sizeof(at_target), NULL, NULL, 0                                                                     \
    }

typedef enum at_match {
    AT_MATCH_NONE = 0,          /* nothing is known: a template's default; correct, but not measured        */
    AT_MATCH_OTHER_DEVICE = 10, /* the winner of another device, or the fastest that a model of that device
                                   predicts, since nothing similar was tuned on this one                    */
    AT_MATCH_PREDICTED = 20,    /* the fastest that a model of all trials predicts for this device          */
    AT_MATCH_NEAR = 30, /* the fastest configuration of another shape that is valid for this one; or the
                           fastest usable trial of this problem, whose winner is out of date, was found wrong
                           later or does not work on this machine */
    AT_MATCH_EXACT = 40 /* this problem was tuned on this device */
} at_match;

/* "exact", "near", "other_device", "none", "predicted"; "" for other numbers. */
AUTOTUNE_API const char *at_match_name(at_match match);

typedef enum at_role {
    AT_ROLE_NONE = 0,
    AT_ROLE_SCALAR = 1,
    AT_ROLE_INPUT = 2,
    AT_ROLE_OUTPUT = 3,
    AT_ROLE_INOUT = 4,
    AT_ROLE_SCRATCH = 5,   /* a buffer for intermediate results */
    AT_ROLE_TENSOR_MAP = 6 /* a CUtensorMap of a buffer; at_run and exported files encode it */
} at_role;

/* The place of a buffer's address in a struct that is passed by value. */
typedef struct at_pointer {
    int64_t offset; /* in the struct, in bytes     */
    int buffer;     /* index in at_found.buffers   */
} at_pointer;

/* An argument of a kernel: one of the operation, or a scalar or tensor map that the template adds. */
typedef struct at_arg {
    const char *name;
    at_role role;
    at_type type;     /* of the scalar, or of an element of the buffer                */
    int opaque;       /* 1: elements are only moved; any type of that size is allowed */
    int buffer;       /* index in at_found.buffers; -1: a scalar                      */
    int64_t bytes;    /* of the buffer; of a scalar: 1, 2, 4 or 8                     */
    int64_t elements; /* of the buffer; of a scalar: 1                                */
    int64_t value;    /* of a scalar: an integer, or the bits of a floating-point one */
    int64_t align;    /* of the buffer: its address is a multiple of this             */
    /* A struct by value is a scalar of AT_TYPE_NONE. These are its `bytes` bytes, with zeros where `pointers`
     * belong. NULL and 0 for all others. Elements that are structs are opaque, of AT_TYPE_NONE. */
    const unsigned char *contents;
    int pointer_count;
    const at_pointer *pointers;
} at_arg;

/* A launch of a kernel, for cuLaunchKernel, or for cuLaunchKernelEx if one of the last four members is not
 * 0. */
typedef struct at_launch {
    /* The name in the source, for nvrtcAddNameExpression: "tile", "ns::f<T, 32>". at_code has the name in
     * compiled code. */
    const char *kernel;
    int64_t grid[3], block[3];
    int64_t dynamic_shared_bytes; /* above 48 KiB set CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES first */
    int arg_count;
    const at_arg *const *args; /* in the kernel's order; launches may share arguments */
    int64_t cluster[3];        /* blocks of a cluster; 0: none, or those of __cluster_dims__ in the code. More
                                  than 8 blocks need CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED */
    int cooperative;           /* 1: CU_LAUNCH_ATTRIBUTE_COOPERATIVE */
    int programmatic;          /* 1: CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION */
    int carveout; /* 1 + CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT in percent; 0: not set */
} at_launch;

/* A variable of the code to which a buffer's arg->bytes bytes must be copied before the launches. */
typedef struct at_variable {
    const char *name; /* in the source; at_code has the name in compiled code */
    const at_arg *arg;
} at_variable;

/* A figure that a `metric` line of the op computes from a measurement. NaN: it has no value. */
typedef struct at_metric {
    const char *name;
    double value;
} at_metric;

/*
 * An answer. Texts are never NULL unless their comment says so; "" means none. Unknown doubles are NaN. A
 * copy of the struct may be used in place of the original until the original is closed; do not close the
 * copy.
 */
typedef struct at_found {
    const struct atx_found_parts *parts; /* the library's own; see Structs */
    at_match match;
    const char *why;     /* a sentence: the reason why the match is not exact                   */
    const char *warning; /* a fault that did not stop the call: a cache that cannot be used, or a better
                            configuration that does not compile or load here                      */

    const char *op, *shape, *type; /* the problem: "transpose", "4096x4096@16x4", "f32" */
    const char *device;            /* the device of the look-up; "" if unknown */
    const char *arch;              /* "sm_90", "sm_90a"; "" if unknown         */
    int sms;                       /* 0 if unknown                             */

    const char *template_name; /* NULL: there is no configuration, and all below is empty; see `why` */
    const char *config;        /* "TILE=32 BLOCK_ROWS=8"                                             */
    /* To compute the problem, fill the variables, then launch these in order on one stream. Launches, and
     * what they point to, live as long as this answer. */
    int launch_count;
    const at_launch *const *launches;
    int variable_count;
    const at_variable *const *variables;
    /* The buffers of at_run, in the order of the operation's arguments. */
    int buffer_count;
    const at_arg *const *buffers;

    /* The measurement that the configuration comes from. It is one of this problem if measured_shape and
     * measured_device are equal to `shape` and `device`. "" if a model chose the configuration. */
    const char *measured_device, *measured_shape, *measured_at; /* "2026-11-20T21:52:57Z" */
    double median_s;
    double gb_per_s;  /* 10^9 bytes per second that the op has to move */
    double ceiling_s; /* time of the fastest plain copy of the same bytes, or by the op's `rate` */
    /* The source of that measurement: "database", "shipped with autotune"; "": there is none. */
    const char *origin;
    double gflop_per_s; /* 10^9 operations per second, if the op counts them */
    /* In the order of their lines; none if the measurement is of another problem. */
    int metric_count;
    const at_metric *const *metrics;
    /* The time that a model predicts (AT_MATCH_PREDICTED, or AT_MATCH_NEAR if the model agrees), and the mean
     * loss of such answers against tuned ones (0.02: 2 %). NaN if no model has learned this device. */
    double expected_s, expected_loss;
} at_found;

/*
 * Looks a problem up for a device; target may be NULL. Returns the best stored answer, at most a tenth of a
 * second old. It takes a few microseconds for problems that were tuned or looked up before, and never tunes.
 * AT_OK also if nothing is known: then template_name is NULL if no template has a valid configuration, or if
 * the compute capability is unknown, because neither `target` nor a stored result has it. AT_ERR_INPUT: the
 * op does not exist, or the sizes do not suit it. AT_ERR_STORE: the database is damaged at these results.
 * Close *out with at_found_close.
 */
AUTOTUNE_API at_status at_find(at_found **out, at_tuner *tuner, const at_problem *problem,
                               const at_target *target, at_error *err) AT_MUST_CHECK;
AUTOTUNE_API void at_found_close(at_found *found); /* NULL is allowed */

/* ---- source and code ---- */

/* All kernels as one complete CUDA C++ text. Release with at_free. AT_ERR_NOT_FOUND: no configuration. */
AUTOTUNE_API at_status at_source(char **out, const at_found *found, at_error *err) AT_MUST_CHECK;
AUTOTUNE_API void at_free(void *memory); /* NULL is allowed */

typedef enum at_code_kind { AT_CODE_CUBIN = 1, AT_CODE_PTX = 2 } at_code_kind;

typedef struct at_compile_options {
    size_t struct_bytes; /* sizeof(at_compile_options) */
    /* Receives the compiler's whole log, also on failure (at_error has only its beginning). "" if it is
     * empty, or the code came from the cache. Release *log with at_free. NULL: not wanted. */
    char **log;
} at_compile_options;

#define AT_COMPILE_OPTIONS_INIT                                                                              \
    {                                                                                                        \
        sizeof(at_compile_options), NULL                                                                     \
    }

/* Compiled code, for cuModuleLoadData, and the names in it. */
typedef struct at_code {
    const void *data; /* PTX is text with a final zero that `bytes` does not count */
    size_t bytes;
    int kernel_count;           /* the answer's number of launches */
    const char *const *kernels; /* names for cuModuleGetFunction, in the order of launches; may repeat */
    int variable_count;
    const char *const *variables; /* names for cuModuleGetGlobal, in the order of the answer's variables */
} at_code;

/*
 * Compiles the kernels for found->arch, or takes the cubin from the cache. Needs no GPU; options may be NULL.
 * Close *out with at_code_close. AT_ERR_DEVICE: there is no NVRTC, or it does not support that architecture.
 * AT_ERR_INPUT: NVRTC rejected the source; the text has its message. The tuner then does not compile this
 * configuration again, and at_find answers with the next best.
 */
AUTOTUNE_API at_status at_compile(at_code **out, at_tuner *tuner, const at_found *found, at_code_kind kind,
                                  const at_compile_options *options, at_error *err) AT_MUST_CHECK;
/* NULL is allowed. May be called after the answer and the tuner are closed. */
AUTOTUNE_API void at_code_close(at_code *code);

/* ---- running ---- */

/* Memory of the device. Later versions add no members. */
typedef struct at_buffer {
    const void *address; /* the kernel writes to it if it is an output of the op */
    int64_t bytes;       /* size from there on; AT_ERR_USAGE if it is too small. 0: unknown, not checked */
} at_buffer;

/* A scalar of the operation and its value for one call. Later versions add no members. */
typedef struct at_scalar {
    const char *name;
    int64_t value; /* an integer, or the bits of a floating-point number of the scalar's type, as in at_arg */
} at_scalar;

typedef struct at_run_options {
    size_t struct_bytes; /* sizeof(at_run_options) */
    int no_compile;      /* 1: do not compile: AT_ERR_NOT_FOUND unless the kernel is loaded or in the cache */
    int no_tuning;       /* 1: do not tune, as without tune_s; use what is known                            */
    /* For at_run: values of scalars that are constants in the declaration (at_op.scalars: a factor, an
     * epsilon). AT_ERR_USAGE for scalars that follow from the sizes. */
    const at_scalar *scalars;
    int scalar_count;
    int attribute_count;
    /* For at_run: an array of CUlaunchAttribute that cuLaunchKernelEx gets at each launch. AT_ERR_DEVICE if
     * the driver rejects one. */
    const void *attributes;
    /* Set *cancel to another value than 0, from any thread or signal handler, to end a call that waits for a
     * tuning within a second, with AT_ERR_CANCELLED. A compilation is not interrupted. NULL: never. */
    const volatile int *cancel;
} at_run_options;

#define AT_RUN_OPTIONS_INIT                                                                                  \
    {                                                                                                        \
        sizeof(at_run_options), 0, 0, NULL, 0, 0, NULL, NULL                                                 \
    }

/*
 * Computes the problem with the best known configuration for the device of the CUDA context that is current
 * in this thread: launches on `stream` and returns. `stream` is a cudaStream_t or CUstream. NULL and
 * (void *)0x1 are the legacy default stream, (void *)0x2 is the default stream of this thread. options may be
 * NULL.
 *
 * `buffers` are memory of that device, in the order of at_found.buffers (transpose: out, in) and at least as
 * large. An output must not overlap another buffer. Addresses must be multiples of the element's size. The
 * alignment of each buffer, the largest power of two up to 256 that divides its address, belongs to the
 * problem: the best known kernel for that alignment runs. To prepare fewer kernels, limit the alignment with
 * problem->alignments: with { 4, 4 } all addresses are one problem. Buffers of an op that declares no
 * alignments (copy) must be aligned to 256 bytes, like memory from cudaMalloc; those of one element to its
 * size. AT_ERR_USAGE, before any launch: a buffer is NULL, not aligned or overlaps.
 *
 * If an input goes into a variable of the code (`input ... into NAME`), its buffer is copied to the variable
 * on `stream` before each launch. A context has one such variable: launches on several streams must not
 * overlap, unless they have the same contents there.
 *
 * The first call for a problem, alignment and context does what at_prepare does: it takes milliseconds if the
 * kernel is in the cache or an installed pack has one, else the time of a compilation. Later calls take well
 * under 2 microseconds before the launch, may be captured in a graph, and keep the configuration. Newer
 * results are seen by at_find, but by at_run only after at_renew.
 *
 * With tune_s the first call first tunes the problem, unless its answer is exact or the stream is being
 * captured. If tuning is not possible, fails, or does not end in time, the call uses the best known answer,
 * and the warning of at_prepare's answer gives the reason. This tuner does not try again. A problem that
 * several threads or processes need is tuned once; the others wait, at most tune_s. In the background
 * problems are tuned one after the other, and the model beside the database is trained between two of them
 * when there is enough to learn. The next call outside of a capture compiles and loads the result. at_close
 * ends the background within a second. No signal handler is set. `autotune` runs as a child that the library
 * waits for; it ends within seconds after this process and its forks without exec. Its results are kept.
 *
 * If the best known configuration does not compile, load or fit the device, the first call uses the next best
 * that does: first from the problem's own trials, then as at_find answers, then a template's default. The
 * warning of at_prepare's answer says so. A tuner tries at most twelve configurations, three of a template,
 * once each; if all fail, the error is that of the first.
 *
 * AT_MATCH_NONE also runs (at_prepare shows it): the result is correct, the speed was not measured.
 * AT_ERR_NOT_FOUND: no template has a valid configuration. AT_ERR_DEVICE: the driver or NVRTC is missing or
 * returned an error. AT_ERR_INPUT: NVRTC rejected all configurations that were tried.
 */
AUTOTUNE_API at_status at_run(at_tuner *tuner, const at_problem *problem, const at_buffer *buffers,
                              int buffer_count, void *stream, const at_run_options *options,
                              at_error *err) AT_MUST_CHECK;

/*
 * Does all of at_run except the launch: looks up, compiles, loads. *out is the answer that at_run uses,
 * borrowed until the tuner is closed; out may be NULL.
 */
AUTOTUNE_API at_status at_prepare(const at_found **out, at_tuner *tuner, const at_problem *problem,
                                  const at_run_options *options, at_error *err) AT_MUST_CHECK;

/*
 * Starts at_prepare in a thread of the library, for programs that must not wait for a compiler, and returns
 * at once. Preparations run one after the other; at_run of a problem that is not prepared waits for the
 * current one. The thread uses the caller's current CUDA context. The context and options->cancel must live
 * until at_prepare_finish; all other arguments are copied. Returns AT_ERR_USAGE for a missing context or a
 * wrong struct and AT_ERR_DEVICE without a driver; at_prepare_finish returns all other errors.
 */
typedef struct at_preparation at_preparation;
AUTOTUNE_API at_status at_prepare_start(at_preparation **out, at_tuner *tuner, const at_problem *problem,
                                        const at_run_options *options, at_error *err) AT_MUST_CHECK;

/* 1: at_prepare_finish will not wait. */
AUTOTUNE_API int at_prepare_is_done(const at_preparation *preparation);

/* Waits, returns the result of at_prepare and frees `preparation`. Call it once, before at_close. */
AUTOTUNE_API at_status at_prepare_finish(const at_found **out, at_preparation *preparation,
                                         at_error *err) AT_MUST_CHECK;

/*
 * Unloads all kernels that at_run and at_prepare loaded into the current context, for programs with ever-new
 * shapes. Each problem is prepared again at its next use. No other thread may be in at_run or at_prepare, and
 * all kernels must have ended. Answers of at_prepare stay valid.
 */
AUTOTUNE_API at_status at_forget(at_tuner *tuner, at_error *err) AT_MUST_CHECK;

/* Each problem is looked up again at its next use, and gets what was tuned since, also in a database that did
 * not exist before. Kernels stay loaded, and answers of at_prepare valid. Any thread. */
AUTOTUNE_API at_status at_renew(at_tuner *tuner, at_error *err) AT_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
