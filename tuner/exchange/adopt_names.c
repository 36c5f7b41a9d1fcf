/* adopt_names.c - what declarations call arguments and parameters: as the file does, where that name is free.
 */
#include "exchange/adopt_draft.h"

#include "util/chars.h"

#include <stdio.h>
#include <string.h>

static bool is_taken(const atx_draft *d, const char *name)
{
    for (int i = 0; i < d->arg_count; i++)
        if (strcmp(d->args[i].name, name) == 0)
            return true;
    for (int i = 0; i < d->variable_count; i++)
        if (strcmp(d->variables[i].name, name) == 0)
            return true;
    for (int i = 0; i < d->param_count; i++)
        if (strcmp(d->params[i].name, name) == 0 || strcmp(d->params[i].line, name) == 0)
            return true;
    for (int i = 0; i < 3; i++)
        if (strcmp(d->block_param[i], name) == 0)
            return true;
    for (int i = 0; i < d->extra_count; i++)
        if (strcmp(d->extra_name[i], name) == 0)
            return true;
    for (int i = 0; i < d->loop_count; i++)
        if (strcmp(d->loops[i].name, name) == 0)
            return true;
    for (int i = 0; i < d->struct_count; i++)
        if (strcmp(d->structs[i].name, name) == 0)
            return true;
    const bool letter =
        (name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z') || name[0] == '_';
    return strcmp(name, "T") == 0 || !letter || atx_name_is_reserved(name);
}

void atx_draft_free_name(char out[ATX_MAX_WORD], const atx_draft *d, const char *wanted)
{
    char name[ATX_MAX_WORD + 16];
    const char *begin = wanted + strspn(wanted, "_");
    if (strncmp(wanted, "__", 2) != 0 || !*begin)
        begin = wanted;
    snprintf(name, sizeof name, "%s", *begin ? begin : "arg");
    for (int n = 1; n < 1000 && (is_taken(d, name) || strlen(name) >= ATX_MAX_WORD); n++)
        snprintf(name, sizeof name, n == 1 ? "%.56s_" : "%.56s_%d", *begin ? begin : "arg", n);
    snprintf(out, ATX_MAX_WORD, "%.63s", name);
}

void atx_draft_names(atx_draft *d)
{
    char name[ATX_MAX_WORD];
    for (int i = 0; i < d->arg_count; i++) {
        atx_draft_free_name(name, d, d->args[i].arg.name);
        memcpy(d->args[i].name, name, sizeof name);
    }
    for (int i = 0; i < d->variable_count; i++) {
        atx_draft_free_name(name, d, d->variables[i].arg.name);
        memcpy(d->variables[i].name, name, sizeof name);
    }
}

bool atx_draft_names_word(const char *text, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = text; n && (at = strstr(at, word)) != NULL; at += n)
        if ((at == text || !atx_is_word_part(at[-1])) && !atx_is_word_part(at[n]))
            return true;
    return false;
}

const atx_draft_loop *atx_draft_find_counter(const atx_draft *d, size_t token)
{
    for (int i = d->loop_count; i-- > 0;) {
        const atx_draft_loop *loop = &d->loops[i];
        if (loop->counter[0] && loop->last[0] && token > loop->head && token < loop->end &&
            atx_tokens_is(&d->code, token, loop->counter))
            return loop;
    }
    return NULL;
}

/* ---- places ---- */

/* Where it begins in the input. */
static size_t begin_of(const atx_draft *d, const atx_token *token)
{
    size_t more = 0;
    for (int i = 0; i < d->grown.count && d->grown.at[i] + more < token->begin; i++) {
        const size_t inside = token->begin - more - d->grown.at[i];
        more += inside < d->grown.by[i] ? inside : d->grown.by[i];
    }
    return token->begin - more;
}

static const atx_part *part_of(const atx_draft *d, const atx_token *token)
{
    const size_t begin = begin_of(d, token);
    for (size_t i = 0; i < d->in->part_count; i++)
        if (begin >= d->in->parts[i].begin && begin < d->in->parts[i].begin + d->in->parts[i].len)
            return &d->in->parts[i];
    return NULL;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int atx_draft_line(const atx_draft *d, const atx_token *token)
{
    const atx_part *part = part_of(d, token);
    int line = part ? part->line : token->line;
    for (size_t i = part ? part->begin : SIZE_MAX, end = begin_of(d, token); i < end; i++)
        line += d->in->text[i] == '\n';
    return line;
}

/* Whether it is of the file that `path` is. */
static bool is_of_path(const atx_draft *d, const atx_part *part)
{
    return !part || strcmp(part->file, last_name(d->in->path)) == 0;
}

bool atx_draft_is_own(const atx_draft *d, const atx_token *token)
{
    const atx_part *part = part_of(d, token);
    if (d->in->part)
        return part && strcmp(last_name(part->file), d->in->part) == 0;
    return is_of_path(d, part);
}

bool atx_draft_same_part(const atx_draft *d, size_t i, size_t other)
{
    const atx_part *one = part_of(d, &d->code.items[i]), *second = part_of(d, &d->code.items[other]);
    return one == second || (one && second && strcmp(one->file, second->file) == 0);
}

atx_place atx_draft_place(const atx_draft *d, const atx_token *token)
{
    atx_place place;
    const atx_part *part = part_of(d, token);
    snprintf(place.text, sizeof place.text, "%.280s:%d", is_of_path(d, part) ? d->in->path : part->file,
             atx_draft_line(d, token));
    return place;
}

atx_place atx_draft_host_place(const atx_draft *d, const atx_token *token)
{
    atx_place place;
    const int line = atx_draft_line(d, token);
    if (atx_draft_is_own(d, token)) {
        snprintf(place.text, sizeof place.text, "line %d", line);
    } else {
        const atx_part *part = part_of(d, token);
        snprintf(place.text, sizeof place.text, "%.200s:%d", last_name(part ? part->file : d->in->path),
                 line);
    }
    return place;
}

atx_place atx_draft_launch_place(const atx_draft *d)
{
    return d->launched ? atx_draft_host_place(d, &d->code.items[d->launch.at]) : (atx_place){ "" };
}

bool atx_draft_is_of_iteration(const atx_draft *d, const char *expression)
{
    for (int i = 0; i < d->loop_count; i++)
        if (d->loops[i].name[0] && atx_draft_names_word(expression, d->loops[i].name))
            return true;
    return false;
}
