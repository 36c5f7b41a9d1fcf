/*
 * adopt_sequence.c - several kernels that one function of the host launches one after the other, where a
 * later one reads what an earlier one writes, as one candidate with `launch` lines.
 *
 * Each launch is understood by itself, as a stage. What the host calls by one name is one argument of the
 * operation, so the stages' names are made those of the operation; then each writes its template, and the
 * lines of these become those of one.
 */
#include "exchange/adopt_draft.h"

#include "util/chars.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 96 };

/* What a stage calls it, and the operation. */
typedef struct renaming {
    char from[MOST_NAMES][ATX_MAX_WORD], to[MOST_NAMES][ATX_MAX_WORD];
    int count;
} renaming;

typedef struct stage {
    atx_draft *d;
    atx_adopted out;
    size_t launch; /* its kernel's name, a token */
    renaming names;
    int of[ATX_DRAFT_ARGS]; /* which argument of the operation each is */
} stage;

typedef struct sequence {
    stage stages[ATX_MAX_STEPS];
    int count;
    atx_draft *all;                            /* the operation's: its arguments are those of all stages */
    char keys[ATX_DRAFT_ARGS][ATX_DRAFT_EXPR]; /* of these: what the host passes */
    char function[ATX_MAX_WORD];
} sequence;

/* ---- which launches ---- */

enum { MOST_KERNELS = 256 };

/* The names of kernels that the file defines: their tokens. */
static int find_defined(size_t names[MOST_KERNELS], const atx_tokens *t)
{
    atx_kernel_text k;
    int count = 0;
    for (size_t at = 0; count < MOST_KERNELS && atx_code_kernel(&k, t, &at);)
        if (atx_tokens_is(t, atx_tokens_match(t, k.open) + 1, "{"))
            names[count++] = k.name;
    return count;
}

static bool is_among(const size_t *names, int count, const atx_tokens *t, size_t name)
{
    while (count-- > 0)
        if (atx_code_same(t, names[count], name))
            return true;
    return false;
}

/* The '{' of the function around a token, whose statements all run; 0: a condition decides, or there is none.
 */
static size_t function_around(size_t *name, const atx_tokens *t, size_t at)
{
    static const char *const LOOPS[] = { "for", "while", NULL }, *const CONDITIONS[] = { "if", "switch",
                                                                                         "catch", NULL };
    for (size_t i = at; i-- > 0;) {
        if (atx_tokens_is(t, i, "}") && t->items[i].pair < i) {
            i = t->items[i].pair;
            continue;
        }
        if (!atx_tokens_is(t, i, "{") || !i)
            continue;
        const size_t open =
            atx_tokens_is(t, i - 1, ")") && t->items[i - 1].pair < i ? t->items[i - 1].pair : 0;
        if (!open || !atx_tokens_is_word(t, open - 1))
            return 0; /* else, do, a lambda ... */
        if (atx_token_is_one_of(t->text, &t->items[open - 1], CONDITIONS))
            return 0;
        if (atx_token_is_one_of(t->text, &t->items[open - 1], LOOPS))
            continue;
        *name = open - 1;
        return i;
    }
    return 0;
}

/* The launches of the only function that has some of several kernels. false: there is none, or more. */
static bool find_launches(sequence *s, const atx_tokens *t)
{
    atx_host_launch launch;
    size_t chosen = 0, current = 0, list[ATX_MAX_STEPS], name = 0, kernels[MOST_KERNELS];
    int count = 0;
    const int defined = find_defined(kernels, t);
    bool several = false, fits = true;
    for (size_t at = 0; atx_host_launch_next(&launch, t, NULL, &at);) {
        const size_t body =
            is_among(kernels, defined, t, launch.at) ? function_around(&name, t, launch.at) : 0;
        if (!body || launch.arg_count < 1)
            continue;
        if (body != current) {
            current = body;
            count = 0;
            several = false;
            fits = true;
        }
        fits = fits && count < ATX_MAX_STEPS;
        if (fits)
            list[count++] = launch.at;
        several = several || !atx_code_same(t, list[0], launch.at);
        if (several && chosen && chosen != body)
            return false;
        if (!several)
            continue;
        chosen = body;
        s->count = fits ? count : 0;
        for (int i = 0; i < count; i++)
            s->stages[i].launch = list[i];
        atx_draft_word(s->function, t, name);
    }
    return chosen && s->count > 1;
}

