/*
 * declare_template.c - the block that declares a template; the format is in templates/reference.md.
 *
 * KEYWORDS has a reader for each line. Parameters, labels, lets and consts get the slots behind the
 * op's. `default` may name parameters that follow it, and is applied at the end, as are the checks
 * that need the whole: the kernel must be in the file, no constant may hide it, and an alignment
 * that nothing of the template reads is required to be full.
 */
#include "declare/declare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "declare/declare_common.h"
#include "declare/declare_internal.h"
#include "source/normalized.h"
#include "source/declarator.h"
#include "util/str.h"

static void read_template(atx_lines *lines, void *target)
{
    atx_reading *r = target;
    r->name_where = atx_lines_where(lines, lines->at);
    atx_read_plain_name(r->t->name, lines);
    r->t->about = atx_lines_comment(lines);
}

static void read_fixed(atx_lines *lines, void *target)
{
    ((atx_reading *)target)->t->scope.fixed = atx_lines_expr(lines);
}

/* Names of templates beside it, which are read later. */
static void read_replaces(atx_lines *lines, void *target)
{
    atx_used names = { 0 };
    atx_read_uses(lines, &names);
    memcpy(((atx_reading *)target)->t->replaces, names.names, sizeof names.names);
    ((atx_reading *)target)->t->replace_count = names.count;
}

/* ---- declarations of common code ---- */

static void take_declarations(atx_lines *from, atx_reading *r, const char *name);

static void read_common(atx_lines *lines, void *target)
{
    (void)target;
    lines->at = lines->line_end; /* was read with the library */
}

/* The files that common code uses come before its declarations. */
static void read_use_of_common(atx_lines *lines, void *target)
{
    atx_used uses = { 0 };
    atx_read_uses(lines, &uses);
    for (int i = 0; i < uses.count; i++)
        take_declarations(lines, target, uses.names[i]);
}

static const atx_keyword SHARED[] = {
    { .word = "common", .read = read_common },         { .word = "use", .read = read_use_of_common },
    { .word = "param", .read = atx_read_param },       { .word = "each", .read = atx_read_each },
    { .word = "let", .read = atx_read_let },           { .word = "const", .read = atx_read_const },
    { .word = "require", .read = atx_read_require },   { .word = "prefer", .read = atx_read_prefer },
    { .word = "language", .read = atx_read_language }, { 0 },
};

/* Once each, as if they stood at the place of the `use`. Names without a file are told with the bundle. */
static void take_declarations(atx_lines *from, atx_reading *r, const char *name)
{
    static const bool recorded = false;
    atx_template *t = r->t;
    atx_lines lines;
    const atx_common *c = r->commons ? atx_commons_find(r->commons, name) : NULL;
    for (int i = 0; c && i < t->text.shared_count; i++)
        if (strcmp(t->text.shared[i], c->file) == 0)
            c = NULL;
    if (!c || t->text.shared_count == ATX_MAX_SHARED || from->status != AT_OK)
        return;
    char *file = atx_text_copy(c->file, strlen(c->file));
    if (!file) {
        atx_lines_note(from, atx_no_memory(from->err));
        return;
    }
    t->text.shared[t->text.shared_count++] = file;
    at_status status = atx_lines_open(&lines, c->text, c->len, file, "common", from->err);
    lines.in = from->in;
    atx_lines_note(from, status == AT_OK ? atx_read_keywords(&lines, SHARED, &recorded, r) : status);
}

static void read_use(atx_lines *lines, void *target)
{
    atx_reading *r = target;
    const int known = r->t->uses.count;
    atx_read_uses(lines, &r->t->uses);
    for (int i = known; i < r->t->uses.count; i++)
        take_declarations(lines, r, r->t->uses.names[i]);
}

/* ---- launches ---- */

/* A launch says all of this itself. */
static atx_launch *launch_of(atx_lines *lines, atx_reading *r, const char *word)
{
    if (r->t->call.step_count)
        atx_lines_fail(lines, lines->line, "found a '%s' line beside a launch; expected one of them", word);
    return &r->t->call.steps[0].launch;
}

