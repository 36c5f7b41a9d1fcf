/*
 * builder.c - a build's source decides everything: its hash, with NVRTC's version, architecture and
 * options, is the cache's key. Equal sources of different problems are one entry.
 *
 * A cache that fails is given up for the rest of the run (builder->cache becomes NULL, cache_error
 * says why): kernels are compiled instead, and no run ends for it.
 */
#include "compile/builder.h"

#include "compile/sequence.h"

#include "compile/connection.h"
#include "compile/cubin.h"
#include "device/layout.h"
#include "lang/launches.h"
#include "lang/render.h"
#include "util/clock.h"
#include "util/sha256.h"

#include <string.h>

/* After so long it is compiled here, too: the other thread may wait for a device that hangs. */
#define ELSEWHERE_S 10.0

void atx_build_give_back(atx_build *build)
{
    if (build->claims)
        atx_claims_give_back(build->claims, build->claimant, build->key);
    build->claims = NULL;
}

/* Unless another builder compiles it. What is compiled ahead is looked for, and not claimed. */
static bool claim(atx_build *build, atx_builder *builder)
{
    const double now_s = atx_now_s();
    if (!builder->claims || build->claims)
        return true;
    if (atx_claims_take(builder->claims, builder, build->key)) {
        if (builder->ahead) {
            atx_claims_give_back(builder->claims, builder, build->key);
            return true;
        }
        build->claims = builder->claims;
        build->claimant = builder;
        return true;
    }
    if (build->elsewhere_s <= 0)
        build->elsewhere_s = now_s;
    return now_s - build->elsewhere_s > ELSEWHERE_S;
}

void atx_build_clear(atx_build *build)
{
    atx_build_give_back(build);
    atx_str_clear(&build->source);
    atx_str_clear(&build->cubin);
    atx_str_clear(&build->launches);
    atx_str_clear(&build->log);
    *build = (atx_build){ 0 };
}

/* The key covers everything that the compiled code depends on: with less it would be another kernel's. */
static at_status make_key(char key[ATX_HASH_TEXT], const char source_hash[ATX_HASH_TEXT],
                          const atx_builder *builder, at_error *err)
{
    ATX_LOCAL(atx_str) how = { 0 };
    atx_sha256 h;
    atx_nvrtc_key(&how, builder->nvrtc, builder->cc, ATX_CUBIN);
    atx_sha256_init(&h);
    atx_sha256_add(&h, atx_str_text(&how), how.len);
    atx_sha256_add(&h, source_hash, ATX_HASH_TEXT);
    atx_sha256_text(&h, key);
    return atx_str_status(&how, err);
}

static at_status hash(atx_build *build, const atx_builder *builder, at_error *err)
{
    atx_hash_text(build->source_hash, build->source.data, build->source.len);
    return make_key(build->key, build->source_hash, builder, err);
}

/* A cache that fails (a full disk, a damaged file) must not end a run: go on without. */
static void give_up_cache(atx_builder *builder)
{
    builder->cache = NULL;
}

at_status atx_build_look_up(atx_build *build, atx_builder *builder, at_error *err)
{
    if (!builder->nvrtc) {
        atx_hash_text(build->source_hash, build->source.data, build->source.len);
        build->done = build->ok = true;
        return AT_OK;
    }
    at_status status = hash(build, builder, err);
    if (!builder->cache)
        build->elsewhere_s = 0; /* another builder's kernel is found nowhere */
    if (status != AT_OK || !builder->cache)
        return status;
    ATX_LOCAL(atx_str) log = { 0 };
    const bool mine = claim(build, builder);
    status = atx_store_get_cubin(&build->cubin, &log, builder->cache, build->key, &builder->cache_error);
    if (status == AT_OK && log.len)
        atx_nvrtc_digest(log.data, &build->log, &build->resources);
    else
        build->resources = ATX_RESOURCES_UNKNOWN;
    if (status == AT_OK)
        atx_build_give_back(build);
    if (mine || status != AT_ERR_NOT_FOUND)
        build->elsewhere_s = 0;
    if (status != AT_OK) {
        if (status != AT_ERR_NOT_FOUND)
            give_up_cache(builder);
        return status == AT_ERR_MEMORY ? atx_fail(err, status, "out of memory") : AT_OK;
    }
    build->done = build->ok = build->cached = true;
    return AT_OK;
}

