/* cmd_adopt.c - `autotune adopt`: a first draft of an op and a template around a kernel that is there. */
#include "cli/commands.h"
#include "cli/undefined.h"
#include "device/device.h"
#include "exchange/adopt.h"
#include "source/find_headers.h"
#include "source/paths.h"
#include "util/out_file.h"
#include "util/regular.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_BYTES ((size_t)1 << 20)

static const atx_usage USAGE = {
    "autotune adopt [T1.json] [FILE.cu] [--kernel NAME] [-o DIR] [--run SHAPE]",
    "Writes declarations for an existing kernel, DIR/NAME/op.cu and DIR/NAME/adopted.cu; the kernel's file "
    "stays as it is. They come from the kernel's parameters and code, the launches in the file, macros and "
    "constants that size tiles and blocks, arguments of its template, names that NVRTC finds undefined, and "
    "a tuning problem in the T1 format if there is one (it names the file, unless FILE.cu is given). The "
    "reference is the kernel itself as its author configured it. Lines that end in a comment `# ? ...` are "
    "guesses and questions that only the author can answer; `autotune check` lists those that are left. No "
    "file is overwritten. Kernels that one function launches one after the other, and of which one reads "
    "what another writes, are one template unless --kernel names one. Of several kernels of one name "
    "--kernel takes 'NAME(float *, int)' or NAME#2, the second one. Exit code with --run: that of `check`, "
    "then of `run`.",
};

typedef struct adopt_args {
    const char *kernel, *dir;
    atx_words words;
    atx_folder_words folders;
    const char *run;        /* a shape; NULL: only the draft */
    atx_str *allow;         /* " --allow DIR", where other commands need it to read the file */
    atx_str *allow_folders; /* those, with ':' between them, and the folders that the user allows */
} adopt_args;

/* `file` as seen from the folder `from`: both exist. */
static at_status relative(atx_str *out, const char *from, const char *file, at_error *err)
{
    ATX_FREED char *a = realpath(from, NULL), *b = realpath(file, NULL);
    size_t same = 0;
    if (!a || !b) {
        at_status status = atx_fail(err, AT_ERR_INPUT, "%s: %s", a ? file : from, strerror(errno));
        return status;
    }
    for (size_t i = 0; a[i] == b[i] || (!a[i] && b[i] == '/'); i++) {
        if (!a[i] || a[i] == '/')
            same = i + (b[i] == '/');
        if (!a[i])
            break;
    }
    for (const char *at = strlen(a) > same ? a + same : ""; *at; at += *at == '/') {
        atx_str_add(out, "../");
        at += strcspn(at, "/");
    }
    atx_str_add(out, b + same);
    return atx_str_status(out, err);
}

/* And the folders above it. */
static at_status make_folder(const char *path, at_error *err)
{
    ATX_LOCAL(atx_str) part = { 0 };
    for (size_t end = 0; path[end];) {
        end += strspn(path + end, "/");
        end += strcspn(path + end, "/");
        atx_str_reset(&part);
        atx_str_add_bytes(&part, path, end);
        ATX_TRY(atx_str_status(&part, err));
        if (mkdir(part.data, 0777) != 0 && errno != EEXIST)
            return atx_fail(err, AT_ERR_SYSTEM, "%s: %s", part.data, strerror(errno));
    }
    return AT_OK;
}

/* Both files or none: half a draft would be in the way of the next try. */
static at_status write_draft(const char *folder, const atx_adopted *draft, at_error *err)
{
    ATX_LOCAL(atx_str) op = { 0 }, t = { 0 };
    atx_str_addf(&op, "%s/op.cu", folder);
    atx_str_addf(&t, "%s/adopted.cu", folder);
    at_status status = op.failed ? atx_str_status(&op, err) : atx_str_status(&t, err);
    ATX_THEN(status, atx_out_write_new(op.data, draft->op.data, draft->op.len, err));
    if (status == AT_OK && (status = atx_out_write_new(t.data, draft->t.data, draft->t.len, err)) != AT_OK)
        unlink(op.data);
    if (status == AT_OK)
        atx_print(stdout, "%s\n%s\n", op.data, t.data);
    return status;
}

