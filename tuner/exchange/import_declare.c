/*
 * import_declare.c - see import_declare.h.
 *
 * First parameters alone are declared. Then each condition is translated and tried on what it is about: a
 * division must be the same in C, and no recorded configuration may break the condition. Only then it goes
 * into the declaration.
 */
#include "exchange/import_declare.h"

#include "exchange/python.h"
#include "util/rng.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Combinations of values on which a division is tried: all of them, or so many drawn at random. */
enum { MOST_TRIED = 65536, MAX_CONDITION = 3900, LEAST_RANGE = 3 };

typedef struct declaring {
    const atx_import_file *file, *space;
    const atx_import_options *options;
    atx_op *op; /* parameters alone */
    atx_template *t;
    atx_problem problem;
    int64_t slots[ATX_MAX_SLOTS];
    atx_str requires;
    at_error *err;
} declaring;

/* ---- names and values ---- */

/* [a-z][a-z0-9_]*, as ops are called. */
static void add_plain_name(atx_str *out, const char *text, size_t len)
{
    size_t room = ATX_MAX_NAME - 1;
    if (len && !isalpha((unsigned char)text[0])) {
        atx_str_add(out, "k");
        room--;
    }
    for (size_t i = 0; i < len && i < room; i++) {
        char c = (char)tolower((unsigned char)text[i]);
        atx_str_add_bytes(out, isalnum((unsigned char)c) ? &c : "_", 1);
    }
}

static void add_op_name(atx_str *out, const declaring *d)
{
    const char *kernel = d->file->kernel[0] ? d->file->kernel : d->space ? d->space->kernel : "";
    const char *slash = strrchr(d->file->path, '/'), *base = slash ? slash + 1 : d->file->path;
    if (d->options->name)
        atx_str_add(out, d->options->name);
    else if (kernel[0])
        add_plain_name(out, kernel, strlen(kernel));
    else
        add_plain_name(out, base, strcspn(base, "."));
}

/* `name` with an ending where it is that of an operation of ours, which would be hidden, or hide it. */
static void add_free_name(atx_str *out, const declaring *d)
{
    static const char ENDING[] = "_recorded";
    ATX_LOCAL(atx_str) name = { 0 };
    add_op_name(&name, d);
    bool taken = !d->options->name && d->options->is_taken && !name.failed &&
                 d->options->is_taken(d->options->context, atx_str_text(&name));
    size_t room = ATX_MAX_NAME - sizeof ENDING;
    atx_str_add_bytes(out, atx_str_text(&name), taken && name.len > room ? room : name.len);
    atx_str_add(out, taken ? ENDING : "");
    out->failed |= name.failed;
}

/* How many values from `at` on are an arithmetic progression upwards. */
static size_t progression(const atx_import_param *p, size_t at)
{
    size_t n = 1;
    int64_t step = 0;
    while (at + n < p->count) {
        int64_t difference;
        if (__builtin_sub_overflow(p->values[at + n].number, p->values[at + n - 1].number, &difference) ||
            difference < 1 || (n > 1 && difference != step))
            break;
        step = difference;
        n++;
    }
    return n;
}

static bool has_words(const atx_import_param *p)
{
    size_t i = 0;
    while (i < p->count && !p->values[i].word)
        i++;
    return i < p->count;
}

/* Beside words numbers are words, too: v1, v_1. */
static void add_words(atx_str *out, const atx_import_param *p)
{
    for (size_t i = 0; i < p->count; i++) {
        int64_t number = p->values[i].number;
        if (p->values[i].word)
            atx_str_addf(out, " %s", p->values[i].word);
        else
            atx_str_addf(out, " v%s%" PRIu64, number < 0 ? "_" : "",
                         number < 0 ? -(uint64_t)number : (uint64_t)number);
    }
}

static void add_values(atx_str *out, const atx_import_param *p)
{
    if (has_words(p)) {
        add_words(out, p);
        return;
    }
    for (size_t i = 0; i < p->count;) {
        size_t n = progression(p, i);
        int64_t first = p->values[i].number;
        if (n < LEAST_RANGE) {
            atx_str_addf(out, " %" PRId64, first);
            n = 1;
        } else {
            int64_t step = p->values[i + 1].number - first;
            atx_str_addf(out, " %" PRId64 "..%" PRId64, first, p->values[i + n - 1].number);
            if (step != 1)
                atx_str_addf(out, ":%" PRId64, step);
        }
        i += n;
    }
}

