/*
 * space_walk.c - a depth-first walk, one parameter a level. At each value the lets and requirements
 * whose last parameter this is are evaluated; then
 *
 * bounds  a requirement with open parameters is tried on intervals ("TILE * ROWS <= 1024" with
 *         TILE = 2048): broken whatever follows, the branch ends;
 * memory  rows that can follow depend only on those bound parameters that later rules read. They
 *         are found once for each combination of these (a table, where that is small), or for what
 *         the requirements still depend on (a hash table, in long walks), and copied from then on.
 *
 * Which parameter comes at which level is space_order.c's to say.
 *
 * Invariant: the rows are the same in any order, with or without bounds and memory. So a failure to
 * evaluate is kept as pending, and is an error only if the row turns out valid; while one is
 * pending, memory is neither used nor filled.
 */
#include "space/space_walk.h"

#include "space/space_cache.h"
#include "space/space_order.h"

#include <stdlib.h>
#include <string.h>

/* Combinations of values for which it is remembered what follows, at most. */
enum { MAX_MEMORY = 1 << 16 };

/* Of a requirement that is tried on bounds; one that reads more is not. */
enum { MAX_BOUND_LETS = 8, MAX_WAIT_TIME = 64 };

/* Steps between two looks at whether to go on: some 10 ms. */
enum { STEPS_A_LOOK = 1 << 16 };

/* Bounds cost a few evaluations: they must be able to save more. */
#define LEAST_OPEN 8.0

/*
 * A requirement that some bound parameters may break already, whatever the others will be: "TILE * ROWS <=
 * 1024" with TILE = 2048. It is tried on bounds; the less that helps, the more seldom.
 */
typedef struct bound_test {
    const atx_rule *rule;
    const atx_rule *lets[MAX_BOUND_LETS]; /* unknown ones that it reads, in order */
    int let_count;
    int wait_time, wait; /* trials to pass over after one that did not help; of them, still to come */
} bound_test;

/* What becomes possible once a parameter is bound. */
typedef struct level {
    int param;
    atx_bounds range; /* of its allowed values */
    atx_key_column column;
    const atx_rule **rules; /* lets, then requirements */
    size_t rule_count;
    bound_test *tests;
    size_t test_count;
    double below; /* combinations of the parameters that follow */
    /* From this level on only these levels' values make a difference; NULL: they are too many, or all are. */
    atx_block *memory;
    int seen[ATX_MAX_PARAMS], seen_count;
    /* The same by what the rules still depend on; only where all before make a difference, in long walks. */
    atx_space_cache cache;
    atx_binding *bindings;         /* of each slot when this level begins */
    uint64_t mask[ATX_MAX_PARAMS]; /* of a key: this level's columns and those that follow */
} level;

typedef struct walk {
    const atx_rules *rules;
    atx_rows *rows;
    level levels[ATX_MAX_PARAMS];
    int place[ATX_MAX_PARAMS]; /* of each level's present value, among the allowed */
    const atx_rule **by_level; /* holds the rules of the levels */
    double *refused;           /* of each rule: combinations it refused */
    const atx_rule **failed;   /* on the way to this row: what could not be evaluated */
    size_t failed_count;
    atx_let_set failed_lets;
    int64_t steps;
    int64_t slots[ATX_MAX_SLOTS];
    atx_bounds bounds[ATX_MAX_SLOTS]; /* of each slot now: of what is bound, its value */
    uint64_t key[ATX_MAX_PARAMS];     /* of the row so far; columns that follow hold anything */
    atx_cancel *cancel;
    at_error *err;
} walk;

/* ---- the levels of the walk ---- */

/* The level at which a rule's last parameter is bound. */
static int level_of(const walk *w, const atx_rule *rule, int levels)
{
    int last = levels - 1;
    while (!(rule->params >> w->levels[last].param & 1))
        last--;
    return last;
}

static bool in_group(const atx_rule *rule, atx_param_set params)
{
    return rule->needed && rule->params && !(rule->params & ~params);
}

