/*
 * test_sources.c - `autotune tune` of kernels that were not written for it: files that are compiled as they
 * are, with the headers that they include, C++ names and arguments in their own order.
 */
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static e2e_run run;

static const char KERNEL[] =
    "#include \"inc/access.h\"\n"
    "#ifndef block_size_x\n"
    "#define block_size_x 1\n"
    "#endif\n"
    "__global__ void copy_swapped(const unsigned *in, unsigned *out, long long batch,\n"
    "                             long long rows, long long cols)\n"
    "{\n"
    "    long long i = (long long)blockIdx.x * block_size_x + threadIdx.x;\n"
    "#if careful == 1\n"
    "    if (i < batch * rows * cols)\n"
    "#endif\n"
    "        out[i] = ACCESS(in, i);\n"
    "}\n";

static const char TEMPLATE[] = "/*!autotune\n"
                               "template mine\n"
                               "source ../../src/copy.cu\n"
                               "define all\n"
                               "param block_size_x = 32 64 128 256\n"
                               "param careful = true\n"
                               "kernel copy_swapped\n"
                               "arg in out batch rows cols\n"
                               "grid ceil_div(count, block_size_x)\n"
                               "block block_size_x\n"
                               "*/\n";

static void begin(void)
{
    char path[200];
    static const char *const FOLDERS[] = { "src", "src/inc" };
    e2e_begin();
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
        snprintf(path, sizeof path, "%s/%s", e2e_folder(), FOLDERS[i]);
        mkdir(path, 0777);
    }
    e2e_write("src/copy.cu", KERNEL);
    e2e_write("src/inc/access.h", "#pragma once\n#define ACCESS(p, i) (p)[i]\n");
    e2e_write("templates/copy/mine.cu", TEMPLATE);
}

TestSuite(sources, .init = begin, .fini = e2e_end);

static void tune(const char *args, int code)
{
    e2e_tune(&run, E2E_QUICK, args);
    e2e_expect(run.code == code, run);
    e2e_expect_no_process();
    e2e_expect_whole();
}

Test(sources, a_file_is_tuned_as_it_is)
{
    e2e_script("time *copy_swapped* 128 5000");
    tune(E2E_MINE, 0);
    e2e_expect(strstr(run.out, "block_size_x=128 careful=true"), run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE template = 'mine' AND outcome = 'timed'"),
                 4);
}

/* With all that it includes, and the arguments in its own order. */
Test(sources, an_export_stands_alone)
{
    tune(E2E_MINE, 0);
    e2e_write("src/copy.cu", "gone");
    e2e_write("templates/copy/mine.cu", "");
    tune("export copy 1000 f32", 0);
    e2e_expect(strstr(run.out, "#define ACCESS(p, i) (p)[i]\n") && !strstr(run.out, "#include \"inc"), run);
    e2e_expect(strstr(run.out, "copy_swapped<<<dim3(") &&
                   strstr(run.out, ">>>((const unsigned *)in, (unsigned *)out, 1LL, "),
               run);
}

Test(sources, a_changed_header_is_another_template)
{
    tune(E2E_MINE, 0);
    tune(E2E_MINE, 0);
    cr_assert_eq(e2e_count("SELECT count(DISTINCT template_id) FROM trial"), 1);
    e2e_write("src/inc/access.h", "#define ACCESS(p, i) ((p)[i] + 0u)\n");
    tune(E2E_MINE, 0);
    cr_assert_eq(e2e_count("SELECT count(DISTINCT template_id) FROM trial"), 2);
}

/* The same without a `source` line: the header lies beside the template. */
Test(sources, a_changed_header_beside_a_template_puts_its_winner_out_of_date)
{
    e2e_write("templates/copy/mine.cu",
              "/*!autotune\ntemplate mine\nparam N = 64\ngrid ceil_div(count, N)\nblock N\n*/\n"
              "#include \"x.h\"\n"
              "extern \"C\" __global__ void copy_mine(T *out, const T *in, long long batch, long long rows,\n"
              "                                     long long cols)\n"
              "{\n    if (threadIdx.x < cols)\n        out[threadIdx.x] = ACCESS(in, threadIdx.x);\n}\n");
    e2e_write("templates/copy/x.h", "#define ACCESS(p, i) (p)[i]\n");
    tune(E2E_MINE, 0);
    tune("query copy 1000 f32 --templates templates", 0);
    e2e_expect(strstr(run.out, "exact match"), run);
    e2e_write("templates/copy/x.h", "#define ACCESS(p, i) nowhere\n");
    tune("query copy 1000 f32 --templates templates", 0);
    e2e_expect(strstr(run.out, "out of date: its template mine is another one now"), run);
    tune("export copy 1000 f32", 0);
    e2e_expect(strstr(run.out, "#define ACCESS(p, i) (p)[i]\n") && !strstr(run.out, "x.h"), run);
    tune("check copy --only mine --templates templates --shape 1000 --dtype f32", 15);
    e2e_expect(strstr(run.err, "templates/copy/mine.cu(12): error: identifier \"nowhere\" is undefined"),
               run);
}

