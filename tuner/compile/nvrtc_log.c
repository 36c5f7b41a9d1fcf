/*
 * nvrtc_log.c - ptxas reports registers, spills and stack in the log, one function after the other: the
 * largest of each count, and those lines are dropped.
 */
#include "compile/nvrtc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LOG_LIMIT ((size_t)64 * 1024) /* a template gone wild writes megabytes; nobody reads them */

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

static void parse_resources(at__resources *r, const char *line)
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

void at__nvrtc_log_with_resources(at__str *out, const char *log, const at__resources *resources)
{
    at__str_add(out, log);
    if (resources->registers < 0)
        return;
    at__str_addf(out,
                 "%sptxas info    : Used %" PRId64 " registers, %" PRId64 " bytes stack frame, %" PRId64
                 " bytes smem, %" PRId64 " bytes spill stores, 0 bytes spill loads",
                 log[0] ? "\n" : "", resources->registers, resources->stack_bytes, resources->shared_bytes,
                 resources->spill_bytes);
}

/* Parses and drops ptxas' information, line by line. */
void at__nvrtc_digest(char *raw, at__str *log, at__resources *resources)
{
    char *next;
    *resources = AT__RESOURCES_UNKNOWN;
    for (char *line = raw; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (is_information(line)) {
            parse_resources(resources, line);
        } else if (log->len < LOG_LIMIT) {
            at__str_addf(log, "%.*s\n", (int)LOG_LIMIT, line);
            if (log->len >= LOG_LIMIT)
                at__str_add(log, "(the rest of this log was left out)\n");
        }
    }
    while (!log->failed && log->len > 0 && log->data[log->len - 1] == '\n')
        log->data[--log->len] = '\0';
}