/* A parameter that the declaration has and the recording has not, with one number: conditions may name it. */
static void add_missing(atx_str *out, const declaring *d)
{
    for (int i = 0; d->space && i < d->space->param_count; i++) {
        const atx_import_param *p = &d->space->params[i];
        if (p->count == 1 && !p->values[0].word &&
            atx_import_find_param(d->file, p->name, strlen(p->name)) < 0)
            atx_str_addf(out, "let       %s = %" PRId64 "\n", p->name, p->values[0].number);
    }
}

static const int64_t *sizes_of(const declaring *d, int *count)
{
    static const int64_t ONE[] = { 1 };
    const atx_import_file *from = d->file->size_count || !d->space ? d->file : d->space;
    *count = from->size_count ? from->size_count : 1;
    return from->size_count ? from->sizes : ONE;
}

static atx_dtype type_of(const declaring *d)
{
    atx_dtype type = d->file->type < ATX_DTYPES || !d->space ? d->file->type : d->space->type;
    return type < ATX_DTYPES ? type : ATX_F32;
}

/* ---- the text ---- */

static void add_op(atx_str *out, const declaring *d)
{
    static const char DIMS[] = "xyzuvwst";
    static_assert(sizeof DIMS > ATX_MAX_DIMS, "each dimension has a name");
    int count;
    (void)sizes_of(d, &count);
    atx_str_add(out, "/*!autotune\nop        ");
    add_free_name(out, d);
    atx_str_addf(out, "  # recorded by %s\nshape    ", d->file->own ? "autotune" : "another tuner");
    for (int i = 0; i < count; i++)
        atx_str_addf(out, " problem_%c", DIMS[i]);
    atx_str_addf(out, "\ntype      T = %s\nrecorded\n*/\n\n", atx_dtype_name(type_of(d)));
}

static void add_template(atx_str *out, const declaring *d)
{
    atx_str_addf(out, "/*!autotune\ntemplate  %s\n\n",
                 d->file->template_count ? d->file->templates[d->file->number] : ATX_IMPORT_TEMPLATE);
    for (int i = 0; i < d->file->param_count; i++) {
        atx_str_addf(out, "param     %s =", d->file->params[i].name);
        add_values(out, &d->file->params[i]);
        atx_str_add(out, "\n");
    }
    add_missing(out, d);
    if (d->requires.len)
        atx_str_addf(out, "\n%s", atx_str_text(&d->requires));
    atx_str_add(out, "*/\n");
}

/* The text to store: the op is in the text of its first template alone. */
static void add_declaration(atx_str *out, const declaring *d)
{
    if (d->file->number == 0)
        add_op(out, d);
    add_template(out, d);
}

static at_status read_op(atx_op **op, const atx_str *text, const declaring *d, at_error *err)
{
    ATX_LOCAL(atx_str) alone = { 0 };
    if (d->file->number == 0)
        return atx_op_read(op, text->data, text->len, "declaration", err);
    add_op(&alone, d);
    ATX_TRY(atx_str_status(&alone, err));
    return atx_op_read(op, alone.data, alone.len, "declaration", err);
}

static at_status read_back(atx_op **op, atx_template **t, const atx_str *text, const declaring *d)
{
    at_error cause = { 0 };
    at_status status = read_op(op, text, d, &cause);
    ATX_THEN(status, atx_template_read(t, *op, text->data, text->len, "declaration", &cause));
    if (status != AT_OK)
        atx_fail(d->err, status, "%s: its space cannot be declared: %s", d->file->path, cause.text);
    return status;
}

/* ---- trying a division ---- */

/* The combination of that number of the values of the parameters in `params`. */
static void combination(atx_config *out, const atx_template *t, uint32_t params, uint64_t number)
{
    for (int i = 0; i < t->scope.param_count; i++) {
        uint64_t n = (uint64_t)t->scope.params[i].count;
        out->values[i] = t->scope.params[i].values[params >> i & 1 ? number % n : 0];
        number /= params >> i & 1 ? n : 1;
    }
}

static at_status compile(atx_expr **out, const declaring *d, const atx_str *text, at_error *err)
{
    atx_scope scope = { .find = atx_symbols_find, .context = &d->t->scope.symbols };
    atx_where where = { .file = "condition", .line = 1, .column = 1 };
    return atx_expr_compile(out, text->data, text->len, &scope, where, err);
}

