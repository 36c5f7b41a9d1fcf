/*
 * declare.h - what the comment blocks of an op and of its templates declare.
 *
 * The format is documented for users in templates/reference.md. Here is what the reader makes of it.
 * Everything is plain data after reading, owned by the at__op or at__template, and safe to share between
 * threads.
 *
 * Slots. Every name that an expression may use has a slot in one array of int64_t. An op's names come first
 * (dimensions, "sizeof(T)", device limits, the op's lets); a template's names (parameters, their labels, its
 * lets and consts) follow, so that an array filled for a template also serves its op's expressions.
 */
#ifndef AUTOTUNE_DECLARE_H
#define AUTOTUNE_DECLARE_H

#include "declare/dtype.h"
#include "expr/expr.h"
#include "util/sha256.h"
#include "util/str.h"

#include <sys/stat.h>

#define AT__MAX_DIMS    8
#define AT__MAX_PITCHES 2
#define AT__MAX_ALIGNS  4
#define AT__MAX_TURNS   8
#define AT__MAX_CHOICES 8 /* of one dimension */
#define AT__MAX_LAYOUTS 2 /* of an op of laid out data: its input's and its output's */
#define AT__MAX_SIZES   (AT__MAX_DIMS * (1 + AT__MAX_LAYOUTS) + AT__MAX_PITCHES + AT__MAX_ALIGNS)
#define AT__MAX_SAME    4 /* other ops that some problems of an op are of */
#define AT__MAX_PARAMS  32
#define AT__MAX_VALUES  4096 /* of one parameter */
#define AT__MAX_ARGS    16
#define AT__MAX_SLOTS   256
#define AT__MAX_NAME    64  /* characters of a name, with the final zero */
#define AT__MAX_USES    16  /* files of common code that one file names */
#define AT__MAX_SHARED  64  /* files of common code whose declarations one template has */
#define AT__MAX_TYPES   4   /* named types of an op, besides T */
#define AT__MAX_FILES   8   /* in the `source` or `include` lines of a template */
#define AT__MAX_OPTIONS 16  /* for the compiler */
#define AT__MAX_METRICS 8   /* of an op */
#define AT__MAX_KERNEL  256 /* characters of a kernel's name expression, with the final zero */

/* Bytes that a buffer's address is a multiple of unless a problem says otherwise: what cudaMalloc gives. */
#define AT__FULL_ALIGN 256

/* What the runner may tell an expression about the device: the names "device.<name>". */
typedef struct at__limits {
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
} at__limits;

/* Names by their slots. */
typedef struct at__symbols {
    uint16_t begins[AT__MAX_SLOTS]; /* of each in the text, where it has its final zero */
    uint8_t tags[AT__MAX_SLOTS];    /* few names have the tag of another                */
    int count;
    at__str text;
    at__indices indices; /* names of none of them */
} at__symbols;

static inline const char *at__symbol_name(const at__symbols *symbols, int slot)
{
    return symbols->text.data + symbols->begins[slot];
}

typedef struct at__param {
    char name[AT__MAX_NAME];
    char *meaning; /* "" when none was written                             */
    int64_t *values;
    char **labels; /* words for the values ("row_fast"), or NULL           */
    int count;
    int slot;
    int label_slot; /* slot of the first label's constant, -1 without labels */
    bool truth;     /* its words are true and false: 1 and 0                 */
    at__where where;
} at__param;

typedef struct at__let {
    char name[AT__MAX_NAME];
    char *meaning;
    at__expr *expr;
    int slot;
    bool rendered; /* `const`: also a constant in the kernel's source */
    bool macro;    /* `define`: also a macro there                  */
    at__where where;
} at__let;

typedef struct at__require {
    at__expr *expr;
    char *reason; /* "" when none was written */
    at__where where;
} at__require;

/* Common code that a file names in its `use` lines, in their order. */
typedef struct at__used {
    char names[AT__MAX_USES][AT__MAX_NAME];
    at__where where[AT__MAX_USES];
    int count;
} at__used;

