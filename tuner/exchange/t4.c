/*
 * t4.c - trials are read twice: first to see which problems and devices the options leave, and to
 * refuse more than one, then to write. Nothing is written before it is known that there is
 * something.
 */
#include "exchange/t4.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The problem that is left when the options have chosen. */
typedef struct choice {
    atx_store *store;
    const atx_dump_options *options;
    atx_str op, shape, type_key;
    int problems;
    atx_fingerprint device; /* of the first trial */
    atx_str template_name;  /* of the first trial */
    int64_t trials;
    bool other_device, other_template;
} choice;

typedef struct writer {
    const choice *of;
    atx_line_sink *sink;
    void *context;
    atx_str line;
    int64_t written;
    bool more; /* false: nobody reads any more */
} writer;

/* ---- choosing ---- */

static bool is_wanted(const atx_dump_options *o, const atx_problem_key *key)
{
    if (o->op && strcmp(o->op, key->op) != 0)
        return false;
    for (size_t i = 0; i < o->problem_count; i++)
        if (strcmp(o->problems[i].shape, key->shape) == 0 &&
            strcmp(o->problems[i].type_key, key->type_key) == 0)
            return true;
    return o->problem_count == 0;
}

static bool on_device(const choice *c, const atx_fingerprint *f)
{
    return !c->options->device || strcmp(f->device, c->options->device) == 0;
}

static bool visit_problem(void *context, const atx_problem_key *key)
{
    choice *c = context;
    if (!is_wanted(c->options, key) || c->problems++)
        return true;
    atx_str_add(&c->op, key->op);
    atx_str_add(&c->shape, key->shape);
    atx_str_add(&c->type_key, key->type_key);
    return true;
}

static atx_problem_key key_of(const choice *c)
{
    return (atx_problem_key){ .op = atx_str_text(&c->op),
                              .shape = atx_str_text(&c->shape),
                              .type_key = atx_str_text(&c->type_key) };
}

static bool look_at_trial(void *context, const atx_trial_row *row, const atx_fingerprint *f)
{
    choice *c = context;
    if (!on_device(c, f))
        return true;
    if (!c->trials++) {
        c->device = *f;
        atx_str_add(&c->template_name, row->template_name);
    }
    c->other_device |= strcmp(c->device.device, f->device) != 0;
    c->other_template |= strcmp(atx_str_text(&c->template_name), row->template_name) != 0;
    return true;
}

/* Without this a name that is missing would choose nothing, or look like another one. */
static at_status names_status(const choice *c, at_error *err)
{
    const atx_str *const NAMES[] = { &c->op, &c->shape, &c->type_key, &c->template_name };
    at_status status = AT_OK;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES && status == AT_OK; i++)
        status = atx_str_status(NAMES[i], err);
    return status;
}

static at_status choose(choice *c, at_error *err)
{
    at_status status = atx_store_each_problem(c->store, visit_problem, c, err);
    if (status == AT_OK && c->problems > 1)
        return atx_fail(err, AT_ERR_INPUT,
                        "found %d problems; T4 has a place for one: expected --op and --shapes to choose it",
                        c->problems);
    atx_problem_key key = key_of(c);
    if (status == AT_OK)
        status = atx_store_each_trial(c->store, &key, NULL, look_at_trial, c, err);
    if (status == AT_OK)
        status = names_status(c, err);
    if (status == AT_OK && !c->trials)
        return atx_fail(err, AT_ERR_NOT_FOUND, "no trials are stored that these options choose");
    if (status == AT_OK && c->other_device)
        return atx_fail(err, AT_ERR_INPUT,
                        "found trials on several devices; expected --device to choose one");
    return status;
}

/* ---- writing ---- */

static void emit(writer *w)
{
    if (w->more && !w->line.failed)
        w->more = w->sink(w->context, atx_str_text(&w->line));
    if (!w->line.failed)
        atx_str_reset(&w->line);
}

