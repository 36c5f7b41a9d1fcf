/*
 * cmd_check.c - `autotune check`: compiles configurations for any architecture, without a GPU, and reports
 * what the compiler says of them. Equal sources (shapes share kernels) are compiled once.
 */
#include "arch.h"
#include "commands.h"
#include "pool.h"
#include "render.h"
#include "space.h"
#include "util/clock.h"
#include "util/sha256.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const at__usage USAGE = {
    "autotune check [OP] [options]",
    "Compiles the configurations of every template, or a sample of them, for the given architectures. "
    "Reports\n"
    "registers, shared memory and spills; every compile error with its configuration. Exit code 1: some "
    "failed.",
};

typedef struct check_args {
    const char *templates_dir, *format;
    at__words words, archs, templates, shapes, types;
    int64_t sample, seed, jobs;
} check_args;

/* What the compiler said of one template, architecture and type. */
typedef struct row {
    const at__template *t; /* NULL: the op's reference kernel */
    const at__op *op;
    int cc;
    at__dtype type;
    int64_t compiled, failed, spilling, shared_max;
    int64_t *registers;
    size_t register_count, register_cap;
} row;

typedef struct job {
    size_t row;
    char *config;
} job;

typedef struct checker {
    const check_args *args;
    at__catalog *catalog;
    at__nvrtc *nvrtc;
    at__pool *pool;
    at__format format;
    row *rows;
    size_t row_count, row_cap;
    job *jobs;
    size_t job_count, job_cap;
    char (*seen)[AT__HASH_TEXT]; /* open addressing; "" is empty */
    size_t seen_count, seen_cap;
    int64_t failed;
} checker;

/* Adds a hash; true when it was new. */
static bool is_new(checker *c, const char *hash)
{
    if (2 * (c->seen_count + 1) > c->seen_cap) {
        size_t old_cap = c->seen_cap, cap = old_cap ? 2 * old_cap : 1024;
        char(*old)[AT__HASH_TEXT] = c->seen, (*grown)[AT__HASH_TEXT] = calloc(cap, sizeof *grown);
        if (!grown)
            return true; /* compiled twice then: no harm */
        c->seen = grown;
        c->seen_cap = cap;
        c->seen_count = 0;
        for (size_t i = 0; i < old_cap; i++)
            if (old[i][0])
                is_new(c, old[i]);
        free(old);
    }
    size_t at = strtoull(
        (char[]){ hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7], 0 }, NULL, 16);
    for (at %= c->seen_cap; c->seen[at][0]; at = (at + 1) % c->seen_cap)
        if (strcmp(c->seen[at], hash) == 0)
            return false;
    memcpy(c->seen[at], hash, AT__HASH_TEXT);
    c->seen_count++;
    return true;
}

static void take(checker *c, at__compiled *done)
{
    job *j = &c->jobs[done->tag];
    row *r = &c->rows[j->row];
    r->compiled++;
    if (!done->ok) {
        r->failed++;
        c->failed++;
        fprintf(stderr, "sm_%d %s %s/%s %s:\n%s\n", r->cc, at__dtype_name(r->type), r->op->name,
                r->t ? r->t->name : r->op->reference, j->config, at__str_text(&done->log));
    } else {
        const at__resources *u = &done->resources;
        r->spilling += u->spill_bytes > 0;
        r->shared_max = u->shared_bytes > r->shared_max ? u->shared_bytes : r->shared_max;
        if (u->registers >= 0 &&
            at__grow(&r->registers, &r->register_cap, r->register_count, sizeof *r->registers))
            r->registers[r->register_count++] = u->registers;
    }
    free(j->config);
    j->config = NULL;
}

/* Takes what is finished; waits when `wait` and nothing is. */
static at_status drain(checker *c, bool wait, at_error *err)
{
    at__compiled done = { 0 };
    struct pollfd fds[128];
    if (wait) {
        int count = at__pool_fds(c->pool, fds, 128);
        poll(fds, (nfds_t)count, 100);
    }
    at_status status = at__pool_pump(c->pool, err);
    while (status == AT_OK && at__pool_take(c->pool, &done)) {
        take(c, &done);
        at__compiled_clear(&done);
    }
    return status;
}

