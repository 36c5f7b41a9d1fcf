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
#include "source/normalized.h"
#include "space/space.h"
#include "temporary.h"

#define USER_TEMPLATE(name, kernel)                                                                          \
    "/*!autotune\ntemplate " name "\nkernel " kernel "\ngrid 1\nblock 1\n*/\nvoid " kernel "() {}\n"

static char root[64];

static void make_root(void)
{
    TEMPORARY(root, "catalog");
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

static atx_catalog *open_root(void)
{
    atx_catalog *c = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&c, root, &err), AT_OK, "%s", err.text);
    return c;
}

static void check_error(const char *expected)
{
    atx_catalog *c = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&c, root, &err), AT_ERR_INPUT);
    cr_assert_null(c);
    cr_assert_not_null(strstr(err.text, expected), "%s", err.text);
    cr_assert_not_null(strstr(err.text, root), "%s", err.text);
}

TestSuite(catalog, .init = make_root, .fini = remove_root);

Test(catalog, has_the_built_in_ops)
{
    atx_catalog *c = NULL;
    cr_assert_eq(atx_catalog_open(&c, NULL, NULL), AT_OK);
    const atx_op *op = atx_catalog_find_op(c, "transpose");
    cr_assert_not_null(op);
    cr_assert_not_null(atx_catalog_find_op(c, "copy"));
    cr_assert_null(atx_catalog_find_op(c, "nothing"));
    cr_assert_str_eq(op->text.file, "templates/transpose/op.cu");
    int count = atx_catalog_template_count(c, op);
    cr_assert_gt(count, 0);
    cr_assert_null(atx_catalog_template(c, op, count));
    cr_assert_not_null(atx_catalog_find_template(c, op, "tile_rows"));
    cr_assert_null(atx_catalog_find_template(c, atx_catalog_find_op(c, "copy"), "tile_rows"));
    atx_catalog_close(c);
    atx_catalog_close(NULL);
}

