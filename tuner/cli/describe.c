/*
 * describe.c - one function a kind, each a walk over the table. What may follow an option is read from its
 * placeholder: FILE and DIR are paths, text|json is a choice of words, anything else is free text.
 */
#include "cli/describe.h"

#include <ctype.h>
#include <string.h>

const char *atx_description_name(atx_description kind)
{
    static const char *const NAMES[] = {
        [ATX_BASH] = "bash", [ATX_ZSH] = "zsh", [ATX_FISH] = "fish", [ATX_MAN] = "man"
    };
    return NAMES[kind];
}

bool atx_description_asked(atx_description *out, const char *word)
{
    static const char PREFIX[] = "--help=";
    if (strncmp(word, PREFIX, sizeof PREFIX - 1) != 0)
        return false;
    for (int i = 0; i < ATX_DESCRIPTIONS; i++)
        if (strcmp(word + sizeof PREFIX - 1, atx_description_name((atx_description)i)) == 0) {
            *out = (atx_description)i;
            return true;
        }
    return false;
}

/* What roff and shells would take for their own. */
void atx_describe_text(atx_str *out, atx_description kind, const char *text)
{
    for (const char *p = text; *p; p++) {
        bool line_start = p == text || p[-1] == '\n';
        if (kind == ATX_MAN && *p == '\\')
            atx_str_add(out, "\\e");
        else if (kind == ATX_MAN && *p == '-')
            atx_str_add(out, "\\-");
        else if (kind == ATX_MAN && line_start && (*p == '.' || *p == '\''))
            atx_str_addf(out, "\\&%c", *p);
        else if (kind != ATX_MAN && kind != ATX_FISH && *p == '\'')
            atx_str_add(out, "'\\''");
        else if ((kind == ATX_FISH && strchr("'\\", *p)) || (kind == ATX_ZSH && strchr("[]:\\", *p)))
            atx_str_addf(out, "\\%c", *p);
        else
            atx_str_addf(out, "%c", *p == '\n' && kind != ATX_MAN ? ' ' : *p);
    }
}

static bool is_file(const atx_option *o)
{
    return o->value && strcmp(o->value, "FILE") == 0;
}

static bool is_folder(const atx_option *o)
{
    return o->value && strcmp(o->value, "DIR") == 0;
}

/* "text|json|csv". */
static bool is_choice(const atx_option *o)
{
    if (!o->value || !strchr(o->value, '|'))
        return false;
    for (const char *p = o->value; *p; p++)
        if (!islower((unsigned char)*p) && *p != '|')
            return false;
    return true;
}

/* The words of a choice, separated by blanks. */
static void add_choice(atx_str *out, const atx_option *o)
{
    for (const char *p = o->value; *p; p++)
        atx_str_addf(out, "%c", *p == '|' ? ' ' : *p);
}

/* ---- bash: a branch of `case $command`, which sets $options, and $files or $words for a value ---- */

static void bash(atx_str *out, const char *name, const atx_option *table)
{
    atx_str_addf(out, "    %s)\n      options='", name);
    for (const atx_option *o = table; o->name; o++)
        atx_str_addf(out, "%s ", o->name);
    atx_str_add(out, "--help'\n      case $before in\n");
    for (const atx_option *o = table; o->name; o++) {
        if (!o->value)
            continue;
        atx_str_addf(out, "        %s) value=1", o->name);
        if (is_file(o) || is_folder(o))
            atx_str_addf(out, " paths=%s", is_file(o) ? "-f" : "-d");
        if (is_choice(o)) {
            atx_str_add(out, " words='");
            add_choice(out, o);
            atx_str_add(out, "'");
        }
        atx_str_add(out, " ;;\n");
    }
    atx_str_add(out, "      esac ;;\n");
}

/* ---- zsh: a branch of `case $words[1]` ---- */

static void zsh(atx_str *out, const char *name, const atx_option *table)
{
    atx_str_addf(out, "        (%s) _arguments \\\n", name);
    for (const atx_option *o = table; o->name; o++) {
        atx_str_addf(out, "            '%s%s%s[", o->kind == ATX_OPT_LIST ? "*" : "", o->name,
                     o->value ? "=" : "");
        atx_describe_text(out, ATX_ZSH, o->help);
        atx_str_add(out, "]");
        if (o->value) {
            atx_str_add(out, ":");
            atx_describe_text(out, ATX_ZSH, o->value);
            atx_str_add(out, is_file(o) ? ":_files" : is_folder(o) ? ":_files -/" : ":");
            if (is_choice(o)) {
                atx_str_add(out, "(");
                add_choice(out, o);
                atx_str_add(out, ")");
            }
        }
        atx_str_add(out, "' \\\n");
    }
    atx_str_add(out, "            '--help[this page]' '*:word:_files' ;;\n");
}

/* ---- fish: a line an option ---- */

static void fish(atx_str *out, const char *name, const atx_option *table)
{
    for (const atx_option *o = table; o->name; o++) {
        bool is_long = o->name[1] == '-';
        atx_str_addf(out, "complete -c autotune -n '__fish_seen_subcommand_from %s' %s %s", name,
                     is_long ? "-l" : "-s", o->name + (is_long ? 2 : 1));
        if (is_file(o))
            atx_str_add(out, " -r -F");
        else if (is_folder(o))
            atx_str_add(out, " -x -a '(__fish_complete_directories)'");
        else if (o->value)
            atx_str_add(out, " -x");
        if (is_choice(o)) {
            atx_str_add(out, " -a '");
            add_choice(out, o);
            atx_str_add(out, "'");
        }
        atx_str_add(out, " -d '");
        atx_describe_text(out, ATX_FISH, o->help);
        atx_str_add(out, "'\n");
    }
}

/* ---- the manual page: a subsection ---- */

static void man(atx_str *out, const char *name, const atx_usage *usage, const atx_option *table)
{
    atx_str_addf(out, ".SS %s\n.nf\n", name);
    atx_describe_text(out, ATX_MAN, usage->synopsis);
    atx_str_add(out, "\n.fi\n.PP\n");
    atx_describe_text(out, ATX_MAN, usage->about);
    atx_str_add(out, "\n");
    for (const atx_option *o = table; o->name; o++) {
        atx_str_add(out, ".TP\n\\fB");
        atx_describe_text(out, ATX_MAN, o->name);
        atx_str_add(out, "\\fR");
        if (o->value) {
            atx_str_add(out, " \\fI");
            atx_describe_text(out, ATX_MAN, o->value);
            atx_str_add(out, "\\fR");
        }
        atx_str_add(out, "\n");
        atx_describe_text(out, ATX_MAN, o->help);
        atx_str_add(out, "\n");
    }
}

void atx_describe(atx_str *out, atx_description kind, const char *name, const atx_usage *usage,
                  const atx_option *table)
{
    switch (kind) {
    case ATX_BASH:
        bash(out, name, table);
        break;
    case ATX_ZSH:
        zsh(out, name, table);
        break;
    case ATX_FISH:
        fish(out, name, table);
        break;
    default:
        man(out, name, usage, table);
        break;
    }
}