static atx_bounds range_of(const atx_rules *r, int param)
{
    const int64_t *values = r->t->scope.params[param].values + r->first[param];
    atx_bounds b = { values[0], values[0] };
    for (int i = 1; i < r->count[param]; i++) {
        b.low = values[i] < b.low ? values[i] : b.low;
        b.high = values[i] > b.high ? values[i] : b.high;
    }
    return b;
}

static void fill_levels(walk *w, const int *order, atx_param_set params)
{
    const atx_rules *r = w->rules;
    int n = w->rows->column_count;
    size_t used = 0;
    double below = 1;

    for (int i = 0; i < n; i++)
        w->levels[i].param = order[i];
    for (int i = 0; i < n; i++) {
        level *l = &w->levels[i];
        for (int c = 0; c < n; c++)
            if (w->rows->columns[c].param == l->param)
                l->column = w->rows->columns[c];
        l->range = range_of(r, l->param);
        l->rules = w->by_level + used;
        for (size_t k = 0; k < r->rule_count; k++)
            if (in_group(&r->rules[k], params) && level_of(w, &r->rules[k], n) == i)
                l->rules[l->rule_count++] = &r->rules[k];
        used += l->rule_count;
    }
    for (int i = n - 1; i >= 0; i--) {
        level *l = &w->levels[i];
        if (i + 1 < n)
            memcpy(l->mask, l[1].mask, sizeof l->mask);
        l->mask[l->column.word] |= (uint64_t)l->column.mask << l->column.shift;
        l->below = below;
        below *= r->count[l->param];
    }
}

/* ---- rules on bounds ---- */

static void bind(walk *w, int slot, int64_t value)
{
    w->slots[slot] = value;
    w->bounds[slot] = (atx_bounds){ value, value };
}

/* A parameter that is not bound may have any of its allowed values. */
static void unbind(walk *w, const level *l)
{
    w->bounds[w->rules->t->scope.params[l->param].slot] = l->range;
}

/* The lets of the requirement that are evaluated later than level `i`. false: they are too many. */
static bool list_lets(bound_test *b, const walk *w, int i)
{
    const atx_rules *r = w->rules;
    for (size_t k = 0; k < r->let_count; k++) {
        if (!(b->rule->lets.bits[k / 64] >> k % 64 & 1) || !r->rules[k].params ||
            level_of(w, &r->rules[k], w->rows->column_count) <= i)
            continue;
        if (b->let_count == MAX_BOUND_LETS)
            return false;
        b->lets[b->let_count++] = &r->rules[k];
    }
    return true;
}

/* Combinations that a requirement would be evaluated for at most, once level i is bound. */
static double still_open(const walk *w, const atx_rule *rule, int i)
{
    double product = 1;
    for (int k = level_of(w, rule, w->rows->column_count); k > i; k--)
        product *= w->rules->count[w->levels[k].param];
    return product;
}

/* Requirements of the group that read level i's parameter, and others that follow. */
static at_status plan_bounds(walk *w, int i, atx_param_set params)
{
    const atx_rules *r = w->rules;
    level *l = &w->levels[i];
    l->tests = calloc(r->rule_count + 1, sizeof *l->tests);
    if (!l->tests)
        return atx_no_memory(w->err);
    for (size_t k = r->let_count; k < r->rule_count; k++) {
        bound_test b = { .rule = &r->rules[k] };
        if (!in_group(b.rule, params) || !(b.rule->params >> l->param & 1) ||
            level_of(w, b.rule, w->rows->column_count) <= i || still_open(w, b.rule, i) < LEAST_OPEN)
            continue;
        if (list_lets(&b, w, i))
            l->tests[l->test_count++] = b;
    }
    return AT_OK;
}

/* Is the requirement broken whatever follows? Then nothing in it can fail to be evaluated either. */
static bool is_broken(walk *w, const bound_test *b)
{
    atx_bounds value;
    for (int i = 0; i < b->let_count; i++)
        if (!atx_expr_bounds(&w->bounds[b->lets[i]->slot], b->lets[i]->expr, w->bounds))
            return false;
    return atx_expr_bounds(&value, b->rule->expr, w->bounds) && value.low == 0 && value.high == 0;
}