static at_status submit(checker *c, size_t row_index, const at__str *source, const char *file,
                        const char *config, at_error *err)
{
    char hash[AT__HASH_TEXT], keyed[AT__HASH_TEXT + 8];
    at__hash_text(hash, source->data, source->len);
    int n = snprintf(keyed, sizeof keyed, "%s%d", hash, c->rows[row_index].cc);
    at__hash_text(hash, keyed, (size_t)n);
    if (!is_new(c, hash))
        return AT_OK;
    at_status status = AT_OK;
    while (status == AT_OK && !at__pool_has_room(c->pool))
        status = drain(c, true, err);
    if (status != AT_OK)
        return status;
    if (!at__grow(&c->jobs, &c->job_cap, c->job_count, sizeof *c->jobs))
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    c->jobs[c->job_count] = (job){ .row = row_index, .config = at__text_copy(config, strlen(config)) };
    return at__pool_submit(c->pool, (int64_t)c->job_count++, at__str_text(source), file,
                           c->rows[row_index].cc, AT__CUBIN, err);
}

static size_t find_row(checker *c, const at__op *op, const at__template *t, int cc, at__dtype type,
                       at_error *err, at_status *status)
{
    for (size_t i = 0; i < c->row_count; i++)
        if (c->rows[i].op == op && c->rows[i].t == t && c->rows[i].cc == cc && c->rows[i].type == type)
            return i;
    if (!at__grow(&c->rows, &c->row_cap, c->row_count, sizeof *c->rows)) {
        *status = at_fail(err, AT_ERR_MEMORY, "out of memory");
        return 0;
    }
    c->rows[c->row_count] = (row){ .op = op, .t = t, .cc = cc, .type = type };
    return c->row_count++;
}

static at_status check_template(checker *c, const at__template *t, const at__problem *p, const int64_t *slots,
                                int cc, at_error *err)
{
    at__space *space = NULL;
    at__rng rng = { (uint64_t)c->args->seed };
    at_status status = at__space_open(&space, t, slots, NULL, 0, err);
    if (status != AT_OK)
        return status;
    int64_t count = at__space_count(space), sample = c->args->sample;
    bool all = sample == 0 || sample >= count;
    size_t r = count ? find_row(c, t->op, t, cc, p->type, err, &status) : 0;
    for (int64_t i = 0; i < (all ? count : sample) && status == AT_OK && !at__stop_requested; i++) {
        at__config config;
        at__str source = { 0 }, text = { 0 };
        at__space_config(&config, space, all ? i : at__space_sample(space, &rng));
        at__config_text(&text, t, &config);
        status = at__render(&source, t, p->type, &config, slots, err);
        if (status == AT_OK)
            status = submit(c, r, &source, t->file, at__str_text(&text), err);
        at__str_clear(&source);
        at__str_clear(&text);
    }
    at__space_close(space);
    return status;
}

static bool chosen(const at__words *words, const char *name)
{
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->items[i], name) == 0)
            return true;
    return words->count == 0;
}

static at_status check_problem(checker *c, const at__problem *p, const at__limits *limits, at_error *err)
{
    int64_t slots[AT__MAX_SLOTS];
    at__str source = { 0 };
    int cc = (int)limits->cc;
    at_status status = at__problem_bind(slots, p, limits, err);
    if (status == AT_OK)
        status = at__render_reference(&source, p->op, p->type, err);
    size_t r = status == AT_OK ? find_row(c, p->op, NULL, cc, p->type, err, &status) : 0;
    if (status == AT_OK)
        status = submit(c, r, &source, p->op->file, "", err);
    at__str_clear(&source);
    for (int i = 0; i < at__catalog_template_count(c->catalog, p->op) && status == AT_OK; i++) {
        const at__template *t = at__catalog_template(c->catalog, p->op, i);
        if (chosen(&c->args->templates, t->name))
            status = check_template(c, t, p, slots, cc, err);
    }
    return status;
}

/* Shapes of the default: aligned, ragged, thin, batches of small matrices. */
static const char *const DEFAULT_SHAPES[] = { "4096x4096", "4097x4095", "1000003x3", "8192x16x16",
                                              "1000003" };
enum { DEFAULT_SHAPE_COUNT = sizeof DEFAULT_SHAPES / sizeof *DEFAULT_SHAPES };

