/*
 * describe.c - one function a kind, each a walk over the table. What may follow an option is read from its
 * placeholder: FILE and DIR are paths, text|json is a choice of words, anything else is free text.
 */
#include "cli/describe.h"

#include <ctype.h>
#include <string.h>

const char *at__description_name(at__description kind)
{
    static const char *const NAMES[] = {
        [AT__BASH] = "bash", [AT__ZSH] = "zsh", [AT__FISH] = "fish", [AT__MAN] = "man"
    };
    return NAMES[kind];
}

bool at__description_asked(at__description *out, const char *word)
{
    static const char PREFIX[] = "--help=";
    if (strncmp(word, PREFIX, sizeof PREFIX - 1) != 0)
        return false;
    for (int i = 0; i < AT__DESCRIPTIONS; i++)
        if (strcmp(word + sizeof PREFIX - 1, at__description_name((at__description)i)) == 0) {
            *out = (at__description)i;
            return true;
        }
    return false;
}

/* What roff and shells would take for their own. */
void at__describe_text(at__str *out, at__description kind, const char *text)
{
    for (const char *p = text; *p; p++) {
        bool line_start = p == text || p[-1] == '\n';
        if (kind == AT__MAN && *p == '\\')
            at__str_add(out, "\\e");
        else if (kind == AT__MAN && *p == '-')
            at__str_add(out, "\\-");
        else if (kind == AT__MAN && line_start && (*p == '.' || *p == '\''))
            at__str_addf(out, "\\&%c", *p);
        else if (kind != AT__MAN && kind != AT__FISH && *p == '\'')
            at__str_add(out, "'\\''");
        else if ((kind == AT__FISH && strchr("'\\", *p)) || (kind == AT__ZSH && strchr("[]:\\", *p)))
            at__str_addf(out, "\\%c", *p);
        else
            at__str_addf(out, "%c", *p == '\n' && kind != AT__MAN ? ' ' : *p);
    }
}

static bool is_file(const at__option *o)
{
    return o->value && strcmp(o->value, "FILE") == 0;
}

static bool is_folder(const at__option *o)
{
    return o->value && strcmp(o->value, "DIR") == 0;
}

/* "text|json|csv". */
static bool is_choice(const at__option *o)
{
    if (!o->value || !strchr(o->value, '|'))
        return false;
    for (const char *p = o->value; *p; p++)
        if (!islower((unsigned char)*p) && *p != '|')
            return false;
    return true;
}

/* The words of a choice, separated by blanks. */
static void add_choice(at__str *out, const at__option *o)
{
    for (const char *p = o->value; *p; p++)
        at__str_addf(out, "%c", *p == '|' ? ' ' : *p);
}

/* ---- bash: a branch of `case $command`, which sets $options, and $files or $words for a value ---- */

static void bash(at__str *out, const char *name, const at__option *table)
{
    at__str_addf(out, "    %s)\n      options='", name);
    for (const at__option *o = table; o->name; o++)
        at__str_addf(out, "%s ", o->name);
    at__str_add(out, "--help'\n      case $before in\n");
    for (const at__option *o = table; o->name; o++) {
        if (!o->value)
            continue;
        at__str_addf(out, "        %s) value=1", o->name);
        if (is_file(o) || is_folder(o))
            at__str_addf(out, " paths=%s", is_file(o) ? "-f" : "-d");
        if (is_choice(o)) {
            at__str_add(out, " words='");
            add_choice(out, o);
            at__str_add(out, "'");
        }
        at__str_add(out, " ;;\n");
    }
    at__str_add(out, "      esac ;;\n");
}

/* ---- zsh: a branch of `case $words[1]` ---- */

static void zsh(at__str *out, const char *name, const at__option *table)
{
    at__str_addf(out, "        (%s) _arguments \\\n", name);
    for (const at__option *o = table; o->name; o++) {
        at__str_addf(out, "            '%s%s%s[", o->kind == AT__OPT_LIST ? "*" : "", o->name,
                     o->value ? "=" : "");
        at__describe_text(out, AT__ZSH, o->help);
        at__str_add(out, "]");
        if (o->value) {
            at__str_add(out, ":");
            at__describe_text(out, AT__ZSH, o->value);
            at__str_add(out, is_file(o) ? ":_files" : is_folder(o) ? ":_files -/" : ":");
            if (is_choice(o)) {
                at__str_add(out, "(");
                add_choice(out, o);
                at__str_add(out, ")");
            }
        }
        at__str_add(out, "' \\\n");
    }
    at__str_add(out, "            '--help[this page]' '*:word:_files' ;;\n");
}

/* ---- fish: a line an option ---- */

static void fish(at__str *out, const char *name, const at__option *table)
{
    for (const at__option *o = table; o->name; o++) {
        bool is_long = o->name[1] == '-';
        at__str_addf(out, "complete -c autotune -n '__fish_seen_subcommand_from %s' %s %s", name,
                     is_long ? "-l" : "-s", o->name + (is_long ? 2 : 1));
        if (is_file(o))
            at__str_add(out, " -r -F");
        else if (is_folder(o))
            at__str_add(out, " -x -a '(__fish_complete_directories)'");
        else if (o->value)
            at__str_add(out, " -x");
        if (is_choice(o)) {
            at__str_add(out, " -a '");
            add_choice(out, o);
            at__str_add(out, "'");
        }
        at__str_add(out, " -d '");
        at__describe_text(out, AT__FISH, o->help);
        at__str_add(out, "'\n");
    }
}

/* ---- the manual page: a subsection ---- */

static void man(at__str *out, const char *name, const at__usage *usage, const at__option *table)
{
    at__str_addf(out, ".SS %s\n.nf\n", name);
    at__describe_text(out, AT__MAN, usage->synopsis);
    at__str_add(out, "\n.fi\n.PP\n");
    at__describe_text(out, AT__MAN, usage->about);
    at__str_add(out, "\n");
    for (const at__option *o = table; o->name; o++) {
        at__str_add(out, ".TP\n\\fB");
        at__describe_text(out, AT__MAN, o->name);
        at__str_add(out, "\\fR");
        if (o->value) {
            at__str_add(out, " \\fI");
            at__describe_text(out, AT__MAN, o->value);
            at__str_add(out, "\\fR");
        }
        at__str_add(out, "\n");
        at__describe_text(out, AT__MAN, o->help);
        at__str_add(out, "\n");
    }
}

void at__describe(at__str *out, at__description kind, const char *name, const at__usage *usage,
                  const at__option *table)
{
    switch (kind) {
    case AT__BASH:
        bash(out, name, table);
        break;
    case AT__ZSH:
        zsh(out, name, table);
        break;
    case AT__FISH:
        fish(out, name, table);
        break;
    default:
        man(out, name, usage, table);
        break;
    }
}
