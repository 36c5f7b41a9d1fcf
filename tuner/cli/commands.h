/* commands.h - the program's commands, and what several of them need. Only this folder prints what a user
 * asked for and decides on exit codes. */
#ifndef AUTOTUNE_COMMANDS_H
#define AUTOTUNE_COMMANDS_H

#include "cli/exit_codes.h"
#include "cli/print.h"
#include "db/store.h"
#include "lang/catalog.h"
#include "lang/shapes.h"
#include "lookup/lookup.h"
#include "source/allowed.h"
#include "source/headers.h"
#include "space/space.h"
#include "util/options.h"
#include <stdatomic.h>

/* argv[0] is the command's name. Returns the exit code. */
int at__cmd_tune(int argc, char **argv);
int at__cmd_query(int argc, char **argv);
int at__cmd_export(int argc, char **argv);
int at__cmd_show(int argc, char **argv);
int at__cmd_list(int argc, char **argv);
int at__cmd_space(int argc, char **argv);
int at__cmd_check(int argc, char **argv);
int at__cmd_explain(int argc, char **argv);
int at__cmd_run(int argc, char **argv);
int at__cmd_adopt(int argc, char **argv);
int at__cmd_dump(int argc, char **argv);
int at__cmd_merge(int argc, char **argv);
int at__cmd_import(int argc, char **argv);
int at__cmd_learn(int argc, char **argv);
int at__cmd_verify(int argc, char **argv);
int at__cmd_cache(int argc, char **argv);
int at__cmd_compare(int argc, char **argv);
int at__cmd_report(int argc, char **argv);
int at__cmd_completions(int argc, char **argv);

typedef struct at__command {
    const char *name, *about; /* NULL ends the table */
    int (*run)(int argc, char **argv);
} at__command;
extern const at__command at__commands[];

/* A row of the help: an exit code, an environment variable. */
typedef struct at__fact {
    const char *name, *about; /* NULL ends the table */
} at__fact;
extern const at__fact at__exit_codes[], at__environment[];

/* Non-zero once the user has pressed Ctrl-C; all threads look. The one writable global: a signal handler can
 * reach nothing else. */
extern atomic_int at__cancel_requested;

/* Prints "autotune: error: <text>" on stderr; returns the exit code for err->status. */
int at__complain(const at_error *err);

/* Prints "autotune: warning: <text>" on stderr. */
void at__warn(const char *text);

/* Built-in templates and those of DIR, less the files that are wrong: a warning each, and their number. */
at_status at__open_catalog(at__catalog **out, const char *dir, int *broken, at_error *err);

/* Where a question is of one problem: what is built in is read as it is needed (lang/catalog.h). */
at_status at__open_catalog_lazily(at__catalog **out, const char *dir, at_error *err);

/* Rows that many commands have. */
#define AT__DB_OPTION(path)                                                                                  \
    {                                                                                                        \
        "--db", AT__OPT_TEXT, "FILE",                                                                        \
            "database (default $AUTOTUNE_DB, else $XDG_DATA_HOME/autotune/autotune.db)", path                \
    }
#define AT__TEMPLATES_OPTION(folder)                                                                         \
    {                                                                                                        \
        "--templates", AT__OPT_TEXT, "DIR", "more operations and templates: DIR/<op>/*.cu", folder           \
    }

/*
 * A command's rows for folders of headers (source/headers.h), and for those that templates may read besides
 * their own (source/allowed.h). at__command_options names them, or those of the environment, to this process
 * and its children, in $AUTOTUNE_HEADERS and $AUTOTUNE_ALLOW.
 */
typedef struct at__folder_words {
    at__words headers, allow;
} at__folder_words;

#define AT__FOLDER_OPTIONS(folders)                                                                          \
    { "--headers", AT__OPT_LIST, "DIR[,DIR]",                                                                \
      "folders of headers as large as CUTLASS's, which kernels include and the compiler opens; "             \
      "repeatable (default $AUTOTUNE_HEADERS, DIR:DIR)",                                                     \
      &(folders)->headers },                                                                                 \
    {                                                                                                        \
        "--allow", AT__OPT_LIST, "DIR[,DIR]",                                                                \
            "folders that files of --templates may name files of, besides their own and the working "        \
            "directory; repeatable (default $AUTOTUNE_ALLOW, DIR:DIR)",                                      \
            &(folders)->allow                                                                                \
    }

/* Parses a command's options, printing the help or the complaint. false: end with *exit_code. */
bool at__command_options(const at__usage *usage, const at__option *table, int argc, char **argv,
                         at__words *words, int *exit_code);

typedef enum at__format { AT__TEXT, AT__JSON, AT__CSV } at__format;
at_status at__format_parse(at__format *out, const char *text, at_error *err) AT_MUST_CHECK; /* NULL: text */
/* Where there is no table: `what` begins the sentence that refuses csv. */
at_status at__format_text_or_json(bool *json, const char *text, const char *what,
                                  at_error *err) AT_MUST_CHECK;

