/*
 * fuzz_lex.c - any bytes as CUDA C++. They have tokens, in order, with nothing but white space and joints
 * between them, brackets in pairs, and lines that only go up. Every reader of such texts takes them, too:
 * what folds a text, cuts it, looks at its #include lines, drafts a template for it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compile/includes.h"
#include "cut/cut.h"
#include "exchange/adopt.h"
#include "source/device_view.h"
#include "source/lex.h"
#include "source/normalized.h"
#include "util/chars.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* White space, joints, and a mark at the very start. */
static void expect_blank(const char *text, size_t from, size_t to)
{
    if (from == 0 && to >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        from = 3;
    while (from < to) {
        size_t joint = atx_lexer_joint(text + from, text + to);
        expect(joint || text[from] == '\n' || atx_is_blank(text[from]));
        from += joint ? joint : 1;
    }
}

static void check_tokens(const char *text, size_t len)
{
    static const atx_lex_options ALL = { .comments = true };
    atx_tokens t;
    size_t end = 0;
    int line = 1;
    expect(atx_tokens_read(&t, text, len, &ALL));
    for (size_t i = 0; i < t.count; i++) {
        const atx_token *token = &t.items[i];
        expect(token->begin >= end && token->end > token->begin && token->end <= len && token->line >= line);
        expect(token->pair == SIZE_MAX ||
               (token->pair < t.count && (t.items[token->pair].pair == i || text[token->begin] == '<')));
        expect_blank(text, end, token->begin);
        end = token->end;
        line = token->line;
    }
    expect_blank(text, end, len);
    atx_tokens_clear(&t);
}

/* Whole directives begin where their '#' does, and what is between them is the same. */
static void check_lines(const char *text, size_t len)
{
    static const atx_lex_options LINES = { .lines = true };
    atx_lexer whole = { .text = text, .len = len, .options = LINES }, all = { .text = text, .len = len };
    atx_token a, b;
    while (atx_lexer_next(&a, &whole)) {
        do
            expect(atx_lexer_next(&b, &all));
        while (b.directive && b.kind != ATX_TOKEN_DIRECTIVE);
        expect(a.kind == b.kind && a.begin == b.begin && a.inactive == b.inactive);
        expect(a.kind == ATX_TOKEN_DIRECTIVE ? a.end >= b.end : a.end == b.end);
    }
    while (atx_lexer_next(&b, &all))
        expect(b.directive && b.kind != ATX_TOKEN_DIRECTIVE);
    expect(whole.open == all.open);
}

/* ---- readers ---- */

/* Folding again changes nothing, or is left: what a joint parted may then look like a trigraph or a marker.
 */
static void check_fold(const char *text, size_t size)
{
    static const char OWN[] = "\xffown\n";
    static const char *const WORDS[] = { "metric", NULL };
    const size_t head = sizeof OWN - 1;
    atx_str once = { 0 }, twice = { 0 }, left = { 0 };
    if (atx_normalized_fold(&once, text, size, NULL) && once.len >= head &&
        memcmp(once.data, OWN, head) == 0 && !memchr(once.data + 1, 0xff, once.len - 1) &&
        strncmp(once.data + head, "\xef\xbb\xbf", 3) != 0) /* a mark at the start would go */
        expect(!atx_normalized_fold(&twice, once.data + head, once.len - head, NULL) ||
               (twice.len == once.len && memcmp(twice.data, once.data, once.len) == 0));
    expect(!atx_normalized_fold(&left, text, size, WORDS) || left.len <= once.len);
    atx_str_clear(&once);
    atx_str_clear(&twice);
    atx_str_clear(&left);
}

/* The same text comes out each time, and not a longer one than a name makes it. */
static void check_cut(const char *text)
{
    const atx_cutting cutting = { .rendered = text, .kernel = "k", .name = "kernel" };
    atx_str out = { 0 }, same = { 0 };
    expect(atx_cut(&out, &cutting, NULL) == AT_OK && atx_cut(&same, &cutting, NULL) == AT_OK);
    expect(strcmp(atx_str_text(&out), atx_str_text(&same)) == 0 && out.len <= 7 * strlen(text) + 100);
    atx_str_clear(&out);
    atx_str_clear(&same);
}

static atx_str includes_of(const char *source)
{
    atx_str safe = { 0 };
    const atx_include_folders folders = { .cuda = { "/usr/include/cuda" } };
    expect(atx_includes_check(&safe, source, "/no/such/folder/fuzzed.cu", &folders, NULL) == AT_OK);
    return safe;
}

/* No file outside is read, and what is compiled instead needs no second look. */
static void check_includes(const char *text)
{
    atx_str once = includes_of(text), again = includes_of(atx_str_text(&once)), log = { 0 };
    const atx_include_folders folders = { .own = NULL };
    expect(!again.len || strstr(atx_str_text(&once), "#error")); /* which quotes what it refuses */
    atx_str_add(&log, text);
    atx_includes_hide(&log, text, "fuzzed.cu", &folders);
    atx_str_clear(&once);
    atx_str_clear(&again);
    atx_str_clear(&log);
}

/* Lines stay, and so do the conditionals and whatever a kernel's view needs: the view of it is the same. */
static void check_view(const char *text)
{
    static const atx_device_request REQUEST = { .roots = "k", .replaced = "BLOCK" };
    const size_t len = strlen(text);
    char *view = atx_text_copy(text, len), *again = NULL;
    expect(view && atx_device_view(view, len, &REQUEST, NULL) == AT_OK && strlen(view) == len);
    for (size_t i = 0; i < len; i++)
        expect((view[i] == '\n') == (text[i] == '\n'));
    expect((again = atx_text_copy(view, len)) && atx_device_view(again, len, &REQUEST, NULL) == AT_OK);
    free(view);
    free(again);
}

/* A draft comes of it, or a message. */
static void check_adopt(const char *text)
{
    const atx_adopt_input in = { .text = text, .path = "k.cu", .source = "../k.cu" };
    atx_adopted out;
    if (atx_adopt(&out, &in, NULL) != AT_OK)
        return;
    expect(out.name[0] && strstr(atx_str_text(&out.op), "/*!autotune\nop "));
    atx_adopted_clear(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = atx_text_copy((const char *)data, size); /* exact: a sanitizer sees one byte beyond */
    expect(text);
    check_tokens((const char *)data, size);
    check_lines((const char *)data, size);
    check_fold((const char *)data, size);
    check_cut(text);
    check_includes(text);
    check_view(text);
    check_adopt(text);
    free(text);
    return 0;
}
