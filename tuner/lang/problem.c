/*
 * problem.c - sizes, pitches and alignments become a problem, a problem becomes slots, a
 * configuration its text, and a launch its geometry.
 *
 * Dimensions are bound first, then lets and requirements in the order of their declaration. Without
 * a device those that read its limits, also through lets, are passed over; atx_problem_bind checks
 * them all. So are scalar arguments, whose values their types must have. A pitch with which the bytes of an
 * array would not fit a number is refused.
 */
#include "lang/problem.h"

#include "lang/named_size.h"
#include "util/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- problems ---- */

static bool reads_device(const atx_expr *expr, const atx_op *op, const bool *device_lets)
{
    for (int i = 0; i < ATX_LIMIT_COUNT; i++)
        if (atx_expr_reads(expr, op->scope.device_slot + i))
            return true;
    for (size_t i = 0; i < op->scope.let_count; i++)
        if (device_lets[i] && atx_expr_reads(expr, op->scope.lets[i].slot))
            return true;
    return false;
}

static const int64_t *aligns_of(const atx_problem *problem)
{
    return problem->dims + atx_problem_first_align(problem->op);
}

static void bind_dims(int64_t *slots, const atx_problem *problem)
{
    for (int i = 0; i < problem->op->shape.dim_count; i++) {
        slots[i] = problem->dims[i];
        for (int k = 0; k < problem->op->shape.dims[i].word_count; k++)
            slots[problem->op->shape.dims[i].word_slot + k] = k + 1;
    }
    for (int i = 0; i < problem->op->shape.pitch_count; i++)
        slots[problem->op->shape.pitches[i].slot] = problem->dims[problem->op->shape.dim_count + i];
    for (int k = 0; k < problem->op->shape.layout_count; k++)
        for (int i = 0; i < problem->op->shape.dim_count; i++)
            slots[problem->op->shape.stride_slots[k][i]] =
                problem->dims[atx_problem_first_stride(problem->op, k) + i];
    for (int i = 0; i < problem->op->shape.align_count; i++)
        slots[problem->op->shape.aligns[i].slot] = aligns_of(problem)[i];
    slots[problem->op->scope.sizeof_slot] = atx_dtype_bytes(problem->type);
    for (int i = 0; i < problem->op->scope.named_count; i++)
        slots[problem->op->scope.named[i].slot] = atx_dtype_bytes(problem->op->scope.named[i].type);
    for (int i = 0; i < problem->op->scope.struct_count; i++)
        slots[problem->op->scope.structs[i].slot] = problem->op->scope.structs[i].bytes;
}

static at_status eval_let(int64_t *slots, const atx_let *let, at_error *err)
{
    int64_t value;
    ATX_TRY(atx_expr_eval(&value, let->expr, slots, err));
    slots[let->slot] = value;
    return AT_OK;
}

static at_status fail_unfit(const atx_problem *problem, const char *why, at_error *err)
{
    ATX_LOCAL(atx_str) shape = { 0 };
    atx_problem_show(&shape, problem);
    atx_fail(err, AT_ERR_INPUT, "%s %s %s: %s", problem->op->name, atx_str_text(&shape),
             atx_dtype_name(problem->type), why);
    return AT_ERR_INPUT;
}

static at_status check_require(const int64_t *slots, const atx_require *r, const atx_problem *problem,
                               at_error *err)
{
    at_error cause; /* not cleared: a kilobyte, and only read once it is set */
    int64_t value;
    if (atx_expr_eval(&value, r->expr, slots, &cause) != AT_OK)
        return fail_unfit(problem, cause.text, err);
    if (value)
        return AT_OK;
    atx_fail(&cause, AT_ERR_INPUT, "it must satisfy %s%s%s%s", atx_expr_text(r->expr),
             r->reason[0] ? " (" : "", r->reason, r->reason[0] ? ")" : "");
    return fail_unfit(problem, cause.text, err);
}

