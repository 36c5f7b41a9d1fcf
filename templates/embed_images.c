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
const at__images at__embedded_images = { .count = 0 };

static const at__template *find_template(const at__catalog *catalog, const char *path)
{
    for (int i = 0; i < at__catalog_op_count(catalog); i++) {
        const at__op *op = at__catalog_op(catalog, i);
        for (int k = 0; k < at__catalog_template_count(catalog, op); k++)
            if (strcmp(at__catalog_template(catalog, op, k)->file, path) == 0)
                return at__catalog_template(catalog, op, k);
    }
    return NULL; /* an op's file */
}

static void write_links(FILE *file, const at__str *links)
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
static void write_bytes(FILE *file, const char *name, const at__str *bytes)
{
    fprintf(file, "static const uint64_t %s[] = {", name);
    for (size_t i = 0; i < bytes->len; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes->data + i, bytes->len - i < 8 ? bytes->len - i : 8);
        fprintf(file, word ? "%s0x%llx," : "%s%llu,", i % 64 ? "" : "\n", (unsigned long long)word);
    }
    fprintf(file, "\n};\n");
}

static bool write_all(FILE *file, const at__catalog *catalog, at__image_writer *w)
{
    size_t count = 0;
    fprintf(file, "/* Made by templates/embed_images.c from templates/; do not edit. */\n"
                  "#include \"lang/catalog.h\"\n"
                  "static const at__image OF[] = {\n");
    for (const at__embedded *e = at__embedded_files; e->path; e++, count++) {
        at__image image = { .bytes = 0 };
        const at__template *t = find_template(catalog, e->path);
        if (t)
            at__image_write(&image, w, t);
        fprintf(file, "    { %u, %u, %u, %u }, /* %s */\n", image.begin, image.bytes, image.link,
                image.link_count, e->path);
    }
    fprintf(file, "};\n");
    write_bytes(file, "STRUCTURES", &w->structures);
    write_links(file, &w->links);
    write_bytes(file, "FIXED", &w->fixed);
    fprintf(file,
            "_Static_assert(sizeof(at__template) == %zu, \"the layout is that of the program\");\n"
            "const at__images at__embedded_images = { (const unsigned char *)STRUCTURES, LINKS,\n"
            "    (const unsigned char *)FIXED, OF, %zu };\n",
            sizeof(at__template), count);
    return at__image_writer_status(w, NULL) == AT_OK && fflush(file) == 0 && !ferror(file);
}

int main(int argc, char **argv)
{
    static at__image_writer writer;
    at__catalog *catalog = NULL;
    at_error err = { 0 };
    if (argc != 2) {
        fprintf(stderr, "embed_images OUTPUT.c\n");
        return 2;
    }
    at_status status = at__catalog_open(&catalog, NULL, &err);
    FILE *file = status == AT_OK ? fopen(argv[1], "w") : NULL;
    bool written = file && write_all(file, catalog, &writer);
    if (file)
        written = fclose(file) == 0 && written;
    if (status != AT_OK)
        fprintf(stderr, "embed_images: %s\n", err.text);
    else if (!written)
        fprintf(stderr, "embed_images: %s: cannot be written\n", argv[1]);
    at__image_writer_clear(&writer);
    at__catalog_close(catalog);
    return written ? 0 : 1;
}
