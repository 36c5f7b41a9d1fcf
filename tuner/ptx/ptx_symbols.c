/*
 * ptx_symbols.c - names by scope. Symbols are a stack; a hash leads to the innermost of a name. A group of
 * registers, %r<20>, is one symbol: %r17 is looked up whole, then without its digits.
 */
#include "ptx/ptx_internal.h"

#include "util/str.h"

#include <string.h>

static int bucket_of(const char *name, int len)
{
    uint32_t h = 2166136261u;
    for (int i = 0; i < len; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    return (int)(h % ATX_PTX_BUCKETS);
}

static const atx_ptx_symbol *find_exact(const atx_ptx_parser *p, const char *name, int len, bool group)
{
    for (int32_t i = p->buckets[bucket_of(name, len)]; i >= 0; i = p->symbols[i].next) {
        const atx_ptx_symbol *s = &p->symbols[i];
        if (s->len == len && memcmp(s->name, name, (size_t)len) == 0 &&
            (s->kind == ATX_SYMBOL_REGISTERS) == group)
            return s;
    }
    return NULL;
}

const atx_ptx_symbol *atx_ptx_find(const atx_ptx_parser *p, const char *name, int len, int *index)
{
    const atx_ptx_symbol *s = find_exact(p, name, len, false);
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

bool atx_ptx_declare(atx_ptx_parser *p, const atx_ptx_token *name, int kind, int index, int count)
{
    const atx_ptx_symbol *old = find_exact(p, name->text, name->len, kind == ATX_SYMBOL_REGISTERS);
    if (old && old->depth == p->depth)
        return atx_ptx_refuse(p, name, "'%.*s' is declared twice", name->len, name->text);
    if (!atx_grow(&p->symbols, &p->symbol_cap, p->symbol_count, sizeof *p->symbols))
        return atx_ptx_no_memory(p);
    const int bucket = bucket_of(name->text, name->len);
    p->symbols[p->symbol_count] = (atx_ptx_symbol){ .name = name->text,
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

void atx_ptx_enter(atx_ptx_parser *p)
{
    p->depth++;
}

bool atx_ptx_need_label(atx_ptx_parser *p, const atx_ptx_token *name, int32_t operand, int32_t table,
                        int32_t row)
{
    if (!atx_grow(&p->fixups, &p->fixup_cap, p->fixup_count, sizeof *p->fixups))
        return atx_ptx_no_memory(p);
    p->fixups[p->fixup_count++] =
        (atx_ptx_fixup){ .name = *name, .depth = p->depth, .operand = operand, .table = table, .row = row };
    return true;
}

static void resolve(atx_ptx_parser *p, const atx_ptx_fixup *f, int index)
{
    atx_ptx_function *function = atx_ptx_current(p);
    if (f->operand >= 0)
        function->operands[f->operand].index = index;
    else
        function->tables[f->table].targets[f->row] = index;
}

bool atx_ptx_leave(atx_ptx_parser *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->fixup_count; i++) {
        atx_ptx_fixup f = p->fixups[i];
        int index = 0;
        const atx_ptx_symbol *s =
            f.depth == p->depth ? atx_ptx_find(p, f.name.text, f.name.len, &index) : NULL;
        if (s && s->kind == ATX_SYMBOL_LABEL && s->depth == p->depth) {
            resolve(p, &f, index);
            continue;
        }
        if (p->depth == 1)
            return atx_ptx_refuse(p, &f.name, "'%.*s' is declared nowhere", f.name.len, f.name.text);
        f.depth = f.depth < p->depth ? f.depth : p->depth - 1;
        p->fixups[kept++] = f;
    }
    p->fixup_count = kept;
    while (p->symbol_count > 0 && p->symbols[p->symbol_count - 1].depth == p->depth) {
        const atx_ptx_symbol *s = &p->symbols[--p->symbol_count];
        p->buckets[s->bucket] = s->next;
    }
    p->depth--;
    return true;
}
