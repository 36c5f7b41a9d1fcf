/*
 * autotune.h - the fastest known kernel for a problem: looked up, rendered, compiled, launched.
 *
 * For programs that want what `autotune tune` has found. Look-ups need neither a GPU nor a driver nor NVRTC;
 * at_compile opens NVRTC; only at_run and at_prepare open the CUDA driver, and use the context that is
 * current in the calling thread.
 *
 * Units     seconds (double) where a name ends in _s, bytes where it ends in _bytes, otherwise counts.
 * Errors    every fallible call returns at_status and explains itself in *err, when err is not NULL. That
 *           nothing is known of a problem is an answer (AT_MATCH_NONE), never an error. On failure outputs
 *           keep the value they had. The library never prints and never exits, except that it aborts where
 *           a bug of its own would corrupt memory.
 * Structs   what a program fills begins with its size, struct_bytes, which AT_..._INIT sets. Zero the rest,
 *           as those do: what a later version adds means "as before" when it is 0. A program that was
 *           compiled with an older header, whose structs are shorter, runs with this library; one with a
 *           newer header does while it uses no member that this library lacks. A size of 0 is AT_ERR_USAGE.
 *           What the library fills is its own memory, reached by pointers, and may be longer than this
 *           header knows: read its members, and do not walk it as an array of structs.
 * Ownership what a call gives is closed or freed by the caller, unless it says "borrowed". Arguments are
 *           borrowed for the call. All that came from a tuner is released before the tuner is closed.
 * Threads   any number of threads may use one tuner at once; closing it is for one, after the others. Slow
 *           steps (a look-up in the store, a compilation) wait for each other; a problem that has run before
 *           takes a read lock only. A process must not use in a fork what it opened before; closing it there
 *           does nothing.
 * State     no global variables. Environment: AUTOTUNE_ALLOW, AUTOTUNE_CACHE, AUTOTUNE_CACHE_LIMIT,
 *           AUTOTUNE_DB, AUTOTUNE_HEADERS, AUTOTUNE_LOG_SHAPES, AUTOTUNE_NO_COMPILE, AUTOTUNE_NO_MODEL,
 *           AUTOTUNE_NO_SHIPPED, AUTOTUNE_NVRTC, AUTOTUNE_PACKS, CUDA_HOME, CUDA_PATH, CONDA_PREFIX,
 *           XDG_DATA_HOME, XDG_CACHE_HOME, HOME, PATH, all read on first use of what they name;
 *           at_open_options.no_environment keeps them out. Relative names of files are of the folder
 *           that the process is in at at_open.
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

/* Of the library that runs, which may be newer than this header. */
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
    /* Reserved: no op takes them yet, and questions about them are AT_ERR_USAGE. */
    AT_TYPE_F8_E4M3 = 50,
    AT_TYPE_F8_E5M2 = 51,
    AT_TYPE_F8_E8M0 = 52,
    AT_TYPE_F6_E2M3 = 53,
    AT_TYPE_F6_E3M2 = 54,
    AT_TYPE_F4_E2M1 = 55
} at_type;

AUTOTUNE_API const char *at_type_name(at_type type); /* "f32"; "" for what is no type, or reserved */
AUTOTUNE_API int at_type_bits(at_type type);         /* 4, 6, 8, 16, 32, 64 or 128; 0 for what is no type  */
/* "f32", also "float32", "float", "half" ... in any case. AT_ERR_INPUT lists the valid words. */
AUTOTUNE_API at_status at_type_parse(at_type *out, const char *text, at_error *err) AT_MUST_CHECK;

#define AT_MAX_SIZES      16
#define AT_MAX_PITCHES    8
#define AT_MAX_ALIGNMENTS 16
#define AT_MAX_RANK       16

/*
 * Two layouts of one index space, for ops that rearrange (permute): for each dimension, in any order, an
 * extent and its strides in the input and in the output, in elements. Strides are 1 or more, and an output
 * does not overlap itself. An op may take fewer dimensions than there is room for (permute: 8). A part of
 * at_problem, and so of its final size.
 */
typedef struct at_layout {
    int rank;
    int64_t extents[AT_MAX_RANK], strides_in[AT_MAX_RANK], strides_out[AT_MAX_RANK];
} at_layout;

