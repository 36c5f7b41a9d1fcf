/* test_catalog.c - the built-in ops, and folders of a user's own. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "declare_support.h"
#include "declare/declare_common.h"
#include "lang/catalog.h"
#include "source/meaning.h"
#include "space/space.h"

#define USER_TEMPLATE(name, kernel)                                                                          \
    "/*!autotune\ntemplate " name "\nkernel " kernel "\ngrid 1\nblock 1\n*/\nvoid " kernel "() {}\n"

static char root[64];

static void make_root(void)
{
    strcpy(root, "/tmp/autotune-catalog-XXXXXX");
    cr_assert_not_null(mkdtemp(root));
}

static void remove_root(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    (void)!system(command);
}

/* Writes a file, in a sub-folder that is made when it is missing. */
static void put(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", root, folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static at__catalog *open_root(void)
{
    at__catalog *c = NULL;
    at_error err = { 0 };
    cr_assert_eq(at__catalog_open(&c, root, &err), AT_OK, "%s", err.text);
    return c;
}

static void check_error(const char *expected)
{
    at__catalog *c = NULL;
    at_error err = { 0 };
    cr_assert_eq(at__catalog_open(&c, root, &err), AT_ERR_INPUT);
    cr_assert_null(c);
    cr_assert_not_null(strstr(err.text, expected), "%s", err.text);
    cr_assert_not_null(strstr(err.text, root), "%s", err.text);
}

TestSuite(catalog, .init = make_root, .fini = remove_root);

Test(catalog, has_the_built_in_ops)
{
    at__catalog *c = NULL;
    cr_assert_eq(at__catalog_open(&c, NULL, NULL), AT_OK);
    const at__op *op = at__catalog_find_op(c, "transpose");
    cr_assert_not_null(op);
    cr_assert_not_null(at__catalog_find_op(c, "copy"));
    cr_assert_null(at__catalog_find_op(c, "nothing"));
    cr_assert_str_eq(op->file, "templates/transpose/op.cu");
    int count = at__catalog_template_count(c, op);
    cr_assert_gt(count, 0);
    cr_assert_null(at__catalog_template(c, op, count));
    cr_assert_not_null(at__catalog_find_template(c, op, "tile_rows"));
    cr_assert_null(at__catalog_find_template(c, at__catalog_find_op(c, "copy"), "tile_rows"));
    at__catalog_close(c);
    at__catalog_close(NULL);
}

/* The number of configurations for one shape. */
static int64_t count_space(const at__template *t, at__dtype type, int64_t batch, int64_t rows, int64_t cols)
{
    at__limits limits = some_limits();
    int64_t slots[AT__MAX_SLOTS] = { 0 }, sizes[3] = { batch, rows, cols };
    at__problem problem;
    at__space *space = NULL;
    at_error err = { 0 };
    cr_assert_eq(at__problem_init(&problem, t->op, type, sizes, 3, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at__problem_bind(slots, &problem, &limits, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at__space_open(&space, t, slots, NULL, 0, &err), AT_OK, "%s", err.text);
    int64_t count = at__space_count(space);
    at__space_close(space);
    return count;
}

/* Every built-in template has something to offer: for a plain large problem, one whose rows are not aligned,
 * many small ones or tiny ones, narrow ones, or a row; or for narrow elements. */
Test(catalog, built_in_spaces_are_not_empty)
{
    at__catalog *c = NULL;
    cr_assert_eq(at__catalog_open(&c, NULL, NULL), AT_OK);
    for (int i = 0; i < at__catalog_op_count(c); i++) {
        const at__op *op = at__catalog_op(c, i);
        const int templates = op->storage ? at__catalog_template_count(c, op) : 0; /* others: test_suite.c */
        for (int k = 0; k < templates; k++) {
            const at__template *t = at__catalog_template(c, op, k);
            int64_t count = count_space(t, AT__F32, 1, 4096, 4096) + count_space(t, AT__F32, 1, 4097, 4095) +
                            count_space(t, AT__F32, 10000, 16, 16) + count_space(t, AT__F32, 10000, 2, 2) +
                            count_space(t, AT__F32, 7, 1000, 3) + count_space(t, AT__F32, 1, 1, 1000) +
                            count_space(t, AT__U8, 1, 4096, 4096);
            cr_expect_gt(count, 0, "%s", t->file);
        }
    }
    at__catalog_close(c);
}

Test(catalog, reads_a_users_op)
{
    put("mine", "zz_op.cu", MINI_OP);
    put("mine", "b.cu", USER_TEMPLATE("b", "kb"));
    put("mine", "a.cu", USER_TEMPLATE("a", "ka"));
    put("mine", "notes.txt", "/*!autotune\nnonsense");
    put("mine", ".hidden.cu", "/*!autotune\nnonsense");
    put("mine", "helper.cu", "int helper;");
    put("mine", "empty.cu", "");
    put("mine/sub", "x.cu", "/*!autotune\nnonsense"); /* two levels down: not looked at */
    at__catalog *c = open_root();
    const at__op *op = at__catalog_find_op(c, "mini");
    cr_assert_not_null(op);
    cr_assert_eq(at__catalog_template_count(c, op), 2);
    cr_assert_str_eq(at__catalog_template(c, op, 0)->name, "a");
    char path[200];
    snprintf(path, sizeof path, "%s/mine/a.cu", root);
    cr_assert_str_eq(at__catalog_template(c, op, 0)->file, path);
    at__catalog_close(c);
}

Test(catalog, reads_files_in_the_folder_itself)
{
    put(".", "both.cu", MINI_OP USER_TEMPLATE("one", "k1"));
    put(".", "two.cu", USER_TEMPLATE("two", "k2"));
    at__catalog *c = open_root();
    const at__op *op = at__catalog_find_op(c, "mini");
    cr_assert_eq(at__catalog_template_count(c, op), 2);
    cr_assert_not_null(at__catalog_find_template(c, op, "two"));
    at__catalog_close(c);
}

Test(catalog, adds_to_and_replaces_built_in_templates)
{
    at__catalog *plain = NULL;
    char before[AT__HASH_TEXT], after[AT__HASH_TEXT], copy[AT__HASH_TEXT];
    cr_assert_eq(at__catalog_open(&plain, NULL, NULL), AT_OK);
    const at__op *op = at__catalog_find_op(plain, "transpose");
    int count = at__catalog_template_count(plain, op);
    at__catalog_op_hash(before, plain, op);

    put("transpose", "new.cu", USER_TEMPLATE("brand_new", "k"));
    put("transpose", "tile_rows.cu", USER_TEMPLATE("tile_rows", "k"));
    at__catalog *c = open_root();
    const at__op *mine = at__catalog_find_op(c, "transpose");
    cr_assert_eq(at__catalog_template_count(c, mine), count + 1);
    cr_assert_str_eq(at__catalog_find_template(c, mine, "tile_rows")->kernel, "k");
    at__catalog_op_hash(after, c, mine);
    cr_assert_str_neq(before, after);
    at__catalog_op_hash(copy, c, at__catalog_find_op(c, "copy"));
    at__catalog_op_hash(after, plain, at__catalog_find_op(plain, "copy"));
    cr_assert_str_eq(copy, after);
    at__catalog_close(c);
    at__catalog_close(plain);
}

Test(catalog, the_default_op_is_the_one_that_says_so_the_users_before_ours)
{
    static const char op[] = "/*!autotune\nop mine\nshape n\ntype T = f64 f16\ndefault op\nrecorded\n*/";
    char name[AT__MAX_NAME];
    at__catalog *c = NULL;
    cr_assert_eq(at__catalog_open(&c, NULL, NULL), AT_OK);
    cr_assert_str_eq(at__catalog_default_op(c)->name, "transpose");
    at__catalog_default_name(name);
    cr_assert_str_eq(name, "transpose");

    cr_assert_eq(at__catalog_add(c, "other.cu", MINI_OP, strlen(MINI_OP), NULL), AT_OK);
    cr_assert_str_eq(at__catalog_default_op(c)->name, "transpose", "that op claims nothing");
    cr_assert_eq(at__catalog_add(c, "mine.cu", op, strlen(op), NULL), AT_OK);
    cr_assert_str_eq(at__catalog_default_op(c)->name, "mine");
    cr_assert_not(at__catalog_find_op(c, "transpose")->by_default, "one at most");
    at__catalog_close(c);
}

/* A whole built-in folder, copied to be changed. */
Test(catalog, accepts_a_copy_of_a_built_in_op)
{
    at__catalog *plain = NULL;
    cr_assert_eq(at__catalog_open(&plain, NULL, NULL), AT_OK);
    const at__op *op = at__catalog_find_op(plain, "transpose");
    put("experiments", "op.cu", op->source);
    put("experiments", "mine.cu", USER_TEMPLATE("mine", "k"));
    at__catalog *c = open_root();
    cr_assert_eq(at__catalog_op_count(c), at__catalog_op_count(plain));
    cr_assert_not_null(at__catalog_find_template(c, at__catalog_find_op(c, "transpose"), "mine"));
    at__catalog_close(c);
    at__catalog_close(plain);
}

static const at__op *find_measured(at__catalog *c)
{
    const at__op *op = at__catalog_find_op(c, "mini");
    cr_assert_not_null(strstr(op->source, "common shared"));
    return op;
}

#define MEASURED(metric) MINI_OP_HEAD "type T = storage\nuse shared\nmetric " metric "\n" MINI_OP_TAIL

/* Wherever its text stands in the bundle. */
Test(catalog, an_op_with_common_code_proves_the_same_whatever_its_metrics)
{
    put("common", "shared.cuh", "/*!autotune\ncommon shared\n*/\nint shared;\n");
    put("mini", "t.cu", MINI_SPACE(""));
    put("mini", "op.cu", MEASURED("a = 1 / seconds"));
    at__catalog *c = open_root();
    const at__op *op = find_measured(c);
    put("mini", "op.cu", MEASURED("a = 2 / seconds"));
    at__catalog *changed = open_root();
    const at__op *other = find_measured(changed);
    cr_expect_str_neq(op->hash, other->hash);
    cr_expect_str_eq(op->proof_hash, other->proof_hash);
    at__catalog_close(changed);
    at__catalog_close(c);
}

#define USER_COMMON(name, code) "/*!autotune\ncommon " name "\n*/\n" code "\n"
#define USES(names)             "/*!autotune\ntemplate t\nuse " names "\ngrid 1\nblock 1\n*/\nvoid transpose_t() {}\n"

/* The user's common code is for the user's files: a built-in template is the same with it. */
Test(catalog, takes_common_code_of_the_folder_before_the_built_in)
{
    put("transpose", "t.cu", USES("index mine"));
    put("common", "mine.cuh", USER_COMMON("mine", "int mine;"));
    put("common", "notes.cu.txt", "/*!autotune\nnonsense");
    at__catalog *built_in = open_root();
    const at__op *op = at__catalog_find_op(built_in, "transpose");
    const at__template *t = at__catalog_find_template(built_in, op, "t");
    cr_assert_not_null(strstr(t->source, "struct IndexOf"));
    cr_assert_not_null(strstr(t->source, "int mine;"));
    cr_assert_str_eq(t->parts[0].file, "templates/common/index.cuh");

    put("common", "index.cuh", USER_COMMON("index", "int index_of_mine;"));
    at__catalog *own = open_root();
    const at__op *same = at__catalog_find_op(own, "transpose");
    const at__template *changed = at__catalog_find_template(own, same, "t");
    cr_assert_not_null(strstr(changed->source, "index_of_mine"));
    cr_assert_null(strstr(changed->source, "struct IndexOf"));
    cr_assert_str_neq(t->hash, changed->hash);
    for (int i = 0; i < at__catalog_template_count(own, same); i++) {
        const at__template *other = at__catalog_template(own, same, i);
        const at__template *before = at__catalog_find_template(built_in, op, other->name);
        cr_assert(other == changed || strcmp(other->hash, before->hash) == 0, "%s", other->name);
    }
    at__catalog_close(own);
    at__catalog_close(built_in);
}

Test(catalog, refuses_common_code_without_its_name)
{
    put("transpose", "t.cu", USES("mine"));
    put("common", "mine.cuh", USER_COMMON("other", "int mine;"));
    check_error(
        "/common/mine.cuh:2:8: found 'other'; expected the name of the file, which would be other.cuh");
}

Test(catalog, refuses_a_second_op_of_one_name)
{
    put("a", "op.cu", MINI_OP);
    put("b", "op.cu", MINI_OP ";\n");
    check_error("b/op.cu: found op 'mini', which");
}

Test(catalog, refuses_two_ops_in_a_folder)
{
    put("a", "op.cu", MINI_OP);
    put("a", "op2.cu", MINI_OP);
    check_error("op2.cu: found a second op in this folder");
}

Test(catalog, refuses_two_templates_of_one_name)
{
    put("a", "op.cu", MINI_OP);
    put("a", "t1.cu", USER_TEMPLATE("t", "k"));
    put("a", "t2.cu", USER_TEMPLATE("t", "k"));
    check_error("t2.cu: found template 't', which is also in");
}

Test(catalog, refuses_a_template_without_an_op)
{
    put("nowhere", "t.cu", USER_TEMPLATE("t", "k"));
    check_error("t.cu: found a template, but no op in its folder and none called 'nowhere'");
}

Test(catalog, names_the_bad_file)
{
    put("transpose", "t.cu", "/*!autotune\ntemplate t\nparam\n*/");
    check_error("/transpose/t.cu:3:6: found the end of the line; expected a name");
}

Test(catalog, refuses_a_block_of_unknown_kind)
{
    put("transpose", "t.cu", "/*!autotune\ntemplat t\n*/");
    check_error("/transpose/t.cu:2:1: found 'templat'; expected 'op NAME', 'template NAME' or 'common NAME'");
}

Test(catalog, refuses_an_unknown_ceiling)
{
    put("a", "op.cu", MINI_OP_HEAD "ceiling speed_of_light rows\ntype T = storage\n" MINI_OP_TAIL);
    check_error("a/op.cu: found ceiling 'speed_of_light'; expected the name of an op");
}

Test(catalog, refuses_a_ceiling_of_another_shape)
{
    put("a", "op.cu", MINI_OP_HEAD "ceiling transpose rows\ntype T = storage\n" MINI_OP_TAIL);
    check_error("a/op.cu: found 1 sizes for ceiling 'transpose'; expected 3");
}

Test(catalog, refuses_a_folder_without_templates)
{
    check_error("found no .cu file in it or its sub-folders; expected templates");
    strcat(root, "/missing");
    check_error("No such file or directory");
    root[strlen(root) - 8] = '\0';
}

Test(catalog, skips_what_bears_no_templates_name)
{
    char path[200];
    put("transpose", "t.cu", USER_TEMPLATE("t", "k"));
    snprintf(path, sizeof path, "%s/transpose/pipe", root);
    cr_assert_eq(mkfifo(path, 0666), 0);
    snprintf(path, sizeof path, "%s/transpose/dangling", root);
    cr_assert_eq(symlink("/nonexistent/file", path), 0);
    at__catalog_close(open_root());
}

Test(catalog, refuses_a_template_that_is_no_file)
{
    char path[200];
    put("transpose", "t.cu", USER_TEMPLATE("t", "k"));
    snprintf(path, sizeof path, "%s/transpose/dangling.cu", root);
    cr_assert_eq(symlink("/nonexistent/file", path), 0);
    check_error("dangling.cu: No such file or directory");
}

static void note(void *context, const char *why)
{
    at__str *told = context;
    at__str_addf(told, "%s\n", why);
}

/* What is wrong takes itself out, with the reason; the built-in ops and the other files are there. */
Test(catalog, one_broken_file_leaves_the_others)
{
    at__catalog *c = NULL;
    at__str told = { 0 };
    at_error err = { 0 };
    put("copy", "bad.cu", "/*!autotune\ntemplate bad\nparam N =\n*/\n");
    put("copy", "good.cu", MINI_TEMPLATE("grid 1\nblock 1\nkernel mini_t\n"));
    put("wrong", "op.cu", "/*!autotune\nop wrong\n*/\n");
    put("wrong", "t.cu", MINI_TEMPLATE("grid 1\nblock 1\nkernel mini_t\n"));
    put("mini", "op.cu", MINI_OP_HEAD "type T = storage\nceiling nowhere rows\n" MINI_OP_TAIL);
    const at__catalog_options options = { .dir = root, .broken = note, .context = &told };
    cr_assert_eq(at__catalog_open_with(&c, &options, &err), AT_OK, "%s", err.text);
    const at__op *copy = at__catalog_find_op(c, "copy");
    cr_assert_not_null(at__catalog_find_template(c, copy, "linear"));
    cr_assert_not_null(at__catalog_find_template(c, copy, "t"));
    cr_assert_null(at__catalog_find_template(c, copy, "bad"));
    cr_assert_null(at__catalog_find_op(c, "wrong"));
    cr_assert_str_eq(at__catalog_find_op(c, "mini")->ceiling_op, "");
    const char *text = at__str_text(&told);
    cr_assert(strstr(text, "copy/bad.cu:3:10: found the end of the line; expected the parameter's values; "
                           "this file is left out\n"),
              "%s", text);
    cr_assert(strstr(text, "expected a line 'shape DIM...' in it; this folder is left out\n"), "%s", text);
    cr_assert(strstr(text, "expected the name of an op; its ceiling is left out\n"), "%s", text);
    at__str_clear(&told);
    at__catalog_close(c);
}

Test(catalog, a_metric_reads_parameters_that_one_of_the_templates_has)
{
    static const char OP[] = "/*!autotune\nop measured\nshape n\ntype T = f32\narg y T[n] output\n"
                             "reference r\ngrid 1\nblock 1\ntraffic 4 * n\n"
                             "metric work = n / param.TILE\n*/ extern \"C\" __global__ void r(T *y) {}";
    put("mine", "op.cu", OP);
    put("mine", "a.cu", USER_TEMPLATE("a", "ka"));
    check_error("op.cu:10:8: found param.TILE; expected a parameter that a template of 'measured' has");
    put("mine", "b.cu",
        "/*!autotune\ntemplate b\nparam TILE = 1 2\ngrid 1\nblock 1\n*/\nvoid measured_b() {}\n");
    at__catalog_close(open_root());
}

Test(catalog, hashes_made_at_build_time_are_those_of_the_templates)
{
    at__catalog *c = NULL;
    at_error err = { 0 };
    int compared = 0;
    cr_assert_eq(at__catalog_open(&c, NULL, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < at__catalog_op_count(c); i++)
        for (int k = 0; k < at__catalog_template_count(c, at__catalog_op(c, i)); k++, compared++) {
            char hash[AT__HASH_TEXT];
            const at__template *t = at__catalog_template(c, at__catalog_op(c, i), k);
            cr_assert_eq(at__meaning_hash(hash, t->source, t->source_len, NULL, &err), AT_OK, "%s", err.text);
            cr_expect_str_eq(t->hash, hash, "%s", t->file);
        }
    cr_expect_geq(compared, 20);
    at__catalog_close(c);
}

static void expect_equal_bytes(const at__str *a, const at__str *b, const char *what, const char *file)
{
    cr_expect_eq(a->len, b->len, "%s: %s", file, what);
    cr_expect(a->len == b->len && memcmp(a->data, b->data, a->len) == 0, "%s: %s", file, what);
}

/* All that an image holds of the one is what it holds of the other. */
static void expect_same_template(const at__template *a, const at__template *b)
{
    static at__image_writer of_a, of_b;
    at__image image_a, image_b;
    at__image_write(&image_a, &of_a, a);
    at__image_write(&image_b, &of_b, b);
    cr_expect_eq(memcmp(&image_a, &image_b, sizeof image_a), 0, "%s", a->file);
    expect_equal_bytes(&of_a.structures, &of_b.structures, "structures", a->file);
    expect_equal_bytes(&of_a.links, &of_b.links, "pointers", a->file);
    expect_equal_bytes(&of_a.fixed, &of_b.fixed, "what they point to", a->file);
    at__image_writer_clear(&of_a);
    at__image_writer_clear(&of_b);
    of_a = of_b = (at__image_writer){ .begin = 0 };
}

/* Two readings of a text lie elsewhere each: a pointer that an image leaves as it is would show. */
Test(catalog, templates_laid_out_at_build_time_are_what_reading_them_gives)
{
    at__catalog *c = NULL;
    at__commons commons = { 0 };
    at_error err = { 0 };
    int compared = 0;
    cr_assert_eq(at__catalog_open(&c, NULL, &err), AT_OK, "%s", err.text);
    for (const at__embedded *e = at__embedded_commons; e->path; e++)
        cr_assert_eq(at__commons_add(&commons, (const char *)e->data, e->len, e->path, &err), AT_OK);
    for (const at__embedded *e = at__embedded_files; e->path; e++)
        for (int i = 0; i < at__catalog_op_count(c); i++)
            for (int k = 0; k < at__catalog_template_count(c, at__catalog_op(c, i)); k++) {
                const at__template *t = at__catalog_template(c, at__catalog_op(c, i), k);
                at__template *read = NULL;
                if (strcmp(t->file, e->path) != 0)
                    continue;
                cr_expect(t->loaded, "%s", t->file);
                cr_assert_eq(at__template_read_with(&read, t->op, &commons, (const char *)e->data, e->len,
                                                    e->path, &err),
                             AT_OK, "%s", err.text);
                expect_same_template(t, read);
                at__template_close(read);
                compared++;
            }
    cr_expect_geq(compared, 20);
    at__commons_clear(&commons);
    at__catalog_close(c);
}

Test(catalog, read_as_it_is_asked_for_is_the_same_as_read_at_once)
{
    at__catalog *whole = NULL, *lazy = NULL;
    at_error err = { 0 };
    cr_assert_eq(at__catalog_open(&whole, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at__catalog_open_with(&lazy, &(at__catalog_options){ .lazily = true }, &err), AT_OK, "%s",
                 err.text);
    cr_expect_str_eq(at__catalog_default_op(lazy)->name, at__catalog_default_op(whole)->name);
    cr_assert_eq(at__catalog_op_count(lazy), at__catalog_op_count(whole));
    for (int i = at__catalog_op_count(whole) - 1; i >= 0; i--) { /* in another order */
        char expected[AT__HASH_TEXT], found[AT__HASH_TEXT];
        const at__op *op = at__catalog_op(whole, i);
        cr_expect_str_eq(at__catalog_op_name(lazy, i), op->name);
        at__catalog_op_hash(expected, whole, op);
        at__catalog_op_hash(found, lazy, at__catalog_find_op(lazy, op->name));
        cr_expect_str_eq(found, expected, "%s", op->name);
        for (int k = at__catalog_template_count(whole, op) - 1; k >= 0; k--)
            cr_expect_str_eq(at__catalog_template(lazy, at__catalog_op(lazy, i), k)->name,
                             at__catalog_template(whole, op, k)->name);
    }
    cr_expect_eq(at__catalog_failure(lazy, &err), AT_OK, "%s", err.text);
    at__catalog_close(lazy);
    at__catalog_close(whole);
}

Test(catalog, a_users_default_goes_before_ours_though_ours_is_read_later)
{
    at__catalog *c = NULL;
    at_error err = { 0 };
    put("mine", "op.cu", "/*!autotune\nop mine\nshape n\ntype T = f64 f16\ndefault op\nrecorded\n*/");
    const at__catalog_options options = { .dir = root, .lazily = true };
    cr_assert_eq(at__catalog_open_with(&c, &options, &err), AT_OK, "%s", err.text);
    cr_expect_not(at__catalog_find_op(c, "transpose")->by_default);
    cr_expect_str_eq(at__catalog_default_op(c)->name, "mine");
    at__catalog_close(c);
}
