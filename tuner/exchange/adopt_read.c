/*
 * adopt_read.c - finds the kernel, its arguments, and what a program copies into __constant__ memory for it.
 *
 * A prototype and its definition are one kernel; of several definitions the first is taken, unless the user
 * says which: NAME(float *, int), or NAME#2.
 */
#include "exchange/adopt_draft.h"
#include "exchange/adopt_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 200 }; /* characters of a name, and of a list of them */

/* ---- which kernel ---- */

/* Of "f(float *, int)" or "f#2": the length of the name. */
static size_t asked_name(const char *asked)
{
    return strcspn(asked, "(#");
}

static bool has_asked_name(const atx_draft *d, const char *text, const atx_token *name)
{
    const char *asked = d->in->kernel;
    const size_t len = name->end - name->begin;
    return !asked || (asked_name(asked) == len && memcmp(text + name->begin, asked, len) == 0);
}

/* `own`: of the file itself, not of a header of its own. */
static bool is_named(const atx_draft *d, const atx_token *name, bool own)
{
    return !(own && !atx_draft_is_own(d, name)) && has_asked_name(d, d->code.text, name);
}

static bool is_defined(const atx_tokens *t, const atx_kernel_text *k)
{
    return atx_tokens_is(t, atx_tokens_match(t, k->open) + 1, "{");
}

/* The types of a parameter list without names and blanks: "float*,int". */
static void add_types(atx_str *out, const atx_tokens *t, size_t open, bool named)
{
    const size_t end = atx_tokens_match(t, open);
    for (size_t at = open + 1, comma; at < end; at = comma + 1) {
        comma = atx_code_comma(t, at, end);
        size_t last = atx_tokens_find(t, at, comma, "=");
        if (named && last > at + 1 && atx_tokens_is_word(t, last - 1))
            last--;
        for (size_t i = at; i < last; i++)
            if (!atx_tokens_is(t, i, "const") && !atx_tokens_is(t, i, "__restrict__"))
                atx_str_add_bytes(out, t->text + t->items[i].begin, t->items[i].end - t->items[i].begin);
        if (comma < end)
            atx_str_add(out, ",");
    }
}

/* Whether the kernel has the types that the user wrote behind its name. */
static bool has_types(const atx_draft *d, const atx_kernel_text *k)
{
    const char *asked = d->in->kernel + asked_name(d->in->kernel);
    atx_str a = { 0 }, b = { 0 };
    atx_tokens t;
    if (!atx_tokens_read(&t, asked, strlen(asked), &(atx_lex_options){ 0 }))
        return false;
    add_types(&a, &t, 0, false);
    add_types(&b, &d->code, k->open, true);
    const bool same = strcmp(atx_str_text(&a), atx_str_text(&b)) == 0;
    atx_str_clear(&a);
    atx_str_clear(&b);
    atx_tokens_clear(&t);
    return same;
}

/* Whether it is the one that is asked for: by its types, its number, or as the first. */
static bool is_wanted(const atx_draft *d, const atx_kernel_text *k, int number)
{
    const char *how = d->in->kernel ? d->in->kernel + asked_name(d->in->kernel) : "";
    if (*how == '(')
        return has_types(d, k);
    if (*how == '#')
        return number == strtol(how + 1, NULL, 10);
    return number == 1;
}

typedef struct finding {
    int definitions, names;
    bool found, prototype;
    atx_kernel_text first_prototype;
    atx_str list; /* names, each once */
} finding;

static void note_name(finding *f, const atx_draft *d, const atx_token *name)
{
    char word[MOST_SHOWN];
    const size_t len = name->end - name->begin;
    snprintf(word, sizeof word, " %.*s", (int)(len < MOST_SHOWN - 2 ? len : MOST_SHOWN - 2),
             d->code.text + name->begin);
    const size_t n = strlen(word);
    for (const char *at = atx_str_text(&f->list); (at = strstr(at, word)) != NULL; at++)
        if (at[n] == ' ' || !at[n])
            return;
    f->names++;
    if (f->list.len < MOST_SHOWN)
        atx_str_add(&f->list, word);
}

/* *wanted: the one that is asked for. */
static void collect(atx_draft *wanted, finding *f, const atx_draft *d, bool own)
{
    atx_kernel_text k;
    for (size_t at = 0; atx_code_kernel(&k, &d->code, &at);) {
        if (!is_named(d, &d->code.items[k.name], own))
            continue;
        note_name(f, d, &d->code.items[k.name]);
        if (!is_defined(&d->code, &k)) {
            f->first_prototype = f->prototype ? f->first_prototype : k;
            f->prototype = true;
            continue;
        }
        f->definitions++;
        if (!f->found && is_wanted(d, &k, f->definitions)) {
            f->found = true;
            if (wanted) {
                wanted->overload = f->definitions;
                wanted->kernel_text = k;
            }
        }
    }
}

