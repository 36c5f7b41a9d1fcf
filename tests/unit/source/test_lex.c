/*
 * test_lex.c - the one table of how CUDA C++ is taken apart. What every reader of such texts relies on has
 * its row here: a text, and its tokens with a letter for their kind and for what is told of each.
 */
#include "source/lex.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "util/str.h"

TestSuite(lex);

/* "w:int w:a s:= n:1": word, number, text, comment, directive, sign; then p: in a directive, i: inactive, a:
 * of an attribute, r: raw, j: joined from several lines, which are shown as one. Blanks within are shown as _
 */
static void show(atx_str *out, const char *text, const atx_token *t)
{
    char word[200];
    atx_token_copy(word, sizeof word, text, t);
    for (char *at = word; *at; at++)
        *at = (char)(*at == ' ' || *at == '\n' || *at == '\r' ? '_' : *at);
    atx_str_addf(out, "%s%c%s%s%s%s%s:%s", out->len ? " " : "", "wntcds"[t->kind],
                 t -> directive && t -> kind != ATX_TOKEN_DIRECTIVE ? "p" : "", t->inactive ? "i" : "",
                 t->attribute ? "a" : "", t->raw ? "r" : "", t->spliced ? "j" : "", word);
}

static void expect_tokens(const char *text, const atx_lex_options *options, const char *expected)
{
    atx_str shown = { 0 };
    atx_lexer lexer = { .text = text, .len = strlen(text), .options = *options };
    for (atx_token t; atx_lexer_next(&t, &lexer);)
        show(&shown, text, &t);
    cr_expect_str_eq(atx_str_text(&shown), expected, "%s\nbecame\n%s\nnot\n%s", text, atx_str_text(&shown),
                     expected);
    atx_str_clear(&shown);
}

typedef struct row {
    const char *text, *tokens;
} row;

static void expect_rows(const row *rows, size_t count, atx_lex_options options)
{
    for (size_t i = 0; i < count; i++)
        expect_tokens(rows[i].text, &options, rows[i].tokens);
}

#define EXPECT_ROWS(rows, ...) expect_rows(rows, sizeof rows / sizeof *rows, (atx_lex_options){ __VA_ARGS__ })

Test(lex, words_numbers_and_signs)
{
    static const row ROWS[] = {
        { "", "" },
        { " \t\r\n\f\v", "" },
        { "int a=b+1;", "w:int w:a s:= w:b s:+ n:1 s:;" },
        { "\xef\xbb\xbfint a", "w:int w:a" },
        { "_x $y \xc3\xa4z", "w:_x w:$y w:\xc3\xa4z" },
        { "1'000 0xf'f 1.5e-3'1f .5 0x1p-3f 1.f", "n:1'000 n:0xf'f n:1.5e-3'1f n:.5 n:0x1p-3f n:1.f" },
        { "0xE+1", "n:0xE+1" }, /* as C++ has it: one token */
        { "1e + 2", "n:1e s:+ n:2" },
        { "1'", "n:1 t:'" },
        { "a...b", "w:a s:... w:b" },
        { "a->b::c<<<1,2>>>(d)", "w:a s:-> w:b s::: w:c s:<< s:< n:1 s:, n:2 s:>> s:> s:( w:d s:)" },
        { "a+++b==!c", "w:a s:++ s:+ w:b s:== s:! w:c" },
        { "a \\ b @", "w:a s:\\ w:b s:@" },
        { "a # b", "w:a s:# w:b" },
    };
    EXPECT_ROWS(ROWS, .comments = true);
}

Test(lex, comments)
{
    static const row ROWS[] = {
        { "a // b\nc", "w:a c://_b w:c" },
        { "a // b \\\n c\nd", "w:a cj://_b__c w:d" },
        { "a // b \\\r\n c\r\nd", "w:a cj://_b__c_ w:d" },
        { "a // b \\ \nc", "w:a c://_b_\\_ w:c" }, /* NVRTC joins no such lines */
        { "a /* \" */ b /*", "w:a c:/*_\"_*/ w:b c:/*" },
        { "a /*/ b */ c", "w:a c:/*/_b_*/ w:c" },
        { "/* a *\\\n/ b", "cj:/*_a_*/ w:b" },
        { "a/\\\n* b */ c /\\\n/ d", "w:a cj:/*_b_*/ w:c cj://_d" },
        { "\"//\" a", "t:\"//\" w:a" },
        { "a /**/ b", "w:a c:/**/ w:b" },
        { "/", "s:/" },
    };
    EXPECT_ROWS(ROWS, .comments = true);
}

