/*
 * machine_fragment.h - how the matrices of mma and wmma lie in the registers of a warp.
 * Private to machine*.c.
 *
 * `shape` is m, n and k of the instruction; `each`, how many elements a register holds. For mma this is what
 * the ISA says. It leaves open where wmma has them: here, as in mma of the same blocks of 8 rows and columns,
 * a fragment with more registers than it needs once more from the start.
 */
#pragma once

#include "machine/machine_internal.h"

/* Row and column of an element: the `element` mod `each` of register `element` / `each` of a lane. */
typedef void atx_fragment_place(int at[2], const uint16_t shape[3], int each, int lane, int element);
atx_fragment_place atx_fragment_a, atx_fragment_b, atx_fragment_c;

/* Elements of `type` in a register. */
int atx_fragment_each(int type);
/* Whether `op` has factors of this type in this shape. */
bool atx_fragment_is_known(int op, int type, const uint16_t shape[3]);
