/*
 * pool_parts.h - what a pool (pool.c) and its workers (pool_worker.c) say to each other. Private to pool*.c.
 *
 * A worker sends READY once NVRTC is open and has compiled something, then a RESULT for each JOB; FAILED ends
 * it all.
 */
#ifndef AUTOTUNE_POOL_PARTS_H
#define AUTOTUNE_POOL_PARTS_H

#include "compile/pool.h"

enum { AT__READY_FRAME = 1, AT__JOB_FRAME, AT__RESULT_FRAME, AT__FAILED_FRAME };

#endif
