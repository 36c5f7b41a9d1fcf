/* adopt_bounds_launch.c - the launch as sums of products: block and grid as a draft has them, and names that
 * mean the same everywhere. */
#include "exchange/adopt_bounds.h"

#include <stdio.h>
#include <string.h>

enum { MOST_BUDGET = 8000 };

static const atx_range UNKNOWN = { .known = false };

bool atx_bounds_builtin(atx_range *out, bool *symbolic, atx_bounding *b, const atx_tokens *t, size_t i)
{
    static const char *const NAMES[] = { "block.x", "block.y", "block.z" };
    char axis[ATX_MAX_WORD];
    atx_draft_word(axis, t, i + 2);
    const int k = axis[0] - 'x';
    if (!atx_tokens_is(t, i + 1, ".") || k < 0 || k > 2 || axis[1])
        return false;
    *symbolic = atx_tokens_is(t, i, "blockIdx") && (b->blockidx == k || b->blockidx == ATX_ALL_AXES);
    if (atx_tokens_is(t, i, "threadIdx"))
        *out = atx_range_below(b->block[k]);
    else if (atx_tokens_is(t, i, "blockDim"))
        *out = atx_range_exactly(b->block[k]);
    else if (*symbolic)
        *out = atx_range_exactly(atx_poly_symbol(atx_poly_named(&b->symbols, NAMES[k], ATX_TAG_OTHER)));
    else if (atx_tokens_is(t, i, "blockIdx"))
        *out = atx_range_below(b->grid[k]);
    else
        *out = atx_range_exactly(b->grid[k]);
    return atx_tokens_is(t, i, "threadIdx") || atx_tokens_is(t, i, "blockDim") ||
           atx_tokens_is(t, i, "blockIdx") || atx_tokens_is(t, i, "gridDim");
}

/* An iteration of a loop of the host: no more than its last one. */
static atx_range last_iteration(atx_bounding *b, const atx_draft_loop *loop)
{
    const atx_range last = atx_bounds_text_range(b, loop->down ? loop->first : loop->last);
    return last.known ? atx_range_up_to(last.most) : last;
}

/* A word of the language of declarations. */
static atx_range text_word(void *context, const atx_tokens *t, size_t *i, size_t end)
{
    atx_bounding *b = context;
    char name[ATX_MAX_WORD];
    const atx_range_words words = { &b->symbols, text_word, NULL, NULL, b };
    atx_draft_word(name, t, (*i)++);
    if (!atx_tokens_is(t, *i, "(")) {
        int tag = ATX_TAG_PARAM;
        for (int k = 0; k < b->d->loop_count; k++)
            if (strcmp(b->d->loops[k].name, name) == 0)
                return last_iteration(b, &b->d->loops[k]);
        for (int k = 0; k < b->d->arg_count; k++)
            tag = strcmp(b->d->args[k].name, name) == 0 ? ATX_TAG_ARG + k : tag;
        for (int k = 0; k < b->d->extra_count; k++)
            tag = strcmp(b->d->extra_name[k], name) == 0 ? ATX_TAG_EXTRA + k : tag;
        return atx_range_exactly(atx_poly_symbol(atx_poly_named(&b->symbols, name, tag)));
    }
    const size_t open = *i, close = atx_tokens_match(t, open), comma = atx_code_comma(t, open + 1, close);
    *i = close + 1;
    if (close >= end || comma >= close)
        return UNKNOWN;
    const atx_range x = atx_range_read(&words, t, open + 1, comma);
    const atx_range y = atx_range_read(&words, t, comma + 1, close);
    if (strcmp(name, "min") == 0)
        return atx_range_smaller(&b->symbols, x, y);
    if (strcmp(name, "max") == 0 && x.exact && y.exact)
        return atx_range_exactly(atx_poly_most(&b->symbols, &x.most, &y.most));
    if (strcmp(name, "ceil_div") != 0 || !x.exact || !y.exact)
        return UNKNOWN;
    return atx_range_exactly(atx_poly_divide_up(&b->symbols, &x.most, &y.most));
}

