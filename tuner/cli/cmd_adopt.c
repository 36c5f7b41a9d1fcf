/* cmd_adopt.c - `autotune adopt`: a first draft of an op and a template around a kernel that is there. */
#include "cli/commands.h"
#include "cli/undefined.h"
#include "exchange/adopt.h"
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
    "autotune adopt [T1.json] [FILE.cu] [--kernel NAME] [-o DIR]",
    "Writes declarations for an existing kernel, DIR/NAME/op.cu and DIR/NAME/adopted.cu; the kernel's file "
    "stays as it is. They come from the kernel's parameters, its #ifndef defaults, names that NVRTC finds "
    "undefined, and a tuning problem in the T1 format if there is one (it names the file, unless FILE.cu is "
    "given). Lines that end in a comment `# ? ...` are guesses and questions that only the author can "
    "answer; `autotune check` lists those that are left. No file is overwritten.",
};

typedef struct adopt_args {
    const char *kernel, *dir;
    atx_words words;
    atx_folder_words folders;
    atx_str *allow; /* " --allow DIR", where other commands need it to read the file */
} adopt_args;

/* `file` as seen from the folder `from`: both exist. */
static at_status relative(atx_str *out, const char *from, const char *file, at_error *err)
{
    char *a = realpath(from, NULL), *b = realpath(file, NULL);
    size_t same = 0;
    if (!a || !b) {
        at_status status = atx_fail(err, AT_ERR_INPUT, "%s: %s", a ? file : from, strerror(errno));
        free(a);
        free(b);
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
    free(a);
    free(b);
    return atx_str_status(out, err);
}

static at_status make_folder(const char *path, at_error *err)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST
               ? AT_OK
               : atx_fail(err, AT_ERR_SYSTEM, "%s: %s", path, strerror(errno));
}

/* Both files or none: half a draft would be in the way of the next try. */
static at_status write_draft(const char *folder, const atx_adopted *draft, at_error *err)
{
    atx_str op = { 0 }, t = { 0 };
    atx_str_addf(&op, "%s/op.cu", folder);
    atx_str_addf(&t, "%s/adopted.cu", folder);
    at_status status = op.failed ? atx_str_status(&op, err) : atx_str_status(&t, err);
    if (status == AT_OK)
        status = atx_out_write_new(op.data, draft->op.data, draft->op.len, err);
    if (status == AT_OK && (status = atx_out_write_new(t.data, draft->t.data, draft->t.len, err)) != AT_OK)
        unlink(op.data);
    if (status == AT_OK)
        atx_print(stdout, "%s\n%s\n", op.data, t.data);
    atx_str_clear(&op);
    atx_str_clear(&t);
    return status;
}

/* May what is in this folder name that file? */
static at_status check_allowed(const char *folder, const char *allow, const char *path, at_error *err)
{
    atx_headers *headers = NULL;
    atx_allowed *allowed = NULL;
    at_status status = atx_headers_open(&headers, getenv(ATX_HEADERS_ENV), err);
    if (status == AT_OK)
        status = atx_allowed_open(&allowed, folder, allow, headers, err);
    if (status == AT_OK)
        status = atx_allowed_check(allowed, path, err);
    atx_allowed_close(allowed);
    atx_headers_close(headers);
    return status;
}

static void add_folder_of(atx_str *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    atx_str_add_bytes(out, slash ? path : ".", !slash || slash == path ? 1 : (size_t)(slash - path));
}

/* What other commands have to be told besides, so that the draft's `source` line may be read. */
static at_status name_allowed(const adopt_args *a, const char *path, at_error *err)
{
    atx_str folder = { 0 };
    at_status status = check_allowed(a->dir, NULL, path, err);
    if (status == AT_ERR_INPUT) {
        add_folder_of(&folder, path);
        atx_str_add(a->allow, " --allow ");
        atx_str_add_word(a->allow, atx_str_text(&folder));
        status = atx_str_status(folder.failed ? &folder : a->allow, err);
    }
    atx_str_clear(&folder);
    return status;
}

