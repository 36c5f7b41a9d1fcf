/*
 * scripted_l2.c - which inputs are in the scripted driver's L2: those that were read or written since less
 * than its size of other bytes was. As a list of buffers, which are read or written as a whole, or each in
 * the same part.
 */
#include "scripted_internal.h"

#include <string.h>

enum { MOST = 1 << 13 }; /* buffers: a power of two */

static struct {
    const unsigned char *at;
    int64_t seen; /* so many bytes had been touched when it was */
} buffers[MOST];
static int64_t touched;

/* Its place, or a free one. */
static size_t find(const unsigned char *at)
{
    size_t i = ((uintptr_t)at / 64) % MOST;
    while (buffers[i].at && buffers[i].at != at)
        i = (i + 1) % MOST;
    return i;
}

static void touch(const unsigned char *at, int64_t bytes)
{
    const size_t i = find(at);
    touched += scripted.script.touch_bytes > 0 ? scripted.script.touch_bytes : bytes;
    buffers[i].at = at;
    buffers[i].seen = touched;
}

void scripted_l2_begin(void)
{
    memset(buffers, 0, sizeof buffers);
    touched = 0;
}

bool scripted_l2_finds(const launch *l)
{
    host_buffers b;
    if (!l->kernel || scripted.script.warm <= 0)
        return false;
    if (strcmp(l->kernel->name, "verify_sweep") == 0)
        touched += (int64_t)l->params[3];
    if (!host_kernel_buffers(&b, l->kernel->name, l->params, scripted.script.element))
        return false;
    const size_t i = find(b.in);
    const bool finds = buffers[i].at && touched - buffers[i].seen < scripted.script.l2_bytes;
    touch(b.in, b.in_bytes);
    touch(b.out, b.out_bytes);
    return finds;
}
