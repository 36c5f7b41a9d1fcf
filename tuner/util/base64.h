/* base64.h - bytes as text of RFC 4648, for code in JSON. */
#pragma once

#include "util/str.h"

void atx_base64_add(atx_str *out, const void *bytes, size_t count);

/* Adds the bytes of a text. false: it is not one of whole groups of four, padded at its end. */
bool atx_base64_read(atx_str *out, const char *text, size_t len);
