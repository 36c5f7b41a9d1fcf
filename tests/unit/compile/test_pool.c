/* test_pool.c - compile workers: many jobs, bad kernels, workers that die or hang. No GPU is needed. */
#include "compile/pool.h"
#include "pool_support.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atx_pool *open_pool(int workers, double deadline_s)
{
    atx_pool *pool = NULL;
    at_error err = { 0 };
    atx_pool_options options = { .workers = workers, .deadline_s = deadline_s };
    cr_assert(atx_pool_open(&pool, options, &err) == AT_OK, "%s", err.text);
    return pool;
}

static bool has_children(void)
{
    return waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD;
}

/* The process id of this process's child with the highest one, from /proc; 0: there is none. */
static int last_child(void)
{
    int found = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[300];
        int parent = 0;
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%*d (%*[^)]) %*c %d", &parent) == 1 && parent == getpid() &&
            atoi(entry->d_name) > found)
            found = atoi(entry->d_name);
        if (file)
            fclose(file);
    }
    if (folder)
        closedir(folder);
    return found;
}

/* Until a worker, other than `but`, is in the midst of a slow job. Its process id. */
static int let_it_compile(atx_pool *pool, int but)
{
    at_error err = { 0 };
    int worker = last_child();
    while (worker == but || work_of(worker) < compiles_s) {
        cr_assert(step(pool, &err) == AT_OK, "%s", err.text);
        worker = last_child();
    }
    return worker;
}

Test(pool, compiles_many_jobs_and_returns_them_by_tag, .init = need_nvrtc)
{
    enum { JOBS = 60 };
    bool seen[JOBS] = { false };
    int sent = 0, back = 0;
    atx_pool *pool = open_pool(3, 0);
    at_error err = { 0 };
    cr_assert(atx_pool_workers(pool) == 3 && atx_pool_busy(pool) == 0);
    while (back < JOBS) {
        atx_compiled result;
        while (sent < JOBS && atx_pool_has_room(pool))
            submit(pool, sent++, GOOD);
        cr_assert(step(pool, &err) == AT_OK, "%s", err.text);
        while (atx_pool_take(pool, &result)) {
            cr_assert(result.ok && result.tag >= 0 && result.tag < JOBS && !seen[result.tag]);
            cr_assert(result.code.len > 100 && memcmp(result.code.data, "\177ELF", 4) == 0);
            cr_assert(result.resources.registers > 0 && result.compile_s > 0);
            seen[result.tag] = true;
            back++;
            atx_compiled_clear(&result);
        }
        cr_assert(atx_pool_busy(pool) == sent - back);
    }
    atx_pool_close(pool);
    cr_assert(!has_children());
}

Test(pool, has_room_for_two_jobs_a_worker, .init = need_nvrtc)
{
    at_error err = { 0 };
    atx_pool *pool = open_pool(1, 0);
    submit(pool, 1, GOOD);
    cr_assert(atx_pool_has_room(pool));
    submit(pool, 2, GOOD);
    cr_assert(!atx_pool_has_room(pool));
    cr_assert(atx_pool_submit(pool, 3, GOOD, "k.cu", 80, ATX_CUBIN, &err) == AT_ERR_INTERNAL);
    for (int i = 1; i <= 2; i++) {
        atx_compiled result = wait_for_one(pool);
        cr_assert(result.tag == i && result.ok);
        atx_compiled_clear(&result);
    }
    cr_assert(atx_pool_has_room(pool) && atx_pool_busy(pool) == 0);
    atx_pool_close(pool);
}

Test(pool, a_refused_kernel_is_a_result, .init = need_nvrtc)
{
    atx_pool *pool = open_pool(1, 0);
    submit(pool, 7, "extern \"C\" __global__ void k() { nonsense; }\n");
    atx_compiled result = wait_for_one(pool);
    cr_assert(result.tag == 7 && !result.ok && result.code.len == 0);
    cr_assert(strstr(atx_str_text(&result.log), "k.cu(2): error"), "%s", atx_str_text(&result.log));
    atx_compiled_clear(&result);
    atx_pool_close(pool);
}

Test(pool, a_worker_killed_at_work_gives_its_job_to_the_next, .init = need_nvrtc)
{
    atx_pool *pool = open_pool(1, 5);
    submit_slow(pool, 1);
    submit(pool, 2, GOOD);
    cr_assert(kill(let_it_compile(pool, 0), SIGKILL) == 0);
    atx_compiled result = wait_for_one(pool);
    cr_assert(result.tag == 1 && !result.ok);
    cr_assert_str_eq(atx_str_text(&result.log), "the compiler took longer than 5 s and was stopped");
    atx_compiled_clear(&result);
    result = wait_for_one(pool);
    cr_assert(result.tag == 2 && result.ok);
    atx_compiled_clear(&result);
    atx_pool_close(pool);
}

