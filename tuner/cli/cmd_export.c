/* cmd_export.c - `autotune export`: the best known kernel as a .cu file. Needs no GPU. */
#include "cli/commands.h"
#include "cli/depfile.h"
#include "export/export.h"
#include "lookup/lookup.h"
#include "tune/tune.h"
#include "util/out_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const atx_usage USAGE = {
    "autotune export [OP] SHAPE [DTYPE] [options]",
    "Writes the kernel that `autotune query` answers for a problem: the stored winner, the one that comes "
    "with autotune, or, for a problem that was not tuned, what is expected to be the fastest (--exact: not "
    "that). Without --format: a CUDA source file that stands alone, with how it was measured or why it is "
    "expected, the kernel with its constants, and a function that launches it. A winner whose template has "
    "changed since is exported as it was measured. Where this NVRTC does not compile what is to be compiled "
    "(--format ptx, cubin), the next best is, with a warning. Exit code 1: nothing is known.",
};

/* A template as it was when the winner was found: from the store, or the present one if it is the same. */
static at_status winners_template(atx_template **owned, const atx_template **out, atx_store *store,
                                  const atx_catalog *catalog, const atx_op *op, const atx_winner *w,
                                  at_error *err)
{
    atx_str source = { 0 };
    const atx_template *present = atx_catalog_find_template(catalog, op, w->template_name);
    if (present && atx_template_has_hash(present, w->template_hash)) {
        *out = present;
        return AT_OK;
    }
    at_status status = store ? atx_store_get_source(&source, store, w->template_hash, err) : AT_ERR_NOT_FOUND;
    if (status == AT_OK)
        status = atx_template_read(owned, op, atx_str_text(&source), source.len,
                                   present ? present->file : w->template_name, err);
    if (status == AT_OK && *owned && !atx_template_has_hash(*owned, w->template_hash))
        status = at_fail(err, AT_ERR_STORE,
                         "the text that is stored for template %s is not the one that was measured: its hash "
                         "is %.12s, not %.12s; tune the problem again",
                         w->template_name, (*owned)->hash, w->template_hash);
    else if (status == AT_ERR_NOT_FOUND)
        status = at_fail(
            err, AT_ERR_NOT_FOUND,
            "template %s has changed since this winner was found, and its old text is not in the database; "
            "tune the problem again",
            w->template_name);
    if (status == AT_OK)
        *out = *owned;
    atx_str_clear(&source);
    return status;
}

typedef struct export_args {
    const char *db, *device, *templates_dir, *output, *depfile, *format;
    atx_target target; /* what `device` means */
    atx_folder_words folders;
    bool with_main, without_shipped, exact;
} export_args;

/* The store, or NULL where nothing was tuned yet and what came with the program may answer. */
static at_status open_store(atx_store **out, const char *path, const export_args *args, at_error *err)
{
    at_status status = atx_open_if_any(out, path, err);
    bool may_miss = !args->db && !args->without_shipped && atx_shipped_wanted();
    return status == AT_ERR_NOT_FOUND && may_miss ? AT_OK : status;
}

/* `refused`: what is said of the nearest winner; "": there is none. */
static at_status no_winner(const atx_problem *problem, const atx_problem_key *key, const char *path,
                           const export_args *args, const char *refused, at_error *err)
{
    atx_str command = { 0 };
    atx_add_tune_command(&command, problem, args->templates_dir, path ? path : "autotune.db");
    at_fail(err, AT_ERR_NOT_FOUND, "%s has no winner for %s %s %s%s%s; find one with: %s%s%s%s",
            path ? path : "what comes with autotune", key->op, key->shape, atx_dtype_name(problem->type),
            *args->target.name ? " on " : "", args->target.name, atx_str_text(&command),
            args->exact ? "; without --exact what is expected is exported, where something is" : "",
            *refused ? "; " : "", refused);
    atx_str_clear(&command);
    return AT_ERR_NOT_FOUND;
}

/* What is exported, and what it borrows from. */
typedef struct chosen {
    atx_export_input in;
    atx_answer own;     /* the store's winner */
    atx_fingerprint on; /* the device that a look-up's answer is for */
    atx_template *owned;
    atx_lookup *lookup;
    atx_exclusions *excluded; /* what does not compile here; it is not chosen */
} chosen;

/* Another choice begins with what is asked alone. The store's winner, the first choice, may be excluded: its
 * template stays. */
