/*
 * t4.h - trials as T4 results, the JSON that other tuners and their analysis tools read.
 *
 * T4 has no place for a problem: a file holds the trials of one, on one device; the metadata name them. Times
 * are milliseconds. Where trials of several templates are in it, `template` is the first member of a
 * configuration, else it is in the metadata. Repetitions are not kept here: `runtimes` holds the median
 * alone; minimum, spread, what the compiler used and, of a failure, our own word for it are measurements.
 * atx_import_read gives the same trials back.
 */
#pragma once

#include "db/store.h"

/*
 * Writes line by line to `sink`; of the options, op, device and problems choose. AT_ERR_INPUT: they leave
 * several problems or devices. AT_ERR_NOT_FOUND: they leave no trial. Nothing is written then.
 */
at_status atx_t4_write(atx_store *store, const atx_dump_options *options, atx_line_sink *sink, void *context,
                       at_error *err) AT_MUST_CHECK;
