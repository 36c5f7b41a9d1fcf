/*
 * adopt_space_write.c - arguments of a tuning problem belong to the kernel's parameters by their names,
 * others in their order. A problem without ProblemSize has its integer scalars as dimensions.
 *
 * Sizes are numbers in most problems. One that is a multiple of one dimension alone, or of the product of
 * all, is written so; where others remain, the op is for that problem alone. The answer is that of the
 * problem's default configuration.
 */
#include "exchange/adopt_space_write.h"

#include "declare/dtype.h"
#include "util/chars.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_SIZE = 32, MOST_TIMES = 16, MOST_PARAMS = 2 * ATX_SPACE_ARGS };

typedef struct dim {
    const char *name;
    int64_t size;
} dim;

typedef struct writer {
    atx_adopted *out;
    const atx_space_kernel *k;
    const atx_adopt_space *space;
    int args[MOST_PARAMS]; /* of each parameter, then of each constant array: among the problem's; -1 */
    dim dims[ATX_MAX_DIMS];
    int dim_count;
    bool pinned; /* a number is left that seems to depend on the problem's size */
    int output;  /* the parameter that is taken for an output although the problem has none; -1 */
} writer;

static void ask(writer *w, atx_str *out, const char *question)
{
    atx_str_addf(out, "  # ? %s\n", question);
    w->out->questions++;
}

/* ---- which is which ---- */

static const atx_space_param *param(const writer *w, int i)
{
    return i < w->k->param_count ? &w->k->params[i] : &w->k->constants[i - w->k->param_count];
}

static const atx_space_arg *arg_of(const writer *w, int i)
{
    return w->args[i] < 0 ? NULL : &w->space->args[w->args[i]];
}

static bool is_kind(const writer *w, int i, const atx_space_arg *a)
{
    return param(w, i)->pointer == (a->memory != ATX_SPACE_SCALAR);
}

static bool is_taken(const writer *w, int arg, int begin, int end)
{
    bool taken = false;
    for (int i = begin; i < end; i++)
        taken = taken || w->args[i] == arg;
    return taken;
}

static void match_names(writer *w, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        w->args[i] = -1;
        for (int a = 0; a < w->space->arg_count; a++)
            if (strcmp(w->space->args[a].name, param(w, i)->name) == 0 && is_kind(w, i, &w->space->args[a]))
                w->args[i] = a;
    }
}

/* Others in their order. What goes into constant memory is a parameter of some kernels, too. */
static void match_order(writer *w, int begin, int end)
{
    for (int i = begin; i < end; i++)
        for (int a = 0; w->args[i] < 0 && a < w->space->arg_count; a++)
            if (is_kind(w, i, &w->space->args[a]) && !is_taken(w, a, begin, end))
                w->args[i] = a;
}

static void match(writer *w)
{
    const int params = w->k->param_count, all = params + w->k->constant_count;
    match_names(w, 0, params);
    match_names(w, params, all);
    match_order(w, 0, params);
    for (int i = params; i < all; i++)
        for (int a = 0; w->args[i] < 0 && a < w->space->arg_count; a++)
            if (is_kind(w, i, &w->space->args[a]) && !is_taken(w, a, 0, all))
                w->args[i] = a;
}

static const char *type_of(const writer *w, int i)
{
    const atx_space_arg *a = arg_of(w, i);
    const char *own = param(w, i)->dtype;
    return own ? own : a && a->type != ATX_DTYPES ? atx_dtype_name(a->type) : "f32";
}

static bool is_whole(const char *type)
{
    return strchr("iu", type[0]) != NULL;
}

static bool is_written(const writer *w, int i)
{
    const atx_space_arg *a = arg_of(w, i);
    const atx_space_param *p = param(w, i);
    if (i >= w->k->param_count || !p->pointer || p->constant)
        return false;
    return i == w->output || !a || a->writes || !a->reads || p->written;
}

/* Is what it holds before a launch used? Some problems call what a kernel adds to write-only. */
static bool is_inout(const writer *w, int i)
{
    const atx_space_arg *a = arg_of(w, i);
    return is_written(w, i) && a && a->writes && (a->reads || (param(w, i)->read && a->value[0]));
}

