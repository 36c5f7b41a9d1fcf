/*
 * gen_numbers.c - writes rendered templates of ops that compute as C++ for tests/cpu/numbers.cpp:
 * "gen_numbers FOLDER TEMPLATES PROBLEMS". TEMPLATES is as for `--templates`, PROBLEMS a file as for
 * `--shapes`.
 *
 * One file for each problem: what its buffers hold and how outputs are compared, as the op declares it, then
 * the op's reference kernel, then for every template the default, the first and the last valid configuration,
 * and some at random (always the same ones). So nothing here knows an op.
 */
#include "rendered.h"

#include "lang/data.h"
#include "lang/render.h"
#include "lang/shapes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_PICKS = 4 };

typedef struct generator {
    file file;
    const at__problem *problem;
    int64_t slots[AT__MAX_SLOTS]; /* the op's */
    at__str launches;             /* tables, in front of that of the candidates */
    at__rng rng;
} generator;

/* ---- the op's buffers ---- */

static void add_buffer(at__str *to, const generator *g, const at__arg *arg)
{
    const at__op *op = g->problem->op;
    const at__check *check = arg->check.where.line ? &arg->check : &op->check;
    const int number = at__dtype_number(at__arg_type(arg, g->problem->type), at__arg_is_storage(op, arg));
    const int bytes = at__dtype_bytes(at__arg_type(arg, g->problem->type));
    at_error err = { 0 };
    int64_t elements = 0;
    uint64_t a = 0, b = 0;

    must(at__expr_eval(&elements, arg->expr, g->slots, &err), &err);
    const int64_t numbers = elements * bytes / at__number_bytes(number);
    if (arg->role == AT__INPUT || arg->role == AT__INOUT)
        must(at__input_numbers(&a, &b, arg, number, numbers, g->slots, &err), &err);
    at__str_addf(
        to, "    { \"%s\", %d, %" PRId64 ", %d, %d, %" PRIu64 "u, %" PRIu64 "u, %d, %d, %.17g, %.17g },\n",
        arg->name, (int)arg->role, numbers, number, arg->input.how, a, b, arg->zero, check->rule,
        check->relative, check->absolute);
}

static void add_buffers(at__str *to, const generator *g)
{
    const at__op *op = g->problem->op;
    at__str_add(to, "static const cpu_buffer buffers[] = {\n");
    for (int i = 0; i < op->arg_count; i++)
        if (op->args[i].role != AT__SCALAR)
            add_buffer(to, g, &op->args[i]);
    at__str_add(to, "};\n");
}

/* ---- launches ---- */

/* Number of a buffer among the op's. */
static int buffer_of(const at__op *op, int arg)
{
    int number = 0;
    for (int i = 0; i < arg; i++)
        number += op->args[i].role != AT__SCALAR;
    return number;
}

static void add_argument(at__str *to, const generator *g, int i)
{
    const at__arg *arg = &g->problem->op->args[i];
    const at__dtype type = at__arg_type(arg, g->problem->type);
    at_error err = { 0 };
    int64_t value = 0;

    if (arg->role != AT__SCALAR) {
        at__str_addf(to, "(%s%s *)buffers[%d]", arg->role == AT__INPUT ? "const " : "",
                     at__dtype_cuda(type, at__arg_is_storage(g->problem->op, arg)),
                     buffer_of(g->problem->op, i));
        return;
    }
    must(at__scalar_value(&value, arg, g->slots, &err), &err);
    if (at__number_class(at__dtype_number(type, 0)) == AT__FLOAT)
        at__str_addf(to, "(%s)%.17g", at__dtype_cuda(type, 0),
                     at__number_value((at__u64)value, at__dtype_number(type, 0)));
    else
        at__str_addf(to, "%" PRId64 "LL", value);
}

/* One row of a table of launches; `function` as the generated file knows it. */
static void add_launch(generator *g, const at__geometry *at, const char *function, const int *args, int count)
{
    at__str_addf(&g->launches,
                 "    { { %" PRId64 ", %" PRId64 ", %" PRId64 " }, { %" PRId64 ", %" PRId64 ", %" PRId64
                 " }, %" PRId64 ", [](void *const *buffers) { (void)buffers; %s(",
                 at->grid[0], at->grid[1], at->grid[2], at->block[0], at->block[1], at->block[2],
                 at->shared_bytes, function);
    for (int i = 0; i < count; i++) {
        at__str_add(&g->launches, i ? ", " : "");
        add_argument(&g->launches, g, args[i]);
    }
    at__str_add(&g->launches, "); } },\n");
}