Test(lex, strings_and_characters)
{
    static const row ROWS[] = {
        { "a \"\\\"//\" b", "w:a t:\"\\\"//\" w:b" },
        { "a '\"' b '\\'' c '{' d", "w:a t:'\"' w:b t:'\\'' w:c t:'{' w:d" },
        { "\"a\\\\\" b", "t:\"a\\\\\" w:b" },
        { "L\"a\" \"b\"_s", "w:L t:\"a\" t:\"b\" w:_s" },
        { "a \"b\\\nc\" d", "w:a tj:\"bc\" w:d" },
        { "a \"b\\\r\nc\" d", "w:a tj:\"bc\" w:d" },
        { "a \"b\nc", "w:a t:\"b w:c" }, /* one that does not end, ends with its line */
        { "'", "t:'" },
        { "\"\\", "t:\"\\" },
    };
    EXPECT_ROWS(ROWS, .comments = true);
}

Test(lex, raw_strings)
{
    static const row ROWS[] = {
        { "a R\"(b\n\"//)\" c LR\"x(b)\")x\" d", "w:a tr:R\"(b_\"//)\" w:c tr:LR\"x(b)\")x\" w:d" },
        { "R\"(a\\\nb)\" c", "tr:R\"(a\\_b)\" w:c" },
        { "R\\\n\"(a)\" c", "tr:R\\_\"(a)\" w:c" },
        { "xR\"(\" R\"12345678901234567(\" R", "w:xR t:\"(\" tr:R\"12345678901234567(\" w:R" },
        { "R\"(a", "tr:R\"(a" },
        { "R\"a b\" c", "tr:R\"a_b\" w:c" }, /* ill-formed: a string */
        { "u8R\"()\"", "tr:u8R\"()\"" },
    };
    EXPECT_ROWS(ROWS, .comments = true);
}

Test(lex, lines_that_are_joined)
{
    static const row ROWS[] = {
        { "a\\\nb", "wj:ab" },
        { "__glo\\\r\nbal__ c", "wj:__global__ w:c" },
        { "1\\\n2", "nj:12" },
        { "+\\\n+", "sj:++" },
        { "a \\\n b", "w:a w:b" },
        { "a\\ \nb", "w:a s:\\ w:b" },
        { "#define A \\\n  b\nc", "d:# wp:define wp:A wp:b w:c" },
        { "#inc\\\nlude \"a\"", "d:# wpj:include tp:\"a\"" },
        { "a\\", "w:a s:\\" },
        { "\\\n\\\na", "w:a" },
    };
    EXPECT_ROWS(ROWS, .comments = true);
}

Test(lex, directives_and_names_of_headers)
{
    static const row ROWS[] = {
        { "# define A 1 // c\nb", "d:# wp:define wp:A np:1 w:b" },
        { "  /* a */ #pragma once\nb", "d:# wp:pragma wp:once w:b" },
        { "/* a\n */ #pragma once", "d:# wp:pragma wp:once" },
        { "a #pragma once", "w:a s:# w:pragma w:once" },
        { "#if A /* a\n b */ + 1\nc", "d:# wp:if wp:A sp:+ np:1 w:c" }, /* a comment is one blank */
        { "%:define A", "d:%: wp:define wp:A" },
        { "#define S(x) #x ## y", "d:# wp:define wp:S sp:( wp:x sp:) sp:# wp:x sp:## wp:y" },
        { "#include <a//b's> c", "d:# wp:include tp:<a//b's> wp:c" },
        { "#include \"a\\b\"", "d:# wp:include tp:\"a\\b\"" },
        { "#include /* a */ <b> // c", "d:# wp:include tp:<b>" },
        { "#include_next<a>", "d:# wp:include_next tp:<a>" },
        { "#include A", "d:# wp:include wp:A" },
        { "#include <a\n>", "d:# wp:include sp:< wp:a s:>" },
        { "#if A < B && C > D", "d:# wp:if wp:A sp:< wp:B sp:&& wp:C sp:> wp:D" },
        { "#if __has_include( <a//b> ) && c", "d:# wp:if wp:__has_include sp:( tp:<a//b> sp:) sp:&& wp:c" },
        { "#ifdef __has_include\na < b > c", "d:# wp:ifdef wp:__has_include w:a s:< w:b s:> w:c" },
        { "include <a>", "w:include s:< w:a s:>" },
        { "#", "d:#" },
        { "#\na", "d:# w:a" },
        { "##define A", "d:# sp:# wp:define wp:A" },
    };
    EXPECT_ROWS(ROWS, .comments = false);
}