static bool may_hold(walk *w, level *l)
{
    for (size_t i = 0; i < l->test_count; i++) {
        bound_test *b = &l->tests[i];
        if (b->wait > 0) {
            b->wait--;
            continue;
        }
        if (is_broken(w, b)) {
            b->wait_time = 0;
            w->refused[b->rule - w->rules->rules] += l->below;
            return false;
        }
        b->wait_time = b->wait_time < MAX_WAIT_TIME / 2 ? 2 * b->wait_time + 1 : MAX_WAIT_TIME;
        b->wait = b->wait_time;
    }
    return true;
}

/* ---- remembered results ---- */

/* The parameters that rules from level `i` on read. */
static atx_param_set read_from(const walk *w, int i)
{
    atx_param_set set = 0;
    for (; i < w->rows->column_count; i++)
        for (size_t k = 0; k < w->levels[i].rule_count; k++)
            set |= w->levels[i].rules[k]->params;
    return set;
}

/* Remembering pays where a parameter that is bound before makes no difference. */
static at_status plan_memory(walk *w, int i)
{
    level *l = &w->levels[i];
    atx_param_set read = read_from(w, i);
    int64_t combinations = 1;
    for (int k = 0; k < i; k++) {
        if (!(read >> w->levels[k].param & 1))
            continue;
        l->seen[l->seen_count++] = k;
        combinations *= w->rules->count[w->levels[k].param];
        if (combinations > MAX_MEMORY)
            return AT_OK;
    }
    if (l->seen_count == i)
        return AT_OK;
    l->memory = malloc((size_t)combinations * sizeof *l->memory);
    if (!l->memory)
        return atx_no_memory(w->err);
    for (int64_t k = 0; k < combinations; k++)
        l->memory[k].count = -1;
    return AT_OK;
}

static atx_block *remembered(walk *w, const level *l)
{
    int64_t number = 0;
    for (int k = 0; k < l->seen_count; k++)
        number = number * w->rules->count[w->levels[l->seen[k]].param] + w->place[l->seen[k]];
    return &l->memory[number];
}

/* ---- remembered results of long walks ---- */

/* A walk of so many steps is worth more effort; nearly all end before. */
#define LONG_WALK ((int64_t)1 << 20)
/* Combinations that follow, at least: looking them up costs as much as trying some. */
#define LEAST_BELOW 64.0

/* Which slots a level finds bound: parameters of the levels before, and the lets that they determine. */
static bool list_bindings(walk *w, int depth)
{
    level *l = &w->levels[depth];
    l->bindings = malloc(ATX_MAX_SLOTS * sizeof *l->bindings);
    if (!l->bindings)
        return false;
    for (int i = 0; i < ATX_MAX_SLOTS; i++)
        l->bindings[i] = ATX_CONSTANT;
    for (int k = 0; k < w->rows->column_count; k++) {
        const level *other = &w->levels[k];
        atx_binding binding = k < depth ? ATX_BOUND : ATX_UNBOUND;
        l->bindings[w->rules->t->scope.params[other->param].slot] = binding;
        for (size_t i = 0; i < other->rule_count; i++)
            if (!other->rules[i]->require)
                l->bindings[other->rules[i]->slot] = binding;
    }
    return true;
}

/* What all rules from this level on still depend on; the number of words, -1: too many, or it cannot be told.
 */
static int write_residue(int64_t *key, const walk *w, int depth)
{
    int len = 0;
    for (int k = depth; k < w->rows->column_count; k++)
        for (size_t i = 0; i < w->levels[k].rule_count; i++) {
            int more = atx_expr_residue(key + len, ATX_SPACE_CACHE_WORDS - len, w->levels[k].rules[i]->expr,
                                        w->slots, w->levels[depth].bindings);
            if (more < 0)
                return -1;
            len += more;
        }
    return len;
}

/* NULL: it is not remembered here. */
static atx_block *recalled(walk *w, int depth)
{
    level *l = &w->levels[depth];
    int64_t key[ATX_SPACE_CACHE_WORDS];
    if (w->steps < LONG_WALK || l->cache.useless || depth == 0 ||
        l->below * w->rules->count[l->param] < LEAST_BELOW || (!l->bindings && !list_bindings(w, depth)))
        return NULL;
    int len = write_residue(key, w, depth);
    return len > 0 ? atx_space_cache_find(&l->cache, key, len) : NULL;
}

