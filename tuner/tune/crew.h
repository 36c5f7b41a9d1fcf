/*
 * crew.h - where devices of one model meet: those that tune a problem ask for help, those that have none give
 * it.
 *
 * Who tunes makes an offer and withdraws it when its search is over. Who has nothing to do takes part in one:
 * it opens the problem on its own device and brings that device, lent (device/lent.h), to the contest. All
 * functions may be called from any thread; an offer is used by the thread that made it.
 */
#ifndef AUTOTUNE_CREW_H
#define AUTOTUNE_CREW_H

#include "device/device.h"
#include "lang/problem.h"

typedef struct atx_crew atx_crew;
typedef struct atx_offer atx_offer;

/* A device that came to help, with what belongs to it. */
typedef struct atx_helper {
    atx_device *device;     /* lent: closing it gives it back */
    int64_t run_id;         /* in the store, of what it measures */
    int workers;            /* compile workers that its owner ends meanwhile ... */
    atx_site *const *sites; /* ... and where each was; borrowed */
} atx_helper;

atx_crew *atx_crew_open(void); /* NULL: out of memory */
void atx_crew_close(atx_crew *crew);

/* ---- who tunes ---- */

/* From a problem's begin to its end: as long as somebody is at work, help may be wanted. */
void atx_crew_begin(atx_crew *crew);
void atx_crew_end(atx_crew *crew);

/* The problem is borrowed until the crew is closed. AT_ERR_MEMORY,
 * AT_ERR_SYSTEM. */
at_status atx_crew_offer(atx_offer **out, atx_crew *crew, const atx_problem *problem,
                         at_error *err) AT_MUST_CHECK;

/* One who has come; false: nobody else so far. Its device is the caller's to close. */
bool atx_crew_take(atx_offer *offer, atx_helper *out);

/* Readable when somebody has come. */
struct pollfd atx_crew_fd(const atx_offer *offer);

/* Nobody is wanted any more; who has come and was not taken is sent away. NULL is allowed. */
void atx_crew_withdraw(atx_offer *offer);

/* ---- who helps ---- */

/* Is nobody at work? What is left over was put back before. */
bool atx_crew_is_idle(atx_crew *crew);

/* The offers that a device took part in: it does so once in each. Zero: in none yet. */
#define ATX_MOST_HELPED 64 /* the last ones: there are no more at a time than other devices */
typedef struct atx_helped {
    int64_t ids[ATX_MOST_HELPED];
    int next;
} atx_helped;

/*
 * Waits a moment for an offer, and takes part in the one with the fewest helpers: *id names it, and `helped`
 * has it from now on. False: there is none but those.
 */
bool atx_crew_find(atx_crew *crew, int64_t *id, const atx_problem **problem, atx_helped *helped);

/* Is help of this offer still wanted? */
bool atx_crew_wants(atx_crew *crew, int64_t id);

/* Hands the helper over; false: too late. */
bool atx_crew_bring(atx_crew *crew, int64_t id, const atx_helper *helper);

/* It does not come, or has gone again. */
void atx_crew_leave(atx_crew *crew, int64_t id);

#endif
