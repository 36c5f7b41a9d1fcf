/*
 * test_library.c - <autotune/autotune.h> as other programs see it, with a driver that only takes notes (see
 * fake_driver.h) and real compilations. The core's headers serve to fill databases.
 */
#include <autotune/autotune.h>
#include "catalog.h"
#include "fake_driver.h"
#include "store_support.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <time.h>

#define CONFIG "TILE=32 BLOCK_ROWS=8 PAD=1 UNROLL=yes ORDER=in_fast" /* of tile_rows */

static const at_problem TUNED = {
    .op = "transpose", .type = AT_F32, .size_count = 2, .sizes = { 1024, 2048 }
};
static const at_target ON_H200 = { 1, "NVIDIA H200", 90, 132 };

/* Every test has a folder of its own; nothing of the user's is read or written. */
static folder home;

static void set_up(void)
{
    home = folder_make();
    set_or_unset("HOME", home.path);
    set_or_unset("AUTOTUNE_DB", NULL);
    set_or_unset("AUTOTUNE_CACHE", NULL);
    set_or_unset("XDG_DATA_HOME", NULL);
    set_or_unset("XDG_CACHE_HOME", NULL);
}

static void tear_down(void)
{
    folder_remove(&home);
}

TestSuite(library, .init = set_up, .fini = tear_down);

static void put_winner(const char *shape, int64_t elements, const char *device, int sms)
{
    at_error err = { 0 };
    at__catalog *catalog = NULL;
    int64_t run = 0;
    at__store *store = open_ok(home.db, AT__STORE_WRITE);
    cr_assert_eq(at__catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    const at__template *t =
        at__catalog_find_template(catalog, at__catalog_find_op(catalog, "transpose"), "tile_rows");
    const at__problem_key key = { "transpose", shape, "b4", elements, 8 * elements };
    const at__fingerprint f = { .cc = 90, .sms = sms, .memory_mib = 143155, .driver = "580", .cold = true };
    at__fingerprint with_name = f;
    snprintf(with_name.device, sizeof with_name.device, "%s", device);
    at__winner w = winner_of(CONFIG, 10e-6);
    w.template_name = t->name;
    w.template_hash = t->hash;
    w.grid[0] = elements / 1024;
    const at__run_info info = { .command = "", .strategy = "auto", .seed = 1, .device_uuid = "", .host = "" };
    cr_assert_eq(at__store_begin_run(&run, store, &info, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at__store_put_source(store, t->hash, t->file, t->source, t->source_len, &err), AT_OK);
    cr_assert_eq(at__store_put_winner(store, run, &key, &with_name, &w, &err), AT_OK, "%s", err.text);
    at__store_close(store);
    at__catalog_close(catalog);
}

static at_tuner *open_tuner(void)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    options.database = home.db;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    return tuner;
}

static at_tuner *tuner_with_winner(void)
{
    put_winner("1024x2048", 1024 * 2048, "NVIDIA H200", 132);
    return open_tuner();
}

static at_found *find_ok(at_tuner *tuner, at_problem problem, const at_target *target)
{
    at_error err = { 0 };
    at_found *found = NULL;
    cr_assert_eq(at_find(&found, tuner, &problem, target, &err), AT_OK, "%s", err.text);
    return found;
}

/* ---- opening ---- */

Test(library, says_its_version)
{
    cr_assert_str_eq(at_version(), "0.1.0");
    cr_assert_eq(at_version_number(), AT_VERSION_NUMBER);
}

Test(library, names_and_reads_types)
{
    at_type type = AT_U8;
    cr_assert_str_eq(at_type_name(AT_BF16), "bf16");
    cr_assert_str_eq(at_type_name((at_type)99), "");
    cr_assert_eq(at_type_bytes(AT_C128), 16);
    cr_assert_eq(at_type_parse(&type, "float64", NULL), AT_OK);
    cr_assert_eq(type, AT_F64);
    cr_assert_eq(at_type_parse(&type, "f33", NULL), AT_ERR_INPUT);
}

Test(library, does_not_open_a_database_that_is_not_there)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    options.database = home.db;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_ERR_NOT_FOUND);
    cr_assert(strstr(err.text, home.db), "%s", err.text);
    options.version = 2;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_ERR_USAGE);
    cr_assert_null(tuner);
    at_close(NULL);
}

Test(library, does_not_open_what_is_no_database)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    FILE *file = fopen(home.db, "w");
    fputs("this is a text, and longer than the hundred bytes that tell what a file of SQLite's own is made "
          "of and by whom\n",
          file);
    fclose(file);
    options.database = home.db;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_ERR_STORE, "%s", err.text);
}