/* ---- the walk ---- */

static void set_failed(walk *w, const atx_rule *rule)
{
    size_t i = (size_t)(rule - w->rules->rules);
    w->failed[w->failed_count++] = rule;
    if (!rule->require)
        w->failed_lets.bits[i / 64] |= (uint64_t)1 << i % 64;
}

/* Back to the state before the failures after the first `count`. */
static void forget_failed(walk *w, size_t count)
{
    while (w->failed_count > count) {
        size_t i = (size_t)(w->failed[--w->failed_count] - w->rules->rules);
        if (i < w->rules->let_count)
            w->failed_lets.bits[i / 64] &= ~((uint64_t)1 << i % 64);
    }
}

/* Evaluates the rules that the level's parameter made possible; false: a requirement refuses. */
static bool passes(walk *w, const level *l)
{
    for (size_t i = 0; i < l->rule_count; i++) {
        const atx_rule *rule = l->rules[i];
        int64_t value;
        if (w->failed_count && atx_rule_needs(rule, &w->failed_lets))
            continue;
        if (atx_expr_eval(&value, rule->expr, w->slots, NULL) != AT_OK) {
            set_failed(w, rule);
        } else if (!rule->require) {
            bind(w, rule->slot, value);
        } else if (!value) {
            w->refused[rule - w->rules->rules] += l->below;
            return false;
        }
    }
    return true;
}

static at_status make_room(walk *w, int64_t more)
{
    if (w->rows->count + more > ATX_SPACE_MAX_ROWS)
        return atx_fail(w->err, AT_ERR_INPUT,
                        "%s: template %s has more than %lld valid configurations of parameters that "
                        "depend on each other; expected fewer values, or more requirements",
                        w->rules->t->text.file, w->rules->t->name, (long long)ATX_SPACE_MAX_ROWS);
    return atx_rows_reserve(w->rows, more, w->err);
}

static at_status add_row(walk *w)
{
    atx_rows *rows = w->rows;
    if (w->failed_count)
        return atx_rules_fail(w->rules, w->failed[0], w->slots, w->err);
    at_status status = make_room(w, 1);
    for (int i = 0; i < rows->words && status == AT_OK; i++)
        rows->keys[rows->count * rows->words + i] = w->key[i];
    rows->count += status == AT_OK;
    return status;
}

/* The rows that followed these values before, with the present ones in front. */
static at_status copy_rows(walk *w, const level *l, const atx_block *b)
{
    atx_rows *rows = w->rows;
    at_status status = make_room(w, b->count);
    if (status != AT_OK || b->count == 0) /* of none there may be no table yet */
        return status;
    for (int word = 0; word < rows->words; word++) {
        const uint64_t *from = atx_rows_key(rows, b->first) + word;
        uint64_t *to = rows->keys + rows->count * rows->words + word;
        uint64_t mask = l->mask[word], front = w->key[word] & ~mask;
        for (int64_t i = 0; i < b->count; i++)
            to[i * rows->words] = front | (from[i * rows->words] & mask);
    }
    rows->count += b->count;
    return AT_OK;
}

/* Another value is bound: is that too much? */
static at_status step(walk *w)
{
    const atx_template *t = w->rules->t;
    if (++w->steps > ATX_SPACE_MAX_STEPS)
        return atx_fail(w->err, AT_ERR_INPUT,
                        "%s: the requirements of template %s refuse too little too late: gave up after %lld "
                        "steps",
                        t->text.file, t->name, (long long)ATX_SPACE_MAX_STEPS);
    if (w->steps % STEPS_A_LOOK == 0 && atx_cancel_due(w->cancel))
        return atx_fail(w->err, AT_ERR_CANCELLED,
                        "interrupted while the configurations of template %s were counted", t->name);
    return AT_OK;
}

static at_status visit(walk *w, int depth);

