/*
 * cmd_explain.c - `autotune explain`: why a configuration takes as long as it does. Chooses the
 * configuration, has it run on the CPU and counted, and prints; explain/ counts and interprets the counts.
 */
#include "cli/ask.h"
#include "cli/explained.h"
#include "cli/packed.h"
#include "compile/nvrtc.h"
#include "lang/gpu_model.h"

#include <stdio.h>
#include <string.h>

static const atx_usage USAGE = {
    "autotune explain [OP] SHAPE [DTYPE] [--config \"TEMPLATE PARAM=VALUE ...\"] [--against ...] "
    "[options]\n       autotune explain --pack NAME.json [--templates DIR]",
    "Says why a configuration takes as long as it does. Runs the PTX of the kernel, or of a sample of its "
    "blocks, on the CPU and counts for each source line how many sectors of memory and wavefronts of shared "
    "memory a request takes and how many would suffice; the largest costs get a sentence each. Explains the "
    "stored winner, or the configuration that --config names; --against adds a second one, side by side. "
    "Needs no GPU. Exit code 1: no winner is known, and there is no --config. With --pack a pack: which of "
    "its kernels takes which sizes, what it is expected to lose and where.",
};

typedef struct explain_args {
    atx_ask_options ask;
    const char *arch, *config, *against, *format, *pack;
    int64_t blocks;
} explain_args;

typedef struct explainer {
    const explain_args *args;
    atx_question_asked q;
    atx_nvrtc *nvrtc;
    atx_problem_key key;
    atx_str shape;
    atx_limits limits;
    int64_t slots[ATX_MAX_SLOTS];
    atx_instance *instance;
    atx_found winner; /* match none: there is none */
    atx_device_rates rates;
    atx_explained sides[2];
    int side_count;
} explainer;

/* The device that the answer is for, as far as it is known. */
static void take_rates(atx_device_rates *r, const explainer *e)
{
    const atx_answer *a = e->winner.answer;
    const char *name = e->winner.cc ? e->winner.device : a->fingerprint.device;
    const atx_gpu_model *row = atx_gpu_model_find(name);
    snprintf(r->name, sizeof r->name, "%s", name);
    if (e->winner.sms > 0)
        r->sms = e->winner.sms;
    if (strcmp(name, a->fingerprint.device) == 0 && a->winner.conditions.sm_clock_mhz > 0)
        r->clock_hz = 1e6 * (double)a->winner.conditions.sm_clock_mhz;
    r->dram_bytes_per_s = row ? 1e9 * (double)row->gb_per_s : 0;
    if (e->winner.own && a->winner.ceiling_s > 0 && !atx_ceiling_is_rate(a->winner.ceiling_name))
        r->copy_bytes_per_s = (double)e->key.traffic_bytes / a->winner.ceiling_s;
}

/* The limits of the answer's device, or of a common device of --arch. */
static at_status choose_device(explainer *e, at_error *err)
{
    const atx_answer *a = e->winner.answer;
    atx_device_rates *r = &e->rates;
    const int64_t cc = e->winner.cc ? e->winner.cc : a ? a->fingerprint.cc : 90;
    atx_arch_limits(&e->limits, cc);
    if (e->args->arch)
        ATX_TRY(atx_arch_option(&e->limits, NULL, "--arch", e->args->arch, err));
    *r = (atx_device_rates){ .cc = e->limits.cc, .sms = e->limits.sms };
    if (a && cc == e->limits.cc)
        take_rates(r, e);
    e->limits.sms = r->sms;
    if (!atx_nvrtc_supports(e->nvrtc, (int)r->cc))
        return atx_fail(err, AT_ERR_DEVICE, "NVRTC %s does not compile for sm_%d; name another with --arch",
                        atx_nvrtc_version(e->nvrtc), (int)r->cc);
    return AT_OK;
}

static bool same_config(const atx_template *t, const atx_config *a, const atx_config *b)
{
    return memcmp(a->values, b->values, (size_t)t->scope.param_count * sizeof *a->values) == 0;
}

/* A trial of this configuration in the database. */
typedef struct wanted {
    const char *template_name, *config;
    double median_s;
} wanted;