/*
 * The types to check an op with: those that were named; else all that make a difference to it, which is one
 * of each size where types are storage, and otherwise every type that it declares.
 */
static int types_of(const char *out[AT__MAX_WORDS], const check_args *a, const at__op *op)
{
    static const at__dtype SIZES[] = { AT__U8, AT__F16, AT__F32, AT__F64, AT__C128 };
    int count = 0;
    if (a->types.count && strcmp(a->types.items[0], "all") != 0) {
        memcpy(out, a->types.items, sizeof a->types.items);
        return a->types.count;
    }
    for (size_t i = 0; op->storage && i < sizeof SIZES / sizeof *SIZES; i++)
        out[count++] = at__dtype_name(SIZES[i]);
    for (int i = 0; !op->storage && i < AT__DTYPES; i++)
        if (op->types & (1u << i))
            out[count++] = at__dtype_name((at__dtype)i);
    return count;
}

static at_status problem_of(at__problem *out, const checker *c, const at__op *op, const char *shape,
                            const char *type, at_error *err)
{
    at__words line = { .items = { op->name, shape, type }, .count = 3 };
    return at__problem_from_words(out, &line, c->catalog, err);
}

/* One op with all its shapes and types. What does not fit it is for another op: known_problems has looked. */
static at_status check_op(checker *c, const at__op *op, const at__limits *limits, at_error *err)
{
    const check_args *a = c->args;
    const char *types[AT__MAX_WORDS];
    const char *const *shapes = a->shapes.count ? a->shapes.items : DEFAULT_SHAPES;
    int shape_count = a->shapes.count ? a->shapes.count : DEFAULT_SHAPE_COUNT;
    int type_count = types_of(types, a, op);
    at_status status = AT_OK;
    for (int s = 0; s < shape_count; s++)
        for (int k = 0; k < type_count && status == AT_OK && !at__stop_requested; k++) {
            at__problem problem;
            if (problem_of(&problem, c, op, shapes[s], types[k], NULL) == AT_OK)
                status = check_problem(c, &problem, limits, err);
        }
    return status;
}

static at_status check_arch(checker *c, const at__limits *limits, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < at__catalog_op_count(c->catalog) && status == AT_OK; i++)
        if (chosen(&c->args->words, at__catalog_op(c->catalog, i)->name))
            status = check_op(c, at__catalog_op(c->catalog, i), limits, err);
    return status;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void print_row(const row *r, at__format format)
{
    static const char *const FORMATS[] = {
        [AT__TEXT] = "sm_%-4d %-5s %-9s %-16s %7" PRId64 " %6" PRId64 " %4" PRId64 "/%3" PRId64 "/%3" PRId64
                     " %8" PRId64 " %6" PRId64 "\n",
        [AT__JSON] =
            "{\"arch\":\"sm_%d\",\"dtype\":\"%s\",\"op\":\"%s\",\"template\":\"%s\",\"compiled\":%" PRId64
            ",\"failed\":%" PRId64 ",\"registers_min\":%" PRId64 ",\"registers_median\":%" PRId64
            ",\"registers_max\":%" PRId64 ",\"static_shared_max_bytes\":%" PRId64 ",\"spilling\":%" PRId64
            "}\n",
        [AT__CSV] = "sm_%d,%s,%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                    ",%" PRId64 "\n",
    };
    int64_t low = 0, middle = 0, high = 0;
    if (r->register_count) {
        qsort(r->registers, r->register_count, sizeof *r->registers, by_value);
        low = r->registers[0];
        middle = r->registers[r->register_count / 2];
        high = r->registers[r->register_count - 1];
    }
    printf(FORMATS[format], r->cc, at__dtype_name(r->type), r->op->name, r->t ? r->t->name : "(reference)",
           r->compiled, r->failed, low, middle, high, r->shared_max, r->spilling);
}