/* May templates of this folder name that file? */
static at_status check_allowed(const char *folder, const char *allow, const char *path, at_error *err)
{
    ATX_CLOSED(atx_headers) *headers = NULL;
    ATX_CLOSED(atx_allowed) *allowed = NULL;
    ATX_TRY(atx_headers_open(&headers, getenv(ATX_HEADERS_ENV), err));
    ATX_TRY(atx_allowed_open(&allowed, folder, allow, headers, err));
    return atx_allowed_check(allowed, path, err);
}

static void add_folder_of(atx_str *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    atx_str_add_bytes(out, slash ? path : ".", !slash || slash == path ? 1 : (size_t)(slash - path));
}

/* The --allow that other commands need, so that they may read the draft's `source` line. */
static at_status name_allowed(const adopt_args *a, const char *path, at_error *err)
{
    ATX_LOCAL(atx_str) folder = { 0 };
    at_status status = check_allowed(a->dir, NULL, path, err);
    if (status == AT_ERR_INPUT) {
        add_folder_of(&folder, path);
        atx_str_add(a->allow, " --allow ");
        atx_str_add_word(a->allow, atx_str_text(&folder));
        atx_str_addf(a->allow_folders, "%s%s", a->allow_folders->len ? ":" : "", atx_str_text(&folder));
        status = atx_str_status(folder.failed              ? &folder
                                : a->allow_folders->failed ? a->allow_folders
                                                           : a->allow,
                                err);
    }
    return status;
}

/* Another name where a built-in operation has that one; "": it is free. */
static at_status choose_name(char out[64], const char *name, at_error *err)
{
    ATX_CLOSED(atx_catalog) *catalog = NULL;
    at_status status = atx_catalog_open(&catalog, NULL, err);
    if (status == AT_OK && atx_catalog_find_op(catalog, name))
        snprintf(out, 64, "%.50s_adopted", name);
    return status;
}

/* Headers of the project's own, in quotes, that lie nowhere near the file. */
static void print_missing(const atx_found_headers *found)
{
    ATX_LOCAL(atx_str) names = { 0 };
    for (const char *at = atx_str_text(&found->missing), *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        if (*at == '"')
            atx_str_addf(&names, "%s%.*s", names.len ? " " : "", (int)(end - at), at);
    }
    if (!names.len)
        return;
    atx_print(
        stdout,
        "headers that were not found: %s; if the kernel needs them, name their folders with --headers\n",
        atx_str_text(&names));
}

/* ---- a draft ---- */

/* The texts of a kernel's file and of its own headers. */
typedef struct kernel_file {
    const char *path;
    atx_str text;
    atx_gathered all;
    atx_found_headers found;
    atx_paths includes; /* borrows them: folders relative to the file's */
    atx_str allow;      /* those that may be read, as --allow names them */
    atx_undefined undefined;
    atx_str lines[ATX_MAX_FOUND_FOLDERS]; /* the folders as seen from the draft's */
    const char *list[ATX_MAX_FOUND_FOLDERS + 1];
} kernel_file;

static void close_file(kernel_file *f)
{
    for (int i = 0; i < ATX_MAX_FOUND_FOLDERS; i++)
        atx_str_clear(&f->lines[i]);
    atx_gathered_clear(&f->all);
    atx_found_headers_clear(&f->found);
    atx_str_clear(&f->allow);
    atx_str_clear(&f->text);
}

