/*
 * declare.h - the declarations in the comment blocks of an op and of its templates.
 *
 * templates/reference.md documents the format for users; here is the result of reading it. Everything is
 * plain data after reading, owned by the atx_op or atx_template, and safe to share between threads.
 *
 * Slots. Every name that an expression may use has a slot in one array of int64_t. An op's names come first
 * (dimensions, "sizeof(T)", device limits, the op's lets); a template's names (parameters, their labels, its
 * lets and consts) follow, so that an array filled for a template also serves its op's expressions.
 */
#pragma once

#include "declare/dtype.h"
#include "declare/limits.h"
#include "declare/loops.h"
#include "declare/tensor_map.h"
#include "expr/expr.h"
#include "util/sha256.h"
#include "util/str.h"

#include <sys/stat.h>

/* Bytes that a buffer's address is a multiple of unless a problem says otherwise, as of cudaMalloc. */
#define ATX_FULL_ALIGN 256

/* Figures of the device for expressions: the names "device.<name>". */
typedef struct atx_limits {
    int64_t cc;  /* compute capability, 90 for 9.0        */
    int64_t sms; /* multiprocessors                       */
    int64_t warp_size;
    int64_t max_threads_per_block;
    int64_t max_shared_bytes;        /* per block, after opting in            */
    int64_t max_static_shared_bytes; /* per block, without opting in: 49152 */
    int64_t max_registers_per_block;
    int64_t max_grid_x;
    int64_t l2_bytes;
    int64_t memory_bytes;
} atx_limits;

/* Names by their slots. */
typedef struct atx_symbols {
    uint16_t begins[ATX_MAX_SLOTS]; /* of each in the text, where it has its final zero */
    uint8_t tags[ATX_MAX_SLOTS];    /* few names have the tag of another                */
    int count;
    atx_str text;
    atx_indices indices; /* names of none of them */
} atx_symbols;

static inline const char *atx_symbol_name(const atx_symbols *symbols, int slot)
{
    return symbols->text.data + symbols->begins[slot];
}

typedef struct atx_param {
    char name[ATX_MAX_NAME];
    char *meaning; /* "" when none was written                             */
    int64_t *values;
    char **labels; /* words for the values ("row_fast"), or NULL           */
    int count;
    int slot;
    int label_slot; /* slot of the first label's constant, -1 without labels */
    bool truth;     /* its words are true and false: 1 and 0                 */
    bool general;   /* `general`: kernels with one value are right for each: it is the launch's */
    bool absent;    /* no constant of the source: so a pack's kernel does not compile that names it */
    atx_where where;
} atx_param;

typedef struct atx_let {
    char name[ATX_MAX_NAME];
    char *meaning;
    atx_expr *expr;
    int slot;
    bool rendered; /* `const`: also a constant in the kernel's source */
    bool macro;    /* `define`: also a macro there                  */
    /* `general`: kernels with this value (any: with each) are right for sizes of which it is another. */
    bool general, any;
    int64_t general_value;
    atx_where where;
} atx_let;

typedef struct atx_require {
    atx_expr *expr;
    char *reason;    /* "" when none was written */
    int64_t implied; /* 1: it follows from another line. No byte is left over: images of it are equal */
    int64_t prefers; /* 1: `prefer`: where it does not hold kernels are right, but slow */
    atx_where where;
} atx_require;

/* Common code that a file names in its `use` lines, in their order. */
typedef struct atx_used {
    char names[ATX_MAX_USES][ATX_MAX_NAME];
    atx_where where[ATX_MAX_USES];
    int count;
} atx_used;

/* One file within a source, or the piece of one between two #include lines. */
typedef struct atx_part {
    char *file;     /* as messages and #line show it */
    int line, none; /* of the file, where the piece begins; 0, so that no byte of an image is left over */
    size_t begin, len;
} atx_part;

/* Paths that a template names, relative to its own folder. */
typedef struct atx_paths {
    char *items[ATX_MAX_FILES];
    atx_where where[ATX_MAX_FILES];
    bool device[ATX_MAX_FILES]; /* of a source: only the code that its kernels need (source/device_view.h) */
    int count;
} atx_paths;