bool atx_draft_left_out(atx_token *name, const atx_draft *d)
{
    finding f = { 0 };
    atx_tokens t;
    atx_kernel_text k;
    collect(NULL, &f, d, false);
    bool found = f.names > 0;
    atx_str_clear(&f.list);
    if (found || !atx_tokens_read(&t, d->in->text, strlen(d->in->text), &(atx_lex_options){ .code = true }))
        return false;
    for (size_t at = 0; !found && atx_code_kernel(&k, &t, &at);)
        if ((found = has_asked_name(d, t.text, &t.items[k.name])))
            *name = t.items[k.name];
    atx_tokens_clear(&t);
    return found;
}

static at_status none_found(const atx_draft *d, const finding *f)
{
    atx_token name;
    const bool left_out = atx_draft_left_out(&name, d);
    atx_token condition = d->assumed.left_by;
    for (int i = d->grown.count; left_out && i-- > 0;) {
        name.begin += d->grown.at[i] < name.begin ? d->grown.by[i] : 0;
        condition.begin += d->grown.at[i] < condition.begin ? d->grown.by[i] : 0;
    }
    const char *kernel = d->in->kernel ? d->in->kernel : "";
    if (f->definitions)
        return atx_fail(d->err, AT_ERR_INPUT,
                        "%s: found %d kernels of that name, and none of them is '%s'; expected --kernel "
                        "'NAME(TYPES)' or 'NAME#N', N from 1 to %d",
                        d->in->path, f->definitions, kernel, f->definitions);
    if (left_out)
        return atx_fail(d->err, AT_ERR_INPUT,
                        "%s: found the kernel%s%s where #if leaves it out; expected one that is compiled: "
                        "change the condition at %s, or what the file defines for it",
                        atx_draft_place(d, &name).text, *kernel ? " " : "", kernel,
                        atx_draft_place(d, condition.line ? &condition : &name).text);
    finding all = { 0 };
    atx_kernel_text k;
    for (size_t at = 0; atx_code_kernel(&k, &d->code, &at);)
        note_name(&all, d, &d->code.items[k.name]);
    at_status status = atx_fail(d->err, AT_ERR_INPUT, "%s: found no kernel%s%s; expected %s%s", d->in->path,
                                *kernel ? " " : "", kernel,
                                all.names > 1 ? "one of:"
                                : all.names   ? "--kernel"
                                              : "__global__ void NAME(...)",
                                atx_str_text(&all.list));
    atx_str_clear(&all.list);
    return status;
}

static at_status choose(atx_draft *d, finding *f)
{
    collect(d, f, d, true);
    if (!f->names)
        collect(d, f, d, false);
    if (!d->in->kernel && f->names > 1)
        return atx_fail(d->err, AT_ERR_INPUT, "%s: found %d kernels:%s; expected --kernel NAME", d->in->path,
                        f->names, atx_str_text(&f->list));
    if (!f->found && f->prototype && !f->definitions)
        return atx_fail(d->err, AT_ERR_INPUT,
                        "%s: found the declaration of a kernel without its code; expected the file that "
                        "defines it",
                        atx_draft_place(d, &d->code.items[f->first_prototype.name]).text);
    return f->found ? AT_OK : none_found(d, f);
}

static at_status find_kernel(atx_draft *d)
{
    finding f = { 0 };
    at_status status = choose(d, &f);
    atx_str_clear(&f.list);
    if (status != AT_OK)
        return status;
    const atx_token *name = &d->code.items[d->kernel_text.name];
    d->overloads = f.definitions;
    const size_t len = atx_token_copy(d->kernel, sizeof d->kernel, d->code.text, name);
    const size_t close = atx_tokens_match(&d->code, d->kernel_text.open);
    d->body_end = atx_tokens_match(&d->code, close + 1);
    if (len >= MOST_SHOWN)
        return atx_fail(d->err, AT_ERR_INPUT,
                        "%s: found the kernel '%.*s' with a name of %zu characters; expected at most %d",
                        atx_draft_place(d, name).text, (int)(len < MOST_SHOWN ? len : MOST_SHOWN),
                        d->code.text + name->begin, len, MOST_SHOWN - 1);
    if (d->body_end >= d->code.count)
        return atx_fail(d->err, AT_ERR_INPUT, "%s: found the kernel %s, whose brackets do not match",
                        atx_draft_place(d, name).text, d->kernel);
    return AT_OK;
}

