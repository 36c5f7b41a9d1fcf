/*
 * ptx_internal.h - the parser's own definitions. Private to ptx*.c.
 *
 * A parser that has failed stays failed: its first message is reported, and functions that return bool return
 * false. Everything that outlives it belongs to the module.
 */
#pragma once

#include "ptx/ptx.h"

/* ---- tokens ---- */

typedef enum atx_ptx_token_kind {
    ATX_TOKEN_END,
    ATX_TOKEN_WORD,   /* add, %r1, $L__BB0_2, _ */
    ATX_TOKEN_DOT,    /* .global, .shared::cluster: `text` is behind the point */
    ATX_TOKEN_NUMBER, /* 12, 0x1F, 0f3F800000 */
    ATX_TOKEN_STRING, /* without its quotes */
    ATX_TOKEN_SIGN,   /* one character */
    ATX_TOKEN_BAD
} atx_ptx_token_kind;

typedef struct atx_ptx_token {
    atx_ptx_token_kind kind;
    const char *text;
    int len;
    int line, column;
    int64_t value;
    int real_bits; /* as in atx_ptx_operand */
} atx_ptx_token;

typedef struct atx_ptx_lexer {
    const char *at, *end, *line_start;
    int line;
} atx_ptx_lexer;

void atx_ptx_next_token(atx_ptx_token *out, atx_ptx_lexer *lexer);

/* ---- names ---- */

typedef enum atx_ptx_symbol_kind {
    ATX_SYMBOL_REGISTER,
    ATX_SYMBOL_REGISTERS, /* %r<20>: `count` of them from `index` */
    ATX_SYMBOL_VARIABLE,
    ATX_SYMBOL_LABEL,
    ATX_SYMBOL_FUNCTION,
    ATX_SYMBOL_TABLE,
    ATX_SYMBOL_PROTOTYPE /* of functions that are called by their address */
} atx_ptx_symbol_kind;

typedef struct atx_ptx_symbol {
    const char *name; /* in the text */
    int len, kind, index, count;
    int depth; /* of the scope: 0 is the module's */
    int bucket;
    int32_t next; /* in its bucket */
} atx_ptx_symbol;

/* A label that is used before it is there: of an operand, or of a table's row. */
typedef struct atx_ptx_fixup {
    atx_ptx_token name;
    int depth;
    int32_t operand; /* ATX_PTX_NO_INDEX: a table's */
    int32_t table, row;
} atx_ptx_fixup;

enum { ATX_PTX_BUCKETS = 1024, ATX_PTX_MAX_DEPTH = 64 };

typedef struct atx_ptx_module_owned {
    atx_ptx_module module; /* first */
    char **owned;          /* freed at the end */
    size_t owned_count, owned_cap;
    size_t variable_cap, function_cap;
} atx_ptx_module_owned;

/* A .loc of code that was inlined: where it is, and where the outermost call to it is. */
typedef struct atx_ptx_place {
    int64_t at[3]; /* file, line, column */
    int outer_file, outer_line;
} atx_ptx_place;

typedef struct atx_ptx_parser {
    atx_ptx_lexer lexer;
    atx_ptx_token token; /* the next one */
    atx_ptx_module_owned *out;
    at_error *err;
    at_status status;

    atx_ptx_symbol *symbols;
    size_t symbol_count, symbol_cap;
    int32_t buckets[ATX_PTX_BUCKETS];
    int depth;
    atx_ptx_fixup *fixups;
    size_t fixup_count, fixup_cap;

    int32_t function; /* that is being read; ATX_PTX_NO_INDEX: none */
    size_t register_cap, instruction_cap, operand_cap, table_cap;
    int file, line;             /* of the last .loc */
    int outer_file, outer_line; /* where the outermost call was, of those that were inlined there */
    struct atx_ptx_place *places;
    size_t place_count, place_cap;
} atx_ptx_parser;

/* ---- ptx_token.c ---- */

/* Fails with the place of a token; false. */
bool atx_ptx_refuse(atx_ptx_parser *p, const atx_ptx_token *at, const char *format, ...) AT_PRINTF(3, 4);
bool atx_ptx_no_memory(atx_ptx_parser *p);
void atx_ptx_advance(atx_ptx_parser *p);
bool atx_ptx_is(const atx_ptx_token *t, atx_ptx_token_kind kind, const char *text);
bool atx_ptx_is_sign(const atx_ptx_parser *p, char sign);
/* Takes the sign if it is next. */
bool atx_ptx_take_sign(atx_ptx_parser *p, char sign);
bool atx_ptx_expect_sign(atx_ptx_parser *p, char sign);
/* Fails: the next token is another one than `wanted`; false. */
bool atx_ptx_unexpected(atx_ptx_parser *p, const char *wanted);
bool atx_ptx_expect_number(int64_t *out, atx_ptx_parser *p);
/* A copy that the module owns; NULL: out of memory, said. */
char *atx_ptx_own(atx_ptx_parser *p, const char *text, size_t len);
void *atx_ptx_own_bytes(atx_ptx_parser *p, size_t bytes);
atx_ptx_function *atx_ptx_current(atx_ptx_parser *p);

/* ---- ptx_symbols.c ---- */

bool atx_ptx_declare(atx_ptx_parser *p, const atx_ptx_token *name, int kind, int index, int count);
/* NULL: no such name. Of %r17 the symbol may be that of %r<20>; *index is then the register's. */
const atx_ptx_symbol *atx_ptx_find(const atx_ptx_parser *p, const char *name, int len, int *index);
void atx_ptx_enter(atx_ptx_parser *p);
/* Labels that are used in this scope and declared in it or below are resolved. */
bool atx_ptx_leave(atx_ptx_parser *p);
bool atx_ptx_need_label(atx_ptx_parser *p, const atx_ptx_token *name, int32_t operand, int32_t table,
                        int32_t row);

/* ---- ptx_variables.c ---- */

/* `.global .align 4 .b8 name[12] = {..}, other;` from the space on, `.reg` excepted. */
bool atx_ptx_read_variables(atx_ptx_parser *p, bool external);
/* One parameter of a function up to its comma; its number goes to *variable. */
bool atx_ptx_read_param(atx_ptx_parser *p, int32_t *variable);
bool atx_ptx_type_of(int *out, const atx_ptx_token *word);
bool atx_ptx_space_of(int *out, const atx_ptx_token *word);
int64_t atx_ptx_round_up(int64_t value, int64_t align);

/* ---- ptx_body.c, ptx_instruction.c, ptx_words.c ---- */

bool atx_ptx_read_body(atx_ptx_parser *p);
bool atx_ptx_read_instruction(atx_ptx_parser *p);
/* Applies a word behind the op's name; false: it is not known. */
bool atx_ptx_apply_word(atx_ptx_instruction *i, const char *word, int len);
int atx_ptx_find_op(const char *word, int len);      /* ATX_PTX_NO_OP: none */
int atx_ptx_find_special(const char *word, int len); /* -1: none */
