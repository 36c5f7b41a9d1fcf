/*
 * commands.h - the program's commands, and helpers that several of them share. Only this folder prints
 * results and decides on exit codes.
 */
#pragma once

#include "cli/exit_codes.h"
#include "cli/print.h"
#include "db/store.h"
#include "lang/catalog.h"
#include "lang/shapes.h"
#include "lookup/lookup.h"
#include "source/allowed.h"
#include "source/headers.h"
#include "space/space.h"
#include "tune/job.h"
#include "util/options.h"
#include <stdatomic.h>

/* argv[0] is the command's name. Returns the exit code. */
int atx_cmd_tune(int argc, char **argv);
int atx_cmd_query(int argc, char **argv);
int atx_cmd_export(int argc, char **argv);
int atx_cmd_pack(int argc, char **argv);
int atx_cmd_show(int argc, char **argv);
int atx_cmd_list(int argc, char **argv);
int atx_cmd_space(int argc, char **argv);
int atx_cmd_check(int argc, char **argv);
int atx_cmd_explain(int argc, char **argv);
int atx_cmd_run(int argc, char **argv);
int atx_cmd_adopt(int argc, char **argv);
int atx_cmd_dump(int argc, char **argv);
int atx_cmd_merge(int argc, char **argv);
int atx_cmd_import(int argc, char **argv);
int atx_cmd_learn(int argc, char **argv);
int atx_cmd_verify(int argc, char **argv);
int atx_cmd_cache(int argc, char **argv);
int atx_cmd_compare(int argc, char **argv);
int atx_cmd_report(int argc, char **argv);
int atx_cmd_completions(int argc, char **argv);

typedef struct atx_command {
    const char *name, *about;          /* NULL ends the table                                      */
    int (*run)(int argc, char **argv); /* NULL: atx_cmd_completions, which reads the table (main.c) */
} atx_command;
extern const atx_command atx_commands[];

/* Begins the help of options that are left out of a build without the machine (-DAT_MACHINE=OFF;
 * no_machine.c). */
#ifdef ATX_WITH_MACHINE
#define ATX_NEEDS_MACHINE ""
#else
#define ATX_NEEDS_MACHINE "not in this build (AT_MACHINE=OFF): "
#endif

/* A row of the help: an exit code, an environment variable. */
typedef struct atx_fact {
    const char *name, *about; /* NULL ends the table */
} atx_fact;
extern const atx_fact atx_exit_codes[], atx_environment[];

/* Non-zero once the user has pressed Ctrl-C; all threads look. The one writable global: a signal handler can
 * reach nothing else. */
extern atomic_int atx_cancel_requested;

/* Prints "autotune: error: <text>" on stderr; returns the exit code for err->status. */
int atx_complain(const at_error *err);

/* Prints "autotune: warning: <text>" on stderr. */
void atx_warn(const char *text);

/* Prints "autotune: <line>" on stderr for each line of a text, which may be empty. */
void atx_note(const char *lines);

/* Built-in templates and those of DIR, less the files that are wrong: a warning each, and their number. */
at_status atx_open_catalog(atx_catalog **out, const char *dir, int *broken, at_error *err);

/* For a question about one problem: built-in files are read when they are needed (lang/catalog.h). */
at_status atx_open_catalog_lazily(atx_catalog **out, const char *dir, at_error *err);

/* Rows that many commands have. */
#define ATX_DB_OPTION(path)                                                                                  \
    {                                                                                                        \
        "--db", ATX_OPT_TEXT, "FILE",                                                                        \
            "database (default $AUTOTUNE_DB, else $XDG_DATA_HOME/autotune/autotune.db)", path                \
    }
#define ATX_TEMPLATES_OPTION(folder)                                                                         \
    {                                                                                                        \
        "--templates", ATX_OPT_TEXT, "DIR", "folder of further operations and templates, DIR/<op>/*.cu",     \
            folder                                                                                           \
    }

