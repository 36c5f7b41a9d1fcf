/*
 * adopt_sizes_params.c - parameters that sizes depend on: numbers in place of their names, everywhere in a
 * draft.
 */
#include "exchange/adopt_sizes.h"

#include "util/chars.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool atx_draft_param_value(long *out, const atx_draft *d, const char *name)
{
    for (int k = 0; k < 3; k++)
        if (strcmp(d->block_param[k], name) == 0) {
            *out = d->block_value[k];
            return true;
        }
    for (int k = 0; k < d->param_count; k++)
        if (strcmp(atx_draft_param_line(&d->params[k]), name) == 0) {
            *out = d->params[k].value;
            return true;
        }
    return false;
}

bool atx_draft_guesses_param(const atx_draft *d, const char *name)
{
    for (int k = 0; k < d->param_count; k++)
        if (strcmp(atx_draft_param_line(&d->params[k]), name) == 0)
            return d->params[k].guessed;
    return false;
}

static atx_poly as_author(void *context, int id)
{
    const atx_bounding *b = context;
    const atx_poly_entry *symbol = &b->symbols.items[id];
    long value;
    return symbol->tag == ATX_TAG_PARAM && atx_draft_param_value(&value, b->d, symbol->name)
               ? atx_poly_number(value)
               : atx_poly_symbol(id);
}

atx_poly atx_draft_as_author(atx_bounding *b, const atx_poly *p)
{
    return atx_poly_replace(&b->symbols, p, as_author, b);
}

/* The number that the launch passes for an argument. */
static atx_poly as_passed(void *context, int id)
{
    const atx_bounding *b = context;
    const int arg = b->symbols.items[id].tag - ATX_TAG_ARG;
    const bool is = b->symbols.items[id].kind == ATX_SYMBOL_NAME && arg >= 0 && arg < b->d->arg_count;
    const long value = is ? strtol(b->d->args[arg].value, NULL, 10) : 0;
    return value > 0 ? atx_poly_number(value) : atx_poly_symbol(id);
}

void atx_draft_forget_block(atx_draft *d, atx_sizing *z)
{
    atx_poly size, step;
    long elements, threads;
    if (!d->launched || strcmp(d->grid[0], "1") != 0 || d->grid[1][0] || d->grid[2][0] ||
        !atx_bounds_axis(&size, &step, &z->bounds, &z->frame, 0) || atx_poly_is_number(&elements, &size))
        return;
    size = atx_poly_replace(&z->bounds.symbols, &size, as_passed, &z->bounds);
    step = atx_draft_as_author(&z->bounds, &step);
    if (atx_poly_is_number(&elements, &size) && atx_poly_is_number(&threads, &step) && elements <= threads)
        d->grid[0][0] = '\0';
}

int atx_draft_count_dims(uint64_t dims)
{
    int n = 0;
    for (; dims; dims &= dims - 1)
        n++;
    return n;
}

void atx_draft_take_largest(atx_draft *d, int k)
{
    int best = -1;
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].stars && d->args[i].type.lanes == d->args[k].type.lanes &&
            atx_draft_count_dims(d->args[i].dims) >
                atx_draft_count_dims(best < 0 ? d->args[k].dims : d->args[best].dims))
            best = i;
    if (best < 0)
        return;
    d->args[k].dims = d->args[best].dims;
    memcpy(d->args[k].size, d->args[best].size, sizeof d->args[k].size);
}

/* The symbol of a term of one or two that is not `other`; -1: there is no such. */
static int beside(const atx_poly_term *term, int other)
{
    if (other < 0)
        return term->degree == 1 ? term->of[0] : -1;
    if (term->degree != 2 || (term->of[0] != other && term->of[1] != other))
        return -1;
    return term->of[0] == other ? term->of[1] : term->of[0];
}

/* The size that a term -n * c takes away, of rows of n times c elements. */
static int taken_away(const atx_draft *d, const atx_poly_table *s, const atx_poly *p, int stride)
{
    for (int i = 0; i < p->count; i++) {
        const int n = p->terms[i].factor == -1 ? beside(&p->terms[i], stride) : -1;
        if (n >= 0 && s->items[n].kind == ATX_SYMBOL_NAME && s->items[n].tag < ATX_TAG_EXTRA &&
            d->args[s->items[n].tag].dim)
            return n;
    }
    return -1;
}

