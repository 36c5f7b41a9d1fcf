/*
 * library.h - what the files of the library (include/autotune/autotune.h) share.
 *
 * Locks: `slow` guards the store, the look-ups, NVRTC, the cache and the driver's slow steps; who holds it
 * learns of what the catalog could not read (at__catalog_failure), which any thread may ask. `table_lock`
 * guards the table of what has run. `slow` is taken first when both are; `tuning.mutex` guards what is to be
 * tuned in the background, and nothing is taken while it is held. A finding and an at__prepared never change
 * once others can see them, but for what becomes of it: `renew`, and `replaced`, which the table's lock
 * guards.
 */
#ifndef AUTOTUNE_LIBRARY_H
#define AUTOTUNE_LIBRARY_H

#include <autotune/autotune.h>
#include "compile/builder.h"
#include "runner/gpu.h"
#include "lookup/lookup.h"
#include "source/folders.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#define AT__FOUND_TEXTS 12

/* An at_found and everything that it was made of. */
typedef struct at__found_parts {
    at_found shown; /* first: an at_found of ours is a finding */
    at__problem problem;
    at__limits limits;
    const at__template *t; /* NULL: no configuration */
    at__config config;
    at_arg args[AT__MAX_ARGS];
    at_metric metrics[AT__MAX_METRICS];
    char *texts[AT__FOUND_TEXTS]; /* owned: those that had no room in `room` */
    int text_count;
    size_t room_used;
    char room[512]; /* last, and not cleared: most texts are short */
} at__found_parts;

/* Code that at_run loads, kept so that a kernel is compiled once a process. */
typedef struct at__kept_code {
    struct at__kept_code *next;
    char key[AT__HASH_TEXT];
    at__str bytes;
    bool cached; /* it came from the cache */
} at__kept_code;

/* A kernel in a context; problems share it. */
typedef struct at__loaded {
    struct at__loaded *next;
    const at__kept_code *code;
    uint64_t context;
    int64_t shared_bytes;
    at__module *module;
} at__loaded;

/* Everything that a launch needs. */
typedef struct at__prepared {
    struct at__prepared *next; /* of the same bucket */
    uint64_t hash, context;
    uint64_t steps;     /* of the buffers' alignment, below the full one: four bits each */
    at_problem problem; /* its op is the catalog's text */
    at__found_parts *finding;
    at__kernel kernel; /* its geometry and arguments */
    const at__module *module;
    atomic_bool renew; /* it was tuned since: the next who may load a kernel prepares it anew */
    bool replaced;     /* by one that was                                                     */
    struct at__prepared_variable {
        at__ptr at;
        int64_t bytes;
    } variables[AT__MAX_ARGS]; /* the kernel's: what a buffer holds is copied there before a launch */
    int buffer_count;
    struct at__prepared_buffer {
        const char *name; /* the op's */
        int64_t bytes;
        bool written;
    } buffers[AT__MAX_ARGS];
} at__prepared;

typedef struct at__table {
    at__prepared **buckets;
    size_t bucket_count; /* a power of two, or 0 */
    size_t count;
} at__table;

/* What is asked of the table. Borrowed. */
typedef struct at__asking {
    const at_problem *problem;
    const at_layout *layout; /* of it; NULL: none */
    uint64_t steps, context;
    uint64_t hash; /* at__asking_hash of the others */
} at__asking;

/* A problem that the background has to tune. */
typedef struct at__wish {
    struct at__wish *next;
    at__problem problem;
    int ordinal; /* of the device */
    at__prepared *prepared;
} at__wish;

/* Tuning what is not known: library_miss.c. */
typedef struct at__tuning {
    bool is_open;
    double budget_s; /* 0: never */
    bool in_background;
    at__str program, database, templates; /* "": found; the default's path; none */
    at__headers *headers;                 /* of the options, or of the environment */
    at__folders allow;                    /* the same */
    pthread_mutex_t mutex;
    pthread_cond_t wished;
    pthread_t thread;
    bool has_thread;
    at__wish *wishes; /* the oldest first */
    atomic_int stop;
} at__tuning;

struct at_tuner {
    pid_t owner; /* the process that opened it */
    at__catalog *catalog;
    at__str broken;           /* what of its folder was left out, a line each */
    at__store *store;         /* NULL: there is no database */
    at__lookup *lookup;       /* NULL: likewise             */
    at__exclusions *excluded; /* what was tried and does not work in this process */
    at__str absent;           /* why there is none          */
    bool with_shipped;
    double followed_s; /* when it was last asked whether the database was replaced */
    bool replaced;     /* it was, and the new one could not be opened yet           */
    at__tuning tuning;

