/*
 * runner_wire.h - what a supervisor (device.c) and its runner (runner.c) say to each other.
 *
 *     runner      FOUND compute capability, then HELLO at__device_info; or FAILED
 *     supervisor  SETUP   -> READY sets     | FAILED
 *     supervisor  TRIAL   -> MEASURED       | FAILED, after which the runner ends when its context is lost
 *     supervisor  FINAL   -> FINAL_DONE     | FAILED
 *     supervisor  CANCEL     no answer; the final under way comes to its end. Without one it means nothing.
 *
 * Before any of these answers: WAITS, when another run has the device, and then BEGINS.
 *
 * Plain structs without pointers travel as their bytes: both ends are one program.
 */
#ifndef AUTOTUNE_RUNNER_WIRE_H
#define AUTOTUNE_RUNNER_WIRE_H

#include "device/trial.h"
#include "util/wire.h"

/* In place of a device's ordinal: the runner says how many there are, and the UUID of each, and ends. */
#define AT__COUNT_DEVICES (-1)

enum {
    AT__HELLO = 1,
    AT__FAILED,
    AT__SETUP,
    AT__READY,
    AT__TRIAL,
    AT__MEASURED,
    AT__FINAL,
    AT__FINAL_DONE,
    AT__WAITS,
    AT__BEGINS,
    AT__CANCEL,
    AT__FOUND
};

void at__write_setup(at__str *body, const at__setup *setup);
void at__write_trial(at__str *body, const at__trial *trial);
void at__write_final(at__str *body, const at__finalist *list, int count, uint64_t seed,
                     double budget_until_s);

/* Cubins and names are borrowed from the reader's body. AT_ERR_SYSTEM: a malformed message. */
at_status at__read_setup(at__setup *out, at__reader *in, at_error *err) AT_MUST_CHECK;
at_status at__read_trial(at__trial *out, at__reader *in, at_error *err) AT_MUST_CHECK;
at_status at__read_final(at__finalist *list, int *count, uint64_t *seed, double *budget_until_s,
                         at__reader *in, at_error *err) AT_MUST_CHECK;

/* Copies a struct that travelled as bytes; false when the sizes differ. */
bool at__read_plain(void *out, size_t size, at__reader *in);

/* In a runner that plays a final: whether the supervisor has just said that it is to end, or is gone. */
bool at__final_is_to_end(void);

#endif
