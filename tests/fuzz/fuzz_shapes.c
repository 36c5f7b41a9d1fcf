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
static void write_back(atx_str *out, const atx_shapes *shapes)
{
    for (size_t i = 0; i < shapes->count; i++) {
        atx_str shape = { 0 };
        atx_problem_shape(&shape, &shapes->problems[i]);
        atx_str_addf(out, "%s %s %s\n", shapes->problems[i].op->name, atx_str_text(&shape),
                     atx_dtype_name(shapes->problems[i].type));
        atx_str_clear(&shape);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static atx_catalog *catalog; /* opened once, for speed */
    atx_shapes shapes = { 0 }, again = { 0 };
    atx_str text = { 0 }, text_again = { 0 };
    at_error err = { 0 };

    if (!catalog)
        require(atx_catalog_open(&catalog, NULL, &err) == AT_OK);
    if (atx_shapes_parse(&shapes, (const char *)data, size, "fuzz", catalog, NULL, &err) != AT_OK) {
        require(err.status == AT_ERR_INPUT && err.text[0] && shapes.count == 0);
        return 0;
    }
    write_back(&text, &shapes);
    require(atx_shapes_parse(&again, text.data, text.len, "again", catalog, NULL, &err) == AT_OK);
    write_back(&text_again, &again);
    require(again.count == shapes.count);
    for (size_t i = 0; i < text.len; i++)
        require(text.data[i] == text_again.data[i]);
    atx_str_clear(&text);
    atx_str_clear(&text_again);
    atx_shapes_clear(&shapes);
    atx_shapes_clear(&again);
    return 0;
}