/* ---- names ---- */

static void add_name(renaming *r, const char *from, const char *to)
{
    if (r->count == MOST_NAMES || !from[0])
        return;
    snprintf(r->from[r->count], ATX_MAX_WORD, "%s", from);
    snprintf(r->to[r->count++], ATX_MAX_WORD, "%s", to);
}

/* All names of a text at once. */
static void rename_text(const renaming *r, char *text, size_t size)
{
    atx_str out = { 0 };
    for (const char *at = text; *at;) {
        size_t n = 0;
        while (atx_is_word_part(at[n]))
            n++;
        int found = -1;
        for (int i = 0; i < r->count && n && found < 0; i++)
            found = strlen(r->from[i]) == n && strncmp(r->from[i], at, n) == 0 ? i : -1;
        if (found >= 0)
            atx_str_add(&out, r->to[found]);
        else
            atx_str_add_bytes(&out, at, n ? n : 1);
        at += n ? n : 1;
    }
    if (!out.failed && out.len < size)
        snprintf(text, size, "%s", atx_str_text(&out));
    atx_str_clear(&out);
}

static bool is_taken(const sequence *s, const char *name)
{
    for (int i = 0; i < s->all->arg_count; i++)
        if (strcmp(s->all->args[i].name, name) == 0)
            return true;
    for (int i = 0; i < s->all->extra_count; i++)
        if (strcmp(s->all->extra_name[i], name) == 0)
            return true;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->stages[i].names.count; k++)
            if (strcmp(s->stages[i].names.to[k], name) == 0)
                return true;
    return false;
}

static void free_name(char out[ATX_MAX_WORD], const sequence *s, const char *wanted)
{
    snprintf(out, ATX_MAX_WORD, "%s", wanted);
    for (int n = 2; is_taken(s, out) && n < 1000; n++)
        snprintf(out, ATX_MAX_WORD, "%.56s_%d", wanted, n);
}

/* ---- arguments of all ---- */

static void key_of(char out[ATX_DRAFT_EXPR], const atx_draft *d, int k)
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = d->launch.args[k][0]; i < d->launch.args[k][1]; i++)
        if (n + 1 < ATX_DRAFT_EXPR)
            n += (size_t)snprintf(out + n, ATX_DRAFT_EXPR - n, "%.*s",
                                  (int)(d->code.items[i].end - d->code.items[i].begin),
                                  d->code.text + d->code.items[i].begin);
}

static bool same_type(const atx_draft_arg *a, const atx_draft_arg *b)
{
    return (a->stars > 0) == (b->stars > 0) && a->type.lanes == b->type.lanes &&
           a->structure == b->structure && a->type.dtype && b->type.dtype &&
           strcmp(a->type.dtype, b->type.dtype) == 0;
}

/* A later stage's use of a buffer that is there. */
static void merge_roles(atx_draft_arg *all, const atx_draft_arg *one)
{
    if (all->written && !all->read && one->read && !one->written)
        all->scratch = true; /* what is passed on */
    all->read = all->read || (!all->written && one->read);
    all->written = all->written || one->written;
    if (one->written)
        all->scratch = false;
}

/* A number of the host's that says how many blocks a stage has: no size of a problem. */
static bool is_count_of_blocks(const sequence *s, const atx_draft_arg *a, const char *key)
{
    if (a->stars || a->own || !a->value[0] || a->value[strspn(a->value, "0123456789")])
        return false;
    for (int i = 0; i < s->count; i++) {
        const atx_draft *d = s->stages[i].d;
        for (size_t k = d->launch.config[0][0]; k < d->launch.config[0][1]; k++)
            if (atx_tokens_is(&d->code, k, key))
                return true;
    }
    return false;
}

