/*
 * number.c - the thread's locale is "C" for the time of a call. That locale is static in glibc and musl:
 * newlocale() gives it without an allocation. Where it fails, the locale stays as it is.
 */
#include "util/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct locales {
    locale_t c, before;
} locales;

static locales enter_c(void)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return (locales){ c, uselocale(c) };
}

static void leave_c(locales l)
{
    uselocale(l.before);
    if (l.c)
        freelocale(l.c);
}

double atx_real_read(const char *text, char **end)
{
    locales l = enter_c();
    double value = strtod(text, end);
    leave_c(l);
    return value;
}

int atx_format(char *out, size_t size, const char *format, va_list args)
{
    locales l = enter_c();
    int length = vsnprintf(out, size, format, args);
    leave_c(l);
    return length;
}
