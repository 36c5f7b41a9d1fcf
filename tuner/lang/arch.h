/*
 * arch.h - the properties of an architecture, without a device: limits by compute capability, from the tables
 * "Compute Capabilities" of the CUDA C++ Programming Guide. Multiprocessors and L2 are those of a common
 * card.
 */
#pragma once

#include "declare/declare.h"

/* "sm_90", "compute_90", "90" or "9.0". AT_ERR_USAGE lists the known ones. */
at_status atx_arch_parse(atx_limits *out, const char *text, at_error *err) AT_MUST_CHECK;

/* The same, also with a letter behind it: "sm_90a". *variant: 'a', 'f' or 0. */
at_status atx_arch_parse_variant(atx_limits *out, char *variant, const char *text,
                                 at_error *err) AT_MUST_CHECK;

/*
 * Which variant of cc's architecture the words of a `target` line mean: 'a' (code for sm_90a runs on 9.0
 * alone), 'f' (for sm_100f on its family), 0: none of them. `words` NULL or "": none.
 */
char atx_arch_variant(const char *words, int cc);

/* "sm_90", "sm_90a". */
#define ATX_ARCH_TEXT 16
void atx_arch_text(char out[ATX_ARCH_TEXT], int64_t cc, char variant);

/* Limits of a capability as the driver gives it, 90 for 9.0. One that the tables do not know is taken for the
 * newest older one. */
void atx_arch_limits(atx_limits *out, int64_t cc);

/* How many blocks of a kernel a multiprocessor holds at once, and so warps; of those that it could. */
typedef struct atx_occupancy {
    int64_t blocks, warps, max_warps;
    const char *limit; /* what allows no more: "threads", "registers", "shared memory" or "blocks" */
} atx_occupancy;

/* In theory, by the resources of a block: threads, registers a thread, static and dynamic shared bytes. */
atx_occupancy atx_arch_occupancy(int64_t cc, int64_t threads, int64_t registers, int64_t shared_bytes);

/* Device memory as limits have it, from MiB as a file has them, whatever that says: 0 for none or fewer,
 * INT64_MAX for more than that. */
int64_t atx_memory_bytes(int64_t memory_mib);
