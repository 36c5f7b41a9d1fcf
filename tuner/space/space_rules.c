/*
 * space_rules.c - every let and requirement gets the set of parameters that it depends on, through
 * any number of lets. A parameter with one allowed value is a constant and in no set.
 *
 * For each requirement the share of combinations that it lets pass is estimated, from all of them
 * where they are few and else from a sample: the walk orders by it. One that passes all
 * combinations, all having been tried, is dropped. A combination that cannot be evaluated counts as
 * passing: it is the walk that must find it.
 */
#include "space/space_rules.h"

#include <stdlib.h>
#include <string.h>

/* Up to so many combinations of a requirement's parameters are all tried; of more, a sample. */
enum { MOST_TRIED = 4096, SAMPLE = 256 };

static void add_let(atx_let_set *set, size_t i)
{
    set->bits[i / 64] |= (uint64_t)1 << i % 64;
}

static bool has_let(const atx_let_set *set, size_t i)
{
    return set->bits[i / 64] >> i % 64 & 1;
}

bool atx_rule_needs(const atx_rule *rule, const atx_let_set *lets)
{
    for (size_t i = 0; i < sizeof lets->bits / sizeof *lets->bits; i++)
        if (rule->lets.bits[i] & lets->bits[i])
            return true;
    return false;
}

at_status atx_rules_fail(const atx_rules *rules, const atx_rule *rule, const int64_t *slots, at_error *err)
{
    at_error cause = { 0 };
    ATX_LOCAL(atx_str) with = { 0 };
    int64_t value;

    if (atx_expr_eval(&value, rule->expr, slots, &cause) == AT_OK)
        return AT_OK;
    for (int i = 0; i < rules->t->scope.param_count; i++) {
        const atx_param *param = &rules->t->scope.params[i];
        if (!(rule->params >> i & 1))
            continue;
        atx_str_addf(&with, "%s%s=", with.len ? " " : " with ", param->name);
        atx_param_add_text(&with, param, slots[param->slot]);
    }
    atx_fail(err, AT_ERR_INPUT, "%s%s", cause.text, atx_str_text(&with));
    return AT_ERR_INPUT;
}

/* ---- allowed values ---- */

static at_status fail_value(const atx_template *t, const atx_param *param, const atx_fix *fix, at_error *err)
{
    ATX_LOCAL(atx_str) values = { 0 };
    for (int i = 0; i < param->count && i < 40; i++) {
        atx_str_add(&values, " ");
        atx_param_add_text(&values, param, param->values[i]);
    }
    atx_fail(err, AT_ERR_INPUT, "found '%s.%s=%s'; expected one of%s%s", t->name, fix->param, fix->value,
             atx_str_text(&values), param->count > 40 ? " ..." : "");
    return AT_ERR_INPUT;
}

static at_status apply_fix(atx_rules *r, const atx_fix *fix, at_error *err)
{
    const atx_template *t = r->t;
    int i = atx_param_find(t, fix->param, strlen(fix->param));
    if (i < 0) {
        ATX_LOCAL(atx_str) names = { 0 };
        for (int k = 0; k < t->scope.param_count; k++)
            atx_str_addf(&names, " %s", t->scope.params[k].name);
        atx_fail(err, AT_ERR_INPUT, "found '%s.%s'; template %s has the parameters%s", t->name, fix->param,
                 t->name, atx_str_text(&names));
        return AT_ERR_INPUT;
    }
    int value = atx_param_find_text(&t->scope.params[i], fix->value, strlen(fix->value));
    if (value < 0)
        return fail_value(t, &t->scope.params[i], fix, err);
    if (value < r->first[i] || value >= r->first[i] + r->count[i])
        return atx_fail(err, AT_ERR_INPUT, "found '%s.%s' fixed to different values; expected one", t->name,
                        fix->param);
    r->first[i] = value;
    r->count[i] = 1;
    return AT_OK;
}

static at_status allow_values(atx_rules *r, const atx_fix *fixes, int fix_count, at_error *err)
{
    const atx_template *t = r->t;
    for (int i = 0; i < t->scope.param_count; i++)
        r->count[i] = t->scope.params[i].count;
    for (int i = 0; i < fix_count; i++) {
        at_status status = AT_OK;
        if (strcmp(fixes[i].template_name, t->name) == 0)
            status = apply_fix(r, &fixes[i], err);
        if (status != AT_OK)
            return status;
    }
    for (int i = 0; i < t->scope.param_count; i++) {
        const atx_param *param = &t->scope.params[i];
        r->slots[param->slot] = param->values[r->first[i]];
        for (int k = 0; param->labels && k < param->count; k++)
            r->slots[param->label_slot + k] = param->values[k];
    }
    return AT_OK;
}

/* ---- dependencies ---- */

static void link_rule(const atx_rules *r, atx_rule *rule, size_t lets_before)
{
    for (int i = 0; i < r->t->scope.param_count; i++)
        if (r->count[i] > 1 && atx_expr_reads(rule->expr, r->t->scope.params[i].slot))
            rule->params |= 1u << i;
    for (size_t i = 0; i < lets_before; i++) {
        if (!atx_expr_reads(rule->expr, r->rules[i].slot))
            continue;
        rule->params |= r->rules[i].params;
        for (size_t k = 0; k < sizeof rule->lets.bits / sizeof *rule->lets.bits; k++)
            rule->lets.bits[k] |= r->rules[i].lets.bits[k];
    }
}

