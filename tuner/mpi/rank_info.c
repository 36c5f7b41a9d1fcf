/* rank_info.c - see rank_info.h. */
#include "mpi/rank_info.h"

#include "compile/nvrtc.h"
#include "device/device.h"
#include "util/sha256.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The file that runs, also when another one has its name by now. */
static void describe_program(char *out, size_t size)
{
    char chunk[65536], text[ATX_HASH_TEXT];
    atx_sha256 hash;
    ssize_t got;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    atx_sha256_init(&hash);
    while (fd >= 0 && (got = read(fd, chunk, sizeof chunk)) > 0)
        atx_sha256_add(&hash, chunk, (size_t)got);
    if (fd >= 0)
        close(fd);
    atx_sha256_text(&hash, text);
    snprintf(out, size, AT_VERSION " (%.16s)", text);
}

static void describe_gpus(atx_rank_info *info)
{
    at_error err = { 0 };
    if (atx_device_uuids(info->gpus, &info->gpu_count, ATX_RANK_GPUS, NULL, &err) != AT_OK) {
        info->gpu_count = 0;
        snprintf(info->no_gpu, sizeof info->no_gpu, "%.190s", err.text);
    } else if (info->gpu_count == 0)
        snprintf(info->no_gpu, sizeof info->no_gpu, "the driver shows none (CUDA_VISIBLE_DEVICES)");
}

void atx_rank_describe(atx_rank_info *out)
{
    ATX_CLOSED(atx_nvrtc) *nvrtc = NULL;
    at_error ignored;
    memset(out, 0, sizeof *out); /* it travels as bytes */
    describe_program(out->program, sizeof out->program);
    atx_host_name(out->host, sizeof out->host);
    describe_gpus(out);
    if (atx_nvrtc_open(&nvrtc, &ignored) == AT_OK)
        snprintf(out->nvrtc, sizeof out->nvrtc, "%s", atx_nvrtc_version(nvrtc));
    if (sched_getaffinity(0, sizeof out->cores, &out->cores) != 0)
        CPU_SET(0, &out->cores);
    out->machine_cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
}

void atx_rank_write(atx_str *body, const atx_rank_info *info)
{
    atx_put_text(body, info->program);
    atx_put_text(body, info->host);
    atx_put_bytes(body, info, sizeof *info);
}

bool atx_rank_read(atx_rank_info *out, atx_reader *in, const char *our_program)
{
    size_t len = 0;
    const char *program = atx_get_text(in), *host = atx_get_text(in);
    memset(out, 0, sizeof *out);
    snprintf(out->program, sizeof out->program, "%s", program);
    snprintf(out->host, sizeof out->host, "%s", host);
    if (strcmp(program, our_program) != 0)
        return false;
    const void *bytes = atx_get_bytes(in, &len);
    if (in->bad || len != sizeof *out)
        return false;
    memcpy(out, bytes, len);
    return true;
}

/* ---- sharing ---- */

static int served(const bool owner[ATX_RANK_GPUS])
{
    int count = 0;
    for (int i = 0; i < ATX_RANK_GPUS; i++)
        count += owner[i];
    return count;
}

/* The rank of fewest GPUs so far among those that see this one; ranks in their order. */
static void give_gpu(bool (*owner)[ATX_RANK_GPUS], const atx_rank_info *ranks, int count, const char *uuid)
{
    int best = -1, index = 0;
    for (int r = 0; r < count; r++)
        for (int i = 0; i < ranks[r].gpu_count; i++)
            if (strcmp(ranks[r].gpus[i], uuid) == 0 && (best < 0 || served(owner[r]) < served(owner[best]))) {
                best = r;
                index = i;
            }
    owner[best][index] = true;
}

static bool seen_before(const atx_rank_info *ranks, int rank, int gpu)
{
    for (int r = 0; r <= rank; r++)
        for (int i = 0; i < (r < rank ? ranks[r].gpu_count : gpu); i++)
            if (strcmp(ranks[r].gpus[i], ranks[rank].gpus[gpu]) == 0)
                return true;
    return false;
}

/* Of the cores that ranks of one machine share, each gets its part, the first ones one more. */
static int cores_of(const atx_rank_info *ranks, int count, int rank)
{
    int sharing = 0, before = 0, cores = CPU_COUNT(&ranks[rank].cores);
    for (int r = 0; r < count; r++)
        if (strcmp(ranks[r].host, ranks[rank].host) == 0 && CPU_EQUAL(&ranks[r].cores, &ranks[rank].cores)) {
            sharing++;
            before += r < rank;
        }
    return cores / sharing + (before < cores % sharing);
}

void atx_rank_share(bool (*owner)[ATX_RANK_GPUS], int *workers, const atx_rank_info *ranks, int count)
{
    for (int r = 0; r < count; r++) {
        bool compiles = ranks[r].nvrtc[0] && strcmp(ranks[r].nvrtc, ranks[0].nvrtc) == 0;
        workers[r] = compiles ? cores_of(ranks, count, r) : 0;
        memset(owner[r], 0, sizeof owner[r]);
    }
    for (int r = 0; r < count; r++)
        for (int i = 0; i < ranks[r].gpu_count; i++)
            if (!seen_before(ranks, r, i))
                give_gpu(owner, ranks, count, ranks[r].gpus[i]);
}
