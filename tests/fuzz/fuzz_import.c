/*
 * fuzz_import.c - any bytes as files of another tuner: a recording, and behind the first NUL byte a second
 * file. What is read can be stored.
 */
#include "exchange/import.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* A file in memory; its path. */
static int make_file(char *path, size_t room, const void *data, size_t size)
{
    int fd = memfd_create("fuzz", 0);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, room, "/proc/self/fd/%d", fd);
    return fd;
}

static void store(const atx_import *import)
{
    atx_store *into = NULL;
    at_error err = { 0 };
    require(atx_store_open_memory(&into, &err) == AT_OK);
    for (size_t i = 0; i < import->count; i++) {
        at_status status = import->items[i].count ? atx_import_store(&import->items[i], into, &err) : AT_OK;
        require(status == AT_OK || err.status == AT_ERR_INPUT);
    }
    atx_store_close(into);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = memchr(data, 0, size);
    size_t first = zero ? (size_t)(zero - data) : size;
    char paths[2][64];
    const char *const list[] = { paths[0], paths[1] };
    int fds[2] = { -1, -1 };
    const atx_import_options options = { .name = "fuzzed", .device = "none" };
    atx_import import = { 0 };
    at_error err = { 0 };

    fds[0] = make_file(paths[0], sizeof paths[0], data, first);
    if (zero)
        fds[1] = make_file(paths[1], sizeof paths[1], zero + 1, size - first - 1);
    if (atx_import_read(&import, list, zero ? 2 : 1, &options, &err) == AT_OK)
        store(&import);
    else
        require(err.text[0] != '\0');
    atx_import_clear(&import);
    close(fds[0]);
    if (zero)
        close(fds[1]);
    return 0;
}