Test(lex, branches_that_are_left_out)
{
    static const row ROWS[] = {
        { "#if 0\na's #\n#else\nb\n#endif\nc",
          "d:# wp:if np:0 wi:a ti:'s_# d:# wp:else w:b d:# wp:endif w:c" },
        { " # if 0 // why\n#ifdef A\na\n#else\nb\n#endif\nc\n# endif\nd",
          "d:# wp:if np:0 di:# wpi:ifdef wpi:A wi:a di:# wpi:else wi:b di:# wpi:endif wi:c d:# wp:endif "
          "w:d" },
        { "#if 0\r\na\n#elif B\nb\n#else\nc", "d:# wp:if np:0 wi:a d:# wp:elif wp:B w:b d:# wp:else w:c" },
        { "#if 1\na\n#elif B\nb\n#else\nc\n#endif",
          "d:# wp:if np:1 w:a d:# wp:elif wp:B wi:b d:# wp:else wi:c d:# wp:endif" },
        { "#if A\na\n#elif 1\nb\n#else\nc\n#endif\nd",
          "d:# wp:if wp:A w:a d:# wp:elif np:1 w:b d:# wp:else wi:c d:# wp:endif w:d" },
        { "#if false\na\n#elif true\nb\n#endif",
          "d:# wp:if wp:false wi:a d:# wp:elif wp:true w:b d:# wp:endif" },
        { "#if 01\na\n#if 0 + 1\nb\n#if\nc\n#if \\\n0\nd",
          "d:# wp:if np:01 w:a d:# wp:if np:0 sp:+ np:1 w:b d:# wp:if w:c d:# wp:if np:0 wi:d" },
        { "#if 0\n/* #endif\n*/ a\n#endif\nb", "d:# wp:if np:0 wi:a d:# wp:endif w:b" },
        { "#endif\n#else\na", "d:# wp:endif d:# wp:else w:a" },
        { "#ifdef ON\na\n#else\nb\n#endif\n#ifndef ON\nc\n#else\nd\n#endif\n#ifdef OFF\ne",
          "d:# wp:ifdef wp:ON w:a d:# wp:else wi:b d:# wp:endif d:# wp:ifndef wp:ON wi:c d:# wp:else w:d d:# "
          "wp:endif d:# wp:ifdef wp:OFF w:e" },
    };
    EXPECT_ROWS(ROWS, .defined = "ON");
    static const row ACTIVE[] = {
        { "a\n#if 0\nb\n#if 1\n#endif\n#else\nc\n#endif", "w:a d:# wp:if np:0 d:# wp:else w:c d:# wp:endif" },
    };
    EXPECT_ROWS(ACTIVE, .active = true);
}

Test(lex, attributes)
{
    static const row ROWS[] = {
        { "[[maybe_unused]] int a[b[1]]",
          "sa:[ sa:[ wa:maybe_unused sa:] sa:] w:int w:a s:[ w:b s:[ n:1 s:] s:]" },
        { "[ [x(a[1])]] b", "sa:[ sa:[ wa:x sa:( wa:a sa:[ na:1 sa:] sa:) sa:] sa:] w:b" },
        { "[[; a", "sa:[ sa:[ s:; w:a" },
        { "[](int a) {}", "s:[ s:] s:( w:int w:a s:) s:{ s:}" },
    };
    EXPECT_ROWS(ROWS, .comments = false);
}

Test(lex, a_directive_as_one_token)
{
    static const row ROWS[] = {
        { "#define A \\\n b // c\nd", "dj:#define_A__b_//_c w:d" },
        { "#if 0\na\n#endif", "d:#if_0 wi:a d:#endif" },
        { "#error don't\na", "d:#error_don't w:a" },
        { "#if A /* a\n b */ + 1\nc", "d:#if_A_/*_a__b_*/_+_1 w:c" },
    };
    EXPECT_ROWS(ROWS, .lines = true);
}

Test(lex, what_does_not_end_is_open)
{
    static const struct {
        const char *text;
        bool open, unsure;
    } CASES[] = {
        { "a \"b\" /* c */", false, false },
        { "\"a", true, true },
        { "a's", true, true },
        { "/* a", true, false },
        { "R\"(a", true, false },
        { "#if 0\na's\n#endif", false, true },
        { "#error don't", false, true },
        { "// a \\ \nb", false, true },
        { "// a \\\nb", false, false },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_lexer lexer = { .text = CASES[i].text, .len = strlen(CASES[i].text) };
        for (atx_token t; atx_lexer_next(&t, &lexer);)
            ;
        cr_expect_eq(lexer.open, CASES[i].open, "%s", CASES[i].text);
        cr_expect_eq(lexer.unsure, CASES[i].unsure, "%s", CASES[i].text);
    }
}

