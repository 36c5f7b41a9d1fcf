/*
 * ptx_variables.c - declarations of variables and parameters, with what they begin with.
 */
#include "ptx/ptx_parts.h"

#include "util/str.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_INITIAL = 1 << 26 }; /* bytes; CUDA's constant memory is 2^16, arrays may be larger */

int64_t at__ptx_round_up(int64_t value, int64_t align)
{
    return align > 1 ? (value + align - 1) / align * align : value;
}

bool at__ptx_type_of(int *out, const at__ptx_token *word)
{
    for (int i = AT__PTX_PRED; i < AT__PTX_TYPE_COUNT; i++)
        if (at__ptx_is(word, AT__TOKEN_DOT, at__ptx_type_name(i))) {
            *out = i;
            return true;
        }
    return false;
}

bool at__ptx_space_of(int *out, const at__ptx_token *word)
{
    for (int i = AT__PTX_GLOBAL; i <= AT__PTX_PARAM; i++)
        if (i != AT__PTX_SHARED_CLUSTER && at__ptx_is(word, AT__TOKEN_DOT, at__ptx_space_name(i))) {
            *out = i;
            return true;
        }
    return false;
}

/* What is said once of all variables of a declaration. */
typedef struct kind {
    int space, type, vector;
    int64_t align; /* 0: as the type */
    bool external;
} kind;

static bool read_align(kind *k, at__ptx_parser *p)
{
    const at__ptx_token at = p->token;
    if (!at__ptx_expect_number(&k->align, p))
        return false;
    if (k->align < 1 || k->align > 4096 || (k->align & (k->align - 1)))
        return at__ptx_refuse(p, &at, "an alignment of %lld; expected a power of two up to 4096",
                              (long long)k->align);
    return true;
}

/* `.ptr .global .align 4` of a kernel's parameter tells what it points to: not needed. */
static bool skip_pointer_words(at__ptx_parser *p)
{
    int ignored;
    int64_t number;
    while (p->token.kind == AT__TOKEN_DOT) {
        const bool align = at__ptx_is(&p->token, AT__TOKEN_DOT, "align");
        if (!align && !at__ptx_space_of(&ignored, &p->token))
            return at__ptx_refuse(p, &p->token, "'.%.*s' of a pointer is not known", p->token.len,
                                  p->token.text);
        at__ptx_advance(p);
        if (align && !at__ptx_expect_number(&number, p))
            return false;
    }
    return true;
}

static bool read_kind(kind *k, at__ptx_parser *p)
{
    k->vector = 1;
    for (; p->token.kind == AT__TOKEN_DOT;) {
        const at__ptx_token word = p->token;
        at__ptx_advance(p);
        if (at__ptx_is(&word, AT__TOKEN_DOT, "align")) {
            if (!read_align(k, p))
                return false;
        } else if (at__ptx_is(&word, AT__TOKEN_DOT, "ptr")) {
            if (!skip_pointer_words(p))
                return false;
        } else if (at__ptx_is(&word, AT__TOKEN_DOT, "v2") || at__ptx_is(&word, AT__TOKEN_DOT, "v4"))
            k->vector = word.text[1] - '0';
        else if (!at__ptx_type_of(&k->type, &word) && !at__ptx_space_of(&k->space, &word))
            return at__ptx_refuse(p, &word, "'.%.*s' of a variable is not known", word.len, word.text);
    }
    if (at__ptx_type_bytes(k->type) == 0)
        return at__ptx_refuse(p, &p->token, "a variable without a type that takes memory");
    return true;
}

/* "[4][8]", "[]" */
static bool read_dimensions(at__ptx_variable *v, at__ptx_parser *p)
{
    while (at__ptx_take_sign(p, '[')) {
        int64_t count = 0;
        const at__ptx_token at = p->token;
        if (at__ptx_take_sign(p, ']')) {
            v->bytes = 0;
            continue;
        }
        if (!at__ptx_expect_number(&count, p) || !at__ptx_expect_sign(p, ']'))
            return false;
        if (count < 0 || (count > 0 && v->bytes > ((int64_t)1 << 36) / count))
            return at__ptx_refuse(p, &at, "an array of %lld elements is too large", (long long)count);
        v->bytes *= count;
    }
    return true;
}

/* ---- what a variable begins with ---- */

typedef struct filling {
    int64_t offset;
    size_t patch_cap;
    int variable;
} filling;

