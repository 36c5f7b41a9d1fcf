/*
 * ptx_instruction.c - one instruction: guard, words, operands.
 */
#include "ptx/ptx_parts.h"

#include "util/str.h"

#include <string.h>

/* The instruction that is being read: it is added when it is whole. */
typedef struct reading {
    at__ptx_parser *p;
    at__ptx_instruction i;
    at__ptx_token name;
} reading;

static bool add_operand(reading *r, at__ptx_operand operand)
{
    at__ptx_parser *p = r->p;
    at__ptx_function *f = at__ptx_current(p);
    if (!at__grow(&f->operands, &p->operand_cap, (size_t)f->operand_count, sizeof *f->operands))
        return at__ptx_no_memory(p);
    f->operands[f->operand_count++] = operand;
    return true;
}

static bool begin_group(reading *r)
{
    if (r->i.group_count == AT__PTX_GROUPS)
        return at__ptx_refuse(r->p, &r->p->token, "more than %d operands of '%.*s'", AT__PTX_GROUPS,
                              r->name.len, r->name.text);
    r->i.width[r->i.group_count++] = 0;
    return true;
}

static bool read_signed_number(at__ptx_operand *out, at__ptx_parser *p)
{
    const bool minus = at__ptx_take_sign(p, '-');
    if (p->token.kind != AT__TOKEN_NUMBER)
        return at__ptx_refuse(p, &p->token, "found '%.*s'; expected a number", p->token.len, p->token.text);
    *out = (at__ptx_operand){ .kind = AT__PTX_NUMBER,
                              .real_bits = (uint8_t)p->token.real_bits,
                              .value = p->token.value };
    if (minus && out->real_bits)
        out->value = (int64_t)((uint64_t)out->value ^ (uint64_t)1 << (out->real_bits - 1));
    else if (minus)
        out->value = (int64_t)(0 - (uint64_t)out->value);
    at__ptx_advance(p);
    return true;
}

static bool is_special_name(const at__ptx_token *t, const at__ptx_lexer *lexer)
{
    return t->kind == AT__TOKEN_WORD && t->len > 0 && t->text[0] == '%' && lexer->at < lexer->end;
}

/* %tid.x is two tokens. */
static bool read_special(bool *found, at__ptx_operand *out, at__ptx_parser *p)
{
    const at__ptx_token name = p->token;
    const at__ptx_lexer here = p->lexer;
    *found = false;
    if (!is_special_name(&name, &here))
        return true;
    at__ptx_advance(p);
    int special = -1;
    if (p->token.kind == AT__TOKEN_DOT)
        special = at__ptx_find_special(name.text, (int)(p->token.text - name.text) + p->token.len);
    const bool two = special >= 0;
    if (!two)
        special = at__ptx_find_special(name.text, name.len);
    if (special < 0) {
        p->lexer = here;
        p->token = name;
        return true;
    }
    if (two)
        at__ptx_advance(p);
    *out = (at__ptx_operand){ .kind = AT__PTX_SPECIAL_OF, .index = special };
    return *found = true;
}

/* "+4", "+-4", "-4" behind a name; nothing is 0. */
static bool read_offset(int64_t *out, at__ptx_parser *p)
{
    *out = 0;
    if (at__ptx_take_sign(p, '+') || at__ptx_is_sign(p, '-'))
        return at__ptx_expect_number(out, p);
    return true;
}

static bool read_name(at__ptx_operand *out, reading *r)
{
    static const int KINDS[] = {
        [AT__SYMBOL_REGISTER] = AT__PTX_REGISTER, [AT__SYMBOL_REGISTERS] = AT__PTX_REGISTER,
        [AT__SYMBOL_VARIABLE] = AT__PTX_VARIABLE, [AT__SYMBOL_LABEL] = AT__PTX_LABEL,
        [AT__SYMBOL_FUNCTION] = AT__PTX_FUNCTION, [AT__SYMBOL_TABLE] = AT__PTX_TABLE
    };
    at__ptx_parser *p = r->p;
    const at__ptx_token name = p->token;
    int index = 0;
    const at__ptx_symbol *s = at__ptx_find(p, name.text, name.len, &index);
    if (!s && (name.text[0] == '%' || (r->i.op != AT__PTX_BRA)))
        return at__ptx_refuse(p, &name, "'%.*s' is declared nowhere", name.len, name.text);
    at__ptx_advance(p);
    *out = (at__ptx_operand){ .kind = (uint8_t)(s ? KINDS[s->kind] : AT__PTX_LABEL), .index = index };
    if (out->kind == AT__PTX_LABEL)
        return at__ptx_need_label(p, &name, at__ptx_current(p)->operand_count, 0, 0);
    if (out->kind == AT__PTX_REGISTER && p->token.kind == AT__TOKEN_DOT)
        return at__ptx_refuse(p, &p->token, "parts of a vector register, as %.*s.%.*s, are not known",
                              name.len, name.text, p->token.len, p->token.text);
    return out->kind != AT__PTX_VARIABLE || read_offset(&out->value, p);
}