bool atx_build_distrust(atx_build *build)
{
    if (!build->cached)
        return false;
    atx_str_clear(&build->cubin);
    atx_str_clear(&build->log);
    build->resources = ATX_RESOURCES_UNKNOWN;
    build->done = build->ok = build->cached = false;
    return true;
}

at_status atx_build_start(atx_build *build, atx_builder *builder, const atx_template *t, atx_dtype type,
                          const atx_config *config, const int64_t *slots, at_error *err)
{
    ATX_TRY(atx_render(&build->source, t, type, config, slots, err));
    return atx_build_look_up(build, builder, err);
}

static void keep_in_cache(const atx_build *build, atx_builder *builder)
{
    ATX_LOCAL(atx_str) log = { 0 };
    atx_nvrtc_log_with_resources(&log, atx_str_text(&build->log), &build->resources);
    if (atx_str_status(&log, &builder->cache_error) != AT_OK ||
        atx_store_put_cubin(builder->cache, build->key, build->cubin.data, build->cubin.len,
                            atx_str_text(&log), &builder->cache_error) != AT_OK)
        give_up_cache(builder);
}

void atx_builder_keep(atx_builder *builder, const char *source_hash)
{
    char hash_text[ATX_HASH_TEXT], key[ATX_HASH_TEXT];
    if (!builder->cache || !builder->nvrtc || strlen(source_hash) != sizeof hash_text - 1)
        return;
    memcpy(hash_text, source_hash, sizeof hash_text);
    if (make_key(key, hash_text, builder, &builder->cache_error) != AT_OK ||
        atx_store_keep_cubin(builder->cache, key, &builder->cache_error) != AT_OK)
        give_up_cache(builder);
}

void atx_build_finish(atx_build *build, atx_builder *builder, atx_compiled *compiled)
{
    build->done = true;
    build->ok = compiled->ok;
    build->cached = false;
    build->cubin = compiled->code;
    build->log = compiled->log;
    build->resources = compiled->resources;
    build->compile_s = compiled->compile_s;
    compiled->code = compiled->log = (atx_str){ 0 };
    builder->compiled++;
    if (build->ok && builder->cache)
        keep_in_cache(build, builder);
    atx_build_give_back(build);
}

/* Hands the source to the pool; without room it stays with the build. */
static at_status hand_over(atx_build *build, atx_builder *builder, const char *name, at_error *err)
{
    if (!atx_pool_has_room(builder->pool))
        return AT_OK;
    build->owner = ++builder->owners;
    return atx_pool_submit(builder->pool, ATX_POOL_TAG(build->owner, 0), atx_str_text(&build->source), name,
                           builder->cc, ATX_CUBIN, err);
}

at_status atx_build_begin(atx_build *build, atx_builder *builder, const char *name, at_error *err)
{
    at_status status = atx_build_look_up(build, builder, err);
    return status == AT_OK && !build->done && build->elsewhere_s <= 0 ? hand_over(build, builder, name, err)
                                                                      : status;
}

bool atx_build_take(atx_build *build, atx_builder *builder)
{
    ATX_LOCAL(atx_compiled) compiled = { 0 };
    if (!build->owner || !atx_pool_take_of(builder->pool, build->owner, &compiled))
        return false;
    atx_build_finish(build, builder, &compiled);
    build->owner = 0;
    return true;
}