/* A suspended container, a debugger: the compiler did nothing, which is not the kernel's fault. */
Test(pool, a_worker_that_is_frozen_gives_its_job_to_the_next, .init = need_nvrtc)
{
    atx_pool *pool = open_pool(1, 2);
    submit(pool, 1, GOOD);
    atx_compiled result = wait_for_one(pool); /* it is there now, and waits for a job */
    atx_compiled_clear(&result);
    cr_assert(kill(last_child(), SIGSTOP) == 0);
    submit(pool, 2, GOOD);
    result = wait_for_one(pool);
    cr_assert(result.tag == 2 && result.ok, "%s", atx_str_text(&result.log));
    atx_compiled_clear(&result);
    atx_pool_close(pool);
}

Test(pool, a_job_whose_worker_dies_twice_fails_alone, .init = need_nvrtc)
{
    atx_pool *pool = open_pool(1, 0);
    submit_slow(pool, 1);
    submit(pool, 2, GOOD);
    int first = let_it_compile(pool, 0);
    cr_assert(kill(first, SIGKILL) == 0);
    cr_assert(kill(let_it_compile(pool, first), SIGKILL) == 0);
    atx_compiled result = wait_for_one(pool);
    cr_assert(result.tag == 1 && !result.ok);
    cr_assert_str_eq(atx_str_text(&result.log),
                     "the compiler process died 2 times: killed by signal 9 (Killed)");
    atx_compiled_clear(&result);
    result = wait_for_one(pool);
    cr_assert(result.tag == 2 && result.ok, "the job that waited goes to the next worker");
    atx_compiled_clear(&result);
    atx_pool_close(pool);
    cr_assert(!has_children());
}

Test(pool, an_idle_worker_that_dies_is_replaced, .init = need_nvrtc)
{
    atx_pool *pool = open_pool(1, 0);
    submit(pool, 0, GOOD);
    atx_compiled result = wait_for_one(pool);
    atx_compiled_clear(&result);
    cr_assert(kill(last_child(), SIGKILL) == 0);
    submit(pool, 1, GOOD);
    result = wait_for_one(pool);
    cr_assert(result.tag == 1);
    atx_compiled_clear(&result);
    submit(pool, 2, GOOD);
    result = wait_for_one(pool);
    cr_assert(result.tag == 2 && result.ok);
    atx_compiled_clear(&result);
    atx_pool_close(pool);
}

Test(pool, a_kernel_that_compiles_for_too_long_is_stopped, .init = need_nvrtc)
{
    atx_pool *pool = open_pool(1, 3.0);
    submit_slow(pool, 1);
    submit(pool, 2, GOOD);
    atx_compiled result = wait_for_one(pool);
    cr_assert(result.tag == 1 && !result.ok && result.compile_s >= 3.0);
    cr_assert_str_eq(atx_str_text(&result.log), "the compiler took longer than 3 s and was stopped");
    atx_compiled_clear(&result);
    result = wait_for_one(pool);
    cr_assert(result.tag == 2 && result.ok);
    atx_compiled_clear(&result);
    atx_pool_close(pool);
}

/* Millions of types. The kernel behind it gets a worker with all its memory. */
Test(pool, a_kernel_that_eats_memory_is_stopped, .init = need_nvrtc)
{
    static const char HUNGRY[] =
        "template <unsigned long long I, int D> struct Tree {\n"
        "    static constexpr int v = Tree<2 * I, D - 1>::v + Tree<2 * I + 1, D - 1>::v;\n"
        "};\n"
        "template <unsigned long long I> struct Tree<I, 0> { static constexpr int v = 1; };\n"
        "extern \"C\" __global__ void k(int *p) { p[0] = Tree<1, 24>::v; }\n";
    atx_pool *pool = NULL;
    at_error err = { 0 };
    atx_pool_options options = { .workers = 1, .memory_bytes = 300 << 20 };
#ifdef AT_SANITIZED
    cr_skip_test("the sanitizer's allocator ends the compiler instead of refusing");
#endif
    cr_assert(atx_pool_open(&pool, options, &err) == AT_OK, "%s", err.text);
    submit(pool, 1, HUNGRY);
    submit(pool, 2, GOOD);
    atx_compiled result = wait_for_one(pool);
    cr_assert(result.tag == 1 && !result.ok);
    cr_assert(strstr(atx_str_text(&result.log), "out of memory"), "%s", atx_str_text(&result.log));
    atx_compiled_clear(&result);
    result = wait_for_one(pool);
    cr_assert(result.tag == 2 && result.ok, "%s", atx_str_text(&result.log));
    atx_compiled_clear(&result);
    atx_pool_close(pool);
}

