/*
 * cmd_check.c - `autotune check`: compiles configurations for any architecture, without a GPU, and reports
 * the results. Chooses the problems and prints; compile_check.c compiles.
 */
#include "cli/checked.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "cli/executed.h"
#include "compile/compile_check.h"
#include "compile/nvrtc.h"
#include "declare/declare_common.h"
#include "lang/arch.h"
#include "util/clock.h"
#include "util/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REDRAW_S    0.2
#define PLAIN_S     10.0
#define WAIT_TIME_S 3.0 /* until the first one, where it would stay */
#define EXECUTED    12  /* configurations of a template that --execute runs by default */

static const atx_usage USAGE = {
    "autotune check [--execute] [OP...] [SHAPE...] [DTYPE...] [options]",
    "Compiles the configurations of every template, or a sample of them, for the given architectures. With "
    "--templates DIR and no operation, it checks the templates of DIR only. Reports registers, shared memory "
    "and spills, and every compile error with its configuration: on stderr, or with --format json as objects "
    "with a log. Kernels that are equal for several shapes are compiled once. Exit code 15: some failed.\n"
    "--execute runs configurations on the CPU, on small ragged problems of the operation or on the given "
    "shapes, and compares their results with those of the reference. It reports accesses that are out of "
    "bounds or misaligned, reads of uninitialized memory, races, barriers that not all threads reach, "
    "endless loops, and writes to inputs, each with its source line, block and thread. Exit code 14: "
    "something was found; 16: not all configurations could be run.",
};

typedef struct check_args {
    const char *templates_dir, *format;
    atx_words words, archs, templates, shapes, types;
    atx_folder_words folders;
    int64_t sample, seed, jobs;
    bool execute;
} check_args;

typedef struct checker {
    const check_args *args;
    atx_catalog *catalog;
    atx_nvrtc *nvrtc;
    atx_compile_check *check;
    atx_format format;
    bool terminal, drawn;     /* stderr is one; a progress line is on it */
    double started_s, next_s; /* when the next line is due */
    int64_t failed;
    atx_executed_total executed;
    int broken;   /* files of --templates */
    char variant; /* of the architecture that is being checked: 'a' of sm_90a; 0: as templates need it */
} checker;

/* With --templates and no operation named, the operations of the folder are checked. */
static bool is_added_only(const check_args *a)
{
    return a->templates_dir && a->words.count == 0;
}

static bool chooses_op(const checker *c, const atx_op *op)
{
    return atx_words_choose(&c->args->words, op->name) &&
           (!is_added_only(c->args) || atx_catalog_has_added(c->catalog, op));
}

static bool may_choose(const checker *c, const atx_template *t)
{
    return chooses_op(c, t->op) && (!is_added_only(c->args) || atx_catalog_is_added(c->catalog, t));
}

static bool chooses_template(const checker *c, const atx_template *t)
{
    return may_choose(c, t) && atx_words_choose(&c->args->templates, t->name);
}

static void erase(checker *c)
{
    if (c->drawn)
        fputs("\r\033[K", stderr);
    c->drawn = false;
}

/* One line on a terminal, a few times a second; elsewhere a line for who has waited for a while, and then now
 * and then. The number of kernels to come is not known before. */
static void show_progress(void *context, const atx_compile_check_row *r, int64_t kernels, int64_t failed)
{
    checker *c = context;
    ATX_LOCAL(atx_str) line = { 0 };
    char arch[ATX_ARCH_TEXT];
    double now_s = atx_now_s(), passed_s = now_s - c->started_s;
    if (now_s < c->next_s)
        return;
    c->next_s = now_s + (c->terminal ? REDRAW_S : PLAIN_S);
    atx_arch_text(arch, r->cc, r->variant);
    atx_str_addf(&line, "%" PRId64 " kernels, %" PRId64 " failed, %.0f a second; %s %s %s/%s", kernels,
                 failed, passed_s > 0 ? (double)kernels / passed_s : 0, arch, atx_dtype_name(r->type),
                 r->op->name, atx_checked_name(r));
    erase(c);
    if (c->terminal)
        atx_print(stderr, "%.79s",
                  atx_str_text(&line)); /* a longer one would wrap, and could not be erased */
    else
        atx_print(stderr, "%s\n", atx_str_text(&line));
    fflush(stderr);
    c->drawn = c->terminal;
}

