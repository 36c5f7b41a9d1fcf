/*
 * setup.c - from a problem to what the device must hold before a kernel can be tried: a buffer for each
 * argument that is none, the reference compiled, and where it leaves gaps (rows with a pitch), which bytes a
 * copy of the problem moves. What does not fit is refused before anything is compiled for it.
 */
#include "tune/setup.h"

#include "lang/metric.h"

#include "device/layout.h"
#include "lang/data.h"
#include "lang/npy.h"
#include "lang/render.h"

#include <stdio.h>
#include <string.h>

/* A file beside the op's own. */
static at_status describe_file(at__data_file *out, const at__buffer *b, const at__problem *problem,
                               const at__arg *arg, const char *file, at_error *err)
{
    const char *op = problem->op->file, *slash = strrchr(op, '/');
    at__npy npy;
    int folder = slash && file[0] != '/' ? (int)(slash - op) + 1 : 0;
    int len = snprintf(out->path, sizeof out->path, "%.*s%s", folder, op, file);
    if (len >= (int)sizeof out->path)
        return at_fail(err, AT_ERR_INPUT, "%s: found a path of %d characters for '%s'; expected fewer", op,
                       len, arg->name);
    at_status status = at__npy_open(&npy, out->path, at__arg_type(arg, problem->type),
                                    at__arg_is_storage(problem->op, arg), b->bytes / b->element_bytes, err);
    out->at = status == AT_OK ? npy.data_at : 0;
    return status;
}

static at_status add_buffer(at__setup *setup, const at__problem *problem, int arg_index, const int64_t *slots,
                            at_error *err)
{
    const at__op *op = problem->op;
    const at__arg *arg = &op->args[arg_index];
    const at__dtype type = at__arg_type(arg, problem->type);
    at__buffer *b = &setup->buffers[setup->buffer_count];
    int64_t elements = 0;

    *b = (at__buffer){ .role = arg->role,
                       .align = at__problem_align_of(problem, arg_index),
                       .element_bytes = at__dtype_bytes(type),
                       .number = at__dtype_number(type, at__arg_is_storage(op, arg)),
                       .zero = arg->zero,
                       .check = arg->check };
    b->check.where = (at__where){ 0 };
    memcpy(b->name, arg->name, sizeof b->name);
    at_status status = at__expr_eval(&elements, arg->expr, slots, err);
    if (status != AT_OK)
        return status;
    if (elements < 0 || __builtin_mul_overflow(elements, b->element_bytes, &b->bytes))
        return at_fail(err, AT_ERR_INPUT, "%s: found %lld elements of %d bytes for '%s'; expected fewer",
                       op->file, (long long)elements, b->element_bytes, arg->name);
    setup->buffer_count++;
    b->how = arg->input.how;
    if (arg->input.file)
        status = describe_file(&b->data, b, problem, arg, arg->input.file, err);
    if (status == AT_OK && op->answer && at__role_is_output(arg->role))
        status = describe_file(&setup->answer, b, problem, arg, op->answer, err);
    if (status != AT_OK)
        return status;
    return at__input_numbers(&b->a, &b->b, arg, b->number, b->bytes / at__number_bytes(b->number), slots,
                             err);
}

/* An output belongs to the kernel that judges it, or, of several by one, the first does. */
static void assign_referees(at__setup *setup, const at__op *op)
{
    const char *names[AT__MAX_STEPS];
    int count = at__op_referees(names, op);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < setup->buffer_count; i++)
            if (at__role_is_output(setup->buffers[i].role) &&
                strcmp(setup->buffers[i].check.by, names[k]) == 0) {
                setup->buffers[i].referee = k + 1;
                break;
            }
}

/* Rows with a pitch leave gaps in the output. A second run of the reference finds them, which an inout
 * forbids. */
static void describe_gaps(at__setup *setup, const at__problem *problem)
{
    setup->gaps = !at__problem_is_dense(problem);
    for (int i = 0; i < setup->buffer_count; i++)
        setup->gaps = setup->gaps && setup->buffers[i].role != AT__INOUT;
}

/*
 * What copies move: of an op of one input and one output the first bytes of these, as whoever runs on them
 * finds the same caches and pages; of any other a pair of buffers of their own.
 */
