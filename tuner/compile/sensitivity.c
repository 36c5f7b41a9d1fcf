/*
 * sensitivity.c - in each round one configuration is drawn, and for each parameter without a known effect
 * another one that differs only in it; all are compiled in parallel. Rounds continue with the remaining
 * parameters and other configurations, since a parameter may matter only beside certain values of others.
 */
#include "compile/sensitivity.h"

#include "compile/connection.h"
#include "compile/cubin.h"
#include "lang/render.h"
#include "lang/render_pragmas.h"
#include "lang/tensor_map.h"
#include "source/lex.h"

#include <string.h>

enum { ROUNDS = 3 };

/* A configuration, and what became of it. */
typedef struct probe {
    bool used, ok;
    atx_config config;
    atx_geometry geometries[ATX_MAX_STEPS];
    atx_tensor_layout maps[ATX_MAX_MAPS];
    char hash[ATX_HASH_TEXT];
} probe;

typedef struct search {
    const atx_sensitivity_query *q;
    atx_space *space;
    atx_rng rng;
    probe probes[ATX_MAX_PARAMS + 1]; /* of each parameter; last the one that they differ from */
    int pairs[ATX_MAX_PARAMS];        /* whose code was equal */
    bool matters[ATX_MAX_PARAMS];
    bool launches[ATX_MAX_PARAMS]; /* it changed the launch   */
} search;

/* ---- the text ---- */

/* The lexer of a part of the template: its own, or common code, or a file. */
static atx_lexer lexer_of(const atx_template *t, int part)
{
    return (atx_lexer){ .text = t->text.source + t->text.parts[part].begin, .len = t->text.parts[part].len };
}

/* The line of a directive, and its place. */
static void write_line(atx_str *out, const atx_template *t, int part, const atx_token *directive)
{
    const char *at = t->text.source + t->text.parts[part].begin + directive->begin;
    const size_t left = t->text.parts[part].len - directive->begin;
    const char *stop = memchr(at, '\n', left);
    const size_t len = stop ? (size_t)(stop - at) : left;
    atx_str_addf(out, "'%.*s' in %s:%d", (int)(len > 80 ? 80 : len), at, t->text.parts[part].file,
                 t->text.parts[part].line + directive->line - 1);
}

/* The first directive of the template's code that names it (#define NAME, or an #if that asks for it), with
 * its place. */
static bool find_directive(atx_str *out, const atx_template *t, const char *name)
{
    for (int i = 0; i < t->text.part_count; i++) {
        atx_lexer lexer = lexer_of(t, i);
        atx_token directive = { 0 };
        for (atx_token token; atx_lexer_next(&token, &lexer);) {
            if (token.kind == ATX_TOKEN_DIRECTIVE)
                directive = token;
            if (!token.directive || !atx_token_is(lexer.text, &token, name))
                continue;
            write_line(out, t, i, &directive);
            return true;
        }
    }
    return false;
}

/* Of a parameter that is a macro: the line that gives the name another value, which no #ifndef of it guards.
 */
static bool find_definition(atx_str *out, const atx_template *t, const char *name)
{
    for (int i = 0; i < t->text.part_count; i++) {
        atx_lexer lexer = lexer_of(t, i);
        atx_token before = { 0 }, directive = { 0 };
        bool guarded = false;
        for (atx_token token; atx_lexer_next(&token, &lexer); before = token) {
            const bool first = before.kind == ATX_TOKEN_DIRECTIVE;
            if (token.kind == ATX_TOKEN_DIRECTIVE) {
                directive = token;
            } else if (first && (atx_token_is(lexer.text, &token, "define") ||
                                 atx_token_is(lexer.text, &token, "undef"))) {
                atx_token named;
                const bool is_it = atx_lexer_next(&named, &lexer) && atx_token_is(lexer.text, &named, name);
                if (is_it && !guarded) {
                    write_line(out, t, i, &directive);
                    return true;
                }
                token = named;
            } else if (token.directive && atx_token_is(lexer.text, &token, name)) {
                guarded = true;
            }
        }
    }
    return false;
}

/* A line of the preprocessor speaks of it, and it is a constant: an #ifndef or an #if takes it for not there.
 */
static bool is_hidden(const atx_template *t, const char *name)
{
    ATX_LOCAL(atx_str) line = { 0 };
    return !atx_is_macro(t, name) && find_directive(&line, t, name);
}

/* ---- compiling ---- */

static at_status take(search *s, at_error *err)
{
    atx_compiled done = { 0 };
    atx_pool_wait(s->q->pool, NULL, 100);
    at_status status = atx_pool_pump(s->q->pool, err);
    while (status == AT_OK && atx_pool_take(s->q->pool, &done)) {
        probe *p = &s->probes[done.tag];
        /* Where parameters are constants of the source, these are variables with other values. */
        p->ok = done.ok && atx_cubin_hash(p->hash, done.code.data, done.code.len, s->q->t->build.define_all);
        atx_compiled_clear(&done);
    }
    return status;
}

