/*
 * test_normalized.c - two texts have one hash when they mean the same, and only then: by a table, and by
 * every shipped template with comments and blanks put between its tokens, or with one token changed.
 */
#include "source/normalized.h"

#include "declare/declare_common.h"
#include "lang/catalog.h"
#include "source/lex.h"
#include "util/rng.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(meaning);

static void hash_of(char out[ATX_HASH_TEXT], const char *text, size_t len)
{
    at_error err = { 0 };
    cr_assert_eq(atx_normalized_hash(out, text, len, NULL, &err), AT_OK, "%s", err.text);
}

static bool same(const char *a, size_t a_len, const char *b, size_t b_len)
{
    char x[ATX_HASH_TEXT], y[ATX_HASH_TEXT];
    hash_of(x, a, a_len);
    hash_of(y, b, b_len);
    return strcmp(x, y) == 0;
}

static const struct pair {
    const char *a, *b;
} SAME[] = {
    { "int a; // why\n", "int a;\n" },
    { "a/* b */c", "a c" },
    { "a+b*(c)", "a + b * ( c )" },
    { "x = -1;", "x=-1;" },
    { "f(a,\n  b);\r\n", "f(a, b);\n" },
    { "// goes \\\n on\nint a;", "int a;" },
    { "a /\\\n/ a joined comment\nb", "a b" },
    { "a /* ** / *\\\n/ b", "a b" },
    { "in\\\nt a;", "int a;" },
    { "#define A 1 // one\nb", "#define   A /* a */ 1\nb" },
    { "#define A \\\n    1\n", "#define A 1\n" },
    { "  #  pragma unroll 4\na", "#pragma unroll  4 \na" },
    { "#if A /* goes\non */ || B\nc\n#endif", "#if A || B\nc\n#endif\n" },
    { "#include <a//b>  // c\n", "#include <a//b>\n" },
    { "# /* a */ include /* b */ <a//b>\n", "#include <a//b>\n" },
    { "#define S(x) #x\nS(a  +\n b)", "#define S(x) #x\nS(a /* and */ + b)" },
    { "\xef\xbb\xbfint a;", "int a;" },
    { "a\"b\" \"c\"", "a\"b\"\n\"c\"" },
    { "/*!autotune\nop x  # why\n\n  grid   1 \\\n 2\n*/ a", "/*!autotune\nop x\ngrid 1 2\n*/\na" },
    { "/*!autotune op x*/", "/*!autotune\n  op x # x\n*/" },
    { "#ifndef AUTOTUNE_ONCE_0123456789abcdef01234567\n",
      "#ifndef AUTOTUNE_ONCE_76543210fedcba9876543210\n" },
    { "//!autotune common x 9\nint a;//\nb", "//!autotune common x 7\nint a;\nb" },
};