Test(pool, jobs_can_be_dropped, .init = need_nvrtc)
{
    atx_pool *pool = open_pool(2, 0);
    for (int i = 0; i < 4; i++)
        submit_slow(pool, i);
    let_it_compile(pool, 0);
    atx_pool_drop_of(pool, 0);
    cr_assert(atx_pool_busy(pool) == 0);
    submit(pool, 9, GOOD);
    atx_compiled result = wait_for_one(pool);
    cr_assert(result.tag == 9 && result.ok);
    atx_compiled_clear(&result);
    atx_pool_close(pool);
}

/* Each takes back its own, whoever else compiles; to be compiled in the order in which they came. */
Test(pool, several_owners_share_the_workers, .init = need_nvrtc)
{
    atx_pool *pool = open_pool(1, 0);
    atx_compiled result;
    at_error err = { 0 };
    submit(pool, ATX_POOL_TAG(7, 1), GOOD);
    submit(pool, ATX_POOL_TAG(8, 2), GOOD);
    cr_assert(atx_pool_busy_of(pool, 7) == 1 && atx_pool_busy_of(pool, 8) == 1);
    while (!atx_pool_take_of(pool, 8, &result))
        cr_assert(step(pool, &err) == AT_OK, "%s", err.text);
    cr_assert(result.ok && result.tag == ATX_POOL_TAG(8, 2));
    atx_compiled_clear(&result);
    cr_assert(atx_pool_busy_of(pool, 7) == 1 && atx_pool_busy_of(pool, 8) == 0);
    cr_assert(!atx_pool_take_of(pool, 8, &result));
    cr_assert(atx_pool_take_of(pool, 7, &result), "it came first and was not compiled first");
    cr_assert(result.ok && result.tag == ATX_POOL_TAG(7, 1));
    atx_compiled_clear(&result);
    atx_pool_close(pool);
}

Test(pool, dropping_the_jobs_of_one_owner_leaves_the_others, .init = need_nvrtc)
{
    atx_pool *pool = open_pool(2, 0);
    submit_slow(pool, ATX_POOL_TAG(1, 0));
    submit(pool, ATX_POOL_TAG(2, 5), GOOD);
    submit_slow(pool, ATX_POOL_TAG(1, 1));
    submit_slow(pool, ATX_POOL_TAG(1, 2));
    atx_pool_drop_of(pool, 1);
    cr_assert(atx_pool_busy_of(pool, 1) == 0 && atx_pool_busy(pool) == 1);
    atx_compiled result = wait_for_one(pool);
    cr_assert(result.tag == ATX_POOL_TAG(2, 5) && result.ok, "%s", atx_str_text(&result.log));
    atx_compiled_clear(&result);
    atx_pool_close(pool);
}

Test(pool, made_smaller_it_still_does_all_its_jobs, .init = need_nvrtc)
{
    enum { JOBS = 6 };
    atx_pool *pool = open_pool(3, 0);
    int seen = 0;
    for (int i = 0; i < JOBS; i++)
        submit(pool, i, GOOD);
    for (int i = 0; i < JOBS; i++) {
        atx_compiled result = wait_for_one(pool);
        atx_pool_shrink(pool, 1); /* the others are under way when the first one is done */
        cr_assert_eq(atx_pool_workers(pool), 1);
        cr_assert(result.ok, "%s", atx_str_text(&result.log));
        seen |= 1 << result.tag;
        atx_compiled_clear(&result);
    }
    cr_assert_eq(seen, (1 << JOBS) - 1);
    atx_pool_close(pool);
    cr_assert(!has_children());
}

