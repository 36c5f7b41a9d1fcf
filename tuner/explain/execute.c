/*
 * execute.c - problems and configurations are paired in rotation: configuration k of a template is tried on
 * its k-th problem, so that few configurations see many shapes and types. The contents of a problem and its
 * right answer are made once, when the first template needs them.
 */
#include "explain/execute.h"

#include "explain/instance_need.h"
#include "lang/arch.h"
#include "space/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Left out unless it is named: it takes minutes. */
#define MOST_BYTES       ((int64_t)256 << 20)
#define MOST_STEPS       ((int64_t)1 << 28)
#define MOST_NAMED_STEPS ((int64_t)1 << 36)

typedef struct stage {
    atx_problem problem;
    int64_t slots[ATX_MAX_SLOTS];
    atx_instance *instance; /* NULL: not needed yet */
    bool named;
    char refusal[200]; /* why it is not run; "": it may be */
} stage;

struct atx_execute {
    atx_execute_options options;
    atx_limits limits;
    stage *stages;
    size_t count, cap;
};

/* ---- problems ---- */

/* Words of a command line: which of them an op takes, its own reader says. */
static const char *const SHAPES[] = {
    "1000",
    "1",
    "33",
    "4099",
    "20000",
    "33x31",
    "130x62",
    "64x64",
    "3x17x19",
    "272x144",
    "1000x3",
    "3x1000",
    "777x32",
    "32x777",
    "1x37",
    "128x256",
    "77x8x6",
    "33x31/40x48",
    "100x60@4",
    "101x63@1x256",
    "96x80@16",
    "2x64x64",
    "999x2x2",
    "2100x3",
    "12x1000",
    "2x128x256",
    "36x20x5",
    "64x64x64",
    "65x33x20",
    "33x31x17 2,1,0",
    "5x6x7x8 3,1,0,2",
    "64x3x32 1,0,2",
    "16x10x32 2,1,0 in=640,64,1 out=640,64,1",
    "8x20x3x32x16 2,0,3,1,4",
    "64x64x64 2,1,0",
    "3x1000x7 2,0,1",
    /* For ops whose sizes are multiples of something, count steps, or are many. */
    "1024",
    "4096",
    "33x31x1",
    "64x48x2",
    "2x16x32x64",
    "3x5x7x9",
    "2x4x8x16x32",
    "2x3x5x7x9",
    "2x2x4x4x8x8",
    "2x3x2x5x3x7",
    "2x2x2x4x4x4x8",
    "2x3x2x3x2x5x3",
    "2x2x2x2x2x4x4x4",
    "2x3x1x2x3x2x3x5",
    /* Rows of a permutation that begin anywhere. */
    "5x3x67 1,0,2",
};

bool atx_execute_shape(const char **out, int index)
{
    if (index < 0 || index >= (int)(sizeof SHAPES / sizeof *SHAPES))
        return false;
    *out = SHAPES[index];
    return true;
}

/* Before anything of it is made. */
static at_status check_memory(stage *s, at_error *err)
{
    int64_t need = 0;
    const int64_t available = atx_memory_available(), most = s->named ? available : MOST_BYTES;
    at_status status = atx_instance_need(&need, &s->problem, s->slots, err);
    if (status != AT_OK || need <= (most < available ? most : available))
        return status;
    snprintf(s->refusal, sizeof s->refusal, "it takes %.3g GB of memory", 1e-9 * (double)need);
    if (s->named)
        snprintf(s->refusal, sizeof s->refusal,
                 "takes %.3g GB of memory, of which %.3g GB are available; name a smaller shape",
                 1e-9 * (double)need, 1e-9 * (double)available);
    return AT_OK;
}

at_status atx_execute_add(atx_execute *e, const atx_problem *problem, bool named, at_error *err)
{
    if (!atx_grow(&e->stages, &e->cap, e->count, sizeof *e->stages))
        return atx_no_memory(err);
    stage *s = &e->stages[e->count];
    *s = (stage){ .problem = *problem, .named = named };
    if (atx_problem_bind(s->slots, problem, &e->limits, NULL) != AT_OK)
        return AT_OK;
    e->count++;
    return check_memory(s, err);
}

at_status atx_execute_open(atx_execute **out, const atx_execute_options *options, at_error *err)
{
    atx_execute *e = calloc(1, sizeof *e);
    if (!e)
        return atx_no_memory(err);
    e->options = *options;
    atx_arch_limits(&e->limits, options->cc);
    *out = e;
    return AT_OK;
}