/* One file within a source, or the piece of one between two #include lines. */
typedef struct at__part {
    char *file; /* as messages and #line show it */
    int line;   /* of the file, where the piece begins */
    size_t begin, len;
} at__part;

/* Paths that a template names, relative to its own folder. */
typedef struct at__paths {
    char *items[AT__MAX_FILES];
    at__where where[AT__MAX_FILES];
    int count;
} at__paths;

/* An option of the compiler. Parameters that it names stand for their values. */
typedef struct at__compiler_option {
    char *text;     /* "-maxrregcount=REGS" */
    at__expr *when; /* NULL: always         */
    at__where where;
} at__compiler_option;

/* A name that the declaration knows, which the kernel's source sees as a macro. */
typedef struct at__define {
    char name[AT__MAX_NAME];
    int slot; /* -1: T */
} at__define;

typedef struct at__launch {
    at__expr *grid[3], *block[3]; /* NULL: 1       */
    at__expr *shared;             /* dynamic bytes; NULL: 0 */
} at__launch;

/* AT__SCRATCH: a buffer that a kernel may use as it likes, and that nobody looks at. */
typedef enum at__role { AT__SCALAR, AT__INPUT, AT__OUTPUT, AT__INOUT, AT__SCRATCH } at__role;

/* Whether there is a right answer of it. */
static inline bool at__role_is_output(at__role role)
{
    return role == AT__OUTPUT || role == AT__INOUT;
}

/* What a buffer holds before a kernel runs; `how` is one of declare/data.h. */
typedef struct at__input {
    bool stated;           /* false: the line says nothing, so bits                   */
    int how;               /* AT__BITS ... AT__FILE                                   */
    double low, high;      /* uniform: ends; normal: mean, deviation; constant: low   */
    at__expr *from, *upto; /* range: both ends; index: upto is their number, no from  */
    char *file;            /* NumPy's, relative to the op's; NULL: none               */
    at__where where;
} at__input;

/* When an output is right; `rule` is one of declare/data.h. */
typedef struct at__check {
    int rule;                  /* AT__EXACT ... AT__BY                               */
    double relative, absolute; /* AT__ULP, AT__NORM: `relative` is how much is allowed */
    char by[AT__MAX_NAME];     /* AT__BY: the kernel that judges                     */
    at__where where;
} at__check;

/* A launch behind the first one, of the same candidate. */
#define AT__MAX_STEPS 4 /* with the first */
typedef struct at__step {
    char kernel[AT__MAX_KERNEL];
    bool expression; /* as those of at__template */
    at__launch launch;
    int args[AT__MAX_ARGS];
    int arg_count;
} at__step;

typedef struct at__arg {
    char name[AT__MAX_NAME];
    at__role role;
    bool own_type;    /* `type` is its type, not the problem's T                 */
    at__dtype type;   /* of a scalar always: i32 i64 f16 bf16 f32 f64            */
    int scalar_bytes; /* of a scalar: 2, 4 or 8                                  */
    at__expr *expr;   /* buffer: number of elements; scalar: its value, NULL: .. */
    double real;      /* ... this, of a float                                    */
    bool zero;        /* output: begins as zeros                                 */
    at__input input;
    char
        variable[AT__MAX_NAME]; /* input: it goes into this one of a kernel's module; "": it is a parameter */
    at__check check;
    at__where where;
} at__arg;

/* A name for a type, besides T. */
typedef struct at__named_type {
    char name[AT__MAX_NAME];
    at__dtype type;
    int slot; /* of "sizeof(NAME)" */
} at__named_type;

/*
 * What tells problems apart that differ in a dimension, besides its size. A cost of 1 is that of a factor of
 * two in one dimension; 0: not compared.
 */
typedef struct at__near {
    int64_t narrow;       /* sizes of at most so many elements are narrow            */
    int64_t narrow_cost;  /* narrow in one problem only                              */
    int64_t aligned_cost; /* rows of it begin at multiples of another power of two */
} at__near;