/* Argument k of a stage as one of the operation's. false: it cannot be said. */
static bool merge_argument(sequence *s, stage *one, int k)
{
    atx_draft *all = s->all;
    atx_draft_arg *a = &one->d->args[k];
    char key[ATX_DRAFT_EXPR], name[ATX_MAX_WORD];
    key_of(key, one->d, k);
    if (a->field || a->structure || a->type.targ >= 0)
        return false;
    for (int i = 0; i < all->arg_count; i++) {
        if (strcmp(s->keys[i], key) != 0 || all->args[i].own != a->own || !same_type(&all->args[i], a))
            continue;
        if (a->stars)
            merge_roles(&all->args[i], a);
        const bool count = is_count_of_blocks(s, a, key);
        all->args[i].dim = (all->args[i].dim || a->dim) && !count;
        one->of[k] = i;
        add_name(&one->names, a->name, count ? a->value : all->args[i].name);
        return true;
    }
    if (all->arg_count == ATX_DRAFT_ARGS)
        return false;
    free_name(name, s, a->name);
    one->of[k] = all->arg_count;
    memcpy(s->keys[all->arg_count], key, sizeof key);
    all->args[all->arg_count] = *a;
    const bool count = is_count_of_blocks(s, a, key);
    all->args[all->arg_count].dim = a->dim && !count;
    memcpy(all->args[all->arg_count++].name, name, sizeof name);
    add_name(&one->names, a->name, count ? a->value : name);
    return true;
}

/* A size that the host alone has: perhaps an argument of another stage. */
static bool merge_extra(sequence *s, stage *one, int k)
{
    atx_draft *all = s->all;
    const char *word = one->d->extra[k];
    char name[ATX_MAX_WORD];
    for (int i = 0; i < all->arg_count; i++)
        if (!all->args[i].stars && !all->args[i].own && strcmp(s->keys[i], word) == 0) {
            all->args[i].dim = true;
            add_name(&one->names, one->d->extra_name[k], all->args[i].name);
            return true;
        }
    for (int i = 0; i < all->extra_count; i++)
        if (strcmp(all->extra[i], word) == 0) {
            add_name(&one->names, one->d->extra_name[k], all->extra_name[i]);
            return true;
        }
    if (all->extra_count == ATX_DRAFT_EXTRA)
        return false;
    free_name(name, s, one->d->extra_name[k]);
    memcpy(all->extra[all->extra_count], word, ATX_MAX_WORD);
    memcpy(all->extra_name[all->extra_count], name, sizeof name);
    all->extra_counts[all->extra_count++] = one->d->extra_counts[k];
    add_name(&one->names, one->d->extra_name[k], name);
    return true;
}

/* Of an own parameter for blockDim: that of another stage, where the host has one name for both. */
static void merge_block(sequence *s, stage *one, int k)
{
    atx_draft *d = one->d;
    char name[ATX_MAX_WORD];
    if (!d->block_param[k][0])
        return;
    for (const stage *other = s->stages; other < one; other++)
        for (int j = 0; j < 3; j++)
            if (d->block_from[k][0][0] && other->d->block_param[j][0] &&
                strcmp(other->d->block_from[j][0], d->block_from[k][0]) == 0) {
                add_name(&one->names, d->block_param[k], other->d->block_param[j]);
                return;
            }
    free_name(name, s, d->block_param[k]);
    add_name(&one->names, d->block_param[k], name);
}

