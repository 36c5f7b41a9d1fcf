/*
 * setup.c - prepares a device for a problem: a buffer for each argument that needs one, the reference
 * compiled, and, if it leaves gaps (rows with a pitch), the bytes that a copy of the problem moves. A problem
 * that does not fit is refused before anything is compiled for it.
 */
#include "tune/setup.h"

#include "lang/launches.h"

#include "declare/data.h"
#include "declare/declare_files.h"
#include "device/columns.h"
#include "device/layout.h"
#include "lang/npy.h"
#include "lang/render.h"

#include <stdio.h>
#include <string.h>

/* A file beside the op's own. */
static at_status describe_file(atx_data_file *out, const atx_buffer *b, const atx_problem *problem,
                               const atx_arg *arg, const char *file, at_error *err)
{
    const char *op = problem->op->text.file;
    atx_npy npy;
    at_error cause = { 0 };
    atx_str path = { 0 };
    at_status status = atx_op_find_file(&path, problem->op, file, err);
    size_t len = path.len;
    if (status == AT_OK && len < sizeof out->path)
        memcpy(out->path, path.data, len + 1);
    atx_str_clear(&path);
    if (status == AT_OK && len >= sizeof out->path)
        status = atx_fail(err, AT_ERR_INPUT, "%s: found a path of %zu characters for '%s'; expected fewer",
                          op, len, arg->name);
    if (status != AT_OK)
        return status;
    status = atx_npy_open(&npy, out->path, atx_arg_type(arg, problem->type),
                          atx_arg_is_storage(problem->op, arg), b->bytes / b->element_bytes, &cause);
    if (status != AT_OK)
        return atx_fail(err, status, "%s (%s reads it for '%s')", cause.text, op, arg->name);
    out->at = npy.data_at;
    return AT_OK;
}

/* From one argument to another: so many buffers further on. */
static int buffers_between(const atx_op *op, int from, int to)
{
    return atx_arg_buffer(op, to) - atx_arg_buffer(op, from);
}

/* Its fields as columns. Of a struct without known fields all bytes are zero, unless the line says bits. */
static at_status describe_struct(atx_buffer *b, const atx_arg *arg, const atx_struct *s, const int64_t *slots,
                                 at_error *err)
{
    const int64_t elements = b->bytes / b->element_bytes;
    at_status status = AT_OK;
    if (s->field_count == 0 && !arg->input.stated)
        b->how = ATX_ONE_VALUE;
    for (int i = 0; i < s->field_count && status == AT_OK; i++) {
        const atx_field *f = &s->fields[i];
        const int number = atx_dtype_number(f->type, 0);
        const int64_t each = f->count * atx_dtype_bytes(f->type) / atx_number_bytes(number);
        atx_buffer_column *c = &b->columns[b->column_count++];
        int how = ATX_BITS;
        snprintf(c->name, sizeof c->name, "%.31s", f->name);
        status = atx_field_numbers(&how, &c->filling, f, each * elements, slots, err);
        c->how = (uint64_t)number | (uint64_t)how << 8 | (uint64_t)each << 16 | (uint64_t)s->bytes << 32 |
                 (uint64_t)f->offset << 48;
    }
    return status;
}