at_status atx_build_wait(atx_build *build, atx_builder *builder, const char *name, at_error *err)
{
    if (build->done)
        return AT_OK;
    at_status status = build->owner || build->elsewhere_s > 0 ? AT_OK : hand_over(build, builder, name, err);
    while (status == AT_OK && !build->done && !atx_build_take(build, builder)) {
        atx_pool_wait(builder->pool, NULL, build->elsewhere_s > 0 ? 5 : 50);
        status = atx_pool_pump(builder->pool, err);
        if (status == AT_OK && build->elsewhere_s > 0)
            status = atx_build_look_up(build, builder, err);
        if (status == AT_OK && !build->owner && !build->done && build->elsewhere_s <= 0)
            status = hand_over(build, builder, name, err);
        if (status == AT_OK && atx_cancel_due(builder->cancel))
            status = atx_fail(err, AT_ERR_CANCELLED, "interrupted while %s was compiled", name);
    }
    return status;
}

void atx_build_drop(atx_build *build, atx_builder *builder)
{
    if (build->owner && builder->pool)
        atx_pool_drop_of(builder->pool, build->owner);
    atx_build_clear(build);
}

static at_status fail_too_large(const char *name, at_error *err)
{
    return atx_fail(err, AT_ERR_INPUT,
                    "found more than %d bytes of structs by value, with '%s'; expected fewer",
                    ATX_MAX_STRUCT_BYTES, name);
}

/* Its bytes, and where among them addresses go. Launches that take the same one have it twice. */
static at_status bind_struct(struct atx_kernel_arg *out, atx_kernel *k, const atx_op *op, const atx_arg *arg,
                             const int64_t *slots, at_error *err)
{
    const atx_struct *s = atx_arg_struct(op, arg);
    const int64_t at = atx_round_up(k->struct_bytes, s->align > 16 ? s->align : 16);
    if (at + s->bytes > ATX_MAX_STRUCT_BYTES)
        return fail_too_large(arg->name, err);
    *out = (struct atx_kernel_arg){ .buffer = -1, .bytes = (int)s->bytes, .value = at, .is_struct = true };
    k->struct_bytes = (int)(at + s->bytes);
    for (int i = 0; i < s->field_count; i++) {
        if (!s->fields[i].pointer)
            continue;
        if (k->pointer_count == ATX_MAX_ARGS)
            return fail_too_large(arg->name, err);
        k->pointers[k->pointer_count++] = (struct atx_kernel_pointer){ (int)(at + s->fields[i].offset),
                                                                       atx_arg_buffer(op, s->fields[i].arg) };
    }
    return atx_struct_value(k->structs + at, s, slots, err);
}

/* `index`: of the argument, among the op's where it is one of these; of a tensor map, that of its buffer. */
static at_status bind_arg(struct atx_kernel_arg *out, atx_kernel *k, const atx_op *op, const atx_arg *arg,
                          int index, const int64_t *slots, at_error *err)
{
    *out = (struct atx_kernel_arg){ .buffer = -1, .bytes = arg->scalar_bytes, .map = arg->map };
    if (arg->map) {
        out->buffer = atx_arg_buffer(op, index);
        return AT_OK;
    }
    if (arg->role == ATX_SCALAR)
        return arg->structure ? bind_struct(out, k, op, arg, slots, err)
                              : atx_scalar_value(&out->value, arg, slots, err);
    out->buffer = atx_arg_buffer(op, index);
    return AT_OK;
}

static at_status bind_args(struct atx_kernel_arg *out, int *count, atx_kernel *k, const atx_template *t,
                           const atx_step *step, const int64_t *slots, at_error *err)
{
    for (*count = 0; *count < step->arg_count; ++*count) {
        const atx_arg *arg = atx_template_arg(t, step->args[*count]);
        const int index = arg->map ? t->call.maps[arg->map - 1].arg : step->args[*count];
        ATX_TRY(bind_arg(&out[*count], k, t->op, arg, index, slots, err));
    }
    return AT_OK;
}

