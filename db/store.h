/*
 * store.h - the SQLite database of everything measured. Tables and views: schema.sql, README.md. Only the
 * files of db/ know SQLite.
 *
 * Threads: one at__store serves one thread at a time; open one per thread. Processes: any number may use one
 * file at once (WAL, busy timeout of 30 s).
 * Durability: at__store_put_trials is one transaction; when it returns AT_OK the rows survive kill -9.
 * Ownership: strings in arguments are borrowed for the call; strings in results belong to the result.
 */
#ifndef AUTOTUNE_STORE_H
#define AUTOTUNE_STORE_H

#include <autotune/status.h>
#include "lang/device_name.h"
#include "lang/problem.h"
#include "lang/record.h"
#include "util/cancel.h"
#include "util/str.h"
#include <stdbool.h>
#include <stdint.h>

#define AT__SCHEMA_VERSION 1 /* of schema.sql; a file of another version is refused */

typedef struct at__store at__store;

typedef enum at__open_mode {
    AT__STORE_WRITE, /* created when missing, with its folder */
    AT__STORE_READ   /* must exist; never written             */
} at__open_mode;

/*
 * AT_ERR_STORE, naming the file, what it is and what to do: not a database; another program's database
 * (application_id differs); of another schema version (user_version); read-only; locked; damaged.
 * Such a file is left untouched, byte for byte. AT_ERR_NOT_FOUND: missing, in READ mode. AT_ERR_USAGE: the
 * name is none of a file (empty, ":memory:", a URI).
 */
at_status at__store_open(at__store **out, const char *path, at__open_mode mode, at_error *err) AT_MUST_CHECK;

/*
 * The same, and AT_ERR_CANCELLED once `cancel` is asked: nobody who wants to end waits for a lock of another
 * process. It ends the opening only; NULL: nothing does.
 */
at_status at__store_open_unless(at__store **out, const char *path, at__open_mode mode,
                                const at__cancel *cancel, at_error *err) AT_MUST_CHECK;
void at__store_close(at__store *store);

/*
 * The network file system that a file is on, or will be: "NFS"; NULL: none that is known. There locks and the
 * log of SQLite cannot be trusted. at__store_network_name: by its number in statfs(2).
 */
const char *at__store_network(const char *path);
const char *at__store_network_name(uint32_t type);

/* Its file, as it was named; "" where there is none, in memory. Borrowed. */
const char *at__store_file(const at__store *store);

/* Has another file taken the place of the one that is open, by its name? What is read is still the old one's.
 */
bool at__store_was_replaced(at__store *store);

/* From now on whatever is read or written ends when `cancel` is asked, with AT_ERR_CANCELLED; a transaction
 * under way is rolled back. Borrowed until the store closes; NULL: nothing ends. */
void at__store_set_cancel(at__store *store, const at__cancel *cancel);

/* One that lasts until it is closed. */
at_status at__store_open_memory(at__store **out, at_error *err) AT_MUST_CHECK;

/*
 * The winners that come with the program (db/winners), in its own memory: no file is looked for. For reading;
 * what would write fails. Any number may be open. at__shipped_wanted: there are some, and AUTOTUNE_NO_SHIPPED
 * does not leave them out (unset, empty or 0).
 */
#define AT__SHIPPED "shipped with autotune" /* how answers say where they are from */
bool at__shipped_wanted(void);
at_status at__store_open_shipped(at__store **out, at_error *err) AT_MUST_CHECK;

/* AT_ERR_USAGE for names that SQLite would not take for a file: what was stored there would be gone. */
at_status at__store_check_name(const char *path, at_error *err) AT_MUST_CHECK;

/* Where replays go when nothing is said: $XDG_DATA_HOME/autotune/replay.db, else
 * ~/.local/share/autotune/replay.db. */
at_status at__store_replay_path(at__str *out, at_error *err) AT_MUST_CHECK;

/* $AUTOTUNE_DB, else $XDG_DATA_HOME/autotune/autotune.db, else ~/.local/share/autotune/autotune.db. */
at_status at__store_default_path(at__str *out, at_error *err) AT_MUST_CHECK;

