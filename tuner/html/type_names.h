/* type_names.h - the keys that types are stored under, as users know them. */
#pragma once

/* "f16 (any of 2 bytes)" where types of a size share results, else the key. */
const char *atx_html_type(const char *type_key);

/* "f16", for a command. */
const char *atx_html_plain_type(const char *type_key);