static at_status bind_maps(atx_kernel *k, const atx_template *t, const int64_t *slots, at_error *err)
{
    for (; k->map_count < t->call.map_count; k->map_count++)
        ATX_TRY(atx_tensor_layout_of(&k->maps[k->map_count], t, k->map_count, slots, err));
    return AT_OK;
}

/*
 * Fills the geometry and the arguments of a launch: `launch` and `op`'s arguments over bound slots. Buffers
 * are numbered in the order of the op's buffer arguments. The cubin is borrowed from `build`.
 */
static at_status bind_kernel(atx_kernel *out, const atx_build *build, const char *name,
                             const atx_launch *launch, const atx_op *op, const int64_t *slots, at_error *err)
{
    atx_kernel k = {
        .cubin = build->cubin.data, .cubin_len = build->cubin.len, .name = name, .arg_count = op->arg_count
    };
    ATX_TRY(atx_geometry_of(&k.geometry, launch, slots, err));
    for (int i = 0; i < op->arg_count; i++)
        ATX_TRY(bind_arg(&k.args[i], &k, op, &op->args[i], i, slots, err));
    *out = k;
    return AT_OK;
}

/* The name that the compiler gave a kernel, within the cubin; without one (a replay) its own. */
static at_status find_name(const char **out, const atx_build *build, const char *kernel, at_error *err)
{
    size_t unused;
    return atx_cubin_name(out, &unused, build->cubin.data, build->cubin.len, kernel, err);
}

static at_status bind_step(atx_kernel_step *out, atx_kernel *k, const atx_build *build, const atx_template *t,
                           const atx_step *step, const int64_t *slots, at_error *err)
{
    ATX_TRY(atx_geometry_of(&out->geometry, &step->launch, slots, err));
    ATX_TRY(find_name(&out->name, build, step->kernel, err));
    return bind_args(out->args, &out->arg_count, k, t, step, slots, err);
}

static at_status bind_variable(struct atx_kernel_variable *out, const atx_build *build, const atx_op *op,
                               int arg, const int64_t *slots, at_error *err)
{
    int64_t wanted = 0, bytes = -1;
    *out = (struct atx_kernel_variable){ .buffer = atx_arg_buffer(op, arg) };
    at_status status = atx_arg_bytes(&wanted, op, arg, slots, err);
    ATX_THEN(status, atx_cubin_variable(&out->name, &bytes, build->cubin.data, build->cubin.len,
                                        op->args[arg].variable, err));
    if (status == AT_OK && bytes >= 0 && bytes < wanted)
        status = atx_fail(err, AT_ERR_INPUT,
                          "found %lld bytes in the variable '%s'; expected at least %lld, of '%s'",
                          (long long)bytes, op->args[arg].variable, (long long)wanted, op->args[arg].name);
    return status;
}

/* Of a kernel with several launches: each geometry, and the largest shared memory. */
static at_status bind_launches(atx_kernel *k, atx_build *build, const atx_sequence *sequence,
                               const int64_t *slots, at_error *err)
{
    at_status status =
        build->launches.len ? AT_OK : atx_sequence_write(&build->launches, sequence, k, slots, err);
    size_t at = 0;
    k->launches = build->launches.data;
    k->launches_len = build->launches.len;
    k->launch_count = 0;
    for (atx_kernel_launch one; status == AT_OK && atx_kernel_next(&one, k, &at); k->launch_count++) {
        atx_geometry *g = one.step ? &k->more[one.step - 1].geometry : &k->geometry;
        if (one.geometry.shared_bytes > g->shared_bytes)
            g->shared_bytes = one.geometry.shared_bytes;
    }
    return status;
}

at_status atx_reference_bind(atx_kernel *out, atx_build *build, const atx_op *op, const int64_t *slots,
                             at_error *err)
{
    const atx_sequence sequence = { .op = op, .loops = &op->expected.loops };
    at_status status = bind_kernel(out, build, op->expected.reference, &op->expected.launch, op, slots, err);
    return status == AT_OK && op->expected.loops.count ? bind_launches(out, build, &sequence, slots, err)
                                                       : status;
}

