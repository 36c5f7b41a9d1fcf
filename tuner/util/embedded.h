/* embedded.h - files that are compiled into the program (templates/embed.cmake). */
#pragma once

#include <stddef.h>

/* One file. A table of them ends with a NULL path. */
typedef struct atx_embedded {
    const char *path;          /* "templates/transpose/tile.cu" */
    const unsigned char *data; /* terminated */
    size_t len;
} atx_embedded;

extern const atx_embedded atx_embedded_host[]; /* templates/host/host.cuh: see source/device_headers.h */
