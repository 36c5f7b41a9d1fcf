/*
 * import_table.c - a plain table: CSV, JSON lines (import_file.c) or a list of objects. Columns before that
 * of the time are the configuration; those behind it are other figures. The name of the time has its unit:
 * time_ms, median_us, or ms where no name says more: a parameter may be called S.
 */
#include "exchange/import_results.h"

#include <ctype.h>
#include <string.h>

/* Of a word: those of µ in UTF-8, too. */
static bool in_word(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Prefixes of names of times; the unit is the last word, or with `alone` all of it. */
static bool names_time(double *unit_s, const atx_json *json, uint32_t name, bool alone)
{
    static const char *const TIMES[] = { "time", "runtime", "duration",    "median",
                                         "mean", "latency", "kernel_time", "gpu_time" };
    static const struct {
        const char *unit;
        double s;
    } UNITS[] = { { "s", 1 },     { "ms", 1e-3 },      { "us", 1e-6 },
                  { "ns", 1e-9 }, { "\u00b5s", 1e-6 }, { "\u03bcs", 1e-6 } };
    const atx_json_node *n = &json->nodes[name];
    size_t len = n->end - n->begin, end = len;
    char text[32] = "";
    if (len >= sizeof text)
        return false;
    for (size_t i = 0; i < len; i++)
        text[i] = (char)tolower((unsigned char)json->text[n->begin + i]);
    while (end && !in_word(text[end - 1])) /* time [ms], time (ms) */
        text[--end] = '\0';
    while (end && in_word(text[end - 1]))
        end--;
    bool known = false;
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS && !known; i++)
        if ((known = strcmp(text + end, UNITS[i].unit) == 0))
            *unit_s = UNITS[i].s;
    while (end && !in_word(text[end - 1]))
        end--;
    text[end] = '\0';
    bool is_time = alone && end == 0;
    for (size_t i = 0; i < sizeof TIMES / sizeof *TIMES && !is_time && !alone; i++)
        is_time = strcmp(text, TIMES[i]) == 0;
    return known && is_time;
}

static bool is_text(const atx_json *json, uint32_t node)
{
    const atx_json_node *n = &json->nodes[node];
    return node && n->kind == ATX_JSON_STRING && n->begin < n->end;
}

/* Is a word of the text denied by the one before it: "no error", "0 failed", "not failed"? */
static bool is_denied(const char *text, const char *word)
{
    static const char *const WORDS[] = { " no ", " 0 ", " not ", " without " };
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        const size_t len = strlen(WORDS[i]);
        if ((size_t)(word - text) >= len && strncmp(word - len, WORDS[i], len) == 0)
            return true;
    }
    return false;
}

/* "failed", "Compile error", "TIMEOUT". */
static bool tells_of_failure(const atx_json *json, uint32_t node)
{
    static const char *const WORDS[] = { "fail",    "invalid",   "incorrect", "wrong",
                                         "timeout", "timed out", "timed_out", "crash" };
    static const char LAST[] = "error"; /* not "0 errors", "error-free" */
    const atx_json_node *n = &json->nodes[node];
    char text[80] = " "; /* each word has a blank before it */
    size_t len = 1;
    for (size_t at = n->begin; at < n->end && len + 1 < sizeof text; at++)
        text[len++] = (char)tolower((unsigned char)json->text[at]);
    const char *const last = len >= sizeof LAST - 1 ? text + len - (sizeof LAST - 1) : "";
    bool failed = strcmp(last, LAST) == 0 && !is_denied(text, last);
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS && !failed; i++) {
        const char *found = strstr(text, WORDS[i]);
        failed = found && !is_denied(text, found);
    }
    return failed;
}

/* A status that tells of a failure, whatever the time of its row is; 0: there is none. */
static uint32_t find_bad_status(const atx_json *json, uint32_t row)
{
    static const char *const NAMES[] = { "status", "outcome" };
    uint32_t bad = 0;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES && !bad; i++) {
        const uint32_t found = atx_json_member(json, row, NAMES[i]);
        bad = is_text(json, found) && tells_of_failure(json, found) ? found : 0;
    }
    return bad;
}

/* Why a row has no time, where a column says so. */
static uint32_t find_failure(const atx_json *json, uint32_t row)
{
    static const char *const NAMES[] = { "error", "status", "outcome", "log" };
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES && !found; i++)
        found = atx_json_member(json, row, NAMES[i]);
    return is_text(json, found) ? found : 0;
}

/* The name of the column, or 0. */
static uint32_t find_time(double *unit_s, const atx_json *json, uint32_t row)
{
    for (int alone = 0; alone < 2 && json->nodes[row].kind == ATX_JSON_OBJECT; alone++)
        for (uint32_t at = atx_json_first(json, row); at; at = atx_json_next(json, at))
            if (names_time(unit_s, json, at, alone))
                return at;
    return 0;
}

/* "1,5" or "1.5 ms": no reason why a configuration failed. */
static bool is_misspelt(const atx_json *json, uint32_t time)
{
    const atx_json_node *n = &json->nodes[time];
    const char *text = json->text + n->begin;
    if (n->kind != ATX_JSON_STRING || n->begin == n->end)
        return false;
    text += text[0] == '+' || text[0] == '.';
    return isdigit((unsigned char)text[0]);
}

static at_status look(atx_import_result *out, const atx_import_file *file, uint32_t node, at_error *err)
{
    const atx_json *json = &file->json;
    double time;
    const uint32_t name = find_time(&out->unit_s, json, node);
    if (!name)
        return atx_json_fail(
            json, node, 0, err,
            "found no time; expected a column such as time_ms, median_us or 'time [ns]' behind those of the "
            "configuration");
    for (uint32_t at = atx_json_first(json, node); at != name; at = atx_json_next(json, at))
        atx_import_add_setting(out, at, at + 1);
    out->time = name + 1;
    if (is_misspelt(json, out->time))
        return atx_json_fail(json, out->time, 0, err,
                             "found a time that is no number; expected one such as 1.5 or 2e-3");
    out->failure = find_bad_status(json, node);
    if (!out->failure && !(atx_json_number(&time, json, out->time) && time > 0))
        out->failure = find_failure(json, node);
    return AT_OK;
}

const atx_import_format atx_import_table = { .tool = "table",
                                             .looks_like = "a table (CSV, JSON lines)",
                                             .look = look };
