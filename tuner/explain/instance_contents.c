/* instance_contents.c - see instance_contents.h. */
#include "explain/instance_contents.h"

#include "declare/data.h"
#include "util/regular.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void fill_bits(unsigned char *to, int64_t bytes, uint64_t seed)
{
    for (int64_t i = 0; i < bytes; i += 8) {
        const uint64_t word = atx_random(seed, (uint64_t)i / 8);
        memcpy(to + i, &word, bytes - i < 8 ? (size_t)(bytes - i) : 8);
    }
}

at_status atx_instance_load(unsigned char *to, const atx_data_file *from, int64_t bytes, at_error *err)
{
    FILE *file = NULL;
    at_status status = atx_regular_open(&file, NULL, from->path, err);
    if (status != AT_OK)
        return status;
    if (fseeko(file, from->at, SEEK_SET) != 0)
        status = atx_fail(err, AT_ERR_INPUT, "%s: %s", from->path, strerror(errno));
    else if (fread(to, 1, (size_t)bytes, file) != (size_t)bytes)
        status = atx_fail(err, AT_ERR_INPUT, "%s: found its end; expected %lld bytes of data", from->path,
                          (long long)bytes);
    fclose(file);
    return status;
}

at_status atx_instance_fill(unsigned char *to, const atx_buffer *b, uint64_t seed, at_error *err)
{
    atx_filling filling = b->filling;
    filling.other = seed + (uint64_t)(int64_t)b->goes_with;
    const int each = atx_number_bytes(b->number);
    const uint64_t numbers = (uint64_t)(b->bytes / each);
    if (b->data.path[0])
        return atx_instance_load(to, &b->data, b->bytes, err);
    if (b->how == ATX_BITS)
        fill_bits(to, b->bytes, seed);
    else
        for (uint64_t i = 0; i < numbers; i++)
            atx_set_bits(to, i, each, atx_generate(i, numbers, b->number, b->how, &filling, seed));
    return AT_OK;
}