static void print_fault_json(const atx_compile_check_fault *f)
{
    ATX_LOCAL(atx_str) line = { 0 };
    char arch[ATX_ARCH_TEXT];
    atx_arch_text(arch, f->row->cc, f->row->variant);
    atx_str_add(&line, "{");
    atx_member_text(&line, "arch", arch);
    atx_member_text(&line, "dtype", atx_dtype_name(f->row->type));
    atx_member_text(&line, "op", f->row->op->name);
    atx_member_text(&line, "template", atx_checked_name(f->row));
    atx_member_text(&line, "config", f->config);
    atx_member_int(&line, "kernels", f->kernels);
    atx_member_text(&line, "log", f->log);
    atx_print(stdout, "%s}\n", atx_whole(&line));
}

/* Each cause is reported once, with the first of its kernels and their number. */
static void show_fault(void *context, const atx_compile_check_fault *f)
{
    checker *c = context;
    const atx_compile_check_row *r = f->row;
    size_t len = strlen(f->log);
    char arch[ATX_ARCH_TEXT];
    c->failed += f->kind == ATX_FAULT_FAILS ? f->kernels : 0;
    erase(c);
    if (c->format == ATX_JSON) {
        print_fault_json(f);
        return;
    }
    atx_arch_text(arch, r->cc, r->variant);
    atx_print(stderr, "%s %s %s/%s%s%s", arch, atx_dtype_name(r->type), r->op->name,
              r->t                           ? r->t->name
              : r->op->expected.reference[0] ? r->op->expected.reference
                                             : r->op->expected.trusted,
              f->config[0] ? " " : "", f->config);
    if (f->kernels > 1)
        atx_print(stderr, ", and %" PRId64 " more %s%s", f->kernels - 1,
                  f->kind == ATX_FAULT_FAILS ? "kernel" : "configuration", f->kernels > 2 ? "s" : "");
    atx_print(stderr, "%s:\n%s%s",
              f->kind != ATX_FAULT_LEFT_OUT ? ""
              : f->kernels > 1              ? ", which are left out"
                                            : ", which is left out",
              f->log, len && f->log[len - 1] == '\n' ? "" : "\n");
}

static at_status check_problem(checker *c, const atx_problem *p, const atx_limits *limits, at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS];
    ATX_TRY(atx_problem_bind(slots, p, limits, err));
    return atx_compile_check_problem(c->check, p, slots, (int)limits->cc, c->variant, err);
}

/* Shapes of the default: aligned, ragged, thin, batches of small matrices; layouts. */
static const char *const DEFAULT_SHAPES[] = { "4096x4096",          "4097x4095", "1000003x3",
                                              "8192x16x16",         "1000003",   "75x96x33x64:3.0.2.1",
                                              "30x64x20x96:2.1.0.3" };
enum { DEFAULT_SHAPE_COUNT = sizeof DEFAULT_SHAPES / sizeof *DEFAULT_SHAPES };

static at_status problem_of(atx_problem *out, const checker *c, const atx_op *op, const char *shape,
                            const char *type, at_error *err)
{
    atx_words line = { .items = { op->name, shape, type }, .count = 3 };
    return atx_problem_of_words(out, &line, c->catalog, err);
}

/* A shape of as many sizes as the op has, each a power of two: small ones, or multiples of any block, or all
 * alike; and multiples of three. */
enum { OTHER_SHAPES = 4 };
static void shape_of(char out[64], const atx_op *op, int which)
{
    static const char *const SIZES[OTHER_SHAPES][ATX_MAX_DIMS] = {
        { "32", "16", "64", "16", "8", "4", "2", "2" },
        { "4096", "1024", "64", "16", "8", "4", "2", "2" },
        { "128", "128", "128", "128", "128", "128", "128", "128" },
        { "24576", "24576", "768", "768", "192", "192", "96", "96" }
    };
    size_t n = 0;
    int needed = 0;
    for (int i = 0; i < op->shape.dim_count; i++)
        needed += !op->shape.dims[i].optional;
    out[0] = '\0';
    for (int i = 0; i < needed; i++)
        n += (size_t)snprintf(out + n, 64 - n, "%s%s", i ? "x" : "", SIZES[which][i]);
}