Test(library, without_a_default_database_nothing_is_known)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    cr_assert_eq(at_open(&tuner, NULL, &err), AT_OK, "%s", err.text);
    at_found *found = find_ok(tuner, TUNED, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_NONE);
    cr_assert(strstr(found->why, "no such database"), "%s", found->why);
    cr_assert(strstr(found->why, "not measured"), "%s", found->why);
    cr_assert_str_eq(found->template_name, "tile_vec");
    cr_assert_eq(found->median_s, 0);
    cr_assert_gt(found->grid[0], 0);
    at_found_close(found);

    found = find_ok(tuner, TUNED, NULL);
    cr_assert_null(found->template_name, "no device, no limits to check against");
    cr_assert_str_eq(found->config, "");
    char *source = NULL;
    cr_assert_eq(at_source(&source, found, &err), AT_ERR_NOT_FOUND);
    at_found_close(found);
    at_close(tuner);
}

/* ---- finding ---- */

Test(library, finds_exactly_what_was_tuned)
{
    at_tuner *tuner = tuner_with_winner();
    at_found *found = find_ok(tuner, TUNED, NULL);
    cr_assert_eq(found->match, AT_MATCH_EXACT, "%s", found->why);
    cr_assert_str_eq(found->why, "");
    cr_assert_str_eq(found->op, "transpose");
    cr_assert_str_eq(found->shape, "1024x2048");
    cr_assert_str_eq(found->type, "f32");
    cr_assert_str_eq(found->device, "NVIDIA H200");
    cr_assert_eq(found->cc, 90);
    cr_assert_eq(found->sms, 132);
    cr_assert_str_eq(found->template_name, "tile_rows");
    cr_assert_str_eq(found->config, CONFIG);
    cr_assert_eq(found->grid[0], 32 * 64);
    cr_assert_eq(found->block[0], 32);
    cr_assert_eq(found->block[1], 8);
    cr_assert_float_eq(found->median_s, 10e-6, 1e-12);
    cr_assert_float_eq(found->gb_per_s, 8e-9 * 1024 * 2048 / 10e-6, 1e-3);
    cr_assert_str_eq(found->measured_shape, "1024x2048");
    at_found_close(found);
    at_close(tuner);
}

Test(library, tells_the_arguments_of_the_kernel)
{
    at_tuner *tuner = tuner_with_winner();
    at_found *found = find_ok(tuner, TUNED, NULL);
    cr_assert_eq(found->arg_count, 7);
    cr_assert_str_eq(found->args[0].name, "out");
    cr_assert_eq(found->args[0].role, AT_OUTPUT);
    cr_assert_eq(found->args[0].bytes, 4 * 1024 * 2048);
    cr_assert_eq(found->args[1].role, AT_INPUT);
    cr_assert_eq(found->args[3].role, AT_SCALAR);
    cr_assert_eq(found->args[3].bytes, 8);
    cr_assert_eq(found->args[3].value, 1024);
    at_found_close(found);
    at_close(tuner);
}

Test(library, leading_dimensions_are_part_of_the_problem)
{
    at_tuner *tuner = tuner_with_winner();
    at_problem problem = TUNED;
    problem.pitches[0] = 2048; /* as dense */
    at_found *found = find_ok(tuner, problem, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_EXACT);
    at_found_close(found);
    problem.pitches[0] = 2080;
    found = find_ok(tuner, problem, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_NEAR);
    cr_assert_str_eq(found->shape, "1024x2048/2080x1024");
    cr_assert_eq(found->args[1].bytes, 4 * 1024 * 2080);
    cr_assert_eq(found->args[5].value, 2080);
    cr_assert_eq(found->args[6].value, 1024);
    at_found_close(found);
    at_close(tuner);
}

Test(library, types_of_one_size_share_a_result_where_only_bits_move)
{
    at_tuner *tuner = tuner_with_winner();
    at_problem problem = TUNED;
    problem.type = AT_I32;
    at_found *found = find_ok(tuner, problem, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_EXACT);
    cr_assert_str_eq(found->type, "i32");
    at_found_close(found);
    at_close(tuner);
}

