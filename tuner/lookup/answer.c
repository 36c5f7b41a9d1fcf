/*
 * answer.c - see answer.h. An answer is first reduced to what is known of the problem that was asked about:
 * of a near one that is what to launch, and nothing of what was measured elsewhere. Then one walk names each
 * figure, and the form (members, heads of columns, fields) decides what is written of it.
 */
#include "lookup/answer.h"

#include "lang/metric_text.h"
#include "util/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum form { MEMBERS, HEADS, FIELDS } form;

typedef struct writer {
    atx_str *out;
    form form;
    bool is_measured; /* what was stored is of the problem itself */
} writer;

static bool is_member(writer *w, const char *name)
{
    if (w->form == HEADS)
        atx_field_text(w->out, name);
    return w->form == MEMBERS;
}

static void text(writer *w, const char *name, const char *value)
{
    if (is_member(w, name))
        atx_member_text(w->out, name, value);
    else if (w->form == FIELDS)
        atx_field_text(w->out, value);
}

static void real(writer *w, const char *name, int digits, double value)
{
    char field[32] = "";
    if (is_member(w, name)) {
        atx_member_real(w->out, name, digits, value);
        return;
    }
    if (isfinite(value))
        snprintf(field, sizeof field, "%.*g", digits, value);
    if (w->form == FIELDS)
        atx_field_text(w->out, field);
}

static void integer(writer *w, const char *name, int64_t value)
{
    if (value < 0)
        text(w, name, NULL);
    else if (is_member(w, name))
        atx_member_int(w->out, name, value);
    else if (w->form == FIELDS)
        atx_field_int(w->out, value);
}

/* below zero: unknown */
static void boolean(writer *w, const char *name, int value)
{
    if (value >= 0 && is_member(w, name))
        atx_member_bool(w->out, name, value);
    else if (value < 0 || w->form == FIELDS)
        text(w, name, value < 0 ? NULL : value ? "1" : "0");
}

static void stored(void *context, const atx_stored_figure *f)
{
    writer *w = context;
    switch (f->kind) {
    case ATX_A_TEXT:
        text(w, f->name, f->text);
        break;
    case ATX_AN_INT:
        integer(w, f->name, f->integer);
        break;
    case ATX_A_REAL:
        real(w, f->name, 9, f->real);
        break;
    case ATX_A_BOOL:
        boolean(w, f->name, w->is_measured ? (int)f->integer : -1);
        break;
    }
}

/* What is known of an answer for the problem itself. */
typedef struct known {
    const atx_found *found;
    const atx_problem *problem;
    atx_answer here;  /* borrowed */
    bool is_measured; /* its times are of this problem */
} known;

static const atx_winner NOTHING = { .timing = { .median_s = NAN, .min_s = NAN, .spread = NAN, .samples = -1 },
                                    .trials = -1,
                                    .space_count = -1,
                                    .geometry = { { -1, -1, -1 }, { -1, -1, -1 }, -1 },
                                    .resources = { -1, -1, -1, -1, -1 },
                                    .elapsed_s = NAN,
                                    .conditions = { -1, -1, -1, -1, -1 } };

/* What to launch, and on what. */
static void take_launch(atx_answer *out, const atx_found *f)
{
    out->fingerprint =
        (atx_fingerprint){ .cc = f->cc ? f->cc : -1, .sms = f->sms ? f->sms : -1, .memory_mib = -1 };
    snprintf(out->fingerprint.device, sizeof out->fingerprint.device, "%s", f->device ? f->device : "");
    if (!f->answer)
        return;
    out->winner.template_name = f->answer->winner.template_name;
    out->winner.template_hash = f->t ? f->t->text.hash : f->answer->winner.template_hash;
    out->winner.config = f->answer->winner.config;
    out->winner.geometry = f->geometry;
}

static void take_measured(atx_answer *out, const atx_found *f)
{
    *out = *f->answer;
    out->winner.geometry = f->geometry;
    if (f->match != ATX_MATCH_EXACT)
        out->winner.elapsed_s = NAN; /* of a trial nobody knows it */
}