static const struct pair OTHER[] = {
    { "a b", "ab" },
    { "a+ +b", "a++b" },
    { "a - -b", "a--b" },
    { "a- >b", "a->b" },
    { "a< <b", "a<<b" },
    { "a: :b", "a::b" },
    { "a & &b", "a&&b" },
    { "x + = 1", "x += 1" },
    { "p ->* q", "p -> * q" },
    { "a . . .", "a ..." },
    { "a = .5", "a = . 5" },
    { "0xE+1", "0xE + 1" },
    { "1'000", "1 '000'" },
    { "1.f", "1. f" },
    { "u8\"a\"", "u8 \"a\"" },
    { "\"a\"_s", "\"a\" _s" },
    { "\"a  b\"", "\"a b\"" },
    { "\"/* a */\"", "\"\"" },
    { "\"\\\" // a\"", "\"\\\"\"" },
    { "'\"' // a\n'\"'", "'\"'" },
    { "R\"x( // )x\"", "R\"x( )x\"" },
    { "R\"x( )\" // )x\"", "R\"x( )\"\n)x\"" },
    { "R\"(a\\\nb)\"", "R\"(ab)\"" },
    { "asm(\"a;\\n\\t b;\");", "asm(\"a;\\n\\tb;\");" },
    { "#include <a//b>\n", "#include <a//c>\n" },
    { "#/**/include/**/<a//b>\n", "#include <a//c>\n" },
    { "#include \"a/*b\"\n/* */", "#include \"a\"\n" },
    { "#define f(x) x\n", "#define f (x) x\n" },
    { "#define A 1\nb", "#define A 1 b" },
    { "#define S(x) #x\nS(a+b)", "#define S(x) #x\nS(a + b)" },
    { "#define S(x) x ## #x\nS(a+b)", "#define S(x) x ## #x\nS(a + b)" },
    { "int a = __LINE__;", "\nint a = __LINE__;" },
    { "// a\\\nb", "// a\nb" },
    { "// a \\ \nb", "b" },
    { "// a \\ \nb", "" },
    { "// a?\?/\nb", "// a\nb" },
    { "/* a", "" },
    { "'a", "'a // b" },
    { "\"\\\\\n\n\" // a", "\"\\\\\n\n\" // b" },
    { "a // b", "a # b" },
    { "/*!autotune\nop x\n*/", "" },
    { "/*!autotune\nop x\n*/", "/*!autotune\nop y\n*/" },
    { "/*!autotune\nop a b\n*/", "/*!autotune\nop ab\n*/" },
    { "/*!autotune\nop a\nb\n*/", "/*!autotune\nop a b\n*/" },
    { "/*!autotune\nrequire \"a  b\"\n*/", "/*!autotune\nrequire \"a b\"\n*/" },
    { "/* a\n/*!autotune\nop x\n*/", "/* a\n/*!autotune\nop y\n*/" },
    { "// \\\n/*!autotune\nop x\n*/", "// \\\n/*!autotune\nop y\n*/" },
    { "R\"(\n/*!autotune\nop x\n*/)\"", "R\"(\n/*!autotune\nop x #\n*/)\"" },
    { "//!autotune common x 2\n1\n2", "//!autotune common y 2\n1\n2" },
    { "//!autotune common x 2\n1\n2", "1 2" },
    { "//!autotune headers a <b>\nc", "//!autotune headers d <b>\nc" },
    { "//!autotune headers a <b>\nM(c+d)", "//!autotune headers a <b>\nM(c + d)" },
    { "AUTOTUNE_ONCE_0123456789abcdef01234567 AUTOTUNE_ONCE_0123456789abcdef01234567",
      "AUTOTUNE_ONCE_0123456789abcdef01234567 AUTOTUNE_ONCE_0123456789abcdef01234568" },
};

Test(meaning, comments_and_indents_are_not_a_part_of_it)
{
    for (size_t i = 0; i < sizeof SAME / sizeof *SAME; i++)
        cr_expect(same(SAME[i].a, strlen(SAME[i].a), SAME[i].b, strlen(SAME[i].b)), "[%zu] %s <-> %s", i,
                  SAME[i].a, SAME[i].b);
}

Test(meaning, what_a_compiler_or_the_reader_of_declarations_sees_is)
{
    for (size_t i = 0; i < sizeof OTHER / sizeof *OTHER; i++)
        cr_expect(!same(OTHER[i].a, strlen(OTHER[i].a), OTHER[i].b, strlen(OTHER[i].b)), "[%zu] %s <-> %s", i,
                  OTHER[i].a, OTHER[i].b);
}

Test(meaning, its_hash_is_never_that_of_a_text)
{
    char meaning[ATX_HASH_TEXT], text[ATX_HASH_TEXT];
    atx_str folded = { 0 };
    hash_of(meaning, "a", 1);
    cr_assert(atx_normalized_fold(&folded, "a", 1, NULL));
    atx_hash_text(text, folded.data, folded.len);
    cr_expect_str_neq(meaning, text);
    atx_hash_text(text, "a", 1);
    cr_expect_str_neq(meaning, text);
    atx_str_clear(&folded);
}