/* The cache of compiled kernels: $AUTOTUNE_CACHE, else $XDG_CACHE_HOME/autotune/kernels.db, else
 * ~/.cache/autotune/kernels.db; "" when none of them is set: no cache. */
at_status at__store_cache_path(at__str *out, at_error *err) AT_MUST_CHECK;

typedef struct at__trial_row {
    const char *template_name;
    const char *template_hash;
    const char *config; /* "TILE=32 BLOCK_ROWS=8"                            */
    at__outcome outcome;
    at__timing timing; /* of launches on the device; all 0 unless timed */
    at__resources resources;
    double compile_s;        /* 0 when it came from the cache                     */
    const char *log;         /* compiler, driver or check text; "" when none      */
    const char *source_hash; /* of the rendered source                            */
    const char *measured_at; /* UTC, "2026-11-20T21:52:57Z"; to store, NULL or "" is now */
    int64_t id;              /* of a stored one, growing in the order of storing; to store, ignored */
} at__trial_row;

/* AT_ERR_INPUT, "COLUMN: found ...; expected ...": a number that no column takes. What is stored, merged or
 * imported is asked. */
at_status at__trial_check(const at__trial_row *row, at_error *err) AT_MUST_CHECK;

/* Conditions of a run, written when it starts. */
typedef struct at__run_info {
    const char *command; /* as typed                                          */
    const char *strategy;
    uint64_t seed;
    const char *device_uuid; /* "" when unknown                                   */
    const char *host;
    int64_t other_processes; /* that used the device; below zero: unknown         */
    int64_t ecc_errors;      /* uncorrected, since the driver was loaded; likewise */
} at__run_info;

at_status at__store_begin_run(int64_t *run_id, at__store *store, const at__run_info *info,
                              at_error *err) AT_MUST_CHECK;

/* Stores the text of a template (or op), so that exports survive a change of the templates. The hash is that
 * of what it means (source/meaning.h), of which the newest text is kept; of any other text its SHA-256. */
at_status at__store_put_source(at__store *store, const char *hash, const char *path, const char *text,
                               size_t len, at_error *err) AT_MUST_CHECK;
/* AT_ERR_NOT_FOUND: no such text is there. */
at_status at__store_get_source(at__str *out, at__store *store, const char *hash, at_error *err) AT_MUST_CHECK;

/*
 * Keeps which op a winner's `op_hash`, which is of all its templates too, was made of: a source of its own,
 * so that dumps and merges bring it along. `proof_hash` is the op's.
 */
at_status at__store_put_space(at__store *store, const char *op_hash, const char *proof_hash,
                              at_error *err) AT_MUST_CHECK;
/* AT_ERR_NOT_FOUND: nobody has kept it. */
at_status at__store_get_space(char proof_hash[AT__HASH_TEXT], at__store *store, const char *op_hash,
                              at_error *err) AT_MUST_CHECK;

/* The path of lists of headers (source/headers.h), of which each is a source. */
#define AT__HEADERS_PATH "headers"

/* Sources of recorded operations (templates/README.md) have paths that begin so; the rest is OP.cu. */
#define AT__RECORDED_PATH "recorded/"

/* Calls `visit` for the source of each recorded operation, OP.cu, and of its further templates, OP/NAME.cu,
 * in that order, the newest of each path; stops when it returns false. `visit` must not use the store. */
typedef bool at__source_visit(void *context, const char *path, const char *text, size_t len);
at_status at__store_each_recorded(at__store *store, at__source_visit *visit, void *context,
                                  at_error *err) AT_MUST_CHECK;

/* The id of the trial that was stored last, 0: there is none. In an instant, however many there are. */
at_status at__store_newest_trial(int64_t *out, at__store *store, at_error *err) AT_MUST_CHECK;

/* Inserts trials, or replaces those of the same problem, fingerprint, template hash and configuration.
 * AT_ERR_STORE, as of a winner, also when the file was removed or replaced: what was stored would be gone. */
