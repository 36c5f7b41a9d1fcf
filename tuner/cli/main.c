/* main.c - argv to command to exit code. */
#include "cli/commands.h"
#include "cli/process.h"
#include "lang/catalog.h"
#include "device/device.h"
#include "compile/pool.h"
#include "runner/runner.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_facts(const char *title, int width, const at__fact *facts)
{
    printf("\n%s:\n", title);
    for (; facts->name; facts++)
        printf("  %-*s %s\n", width, facts->name, facts->about);
}

static void print_help(void)
{
    printf("autotune " AT_VERSION " - finds the fastest CUDA kernel for your shapes on your device\n\n"
           "usage: autotune 4096x4096 f16\n"
           "       autotune --device 0 --shapes shapes.txt\n"
           "       autotune COMMAND [options]      (help COMMAND tells more)\n\ncommands:\n");
    for (const at__command *c = at__commands; c->name; c++)
        printf("  %-11s %s\n", c->name, c->about);
    print_facts("exit codes", 4, at__exit_codes);
    print_facts("environment", 22, at__environment);
}

static const at__command *find_command(const char *word)
{
    const at__command *c = at__commands;
    while (c->name && strcmp(word, c->name) != 0)
        c++;
    return c->name ? c : NULL;
}

static int unknown_command(const char *word)
{
    at_error err = { .status = AT_ERR_USAGE };
    const char *names[AT__MAX_WORDS] = { NULL };
    for (int i = 0; at__commands[i].name && i < AT__MAX_WORDS - 1; i++)
        names[i] = at__commands[i].name;
    const char *near = at__nearest(word, names);
    snprintf(err.text, sizeof err.text,
             "unknown command '%.100s'%s%s%s; `autotune --help` lists the commands", word,
             near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return at__complain(&err);
}

/* The name of an operation that comes with the program. */
static bool names_an_op(const char *word)
{
    const at__catalog_options options = { .lazily = true };
    at__catalog *catalog = NULL;
    bool known =
        at__catalog_open_with(&catalog, &options, NULL) == AT_OK && at__catalog_find_op(catalog, word);
    at__catalog_close(catalog);
    return known;
}

/* Options alone, a shape, or an operation: what `tune`, the default command, is given. */
static bool begins_problem(const char *word)
{
    return word[0] == '-' || isdigit((unsigned char)word[0]) || names_an_op(word);
}

/* The page of each command that is named: `help tune` is `tune --help`. */
static int help(int argc, char **argv)
{
    int code = AT__EXIT_OK;
    bool general = argc < 3 || strcmp(argv[2], "help") == 0 || strcmp(argv[2], "--help") == 0;
    if (general)
        print_help();
    for (int i = 2; !general && i < argc && code == AT__EXIT_OK; i++) {
        const at__command *c = find_command(argv[i]);
        char *page[] = { argv[i], "--help", NULL };
        code = c ? c->run(2, page) : unknown_command(argv[i]);
    }
    return code;
}

static int run_command(int argc, char **argv)
{
    const at__command *c = find_command(argv[1]);
    if (c)
        return c->run(argc - 1, argv + 1);
    if (!begins_problem(argv[1]))
        return unknown_command(argv[1]);
    argv[0] = "tune";
    return at__cmd_tune(argc, argv);
}

int main(int argc, char **argv)
{
    at__process_begin();
    if (argc > 2 && strcmp(argv[1], "__compile") == 0)
        return at__pool_worker_main(argv[2]);
    if (argc > 2 && strcmp(argv[1], "__device") == 0)
        return at__device_is_replay(argv[2]) ? at__replay_main(argv[2]) : at__runner_main(atoi(argv[2]));

    int code = AT__EXIT_OK;
    at__process_catch_signals();
    at__process_tie();
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        print_help();
    else if (strcmp(argv[1], "help") == 0)
        code = help(argc, argv);
    else if (strcmp(argv[1], "--version") == 0)
        printf("autotune " AT_VERSION "\n");
    else
        code = run_command(argc, argv);
    return at__process_finish_output(code);
}
