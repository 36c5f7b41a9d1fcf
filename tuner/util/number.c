/*
 * number.c - the thread's locale is "C" for the time of a call. That locale is static in glibc and musl:
 * newlocale() gives it without an allocation. Where it fails, the locale stays as it is.
 */
#include "util/number.h"

#include "util/chars.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int atx_vformat(char *out, size_t size, const char *format, va_list args)
{
    locales l = enter_c();
    int length = vsnprintf(out, size, format, args);
    leave_c(l);
    return length;
}

static bool goes_on(const char *p, const char *end)
{
    return p < end && (atx_is_digit(*p) || (*p == '_' && p + 1 < end && atx_is_digit(p[1])));
}

const char *atx_whole_read(int64_t *out, const char **p, const char *end)
{
    const char *begin = *p;
    int64_t value = 0;
    bool fits = true;
    if (begin == end || !atx_is_digit(*begin))
        return "a number";
    for (; goes_on(*p, end); (*p)++)
        if (**p != '_')
            fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
                   !__builtin_add_overflow(value, **p - '0', &value);
    if (*begin == '0' && *p - begin > 1)
        return "a number without leading zeros";
    *out = value;
    return fits ? NULL : "a number of at most 9223372036854775807";
}

const char *atx_size_read(int64_t *out, const char **p, const char *end)
{
    const char *expected = atx_whole_read(out, p, end);
    if (expected || *p == end || !strchr("KkMm", **p) || !**p)
        return expected;
    const int64_t unit = **p == 'K' || **p == 'k' ? 1024 : 1024 * 1024;
    ++*p;
    return __builtin_mul_overflow(*out, unit, out) ? "a number below 2^63" : NULL;
}

const char *atx_whole_parse(int64_t *out, const char *text)
{
    const char *p = text, *end = text + strlen(text);
    const char *expected = atx_whole_read(out, &p, end);
    return expected || p == end ? expected : "digits";
}

static int count_digits(const char *p, const char *end)
{
    int count = 0;
    while (p + count < end && atx_is_digit(p[count]))
        count++;
    return count;
}

bool atx_looks_like_thousands(const char **stop, const char *begin, const char *p, const char *end)
{
    int count = count_digits(p, end), groups = 0;
    const char *at = p + count;
    if (count < 1 || count > 3 || (p > begin && p[-1] == ','))
        return false;
    while (at < end && *at == ',' && (count = count_digits(at + 1, end)) > 0) {
        if (count != 3)
            return false;
        at += 4;
        groups++;
    }
    bool separates = at + 1 < end && *at == ',' && at[1] != ' ' && at[1] != '\t';
    *stop = at;
    return groups > 0 && !separates;
}
