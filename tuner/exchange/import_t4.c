/*
 * import_t4.c - T4 results; see import_file.h. They declare no parameters: values are those that occur.
 *
 * A file that autotune wrote (t4.c) says in its metadata which problem it is about. Its configurations may be
 * of several templates with parameters of their own: each template is read as a file of its own, in the order
 * of their first results.
 */
#include "exchange/import_trials.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEMPLATE "template"

/* ---- the problem ---- */

/* "8x4096x128" as sizes; false: it is more than that, an order of dimensions or leading ones. */
static bool read_shape(atx_import_file *file, const char *text)
{
    const int count = atx_sizes_read(file->sizes, ATX_MAX_DIMS, &text);
    bool good = count > 0 && !*text;
    for (int i = 0; i < count; i++)
        good = good && file->sizes[i] >= 1 && file->sizes[i] <= ATX_IMPORT_MAX_SIZE;
    file->size_count = good ? count : 0;
    return good;
}

/* The name of a type, or the key of those of one size: "b4". */
static void read_type_key(atx_import_file *file, const char *key)
{
    if (atx_dtype_parse(&file->type, key, strlen(key), NULL) != AT_OK)
        file->type = atx_dtype_of_key(key, 1);
}

static bool read_problem(atx_import_file *file)
{
    const atx_json *json = &file->json;
    char shape[200] = "", type[16] = "";
    bool good = atx_import_copy_text(shape, sizeof shape, json, atx_json_at(json, 0, "metadata/shape")) &&
                atx_import_copy_text(type, sizeof type, json, atx_json_at(json, 0, "metadata/type"));
    file->own = file->kernel[0] && shape[0] && type[0];
    if (!file->own)
        return good;
    read_type_key(file, type);
    if (!read_shape(file, shape)) { /* then it is a part of the name: other shapes are other problems */
        size_t len = strlen(file->kernel);
        file->size_count = 0;
        snprintf(file->kernel + len, sizeof file->kernel - len, "_%s", shape);
    }
    return good;
}

/* ---- units ---- */

static const struct {
    const char *words; /* each between blanks */
    double unit_s;
} UNITS[] = {
    { " s sec second seconds ", 1 },
    { " ms msec millisecond milliseconds milisecond miliseconds ", 1e-3 }, /* Kernel Tuner had one l */
    { " us usec microsecond microseconds \u00b5s \u03bcs ", 1e-6 },
    { " ns nsec nanosecond nanoseconds ", 1e-9 },
};

at_status atx_import_read_unit(double *out, const atx_json *json, uint32_t node, at_error *err)
{
    ATX_LOCAL(atx_str) word = { 0 };
    if (!node)
        return AT_OK;
    atx_str_add(&word, " ");
    atx_json_add_text(&word, json, node);
    atx_str_add(&word, " ");
    ATX_TRY(atx_str_status(&word, err));
    bool known = word.len == 2;
    for (size_t i = 0; !known && i < sizeof UNITS / sizeof *UNITS; i++)
        if (json->nodes[node].kind == ATX_JSON_STRING && strcasestr(UNITS[i].words, word.data)) {
            *out = UNITS[i].unit_s;
            known = true;
        }
    if (!known)
        return atx_json_fail(
            json, node, 0, err,
            "found the unit '%.*s' of a time; expected seconds, milliseconds, microseconds or "
            "nanoseconds, or s, ms, us, ns",
            word.len < 42 ? (int)word.len - 2 : 40, word.data + 1);
    return AT_OK;
}

/* The measurement of that name, an object; 0: none. */
static uint32_t find_measurement(const atx_json *json, uint32_t result, const char *called)
{
    uint32_t list = atx_json_member(json, result, "measurements");
    if (!list || json->nodes[list].kind != ATX_JSON_ARRAY)
        return 0;
    for (uint32_t at = atx_json_first(json, list); at; at = atx_json_next(json, at)) {
        uint32_t name = atx_json_member(json, at, "name");
        if (name && atx_json_is(json, name, called))
            return at;
    }
    return 0;
}

static double measured(const atx_json *json, uint32_t result, const char *called, double otherwise)
{
    uint32_t at = find_measurement(json, result, called);
    return at ? atx_import_number_or(json, atx_json_member(json, at, "value"), otherwise) : otherwise;
}

