/*
 * connection.c - checks in the order in which a launch would fail: the kernel exists, its parameters match
 * the arguments, the geometry fits the architecture. The first failure is reported.
 */
#include "compile/connection.h"

#include "compile/cubin.h"
#include "declare/declare_common.h"
#include "lang/arch.h"
#include "lang/tensor_map.h"
#include "source/declarator.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_GRID_YZ = 65535, MAX_BLOCK_Z = 64, REGISTER_UNIT = 8, MAX_CLUSTER = 16 };

/* The template and code to check, and the place for the message. */
typedef struct checking {
    const atx_connection *in;
    const atx_op *op;
    const atx_template *t; /* NULL: the reference is checked */
    const char *source;
    bool alone; /* the compiler's figures are of this kernel, as there is no other */
    atx_str *why;
    const char **about;
} checking;

static checking check_of(const atx_connection *in, const atx_op *op, const atx_template *t)
{
    atx_cubin_kernel second;
    return (checking){ .in = in,
                       .op = op,
                       .t = t,
                       .source = t ? t->text.source : op->text.source,
                       .alone = !atx_cubin_kernel_at(&second, in->code, in->len, 1) };
}

static void find(const checking *c, const char *about, const char *format, ...) AT_PRINTF(3, 4);

static void find(const checking *c, const char *about, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    atx_str_add(c->why, text);
    *c->about = about;
}

/* ---- parameters ---- */

static const atx_arg *arg_of(const checking *c, const atx_step *s, int i)
{
    return c->t ? atx_template_arg(c->t, s->args[i]) : &c->op->args[s->args[i]];
}

static void add_names(char out[300], const checking *c, const atx_step *s)
{
    int n = 0;
    out[0] = '\0';
    for (int i = 0; i < s->arg_count && n < 200; i++)
        n += snprintf(out + n, 300 - (size_t)n, " %s", arg_of(c, s, i)->name);
}

static void check_params(const checking *c, const atx_step *s, const atx_cubin_kernel *k)
{
    char names[300];
    add_names(names, c, s);
    if (k->param_count < 0)
        return;
    if (k->param_count != s->arg_count) {
        find(c, "count", "kernel '%s' takes %d parameters; expected %d:%s%s", s->kernel, k->param_count,
             s->arg_count, names, c->t ? ". `arg NAME...` says which it takes" : "");
        return;
    }
    for (int i = 0; i < s->arg_count; i++) {
        const atx_arg *arg = arg_of(c, s, i);
        bool scalar = arg->role == ATX_SCALAR;
        int64_t expected = scalar ? arg->scalar_bytes : 8;
        if (k->param_bytes[i] == expected)
            continue;
        find(c, "size",
             "kernel '%s' takes %" PRId64 " bytes as parameter %d; expected %" PRId64 ", %s '%s', of:%s",
             s->kernel, k->param_bytes[i], i + 1, expected,
             arg->map         ? "the tensor map"
             : !scalar        ? "a pointer to"
             : arg->structure ? "the struct"
                              : "the scalar",
             arg->name, names);
        return;
    }
}

/* "i32", "u8", "bool" */
static bool is_integer_word(const char *type)
{
    return strchr("iu", type[0]) != NULL || strcmp(type, "bool") == 0;
}

/* Whether a loop exchanges the buffer with another one, so that a launch that reads it need not write it. */
static bool is_swapped(const checking *c, int arg)
{
    const atx_loops *loops = c->t ? &c->t->call.loops : &c->op->expected.loops;
    for (int i = 0; i < loops->count; i++)
        for (int k = 0; k < loops->items[i].swap_count; k++)
            if (loops->items[i].swaps[k].a == arg || loops->items[i].swaps[k].b == arg)
                return true;
    return false;
}

/* Whether a scalar of eight bytes is the number 0, which is a null pointer. */
static bool is_null(const atx_arg *arg)
{
    bool marks[ATX_MAX_SLOTS] = { false };
    const int64_t none = 0;
    int64_t value = 1;
    at_error ignored;
    if (arg->scalar_bytes != 8 || arg->structure || atx_dtype_is_real(arg->type) || !arg->expr)
        return false;
    atx_expr_mark_reads(marks, arg->expr);
    return !memchr(marks, true, sizeof marks) && atx_expr_eval(&value, arg->expr, &none, &ignored) == AT_OK &&
           value == 0;
}

