/*
 * cmd_completions.c - `autotune completions`: scripts for shells, and the manual page. The scripts ask the
 * program for the options of a command when they complete them; the manual page has a section for each
 * command (describe.h).
 */
#include "cli/commands.h"
#include "cli/describe.h"

#include <stdio.h>
#include <string.h>

static const atx_usage USAGE = {
    "autotune completions bash|zsh|fish|man",
    "Writes completions for a shell, or the manual page. An installation has them already; without one use "
    "`source <(autotune completions bash)`.",
};

static const char BASH[] =
    "' options value\n"
    "  ((COMP_CWORD == 1)) && [[ $word != -* ]] && {\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$word\")\n"
    "    return\n"
    "  }\n"
    "  [[ \" $commands \" == *\" $command \"* ]] || command=tune\n"
    "  options=$(\"${COMP_WORDS[0]}\" \"$command\" --help=options 2>/dev/null)\n"
    "  value=$(awk -F '\\t' -v option=\"$before\" '$1 == option && $2 != \"-\" { print $2 }' "
    "<<<\"$options\")\n"
    "  case $value in\n"
    "    FILE) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
    "    DIR*) mapfile -t COMPREPLY < <(compgen -d -- \"$word\") ;;\n"
    "    *[A-Z0-9]*) COMPREPLY=() ;;\n"
    "    ?*) mapfile -t COMPREPLY < <(compgen -W \"${value//|/ }\" -- \"$word\") ;;\n"
    "    *) if [[ $word == -* ]]; then\n"
    "      mapfile -t COMPREPLY < <(compgen -W \"$(cut -f 1 <<<\"$options\")\" -- \"$word\")\n"
    "    else\n"
    "      mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
    "    fi ;;\n"
    "  esac\n"
    "}\n"
    "complete -o filenames -F _autotune autotune\n";

static const char ZSH[] = "    )\n"
                          "    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
                          "        _describe command commands\n"
                          "        return\n"
                          "    fi\n"
                          "    local program=$words[1] command=$words[2] name value help\n"
                          "    local -a options\n"
                          "    if (( ${commands[(I)$command:*]} )); then\n"
                          "        shift words\n"
                          "        (( CURRENT-- ))\n"
                          "    else\n"
                          "        command=tune\n"
                          "    fi\n"
                          "    while IFS=$'\\t' read -r name value help; do\n"
                          "        help=${${help//[\\[\\]]/}//:/\\\\:}\n"
                          "        case $value in\n"
                          "            -) options+=(\"*${name}[$help]\") ;;\n"
                          "            FILE) options+=(\"*${name}=[$help]:$value:_files\") ;;\n"
                          "            DIR*) options+=(\"*${name}=[$help]:DIR:_files -/\") ;;\n"
                          "            *[A-Z0-9]*) options+=(\"*${name}=[$help]:value: \") ;;\n"
                          "            *) options+=(\"*${name}=[$help]:value:(${value//|/ })\") ;;\n"
                          "        esac\n"
                          "    done < <($program $command --help=options 2>/dev/null)\n"
                          "    _arguments $options '*:word:_files'\n"
                          "}\n"
                          "_autotune \"$@\"\n";

static const char FISH[] =
    "function __autotune_options\n"
    "    set -l words (commandline -opc)\n"
    "    set -l command tune\n"
    "    contains -- \"$words[2]\" $__autotune_commands; and set command $words[2]\n"
    "    $words[1] $command --help=options 2>/dev/null\n"
    "end\n"
    "function __autotune_value\n"
    "    set -l words (commandline -opc)\n"
    "    for line in (__autotune_options)\n"
    "        set -l parts (string split \\t -- $line)\n"
    "        if test \"$parts[1]\" = \"$words[-1]\"\n"
    "            string match -q 'DIR*' -- $parts[2]; and __fish_complete_directories (commandline -ct)\n"
    "            string match -qr '^[a-z|0-9]+$' -- $parts[2]; and string split '|' -- $parts[2]\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c autotune -n 'string match -q -- \"-*\" (commandline -ct)' -a "
    "'(__autotune_options | string replace -r \"\\t[^\\t]*\\t\" \\t)'\n"
    "complete -c autotune -n 'test (count (__autotune_value)) -gt 0' -x -a '(__autotune_value)'\n";

