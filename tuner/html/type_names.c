/* type_names.c - the keys are those of declare/dtype.c. */
#include "html/type_names.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *key, *name, *shown;
} TYPES[] = {
    { "b1", "u8", "u8 (any of 1 byte)" },        { "b2", "f16", "f16 (any of 2 bytes)" },
    { "b4", "f32", "f32 (any of 4 bytes)" },     { "b8", "f64", "f64 (any of 8 bytes)" },
    { "b16", "c128", "c128 (any of 16 bytes)" },
};

const char *atx_html_type(const char *type_key)
{
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (strcmp(type_key, TYPES[i].key) == 0)
            return TYPES[i].shown;
    return type_key;
}

const char *atx_html_plain_type(const char *type_key)
{
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (strcmp(type_key, TYPES[i].key) == 0)
            return TYPES[i].name;
    return type_key;
}