/* Lets, requirements and scalars in order; without device limits those that read them are passed over. */
static at_status check_problem(int64_t *slots, const atx_problem *problem, bool with_device, at_error *err)
{
    const atx_op *op = problem->op;
    bool device[ATX_MAX_SLOTS] = { false }; /* of each let */
    at_error cause;
    for (size_t i = 0; i < op->scope.let_count; i++) {
        device[i] = !with_device && reads_device(op->scope.lets[i].expr, op, device);
        if (!device[i] && eval_let(slots, &op->scope.lets[i], &cause) != AT_OK)
            return fail_unfit(problem, cause.text, err);
    }
    for (size_t i = 0; i < op->scope.require_count; i++) {
        if (!with_device && reads_device(op->scope.requires[i].expr, op, device))
            continue;
        ATX_TRY(check_require(slots, &op->scope.requires[i], problem, err));
    }
    for (int i = 0; i < op->arg_count; i++) {
        const atx_arg *arg = &op->args[i];
        bool known = arg->expr && (with_device || !reads_device(arg->expr, op, device));
        if (known && atx_scalar_check(arg, slots, &cause) != AT_OK)
            return fail_unfit(problem, cause.text, err);
    }
    return AT_OK;
}

/* "batch=1 rows cols" */
static void add_dims(atx_str *out, const atx_op *op)
{
    for (int i = 0; i < op->shape.dim_count; i++) {
        atx_str_add(out, i ? " x " : "");
        atx_dim_add_text(out, &op->shape.dims[i]);
    }
}

static at_status fail_count(const atx_op *op, int count, at_error *err)
{
    ATX_LOCAL(atx_str) dims = { 0 };
    add_dims(&dims, op);
    atx_fail(err, AT_ERR_INPUT, "found %d size%s; %s expects %s%s", count, count == 1 ? "" : "s", op->name,
             atx_str_text(&dims),
             op->shape.dims[0].optional ? " (those with a default may be left out)" : "");
    return AT_ERR_INPUT;
}

/* Of an op such as a gather, whose type is not that of its data: "; that is the type of index". */
static void add_typed(atx_str *out, const atx_op *op)
{
    int others = 0;
    for (int i = 0; i < op->arg_count; i++)
        others += op->args[i].role != ATX_SCALAR && op->args[i].own_type;
    for (int i = 0, before = 0; i < op->arg_count && others; i++)
        if (op->args[i].role != ATX_SCALAR && !op->args[i].own_type)
            atx_str_addf(out, "%s%s", before++ ? ", " : "; that is the type of ", op->args[i].name);
}

static at_status fail_type(const atx_op *op, atx_dtype type, at_error *err)
{
    ATX_LOCAL(atx_str) types = { 0 };
    for (int i = 0; i < ATX_DTYPES; i++)
        if (op->types & 1u << i)
            atx_str_addf(&types, " %s", atx_dtype_name((atx_dtype)i));
    add_typed(&types, op);
    atx_fail(err, AT_ERR_INPUT, "found type %s; %s expects one of%s", atx_dtype_name(type), op->name,
             atx_str_text(&types));
    return AT_ERR_INPUT;
}

static at_status fail_size(const atx_dim *dim, int64_t size, at_error *err)
{
    if (dim->word_count)
        return atx_fail(err, AT_ERR_INPUT, "found %s = %" PRId64 "; expected 1 to %d, or %s=%s and its like",
                        dim->name, size, dim->word_count, dim->name, dim->words[0]);
    return atx_fail(err, AT_ERR_INPUT, "found %s = %" PRId64 "; expected 0 or more", dim->name, size);
}

static int optional_count(const atx_op *op)
{
    int n = 0;
    while (n < op->shape.dim_count && op->shape.dims[n].optional)
        n++;
    return n;
}

/* A stride that does not fit is no size of a buffer either: its expression says so. */
static void set_dense(atx_problem *problem, int layout)
{
    int64_t stride = 1, *strides = problem->dims + atx_problem_first_stride(problem->op, layout);
    for (int i = problem->op->shape.dim_count - 1; i >= 0; i--) {
        strides[i] = stride;
        if (__builtin_mul_overflow(stride, problem->dims[i], &stride))
            stride = INT64_MAX;
    }
}