typedef struct at__dim {
    char name[AT__MAX_NAME];
    bool optional;
    int64_t value; /* when it is left out of a shape */
    /* Words for its sizes 1, 2, ...; word_count 0: it is a number. */
    char words[AT__MAX_CHOICES][AT__MAX_NAME];
    int word_count;
    int word_slot; /* of the first word's constant, NAME_word */
    at__near near;
} at__dim;

/*
 * What a metric may read besides the op's dimensions, sizes and lets: figures of one measured configuration.
 * Their slots, and those of the metrics above it, are behind the op's.
 */
typedef enum at__figure {
    AT__FIGURE_SECONDS,
    AT__FIGURE_REGISTERS,
    AT__FIGURE_SHARED_BYTES,
    AT__FIGURE_SPILLED_BYTES,
    AT__FIGURE_OPS,
    AT__FIGURE_TRAFFIC,
    AT__FIGURE_JOULES,
    AT__FIGURES
} at__figure;
extern const char *const at__figure_names[AT__FIGURES]; /* "seconds", ... */

#define AT__FIGURE_SLOT       AT__MAX_SLOTS
#define AT__METRIC_SLOT       (AT__FIGURE_SLOT + AT__FIGURES)
#define AT__METRIC_PARAM_SLOT (AT__METRIC_SLOT + AT__MAX_METRICS)
#define AT__REAL_SLOTS        (AT__METRIC_PARAM_SLOT + AT__MAX_METRIC_PARAMS)

/* A parameter that metrics read, `param.NAME`; of which templates is known when these are. */
#define AT__MAX_METRIC_PARAMS 16
typedef struct at__metric_param {
    char name[AT__MAX_NAME];
    at__where where;
} at__metric_param;

/* A figure of the user's; evaluated with at__expr_eval_real (metric.h). */
typedef struct at__metric {
    char name[AT__MAX_NAME];
    char *meaning; /* "" when none was written */
    at__expr *expr;
    at__where where;
} at__metric;

/* An array of an op's in a file. */
typedef struct at__op_file {
    const char *name; /* as the declaration has it; borrowed from it */
    struct stat seen; /* when its contents were noted; st_ino 0: it was not there */
} at__op_file;

/* Two dimensions that may be exchanged when problems are compared, and what that costs. */
typedef struct at__turn {
    int dims[2];
    int64_t cost;
} at__turn;

/* A leading dimension: elements from one row to the next, where rows are `dims[dim]` elements. */
typedef struct at__pitch {
    char name[AT__MAX_NAME];
    int dim;
    int slot;
} at__pitch;

/*
 * Problems that another operation solves as well: those where `when` holds. Sizes and pitches are the other
 * op's; alignments are those of the arguments of the same name.
 */
typedef struct at__same {
    char op[AT__MAX_NAME];
    at__expr *sizes[AT__MAX_DIMS], *pitches[AT__MAX_PITCHES], *when;
    int size_count, pitch_count;
} at__same;

/* The alignment of a buffer: a power of two, sizeof(T) to AT__FULL_ALIGN bytes. */
typedef struct at__align {
    char name[AT__MAX_NAME];
    int arg;   /* an input, output or inout                                             */
    int pitch; /* where its rows begin: the pitch that its size is made with, -1: none */
    int slot;
} at__align;

/*
 * An operation. After reading it has a dimension without default, an output or inout argument, a reference (a
 * kernel with a first grid and block expression, a file or a template) and a traffic; one that is recorded
 * may lack all but the first. Slots of its symbols: dims, sizeof(T), device limits; then pitches, strides,
 * lets and aligns as they are declared.
 */
