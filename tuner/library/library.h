/*
 * library.h - shared by the files of the library (include/autotune/autotune.h).
 *
 * Locks: `slow` guards the store, the look-ups, NVRTC, the cache and the driver's slow steps, and calls of
 * atx_catalog_failure. Any thread may read the catalog without it. `table_lock`
 * guards the table of prepared problems. `slow` is taken first when both are; `tuning.mutex`,
 * `preparing.mutex` and `asked.mutex` guard what is to be tuned and prepared in the background and what was
 * asked for, and nothing is taken while one is held. A finding and an atx_prepared never change once others
 * can see them, but for what becomes of it: `renew`, and `replaced`, which the table's lock guards.
 */
#pragma once

#include <autotune/autotune.h>
#include "compile/builder.h"
#include "runner/gpu.h"
#include "lang/launches.h"
#include "lang/problem_set.h"
#include "lookup/lookup.h"
#include "pack/pack.h"
#include "source/folders.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#define ATX_FOUND_TEXTS 16

/* All launches of a template with loops, and their arguments; library_loops.c. */
typedef struct atx_unrolled {
    at_launch *launches;
    const at_launch **list;
    const at_arg **taken;
    at_arg *scalars; /* those that are different in each launch */
    int scalar_count;
    int *steps; /* of the template, for each launch */
    int count;
} atx_unrolled;
void atx_unrolled_clear(atx_unrolled *unrolled);

/* An at_found and everything that it was made of. */
typedef struct atx_found_parts {
    at_found shown; /* its `parts` are these */
    int cc;         /* compute capability that it is for; 0: not known */
    char variant;   /* of that architecture, for at_compile: 'a', 'f'; 0: none */
    atx_problem problem;
    atx_limits limits;
    const atx_template *t; /* NULL: no configuration */
    atx_config config;
    const atx_pack_kernel *packed; /* NULL: none of a pack */
    const struct atx_kept_code *packed_code;
    at_launch launches[ATX_MAX_STEPS]; /* of the template's steps */
    atx_unrolled unrolled;
    const at_launch *launch_list[ATX_MAX_STEPS];
    at_metric metrics[ATX_MAX_METRICS];
    const at_metric *metric_list[ATX_MAX_METRICS];
    char arch[16];
    char *texts[ATX_FOUND_TEXTS]; /* owned: those that had no room in `room` */
    int text_count;
    size_t room_used;
    int64_t struct_bytes; /* used of `structs`  */
    int pointer_count;    /* used of `pointers` */
    /* From here on nothing is cleared. */
    at_arg args[ATX_MAX_ARGS + ATX_MAX_OWN]; /* the operation's, in its order; the template's own */
    const at_arg *lists[ATX_MAX_STEPS + 1][ATX_MAX_ARGS]; /* arguments of each launch; last: the buffers */
    at_variable variables[ATX_MAX_ARGS];
    const at_variable *variable_list[ATX_MAX_ARGS];
    at_pointer pointers[ATX_MAX_ARGS];
    unsigned char structs[ATX_MAX_STRUCT_BYTES];
    char room[512]; /* most texts are short */
} atx_found_parts;

/* By how many factors of two each buffer is less than fully aligned, four bits each: 0 for what cudaMalloc
 * gives. */
enum { ATX_STEPS_OF_A_WORD = 16 };
typedef struct atx_steps {
    uint64_t words[ATX_MAX_ARGS / ATX_STEPS_OF_A_WORD];
} atx_steps;

/* Code that at_run loads, kept so that a kernel is compiled once a process. */
typedef struct atx_kept_code {
    struct atx_kept_code *next;
    char key[ATX_HASH_TEXT];
    atx_str bytes;
    bool cached; /* it came from the cache */
} atx_kept_code;

/* Packs that were named, with their code as it is loaded. */
typedef struct atx_library_pack {
    atx_pack_set *set;
    atx_kept_code *codes; /* its bytes are the set's */
} atx_library_pack;

