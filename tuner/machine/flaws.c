/* flaws.c - a short list, searched from its begin: an instruction that fails, fails often. */
#include "machine/flaws.h"

#include <inttypes.h>

const char *atx_flaw_name(atx_flaw_kind kind)
{
    static const char *const NAMES[ATX_FLAW_KINDS] = {
        [ATX_FLAW_OUT_OF_BOUNDS] = "out_of_bounds",
        [ATX_FLAW_MISALIGNED] = "misaligned",
        [ATX_FLAW_UNWRITTEN] = "unwritten",
        [ATX_FLAW_KEPT_STATE] = "kept_state",
        [ATX_FLAW_INPUT_WRITTEN] = "input_written",
        [ATX_FLAW_RACE_WRITES] = "race_of_writes",
        [ATX_FLAW_RACE_READ_WRITE] = "race_of_read_and_write",
        [ATX_FLAW_STALE_READ] = "stale_read",
        [ATX_FLAW_COPY_NOT_AWAITED] = "copy_not_awaited",
        [ATX_FLAW_BARRIER_DIVERGES] = "barrier_diverges",
        [ATX_FLAW_ENDLESS] = "endless",
        [ATX_FLAW_TRAPPED] = "trapped",
        [ATX_FLAW_UNDEFINED] = "undefined",
        [ATX_FLAW_DOES_NOT_COMPILE] = "does_not_compile",
        [ATX_FLAW_CANNOT_LAUNCH] = "cannot_launch",
        [ATX_FLAW_UNKNOWN_TO_MACHINE] = "unknown_to_machine",
        [ATX_FLAW_WRONG_RESULT] = "wrong_result",
    };
    return NAMES[kind];
}

void atx_flaws_copy(atx_flaws *all, const atx_flaw *flaw)
{
    for (int i = 0; i < all->count; i++) {
        atx_flaw *f = &all->items[i];
        if (f->kind == flaw->kind && f->instruction == flaw->instruction && f->line == flaw->line) {
            f->count += flaw->count;
            return;
        }
    }
    if (all->count == ATX_MOST_FLAWS) {
        all->dropped++;
        return;
    }
    all->items[all->count++] = *flaw;
}

void atx_flaws_add(atx_flaws *all, const atx_flaw *flaw)
{
    atx_flaw one = *flaw;
    one.count = 1;
    atx_flaws_copy(all, &one);
}

void atx_flaw_text(atx_str *out, const atx_flaw *f)
{
    if (f->file[0] && f->line > 0)
        atx_str_addf(out, "%s:%d: ", f->file, f->line);
    atx_str_add(out, f->what);
    if (f->kind == ATX_FLAW_WRONG_RESULT || f->kind == ATX_FLAW_DOES_NOT_COMPILE ||
        f->kind == ATX_FLAW_CANNOT_LAUNCH)
        return;
    atx_str_addf(out, " (block %" PRId64 ",%" PRId64 ",%" PRId64 ", thread %" PRId64 ",%" PRId64 ",%" PRId64,
                 f->block[0], f->block[1], f->block[2], f->thread[0], f->thread[1], f->thread[2]);
    if (f->count > 1)
        atx_str_addf(out, "; %" PRId64 " times", f->count);
    atx_str_add(out, ")");
}
