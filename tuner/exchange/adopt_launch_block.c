/*
 * adopt_launch_block.c - the block as the file's own launch has it. That of a kernel that reads blockDim is a
 * parameter, the author's its default; any other is what its author says.
 */
#include "exchange/adopt_sizes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Follows names to a number: those of the host go to `from`. A parameter of the draft ends it. */
static atx_draft_param *chase(atx_draft *d, atx_span span, int k, long *value)
{
    const atx_tokens *t = &d->code;
    int aliases = 0;
    *value = 0;
    for (int depth = 0; depth < 8; depth++) {
        char name[ATX_MAX_WORD];
        atx_span next;
        if (span.end != span.begin + 1 || !atx_tokens_is_word(t, span.begin))
            break;
        atx_draft_word(name, t, span.begin);
        atx_draft_param *p = atx_draft_find_param(d, name);
        if (p)
            return p;
        if (aliases < ATX_DRAFT_ALIASES)
            memcpy(d->block_from[k][aliases++], name, sizeof name);
        const atx_draft_macro *m = atx_draft_find_macro(d, name);
        if (m && m->body.end == m->body.begin + 1 && atx_tokens_is_word(&d->all, m->body.begin)) {
            atx_draft_word(name, &d->all, m->body.begin);
            if ((p = atx_draft_find_param(d, name)) != NULL)
                return p;
        }
        if (m || !atx_draft_definition(&next, d, name, d->launch.at))
            break;
        span = next;
    }
    if (!atx_draft_number(value, d, t, span) || *value < 1 || *value > 1024)
        *value = 0;
    return NULL;
}

/* A name for what the kernel reads as blockDim, that the file does not have. */
static void name_block(atx_draft *d, int k, bool several)
{
    static const char *const ONE[] = { "BLOCK", "BLOCK_THREADS", "TUNED_BLOCK" };
    static const char *const MORE[][3] = { { "BLOCK_X", "BLOCK_Y", "BLOCK_Z" },
                                           { "BLOCK_DIM_X", "BLOCK_DIM_Y", "BLOCK_DIM_Z" },
                                           { "TUNED_X", "TUNED_Y", "TUNED_Z" } };
    for (int i = 0; i < 3; i++) {
        const char *name = several ? MORE[i][k] : ONE[i];
        bool used = false;
        for (size_t n = 0; n < d->all.count && !used; n++)
            used = atx_tokens_is(&d->all, n, name);
        if (!used || i == 2) {
            atx_draft_free_name(d->block_param[k], d, name);
            return;
        }
    }
}

static void own_block(atx_draft *d, int k, long value, bool several)
{
    name_block(d, k, several);
    d->block_value[k] = value;
    snprintf(d->block[k], sizeof d->block[k], "%s", d->block_param[k]);
}

/* Whether the host has one name for the block's size in this direction and in the first. */
static bool is_first(const atx_draft *d, int k)
{
    return d->block_from[k][0][0] && d->block_param[0][0] &&
           strcmp(d->block_from[k][0], d->block_from[0][0]) == 0;
}

/* Whether the kernel asks for the block's size in that direction. */
static bool reads_axis(const atx_draft *d, int k)
{
    static const char *const AXES[] = { "x", "y", "z" };
    bool other = false;
    for (size_t n = 0; n <= d->macro_count; n++) {
        const atx_draft_macro *m = n ? &d->macros[n - 1] : NULL;
        const atx_tokens *t = m ? &d->all : &d->code;
        for (size_t i = m ? m->body.begin : 0; i + 2 < (m ? m->body.end : t->count) && (!m || m->reached);
             i++) {
            if (!atx_tokens_is(t, i, "blockDim") || (!m && !d->reached[i]))
                continue;
            if (!atx_tokens_is(t, i + 1, ".") || atx_tokens_is(t, i + 2, AXES[k]))
                return true;
            other = true;
        }
    }
    return !other;
}

/* Numbers as the block, or parameters for them where the kernel can do with others. */
static void set_block(atx_draft *d, const long value[3])
{
    const bool several = value[1] > 1 || value[2] > 1;
    for (int k = 0; k < 3; k++)
        if (!d->block[k][0] && d->reads_block && value[k] > 1 && k && is_first(d, k))
            snprintf(d->block[k], sizeof d->block[k], "%s", d->block_param[0]);
        else if (!d->block[k][0] && d->reads_block && value[k] > 1 && reads_axis(d, k) &&
                 !atx_draft_fixes_block(d, k, value[k]))
            own_block(d, k, value[k], several);
        else if (!d->block[k][0] && (k == 0 || value[k] > 1))
            snprintf(d->block[k], sizeof d->block[k], "%ld", value[k]);
}