at_status at__store_put_trials(at__store *store, int64_t run_id, const at__problem_key *problem,
                               const at__fingerprint *fingerprint, const at__trial_row *rows, size_t count,
                               at_error *err) AT_MUST_CHECK;

/*
 * What a configuration turned out to be after it had been timed: `row`, which is not AT__TIMED, takes the
 * place of its trial. Where it is the result that is wrong or never comes (wrong_result, crashed, timed_out),
 * trials of the configuration on the same device model under other conditions (an earlier driver) become the
 * same. Winners with this configuration are invalid then: nothing below finds them. Dumps and merges bring
 * that along.
 */
at_status at__store_put_verdict(at__store *store, int64_t run_id, const at__problem_key *problem,
                                const at__fingerprint *fingerprint, const at__trial_row *row,
                                at_error *err) AT_MUST_CHECK;

/* The result of tuning one problem. Input and, with owned strings, output. */
typedef struct at__winner {
    const char *template_name;
    const char *template_hash;
    const char *config;
    const char *source_hash;
    const char *op_hash;   /* at__catalog_op_hash when it was found                          */
    const char *objective; /* at__op's objective_text; "": the time                          */
    at__timing timing;     /* of the interleaved final */
    double ceiling_s; /* best plain copy of the same bytes, same final, or the op's operations at its rate; 0:
                         none */
    const char *ceiling_name; /* "memcpy", "linear THREADS=128 ...", or "66900 GFLOP/s"          */
    const char *ties;         /* configurations that could not be told apart, one a line; ""    */
    int64_t trials;           /* configurations tried for this problem                          */
    int64_t space_count;      /* valid configurations                                           */
    at__geometry geometry;    /* of its launch                                                  */
    at__resources resources;  /* that the compiled kernel takes                                 */
    double elapsed_s;         /* wall time of tuning this problem                               */
    at__conditions conditions;
} at__winner;

at_status at__store_put_winner(at__store *store, int64_t run_id, const at__problem_key *problem,
                               const at__fingerprint *fingerprint, const at__winner *winner,
                               at_error *err) AT_MUST_CHECK;

/* A stored winner with everything about it. Release with at__answer_clear. */
typedef struct at__answer {
    at__winner winner; /* strings owned */
    at__fingerprint fingerprint;
    char *op, *shape, *type_key, *measured_at;
    char *rank_at; /* measured_at; "": that cannot be true, and others go first */
    int64_t elements, traffic_bytes, ops_count;
    int64_t id;   /* growing in the order of storing; 0: it is of no row */
    bool invalid; /* its configuration has failed since: see at__store_put_verdict */
} at__answer;

/* 0 for a problem without traffic; and the time of the ceiling over that of the winner, 0: there was none. */
double at__answer_gb_per_s(const at__answer *answer);
double at__answer_share(const at__answer *answer);

/* The same of a winner, as at__trial_check of a trial: a file that somebody else filled may hold anything. */
at_status at__winner_check(const at__winner *winner, at_error *err) AT_MUST_CHECK;
bool at__answer_copy(at__answer *out, const at__answer *from); /* false: out of memory */
void at__answer_clear(at__answer *answer);

/*
 * The best of the winners that come with the program, one for each problem and device, laid out at build time
 * to be read without SQLite: by op, device and type, so that a question reads those that it is about.
 * Within a group the oldest first.
 */
typedef struct at__shipped_group {
    char op[64], device[128], type_key[16];
    uint32_t first, count; /* rows                                             */
    uint32_t newest;       /* the rank of its newest row among those of all    */
} at__shipped_group;
extern const at__shipped_group at__shipped_groups[];
extern const size_t at__shipped_group_count;

typedef struct at__shipped_row {
    at__answer answer; /* borrowed, for good: not to be cleared                               */
    uint32_t rank;     /* its place in the order of at__store_each_best                      */
    const char *proof; /* what its op was proven by (at__store_get_space); "": it is unknown */
} at__shipped_row;
void at__shipped_read(at__shipped_row *out, uint32_t row);

/*
 * Why a winner is invalid: "it was found wrong_result on 2026-11-20: LOG". `anywhere`: by a wrong result
 * under any conditions on its device model, as of a winner that is in another store. AT_ERR_NOT_FOUND: it is
 * valid.
 */
