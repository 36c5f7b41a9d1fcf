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

typedef struct at__crew at__crew;
typedef struct at__offer at__offer;

/* A device that came to help, with what belongs to it. */
typedef struct at__helper {
    at__device *device;     /* lent: closing it gives it back */
    int64_t run_id;         /* in the store, of what it measures */
    int workers;            /* compile workers that its owner ends meanwhile ... */
    at__site *const *sites; /* ... and where each was; borrowed */
} at__helper;

at__crew *at__crew_open(void); /* NULL: out of memory */
void at__crew_close(at__crew *crew);

/* ---- who tunes ---- */

/* From a problem's begin to its end: as long as somebody is at work, help may be wanted. */
void at__crew_begin(at__crew *crew);
void at__crew_end(at__crew *crew);

/* The problem is borrowed until the crew is closed. AT_ERR_MEMORY,
 * AT_ERR_SYSTEM. */
at_status at__crew_offer(at__offer **out, at__crew *crew, const at__problem *problem,
                         at_error *err) AT_MUST_CHECK;

/* One who has come; false: nobody else so far. Its device is the caller's to close. */
bool at__crew_take(at__offer *offer, at__helper *out);

/* Readable when somebody has come. */
struct pollfd at__crew_fd(const at__offer *offer);

/* Nobody is wanted any more; who has come and was not taken is sent away. NULL is allowed. */
void at__crew_withdraw(at__offer *offer);

/* ---- who helps ---- */

/* Is nobody at work? What is left over was put back before. */
bool at__crew_is_idle(at__crew *crew);

/* The offers that a device took part in: it does so once in each. Zero: in none yet. */
#define AT__MOST_HELPED 64 /* the last ones: there are no more at a time than other devices */
typedef struct at__helped {
    int64_t ids[AT__MOST_HELPED];
    int next;
} at__helped;

/*
 * Waits a moment for an offer, and takes part in the one with the fewest helpers: *id names it, and `helped`
 * has it from now on. False: there is none but those.
 */
bool at__crew_find(at__crew *crew, int64_t *id, const at__problem **problem, at__helped *helped);

/* Is help of this offer still wanted? */
bool at__crew_wants(at__crew *crew, int64_t id);

/* Hands the helper over; false: too late. */
bool at__crew_bring(at__crew *crew, int64_t id, const at__helper *helper);

/* It does not come, or has gone again. */
void at__crew_leave(at__crew *crew, int64_t id);

#endif
