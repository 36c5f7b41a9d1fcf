/*
 * device_replay.c - a device that answers with the trials that a store recorded; see device.h.
 *
 * A trial gets the outcome and times of the recorded trial of the same problem, template name and
 * configuration. If several versions of the template were recorded, the newest counts. In the re-measurement
 * the recorded winner gets the times of its own re-measurement, and so does the copy that was its ceiling;
 * the others keep the times of their trials, but cannot be faster than those two, since the recording decided
 * that.
 *
 * With a pace, trials are answered one after the other, each after the time that it took on the device
 * (pace.h). The answers are the same.
 */
#include "lang/arch.h"
#include "device/device_kind.h"
#include "device/pace.h"
#include "util/bug.h"
#include "util/clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define LOOK_S 0.02 /* in a re-measurement that takes as long as it took: whether the user still wants it */

/* One recorded problem: its entries by name and configuration, and its winner. */
typedef struct recording {
    atx_str problem;        /* "transpose 4096x4096 b4" */
    atx_trial_row *entries; /* texts owned */
    size_t count, cap;
    bool failed; /* out of memory while reading */
    bool has_winner;
    atx_answer winner;
} recording;

/* A trial that waits for its answer. */
typedef struct waiting {
    atx_measured m; /* without its log */
    const char *log;
    double until_s; /* on atx_now_s(): when it is answered; 0: at once */
} waiting;

typedef struct replay {
    atx_device base;
    double pace; /* 0: everything is answered at once */
    int timer;   /* of the first answer; -1: none     */
    atx_store *store;
    atx_fingerprint recorded; /* the GPU; other columns: of most trials */
    recording *recordings;
    size_t recording_count, recording_cap;
    waiting queue[ATX_DEVICE_QUEUE];
    int queue_count;
} replay;

static replay *ours(atx_device *device)
{
    return (replay *)device;
}

/* ---- reading ---- */

static void recording_clear(recording *t)
{
    for (size_t i = 0; i < t->count; i++)
        atx_trial_row_clear(&t->entries[i]);
    free(t->entries);
    atx_str_clear(&t->problem);
    atx_answer_clear(&t->winner);
}

/* A recording may come from anywhere: a time that is none answers nothing. */
static bool is_time(double seconds)
{
    return isfinite(seconds) && seconds > 0;
}

static bool add_entry(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    recording *t = context;
    (void)fingerprint;
    if (row->outcome == ATX_TIMED && !is_time(row->timing.median_s))
        return true;
    if (!atx_grow(&t->entries, &t->cap, t->count, sizeof *t->entries)) {
        t->failed = true;
        return false;
    }
    t->failed = !atx_trial_row_copy(&t->entries[t->count++], row);
    return !t->failed;
}

static int by_name_and_config(const void *a, const void *b)
{
    const atx_trial_row *x = a, *y = b;
    int order = strcmp(x->template_name, y->template_name);
    return order ? order : strcmp(x->config, y->config);
}

/* The same configuration of several versions of a template: the newest first. */
static int by_all(const void *a, const void *b)
{
    const atx_trial_row *x = a, *y = b;
    int order = by_name_and_config(a, b);
    order = order ? order : strcmp(y->measured_at, x->measured_at);
    return order ? order : strcmp(x->template_hash, y->template_hash);
}

static void sort_entries(recording *t)
{
    size_t kept = 0;
    if (t->count)
        qsort(t->entries, t->count, sizeof *t->entries, by_all);
    for (size_t i = 0; i < t->count; i++) {
        if (kept && by_name_and_config(&t->entries[kept - 1], &t->entries[i]) == 0)
            atx_trial_row_clear(&t->entries[i]);
        else
            t->entries[kept++] = t->entries[i];
    }
    t->count = kept;
}

static at_status read_winner(recording *t, atx_store *store, const atx_problem_key *key,
                             const atx_fingerprint *f, at_error *err)
{
    at_status status = atx_store_find_winner(&t->winner, store, key, f, NULL, err);
    t->has_winner = status == AT_OK && is_time(t->winner.winner.timing.median_s);
    return status == AT_ERR_NOT_FOUND ? AT_OK : status;
}