static at_status try_values(const declaring *d, const atx_py_guard *guard, const atx_expr *holds,
                            atx_py_error *why)
{
    const atx_template *t = d->t;
    uint32_t params = 0;
    double all = 1;
    atx_rng rng = { 1 };
    for (int i = 0; i < t->scope.param_count; i++) {
        if (!atx_expr_reads(holds, t->scope.params[i].slot))
            continue;
        params |= 1u << i;
        all *= t->scope.params[i].count;
    }
    bool whole = all <= MOST_TRIED;
    int64_t tries = whole ? (int64_t)all : MOST_TRIED, slots[ATX_MAX_SLOTS], good = 1;
    memcpy(slots, d->slots, sizeof slots);
    for (int64_t i = 0; i < tries; i++) {
        atx_config config;
        combination(&config, t, params, whole ? (uint64_t)i : atx_rng_next(&rng));
        if (atx_config_bind(slots, t, &config, NULL) == AT_OK &&
            atx_expr_eval(&good, holds, slots, NULL) == AT_OK && !good) {
            ATX_LOCAL(atx_str) values = { 0 };
            for (int k = 0; k < t->scope.param_count; k++)
                if (params >> k & 1)
                    atx_str_addf(&values, " %s=%" PRId64, t->scope.params[k].name, config.values[k]);
            atx_py_refuse(why, guard->offset, "%s; at%.70s", guard->why, atx_str_text(&values));
            return AT_ERR_INPUT;
        }
    }
    return AT_OK;
}

static at_status try_guard(const declaring *d, const atx_py_guard *guard, atx_py_error *why)
{
    ATX_CLOSED(atx_expr) *holds = NULL;
    at_error cause = { 0 };
    at_status status = compile(&holds, d, &guard->text, &cause);
    if (status == AT_OK)
        status = try_values(d, guard, holds, why);
    else
        atx_py_refuse(why, guard->offset, "%.140s", cause.text);
    return status;
}

/* ---- one condition ---- */

static bool is_known(const void *context, const char *name, size_t len)
{
    return atx_symbols_find(&((const declaring *)context)->t->scope.symbols, name, len) >= 0;
}

static bool has_word(const void *context, const char *name, size_t name_len, const char *word,
                     size_t word_len)
{
    const atx_template *t = ((const declaring *)context)->t;
    int i = atx_param_find(t, name, name_len);
    return i >= 0 && t->scope.params[i].labels &&
           atx_param_find_text(&t->scope.params[i], word, word_len) >= 0;
}

static at_status translate(atx_py_condition *out, const declaring *d, const atx_str *text, atx_py_error *why)
{
    atx_py_scope scope = { .known = is_known, .has_word = has_word, .context = d };
    ATX_TRY(atx_py_translate(out, atx_str_text(text), text->len, &scope, why));
    for (int i = 0; i < out->guard_count; i++)
        ATX_TRY(try_guard(d, &out->guards[i], why));
    if (out->text.len > MAX_CONDITION)
        ATX_TRY(atx_py_refuse(why, 0, "found a condition that takes %zu characters here; expected at most %d",
                              out->text.len, MAX_CONDITION));
    return AT_OK;
}

/* How many of the recorded configurations break it; one that cannot be evaluated does. */
static at_status count_broken(size_t *broken, const declaring *d, const atx_str *text, atx_py_error *why)
{
    ATX_CLOSED(atx_expr) *expr = NULL;
    at_error cause = { 0 };
    int64_t slots[ATX_MAX_SLOTS];
    *broken = 0;
    at_status status = compile(&expr, d, text, &cause);
    if (status != AT_OK) {
        atx_py_refuse(why, 0, "%.140s", cause.text);
        return status; /* out of memory is no reason to leave a condition out */
    }
    memcpy(slots, d->slots, sizeof slots);
    for (size_t i = 0; i < d->file->trial_count; i++) {
        atx_config config;
        int64_t holds = 0;
        atx_import_config(&config, d->t, &d->file->trials[i]);
        if (atx_config_bind(slots, d->t, &config, NULL) != AT_OK ||
            atx_expr_eval(&holds, expr, slots, NULL) != AT_OK || !holds)
            ++*broken;
    }
    return AT_OK;
}

static void warn(const declaring *d, const char *text)
{
    if (d->options->warning)
        d->options->warning(d->options->context, text);
}

/* Without a recording the space would be too large: then it is an error. */
static at_status leave_out(const declaring *d, uint32_t node, const atx_py_error *why)
{
    char text[sizeof((at_error *)0)->text + 80];
    at_error cause = { 0 };
    at_error *err = d->file == d->space ? d->err : &cause;
    atx_json_fail(&d->space->json, node, why->offset, err, "%s", why->text);
    if (d->file == d->space)
        return AT_ERR_INPUT;
    snprintf(text, sizeof text, "%s; this condition is left out: what was recorded limits the space",
             cause.text);
    warn(d, text);
    return AT_OK;
}