static void add_word(atx_str *out, const char *text, size_t len)
{
    atx_str word = { 0 };
    atx_str_add_bytes(&word, text, len);
    atx_str_add_json(out, atx_str_text(&word));
    out->failed |= word.failed;
    atx_str_clear(&word);
}

/* A value of a configuration: numbers as numbers, unless JSON has them not ("007"), words in quotes. */
static void add_value(atx_str *out, const char *text, size_t len)
{
    const size_t sign = len && text[0] == '-';
    size_t end = sign;
    while (end < len && text[end] >= '0' && text[end] <= '9')
        end++;
    if (end == len && end > sign && (text[sign] != '0' || end == sign + 1))
        atx_str_add_bytes(out, text, len);
    else
        add_word(out, text, len);
}

/* "TILE=32 ORDER=fast" as members. */
static void add_configuration(atx_str *out, const choice *c, const atx_trial_row *row)
{
    const char *at = row->config, *comma = "";
    atx_str_add(out, "\"configuration\":{");
    if (c->other_template) {
        atx_str_add(out, "\"template\":");
        atx_str_add_json(out, row->template_name);
        comma = ",";
    }
    while (*at) {
        size_t len = strcspn(at, " "), name = strcspn(at, "=");
        if (name < len) {
            atx_str_add(out, comma);
            add_word(out, at, name);
            atx_str_add(out, ":");
            add_value(out, at + name + 1, len - name - 1);
            comma = ",";
        }
        at += len + strspn(at + len, " ");
    }
    atx_str_add(out, "}");
}

/* What happened in T4's words, and in Kernel Tuner's. */
static const struct {
    const char *invalidity, *time;
} WORDS[ATX_OUTCOMES] = {
    [ATX_TIMED] = { "correct", "" },
    [ATX_COMPILE_FAILED] = { "compile", "CompilationFailedConfig" },
    [ATX_LAUNCH_FAILED] = { "runtime", "RuntimeFailedConfig" },
    [ATX_WRONG_RESULT] = { "correctness", "RuntimeFailedConfig" },
    [ATX_CRASHED] = { "runtime", "RuntimeFailedConfig" },
    [ATX_TIMED_OUT] = { "timeout", "RuntimeFailedConfig" },
};

enum { DIGITS = 15 }; /* survive the way through text and back */

static void add_measurement(atx_str *out, const char *name, double value, const char *unit)
{
    atx_str_addf(out, ",{\"name\":\"%s\",\"value\":", name);
    atx_str_add_real(out, DIGITS, value);
    atx_str_addf(out, ",\"unit\":\"%s\"}", unit);
}

/* What is known of them: the three kinds of memory behind registers are three figures (lang/record.h). */
static void add_resources(atx_str *out, const atx_resources *r)
{
    const struct {
        const char *name, *unit;
        int64_t value;
    } FIGURES[] = {
        { "registers", "", r->registers },           { "shared_memory", "bytes", r->shared_bytes },
        { "stack_frame", "bytes", r->stack_bytes },  { "spill_traffic", "bytes", r->spill_bytes },
        { "local_memory", "bytes", r->local_bytes },
    };
    for (size_t i = 0; i < sizeof FIGURES / sizeof *FIGURES; i++)
        if (FIGURES[i].value >= 0)
            add_measurement(out, FIGURES[i].name, (double)FIGURES[i].value, FIGURES[i].unit);
}

