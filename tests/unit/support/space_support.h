/* space_support.h - spaces from the text of a template of declare_support.h's op, for the tests of spaces. */
#pragma once

#include "declare_support.h"
#include "space/space.h"

typedef struct fixture {
    atx_op *op;
    atx_template *t;
    atx_space *space;
    int64_t slots[ATX_MAX_SLOTS];
} fixture;

static inline at_status try_open(fixture *f, const char *source, const atx_fix *fixes, int fix_count,
                                 at_error *err)
{
    memset(f, 0, sizeof *f);
    f->op = read_op(MINI_OP);
    f->t = read_template(f->op, source);
    bind_problem(f->slots, f->op, 64, 64);
    return atx_space_open(&f->space, f->t, f->slots, fixes, fix_count, err);
}

static inline fixture open_space(const char *source)
{
    fixture f;
    at_error err = { 0 };
    cr_assert_eq(try_open(&f, source, NULL, 0, &err), AT_OK, "%s", err.text);
    return f;
}

static inline void close_space(fixture *f)
{
    atx_space_close(f->space);
    atx_template_close(f->t);
    atx_op_close(f->op);
}

static inline at_status open_error(const char *source, at_error *err)
{
    fixture f;
    at_status status = try_open(&f, source, NULL, 0, err);
    close_space(&f);
    return status;
}

/* How many parameters have another value. */
static inline int64_t differing(const atx_template *t, const atx_config *a, const atx_config *b)
{
    int64_t count = 0;
    for (int i = 0; i < t->scope.param_count; i++)
        count += a->values[i] != b->values[i];
    return count;
}