/* An option of the compiler. Parameters in it are replaced by their values. */
typedef struct atx_compiler_option {
    char *text;     /* "-maxrregcount=REGS" */
    atx_expr *when; /* NULL: always         */
    atx_where where;
} atx_compiler_option;

/* A name that the declaration knows, which the kernel's source sees as a macro. */
typedef struct atx_define {
    char name[ATX_MAX_NAME];
    int slot; /* -1: T */
} atx_define;

/* The last three of a launch of a template only. */
typedef struct atx_launch {
    atx_expr *grid[3], *block[3]; /* NULL: 1       */
    atx_expr *shared;             /* dynamic bytes; NULL: 0 */
    atx_expr *cluster[3];         /* blocks of a cluster; the first NULL: none, another: 1 */
    atx_expr *cooperative;        /* not 0: all blocks are resident at once, and may wait for each other */
    atx_expr *programmatic;       /* not 0: it may begin before the launch in front of it has ended */
    atx_expr *carveout; /* percent of the L1 cache that is to be shared memory; NULL: the driver's choice */
} atx_launch;

/* All expressions of a launch, wherever each of them counts. */
#define ATX_LAUNCH_EXPRS 13
void atx_launch_exprs(atx_expr **out[ATX_LAUNCH_EXPRS], atx_launch *launch);

/* ATX_SCRATCH: a buffer for intermediate results, which is not checked. */
typedef enum atx_role { ATX_SCALAR, ATX_INPUT, ATX_OUTPUT, ATX_INOUT, ATX_SCRATCH } atx_role;

/* Whether there is a right answer of it. */
static inline bool atx_role_is_output(atx_role role)
{
    return role == ATX_OUTPUT || role == ATX_INOUT;
}

/* The contents of a buffer before a kernel runs; `how` is one of declare/data.h. */
typedef struct atx_input {
    bool stated;           /* false: the line says nothing, so bits                   */
    int how;               /* ATX_BITS ... ATX_FILE                                   */
    double low, high;      /* uniform: ends; normal: mean, deviation; constant: low; offsets: skew is low */
    atx_expr *from, *upto; /* range, prefix: both ends; index: upto is their number, no from; offsets: upto is
                              the total */
    char of[ATX_MAX_NAME]; /* columns, segments: the offsets that they go with, which are ... */
    int of_arg;            /* ... this argument, when all of the op was read           */
    char *file;            /* NumPy's, relative to the op's; NULL: none               */
    atx_where where;
} atx_input;

/* When an output is right; `rule` is one of declare/data.h. */
typedef struct atx_check {
    int rule;                  /* ATX_EXACT ... ATX_BY                               */
    double relative, absolute; /* ATX_ULP, ATX_NORM: `relative` is how much is allowed */
    char by[ATX_MAX_NAME];     /* ATX_BY: the kernel that validates                     */
    atx_where where;
} atx_check;

/* A number of a declaration: an expression, of a floating type counted with real numbers, or ... */
typedef struct atx_value {
    atx_expr *expr; /* NULL: ... */
    double real;    /* ... this  */
} atx_value;

/* A field of a struct, or of a struct in it: `pos.x`. */
typedef struct atx_field {
    char name[ATX_MAX_NAME];
    atx_dtype type;
    int64_t count;     /* of the numbers of that type: 9 of `f32 m[9]`            */
    int64_t offset;    /* in the struct, in bytes                                 */
    bool pointer;      /* the address of ...                                      */
    int arg;           /* ... this buffer argument of the op                      */
    atx_input input;   /* its contents in a buffer; by value, where it has no ... */
    atx_value *values; /* ... value: one for all, or `count` of them            */
    int64_t value_count;
    bool borrowed; /* input and values are those of another struct              */
    atx_where where;
} atx_field;

/* A type of several fields, as C lays them out. */
typedef struct atx_struct {
    char name[ATX_MAX_NAME];
    int64_t bytes, align;
    atx_field *fields;
    int field_count; /* 0: they are not known */
    size_t field_cap;
    int slot; /* of "sizeof(NAME)" */
} atx_struct;

/* One launch of a candidate. */
#define ATX_MAX_STEPS 4
typedef struct atx_step {
    char kernel[ATX_MAX_KERNEL]; /* its name, or a name expression: f<T, TILE>              */
    bool expression;             /* the compiler is asked for it by that expression         */
    int args[ATX_MAX_ARGS];      /* its arguments, in the kernel's order: see atx_template_arg */
    int arg_count;
    atx_launch launch;
} atx_step;

