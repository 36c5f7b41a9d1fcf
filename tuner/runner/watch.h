/*
 * watch.h - was the device itself while it was timed? Samples taken while it was slowed down are thrown away.
 */
#pragma once

#include "runner/nvml.h"

/*
 * What slowed the device down, in a few words; NULL: nothing. `calm` are the conditions when timing began.
 * Heat, the hardware's own brakes and a clock that fell by a tenth count; a power limit that the driver keeps
 * does not, it is the device's normal state under load. Unknown readings count as undisturbed. Pure.
 */
const char *atx_disturbance(const atx_conditions *calm, const atx_conditions *now);

typedef struct atx_watch {
    const atx_nvml *nvml;     /* NULL: nothing is ever seen */
    atx_conditions calm, now; /* when timing began; when it was looked at last */
    int64_t discarded;        /* samples, or rounds of them   */
    const char *what;         /* the last disturbance         */
} atx_watch;

void atx_watch_begin(atx_watch *watch, const atx_nvml *nvml);

/* The same, where the last reading still holds: asking NVML takes longer than a short trial. */
void atx_watch_go_on(atx_watch *watch);

/* The reading at the end of something that was not watched. */
void atx_watch_look(atx_watch *watch);

/* Whether what was timed since the last call must be taken again. Waits a little when it must. */
bool atx_watch_disturbed(atx_watch *watch);