/* The template was another one when it won; one trial of the present one is known. */
Test(library, a_winner_that_is_out_of_date_gives_way_to_its_runner_up)
{
    put_winner("1024x2048", 1024 * 2048, "NVIDIA H200", 132);
    at__store *store = open_ok(home.db, AT__STORE_WRITE);
    at__str hash = { 0 };
    at__str_add(&hash, scalar(store, "SELECT hash FROM template").text);
    cr_assert_eq(sqlite3_exec(store->db, "UPDATE template SET hash = 'old'", NULL, NULL, NULL), SQLITE_OK);
    const at__problem_key key = { "transpose", "1024x2048", "b4", 1024 * 2048, 8 * 1024 * 2048 };
    const at__fingerprint f = { "NVIDIA H200", 90, 132, 143155, "580", "", "", true };
    at__trial_row row = trial_of("TILE=64 BLOCK_ROWS=4 PAD=0 UNROLL=no ORDER=in_fast", 11e-6);
    row.template_name = "tile_rows";
    row.template_hash = at__str_text(&hash);
    put_ok(store, &key, &f, &row, 1);
    at__store_close(store);
    at_tuner *tuner = open_tuner();
    at_found *found = find_ok(tuner, TUNED, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_NEAR);
    cr_assert(strstr(found->why, "out of date") && strstr(found->why, "runner-up"), "%s", found->why);
    cr_assert_str_eq(found->config, "TILE=64 BLOCK_ROWS=4 PAD=0 UNROLL=no ORDER=in_fast");
    cr_assert_str_eq(found->measured_shape, "1024x2048");
    cr_assert(found->median_s == 11e-6 && found->ceiling_s == 0);
    at_found_close(found);
    at_close(tuner);
    at__str_clear(&hash);
}

Test(library, another_shape_gets_a_near_answer)
{
    at_tuner *tuner = tuner_with_winner();
    at_found *found = find_ok(
        tuner, (at_problem){ .op = "transpose", .type = AT_F32, .size_count = 2, .sizes = { 1024, 4096 } },
        &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_NEAR, "%s", found->why);
    cr_assert(*found->why);
    cr_assert_str_eq(found->measured_shape, "1024x2048");
    cr_assert_eq(found->grid[0], 32 * 128);
    at_found_close(found);
    at_close(tuner);
}

Test(library, another_device_gets_what_is_known_of_this_one)
{
    at_tuner *tuner = tuner_with_winner();
    const at_target target = { 1, "NVIDIA A100", 80, 108 };
    at_found *found = find_ok(tuner, TUNED, &target);
    cr_assert_eq(found->match, AT_MATCH_OTHER_DEVICE, "%s", found->why);
    cr_assert_str_eq(found->device, "NVIDIA A100");
    cr_assert_eq(found->cc, 80);
    cr_assert_str_eq(found->measured_device, "NVIDIA H200");
    at_found_close(found);
    at_close(tuner);
}

Test(library, sees_what_is_stored_later)
{
    at_tuner *tuner = tuner_with_winner();
    at_problem other = { .op = "transpose", .type = AT_F32, .size_count = 2, .sizes = { 512, 512 } };
    at_found *found = find_ok(tuner, other, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_NEAR);
    at_found_close(found);
    put_winner("512x512", 512 * 512, "NVIDIA H200", 132);
    nanosleep(&(struct timespec){ .tv_nsec = 150000000 }, NULL);
    found = find_ok(tuner, other, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_EXACT, "%s", found->why);
    at_found_close(found);
    at_close(tuner);
}

Test(library, refuses_questions_that_make_no_sense)
{
    static const struct {
        at_problem problem;
        at_status status;
        const char *says;
    } CASES[] = {
        { { .op = "transpos", .type = AT_F32, .size_count = 2, .sizes = { 4, 4 } },
          AT_ERR_INPUT,
          "transpose" },
        { { .op = "transpose", .type = AT_F32, .size_count = 1, .sizes = { 4 } }, AT_ERR_INPUT, "rows" },
        { { .op = "transpose", .type = AT_F32, .size_count = 2, .sizes = { 4, -4 } },
          AT_ERR_INPUT,
          "0 or more" },
        { { .op = "transpose", .type = AT_F32, .size_count = 2, .sizes = { 0, 4 } },
          AT_ERR_INPUT,
          "count > 0" },
        { { .op = "transpose", .type = AT_F32, .size_count = 9, .sizes = { 4 } },
          AT_ERR_USAGE,
          "size_count" },
        { { .op = "transpose", .type = (at_type)77, .size_count = 2, .sizes = { 4, 4 } },
          AT_ERR_USAGE,
          "type" },
        { { .op = NULL, .type = AT_F32, .size_count = 2, .sizes = { 4, 4 } },
          AT_ERR_INPUT,
          "expected one of" },
    };
    at_tuner *tuner = tuner_with_winner();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        at_error err = { 0 };
        at_found *found = NULL;
        cr_assert_eq(at_find(&found, tuner, &CASES[i].problem, NULL, &err), CASES[i].status, "%zu: %s", i,
                     err.text);
        cr_assert(strstr(err.text, CASES[i].says), "%zu: %s", i, err.text);
        cr_assert_null(found);
    }
    at_close(tuner);
}