/* The one problem that words on a command line name: "copy 4096x4096 f32", in the syntax of a shapes
 * line. */
at_status at__problem_from_words(at__problem *out, const at__words *words, const at__catalog *catalog,
                                 at_error *err) AT_MUST_CHECK;

/* The problem of a stored winner; where types are storage, with one of that size. false: none that is known
 * here. */
bool at__problem_of_answer(at__problem *out, const at__answer *answer, const at__catalog *catalog);

/* The command that finds a winner of a problem, to be copied into a shell; `templates_dir` may be NULL. */
void at__add_tune_command(at__str *out, const at__problem *problem, const char *templates_dir,
                          const char *db);

/* The help of --device of commands that read what is stored, and that may answer for any device. */
#define AT__DEVICE_NAME_HELP                                                                                 \
    "a GPU of this machine by its number, or the only device whose name has these words, as H200 (default: " \
    "that of the newest result; without a database that of this machine, or else with the most winners of "  \
    "the operation)"

/*
 * The device that --device means, for look-ups, and of a database for commands that read only that; an empty
 * name where `text` is NULL. A number is a GPU of this machine (AT_ERR_DEVICE: there is none), anything else
 * a name (lang/device_name.h; AT_ERR_USAGE lists those that are known). `store` may be NULL for a look-up.
 * What is wrong whatever is stored at__check_device_option tells, too.
 */
at_status at__check_device_option(const char *text, at_error *err) AT_MUST_CHECK;
at_status at__device_option(at__target *out, const char *text, at__store *store, bool with_shipped,
                            at_error *err) AT_MUST_CHECK;
at_status at__stored_device_option(at__target *out, const char *text, at__store *store,
                                   at_error *err) AT_MUST_CHECK;

/* An architecture as an option gave it. */
at_status at__arch_option(at__limits *out, const char *option, const char *text, at_error *err) AT_MUST_CHECK;

/*
 * The types to check an op with: those that were named; else all that make a difference to it, which is one
 * of each size where types are storage, and otherwise every type that it declares.
 */
int at__types_to_check(const char *out[AT__MAX_WORDS], const at__words *named, const at__op *op);

/* "BEFOREno operation 'transpos'; did you mean transpose? ..." AT_ERR_USAGE. */
at_status at__unknown_op(const at__catalog *catalog, const char *before, const char *word, at_error *err);

/* A template's name as an option gave it: one that an op of these problems has. */
at_status at__known_template(const at__catalog *catalog, const at__problem *problems, size_t count,
                             const char *option, const char *name, at_error *err) AT_MUST_CHECK;

/* Reads --fix into out[0 .. words->count): template, parameter and value must exist. */
at_status at__fixes_read(at__fix *out, const at__words *words, const at__catalog *catalog,
                         const at__problem *problems, size_t count, at_error *err) AT_MUST_CHECK;

/* The database that a command uses: `given`, or the default path (kept in *keep). */
at_status at__db_path(const char **out, const char *given, at__str *keep, at_error *err) AT_MUST_CHECK;

/*
 * The same of a command that what comes with autotune can answer: NULL where there is no place for a database
 * (no HOME, in a container) and none was named.
 */
at_status at__db_path_if_any(const char **out, const char *given, bool shipped, at__str *keep,
                             at_error *err) AT_MUST_CHECK;

/* Opens it to be read; the caller closes it. AT_ERR_NOT_FOUND: there is no such file, or, `path` NULL, no
 * place for one. */
at_status at__open_if_any(at__store **out, const char *path, at_error *err) AT_MUST_CHECK;

/* Warns of a database that is written on a network file system. */
void at__warn_of_network(const char *path);

/* A file that a command uses besides its output. */
typedef struct at__in_use {
    const char *what; /* "the database"; NULL ends a list          */
    const char *path; /* NULL, "": there is none                   */
    bool database;    /* its log and the like beside it count too  */
} at__in_use;

/*
 * The output that `option` names (NULL and "-": stdout) is none of these files, nor a template of the folder
 * (may be NULL), nor any database. AT_ERR_USAGE: it is, under whatever name, also when neither is there yet.
 */
at_status at__check_output(const char *option, const char *path, const at__in_use *files,
                           const char *templates_dir, at_error *err) AT_MUST_CHECK;

/* The operations that a recording (a database or a dump) declares itself; a file that is not there has none.
 * Of one that is open: the same. */
at_status at__catalog_add_recorded(at__catalog *catalog, const char *path, at_error *err) AT_MUST_CHECK;
at_status at__catalog_add_recorded_of(at__catalog *catalog, at__store *store, at_error *err) AT_MUST_CHECK;

/* The same for the recording of a replay ("replay:FILE"); any other device, or NULL, has none. */
at_status at__catalog_add_replayed(at__catalog *catalog, const char *device, at_error *err) AT_MUST_CHECK;

#endif
