/* test_ahead.c - headers that are compiled ahead: which lines, the same code, and nothing is left behind. */
#include "compile/ahead.h"
#include "compile/pool.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEAD      "// autotune 0.1.0: t.cu, hash 0\n#define AUTOTUNE_RENDERED 1\nusing T = float;\n"
#define CONSTANTS "constexpr int N = 4;\n#line 1 \"t.cu\"\n"
#define CUB       "#include <cub/block/block_reduce.cuh>\n"
#define GROUPS    "#include <cooperative_groups.h>\n"

static char root[64];

static void set_up(void)
{
    TEMPORARY(root, "test");
    cr_assert_not_null(mkdtemp(root));
    setenv("TMPDIR", root, 1);
    setenv("AUTOTUNE_EXE", AT_WORKER, 1);
}

static void tear_down(void)
{
    rmdir(root); /* it is empty, or a test says so */
}

TestSuite(ahead, .init = set_up, .fini = tear_down);

static int count_entries(void)
{
    int count = -2; /* . and .. */
    DIR *dir = opendir(root);
    cr_assert_not_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

/* ---- lines ---- */

Test(ahead, large_headers_at_the_beginning_of_a_text_are_found)
{
    static const struct {
        const char *text, *lines;
    } ROWS[] = {
        { HEAD CONSTANTS CUB "__global__ void k() {}\n", CUB },
        { HEAD CONSTANTS "/*!autotune\ntemplate t\n*/\n\n// why\n" CUB GROUPS, CUB GROUPS },
        { HEAD CONSTANTS "#pragma once\n#include <cuda_fp16.h>\n" CUB, CUB },
        { HEAD CONSTANTS "#ifndef AUTOTUNE_RENDERED\n#if 1\nusing T = int;\n#endif\n#endif\n" CUB, CUB },
        { HEAD CONSTANTS "#ifndef ROWS\n#define ROWS 4\n#endif\n" CUB, CUB },
        { HEAD "#define ROWS 4\n" CONSTANTS CUB, CUB },
        { HEAD CONSTANTS "#include <cuda_fp16.h>\n", "" },
        { HEAD CONSTANTS "int code;\n" CUB, "" },
        { HEAD CONSTANTS "#if N > 1\n" CUB "#endif\n", "" },
        { HEAD CONSTANTS "#ifndef ROWS\n" CUB "#endif\n", "" },
        { HEAD CONSTANTS "#include \"mine.h\"\n" CUB, "" },
        { HEAD CONSTANTS "#define _CG_ABI_EXPERIMENTAL\n" GROUPS, "" },
        { HEAD "#define CUB_STDERR 1\n" CONSTANTS CUB, "" },
        { HEAD CONSTANTS "#include <cub/block\n", "" },
        { HEAD CONSTANTS "/* no end", "" },
        { HEAD CONSTANTS "#ifndef AUTOTUNE_RENDERED\n", "" },
        { HEAD, "" },
        { "", "" },
        { "#", "" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        atx_str lines = { 0 };
        atx_ahead_lines(&lines, ROWS[i].text, NULL, 0);
        cr_assert_str_eq(atx_str_text(&lines), ROWS[i].lines, "%zu: %s", i, atx_str_text(&lines));
        atx_str_clear(&lines);
    }
}

#define NOTED "// autotune\n//!autotune headers 00 <lib/a.h> <lib/b.h>\n" HEAD

/* What they ask for is not known: a macro that stands before them may be meant for them. */
Test(ahead, headers_of_the_user_are_large_by_what_they_reach_and_stay_behind_macros)
{
    static const struct {
        const char *text;
        size_t bytes;
        const char *lines;
    } ROWS[] = {
        { NOTED CONSTANTS "#include <lib/a.h>\n", 1 << 20, "#include <lib/a.h>\n" },
        { NOTED CONSTANTS "#include \"lib/b.h\"\n" CUB, 1 << 20, "#include <lib/b.h>\n" CUB },
        { NOTED CONSTANTS "#include <lib/a.h>\n", 1 << 10, "" },
        { NOTED CONSTANTS "#include <lib/a.h>\n" CUB, 1 << 10, "#include <lib/a.h>\n" CUB },
        { NOTED CONSTANTS "#include <lib/c.h>\n" CUB, 1 << 20, CUB },
        { NOTED "#define ROWS 4\n" CONSTANTS "#include <lib/a.h>\n", 1 << 20, "" },
        { NOTED CONSTANTS CUB "#define LIB 1\n#include <lib/a.h>\n" GROUPS, 1 << 20, CUB },
        { HEAD CONSTANTS "#include <lib/a.h>\n", 1 << 20, "" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        atx_str lines = { 0 };
        atx_ahead_lines(&lines, ROWS[i].text, NULL, ROWS[i].bytes);
        cr_assert_str_eq(atx_str_text(&lines), ROWS[i].lines, "%zu: %s", i, atx_str_text(&lines));
        atx_str_clear(&lines);
    }
}

/* ---- folders ---- */

static void touch(const char *folder)
{
    char path[300];
    snprintf(path, sizeof path, "%s/k.pch", folder);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fclose(file);
}

static atx_ahead open_folder(void)
{
    atx_ahead ahead;
    atx_ahead_open(&ahead, 1);
    if (!ahead.path.len)
        cr_skip_test("the disk is nearly full");
    return ahead;
}

Test(ahead, a_folder_is_removed_with_all_that_is_in_it)
{
    atx_str own = { 0 }, other = { 0 };
    atx_ahead ahead = open_folder();
    cr_assert_eq(strncmp(ahead.path.data, root, strlen(root)), 0, "%s", ahead.path.data);
    atx_ahead_own_make(&own, ahead.path.data, 123);
    atx_ahead_own_make(&other, ahead.path.data, 124);
    touch(own.data);
    touch(other.data);
    atx_ahead_own_remove(&ahead, 123);
    cr_assert(access(own.data, F_OK) != 0 && access(other.data, F_OK) == 0);
    atx_ahead_own_remove(&ahead, 123);
    atx_ahead_close(&ahead);
    cr_assert_eq(count_entries(), 0);
    atx_ahead_close(&ahead);
    atx_str_clear(&own);
    atx_str_clear(&other);
}

Test(ahead, where_no_folder_can_be_made_or_the_disk_is_small_there_is_none)
{
    atx_ahead ahead;
    atx_ahead_open(&ahead, 1 << 30);
    cr_assert_eq(ahead.path.len, 0);
    cr_assert_eq(count_entries(), 0);
    setenv("TMPDIR", "/nowhere/at/all", 1);
    atx_ahead_open(&ahead, 1);
    cr_assert_eq(ahead.path.len, 0);
}

/* Whoever is next removes what a process left that was killed; not what one that runs has. */
Test(ahead, what_a_killed_process_left_is_removed_by_the_next)
{
    int ready[2];
    char made = ' ';
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        atx_ahead ahead;
        atx_str own = { 0 };
        atx_ahead_open(&ahead, 1);
        if (ahead.path.len)
            atx_ahead_own_make(&own, ahead.path.data, 1);
        (void)!write(ready[1], own.len ? "y" : "n", 1);
        for (;;)
            pause();
    }
    cr_assert(child > 0 && read(ready[0], &made, 1) == 1);
    atx_ahead second = open_folder();
    cr_assert_eq(count_entries(), 2, "the other process still runs");
    atx_ahead_close(&second);
    kill(child, SIGKILL);
    cr_assert_eq(waitpid(child, NULL, 0), child);
    cr_assert(made == 'y' && count_entries() == 1);
    atx_ahead third = open_folder();
    cr_assert_eq(count_entries(), 1);
    atx_ahead_close(&third);
    cr_assert_eq(count_entries(), 0);
}

/* ---- compiling ---- */

/* Of kernel number `tag`, which asks for cooperative groups. */
static void add_text(atx_str *out, int tag)
{
    atx_str_addf(out,
                 "using T = float;\nconstexpr int TAG = %d;\n#line 1 \"k.cu\"\n" GROUPS
                 "extern \"C\" __global__ void k(T *p)\n{\n"
                 "    p[cooperative_groups::this_thread_block().thread_rank()] = TAG;\n}\n",
                 tag);
}

static void submit(atx_pool *pool, int tag)
{
    atx_str text = { 0 };
    at_error err = { 0 };
    add_text(&text, tag);
    cr_assert_eq(atx_pool_submit(pool, tag, atx_str_text(&text), "k.cu", 80, ATX_CUBIN, &err), AT_OK, "%s",
                 err.text);
    atx_str_clear(&text);
}

static atx_compiled take(atx_pool *pool)
{
    atx_compiled result;
    at_error err = { 0 };
    while (!atx_pool_take(pool, &result)) {
        atx_pool_wait(pool, NULL, 20);
        cr_assert_eq(atx_pool_pump(pool, &err), AT_OK, "%s", err.text);
    }
    return result;
}

static int count_files(void)
{
    glob_t found = { 0 };
    char pattern[100];
    snprintf(pattern, sizeof pattern, "%s/autotune-ahead-*/*/*.pch", root);
    glob(pattern, 0, NULL, &found);
    int count = (int)found.gl_pathc;
    globfree(&found);
    return count;
}

/* And CCCL, of which cooperative groups are made: a Python wheel of its own. */
static atx_nvrtc *need_nvrtc(void)
{
    atx_nvrtc *nvrtc = NULL;
    bool there = false;
    if (atx_nvrtc_open(&nvrtc, NULL) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    for (int i = 0; atx_nvrtc_headers(nvrtc, i) && !there; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/nv/target", atx_nvrtc_headers(nvrtc, i));
        there = access(path, R_OK) == 0;
    }
    if (!there)
        cr_skip_test("CCCL is not installed beside NVRTC");
    return nvrtc;
}

static atx_pool *open_pool(void)
{
    atx_pool *pool = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_pool_open(&pool, (atx_pool_options){ .workers = 1 }, &err), AT_OK, "%s", err.text);
    return pool;
}

Test(ahead, the_code_is_the_same_and_the_folder_goes_with_the_pool)
{
    atx_nvrtc *nvrtc = need_nvrtc();
    atx_pool *pool = open_pool();
    for (int tag = 1; tag <= 3; tag++) {
        atx_str text = { 0 }, code = { 0 }, log = { 0 };
        atx_resources r;
        bool ok = false;
        submit(pool, tag);
        atx_compiled made = take(pool);
        add_text(&text, tag);
        cr_assert_eq(atx_nvrtc_compile(nvrtc, &ok, &code, &log, &r,
                                       &(atx_nvrtc_source){ text.data, "k.cu", 80, ATX_CUBIN }, NULL),
                     AT_OK);
        cr_assert(ok && made.ok, "%s", atx_str_text(&made.log));
        cr_assert(made.code.len == code.len && memcmp(made.code.data, code.data, code.len) == 0);
        cr_assert_str_eq(atx_str_text(&made.log), atx_str_text(&log));
        cr_assert_eq(made.resources.registers, r.registers);
        atx_compiled_clear(&made);
        atx_str_clear(&text);
        atx_str_clear(&code);
        atx_str_clear(&log);
    }
    if (atof(atx_nvrtc_version(nvrtc)) >= 12.79 && count_entries())
        cr_assert_eq(count_files(), 1, "the header was compiled once");
    atx_pool_close(pool);
    cr_assert_eq(count_entries(), 0, "what was compiled ahead is left");
    atx_nvrtc_close(nvrtc);
}

/* Messages about a wrong kernel have the lines of its file, as ever. */
Test(ahead, a_wrong_kernel_is_refused_in_the_same_words)
{
    static const char WRONG[] =
        "using T = float;\n#line 1 \"k.cu\"\n" GROUPS "__global__ void k(T *p) { q; }\n";
    atx_str code = { 0 }, log = { 0 };
    atx_resources r;
    bool ok = true;
    atx_nvrtc *nvrtc = need_nvrtc();
    atx_pool *pool = open_pool();
    cr_assert_eq(atx_nvrtc_compile(nvrtc, &ok, &code, &log, &r,
                                   &(atx_nvrtc_source){ WRONG, "k.cu", 80, ATX_CUBIN }, NULL),
                 AT_OK);
    cr_assert_eq(atx_pool_submit(pool, 1, WRONG, "k.cu", 80, ATX_CUBIN, NULL), AT_OK);
    atx_compiled made = take(pool);
    cr_assert(!ok && !made.ok && strstr(atx_str_text(&log), "k.cu(2): error"), "%s", atx_str_text(&log));
    cr_assert_str_eq(atx_str_text(&made.log), atx_str_text(&log));
    atx_compiled_clear(&made);
    atx_pool_close(pool);
    atx_nvrtc_close(nvrtc);
    atx_str_clear(&code);
    atx_str_clear(&log);
}
