/*
 * space_order.c - the order of a walk: requirements are handled one after the other by the share of
 * combinations of their parameters that they keep, as in join ordering; requirements whose parameters are a
 * subset come first.
 *
 * Invariant: every parameter of the set is in the order once; parameters of no requirement come last, as
 * declared. The order decides how long a walk takes, never its result.
 */
#include "space/space_order.h"

/*
 * What binding these parameters next does: (rows kept - 1) / rows made, per row so far. Ascending rank is the
 * best order for independent steps, as in join ordering: it starts with what keeps least of what it makes.
 */
static double rank_of(const atx_rules *r, atx_param_set bound, atx_param_set next)
{
    double made = atx_rules_combinations(r, next), kept = made;
    for (size_t i = r->let_count; i < r->rule_count; i++) {
        const atx_rule *rule = &r->rules[i];
        if (rule->needed && rule->params && !(rule->params & ~(bound | next)) && (rule->params & next))
            kept *= rule->pass_rate;
    }
    return (kept - 1) / made;
}

/* The unbound part, inside of `within`, of the requirement to decide next; 0: none is left there. */
static atx_param_set choose_next(const atx_rules *r, atx_param_set bound, atx_param_set within)
{
    atx_param_set best = 0;
    double best_rank = 0;

    for (size_t i = r->let_count; i < r->rule_count; i++) {
        const atx_rule *rule = &r->rules[i];
        atx_param_set open = rule->params & ~bound;
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

/* Appends `params` to the order: first those that decide a requirement, the rest as declared. */
static int order_params(int *order, int count, const atx_rules *r, atx_param_set bound, atx_param_set params)
{
    atx_param_set next;
    while ((next = choose_next(r, bound, params)) != 0) {
        count = order_params(order, count, r, bound, next);
        bound |= next;
        params &= ~next;
    }
    for (int i = 0; i < r->t->scope.param_count; i++)
        if (params >> i & 1)
            order[count++] = i;
    return count;
}

void atx_space_order(int *order, const atx_rules *rules, atx_param_set params)
{
    order_params(order, 0, rules, 0, params);
}
