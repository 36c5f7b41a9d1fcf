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

static void count_template(const at__template *t)
{
    count(t->require_count);
    count(t->let_count);
    for (int i = 0; i < t->param_count; i++)
        count((size_t)t->params[i].count + (size_t)t->defaults[i]);
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
    at__op *op = NULL;
    at__template *t = NULL;
    at__commons commons = { 0 };
    at_status status = at__op_read(&op, OP, strlen(OP), "op.cu", err);
    if (status == AT_OK)
        status = at__commons_add(&commons, COMMON, strlen(COMMON), "shared.cuh", err);
    if (status == AT_OK)
        status = at__template_read_with(&t, op, &commons, TEMPLATE, strlen(TEMPLATE), "t.cu", err);
    if (status == AT_OK)
        count_template(t);
    at__template_close(t);
    t = NULL;
    if (status == AT_OK)
        status = at__template_read(&t, op, BUNDLE, strlen(BUNDLE), "t.cu", err);
    if (status == AT_OK)
        count_template(t);
    at__template_close(t);
    at__commons_clear(&commons);
    at__op_close(op);
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
    at__op *mini = NULL;
    at__template *aligned = NULL;
    at_status status = at__op_read(&mini, OP, strlen(OP), "op.cu", err);
    if (status == AT_OK)
        status = at__template_read(&aligned, mini, TEMPLATE, strlen(TEMPLATE), "t.cu", err);
    if (status == AT_OK)
        count_template(aligned);
    at__template_close(aligned);
    at__op_close(mini);
    return status;
}

Test(memory, declarations_of_alignments)
{
    fail_each(read_aligned);
    cr_assert_eq(made, 31 * (31 * (31 * 0 + 2) + 0) + 3, "two requirements: its own, and one of align_y");
}

/* Read once, with all memory: what is tested comes after. */
static at__op *op;
static at__template *t;
static int64_t slots[AT__MAX_SLOTS];

static at_status open_and_render(at_error *err)
{
    at__space *space = NULL;
    at__config config;
    at__str text = { 0 };
    at_status status = at__space_open(&space, t, slots, NULL, 0, err);
    if (status == AT_OK && at__space_count(space) > 0) {
        at__space_config(&config, space, 0);
        status = at__render(&text, t, AT__F32, &config, slots, err);
    }
    if (status == AT_OK)
        count((size_t)at__space_count(space) * 100000 + text.len);
    at__str_clear(&text);
    at__space_close(space);
    return status;
}

static void check_space(const char *source)
{
    op = read_op(MINI_OP);
    t = read_template(op, source);
    bind_problem(slots, op, 64, 64);
    fail_each(open_and_render);
    at__template_close(t);
    at__op_close(op);
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
    at__space *spaces[2] = { NULL };
    at_status status = AT_OK;
    for (int i = 0; i < 2 && status == AT_OK; i++)
        status = at__space_open(&spaces[i], t, slots, NULL, 0, err);
    at__search search = {
        .spaces = spaces, .space_count = 2, .slots = slots, .max_trials = 50, .seed = 1, .ahead = 4
    };
    if (status == AT_OK)
        at__search_count(&search);
    for (int i = 0; at__strategies[i] && status == AT_OK; i++) {
        void *state = NULL;
        status = at__strategies[i]->open(&state, &search, err);
        if (status == AT_OK)
            at__strategies[i]->close(state);
    }
    for (int i = 0; i < 2; i++)
        at__space_close(spaces[i]);
    return status;
}

Test(memory, strategies)
{
    op = read_op(MINI_OP);
    t = read_template(
        op, MINI_SPACE("param A = 1..30\nparam B = 3 5 6 12 24\nparam C = x y z\nrequire A * B < 200\n"));
    bind_problem(slots, op, 64, 64);
    fail_each(open_strategies);
    at__template_close(t);
    at__op_close(op);
}