static long bounded(const atx_draft *d, long value)
{
    return d->bound > 0 && value > d->bound ? d->bound : value;
}

/* blockIdx.x * N + threadIdx.x, or N * blockIdx.x, also of names for these: N is the block. */
static bool guess_stride(atx_draft *d, int axis)
{
    const atx_tokens *t = &d->code;
    char bx[ATX_MAX_WORD] = "", tx[ATX_MAX_WORD] = "", name[ATX_MAX_WORD];
    long value = 0;
    for (size_t i = d->kernel_text.open; i + 4 < d->body_end && axis == 0 && !d->reads_block; i++) {
        if (atx_tokens_is(t, i + 1, "=") && atx_tokens_is(t, i + 4, "x") && atx_tokens_is(t, i + 5, ";"))
            atx_draft_word(atx_tokens_is(t, i + 2, "blockIdx")    ? bx
                           : atx_tokens_is(t, i + 2, "threadIdx") ? tx
                                                                  : name,
                           t, i);
        size_t at = i;
        const bool block = atx_tokens_is(t, at, "blockIdx") || (bx[0] && atx_tokens_is(t, at, bx));
        at += atx_tokens_is(t, at, "blockIdx") ? 3 : 1;
        const bool behind = atx_tokens_is(t, at, "*"); /* N * blockIdx.x, else */
        if (!block || !(behind || atx_tokens_is(t, i - 1, "*")))
            continue;
        const size_t by = behind ? at + 1 : i - 2;
        atx_draft_word(name, t, by);
        const atx_draft_param *p = atx_draft_find_param(d, name);
        const bool number = !p && atx_draft_number(&value, d, t, (atx_span){ by, by + 1 });
        at += 2 * (size_t)behind;
        at += atx_tokens_is(t, at, ")");
        if (!atx_tokens_is(t, at, "+") ||
            !(atx_tokens_is(t, at + 1, "threadIdx") || (tx[0] && atx_tokens_is(t, at + 1, tx))))
            continue;
        if (p && !p->boolean)
            snprintf(d->block[0], sizeof d->block[0], "%s", atx_draft_param_line(p));
        else if (number && value > 1 && value <= 1024)
            snprintf(d->block[0], sizeof d->block[0], "%ld", value);
        if (d->block[0][0])
            return true;
    }
    return false;
}

/* Where the size is unknown: parameters of the file that are called so, else a usual size. */
void atx_draft_guess_block(atx_draft *d)
{
    long value[3] = { 1, 1, 1 };
    bool named = guess_stride(d, 0), square = false;
    for (int i = 0; i < d->param_count; i++) {
        const atx_draft_param *p = &d->params[i];
        if (p->axis < 0 || d->block[p->axis][0])
            continue;
        snprintf(d->block[p->axis], sizeof d->block[p->axis], "%s", atx_draft_param_line(p));
        square = square || (p->axis == 0 && p->value <= 32);
        named = true;
    }
    if (square && d->axes > 1 && !d->block[1][0]) /* one name for both */
        memcpy(d->block[1], d->block[0], sizeof d->block[1]);
    d->block_guessed = !named;
    if (!named && !atx_draft_uses(d, "threadIdx") && !atx_draft_uses(d, "blockIdx") && !d->reads_block) {
        snprintf(d->grid[0], sizeof d->grid[0], "1");
    } else if (!named) {
        static const long USUAL[3][3] = { { 256, 1, 1 }, { 16, 16, 1 }, { 8, 8, 4 } };
        static const long SMALL[3][3] = { { 128, 1, 1 }, { 32, 4, 1 }, { 8, 4, 4 } }; /* a bound is unknown */
        memcpy(value, d->bound < 0 ? SMALL[d->axes - 1] : USUAL[d->axes - 1], sizeof value);
        if (d->bound > 0) {
            value[0] = d->axes > 1 ? 32 : bounded(d, 1024);
            value[1] = d->axes > 1 && d->bound / 32 > 0 ? d->bound / 32 : 1;
            value[2] = 1;
        }
    } else if (!d->block[0][0]) {
        value[0] = 32;
    }
    set_block(d, value);
}

/* Whether the kernel has its block's size as an argument, in place of blockDim. */
static bool is_told(const atx_draft *d)
{
    for (int i = 0; i < d->launch.arg_count && atx_draft_scalars(); i++)
        for (int k = 0; k < 3 * ATX_DRAFT_ALIASES; k++) {
            const char *name = d->block_from[k / ATX_DRAFT_ALIASES][k % ATX_DRAFT_ALIASES];
            if (name[0] && d->launch.args[i][1] == d->launch.args[i][0] + 1 &&
                atx_tokens_is(&d->code, d->launch.args[i][0], name))
                return true;
        }
    return false;
}