static void forget_choice(chosen *c)
{
    atx_lookup_close(c->lookup);
    atx_headers_close(c->in.headers);
    c->lookup = NULL;
    c->in = (atx_export_input){ .problem = c->in.problem,
                                .with_main = c->in.with_main,
                                .templates = c->in.templates,
                                .refused = c->in.refused };
}

static void clear_chosen(chosen *c)
{
    forget_choice(c);
    atx_template_close(c->owned);
    atx_answer_clear(&c->own);
    atx_exclusions_close(c->excluded);
}

/* The text that was measured may have been so with other headers, or with other data. */
static void warn_of_notes(const chosen *c, atx_store *store, const atx_catalog *catalog)
{
    const atx_winner *w = &c->own.winner;
    at_error why = { 0 };
    char text[AT_ERROR_TEXT + 100];
    if (atx_lookup_check_headers(store, catalog, c->in.problem->op, w->template_name, w->template_hash,
                                 &why) != AT_ERR_INPUT)
        return;
    snprintf(text, sizeof text, "this kernel is the one that was measured, and out of date: %s", why.text);
    atx_warn(text);
}

/* The store's winner, with the text that was measured: also where the template has changed since.
 * AT_ERR_NOT_FOUND: there is none, or its text is not there any more; *err says which. */
static at_status choose_own(chosen *c, atx_store *store, const atx_catalog *catalog,
                            const atx_problem_key *key, const export_args *args, at_error *err)
{
    at_status status = atx_store_find_winner(&c->own, store, key, NULL, args->target.name, err);
    if (status == AT_OK)
        status =
            winners_template(&c->owned, &c->in.t, store, catalog, c->in.problem->op, &c->own.winner, err);
    if (status == AT_OK && c->owned)
        warn_of_notes(c, store, catalog);
    if (status == AT_OK)
        c->in.answer = &c->own;
    return status;
}

/* What a look-up answers. */
static void take_found(chosen *c, const atx_found *f)
{
    bool exact = f->match == ATX_MATCH_EXACT;
    c->in.answer = f->answer;
    c->in.t = f->t;
    c->in.shipped = f->shipped;
    c->in.match = atx_match_name(f->match);
    c->in.why = exact ? NULL : f->why;
    c->in.own = f->own;
    c->in.expected_s = f->expected_s;
    c->in.doubt = f->doubt;
    if (exact || !f->cc)
        return;
    bool same = strcmp(f->device, f->answer->fingerprint.device) == 0;
    c->on = (atx_fingerprint){ .cc = f->cc,
                               .sms = f->sms,
                               .memory_mib = same ? f->answer->fingerprint.memory_mib : 0 };
    snprintf(c->on.device, sizeof c->on.device, "%s", f->device);
    c->in.on = &c->on;
}

/* As `query` answers. AT_ERR_NOT_FOUND: nothing does, or nothing that was measured and must be. */
static at_status choose_found(chosen *c, atx_store *store, const atx_catalog *catalog,
                              const export_args *args, at_error *err)
{
    atx_found found;
    at_status status = atx_lookup_open(&c->lookup, store, catalog, err);
    if (status == AT_OK)
        atx_lookup_exclude(c->lookup, c->excluded);
    if (status == AT_OK && !args->without_shipped)
        atx_lookup_add_shipped(c->lookup);
    if (status == AT_OK)
        status = atx_lookup_find(&found, c->lookup, c->in.problem, &args->target, err);
    if (status != AT_OK)
        return status;
    if (found.match == ATX_MATCH_NONE || (args->exact && found.match != ATX_MATCH_EXACT))
        return at_fail(err, AT_ERR_NOT_FOUND, "%s", found.refused ? found.why : "");
    take_found(c, &found);
    return AT_OK;
}

static at_status choose(chosen *c, atx_store *store, const atx_catalog *catalog, const atx_problem_key *key,
                        const char *path, const export_args *args, at_error *err)
{
    at_error cause = { 0 }, refused = { 0 };
    bool may_be_own = store && !atx_exclusions_count(c->excluded); /* it is what was chosen first */
    at_status status = may_be_own ? choose_own(c, store, catalog, key, args, &cause) : AT_ERR_NOT_FOUND;
    bool textless = status == AT_ERR_NOT_FOUND && c->own.op;
    if (status == AT_OK)
        return AT_OK;
    if (status != AT_ERR_NOT_FOUND)
        return at_fail(err, status, "%s", cause.text);
    status = choose_found(c, store, catalog, args, &refused);
    if (status == AT_ERR_NOT_FOUND && textless)
        return at_fail(err, AT_ERR_NOT_FOUND, "%s", cause.text);
    if (status == AT_ERR_NOT_FOUND)
        return no_winner(c->in.problem, key, path, args, refused.text, err);
    return status == AT_OK ? AT_OK : at_fail(err, status, "%s", refused.text);
}

