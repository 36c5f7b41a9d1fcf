/*
 * test_library_packs.c - packs in the library: every size of an operation is answered without a compiler,
 * with a driver that only takes notes (fake_driver.h). That nothing is compiled is sure where there is no
 * NVRTC.
 */
#include "fake_driver.h"
#include "library_support.h"
#include "pack_layout_support.h"

#include "compile/nvrtc.h"
#include "library/library.h"
#include "util/rng.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[600];

static const char *const RANGES[] = { "batch=1..4", "rows=1..8192", "cols=1..8192" };

static void set_up_pack(void)
{
    atx_pack_files files = { 0 };
    set_up();
    packed p = make("transpose", ATX_F32, RANGES, 3, 6, 0);
    write_files(&files, (const atx_pack *[]){ p.pack }, 1);
    snprintf(path, sizeof path, "%s/packed.json", home.path);
    put_text(path, atx_str_text(&files.description));
    atx_pack_files_clear(&files);
    clear(&p);
}

TestSuite(library_packs, .init = set_up_pack, .fini = tear_down);

enum { OUT = 0x10000000, IN = 0x60000000 };

static at_status run(at_tuner *tuner, int64_t rows, int64_t cols, at_error *err)
{
    at_problem problem = TUNED;
    const at_buffer buffers[] = { { (void *)(uintptr_t)OUT, 0 }, { (void *)(uintptr_t)IN, 0 } };
    problem.sizes[0] = rows;
    problem.sizes[1] = cols;
    return at_run(tuner, &problem, buffers, 2, NULL, NULL, err);
}

static at_tuner *open_with(at_open_options options)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    options.packs = path;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    fake_use_context(1);
    return tuner;
}

static at_tuner *open_without_compiler(void)
{
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    setenv("AUTOTUNE_NVRTC", "/nowhere/libnvrtc.so", 1);
    options.no_compile = 1;
    return open_with(options);
}

/* Also more than stay prepared. */
Test(library_packs, every_size_runs_without_a_compiler_by_few_kernels)
{
    enum { CALLS = 3000 }; /* 1024 stay */
    at_error err = { 0 };
    atx_rng rng = { 5 };
    at_tuner *tuner = open_without_compiler();
    for (int i = 0; i < CALLS; i++) {
        const int64_t rows = 1 + (int64_t)atx_rng_below(&rng, 9000),
                      cols = 1 + (int64_t)atx_rng_below(&rng, 9000);
        cr_assert_eq(run(tuner, rows, cols, &err), AT_OK, "%ldx%ld: %s", (long)rows, (long)cols, err.text);
        const fake_record r = fake_read();
        const int64_t expected[] = { OUT, IN, 1, rows, cols };
        cr_assert_eq(memcmp(r.params, expected, sizeof expected), 0);
    }
    cr_assert_eq(fake_read().launches, CALLS);
    cr_assert_leq(fake_read().loads, 6, "a kernel is loaded once for all sizes");
    at_close(tuner);
}

