/* flaws.c - a short list, searched from its begin: an instruction that fails, fails often. */
#include "machine/flaws.h"

#include <inttypes.h>

const char *at__flaw_name(at__flaw_kind kind)
{
    static const char *const NAMES[AT__FLAW_KINDS] = {
        [AT__FLAW_OUT_OF_BOUNDS] = "out_of_bounds",
        [AT__FLAW_MISALIGNED] = "misaligned",
        [AT__FLAW_UNWRITTEN] = "unwritten",
        [AT__FLAW_INPUT_WRITTEN] = "input_written",
        [AT__FLAW_RACE_WRITES] = "race_of_writes",
        [AT__FLAW_RACE_READ_WRITE] = "race_of_read_and_write",
        [AT__FLAW_STALE_READ] = "stale_read",
        [AT__FLAW_COPY_NOT_AWAITED] = "copy_not_awaited",
        [AT__FLAW_BARRIER_DIVERGES] = "barrier_diverges",
        [AT__FLAW_ENDLESS] = "endless",
        [AT__FLAW_TRAPPED] = "trapped",
        [AT__FLAW_UNDEFINED] = "undefined",
        [AT__FLAW_DOES_NOT_COMPILE] = "does_not_compile",
        [AT__FLAW_CANNOT_LAUNCH] = "cannot_launch",
        [AT__FLAW_UNKNOWN_TO_MACHINE] = "unknown_to_machine",
        [AT__FLAW_WRONG_RESULT] = "wrong_result",
    };
    return NAMES[kind];
}

void at__flaws_copy(at__flaws *all, const at__flaw *flaw)
{
    for (int i = 0; i < all->count; i++) {
        at__flaw *f = &all->items[i];
        if (f->kind == flaw->kind && f->instruction == flaw->instruction && f->line == flaw->line) {
            f->count += flaw->count;
            return;
        }
    }
    if (all->count == AT__MOST_FLAWS) {
        all->dropped++;
        return;
    }
    all->items[all->count++] = *flaw;
}

void at__flaws_add(at__flaws *all, const at__flaw *flaw)
{
    at__flaw one = *flaw;
    one.count = 1;
    at__flaws_copy(all, &one);
}

void at__flaw_text(at__str *out, const at__flaw *f)
{
    if (f->file[0] && f->line > 0)
        at__str_addf(out, "%s:%d: ", f->file, f->line);
    at__str_add(out, f->what);
    if (f->kind == AT__FLAW_WRONG_RESULT || f->kind == AT__FLAW_DOES_NOT_COMPILE ||
        f->kind == AT__FLAW_CANNOT_LAUNCH)
        return;
    at__str_addf(out, " (block %" PRId64 ",%" PRId64 ",%" PRId64 ", thread %" PRId64 ",%" PRId64 ",%" PRId64,
                 f->block[0], f->block[1], f->block[2], f->thread[0], f->thread[1], f->thread[2]);
    if (f->count > 1)
        at__str_addf(out, "; %" PRId64 " times", f->count);
    at__str_add(out, ")");
}