atx_range atx_bounds_text_range(atx_bounding *b, const char *text)
{
    atx_tokens t = { 0 };
    const atx_range_words words = { &b->symbols, text_word, NULL, NULL, b };
    if (!text[0] || strstr(text, "device.") || strstr(text, "sizeof") || !atx_code_read(&t, text))
        return UNKNOWN;
    const atx_range value = atx_range_read(&words, &t, 0, t.count);
    atx_tokens_clear(&t);
    return value;
}

bool atx_bounds_text(atx_poly *out, atx_bounding *b, const char *text)
{
    const atx_range value = atx_bounds_text_range(b, text);
    *out = value.most;
    return value.exact;
}

void atx_bounds_begin(atx_bounding *b, atx_draft *d)
{
    b->d = d;
    b->budget = MOST_BUDGET;
    b->blockidx = -1;
    b->depth = 0;
    b->symbols.count = 0;
    b->number_count = 0;
    for (int k = 0; k < d->extra_count; k++)
        atx_poly_named(&b->symbols, d->extra_name[k], ATX_TAG_EXTRA + k);
    for (int k = 0; k < d->arg_count; k++)
        if (!d->args[k].stars)
            atx_poly_named(&b->symbols, d->args[k].name, ATX_TAG_ARG + k);
    for (int k = 0; k < 3; k++) {
        static const char *const GRID[] = { "grid.x", "grid.y", "grid.z" };
        if (!atx_bounds_text(&b->block[k], b, d->block[k]))
            b->block[k] = atx_poly_number(d->block[k][0] ? 1024 : 1);
        const atx_range grid = atx_bounds_text_range(b, d->grid[k]);
        b->grid[k] = grid.most;
        b->grid_known[k] = grid.exact || (grid.known && atx_draft_is_of_iteration(d, d->grid[k]));
        if (!b->grid_known[k] && !d->grid[k][0] && k && !d->grid_guessed) {
            b->grid[k] = atx_poly_number(1);
            b->grid_known[k] = true;
        }
        if (!b->grid_known[k])
            b->grid[k] = atx_poly_symbol(atx_poly_named(&b->symbols, GRID[k], ATX_TAG_GRID + k));
    }
}

/* ---- names of a frame ---- */

atx_bound_name *atx_bounds_name(const atx_frame *f, const atx_tokens *t, size_t i)
{
    for (int k = f->count; k-- > 0;)
        if (atx_tokens_is(t, i, f->names[k].name))
            return &f->names[k];
    return NULL;
}

atx_bound_name *atx_bounds_add(atx_frame *f, const char *name)
{
    if (f->count == ATX_BOUND_NAMES || !name[0])
        return NULL;
    atx_bound_name *new = &f->names[f->count++];
    *new = (atx_bound_name){ .arg = -1 };
    snprintf(new->name, sizeof new->name, "%s", name);
    return new;
}

/* ---- names that mean the same everywhere ---- */

/* warp.thread_rank() and its kin of cooperative groups. */
bool atx_bounds_group(atx_range *out, atx_bounding *b, const atx_frame *f, const atx_tokens *t, size_t i)
{
    char call[ATX_MAX_WORD], name[ATX_MAX_WORD];
    atx_draft_word(call, t, i + 2);
    atx_draft_word(name, t, i);
    if (!atx_tokens_is(t, i + 1, ".") || !atx_tokens_is(t, i + 3, "("))
        return false;
    const size_t declared = t == f->t ? atx_guards_declaration(f->t, f->body.begin, name, i) : SIZE_MAX;
    if (declared == SIZE_MAX)
        return false;
    atx_poly size = atx_poly_multiply(&b->symbols, &b->block[0], &b->block[1]), threads;
    threads = size = atx_poly_multiply(&b->symbols, &size, &b->block[2]);
    bool tile = false, grid = false;
    const size_t end = atx_tokens_find(t, declared, f->body.end, ";");
    for (size_t k = declared > 12 ? declared - 12 : 0; k < end; k++) {
        long lanes = 32;
        if (atx_tokens_is(t, k, ";") && k < declared)
            tile = grid = false;
        grid = grid || atx_tokens_is(t, k, "this_grid") || atx_tokens_is(t, k, "grid_group");
        if (!tile && (atx_tokens_is(t, k, "tiled_partition") || atx_tokens_is(t, k, "thread_block_tile"))) {
            tile = true;
            if (atx_tokens_is(t, k + 1, "<") &&
                !atx_draft_number(&lanes, b->d, t, (atx_span){ k + 2, k + 3 }))
                lanes = 32;
            size = atx_poly_number(lanes);
        }
    }
    for (int k = 0; k < 3 && grid; k++)
        size = atx_poly_multiply(&b->symbols, &size, &b->grid[k]);
    if (strcmp(call, "thread_rank") == 0)
        *out = atx_range_below(size);
    else if (strcmp(call, "size") == 0 || strcmp(call, "num_threads") == 0)
        *out = atx_range_exactly(size);
    else if (strcmp(call, "meta_group_size") == 0)
        *out = atx_range_exactly(atx_poly_divide(&b->symbols, &threads, &size));
    else if (strcmp(call, "meta_group_rank") == 0)
        *out = atx_range_below(atx_poly_divide(&b->symbols, &threads, &size));
    else
        return false;
    return true;
}

