/* over_ranks.c - see over_ranks.h. */
#include "cli/over_ranks.h"

#include "cli/commands.h"
#include "cli/process.h"
#include "device/device.h"
#include "mpi/launched.h"
#include "mpi/rank_info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(void *context, const char *text)
{
    (void)context;
    atx_warn(text);
}

static bool names_shard(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--shard") == 0 || strncmp(argv[i], "--shard=", 8) == 0)
            return true;
    return false;
}

/* Messages that concern all ranks are printed once, by rank 0. */
static int complain_as(int rank, const at_error *err)
{
    if (rank == 0 || err->status == AT_ERR_SYSTEM)
        return atx_complain(err);
    return err->status == AT_ERR_CANCELLED ? ATX_EXIT_INTERRUPTED : ATX_EXIT_USAGE;
}

int atx_over_ranks_begin(atx_ranks **ranks, bool *served, int argc, char **argv)
{
    at_error err = { 0 };
    atx_launched launched;
    const atx_ranks_options options = { .cancel = &atx_cancel_requested, .tell = tell };
    *served = false;
    if (names_shard(argc, argv) || !atx_launched_find(&launched))
        return ATX_EXIT_OK;
    if (launched.rank > 0)
        atx_process_take_time(); /* rank 0 says when it is over */
    at_status status = atx_ranks_begin(ranks, served, &options, &err);
    if (status == AT_OK)
        return ATX_EXIT_OK;
    int code = complain_as(launched.rank, &err);
    atx_ranks_end(*ranks, code);
    *ranks = NULL;
    return code;
}

static bool is_wanted(const atx_words *words, int ordinal)
{
    if (words->count == 0 || (words->count == 1 && strcmp(words->items[0], "all") == 0))
        return true;
    for (int i = 0; i < words->count; i++)
        if (strtol(words->items[i], NULL, 10) == ordinal)
            return true;
    return false;
}

static at_status room_for(atx_over_ranks *over, int ranks, at_error *err)
{
    size_t most = (size_t)ranks * ATX_RANK_GPUS;
    over->devices = calloc(most, sizeof *over->devices);
    over->ordinals = calloc(most, sizeof *over->ordinals);
    over->device_places = calloc(most, sizeof(atx_site *));
    over->places = calloc((size_t)ranks, sizeof *over->places);
    if (over->devices && over->ordinals && over->device_places && over->places)
        return AT_OK;
    return atx_fail(err, AT_ERR_MEMORY, "out of memory for %d ranks", ranks);
}

static void add_device(atx_over_ranks *over, atx_site *site, const char *spec, int ordinal)
{
    int i = over->count++;
    snprintf(over->ordinals[i], sizeof over->ordinals[i], "%d", ordinal);
    over->devices[i] = spec ? spec : over->ordinals[i];
    over->device_places[i] = site;
}

static void describe(const atx_over_ranks *over, int rank, int devices)
{
    int workers = over->places[rank].workers;
    atx_print(stderr, "%s: %d device%s, %d compile worker%s\n", atx_ranks_name(over->ranks, rank), devices,
              devices == 1 ? "" : "s", workers, workers == 1 ? "" : "s");
}

static void add_rank(atx_over_ranks *over, int rank, const atx_words *words)
{
    atx_site *site = atx_ranks_place(over->ranks, rank);
    over->places[rank] = (atx_tune_place){ site, atx_ranks_workers(over->ranks, rank) };
    if (words->count == 1 && atx_device_is_replay(words->items[0])) {
        add_device(over, site, words->items[0], 0);
        return;
    }
    for (int i = 0; i < ATX_RANK_GPUS; i++)
        if (atx_ranks_serves(over->ranks, rank, i) && is_wanted(words, i))
            add_device(over, site, NULL, i);
}

at_status atx_over_ranks_plan(atx_over_ranks *over, atx_tune_options *options, const atx_words *words,
                              bool quiet, at_error *err)
{
    at_status status = atx_ranks_gather(over->ranks, err);
    int count = status == AT_OK ? atx_ranks_count(over->ranks) : 0;
    ATX_THEN(status, room_for(over, count, err));
    for (int r = 0; r < count && status == AT_OK; r++)
        if (r == 0 || !atx_ranks_is_gone(over->ranks, r)) {
            int before = over->count;
            add_rank(over, r, words);
            if (!quiet)
                describe(over, r, over->count - before);
        }
    if (status != AT_OK)
        return status;
    if (over->count == 0)
        return atx_fail(err, AT_ERR_DEVICE, "none of %d ranks has a GPU%s: %s", count,
                        words->count ? " that --device names" : "", atx_ranks_no_gpu(over->ranks));
    options->devices = over->devices;
    options->device_count = over->count;
    options->device_places = over->device_places;
    options->places = over->places;
    options->place_count = count;
    return AT_OK;
}

void atx_over_ranks_clear(atx_over_ranks *over)
{
    free(over->devices);
    free(over->ordinals);
    free(over->device_places);
    free(over->places);
}
