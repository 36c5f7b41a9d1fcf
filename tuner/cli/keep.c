/*
 * keep.c - see keep.h. A thread reads from the database what is new, by the second in which it was measured:
 * what that second has more than once is there more than once, which does not matter to `merge`.
 */
#include "cli/keep.h"

#include "cli/commands.h"
#include "db/store.h"
#include "util/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EVERY_S   1
#define LOOK_NS   50000000L
#define LOOKS     (EVERY_S * 20)
#define UTC_BYTES 21

enum { LAST_PASSES = 3 };

struct atx_keep {
    atx_ranks *ranks;
    const char *database, *folder;
    atx_store *store; /* NULL: it is not there yet */
    char begun[UTC_BYTES], since[UTC_BYTES];
    int64_t last_run, run; /* run: of the line that the store gives */
    int *rank_of_run;      /* by number, from first_run; those before are of other times */
    size_t runs, runs_cap;
    int64_t first_run;
    atx_str *text; /* for each rank */
    bool *has_head;
    bool behind; /* something new was not read or not sent: all since `since` is read again */
    pthread_t thread;
    atomic_int over;
};

static void add_run(void *context, int64_t id, const char *uuid, const char *host)
{
    atx_keep *k = context;
    if (k->runs == 0)
        k->first_run = id;
    while (k->first_run + (int64_t)k->runs <= id && !k->behind) {
        k->behind = !atx_grow(&k->rank_of_run, &k->runs_cap, k->runs, sizeof *k->rank_of_run);
        if (!k->behind)
            k->rank_of_run[k->runs++] = atx_ranks_of(k->ranks, uuid, host);
    }
    if (!k->behind)
        k->last_run = id;
}

static bool add_line(void *context, const char *line)
{
    atx_keep *k = context;
    int64_t i = k->run - k->first_run;
    k->behind |= i >= (int64_t)k->runs; /* begun since: all that is new is read again */
    if (i < 0 || i >= (int64_t)k->runs)
        return true;
    atx_str *text = &k->text[k->rank_of_run[i]];
    atx_str_add(text, line);
    atx_str_add(text, "\n");
    return true;
}

static void send_text(atx_keep *k, int rank)
{
    atx_str path = { 0 }, whole = { 0 };
    atx_str *text = &k->text[rank];
    if (text->len == 0 && !text->failed)
        return;
    atx_str_addf(&path, "%s/rank%d-%s.jsonl", k->folder, rank, k->begun);
    if (!k->has_head[rank])
        atx_str_addf(&whole, "%s\n", atx_store_dump_head());
    atx_str_add_bytes(&whole, text->data, text->len);
    bool sent =
        !path.failed && !whole.failed && !text->failed && atx_ranks_keep(k->ranks, rank, path.data, &whole);
    k->has_head[rank] |= sent;
    k->behind |= !sent;
    atx_str_reset(text);
    atx_str_clear(&path);
    atx_str_clear(&whole);
}

/* What cannot be read or sent now is read again the next time. */
static void pass(atx_keep *k)
{
    at_error ignored;
    char now[UTC_BYTES];
    atx_utc_text(now);
    at_status status = k->store ? AT_OK : atx_store_open(&k->store, k->database, ATX_STORE_READ, &ignored);
    k->behind = status != AT_OK && status != AT_ERR_NOT_FOUND;
    if (status != AT_OK)
        return;
    status = atx_store_each_run(k->store, k->last_run, add_run, k, &ignored);
    if (status == AT_OK && k->runs > 0)
        status = atx_store_dump_since(k->store, k->since, &k->run, add_line, k, &ignored);
    k->behind |= status != AT_OK;
    for (int i = 0; i < atx_ranks_count(k->ranks); i++)
        send_text(k, i);
    if (k->runs > 0 && !k->behind)
        snprintf(k->since, sizeof k->since, "%s", now);
}

/* All that is left. */
static void end_passes(atx_keep *k)
{
    for (int i = 0; i < LAST_PASSES && (i == 0 || k->behind); i++)
        pass(k);
    if (k->behind)
        atx_print(stderr,
                  "autotune: warning: --local-db: not all of it could be written; it is in the database\n");
}

static void *keep_all(void *context)
{
    atx_keep *k = context;
    for (int look = 0; !k->over; look = (look + 1) % LOOKS) {
        nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
        if (look == LOOKS - 1)
            pass(k);
    }
    end_passes(k);
    return NULL;
}

static void free_keep(atx_keep *k)
{
    for (int i = 0; k->text && i < atx_ranks_count(k->ranks); i++)
        atx_str_clear(&k->text[i]);
    atx_store_close(k->store);
    free(k->text);
    free(k->has_head);
    free(k->rank_of_run);
    free(k);
}

/* The last run of earlier times: what those measured is not this run's to keep. */
static void skip_run(void *context, int64_t id, const char *uuid, const char *host)
{
    atx_keep *k = context;
    (void)uuid, (void)host;
    k->last_run = id;
}

at_status atx_keep_begin(atx_keep **out, atx_ranks *ranks, const char *database, const char *folder,
                         at_error *err)
{
    const atx_cancel cancel = { .flag = &atx_cancel_requested };
    at_error ignored;
    size_t count = (size_t)atx_ranks_count(ranks);
    atx_keep *k = calloc(1, sizeof *k);
    if (!k)
        return atx_no_memory(err);
    k->ranks = ranks;
    k->database = database;
    k->folder = folder;
    k->text = calloc(count, sizeof *k->text);
    k->has_head = calloc(count, sizeof *k->has_head);
    atx_utc_text(k->begun);
    snprintf(k->since, sizeof k->since, "%s", k->begun);
    if (atx_store_open_unless(&k->store, database, ATX_STORE_READ, &cancel, &ignored) == AT_OK &&
        atx_store_each_run(k->store, 0, skip_run, k, &ignored) != AT_OK)
        k->last_run = 0;
    if (k->text && k->has_head && pthread_create(&k->thread, NULL, keep_all, k) == 0) {
        *out = k;
        return AT_OK;
    }
    bool enough = k->text && k->has_head;
    free_keep(k);
    return enough ? atx_fail(err, AT_ERR_SYSTEM, "a thread for --local-db could not be started")
                  : atx_no_memory(err);
}

void atx_keep_end(atx_keep *k)
{
    if (!k)
        return;
    k->over = 1;
    pthread_join(k->thread, NULL);
    free_keep(k);
}
