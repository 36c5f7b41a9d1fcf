/*
 * store.h - the SQLite database of everything measured. Tables and views: schema.sql, README.md. Only the
 * files of db/ use SQLite.
 *
 * Threads: one atx_store serves one thread at a time; open one per thread. Processes: any number may use one
 * file at once (WAL, busy timeout of 30 s). Durability: atx_store_put_trials is one transaction; when it
 * returns AT_OK the rows survive kill -9. Ownership: strings in arguments are borrowed for the call; strings
 * in results belong to the result.
 */
#pragma once

#include "util/fail.h"
#include "lang/device_name.h"
#include "lang/problem.h"
#include "lang/record.h"
#include "util/cancel.h"
#include "util/str.h"
#include <stdbool.h>
#include <stdint.h>

#define ATX_SCHEMA_VERSION 2 /* of schema.sql; a file of another version is refused */

typedef struct atx_store atx_store;

typedef enum atx_open_mode {
    ATX_STORE_WRITE, /* created when missing, with its folder */
    ATX_STORE_READ   /* must exist; never written             */
} atx_open_mode;

/*
 * AT_ERR_STORE, naming the file, what it is and what to do: not a database; another program's database
 * (application_id differs); of another schema version (user_version); read-only; locked; damaged.
 * Such a file is left untouched, byte for byte. AT_ERR_NOT_FOUND: missing, in READ mode. AT_ERR_USAGE: the
 * name is none of a file (empty, ":memory:", a URI).
 */
at_status atx_store_open(atx_store **out, const char *path, atx_open_mode mode, at_error *err) AT_MUST_CHECK;

/*
 * The same, and AT_ERR_CANCELLED once `cancel` is set, so that a run that ends does not wait for a lock of
 * another process. It ends the opening only; NULL: nothing does.
 */
at_status atx_store_open_unless(atx_store **out, const char *path, atx_open_mode mode,
                                const atx_cancel *cancel, at_error *err) AT_MUST_CHECK;
void atx_store_close(atx_store *store);
ATX_CLOSES(atx_store)

/*
 * The network file system that a file is on, or will be: "NFS"; NULL: none that is known. There locks and the
 * log of SQLite cannot be trusted.
 */
const char *atx_store_network(const char *path);

/* Its file, as it was named; "" where there is none, in memory. Borrowed. */
const char *atx_store_file(const atx_store *store);

/* Has another file taken the place of the one that is open, by its name? Reads still see the old one.
 */
bool atx_store_was_replaced(atx_store *store);

/* From now on whatever is read or written ends when `cancel` is asked, with AT_ERR_CANCELLED; a transaction
 * under way is rolled back. Borrowed until the store closes; NULL: nothing ends. */
void atx_store_set_cancel(atx_store *store, const atx_cancel *cancel);

/* One that lasts until it is closed. */
at_status atx_store_open_memory(atx_store **out, at_error *err) AT_MUST_CHECK;

/*
 * The winners that come with the program (db/winners), in its own memory: no file is looked for. For reading;
 * what would write fails. Any number may be open. atx_shipped_wanted: there are some, and AUTOTUNE_NO_SHIPPED
 * does not leave them out (unset, empty or 0).
 */
#define ATX_SHIPPED "shipped with autotune" /* how answers say where they are from */
bool atx_shipped_wanted(bool no_environment);
at_status atx_store_open_shipped(atx_store **out, at_error *err) AT_MUST_CHECK;

/* AT_ERR_USAGE for names that SQLite does not take for a file: stored data would be lost at the end. */
at_status atx_store_check_name(const char *path, at_error *err) AT_MUST_CHECK;

/* Where replays go when nothing is said: $XDG_DATA_HOME/autotune/replay.db, else
 * ~/.local/share/autotune/replay.db. */
at_status atx_store_replay_path(atx_str *out, at_error *err) AT_MUST_CHECK;

/* $AUTOTUNE_DB, else $XDG_DATA_HOME/autotune/autotune.db, else ~/.local/share/autotune/autotune.db. */
at_status atx_store_default_path(atx_str *out, at_error *err) AT_MUST_CHECK;

/* The cache of compiled kernels: $AUTOTUNE_CACHE, else $XDG_CACHE_HOME/autotune/kernels.db, else
 * ~/.cache/autotune/kernels.db; "" when none of them is set: no cache. */