Test(library_packs, what_answers_is_told)
{
    const at_found *used = NULL;
    at_error err = { 0 };
    at_tuner *tuner = open_without_compiler();
    cr_assert_eq(at_prepare(&used, tuner, &TUNED, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(used->match, AT_MATCH_PREDICTED);
    cr_assert_str_eq(used->origin, "pack packed");
    cr_assert_str_eq(used->device, "NVIDIA H200");
    cr_assert(used->expected_loss > 0 && used->expected_loss < 1);
    cr_assert(strstr(used->why, "a kernel of a pack"), "%s", used->why);
    at_close(tuner);
}

Test(library_packs, what_no_pack_has_is_said_and_never_compiled)
{
    at_error err = { 0 };
    at_problem other = TUNED;
    other.type = AT_TYPE_F64;
    at_tuner *tuner = open_without_compiler();
    cr_assert_eq(at_prepare(NULL, tuner, &other, NULL, &err), AT_ERR_NOT_FOUND, "%s", err.text);
    cr_assert(strstr(err.text, "no pack has a kernel for these sizes"), "%s", err.text);
    at_close(tuner);
}

Test(library_packs, an_environment_variable_forbids_compiling_and_names_packs)
{
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    setenv("AUTOTUNE_NO_COMPILE", "1", 1);
    setenv("AUTOTUNE_NVRTC", "/nowhere/libnvrtc.so", 1);
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    fake_use_context(1);
    cr_assert_eq(run(tuner, 100, 100, &err), AT_ERR_NOT_FOUND, "%s", err.text);
    at_close(tuner);
    setenv("AUTOTUNE_PACKS", home.path, 1); /* a folder: all of its NAME.json */
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    cr_assert_eq(run(tuner, 100, 100, &err), AT_OK, "%s", err.text);
    at_close(tuner);
    setenv("AUTOTUNE_PACKS", "/nowhere/packs", 1);
    cr_assert_eq(at_open(&tuner, &options, &err), AT_ERR_INPUT, "%s", err.text);
    options.no_environment = 1;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    at_close(tuner);
}

/* A winner of the very problem is better, where it may be compiled; else the pack is there. */
Test(library_packs, a_problems_own_winner_goes_first_unless_it_must_be_compiled)
{
    const at_found *used = NULL;
    at_error err = { 0 };
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    at_close(tuner_with_winner());
    options.database = home.db;
    options.no_compile = 1;
    at_tuner *tuner = open_with(options);
    cr_assert_eq(at_prepare(&used, tuner, &TUNED, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_str_eq(used->origin, "pack packed");
    at_close(tuner);
    options.no_compile = 0;
    tuner = open_with(options);
    const at_status status = at_prepare(&used, tuner, &TUNED, NULL, &err);
    if (status == AT_OK && used->match != AT_MATCH_EXACT)
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
    cr_assert_str_eq(used->origin, "database");
    at_close(tuner);
}

/* What `--source` writes beside its NAME.cu describes kernels, and has none. */
Test(library_packs, a_description_without_code_is_refused)
{
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    atx_pack_files files = { 0 };
    packed p = make("transpose", ATX_F32, RANGES, 3, 2, 0);
    atx_pack_compiled sources;
    cr_assert_eq(atx_pack_take_sources(&sources, p.pack, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_pack_write(&files, &sources, 1, "packed", "autotune pack", &err), AT_OK, "%s", err.text);
    put_text(path, atx_str_text(&files.description));
    options.packs = path;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "has no code: it belongs to a pack of sources"), "%s", err.text);
    atx_pack_files_clear(&files);
    atx_pack_compiled_clear(&sources);
    clear(&p);
}

/* Packs are for dense buffers. */
Test(library_packs, views_are_not_a_packs)
{
    at_error err = { 0 };
    at_problem view = TUNED;
    view.pitches[0] = 4096;
    at_tuner *tuner = open_without_compiler();
    cr_assert_eq(at_prepare(NULL, tuner, &view, NULL, &err), AT_ERR_NOT_FOUND, "%s", err.text);
    at_close(tuner);
}

/* In the place of the other pack: of permutations, whose kernels have arguments of their own. */
static void put_permutations(void)
{
    atx_catalog *catalog = NULL;
    atx_pack_files files = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    atx_pack_domain domain = read_problems(catalog, "permute 64x48x32 2,1,0\n");
    atx_pack *pack = make_permutations(catalog, &domain);
    write_files(&files, (const atx_pack *[]){ pack }, 1);
    put_text(path, atx_str_text(&files.description));
    atx_pack_files_clear(&files);
    atx_pack_close(pack);
    atx_pack_domain_clear(&domain);
    atx_catalog_close(catalog);
}

Test(library_packs, permutations_run_without_a_compiler)
{
    static const int TURNED[] = { 2, 1, 0 }, ROWS_STAY[] = { 1, 0, 2 };
    const at_buffer buffers[] = { { (void *)(uintptr_t)OUT, 0 }, { (void *)(uintptr_t)IN, 0 } };
    at_error err = { 0 };
    at_problem problem = AT_PROBLEM_INIT;
    put_permutations();
    at_tuner *tuner = open_without_compiler();
    for (int64_t n = 20; n < 60; n++) {
        const int64_t extents[] = { n, 3, 32 };
        cr_assert_eq(at_permute(&problem, AT_TYPE_F32, 3, extents, n % 2 ? TURNED : ROWS_STAY, &err), AT_OK);
        cr_assert_eq(at_run(tuner, &problem, buffers, 2, NULL, NULL, &err), AT_OK, "%s", err.text);
        const fake_record r = fake_read();
        cr_assert(r.params[0] == OUT && r.params[1] == IN);
        /* `gather` counts vectors of four elements: others for each problem. */
        if (n % 2 == 0)
            cr_assert_eq(r.params[2] & 0xffffffff, 24 * n, "%ld", (long)n);
    }
    cr_assert_leq(fake_read().loads, 4, "a kernel is loaded once for all");
    at_close(tuner);
}

static void expect_text(const char *file_path, const char *expected)
{
    char text[512] = "";
    FILE *file = fopen(file_path, "r");
    cr_assert(file, "%s", file_path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    cr_assert_str_eq(text, expected);
}

/* What a pack for this program is chosen by: each problem once it is asked for, and in the end how often. */
Test(library_packs, what_is_asked_for_is_logged)
{
    static const int64_t ROWS[] = { 1024, 96, 1024, 1024 };
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    at_error err = { 0 };
    char asked[512];
    snprintf(asked, sizeof asked, "%s/asked.txt", home.path);
    options.log_shapes = asked;
    options.no_compile = 1;
    at_tuner *tuner = open_with(options);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        cr_assert_eq(run(tuner, ROWS[i], 2048, &err), AT_OK, "%s", err.text);
    expect_text(asked, "transpose 1024x2048 f32\ntranspose 96x2048 f32\n");
    at_close(tuner);
    expect_text(asked, "transpose 1024x2048 f32\ntranspose 96x2048 f32\ntranspose 1024x2048 f32 calls=2\n");
    options.log_shapes = "/nowhere/at/all.txt";
    cr_assert_eq(at_open(&tuner, &options, &err), AT_ERR_USAGE);
    cr_assert(strstr(err.text, "log_shapes: found '/nowhere/at/all.txt'"), "%s", err.text);
}

/* ---- packs that are installed with the library ---- */

/* As if `path` were installed with it: packs that nobody named. */
static at_tuner *open_installed(void)
{
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    at_error err = { 0 };
    atx_nvrtc *nvrtc = NULL;
    if (atx_nvrtc_open(&nvrtc, &err) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    atx_nvrtc_close(nvrtc);
    at_tuner *tuner = open_with(options);
    tuner->packs.by_default = tuner->packs.read = true;
    return tuner;
}

/* The kernel that the next launch would take: that of a pack? */
static bool runs_a_pack(at_tuner *tuner, int64_t rows)
{
    at_error err = { 0 };
    cr_assert_eq(run(tuner, rows, 512, &err), AT_OK, "%s", err.text);
    for (size_t i = 0; i < tuner->table.bucket_count; i++)
        for (const atx_prepared *p = tuner->table.buckets[i]; p; p = p->next)
            if (p->problem.sizes[0] == rows && !p->replaced)
                return p->finding->packed;
    cr_assert_fail("the problem is not prepared");
    return false;
}

static void wait_for_compiler(at_tuner *tuner)
{
    for (bool served = true; served; usleep(1000)) {
        pthread_mutex_lock(&tuner->later.mutex);
        served = tuner->later.is_served;
        pthread_mutex_unlock(&tuner->later.mutex);
    }
}

Test(library_packs, an_installed_pack_answers_until_the_kernel_is_compiled)
{
    at_tuner *tuner = open_installed();
    for (int i = 0; i < 3; i++)
        cr_expect(runs_a_pack(tuner, 300 + i), "the first call of a shape compiles nothing");
    wait_for_compiler(tuner);
    for (int i = 0; i < 3; i++)
        cr_expect_not(runs_a_pack(tuner, 300 + i));
    at_close(tuner);
    tuner = open_installed(); /* what the cache has is no slower to load than a pack's kernel */
    cr_expect_not(runs_a_pack(tuner, 301));
    at_close(tuner);
}

/* A program may meet ever-new sizes: first calls wait for no compiler, however many there were. */
Test(library_packs, so_it_does_after_any_number_of_shapes)
{
    at_tuner *tuner = open_installed();
    tuner->packs.kept = ATX_PACKED_KEPT;
    cr_expect(runs_a_pack(tuner, 310));
    cr_expect_eq(tuner->packs.kept, (size_t)ATX_PACKED_KEPT, "the shape's own kernel takes its place");
    wait_for_compiler(tuner);
    cr_expect_not(runs_a_pack(tuner, 310));
    at_close(tuner);
}

/* Jobs have their sources: there may not be any number of them. */
Test(library_packs, while_too_many_kernels_wait_for_the_compiler_a_call_asks_for_no_other)
{
    enum { TOO_MANY = 1024 };
    at_error err = { 0 };
    at_tuner *tuner = open_installed();
    pthread_mutex_lock(&tuner->later.mutex);
    tuner->later.count = TOO_MANY;
    pthread_mutex_unlock(&tuner->later.mutex);
    cr_assert_eq(run(tuner, 320, 512, &err), AT_OK, "%s", err.text);
    cr_expect_null(tuner->codes, "nothing was compiled");
    cr_expect_null(tuner->later.first);
    pthread_mutex_lock(&tuner->later.mutex);
    tuner->later.count = 0;
    pthread_mutex_unlock(&tuner->later.mutex);
    cr_expect(runs_a_pack(tuner, 320));
    wait_for_compiler(tuner);
    cr_expect_not(runs_a_pack(tuner, 320), "the next call asked for it");
    at_close(tuner);
}

/* A graph keeps what is captured; who prepares ahead has the time to compile. */
Test(library_packs, who_captures_or_prepares_gets_the_kernel_itself)
{
    const at_found *used = NULL;
    at_error err = { 0 };
    at_problem problem = TUNED;
    at_tuner *tuner = open_installed();
    problem.sizes[0] = 500;
    problem.sizes[1] = 512;
    pthread_mutex_lock(&tuner->later.mutex); /* the thread does not begin */
    tuner->later.is_served = true;
    pthread_mutex_unlock(&tuner->later.mutex);
    cr_expect(runs_a_pack(tuner, 400));
    cr_expect(runs_a_pack(tuner, 400));
    fake_capture(1);
    cr_expect_not(runs_a_pack(tuner, 400), "which the pack answered before");
    cr_expect_not(runs_a_pack(tuner, 401));
    fake_capture(0);
    cr_expect_not(runs_a_pack(tuner, 400));
    cr_expect(runs_a_pack(tuner, 500));
    cr_assert_eq(at_prepare(&used, tuner, &problem, NULL, &err), AT_OK, "%s", err.text);
    cr_expect_str_neq(used->origin, "pack packed");
    cr_expect_not(runs_a_pack(tuner, 500));
    at_close(tuner); /* with jobs that wait */
}

/* ---- the program's end ---- */

static at_tuner *ending;

/* exit() calls it after the library's guard, which is registered later, and before NVRTC's own handlers. */
static void expect_no_thread(void)
{
    if (ending->later.has_thread)
        _exit(3);
}

/* exit() takes NVRTC's data away, which the thread that compiles uses. The first child shows for certain that
 * exit() waits for the thread before that; the others, that NVRTC does not crash, after each of these times.
 */
Test(library_packs, a_program_may_end_while_kernels_are_compiled)
{
    enum { CHILDREN = 8, SHAPES = 40 };
    for (int i = 0; i < CHILDREN; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            if (i == 0)
                make_nvrtcs_data();
            ending = open_installed();
            if (i == 0)
                atexit(expect_no_thread);
            for (int k = 0; k < SHAPES; k++)
                runs_a_pack(ending, 600 + SHAPES * i + k);
            usleep((unsigned)i * 20000);
            exit(0);
        }
        cr_assert_eq(waitpid(child, &status, 0), child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == WITHOUT_NVRTC)
            cr_skip_test("NVRTC is not installed");
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "after %d ms: status %x", 20 * i, status);
    }
}
