/* cmd_list.c - `autotune list`: operations, templates, devices, strategies. */
#include "cli/commands.h"
#include "device/device.h"
#include "lang/named_size.h"
#include "search/strategy.h"
#include "util/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const at__usage USAGE = {
    "autotune list [ops|templates|devices|strategies|OP|OP/TEMPLATE]... [options]",
    "What this program knows, on one screen: operations, templates, strategies, devices. OP tells more of an "
    "operation and its templates; OP/TEMPLATE, or `templates`, shows parameters and constraints.\n"
    "Exit code 3: only devices were asked for, and there is none that can be used.",
};

enum { OPS = 1, TEMPLATES = 2, DEVICES = 4, STRATEGIES = 8 };

static const struct {
    const char *name;
    unsigned part;
} PARTS[] = {
    { "ops", OPS },
    { "templates", TEMPLATES },
    { "devices", DEVICES },
    { "strategies", STRATEGIES },
};
enum { PART_COUNT = sizeof PARTS / sizeof *PARTS };

enum {
    BRIEF_WIDTH = 20,  /* of "op/template", before what it is */
    SCREEN_WIDTH = 80, /* of what is listed without words */
};

/* What was asked for. */
typedef struct request {
    unsigned parts;
    const char *op;       /* NULL: all */
    const char *template; /* NULL: all */
    bool brief;           /* templates by name and what they are */
    bool overview;        /* without words: what fits a screen */
    bool json;
    at__catalog *catalog;
} request;

static bool wanted(const request *r, const at__op *op)
{
    return !r->op || strcmp(r->op, op->name) == 0;
}

static bool wanted_template(const request *r, const at__template *t)
{
    return !r->template || strcmp(r->template, t->name) == 0;
}

/* Text. */

static void add_shape(at__str *out, const at__op *op)
{
    at__str_add(out, op->layout_count ? " extents permutation [in=strides] [out=strides]" : "");
    for (int i = 0; i < op->dim_count && !op->layout_count; i++) {
        at__str_add(out, op->dims[i].optional ? " [" : " ");
        at__dim_add_text(out, &op->dims[i]);
        at__str_add(out, op->dims[i].optional ? "]" : "");
    }
    for (int i = 0; i < op->pitch_count; i++)
        at__str_addf(out, "%s%s=%s", i ? " " : " / ", op->pitches[i].name, op->dims[op->pitches[i].dim].name);
    for (int i = 0; i < op->align_count; i++)
        at__str_addf(out, "%s%s=%d", i ? " " : " @ ", op->aligns[i].name, AT__FULL_ALIGN);
}

/* Words behind a label, in lines that a screen has room for. */
static void print_wrapped(const char *label, const char *words)
{
    size_t column = strlen(label);
    at__print(stdout, "%s", label);
    for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
        size_t count = strcspn(words, " ");
        bool fits = column + 1 + count <= SCREEN_WIDTH;
        at__print(stdout, "%s %.*s", fits ? "" : "\n   ", (int)count, words);
        column = (fits ? column : 3) + 1 + count;
        words += count;
    }
    at__print(stdout, "\n");
}

static void list_op(const at__op *op, bool overview)
{
    static const char *const ROLES[] = { "", "input ", "output ", "inout ", "scratch " };
    at__str shape = { 0 };
    add_shape(&shape, op);
    at__print(stdout, "%s: %s\n", op->name, op->about);
    if (overview)
        print_wrapped("  shape:", at__str_text(&shape));
    else
        at__print(stdout, "  shape:%s\n", at__str_text(&shape));
    at__str_clear(&shape);
    if (overview)
        return;
    at__print(stdout, "  types:%s", op->storage ? " any; those of one size share a result" : "");
    for (int i = 0; i < AT__DTYPES && !op->storage; i++)
        if (op->types & (1u << i))
            at__print(stdout, " %s", at__dtype_name((at__dtype)i));
    at__print(stdout, "\n  arguments:");
    for (int i = 0; i < op->arg_count; i++)
        at__print(stdout, "%s %s%s", i ? "," : "", ROLES[op->args[i].role], op->args[i].name);
    at__print(stdout, "\n");
    if (op->ops)
        at__print(stdout, "  operations: %s\n", at__expr_text(op->ops));
    for (int i = 0; i < op->metric_count; i++)
        at__print(stdout, "  metric %s = %s%s%s\n", op->metrics[i].name, at__expr_text(op->metrics[i].expr),
                  op->metrics[i].meaning[0] ? "   # " : "", op->metrics[i].meaning);
    if (op->objective)
        at__print(stdout, "  objective: %s\n", op->objective_text);
}

