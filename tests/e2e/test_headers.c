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
#define TUNE   "tune copy 1000 f32 --template mine --jobs 2" ON
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
    e2e_expect(strstr(run.out, "out of date: its template mine is another one now"), run);
    ask(TUNE, 0);
    cr_assert_eq(e2e_count("SELECT count(DISTINCT template_id) FROM trial"), 2);
    ask("query copy 1000 f32" ON, 0);
    e2e_expect(strstr(run.out, "exact match"), run);
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
    ask("tune copy 1000 f32 --template mine --jobs 2 --templates templates", 0);
    setenv("AUTOTUNE_HEADERS", "nowhere", 1);
    ask("tune copy 1000 f32 --template mine --jobs 2 --templates templates", 2);
    e2e_expect(strstr(run.err, "error: headers: nowhere: No such file"), run);
    ask(TUNE, 0); /* the option goes before it */
}

Test(headers, a_folder_that_is_not_there_is_an_error_before_anything_is_started)
{
    ask("tune copy 1000 f32 --template mine --templates templates --headers inc,gone", 2);
    e2e_expect(strstr(run.err, "error: headers: gone: No such file"), run);
    cr_assert(!e2e_has_file("db"));
}

Test(headers, who_names_no_folder_is_told_of_the_option)
{
    ask("check copy --template mine --templates templates --shape 1000 --dtype f32 --jobs 1", 1);
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
    write_detail("#define AT(p) (p)[0]\n");
    ask("export copy 1000 f32 --format ptx --headers inc", 2);
    e2e_expect(strstr(run.err, "found other headers behind <lib/access.h>"), run);
}
