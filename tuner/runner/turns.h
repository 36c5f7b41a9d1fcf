/*
 * turns.h - two runs on one device would disturb each other's times, so all autotune runners of a device
 * take turns, request by request, whoever started them.
 *
 * Whoever waits for the device stands in the door, so that a run with a full queue cannot overtake it for
 * ever. One thread uses an atx_turns.
 */
#ifndef AUTOTUNE_TURNS_H
#define AUTOTUNE_TURNS_H

#include <stdbool.h>
#include <stddef.h>

#define ATX_TURNS_FOLDER "/tmp" /* one that all users of a machine share */

typedef struct atx_turns {
    int door, device; /* descriptors of the files that are locked; -1: none, and no turns are taken */
} atx_turns;

/* false: no turns can be taken, and why[0..size) says why. Closing is right either way. */
bool atx_turns_open(atx_turns *out, const char *folder, const char *uuid, char *why, size_t size);
void atx_turns_close(atx_turns *turns);

/* Begins a turn if the device is free, else takes a place in the door if nobody is there. */
bool atx_turns_try(const atx_turns *turns);

/* Begins a turn, after all that are before. */
void atx_turns_wait(const atx_turns *turns);
void atx_turns_end(const atx_turns *turns);

#endif
