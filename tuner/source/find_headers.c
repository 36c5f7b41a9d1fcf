/* find_headers.c - files are read once each, breadth first; a header that cannot be read counts as found. */
#include "source/find_headers.h"

#include "source/declarator.h"
#include "source/device_headers.h"
#include "source/directives.h"
#include "source/host_launch.h"
#include "source/paths.h"
#include "util/regular.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_LEVELS = 8, MAX_FILES = 1000, MAX_BYTES = 4 << 20, MAX_NAME = 512 };

typedef struct finder {
    atx_found_headers *out;
    const char *path; /* of the first file */
    const atx_headers *headers;
    char **files; /* that are read, or will be, without ".." */
    size_t count, cap;
    bool failed; /* out of memory */
} finder;

static bool is_kind(const char *path, mode_t kind)
{
    struct stat info;
    return stat(path, &info) == 0 && (info.st_mode & S_IFMT) == kind;
}

/* A file to be read, if it is new. */
static void add_file(finder *f, const char *path)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->files[i], path) == 0)
            return;
    if (f->count == MAX_FILES)
        return;
    char *copy = atx_text_copy(path, strlen(path));
    f->failed = f->failed || !copy || !atx_grow(&f->files, &f->cap, f->count, sizeof *f->files);
    if (f->failed)
        free(copy);
    else
        f->files[f->count++] = copy;
}

/* Is there such a file in a folder, which is relative to the first file's? */
static bool try_folder(finder *f, const char *folder, const char *name)
{
    ATX_LOCAL(atx_str) inside = { 0 }, path = { 0 };
    atx_str_addf(&inside, "%s/%s", folder, name);
    atx_beside(&path, f->path, atx_str_text(&inside));
    f->failed = f->failed || inside.failed || path.failed;
    const bool found = !f->failed && is_kind(atx_str_text(&path), S_IFREG);
    if (found)
        add_file(f, atx_str_text(&path));
    return found;
}

static void add_folder(finder *f, const char *folder)
{
    atx_found_headers *out = f->out;
    char *copy = atx_text_copy(folder, strlen(folder));
    f->failed = f->failed || !copy;
    if (copy)
        out->folders[out->count++] = copy;
}

/* A folder above the first file's, as "../..". false: there is none that counts. */
static bool find_level(finder *f, atx_str *level, int n)
{
    ATX_LOCAL(atx_str) path = { 0 };
    atx_str_reset(level);
    for (int i = 0; i < n; i++)
        atx_str_add(level, i ? "/.." : "..");
    if (n == 0)
        atx_str_add(level, ".");
    bool counts = true;
    for (int i = 0; i < n && counts; i++) { /* behind the root of a repository there is nothing */
        atx_str_reset(&path);
        atx_str_add(&path, ".");
        for (int k = 0; k < i; k++)
            atx_str_add(&path, "/..");
        atx_str_add(&path, "/.git");
        ATX_LOCAL(atx_str) whole = { 0 };
        atx_beside(&whole, f->path, atx_str_text(&path));
        struct stat info;
        counts = !whole.failed && stat(atx_str_text(&whole), &info) != 0;
    }
    f->failed = f->failed || level->failed || path.failed;
    return counts && !f->failed;
}

static bool find_above(finder *f, const char *name)
{
    static const char *const INSIDE[] = { "", "/include", "/includes", "/inc", "/src", "/common", "/Common" };
    ATX_LOCAL(atx_str) level = { 0 }, folder = { 0 };
    bool found = false;
    for (int n = 0; n <= MAX_LEVELS && !found && find_level(f, &level, n); n++)
        for (size_t i = 0; i < sizeof INSIDE / sizeof *INSIDE && !found; i++) {
            if (f->out->count == ATX_MAX_FOUND_FOLDERS)
                break;
            atx_str_reset(&folder);
            atx_str_addf(&folder, "%s%s", n || !*INSIDE[i] ? atx_str_text(&level) : INSIDE[i] + 1,
                         n ? INSIDE[i] : "");
            found = try_folder(f, atx_str_text(&folder), name);
            if (found)
                add_folder(f, atx_str_text(&folder));
        }
    f->failed = f->failed || folder.failed;
    return found;
}

static bool find_beside(finder *f, const char *includer, const char *name)
{
    ATX_LOCAL(atx_str) path = { 0 };
    atx_beside(&path, includer, name);
    f->failed = f->failed || path.failed;
    const bool found = !f->failed && is_kind(atx_str_text(&path), S_IFREG);
    if (found)
        add_file(f, atx_str_text(&path));
    return found;
}

static void note_missing(finder *f, const char *name, bool quoted)
{
    ATX_LOCAL(atx_str) line = { 0 };
    atx_str *missing = &f->out->missing;
    atx_str_addf(&line, quoted ? "\"%s\"\n" : "<%s>\n", name);
    if (!strstr(atx_str_text(missing), atx_str_text(&line)))
        atx_str_add(missing, atx_str_text(&line));
    f->failed = f->failed || line.failed || missing->failed;
}

