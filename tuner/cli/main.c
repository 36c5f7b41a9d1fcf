/* main.c - argv to command to exit code. */
#include "cli/commands.h"
#include "cli/process.h"
#include "cli/terminal.h"
#include "lang/catalog.h"
#include "device/device.h"
#include "compile/pool.h"
#include "runner/runner.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NARROW 72 /* on a terminal below this width columns leave too little */

/* A name and its description, which is wrapped within its own column if there is room. */
static void print_fact(int columns, const char *name, const char *about)
{
    ATX_LOCAL(atx_str) line = { 0 };
    const size_t width = atx_terminal_width(stdout);
    atx_str_addf(&line, "  %-*s %s", columns, name, about);
    atx_print_line(stdout, width < NARROW ? 6 : (size_t)columns + 3, atx_whole(&line));
}

static void print_facts(const char *title, int columns, const atx_fact *facts)
{
    printf("\n%s:\n", title);
    for (; facts->name; facts++)
        print_fact(columns, facts->name, facts->about);
}

static void print_help(void)
{
    atx_print_line(stdout, 0,
                   "autotune " AT_VERSION " - finds the fastest CUDA kernel for your shapes on your device");
    printf("\nusage: autotune 4096x4096 f16\n"
           "       autotune --device 0 --shapes shapes.txt\n");
    atx_print_line(stdout, 16, "       autotune COMMAND [options]      (help COMMAND tells more)");
    printf("\ncommands:\n");
    for (const atx_command *c = atx_commands; c->name; c++)
        print_fact(11, c->name, c->about);
    print_facts("exit codes", 4, atx_exit_codes);
    print_facts("environment", 22, atx_environment);
}

static const atx_command *find_command(const char *word)
{
    const atx_command *c = atx_commands;
    while (c->name && strcmp(word, c->name) != 0)
        c++;
    return c->name ? c : NULL;
}

static int run(const atx_command *c, int argc, char **argv)
{
    return c->run ? c->run(argc, argv) : atx_cmd_completions(argc, argv);
}

static int unknown_command(const char *word)
{
    at_error err = { .status = AT_ERR_USAGE };
    const char *names[ATX_MAX_WORDS] = { NULL };
    for (int i = 0; atx_commands[i].name && i < ATX_MAX_WORDS - 1; i++)
        names[i] = atx_commands[i].name;
    const char *near = atx_nearest(word, names);
    snprintf(err.text, sizeof err.text,
             "unknown command '%.100s'; %s%s%s`autotune --help` lists the commands", word,
             near ? "did you mean " : "", near ? near : "", near ? "? " : "");
    return atx_complain(&err);
}

/* The name of an operation that comes with the program. */
static bool names_an_op(const char *word)
{
    const atx_catalog_options options = { .lazily = true };
    ATX_CLOSED(atx_catalog) *catalog = NULL;
    bool known =
        atx_catalog_open_with(&catalog, &options, NULL) == AT_OK && atx_catalog_find_op(catalog, word);
    return known;
}

/* Options alone, a shape, a size by its name, or an operation: the words of `tune`, the default command. */
static bool begins_problem(const char *word)
{
    return word[0] == '-' || isdigit((unsigned char)word[0]) || strchr(word, '=') || names_an_op(word);
}

/* The page of each command that is named: `help tune` is `tune --help`. */
static int help(int argc, char **argv)
{
    int code = ATX_EXIT_OK;
    bool general = argc < 3 || strcmp(argv[2], "help") == 0 || strcmp(argv[2], "--help") == 0;
    if (general)
        print_help();
    for (int i = 2; !general && i < argc && code == ATX_EXIT_OK; i++) {
        const atx_command *c = find_command(argv[i]);
        char *page[] = { argv[i], "--help", NULL };
        code = c ? run(c, 2, page) : unknown_command(argv[i]);
    }
    return code;
}

static int run_command(int argc, char **argv)
{
    const atx_command *c = find_command(argv[1]);
    if (c)
        return run(c, argc - 1, argv + 1);
    if (!begins_problem(argv[1]))
        return unknown_command(argv[1]);
    argv[0] = "tune";
    return atx_cmd_tune(argc, argv);
}

static bool asks_for_version(const char *word)
{
    return strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 || strcmp(word, "version") == 0;
}

int main(int argc, char **argv)
{
    atx_process_begin();
    if (argc > 2 && strcmp(argv[1], "__compile") == 0)
        return atx_pool_worker_main(argv[2]);
    if (argc > 2 && strcmp(argv[1], "__device") == 0)
        return atx_device_is_replay(argv[2]) ? atx_replay_main(argv[2])
                                             : atx_runner_main(atoi(argv[2]), argc > 3);

    int code = ATX_EXIT_OK;
    atx_process_catch_signals();
    atx_process_tie();
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        print_help();
    else if (strcmp(argv[1], "help") == 0)
        code = help(argc, argv);
    else if (asks_for_version(argv[1]))
        printf("autotune " AT_VERSION "\n");
    else
        code = run_command(argc, argv);
    return atx_process_finish_output(code);
}