Test(sources, messages_point_into_the_file)
{
    e2e_write("src/inc/access.h", "#define ACCESS(p, i) nowhere\n");
    e2e_tune(&run, E2E_QUICK, "check copy --only mine --templates templates --shape 1000 --dtype f32");
    e2e_expect(run.code == 15, run);
    e2e_expect(strstr(run.err, "src/copy.cu(12): error: identifier \"nowhere\" is undefined"), run);
}

Test(sources, a_kernel_that_is_not_there_costs_its_trials)
{
    e2e_write("src/copy.cu", "__global__ void copy_other() {}\n");
    tune(E2E_MINE, 1);
    e2e_expect(strstr(run.err, "copy_swapped") || strstr(run.out, "compile_failed"), run);
}

/* Of four configurations one has no blocks at all: the others are tuned. */
Test(sources, a_grid_of_0_is_one_configuration_that_fails)
{
    char text[1000];
    snprintf(text, sizeof text, "%s", TEMPLATE);
    char *grid = strstr(text, "grid ");
    snprintf(grid, sizeof text - (size_t)(grid - text),
             "grid block_size_x == 64 ? 0 : ceil_div(count, block_size_x)\nblock block_size_x\n*/\n");
    e2e_write("templates/copy/mine.cu", text);
    tune(E2E_MINE, 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE op = 'copy' AND template = 'mine' AND "
                           "outcome = 'timed'"),
                 3);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE outcome = 'launch_failed' AND "
                           "instr(log, 'is 0; expected 1 to')"),
                 1);
}

/* ---- more than one launch ---- */

#define COPY(name)                                                                                           \
    "__global__ void " name "(const unsigned *in, unsigned *out, long long b, long long r, long long c)\n"   \
    "{\n    if (b * r * c > threadIdx.x) out[threadIdx.x] = in[threadIdx.x];\n}\n"

static const char TWO[] = "/*!autotune\n"
                          "template mine\n"
                          "param N = 64\n"
                          "arg in out batch rows cols\n"
                          "launch copy_swapped_first grid 1 block N shared 60000\n"
                          "launch copy_second<N> grid rows 1 block N 2 arg out in batch rows cols\n"
                          "*/\n" COPY("copy_swapped_first") "template <int N>\n" COPY("copy_second");

