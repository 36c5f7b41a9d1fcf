/* adopt_guess.c - what is written where a file does not say it: sizes, the type T, a grid. */
#include "exchange/adopt_draft.h"

#include <string.h>
#include <strings.h>

void atx_draft_ask(atx_draft *d, atx_str *out, const char *question)
{
    atx_str_addf(out, "  # ? %s\n", question);
    d->out->questions++;
}

bool atx_draft_is_offset(const atx_draft_arg *a)
{
    static const char OFFSET[] = "offset", START[] = "start";
    const size_t len = strlen(a->name), n = sizeof OFFSET - 1;
    const bool whole = a->type.dtype ? strchr("iu", a->type.dtype[0]) != NULL : a->type.targ >= 0;
    return !a->stars && a->type.lanes == 1 && whole &&
           ((len >= n && strcasecmp(a->name + len - n, OFFSET) == 0) ||
            strncasecmp(a->name, START, sizeof START - 1) == 0);
}

const char *atx_draft_value(const atx_draft_arg *a)
{
    return a->value[0] ? a->value : atx_draft_is_offset(a) ? "0" : "1";
}

/* Where no index has one, the first whole number that the launch does not say. */
static uint64_t any_dim(const atx_draft *d)
{
    for (int i = 0; i < d->arg_count; i++) {
        const atx_draft_arg *a = &d->args[i];
        if (!a->stars && a->type.lanes == 1 && a->type.dtype && strchr("iu", a->type.dtype[0]) &&
            strlen(a->type.dtype) == 3 && !a->value[0])
            return (uint64_t)1 << i;
    }
    return 0;
}

int atx_draft_first_extra(const atx_draft *d)
{
    int i = 0;
    while (i < d->extra_count && d->extra_counts[i])
        i++;
    return i;
}

void atx_draft_choose_dims(atx_draft *d, uint64_t dims, uint64_t first)
{
    int count = d->extra_count;
    const bool has_extra = atx_draft_first_extra(d) < d->extra_count;
    bool sized = has_extra;
    dims = dims | first | (uint64_t)has_extra ? dims | first : any_dim(d);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < d->arg_count; i++) {
            const uint64_t from = pass ? dims : first;
            if (d->args[i].dim || d->args[i].own || !(from >> i & 1) || count == ATX_MAX_DIMS)
                continue;
            d->args[i].dim = sized = true;
            count++;
        }
    if (!sized)
        atx_draft_free_name(d->lone_dim, d, "n");
    for (int i = 0; i < d->arg_count; i++) /* those that are none have a value */
        for (int k = 0; k < d->arg_count; k++)
            if (!d->args[k].dim)
                d->args[i].dims &= ~((uint64_t)1 << k);
}

const char *atx_draft_first_dim(const atx_draft *d)
{
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].dim)
            return d->args[i].name;
    const int extra = atx_draft_first_extra(d);
    return extra < d->extra_count ? d->extra_name[extra] : d->lone_dim;
}

/* ---- types ---- */

static bool is_type_t(const atx_draft *d, const atx_draft_arg *a)
{
    const int targ = a->type.targ;
    return targ >= 0 && strcmp(d->targs[targ].text, "T") == 0;
}

/* The type of a buffer's elements: through the template. NULL: unknown. */
static const char *type_of(const atx_draft *d, const atx_draft_arg *a)
{
    const int targ = a->type.targ;
    const char *type = targ >= 0 ? d->targs[targ].dtype : a->type.dtype;
    return type && strcmp(type, "bool") == 0 ? "u8" : type;
}

const char *atx_draft_element(const atx_draft *d)
{
    const char *first = NULL;
    for (int i = 0; i < d->arg_count; i++) /* a template's own T, or an unknown one of its types */
        if (d->args[i].stars &&
            (is_type_t(d, &d->args[i]) || (d->args[i].type.targ >= 0 && !type_of(d, &d->args[i]))))
            return type_of(d, &d->args[i]) ? type_of(d, &d->args[i]) : "f32";
    for (int i = 0; i < d->arg_count; i++) {
        const char *type = d->args[i].stars ? type_of(d, &d->args[i]) : NULL;
        if (type && d->args[i].written)
            return type;
        first = first ? first : type;
    }
    return first ? first : "f32";
}

const char *atx_draft_own_type(const atx_draft *d, const atx_draft_arg *a)
{
    const char *type = type_of(d, a);
    bool any = false; /* T is an argument of the template, so that a buffer of one type is not of T */
    for (int i = 0; i < d->arg_count; i++)
        any = any || (d->args[i].stars && is_type_t(d, &d->args[i]));
    return is_type_t(d, a) || !type || (!any && strcmp(type, atx_draft_element(d)) == 0) ? NULL : type;
}

/* ---- sizes ---- */

