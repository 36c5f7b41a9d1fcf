/* space_walk.c - see space_walk.h. */
#include "space_walk.h"

#include <stdlib.h>
#include <string.h>

/* What becomes possible once a parameter is bound. */
typedef struct level {
    int param;
    int column;
    const at__rule **rules; /* lets, then requirements */
    size_t rule_count;
    double below; /* combinations of the parameters that follow */
} level;

typedef struct walk {
    const at__rules *rules;
    at__rows *rows;
    size_t row_cap;
    level levels[AT__MAX_PARAMS];
    const at__rule **by_level; /* what the levels' rules point into */
    double *refused;           /* of each rule: combinations it refused */
    const at__rule **failed;   /* on the way to this row: what could not be evaluated */
    size_t failed_count;
    at__let_set failed_lets;
    int64_t steps;
    int64_t slots[AT__MAX_SLOTS];
    uint16_t row[AT__MAX_PARAMS];
    at_error *err;
} walk;

/* ---- the order of the walk ---- */

static double combinations(const at__rules *r, at__param_set params)
{
    double product = 1;
    for (int i = 0; i < r->t->param_count; i++)
        if (params >> i & 1)
            product *= r->count[i];
    return product;
}

/*
 * What binding these parameters next does: (rows kept - 1) / rows made, per row so far. Ascending rank is the
 * best order for independent steps, as in join ordering: it starts with what keeps least of what it makes.
 */
static double rank_of(const at__rules *r, at__param_set bound, at__param_set next)
{
    double made = combinations(r, next), kept = made;
    for (size_t i = r->let_count; i < r->rule_count; i++) {
        const at__rule *rule = &r->rules[i];
        if (rule->needed && rule->params && !(rule->params & ~(bound | next)) && (rule->params & next))
            kept *= rule->pass_rate;
    }
    return (kept - 1) / made;
}

/* The unbound part, inside of `within`, of the requirement to settle next; 0: none is left there. */
static at__param_set choose_next(const at__rules *r, at__param_set bound, at__param_set within)
{
    at__param_set best = 0;
    double best_rank = 0;

    for (size_t i = r->let_count; i < r->rule_count; i++) {
        const at__rule *rule = &r->rules[i];
        at__param_set open = rule->params & ~bound;
        if (!rule->needed || !open || (open & ~within) || open == within)
            continue;
        double rank = rank_of(r, bound, open);
        if (!best || rank < best_rank) {
            best = open;
            best_rank = rank;
        }
    }
    return best;
}

/* Appends `params` to the order: first what settles a requirement inside of them, the rest as declared. */
static int order_params(int *order, int count, const at__rules *r, at__param_set bound, at__param_set params)
{
    at__param_set next;
    while ((next = choose_next(r, bound, params)) != 0) {
        count = order_params(order, count, r, bound, next);
        bound |= next;
        params &= ~next;
    }
    for (int i = 0; i < r->t->param_count; i++)
        if (params >> i & 1)
            order[count++] = i;
    return count;
}

/* The level at which a rule's last parameter is bound. */
static int level_of(const walk *w, const at__rule *rule, int levels)
{
    int last = levels - 1;
    while (!(rule->params >> w->levels[last].param & 1))
        last--;
    return last;
}

static bool in_group(const at__rule *rule, at__param_set params)
{
    return rule->needed && rule->params && !(rule->params & ~params);
}

static void fill_levels(walk *w, const int *order, at__param_set params)
{
    const at__rules *r = w->rules;
    int n = w->rows->columns;
    size_t used = 0;
    double below = 1;

    for (int i = 0; i < n; i++)
        w->levels[i].param = order[i];
    for (int i = 0; i < n; i++) {
        level *l = &w->levels[i];
        while (w->rows->params[l->column] != l->param)
            l->column++;
        l->rules = w->by_level + used;
        for (size_t k = 0; k < r->rule_count; k++)
            if (in_group(&r->rules[k], params) && level_of(w, &r->rules[k], n) == i)
                l->rules[l->rule_count++] = &r->rules[k];
        used += l->rule_count;
    }
    for (int i = n - 1; i >= 0; i--) {
        w->levels[i].below = below;
        below *= r->count[w->levels[i].param];
    }
}

/* ---- the walk ---- */

static void set_failed(walk *w, const at__rule *rule)
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

/* Evaluates what the level's parameter made possible; false: a requirement refuses. */
static bool passes(walk *w, const level *l)
{
    for (size_t i = 0; i < l->rule_count; i++) {
        const at__rule *rule = l->rules[i];
        int64_t value;
        if (w->failed_count && at__rule_needs(rule, &w->failed_lets))
            continue;
        if (at__expr_eval(&value, rule->expr, w->slots, NULL) != AT_OK) {
            set_failed(w, rule);
        } else if (!rule->require) {
            w->slots[rule->slot] = value;
        } else if (!value) {
            w->refused[rule - w->rules->rules] += l->below;
            return false;
        }
    }
    return true;
}

