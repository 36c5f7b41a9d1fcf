/*
 * gen.c - writes rendered templates as C++ for tests/cpu/driver.cpp: "gen FOLDER [TEMPLATES]".
 *
 * For every op, template, element size and shape below it takes the template's default configuration, the
 * first and the last valid one, and a few at random (always the same ones). Each rendered text becomes a
 * namespace with its kernel under a name of its own, each configuration on a shape a row of a table of cases.
 * One file for each template and element size, so that they compile in parallel. TEMPLATES is as in
 * `--templates`.
 */
#include "rendered.h"

#include "lang/catalog.h"
#include "lang/render.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_PICKS = 1 };
enum { CONSTANT_EACH = 5 }; /* of so many shapes one has its sizes as constants; see pass_sizes */

/* Ragged against every tile, a single row or column, batches; then some that suit wide accesses. */
static const int64_t SHAPES[][3] = {
    { 1, 1, 1 },    { 1, 1, 37 },   { 1, 37, 1 },  { 1, 7, 5 },   { 1, 33, 31 },   { 1, 64, 64 },
    { 1, 48, 80 },  { 1, 130, 62 }, { 3, 17, 19 }, { 2, 32, 64 }, { 1, 272, 144 }, { 2, 128, 256 },
    { 1, 1, 5000 }, { 2, 36, 20 },  { 999, 2, 2 }, { 77, 8, 6 },  { 1, 2100, 3 },  { 1, 12, 1000 },
    { 3, 32, 640 }, { 1, 777, 32 }, { 1, 3, 5 },   { 1, 2, 7 },   { 333, 2, 4 },
};

static const at__dtype TYPES[] = { AT__U8, AT__U16, AT__U32, AT__U64, AT__C128 };

static void add_arguments(at__str *row, const at__op *op, const int64_t *slots)
{
    at_error err = { 0 };

    for (int i = 0; i < op->arg_count; i++) {
        const at__arg *arg = &op->args[i];
        int64_t value = 0;
        if (i > 0)
            at__str_add(row, ", ");
        if (arg->role == AT__SCALAR) {
            must(at__expr_eval(&value, arg->expr, slots, &err), &err);
            at__str_addf(row, "%" PRId64 "LL", value);
        } else {
            at__str_addf(row, "(%sT *)%s", arg->role == AT__INPUT ? "const " : "",
                         arg->role == AT__INPUT ? "in" : "out");
        }
    }
}

/* One row of the table: this kernel on this problem. */
static void add_case(file *f, size_t n, const at__problem *problem, const int64_t *slots,
                     const at__geometry *g, const char *name, const char *config)
{
    at__str shape = { 0 };
    const at__op *op = problem->op;

    at__problem_shape(&shape, problem);
    at__str_addf(&f->rows,
                 "    { \"%s\", \"%s\", \"%s\", \"%s\", \"%s\", %d, { %" PRId64 ", %" PRId64 ", %" PRId64
                 " }, { %" PRId64 ", %" PRId64 " }, { %" PRId64 ", %" PRId64 " }, ",
                 op->name, name, config, at__str_text(&shape), at__dtype_name(problem->type),
                 at__dtype_bytes(problem->type), problem->dims[0], problem->dims[1], problem->dims[2],
                 problem->dims[op->pitch_count ? 3 : 2], problem->dims[op->pitch_count ? 4 : 2],
                 at__problem_align_of(problem, 1), at__problem_align_of(problem, 0));
    at__str_addf(
        &f->rows,
        "{ %" PRId64 ", %" PRId64 ", %" PRId64 " }, { %" PRId64 ", %" PRId64 ", %" PRId64 " }, %" PRId64
        ",\n      [](void *out, const void *in) { using T = case_%zu::T; case_%zu::kernel_%zu(",
        g->grid[0], g->grid[1], g->grid[2], g->block[0], g->block[1], g->block[2], g->shared_bytes, n, n, n);
    add_arguments(&f->rows, op, slots);
    at__str_addf(&f->rows, "); }, case_%zu::shared },\n", n);
    f->row_count++;
    at__str_clear(&shape);
}

/* Sets a constant of the rendered text that is 0 to a digit; false: there is none of that name, or it is not
 * 0. */
static bool set_constant(at__str *text, const char *name, char digit)
{
    char line[64];
    snprintf(line, sizeof line, "constexpr int %s = 0;", name);
    char *at = text->data ? strstr(text->data, line) : NULL;
    if (at)
        at[strlen(line) - 2] = digit;
    return at != NULL;
}

