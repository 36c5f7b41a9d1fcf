/*
 * device_name.h - the user's name for a device, everywhere: a number is an index among the GPUs of this
 * machine, anything else a name. A name is complete, in any case, or whole words of it that no other known
 * device has: "H100" is "NVIDIA H100 80GB HBM3", "H20" is not "NVIDIA H200".
 */
#pragma once

#include "util/fail.h"
#include <stdbool.h>
#include <stddef.h>

#include "util/str.h"

#define ATX_DEVICE_NAME 128

/* Does it begin with ATX_REPLAY_NAME (record.h)? A replay is meant only where what is written begins with
 * "replay". */
bool atx_device_name_is_replay(const char *name);

/* "0", "12": a number without a sign and leading zeros, below 1024. */
bool atx_device_is_index(int *index, const char *text);

/* Different names, in the order of their coming. */
typedef struct atx_device_names {
    char (*items)[ATX_DEVICE_NAME];
    size_t count, cap;
} atx_device_names;
at_status atx_device_names_add(atx_device_names *names, const char *name, at_error *err) AT_MUST_CHECK;
void atx_device_names_clear(atx_device_names *names);

/* Has the name these whole words, one after the other? */
bool atx_device_name_has(const char *name, const char *words);

/* Which of them is meant. NULL: none; *several then tells whether more than one has the words. */
const char *atx_device_names_find(bool *several, const atx_device_names *names, const char *words);

/* The same; AT_ERR_USAGE: none, or several, and *err lists names. `hint` ("": none) follows the list. */
at_status atx_device_names_choose(char out[ATX_DEVICE_NAME], const atx_device_names *names, const char *words,
                                  const char *hint, at_error *err) AT_MUST_CHECK;