static void rename_stage(const atx_draft *all, const atx_draft *first, stage *one)
{
    atx_draft *d = one->d;
    for (int k = 0; k < d->arg_count; k++) {
        rename_text(&one->names, d->args[k].value, sizeof d->args[k].value);
        memcpy(d->args[k].name, all->args[one->of[k]].name, sizeof d->args[k].name);
    }
    for (int k = 0; k < 3; k++) {
        rename_text(&one->names, d->grid[k], sizeof d->grid[k]);
        rename_text(&one->names, d->block[k], sizeof d->block[k]);
        rename_text(&one->names, d->block_param[k], sizeof d->block_param[k]);
    }
    for (int k = 0; k < d->require_count; k++)
        rename_text(&one->names, d->require[k], sizeof d->require[k]);
    for (int k = 0; k < d->loop_count; k++) {
        rename_text(&one->names, d->loops[k].first, sizeof d->loops[k].first);
        rename_text(&one->names, d->loops[k].last, sizeof d->loops[k].last);
        memcpy(d->loops[k].name, first->loops[k].name, sizeof d->loops[k].name);
    }
    rename_text(&one->names, d->shared_bytes, sizeof d->shared_bytes);
}

/* The sizes of a stage's buffers, by the operation's names: the larger text of several, likely the larger
 * size. */
static void merge_sizes(sequence *s, stage *one)
{
    for (int k = 0; k < one->d->arg_count; k++) {
        atx_draft_arg *to = &s->all->args[one->of[k]];
        atx_str text = { 0 };
        if (!to->stars)
            continue;
        atx_draft_add_size(&text, one->d, &one->d->args[k]);
        char size[ATX_DRAFT_EXPR];
        snprintf(size, sizeof size, "%s", atx_str_text(&text));
        atx_str_clear(&text);
        rename_text(&one->names, size, sizeof size);
        if (to->size_stage != one - s->stages && strlen(size) <= strlen(to->size))
            continue;
        memcpy(to->size, size, sizeof size);
        rename_text(&one->names, to->holds, sizeof to->holds);
    }
}

static bool merge(sequence *s)
{
    for (stage *one = s->stages; one < s->stages + s->count; one++) {
        for (int k = 0; k < one->d->arg_count; k++) {
            const int before = s->all->arg_count;
            if (k >= one->d->launch.arg_count || !merge_argument(s, one, k))
                return false;
            if (s->all->arg_count > before)
                s->all->args[before].size_stage = (int)(one - s->stages);
        }
        for (int k = 0; k < 3; k++)
            merge_block(s, one, k);
        for (int k = 0; k < one->d->loop_count; k++)
            add_name(&one->names, one->d->loops[k].name, s->stages[0].d->loops[k].name);
    }
    for (stage *one = s->stages; one < s->stages + s->count; one++)
        for (int k = 0; k < one->d->extra_count; k++)
            if (!merge_extra(s, one, k))
                return false;
    for (stage *one = s->stages; one < s->stages + s->count; one++) {
        merge_sizes(s, one);
        rename_stage(s->all, s->stages[0].d, one);
    }
    return true;
}

/* Whether a later stage reads what an earlier one writes: else they are ways to do the same. */
static bool is_passed_on(const sequence *s)
{
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->stages[i].d->arg_count; k++)
            for (int j = i + 1;
                 j < s->count && s->stages[i].d->args[k].stars && s->stages[i].d->args[k].written; j++)
                for (int n = 0; n < s->stages[j].d->arg_count; n++)
                    if (s->stages[j].of[n] == s->stages[i].of[k] && s->stages[j].d->args[n].read)
                        return true;
    return false;
}

/* All in the same loops of the host. */
static bool have_same_loops(const sequence *s)
{
    for (int i = 1; i < s->count; i++) {
        const atx_draft *a = s->stages[0].d, *b = s->stages[i].d;
        if (a->launch.loop_count != b->launch.loop_count || a->loop_count != b->loop_count)
            return false;
        for (int k = 0; k < a->launch.loop_count; k++)
            if (a->launch.loops[k] != b->launch.loops[k])
                return false;
    }
    return true;
}

/* ---- the text ---- */

/* The next line of a text that begins with a word: what stands behind it, up to its comment. */
static bool next_line(atx_str *out, atx_str *comment, const char **at, const char *word)
{
    const size_t n = strlen(word);
    for (const char *line = *at, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        if (strncmp(line, word, n) != 0 || line[n] != ' ')
            continue;
        const char *from = line + n, *stop = from;
        while (stop < end && *stop != '#')
            stop++;
        from += strspn(from, " ");
        atx_str_reset(out);
        atx_str_reset(comment);
        atx_str_add_bytes(comment, stop, (size_t)(end - stop));
        while (stop > from && stop[-1] == ' ')
            stop--;
        atx_str_add_bytes(out, from, stop > from ? (size_t)(stop - from) : 0);
        *at = *end ? end + 1 : end;
        return true;
    }
    return false;
}