/* Checks one parameter by the words of the source, where sizes are not enough. */
static void check_word(const checking *c, const atx_step *s, const atx_kernel_arg *k, int i)
{
    const atx_arg *arg = arg_of(c, s, i);
    bool scalar = arg->role == ATX_SCALAR;
    char names[300];
    const int len = k->len < 200 ? (int)k->len : 200;
    if (arg->map)
        return; /* of whichever type has its bytes */
    add_names(names, c, s);
    if (scalar && k->pointer && is_null(arg))
        return;
    if (scalar && k->pointer)
        find(c, "kind",
             "kernel '%s' takes a pointer, '%.*s', as parameter %d; expected the scalar '%s', of:%s",
             s->kernel, len, k->text, i + 1, arg->name, names);
    else if (!scalar && !k->pointer && k->type)
        find(c, "kind",
             "kernel '%s' takes a number, '%.*s', as parameter %d; expected a pointer to '%s', of:%s",
             s->kernel, len, k->text, i + 1, arg->name, names);
    else if (atx_role_is_output(arg->role) && k->pointer && k->constant && !is_swapped(c, s->args[i]))
        find(c, "const",
             "kernel '%s' takes parameter %d, '%.*s', as const; expected one to write to: the output '%s', "
             "of:%s",
             s->kernel, i + 1, len, k->text, arg->name, names);
    else if (scalar && k->type && is_integer_word(k->type) && atx_dtype_is_real(arg->type))
        find(c, "real",
             "kernel '%s' takes an integer, '%.*s', as parameter %d; expected '%s', which is of %s",
             s->kernel, len, k->text, i + 1, arg->name, atx_dtype_name(arg->type));
    else if (scalar && k->type && !is_integer_word(k->type) && !atx_dtype_is_real(arg->type))
        find(c, "real", "kernel '%s' takes %s, '%.*s', as parameter %d; expected '%s', which is an integer",
             s->kernel, k->type, len, k->text, i + 1, arg->name);
}

static void check_words(const checking *c, const atx_step *s)
{
    atx_kernel_arg words[ATX_MAX_ARGS];
    int count = atx_code_args_of(words, ATX_MAX_ARGS, c->source, s->kernel);
    for (int i = 0; count == s->arg_count && i < count && !c->why->len; i++)
        check_word(c, s, &words[i], i);
}

/* A handle is passed as eight bytes, as an i64 is; but nothing here makes one. */
static void check_textures(const checking *c, const atx_step *s)
{
    static const char *const HANDLES[] = { "cudaTextureObject_t", "cudaSurfaceObject_t", "CUtexObject",
                                           "CUsurfObject", NULL };
    const char *handle = atx_code_parameter_word(c->source, s->kernel, HANDLES);
    if (handle)
        find(c, "texture",
             "kernel '%s' takes a %s; autotune makes no textures and surfaces: expected buffers and numbers, "
             "and a load of a buffer (`__ldg`) in the place of each fetch",
             s->kernel, handle);
}

/* ---- geometry ---- */

static void check_sizes(const checking *c, const atx_geometry *g)
{
    const atx_limits *limits = c->in->limits;
    const int64_t grid[3] = { limits->max_grid_x, MAX_GRID_YZ, MAX_GRID_YZ };
    const int64_t block[3] = { limits->max_threads_per_block, limits->max_threads_per_block, MAX_BLOCK_Z };
    for (int i = 0; i < 3 && !c->why->len; i++) {
        if (g->grid[i] > grid[i])
            find(c, "grid", "a grid of %" PRId64 " in %c; expected at most %" PRId64, g->grid[i], 'x' + i,
                 grid[i]);
        else if (g->block[i] > block[i])
            find(c, "block", "a block of %" PRId64 " in %c; expected at most %" PRId64, g->block[i], 'x' + i,
                 block[i]);
    }
}

static int64_t round_up(int64_t value, int64_t unit)
{
    return unit > 0 ? (value + unit - 1) / unit * unit : value;
}

