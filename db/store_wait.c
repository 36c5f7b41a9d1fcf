/*
 * store_wait.c - waiting for what another process has locked: it is tried again and again, less often as
 * time goes by, until the store's patience is over or its user asks to end. Time is counted by what was
 * slept, so that a process that is stopped meanwhile has its patience still.
 */
#include "db/store_internal.h"

#include <errno.h>
#include <time.h>

enum { FIRST_MS = 1, MORE_MS = 3, LONGEST_MS = 50 }; /* of a sleep: the first, each next one, the last ones */

static int asked(const at__store *store)
{
    return store->cancel && at__cancel_asked(store->cancel);
}

/* A signal that is not the user's wish to end shortens nothing. */
static void sleep_ms(const at__store *store, int ms)
{
    struct timespec left = { .tv_nsec = ms * 1000000L };
    while (nanosleep(&left, &left) != 0 && errno == EINTR && !asked(store))
        ;
}

/* SQLite asks before each new try for one lock; `tries`: those before. 0: no more of them. */
static int wait_more(void *context, int tries)
{
    at__store *store = context;
    int ms = FIRST_MS + MORE_MS * (tries < LONGEST_MS ? tries : LONGEST_MS);
    if (tries == 0)
        store->waited_ms = 0;
    if (asked(store) || store->waited_ms >= store->wait_ms)
        return 0;
    ms = ms < LONGEST_MS ? ms : LONGEST_MS;
    ms = ms < store->wait_ms - store->waited_ms ? ms : store->wait_ms - store->waited_ms;
    sleep_ms(store, ms);
    store->waited_ms += ms;
    return 1;
}

void at__store_wait_for_locks(at__store *store)
{
    sqlite3_busy_handler(store->db, wait_more, store);
}
