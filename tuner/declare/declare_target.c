/*
 * declare_target.c - for which variant of an architecture a template's code is compiled: some instructions
 * exist on one architecture alone (sm_90a), or in a family (sm_100f), and code for a plain one (sm_90) has
 * none of them. The line says it; without one the code's own words do.
 */
#include <stdlib.h>
#include <string.h>

#include "declare/declare_internal.h"
#include "source/lex.h"

enum { FIRST_WITH_A = 90, FIRST_WITH_F = 100 }; /* compute capabilities that have variants */

/* ---- the line ---- */

/* 0: the word is none. */
static int read_word(char *variant, const char *word)
{
    char *end = NULL;
    if (strncmp(word, "sm_", 3) != 0)
        return 0;
    long cc = strtol(word + 3, &end, 10);
    *variant = *end;
    const bool known = (*end == 'a' && cc >= FIRST_WITH_A) || (*end == 'f' && cc >= FIRST_WITH_F);
    return known && !end[1] && cc < 1000 ? (int)cc : 0;
}

/* On any other device there is no configuration. */
static void add_requirement(atx_lines *lines, atx_template *t, const atx_str *condition)
{
    struct atx_template_scope *in = &t->scope;
    const atx_scope scope = { .find = atx_symbols_find, .context = &in->symbols };
    atx_require r = { .where = atx_lines_where(lines, lines->line) };
    ATX_LOCAL(atx_str) reason = { 0 };
    atx_str_addf(&reason, "its target is %s", t->build.target);
    atx_lines_note(lines, atx_str_status(condition, lines->err));
    atx_lines_note(lines, atx_str_status(&reason, lines->err));
    if (lines->status == AT_OK)
        atx_lines_note(
            lines, atx_expr_compile(&r.expr, condition->data, condition->len, &scope, r.where, lines->err));
    r.reason = atx_text_copy(atx_str_text(&reason), reason.len);
    if (lines->status == AT_OK && r.reason &&
        atx_lines_grow(lines, &in->requires, &in->require_cap, in->require_count, sizeof r))
    in->requires[in->require_count++] = r;
    else atx_requires_clear(&r, 1);
}

void atx_read_target(atx_lines *lines, void *target)
{
    atx_template *t = ((atx_reading *)target)->t;
    ATX_LOCAL(atx_str) condition = { 0 }, words = { 0 };
    if (atx_lines_skip_word(lines, ATX_TARGET_SPECIFIC)) {
        strcpy(t->build.target, ATX_TARGET_SPECIFIC);
        return;
    }
    do {
        char word[ATX_MAX_NAME], variant = 0;
        const char *at =
            atx_lines_name(word, lines, "an architecture, as sm_90a, or '" ATX_TARGET_SPECIFIC "'");
        const int cc = read_word(&variant, word);
        if (!cc)
            atx_lines_fail(lines, at,
                           "found '%s'; expected an architecture with a letter, as sm_90a or sm_100f, or "
                           "'" ATX_TARGET_SPECIFIC "'",
                           word);
        atx_str_addf(&words, "%s%s", words.len ? " " : "", word);
        atx_str_addf(&condition, variant == 'f' ? "%sdevice.cc / 10 == %d" : "%sdevice.cc == %d",
                     condition.len ? " || " : "", variant == 'f' ? cc / 10 : cc);
        if (words.len >= sizeof t->build.target)
            atx_lines_fail(lines, at, "found more architectures than %zu characters hold; expected fewer",
                           sizeof t->build.target - 1);
    } while (lines->status == AT_OK && !atx_lines_at_end(lines));
    if (lines->status == AT_OK && !words.failed) {
        strcpy(t->build.target, atx_str_text(&words));
        add_requirement(lines, t, &condition);
    }
}

/* ---- the code's own words ---- */

/* Beginnings of instructions and of macros that only a variant has. */
static const char *const NEEDY[] = { "wgmma", "setmaxnreg", "tcgen05", "__CUDA_ARCH_FEAT_SM",
                                     "__CUDA_ARCH_SPECIFIC__" };

static bool mentions(const char *text, size_t len)
{
    bool any = false;
    for (size_t i = 0; i < sizeof NEEDY / sizeof *NEEDY && !any; i++)
        any = memmem(text, len, NEEDY[i], strlen(NEEDY[i])) != NULL;
    return any;
}

void atx_find_target(atx_template *t)
{
    atx_lexer lexer = { .text = t->text.source, .len = t->text.source_len };
    if (t->build.target[0] || !mentions(lexer.text, lexer.len))
        return;
    for (atx_token token; atx_lexer_next(&token, &lexer);) /* a comment is none */
        if (!token.inactive && mentions(lexer.text + token.begin, token.end - token.begin)) {
            strcpy(t->build.target, ATX_TARGET_SPECIFIC);
            return;
        }
}
