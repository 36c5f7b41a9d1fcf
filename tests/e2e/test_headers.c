/*
 * test_headers.c - `autotune` with kernels that include what lies in folders of the user's: every process
 * sees them, what was measured is out of date when they change, and nobody but the user names them.
 */
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static e2e_run run;

#define ON     " --templates templates --headers inc"
#define TUNE   "tune copy 1000 f32 --only mine --jobs 1" ON
#define LAUNCH "grid ceil_div(count, N)\nblock N\n"

static const char MINE[] = "/*!autotune\ntemplate mine\noption -default-device\n"
                           "param N = 64 128\n" LAUNCH "*/\n"
                           "#include <lib/access.h>\n"
                           "extern \"C\" __global__ void copy_mine(T *out, const T *in, long long batch,\n"
                           "                                     long long rows, long long cols)\n"
                           "{\n    if (threadIdx.x < cols)\n        out[threadIdx.x] = ACCESS(in);\n}\n";

static void make(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", e2e_folder(), name);
    cr_assert_eq(mkdir(path, 0777), 0);
}

/* What lib/access.h includes in turn. */
static void write_detail(const char *text)
{
    e2e_write("inc/lib/detail.h", text);
}

static void begin(void)
{
    e2e_begin();
    unsetenv("AUTOTUNE_HEADERS");
    make("inc");
    make("inc/lib");
    e2e_write("inc/lib/access.h", "#pragma once\n#include \"detail.h\"\n#define ACCESS(p) AT(p)\n");
    write_detail("#define AT(p) (p)[threadIdx.x]\n");
    e2e_write("templates/copy/mine.cu", MINE);
}

TestSuite(headers, .init = begin, .fini = e2e_end);

static void ask(const char *args, int code)
{
    e2e_tune(&run, E2E_QUICK, args);
    e2e_expect(run.code == code, run);
    e2e_expect_no_process();
}

Test(headers, a_changed_header_puts_a_winner_out_of_date_and_is_measured_anew)
{
    ask(TUNE, 0);
    ask("query copy 1000 f32" ON, 0);
    e2e_expect(strstr(run.out, "exact match"), run);
    ask(TUNE, 0);
    cr_assert_eq(e2e_count("SELECT count(DISTINCT template_id) FROM trial"), 1);
    write_detail("#define AT(p) (p)[threadIdx.x + 0]\n");
    ask("query copy 1000 f32" ON, 0);
    e2e_expect(strstr(run.out,
                      "out of date: its template mine is another one now: found other headers behind "
                      "<lib/access.h> in ") &&
                   strstr(run.out, ": lib/detail.h has changed; expected those, or a new run"),
               run);
    ask(TUNE, 0);
    cr_assert_eq(e2e_count("SELECT count(DISTINCT template_id) FROM trial"), 2);
    ask("query copy 1000 f32" ON, 0);
    e2e_expect(strstr(run.out, "exact match"), run);
}

/* Whoever looks at the winner is told the same. */
static void expect_of_all(const char *options, const char *said)
{
    static const struct {
        const char *args;
        int code;
    } ASKING[] = {
        { "query copy 1000 f32 --exact", 0 },
        { "query copy 1000 f32 --format json", 0 },
        { "query copy 1001 f32", 1 },
        { "export copy 1001 f32", 1 },
        { "show copy 1000 f32", 0 },
        { "verify copy 1000 f32 --device 0", 16 },
        { "export copy 1000 f32 --format ptx -o k.ptx", 2 },
    };
    for (size_t i = 0; i < sizeof ASKING / sizeof *ASKING; i++) {
        char args[300];
        snprintf(args, sizeof args, "%s --templates templates%s", ASKING[i].args, options);
        ask(args, ASKING[i].code);
        e2e_expect(strstr(run.out, said) || strstr(run.err, said), run);
    }
}

Test(headers, whoever_looks_at_a_winner_is_told_which_header_has_changed)
{
    ask(TUNE, 0);
    write_detail("#define AT(p) (p)[threadIdx.x + 0]\n");
    expect_of_all(" --headers inc", "than the kernel was read or measured with: lib/detail.h has changed; "
                                    "expected those, or a new run");
}

Test(headers, whoever_looks_at_a_winner_without_its_folder_is_told_what_was_looked_for_and_where)
{
    ask(TUNE, 0);
    make("other");
    expect_of_all("",
                  "found a kernel that includes <lib/access.h> from a folder that was named before, and none "
                  "is now; expected --headers DIR (`headers` in a program, or AUTOTUNE_HEADERS=DIR)");
    expect_of_all(" --headers other", "found no <lib/access.h>, which a kernel includes, in ");
}

/* An op of the user's whose reference alone includes them. */
Test(headers, a_changed_header_of_an_op_is_named_too)
{
    static const char OP[] =
        "/*!autotune\nop moved\nshape batch=1 rows=1 n\ntype T = f32\n"
        "arg out T[n] output\narg in T[n] input bits\narg batch i64\narg rows i64\narg n i64\n"
        "reference copy_moved\ngrid ceil_div(n, 64)\nblock 64\ncheck exact\n"
        "traffic 2 * n * sizeof(T)\n*/\n#include <lib/access.h>\n"
        "extern \"C\" __global__ void copy_moved(T *out, const T *in, long long batch,\n"
        "                                      long long rows, long long n)\n"
        "{\n    if (threadIdx.x < n)\n        out[threadIdx.x] = ACCESS(in);\n}\n",
                      TEMPLATE[] =
                          "/*!autotune\ntemplate mine\nkernel copy_mine\nparam N = 64 128\n"
                          "grid ceil_div(n, N)\nblock N\n*/\n"
                          "extern \"C\" __global__ void copy_mine(T *out, const T *in, long long batch,\n"
                          "                                     long long rows, long long n)\n{}\n";
    make("ops");
    make("ops/moved");
    e2e_write("ops/moved/op.cu", OP);
    e2e_write("ops/moved/mine.cu", TEMPLATE);
    ask("tune moved 1000 f32 --templates ops --headers inc --jobs 2", 0);
    write_detail("#define AT(p) (p)[threadIdx.x + 0]\n");
    ask("query moved 1000 f32 --templates ops --headers inc", 0);
    e2e_expect(strstr(run.out,
                      "out of date: its operation moved is another one now: found other headers behind "
                      "<lib/access.h> in ") &&
                   strstr(run.out, ": lib/detail.h has changed; expected those, or a new run"),
               run);
    ask("query moved 1000 f32 --templates ops", 0);
    e2e_expect(strstr(run.out, "its operation moved is another one now: found a kernel that includes"), run);
}

