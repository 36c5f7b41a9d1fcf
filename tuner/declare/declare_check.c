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
static at_status read_limit(atx_check *check, bool seen[2], atx_lines *lines)
{
    double value = 0;
    const char *at = lines->at;
    at_status status = atx_lines_real(&value, lines, "a number, as in within 1e-3 relative");
    if (status != AT_OK)
        return status;
    if (value < 0)
        return atx_lines_fail(lines, at, "found a tolerance below 0; expected 0 or more");
    bool relative = atx_lines_sees_word(lines, "relative"), absolute = atx_lines_sees_word(lines, "absolute"),
         ulp = atx_lines_sees_word(lines, "ulp"), norm = atx_lines_sees_word(lines, "norm");
    bool first = !seen[0] && !seen[1];
    if (!(relative && !seen[0]) && !(absolute && !seen[1]) && !(first && (ulp || norm)))
        return atx_lines_expected(lines, first     ? "relative, absolute, ulp or norm"
                                         : seen[0] ? "absolute"
                                                   : "relative");
    *(absolute ? &check->absolute : &check->relative) = value;
    check->rule = ulp ? ATX_ULP : norm ? ATX_NORM : ATX_WITHIN;
    seen[0] = seen[0] || relative;
    seen[1] = seen[1] || absolute;
    atx_lines_skip(lines, atx_lines_word(lines));
    return AT_OK;
}

static at_status read_validator(atx_check *check, atx_lines *lines)
{
    atx_lines_skip(lines, 2);
    const char *at = lines->at;
    check->rule = ATX_BY;
    at_status status = atx_read_free_name(check->by, lines, "the name of a kernel");
    if (status == AT_OK && !atx_lines_source_has(lines, check->by))
        return atx_lines_fail(
            lines, at, "found no kernel '%s' in this file; expected it below the declaration", check->by);
    return status;
}

static at_status read_rule(atx_check *check, atx_lines *lines, const char *expected)
{
    bool seen[2] = { false, false };
    if (atx_lines_sees_word(lines, "exact")) {
        atx_lines_skip(lines, 5);
        return AT_OK;
    }
    if (atx_lines_sees_word(lines, "by"))
        return read_validator(check, lines);
    if (!atx_lines_sees_word(lines, "within"))
        return atx_lines_expected(lines, expected);
    atx_lines_skip(lines, 6);
    at_status status = read_limit(check, seen, lines);
    if (status == AT_OK && check->rule == ATX_WITHIN && !atx_lines_at_end(lines))
        status = read_limit(check, seen, lines);
    return status;
}

static atx_arg *find_output(atx_op *op, const atx_lines *lines)
{
    for (int i = 0; i < op->arg_count; i++)
        if (atx_role_is_output(op->args[i].role) && atx_lines_sees_word(lines, op->args[i].name))
            return &op->args[i];
    return NULL;
}

at_status atx_read_check(atx_op *op, atx_lines *lines)
{
    atx_check check = { .rule = ATX_EXACT, .where = atx_lines_where(lines, lines->at) };
    atx_arg *arg = find_output(op, lines);
    atx_check *to = arg ? &arg->check : &op->expected.check;

    if (to->where.line)
        return atx_lines_fail(lines, lines->line, "found a second 'check' line%s%s; expected one",
                              arg ? " for " : "", arg ? arg->name : "");
    if (arg)
        atx_lines_skip(lines, strlen(arg->name));
    at_status status = read_rule(
        &check, lines, arg ? "'exact', 'within' or 'by'" : "'exact', 'within', 'by' or an output above");
    *to = check;
    return status;
}

void atx_op_share_check(atx_op *op)
{
    for (int i = 0; i < op->arg_count; i++)
        if (atx_role_is_output(op->args[i].role) && !op->args[i].check.where.line)
            op->args[i].check = op->expected.check;
}

int atx_op_validators(const char *names[ATX_MAX_STEPS], const atx_op *op)
{
    int count = 0;
    for (int i = 0; i < op->arg_count; i++) {
        const atx_arg *arg = &op->args[i];
        bool known = !atx_role_is_output(arg->role) || arg->check.rule != ATX_BY;
        for (int k = 0; k < count; k++)
            known = known || strcmp(names[k], arg->check.by) == 0;
        if (!known && count < ATX_MAX_STEPS)
            names[count++] = arg->check.by;
    }
    return count;
}

void atx_check_text(char *out, size_t size, const atx_check *check)
{
    if (check->rule == ATX_BY) {
        snprintf(out, size, "by %s", check->by);
        return;
    }
    static const char *const WORDS[] = { [ATX_ULP] = "ulp", [ATX_NORM] = "norm" };
    if (check->rule == ATX_EXACT)
        snprintf(out, size, "exact");
    else if (check->rule != ATX_WITHIN)
        snprintf(out, size, "within %.6g %s", check->relative, WORDS[check->rule]);
    else if (check->relative > 0 && check->absolute > 0)
        snprintf(out, size, "within %.6g relative %.6g absolute", check->relative, check->absolute);
    else
        snprintf(out, size, "within %.6g %s", check->absolute > 0 ? check->absolute : check->relative,
                 check->absolute > 0 ? "absolute" : "relative");
}