at_status atx_template_bind(atx_kernel *out, atx_build *build, const atx_template *t, const int64_t *slots,
                            at_error *err)
{
    const atx_sequence sequence = { .op = t->op, .t = t, .loops = &t->call.loops };
    atx_kernel k = { .cubin = build->cubin.data, .cubin_len = build->cubin.len };
    at_status status = atx_geometry_of(&k.geometry, &t->call.steps[0].launch, slots, err);
    ATX_THEN(status, find_name(&k.name, build, t->call.steps[0].kernel, err));
    ATX_THEN(status, bind_args(k.args, &k.arg_count, &k, t, &t->call.steps[0], slots, err));
    for (; k.more_count + 1 < t->call.step_count && status == AT_OK; k.more_count++)
        status = bind_step(&k.more[k.more_count], &k, build, t, &t->call.steps[k.more_count + 1], slots, err);
    for (int i = 0; i < t->op->arg_count && status == AT_OK; i++)
        if (atx_template_fills(t, i))
            status = bind_variable(&k.variables[k.variable_count++], build, t->op, i, slots, err);
    ATX_THEN(status, bind_maps(&k, t, slots, err));
    if (status == AT_OK && t->call.loops.count)
        status = bind_launches(&k, build, &sequence, slots, err);
    ATX_THEN(status, atx_template_check_into(t, build->cubin.data, build->cubin.len, err));
    if (status == AT_OK)
        *out = k;
    return status;
}

/* ---- kernels that validate ---- */

/* The op's arguments, the right answer of each output, and where to count. */
static int validator_params(const atx_op *op)
{
    int count = op->arg_count + 1;
    for (int i = 0; i < op->arg_count; i++)
        count += atx_role_is_output(op->args[i].role);
    return count;
}

at_status atx_validator_check(const atx_op *op, const void *code, size_t len, at_error *err)
{
    const char *names[ATX_MAX_STEPS];
    int count = atx_op_validators(names, op);
    for (int i = 0; i < count; i++) {
        atx_cubin_kernel k;
        ATX_TRY(atx_cubin_find(&k, code, len, names[i], err));
        if (k.param_count >= 0 && k.param_count != validator_params(op))
            return atx_fail(
                err, AT_ERR_INPUT,
                "kernel '%s', which validates, takes %d parameters; expected %d: the operation's arguments, "
                "the right answer of each output, and unsigned long long *wrong",
                names[i], k.param_count, validator_params(op));
    }
    return AT_OK;
}

static at_status add_validator(atx_kernel *k, const char *name, at_error *err)
{
    atx_kernel_step *s = &k->more[k->more_count++];
    size_t unused;
    *s = (atx_kernel_step){ .geometry = k->geometry, .arg_count = k->arg_count };
    memcpy(s->args, k->args, sizeof s->args);
    return atx_cubin_name(&s->name, &unused, k->cubin, k->cubin_len, name, err);
}

at_status atx_validator_bind(atx_kernel *out, const atx_build *build, const atx_op *op, const int64_t *slots,
                             at_error *err)
{
    const char *names[ATX_MAX_STEPS];
    size_t unused;
    int count = atx_op_validators(names, op);
    if (count == 0)
        return AT_OK;
    ATX_TRY(build->cubin.len ? atx_validator_check(op, build->cubin.data, build->cubin.len, err) : AT_OK);
    ATX_TRY(bind_kernel(out, build, names[0], &op->expected.launch, op, slots, err));
    ATX_TRY(atx_cubin_name(&out->name, &unused, build->cubin.data, build->cubin.len, names[0], err));
    for (int i = 1; i < count; i++)
        ATX_TRY(add_validator(out, names[i], err));
    return AT_OK;
}