/* Another name where a built-in operation has that one; "": it is free. */
static at_status choose_name(char out[64], const char *name, at_error *err)
{
    atx_catalog *catalog = NULL;
    at_status status = atx_catalog_open(&catalog, NULL, err);
    if (status == AT_OK && atx_catalog_find_op(catalog, name))
        snprintf(out, 64, "%.50s_adopted", name);
    atx_catalog_close(catalog);
    return status;
}

/* Reads twice: the folder's name is the kernel's, and where the file lies depends on the folder. */
static at_status adopt(const adopt_args *a, const char *path, atx_adopt_input *in, atx_adopted *out,
                       at_error *err)
{
    atx_str text = { 0 }, folder = { 0 }, source = { 0 };
    atx_undefined undefined;
    char name[64] = "";
    in->path = path;
    in->source = "";
    at_status status = atx_regular_read(&text, path, MAX_BYTES, err);
    in->text = atx_str_text(&text);
    if (status == AT_OK) {
        atx_undefined_find(&undefined, path);
        in->undefined = undefined.list;
        status = atx_adopt(out, in, err);
    }
    if (status == AT_OK)
        status = choose_name(name, out->name, err);
    if (name[0]) {
        in->name = name;
        atx_adopted_clear(out);
        status = atx_adopt(out, in, err);
    }
    if (status == AT_OK)
        status = make_folder(a->dir, err);
    atx_str_addf(&folder, "%s/%s", a->dir, out->name);
    if (status == AT_OK)
        status = atx_str_status(&folder, err);
    if (status == AT_OK)
        status = make_folder(folder.data, err);
    if (status == AT_OK)
        status = relative(&source, folder.data, path, err);
    in->source = atx_str_text(&source);
    atx_adopted_clear(out);
    if (status == AT_OK)
        status = atx_adopt(out, in, err);
    if (status == AT_OK)
        status = write_draft(folder.data, out, err);
    if (status == AT_OK)
        status = name_allowed(a, path, err);
    in->name = in->text = in->source = NULL; /* nothing of here stays in it */
    in->undefined = NULL;
    atx_str_clear(&text);
    atx_str_clear(&folder);
    atx_str_clear(&source);
    return status;
}

/* The file that the tuning problem names, beside it. */
static at_status find_source(atx_str *path, const atx_adopt_space *space, const char *problem, at_error *err)
{
    const char *slash = strrchr(problem, '/');
    atx_str folder = { 0 };
    atx_str_add_bytes(path, problem, slash ? (size_t)(slash + 1 - problem) : 0);
    atx_str_add(path, atx_str_text(&space->file));
    add_folder_of(&folder, problem);
    at_status status = atx_str_status(folder.failed ? &folder : path, err);
    if (status == AT_OK && (!space->file.len || access(path->data, R_OK) != 0))
        status = atx_fail(err, AT_ERR_USAGE,
                          "%s: found the kernel file '%s', which cannot be read beside it; expected autotune "
                          "adopt %s FILE.cu",
                          problem, atx_str_text(&space->file), problem);
    if (status == AT_OK)
        status = check_allowed(folder.data, getenv(ATX_ALLOW_ENV), path->data, err);
    atx_str_clear(&folder);
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
    if (status == AT_OK)
        status = adopt(a, file ? file : path.data, &in, out, err);
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

int atx_cmd_adopt(int argc, char **argv)
{
    adopt_args a = { .dir = "." };
    atx_adopted out = { 0 };
    atx_str allow = { 0 };
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--kernel", ATX_OPT_TEXT, "NAME", "kernel to adopt, if the file has several", &a.kernel },
        { "-o", ATX_OPT_TEXT, "DIR", "folder of templates to write into (default: this one)", &a.dir },
        ATX_FOLDER_OPTIONS(&a.folders),
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    a.allow = &allow;
    at_status status = adopt_words(&a, &out, &err);
    if (status == AT_OK)
        atx_print(stdout, "%d open questions; see autotune check %s%s%s --templates %s%s%s%s\n",
                  out.questions, out.name, out.shape[0] ? " --shape " : "", out.shape, a.dir,
                  atx_str_text(&allow), a.folders.headers.count ? " --headers " : "",
                  a.folders.headers.count ? getenv(ATX_HEADERS_ENV) : "");
    atx_adopted_clear(&out);
    atx_str_clear(&allow);
    return status == AT_OK ? ATX_EXIT_OK : atx_complain(&err);
}
