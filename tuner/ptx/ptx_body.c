/*
 * ptx_body.c - what stands between the braces of a function: registers, variables, labels, lines, tables of
 * branches, and scopes within scopes, which inline assembly and calls bring along.
 */
#include "ptx/ptx_parts.h"

#include "util/str.h"

#include <string.h>

enum { MAX_REGISTERS = 1 << 20 };

static bool add_registers(at__ptx_parser *p, const at__ptx_token *name, int type, int64_t count, bool group)
{
    at__ptx_function *f = at__ptx_current(p);
    const int first = f->register_count;
    if (count < 0 || count > MAX_REGISTERS - first)
        return at__ptx_refuse(p, name, "more than %d registers", MAX_REGISTERS);
    const char *copy = at__ptx_own(p, name->text, (size_t)name->len);
    for (int64_t i = 0; i < count && copy; i++) {
        if (!at__grow(&f->registers, &p->register_cap, (size_t)f->register_count, sizeof *f->registers))
            return at__ptx_no_memory(p);
        f->registers[f->register_count++] = (at__ptx_register){ .name = copy, .type = (uint8_t)type };
    }
    return copy &&
           at__ptx_declare(p, name, group ? AT__SYMBOL_REGISTERS : AT__SYMBOL_REGISTER, first, (int)count);
}

/* Behind `.reg`: ".b32 %r<20>, temp;" */
bool at__ptx_read_registers(at__ptx_parser *p)
{
    int type = AT__PTX_NO_TYPE;
    for (; p->token.kind == AT__TOKEN_DOT; at__ptx_advance(p))
        if (!at__ptx_type_of(&type, &p->token))
            return at__ptx_refuse(p, &p->token, "'.%.*s' of a register is not known", p->token.len,
                                  p->token.text);
    if (type == AT__PTX_NO_TYPE)
        return at__ptx_refuse(p, &p->token, "a register without a type");
    do {
        const at__ptx_token name = p->token;
        int64_t count = 1;
        if (name.kind != AT__TOKEN_WORD)
            return at__ptx_refuse(p, &name, "found '%.*s'; expected a register's name", name.len, name.text);
        at__ptx_advance(p);
        const bool group = at__ptx_take_sign(p, '<');
        if (group && (!at__ptx_expect_number(&count, p) || !at__ptx_expect_sign(p, '>')))
            return false;
        if (!add_registers(p, &name, type, count, group))
            return false;
    } while (at__ptx_take_sign(p, ','));
    return at__ptx_expect_sign(p, ';');
}

/* Calls are near to what was inlined for them: no text makes the search long. */
enum { SEARCHED_PLACES = 2000 };

/* The place of a call may be inlined itself: then its own .loc came before. */
static bool note_call(at__ptx_parser *p, const int64_t at[3], const int64_t call[3])
{
    p->outer_file = call[0] >= 0 && call[0] <= 4095 ? (int)call[0] : AT__PTX_NO_INDEX;
    p->outer_line = call[1] > 0 && call[1] < 1 << 30 ? (int)call[1] : 0;
    const size_t upto = p->place_count > SEARCHED_PLACES ? p->place_count - SEARCHED_PLACES : 0;
    for (size_t i = p->place_count; i > upto; i--) {
        const at__ptx_place *known = &p->places[i - 1];
        if (memcmp(known->at, call, sizeof known->at) == 0) {
            p->outer_file = known->outer_file;
            p->outer_line = known->outer_line;
            break;
        }
    }
    for (size_t i = p->place_count; i > upto; i--)
        if (memcmp(p->places[i - 1].at, at, sizeof p->places->at) == 0 &&
            p->places[i - 1].outer_line == p->outer_line)
            return true;
    if (!at__grow(&p->places, &p->place_cap, p->place_count, sizeof *p->places))
        return at__ptx_no_memory(p);
    p->places[p->place_count] = (at__ptx_place){ .outer_file = p->outer_file, .outer_line = p->outer_line };
    memcpy(p->places[p->place_count++].at, at, sizeof p->places->at);
    return true;
}

static bool expect_place(at__ptx_parser *p, int64_t out[3])
{
    return at__ptx_expect_number(&out[0], p) && at__ptx_expect_number(&out[1], p) &&
           at__ptx_expect_number(&out[2], p);
}

/* ".loc 1 23 5, function_name $L__info_string0, inlined_at 1 45 9" */
static bool read_loc(at__ptx_parser *p)
{
    int64_t at[3], call[3];
    if (!expect_place(p, at))
        return false;
    p->file = p->outer_file = at[0] >= 0 && at[0] <= 4095 ? (int)at[0] : AT__PTX_NO_INDEX;
    p->line = p->outer_line = at[1] > 0 && at[1] < 1 << 30 ? (int)at[1] : 0;
    while (at__ptx_take_sign(p, ',')) {
        if (p->token.kind != AT__TOKEN_WORD)
            return at__ptx_refuse(p, &p->token, "found '%.*s'; expected function_name or inlined_at",
                                  p->token.len, p->token.text);
        const bool inlined = at__ptx_is(&p->token, AT__TOKEN_WORD, "inlined_at");
        at__ptx_advance(p);
        if (inlined) {
            if (!expect_place(p, call) || !note_call(p, at, call))
                return false;
            continue;
        }
        while (p->token.kind == AT__TOKEN_NUMBER || p->token.kind == AT__TOKEN_WORD) {
            /* "$L__info_string0+4": the next line begins with a word too, but with one that is no such name
             */
            if (p->token.kind == AT__TOKEN_WORD &&
                (p->token.len < 13 || memcmp(p->token.text, "$L__info_str", 12) != 0))
                break;
            at__ptx_advance(p);
            if (at__ptx_take_sign(p, '+'))
                at__ptx_advance(p);
        }
    }
    return true;
}