static void read_grid(atx_lines *lines, void *target)
{
    atx_read_grid(lines, launch_of(lines, target, "grid")->grid);
}

static void read_block(atx_lines *lines, void *target)
{
    atx_read_grid(lines, launch_of(lines, target, "block")->block);
}

static void read_part(atx_lines *lines, void *target, const char *word)
{
    atx_launch *launch = launch_of(lines, target, word);
    if (lines->status == AT_OK)
        atx_read_launch_part(lines, launch, word);
}

static void read_shared(atx_lines *lines, void *target)
{
    read_part(lines, target, "shared");
}

static void read_cluster(atx_lines *lines, void *target)
{
    read_part(lines, target, "cluster");
}

static void read_cooperative(atx_lines *lines, void *target)
{
    read_part(lines, target, "cooperative");
}

static void read_carveout(atx_lines *lines, void *target)
{
    read_part(lines, target, "carveout");
}

static void read_default(atx_lines *lines, void *target)
{
    atx_reading *r = target;
    r->has_default = true;
    r->default_line = *lines;
    lines->at = lines->line_end; /* read when all parameters are known */
}

static const atx_keyword KEYWORDS[] = {
    { .word = "template", .form = "template NAME", .once = true, .required = true, .read = read_template },
    { .word = "use", .read = read_use },
    { .word = "source", .read = atx_read_source },
    { .word = "include", .read = atx_read_include },
    { .word = "define", .read = atx_read_define },
    { .word = "option", .read = atx_read_option },
    { .word = "target", .once = true, .read = atx_read_target },
    { .word = "tensormap", .read = atx_read_tensor_map },
    { .word = "scalar", .read = atx_read_own_scalar },
    { .word = "arg", .once = true, .read = atx_read_taken_args },
    { .word = "param", .read = atx_read_param },
    { .word = "each", .read = atx_read_each },
    { .word = "let", .read = atx_read_let },
    { .word = "const", .read = atx_read_const },
    { .word = "fixed", .once = true, .read = read_fixed },
    { .word = "general", .read = atx_read_general },
    { .word = "replaces", .once = true, .read = read_replaces },
    { .word = "require", .read = atx_read_require },
    { .word = "prefer", .read = atx_read_prefer },
    { .word = "grid",
      .form = "grid EXPR...",
      .once = true,
      .required = true,
      .of_kernels = true,
      .read = read_grid },
    { .word = "block",
      .form = "block EXPR...",
      .once = true,
      .required = true,
      .of_kernels = true,
      .read = read_block },
    { .word = "shared", .once = true, .read = read_shared },
    { .word = "cluster", .once = true, .read = read_cluster },
    { .word = "cooperative", .once = true, .read = read_cooperative },
    { .word = "carveout", .once = true, .read = read_carveout },
    { .word = "launch", .read = atx_read_launch },
    { .word = "repeat", .read = atx_read_repeat },
    { .word = "end", .read = atx_read_end },
    { .word = "kernel", .once = true, .read = atx_read_kernel },
    { .word = "default", .once = true, .read = read_default },
    { .word = "language", .once = true, .read = atx_read_language },
    { 0 },
};

/* ---- the end ---- */

static int find_param(const atx_template *t, const char *name)
{
    for (int i = 0; i < t->scope.param_count; i++)
        if (strcmp(t->scope.params[i].name, name) == 0)
            return i;
    return -1;
}

/* One declared value: a number or a word. */
static int64_t read_default_value(const atx_param *param, atx_lines *lines)
{
    char word[ATX_MAX_NAME] = "";
    const char *at = lines->at;
    int64_t value = 0;
    if (param->labels)
        atx_lines_name(word, lines, "one of the parameter's words");
    else
        value = atx_lines_integer(lines, "one of the parameter's values");
    for (int i = 0; i < param->count; i++)
        if (param->labels ? strcmp(param->labels[i], word) == 0 : param->values[i] == value)
            return param->values[i];
    atx_lines_fail(lines, at, "found a value that '%s' does not have; expected one of line %d", param->name,
                   param->where.line);
    return 0;
}

