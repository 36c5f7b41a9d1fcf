/*
 * device_items.h - the declarations at namespace scope of a text, as ranges of its tokens, with the names
 * that they declare; and its directives. No types are resolved. Private to device_view.c and device_items*.c.
 *
 * Namespaces and extern "C" blocks are entered: their opening and closing tokens are items of their own.
 * Conditionals may be anywhere: at an #else the reader returns to its state at the #if, and items that are
 * written in branches, with a common begin or end, become one *span*, which is kept or removed as a whole.
 */
#pragma once

#include "source/lex.h"
#include "source/words.h"

typedef enum atx_item_kind {
    ATX_ITEM_OTHER,    /* never of use to a kernel: a static_assert, the instantiation of a template */
    ATX_ITEM_SCOPE,    /* "namespace x {", or a '}' */
    ATX_ITEM_USE,      /* using namespace x; */
    ATX_ITEM_TYPE,     /* a struct, an enum, an alias of a type, a namespace or a name elsewhere */
    ATX_ITEM_FUNCTION, /* or an operator */
    ATX_ITEM_VARIABLE,
    ATX_ITEM_CALL /* a macro that stands for declarations */
} atx_item_kind;

typedef struct atx_item {
    atx_item_kind kind;
    size_t begin, end; /* tokens */
    size_t span;       /* index */
    size_t open;       /* of a function: the bracket of its parameters */
    size_t first_name; /* of its names in atx_items.names, which stand behind each other */
    bool device;       /* an attribute, or a macro for one, says so; or it is constexpr */
    bool kernel;       /* of these __global__ */
    bool constant;     /* const or constexpr */
    bool body;
    bool qualified; /* of a function: its name is ns::f, which is declared elsewhere */
    bool unknown;  /* a word that nothing here defines, and that looks like a macro, stands before its name */
    bool operates; /* an operator */
    bool plain_enum; /* an enum without a name: numbers */
} atx_item;

typedef struct atx_span {
    size_t begin, end; /* tokens */
} atx_span;

typedef struct atx_item_name {
    uint32_t word;
    size_t item;
    bool qualifier; /* a class or namespace that it belongs to */
} atx_item_name;

typedef enum atx_directive_kind {
    ATX_DIRECTIVE_OTHER,
    ATX_DIRECTIVE_DEFINE,
    ATX_DIRECTIVE_UNDEF,
    ATX_DIRECTIVE_IF,   /* and its kin */
    ATX_DIRECTIVE_ELSE, /* and its kin */
    ATX_DIRECTIVE_ENDIF,
    ATX_DIRECTIVE_INCLUDE,
    ATX_DIRECTIVE_PRAGMA
} atx_directive_kind;

typedef struct atx_line {
    atx_directive_kind kind;
    size_t token;
    bool hidden;       /* NVRTC does not see it; what it defines or includes does not count */
    uint32_t name;     /* of a #define or #undef */
    size_t word, last; /* its other words, in atx_items.line_words */
} atx_line;

/* What a #define makes of a word. */
enum {
    ATX_WORD_MACRO = 1,
    ATX_WORD_DEVICE = 2,
    ATX_WORD_KERNEL = 4,
    ATX_WORD_DECLARES = 8, /* whole declarations */
    ATX_WORD_OPENS = 16,   /* more braces than it closes */
    ATX_WORD_CLOSES = 32,
    ATX_WORD_SCOPE = 64, /* of a namespace, or extern "C" */
    ATX_WORD_TYPE = 128  /* template <...> struct, for some arguments */
};

typedef struct atx_items {
    atx_tokens tokens; /* a directive is one of them */
    atx_words words;
    uint32_t *ids;  /* of each token: its word; of a directive: its index in `lines`; else ATX_NO_WORD */
    uint8_t *flags; /* of each word */
    atx_line *lines;
    size_t line_count, line_cap;
    uint32_t *line_words;
    size_t line_word_count, line_word_cap;
    atx_item *items;
    size_t count, cap;
    atx_span *spans;
    size_t span_count, span_cap;
    atx_item_name *names;
    size_t name_count, name_cap;
} atx_items;

/* false: out of memory. The text is borrowed. Clear *out either way. */
bool atx_items_read(atx_items *out, const char *text, size_t len);
void atx_items_clear(atx_items *items);

/* ---- between device_items*.c ---- */

/* Is token i code: neither a directive nor inactive? */
bool atx_items_code(const atx_items *t, size_t i);

/* The flags of word i; 0: it is none. */
unsigned atx_items_flags(const atx_items *t, size_t i);

/* Is word i an attribute that has a bracket, such as __launch_bounds__? */
bool atx_items_is_attribute(const atx_items *t, size_t i);

bool atx_items_looks_like_macro(const atx_items *t, size_t i); /* ALL_UPPER */

/* What the items declare, once their ranges are known. */
bool atx_items_name(atx_items *t);