typedef struct atx_library_packs {
    atx_library_pack *items;
    size_t count, cap;
    size_t kept;     /* entries of the table that are theirs and not until another kernel is compiled */
    bool by_default; /* not named: they answer where compiling is forbidden, or until the problem is tuned */
    bool read;
} atx_library_packs;

/* Of problems that a pack answers so many stay prepared; a program may meet ever-new sizes. */
enum { ATX_PACKED_KEPT = 1024 };

/* A pack's answer; slots are bound for it. */
typedef struct atx_packed {
    const char *name; /* of the pack */
    const atx_pack *pack;
    const atx_pack_kernel *kernel;
    const atx_kept_code *code;
    atx_geometry geometry;
    int64_t slots[ATX_MAX_SLOTS];
} atx_packed;

/* A kernel in a context; problems share it. */
typedef struct atx_loaded {
    struct atx_loaded *next;
    const atx_kept_code *code;
    uint64_t context;
    atx_geometry needs[ATX_MAX_STEPS]; /* attributes that its kernels have been given */
    atx_module *module;
} atx_loaded;

typedef struct atx_later_job atx_later_job; /* library_later.c */

/* Everything that a launch needs. */
typedef struct atx_prepared {
    struct atx_prepared *next; /* of the same bucket */
    uint64_t hash, context;
    atx_steps steps;    /* of its buffers */
    at_problem problem; /* its op is the catalog's text, its size ours */
    atx_found_parts *finding;
    atx_kernel kernel; /* its geometry and arguments */
    atx_build build;   /* borrowed by the kernel: its launches; no code, which is loaded */
    const atx_module *module;
    atomic_bool renew;    /* tuned since: the next call that may load a kernel prepares it anew */
    bool replaced;        /* by one that was                                                     */
    bool passing;         /* it is in no table, but for one launch                               */
    atx_later_job *later; /* what compiles the kernel that is meant, until the problem is in the table */
    bool stands_in;       /* a pack's kernel, until that one is there */
    struct atx_prepared_variable {
        atx_ptr at;
        int64_t bytes;
    } variables[ATX_MAX_ARGS]; /* the kernel's: a buffer's contents are copied there before a launch */
    int buffer_count;
    struct atx_prepared_buffer {
        const char *name; /* the op's */
        int64_t bytes;
        bool written;
    } buffers[ATX_MAX_ARGS];
} atx_prepared;

typedef struct atx_table {
    atx_prepared **buckets;
    size_t bucket_count; /* a power of two, or 0 */
    size_t count;
} atx_table;

/* A key of the table. Borrowed. */
typedef struct atx_asking {
    const at_problem *problem;
    const at_layout *layout; /* of it; NULL: none */
    atx_steps steps;
    uint64_t context;
    uint64_t hash; /* atx_asking_hash of the others */
    /* No parts of the key. */
    bool for_launch; /* only the launch of an answer is needed           */
    bool later;      /* a pack may answer until the kernel is compiled */
} atx_asking;

/* A problem that the background has to tune. */
typedef struct atx_tuning_request {
    struct atx_tuning_request *next;
    atx_problem problem;
    int ordinal; /* of the device */
    atx_prepared *prepared;
} atx_tuning_request;

/* Tuning at the first use: library_miss.c. */
typedef struct atx_tuning {
    bool is_open, no_environment;
    double budget_s; /* 0: never */
    bool in_background;
    atx_str program, database, templates; /* "": found; the default's path; none */
    atx_headers *headers;                 /* of the options, or of the environment */
    atx_folders allow;                    /* the same */
    pthread_mutex_t mutex;
    pthread_cond_t requested;
    pthread_t thread;
    bool has_thread;
    atx_tuning_request *requests; /* the oldest first */
    atomic_int stop;
} atx_tuning;

/* Preparation in the background: library_prepare.c. */
typedef struct atx_preparing {
    bool is_open;
    pthread_mutex_t mutex;
    pthread_cond_t ended; /* one of the queue was */
    at_preparation *first;
    pthread_t thread;
    bool has_thread, is_served; /* it looks at the queue again */
    atomic_bool has_begun;      /* something was in it */
} atx_preparing;
at_status atx_preparing_open(atx_preparing *q, at_error *err) AT_MUST_CHECK;
void atx_preparing_close(atx_preparing *q); /* waits for running work; also of one that is not open */

