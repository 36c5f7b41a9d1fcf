/* cmd_export.c - `autotune export`: the best known kernel as a .cu file. Needs no GPU. */
#include "cli/ask.h"
#include "export/export.h"
#include "lang/catalog.h"
#include "source/paths.h"
#include "util/out_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const atx_usage USAGE = {
    "autotune export [OP] SHAPE [DTYPE] [options]",
    "Writes the kernel that `autotune query` answers for a problem: the stored winner, a shipped result, or, "
    "for a problem that was not tuned, the predicted configuration (not with --exact). The default format is "
    "a self-contained CUDA source file: how the kernel was measured or why it was predicted, the kernel with "
    "its constants, and a function that launches it. A winner whose template has changed since is exported "
    "as it was measured. If this NVRTC cannot compile the kernel (--format ptx, cubin), the next best is "
    "exported, with a warning. Exit code 1: no result is known.",
};

/*
 * ---- --depfile: a rule of make without a recipe ----
 *
 * "OUTPUT: FILE FILE...": the program, and all that the op and each of its templates were read from, with the
 * code that they include and the arrays that the op names; any of the templates may be the next winner. Names
 * are absolute; blanks, # and $ are escaped, as compilers do.
 */

static void add_name(atx_str *out, const char *name)
{
    for (; *name; name++) {
        if (strchr(" \t#", *name))
            atx_str_add(out, "\\");
        if (*name == '$')
            atx_str_add(out, "$");
        atx_str_add_bytes(out, name, 1);
    }
}

/* Built-in texts are no files and are left out. */
static void add_file(atx_str *out, const char *file)
{
    ATX_FREED char *path = realpath(file, NULL);
    if (path) {
        atx_str_add(out, " \\\n  ");
        add_name(out, path);
    }
}

static void add_parts(atx_str *out, const atx_part *parts, int count)
{
    for (int i = 0; i < count; i++)
        add_file(out, parts[i].file);
}

/* An array's file, which is named as seen from the op's. */
static void add_array(atx_str *out, const atx_op *op, const char *name)
{
    ATX_LOCAL(atx_str) path = { 0 };
    if (!name)
        return;
    atx_beside(&path, op->text.file, name);
    add_file(out, atx_str_text(&path));
}

/* The program's own comes first, with the built-in texts: a rule needs a prerequisite. */
static void add_op(atx_str *out, const atx_catalog *catalog, const atx_op *op)
{
    add_file(out, "/proc/self/exe");
    add_parts(out, op->text.parts, op->text.part_count);
    add_array(out, op, op->expected.answer);
    for (int i = 0; i < op->arg_count; i++)
        add_array(out, op, op->args[i].input.file);
    for (int i = 0; i < atx_catalog_template_count(catalog, op); i++) {
        const atx_template *t = atx_catalog_template(catalog, op, i);
        add_parts(out, t->text.parts, t->text.part_count);
    }
}

static at_status write_depfile(const char *path, const char *output, const atx_catalog *catalog,
                               const atx_op *op, at_error *err)
{
    ATX_LOCAL(atx_str) text = { 0 };
    ATX_TRY(atx_catalog_read(catalog, op, err));
    add_name(&text, output);
    atx_str_add(&text, ":");
    add_op(&text, catalog, op);
    atx_str_add(&text, "\n");
    ATX_TRY(atx_str_status(&text, err));
    return atx_out_write_all(path, atx_str_text(&text), text.len, err);
}

static void warn_of_date(const char *outdated)
{
    ATX_LOCAL(atx_str) text = { 0 };
    atx_str_addf(&text, "this kernel is out of date; it is exported as it was measured: %s", outdated);
    atx_warn(atx_whole(&text));
}

typedef struct export_args {
    atx_ask_options ask;
    const char *output, *depfile, *format;
    bool with_main;
} export_args;

/* The export, and the objects that it borrows from. */
typedef struct chosen {
    atx_question_asked question;
    atx_export_input in;
    atx_found found;
    atx_exclusions *excluded; /* configurations that do not compile here and are not chosen */
} chosen;

