/*
 * ptx_token.c - operations of all readers of a module: fail at a place, take the next token, allocate memory
 * that the module owns.
 */
#include "ptx/ptx_internal.h"

#include "util/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *source_file(const atx_ptx_parser *p)
{
    const atx_ptx_module *m = &p->out->module;
    return p->file >= 0 && p->file < m->file_count && m->files[p->file] ? m->files[p->file] : NULL;
}

bool atx_ptx_refuse(atx_ptx_parser *p, const atx_ptx_token *at, const char *format, ...)
{
    char text[400], source[300] = "";
    va_list args;
    if (p->status != AT_OK)
        return false;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (p->function >= 0 && p->line > 0)
        snprintf(source, sizeof source, source_file(p) ? " (source %s:%d)" : " (source line %.0s%d)",
                 source_file(p) ? source_file(p) : "", p->line);
    p->status = atx_fail(p->err, AT_ERR_INPUT, "PTX:%d:%d: %s%s", at->line, at->column, text, source);
    return false;
}

bool atx_ptx_no_memory(atx_ptx_parser *p)
{
    if (p->status == AT_OK)
        p->status = atx_fail(p->err, AT_ERR_MEMORY, "out of memory for a kernel's PTX");
    return false;
}

void atx_ptx_advance(atx_ptx_parser *p)
{
    atx_ptx_next_token(&p->token, &p->lexer);
}

bool atx_ptx_is(const atx_ptx_token *t, atx_ptx_token_kind kind, const char *text)
{
    return t->kind == kind && (size_t)t->len == strlen(text) && memcmp(t->text, text, (size_t)t->len) == 0;
}

bool atx_ptx_is_sign(const atx_ptx_parser *p, char sign)
{
    return p->token.kind == ATX_TOKEN_SIGN && *p->token.text == sign;
}

bool atx_ptx_take_sign(atx_ptx_parser *p, char sign)
{
    if (!atx_ptx_is_sign(p, sign))
        return false;
    atx_ptx_advance(p);
    return true;
}

bool atx_ptx_unexpected(atx_ptx_parser *p, const char *wanted)
{
    if (p->token.kind == ATX_TOKEN_END)
        return atx_ptx_refuse(p, &p->token, "the text ends; expected %s", wanted);
    return atx_ptx_refuse(p, &p->token, "found '%.*s'; expected %s", p->token.len > 60 ? 60 : p->token.len,
                          p->token.text, wanted);
}

bool atx_ptx_expect_sign(atx_ptx_parser *p, char sign)
{
    const char wanted[] = { '\'', sign, '\'', '\0' };
    return atx_ptx_take_sign(p, sign) || atx_ptx_unexpected(p, wanted);
}

bool atx_ptx_expect_number(int64_t *out, atx_ptx_parser *p)
{
    const bool minus = atx_ptx_take_sign(p, '-');
    if (p->token.kind != ATX_TOKEN_NUMBER || p->token.real_bits)
        return atx_ptx_unexpected(p, "a whole number");
    *out = minus ? (int64_t)(0 - (uint64_t)p->token.value) : p->token.value;
    atx_ptx_advance(p);
    return true;
}

void *atx_ptx_own_bytes(atx_ptx_parser *p, size_t bytes)
{
    atx_ptx_module_owned *o = p->out;
    char *made =
        atx_grow(&o->owned, &o->owned_cap, o->owned_count, sizeof *o->owned) ? calloc(1, bytes + 1) : NULL;
    if (made)
        o->owned[o->owned_count++] = made;
    else
        atx_ptx_no_memory(p);
    return made;
}

char *atx_ptx_own(atx_ptx_parser *p, const char *text, size_t len)
{
    char *made = atx_ptx_own_bytes(p, len);
    if (made)
        memcpy(made, text, len);
    return made;
}

atx_ptx_function *atx_ptx_current(atx_ptx_parser *p)
{
    return &p->out->module.functions[p->function];
}
