/* kernel_tuner.c - see kernel_tuner.h. A first pass over the trials lists parameters and values, a second one
 * writes. */
#include "exchange/kernel_tuner.h"

#include "declare/limits.h"
#include "exchange/one_problem.h"
#include "util/rows.h"

#include <stdlib.h>
#include <string.h>

typedef struct parameter {
    atx_str name;
    atx_str *values; /* in the order in which they were found */
    size_t count, cap;
} parameter;

typedef struct writer {
    const atx_one_problem *of;
    parameter params[ATX_MAX_PARAMS];
    int count;
    bool no_memory;
} writer;

/* ---- parameters ---- */

static bool is_text(const atx_str *s, const char *text, size_t len)
{
    return s->len == len && memcmp(atx_str_text(s), text, len) == 0;
}

static parameter *find_param(writer *w, const atx_setting_text *s)
{
    for (int i = 0; i < w->count; i++)
        if (is_text(&w->params[i].name, s->name, s->name_len))
            return &w->params[i];
    if (w->count == ATX_MAX_PARAMS)
        return NULL;
    atx_str_add_bytes(&w->params[w->count].name, s->name, s->name_len);
    w->no_memory |= w->params[w->count].name.failed;
    return &w->params[w->count++];
}

static void add_value(writer *w, parameter *p, const atx_setting_text *s)
{
    for (size_t i = 0; i < p->count; i++)
        if (is_text(&p->values[i], s->value, s->value_len))
            return;
    if (!atx_grow(&p->values, &p->cap, p->count, sizeof *p->values)) {
        w->no_memory = true;
        return;
    }
    p->values[p->count] = (atx_str){ 0 };
    atx_str_add_bytes(&p->values[p->count], s->value, s->value_len);
    w->no_memory |= p->values[p->count++].failed;
}

static bool see_trial(void *context, const atx_trial_row *row, const atx_fingerprint *f)
{
    writer *w = context;
    const char *at = row->config;
    atx_setting_text s;
    (void)f;
    while (atx_next_setting(&s, &at)) {
        parameter *p = find_param(w, &s);
        if (p)
            add_value(w, p, &s);
    }
    return !w->no_memory;
}

/* Numbers in ascending order, words by their letters. */
static int by_value(const void *a, const void *b)
{
    long long x = strtoll(atx_str_text(a), NULL, 10), y = strtoll(atx_str_text(b), NULL, 10);
    return x != y ? (x > y) - (x < y) : strcmp(atx_str_text(a), atx_str_text(b));
}

static void clear_params(writer *w)
{
    for (int i = 0; i < w->count; i++) {
        for (size_t k = 0; k < w->params[i].count; k++)
            atx_str_clear(&w->params[i].values[k]);
        free(w->params[i].values);
        atx_str_clear(&w->params[i].name);
    }
}

/* ---- writing ---- */

/* "4096x4096" as a list of its sizes; anything else stays a text. */
static void add_shape(atx_str *out, const char *shape)
{
    if (strspn(shape, "0123456789x") != strlen(shape)) {
        atx_str_add_json(out, shape);
        return;
    }
    atx_str_add(out, "[");
    for (; *shape; shape++)
        atx_str_add_bytes(out, *shape == 'x' ? "," : shape, 1);
    atx_str_add(out, "]");
}

static void add_head(atx_str *out, writer *w)
{
    atx_str_add(out, "{");
    atx_member_text(out, "device_name", w->of->conditions.device);
    atx_member_text(out, "kernel_name", atx_str_text(&w->of->op));
    atx_member_name(out, "problem_size");
    add_shape(out, atx_str_text(&w->of->shape));
    atx_str_add(out, ",\"tune_params_keys\":[");
    for (int i = 0; i < w->count; i++) {
        atx_str_add(out, i ? "," : "");
        atx_str_add_json(out, atx_str_text(&w->params[i].name));
    }
    atx_str_add(out, "],\"tune_params\":{");
    for (int i = 0; i < w->count; i++) {
        parameter *p = &w->params[i];
        if (p->count)
            qsort(p->values, p->count, sizeof *p->values, by_value);
        atx_add_setting_name(out, atx_str_text(&p->name), p->name.len);
        for (size_t k = 0; k < p->count; k++) {
            atx_str_add(out, k ? "," : "[");
            atx_add_json_value(out, atx_str_text(&p->values[k]), p->values[k].len);
        }
        atx_str_add(out, "]");
    }
    atx_str_add(out, "},\"objective\":\"time\",\"cache\":{");
}

static void add_key(atx_str *out, const char *config)
{
    ATX_LOCAL(atx_str) key = { 0 };
    atx_setting_text s;
    while (atx_next_setting(&s, &config)) {
        atx_str_add(&key, key.len ? "," : "");
        atx_str_add_bytes(&key, s.value, s.value_len);
    }
    atx_str_add_json(out, atx_str_text(&key));
    out->failed |= key.failed;
}

static void add_trial(atx_str *out, const void *self, const atx_trial_row *row)
{
    (void)self;
    add_key(out, row->config);
    atx_str_add(out, ":{");
    atx_add_settings(out, row->config);
    if (row->outcome == ATX_TIMED) {
        atx_member_ms(out, "time", row->timing.median_s);
        atx_member_ms_alone(out, "times", row->timing.median_s);
    } else {
        atx_member_text(out, "__error__", atx_failure_word(row->outcome));
    }
    atx_member_ms(out, "compile_time", row->compile_s);
    atx_str_add(out,
                ",\"verification_time\":0,\"benchmark_time\":0,\"strategy_time\":0,\"framework_time\":0");
    atx_member_text(out, "timestamp", row->measured_at);
    atx_str_add(out, "}");
}

/* The end exactly so, or Kernel Tuner takes the file for one that was interrupted. */
static at_status write_all(writer *w, atx_line_sink *sink, void *context, at_error *err)
{
    ATX_LOCAL(atx_str) head = { 0 };
    ATX_TRY(atx_one_problem_each(w->of, see_trial, w, err));
    if (w->no_memory)
        return atx_no_memory(err);
    add_head(&head, w);
    return atx_one_problem_write(w->of, &(atx_problem_file){ &head, add_trial, w, "}\n}" }, sink, context,
                                 err);
}

at_status atx_kernel_tuner_write(atx_store *store, const atx_dump_options *options, atx_line_sink *sink,
                                 void *context, at_error *err)
{
    atx_one_problem chosen;
    writer w = { .of = &chosen };
    at_status status = atx_one_problem_choose(&chosen, store, options, err);
    if (status == AT_OK && chosen.other_template)
        status = atx_fail(err, AT_ERR_INPUT,
                          "found trials of several templates, among them %s; a cache of Kernel Tuner has the "
                          "parameters of one: expected --template to choose it",
                          atx_str_text(&chosen.template_name));
    ATX_THEN(status, write_all(&w, sink, context, err));
    clear_params(&w);
    atx_one_problem_clear(&chosen);
    return status;
}