atx_poly atx_draft_row(const atx_draft *d, const atx_sizing *z, int k)
{
    const atx_poly_table *s = &z->bounds.symbols;
    atx_poly found = { 0 };
    for (int j = 0; j < d->arg_count; j++) {
        const atx_poly *p = &z->reach[j].most;
        for (int i = 0; i < p->count && z->reach[j].any && j != k; i++) {
            const atx_poly_term *term = &p->terms[i];
            int element = -1;
            for (int n = 0; n < term->degree; n++)
                if (s->items[term->of[n]].kind == ATX_SYMBOL_NAME &&
                    s->items[term->of[n]].tag == ATX_TAG_ELEMENT + k)
                    element = term->of[n];
            if (element < 0 || term->factor != 1 || term->degree > 2)
                continue;
            const int n = taken_away(d, s, p, term->degree == 2 ? beside(term, element) : -1);
            found = n >= 0 ? atx_poly_symbol(n) : found;
        }
    }
    return found;
}

bool atx_draft_is_of_grid(const atx_draft *d, const atx_sizing *z, int axis)
{
    const atx_poly_table *symbols = &z->bounds.symbols;
    for (int i = 0; i < symbols->count; i++)
        for (int k = 0; k < d->arg_count && symbols->items[i].tag == ATX_TAG_GRID + axis; k++)
            if (symbols->items[i].kind == ATX_SYMBOL_NAME && z->reach[k].any &&
                atx_poly_has(symbols, &z->reach[k].most, i))
                return true;
    return false;
}

long atx_draft_largest(const atx_draft *d, const char *name, long value)
{
    for (int k = 0; k < d->param_count; k++) {
        atx_str text = { 0 };
        if (strcmp(atx_draft_param_line(&d->params[k]), name) != 0)
            continue;
        atx_draft_values(&text, d, &d->params[k]);
        const char *last = strrchr(atx_str_text(&text), ' ');
        const long number = strtol(last ? last : atx_str_text(&text), NULL, 10);
        value = number > value ? number : value;
        atx_str_clear(&text);
    }
    return value;
}

void atx_draft_replace_word(char *text, size_t size, const char *name, const char *number)
{
    char out[2 * ATX_DRAFT_EXPR];
    size_t n = 0;
    const size_t len = strlen(name);
    for (const char *at = text; *at && n + len + 24 < sizeof out;) {
        const bool part = at > text && atx_is_word_part(at[-1]);
        if (!part && strncmp(at, name, len) == 0 && !atx_is_word_part(at[len])) {
            n += (size_t)snprintf(out + n, sizeof out - n, "%s", number);
            at += len;
        } else {
            out[n++] = *at++;
        }
    }
    out[n] = '\0';
    if (n < size)
        memcpy(text, out, n + 1);
}

static bool has_name(const char *text)
{
    for (; *text; text++)
        if (atx_is_word_part(*text) && !(*text >= '0' && *text <= '9'))
            return true;
    return false;
}

void atx_draft_fix_param(atx_draft *d, const char *name)
{
    char number[24];
    long value = 1;
    if (!atx_draft_param_value(&value, d, name))
        return;
    snprintf(number, sizeof number, "%ld", value);
    char word[ATX_MAX_WORD];
    snprintf(word, sizeof word, "%s", name);
    for (int k = 0; k < 3; k++) {
        atx_draft_replace_word(d->grid[k], sizeof d->grid[k], word, number);
        atx_draft_replace_word(d->block[k], sizeof d->block[k], word, number);
        if (strcmp(d->block_param[k], word) == 0)
            d->block_param[k][0] = '\0';
    }
    atx_draft_replace_word(d->shared_bytes, sizeof d->shared_bytes, word, number);
    atx_draft_replace_word(d->called, sizeof d->called, word, number);
    for (int k = 0; k < d->require_count; k++)
        atx_draft_replace_word(d->require[k], sizeof d->require[k], word, number);
    for (int k = d->require_count;
         k-- > 0;) { /* of numbers alone, or one that is there: it says nothing any more */
        bool again = false;
        for (int i = 0; i < k; i++)
            again = again || strcmp(d->require[i], d->require[k]) == 0;
        if (again || !has_name(d->require[k]))
            memmove(d->require[k], d->require[k + 1],
                    (size_t)(--d->require_count - k) * sizeof d->require[0]);
    }
    for (int k = d->rule_count; k-- > 0;) {
        atx_draft_replace_word(d->rules[k].text, sizeof d->rules[k].text, word, number);
        if (!has_name(d->rules[k].text))
            memmove(&d->rules[k], &d->rules[k + 1], (size_t)(--d->rule_count - k) * sizeof d->rules[0]);
    }
    for (int k = 0; k < d->arg_count; k++)
        if (d->args[k].own) {
            atx_draft_replace_word(d->args[k].value, sizeof d->args[k].value, word, number);
            d->args[k].own = !(strcmp(d->args[k].value, number) == 0);
        }
    for (int k = 0; k < d->param_count; k++)
        if (strcmp(atx_draft_param_line(&d->params[k]), word) == 0) {
            memmove(&d->params[k], &d->params[k + 1], (size_t)(d->param_count - k - 1) * sizeof *d->params);
            d->param_count--;
        }
}

