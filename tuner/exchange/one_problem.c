/*
 * one_problem.c - trials are read twice: first to see which problems and devices the options leave, and to
 * refuse more than one, then to write. Nothing is written before it is known that there is something.
 */
#include "exchange/one_problem.h"

#include "util/rows.h"

#include <stdio.h>
#include <string.h>

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

static bool is_asked_for(const atx_one_problem *c, const atx_trial_row *row, const atx_fingerprint *f)
{
    const atx_dump_options *o = c->options;
    return (!o->device || strcmp(f->device, o->device) == 0) &&
           (!o->template_name || strcmp(row->template_name, o->template_name) == 0);
}

static bool visit_problem(void *context, const atx_problem_key *key)
{
    atx_one_problem *c = context;
    if (!is_wanted(c->options, key) || c->problems++)
        return true;
    atx_str_add(&c->op, key->op);
    atx_str_add(&c->shape, key->shape);
    atx_str_add(&c->type_key, key->type_key);
    return true;
}

static atx_problem_key key_of(const atx_one_problem *c)
{
    return (atx_problem_key){ .op = atx_str_text(&c->op),
                              .shape = atx_str_text(&c->shape),
                              .type_key = atx_str_text(&c->type_key) };
}

static bool look_at_trial(void *context, const atx_trial_row *row, const atx_fingerprint *f)
{
    atx_one_problem *c = context;
    if (!is_asked_for(c, row, f))
        return true;
    c->other_device |= c->trials && strcmp(c->conditions.device, f->device) != 0;
    if (!c->trials++ || strcmp(row->measured_at, c->newest) > 0) {
        c->conditions = *f;
        snprintf(c->newest, sizeof c->newest, "%s", row->measured_at);
    }
    return true;
}

/* Of those that are written: other conditions may have trials of other templates. */
static bool look_at_template(void *context, const atx_trial_row *row, const atx_fingerprint *f)
{
    atx_one_problem *c = context;
    (void)f;
    if (!c->template_name.len)
        atx_str_add(&c->template_name, row->template_name);
    c->other_template |= strcmp(atx_str_text(&c->template_name), row->template_name) != 0;
    return true;
}

/* Without this a name that is missing would choose nothing, or look like another one. */
static at_status names_status(const atx_one_problem *c, at_error *err)
{
    const atx_str *const NAMES[] = { &c->op, &c->shape, &c->type_key, &c->template_name };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        ATX_TRY(atx_str_status(NAMES[i], err));
    return AT_OK;
}

typedef struct visiting {
    const atx_one_problem *of;
    atx_trial_visit *row;
    void *context;
} visiting;

static bool visit_chosen(void *context, const atx_trial_row *row, const atx_fingerprint *f)
{
    const visiting *v = context;
    return !is_asked_for(v->of, row, f) || v->row(v->context, row, f);
}

at_status atx_one_problem_each(const atx_one_problem *c, atx_trial_visit *row, void *context, at_error *err)
{
    visiting v = { c, row, context };
    atx_problem_key key = key_of(c);
    return atx_store_each_trial(c->store, &key, &c->conditions, visit_chosen, &v, err);
}

at_status atx_one_problem_choose(atx_one_problem *c, atx_store *store, const atx_dump_options *options,
                                 at_error *err)
{
    *c = (atx_one_problem){ .store = store, .options = options };
    ATX_TRY(atx_store_each_problem(c->store, visit_problem, c, err));
    if (c->problems > 1)
        return atx_fail(
            err, AT_ERR_INPUT,
            "found %d problems; this format has a place for one: expected --op and --shapes to choose it",
            c->problems);
    atx_problem_key key = key_of(c);
    ATX_TRY(atx_store_each_trial(c->store, &key, NULL, look_at_trial, c, err));
    ATX_TRY(names_status(c, err));
    if (!c->trials)
        return atx_fail(err, AT_ERR_NOT_FOUND, "no trials are stored that these options choose");
    if (c->other_device)
        return atx_fail(err, AT_ERR_INPUT,
                        "found trials on several devices; expected --device to choose one");
    ATX_TRY(atx_one_problem_each(c, look_at_template, c, err));
    return names_status(c, err);
}