/* Large offsets and grids cannot be tried here, but the code for them can. */
typedef enum variant {
    AS_RENDERED,
    FOR_HUGE, /* 64-bit offsets; tiles are counted in the grid's x alone */
    IN_STRIPS /* tiles are counted in strips of two */
} variant;

static const char *const variant_names[] = { "", ", as for a huge problem", ", in strips" };

/* False: this text has no such variant. */
static bool change(at__str *text, at__geometry *g, variant to)
{
    bool strips = to == IN_STRIPS && set_constant(text, "STRIP", '2');
    bool flat = (to == FOR_HUGE || strips) && set_constant(text, "FLAT", '1');
    bool wide = to == FOR_HUGE && set_constant(text, "WIDE", '1');

    if (flat) {
        g->grid[0] *= g->grid[1] * g->grid[2];
        g->grid[1] = g->grid[2] = 1;
    }
    return to == AS_RENDERED || strips || flat || wide;
}

static void add_config(file *f, const at__problem *problem, const int64_t *bound, const at__space *space,
                       int64_t index, variant v)
{
    at_error err = { 0 };
    at__str text = { 0 }, words = { 0 };
    at__config config;
    int64_t slots[AT__MAX_SLOTS];
    const at__template *t = at__space_template(space);
    at__geometry g = { 0 };

    memcpy(slots, bound, sizeof slots);
    at__space_config(&config, space, index);
    must(at__config_bind(slots, t, &config, &err), &err);
    must(at__render(&text, t, problem->type, &config, slots, &err), &err);
    must(at__geometry_of(&g, &t->launch, slots, &err), &err);
    at__config_text(&words, t, &config);
    if (!f->constant_sizes)
        pass_sizes(&text);
    if (change(&text, &g, v)) {
        at__str_add(&words, variant_names[v]);
        const char *name = t->kernel;
        size_t n = add_kernels(f, at__str_text(&text), &name, 1, g.shared_bytes);
        add_case(f, n, problem, slots, &g, t->name, at__str_text(&words));
    }
    at__str_clear(&text);
    at__str_clear(&words);
}

/* `few`: not the first and the last configuration. */
static void add_shape(file *f, const at__template *t, const at__problem *problem, at__rng *rng, bool few)
{
    at_error err = { 0 };
    int64_t slots[AT__MAX_SLOTS] = { 0 }, picks[MAX_PICKS];
    at__space *space = NULL;

    must(at__problem_bind(slots, problem, &cpu_limits, &err), &err);
    must(at__space_open(&space, t, slots, NULL, 0, &err), &err);
    if (at__space_count(space) > 0) {
        const int count = pick(picks, space, RANDOM_PICKS, rng);
        for (int i = few && count > 2 ? count - 2 : 0; i < count; i++)
            add_config(f, problem, slots, space, picks[i], AS_RENDERED);
        add_config(f, problem, slots, space, picks[count - 1], FOR_HUGE);
        if (!few)
            add_config(f, problem, slots, space, picks[count - 1], IN_STRIPS);
    }
    at__space_close(space);
}

static void add_reference(file *f, const at__problem *problem)
{
    at_error err = { 0 };
    at__str text = { 0 };
    int64_t slots[AT__MAX_SLOTS] = { 0 };
    at__geometry g = { 0 };

    must(at__problem_bind(slots, problem, &cpu_limits, &err), &err);
    must(at__geometry_of(&g, &problem->op->launch, slots, &err), &err);
    must(at__render_reference_of(&text, problem, &err), &err);
    const char *name = problem->op->reference;
    size_t n = add_kernels(f, at__str_text(&text), &name, 1, 0);
    add_case(f, n, problem, slots, &g, problem->op->reference, "");
    at__str_clear(&text);
}

static void write_file(const file *f, const char *folder, const char *op, const char *name, at__dtype type)
{
    char file_name[256];
    at__str table = { 0 };

    snprintf(file_name, sizeof file_name, "%s_%s_b%d", op, name, at__dtype_bytes(type));
    at__str_addf(&table, "static const cpu_case rows[] = {\n%s};\n", at__str_text(&f->rows));
    at__str_addf(&table,
                 "static cpu_cases part = { rows, %zu, nullptr };\n"
                 "static const bool added = (part.next = cpu_all, cpu_all = &part, true);\n",
                 f->row_count);
    write_generated(f, folder, file_name, at__str_text(&table));
    at__str_clear(&table);
}

