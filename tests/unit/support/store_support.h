/* store_support.h - shared by the tests of the store: a scratch folder, rows, a query. Test code: stops on
 * errors. */
#pragma once

#include "db/store_internal.h"
#include <stdio.h>
#include <sys/types.h>

/* A folder of its own, with the path of a database in it that does not exist yet. */
typedef struct folder {
    char path[128];
    char db[160];
} folder;

folder folder_make(void);
void folder_remove(folder *f);

/* NULL unsets the variable. */
void set_or_unset(const char *name, const char *value);

atx_store *open_ok(const char *path, atx_open_mode mode);
atx_store *memory_ok(void);

extern const atx_problem_key KEY;
extern const atx_fingerprint H200;

atx_trial_row trial_of(const char *config, double median_s);
atx_winner winner_of(const char *config, double median_s);
void put_ok(atx_store *store, const atx_problem_key *key, const atx_fingerprint *fingerprint,
            const atx_trial_row *rows, size_t count);

/* Runs SQL on a file without the store: as it was written long ago, or by somebody else. */
void run_sql(const char *path, const char *sql);

/* Another process, store_writer, that writes batches; what it says comes through *out, unless that is NULL.
 */
pid_t spawn_batches(const char *program, const char *path, int count, int first, FILE **out);

/* The first column of the first row, as text; "(none)" without a row. The text stays to the end of the block.
 */
typedef struct cell {
    char text[256];
} cell;
cell *scalar_into(cell *out, atx_store *store, const char *sql);
#define scalar(store, sql) (*scalar_into(&(cell){ "" }, store, sql))

/*
 * Writes `count` batches of two trials, "N=<first>" and on, and says each number once it is stored (tell may
 * be NULL). Returns an exit code.
 */
int store_write_batches(const char *path, int count, int first, FILE *tell);

/* The same with kernels "K<first>" and on, of CUBIN_BYTES each, in a cache with a limit. */
enum { CUBIN_BYTES = 8000 };
int store_write_kernels(const char *path, int count, int first, int64_t limit_bytes, FILE *tell);
