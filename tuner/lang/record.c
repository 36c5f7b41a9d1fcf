/* record.c - outcomes by name, the one figure that two sources give, and when conditions are the same. */
#include "lang/record.h"

#include <string.h>

static const char *const OUTCOMES[] = {
    [AT__TIMED] = "timed",
    [AT__COMPILE_FAILED] = "compile_failed",
    [AT__LAUNCH_FAILED] = "launch_failed",
    [AT__WRONG_RESULT] = "wrong_result",
    [AT__CRASHED] = "crashed",
    [AT__TIMED_OUT] = "timed_out",
};

const char *at__outcome_name(at__outcome outcome)
{
    return (unsigned)outcome < AT__OUTCOMES ? OUTCOMES[outcome] : "unknown";
}

at__outcome at__outcome_of(const char *name)
{
    for (int i = 0; i < AT__OUTCOMES; i++)
        if (strcmp(name, OUTCOMES[i]) == 0)
            return (at__outcome)i;
    return AT__CRASHED;
}

int64_t at__local_bytes(const at__resources *r)
{
    return r->local_bytes >= 0 ? r->local_bytes : r->stack_bytes;
}

bool at__fingerprint_equal(const at__fingerprint *a, const at__fingerprint *b)
{
    return a->cc == b->cc && a->sms == b->sms && a->memory_mib == b->memory_mib && a->cold == b->cold &&
           strcmp(a->device, b->device) == 0 && strcmp(a->driver, b->driver) == 0 &&
           strcmp(a->nvrtc, b->nvrtc) == 0 && strcmp(a->tool, b->tool) == 0;
}

bool at__ceiling_is_rate(const char *name)
{
    size_t len = strlen(name), unit = sizeof AT__PEAK_UNIT - 1;
    return len > unit && strcmp(name + len - unit, AT__PEAK_UNIT) == 0;
}
