/*
 * cubin.c - kernels are the function symbols with the bit that marks an entry. Their parameters are in the
 * section .nv.info.NAME, a series of attributes: two bytes of kind, then two bytes that are the value, or the
 * length of one that follows. Every offset is checked against the size before anything behind it is read.
 *
 * A name is compared with a mangled one by its beginning: _Z1f, or _ZN2ns1fE, then an 'I' if the name has
 * template arguments. The arguments are not compared: the compiler makes the instance that it was asked for,
 * whose symbol is weak, while those of specialisations, which are always there, are global.
 */
#include "compile/cubin.h"

#include "source/lex.h"
#include "util/chars.h"
#include "util/options.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#define ENTRY_BIT       0x10 /* in a symbol's st_other */
#define KIND_SIZED      4    /* an attribute whose value follows */
#define ATTR_MAX_THREAD 0x05
#define ATTR_PARAM      0x17
#define PARAM_BYTES     12
#define SIZE_SHIFT      18

typedef struct bytes {
    const unsigned char *at;
    size_t len;
} bytes;

static uint16_t get16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t get32(const unsigned char *p)
{
    return (uint32_t)get16(p) | (uint32_t)get16(p + 2) << 16;
}

/* ---- sections ---- */

static bool read_head(Elf64_Ehdr *head, bytes elf)
{
    if (elf.len < sizeof *head || memcmp(elf.at, ELFMAG, SELFMAG) != 0 || elf.at[EI_CLASS] != ELFCLASS64)
        return false;
    memcpy(head, elf.at, sizeof *head);
    return head->e_shentsize == sizeof(Elf64_Shdr) && head->e_shoff <= elf.len &&
           head->e_shnum <= (elf.len - head->e_shoff) / sizeof(Elf64_Shdr);
}

static bool read_section(Elf64_Shdr *out, bytes elf, const Elf64_Ehdr *head, unsigned index)
{
    if (index >= head->e_shnum)
        return false;
    memcpy(out, elf.at + head->e_shoff + index * sizeof *out, sizeof *out);
    return out->sh_type == SHT_NOBITS ||
           (out->sh_offset <= elf.len && out->sh_size <= elf.len - out->sh_offset);
}

/* A terminated string of a string table; NULL: it is outside. */
static const char *string_at(bytes elf, const Elf64_Shdr *table, uint64_t offset)
{
    const char *text = (const char *)elf.at + table->sh_offset;
    if (table->sh_type != SHT_STRTAB || offset >= table->sh_size ||
        !memchr(text + offset, '\0', (size_t)(table->sh_size - offset)))
        return NULL;
    return text + offset;
}

/* The section with a kernel's attributes. */
static bytes find_info(bytes elf, const Elf64_Ehdr *head, const char *name)
{
    static const char PREFIX[] = ".nv.info.";
    enum { PREFIX_LEN = sizeof PREFIX - 1 };
    Elf64_Shdr names, s;
    if (!read_section(&names, elf, head, head->e_shstrndx))
        return (bytes){ 0 };
    for (unsigned i = 0; i < head->e_shnum; i++) {
        const char *text = read_section(&s, elf, head, i) ? string_at(elf, &names, s.sh_name) : NULL;
        if (text && s.sh_type != SHT_NOBITS && strncmp(text, PREFIX, PREFIX_LEN) == 0 &&
            strcmp(text + PREFIX_LEN, name) == 0)
            return (bytes){ elf.at + s.sh_offset, (size_t)s.sh_size };
    }
    return (bytes){ 0 };
}

/* ---- one kernel ---- */

/* One side of a block; a file may say anything, and the product of three shall have a value. */
static int64_t block_size(uint32_t side)
{
    return side < 1 << 20 ? side : 1 << 20;
}

static void read_attribute(atx_cubin_kernel *out, int attribute, const unsigned char *value, size_t len)
{
    if (attribute == ATTR_PARAM && len >= PARAM_BYTES) {
        int ordinal = get16(value + 4);
        if (ordinal < ATX_CUBIN_PARAMS)
            out->param_bytes[ordinal] = get32(value + 8) >> SIZE_SHIFT;
        if (ordinal + 1 > out->param_count)
            out->param_count = ordinal + 1;
    }
    if (attribute == ATTR_MAX_THREAD && len >= 12)
        out->max_threads =
            block_size(get32(value)) * block_size(get32(value + 4)) * block_size(get32(value + 8));
}