static void describe_copies(at__setup *setup, int64_t copy_bytes)
{
    bool suits = setup->buffer_count == 2 && setup->buffers[0].role != setup->buffers[1].role;
    for (int i = 0; i < setup->buffer_count; i++)
        suits = suits && setup->buffers[i].bytes >= copy_bytes && !setup->buffers[i].zero &&
                setup->buffers[i].role != AT__INOUT && setup->buffers[i].role != AT__SCRATCH;
    setup->copy_bytes = copy_bytes;
    setup->own_copies = !suits && copy_bytes > 0;
}

at_status at__setup_describe(at__setup *setup, const at__problem *problem, const int64_t *slots,
                             at_error *err)
{
    const at__op *op = problem->op;
    double peak_s = 0;
    int64_t gflops = 0;
    at_status status = at__op_check_inputs(op, problem->type, err);
    if (status == AT_OK)
        status = at__problem_peak(&peak_s, &gflops, op, slots, err);
    for (int i = 0; i < op->arg_count && status == AT_OK; i++)
        if (op->args[i].role != AT__SCALAR)
            status = add_buffer(setup, problem, i, slots, err);
    assign_referees(setup, op);
    if (status == AT_OK)
        describe_gaps(setup, problem);
    if (status == AT_OK && setup->gaps && op->answer)
        status = at_fail(err, AT_ERR_INPUT, "%s: found a pitch, and an answer in a file; expected dense rows",
                         op->file);
    return status;
}

/* An earlier run's answer needs no memory. */
static bool is_known(const at__env *env, const at__problem_key *key)
{
    at__answer answer = { 0 };
    at_status status = at__store_find_winner(&answer, env->store, key, &env->fingerprint, NULL, NULL);
    at__answer_clear(&answer);
    return status == AT_OK && !env->options->force;
}

at_status at__setup_fits(const at__env *env, const at__problem *problem, at_error *err)
{
    const at__device_info *info = at__device_info_of(env->device);
    at__setup setup = { 0 };
    at__problem_key key;
    at__str shape = { 0 };
    int64_t slots[AT__MAX_SLOTS];

    if (info->ordinal == AT__REPLAY_ORDINAL || problem->op->recorded)
        return AT_OK;
    at_status status = at__problem_key_of(&key, &shape, problem, err);
    if (status == AT_OK)
        status = at__problem_bind(slots, problem, &info->limits, err);
    if (status == AT_OK)
        status = at__setup_describe(&setup, problem, slots, err);
    if (status == AT_OK)
        describe_copies(&setup, at__setup_copy_bytes(env, problem, slots));
    if (status == AT_OK && !is_known(env, &key))
        status = at__layout_fits(&setup, info->free_bytes, err);
    at__str_clear(&shape);
    return status;
}

/* What makes the right answer, and what judges others by it. */
typedef struct right_answer {
    at__build build, referees; /* of the op's own kernel: `build` has both */
    const at__template *t;     /* NULL: the op's own kernel */
    int64_t slots[AT__MAX_SLOTS];
} right_answer;

/* A template's configuration that the op trusts, for this problem. */
static at_status render_trusted(right_answer *r, const at__env *env, const at__problem *problem,
                                at_error *err)
{
    const at__op *op = problem->op;
    const at__where w = op->trusted_where;
    at__config config;
    at_error cause = { 0 };
    at_status status = at__catalog_trusted(&r->t, &config, env->catalog, op, err);
    if (status == AT_OK && at__config_validate(r->slots, r->t, &config, &cause) != AT_OK)
        status =
            at_fail(err, AT_ERR_INPUT, "%s:%d:%d: the trusted configuration does not suit this problem: %s",
                    w.file, w.line, w.column, cause.text);
    return status == AT_OK ? at__render(&r->build.source, r->t, problem->type, &config, r->slots, err)
                           : status;
}