/* ---- source and code ---- */

Test(library, gives_the_source)
{
    at_tuner *tuner = tuner_with_winner();
    at_found *found = find_ok(tuner, TUNED, NULL);
    char *source = NULL;
    cr_assert_eq(at_source(&source, found, NULL), AT_OK);
    cr_assert(strstr(source, "constexpr int TILE = 32;"));
    cr_assert(strstr(source, found->kernel));
    at_free(source);
    at_found_close(found);
    at_close(tuner);
}

static void *compile_or_skip(size_t *bytes, at_tuner *tuner, const at_found *found, at_code_kind kind)
{
    at_error err = { 0 };
    void *code = NULL;
    at_status status = at_compile(&code, bytes, tuner, found, kind, &err);
    if (status == AT_ERR_DEVICE)
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
    return code;
}

Test(library, compiles_cubins_and_ptx)
{
    at_tuner *tuner = tuner_with_winner();
    at_found *found = find_ok(tuner, TUNED, NULL);
    size_t bytes = 0;
    char *code = compile_or_skip(&bytes, tuner, found, AT_CODE_CUBIN);
    cr_assert_gt(bytes, 1000);
    cr_assert_eq(memcmp(code, "\177ELF", 4), 0);
    at_free(code);
    code = compile_or_skip(&bytes, tuner, found, AT_CODE_PTX);
    cr_assert_eq(strlen(code), bytes);
    cr_assert(strstr(code, ".target sm_90"));
    at_free(code);
    at_found_close(found);
    at_close(tuner);
}

Test(library, keeps_cubins_in_the_cache)
{
    char path[256];
    at_tuner *tuner = tuner_with_winner();
    at_found *found = find_ok(tuner, TUNED, NULL);
    size_t bytes = 0;
    at_free(compile_or_skip(&bytes, tuner, found, AT_CODE_CUBIN));
    at_free(compile_or_skip(&bytes, tuner, found, AT_CODE_CUBIN));
    at_found_close(found);
    at_close(tuner);
    snprintf(path, sizeof path, "%s/.cache/autotune/kernels.db", home.path);
    at__store *cache = open_ok(path, AT__STORE_READ);
    cr_assert_str_eq(scalar(cache, "SELECT count(*) FROM cubin").text, "1");
    cr_assert_str_eq(scalar(cache, "SELECT substr(stored_at, 1, 9) FROM cubin").text, "winner 20",
                     "goes last");
    at__store_close(cache);
}

/* ---- running, with a driver that takes notes ---- */

static void *at_address(uintptr_t address)
{
    return (void *)address;
}

static at_status run_at(at_tuner *tuner, at_problem problem, uintptr_t out, uintptr_t in, at_error *err)
{
    void *const buffers[] = { at_address(out), at_address(in) };
    return at_run(tuner, &problem, buffers, 2, at_address(0x77), err);
}

/* A place for matrices up to 32 MiB. */
enum { OUT = 0x10000000, IN = 0x20000000 };

static void run_or_skip(at_tuner *tuner, at_problem problem)
{
    at_error err = { 0 };
    at_status status = run_at(tuner, problem, OUT, IN, &err);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
}

Test(library, runs_what_was_tuned)
{
    at_error err = { 0 };
    const at_found *used = NULL;
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    fake_record r = fake_read();
    cr_assert_eq(r.launches, 1);
    cr_assert_eq(r.grid[0], 32 * 64);
    cr_assert_eq(r.block[0], 32);
    cr_assert_eq(r.block[1], 8);
    cr_assert_eq(r.stream, at_address(0x77));
    const int64_t expected[] = { OUT, IN, 1, 1024, 2048 };
    cr_assert_eq(memcmp(r.params, expected, sizeof expected), 0);
    cr_assert_eq(at_prepare(&used, tuner, &TUNED, &err), AT_OK, "%s", err.text);
    cr_assert_eq(used->match, AT_MATCH_EXACT);
    cr_assert_str_eq(used->device, "NVIDIA H200");
    cr_assert_str_eq(used->warning, "");
    at_close(tuner);
    cr_assert_eq(fake_read().loads, 1);
    cr_assert_eq(fake_read().unloads, 1);
}

