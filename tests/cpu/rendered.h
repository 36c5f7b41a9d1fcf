/*
 * rendered.h - rendered texts on their way into a C++ file: what the generators share.
 */
#ifndef CPU_RENDERED_H
#define CPU_RENDERED_H

#include "space/space.h"

#include <stdio.h>

enum { MAX_PICKS = 8 };

/* Few multiprocessors: small shapes are large enough for kernels that take turns. */
extern const at__limits cpu_limits;

/* One generated file. Zero is empty. */
typedef struct file {
    at__str body, rows;
    char **texts; /* rendered sources in this file */
    size_t text_count, text_cap;
    size_t row_count;
    bool constant_sizes; /* of the next cases, where the template has them so */
} file;

/* Ends the program with the error's text where the status is one. */
void must(at_status status, const at_error *err);

/*
 * The number of this text's kernels, over all files; writes their namespace where this file does not have the
 * text yet. In it the functions `names` are called kernel_NUMBER, kernel_NUMBER_1, ..., since C names cannot
 * be in several namespaces; shared() gives the dynamic shared memory.
 */
size_t add_kernels(file *f, const char *text, const char *const *names, int count, int64_t shared_bytes);

/* Sizes that the text has as constants become arguments, as they are of large problems: then problems share
 * kernels, and compiling those is what takes long. */
void pass_sizes(at__str *text);

/* Which configurations are tried: the first, the last, the default, so many at random, at most MAX_PICKS.
 * Returns how many. */
int pick(int64_t picks[MAX_PICKS], const at__space *space, int random, at__rng *rng);

/* FOLDER/NAME.cpp: header, the texts, then `table`. */
void write_generated(const file *f, const char *folder, const char *name, const char *table);
void file_clear(file *f);

#endif
