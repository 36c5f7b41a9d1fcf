/*
 * pack.h - few kernels for every size of an operation, chosen by a few comparisons, nothing compiled at run
 * time.
 *
 * A domain says which sizes a program may ask for. Problems are drawn from it; of each, a model tells how
 * much slower than the best every candidate is expected to be. Kernels are chosen so that the mean of that
 * over the problems is least (pack_choose.c), then a tree of comparisons on sizes and alignments says which
 * kernel is tried first (pack_tree.c). A kernel runs only where its own requirements hold for the very sizes:
 * the written C evaluates them, so a wrong guess of the tree costs time and never a result. Problems that
 * were not used for choosing tell what the pack loses.
 *
 * A kernel is a configuration in its general form: sizes are arguments, not constants (`fixed` is off). What
 * of the sizes is still a constant of its source (`const`) is one of the conditions under which it runs.
 *
 * One thread uses a pack at a time. Strings and pointers are borrowed from catalog and predictor, which must
 * outlive it.
 */
#pragma once

#include "lang/shapes.h"
#include "lookup/lookup.h"
#include "model/model.h"
#include "util/str.h"

#define ATX_PACK_MAX_KERNELS  32
#define ATX_PACK_MAX_CONSTS   32   /* of one kernel's source */
#define ATX_PACK_MAX_PROBLEMS 4096 /* that are drawn to choose by */

#define ATX_PACK_MAX_RANGES 32 /* of one size */

/* A size lies in one of these. */
typedef struct atx_pack_ranges {
    atx_bounds items[ATX_PACK_MAX_RANGES];
    int count;
} atx_pack_ranges;

/* What a program may ask for, with dense buffers: sizes of these ranges, or problems with how often it asks
 * for each. */
typedef struct atx_pack_domain {
    const atx_op *op;
    atx_dtype type;
    atx_pack_ranges dims[ATX_MAX_DIMS]; /* of listed problems: what they lie between */
    atx_problem *problems;              /* NULL: ranges */
    int64_t *calls;                     /* of each, and of those before it */
    int problem_count;
} atx_pack_domain;

/*
 * Reads "rows=1..65536", "cols=4096"; a word without a name is one more range of the size before it, as in
 * "rows=1", "2", "4..64". A dimension that has a default and is not named has that one. AT_ERR_USAGE: another
 * name, a missing dimension, an empty range. AT_ERR_INPUT: the operation cannot be packed, and why.
 */
at_status atx_pack_domain_read(atx_pack_domain *out, const atx_op *op, atx_dtype type,
                               const char *const *words, int count, at_error *err) AT_MUST_CHECK;

/* The problems of a file (lang/shapes.h) that are of this operation, and of a type that it treats alike.
 * AT_ERR_INPUT: there are none, or one has no dense buffers. */
at_status atx_pack_domain_list(atx_pack_domain *out, const atx_op *op, atx_dtype type,
                               const atx_shapes *shapes, const char *file, at_error *err) AT_MUST_CHECK;
void atx_pack_domain_clear(atx_pack_domain *domain);

/* Whether all whole scalars of its operation are below 2^32. */
bool atx_pack_is_narrow(const atx_pack_domain *domain);

bool atx_pack_is_within(const atx_pack_ranges *ranges, int64_t size);

/* "1,2,16..64" */
void atx_pack_add_ranges(atx_str *out, const atx_pack_ranges *ranges);

typedef struct atx_pack_kernel {
    const atx_template *t;
    atx_config config;
    int64_t consts[ATX_PACK_MAX_CONSTS]; /* values of the template's rendered lets, in their order */
    atx_problem example;                 /* one that it is valid for */
    bool narrow; /* its source takes scalars for numbers below 2^32; it runs for no others */
} atx_pack_kernel;

/* A comparison, or a leaf. */
typedef enum atx_pack_test {
    ATX_PACK_LEAF,
    ATX_PACK_AT_MOST, /* size `which` <= value; -1: the product of all sizes, -2: of all but the first, ... */
    ATX_PACK_MULTIPLE /* size `which` % value == 0 */,
    ATX_PACK_ALIGNED /* alignment `which` >= value */
} atx_pack_test;