static at_status read_recording(recording *t, replay *d, const atx_problem_key *key, bool warm, at_error *err)
{
    atx_fingerprint like = d->recorded, f;
    like.cold = !warm;
    atx_str_addf(&t->problem, "%s %s %s", key->op, key->shape, key->type_key);
    at_status status = atx_store_main_fingerprint(&f, d->store, key, &like, err);
    if (status == AT_ERR_NOT_FOUND)
        return atx_str_status(&t->problem, err);
    ATX_THEN(status, atx_store_each_trial(d->store, key, &f, add_entry, t, err));
    ATX_THEN(status, read_winner(t, d->store, key, &f, err));
    if (status == AT_OK && (t->failed || t->problem.failed))
        status = atx_no_memory(err);
    if (status == AT_OK)
        sort_entries(t);
    return status;
}

/* The recording of a problem, NULL: it was not read. */
static const recording *find_recording(const replay *d, const char *problem)
{
    for (size_t i = 0; i < d->recording_count; i++)
        if (strcmp(atx_str_text(&d->recordings[i].problem), problem) == 0)
            return &d->recordings[i];
    return NULL;
}

static at_status replay_recorded(atx_device *device, const atx_problem_key *key, bool warm,
                                 atx_recorded_visit *visit, void *context, at_error *err)
{
    replay *d = ours(device);
    ATX_LOCAL(atx_str) problem = { 0 };
    atx_str_addf(&problem, "%s %s %s", key->op, key->shape, key->type_key);
    const recording *t = find_recording(d, atx_str_text(&problem));
    if (!t) {
        if (!atx_grow(&d->recordings, &d->recording_cap, d->recording_count, sizeof *d->recordings))
            return atx_no_memory(err);
        d->recordings[d->recording_count] = (recording){ 0 };
        t = &d->recordings[d->recording_count++];
        ATX_TRY(read_recording(&d->recordings[d->recording_count - 1], d, key, warm, err));
    }
    for (size_t i = 0; i < t->count; i++)
        visit(context, t->entries[i].template_name, t->entries[i].template_hash, t->entries[i].config);
    return AT_OK;
}

/* ---- looking up ---- */

/* Does the identity begin with this problem? Then *rest is the text behind the blank. */
static bool is_of(const char *identity, const recording *t, const char **rest)
{
    size_t len = t->problem.len;
    bool same = strncmp(identity, atx_str_text(&t->problem), len) == 0 && identity[len] == ' ';
    *rest = same ? identity + len + 1 : NULL;
    return same;
}

/* "tile TILE=32 ...", as identities end, against an entry: in the order of by_name_and_config. */
static int by_text(const void *a, const void *b)
{
    const char *text = a;
    const atx_trial_row *e = b;
    size_t len = strcspn(text, " ");
    int order = strncmp(text, e->template_name, len);
    if (order == 0 && e->template_name[len])
        order = -1;
    return order ? order : strcmp(text[len] ? text + len + 1 : "", e->config);
}

/* The recorded configuration with this identity; *from is its recording. NULL: not recorded. */
static const atx_trial_row *find_entry(const replay *d, const char *identity, const recording **from)
{
    const char *rest;
    for (size_t i = 0; i < d->recording_count; i++) {
        const recording *t = &d->recordings[i];
        if (!t->count || !is_of(identity, t, &rest))
            continue;
        *from = t;
        return bsearch(rest, t->entries, t->count, sizeof *t->entries, by_text);
    }
    return NULL;
}

static at_status not_recorded(const char *identity, at_error *err)
{
    return atx_fail(err, AT_ERR_DEVICE, "%s is not in the recording", identity);
}

/* ---- being a device ---- */

static at_status replay_setup(atx_device *device, const atx_setup *setup, at_error *err)
{
    (void)device, (void)setup, (void)err;
    return AT_OK;
}

static int replay_queued(const atx_device *device)
{
    return ((const replay *)device)->queue_count;
}