static at__ptx_variable *filled(at__ptx_parser *p, const filling *f)
{
    return &p->out->module.variables[f->variable];
}

static bool put_number(at__ptx_parser *p, filling *f, const at__ptx_token *t, bool minus)
{
    at__ptx_variable *v = filled(p, f);
    const int bytes = at__ptx_type_bytes(v->type);
    uint64_t bits = (uint64_t)t->value;
    if (v->type == AT__PTX_F32 && t->real_bits == 64) {
        double wide;
        memcpy(&wide, &t->value, sizeof wide);
        const float narrow = (float)(minus ? -wide : wide);
        uint32_t word;
        memcpy(&word, &narrow, sizeof word);
        bits = word;
    } else if (minus && t->real_bits)
        bits ^= (uint64_t)1 << (t->real_bits - 1);
    else if (minus)
        bits = 0 - bits;
    if (bytes > 8)
        return at__ptx_refuse(p, t, "values of 128 bits are not known");
    if (f->offset + bytes > v->bytes)
        return at__ptx_refuse(p, t, "more values than '%s' has elements", v->name);
    memcpy(v->initial + f->offset, &bits, (size_t)bytes);
    f->offset += bytes;
    return true;
}

/* name, name + 4, generic(name) + 4 */
static bool put_address(at__ptx_parser *p, filling *f)
{
    const bool generic = at__ptx_is(&p->token, AT__TOKEN_WORD, "generic");
    int index = 0;
    int64_t addend = 0;
    if (generic) {
        at__ptx_advance(p);
        if (!at__ptx_expect_sign(p, '('))
            return false;
    }
    const at__ptx_token name = p->token;
    const at__ptx_symbol *s = at__ptx_find(p, name.text, name.len, &index);
    if (name.kind != AT__TOKEN_WORD || !s || s->kind != AT__SYMBOL_VARIABLE)
        return at__ptx_refuse(p, &name, "'%.*s' is no variable whose address is known", name.len, name.text);
    at__ptx_advance(p);
    if (generic && !at__ptx_expect_sign(p, ')'))
        return false;
    if (at__ptx_take_sign(p, '+') && !at__ptx_expect_number(&addend, p))
        return false;
    at__ptx_variable *v = filled(p, f);
    if (at__ptx_type_bytes(v->type) != 8 || f->offset + 8 > v->bytes)
        return at__ptx_refuse(p, &name, "an address in '%s', which has no place for it", v->name);
    if (!at__grow(&v->patches, &f->patch_cap, (size_t)v->patch_count, sizeof *v->patches))
        return at__ptx_no_memory(p);
    v->patches[v->patch_count++] =
        (at__ptx_patch){ .offset = f->offset, .addend = addend, .variable = index, .generic = generic };
    f->offset += 8;
    return true;
}

static bool put_value(at__ptx_parser *p, filling *f, int depth)
{
    if (at__ptx_is_sign(p, '{')) {
        if (depth > 16)
            return at__ptx_refuse(p, &p->token, "values nested more than 16 deep");
        do {
            at__ptx_advance(p);
            if (at__ptx_is_sign(p, '}'))
                break;
            if (!put_value(p, f, depth + 1))
                return false;
        } while (at__ptx_is_sign(p, ','));
        return at__ptx_expect_sign(p, '}');
    }
    const bool minus = at__ptx_take_sign(p, '-');
    if (p->token.kind == AT__TOKEN_NUMBER) {
        const at__ptx_token number = p->token;
        at__ptx_advance(p);
        return put_number(p, f, &number, minus);
    }
    return put_address(p, f);
}

static bool read_initial(at__ptx_parser *p, int variable)
{
    filling f = { .variable = variable };
    at__ptx_variable *v = filled(p, &f);
    if (v->bytes > MAX_INITIAL)
        return at__ptx_refuse(p, &p->token, "'%s' has more than %d bytes of values", v->name, MAX_INITIAL);
    v->initial = at__ptx_own_bytes(p, (size_t)v->bytes);
    if (!v->initial)
        return false;
    const bool good = put_value(p, &f, 0);
    v = filled(p, &f);
    if (v->patches) { /* the module frees what it owns */
        at__ptx_patch *kept = at__ptx_own_bytes(p, (size_t)v->patch_count * sizeof *kept);
        if (kept)
            memcpy(kept, v->patches, (size_t)v->patch_count * sizeof *kept);
        free(v->patches);
        v->patches = kept;
        v->patch_count = kept ? v->patch_count : 0;
    }
    return good && p->status == AT_OK;
}