static at_status add_buffer(atx_setup *setup, const atx_problem *problem, int arg_index, const int64_t *slots,
                            at_error *err)
{
    const atx_op *op = problem->op;
    const atx_arg *arg = &op->args[arg_index];
    const atx_dtype type = atx_arg_type(arg, problem->type);
    atx_buffer *b = &setup->buffers[setup->buffer_count];
    int64_t elements = 0;

    *b = (atx_buffer){ .role = arg->role,
                       .align = atx_problem_align_of(problem, arg_index),
                       .element_bytes = atx_arg_element_bytes(op, arg, type),
                       .number = atx_dtype_number(type, atx_arg_is_storage(op, arg)),
                       .zero = arg->zero,
                       .check = arg->check };
    b->check.where = (atx_where){ 0 };
    memcpy(b->name, arg->name, sizeof b->name);
    at_status status = atx_expr_eval(&elements, arg->expr, slots, err);
    if (status != AT_OK)
        return status;
    if (elements < 0 || __builtin_mul_overflow(elements, b->element_bytes, &b->bytes))
        return atx_fail(err, AT_ERR_INPUT, "%s: found %lld elements of %d bytes for '%s'; expected fewer",
                        op->text.file, (long long)elements, b->element_bytes, arg->name);
    setup->buffer_count++;
    b->how = arg->input.how;
    if (arg->input.file)
        status = describe_file(&b->data, b, problem, arg, arg->input.file, err);
    if (status == AT_OK && op->expected.answer && atx_role_is_output(arg->role))
        status = describe_file(&setup->answer, b, problem, arg, op->expected.answer, err);
    if (status != AT_OK)
        return status;
    const atx_held held = { op, arg, b->number, b->bytes / atx_number_bytes(b->number) };
    if (arg->structure)
        return describe_struct(b, arg, atx_arg_struct(op, arg), slots, err);
    if (arg->own_type && arg->type == ATX_BOOLEAN && b->how == ATX_BITS) {
        b->how = ATX_RANGE;
        b->filling.b = 2; /* 0 and 1 */
        return AT_OK;
    }
    if (arg->input.of[0])
        b->goes_with = buffers_between(op, arg_index, arg->input.of_arg);
    return atx_input_numbers(&b->filling, &held, slots, err);
}

/* An output belongs to the kernel that validates it, or, of several by one, the first does. */
static void assign_validators(atx_setup *setup, const atx_op *op)
{
    const char *names[ATX_MAX_STEPS];
    int count = atx_op_validators(names, op);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < setup->buffer_count; i++)
            if (atx_role_is_output(setup->buffers[i].role) &&
                strcmp(setup->buffers[i].check.by, names[k]) == 0) {
                setup->buffers[i].validator = k + 1;
                break;
            }
}

/* Of an op of layouts: does an output reach farther than it has elements? */
static bool is_sparse(const atx_setup *setup, const atx_problem *problem)
{
    int64_t elements = 1;
    for (int i = 0; i < problem->op->shape.dim_count; i++)
        elements *= problem->dims[i]; /* fits: see atx_problem_init */
    for (int i = 0; i < setup->buffer_count && problem->op->shape.layout_count; i++)
        if (setup->buffers[i].role == ATX_OUTPUT &&
            setup->buffers[i].bytes / setup->buffers[i].element_bytes > elements)
            return true;
    return false;
}

/* Rows with a pitch leave gaps in the output, and so do strides. A second run of the reference finds them,
 * which an inout forbids. */
static void describe_gaps(atx_setup *setup, const atx_problem *problem)
{
    setup->gaps = !atx_problem_is_dense(problem) || is_sparse(setup, problem);
    for (int i = 0; i < setup->buffer_count; i++)
        setup->gaps = setup->gaps && setup->buffers[i].role != ATX_INOUT;
}

/*
 * What copies move: of an op of one input and one output the first bytes of these, so that the copies find
 * the same caches and pages as the candidates; of any other a pair of buffers of their own.
 */
static void describe_copies(atx_setup *setup, int64_t copy_bytes)
{
    bool suits = setup->buffer_count == 2 && setup->buffers[0].role != setup->buffers[1].role;
    for (int i = 0; i < setup->buffer_count; i++)
        suits = suits && setup->buffers[i].bytes >= copy_bytes && !setup->buffers[i].zero &&
                setup->buffers[i].role != ATX_INOUT && setup->buffers[i].role != ATX_SCRATCH;
    setup->copy_bytes = copy_bytes;
    setup->own_copies = !suits && copy_bytes > 0;
}