at_status atx_problem_init(atx_problem *out, const atx_op *op, atx_dtype type, const int64_t *sizes,
                           int count, at_error *err)
{
    atx_problem problem = { .op = op, .type = type };
    int64_t slots[ATX_MAX_SLOTS] = { 0 };

    if ((unsigned)type >= ATX_DTYPES || !(op->types & 1u << type))
        return fail_type(op, type, err);
    int missing = op->shape.dim_count - count;
    if (missing < 0 || missing > optional_count(op))
        return fail_count(op, count, err);
    for (int i = 0; i < op->shape.dim_count; i++) {
        problem.dims[i] = i < missing ? op->shape.dims[i].value : sizes[i - missing];
        if (!atx_dim_has_size(&op->shape.dims[i], problem.dims[i]))
            return fail_size(&op->shape.dims[i], problem.dims[i], err);
    }
    for (int i = 0; i < op->shape.pitch_count; i++)
        problem.dims[op->shape.dim_count + i] = problem.dims[op->shape.pitches[i].dim];
    for (int k = 0; k < op->shape.layout_count; k++)
        set_dense(&problem, k);
    for (int i = 0; i < op->shape.align_count; i++)
        problem.dims[atx_problem_first_align(op) + i] = ATX_FULL_ALIGN;
    bind_dims(slots, &problem);
    ATX_TRY(check_problem(slots, &problem, false, err));
    *out = problem;
    return AT_OK;
}

int atx_problem_first_align(const atx_op *op)
{
    return atx_problem_first_stride(op, op->shape.layout_count);
}

int atx_problem_size_count(const atx_op *op)
{
    return atx_problem_first_align(op) + op->shape.align_count;
}

/* The bytes of an array whose dim has this pitch in its place fit an int64_t. */
static bool fits_with_pitch(const atx_problem *problem, int dim, int64_t pitch)
{
    int64_t bytes = atx_dtype_bytes(problem->type);
    for (int i = 0; i < problem->op->shape.dim_count; i++)
        if (__builtin_mul_overflow(bytes, i == dim ? pitch : problem->dims[i], &bytes))
            return false;
    return true;
}

at_status atx_problem_set_pitches(atx_problem *problem, const int64_t *pitches, int count, at_error *err)
{
    const atx_op *op = problem->op;
    if (count > op->shape.pitch_count)
        return atx_fail(err, AT_ERR_INPUT, "found %d leading dimension%s; %s has %d", count,
                        count == 1 ? "" : "s", op->name, op->shape.pitch_count);
    for (int i = 0; i < count; i++) {
        int64_t row = problem->dims[op->shape.pitches[i].dim];
        if (pitches[i] && pitches[i] < row)
            return atx_fail(err, AT_ERR_INPUT, "found %s = %" PRId64 "; expected at least %s = %" PRId64,
                            op->shape.pitches[i].name, pitches[i],
                            op->shape.dims[op->shape.pitches[i].dim].name, row);
        if (!fits_with_pitch(problem, op->shape.pitches[i].dim, pitches[i]))
            return atx_fail(err, AT_ERR_INPUT,
                            "found %s = %" PRId64 ", so more than %" PRId64 " bytes; expected a smaller one",
                            op->shape.pitches[i].name, pitches[i], INT64_MAX);
    }
    for (int i = 0; i < count; i++)
        problem->dims[op->shape.dim_count + i] =
            pitches[i] ? pitches[i] : problem->dims[op->shape.pitches[i].dim];
    return AT_OK;
}

bool atx_problem_is_dense(const atx_problem *problem)
{
    const atx_op *op = problem->op;
    bool dense = true;
    for (int i = 0; i < op->shape.pitch_count; i++)
        dense = dense && problem->dims[op->shape.dim_count + i] == problem->dims[op->shape.pitches[i].dim];
    return dense;
}

