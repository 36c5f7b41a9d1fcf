/*
 * ptx_body.c - the body of a function: registers, variables, labels, lines, tables of branches, and nested
 * scopes, which come from inline assembly and calls.
 */
#include "ptx/ptx_internal.h"

#include "util/str.h"

#include <string.h>

enum { MAX_REGISTERS = 1 << 20 };

static bool add_registers(atx_ptx_parser *p, const atx_ptx_token *name, int type, int64_t count, bool group)
{
    atx_ptx_function *f = atx_ptx_current(p);
    const int first = f->register_count;
    if (count < 0 || count > MAX_REGISTERS - first)
        return atx_ptx_refuse(p, name, "more than %d registers", MAX_REGISTERS);
    const char *copy = atx_ptx_own(p, name->text, (size_t)name->len);
    for (int64_t i = 0; i < count && copy; i++) {
        if (!atx_grow(&f->registers, &p->register_cap, (size_t)f->register_count, sizeof *f->registers))
            return atx_ptx_no_memory(p);
        f->registers[f->register_count++] = (atx_ptx_register){ .name = copy, .type = (uint8_t)type };
    }
    return copy &&
           atx_ptx_declare(p, name, group ? ATX_SYMBOL_REGISTERS : ATX_SYMBOL_REGISTER, first, (int)count);
}

/* Behind `.reg`: ".b32 %r<20>, temp;" */
static bool read_registers(atx_ptx_parser *p)
{
    int type = ATX_PTX_NO_TYPE;
    for (; p->token.kind == ATX_TOKEN_DOT; atx_ptx_advance(p))
        if (!atx_ptx_type_of(&type, &p->token))
            return atx_ptx_refuse(p, &p->token, "'.%.*s' of a register is not known", p->token.len,
                                  p->token.text);
    if (type == ATX_PTX_NO_TYPE)
        return atx_ptx_refuse(p, &p->token, "a register without a type");
    do {
        const atx_ptx_token name = p->token;
        int64_t count = 1;
        if (name.kind != ATX_TOKEN_WORD)
            return atx_ptx_refuse(p, &name, "found '%.*s'; expected a register's name", name.len, name.text);
        atx_ptx_advance(p);
        const bool group = atx_ptx_take_sign(p, '<');
        if (group && (!atx_ptx_expect_number(&count, p) || !atx_ptx_expect_sign(p, '>')))
            return false;
        if (!add_registers(p, &name, type, count, group))
            return false;
    } while (atx_ptx_take_sign(p, ','));
    return atx_ptx_expect_sign(p, ';');
}

/* Calls are near to their inlined code: no text makes the search long. */
enum { SEARCHED_PLACES = 2000 };