static void function_name(char out[2 * AT__MAX_KERNEL], size_t text, const char *kernel, bool expression,
                          int order)
{
    if (expression)
        snprintf(out, 2 * AT__MAX_KERNEL, "case_%zu::%s", text, kernel);
    else if (order)
        snprintf(out, 2 * AT__MAX_KERNEL, "case_%zu::kernel_%zu_%d", text, text, order);
    else
        snprintf(out, 2 * AT__MAX_KERNEL, "case_%zu::kernel_%zu", text, text);
}

/* The line of this place is a directive's. */
static bool in_directive(const char *source, const char *at)
{
    while (at > source && at[-1] != '\n')
        at--;
    return *at == '#';
}

/*
 * Blocks of a cluster: the first word of the kernel's __cluster_dims__(CLUSTER, 1, 1). Behind a macro, which
 * only devices with clusters have, it places blocks and does not make them share anything.
 */
static void add_cluster(at__str *to, size_t text, const char *source)
{
    static const char ATTRIBUTE[] = "__cluster_dims__(";
    const char *at = strstr(source, ATTRIBUTE);
    if (at && !in_directive(source, at))
        at__str_addf(to, "case_%zu::%.*s", text, (int)strcspn(at + sizeof ATTRIBUTE - 1, ",)"),
                     at + sizeof ATTRIBUTE - 1);
    else
        at__str_add(to, "1");
}

static void add_candidate(generator *g, size_t text, const char *source, const char *name, const char *config,
                          int launches)
{
    at__str_addf(&g->file.rows, "    { \"%s\", \"%s\", launches_%zu, %d, case_%zu::shared, ", name, config,
                 g->file.row_count, launches, text);
    add_cluster(&g->file.rows, text, source);
    at__str_add(&g->file.rows, " },\n");
    g->file.row_count++;
}

static void add_reference(generator *g)
{
    const at__op *op = g->problem->op;
    const char *name = op->reference;
    char function[2 * AT__MAX_KERNEL];
    int all[AT__MAX_ARGS], count = 0;
    at_error err = { 0 };
    at__str text = { 0 };
    at__geometry at = { 0 };

    for (int i = 0; i < op->arg_count; i++)
        all[count++] = i;
    must(at__geometry_of(&at, &op->launch, g->slots, &err), &err);
    must(at__render_reference_of(&text, g->problem, &err), &err);
    const size_t n = add_kernels(&g->file, at__str_text(&text), &name, 1, at.shared_bytes);
    function_name(function, n, name, false, 0);
    at__str_addf(&g->launches, "static const cpu_launch launches_%zu[] = {\n", g->file.row_count);
    add_launch(g, &at, function, all, count);
    at__str_add(&g->launches, "};\n");
    add_candidate(g, n, at__str_text(&text), name, "", 1);
    at__str_clear(&text);
}

/* The namespace of a configuration's text; its kernels that have a plain name are renamed. */
static size_t add_text(generator *g, const at__template *t, const char *text, int64_t shared_bytes)
{
    const char *names[AT__MAX_STEPS] = { t->kernel };
    for (int i = 0; i < t->more_count; i++)
        names[i + 1] = t->more[i].kernel;
    return add_kernels(&g->file, text, names, t->expression ? 0 : 1 + t->more_count, shared_bytes);
}

