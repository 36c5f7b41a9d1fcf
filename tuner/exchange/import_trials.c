/*
 * import_trials.c - trials of Kernel Tuner's cache files, and what they have in common with those of T4
 * results (import_t4.c). A cache file declares its parameters and values.
 */
#include "exchange/import_trials.h"

#include "util/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SAMPLES = 4096 };

#define FAILED_TIME 1e20 /* how Kernel Tuner wrote a failed configuration from 2019 to 2022 */

/* ---- why a trial failed ---- */

/* Part of what a file says, in any case; the first that fits. "Invalid": the device could not run it. */
static atx_outcome outcome_of(const char *text)
{
    static const struct {
        const char *part;
        atx_outcome outcome;
    } WORDS[] = { { "timeout", ATX_TIMED_OUT },        { "compil", ATX_COMPILE_FAILED },
                  { "correctness", ATX_WRONG_RESULT }, { "verif", ATX_WRONG_RESULT },
                  { "validation", ATX_WRONG_RESULT },  { "crash", ATX_CRASHED } };
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strcasestr(text, WORDS[i].part))
            return WORDS[i].outcome;
    return ATX_LAUNCH_FAILED;
}

/* The text as it stands in the file, cut to fit: the words that are looked for have nothing to decode. */
static void raw_text(char *out, size_t size, const atx_json *json, uint32_t node)
{
    const atx_json_node *n = &json->nodes[node];
    size_t len = n->end - n->begin < size ? n->end - n->begin : size - 1;
    memcpy(out, json->text + n->begin, len);
    out[len] = '\0';
}

void atx_import_set_failure(atx_import_trial *trial, const atx_json *json, uint32_t node)
{
    char text[80];
    raw_text(text, sizeof text, json, node);
    trial->outcome = outcome_of(text);
    trial->failure = node;
}

/* ---- times ---- */

double atx_import_number_or(const atx_json *json, uint32_t node, double other)
{
    double value;
    return node && atx_json_number(&value, json, node) && isfinite(value) ? value : other;
}

void atx_import_take_samples(atx_import_trial *trial, const atx_json *json, uint32_t node, double unit_s)
{
    double samples[MAX_SAMPLES];
    size_t count = 0;
    if (!node || json->nodes[node].kind != ATX_JSON_ARRAY)
        return;
    for (uint32_t at = atx_json_first(json, node); at && count < MAX_SAMPLES; at = atx_json_next(json, at)) {
        samples[count] = atx_import_number_or(json, at, 0) * unit_s;
        count += samples[count] > 0;
    }
    if (!count)
        return;
    trial->timing.samples = (int64_t)count;
    trial->timing.min_s = atx_quantile(samples, count, 0);
    trial->timing.spread = atx_spread(samples, count);
}

void atx_import_take_time(atx_import_trial *trial, const atx_json *json, uint32_t node, double unit_s)
{
    double value = 0;
    /* Too large a one is told as such later. */
    if (atx_json_number(&value, json, node) && value > 0 && value != FAILED_TIME) {
        value *= unit_s;
        trial->outcome = ATX_TIMED;
        trial->timing.median_s = trial->timing.min_s = value;
        trial->timing.samples = 1;
    } else {
        atx_import_set_failure(trial, json, node);
    }
}