/* As `query` answers, but for a winner that is out of date: that goes first, as it was measured.
 * AT_ERR_NOT_FOUND: nothing does, or nothing that was measured and must be. */
static at_status choose(chosen *c, at_error *err)
{
    atx_found *f = &c->found;
    at_status status = atx_ask(f, &c->question, ATX_OUTDATED_FIRST, c->excluded, err);
    if (status == AT_OK && f->match == ATX_MATCH_NONE)
        return atx_ask_none(&c->question, f, err);
    if (status == AT_OK && f->outdated)
        warn_of_date(f->outdated);
    return status;
}

/* The folders, and what was in them when the answer was measured. A store that has nothing of that is as
 * good.
 */
static at_status take_headers(atx_str *list, chosen *c, atx_store *store, at_error *err)
{
    char hash[ATX_HASH_TEXT];
    const char *note = c->found.t->text.headers;
    if (!note)
        return AT_OK;
    snprintf(hash, sizeof hash, "%s", note); /* a note begins with it */
    if (store && atx_store_get_source(list, store, hash, NULL) == AT_OK)
        c->in.header_list = atx_str_text(list);
    return atx_headers_open(&c->in.headers, getenv(ATX_HEADERS_ENV), err);
}

/* The compiler refuses the chosen kernel, which is not chosen again. AT_ERR_INPUT, in the words of the
 * first refusal: enough was tried. */
static at_status exclude_choice(at_error *first, chosen *c, const at_error *cause, at_error *err)
{
    const atx_problem *problem = &c->question.problem;
    const int64_t cc = atx_export_device(&c->in).cc;
    at_status status = atx_exclude(c->excluded, problem, cc, c->found.t, &c->found.config, cause, err);
    if (status == AT_OK && atx_exclusions_of(first, c->excluded, problem, cc).tried >= ATX_EXCLUDED_IN_ALL)
        status = atx_fail(err, first->status, "%s", first->text);
    return status;
}

static void warn_of_refusal(const chosen *c, const at_error *first)
{
    ATX_LOCAL(atx_str) text = { 0 };
    atx_str_addf(&text, "%.*s; %s with %s takes its place", (int)strcspn(first->text, "\n"), first->text,
                 c->found.t->name, c->found.answer->winner.config);
    atx_warn(atx_whole(&text));
}

/* One choice. *again: it was refused, and another one may be made. */
static at_status write_choice(atx_str *out, bool *again, at_error *first, chosen *c, const export_args *args,
                              const atx_export_format *format, at_error *err)
{
    ATX_LOCAL(atx_str) list = { 0 };
    at_error cause = { 0 };
    bool refused = false;
    at_status status = choose(c, &cause);
    if (status == AT_ERR_NOT_FOUND && first->status != AT_OK)
        return atx_fail(err, first->status, "%s", first->text);
    atx_headers_close(c->in.headers);
    c->in = (atx_export_input){ .found = &c->found,
                                .problem = &c->question.problem,
                                .templates = args->ask.templates_dir,
                                .refused = &refused,
                                .with_main = args->with_main };
    ATX_THEN(status, take_headers(&list, c, c->question.store, &cause));
    ATX_THEN(status, format->write(out, &c->in, &cause));
    *again = status != AT_OK && refused;
    if (*again)
        return exclude_choice(first, c, &cause, err);
    if (status == AT_OK && first->status != AT_OK)
        warn_of_refusal(c, first);
    return status == AT_OK ? AT_OK : atx_fail(err, status, "%s", cause.text);
}

static at_status make_text(atx_str *out, chosen *c, const export_args *args, const atx_export_format *format,
                           at_error *err)
{
    at_error first = { 0 };
    bool again = true;
    c->excluded = atx_exclusions_open();
    if (!c->excluded)
        return atx_no_memory(err);
    while (again) {
        again = false;
        ATX_TRY(write_choice(out, &again, &first, c, args, format, err));
    }
    return AT_OK;
}