static bool take_trial(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    wanted *w = context;
    (void)fingerprint;
    if (row->outcome == ATX_TIMED && strcmp(row->template_name, w->template_name) == 0 &&
        strcmp(row->config, w->config) == 0)
        w->median_s = row->timing.median_s;
    return true;
}

/* 0: it was not measured, or that is not known any more. */
static double stored_time(const explainer *e, const atx_template *t, const atx_config *config)
{
    ATX_LOCAL(atx_str) text = { 0 };
    if (e->winner.own && e->winner.t == t && same_config(t, config, &e->winner.config))
        return e->winner.answer->winner.timing.median_s;
    atx_config_text(&text, t, config);
    wanted w = { .template_name = t->name, .config = atx_str_text(&text) };
    at_error ignored;
    if (e->q.store && atx_store_each_trial(e->q.store, &e->key, NULL, take_trial, &w, &ignored) != AT_OK)
        w.median_s = 0;
    return w.median_s;
}

/* ---- the run ---- */

/* Addresses that depend on the data want the data; large inputs of random bits have no such addresses. */
enum { MOST_FILLED_BYTES = 64 << 20 };

static at_status open_instance(explainer *e, at_error *err)
{
    const atx_instance_options o = { .catalog = e->q.catalog,
                                     .nvrtc = e->nvrtc,
                                     .problem = &e->q.problem,
                                     .slots = e->slots,
                                     .cc = (int)e->rates.cc,
                                     .seed = 1,
                                     .most_filled_bytes = MOST_FILLED_BYTES };
    ATX_TRY(atx_problem_bind(e->slots, &e->q.problem, &e->limits, err));
    return atx_instance_open(&e->instance, &o, err);
}

/* NULL: it is not known as the best. */
static const char *origin_of(const explainer *e, const atx_template *t, const atx_config *config)
{
    static const char *const ORIGINS[] = { [ATX_MATCH_EXACT] = "the winner",
                                           [ATX_MATCH_NEAR] = "what won for a near problem",
                                           [ATX_MATCH_OTHER_DEVICE] = "what won on another device",
                                           [ATX_MATCH_NONE] = NULL,
                                           [ATX_MATCH_PREDICTED] = "what a model expects to be fastest" };
    if (e->winner.t != t || !same_config(t, config, &e->winner.config))
        return NULL;
    if (e->winner.by_model && e->winner.match == ATX_MATCH_OTHER_DEVICE)
        return "what a model expects to be fastest on another device";
    return e->winner.own && e->winner.runner_up ? "its runner-up" : ORIGINS[e->winner.match];
}

static at_status explain_side(explainer *e, const atx_template *t, const atx_config *config, at_error *err)
{
    atx_explained *x = &e->sides[e->side_count++];
    const atx_figures_setting on = { .instance = e->instance,
                                     .nvrtc = e->nvrtc,
                                     .problem = &e->q.problem,
                                     .slots = e->slots,
                                     .cc = (int)e->rates.cc,
                                     .most_blocks = e->args->blocks };
    at_status status = atx_figures_of(&x->figures, &on, t, config, err);
    x->origin = origin_of(e, t, config);
    if (status != AT_OK)
        return status;
    x->figures.stored_s = stored_time(e, t, config);
    x->least = atx_least_times_of(&x->figures, e->key.traffic_bytes, &e->rates);
    x->advice_count = atx_advise(x->advice, &x->figures, &e->rates);
    return AT_OK;
}

static at_status explain_all(explainer *e, at_error *err)
{
    const explain_args *a = e->args;
    const atx_template *t = e->winner.t;
    atx_config config = e->winner.config;
    ATX_TRY(a->config
                ? atx_config_option(&t, &config, e->q.catalog, &e->q.problem, "--config", a->config, err)
                : AT_OK);
    if (!t) {
        atx_fail(
            err, AT_ERR_NOT_FOUND,
            "no winner of %s %s %s is known; name what to explain with --config, or find one with: autotune "
            "tune",
            e->q.problem.op->name, atx_str_text(&e->shape), atx_dtype_name(e->q.problem.type));
        return AT_ERR_NOT_FOUND;
    }
    at_status status = explain_side(e, t, &config, err);
    if (status == AT_OK && a->against)
        status = atx_config_option(&t, &config, e->q.catalog, &e->q.problem, "--against", a->against, err);
    return status == AT_OK && a->against && t ? explain_side(e, t, &config, err) : status;
}