at_status at__store_find_failure(at__str *why, at__store *store, const at__answer *winner, bool anywhere,
                                 at_error *err) AT_MUST_CHECK;

/*
 * The valid winner of exactly this problem. fingerprint NULL: the newest (those measured cold before the
 * others, replayed ones last) of the device with this name, or where `device` is NULL of any. With a
 * fingerprint all its columns must agree. AT_ERR_NOT_FOUND when there is none.
 */
at_status at__store_find_winner(at__answer *out, at__store *store, const at__problem_key *problem,
                                const at__fingerprint *fingerprint, const char *device,
                                at_error *err) AT_MUST_CHECK;

/* The strategy of the run that found it, as at__store_begin_run was told, here or where it was merged from.
 * AT_ERR_NOT_FOUND: there is no winner, or it came from a dump that does not say. */
at_status at__store_winner_strategy(at__str *out, at__store *store, const at__problem_key *problem,
                                    const at__fingerprint *fingerprint, at_error *err) AT_MUST_CHECK;

/*
 * Calls `visit` for the valid winner to use of each problem and device model (the view `best`), the newest
 * last. The visitor may keep the answer by copying the struct and zeroing the original; else it is cleared.
 * Stops when it returns false.
 */
typedef bool at__answer_visit(void *context, at__answer *answer);
at_status at__store_each_best(at__store *store, at__answer_visit *visit, void *context,
                              at_error *err) AT_MUST_CHECK;

/* The same, and where a problem has no valid winner on a device model its newest one: of one op (NULL: of
 * all) and type_key (NULL: of all types), or of one problem; in no order. at__store_find_failure tells them
 * apart. */
at_status at__store_each_newest_of(at__store *store, const char *op, const char *type_key,
                                   at__answer_visit *visit, void *context, at_error *err) AT_MUST_CHECK;
at_status at__store_each_newest_for(at__store *store, const at__problem_key *problem, at__answer_visit *visit,
                                    void *context, at_error *err) AT_MUST_CHECK;

/* The same of the problem that was tuned last, by the order of storing: however many there are, that takes no
 * longer, and a table that cannot be read is found. */
at_status at__store_each_newest_last(at__store *store, at__answer_visit *visit, void *context,
                                     at_error *err) AT_MUST_CHECK;

/*
 * Calls `visit` with the device that has the newest of these winners, replays behind all others, and a
 * problem that was tuned there: at once where all are of one device. It is not called where there is none, or
 * where the newest result gives way to an older one, measured cold: at__store_each_best tells then.
 */
typedef void at__device_visit(void *context, const char *device, const at__problem_key *tuned);
at_status at__store_newest_device(at__store *store, at__device_visit *visit, void *context,
                                  at_error *err) AT_MUST_CHECK;

/* Adds the names of all devices that something is stored of, sorted. */
at_status at__store_device_names(at__device_names *out, at__store *store, at_error *err) AT_MUST_CHECK;

/* The one of them that is meant (lang/device_name.h). AT_ERR_USAGE: none, or several. */
at_status at__store_choose_device(char out[AT__DEVICE_NAME], at__store *store, const char *words,
                                  at_error *err) AT_MUST_CHECK;

/* How many problems and device models of the op have a winner; `most` when they are more. */
at_status at__store_count_best(int64_t *out, at__store *store, const char *op, int64_t most,
                               at_error *err) AT_MUST_CHECK;

/* Calls `visit` for each problem of the store, by op, shape and type; stops when it returns false. The key is
 * valid for the call; `visit` must not use the store. */
typedef bool at__problem_visit(void *context, const at__problem_key *problem);
at_status at__store_each_problem(at__store *store, at__problem_visit *visit, void *context,
                                 at_error *err) AT_MUST_CHECK;

/* A number that changes when another connection has changed the file. */
at_status at__store_data_version(int64_t *out, at__store *store, at_error *err) AT_MUST_CHECK;

