/*
 * declare_image.h - templates that have been read, as bytes inside the program: reading the declarations of
 * all templates of an op would take longer than the rest of a first answer.
 *
 * An image has the structures of one template, with offsets in place of pointers, and a list of these. Texts,
 * values and the code of expressions hold no pointers; all images share them, and they are used in place. The
 * image is made on the machine that builds the program, by the same compiler, with the layout of the
 * structures.
 */
#pragma once

#include "declare/declare.h"

typedef struct atx_image {
    uint32_t begin, bytes;     /* of the structures, the template first, among those of all */
    uint32_t link, link_count; /* words of them that are pointers, among those of all       */
} atx_image;

typedef struct atx_images {
    const unsigned char *structures; /* of all; each at a multiple of 8                       */
    const uint32_t *links;           /* where a word is, from where its structures begin      */
    const unsigned char *fixed;      /* the constant data that they point to                  */
    const atx_image *of;             /* in the order of atx_embedded_files; of an op 0 bytes  */
    size_t count;
} atx_images;

/* Makes images. Zero it before the first. */
typedef struct atx_image_writer {
    atx_str structures, links, fixed;
    size_t begin; /* of the present one */
    struct {
        const char *text;
        size_t at;
    } kept[512]; /* texts of the present one, which may be pointed to more than once */
    int kept_count;
} atx_image_writer;

void atx_image_write(atx_image *out, atx_image_writer *w, const atx_template *t);
at_status atx_image_writer_status(const atx_image_writer *w, at_error *err);
void atx_image_writer_clear(atx_image_writer *w);

/* A template as it was read. Borrows the op and the images. */
at_status atx_image_load(atx_template **out, const atx_op *op, const atx_images *images, size_t i,
                         at_error *err) AT_MUST_CHECK;