/* Readable when the first of the queue is to be answered. */
static at_status set_timer(const replay *d, at_error *err)
{
    struct itimerspec when = { .it_value = { 0, 0 } };
    if (d->timer < 0)
        return AT_OK;
    if (d->queue_count) {
        double left_s = fmax(d->queue[0].until_s - atx_now_s(), 1e-9);
        when.it_value = (struct timespec){ (time_t)left_s, (long)(1e9 * (left_s - floor(left_s))) };
        when.it_value.tv_nsec += when.it_value.tv_sec == 0 && when.it_value.tv_nsec == 0;
    }
    if (timerfd_settime(d->timer, 0, &when, NULL) != 0)
        return atx_fail(err, AT_ERR_SYSTEM, "a timer could not be set: %s", strerror(errno));
    return AT_OK;
}

static at_status replay_submit(atx_device *device, const atx_trial *trial, at_error *err)
{
    replay *d = ours(device);
    const recording *t;
    if (d->queue_count == ATX_DEVICE_QUEUE)
        return atx_bug(err, "the device's queue is full");
    const atx_trial_row *e = find_entry(d, trial->kernel.identity, &t);
    if (!e)
        return not_recorded(trial->kernel.identity, err);
    waiting *w = &d->queue[d->queue_count++];
    *w = (waiting){ .m = { .outcome = e->outcome,
                           .timing = e->timing,
                           .resources = e->resources,
                           .conditions = ATX_CONDITIONS_UNKNOWN },
                    .log = e->log };
    w->m.tag = trial->tag;
    if (d->pace > 0) {
        double now_s = atx_now_s(), before_s = d->queue_count > 1 ? w[-1].until_s : 0;
        w->m.busy_s = atx_pace_trial_s(&w->m) / d->pace;
        w->until_s = (before_s > now_s ? before_s : now_s) + w->m.busy_s;
    }
    return d->queue_count == 1 ? set_timer(d, err) : AT_OK;
}

static atx_resources replay_resources(atx_device *device, const char *identity)
{
    const recording *t;
    const atx_trial_row *e = find_entry(ours(device), identity, &t);
    return e ? e->resources : ATX_RESOURCES_UNKNOWN;
}

static struct pollfd replay_fd(const atx_device *device)
{
    /* poll(2) passes over -1: one without a pace never lets wait. */
    return (struct pollfd){ .fd = ((const replay *)device)->timer, .events = POLLIN };
}

static at_status replay_pump(atx_device *device, atx_measured *out, bool *got, at_error *err)
{
    replay *d = ours(device);
    *got = d->queue_count > 0 && (d->queue[0].until_s <= 0 || atx_now_s() >= d->queue[0].until_s);
    if (!*got)
        return AT_OK;
    *out = d->queue[0].m;
    snprintf(out->log, sizeof out->log, "%s", d->queue[0].log);
    d->queue_count--;
    memmove(d->queue, d->queue + 1, (size_t)d->queue_count * sizeof *d->queue);
    return set_timer(d, err);
}

/* ---- the re-measurement ---- */

/* Is `name` ("tile TILE=32 ...", as winners name others) this entry? */
static bool is_named(const char *name, const atx_trial_row *e)
{
    size_t len = strlen(e->template_name);
    return strncmp(name, e->template_name, len) == 0 && name[len] == ' ' &&
           strcmp(name + len + 1, e->config) == 0;
}

/* Is the entry one of the lines? */
static bool is_listed(const char *lines, const atx_trial_row *e)
{
    ATX_LOCAL(atx_str) line = { 0 };
    bool found = false;
    atx_str_addf(&line, "%s %s", e->template_name, e->config);
    const char *text = atx_str_text(&line);
    for (const char *at = lines; !found && (at = strstr(at, text)) != NULL; at++)
        found = (at == lines || at[-1] == '\n') && (at[line.len] == '\0' || at[line.len] == '\n');
    return found;
}

static atx_remeasure_row not_faster(const atx_trial_row *e, double limit_s)
{
    atx_remeasure_row row = { .outcome = e->outcome, .timing = e->timing };
    row.timing.median_s = fmax(e->timing.median_s, nextafter(limit_s, INFINITY));
    return row;
}

static atx_remeasure_row row_of_winner(const atx_winner *w)
{
    return (atx_remeasure_row){ .outcome = ATX_TIMED,
                                .timing.median_s = w->timing.median_s,
                                .timing.min_s = w->timing.min_s,
                                .timing.spread = w->timing.spread,
                                .timing.samples = w->timing.samples,
                                .timing.joules = w->timing.joules };
}

