/*
 * library_public.c - the differences between the public header and the core: types, matches and roles by
 * promised numbers, structs that may be shorter or longer than ours, problems as text.
 */
#include "library/library.h"

#include "lang/layout.h"
#include "lang/shapes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(AT_MAX_SIZES >= ATX_MAX_DIMS && AT_MAX_RANK >= ATX_MAX_RANK &&
                   AT_MAX_PITCHES >= ATX_MAX_PITCHES && AT_MAX_ALIGNMENTS >= ATX_MAX_ALIGNS,
               "a problem of the library holds every shape");

/* ---- structs ---- */

enum { MOST_STRUCT_BYTES = 1 << 16 }; /* more is not a size, but uninitialized memory */

const void *atx_library_struct(void *room, size_t bytes, const void *given, const char *name, at_error *err)
{
    size_t theirs;
    memcpy(&theirs, given, sizeof theirs);
    if (theirs == bytes)
        return given;
    if (theirs < sizeof theirs || theirs > MOST_STRUCT_BYTES) {
        atx_fail(err, AT_ERR_USAGE, "found struct_bytes = %zu; expected sizeof(%s): an initializer sets it",
                 theirs, name);
        return NULL;
    }
    for (size_t i = bytes; i < theirs; i++)
        if (((const unsigned char *)given)[i]) {
            atx_fail(err, AT_ERR_USAGE,
                     "found %s with a member that autotune " AT_VERSION " does not know; expected "
                     "0 there, or a newer library",
                     name);
            return NULL;
        }
    memset(room, 0, bytes);
    memcpy(room, given, theirs < bytes ? theirs : bytes);
    return room;
}

/* Into the caller's struct, whose size was set before. */
static at_status give_problem(at_problem *out, const at_problem *problem, at_error *err)
{
    size_t theirs = out->struct_bytes, ours = sizeof *problem;
    if (theirs < offsetof(at_problem, sizes) || theirs > MOST_STRUCT_BYTES)
        return atx_fail(err, AT_ERR_USAGE,
                        "found struct_bytes = %zu; expected sizeof(at_problem): AT_PROBLEM_INIT sets it",
                        theirs);
    for (size_t i = theirs; i < ours; i++)
        if (((const unsigned char *)problem)[i])
            return atx_fail(
                err, AT_ERR_USAGE,
                "found an at_problem of %zu bytes, as an older header has it; this problem takes %zu", theirs,
                ours);
    memset(out, 0, theirs);
    memcpy(out, problem, theirs < ours ? theirs : ours);
    out->struct_bytes = theirs;
    return AT_OK;
}

/* ---- numbers that are promised ---- */

static const at_type TYPES[ATX_DTYPES] = {
    [ATX_U8] = AT_TYPE_U8,   [ATX_U16] = AT_TYPE_U16,   [ATX_U32] = AT_TYPE_U32,      [ATX_U64] = AT_TYPE_U64,
    [ATX_I8] = AT_TYPE_I8,   [ATX_I16] = AT_TYPE_I16,   [ATX_I32] = AT_TYPE_I32,      [ATX_I64] = AT_TYPE_I64,
    [ATX_F16] = AT_TYPE_F16, [ATX_BF16] = AT_TYPE_BF16, [ATX_F32] = AT_TYPE_F32,      [ATX_F64] = AT_TYPE_F64,
    [ATX_C64] = AT_TYPE_C64, [ATX_C128] = AT_TYPE_C128, [ATX_BOOLEAN] = AT_TYPE_BOOL,
};

static const struct {
    at_match match;
    const char *name;
} MATCHES[] = {
    [ATX_MATCH_EXACT] = { AT_MATCH_EXACT, "exact" },
    [ATX_MATCH_NEAR] = { AT_MATCH_NEAR, "near" },
    [ATX_MATCH_OTHER_DEVICE] = { AT_MATCH_OTHER_DEVICE, "other_device" },
    [ATX_MATCH_NONE] = { AT_MATCH_NONE, "none" },
    [ATX_MATCH_PREDICTED] = { AT_MATCH_PREDICTED, "predicted" },
};

at_match atx_library_match(atx_match match)
{
    return MATCHES[match].match;
}

at_role atx_library_role(atx_role role)
{
    static const at_role ROLES[] = { [ATX_SCALAR] = AT_ROLE_SCALAR,
                                     [ATX_INPUT] = AT_ROLE_INPUT,
                                     [ATX_OUTPUT] = AT_ROLE_OUTPUT,
                                     [ATX_INOUT] = AT_ROLE_INOUT,
                                     [ATX_SCRATCH] = AT_ROLE_SCRATCH };
    return ROLES[role];
}

at_type atx_library_type(atx_dtype type)
{
    return TYPES[type];
}

