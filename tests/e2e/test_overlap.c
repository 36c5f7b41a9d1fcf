/*
 * test_overlap.c - work that overlaps: compilers start while the device does, and compile the
 * first candidates while buffers are filled. What must not be waited for never ends here.
 */
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

TestSuite(overlap, .init = e2e_begin, .fini = e2e_end);

static e2e_run run;

static void interrupt(void)
{
    e2e_signal(&run, SIGINT);
    e2e_wait(&run);
    e2e_expect(run.code == 130, run);
    e2e_expect_no_process();
}

static int processes(char role)
{
    int list[64], found = 0, count = e2e_processes(list, 64);
    for (int i = 0; i < count; i++)
        found += e2e_role(list[i]) == role;
    return found;
}

static void wait_for_processes(char role, int count)
{
    while (processes(role) < count) {
        cr_assert(!e2e_has_ended(&run), "it ended and had no %d processes '%c'", count, role);
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
}

Test(overlap, compilers_start_while_the_device_does)
{
    e2e_script("slow cuInit 36000000 create opens");
    e2e_start(&run, E2E_REAL, E2E_MINE);
    e2e_wait_for_file(&run, "opens");
    wait_for_processes('w', 1);
    interrupt();
}

Test(overlap, compilers_start_while_the_first_of_all_devices_does)
{
    e2e_script("count 3\nslow cuInit 36000000 create opens");
    e2e_start(&run, E2E_REAL, E2E_MINE "--device all");
    e2e_wait_for_file(&run, "opens");
    wait_for_processes('w', 1);
    interrupt();
}

/* When the process began, in ticks since the machine did. */
static long long beginning(int pid)
{
    char path[64], line[1024] = "";
    long long ticks = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    const char *at = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    if (file)
        fclose(file);
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    cr_assert(at && sscanf(at, "%lld", &ticks) == 1, "%s: %s", path, line);
    return ticks;
}

/* Of a role's processes: when the first of them began, and the last. */
static void beginnings(long long *first, long long *last, char role)
{
    int list[64], count = e2e_processes(list, 64);
    *first = LLONG_MAX;
    *last = 0;
    for (int i = 0; i < count; i++) {
        if (e2e_role(list[i]) != role)
            continue;
        const long long at = beginning(list[i]);
        *first = at < *first ? at : *first;
        *last = at > *last ? at : *last;
    }
}

/*
 * How many there are is known when the first one has started; until then as many start as it seems, none
 * behind the compilers of another.
 */
Test(overlap, all_devices_start_at_the_same_time)
{
    long long first_worker, last_worker, first_device, last_device;
    setenv("CUDA_VISIBLE_DEVICES", "0,1,2", 1);
    e2e_script("count 3\nslow cuInit 36000000");
    e2e_start(&run, E2E_REAL, "tune copy 1000 f32 --only mine --templates templates --jobs 30 --device all");
    wait_for_processes('r', 3);
    wait_for_processes('w', 30);
    beginnings(&first_worker, &last_worker, 'w');
    beginnings(&first_device, &last_device, 'r');
    cr_assert_leq(last_device, first_worker);
    interrupt();
}

#define DEVICES "SELECT count(DISTINCT device_uuid) FROM run"

Test(overlap, fewer_devices_than_it_seemed_are_all_that_is_used)
{
    setenv("CUDA_VISIBLE_DEVICES", "0,1,7", 1);
    e2e_script("count 2");
    e2e_tune(&run, E2E_REAL, E2E_MINE "--device all");
    e2e_expect(run.code == 0 && !strstr(run.err, "error"), run);
    e2e_expect(strstr(run.err, "there is no CUDA device 2; this machine shows 2 devices (0 to 1)"), run);
    cr_assert_eq(e2e_count(DEVICES), 2);
    e2e_expect_no_process();
}

static void connect_nvml(void)
{
    char all[2048];
    snprintf(all, sizeof all, "%s:%s", AT_NVML_FOLDER, getenv("LD_LIBRARY_PATH"));
    setenv("LD_LIBRARY_PATH", all, 1);
}

/* The driver's list ends there. */
Test(overlap, a_device_behind_a_number_that_is_too_large_is_not_used)
{
    connect_nvml();
    setenv("AT_NVML_COUNT", "2", 1);
    setenv("CUDA_VISIBLE_DEVICES", "0,7,1", 1);
    e2e_script("count 2");
    e2e_tune(&run, E2E_REAL, E2E_MINE "--device all");
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count(DEVICES), 1);
    e2e_expect_no_process();
}

/* NVML counts two GPUs, and the driver shows a part of one: it is asked. */
Test(overlap, where_mig_is_in_use_the_driver_says_how_many_there_are)
{
    connect_nvml();
    setenv("AT_NVML_COUNT", "2", 1);
    setenv("AT_NVML_MIG", "1", 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    e2e_script("count 1");
    e2e_tune(&run, E2E_REAL, E2E_MINE "--device all");
    e2e_expect(run.code == 0 && !strstr(run.err, "did not start"), run);
    cr_assert_eq(e2e_count(DEVICES), 1);
    e2e_expect_no_process();
}

/* A user hides devices so. */
Test(overlap, a_device_behind_a_place_that_names_none_is_not_used)
{
    setenv("CUDA_VISIBLE_DEVICES", "0,-1,1", 1);
    e2e_script("count 2");
    e2e_tune(&run, E2E_REAL, E2E_MINE "--device all");
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count(DEVICES), 1);
    e2e_expect_no_process();
}