at_status atx_store_cache_path(atx_str *out, at_error *err) AT_MUST_CHECK;

typedef struct atx_trial_row {
    const char *template_name;
    const char *template_hash;
    const char *config; /* "TILE=32 BLOCK_ROWS=8"                            */
    atx_outcome outcome;
    atx_timing timing; /* of launches on the device; all 0 unless timed */
    atx_resources resources;
    double compile_s;        /* 0 when it came from the cache                     */
    const char *log;         /* compiler, driver or check text; "" when none      */
    const char *source_hash; /* of the rendered source                            */
    const char *measured_at; /* UTC, "2026-11-20T21:52:57Z"; to store, NULL or "" is now */
    int64_t id;              /* of a stored one, growing in the order of storing; to store, ignored */
} atx_trial_row;

/* A row that a visit lends, with texts of its own; false: out of memory, and *out is empty. */
bool atx_trial_row_copy(atx_trial_row *out, const atx_trial_row *from);
void atx_trial_row_clear(atx_trial_row *row);

/* AT_ERR_INPUT, "COLUMN: found ...; expected ...": a number that no column takes. What is stored, merged or
 * imported is asked. */
at_status atx_trial_check(const atx_trial_row *row, at_error *err) AT_MUST_CHECK;

/* Conditions of a run, written when it starts. */
typedef struct atx_run_info {
    const char *command; /* as typed                                          */
    const char *strategy;
    uint64_t seed;
    const char *device_uuid; /* "" when unknown                                   */
    const char *host;
    int64_t other_processes; /* that used the device; below zero: unknown         */
    int64_t ecc_errors;      /* uncorrected, since the driver was loaded; likewise */
} atx_run_info;

at_status atx_store_begin_run(int64_t *run_id, atx_store *store, const atx_run_info *info,
                              at_error *err) AT_MUST_CHECK;

/* Stores the text of a template (or op), so that exports survive a change of the templates. The hash is that
 * of what it means (source/normalized.h), of which the newest text is kept; of any other text its SHA-256. */
at_status atx_store_put_source(atx_store *store, const char *hash, const char *path, const char *text,
                               size_t len, at_error *err) AT_MUST_CHECK;
/* AT_ERR_NOT_FOUND: no such text is there. */
at_status atx_store_get_source(atx_str *out, atx_store *store, const char *hash, at_error *err) AT_MUST_CHECK;

/*
 * Keeps which op a winner's `op_hash`, which is of all its templates too, was made of: a source of its own,
 * so that dumps and merges bring it along. `proof_hash` is the op's.
 */
at_status atx_store_put_space(atx_store *store, const char *op_hash, const char *proof_hash,
                              at_error *err) AT_MUST_CHECK;
/* AT_ERR_NOT_FOUND: it is not stored. */
at_status atx_store_get_space(char proof_hash[ATX_HASH_TEXT], atx_store *store, const char *op_hash,
                              at_error *err) AT_MUST_CHECK;

/* The path of lists of headers (source/headers.h), of which each is a source. */
#define ATX_HEADERS_PATH "headers"

/* Sources of recorded operations (templates/README.md) have paths that begin so; the rest is OP.cu. */
#define ATX_RECORDED_PATH "recorded/"

/* Calls `visit` for the source of each recorded operation, OP.cu, and of its further templates, OP/NAME.cu,
 * in that order, the newest of each path; stops when it returns false. `visit` must not use the store. */
typedef bool atx_source_visit(void *context, const char *path, const char *text, size_t len);
at_status atx_store_each_recorded(atx_store *store, atx_source_visit *visit, void *context,
                                  at_error *err) AT_MUST_CHECK;

/* The id of the trial that was stored last, 0: there is none. In an instant, however many there are. */
at_status atx_store_newest_trial(int64_t *out, atx_store *store, at_error *err) AT_MUST_CHECK;

/* Inserts trials, or replaces those of the same problem, fingerprint, template hash and configuration.
 * AT_ERR_STORE, as of a winner, also when the file was removed or replaced: what was stored would be gone. */