static void print_rows(const checker *c, double seconds)
{
    int64_t compiled = 0;
    if (c->format == AT__TEXT)
        printf("%-7s %-5s %-9s %-16s %7s %6s %12s %8s %6s\n", "arch", "type", "op", "template", "kernels",
               "failed", "registers", "shared", "spills");
    else if (c->format == AT__CSV)
        printf("arch,dtype,op,template,compiled,failed,registers_min,registers_median,registers_max,"
               "static_shared_max_bytes,spilling\n");
    for (size_t i = 0; i < c->row_count; i++) {
        if (c->rows[i].compiled)
            print_row(&c->rows[i], c->format);
        compiled += c->rows[i].compiled;
    }
    if (c->format == AT__TEXT)
        printf("%" PRId64 " kernels, %" PRId64 " failed, %.1f s, %.0f kernels a second, NVRTC %s\n", compiled,
               c->failed, seconds, seconds > 0 ? (double)compiled / seconds : 0, at__nvrtc_version(c->nvrtc));
}

static bool has_row(const checker *c, const at__template *t)
{
    for (size_t i = 0; i < c->row_count; i++)
        if (c->rows[i].t == t)
            return true;
    return false;
}

/* A template that was compiled for nothing has not been checked: that must not look like success. */
static void warn_of_unchecked(const checker *c)
{
    char text[256];
    for (int o = 0; o < at__catalog_op_count(c->catalog); o++) {
        const at__op *op = at__catalog_op(c->catalog, o);
        for (int i = 0; i < at__catalog_template_count(c->catalog, op); i++) {
            const at__template *t = at__catalog_template(c->catalog, op, i);
            if (!chosen(&c->args->words, op->name) || !chosen(&c->args->templates, t->name) || has_row(c, t))
                continue;
            snprintf(text, sizeof text,
                     "%s/%s has no configuration for these shapes and types: not checked; name others with "
                     "--shape",
                     op->name, t->name);
            at__warn(text);
        }
    }
}

static at_status check_all(checker *c, at_error *err)
{
    int usable = 0;
    at_status status = AT_OK;
    for (int i = 0; i < c->args->archs.count && status == AT_OK; i++) {
        at__limits limits;
        char text[128];
        status = at__arch_parse(&limits, c->args->archs.items[i], err);
        if (status != AT_OK)
            break;
        if (!at__nvrtc_supports(c->nvrtc, (int)limits.cc)) {
            snprintf(text, sizeof text, "NVRTC %s does not compile for sm_%" PRId64 ": skipped",
                     at__nvrtc_version(c->nvrtc), limits.cc);
            at__warn(text);
            continue;
        }
        usable++;
        status = check_arch(c, &limits, err);
    }
    while (status == AT_OK && at__pool_busy(c->pool))
        status = drain(c, true, err);
    if (status == AT_OK && !usable)
        status = at_fail(err, AT_ERR_USAGE, "none of the architectures is supported by NVRTC %s",
                         at__nvrtc_version(c->nvrtc));
    if (status == AT_OK && !at__stop_requested && c->row_count == 0)
        status = at_fail(err, AT_ERR_USAGE, "no operation takes these shapes; name others with --shape");
    if (status == AT_OK && !at__stop_requested)
        warn_of_unchecked(c);
    return status;
}

static at_status known_names(const checker *c, at_error *err)
{
    const check_args *a = c->args;
    at__limits limits;
    at_status status = AT_OK;
    for (int i = 0; i < a->archs.count && status == AT_OK; i++)
        status = at__arch_parse(&limits, a->archs.items[i], err);
    for (int i = 0; i < a->words.count && status == AT_OK; i++)
        if (!at__catalog_find_op(c->catalog, a->words.items[i]))
            status = at_fail(err, AT_ERR_USAGE, "no operation '%s'; `autotune list ops` shows them",
                             a->words.items[i]);
    for (int i = 0; i < a->templates.count && status == AT_OK; i++) {
        bool known = false;
        for (int o = 0; o < at__catalog_op_count(c->catalog); o++) {
            const at__op *op = at__catalog_op(c->catalog, o);
            known |= chosen(&a->words, op->name) &&
                     at__catalog_find_template(c->catalog, op, a->templates.items[i]);
        }
        if (!known)
            status = at_fail(err, AT_ERR_USAGE, "no template '%s'; `autotune list templates` shows them",
                             a->templates.items[i]);
    }
    return status;
}