Test(lex, blanks_and_lines_are_told)
{
    static const char TEXT[] = "a/* \n */b\n\\\n\n c \"\\\nd\"e";
    static const struct {
        bool blank;
        int line;
    } EXPECTED[] = { { false, 1 }, { true, 2 }, { true, 5 }, { true, 5 }, { false, 6 } };
    atx_lexer lexer = { .text = TEXT, .len = sizeof TEXT - 1 };
    atx_token t;
    for (size_t i = 0; i < sizeof EXPECTED / sizeof *EXPECTED; i++) {
        cr_assert(atx_lexer_next(&t, &lexer));
        cr_expect_eq(t.blank, EXPECTED[i].blank, "%zu", i);
        cr_expect_eq(t.line, EXPECTED[i].line, "%zu: %d", i, t.line);
    }
    cr_expect_not(atx_lexer_next(&t, &lexer));
}

/* Those of a directive, and of what is left out, belong to each other alone. */
Test(lex, brackets_are_paired)
{
    static const char TEXT[] = "f(a[1], {b})\n#if (A\n)\n#if 0\n(\n#endif\n) (";
    static const atx_lex_options ALL = { .comments = true };
    atx_tokens t;
    char shown[200] = "";
    cr_assert(atx_tokens_read(&t, TEXT, sizeof TEXT - 1, &ALL));
    for (size_t i = 0; i < t.count; i++)
        if (atx_tokens_opens(&t, i)) {
            size_t close = atx_tokens_match(&t, i), n = strlen(shown);
            snprintf(shown + n, sizeof shown - n, "%c%c ", TEXT[t.items[i].begin],
                     close < t.count ? TEXT[t.items[close].begin] : '-');
        }
    cr_expect_str_eq(shown, "() [] {} (- (- (- ");
    cr_expect_eq(atx_tokens_find(&t, 2, t.count, ","), 6);
    cr_expect_eq(atx_tokens_find(&t, 2, 5, ","), 5);
    atx_tokens_clear(&t);
}

/* Those of one statement, in the same brackets; whether they are a list is not known here. */
Test(lex, angles_are_paired)
{
    static const struct {
        const char *text;
        size_t open, close;
    } CASES[] = {
        { "A<B<int>> x;", 1, 5 },     { "A<B<int>> x;", 3, 5 },  { "A<(b > c)> x;", 1, 7 },
        { "a < b; c > d;", 1, 8 },    { "f(a < b) > c;", 3, 9 }, { "a < f(b, c<d>) ;", 1, 12 },
        { "a < f(b, c<d>) ;", 7, 9 },
    };
    static const atx_lex_options ALL = { .comments = true };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_tokens t;
        cr_assert(atx_tokens_read(&t, CASES[i].text, strlen(CASES[i].text), &ALL));
        const size_t close = CASES[i].close < t.count ? CASES[i].close : t.count;
        cr_expect_eq(atx_tokens_match(&t, CASES[i].open), close, "%s", CASES[i].text);
        atx_tokens_clear(&t);
    }
}

Test(lex, a_reader_may_look_ahead_from_the_end)
{
    static const char *const WORDS[] = { "x", "(", "+", NULL };
    for (size_t n = 0; n <= 64; n++) { /* whatever the array has room for */
        char text[65] = "";
        memset(text, '(', n);
        atx_tokens t;
        cr_assert(atx_tokens_read(&t, text, n, &(atx_lex_options){ 0 }));
        cr_expect_eq(t.count, n);
        for (size_t i = t.count; i < t.count + ATX_TOKENS_BEHIND; i++) {
            cr_expect_not(atx_token_is_one_of(text, &t.items[i], WORDS));
            cr_expect_eq(t.items[i].pair, SIZE_MAX);
        }
        atx_tokens_clear(&t);
    }
}

Test(lex, the_time_for_open_brackets_is_linear)
{
    enum { MANY = 200000 };
    static char text[MANY + 1];
    static const atx_lex_options ALL = { .comments = true };
    atx_tokens t;
    size_t found = 0;
    memset(text, '(', MANY);
    cr_assert(atx_tokens_read(&t, text, MANY, &ALL));
    for (size_t i = 0; i < t.count; i++)
        found += atx_tokens_match(&t, i) < t.count;
    cr_expect_eq(t.count, (size_t)MANY);
    cr_expect_eq(found, (size_t)0);
    atx_tokens_clear(&t);
}