typedef struct atx_arg {
    char name[ATX_MAX_NAME];
    atx_role role;
    bool own_type;    /* `type` is its type, not the problem's T                 */
    atx_dtype type;   /* of a scalar always: none of c64 c128                    */
    int structure;    /* of which struct of the op's it is, from 1; 0: of a type  */
    int scalar_bytes; /* of a scalar: 1, 2, 4 or 8; of a struct by value its bytes */
    atx_expr *expr;   /* buffer: number of elements; scalar: its value, of a floating type computed with
                         real numbers; NULL: ... */
    double real;      /* ... this, of a floating type                            */
    int map;          /* of a template's own: which of its tensor maps it is, from 1; 0: none */
    bool zero;        /* output: begins as zeros                                 */
    atx_input input;
    char variable[ATX_MAX_NAME]; /* input: the kernel's variable that it goes into; "": a parameter */
    atx_check check;
    atx_where where;
} atx_arg;

/* A name for a type, besides T. */
typedef struct atx_named_type {
    char name[ATX_MAX_NAME];
    atx_dtype type;
    int slot; /* of "sizeof(NAME)" */
} atx_named_type;

/*
 * A difference between problems besides the size of a dimension. A cost of 1 is that of a factor of
 * two in one dimension; 0: not compared.
 */
typedef struct atx_near {
    int64_t narrow;       /* sizes of at most so many elements are narrow            */
    int64_t narrow_cost;  /* narrow in one problem only                              */
    int64_t aligned_cost; /* rows of it begin at multiples of another power of two */
} atx_near;

typedef struct atx_dim {
    char name[ATX_MAX_NAME];
    bool optional;
    int64_t value; /* when it is left out of a shape */
    /* Words for its sizes 1, 2, ...; word_count 0: it is a number. */
    char words[ATX_MAX_CHOICES][ATX_MAX_NAME];
    int word_count;
    int word_slot; /* of the first word's constant, NAME_word */
    atx_near near;
} atx_dim;

/*
 * A metric may read, besides the op's dimensions, sizes and lets, figures of one measured configuration.
 * Their slots, and those of the metrics above it, are behind the op's.
 */
typedef enum atx_figure {
    ATX_FIGURE_SECONDS,
    ATX_FIGURE_REGISTERS,
    ATX_FIGURE_SHARED_BYTES,
    ATX_FIGURE_SPILLED_BYTES,
    ATX_FIGURE_OPS,
    ATX_FIGURE_TRAFFIC,
    ATX_FIGURE_JOULES,
    ATX_FIGURES
} atx_figure;
extern const char *const atx_figure_names[ATX_FIGURES]; /* "median_s", ... */

#define ATX_FIGURE_SLOT       ATX_MAX_SLOTS
#define ATX_METRIC_SLOT       (ATX_FIGURE_SLOT + ATX_FIGURES)
#define ATX_METRIC_PARAM_SLOT (ATX_METRIC_SLOT + ATX_MAX_METRICS)
#define ATX_REAL_SLOTS        (ATX_METRIC_PARAM_SLOT + ATX_MAX_METRIC_PARAMS)

/* A parameter that metrics read, `param.NAME`; of which templates is known when these are. */
#define ATX_MAX_METRIC_PARAMS 16
typedef struct atx_metric_param {
    char name[ATX_MAX_NAME];
    atx_where where;
} atx_metric_param;

/* A figure of the user's; evaluated with atx_expr_eval_real (metric.h). */
typedef struct atx_metric {
    char name[ATX_MAX_NAME];
    char *meaning; /* "" when none was written */
    atx_expr *expr;
    atx_where where;
} atx_metric;

/* An array of an op's in a file. */
typedef struct atx_op_file {
    const char *name; /* as the declaration has it; borrowed from it */
    struct stat seen; /* when its contents were noted; st_ino 0: it was not there */
} atx_op_file;

/* Two dimensions that may be exchanged when problems are compared, and the cost of that. */
typedef struct atx_exchange {
    int dims[2];
    int64_t cost;
} atx_exchange;