atx_range atx_bounds_argument(atx_bounding *b, const char *name)
{
    const atx_draft *d = b->d;
    for (int k = 0; k < d->arg_count; k++) {
        const atx_draft_arg *a = &d->args[k];
        const char *type = a->type.targ >= 0 ? d->targs[a->type.targ].dtype : a->type.dtype;
        if (strcmp(a->arg.name, name) != 0)
            continue;
        if (a->stars || a->type.lanes != 1 || !type || (type[0] != 'i' && type[0] != 'u'))
            return UNKNOWN;
        if (a->own)
            return atx_bounds_text_range(b, a->value);
        return atx_range_exactly(atx_poly_symbol(atx_poly_named(&b->symbols, a->name, ATX_TAG_ARG + k)));
    }
    return UNKNOWN;
}

/* "x.size(0)" at token i, of a tensor: what all of them have. */
bool atx_bounds_extent(atx_range *out, atx_bounding *b, const atx_tokens *t, size_t i)
{
    const atx_draft *d = b->d;
    if (!atx_tokens_is(t, i + 1, ".") || !atx_tokens_is(t, i + 2, "size") || !atx_tokens_is(t, i + 3, "("))
        return false;
    for (int k = 0; k < d->arg_count; k++)
        if (d->args[k].structure && atx_tokens_is(t, i, d->args[k].arg.name))
            for (int n = 0; n < d->extra_count; n++)
                if (d->extra_extent[n]) {
                    *out = atx_range_exactly(
                        atx_poly_symbol(atx_poly_named(&b->symbols, d->extra_name[n], ATX_TAG_EXTRA + n)));
                    return true;
                }
    return false;
}

bool atx_bounds_field(atx_range *out, atx_bounding *b, const atx_tokens *t, size_t i)
{
    const atx_draft_field *field = atx_draft_find_field(b->d, t, i);
    atx_poly value;
    if (!field || !atx_bounds_text(&value, b, field->value))
        return false;
    *out = atx_range_exactly(value);
    return true;
}

bool atx_bounds_of_grid(const atx_bounding *b, const atx_poly *p)
{
    for (int i = 0; i < b->symbols.count; i++)
        if (b->symbols.items[i].kind == ATX_SYMBOL_NAME && b->symbols.items[i].tag >= ATX_TAG_GRID &&
            atx_poly_has(&b->symbols, p, i))
            return true;
    return false;
}

bool atx_bounds_of_data(const atx_bounding *b, const atx_poly *p)
{
    for (int i = 0; i < b->symbols.count; i++)
        if (b->symbols.items[i].kind == ATX_SYMBOL_NAME && b->symbols.items[i].tag >= ATX_TAG_ELEMENT &&
            b->symbols.items[i].tag < ATX_TAG_OTHER && atx_poly_has(&b->symbols, p, i))
            return true;
    return false;
}

atx_range atx_bounds_element(atx_bounding *b, const atx_bound_name *name)
{
    char text[ATX_MAX_WORD];
    const atx_draft_type *of = name->arg < ATX_DRAFT_ARGS ? &b->d->args[name->arg].type : NULL;
    const char *type = !of ? NULL : of->targ >= 0 ? b->d->targs[of->targ].dtype : of->dtype;
    if (!type || (type[0] != 'i' && type[0] != 'u'))
        return UNKNOWN;
    snprintf(text, sizeof text, "element.%d", name->arg);
    return atx_range_below(atx_poly_symbol(atx_poly_named(&b->symbols, text, ATX_TAG_ELEMENT + name->arg)));
}

