/*
 * space_rules.h - which parameters a requirement depends on, directly or through lets. Private to space*.c.
 *
 * A parameter with one allowed value (declared so, or fixed by the user) is a constant: it is bound at once
 * and links nothing. A requirement that holds for all values of its parameters is dropped, because it would
 * tie parameters together for nothing.
 */
#pragma once

#include "space/space.h"

/* A set of parameters, a bit each. */
typedef uint32_t atx_param_set;

typedef struct atx_let_set {
    uint64_t bits[ATX_MAX_SLOTS / 64];
} atx_let_set;

/* A let or a requirement. */
typedef struct atx_rule {
    const atx_expr *expr;
    const atx_require *require; /* NULL: a let                                                */
    int slot;                   /* of a let                                                   */
    atx_param_set params;       /* free parameters it depends on, also through lets           */
    atx_let_set lets;           /* lets it depends on, all the way; of a let also itself      */
    bool needed;                /* a let that no requirement needs is not evaluated; a
                                   requirement that always holds is not either               */
    double pass_rate;           /* of a requirement, estimated                                */
} atx_rule;

typedef struct atx_rules {
    const atx_template *t;
    int first[ATX_MAX_PARAMS], count[ATX_MAX_PARAMS]; /* the allowed values: indices among the declared */
    int64_t slots[ATX_MAX_SLOTS];                     /* bound: the op's, labels, constants             */
    atx_rule *rules;                                  /* lets first, then requirements, as declared     */
    size_t let_count, rule_count;
    const atx_require *refused; /* one without free parameters does not hold: the space is empty */
} atx_rules;

/* AT_ERR_INPUT: a bad fix, or a value without free parameters that cannot be evaluated. */
at_status atx_rules_init(atx_rules *out, const atx_template *t, const int64_t *slots, const atx_fix *fixes,
                         int fix_count, at_error *err) AT_MUST_CHECK;
void atx_rules_clear(atx_rules *rules);

/* How many there are of values of these parameters, whatever the rules say. */
double atx_rules_combinations(const atx_rules *rules, atx_param_set params);

/* Does the rule depend on one of these lets? */
bool atx_rule_needs(const atx_rule *rule, const atx_let_set *lets);

/* Explains why an expression of this rule cannot be evaluated, with the parameters that led there. */
at_status atx_rules_fail(const atx_rules *rules, const atx_rule *rule, const int64_t *slots, at_error *err);
