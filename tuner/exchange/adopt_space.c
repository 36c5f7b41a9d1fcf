/*
 * adopt_space.c - parameters and conditions are those that `autotune import` reads and tries; here only the
 * lines of its template are taken over. Launch sizes are taken where they are expressions that C and Python
 * share.
 */
#include "exchange/adopt_space.h"

#include "exchange/import.h"
#include "exchange/import_file.h"

#include <inttypes.h>
#include <string.h>

/* The lines of the imported template that say which configurations there are. */
static void take_lines(atx_str *out, const char *text)
{
    static const char *const WORDS[] = { "param ", "require ", "let " };
    for (size_t len; *text; text += len + (text[len] == '\n')) {
        len = strcspn(text, "\n");
        for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
            if (strncmp(text, WORDS[i], strlen(WORDS[i])) == 0)
                atx_str_addf(out, "%.*s\n", (int)len, text);
    }
}

/* Does it name nothing but parameters? */
static bool is_known(const atx_import_file *file, const char *at)
{
    static const char DIGITS[] = "0123456789", SIGNS[] = " +-*/()%";
    while (*(at += strspn(at, SIGNS))) {
        size_t n = strcspn(at, SIGNS);
        if (strspn(at, DIGITS) != n && atx_import_find_param(file, at, n) < 0)
            return false;
        at += n;
    }
    return true;
}

/* An expression of numbers, parameters and signs that both languages have; // is /, as nothing is negative.
 */