void atx_execute_close(atx_execute *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->count; i++)
        atx_instance_close(e->stages[i].instance);
    free(e->stages);
    free(e);
}

/* *s says why not where it takes too long. */
static at_status open_instance(atx_execute *e, stage *s, at_error *err)
{
    at_error why = { 0 };
    const atx_instance_options o = { .catalog = e->options.catalog,
                                     .nvrtc = e->options.nvrtc,
                                     .problem = &s->problem,
                                     .slots = s->slots,
                                     .cc = e->options.cc,
                                     .seed = e->options.seed,
                                     .answer = true,
                                     .most_steps = s->named ? MOST_NAMED_STEPS : MOST_STEPS };
    if (s->instance || s->refusal[0])
        return AT_OK;
    const at_status status = atx_instance_open(&s->instance, &o, &why);
    if (status == AT_ERR_NOT_FOUND)
        snprintf(s->refusal, sizeof s->refusal, s->named ? "%.150s; name a smaller shape" : "%.190s",
                 why.text);
    else if (status != AT_OK)
        atx_fail(err, status, "%s", why.text);
    return status == AT_ERR_NOT_FOUND ? AT_OK : status;
}

/* ---- one configuration ---- */

static void name_problem(char *out, size_t size, const atx_problem *p)
{
    ATX_LOCAL(atx_str) shape = { 0 };
    atx_problem_show(&shape, p);
    snprintf(out, size, "%s %s", atx_str_text(&shape), atx_dtype_name(p->type));
}

void atx_execute_left_out(atx_str *out, const atx_execute *e)
{
    char name[100];
    for (size_t i = 0; i < e->count; i++) {
        const stage *s = &e->stages[i];
        if (s->named || !s->refusal[0])
            continue;
        name_problem(name, sizeof name, &s->problem);
        atx_str_addf(out, "%s%s (%s)", out->len ? ", " : "", name, s->refusal);
    }
}

static bool is_same(const atx_flaw *a, const atx_flaw *b)
{
    return a->kind == b->kind && a->line == b->line && strcmp(a->file, b->file) == 0;
}

static void keep_flaw(atx_executed *x, const atx_flaw *flaw, const stage *s, const char *config)
{
    for (int i = 0; i < x->flaw_count; i++)
        if (is_same(&x->flaws[i].flaw, flaw)) {
            x->flaws[i].configs++;
            return;
        }
    if (x->flaw_count == ATX_MOST_EXECUTED_FLAWS)
        return;
    atx_executed_flaw *f = &x->flaws[x->flaw_count];
    *f = (atx_executed_flaw){ .flaw = *flaw, .configs = 1, .config = atx_text_copy(config, strlen(config)) };
    name_problem(f->problem, sizeof f->problem, &s->problem);
    x->flaw_count += f->config != NULL;
}

/* What the compiler refuses, and what no device launches, is wrong with the kernel; what the machine does not
 * know is not. */
static void keep_refusal(atx_executed *x, const atx_program *p, const stage *s, const char *config,
                         const at_error *error)
{
    const char *why = error->text;
    const bool launched = error->status != AT_ERR_USAGE;
    atx_flaw f = { .kind = launched ? ATX_FLAW_DOES_NOT_COMPILE : ATX_FLAW_CANNOT_LAUNCH, .instruction = -1 };
    atx_log_error e;
    if (p->compiled && launched) {
        if (x->refused++ == 0)
            snprintf(x->why, sizeof x->why, "%.399s", why);
        return;
    }
    snprintf(f.what, sizeof f.what, "%.239s", why);
    if (launched && atx_nvrtc_first_error(&e, atx_str_text(&p->build.log))) {
        snprintf(f.file, sizeof f.file, "%.*s", e.file_len, e.file);
        f.line = e.line;
        snprintf(f.what, sizeof f.what, "does not compile: %.*s", e.text_len, e.text);
    }
    x->wrong++;
    keep_flaw(x, &f, s, config);
}

