/* main.c - argv to command to exit code. */
#include "cli/commands.h"
#include "lang/catalog.h"
#include "device/device.h"
#include "compile/pool.h"
#include "runner/runner.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

atomic_int at__cancel_requested = 0; /* lock-free: a handler may write it */

static const struct {
    const char *name, *about;
    int (*run)(int argc, char **argv);
} COMMANDS[] = {
    { "tune", "find and store the fastest kernel for each problem (the default command)", at__cmd_tune },
    { "query", "print the stored winner of a problem", at__cmd_query },
    { "export", "write the winning kernel as a .cu file that stands alone", at__cmd_export },
    { "show", "print what was tried for a problem", at__cmd_show },
    { "verify", "measure stored winners again: after a driver update, in CI", at__cmd_verify },
    { "list", "operations, templates, devices, strategies", at__cmd_list },
    { "space", "count and list the configurations of a problem, without a GPU", at__cmd_space },
    { "check", "compile configurations for any architecture, without a GPU", at__cmd_check },
    { "dump", "write a database as text: JSON lines", at__cmd_dump },
    { "merge", "join databases and dumps of several machines", at__cmd_merge },
    { "cache", "size of the cache of compiled kernels; make it smaller", at__cmd_cache },
    { "import", "read spaces that other tuners recorded, for replays", at__cmd_import },
};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS };

static void print_help(void)
{
    printf("autotune " AT_VERSION " - finds the fastest CUDA kernel for your shapes on your device\n\n"
           "usage: autotune 4096x4096 f16\n"
           "       autotune --device 0 --shapes shapes.txt\n"
           "       autotune COMMAND [options]      (COMMAND --help tells more)\n\ncommands:\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        printf("  %-8s %s\n", COMMANDS[i].name, COMMANDS[i].about);
    printf("\nexit codes:\n"
           "  0    all found\n"
           "  1    a problem has no winner, nothing was found, or a check failed\n"
           "  2    the command line or an input file is wrong; nothing was started\n"
           "  3    no usable GPU, driver or NVRTC\n"
           "  4    the database\n"
           "  5    memory, files, processes, output\n"
           "  10   verify: a time has drifted; 11: another configuration is faster; 12: a result is wrong\n"
           "  70   a bug of autotune; the message says what to report\n"
           "  130  interrupted; what was measured is stored\n"
           "\nenvironment:\n"
           "  AUTOTUNE_DB           database (default: $XDG_DATA_HOME/autotune/autotune.db)\n"
           "  AUTOTUNE_CACHE        compiled kernels (default: $XDG_CACHE_HOME/autotune/kernels.db)\n"
           "  AUTOTUNE_CACHE_LIMIT  how many of them, in MiB (default: 1024; 0: no limit)\n"
           "  AUTOTUNE_NVRTC        NVRTC library to use (default: searched for)\n"
           "  CUDA_HOME             CUDA toolkit\n");
}

/* The first Ctrl-C asks the run to finish its trial and end; the second ends at once. */
static void on_signal(int number)
{
    (void)number;
    if (at__cancel_requested)
        _exit(AT__EXIT_INTERRUPTED);
    at__cancel_requested = 1;
}

static void catch_signals(void)
{
    struct sigaction cancel = { .sa_handler = on_signal }, ignore = { .sa_handler = SIG_IGN };
    sigaction(SIGINT, &cancel, NULL);
    sigaction(SIGTERM, &cancel, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
}

static int unknown_command(const char *word)
{
    at_error err = { .status = AT_ERR_USAGE };
    const char *names[COMMAND_COUNT + 1] = { NULL };
    for (int i = 0; i < COMMAND_COUNT; i++)
        names[i] = COMMANDS[i].name;
    const char *near = at__nearest(word, names);
    snprintf(err.text, sizeof err.text,
             "unknown command '%.100s'%s%s%s; `autotune --help` lists the commands", word,
             near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return at__complain(&err);
}

/* The name of an operation that comes with the program. */
static bool names_an_op(const char *word)
{
    at__catalog *catalog = NULL;
    bool known = at__catalog_open(&catalog, NULL, NULL) == AT_OK && at__catalog_find_op(catalog, word);
    at__catalog_close(catalog);
    return known;
}

/* Options alone, a shape, or an operation: what `tune`, the default command, is given. */
static bool begins_problem(const char *word)
{
    return word[0] == '-' || isdigit((unsigned char)word[0]) || names_an_op(word);
}

static int run_command(int argc, char **argv)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], COMMANDS[i].name) == 0)
            return COMMANDS[i].run(argc - 1, argv + 1);
    if (!begins_problem(argv[1]))
        return unknown_command(argv[1]);
    argv[0] = "tune";
    return at__cmd_tune(argc, argv);
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "__compile") == 0)
        return at__pool_worker_main(argv[2]);
    if (argc > 2 && strcmp(argv[1], "__device") == 0)
        return at__runner_main(atoi(argv[2]));

    int code = AT__EXIT_OK;
    catch_signals();
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        print_help();
    else if (strcmp(argv[1], "--version") == 0)
        printf("autotune " AT_VERSION "\n");
    else
        code = run_command(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "autotune: error: the output could not be written\n");
        code = code == AT__EXIT_OK ? AT__EXIT_SYSTEM : code;
    }
    return code;
}