/* ---- arguments ---- */

static void read_argument(atx_draft *d, atx_draft_arg *a)
{
    const atx_tokens *t = &d->code;
    size_t i = a->span.begin;
    while (i < a->span.end && t->text + t->items[i].begin != a->arg.text)
        i++;
    a->token = i;
    for (size_t k = a->span.begin; k < i; k++)
        a->stars += atx_tokens_is(t, k, "*");
    for (size_t k = i + 1; k < a->span.end && !atx_tokens_is(t, k, "="); k++)
        a->stars += atx_tokens_is(t, k, "[");
}

static at_status read_arguments(atx_draft *d)
{
    atx_kernel_arg args[ATX_DRAFT_ARGS];
    const size_t open = d->kernel_text.open, end = atx_tokens_match(&d->code, open);
    const int count = atx_code_args(args, ATX_DRAFT_ARGS, &d->code, open);
    if (count < 0 || count > ATX_MAX_ARGS)
        return atx_fail(d->err, AT_ERR_INPUT, "%s: found more than %d parameters of %s; expected fewer",
                        atx_draft_place(d, &d->code.items[open]).text, ATX_MAX_ARGS, d->kernel);
    for (size_t at = open + 1, comma; at < end && d->arg_count < count; at = comma + 1) {
        atx_draft_arg *a = &d->args[d->arg_count];
        comma = atx_code_comma(&d->code, at, end);
        *a = (atx_draft_arg){ .arg = args[d->arg_count], .span = { at, comma } };
        read_argument(d, a);
        d->arg_count++;
    }
    return AT_OK;
}

/* ---- what cannot be adopted ---- */

static at_status refuse(const atx_draft *d, size_t token, const char *what, const char *why)
{
    char word[ATX_MAX_WORD];
    atx_draft_word(word, &d->code, token);
    return atx_fail(d->err, AT_ERR_INPUT, "%s: found %s '%s' of %s; %s",
                    atx_draft_place(d, &d->code.items[token]).text, what, word, d->kernel, why);
}

static at_status refuse_argument(const atx_draft *d, const atx_draft_arg *a)
{
    static const char *const HANDLES[] = { "cudaTextureObject_t", "cudaSurfaceObject_t", NULL };
    for (size_t i = a->span.begin; i < a->token && i < a->span.end; i++)
        if (atx_token_is_one_of(d->code.text, &d->code.items[i], HANDLES))
            return refuse(
                d, a->token, "the texture or surface",
                "expected buffers and numbers: read it through a pointer, as textures are set up by "
                "the host and have no data here");
    if (a->stars > 1)
        return refuse(d, a->token, "the pointer to pointers",
                      "expected a pointer to data: pass one buffer and offsets into it");
    return AT_OK;
}

/* Whether a function of the device is around a token: by its name alone one of the host may be reached. */
static bool is_of_device(const atx_draft *d, size_t token)
{
    const atx_tokens *t = &d->code;
    const atx_draft_function *f = atx_host_function_around(d, token);
    for (size_t i = f ? f->name : 0; i-- > 0;) {
        if (atx_tokens_is(t, i, "__device__") || atx_tokens_is(t, i, "__global__"))
            return true;
        if (atx_tokens_is(t, i, ";") || atx_tokens_is(t, i, "}") || atx_tokens_is(t, i, "{"))
            return false;
    }
    return !f;
}

/* A variable __constant__ that points somewhere, which the kernel uses; SIZE_MAX: none. */
static size_t constant_pointer(const atx_draft *d)
{
    atx_draft_variable v = { .size = "" };
    for (size_t at = 0, behind; atx_code_constant(&v.arg, &behind, &d->code, &at);)
        if (v.arg.name[0] && atx_draft_uses(d, v.arg.name) &&
            atx_tokens_find(&d->code, at, behind, "*") < behind)
            return behind - 1;
    return SIZE_MAX;
}

/* Whether the name at token i is that of a parameter or of a local variable. */
static bool is_local(const atx_draft *d, size_t i)
{
    const atx_draft_function *f = atx_host_function_around(d, i);
    char name[ATX_MAX_WORD];
    size_t token;
    atx_draft_word(name, &d->code, i);
    for (size_t k = 0; k < d->function_count; k++)
        if (d->functions[k].open < i && i < d->functions[k].body)
            return true;
    return f && (atx_host_parameter(&token, d, f, i) >= 0 ||
                 atx_guards_declaration(&d->code, f->body + 1, name, i) != SIZE_MAX);
}