static void check_threads(const checking *c, const atx_geometry *g, const atx_cubin_kernel *k)
{
    const atx_limits *limits = c->in->limits;
    const atx_resources *r = c->in->resources;
    int64_t threads = g->block[0] * g->block[1] * g->block[2]; /* each at most 1024 */
    int64_t registers = round_up(r->registers, REGISTER_UNIT) * round_up(threads, limits->warp_size);
    if (threads > limits->max_threads_per_block)
        find(c, "threads", "a block of %" PRId64 " threads; expected at most %" PRId64 ": `require` says so",
             threads, limits->max_threads_per_block);
    else if (k->max_threads && threads > k->max_threads)
        find(c, "bounds", "a block of %" PRId64 " threads; the kernel's __launch_bounds__ allow %" PRId64,
             threads, k->max_threads);
    else if (c->alone && r->registers > 0 && registers > limits->max_registers_per_block)
        find(c, "registers",
             "%" PRId64 " threads of %" PRId64 " registers; expected at most %" PRId64
             " registers in a block",
             threads, r->registers, limits->max_registers_per_block);
}

static void check_shared(const checking *c, const atx_geometry *g)
{
    const int64_t most = c->in->limits->max_shared_bytes, used = c->in->resources->shared_bytes;
    const int64_t fixed = c->alone && used > 0 ? used : 0;
    if (g->shared_bytes + fixed > most)
        find(c, "shared", "%" PRId64 " bytes of shared memory in a block; expected at most %" PRId64,
             g->shared_bytes + fixed, most);
}

/* In theory: the driver's figure for this very device may be less. */
static void check_resident(const checking *c, const atx_geometry *g)
{
    const atx_resources *r = c->in->resources;
    const int64_t fixed = c->alone && r->shared_bytes > 0 ? r->shared_bytes : 0;
    const atx_occupancy o =
        atx_arch_occupancy(c->in->limits->cc, g->block[0] * g->block[1] * g->block[2],
                           c->alone && r->registers > 0 ? r->registers : 0, g->shared_bytes + fixed);
    const int64_t blocks = g->grid[0] * g->grid[1] * g->grid[2], most = o.blocks * c->in->limits->sms;
    if (g->cooperative && blocks > most)
        find(c, ATX_NOT_RESIDENT,
             "a cooperative grid of %" PRId64 " blocks; expected at most %" PRId64 ", as many as %" PRId64
             " multiprocessors hold at once: %" PRId64 " each, by their %s",
             blocks, most, c->in->limits->sms, o.blocks, o.limit);
}

static void check_cluster(const checking *c, const atx_geometry *g)
{
    enum { FIRST_CC = 90 };
    const bool cluster = atx_geometry_cluster(g) > 1;
    if ((cluster || g->programmatic) && c->in->limits->cc < FIRST_CC)
        find(c, "attributes",
             "%s; expected compute capability 9.0 or newer: `require device.cc >= 90` says so",
             cluster ? "a launch in clusters" : "a programmatic launch");
    else if (atx_geometry_cluster(g) > MAX_CLUSTER)
        find(c, "cluster", "a cluster of %" PRId64 " blocks; expected at most %d", atx_geometry_cluster(g),
             MAX_CLUSTER);
}

/* ---- variables ---- */

static void check_variable(const checking *c, const atx_arg *arg, int64_t wanted)
{
    const char *name = NULL;
    int64_t bytes = -1;
    at_error cause = { 0 };
    if (atx_cubin_variable(&name, &bytes, c->in->code, c->in->len, arg->variable, &cause) != AT_OK)
        find(c, "variable", "%s", cause.text);
    else if (bytes >= 0 && bytes < wanted)
        find(c, "variable size",
             "variable '%s' has %" PRId64 " bytes; expected at least %" PRId64 ", of '%s'", arg->variable,
             bytes, wanted, arg->name);
}

static bool has_word(const char *at, const char *end, const char *word)
{
    const size_t len = strlen(word);
    while (at < end) {
        at += strspn(at, " \t");
        const size_t n = strcspn(at, " \t\n");
        if (n == 0 || at[0] == '#')
            return false;
        if (n == len && memcmp(at, word, len) == 0)
            return true;
        at += n;
    }
    return false;
}

/* Of the declaration's line that hands the argument to a kernel; 0: none is found. */
static int line_of_arg(const atx_template *t, const char *arg)
{
    const atx_part *part = atx_own_part(t->text.parts, t->text.part_count, t->text.file);
    const char *at = t->text.source + part->begin, *end = at + part->len;
    for (int line = 1; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        if ((has_word(at, stop, "arg") || has_word(at, stop, "launch")) && has_word(at, stop, arg))
            return line;
        at = stop + 1;
    }
    return 0;
}

