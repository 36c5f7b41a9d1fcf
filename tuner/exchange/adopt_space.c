/*
 * adopt_space.c - parameters and conditions are those that `autotune import` reads and tries; here only the
 * lines of its template are taken over. Launch sizes are taken where they are expressions that C and Python
 * share.
 */
#include "exchange/adopt_space_internal.h"

#include "declare/option.h"
#include "exchange/import.h"
#include "lang/problem.h"

#include <stdlib.h>
#include <string.h>

static const char *const AXES[] = { "X", "Y", "Z" };

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

/* ---- the launch ---- */

/* As a factor, or among blanks. */
static void add_tight(atx_str *out, const char *expr, const char *loose)
{
    atx_str_addf(out, strpbrk(expr, loose) ? "(%s)" : "%s", expr);
}

/* Threads of a block, "block_size_x block_size_y"; trailing ones are left out. */
static void read_block(atx_adopt_space *s, const atx_import_file *file, uint32_t kernel)
{
    const uint32_t local = atx_space_member(&file->json, kernel, "LocalSize");
    atx_str pending = { 0 }; /* "1" may be followed by more */
    for (int i = 0; i < 3; i++) {
        atx_str size = { 0 };
        const uint32_t node = atx_space_member(&file->json, local, AXES[i]);
        if (node)
            atx_space_expr(&size, file, node, false);
        if (size.len) {
            atx_str_add(&pending, i ? " " : "");
            add_tight(&pending, size.data, " /");
        }
        if (size.len && (i == 0 || strcmp(size.data, "1") != 0)) {
            atx_str_add(&s->block, atx_str_text(&pending));
            atx_str_reset(&pending);
        }
        const bool end = !size.len;
        atx_str_clear(&size);
        if (end)
            break;
    }
    atx_str_clear(&pending);
}

/* The product of what the problem's size is divided by; without that the block's. */
static void read_divisor(atx_str *out, const atx_import_file *file, uint32_t list, uint32_t local)
{
    const atx_json *json = &file->json;
    const bool array = list && json->nodes[list].kind == ATX_JSON_ARRAY;
    uint32_t at = !list ? local : array ? atx_json_first(json, list) : list;
    for (; at; at = array ? atx_json_next(json, at) : 0) {
        atx_str one = { 0 };
        atx_space_expr(&one, file, at, false);
        if (one.len) {
            atx_str_add(out, out->len ? " * " : "");
            add_tight(out, one.data, " +-*/%");
        }
        atx_str_clear(&one);
    }
}

/* What Kernel Tuner makes of ProblemSize and GridDivX, or of the block where that is missing. */
static bool read_divided(atx_str *out, const atx_import_file *file, uint32_t kernel, int axis)
{
    static const char *const DIVS[] = { "GridDivX", "GridDivY", "GridDivZ" };
    const atx_json *json = &file->json;
    const uint32_t local = atx_space_member(json, kernel, "LocalSize");
    const uint32_t list = atx_space_member(json, kernel, DIVS[axis]);
    atx_str by = { 0 };
    if (axis >= file->size_count || (axis == 2 && !list))
        return false;
    read_divisor(&by, file, list, atx_space_member(json, local, AXES[axis]));
    if (by.len)
        atx_str_addf(out, "ceil_div(%s, %s)", atx_adopt_space_dim(axis), by.data);
    else
        atx_str_add(out, atx_adopt_space_dim(axis));
    out->failed = out->failed || by.failed;
    atx_str_clear(&by);
    return true;
}

/* GlobalSize in blocks, or as OpenCL has it in threads. */
static bool read_global(atx_str *out, const atx_import_file *file, uint32_t kernel, int axis)
{
    const atx_json *json = &file->json;
    const uint32_t type = atx_space_member(json, kernel, "GlobalSizeType");
    const uint32_t language = atx_space_member(json, kernel, "Language");
    const bool threads = atx_json_is(json, type ? type : language, "OpenCL");
    const uint32_t node = atx_space_member(json, atx_space_member(json, kernel, "GlobalSize"), AXES[axis]);
    const uint32_t local = atx_space_member(json, atx_space_member(json, kernel, "LocalSize"), AXES[axis]);
    atx_str size = { 0 }, by = { 0 };
    if (node)
        atx_space_expr(&size, file, node, false);
    if (threads && local)
        atx_space_expr(&by, file, local, false);
    if (size.len && by.len && strcmp(by.data, "1") != 0)
        atx_str_addf(out, "ceil_div(%s, %s)", size.data, by.data);
    else
        atx_str_add(out, atx_str_text(&size));
    const bool found = size.len > 0;
    atx_str_clear(&size);
    atx_str_clear(&by);
    return found;
}