/* The place of a call may be inlined itself: then its own .loc came before. */
static bool note_call(atx_ptx_parser *p, const int64_t at[3], const int64_t call[3])
{
    p->outer_file = call[0] >= 0 && call[0] <= 4095 ? (int)call[0] : ATX_PTX_NO_INDEX;
    p->outer_line = call[1] > 0 && call[1] < 1 << 30 ? (int)call[1] : 0;
    const size_t upto = p->place_count > SEARCHED_PLACES ? p->place_count - SEARCHED_PLACES : 0;
    for (size_t i = p->place_count; i > upto; i--) {
        const atx_ptx_place *known = &p->places[i - 1];
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
    if (!atx_grow(&p->places, &p->place_cap, p->place_count, sizeof *p->places))
        return atx_ptx_no_memory(p);
    p->places[p->place_count] = (atx_ptx_place){ .outer_file = p->outer_file, .outer_line = p->outer_line };
    memcpy(p->places[p->place_count++].at, at, sizeof p->places->at);
    return true;
}

static bool expect_place(atx_ptx_parser *p, int64_t out[3])
{
    return atx_ptx_expect_number(&out[0], p) && atx_ptx_expect_number(&out[1], p) &&
           atx_ptx_expect_number(&out[2], p);
}

/* ".loc 1 23 5, function_name $L__info_string0, inlined_at 1 45 9" */
static bool read_loc(atx_ptx_parser *p)
{
    int64_t at[3], call[3];
    if (!expect_place(p, at))
        return false;
    p->file = p->outer_file = at[0] >= 0 && at[0] <= 4095 ? (int)at[0] : ATX_PTX_NO_INDEX;
    p->line = p->outer_line = at[1] > 0 && at[1] < 1 << 30 ? (int)at[1] : 0;
    while (atx_ptx_take_sign(p, ',')) {
        if (p->token.kind != ATX_TOKEN_WORD)
            return atx_ptx_refuse(p, &p->token, "found '%.*s'; expected function_name or inlined_at",
                                  p->token.len, p->token.text);
        const bool inlined = atx_ptx_is(&p->token, ATX_TOKEN_WORD, "inlined_at");
        atx_ptx_advance(p);
        if (inlined) {
            if (!expect_place(p, call) || !note_call(p, at, call))
                return false;
            continue;
        }
        while (p->token.kind == ATX_TOKEN_NUMBER || p->token.kind == ATX_TOKEN_WORD) {
            /* "$L__info_string0+4": the next line begins with a word too, but with one that is no such name
             */
            if (p->token.kind == ATX_TOKEN_WORD &&
                (p->token.len < 13 || memcmp(p->token.text, "$L__info_str", 12) != 0))
                break;
            atx_ptx_advance(p);
            if (atx_ptx_take_sign(p, '+'))
                atx_ptx_advance(p);
        }
    }
    return true;
}

/* "table: .branchtargets L1, L2;" */
static bool read_table(atx_ptx_parser *p, const atx_ptx_token *name)
{
    atx_ptx_function *f = atx_ptx_current(p);
    const int table = f->table_count;
    size_t cap = 0;
    int32_t *targets = NULL;
    atx_ptx_advance(p);
    if (!atx_grow(&f->tables, &p->table_cap, (size_t)table, sizeof *f->tables))
        return atx_ptx_no_memory(p);
    f->tables[f->table_count++] = (atx_ptx_table){ 0 };
    do {
        const atx_ptx_token label = p->token;
        if (label.kind != ATX_TOKEN_WORD)
            return atx_ptx_refuse(p, &label, "found '%.*s'; expected a label", label.len, label.text);
        if (cap == (size_t)f->tables[table].count) { /* the old array is freed with the module */
            cap = cap ? 2 * cap : 16;
            targets = atx_ptx_own_bytes(p, cap * sizeof *targets);
            if (!targets)
                return false;
            if (f->tables[table].count)
                memcpy(targets, f->tables[table].targets, (size_t)f->tables[table].count * sizeof *targets);
            f->tables[table].targets = targets;
        }
        if (!atx_ptx_need_label(p, &label, ATX_PTX_NO_INDEX, table, f->tables[table].count++))
            return false;
        atx_ptx_advance(p);
    } while (atx_ptx_take_sign(p, ','));
    return atx_ptx_declare(p, name, ATX_SYMBOL_TABLE, table, 1) && atx_ptx_expect_sign(p, ';');
}

/* What a function that is called by its address takes, or which ones these are: the function itself tells. */
static bool read_prototype(atx_ptx_parser *p, const atx_ptx_token *name)
{
    while (!atx_ptx_is_sign(p, ';')) {
        if (p->token.kind == ATX_TOKEN_END || p->token.kind == ATX_TOKEN_BAD)
            return atx_ptx_unexpected(p, "';' behind a prototype");
        atx_ptx_advance(p);
    }
    return atx_ptx_declare(p, name, ATX_SYMBOL_PROTOTYPE, 0, 1) && atx_ptx_expect_sign(p, ';');
}

static bool read_dot_statement(atx_ptx_parser *p)
{
    int ignored;
    const atx_ptx_token word = p->token;
    if (atx_ptx_space_of(&ignored, &word))
        return atx_ptx_read_variables(p, false);
    atx_ptx_advance(p);
    if (atx_ptx_is(&word, ATX_TOKEN_DOT, "reg"))
        return read_registers(p);
    if (atx_ptx_is(&word, ATX_TOKEN_DOT, "loc"))
        return read_loc(p);
    if (atx_ptx_is(&word, ATX_TOKEN_DOT, "pragma")) {
        if (p->token.kind == ATX_TOKEN_STRING)
            atx_ptx_advance(p);
        return atx_ptx_expect_sign(p, ';');
    }
    return atx_ptx_refuse(p, &word, "'.%.*s' in a function is not known", word.len, word.text);
}

/* A label, if ':' follows the word; *found tells. */
static bool read_label(bool *found, atx_ptx_parser *p)
{
    const atx_ptx_lexer here = p->lexer;
    const atx_ptx_token name = p->token;
    *found = false;
    atx_ptx_advance(p);
    if (!atx_ptx_is_sign(p, ':')) {
        p->lexer = here;
        p->token = name;
        return true;
    }
    *found = true;
    atx_ptx_advance(p);
    if (atx_ptx_is(&p->token, ATX_TOKEN_DOT, "branchtargets"))
        return read_table(p, &name);
    if (atx_ptx_is(&p->token, ATX_TOKEN_DOT, "callprototype") ||
        atx_ptx_is(&p->token, ATX_TOKEN_DOT, "calltargets"))
        return read_prototype(p, &name);
    return atx_ptx_declare(p, &name, ATX_SYMBOL_LABEL, atx_ptx_current(p)->instruction_count, 1);
}

static bool read_statement(atx_ptx_parser *p)
{
    bool label = false;
    if (atx_ptx_take_sign(p, ';'))
        return true;
    if (atx_ptx_is_sign(p, '{')) {
        if (p->depth >= ATX_PTX_MAX_DEPTH)
            return atx_ptx_refuse(p, &p->token, "scopes nested more than %d deep", ATX_PTX_MAX_DEPTH);
        atx_ptx_enter(p);
        atx_ptx_advance(p);
        return true;
    }
    if (p->token.kind == ATX_TOKEN_DOT)
        return read_dot_statement(p);
    if (p->token.kind == ATX_TOKEN_WORD) {
        if (!read_label(&label, p) || label)
            return p->status == AT_OK;
        return atx_ptx_read_instruction(p);
    }
    if (atx_ptx_is_sign(p, '@'))
        return atx_ptx_read_instruction(p);
    if (p->token.kind == ATX_TOKEN_END)
        return atx_ptx_refuse(p, &p->token, "the text ends within a function");
    return atx_ptx_refuse(p, &p->token, "found '%.*s'; expected an instruction", p->token.len, p->token.text);
}

/* The caller has entered the scope of parameters, and leaves it. */
bool atx_ptx_read_body(atx_ptx_parser *p)
{
    const int outside = p->depth;
    if (!atx_ptx_expect_sign(p, '{'))
        return false;
    atx_ptx_enter(p);
    atx_ptx_function *f = atx_ptx_current(p);
    f->has_body = true;
    /* Instructions without operands point at the first, too. */
    if (!atx_grow(&f->operands, &p->operand_cap, 0, sizeof *f->operands))
        return atx_ptx_no_memory(p);
    while (p->depth > outside) {
        if (atx_ptx_is_sign(p, '}')) {
            if (!atx_ptx_leave(p))
                return false;
            atx_ptx_advance(p);
        } else if (!read_statement(p))
            return false;
    }
    return true;
}