static atx_remeasure_row row_of_ceiling(const atx_winner *w)
{
    return (atx_remeasure_row){ .outcome = ATX_TIMED,
                                .timing.median_s = w->ceiling_s,
                                .timing.min_s = w->ceiling_s,
                                .timing.samples = w->timing.samples };
}

static bool is_winner(const atx_winner *w, const atx_trial_row *e)
{
    return w && strcmp(w->template_name, e->template_name) == 0 && strcmp(w->config, e->config) == 0;
}

/* `w` is the recorded winner of the problem, NULL: there is none. `won`: it is among the top candidates. */
static at_status remeasure_row(atx_remeasure_row *out, const replay *d, const atx_top_candidate *f,
                               const atx_winner *w, bool won, at_error *err)
{
    const recording *t;
    bool ceiling = w && w->ceiling_s > 0;
    if (f->is_memcpy) {
        *out = ceiling && strcmp(w->ceiling_name, "memcpy") == 0
                   ? row_of_ceiling(w)
                   : (atx_remeasure_row){ .outcome = ATX_LAUNCH_FAILED, .log = "not recorded" };
        return AT_OK;
    }
    const atx_trial_row *e = find_entry(d, f->kernel.identity, &t);
    if (!e)
        return not_recorded(f->kernel.identity, err);
    if (f->is_copy)
        *out = ceiling && is_named(w->ceiling_name, e) ? row_of_ceiling(w)
                                                       : not_faster(e, ceiling ? w->ceiling_s : 0);
    else
        *out = is_winner(w, e) ? row_of_winner(w) : not_faster(e, won ? w->timing.median_s : 0);
    if (won && !f->is_copy && is_listed(w->ties, e))
        out->tied = true;
    return AT_OK;
}

/* As long as the re-measurement took; a user who wants to end gets none. */
static at_status wait_for_remeasure(const replay *d, const atx_remeasure_row *rows, int count, at_error *err)
{
    double until_s = d->pace > 0 ? atx_now_s() + atx_pace_remeasure_s(rows, count) / d->pace : 0;
    for (double left_s = 0; until_s > 0 && (left_s = until_s - atx_now_s()) > 0;) {
        if (atx_cancel_due(d->base.cancel))
            return atx_fail(err, AT_ERR_CANCELLED, "the re-measurement was cancelled");
        poll(NULL, 0, left_s < LOOK_S ? 1 : (int)(1000 * LOOK_S));
    }
    return AT_OK;
}

static at_status replay_remeasure(atx_device *device, const atx_remeasure_request *request,
                                  atx_remeasure_row *rows, atx_remeasure_notes *notes, at_error *err)
{
    const replay *d = ours(device);
    const atx_winner *w = NULL;
    bool won = false;

    for (int i = 0; i < request->count; i++) {
        const recording *t = NULL;
        const atx_top_candidate *it = &request->list[i];
        rows[i] = (atx_remeasure_row){ .outcome = ATX_TIMED, .verdict = ATX_NO_VERDICT };
        const atx_trial_row *e = it->is_copy || it->is_memcpy ? NULL : find_entry(d, it->kernel.identity, &t);
        if (e && t->has_winner) {
            w = &t->winner.winner;
            won = won || is_winner(w, e);
        }
    }
    *notes = (atx_remeasure_notes){ .conditions = w ? w->conditions : ATX_CONDITIONS_UNKNOWN };
    for (int i = 0; i < request->count; i++)
        ATX_TRY(remeasure_row(&rows[i], d, &request->list[i], w, won, err));
    return wait_for_remeasure(d, rows, request->count, err);
}

/* ---- opening ---- */

static void replay_close(atx_device *device)
{
    ATX_FREED replay *d = ours(device);
    for (size_t i = 0; i < d->recording_count; i++)
        recording_clear(&d->recordings[i]);
    free(d->recordings);
    atx_store_close(d->store);
    if (d->timer >= 0)
        close(d->timer);
}