static void list_values(const at__param *p)
{
    for (int k = 0; k < p->count; k++)
        if (p->labels)
            at__print(stdout, " %s", p->labels[k]);
        else
            at__print(stdout, " %" PRId64, p->values[k]);
}

static void list_template(const at__template *t)
{
    at__print(stdout, "%s/%s: %s\n", t->op->name, t->name, t->about);
    for (int i = 0; i < t->param_count; i++) {
        at__print(stdout, "  %-12s", t->params[i].name);
        list_values(&t->params[i]);
        at__print(stdout, "%s%s\n", t->params[i].meaning[0] ? "   # " : "", t->params[i].meaning);
    }
    for (size_t i = 0; i < t->require_count; i++)
        at__print(stdout, "  require      %s%s%s\n", at__expr_text(t->requires[i].expr),
                  t->requires[i].reason[0] ? "   # " : "", t->requires[i].reason);
}

static void print_device(int ordinal, const at__device_info *d, bool overview)
{
    if (overview) {
        at__print(stdout, "device %d: %s, compute capability %" PRId64 ".%" PRId64 ", driver %s\n", ordinal,
                  d->name, d->limits.cc / 10, d->limits.cc % 10, d->driver);
        return;
    }
    at__print(stdout,
              "%d: %s, compute capability %" PRId64 ".%" PRId64 ", %" PRId64 " multiprocessors, L2 %" PRId64
              " MB, memory %" PRId64 " MiB (%" PRId64 " free), driver %s, %s\n",
              ordinal, d->name, d->limits.cc / 10, d->limits.cc % 10, d->limits.sms, d->limits.l2_bytes >> 20,
              d->limits.memory_bytes >> 20, d->free_bytes >> 20, d->driver, d->uuid);
}

/* JSON: one object with an array for each part. */

/* What the op counts, makes of its results and is tuned for; members that it has not are not there. */
static void json_metrics(at__str *out, const at__op *op)
{
    if (op->ops)
        at__member_text(out, "ops", at__expr_text(op->ops));
    if (op->metric_count) {
        at__member_name(out, "metrics");
        at__str_add(out, "{");
        for (int i = 0; i < op->metric_count; i++)
            at__member_text(out, op->metrics[i].name, at__expr_text(op->metrics[i].expr));
        at__str_add(out, "}");
    }
    if (op->objective)
        at__member_text(out, "objective", op->objective_text);
}

/* Of a choice. */
static void json_words(at__str *out, const at__dim *dim)
{
    if (dim->word_count == 0)
        return;
    at__member_name(out, "words");
    for (int k = 0; k < dim->word_count; k++)
        at__str_addf(out, "%s\"%s\"", k ? "," : "[", dim->words[k]);
    at__str_add(out, "]");
}

