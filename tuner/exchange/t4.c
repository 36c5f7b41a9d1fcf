/* t4.c - see t4.h. */
#include "exchange/t4.h"

#include "exchange/one_problem.h"
#include "util/rows.h"

/* "TILE=32 ORDER=fast" as members. */
static void add_configuration(atx_str *out, const atx_one_problem *c, const atx_trial_row *row)
{
    atx_member_name(out, "configuration");
    atx_str_add(out, "{");
    if (c->other_template)
        atx_member_text(out, "template", row->template_name);
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
    atx_str_add(out, ",{");
    atx_member_text(out, "name", name);
    atx_member_real(out, "value", ATX_EXACT_DIGITS, value);
    atx_member_text(out, "unit", unit);
    atx_str_add(out, "}");
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
    atx_str_add(out, ",\"measurements\":[{\"name\":\"time\"");
    if (timed)
        atx_member_ms(out, "value", row->timing.median_s);
    else
        atx_member_text(out, "value", atx_failure_word(row->outcome));
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
    atx_member_name(out, "times");
    atx_str_add(out, "{");
    atx_member_ms(out, "compilation", row->compile_s);
    atx_str_add(out, ",\"framework\":0,\"search_algorithm\":0,\"validation\":0");
    if (row->outcome == ATX_TIMED)
        atx_member_ms_alone(out, "runtimes", row->timing.median_s);
    atx_str_add(out, "}");
}

static void add_trial(atx_str *out, const void *self, const atx_trial_row *row)
{
    atx_str_add(out, "{");
    atx_member_text(out, "timestamp", row->measured_at);
    add_configuration(out, self, row);
    add_times(out, row);
    atx_member_text(out, "invalidity", INVALIDITIES[row->outcome]);
    atx_member_int(out, "correctness", row->outcome == ATX_TIMED);
    add_measurements(out, row);
    atx_str_add(out, ",\"objectives\":[\"time\"]}");
}

static void add_head(atx_str *out, const atx_one_problem *c)
{
    atx_str_add(out, "{\"schema_version\":\"1.0.0\",\"metadata\":{\"timeunit\":\"miliseconds\"");
    atx_member_text(out, "kernel", atx_str_text(&c->op));
    atx_member_text(out, "shape", atx_str_text(&c->shape));
    atx_member_text(out, "type", atx_str_text(&c->type_key));
    atx_member_text(out, "device", c->conditions.device);
    if (!c->other_template)
        atx_member_text(out, "template", atx_str_text(&c->template_name));
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
