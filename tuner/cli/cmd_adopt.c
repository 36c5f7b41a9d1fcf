/* cmd_adopt.c - `autotune adopt`: a first draft of an op and a template around a kernel that is there. */
#include "cli/commands.h"
#include "exchange/adopt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_BYTES ((size_t)1 << 20)

static const at__usage USAGE = {
    "autotune adopt FILE.cu [--kernel NAME] [-o DIR]",
    "Writes DIR/NAME/op.cu and DIR/NAME/adopted.cu: declarations around a kernel that stays where it is, "
    "from "
    "its\n"
    "parameters and its #ifndef defaults. Lines that end in a comment `# ? ...` are guesses and questions "
    "that "
    "only\n"
    "its author can answer; `autotune check` lists what is left of them. Nothing is overwritten.",
};

typedef struct adopt_args {
    const char *kernel, *dir;
    at__words words;
} adopt_args;

/* `file` as seen from the folder `from`: both exist. */
static at_status relative(at__str *out, const char *from, const char *file, at_error *err)
{
    char *a = realpath(from, NULL), *b = realpath(file, NULL);
    size_t same = 0;
    if (!a || !b) {
        at_status status = at_fail(err, AT_ERR_INPUT, "%s: %s", a ? file : from, strerror(errno));
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
        at__str_add(out, "../");
        at += strcspn(at, "/");
    }
    at__str_add(out, b + same);
    free(a);
    free(b);
    return at__str_status(out, err);
}

static at_status make_folder(const char *path, at_error *err)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST
               ? AT_OK
               : at_fail(err, AT_ERR_SYSTEM, "%s: %s", path, strerror(errno));
}

static at_status write_new(const char *folder, const char *name, const at__str *text, at_error *err)
{
    at__str path = { 0 };
    at__str_addf(&path, "%s/%s", folder, name);
    int fd = path.failed ? -1 : open(path.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool written = file && fwrite(text->data, 1, text->len, file) == text->len;
    written = file && fclose(file) == 0 && written;
    at_status status = written ? AT_OK
                               : at_fail(err, errno == EEXIST ? AT_ERR_INPUT : AT_ERR_SYSTEM, "%s: %s",
                                         at__str_text(&path), strerror(errno));
    if (written)
        at__print(stdout, "%s\n", path.data);
    at__str_clear(&path);
    return status;
}

/* Reads twice: the folder's name is the kernel's, and where the file lies depends on the folder. */
static at_status adopt(const adopt_args *a, const char *path, at__adopted *out, at_error *err)
{
    at__str text = { 0 }, folder = { 0 }, source = { 0 };
    at__adopt_input in = { .path = path, .source = "", .kernel = a->kernel };
    at_status status = at__str_read_file(&text, path, MAX_BYTES, err);
    in.text = at__str_text(&text);
    if (status == AT_OK)
        status = at__adopt(out, &in, err);
    if (status == AT_OK)
        status = make_folder(a->dir, err);
    at__str_addf(&folder, "%s/%s", a->dir, out->name);
    if (status == AT_OK)
        status = at__str_status(&folder, err);
    if (status == AT_OK)
        status = make_folder(folder.data, err);
    if (status == AT_OK)
        status = relative(&source, folder.data, path, err);
    in.source = at__str_text(&source);
    at__adopted_clear(out);
    if (status == AT_OK)
        status = at__adopt(out, &in, err);
    if (status == AT_OK)
        status = write_new(folder.data, "op.cu", &out->op, err);
    if (status == AT_OK)
        status = write_new(folder.data, "adopted.cu", &out->t, err);
    at__str_clear(&text);
    at__str_clear(&folder);
    at__str_clear(&source);
    return status;
}

int at__cmd_adopt(int argc, char **argv)
{
    adopt_args a = { .dir = "." };
    at__adopted out = { 0 };
    at_error err = { 0 };
    int code = AT__EXIT_OK;
    const at__option TABLE[] = {
        { "--kernel", AT__OPT_TEXT, "NAME", "which of the file's kernels", &a.kernel },
        { "-o", AT__OPT_TEXT, "DIR", "folder of templates to write into (default: this one)", &a.dir },
        { NULL, AT__OPT_FLAG, NULL, NULL, NULL },
    };
    if (!at__command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    at_status status = a.words.count == 1 ? adopt(&a, a.words.items[0], &out, &err)
                                          : at_fail(&err, AT_ERR_USAGE, "expected one file");
    if (status == AT_OK)
        at__print(stdout, "%d questions are left: autotune check %s --templates %s\n", out.questions,
                  out.name, a.dir);
    at__adopted_clear(&out);
    return status == AT_OK ? AT__EXIT_OK : at__complain(&err);
}