at_status atx_store_put_trials(atx_store *store, int64_t run_id, const atx_problem_key *problem,
                               const atx_fingerprint *fingerprint, const atx_trial_row *rows, size_t count,
                               at_error *err) AT_MUST_CHECK;

/*
 * What a configuration turned out to be after it had been timed: `row`, which is not ATX_TIMED, takes the
 * place of its trial. Where it is the result that is wrong or never comes (wrong_result, crashed, timed_out),
 * trials of the configuration on the same device model under other conditions (an earlier driver) become the
 * same. Winners with this configuration are invalid then: nothing below finds them. Dumps and merges bring
 * that along.
 */
at_status atx_store_put_verdict(atx_store *store, int64_t run_id, const atx_problem_key *problem,
                                const atx_fingerprint *fingerprint, const atx_trial_row *row,
                                at_error *err) AT_MUST_CHECK;

/* The result of tuning one problem. Input and, with owned strings, output. */
typedef struct atx_winner {
    const char *template_name;
    const char *template_hash;
    const char *config;
    const char *source_hash;
    const char *op_hash;   /* atx_catalog_op_hash when it was found                          */
    const char *objective; /* atx_op's objective_text; "": the time                          */
    atx_timing timing;     /* of the interleaved re-measurement */
    double ceiling_s; /* best plain copy of the same bytes, same re-measurement, or the op's operations at its
                         rate; 0: none */
    const char *ceiling_name; /* "memcpy", "linear THREADS=128 ...", or "66900 GFLOP/s"          */
    const char *ties;         /* configurations that could not be told apart, one a line; ""    */
    int64_t trials;           /* configurations tried for this problem                          */
    int64_t space_count;      /* valid configurations                                           */
    atx_geometry geometry;    /* of its launch                                                  */
    atx_resources resources;  /* that the compiled kernel takes                                 */
    double elapsed_s;         /* wall time of tuning this problem                               */
    atx_conditions conditions;
} atx_winner;

at_status atx_store_put_winner(atx_store *store, int64_t run_id, const atx_problem_key *problem,
                               const atx_fingerprint *fingerprint, const atx_winner *winner,
                               at_error *err) AT_MUST_CHECK;

/* A stored winner with everything about it. Release with atx_answer_clear. */
typedef struct atx_answer {
    atx_winner winner; /* strings owned */
    atx_fingerprint fingerprint;
    char *op, *shape, *type_key, *measured_at;
    char *rank_at; /* measured_at; "": that cannot be true, and others go first */
    int64_t elements, traffic_bytes, ops_count;
    int64_t id;   /* growing in the order of storing; 0: it is of no row */
    bool invalid; /* its configuration has failed since: see atx_store_put_verdict */
} atx_answer;

/* The stored figures of an answer, under the names of the public views. */
typedef enum atx_figure_kind { ATX_A_TEXT, ATX_AN_INT, ATX_A_REAL, ATX_A_BOOL } atx_figure_kind;
typedef struct atx_stored_figure {
    const char *name;
    atx_figure_kind kind;
    const char *text; /* NULL, below zero, NaN: it is not known */
    int64_t integer;  /* of a bool 0 or 1 */
    double real;
} atx_stored_figure;
typedef void atx_figure_visit(void *context, const atx_stored_figure *figure);
void atx_answer_each_figure(const atx_answer *answer, atx_figure_visit *visit, void *context);

/* The view's figures of a trial and its device; a time is unknown unless it was timed. */
void atx_trial_each_figure(const atx_trial_row *row, const atx_fingerprint *fingerprint,
                           atx_figure_visit *visit, void *context);

/* 0 for a problem without traffic; and the time of the ceiling over that of the winner, 0: there was none. */
double atx_answer_gb_per_s(const atx_answer *answer);
double atx_answer_share(const atx_answer *answer);

/* The same of a winner, as atx_trial_check of a trial: a file from elsewhere may hold anything. */
at_status atx_winner_check(const atx_winner *winner, at_error *err) AT_MUST_CHECK;
bool atx_answer_copy(atx_answer *out, const atx_answer *from); /* false: out of memory */
void atx_answer_clear(atx_answer *answer);

/*
 * The best of the winners that come with the program, one for each problem and device, laid out at build time
 * to be read without SQLite: by op, device and type, so that a question reads those that it is about.
 * Within a group the oldest first.
 */
