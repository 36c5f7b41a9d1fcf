/*
 * command_table.c - the commands, exit codes and environment variables: --help, the manual page and the
 * shells' completions are all made from these rows.
 */
#include "cli/commands.h"

const atx_command atx_commands[] = {
    { "tune", "find and store the fastest kernel for each problem (the default command)", atx_cmd_tune },
    { "query", "print the stored winner of a problem", atx_cmd_query },
    { "export", "write the winning kernel as a self-contained .cu file", atx_cmd_export },
    { "pack", "write few kernels for all sizes as C source that needs the CUDA driver alone", atx_cmd_pack },
    { "show", "print the stored trials of a problem", atx_cmd_show },
    { "verify", "measure stored winners again, for example after a driver update or in CI", atx_cmd_verify },
    { "report", "write everything that was measured as one HTML page", atx_cmd_report },
    { "compare", "compare two databases: drivers, GPUs, templates", atx_cmd_compare },
    { "list", "list operations, templates, devices and strategies", atx_cmd_list },
    { "space", "count and list the configurations of a problem, without a GPU", atx_cmd_space },
    { "check", "compile and check configurations for any architecture, without a GPU", atx_cmd_check },
    { "run", "compile, verify and time one configuration while you write a kernel", atx_cmd_run },
    { "explain",
      ATX_NEEDS_MACHINE
      "say why a configuration is fast or slow (sectors, bank conflicts, occupancy), without a GPU",
      atx_cmd_explain },
    { "adopt", "write a first draft of declarations for an existing kernel", atx_cmd_adopt },
    { "dump", "write a database as JSON lines", atx_cmd_dump },
    { "merge", "merge databases and dumps of several machines", atx_cmd_merge },
    { "learn", "train a model that predicts configurations for problems that were not tuned", atx_cmd_learn },
    { "cache", "show or shrink the cache of compiled kernels", atx_cmd_cache },
    { "import", "import spaces recorded by other tuners, for replays", atx_cmd_import },
    { "completions", "write completions for bash, zsh or fish, or the manual page", NULL },
    { NULL, NULL, NULL },
};

const atx_fact atx_exit_codes[] = {
    { "0", "done" },
    { "1", "no answer: a problem has no winner, or nothing was found" },
    { "2", "could not start: the command line or an input file is wrong" },
    { "3", "could not be done: no usable GPU, driver or NVRTC" },
    { "4", "could not be done: the database" },
    { "5", "could not be done: memory, files, processes, output" },
    { "10", "verify: a time has drifted; 11: another configuration is faster; 12: a result is wrong" },
    { "13", "compare: a problem is slower" },
    { "14", "check --execute: a kernel does what it must not" },
    { "15", "check, run: a configuration does not compile, does not run, or is wrong" },
    { "16", "check, verify: not all of it could be checked" },
    { "70", "a bug of autotune; the message says what to report" },
    { "130", "interrupted (143: by SIGTERM, 129: by SIGHUP); what was measured is stored" },
    { "141", "the reader of the output has ended" },
    { NULL, NULL },
};

const atx_fact atx_environment[] = {
    { "AUTOTUNE_DB", "database (default: $XDG_DATA_HOME/autotune/autotune.db)" },
    { "AUTOTUNE_CACHE", "cache of compiled kernels (default: $XDG_CACHE_HOME/autotune/kernels.db)" },
    { "AUTOTUNE_CACHE_LIMIT", "size limit of that cache in MiB (default: 1024; 0: no limit)" },
    { "AUTOTUNE_NO_SHIPPED", "1: do not use the shipped results" },
    { "AUTOTUNE_LOG_SHAPES",
      "file to which programs with libautotune add what they ask for; see pack --shapes" },
    { "AUTOTUNE_PACKS",
      "packs from which programs with libautotune run, NAME.json or folders of them, PATH:PATH" },
    { "AUTOTUNE_NO_COMPILE",
      "1: programs with libautotune run what packs and the cache have, and compile nothing" },
    { "AUTOTUNE_NO_MODEL", "1: use no model; similar problems answer for shapes that were not tuned" },
    { "AUTOTUNE_MPI",
      "module for the MPI of mpirun or srun (default: beside the program); off: processes do not cooperate" },
    { "AUTOTUNE_RANK_TIMEOUT", "seconds without a message after which a rank is given up (default: 60)" },
    { "AUTOTUNE_HEADERS", "folders of headers that kernels may include, DIR:DIR; --headers replaces it" },
    { "AUTOTUNE_ALLOW",
      "folders whose files templates may name, besides their own, DIR:DIR; --allow replaces it" },
    { "AUTOTUNE_NVRTC", "NVRTC library to use (default: searched for)" },
    { "NO_COLOR", "not empty: no colours; CLICOLOR_FORCE, other than 0: colours in pipes, too" },
    { "CUDA_HOME", "CUDA toolkit; if unset CUDA_PATH, then CONDA_PREFIX" },
    { NULL, NULL },
};
