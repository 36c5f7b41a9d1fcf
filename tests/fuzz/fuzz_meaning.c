/*
 * fuzz_meaning.c - any text is folded, or left as it is. What is folded has the same tokens, so that folding
 * it again changes nothing, or is left: what a joint parted may then look like a trigraph or a marker.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "source/meaning.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char OWN[] = "\xffown\n";
    static const char *const WORDS[] = { "metric", NULL };
    const size_t head = sizeof OWN - 1;
    atx_str once = { 0 }, twice = { 0 }, left = { 0 };
    if (atx_meaning_fold(&once, (const char *)data, size, NULL) && once.len >= head &&
        memcmp(once.data, OWN, head) == 0 && !memchr(once.data + 1, 0xff, once.len - 1) &&
        strncmp(once.data + head, "\xef\xbb\xbf", 3) != 0) { /* a mark at the start would go */
        if (atx_meaning_fold(&twice, once.data + head, once.len - head, NULL) &&
            (twice.len != once.len || memcmp(twice.data, once.data, once.len) != 0))
            abort();
    }
    if (atx_meaning_fold(&left, (const char *)data, size, WORDS) && left.len > once.len)
        abort();
    atx_str_clear(&once);
    atx_str_clear(&twice);
    atx_str_clear(&left);
    return 0;
}