/* Where the problem calls all of the kernel's buffers read-only, one must be written nonetheless. */
static void find_output(writer *w)
{
    int first = -1;
    w->output = -1;
    for (int i = 0; i < w->k->param_count; i++) {
        if (is_written(w, i))
            return;
        if (first < 0 && param(w, i)->pointer && !param(w, i)->constant)
            first = i;
    }
    w->output = first;
}

/* ---- dimensions ---- */

static int64_t number_of(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 19 ? strtoll(text, NULL, 10)
                                                                                    : 0;
}

static void add_dim(writer *w, const char *name, int64_t size)
{
    if (w->dim_count < ATX_MAX_DIMS)
        w->dims[w->dim_count++] = (dim){ name, size };
}

static bool is_dim(const writer *w, int i)
{
    bool found = false;
    for (int d = 0; d < w->dim_count; d++)
        found = found || w->dims[d].name == param(w, i)->name;
    return found;
}

static void find_dims(writer *w)
{
    int64_t most = 1;
    for (int d = 0; d < w->space->size_count; d++)
        add_dim(w, atx_adopt_space_dim(d), w->space->sizes[d]);
    for (int i = 0; i < w->k->param_count && !w->space->size_count; i++) {
        const atx_space_arg *a = arg_of(w, i);
        const int64_t size = a ? number_of(a->memory == ATX_SPACE_SCALAR ? a->value : a->size) : 0;
        const char *type = type_of(w, i);
        if (param(w, i)->pointer)
            most = size > most ? size : most;
        else if (size >= LEAST_SIZE && size <= INT32_MAX && type[0] == 'i')
            add_dim(w, param(w, i)->name, size);
    }
    if (!w->dim_count)
        add_dim(w, atx_adopt_space_dim(0), most);
}

static int64_t least_dim(const writer *w)
{
    int64_t least = INT64_MAX;
    for (int d = 0; d < w->dim_count; d++)
        if (w->dims[d].size >= LEAST_SIZE && w->dims[d].size < least)
            least = w->dims[d].size;
    return least;
}

static void add_product(atx_str *out, const writer *w)
{
    for (int d = 0; d < w->dim_count; d++)
        atx_str_addf(out, "%s%s", d ? " * " : "", w->dims[d].name);
}

/* Adds a number by the dimensions, with `times` of them at most, where there is one way to write it. */
static bool add_by_dims(atx_str *out, const writer *w, int64_t number, int most)
{
    int64_t product = 1;
    int ways = 0, found = 0;
    for (int d = 0; d < w->dim_count; d++) {
        const int64_t size = w->dims[d].size;
        product = size > INT64_MAX / product ? INT64_MAX : product * size;
        if (size >= LEAST_SIZE && number % size == 0 && number / size <= most) {
            ways++;
            found = d;
        }
    }
    const bool all = w->dim_count > 1 && most > 1 && number == product;
    if (number < LEAST_SIZE || ways + all != 1)
        return false;
    if (!all && number == w->dims[found].size)
        atx_str_add(out, w->dims[found].name);
    else if (!all)
        atx_str_addf(out, "%" PRId64 " * %s", number / w->dims[found].size, w->dims[found].name);
    else
        add_product(out, w);
    return true;
}

/* "128 * 1024" where nothing before binds it: their product. How many characters; 0: no number. */
static size_t read_number(int64_t *out, const char *at, bool free)
{
    char *end;
    if (!atx_is_digit(*at))
        return 0;
    *out = strtoll(at, &end, 10);
    for (const char *next = end; free; end = (char *)(uintptr_t)next) {
        next += strspn(next, " ");
        if (*next++ != '*')
            break;
        next += strspn(next, " ");
        if (!atx_is_digit(*next) || *out > INT32_MAX)
            break;
        *out *= strtoll(next, (char **)(uintptr_t)&next, 10);
    }
    return (size_t)(end - at);
}

