/* verdict.c - see verdict.h. */
#include "device/verdict.h"

#include "util/rows.h"

static void add_known(atx_str *out, const char *name, int64_t value, bool known)
{
    if (known)
        atx_member_int(out, name, value);
    else
        atx_member_text(out, name, NULL);
}

static const char *text_or_null(const char *text)
{
    return text[0] ? text : NULL;
}

void atx_verdict_member(atx_str *out, const atx_verdict *v, atx_outcome outcome)
{
    atx_member_name(out, "verdict");
    atx_str_add(out, "{");
    if (outcome == ATX_TIMED)
        atx_member_text(out, "outcome", v->checked > 0 ? "right" : NULL);
    else
        atx_member_text(out, "outcome", atx_outcome_name(outcome));
    atx_member_int(out, "launches_checked", v->checked);
    atx_member_text(out, "buffer", text_or_null(v->buffer));
    add_known(out, "element", v->element, v->buffer[0] && v->element >= 0);
    atx_member_text(out, "found", text_or_null(v->found));
    atx_member_text(out, "expected", text_or_null(v->expected));
    add_known(out, "set", v->set, v->launch > 0 && v->set >= 0);
    add_known(out, "launch", v->launch, v->launch > 0);
    atx_member_bool(out, "timed", v->timed);
    atx_member_bool(out, "above_ceiling", v->above_ceiling);
    atx_str_add(out, "}");
}