/* Folders above the file's where headers of its own lie. Headers that cannot be found are left out. */
static void find_includes(kernel_file *f)
{
    atx_headers *headers = NULL;
    at_error ignored;
    const char *env = getenv(ATX_ALLOW_ENV);
    atx_str_add(&f->allow, env ? env : "");
    if (atx_headers_open(&headers, getenv(ATX_HEADERS_ENV), &ignored) != AT_OK ||
        atx_find_headers(&f->found, f->path, headers, &ignored) != AT_OK)
        atx_found_headers_clear(&f->found);
    atx_headers_close(headers);
    for (int i = 0; i < f->found.count; i++) {
        ATX_LOCAL(atx_str) folder = { 0 };
        f->includes.items[f->includes.count++] = f->found.folders[i];
        atx_join_path(&folder, f->path, f->found.folders[i]);
        atx_str_addf(&f->allow, "%s%s", f->allow.len ? ":" : "", atx_str_text(&folder));
    }
}

static at_status open_file(kernel_file *f, const char *path, at_error *err)
{
    at_error ignored;
    *f = (kernel_file){ .path = path };
    ATX_TRY(atx_regular_read(&f->text, path, MAX_BYTES, err));
    find_includes(f);
    const atx_undefined_file file = { path, NULL, &f->includes, atx_str_text(&f->allow), NULL };
    if (atx_undefined_gather(&f->all, &file, &ignored) != AT_OK)
        atx_gathered_clear(&f->all);
    return f->allow.failed ? atx_no_memory(err) : AT_OK;
}

/* Once more where the code has names that nothing in the text defines: the compiler says which. */
static at_status draft(kernel_file *f, atx_adopt_input *in, atx_adopted *out, at_error *err)
{
    in->path = f->path;
    in->source = "kernel.cu"; /* until it is known where the draft lies */
    in->text = f->all.count ? atx_str_text(&f->all.text) : atx_str_text(&f->text);
    in->parts = f->all.parts;
    in->part_count = f->all.count;
    at_status status = atx_adopt(out, in, err);
    if (status != AT_OK || !(out->unknown || in->space))
        return status;
    const atx_undefined_file file = { f->path, out->kernel, &f->includes, atx_str_text(&f->allow),
                                      in->space ? atx_str_text(&in->space->defines) : NULL };
    atx_undefined_find(&f->undefined, &file);
    in->undefined = f->undefined.list;
    atx_adopted_clear(out);
    return atx_adopt(out, in, err);
}

/* The folders of headers as the draft's lines shall have them. */
static at_status relate_includes(kernel_file *f, const char *folder, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < f->includes.count && status == AT_OK; i++) {
        ATX_LOCAL(atx_str) path = { 0 };
        atx_join_path(&path, f->path, f->includes.items[i]);
        status = path.failed ? atx_no_memory(err) : relative(&f->lines[i], folder, path.data, err);
        f->list[i] = atx_str_text(&f->lines[i]);
    }
    return status;
}

static at_status allow_all(const adopt_args *a, const kernel_file *f, at_error *err)
{
    at_status status = name_allowed(a, f->path, err);
    for (int i = 0; i < f->includes.count && status == AT_OK; i++) {
        ATX_LOCAL(atx_str) inside = { 0 }; /* a name in that folder, which need not be there */
        atx_join_path(&inside, f->path, f->includes.items[i]);
        atx_str_add(&inside, "/x.h");
        status = inside.failed ? atx_no_memory(err) : name_allowed(a, inside.data, err);
    }
    return status;
}

/* Into its folder, whose name is the kernel's: where the file lies from there is known only now. */
static at_status place(const adopt_args *a, kernel_file *f, atx_adopt_input *in, atx_adopted *out,
                       at_error *err)
{
    ATX_LOCAL(atx_str) folder = { 0 }, source = { 0 };
    at_status status = make_folder(a->dir, err);
    atx_str_addf(&folder, "%s/%s", a->dir, out->name);
    ATX_THEN(status, atx_str_status(&folder, err));
    ATX_THEN(status, make_folder(folder.data, err));
    ATX_THEN(status, relative(&source, folder.data, f->path, err));
    ATX_THEN(status, relate_includes(f, folder.data, err));
    in->source = atx_str_text(&source);
    in->includes = f->list;
    atx_adopted_clear(out);
    ATX_THEN(status, atx_adopt(out, in, err));
    ATX_THEN(status, write_draft(folder.data, out, err));
    ATX_THEN(status, allow_all(a, f, err));
    return status;
}

