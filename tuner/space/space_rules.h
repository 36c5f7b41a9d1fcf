/*
 * space_rules.h - which parameters a requirement depends on, directly or through lets. Private to space*.c.
 *
 * A parameter with one allowed value (declared so, or fixed by the user) is a constant: it is bound at once
 * and links nothing. A requirement that holds for all values of its parameters is dropped, because it would
 * tie parameters together for nothing.
 */
#ifndef AUTOTUNE_SPACE_RULES_H
#define AUTOTUNE_SPACE_RULES_H

#include "space/space.h"

/* A set of parameters, a bit each. */
typedef uint32_t at__param_set;

typedef struct at__let_set {
    uint64_t bits[AT__MAX_SLOTS / 64];
} at__let_set;

/* A let or a requirement. */
typedef struct at__rule {
    const at__expr *expr;
    const at__require *require; /* NULL: a let                                                */
    int slot;                   /* of a let                                                   */
    at__param_set params;       /* free parameters it depends on, also through lets           */
    at__let_set lets;           /* lets it depends on, all the way; of a let also itself      */
    bool needed;                /* a let that no requirement needs is not evaluated; a
                                   requirement that always holds is not either               */
    double pass_rate;           /* of a requirement, estimated                                */
} at__rule;

typedef struct at__rules {
    const at__template *t;
    int first[AT__MAX_PARAMS], count[AT__MAX_PARAMS]; /* the allowed values: indices among the declared */
    int64_t slots[AT__MAX_SLOTS];                     /* bound: the op's, labels, constants             */
    at__rule *rules;                                  /* lets first, then requirements, as declared     */
    size_t let_count, rule_count;
    const at__require *refused; /* one without free parameters does not hold: the space is empty */
} at__rules;

/* AT_ERR_INPUT: a bad fix, or a value without free parameters that cannot be evaluated. */
at_status at__rules_init(at__rules *out, const at__template *t, const int64_t *slots, const at__fix *fixes,
                         int fix_count, at_error *err) AT_MUST_CHECK;
void at__rules_clear(at__rules *rules);

/* How many there are of values of these parameters, whatever the rules say. */
double at__rules_combinations(const at__rules *rules, at__param_set params);

/* Does the rule depend on one of these lets? */
bool at__rule_needs(const at__rule *rule, const at__let_set *lets);

/* Explains why an expression of this rule cannot be evaluated, with the parameters that led there. */
at_status at__rules_fail(const at__rules *rules, const at__rule *rule, const int64_t *slots, at_error *err);

#endif