/* The folders, and what was in them when the answer was measured. A store that has nothing of that is as
 * good.
 */
static at_status take_headers(atx_str *list, chosen *c, atx_store *store, at_error *err)
{
    char hash[ATX_HASH_TEXT];
    const char *note = c->in.t ? c->in.t->headers : NULL;
    if (!note)
        return AT_OK;
    snprintf(hash, sizeof hash, "%s", note); /* a note begins with it */
    if (store && atx_store_get_source(list, store, hash, NULL) == AT_OK)
        c->in.header_list = atx_str_text(list);
    return atx_headers_open(&c->in.headers, getenv(ATX_HEADERS_ENV), err);
}

/* The compiler does not take what was chosen: it is not to be chosen again. AT_ERR_INPUT, in the words of the
 * first refusal: enough was tried. */
static at_status exclude_choice(at_error *first, chosen *c, const at_error *cause, at_error *err)
{
    atx_config config;
    const atx_export_input *in = &c->in;
    const int64_t cc = atx_export_device(in)->cc;
    at_status status = atx_config_parse(&config, in->t, in->answer->winner.config, err);
    if (status == AT_OK)
        status = atx_exclude(c->excluded, in->problem, cc, in->t, &config, cause, err);
    if (status == AT_OK && atx_exclusions_of(first, c->excluded, in->problem, cc) >= ATX_EXCLUDED_IN_ALL)
        status = at_fail(err, first->status, "%s", first->text);
    return status;
}

static void warn_of_refusal(const chosen *c, const at_error *first)
{
    atx_str text = { 0 };
    atx_str_addf(&text, "%.*s; %s with %s takes its place", (int)strcspn(first->text, "\n"), first->text,
                 c->in.t->name, c->in.answer->winner.config);
    atx_warn(atx_whole(&text));
    atx_str_clear(&text);
}

/* What a choice is made of, and where its text goes. */
typedef struct exporting {
    atx_store *store;
    const atx_catalog *catalog;
    const atx_problem_key *key;
    const char *path;
    const export_args *args;
    const atx_export_format *format;
} exporting;

/* One choice. *again: it was refused, and another one may be made. */
static at_status write_choice(atx_str *out, bool *again, at_error *first, chosen *c, const exporting *e,
                              at_error *err)
{
    atx_str list = { 0 };
    at_error cause = { 0 };
    bool refused = false;
    c->in.refused = &refused;
    at_status status = choose(c, e->store, e->catalog, e->key, e->path, e->args, &cause);
    if (status == AT_ERR_NOT_FOUND && first->status != AT_OK)
        return at_fail(err, first->status, "%s", first->text);
    if (status == AT_OK)
        status = take_headers(&list, c, e->store, &cause);
    if (status == AT_OK)
        status = e->format->write(out, &c->in, &cause);
    atx_str_clear(&list);
    *again = status != AT_OK && refused;
    if (*again)
        return exclude_choice(first, c, &cause, err);
    if (status == AT_OK && first->status != AT_OK)
        warn_of_refusal(c, first);
    return status == AT_OK ? AT_OK : at_fail(err, status, "%s", cause.text);
}

static at_status make_text(atx_str *out, const atx_problem *problem, const atx_catalog *catalog,
                           const char *path, export_args *args, const atx_export_format *format,
                           at_error *err)
{
    atx_store *store = NULL;
    atx_problem_key key;
    atx_str shape = { 0 };
    at_error first = { 0 };
    bool again = true;
    chosen c = { .in = { .problem = problem, .with_main = args->with_main, .templates = args->templates_dir },
                 .excluded = atx_exclusions_open() };

    at_status status = c.excluded ? atx_problem_key_of(&key, &shape, problem, err)
                                  : at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (status == AT_OK)
        status = open_store(&store, path, args, err);
    if (status == AT_OK)
        status = atx_device_option(&args->target, args->device, store,
                                   !args->without_shipped && atx_shipped_wanted(), err);
    const exporting e = { store, catalog, &key, path, args, format };
    while (status == AT_OK && again) {
        again = false;
        forget_choice(&c);
        status = write_choice(out, &again, &first, &c, &e, err);
    }
    clear_chosen(&c);
    atx_str_clear(&shape);
    atx_store_close(store);
    return status;
}

