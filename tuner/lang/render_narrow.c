/*
 * render_narrow.c - a kernel for sizes that are arguments but need no more than 32 bits, and for dense
 * buffers: after the parameters, `long long AUTOTUNE_ARG(rows)`, its body begins with constants of their
 * names. Their upper halves are known to be zeros, and a leading dimension is its size, so that the compiler
 * multiplies with one instruction where it would take four, and reads fewer arguments.
 */
#include "lang/render_narrow.h"

#include <string.h>

#define ARG    "AUTOTUNE_ARG("
#define DEFINE "#define "

typedef struct names {
    const char *at[ATX_MAX_ARGS];
    int len[ATX_MAX_ARGS], count;
} names;

static const atx_arg *find_scalar(const atx_op *op, const char *name, int len)
{
    for (int i = 0; i < op->arg_count; i++)
        if (op->args[i].role == ATX_SCALAR && (int)strlen(op->args[i].name) == len &&
            memcmp(op->args[i].name, name, (size_t)len) == 0)
            return &op->args[i];
    return NULL;
}

static bool is_plain(const atx_arg *arg, const char *name)
{
    return arg && arg->type == ATX_I64 && arg->expr && strcmp(atx_expr_text(arg->expr), name) == 0;
}

static bool has(const names *n, const char *name)
{
    for (int i = 0; i < n->count; i++)
        if ((int)strlen(name) == n->len[i] && memcmp(name, n->at[i], strlen(name)) == 0)
            return true;
    return false;
}

/* The argument that is the same number: of a leading dimension, the size that it is of dense buffers. */
static const char *source_of(const atx_op *op, const atx_arg *arg, const names *n)
{
    for (int i = 0; i < op->shape.pitch_count; i++) {
        const atx_pitch *pitch = &op->shape.pitches[i];
        const char *size = op->shape.dims[pitch->dim].name;
        if (strcmp(pitch->name, arg->name) == 0 && is_plain(arg, pitch->name) && has(n, size) &&
            is_plain(find_scalar(op, size, (int)strlen(size)), size))
            return size;
    }
    return arg->name;
}

static void add_constants(atx_str *out, const atx_op *op, const names *n)
{
    for (int i = 0; i < n->count; i++) {
        const atx_arg *arg = find_scalar(op, n->at[i], n->len[i]);
        if (arg && arg->type == ATX_I64)
            atx_str_addf(out, " [[maybe_unused]] const long long %s = (unsigned)autotune_%s;", arg->name,
                         source_of(op, arg, n));
        else
            atx_str_addf(out, " [[maybe_unused]] const auto %.*s = autotune_%.*s;", n->len[i], n->at[i],
                         n->len[i], n->at[i]);
    }
}

static bool is_defined(const char *text, const char *at)
{
    const size_t len = strlen(DEFINE);
    return (size_t)(at - text) >= len && memcmp(at - len, DEFINE, len) == 0;
}

void atx_render_narrow(atx_str *out, const atx_op *op, const char *text)
{
    names n = { .count = 0 };
    const char *from = text;
    for (const char *at = text; *at; at++) {
        const bool is_arg = n.count < ATX_MAX_ARGS && strncmp(at, ARG, strlen(ARG)) == 0 &&
                            !is_defined(text, at) && strchr(at, ')');
        if (!is_arg && !(*at == '{' && n.count))
            continue;
        atx_str_add_bytes(out, from, (size_t)(at - from));
        if (is_arg) {
            n.at[n.count] = at + strlen(ARG);
            n.len[n.count] = (int)strcspn(at + strlen(ARG), ")");
            atx_str_addf(out, "autotune_%.*s", n.len[n.count], n.at[n.count]);
            at += strlen(ARG) + (size_t)n.len[n.count++];
        } else {
            atx_str_add(out, "{");
            add_constants(out, op, &n);
            n.count = 0;
        }
        from = at + 1;
    }
    atx_str_add(out, from);
}