static void find_one(finder *f, const char *includer, const atx_directive *d)
{
    char name[MAX_NAME];
    const char *words;
    if (!d->name || d->len == 0 || d->len >= sizeof name || d->name[0] == '/')
        return;
    memcpy(name, d->name, d->len);
    name[d->len] = '\0';
    if (d->quoted && find_beside(f, includer, name))
        return;
    if (atx_header_class_of(&words, name, d->len, true) != ATX_HEADER_UNKNOWN ||
        atx_headers_offer(f->headers, name))
        return;
    for (int i = 0; i < f->out->count; i++)
        if (try_folder(f, f->out->folders[i], name))
            return;
    if (!f->failed && !find_above(f, name) && !f->failed)
        note_missing(f, name, d->quoted);
}

static at_status read_file(finder *f, size_t file, at_error *err)
{
    ATX_LOCAL(atx_str) text = { 0 };
    const char *path = f->files[file];
    at_status status = atx_regular_read(&text, path, MAX_BYTES, err);
    atx_lexer lexer = { .text = atx_str_text(&text),
                        .len = text.len,
                        .options = { .lines = true, .active = true } };
    for (atx_token t; status == AT_OK && !f->failed && atx_lexer_next(&t, &lexer);) {
        if (t.kind != ATX_TOKEN_DIRECTIVE)
            continue;
        atx_lexer inside = atx_lexer_inside(lexer.text, &t);
        for (atx_directive d; atx_directive_next(&d, &inside);)
            find_one(f, path, &d);
    }
    return status;
}

at_status atx_find_headers(atx_found_headers *out, const char *path, const atx_headers *headers,
                           at_error *err)
{
    finder f = { .out = out, .path = path, .headers = headers };
    *out = (atx_found_headers){ .count = 0 };
    add_file(&f, path);
    at_status status = f.failed ? AT_OK : read_file(&f, 0, err);
    for (size_t i = 1; i < f.count && status == AT_OK && !f.failed; i++)
        if (read_file(&f, i, NULL) == AT_ERR_MEMORY)
            f.failed = true;
    for (size_t i = 0; i < f.count; i++)
        free(f.files[i]);
    free(f.files);
    return f.failed ? atx_no_memory(err) : status;
}

void atx_found_headers_clear(atx_found_headers *found)
{
    for (int i = 0; i < found->count; i++)
        free(found->folders[i]);
    atx_str_clear(&found->missing);
    *found = (atx_found_headers){ .count = 0 };
}

/* ---- the other way ---- */

/* What is looked for among the files of a folder. */
typedef struct wanted {
    bool (*test)(const char *candidate, const struct wanted *w);
    int (*filter)(const struct dirent *entry);
    const char *path, *kernel;
    int params; /* of the kernel; -1: not known */
    int least;  /* of these without a default */
} wanted;

static bool includes(const char *includer, const wanted *w)
{
    const char *path = w->path;
    ATX_LOCAL(atx_str) text = { 0 };
    struct stat own, found;
    bool is = false;
    if (atx_regular_read(&text, includer, MAX_BYTES, NULL) != AT_OK || stat(path, &own) != 0) {
        return false;
    }
    atx_lexer lexer = { .text = atx_str_text(&text),
                        .len = text.len,
                        .options = { .lines = true, .active = true } };
    for (atx_token t; !is && atx_lexer_next(&t, &lexer);) {
        atx_directive d;
        atx_lexer inside = atx_lexer_inside(lexer.text, &t);
        if (t.kind != ATX_TOKEN_DIRECTIVE || !atx_directive_next(&d, &inside) || !d.name || !d.quoted)
            continue;
        ATX_LOCAL(atx_str) name = { 0 }, file = { 0 };
        atx_str_add_bytes(&name, d.name, d.len);
        atx_beside(&file, includer, atx_str_text(&name));
        is = !file.failed && stat(atx_str_text(&file), &found) == 0 && found.st_dev == own.st_dev &&
             found.st_ino == own.st_ino;
    }
    return is;
}

/* How many parameters the kernel has, and how many of them without a default; -1: the file has several of
 * that name, or none. */
static int count_params(int *least, const char *path, const char *kernel)
{
    ATX_LOCAL(atx_str) text = { 0 };
    ATX_LOCAL(atx_tokens) t = { 0 };
    atx_kernel_text k;
    int count = -1, found = 0;
    if (atx_regular_read(&text, path, MAX_BYTES, NULL) != AT_OK || !atx_code_read(&t, atx_str_text(&text)))
        return -1;
    for (size_t at = 0; atx_code_kernel(&k, &t, &at);) {
        if (!atx_tokens_is(&t, k.name, kernel))
            continue;
        const size_t end = atx_tokens_match(&t, k.open);
        count = *least = 0;
        for (size_t i = k.open + 1, comma; i < end; i = comma + 1, count++) {
            comma = atx_code_comma(&t, i, end);
            *least += atx_tokens_find(&t, i, comma, "=") == comma;
        }
        found++;
    }
    return found == 1 ? count : -1;
}