static void json_op(at__str *out, const at__op *op)
{
    static const char *const ROLES[] = { "scalar", "input", "output", "inout", "scratch" };
    at__str_add(out, "{");
    at__member_text(out, "name", op->name);
    at__member_text(out, "about", op->about);
    at__str_addf(out, ",\"storage\":%s,\"types\":[", op->storage ? "true" : "false");
    for (int i = 0, n = 0; i < AT__DTYPES; i++)
        if (op->types & (1u << i))
            at__str_addf(out, "%s\"%s\"", n++ ? "," : "", at__dtype_name((at__dtype)i));
    at__str_add(out, "],\"shape\":[");
    for (int i = 0; i < op->dim_count; i++) {
        at__str_add(out, i ? ",{" : "{");
        at__member_text(out, "name", op->dims[i].name);
        if (op->dims[i].optional)
            at__member_int(out, "default", op->dims[i].value);
        json_words(out, &op->dims[i]);
        at__str_add(out, "}");
    }
    at__str_add(out, "],\"pitches\":[");
    for (int i = 0; i < op->pitch_count; i++) {
        at__str_add(out, i ? ",{" : "{");
        at__member_text(out, "name", op->pitches[i].name);
        at__member_text(out, "default", op->dims[op->pitches[i].dim].name);
        at__str_add(out, "}");
    }
    at__str_add(out, "],\"alignments\":[");
    for (int i = 0; i < op->align_count; i++) {
        at__str_add(out, i ? ",{" : "{");
        at__member_text(out, "name", op->aligns[i].name);
        at__member_text(out, "argument", op->args[op->aligns[i].arg].name);
        at__member_int(out, "default", AT__FULL_ALIGN);
        at__str_add(out, "}");
    }
    at__str_add(out, "],\"arguments\":[");
    for (int i = 0; i < op->arg_count; i++) {
        at__str_add(out, i ? ",{" : "{");
        at__member_text(out, "name", op->args[i].name);
        at__member_text(out, "role", ROLES[op->args[i].role]);
        at__str_add(out, "}");
    }
    at__str_add(out, "]");
    json_metrics(out, op);
    at__str_add(out, "}");
}

static void json_param(at__str *out, const at__param *p)
{
    at__str_add(out, "{");
    at__member_text(out, "name", p->name);
    at__member_text(out, "meaning", p->meaning);
    at__str_add(out, ",\"values\":[");
    for (int k = 0; k < p->count; k++) {
        at__str_add(out, k ? "," : "");
        if (p->labels)
            at__str_add_json(out, p->labels[k]);
        else
            at__str_addf(out, "%" PRId64, p->values[k]);
    }
    at__str_add(out, "]}");
}

static void json_template(at__str *out, const at__template *t)
{
    at__str_add(out, "{");
    at__member_text(out, "op", t->op->name);
    at__member_text(out, "name", t->name);
    at__member_text(out, "about", t->about);
    at__member_text(out, "file", t->file);
    at__member_text(out, "hash", t->hash);
    at__str_add(out, ",\"parameters\":[");
    for (int i = 0; i < t->param_count; i++) {
        at__str_add(out, i ? "," : "");
        json_param(out, &t->params[i]);
    }
    at__str_add(out, "],\"requires\":[");
    for (size_t i = 0; i < t->require_count; i++) {
        at__str_add(out, i ? ",{" : "{");
        at__member_text(out, "expression", at__expr_text(t->requires[i].expr));
        at__member_text(out, "reason", t->requires[i].reason);
        at__str_add(out, "}");
    }
    at__str_add(out, "]}");
}

static void json_device(at__str *out, int ordinal, const at__device_info *d)
{
    const at__limits *l = &d->limits;
    at__str_addf(out, "{\"ordinal\":%d", ordinal);
    at__member_text(out, "name", d->name);
    at__member_text(out, "uuid", d->uuid);
    at__member_text(out, "driver", d->driver);
    at__member_int(out, "free_bytes", d->free_bytes);
    at__member_int(out, "cc", l->cc);
    at__member_int(out, "sms", l->sms);
    at__member_int(out, "max_threads_per_block", l->max_threads_per_block);
    at__member_int(out, "max_shared_bytes", l->max_shared_bytes);
    at__member_int(out, "l2_bytes", l->l2_bytes);
    at__member_int(out, "memory_bytes", l->memory_bytes);
    at__str_add(out, "}");
}

/* Each part prints its text, or adds its array to `out`. */

static void name_templates(const at__catalog *catalog, const at__op *op)
{
    at__str names = { 0 };
    for (int i = 0; i < at__catalog_template_count(catalog, op); i++)
        at__str_addf(&names, " %s", at__catalog_template(catalog, op, i)->name);
    print_wrapped("  templates:", at__str_text(&names));
    at__str_clear(&names);
}