static void add_expr(atx_str *out, const atx_import_file *file, uint32_t node)
{
    const atx_json *json = &file->json;
    static const char GOOD[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789 +-*/()%";
    atx_str text = { 0 };
    atx_json_add_text(&text, json, node);
    const char *at = atx_str_text(&text);
    bool good = *at && strspn(at, GOOD) == strlen(at) && !strstr(at, "**") && is_known(file, at);
    for (; good && *at; at++)
        if (!(at[0] == '/' && at[1] == '/'))
            atx_str_add_bytes(out, at, 1);
    out->failed = out->failed || text.failed;
    atx_str_clear(&text);
}

static uint32_t member(const atx_json *json, uint32_t object, const char *a, const char *b)
{
    uint32_t node = object ? atx_json_member(json, object, a) : 0;
    return node && b ? atx_json_member(json, node, b) : node;
}

/* Threads of a block, "block_size_x block_size_y"; trailing ones are left out. */
static void read_block(atx_adopt_space *s, const atx_import_file *file, uint32_t kernel)
{
    const atx_json *json = &file->json;
    static const char *const AXES[] = { "X", "Y", "Z" };
    for (int i = 0; i < 3; i++) {
        atx_str size = { 0 };
        uint32_t node = member(json, kernel, "LocalSize", AXES[i]);
        if (node)
            add_expr(&size, file, node);
        bool blank = strpbrk(atx_str_text(&size), " /") != NULL;
        if (size.len && (i == 0 || strcmp(size.data, "1") != 0))
            atx_str_addf(&s->block, blank ? "%s(%s)" : "%s%s", s->block.len ? " " : "", size.data);
        bool end = !size.len;
        atx_str_clear(&size);
        if (end)
            return;
    }
}

/* The product of what the problem's size is divided by; without that the block's. */
static void read_divisor(atx_str *out, const atx_import_file *file, uint32_t kernel, const char *name,
                         const char *axis)
{
    const atx_json *json = &file->json;
    uint32_t list = member(json, kernel, name, NULL);
    bool array = list && json->nodes[list].kind == ATX_JSON_ARRAY;
    uint32_t at = !list ? member(json, kernel, "LocalSize", axis) : array ? atx_json_first(json, list) : list;
    for (; at; at = array ? atx_json_next(json, at) : 0) {
        atx_str one = { 0 };
        add_expr(&one, file, at);
        if (one.len)
            atx_str_addf(out, strpbrk(one.data, " +-*/%") ? "%s(%s)" : "%s%s", out->len ? " * " : "",
                         one.data);
        atx_str_clear(&one);
    }
}

static void read_grid(atx_adopt_space *s, const atx_import_file *file, uint32_t kernel)
{
    static const char *const DIVS[] = { "GridDivX", "GridDivY", "GridDivZ" };
    static const char *const AXES[] = { "X", "Y", "Z" };
    for (int i = 0; i < 3 && i < file->size_count; i++) {
        atx_str by = { 0 };
        uint32_t global = member(&file->json, kernel, "GlobalSize", AXES[i]);
        if (i == 2 && global && atx_json_is(&file->json, global, "1"))
            return;
        read_divisor(&by, file, kernel, DIVS[i], AXES[i]);
        if (i < 2 || by.len)
            atx_str_addf(&s->grid, "%sceil_div(problem_%c, %s)", i ? " " : "", 'x' + i,
                         by.len ? atx_str_text(&by) : "1");
        atx_str_clear(&by);
    }
}

static void read_sizes(atx_adopt_space *s, const atx_import_file *file)
{
    static const char DIMS[] = "xyzuvw"; /* as import names them */
    for (int i = 0; i < file->size_count && i < 6; i++) {
        atx_str_addf(&s->shape, "%sproblem_%c", i ? " " : "", DIMS[i]);
        atx_str_addf(&s->size, "%sproblem_%c", i ? " * " : "", DIMS[i]);
        atx_str_addf(&s->sizes, "%s%" PRId64, i ? "x" : "", file->sizes[i]);
    }
}

static void read_kernel(atx_adopt_space *s, const atx_import_file *file)
{
    const atx_json *json = &file->json;
    uint32_t kernel = atx_json_member(json, 0, "KernelSpecification");
    uint32_t name = member(json, kernel, "KernelFile", NULL);
    atx_str_add(&s->kernel, file->kernel);
    if (name)
        atx_json_add_text(&s->file, json, name);
    read_block(s, file, kernel);
    read_sizes(s, file);
    read_grid(s, file, kernel);
}

static at_status read_lines(atx_adopt_space *s, const char *path, at_error *err)
{
    const atx_import_options options = { .name = "adopted" };
    atx_import import = { 0 };
    at_status status = atx_import_read(&import, &path, 1, &options, err);
    if (status == AT_OK && import.count)
        take_lines(&s->lines, atx_str_text(&import.items[0].declaration));
    atx_import_clear(&import);
    return status;
}

at_status atx_adopt_space_read(atx_adopt_space *out, const char *path, at_error *err)
{
    atx_import_file file = { 0 };
    *out = (atx_adopt_space){ 0 };
    at_status status = atx_import_file_read(&file, path, err);
    if (status != AT_OK)
        return status;
    if (file.kind != ATX_IMPORT_T1)
        status = atx_fail(err, AT_ERR_INPUT, "%s: found results; expected a tuning problem in the T1 format",
                          path);
    if (status == AT_OK)
        read_kernel(out, &file);
    if (status == AT_OK)
        status = read_lines(out, path, err);
    atx_str *const ALL[] = { &out->lines, &out->kernel, &out->file,  &out->shape,
                             &out->size,  &out->grid,   &out->block, &out->sizes };
    for (size_t i = 0; i < sizeof ALL / sizeof *ALL && status == AT_OK; i++)
        status = atx_str_status(ALL[i], err);
    atx_import_file_clear(&file);
    if (status != AT_OK)
        atx_adopt_space_clear(out);
    return status;
}

void atx_adopt_space_clear(atx_adopt_space *s)
{
    atx_str *const ALL[] = { &s->lines, &s->kernel, &s->file,  &s->shape,
                             &s->size,  &s->grid,   &s->block, &s->sizes };
    for (size_t i = 0; i < sizeof ALL / sizeof *ALL; i++)
        atx_str_clear(ALL[i]);
}
