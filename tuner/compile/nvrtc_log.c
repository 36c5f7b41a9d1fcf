/*
 * nvrtc_log.c - ptxas reports registers, spills and stack in the log, one function after the other: the
 * largest of each count, and those lines are dropped. And which lines of a log are errors.
 */
#include "compile/nvrtc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LOG_LIMIT ((size_t)64 * 1024) /* a faulty template may write megabytes */

/* The number in front of `what` ("32" before " registers") in a line; -1 when it is not there. */
static int64_t number_before(const char *line, const char *what)
{
    const char *end = strstr(line, what);
    const char *at = end;
    while (at && at > line && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at && at < end ? strtoll(at, NULL, 10) : -1;
}

static void keep_largest(int64_t *value, int64_t found)
{
    if (found > *value)
        *value = found;
}

static void parse_resources(atx_resources *r, const char *line)
{
    int64_t registers = number_before(line, " registers");
    int64_t stores = number_before(line, " bytes spill stores"),
            loads = number_before(line, " bytes spill loads");

    keep_largest(&r->registers, registers);
    keep_largest(&r->stack_bytes, number_before(line, " bytes stack frame"));
    keep_largest(&r->shared_bytes, number_before(line, " bytes smem"));
    if (registers >= 0) /* ptxas leaves zeros out of this line */
        keep_largest(&r->shared_bytes, 0);
    if (stores >= 0 && loads >= 0)
        keep_largest(&r->spill_bytes, stores + loads);
}

/* "ptxas info    : Used 32 registers" and its continuation, "ptxas         .     0 bytes stack frame". */
static bool is_information(const char *line)
{
    static const char INFO[] = "ptxas info", CONTINUED[] = "ptxas    ";
    return strncmp(line, INFO, sizeof INFO - 1) == 0 || strncmp(line, CONTINUED, sizeof CONTINUED - 1) == 0;
}

void atx_nvrtc_log_with_resources(atx_str *out, const char *log, const atx_resources *resources)
{
    atx_str_add(out, log);
    if (resources->registers < 0)
        return;
    atx_str_addf(out,
                 "%sptxas info    : Used %" PRId64 " registers, %" PRId64 " bytes stack frame, %" PRId64
                 " bytes smem, %" PRId64 " bytes spill stores, 0 bytes spill loads",
                 log[0] ? "\n" : "", resources->registers, resources->stack_bytes, resources->shared_bytes,
                 resources->spill_bytes);
}

/* Parses and drops ptxas' information, line by line. */
void atx_nvrtc_digest(char *raw, atx_str *log, atx_resources *resources)
{
    char *next;
    *resources = ATX_RESOURCES_UNKNOWN;
    for (char *line = raw; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (is_information(line)) {
            parse_resources(resources, line);
        } else if (log->len < LOG_LIMIT) {
            atx_str_addf(log, "%.*s\n", (int)LOG_LIMIT, line);
            if (log->len >= LOG_LIMIT)
                atx_str_add(log, "(the rest of this log was left out)\n");
        }
    }
    while (!log->failed && log->len > 0 && log->data[log->len - 1] == '\n')
        log->data[--log->len] = '\0';
}

/* ---- errors ---- */

/* The kind of part that a line begins. */
typedef enum head { NO_HEAD, ERROR_HEAD, OTHER_HEAD } head;

static bool begins_with(const char *at, const char *word)
{
    return strncmp(at, word, strlen(word)) == 0;
}

/* "FILE(LINE): error: ...", where "): " is at `place`, or "ptxas error   : ..." */
static head head_of(const char *line, const char **place)
{
    const size_t len = strcspn(line, "\n");
    const char *closed = memmem(line, len, "): ", 3), *word = closed ? closed + 3 : line;
    *place = closed;
    word += begins_with(word, "ptxas ") ? 6 : 0;
    if (begins_with(word, "error") || begins_with(word, "catastrophic error") || begins_with(word, "fatal"))
        return ERROR_HEAD;
    return begins_with(word, "warning") || begins_with(word, "remark") ||
                   memmem(line, len, " detected in the compilation of ", 32)
               ? OTHER_HEAD
               : NO_HEAD;
}

/* Appends the lines of one kind; those before the first head go with it. */
static char *copy_of_kind(char *to, const char *log, head kind)
{
    const char *unused, *first = log;
    while (*first && head_of(first, &unused) == NO_HEAD)
        first = strchr(first, '\n') ? strchr(first, '\n') + 1 : "";
    head now = *first ? head_of(first, &unused) : OTHER_HEAD;
    for (const char *line = log, *next; *line; line = next) {
        const size_t len = strcspn(line, "\n"), all = len + (line[len] == '\n');
        const head begun = head_of(line, &unused);
        next = line + all;
        now = begun == NO_HEAD ? now : begun;
        if (now != kind)
            continue;
        memcpy(to, line, all);
        to += all;
        if (all == len) /* the last line, which others may follow now */
            *to++ = '\n';
    }
    return to;
}

void atx_nvrtc_errors_first(char *log)
{
    const size_t len = strlen(log);
    ATX_FREED char *ordered = malloc(len + 2);
    if (!ordered) /* in the compiler's order, then */
        return;
    copy_of_kind(copy_of_kind(ordered, log, ERROR_HEAD), log, OTHER_HEAD);
    memcpy(log, ordered, len);
}

bool atx_nvrtc_first_error(atx_log_error *out, const char *log)
{
    for (const char *line = log, *next, *place; *line; line = next) {
        const size_t len = strcspn(line, "\n");
        next = line + len + (line[len] == '\n');
        if (head_of(line, &place) != ERROR_HEAD || !place)
            continue;
        const char *open = place;
        while (open > line && open[-1] >= '0' && open[-1] <= '9')
            open--;
        if (open == line || open == place || open[-1] != '(')
            continue;
        const char *text = place + 3;
        text += begins_with(text, "error: ") ? 7 : 0;
        *out = (atx_log_error){ .file = line,
                                .file_len = (int)(open - 1 - line),
                                .line = (int)strtol(open, NULL, 10),
                                .text = text,
                                .text_len = (int)(line + len - text) };
        return true;
    }
    return false;
}

void atx_nvrtc_cause(atx_str *out, const char *log)
{
    atx_log_error e;
    if (!atx_nvrtc_first_error(&e, log)) {
        atx_str_add(out, log);
        return;
    }
    atx_str_addf(out, "%.*s(%d): ", e.file_len, e.file, e.line);
    for (int i = 0; i < e.text_len; i++) {
        const bool digit = e.text[i] >= '0' && e.text[i] <= '9';
        if (!digit || i == 0 || e.text[i - 1] < '0' || e.text[i - 1] > '9')
            atx_str_add_bytes(out, digit ? "#" : &e.text[i], 1);
    }
}
