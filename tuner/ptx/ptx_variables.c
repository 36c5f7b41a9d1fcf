/* ptx_variables.c - declarations of variables and parameters, with their initial values. */
#include "ptx/ptx_internal.h"

#include "util/str.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_INITIAL = 1 << 26 }; /* bytes; CUDA's constant memory is 2^16, arrays may be larger */

int64_t atx_ptx_round_up(int64_t value, int64_t align)
{
    return align > 1 ? (value + align - 1) / align * align : value;
}

bool atx_ptx_type_of(int *out, const atx_ptx_token *word)
{
    for (int i = ATX_PTX_PRED; i < ATX_PTX_TYPE_COUNT; i++)
        if (atx_ptx_is(word, ATX_TOKEN_DOT, atx_ptx_type_name(i))) {
            *out = i;
            return true;
        }
    return false;
}

bool atx_ptx_space_of(int *out, const atx_ptx_token *word)
{
    for (int i = ATX_PTX_GLOBAL; i <= ATX_PTX_PARAM; i++)
        if (i != ATX_PTX_SHARED_CLUSTER && atx_ptx_is(word, ATX_TOKEN_DOT, atx_ptx_space_name(i))) {
            *out = i;
            return true;
        }
    return false;
}

/* The part that all variables of a declaration share. */
typedef struct kind {
    int space, type, vector;
    int64_t align; /* 0: as the type */
    bool external;
} kind;

static bool read_align(kind *k, atx_ptx_parser *p)
{
    const atx_ptx_token at = p->token;
    if (!atx_ptx_expect_number(&k->align, p))
        return false;
    if (k->align < 1 || k->align > 4096 || (k->align & (k->align - 1)))
        return atx_ptx_refuse(p, &at, "an alignment of %lld; expected a power of two up to 4096",
                              (long long)k->align);
    return true;
}

/* `.ptr .global .align 4` of a kernel's parameter describes its target: not needed. */
static bool skip_pointer_words(atx_ptx_parser *p)
{
    int ignored;
    int64_t number;
    while (p->token.kind == ATX_TOKEN_DOT) {
        const bool align = atx_ptx_is(&p->token, ATX_TOKEN_DOT, "align");
        if (!align && !atx_ptx_space_of(&ignored, &p->token))
            return atx_ptx_refuse(p, &p->token, "'.%.*s' of a pointer is not known", p->token.len,
                                  p->token.text);
        atx_ptx_advance(p);
        if (align && !atx_ptx_expect_number(&number, p))
            return false;
    }
    return true;
}

static bool read_kind(kind *k, atx_ptx_parser *p)
{
    k->vector = 1;
    for (; p->token.kind == ATX_TOKEN_DOT;) {
        const atx_ptx_token word = p->token;
        atx_ptx_advance(p);
        if (atx_ptx_is(&word, ATX_TOKEN_DOT, "align")) {
            if (!read_align(k, p))
                return false;
        } else if (atx_ptx_is(&word, ATX_TOKEN_DOT, "ptr")) {
            if (!skip_pointer_words(p))
                return false;
        } else if (atx_ptx_is(&word, ATX_TOKEN_DOT, "v2") || atx_ptx_is(&word, ATX_TOKEN_DOT, "v4"))
            k->vector = word.text[1] - '0';
        else if (!atx_ptx_type_of(&k->type, &word) && !atx_ptx_space_of(&k->space, &word))
            return atx_ptx_refuse(p, &word, "'.%.*s' of a variable is not known", word.len, word.text);
    }
    if (atx_ptx_type_bytes(k->type) == 0)
        return atx_ptx_refuse(p, &p->token, "a variable without a type that takes memory");
    return true;
}

/* "[4][8]", "[]" */
static bool read_dimensions(atx_ptx_variable *v, atx_ptx_parser *p)
{
    while (atx_ptx_take_sign(p, '[')) {
        int64_t count = 0;
        const atx_ptx_token at = p->token;
        if (atx_ptx_take_sign(p, ']')) {
            v->bytes = 0;
            continue;
        }
        if (!atx_ptx_expect_number(&count, p) || !atx_ptx_expect_sign(p, ']'))
            return false;
        if (count < 0 || (count > 0 && v->bytes > ((int64_t)1 << 36) / count))
            return atx_ptx_refuse(p, &at, "an array of %lld elements is too large", (long long)count);
        v->bytes *= count;
    }
    return true;
}