/* Compiling in the background: library_later.c. */
typedef struct atx_later {
    bool is_open;
    pthread_mutex_t mutex;
    atx_later_job *first; /* the oldest */
    int count;
    pthread_t thread;
    bool has_thread, is_served; /* it looks at the queue again */
    atomic_bool stop;
} atx_later;

/* The problems that at_run was asked for: library_asked.c. */
typedef struct atx_asked {
    bool is_open;
    int file;
    pthread_mutex_t mutex;
    atx_problem_set problems;
} atx_asked;
at_status atx_asked_open(atx_asked *asked, const char *path, at_error *err) AT_MUST_CHECK; /* NULL: none */
void atx_asked_note(atx_asked *asked, const atx_problem *problem);
void atx_asked_close(atx_asked *asked);

struct at_tuner {
    pid_t owner;         /* the process that opened it */
    bool no_environment; /* at_open_options.no_environment */
    atx_catalog *catalog;
    atx_str broken;                               /* ignored files of its folder, a line each */
    atx_store *store;                             /* NULL: there is no database */
    atx_lookup *lookup;                           /* NULL: likewise             */
    atx_exclusions *excluded;                     /* configurations that do not work in this process */
    atx_str absent;                               /* why there is none          */
    void (*log)(void *context, const char *text); /* may be NULL */
    void *log_context;
    bool with_shipped;
    double followed_s; /* when it was last asked whether the database was replaced */
    bool replaced;     /* it was, and the new one could not be opened yet           */
    atx_tuning tuning;
    atx_asked asked;
    atx_preparing preparing;
    atx_later later;
    atx_library_packs packs;
    bool never_compiles; /* at_open_options.no_compile */

    pthread_mutex_t slow;         /* of the kind that tells a thread that holds it */
    struct atx_exit_guard *guard; /* NULL: nothing was compiled yet */
    bool ends;                    /* the program does: nothing is compiled any more */
    int cuda;             /* the driver's version, of the device that was last asked for (atx_device_info) */
    atx_device_info here; /* the device of the context that was last met; no name: none was */
    atx_target numbered;  /* the GPU with this number, as the driver told; no name: none was asked for */
    int number;
    atx_nvrtc *nvrtc; /* opened on first use */
    atx_str cache_path;
    atx_str compiler_log; /* of the last compilation */
    bool no_compile;      /* the current call must not compile */
    bool packs_only;      /* only packs may answer the current call */
    atx_store *cache;     /* as nvrtc; NULL: none */
    bool cache_tried;
    at_error cache_error; /* why the cache cannot be used */
    _Atomic(atx_gpu *) gpu;
    atx_kept_code *codes;
    atx_loaded *loaded;

    pthread_rwlock_t table_lock;
    atx_table table;
    at_op **ops; /* that were asked for, by their number; see at_op_at */
    int op_count;
};

/* ---- library_find.c; `slow` is held ---- */

/* `limits` NULL: those that the tables have for the device's compute capability. */
at_status atx_finding_make(atx_found_parts **out, at_tuner *tuner, const at_problem *problem,
                           const atx_target *target, const atx_limits *limits, at_error *err) AT_MUST_CHECK;
at_status atx_finding_unroll(atx_found_parts *f, const int64_t *slots, at_error *err) AT_MUST_CHECK;
void atx_finding_close(atx_found_parts *f); /* NULL is allowed */

/* All slots of the template, with the finding's configuration. It must have one. */
at_status atx_finding_bind(int64_t *slots, const atx_found_parts *f, at_error *err) AT_MUST_CHECK;

/* A copy that lives as long as the finding. */
at_status atx_finding_keep(const char **out, atx_found_parts *f, const char *text,
                           at_error *err) AT_MUST_CHECK;

/* ---- library_packs.c ---- */

/* "FILE:FILE", or folders of NAME.json; NULL: none. */
at_status atx_packs_open(atx_library_packs *packs, const char *paths, const atx_catalog *catalog,
                         at_error *err) AT_MUST_CHECK;