static at_status fail_align_count(const atx_op *op, int count, at_error *err)
{
    return atx_fail(err, AT_ERR_INPUT,
                    op->shape.align_count > 1
                        ? "found %d alignment%s; %s has %d, and one counts for all of them"
                        : "found %d alignment%s; %s has %d",
                    count, count == 1 ? "" : "s", op->name, op->shape.align_count);
}

at_status atx_problem_set_aligns(atx_problem *problem, const int64_t *aligns, int count, at_error *err)
{
    const atx_op *op = problem->op;
    int64_t least = atx_dtype_bytes(problem->type);
    if (count != 0 && count != op->shape.align_count && (count != 1 || op->shape.align_count == 0))
        return fail_align_count(op, count, err);
    for (int i = 0; i < count; i++) {
        int64_t a = aligns[i];
        if (a && (a < least || a > ATX_FULL_ALIGN || (a & (a - 1)) != 0))
            return atx_fail(err, AT_ERR_INPUT,
                            "found %s = %" PRId64 "; expected a power of two from %" PRId64
                            " (an element of %s) to %d bytes",
                            op->shape.aligns[i].name, a, least, atx_dtype_name(problem->type),
                            ATX_FULL_ALIGN);
    }
    for (int i = 0; i < op->shape.align_count; i++) {
        int64_t a = count == 0 ? 0 : aligns[count == 1 ? 0 : i];
        problem->dims[atx_problem_first_align(op) + i] = a ? a : ATX_FULL_ALIGN;
    }
    return AT_OK;
}

int64_t atx_problem_align_of(const atx_problem *problem, int arg)
{
    for (int i = 0; i < problem->op->shape.align_count; i++)
        if (problem->op->shape.aligns[i].arg == arg)
            return aligns_of(problem)[i];
    return ATX_FULL_ALIGN;
}

bool atx_arg_is_single(const atx_arg *arg)
{
    return arg->role != ATX_SCALAR && strcmp(atx_expr_text(arg->expr), "1") == 0;
}

/* "@4", "@16x4", or nothing. */
static void add_aligns(atx_str *out, const atx_problem *problem)
{
    const int64_t *aligns = aligns_of(problem);
    int count = problem->op->shape.align_count;
    bool same = true, full = true;
    for (int i = 0; i < count; i++) {
        same = same && aligns[i] == aligns[0];
        full = full && aligns[i] == ATX_FULL_ALIGN;
    }
    for (int i = 0; i < (full ? 0 : same ? 1 : count); i++) {
        atx_str_add(out, i ? "x" : "@");
        atx_str_add_int(out, aligns[i]);
    }
}

/* Sizes from the first that has no default; `words`: those that have words are in front of them already. */
static void add_sizes(atx_str *out, const atx_problem *problem, bool words)
{
    const atx_op *op = problem->op;
    const char *before = "";
    bool begun = false;
    for (int i = 0; i < op->shape.dim_count; i++) {
        const atx_dim *dim = &op->shape.dims[i];
        if (words && dim->word_count)
            continue;
        begun = begun || i == op->shape.dim_count - 1 || !dim->optional || problem->dims[i] != dim->value;
        if (!begun)
            continue;
        atx_str_add(out, before);
        atx_str_add_int(out, problem->dims[i]);
        before = "x";
    }
}

static void add_layout(atx_str *out, const atx_problem *problem)
{
    const atx_op *op = problem->op;
    for (int k = 0; k < op->shape.pitch_count && !atx_problem_is_dense(problem); k++) {
        atx_str_add(out, k ? "x" : "/");
        atx_str_add_int(out, problem->dims[op->shape.dim_count + k]);
    }
    add_aligns(out, problem);
}

void atx_problem_shape(atx_str *out, const atx_problem *problem)
{
    if (problem->op->shape.layout_count) {
        atx_problem_layout(out, problem);
        add_aligns(out, problem);
        return;
    }
    add_sizes(out, problem, false);
    add_layout(out, problem);
}