/* A leading dimension: elements from one row to the next, where rows are `dims[dim]` elements. */
typedef struct atx_pitch {
    char name[ATX_MAX_NAME];
    int dim;
    int slot;
} atx_pitch;

/*
 * Problems that another operation solves as well: those where `when` holds. Sizes and pitches are the other
 * op's; alignments are those of the arguments of the same name.
 */
typedef struct atx_same {
    char op[ATX_MAX_NAME];
    atx_expr *sizes[ATX_MAX_DIMS], *pitches[ATX_MAX_PITCHES], *when;
    int size_count, pitch_count;
} atx_same;

/* The alignment of a buffer: a power of two, sizeof(T) to ATX_FULL_ALIGN bytes. */
typedef struct atx_align {
    char name[ATX_MAX_NAME];
    int arg;   /* an input, output or inout                                             */
    int pitch; /* where its rows begin: the pitch that its size is made with, -1: none */
    int slot;
} atx_align;

/*
 * An operation. After reading it has a dimension without default, an output or inout argument, a reference (a
 * kernel with a first grid and block expression, a file or a template) and a traffic; one that is recorded
 * may lack all but the first. Slots of its symbols: dims, sizeof(T), device limits; then pitches, strides,
 * lets and aligns as they are declared.
 */
typedef struct atx_op {
    char name[ATX_MAX_NAME];
    char *about;
    /* The members of its problems. */
    struct atx_op_shape {
        atx_dim dims[ATX_MAX_DIMS]; /* optional ones first, as in the shape */
        int dim_count;
        atx_pitch pitches[ATX_MAX_PITCHES];
        int pitch_count;
        int layout_count; /* 0, or 2: it has a stride for each dimension, in its input and in its output
                             (layout.h) */
        int stride_slots[ATX_MAX_LAYOUTS][ATX_MAX_DIMS];
        atx_same same[ATX_MAX_SAME];
        int same_count;
        atx_align aligns[ATX_MAX_ALIGNS];
        int align_count;
        atx_exchange exchanges[ATX_MAX_SWAPS];
        int exchange_count;
    } shape;
    bool storage;    /* types are storage: only the element size matters */
    unsigned types;  /* bit set of atx_dtype */
    bool recorded;   /* its kernels are not here: only a recording knows their times */
    bool by_default; /* problems that name no op are of this one; of a catalog's ops at most one */
    /* Names for its expressions, and its requirements. */
    struct atx_op_scope {
        atx_symbols symbols;
        atx_named_type named[ATX_MAX_TYPES];
        int named_count;
        atx_struct structs[ATX_MAX_STRUCTS];
        int struct_count;
        int sizeof_slot; /* "sizeof(T)" */
        int device_slot; /* first device limit, in the order of atx_limits */
        atx_let *lets;
        size_t let_count, let_cap;
        atx_require *requires;
        size_t require_count, require_cap;
    } scope;
    atx_arg args[ATX_MAX_ARGS];
    int arg_count;
    /* The right answer, and how outputs are compared with it. */
    struct atx_op_expected {
        atx_check check;              /* of outputs without one of their own */
        char reference[ATX_MAX_NAME]; /* kernel that is right, if slow; "": a file   */
        char *answer;                 /* ... NumPy's, of the one output; NULL: none  */
        atx_where answer_where;
        char trusted[ATX_MAX_NAME]; /* template that is right; "": none. Its launches are the reference's   */
        char *trusted_config; /* ... with these values, "TILE=32"; others have their defaults               */
        atx_where trusted_where;
        atx_launch launch; /* of the reference              */
        atx_loops loops;   /* around it                     */
    } expected;
    /* The objective of tuning, and its upper limit. */
    struct atx_op_goal {
        atx_expr *traffic; /* bytes that must be moved; NULL: unknown */
        atx_expr *ops;     /* operations that count for GFLOP/s; NULL: none */
        atx_metric metrics[ATX_MAX_METRICS];
        int metric_count;
        atx_metric_param metric_params[ATX_MAX_METRIC_PARAMS];
        int metric_param_count;
        int objective;                 /* 0: the time; else metrics[objective - 1] ...     */
        bool objective_max;            /* ... the larger the better                        */
        char *objective_text;          /* "max rate (rate = ops / seconds)"; "": the time  */
        char ceiling_op[ATX_MAX_NAME]; /* "" when none                 */
        atx_expr *ceiling_dims[ATX_MAX_DIMS];
        int ceiling_dim_count;
        atx_expr *peak; /* GFLOP/s that are the ceiling; NULL: none, or a problem. It has `ops` then */
    } goal;
    atx_used uses;
    /* Where it was read. */
    struct atx_op_text {
        char *source; /* a bundle (see declare_common.h): what it uses, then the whole file; terminated */
        size_t source_len;
        atx_part *parts; /* of the source: dependencies first, last the file itself */
        int part_count;
        char *headers; /* the note of headers.h; NULL: none */
        char *data;    /* notes of the contents of its files, a line each; NULL: none */
        atx_op_file files[ATX_MAX_ARGS + 1];
        int file_count;           /* 0 where it was not read from a folder */
        char *file;               /* as messages and #line show it */
        char hash[ATX_HASH_TEXT]; /* of the normalized source (normalized.h) ... */
        /* ... without its metrics and its objective, which choose among kernels that are right. */
        char proof_hash[ATX_HASH_TEXT];
    } text;
} atx_op;

