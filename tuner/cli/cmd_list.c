/* cmd_list.c - `autotune list`: operations, templates, devices, strategies. */
#include "cli/commands.h"
#include "device/device.h"
#include "lang/named_size.h"
#include "search/strategy.h"
#include "util/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const atx_usage USAGE = {
    "autotune list [ops|templates|devices|strategies] [OP|OP/TEMPLATE]... [options]",
    "Lists operations, templates, strategies and devices on one screen. OP shows an operation and its "
    "templates; OP/TEMPLATE, or `templates`, shows parameters and constraints.\n"
    "Exit code 3: only devices were asked for, and none is usable.",
};

enum { OPS = 1, TEMPLATES = 2, DEVICES = 4, STRATEGIES = 8 };

static const struct {
    const char *name;
    unsigned section;
} SECTIONS[] = {
    { "ops", OPS },
    { "templates", TEMPLATES },
    { "devices", DEVICES },
    { "strategies", STRATEGIES },
};
enum { SECTION_COUNT = sizeof SECTIONS / sizeof *SECTIONS };

enum {
    BRIEF_WIDTH = 20,  /* of "op/template", before its description */
    SCREEN_WIDTH = 80, /* of the overview */
};

/* The words of the command line. */
typedef struct request {
    unsigned sections;
    const char *op;       /* NULL: all */
    const char *template; /* NULL: all */
    bool brief;           /* templates by name and description */
    bool overview;        /* without words: an overview that fits a screen */
    bool json;
    atx_catalog *catalog;
} request;

static bool wanted(const request *r, const atx_op *op)
{
    return !r->op || strcmp(r->op, op->name) == 0;
}

static bool wanted_template(const request *r, const atx_template *t)
{
    return !r->template || strcmp(r->template, t->name) == 0;
}

/* Text. */

static void add_shape(atx_str *out, const atx_op *op)
{
    atx_str_add(out, op->shape.layout_count ? " extents permutation [in=strides] [out=strides]" : "");
    for (int i = 0; i < op->shape.dim_count && !op->shape.layout_count; i++) {
        atx_str_add(out, op->shape.dims[i].optional ? " [" : " ");
        atx_dim_add_text(out, &op->shape.dims[i]);
        atx_str_add(out, op->shape.dims[i].optional ? "]" : "");
    }
    for (int i = 0; i < op->shape.pitch_count; i++)
        atx_str_addf(out, "%s%s=%s", i ? " " : " / ", op->shape.pitches[i].name,
                     op->shape.dims[op->shape.pitches[i].dim].name);
    for (int i = 0; i < op->shape.align_count; i++)
        atx_str_addf(out, "%s%s=%d", i ? " " : " @ ", op->shape.aligns[i].name, ATX_FULL_ALIGN);
}

/* Words behind a label, in lines that a screen has room for. */
static void print_wrapped(const char *label, const char *words)
{
    size_t column = strlen(label);
    atx_print(stdout, "%s", label);
    for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
        size_t count = strcspn(words, " ");
        bool fits = column + 1 + count <= SCREEN_WIDTH;
        atx_print(stdout, "%s %.*s", fits ? "" : "\n   ", (int)count, words);
        column = (fits ? column : 3) + 1 + count;
        words += count;
    }
    atx_print(stdout, "\n");
}

static void list_op(const atx_op *op, bool overview)
{
    static const char *const ROLES[] = { "", "input ", "output ", "inout ", "scratch " };
    ATX_LOCAL(atx_str) shape = { 0 };
    add_shape(&shape, op);
    atx_print(stdout, "%s: %s\n", op->name, op->about);
    if (overview)
        print_wrapped("  shape:", atx_str_text(&shape));
    else
        atx_print(stdout, "  shape:%s\n", atx_str_text(&shape));
    if (overview)
        return;
    atx_print(stdout, "  types:%s", op->storage ? " any; those of one size share a result" : "");
    for (int i = 0; i < ATX_DTYPES && !op->storage; i++)
        if (op->types & (1u << i))
            atx_print(stdout, " %s", atx_dtype_name((atx_dtype)i));
    atx_print(stdout, "\n  arguments:");
    for (int i = 0; i < op->arg_count; i++)
        atx_print(stdout, "%s %s%s", i ? "," : "", ROLES[op->args[i].role], op->args[i].name);
    atx_print(stdout, "\n");
    if (op->goal.ops)
        atx_print(stdout, "  operations: %s\n", atx_expr_text(op->goal.ops));
    for (int i = 0; i < op->goal.metric_count; i++)
        atx_print(stdout, "  metric %s = %s%s%s\n", op->goal.metrics[i].name,
                  atx_expr_text(op->goal.metrics[i].expr), op->goal.metrics[i].meaning[0] ? "   # " : "",
                  op->goal.metrics[i].meaning);
    if (op->goal.objective)
        atx_print(stdout, "  objective: %s\n", op->goal.objective_text);
}