/* Whether the kernel uses the variable that is declared at a token, and gives it no value. */
static bool is_only_read(const atx_draft *d, size_t name)
{
    bool used = false;
    for (size_t i = 0; i + 1 < d->code.count; i++) {
        if (!d->reached[i] || i == name || !atx_code_same(&d->code, i, name) ||
            atx_guards_member(&d->code, i) || is_local(d, i))
            continue;
        if (atx_tokens_is(&d->code, i + 1, "="))
            return false;
        used = true;
    }
    return used;
}

/* A variable __device__ that points where only the host says, which the kernel uses; SIZE_MAX: none. */
static size_t device_pointer(const atx_draft *d)
{
    static const char *const ENDS[] = { ";", "=", "(", "{", "[", NULL };
    const atx_tokens *t = &d->code;
    for (size_t i = 0; i < t->count; i++) {
        bool star = false;
        size_t end = i;
        while (atx_tokens_is(t, i, "__device__") && end < t->count &&
               !atx_token_is_one_of(t->text, &t->items[end], ENDS))
            star = atx_tokens_is(t, end++, "*") || star;
        if (star && (atx_tokens_is(t, end, ";") || atx_tokens_is(t, end, "[")) &&
            atx_tokens_is_word(t, end - 1) && is_only_read(d, end - 1))
            return end - 1;
    }
    return SIZE_MAX;
}

/* reinterpret_cast<T *>(tables[i]), (T *)tables[i], of an argument of 64-bit integers; SIZE_MAX: there is
 * none. */
static size_t address_in_integer(const atx_draft *d)
{
    const atx_tokens *t = &d->code;
    for (int k = 0; k < d->arg_count; k++) {
        const atx_draft_arg *a = &d->args[k];
        atx_draft_type type;
        atx_draft_type_of(&type, d, a->span.begin, a->token);
        const bool wide = a->stars == 1 && type.dtype && type.lanes == 1 &&
                          (strcmp(type.dtype, "i64") == 0 || strcmp(type.dtype, "u64") == 0);
        for (size_t i = d->kernel_text.open; wide && i < d->body_end; i++) {
            size_t cast = i - 1;
            if (!atx_code_same(t, i, a->token) || !atx_tokens_is(t, i + 1, "["))
                continue;
            if (atx_tokens_is(t, cast, "(") && atx_tokens_is(t, cast - 1, ">") &&
                atx_tokens_is(t, atx_tokens_match(t, i + 1) + 1, ")"))
                cast--;
            if ((atx_tokens_is(t, cast, ">") || atx_tokens_is(t, cast, ")")) &&
                atx_tokens_is(t, cast - 1, "*"))
                return i;
        }
    }
    return SIZE_MAX;
}

static at_status refuse_code(const atx_draft *d)
{
    const atx_tokens *t = &d->code;
    static const char *const TEXTURES[] = { "tex1Dfetch",   "tex1D",      "tex2D",
                                            "tex3D",        "surf2Dread", "surf2Dwrite",
                                            "tex2DLayered", "texCubemap", "tex2DLod",
                                            "surf3Dwrite",  NULL };
    for (size_t i = 0; i < t->count; i++)
        if (d->reached[i] && t->items[i].kind == ATX_TOKEN_WORD &&
            atx_token_is_one_of(t->text, &t->items[i], TEXTURES))
            return refuse(
                d, i, "the texture access",
                "expected buffers: read through a pointer, as textures are set up by the host and have "
                "no data here");
    const size_t address = address_in_integer(d);
    if (address != SIZE_MAX)
        return refuse(d, address, "the pointers in integers of",
                      "expected a pointer to data: pass one buffer and offsets into it");
    const size_t pointer = constant_pointer(d);
    if (pointer != SIZE_MAX)
        return refuse(d, pointer, "the __constant__ pointer",
                      "expected data: pass it to the kernel as a buffer, and offsets into it");
    const size_t device = device_pointer(d);
    if (device != SIZE_MAX)
        return refuse(d, device, "the __device__ pointer",
                      "expected data: pass it to the kernel as a buffer, as the host sets where it points");
    atx_host_launch launch;
    for (size_t at = 0; atx_host_launch_next(&launch, t, NULL, &at);)
        if (d->reached[launch.at] && is_of_device(d, launch.at))
            return refuse(d, launch.at, "a launch of",
                          "expected a kernel that launches none: NVRTC does not link the device's runtime");
    return AT_OK;
}

