/* instance_need.c - see instance_need.h. */
#include "explain/instance_need.h"

#include "tune/setup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Copies of each buffer: what it begins with, what a candidate has, and what it has once more where shared
 * memory holds other bits. Of what a kernel may write also the right answer, and the shadow, of 12 bytes and
 * a bit.
 */
enum { COPIES = 3, OF_WRITTEN = 14, OVERHEAD = 16 << 20 };

at_status atx_instance_need(int64_t *bytes, const atx_problem *problem, const int64_t *slots, at_error *err)
{
    atx_setup setup = { 0 };
    double need = OVERHEAD;
    at_status status = atx_setup_describe(&setup, problem, slots, err);
    for (int i = 0; i < setup.buffer_count && status == AT_OK; i++) {
        const atx_buffer *b = &setup.buffers[i];
        need += (double)b->bytes * (b->role == ATX_INPUT ? COPIES : COPIES + OF_WRITTEN);
    }
    *bytes = need < 9e18 ? (int64_t)need : INT64_MAX;
    return status;
}

/* The number behind a word at the begin of a line; -1: there is none. `word` NULL: the file's only one. */
static int64_t number_in(const char *path, const char *word)
{
    char line[300];
    int64_t found = -1;
    FILE *file = fopen(path, "re");
    while (file && found < 0 && fgets(line, sizeof line, file)) {
        const size_t len = word ? strlen(word) : 0;
        if (!word || strncmp(line, word, len) == 0)
            found = sscanf(line + len, "%" SCNd64, &found) == 1 ? found : -1;
    }
    if (file)
        fclose(file);
    return found;
}

/* What a group has in use and gives back on demand: the cache of files, however recently they
 * were read, and what the kernel keeps of names and inodes. */
static int64_t reclaimable(const char *stat)
{
    static const char *const WORDS[] = { "inactive_file ", "active_file ", "slab_reclaimable " };
    int64_t sum = 0;
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        const int64_t found = number_in(stat, WORDS[i]);
        sum += found > 0 ? found : 0;
    }
    return sum;
}

int64_t atx_group_memory(const char *folder)
{
    static const char *const NAMES[][3] = {
        { "memory.max", "memory.current", "memory.stat" },
        { "memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat" },
    };
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        char paths[3][200];
        for (int k = 0; k < 3; k++)
            snprintf(paths[k], sizeof paths[k], "%s/%s", folder, NAMES[i][k]);
        const int64_t most = number_in(paths[0], NULL), used = number_in(paths[1], NULL);
        if (most < 0 || used < 0)
            continue;
        const int64_t held = used - reclaimable(paths[2]), left = most - (held > 0 ? held : 0);
        least = left < least ? left : least;
    }
    return least > 0 ? least : 0;
}

int64_t atx_memory_available(void)
{
    const int64_t of_machine = number_in("/proc/meminfo", "MemAvailable:"),
                  of_group = atx_group_memory("/sys/fs/cgroup");
    const int64_t bytes = of_machine < 0 ? INT64_MAX : of_machine * 1024;
    return bytes < of_group ? bytes : of_group;
}