static void add_measurements(atx_str *out, const atx_trial_row *row)
{
    bool timed = row->outcome == ATX_TIMED;
    atx_str_add(out, "\"measurements\":[{\"name\":\"time\",\"value\":");
    if (timed)
        atx_str_add_real(out, DIGITS, 1e3 * row->timing.median_s);
    else
        atx_str_addf(out, "\"%s\"", WORDS[row->outcome].time);
    atx_str_add(out, ",\"unit\":\"ms\"}");
    if (timed) {
        add_measurement(out, "time_min", 1e3 * row->timing.min_s, "ms");
        add_measurement(out, "spread", row->timing.spread, "");
        add_measurement(out, "samples", (double)row->timing.samples, "");
    } else {
        atx_str_addf(out, ",{\"name\":\"outcome\",\"value\":\"%s\",\"unit\":\"\"}",
                     atx_outcome_name(row->outcome));
    }
    add_resources(out, &row->resources);
    atx_str_add(out, "]");
}

static void add_times(atx_str *out, const atx_trial_row *row)
{
    atx_str_add(out, "\"times\":{\"compilation\":");
    atx_str_add_real(out, DIGITS, 1e3 * row->compile_s);
    atx_str_add(out, ",\"framework\":0,\"search_algorithm\":0,\"validation\":0");
    if (row->outcome == ATX_TIMED) {
        atx_str_add(out, ",\"runtimes\":[");
        atx_str_add_real(out, DIGITS, 1e3 * row->timing.median_s);
        atx_str_add(out, "]");
    }
    atx_str_add(out, "}");
}

static bool write_trial(void *context, const atx_trial_row *row, const atx_fingerprint *f)
{
    writer *w = context;
    atx_str *out = &w->line;
    if (!on_device(w->of, f))
        return true;
    atx_str_addf(out, "%s{\"timestamp\":", w->written++ ? "," : "");
    atx_str_add_json(out, row->measured_at);
    atx_str_add(out, ",");
    add_configuration(out, w->of, row);
    atx_str_add(out, ",");
    add_times(out, row);
    atx_str_addf(out, ",\"invalidity\":\"%s\",\"correctness\":%d,", WORDS[row->outcome].invalidity,
                 row->outcome == ATX_TIMED);
    add_measurements(out, row);
    atx_str_add(out, ",\"objectives\":[\"time\"]}");
    emit(w);
    return w->more && !w->line.failed;
}

static void write_head(writer *w)
{
    const choice *c = w->of;
    atx_str *out = &w->line;
    atx_str_add(out, "{\"schema_version\":\"1.0.0\",\"metadata\":{\"timeunit\":\"miliseconds\",\"kernel\":");
    atx_str_add_json(out, atx_str_text(&c->op));
    atx_str_add(out, ",\"shape\":");
    atx_str_add_json(out, atx_str_text(&c->shape));
    atx_str_add(out, ",\"type\":");
    atx_str_add_json(out, atx_str_text(&c->type_key));
    atx_str_add(out, ",\"device\":");
    atx_str_add_json(out, c->device.device);
    if (!c->other_template) {
        atx_str_add(out, ",\"template\":");
        atx_str_add_json(out, atx_str_text(&c->template_name));
    }
    atx_str_add(out, "},\"results\":[");
    emit(w);
}

static at_status write_all(choice *c, atx_line_sink *sink, void *context, at_error *err)
{
    writer w = { .of = c, .sink = sink, .context = context, .more = true };
    atx_problem_key key = key_of(c);
    write_head(&w);
    at_status status = atx_store_each_trial(c->store, &key, NULL, write_trial, &w, err);
    if (status == AT_OK)
        status = atx_str_status(&w.line, err);
    if (status == AT_OK) {
        atx_str_add(&w.line, "]}");
        emit(&w);
    }
    atx_str_clear(&w.line);
    return status;
}

at_status atx_t4_write(atx_store *store, const atx_dump_options *options, atx_line_sink *sink, void *context,
                       at_error *err)
{
    choice c = { .store = store, .options = options };
    at_status status = choose(&c, err);
    if (status == AT_OK)
        status = write_all(&c, sink, context, err);
    atx_str_clear(&c.op);
    atx_str_clear(&c.shape);
    atx_str_clear(&c.type_key);
    atx_str_clear(&c.template_name);
    return status;
}