static at_status add_row(walk *w)
{
    at__rows *rows = w->rows;
    if (w->failed_count)
        return at__rules_fail(w->rules, w->failed[0], w->slots, w->err);
    if (rows->count == AT__SPACE_MAX_ROWS)
        return at_fail(w->err, AT_ERR_INPUT,
                       "%s: template %s has more than %lld valid configurations of parameters that "
                       "depend on each other; expected fewer values, or more requirements",
                       w->rules->t->file, w->rules->t->name, (long long)AT__SPACE_MAX_ROWS);
    size_t bytes = (size_t)rows->columns * sizeof *rows->data;
    if (!at__grow(&rows->data, &w->row_cap, (size_t)rows->count, bytes))
        return at_fail(w->err, AT_ERR_MEMORY, "out of memory");
    memcpy(rows->data + rows->count * rows->columns, w->row, bytes);
    rows->count++;
    return AT_OK;
}

static at_status visit(walk *w, int depth)
{
    if (depth == w->rows->columns)
        return add_row(w);
    const level *l = &w->levels[depth];
    const at__param *param = &w->rules->t->params[l->param];
    int first = w->rules->first[l->param], end = first + w->rules->count[l->param];

    for (int i = first; i < end; i++) {
        size_t failed = w->failed_count;
        at_status status = AT_OK;
        if (++w->steps > AT__SPACE_MAX_STEPS)
            return at_fail(w->err, AT_ERR_INPUT,
                           "%s: the requirements of template %s refuse too little too late: gave up "
                           "after %lld steps",
                           w->rules->t->file, w->rules->t->name, (long long)AT__SPACE_MAX_STEPS);
        w->slots[param->slot] = param->values[i];
        w->row[l->column] = (uint16_t)i;
        if (passes(w, l))
            status = visit(w, depth + 1);
        forget_failed(w, failed);
        if (status != AT_OK)
            return status;
    }
    return AT_OK;
}

/* ---- order of rows ---- */

/* One pass of a radix sort: stable, by one column. */
static void sort_column(uint16_t *to, const uint16_t *from, const at__rows *rows, int column, int64_t *starts)
{
    int64_t sum = 0;
    int n = rows->columns;

    memset(starts, 0, AT__MAX_VALUES * sizeof *starts);
    for (int64_t i = 0; i < rows->count; i++)
        starts[from[i * n + column]]++;
    for (int v = 0; v < AT__MAX_VALUES; v++) {
        int64_t count = starts[v];
        starts[v] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < rows->count; i++)
        memcpy(to + starts[from[i * n + column]]++ * n, from + i * n, (size_t)n * sizeof *to);
}

at_status at__rows_sort(at__rows *rows, at_error *err)
{
    size_t bytes = (size_t)rows->count * (size_t)rows->columns * sizeof *rows->data;
    uint16_t *other = malloc(bytes);
    int64_t *starts = malloc(AT__MAX_VALUES * sizeof *starts);
    at_status status = AT_OK;

    if (rows->count < 2)
        goto done;
    if (!other || !starts) {
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
        goto done;
    }
    for (int column = rows->columns - 1; column >= 0; column--) {
        sort_column(other, rows->data, rows, column, starts);
        uint16_t *swap = rows->data;
        rows->data = other;
        other = swap;
    }
done:
    free(other);
    free(starts);
    return status;
}

static int compare_rows(const uint16_t *a, const uint16_t *b, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

int64_t at__rows_search(const at__rows *rows, const uint16_t *row)
{
    int64_t low = 0, high = rows->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        int order = compare_rows(rows->data + middle * rows->columns, row, rows->columns);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

/* ---- the whole ---- */

static const at__require *most_refusing(const walk *w)
{
    const at__require *most = NULL;
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

static at_status find_rows(walk *w, at__param_set params)
{
    int order[AT__MAX_PARAMS] = { 0 };
    size_t n = w->rules->rule_count + 1;

    w->by_level = calloc(n, sizeof(void *));
    w->refused = calloc(n, sizeof *w->refused);
    w->failed = calloc(n, sizeof(void *));
    if (!w->by_level || !w->refused || !w->failed)
        return at_fail(w->err, AT_ERR_MEMORY, "out of memory");
    order_params(order, 0, w->rules, 0, params);
    fill_levels(w, order, params);
    at_status status = visit(w, 0);
    if (status != AT_OK)
        return status;
    w->rows->refused = most_refusing(w);
    /* The walk may have gone in another order of parameters; rows are kept in that of the declaration. */
    return is_ascending(order, w->rows->columns) ? AT_OK : at__rows_sort(w->rows, w->err);
}

at_status at__rows_find(at__rows *out, const at__rules *rules, at__param_set params, at_error *err)
{
    at__rows rows = { .columns = 0 };
    walk *w = calloc(1, sizeof *w);
    if (!w)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (int i = 0; i < rules->t->param_count; i++)
        if (params >> i & 1)
            rows.params[rows.columns++] = i;
    w->rules = rules;
    w->rows = &rows;
    w->err = err;
    memcpy(w->slots, rules->slots, sizeof w->slots);

    at_status status = find_rows(w, params);
    if (status == AT_OK) {
        *out = rows;
        rows = (at__rows){ .columns = 0 };
    }
    at__rows_clear(&rows);
    free(w->by_level);
    free(w->refused);
    free(w->failed);
    free(w);
    return status;
}

void at__rows_clear(at__rows *rows)
{
    free(rows->data);
    *rows = (at__rows){ .columns = 0 };
}