void atx_import_take_timestamp(atx_import_trial *trial, const atx_json *json, uint32_t node)
{
    char text[64];
    struct tm tm = { 0 };
    char zone[16] = "";
    int hours = 0, minutes = 0;
    double seconds = 0;
    if (!node || json->nodes[node].kind != ATX_JSON_STRING)
        return;
    raw_text(text, sizeof text, json, node);
    int got = sscanf(text, "%4d-%2d-%2d%*[ T]%2d:%2d:%lf%15s", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
                     &tm.tm_hour, &tm.tm_min, &seconds, zone);
    if (got < 6 || !(seconds >= 0 && seconds < 61))
        return;
    if (got == 7 && sscanf(zone, "%3d:%2d", &hours, &minutes) >= 1)
        hours = hours < -14 || hours > 14 ? 0 : hours;
    tm.tm_year -= 1900;
    tm.tm_mon--;
    tm.tm_sec = (int)seconds;
    time_t when = timegm(&tm) - 3600 * hours - 60 * (zone[0] == '-' ? -minutes : minutes);
    if (when > 0 && gmtime_r(&when, &tm))
        strftime(trial->measured_at, sizeof trial->measured_at, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

/* ---- configurations ---- */

static at_status fail_value(const atx_import_file *file, const atx_import_param *param, uint32_t node,
                            at_error *err)
{
    ATX_LOCAL(atx_str) found = { 0 };
    atx_json_add_text(&found, &file->json, node);
    return atx_json_fail(&file->json, node, 0, err, "found %s = %.60s, which is none of the declared values",
                         param->name, atx_str_text(&found));
}

static at_status place_of(uint16_t *out, atx_import_file *file, atx_import_param *param, uint32_t node,
                          at_error *err)
{
    atx_import_value value;
    at_status status = atx_import_value_of(&value, &file->json, node, err);
    if (status != AT_OK)
        return status;
    int place = atx_import_find_value(param, &value);
    if (place >= 0 || file->fixed) {
        free(value.word);
    } else {
        place = (int)param->count;
        status = atx_import_add_value(param, &value, err); /* takes the word */
    }
    if (place < 0)
        return fail_value(file, param, node, err);
    *out = (uint16_t)place;
    return status;
}

/* A parameter's value of a configuration; others are left alone, and so is a second one. */
static at_status read_place(atx_import_trial *trial, atx_import_file *file, uint32_t *seen,
                            atx_import_setting s, at_error *err)
{
    const atx_json_node *n = &file->json.nodes[s.name];
    int i = atx_import_find_param(file, file->json.text + n->begin, n->end - n->begin);
    if (i < 0 || (*seen >> i & 1))
        return AT_OK;
    *seen |= 1u << i;
    return place_of(&trial->places[i], file, &file->params[i], s.value, err);
}

static at_status check_seen(const atx_import_file *file, uint32_t seen, uint32_t node, at_error *err)
{
    for (int i = 0; i < file->param_count; i++)
        if (!(seen >> i & 1))
            return atx_json_fail(&file->json, node, 0, err,
                                 "found no value of %s; expected one of every parameter",
                                 file->params[i].name);
    return AT_OK;
}

at_status atx_import_read_settings(atx_import_trial *trial, atx_import_file *file,
                                   const atx_import_setting *settings, int count, at_error *err)
{
    uint32_t seen = 0;
    for (int i = 0; i < count; i++)
        ATX_TRY(read_place(trial, file, &seen, settings[i], err));
    return check_seen(file, seen, trial->node, err);
}

at_status atx_import_read_places(atx_import_trial *trial, atx_import_file *file, uint32_t object,
                                 at_error *err)
{
    const atx_json *json = &file->json;
    uint32_t seen = 0;
    for (uint32_t at = atx_json_first(json, object); at; at = atx_json_next(json, at))
        ATX_TRY(read_place(trial, file, &seen, (atx_import_setting){ at, at + 1 }, err));
    return check_seen(file, seen, object, err);
}

at_status atx_import_add_trial(atx_import_trial **out, atx_import_file *file, uint32_t node, at_error *err)
{
    if (file->trial_count == ATX_IMPORT_MAX_TRIALS)
        return atx_json_fail(&file->json, node, 0, err, "found more than %zu trials; expected fewer",
                             ATX_IMPORT_MAX_TRIALS);
    if (!atx_grow(&file->trials, &file->trial_cap, file->trial_count, sizeof *file->trials))
        return atx_no_memory(err);
    *out = &file->trials[file->trial_count++];
    **out =
        (atx_import_trial){ .node = node, .outcome = ATX_LAUNCH_FAILED, .resources = ATX_RESOURCES_UNKNOWN };
    return AT_OK;
}

/* ---- Kernel Tuner's cache ---- */

static at_status read_declared(atx_import_file *file, at_error *err)
{
    const atx_json *json = &file->json;
    uint32_t keys = atx_json_member(json, 0, "tune_params_keys"),
             lists = atx_json_member(json, 0, "tune_params");
    at_status status = AT_OK;
    for (uint32_t at = atx_json_first(json, keys); status == AT_OK && at; at = atx_json_next(json, at)) {
        atx_import_param *param;
        if ((status = atx_import_add_param(&param, file, at, err)) != AT_OK)
            return status;
        uint32_t list = lists ? atx_json_member(json, lists, param->name) : 0;
        for (uint32_t v = list ? atx_json_first(json, list) : 0; status == AT_OK && v;
             v = atx_json_next(json, v)) {
            atx_import_value value;
            status = atx_import_value_of(&value, json, v, err);
            ATX_THEN(status, atx_import_add_value(param, &value, err));
        }
        if (status == AT_OK && !param->count)
            status = atx_json_fail(json, at, 0, err, "found no values of %s in tune_params; expected a list",
                                   param->name);
    }
    file->fixed = true;
    if (status == AT_OK && !file->param_count)
        return atx_json_fail(json, keys, 0, err, "found no parameters; expected a list of their names");
    return status;
}

static at_status read_entry(atx_import_file *file, uint32_t node, at_error *err)
{
    static const double MS = 1e-3;
    const atx_json *json = &file->json;
    uint32_t time = atx_json_member(json, node, "time"), error = atx_json_member(json, node, "__error__");
    if (!time && !error)
        return atx_json_fail(
            json, node, 0, err,
            "found an entry with neither time nor __error__; expected a number, or why it failed");
    atx_import_trial *trial = NULL;
    ATX_TRY(atx_import_add_trial(&trial, file, node, err));
    ATX_TRY(atx_import_read_places(trial, file, node, err));
    if (error) /* since 1.4, in place of a time */
        atx_import_set_failure(trial, json, error);
    else
        atx_import_take_time(trial, json, time, MS);
    if (trial->outcome == ATX_TIMED)
        atx_import_take_samples(trial, json, atx_json_member(json, node, "times"), MS);
    trial->compile_s =
        fmax(0, atx_import_number_or(json, atx_json_member(json, node, "compile_time"), 0) * MS);
    atx_import_take_timestamp(trial, json, atx_json_member(json, node, "timestamp"));
    return AT_OK;
}

static at_status read_cache(atx_import_file *file, at_error *err)
{
    const atx_json *json = &file->json;
    uint32_t cache = atx_json_member(json, 0, "cache");
    at_status status = read_declared(file, err);
    for (uint32_t at = atx_json_first(json, cache); status == AT_OK && at; at = atx_json_next(json, at))
        if (json->nodes[at + 1].whole) /* the last one of a torn file may not be */
            status = read_entry(file, at + 1, err);
    return status;
}

const atx_import_format atx_import_cache = { .tool = "Kernel Tuner cache file",
                                             .looks_like = "a Kernel Tuner cache file",
                                             .has = { "tune_params_keys", "cache" },
                                             .kernel = "kernel_name",
                                             .device = "device_name",
                                             .sizes = "problem_size",
                                             .read = read_cache,
                                             .may_end_early = true };