static at_status apply_default(atx_template *t, atx_lines *lines)
{
    uint32_t seen = 0;
    while (!atx_lines_at_end(lines)) {
        char name[ATX_MAX_NAME];
        const char *at = atx_read_assigned_name(name, lines);
        int i = find_param(t, name);
        if (i < 0) {
            atx_lines_fail(lines, at, "found '%s'; expected the name of a parameter", name);
            break;
        }
        if (seen & 1u << i)
            atx_lines_fail(lines, at, "found '%s' a second time; expected each parameter once", name);
        seen |= 1u << i;
        t->scope.defaults[i] = read_default_value(&t->scope.params[i], lines);
    }
    return lines->status;
}

static at_status find_kernel(atx_reading *r, const atx_lines *lines)
{
    atx_template *t = r->t;
    if (!t->call.steps[0].kernel[0]) {
        char name[2 * ATX_MAX_NAME];
        int n = snprintf(name, sizeof name, "%s_%s", t->op->name, t->name);
        if (n >= ATX_MAX_NAME)
            return atx_fail(lines->err, AT_ERR_INPUT,
                            "%s:%d:%d: found the kernel name '%s'; expected at most %d characters",
                            t->text.file, r->name_where.line, r->name_where.column, name, ATX_MAX_NAME - 1);
        memcpy(t->call.steps[0].kernel, name, (size_t)n + 1);
    }
    if (t->build.sources.count || t->call.steps[0].expression) /* the compiler looks for it */
        return AT_OK;
    for (int i = 0; i < t->call.step_count; i++) {
        const char *kernel = t->call.steps[i].kernel;
        if (t->call.steps[i].expression || strncmp(kernel, "_Z", 2) == 0 ||
            atx_lines_source_has(lines, kernel))
            continue;
        char near[ATX_MAX_NAME], *text = atx_text_copy(lines->source, lines->len); /* terminated */
        bool has = text && atx_code_nearest_kernel(near, text, kernel);
        free(text);
        return atx_fail(
            lines->err, AT_ERR_INPUT,
            "%s:%d:%d: found no kernel '%s' in this file; expected it below the declaration%s%s%s",
            t->text.file, r->name_where.line, r->name_where.column, kernel, has ? ", or a line 'kernel " : "",
            has ? near : "", has ? "'" : "");
    }
    return AT_OK;
}

static const char *taken_by(const atx_template *t, const char *name)
{
    if (strcmp(name, t->call.steps[0].kernel) == 0)
        return "is the kernel's name";
    for (int i = 0; i < t->op->arg_count; i++)
        if (strcmp(name, t->op->args[i].name) == 0)
            return "is an argument of the operation";
    return NULL;
}

/* A constant of such a name would hide the kernel, or be hidden in it: a clash, or another value than meant.
 */
static at_status check_param_names(const atx_template *t, at_error *err)
{
    for (int i = 0; i < t->scope.param_count; i++) {
        const atx_param *p = &t->scope.params[i];
        const char *why = taken_by(t, p->name);
        if (why)
            return atx_fail_at(err, p->where, "found '%s', which %s; expected another name", p->name, why);
    }
    return AT_OK;
}

_Static_assert(ATX_MAX_NAME == ATX_MAX_WORD, "names of both");

/* ---- alignment ---- */

static bool launch_reads(const atx_launch *launch, int slot)
{
    atx_launch copy = *launch;
    atx_expr **all[ATX_LAUNCH_EXPRS];
    bool reads = false;
    atx_launch_exprs(all, &copy);
    for (int i = 0; i < ATX_LAUNCH_EXPRS && !reads; i++)
        reads = *all[i] && atx_expr_reads(*all[i], slot);
    return reads;
}