typedef struct atx_shipped_group {
    char op[64], device[128], type_key[16];
    uint32_t first, count; /* rows                                             */
    uint32_t newest;       /* the rank of its newest row among those of all    */
} atx_shipped_group;
extern const atx_shipped_group atx_shipped_groups[];
extern const size_t atx_shipped_group_count;

typedef struct atx_shipped_row {
    atx_answer answer; /* borrowed, for good: not to be cleared                               */
    uint32_t rank;     /* its place in the order of atx_store_each_best                      */
    const char *proof; /* what its op was proven by (atx_store_get_space); "": it is unknown */
} atx_shipped_row;
void atx_shipped_read(atx_shipped_row *out, uint32_t row);

/*
 * Why a winner is invalid: "it was found wrong_result on 2026-11-20: LOG". `anywhere`: by a wrong result
 * under any conditions on its device model, as of a winner that is in another store. AT_ERR_NOT_FOUND: it is
 * valid.
 */
at_status atx_store_find_failure(atx_str *why, atx_store *store, const atx_answer *winner, bool anywhere,
                                 at_error *err) AT_MUST_CHECK;

/*
 * The valid winner of exactly this problem. fingerprint NULL: the newest (those measured cold before the
 * others, replayed ones last) of the device with this name, or where `device` is NULL of any. With a
 * fingerprint all its columns must agree. AT_ERR_NOT_FOUND when there is none.
 */
at_status atx_store_find_winner(atx_answer *out, atx_store *store, const atx_problem_key *problem,
                                const atx_fingerprint *fingerprint, const char *device,
                                at_error *err) AT_MUST_CHECK;

/* The strategy of the run that found it, as atx_store_begin_run was told, here or where it was merged from.
 * AT_ERR_NOT_FOUND: there is no winner, or it came from a dump that does not say. */
at_status atx_store_winner_strategy(atx_str *out, atx_store *store, const atx_problem_key *problem,
                                    const atx_fingerprint *fingerprint, at_error *err) AT_MUST_CHECK;

/*
 * Calls `visit` for the valid winner to use of each problem and device model (the view `best`), the newest
 * last. The visitor may keep the answer by copying the struct and zeroing the original; else it is cleared.
 * Stops when it returns false.
 */
typedef bool atx_answer_visit(void *context, atx_answer *answer);
at_status atx_store_each_best(atx_store *store, atx_answer_visit *visit, void *context,
                              at_error *err) AT_MUST_CHECK;

/* The same, and where a problem has no valid winner on a device model its newest one: of one op (NULL: of
 * all) and type_key (NULL: of all types), or of one problem; in no order. atx_store_find_failure tells them
 * apart. */
at_status atx_store_each_newest_of(atx_store *store, const char *op, const char *type_key,
                                   atx_answer_visit *visit, void *context, at_error *err) AT_MUST_CHECK;
at_status atx_store_each_newest_for(atx_store *store, const atx_problem_key *problem, atx_answer_visit *visit,
                                    void *context, at_error *err) AT_MUST_CHECK;

/* All winners of a problem on a device model, also those that are not valid any more, in the order of
 * measurement. */
at_status atx_store_each_of_device(atx_store *store, const atx_problem_key *problem, const char *device,
                                   atx_answer_visit *visit, void *context, at_error *err) AT_MUST_CHECK;

/* The same of the problem that was tuned last, by the order of storing: however many there are, that takes no
 * longer, and a table that cannot be read is found. */
at_status atx_store_each_newest_last(atx_store *store, atx_answer_visit *visit, void *context,
                                     at_error *err) AT_MUST_CHECK;

/*
 * Calls `visit` with the device that has the newest of these winners, replays behind all others, and a
 * problem that was tuned there: at once where all are of one device. It is not called where there is none, or
 * where the newest result gives way to an older one, measured cold: atx_store_each_best tells then.
 */
typedef void atx_device_visit(void *context, const char *device, const atx_problem_key *tuned);
at_status atx_store_newest_device(atx_store *store, atx_device_visit *visit, void *context,
                                  at_error *err) AT_MUST_CHECK;

/* Adds the names of all devices that something is stored of, sorted. */
at_status atx_store_device_names(atx_device_names *out, atx_store *store, at_error *err) AT_MUST_CHECK;