static at_status add_requirement(declaring *d, const atx_str *condition)
{
    ATX_TRY(atx_str_status(condition, d->err));
    atx_str_addf(&d->requires, "require   %s\n", atx_str_text(condition));
    return atx_str_status(&d->requires, d->err);
}

static at_status add_condition(declaring *d, uint32_t node)
{
    ATX_LOCAL(atx_str) text = { 0 };
    ATX_LOCAL(atx_py_condition) condition = { .guard_count = 0 };
    atx_py_error why = { 0 };
    size_t broken = 0;
    atx_json_add_text(&text, &d->space->json, node);
    at_status status = atx_str_status(&text, d->err);
    if (status == AT_OK) {
        status = translate(&condition, d, &text, &why);
        ATX_THEN(status, count_broken(&broken, d, &condition.text, &why));
        if (status == AT_OK && broken)
            status = atx_py_refuse(
                &why, 0, "found %zu of %zu recorded configurations that break '%.60s'; expected none", broken,
                d->file->trial_count, atx_str_text(&text));
        if (status == AT_ERR_INPUT)
            status = leave_out(d, node, &why);
        else if (status != AT_OK)
            atx_fail(d->err, status, "%s", why.text);
        else
            status = add_requirement(d, &condition.text);
    }
    return status;
}

/* Conditions are objects with an Expression, or the texts themselves. */
static at_status add_conditions(declaring *d)
{
    const atx_json *json = &d->space->json;
    uint32_t space = atx_json_member(json, 0, "ConfigurationSpace"),
             list = atx_json_member(json, space, "Conditions");
    for (uint32_t at = list ? atx_json_first(json, list) : 0; at; at = atx_json_next(json, at)) {
        uint32_t text =
            json->nodes[at].kind == ATX_JSON_OBJECT ? atx_json_member(json, at, "Expression") : at;
        if (!text || json->nodes[text].kind != ATX_JSON_STRING)
            return atx_json_fail(json, at, 0, d->err,
                                 "found a condition without Expression; expected a Python text");
        ATX_TRY(add_condition(d, text));
    }
    return AT_OK;
}

/* ---- all of it ---- */

void atx_import_config(atx_config *out, const atx_template *t, const atx_import_trial *trial)
{
    *out = (atx_config){ { 0 } };
    for (int i = 0; i < t->scope.param_count; i++)
        out->values[i] = t->scope.params[i].values[trial->places[i]];
}

at_status atx_import_problem(atx_problem *out, const atx_imported *item, const atx_import_file *file,
                             at_error *err)
{
    int64_t sizes[ATX_MAX_DIMS];
    int type = 0;
    for (int i = 0; i < item->op->shape.dim_count; i++)
        sizes[i] = i < file->size_count ? file->sizes[i] : 1;
    while (!(item->op->types >> type & 1))
        type++;
    return atx_problem_init(out, item->op, (atx_dtype)type, sizes, item->op->shape.dim_count, err);
}

/* What conditions are tried with: parameters alone. */
static at_status open_trial(declaring *d)
{
    static const atx_limits NO_DEVICE = { 0 };
    ATX_LOCAL(atx_str) text = { 0 };
    int count;
    const int64_t *sizes = sizes_of(d, &count);
    add_declaration(&text, d);
    ATX_TRY(atx_str_status(&text, d->err));
    ATX_TRY(read_back(&d->op, &d->t, &text, d));
    ATX_TRY(atx_problem_init(&d->problem, d->op, type_of(d), sizes, count, d->err));
    return atx_problem_bind(d->slots, &d->problem, &NO_DEVICE, d->err);
}

at_status atx_import_declare(atx_imported *item, const atx_import_file *file, const atx_import_file *space,
                             const atx_import_options *options, at_error *err)
{
    declaring d = { .file = file, .space = space, .options = options, .err = err };
    at_status status = open_trial(&d);
    if (status == AT_OK && space)
        status = add_conditions(&d);
    if (status == AT_OK) {
        add_declaration(&item->declaration, &d);
        status = atx_str_status(&item->declaration, err);
    }
    ATX_THEN(status, read_back(&item->op, &item->t, &item->declaration, &d));
    atx_str_clear(&d.requires);
    atx_template_close(d.t);
    atx_op_close(d.op);
    return status;
}