/* What t4.c writes of a trial, and others do not. */
static void take_own(atx_import_trial *trial, const atx_json *json, uint32_t result)
{
    static const double MS = 1e-3;
    const struct {
        const char *name;
        int64_t *to;
    } FIGURES[] = {
        { "registers", &trial->resources.registers },
        { "shared_memory", &trial->resources.shared_bytes },
        { "stack_frame", &trial->resources.stack_bytes },
        { "spill_traffic", &trial->resources.spill_bytes },
        { "local_memory", &trial->resources.local_bytes },
    };
    for (size_t i = 0; i < sizeof FIGURES / sizeof *FIGURES; i++) {
        uint32_t at = find_measurement(json, result, FIGURES[i].name);
        if (at && !atx_json_integer(FIGURES[i].to, json, atx_json_member(json, at, "value")))
            *FIGURES[i].to = -1;
    }
    if (trial->outcome == ATX_TIMED) {
        atx_timing *t = &trial->timing;
        t->min_s = measured(json, result, "time_min", t->min_s / MS) * MS;
        t->spread = measured(json, result, "spread", t->spread);
        t->samples = (int64_t)fmax(0, fmin(measured(json, result, "samples", (double)t->samples), 1e9));
        return;
    }
    char word[32] = "";
    uint32_t at = find_measurement(json, result, "outcome");
    atx_import_copy_text(word, sizeof word, json, at ? atx_json_member(json, at, "value") : 0);
    atx_outcome outcome = atx_outcome_of(word);
    if (outcome < ATX_OUTCOMES && outcome != ATX_TIMED)
        trial->outcome = outcome;
}

/* "correct", or the kind of failure. */
static void take_validity(atx_import_trial *trial, const atx_json *json, uint32_t node)
{
    static const struct {
        const char *word;
        atx_outcome outcome;
    } KINDS[] = { { "compile", ATX_COMPILE_FAILED },
                  { "runtime", ATX_LAUNCH_FAILED },
                  { "timeout", ATX_TIMED_OUT },
                  { "correctness", ATX_WRONG_RESULT },
                  { "constraints", ATX_LAUNCH_FAILED } };
    for (size_t i = 0; node && i < sizeof KINDS / sizeof *KINDS; i++) {
        if (!atx_json_is(json, node, KINDS[i].word))
            continue;
        trial->outcome = KINDS[i].outcome;
        trial->failure = trial->failure ? trial->failure : node;
    }
}

/* ---- templates ---- */

/* Which template a configuration is of; -1: none that is known. */
static int template_of(const atx_import_file *file, uint32_t configuration)
{
    if (file->template_count < 2)
        return 0;
    uint32_t name = configuration ? atx_json_member(&file->json, configuration, TEMPLATE) : 0;
    int i = file->template_count - 1;
    while (i >= 0 && !(name && atx_json_is(&file->json, name, file->templates[i])))
        i--;
    return i;
}

static at_status add_template(atx_import_file *file, uint32_t node, at_error *err)
{
    char *name = file->templates[file->template_count];
    if (file->template_count == ATX_IMPORT_MAX_TEMPLATES)
        return atx_json_fail(&file->json, node, 0, err, "found more than %d templates; expected fewer",
                             ATX_IMPORT_MAX_TEMPLATES);
    ATX_TRY(atx_import_read_name(name, &file->json, node, "a template", err));
    file->template_count++;
    return AT_OK;
}

/* One is named in the metadata, several in their configurations. */
static at_status list_templates(atx_import_file *file, uint32_t metadata, uint32_t results, at_error *err)
{
    const atx_json *json = &file->json;
    uint32_t only = atx_json_member(json, metadata, TEMPLATE);
    at_status status = only ? add_template(file, only, err) : AT_OK;
    if (only)
        return status;
    for (uint32_t at = atx_json_first(json, results); status == AT_OK && at; at = atx_json_next(json, at)) {
        uint32_t configuration = atx_json_member(json, at, "configuration");
        uint32_t name = configuration ? atx_json_member(json, configuration, TEMPLATE) : 0;
        bool known = false;
        for (int i = 0; name && !known && i < file->template_count; i++)
            known = atx_json_is(json, name, file->templates[i]);
        if (!name)
            return atx_json_fail(
                json, at, 0, err,
                "found a configuration without a template, and none in the metadata; expected "
                "the name of one");
        status = known ? AT_OK : add_template(file, name, err);
    }
    return status;
}

/* ---- results ---- */