/* One way to compute an op. Borrows the op, which must outlive it. */
typedef struct atx_template {
    const atx_op *op;
    char name[ATX_MAX_NAME];
    char *about;
    /* Names for its expressions, and its requirements. */
    struct atx_template_scope {
        atx_param params[ATX_MAX_PARAMS];
        int param_count;
        atx_symbols symbols; /* the op's, then the template's own */
        atx_let *lets;
        size_t let_count, let_cap;
        atx_require *requires;
        size_t require_count, require_cap;
        atx_expr *fixed; /* not 0: the op's scalar arguments are constants of the source; NULL: never */
        bool narrow;     /* not fixed: they are below 2^32, and buffers dense (render_narrow.c) */
        int64_t defaults[ATX_MAX_PARAMS]; /* of each parameter: `default` line, else its first value */
    } scope;
    struct atx_template_call {
        atx_step steps[ATX_MAX_STEPS]; /* its launches, in their order */
        int step_count;
        int all_args[ATX_MAX_ARGS]; /* of launches that do not say it */
        int all_arg_count;
        atx_arg *own; /* arguments besides the op's, which launches name */
        size_t own_count, own_cap;
        atx_tensor_map maps[ATX_MAX_MAPS]; /* of these */
        int map_count;
        atx_loops loops;
    } call;
    /* Input of the compiler besides the source. */
    struct atx_template_build {
        atx_paths sources, includes; /* files that are compiled as they are; folders of headers */
        bool define_all;             /* parameters and consts are macros, not constants         */
        atx_define defines[ATX_MAX_PARAMS];
        int define_count;
        atx_compiler_option options[ATX_MAX_OPTIONS];
        int option_count;
        char target[ATX_MAX_NAME]; /* "sm_90a sm_100f": code for these variants of their architectures;
                                      ATX_TARGET_SPECIFIC: for the 'a' of any; "": plain */
    } build;
    atx_used uses;
    char replaces[ATX_MAX_USES][ATX_MAX_NAME]; /* templates that it stands in for in packs */
    int replace_count;
    /* Where it was read. */
    struct atx_template_text {
        char *shared[ATX_MAX_SHARED]; /* files of common code whose declarations are here as well */
        int shared_count;
        char *source;
        size_t source_len;
        atx_part *parts;
        int part_count;
        char *headers; /* the note of headers.h; NULL: none */
        char *file;
        char hash[ATX_HASH_TEXT]; /* of the normalized source (normalized.h): its name in a store */
    } text;
    bool loaded; /* from an image (declare_image.h): in one piece, and what it points to besides is the
                    program's */
} atx_template;

/* Is the hash, of a row of a store or of a model, the template's? */
bool atx_template_has_hash(const atx_template *t, const char *hash);

struct atx_commons; /* see declare_common.h */

/*
 * Reads the op declared in source[0..len) (the first block that starts with `op`). The source is a file, or
 * a bundle as a store keeps it: then `file` (which is copied) and the places in messages are those of its
 * last part. AT_ERR_INPUT: "file:line:column: what was found; what was expected".
 */