static at_status try_config(atx_executed *x, atx_execute *e, stage *s, const atx_template *t,
                            const atx_config *config, at_error *err)
{
    int64_t own[ATX_MAX_SLOTS];
    atx_program p = { .module = NULL };
    atx_flaws flaws = { .count = 0 };
    atx_str text = { 0 };
    at_error why = { 0 };
    memcpy(own, s->slots, (size_t)t->op->scope.symbols.count * sizeof *own);
    atx_config_text(&text, t, config);
    at_status status = atx_str_status(&text, err);
    ATX_THEN(status, atx_config_bind(own, t, config, err));
    if (status != AT_OK)
        goto done;
    status = atx_program_of_template(
        &p, e->options.nvrtc, &(atx_program_request){ t, s->problem.type, config, own, e->options.cc }, &why);
    ATX_THEN(status, atx_instance_try(&flaws, s->instance, &p, &why));
    if (status == AT_ERR_INPUT || status == AT_ERR_USAGE) {
        keep_refusal(x, &p, s, atx_str_text(&text), &why);
        status = AT_OK;
        goto done;
    }
    if (status != AT_OK) {
        atx_fail(err, status, "%s", why.text);
        goto done;
    }
    x->configs++;
    x->checked += flaws.checked;
    x->wrong += flaws.count > 0;
    for (int i = 0; i < flaws.count; i++)
        keep_flaw(x, &flaws.items[i], s, atx_str_text(&text));
done:
    atx_program_close(&p);
    atx_str_clear(&text);
    return status;
}

/* ---- one template ---- */

/* Where a template has configurations at all. */
typedef struct room {
    stage *s;
    atx_space *space;
    int64_t *tried; /* indices */
    int64_t picks;
} room;

/* Room for as many picks as there can be. A space without configurations is none: *r keeps nothing of it. */
static at_status open_room(room *r, stage *s, const atx_execute *e, const atx_template *t, at_error *err)
{
    *r = (room){ .s = s };
    at_status status = atx_space_open(&r->space, t, s->slots, NULL, 0, err);
    int64_t most = status == AT_OK ? atx_space_count(r->space) : 0;
    most = most < e->options.configs ? most : e->options.configs;
    if (most > 0 && !(r->tried = calloc((size_t)most, sizeof *r->tried)))
        status = atx_no_memory(err);
    if (!r->tried) {
        atx_space_close(r->space);
        r->space = NULL;
    }
    return status;
}

static void close_rooms(room *rooms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        atx_space_close(rooms[i].space);
        free(rooms[i].tried);
    }
    free(rooms);
}

/* Of all problems of which the template has a configuration, in their order. */
static at_status open_rooms(room **rooms, size_t *count, atx_execute *e, const atx_template *t, at_error *err)
{
    at_status status = AT_OK;
    *count = 0;
    *rooms = calloc(e->count + 1, sizeof **rooms);
    if (!*rooms)
        return atx_no_memory(err);
    for (size_t i = 0; i < e->count && status == AT_OK; i++) {
        status = open_room(&(*rooms)[*count], &e->stages[i], e, t, err);
        *count += (*rooms)[*count].tried != NULL;
    }
    return status;
}

static bool is_full(const room *r)
{
    return r->picks == atx_space_count(r->space);
}

static bool all_are_full(const room *rooms, size_t count)
{
    size_t full = 0;
    while (full < count && is_full(&rooms[full]))
        full++;
    return full == count;
}

static bool is_tried(const room *r, int64_t index)
{
    for (int64_t i = 0; i < r->picks; i++)
        if (r->tried[i] == index)
            return true;
    return false;
}

/* The default on the first visits, where it is valid; then the ends; then anywhere. One is left. */
static int64_t pick(const room *r, int round, const atx_template *t, atx_rng *rng)
{
    enum { WAIT_TIME = 64 }; /* draws of configurations that were tried already */
    const int64_t count = atx_space_count(r->space);
    atx_config defaults;
    memcpy(defaults.values, t->scope.defaults, sizeof defaults.values);
    const int64_t ends[] = { atx_space_find(r->space, &defaults), 0, count - 1 };
    for (int i = 0; i < 3; i++)
        if (ends[(round + i) % 3] >= 0 && !is_tried(r, ends[(round + i) % 3]))
            return ends[(round + i) % 3];
    int64_t any = atx_space_sample(r->space, rng);
    for (int i = 0; i < WAIT_TIME && is_tried(r, any); i++)
        any = atx_space_sample(r->space, rng);
    while (is_tried(r, any))
        any = (any + 1) % count;
    return any;
}

static void add_problem(atx_executed *x, const atx_problem *problem)
{
    char name[100];
    name_problem(name, sizeof name, problem);
    atx_str_addf(&x->ran, "%s%s", x->problems ? ", " : "", name);
    x->problems++;
}