/* An expression whose numbers are written by the dimensions. */
static void add_sized(atx_str *out, writer *w, const char *expr)
{
    char before = '(';
    for (const char *at = expr; *at;) {
        atx_str text = { 0 };
        int64_t number = 0;
        size_t n = read_number(&number, at, strchr("(+,", before) != NULL);
        if (n) {
            const bool by = add_by_dims(&text, w, number, MOST_TIMES);
            const bool alone = at == expr && !at[n];
            if (by)
                atx_str_addf(out, strchr(atx_str_text(&text), ' ') && !alone ? "(%s)" : "%s", text.data);
            else
                atx_str_add_int(out, number);
            w->pinned = w->pinned || (!by && number >= least_dim(w));
        } else {
            do
                n++;
            while (atx_is_word_part(at[n - 1]) && atx_is_word_part(at[n]));
            atx_str_add_bytes(out, at, n);
        }
        before = at[n - 1] == ' ' ? before : at[n - 1];
        at += n;
        atx_str_clear(&text);
    }
}

/* ---- the op ---- */

static const char *element_type(const writer *w)
{
    for (int i = 0; i < w->k->param_count; i++)
        if (is_written(w, i))
            return type_of(w, i);
    return "f32";
}

static void add_size(atx_str *out, writer *w, int i)
{
    const atx_space_arg *a = arg_of(w, i);
    if (a && a->size[0])
        add_sized(out, w, a->size);
    else if (param(w, i)->size && param(w, i)->size[0])
        atx_str_add(out, param(w, i)->size);
    else
        add_product(out, w);
}

/* One type, but for the sign: "i8" and "u8". */
static bool is_alike(const char *type, const char *other)
{
    return strcmp(type, other) == 0 ||
           (is_whole(type) && is_whole(other) && strcmp(type + 1, other + 1) == 0);
}

/* What is to be asked of a buffer; "": nothing. */
static const char *question(const writer *w, int i)
{
    const atx_space_arg *a = arg_of(w, i);
    const char *type = param(w, i)->dtype;
    if (!a)
        return "the tuning problem has no such argument: how many elements, and of what kind?";
    if (is_written(w, i) && a->reads && !a->writes)
        return "the tuning problem has it as read-only, and the kernel writes it: is it an output?";
    if (i == w->output)
        return "the tuning problem writes no argument of the kernel: is this the output?";
    if (!a->size[0])
        return "how many elements? the tuning problem does not say, or not in numbers";
    if (type && a->type != ATX_DTYPES && !is_alike(type, atx_dtype_name(a->type)))
        return "the tuning problem has elements of another type: how many are there, and what do they hold?";
    if (!is_written(w, i) && !a->value[0])
        return a->ask[0] ? a->ask : "what does it hold?";
    return is_written(w, i) && a->reads ? a->ask : "";
}

/* The problem's words for what it holds, where they are for such a type. */
static const char *contents(const writer *w, int i, const char *type)
{
    const atx_space_arg *a = arg_of(w, i);
    const bool same =
        a && a->value[0] && a->type != ATX_DTYPES && is_whole(atx_dtype_name(a->type)) == is_whole(type);
    return same ? a->value : is_whole(type) ? "bits" : "uniform -1 1";
}

static void add_name(atx_str *out, const writer *w, int i)
{
    bool twice = false;
    for (int k = 0; k < w->k->param_count; k++)
        twice = twice || (k != i && strcmp(param(w, k)->name, param(w, i)->name) == 0);
    atx_str_addf(out, "%s%s", param(w, i)->name, twice ? "_constant" : "");
}

static void add_buffer(writer *w, int i)
{
    atx_str *out = &w->out->op;
    const char *type = type_of(w, i), *asked = question(w, i);
    const atx_space_arg *a = arg_of(w, i);
    atx_str_add(out, "arg       ");
    add_name(out, w, i);
    atx_str_addf(out, " %s[", strcmp(type, element_type(w)) == 0 ? "T" : type);
    add_size(out, w, i);
    if (is_inout(w, i) && strcmp(contents(w, i, type), "constant 0") == 0)
        atx_str_add(out, "] output zero");
    else if (is_inout(w, i))
        atx_str_addf(out, "] inout %s", contents(w, i, type));
    else if (is_written(w, i))
        atx_str_add(out, "] output");
    else
        atx_str_addf(out, "] input %s", contents(w, i, type));
    if (i >= w->k->param_count)
        atx_str_addf(out, " into %s", param(w, i)->name);
    if (asked[0])
        ask(w, out, asked);
    else if (a && a->note[0])
        atx_str_addf(out, "  # as %s\n", a->note);
    else
        atx_str_add(out, "\n");
}