at_status atx_setup_describe(atx_setup *setup, const atx_problem *problem, const int64_t *slots,
                             at_error *err)
{
    const atx_op *op = problem->op;
    double peak_s = 0;
    int64_t gflops = 0;
    at_status status = atx_op_check_inputs(op, problem->type, err);
    ATX_THEN(status, atx_problem_peak(&peak_s, &gflops, op, slots, err));
    for (int i = 0; i < op->arg_count && status == AT_OK; i++)
        if (op->args[i].role != ATX_SCALAR)
            status = add_buffer(setup, problem, i, slots, err);
    if (op->goal.traffic)
        ATX_THEN(status, atx_expr_eval(&setup->moved_bytes, op->goal.traffic, slots, err));
    assign_validators(setup, op);
    if (status == AT_OK)
        describe_gaps(setup, problem);
    if (status == AT_OK && setup->gaps && op->expected.answer)
        status = atx_fail(err, AT_ERR_INPUT,
                          "%s: found a pitch, and an answer in a file; expected dense rows", op->text.file);
    return status;
}

/* An earlier run's answer needs no memory. */
static bool is_known(const atx_env *env, const atx_problem_key *key)
{
    ATX_LOCAL(atx_answer) answer = { 0 };
    at_status status = atx_store_find_winner(&answer, env->store, key, &env->fingerprint, NULL, NULL);
    return status == AT_OK && !env->options->force;
}

at_status atx_setup_fits(const atx_env *env, const atx_problem *problem, at_error *err)
{
    const atx_device_info *info = atx_device_info_of(env->device);
    atx_setup setup = { 0 };
    atx_problem_key key;
    ATX_LOCAL(atx_str) shape = { 0 };
    int64_t slots[ATX_MAX_SLOTS];

    if (info->ordinal == ATX_REPLAY_ORDINAL || problem->op->recorded)
        return AT_OK;
    ATX_TRY(atx_problem_key_of(&key, &shape, problem, err));
    ATX_TRY(atx_problem_bind(slots, problem, &info->limits, err));
    ATX_TRY(atx_setup_describe(&setup, problem, slots, err));
    describe_copies(&setup, atx_setup_copy_bytes(env, problem, slots));
    if (!is_known(env, &key))
        ATX_TRY(atx_layout_fits(&setup, info->free_bytes, err));
    return AT_OK;
}

/* ---- kernels that fill and compare ---- */

at_status atx_setup_checks(atx_str *source, atx_check_kind part, at_error *err)
{
    atx_str_addf(source, "#define AT_PART %d\n", (int)part);
    if (part == ATX_CHECK_GENERATE || part == ATX_CHECK_GENERATED)
        atx_str_add(source, "#define ATX_WITHOUT_ROWS\n");
    for (const atx_embedded *file = atx_embedded_verify; file->path; file++) {
        atx_str_addf(source, "#line 1 \"%s\"\n", file->path);
        atx_str_add_bytes(source, file->data, file->len);
    }
    return atx_str_status(source, err);
}

static const char CHECKS_FILE[] = "runner/verify.cu";

static at_status begin_check(atx_env *env, atx_check_kind part, at_error *err)
{
    atx_build *build = &env->verify[part];
    ATX_TRY(atx_setup_checks(&build->source, part, err));
    return atx_build_begin(build, &env->builder, CHECKS_FILE, err);
}

at_status atx_setup_begin_checks(atx_env *env, at_error *err)
{
    for (int i = 0; i < ATX_CHECK_PARTS; i++)
        atx_build_drop(&env->verify[i], &env->builder); /* of an attempt that failed */
    for (int i = 0; i < ATX_CHECK_GENERATE_ROWS; i++)
        ATX_TRY(begin_check(env, (atx_check_kind)i, err));
    return AT_OK;
}

/* Those that few problems need are begun by the first one. */
static at_status begin_rare_checks(atx_env *env, const atx_setup *setup, at_error *err)
{
    for (int i = ATX_CHECK_GENERATE_ROWS; i < ATX_CHECK_PARTS; i++)
        if (!env->verify[i].source.len && atx_check_is_needed(setup, (atx_check_kind)i))
            ATX_TRY(begin_check(env, (atx_check_kind)i, err));
    return AT_OK;
}