static at_status build_reference(right_answer *r, at__env *env, const at__problem *problem, at_error *err)
{
    const at__op *op = problem->op;
    at_status status = op->trusted[0] ? render_trusted(r, env, problem, err)
                                      : at__render_reference(&r->build.source, op, problem->type, err);
    const char *file = r->t ? r->t->file : op->file;
    if (status == AT_OK)
        status = at__build_look_up(&r->build, &env->builder, err);
    if (status == AT_OK)
        status = at__build_wait(&r->build, &env->builder, file, err);
    if (status == AT_OK && !r->build.ok)
        status = at_fail(err, AT_ERR_INPUT, "%s: the reference kernel does not compile:\n%s", file,
                         at__str_text(&r->build.log));
    return status;
}

/* Where the reference is not of the op's file, its kernels that judge are code of their own. */
static at_status build_referees(right_answer *r, at__env *env, const at__problem *problem, at_error *err)
{
    const at__op *op = problem->op;
    const char *names[AT__MAX_STEPS];
    if (op->reference[0] || at__op_referees(names, op) == 0)
        return AT_OK;
    at_status status = at__render_reference(&r->referees.source, op, problem->type, err);
    if (status == AT_OK)
        status = at__build_look_up(&r->referees, &env->builder, err);
    if (status == AT_OK)
        status = at__build_wait(&r->referees, &env->builder, op->file, err);
    if (status == AT_OK && !r->referees.ok)
        status = at_fail(err, AT_ERR_INPUT, "%s: the kernel that judges does not compile:\n%s", op->file,
                         at__str_text(&r->referees.log));
    return status;
}

/* A device that cannot begin with what the cache gave: both kernels may come from it. */
static at_status compile_again(bool *again, at__env *env, right_answer *r, const char *name, at_error *err)
{
    at__build *build = &r->build;
    at_status status = AT_OK;
    bool verify = at__build_distrust(&env->verify), other = at__build_distrust(build);
    *again = verify || other;
    if (verify)
        status = at__build_wait(&env->verify, &env->builder, at__embedded_verify[0].path, err);
    if (status == AT_OK && other)
        status = at__build_wait(build, &env->builder, name, err);
    *again = *again && status == AT_OK && env->verify.ok && (build->ok || !build->source.len);
    return status;
}

static at_status set_up_device(at__env *env, at__setup *setup, const right_answer *r, const at__op *op,
                               at_error *err)
{
    setup->verify_cubin = env->verify.cubin.data;
    setup->verify_len = env->verify.cubin.len;
    at_status status = AT_OK;
    if (r->t)
        status = at__template_bind(&setup->reference, &r->build, r->t, r->slots, err);
    else if (!op->answer)
        status = at__kernel_bind(&setup->reference, &r->build, op->reference, &op->launch, op, r->slots, err);
    if (status == AT_OK)
        status =
            at__referee_bind(&setup->referee, op->reference[0] ? &r->build : &r->referees, op, r->slots, err);
    return status == AT_OK ? at__device_setup(env->device, setup, err) : status;
}

at_status at__setup_problem(at__env *env, const at__problem *problem, const int64_t *slots, at_error *err)
{
    const at__op *op = problem->op;
    at__setup setup = { .warm = env->options->warm,
                        .seed = env->seed,
                        .energy = at__reads_figure(problem->op, AT__FIGURE_JOULES) };
    right_answer r = { .t = NULL };
    memcpy(r.slots, slots, (size_t)op->symbols.count * sizeof *slots);
    bool again = false;

    if (op->recorded && env->builder.nvrtc)
        return at_fail(err, AT_ERR_INPUT,
                       "%s: the operation %s is recorded, its kernels are not here; expected --device "
                       "replay:FILE",
                       op->file, op->name);
    if (op->recorded)
        return AT_OK;
    at_status status = at__setup_describe(&setup, problem, slots, err);
    if (status == AT_OK)
        describe_copies(&setup, at__setup_copy_bytes(env, problem, slots));
    if (status == AT_OK && !op->answer)
        status = build_reference(&r, env, problem, err);
    if (status == AT_OK)
        status = build_referees(&r, env, problem, err);
    if (status == AT_OK)
        status = set_up_device(env, &setup, &r, op, err);
    if (status == AT_ERR_DEVICE && !at__device_is_lost(env->device)) {
        at_error later;
        at_status compiled = compile_again(&again, env, &r, op->file, &later);
        if (compiled != AT_OK)
            status = at_fail(err, compiled, "%s", later.text);
        else if (again)
            status = set_up_device(env, &setup, &r, op, err);
    }
    at__build_clear(&r.build);
    at__build_clear(&r.referees);
    return status;
}