typedef struct atx_pack_node {
    atx_pack_test test;
    int which;
    int64_t value;
    int yes, no;                               /* nodes */
    unsigned char order[ATX_PACK_MAX_KERNELS]; /* of a leaf: kernels, the fastest expected first */
    double loss;                               /* of a leaf: mean, of the problems it was grown on */
    int problems;
} atx_pack_node;

/* How much slower than the best known a choice is expected to be: 0.03 is 3 %. */
typedef struct atx_pack_loss {
    double mean, median, p95, worst;
    int problems, unanswered; /* of these no kernel of the pack is valid */
    int measured;             /* of the problems; of the others it is what the model expects */
} atx_pack_loss;

#define ATX_PACK_MAX_NODES 255

typedef struct atx_pack {
    atx_pack_domain domain;
    atx_limits limits; /* of the device that it is for */
    char device[128];  /* "": any of its architecture */
    atx_pack_kernel kernels[ATX_PACK_MAX_KERNELS];
    int kernel_count;
    int code_count; /* of the kernels: those that differ in their launch alone have one */
    atx_pack_node nodes[ATX_PACK_MAX_NODES];
    int node_count;
    atx_pack_loss chosen, held_out;            /* problems of the choice; others */
    atx_pack_loss curve[ATX_PACK_MAX_KERNELS]; /* with 1, 2, ... kernels, the best of them for each problem */
    atx_pack_loss packs[ATX_PACK_MAX_KERNELS]; /* of a pack with so many codes, which may be others */
    int candidates;                            /* kernels that were chosen from */
    /* Of the problems of the choice, the mean loss of the best kernel for each; what no other choice of as
     * many kernels is below. */
    double mean, bound;
    bool unknown; /* no model and no measurement: no loss is known */
} atx_pack;

typedef struct atx_pack_tuner atx_pack_tuner; /* pack_tune.h */

typedef struct atx_pack_request {
    const atx_pack_domain *domain;
    const atx_catalog *catalog;
    atx_predictor *predictor; /* of the operation, on a device like this; NULL: no model knows it ... */
    atx_lookup *winners; /* ... and these, of problems that were tuned on the target, say what is worth it */
    const atx_target *target;
    const atx_limits *limits;
    const char *device;
    int kernels;   /* codes at most; 0: as many as `within` needs */
    double within; /* mean loss that is good enough, 0.03; 0: all kernels are used */
    int problems;  /* to choose by, and as many to try on */
    uint64_t seed;
    atx_pack_tuner *tuner;        /* measures losses; NULL: the model tells them */
    const atx_pack_domain *tries; /* listed problems to try on; NULL: they are drawn as those to choose by */
} atx_pack_request;

/* AT_ERR_INPUT: no problem of the domain has a valid kernel. */
at_status atx_pack_make(atx_pack **out, const atx_pack_request *request, at_error *err) AT_MUST_CHECK;
void atx_pack_close(atx_pack *pack);

/* Which kernel the pack takes for sizes and alignments, as the written C does; -1: none is valid. */
int atx_pack_find(atx_geometry *geometry, const atx_pack *pack, const atx_problem *problem);

/* ---- the files of a pack ---- */

#define ATX_PACK_MAX_MODELS 16 /* of GPUs, in one pack */

/* What was chosen for one model of GPU, with its kernels' code for that. */
typedef struct atx_pack_compiled {
    const atx_pack *pack;
    atx_str codes[ATX_PACK_MAX_KERNELS]; /* or rendered sources */
    bool is_source;
    bool has_test;
    atx_str reference; /* of the op, for that; empty: the host is it */
} atx_pack_compiled;

typedef struct atx_pack_files {
    atx_str header, source, description, test;
} atx_pack_files;

/* A kernel's template with what is constant in its compiled source as numbers, and without `fixed`; what it
 * renders, and binds, is the kernel for any sizes. Borrows the kernel's template. */