static at_status wait_for_checks(atx_env *env, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < ATX_CHECK_PARTS && status == AT_OK; i++) {
        if (!env->verify[i].source.len)
            continue;
        status = atx_build_wait(&env->verify[i], &env->builder, CHECKS_FILE, err);
        if (status == AT_OK && !env->verify[i].ok)
            status = atx_fail(err, AT_ERR_DEVICE, "NVRTC does not compile %s for sm_%d: %s", CHECKS_FILE,
                              env->builder.cc, atx_str_text(&env->verify[i].log));
    }
    env->checked = status == AT_OK;
    return status;
}

/* ---- the right answer ---- */

/* A template's configuration that the op trusts, for this problem. */
static at_status render_trusted(atx_preparation *p, const atx_env *env, at_error *err)
{
    const atx_op *op = p->problem->op;
    const atx_where w = op->expected.trusted_where;
    atx_config config;
    at_error cause = { 0 };
    ATX_TRY(atx_catalog_trusted(&p->t, &config, env->catalog, op, err));
    if (atx_config_validate(p->slots, p->t, &config, &cause) != AT_OK)
        return atx_fail(err, AT_ERR_INPUT,
                        "%s:%d:%d: the trusted configuration does not suit this problem: %s", w.file, w.line,
                        w.column, cause.text);
    return atx_render(&p->reference.source, p->t, p->problem->type, &config, p->slots, err);
}

static const char *reference_file(const atx_preparation *p)
{
    return p->t ? p->t->text.file : p->problem->op->text.file;
}

static at_status begin_reference(atx_preparation *p, atx_env *env, at_error *err)
{
    const atx_op *op = p->problem->op;
    if (op->expected.answer)
        return AT_OK;
    ATX_TRY(op->expected.trusted[0] ? render_trusted(p, env, err)
                                    : atx_render_reference(&p->reference.source, p->problem, err));
    return atx_build_begin(&p->reference, &env->builder, reference_file(p), err);
}

/* Where the reference is not of the op's file, its kernels that validate are code of their own. */
static at_status begin_validators(atx_preparation *p, atx_env *env, at_error *err)
{
    const atx_op *op = p->problem->op;
    const char *names[ATX_MAX_STEPS];
    if (op->expected.reference[0] || atx_op_validators(names, op) == 0)
        return AT_OK;
    ATX_TRY(atx_render_reference(&p->validators.source, p->problem, err));
    return atx_build_begin(&p->validators, &env->builder, op->text.file, err);
}

static at_status wait_for(atx_build *build, atx_env *env, const char *file, const char *what, at_error *err)
{
    if (!build->source.len)
        return AT_OK;
    ATX_TRY(atx_build_wait(build, &env->builder, file, err));
    if (!build->ok)
        return atx_fail(err, AT_ERR_INPUT, "%s: the %s does not compile:\n%s", file, what,
                        atx_str_text(&build->log));
    return AT_OK;
}

/* A device that cannot begin with what the cache gave: all kernels may come from it. */
static at_status compile_again(bool *again, atx_env *env, atx_preparation *p, at_error *err)
{
    at_status status = AT_OK;
    bool ok = true;
    *again = atx_build_distrust(&p->reference);
    for (int i = 0; i < ATX_CHECK_PARTS; i++)
        *again = atx_build_distrust(&env->verify[i]) || *again;
    for (int i = 0; i < ATX_CHECK_PARTS && status == AT_OK && *again; i++) {
        if (!env->verify[i].source.len)
            continue;
        status = atx_build_wait(&env->verify[i], &env->builder, CHECKS_FILE, err);
        ok = ok && env->verify[i].ok;
    }
    if (status == AT_OK && *again && p->reference.source.len)
        status = atx_build_wait(&p->reference, &env->builder, reference_file(p), err);
    *again = *again && status == AT_OK && ok && (p->reference.ok || !p->reference.source.len);
    return status;
}

