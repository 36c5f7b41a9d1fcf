/*
 * ask.h - a problem on a command line, and its answer, for `query`, `export` and `explain`.
 *
 * Opened with the words of a problem, used for any number of look-ups, then closed. It owns all that it
 * points to. A database that was not named need not exist if the shipped results may answer.
 */
#pragma once

#include "cli/commands.h"
#include "lookup/lookup.h"

/* Options that all of these commands have. */
typedef struct atx_ask_options {
    const char *db, *device, *templates_dir;
    const char *shapes; /* a file of problems, in place of words; NULL: none */
    bool no_shipped, exact;
    atx_words words; /* the problem */
    atx_folder_words folders;
} atx_ask_options;

#define ATX_ASK_OPTIONS(o)                                                                                   \
    ATX_DB_OPTION(&(o)->db), ATX_TEMPLATES_OPTION(&(o)->templates_dir), ATX_FOLDER_OPTIONS(&(o)->folders)
#define ATX_NO_SHIPPED_OPTION(o)                                                                             \
    {                                                                                                        \
        "--no-shipped", ATX_OPT_FLAG, NULL, "do not use the shipped results", &(o)->no_shipped               \
    }
#define ATX_EXACT_OPTION(o)                                                                                  \
    {                                                                                                        \
        "--exact", ATX_OPT_FLAG, NULL, "only a result that was measured for this problem", &(o)->exact       \
    }

typedef struct atx_question_asked {
    const atx_ask_options *options;
    bool with_shipped;
    const char *path; /* of the database; NULL: there is no place for one */
    atx_catalog *catalog;
    atx_problem problem;
    atx_shapes shapes;  /* of a file of problems: the caller makes each of them `problem`, in turn */
    atx_store *store;   /* NULL: not open, or there is none */
    atx_lookup *lookup; /* NULL: nothing was asked yet      */
    atx_target target;  /* the device of --device; an empty name: any */
    at_error absent;    /* why there is no database; AT_OK: there is one */
    atx_str keep;
} atx_question_asked;

/* The catalog, with what the database (or a dump) records of operations, and the problem. `needs_db`: one
 * will be written to. */
at_status atx_ask_open(atx_question_asked *q, const atx_ask_options *options, bool needs_db,
                       at_error *err) AT_MUST_CHECK;
void atx_ask_close(atx_question_asked *q);

/* Reads --device into `target`. atx_ask does it, too. */
at_status atx_ask_device(atx_question_asked *q, at_error *err) AT_MUST_CHECK;

/* The answer, which may be that there is none. Borrowed until the next question, or close. */
at_status atx_ask(atx_found *out, atx_question_asked *q, atx_outdated_use outdated,
                  const atx_exclusions *exclusions, at_error *err) AT_MUST_CHECK;

/* The database is closed: another process will write to it. The next question opens it again. */
void atx_ask_let_go(atx_question_asked *q);

/* There is no answer: AT_ERR_NOT_FOUND, and how to find one. */
at_status atx_ask_none(const atx_question_asked *q, const atx_found *found, at_error *err);
