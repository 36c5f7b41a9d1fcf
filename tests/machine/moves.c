/*
 * moves.c - of each template, on each problem: the default configuration, the first and the last valid one,
 * one at random, and this once more with what only huge problems have. A random one whose kernel is compiled
 * already is taken again: kernels are what takes long.
 */
#include "moves.h"

#include "lang/render.h"
#include "pack/pack_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const atx_limits few_multiprocessors = {
    .cc = 90,
    .sms = 2,
    .warp_size = 32,
    .max_threads_per_block = 1024,
    .max_shared_bytes = 232448,
    .max_static_shared_bytes = 49152,
    .max_registers_per_block = 65536,
    .max_grid_x = 2147483647,
    .l2_bytes = 64 << 10, /* small, too: what depends on it is tried */
    .memory_bytes = (int64_t)80 << 30,
};

void must(at_status status, const at_error *err)
{
    if (status == AT_OK)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(2);
}

/* ---- problems ---- */

/* Ragged against every tile, a single row or column, batches; then some that suit wide accesses. */
static const int64_t SHAPES[][3] = {
    { 1, 1, 1 },    { 1, 1, 37 },   { 1, 37, 1 },  { 1, 7, 5 },   { 1, 33, 31 },   { 1, 64, 64 },
    { 1, 48, 80 },  { 1, 130, 62 }, { 3, 17, 19 }, { 2, 32, 64 }, { 1, 272, 144 }, { 2, 128, 256 },
    { 1, 1, 5000 }, { 2, 36, 20 },  { 999, 2, 2 }, { 77, 8, 6 },  { 1, 2100, 3 },  { 1, 12, 1000 },
    { 3, 32, 640 }, { 1, 777, 32 }, { 1, 3, 5 },   { 1, 2, 7 },   { 333, 2, 4 },   { 1, 301, 75 },
};
enum { CONSTANT_EACH = 5 };

static void add_problem(problems *to, const atx_problem *problem, bool constant, bool few)
{
    at_error err = { 0 };
    struct tried *item = &to->items[to->count++];
    *item = (struct tried){ .problem = *problem, .constant_sizes = constant, .few = few };
    must(atx_problem_bind(item->slots, problem, &few_multiprocessors, &err), &err);
}

/* Where its rows lie apart: all of them aligned, or not. */
static atx_problem pitched(const atx_problem *dense, bool aligned)
{
    at_error err = { 0 };
    atx_problem problem = *dense;
    const int64_t *dims = problem.dims;
    const int64_t pitches[2] = { aligned ? dims[2] / 16 * 16 + 16 : dims[2] + 1,
                                 aligned ? dims[1] / 16 * 16 + 32 : dims[1] + 3 };
    must(atx_problem_set_pitches(&problem, pitches, 2, &err), &err);
    return problem;
}

/* Where buffers begin anywhere: each side as badly as can be, as well, and in between. */
static atx_problem less_aligned(const atx_problem *aligned, int n)
{
    static const int64_t ALIGNS[][2] = { { 1, 1 }, { 1, 256 }, { 256, 1 }, { 4, 16 }, { 32, 8 }, { 8, 2 } };
    const int64_t *pair = ALIGNS[n % (int)(sizeof ALIGNS / sizeof *ALIGNS)];
    at_error err = { 0 };
    atx_problem problem = *aligned;
    const int64_t least = atx_dtype_bytes(problem.type);
    const int64_t aligns[2] = { pair[0] > least ? pair[0] : least, pair[1] > least ? pair[1] : least };
    must(atx_problem_set_aligns(&problem, aligns, 2, &err), &err);
    return problem;
}

void problems_of(problems *out, const atx_op *op, atx_dtype type, int each)
{
    int unaligned = 0;
    out->count = 0;
    for (int i = 0; i < (int)(sizeof SHAPES / sizeof *SHAPES); i++) {
        if (i / 2 % each != 0)
            continue;
        const bool constant = i % CONSTANT_EACH == 0;
        at_error err = { 0 };
        atx_problem problem;
        must(atx_problem_init(&problem, op, type, SHAPES[i], 3, &err), &err);
        add_problem(out, &problem, constant, false);
        if (op->shape.pitch_count && i % 4 <= 1) {
            problem = pitched(&problem, i % 2);
            add_problem(out, &problem, constant, false);
        }
        if (op->shape.align_count && i % 2 == 1) {
            problem = less_aligned(&problem, unaligned++);
            add_problem(out, &problem, constant, true);
        }
    }
}