/* sizeof(float), sizeof(T) */
atx_range atx_bounds_sizeof(atx_bounding *b, const atx_tokens *t, size_t begin, size_t end)
{
    atx_draft_type type = { 0 };
    if (t == &b->d->code)
        atx_draft_type_of(&type, b->d, begin, end);
    const long bytes = type.lanes ? atx_draft_bytes(b->d, &type) : 0;
    return bytes ? atx_range_exactly(atx_poly_number(bytes)) : UNKNOWN;
}

/* int(x), Index_t(8): the name before a bracket is that of an integer. */
bool atx_bounds_type(atx_bounding *b, const atx_tokens *t, size_t i)
{
    atx_draft_type type = { 0 };
    if (atx_draft_is_type_word(t, i))
        return true;
    if (t != &b->d->code || !b->seen)
        return false;
    if (!(b->seen[i] & (ATX_SEEN_TYPE | ATX_SEEN_NO_TYPE))) {
        atx_draft_type_of(&type, b->d, i, i + 1);
        const bool whole = type.dtype && type.lanes == 1 && (type.dtype[0] == 'i' || type.dtype[0] == 'u');
        b->seen[i] |= whole ? ATX_SEEN_TYPE : ATX_SEEN_NO_TYPE;
    }
    return b->seen[i] & ATX_SEEN_TYPE;
}

/* unsigned char x: at most 255. */
atx_range atx_bounds_byte(atx_bounding *b, const atx_tokens *t, size_t declared)
{
    atx_draft_type type;
    const size_t from = declared - 1 - atx_tokens_is(t, declared - 2, "unsigned");
    atx_draft_type_of(&type, b->d, from, declared);
    return type.dtype && strcmp(type.dtype, "u8") == 0 ? atx_range_up_to(atx_poly_number(255)) : UNKNOWN;
}

bool atx_bounds_number(long *out, atx_bounding *b, const char *name, const atx_tokens *t, size_t i)
{
    for (int k = 0; k < b->number_count; k++)
        if (strcmp(b->numbers[k].name, name) == 0) {
            *out = b->numbers[k].value;
            return true;
        }
    if (!atx_draft_number(out, b->d, t, (atx_span){ i, i + 1 }))
        return false;
    if (b->number_count < ATX_BOUND_NAMES && strlen(name) < ATX_MAX_WORD) {
        strcpy(b->numbers[b->number_count].name, name);
        b->numbers[b->number_count++].value = *out;
    }
    return true;
}

atx_range atx_bounds_smaller(atx_bounding *b, atx_range x, atx_range y)
{
    if (x.known && y.known && atx_bounds_of_grid(b, &x.most) != atx_bounds_of_grid(b, &y.most))
        return atx_range_up_to(atx_bounds_of_grid(b, &x.most) ? y.most : x.most);
    return atx_range_smaller(&b->symbols, x, y);
}

static bool has_params(const atx_bounding *b, const atx_poly *p)
{
    for (int i = 0; i < b->symbols.count; i++)
        if (b->symbols.items[i].kind == ATX_SYMBOL_NAME && b->symbols.items[i].tag == ATX_TAG_PARAM &&
            atx_poly_has(&b->symbols, p, i))
            return true;
    return false;
}

atx_range atx_bounds_limited(const atx_bounding *b, atx_range bound, atx_range value)
{
    if (!bound.known || !value.known)
        return bound.known ? bound : value;
    if (atx_bounds_of_data(b, &bound.most) && !atx_bounds_of_data(b, &value.most))
        return value;
    bound.least = value.least;
    if (value.most.rounded[0] && !bound.most.rounded[0] && !has_params(b, &bound.most))
        return bound; /* the value asks for sizes that steps divide */
    return atx_poly_within(&value.most, &bound.most) && !atx_poly_within(&bound.most, &value.most) ? value
                                                                                                   : bound;
}
