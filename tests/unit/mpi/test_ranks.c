/* What ranks of MPI share: GPUs that several see, cores of one machine, compile workers. */
#include "mpi/rank_info.h"
#include "tune/spread.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static atx_rank_info rank_on(const char *host, int first_core, int cores)
{
    atx_rank_info info = { .machine_cores = 64 };
    snprintf(info.host, sizeof info.host, "%s", host);
    snprintf(info.nvrtc, sizeof info.nvrtc, "13.0");
    for (int i = 0; i < cores; i++)
        CPU_SET((size_t)(first_core + i), &info.cores);
    return info;
}

static void sees(atx_rank_info *info, const char *uuid)
{
    snprintf(info->gpus[info->gpu_count++], ATX_UUID_TEXT, "%s", uuid);
}

static int served(bool (*owner)[ATX_RANK_GPUS], int rank)
{
    int count = 0;
    for (int i = 0; i < ATX_RANK_GPUS; i++)
        count += owner[rank][i];
    return count;
}

Test(ranks, gpus_that_several_ranks_see_are_served_once_and_in_turn)
{
    bool owner[3][ATX_RANK_GPUS];
    int workers[3];
    atx_rank_info ranks[3] = { rank_on("a", 0, 8), rank_on("a", 0, 8), rank_on("b", 0, 8) };
    for (int i = 0; i < 2; i++) {
        sees(&ranks[i], "GPU-1");
        sees(&ranks[i], "GPU-2");
        sees(&ranks[i], "GPU-3");
    }
    sees(&ranks[2], "GPU-4");
    atx_rank_share(owner, workers, ranks, 3);
    cr_assert_eq(served(owner, 0), 2);
    cr_assert_eq(served(owner, 1), 1);
    cr_assert(owner[0][0] && owner[1][1] && owner[0][2] && owner[2][0]);
}

Test(ranks, a_rank_that_sees_a_gpu_of_its_own_serves_that_one)
{
    bool owner[2][ATX_RANK_GPUS];
    int workers[2];
    atx_rank_info ranks[2] = { rank_on("a", 0, 8), rank_on("a", 0, 8) };
    sees(&ranks[0], "GPU-1");
    sees(&ranks[1], "GPU-2");
    atx_rank_share(owner, workers, ranks, 2);
    cr_assert(owner[0][0] && owner[1][0]);
}

Test(ranks, cores_of_one_machine_are_shared_and_those_that_a_rank_is_bound_to_are_its_own)
{
    bool owner[4][ATX_RANK_GPUS];
    int workers[4];
    atx_rank_info ranks[4] = { rank_on("a", 0, 7), rank_on("a", 0, 7), rank_on("b", 0, 4),
                               rank_on("b", 4, 4) };
    atx_rank_share(owner, workers, ranks, 4);
    cr_assert_eq(workers[0], 4);
    cr_assert_eq(workers[1], 3);
    cr_assert_eq(workers[2], 4);
    cr_assert_eq(workers[3], 4);
}

Test(ranks, one_with_another_nvrtc_than_rank_0_compiles_nothing)
{
    bool owner[3][ATX_RANK_GPUS];
    int workers[3];
    atx_rank_info ranks[3] = { rank_on("a", 0, 4), rank_on("b", 0, 4), rank_on("c", 0, 4) };
    snprintf(ranks[1].nvrtc, sizeof ranks[1].nvrtc, "12.9");
    ranks[2].nvrtc[0] = '\0';
    atx_rank_share(owner, workers, ranks, 3);
    cr_assert_eq(workers[0], 4);
    cr_assert_eq(workers[1], 0);
    cr_assert_eq(workers[2], 0);
}

static int count_at(atx_site *const *sites, int count, const atx_site *site)
{
    int at = 0;
    for (int i = 0; i < count; i++)
        at += sites[i] == site;
    return at;
}

/* Two devices on one host with four workers, one on a host with two, and a host that only compiles, with six.
 */
Test(ranks, every_device_has_its_part_of_all_workers_and_first_those_of_its_own_machine)
{
    atx_site second = { .name = "second" }, third = { .name = "third" };
    atx_site *const where[] = { NULL, NULL, &second };
    const atx_tune_place places[] = { { NULL, 4 }, { &second, 2 }, { &third, 6 } };
    const atx_tune_options options = {
        .device_count = 3, .device_places = where, .places = places, .place_count = 3
    };
    int *all = atx_spread_all(&options);
    cr_assert(all);
    for (int d = 0; d < 3; d++) {
        int count = 0;
        atx_site **sites = atx_spread_of(&count, all, &options, d);
        cr_assert_eq(count, 4);
        cr_assert_eq(count_at(sites, count, where[d]), 2, "device %d", d);
        free(sites);
    }
    free(all);
}

Test(ranks, a_device_for_which_no_worker_is_left_has_one_here)
{
    atx_site other = { .name = "other" };
    atx_site *const where[] = { NULL, &other };
    const atx_tune_place places[] = { { NULL, 1 }, { &other, 0 } };
    const atx_tune_options options = {
        .device_count = 2, .device_places = where, .places = places, .place_count = 2
    };
    int count = 0, *all = atx_spread_all(&options);
    atx_site **sites = atx_spread_of(&count, all, &options, 1);
    cr_assert_eq(count, 1);
    cr_assert_null(sites[0]);
    free(sites);
    free(all);
}