at_status atx_library_dtype(atx_dtype *out, at_type type, at_error *err)
{
    for (int i = 0; i < ATX_DTYPES; i++)
        if (TYPES[i] == type) {
            *out = (atx_dtype)i;
            return AT_OK;
        }
    return atx_fail(err, AT_ERR_USAGE,
                    "found type %d; expected an at_type that is not reserved, as AT_TYPE_F32", (int)type);
}

const char *at_match_name(at_match match)
{
    for (size_t i = 0; i < sizeof MATCHES / sizeof *MATCHES; i++)
        if (MATCHES[i].match == match)
            return MATCHES[i].name;
    return "";
}

const char *at_type_name(at_type type)
{
    atx_dtype known = ATX_U8;
    return atx_library_dtype(&known, type, NULL) == AT_OK ? atx_dtype_name(known) : "";
}

int at_type_bits(at_type type)
{
    static const struct {
        at_type type;
        int bits;
    } RESERVED[] = { { AT_TYPE_F8_E4M3, 8 }, { AT_TYPE_F8_E5M2, 8 }, { AT_TYPE_F8_E8M0, 8 },
                     { AT_TYPE_F6_E2M3, 6 }, { AT_TYPE_F6_E3M2, 6 }, { AT_TYPE_F4_E2M1, 4 } };
    atx_dtype known = ATX_U8;
    if (atx_library_dtype(&known, type, NULL) == AT_OK)
        return 8 * atx_dtype_bytes(known);
    for (size_t i = 0; i < sizeof RESERVED / sizeof *RESERVED; i++)
        if (RESERVED[i].type == type)
            return RESERVED[i].bits;
    return 0;
}

at_status at_type_parse(at_type *out, const char *text, at_error *err)
{
    atx_dtype type = ATX_F32;
    if (!out || !text)
        return atx_fail(err, AT_ERR_USAGE, "at_type_parse: an argument is NULL");
    ATX_TRY(atx_dtype_parse(&type, text, strlen(text), err));
    *out = TYPES[type];
    return AT_OK;
}

/* ---- problems ---- */

at_status at_permute(at_problem *out, at_type type, int rank, const int64_t *extents, const int *permutation,
                     at_error *err)
{
    atx_layout_pair layout = { 0 };
    atx_dtype known = ATX_U8;
    if (!out || !extents || !permutation || rank < 0 || rank > ATX_MAX_RANK)
        return atx_fail(err, AT_ERR_USAGE, "at_permute: expected no NULL, and a rank of 0 to %d",
                        ATX_MAX_RANK);
    at_status status = atx_library_dtype(&known, type, err);
    for (int i = 0; i < rank && status == AT_OK; i++)
        if (extents[i] < 1)
            status = atx_fail(err, AT_ERR_INPUT,
                              "found an extent of %" PRId64 "; expected at least one element", extents[i]);
    ATX_THEN(status, atx_layout_permuted(&layout, rank, extents, permutation, NULL, err));
    if (status != AT_OK)
        return status;
    at_problem problem = { .op = "permute", .type = type, .layout = { .rank = rank } };
    memcpy(problem.layout.extents, layout.extents, sizeof layout.extents);
    memcpy(problem.layout.strides_in, layout.in, sizeof layout.in);
    memcpy(problem.layout.strides_out, layout.out, sizeof layout.out);
    return give_problem(out, &problem, err);
}

/* Of an op of layouts; extents of 1 in front replace missing dimensions. */
static void show_layout(at_layout *out, const atx_problem *p)
{
    const int64_t *in = p->dims + atx_problem_first_stride(p->op, 0);
    const int64_t *strides_out = p->dims + atx_problem_first_stride(p->op, 1);
    for (int i = 0; i < p->op->shape.dim_count; i++) {
        if (p->dims[i] == 1)
            continue;
        out->extents[out->rank] = p->dims[i];
        out->strides_in[out->rank] = in[i];
        out->strides_out[out->rank++] = strides_out[i];
    }
}

static at_problem problem_of(const atx_problem *p)
{
    at_problem out = { .op = p->op->name, .type = TYPES[p->type] };
    const int64_t *aligns = p->dims + atx_problem_first_align(p->op);
    if (p->op->shape.layout_count) {
        show_layout(&out.layout, p);
    } else {
        out.size_count = p->op->shape.dim_count;
        memcpy(out.sizes, p->dims, (size_t)p->op->shape.dim_count * sizeof *out.sizes);
        memcpy(out.pitches, p->dims + p->op->shape.dim_count,
               (size_t)p->op->shape.pitch_count * sizeof *out.pitches);
    }
    for (int i = 0; i < p->op->shape.align_count; i++) /* full is what a problem that says nothing has */
        out.alignments[i] = aligns[i] == ATX_FULL_ALIGN ? 0 : aligns[i];
    return out;
}