/*
 * What is to be computed:
 *
 *     at_problem problem = AT_PROBLEM_INIT;
 *     problem.op = "transpose";
 *     problem.type = AT_TYPE_F32;
 *     problem.size_count = 2;
 *     problem.sizes[0] = rows;
 *     problem.sizes[1] = cols;
 *
 * or { .struct_bytes = sizeof(at_problem), .op = "transpose", ... }, or at_problem_parse. The sizes are those
 * of a shape as `autotune` takes it, 8x4096x128; leading ones that have a default (a batch of 1) may be left
 * out. Ops take fewer numbers than there is room for; what they do not take must be 0.
 */
typedef struct at_problem {
    size_t struct_bytes; /* sizeof(at_problem) */
    const char *op;
    at_type type;
    int size_count;
    int64_t sizes[AT_MAX_SIZES];
    int64_t pitches[AT_MAX_PITCHES]; /* leading dimensions in elements, in the op's order; 0: dense */
    /* Bytes that buffers are aligned to, in the op's order (transpose: in, out): powers of two from the
     * element's size to 256. 0: 256; to at_run, which sees the buffers: as they are. */
    int64_t alignments[AT_MAX_ALIGNMENTS];
    /* Of an op that rearranges, instead of sizes and pitches; not looked at for any other. */
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
 * The problem of a dense array, row-major, whose dimensions change places: output dimension i is input
 * dimension permutation[i]. AT_ERR_INPUT: no permutation, or no elements. Fills *out whole, of
 * which struct_bytes is set before; what is a transpose or a copy is looked up and run as one, whatever it is
 * called.
 */
AUTOTUNE_API at_status at_permute(at_problem *out, at_type type, int rank, const int64_t *extents,
                                  const int *permutation, at_error *err) AT_MUST_CHECK;

/* ---- a tuner ---- */

typedef struct at_tuner at_tuner;

typedef struct at_open_options {
    size_t struct_bytes;   /* sizeof(at_open_options) */
    const char *database;  /* NULL: $AUTOTUNE_DB, else the default; see `autotune --help`               */
    const char *cache;     /* of compiled kernels; NULL: $AUTOTUNE_CACHE, else the default; "": no file */
    const char *templates; /* folder of more ops and templates, DIR/<op>/...; NULL: those built in      */
    int no_shipped;        /* 1: the database alone answers, without the built-in results; so does the
                            environment variable AUTOTUNE_NO_SHIPPED=1                                  */
    /*
     * Above 0: at_run and at_prepare have a problem of which nothing exact is known tuned when they first
     * meet it, by the program `autotune` in a process of its own, and wait for that at most so many seconds
     * of wall time, and one more. What it finds is stored in the database, which is made when it is missing.
     * 0: never.
     */
    double tune_s;
    int tune_in_background; /* 1: at_run goes on with what is known, and then with what was found       */
    /*
     * The file of `autotune`. NULL: the first that is there, a regular file, and may be executed: beside the
     * shared library, in ../bin or ../../bin from there, then in the folders of $PATH, of which relative and
     * empty ones are left out. Never beside the application, nor in the folder that the process is in: an
     * application that is linked with the static library, or has loaded the shared one by a relative name,
     * has $PATH alone.
     */
    const char *program;
    const char *headers; /* folders of headers that kernels may include, "DIR:DIR", as `--headers` of the
                            program; NULL: $AUTOTUNE_HEADERS; "": none                                  */
    const char *allow;   /* folders that files of `templates` may name files of, besides their own and the
                            working directory: "DIR:DIR"; NULL: $AUTOTUNE_ALLOW; "": none               */
    /*
     * Is called with a line of text for whatever goes wrong without stopping: files of `templates` that are
     * left out, a cache that cannot be used, a configuration that does not work here, a tuning in the
     * background that failed. Any thread that uses the tuner calls it, and one of the tuner's own; it must
     * not call the tuner, and must return soon. NULL: no such calls.
     */
    void (*log)(void *log_context, const char *text);
    void *log_context;
    /*
     * 1: no environment variable counts. What they would name is then what the options name, or nothing: no
     * database, no cache, no headers, no other folders; winners and model of autotune answer; NVRTC is the
     * loader's, or that of /usr/local/cuda; `program` is beside the shared library. The program sees no
     * variable AUTOTUNE_.... Only where `templates` names a folder, HOME and XDG_CACHE_HOME are still read:
     * files of the home folder stay closed to it, and hashes of large files are kept there.
     */
    int no_environment;
    /* A file to which at_run adds a line for each problem that it is asked for, when it first is, and how
     * often, when the tuner is closed; `autotune pack --shapes` and `autotune tune --shapes` read it. NULL:
     * $AUTOTUNE_LOG_SHAPES; "": none. AT_ERR_USAGE: it cannot be written. */
    const char *log_shapes;
    /*
     * Packs, few kernels of an op for all sizes, as `autotune pack` writes them: files NAME.json or folders
     * of such, "PATH:PATH". NULL: $AUTOTUNE_PACKS; "": none. Where one has a kernel for a problem on the
     * device, at_run and at_prepare take it rather than compile, unless the problem's own winner is known;
     * and where that cannot be compiled or loaded. With tune_in_background it is what they go on with. Its
     * kernels are loaded once for all sizes. AT_ERR_INPUT: a file is no pack, or its op or templates have
     * changed since. Where none are named, those that are installed with the shared library answer where
     * nothing may be compiled, with tune_in_background, and where compiling or loading fails; no_shipped
     * leaves them out.
     */
    const char *packs;
    /* 1, or the environment variable AUTOTUNE_NO_COMPILE=1: at_run and at_prepare never compile nor tune, as
     * with at_run_options.no_compile in each call. What neither a pack nor the cache has is AT_ERR_NOT_FOUND.
     */
    int no_compile;
} at_open_options;

#define AT_OPEN_OPTIONS_INIT                                                                                 \
    {                                                                                                        \
        sizeof(at_open_options), NULL, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0   \
    }

/*
 * Opens the database read-only; options may be NULL. AT_ERR_NOT_FOUND: the file that `database` names does
 * not exist. That the default file does not exist is no error: then it has no answer, to any question, until
 * the tuner is opened again. AT_ERR_STORE: it is no database of autotune's, or a newer one's, or one of its
 * tables cannot be read. AT_ERR_USAGE: an option is out of its range, or a folder of `headers` or
 * `allow` cannot be read. With tune_s no database needs to exist. It takes as long whatever is stored:
 * results are read by the questions about them.
 *
 * What others store is seen by questions a tenth of a second later, and so is another database that takes the
 * place of this one by rename(2); where that cannot be read, they fail with AT_ERR_STORE until it can. To add
 * to a database that is in use, `autotune merge` is the safe way: a file that is copied over it, or is put
 * beside the -wal of another, is damaged.
 *
 * Below the database lie the built-in winners (NVIDIA H200 and H100), in the library's own
 * memory. The database's answer first where they are exact; else the shipped ones are exact, or near as its
 * own are. Of what is built in, they and operations and templates, what a question is about is read when it
 * is first asked: that one takes some milliseconds at most.
 */
AUTOTUNE_API at_status at_open(at_tuner **out, const at_open_options *options, at_error *err) AT_MUST_CHECK;

/*
 * NULL is allowed. Kernels that at_run launched must have ended. They are unloaded where their context is
 * the current one; elsewhere they stay loaded for as long as their context lives.
 */
AUTOTUNE_API void at_close(at_tuner *tuner);

/*
 * What at_open left out of the folder `templates`, and why, a line each: "file:line:column: what was found;
 * what was expected". A wrong file takes only itself out, one that declares an op its folder. "" when all is
 * well. Valid until at_close.
 */
AUTOTUNE_API const char *at_warnings(const at_tuner *tuner);

/*
 * Reads a problem as `autotune` takes it on a command line or in a line of a file: op, shape, type, words:
 * "transpose 8x4096x128 bf16", "transpose 4096x4096/4160x4352@16x4 f32", "cast_transpose 8x8 bf16 to=e5m2",
 * "permute 8x2048x3:2.0.1 f16". Fills *out whole, of which struct_bytes is set before; its op is the tuner's
 * text. AT_ERR_INPUT: "problem:1:COLUMN: what was found; what was expected".
 */
AUTOTUNE_API at_status at_problem_parse(at_problem *out, at_tuner *tuner, const char *text,
                                        at_error *err) AT_MUST_CHECK;

/* An operation as it is declared: what problems may be asked about. */
typedef struct at_op {
    const char *name;           /* "transpose" */
    const char *about;          /* what it computes, in a few words; "" when its file does not say */
    int size_count;             /* at_problem.sizes; 0 with takes_layout ... */
    const char *const *sizes;   /* ... and their names, in the order of a shape */
    int takes_layout;           /* 1: at_problem.layout instead of sizes */
    int buffer_count;           /* what at_run takes ... */
    const char *const *buffers; /* ... and their names, in its order */
    int scalar_count;           /* scalars that at_run_options may give a value ... */
    const char *const *scalars; /* ... and their names */
} at_op;

/* The i-th operation of the tuner, from 0 on. AT_ERR_NOT_FOUND: there are no more. Borrowed until at_close.
 */
AUTOTUNE_API at_status at_op_at(const at_op **out, at_tuner *tuner, int i, at_error *err) AT_MUST_CHECK;

/* ---- looking up ---- */

/*
 * The device that is asked for. A number ("0") is a GPU of this machine, as CUDA counts them, of which the
 * driver is asked. Anything else is a name: in full, in any case, or whole words of it that no other device
 * has of which something is known ("H200"). A device that nobody tuned on is named in full; with `arch` any
 * name will do. AT_ERR_USAGE lists the names, AT_ERR_DEVICE: there is no such GPU.
 */
typedef struct at_target {
    size_t struct_bytes; /* sizeof(at_target)                                                   */
    const char *device;  /* NULL or "": the one with the newest results; without a database this machine's, or
                            else that with the most shipped winners of the op                   */
    const char *arch;    /* "sm_90", "9.0"; "sm_90a", "sm_100f": at_compile makes code with what only that
                            architecture, or its family, has; NULL or "": that of the result    */
    int sms;             /* multiprocessors; 0: those of the result                             */
} at_target;

#define AT_TARGET_INIT                                                                                       \
    {                                                                                                        \
        sizeof(at_target), NULL, NULL, 0                                                                     \
    }

typedef enum at_match {
    AT_MATCH_NONE = 0,          /* nothing is known: a template's declared default; right, but not measured */
    AT_MATCH_OTHER_DEVICE = 10, /* it won on another device, or is what a model of that expects to be the
                                   fastest there: nothing near was tuned here                               */
    AT_MATCH_PREDICTED = 20,    /* what a model of all trials expects to be the fastest here                */
    AT_MATCH_NEAR = 30, /* it won, or was the fastest that is valid here, for another shape there; or its
                           winner is out of date, was found wrong since or does not work on this machine, and
                           this was the fastest trial of which that is not so */
    AT_MATCH_EXACT = 40 /* this problem was tuned on this device */
} at_match;

/* "exact", "near", "other_device", "none", "predicted"; "" for what is no match. */
AUTOTUNE_API const char *at_match_name(at_match match);

typedef enum at_role {
    AT_ROLE_NONE = 0,
    AT_ROLE_SCALAR = 1,
    AT_ROLE_INPUT = 2,
    AT_ROLE_OUTPUT = 3,
    AT_ROLE_INOUT = 4,
    AT_ROLE_SCRATCH = 5,   /* a buffer whose contents are the kernel's alone */
    AT_ROLE_TENSOR_MAP = 6 /* a CUtensorMap of a buffer, which at_run encodes, and an exported file shows */
} at_role;

/* In a struct that is passed by value: the address of a buffer. */
typedef struct at_pointer {
    int64_t offset; /* in the struct, in bytes     */
    int buffer;     /* of at_found's buffers       */
} at_pointer;

/* An argument of the operation, or a scalar or a tensor map of the configuration's own. */
typedef struct at_arg {
    const char *name;
    at_role role;
    at_type type;     /* of the scalar, or of an element of the buffer                */
    int opaque;       /* 1: elements are only moved, so any type of that size will do */
    int buffer;       /* its place in at_found's buffers; -1: a scalar                */
    int64_t bytes;    /* of the buffer; of a scalar: 1, 2, 4 or 8                     */
    int64_t elements; /* of the buffer; of a scalar: 1                                */
    int64_t value;    /* of a scalar: an integer, or the bits of a floating-point one */
    int64_t align;    /* of the buffer: it must begin at a multiple of these bytes    */
    /* A struct by value is a scalar of AT_TYPE_NONE and `bytes` bytes, these; where a buffer's address
     * belongs they are zero. Else NULL and 0. Elements that are structs are opaque, of AT_TYPE_NONE. */
    const unsigned char *contents;
    int pointer_count;
    const at_pointer *pointers;
} at_arg;

/* A launch of a kernel, as cuLaunchKernel takes it; where one of the last four members is not 0, as
 * cuLaunchKernelEx does. */
typedef struct at_launch {
    /* As nvrtcAddNameExpression takes it, with the names of at_source's text: "tile", "ns::f<T, 32>". In
     * compiled code its name is another one, which at_code has. */
    const char *kernel;
    int64_t grid[3], block[3];
    int64_t dynamic_shared_bytes; /* above 48 KiB the kernel must be told before */
    int arg_count;
    const at_arg *const *args; /* in the kernel's order; several launches may share one */
    int64_t cluster[3]; /* blocks of a cluster; 0: none, but those of the code's own __cluster_dims__. More
                           than 8 blocks need CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED */
    int cooperative;    /* 1: CU_LAUNCH_ATTRIBUTE_COOPERATIVE */
    int programmatic;   /* 1: CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION */
    int carveout;       /* 1 + CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT in percent; 0: not set */
} at_launch;

/* A variable of the code, which holds what a buffer does when a kernel is launched: copy arg->bytes there. */
typedef struct at_variable {
    const char *name; /* in the source; in compiled code at_code has it */
    const at_arg *arg;
} at_variable;

/* A figure that the op makes of a measurement, by a `metric` line of its own. NaN: it has no value. */
typedef struct at_metric {
    const char *name;
    double value;
} at_metric;

/*
 * An answer. Text is never NULL, and "" when there is nothing to say, except where it says otherwise; a
 * double that is not known is NaN. A copy is as good as the original while that is open, and is not closed
 * itself.
 */
typedef struct at_found {
    const struct atx_found_parts *parts; /* the library's own; see Structs */
    at_match match;
    const char *why;     /* why it is not an exact match: a sentence                            */
    const char *warning; /* what went wrong without stopping: a cache that cannot be used, or a better
                            configuration that does not compile or load here                      */

    const char *op, *shape, *type; /* the question: "transpose", "4096x4096@16x4", "f32" */
    const char *device;            /* the device it was answered for; "" when not known */
    const char *arch;              /* "sm_90", "sm_90a"; "" when not known            */
    int sms;                       /* 0 when not known                                 */

    const char *template_name; /* NULL: no configuration, and nothing below but what is ""; see why */
    const char *config;        /* "TILE=32 BLOCK_ROWS=8"                                             */
    /* One after the other on one stream compute the problem, after the variables are filled. Launches, and
     * what they point to, live as long as this answer. */
    int launch_count;
    const at_launch *const *launches;
    int variable_count;
    const at_variable *const *variables;
    /* What at_run takes, in its order: that of the operation's arguments. */
    int buffer_count;
    const at_arg *const *buffers;

    /* The measurement that the configuration comes from; of the problem itself where measured_shape is its
     * shape and measured_device the device. "" where a model chose it. */
    const char *measured_device, *measured_shape, *measured_at; /* "2026-11-20T21:52:57Z" */
    double median_s;
    double gb_per_s;  /* 10^9 bytes that the op had to move, a second */
    double ceiling_s; /* the best plain copy of the same bytes, or the op's rate */
    /* Where that measurement is from: "database", "shipped with autotune"; "": there is none. */
    const char *origin;
    double gflop_per_s; /* 10^9 operations a second, where the op counts them */
    /* In the order of their lines; none where the measurement is not of this very problem. */
    int metric_count;
    const at_metric *const *metrics;
    /* The time that a model expects (AT_MATCH_PREDICTED, or AT_MATCH_NEAR where it agrees), and how much
     * slower than tuned such answers are in the mean, 0.02: 2 %. Else NaN: no model knows this device. */
    double expected_s, expected_loss;
} at_found;

/*
 * Looks a problem up for a device; target may be NULL. The best that the store knows, at most a tenth of a
 * second old; a few microseconds for what was tuned or asked before. It tunes nothing, whatever tune_s is.
 * AT_OK also when nothing is known; template_name is NULL then only if no template has a valid configuration,
 * or no compute capability is known: `target` has none, and no stored result fits that would tell one.
 * AT_ERR_INPUT: no such op, or the sizes do not suit it. AT_ERR_STORE: what the database has of it cannot be
 * read, since it is damaged there. Close *out with at_found_close.
 */
AUTOTUNE_API at_status at_find(at_found **out, at_tuner *tuner, const at_problem *problem,
                               const at_target *target, at_error *err) AT_MUST_CHECK;
AUTOTUNE_API void at_found_close(at_found *found); /* NULL is allowed */

/* ---- source and code ---- */

/* All kernels as CUDA C++, complete in one text. Release with at_free. AT_ERR_NOT_FOUND: no configuration. */
AUTOTUNE_API at_status at_source(char **out, const at_found *found, at_error *err) AT_MUST_CHECK;
AUTOTUNE_API void at_free(void *memory); /* NULL is allowed */

typedef enum at_code_kind { AT_CODE_CUBIN = 1, AT_CODE_PTX = 2 } at_code_kind;

typedef struct at_compile_options {
    size_t struct_bytes; /* sizeof(at_compile_options) */
    /* Where the compiler's whole log goes, whether it takes the source or not: an error's text is cut. ""
     * when it says nothing, or when the code came from the cache. Release *log with at_free. NULL: nowhere.
     */
    char **log;
} at_compile_options;

#define AT_COMPILE_OPTIONS_INIT                                                                              \
    {                                                                                                        \
        sizeof(at_compile_options), NULL                                                                     \
    }

/* Compiled code, for cuModuleLoadData, and the names in it. */
typedef struct at_code {
    const void *data; /* PTX is text, and ends with a zero that `bytes` does not count */
    size_t bytes;
    int kernel_count;           /* as many as the answer has launches ... */
    const char *const *kernels; /* ... and in their order, for cuModuleGetFunction; one may be there twice */
    int variable_count;
    const char *const *variables; /* likewise of its variables, for cuModuleGetGlobal */
} at_code;

/*
 * Compiles the kernels for found->arch, without a GPU; options may be NULL; cubins come from the cache when
 * they are there. Close *out with at_code_close. AT_ERR_DEVICE: no NVRTC, or it does not know that compute
 * capability. AT_ERR_INPUT: it refused the source; the text has its words. The tuner remembers that: it does
 * not compile it again, and at_find answers with the next best from then on.
 */
AUTOTUNE_API at_status at_compile(at_code **out, at_tuner *tuner, const at_found *found, at_code_kind kind,
                                  const at_compile_options *options, at_error *err) AT_MUST_CHECK;
/* NULL is allowed. The answer and the tuner may be closed before. */
AUTOTUNE_API void at_code_close(at_code *code);

/* ---- running ---- */

/* Memory of the device. Has its final size. */
typedef struct at_buffer {
    const void *address; /* written where the op says so */
    int64_t bytes; /* from there on; fewer than the op needs are AT_ERR_USAGE. 0: not told, not checked */
} at_buffer;

/* A scalar of the operation that has another value in this call than in its declaration. Has its final size.
 */
typedef struct at_scalar {
    const char *name;
    int64_t value; /* an integer, or the bits of a floating-point number of the scalar's type, as in at_arg */
} at_scalar;

typedef struct at_run_options {
    size_t struct_bytes; /* sizeof(at_run_options) */
    int no_compile; /* 1: a kernel that is neither loaded nor in the cache is AT_ERR_NOT_FOUND, not compiled
                     */
    int no_tuning; /* 1: as without tune_s: goes on with what is known                                      */
    /* For at_run: scalars that are a number in the declaration (at_op's `scalars`: a factor, an epsilon).
     * What follows from sizes cannot be given: AT_ERR_USAGE. */
    const at_scalar *scalars;
    int scalar_count;
    int attribute_count;
    /* For at_run: a CUlaunchAttribute array, as cuLaunchKernelEx takes it for each launch. The driver says
     * what it does not take: AT_ERR_DEVICE. */
    const void *attributes;
    /* Not 0: a call that waits for a tuning ends within a second, with AT_ERR_CANCELLED; any thread or signal
     * handler may set it. A compilation that has begun goes on. NULL: nobody does. */
    const volatile int *cancel;
} at_run_options;

#define AT_RUN_OPTIONS_INIT                                                                                  \
    {                                                                                                        \
        sizeof(at_run_options), 0, 0, NULL, 0, 0, NULL, NULL                                                 \
    }

/*
 * Computes the problem with the best known configuration for the device of the CUDA context that is current
 * in this thread: launches on `stream` and returns. `stream` is a cudaStream_t or CUstream; NULL is the
 * legacy default stream, and so is (void *)0x1; (void *)0x2 is the default stream of this thread. options may
 * be NULL.
 *
 * `buffers` are memory of that device, one for each buffer argument of the op in the op's order, which
 * at_found's `buffers` tells (transpose: out, in). Each must have room for the bytes that those tell, and an
 * output must overlap no other. They may begin anywhere that suits the element: their alignment, the largest
 * power of two up to 256 that divides the address, is a part of the problem, and the kernel is the best known
 * one that takes it. problem->alignments says that more is not to be counted on, so that fewer kernels are
 * prepared: { 4, 4 } is one problem wherever buffers begin. Of an op that declares no alignments (copy)
 * buffers must be aligned to 256 bytes, as cudaMalloc does. AT_ERR_USAGE, and nothing is launched, when one
 * is NULL, not aligned that far, or overlapping.
 *
 * Of an input that goes into a variable of the kernel's code (`input ... into NAME`) the buffer is copied
 * there on `stream` before each launch. There is one such variable in a context: launches on several streams
 * must not overlap, unless it holds the same in all of them.
 *
 * The first call for a problem, alignment and context does what at_prepare does: milliseconds from the cache,
 * else the time of a compilation. Later calls spend well under 2 microseconds before the launch, may be
 * captured in a graph, and keep the configuration: at_find sees later results, at_run those of a tuner opened
 * later.
 *
 * With tune_s that first call tunes the problem before, unless the answer is exact, or the stream is being
 * captured: then, and when tuning fails, is over its time, or another process tunes it and is not ready in
 * time, it goes on with what is known, and the warning of at_prepare's answer says why. This tuner does not
 * try again. Threads and processes that need one problem tune it once; the others wait, for tune_s at most.
 * In the background problems are tuned one after the other; the next call outside of a capture compiles and
 * loads what was found. Between two of them the model beside the database learns where that pays. at_close
 * ends it within a second. No signal handler is set. The program is a child that the library waits for; it
 * ends within seconds after this process and all that it forked without exec. What was measured is kept.
 *
 * Where the best known configuration does not compile, does not load or does not fit the device, the first
 * call goes on with the next best that works: of the problem's own trials, then as at_find does, then a
 * template's default. The warning of at_prepare's answer says so. A tuner tries at most twelve, three of a
 * template, once each; then the error is the first one's.
 *
 * AT_MATCH_NONE runs too (at_prepare tells): right, but with a speed that nobody measured. AT_ERR_NOT_FOUND:
 * no template has a valid configuration. AT_ERR_DEVICE: the driver or NVRTC is missing, or said no.
 * AT_ERR_INPUT: NVRTC refused all that was tried.
 */
AUTOTUNE_API at_status at_run(at_tuner *tuner, const at_problem *problem, const at_buffer *buffers,
                              int buffer_count, void *stream, const at_run_options *options,
                              at_error *err) AT_MUST_CHECK;

/*
 * Everything of at_run but the launch: looks up, compiles, loads. *out (may be NULL) tells what at_run uses;
 * it is borrowed until the tuner closes.
 */
AUTOTUNE_API at_status at_prepare(const at_found **out, at_tuner *tuner, const at_problem *problem,
                                  const at_run_options *options, at_error *err) AT_MUST_CHECK;

/*
 * at_prepare in a thread of the library, for programs that must not wait for a compiler. It returns at once;
 * preparations run one after the other. at_run of a problem that is not prepared waits for the one under way.
 * The current CUDA context is used there. It and options->cancel must live until at_prepare_finish; all else
 * is copied. At once come AT_ERR_USAGE of a missing context or a struct and AT_ERR_DEVICE without a driver;
 * at_prepare_finish returns all other errors.
 */
typedef struct at_preparation at_preparation;
AUTOTUNE_API at_status at_prepare_start(at_preparation **out, at_tuner *tuner, const at_problem *problem,
                                        const at_run_options *options, at_error *err) AT_MUST_CHECK;

AUTOTUNE_API int at_prepare_is_done(
    const at_preparation *preparation); /* 1: at_prepare_finish will not wait */

/* Waits, returns what at_prepare would, and frees it. Once for each, before the tuner is closed. */
AUTOTUNE_API at_status at_prepare_finish(const at_found **out, at_preparation *preparation,
                                         at_error *err) AT_MUST_CHECK;

/*
 * Unloads all kernels that at_run and at_prepare loaded into the current context, for programs that meet
 * ever-new shapes. What runs next is prepared again. No other thread may be in at_run or at_prepare, and
 * kernels must have ended. Answers of at_prepare stay readable.
 */
AUTOTUNE_API at_status at_forget(at_tuner *tuner, at_error *err) AT_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
