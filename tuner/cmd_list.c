/* cmd_list.c - `autotune list`: operations, templates, devices, strategies. */
#include "commands.h"
#include "device.h"
#include "strategy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const at__usage USAGE = {
    "autotune list [ops|templates|devices|strategies] [options]",
    "What this program knows: operations, templates with their parameters and constraints, devices, "
    "strategies.",
};

static void list_op(const at__op *op)
{
    printf("%s: %s\n  shape:", op->name, op->about);
    for (int i = 0; i < op->dim_count; i++)
        printf(op->dims[i].optional ? " [%s=%" PRId64 "]" : " %s", op->dims[i].name, op->dims[i].value);
    printf("\n  types:%s", op->storage ? " any; those of one size share a result" : "");
    for (int i = 0; i < AT__DTYPES && !op->storage; i++)
        if (op->types & (1u << i))
            printf(" %s", at__dtype_name((at__dtype)i));
    printf("\n  arguments:");
    for (int i = 0; i < op->arg_count; i++) {
        static const char *const ROLES[] = { "", "input ", "output ", "inout " };
        printf("%s %s%s", i ? "," : "", ROLES[op->args[i].role], op->args[i].name);
    }
    printf("\n");
}

static void list_values(const at__param *p)
{
    for (int k = 0; k < p->count; k++)
        if (p->labels)
            printf(" %s", p->labels[k]);
        else
            printf(" %" PRId64, p->values[k]);
}

static void list_template(const at__template *t)
{
    printf("%s/%s: %s\n", t->op->name, t->name, t->about);
    for (int i = 0; i < t->param_count; i++) {
        printf("  %-12s", t->params[i].name);
        list_values(&t->params[i]);
        printf("%s%s\n", t->params[i].meaning[0] ? "   # " : "", t->params[i].meaning);
    }
    for (size_t i = 0; i < t->require_count; i++)
        printf("  require      %s%s%s\n", at__expr_text(t->requires[i].expr),
               t->requires[i].reason[0] ? "   # " : "", t->requires[i].reason);
}

static void list_templates(const at__catalog *catalog, const char *only)
{
    for (int i = 0; i < at__catalog_op_count(catalog); i++) {
        const at__op *op = at__catalog_op(catalog, i);
        for (int k = 0; k < at__catalog_template_count(catalog, op) && (!only || !strcmp(only, op->name));
             k++)
            list_template(at__catalog_template(catalog, op, k));
    }
}

static at_status list_devices(at_error *err)
{
    int count = 0;
    at_status status = at__device_count(&count, err);
    for (int i = 0; i < count && status == AT_OK; i++) {
        at__device *device = NULL;
        status = at__device_open(&device, i, err);
        if (status != AT_OK)
            break;
        const at__device_info *d = at__device_info_of(device);
        printf("%d: %s, compute capability %" PRId64 ".%" PRId64 ", %" PRId64 " multiprocessors, L2 %" PRId64
               " MB, memory %" PRId64 " MiB (%" PRId64 " free), driver %s, %s\n",
               i, d->name, d->limits.cc / 10, d->limits.cc % 10, d->limits.sms, d->limits.l2_bytes >> 20,
               d->limits.memory_bytes >> 20, d->free_bytes >> 20, d->driver, d->uuid);
        at__device_close(device);
    }
    return status;
}

static void list_strategies(void)
{
    for (int i = 0; at__strategies[i]; i++)
        printf("%-12s %s\n", at__strategies[i]->name, at__strategies[i]->about);
}

static int list(const at__catalog *catalog, const char *what, const char *op)
{
    at_error err = { 0 };
    bool all = !what;
    if (all || !strcmp(what, "ops"))
        for (int i = 0; i < at__catalog_op_count(catalog); i++)
            list_op(at__catalog_op(catalog, i));
    if (all || !strcmp(what, "templates"))
        list_templates(catalog, op);
    if (all || !strcmp(what, "strategies"))
        list_strategies();
    if ((all || !strcmp(what, "devices")) && list_devices(&err) != AT_OK) {
        if (!all)
            return at__complain(&err);
        printf("no device: %s\n", err.text);
    }
    return AT__EXIT_OK;
}

int at__cmd_list(int argc, char **argv)
{
    static const char *const KINDS[] = { "ops", "templates", "devices", "strategies", NULL };
    at__words words = { 0 };
    const char *op = NULL, *templates_dir = NULL;
    at__catalog *catalog = NULL;
    at_error err = { 0 };
    int code = AT__EXIT_OK;
    const at__option TABLE[] = {
        { "--op", AT__OPT_TEXT, "OP", "templates of this operation only", &op },
        { "--templates", AT__OPT_TEXT, "DIR", "more operations and templates: DIR/<op>/*.cu",
          &templates_dir },
        { NULL, AT__OPT_FLAG, NULL, NULL, NULL },
    };
    if (!at__command_options(&USAGE, TABLE, argc, argv, &words, &code))
        return code;
    const char *what = words.count ? words.items[0] : NULL;
    bool known = !what;
    for (int i = 0; KINDS[i] && what; i++)
        known |= strcmp(what, KINDS[i]) == 0;
    at_status status = AT_OK;
    if (!known)
        status = at_fail(&err, AT_ERR_USAGE,
                         "list: found '%s'; expected ops, templates, devices or strategies", what);
    if (status == AT_OK)
        status = at__catalog_open(&catalog, templates_dir, &err);
    if (status == AT_OK && op && !at__catalog_find_op(catalog, op))
        status = at_fail(&err, AT_ERR_USAGE, "--op: no operation '%s'; `autotune list ops` shows them", op);
    code = status == AT_OK ? list(catalog, what, op) : at__complain(&err);
    at__catalog_close(catalog);
    return code;
}
