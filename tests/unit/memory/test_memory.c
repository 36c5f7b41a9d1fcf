/*
 * test_memory.c - every allocation in turn fails: each call must say so, leave nothing behind and not crash,
 * or come to what it comes to undisturbed: what could not be kept must not be missing without a word. Linked
 * with --wrap for the allocator, so the sanitizers still watch. Of kernels: test_memory_kernels.c.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "declare_support.h"
#include "memory_support.h"
#include "store_support.h"
#include "cut/cut.h"
#include "db/store.h"
#include "declare/declare_common.h"
#include "exchange/import.h"
#include "exchange/t4.h"
#include "html/report.h"
#include "lang/arch.h"
#include "lang/catalog.h"
#include "lang/render.h"
#include "lookup/lookup.h"
#include "search/strategy.h"
#include "source/headers.h"
#include "space/space.h"
#include "temporary.h"

static void count_template(const atx_template *t)
{
    count(t->scope.require_count);
    count(t->scope.let_count);
    for (int i = 0; i < t->scope.param_count; i++)
        count((size_t)t->scope.params[i].count + (size_t)t->scope.defaults[i]);
}

static at_status read_both(at_error *err)
{
    static const char OP[] = MINI_OP_HEAD "type T = f32\nceiling copy rows cols\nshared 1\n" MINI_OP_TAIL;
    static const char COMMON[] = "/*!autotune\ncommon shared # s\n*/\n";
    static const char BUNDLE[] =
        "//!autotune common shared 33\n/*!autotune\ncommon shared # s\n*/\n" MINI_SPACE("use shared\n");
    static const char TEMPLATE[] = MINI_TEMPLATE("use shared\nparam A = 1..20 # m\nparam B = x y\nlet c = A "
                                                 "+ 1 # c\nrequire c > B && (A < 10 || B) # r\n"
                                                 "grid A c\nblock 1\nshared c\ndefault A=2 B=y\n");
    atx_op *op = NULL;
    atx_template *t = NULL;
    atx_commons commons = { 0 };
    at_status status = atx_op_read(&op, OP, strlen(OP), "op.cu", err);
    if (status == AT_OK)
        status = atx_commons_add(&commons, COMMON, strlen(COMMON), "shared.cuh", err);
    if (status == AT_OK)
        status = atx_template_read_with(&t, op, &commons, TEMPLATE, strlen(TEMPLATE), "t.cu", err);
    if (status == AT_OK)
        count_template(t);
    atx_template_close(t);
    t = NULL;
    if (status == AT_OK)
        status = atx_template_read(&t, op, BUNDLE, strlen(BUNDLE), "t.cu", err);
    if (status == AT_OK)
        count_template(t);
    atx_template_close(t);
    atx_commons_clear(&commons);
    atx_op_close(op);
    return status;
}

Test(memory, declarations)
{
    fail_each(read_both);
}

/* What a template does not mention is a requirement of its own, which must not get lost. */
static at_status read_aligned(at_error *err)
{
    static const char OP[] =
        "/*!autotune\nop mini\nshape n\ntype T = f32\narg y T[n] output\narg x T[n] input\n"
        "align align_y = y\nalign align_x = x\nreference r\ngrid 1\nblock 1\ntraffic n\n*/ r";
    static const char TEMPLATE[] = MINI_SPACE("param A = 1 2\nrequire align_x >= 4 * A\n");
    atx_op *mini = NULL;
    atx_template *aligned = NULL;
    at_status status = atx_op_read(&mini, OP, strlen(OP), "op.cu", err);
    if (status == AT_OK)
        status = atx_template_read(&aligned, mini, TEMPLATE, strlen(TEMPLATE), "t.cu", err);
    if (status == AT_OK)
        count_template(aligned);
    atx_template_close(aligned);
    atx_op_close(mini);
    return status;
}

Test(memory, declarations_of_alignments)
{
    fail_each(read_aligned);
    cr_assert_eq(made, 31 * (31 * (31 * 0 + 2) + 0) + 3, "two requirements: its own, and one of align_y");
}

/* Read once, with all memory: what is tested comes after. */
static atx_op *op;
static atx_template *t;
static int64_t slots[ATX_MAX_SLOTS];

