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
    char chunk[65536], text[AT__HASH_TEXT];
    at__sha256 hash;
    ssize_t got;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    at__sha256_init(&hash);
    while (fd >= 0 && (got = read(fd, chunk, sizeof chunk)) > 0)
        at__sha256_add(&hash, chunk, (size_t)got);
    if (fd >= 0)
        close(fd);
    at__sha256_text(&hash, text);
    snprintf(out, size, AT_VERSION " (%.16s)", text);
}

static void describe_gpus(at__rank_info *info)
{
    at_error err = { 0 };
    if (at__device_uuids(info->gpus, &info->gpu_count, AT__RANK_GPUS, NULL, &err) != AT_OK) {
        info->gpu_count = 0;
        snprintf(info->no_gpu, sizeof info->no_gpu, "%.190s", err.text);
    } else if (info->gpu_count == 0)
        snprintf(info->no_gpu, sizeof info->no_gpu, "the driver shows none (CUDA_VISIBLE_DEVICES)");
}

void at__rank_describe(at__rank_info *out)
{
    at__nvrtc *nvrtc = NULL;
    at_error unheard;
    memset(out, 0, sizeof *out); /* it travels as bytes */
    describe_program(out->program, sizeof out->program);
    at__host_name(out->host, sizeof out->host);
    describe_gpus(out);
    if (at__nvrtc_open(&nvrtc, &unheard) == AT_OK)
        snprintf(out->nvrtc, sizeof out->nvrtc, "%s", at__nvrtc_version(nvrtc));
    at__nvrtc_close(nvrtc);
    if (sched_getaffinity(0, sizeof out->cores, &out->cores) != 0)
        CPU_SET(0, &out->cores);
    out->machine_cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
}

void at__rank_write(at__str *body, const at__rank_info *info)
{
    at__put_text(body, info->program);
    at__put_text(body, info->host);
    at__put_bytes(body, info, sizeof *info);
}

bool at__rank_read(at__rank_info *out, at__reader *in, const char *our_program)
{
    size_t len = 0;
    const char *program = at__get_text(in), *host = at__get_text(in);
    memset(out, 0, sizeof *out);
    snprintf(out->program, sizeof out->program, "%s", program);
    snprintf(out->host, sizeof out->host, "%s", host);
    if (strcmp(program, our_program) != 0)
        return false;
    const void *bytes = at__get_bytes(in, &len);
    if (in->bad || len != sizeof *out)
        return false;
    memcpy(out, bytes, len);
    return true;
}

/* ---- sharing ---- */

static int served(const bool owner[AT__RANK_GPUS])
{
    int count = 0;
    for (int i = 0; i < AT__RANK_GPUS; i++)
        count += owner[i];
    return count;
}

/* The rank of fewest GPUs so far among those that see this one; ranks in their order. */
static void give_gpu(bool (*owner)[AT__RANK_GPUS], const at__rank_info *ranks, int count, const char *uuid)
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

static bool seen_before(const at__rank_info *ranks, int rank, int gpu)
{
    for (int r = 0; r <= rank; r++)
        for (int i = 0; i < (r < rank ? ranks[r].gpu_count : gpu); i++)
            if (strcmp(ranks[r].gpus[i], ranks[rank].gpus[gpu]) == 0)
                return true;
    return false;
}

/* Of the cores that ranks of one machine share, each gets its part, the first ones one more. */
static int cores_of(const at__rank_info *ranks, int count, int rank)
{
    int sharing = 0, before = 0, cores = CPU_COUNT(&ranks[rank].cores);
    for (int r = 0; r < count; r++)
        if (strcmp(ranks[r].host, ranks[rank].host) == 0 && CPU_EQUAL(&ranks[r].cores, &ranks[rank].cores)) {
            sharing++;
            before += r < rank;
        }
    return cores / sharing + (before < cores % sharing);
}

void at__rank_share(bool (*owner)[AT__RANK_GPUS], int *workers, const at__rank_info *ranks, int count)
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
