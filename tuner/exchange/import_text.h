/* import_text.h - files that are no JSON text, as one. Private to import_*.c. */
#pragma once

#include "util/str.h"

/*
 * JSON stays as it is. JSON lines and CSV become an array of objects, in which a line of the file is a line
 * of the text, so that messages name the right one. AT_ERR_INPUT: it is something else, and which command
 * takes that.
 */
at_status atx_import_to_json(atx_str *text, bool *is_csv, const char *path, at_error *err) AT_MUST_CHECK;