/* The one of them that is meant (lang/device_name.h). AT_ERR_USAGE: none, or several. */
at_status atx_store_choose_device(char out[ATX_DEVICE_NAME], atx_store *store, const char *words,
                                  at_error *err) AT_MUST_CHECK;

/* How many problems and device models of the op have a winner; `most` when they are more. */
at_status atx_store_count_best(int64_t *out, atx_store *store, const char *op, int64_t most,
                               at_error *err) AT_MUST_CHECK;

/* Calls `visit` for each problem of the store, by op, shape and type; stops when it returns false. The key is
 * valid for the call; `visit` must not use the store. */
typedef bool atx_problem_visit(void *context, const atx_problem_key *problem);
at_status atx_store_each_problem(atx_store *store, atx_problem_visit *visit, void *context,
                                 at_error *err) AT_MUST_CHECK;

/* A number that changes when another connection has changed the file. */
at_status atx_store_data_version(int64_t *out, atx_store *store, at_error *err) AT_MUST_CHECK;

/* Calls `row` for each stored trial of the problem (fingerprint as above, NULL: all), the fastest first,
 * those that failed last; stops when it returns false. `row` must not use the store. */
typedef bool atx_trial_visit(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint);
at_status atx_store_each_trial(atx_store *store, const atx_problem_key *problem,
                               const atx_fingerprint *fingerprint, atx_trial_visit *row, void *context,
                               at_error *err) AT_MUST_CHECK;

/*
 * Dumps: a store as lines of JSON, described in README.md. Every line goes to `sink` without its newline;
 * the dump ends early, without an error, when it returns false.
 */
typedef bool atx_line_sink(void *context, const char *line);
typedef struct atx_dump_options {
    bool compact;                    /* the data that a replay needs, in as few bytes as possible   */
    int64_t best;                    /* of a problem, the fastest trials of each template; 0: all   */
    const char *op;                  /* NULL: all                                                   */
    const char *device;              /* its name; NULL: all                                         */
    const atx_problem_key *problems; /* only these shapes and type keys, of any op; 0 of them: all  */
    size_t problem_count;
    const char *template_name; /* of the formats of other tuners; NULL: all */
} atx_dump_options;
at_status atx_store_dump(atx_store *store, const atx_dump_options *options, atx_line_sink *sink,
                         void *context, at_error *err) AT_MUST_CHECK;

/* Rows that were there to merge, and how many of them were new or newer. */
typedef struct atx_merge_counts {
    int64_t trials, winners, sources;
    int64_t trials_taken, winners_taken, sources_taken;
    int64_t in_the_future; /* of trials and winners: their date is yet to come; it makes none the newest */
} atx_merge_counts;

/*
 * Adds what databases or dumps hold ("-": a dump on stdin), all in one transaction; the store itself among
 * them adds nothing. Of two trials of the same problem, fingerprint, template hash and configuration the
 * newer stays (a date in the future is not newer), of the same second the one that failed; a winner that is
 * there already, with the same time of measurement, is not added again. AT_ERR_INPUT: one of the files is
 * neither, damaged, or too large, with its name and line; nothing has changed then. AT_ERR_USAGE: a file that
 * SQLite keeps beside the store. `cancel` (may be NULL) is asked before each row; AT_ERR_CANCELLED: nothing
 * has changed.
 */
at_status atx_store_merge(atx_store *store, const char *const *paths, int count, const atx_cancel *cancel,
                          atx_merge_counts *counts, at_error *err) AT_MUST_CHECK;

/* The same into a file. One that is not there is made, and is there with everything or, on failure, not. */
at_status atx_store_merge_into(const char *path, const char *const *paths, int count,
                               const atx_cancel *cancel, atx_merge_counts *counts,
                               at_error *err) AT_MUST_CHECK;

/* Is `path` the database, or one of the files that SQLite keeps beside it? By device and inode, and by real
 * names where they are not there yet. Opens nothing. */
bool atx_store_owns(const char *database, const char *path);

/*
 * A lock on tuning the problem `what` (a hash) for a database, until *fd is closed or the process ends. The
 * database and its folder need not exist. AT_ERR_NOT_FOUND: another process has it.
 * AT_ERR_STORE: nothing can be written there.
 */
