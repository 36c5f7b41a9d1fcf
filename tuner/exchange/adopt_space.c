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
static void take_lines(at__str *out, const char *text)
{
    static const char *const WORDS[] = { "param ", "require ", "let " };
    for (size_t len; *text; text += len + (text[len] == '\n')) {
        len = strcspn(text, "\n");
        for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
            if (strncmp(text, WORDS[i], strlen(WORDS[i])) == 0)
                at__str_addf(out, "%.*s\n", (int)len, text);
    }
}

/* Does it name nothing but parameters? */
static bool is_known(const at__import_file *file, const char *at)
{
    static const char DIGITS[] = "0123456789", SIGNS[] = " +-*/()%";
    while (*(at += strspn(at, SIGNS))) {
        size_t n = strcspn(at, SIGNS);
        if (strspn(at, DIGITS) != n && at__import_find_param(file, at, n) < 0)
            return false;
        at += n;
    }
    return true;
}

/* An expression of numbers, parameters and signs that both languages have; // is /, as nothing is negative.
 */
static void add_expr(at__str *out, const at__import_file *file, uint32_t node)
{
    const at__json *json = &file->json;
    static const char GOOD[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789 +-*/()%";
    at__str text = { 0 };
    at__json_add_text(&text, json, node);
    const char *at = at__str_text(&text);
    bool good = *at && strspn(at, GOOD) == strlen(at) && !strstr(at, "**") && is_known(file, at);
    for (; good && *at; at++)
        if (!(at[0] == '/' && at[1] == '/'))
            at__str_add_bytes(out, at, 1);
    out->failed = out->failed || text.failed;
    at__str_clear(&text);
}

static uint32_t member(const at__json *json, uint32_t object, const char *a, const char *b)
{
    uint32_t node = object ? at__json_member(json, object, a) : 0;
    return node && b ? at__json_member(json, node, b) : node;
}

/* Threads of a block, "block_size_x block_size_y"; trailing ones are left out. */
static void read_block(at__adopt_space *s, const at__import_file *file, uint32_t kernel)
{
    const at__json *json = &file->json;
    static const char *const AXES[] = { "X", "Y", "Z" };
    for (int i = 0; i < 3; i++) {
        at__str size = { 0 };
        uint32_t node = member(json, kernel, "LocalSize", AXES[i]);
        if (node)
            add_expr(&size, file, node);
        bool blank = strpbrk(at__str_text(&size), " /") != NULL;
        if (size.len && (i == 0 || strcmp(size.data, "1") != 0))
            at__str_addf(&s->block, blank ? "%s(%s)" : "%s%s", s->block.len ? " " : "", size.data);
        bool end = !size.len;
        at__str_clear(&size);
        if (end)
            return;
    }
}

/* The product of what the problem's size is divided by; without that the block's. */
static void read_divisor(at__str *out, const at__import_file *file, uint32_t kernel, const char *name,
                         const char *axis)
{
    const at__json *json = &file->json;
    uint32_t list = member(json, kernel, name, NULL);
    bool array = list && json->nodes[list].kind == AT__JSON_ARRAY;
    uint32_t at = !list ? member(json, kernel, "LocalSize", axis) : array ? at__json_first(json, list) : list;
    for (; at; at = array ? at__json_next(json, at) : 0) {
        at__str one = { 0 };
        add_expr(&one, file, at);
        if (one.len)
            at__str_addf(out, strpbrk(one.data, " +-*/%") ? "%s(%s)" : "%s%s", out->len ? " * " : "",
                         one.data);
        at__str_clear(&one);
    }
}

static void read_grid(at__adopt_space *s, const at__import_file *file, uint32_t kernel)
{
    static const char *const DIVS[] = { "GridDivX", "GridDivY", "GridDivZ" };
    static const char *const AXES[] = { "X", "Y", "Z" };
    for (int i = 0; i < 3 && i < file->size_count; i++) {
        at__str by = { 0 };
        uint32_t global = member(&file->json, kernel, "GlobalSize", AXES[i]);
        if (i == 2 && global && at__json_is(&file->json, global, "1"))
            return;
        read_divisor(&by, file, kernel, DIVS[i], AXES[i]);
        if (i < 2 || by.len)
            at__str_addf(&s->grid, "%sceil_div(problem_%c, %s)", i ? " " : "", 'x' + i,
                         by.len ? at__str_text(&by) : "1");
        at__str_clear(&by);
    }
}

static void read_sizes(at__adopt_space *s, const at__import_file *file)
{
    static const char DIMS[] = "xyzuvw"; /* as import names them */
    for (int i = 0; i < file->size_count && i < 6; i++) {
        at__str_addf(&s->shape, "%sproblem_%c", i ? " " : "", DIMS[i]);
        at__str_addf(&s->size, "%sproblem_%c", i ? " * " : "", DIMS[i]);
        at__str_addf(&s->sizes, "%s%" PRId64, i ? "x" : "", file->sizes[i]);
    }
}

static void read_kernel(at__adopt_space *s, const at__import_file *file)
{
    const at__json *json = &file->json;
    uint32_t kernel = at__json_member(json, 0, "KernelSpecification");
    uint32_t name = member(json, kernel, "KernelFile", NULL);
    at__str_add(&s->kernel, file->kernel);
    if (name)
        at__json_add_text(&s->file, json, name);
    read_block(s, file, kernel);
    read_sizes(s, file);
    read_grid(s, file, kernel);
}

static at_status read_lines(at__adopt_space *s, const char *path, at_error *err)
{
    const at__import_options options = { .name = "adopted" };
    at__import import = { 0 };
    at_status status = at__import_read(&import, &path, 1, &options, err);
    if (status == AT_OK && import.count)
        take_lines(&s->lines, at__str_text(&import.items[0].declaration));
    at__import_clear(&import);
    return status;
}

at_status at__adopt_space_read(at__adopt_space *out, const char *path, at_error *err)
{
    at__import_file file = { 0 };
    *out = (at__adopt_space){ 0 };
    at_status status = at__import_file_read(&file, path, err);
    if (status != AT_OK)
        return status;
    if (file.kind != AT__IMPORT_T1)
        status =
            at_fail(err, AT_ERR_INPUT, "%s: found results; expected a tuning problem in the T1 format", path);
    if (status == AT_OK)
        read_kernel(out, &file);
    if (status == AT_OK)
        status = read_lines(out, path, err);
    at__str *const ALL[] = { &out->lines, &out->kernel, &out->file,  &out->shape,
                             &out->size,  &out->grid,   &out->block, &out->sizes };
    for (size_t i = 0; i < sizeof ALL / sizeof *ALL && status == AT_OK; i++)
        status = at__str_status(ALL[i], err);
    at__import_file_clear(&file);
    if (status != AT_OK)
        at__adopt_space_clear(out);
    return status;
}

void at__adopt_space_clear(at__adopt_space *s)
{
    at__str *const ALL[] = { &s->lines, &s->kernel, &s->file,  &s->shape,
                             &s->size,  &s->grid,   &s->block, &s->sizes };
    for (size_t i = 0; i < sizeof ALL / sizeof *ALL; i++)
        at__str_clear(ALL[i]);
}