/* Calls `row` for each stored trial of the problem (fingerprint as above, NULL: all), the fastest first,
 * those that failed last; stops when it returns false. `row` must not use the store. */
typedef bool at__trial_visit(void *context, const at__trial_row *row, const at__fingerprint *fingerprint);
at_status at__store_each_trial(at__store *store, const at__problem_key *problem,
                               const at__fingerprint *fingerprint, at__trial_visit *row, void *context,
                               at_error *err) AT_MUST_CHECK;

/*
 * Dumps: a store as lines of JSON, described in README.md. Every line goes to `sink` without its newline;
 * the dump ends early, without an error, when it returns false.
 */
typedef bool at__line_sink(void *context, const char *line);
typedef struct at__dump_options {
    bool compact;                    /* only what a replay needs, in as few bytes as possible       */
    int64_t best;                    /* of a problem, the fastest trials of each template; 0: all   */
    const char *op;                  /* NULL: all                                                   */
    const char *device;              /* its name; NULL: all                                         */
    const at__problem_key *problems; /* only these shapes and type keys, of any op; 0 of them: all  */
    size_t problem_count;
} at__dump_options;
at_status at__store_dump(at__store *store, const at__dump_options *options, at__line_sink *sink,
                         void *context, at_error *err) AT_MUST_CHECK;

/*
 * What was measured since a time of day ("2026-11-20T21:52:57Z"), trials and winners, as lines of a dump
 * without its first one (at__store_dump_head). *run is the run that the line belongs to, before `sink` is
 * called.
 */
at_status at__store_dump_since(at__store *store, const char *since, int64_t *run, at__line_sink *sink,
                               void *context, at_error *err) AT_MUST_CHECK;
const char *at__store_dump_head(void);

/* The runs after one, by number. */
typedef void at__run_visit(void *context, int64_t id, const char *device_uuid, const char *host);
at_status at__store_each_run(at__store *store, int64_t after, at__run_visit *visit, void *context,
                             at_error *err) AT_MUST_CHECK;

/* Rows that were there to merge, and how many of them were new or newer. */
typedef struct at__merge_counts {
    int64_t trials, winners, sources;
    int64_t trials_taken, winners_taken, sources_taken;
    int64_t in_the_future; /* of trials and winners: their date is yet to come; it makes none the newest */
} at__merge_counts;

/*
 * Adds what databases or dumps hold ("-": a dump on stdin), all in one transaction; the store itself among
 * them adds nothing. Of two trials of the same problem, fingerprint, template hash and configuration the
 * newer stays (a date in the future is not newer), of the same second the one that failed; a winner that is
 * there already, with the same time of measurement, is not added again. AT_ERR_INPUT: one of the files is
 * neither, damaged, or too large, with its name and line; nothing has changed then. AT_ERR_USAGE: a file that
 * SQLite keeps beside the store.
 */
at_status at__store_merge(at__store *store, const char *const *paths, int count, at__merge_counts *counts,
                          at_error *err) AT_MUST_CHECK;

/* The same, and cancel (may be NULL) is asked before each row. AT_ERR_CANCELLED: nothing has changed. */
at_status at__store_merge_until(at__store *store, const char *const *paths, int count,
                                const at__cancel *cancel, at__merge_counts *counts,
                                at_error *err) AT_MUST_CHECK;

/* The same into a file. One that is not there is made, and is there with everything or, on failure, not. */
at_status at__store_merge_into(const char *path, const char *const *paths, int count,
                               const at__cancel *cancel, at__merge_counts *counts,
                               at_error *err) AT_MUST_CHECK;

/* Is `path` the database, or one of the files that SQLite keeps beside it? By device and inode, and by real
 * names where they are not there yet. Opens nothing. */
bool at__store_owns(const char *database, const char *path);

/*
 * Who tunes the problem `what` (a hash) for a database: one at a time, until *fd is closed or the process
 * ends. The database, and its folder, need not be there. AT_ERR_NOT_FOUND: another one does just now.
 * AT_ERR_STORE: nothing can be written there.
 */
at_status at__store_lock_problem(int *fd, const char *database, uint64_t what, at_error *err) AT_MUST_CHECK;

