/*
 * runner_wire.h - the messages between a supervisor (device.c) and its runner (runner.c).
 *
 *     runner      FOUND compute capability, then HELLO atx_device_info; or FAILED
 *     supervisor  SETUP     -> READY sets  | FAILED
 *     supervisor  TRIAL     -> MEASURED    | FAILED, after which the runner ends if its context is lost
 *     supervisor  REMEASURE -> REMEASURED  | FAILED
 *     supervisor  CANCEL    no answer; ends the re-measurement under way, if there is one
 *
 * Before any of these answers: WAITS, when another run has the device, and then BEGINS.
 *
 * Plain structs without pointers are sent as their bytes: both ends are one program.
 */
#pragma once

#include "device/trial.h"
#include "util/wire.h"

/* In place of a device's ordinal: the runner says how many there are, and the UUID of each, and ends. */
#define ATX_COUNT_DEVICES (-1)

enum {
    ATX_HELLO = 1,
    ATX_FAILED,
    ATX_SETUP,
    ATX_READY,
    ATX_TRIAL,
    ATX_MEASURED,
    ATX_REMEASURE,
    ATX_REMEASURED,
    ATX_WAITS,
    ATX_BEGINS,
    ATX_CANCEL,
    ATX_FOUND
};

void atx_write_setup(atx_str *body, const atx_setup *setup);
void atx_write_trial(atx_str *body, const atx_trial *trial);
void atx_write_remeasure(atx_str *body, const atx_remeasure_request *request);

/* Cubins and names are borrowed from the reader's body, the list of a request from the caller: room for
 * ATX_MAX_TOP_CANDIDATES. AT_ERR_SYSTEM: a malformed message. */
at_status atx_read_setup(atx_setup *out, atx_reader *in, at_error *err) AT_MUST_CHECK;
at_status atx_read_trial(atx_trial *out, atx_reader *in, at_error *err) AT_MUST_CHECK;
at_status atx_read_remeasure(atx_remeasure_request *out, atx_top_candidate *list, atx_reader *in,
                             at_error *err) AT_MUST_CHECK;

/* Copies a struct that travelled as bytes; false when the sizes differ. */
bool atx_read_plain(void *out, size_t size, atx_reader *in);

/* In a runner, an answer to the supervisor; the second one is a failed request: its status and text. */
at_status atx_runner_reply(uint32_t kind, const atx_str *body, at_error *err) AT_MUST_CHECK;
at_status atx_runner_reply_failure(at_status failure, const at_error *cause, at_error *err) AT_MUST_CHECK;

/* In a runner during a re-measurement: whether the supervisor has just cancelled it, or has ended. */
bool atx_remeasure_is_to_end(void);
