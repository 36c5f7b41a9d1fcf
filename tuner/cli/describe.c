/* describe.c - see describe.h. */
#include "cli/describe.h"

#include <string.h>

void atx_describe_text(atx_str *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        bool line_start = p == text || p[-1] == '\n';
        if (*p == '\\')
            atx_str_add(out, "\\e");
        else if (*p == '-')
            atx_str_add(out, "\\-");
        else
            atx_str_addf(out, "%s%c", line_start && (*p == '.' || *p == '\'') ? "\\&" : "", *p);
    }
}

static void options(atx_str *out, const atx_option *table)
{
    for (const atx_option *o = table; o->name; o++) {
        const char letter = atx_option_letter(o->name);
        if (letter)
            atx_str_addf(out, "-%c\t%s\t%s\n", letter, o->value ? o->value : "-", o->help);
        atx_str_addf(out, "%s\t%s\t%s\n", o->name, o->value ? o->value : "-", o->help);
    }
    atx_str_add(out, "--help\t-\tthis page\n");
}

/* A subsection of the manual page. */
static void man(atx_str *out, const char *name, const atx_usage *usage, const atx_option *table)
{
    atx_str_addf(out, ".SS %s\n.nf\n", name);
    atx_describe_text(out, usage->synopsis);
    atx_str_add(out, "\n.fi\n.PP\n");
    atx_describe_text(out, usage->about);
    atx_str_add(out, "\n");
    for (const atx_option *o = table; o->name; o++) {
        const char letter = atx_option_letter(o->name);
        atx_str_add(out, ".TP\n\\fB");
        if (letter)
            atx_str_addf(out, "\\-%c\\fR, \\fB", letter);
        atx_describe_text(out, o->name);
        atx_str_add(out, "\\fR");
        if (o->value) {
            atx_str_add(out, " \\fI");
            atx_describe_text(out, o->value);
            atx_str_add(out, "\\fR");
        }
        atx_str_add(out, "\n");
        atx_describe_text(out, o->help);
        atx_str_add(out, "\n");
    }
}

bool atx_describe(atx_str *out, const char *word, const char *name, const atx_usage *usage,
                  const atx_option *table)
{
    if (strcmp(word, "--help=options") == 0)
        options(out, table);
    else if (strcmp(word, "--help=man") == 0)
        man(out, name, usage, table);
    else
        return false;
    return true;
}
