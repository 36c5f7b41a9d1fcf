/*
 * signature.c - no C++ is parsed: a kernel is what stands between __global__ and the bracket of its
 * parameters, a parameter's name is its last word, and a type is known by the words that people use.
 */
#include "source/signature.h"

#include "source/words.h"
#include "util/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- code without comments ---- */

/* Past a string or a character; one that does not end, ends with its line. */
static const char *skip_quoted(const char *at)
{
    char quote = *at++;
    while (*at && *at != quote && *at != '\n') {
        if (*at == '\\')
            at += at[1] == '\r' && at[2] == '\n' ? 2 : at[1] != '\0';
        at++;
    }
    return *at == quote ? at + 1 : at;
}

/* R"mark( ... )mark" from its quote on. */
static const char *skip_raw(const char *at)
{
    char close[20];
    const size_t n = strcspn(at + 1, "( )\\\t\v\f\r\n\"");
    if (n > 16 || at[1 + n] != '(')
        return skip_quoted(at);
    snprintf(close, sizeof close, ")%.*s\"", (int)n, at + 1);
    const char *end = strstr(at + 1 + n, close);
    return end ? end + n + 2 : at + strlen(at);
}

/* To the end of the line, or of those that a backslash joins to it. */
static const char *skip_line_comment(const char *at)
{
    for (;; at++) {
        at += strcspn(at, "\n");
        const char *last = at;
        while (last[-1] == '\r')
            last--;
        if (!*at || last[-1] != '\\')
            return at;
    }
}

/* 0x1p-3f, 1'000: a quote in a number begins nothing. */
static const char *skip_number(const char *at)
{
    while (atx_is_word_part(*at) || *at == '.' || (*at == '\'' && atx_is_word_part(at[1])))
        at++;
    return at;
}

/* A word, a number or a sign stays; *blank: what goes. */
static const char *skip_one(const char *at, bool *blank)
{
    static const char *const RAW[] = { "R", "LR", "uR", "UR", "u8R" };
    const size_t n = atx_word_len(at);
    *blank = false;
    if (n && isdigit((unsigned char)*at))
        return skip_number(at);
    for (size_t i = 0; at[n] == '"' && i < sizeof RAW / sizeof *RAW; i++)
        *blank = *blank || (strlen(RAW[i]) == n && memcmp(RAW[i], at, n) == 0);
    if (n)
        return *blank ? skip_raw(at + n) : at + n;
    *blank = *at == '"' || *at == '\'' || strncmp(at, "//", 2) == 0 || strncmp(at, "/*", 2) == 0;
    if (!*blank)
        return at + 1;
    if (*at != '/')
        return skip_quoted(at);
    if (at[1] == '/')
        return skip_line_comment(at);
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
}

static void add_blanks(atx_str *out, const char *from, const char *to)
{
    for (; from < to; from++)
        atx_str_add(out, *from == '\n' ? "\n" : " ");
}

/* What stands behind the '#' of a line of the preprocessor; NULL: it is none. */
static const char *directive(const char *line)
{
    line += strspn(line, " \t\r");
    return *line == '#' ? line + 1 + strspn(line + 1, " \t\r") : NULL;
}

/* Makes blanks of what stands behind an #if 0. */
static void leave_out(char *text)
{
    int depth = 0; /* of #if in what goes; 0: nothing does */
    for (size_t len; *text; text += len + (text[len] == '\n')) {
        const char *what = directive(text);
        size_t n = what ? atx_word_len(what) : 0;
        len = strcspn(text, "\n");
        if (!depth) {
            const char *value = atx_skip_space(what ? what + n : text);
            depth = n == 2 && strncmp(what, "if", n) == 0 && value[0] == '0' && !atx_is_word_part(value[1]) &&
                    value + 1 + strspn(value + 1, " \t\r") == text + len;
            continue;
        }
        bool turns = n >= 4 && (strncmp(what, "else", 4) == 0 || strncmp(what, "elif", 4) == 0);
        depth += n >= 2 && strncmp(what, "if", 2) == 0;
        depth -= (turns && depth == 1) || (n == 5 && strncmp(what, "endif", n) == 0);
        if (depth)
            memset(text, ' ', len);
    }
}

void atx_code_strip(atx_str *out, const char *at)
{
    const size_t begin = out->len;
    while (*at) {
        bool blank;
        const char *from = at;
        at = skip_one(at, &blank);
        if (blank)
            add_blanks(out, from, at);
        else
            atx_str_add_bytes(out, from, (size_t)(at - from));
    }
    if (out->data)
        leave_out(out->data + begin);
}

static bool is_word(const char *at, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(at, word, len) == 0;
}