static at_status refuse_any(const atx_draft *d)
{
    at_status status = AT_OK;
    for (int i = 0; i < d->arg_count && status == AT_OK; i++)
        status = refuse_argument(d, &d->args[i]);
    return status == AT_OK ? refuse_code(d) : status;
}

/* ---- variables ---- */

/* [9], or [3][N] as 3 * 16; "" where it is not made of numbers. */
static void read_size(char out[ATX_MAX_WORD], const atx_draft *d, size_t i, int lanes)
{
    const atx_tokens *t = &d->code;
    size_t n = 0;
    if (lanes > 1)
        n = (size_t)snprintf(out, ATX_MAX_WORD, "%d", lanes);
    else if (!atx_tokens_is(t, i, "["))
        n = (size_t)snprintf(out, ATX_MAX_WORD, "1");
    for (size_t close; atx_tokens_is(t, i, "["); i = close + 1) {
        long value = 0;
        close = atx_tokens_match(t, i);
        if (!atx_draft_number(&value, d, t, (atx_span){ i + 1, close }) || value <= 0 ||
            n + 24 > ATX_MAX_WORD) {
            out[0] = '\0';
            return;
        }
        n += (size_t)snprintf(out + n, ATX_MAX_WORD - n, "%s%ld", n ? " * " : "", value);
    }
}

/* The variable of that type whose name is at a token, where the kernel uses it. */
static void add_variable(atx_draft *d, const atx_kernel_arg *arg, const atx_draft_type *type, size_t name)
{
    atx_draft_variable *v = &d->variables[d->variable_count];
    const atx_token *token = &d->code.items[name];
    if (d->arg_count + d->variable_count == ATX_MAX_ARGS)
        return;
    *v = (atx_draft_variable){ .arg = *arg };
    v->arg.type = type->dtype;
    v->arg.text = d->code.text + token->begin;
    v->arg.len = token->end - token->begin;
    atx_draft_word(v->arg.name, &d->code, name);
    if (!v->arg.name[0] || !atx_draft_uses(d, v->arg.name))
        return;
    read_size(v->size, d, name + 1, type->lanes);
    d->variable_count++;
}

/* "float c_filter[9], c_scale;" behind __constant__, where the kernel uses them. Others than known types stay
 * as they are. */
static void read_variables(atx_draft *d)
{
    const atx_tokens *t = &d->code;
    atx_kernel_arg arg;
    for (size_t at = 0, behind; atx_code_constant(&arg, &behind, t, &at);) {
        atx_draft_type type;
        atx_draft_type_of(&type, d, at, behind - 1);
        if (!type.dtype || strcmp(type.dtype, "bool") == 0)
            continue;
        const size_t end = atx_tokens_find(t, behind, t->count, ";");
        for (size_t name = behind - 1; name < end; name = atx_code_comma(t, name, end) + 1)
            if (atx_tokens_is_word(t, name))
                add_variable(d, &arg, &type, name);
    }
}

/* __launch_bounds__(THREADS, ...) of it. */
static void read_bounds(atx_draft *d)
{
    const atx_tokens *t = &d->code;
    for (size_t i = d->kernel_text.head; i < d->kernel_text.open; i++) {
        if (!atx_tokens_is(t, i, "__launch_bounds__") || !atx_tokens_is(t, i + 1, "("))
            continue;
        const size_t end = atx_tokens_match(t, i + 1);
        const atx_span first = { i + 2, atx_code_comma(t, i + 2, end) };
        d->bound_is = first;
        if (!atx_draft_number(&d->bound, d, t, first) || d->bound <= 0)
            d->bound = -1;
    }
}

/* float_ptr x, by a typedef of the file. */
static void read_aliases(atx_draft *d)
{
    for (int i = 0; i < d->arg_count; i++) {
        atx_draft_arg *a = &d->args[i];
        bool constant = false;
        const int stars = atx_draft_alias_stars(d, (atx_span){ a->span.begin, a->token }, &constant);
        a->arg.constant = stars && !a->stars ? constant : a->arg.constant;
        a->stars += stars;
    }
}

at_status atx_draft_read(atx_draft *d)
{
    at_status status = find_kernel(d);
    if (status == AT_OK)
        status = read_arguments(d);
    if (status == AT_OK)
        status = atx_draft_reach(d);
    read_aliases(d);
    if (status == AT_OK)
        status = refuse_any(d);
    if (status != AT_OK)
        return status;
    read_variables(d);
    read_bounds(d);
    return AT_OK;
}