/* Where one comma is, all must be: of sizes with blanks in them. Trailing ones are left out. */
static void read_grid(atx_adopt_space *s, const atx_import_file *file, uint32_t kernel)
{
    const atx_json *json = &file->json;
    const bool divided = file->size_count && (atx_space_member(json, kernel, "GridDivX") ||
                                              atx_space_member(json, kernel, "GridDivY") ||
                                              !atx_space_member(json, kernel, "GlobalSize"));
    size_t end = 0;
    for (int i = 0; i < 3; i++) {
        atx_str size = { 0 };
        const bool found =
            divided ? read_divided(&size, file, kernel, i) : read_global(&size, file, kernel, i);
        if (found)
            atx_str_addf(&s->grid, "%s%s", i ? ", " : "", atx_str_text(&size));
        if (found && strcmp(size.data, "1") != 0)
            end = s->grid.len;
        end = i ? end : s->grid.len;
        atx_str_clear(&size);
        if (!found)
            break;
    }
    if (s->grid.data)
        s->grid.data[s->grid.len = end] = '\0';
}

/* ---- the compiler's options ---- */

static void add_option(atx_adopt_space *s, const char *word)
{
    if (atx_option_is_known(word))
        atx_str_addf(&s->options, "option    %s\n", word);
    else
        atx_str_addf(&s->options, "# the tuning problem's option %.60s is left out\n", word);
}

static void read_options(atx_adopt_space *s, const atx_import_file *file, uint32_t kernel)
{
    const atx_json *json = &file->json;
    const uint32_t list = atx_space_member(json, kernel, "CompilerOptions");
    const bool array = list && json->nodes[list].kind == ATX_JSON_ARRAY;
    uint32_t at = array ? atx_json_first(json, list) : list;
    for (; at; at = array ? atx_json_next(json, at) : 0) {
        atx_str text = { 0 };
        atx_json_add_text(&text, json, at);
        for (char *word = text.data; word && *(word += strspn(word, " \t\n*/"));) {
            const size_t n = strcspn(word, " \t\n*/");
            const char next = word[n];
            word[n] = '\0';
            add_option(s, word);
            word[n] = next;
            word += n;
        }
        s->options.failed = s->options.failed || text.failed;
        atx_str_clear(&text);
    }
}

/* ---- its defaults ---- */

/* The place of a parameter's Default among its values; 0: it has none, or another one. */
static size_t default_place(const atx_import_file *file, uint32_t node, const atx_import_param *p)
{
    atx_import_value value;
    at_error ignored;
    uint32_t given = atx_space_member(&file->json, node, "Default");
    if (given && file->json.nodes[given].kind == ATX_JSON_ARRAY) /* as some files have it */
        given = atx_json_first(&file->json, given);
    if (!given || atx_import_value_of(&value, &file->json, given, &ignored) != AT_OK)
        return 0;
    const int place = atx_import_find_value(p, &value);
    free(value.word);
    return place < 0 ? 0 : (size_t)place;
}

typedef struct nearest {
    const atx_imported *item;
    int64_t slots[ATX_MAX_SLOTS];
    atx_config config;
    int tries; /* that are left */
} nearest;

static bool is_valid(nearest *n)
{
    n->tries--;
    return atx_config_validate(n->slots, n->item->t, &n->config, NULL) == AT_OK;
}

/* Whether `changes` parameters from `first` on can be changed so that the configuration is valid. */
static bool change(nearest *n, int first, int changes)
{
    const atx_template *t = n->item->t;
    if (!changes)
        return is_valid(n);
    for (int p = first; p < t->scope.param_count && n->tries > 0; p++) {
        const int64_t before = n->config.values[p];
        for (int v = 0; v < t->scope.params[p].count; v++) {
            n->config.values[p] = t->scope.params[p].values[v];
            if (n->config.values[p] != before && change(n, p + 1, changes - 1))
                return true;
        }
        n->config.values[p] = before;
    }
    return false;
}

