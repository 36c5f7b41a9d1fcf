/*
 * status.c - errors as a status and a text, in the caller's at_error; nothing is kept here. A text that does
 * not fit is cut, and so is always terminated. Texts are printable: much of them comes from files and tools.
 */
#include "util/bug.h"
#include "util/number.h"
#include "util/printable.h"

#include <stdarg.h>
#include <string.h>

at_status atx_fail(at_error *err, at_status status, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        err->status = status;
        atx_vformat(err->text, sizeof err->text, format, args);
        va_end(args);
        atx_make_printable(err->text, sizeof err->text);
    }
    return status;
}

at_status atx_bug(at_error *err, const char *format, ...)
{
    static const char REPORT[] =
        "; this is a bug of autotune " AT_VERSION ": please report it with this line and the command or call";
    if (err) {
        va_list args;
        va_start(args, format);
        atx_vformat(err->text, sizeof err->text - sizeof REPORT, format, args);
        va_end(args);
        atx_make_printable(err->text, sizeof err->text - sizeof REPORT);
        strcat(err->text, REPORT);
        err->status = AT_ERR_INTERNAL;
    }
    return AT_ERR_INTERNAL;
}

at_status atx_no_memory(at_error *err)
{
    return atx_fail(err, AT_ERR_MEMORY, "out of memory");
}

at_status atx_status_of(int64_t number)
{
    return number > AT_OK && number <= AT_ERR_INTERNAL ? (at_status)number : AT_ERR_INTERNAL;
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
        [AT_ERR_INTERNAL] = "internal",
    };
    if ((unsigned)status >= sizeof NAMES / sizeof *NAMES)
        return "unknown";
    return NAMES[status];
}