static at_status read_result(atx_import_file *file, uint32_t node, double unit_s, at_error *err)
{
    const atx_json *json = &file->json;
    uint32_t configuration = atx_json_member(json, node, "configuration");
    uint32_t times = atx_json_member(json, node, "times"), measurement = find_measurement(json, node, "time");
    uint32_t objective = measurement ? atx_json_member(json, measurement, "value") : 0;
    uint32_t invalidity = atx_json_member(json, node, "invalidity");
    double objective_s = unit_s;
    if (!configuration || (!objective && !invalidity))
        return atx_json_fail(
            json, node, 0, err,
            "found a result without configuration, or with neither a measurement called time nor "
            "invalidity; expected them");
    atx_import_trial *trial = NULL;
    if (template_of(file, configuration) != file->number)
        return AT_OK;
    ATX_TRY(atx_import_add_trial(&trial, file, node, err));
    ATX_TRY(atx_import_read_places(trial, file, configuration, err));
    if (objective)
        ATX_TRY(atx_import_read_unit(&objective_s, json, atx_json_member(json, measurement, "unit"), err));
    if (objective)
        atx_import_take_time(trial, json, objective, objective_s);
    take_validity(trial, json, invalidity);
    if (times && trial->outcome == ATX_TIMED)
        atx_import_take_samples(trial, json, atx_json_member(json, times, "runtimes"), unit_s);
    uint32_t compiled = times ? atx_json_member(json, times, "compilation") : 0;
    if (times && !compiled)
        compiled = atx_json_member(json, times, "compilation_time");
    trial->compile_s = fmax(0, atx_import_number_or(json, compiled, 0) * unit_s);
    atx_import_take_timestamp(trial, json, atx_json_member(json, node, "timestamp"));
    if (file->own)
        take_own(trial, json, node);
    return AT_OK;
}

/* The parameters are the members of the first configuration, of the template that is read. */
static at_status read_names(atx_import_file *file, uint32_t results, at_error *err)
{
    const atx_json *json = &file->json;
    uint32_t at = atx_json_first(json, results);
    uint32_t configuration = at ? atx_json_member(json, at, "configuration") : 0;
    atx_import_param *param;
    while (at && template_of(file, configuration) != file->number) {
        at = atx_json_next(json, at);
        configuration = at ? atx_json_member(json, at, "configuration") : 0;
    }
    if (!configuration || json->nodes[configuration].kind != ATX_JSON_OBJECT)
        return atx_json_fail(json, results, 0, err, "found no result with a configuration; expected one");
    for (at = atx_json_first(json, configuration); at; at = atx_json_next(json, at))
        if (file->template_count < 2 || !atx_json_is(json, at, TEMPLATE))
            ATX_TRY(atx_import_add_param(&param, file, at, err));
    return AT_OK;
}

/* A value and where it stood before the values were sorted. */
typedef struct moved {
    atx_import_value value;
    uint16_t place;
} moved;

static int by_number(const void *a, const void *b)
{
    int64_t x = ((const moved *)a)->value.number, y = ((const moved *)b)->value.number;
    return (x > y) - (x < y);
}

at_status atx_import_sort_values(atx_import_file *file, int i, at_error *err)
{
    atx_import_param *param = &file->params[i];
    uint16_t now[ATX_MAX_VALUES];
    for (size_t k = 0; k < param->count; k++)
        if (param->values[k].word)
            return AT_OK;
    ATX_FREED moved *sorted = malloc((param->count + 1) * sizeof *sorted);
    if (!sorted)
        return atx_no_memory(err);
    for (size_t k = 0; k < param->count; k++)
        sorted[k] = (moved){ param->values[k], (uint16_t)k };
    qsort(sorted, param->count, sizeof *sorted, by_number);
    for (size_t k = 0; k < param->count; k++) {
        param->values[k] = sorted[k].value;
        now[sorted[k].place] = (uint16_t)k;
    }
    for (size_t k = 0; k < file->trial_count; k++)
        file->trials[k].places[i] = now[file->trials[k].places[i]];
    return AT_OK;
}

static at_status read_t4(atx_import_file *file, at_error *err)
{
    const atx_json *json = &file->json;
    uint32_t results = atx_json_member(json, 0, "results"), metadata = atx_json_member(json, 0, "metadata");
    double unit_s = 1e-3; /* when it is not said */
    at_status status = atx_import_read_unit(&unit_s, json, atx_json_at(json, 0, "metadata/timeunit"), err);
    if (status == AT_OK && file->own && !file->template_count)
        status = list_templates(file, metadata, results, err);
    ATX_THEN(status, read_names(file, results, err));
    for (uint32_t at = atx_json_first(json, results); status == AT_OK && at; at = atx_json_next(json, at))
        status = read_result(file, at, unit_s, err);
    for (int i = 0; status == AT_OK && i < file->param_count; i++)
        status = atx_import_sort_values(file, i, err);
    return status;
}

const atx_import_format atx_import_t4 = { .tool = "T4 results",
                                          .looks_like = "T4 results",
                                          .has = { "results" },
                                          .kernel = "metadata/kernel",
                                          .device = "metadata/device",
                                          .about = read_problem,
                                          .read = read_t4 };