void problems_clear(problems *p)
{
    for (int i = 0; i < p->count; i++)
        atx_instance_close(p->items[i].instance);
    p->count = 0;
}

/* ---- texts ---- */

/* Where a text begins to have sizes as constants; NULL: they are arguments. */
static char *find_sizes(const atx_str *text)
{
    return text->data ? strstr(text->data, "#define AUTOTUNE_ARG(name)\n") : NULL;
}

/* Sizes that the text has as constants become arguments, as they are of large problems. */
static void pass_sizes(atx_str *text)
{
    static const char NAMED[] = "#define AUTOTUNE_ARG(name) name\n";
    char *from = find_sizes(text);
    char *rest = from ? strstr(from, "#line ") : NULL;
    if (!rest)
        return;
    atx_str changed = { 0 };
    atx_str_add_bytes(&changed, text->data, (size_t)(from - text->data));
    atx_str_add(&changed, NAMED);
    atx_str_add(&changed, rest);
    atx_str_clear(text);
    *text = changed;
}

/* Sets a constant of the rendered text that is 0 to a digit; false: there is none of that name, or it is not
 * 0. */
static bool set_constant(atx_str *text, const char *name, char digit)
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
    FOR_HUGE,  /* 64-bit offsets; tiles are counted in the grid's x alone */
    IN_STRIPS, /* tiles are counted in strips of two */
    IN_GENERAL /* as in a pack: with the constants that are right for all sizes */
} variant;

static const char *const VARIANTS[] = { "", ", as for a huge problem", ", in strips", ", in general form" };

/* False: this text has no such variant. Sizes are constants in texts of small problems alone. */
static bool change(atx_str *text, atx_geometry *g, variant to)
{
    if (to != AS_RENDERED && find_sizes(text))
        return false;
    const bool strips = to == IN_STRIPS && set_constant(text, "STRIP", '2');
    const bool flat = (to == FOR_HUGE || strips) && set_constant(text, "FLAT", '1');
    const bool wide = to == FOR_HUGE && set_constant(text, "WIDE", '1');
    if (flat) {
        g->grid[0] *= g->grid[1] * g->grid[2];
        g->grid[1] = g->grid[2] = 1;
    }
    return to == AS_RENDERED || strips || flat || wide;
}

static long find_text(const group *g, const char *text)
{
    for (size_t i = 0; i < g->text_count; i++)
        if (strcmp(g->texts[i], text) == 0)
            return (long)i;
    return -1;
}

static size_t keep_text(group *g, const char *text)
{
    const long known = find_text(g, text);
    if (known >= 0)
        return (size_t)known;
    if (!atx_grow(&g->texts, &g->text_cap, g->text_count, sizeof *g->texts) ||
        !(g->texts[g->text_count] = atx_text_copy(text, strlen(text))))
        must(AT_ERR_MEMORY, &(at_error){ .text = "out of memory" });
    return g->text_count++;
}

/* ---- configurations ---- */

static void render(atx_str *text, int64_t slots[ATX_MAX_SLOTS], const group *g, const struct tried *on,
                   const atx_config *config)
{
    at_error err = { 0 };
    memcpy(slots, on->slots, sizeof on->slots);
    must(atx_config_bind(slots, g->t, config, &err), &err);
    must(atx_render(text, g->t, on->problem.type, config, slots, &err), &err);
    if (!on->constant_sizes)
        pass_sizes(text);
}

static void add_trial(group *g, int problem, const atx_config *config, variant v)
{
    int64_t slots[ATX_MAX_SLOTS];
    atx_build none = { .done = false };
    at_error err = { 0 };
    atx_str text = { 0 }, words = { 0 };
    trial r = { .problem = problem, .changed = v != AS_RENDERED };
    render(&text, slots, g, &g->on->items[problem], config);
    must(atx_template_bind(&r.kernel, &none, g->t, slots, &err), &err);
    atx_config_text(&words, g->t, config);
    atx_str_add(&words, VARIANTS[v]);
    if (change(&text, &r.kernel.geometry, v)) {
        r.text = keep_text(g, atx_str_text(&text));
        r.words = atx_text_copy(words.data, words.len);
        if (!r.words || !atx_grow(&g->trials, &g->trial_cap, g->trial_count, sizeof *g->trials))
            must(AT_ERR_MEMORY, &(at_error){ .text = "out of memory" });
        g->trials[g->trial_count++] = r;
    }
    atx_str_clear(&text);
    atx_str_clear(&words);
}