static void print_names(void)
{
    for (const atx_command *c = atx_commands; c->name; c++)
        printf("%s%s", c == atx_commands ? "" : " ", c->name);
}

/* Their descriptions need no quotes: none has a quote or a colon of its own (a test looks). */
static void print_commands(const char *format)
{
    for (const atx_command *c = atx_commands; c->name; c++)
        printf(format, c->name, c->about); // NOLINT(clang-diagnostic-format-nonliteral)
}

static void print_bash(void)
{
    printf("# bash completion of autotune: made by `autotune completions bash`\n"
           "_autotune() {\n"
           "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
           "command=${COMP_WORDS[1]}\n"
           "  local commands='");
    print_names();
    fputs(BASH, stdout);
}

static void print_zsh(void)
{
    printf(
        "#compdef autotune\n# made by `autotune completions zsh`\n_autotune() {\n    local -a commands=(\n");
    print_commands("        \"%s:%s\"\n");
    fputs(ZSH, stdout);
}

static void print_fish(void)
{
    printf("# fish completion of autotune: made by `autotune completions fish`\nset -g __autotune_commands ");
    print_names();
    printf("\n");
    print_commands("complete -c autotune -n __fish_use_subcommand -a %s -d \"%s\"\n");
    fputs(FISH, stdout);
}

static void print_text(const char *text)
{
    ATX_LOCAL(atx_str) out = { 0 };
    atx_describe_text(&out, text);
    fputs(atx_whole(&out), stdout);
}

static void print_facts(const atx_fact *facts)
{
    for (; facts->name; facts++) {
        printf(".TP\n\\fB%s\\fR\n", facts->name);
        print_text(facts->about);
        printf("\n");
    }
}

static void print_man(void)
{
    printf(".TH AUTOTUNE 1 \"\" \"autotune " AT_VERSION "\" \"User Commands\"\n"
           ".SH NAME\n"
           "autotune \\- finds the fastest CUDA kernel for your shapes on your device\n"
           ".SH SYNOPSIS\n"
           ".B autotune\n.I SHAPE \\fR[\\fITYPE\\fR] [\\fIoptions\\fR]\n.br\n"
           ".B autotune \\-\\-device 0 \\-\\-shapes shapes.txt\n.br\n"
           ".B autotune\n.I COMMAND \\fR[\\fIoptions\\fR]\n"
           ".SH DESCRIPTION\n"
           "Writes kernels from templates, compiles every candidate, proves it right, times it on the "
           "device, and "
           "remembers\nthe best for each device and shape.\n"
           ".SH COMMANDS\n");
    for (const atx_command *c = atx_commands; c->name; c++) {
        char name[32]; /* the commands print; this one's stdout is theirs */
        snprintf(name, sizeof name, "%s", c->name);
        (c->run ? c->run : atx_cmd_completions)(2, (char *[]){ name, "--help=man", NULL });
    }
    printf(".SH \"EXIT STATUS\"\n");
    print_facts(atx_exit_codes);
    printf(".SH ENVIRONMENT\n");
    print_facts(atx_environment);
    printf(".SH \"SEE ALSO\"\n.BR nvcc (1),\n.BR sqlite3 (1)\n");
}

int atx_cmd_completions(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } KINDS[] = {
        { "bash", print_bash }, { "zsh", print_zsh }, { "fish", print_fish }, { "man", print_man }
    };
    atx_words words = { 0 };
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = { { NULL, ATX_OPT_FLAG, NULL, NULL, NULL } };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &words, &code))
        return code;
    for (size_t i = 0; words.count == 1 && i < sizeof KINDS / sizeof *KINDS; i++)
        if (strcmp(words.items[0], KINDS[i].name) == 0) {
            KINDS[i].print();
            return ATX_EXIT_OK;
        }
    atx_fail(&err, AT_ERR_USAGE, "completions: found %s%s%s; expected one of bash, zsh, fish, man",
             words.count == 1 ? "'" : "",
             words.count == 1 ? words.items[0]
             : words.count    ? "several words"
                              : "nothing",
             words.count == 1 ? "'" : "");
    return atx_complain(&err);
}
