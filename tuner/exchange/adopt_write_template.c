/* adopt_write_template.c - writes the template of a draft: parameters, and how the kernel is launched. */
#include "exchange/adopt_draft.h"
#include "exchange/adopt_sizes.h"

#include "util/chars.h"
#include "util/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_params(atx_draft *d)
{
    atx_str *out = &d->out->t;
    bool asked = false;
    for (int i = 0; i < d->param_count; i++) {
        const atx_draft_param *p = &d->params[i];
        atx_str_addf(out, "param     %s = ", atx_draft_param_line(p));
        atx_draft_values(out, d, p);
        if (p->guessed && !p->boolean && !asked) {
            atx_draft_ask(
                d, out,
                p->kind == ATX_DRAFT_UNDEFINED
                    ? "the file uses this name and defines it nowhere: which values are worth a try?"
                    : "the file does not say its value: which are worth a try?");
            asked = true;
        } else {
            atx_str_add(out, "\n");
        }
    }
}

/* Whether an extent of an array is the number of threads, or a multiple that is written with it: [4 * 128].
 */
static bool is_extent_of(const atx_draft *d, atx_span extent, long size)
{
    long value = 0, part = 0;
    if (!atx_draft_number(&value, d, &d->code, extent) || value < size || value % size)
        return false;
    bool is = value == size;
    for (size_t i = extent.begin; i < extent.end && !is; i++)
        is = atx_draft_number(&part, d, &d->code, (atx_span){ i, i + 1 }) && part == size;
    return is;
}

/* Whether the kernel has an array of as many elements as threads, in any direction. */
static bool has_array_of(const atx_draft *d, long size)
{
    const atx_tokens *t = &d->code;
    for (size_t i = 2; i < t->count; i++) {
        if (!d->reached[i] || !atx_tokens_is(t, i, "[") || !atx_tokens_is_word(t, i - 1) ||
            !(atx_tokens_is_word(t, i - 2) || atx_tokens_is(t, i - 2, ">")) ||
            atx_tokens_is(t, i - 2, "return"))
            continue;
        for (size_t open = i; atx_tokens_is(t, open, "["); open = atx_tokens_match(t, open) + 1)
            if (is_extent_of(d, (atx_span){ open + 1, atx_tokens_match(t, open) }, size))
                return true;
    }
    return false;
}

/* Powers of two around the author's size, and that. */
static void write_block_values(atx_str *out, const atx_draft *d, int k, bool several)
{
    const long v = d->block_value[k];
    const long least = several ? v / 4 : v < 32 ? v : v / 4 < 32 ? 32 : v / 4;
    long most = v >= 512      ? 1024
                : 4 * v < 512 ? 4 * v
                              : 512; /* 1024 threads have 64 registers each: too few */
    if (d->bound > 0 && most > d->bound)
        most = d->bound;
    if (has_array_of(d, v) && most > v)
        most = v;
    const char *blank = "";
    for (long x = 1, before = 0; x <= 1024; before = x, x *= 2) {
        if (before < v && v < x) {
            atx_str_addf(out, "%s%ld", blank, v);
            blank = " ";
        }
        if (x == v || (x >= least && x <= most)) {
            atx_str_addf(out, "%s%ld", blank, x);
            blank = " ";
        }
    }
}

static void write_block_params(atx_draft *d)
{
    atx_str *out = &d->out->t;
    const bool several = d->block[1][0] || d->block[2][0];
    for (int k = 0; k < 3; k++)
        if (d->block_param[k][0]) {
            atx_str_addf(out, "param     %s = ", d->block_param[k]);
            write_block_values(out, d, k, several);
            atx_str_addf(out, "  # blockDim%s\n", several ? k == 0 ? ".x" : k == 1 ? ".y" : ".z" : "");
        }
}

/* The author's configuration. */
static void write_default(atx_draft *d)
{
    atx_str *out = &d->out->t;
    bool any = false;
    for (int i = 0; i < d->param_count; i++) {
        const atx_draft_param *p = &d->params[i];
        atx_str_addf(out, "%s%s=", any ? " " : "default   ", atx_draft_param_line(p));
        any = true;
        if (p->boolean)
            atx_str_add(out, p->value ? "true" : "false");
        else
            atx_str_addf(out, "%ld", p->value);
    }
    for (int k = 0; k < 3; k++)
        if (d->block_param[k][0]) {
            atx_str_addf(out, "%s%s=%ld", any ? " " : "default   ", d->block_param[k], d->block_value[k]);
            any = true;
        }
    atx_str_add(out, any ? "  # as the file has it\n" : "");
}

