/* library_run_support.h - calls of at_run on the driver that takes notes (fake_driver.h). */
#pragma once

#include "library_support.h"

#include <stdint.h>
#include <string.h>

static inline void *at_address(uintptr_t address)
{
    return (void *)address;
}

static inline at_status run_at(at_tuner *tuner, at_problem problem, uintptr_t out, uintptr_t in,
                               at_error *err)
{
    const at_buffer buffers[] = { { at_address(out), 0 }, { at_address(in), 0 } };
    return at_run(tuner, &problem, buffers, 2, at_address(0x77), NULL, err);
}

/* A place for matrices up to 32 MiB. */
enum { OUT = 0x10000000, IN = 0x20000000 };

static inline void run_or_skip(at_tuner *tuner, at_problem problem)
{
    at_error err = { 0 };
    at_status status = run_at(tuner, problem, OUT, IN, &err);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
}