static at_status try_values(walk *w, int depth)
{
    level *l = &w->levels[depth];
    const atx_param *param = &w->rules->t->scope.params[l->param];
    int first = w->rules->first[l->param], count = w->rules->count[l->param];

    for (int i = 0; i < count; i++) {
        size_t failed = w->failed_count;
        at_status status = step(w);
        if (status != AT_OK)
            return status;
        bind(w, param->slot, param->values[first + i]);
        w->place[depth] = i;
        atx_key_set(w->key, &l->column, first + i);
        if (passes(w, l) && (w->failed_count || may_hold(w, l)))
            status = visit(w, depth + 1);
        forget_failed(w, failed);
        if (status != AT_OK)
            return status;
    }
    unbind(w, l);
    return AT_OK;
}

/* Everything that follows. Failures on the way are not remembered. */
static at_status visit(walk *w, int depth)
{
    if (depth == w->rows->column_count)
        return add_row(w);
    const level *l = &w->levels[depth];
    atx_block *b = w->failed_count ? NULL : l->memory ? remembered(w, l) : recalled(w, depth);
    if (!b)
        return try_values(w, depth);
    if (b->count >= 0)
        return copy_rows(w, l, b);
    int64_t first = w->rows->count;
    at_status status = try_values(w, depth);
    *b = (atx_block){ .first = first, .count = w->rows->count - first };
    return status;
}

/* ---- the whole ---- */

static const atx_require *most_refusing(const walk *w)
{
    const atx_require *most = NULL;
    double best = 0;
    for (size_t i = w->rules->let_count; i < w->rules->rule_count; i++) {
        if (w->refused[i] > best) {
            best = w->refused[i];
            most = w->rules->rules[i].require;
        }
    }
    return most;
}

static bool is_ascending(const int *order, int count)
{
    for (int i = 1; i < count; i++)
        if (order[i] < order[i - 1])
            return false;
    return true;
}

static at_status find_rows(walk *w, atx_param_set params)
{
    int order[ATX_MAX_PARAMS] = { 0 };
    size_t n = w->rules->rule_count + 1;

    w->by_level = calloc(n, sizeof(void *));
    w->refused = calloc(n, sizeof *w->refused);
    w->failed = calloc(n, sizeof(void *));
    if (!w->by_level || !w->refused || !w->failed)
        return atx_no_memory(w->err);
    atx_space_order(order, w->rules, params);
    fill_levels(w, order, params);
    at_status status = AT_OK;
    for (int i = 1; i < w->rows->column_count && status == AT_OK; i++)
        status = plan_memory(w, i);
    for (int i = 0; i + 1 < w->rows->column_count && status == AT_OK; i++)
        status = plan_bounds(w, i, params);
    for (int i = 0; i < w->rows->column_count; i++)
        unbind(w, &w->levels[i]);
    ATX_THEN(status, visit(w, 0));
    if (status != AT_OK)
        return status;
    w->rows->refused = most_refusing(w);
    /* The walk may have gone in another order of parameters; rows are kept in that of the declaration. */
    return is_ascending(order, w->rows->column_count) ? AT_OK : atx_rows_sort(w->rows, w->err);
}

static void walk_close(walk *w)
{
    for (int i = 0; i < ATX_MAX_PARAMS; i++) {
        free(w->levels[i].memory);
        free(w->levels[i].tests);
        free(w->levels[i].bindings);
        atx_space_cache_close(&w->levels[i].cache);
    }
    free(w->by_level);
    free(w->refused);
    free(w->failed);
    free(w);
}

at_status atx_rows_find(atx_rows *out, const atx_rules *rules, atx_param_set params, atx_cancel *cancel,
                        at_error *err)
{
    atx_rows rows;
    int columns[ATX_MAX_PARAMS], count = 0;
    walk *w = calloc(1, sizeof *w);
    if (!w)
        return atx_no_memory(err);
    for (int i = 0; i < rules->t->scope.param_count; i++)
        if (params >> i & 1)
            columns[count++] = i;
    atx_rows_init(&rows, rules->t, columns, count);
    w->rules = rules;
    w->rows = &rows;
    w->cancel = cancel;
    w->err = err;
    for (int i = 0; i < ATX_MAX_SLOTS; i++)
        bind(w, i, rules->slots[i]);

    at_status status = find_rows(w, params);
    if (status == AT_OK) {
        *out = rows;
        rows.keys = NULL;
    }
    atx_rows_clear(&rows);
    walk_close(w);
    return status;
}