static void list_values(const atx_param *p)
{
    for (int k = 0; k < p->count; k++)
        if (p->labels)
            atx_print(stdout, " %s", p->labels[k]);
        else
            atx_print(stdout, " %" PRId64, p->values[k]);
}

static void list_template(const atx_template *t)
{
    atx_print(stdout, "%s/%s: %s\n", t->op->name, t->name, t->about);
    for (int i = 0; i < t->scope.param_count; i++) {
        atx_print(stdout, "  %-12s", t->scope.params[i].name);
        list_values(&t->scope.params[i]);
        atx_print(stdout, "%s%s\n", t->scope.params[i].meaning[0] ? "   # " : "", t->scope.params[i].meaning);
    }
    for (size_t i = 0; i < t->scope.require_count; i++)
        atx_print(stdout, "  %-12s %s%s%s\n", t->scope.requires[i].prefers ? "prefer" : "require",
                  atx_expr_text(t->scope.requires[i].expr), t->scope.requires[i].reason[0] ? "   # " : "",
                  t->scope.requires[i].reason);
    for (int i = 0; i < t->replace_count; i++)
        atx_print(stdout, "%s %s%s", i ? "" : "  replaces    ", t->replaces[i],
                  i + 1 < t->replace_count ? "" : "   # in packs; no search tries it unasked\n");
}

static void print_device(int ordinal, const atx_device_info *d, bool overview)
{
    if (overview) {
        atx_print(stdout, "device %d: %s, compute capability %" PRId64 ".%" PRId64 ", driver %s\n", ordinal,
                  d->name, d->limits.cc / 10, d->limits.cc % 10, d->driver);
        return;
    }
    atx_print(stdout,
              "%d: %s, compute capability %" PRId64 ".%" PRId64 ", %" PRId64 " multiprocessors, L2 %" PRId64
              " MB, memory %" PRId64 " MiB (%" PRId64 " free), driver %s, %s\n",
              ordinal, d->name, d->limits.cc / 10, d->limits.cc % 10, d->limits.sms, d->limits.l2_bytes >> 20,
              d->limits.memory_bytes >> 20, d->free_bytes >> 20, d->driver, d->uuid);
}

/* JSON: one object with an array for each section. */

/* The op's traffic and operations, its metrics and its objective. */
static void json_metrics(atx_str *out, const atx_op *op)
{
    atx_member_text(out, "ops_count", op->goal.ops ? atx_expr_text(op->goal.ops) : NULL);
    atx_member_name(out, "metrics");
    atx_str_add(out, "{");
    for (int i = 0; i < op->goal.metric_count; i++)
        atx_member_text(out, op->goal.metrics[i].name, atx_expr_text(op->goal.metrics[i].expr));
    atx_str_add(out, "}");
    atx_member_text(out, "objective", op->goal.objective ? op->goal.objective_text : NULL);
}

/* Of a choice. */
static void json_words(atx_str *out, const atx_dim *dim)
{
    atx_member_name(out, "words");
    atx_str_add(out, "[");
    for (int k = 0; k < dim->word_count; k++)
        atx_str_addf(out, "%s\"%s\"", k ? "," : "", dim->words[k]);
    atx_str_add(out, "]");
}