static void add_product(atx_str *out, const atx_draft *d, uint64_t dims)
{
    bool first = true;
    for (int i = 0; i < d->extra_count; i++)
        if (dims >> (63 - i) & 1) {
            atx_str_addf(out, "%s%s", first ? "" : " * ", d->extra_name[i]);
            first = false;
        }
    for (int i = 0; i < d->arg_count; i++)
        if (dims >> i & 1) {
            atx_str_addf(out, "%s%s", first ? "" : " * ", d->args[i].name);
            first = false;
        }
}

/* Of a buffer whose index says nothing: that of another one, else the first dimension. */
static uint64_t sizes_of(const atx_draft *d, const atx_draft_arg *a)
{
    uint64_t dims = a->dims;
    for (int i = 0; i < d->arg_count && !dims; i++)
        dims = d->args[i].stars ? d->args[i].dims : 0;
    for (int i = 0; i < d->arg_count && !dims; i++)
        dims = d->args[i].dim ? (uint64_t)1 << i : 0;
    const int extra = atx_draft_first_extra(d);
    dims = dims || extra == d->extra_count ? dims : (uint64_t)1 << (63 - extra);
    return dims;
}

void atx_draft_add_size(atx_str *out, const atx_draft *d, const atx_draft_arg *a)
{
    const long factor = a->type.lanes;
    const uint64_t dims = sizes_of(d, a);
    if (a->size[0]) {
        atx_str_add(out, a->size);
        return;
    }
    if (dims)
        add_product(out, d, dims);
    else
        atx_str_add(out, d->lone_dim);
    if (factor > 1)
        atx_str_addf(out, " * %ld", factor);
}

/* ---- grid ---- */

static const atx_draft_arg *main_output(const atx_draft *d)
{
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].stars && d->args[i].written)
            return &d->args[i];
    return NULL;
}

/* Blocks for each element of the output; in two dimensions for its last two sizes. */
void atx_draft_add_grid(atx_str *out, const atx_draft *d)
{
    const atx_draft_arg *a = main_output(d);
    const uint64_t dims = a ? sizes_of(d, a) : 0;
    int list[ATX_MAX_DIMS], count = 0;
    for (int i = 0; i < d->arg_count; i++)
        if ((dims >> i & 1) && count < ATX_MAX_DIMS)
            list[count++] = i;
    for (int k = 0; k < 3; k++) {
        if (d->grid[k][0]) {
            atx_str_addf(out, "%s%s", k ? ", " : "", d->grid[k]);
        } else if (k == 0) {
            atx_str_add(out, "ceil_div(");
            if (d->block[1][0] && count > 1)
                atx_str_add(out, d->args[list[count - 1]].name);
            else if (count)
                add_product(out, d, dims);
            else
                atx_str_add(out, atx_draft_first_dim(d));
            atx_str_addf(out, ", %s)", d->block[0]);
        } else if (d->block[k][0] && count > k && d->grid_guessed) {
            atx_str_addf(out, ", ceil_div(%s, %s)", d->args[list[count - 1 - k]].name, d->block[k]);
        } else if (d->grid[2][0]) {
            atx_str_add(out, ", 1");
        }
    }
}

/* ---- outputs ---- */

static int count_written(const atx_draft *d)
{
    int count = 0;
    for (int i = 0; i < d->arg_count; i++)
        count += d->args[i].stars && d->args[i].written;
    return count;
}

