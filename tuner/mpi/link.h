/*
 * link.h - messages between the ranks of an MPI job, independent of MPI.
 *
 * The binary interface differs between MPIs, so the code for each is a module of its own,
 * autotune-mpi-NAME.so (link_mpi.c), opened only by a program that mpirun or srun has started: the program
 * and its library link no MPI, its children load none, and one build serves both of Debian's.
 *
 * One thread makes all calls, from begin to end.
 */
#pragma once

#include <stdbool.h>

#define ATX_LINK_VERSION 1
#define ATX_LINK_SYMBOL  "atx_mpi_link"

enum { ATX_LINK_NOT_YET, ATX_LINK_DONE, ATX_LINK_FAILED };

typedef struct atx_link {
    int version; /* ATX_LINK_VERSION; other versions may differ in the rest */

    /* Returns NULL, or what went wrong. */
    const char *(*begin)(int *rank, int *size);

    /* Begins to send; `bytes` must stay until `sent` has said that it is done. *request is opaque. */
    int (*send)(int to, const void *bytes, int count, void **request);
    int (*sent)(void **request);

    /* Whether a message has come, from whom, and how long it is; then it must be taken. */
    int (*arrived)(int *from, int *count);
    int (*take)(int from, void *bytes, int count);

    void (*end)(void);       /* all ranks together */
    void (*abort)(int code); /* when some are gone; may return */
} atx_link;