static void json_op(atx_str *out, const atx_op *op)
{
    static const char *const ROLES[] = { "scalar", "input", "output", "inout", "scratch" };
    atx_str_add(out, "{");
    atx_member_text(out, "name", op->name);
    atx_member_text(out, "about", op->about);
    atx_str_addf(out, ",\"storage\":%s,\"types\":[", op->storage ? "true" : "false");
    for (int i = 0, n = 0; i < ATX_DTYPES; i++)
        if (op->types & (1u << i))
            atx_str_addf(out, "%s\"%s\"", n++ ? "," : "", atx_dtype_name((atx_dtype)i));
    atx_str_add(out, "],\"shape\":[");
    for (int i = 0; i < op->shape.dim_count; i++) {
        atx_str_add(out, i ? ",{" : "{");
        atx_member_text(out, "name", op->shape.dims[i].name);
        atx_row_int(&(atx_row){ .out = out }, "default",
                    op->shape.dims[i].optional ? op->shape.dims[i].value : -1);
        json_words(out, &op->shape.dims[i]);
        atx_str_add(out, "}");
    }
    atx_str_add(out, "],\"pitches\":[");
    for (int i = 0; i < op->shape.pitch_count; i++) {
        atx_str_add(out, i ? ",{" : "{");
        atx_member_text(out, "name", op->shape.pitches[i].name);
        atx_member_text(out, "default", op->shape.dims[op->shape.pitches[i].dim].name);
        atx_str_add(out, "}");
    }
    atx_str_add(out, "],\"alignments\":[");
    for (int i = 0; i < op->shape.align_count; i++) {
        atx_str_add(out, i ? ",{" : "{");
        atx_member_text(out, "name", op->shape.aligns[i].name);
        atx_member_text(out, "argument", op->args[op->shape.aligns[i].arg].name);
        atx_member_int(out, "default", ATX_FULL_ALIGN);
        atx_str_add(out, "}");
    }
    atx_str_add(out, "],\"arguments\":[");
    for (int i = 0; i < op->arg_count; i++) {
        atx_str_add(out, i ? ",{" : "{");
        atx_member_text(out, "name", op->args[i].name);
        atx_member_text(out, "role", ROLES[op->args[i].role]);
        atx_str_add(out, "}");
    }
    atx_str_add(out, "]");
    json_metrics(out, op);
    atx_str_add(out, "}");
}

static void json_param(atx_str *out, const atx_param *p)
{
    atx_str_add(out, "{");
    atx_member_text(out, "name", p->name);
    atx_member_text(out, "meaning", p->meaning);
    atx_str_add(out, ",\"values\":[");
    for (int k = 0; k < p->count; k++) {
        atx_str_add(out, k ? "," : "");
        if (p->labels)
            atx_str_add_json(out, p->labels[k]);
        else
            atx_str_addf(out, "%" PRId64, p->values[k]);
    }
    atx_str_add(out, "]}");
}

static void json_template(atx_str *out, const atx_template *t)
{
    atx_str_add(out, "{");
    atx_member_text(out, "op", t->op->name);
    atx_member_text(out, "name", t->name);
    atx_member_text(out, "about", t->about);
    atx_member_text(out, "file", t->text.file);
    atx_member_text(out, "hash", t->text.hash);
    atx_str_add(out, ",\"parameters\":[");
    for (int i = 0; i < t->scope.param_count; i++) {
        atx_str_add(out, i ? "," : "");
        json_param(out, &t->scope.params[i]);
    }
    atx_str_add(out, "],\"requires\":[");
    for (size_t i = 0; i < t->scope.require_count; i++) {
        atx_str_add(out, i ? ",{" : "{");
        atx_member_text(out, "expression", atx_expr_text(t->scope.requires[i].expr));
        atx_member_text(out, "reason", t->scope.requires[i].reason);
        atx_str_add(out, "}");
    }
    atx_str_add(out, "]}");
}

static void json_device(atx_str *out, int ordinal, const atx_device_info *d)
{
    const atx_limits *l = &d->limits;
    atx_str_addf(out, "{\"ordinal\":%d", ordinal);
    atx_member_text(out, "name", d->name);
    atx_member_text(out, "uuid", d->uuid);
    atx_member_text(out, "driver", d->driver);
    atx_member_int(out, "free_bytes", d->free_bytes);
    atx_member_int(out, "cc", l->cc);
    atx_member_int(out, "sms", l->sms);
    atx_member_int(out, "max_threads_per_block", l->max_threads_per_block);
    atx_member_int(out, "max_shared_bytes", l->max_shared_bytes);
    atx_member_int(out, "l2_bytes", l->l2_bytes);
    atx_member_int(out, "memory_bytes", l->memory_bytes);
    atx_str_add(out, "}");
}

/* Each section prints its text, or adds its array to `out`. */

static void name_templates(const atx_catalog *catalog, const atx_op *op)
{
    ATX_LOCAL(atx_str) names = { 0 };
    for (int i = 0; i < atx_catalog_template_count(catalog, op); i++)
        atx_str_addf(&names, " %s", atx_catalog_template(catalog, op, i)->name);
    print_wrapped("  templates:", atx_str_text(&names));
}