static at_status know(known *k, atx_str *shape, const atx_found *f, const atx_problem *problem,
                      const char *device, at_error *err)
{
    atx_problem_key key;
    at_status status = atx_problem_key_of(&key, shape, problem, err);
    if (status != AT_OK)
        return status;
    *k = (known){ .found = f, .problem = problem, .is_measured = f->answer && f->own };
    k->here = (atx_answer){ .winner = NOTHING };
    if (k->is_measured)
        take_measured(&k->here, f);
    else
        take_launch(&k->here, f);
    if (!k->here.fingerprint.device[0] && !f->answer)
        snprintf(k->here.fingerprint.device, sizeof k->here.fingerprint.device, "%s", device);
    k->here.op = (char *)(uintptr_t)key.op; /* read, not written */
    k->here.shape = (char *)(uintptr_t)key.shape;
    k->here.type_key = (char *)(uintptr_t)key.type_key;
    k->here.elements = key.elements;
    k->here.traffic_bytes = key.traffic_bytes;
    k->here.ops_count = key.ops_count;
    return AT_OK;
}

static double above_zero(double value)
{
    return value > 0 ? value : NAN;
}

/* In a row, of problems of any operation, "NAME=VALUE NAME=VALUE". */
static void metrics(writer *w, const known *k)
{
    atx_str words = { 0 };
    const atx_record unknown = { &NOTHING.timing, &NOTHING.resources, k->here.winner.config };
    const atx_record *r = k->is_measured ? ATX_RECORD_OF(&k->here.winner) : &unknown;
    if (w->form == MEMBERS) {
        atx_metrics_member(w->out, k->problem, r);
        return;
    }
    if (w->form == FIELDS && k->is_measured)
        atx_metrics_words(&words, k->problem, r);
    text(w, "metrics", atx_str_text(&words));
    w->out->failed |= words.failed;
    atx_str_clear(&words);
}

/* The table. */
static void write_all(writer *w, const known *k)
{
    const atx_found *f = k->found;
    const atx_answer *from = f->answer;
    const bool many = f->by_model; /* then it comes from trials of many problems */
    text(w, "match", atx_match_name(f->match));
    text(w, "why", f->why && *f->why ? f->why : NULL);
    text(w, "outdated", f->outdated);
    text(w, "origin", !from ? NULL : f->shipped ? ATX_SHIPPED : "database");
    boolean(w, "runner_up", from ? f->runner_up : -1);
    text(w, "from_shape", from && !many ? from->shape : NULL);
    text(w, "from_device", from ? from->fingerprint.device : NULL);
    real(w, "expected_s", 4, above_zero(f->expected_s));
    real(w, "expected_loss", 3, f->expected_s > 0 ? f->expected_loss : NAN);
    text(w, "dtype", k->problem ? atx_dtype_name(k->problem->type) : NULL);
    atx_answer_each_figure(&k->here, stored, w);
    real(w, "gb_per_s", 5, k->is_measured ? above_zero(atx_answer_gb_per_s(&k->here)) : NAN);
    real(w, "gflop_per_s", 5,
         k->is_measured ? above_zero(atx_gflop_per_s(k->here.ops_count, k->here.winner.timing.median_s))
                        : NAN);
    real(w, "share_of_ceiling", 5, k->is_measured ? above_zero(atx_answer_share(&k->here)) : NAN);
    metrics(w, k);
}

static at_status write_one(atx_str *out, form as, const atx_found *found, const atx_problem *problem,
                           const char *device, at_error *err)
{
    known k;
    atx_str shape = { 0 };
    at_status status = know(&k, &shape, found, problem, device, err);
    if (status == AT_OK)
        write_all(&(writer){ out, as, k.is_measured }, &k);
    atx_str_clear(&shape);
    return status == AT_OK ? atx_str_status(out, err) : status;
}

at_status atx_answer_members(atx_str *out, const atx_found *found, const atx_problem *problem,
                             const char *device, at_error *err)
{
    return write_one(out, MEMBERS, found, problem, device, err);
}

at_status atx_answer_fields(atx_str *out, const atx_found *found, const atx_problem *problem,
                            const char *device, at_error *err)
{
    return write_one(out, FIELDS, found, problem, device, err);
}

void atx_answer_heads(atx_str *out)
{
    const atx_found none = { .match = ATX_MATCH_NONE };
    write_all(&(writer){ out, HEADS, true }, &(known){ .found = &none });
}