/* switch (NAME) { case 32: k<...><<<...>>>: the token of 32; 0: the launch is in no such. */
static size_t find_case(const atx_draft *d, const char *name)
{
    const atx_tokens *t = &d->code;
    for (size_t i = d->launch.at; i-- > 5;) {
        if (atx_tokens_is(t, i, "}") && t->items[i].pair < i) {
            i = t->items[i].pair;
        } else if (atx_tokens_is(t, i, "{") && atx_tokens_is(t, i - 1, ")")) {
            const size_t open = t->items[i - 1].pair;
            if (!atx_tokens_is(t, open - 1, "switch"))
                return 0;
            size_t label = d->launch.at;
            while (label > i && !atx_tokens_is(t, label, "case"))
                label--;
            const size_t word = i - open == 5 && atx_tokens_is(t, open + 2, ".") ? i - 4 : i - 2; /* b.x */
            return open + 1 == word && atx_tokens_is(t, word, name) && label > i ? label + 1 : 0;
        }
    }
    return 0;
}

/* k<size><<<grid, dim3(size, size)>>>: the parameter that is the template's argument. */
static atx_draft_param *given_as(atx_draft *d, int k)
{
    char block[ATX_MAX_WORD] = "";
    if (d->launch.config[1][1] == d->launch.config[1][0] + 1)
        atx_draft_word(block, &d->code, d->launch.config[1][0]);
    for (int a = 0; a <= ATX_DRAFT_ALIASES; a++) {
        const char *name = a < ATX_DRAFT_ALIASES ? d->block_from[k][a] : k ? "" : block;
        const size_t label = name[0] ? find_case(d, name) : 0;
        long is, given;
        if (label && !atx_draft_plain_number(&is, &d->code, label))
            continue;
        for (int n = 0; n < d->targ_count && name[0]; n++)
            if (d->targs[n].given.end == d->targs[n].given.begin + 1 &&
                (atx_tokens_is(&d->code, d->targs[n].given.begin, name) ||
                 (label && atx_draft_plain_number(&given, &d->code, d->targs[n].given.begin) && given == is)))
                return atx_draft_find_param(d, d->targs[n].name);
    }
    return NULL;
}

/* dim3(32, 32) beside #define BLOCK_SIZE 32, where the kernel reads that and not blockDim: the macro is
 * meant. */
static const atx_draft_param *written_as(const atx_draft *d, long value)
{
    for (int i = 0; i < d->param_count; i++) /* k<64><<<grid, 64>>> of template <int block_size> */
        if (d->params[i].kind == ATX_DRAFT_TARG && d->params[i].axis == 0 && d->params[i].value == value &&
            !d->params[i].guessed && value > 1)
            return &d->params[i];
    for (int i = 0; i < d->param_count && !d->reads_block; i++)
        if (d->params[i].axis >= 0 && d->params[i].value == value && value > 1)
            return &d->params[i];
    return NULL;
}

/* dim3(BN / TN, BM / TM), of parameters. */
static bool takes_params(atx_draft *d, int k, atx_span part)
{
    atx_str text = { 0 };
    const bool takes = atx_draft_expression(&text, d, part, k) && text.len < sizeof d->block[k] &&
                       atx_draft_names_param(d, text.data);
    if (takes)
        snprintf(d->block[k], sizeof d->block[k], "%s", text.data);
    atx_str_clear(&text);
    return takes;
}

/* 256, or 1024 / 4. */
static bool is_literal(long *value, const atx_draft *d, atx_span part)
{
    bool words = false;
    for (size_t i = part.begin; i < part.end; i++)
        words = words || atx_tokens_is_word(&d->code, i);
    return !words && atx_draft_number(value, d, &d->code, part);
}

/* Whether the kernel divides the thread's index by NAME and takes the rest, too: NAME rows of NAME threads.
 */
static bool is_side(const atx_draft *d, const char *name)
{
    bool row = false, column = false;
    for (size_t i = d->kernel_text.open; i + 4 < d->body_end; i++)
        if (atx_tokens_is(&d->code, i, "threadIdx") && atx_tokens_is(&d->code, i + 2, "x") &&
            atx_tokens_is(&d->code, i + 4, name)) {
            row = row || atx_tokens_is(&d->code, i + 3, "/");
            column = column || atx_tokens_is(&d->code, i + 3, "%");
        }
    return row && column;
}