/* ---- onto the device ---- */

static at_status set_up_device(atx_env *env, atx_preparation *p, at_error *err)
{
    const atx_op *op = p->problem->op;
    atx_setup *setup = &p->setup;
    for (int i = 0; i < ATX_CHECK_PARTS; i++)
        setup->verify[i] = (atx_check_part){ env->verify[i].cubin.data, env->verify[i].cubin.len };
    if (p->t)
        ATX_TRY(atx_template_bind(&setup->reference, &p->reference, p->t, p->slots, err));
    else if (!op->expected.answer)
        ATX_TRY(atx_reference_bind(&setup->reference, &p->reference, op, p->slots, err));
    ATX_TRY(atx_validator_bind(&setup->validator, op->expected.reference[0] ? &p->reference : &p->validators,
                               op, p->slots, err));
    return atx_device_setup(env->device, setup, err);
}

at_status atx_setup_begin(atx_preparation *out, atx_env *env, const atx_problem *problem,
                          const int64_t *slots, at_error *err)
{
    const atx_op *op = problem->op;
    *out = (atx_preparation){
        .problem = problem,
        .setup = { .warm = env->options->warm, .seed = env->seed, .energy = atx_env_measures_energy(env, op) }
    };
    memcpy(out->slots, slots, (size_t)op->scope.symbols.count * sizeof *slots);
    if (op->recorded && env->builder.nvrtc)
        return atx_fail(err, AT_ERR_INPUT,
                        "%s: the operation %s is recorded, its kernels are not here; expected --device "
                        "replay:FILE",
                        op->text.file, op->name);
    if (op->recorded)
        return AT_OK;
    ATX_TRY(atx_setup_describe(&out->setup, problem, slots, err));
    describe_copies(&out->setup, atx_setup_copy_bytes(env, problem, slots));
    ATX_TRY(begin_rare_checks(env, &out->setup, err));
    ATX_TRY(begin_reference(out, env, err));
    return begin_validators(out, env, err);
}

static at_status finish(atx_preparation *p, atx_env *env, at_error *err)
{
    bool again = false;
    if (p->problem->op->recorded)
        return AT_OK;
    at_status status = wait_for_checks(env, err);
    ATX_THEN(status, wait_for(&p->reference, env, reference_file(p), "reference kernel", err));
    ATX_THEN(status, wait_for(&p->validators, env, p->problem->op->text.file, "kernel that validates", err));
    ATX_THEN(status, set_up_device(env, p, err));
    if (status == AT_ERR_DEVICE && env->checked && !atx_device_is_lost(env->device)) {
        at_error later;
        at_status compiled = compile_again(&again, env, p, &later);
        if (compiled != AT_OK)
            return atx_fail(err, compiled, "%s", later.text);
        if (again)
            return set_up_device(env, p, err);
    }
    return status;
}

at_status atx_setup_finish(atx_preparation *p, atx_env *env, at_error *err)
{
    at_status status = finish(p, env, err);
    atx_setup_drop(p, env);
    return status;
}

void atx_setup_take(atx_preparation *p, atx_env *env)
{
    atx_build_take(&p->reference, &env->builder);
    atx_build_take(&p->validators, &env->builder);
    for (int i = 0; i < ATX_CHECK_PARTS; i++)
        atx_build_take(&env->verify[i], &env->builder);
}

void atx_setup_drop(atx_preparation *p, atx_env *env)
{
    atx_build_drop(&p->reference, &env->builder);
    atx_build_drop(&p->validators, &env->builder);
}

at_status atx_setup_problem(atx_env *env, const atx_problem *problem, const int64_t *slots, at_error *err)
{
    atx_preparation p = { .problem = problem };
    at_status status = atx_setup_begin(&p, env, problem, slots, err);
    if (status == AT_OK)
        return atx_setup_finish(&p, env, err);
    atx_setup_drop(&p, env);
    return status;
}