static bool read_scalar(at__ptx_operand *out, reading *r)
{
    at__ptx_parser *p = r->p;
    bool special = false;
    if (p->token.kind == AT__TOKEN_NUMBER || at__ptx_is_sign(p, '-'))
        return read_signed_number(out, p);
    const bool negated = at__ptx_take_sign(p, '!');
    if (p->token.kind != AT__TOKEN_WORD)
        return at__ptx_refuse(p, &p->token, "found '%.*s'; expected an operand of '%.*s'", p->token.len,
                              p->token.text, r->name.len, r->name.text);
    if (at__ptx_is(&p->token, AT__TOKEN_WORD, "_")) {
        at__ptx_advance(p);
        *out = (at__ptx_operand){ .kind = AT__PTX_NOTHING };
        return true;
    }
    if (at__ptx_is(&p->token, AT__TOKEN_WORD, "WARP_SZ")) {
        at__ptx_advance(p);
        *out = (at__ptx_operand){ .kind = AT__PTX_NUMBER, .value = 32 };
        return true;
    }
    if (!read_special(&special, out, p))
        return false;
    if (!special && !read_name(out, r))
        return false;
    if (negated && out->kind != AT__PTX_REGISTER)
        return at__ptx_refuse(p, &p->token, "'!' in front of what is no register");
    out->negated = negated;
    return true;
}

/* Behind '['. */
static bool read_address(at__ptx_operand *out, reading *r)
{
    at__ptx_parser *p = r->p;
    const at__ptx_token at = p->token;
    at__ptx_operand inner = { 0 };
    if (!read_scalar(&inner, r))
        return false;
    *out = (at__ptx_operand){ .kind = AT__PTX_ADDRESS, .index = inner.index, .value = inner.value };
    if (inner.kind == AT__PTX_REGISTER && !inner.negated) {
        out->base = AT__PTX_BASE_REGISTER;
        if (!read_offset(&out->value, p))
            return false;
    } else if (inner.kind == AT__PTX_VARIABLE)
        out->base = AT__PTX_BASE_VARIABLE;
    else if (inner.kind != AT__PTX_NUMBER || inner.real_bits)
        return at__ptx_refuse(p, &at, "found '%.*s'; expected an address", at.len, at.text);
    return at__ptx_expect_sign(p, ']');
}

static bool read_vector(reading *r)
{
    at__ptx_parser *p = r->p;
    at__ptx_operand operand;
    if (at__ptx_take_sign(p, '}'))
        return true;
    do {
        if (r->i.width[r->i.group_count - 1] == AT__PTX_MAX_VECTOR)
            return at__ptx_refuse(p, &p->token, "a vector of more than %d elements", AT__PTX_MAX_VECTOR);
        if (!read_scalar(&operand, r) || !add_operand(r, operand))
            return false;
        r->i.width[r->i.group_count - 1]++;
    } while (at__ptx_take_sign(p, ','));
    return at__ptx_expect_sign(p, '}');
}

static bool read_operand(reading *r)
{
    at__ptx_operand operand = { 0 };
    if (!begin_group(r))
        return false;
    if (at__ptx_take_sign(r->p, '{'))
        return read_vector(r);
    const bool good = at__ptx_take_sign(r->p, '[') ? read_address(&operand, r) : read_scalar(&operand, r);
    r->i.width[r->i.group_count - 1] = 1;
    return good && add_operand(r, operand);
}