/* Whether a configuration of it was looked at, or found to be no kernel. */
static bool has_row(const checker *c, const atx_template *t)
{
    atx_compile_check_row *rows = NULL;
    size_t count = atx_compile_check_rows(c->check, &rows);
    for (size_t i = 0; i < count; i++)
        if (rows[i].t == t && (rows[i].configs || rows[i].failed))
            return true;
    return false;
}

static bool has_any_row(const checker *c, const atx_op *op)
{
    for (int i = 0; i < atx_catalog_template_count(c->catalog, op); i++)
        if (has_row(c, atx_catalog_template(c->catalog, op, i)))
            return true;
    return false;
}

/* A shape that does not fit the op is for another one: known_problems has looked. */
static at_status check_shape(checker *c, const atx_op *op, const char *shape, const atx_limits *limits,
                             at_error *err)
{
    const char *types[ATX_MAX_WORDS];
    const int type_count = atx_types_to_check(types, &c->args->types, op);
    for (int k = 0; k < type_count && !atx_cancel_requested; k++) {
        atx_problem problem;
        if (problem_of(&problem, c, op, shape, types[k], NULL) == AT_OK)
            ATX_TRY(check_problem(c, &problem, limits, err));
    }
    return AT_OK;
}

/* One op with all its shapes and types. Where none of the usual shapes has a configuration, as of a kernel
 * that needs whole blocks, one that has. */
static at_status check_op(checker *c, const atx_op *op, const atx_limits *limits, at_error *err)
{
    const check_args *a = c->args;
    const char *const *shapes = a->shapes.count ? a->shapes.items : DEFAULT_SHAPES;
    const int shape_count = a->shapes.count ? a->shapes.count : DEFAULT_SHAPE_COUNT;
    char other[64];
    for (int s = 0; s < shape_count; s++)
        ATX_TRY(check_shape(c, op, shapes[s], limits, err));
    for (int i = 0; i < OTHER_SHAPES && !a->shapes.count && !has_any_row(c, op); i++) {
        shape_of(other, op, i);
        ATX_TRY(check_shape(c, op, other, limits, err));
    }
    return AT_OK;
}

static at_status check_arch(checker *c, const atx_limits *limits, at_error *err)
{
    for (int i = 0; i < atx_catalog_op_count(c->catalog); i++)
        if (chooses_op(c, atx_catalog_op(c->catalog, i)))
            ATX_TRY(check_op(c, atx_catalog_op(c->catalog, i), limits, err));
    return AT_OK;
}

/* A template that was compiled for nothing has not been checked: that must not look like success. */
static void warn_of_unchecked(const checker *c)
{
    char text[700];
    for (int o = 0; o < atx_catalog_op_count(c->catalog); o++) {
        const atx_op *op = atx_catalog_op(c->catalog, o);
        for (int i = 0; i < atx_catalog_template_count(c->catalog, op); i++) {
            const atx_template *t = atx_catalog_template(c->catalog, op, i);
            if (!chooses_template(c, t) || has_row(c, t))
                continue;
            atx_str why = { 0 };
            at_error ignored;
            if (atx_compile_check_refusal(&why, c->check, t, &ignored) != AT_OK)
                atx_str_clear(&why);
            snprintf(
                text, sizeof text,
                "%s/%s has no configuration for these shapes and types%s%.300s: not checked; name others "
                "with --shape",
                op->name, t->name, why.len ? ", as none satisfies " : "", atx_str_text(&why));
            atx_str_clear(&why);
            atx_warn(text);
        }
    }
}

/* Lines of a declaration whose comment begins with '?': the guesses of `autotune adopt`. */
static void list_questions(const char *source, const atx_part *part)
{
    const char *at = source + part->begin, *end = at + part->len;
    for (int line = 1; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((stop ? stop : end) - at);
        const char *hash = memmem(at, len, "# ? ", 4);
        if (hash)
            atx_print(stderr, "%s:%d: open question: %.*s\n", part->file, line, (int)(at + len - hash - 4),
                      hash + 4);
        if (memmem(at, len, "*/", 2)) /* the end of the declaration */
            return;
        at += len + 1;
    }
}