/* A pack's kernel; none where the form is that which is tried anyway. */
static void add_general(group *g, int problem, const atx_config *config)
{
    const struct tried *on = &g->on->items[problem];
    const atx_pack_kernel kernel = { .t = g->t, .config = *config, .example = on->problem };
    atx_pack_kernel forms[2];
    int64_t slots[ATX_MAX_SLOTS];
    atx_build none = { .done = false };
    atx_geometry unused;
    at_error err = { 0 };
    atx_str text = { 0 }, words = { 0 };
    trial r = { .problem = problem, .changed = true };
    memcpy(slots, on->slots, sizeof slots);
    if (atx_pack_forms(forms, &kernel, slots) < 2 || !atx_pack_allows(&unused, &forms[1], slots))
        return;
    must(atx_pack_render_kernel(&text, &forms[1], &few_multiprocessors, &err), &err);
    must(atx_template_bind(&r.kernel, &none, g->t, slots, &err), &err);
    atx_config_text(&words, g->t, config);
    atx_str_add(&words, VARIANTS[IN_GENERAL]);
    r.text = keep_text(g, atx_str_text(&text));
    r.words = atx_text_copy(words.data, words.len);
    if (!r.words || !atx_grow(&g->trials, &g->trial_cap, g->trial_count, sizeof *g->trials))
        must(AT_ERR_MEMORY, &(at_error){ .text = "out of memory" });
    g->trials[g->trial_count++] = r;
    atx_str_clear(&text);
    atx_str_clear(&words);
}

static bool is_among(const int64_t *picks, int count, int64_t index)
{
    for (int i = 0; i < count; i++)
        if (picks[i] == index)
            return true;
    return false;
}

/* Valid here, not picked, and its kernel needs no compiler any more; -1: none is. */
static int64_t from_pool(group *g, int problem, const atx_space *space, const int64_t *picks, int count)
{
    for (int i = 0; i < g->pool_count; i++) {
        const atx_config *config = &g->pool[(i + problem) % g->pool_count];
        const int64_t index = atx_space_find(space, config);
        int64_t slots[ATX_MAX_SLOTS];
        atx_str text = { 0 };
        bool known = false;
        if (index < 0 || is_among(picks, count, index))
            continue;
        render(&text, slots, g, &g->on->items[problem], config);
        known = find_text(g, atx_str_text(&text)) >= 0;
        atx_str_clear(&text);
        if (known)
            return index;
    }
    return -1;
}

static int64_t pick_random(group *g, int problem, const atx_space *space, const int64_t *picks, int count)
{
    enum { POOL = sizeof g->pool / sizeof *g->pool };
    int64_t index = g->pool_count == POOL ? from_pool(g, problem, space, picks, count) : -1;
    if (index >= 0)
        return index;
    index = atx_space_sample(space, &g->rng);
    if (g->pool_count < POOL && !g->on->items[problem].constant_sizes)
        atx_space_config(&g->pool[g->pool_count++], space, index);
    return index;
}

static void add_problem_of(group *g, int problem)
{
    const struct tried *on = &g->on->items[problem];
    int64_t picks[MOST_PICKS];
    int count = 0;
    at_error err = { 0 };
    atx_space *space = NULL;
    atx_config config;
    must(atx_space_open(&space, g->t, on->slots, NULL, 0, &err), &err);
    const int64_t valid = atx_space_count(space);
    memcpy(config.values, g->t->scope.defaults, sizeof config.values);
    const int64_t wishes[] = { 0, valid - 1, atx_space_find(space, &config) };
    for (int i = 0; valid > 0 && i < 3; i++)
        if (wishes[i] >= 0 && !is_among(picks, count, wishes[i]))
            picks[count++] = wishes[i];
    const int64_t random = valid > 0 ? pick_random(g, problem, space, picks, count) : -1;
    if (random >= 0 && !is_among(picks, count, random))
        picks[count++] = random;
    for (int i = on->few && count > 2 ? count - 2 : 0; i < count; i++) {
        atx_space_config(&config, space, picks[i]);
        add_trial(g, problem, &config, AS_RENDERED);
    }
    if (count > 0)
        add_trial(g, problem, &config, FOR_HUGE);
    if (count > 0 && !on->few)
        add_trial(g, problem, &config, IN_STRIPS);
    if (count > 0)
        add_general(g, problem, &config);
    atx_space_close(space);
}