at_status atx_store_lock_problem(int *fd, const char *database, uint64_t what, at_error *err) AT_MUST_CHECK;

/* Does a regular file begin as SQLite's do? Safe on one that this process has open. */
bool atx_store_is_database(const char *path);

/*
 * For reading: a database, or a dump, which is held in memory. AT_ERR_CANCELLED once `cancel` (may be NULL)
 * is asked: a large dump takes minutes.
 */
at_status atx_store_open_recording(atx_store **out, const char *path, const atx_cancel *cancel,
                                   at_error *err) AT_MUST_CHECK;

/*
 * The fingerprint that most trials have, replays not counted: of all problems (problem NULL; of `like`, which
 * may then be NULL too, the device's name counts; "": any), or of one on the device model and with the `cold`
 * of `like`. AT_ERR_NOT_FOUND: there are none.
 */
at_status atx_store_main_fingerprint(atx_fingerprint *out, atx_store *store, const atx_problem_key *problem,
                                     const atx_fingerprint *like, at_error *err) AT_MUST_CHECK;

/* Eight hexadecimal digits that change with the trials and winners of the store. */
at_status atx_store_short_hash(char out[9], atx_store *store, at_error *err) AT_MUST_CHECK;

/*
 * Compiled kernels by key (source, architecture, options, NVRTC version). AT_ERR_NOT_FOUND: not there, or not
 * what was put there: each has a hash, and one that is damaged, or from a version that wrote none, is
 * compiled and put there again. The cache is usually a file of its own: large, and safe to delete.
 *
 * A cache that was given a limit stays near it: atx_store_put_cubin removes kernels when they are more, those
 * first that were used longest ago (to the day), those of winners last. Bytes are the file's without what is
 * free in it. A database that holds trials too is never too large.
 */
#define ATX_CACHE_LIMIT_TEXT "1024" /* MiB */

/*
 * For writing; made, with its folder, for its user alone. Compiled kernels are code: AT_ERR_STORE, in words,
 * when the file, what SQLite keeps beside it, or their folder belongs to another user than this one or root,
 * or may be written by others. Such a database is as good as any for atx_store_open, for figures. `cancel` as
 * in atx_store_open_unless.
 */
at_status atx_store_open_cache(atx_store **out, const char *path, const atx_cancel *cancel,
                               at_error *err) AT_MUST_CHECK;

/* Would atx_store_open_cache take its kernels? The folder must be there. */
at_status atx_store_is_private(const char *path, at_error *err) AT_MUST_CHECK;

void atx_store_limit_cubins(atx_store *cache, int64_t bytes); /* 0, as when it is opened: no limit */

/* The limit that the user wants, from MiB as text: --cache-limit (NULL: it was not given), else
 * $AUTOTUNE_CACHE_LIMIT, else ATX_CACHE_LIMIT_MIB. */
at_status atx_store_cubin_limit(int64_t *bytes, const char *option, at_error *err) AT_MUST_CHECK;
at_status atx_store_get_cubin(atx_str *cubin, atx_str *log, atx_store *cache, const char *key,
                              at_error *err) AT_MUST_CHECK;
at_status atx_store_put_cubin(atx_store *cache, const char *key, const void *cubin, size_t len,
                              const char *log, at_error *err) AT_MUST_CHECK;

/* A winner's: it goes last. A key that is not there is no error. */
at_status atx_store_keep_cubin(atx_store *cache, const char *key, at_error *err) AT_MUST_CHECK;

typedef struct atx_cubin_sizes {
    int64_t kernels, file_bytes, free_bytes; /* free: within the file, for new ones   */
} atx_cubin_sizes;
at_status atx_store_cubin_sizes(atx_cubin_sizes *out, atx_store *cache, at_error *err) AT_MUST_CHECK;

/* Removes until the limit is kept, however long that takes; *removed counts kernels. */
at_status atx_store_remove_cubins(int64_t *removed, atx_store *cache, int64_t limit_bytes,
                                  at_error *err) AT_MUST_CHECK;

/* Writes the file anew without its free pages: needs as much space again, and that no other process uses it.
 */
at_status atx_store_shrink_file(atx_store *store, at_error *err) AT_MUST_CHECK;