typedef struct at__op {
    char name[AT__MAX_NAME];
    char *about;
    at__dim dims[AT__MAX_DIMS]; /* optional ones first, as in the shape */
    int dim_count;
    at__pitch pitches[AT__MAX_PITCHES];
    int pitch_count;
    int layout_count; /* 0, or 2: it has a stride for each dimension, in its input and in its output
                         (layout.h) */
    int stride_slots[AT__MAX_LAYOUTS][AT__MAX_DIMS];
    at__same same[AT__MAX_SAME];
    int same_count;
    at__align aligns[AT__MAX_ALIGNS];
    int align_count;
    at__turn turns[AT__MAX_TURNS];
    int turn_count;
    bool storage;    /* types are storage: only the element size matters */
    unsigned types;  /* bit set of at__dtype */
    bool recorded;   /* its kernels are not here: only a recording knows their times */
    bool by_default; /* problems that name no op are of this one; of a catalog's ops at most one */
    at__symbols symbols;
    at__named_type named[AT__MAX_TYPES];
    int named_count;
    int sizeof_slot; /* "sizeof(T)" */
    int device_slot; /* first device limit, in the order of at__limits */
    at__let *lets;
    size_t let_count, let_cap;
    at__require *requires;
    size_t require_count, require_cap;
    at__arg args[AT__MAX_ARGS];
    int arg_count;
    at__check check;              /* of outputs without one of their own */
    char reference[AT__MAX_NAME]; /* kernel that is right, if slow; "": a file   */
    char *answer;                 /* ... NumPy's, of the one output; NULL: none  */
    at__where answer_where;
    char trusted[AT__MAX_NAME]; /* template that is right; "": none. Its launches are the reference's   */
    char *trusted_config; /* ... with these values, "TILE=32"; others have their defaults               */
    at__where trusted_where;
    at__launch launch; /* of the reference              */
    at__expr *traffic; /* bytes that must be moved; NULL: unknown */
    at__expr *ops;     /* operations that count for GFLOP/s; NULL: none */
    at__metric metrics[AT__MAX_METRICS];
    int metric_count;
    at__metric_param metric_params[AT__MAX_METRIC_PARAMS];
    int metric_param_count;
    int objective;                 /* 0: the time; else metrics[objective - 1] ...     */
    bool objective_max;            /* ... the larger the better                        */
    char *objective_text;          /* "max rate (rate = ops / seconds)"; "": the time  */
    char ceiling_op[AT__MAX_NAME]; /* "" when none                 */
    at__expr *ceiling_dims[AT__MAX_DIMS];
    int ceiling_dim_count;
    at__expr *peak; /* GFLOP/s that are the ceiling; NULL: none, or a problem. It has `ops` then */
    at__used uses;
    char *source; /* a bundle (see declare_common.h): what it uses, then the whole file; terminated */
    size_t source_len;
    at__part *parts; /* of the source: dependencies first, last the file itself */
    int part_count;
    char *headers; /* the note of headers.h; NULL: none */
    char *data;    /* notes of the contents of its files, a line each; NULL: none */
    at__op_file files[AT__MAX_ARGS + 1];
    int file_count;           /* 0 where it was not read from a folder */
    char *file;               /* as messages and #line show it */
    char hash[AT__HASH_TEXT]; /* of what the source means (meaning.h) ... */
    /* ... without its metrics and its objective, which choose among kernels that are right. */
    char proof_hash[AT__HASH_TEXT];
} at__op;

/* One way to compute an op. Borrows the op, which must outlive it. */
typedef struct at__template {
    const at__op *op;
    char name[AT__MAX_NAME];
    char *about;
    at__param params[AT__MAX_PARAMS];
    int param_count;
    at__symbols symbols; /* the op's, then the template's own */
    at__let *lets;
    size_t let_count, let_cap;
    at__require *requires;
    size_t require_count, require_cap;
    at__expr *fixed; /* not 0: the op's scalar arguments are constants of the source; NULL: never */
    at__launch launch;
    char kernel[AT__MAX_KERNEL]; /* its name, or a name expression: f<T, TILE> */
    bool expression;             /* the compiler is asked for it by that expression */
    int args[AT__MAX_ARGS];      /* what the kernel takes: arguments of the op, by their index */
    int arg_count;
    int all_args[AT__MAX_ARGS]; /* of launches that do not say it */
    int all_arg_count;
    at__step more[AT__MAX_STEPS -
                  1]; /* launches that follow, in their order; of all `launch` lines but the first */
    int more_count;
    at__paths sources, includes; /* files that are compiled as they are; folders of headers */
    bool define_all;             /* parameters and consts are macros, not constants         */
    at__define defines[AT__MAX_PARAMS];
    int define_count;
    at__compiler_option options[AT__MAX_OPTIONS];
    int option_count;
    int64_t defaults[AT__MAX_PARAMS]; /* a value of each parameter: `default` line, else its first value */
    at__used uses;
    char *shared[AT__MAX_SHARED]; /* files of common code whose declarations are here as well */
    int shared_count;
    char *source;
    size_t source_len;
    at__part *parts;
    int part_count;
    char *headers; /* the note of headers.h; NULL: none */
    char *file;
    char hash[AT__HASH_TEXT]; /* of what the source means (meaning.h): its name in a store */
    bool loaded; /* from an image (declare_image.h): in one piece, and what it points to besides is the
                    program's */
} at__template;