/* ---- a part of a program ---- */

/* The file that includes it, or that includes such a one, and that no other file includes; "": there is none.
 */
static at_status find_program(atx_str *out, const kernel_file *f, at_error *err)
{
    enum { MOST_LEVELS = 4 };
    ATX_LOCAL(atx_str) next = { 0 };
    at_status status = AT_OK;
    for (int i = 0; i < MOST_LEVELS && status == AT_OK; i++) {
        status = atx_find_includer(&next, out->len ? out->data : f->path, err);
        if (status != AT_OK || !next.len)
            break;
        atx_str_reset(out);
        atx_str_add(out, next.data);
    }
    return status == AT_OK ? atx_str_status(out, err) : status;
}

/* The texts that a draft is made of: the file, and a program that includes it. */
typedef struct kernel_files {
    kernel_file file, program;
    kernel_file *f; /* the one that the draft is of */
    atx_str path;   /* of the program */
    char kernel[sizeof((atx_adopted *)NULL)->kernel];
} kernel_files;

/* The same kernel by the file that includes its one, which has its launch and what its code needs. Where it
 * has neither, or is not understood, all stays as it is. */
static at_status draft_in_program(kernel_files *k, atx_adopt_input *in, atx_adopted *out, at_error *err)
{
    const atx_adopt_input before = *in;
    atx_adopted whole = { 0 };
    at_error ignored;
    at_status status = find_program(&k->path, &k->file, err);
    if (status != AT_OK || !k->path.len)
        return status;
    const char *slash = strrchr(k->file.path, '/');
    memcpy(k->kernel, out->kernel, sizeof k->kernel);
    in->part = slash ? slash + 1 : k->file.path;
    in->kernel = in->kernel ? in->kernel : k->kernel;
    status = open_file(&k->program, k->path.data, &ignored);
    ATX_THEN(status, draft(&k->program, in, &whole, &ignored));
    if (status == AT_OK && (whole.launched || out->unknown)) {
        atx_adopted_clear(out);
        *out = whole;
        k->f = &k->program;
        atx_print(stdout, "%s is a part of %s\n", k->file.path, k->path.data);
        return AT_OK;
    }
    atx_adopted_clear(&whole);
    *in = before;
    return AT_OK;
}

/* The draft of the file with that text behind it; false: it has no launch that is understood. */
static bool draft_behind(kernel_file *f, const char *name, const atx_str *text, atx_adopt_input *in,
                         atx_adopted *out)
{
    atx_adopted whole = { 0 };
    at_error ignored;
    const atx_part part = { .file = (char *)(uintptr_t)name, .line = 1, .len = text->len };
    at_status status = atx_gathered_add(&f->all, &part, atx_str_text(text), &ignored);
    ATX_THEN(status, draft(f, in, &whole, &ignored));
    const bool launched = status == AT_OK && whole.launched;
    if (launched) {
        atx_adopted_clear(out);
        *out = whole;
    } else {
        atx_adopted_clear(&whole);
    }
    return launched;
}

/* The launch may be in another file of the folder, which is read behind the kernel's. */
static at_status draft_with_launcher(kernel_files *k, atx_adopt_input *in, atx_adopted *out, at_error *err)
{
    const atx_adopt_input before = *in;
    const size_t len = k->f->all.text.len;
    atx_str path = { 0 }, text = { 0 };
    at_error ignored;
    at_status status = atx_find_launcher(&path, k->f->path, out->kernel, err);
    if (status == AT_OK && path.len && k->f->all.count &&
        atx_regular_read(&text, path.data, MAX_BYTES, &ignored) == AT_OK) {
        const char *slash = strrchr(path.data, '/');
        memcpy(k->kernel, out->kernel, sizeof k->kernel);
        in->kernel = in->kernel ? in->kernel : k->kernel;
        if (draft_behind(k->f, slash ? slash + 1 : path.data, &text, in, out)) {
            atx_print(stdout, "%s launches it\n", path.data);
        } else { /* as it was */
            *in = before;
            k->f->all.text.len = len;
            k->f->all.text.data[len] = '\0';
            in->text = k->f->all.text.data;
            in->parts = k->f->all.parts;
        }
    }
    atx_str_clear(&path);
    atx_str_clear(&text);
    return status;
}