static at_status open_and_render(at_error *err)
{
    atx_space *space = NULL;
    atx_config config;
    atx_str text = { 0 };
    at_status status = atx_space_open(&space, t, slots, NULL, 0, err);
    if (status == AT_OK && atx_space_count(space) > 0) {
        atx_space_config(&config, space, 0);
        status = atx_render(&text, t, ATX_F32, &config, slots, err);
    }
    if (status == AT_OK)
        count((size_t)atx_space_count(space) * 100000 + text.len);
    atx_str_clear(&text);
    atx_space_close(space);
    return status;
}

static void check_space(const char *source)
{
    op = read_op(MINI_OP);
    t = read_template(op, source);
    bind_problem(slots, op, 64, 64);
    fail_each(open_and_render);
    atx_template_close(t);
    atx_op_close(op);
}

Test(memory, spaces_and_rendering)
{
    check_space(MINI_SPACE(
        "param A = 1..30\nparam B = 1..30\nparam C = x y z\nlet ab = A * B\nrequire ab == 30 || C == C_y\n"
        "require B < 20\nconst D = ab + 1\n"));
}

Test(memory, empty_spaces)
{
    check_space(MINI_SPACE("param A = 1..30\nparam B = 1..30\nrequire A > B + 40 # never\n"));
}

static at_status open_strategies(at_error *err)
{
    atx_space *spaces[2] = { NULL };
    at_status status = AT_OK;
    for (int i = 0; i < 2 && status == AT_OK; i++)
        status = atx_space_open(&spaces[i], t, slots, NULL, 0, err);
    atx_search search = {
        .spaces = spaces, .space_count = 2, .slots = slots, .max_trials = 50, .seed = 1, .ahead = 4
    };
    if (status == AT_OK)
        atx_search_count(&search);
    for (int i = 0; atx_strategies[i] && status == AT_OK; i++) {
        void *state = NULL;
        status = atx_strategies[i]->open(&state, &search, err);
        if (status == AT_OK)
            atx_strategies[i]->close(state);
    }
    for (int i = 0; i < 2; i++)
        atx_space_close(spaces[i]);
    return status;
}

Test(memory, strategies)
{
    op = read_op(MINI_OP);
    t = read_template(
        op, MINI_SPACE("param A = 1..30\nparam B = 3 5 6 12 24\nparam C = x y z\nrequire A * B < 200\n"));
    bind_problem(slots, op, 64, 64);
    fail_each(open_strategies);
    atx_template_close(t);
    atx_op_close(op);
}

static at_status open_catalog(at_error *err)
{
    atx_catalog *catalog = NULL;
    at_status status = atx_catalog_open(&catalog, AT_SOURCE_DIR "/templates", err);
    for (int i = 0; status == AT_OK && i < atx_catalog_op_count(catalog); i++)
        for (int k = 0; k < atx_catalog_template_count(catalog, atx_catalog_op(catalog, i)); k++)
            count_template(atx_catalog_template(catalog, atx_catalog_op(catalog, i), k));
    atx_catalog_close(catalog);
    return status;
}

Test(memory, the_catalog)
{
    fail_each(open_catalog);
}

static char headers_root[64];

/* What is missing from the note of a text would be missing from a template's hash. */
static at_status note_headers(at_error *err)
{
    atx_headers *headers = NULL;
    atx_str note = { 0 };
    size_t bytes = 0;
    at_status status = atx_headers_open(&headers, headers_root, err);
    if (status == AT_OK)
        status = atx_headers_note(&note, headers, "#include <a.h>\n#include \"b.h\"\n", err);
    if (status == AT_OK)
        status = atx_headers_check(&bytes, headers, atx_str_text(&note), err);
    for (const char *at = status == AT_OK ? atx_str_text(&note) : ""; *at; at++)
        count((size_t)*at);
    count(bytes);
    atx_str_clear(&note);
    atx_headers_close(headers);
    return status;
}

