/*
 * adopt.c - the file is read without comments and strings, so that words mean code. A kernel is what stands
 * between __global__ and its brace; a parameter of tuning is a #define behind an #ifndef of the same name.
 * What a program copies into __constant__ arrays is an argument, too.
 */
#include "exchange/adopt.h"

#include "lang/dtype.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 16, MAX_PARAMS = 32, MAX_KERNELS = 32, MAX_WORD = 64 };

typedef struct argument {
    char name[MAX_WORD];
    const char *type; /* "f32"; NULL: unknown */
    bool pointer, constant;
    bool variable;       /* not of the kernel: in __constant__ memory */
    char size[MAX_WORD]; /* of that, where it is a number             */
} argument;

typedef struct parameter {
    char name[MAX_WORD];
    long value;
    int axis; /* of the block that it is the size of; -1: of none */
} parameter;

typedef struct draft {
    const at__adopt_input *in;
    at__str code; /* without comments and strings */
    char kernel[MAX_WORD];
    argument args[MAX_ARGS];
    int arg_count;
    parameter params[MAX_PARAMS];
    int param_count;
    at__adopted *out;
    at_error *err;
} draft;

/* ---- code without comments ---- */

static const char *skip_string(const char *at)
{
    char quote = *at++;
    while (*at && *at != quote && *at != '\n')
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

static void add_blanks(at__str *out, const char *from, const char *to)
{
    for (; from < to; from++)
        at__str_add(out, *from == '\n' ? "\n" : " ");
}

static void strip(at__str *out, const char *at)
{
    while (*at) {
        const char *from = at;
        if (strncmp(at, "//", 2) == 0)
            at += strcspn(at, "\n");
        else if (strncmp(at, "/*", 2) == 0)
            at = strstr(at + 2, "*/") ? strstr(at + 2, "*/") + 2 : at + strlen(at);
        else if (*at == '"')
            at = skip_string(at);
        else
            at++;
        if (at == from + 1)
            at__str_add_bytes(out, from, 1);
        else
            add_blanks(out, from, at);
    }
}

static bool is_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t word_len(const char *at)
{
    size_t n = 0;
    while (is_part(at[n]))
        n++;
    return n;
}

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

static bool is_word(const char *at, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(at, word, len) == 0;
}

static void copy_word(char out[MAX_WORD], const char *at, size_t len)
{
    snprintf(out, MAX_WORD, "%.*s", (int)len, at);
}

/* ---- kernels ---- */

/* Past a bracket and what it closes. */
static const char *skip_parens(const char *at)
{
    int depth = 0;
    do {
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        at++;
    } while (*at && depth > 0);
    return at;
}

/* The name of the kernel whose __global__ ends at `at`, and what opens its parameters; NULL: none. */
static const char *read_kernel(char name[MAX_WORD], const char *at)
{
    name[0] = '\0';
    while (*(at = skip_space(at))) {
        size_t n = word_len(at);
        if (is_word(at, n, "__launch_bounds__")) {
            at = skip_space(at + n);
            at = *at == '(' ? skip_parens(at) : at;
        } else if (n) {
            copy_word(name, at, n);
            at += n;
        } else {
            return *at == '(' && name[0] ? at + 1 : NULL;
        }
    }
    return NULL;
}

static at_status find_kernel(draft *d, const char **params)
{
    static const char GLOBAL[] = "__global__";
    char names[400] = "";
    int count = 0, n = 0;
    for (const char *at = at__str_text(&d->code); (at = strstr(at, GLOBAL)) != NULL;
         at += sizeof GLOBAL - 1) {
        char name[MAX_WORD];
        const char *open = read_kernel(name, at + sizeof GLOBAL - 1);
        if (!open || (d->in->kernel && strcmp(d->in->kernel, name) != 0))
            continue;
        *params = open;
        strcpy(d->kernel, name);
        count++;
        n += n < 300 ? snprintf(names + n, sizeof names - (size_t)n, " %s", name) : 0;
    }
    if (count == 1)
        return AT_OK;
    if (count)
        at_fail(d->err, AT_ERR_INPUT, "%s: found %d kernels:%s; expected --kernel NAME", d->in->path, count,
                names);
    else
        at_fail(d->err, AT_ERR_INPUT, "%s: found no kernel%s%s; expected __global__ void NAME(...)",
                d->in->path, d->in->kernel ? " " : "", d->in->kernel ? d->in->kernel : "");
    return AT_ERR_INPUT;
}

/* ---- arguments ---- */

/* The element type that CUDA's words mean. */
static const char *type_of(const char *at, const char *end)
{
    static const struct {
        const char *word, *type;
    } TYPES[] = { { "float", "f32" },    { "double", "f64" },   { "__half", "f16" },
                  { "half", "f16" },     { "uint8_t", "u8" },   { "__nv_bfloat16", "bf16" },
                  { "int8_t", "i8" },    { "int16_t", "i16" },  { "uint16_t", "u16" },
                  { "int32_t", "i32" },  { "uint32_t", "u32" }, { "int64_t", "i64" },
                  { "uint64_t", "u64" }, { "size_t", "u64" } };
    bool is_unsigned = false, is_int = false, is_char = false, is_short = false;
    int longs = 0;
    for (size_t n; at < end; at += n ? n : 1) {
        n = word_len(at);
        for (size_t i = 0; n && i < sizeof TYPES / sizeof *TYPES; i++)
            if (is_word(at, n, TYPES[i].word))
                return TYPES[i].type;
        is_unsigned = is_unsigned || is_word(at, n, "unsigned");
        is_int = is_int || is_word(at, n, "int");
        is_char = is_char || is_word(at, n, "char");
        is_short = is_short || is_word(at, n, "short");
        longs += is_word(at, n, "long");
    }
    if (is_char)
        return is_unsigned ? "u8" : "i8";
    if (is_short)
        return is_unsigned ? "u16" : "i16";
    if (longs)
        return is_unsigned ? "u64" : "i64";
    return is_unsigned ? "u32" : is_int ? "i32" : NULL;
}

/* One parameter of the kernel: its last word is its name. */
static void read_argument(draft *d, const char *at, const char *end)
{
    argument *a = &d->args[d->arg_count];
    const char *name = NULL;
    *a = (argument){ 0 };
    for (const char *p = at; p < end; p++) {
        size_t n = word_len(p);
        a->pointer = a->pointer || *p == '*' || *p == '[';
        a->constant = a->constant || is_word(p, n, "const");
        if (n && !isdigit((unsigned char)*p)) {
            name = p;
            copy_word(a->name, p, n);
        }
        p += n ? n - 1 : 0;
    }
    a->type = name ? type_of(at, name) : NULL;
    d->arg_count += name != NULL;
}

static at_status read_arguments(draft *d, const char *at)
{
    int depth = 0;
    const char *from = at;
    for (; *at && (depth > 0 || *at != ')'); at++) {
        depth += *at == '(' || *at == '<' || *at == '[' ? 1 : *at == ')' || *at == '>' || *at == ']' ? -1 : 0;
        if (*at != ',' || depth)
            continue;
        if (d->arg_count == MAX_ARGS)
            return at_fail(d->err, AT_ERR_INPUT, "%s: found more than %d parameters of %s; expected fewer",
                           d->in->path, MAX_ARGS, d->kernel);
        read_argument(d, from, at);
        from = at + 1;
    }
    if (d->arg_count < MAX_ARGS)
        read_argument(d, from, at);
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].pointer)
            return AT_OK;
    return at_fail(d->err, AT_ERR_INPUT, "%s: found no pointer among the parameters of %s; expected one",
                   d->in->path, d->kernel);
}