/* Lines of a word that no earlier stage has; `joined`: their words in one line. */
static void add_lines(atx_str *out, const sequence *s, const char *word, bool joined)
{
    atx_str line = { 0 }, comment = { 0 }, all = { 0 };
    for (int i = 0; i < s->count; i++)
        for (const char *at = atx_str_text(&s->stages[i].out.t); next_line(&line, &comment, &at, word);) {
            char *save = NULL, *part = line.data ? line.data : NULL;
            for (part = joined ? strtok_r(part, " ", &save) : part; part;
                 part = joined ? strtok_r(NULL, " ", &save) : NULL) {
                char name[ATX_MAX_WORD + 2];
                snprintf(name, sizeof name, "\n%.*s ", (int)(joined ? strlen(part) : strcspn(part, " =")),
                         part);
                name[sizeof name - 1] = '\0';
                if (strcmp(word, "require") != 0 && strstr(atx_str_text(&all), name))
                    continue;
                atx_str_add(&all, name);
                if (joined)
                    atx_str_addf(out, "%s%s", out->len ? " " : "", part);
                else
                    atx_str_addf(out, "%-9s %s%s%s\n", word, part, comment.len ? "  " : "",
                                 atx_str_text(&comment));
            }
        }
    atx_str_clear(&line);
    atx_str_clear(&comment);
    atx_str_clear(&all);
}

static void add_joined(atx_str *out, const sequence *s, const char *word, const char *comment)
{
    atx_str line = { 0 };
    add_lines(&line, s, word, true);
    if (line.len)
        atx_str_addf(out, "%-9s %s%s\n", word, atx_str_text(&line), comment);
    atx_str_clear(&line);
}

static void add_launch(atx_str *out, const stage *one)
{
    static const char *const PARTS[] = { "grid", "block", "shared" };
    atx_str line = { 0 }, comment = { 0 }, note = { 0 };
    const char *text = atx_str_text(&one->out.t), *at = text;
    if (next_line(&line, &comment, &at, "kernel"))
        atx_str_addf(out, "launch    %s", atx_str_text(&line));
    if (strstr(atx_str_text(&comment), "# ?"))
        atx_str_add(&note, comment.data);
    for (int i = 0; i < 3; i++) {
        at = text;
        if (!next_line(&line, &comment, &at, PARTS[i]))
            continue;
        atx_str_addf(out, " %s %s", PARTS[i], atx_str_text(&line));
        if (!note.len || (strstr(atx_str_text(&comment), "# ?") && !strstr(note.data, "# ?"))) {
            atx_str_reset(&note);
            atx_str_add(&note, atx_str_text(&comment));
        }
    }
    atx_str_add(out, strstr(text, "\ncooperative\n") ? " cooperative" : "");
    atx_str_add(out, " arg");
    for (int k = 0; k < one->d->arg_count; k++)
        atx_str_addf(out, " %s", one->d->args[k].name);
    atx_str_addf(out, "%s%s\n", note.len ? "  " : "", atx_str_text(&note));
    atx_str_clear(&line);
    atx_str_clear(&comment);
    atx_str_clear(&note);
}

static void write_template(sequence *s, atx_adopted *out)
{
    const char *first = atx_str_text(&s->stages[0].out.t), *end = strstr(first, "\n\n");
    atx_str *t = &out->t;
    atx_str_add_bytes(t, first, end ? (size_t)(end + 2 - first) : 0);
    add_lines(t, s, "param", false);
    add_joined(t, s, "define", "");
    add_lines(t, s, "require", false);
    add_joined(t, s, "default", "  # as the file has it");
    atx_str_add(t, strstr(atx_str_text(t), "\nparam") ? "\n" : "");
    add_lines(t, s, "repeat", false);
    add_lines(t, s, "scalar", false);
    for (int i = 0; i < s->count; i++)
        add_launch(t, &s->stages[i]);
    atx_str_add(t, "*/\n");
    for (const char *at = atx_str_text(t); (at = strstr(at, "# ? ")) != NULL; at++)
        out->questions++;
}

