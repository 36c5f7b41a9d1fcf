/* turns.c - the launches of a kernel, one after the other; see trial.h. */
#include "device/trial.h"

#include <stddef.h>
#include <string.h>

enum { HEAD = offsetof(atx_kernel_turn, args) };

void atx_turns_add(atx_str *turns, const atx_kernel_turn *turn)
{
    atx_str_add_bytes(turns, turn, HEAD + (size_t)turn->arg_count * sizeof *turn->args);
}

/* Those of a frame that another process wrote are anywhere in memory. */
static bool next_turn(atx_kernel_turn *out, const atx_kernel *k, size_t *at)
{
    if (k->turns_len < HEAD || *at > k->turns_len - HEAD)
        return false;
    memcpy(out, (const char *)k->turns + *at, HEAD);
    *at += HEAD;
    const size_t bytes = (size_t)out->arg_count * sizeof *out->args;
    if (out->arg_count < 0 || out->arg_count > ATX_MAX_ARGS || bytes > k->turns_len - *at)
        return false;
    memcpy(out->args, (const char *)k->turns + *at, bytes);
    *at += bytes;
    return out->step >= 0 && out->step <= k->more_count;
}

bool atx_kernel_next(atx_kernel_turn *out, const atx_kernel *k, size_t *at)
{
    if (k->turns)
        return next_turn(out, k, at);
    if (*at > (size_t)k->more_count)
        return false;
    const atx_kernel_step *s = *at ? &k->more[*at - 1] : NULL;
    *out = (atx_kernel_turn){ .step = (int)*at,
                              .arg_count = s ? s->arg_count : k->arg_count,
                              .geometry = s ? s->geometry : k->geometry };
    memcpy(out->args, s ? s->args : k->args, sizeof out->args);
    ++*at;
    return true;
}
