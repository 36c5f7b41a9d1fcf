/*
 * bug.h - how to report that our own code has broken a promise. Three cases, never mixed:
 *
 *   assert         conditions whose violation would corrupt memory or results, and whose check is cheap. On
 *                  in every build, also an optimised one: see CMakeLists.txt. Nothing that came from a file,
 *                  a database, argv, another process or a driver may reach one.
 *   atx_bug        a promise between modules that the caller can be told about (a full queue, a strategy that
 *                  proposes a configuration that does not exist): AT_ERR_INTERNAL, exit code 70.
 *   any other      the user, a file, the device, the system: never for our own mistakes, since it would send
 *   at_status      the user to look for theirs.
 */
#pragma once

#include "util/fail.h"
#include <assert.h>
#include <stdint.h>

/* As atx_fail with AT_ERR_INTERNAL, and the text goes on with the version and a request to report it. */
at_status atx_bug(at_error *err, const char *format, ...) AT_PRINTF(2, 3);

/* A failure's status that came from another process; AT_ERR_INTERNAL for a number that is no failure. */
at_status atx_status_of(int64_t number);