/* ---- parameters ---- */

/* 0, 1 or 2 for what people call the sizes of a block; -1: something else. */
/* [9], or [3][3] as 3 * 3; "" where it is not made of numbers. */
static void read_size(char out[MAX_WORD], const char *at)
{
    size_t n = 0;
    for (; *at == '['; at = skip_space(at)) {
        size_t digits = strspn(at = skip_space(at + 1), "0123456789");
        const char *end = skip_space(at + digits);
        if (!digits || *end != ']' || n + digits + 4 > MAX_WORD) {
            out[0] = '\0';
            return;
        }
        n += (size_t)snprintf(out + n, MAX_WORD - n, "%s%.*s", n ? " * " : "", (int)digits, at);
        at = end + 1;
    }
}

/* "float c_filter[9];" behind __constant__. Others than arrays of known types stay as they are. */
static void read_variable(draft *d, const char *at)
{
    const char *end = at + strcspn(at, "[;={(");
    if (*end != '[' || d->arg_count == MAX_ARGS)
        return;
    const int before = d->arg_count;
    read_argument(d, at, end);
    if (d->arg_count == before)
        return;
    argument *a = &d->args[before];
    a->pointer = a->constant = a->variable = true;
    read_size(a->size, end);
    for (const argument *other = d->args; other < a; other++)
        if (!a->type || strcmp(other->name, a->name) == 0)
            d->arg_count = before;
}

