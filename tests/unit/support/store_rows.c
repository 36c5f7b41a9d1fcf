/* store_rows.c - rows for the tests of the store, and writing many of them. Knows no Criterion. */
#include "store_support.h"

const atx_problem_key KEY = { "transpose", "4096x4096", "b4", 4096 * 4096, 2ll * 4 * 4096 * 4096, 0 };
const atx_fingerprint H200 = { "NVIDIA H200", 90, 132, 143771, "580", "13.0", "0.1.0", true };

atx_trial_row trial_of(const char *config, double median_s)
{
    return (atx_trial_row){
        .template_name = "tile",
        .template_hash = "h1",
        .config = config,
        .outcome = ATX_TIMED,
        .timing.median_s = median_s,
        .timing.min_s = median_s,
        .timing.samples = 10,
        .log = "",
        .source_hash = "s1",
    };
}

atx_winner winner_of(const char *config, double median_s)
{
    return (atx_winner){
        .template_name = "tile",
        .template_hash = "h1",
        .config = config,
        .source_hash = "s1",
        .op_hash = "o1",
        .timing.median_s = median_s,
        .timing.min_s = median_s * 0.5,
        .timing.spread = 0.25,
        .timing.samples = 25,
        .ceiling_s = median_s * 0.75,
        .ceiling_name = "memcpy",
        .ties = "",
        .objective = "",
        .trials = 100,
        .space_count = 1000,
        .geometry = { .grid = { 7, 8, 9 }, .block = { 32, 4, 2 }, .shared_bytes = 4224 },
        .resources = { 40, 4736, 16, 24, 48 },
        .elapsed_s = 12.5,
        .conditions = { 1980, 3201, 45, 320, 700, 4 },
    };
}

int store_write_batches(const char *path, int count, int first, FILE *tell)
{
    atx_store *store = NULL;
    at_error err = { 0 };
    if (atx_store_open(&store, path, ATX_STORE_WRITE, &err) != AT_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    at_status status = AT_OK;
    for (int i = first; i < first + count && status == AT_OK; i++) {
        char a[32], b[32];
        snprintf(a, sizeof a, "N=%d HALF=0", i);
        snprintf(b, sizeof b, "N=%d HALF=1", i);
        atx_trial_row rows[] = { trial_of(a, 1e-6), trial_of(b, 1e-6) };
        status = atx_store_put_trials(store, 0, &KEY, &H200, rows, 2, &err);
        if (status == AT_OK && tell) {
            fprintf(tell, "%d\n", i);
            fflush(tell);
        }
    }
    if (status != AT_OK)
        fprintf(stderr, "%s\n", err.text);
    atx_store_close(store);
    return status != AT_OK;
}

int store_write_kernels(const char *path, int count, int first, int64_t limit_bytes, FILE *tell)
{
    static const unsigned char CUBIN[CUBIN_BYTES] = { 0x7f, 'E', 'L', 'F' };
    atx_store *cache = NULL;
    at_error err = { 0 };
    at_status status = atx_store_open(&cache, path, ATX_STORE_WRITE, &err);
    if (status == AT_OK)
        atx_store_limit_cubins(cache, limit_bytes);
    for (int i = first; i < first + count && status == AT_OK; i++) {
        char key[32];
        snprintf(key, sizeof key, "K%d", i);
        status = atx_store_put_cubin(cache, key, CUBIN, sizeof CUBIN, "log", &err);
        if (status == AT_OK && tell) {
            fprintf(tell, "%d\n", i);
            fflush(tell);
        }
    }
    if (status != AT_OK)
        fprintf(stderr, "%s\n", err.text);
    atx_store_close(cache);
    return status != AT_OK;
}