static void list_ops(at__str *out, const request *r)
{
    for (int i = 0, n = 0; i < at__catalog_op_count(r->catalog); i++) {
        const at__op *op = at__catalog_op(r->catalog, i);
        if (!wanted(r, op))
            continue;
        if (r->json) {
            at__str_add(out, n++ ? "," : "");
            json_op(out, op);
        } else {
            list_op(op, r->overview);
            if (r->overview)
                name_templates(r->catalog, op);
        }
    }
}

static void list_templates(at__str *out, const request *r)
{
    for (int i = 0, n = 0; i < at__catalog_op_count(r->catalog); i++) {
        const at__op *op = at__catalog_op(r->catalog, i);
        for (int k = 0; k < at__catalog_template_count(r->catalog, op) && wanted(r, op); k++) {
            const at__template *t = at__catalog_template(r->catalog, op, k);
            if (!wanted_template(r, t))
                continue;
            if (r->json) {
                at__str_add(out, n++ ? "," : "");
                json_template(out, t);
            } else if (r->brief) {
                at__print(stdout, "%s/%-*s %s\n", op->name, BRIEF_WIDTH - (int)strlen(op->name), t->name,
                          t->about);
            } else {
                list_template(t);
            }
        }
    }
}

/* A device that cannot be opened does not hide the others; the first reason is returned. */
static at_status list_devices(at__str *out, const request *r, at_error *err)
{
    int count = 0, shown = 0;
    at__cancel cancel = { .flag = &at__cancel_requested };
    at_status status = at__device_count(&count, &cancel, err);
    if (status == AT_OK && count == 0)
        status = at_fail(err, AT_ERR_DEVICE, "the CUDA driver knows no device");
    for (int i = 0; i < count && status != AT_ERR_CANCELLED; i++) {
        at__device *device = NULL;
        at_error why = { 0 };
        char ordinal[16];
        snprintf(ordinal, sizeof ordinal, "%d", i);
        at_status opened = at__device_open(&device, ordinal, &cancel, &why);
        if (opened == AT_ERR_CANCELLED) {
            status = at_fail(err, opened, "%s", why.text);
        } else if (opened != AT_OK) {
            status = status == AT_OK ? at_fail(err, AT_ERR_DEVICE, "device %d: %s", i, why.text) : status;
        } else if (r->json) {
            at__str_add(out, shown++ ? "," : "");
            json_device(out, i, at__device_info_of(device));
        } else {
            print_device(i, at__device_info_of(device), r->overview);
        }
        at__device_close(device);
    }
    return status;
}

static void list_strategies(at__str *out, const request *r)
{
    if (r->overview)
        at__print(stdout, "strategies:");
    for (int i = 0; at__strategies[i]; i++) {
        if (r->overview) {
            at__print(stdout, " %s%s", at__strategies[i]->name, at__strategies[i + 1] ? "" : "\n");
            continue;
        }
        if (!r->json) {
            at__print(stdout, "%-12s %s\n", at__strategies[i]->name, at__strategies[i]->about);
            continue;
        }
        at__str_add(out, i ? ",{" : "{");
        at__member_text(out, "name", at__strategies[i]->name);
        at__member_text(out, "about", at__strategies[i]->about);
        at__str_add(out, "}");
    }
}

/* Ends what list() collected. */
static int finish(at__str *out, const request *r, const at_error *device_err)
{
    bool failed = device_err->status != AT_OK, only_devices = r->parts == DEVICES;
    at_error err = { 0 };
    at_status status = AT_OK;
    if (r->json) {
        if (failed)
            at__member_text(out, "device_error", device_err->text);
        at__str_add(out, "}");
        status = at__str_status(out, &err);
        if (status == AT_OK)
            at__print(stdout, "%s\n", at__str_text(out));
    } else if (failed && r->overview) {
        at__print(stdout, "device: none; `autotune list devices` says why\n");
    } else if (failed && !only_devices) {
        at__print(stdout, "no device: %s\n", device_err->text);
    }
    if (r->overview)
        at__print(stdout, "more: `autotune list OP`, `autotune list OP/TEMPLATE`\n");
    at__str_clear(out);
    if (status != AT_OK)
        return at__complain(&err);
    return failed && only_devices ? at__complain(device_err) : AT__EXIT_OK;
}