typedef struct generator {
    file *file;
    const at__template *t; /* NULL: the op's reference kernel */
    at__rng rng;
    int less_aligned; /* problems so far */
} generator;

static void add_problem(generator *g, const at__problem *problem, bool few)
{
    if (g->t)
        add_shape(g->file, g->t, problem, &g->rng, few);
    else
        add_reference(g->file, problem);
}

/* Where its rows lie apart: all of them aligned, or not. */
static at__problem pitched(const at__problem *dense, bool aligned)
{
    at_error err = { 0 };
    at__problem problem = *dense;
    const int64_t *dims = problem.dims;
    const int64_t pitches[2] = { aligned ? dims[2] / 16 * 16 + 16 : dims[2] + 1,
                                 aligned ? dims[1] / 16 * 16 + 32 : dims[1] + 3 };
    must(at__problem_set_pitches(&problem, pitches, 2, &err), &err);
    return problem;
}

/* Where buffers begin anywhere: each side as badly as can be, as well, and in between. */
static void add_less_aligned(generator *g, const at__problem *aligned)
{
    static const int64_t ALIGNS[][2] = { { 1, 1 }, { 1, 256 }, { 256, 1 }, { 4, 16 }, { 32, 8 }, { 8, 2 } };
    const int64_t *pair = ALIGNS[g->less_aligned++ % (int)(sizeof ALIGNS / sizeof *ALIGNS)];
    at_error err = { 0 };
    at__problem problem = *aligned;
    int64_t least = at__dtype_bytes(problem.type);
    const int64_t aligns[2] = { pair[0] > least ? pair[0] : least, pair[1] > least ? pair[1] : least };
    must(at__problem_set_aligns(&problem, aligns, 2, &err), &err);
    add_problem(g, &problem, true);
}

/* All shapes in one type; t NULL: the op's reference kernel. */
static void generate(const char *folder, const at__op *op, const at__template *t, at__dtype type)
{
    file f = { 0 };
    generator g = { .file = &f, .t = t, .rng = { 20 } };

    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
        at_error err = { 0 };
        at__problem problem;
        f.constant_sizes = i % CONSTANT_EACH == 0;
        must(at__problem_init(&problem, op, type, SHAPES[i], 3, &err), &err);
        add_problem(&g, &problem, false);
        if (op->pitch_count && i % 4 <= 1) {
            problem = pitched(&problem, i % 2);
            add_problem(&g, &problem, false);
        }
        if (op->align_count && i % 2 == 1)
            add_less_aligned(&g, &problem);
    }
    if (f.row_count > 0)
        write_file(&f, folder, op->name, t ? t->name : "reference", type);
    file_clear(&f);
}

/* Ops that driver.cpp need not know: tests/cpu/built_in has problems of theirs. */
static bool is_tried_elsewhere(const char *op)
{
    static const char *const NAMES[] = { "cast_transpose", "gather_rows", "permute", "scatter_rows" };
    bool found = false;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        found = found || strcmp(op, NAMES[i]) == 0;
    return found;
}

int main(int argc, char **argv)
{
    at__catalog *catalog = NULL;
    at_error err = { 0 };

    if (argc < 2) {
        fprintf(stderr, "usage: gen FOLDER [TEMPLATES]\n");
        return 2;
    }
    must(at__catalog_open(&catalog, argc > 2 ? argv[2] : NULL, &err), &err);
    for (int i = 0; i < at__catalog_op_count(catalog); i++) {
        const at__op *op = at__catalog_op(catalog, i);
        if (is_tried_elsewhere(op->name))
            continue;
        if (strcmp(op->name, "transpose") != 0 && strcmp(op->name, "copy") != 0) {
            fprintf(stderr, "gen: op '%s': driver.cpp does not know its answer; add it there and here\n",
                    op->name);
            return 1;
        }
        for (size_t k = 0; k < sizeof TYPES / sizeof *TYPES; k++) {
            generate(argv[1], op, NULL, TYPES[k]);
            for (int n = 0; n < at__catalog_template_count(catalog, op); n++)
                generate(argv[1], op, at__catalog_template(catalog, op, n), TYPES[k]);
        }
    }
    at__catalog_close(catalog);
    return 0;
}