/* ---- declarations ---- */

static bool add_variable(int32_t *out, at__ptx_parser *p, const kind *k, const at__ptx_token *name)
{
    at__ptx_module_owned *o = p->out;
    const int bytes = at__ptx_type_bytes(k->type);
    if (name->kind != AT__TOKEN_WORD)
        return at__ptx_refuse(p, name, "found '%.*s'; expected a variable's name", name->len, name->text);
    if (!at__ptx_declare(p, name, AT__SYMBOL_VARIABLE, o->module.variable_count, 1))
        return false;
    if (!at__grow(&o->module.variables, &o->variable_cap, (size_t)o->module.variable_count,
                  sizeof *o->module.variables))
        return at__ptx_no_memory(p);
    const char *copy = at__ptx_own(p, name->text, (size_t)name->len);
    *out = o->module.variable_count;
    o->module.variables[o->module.variable_count++] =
        (at__ptx_variable){ .name = copy,
                            .space = (uint8_t)k->space,
                            .type = (uint8_t)k->type,
                            .external = k->external,
                            .bytes = (int64_t)bytes * k->vector,
                            .align = k->align ? k->align : (int64_t)bytes * k->vector,
                            .function = p->function };
    return copy != NULL;
}

/* Shared variables of an entry lie behind those of the module (ptx_parse.c), which are counted first; local
 * ones, and parameters of calls, in their function's frame. */
static bool lay_out(at__ptx_parser *p, at__ptx_variable *v, const at__ptx_token *name)
{
    int64_t *end = NULL;
    if (v->space == AT__PTX_SHARED && !v->external)
        end = p->function >= 0 && at__ptx_current(p)->is_entry ? &at__ptx_current(p)->shared_bytes
                                                               : &p->out->module.shared_bytes;
    else if (p->function >= 0 && (v->space == AT__PTX_LOCAL || v->space == AT__PTX_PARAM))
        end = &at__ptx_current(p)->local_bytes;
    if (!end)
        return true;
    v->offset = at__ptx_round_up(*end, v->align);
    *end = v->offset + v->bytes;
    return *end <= 1 << 24 ||
           at__ptx_refuse(p, name, "'%s' makes more than 16 MiB of memory of its kind", v->name);
}

bool at__ptx_read_param(at__ptx_parser *p, int32_t *variable)
{
    kind k = { .space = AT__PTX_PARAM };
    if (at__ptx_is(&p->token, AT__TOKEN_DOT, "reg"))
        return at__ptx_refuse(p, &p->token, "parameters in registers are not known");
    if (p->token.kind != AT__TOKEN_DOT)
        return at__ptx_refuse(p, &p->token, "found '%.*s'; expected .param", p->token.len, p->token.text);
    if (!read_kind(&k, p))
        return false;
    const at__ptx_token name = p->token;
    if (!add_variable(variable, p, &k, &name))
        return false;
    at__ptx_advance(p);
    at__ptx_variable *v = &p->out->module.variables[*variable];
    if (!read_dimensions(v, p))
        return false;
    return at__ptx_current(p)->is_entry || lay_out(p, v, &name);
}

bool at__ptx_read_variables(at__ptx_parser *p, bool external)
{
    kind k = { .external = external };
    if (!read_kind(&k, p))
        return false;
    const bool anywhere = k.space == AT__PTX_GLOBAL || k.space == AT__PTX_CONST || k.space == AT__PTX_SHARED;
    if (!anywhere && p->function < 0)
        return at__ptx_refuse(p, &p->token, "a .%s variable outside of a function",
                              at__ptx_space_name(k.space));
    do {
        const at__ptx_token name = p->token;
        int32_t variable = 0;
        if (!add_variable(&variable, p, &k, &name))
            return false;
        at__ptx_advance(p);
        at__ptx_variable *v = &p->out->module.variables[variable];
        if (!read_dimensions(v, p))
            return false;
        v->external = v->external || (k.space == AT__PTX_SHARED && v->bytes == 0);
        if (at__ptx_take_sign(p, '=') && !read_initial(p, variable))
            return false;
        if (!lay_out(p, &p->out->module.variables[variable], &name))
            return false;
    } while (at__ptx_take_sign(p, ','));
    return at__ptx_expect_sign(p, ';');
}