static bool map_reads(const atx_tensor_map *map, int slot)
{
    atx_tensor_map copy = *map;
    atx_expr **all[ATX_TENSOR_MAP_EXPRS];
    bool reads = false;
    atx_tensor_map_exprs(all, &copy);
    for (int i = 0; i < ATX_TENSOR_MAP_EXPRS && !reads; i++)
        reads = *all[i] && atx_expr_reads(*all[i], slot);
    return reads;
}

static bool template_reads(const atx_template *t, int slot)
{
    bool reads = t->scope.fixed && atx_expr_reads(t->scope.fixed, slot);
    for (int i = 0; i < t->call.map_count && !reads; i++)
        reads = map_reads(&t->call.maps[i], slot);
    for (int i = 0; i < t->call.step_count && !reads; i++)
        reads = launch_reads(&t->call.steps[i].launch, slot);
    for (size_t i = 0; i < t->call.own_count && !reads; i++)
        reads = t->call.own[i].expr && atx_expr_reads(t->call.own[i].expr, slot);
    for (int i = 0; i < t->build.option_count && !reads; i++)
        reads = t->build.options[i].when && atx_expr_reads(t->build.options[i].when, slot);
    for (size_t i = 0; i < t->scope.let_count && !reads; i++)
        reads = atx_expr_reads(t->scope.lets[i].expr, slot);
    for (size_t i = 0; i < t->scope.require_count && !reads; i++)
        reads = atx_expr_reads(t->scope.requires[i].expr, slot);
    return reads;
}

/* A requirement that follows from other lines. */
static at_status add_require(atx_template *t, const char *text, const char *reason, atx_where where,
                             at_error *err)
{
    atx_scope scope = { .find = atx_symbols_find, .context = &t->scope.symbols };
    atx_require require = { .implied = true, .where = where };

    ATX_TRY(atx_expr_compile(&require.expr, text, strlen(text), &scope, where, err));
    require.reason = atx_text_copy(reason, strlen(reason));
    if (!require.reason || !atx_grow(&t->scope.requires, &t->scope.require_cap, t->scope.require_count,
                                     sizeof *t->scope.requires)) {
        atx_expr_close(require.expr);
        free(require.reason);
        return atx_no_memory(err);
    }
    t->scope.requires[t->scope.require_count++] = require;
    return AT_OK;
}

/* ---- arguments of its own ---- */

/* A configuration in which a scalar has a value that its type does not have is none. One that names an
 * iteration has many: each is looked at where the launch is made. */
static at_status require_value(atx_template *t, const atx_arg *arg, at_error *err)
{
    char reason[ATX_MAX_NAME + 32];
    ATX_LOCAL(atx_str) text = { 0 };
    int64_t least = 0, most = 0;
    if (!arg->expr || atx_dtype_is_real(arg->type) || arg->type == ATX_I64 ||
        atx_loops_read_by(&t->call.loops, arg->expr))
        return AT_OK;
    atx_dtype_range(&least, &most, arg->type);
    const char *value = atx_expr_text(arg->expr);
    const bool is_name = !strpbrk(value, " ()?+-*/%<>=!&|^~[:,");
    atx_str_addf(&text,
                 is_name ? "%s >= %" PRId64 " && %s <= %" PRId64 : "(%s) >= %" PRId64 " && (%s) <= %" PRId64,
                 value, least, value, most);
    snprintf(reason, sizeof reason, "'%s' is of %s", arg->name, atx_dtype_name(arg->type));
    ATX_TRY(atx_str_status(&text, err));
    return add_require(t, atx_str_text(&text), reason, arg->where, err);
}

static at_status require_values(atx_template *t, at_error *err)
{
    for (size_t i = 0; i < t->call.own_count; i++)
        ATX_TRY(require_value(t, &t->call.own[i], err));
    return AT_OK;
}

/* ---- alignment, the rule ---- */