void atx_packs_close(atx_library_packs *packs);

/* Where none are named those that are installed with this library, share/autotune/packs beside its folder,
 * are read when they are first needed. One that cannot be used is left out, and the log says so. `slow` is
 * held. */
void atx_packs_read_default(at_tuner *tuner);

/* The first pack that has a kernel for the problem on the device. */
bool atx_packs_take(atx_packed *out, const atx_library_packs *packs, const atx_problem *problem,
                    const char *device, const atx_limits *limits);

/* ---- library_code.c; `slow` is held ---- */

/*
 * The code of a finding for a device that is there, kept with the tuner: a cubin from the cache, or compiled
 * and put there, or PTX when NVRTC is older than the device. The reason why the cache cannot be used is in
 * tuner->cache_error afterwards. What the compiler refuses is excluded from then on (lookup/exclusions.h):
 * AT_ERR_INPUT.
 */
at_status atx_library_code(const atx_kept_code **out, at_tuner *tuner, atx_found_parts *f,
                           at_error *err) AT_MUST_CHECK;

/* In the place of `code`, which the cache gave and the driver did not load: compiled, and put there again. */
at_status atx_library_code_again(const atx_kept_code **out, at_tuner *tuner, atx_found_parts *f,
                                 at_error *err) AT_MUST_CHECK;

/* The source of a finding and the key of its code, for a compilation elsewhere. AT_ERR_NOT_FOUND: NVRTC does
 * not know the device. */
at_status atx_library_source(atx_build *build, at_tuner *tuner, const atx_found_parts *f,
                             at_error *err) AT_MUST_CHECK;

/* Keeps what became of it, with the tuner and in the cache. */
at_status atx_library_keep(at_tuner *tuner, atx_build *build, atx_compiled *compiled, int cc, bool lasting,
                           at_error *err) AT_MUST_CHECK;

/* ---- library_exit.c; `slow` is held ---- */

/* exit() waits for what the tuner compiles from now on; NVRTC has compiled something. false: it does not. */
bool atx_library_guard_exit(at_tuner *tuner);

/* The same before the tuner's first kernel: an empty one is compiled, 24 ms. false: that failed, or the
 * program ends. `slow` is held. */
bool atx_library_guard_first(at_tuner *tuner, int cc);
void atx_library_drop_guard(at_tuner *tuner); /* no other thread knows the tuner */
void atx_later_end(atx_later *later);         /* waits for the running compilation; `slow` is not held */

/* ---- library_later.c; `slow` is held ---- */

at_status atx_later_open(atx_later *later, at_error *err) AT_MUST_CHECK;
void atx_later_close(atx_later *later); /* also of one that is not open; `slow` is not held */
bool atx_later_wanted(at_tuner *tuner, const atx_found_parts *f); /* may a pack stand in for the finding? */
bool atx_later_is_full(atx_later *later);
atx_later_job *atx_later_make(at_tuner *tuner, const atx_found_parts *f); /* NULL: it cannot be compiled */
void atx_later_free(atx_later_job *job);                                  /* NULL is allowed */

/* Compiles, then marks the prepared problem, which is in the table. Takes the job. */
void atx_later_put(at_tuner *tuner, atx_later_job *job, atx_prepared *prepared);

/* ---- library_kernel.c; `slow` is held ---- */

/* What is known on the device of the current context for buffers that are so aligned. */
at_status atx_library_find_for(atx_found_parts **out, at_tuner *tuner, atx_gpu *gpu,
                               const at_problem *problem, const atx_steps *steps,
                               at_error *err) AT_MUST_CHECK;

/* What is known for p->problem and works here: the best first, until one does. `warning`: of what went wrong
 * before, or "". `later`: a pack may answer until it is compiled, which p->later does. */
at_status atx_library_fill(atx_prepared *p, at_tuner *tuner, atx_gpu *gpu, const char *warning, bool later,
                           at_error *err) AT_MUST_CHECK;

/* ---- library_load.c ---- */

