/* hangs.h - limits of every test; see hangs.c. */
#pragma once

/* Seconds after which a test that names no `.timeout` counts as hung: the machine may be busy, sanitizers are
 * slow. */
#define TEST_LIMIT_S 480

/*
 * For a test's own process, at its start: it ends with the process that waits for it, and, with each that it
 * starts, once it has used up more processor time than any test needs.
 */
void limit_this_process(void);