static void list_all_questions(const checker *c)
{
    for (int o = 0; o < atx_catalog_op_count(c->catalog) && c->format == ATX_TEXT; o++) {
        const atx_op *op = atx_catalog_op(c->catalog, o);
        if (!chooses_op(c, op))
            continue;
        list_questions(op->text.source, atx_own_part(op->text.parts, op->text.part_count, op->text.file));
        for (int i = 0; i < atx_catalog_template_count(c->catalog, op); i++) {
            const atx_template *t = atx_catalog_template(c->catalog, op, i);
            if (chooses_template(c, t))
                list_questions(t->text.source, atx_own_part(t->text.parts, t->text.part_count, t->text.file));
        }
    }
}

static at_status check_all(checker *c, at_error *err)
{
    int usable = 0;
    atx_compile_check_row *rows = NULL;
    at_status status = AT_OK;
    for (int i = 0; i < c->args->archs.count && status == AT_OK; i++) {
        atx_limits limits;
        char text[128];
        status = atx_arch_option(&limits, &c->variant, "--arch", c->args->archs.items[i], err);
        if (status != AT_OK)
            break;
        if (!atx_nvrtc_supports(c->nvrtc, (int)limits.cc)) {
            snprintf(text, sizeof text, "NVRTC %s does not compile for sm_%" PRId64 ": skipped",
                     atx_nvrtc_version(c->nvrtc), limits.cc);
            atx_warn(text);
            continue;
        }
        usable++;
        status = check_arch(c, &limits, err);
    }
    ATX_THEN(status, atx_compile_check_finish(c->check, err));
    erase(c);
    if (status == AT_OK && !usable)
        status = atx_fail(err, AT_ERR_USAGE, "none of the architectures is supported by NVRTC %s",
                          atx_nvrtc_version(c->nvrtc));
    if (status == AT_OK && !atx_cancel_requested && atx_compile_check_rows(c->check, &rows) == 0)
        status = atx_fail(err, AT_ERR_USAGE, "no operation takes these shapes; name others with --shape");
    if (status == AT_OK && !atx_cancel_requested)
        warn_of_unchecked(c);
    return status;
}

static at_status holds_something(const checker *c, at_error *err)
{
    bool found = !is_added_only(c->args);
    for (int o = 0; o < atx_catalog_op_count(c->catalog) && !found; o++)
        found = atx_catalog_has_added(c->catalog, atx_catalog_op(c->catalog, o));
    return found ? AT_OK
                 : atx_fail(err, AT_ERR_INPUT,
                            "--templates %s: found no operation and no template to check; expected "
                            "DIR/<op>/*.cu, or the name of an operation",
                            c->args->templates_dir);
}

/* Of the chosen ops. */
static bool is_template(const checker *c, const char *name)
{
    bool known = false;
    for (int o = 0; o < atx_catalog_op_count(c->catalog) && !known; o++) {
        const atx_op *op = atx_catalog_op(c->catalog, o);
        const atx_template *t = chooses_op(c, op) ? atx_catalog_find_template(c->catalog, op, name) : NULL;
        known = t && may_choose(c, t);
    }
    return known;
}

static at_status unknown_template(const checker *c, const char *word, at_error *err)
{
    const char *names[ATX_MAX_WORDS] = { NULL };
    int count = 0;
    for (int o = 0; o < atx_catalog_op_count(c->catalog); o++) {
        const atx_op *op = atx_catalog_op(c->catalog, o);
        for (int i = 0; i < atx_catalog_template_count(c->catalog, op); i++) {
            const atx_template *t = atx_catalog_template(c->catalog, op, i);
            if (may_choose(c, t) && count < ATX_MAX_WORDS - 1)
                names[count++] = t->name;
        }
    }
    const char *near = atx_nearest(word, names);
    const bool added = is_added_only(c->args);
    atx_fail(err, AT_ERR_USAGE, "no template '%s'%s%s; %s%s%s%s", word, added ? " in " : "",
             added ? c->args->templates_dir : "", near ? "did you mean '" : "", near ? near : "",
             near ? "'? " : "",
             added ? "built-in ones are checked where their operation is named"
                   : "`autotune list templates` shows them");
    return AT_ERR_USAGE;
}