/* What a replay's device is called begins with ATX_REPLAY_NAME: cut, two recorded devices could be one. */
static at_status name_device(atx_device_info *info, const char *path, const char *recorded, at_error *err)
{
    const size_t most = sizeof info->name - sizeof ATX_REPLAY_NAME;
    if (strlen(recorded) > most)
        return atx_fail(
            err, AT_ERR_DEVICE,
            "%s: found trials of a device with a name of %zu characters, %s; expected at most %zu "
            "for a replay, which puts '" ATX_REPLAY_NAME "' before it",
            path, strlen(recorded), recorded, most);
    snprintf(info->name, sizeof info->name, ATX_REPLAY_NAME "%s", recorded);
    return AT_OK;
}

static at_status describe(replay *d, const char *path, const char *name, at_error *err)
{
    atx_device_info *info = &d->base.info;
    atx_fingerprint like = { .cc = 0 };
    char cc[16], hash[9];
    at_error cause = { 0 };
    if (*name && atx_store_choose_device(like.device, d->store, name, &cause) != AT_OK)
        return atx_fail(err, cause.status, "%s: behind @: %s", path, cause.text);
    at_status status = atx_store_main_fingerprint(&d->recorded, d->store, NULL, &like, err);
    if (status == AT_ERR_NOT_FOUND)
        return atx_fail(err, AT_ERR_DEVICE, "%s: no trials are recorded there%s%s; nothing can be replayed",
                        path, *name ? " on " : "", like.device);
    ATX_THEN(status, atx_store_short_hash(hash, d->store, err));
    if (status != AT_OK)
        return status;
    snprintf(cc, sizeof cc, "%lld", (long long)d->recorded.cc);
    if (d->recorded.cc == 0) /* recorded by others, who did not say */
        atx_arch_limits(&info->limits, 0);
    else if (atx_arch_parse(&info->limits, cc, NULL) != AT_OK)
        return atx_fail(err, AT_ERR_DEVICE, "%s: recorded on compute capability %s, which is not known here",
                        path, cc);
    ATX_TRY(name_device(info, path, d->recorded.device, err));
    info->ordinal = ATX_REPLAY_ORDINAL;
    snprintf(info->driver, sizeof info->driver, "%.12s" ATX_REPLAY_RECORDING "%s", d->recorded.driver, hash);
    snprintf(info->nvrtc, sizeof info->nvrtc, "%s", d->recorded.nvrtc);
    info->limits.sms = d->recorded.sms;
    info->limits.memory_bytes = atx_memory_bytes(d->recorded.memory_mib);
    info->other_processes = info->ecc_errors = -1;
    info->free_bytes = info->limits.memory_bytes;
    return AT_OK;
}

static const atx_device_kind REPLAY = {
    .close = replay_close,
    .setup = replay_setup,
    .queued = replay_queued,
    .submit = replay_submit,
    .fd = replay_fd,
    .pump = replay_pump,
    .remeasure = replay_remeasure,
    .recorded = replay_recorded,
    .recorded_resources = replay_resources,
};

at_status atx_device_open_replay(atx_device **out, const atx_replay_spec *spec, const atx_cancel *cancel,
                                 at_error *err)
{
    const char *path = atx_str_text(&spec->file);
    replay *d = calloc(1, sizeof *d);
    if (!d)
        return atx_no_memory(err);
    d->base.kind = &REPLAY;
    d->pace = spec->pace;
    d->timer = -1;
    at_status status = atx_store_open_recording(&d->store, path, cancel, err);
    if (status == AT_ERR_NOT_FOUND)
        status = atx_fail(err, AT_ERR_INPUT,
                          "%s: no such recording; a database is one, and what `autotune dump -o FILE` writes",
                          path);
    if (status == AT_OK) {
        atx_store_set_cancel(d->store, cancel);
        status = describe(d, path, spec->name, err);
        atx_store_set_cancel(d->store, NULL);
    }
    if (status == AT_OK && d->pace > 0 &&
        (d->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) < 0)
        status = atx_fail(err, AT_ERR_SYSTEM, "a timer could not be made: %s", strerror(errno));
    if (status != AT_OK) {
        replay_close(&d->base);
        return status;
    }
    *out = &d->base;
    return AT_OK;
}
