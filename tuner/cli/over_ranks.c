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
    at__warn(text);
}

static bool names_shard(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--shard") == 0 || strncmp(argv[i], "--shard=", 8) == 0)
            return true;
    return false;
}

/* What concerns all is told once, by rank 0. */
static int complain_as(int rank, const at_error *err)
{
    if (rank == 0 || err->status == AT_ERR_SYSTEM)
        return at__complain(err);
    return err->status == AT_ERR_CANCELLED ? AT__EXIT_INTERRUPTED : AT__EXIT_USAGE;
}

int at__over_ranks_begin(at__ranks **ranks, bool *served, int argc, char **argv)
{
    at_error err = { 0 };
    at__launched launched;
    const at__ranks_options options = { .cancel = &at__cancel_requested, .tell = tell };
    *served = false;
    if (names_shard(argc, argv) || !at__launched_find(&launched))
        return AT__EXIT_OK;
    if (launched.rank > 0)
        at__process_take_time(); /* rank 0 says when it is over */
    at_status status = at__ranks_begin(ranks, served, &options, &err);
    if (status == AT_OK)
        return AT__EXIT_OK;
    int code = complain_as(launched.rank, &err);
    at__ranks_end(*ranks, code);
    *ranks = NULL;
    return code;
}

static bool is_wanted(const at__words *words, int ordinal)
{
    if (words->count == 0 || (words->count == 1 && strcmp(words->items[0], "all") == 0))
        return true;
    for (int i = 0; i < words->count; i++)
        if (strtol(words->items[i], NULL, 10) == ordinal)
            return true;
    return false;
}

static at_status room_for(at__over_ranks *over, int ranks, at_error *err)
{
    size_t most = (size_t)ranks * AT__RANK_GPUS;
    over->devices = calloc(most, sizeof *over->devices);
    over->ordinals = calloc(most, sizeof *over->ordinals);
    over->device_places = calloc(most, sizeof(at__site *));
    over->places = calloc((size_t)ranks, sizeof *over->places);
    if (over->devices && over->ordinals && over->device_places && over->places)
        return AT_OK;
    return at_fail(err, AT_ERR_MEMORY, "out of memory for %d ranks", ranks);
}

static void add_device(at__over_ranks *over, at__site *site, const char *spec, int ordinal)
{
    int i = over->count++;
    snprintf(over->ordinals[i], sizeof over->ordinals[i], "%d", ordinal);
    over->devices[i] = spec ? spec : over->ordinals[i];
    over->device_places[i] = site;
}

static void describe(const at__over_ranks *over, int rank, int devices)
{
    int workers = over->places[rank].workers;
    at__print(stderr, "%s: %d device%s, %d compile worker%s\n", at__ranks_name(over->ranks, rank), devices,
              devices == 1 ? "" : "s", workers, workers == 1 ? "" : "s");
}

static void add_rank(at__over_ranks *over, int rank, const at__words *words)
{
    at__site *site = at__ranks_place(over->ranks, rank);
    over->places[rank] = (at__tune_place){ site, at__ranks_workers(over->ranks, rank) };
    if (words->count == 1 && at__device_is_replay(words->items[0])) {
        add_device(over, site, words->items[0], 0);
        return;
    }
    for (int i = 0; i < AT__RANK_GPUS; i++)
        if (at__ranks_serves(over->ranks, rank, i) && is_wanted(words, i))
            add_device(over, site, NULL, i);
}

at_status at__over_ranks_plan(at__over_ranks *over, at__tune_options *options, const at__words *words,
                              bool quiet, at_error *err)
{
    at_status status = at__ranks_gather(over->ranks, err);
    int count = status == AT_OK ? at__ranks_count(over->ranks) : 0;
    if (status == AT_OK)
        status = room_for(over, count, err);
    for (int r = 0; r < count && status == AT_OK; r++)
        if (r == 0 || !at__ranks_is_gone(over->ranks, r)) {
            int before = over->count;
            add_rank(over, r, words);
            if (!quiet)
                describe(over, r, over->count - before);
        }
    if (status != AT_OK)
        return status;
    if (over->count == 0)
        return at_fail(err, AT_ERR_DEVICE, "none of %d ranks has a GPU%s: %s", count,
                       words->count ? " that --device names" : "", at__ranks_no_gpu(over->ranks));
    options->devices = over->devices;
    options->device_count = over->count;
    options->device_places = over->device_places;
    options->places = over->places;
    options->place_count = count;
    return AT_OK;
}

void at__over_ranks_clear(at__over_ranks *over)
{
    free(over->devices);
    free(over->ordinals);
    free(over->device_places);
    free(over->places);
}
