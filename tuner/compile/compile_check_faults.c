/*
 * compile_check_faults.c - merges equal failures: one cause of one template is reported once, with every
 * configuration, architecture and type that it affects.
 */
#include "compile/compile_check_faults.h"

#include "util/sha256.h"
#include "util/str.h"

#include <stdlib.h>
#include <string.h>

typedef struct atx_fault {
    atx_fault_source from; /* the first that was handed out */
    char key[ATX_HASH_TEXT];
    char *config, *log; /* likewise */
    int64_t kernels;
    size_t place; /* as it was added: decides where nothing was handed out between two */
    enum atx_fault_kind kind;
} atx_fault;

/* The same line is wrong for every architecture and type. */
static void make_key(char key[ATX_HASH_TEXT], const atx_fault_source *from, const char *cause)
{
    atx_sha256 h;
    const char *name = from->t ? from->t->name : "";
    atx_sha256_init(&h);
    atx_sha256_add(&h, from->op->name, strlen(from->op->name) + 1);
    atx_sha256_add(&h, name, strlen(name) + 1);
    atx_sha256_add(&h, cause, strlen(cause));
    atx_sha256_text(&h, key);
}

static at_status take_texts(atx_fault *f, const char *config, const char *log, at_error *err)
{
    char *own_config = atx_text_copy(config, strlen(config)), *own_log = atx_text_copy(log, strlen(log));
    if (!own_config || !own_log) {
        free(own_config);
        free(own_log);
        return atx_no_memory(err);
    }
    free(f->config);
    free(f->log);
    f->config = own_config;
    f->log = own_log;
    return AT_OK;
}

/* One more of a cause that is known. */
static at_status join(atx_fault *f, const atx_fault_source *from, const char *config, const char *log,
                      at_error *err)
{
    f->kernels++;
    if (from->order >= f->from.order)
        return AT_OK;
    f->from = *from;
    return take_texts(f, config, log, err);
}

at_status atx_faults_add(atx_faults *faults, const atx_fault_source *from, const char *config,
                         const char *cause, const char *log, enum atx_fault_kind kind, at_error *err)
{
    atx_fault f = { .from = *from, .kernels = 1, .kind = kind, .place = faults->count };
    make_key(f.key, from, cause);
    for (size_t i = 0; i < faults->count; i++)
        if (strcmp(faults->items[i].key, f.key) == 0)
            return join(&faults->items[i], from, config, log, err);
    if (!atx_grow(&faults->items, &faults->cap, faults->count, sizeof *faults->items))
        return atx_no_memory(err);
    ATX_TRY(take_texts(&f, config, log, err));
    faults->items[faults->count++] = f;
    return AT_OK;
}

bool atx_faults_has(const atx_faults *faults, const atx_template *t, enum atx_fault_kind kind)
{
    for (size_t i = 0; i < faults->count; i++)
        if (faults->items[i].kind == kind && faults->items[i].from.t == t)
            return true;
    return false;
}

static int by_order(const void *a, const void *b)
{
    const atx_fault *x = a, *y = b;
    return x->from.order != y->from.order ? (x->from.order > y->from.order) - (x->from.order < y->from.order)
                                          : (x->place > y->place) - (x->place < y->place);
}

void atx_faults_tell(atx_faults *faults, const atx_compile_check_row *rows, size_t row_count,
                     const atx_compile_check_options *options)
{
    if (faults->count)
        qsort(faults->items, faults->count, sizeof *faults->items, by_order);
    for (size_t row = 0; row < row_count; row++)
        for (size_t i = 0; i < faults->count; i++) {
            const atx_fault *f = &faults->items[i];
            const atx_compile_check_fault told = {
                .row = &rows[row], .config = f->config, .log = f->log, .kernels = f->kernels, .kind = f->kind
            };
            if (f->from.row == row)
                options->fault(options->context, &told);
        }
}

void atx_faults_clear(atx_faults *faults)
{
    for (size_t i = 0; i < faults->count; i++) {
        free(faults->items[i].config);
        free(faults->items[i].log);
    }
    free(faults->items);
    *faults = (atx_faults){ .count = 0 };
}