static at_status known_names(const checker *c, at_error *err)
{
    const check_args *a = c->args;
    atx_limits limits;
    char variant;
    for (int i = 0; i < a->archs.count; i++)
        ATX_TRY(atx_arch_option(&limits, &variant, "--arch", a->archs.items[i], err));
    for (int i = 0; i < a->words.count; i++)
        if (!atx_catalog_find_op(c->catalog, a->words.items[i]))
            ATX_TRY(atx_unknown_op(c->catalog, "", a->words.items[i], err));
    for (int i = 0; i < a->templates.count; i++) {
        if (!is_template(c, a->templates.items[i]))
            ATX_TRY(unknown_template(c, a->templates.items[i], err));
    }
    return AT_OK;
}

/* The complaint about a shape and type that no chosen op takes, if there is one. */
static at_status fits_some_op(const checker *c, const char *shape, const char *type, at_error *err)
{
    at_status status = AT_OK;
    for (int o = 0; o < atx_catalog_op_count(c->catalog); o++) {
        const atx_op *op = atx_catalog_op(c->catalog, o);
        const char *types[ATX_MAX_WORDS];
        atx_problem problem;
        if (!chooses_op(c, op) || (!type && atx_types_to_check(types, &c->args->types, op) == 0))
            continue;
        status = problem_of(&problem, c, op, shape, type ? type : types[0], err);
        if (status == AT_OK)
            return AT_OK;
    }
    return status;
}

/* Every shape and every type that was named must be right for some op, before anything is compiled. */
static at_status known_problems(const checker *c, at_error *err)
{
    const check_args *a = c->args;
    bool named = a->types.count && strcmp(a->types.items[0], "all") != 0;
    for (int s = 0; s < a->shapes.count; s++)
        ATX_TRY(fits_some_op(c, a->shapes.items[s], NULL, err));
    for (int k = 0; k < a->types.count && named; k++) {
        atx_dtype type;
        at_error cause = { 0 };
        if (atx_dtype_parse(&type, a->types.items[k], strlen(a->types.items[k]), &cause) != AT_OK)
            return atx_fail(err, AT_ERR_USAGE, "--dtype: %s", cause.text);
        else if (a->shapes.count)
            ATX_TRY(fits_some_op(c, a->shapes.items[0], a->types.items[k], err));
    }
    return AT_OK;
}

static at_status open_compiler(checker *c, at_error *err)
{
    const check_args *a = c->args;
    atx_compile_check_options options = {
        .catalog = c->catalog,
        .templates = &a->templates,
        .added_only = is_added_only(a),
        .workers = (int)(a->jobs < 1024 ? a->jobs : 1024),
        .sample = a->sample < 0 ? 0 : a->sample,
        .seed = (uint64_t)a->seed,
        .cancel = &atx_cancel_requested,
        .context = c,
        .fault = show_fault,
        .progress = show_progress,
    };
    c->terminal = atx_terminal_draws(stderr);
    c->next_s = c->started_s + (c->terminal ? 0 : WAIT_TIME_S);
    ATX_TRY(atx_nvrtc_open(&c->nvrtc, err));
    return atx_compile_check_open(&c->check, &options, err);
}

/* The same names, on the machine. */
static at_status execute(checker *c, at_error *err)
{
    const check_args *a = c->args;
    atx_limits limits;
    at_status status = atx_arch_option(&limits, &c->variant, "--arch", a->archs.items[0], err);
    ATX_THEN(status, atx_nvrtc_open(&c->nvrtc, err));
    const atx_executing what = { .catalog = c->catalog,
                                 .nvrtc = c->nvrtc,
                                 .ops = &a->words,
                                 .templates = &a->templates,
                                 .added_only = is_added_only(a),
                                 .shapes = &a->shapes,
                                 .types = &a->types,
                                 .cc = status == AT_OK ? (int)limits.cc : 0,
                                 .configs = a->sample < 0 ? EXECUTED : a->sample,
                                 .seed = a->seed,
                                 .format = c->format };
    return status == AT_OK ? atx_execute_and_print(&c->executed, &what, err) : status;
}

/* `check cast_transpose 'to=f16 33x31' f32`: a word that names no operation is a shape or a type. An
 * operation may have a type's name. */
