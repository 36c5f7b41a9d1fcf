/*
 * pool_frames.h - the messages between a pool and its workers. Private to pool.c and pool_worker.c.
 *
 * A worker sends READY once NVRTC is open, then a RESULT for each JOB; FAILED ends it all.
 */
#pragma once

enum { READY = 1, JOB, RESULT, FAILED };