static void link_all(atx_rules *r)
{
    const atx_template *t = r->t;
    for (size_t i = 0; i < r->let_count; i++) {
        r->rules[i] = (atx_rule){ .expr = t->scope.lets[i].expr, .slot = t->scope.lets[i].slot };
        link_rule(r, &r->rules[i], i);
        add_let(&r->rules[i].lets, i);
    }
    for (size_t i = 0; i < t->scope.require_count; i++) {
        atx_rule *rule = &r->rules[r->let_count + i];
        *rule = (atx_rule){
            .expr = t->scope.requires[i].expr, .require = &t->scope.requires[i], .slot = -1, .needed = true
        };
        link_rule(r, rule, r->let_count);
    }
}

/* ---- what depends on no free parameter ---- */

static void mark_needed_lets(atx_rules *r)
{
    for (size_t i = 0; i < r->let_count; i++)
        r->rules[i].needed = false;
    for (size_t k = r->let_count; k < r->rule_count; k++)
        for (size_t i = 0; r->rules[k].needed && i < r->let_count; i++)
            if (has_let(&r->rules[k].lets, i))
                r->rules[i].needed = true;
}

/* A requirement that is plainly broken counts for more than a value that cannot be evaluated. */
static at_status eval_constants(atx_rules *r, at_error *err)
{
    atx_let_set failed = { { 0 } };
    const atx_rule *first_failed = NULL;

    for (size_t i = 0; i < r->rule_count; i++) {
        atx_rule *rule = &r->rules[i];
        int64_t value;
        if (rule->params || !rule->needed || atx_rule_needs(rule, &failed))
            continue;
        if (atx_expr_eval(&value, rule->expr, r->slots, NULL) != AT_OK) {
            if (!rule->require)
                add_let(&failed, i);
            first_failed = first_failed ? first_failed : rule;
        } else if (!rule->require) {
            r->slots[rule->slot] = value;
        } else {
            rule->needed = false; /* decided for all configurations */
            if (!value && !r->refused)
                r->refused = rule->require;
        }
    }
    return first_failed && !r->refused ? atx_rules_fail(r, first_failed, r->slots, err) : AT_OK;
}

/* ---- how often a requirement holds ---- */

static bool bind_lets(const atx_rules *r, const atx_rule *rule, int64_t *slots)
{
    for (size_t i = 0; i < r->let_count; i++) {
        const atx_rule *let = &r->rules[i];
        if (let->params && has_let(&rule->lets, i) &&
            atx_expr_eval(&slots[let->slot], let->expr, slots, NULL) != AT_OK)
            return false;
    }
    return true;
}

/* Binds the rule's parameters to the combination of that number. */
static void bind_combination(const atx_rules *r, const atx_rule *rule, int64_t *slots, uint64_t number)
{
    for (int i = 0; i < r->t->scope.param_count; i++) {
        uint64_t n = (uint64_t)r->count[i];
        if (!(rule->params >> i & 1) || n == 0)
            continue;
        const atx_param *param = &r->t->scope.params[i];
        slots[param->slot] = param->values[r->first[i] + (int)(number % n)];
        number /= n;
    }
}

double atx_rules_combinations(const atx_rules *r, atx_param_set params)
{
    double product = 1;
    for (int i = 0; i < r->t->scope.param_count; i++)
        if (params >> i & 1)
            product *= r->count[i];
    return product;
}

static void estimate(atx_rules *r, atx_rule *rule, int64_t *slots)
{
    atx_rng rng = { 1 };
    double all = atx_rules_combinations(r, rule->params);
    bool whole = all <= MOST_TRIED;
    int tried = whole ? (int)all : SAMPLE, passed = 0, failed = 0;

    for (int i = 0; i < tried; i++) {
        int64_t value = 1;
        bind_combination(r, rule, slots, whole ? (uint64_t)i : atx_rng_next(&rng));
        if (!bind_lets(r, rule, slots) || atx_expr_eval(&value, rule->expr, slots, NULL) != AT_OK)
            failed++;
        else
            passed += value != 0;
    }
    rule->pass_rate = tried ? (double)(passed + failed) / tried : 1;
    rule->needed = !(whole && passed == tried);
}

static void estimate_all(atx_rules *r)
{
    int64_t slots[ATX_MAX_SLOTS];
    memcpy(slots, r->slots, sizeof slots);
    for (size_t i = r->let_count; i < r->rule_count; i++)
        if (r->rules[i].params)
            estimate(r, &r->rules[i], slots);
}

/* ---- the whole ---- */

at_status atx_rules_init(atx_rules *out, const atx_template *t, const int64_t *slots, const atx_fix *fixes,
                         int fix_count, at_error *err)
{
    atx_rules r = { .t = t,
                    .let_count = t->scope.let_count,
                    .rule_count = t->scope.let_count + t->scope.require_count };

    memcpy(r.slots, slots, (size_t)t->op->scope.symbols.count * sizeof *slots);
    ATX_TRY(allow_values(&r, fixes, fix_count, err));
    r.rules = calloc(r.rule_count + 1, sizeof *r.rules);
    if (!r.rules)
        return atx_no_memory(err);
    link_all(&r);
    mark_needed_lets(&r);
    at_status status = eval_constants(&r, err);
    if (status == AT_OK) {
        estimate_all(&r);
        mark_needed_lets(&r);
        *out = r;
    } else {
        atx_rules_clear(&r);
    }
    return status;
}

void atx_rules_clear(atx_rules *rules)
{
    free(rules->rules);
    rules->rules = NULL;
}