static at_status sort_words(check_args *a, const atx_catalog *catalog, at_error *err)
{
    atx_words ops = { .count = 0 };
    for (int i = 0; i < a->words.count; i++) {
        const char *word = a->words.items[i];
        atx_dtype type;
        atx_words *to = atx_catalog_find_op(catalog, word)                          ? &ops
                        : (*word >= '0' && *word <= '9') || strchr(word, '=')       ? &a->shapes
                        : atx_dtype_parse(&type, word, strlen(word), NULL) == AT_OK ? &a->types
                                                                                    : &ops;
        if (to->count == ATX_MAX_WORDS)
            return atx_fail(err, AT_ERR_USAGE, "'%s': found one %s too many; expected at most %d in one call",
                            word, to == &a->types ? "type" : "shape", ATX_MAX_WORDS);
        to->items[to->count++] = word;
    }
    a->words = ops;
    return AT_OK;
}

static int exit_code(const checker *c)
{
    const int code = c->args->execute ? atx_executed_code(&c->executed) : ATX_EXIT_OK;
    return code == ATX_EXIT_OK && (c->failed || c->broken) ? ATX_EXIT_FAILED : code;
}

static int run_check(check_args *a)
{
    checker c = { .args = a, .started_s = atx_now_s() };
    at_error err = { 0 };
    if (a->archs.count == 0)
        a->archs.items[a->archs.count++] = "sm_90";
    bool json = false;
    at_status status = a->execute ? atx_format_text_or_json(&json, a->format, "what --execute finds", &err)
                                  : atx_format_parse(&c.format, a->format, &err);
    if (json)
        c.format = ATX_JSON;
    ATX_THEN(status, atx_open_catalog(&c.catalog, a->templates_dir, &c.broken, &err));
    ATX_THEN(status, sort_words(a, c.catalog, &err));
    ATX_THEN(status, holds_something(&c, &err));
    ATX_THEN(status, known_names(&c, &err));
    ATX_THEN(status, known_problems(&c, &err));
    if (status == AT_OK)
        list_all_questions(&c);
    if (status == AT_OK && a->execute)
        status = execute(&c, &err);
    if (status == AT_OK && !a->execute)
        status = open_compiler(&c, &err);
    if (status == AT_OK && !a->execute)
        status = check_all(&c, &err);
    if (status == AT_OK && !a->execute)
        atx_checked_print(c.check, c.format, c.failed, atx_now_s() - c.started_s, atx_nvrtc_version(c.nvrtc));
    int code = status != AT_OK ? atx_complain(&err) : exit_code(&c);
    atx_compile_check_close(c.check);
    atx_nvrtc_close(c.nvrtc);
    atx_catalog_close(c.catalog);
    return atx_cancel_requested ? ATX_EXIT_INTERRUPTED : code;
}

int atx_cmd_check(int argc, char **argv)
{
    check_args a = { .seed = 1, .sample = -1 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--arch", ATX_OPT_LIST, "sm_90[,sm_80...]", "architectures (default sm_90)", &a.archs },
        { "--only", ATX_OPT_LIST, "NAME[,NAME]", "only these templates", &a.templates },
        { "--shape", ATX_OPT_LIST, "SHAPE[,SHAPE]",
          "shapes to check (default: those of 4096x4096, 4097x4095, 1000003x3, 8192x16x16, 1000003 and two "
          "permutations that suit the operation)",
          &a.shapes },
        { "--dtype", ATX_OPT_LIST, "TYPE[,TYPE]|all",
          "types to check (default all: one of each size, or every type if the operation computes)",
          &a.types },
        { "--sample", ATX_OPT_COUNT, "N",
          "check N random configurations of each template, shape and type; one may appear twice (default: "
          "all; with --execute 12 of each template)",
          &a.sample },
        { "--seed", ATX_OPT_COUNT, "N", "seed of the sample (default 1)", &a.seed },
        { "--jobs", ATX_OPT_COUNT, "N", "number of compile workers (default: one per core)", &a.jobs },
        { "--execute", ATX_OPT_FLAG, NULL,
          ATX_NEEDS_MACHINE "run the kernels on the CPU and report their faults", &a.execute },
        ATX_TEMPLATES_OPTION(&a.templates_dir),
        ATX_FOLDER_OPTIONS(&a.folders),
        { "--format", ATX_OPT_TEXT, "text|json|csv", "output format (default text); --execute has no csv",
          &a.format },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    return run_check(&a);
}
