/* fuzz_adopt.c - any text as a file with kernels: a draft comes of it, or a message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/adopt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    atx_adopted out;
    char *text = atx_text_copy((const char *)data, size); /* exact: a sanitizer sees one byte beyond */
    const atx_adopt_input in = { .text = text, .path = "k.cu", .source = "../k.cu" };
    if (text && atx_adopt(&out, &in, NULL) == AT_OK) {
        if (!out.name[0] || !strstr(atx_str_text(&out.op), "/*!autotune\nop ") || out.questions < 5)
            abort();
        atx_adopted_clear(&out);
    }
    free(text);
    return 0;
}
