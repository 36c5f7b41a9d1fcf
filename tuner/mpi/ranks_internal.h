/*
 * ranks_internal.h - the insides of atx_ranks. Private to ranks*.c: ranks.c begins, gathers and ends,
 * ranks_messages.c has the thread that speaks to the others.
 */
#pragma once

#include "mpi/launched.h"
#include "mpi/message_queue.h"
#include "mpi/rank_info.h"
#include "mpi/ranks.h"
#include "util/clock.h"
#include <pthread.h>

/* A child that another rank has, and our end of the pair whose other end its supervisor has. */
typedef struct atx_channel {
    int64_t number;
    int rank, fd;
    atx_str to_local; /* came, and there was no room yet ... */
    size_t given;     /* ... but for so many bytes           */
    bool ended;
    char how[256];
} atx_channel;

typedef enum atx_rank_state {
    ATX_RANK_AWAITED,
    ATX_RANK_HERE,
    ATX_RANK_OTHER,
    ATX_RANK_DISCONNECTED,
    ATX_RANK_GONE
} atx_rank_state;

typedef struct atx_rank {
    atx_site site; /* first: what a place's functions are given */
    atx_ranks *ranks;
    int number;
    atx_rank_state state;
    atx_rank_info info;
    char name[96];
    atx_wait_time silence;
    bool silent; /* and that was reported */
} atx_rank;

struct atx_ranks {
    atx_ranks_options options;
    atx_launched launched;
    const atx_link *link;
    int count;
    atx_rank *list;
    bool (*owner)[ATX_RANK_GPUS];
    int *workers;
    double wait_time_s;
    pthread_t thread;
    bool threaded;
    pthread_mutex_t lock; /* of everything below, and of the states of ranks */
    pthread_cond_t news;
    bool begun, ending, over; /* MPI is open; all ranks are to end; the thread has nothing more to do */
    int exit_code;
    at_status status; /* of the thread */
    at_error why;
    atx_message_queue *message_queue;
    int epoll;
    atx_channel **channels; /* by number; NULL: it is over */
    size_t channel_count, channel_cap;
    int held; /* channels with bytes that had no room */
    double beat_s;
    char chunk[(size_t)256 << 10];
};

/* The thread. */
void *atx_ranks_messages(void *ranks);

/* A place's functions. */
at_status atx_ranks_spawn(atx_site *site, atx_child *out, const char *const *argv, at_error *err);
void atx_ranks_kill(atx_site *site, const atx_child *child);
void atx_ranks_stop(atx_site *site, atx_child *child, double grace_s);
void atx_ranks_exit_status(atx_site *site, atx_child *child, char *out, size_t size);