/* Does a regular file begin as SQLite's do? Safe on one that this process has open. */
bool at__store_is_database(const char *path);

/* For reading: a database, or a dump, which is held in memory. */
at_status at__store_open_recording(at__store **out, const char *path, at_error *err) AT_MUST_CHECK;

/* The same, and AT_ERR_CANCELLED once `cancel` (may be NULL) is asked: a large dump takes minutes. */
at_status at__store_open_recording_unless(at__store **out, const char *path, const at__cancel *cancel,
                                          at_error *err) AT_MUST_CHECK;

/*
 * The fingerprint that most trials have, replays not counted: of all problems (problem NULL; of `like`, which
 * may then be NULL too, the device's name counts; "": any), or of one on the device model and with the `cold`
 * of `like`. AT_ERR_NOT_FOUND: there are none.
 */
at_status at__store_main_fingerprint(at__fingerprint *out, at__store *store, const at__problem_key *problem,
                                     const at__fingerprint *like, at_error *err) AT_MUST_CHECK;

/* Eight hexadecimal digits that change with the trials and winners of the store. */
at_status at__store_short_hash(char out[9], at__store *store, at_error *err) AT_MUST_CHECK;

/*
 * Compiled kernels by key (source, architecture, options, NVRTC version). AT_ERR_NOT_FOUND: not there, or not
 * what was put there: each has a hash, and one that is damaged, or from a version that wrote none, is
 * compiled and put there again. The cache is usually a file of its own: large, and safe to delete.
 *
 * A cache that was given a limit stays near it: at__store_put_cubin removes kernels when they are more, those
 * first that were used longest ago (to the day), those of winners last. Bytes are the file's without what is
 * free in it. A database that holds trials too is never too large.
 */
#define AT__CACHE_LIMIT_MIB 1024

/*
 * For writing; made, with its folder, for its user alone. Compiled kernels are code: AT_ERR_STORE, in words,
 * when the file, what SQLite keeps beside it, or their folder belongs to another user than this one or root,
 * or may be written by others. Such a database is as good as any for at__store_open, for figures. `cancel` as
 * in at__store_open_unless.
 */
at_status at__store_open_cache(at__store **out, const char *path, const at__cancel *cancel,
                               at_error *err) AT_MUST_CHECK;

/* Would at__store_open_cache take its kernels? The folder must be there. */
at_status at__store_is_private(const char *path, at_error *err) AT_MUST_CHECK;

void at__store_limit_cubins(at__store *cache, int64_t bytes); /* 0, as when it is opened: no limit */

/* The limit that the user wants, from MiB as text: --cache-limit (NULL: it was not given), else
 * $AUTOTUNE_CACHE_LIMIT, else AT__CACHE_LIMIT_MIB. */
at_status at__store_cubin_limit(int64_t *bytes, const char *option, at_error *err) AT_MUST_CHECK;
at_status at__store_get_cubin(at__str *cubin, at__str *log, at__store *cache, const char *key,
                              at_error *err) AT_MUST_CHECK;
at_status at__store_put_cubin(at__store *cache, const char *key, const void *cubin, size_t len,
                              const char *log, at_error *err) AT_MUST_CHECK;

/* A winner's: it goes last. A key that is not there is no error. */
at_status at__store_keep_cubin(at__store *cache, const char *key, at_error *err) AT_MUST_CHECK;

typedef struct at__cubin_sizes {
    int64_t kernels, file_bytes, free_bytes; /* free: within the file, for what comes */
} at__cubin_sizes;
at_status at__store_cubin_sizes(at__cubin_sizes *out, at__store *cache, at_error *err) AT_MUST_CHECK;

/* Removes until the limit is kept, however long that takes; *removed counts kernels. */
at_status at__store_remove_cubins(int64_t *removed, at__store *cache, int64_t limit_bytes,
                                  at_error *err) AT_MUST_CHECK;

/* Writes the file anew without what is free in it: needs as much space again, and that nobody else uses it.
 */
at_status at__store_shrink_file(at__store *store, at_error *err) AT_MUST_CHECK;

#endif
