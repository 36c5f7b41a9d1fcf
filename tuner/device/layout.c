/*
 * layout.c - buffers one after the other, each aligned as an application's own allocation would be, a guard
 * zone before and behind it. The order is that of the op's arguments; a set ends at its largest alignment, so
 * that all sets lie alike.
 */
#include "device/layout.h"

#include <string.h>

/* As an application's own allocation would lie: large ones at the start of a 2 MiB page. */
static int64_t alignment_for(int64_t bytes)
{
    return bytes >= ((int64_t)1 << 20) ? (int64_t)2 << 20 : 4096;
}

atx_setup atx_layout_copies(const atx_setup *setup)
{
    const atx_buffer out = { .role = ATX_OUTPUT, .bytes = setup->copy_bytes, .align = ATX_FULL_ALIGN },
                     in = { .role = ATX_INPUT, .bytes = setup->copy_bytes, .align = ATX_FULL_ALIGN };
    atx_setup copies = { .buffers = { out, in },
                         .buffer_count = 2,
                         .copy_bytes = setup->copy_bytes,
                         .warm = setup->warm,
                         .seed = setup->seed,
                         .chance = setup->chance };
    memcpy(copies.verify, setup->verify, sizeof copies.verify);
    return copies;
}

void atx_layout_of(atx_layout *out, const atx_setup *setup)
{
    int64_t at = 0, largest = 4096;
    *out = (atx_layout){ 0 };
    for (int i = 0; i < setup->buffer_count; i++) {
        const atx_buffer *b = &setup->buffers[i];
        int64_t align = alignment_for(b->bytes);
        if (align > largest)
            largest = align;
        out->skew[i] = b->align < ATX_FULL_ALIGN ? b->align : 0;
        out->offset[i] = atx_round_up(at + ATX_GUARD_BYTES, align) + out->skew[i];
        at = out->offset[i] + b->bytes + ATX_GUARD_BYTES;
        out->traffic_bytes += b->bytes;
        if (b->data.path[0]) /* kept once, to be compared with */
            out->expected_bytes += atx_round_up(b->bytes, 4096);
        if (atx_role_is_output(b->role))
            out->expected_bytes += (setup->gaps ? 2 : 1) * atx_round_up(b->bytes, 4096);
    }
    if (setup->own_copies) { /* a set of them, at least */
        atx_layout copies;
        const atx_setup own = atx_layout_copies(setup);
        atx_layout_of(&copies, &own);
        out->expected_bytes += copies.set_bytes;
    }
    out->set_bytes = atx_round_up(at > 0 ? at : 1, largest); /* an op need not have buffers */
    if (setup->moved_bytes > 0 && setup->moved_bytes < out->traffic_bytes)
        out->traffic_bytes = setup->moved_bytes;
    out->traffic_bytes = out->traffic_bytes > 0 ? out->traffic_bytes : 1;
}

at_status atx_layout_fits(const atx_setup *setup, int64_t free_bytes, at_error *err)
{
    double bytes = 0; /* first roughly: sizes that no machine has would overflow the layout */
    for (int i = 0; i < setup->buffer_count; i++)
        bytes += (double)setup->buffers[i].bytes;
    bytes += setup->own_copies ? 2 * (double)setup->copy_bytes : 0;
    if (bytes < 1e15) {
        atx_layout layout;
        atx_layout_of(&layout, setup);
        bytes = (double)(layout.set_bytes + layout.expected_bytes + ATX_RESERVE_BYTES);
    }
    if (bytes <= (double)free_bytes)
        return AT_OK;
    return atx_fail(err, AT_ERR_DEVICE,
                    "the problem does not fit: it needs %.1f MB on the device (buffers, the right answer, "
                    "reserve), and %.1f MB are free",
                    1e-6 * bytes, 1e-6 * (double)free_bytes);
}
