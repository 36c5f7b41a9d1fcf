/* runner.h - the process that has the GPU; the supervisor starts it (device/device_runner.c). */
#pragma once

#include "device/runner_wire.h"

/*
 * The main loop of a runner process: serves ATX_CHILD_FD until it closes. `ordinal` is a device, or
 * ATX_COUNT_DEVICES to say how many there are and end. `show_all`: the driver shows the other GPUs too
 * (hide.h). Returns the exit code.
 */
int atx_runner_main(int ordinal, bool show_all);
