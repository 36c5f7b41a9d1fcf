/*
 * nvml.h - clocks, temperature, power and throttle reasons, read without root. NVML is optional: without it
 * every figure is -1. It never changes a setting of the device.
 */
#ifndef AUTOTUNE_NVML_H
#define AUTOTUNE_NVML_H

#include "lang/record.h"
#include <stddef.h>

typedef struct at__nvml at__nvml;

at__nvml *at__nvml_open(const char *uuid);          /* NULL when there is no NVML or no such device */
void at__nvml_close(at__nvml *nvml);                /* NULL is allowed */
at__conditions at__nvml_read(const at__nvml *nvml); /* NULL: everything unknown */

/* Processes that compute on the device, this one among them; uncorrected ECC errors since the driver was
 * loaded. -1: unknown. */
int64_t at__nvml_processes(const at__nvml *nvml);
int64_t at__nvml_ecc_errors(const at__nvml *nvml);

/* Memory that nobody uses; -1: unknown. */
int64_t at__nvml_free_bytes(const at__nvml *nvml);

/* What the device has used since the driver was loaded, in steps of 20 to 100 ms; NaN: unknown. */
double at__nvml_joules(const at__nvml *nvml);

/* "580.159.04"; false when unknown. */
bool at__nvml_driver(const at__nvml *nvml, char *out, size_t size);

#endif