static void read_variables(draft *d)
{
    for (const char *at = at__str_text(&d->code); *at;) {
        size_t n = word_len(at);
        if (is_word(at, n, "__constant__"))
            read_variable(d, at + n);
        at += n ? n : 1;
    }
}

static int block_axis(const char *name)
{
    char low[MAX_WORD];
    size_t n = strlen(name);
    for (size_t i = 0; i <= n; i++)
        low[i] = (char)tolower((unsigned char)name[i]);
    bool block =
        strstr(low, "block") || strstr(low, "threads") || strcmp(low, "tpb") == 0 || strstr(low, "bdim");
    bool other = strstr(low, "per_thread") || strstr(low, "blocks") || strstr(low, "grid");
    if (!block || other)
        return -1;
    char axis = n ? low[n - 1] : '\0';
    return axis == 'y' ? 1 : axis == 'z' ? 2 : 0;
}

/* "#ifndef X", then "#define X NUMBER". */
static void read_parameter(draft *d, const char *at)
{
    parameter *p = &d->params[d->param_count];
    size_t n = word_len(at);
    const char *next = strchr(at, '\n');
    if (!n || n >= MAX_WORD || !next || d->param_count == MAX_PARAMS)
        return;
    copy_word(p->name, at, n);
    next = skip_space(next);
    if (*next != '#')
        return;
    next = skip_space(next + 1);
    if (strncmp(next, "define", 6) != 0)
        return;
    next = skip_space(next + 6);
    if (word_len(next) != n || memcmp(next, at, n) != 0 || (next[n] != ' ' && next[n] != '\t'))
        return;
    char *end;
    p->value = strtol(next + n, &end, 10);
    if (end == next + n || is_part(*end) || *end == '.')
        return;
    p->axis = block_axis(p->name);
    d->param_count++;
}

static void read_parameters(draft *d)
{
    for (const char *at = at__str_text(&d->code); (at = strchr(at, '#')) != NULL; at++) {
        const char *word = at + 1 + strspn(at + 1, " \t");
        if (strncmp(word, "ifndef", 6) == 0)
            read_parameter(d, word + 6 + strspn(word + 6, " \t"));
    }
}

/* ---- writing ---- */

static void ask(draft *d, at__str *out, const char *question)
{
    at__str_addf(out, "  # ? %s\n", question);
    d->out->questions++;
}

static bool is_dim(const argument *a)
{
    return !a->pointer && a->type && (a->type[0] == 'i' || a->type[0] == 'u') &&
           (strcmp(a->type + 1, "32") == 0 || strcmp(a->type + 1, "64") == 0);
}

