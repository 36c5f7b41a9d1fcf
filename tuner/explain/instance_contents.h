/* instance_contents.h - the contents of buffers, as a runner fills them. Private to instance*.c */
#pragma once

#include "device/trial.h"

/* `bytes` of a file, from where its data begins. */
at_status atx_instance_load(unsigned char *to, const atx_data_file *from, int64_t bytes,
                            at_error *err) AT_MUST_CHECK;

/* By the buffer's declaration: bits, a distribution, a file. */
at_status atx_instance_fill(unsigned char *to, const atx_buffer *buffer, uint64_t seed,
                            at_error *err) AT_MUST_CHECK;