static void add_config(generator *g, const at__space *space, int64_t index)
{
    const at__template *t = at__space_template(space);
    at_error err = { 0 };
    at__str text = { 0 }, words = { 0 };
    at__config config;
    int64_t slots[AT__MAX_SLOTS], shared_bytes = 0;
    at__geometry at[AT__MAX_STEPS] = { 0 };
    char function[2 * AT__MAX_KERNEL];

    memcpy(slots, g->slots, sizeof slots);
    at__space_config(&config, space, index);
    must(at__config_bind(slots, t, &config, &err), &err);
    must(at__render(&text, t, g->problem->type, &config, slots, &err), &err);
    at__config_text(&words, t, &config);
    if (!g->file.constant_sizes)
        pass_sizes(&text);
    for (int i = 0; i <= t->more_count; i++) {
        must(at__geometry_of(&at[i], i ? &t->more[i - 1].launch : &t->launch, slots, &err), &err);
        shared_bytes = at[i].shared_bytes > shared_bytes ? at[i].shared_bytes : shared_bytes;
    }
    const size_t n = add_text(g, t, at__str_text(&text), shared_bytes);
    at__str_addf(&g->launches, "static const cpu_launch launches_%zu[] = {\n", g->file.row_count);
    for (int i = 0; i <= t->more_count; i++) {
        const at__step *step = i ? &t->more[i - 1] : NULL;
        function_name(function, n, step ? step->kernel : t->kernel, step ? step->expression : t->expression,
                      i);
        add_launch(g, &at[i], function, step ? step->args : t->args, step ? step->arg_count : t->arg_count);
    }
    at__str_add(&g->launches, "};\n");
    add_candidate(g, n, at__str_text(&text), t->name, at__str_text(&words), 1 + t->more_count);
    at__str_clear(&text);
    at__str_clear(&words);
}

static void add_template(generator *g, const at__template *t)
{
    at_error err = { 0 };
    int64_t picks[MAX_PICKS];
    at__space *space = NULL;

    must(at__space_open(&space, t, g->slots, NULL, 0, &err), &err);
    if (at__space_count(space) > 0) {
        const int count = pick(picks, space, RANDOM_PICKS, &g->rng);
        for (int i = 0; i < count; i++)
            add_config(g, space, picks[i]);
    }
    at__space_close(space);
}

static void write_problem(generator *g, const char *folder, size_t number)
{
    char name[AT__MAX_NAME + 32];
    at__str table = { 0 }, shape = { 0 };

    at__problem_shape(&shape, g->problem);
    add_buffers(&table, g);
    at__str_addf(&table, "%sstatic const cpu_candidate rows[] = {\n%s};\n", at__str_text(&g->launches),
                 at__str_text(&g->file.rows));
    at__str_addf(&table,
                 "static cpu_problem problem = { \"%s\", \"%s\", \"%s\", buffers, %d, rows, %zu, nullptr };\n"
                 "static const bool added = (problem.next = cpu_problems, cpu_problems = &problem, true);\n",
                 g->problem->op->name, at__str_text(&shape), at__dtype_name(g->problem->type),
                 buffer_of(g->problem->op, g->problem->op->arg_count), g->file.row_count);
    snprintf(name, sizeof name, "%s_%zu", g->problem->op->name, number);
    write_generated(&g->file, folder, name, at__str_text(&table));
    at__str_clear(&table);
    at__str_clear(&shape);
}

static void generate(const char *folder, const at__catalog *catalog, const at__problem *problem,
                     size_t number)
{
    generator g = { .problem = problem, .rng = { 20 + number } };
    at_error err = { 0 };

    g.file.constant_sizes = number % 2 == 0;
    must(at__problem_bind(g.slots, problem, &cpu_limits, &err), &err);
    add_reference(&g);
    for (int n = 0; n < at__catalog_template_count(catalog, problem->op); n++)
        add_template(&g, at__catalog_template(catalog, problem->op, n));
    write_problem(&g, folder, number);
    at__str_clear(&g.launches);
    file_clear(&g.file);
}

static void generate_all(const char *folder, const char *templates, const char *problems)
{
    at__catalog *catalog = NULL;
    at__shapes shapes = { 0 };
    at_error err = { 0 };

    must(at__catalog_open(&catalog, templates, &err), &err);
    must(at__shapes_read(&shapes, problems, catalog, NULL, &err), &err);
    for (size_t i = 0; i < shapes.count; i++)
        generate(folder, catalog, &shapes.problems[i], i);
    at__shapes_clear(&shapes);
    at__catalog_close(catalog);
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc % 2) {
        fprintf(stderr, "usage: gen_numbers FOLDER TEMPLATES PROBLEMS [TEMPLATES PROBLEMS]...\n");
        return 2;
    }
    for (int i = 2; i < argc; i += 2)
        generate_all(argv[1], argv[i], argv[i + 1]);
    return 0;
}
