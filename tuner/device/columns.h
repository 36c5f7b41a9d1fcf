/*
 * columns.h - the numbers of a buffer, where its elements are structs of several kinds of them: those of one
 * field, in all structs, are a column. A buffer of one kind is one column.
 */
#pragma once

#include "device/trial.h"

/* `how` says what the numbers are, where they lie and what they hold (atx_number_place), as
 * atx_generate has it but for the seed of other offsets. */
typedef struct atx_numbers {
    const char *name; /* of the field; "": the buffer is no struct */
    int64_t count;
    uint64_t how;
    atx_filling filling;
} atx_numbers;

int atx_column_count(const atx_buffer *buffer);
atx_numbers atx_column_at(const atx_buffer *buffer, int column);

/* The same numbers with another word from bit 8 on: the rule of a check. */
uint64_t atx_column_rule(uint64_t how, int rule);

/* Numbers of all columns. */
int64_t atx_column_numbers(const atx_buffer *buffer);

/* The stream of a column among those of a buffer. */
uint64_t atx_column_seed(uint64_t seed, int column);

/* Whether outputs are compared number by number: with a tolerance, or where there are bytes between numbers.
 */
bool atx_is_by_number(const atx_buffer *buffer);

/* Whether a problem's buffers want this part of the kernels that fill and compare. */
bool atx_check_is_needed(const atx_setup *setup, atx_check_kind part);
