/*
 * flaws.h - what is wrong with a kernel, as the machine saw it: where in its source, in which block and
 * thread, at which place of which buffer. Flaws of one kind at one instruction are one: the first,
 * and how often.
 */
#ifndef AUTOTUNE_MACHINE_FLAWS_H
#define AUTOTUNE_MACHINE_FLAWS_H

#include "util/str.h"

#include <stddef.h>
#include <stdint.h>

typedef enum at__flaw_kind {
    AT__FLAW_OUT_OF_BOUNDS,
    AT__FLAW_MISALIGNED,
    AT__FLAW_UNWRITTEN,        /* read, but nobody wrote it                                         */
    AT__FLAW_INPUT_WRITTEN,    /* a write to what the kernel may only read                          */
    AT__FLAW_RACE_WRITES,      /* two writes of different values, nothing between them              */
    AT__FLAW_RACE_READ_WRITE,  /* a read, then a write; or the reverse                              */
    AT__FLAW_STALE_READ,       /* ld.global.nc of what the launch has written                       */
    AT__FLAW_COPY_NOT_AWAITED, /* bytes that an asynchronous copy was to bring, before it was waited for */
    AT__FLAW_BARRIER_DIVERGES, /* a barrier that not all threads reach                              */
    AT__FLAW_ENDLESS,          /* more instructions than the budget                                 */
    AT__FLAW_TRAPPED,          /* trap, a failed assertion, a division that the machine cannot do   */
    AT__FLAW_UNDEFINED,        /* what the ISA leaves undefined: a shuffle from a lane that is not there */
    AT__FLAW_DOES_NOT_COMPILE,
    AT__FLAW_CANNOT_LAUNCH,      /* blocks or memory that no device has, or that the kernel rules out */
    AT__FLAW_UNKNOWN_TO_MACHINE, /* an instruction that it does not know: not the kernel's fault     */
    AT__FLAW_WRONG_RESULT,       /* all ran, and the output is not what the reference's is            */
    AT__FLAW_KINDS
} at__flaw_kind;

const char *at__flaw_name(at__flaw_kind kind); /* "out_of_bounds": of JSON and tests */

typedef struct at__flaw {
    at__flaw_kind kind;
    int64_t instruction; /* in the machine's numbering; -1: none          */
    char file[200];      /* "": unknown                                   */
    int line;            /* 0: unknown                                    */
    int64_t block[3], thread[3];
    uint64_t address;
    bool may_not_matter; /* unwritten shared memory: a flaw only if an output depends on it */
    char what[240];      /* one sentence without the place */
    int64_t count;       /* how often, this one included   */
} at__flaw;

/* Zero it before use. After that many different ones more are counted, not kept. */
#define AT__MOST_FLAWS 64
typedef struct at__flaws {
    at__flaw items[AT__MOST_FLAWS];
    int count;
    int64_t dropped;
} at__flaws;

/* A copy, or one more of what is there. */
void at__flaws_add(at__flaws *all, const at__flaw *flaw);

/* The same, with the count that it has. */
void at__flaws_copy(at__flaws *all, const at__flaw *flaw);

/* "FILE:LINE: what (block 0,0,0, thread 33,0,0; 12 times)" */
void at__flaw_text(at__str *out, const at__flaw *flaw);

#endif