static void list_ops(atx_str *out, const request *r)
{
    for (int i = 0, n = 0; i < atx_catalog_op_count(r->catalog); i++) {
        const atx_op *op = atx_catalog_op(r->catalog, i);
        if (!wanted(r, op))
            continue;
        if (r->json) {
            atx_str_add(out, n++ ? "," : "");
            json_op(out, op);
        } else {
            list_op(op, r->overview);
            if (r->overview)
                name_templates(r->catalog, op);
        }
    }
}

static void list_templates(atx_str *out, const request *r)
{
    for (int i = 0, n = 0; i < atx_catalog_op_count(r->catalog); i++) {
        const atx_op *op = atx_catalog_op(r->catalog, i);
        for (int k = 0; k < atx_catalog_template_count(r->catalog, op) && wanted(r, op); k++) {
            const atx_template *t = atx_catalog_template(r->catalog, op, k);
            if (!wanted_template(r, t))
                continue;
            if (r->json) {
                atx_str_add(out, n++ ? "," : "");
                json_template(out, t);
            } else if (r->brief) {
                atx_print(stdout, "%s/%-*s %s\n", op->name, BRIEF_WIDTH - (int)strlen(op->name), t->name,
                          t->about);
            } else {
                list_template(t);
            }
        }
    }
}

/* A device that cannot be opened does not hide the others; the first reason is returned. */
static at_status list_devices(atx_str *out, const request *r, at_error *err)
{
    int count = 0, shown = 0;
    atx_cancel cancel = { .flag = &atx_cancel_requested };
    at_status status = atx_device_count(&count, &cancel, err);
    if (status == AT_OK && count == 0)
        status = atx_fail(err, AT_ERR_DEVICE, "the CUDA driver reports no device");
    for (int i = 0; i < count && status != AT_ERR_CANCELLED; i++) {
        ATX_CLOSED(atx_device) *device = NULL;
        at_error why = { 0 };
        char ordinal[16];
        snprintf(ordinal, sizeof ordinal, "%d", i);
        at_status opened = atx_device_open(&device, ordinal, &cancel, &why);
        if (opened == AT_ERR_CANCELLED) {
            status = atx_fail(err, opened, "%s", why.text);
        } else if (opened != AT_OK) {
            status = status == AT_OK ? atx_fail(err, AT_ERR_DEVICE, "device %d: %s", i, why.text) : status;
        } else if (r->json) {
            atx_str_add(out, shown++ ? "," : "");
            json_device(out, i, atx_device_info_of(device));
        } else {
            print_device(i, atx_device_info_of(device), r->overview);
        }
    }
    return status;
}

static void list_strategies(atx_str *out, const request *r)
{
    if (r->overview)
        atx_print(stdout, "strategies:");
    for (int i = 0; atx_strategies[i]; i++) {
        if (r->overview) {
            atx_print(stdout, " %s%s", atx_strategies[i]->name, atx_strategies[i + 1] ? "" : "\n");
            continue;
        }
        if (!r->json) {
            atx_print(stdout, "%-12s %s\n", atx_strategies[i]->name, atx_strategies[i]->about);
            continue;
        }
        atx_str_add(out, i ? ",{" : "{");
        atx_member_text(out, "name", atx_strategies[i]->name);
        atx_member_text(out, "about", atx_strategies[i]->about);
        atx_str_add(out, "}");
    }
}

/* Ends the list of list(). */
static int finish(atx_str *out, const request *r, const at_error *device_err)
{
    bool failed = device_err->status != AT_OK, only_devices = r->sections == DEVICES;
    at_error err = { 0 };
    at_status status = AT_OK;
    if (r->json) {
        atx_member_text(out, "device_error", failed ? device_err->text : NULL);
        atx_str_add(out, "}");
        status = atx_str_status(out, &err);
        if (status == AT_OK)
            atx_print(stdout, "%s\n", atx_str_text(out));
    } else if (failed && r->overview) {
        atx_print(stdout, "device: none; `autotune list devices` says why\n");
    } else if (failed && !only_devices) {
        atx_print(stdout, "no device: %s\n", device_err->text);
    }
    if (r->overview)
        atx_print(stdout, "more: `autotune list OP`, `autotune list OP/TEMPLATE`\n");
    atx_str_clear(out);
    if (status != AT_OK)
        return atx_complain(&err);
    return failed && only_devices ? atx_complain(device_err) : ATX_EXIT_OK;
}

