/*
 * compile_check_faults.c - kernels that fail alike are told once: one cause of one template, for every
 * configuration, architecture and type that it hits.
 */
#include "compile/compile_check_faults.h"

#include "util/sha256.h"
#include "util/str.h"

#include <stdlib.h>
#include <string.h>

typedef struct at__fault {
    at__fault_source from; /* the first */
    char key[AT__HASH_TEXT];
    char *config, *log; /* likewise */
    int64_t kernels;
    enum at__fault_kind kind;
} at__fault;

/* The same line is wrong for every architecture and type. */
static void make_key(char key[AT__HASH_TEXT], const at__fault_source *from, const char *cause)
{
    at__sha256 h;
    const char *name = from->t ? from->t->name : "";
    at__sha256_init(&h);
    at__sha256_add(&h, from->op->name, strlen(from->op->name) + 1);
    at__sha256_add(&h, name, strlen(name) + 1);
    at__sha256_add(&h, cause, strlen(cause));
    at__sha256_text(&h, key);
}

at_status at__faults_add(at__faults *faults, const at__fault_source *from, const char *config,
                         const char *cause, const char *log, enum at__fault_kind kind, at_error *err)
{
    at__fault f = { .from = *from, .kernels = 1, .kind = kind };
    make_key(f.key, from, cause);
    for (size_t i = 0; i < faults->count; i++)
        if (strcmp(faults->items[i].key, f.key) == 0) {
            faults->items[i].kernels++;
            return AT_OK;
        }
    f.config = at__text_copy(config, strlen(config));
    f.log = at__text_copy(log, strlen(log));
    if (!f.config || !f.log ||
        !at__grow(&faults->items, &faults->cap, faults->count, sizeof *faults->items)) {
        free(f.config);
        free(f.log);
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    }
    faults->items[faults->count++] = f;
    return AT_OK;
}

bool at__faults_has(const at__faults *faults, const at__template *t, enum at__fault_kind kind)
{
    for (size_t i = 0; i < faults->count; i++)
        if (faults->items[i].kind == kind && faults->items[i].from.t == t)
            return true;
    return false;
}

void at__faults_tell(const at__faults *faults, const at__compile_check_row *rows, size_t row_count,
                     const at__compile_check_options *options)
{
    for (size_t row = 0; row < row_count; row++)
        for (size_t i = 0; i < faults->count; i++) {
            const at__fault *f = &faults->items[i];
            const at__compile_check_fault told = {
                .row = &rows[row], .config = f->config, .log = f->log, .kernels = f->kernels, .kind = f->kind
            };
            if (f->from.row == row)
                options->fault(options->context, &told);
        }
}

void at__faults_clear(at__faults *faults)
{
    for (size_t i = 0; i < faults->count; i++) {
        free(faults->items[i].config);
        free(faults->items[i].log);
    }
    free(faults->items);
    *faults = (at__faults){ .count = 0 };
}