/* Arguments of a template and constants are no macros: only the others are. */
static void write_define(atx_draft *d)
{
    int macros = 0;
    for (int i = 0; i < d->param_count; i++)
        if (d->params[i].kind == ATX_DRAFT_MACRO || d->params[i].kind == ATX_DRAFT_UNDEFINED)
            atx_str_addf(&d->out->t, "%s%s", macros++ ? " " : "define    ",
                         atx_draft_param_line(&d->params[i]));
    if (macros)
        atx_str_add(&d->out->t, "\n");
    for (int i = 0; i < d->assumed.count; i++) {
        atx_str_addf(&d->out->t, "define    %s = %ld", d->assumed.names[i], d->assumed.values[i]);
        atx_draft_ask(d, &d->out->t, "nothing in the file defines it: what does its build say?");
    }
}

static bool is_number(const char *text)
{
    return text[strspn(text, "0123456789")] == '\0';
}

static const char *find_close(const char *open)
{
    int depth = 0;
    for (; *open; open++)
        if ((depth += (*open == '(') - (*open == ')')) == 0)
            break;
    return open;
}

/* "require X > 0" for each divisor X of a text that is a quotient: 256 / P is 0 for some P. Inner ones first.
 */
static void write_divisors(atx_str *out, const char *begin, const char *end)
{
    static const char CALL[] = "ceil_div(";
    for (const char *at = begin; at < end; at++) {
        const bool called = strncmp(at, CALL, sizeof CALL - 1) == 0;
        if (!called && !((*at == '/' || *at == '%') && at + 2 < end && at[2] == '('))
            continue;
        const char *by = at + 2, *close = find_close(called ? at + sizeof CALL - 2 : by);
        if (called)
            for (by = at + sizeof CALL - 1; by < close && *by != ','; by++)
                by = *by == '(' ? find_close(by) : by;
        by += called ? strspn(by, ", ") : 0;
        close += !called && *close;
        if (by >= close || close > end || !memchr(by, '/', (size_t)(close - by)))
            continue;
        write_divisors(out, by, close);
        atx_str line = { 0 };
        atx_str_addf(&line, "require   %.*s > 0  # elements of a block\n", (int)(close - by), by);
        if (!line.failed && !strstr(atx_str_text(out), line.data))
            atx_str_add(out, line.data);
        atx_str_clear(&line);
    }
}

/* 1000000 / BLOCK blocks of 1000 threads: no block of 256. */
static bool write_whole(atx_draft *d, const char *grid)
{
    char *name;
    long by = 0;
    const long all = strtol(grid, &name, 10);
    if (name == grid || strncmp(name, " / ", 3) != 0 || !atx_draft_param_value(&by, d, name + 3) || by < 1 ||
        all % by)
        return false;
    atx_str_addf(&d->out->t, "require   %ld %% %s == 0  # the kernel does not ask where a block ends\n", all,
                 name + 3);
    return true;
}

/* "TN % 2" of "param TN = 4 8 16": it is 0 for each of them. */
static bool is_whole(const atx_draft *d, const char *text)
{
    char name[ATX_MAX_WORD];
    long by = 0;
    int end = 0;
    if (sscanf(text, "%63[A-Za-z0-9_] %% %ld%n", name, &by, &end) != 2 || text[end] || by < 1)
        return false;
    for (int i = 0; i < d->param_count; i++)
        if (strcmp(atx_draft_param_line(&d->params[i]), name) == 0) {
            ATX_LOCAL(atx_str) values = { 0 };
            atx_draft_values(&values, d, &d->params[i]);
            const char *at = atx_str_text(&values);
            for (char *next; *at; at = next)
                if (strtol(at, &next, 10) % by != 0 || next == at)
                    return false;
            return true;
        }
    return false;
}

/* A size that does not fill one block has none. What is divided by is above 0 first: 256 / P is not for all
 * P. */