typedef struct atx_pack_general {
    atx_template t;
    atx_let *lets;
    atx_expr **numbers; /* owned */
    size_t count;
} atx_pack_general;
at_status atx_pack_general_open(atx_pack_general *out, const atx_pack_kernel *kernel,
                                at_error *err) AT_MUST_CHECK;
void atx_pack_general_close(atx_pack_general *general); /* also after a failure */

/* The kernel's rendered source in its general form. */
at_status atx_pack_render(atx_str *out, const atx_pack *pack, int kernel, at_error *err) AT_MUST_CHECK;

/* All kernels compiled for the device, and the op's reference where it can have a test program that needs
 * one. AT_ERR_DEVICE without NVRTC. */
at_status atx_pack_compile(atx_pack_compiled *out, const atx_pack *pack, at_error *err) AT_MUST_CHECK;
/* Their sources, for nvcc: nothing is compiled. */
at_status atx_pack_take_sources(atx_pack_compiled *out, const atx_pack *pack, at_error *err) AT_MUST_CHECK;
void atx_pack_compiled_clear(atx_pack_compiled *compiled);

/* AT_ERR_INPUT: the operation can have no test program, and why. */
at_status atx_pack_can_test(const atx_pack *pack, at_error *err) AT_MUST_CHECK;

/*
 * NAME.h, NAME.c with the compiled kernels, NAME.json with them too, and NAME_test.c where there is a
 * reference. Of sources NAME.cu, in the place of NAME.c, and a NAME.json without code. `models` are one to
 * ATX_PACK_MAX_MODELS, of one operation and type; a device whose name no model has takes the one that is most
 * like it, of those whose code it can run. `name` is an identifier, `command` what makes the pack again.
 */
at_status atx_pack_write(atx_pack_files *out, const atx_pack_compiled *models, int count, const char *name,
                         const char *command, at_error *err) AT_MUST_CHECK;
void atx_pack_files_clear(atx_pack_files *files);

/* ---- a pack as it is used without its C ---- */

/* What NAME.json holds. */
typedef struct atx_pack_set {
    char *name, *command;
    atx_pack_domain domain;
    atx_pack *packs[ATX_PACK_MAX_MODELS]; /* of each model of GPU */
    int count;
    atx_str *codes; /* with a zero behind each */
    int code_count;
    int code_of[ATX_PACK_MAX_MODELS][ATX_PACK_MAX_KERNELS];
} atx_pack_set;

/* A file, gzip'ed or not. AT_ERR_INPUT: it is no pack, or one of templates that have changed since. Borrows
 * the catalog. */
at_status atx_pack_read(atx_pack_set **out, const char *path, const atx_catalog *catalog,
                        at_error *err) AT_MUST_CHECK;

/* The same of a text; `file` names it in messages. */
at_status atx_pack_parse(atx_pack_set **out, const char *text, size_t len, const char *file,
                         const atx_catalog *catalog, at_error *err) AT_MUST_CHECK;
size_t atx_pack_code_bytes(const atx_pack_set *set, int model, int kernel); /* 0: it is of sources */
void atx_pack_set_close(atx_pack_set *set);                                 /* harmless on NULL */
ATX_CLOSES(atx_pack_set)

/* The model that a device is taken for: of its name; else one whose code runs there, of the newest
 * architecture, and then with about as many multiprocessors. -1: none. */
int atx_pack_model(const atx_pack_set *set, const char *device, int64_t cc, int64_t sms);

/* Which kernel the pack takes for a problem whose slots are bound for a device: the first of its leaf that is
 * valid there. Fills the template's slots. -1: none. */
int atx_pack_take(atx_geometry *geometry, const atx_pack *pack, const atx_problem *problem, int64_t *slots);

/* Binds the kernel's parameters and lets, where constants of its source have their values. false: it is not
 * valid. */
bool atx_pack_allows(atx_geometry *geometry, const atx_pack_kernel *kernel, int64_t *slots);
