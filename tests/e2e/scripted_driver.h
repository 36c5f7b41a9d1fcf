/* scripted_driver.h - a libcuda.so.1 that computes on the CPU, and behaves as script.h says. */
#pragma once

/* For tests that hold the driver in their own process: a new script, calls counted from zero. */
void scripted_start(const char *script);

/* How many calls there were since; of one name, or of all (NULL). */
long scripted_calls(const char *name);

/* The name of the n-th (from 1) of them; NULL: there were fewer, or more than are kept. */
const char *scripted_call(long n);

/*
 * How kernels of this name (NULL: the driver's own copy) found their output (0) and input (1) aligned: the
 * sum of the largest powers of two, 256 at most, that divide an address; each counts once.
 */
long scripted_alignments(const char *name, int buffer);

/* How often these bytes are in the device's memory. */
long scripted_places(const void *bytes, unsigned long len);

/* Device memory that is allocated now, and modules that are loaded. */
long scripted_bytes(void);
long scripted_modules(void);