/* One that cannot be run goes; who named it is told. */
static void drop_room(atx_executed *x, room *rooms, size_t *count, size_t i)
{
    const stage *s = rooms[i].s;
    char name[100];
    name_problem(name, sizeof name, &s->problem);
    if (s->named && x->refused++ == 0)
        snprintf(x->why, sizeof x->why, "%s: %s", name, s->refusal);
    x->left_out += !s->named;
    atx_space_close(rooms[i].space);
    free(rooms[i].tried);
    memmove(&rooms[i], &rooms[i + 1], (*count - i - 1) * sizeof *rooms);
    --*count;
}

/* Configuration k, of the k-th problem as they go round. */
static at_status try_next(atx_executed *x, atx_execute *e, room *r, int round, atx_rng *rng, at_error *err)
{
    atx_config config;
    if (is_full(r))
        return AT_OK;
    const int64_t index = pick(r, round, x->t, rng);
    if (r->picks == 0)
        add_problem(x, &r->s->problem);
    r->tried[r->picks++] = index;
    atx_space_config(&config, r->space, index);
    return try_config(x, e, r->s, x->t, &config, err);
}

at_status atx_execute_template(atx_executed *x, atx_execute *e, const atx_template *t, at_error *err)
{
    room *rooms = NULL;
    size_t count = 0;
    atx_rng rng = { e->options.seed };
    x->t = t;
    at_status status = open_rooms(&rooms, &count, e, t, err);
    for (int64_t k = 0; k < e->options.configs && status == AT_OK && !*e->options.cancel;) {
        const int64_t n = (int64_t)count;
        if (n == 0 || all_are_full(rooms, count))
            break;
        room *r = &rooms[k % n];
        status = open_instance(e, r->s, err);
        if (status == AT_OK && r->s->refusal[0]) {
            drop_room(x, rooms, &count, (size_t)(k % n));
            continue;
        }
        /* k / n: a problem that comes again has another kind of pick. */
        ATX_THEN(status, try_next(x, e, r, (int)((k % 3 + k / n % 3) % 3), &rng, err));
        k++;
    }
    close_rooms(rooms, count);
    return status;
}

/* The one that says most: with an element of an output, or the first. NULL: there is none. */
const atx_executed_flaw *atx_executed_first(const atx_executed *x)
{
    for (int i = 0; i < x->flaw_count; i++)
        if (x->flaws[i].flaw.has_element)
            return &x->flaws[i];
    return x->flaw_count ? &x->flaws[0] : NULL;
}

bool atx_executed_verdict(atx_verdict *v, const atx_executed *x)
{
    static const atx_outcome OUTCOMES[ATX_FLAW_KINDS] = {
        [ATX_FLAW_OUT_OF_BOUNDS] = ATX_CRASHED,
        [ATX_FLAW_MISALIGNED] = ATX_CRASHED,
        [ATX_FLAW_TRAPPED] = ATX_CRASHED,
        [ATX_FLAW_ENDLESS] = ATX_TIMED_OUT,
        [ATX_FLAW_BARRIER_DIVERGES] = ATX_TIMED_OUT,
        [ATX_FLAW_DOES_NOT_COMPILE] = ATX_COMPILE_FAILED,
        [ATX_FLAW_CANNOT_LAUNCH] = ATX_LAUNCH_FAILED,
    }; /* others: ATX_WRONG_RESULT */
    const atx_executed_flaw *first = atx_executed_first(x);
    *v = ATX_NO_VERDICT;
    v->checked = x->checked;
    if (!first)
        return x->configs > 0 && x->refused == 0;
    const atx_flaw *f = &first->flaw;
    v->outcome = OUTCOMES[f->kind] == ATX_TIMED ? ATX_WRONG_RESULT : OUTCOMES[f->kind];
    if (v->outcome != ATX_COMPILE_FAILED && v->outcome != ATX_LAUNCH_FAILED) {
        v->set = 0;
        v->launch = 1;
    }
    v->element = f->has_element ? f->element : -1;
    snprintf(v->buffer, sizeof v->buffer, "%s", f->buffer);
    snprintf(v->found, sizeof v->found, "%s", f->found);
    snprintf(v->expected, sizeof v->expected, "%s", f->expected);
    return true;
}

void atx_executed_clear(atx_executed *x)
{
    for (int i = 0; i < x->flaw_count; i++)
        free(x->flaws[i].config);
    atx_str_clear(&x->ran);
    *x = (atx_executed){ .t = NULL };
}