at_status atx_template_refuse_both(const atx_template *t, int arg, at_error *err)
{
    const atx_arg *a = &t->op->args[arg];
    return atx_fail(
        err, AT_ERR_INPUT,
        "%s:%d: found '%s' to be a parameter of the kernel, and its variable '%s' in the code, which nothing "
        "would fill; expected one of them: another argument in the place of '%s', or no variable",
        t->text.file, line_of_arg(t, a->name), a->name, a->variable, a->name);
}

at_status atx_template_check_into(const atx_template *t, const void *code, size_t len, at_error *err)
{
    for (int i = 0; i < t->op->arg_count; i++) {
        const char *name;
        int64_t bytes = -1;
        at_error none;
        if (t->op->args[i].variable[0] && !atx_template_fills(t, i) &&
            atx_cubin_variable(&name, &bytes, code, len, t->op->args[i].variable, &none) == AT_OK &&
            bytes >= 0)
            return atx_template_refuse_both(t, i, err);
    }
    return AT_OK;
}

/* ---- the whole ---- */

static void check_step(const checking *c, const atx_step *s, const atx_geometry *geometry)
{
    atx_cubin_kernel k;
    at_error cause = { 0 };
    if (atx_cubin_find(&k, c->in->code, c->in->len, s->kernel, &cause) != AT_OK) {
        if (!strchr(s->kernel, '<') && atx_code_is_template(c->source, s->kernel))
            find(c, "name",
                 "kernel '%s' is a template that nothing instantiates; expected its arguments, "
                 "as in a line 'kernel %s<T>'",
                 s->kernel, s->kernel);
        else
            find(c, "name", "%s", cause.text);
        return;
    }
    check_textures(c, s);
    if (!c->why->len)
        check_params(c, s, &k);
    if (!c->why->len)
        check_words(c, s);
    if (!c->why->len)
        check_sizes(c, geometry);
    if (!c->why->len)
        check_threads(c, geometry, &k);
    if (!c->why->len)
        check_shared(c, geometry);
    if (!c->why->len)
        check_cluster(c, geometry);
    if (!c->why->len)
        check_resident(c, geometry);
}

at_status atx_connection_check(atx_str *why, const char **about, const atx_connection *in,
                               const atx_template *t, const atx_launches *launches, at_error *err)
{
    checking c = check_of(in, t->op, t);
    c.why = why;
    c.about = about;
    for (int i = 0; i < t->call.step_count && !why->len; i++)
        check_step(&c, &t->call.steps[i], &launches->geometries[i]);
    for (int i = 0; i < t->op->arg_count && !why->len; i++)
        if (atx_template_fills(t, i))
            check_variable(&c, &t->op->args[i], launches->variable_bytes[i]);
    at_error cause = { 0 };
    if (!why->len && atx_template_check_into(t, in->code, in->len, &cause) != AT_OK)
        find(&c, "variable", "%s", cause.text);
    return atx_str_status(why, err);
}

at_status atx_connection_check_reference(atx_str *why, const char **about, const atx_connection *in,
                                         const atx_op *op, const atx_geometry *geometry, at_error *err)
{
    checking c = check_of(in, op, NULL);
    atx_step all = { .arg_count = op->arg_count };
    c.why = why;
    c.about = about;
    snprintf(all.kernel, sizeof all.kernel, "%s", op->expected.reference);
    for (int i = 0; i < op->arg_count; i++)
        all.args[i] = i;
    check_step(&c, &all, geometry);
    return atx_str_status(why, err);
}

at_status atx_launches_of(atx_launches *out, const atx_template *t, const int64_t *slots, at_error *err)
{
    *out = (atx_launches){ 0 };
    at_status status = atx_geometries_of(out->geometries, t, slots, err);
    for (int i = 0; i < t->op->arg_count && status == AT_OK; i++)
        if (atx_template_fills(t, i))
            status = atx_arg_bytes(&out->variable_bytes[i], t->op, i, slots, err);
    for (int i = 0; i < t->call.map_count && status == AT_OK; i++) {
        atx_tensor_layout ignored; /* is there one? */
        status = atx_tensor_layout_of(&ignored, t, i, slots, err);
    }
    return status;
}

at_status atx_geometries_of(atx_geometry out[ATX_MAX_STEPS], const atx_template *t, const int64_t *slots,
                            at_error *err)
{
    for (int i = 0; i < t->call.step_count; i++)
        ATX_TRY(atx_geometry_of(&out[i], &t->call.steps[i].launch, slots, err));
    return AT_OK;
}