/* The complaint about a shape and type that no chosen op takes, if there is one. */
static at_status fits_some_op(const checker *c, const char *shape, const char *type, at_error *err)
{
    at_status status = AT_OK;
    for (int o = 0; o < at__catalog_op_count(c->catalog); o++) {
        const at__op *op = at__catalog_op(c->catalog, o);
        const char *types[AT__MAX_WORDS];
        at__problem problem;
        if (!chosen(&c->args->words, op->name) || (!type && types_of(types, c->args, op) == 0))
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
    at_status status = AT_OK;
    for (int s = 0; s < a->shapes.count && status == AT_OK; s++)
        status = fits_some_op(c, a->shapes.items[s], NULL, err);
    for (int k = 0; k < a->types.count && named && status == AT_OK; k++) {
        at__dtype type;
        at_error cause = { 0 };
        if (at__dtype_parse(&type, a->types.items[k], strlen(a->types.items[k]), &cause) != AT_OK)
            status = at_fail(err, AT_ERR_USAGE, "--dtype: %s", cause.text);
        else if (a->shapes.count)
            status = fits_some_op(c, a->shapes.items[0], a->types.items[k], err);
    }
    return status;
}

static void checker_clear(checker *c)
{
    for (size_t i = 0; i < c->row_count; i++)
        free(c->rows[i].registers);
    for (size_t i = 0; i < c->job_count; i++)
        free(c->jobs[i].config);
    free(c->rows);
    free(c->jobs);
    free(c->seen);
    at__pool_close(c->pool);
    at__nvrtc_close(c->nvrtc);
    at__catalog_close(c->catalog);
}

static int run_check(check_args *a)
{
    checker c = { .args = a };
    at_error err = { 0 };
    double started_s = at__now_s();
    if (a->archs.count == 0)
        a->archs.items[a->archs.count++] = "sm_90";
    at_status status = at__format_parse(&c.format, a->format, &err);
    if (status == AT_OK)
        status = at__catalog_open(&c.catalog, a->templates_dir, &err);
    if (status == AT_OK)
        status = known_names(&c, &err);
    if (status == AT_OK)
        status = known_problems(&c, &err);
    if (status == AT_OK)
        status = at__nvrtc_open(&c.nvrtc, &err);
    if (status == AT_OK)
        status = at__pool_open(&c.pool,
                               (at__pool_options){ .workers = (int)(a->jobs < 1024 ? a->jobs : 1024) }, &err);
    if (status == AT_OK)
        status = check_all(&c, &err);
    if (status == AT_OK)
        print_rows(&c, at__now_s() - started_s);
    int code = status != AT_OK ? at__complain(&err) : c.failed ? AT__EXIT_NOTHING : AT__EXIT_OK;
    checker_clear(&c);
    return at__stop_requested ? AT__EXIT_INTERRUPTED : code;
}

int at__cmd_check(int argc, char **argv)
{
    check_args a = { .seed = 1 };
    int code = AT__EXIT_OK;
    const at__option TABLE[] = {
        { "--arch", AT__OPT_LIST, "sm_90[,sm_80...]", "architectures (default sm_90)", &a.archs },
        { "--template", AT__OPT_LIST, "NAME[,NAME]", "only these templates", &a.templates },
        { "--shape", AT__OPT_LIST, "SHAPE[,SHAPE]",
          "default: 4096x4096, 4097x4095, 1000003x3, 8192x16x16, 1000003, where they fit", &a.shapes },
        { "--dtype", AT__OPT_LIST, "TYPE[,TYPE]|all",
          "default and all: one of each size, or every type of an operation that computes", &a.types },
        { "--sample", AT__OPT_COUNT, "N",
          "at most N configurations of a template, shape and type, drawn uniformly", &a.sample },
        { "--seed", AT__OPT_COUNT, "N", "of the sample (default 1)", &a.seed },
        { "--jobs", AT__OPT_COUNT, "N", "compile workers (default: one a core)", &a.jobs },
        { "--templates", AT__OPT_TEXT, "DIR", "more operations and templates: DIR/<op>/*.cu",
          &a.templates_dir },
        { "--format", AT__OPT_TEXT, "text|json|csv", "of the table", &a.format },
        { NULL, AT__OPT_FLAG, NULL, NULL, NULL },
    };
    if (!at__command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    return run_check(&a);
}