/* A launch of the kernel, which another one of that name is not meant by. */
static bool launches(const char *candidate, const wanted *w)
{
    ATX_LOCAL(atx_str) text = { 0 };
    ATX_LOCAL(atx_tokens) t = { 0 };
    atx_host_launch launch;
    atx_kernel_text k;
    size_t at = 0;
    bool is = atx_regular_read(&text, candidate, MAX_BYTES, NULL) == AT_OK &&
              strstr(atx_str_text(&text), w->kernel) && atx_code_read(&t, atx_str_text(&text));
    while (is && (is = atx_host_launch_next(&launch, &t, w->kernel, &at)) && w->params >= 0 &&
           launch.arg_count >= 0 && (launch.arg_count < w->least || launch.arg_count > w->params))
        ;
    for (at = 0; is && atx_code_kernel(&k, &t, &at);)
        is = !atx_tokens_is(&t, k.name, w->kernel) ||
             !atx_tokens_is(&t, atx_tokens_match(&t, k.open) + 1, "{");
    return is;
}

static bool ends_in(const char *name, const char *ending)
{
    const size_t len = strlen(name), n = strlen(ending);
    return len > n && strcmp(name + len - n, ending) == 0;
}

static int is_cuda(const struct dirent *entry)
{
    return ends_in(entry->d_name, ".cu");
}

static int is_source(const struct dirent *entry)
{
    static const char *const ENDINGS[] = { ".cu", ".cuh", ".h", ".hpp", ".cpp", ".cc" };
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++)
        if (ends_in(entry->d_name, ENDINGS[i]))
            return 1;
    return 0;
}

enum { MOST_FILES = 200 }; /* of a folder */

/* In one folder: "." or "..", from the file's. */
static void find_in(atx_str *out, const char *folder, const wanted *w)
{
    struct dirent **entries = NULL;
    atx_str whole = { 0 }, candidate = { 0 };
    atx_beside(&whole, w->path, folder);
    const int count =
        whole.failed ? 0 : scandir(whole.len ? whole.data : ".", &entries, w->filter, alphasort);
    for (int i = 0; i < count; i++) {
        atx_str_reset(&candidate);
        const bool slash = whole.len && whole.data[whole.len - 1] != '/';
        atx_str_addf(&candidate, "%s%s%s", atx_str_text(&whole), slash ? "/" : "", entries[i]->d_name);
        if (!out->len && !candidate.failed && i < MOST_FILES && w->test(candidate.data, w))
            atx_str_add(out, candidate.data);
        free(entries[i]);
    }
    free(entries);
    out->failed = out->failed || whole.failed || candidate.failed;
    atx_str_clear(&whole);
    atx_str_clear(&candidate);
}

/* How many folders above the file's is the root of a repository; -1: it is in none. */
static int root_above(const char *path)
{
    ATX_LOCAL(atx_str) git = { 0 }, whole = { 0 };
    struct stat info;
    for (int n = 0; n <= MAX_LEVELS; n++) {
        atx_str_reset(&git);
        atx_str_reset(&whole);
        for (int i = 0; i < n; i++)
            atx_str_add(&git, "../");
        atx_str_add(&git, ".git");
        atx_beside(&whole, path, atx_str_text(&git));
        if (!git.failed && !whole.failed && stat(atx_str_text(&whole), &info) == 0)
            return n;
    }
    return -1;
}

/* Whether a path leads to a folder below the working directory: src/a.cu, and not ./a.cu or src/../a.cu. */
static bool is_below(const char *path)
{
    int level = 0;
    bool inside = path[0] != '/';
    for (const char *slash; inside && (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        const size_t len = (size_t)(slash - path);
        const bool up = len == 2 && strncmp(path, "..", 2) == 0, same = !len || (len == 1 && *path == '.');
        level += up ? -1 : !same;
        inside = level >= 0;
    }
    return inside && level > 0;
}

/* Whether the folder above the file's is of its project: of its repository; without one, of the working
 * directory. */
static bool has_above(const char *path)
{
    const int root = root_above(path);
    return root > 0 || (root < 0 && is_below(path));
}

at_status atx_find_includer(atx_str *out, const char *path, at_error *err)
{
    const wanted w = { includes, is_cuda, path, NULL, -1, 0 };
    atx_str_reset(out);
    find_in(out, ".", &w);
    if (!out->len && has_above(path))
        find_in(out, "..", &w);
    return atx_str_status(out, err);
}

at_status atx_find_launcher(atx_str *out, const char *path, const char *kernel, at_error *err)
{
    int least = 0;
    const int params = count_params(&least, path, kernel);
    const wanted w = { launches, is_source, path, kernel, params, least };
    atx_str_reset(out);
    find_in(out, ".", &w);
    if (!out->len && has_above(path)) /* kernels/add.cu of main.cu */
        find_in(out, "..", &w);
    return atx_str_status(out, err);
}