/* Is the hash, of a row of a store or of a model, the template's? */
bool at__template_has_hash(const at__template *t, const char *hash);

struct at__commons; /* see declare_common.h */

/*
 * Reads the op declared in source[0..len) (the first block that starts with `op`). The source is a file, or
 * a bundle as a store keeps it: then `file` (which is copied) and the places in messages are those of its
 * last part. AT_ERR_INPUT: "file:line:column: what was found; what was expected".
 */
at_status at__op_read(at__op **out, const char *source, size_t len, const char *file,
                      at_error *err) AT_MUST_CHECK;

/* The same for a file that may name common code. commons may be NULL. */
at_status at__op_read_with(at__op **out, const struct at__commons *commons, const char *source, size_t len,
                           const char *file, at_error *err) AT_MUST_CHECK;
void at__op_close(at__op *op);

/*
 * Reads the template declared in source (the first block that starts with `template`), for this op. Of an
 * alignment that no expression of it reads it requires the full one, after its own requirements.
 */
at_status at__template_read(at__template **out, const at__op *op, const char *source, size_t len,
                            const char *file, at_error *err) AT_MUST_CHECK;
at_status at__template_read_with(at__template **out, const at__op *op, const struct at__commons *commons,
                                 const char *source, size_t len, const char *file,
                                 at_error *err) AT_MUST_CHECK;

void at__template_close(at__template *t);

/* Does the source's own file contain a block of that kind ("op", "template")? Malformed blocks are no error.
 */
bool at__declares(const char *source, size_t len, const char *kind);

/*
 * Whether this argument goes into a variable of the template's code: it declares one, and no launch takes it
 * as a parameter.
 */
bool at__template_fills(const at__template *t, int arg);

/* Of an argument, where T is this type. */
static inline at__dtype at__arg_type(const at__arg *arg, at__dtype t)
{
    return arg->own_type ? arg->type : t;
}

/* Whether its elements are opaque: T of an op that only moves bits. */
static inline bool at__arg_is_storage(const at__op *op, const at__arg *arg)
{
    return op->storage && !arg->own_type;
}

/*
 * Whether a problem of this type can prove anything: AT_ERR_INPUT, with the place and what to write, where an
 * input of floating point has random bits and nobody asked for them, or they meet a tolerance.
 */
at_status at__op_check_inputs(const at__op *op, at__dtype t, at_error *err) AT_MUST_CHECK;

/* The kernels that judge outputs, each once; at most AT__MAX_STEPS. Names are borrowed. */
int at__op_referees(const char *names[AT__MAX_STEPS], const at__op *op);

/* "within 0.001 relative 1e-05 absolute" */
void at__check_text(char *out, size_t size, const at__check *check);

at_status at__symbols_copy(at__symbols *out, const at__symbols *from, at_error *err) AT_MUST_CHECK;
void at__symbols_clear(at__symbols *symbols);

/* Slot of a name, or -1. Usable as at__scope.find with an at__symbols as context. */
int at__symbols_find(const void *symbols, const char *name, size_t len);

/* Names and number of the device limits, in the order of at__limits' members. */
extern const char *const at__limit_names[];
enum { AT__LIMIT_COUNT = 10 };

#endif
