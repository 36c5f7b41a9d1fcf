/* watched.c - polling: a handful of files, a few times a second, on any file system. */
#include "cli/watched.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 3 };

static uint64_t mix(uint64_t hash, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t mix_file(uint64_t hash, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return mix(hash, "gone", 4);
    hash = mix(hash, &info.st_mtim.tv_sec, sizeof info.st_mtim.tv_sec);
    hash = mix(hash, &info.st_mtim.tv_nsec, sizeof info.st_mtim.tv_nsec);
    hash = mix(hash, &info.st_ino, sizeof info.st_ino);
    return mix(hash, &info.st_size, sizeof info.st_size);
}

/* Entries come in any order, so their numbers are added. */
static uint64_t state_of_folder(const char *dir, int depth)
{
    uint64_t sum = 0;
    struct dirent *entry;
    DIR *open = opendir(dir);
    while (open && (entry = readdir(open)) != NULL) {
        char path[4096];
        struct stat info;
        int n = snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        if (entry->d_name[0] == '.' || n < 0 || (size_t)n >= sizeof path || stat(path, &info) != 0)
            continue;
        if (S_ISDIR(info.st_mode))
            sum += depth < MAX_DEPTH ? state_of_folder(path, depth + 1) : 0;
        else
            sum += mix_file(mix(1, path, strlen(path)), path);
    }
    if (open)
        closedir(open);
    return sum;
}

uint64_t atx_watched_state(const atx_template *t, const char *dir)
{
    uint64_t hash = dir ? state_of_folder(dir, 0) : 0;
    for (int i = 0; t && i < t->text.part_count; i++)
        hash = mix_file(hash, t->text.parts[i].file);
    return hash;
}