static at_status start(search *s, int i, at_error *err)
{
    const atx_sensitivity_query *q = s->q;
    probe *p = &s->probes[i];
    int64_t own[ATX_MAX_SLOTS];
    ATX_LOCAL(atx_str) source = { 0 };
    at_error ignored;

    memcpy(own, q->slots, (size_t)q->t->op->scope.symbols.count * sizeof *own);
    if (atx_config_bind(own, q->t, &p->config, &ignored) != AT_OK ||
        atx_geometries_of(p->geometries, q->t, own, &ignored) != AT_OK)
        return AT_OK; /* such a one is told elsewhere */
    for (int k = 0; k < q->t->call.map_count; k++)
        if (atx_tensor_layout_of(&p->maps[k], q->t, k, own, &ignored) != AT_OK)
            return AT_OK;
    at_status status = atx_render(&source, q->t, q->type, &p->config, q->slots, err);
    while (status == AT_OK && !atx_pool_has_room(q->pool) && !atx_cancel_due(q->cancel))
        status = take(s, err);
    if (status == AT_OK && !atx_cancel_due(q->cancel))
        status = atx_pool_submit(q->pool, i, atx_str_text(&source), q->t->text.file, q->cc, ATX_CUBIN, err);
    return status;
}

static at_status compile_all(search *s, at_error *err)
{
    for (int i = 0; i <= ATX_MAX_PARAMS; i++)
        if (s->probes[i].used)
            ATX_TRY(start(s, i, err));
    while (atx_pool_busy(s->q->pool) && !atx_cancel_due(s->q->cancel))
        ATX_TRY(take(s, err));
    return AT_OK;
}

/* ---- rounds ---- */

/* A valid configuration that differs from `base` in this parameter alone. */
static bool vary(search *s, const atx_config *base, int i)
{
    const atx_param *param = &s->q->t->scope.params[i];
    atx_config *config = &s->probes[i].config;
    int first = (int)atx_rng_below(&s->rng, (uint64_t)param->count);
    *config = *base;
    for (int k = 0; k < param->count; k++) {
        config->values[i] = param->values[(first + k) % param->count];
        if (config->values[i] != base->values[i] && atx_space_find(s->space, config) >= 0)
            return true;
    }
    return false;
}

/* Parameters that the code should see, and does not, may still change the launch. */
static void compare(search *s)
{
    const probe *base = &s->probes[ATX_MAX_PARAMS];
    for (int i = 0; i < s->q->t->scope.param_count; i++) {
        const probe *p = &s->probes[i];
        if (!p->used || !p->ok || !base->ok)
            continue;
        bool same = strcmp(p->hash, base->hash) == 0;
        bool launch = memcmp(p->geometries, base->geometries, sizeof p->geometries) != 0 ||
                      memcmp(p->maps, base->maps, sizeof p->maps) != 0;
        s->pairs[i] += same;
        s->launches[i] |= launch;
        s->matters[i] =
            s->matters[i] || !same || (launch && !is_hidden(s->q->t, s->q->t->scope.params[i].name));
    }
}

static at_status play_round(search *s, at_error *err)
{
    probe *base = &s->probes[ATX_MAX_PARAMS];
    bool any = false;
    memset(s->probes, 0, sizeof s->probes);
    atx_space_config(&base->config, s->space, atx_space_sample(s->space, &s->rng));
    for (int i = 0; i < s->q->t->scope.param_count; i++) {
        s->probes[i].used = !s->matters[i] && vary(s, &base->config, i);
        any = any || s->probes[i].used;
    }
    base->used = any;
    ATX_TRY(compile_all(s, err));
    compare(s);
    return AT_OK;
}

/* ---- why ---- */

static bool has_word(atx_lexer lexer, const char *name)
{
    bool has = false;
    for (atx_token token; !has && atx_lexer_next(&token, &lexer);)
        has = atx_token_is(lexer.text, &token, name);
    return has;
}

/* The declaration is a comment. */
static bool is_in_code(const atx_template *t, const char *name)
{
    bool has = has_word(
        (atx_lexer){ .text = t->call.steps[0].kernel, .len = strlen(t->call.steps[0].kernel) }, name);
    for (int i = 0; i < t->text.part_count && !has; i++)
        has = has_word(lexer_of(t, i), name);
    return has;
}

static void explain(atx_str *out, const atx_template *t, const atx_param *param, bool launches)
{
    ATX_LOCAL(atx_str) line = { 0 };
    atx_str_addf(out, "parameter '%s' changes %s: its values give the same machine code", param->name,
                 launches ? "the launch alone" : "nothing");
    if (!is_in_code(t, param->name))
        atx_str_add(out, "; its name is nowhere in the code");
    else if (!atx_is_macro(t, param->name) && find_directive(&line, t, param->name))
        atx_str_addf(out, "; hidden by %s? `define %s` makes it a macro, which #if sees", atx_str_text(&line),
                     param->name);
    else if (atx_is_macro(t, param->name) && find_definition(&line, t, param->name))
        atx_str_addf(out,
                     "; hidden by %s, which defines it again: take that line out, or put it between #ifndef "
                     "%s and #endif",
                     atx_str_text(&line), param->name);
}

static void tell(search *s)
{
    for (int i = 0; i < s->q->t->scope.param_count; i++) {
        ATX_LOCAL(atx_str) why = { 0 };
        if (s->matters[i] || !s->pairs[i])
            continue;
        explain(&why, s->q->t, &s->q->t->scope.params[i], s->launches[i]);
        s->q->useless(s->q->context, i, atx_str_text(&why));
    }
}

at_status atx_sensitivity_find(const atx_sensitivity_query *q, at_error *err)
{
    search s = { .q = q, .rng = { q->seed } };
    at_status status = atx_space_open_until(&s.space, q->t, q->slots, NULL, 0, q->cancel, err);
    for (int i = 0; i < ROUNDS && status == AT_OK && atx_space_count(s.space) && !atx_cancel_due(q->cancel);
         i++)
        status = play_round(&s, err);
    if (status == AT_OK && !atx_cancel_due(q->cancel))
        tell(&s);
    atx_space_close(s.space);
    return status;
}