/*
 * A command's rows for folders of headers (source/headers.h), and for those that templates may read besides
 * their own (source/allowed.h). atx_command_options names them, or those of the environment, to this process
 * and its children, in $AUTOTUNE_HEADERS and $AUTOTUNE_ALLOW.
 */
typedef struct atx_folder_words {
    atx_words headers, allow;
} atx_folder_words;

#define ATX_FOLDER_OPTIONS(folders)                                                                          \
    { "--headers", ATX_OPT_LIST, "DIR[,DIR]",                                                                \
      "folders of headers that kernels include and that the compiler opens, such as CUTLASS's; "             \
      "repeatable (default $AUTOTUNE_HEADERS, DIR:DIR)",                                                     \
      &(folders)->headers },                                                                                 \
    {                                                                                                        \
        "--allow", ATX_OPT_LIST, "DIR[,DIR]",                                                                \
            "folders whose files templates may name, besides their own folder and the working directory; "   \
            "repeatable (default $AUTOTUNE_ALLOW, DIR:DIR)",                                                 \
            &(folders)->allow                                                                                \
    }

/* Options of --pack. */
#define ATX_WITH_PACK ((const char *const[]){ "--output", "--templates", "--headers", "--allow", NULL })

/* Parses a command's options, printing the help or the complaint. false: end with *exit_code. */
bool atx_command_options(const atx_usage *usage, const atx_option *table, int argc, char **argv,
                         atx_words *words, int *exit_code);

typedef enum atx_format { ATX_TEXT, ATX_JSON, ATX_CSV } atx_format;
at_status atx_format_parse(atx_format *out, const char *text, at_error *err) AT_MUST_CHECK; /* NULL: text */
/* Where there is no table: `what` begins the sentence that refuses csv. */
at_status atx_format_text_or_json(bool *json, const char *text, const char *what,
                                  at_error *err) AT_MUST_CHECK;

/* The one problem that words on a command line name: "copy 4096x4096 f32", in the syntax of a shapes
 * line. */
at_status atx_problem_from_words(atx_problem *out, const atx_words *words, const atx_catalog *catalog,
                                 at_error *err) AT_MUST_CHECK;

/* The same of words that are not a user's: nothing is said of a problem that is another operation's. */
at_status atx_problem_of_words(atx_problem *out, const atx_words *words, const atx_catalog *catalog,
                               at_error *err) AT_MUST_CHECK;

/* The problem of a stored winner; where types are storage, with one of that size. false: none that is known
 * here. */
bool atx_problem_of_answer(atx_problem *out, const atx_answer *answer, const atx_catalog *catalog);

/* The command that finds a winner of a problem, to be copied into a shell; `templates_dir` may be NULL. */
void atx_add_tune_command(atx_str *out, const atx_problem *problem, const char *templates_dir,
                          const char *db);

/* The help of --device of commands that read stored results and may answer for any device. */
#define ATX_DEVICE_NAME_HELP                                                                                 \
    "number of a GPU of this machine, or whole words of one device's name, for example H200 (default: the "  \
    "device of the newest result; without a database the GPU of this machine, else the device with the "     \
    "most winners of the operation)"

/*
 * The device that --device means, for look-ups, and of a database for commands that read only that; an empty
 * name where `text` is NULL. A number is a GPU of this machine (AT_ERR_DEVICE: there is none), anything else
 * a name (lang/device_name.h; AT_ERR_USAGE lists those that are known). `store` may be NULL for a look-up.
 * What is wrong whatever is stored atx_check_device_option tells, too.
 */
at_status atx_check_device_option(const char *text, at_error *err) AT_MUST_CHECK;
at_status atx_device_option(atx_target *out, const char *text, atx_store *store, bool with_shipped,
                            at_error *err) AT_MUST_CHECK;
at_status atx_stored_device_option(atx_target *out, const char *text, atx_store *store,
                                   at_error *err) AT_MUST_CHECK;