/* Whether the kernel's code assigns to it, or gives its address to an atomic operation. */
static bool is_assigned(const atx_draft *d, const char *name)
{
    static const char *const SIGNS[] = { "=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "++", "--", NULL };
    const atx_tokens *t = &d->code;
    for (size_t i = 1; i + 1 < t->count; i++) {
        if (!d->reached[i] || !atx_tokens_is(t, i, name))
            continue;
        size_t end = i + 1;
        while (atx_tokens_is(t, end, "[") && atx_tokens_match(t, end) < t->count)
            end = atx_tokens_match(t, end) + 1;
        if (atx_tokens_is(t, i - 1, "&") || atx_tokens_is(t, i - 1, "++") ||
            (end < t->count && atx_token_is_one_of(t->text, &t->items[end], SIGNS)))
            return true;
    }
    return false;
}

/* The name of a variable of the device that the kernel uses, __device__ float total: one that it writes, if
 * any; 0: there is none. */
static size_t find_device_variable(const atx_draft *d)
{
    static const char *const ENDS[] = { ";", "=", "[", "(", "{", NULL };
    const atx_tokens *t = &d->code;
    size_t first = 0;
    for (size_t i = 0; i + 2 < t->count; i++) {
        char name[ATX_MAX_WORD];
        if (!atx_tokens_is(t, i, "__device__"))
            continue;
        size_t end = i + 1;
        while (end < t->count && !atx_token_is_one_of(t->text, &t->items[end], ENDS))
            end++;
        if (atx_tokens_is(t, end, "(") || atx_tokens_is(t, end, "{") || !atx_tokens_is_word(t, end - 1) ||
            atx_tokens_is(t, end - 1, "operator"))
            continue;
        atx_draft_word(name, t, end - 1);
        if (!name[0] || !atx_draft_uses(d, name))
            continue;
        if (is_assigned(d, name))
            return end - 1;
        first = first ? first : end - 1;
    }
    return first;
}

/* Whether the kernel names a member of it: no number of a template's type. */
static bool has_members(const atx_draft *d, const atx_draft_arg *a)
{
    const atx_tokens *t = &d->code;
    for (size_t i = d->kernel_text.open; i < d->body_end; i++)
        if (atx_tokens_is(t, i, a->arg.name) &&
            (atx_tokens_is(t, i + 1, ".") || atx_tokens_is(t, i + 1, "[")))
            return true;
    return false;
}

bool atx_draft_unset_constant(char name[ATX_MAX_WORD], const atx_draft *d)
{
    atx_kernel_arg arg;
    for (size_t at = 0, behind; atx_code_constant(&arg, &behind, &d->code, &at);) {
        bool known = false;
        for (int i = 0; i < d->variable_count; i++)
            known = known || strcmp(d->variables[i].arg.name, arg.name) == 0;
        if (!known && arg.name[0] && atx_draft_uses(d, arg.name)) {
            snprintf(name, ATX_MAX_WORD, "%s", arg.name);
            return true;
        }
    }
    return false;
}

bool atx_draft_reads_texture(char name[ATX_MAX_WORD], const atx_draft *d)
{
    static const char *const READS[] = { "tex1Dfetch", "tex1D", "tex2D", "tex3D", NULL };
    const atx_tokens *t = &d->code;
    for (int n = 0; n < d->targ_count; n++)
        for (size_t i = 0; i + 2 < t->count; i++) {
            if (!atx_tokens_is(t, i, "struct") || !atx_tokens_is(t, i + 1, d->targs[n].text) ||
                !atx_tokens_is(t, i + 2, "{"))
                continue;
            for (size_t k = i + 3; k < atx_tokens_match(t, i + 2); k++)
                if (atx_token_is_one_of(t->text, &t->items[k], READS)) {
                    snprintf(name, ATX_MAX_WORD, "%s", d->targs[n].text);
                    return true;
                }
        }
    return false;
}

/* An argument by value that may have pointers, by what is known of its type; NULL: there is none. */
static const atx_draft_arg *find_opaque(const atx_draft *d)
{
    const atx_draft_arg *first = NULL;
    for (int i = 0; i < d->arg_count; i++) {
        const atx_draft_arg *a = &d->args[i];
        if (a->stars || a->type.dtype || a->type.lanes != 1 ||
            (a->structure && d->structs[a->structure - 1].listed))
            continue;
        if (has_members(d, a))
            return a;
        first = first ? first : a;
    }
    return first;
}

static at_status refuse_outputs(const atx_draft *d)
{
    const atx_tokens *t = &d->code;
    const size_t variable = find_device_variable(d);
    int pointers = 0;
    char name[ATX_MAX_WORD];
    for (int i = 0; i < d->arg_count; i++)
        pointers += d->args[i].stars > 0;
    const atx_place place = atx_draft_place(d, &t->items[d->kernel_text.name]);
    const char *found = pointers ? "only pointers to const" : "no pointer";
    const atx_draft_arg *opaque = variable ? NULL : find_opaque(d);
    if (opaque)
        return atx_fail(
            d->err, AT_ERR_INPUT,
            "%s: found %s among the parameters of %s, and '%s' of type %s, whose fields are not understood "
            "(a template's argument, arrays of pointers, a base class, or a header that was not found); "
            "expected a "
            "buffer that it writes: pass it as a pointer",
            place.text, found, d->kernel, opaque->name, opaque->type.name[0] ? opaque->type.name : "unknown");
    if (!variable)
        return atx_fail(d->err, AT_ERR_INPUT,
                        "%s: found %s among the parameters of %s; expected a buffer that it writes",
                        place.text, found, d->kernel);
    atx_draft_word(name, t, variable);
    return atx_fail(
        d->err, AT_ERR_INPUT,
        "%s: found %s among the parameters of %s, and the variable '%s' of the device (%s); expected a "
        "buffer that it writes, as results are compared in buffers: make '%s' a parameter",
        place.text, found, d->kernel, name, atx_draft_place(d, &t->items[variable]).text, name);
}

at_status atx_draft_outputs(atx_draft *d)
{
    if (!count_written(d))
        for (int i = 0; i < d->arg_count; i++)
            if (d->args[i].stars && !d->args[i].arg.constant)
                d->args[i].written = d->args[i].read = d->args[i].role_guessed = true;
    if (count_written(d))
        return AT_OK;
    return refuse_outputs(d);
}