Test(meaning, what_is_general_is_no_part_of_it)
{
    static const char A[] = "/*!autotune\ntemplate x\nconst E = 1\ngeneral E=1 # why\n*/ m",
                      B[] = "/*!autotune\ntemplate x\nconst E = 1\n*/ m",
                      C[] = "/*!autotune\ntemplate x\nconst E = 1\ngenerals E\n*/ m";
    cr_expect(same(A, strlen(A), B, strlen(B)));
    cr_expect(!same(C, strlen(C), B, strlen(B)));
}

/* Both make the same space. */
Test(meaning, what_is_preferred_is_as_what_is_required)
{
    static const char A[] = "/*!autotune\ntemplate x\nprefer  N < 8 # why\n*/ m",
                      B[] = "/*!autotune\ntemplate x\nrequire N < 8\n*/ m",
                      C[] = "/*!autotune\ntemplate x\nprefers N < 8\n*/ m";
    char a[ATX_HASH_TEXT], b[ATX_HASH_TEXT], c[ATX_HASH_TEXT];
    hash_of(a, A, strlen(A));
    hash_of(b, B, strlen(B));
    hash_of(c, C, strlen(C));
    cr_assert_str_eq(a, b);
    cr_assert_str_neq(a, c);
}

Test(meaning, lines_of_a_declaration_can_be_left_out)
{
    static const char *const WORDS[] = { "metric", NULL };
    static const char A[] = "/*!autotune\nop x\nmetric a = b \\\n  + c # why\n*/ m",
                      B[] = "/*!autotune\nop x\n*/ m", C[] = "/*!autotune\nop x\nmetrics a\n*/ m";
    char a[ATX_HASH_TEXT], b[ATX_HASH_TEXT], c[ATX_HASH_TEXT];
    cr_assert_eq(atx_normalized_hash(a, A, strlen(A), WORDS, NULL), AT_OK);
    cr_assert_eq(atx_normalized_hash(b, B, strlen(B), WORDS, NULL), AT_OK);
    cr_assert_eq(atx_normalized_hash(c, C, strlen(C), WORDS, NULL), AT_OK);
    cr_expect_str_eq(a, b);
    cr_expect_str_neq(a, c);
}

/* ---- shipped templates ---- */

typedef struct shipped {
    const char *path, *text;
    size_t len;
    atx_tokens tokens; /* comments among them */
} shipped;

static void open_shipped(shipped *s, const atx_embedded *e)
{
    *s = (shipped){ .path = e->path, .text = (const char *)e->data, .len = e->len };
    static const atx_lex_options OPTIONS = { .comments = true, .lines = true };
    cr_assert(atx_tokens_read(&s->tokens, s->text, s->len, &OPTIONS));
    cr_assert(s->tokens.count > 0 && !s->tokens.open, "%s", s->path);
}

/* Whatever is done to it: each of the shipped files, those of common code too. */
static void each_shipped(void (*visit)(const shipped *s, uint64_t seed))
{
    const atx_embedded *tables[] = { atx_embedded_files, atx_embedded_commons };
    uint64_t seed = 1;
    for (int i = 0; i < 2; i++)
        for (const atx_embedded *e = tables[i]; e->path; e++) {
            shipped s;
            open_shipped(&s, e);
            visit(&s, seed++);
            atx_tokens_clear(&s.tokens);
        }
    cr_assert(seed > 40);
}

static bool is_declaration(const shipped *s, const atx_token *t)
{
    return t->end - t->begin > 11 && memcmp(s->text + t->begin, "/*!autotune", 11) == 0;
}

/* May something stand between the token and the next that was not there? Not between two signs that are one
 * operator, nor in what is glued to a literal. */
static bool is_border(const shipped *s, size_t i)
{
    const atx_token *a = &s->tokens.items[i], *b = a + 1;
    bool apart = a->end < b->begin;
    bool both_signs = a->kind == ATX_TOKEN_SIGN && b->kind == ATX_TOKEN_SIGN;
    bool no_signs = a->kind != ATX_TOKEN_SIGN && b->kind != ATX_TOKEN_SIGN;
    return a->kind != ATX_TOKEN_DIRECTIVE && b->kind != ATX_TOKEN_DIRECTIVE && a->kind != ATX_TOKEN_COMMENT &&
           b->kind != ATX_TOKEN_COMMENT && (apart || (!both_signs && !no_signs));
}