/* k<32><<<dim3(n / 32, m / 32), 32 * 32>>> of a square whose side is a parameter. */
static atx_draft_param *find_side(atx_draft *d, atx_span part)
{
    long a, b;
    if (part.end != part.begin + 3 || !atx_tokens_is(&d->code, part.begin + 1, "*") ||
        !atx_draft_plain_number(&a, &d->code, part.begin) ||
        !atx_draft_plain_number(&b, &d->code, part.end - 1) || a != b)
        return NULL;
    for (int i = 0; i < d->param_count; i++)
        if (d->params[i].value == a && !d->params[i].guessed && is_side(d, d->params[i].name))
            return &d->params[i];
    return NULL;
}

/* Whether the bracket at text[open] is closed at text[close]. */
static bool closes(const char *text, size_t open, size_t close)
{
    int depth = 0;
    for (size_t i = open; i <= close; i++)
        if ((depth += (text[i] == '(') - (text[i] == ')')) == 0)
            return i == close;
    return false;
}

/* "ceil_div(n, 32)", "(n + 31) / 32" or "n / 32" with the parameter as the number; false: it is another
 * expression. */
static bool divide_by_side(char text[ATX_DRAFT_EXPR], const atx_draft_param *side)
{
    const long v = side->value;
    const struct {
        const char *begin, *end, *before, *behind; /* of the text that is there, and of the other one */
        long first, second;                        /* numbers of `end` */
    } FORMS[] = { { "ceil_div(", ", %ld)", "ceil_div(", ", %s)", v, 0 },
                  { "(", " + %ld) / %ld", "ceil_div(", ", %s)", v - 1, v },
                  { "(", " + %ld - 1) / %ld", "ceil_div(", ", %s)", v, v },
                  { "", " / %ld", "", " / %s", v, 0 } };
    for (size_t k = 0; k < sizeof FORMS / sizeof *FORMS; k++) {
        char end[64], behind[ATX_MAX_WORD + 16], written[ATX_DRAFT_EXPR];
        const size_t begin = strlen(FORMS[k].begin), len = strlen(text);
        const size_t n = (size_t)snprintf(end, sizeof end, FORMS[k].end, FORMS[k].first, FORMS[k].second);
        if (len < begin + n || strncmp(text, FORMS[k].begin, begin) != 0 || strcmp(text + len - n, end) != 0)
            continue;
        if (begin && !closes(text, begin - 1, len - n + (size_t)(strchr(end, ')') - end)))
            continue;
        snprintf(behind, sizeof behind, FORMS[k].behind, atx_draft_param_line(side));
        snprintf(written, sizeof written, "%s%.*s%s", FORMS[k].before, (int)(len - n - begin), text + begin,
                 behind);
        memcpy(text, written, sizeof written);
        return true;
    }
    return false;
}

/* The grid of such a square; a grid without it leaves the side a number. */
void atx_draft_read_side(atx_draft *d)
{
    const atx_span from = { d->launch.config[1][0], d->launch.config[1][1] };
    atx_span part;
    atx_draft_param *side = atx_draft_component(&part, d, from, 0) ? find_side(d, part) : NULL;
    bool any = false;
    for (int k = 0; k < 3 && side && !d->reads_block; k++)
        any = divide_by_side(d->grid[k], side) || any;
    if (!any)
        return;
    side->axis = -1;
    snprintf(d->block[0], sizeof d->block[0], "%s * %s", atx_draft_param_line(side),
             atx_draft_param_line(side));
}

/* "min(d, 1024)": where the comma stands that the number is behind or before; 0: it is no such. */
static size_t limit_comma(const char *text)
{
    int depth = 0;
    size_t comma = 0, i = strlen("min");
    if (strncmp(text, "min(", i + 1) != 0)
        return 0;
    for (; text[i]; i++) {
        depth += (text[i] == '(') - (text[i] == ')');
        if (!depth)
            break;
        if (text[i] == ',' && depth == 1)
            comma = i;
    }
    return text[i] && !text[i + 1] ? comma : 0;
}

/* dim3(min(d, 1024)): no more threads than a row has elements, and another limit is as good, since the
 * kernel's loops have to do with fewer threads than elements anyway. */
