/*
 * embed_hashes.c - at build time: the hashes of the built-in templates, in the order of their files.
 *
 *     embed_hashes OUTPUT.c
 *
 * A hash is of all the text that a template stands for, common code too. To make them takes a program longer
 * than all else that it does to answer for a problem; they change when a file does.
 */
#include "lang/catalog.h"

#include <stdio.h>
#include <string.h>

/* The program that makes them is linked without. */
const char at__embedded_hashes[1][AT__HASH_TEXT] = { "" };
const size_t at__embedded_hash_count = 0;

/* "" for an op's file. */
static const char *hash_of(const at__catalog *catalog, const char *path)
{
    for (int i = 0; i < at__catalog_op_count(catalog); i++) {
        const at__op *op = at__catalog_op(catalog, i);
        for (int k = 0; k < at__catalog_template_count(catalog, op); k++)
            if (strcmp(at__catalog_template(catalog, op, k)->file, path) == 0)
                return at__catalog_template(catalog, op, k)->hash;
    }
    return "";
}

static bool write_hashes(FILE *file, const at__catalog *catalog)
{
    size_t count = 0;
    fprintf(file, "/* Made by templates/embed_hashes.c from templates/; do not edit. */\n"
                  "#include \"lang/catalog.h\"\n"
                  "const char at__embedded_hashes[][AT__HASH_TEXT] = {\n");
    for (const at__embedded *e = at__embedded_files; e->path; e++, count++)
        fprintf(file, "    \"%s\", /* %s */\n", hash_of(catalog, e->path), e->path);
    fprintf(file, "};\nconst size_t at__embedded_hash_count = %zu;\n", count);
    return fflush(file) == 0 && !ferror(file);
}

int main(int argc, char **argv)
{
    at__catalog *catalog = NULL;
    at_error err = { 0 };
    if (argc != 2) {
        fprintf(stderr, "embed_hashes OUTPUT.c\n");
        return 2;
    }
    at_status status = at__catalog_open(&catalog, NULL, &err);
    FILE *file = status == AT_OK ? fopen(argv[1], "w") : NULL;
    bool written = file && write_hashes(file, catalog);
    if (file)
        written = fclose(file) == 0 && written;
    if (status != AT_OK)
        fprintf(stderr, "embed_hashes: %s\n", err.text);
    else if (!written)
        fprintf(stderr, "embed_hashes: %s: cannot be written\n", argv[1]);
    at__catalog_close(catalog);
    return written ? 0 : 1;
}
