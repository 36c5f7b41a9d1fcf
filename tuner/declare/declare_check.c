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
#include "declare/declare_internal.h"

/* One 'NUMBER WORD'. `seen`: a relative or an absolute one was there. */
static void read_limit(atx_check *check, bool seen[2], atx_lines *lines)
{
    const char *at = lines->at;
    const double value = atx_lines_real(lines, "a number, as in within 1e-3 relative");
    if (value < 0)
        atx_lines_fail(lines, at, "found a tolerance below 0; expected 0 or more");
    const bool first = !seen[0] && !seen[1];
    const bool relative = !seen[0] && atx_lines_skip_word(lines, "relative");
    const bool absolute = !relative && !seen[1] && atx_lines_skip_word(lines, "absolute");
    const bool ulp = first && atx_lines_skip_word(lines, "ulp"),
               norm = first && atx_lines_skip_word(lines, "norm");
    if (!relative && !absolute && !ulp && !norm)
        atx_lines_expected(lines, first     ? "relative, absolute, ulp or norm"
                                  : seen[0] ? "absolute"
                                            : "relative");
    *(absolute ? &check->absolute : &check->relative) = value;
    check->rule = ulp ? ATX_ULP : norm ? ATX_NORM : ATX_WITHIN;
    seen[0] = seen[0] || relative;
    seen[1] = seen[1] || absolute;
}

static void read_rule(atx_check *check, atx_lines *lines, const char *expected)
{
    bool seen[2] = { false, false };
    if (atx_lines_skip_word(lines, "exact"))
        return;
    if (atx_lines_skip_word(lines, "by")) {
        const char *at = atx_read_free_name(check->by, lines, "the name of a kernel");
        check->rule = ATX_BY;
        if (!atx_lines_source_has(lines, check->by))
            atx_lines_fail(lines, at, "found no kernel '%s' in this file; expected it below the declaration",
                           check->by);
        return;
    }
    if (!atx_lines_skip_word(lines, "within")) {
        atx_lines_expected(lines, expected);
        return;
    }
    read_limit(check, seen, lines);
    if (check->rule == ATX_WITHIN && !atx_lines_at_end(lines))
        read_limit(check, seen, lines);
}

static atx_arg *find_output(atx_op *op, const atx_lines *lines)
{
    for (int i = 0; i < op->arg_count; i++)
        if (atx_role_is_output(op->args[i].role) && atx_lines_sees_word(lines, op->args[i].name))
            return &op->args[i];
    return NULL;
}

void atx_read_check(atx_lines *lines, void *target)
{
    atx_op *op = target;
    atx_check check = { .rule = ATX_EXACT, .where = atx_lines_where(lines, lines->at) };
    atx_arg *arg = find_output(op, lines);
    atx_check *to = arg ? &arg->check : &op->expected.check;

    if (to->where.line)
        atx_lines_fail(lines, lines->line, "found a second 'check' line%s%s; expected one",
                       arg ? " for " : "", arg ? arg->name : "");
    if (arg)
        atx_lines_skip_word(lines, arg->name);
    read_rule(&check, lines,
              arg ? "'exact', 'within' or 'by'" : "'exact', 'within', 'by' or an output above");
    *to = check;
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