/* Published defaults break their own conditions at times. */
static void find_defaults(atx_adopt_space *s, const atx_import_file *file, const atx_imported *item)
{
    enum { MOST_CHANGES = 4, MOST_TRIES = 300000 };
    static const atx_limits NO_DEVICE = { 0 };
    nearest n = { .item = item, .tries = MOST_TRIES };
    const uint32_t space = atx_json_member(&file->json, 0, "ConfigurationSpace");
    uint32_t at = atx_json_first(&file->json, atx_json_member(&file->json, space, "TuningParameters"));
    at_error ignored;
    if (atx_problem_bind(n.slots, &item->problem, &NO_DEVICE, &ignored) != AT_OK)
        return;
    for (int p = 0; p < item->t->scope.param_count && at; p++, at = atx_json_next(&file->json, at))
        n.config.values[p] = item->t->scope.params[p].values[default_place(file, at, &file->params[p])];
    for (int changes = 0; changes <= MOST_CHANGES && n.tries > 0; changes++)
        if (change(&n, 0, changes)) {
            atx_config_text(&s->defaults, item->t, &n.config);
            return;
        }
}

/* "A=1 B=2" as the compiler reads it. */
static void make_defines(atx_adopt_space *s)
{
    const char *at = atx_str_text(&s->defaults);
    while (*(at += strspn(at, " "))) {
        const size_t name = strcspn(at, "="), all = strcspn(at, " ");
        atx_str_addf(&s->defines, "#define %.*s %.*s\n", (int)name, at, (int)(all - name - 1), at + name + 1);
        at += all;
    }
    atx_str_add(&s->defines, "#define kernel_tuner 1\n");
}

/* ---- all of it ---- */

static at_status read_kernel(atx_adopt_space *s, const atx_import_file *file, at_error *err)
{
    const atx_json *json = &file->json;
    const uint32_t kernel = atx_json_member(json, 0, "KernelSpecification");
    const uint32_t name = atx_space_member(json, kernel, "KernelFile");
    const uint32_t shared = atx_space_member(json, kernel, "SharedMemory");
    const uint32_t title = atx_space_member(json, atx_json_member(json, 0, "General"), "BenchmarkName");
    atx_str_add(&s->kernel, file->kernel);
    if (name)
        atx_json_add_text(&s->file, json, name);
    if (title)
        atx_json_add_text(&s->title, json, title);
    if (shared)
        atx_space_expr(&s->shared, file, shared, false);
    s->size_count = file->size_count;
    memcpy(s->sizes, file->sizes, sizeof s->sizes);
    read_block(s, file, kernel);
    read_grid(s, file, kernel);
    read_options(s, file, kernel);
    return atx_space_read_args(s, file, kernel, err);
}

static at_status read_lines(atx_adopt_space *s, const atx_import_file *file, at_error *err)
{
    const atx_import_options options = { .name = "adopted" };
    atx_import import = { 0 };
    at_status status = atx_import_read(&import, &file->path, 1, &options, err);
    if (status == AT_OK && import.count) {
        take_lines(&s->lines, atx_str_text(&import.items[0].declaration));
        find_defaults(s, file, &import.items[0]);
        make_defines(s);
    }
    atx_import_clear(&import);
    return status;
}

enum { TEXTS = 10 };

static void list_texts(atx_str *out[TEXTS], atx_adopt_space *s)
{
    atx_str *const ALL[TEXTS] = { &s->lines,  &s->kernel, &s->file,  &s->title,    &s->options,
                                  &s->shared, &s->grid,   &s->block, &s->defaults, &s->defines };
    memcpy(out, ALL, sizeof ALL);
}

at_status atx_adopt_space_read(atx_adopt_space *out, const char *path, at_error *err)
{
    atx_import_file file = { 0 };
    atx_str *all[TEXTS];
    *out = (atx_adopt_space){ 0 };
    at_status status = atx_import_file_read(&file, path, err);
    if (status != AT_OK)
        return status;
    if (!file.format->declares)
        status = atx_fail(err, AT_ERR_INPUT, "%s: found results; expected a tuning problem in the T1 format",
                          path);
    if (status == AT_OK)
        status = read_kernel(out, &file, err);
    if (status == AT_OK)
        status = read_lines(out, &file, err);
    list_texts(all, out);
    for (size_t i = 0; i < TEXTS && status == AT_OK; i++)
        status = atx_str_status(all[i], err);
    atx_import_file_clear(&file);
    if (status != AT_OK)
        atx_adopt_space_clear(out);
    return status;
}

void atx_adopt_space_clear(atx_adopt_space *s)
{
    atx_str *all[TEXTS];
    list_texts(all, s);
    for (size_t i = 0; i < TEXTS; i++)
        atx_str_clear(all[i]);
}