static void read_info(atx_cubin_kernel *out, bytes info)
{
    out->param_count = info.at ? 0 : -1;
    for (size_t at = 0; at + 4 <= info.len;) {
        const unsigned char *p = info.at + at;
        size_t len = p[0] == KIND_SIZED ? get16(p + 2) : 0;
        if (len > info.len - at - 4)
            return;
        read_attribute(out, p[1], p + 4, len);
        at += 4 + len;
    }
}

static bool is_entry(const Elf64_Sym *symbol)
{
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && (symbol->st_other & ENTRY_BIT);
}

static bool is_variable(const Elf64_Sym *symbol)
{
    return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_shndx != SHN_UNDEF;
}

/* The index-th symbol of a kind. */
static bool find_symbol(const char **name, Elf64_Sym *found, bytes elf, const Elf64_Ehdr *head,
                        bool (*is_wanted)(const Elf64_Sym *), int index)
{
    Elf64_Shdr s, names;
    for (unsigned i = 0; i < head->e_shnum; i++) {
        if (!read_section(&s, elf, head, i) || s.sh_type != SHT_SYMTAB ||
            !read_section(&names, elf, head, s.sh_link))
            continue;
        for (uint64_t k = 0; k < s.sh_size / sizeof(Elf64_Sym); k++) {
            Elf64_Sym symbol;
            memcpy(&symbol, elf.at + s.sh_offset + k * sizeof symbol, sizeof symbol);
            if (is_wanted(&symbol) && (*name = string_at(elf, &names, symbol.st_name)) != NULL &&
                index-- == 0) {
                *found = symbol;
                return true;
            }
        }
    }
    return false;
}

/* ---- PTX ---- */

static bool is_part(char c)
{
    return atx_is_word_part(c) || c == '$';
}

/* "... .entry NAME(" */
static bool ptx_kernel_at(atx_cubin_kernel *out, const char *text, size_t len, int index)
{
    static const char ENTRY[] = ".entry ";
    const char *begin = text, *end = text + len;
    while ((text = memmem(text, (size_t)(end - text), ENTRY, sizeof ENTRY - 1)) != NULL) {
        text += sizeof ENTRY - 1;
        size_t n = 0;
        while (text + n < end && is_part(text[n]))
            n++;
        if (n && index-- == 0) {
            const char *word = text - sizeof ENTRY + 1;
            const bool weak = word - begin >= 6 && memcmp(word - 6, ".weak ", 6) == 0;
            *out = (atx_cubin_kernel){ .name = text, .name_len = n, .param_count = -1, .weak = weak };
            return true;
        }
    }
    return false;
}

bool atx_cubin_kernel_at(atx_cubin_kernel *out, const void *code, size_t len, int index)
{
    bytes elf = { code, len };
    Elf64_Ehdr head;
    const char *name = NULL;
    Elf64_Sym symbol;
    if (len < SELFMAG || memcmp(code, ELFMAG, SELFMAG) != 0)
        return code && ptx_kernel_at(out, code, len, index);
    if (!read_head(&head, elf) || !find_symbol(&name, &symbol, elf, &head, is_entry, index))
        return false;
    *out = (atx_cubin_kernel){ .name = name,
                               .name_len = strlen(name),
                               .weak = ELF64_ST_BIND(symbol.st_info) == STB_WEAK };
    read_info(out, find_info(elf, &head, name));
    return true;
}

/* ---- names ---- */

static const char UNNAMED[] = "_GLOBAL__N_", INTERNAL[] = "_INTERNAL_"; /* that one around variables */

/* The length of "42_GLOBAL__N_...", the component of a namespace without a name; 0: it is none. */
static size_t unnamed_length(const char *at, const char *end)
{
    size_t digits = 0, len = 0;
    while (at + digits < end && at[digits] >= '0' && at[digits] <= '9' && len < 1000)
        len = 10 * len + (size_t)(at[digits++] - '0');
    const bool is = len >= sizeof UNNAMED - 1 && len <= (size_t)(end - at) - digits &&
                    memcmp(at + digits, UNNAMED, sizeof UNNAMED - 1) == 0;
    return is ? digits + len : 0;
}

/* Is the symbol `name`? That of a namespace without a name has the file in it, which does not count. */
static bool is_exactly(const atx_cubin_kernel *k, const char *name)
{
    const char *at = k->name, *end = at + k->name_len, *name_end = name + strlen(name);
    while (at < end && name < name_end) {
        const size_t skip = unnamed_length(at, end), name_skip = unnamed_length(name, name_end);
        if (!(skip && name_skip) && *at != *name)
            return false;
        at += skip && name_skip ? skip : 1;
        name += skip && name_skip ? name_skip : 1;
    }
    return at == end && name == name_end;
}

