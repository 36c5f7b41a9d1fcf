/*
 * nvml.h - clocks, temperature, power and throttle reasons, read without root. NVML is optional: without it
 * every figure is -1. It never changes a setting of the device.
 */
#pragma once

#include "lang/record.h"
#include <stddef.h>

typedef struct atx_nvml atx_nvml;

atx_nvml *atx_nvml_open(void);                        /* NULL when there is no NVML */
bool atx_nvml_find(atx_nvml *nvml, const char *uuid); /* the device that is asked about from now on */
void atx_nvml_close(atx_nvml *nvml);                  /* NULL is allowed */
atx_conditions atx_nvml_read(const atx_nvml *nvml);   /* NULL: everything unknown */

/* Processes that compute on the device, this one among them; uncorrected ECC errors since the driver was
 * loaded. -1: unknown. */
int64_t atx_nvml_processes(const atx_nvml *nvml);
int64_t atx_nvml_ecc_errors(const atx_nvml *nvml);

/* GPUs of this machine that NVML shows; 0: unknown. Where MIG is in use, on any of them, the driver shows
 * parts of GPUs, and not all. */
int atx_nvml_count(const atx_nvml *nvml);
bool atx_nvml_uses_mig(const atx_nvml *nvml);

/* Free memory; -1: unknown. */
int64_t atx_nvml_free_bytes(const atx_nvml *nvml);

/* The energy used since the driver was loaded, in steps of 20 to 100 ms; NaN: unknown. */
double atx_nvml_joules(const atx_nvml *nvml);

/* "580.159.04"; false when unknown. */
bool atx_nvml_driver(const atx_nvml *nvml, char *out, size_t size);
