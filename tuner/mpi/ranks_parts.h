/*
 * ranks_parts.h - the insides of at__ranks. Private to ranks*.c: ranks.c begins, gathers and ends,
 * ranks_post.c has the thread that speaks to the others.
 */
#ifndef AUTOTUNE_MPI_RANKS_PARTS_H
#define AUTOTUNE_MPI_RANKS_PARTS_H

#include "mpi/launched.h"
#include "mpi/mail.h"
#include "mpi/rank_info.h"
#include "mpi/ranks.h"
#include "util/patience.h"
#include <pthread.h>

/* A child that another rank has, and our end of the pair whose other end its supervisor has. */
typedef struct at__channel {
    int64_t number;
    int rank, fd;
    at__str to_local; /* came, and there was no room yet ... */
    size_t given;     /* ... but for so many bytes           */
    bool ended;
    char how[256];
} at__channel;

typedef enum at__rank_state {
    AT__RANK_AWAITED,
    AT__RANK_HERE,
    AT__RANK_OTHER,
    AT__RANK_BYE,
    AT__RANK_GONE
} at__rank_state;

typedef struct at__rank {
    at__site site; /* first: what a place's functions are given */
    at__ranks *ranks;
    int number;
    at__rank_state state;
    at__rank_info info;
    char name[96];
    at__patience silence;
    bool silent; /* and that was told */
} at__rank;

struct at__ranks {
    at__ranks_options options;
    at__launched launched;
    const at__link *link;
    int count;
    at__rank *list;
    bool (*owner)[AT__RANK_GPUS];
    int *workers;
    double patience_s;
    pthread_t thread;
    bool threaded;
    pthread_mutex_t lock; /* of everything below, and of the states of ranks */
    pthread_cond_t news;
    bool begun, ending, over; /* MPI is there; everybody is told to end; the thread has nothing more to do */
    int exit_code;
    at_status status; /* of the thread */
    at_error why;
    at__mail *mail;
    int epoll;
    at__channel **channels; /* by number; NULL: it is over */
    size_t channel_count, channel_cap;
    int held; /* channels with bytes that had no room */
    double beat_s;
    char chunk[(size_t)256 << 10];
};

/* The thread. */
void *at__ranks_post(void *ranks);

/* A place's functions. */
at_status at__ranks_spawn(at__site *site, at__child *out, const char *const *argv, at_error *err);
void at__ranks_kill(at__site *site, const at__child *child);
void at__ranks_stop(at__site *site, at__child *child, double grace_s);
void at__ranks_autopsy(at__site *site, at__child *child, char *out, size_t size);

#endif