static void close_files(kernel_files *k)
{
    close_file(&k->file);
    close_file(&k->program);
    atx_str_clear(&k->path);
}

static at_status adopt(const adopt_args *a, const char *path, atx_adopt_input *in, atx_adopted *out,
                       at_error *err)
{
    const atx_adopt_input asked = { .kernel = in->kernel, .space = in->space };
    kernel_files k = { .f = &k.file };
    char name[64] = "";
    at_status status = open_file(&k.file, path, err);
    ATX_THEN(status, draft(&k.file, in, out, err));
    if (status == AT_OK && !in->space)
        status = draft_in_program(&k, in, out, err);
    if (status == AT_OK && !in->space && !out->launched)
        status = draft_with_launcher(&k, in, out, err);
    ATX_THEN(status, choose_name(name, out->name, err));
    if (name[0]) {
        in->name = name;
        atx_adopted_clear(out);
        status = atx_adopt(out, in, err);
    }
    ATX_THEN(status, place(a, k.f, in, out, err));
    if (status == AT_OK && k.f->found.missing.len)
        print_missing(&k.f->found);
    *in = asked; /* nothing of here stays in it */
    close_files(&k);
    return status;
}

/* The file that the tuning problem names, beside it. */
static at_status find_source(atx_str *path, const atx_adopt_space *space, const char *problem, at_error *err)
{
    const char *slash = strrchr(problem, '/');
    ATX_LOCAL(atx_str) folder = { 0 };
    atx_str_add_bytes(path, problem, slash ? (size_t)(slash + 1 - problem) : 0);
    atx_str_add(path, atx_str_text(&space->file));
    add_folder_of(&folder, problem);
    at_status status = atx_str_status(folder.failed ? &folder : path, err);
    if (status == AT_OK && !space->file.len)
        status = atx_fail(err, AT_ERR_USAGE,
                          "%s: found no KernelFile in its KernelSpecification; expected the file as well: "
                          "autotune adopt %s FILE.cu",
                          problem, problem);
    else if (status == AT_OK && access(path->data, R_OK) != 0)
        status = atx_fail(err, AT_ERR_USAGE,
                          "%s: found the kernel file '%s', which cannot be read beside it; expected autotune "
                          "adopt %s FILE.cu",
                          problem, atx_str_text(&space->file), problem);
    ATX_THEN(status, check_allowed(folder.data, getenv(ATX_ALLOW_ENV), path->data, err));
    return status;
}

static at_status adopt_space(const adopt_args *a, const char *problem, const char *file, atx_adopted *out,
                             at_error *err)
{
    atx_adopt_space space;
    atx_str path = { 0 };
    at_status status = atx_adopt_space_read(&space, problem, err);
    if (status != AT_OK)
        return status;
    atx_adopt_input in = { .kernel = a->kernel          ? a->kernel
                                     : space.kernel.len ? space.kernel.data
                                                        : NULL,
                           .space = &space };
    if (!file)
        status = find_source(&path, &space, problem, err);
    ATX_THEN(status, adopt(a, file ? file : path.data, &in, out, err));
    if (status == AT_OK)
        atx_print(stdout, "the problem is %s %s\n", out->name, out->shape);
    atx_str_clear(&path);
    atx_adopt_space_clear(&space);
    return status;
}

static bool is_json(const char *path)
{
    size_t n = strlen(path);
    return (n > 5 && strcmp(path + n - 5, ".json") == 0) || (n > 8 && strcmp(path + n - 8, ".json.gz") == 0);
}

