/* fuzz_adopt.c - any text as a file with kernels: a draft comes of it, or a message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/adopt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at__adopted out;
    char *text = at__text_copy((const char *)data, size); /* exact: a sanitizer sees one byte beyond */
    const at__adopt_input in = { .text = text, .path = "k.cu", .source = "../k.cu" };
    if (text && at__adopt(&out, &in, NULL) == AT_OK) {
        if (!out.name[0] || !strstr(at__str_text(&out.op), "/*!autotune\nop ") || out.questions < 5)
            abort();
        at__adopted_clear(&out);
    }
    free(text);
    return 0;
}