/* "(retval0), function, (param0, param1)": three groups, the first and the last maybe empty */
static bool read_list(reading *r)
{
    at__ptx_operand operand;
    at__ptx_parser *p = r->p;
    if (!begin_group(r))
        return false;
    if (!at__ptx_take_sign(p, '('))
        return true;
    while (!at__ptx_take_sign(p, ')')) {
        if (r->i.width[r->i.group_count - 1] > 0 && !at__ptx_expect_sign(p, ','))
            return false;
        if (r->i.width[r->i.group_count - 1] == AT__PTX_MAX_VECTOR)
            return at__ptx_refuse(p, &p->token, "a call with more than %d parameters", AT__PTX_MAX_VECTOR);
        if (!read_scalar(&operand, r) || !add_operand(r, operand))
            return false;
        r->i.width[r->i.group_count - 1]++;
    }
    return true;
}

static bool read_call(reading *r)
{
    at__ptx_parser *p = r->p;
    const bool results = at__ptx_is_sign(p, '(');
    const at__ptx_token at = p->token;
    if (!read_list(r) || (results && !at__ptx_expect_sign(p, ',')) || !read_operand(r))
        return false;
    const at__ptx_operand *callee = &at__ptx_current(p)->operands[at__ptx_current(p)->operand_count - 1];
    if (callee->kind != AT__PTX_FUNCTION)
        return at__ptx_refuse(p, &at, "calls of functions by their address are not known");
    if (at__ptx_take_sign(p, ','))
        return read_list(r);
    return begin_group(r);
}

static bool read_operands(reading *r)
{
    at__ptx_parser *p = r->p;
    if (r->i.op == AT__PTX_CALL)
        return read_call(r);
    if (at__ptx_is_sign(p, ';'))
        return true;
    do {
        if (!read_operand(r))
            return false;
    } while (at__ptx_take_sign(p, ',') || at__ptx_take_sign(p, '|'));
    return true;
}

static bool read_guard(reading *r)
{
    at__ptx_parser *p = r->p;
    int index = 0;
    r->i.guard = AT__PTX_NO_INDEX;
    if (!at__ptx_take_sign(p, '@'))
        return true;
    r->i.guard_negated = at__ptx_take_sign(p, '!');
    const at__ptx_token name = p->token;
    const at__ptx_symbol *s =
        name.kind == AT__TOKEN_WORD ? at__ptx_find(p, name.text, name.len, &index) : NULL;
    if (!s || (s->kind != AT__SYMBOL_REGISTER && s->kind != AT__SYMBOL_REGISTERS) ||
        at__ptx_current(p)->registers[index].type != AT__PTX_PRED)
        return at__ptx_refuse(p, &name, "'%.*s' is no predicate", name.len, name.text);
    r->i.guard = index;
    at__ptx_advance(p);
    return true;
}

/* "mad.lo.s32" */
static bool read_words(reading *r)
{
    at__ptx_parser *p = r->p;
    r->name = p->token;
    r->i.op = (uint16_t)(p->token.kind == AT__TOKEN_WORD ? at__ptx_find_op(p->token.text, p->token.len) : 0);
    if (r->i.op == AT__PTX_NO_OP)
        return at__ptx_refuse(p, &p->token, "the instruction '%.*s' is not known", p->token.len,
                              p->token.text);
    for (at__ptx_advance(p); p->token.kind == AT__TOKEN_DOT; at__ptx_advance(p)) {
        const int len = (int)(p->token.text - r->name.text) + p->token.len;
        if (!at__ptx_apply_word(&r->i, p->token.text, p->token.len))
            return at__ptx_refuse(p, &p->token, "'%.*s' is not known, because of '.%.*s'",
                                  len > 150 ? 150 : len, r->name.text, p->token.len, p->token.text);
    }
    if (r->i.flags & (AT__PTX_APPROX | AT__PTX_FULL))
        r->i.flags |= AT__PTX_INEXACT;
    return true;
}

bool at__ptx_read_instruction(at__ptx_parser *p)
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
    r.i.first = (uint32_t)at__ptx_current(p)->operand_count;
    if (!read_words(&r) || !read_operands(&r) || !at__ptx_expect_sign(p, ';'))
        return false;
    at__ptx_function *f = at__ptx_current(p);
    if (!at__grow(&f->instructions, &p->instruction_cap, (size_t)f->instruction_count,
                  sizeof *f->instructions))
        return at__ptx_no_memory(p);
    f->instructions[f->instruction_count++] = r.i;
    return true;
}