/* An architecture as an option gave it; *variant: with its letter, 'a' of sm_90a, or 0; NULL: it has none. */
at_status atx_arch_option(atx_limits *out, char *variant, const char *option, const char *text,
                          at_error *err) AT_MUST_CHECK;

/*
 * The types to check an op with: those that were named; else all that make a difference to it, which is one
 * of each size where types are storage, and otherwise every type that it declares.
 */
int atx_types_to_check(const char *out[ATX_MAX_WORDS], const atx_words *named, const atx_op *op);

/* "BEFOREno operation 'transpos'; did you mean transpose? ..." AT_ERR_USAGE. */
at_status atx_unknown_op(const atx_catalog *catalog, const char *before, const char *word, at_error *err);

/* A template's name as an option gave it: one that an op of these problems has. */
at_status atx_known_template(const atx_catalog *catalog, const atx_problem *problems, size_t count,
                             const char *option, const char *name, at_error *err) AT_MUST_CHECK;

/*
 * One configuration, as --config and --against name it: "tile PAD=0", a template and values, with its
 * defaults for the others; or "PAD=0", values alone, which change *config of *t (NULL: there is none yet).
 */
at_status atx_config_option(const atx_template **t, atx_config *config, const atx_catalog *catalog,
                            const atx_problem *problem, const char *option, const char *text,
                            at_error *err) AT_MUST_CHECK;

/* Reads --fix into out[0 .. words->count): template, parameter and value must exist. */
at_status atx_fixes_read(atx_fix *out, const atx_words *words, const atx_catalog *catalog,
                         const atx_problem *problems, size_t count, at_error *err) AT_MUST_CHECK;

/* The database that a command uses: `given`, or the default path (kept in *keep). */
at_status atx_db_path(const char **out, const char *given, atx_str *keep, at_error *err) AT_MUST_CHECK;

/* The same of one that is read only, or a dump: AT_ERR_INPUT where it was named and is not there. That the
 * default is not there yet is AT_ERR_NOT_FOUND, when it is opened. */
at_status atx_db_to_read(const char **out, const char *given, atx_str *keep, at_error *err) AT_MUST_CHECK;

/* A file that the user named as a database or a dump; AT_ERR_INPUT: there is none. */
at_status atx_named_store(const char *path, at_error *err) AT_MUST_CHECK;

/* The cache of compiled kernels and its limit (NULL: the environment's), as the options of what measures; its
 * name is in keep. */
at_status atx_use_cache(atx_tune_options *options, const char *limit, atx_str *keep,
                        at_error *err) AT_MUST_CHECK;

/* Warns of a database that is written on a network file system. */
void atx_warn_of_network(const char *path);

/* A file that a command uses besides its output. */
typedef struct atx_in_use {
    const char *what; /* "the database"; NULL ends a list          */
    const char *path; /* NULL, "": there is none                   */
    bool database;    /* its log and the like beside it count too  */
} atx_in_use;

/*
 * The output that `option` names (NULL and "-": stdout) is none of these files, nor a template of the folder
 * (may be NULL), nor any database. AT_ERR_USAGE: it is, under whatever name, also when neither is there yet.
 */
at_status atx_check_output(const char *option, const char *path, const atx_in_use *files,
                           const char *templates_dir, at_error *err) AT_MUST_CHECK;

/* The operations that a recording (a database or a dump) declares itself; a file that is not there has none.
 * Of one that is open: the same. */
at_status atx_catalog_add_recorded(atx_catalog *catalog, const char *path, at_error *err) AT_MUST_CHECK;
at_status atx_catalog_add_recorded_of(atx_catalog *catalog, atx_store *store, at_error *err) AT_MUST_CHECK;

/* The same for the recording of a replay ("replay:FILE"); any other device, or NULL, has none. */
at_status atx_catalog_add_replayed(atx_catalog *catalog, const char *device, at_error *err) AT_MUST_CHECK;
