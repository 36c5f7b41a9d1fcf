/*
 * replay.c - runs a fuzz target over the files of its corpus, and over each of them cut short at every length
 * and with single bytes changed, so that plain builds exercise it too. Argument: the corpus folder.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In memory of exactly that size, so that a sanitizer sees any byte too far. */
static void run_part(const char *data, size_t size)
{
    uint8_t *part = malloc(size ? size : 1);
    if (!part)
        abort();
    if (size)
        memcpy(part, data, size);
    LLVMFuzzerTestOneInput(part, size);
    free(part);
}

static void run_variants(char *data, size_t size)
{
    static const char BYTES[] = { '\0', '\n', '\\', '(', '-', '9', '#', '"', (char)0xff };
    size_t step = size / 500 + 1;

    run_part(data, size);
    for (size_t i = 0; i < size; i += step) {
        char kept = data[i];
        run_part(data, i);
        data[i] = BYTES[i % sizeof BYTES];
        run_part(data, size);
        data[i] = kept;
    }
}

static int run_file(const char *folder, const char *name)
{
    char path[4096];
    atx_str text = { 0 };
    at_error err = { 0 };

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (atx_str_read_file(&text, path, (size_t)1 << 22, &err) != AT_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    if (text.data)
        run_variants(text.data, text.len);
    atx_str_clear(&text);
    return 0;
}

int main(int argc, char **argv)
{
    struct dirent *found;
    int files = 0, failed = 0;
    DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
    if (!dir) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    while ((found = readdir(dir)) != NULL) {
        if (found->d_name[0] == '.')
            continue;
        failed |= run_file(argv[1], found->d_name);
        files++;
    }
    closedir(dir);
    printf("%d files\n", files);
    return failed || files == 0;
}
