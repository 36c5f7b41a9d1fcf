/*
 * ptx_symbols.c - names by scope. Symbols are a stack; a hash leads to the innermost of a name. A group of
 * registers, %r<20>, is one symbol: %r17 is looked up whole, then without its digits.
 */
#include "ptx/ptx_parts.h"

#include "util/str.h"

#include <stdlib.h>
#include <string.h>

static int bucket_of(const char *name, int len)
{
    uint32_t h = 2166136261u;
    for (int i = 0; i < len; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    return (int)(h % AT__PTX_BUCKETS);
}

static const at__ptx_symbol *find_exact(const at__ptx_parser *p, const char *name, int len, bool group)
{
    for (int32_t i = p->buckets[bucket_of(name, len)]; i >= 0; i = p->symbols[i].next) {
        const at__ptx_symbol *s = &p->symbols[i];
        if (s->len == len && memcmp(s->name, name, (size_t)len) == 0 &&
            (s->kind == AT__SYMBOL_REGISTERS) == group)
            return s;
    }
    return NULL;
}

const at__ptx_symbol *at__ptx_find(const at__ptx_parser *p, const char *name, int len, int *index)
{
    const at__ptx_symbol *s = find_exact(p, name, len, false);
    if (s) {
        *index = s->index;
        return s;
    }
    int digits = len;
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        digits--;
    for (; digits < len; digits++) {
        if (len - digits > 9 || (name[digits] == '0' && len - digits > 1))
            continue;
        s = find_exact(p, name, digits, true);
        int number = 0;
        for (int i = digits; i < len; i++)
            number = 10 * number + (name[i] - '0');
        if (s && number < s->count) {
            *index = s->index + number;
            return s;
        }
    }
    return NULL;
}

bool at__ptx_declare(at__ptx_parser *p, const at__ptx_token *name, int kind, int index, int count)
{
    const at__ptx_symbol *old = find_exact(p, name->text, name->len, kind == AT__SYMBOL_REGISTERS);
    if (old && old->depth == p->depth)
        return at__ptx_refuse(p, name, "'%.*s' is declared twice", name->len, name->text);
    if (!at__grow(&p->symbols, &p->symbol_cap, p->symbol_count, sizeof *p->symbols))
        return at__ptx_no_memory(p);
    const int bucket = bucket_of(name->text, name->len);
    p->symbols[p->symbol_count] = (at__ptx_symbol){ .name = name->text,
                                                    .len = name->len,
                                                    .kind = kind,
                                                    .index = index,
                                                    .count = count,
                                                    .depth = p->depth,
                                                    .bucket = bucket,
                                                    .next = p->buckets[bucket] };
    p->buckets[bucket] = (int32_t)p->symbol_count++;
    return true;
}

void at__ptx_enter(at__ptx_parser *p)
{
    p->depth++;
}

bool at__ptx_need_label(at__ptx_parser *p, const at__ptx_token *name, int32_t operand, int32_t table,
                        int32_t row)
{
    if (!at__grow(&p->fixups, &p->fixup_cap, p->fixup_count, sizeof *p->fixups))
        return at__ptx_no_memory(p);
    p->fixups[p->fixup_count++] =
        (at__ptx_fixup){ .name = *name, .depth = p->depth, .operand = operand, .table = table, .row = row };
    return true;
}

static void resolve(at__ptx_parser *p, const at__ptx_fixup *f, int index)
{
    at__ptx_function *function = at__ptx_current(p);
    if (f->operand >= 0)
        function->operands[f->operand].index = index;
    else
        function->tables[f->table].targets[f->row] = index;
}

bool at__ptx_leave(at__ptx_parser *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->fixup_count; i++) {
        at__ptx_fixup f = p->fixups[i];
        int index = 0;
        const at__ptx_symbol *s =
            f.depth == p->depth ? at__ptx_find(p, f.name.text, f.name.len, &index) : NULL;
        if (s && s->kind == AT__SYMBOL_LABEL && s->depth == p->depth) {
            resolve(p, &f, index);
            continue;
        }
        if (p->depth == 1)
            return at__ptx_refuse(p, &f.name, "'%.*s' is declared nowhere", f.name.len, f.name.text);
        f.depth = f.depth < p->depth ? f.depth : p->depth - 1;
        p->fixups[kept++] = f;
    }
    p->fixup_count = kept;
    while (p->symbol_count > 0 && p->symbols[p->symbol_count - 1].depth == p->depth) {
        const at__ptx_symbol *s = &p->symbols[--p->symbol_count];
        p->buckets[s->bucket] = s->next;
    }
    p->depth--;
    return true;
}
