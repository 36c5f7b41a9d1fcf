/*
 * number.c - the thread's locale is "C" for the time of a call. That locale is static in glibc and musl:
 * newlocale() gives it without an allocation. Where it fails, the locale stays as it is.
 */
#include "util/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

double at__real_read(const char *text, char **end)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(c);
    double value = strtod(text, end);
    uselocale(before);
    if (c)
        freelocale(c);
    return value;
}

int at__format(char *out, size_t size, const char *format, va_list args)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(c);
    int length = vsnprintf(out, size, format, args);
    uselocale(before);
    if (c)
        freelocale(c);
    return length;
}