void atx_one_problem_clear(atx_one_problem *c)
{
    atx_str_clear(&c->op);
    atx_str_clear(&c->shape);
    atx_str_clear(&c->type_key);
    atx_str_clear(&c->template_name);
}

/* ---- lines ---- */

typedef struct writing {
    const atx_problem_file *file;
    atx_line_sink *sink;
    void *context;
    atx_str line;    /* once it has failed, it stays as it is */
    int64_t written; /* trials */
    bool more;       /* false: the reader has closed */
} writing;

static void emit(writing *w)
{
    if (w->line.failed)
        return;
    w->more = w->more && w->sink(w->context, atx_str_text(&w->line));
    atx_str_reset(&w->line);
}

static bool write_trial(void *context, const atx_trial_row *row, const atx_fingerprint *f)
{
    writing *w = context;
    (void)f;
    atx_str_add(&w->line, w->written++ ? "," : "");
    w->file->add(&w->line, w->file->self, row);
    emit(w);
    return w->more && !w->line.failed;
}

at_status atx_one_problem_write(const atx_one_problem *c, const atx_problem_file *file, atx_line_sink *sink,
                                void *context, at_error *err)
{
    writing w = { .file = file, .sink = sink, .context = context, .more = true };
    ATX_TRY(atx_str_status(file->head, err));
    atx_str_add(&w.line, atx_str_text(file->head));
    emit(&w);
    at_status status = atx_one_problem_each(c, write_trial, &w, err);
    ATX_THEN(status, atx_str_status(&w.line, err));
    if (status == AT_OK) {
        atx_str_add(&w.line, file->end);
        emit(&w);
    }
    atx_str_clear(&w.line);
    return status;
}

/* ---- figures ---- */

void atx_member_ms(atx_str *out, const char *name, double seconds)
{
    atx_member_real(out, name, ATX_EXACT_DIGITS, 1e3 * seconds);
}

void atx_member_ms_alone(atx_str *out, const char *name, double seconds)
{
    atx_member_name(out, name);
    atx_str_add(out, "[");
    atx_str_add_real(out, ATX_EXACT_DIGITS, 1e3 * seconds);
    atx_str_add(out, "]");
}

const char *atx_failure_word(atx_outcome outcome)
{
    return outcome == ATX_TIMED            ? ""
           : outcome == ATX_COMPILE_FAILED ? "CompilationFailedConfig"
                                           : "RuntimeFailedConfig";
}

/* ---- configurations ---- */

bool atx_next_setting(atx_setting_text *out, const char **at)
{
    while (**at) {
        const char *begin = *at;
        size_t len = strcspn(begin, " "), name = strcspn(begin, "=");
        *at += len + strspn(begin + len, " ");
        *out = (atx_setting_text){ begin, name, begin + name + 1, name < len ? len - name - 1 : 0 };
        if (name < len)
            return true;
    }
    return false;
}

static void add_word(atx_str *out, const char *text, size_t len)
{
    ATX_LOCAL(atx_str) word = { 0 };
    atx_str_add_bytes(&word, text, len);
    atx_str_add_json(out, atx_str_text(&word));
    out->failed |= word.failed;
}

void atx_add_json_value(atx_str *out, const char *text, size_t len)
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

/* Escaped: a store from elsewhere may have any name. */
void atx_add_setting_name(atx_str *out, const char *name, size_t len)
{
    atx_str_add(out, out->len && out->data[out->len - 1] == '{' ? "" : ",");
    add_word(out, name, len);
    atx_str_add(out, ":");
}

void atx_add_settings(atx_str *out, const char *config)
{
    atx_setting_text s;
    while (atx_next_setting(&s, &config)) {
        atx_add_setting_name(out, s.name, s.name_len);
        atx_add_json_value(out, s.value, s.value_len);
    }
}