void atx_problem_show(atx_str *out, const atx_problem *problem)
{
    const atx_op *op = problem->op;
    if (op->shape.layout_count) {
        atx_problem_shape(out, problem);
        return;
    }
    for (int i = 0; i < op->shape.dim_count; i++) {
        const atx_dim *dim = &op->shape.dims[i];
        if (dim->word_count && problem->dims[i] != dim->value)
            atx_str_addf(out, "%s=%s ", dim->name, dim->words[problem->dims[i] - 1]);
    }
    add_sizes(out, problem, true);
    add_layout(out, problem);
}

/* The iterations that loops begin with: their names have these values outside of launches. */
static at_status bind_loops(int64_t *slots, const atx_loops *loops, at_error *err)
{
    for (int i = 0; i < loops->count; i++) {
        slots[loops->items[i].slot] = 0;
        if (loops->items[i].first)
            ATX_TRY(atx_expr_eval(&slots[loops->items[i].slot], loops->items[i].first, slots, err));
    }
    return AT_OK;
}

at_status atx_problem_bind(int64_t *slots, const atx_problem *problem, const atx_limits *limits,
                           at_error *err)
{
    bind_dims(slots, problem);
    memcpy(slots + problem->op->scope.device_slot, limits,
           sizeof *limits); /* atx_limits is an array with names */
    ATX_TRY(check_problem(slots, problem, true, err));
    return bind_loops(slots, &problem->op->expected.loops, err);
}

/* ---- configurations ---- */

int atx_param_find(const atx_template *t, const char *name, size_t len)
{
    for (int i = 0; i < t->scope.param_count; i++)
        if (strlen(t->scope.params[i].name) == len && memcmp(t->scope.params[i].name, name, len) == 0)
            return i;
    return -1;
}

static int find_value(const atx_param *param, int64_t value)
{
    for (int i = 0; i < param->count; i++)
        if (param->values[i] == value)
            return i;
    return -1;
}

int atx_param_find_text(const atx_param *param, const char *text, size_t len)
{
    char number[24] = "", back[24];

    for (int i = 0; param->labels && i < param->count; i++)
        if (strlen(param->labels[i]) == len && memcmp(param->labels[i], text, len) == 0)
            return i;
    if (param->labels || len >= sizeof number)
        return -1;
    memcpy(number, text, len);
    long long value = strtoll(number, NULL, 10);
    snprintf(back, sizeof back, "%lld", value); /* one spelling a number; none that does not fit */
    return strcmp(number, back) == 0 ? find_value(param, value) : -1;
}

void atx_param_add_text(atx_str *out, const atx_param *param, int64_t value)
{
    int i = param->labels ? find_value(param, value) : -1;
    if (i >= 0)
        atx_str_add(out, param->labels[i]);
    else
        atx_str_add_int(out, value);
}

void atx_config_text(atx_str *out, const atx_template *t, const atx_config *config)
{
    for (int i = 0; i < t->scope.param_count; i++) {
        atx_str_add(out, i ? " " : "");
        atx_str_add(out, t->scope.params[i].name);
        atx_str_add(out, "=");
        atx_param_add_text(out, &t->scope.params[i], config->values[i]);
    }
}

static at_status fail_param(const atx_template *t, const char *text, int shown, at_error *err)
{
    ATX_LOCAL(atx_str) names = { 0 };
    char word[ATX_MAX_NAME];
    const char *known[ATX_MAX_PARAMS + 1] = { NULL };
    for (int i = 0; i < t->scope.param_count; i++) {
        known[i] = t->scope.params[i].name;
        atx_str_addf(&names, "%s%s", i ? " " : "", known[i]);
    }
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "="), text);
    const char *near = atx_nearest(word, known);
    atx_fail(err, AT_ERR_INPUT, "found '%.*s'; template %s has no such parameter, it has: %s%s%s%s", shown,
             text, t->name, atx_str_text(&names), near ? "; did you mean '" : "", near ? near : "",
             near ? "'?" : "");
    return AT_ERR_INPUT;
}

