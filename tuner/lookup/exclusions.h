/*
 * exclusions.h - configurations that do not work on the target: this NVRTC does not compile them, this driver
 * does not load them, or their requirements do not hold on the device. Recorded for one problem and compute
 * capability; look-ups that get the list answer with the next best.
 *
 * A configuration is tried once. After a few failures to compile or load one template, the rest of that
 * template is excluded too, and there is a limit for all templates together, since a caller waits.
 * Configurations that are only not valid cost no time and do not count.
 *
 * One thread uses them at a time.
 */
#pragma once

#include "lang/catalog.h"
#include "lang/problem.h"

#define ATX_EXCLUDED_OF_TEMPLATE 3
#define ATX_EXCLUDED_IN_ALL      12

typedef struct atx_exclusions atx_exclusions;

atx_exclusions *atx_exclusions_open(void); /* NULL: out of memory */
void atx_exclusions_close(atx_exclusions *exclusions);

/* `why` says it to a user: "copy/fast.cu with TH=64 does not compile for sm_90: ...". AT_ERR_MEMORY. */
at_status atx_exclude(atx_exclusions *exclusions, const atx_problem *problem, int64_t cc,
                      const atx_template *t, const atx_config *config, const at_error *why,
                      at_error *err) AT_MUST_CHECK;

/* Not valid on the device: `t` and `config` say it all. */
at_status atx_exclude_invalid(atx_exclusions *exclusions, const atx_problem *problem, int64_t cc,
                              const atx_template *t, const atx_config *config, at_error *err) AT_MUST_CHECK;

/* Why it is excluded, as the rest of its template may be; NULL: it is not, also where `exclusions` is NULL.
 */
const at_error *atx_excluded(const atx_exclusions *exclusions, const atx_problem *problem, int64_t cc,
                             const atx_template *t, const atx_config *config);

/* Why this very configuration was. NULL: it was not tried. */
const at_error *atx_excluded_itself(const atx_exclusions *exclusions, const atx_problem *problem, int64_t cc,
                                    const atx_template *t, const atx_config *config);

/* How many are, in all: grows with each. NULL is allowed. */
size_t atx_exclusions_count(const atx_exclusions *exclusions);

/* How many of this problem were tried, or are not valid; *first is why the first of all is not used. At
 * ATX_EXCLUDED_IN_ALL no more of the kind are looked at. */
typedef struct atx_excluded_count {
    int tried, invalid;
} atx_excluded_count;
atx_excluded_count atx_exclusions_of(at_error *first, const atx_exclusions *exclusions,
                                     const atx_problem *problem, int64_t cc);