/* The first dimension: what everything is guessed to be the size of. */
static const char *first_dim(const draft *d)
{
    for (int i = 0; i < d->arg_count; i++)
        if (is_dim(&d->args[i]))
            return d->args[i].name;
    return "n";
}

static const char *element_type(const draft *d)
{
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].pointer && d->args[i].type)
            return d->args[i].type;
    return NULL;
}

static void add_arg(draft *d, const argument *a, const char *size)
{
    at__str *out = &d->out->op;
    if (a->variable) {
        at__str_addf(out, "arg       %s %s[%s] input into %s", a->name, a->type, a->size[0] ? a->size : size,
                     a->name);
        ask(d, out,
            a->size[0] ? "what it holds, as in input uniform 0 1 into ...?"
                       : "how many elements, and what they hold, as in input uniform 0 1 into ...?");
    } else if (a->pointer) {
        at__str_addf(out, "arg       %s T[%s] %s", a->name, size, a->constant ? "input" : "output");
        ask(d, out,
            a->constant ? "how many elements?" : "how many elements? output, or inout if it is read too?");
    } else if (is_dim(a)) {
        at__str_addf(out, "arg       %s %s\n", a->name, strcmp(a->type + 1, "64") == 0 ? "i64" : "i32");
    } else {
        at__str_addf(out, "arg       %s %s = 1", a->name, a->type ? a->type : "i32");
        ask(d, out, "its value?");
    }
}

static void add_parameter(draft *d, const argument *a)
{
    at__dtype type = AT__F32;
    at_error unused;
    bool wide = a->type && strcmp(a->type, "i64") == 0;
    if (a->variable && at__dtype_parse(&type, a->type, strlen(a->type), &unused) == AT_OK)
        at__str_addf(&d->out->op, "const %s *%s", at__dtype_cuda(type, false), a->name);
    else if (a->pointer)
        at__str_addf(&d->out->op, "%sT *%s", a->constant ? "const " : "", a->name);
    else
        at__str_addf(&d->out->op, "%s %s", wide ? "long long" : "int", a->name);
}

static void add_reference(draft *d)
{
    at__str *out = &d->out->op;
    at__str_addf(out, "\nextern \"C\" __global__ void %s_reference(", d->out->name);
    for (int i = 0; i < d->arg_count; i++) {
        at__str_add(out, i ? ", " : "");
        add_parameter(d, &d->args[i]);
    }
    at__str_add(out,
                ")\n{\n    /* One thread for each element of the output, too simple to be wrong. */\n}\n");
}

static void write_op(draft *d)
{
    at__str *out = &d->out->op;
    const char *size = first_dim(d), *type = element_type(d);
    bool any = false;
    at__str_addf(out, "/*!autotune\nop        %s", d->out->name);
    ask(d, out, "what it computes, in one line");
    at__str_add(out, "shape    ");
    for (int i = 0; i < d->arg_count; i++) {
        if (is_dim(&d->args[i]))
            at__str_addf(out, " %s", d->args[i].name);
        any = any || is_dim(&d->args[i]);
    }
    at__str_add(out, any ? "" : " n");
    ask(d, out, "the sizes of a problem, as users will write them");
    at__str_addf(out, "type      T = %s", type ? type : "f32");
    ask(d, out, "its element type, or the list of them");
    at__str_add(out, "\n");
    for (int i = 0; i < d->arg_count; i++)
        add_arg(d, &d->args[i], size);
    at__str_addf(out, "\nreference %s_reference", d->out->name);
    ask(d, out, "a plain kernel that gives the right answer: write it below");
    at__str_addf(out, "grid      ceil_div(%s, 256)\nblock     256\ncheck     exact", size);
    ask(d, out, "bit for bit, or within which error?");
    at__str_add(out, "traffic   (");
    for (int i = 0, n = 0; i < d->arg_count; i++)
        if (d->args[i].pointer && !d->args[i].variable)
            at__str_addf(out, "%s%s", n++ ? " + " : "", size);
    at__str_add(out, ") * sizeof(T)");
    ask(d, out, "bytes that must be moved at least");
    at__str_add(out, "*/\n");
    add_reference(d);
}