static bool has_no_name(const char *component, size_t len)
{
    return (len >= sizeof UNNAMED && memcmp(component, UNNAMED, sizeof UNNAMED - 1) == 0) ||
           (len >= sizeof INTERNAL && memcmp(component, INTERNAL, sizeof INTERNAL - 1) == 0);
}

/* The next component of a mangled name, "3foo" or "L3foo", behind those of namespaces without a name; its
 * length, 0: there is none. *at moves on. */
static size_t next_component(const char **name, const char **at, const char *end)
{
    size_t len = 0;
    do {
        *at += *at < end && **at == 'L'; /* static */
        for (len = 0; *at < end && **at >= '0' && **at <= '9' && len < 1000; ++*at)
            len = 10 * len + (size_t)(**at - '0');
        if (len > (size_t)(end - *at))
            return 0;
        *name = *at;
        *at += len;
    } while (has_no_name(*name, len));
    return len;
}

/* Behind the components of a mangled name, "_Z1fPf" or "_ZN2ns1fEPf", that are those of `name`, up to the
 * arguments of a template; NULL: it is another one. */
static const char *skip_name(const char *mangled, size_t mangled_len, const char *name)
{
    atx_lexer lexer = { .text = name, .len = strcspn(name, "<") };
    const char *at = mangled, *end = mangled + mangled_len, *component = mangled;
    int count = 0;
    if (mangled_len < 3 || memcmp(mangled, "_Z", 2) != 0)
        return NULL;
    const bool nested = at[2] == 'N';
    at += nested ? 3 : 2;
    for (atx_token t; atx_lexer_next(&t, &lexer);) {
        const size_t len = t.end - t.begin;
        if (t.kind != ATX_TOKEN_WORD)
            continue;
        if (next_component(&component, &at, end) != len || memcmp(component, name + t.begin, len) != 0)
            return NULL;
        count++;
    }
    const bool ends = at == end || !nested || *at == 'E' || *at == 'I';
    return count && ends ? at : NULL;
}

/* Is the mangled one of that name? *instance: of a template. */
static bool fits(const atx_cubin_kernel *k, const char *kernel, bool *instance)
{
    const char *behind = skip_name(k->name, k->name_len, kernel);
    *instance = behind && behind < k->name + k->name_len && *behind == 'I';
    return behind != NULL;
}

/* As people write it: of "_Z1fPf" f, of "_ZN2ns1fEPf" ns::f; other names stay. */
static void read_name(char out[100], const atx_cubin_kernel *k)
{
    const char *at = k->name, *end = k->name + k->name_len;
    size_t n = 0;
    snprintf(out, 100, "%.*s", (int)(k->name_len > 80 ? 80 : k->name_len), k->name);
    if (k->name_len < 2 || memcmp(k->name, "_Z", 2) != 0)
        return;
    at += 2;
    const bool nested = at < end && *at == 'N';
    at += nested;
    for (const char *name = NULL; at < end && *at != 'E' && *at != 'I' && (nested || !n);) {
        const size_t len = next_component(&name, &at, end);
        if (!len || n + len + 3 > 80)
            return;
        n += (size_t)snprintf(out + n, 100 - n, "%s%.*s", n ? "::" : "", (int)len, name);
    }
}