static at_status check_output(const export_args *a, const char *db, at_error *err)
{
    const atx_in_use uses[] = { { "the database", db, true }, { NULL, NULL, false } };
    at_status status = atx_check_output("-o", a->output, uses, a->ask.templates_dir, err);
    const atx_in_use read[] = { uses[0], { "the output", a->output, false }, { NULL, NULL, false } };
    if (status == AT_OK && a->depfile)
        status = atx_check_output("--depfile", a->depfile, read, a->ask.templates_dir, err);
    return status;
}

/* A terminal gets it printable; a file, or a program, byte for byte. */
static void write_stdout(const atx_str *text, const atx_export_format *format)
{
    if (isatty(STDOUT_FILENO) && !format->binary)
        atx_put(stdout, atx_str_text(text));
    else
        fwrite(atx_str_text(text), 1, text->len, stdout);
}

static bool is_to_stdout(const export_args *a)
{
    return !a->output || strcmp(a->output, "-") == 0;
}

static at_status find_format(const atx_export_format **out, const export_args *a, at_error *err)
{
    ATX_LOCAL(atx_str) names = { 0 };
    const atx_export_format *f = a->format ? atx_export_format_find(a->format) : atx_export_format_at(0);
    *out = f;
    if (!f) {
        for (int i = 0; atx_export_format_at(i); i++)
            atx_str_addf(&names, "%s%s", i ? ", " : "", atx_export_format_at(i)->name);
        return atx_fail(err, AT_ERR_USAGE, "--format: found '%s'; expected one of %s", a->format,
                        atx_str_text(&names));
    } else if (a->with_main && f != atx_export_format_at(0)) {
        return atx_fail(err, AT_ERR_USAGE, "--main goes with --format cu, not with %s", f->name);
    } else if (f->binary && is_to_stdout(a) && isatty(STDOUT_FILENO)) {
        return atx_fail(err, AT_ERR_USAGE, "--format %s is not for a terminal; name a file with -o", f->name);
    }
    if (a->depfile && is_to_stdout(a))
        return atx_fail(err, AT_ERR_USAGE, "--depfile says what the file of -o depends on; name one with -o");
    return AT_OK;
}

static int run_export(const export_args *a)
{
    const atx_export_format *format = NULL;
    chosen c = { .question = { .catalog = NULL } };
    const atx_question_asked *q = &c.question;
    ATX_LOCAL(atx_str) text = { 0 };
    at_error err = { 0 };
    at_status status = find_format(&format, a, &err);
    ATX_THEN(status, atx_ask_open(&c.question, &a->ask, false, &err));
    ATX_THEN(status, check_output(a, q->path, &err));
    ATX_THEN(status, make_text(&text, &c, a, format, &err));
    if (status == AT_OK && a->depfile)
        status = write_depfile(a->depfile, a->output, q->catalog, q->problem.op, &err);
    if (status == AT_OK && !is_to_stdout(a))
        status = atx_out_write_all(a->output, atx_str_text(&text), text.len, &err);
    else if (status == AT_OK)
        write_stdout(&text, format);
    atx_headers_close(c.in.headers);
    atx_ask_close(&c.question);
    atx_exclusions_close(c.excluded);
    return status == AT_OK ? ATX_EXIT_OK : atx_complain(&err);
}

int atx_cmd_export(int argc, char **argv)
{
    export_args a = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--output", ATX_OPT_TEXT, "FILE", "where to write (default and -: stdout)", &a.output },
        { "--format", ATX_OPT_TEXT, "cu|ptx|cubin|json",
          "cu by default; ptx, cubin: for the device of the answer; json: source, arguments, launch geometry",
          &a.format },
        { "--depfile", ATX_OPT_TEXT, "FILE",
          "write the files of --templates that the output depends on (sources, headers, arrays), for make "
          "and Ninja",
          &a.depfile },
        { "--main", ATX_OPT_FLAG, NULL, "add a main() that checks the kernel and times it", &a.with_main },
        { "--device", ATX_OPT_TEXT, "N|NAME", ATX_DEVICE_NAME_HELP, &a.ask.device },
        ATX_ASK_OPTIONS(&a.ask),
        ATX_EXACT_OPTION(&a.ask),
        ATX_NO_SHIPPED_OPTION(&a.ask),
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &a.ask.words, &code))
        return code;
    return run_export(&a);
}