Test(library, runs_right_what_nobody_tuned)
{
    const at_found *used = NULL;
    at_tuner *tuner = NULL;
    at_error err = { 0 };
    at_problem ragged = { .op = "transpose", .type = AT_F32, .size_count = 3, .sizes = { 3, 17, 1000 } };
    cr_assert_eq(at_open(&tuner, NULL, &err), AT_OK, "%s", err.text);
    fake_use_context(1);
    run_or_skip(tuner, ragged);
    cr_assert_eq(at_prepare(&used, tuner, &ragged, &err), AT_OK, "%s", err.text);
    cr_assert_eq(used->match, AT_MATCH_NONE);
    cr_assert(strstr(used->why, "not measured"), "%s", used->why);
    cr_assert_eq(fake_read().params[4], 1000);
    at_close(tuner);
}

Test(library, loads_a_kernel_once_a_context)
{
    at_tuner *tuner = tuner_with_winner();
    at_problem other = TUNED;
    other.type = AT_U32; /* another problem, the same kernel */
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    run_or_skip(tuner, TUNED);
    run_or_skip(tuner, other);
    cr_assert_eq(fake_read().loads, 1);
    fake_use_context(2);
    run_or_skip(tuner, TUNED);
    cr_assert_eq(fake_read().loads, 2);
    cr_assert_eq(fake_read().launches, 4);
    at_close(tuner);
    cr_assert_eq(fake_read().unloads, 1, "kernels of other contexts are left to them");
}

Test(library, does_not_launch_on_buffers_that_cannot_be_right)
{
    static const struct {
        uintptr_t out, in;
        const char *says;
    } CASES[] = {
        { OUT + 2, IN, "buffer 0 begins at a multiple of 2 bytes and no more" },
        { OUT, IN + 129, "expected device memory that is aligned to 4 bytes" },
        { 0, IN, "buffer 0 is NULL" },
        { OUT, OUT, "overlap" },
        { OUT, OUT + 256, "overlap" },
        { OUT + 4 * 1024 * 2048 - 256, OUT, "overlap" },
    };
    at_error err = { 0 };
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        cr_assert_eq(run_at(tuner, TUNED, CASES[i].out, CASES[i].in, &err), AT_ERR_USAGE, "%zu", i);
        cr_assert(strstr(err.text, CASES[i].says), "%zu: %s", i, err.text);
    }
    void *const buffers[] = { at_address(OUT), at_address(IN), at_address(IN) };
    cr_assert_eq(at_run(tuner, &TUNED, buffers, 3, NULL, &err), AT_ERR_USAGE);
    cr_assert_eq(at_run(tuner, &TUNED, NULL, 2, NULL, &err), AT_ERR_USAGE);
    cr_assert_eq(at_run(NULL, &TUNED, buffers, 2, NULL, &err), AT_ERR_USAGE);
    cr_assert_eq(fake_read().launches, 1);
    cr_assert_eq(run_at(tuner, TUNED, OUT + 4 * 1024 * 2048, OUT, &err), AT_OK, "neighbours do not overlap");
    at_close(tuner);
}

Test(library, buffers_may_begin_anywhere_that_suits_their_elements)
{
    at_error err = { 0 };
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    cr_assert_eq(run_at(tuner, TUNED, OUT + 4, IN + 72, &err), AT_OK, "%s", err.text);
    cr_assert_eq(fake_read().params[0], OUT + 4);
    cr_assert_eq(fake_read().params[1], IN + 72);
    cr_assert_eq(fake_read().loads, 1, "of tile_rows, which takes any");
    cr_assert_eq(run_at(tuner, TUNED, OUT + 4, IN + 40, &err), AT_OK, "%s", err.text);
    cr_assert_eq(fake_read().launches, 3);
    at_close(tuner);
}

