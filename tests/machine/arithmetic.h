/*
 * arithmetic.h - single instructions on operands that matter: their PTX, what goes in, and what the machine
 * makes of it. Shared by the test that compares with what a device gave, and by the program that asks a
 * device.
 */
#pragma once

#include "util/fail.h"
#include "util/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { MOST_OPERANDS = 3, THREADS_OF_A_BLOCK = 128 };

/* One kind of register: so many of them side by side. */
typedef struct place {
    char type[12];
    int count, bytes; /* of one: 2, 4 or 8 */
} place;

/* "add.rn.f32 f32 = f32 f32": a row of arithmetic.txt. */
typedef struct row {
    char text[160], instruction[96], literals[40];
    bool approximate;
    place out, in[MOST_OPERANDS];
    int in_count;
    int64_t threads; /* on how many operands it is tried */
} row;

/* Of a line; false: it has none. Ends the program where it is not understood. */
bool row_read(row *out, const char *line);

/* A module whose entry `k` takes addresses: of the result, then of each operand. */
void row_ptx(atx_str *out, const row *r);

/* All threads' operands of one slot, side by side; free it. */
unsigned char *row_operand(const row *r, int slot);

int64_t row_bytes(const row *r, const place *p); /* of all threads */

/* What the machine gives; free it. AT_ERR_INPUT: it does not know the instruction, or found something. */
at_status row_on_machine(unsigned char **out, const row *r, at_error *err) AT_MUST_CHECK;

/*
 * How far results are from one another, in units of the last place of `wanted`, the most over all threads: 0
 * where all are the same or both not a number. Infinite where one is infinite or not a number and the other
 * is not.
 */
double row_apart(const row *r, const unsigned char *got, const unsigned char *wanted, bool *same_bits);

/* Of results, 16 digits; one not-a-number is as good as another, as the ISA does not say which. */
void row_hash(char out[17], const row *r, const unsigned char *bytes);