/* ---- copies ---- */

/* Bytes of a buffer; below 0: they cannot be computed. */
static int64_t buffer_bytes(const atx_problem *problem, const atx_arg *arg, const int64_t *slots)
{
    int64_t elements = 0, bytes = 0;
    if (atx_expr_eval(&elements, arg->expr, slots, NULL) != AT_OK || elements < 0 ||
        __builtin_mul_overflow(elements, atx_arg_element_bytes(problem->op, arg, problem->type), &bytes))
        return -1;
    return bytes;
}

/* What a problem that is a copy moves from its one input to its one output; below 0: it is none. */
static int64_t moved_bytes(const atx_problem *problem, const int64_t *slots)
{
    int64_t bytes[2] = { -1, -1 };
    for (int i = 0; i < problem->op->arg_count; i++) {
        const atx_arg *arg = &problem->op->args[i];
        int64_t *of = &bytes[arg->role == ATX_INPUT];
        if (arg->role == ATX_SCALAR)
            continue;
        if (arg->role == ATX_INOUT || arg->role == ATX_SCRATCH || *of >= 0)
            return -1;
        *of = buffer_bytes(problem, arg, slots);
    }
    return bytes[0] == bytes[1] ? bytes[0] : -1;
}

/* Of an op that is its own ceiling: without the gaps between rows. */
static int64_t own_bytes(const atx_problem *problem, const int64_t *slots)
{
    int64_t elements = 1;
    for (int i = 0; i < problem->op->shape.dim_count; i++)
        elements *= problem->dims[i]; /* fits: see atx_problem_init */
    return atx_problem_is_dense(problem) ? moved_bytes(problem, slots)
                                         : elements * atx_dtype_bytes(problem->type);
}

static bool find_copy(atx_problem *out, const atx_env *env, const atx_problem *problem, const int64_t *slots)
{
    const atx_op *op = problem->op, *copy = atx_catalog_find_op(env->catalog, op->goal.ceiling_op);
    int64_t sizes[ATX_MAX_DIMS];
    for (int i = 0; i < op->goal.ceiling_dim_count; i++)
        if (atx_expr_eval(&sizes[i], op->goal.ceiling_dims[i], slots, NULL) != AT_OK)
            return false;
    return copy && !copy->recorded &&
           atx_problem_init(out, copy, problem->type, sizes, op->goal.ceiling_dim_count, NULL) == AT_OK;
}

int64_t atx_setup_copy_bytes(const atx_env *env, const atx_problem *problem, const int64_t *slots)
{
    atx_problem copy;
    int64_t copy_slots[ATX_MAX_SLOTS], bytes = -1;
    if (strcmp(problem->op->goal.ceiling_op, problem->op->name) == 0)
        bytes = own_bytes(problem, slots);
    else if (problem->op->goal.ceiling_op[0] && find_copy(&copy, env, problem, slots) &&
             atx_problem_bind(copy_slots, &copy, &atx_device_info_of(env->device)->limits, NULL) == AT_OK)
        bytes = moved_bytes(&copy, copy_slots);
    return bytes > 0 ? bytes : 0;
}

bool atx_setup_ceiling(atx_problem *out, const atx_env *env, const atx_problem *problem, const int64_t *slots)
{
    return problem->op->goal.ceiling_op[0] && strcmp(problem->op->goal.ceiling_op, problem->op->name) != 0 &&
           find_copy(out, env, problem, slots) &&
           (atx_env_is_replay(env) || atx_setup_copy_bytes(env, problem, slots) > 0);
}

bool atx_setup_has_copies(const atx_env *env, const atx_problem *problem, const int64_t *slots)
{
    return problem->op->goal.ceiling_op[0] &&
           (atx_env_is_replay(env) || atx_setup_copy_bytes(env, problem, slots) > 0);
}