static at_status fail_none(const void *code, size_t len, const char *kernel, at_error *err)
{
    enum { MOST = 32 };
    char list[400] = "", names[MOST][100];
    const char *known[MOST + 1] = { NULL };
    atx_cubin_kernel k;
    int n = 0;
    for (int i = 0; n < 300 && i < MOST && atx_cubin_kernel_at(&k, code, len, i); i++) {
        read_name(names[i], &k);
        known[i] = names[i];
        n += snprintf(list + n, sizeof list - (size_t)n, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = atx_nearest(kernel, known);
    return atx_fail(err, AT_ERR_INPUT, "found no kernel '%s' in the compiled code; %s%s%s%s%s", kernel,
                    n ? "it has " : "there is none at all: is it __global__, and outside of every #if?", list,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static at_status fail_several(const atx_cubin_kernel *a, const atx_cubin_kernel *b, const char *kernel,
                              at_error *err)
{
    return atx_fail(err, AT_ERR_INPUT,
                    "found several kernels '%s': %.*s and %.*s; expected one: name it as it is written here",
                    kernel, (int)(a->name_len > 100 ? 100 : a->name_len), a->name,
                    (int)(b->name_len > 100 ? 100 : b->name_len), b->name);
}

at_status atx_cubin_find(atx_cubin_kernel *out, const void *code, size_t len, const char *kernel,
                         at_error *err)
{
    const bool wants_instance = strchr(kernel, '<') != NULL;
    atx_cubin_kernel k, found = { 0 }, second = { 0 };
    bool exact = false, instance = false;

    kernel += strncmp(kernel, "::", 2) == 0 ? 2 : 0; /* of the global namespace: no symbol says so */
    for (int i = 0; !exact && atx_cubin_kernel_at(&k, code, len, i); i++) {
        exact = is_exactly(&k, kernel);
        if (!exact && (!fits(&k, kernel, &instance) || (wants_instance && !instance)))
            continue;
        if (!found.name || exact || (wants_instance && k.weak && !found.weak)) {
            found = k;
            second.name = NULL;
        } else if (!(wants_instance && found.weak && !k.weak)) {
            second = k;
        }
    }
    if (second.name)
        return fail_several(&found, &second, kernel, err);
    if (!found.name)
        return fail_none(code, len, kernel, err);
    *out = found;
    return AT_OK;
}

at_status atx_cubin_name(const char **name, size_t *name_len, const void *code, size_t len,
                         const char *kernel, at_error *err)
{
    atx_cubin_kernel k = { .name = kernel, .name_len = strlen(kernel) };
    atx_cubin_kernel any;
    ATX_TRY(len && atx_cubin_kernel_at(&any, code, len, 0) ? atx_cubin_find(&k, code, len, kernel, err)
                                                           : AT_OK);
    *name = k.name;
    *name_len = k.name_len;
    return AT_OK;
}

/* ---- variables ---- */

bool atx_cubin_is_variable(const char *symbol, const char *variable)
{
    const char *behind = skip_name(symbol, strlen(symbol), variable);
    return strcmp(symbol, variable) == 0 || (behind && (!*behind || strcmp(behind, "E") == 0));
}

static at_status fail_no_variable(bytes elf, const Elf64_Ehdr *head, const char *variable, at_error *err)
{
    char list[400] = "";
    const char *name = NULL;
    Elf64_Sym symbol;
    int n = 0;
    for (int i = 0; n < 300 && find_symbol(&name, &symbol, elf, head, is_variable, i); i++)
        n += snprintf(list + n, sizeof list - (size_t)n, "%s%.80s", n ? ", " : "", name);
    return atx_fail(err, AT_ERR_INPUT, "found no variable '%s' in the compiled code; %s%s", variable,
                    n ? "it has " : "it has none: is it __constant__ or __device__, and used?", list);
}

at_status atx_cubin_variable(const char **name, int64_t *bytes_out, const void *code, size_t len,
                             const char *variable, at_error *err)
{
    bytes elf = { code, len };
    Elf64_Ehdr head;
    Elf64_Sym symbol;
    const char *found = NULL;

    *name = variable;
    *bytes_out = -1;
    if (len < SELFMAG || memcmp(code, ELFMAG, SELFMAG) != 0 || !read_head(&head, elf))
        return AT_OK;
    for (int i = 0; find_symbol(&found, &symbol, elf, &head, is_variable, i); i++) {
        if (atx_cubin_is_variable(found, variable)) {
            *name = found;
            *bytes_out = (int64_t)symbol.st_size;
            return AT_OK;
        }
    }
    return fail_no_variable(elf, &head, variable, err);
}

/* Constant bank 0 holds parameters, and nothing before a launch. */
static bool is_code(const char *name, bool variables)
{
    return strncmp(name, ".text.", 6) == 0 || (variables && strncmp(name, ".nv.global.init", 15) == 0) ||
           (strncmp(name, ".nv.constant", 12) == 0 && name[12] != '0');
}

bool atx_cubin_hash(char out[ATX_HASH_TEXT], const void *cubin, size_t len, bool variables)
{
    bytes elf = { cubin, len };
    Elf64_Ehdr head;
    Elf64_Shdr names, s;
    atx_sha256 h;
    if (!read_head(&head, elf) || !read_section(&names, elf, &head, head.e_shstrndx))
        return false;
    atx_sha256_init(&h);
    for (unsigned i = 0; i < head.e_shnum; i++) {
        const char *name = read_section(&s, elf, &head, i) ? string_at(elf, &names, s.sh_name) : NULL;
        if (name && s.sh_type != SHT_NOBITS && is_code(name, variables))
            atx_sha256_add(&h, elf.at + s.sh_offset, (size_t)s.sh_size);
    }
    atx_sha256_text(&h, out);
    return true;
}