static void put_header(const char *name, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", headers_root, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

Test(memory, the_note_of_headers)
{
    static const char *const NAMES[] = { "a.h", "b.h", "c.h", "d.h" };
    char path[100];
    TEMPORARY(headers_root, "memory");
    cr_assert_not_null(mkdtemp(headers_root));
    put_header("a.h", "#include \"c.h\"\n");
    put_header("b.h", "#pragma once\n");
    put_header("c.h", "#include <d.h>\n");
    put_header("d.h", "int d;\n");
    fail_each(note_headers);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        snprintf(path, sizeof path, "%s/%s", headers_root, NAMES[i]);
        cr_assert_eq(remove(path), 0);
    }
    cr_assert_eq(rmdir(headers_root), 0);
}

static at_status ask_for(atx_lookup *lookup, const atx_op *asked, int64_t rows, int64_t cols, at_error *err)
{
    atx_found found = { .match = ATX_MATCH_NONE };
    const atx_target target = { .name = "NVIDIA H200" };
    atx_problem problem;
    at_status status = atx_problem_init(&problem, asked, ATX_F32, (int64_t[]){ rows, cols }, 2, err);
    if (status == AT_OK)
        status = atx_lookup_find(&found, lookup, &problem, &target, err);
    if (status == AT_OK)
        count((size_t)found.match);
    for (const char *c = status == AT_OK && found.t ? found.answer->winner.config : ""; *c; c++)
        count((size_t)*c);
    return status;
}

/* Of what is read when it is needed nothing may be missing from an answer: an operation, a template, a
 * winner, what the model knows. */
static at_status ask_once(at_error *err)
{
    atx_catalog *catalog = NULL;
    atx_lookup *lookup = NULL;
    const atx_op *asked = NULL;
    at_status status = atx_catalog_open_with(&catalog, &(atx_catalog_options){ .lazily = true }, err);
    if (status == AT_OK)
        status = atx_catalog_get_op(&asked, catalog, "transpose", err);
    if (status == AT_OK)
        status = atx_lookup_open(&lookup, NULL, catalog, err);
    if (status == AT_OK) {
        atx_lookup_add_shipped(lookup);
        status = ask_for(lookup, asked, 4096, 4096, err); /* exact */
    }
    if (status == AT_OK)
        status = ask_for(lookup, asked, 3000, 5000, err); /* of a model */
    atx_lookup_close(lookup);
    atx_catalog_close(catalog);
    return status;
}

Test(memory, a_first_answer)
{
    unsetenv("AUTOTUNE_NO_SHIPPED");
    fail_each(ask_once);
}

/* What was cut when there was memory. */
static atx_str cut_well;

/* A definition that there was no memory to look at must not be missing from a text that is called complete.
 */
static at_status cut_a_kernel(at_error *err)
{
    static const char RENDERED[] =
        "constexpr int A = 4, Z = 5;\nconstexpr int B = A * 2;\nenum { C = 1, D = 2 };\n"
        "int unused() { return 1; }\n#if X\nint used() { return B; }\n#endif\n"
        "extern \"C\" __global__ void k(T *out, const T *in)\n{\n    out[C] = in[used()];\n}\n";
    const atx_cutting cutting = { .rendered = RENDERED, .kernel = "k", .name = "kernel" };
    atx_str text = { 0 };
    at_status status = atx_cut(&text, &cutting, err);
    if (status == AT_OK && !cut_well.data)
        atx_str_add_bytes(&cut_well, text.data, text.len);
    if (status == AT_OK)
        cr_assert_str_eq(text.data, cut_well.data);
    atx_str_clear(&text);
    return status;
}

Test(memory, cutting_a_kernel_out)
{
    cr_assert_eq(cut_a_kernel(NULL), AT_OK);
    cr_assert_null(strstr(cut_well.data, "unused"), "%s", cut_well.data);
    cr_assert_not_null(strstr(cut_well.data, "A = 4"), "%s", cut_well.data);
    fail_each(cut_a_kernel);
    atx_str_clear(&cut_well);
}

static char dump[4096], dump_well[4096]; /* a sink that needs no memory */

static bool add_to_dump(void *context, const char *line)
{
    (void)context;
    cr_assert_lt(strlen(dump) + strlen(line) + 1, sizeof dump);
    strcat(dump, line);
    strcat(dump, "\n");
    return true;
}

static atx_store *dumped;

static at_status write_dump(at_error *err)
{
    static const atx_dump_options ALL = { 0 };
    dump[0] = '\0';
    at_status status = atx_store_dump(dumped, &ALL, add_to_dump, NULL, err);
    if (status == AT_OK)
        cr_assert_str_eq(dump, dump_well);
    return status;
}

