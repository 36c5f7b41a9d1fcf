/*
 * ptx_instruction.c - one instruction: guard, words, operands.
 */
#include "ptx/ptx_internal.h"

#include "util/str.h"

#include <string.h>

/* The instruction that is being read: it is added when it is whole. */
typedef struct reading {
    atx_ptx_parser *p;
    atx_ptx_instruction i;
    atx_ptx_token name;
} reading;

static bool add_operand(reading *r, atx_ptx_operand operand)
{
    atx_ptx_parser *p = r->p;
    atx_ptx_function *f = atx_ptx_current(p);
    if (!atx_grow(&f->operands, &p->operand_cap, (size_t)f->operand_count, sizeof *f->operands))
        return atx_ptx_no_memory(p);
    f->operands[f->operand_count++] = operand;
    return true;
}

static bool begin_group(reading *r)
{
    if (r->i.group_count == ATX_PTX_GROUPS)
        return atx_ptx_refuse(r->p, &r->p->token, "more than %d operands of '%.*s'", ATX_PTX_GROUPS,
                              r->name.len, r->name.text);
    r->i.width[r->i.group_count++] = 0;
    return true;
}

static bool read_signed_number(atx_ptx_operand *out, atx_ptx_parser *p)
{
    const bool minus = atx_ptx_take_sign(p, '-');
    if (p->token.kind != ATX_TOKEN_NUMBER)
        return atx_ptx_refuse(p, &p->token, "found '%.*s'; expected a number", p->token.len, p->token.text);
    *out = (atx_ptx_operand){ .kind = ATX_PTX_NUMBER,
                              .real_bits = (uint8_t)p->token.real_bits,
                              .value = p->token.value };
    if (minus && out->real_bits)
        out->value = (int64_t)((uint64_t)out->value ^ (uint64_t)1 << (out->real_bits - 1));
    else if (minus)
        out->value = (int64_t)(0 - (uint64_t)out->value);
    atx_ptx_advance(p);
    return true;
}

static bool is_special_name(const atx_ptx_token *t, const atx_ptx_lexer *lexer)
{
    return t->kind == ATX_TOKEN_WORD && t->len > 0 && t->text[0] == '%' && lexer->at < lexer->end;
}

/* %tid.x is two tokens. */
static bool read_special(bool *found, atx_ptx_operand *out, atx_ptx_parser *p)
{
    const atx_ptx_token name = p->token;
    const atx_ptx_lexer here = p->lexer;
    *found = false;
    if (!is_special_name(&name, &here))
        return true;
    atx_ptx_advance(p);
    int special = -1;
    if (p->token.kind == ATX_TOKEN_DOT)
        special = atx_ptx_find_special(name.text, (int)(p->token.text - name.text) + p->token.len);
    const bool two = special >= 0;
    if (!two)
        special = atx_ptx_find_special(name.text, name.len);
    if (special < 0) {
        p->lexer = here;
        p->token = name;
        return true;
    }
    if (two)
        atx_ptx_advance(p);
    *out = (atx_ptx_operand){ .kind = ATX_PTX_SPECIAL_OF, .index = special };
    return *found = true;
}

/* "+4", "+-4", "-4" behind a name; nothing is 0. */
static bool read_offset(int64_t *out, atx_ptx_parser *p)
{
    *out = 0;
    if (atx_ptx_take_sign(p, '+') || atx_ptx_is_sign(p, '-'))
        return atx_ptx_expect_number(out, p);
    return true;
}