static const char *block_size(const draft *d, int axis)
{
    for (int i = 0; i < d->param_count; i++)
        if (d->params[i].axis == axis)
            return d->params[i].name;
    return NULL;
}

static void write_params(draft *d)
{
    at__str *out = &d->out->t;
    for (int i = 0; i < d->param_count; i++) {
        const parameter *p = &d->params[i];
        at__str_addf(out, "param     %s = ", p->name);
        if (p->axis >= 0)
            at__str_add(out, p->axis ? "1 2 4 8 16 32" : "16 32 64 128 256 512 1024");
        else if (p->value == 0 || p->value == 1)
            at__str_add(out, "0 1");
        else
            at__str_addf(out, "%ld", p->value);
        ask(d, out, "which values are worth a try?");
    }
}

static void write_template(draft *d)
{
    at__str *out = &d->out->t;
    const char *x = block_size(d, 0), *y = block_size(d, 1), *z = block_size(d, 2);
    at__str_addf(out, "/*!autotune\ntemplate  adopted\nsource    %s\ndefine    all\n\n", d->in->source);
    write_params(d);
    if (x && y)
        at__str_addf(out, "require   %s * %s%s%s <= device.max_threads_per_block\n", x, y, z ? " * " : "",
                     z ? z : "");
    at__str_addf(out, "\nkernel    %s", d->kernel);
    if (strstr(at__str_text(&d->code), "template"))
        ask(d, out, "if it is a template: with its arguments, as NAME<T, 4>");
    else
        at__str_add(out, "\n");
    at__str_addf(out, "grid      ceil_div(%s, %s)", first_dim(d), x ? x : "256");
    ask(d, out, "how many blocks, in each of up to three dimensions?");
    at__str_addf(out, "block     %s%s%s%s%s", x ? x : "256", y ? " " : "", y ? y : "", z ? " " : "",
                 z ? z : "");
    ask(d, out, "how many threads?");
    at__str_add(out, "*/\n");
}

static void name_op(draft *d)
{
    size_t n = 0;
    for (const char *at = d->kernel; *at && n + 1 < sizeof d->out->name - 16; at++)
        if (n || isalpha((unsigned char)*at))
            d->out->name[n++] = (char)tolower((unsigned char)*at);
    d->out->name[n] = '\0';
    char *end = strstr(d->out->name, "_kernel");
    if (end && end != d->out->name && !end[7])
        *end = '\0';
    if (!n)
        strcpy(d->out->name, "adopted");
}

at_status at__adopt(at__adopted *out, const at__adopt_input *in, at_error *err)
{
    draft d = { .in = in, .out = out, .err = err };
    const char *params = NULL;
    *out = (at__adopted){ 0 };
    strip(&d.code, in->text);
    at_status status = at__str_status(&d.code, err);
    if (status == AT_OK)
        status = find_kernel(&d, &params);
    if (status == AT_OK)
        status = read_arguments(&d, params);
    if (status == AT_OK) {
        read_variables(&d);
        read_parameters(&d);
        name_op(&d);
        write_op(&d);
        write_template(&d);
        status = at__str_status(&out->op, err);
    }
    if (status == AT_OK)
        status = at__str_status(&out->t, err);
    at__str_clear(&d.code);
    if (status != AT_OK)
        at__adopted_clear(out);
    return status;
}

void at__adopted_clear(at__adopted *adopted)
{
    at__str_clear(&adopted->op);
    at__str_clear(&adopted->t);
    *adopted = (at__adopted){ 0 };
}