static void fill_borders(const shipped *s, uint64_t seed)
{
    static const char *const FILLINGS[] = {
        " ", "\n", "\t \n  ", " /* a \" */", " // it's \\\n x\n", "\n/**/ /*\n# b*/"
    };
    atx_rng rng = { seed };
    atx_str text = { 0 };
    size_t from = 0, filled = 0;
    for (size_t i = 0; i + 1 < s->tokens.count; i++) {
        if (!is_border(s, i) || atx_rng_below(&rng, 3))
            continue;
        atx_str_add_bytes(&text, s->text + from, s->tokens.items[i].end - from);
        atx_str_add(&text, FILLINGS[atx_rng_below(&rng, 6)]);
        from = s->tokens.items[i].end;
        filled++;
    }
    atx_str_add_bytes(&text, s->text + from, s->len - from);
    cr_expect(same(s->text, s->len, text.data, text.len), "%s", s->path);
    cr_expect(filled > 0 || s->tokens.count < 40, "%s: %zu", s->path, filled);
    atx_str_clear(&text);
}

Test(meaning, shipped_templates_keep_theirs_with_comments_and_blanks_between_any_tokens)
{
    each_shipped(fill_borders);
}

static void drop_comments(const shipped *s, uint64_t seed)
{
    atx_str text = { 0 };
    size_t from = 0;
    (void)seed;
    for (size_t i = 0; i < s->tokens.count; i++) {
        const atx_token *t = &s->tokens.items[i];
        if (t->kind != ATX_TOKEN_COMMENT || is_declaration(s, t))
            continue;
        atx_str_add_bytes(&text, s->text + from, t->begin - from);
        atx_str_add(&text, s->text[t->begin + 1] == '/' ? "" : " ");
        from = t->end;
    }
    atx_str_add_bytes(&text, s->text + from, s->len - from);
    cr_expect(same(s->text, s->len, text.data, text.len), "%s", s->path);
    atx_str_clear(&text);
}

Test(meaning, shipped_templates_keep_theirs_without_any_comment)
{
    each_shipped(drop_comments);
}

/* One token becomes another: a byte more in it, or another sign. */
static void change_token(atx_str *out, const shipped *s, const atx_token *t)
{
    size_t at = t->end;
    if (t->kind == ATX_TOKEN_COMMENT)
        at -= 3; /* in the declaration's last line */
    else if (t->kind == ATX_TOKEN_TEXT)
        at -= 1;
    atx_str_add_bytes(out, s->text, at);
    atx_str_add(out, t->kind == ATX_TOKEN_SIGN ? "~" : t->kind == ATX_TOKEN_COMMENT ? "\nx\n" : "1");
    atx_str_add_bytes(out, s->text + at, s->len - at);
}

static void change_each(const shipped *s, uint64_t seed)
{
    char before[ATX_HASH_TEXT], after[ATX_HASH_TEXT];
    hash_of(before, s->text, s->len);
    for (size_t i = seed % 23; i < s->tokens.count; i += 23) { /* all take half a minute */
        const atx_token *t = &s->tokens.items[i];
        atx_str text = { 0 };
        if (t->kind == ATX_TOKEN_COMMENT && !is_declaration(s, t))
            continue;
        change_token(&text, s, t);
        hash_of(after, text.data, text.len);
        cr_expect_str_neq(before, after, "%s: %.*s", s->path, (int)(t->end - t->begin), s->text + t->begin);
        atx_str_clear(&text);
    }
}

Test(meaning, any_other_token_is_another_template)
{
    each_shipped(change_each);
}

/* Nothing shipped is in doubt, or reads lines: all of it may be indented anew. */
static void expect_folded(const shipped *s, uint64_t seed)
{
    atx_str folded = { 0 };
    (void)seed;
    cr_expect(atx_normalized_fold(&folded, s->text, s->len, NULL), "%s", s->path);
    atx_str_clear(&folded);
}

Test(meaning, every_shipped_template_can_be_folded)
{
    each_shipped(expect_folded);
}