static bool read_name(atx_ptx_operand *out, reading *r)
{
    static const int KINDS[] = {
        [ATX_SYMBOL_REGISTER] = ATX_PTX_REGISTER, [ATX_SYMBOL_REGISTERS] = ATX_PTX_REGISTER,
        [ATX_SYMBOL_VARIABLE] = ATX_PTX_VARIABLE, [ATX_SYMBOL_LABEL] = ATX_PTX_LABEL,
        [ATX_SYMBOL_FUNCTION] = ATX_PTX_FUNCTION, [ATX_SYMBOL_TABLE] = ATX_PTX_TABLE
    };
    atx_ptx_parser *p = r->p;
    const atx_ptx_token name = p->token;
    int index = 0;
    const atx_ptx_symbol *s = atx_ptx_find(p, name.text, name.len, &index);
    if (!s && name.len == 8 && memcmp(name.text, "%envreg", 7) == 0)
        return atx_ptx_refuse(
            p, &name,
            "'%.*s' is not known: a grid-wide sync, as grid.sync(), needs all blocks at once, and "
            "they run one after the other here",
            name.len, name.text);
    if (!s && (name.text[0] == '%' || (r->i.op != ATX_PTX_BRA)))
        return atx_ptx_refuse(p, &name, "'%.*s' is declared nowhere", name.len, name.text);
    if (s && s->kind == ATX_SYMBOL_PROTOTYPE)
        return atx_ptx_refuse(p, &name, "'%.*s' is a prototype, and no operand", name.len, name.text);
    atx_ptx_advance(p);
    *out = (atx_ptx_operand){ .kind = (uint8_t)(s ? KINDS[s->kind] : ATX_PTX_LABEL), .index = index };
    if (out->kind == ATX_PTX_LABEL)
        return atx_ptx_need_label(p, &name, atx_ptx_current(p)->operand_count, 0, 0);
    if (out->kind == ATX_PTX_REGISTER && p->token.kind == ATX_TOKEN_DOT)
        return atx_ptx_refuse(p, &p->token, "parts of a vector register, as %.*s.%.*s, are not known",
                              name.len, name.text, p->token.len, p->token.text);
    return out->kind != ATX_PTX_VARIABLE || read_offset(&out->value, p);
}

static bool read_scalar(atx_ptx_operand *out, reading *r)
{
    atx_ptx_parser *p = r->p;
    bool special = false;
    if (p->token.kind == ATX_TOKEN_NUMBER || atx_ptx_is_sign(p, '-'))
        return read_signed_number(out, p);
    const bool negated = atx_ptx_take_sign(p, '!');
    if (p->token.kind != ATX_TOKEN_WORD)
        return atx_ptx_refuse(p, &p->token, "found '%.*s'; expected an operand of '%.*s'", p->token.len,
                              p->token.text, r->name.len, r->name.text);
    if (atx_ptx_is(&p->token, ATX_TOKEN_WORD, "_")) {
        atx_ptx_advance(p);
        *out = (atx_ptx_operand){ .kind = ATX_PTX_NOTHING };
        return true;
    }
    if (atx_ptx_is(&p->token, ATX_TOKEN_WORD, "WARP_SZ")) {
        atx_ptx_advance(p);
        *out = (atx_ptx_operand){ .kind = ATX_PTX_NUMBER, .value = 32 };
        return true;
    }
    if (!read_special(&special, out, p))
        return false;
    if (!special && !read_name(out, r))
        return false;
    if (negated && out->kind != ATX_PTX_REGISTER)
        return atx_ptx_refuse(p, &p->token, "'!' in front of what is no register");
    out->negated = negated;
    return true;
}

/* Behind '['. */
static bool read_address(atx_ptx_operand *out, reading *r)
{
    atx_ptx_parser *p = r->p;
    const atx_ptx_token at = p->token;
    atx_ptx_operand inner = { 0 };
    if (!read_scalar(&inner, r))
        return false;
    *out = (atx_ptx_operand){ .kind = ATX_PTX_ADDRESS, .index = inner.index, .value = inner.value };
    if (inner.kind == ATX_PTX_REGISTER && !inner.negated) {
        out->base = ATX_PTX_BASE_REGISTER;
        if (!read_offset(&out->value, p))
            return false;
    } else if (inner.kind == ATX_PTX_VARIABLE)
        out->base = ATX_PTX_BASE_VARIABLE;
    else if (inner.kind != ATX_PTX_NUMBER || inner.real_bits)
        return atx_ptx_refuse(p, &at, "found '%.*s'; expected an address", at.len, at.text);
    return atx_ptx_expect_sign(p, ']');
}

