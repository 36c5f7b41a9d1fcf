/*
 * embed_images.c - at build time: the built-in templates as they are read (declare/declare_image.h), in the
 * order of their files.
 *
 *     embed_images OUTPUT.c
 *
 * To read them, and to make their hashes, takes a program longer than all else that it does to answer for a
 * problem; they change when a file does.
 */
#include "lang/catalog.h"

#include <stdio.h>
#include <string.h>

/* The program that makes them is linked without. */
const atx_images atx_embedded_images = { .count = 0 };

static const atx_template *find_template(const atx_catalog *catalog, const char *path)
{
    for (int i = 0; i < atx_catalog_op_count(catalog); i++) {
        const atx_op *op = atx_catalog_op(catalog, i);
        for (int k = 0; k < atx_catalog_template_count(catalog, op); k++)
            if (strcmp(atx_catalog_template(catalog, op, k)->text.file, path) == 0)
                return atx_catalog_template(catalog, op, k);
    }
    return NULL; /* an op's file */
}

static void write_links(FILE *file, const atx_str *links)
{
    fprintf(file, "static const uint32_t LINKS[] = {");
    for (size_t i = 0; i < links->len; i += sizeof(uint32_t)) {
        uint32_t link;
        memcpy(&link, links->data + i, sizeof link);
        fprintf(file, "%s%u,", i % 64 ? "" : "\n", link);
    }
    fprintf(file, "\n};\n");
}

/* Whole words of eight bytes, so that they are aligned as structures are. */
static void write_bytes(FILE *file, const char *name, const atx_str *bytes)
{
    fprintf(file, "static const uint64_t %s[] = {", name);
    for (size_t i = 0; i < bytes->len; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes->data + i, bytes->len - i < 8 ? bytes->len - i : 8);
        fprintf(file, word ? "%s0x%llx," : "%s%llu,", i % 64 ? "" : "\n", (unsigned long long)word);
    }
    fprintf(file, "\n};\n");
}

static bool write_all(FILE *file, const atx_catalog *catalog, atx_image_writer *w)
{
    size_t count = 0;
    fprintf(file, "/* Made by templates/embed_images.c from templates/; do not edit. */\n"
                  "#include \"lang/catalog.h\"\n"
                  "static const atx_image OF[] = {\n");
    for (const atx_embedded *e = atx_embedded_files; e->path; e++, count++) {
        atx_image image = { .bytes = 0 };
        const atx_template *t = find_template(catalog, e->path);
        if (t)
            atx_image_write(&image, w, t);
        fprintf(file, "    { %u, %u, %u, %u }, /* %s */\n", image.begin, image.bytes, image.link,
                image.link_count, e->path);
    }
    fprintf(file, "};\n");
    write_bytes(file, "STRUCTURES", &w->structures);
    write_links(file, &w->links);
    write_bytes(file, "FIXED", &w->fixed);
    fprintf(file,
            "_Static_assert(sizeof(atx_template) == %zu, \"the layout is that of the program\");\n"
            "const atx_images atx_embedded_images = { (const unsigned char *)STRUCTURES, LINKS,\n"
            "    (const unsigned char *)FIXED, OF, %zu };\n",
            sizeof(atx_template), count);
    return atx_image_writer_status(w, NULL) == AT_OK && fflush(file) == 0 && !ferror(file);
}

int main(int argc, char **argv)
{
    static atx_image_writer writer;
    atx_catalog *catalog = NULL;
    at_error err = { 0 };
    if (argc != 2) {
        fprintf(stderr, "embed_images OUTPUT.c\n");
        return 2;
    }
    at_status status = atx_catalog_open(&catalog, NULL, &err);
    FILE *file = status == AT_OK ? fopen(argv[1], "w") : NULL;
    bool written = file && write_all(file, catalog, &writer);
    if (file)
        written = fclose(file) == 0 && written;
    if (status != AT_OK)
        fprintf(stderr, "embed_images: %s\n", err.text);
    else if (!written)
        fprintf(stderr, "embed_images: %s: cannot be written\n", argv[1]);
    atx_image_writer_clear(&writer);
    atx_catalog_close(catalog);
    return written ? 0 : 1;
}