Test(pool, made_larger_it_has_more_workers_and_loses_no_job, .init = need_nvrtc)
{
    enum { JOBS = 6 };
    at_error err = { 0 };
    atx_pool *pool = open_pool(3, 0);
    for (int i = 0; i < JOBS; i++)
        submit(pool, i, GOOD);
    atx_pool_shrink(pool, 1);
    cr_assert_eq(atx_pool_grow(pool, 2, NULL, &err), AT_OK); /* fewer than there were, and six jobs wait */
    cr_assert_eq(atx_pool_workers(pool), 2);
    cr_assert_eq(atx_pool_grow(pool, 5, NULL, &err), AT_OK);
    cr_assert_eq(atx_pool_workers(pool), 5);
    for (int i = JOBS; atx_pool_has_room(pool); i++)
        submit(pool, i, GOOD);
    int64_t seen = 0, jobs = atx_pool_busy(pool);
    cr_assert_eq(jobs, 10, "two a worker");
    for (int i = 0; i < jobs; i++) {
        atx_compiled result = wait_for_one(pool);
        cr_assert(result.ok, "%s", atx_str_text(&result.log));
        seen |= (int64_t)1 << result.tag;
        atx_compiled_clear(&result);
    }
    cr_assert_eq(seen, ((int64_t)1 << jobs) - 1);
    atx_pool_close(pool);
    cr_assert(!has_children());
}

Test(pool, closing_while_busy_leaves_no_child, .init = need_nvrtc)
{
    atx_pool *pool = open_pool(2, 0);
    for (int i = 0; i < 4; i++)
        submit_slow(pool, i);
    let_it_compile(pool, 0);
    atx_pool_close(pool);
    cr_assert(!has_children());
}

/* Takes steps until the pool gives up. */
static at_status wait_for_failure(atx_pool *pool, at_error *err)
{
    at_status status = AT_OK;
    while (status == AT_OK)
        status = step(pool, err);
    return status;
}

Test(pool, a_missing_nvrtc_is_told_in_the_workers_words, .init = use_worker)
{
    at_error err = { 0 };
    setenv("AUTOTUNE_NVRTC", "/nonexistent/libnvrtc.so", 1);
    atx_pool *pool = open_pool(2, 0);
    submit(pool, 1, GOOD);
    cr_assert(wait_for_failure(pool, &err) == AT_ERR_DEVICE);
    cr_assert(strstr(err.text, "/nonexistent/libnvrtc.so"), "%s", err.text);
    cr_assert(atx_pool_pump(pool, NULL) == AT_ERR_DEVICE, "it lasts");
    atx_pool_close(pool);
    cr_assert(!has_children());
}

Test(pool, workers_that_cannot_work_end_the_pool)
{
    at_error err = { 0 };
    setenv("AUTOTUNE_EXE", "/bin/false", 1);
    atx_pool *pool = open_pool(1, 0);
    submit(pool, 1, GOOD);
    cr_assert(wait_for_failure(pool, &err) == AT_ERR_SYSTEM);
    cr_assert(strstr(err.text, "ended with exit code 1"), "%s", err.text);
    atx_pool_close(pool);
}

Test(pool, a_program_that_is_not_there_is_told_at_once)
{
    atx_pool *pool = NULL;
    at_error err = { 0 };
    setenv("AUTOTUNE_EXE", "/nonexistent/autotune", 1);
    cr_assert(atx_pool_open(&pool, (atx_pool_options){ 0 }, &err) == AT_ERR_SYSTEM && !pool);
    cr_assert(strstr(err.text, "/nonexistent/autotune"));
    atx_pool_close(NULL);
}

/* Whoever has something to say is heard at once, however many there are. Idle processes stand for workers;
 * the end of the youngest one is what it says.
 */
Test(pool, waits_for_every_one_of_many_workers)
{
    enum { WORKERS = 160 };
    struct pollfd none = { .fd = -1 };
    setenv("AUTOTUNE_EXE", AT_WORKER, 1);
    setenv("AT_WORKER_IDLE", "1", 1);
    atx_pool *pool = open_pool(WORKERS, 0);
    cr_assert_eq(atx_pool_workers(pool), WORKERS);
    int last = last_child();
    atx_pool_wait(pool, &none, 0);
    cr_assert(kill(last, SIGKILL) == 0);
    atx_pool_wait(pool, &none, HOURS_MS); /* hangs when the last of them is not waited for */
    atx_pool_close(pool);
    cr_assert(!has_children());
}

Test(pool, waits_for_something_else_too, .init = use_worker)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    struct pollfd also = { .fd = ends[0], .events = POLLIN };
    cr_assert_eq(write(ends[1], "x", 1), 1);
    atx_pool_wait(NULL, &also, HOURS_MS);
    atx_pool_wait(NULL, NULL, 1);
    close(ends[0]);
    close(ends[1]);
}

Test(pool, opens_a_worker_a_core, .init = use_worker)
{
    atx_pool *pool = open_pool(0, 0);
    cr_assert(atx_pool_workers(pool) >= 1);
    atx_pool_close(pool);
    cr_assert(!has_children());
}
