/*
 * ptx_parts.h - the parser's own parts. Private to ptx*.c.
 *
 * A parser that has failed stays failed: its first message is the one that is told, and functions that return
 * bool return false. Everything that outlives it belongs to the module.
 */
#ifndef AUTOTUNE_PTX_PARTS_H
#define AUTOTUNE_PTX_PARTS_H

#include "ptx/ptx.h"

/* ---- tokens ---- */

typedef enum at__ptx_token_kind {
    AT__TOKEN_END,
    AT__TOKEN_WORD,   /* add, %r1, $L__BB0_2, _ */
    AT__TOKEN_DOT,    /* .global, .shared::cluster: `text` is behind the point */
    AT__TOKEN_NUMBER, /* 12, 0x1F, 0f3F800000 */
    AT__TOKEN_STRING, /* without its quotes */
    AT__TOKEN_SIGN,   /* one character */
    AT__TOKEN_BAD
} at__ptx_token_kind;

typedef struct at__ptx_token {
    at__ptx_token_kind kind;
    const char *text;
    int len;
    int line, column;
    int64_t value;
    int real_bits; /* as in at__ptx_operand */
} at__ptx_token;

typedef struct at__ptx_lexer {
    const char *at, *end, *line_start;
    int line;
} at__ptx_lexer;

void at__ptx_next_token(at__ptx_token *out, at__ptx_lexer *lexer);

/* ---- names ---- */

typedef enum at__ptx_symbol_kind {
    AT__SYMBOL_REGISTER,
    AT__SYMBOL_REGISTERS, /* %r<20>: `count` of them from `index` */
    AT__SYMBOL_VARIABLE,
    AT__SYMBOL_LABEL,
    AT__SYMBOL_FUNCTION,
    AT__SYMBOL_TABLE
} at__ptx_symbol_kind;

typedef struct at__ptx_symbol {
    const char *name; /* in the text */
    int len, kind, index, count;
    int depth; /* of the scope: 0 is the module's */
    int bucket;
    int32_t next; /* in its bucket */
} at__ptx_symbol;

/* A label that is used before it is there: of an operand, or of a table's row. */
typedef struct at__ptx_fixup {
    at__ptx_token name;
    int depth;
    int32_t operand; /* AT__PTX_NO_INDEX: a table's */
    int32_t table, row;
} at__ptx_fixup;

enum { AT__PTX_BUCKETS = 1024, AT__PTX_MAX_DEPTH = 64 };

typedef struct at__ptx_module_owned {
    at__ptx_module module; /* first */
    char **owned;          /* freed at the end */
    size_t owned_count, owned_cap;
    size_t variable_cap, function_cap;
} at__ptx_module_owned;

/* A .loc of code that was inlined: where it is, and where the outermost call to it is. */
typedef struct at__ptx_place {
    int64_t at[3]; /* file, line, column */
    int outer_file, outer_line;
} at__ptx_place;

typedef struct at__ptx_parser {
    at__ptx_lexer lexer;
    at__ptx_token token; /* the next one */
    at__ptx_module_owned *out;
    at_error *err;
    at_status status;

    at__ptx_symbol *symbols;
    size_t symbol_count, symbol_cap;
    int32_t buckets[AT__PTX_BUCKETS];
    int depth;
    at__ptx_fixup *fixups;
    size_t fixup_count, fixup_cap;

    int32_t function; /* that is being read; AT__PTX_NO_INDEX: none */
    size_t register_cap, instruction_cap, operand_cap, table_cap;
    int file, line;             /* of the last .loc */
    int outer_file, outer_line; /* where the outermost call was, of those that were inlined there */
    struct at__ptx_place *places;
    size_t place_count, place_cap;
} at__ptx_parser;

/* ---- ptx_parse.c ---- */

/* Fails with the place of a token; false. */
bool at__ptx_refuse(at__ptx_parser *p, const at__ptx_token *at, const char *format, ...) AT_PRINTF(3, 4);
bool at__ptx_no_memory(at__ptx_parser *p);
void at__ptx_advance(at__ptx_parser *p);
bool at__ptx_is(const at__ptx_token *t, at__ptx_token_kind kind, const char *text);
bool at__ptx_is_sign(const at__ptx_parser *p, char sign);
/* Takes the sign if it is next. */
bool at__ptx_take_sign(at__ptx_parser *p, char sign);
bool at__ptx_expect_sign(at__ptx_parser *p, char sign);
bool at__ptx_expect_number(int64_t *out, at__ptx_parser *p);
/* A copy that the module owns; NULL: out of memory, said. */
char *at__ptx_own(at__ptx_parser *p, const char *text, size_t len);
void *at__ptx_own_bytes(at__ptx_parser *p, size_t bytes);
at__ptx_function *at__ptx_current(at__ptx_parser *p);

/* ---- ptx_symbols.c ---- */

bool at__ptx_declare(at__ptx_parser *p, const at__ptx_token *name, int kind, int index, int count);
/* NULL: no such name. Of %r17 the symbol may be that of %r<20>; *index is then the register's. */
const at__ptx_symbol *at__ptx_find(const at__ptx_parser *p, const char *name, int len, int *index);
void at__ptx_enter(at__ptx_parser *p);
/* Labels that are used in this scope and declared in it or below are resolved. */
bool at__ptx_leave(at__ptx_parser *p);
bool at__ptx_need_label(at__ptx_parser *p, const at__ptx_token *name, int32_t operand, int32_t table,
                        int32_t row);

/* ---- ptx_variables.c ---- */

/* `.global .align 4 .b8 name[12] = {..}, other;` from the space on, `.reg` excepted. */
bool at__ptx_read_variables(at__ptx_parser *p, bool external);
/* One parameter of a function up to its comma; its number goes to *variable. */
bool at__ptx_read_param(at__ptx_parser *p, int32_t *variable);
bool at__ptx_type_of(int *out, const at__ptx_token *word);
bool at__ptx_space_of(int *out, const at__ptx_token *word);
int64_t at__ptx_round_up(int64_t value, int64_t align);

/* ---- ptx_body.c, ptx_instruction.c, ptx_words.c ---- */

bool at__ptx_read_body(at__ptx_parser *p);
bool at__ptx_read_registers(at__ptx_parser *p);
bool at__ptx_read_instruction(at__ptx_parser *p);
/* What a word behind the op's name means; false: it is not known. */
bool at__ptx_apply_word(at__ptx_instruction *i, const char *word, int len);
int at__ptx_find_op(const char *word, int len);      /* AT__PTX_NO_OP: none */
int at__ptx_find_special(const char *word, int len); /* -1: none */

#endif
