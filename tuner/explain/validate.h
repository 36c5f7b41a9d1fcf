/* validate.h - whether an output is right, on the host; the same as atx_verdict says of a device's. Pure. */
#pragma once

#include "device/trial.h"
#include "machine/flaws.h"

/*
 * false: `flaw` says how wrong it is, the first or the worst element with both values. `said`: what a kernel
 * of the op's counted, where one validates (ATX_BY); else not looked at.
 */
bool atx_validate(atx_flaw *flaw, const atx_buffer *buffer, const unsigned char *got,
                  const unsigned char *right, const uint64_t said[2]);