static at_status fail_value(const atx_template *t, int param, const char *text, int shown, at_error *err)
{
    const atx_param *p = &t->scope.params[param];
    ATX_LOCAL(atx_str) values = { 0 };
    for (int i = 0; i < p->count; i++) {
        atx_str_add(&values, i ? " " : "");
        atx_param_add_text(&values, p, p->values[i]);
    }
    atx_fail(err, AT_ERR_INPUT, "found '%.*s'; parameter %s of template %s has no such value, it has: %s",
             shown, text, p->name, t->name, atx_str_text(&values));
    return AT_ERR_INPUT;
}

/* NAME=VALUE */
static at_status parse_assignment(atx_config *out, uint32_t *seen, const atx_template *t, const char *text,
                                  size_t len, at_error *err)
{
    int shown = (int)(len > 80 ? 80 : len);
    const char *equals = memchr(text, '=', len);
    if (!equals)
        return atx_fail(err, AT_ERR_INPUT, "found '%.*s'; expected PARAMETER=VALUE", shown, text);
    int i = atx_param_find(t, text, (size_t)(equals - text));
    if (i < 0)
        return fail_param(t, text, shown, err);
    if (*seen & 1u << i)
        return atx_fail(err, AT_ERR_INPUT, "found '%.*s'; expected parameter %s once", shown, text,
                        t->scope.params[i].name);
    int k = atx_param_find_text(&t->scope.params[i], equals + 1, len - (size_t)(equals + 1 - text));
    if (k < 0)
        return fail_value(t, i, text, shown, err);
    *seen |= 1u << i;
    out->values[i] = t->scope.params[i].values[k];
    return AT_OK;
}

static at_status parse_assignments(atx_config *out, uint32_t *seen, const atx_template *t, const char *text,
                                   at_error *err)
{
    static const char BLANKS[] = " \t\r\n";
    for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
        size_t len = strcspn(text, BLANKS);
        ATX_TRY(parse_assignment(out, seen, t, text, len, err));
        text += len;
    }
    return AT_OK;
}

at_status atx_config_change(atx_config *config, const atx_template *t, const char *text, at_error *err)
{
    uint32_t seen = 0;
    return parse_assignments(config, &seen, t, text, err);
}

at_status atx_config_parse(atx_config *out, const atx_template *t, const char *text, at_error *err)
{
    atx_config config = { { 0 } };
    uint32_t seen = 0;

    ATX_TRY(parse_assignments(&config, &seen, t, text, err));
    for (int i = 0; i < t->scope.param_count; i++)
        if (!(seen & 1u << i))
            return atx_fail(err, AT_ERR_INPUT,
                            "found no value for %s; expected every parameter of template %s",
                            t->scope.params[i].name, t->name);
    *out = config;
    return AT_OK;
}

at_status atx_config_bind(int64_t *slots, const atx_template *t, const atx_config *config, at_error *err)
{
    for (int i = 0; i < t->scope.param_count; i++) {
        const atx_param *param = &t->scope.params[i];
        slots[param->slot] = config->values[i];
        for (int k = 0; param->labels && k < param->count; k++)
            slots[param->label_slot + k] = param->values[k];
    }
    for (size_t i = 0; i < t->scope.let_count; i++) {
        ATX_TRY(eval_let(slots, &t->scope.lets[i], err));
    }
    return t->call.loops.count ? bind_loops(slots, &t->call.loops, err) : AT_OK;
}

at_status atx_config_validate(int64_t *slots, const atx_template *t, const atx_config *config, at_error *err)
{
    at_status status = atx_config_bind(slots, t, config, err);
    for (size_t i = 0; i < t->scope.require_count && status == AT_OK; i++) {
        const atx_require *r = &t->scope.requires[i];
        int64_t holds = 0;
        status = atx_expr_eval(&holds, r->expr, slots, err);
        if (status == AT_OK && !holds)
            status = atx_fail(err, AT_ERR_INPUT, "%s needs %s%s%s%s", t->name, atx_expr_text(r->expr),
                              r->reason[0] ? " (" : "", r->reason, r->reason[0] ? ")" : "");
    }
    return status;
}