static bool read_vector(reading *r)
{
    atx_ptx_parser *p = r->p;
    atx_ptx_operand operand;
    if (atx_ptx_take_sign(p, '}'))
        return true;
    do {
        if (r->i.width[r->i.group_count - 1] == ATX_PTX_MAX_VECTOR)
            return atx_ptx_refuse(p, &p->token, "a vector of more than %d elements", ATX_PTX_MAX_VECTOR);
        if (!read_scalar(&operand, r) || !add_operand(r, operand))
            return false;
        r->i.width[r->i.group_count - 1]++;
    } while (atx_ptx_take_sign(p, ','));
    return atx_ptx_expect_sign(p, '}');
}

static bool read_operand(reading *r)
{
    atx_ptx_operand operand = { 0 };
    if (!begin_group(r))
        return false;
    if (atx_ptx_take_sign(r->p, '{'))
        return read_vector(r);
    const bool good = atx_ptx_take_sign(r->p, '[') ? read_address(&operand, r) : read_scalar(&operand, r);
    r->i.width[r->i.group_count - 1] = 1;
    return good && add_operand(r, operand);
}

/* "(retval0), function, (param0, param1)": three groups, the first and the last maybe empty */
static bool read_list(reading *r)
{
    atx_ptx_operand operand;
    atx_ptx_parser *p = r->p;
    if (!begin_group(r))
        return false;
    if (!atx_ptx_take_sign(p, '('))
        return true;
    while (!atx_ptx_take_sign(p, ')')) {
        if (r->i.width[r->i.group_count - 1] > 0 && !atx_ptx_expect_sign(p, ','))
            return false;
        if (r->i.width[r->i.group_count - 1] == ATX_PTX_MAX_VECTOR)
            return atx_ptx_refuse(p, &p->token, "a call with more than %d parameters", ATX_PTX_MAX_VECTOR);
        if (!read_scalar(&operand, r) || !add_operand(r, operand))
            return false;
        r->i.width[r->i.group_count - 1]++;
    }
    return true;
}

/* Behind the address: "(param0), prototype" or "prototype". */
static bool read_called_address(reading *r)
{
    atx_ptx_parser *p = r->p;
    int index = 0;
    if (!atx_ptx_expect_sign(p, ','))
        return false;
    const bool parameters = atx_ptx_is_sign(p, '(');
    if (!read_list(r) || (parameters && !atx_ptx_expect_sign(p, ',')))
        return false;
    const atx_ptx_token name = p->token;
    const atx_ptx_symbol *s =
        name.kind == ATX_TOKEN_WORD ? atx_ptx_find(p, name.text, name.len, &index) : NULL;
    if (!s || s->kind != ATX_SYMBOL_PROTOTYPE)
        return atx_ptx_refuse(p, &name, "found '%.*s'; expected the prototype of a call", name.len,
                              name.text);
    atx_ptx_advance(p);
    return true;
}

static bool read_call(reading *r)
{
    atx_ptx_parser *p = r->p;
    const bool results = atx_ptx_is_sign(p, '(');
    const atx_ptx_token at = p->token;
    if (!read_list(r) || (results && !atx_ptx_expect_sign(p, ',')) || !read_operand(r))
        return false;
    const atx_ptx_operand *callee = &atx_ptx_current(p)->operands[atx_ptx_current(p)->operand_count - 1];
    if (callee->kind == ATX_PTX_REGISTER)
        return read_called_address(r);
    if (callee->kind != ATX_PTX_FUNCTION)
        return atx_ptx_refuse(p, &at, "a call of what is neither a function nor an address");
    if (atx_ptx_take_sign(p, ','))
        return read_list(r);
    return begin_group(r);
}

static bool read_operands(reading *r)
{
    atx_ptx_parser *p = r->p;
    if (r->i.op == ATX_PTX_CALL)
        return read_call(r);
    if (atx_ptx_is_sign(p, ';'))
        return true;
    do {
        if (!read_operand(r))
            return false;
    } while (atx_ptx_take_sign(p, ',') || atx_ptx_take_sign(p, '|'));
    return true;
}

