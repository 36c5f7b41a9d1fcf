/* pool_support.h - jobs of a pool of compilers that end at once, or never, and how long a worker has worked.
 */
#pragma once

#include "compile/pool.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define HOURS_MS (10 * 3600 * 1000)

static double compiles_s; /* of processor time: a worker that has used so much has begun its job */

static const char GOOD[] = "extern \"C\" __global__ void k(float *p) { p[threadIdx.x] = TAG; }\n";

static void use_worker(void)
{
    setenv("AUTOTUNE_EXE", AT_WORKER, 1);
}

static void need_nvrtc(void)
{
    atx_nvrtc *nvrtc = NULL;
    const clock_t begun = clock();
    use_worker();
    if (atx_nvrtc_open(&nvrtc, NULL) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    compiles_s = 0.3 + 10 * (double)(clock() - begun) / CLOCKS_PER_SEC; /* one without a job uses that once */
    atx_nvrtc_close(nvrtc);
}

static void submit(atx_pool *pool, int64_t tag, const char *source)
{
    atx_str text = { 0 };
    at_error err = { 0 };
    atx_str_addf(&text, "constexpr int TAG = %d;\n%s", (int)tag, source);
    at_status status = atx_pool_submit(pool, tag, atx_str_text(&text), "k.cu", 80, ATX_CUBIN, &err);
    cr_assert(status == AT_OK, "%s", err.text);
    atx_str_clear(&text);
}

/* Waits a little for something to happen, and pumps. */
static at_status step(atx_pool *pool, at_error *err)
{
    atx_pool_wait(pool, NULL, 20);
    return atx_pool_pump(pool, err);
}

static atx_compiled wait_for_one(atx_pool *pool)
{
    atx_compiled result;
    at_error err = { 0 };
    while (!atx_pool_take(pool, &result))
        cr_assert(step(pool, &err) == AT_OK, "%s", err.text);
    return result;
}

/* Compiles for hours: ptxas and the optimiser take more than linear time on straight code. Whoever waits for
 * it hangs. */
static void add_slow_source(atx_str *out)
{
    atx_str_add(out, "extern \"C\" __global__ void k(float *p)\n{\n    float a = p[0], b = p[1];\n");
    for (int i = 0; i < 400; i++)
        atx_str_addf(out,
                     "_Pragma(\"unroll\") for (int i = 0; i < 1000; i++)"
                     " { a = a * b + p[i]; b = b / a; p[i + %d] = a; }\n",
                     i);
    atx_str_add(out, "}\n");
}

static void submit_slow(atx_pool *pool, int64_t tag)
{
    atx_str source = { 0 };
    add_slow_source(&source);
    submit(pool, tag, atx_str_text(&source));
    atx_str_clear(&source);
}

/* Processor time of a process so far; 0: there is none. */
static double work_of(int pid)
{
    char path[64];
    long user = 0, kernel = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file &&
        fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &kernel) != 2)
        user = kernel = 0;
    if (file)
        fclose(file);
    return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}