void group_collect(group *g, const atx_template *t, problems *on)
{
    *g = (group){ .t = t, .on = on, .rng = { 20 } };
    for (int i = 0; i < on->count; i++)
        add_problem_of(g, i);
}

void group_clear(group *g)
{
    for (size_t i = 0; i < g->trial_count; i++)
        free(g->trials[i].words);
    for (size_t i = 0; i < g->text_count; i++)
        free(g->texts[i]);
    for (size_t i = 0; g->modules && i * TEXTS_OF_A_BATCH < g->text_count; i++)
        atx_ptx_close(g->modules[i]);
    free(g->modules);
    free(g->trials);
    free(g->texts);
    *g = (group){ .t = NULL };
}

/* ---- compiling ---- */

/* In a namespace of its own; C names cannot be in several. */
static void add_to_batch(atx_str *to, const atx_template *t, const char *text, size_t n)
{
    atx_str_addf(to,
                 "#undef AUTOTUNE_ARG\n#undef AUTOTUNE_RENDERED\n#define %s kernel_%zu\n#define "
                 "shared_memory shared_memory_%zu\n"
                 "namespace case_%zu {\n%s\n}\n#undef %s\n#undef shared_memory\n",
                 t->call.steps[0].kernel, n, n, n, text, t->call.steps[0].kernel);
}

static atx_ptx_module *compile_batch(const group *g, size_t first, size_t end, atx_nvrtc *nvrtc, int cc)
{
    atx_str source = { 0 }, code = { 0 }, log = { 0 };
    atx_resources unused;
    atx_ptx_module *module = NULL;
    bool ok = false;
    at_error err = { 0 };
    for (size_t i = first; i < end; i++)
        add_to_batch(&source, g->t, g->texts[i], i);
    must(atx_str_status(&source, &err), &err);
    must(atx_nvrtc_compile(nvrtc, &ok, &code, &log, &unused,
                           &(atx_nvrtc_source){ atx_str_text(&source), g->t->text.file, cc, ATX_LINED_PTX },
                           &err),
         &err);
    if (!ok)
        must(
            atx_fail(&err, AT_ERR_INPUT, "%s does not compile:\n%.900s", g->t->text.file, atx_str_text(&log)),
            &err);
    must(atx_ptx_parse(&module, code.data, code.len, &err), &err);
    atx_str_clear(&source);
    atx_str_clear(&code);
    atx_str_clear(&log);
    return module;
}

static void compile_from(group *g, size_t first, atx_nvrtc *nvrtc, int cc)
{
    const size_t end = first + TEXTS_OF_A_BATCH < g->text_count ? first + TEXTS_OF_A_BATCH : g->text_count;
    atx_ptx_close(g->modules[first / TEXTS_OF_A_BATCH]);
    g->modules[first / TEXTS_OF_A_BATCH] = compile_batch(g, first, end, nvrtc, cc);
}

/* Arrays that the compiler, had it had the time, would have kept in registers. */
static bool has_local_memory(const atx_ptx_module *module)
{
    for (int32_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].space == ATX_PTX_LOCAL)
            return true;
    return false;
}

/* Kernels that are tried once are not worth optimising, but where they then run much longer. */
void group_compile(group *g, atx_nvrtc *nvrtc, int cc)
{
    g->modules = calloc(g->text_count / TEXTS_OF_A_BATCH + 1, sizeof(atx_ptx_module *));
    atx_nvrtc_hurry(nvrtc, 2 * g->trial_count < 3 * g->text_count);
    for (size_t i = 0; i < g->text_count; i += TEXTS_OF_A_BATCH) {
        compile_from(g, i, nvrtc, cc);
        if (i == 0 && has_local_memory(g->modules[0])) {
            atx_nvrtc_hurry(nvrtc, false);
            compile_from(g, 0, nvrtc, cc);
        }
    }
    atx_nvrtc_hurry(nvrtc, false);
}