Test(sources, launches_follow_each_other_and_are_timed_together)
{
    e2e_write("templates/copy/mine.cu", TWO);
    e2e_script("log calls\ntime *copy_swapped_first* 64 1000000\ntime *copy_second* 128 3000000\n"
               "kernel *copy_swapped_first* * wrong");
    tune(E2E_MINE, 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM best WHERE abs(median_s - 4e-3) < 1e-4"), 1, "%s", run.out);
    tune("export copy 1000 f32 --templates templates --format json", 0);
    e2e_expect(strstr(run.out, "\"kernel\":\"copy_swapped_first\",") &&
                   strstr(run.out, "\"kernel\":\"copy_second<N>\",") && strstr(run.out, "\"block\":[64,2,1]"),
               run);
    tune("export copy 1000 f32 --templates templates", 0);
    e2e_expect(strstr(run.out, "copy_swapped_first<<<") &&
                   strstr(run.out, "copy_second<N><<<dim3(1, 1, 1), dim3(64, 2, 1)"),
               run);
}

Test(sources, each_launch_must_be_right_in_the_end)
{
    e2e_write("templates/copy/mine.cu", TWO);
    e2e_script("kernel *copy_second* 128 wrong");
    tune(E2E_MINE, 1);
    cr_assert_eq(
        e2e_count("SELECT count(*) FROM trials_all WHERE template = 'mine' AND outcome = 'wrong_result'"), 1);
}

/* ---- one configuration ---- */

Test(sources, run_times_one_configuration_and_stores_nothing)
{
    e2e_script("time *copy_swapped* 128 5000000");
    e2e_tune(&run, E2E_QUICK, "run copy 1000 f32 --templates templates --config 'mine block_size_x=128'");
    e2e_expect(run.code == 0, run);
    e2e_expect(
        strstr(run.out, "mine block_size_x=128 careful=true: 5") && strstr(run.out, " us, ") &&
            strstr(run.out, "registers") && strstr(run.out, "spilled bytes") &&
            strstr(run.out, "occupancy              100 %: 16 blocks, 64 of 64 warps; threads allow no more"),
        run);
    cr_assert(!e2e_has_file("db"));
}

Test(sources, run_says_what_is_wrong)
{
    e2e_script("kernel *copy_swapped* * wrong");
    e2e_tune(&run, E2E_QUICK, "run copy 1000 f32 --config mine --templates templates");
    e2e_expect(run.code == 15 && strstr(run.out, "1 of 4000 bytes differ from the reference"), run);
    e2e_write("src/copy.cu", "__global__ void copy_swapped() { nowhere(); }\n");
    e2e_tune(&run, E2E_QUICK, "run copy 1000 f32 --config mine --templates templates");
    e2e_expect(
        run.code == 15 && strstr(run.out, "src/copy.cu(1): error: identifier \"nowhere\" is undefined"), run);
    e2e_tune(&run, E2E_QUICK, "run copy 1000 f32 --templates templates --config 'mine block_size_x=7'");
    e2e_expect(run.code == 2 && strstr(run.err, "found 'block_size_x=7'; parameter block_size_x of template "
                                                "mine has no such value, it has: 32 64 128 256"),
               run);
    e2e_tune(&run, E2E_QUICK, "run copy 1000 f32 --templates templates --config 'mine block_sise_x=64'");
    e2e_expect(run.code == 2 && strstr(run.err, "did you mean 'block_size_x'?"), run);
    e2e_tune(&run, E2E_QUICK, "run copy 1000 f32 --templates templates --config 'mine 64'");
    e2e_expect(run.code == 2 && strstr(run.err, "found '64'; expected PARAMETER=VALUE"), run);
    e2e_tune(&run, E2E_QUICK, "run copy 1000 f32 --templates templates");
    e2e_expect(run.code == 2 && strstr(run.err, "expected --config"), run);
}

/* How often a text stands in one of the run's outputs by now. */
static int count_in(const char *kind, const char *text)
{
    static char all[1 << 16];
    char path[200];
    int count = 0;
    snprintf(path, sizeof path, "%s/%s.%s", e2e_folder(), kind, run.name);
    FILE *file = fopen(path, "r");
    size_t len = file ? fread(all, 1, sizeof all - 1, file) : 0;
    all[len] = '\0';
    if (file)
        fclose(file);
    for (const char *at = all; (at = strstr(at, text)) != NULL; at++)
        count++;
    return count;
}

static void wait_for(const char *kind, const char *text, int count)
{
    for (int i = 0; i < 60000 && count_in(kind, text) < count; i++)
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    cr_assert_geq(count_in(kind, text), count, "%s: %s", kind, text);
}

/* A header is changed for the worse, then for the better. */
Test(sources, run_watches_what_the_kernel_is_made_of)
{
    e2e_start(&run, E2E_REAL, "run copy 1000 f32 --config mine --templates templates --watch");
    wait_for("err", "waiting for a change", 1);
    wait_for("out", "registers", 1);
    e2e_write("src/inc/access.h", "#define ACCESS(p, i) nowhere\n");
    wait_for("out", "identifier \"nowhere\" is undefined", 1);
    wait_for("err", "waiting for a change", 2);
    e2e_write("templates/copy/mine.cu", "/*!autotune\ntemplate mine\n*/\n");
    wait_for("err", "no template 'mine'", 1);
    wait_for("err", "waiting for a change", 3);
    e2e_write("templates/copy/mine.cu", TEMPLATE);
    e2e_write("src/inc/access.h", "#define ACCESS(p, i) (p)[(i)]\n");
    wait_for("out", "registers", 2);
    wait_for("err", "waiting for a change", 4);
    kill(run.pid, SIGINT);
    e2e_reap(&run);
    e2e_expect(run.code == 130, run);
    e2e_expect_no_process();
}