static int list(const request *r)
{
    at__str out = { 0 };
    at_error device_err = { 0 };
    bool first = true;
    for (int i = 0; i < PART_COUNT; i++) {
        if (!(r->parts & PARTS[i].part))
            continue;
        if (r->json)
            at__str_addf(&out, "%s\"%s\":[", first ? "{" : ",", PARTS[i].name);
        first = false;
        switch (PARTS[i].part) {
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
            at__str_add(&out, "]");
    }
    return finish(&out, r, &device_err);
}

static unsigned part_named(const char *word)
{
    for (int k = 0; k < PART_COUNT; k++)
        if (strcmp(word, PARTS[k].name) == 0)
            return PARTS[k].part;
    return 0;
}

/* OP, or OP/TEMPLATE; `keep` holds the op's name. */
static at_status parse_name(request *r, const char *word, char keep[AT__MAX_NAME], at_error *err)
{
    const char *slash = strchr(word, '/');
    const size_t len = slash ? (size_t)(slash - word) : strlen(word);
    snprintf(keep, AT__MAX_NAME, "%.*s", (int)len, word);
    const at__op *op = len < AT__MAX_NAME ? at__catalog_find_op(r->catalog, keep) : NULL; /* none is longer */
    if (!op)
        return at_fail(err, AT_ERR_USAGE,
                       "list: found '%s'; expected ops, templates, devices, strategies, an operation, or "
                       "OP/TEMPLATE",
                       word);
    if (r->op)
        return at_fail(err, AT_ERR_USAGE, "list: found '%s' after '%s'; expected one operation", word, r->op);
    if (slash && !at__catalog_find_template(r->catalog, op, slash + 1))
        return at_fail(err, AT_ERR_USAGE,
                       "list: operation %s has no template '%s'; `autotune list %s` shows them", op->name,
                       slash + 1, op->name);
    r->op = op->name;
    r->template = slash ? slash + 1 : NULL;
    r->brief = !slash;
    r->parts |= slash ? TEMPLATES : OPS | TEMPLATES;
    return AT_OK;
}

/* What the words name; without words all of it, and templates by name alone. */
static at_status parse_words(request *r, const at__words *words, char keep[AT__MAX_NAME], at_error *err)
{
    for (int i = 0; i < words->count; i++) {
        unsigned part = part_named(words->items[i]);
        at_status status = part ? AT_OK : parse_name(r, words->items[i], keep, err);
        if (status != AT_OK)
            return status;
        r->parts |= part;
    }
    if (words->count == 0) {
        r->brief = true;
        r->overview = !r->json && !r->op;
        r->parts = OPS | DEVICES | STRATEGIES | (r->overview ? 0u : TEMPLATES);
    }
    return AT_OK;
}

int at__cmd_list(int argc, char **argv)
{
    request r = { 0 };
    at__words words = { 0 };
    at__folder_words folders = { 0 };
    const char *templates_dir = NULL, *format = NULL;
    char keep[AT__MAX_NAME];
    at_error err = { 0 };
    int code = AT__EXIT_OK;
    const at__option TABLE[] = {
        { "--op", AT__OPT_TEXT, "OP", "this operation and its templates only", &r.op },
        AT__TEMPLATES_OPTION(&templates_dir),
        AT__FOLDER_OPTIONS(&folders),
        { "--format", AT__OPT_TEXT, "text|json", "default text", &format },
        { NULL, AT__OPT_FLAG, NULL, NULL, NULL },
    };
    if (!at__command_options(&USAGE, TABLE, argc, argv, &words, &code))
        return code;
    at_status status = at__format_text_or_json(&r.json, format, "a list", &err);
    if (status == AT_OK)
        status = at__open_catalog(&r.catalog, templates_dir, NULL, &err);
    if (status == AT_OK && r.op && !at__catalog_find_op(r.catalog, r.op))
        status = at__unknown_op(r.catalog, "--op: ", r.op, &err);
    if (status == AT_OK)
        status = parse_words(&r, &words, keep, &err);
    code = status == AT_OK ? list(&r) : at__complain(&err);
    at__catalog_close(r.catalog);
    return code;
}