void atx_copy_word(char out[ATX_MAX_WORD], const char *at, size_t len)
{
    snprintf(out, ATX_MAX_WORD, "%.*s", len < ATX_MAX_WORD ? (int)len : 0, at);
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

/* The next place where the text has this word, and not only as a part of another; NULL: none. */
static const char *find_word(const char *begin, const char *at, const char *word)
{
    const size_t len = strlen(word);
    for (; (at = strstr(at, word)) != NULL; at += len)
        if ((at == begin || !atx_is_word_part(at[-1])) && !atx_is_word_part(at[len]))
            return at;
    return NULL;
}

static bool is_one_of(const char *at, size_t len, const char *const *words)
{
    while (*words && !is_word(at, len, *words))
        words++;
    return *words != NULL;
}

static bool is_attribute_list(const char *at)
{
    return at[0] == '[' && at[1] == '[';
}

/* Whether the word before the bracket at `open` is an attribute, or a macro for one: those are known, or
 * stand before a name with a bracket of its own. */
static bool is_attribute(const char *word, size_t len, const char *open)
{
    static const char *const KNOWN[] = { "__launch_bounds__", "__cluster_dims__",
                                         "__block_size__",    "__maxnreg__",
                                         "__attribute__",     "__declspec",
                                         "alignas",           NULL };
    static const char *const BEHIND[] = { "noexcept", "requires", NULL }; /* and more of these */
    if (is_one_of(word, len, KNOWN))
        return true;
    const char *at = atx_skip_space(skip_parens(open));
    for (size_t n; (n = atx_word_len(at)) != 0; at = atx_skip_space(at + n))
        if (is_one_of(at, n, KNOWN) || is_one_of(at, n, BEHIND))
            return false;
        else if (*atx_skip_space(at + n) == '(')
            return true;
    return false;
}

/* The kernel whose __global__ ends at `at`. */
static bool read_kernel(atx_kernel_text *out, const char *at)
{
    *out = (atx_kernel_text){ 0 };
    while (*(at = atx_skip_space(at))) {
        const size_t n = atx_word_len(at);
        const char *behind = atx_skip_space(at + n);
        if (is_attribute_list(at)) {
            const char *end = strstr(at, "]]");
            at = end ? end + 2 : at + 2;
        } else if (n && *behind == '(' && is_attribute(at, n, behind)) {
            at = skip_parens(behind);
        } else if (n) {
            out->name = at;
            out->len = n;
            at += n;
        } else {
            out->open = at + 1;
            return *at == '(' && out->name;
        }
    }
    return false;
}

bool atx_code_kernel(atx_kernel_text *out, const char **at)
{
    static const char GLOBAL[] = "__global__";
    const char *begin = *at;
    while ((*at = find_word(begin, *at, GLOBAL)) != NULL) {
        *at += sizeof GLOBAL - 1;
        if (read_kernel(out, *at))
            return true;
    }
    return false;
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
        n = atx_word_len(at);
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

/* Behind the "]]" of a list that begins at `at`. */
static const char *end_of_attributes(const char *at, const char *end)
{
    const char *close = memmem(at, (size_t)(end - at), "]]", 2);
    return close ? close + 2 : end;
}

/* Where a name with what belongs to its type ends: at the size of an array, or at a value. */
static const char *end_of_name(const char *at, const char *end)
{
    for (int depth = 0; at < end; at++) {
        if (is_attribute_list(at))
            at = end_of_attributes(at, end) - 1;
        else if (depth == 0 && (*at == '=' || *at == '['))
            return at;
        else
            depth += *at == '(' || *at == '<' ? 1 : *at == ')' || *at == '>' ? -1 : 0;
    }
    return end;
}

/* The bracket of "(*name" in what a pointer to a function or an array is declared with; NULL: there is none.
 */
static const char *find_declarator(const char *at, const char *end)
{
    for (; (at = memchr(at, '(', (size_t)(end - at))) != NULL; at++)
        if (*atx_skip_space(at + 1) == '*')
            return at + 1;
    return NULL;
}

/* One parameter of the kernel: the last word of its declarator is its name. false: there is none, `()` or
 * `(void)`. */
static bool read_argument(atx_kernel_arg *a, const char *at, const char *end)
{
    const char *stop = end_of_name(at, end), *inner = find_declarator(at, stop);
    *a = (atx_kernel_arg){ 0 };
    for (const char *p = at; p < stop; p++) {
        if (is_attribute_list(p)) {
            p = end_of_attributes(p, stop) - 1;
            continue;
        }
        size_t n = atx_word_len(p);
        a->pointer = a->pointer || *p == '*';
        a->constant = a->constant || (!a->pointer && is_word(p, n, "const"));
        if (inner && p > inner && *p == ')')
            break;
        if (n && !isdigit((unsigned char)*p)) {
            a->text = p;
            a->len = n;
        }
        p += n ? n - 1 : 0;
    }
    if (!a->text)
        return false;
    a->pointer = a->pointer || (stop < end && *stop == '[');
    bool plain = !memchr(at, '<', (size_t)(a->text - at)); /* Pair<int> is no int */
    a->type = plain ? type_of(at, a->text) : NULL;
    atx_copy_word(a->name, a->text, a->len);
    return strcmp(a->name, "void") != 0;
}

/* How much deeper in brackets a character leads; in a value < and > compare. */
static int deeper(char c, bool value)
{
    if (c == '(' || c == '[' || c == '{' || (c == '<' && !value))
        return 1;
    return c == ')' || c == ']' || c == '}' || (c == '>' && !value) ? -1 : 0;
}

int atx_code_args(atx_kernel_arg *out, int max, const char *at)
{
    int depth = 0, count = 0;
    bool value = false; /* behind the '=' of a default one */
    const char *from = at;
    atx_kernel_arg a;
    for (; *at && (depth > 0 || *at != ')'); at++) {
        value = value || (*at == '=' && depth == 0);
        depth += deeper(*at, value);
        if (*at != ',' || depth)
            continue;
        if (count == max)
            return -1;
        count += read_argument(&out[count], from, at);
        from = at + 1;
        value = false;
    }
    if (!read_argument(&a, from, at))
        return count;
    if (count == max)
        return -1;
    out[count++] = a;
    return count;
}

/* The name in f, ns::f or f<float, 4>. */
static const char *plain_name(const char *kernel, size_t *len)
{
    size_t end = strcspn(kernel, "<"), from = end;
    while (from && atx_is_word_part(kernel[from - 1]))
        from--;
    *len = end - from;
    return kernel + from;
}

static bool is_kernel(const atx_kernel_text *k, const char *kernel)
{
    size_t len;
    const char *name = plain_name(kernel, &len);
    return k->len == len && memcmp(k->name, name, len) == 0;
}

int atx_code_args_of(atx_kernel_arg *out, int max, const char *text, const char *kernel)
{
    atx_str code = { 0 };
    atx_kernel_text k;
    int count = -1, found = 0;
    atx_code_strip(&code, text);
    for (const char *at = atx_str_text(&code); atx_code_kernel(&k, &at);)
        if (is_kernel(&k, kernel)) {
            count = atx_code_args(out, max, k.open);
            found++;
        }
    count = found == 1 && !code.failed ? count : -1;
    for (int i = 0; i < count; i++) /* every word has its place in both */
        out[i].text = text + (out[i].text - code.data);
    atx_str_clear(&code);
    return count;
}

/* Whether `word` stands between the end of the declaration before and `at`. */
static bool is_declared_with(const char *word, const char *begin, const char *at)
{
    while (at > begin && !strchr(";{}", at[-1]))
        at--;
    for (size_t n; !strchr(";{}", *at); at += n ? n : 1) {
        n = atx_word_len(at);
        if (is_word(at, n, "__global__"))
            return false;
        if (n && is_word(at, n, word))
            return true;
    }
    return false;
}

bool atx_code_is_template(const char *text, const char *kernel)
{
    atx_str code = { 0 };
    atx_kernel_text k;
    bool is = false;
    atx_code_strip(&code, text);
    const char *begin = atx_str_text(&code);
    for (const char *at = begin; !is && atx_code_kernel(&k, &at);)
        is = is_kernel(&k, kernel) && is_declared_with("template", begin, at - strlen("__global__"));
    atx_str_clear(&code);
    return is;
}

bool atx_code_nearest_kernel(char out[ATX_MAX_WORD], const char *text, const char *kernel)
{
    enum { MOST = 32 };
    char names[MOST][ATX_MAX_WORD], wanted[ATX_MAX_WORD];
    const char *list[MOST + 1] = { NULL };
    atx_str code = { 0 };
    atx_kernel_text k;
    int count = 0;
    size_t len;
    const char *plain = plain_name(kernel, &len);
    atx_copy_word(wanted, plain, len);
    atx_code_strip(&code, text);
    for (const char *at = atx_str_text(&code); count < MOST && atx_code_kernel(&k, &at);) {
        atx_copy_word(names[count], k.name, k.len);
        list[count] = names[count];
        count += *names[count] != '\0';
    }
    list[count] = NULL;
    const char *near = *wanted ? atx_nearest(wanted, list) : NULL;
    if (!near && count == 1) /* there is no other */
        near = names[0];
    if (near)
        memcpy(out, near, ATX_MAX_WORD);
    atx_str_clear(&code);
    return near != NULL;
}

bool atx_code_constant(atx_kernel_arg *out, const char **behind, const char **at)
{
    static const char CONSTANT[] = "__constant__";
    const char *begin = *at;
    while ((*at = find_word(begin, *at, CONSTANT)) != NULL) {
        *at += sizeof CONSTANT - 1;
        const char *from = *at, *name_end = from + strcspn(from, ";={[("),
                   *end = from + strcspn(from, ";={(");
        if ((*name_end != ';' && *name_end != '[') || *end != ';' || !read_argument(out, from, name_end))
            continue;
        out->pointer = *name_end == '[';
        out->constant = true;
        *behind = name_end;
        return true;
    }
    return false;
}
