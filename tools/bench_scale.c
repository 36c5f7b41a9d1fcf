/*
 * bench_scale.c - what 1 to 1,024 GPUs make of a list of problems, or of one large space, by simulation.
 */
#include "bench_made_up.h"
#include "scale_sim.h"
#include "util/options.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_GPUS 8192

static const atx_usage USAGE = {
    "bench_scale [options] [FILE...]",
    "Simulates tuning the problems of recordings (or, with --made-up, one of the folder's spaces, whose "
    "times "
    "are\nmade up) on many GPUs, and prints how long it takes, what is found, and what the GPUs wait for.",
};

static void print_result(const scale_result *r, int gpus, double alone_s)
{
    printf("| %d | %.1f | %.1f | %.0f %% | %lld | %.2f %% | %.1f %% | %.0f %% | %.0f %% | %.0f %% | %.0f %% "
           "| %.0f "
           "%% | %.0f %% |\n",
           gpus, r->wall_s, alone_s / r->wall_s, 100 * alone_s / r->wall_s / gpus, (long long)r->trials,
           100 * r->loss, 100 * r->worst, 100 * r->busy, 100 * r->setup, 100 * r->starved, 100 * r->idle,
           100 * r->thread, 100 * r->supervisor);
    fflush(stdout);
}

static at_status run_all(const scale_settings *set, const atx_bench_space *spaces, size_t count, int64_t most,
                         at_error *err)
{
    scale_result r = { 0 }, first = { 0 };
    at_status status = AT_OK;
    puts("| GPUs | s | times | efficiency | trials | loss | worst | measuring | opening | waiting | nothing "
         "to "
         "do | strategy | supervisor |\n"
         "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (int gpus = 1; gpus <= most && status == AT_OK; gpus *= set->step) {
        status = scale_simulate(&r, set, spaces, count, gpus, err);
        if (gpus == 1)
            first = r;
        if (status == AT_OK)
            print_result(&r, gpus, first.wall_s);
    }
    return status;
}

/* ---- the program ---- */

static at_status run_made_up(scale_settings *set, const char *dir, const char *name, int64_t most,
                             at_error *err)
{
    atx_bench_space space = { .search = { .spaces = NULL } };
    atx_catalog *catalog = NULL;
    at_status status = atx_made_up_open(&space, &catalog, dir, name, err);
    set->problems = set->problems ? set->problems : 1;
    if (status == AT_OK)
        status = run_all(set, &space, 1, most, err);
    atx_made_up_close(&space, catalog);
    return status;
}

static at_status run_recorded(scale_settings *set, const char *dir, const atx_words *files, int64_t most,
                              at_error *err)
{
    atx_bench_spaces spaces = { 0 };
    at_status status = atx_bench_spaces_open(&spaces, dir, err);
    spaces.built_in = set->hints;
    for (int i = 0; i < files->count && status == AT_OK; i++)
        status = atx_bench_spaces_read(&spaces, files->items[i], 100, err);
    if (status == AT_OK && !spaces.count)
        status = atx_fail(err, AT_ERR_USAGE, "expected recordings with spaces of 100 configurations or more");
    set->problems = set->problems ? set->problems : (int64_t)spaces.count;
    if (status == AT_OK)
        status = run_all(set, spaces.items, spaces.count, most, err);
    atx_bench_spaces_close(&spaces);
    return status;
}

int main(int argc, char **argv)
{
    scale_settings set = {
        .cores = 16, .message_us = 100, .start_ms = 700, .next_ms = 200, .setup_ms = 30, .remeasure_ms = 560
    };
    atx_words files = { 0 };
    const char *dir = NULL, *made_up = NULL, *name = "model";
    int64_t most = 1024, per_mille = 5, noise = 0, step = 2;
    bool help = false;
    at_error err = { 0 };
    const atx_option TABLE[] = {
        { "--gpus", ATX_OPT_COUNT, "N", "1, 2, 4 ... up to N of them (default 1024)", &most },
        { "--step", ATX_OPT_COUNT, "N", "from one number of GPUs to the next: times N (default 2)", &step },
        { "--problems", ATX_OPT_COUNT, "N", "so many, of the recordings' in turn (default: each once)",
          &set.problems },
        { "--made-up", ATX_OPT_TEXT, "SPACE", "one space of the folder, with times that are made up",
          &made_up },
        { "--strategy", ATX_OPT_TEXT, "NAME", "default model", &name },
        { "--max-trials", ATX_OPT_COUNT, "N", "of a problem (default: until the strategy ends)",
          &set.max_trials },
        { "--worth", ATX_OPT_COUNT, "N", "end when something better by 2 N per mille is unlikely (default 5)",
          &per_mille },
        { "--noise", ATX_OPT_COUNT, "N", "trials have noise of N per mille, and some are disturbed", &noise },
        { "--cores", ATX_OPT_COUNT, "N", "that compile, of each GPU (default 16)", &set.cores },
        { "--message-us", ATX_OPT_COUNT, "N", "of the supervisor, a trial or compilation (default 100)",
          &set.message_us },
        { "--start-ms", ATX_OPT_COUNT, "N", "of the first device, and the end of all (default 1000)",
          &set.start_ms },
        { "--next-ms", ATX_OPT_COUNT, "N", "from one device's start to the next one's (default 200)",
          &set.next_ms },
        { "--setup-ms", ATX_OPT_COUNT, "N", "until a device has opened a problem (default 30)",
          &set.setup_ms },
        { "--remeasure-ms", ATX_OPT_COUNT, "N", "of a re-measurement (default 560)", &set.remeasure_ms },
        { "--hints", ATX_OPT_FLAG, NULL,
          "begin with what the built-in model expects, and what won for the recording's other shapes",
          &set.hints },
        { "--seed", ATX_OPT_COUNT, "N", "default 0", &set.seed },
        { "--templates", ATX_OPT_TEXT, "DIR", "where the spaces are declared", &dir },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    at_status status = atx_options_parse(TABLE, argc, argv, &files, &help, &err);
    if (status == AT_OK && help) {
        atx_str page = { 0 };
        atx_options_help(&page, &USAGE, TABLE, 110);
        fputs(atx_str_text(&page), stdout);
        atx_str_clear(&page);
        return 0;
    }
    set.step = (int)(step < 2 ? 2 : step);
    set.worth = (double)per_mille / 1000;
    set.noise = (double)noise / 1000;
    set.strategy = atx_strategy_find(name);
    if (status == AT_OK && !set.strategy)
        status = atx_fail(&err, AT_ERR_USAGE, "no strategy is called %s", name);
    if (status == AT_OK && (most < 1 || most > MOST_GPUS || set.cores < 1))
        status = atx_fail(&err, AT_ERR_USAGE, "--gpus: expected 1 to %d; --cores: 1 or more", MOST_GPUS);
    if (status == AT_OK)
        status = made_up ? run_made_up(&set, dir, made_up, most, &err)
                         : run_recorded(&set, dir, &files, most, &err);
    if (status != AT_OK)
        fprintf(stderr, "bench_scale: %s\n", err.text);
    return status == AT_OK ? 0 : 1;
}
