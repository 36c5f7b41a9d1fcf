/* hide.c - see hide.h. */
#include "runner/hide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "CUDA_VISIBLE_DEVICES"

/* The place of a list with commas; NULL: it has fewer. */
static const char *place_of(const char *list, int index)
{
    for (; list && index > 0; index--) {
        const char *comma = strchr(list, ',');
        list = comma ? comma + 1 : NULL;
    }
    return list;
}

static bool is_same(const char *a, const char *b)
{
    const size_t len = strcspn(a, ",");
    return strcspn(b, ",") == len && memcmp(a, b, len) == 0;
}

/* The driver shows nothing of a list from a number on that no GPU has. */
static bool names_device(const char *at, int gpus)
{
    const size_t digits = strspn(at, "0123456789");
    return strncmp(at, "GPU-", 4) == 0 || strncmp(at, "MIG-", 4) == 0 ||
           (digits > 0 && digits < 9 && digits == strcspn(at, ",") && (gpus <= 0 || atoi(at) < gpus));
}

/* Each place is a device of its own. Of other lists, as "0,-1,1", the driver takes a part. */
static bool is_plain(const char *list, int gpus)
{
    const char *at;
    for (int i = 0; (at = place_of(list, i)); i++) {
        if (!names_device(at, gpus))
            return false;
        for (int k = 0; k < i; k++)
            if (is_same(place_of(list, k), at))
                return false;
    }
    return true;
}

void atx_hide_others(atx_hidden *out, int ordinal, int gpus)
{
    char own[64];
    const char *list = getenv(VARIABLE), *at = place_of(list, ordinal);
    if (list && !(at && is_plain(list, gpus)))
        return;
    out->before = list ? strdup(list) : NULL;
    if (list && !out->before)
        return;
    while (place_of(list, out->named))
        out->named++;
    if (list)
        snprintf(own, sizeof own, "%.*s", (int)strcspn(at, ","), at);
    else
        snprintf(own, sizeof own, "%d", ordinal);
    out->others = setenv(VARIABLE, own, 1) == 0;
}

void atx_hide_none(const atx_hidden *hidden, int ordinal)
{
    char number[16];
    snprintf(number, sizeof number, "%d", ordinal);
    if (hidden->others && (hidden->before ? setenv(VARIABLE, hidden->before, 1) : unsetenv(VARIABLE)) == 0)
        execl("/proc/self/exe", "autotune", "__device", number, "all", (char *)NULL);
}

void atx_hidden_clear(atx_hidden *hidden)
{
    free(hidden->before);
    *hidden = (atx_hidden){ 0 };
}