/* ---- all of it ---- */

static at_status open_stages(sequence *s, const atx_adopt_input *in, const atx_tokens *t, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < s->count && status == AT_OK; i++) {
        char name[ATX_MAX_WORD];
        atx_adopt_input one = *in;
        atx_draft_word(name, t, s->stages[i].launch);
        one.kernel = name;
        atx_draft *d = s->stages[i].d = atx_draft_begin(&s->stages[i].out, &one, err);
        if (!d)
            return atx_no_memory(err);
        d->wanted_launch = s->stages[i].launch;
        status = atx_draft_understand(d);
        d->in = in;
    }
    return status;
}

static at_status write_all(sequence *s, atx_adopted *out, at_error *err)
{
    atx_draft *all = s->all;
    *all = *s->stages[0].d;
    all->arg_count = all->extra_count = all->overloads = 0;
    all->out = out;
    all->several = true;
    if (!have_same_loops(s) || !merge(s) || !is_passed_on(s))
        return AT_ERR_INPUT;
    bool any = false;
    for (int i = 0; i < all->arg_count; i++)
        any = any || (all->args[i].stars && all->args[i].written && !all->args[i].scratch);
    if (!any)
        return AT_ERR_INPUT;
    const bool main = strcmp(s->function, "main") == 0 || !s->function[0];
    memcpy(all->kernel, main ? all->kernel : s->function, ATX_MAX_WORD);
    atx_draft_name_op(all);
    atx_draft_write_op(all);
    for (int i = 0; i < s->count; i++)
        atx_draft_write_template(s->stages[i].d);
    write_template(s, out);
    snprintf(out->kernel, sizeof out->kernel, "%s", s->stages[0].d->kernel);
    out->launched = true;
    at_status status = atx_str_status(&out->op, err);
    return status == AT_OK ? atx_str_status(&out->t, err) : status;
}

at_status atx_draft_sequence(atx_adopted *out, const atx_adopt_input *in, at_error *err)
{
    sequence *s = calloc(1, sizeof *s);
    atx_str text = { 0 };
    atx_tokens t = { 0 };
    *out = (atx_adopted){ 0 };
    if (!s)
        return atx_no_memory(err);
    atx_draft_assumed assumed = { .count = 0 };
    at_status status = atx_draft_active(&text, &assumed, in->text, SIZE_MAX, err);
    atx_draft_grown grown;
    if (status == AT_OK &&
        !(atx_draft_expand_launches(&text, &grown) && atx_code_read(&t, atx_str_text(&text))))
        status = atx_no_memory(err);
    if (status == AT_OK && !find_launches(s, &t))
        status = AT_ERR_INPUT;
    if (status == AT_OK)
        status = open_stages(s, in, &t, err);
    atx_draft *all = status == AT_OK ? calloc(1, sizeof *all) : NULL;
    s->all = all;
    if (all)
        status = write_all(s, out, err);
    else if (status == AT_OK)
        status = atx_no_memory(err);
    atx_str kernels = { 0 };
    for (int i = 0; status == AT_OK && i < s->count; i++)
        atx_draft_add_code(&kernels, s->stages[i].d);
    if (status == AT_OK)
        status = atx_draft_read_again(out, in->path, atx_str_text(&kernels), err);
    atx_str_clear(&kernels);
    for (int i = 0; i < ATX_MAX_STEPS; i++) {
        atx_draft_close(s->stages[i].d);
        atx_adopted_clear(&s->stages[i].out);
    }
    free(s->all);
    free(s);
    atx_tokens_clear(&t);
    atx_str_clear(&text);
    if (status != AT_OK)
        atx_adopted_clear(out);
    return status;
}
