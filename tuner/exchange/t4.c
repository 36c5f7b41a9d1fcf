/* t4.c - see t4.h. */
#include "exchange/t4.h"

#include "exchange/one_problem.h"

/* "TILE=32 ORDER=fast" as members. */
static void add_configuration(atx_str *out, const atx_one_problem *c, const atx_trial_row *row)
{
    atx_str_add(out, "\"configuration\":{");
    if (c->other_template) {
        atx_str_add(out, "\"template\":");
        atx_str_add_json(out, row->template_name);
        atx_str_add(out, *row->config ? "," : "");
    }
    atx_add_settings(out, row->config);
    atx_str_add(out, "}");
}

static const char *const INVALIDITIES[ATX_OUTCOMES] = {
    [ATX_TIMED] = "correct",         [ATX_COMPILE_FAILED] = "compile",
    [ATX_LAUNCH_FAILED] = "runtime", [ATX_WRONG_RESULT] = "correctness",
    [ATX_CRASHED] = "runtime",       [ATX_TIMED_OUT] = "timeout",
};

static void add_measurement(atx_str *out, const char *name, double value, const char *unit)
{
    atx_str_addf(out, ",{\"name\":\"%s\",\"value\":", name);
    atx_str_add_real(out, ATX_EXACT_DIGITS, value);
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
        atx_add_ms(out, row->timing.median_s);
    else
        atx_str_addf(out, "\"%s\"", atx_failure_word(row->outcome));
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
    atx_add_ms(out, row->compile_s);
    atx_str_add(out, ",\"framework\":0,\"search_algorithm\":0,\"validation\":0");
    if (row->outcome == ATX_TIMED) {
        atx_str_add(out, ",\"runtimes\":[");
        atx_add_ms(out, row->timing.median_s);
        atx_str_add(out, "]");
    }
    atx_str_add(out, "}");
}

static void add_trial(atx_str *out, const void *self, const atx_trial_row *row)
{
    atx_str_add(out, "{\"timestamp\":");
    atx_str_add_json(out, row->measured_at);
    atx_str_add(out, ",");
    add_configuration(out, self, row);
    atx_str_add(out, ",");
    add_times(out, row);
    atx_str_addf(out, ",\"invalidity\":\"%s\",\"correctness\":%d,", INVALIDITIES[row->outcome],
                 row->outcome == ATX_TIMED);
    add_measurements(out, row);
    atx_str_add(out, ",\"objectives\":[\"time\"]}");
}

static void add_head(atx_str *out, const atx_one_problem *c)
{
    atx_str_add(out, "{\"schema_version\":\"1.0.0\",\"metadata\":{\"timeunit\":\"miliseconds\",\"kernel\":");
    atx_str_add_json(out, atx_str_text(&c->op));
    atx_str_add(out, ",\"shape\":");
    atx_str_add_json(out, atx_str_text(&c->shape));
    atx_str_add(out, ",\"type\":");
    atx_str_add_json(out, atx_str_text(&c->type_key));
    atx_str_add(out, ",\"device\":");
    atx_str_add_json(out, c->conditions.device);
    if (!c->other_template) {
        atx_str_add(out, ",\"template\":");
        atx_str_add_json(out, atx_str_text(&c->template_name));
    }
    atx_str_add(out, "},\"results\":[");
}

at_status atx_t4_write(atx_store *store, const atx_dump_options *options, atx_line_sink *sink, void *context,
                       at_error *err)
{
    atx_one_problem c;
    ATX_LOCAL(atx_str) head = { 0 };
    at_status status = atx_one_problem_choose(&c, store, options, err);
    if (status == AT_OK) {
        add_head(&head, &c);
        status =
            atx_one_problem_write(&c, &(atx_problem_file){ &head, add_trial, &c, "]}" }, sink, context, err);
    }
    atx_one_problem_clear(&c);
    return status;
}