at_status at_problem_parse(at_problem *out, at_tuner *tuner, const char *text, at_error *err)
{
    ATX_LOCAL(atx_shapes) read = { 0 };
    if (!out || !tuner || !text)
        return atx_fail(err, AT_ERR_USAGE, "at_problem_parse: an argument is NULL");
    pthread_mutex_lock(&tuner->slow); /* ops are read when they are first named */
    at_status status = atx_shapes_parse(&read, text, strlen(text), "problem", tuner->catalog, NULL, err);
    pthread_mutex_unlock(&tuner->slow);
    if (status == AT_OK && read.count != 1)
        status = atx_fail(err, AT_ERR_INPUT, "found %zu problems; expected one", read.count);
    if (status == AT_OK) {
        at_problem problem = problem_of(read.problems);
        status = give_problem(out, &problem, err);
    }
    return status;
}

/* ---- operations ---- */

/* Is it a scalar that is a number in the declaration, whatever the problem? */
static bool takes_value(const atx_arg *arg)
{
    bool reads[ATX_MAX_SLOTS] = { false };
    if (arg->role == ATX_SCALAR && arg->expr)
        atx_expr_mark_reads(reads, arg->expr);
    return arg->role == ATX_SCALAR && !arg->structure && !memchr(reads, true, sizeof reads);
}

static at_status check_scalar(const atx_op *op, const at_scalar *s, at_error *err)
{
    for (int i = 0; i < op->arg_count; i++) {
        const atx_arg *arg = &op->args[i];
        if (!s->name || strcmp(arg->name, s->name) != 0)
            continue;
        if (takes_value(arg))
            return AT_OK;
        return atx_fail(err, AT_ERR_USAGE,
                        "%s: found a value for %s, which %s; expected a scalar that is a "
                        "number in the declaration",
                        op->name, arg->name,
                        arg->role == ATX_SCALAR ? "follows from the problem" : "is a buffer");
    }
    return atx_fail(err, AT_ERR_USAGE,
                    "%s: found a value for '%.60s'; expected the name of a scalar of the "
                    "operation",
                    op->name, s->name ? s->name : "");
}

at_status atx_library_check_scalars(const atx_op *op, const at_run_options *o, at_error *err)
{
    if (o->scalar_count < 0 || o->attribute_count < 0 || (o->scalar_count && !o->scalars) ||
        (o->attribute_count && !o->attributes))
        return atx_fail(err, AT_ERR_USAGE, "at_run_options: found a count without its array; expected both");
    for (int i = 0; i < o->scalar_count; i++)
        ATX_TRY(check_scalar(op, &o->scalars[i], err));
    return AT_OK;
}

typedef struct op_parts {
    at_op shown; /* first */
    const char *sizes[ATX_MAX_DIMS], *buffers[ATX_MAX_ARGS], *scalars[ATX_MAX_ARGS];
} op_parts;

static at_op *describe_op(const atx_op *op)
{
    op_parts *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->shown = (at_op){ .name = op->name,
                        .about = op->about ? op->about : "",
                        .sizes = p->sizes,
                        .takes_layout = op->shape.layout_count > 0,
                        .buffers = p->buffers,
                        .scalars = p->scalars };
    for (int i = 0; i < op->shape.dim_count && !p->shown.takes_layout; i++)
        p->sizes[p->shown.size_count++] = op->shape.dims[i].name;
    for (int i = 0; i < op->arg_count; i++)
        if (op->args[i].role != ATX_SCALAR)
            p->buffers[p->shown.buffer_count++] = op->args[i].name;
        else if (takes_value(&op->args[i]))
            p->scalars[p->shown.scalar_count++] = op->args[i].name;
    return &p->shown;
}

/* `slow` is held. */
static at_status keep_op(at_tuner *tuner, int i, at_error *err)
{
    if (!tuner->ops) {
        int count = atx_catalog_op_count(tuner->catalog);
        tuner->ops = calloc((size_t)count + 1, sizeof *tuner->ops);
        tuner->op_count = tuner->ops ? count : 0;
    }
    const atx_op *op = tuner->ops && i >= 0 && i < tuner->op_count ? atx_catalog_op(tuner->catalog, i) : NULL;
    at_status failed = atx_catalog_failure(tuner->catalog, err);
    if (!tuner->ops)
        return atx_no_memory(err);
    if (failed != AT_OK || !op)
        return failed != AT_OK ? failed
                               : atx_fail(err, AT_ERR_NOT_FOUND, "found number %d; there are %d operations",
                                          i, tuner->op_count);
    if (!tuner->ops[i])
        tuner->ops[i] = describe_op(op);
    return tuner->ops[i] ? AT_OK : atx_no_memory(err);
}

at_status at_op_at(const at_op **out, at_tuner *tuner, int i, at_error *err)
{
    if (!out || !tuner)
        return atx_fail(err, AT_ERR_USAGE, "at_op_at: an argument is NULL");
    pthread_mutex_lock(&tuner->slow);
    at_status status = keep_op(tuner, i, err);
    if (status == AT_OK)
        *out = tuner->ops[i];
    pthread_mutex_unlock(&tuner->slow);
    return status;
}