static void add_scalar(writer *w, int i)
{
    atx_str *out = &w->out->op;
    const char *type = type_of(w, i);
    const atx_space_arg *a = arg_of(w, i);
    const char *value = a && a->value[0] ? a->value : "1";
    const char *word = !is_whole(type) ? type : strstr(type, "64") ? "i64" : "i32";
    atx_str_addf(out, "arg       %s %s", param(w, i)->name, word);
    if (is_dim(w, i)) {
        atx_str_add(out, "\n");
        return;
    }
    atx_str_add(out, " = ");
    const int64_t number = number_of(value);
    if (strcmp(word, "i32") == 0 && number > INT32_MAX && number <= UINT32_MAX)
        atx_str_addf(out, "%" PRId64, number - UINT32_MAX - 1); /* the same bits */
    else if (!is_whole(type) || !number || !add_by_dims(out, w, number, 1))
        atx_str_add(out, value);
    if (a && a->value[0])
        atx_str_add(out, "\n");
    else
        ask(w, out, a ? "its value?" : "the tuning problem has no such argument: its value?");
}

static const char *rule(const char *type)
{
    return is_whole(type) ? "exact" : "within 1e-3 relative 1e-5 absolute";
}

static void add_checks(writer *w)
{
    atx_str *out = &w->out->op;
    const char *type = element_type(w);
    bool same = true;
    for (int i = 0; i < w->k->param_count; i++)
        same = same && (!is_written(w, i) || is_whole(type_of(w, i)) == is_whole(type));
    if (same) {
        atx_str_addf(out, "check     %s", rule(type));
        ask(w, out, "bit for bit, or within which error?");
    }
    for (int i = 0; i < w->k->param_count && !same; i++)
        if (is_written(w, i))
            atx_str_addf(out, "check     %s %s\n", param(w, i)->name, rule(type_of(w, i)));
}

/* All buffers once; those that are read and written twice. */
static void add_traffic(writer *w)
{
    atx_str *out = &w->out->op;
    const char *between = "traffic   ";
    for (int i = 0; i < w->k->param_count + w->k->constant_count; i++) {
        atx_dtype type = ATX_F32;
        at_error ignored;
        const char *name = type_of(w, i);
        if (!param(w, i)->pointer || atx_dtype_parse(&type, name, strlen(name), &ignored) != AT_OK)
            continue;
        atx_str_add(out, between);
        atx_str size = { 0 };
        add_size(&size, w, i);
        atx_str_addf(out, strpbrk(atx_str_text(&size), "+-/%") ? "(%s) * %d" : "%s * %d", atx_str_text(&size),
                     atx_dtype_bytes(type) * (is_inout(w, i) ? 2 : 1));
        atx_str_clear(&size);
        between = " + ";
    }
    atx_str_add(out, "\n");
}

static void add_args(writer *w)
{
    for (int i = 0; i < w->k->param_count + w->k->constant_count; i++)
        if (param(w, i)->pointer)
            add_buffer(w, i);
        else
            add_scalar(w, i);
}

static void add_pin(writer *w)
{
    if (!w->pinned)
        return;
    for (int d = 0; d < w->dim_count; d++)
        atx_str_addf(&w->out->op, "%s%s == %" PRId64, d ? " && " : "require   ", w->dims[d].name,
                     w->dims[d].size);
    atx_str_add(&w->out->op, " # sizes of the tuning problem are numbers, which are for this one\n");
}

static void write_op(writer *w)
{
    atx_str *out = &w->out->op;
    atx_str_addf(out, "/*!autotune\nop        %s", w->k->op);
    if (w->space->title.len)
        atx_str_addf(out, "  # the tuning problem %.60s", w->space->title.data);
    atx_str_add(out, "\nshape    ");
    for (int d = 0; d < w->dim_count; d++)
        atx_str_addf(out, " %s", w->dims[d].name);
    atx_str_addf(out, "\ntype      T = %s\n\n", element_type(w));
    add_args(w);
    add_pin(w);
    atx_str_add(out, "\nreference template adopted");
    ask(w, out, "are its defaults right? a plain kernel is better: reference KERNEL, with grid and block");
    add_checks(w);
    add_traffic(w);
    atx_str_add(out, "*/\n");
}

