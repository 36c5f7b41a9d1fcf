/* status.c - see include/autotune/status.h. */
#include <autotune/status.h>

#include <stdarg.h>
#include <stdio.h>

at_status at_fail(at_error *err, at_status status, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        err->status = status;
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}

const char *at_status_name(at_status status)
{
    static const char *const NAMES[] = {
        [AT_OK] = "ok",
        [AT_ERR_USAGE] = "usage",
        [AT_ERR_INPUT] = "input",
        [AT_ERR_DEVICE] = "device",
        [AT_ERR_STORE] = "store",
        [AT_ERR_NOT_FOUND] = "not found",
        [AT_ERR_MEMORY] = "memory",
        [AT_ERR_SYSTEM] = "system",
        [AT_ERR_CANCELLED] = "cancelled",
    };
    if ((unsigned)status >= sizeof NAMES / sizeof *NAMES)
        return "unknown";
    return NAMES[status];
}
