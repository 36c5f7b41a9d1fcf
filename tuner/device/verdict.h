/*
 * verdict.h - the result of checking a kernel's launches: for programs that act on it. In words the same is
 * in the log of a trial. On a GPU and on the machine alike.
 */
#pragma once

#include "declare/declare.h"
#include "lang/record.h"
#include "util/str.h"

typedef struct atx_verdict {
    atx_outcome outcome;          /* ATX_TIMED: right in all that was checked                    */
    int64_t checked;              /* launches whose outputs were compared with the reference's   */
    char buffer[ATX_MAX_NAME];    /* the argument with the first fault; "": none                 */
    int64_t element;              /* of it; -1: unknown                                          */
    char found[40], expected[40]; /* there; "": unknown, or opaque bytes                      */
    int64_t set;                  /* which of the sets of inputs it was, from 0; -1: unknown  */
    int64_t launch;               /* which launch since the kernel was loaded, from 1; 0: unknown       */
    bool timed;                   /* the launch was one of those that are timed                         */
    bool above_ceiling;           /* faster than a plain copy can explain: more launches were checked   */
} atx_verdict;

/* Nothing was checked. */
#define ATX_NO_VERDICT ((atx_verdict){ .element = -1, .set = -1 })

/* Adds it to a JSON object, as the member `verdict`, an object. `outcome`: a trial's. What is not known is
 * null, and so is the outcome of a trial that was timed before, or is a recording's: nothing was checked. */
void atx_verdict_member(atx_str *out, const atx_verdict *verdict, atx_outcome outcome);
