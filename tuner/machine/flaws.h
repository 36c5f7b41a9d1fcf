/*
 * flaws.h - the flaws of a kernel that the machine found: place in the source, block and thread, place in a
 * buffer. Flaws of one kind at one instruction are one: the first, and their number.
 */
#pragma once

#include "util/str.h"

#include <stddef.h>
#include <stdint.h>

typedef enum atx_flaw_kind {
    ATX_FLAW_OUT_OF_BOUNDS,
    ATX_FLAW_MISALIGNED,
    ATX_FLAW_UNWRITTEN,        /* read, but was never written                                         */
    ATX_FLAW_KEPT_STATE,       /* a variable that a later launch finds changed, and reads           */
    ATX_FLAW_INPUT_WRITTEN,    /* a write to a buffer that the kernel may only read                 */
    ATX_FLAW_RACE_WRITES,      /* two writes of different values, nothing between them              */
    ATX_FLAW_RACE_READ_WRITE,  /* a read, then a write; or the reverse                              */
    ATX_FLAW_STALE_READ,       /* ld.global.nc of what the launch has written                       */
    ATX_FLAW_COPY_NOT_AWAITED, /* bytes that an asynchronous copy was to bring, before it was waited for */
    ATX_FLAW_BARRIER_DIVERGES, /* a barrier that not all threads reach                              */
    ATX_FLAW_ENDLESS,          /* more instructions than the budget                                 */
    ATX_FLAW_TRAPPED,          /* trap, a failed assertion, a division that the machine cannot do   */
    ATX_FLAW_UNDEFINED,        /* undefined by the ISA: a shuffle from a lane that is not there */
    ATX_FLAW_DOES_NOT_COMPILE,
    ATX_FLAW_CANNOT_LAUNCH,      /* blocks or memory that no device has, or that the kernel rules out */
    ATX_FLAW_UNKNOWN_TO_MACHINE, /* an instruction that it does not know: not the kernel's fault     */
    ATX_FLAW_WRONG_RESULT,       /* all ran, and the output differs from the reference's              */
    ATX_FLAW_KINDS
} atx_flaw_kind;

const char *atx_flaw_name(atx_flaw_kind kind); /* "out_of_bounds": of JSON and tests */

typedef struct atx_flaw {
    atx_flaw_kind kind;
    int64_t instruction; /* in the machine's numbering; -1: none          */
    char file[200];      /* "": unknown                                   */
    int line;            /* 0: unknown                                    */
    int64_t block[3], thread[3];
    uint64_t address;
    char buffer[64];  /* the argument that it is about; "": none, or unknown */
    bool has_element; /* of an output that is wrong: its place and value */
    int64_t element;
    char found[40], expected[40];
    bool may_not_matter; /* unwritten shared memory: a flaw only if an output depends on it */
    char what[320];      /* one sentence without the place */
    int64_t count;       /* how often, this one included   */
} atx_flaw;

/* Zero it before use. After that many different ones more are counted, not kept. */
#define ATX_MOST_FLAWS 64
typedef struct atx_flaws {
    atx_flaw items[ATX_MOST_FLAWS];
    int count;
    int64_t dropped;
    int64_t checked; /* launches whose outputs were compared with the right ones */
} atx_flaws;

/* Adds a copy, or counts one more of the same. */
void atx_flaws_add(atx_flaws *all, const atx_flaw *flaw);

/* The same, with the count that it has. */
void atx_flaws_copy(atx_flaws *all, const atx_flaw *flaw);

/* "FILE:LINE: what (block 0,0,0, thread 33,0,0; 12 times)" */
void atx_flaw_text(atx_str *out, const atx_flaw *flaw);
