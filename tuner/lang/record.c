/* record.c - outcomes by name, the one figure that two sources give, and when conditions are the same. */
#include "lang/record.h"

#include <string.h>

static const char *const OUTCOMES[] = {
    [ATX_TIMED] = "timed",
    [ATX_COMPILE_FAILED] = "compile_failed",
    [ATX_LAUNCH_FAILED] = "launch_failed",
    [ATX_WRONG_RESULT] = "wrong_result",
    [ATX_CRASHED] = "crashed",
    [ATX_TIMED_OUT] = "timed_out",
};

const char *atx_outcome_name(atx_outcome outcome)
{
    return (unsigned)outcome < ATX_OUTCOMES ? OUTCOMES[outcome] : "unknown";
}

atx_outcome atx_outcome_of(const char *name)
{
    for (int i = 0; i < ATX_OUTCOMES; i++)
        if (strcmp(name, OUTCOMES[i]) == 0)
            return (atx_outcome)i;
    return ATX_CRASHED;
}

int64_t atx_local_bytes(const atx_resources *r)
{
    return r->local_bytes >= 0 ? r->local_bytes : r->stack_bytes;
}

bool atx_fingerprint_equal(const atx_fingerprint *a, const atx_fingerprint *b)
{
    return a->cc == b->cc && a->sms == b->sms && a->memory_mib == b->memory_mib && a->cold == b->cold &&
           strcmp(a->device, b->device) == 0 && strcmp(a->driver, b->driver) == 0 &&
           strcmp(a->nvrtc, b->nvrtc) == 0 && strcmp(a->tool, b->tool) == 0;
}

bool atx_ceiling_is_rate(const char *name)
{
    size_t len = strlen(name), unit = sizeof ATX_PEAK_UNIT - 1;
    return len > unit && strcmp(name + len - unit, ATX_PEAK_UNIT) == 0;
}
