/*
 * answer.c - see answer.h. An answer is first reduced to the facts about the problem that was asked for: of a
 * near answer those are the launches, not the measurements of another problem. Then one walk names each
 * figure, and the form (members, heads of columns, fields) decides what is written of it.
 */
#include "lookup/answer.h"

#include "lang/metric_text.h"
#include "util/rows.h"

#include <math.h>
#include <stdio.h>

/* The figures of an answer for the problem itself. */
typedef struct known {
    atx_row *row;
    const atx_found *found;
    const atx_problem *problem;
    atx_answer here;  /* borrowed */
    bool is_measured; /* its times are of this problem */
} known;

static const atx_winner NOTHING = {
    .timing = { .median_s = NAN, .min_s = NAN, .spread = NAN, .samples = -1 },
    .trials = -1,
    .space_count = -1,
    .geometry = { .grid = { -1, -1, -1 }, .block = { -1, -1, -1 }, .shared_bytes = -1 },
    .resources = { -1, -1, -1, -1, -1 },
    .elapsed_s = NAN,
    .conditions = { -1, -1, -1, -1, -1, -1 }
};

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
        out->winner.elapsed_s = NAN; /* unknown of a trial */
}

static at_status know(known *k, atx_str *shape, const char *device, at_error *err)
{
    const atx_found *f = k->found;
    atx_problem_key key;
    ATX_TRY(atx_problem_key_of(&key, shape, k->problem, err));
    k->is_measured = f->answer && f->own;
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

static void stored(void *context, const atx_stored_figure *f)
{
    const known *k = context;
    if (f->kind == ATX_A_TEXT)
        atx_row_text(k->row, f->name, f->text);
    else if (f->kind == ATX_AN_INT)
        atx_row_int(k->row, f->name, f->integer);
    else if (f->kind == ATX_A_REAL)
        atx_row_real(k->row, f->name, 9, f->real);
    else
        atx_row_bool(k->row, f->name, k->is_measured ? (int)f->integer : -1);
}

/* The table. */
static void write_all(known *k)
{
    atx_row *row = k->row;
    const atx_found *f = k->found;
    const atx_answer *from = f->answer;
    const bool many = f->by_model; /* then it comes from trials of many problems */
    atx_row_text(row, "match", atx_match_name(f->match));
    atx_row_text(row, "why", f->why && *f->why ? f->why : NULL);
    atx_row_text(row, "outdated", f->outdated);
    atx_row_text(row, "origin", !from ? NULL : f->shipped ? ATX_SHIPPED : "database");
    atx_row_bool(row, "runner_up", from ? f->runner_up : -1);
    atx_row_text(row, "from_shape", from && !many ? from->shape : NULL);
    atx_row_text(row, "from_device", from ? from->fingerprint.device : NULL);
    atx_row_real(row, "expected_s", 4, above_zero(f->expected_s));
    atx_row_real(row, "expected_loss", 3, f->expected_s > 0 ? f->expected_loss : NAN);
    atx_row_text(row, "dtype", k->problem ? atx_dtype_name(k->problem->type) : NULL);
    atx_answer_each_figure(&k->here, stored, k);
    atx_row_real(row, "gb_per_s", 5, k->is_measured ? above_zero(atx_answer_gb_per_s(&k->here)) : NAN);
    atx_row_real(row, "gflop_per_s", 5,
                 k->is_measured
                     ? above_zero(atx_gflop_per_s(k->here.ops_count, k->here.winner.timing.median_s))
                     : NAN);
    atx_row_real(row, "share_of_ceiling", 5, k->is_measured ? above_zero(atx_answer_share(&k->here)) : NAN);
    atx_metrics_row(row, k->problem, k->is_measured ? ATX_RECORD_OF(&k->here.winner) : NULL);
}

at_status atx_answer_row(atx_row *row, const atx_found *found, const atx_problem *problem, const char *device,
                         at_error *err)
{
    known k = { .row = row, .found = found, .problem = problem, .here = { .winner = NOTHING } };
    ATX_LOCAL(atx_str) shape = { 0 };
    ATX_TRY(problem ? know(&k, &shape, device, err) : AT_OK);
    write_all(&k);
    return atx_str_status(row->out, err);
}

at_status atx_answer_members(atx_str *out, const atx_found *found, const atx_problem *problem,
                             const char *device, at_error *err)
{
    return atx_answer_row(&(atx_row){ .out = out }, found, problem, device, err);
}