/* The name that the compiler gave a kernel. */
at_status atx_library_kernel_name(atx_str *out, const atx_str *code, const char *kernel,
                                  at_error *err) AT_MUST_CHECK;

/* The driver, opened on the first call. `slow` is not held. */
at_status atx_library_gpu(atx_gpu **out, at_tuner *tuner, at_error *err) AT_MUST_CHECK;

/* A thread of the library's own, in which no signal handler of the program runs. */
bool atx_library_thread(pthread_t *out, void *(*work)(void *), void *context);

/* The rest: `slow` is held. */

/* The finding's kernels in this context, which is current; those that are there already, if they were told of
 * as much shared memory. */
at_status atx_library_load(const atx_module **out, at_tuner *tuner, atx_gpu *gpu, const atx_found_parts *f,
                           const atx_kept_code *code, uint64_t context, at_error *err) AT_MUST_CHECK;

/* ---- library_public.c ---- */

/* The caller's struct, as long as ours (`bytes`): itself, or in `room`. NULL: AT_ERR_USAGE, its size is none,
 * or it says something that we do not know. */
const void *atx_library_struct(void *room, size_t bytes, const void *given, const char *name, at_error *err);

/* May a call give these scalars these values? AT_ERR_USAGE: it may not. */
at_status atx_library_check_scalars(const atx_op *op, const at_run_options *options,
                                    at_error *err) AT_MUST_CHECK;

at_match atx_library_match(atx_match match);
at_role atx_library_role(atx_role role);
at_type atx_library_type(atx_dtype type);
at_status atx_library_dtype(atx_dtype *out, at_type type,
                            at_error *err) AT_MUST_CHECK; /* AT_ERR_USAGE: it is none */

/* ---- library_store.c ---- */

/* That the default database is missing is no error; that a named one is, is, unless tuning may make it. */
at_status atx_library_open_store(at_tuner *tuner, const char *named, at_error *err) AT_MUST_CHECK;

/* Opens look-ups on the present database; on failure the earlier ones stay. `slow` is held, or no other
 * thread has the tuner. */
at_status atx_library_open_lookup(at_tuner *tuner, at_error *err) AT_MUST_CHECK;

/* Goes on with the file that has taken the place of the database, if one has. `slow` is held. */
at_status atx_library_follow(at_tuner *tuner, at_error *err) AT_MUST_CHECK;

/* Tells the program of an error that stops nothing. */
void atx_library_log(const at_tuner *tuner, const char *text);

/* ---- library_miss.c ---- */

at_status atx_tuning_open(atx_tuning *t, const at_open_options *options, at_error *err) AT_MUST_CHECK;
void atx_tuning_close(atx_tuning *t); /* ends running work; also of one that was never opened */

/* What was stored since, also by the first who made the database. `slow` is held. */
at_status atx_tuning_see(at_tuner *tuner, at_error *err) AT_MUST_CHECK;

/* Tunes the problem and waits; no lock is held. On failure *err says why, for a warning. `cancel` (NULL:
 * none) ends it. */
at_status atx_tuning_wait(at_tuner *tuner, const atx_problem *problem, int ordinal,
                          const volatile int *cancel, at_error *err) AT_MUST_CHECK;

/* Has it tuned by and by; `prepared->renew` is set then. On failure nothing changes. */
void atx_tuning_request_later(at_tuner *tuner, const atx_problem *problem, int ordinal,
                              atx_prepared *prepared);

/* ---- library_table.c ---- */

uint64_t atx_asking_hash(const atx_asking *asking);

/* NULL: it is not there. `table_lock` is held, or `slow`, without which nothing is added. */
atx_prepared *atx_table_find(const atx_table *table, const atx_asking *asking);

/* Takes the entry, on success. `old` (NULL: none) is not found any more, but stays: at_prepare has given it
 * away. `slow` is held. */
at_status atx_table_add(at_tuner *tuner, atx_prepared *p, atx_prepared *old, at_error *err) AT_MUST_CHECK;

void atx_prepared_close(atx_prepared *p);
void atx_library_unload(at_tuner *tuner); /* the table, kernels, codes, the driver */
