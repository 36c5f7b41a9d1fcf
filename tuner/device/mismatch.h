/* mismatch.h - words about a number of an output that is wrong, on a GPU and on the machine alike. */
#pragma once

#include "device/trial.h"

/* Which element a number is of: an element holds one or two. */
uint64_t atx_mismatch_element(const atx_buffer *buffer, uint64_t number);

/* A number as a user would write it; opaque bytes as their bits. */
void atx_mismatch_number(char *out, size_t size, uint64_t bits, int number);

/* Appends ": found 1.5, expected 2" to `text`; `number`: what the bits are, see declare/data.h. */
void atx_mismatch_add(char *text, size_t size, uint64_t found, uint64_t expected, int number);