static void write_least(atx_draft *d)
{
    atx_str *out = &d->out->t;
    for (int k = 0; k < d->require_count; k++)
        write_divisors(out, d->require[k], d->require[k] + strlen(d->require[k]));
    for (int k = 0; k < d->rule_count; k++)
        write_divisors(out, d->rules[k].text, d->rules[k].text + strlen(d->rules[k].text));
    for (int k = 0; k < 3; k++)
        if (d->grid[k][0] && strpbrk(d->grid[k], "/>") && !strstr(d->grid[k], "ceil_div") &&
            !strchr(d->grid[k], '+') && !(k && strcmp(d->grid[k], d->grid[k - 1]) == 0) &&
            !write_whole(d, d->grid[k]))
            atx_str_addf(out, "require   %s > 0  # a block at least\n", d->grid[k]);
    for (int k = 0; k < d->require_count; k++)
        if (!is_whole(d, d->require[k]))
            atx_str_addf(out, "require   %s == 0  # the kernel does not ask where a block ends\n",
                         d->require[k]);
}

static void write_rules(atx_draft *d)
{
    for (int k = 0; k < d->rule_count; k++) {
        atx_str line = { 0 };
        atx_str_addf(&line, "require   %s  # ", d->rules[k].text);
        if (!line.failed && !strstr(atx_str_text(&d->out->t), line.data))
            atx_str_addf(&d->out->t, "%s%s\n", line.data, d->rules[k].why);
        atx_str_clear(&line);
    }
}

/* Blocks of several sizes must not be too large. */
static void write_limit(atx_draft *d)
{
    atx_str *out = &d->out->t;
    int numbers = 0, parts = 0;
    for (int k = 0; k < 3; k++) {
        parts += d->block[k][0] != '\0';
        numbers += d->block[k][0] && is_number(d->block[k]);
    }
    const bool simple = parts == 1 && !strpbrk(d->block[0], " *+");
    if (numbers == parts || (simple && d->bound <= 0))
        return;
    atx_str_add(out, "require   ");
    for (int k = 0, n = 0; k < 3; k++)
        if (d->block[k][0])
            atx_str_addf(out, strpbrk(d->block[k], " +-") && parts > 1 ? "%s(%s)" : "%s%s", n++ ? " * " : "",
                         d->block[k]);
    if (d->bound > 0)
        atx_str_addf(out, " <= %ld  # its __launch_bounds__\n", d->bound);
    else
        atx_str_add(out, " <= device.max_threads_per_block\n");
}

/* Whether an expression names a size of the problem. */
static bool has_size(const atx_draft *d, const char *text)
{
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].dim && atx_draft_names_word(text, d->args[i].name))
            return true;
    for (int i = 0; i < d->extra_count; i++)
        if (atx_draft_names_word(text, d->extra_name[i]))
            return true;
    return false;
}

/* "require n <= ": in parentheses what binds less than the comparison. */
static void add_at_most(atx_str *out, const char *text)
{
    const bool weak = strpbrk(text, "?&|^<>=!") != NULL;
    atx_str_addf(out, "require   %s%s%s <= ", weak ? "(" : "", text, weak ? ")" : "");
}

/* What a size can exceed: a grid in y and z, and shared memory. */
static void write_launch_limits(atx_draft *d)
{
    atx_str *out = &d->out->t;
    for (int k = 1; k < 3; k++)
        if (has_size(d, d->grid[k]) && !atx_draft_is_of_iteration(d, d->grid[k])) {
            add_at_most(out, d->grid[k]);
            atx_str_addf(out, "65535  # blocks of a grid in %c\n", "xyz"[k]);
        }
    if (has_size(d, d->shared_bytes) && !atx_draft_is_of_iteration(d, d->shared_bytes)) {
        add_at_most(out, d->shared_bytes);
        atx_str_add(out, "device.max_shared_bytes\n");
    }
}

/* Arguments of the template's own, and with them the kernel's list. */
static void write_own(atx_draft *d)
{
    atx_str *out = &d->out->t;
    bool any = false;
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].own) {
            atx_str_addf(out, "scalar    %s %s = %s\n", d->args[i].name,
                         atx_draft_scalar_type(d, &d->args[i]), d->args[i].value);
            any = true;
        }
    for (int i = 0; i < d->arg_count && any; i++)
        if (!d->args[i].field)
            atx_str_addf(out, "%s %s", i ? "" : "arg      ", d->args[i].name);
    atx_str_add(out, any ? "\n" : "");
}