at_status atx_op_read(atx_op **out, const char *source, size_t len, const char *file,
                      at_error *err) AT_MUST_CHECK;

/* The same for a file that may name common code. commons may be NULL. */
at_status atx_op_read_with(atx_op **out, const struct atx_commons *commons, const char *source, size_t len,
                           const char *file, at_error *err) AT_MUST_CHECK;
void atx_op_close(atx_op *op);

/*
 * Reads the template declared in source (the first block that starts with `template`), for this op. Of an
 * alignment that no expression of it reads it requires the full one, after its own requirements.
 */
at_status atx_template_read(atx_template **out, const atx_op *op, const char *source, size_t len,
                            const char *file, at_error *err) AT_MUST_CHECK;
at_status atx_template_read_with(atx_template **out, const atx_op *op, const struct atx_commons *commons,
                                 const char *source, size_t len, const char *file,
                                 at_error *err) AT_MUST_CHECK;

void atx_template_close(atx_template *t);

/* Does the source's own file contain a block of that kind ("op", "template")? Malformed blocks are no error.
 */
bool atx_declares(const char *source, size_t len, const char *kind);

/*
 * Whether this argument goes into a variable of the template's code: it declares one, and no launch takes it
 * as a parameter.
 */
bool atx_template_fills(const atx_template *t, int arg);

/* Does it compile a view of sources for the device? */
bool atx_template_views(const atx_template *t);

/* Whether a launch takes it as a parameter. */
bool atx_template_takes(const atx_template *t, int arg);

/* An argument that a launch takes, by its index: those of the op, behind them the template's own. */
static inline const atx_arg *atx_template_arg(const atx_template *t, int index)
{
    return index < t->op->arg_count ? &t->op->args[index] : &t->call.own[index - t->op->arg_count];
}

/* The struct that an argument is, or that its elements are; NULL: they are of a type. */
static inline const atx_struct *atx_arg_struct(const atx_op *op, const atx_arg *arg)
{
    return arg->structure ? &op->scope.structs[arg->structure - 1] : NULL;
}

/* NULL: there is none of that name. */
const atx_struct *atx_struct_find(const atx_op *op, const char *name, size_t len);

/* Whether a struct that is passed by value has the address of this buffer. */
bool atx_arg_is_pointed_at(const atx_op *op, int arg);

/* Of an argument, where T is this type. */
static inline atx_dtype atx_arg_type(const atx_arg *arg, atx_dtype t)
{
    return arg->own_type ? arg->type : t;
}

/* Bytes of an element of a buffer. */
static inline int atx_arg_element_bytes(const atx_op *op, const atx_arg *arg, atx_dtype t)
{
    const atx_struct *s = atx_arg_struct(op, arg);
    return s ? (int)s->bytes : atx_dtype_bytes(atx_arg_type(arg, t));
}

/* Whether its elements are opaque: T of an op that only moves bits. */
static inline bool atx_arg_is_storage(const atx_op *op, const atx_arg *arg)
{
    return op->storage && !arg->own_type;
}

/*
 * Whether a problem of this type can prove anything: AT_ERR_INPUT, with the place and what to write, where an
 * input of floating point has random bits that its line does not ask for, or they meet a tolerance.
 */
at_status atx_op_check_inputs(const atx_op *op, atx_dtype t, at_error *err) AT_MUST_CHECK;

/* The kernels that validate outputs, each once; at most ATX_MAX_STEPS. Names are borrowed. */
int atx_op_validators(const char *names[ATX_MAX_STEPS], const atx_op *op);

/* "within 0.001 relative 1e-05 absolute" */
void atx_check_text(char *out, size_t size, const atx_check *check);

at_status atx_symbols_copy(atx_symbols *out, const atx_symbols *from, at_error *err) AT_MUST_CHECK;
void atx_symbols_clear(atx_symbols *symbols);

/* Slot of a name, or -1. Usable as atx_scope.find with an atx_symbols as context. */
int atx_symbols_find(const void *symbols, const char *name, size_t len);

/* Whether C++, CUDA or autotune has this name, so that no declaration may give it a meaning. */
bool atx_name_is_reserved(const char *name);

/* Names and number of the device limits, in the order of atx_limits' members. */
extern const char *const atx_limit_names[];
enum { ATX_LIMIT_COUNT = 10 };