static bool read_guard(reading *r)
{
    atx_ptx_parser *p = r->p;
    int index = 0;
    r->i.guard = ATX_PTX_NO_INDEX;
    if (!atx_ptx_take_sign(p, '@'))
        return true;
    r->i.guard_negated = atx_ptx_take_sign(p, '!');
    const atx_ptx_token name = p->token;
    const atx_ptx_symbol *s =
        name.kind == ATX_TOKEN_WORD ? atx_ptx_find(p, name.text, name.len, &index) : NULL;
    if (!s || (s->kind != ATX_SYMBOL_REGISTER && s->kind != ATX_SYMBOL_REGISTERS) ||
        atx_ptx_current(p)->registers[index].type != ATX_PTX_PRED)
        return atx_ptx_refuse(p, &name, "'%.*s' is no predicate", name.len, name.text);
    r->i.guard = index;
    atx_ptx_advance(p);
    return true;
}

/* Instructions that are not supported, by the beginnings of their names. */
static const char *family_of(const atx_ptx_token *name)
{
    static const char *const FAMILIES[][2] = {
        { "tex", ": the machine has no textures" },
        { "tld4", ": the machine has no textures" },
        { "txq", ": the machine has no textures" },
        { "suld", ": the machine has no surfaces" },
        { "sust", ": the machine has no surfaces" },
        { "sured", ": the machine has no surfaces" },
        { "suq", ": the machine has no surfaces" },
        { "wgmma", ": products of a group of warps are missing here" },
        { "tcgen05", ": the machine has no tensor memory" },
    };
    for (size_t k = 0; k < sizeof FAMILIES / sizeof *FAMILIES; k++)
        if ((size_t)name->len == strlen(FAMILIES[k][0]) &&
            memcmp(name->text, FAMILIES[k][0], (size_t)name->len) == 0)
            return FAMILIES[k][1];
    return "";
}

/* Fails, with the whole of a name: "tex.2d.v4.f32.f32". */
static bool refuse_name(atx_ptx_parser *p)
{
    const atx_ptx_token name = p->token;
    int len = name.len;
    for (atx_ptx_advance(p); p->token.kind == ATX_TOKEN_DOT; atx_ptx_advance(p))
        len = (int)(p->token.text - name.text) + p->token.len;
    return atx_ptx_refuse(p, &name, "the instruction '%.*s' is not known%s", len > 150 ? 150 : len, name.text,
                          family_of(&name));
}

/* "mad.lo.s32" */
static bool read_words(reading *r)
{
    atx_ptx_parser *p = r->p;
    r->name = p->token;
    r->i.op = (uint16_t)(p->token.kind == ATX_TOKEN_WORD ? atx_ptx_find_op(p->token.text, p->token.len) : 0);
    if (r->i.op == ATX_PTX_NO_OP)
        return refuse_name(p);
    for (atx_ptx_advance(p); p->token.kind == ATX_TOKEN_DOT; atx_ptx_advance(p)) {
        const int len = (int)(p->token.text - r->name.text) + p->token.len;
        if (!atx_ptx_apply_word(&r->i, p->token.text, p->token.len))
            return atx_ptx_refuse(p, &p->token, "'%.*s' is not known, because of '.%.*s'",
                                  len > 150 ? 150 : len, r->name.text, p->token.len, p->token.text);
    }
    if (r->i.flags & (ATX_PTX_APPROX | ATX_PTX_FULL))
        r->i.flags |= ATX_PTX_INEXACT;
    return true;
}

bool atx_ptx_read_instruction(atx_ptx_parser *p)
{
    reading r = { .p = p,
                  .i = { .vector = 1,
                         .file = p->file,
                         .line = p->line,
                         .outer_file = p->outer_file,
                         .outer_line = p->outer_line,
                         .text_line = p->token.line } };
    if (!read_guard(&r))
        return false;
    r.i.text_line = p->token.line;
    r.i.first = (uint32_t)atx_ptx_current(p)->operand_count;
    if (!read_words(&r) || !read_operands(&r) || !atx_ptx_expect_sign(p, ';'))
        return false;
    atx_ptx_function *f = atx_ptx_current(p);
    if (!atx_grow(&f->instructions, &p->instruction_cap, (size_t)f->instruction_count,
                  sizeof *f->instructions))
        return atx_ptx_no_memory(p);
    f->instructions[f->instruction_count++] = r.i;
    return true;
}