at_status at__setup_checks(at__str *source, at_error *err)
{
    for (const at__embedded *part = at__embedded_verify; part->path; part++) {
        at__str_addf(source, "#line 1 \"%s\"\n", part->path);
        at__str_add_bytes(source, part->data, part->len);
    }
    return at__str_status(source, err);
}

/* Bytes of a buffer; below 0: they cannot be computed. */
static int64_t buffer_bytes(const at__problem *problem, const at__arg *arg, const int64_t *slots)
{
    int64_t elements = 0, bytes = 0;
    if (at__expr_eval(&elements, arg->expr, slots, NULL) != AT_OK || elements < 0 ||
        __builtin_mul_overflow(elements, at__dtype_bytes(at__arg_type(arg, problem->type)), &bytes))
        return -1;
    return bytes;
}

/* What a problem that is a copy moves from its one input to its one output; below 0: it is none. */
static int64_t moved_bytes(const at__problem *problem, const int64_t *slots)
{
    int64_t bytes[2] = { -1, -1 };
    for (int i = 0; i < problem->op->arg_count; i++) {
        const at__arg *arg = &problem->op->args[i];
        int64_t *of = &bytes[arg->role == AT__INPUT];
        if (arg->role == AT__SCALAR)
            continue;
        if (arg->role == AT__INOUT || arg->role == AT__SCRATCH || *of >= 0)
            return -1;
        *of = buffer_bytes(problem, arg, slots);
    }
    return bytes[0] == bytes[1] ? bytes[0] : -1;
}

/* Of an op that is its own ceiling: without the gaps between rows. */
static int64_t own_bytes(const at__problem *problem, const int64_t *slots)
{
    int64_t elements = 1;
    for (int i = 0; i < problem->op->dim_count; i++)
        elements *= problem->dims[i]; /* fits: see at__problem_init */
    return at__problem_is_dense(problem) ? moved_bytes(problem, slots)
                                         : elements * at__dtype_bytes(problem->type);
}

static bool find_copy(at__problem *out, const at__env *env, const at__problem *problem, const int64_t *slots)
{
    const at__op *op = problem->op, *copy = at__catalog_find_op(env->catalog, op->ceiling_op);
    int64_t sizes[AT__MAX_DIMS];
    for (int i = 0; i < op->ceiling_dim_count; i++)
        if (at__expr_eval(&sizes[i], op->ceiling_dims[i], slots, NULL) != AT_OK)
            return false;
    return copy && !copy->recorded &&
           at__problem_init(out, copy, problem->type, sizes, op->ceiling_dim_count, NULL) == AT_OK;
}

int64_t at__setup_copy_bytes(const at__env *env, const at__problem *problem, const int64_t *slots)
{
    at__problem copy;
    int64_t copy_slots[AT__MAX_SLOTS], bytes = -1;
    if (strcmp(problem->op->ceiling_op, problem->op->name) == 0)
        bytes = own_bytes(problem, slots);
    else if (problem->op->ceiling_op[0] && find_copy(&copy, env, problem, slots) &&
             at__problem_bind(copy_slots, &copy, &at__device_info_of(env->device)->limits, NULL) == AT_OK)
        bytes = moved_bytes(&copy, copy_slots);
    return bytes > 0 ? bytes : 0;
}

bool at__setup_ceiling(at__problem *out, const at__env *env, const at__problem *problem, const int64_t *slots)
{
    return problem->op->ceiling_op[0] && strcmp(problem->op->ceiling_op, problem->op->name) != 0 &&
           find_copy(out, env, problem, slots) &&
           (at__env_is_replay(env) || at__setup_copy_bytes(env, problem, slots) > 0);
}

bool at__setup_has_copies(const at__env *env, const at__problem *problem, const int64_t *slots)
{
    return problem->op->ceiling_op[0] &&
           (at__env_is_replay(env) || at__setup_copy_bytes(env, problem, slots) > 0);
}