static void limit_block(atx_draft *d, int k)
{
    char *text = d->block[k], written[ATX_DRAFT_EXPR], *end;
    const size_t comma = limit_comma(text);
    if (!comma || !d->reads_block || k)
        return;
    long value = strtol(text + comma + 1, &end, 10);
    const bool last = end > text + comma + 1 && strcmp(end, ")") == 0;
    if (!last)
        value = strtol(text + strlen("min("), &end, 10);
    if (!(last || end == text + comma) || value < 32 || value > 1024)
        return;
    name_block(d, k, false);
    d->block_value[k] = value;
    if (last)
        snprintf(written, sizeof written, "%.*s, %s)", (int)comma, text, d->block_param[k]);
    else
        snprintf(written, sizeof written, "min(%s, %s", d->block_param[k], text + comma + 2);
    memcpy(text, written, sizeof written);
}

/* 256; or max(1024, n): more than that no block has. */
static bool is_constant(long *value, const char *text)
{
    enum { MOST = 1024 };
    char *end;
    const bool most = strncmp(text, "max(1024, ", 10) == 0 && closes(text, 3, strlen(text) - 1);
    *value = most ? MOST : strtol(text, &end, 10);
    if (!most && (*end || *value < 1 || *value > MOST))
        *value = 0;
    return *value > 0;
}

/* A parameter of the kernel's template whose name is that of a block: NUM_THREADS; NULL: there is none. */
static atx_draft_param *called_so(atx_draft *d, int k)
{
    for (int i = 0; i < d->param_count; i++)
        if (d->params[i].kind == ATX_DRAFT_TARG && d->params[i].axis == k)
            return &d->params[i];
    return NULL;
}

void atx_draft_launch_block(atx_draft *d)
{
    long value[3] = { 1, 1, 1 };
    const atx_span from = { d->launch.config[1][0], d->launch.config[1][1] };
    atx_span part;
    if (!atx_draft_component(&part, d, from, 0)) {
        atx_draft_guess_block(d);
        return;
    }
    for (int k = 0; k < 3; k++) {
        if (!atx_draft_component(&part, d, from, k) || part.begin >= part.end)
            continue;
        while (atx_tokens_is(&d->code, part.begin, "(") &&
               atx_tokens_match(&d->code, part.begin) + 1 == part.end)
            part = (atx_span){ part.begin + 1, part.end - 1 }; /* (threads), of a macro */
        atx_draft_param *p = chase(d, part, k, &value[k]);
        if (p) {
            p->axis = k;
            snprintf(d->block[k], sizeof d->block[k], "%s", atx_draft_param_line(p));
            continue;
        }
        if ((p = given_as(d, k)) != NULL) {
            p->axis = k;
            d->block_value[k] = p->value;
            snprintf(d->block[k], sizeof d->block[k], "%s", atx_draft_param_line(p));
            snprintf(d->block_as[k], sizeof d->block_as[k], "%s", d->block[k]);
            continue;
        }
        if (takes_params(d, k, part))
            continue;
        const bool literal = is_literal(&value[k], d, part);
        const atx_draft_param *same = literal ? written_as(d, value[k]) : NULL;
        d->block_literal = d->block_literal || literal;
        if (same) {
            snprintf(d->block[k], sizeof d->block[k], "%s", atx_draft_param_line(same));
            snprintf(d->block_as[k], sizeof d->block_as[k], "%s", d->block[k]);
            d->block_value[k] = value[k];
            continue;
        }
        atx_str text = { 0 };
        const bool written = !value[k] && !d->block_from[k][0][0] && atx_draft_expression(&text, d, part, k);
        if (written && is_constant(&value[k], text.data)) {
            d->block_literal = true; /* space::NAME */
        } else if (written) {
            snprintf(d->block[k], sizeof d->block[k], "%s", atx_str_text(&text));
            limit_block(d, k);
        } else if (!value[k] && guess_stride(d, k)) {
            d->block_guessed = true;
        } else if (!value[k] && (p = called_so(d, k)) != NULL) {
            snprintf(d->block[k], sizeof d->block[k], "%s", atx_draft_param_line(p));
            d->block_guessed = true;
        } else if (!value[k]) {
            const bool square = k == 1 && d->block_from[1][0][0] && d->block_guessed &&
                                strcmp(d->block_from[1][0], d->block_from[0][0]) == 0;
            value[k] = k == 0 ? d->axes > 1 ? 32 : 256 : 8;
            if (square) /* dim3(size, size) */
                value[0] = value[1] = 16;
            d->block_guessed = true;
        }
        atx_str_clear(&text);
    }
    d->reads_block = d->reads_block || is_told(d);
    if (d->bound > 0 && value[0] * value[1] * value[2] > d->bound && value[0] > d->bound)
        value[0] = bounded(d, value[0]);
    set_block(d, value);
}