    pthread_mutex_t slow;
    int cuda; /* what the driver supports, of the device that was last asked for (at__device_info) */
    at__target numbered; /* the GPU with this number, as the driver told; no name: none was asked for */
    int number;
    at__nvrtc *nvrtc; /* opened on first use */
    at__str cache_path;
    at__store *cache; /* likewise; NULL: none */
    bool cache_tried;
    at_error cache_error; /* why the cache cannot be used */
    _Atomic(at__gpu *) gpu;
    at__kept_code *codes;
    at__loaded *loaded;

    pthread_rwlock_t table_lock;
    at__table table;
};

/* ---- library_find.c; `slow` is held ---- */

/* `limits` NULL: those that the tables have for the device's compute capability. */
at_status at__finding_make(at__found_parts **out, at_tuner *tuner, const at_problem *problem,
                           const at__target *target, const at__limits *limits, at_error *err) AT_MUST_CHECK;
void at__finding_close(at__found_parts *f); /* NULL is allowed */

/* All slots of the template, with the finding's configuration. It must have one. */
at_status at__finding_bind(int64_t *slots, const at__found_parts *f, at_error *err) AT_MUST_CHECK;

/* A copy that lives as long as the finding. */
at_status at__finding_keep(const char **out, at__found_parts *f, const char *text,
                           at_error *err) AT_MUST_CHECK;

/* ---- library_code.c; `slow` is held ---- */

/*
 * The cubin of a finding for compute capability `cc`: from the cache, or compiled and put there. What keeps
 * the cache from being used is in tuner->cache_error afterwards. Clear *build in any case.
 *
 * What the compiler refuses is excluded from then on (lookup/exclusions.h), and not compiled again:
 * AT_ERR_INPUT. Here as below.
 */
at_status at__library_cubin(at__build *build, at_tuner *tuner, const at__found_parts *f, int cc,
                            at_error *err) AT_MUST_CHECK;
at_status at__library_ptx(at__str *out, at_tuner *tuner, const at__found_parts *f, int cc,
                          at_error *err) AT_MUST_CHECK;

/* The same for a device that is there, kept with the tuner: a cubin, or PTX when NVRTC is older than it. */
at_status at__library_code(const at__kept_code **out, at_tuner *tuner, at__found_parts *f,
                           at_error *err) AT_MUST_CHECK;

/* In the place of `code`, which the cache gave and the driver did not load: compiled, and put there again. */
at_status at__library_code_again(const at__kept_code **out, at_tuner *tuner, at__found_parts *f,
                                 at_error *err) AT_MUST_CHECK;

/* ---- library.c ---- */

/* Opens look-ups on what is there by now; on failure those of before stay. `slow` is held, or nobody else
 * knows the tuner. */
at_status at__library_open_lookup(at_tuner *tuner, at_error *err) AT_MUST_CHECK;

/* Goes on with the file that has taken the place of the database, if one has. `slow` is held. */
at_status at__library_follow(at_tuner *tuner, at_error *err) AT_MUST_CHECK;

/* ---- library_miss.c ---- */

at_status at__tuning_open(at__tuning *t, const at_open_options *options, at_error *err) AT_MUST_CHECK;
void at__tuning_close(at__tuning *t); /* ends what is under way; also of one that was never opened */

const char *at__tuning_headers(const at__tuning *t); /* the user's folders; "": none */
const char *at__tuning_allow(const at__tuning *t);   /* those that templates may read; "": none */

/* Tunes the problem and waits; no lock is held. On failure *err says why, for a warning. */
at_status at__tuning_wait(at_tuner *tuner, const at__problem *problem, int ordinal,
                          at_error *err) AT_MUST_CHECK;

/* Has it tuned by and by; `prepared->renew` is set then. What cannot be wished for stays as it is. */
void at__tuning_wish(at_tuner *tuner, const at__problem *problem, int ordinal, at__prepared *prepared);

/* ---- library_table.c ---- */

uint64_t at__asking_hash(const at__asking *asking);

/* NULL: it is not there. `table_lock` is held, or `slow`, without which nobody adds. */
at__prepared *at__table_find(const at__table *table, const at__asking *asking);

/* Takes the entry, on success. `old` (NULL: none) is not found any more, but stays: at_prepare has given it
 * away. `slow` is held. */
at_status at__table_add(at_tuner *tuner, at__prepared *p, at__prepared *old, at_error *err) AT_MUST_CHECK;

/* ---- library_run.c ---- */

void at__library_unload(at_tuner *tuner); /* the table, kernels, codes, the driver */

#endif