/* The cache's kernels are those of the headers that they were compiled with. */
Test(headers, a_changed_header_is_compiled_again)
{
    ask(TUNE, 0);
    write_detail("#define AT(p) nowhere\n");
    ask(TUNE, 1);
    e2e_expect(strstr(run.out, "nowhere") || strstr(run.err, "nowhere"), run);
}

Test(headers, the_environment_names_them_as_well)
{
    setenv("AUTOTUNE_HEADERS", "inc", 1);
    ask("tune copy 1000 f32 --only mine --jobs 1 --templates templates", 0);
    setenv("AUTOTUNE_HEADERS", "nowhere", 1);
    ask("tune copy 1000 f32 --only mine --jobs 1 --templates templates", 2);
    e2e_expect(strstr(run.err, "error: headers: nowhere: No such file"), run);
    ask(TUNE, 0); /* the option goes before it */
}

Test(headers, a_folder_that_is_not_there_is_an_error_before_anything_is_started)
{
    ask("tune copy 1000 f32 --only mine --templates templates --headers inc,gone", 2);
    e2e_expect(strstr(run.err, "error: headers: gone: No such file"), run);
    cr_assert(!e2e_has_file("db"));
}

Test(headers, who_names_no_folder_is_told_of_the_option)
{
    ask("check copy --only mine --templates templates --shape 1000 --dtype f32 --jobs 1", 15);
    e2e_expect(strstr(run.err, "lib/access.h") && strstr(run.err, "--headers DIR"), run);
}

Test(headers, an_export_keeps_the_lines_and_says_what_it_wants)
{
    ask(TUNE, 0);
    e2e_write("templates/copy/mine.cu", "");
    ask("export copy 1000 f32", 0);
    e2e_expect(strstr(run.out, "\n#include <lib/access.h>\n"), run);
    e2e_expect(strstr(run.out, " compile with   -I DIR, which has <lib/access.h>\n"), run);
    e2e_expect(strstr(run.out, " NVRTC only     -default-device: nvcc has no such option"), run);
    e2e_expect(strstr(run.out, " --headers DIR --device 0 --force\n"), run);
    e2e_expect(!strstr(run.out, "//!autotune"), run);
    ask("export copy 1000 f32 --format ptx", 2);
    e2e_expect(strstr(run.err, "<lib/access.h>") && strstr(run.err, "--headers DIR"), run);
    ask("export copy 1000 f32 --format ptx --headers inc", 0);
    ask("export copy 1000 f32 --format json", 0);
    e2e_expect(strstr(run.out, "\"options\":[\"-default-device\"],\"headers\":[\"lib/access.h\"],"), run);
    write_detail("#define AT(p) (p)[0]\n");
    ask("export copy 1000 f32 --headers inc", 0);
    e2e_expect(strstr(run.out, "\n// headers        found other headers behind <lib/access.h> in "), run);
    ask("export copy 1000 f32 --format ptx --headers inc", 2);
    e2e_expect(strstr(run.err, "found other headers behind <lib/access.h>"), run);
}

/* Each kernel is held until the test goes on, so that most are not compiled yet. */
Test(headers, a_header_that_is_replaced_while_tuning_runs_ends_the_run_and_is_named)
{
    static const char MANY[] =
        "/*!autotune\ntemplate mine\noption -default-device\n"
        "param N = 32 64 96 128 160 192 224 256 288 320 352 384 416 448 480 512\n"
        "param M = 1 2 3 4 5 6 7 8\n" LAUNCH "*/\n"
        "#include <lib/access.h>\n"
        "extern \"C\" __global__ void copy_mine(T *out, const T *in, long long batch,\n"
        "                                     long long rows, long long cols)\n"
        "{\n    if (threadIdx.x < cols)\n        out[threadIdx.x] = ACCESS(in) + N + M;\n}\n";
    char script[300];
    e2e_write("templates/copy/mine.cu", MANY);
    snprintf(script, sizeof script, "hold copy_mine %s/go", e2e_folder());
    e2e_script(script);
    e2e_start(&run, E2E_QUICK, "tune copy 1000 f32 --only mine --jobs 1" ON);
    e2e_wait_for_rows(&run, "SELECT count(*) FROM trial", 1);
    write_detail("#define AT(p) (p)[threadIdx.x + 0]\n");
    e2e_write("go", "");
    e2e_wait(&run);
    e2e_expect(run.code == 1, run);
    e2e_expect(strstr(run.out, "no winner: found other headers") &&
                   strstr(run.out, "than the kernel was read or measured with: lib/detail.h has changed"),
               run);
    e2e_expect_no_process();
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'compile_failed'"), 0);
    ask("tune copy 1000 f32 --only mine --jobs 1 --max-trials 3" ON, 0);
    cr_assert_eq(e2e_count("SELECT count(DISTINCT template_id) FROM trial"), 2);
}
