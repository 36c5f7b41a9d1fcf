/* kernel_launches.c - the launches of a kernel, one after the other; see trial.h. */
#include "device/trial.h"

#include <stddef.h>
#include <string.h>

enum { HEAD = offsetof(atx_kernel_launch, args) };

void atx_launches_add(atx_str *launches, const atx_kernel_launch *one)
{
    atx_str_add_bytes(launches, one, HEAD + (size_t)one->arg_count * sizeof *one->args);
}

/* Those of a frame that another process wrote are anywhere in memory. */
static bool next_launch(atx_kernel_launch *out, const atx_kernel *k, size_t *at)
{
    if (k->launches_len < HEAD || *at > k->launches_len - HEAD)
        return false;
    memcpy(out, (const char *)k->launches + *at, HEAD);
    *at += HEAD;
    const size_t bytes = (size_t)out->arg_count * sizeof *out->args;
    if (out->arg_count < 0 || out->arg_count > ATX_MAX_ARGS || bytes > k->launches_len - *at)
        return false;
    memcpy(out->args, (const char *)k->launches + *at, bytes);
    *at += bytes;
    return out->step >= 0 && out->step <= k->more_count;
}

bool atx_kernel_next(atx_kernel_launch *out, const atx_kernel *k, size_t *at)
{
    if (k->launches)
        return next_launch(out, k, at);
    if (*at > (size_t)k->more_count)
        return false;
    const atx_kernel_step *s = *at ? &k->more[*at - 1] : NULL;
    *out = (atx_kernel_launch){ .step = (int)*at,
                                .arg_count = s ? s->arg_count : k->arg_count,
                                .geometry = s ? s->geometry : k->geometry };
    memcpy(out->args, s ? s->args : k->args, sizeof out->args);
    ++*at;
    return true;
}
