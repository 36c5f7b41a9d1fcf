/* instance_contents.c - see instance_contents.h. */
#include "explain/instance_contents.h"

#include "declare/placed.h"
#include "device/columns.h"
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
    if (b->data.path[0])
        return atx_instance_load(to, &b->data, b->bytes, err);
    if (b->how == ATX_BITS && !b->column_count) {
        fill_bits(to, b->bytes, seed);
        return AT_OK;
    }
    memset(to, 0, (size_t)b->bytes);
    for (int k = 0; k < atx_column_count(b); k++) {
        atx_numbers n = atx_column_at(b, k);
        n.filling.other = seed + (uint64_t)(int64_t)b->goes_with;
        for (uint64_t i = 0; i < (uint64_t)n.count; i++)
            atx_set_placed(to, i, n.how,
                           atx_generate(i, (uint64_t)n.count, atx_how_number(n.how), atx_how_rule(n.how),
                                        &n.filling, atx_column_seed(seed, k)));
    }
    return AT_OK;
}