static at_status adopt_words(const adopt_args *a, atx_adopted *out, at_error *err)
{
    const char *first = a->words.count ? a->words.items[0] : "";
    const char *second = a->words.count > 1 ? a->words.items[1] : NULL;
    atx_adopt_input in = { .kernel = a->kernel };
    if (a->words.count > 2 || !first[0] || (second && is_json(first) == is_json(second)))
        return atx_fail(err, AT_ERR_USAGE,
                        "found %s; expected the .cu file of a kernel, or a tuning problem (T1.json), or both",
                        !first[0]            ? "no file"
                        : a->words.count > 2 ? "more than two files"
                        : is_json(first)     ? "two tuning problems"
                                             : "two files of kernels");
    if (is_json(first))
        return adopt_space(a, first, second, out, err);
    return second ? adopt_space(a, second, first, out, err) : adopt(a, first, &in, out, err);
}

/* ---- and then ---- */

/* The draft compiled for the shape; with a GPU verified and timed, in its author's configuration. */
static int run_draft(const adopt_args *a, const atx_adopted *out)
{
    char *check[] = { "check",   (char *)(uintptr_t)out->name, "--templates", (char *)(uintptr_t)a->dir,
                      "--shape", (char *)(uintptr_t)a->run,    "--sample",    "4",
                      NULL };
    char *run[] = { "run",         (char *)(uintptr_t)out->name, (char *)(uintptr_t)a->run,
                    "--templates", (char *)(uintptr_t)a->dir,    NULL };
    atx_cancel cancel = { .flag = &atx_cancel_requested };
    at_error err = { 0 };
    int count = 0;
    if (a->allow_folders->len && setenv(ATX_ALLOW_ENV, a->allow_folders->data, 1) != 0)
        return ATX_EXIT_SYSTEM;
    const int code = atx_cmd_check(8, check);
    if (code != ATX_EXIT_OK)
        return code;
    if (atx_device_count(&count, &cancel, &err) != AT_OK || !count) {
        atx_print(stdout,
                  "it compiles; there is no GPU here, so it was not verified and timed. Where there is one:\n"
                  "  autotune run %s %s --templates %s%s\n",
                  out->name, a->run, a->dir, atx_str_text(a->allow));
        return ATX_EXIT_OK;
    }
    return atx_cmd_run(5, run);
}

int atx_cmd_adopt(int argc, char **argv)
{
    adopt_args a = { .dir = "." };
    ATX_LOCAL(atx_adopted) out = { 0 };
    ATX_LOCAL(atx_str) allow = { 0 }, folders = { 0 };
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--kernel", ATX_OPT_TEXT, "NAME", "kernel to adopt, if the file has several", &a.kernel },
        { "--output", ATX_OPT_TEXT, "DIR", "folder of templates to write into (default: this one)", &a.dir },
        { "--run", ATX_OPT_TEXT, "SHAPE",
          "go on: compile the draft for this shape and, with a GPU, verify and time it as its author "
          "configured it",
          &a.run },
        ATX_FOLDER_OPTIONS(&a.folders),
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    a.allow = &allow;
    a.allow_folders = &folders;
    atx_str_add(&folders, getenv(ATX_ALLOW_ENV) ? getenv(ATX_ALLOW_ENV) : "");
    at_status status = adopt_words(&a, &out, &err);
    if (status == AT_OK)
        atx_print(stdout, "%d open question%s; see autotune check %s%s%s --templates %s%s%s%s\n",
                  out.questions, out.questions == 1 ? "" : "s", out.name, out.shape[0] ? " --shape " : "",
                  out.shape, a.dir, atx_str_text(&allow), a.folders.headers.count ? " --headers " : "",
                  a.folders.headers.count ? getenv(ATX_HEADERS_ENV) : "");
    code = status != AT_OK ? atx_complain(&err) : a.run ? run_draft(&a, &out) : ATX_EXIT_OK;
    return code;
}