/* ---- initial values ---- */

typedef struct filling {
    int64_t offset;
    size_t patch_cap;
    int variable;
} filling;

static atx_ptx_variable *filled(atx_ptx_parser *p, const filling *f)
{
    return &p->out->module.variables[f->variable];
}

static bool put_number(atx_ptx_parser *p, filling *f, const atx_ptx_token *t, bool minus)
{
    atx_ptx_variable *v = filled(p, f);
    const int bytes = atx_ptx_type_bytes(v->type);
    uint64_t bits = (uint64_t)t->value;
    if (v->type == ATX_PTX_F32 && t->real_bits == 64) {
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
        return atx_ptx_refuse(p, t, "values of 128 bits are not known");
    if (f->offset + bytes > v->bytes)
        return atx_ptx_refuse(p, t, "more values than '%s' has elements", v->name);
    memcpy(v->initial + f->offset, &bits, (size_t)bytes);
    f->offset += bytes;
    return true;
}

/* name, name + 4, generic(name) + 4 */
static bool put_address(atx_ptx_parser *p, filling *f)
{
    const bool generic = atx_ptx_is(&p->token, ATX_TOKEN_WORD, "generic");
    int index = 0;
    int64_t addend = 0;
    if (generic) {
        atx_ptx_advance(p);
        if (!atx_ptx_expect_sign(p, '('))
            return false;
    }
    const atx_ptx_token name = p->token;
    const atx_ptx_symbol *s = atx_ptx_find(p, name.text, name.len, &index);
    const bool of_function = s && s->kind == ATX_SYMBOL_FUNCTION;
    if (name.kind != ATX_TOKEN_WORD || !s || (s->kind != ATX_SYMBOL_VARIABLE && !of_function))
        return atx_ptx_refuse(p, &name, "the address of '%.*s' is unknown", name.len, name.text);
    atx_ptx_advance(p);
    if (generic && !atx_ptx_expect_sign(p, ')'))
        return false;
    if (atx_ptx_take_sign(p, '+') && !atx_ptx_expect_number(&addend, p))
        return false;
    atx_ptx_variable *v = filled(p, f);
    if (atx_ptx_type_bytes(v->type) != 8 || f->offset + 8 > v->bytes)
        return atx_ptx_refuse(p, &name, "an address in '%s', which has no place for it", v->name);
    if (!atx_grow(&v->patches, &f->patch_cap, (size_t)v->patch_count, sizeof *v->patches))
        return atx_ptx_no_memory(p);
    v->patches[v->patch_count++] = (atx_ptx_patch){ .offset = f->offset,
                                                    .addend = addend,
                                                    .variable = of_function ? ATX_PTX_NO_INDEX : index,
                                                    .function = of_function ? index : ATX_PTX_NO_INDEX };
    f->offset += 8;
    return true;
}

static bool put_value(atx_ptx_parser *p, filling *f, int depth)
{
    if (atx_ptx_is_sign(p, '{')) {
        if (depth > 16)
            return atx_ptx_refuse(p, &p->token, "values nested more than 16 deep");
        do {
            atx_ptx_advance(p);
            if (atx_ptx_is_sign(p, '}'))
                break;
            if (!put_value(p, f, depth + 1))
                return false;
        } while (atx_ptx_is_sign(p, ','));
        return atx_ptx_expect_sign(p, '}');
    }
    const bool minus = atx_ptx_take_sign(p, '-');
    if (p->token.kind == ATX_TOKEN_NUMBER) {
        const atx_ptx_token number = p->token;
        atx_ptx_advance(p);
        return put_number(p, f, &number, minus);
    }
    return put_address(p, f);
}

static bool read_initial(atx_ptx_parser *p, int variable)
{
    filling f = { .variable = variable };
    atx_ptx_variable *v = filled(p, &f);
    if (v->bytes > MAX_INITIAL)
        return atx_ptx_refuse(p, &p->token, "'%s' has more than %d bytes of values", v->name, MAX_INITIAL);
    v->initial = atx_ptx_own_bytes(p, (size_t)v->bytes);
    if (!v->initial)
        return false;
    const bool good = put_value(p, &f, 0);
    v = filled(p, &f);
    if (v->patches) { /* the module frees them */
        atx_ptx_patch *kept = atx_ptx_own_bytes(p, (size_t)v->patch_count * sizeof *kept);
        if (kept)
            memcpy(kept, v->patches, (size_t)v->patch_count * sizeof *kept);
        free(v->patches);
        v->patches = kept;
        v->patch_count = kept ? v->patch_count : 0;
    }
    return good && p->status == AT_OK;
}

/* ---- declarations ---- */

static bool add_variable(int32_t *out, atx_ptx_parser *p, const kind *k, const atx_ptx_token *name)
{
    atx_ptx_module_owned *o = p->out;
    const int bytes = atx_ptx_type_bytes(k->type);
    if (name->kind != ATX_TOKEN_WORD)
        return atx_ptx_refuse(p, name, "found '%.*s'; expected a variable's name", name->len, name->text);
    if (!atx_ptx_declare(p, name, ATX_SYMBOL_VARIABLE, o->module.variable_count, 1))
        return false;
    if (!atx_grow(&o->module.variables, &o->variable_cap, (size_t)o->module.variable_count,
                  sizeof *o->module.variables))
        return atx_ptx_no_memory(p);
    const char *copy = atx_ptx_own(p, name->text, (size_t)name->len);
    *out = o->module.variable_count;
    o->module.variables[o->module.variable_count++] =
        (atx_ptx_variable){ .name = copy,
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
static bool lay_out(atx_ptx_parser *p, atx_ptx_variable *v, const atx_ptx_token *name)
{
    int64_t *end = NULL;
    if (v->space == ATX_PTX_SHARED && !v->external)
        end = p->function >= 0 && atx_ptx_current(p)->is_entry ? &atx_ptx_current(p)->shared_bytes
                                                               : &p->out->module.shared_bytes;
    else if (p->function >= 0 && (v->space == ATX_PTX_LOCAL || v->space == ATX_PTX_PARAM))
        end = &atx_ptx_current(p)->local_bytes;
    if (!end)
        return true;
    v->offset = atx_ptx_round_up(*end, v->align);
    *end = v->offset + v->bytes;
    return *end <= 1 << 24 ||
           atx_ptx_refuse(p, name, "'%s' makes more than 16 MiB of memory of its kind", v->name);
}

bool atx_ptx_read_param(atx_ptx_parser *p, int32_t *variable)
{
    kind k = { .space = ATX_PTX_PARAM };
    if (atx_ptx_is(&p->token, ATX_TOKEN_DOT, "reg"))
        return atx_ptx_refuse(p, &p->token, "parameters in registers are not known");
    if (p->token.kind != ATX_TOKEN_DOT)
        return atx_ptx_refuse(p, &p->token, "found '%.*s'; expected .param", p->token.len, p->token.text);
    if (!read_kind(&k, p))
        return false;
    const atx_ptx_token name = p->token;
    if (!add_variable(variable, p, &k, &name))
        return false;
    atx_ptx_advance(p);
    atx_ptx_variable *v = &p->out->module.variables[*variable];
    if (!read_dimensions(v, p))
        return false;
    return atx_ptx_current(p)->is_entry || lay_out(p, v, &name);
}

bool atx_ptx_read_variables(atx_ptx_parser *p, bool external)
{
    kind k = { .external = external };
    if (!read_kind(&k, p))
        return false;
    const bool anywhere = k.space == ATX_PTX_GLOBAL || k.space == ATX_PTX_CONST || k.space == ATX_PTX_SHARED;
    if (!anywhere && p->function < 0)
        return atx_ptx_refuse(p, &p->token, "a .%s variable outside of a function",
                              atx_ptx_space_name(k.space));
    do {
        const atx_ptx_token name = p->token;
        int32_t variable = 0;
        if (!add_variable(&variable, p, &k, &name))
            return false;
        atx_ptx_advance(p);
        atx_ptx_variable *v = &p->out->module.variables[variable];
        if (!read_dimensions(v, p))
            return false;
        v->external = v->external || (k.space == ATX_PTX_SHARED && v->bytes == 0);
        if (atx_ptx_take_sign(p, '=') && !read_initial(p, variable))
            return false;
        if (!lay_out(p, &p->out->module.variables[variable], &name))
            return false;
    } while (atx_ptx_take_sign(p, ','));
    return atx_ptx_expect_sign(p, ';');
}
