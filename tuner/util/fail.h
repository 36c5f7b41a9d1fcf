/* fail.h - how our own code fills an at_error. */
#pragma once

#include <autotune/status.h>

#if defined(__GNUC__)
#define AT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define AT_PRINTF(text, first)
#endif

/* Fills *err (when not NULL) and returns status, so that it can end a function. Long texts are cut. */
at_status atx_fail(at_error *err, at_status status, const char *format, ...) AT_PRINTF(3, 4);

/* "out of memory"; returns AT_ERR_MEMORY. */
at_status atx_no_memory(at_error *err);

/* The next step of several: left out unless all steps before it went well. */
#define ATX_THEN(status, ...) ((status) = (status) == AT_OK ? (__VA_ARGS__) : (status))