/* Whether an expression has a number that is a multiple of a block's size. */
static bool has_multiple(const char *text, long value)
{
    for (size_t n; *text; text += n) {
        const bool begins = *text >= '0' && *text <= '9';
        const long number = begins ? strtol(text, NULL, 10) : 0;
        if (number > value && number % value == 0)
            return true;
        for (n = 1; atx_is_word_part(*text) && atx_is_word_part(text[n]);)
            n++;
    }
    return false;
}

/* Whether the host allocates as many elements as the launch has threads, both as numbers. */
static bool has_one_each(const atx_draft *d, int axis)
{
    char *end;
    const long blocks = strtol(d->grid[0], &end, 10);
    for (int i = 0; i < d->arg_count && blocks > 0 && !*end && d->block_param[axis][0]; i++)
        if (d->args[i].allocated && d->args[i].type.lanes == 1 &&
            strtol(d->args[i].size, NULL, 10) == blocks * d->block_value[axis])
            return true;
    return false;
}

/* "5 % BLOCK" of a kernel that leaves its buffer of 5: no block of the file's divides that. */
static void fix_unmet(atx_draft *d)
{
    for (int k = d->require_count; k-- > 0;) {
        char text[ATX_DRAFT_EXPR], number[24], behind;
        const char *named[ATX_DRAFT_PARAMS + 3];
        int count = 0;
        long value, a, b;
        for (int i = 0; i < d->param_count + 3; i++) {
            const char *name = i < 3 ? d->block_param[i] : atx_draft_param_line(&d->params[i - 3]);
            if (name[0] && atx_draft_names_word(d->require[k], name))
                named[count++] = name;
        }
        memcpy(text, d->require[k], sizeof text);
        for (int i = 0; i < count && atx_draft_param_value(&value, d, named[i]); i++) {
            snprintf(number, sizeof number, "%ld", value);
            atx_draft_replace_word(text, sizeof text, named[i], number);
        }
        if (count == 1 && sscanf(text, "%ld %% %ld%c", &a, &b, &behind) == 2 && b > 0 && a % b) {
            snprintf(text, sizeof text, "%s", named[0]);
            atx_draft_fix_param(d, text);
            k = d->require_count;
        }
    }
}

/* Whether the launch has as many blocks whatever their size is, and each does as many elements as it has
 * threads: n / 256 - 1 blocks of 512. */
static bool is_apart(const atx_draft *d, int k)
{
    bool apart = false;
    for (int axis = 0; axis < 3; axis++)
        apart = apart || (atx_draft_multiplies(d, axis, k, 0) && has_name(d->grid[axis]) &&
                          !strstr(d->grid[axis], "device.") &&
                          !atx_draft_names_word(d->grid[axis], d->block_param[k]));
    return apart && d->launched && !d->grid_guessed && !atx_draft_uses(d, "gridDim");
}

/* 256 threads that do 1024 elements, both as numbers: another size of the block leaves some, or has too few.
 */
void atx_draft_fix_block(atx_draft *d)
{
    fix_unmet(d);
    if (has_one_each(d, 0))
        atx_draft_fix_param(d, d->block_param[0]);
    for (int k = 0; k < 3; k++)
        if (d->block_param[k][0] && is_apart(d, k))
            atx_draft_fix_param(d, d->block_param[k]);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            if (d->block_as[k][0] && d->block_value[k] > 1 && has_multiple(d->grid[i], d->block_value[k]) &&
                !atx_draft_names_word(d->grid[i], d->block_as[k])) {
                atx_draft_fix_param(d, d->block_as[k]);
                break;
            }
}