static int list(const request *r)
{
    atx_str out = { 0 };
    at_error device_err = { 0 };
    if (r->json)
        atx_str_add(&out, "{\"schema\":\"autotune.list/1\"");
    for (int i = 0; i < SECTION_COUNT; i++) {
        if (!(r->sections & SECTIONS[i].section))
            continue;
        if (r->json)
            atx_str_addf(&out, ",\"%s\":[", SECTIONS[i].name);
        switch (SECTIONS[i].section) {
        case OPS:
            list_ops(&out, r);
            break;
        case TEMPLATES:
            list_templates(&out, r);
            break;
        case DEVICES:
            device_err.status = list_devices(&out, r, &device_err);
            break;
        default:
            list_strategies(&out, r);
            break;
        }
        if (r->json)
            atx_str_add(&out, "]");
    }
    return finish(&out, r, &device_err);
}

static unsigned section_named(const char *word)
{
    for (int k = 0; k < SECTION_COUNT; k++)
        if (strcmp(word, SECTIONS[k].name) == 0)
            return SECTIONS[k].section;
    return 0;
}

/* OP, or OP/TEMPLATE; `keep` holds the op's name. */
static at_status parse_name(request *r, const char *word, char keep[ATX_MAX_NAME], at_error *err)
{
    const char *slash = strchr(word, '/');
    const size_t len = slash ? (size_t)(slash - word) : strlen(word);
    snprintf(keep, ATX_MAX_NAME, "%.*s", (int)len, word);
    const atx_op *op = len < ATX_MAX_NAME ? atx_catalog_find_op(r->catalog, keep) : NULL; /* none is longer */
    if (!op)
        return atx_fail(err, AT_ERR_USAGE,
                        "list: found '%s'; expected ops, templates, devices, strategies, an operation, or "
                        "OP/TEMPLATE",
                        word);
    if (r->op)
        return atx_fail(err, AT_ERR_USAGE, "list: found '%s' after '%s'; expected one operation", word,
                        r->op);
    if (slash && !atx_catalog_find_template(r->catalog, op, slash + 1))
        return atx_fail(err, AT_ERR_USAGE,
                        "list: operation %s has no template '%s'; `autotune list %s` shows them", op->name,
                        slash + 1, op->name);
    r->op = op->name;
    r->template = slash ? slash + 1 : NULL;
    r->brief = !slash;
    r->sections |= slash ? TEMPLATES : OPS | TEMPLATES;
    return AT_OK;
}

/* The entries that the words name; without words all, and templates by name alone. */
static at_status parse_words(request *r, const atx_words *words, char keep[ATX_MAX_NAME], at_error *err)
{
    for (int i = 0; i < words->count; i++) {
        unsigned section = section_named(words->items[i]);
        ATX_TRY(section ? AT_OK : parse_name(r, words->items[i], keep, err));
        r->sections |= section;
    }
    if (words->count == 0) {
        r->brief = true;
        r->overview = !r->json && !r->op;
        r->sections = OPS | DEVICES | STRATEGIES | (r->overview ? 0u : TEMPLATES);
    }
    return AT_OK;
}

int atx_cmd_list(int argc, char **argv)
{
    request r = { 0 };
    atx_words words = { 0 };
    atx_folder_words folders = { 0 };
    const char *templates_dir = NULL, *format = NULL;
    char keep[ATX_MAX_NAME];
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--op", ATX_OPT_TEXT, "OP", "only this operation and its templates", &r.op },
        ATX_TEMPLATES_OPTION(&templates_dir),
        ATX_FOLDER_OPTIONS(&folders),
        { "--format", ATX_OPT_TEXT, "text|json", "default text", &format },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &words, &code))
        return code;
    at_status status = atx_format_text_or_json(&r.json, format, "a list", &err);
    ATX_THEN(status, atx_open_catalog(&r.catalog, templates_dir, NULL, &err));
    if (status == AT_OK && r.op && !atx_catalog_find_op(r.catalog, r.op))
        status = atx_unknown_op(r.catalog, "--op: ", r.op, &err);
    ATX_THEN(status, parse_words(&r, &words, keep, &err));
    code = status == AT_OK ? list(&r) : atx_complain(&err);
    atx_catalog_close(r.catalog);
    return code;
}
