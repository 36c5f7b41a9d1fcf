/*
 * turns.h - two runs on one device would disturb each other's times, so all autotune runners of a device
 * take turns, request by request, whoever started them.
 *
 * Whoever waits for the device stands in the door, so that a run with a full queue cannot overtake it for
 * ever. One thread uses an at__turns.
 */
#ifndef AUTOTUNE_TURNS_H
#define AUTOTUNE_TURNS_H

#include <stdbool.h>
#include <stddef.h>

#define AT__TURNS_FOLDER "/tmp" /* one that all users of a machine share */

typedef struct at__turns {
    int door, device; /* descriptors of the files that are locked; -1: none, and no turns are taken */
} at__turns;

/* false: no turns can be taken, and why[0..size) says why. Closing is right either way. */
bool at__turns_open(at__turns *out, const char *folder, const char *uuid, char *why, size_t size);
void at__turns_close(at__turns *turns);

/* Begins a turn if the device is free, else takes a place in the door if nobody is there. */
bool at__turns_try(const at__turns *turns);

/* Begins a turn, after all that are before. */
void at__turns_wait(const at__turns *turns);
void at__turns_end(const at__turns *turns);

#endif