Test(library, alignment_is_part_of_the_problem)
{
    at_error err = { 0 };
    const at_found *used = NULL;
    put_winner("1024x2048@16x4", 1024 * 2048, "NVIDIA H200", 132);
    at_tuner *tuner = tuner_with_winner();
    at_problem problem = TUNED;
    problem.alignments[0] = 16;
    problem.alignments[1] = 4;
    at_found *found = find_ok(tuner, problem, &ON_H200);
    cr_assert_eq(found->match, AT_MATCH_EXACT, "%s", found->why);
    cr_assert_str_eq(found->shape, "1024x2048@16x4");
    cr_assert_eq(found->args[0].align, 4);
    cr_assert_eq(found->args[1].align, 16);
    at_found_close(found);
    problem.alignments[1] = 0;
    found = find_ok(tuner, problem, &ON_H200);
    cr_assert_str_eq(found->shape, "1024x2048@16x256");
    cr_assert_eq(found->match, AT_MATCH_NEAR);
    at_found_close(found);
    problem.alignments[1] = 3;
    cr_assert_eq(at_find(&found, tuner, &problem, &ON_H200, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "align_out = 3"), "%s", err.text);
    problem.alignments[1] = 4;
    fake_use_context(1);
    run_or_skip(tuner, problem);
    cr_assert_eq(at_prepare(&used, tuner, &problem, &err), AT_OK, "%s", err.text);
    cr_assert_str_eq(used->shape, "1024x2048@16x4", "what was promised, although buffers are better");
    cr_assert_eq(run_at(tuner, problem, OUT + 8, IN + 8, &err), AT_ERR_USAGE, "a broken promise");
    cr_assert(strstr(err.text, "buffer 1 begins at a multiple of 8 bytes and no more; expected device memory "
                               "that is aligned to 16 bytes"),
              "%s", err.text);
    at_close(tuner);
}

Test(library, needs_a_context)
{
    at_error err = { 0 };
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(0);
    cr_assert_eq(run_at(tuner, TUNED, OUT, IN, &err), AT_ERR_USAGE);
    cr_assert(strstr(err.text, "no CUDA context"), "%s", err.text);
    at_close(tuner);
}

Test(library, a_cache_that_cannot_be_used_is_a_warning)
{
    at_error err = { 0 };
    const at_found *used = NULL;
    set_or_unset("AUTOTUNE_CACHE", home.path); /* a folder */
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    cr_assert_eq(at_prepare(&used, tuner, &TUNED, &err), AT_OK);
    cr_assert(strstr(used->warning, home.path), "'%s'", used->warning);
    at_close(tuner);
}

Test(library, so_is_a_limit_of_the_cache_that_makes_no_sense)
{
    at_error err = { 0 };
    const at_found *used = NULL;
    set_or_unset("AUTOTUNE_CACHE_LIMIT", "much");
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    cr_assert_eq(at_prepare(&used, tuner, &TUNED, &err), AT_OK);
    cr_assert(strstr(used->warning, "AUTOTUNE_CACHE_LIMIT: found 'much'"), "'%s'", used->warning);
    at_close(tuner);
    set_or_unset("AUTOTUNE_CACHE_LIMIT", NULL);
}

enum { THREADS = 4, ROUNDS = 25, SHAPES = 8 };

static void *run_many(void *tuner)
{
    size_t failures = 0;
    fake_use_context(1);
    for (int i = 0; i < ROUNDS * SHAPES; i++) {
        at_problem problem = {
            .op = "transpose", .type = AT_F32, .size_count = 2, .sizes = { 1024, 64 * (1 + i % SHAPES) }
        };
        failures += run_at(tuner, problem, OUT, IN, NULL) != AT_OK;
        failures += fake_read().params[4] != problem.sizes[1];
    }
    return (void *)failures;
}

Test(library, serves_many_threads)
{
    pthread_t threads[THREADS];
    at_tuner *tuner = tuner_with_winner();
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, run_many, tuner), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failures = NULL;
        pthread_join(threads[i], &failures);
        cr_assert_null(failures);
    }
    cr_assert_eq(fake_read().launches, 1 + THREADS * ROUNDS * SHAPES);
    cr_assert_eq(fake_read().loads, 1, "all these shapes share one kernel");
    at_close(tuner);
}

/* Well under the 2 microseconds that the header promises; the limit leaves room for sanitizers. */
Test(library, the_second_call_is_quick)
{
    enum { CALLS = 100000 };
    struct timespec from, to;
    at_tuner *tuner = tuner_with_winner();
    void *const buffers[] = { at_address(OUT), at_address(IN) };
    fake_use_context(1);
    run_or_skip(tuner, TUNED);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (int i = 0; i < CALLS; i++)
        cr_assert_eq(at_run(tuner, &TUNED, buffers, 2, NULL, NULL), AT_OK);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    double each_us =
        (1e6 * (double)(to.tv_sec - from.tv_sec) + 1e-3 * (double)(to.tv_nsec - from.tv_nsec)) / CALLS;
    cr_assert_lt(each_us, 10, "%.3f us", each_us);
    at_close(tuner);
}
