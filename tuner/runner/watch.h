/*
 * watch.h - was the device itself while it was timed? Samples taken while it was slowed down are thrown away.
 */
#ifndef AUTOTUNE_WATCH_H
#define AUTOTUNE_WATCH_H

#include "runner/nvml.h"

/*
 * What slowed the device down, in a few words; NULL: nothing. `calm` are the conditions when timing began.
 * Heat, the hardware's own brakes and a clock that fell by a tenth count; a power limit that the driver keeps
 * does not, it is the device's normal state under load. What is unknown is no disturbance. Pure.
 */
const char *at__disturbance(const at__conditions *calm, const at__conditions *now);

typedef struct at__watch {
    const at__nvml *nvml;     /* NULL: nothing is ever seen */
    at__conditions calm, now; /* when timing began; when it was looked at last */
    int64_t discarded;        /* samples, or rounds of them   */
    const char *what;         /* the last disturbance         */
} at__watch;

void at__watch_begin(at__watch *watch, const at__nvml *nvml);

/* The same, where what was seen last is still true: asking NVML takes longer than a short trial. */
void at__watch_go_on(at__watch *watch);

/* What is known at the end of something that was not watched. */
void at__watch_look(at__watch *watch);

/* Whether what was timed since the last call must be taken again. Waits a little when it must. */
bool at__watch_disturbed(at__watch *watch);

#endif
