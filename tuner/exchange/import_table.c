/*
 * import_table.c - a plain table: CSV, JSON lines (import_text.c) or a list of objects. Columns before that
 * of the time are the configuration; those behind it are other figures. The name of the time has its unit:
 * time_ms, median_us, ms.
 */
#include "exchange/import_results.h"

#include <ctype.h>
#include <string.h>

static bool is_table(const atx_json *json)
{
    uint32_t first = json->nodes[0].kind == ATX_JSON_ARRAY ? atx_json_first(json, 0) : 0;
    return first && json->nodes[first].kind == ATX_JSON_OBJECT;
}

static bool read_about(atx_import_file *file)
{
    (void)file;
    return true;
}

/* What the name of a time begins with; the unit is its last word. */
static bool names_time(double *unit_s, const atx_json *json, uint32_t name)
{
    static const char *const TIMES[] = { "time", "runtime", "duration",    "median",
                                         "mean", "latency", "kernel_time", "gpu_time" };
    static const struct {
        const char *unit;
        double s;
    } UNITS[] = { { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 } };
    const atx_json_node *n = &json->nodes[name];
    size_t len = n->end - n->begin, end = len;
    char text[32] = "";
    if (len >= sizeof text)
        return false;
    for (size_t i = 0; i < len; i++)
        text[i] = (char)tolower((unsigned char)json->text[n->begin + i]);
    while (end && !isalnum((unsigned char)text[end - 1])) /* time [ms], time (ms) */
        text[--end] = '\0';
    while (end && isalnum((unsigned char)text[end - 1]))
        end--;
    bool known = false;
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS && !known; i++)
        if ((known = strcmp(text + end, UNITS[i].unit) == 0))
            *unit_s = UNITS[i].s;
    while (end && !isalnum((unsigned char)text[end - 1]))
        end--;
    text[end] = '\0';
    bool is_time = end == 0; /* the unit alone */
    for (size_t i = 0; i < sizeof TIMES / sizeof *TIMES && !is_time; i++)
        is_time = strcmp(text, TIMES[i]) == 0;
    return known && is_time;
}

/* Why a row has no time, where a column says so. */
static uint32_t find_failure(const atx_json *json, uint32_t row)
{
    static const char *const NAMES[] = { "error", "status", "outcome", "log" };
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES && !found; i++)
        found = atx_json_member(json, row, NAMES[i]);
    return found && json->nodes[found].kind == ATX_JSON_STRING ? found : 0;
}

static at_status look(atx_import_result *out, const atx_import_file *file, uint32_t node, at_error *err)
{
    const atx_json *json = &file->json;
    double time;
    uint32_t at = json->nodes[node].kind == ATX_JSON_OBJECT ? atx_json_first(json, node) : 0;
    for (; at && !names_time(&out->unit_s, json, at); at = atx_json_next(json, at))
        atx_import_add_setting(out, at, at + 1);
    if (!at)
        return atx_json_fail(
            json, node, 0, err,
            "found no time; expected a column such as time_ms, median_us or 'time [ns]' behind those of the "
            "configuration");
    out->time = at + 1;
    out->failure = atx_json_number(&time, json, out->time) && time > 0 ? 0 : find_failure(json, node);
    return AT_OK;
}

static at_status read_results(atx_import_file *file, at_error *err)
{
    return atx_import_read_results(file, 0, look, err);
}

const atx_import_format ATX_IMPORT_TABLE = { .tool = "table",
                                             .looks_like = "a table (CSV, JSON lines)",
                                             .is_it = is_table,
                                             .about = read_about,
                                             .read = read_results };
