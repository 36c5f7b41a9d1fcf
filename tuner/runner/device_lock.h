/*
 * device_lock.h - all autotune runners of a device take turns, request by request, for all users: two
 * runs on one device would disturb each other's times.
 *
 * A runner that waits for the device holds a second lock, the door, so that a run with a full queue cannot
 * overtake it for ever. One thread uses an atx_device_lock.
 *
 * The two files of a device are empty and stay: a run that removed them could not know whether another one
 * waits at them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define ATX_DEVICE_LOCK_FOLDER "/tmp" /* one that all users of a machine share */

typedef struct atx_device_lock {
    int door, device; /* descriptors of the files that are locked; -1: none, and no turns are taken */
} atx_device_lock;

/* false: no turns can be taken, and why[0..size) says why. Closing is right either way. */
bool atx_device_lock_open(atx_device_lock *out, const char *folder, const char *uuid, char *why, size_t size);
void atx_device_lock_close(atx_device_lock *self);

/* Begins a turn if the device is free, else takes the place in the door if it is free. */
bool atx_device_lock_try(const atx_device_lock *self);

/* Begins a turn, after all that are before. */
void atx_device_lock_wait(const atx_device_lock *self);
void atx_device_lock_end(const atx_device_lock *self);