static at_status open_catalog(at_error *err)
{
    at__catalog *catalog = NULL;
    at_status status = at__catalog_open(&catalog, AT_SOURCE_DIR "/templates", err);
    for (int i = 0; status == AT_OK && i < at__catalog_op_count(catalog); i++)
        for (int k = 0; k < at__catalog_template_count(catalog, at__catalog_op(catalog, i)); k++)
            count_template(at__catalog_template(catalog, at__catalog_op(catalog, i), k));
    at__catalog_close(catalog);
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
    at__headers *headers = NULL;
    at__str note = { 0 };
    size_t bytes = 0;
    at_status status = at__headers_open(&headers, headers_root, err);
    if (status == AT_OK)
        status = at__headers_note(&note, headers, "#include <a.h>\n#include \"b.h\"\n", err);
    if (status == AT_OK)
        status = at__headers_check(&bytes, headers, at__str_text(&note), err);
    for (const char *at = status == AT_OK ? at__str_text(&note) : ""; *at; at++)
        count((size_t)*at);
    count(bytes);
    at__str_clear(&note);
    at__headers_close(headers);
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
    strcpy(headers_root, "/tmp/autotune-memory-XXXXXX");
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

static at_status ask_for(at__lookup *lookup, const at__op *asked, int64_t rows, int64_t cols, at_error *err)
{
    at__found found = { .match = AT__MATCH_NONE };
    const at__target target = { .name = "NVIDIA H200" };
    at__problem problem;
    at_status status = at__problem_init(&problem, asked, AT__F32, (int64_t[]){ rows, cols }, 2, err);
    if (status == AT_OK)
        status = at__lookup_find(&found, lookup, &problem, &target, err);
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
    at__catalog *catalog = NULL;
    at__lookup *lookup = NULL;
    const at__op *asked = NULL;
    at_status status = at__catalog_open_with(&catalog, &(at__catalog_options){ .lazily = true }, err);
    if (status == AT_OK)
        status = at__catalog_get_op(&asked, catalog, "transpose", err);
    if (status == AT_OK)
        status = at__lookup_open(&lookup, NULL, catalog, err);
    if (status == AT_OK) {
        at__lookup_add_shipped(lookup);
        status = ask_for(lookup, asked, 4096, 4096, err); /* exact */
    }
    if (status == AT_OK)
        status = ask_for(lookup, asked, 3000, 5000, err); /* of a model */
    at__lookup_close(lookup);
    at__catalog_close(catalog);
    return status;
}

Test(memory, a_first_answer)
{
    unsetenv("AUTOTUNE_NO_SHIPPED");
    fail_each(ask_once);
}

/* What was cut when there was memory. */
static at__str cut_well;

/* A branch that nobody had the memory to decide must not stay in a text that is called complete. */
static at_status cut_a_kernel(at_error *err)
{
    static const char RENDERED[] =
        "constexpr int A = 4;\nconstexpr int B = A * 2;\nenum { C = 1 };\nint unused() { return 1; }\n"
        "extern \"C\" __global__ void k(T *out, const T *in)\n{\n    const int none = 7;\n"
        "    if (A == 4 && (B > 9 || out))\n        out[0] = in[0];\n    if (A > B) {\n        out[1] = "
        "in[1];\n"
        "    } else {\n        out[2] = in[C == 1 ? 3 : 4];\n    }\n}\n";
    const at__cutting cutting = { .rendered = RENDERED, .kernel = "k", .name = "kernel", .type_bytes = 4 };
    at__str text = { 0 };
    at_status status = at__cut(&text, &cutting, err);
    if (status == AT_OK && !cut_well.data)
        at__str_add_bytes(&cut_well, text.data, text.len);
    if (status == AT_OK)
        cr_assert_str_eq(text.data, cut_well.data);
    at__str_clear(&text);
    return status;
}

Test(memory, cutting_a_kernel_out)
{
    cr_assert_eq(cut_a_kernel(NULL), AT_OK);
    cr_assert_null(strstr(cut_well.data, "A > B"), "%s", cut_well.data);
    fail_each(cut_a_kernel);
    at__str_clear(&cut_well);
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

static at__store *dumped;

static at_status write_dump(at_error *err)
{
    static const at__dump_options ALL = { 0 };
    dump[0] = '\0';
    at_status status = at__store_dump(dumped, &ALL, add_to_dump, NULL, err);
    if (status == AT_OK)
        cr_assert_str_eq(dump, dump_well);
    return status;
}

Test(memory, dumping_a_database)
{
    char scratch[] = "/tmp/autotune-memory-XXXXXX", path[64], text[1000];
    cr_assert_not_null(mkdtemp(scratch));
    snprintf(path, sizeof path, "%s/db", scratch);
    memset(text, 'x', sizeof text);
    cr_assert_eq(at__store_open(&dumped, path, AT__STORE_WRITE, NULL), AT_OK);
    cr_assert_eq(at__store_put_source(dumped, "hash", "a.cu", text, sizeof text, NULL), AT_OK);
    cr_assert_eq(at__store_dump(dumped, &(at__dump_options){ 0 }, add_to_dump, NULL, NULL), AT_OK);
    strcpy(dump_well, dump);
    fail_each(write_dump);
    at__store_close(dumped);
    unlink(path);
    rmdir(scratch);
}

static at_status write_recording(at_error *err)
{
    static const at__dump_options ALL = { 0 };
    dump[0] = '\0';
    at_status status = at__t4_write(dumped, &ALL, add_to_dump, NULL, err);
    if (status == AT_OK)
        cr_assert_str_eq(dump, dump_well);
    cr_assert_eq(strncmp(dump, dump_well, strlen(dump)), 0, "a part of a line: %s", dump);
    return status;
}

/* Nor does it look as if there were no trials, or several templates. */
Test(memory, writing_a_recording)
{
    const at__trial_row row = trial_of("A=1 B=fast", 1e-5);
    dumped = memory_ok();
    put_ok(dumped, &KEY, &H200, &row, 1);
    cr_assert_eq(at__t4_write(dumped, &(at__dump_options){ 0 }, add_to_dump, NULL, NULL), AT_OK);
    strcpy(dump_well, dump);
    fail_each(write_recording);
    at__store_close(dumped);
}

static at_status import_recording(at_error *err)
{
    static const char *const PATHS[] = { AT_SOURCE_DIR "/tests/data/import/scale_t4.json",
                                         AT_SOURCE_DIR "/tests/data/import/scale_cache.json",
                                         AT_SOURCE_DIR "/tests/data/import/scale_t1.json" };
    const at__import_options options = { .name = NULL };
    at__import import = { 0 };
    at_status status = at__import_read(&import, PATHS, 3, &options, err);
    for (size_t i = 0; status == AT_OK && i < import.count; i++) {
        count(import.items[i].count);
        count_template(import.items[i].t);
    }
    at__import_clear(&import);
    return status;
}

Test(memory, importing)
{
    fail_each(import_recording);
}

static at__str page_well; /* made when there was memory */

/* A page without a plot or a table would look as if there were nothing to show. */
static at_status write_report(at_error *err)
{
    const at__html_options options = { .source = "here.db" };
    at__str page = { 0 };
    at_status status = at__html_report(&page, dumped, &options, err);
    if (status == AT_OK && !page_well.data)
        at__str_add_bytes(&page_well, page.data, page.len);
    if (status == AT_OK)
        cr_assert(strcmp(page.data, page_well.data) == 0, "something is missing from the page");
    at__str_clear(&page);
    return status;
}

Test(memory, reporting_on_a_database)
{
    const at__trial_row rows[] = { trial_of("A=1", 2e-5), trial_of("A=2", 1e-5) };
    const at__winner winner = winner_of("A=2", 1e-5);
    dumped = memory_ok();
    put_ok(dumped, &KEY, &H200, rows, 2);
    cr_assert_eq(at__store_put_winner(dumped, 0, &KEY, &H200, &winner, NULL), AT_OK);
    cr_assert_eq(write_report(NULL), AT_OK);
    cr_assert_not_null(strstr(page_well.data, "Parameters of"));
    cr_assert_not_null(strstr(page_well.data, "Time of each trial"));
    fail_each(write_report);
    at__str_clear(&page_well);
    at__store_close(dumped);
}