static at_status require_full(atx_template *t, const atx_align *align, atx_where where, at_error *err)
{
    char text[2 * ATX_MAX_NAME];
    snprintf(text, sizeof text, "%s == %d", align->name, ATX_FULL_ALIGN);
    return add_require(t, text, "its declaration does not mention it", where, err);
}

/*
 * The rule for buffers that are not fully aligned: a template that does not mention an alignment was written
 * without a thought of it, so it gets no other than the full one.
 */
static at_status require_full_alignments(const atx_reading *r, at_error *err)
{
    const atx_op *op = r->t->op;
    for (int i = 0; i < op->shape.align_count; i++)
        if (!template_reads(r->t, op->shape.aligns[i].slot))
            ATX_TRY(require_full(r->t, &op->shape.aligns[i], r->name_where, err));
    return AT_OK;
}

static at_status read_all(atx_template *t, const atx_commons *commons, const char *source, size_t len,
                          at_error *err)
{
    struct atx_template_scope *in = &t->scope;
    atx_reading r = { .t = t, .commons = commons, .launches = t->op->recorded };
    atx_lines lines;
    at_status status = atx_lines_open(&lines, source, len, t->text.file, "template", err);
    if (status != AT_OK)
        return status;
    lines.in = (atx_declaring){ &in->symbols,  &in->lets,          &in->let_count,  &in->let_cap,
                                &in->requires, &in->require_count, &in->require_cap };
    if ((status = atx_read_keywords(&lines, KEYWORDS, &r.launches, &r)) != AT_OK)
        return status;
    for (int i = 0; i < t->scope.param_count; i++)
        t->scope.defaults[i] = t->scope.params[i].values[0];
    atx_complete_args(t);
    atx_loops_complete(&t->call.loops, t->call.step_count, &lines);
    if (lines.status != AT_OK)
        return lines.status;
    if (r.has_default && (status = apply_default(t, &r.default_line)) != AT_OK)
        return status;
    status = require_full_alignments(&r, err);
    ATX_THEN(status,
             atx_loops_check(&t->call.loops, in->lets, in->let_count, in->requires, in->require_count, err));
    ATX_THEN(status, require_values(t, err));
    ATX_THEN(status, atx_check_own_args(t, err));
    if (status != AT_OK || t->op->recorded)
        return status;
    status = find_kernel(&r, &lines);
    return status == AT_OK ? check_param_names(t, err) : status;
}

/* ---- views of the device ---- */

/* A kernel's name, or of a symbol, _Z1fPf or _ZN2ns1fEPf, the names that are in it. */
static void add_kernel_names(atx_str *out, const char *kernel)
{
    const char *at = kernel + (kernel[2] == 'N' ? 3 : 2);
    atx_str_addf(out, "%s\n", kernel);
    while (strncmp(kernel, "_Z", 2) == 0 && *at >= '1' && *at <= '9') {
        char *name;
        const unsigned long len = strtoul(at, &name, 10);
        if (len > strlen(name))
            return;
        atx_str_add_bytes(out, name, len);
        atx_str_add(out, "\n");
        at = name + len;
    }
}

/* The code that the template needs of its sources, also because of words in its own code. */
static void add_reached(atx_str *out, const atx_template *t, const char *own, size_t own_len)
{
    for (int i = 0; i < t->call.step_count; i++)
        add_kernel_names(out, t->call.steps[i].kernel);
    for (int i = 0; i < t->op->arg_count; i++)
        atx_str_addf(out, "%s\n", t->op->args[i].variable);
    for (int i = 0; i < t->scope.param_count; i++)
        for (int k = 0; t->scope.params[i].labels && k < t->scope.params[i].count; k++)
            atx_str_addf(out, "%s\n", t->scope.params[i].labels[k]);
    atx_str_add_bytes(out, own, own_len);
}

/* The definitions of a rendered text before its sources. */
static void add_replaced(atx_str *out, const atx_template *t)
{
    for (int i = 0; i < t->scope.param_count; i++)
        atx_str_addf(out, "%s\n", t->scope.params[i].name);
    for (size_t i = 0; i < t->scope.let_count; i++)
        if (t->scope.lets[i].rendered)
            atx_str_addf(out, "%s\n", t->scope.lets[i].name);
    for (int i = 0; i < t->build.define_count; i++)
        atx_str_addf(out, "%s\n", t->build.defines[i].name);
}

