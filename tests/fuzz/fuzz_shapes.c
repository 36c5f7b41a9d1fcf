/* fuzz_shapes.c - any bytes as a shapes file: a problem list that reads back as itself, or a message. */
#include "lang/shapes.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* "op shape type", one a line. */
static void write_back(at__str *out, const at__shapes *shapes)
{
    for (size_t i = 0; i < shapes->count; i++) {
        at__str shape = { 0 };
        at__problem_shape(&shape, &shapes->problems[i]);
        at__str_addf(out, "%s %s %s\n", shapes->problems[i].op->name, at__str_text(&shape),
                     at__dtype_name(shapes->problems[i].type));
        at__str_clear(&shape);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static at__catalog *catalog; /* opened once, for speed */
    at__shapes shapes = { 0 }, again = { 0 };
    at__str text = { 0 }, text_again = { 0 };
    at_error err = { 0 };

    if (!catalog)
        require(at__catalog_open(&catalog, NULL, &err) == AT_OK);
    if (at__shapes_parse(&shapes, (const char *)data, size, "fuzz", catalog, NULL, &err) != AT_OK) {
        require(err.status == AT_ERR_INPUT && err.text[0] && shapes.count == 0);
        return 0;
    }
    write_back(&text, &shapes);
    require(at__shapes_parse(&again, text.data, text.len, "again", catalog, NULL, &err) == AT_OK);
    write_back(&text_again, &again);
    require(again.count == shapes.count);
    for (size_t i = 0; i < text.len; i++)
        require(text.data[i] == text_again.data[i]);
    at__str_clear(&text);
    at__str_clear(&text_again);
    at__shapes_clear(&shapes);
    at__shapes_clear(&again);
    return 0;
}