/* ---- the template ---- */

static bool is_declared(const atx_adopt_space *space, const char *name)
{
    const char *lines = atx_str_text(&space->lines);
    const size_t n = strlen(name);
    for (const char *at = lines; (at = strstr(at, name)) != NULL; at += n)
        if (!atx_is_word_part(at[n]) && at > lines && at[-1] == ' ' && strncmp(at + n, " =", 2) == 0)
            return true;
    return false;
}

/* Kernel Tuner defines these, too. */
static void add_defines(writer *w)
{
    static const char *const AXES[] = { "block_size_x", "block_size_y", "block_size_z" };
    atx_str *out = &w->out->t;
    atx_str_add(out, "define    all\n");
    if (strstr(w->k->text, "kernel_tuner"))
        atx_str_add(out, "define    kernel_tuner = 1\n");
    for (const char *const *name = w->k->undefined; name && *name; name++) {
        bool axis = false;
        for (size_t i = 0; i < sizeof AXES / sizeof *AXES; i++)
            axis = axis || strcmp(*name, AXES[i]) == 0;
        bool taken = is_declared(w->space, *name) || strcmp(*name, "kernel_tuner") == 0;
        for (int i = 0; i < w->k->param_count; i++)
            taken = taken || strcmp(param(w, i)->name, *name) == 0;
        if (taken)
            continue;
        atx_str_addf(out, "define    %s = 1", *name);
        if (axis)
            atx_str_add(out, "\n");
        else
            ask(w, out, "the file uses this name, and neither it nor the tuning problem defines it");
    }
}

static void add_launch(writer *w)
{
    const atx_adopt_space *space = w->space;
    atx_str *out = &w->out->t;
    atx_str_addf(out, "\nkernel    %s", w->k->called);
    if (w->k->asks_arguments)
        ask(w, out, "if it is a template: with its arguments, as NAME<T, 4>");
    else
        atx_str_add(out, "\n");
    atx_str_add(out, "grid      ");
    if (space->grid.len)
        add_sized(out, w, space->grid.data);
    else
        atx_str_addf(out, "ceil_div(%s, %s)", w->dims[0].name, space->block.len ? space->block.data : "256");
    if (space->grid.len)
        atx_str_add(out, "\n");
    else
        ask(w, out, "how many blocks, in each of up to three dimensions?");
    atx_str_addf(out, "block     %s", space->block.len ? space->block.data : "256");
    if (space->block.len)
        atx_str_add(out, "\n");
    else
        ask(w, out, "how many threads?");
    if (!w->k->shared)
        return;
    atx_str_addf(out, "shared    %s", space->shared.len ? space->shared.data : "48 * 1024");
    if (space->shared.len)
        atx_str_add(out, "\n");
    else
        ask(w, out, "bytes of its extern __shared__ array?");
}

static void write_template(writer *w)
{
    atx_str *out = &w->out->t;
    atx_adopt_add_files(out, w->k->source, w->k->includes);
    add_defines(w);
    atx_str_addf(out, "%s\n%s", atx_str_text(&w->space->options), atx_str_text(&w->space->lines));
    if (w->space->defaults.len)
        atx_str_addf(out, "default   %s\n", w->space->defaults.data);
    add_launch(w);
    atx_str_add(out, "*/\n");
}

void atx_space_write(atx_adopted *out, const atx_space_kernel *kernel)
{
    writer w = { .out = out, .k = kernel, .space = kernel->space };
    match(&w);
    find_output(&w);
    find_dims(&w);
    write_template(&w); /* before the op, which says whether a number is left in the launch */
    write_op(&w);
    size_t n = 0;
    for (int d = 0; d < w.dim_count && n < sizeof out->shape; d++)
        n += (size_t)snprintf(out->shape + n, sizeof out->shape - n, "%s%" PRId64, d ? "x" : "",
                              w.dims[d].size);
}