static at_status make_bundle(atx_bundle *out, atx_bundle_request request, const atx_template *t,
                             const atx_commons *commons, at_error *err)
{
    size_t own_len;
    const char *own = atx_bundle_own(&own_len, request.source, request.len);
    ATX_LOCAL(atx_str) reached = { 0 }, replaced = { 0 };
    add_reached(&reached, t, own, own_len);
    add_replaced(&replaced, t);
    request.reached = atx_str_text(&reached);
    request.replaced = atx_str_text(&replaced);
    ATX_TRY(atx_str_status(reached.failed ? &reached : &replaced, err));
    return atx_bundle_make(out, &request, commons, err);
}

at_status atx_template_read(atx_template **out, const atx_op *op, const char *source, size_t len,
                            const char *file, at_error *err)
{
    return atx_template_read_with(out, op, NULL, source, len, file, err);
}

at_status atx_template_read_with(atx_template **out, const atx_op *op, const atx_commons *commons,
                                 const char *source, size_t len, const char *file, at_error *err)
{
    size_t own_len;
    const char *own = atx_bundle_own(&own_len, source, len);
    atx_bundle bundle;
    atx_commons within = { 0 };
    atx_template *t = calloc(1, sizeof *t);
    if (!t)
        return atx_no_memory(err);
    t->op = op;

    at_status status = atx_symbols_copy(&t->scope.symbols, &op->scope.symbols, err);
    if (status != AT_OK)
        goto done;
    t->text.file = atx_text_copy(file, strlen(file));
    if (!t->text.file) {
        status = atx_no_memory(err);
        goto done;
    }
    if ((status = atx_commons_of_bundle(&within, source, own, err)) != AT_OK ||
        (status = read_all(t, own == source ? commons : &within, own, own_len, err)) != AT_OK)
        goto done;
    const atx_bundle_request request = { .source = source,
                                         .len = len,
                                         .file = file,
                                         .uses = &t->uses,
                                         .sources = &t->build.sources,
                                         .includes = &t->build.includes,
                                         .data = op->text.data };
    if ((status = make_bundle(&bundle, request, t, commons, err)) != AT_OK)
        goto done;
    t->text.source = bundle.source;
    t->text.source_len = bundle.len;
    t->text.parts = bundle.parts;
    t->text.part_count = bundle.part_count;
    t->text.headers = bundle.headers;
    atx_find_target(t);
    free(bundle.data); /* the op has it */
    if ((status = atx_normalized_hash(t->text.hash, bundle.source, bundle.len, NULL, err)) != AT_OK)
        goto done;
    *out = t;
    t = NULL;
done:
    atx_commons_clear(&within);
    atx_template_close(t);
    return status;
}

void atx_template_close(atx_template *t)
{
    if (!t || t->loaded) { /* of one piece */
        free(t);
        return;
    }
    for (int i = 0; i < t->scope.param_count; i++) {
        atx_param *param = &t->scope.params[i];
        for (int k = 0; param->labels && k < param->count; k++)
            free(param->labels[k]);
        free(param->labels);
        free(param->values);
        free(param->meaning);
    }
    atx_symbols_clear(&t->scope.symbols);
    atx_lets_clear(t->scope.lets, t->scope.let_count);
    atx_requires_clear(t->scope.requires, t->scope.require_count);
    free(t->scope.requires);
    atx_expr_close(t->scope.fixed);
    atx_template_sources_clear(t);
    free(t->about);
    free(t->text.source);
    free(t->text.headers);
    atx_parts_close(t->text.parts, t->text.part_count);
    for (int i = 0; i < t->text.shared_count; i++)
        free(t->text.shared[i]);
    free(t->text.file);
    free(t);
}
