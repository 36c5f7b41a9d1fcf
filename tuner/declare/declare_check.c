/*
 * declare_check.c - the `check` lines of an operation: when an output is right.
 *
 *     check [ARG] exact                              bit for bit
 *     check [ARG] within R relative [A absolute]     |got - right| <= absolute + relative * |right|
 *     check [ARG] within A absolute [R relative]
 *     check [ARG] within N ulp                       so many representable numbers away
 *     check [ARG] within E norm                      of the whole output: |got - right| <= E * |right|
 *     check [ARG] by KERNEL                          as a kernel of this file says
 *
 * A line without ARG is for all outputs that have none of their own, whether above or below it.
 */
#include "declare/declare.h"

#include <stdio.h>
#include <string.h>

#include "declare/data.h"
#include "declare/declare_parts.h"

/* One 'NUMBER WORD'. `seen`: a relative or an absolute one was there. */
static at_status read_limit(at__check *check, bool seen[2], at__lines *lines)
{
    double value = 0;
    const char *at = lines->at;
    at_status status = at__lines_real(&value, lines, "a number, as in within 1e-3 relative");
    if (status != AT_OK)
        return status;
    if (value < 0)
        return at__lines_fail(lines, at, "found a tolerance below 0; expected 0 or more");
    bool relative = at__lines_sees_word(lines, "relative"), absolute = at__lines_sees_word(lines, "absolute"),
         ulp = at__lines_sees_word(lines, "ulp"), norm = at__lines_sees_word(lines, "norm");
    bool first = !seen[0] && !seen[1];
    if (!(relative && !seen[0]) && !(absolute && !seen[1]) && !(first && (ulp || norm)))
        return at__lines_expected(lines, first     ? "relative, absolute, ulp or norm"
                                         : seen[0] ? "absolute"
                                                   : "relative");
    *(absolute ? &check->absolute : &check->relative) = value;
    check->rule = ulp ? AT__ULP : norm ? AT__NORM : AT__WITHIN;
    seen[0] = seen[0] || relative;
    seen[1] = seen[1] || absolute;
    at__lines_skip(lines, at__lines_word(lines));
    return AT_OK;
}

static at_status read_referee(at__check *check, at__lines *lines)
{
    at__lines_skip(lines, 2);
    const char *at = lines->at;
    check->rule = AT__BY;
    at_status status = at__read_free_name(check->by, lines, "the name of a kernel");
    if (status == AT_OK && !at__lines_source_has(lines, check->by))
        return at__lines_fail(
            lines, at, "found no kernel '%s' in this file; expected it below the declaration", check->by);
    return status;
}

static at_status read_rule(at__check *check, at__lines *lines, const char *expected)
{
    bool seen[2] = { false, false };
    if (at__lines_sees_word(lines, "exact")) {
        at__lines_skip(lines, 5);
        return AT_OK;
    }
    if (at__lines_sees_word(lines, "by"))
        return read_referee(check, lines);
    if (!at__lines_sees_word(lines, "within"))
        return at__lines_expected(lines, expected);
    at__lines_skip(lines, 6);
    at_status status = read_limit(check, seen, lines);
    if (status == AT_OK && check->rule == AT__WITHIN && !at__lines_at_end(lines))
        status = read_limit(check, seen, lines);
    return status;
}

static at__arg *find_output(at__op *op, const at__lines *lines)
{
    for (int i = 0; i < op->arg_count; i++)
        if (at__role_is_output(op->args[i].role) && at__lines_sees_word(lines, op->args[i].name))
            return &op->args[i];
    return NULL;
}

at_status at__read_check(at__op *op, at__lines *lines)
{
    at__check check = { .rule = AT__EXACT, .where = at__lines_where(lines, lines->at) };
    at__arg *arg = find_output(op, lines);
    at__check *to = arg ? &arg->check : &op->check;

    if (to->where.line)
        return at__lines_fail(lines, lines->line, "found a second 'check' line%s%s; expected one",
                              arg ? " for " : "", arg ? arg->name : "");
    if (arg)
        at__lines_skip(lines, strlen(arg->name));
    at_status status = read_rule(
        &check, lines, arg ? "'exact', 'within' or 'by'" : "'exact', 'within', 'by' or an output above");
    *to = check;
    return status;
}

void at__op_share_check(at__op *op)
{
    for (int i = 0; i < op->arg_count; i++)
        if (at__role_is_output(op->args[i].role) && !op->args[i].check.where.line)
            op->args[i].check = op->check;
}

int at__op_referees(const char *names[AT__MAX_STEPS], const at__op *op)
{
    int count = 0;
    for (int i = 0; i < op->arg_count; i++) {
        const at__arg *arg = &op->args[i];
        bool known = !at__role_is_output(arg->role) || arg->check.rule != AT__BY;
        for (int k = 0; k < count; k++)
            known = known || strcmp(names[k], arg->check.by) == 0;
        if (!known && count < AT__MAX_STEPS)
            names[count++] = arg->check.by;
    }
    return count;
}

void at__check_text(char *out, size_t size, const at__check *check)
{
    if (check->rule == AT__BY) {
        snprintf(out, size, "by %s", check->by);
        return;
    }
    static const char *const WORDS[] = { [AT__ULP] = "ulp", [AT__NORM] = "norm" };
    if (check->rule == AT__EXACT)
        snprintf(out, size, "exact");
    else if (check->rule != AT__WITHIN)
        snprintf(out, size, "within %.6g %s", check->relative, WORDS[check->rule]);
    else if (check->relative > 0 && check->absolute > 0)
        snprintf(out, size, "within %.6g relative %.6g absolute", check->relative, check->absolute);
    else
        snprintf(out, size, "within %.6g %s", check->absolute > 0 ? check->absolute : check->relative,
                 check->absolute > 0 ? "absolute" : "relative");
}