static at_status check_output(const export_args *a, const char *db, at_error *err)
{
    const atx_in_use uses[] = { { "the database", db, true }, { NULL, NULL, false } };
    at_status status = atx_check_output("-o", a->output, uses, a->templates_dir, err);
    const atx_in_use read[] = { uses[0], { "the output", a->output, false }, { NULL, NULL, false } };
    if (status == AT_OK && a->depfile)
        status = atx_check_output("--depfile", a->depfile, read, a->templates_dir, err);
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
    atx_str names = { 0 };
    const atx_export_format *f = a->format ? atx_export_format_find(a->format) : atx_export_format_at(0);
    at_status status = AT_OK;
    *out = f;
    if (!f) {
        for (int i = 0; atx_export_format_at(i); i++)
            atx_str_addf(&names, "%s%s", i ? ", " : "", atx_export_format_at(i)->name);
        status = at_fail(err, AT_ERR_USAGE, "--format: found '%s'; expected one of %s", a->format,
                         atx_str_text(&names));
        atx_str_clear(&names);
    } else if (a->with_main && f != atx_export_format_at(0)) {
        status = at_fail(err, AT_ERR_USAGE, "--main goes with --format cu, not with %s", f->name);
    } else if (f->binary && is_to_stdout(a) && isatty(STDOUT_FILENO)) {
        status =
            at_fail(err, AT_ERR_USAGE, "--format %s is not for a terminal; name a file with -o", f->name);
    }
    if (status == AT_OK && a->depfile && is_to_stdout(a))
        status =
            at_fail(err, AT_ERR_USAGE, "--depfile says what the file of -o depends on; name one with -o");
    return status;
}

int atx_cmd_export(int argc, char **argv)
{
    atx_words words = { 0 };
    export_args a = { 0 };
    const char *path = NULL;
    const atx_export_format *format = NULL;
    atx_catalog *catalog = NULL;
    atx_problem problem;
    atx_str keep = { 0 }, text = { 0 };
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "-o", ATX_OPT_TEXT, "FILE", "where to write (default and -: stdout)", &a.output },
        { "--output", ATX_OPT_TEXT, "FILE", "the same", &a.output },
        { "--format", ATX_OPT_TEXT, "cu|ptx|cubin|json",
          "cu by default; ptx, cubin: for the device of the answer; json: source, arguments, launch "
          "geometry",
          &a.format },
        { "--depfile", ATX_OPT_TEXT, "FILE",
          "which files of --templates the output depends on, for make and Ninja: sources, headers, arrays",
          &a.depfile },
        { "--main", ATX_OPT_FLAG, NULL, "add a main() that checks the kernel and times it", &a.with_main },
        { "--device", ATX_OPT_TEXT, "N|NAME", ATX_DEVICE_NAME_HELP, &a.device },
        ATX_DB_OPTION(&a.db),
        ATX_TEMPLATES_OPTION(&a.templates_dir),
        ATX_FOLDER_OPTIONS(&a.folders),
        { "--exact", ATX_OPT_FLAG, NULL, "only what was measured for this very problem", &a.exact },
        { "--no-shipped", ATX_OPT_FLAG, NULL, "without the winners that come with autotune",
          &a.without_shipped },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &words, &code))
        return code;
    at_status status = find_format(&format, &a, &err);
    if (status == AT_OK)
        status = atx_check_device_option(a.device, &err);
    if (status == AT_OK)
        status = atx_open_catalog(&catalog, a.templates_dir, NULL, &err);
    if (status == AT_OK)
        status = atx_problem_from_words(&problem, &words, catalog, &err);
    if (status == AT_OK)
        status = atx_db_path_if_any(&path, a.db, !a.without_shipped && atx_shipped_wanted(), &keep, &err);
    if (status == AT_OK)
        status = check_output(&a, path, &err);
    if (status == AT_OK)
        status = make_text(&text, &problem, catalog, path, &a, format, &err);
    if (status == AT_OK && a.depfile)
        status = atx_depfile_write(a.depfile, a.output, catalog, problem.op, &err);
    if (status == AT_OK && !is_to_stdout(&a))
        status = atx_out_write_all(a.output, atx_str_text(&text), text.len, &err);
    else if (status == AT_OK)
        write_stdout(&text, format);
    if (status != AT_OK)
        code = atx_complain(&err);
    atx_catalog_close(catalog);
    atx_str_clear(&keep);
    atx_str_clear(&text);
    return code;
}
