/*
 * cmd_completions.c - `autotune completions`: what shells and man are to know of this program. The frame is
 * here; each command's part comes from its own table of options (describe.h).
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

/* Each command's part, by its own table. The commands print; this one's stdout is theirs. */
static void print_parts(atx_description kind)
{
    char ask[16];
    snprintf(ask, sizeof ask, "--help=%s", atx_description_name(kind));
    for (const atx_command *c = atx_commands; c->name; c++) {
        char name[32];
        snprintf(name, sizeof name, "%s", c->name);
        (c->run ? c->run : atx_cmd_completions)(2, (char *[]){ name, ask, NULL });
    }
}

static void print_text(atx_description kind, const char *text)
{
    atx_str out = { 0 };
    atx_describe_text(&out, kind, text);
    fputs(atx_whole(&out), stdout);
    atx_str_clear(&out);
}

static void print_names(void)
{
    for (const atx_command *c = atx_commands; c->name; c++)
        printf("%s%s", c == atx_commands ? "" : " ", c->name);
}

static void print_bash(void)
{
    printf(
        "# bash completion of autotune: made by `autotune completions bash`\n"
        "_autotune() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
        "  local commands='");
    print_names();
    printf("' options='' words='' paths='' value=''\n"
           "  ((COMP_CWORD == 1)) && [[ $word != -* ]] && {\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$word\")\n"
           "    return\n"
           "  }\n"
           "  [[ \" $commands \" == *\" $command \"* ]] || command=tune\n"
           "  case $command in\n");
    print_parts(ATX_BASH);
    printf("  esac\n"
           "  if [[ $paths ]]; then\n"
           "    mapfile -t COMPREPLY < <(compgen \"$paths\" -- \"$word\")\n"
           "  elif [[ $value ]]; then\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
           "  elif [[ $word == -* ]]; then\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
           "  else\n"
           "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
           "  fi\n"
           "}\n"
           "complete -o filenames -F _autotune autotune\n");
}

static void print_zsh(void)
{
    printf("#compdef autotune\n"
           "# made by `autotune completions zsh`\n"
           "_autotune() {\n"
           "    local -a commands=(\n");
    for (const atx_command *c = atx_commands; c->name; c++) {
        printf("        '%s:", c->name);
        print_text(ATX_ZSH, c->about);
        printf("'\n");
    }
    printf("    )\n"
           "    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
           "        _describe command commands\n"
           "        return\n"
           "    fi\n"
           "    local command=$words[2]\n"
           "    if (( ${commands[(I)$command:*]} )); then\n"
           "        shift words\n"
           "        (( CURRENT-- ))\n"
           "    else\n"
           "        command=tune\n"
           "    fi\n"
           "    case $command in\n");
    print_parts(ATX_ZSH);
    printf("    esac\n"
           "}\n"
           "_autotune \"$@\"\n");
}

static void print_fish(void)
{
    printf("# fish completion of autotune: made by `autotune completions fish`\n");
    for (const atx_command *c = atx_commands; c->name; c++) {
        printf("complete -c autotune -n __fish_use_subcommand -a %s -d '", c->name);
        print_text(ATX_FISH, c->about);
        printf("'\n");
    }
    print_parts(ATX_FISH);
}

static void print_facts(const atx_fact *facts)
{
    for (; facts->name; facts++) {
        printf(".TP\n\\fB%s\\fR\n", facts->name);
        print_text(ATX_MAN, facts->about);
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
    print_parts(ATX_MAN);
    printf(".SH \"EXIT STATUS\"\n");
    print_facts(atx_exit_codes);
    printf(".SH ENVIRONMENT\n");
    print_facts(atx_environment);
    printf(".SH \"SEE ALSO\"\n.BR nvcc (1),\n.BR sqlite3 (1)\n");
}

int atx_cmd_completions(int argc, char **argv)
{
    static void (*const PRINT[])(void) = {
        [ATX_BASH] = print_bash, [ATX_ZSH] = print_zsh, [ATX_FISH] = print_fish, [ATX_MAN] = print_man
    };
    atx_words words = { 0 };
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = { { NULL, ATX_OPT_FLAG, NULL, NULL, NULL } };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &words, &code))
        return code;
    for (int i = 0; words.count == 1 && i < ATX_DESCRIPTIONS; i++)
        if (strcmp(words.items[0], atx_description_name((atx_description)i)) == 0) {
            PRINT[i]();
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
