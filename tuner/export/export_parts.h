/*
 * export_parts.h - the parts of an exported CUDA file. Private to export*.c.
 */
#ifndef AUTOTUNE_EXPORT_PARTS_H
#define AUTOTUNE_EXPORT_PARTS_H

#include "export/export.h"

typedef struct at__launcher {
    const at__op *op;
    const at__template *t;
    const at__problem *problem;
    const int64_t *slots;
    const at__geometry *geometry;
    const char *name, *kernel; /* what is exported, and its kernel: their own names, for linking several */
} at__launcher;

/* "float", "T": the type of a buffer's elements in the file; and "const " before it for what is only read. */
const char *at__export_element(const at__arg *arg);
const char *at__export_qualifier(const at__arg *arg);

/*
 * "out, in, 1LL, 4096LL": what a kernel of this name, defined in *out already, is passed: `count` of the op's
 * arguments by their index, or, where `args` is NULL, the first so many. Buffers by their name, or, numbered,
 * as buffers[i] cast; cast to what the kernel takes where that is another pointer.
 */
at_status at__export_arguments(at__str *out, const at__launcher *l, const char *kernel, const int *args,
                               int count, bool numbered, at_error *err) AT_MUST_CHECK;

at_status at__export_main(at__str *out, const at__launcher *l, const at__export_input *in,
                          at_error *err) AT_MUST_CHECK;

/* The comment at the head of a file; one line of it. */
void at__export_about(at__str *out, const at__export_input *in, const char *title);
void at__export_comment(at__str *out, const char *label, const char *text);

/* The same of a sentence, in as many lines as it needs. */
void at__export_sentence(at__str *out, const char *label, const char *text);

#endif