Test(overlap, more_devices_than_it_seemed_are_used)
{
    unsetenv("CUDA_VISIBLE_DEVICES");
    e2e_script("count 3");
    e2e_tune(&run, E2E_REAL, E2E_MINE "--device all");
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count(DEVICES), 3);
    e2e_expect_no_process();
}

#define WINNERS "SELECT count(*) FROM winner"

/* The second one never starts. */
Test(overlap, a_device_begins_without_waiting_for_the_others)
{
    e2e_script("count 2\non 1\nslow cuDevicePrimaryCtxRetain 36000000");
    e2e_start(&run, E2E_REAL, E2E_MINE "--device 0,1");
    e2e_wait_for_rows(&run, WINNERS, 1);
    interrupt();
}

/* Kernels are found only then: few problems may have begun. */
Test(overlap, no_problem_is_begun_after_a_device_did_not_start)
{
    e2e_write("shapes.txt",
              "1000 f32\n1001 f32\n1002 f32\n1003 f32\n1004 f32\n1005 f32\n1006 f32\n1007 f32\n");
    e2e_script(
        "count 2\non 0\nhold copy_mine failed\non 1\nfail cuDevicePrimaryCtxRetain 1 999 create failed");
    e2e_tune(&run, E2E_REAL,
             "tune --op copy --shapes shapes.txt --only mine --templates templates --jobs 2 --device 0,1");
    e2e_expect(run.code == 3 && strstr(run.err, "cuDevicePrimaryCtxRetain: CUDA_ERROR_UNKNOWN"), run);
    cr_assert_lt(e2e_count(WINNERS), 8);
    e2e_expect_no_process();
}

/* The context takes as long as finding the device; the kernels that verify do not wait for it. */
Test(overlap, what_verifies_is_compiled_while_the_context_is_made)
{
    e2e_script("slow cuDevicePrimaryCtxRetain 36000000 create context");
    e2e_start(&run, E2E_REAL, E2E_MINE "--no-cache");
    e2e_wait_for_file(&run, "context");
    e2e_wait_for_work(&run, 'w', 0.15);
    interrupt();
}

/* Its kernel compiles for hours: ptxas takes more than linear time on straight code. */
static void write_slow_template(const char *require)
{
    char text[30000];
    size_t at = (size_t)snprintf(
        text, sizeof text,
        "/*!autotune\ntemplate slow\nparam N = 1 2 3 4 5 6 7 8\n%sgrid 1\nblock 32\n*/\n"
        "extern \"C\" __global__ void copy_slow(T *out, const T *in, long long batch, long long rows, "
        "long long cols)\n{\n    float a = in[N], b = in[1];\n    float *p = (float *)out;\n",
        require);
    for (int i = 0; i < 200; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "_Pragma(\"unroll\") for (int i = 0; i < 1000; i++)"
                               " { a = a * b + p[i]; b = b / a; p[i + %d] = a; }\n",
                               i);
    snprintf(text + at, sizeof text - at, "}\n");
    e2e_write("templates/copy/slow.cu", text);
}

/* Sixteen jobs have room for what the device needs first, and for candidates behind it. */
Test(overlap, candidates_are_compiled_while_buffers_are_filled)
{
    write_slow_template("");
    e2e_script("kernel verify_fill * hang create fills");
    e2e_start(&run, E2E_REAL, "tune copy 1000 f32 --only slow --templates templates --jobs 10");
    e2e_wait_for_file(&run, "fills");
    e2e_wait_for_work(&run, 'w', 0.3);
    interrupt();
}

/* With NVML all is known of a device before it has a context. */
Test(overlap, candidates_are_compiled_while_the_context_is_made)
{
    write_slow_template("");
    connect_nvml();
    e2e_script("slow cuDevicePrimaryCtxRetain 36000000 create context");
    e2e_start(&run, E2E_REAL, "tune copy 1000 f32 --only slow --templates templates --jobs 10");
    e2e_wait_for_file(&run, "context");
    e2e_wait_for_work(&run, 'w', 1.5);
    interrupt();
}

Test(overlap, a_context_that_is_refused_is_told)
{
    connect_nvml();
    e2e_script("fail cuDevicePrimaryCtxRetain 1 999 sticky");
    e2e_tune(&run, E2E_REAL, E2E_MINE);
    e2e_expect(run.code == 1 && strstr(run.out, "cuDevicePrimaryCtxRetain"), run);
    e2e_expect_no_process();
}

/* A run that fails while it is set up leaves its candidates: the next problem begins with compilers of its
 * own. */
Test(overlap, candidates_of_a_problem_that_is_not_set_up_are_given_up)
{
    write_slow_template("");
    e2e_write("shapes", "copy 1000 f32\ncopy 2000 f32\n");
    e2e_script("kernel copy_reference * 700");
    e2e_tune(&run, E2E_REAL, "tune --shapes shapes --only slow --templates templates --jobs 8 --no-cache");
    e2e_expect(run.code == 1, run);
    e2e_expect_no_process();
}

/* Compilers would be idle: the device re-measures the first problem, and each reading of its stopwatch takes
 * a second. */
Test(overlap, the_next_problem_is_compiled_while_one_is_remeasured)
{
    write_slow_template("require cols > 1500\n");
    e2e_write("shapes", "copy 1000 f32\ncopy 2000 f32\n");
    e2e_script("slow cuEventElapsedTime 1000");
    e2e_start(&run, E2E_REAL,
              "tune --shapes shapes --only mine,slow --templates templates --jobs 4 --max-trials 2");
    e2e_wait_for_rows(&run, "SELECT count(*) FROM trial", 2);
    e2e_wait_for_work(&run, 'w', 1);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner"), 0, "the first problem was over");
    interrupt();
}