/* The number of configurations for one shape. */
static int64_t count_space(const atx_template *t, atx_dtype type, int64_t batch, int64_t rows, int64_t cols)
{
    atx_limits limits = some_limits();
    int64_t slots[ATX_MAX_SLOTS] = { 0 }, sizes[3] = { batch, rows, cols };
    atx_problem problem;
    atx_space *space = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_problem_init(&problem, t->op, type, sizes, 3, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_bind(slots, &problem, &limits, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_space_open(&space, t, slots, NULL, 0, &err), AT_OK, "%s", err.text);
    int64_t count = atx_space_count(space);
    atx_space_close(space);
    return count;
}

/* Every built-in template has something to offer: for a plain large problem, one whose rows are not aligned,
 * many small ones or tiny ones, narrow ones, or a row; or for narrow elements. */
Test(catalog, built_in_spaces_are_not_empty)
{
    atx_catalog *c = NULL;
    cr_assert_eq(atx_catalog_open(&c, NULL, NULL), AT_OK);
    for (int i = 0; i < atx_catalog_op_count(c); i++) {
        const atx_op *op = atx_catalog_op(c, i);
        const int templates = op->storage ? atx_catalog_template_count(c, op) : 0; /* others: test_suite.c */
        for (int k = 0; k < templates; k++) {
            const atx_template *t = atx_catalog_template(c, op, k);
            int64_t count = count_space(t, ATX_F32, 1, 4096, 4096) + count_space(t, ATX_F32, 1, 4097, 4095) +
                            count_space(t, ATX_F32, 10000, 16, 16) + count_space(t, ATX_F32, 10000, 2, 2) +
                            count_space(t, ATX_F32, 7, 1000, 3) + count_space(t, ATX_F32, 1, 1, 1000) +
                            count_space(t, ATX_U8, 1, 4096, 4096);
            cr_expect_gt(count, 0, "%s", t->text.file);
        }
    }
    atx_catalog_close(c);
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
    atx_catalog *c = open_root();
    const atx_op *op = atx_catalog_find_op(c, "mini");
    cr_assert_not_null(op);
    cr_assert_eq(atx_catalog_template_count(c, op), 2);
    cr_assert_str_eq(atx_catalog_template(c, op, 0)->name, "a");
    char path[200];
    snprintf(path, sizeof path, "%s/mine/a.cu", root);
    cr_assert_str_eq(atx_catalog_template(c, op, 0)->text.file, path);
    atx_catalog_close(c);
}

Test(catalog, reads_files_in_the_folder_itself)
{
    put(".", "both.cu", MINI_OP USER_TEMPLATE("one", "k1"));
    put(".", "two.cu", USER_TEMPLATE("two", "k2"));
    atx_catalog *c = open_root();
    const atx_op *op = atx_catalog_find_op(c, "mini");
    cr_assert_eq(atx_catalog_template_count(c, op), 2);
    cr_assert_not_null(atx_catalog_find_template(c, op, "two"));
    atx_catalog_close(c);
}

Test(catalog, adds_to_and_replaces_built_in_templates)
{
    atx_catalog *plain = NULL;
    char before[ATX_HASH_TEXT], after[ATX_HASH_TEXT], copy[ATX_HASH_TEXT];
    cr_assert_eq(atx_catalog_open(&plain, NULL, NULL), AT_OK);
    const atx_op *op = atx_catalog_find_op(plain, "transpose");
    int count = atx_catalog_template_count(plain, op);
    atx_catalog_op_hash(before, plain, op);

    put("transpose", "new.cu", USER_TEMPLATE("brand_new", "k"));
    put("transpose", "tile_rows.cu", USER_TEMPLATE("tile_rows", "k"));
    atx_catalog *c = open_root();
    const atx_op *mine = atx_catalog_find_op(c, "transpose");
    cr_assert_eq(atx_catalog_template_count(c, mine), count + 1);
    cr_assert_str_eq(atx_catalog_find_template(c, mine, "tile_rows")->call.steps[0].kernel, "k");
    atx_catalog_op_hash(after, c, mine);
    cr_assert_str_neq(before, after);
    atx_catalog_op_hash(copy, c, atx_catalog_find_op(c, "copy"));
    atx_catalog_op_hash(after, plain, atx_catalog_find_op(plain, "copy"));
    cr_assert_str_eq(copy, after);
    atx_catalog_close(c);
    atx_catalog_close(plain);
}

Test(catalog, the_default_op_is_the_one_that_says_so_the_users_before_ours)
{
    static const char op[] = "/*!autotune\nop mine\nshape n\ntype T = f64 f16\ndefault op\nrecorded\n*/";
    char name[ATX_MAX_NAME];
    atx_catalog *c = NULL;
    cr_assert_eq(atx_catalog_open(&c, NULL, NULL), AT_OK);
    cr_assert_str_eq(atx_catalog_default_op(c)->name, "transpose");
    atx_catalog_default_name(name);
    cr_assert_str_eq(name, "transpose");

    cr_assert_eq(atx_catalog_add(c, "other.cu", MINI_OP, strlen(MINI_OP), NULL), AT_OK);
    cr_assert_str_eq(atx_catalog_default_op(c)->name, "transpose", "that op claims nothing");
    cr_assert_eq(atx_catalog_add(c, "mine.cu", op, strlen(op), NULL), AT_OK);
    cr_assert_str_eq(atx_catalog_default_op(c)->name, "mine");
    cr_assert_not(atx_catalog_find_op(c, "transpose")->by_default, "one at most");
    atx_catalog_close(c);
}

/* A whole built-in folder, copied to be changed. */
Test(catalog, accepts_a_copy_of_a_built_in_op)
{
    atx_catalog *plain = NULL;
    cr_assert_eq(atx_catalog_open(&plain, NULL, NULL), AT_OK);
    const atx_op *op = atx_catalog_find_op(plain, "transpose");
    put("experiments", "op.cu", op->text.source);
    put("experiments", "mine.cu", USER_TEMPLATE("mine", "k"));
    atx_catalog *c = open_root();
    cr_assert_eq(atx_catalog_op_count(c), atx_catalog_op_count(plain));
    cr_assert_not_null(atx_catalog_find_template(c, atx_catalog_find_op(c, "transpose"), "mine"));
    atx_catalog_close(c);
    atx_catalog_close(plain);
}

static const atx_op *find_measured(atx_catalog *c)
{
    const atx_op *op = atx_catalog_find_op(c, "mini");
    cr_assert_not_null(strstr(op->text.source, "common shared"));
    return op;
}

#define MEASURED(metric) MINI_OP_HEAD "type T = storage\nuse shared\nmetric " metric "\n" MINI_OP_TAIL

/* Wherever its text stands in the bundle. */
Test(catalog, an_op_with_common_code_proves_the_same_whatever_its_metrics)
{
    put("common", "shared.cuh", "/*!autotune\ncommon shared\n*/\nint shared;\n");
    put("mini", "t.cu", MINI_SPACE(""));
    put("mini", "op.cu", MEASURED("a = 1 / median_s"));
    atx_catalog *c = open_root();
    const atx_op *op = find_measured(c);
    put("mini", "op.cu", MEASURED("a = 2 / median_s"));
    atx_catalog *changed = open_root();
    const atx_op *other = find_measured(changed);
    cr_expect_str_neq(op->text.hash, other->text.hash);
    cr_expect_str_eq(op->text.proof_hash, other->text.proof_hash);
    atx_catalog_close(changed);
    atx_catalog_close(c);
}

#define USER_COMMON(name, code) "/*!autotune\ncommon " name "\n*/\n" code "\n"
#define USES(names)             "/*!autotune\ntemplate t\nuse " names "\ngrid 1\nblock 1\n*/\nvoid transpose_t() {}\n"

/* The user's common code is for the user's files: a built-in template is the same with it. */
Test(catalog, takes_common_code_of_the_folder_before_the_built_in)
{
    put("transpose", "t.cu", USES("index mine"));
    put("common", "mine.cuh", USER_COMMON("mine", "int mine;"));
    put("common", "notes.cu.txt", "/*!autotune\nnonsense");
    atx_catalog *built_in = open_root();
    const atx_op *op = atx_catalog_find_op(built_in, "transpose");
    const atx_template *t = atx_catalog_find_template(built_in, op, "t");
    cr_assert_not_null(strstr(t->text.source, "struct IndexOf"));
    cr_assert_not_null(strstr(t->text.source, "int mine;"));
    cr_assert_str_eq(t->text.parts[0].file, "templates/common/index.cuh");

    put("common", "index.cuh", USER_COMMON("index", "int index_of_mine;"));
    atx_catalog *own = open_root();
    const atx_op *same = atx_catalog_find_op(own, "transpose");
    const atx_template *changed = atx_catalog_find_template(own, same, "t");
    cr_assert_not_null(strstr(changed->text.source, "index_of_mine"));
    cr_assert_null(strstr(changed->text.source, "struct IndexOf"));
    cr_assert_str_neq(t->text.hash, changed->text.hash);
    for (int i = 0; i < atx_catalog_template_count(own, same); i++) {
        const atx_template *other = atx_catalog_template(own, same, i);
        const atx_template *before = atx_catalog_find_template(built_in, op, other->name);
        cr_assert(other == changed || strcmp(other->text.hash, before->text.hash) == 0, "%s", other->name);
    }
    atx_catalog_close(own);
    atx_catalog_close(built_in);
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

/* A pack would leave the template out without a word. */
Test(catalog, refuses_a_template_that_replaces_one_that_is_not_there)
{
    put("mine", "op.cu", MINI_OP);
    put("mine", "a.cu", USER_TEMPLATE("a", "ka"));
    put("mine", "b.cu", "/*!autotune\ntemplate b\nreplaces a\nkernel k\ngrid 1\nblock 1\n*/\nvoid k() {}\n");
    atx_catalog_close(open_root());
    put("mine", "c.cu",
        "/*!autotune\ntemplate c\nreplaces a aa\nkernel k\ngrid 1\nblock 1\n*/\nvoid k() {}\n");
    check_error("c.cu: found replaces 'aa'; expected the name of a template of 'mini'");
}

/* No search tries it, so winners stay what they are. */
Test(catalog, a_template_that_replaces_others_is_no_part_of_the_hash_of_the_space)
{
    char without[ATX_HASH_TEXT], with[ATX_HASH_TEXT], one_more[ATX_HASH_TEXT];
    put("mine", "op.cu", MINI_OP);
    put("mine", "a.cu", USER_TEMPLATE("a", "ka"));
    atx_catalog *c = open_root();
    atx_catalog_op_hash(without, c, atx_catalog_find_op(c, "mini"));
    atx_catalog_close(c);
    put("mine", "b.cu", "/*!autotune\ntemplate b\nreplaces a\nkernel k\ngrid 1\nblock 1\n*/\nvoid k() {}\n");
    c = open_root();
    atx_catalog_op_hash(with, c, atx_catalog_find_op(c, "mini"));
    atx_catalog_close(c);
    put("mine", "c.cu", USER_TEMPLATE("c", "kc"));
    c = open_root();
    atx_catalog_op_hash(one_more, c, atx_catalog_find_op(c, "mini"));
    atx_catalog_close(c);
    cr_assert_str_eq(with, without);
    cr_assert_str_neq(one_more, with);
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
    atx_catalog_close(open_root());
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
    atx_str *told = context;
    atx_str_addf(told, "%s\n", why);
}

/* What is wrong takes itself out, with the reason; the built-in ops and the other files are there. */
Test(catalog, one_broken_file_leaves_the_others)
{
    atx_catalog *c = NULL;
    atx_str told = { 0 };
    at_error err = { 0 };
    put("copy", "bad.cu", "/*!autotune\ntemplate bad\nparam N =\n*/\n");
    put("copy", "good.cu", MINI_TEMPLATE("grid 1\nblock 1\nkernel mini_t\n"));
    put("wrong", "op.cu", "/*!autotune\nop wrong\n*/\n");
    put("wrong", "t.cu", MINI_TEMPLATE("grid 1\nblock 1\nkernel mini_t\n"));
    put("mini", "op.cu", MINI_OP_HEAD "type T = storage\nceiling nowhere rows\n" MINI_OP_TAIL);
    const atx_catalog_options options = { .dir = root, .broken = note, .context = &told };
    cr_assert_eq(atx_catalog_open_with(&c, &options, &err), AT_OK, "%s", err.text);
    const atx_op *copy = atx_catalog_find_op(c, "copy");
    cr_assert_not_null(atx_catalog_find_template(c, copy, "linear"));
    cr_assert_not_null(atx_catalog_find_template(c, copy, "t"));
    cr_assert_null(atx_catalog_find_template(c, copy, "bad"));
    cr_assert_null(atx_catalog_find_op(c, "wrong"));
    cr_assert_str_eq(atx_catalog_find_op(c, "mini")->goal.ceiling_op, "");
    const char *text = atx_str_text(&told);
    cr_assert(strstr(text, "copy/bad.cu:3:10: found the end of the line; expected the parameter's values; "
                           "this file is left out\n"),
              "%s", text);
    cr_assert(strstr(text, "expected a line 'shape DIM...' in it; this folder is left out\n"), "%s", text);
    cr_assert(strstr(text, "expected the name of an op; its ceiling is left out\n"), "%s", text);
    atx_str_clear(&told);
    atx_catalog_close(c);
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
    atx_catalog_close(open_root());
}

Test(catalog, hashes_made_at_build_time_are_those_of_the_templates)
{
    atx_catalog *c = NULL;
    at_error err = { 0 };
    int compared = 0;
    cr_assert_eq(atx_catalog_open(&c, NULL, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < atx_catalog_op_count(c); i++)
        for (int k = 0; k < atx_catalog_template_count(c, atx_catalog_op(c, i)); k++, compared++) {
            char hash[ATX_HASH_TEXT];
            const atx_template *t = atx_catalog_template(c, atx_catalog_op(c, i), k);
            cr_assert_eq(atx_normalized_hash(hash, t->text.source, t->text.source_len, NULL, &err), AT_OK,
                         "%s", err.text);
            cr_expect_str_eq(t->text.hash, hash, "%s", t->text.file);
        }
    cr_expect_geq(compared, 20);
    atx_catalog_close(c);
}

static void expect_equal_bytes(const atx_str *a, const atx_str *b, const char *what, const char *file)
{
    size_t same = 0;
    cr_expect_eq(a->len, b->len, "%s: %s", file, what);
    while (same < a->len && same < b->len && a->data[same] == b->data[same])
        same++;
    cr_expect_eq(same, a->len, "%s: %s differ in byte %zu of %zu", file, what, same, a->len);
}

/* All that an image holds of the one is what it holds of the other. */
static void expect_same_template(const atx_template *a, const atx_template *b)
{
    static atx_image_writer of_a, of_b;
    atx_image image_a, image_b;
    atx_image_write(&image_a, &of_a, a);
    atx_image_write(&image_b, &of_b, b);
    cr_expect_eq(memcmp(&image_a, &image_b, sizeof image_a), 0, "%s", a->text.file);
    expect_equal_bytes(&of_a.structures, &of_b.structures, "structures", a->text.file);
    expect_equal_bytes(&of_a.links, &of_b.links, "pointers", a->text.file);
    expect_equal_bytes(&of_a.fixed, &of_b.fixed, "what they point to", a->text.file);
    atx_image_writer_clear(&of_a);
    atx_image_writer_clear(&of_b);
    of_a = of_b = (atx_image_writer){ .begin = 0 };
}

/* Two readings of a text lie elsewhere each: a pointer that an image leaves as it is would show. */
Test(catalog, templates_laid_out_at_build_time_are_what_reading_them_gives)
{
    atx_catalog *c = NULL;
    atx_commons commons = { 0 };
    at_error err = { 0 };
    int compared = 0;
    cr_assert_eq(atx_catalog_open(&c, NULL, &err), AT_OK, "%s", err.text);
    for (const atx_embedded *e = atx_embedded_commons; e->path; e++)
        cr_assert_eq(atx_commons_add(&commons, (const char *)e->data, e->len, e->path, &err), AT_OK);
    for (const atx_embedded *e = atx_embedded_files; e->path; e++)
        for (int i = 0; i < atx_catalog_op_count(c); i++)
            for (int k = 0; k < atx_catalog_template_count(c, atx_catalog_op(c, i)); k++) {
                const atx_template *t = atx_catalog_template(c, atx_catalog_op(c, i), k);
                atx_template *read = NULL;
                if (strcmp(t->text.file, e->path) != 0)
                    continue;
                cr_expect(t->loaded, "%s", t->text.file);
                cr_assert_eq(atx_template_read_with(&read, t->op, &commons, (const char *)e->data, e->len,
                                                    e->path, &err),
                             AT_OK, "%s", err.text);
                expect_same_template(t, read);
                atx_template_close(read);
                compared++;
            }
    cr_expect_geq(compared, 20);
    atx_commons_clear(&commons);
    atx_catalog_close(c);
}

Test(catalog, read_as_it_is_asked_for_is_the_same_as_read_at_once)
{
    atx_catalog *whole = NULL, *lazy = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&whole, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_catalog_open_with(&lazy, &(atx_catalog_options){ .lazily = true }, &err), AT_OK, "%s",
                 err.text);
    cr_expect_str_eq(atx_catalog_default_op(lazy)->name, atx_catalog_default_op(whole)->name);
    cr_assert_eq(atx_catalog_op_count(lazy), atx_catalog_op_count(whole));
    for (int i = atx_catalog_op_count(whole) - 1; i >= 0; i--) { /* in another order */
        char expected[ATX_HASH_TEXT], found[ATX_HASH_TEXT];
        const atx_op *op = atx_catalog_op(whole, i);
        cr_expect_str_eq(atx_catalog_op_name(lazy, i), op->name);
        atx_catalog_op_hash(expected, whole, op);
        atx_catalog_op_hash(found, lazy, atx_catalog_find_op(lazy, op->name));
        cr_expect_str_eq(found, expected, "%s", op->name);
        for (int k = atx_catalog_template_count(whole, op) - 1; k >= 0; k--)
            cr_expect_str_eq(atx_catalog_template(lazy, atx_catalog_op(lazy, i), k)->name,
                             atx_catalog_template(whole, op, k)->name);
    }
    cr_expect_eq(atx_catalog_failure(lazy, &err), AT_OK, "%s", err.text);
    atx_catalog_close(lazy);
    atx_catalog_close(whole);
}

Test(catalog, a_users_default_goes_before_ours_though_ours_is_read_later)
{
    atx_catalog *c = NULL;
    at_error err = { 0 };
    put("mine", "op.cu", "/*!autotune\nop mine\nshape n\ntype T = f64 f16\ndefault op\nrecorded\n*/");
    const atx_catalog_options options = { .dir = root, .lazily = true };
    cr_assert_eq(atx_catalog_open_with(&c, &options, &err), AT_OK, "%s", err.text);
    cr_expect_not(atx_catalog_find_op(c, "transpose")->by_default);
    cr_expect_str_eq(atx_catalog_default_op(c)->name, "mine");
    atx_catalog_close(c);
}