Test(memory, dumping_a_database)
{
    char scratch[64], path[80], text[1000];
    cr_assert_not_null(mkdtemp(TEMPORARY(scratch, "memory")));
    snprintf(path, sizeof path, "%s/db", scratch);
    memset(text, 'x', sizeof text);
    cr_assert_eq(atx_store_open(&dumped, path, ATX_STORE_WRITE, NULL), AT_OK);
    cr_assert_eq(atx_store_put_source(dumped, "hash", "a.cu", text, sizeof text, NULL), AT_OK);
    cr_assert_eq(atx_store_dump(dumped, &(atx_dump_options){ 0 }, add_to_dump, NULL, NULL), AT_OK);
    strcpy(dump_well, dump);
    fail_each(write_dump);
    atx_store_close(dumped);
    unlink(path);
    rmdir(scratch);
}

static at_status write_recording(at_error *err)
{
    static const atx_dump_options ALL = { 0 };
    dump[0] = '\0';
    at_status status = atx_t4_write(dumped, &ALL, add_to_dump, NULL, err);
    if (status == AT_OK)
        cr_assert_str_eq(dump, dump_well);
    cr_assert_eq(strncmp(dump, dump_well, strlen(dump)), 0, "a part of a line: %s", dump);
    return status;
}

/* Nor does it look as if there were no trials, or several templates. */
Test(memory, writing_a_recording)
{
    const atx_trial_row row = trial_of("A=1 B=fast", 1e-5);
    dumped = memory_ok();
    put_ok(dumped, &KEY, &H200, &row, 1);
    cr_assert_eq(atx_t4_write(dumped, &(atx_dump_options){ 0 }, add_to_dump, NULL, NULL), AT_OK);
    strcpy(dump_well, dump);
    fail_each(write_recording);
    atx_store_close(dumped);
}

static at_status import_recording(at_error *err)
{
    static const char *const PATHS[] = { AT_SOURCE_DIR "/tests/data/import/scale_t4.json",
                                         AT_SOURCE_DIR "/tests/data/import/scale_cache.json",
                                         AT_SOURCE_DIR "/tests/data/import/scale_t1.json",
                                         AT_SOURCE_DIR "/tests/data/import/table.csv",
                                         AT_SOURCE_DIR "/tests/data/import/ktt.json" };
    const atx_import_options options = { .name = NULL };
    atx_import import = { 0 };
    at_status status = atx_import_read(&import, PATHS, sizeof PATHS / sizeof *PATHS, &options, err);
    for (size_t i = 0; status == AT_OK && i < import.count; i++) {
        count(import.items[i].count);
        count_template(import.items[i].t);
    }
    atx_import_clear(&import);
    return status;
}

Test(memory, importing)
{
    fail_each(import_recording);
}

static atx_str page_well; /* made when there was memory */

/* A page without a plot or a table would look as if there were nothing to show. */
static at_status write_report(at_error *err)
{
    const atx_html_options options = { .source = "here.db" };
    atx_str page = { 0 };
    at_status status = atx_html_report(&page, dumped, &options, err);
    if (status == AT_OK && !page_well.data)
        atx_str_add_bytes(&page_well, page.data, page.len);
    if (status == AT_OK)
        cr_assert(strcmp(page.data, page_well.data) == 0, "something is missing from the page");
    atx_str_clear(&page);
    return status;
}

Test(memory, reporting_on_a_database)
{
    const atx_trial_row rows[] = { trial_of("A=1", 2e-5), trial_of("A=2", 1e-5) };
    const atx_winner winner = winner_of("A=2", 1e-5);
    dumped = memory_ok();
    put_ok(dumped, &KEY, &H200, rows, 2);
    cr_assert_eq(atx_store_put_winner(dumped, 0, &KEY, &H200, &winner, NULL), AT_OK);
    cr_assert_eq(write_report(NULL), AT_OK);
    cr_assert_not_null(strstr(page_well.data, "Parameters of"));
    cr_assert_not_null(strstr(page_well.data, "Time of each trial"));
    fail_each(write_report);
    atx_str_clear(&page_well);
    atx_store_close(dumped);
}