static void write_launch(atx_draft *d)
{
    atx_str *out = &d->out->t;
    const atx_place place = atx_draft_launch_place(d);
    atx_str_add(out, "grid      ");
    atx_draft_add_grid(out, d);
    const bool guessed = d->grid_guessed;
    if (guessed || d->block_guessed)
        atx_draft_ask(d, out,
                      !place.text[0] ? "how many blocks, and threads? the file has no launch of it"
                      : !guessed ? "how many threads has a block? the launch in the file was not understood"
                      : d->block_guessed
                          ? "how many blocks, and threads? the launch in the file was not understood"
                          : "how many blocks? the launch in the file was not understood");
    else if (place.text[0])
        atx_str_addf(out, "  # %s\n", place.text);
    else
        atx_str_add(out, "\n");
    atx_str_add(out, "block     ");
    for (int k = 0; k < 3; k++)
        if (d->block[k][0] || (k == 1 && d->block[2][0]))
            atx_str_addf(out, "%s%s", k ? ", " : "", d->block[k][0] ? d->block[k] : "1");
    atx_str_add(out, "\n");
    if (d->grid_sync || d->launch.cooperative)
        atx_str_add(out, "cooperative\n");
    if (d->shared_bytes[0]) {
        atx_str_addf(out, "shared    %s", d->shared_bytes);
        if (d->shared_guessed && d->launched)
            atx_draft_ask(d, out, "are these the bytes of its extern __shared__ array?");
        else
            atx_str_add(out, "\n");
    } else if (d->shared && d->shared_guessed) {
        atx_str_add(out, "shared    (");
        for (int k = 0, n = 0; k < 3; k++)
            if (d->block[k][0])
                atx_str_addf(out, "%s(%s)", n++ ? " * " : "", d->block[k]);
        atx_str_add(out, ") * sizeof(T)");
        atx_draft_ask(d, out, "bytes of its extern __shared__ array?");
    }
}

/* A path as a line has it: in quotes where it has blanks. */
static void add_path(atx_str *out, const char *path)
{
    const char *quote = strpbrk(path, " \t#") ? "\"" : "";
    atx_str_addf(out, "%s%s%s", quote, path, quote);
}

void atx_adopt_add_files(atx_str *out, const char *source, const char *const *includes)
{
    atx_str_add(out, "/*!autotune\ntemplate  adopted\nsource    ");
    add_path(out, source);
    atx_str_add(out, " device\n");
    for (; includes && *includes; includes++) {
        atx_str_add(out, "include   ");
        add_path(out, *includes);
        atx_str_add(out, "\n");
    }
}

void atx_draft_write_template(atx_draft *d)
{
    atx_str *out = &d->out->t;
    atx_adopt_add_files(out, d->in->source, d->in->includes);
    atx_str_add(out, "\n");
    const size_t before = out->len;
    write_params(d);
    write_block_params(d);
    write_define(d);
    write_limit(d);
    write_least(d);
    write_rules(d);
    write_launch_limits(d);
    write_default(d);
    atx_str_add(out, out->len > before ? "\n" : "");
    atx_draft_write_loops(d);
    atx_str_addf(out, "kernel    %s", d->called);
    bool asked = d->asks_arguments;
    for (int n = 0; n < d->targ_count; n++)
        asked = asked || (d->targs[n].asked && d->targs[n].meaning != ATX_MEANS_NUMBER);
    char pointer[ATX_MAX_WORD], question[ATX_MAX_WORD + 120];
    if (atx_draft_reads_texture(pointer, d)) {
        snprintf(question, sizeof question,
                 "%s reads a texture, which nothing here sets: shall it read a pointer?", pointer);
        atx_draft_ask(d, out, question);
    } else if (atx_draft_unset_constant(pointer, d)) {
        snprintf(question, sizeof question,
                 "%s is in __constant__ memory, and nothing here sets it: is it a parameter?", pointer);
        atx_draft_ask(d, out, question);
    } else if (asked)
        atx_draft_ask(d, out, "it is a template: with which arguments?");
    else if (d->in_loop)
        atx_draft_ask(
            d, out, "the host launches it in a loop: shall all of that be timed? a line `repeat N` says so");
    else if (d->overloads > 1)
        atx_str_addf(out, "  # overload %d of %d\n", d->overload, d->overloads);
    else
        atx_str_add(out, "\n");
    write_own(d);
    write_launch(d);
    atx_str_add(out, "*/\n");
}