/* "table: .branchtargets L1, L2;" */
static bool read_table(at__ptx_parser *p, const at__ptx_token *name)
{
    at__ptx_function *f = at__ptx_current(p);
    const int table = f->table_count;
    size_t cap = 0;
    int32_t *targets = NULL;
    at__ptx_advance(p);
    if (!at__grow(&f->tables, &p->table_cap, (size_t)table, sizeof *f->tables))
        return at__ptx_no_memory(p);
    f->tables[f->table_count++] = (at__ptx_table){ 0 };
    do {
        const at__ptx_token label = p->token;
        if (label.kind != AT__TOKEN_WORD)
            return at__ptx_refuse(p, &label, "found '%.*s'; expected a label", label.len, label.text);
        if (cap == (size_t)f->tables[table].count) { /* what is outgrown goes with the module */
            cap = cap ? 2 * cap : 16;
            targets = at__ptx_own_bytes(p, cap * sizeof *targets);
            if (!targets)
                return false;
            if (f->tables[table].count)
                memcpy(targets, f->tables[table].targets, (size_t)f->tables[table].count * sizeof *targets);
            f->tables[table].targets = targets;
        }
        if (!at__ptx_need_label(p, &label, AT__PTX_NO_INDEX, table, f->tables[table].count++))
            return false;
        at__ptx_advance(p);
    } while (at__ptx_take_sign(p, ','));
    return at__ptx_declare(p, name, AT__SYMBOL_TABLE, table, 1) && at__ptx_expect_sign(p, ';');
}

static bool read_dot_statement(at__ptx_parser *p)
{
    int ignored;
    const at__ptx_token word = p->token;
    if (at__ptx_space_of(&ignored, &word))
        return at__ptx_read_variables(p, false);
    at__ptx_advance(p);
    if (at__ptx_is(&word, AT__TOKEN_DOT, "reg"))
        return at__ptx_read_registers(p);
    if (at__ptx_is(&word, AT__TOKEN_DOT, "loc"))
        return read_loc(p);
    if (at__ptx_is(&word, AT__TOKEN_DOT, "pragma")) {
        if (p->token.kind == AT__TOKEN_STRING)
            at__ptx_advance(p);
        return at__ptx_expect_sign(p, ';');
    }
    return at__ptx_refuse(p, &word, "'.%.*s' in a function is not known", word.len, word.text);
}

/* A label, if what follows the word is ':'; *found tells. */
static bool read_label(bool *found, at__ptx_parser *p)
{
    const at__ptx_lexer here = p->lexer;
    const at__ptx_token name = p->token;
    *found = false;
    at__ptx_advance(p);
    if (!at__ptx_is_sign(p, ':')) {
        p->lexer = here;
        p->token = name;
        return true;
    }
    *found = true;
    at__ptx_advance(p);
    if (at__ptx_is(&p->token, AT__TOKEN_DOT, "branchtargets"))
        return read_table(p, &name);
    if (at__ptx_is(&p->token, AT__TOKEN_DOT, "callprototype") ||
        at__ptx_is(&p->token, AT__TOKEN_DOT, "calltargets"))
        return at__ptx_refuse(p, &p->token, "calls of functions by their address are not known");
    return at__ptx_declare(p, &name, AT__SYMBOL_LABEL, at__ptx_current(p)->instruction_count, 1);
}

static bool read_statement(at__ptx_parser *p)
{
    bool label = false;
    if (at__ptx_take_sign(p, ';'))
        return true;
    if (at__ptx_is_sign(p, '{')) {
        if (p->depth >= AT__PTX_MAX_DEPTH)
            return at__ptx_refuse(p, &p->token, "scopes nested more than %d deep", AT__PTX_MAX_DEPTH);
        at__ptx_enter(p);
        at__ptx_advance(p);
        return true;
    }
    if (p->token.kind == AT__TOKEN_DOT)
        return read_dot_statement(p);
    if (p->token.kind == AT__TOKEN_WORD) {
        if (!read_label(&label, p) || label)
            return p->status == AT_OK;
        return at__ptx_read_instruction(p);
    }
    if (at__ptx_is_sign(p, '@'))
        return at__ptx_read_instruction(p);
    if (p->token.kind == AT__TOKEN_END)
        return at__ptx_refuse(p, &p->token, "the text ends within a function");
    return at__ptx_refuse(p, &p->token, "found '%.*s'; expected an instruction", p->token.len, p->token.text);
}

/* The caller has entered the scope of parameters, and leaves it. */
bool at__ptx_read_body(at__ptx_parser *p)
{
    const int outside = p->depth;
    if (!at__ptx_expect_sign(p, '{'))
        return false;
    at__ptx_enter(p);
    at__ptx_function *f = at__ptx_current(p);
    f->has_body = true;
    /* Instructions without operands point at the first, too. */
    if (!at__grow(&f->operands, &p->operand_cap, 0, sizeof *f->operands))
        return at__ptx_no_memory(p);
    while (p->depth > outside) {
        if (at__ptx_is_sign(p, '}')) {
            if (!at__ptx_leave(p))
                return false;
            at__ptx_advance(p);
        } else if (!read_statement(p))
            return false;
    }
    return true;
}