static int run_explain(const explain_args *a)
{
    explainer e = { .args = a };
    at_error err = { 0 };
    bool json = false;
    at_status status = atx_format_text_or_json(&json, a->format, "an explanation", &err);
    ATX_THEN(status, atx_ask_open(&e.q, &a->ask, false, &err));
    ATX_THEN(status, atx_problem_key_of(&e.key, &e.shape, &e.q.problem, &err));
    ATX_THEN(status, atx_ask(&e.winner, &e.q, ATX_OUTDATED_NEVER, NULL, &err));
    if (status == AT_OK)
        status = atx_nvrtc_open(&e.nvrtc, &err); /* last: errors of the command line need no compiler */
    ATX_THEN(status, choose_device(&e, &err));
    ATX_THEN(status, open_instance(&e, &err));
    ATX_THEN(status, explain_all(&e, &err));
    if (status == AT_OK) {
        const atx_explained_problem p = { .problem = &e.q.problem,
                                          .shape = atx_str_text(&e.shape),
                                          .traffic_bytes = e.key.traffic_bytes,
                                          .rates = &e.rates,
                                          .found = e.winner.answer ? &e.winner : NULL };
        (json ? atx_explained_json : atx_explained_text)(&p, e.sides, e.side_count);
    }
    int code = status == AT_OK ? ATX_EXIT_OK : atx_complain(&err);
    for (int i = 0; i < e.side_count; i++)
        atx_figures_close(&e.sides[i].figures);
    atx_instance_close(e.instance);
    atx_nvrtc_close(e.nvrtc);
    atx_ask_close(&e.q);
    atx_str_clear(&e.shape);
    return code;
}

static int explain_pack(const explain_args *a, const atx_option *table)
{
    ATX_CLOSED(atx_catalog) *catalog = NULL;
    ATX_CLOSED(atx_pack_set) *set = NULL;
    at_error err = { 0 };
    at_status status = atx_options_only_with(table, "--pack", ATX_WITH_PACK, &err);
    if (status == AT_OK && a->ask.words.count)
        status = atx_fail(&err, AT_ERR_USAGE, "found both --pack and '%s'; expected one of them",
                          a->ask.words.items[0]);
    ATX_THEN(status, atx_open_catalog(&catalog, a->ask.templates_dir, NULL, &err));
    ATX_THEN(status, atx_pack_read(&set, a->pack, catalog, &err));
    if (status == AT_OK)
        atx_print_pack(set);
    return status == AT_OK ? ATX_EXIT_OK : atx_complain(&err);
}

int atx_cmd_explain(int argc, char **argv)
{
    explain_args a = { .blocks = 1024 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--config", ATX_OPT_TEXT, "\"TEMPLATE PARAM=VALUE ...\"",
          "the configuration to explain (default: the winner); parameters that are not named have the "
          "template's defaults, or the winner's values if no template is named",
          &a.config },
        { "--pack", ATX_OPT_TEXT, "NAME.json",
          "a pack that `autotune pack` wrote, in the place of a configuration", &a.pack },
        { "--against", ATX_OPT_TEXT, "\"TEMPLATE PARAM=VALUE ...\"",
          "a second configuration, side by side; without a template, the first one with these values",
          &a.against },
        { "--blocks", ATX_OPT_COUNT, "N", "run at most N blocks, spread over the grid (default 1024; 0: all)",
          &a.blocks },
        { "--arch", ATX_OPT_TEXT, "sm_90",
          "architecture to compile for (default: that of the winner's device, else sm_90)", &a.arch },
        { "--device", ATX_OPT_TEXT, "N|NAME",
          "explain the winner of this device: the number of a GPU of this machine, or whole words of one "
          "device's name",
          &a.ask.device },
        ATX_ASK_OPTIONS(&a.ask),
        { "--format", ATX_OPT_TEXT, "text|json", "json: one object, with every source line", &a.format },
        ATX_NO_SHIPPED_OPTION(&a.ask),
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &a.ask.words, &code))
        return code;
    return a.pack ? explain_pack(&a, TABLE) : run_explain(&a);
}
