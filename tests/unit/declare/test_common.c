/* test_common.c - device code that several files share, and the bundles that are made of it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "declare_support.h"
#include "declare/declare_common.h"
#include "lang/render.h"

#define A      "/*!autotune\ncommon a # first\n*/\nint a;\n"
#define B      "/*!autotune\ncommon b # second\nuse a\n*/\nint b;" /* without a line end */
#define C      "/*!autotune\ncommon c\nuse b a\n*/\nint c;\n"
#define OWN    MINI_SPACE("use c a\n")
#define BUNDLE "//!autotune common a 39\n" A "//!autotune common b 45\n" B "//!autotune common c 39\n" C

static atx_commons library;

static void add(const char *file, const char *text)
{
    at_error err = { 0 };
    cr_assert_eq(atx_commons_add(&library, text, strlen(text), file, &err), AT_OK, "%s", err.text);
}

static void clear(void)
{
    atx_commons_clear(&library);
}

static void add_three(void)
{
    add("dir/common/c.cuh", C);
    add("dir/common/b.cuh", B);
    add("a.cuh", A);
}

TestSuite(common, .fini = clear);

static atx_template *read_with(const atx_op *op, const char *source)
{
    atx_template *t = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_template_read_with(&t, op, &library, source, strlen(source), "t.cu", &err), AT_OK, "%s",
                 err.text);
    return t;
}

static char *render(const atx_template *t)
{
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    atx_config config = { { 0 } };
    atx_str out = { 0 };
    at_error err = { 0 };
    bind_problem(slots, t->op, 64, 64);
    cr_assert_eq(atx_render(&out, t, ATX_F32, &config, slots, &err), AT_OK, "%s", err.text);
    return out.data;
}

Test(common, puts_what_is_used_before_what_uses_it)
{
    add_three();
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_with(op, OWN);
    cr_assert_str_eq(t->text.source, BUNDLE OWN);
    cr_assert_eq(t->text.source_len, strlen(t->text.source));
    char *text = render(t);
    cr_assert_not_null(strstr(text, "using T = unsigned int;\n#line 1 \"a.cuh\"\n" A
                                    "#line 1 \"dir/common/b.cuh\"\n" B "\n#line 1 \"dir/common/c.cuh\"\n" C
                                    "#line 1 \"t.cu\"\n" OWN),
                       "%s", text);
    free(text);
    atx_template_close(t);
    atx_op_close(op);
}

/* A store keeps the bundle by its hash: the same template comes out of it without any library. */
Test(common, a_stored_bundle_reads_back_as_itself)
{
    add_three();
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_with(op, OWN), *stored = read_template(op, t->text.source);
    cr_assert_str_eq(stored->text.hash, t->text.hash);
    cr_assert_str_eq(stored->text.source, t->text.source);
    cr_assert_eq(stored->text.part_count, 4);
    cr_assert_str_eq(stored->text.parts[1].file, "common/b.cuh");
    atx_template *other = NULL; /* what a library has is not what was measured */
    atx_commons changed = { 0 };
    cr_assert_eq(atx_commons_add(&changed, A "//", strlen(A "//"), "a.cuh", NULL), AT_OK);
    cr_assert_eq(
        atx_template_read_with(&other, op, &changed, t->text.source, t->text.source_len, "t.cu", NULL),
        AT_OK);
    cr_assert_str_eq(other->text.hash, t->text.hash);
    atx_commons_clear(&changed);
    atx_template_close(other);
    atx_template_close(stored);
    atx_template_close(t);
    atx_op_close(op);
}

Test(common, a_change_of_common_code_is_a_change_of_its_users)
{
    atx_op *op = read_op(MINI_OP);
    add_three();
    atx_template *before = read_with(op, OWN), *other = read_with(op, MINI_SPACE(""));
    atx_commons_clear(&library);
    add("a.cuh", A "int changed;\n");
    add("b.cuh", B);
    add("c.cuh", C);
    atx_template *after = read_with(op, OWN), *same = read_with(op, MINI_SPACE(""));
    cr_assert_str_neq(before->text.hash, after->text.hash);
    cr_assert_str_eq(other->text.hash, same->text.hash);
    atx_template_close(before);
    atx_template_close(other);
    atx_template_close(after);
    atx_template_close(same);
    atx_op_close(op);
}

Test(common, a_comment_in_common_code_is_none)
{
    atx_op *op = read_op(MINI_OP);
    add_three();
    atx_template *before = read_with(op, OWN);
    atx_commons_clear(&library);
    add("a.cuh", A "// reworded, and longer\n");
    add("b.cuh", B);
    add("c.cuh", C);
    atx_template *after = read_with(op, OWN);
    cr_assert_str_eq(before->text.hash, after->text.hash);
    cr_assert_str_neq(before->text.source, after->text.source);
    atx_template_close(before);
    atx_template_close(after);
    atx_op_close(op);
}

Test(common, without_use_the_bundle_is_the_file)
{
    atx_op *op = read_op(MINI_OP);
    cr_assert_str_eq(op->text.source, MINI_OP);
    cr_assert_eq(op->text.part_count, 1);
    atx_op_close(op);
}

Test(common, an_op_uses_it_too)
{
    atx_op *op = NULL;
    atx_str out = { 0 };
    add_three();
    cr_assert_eq(atx_op_read_with(&op, &library, MINI_OP_HEAD "use a\ntype T = storage\n" MINI_OP_TAIL,
                                  strlen(MINI_OP_HEAD "use a\ntype T = storage\n" MINI_OP_TAIL), "op.cu",
                                  NULL),
                 AT_OK);
    cr_assert_eq(strncmp(op->text.source, "//!autotune common a 39\n" A "/*!autotune\nop", 70), 0);
    cr_assert_eq(atx_render_reference(&out, &(atx_problem){ .op = op, .type = ATX_U8 }, NULL), AT_OK);
    cr_assert_not_null(strstr(out.data, "#line 1 \"a.cuh\"\n" A "#line 1 \"op.cu\"\n/*!autotune\nop"));
    atx_str_clear(&out);
    atx_op_close(op);
}

Test(common, a_library_goes_before_its_next)
{
    atx_commons mine = { .next = &library };
    add_three();
    cr_assert_eq(atx_commons_add(&mine, A "int mine;\n", strlen(A "int mine;\n"), "a.cuh", NULL), AT_OK);
    cr_assert_not_null(strstr(atx_commons_find(&mine, "a")->text, "mine"));
    cr_assert_null(strstr(atx_commons_find(&library, "a")->text, "mine"));
    cr_assert_str_eq(atx_commons_find(&mine, "b")->about, "second");
    cr_assert_null(atx_commons_find(&mine, "d"));
    atx_op *op = read_op(MINI_OP);
    atx_template *t = NULL;
    cr_assert_eq(atx_template_read_with(&t, op, &mine, OWN, strlen(OWN), "t.cu", NULL), AT_OK);
    cr_assert_not_null(strstr(t->text.source, "int mine;"), "also where a built-in file uses it");
    atx_template_close(t);
    atx_op_close(op);
    atx_commons_clear(&mine);
}

#define SIZES                                                                                                \
    "/*!autotune\ncommon sizes\nlet twice = 2 * N\nconst AREA = twice * W\nrequire AREA <= 64 # small\n*/\n"
#define BOX      "/*!autotune\ncommon box\nparam W = 4 8\nuse sizes\nlet last = AREA\n*/\n"
#define WITH_BOX MINI_TEMPLATE("param N = 1 2\nuse box\ngrid last\nblock twice\ndefault W=8\n")

static void check_declared(const atx_template *t)
{
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    atx_str out = { 0 };
    atx_config config = { { 2, 8 } };

    cr_assert_eq(t->scope.param_count, 2);
    cr_assert_str_eq(t->scope.params[1].name, "W");
    cr_assert_eq(t->scope.defaults[1], 8);
    cr_assert_eq(t->scope.let_count, 3);
    cr_assert_eq(t->scope.require_count, 1 + (size_t)t->op->shape.align_count);
    cr_assert_str_eq(t->scope.requires[0].reason, "small");
    bind_problem(slots, t->op, 64, 64);
    cr_assert_eq(atx_render(&out, t, ATX_F32, &config, slots, NULL), AT_OK);
    cr_assert_not_null(strstr(out.data, "constexpr int AREA = 32;"), "%s", out.data);
    atx_str_clear(&out);
}

/* Files that use each other bring each line once; a stored bundle has the same declarations without a
 * library. */
Test(common, declarations_are_those_of_every_template_that_uses_it)
{
    atx_op *op = read_op(MINI_OP);
    add("box.cuh", BOX);
    add("sizes.cuh", SIZES);
    atx_template *t = read_with(op, WITH_BOX), *stored = NULL;
    check_declared(t);
    atx_commons_clear(&library);
    cr_assert_str_eq(t->scope.params[1].where.file, "box.cuh", "its own copy");
    cr_assert_str_eq(t->scope.lets[1].where.file, "sizes.cuh");
    cr_assert_eq(
        atx_template_read_with(&stored, op, NULL, t->text.source, strlen(t->text.source), "t.cu", NULL),
        AT_OK);
    check_declared(stored);
    cr_assert_str_eq(stored->text.hash, t->text.hash);
    atx_template_close(stored);
    atx_template_close(t);
    atx_op_close(op);
}

Test(common, declarations_are_read_once_and_where_they_are_used)
{
    atx_op *op = read_op(MINI_OP);
    add("box.cuh", BOX);
    add("sizes.cuh", SIZES);
    atx_template *t = read_with(op, MINI_TEMPLATE("param N = 1 2\nuse box sizes\ngrid last\nblock twice\n"));
    cr_assert_eq(t->scope.let_count, 3);
    atx_template_close(t);
    const char *const wrong[][2] = {
        { MINI_TEMPLATE("use box\nparam N = 1 2\ngrid 1\nblock 1\n"), "sizes.cuh:3:17: unknown name 'N'" },
        { MINI_TEMPLATE("param N = 1\nparam W = 1\nuse box\ngrid 1\nblock 1\n"),
          "box.cuh:3:7: found 'W' a second time; expected a new name" },
    };
    for (int i = 0; i < 2; i++) {
        at_error err = { 0 };
        cr_expect_eq(atx_template_read_with(&t, op, &library, wrong[i][0], strlen(wrong[i][0]), "t.cu", &err),
                     AT_ERR_INPUT);
        cr_expect_not_null(strstr(err.text, wrong[i][1]), "%s", err.text);
    }
    atx_op_close(op);
}

static const struct {
    const char *source, *error;
} BAD_USERS[] = {
    { MINI_SPACE("use b\nuse nothing_like_it\n"), "t.cu:4:5: found 'nothing_like_it'; expected the name of "
                                                  "common code, a file common/nothing_like_it.cuh" },
    { MINI_SPACE("use long_nome\n"),
      "t.cu:3:5: found 'long_nome', which is no common code; did you mean 'long_name'?" },
    { MINI_SPACE("use a b a\n"), "t.cu:3:9: found 'a' a second time; expected each name once" },
    { MINI_SPACE("use a\nuse a\n"), "t.cu:4:5: found 'a' a second time; expected each name once" },
    { MINI_SPACE("use\n"), "t.cu:3:4: found the end of the line; expected a name of a-z" },
    { MINI_SPACE("use A\n"), "t.cu:3:5: found 'A'; expected a name of a-z" },
    { MINI_SPACE("use round\n"),
      "trip.cuh:3:5: found 'round', which needs this file itself; expected no circle" },
    { MINI_SPACE("use self\n"),
      "self.cuh:3:9: found 'self', which needs this file itself; expected no circle" },
    { MINI_SPACE("use lacks\n"), "lacks.cuh:3:5: found 'missing'; expected the name of common code" },
    { MINI_SPACE("use b1 b2 b3 b4 b5 b6 b7 b8 b9 b10 b11 b12 b13 b14 b15 b16 b17\n"),
      "t.cu:3:60: found more than 16 names; expected fewer" },
    /* Bundles that no library makes. */
    { "//!autotune common a 39\n" A MINI_SPACE(""), "t.cu: found other common code before the file than" },
    { "//!autotune common a 39\n" A "//!autotune common b 45\n" B MINI_SPACE("use a\n"),
      "t.cu: found other common code before the file than" },
    { "//!autotune common b 45\n" B MINI_SPACE("use b\n"), "common/b.cuh:3:5: found 'a'; expected" },
    { "//!autotune common b 39\n" A MINI_SPACE("use a\n"),
      "common/b.cuh:2:8: found 'a'; expected the name of the file" },
    { "//!autotune common a 9999\n" A MINI_SPACE("use a b c\n"), NULL }, /* a comment */
};

Test(common, says_what_is_wrong_with_a_use)
{
    atx_op *op = read_op(MINI_OP);
    add_three();
    add("long_name.cuh", "/*!autotune\ncommon long_name\n*/");
    add("round.cuh", "/*!autotune\ncommon round\nuse trip\n*/");
    add("trip.cuh", "/*!autotune\ncommon trip\nuse round\n*/");
    add("self.cuh", "/*!autotune\ncommon self\nuse a b self\n*/");
    add("lacks.cuh", "/*!autotune\ncommon lacks\nuse missing\n*/");
    for (size_t i = 0; i < sizeof BAD_USERS / sizeof *BAD_USERS; i++) {
        atx_template *t = NULL;
        at_error err = { 0 };
        const char *source = BAD_USERS[i].source;
        at_status status = atx_template_read_with(&t, op, &library, source, strlen(source), "t.cu", &err);
        if (!BAD_USERS[i].error) {
            cr_expect_eq(status, AT_OK, "%s", err.text);
            atx_template_close(t);
            continue;
        }
        cr_expect_eq(status, AT_ERR_INPUT, "%s", source);
        cr_expect_not_null(strstr(err.text, BAD_USERS[i].error), "%s", err.text);
    }
    atx_op_close(op);
}

static const struct {
    const char *file, *text, *error;
} BAD_FILES[] = {
    { "a.cuh", "int a;", "a.cuh:1:1: found no declaration" },
    { "x/a.cuh", "/*!autotune\ncommon b\n*/",
      "x/a.cuh:2:8: found 'b'; expected the name of the file, which would be b.cuh" },
    { "a.cu", "/*!autotune\ncommon a\n*/",
      "a.cu:2:8: found 'a'; expected the name of the file, which would be a.cuh" },
    { "a.cuh", "/*!autotune\ncommon a\ngrid 1\n*/",
      "a.cuh:3:1: found 'grid'; expected one of common use param each let const require prefer language" },
    { "a.cuh", "/*!autotune\ncommon a\n", "a.cuh:1:12: found the end of the file in a declaration" },
    { "known.cuh", "/*!autotune\ncommon known\n*/", "known.cuh: found common code 'known' a second time" },
    { "op.cuh", "/*!autotune\noq op\n*/",
      "found 'oq'; expected 'op NAME', 'template NAME' or 'common NAME' first" },
};

Test(common, says_what_is_wrong_with_a_file)
{
    add("x/known.cuh", "/*!autotune\ncommon known\n*/");
    for (size_t i = 0; i < sizeof BAD_FILES / sizeof *BAD_FILES; i++) {
        at_error err = { 0 };
        cr_expect_eq(
            atx_commons_add(&library, BAD_FILES[i].text, strlen(BAD_FILES[i].text), BAD_FILES[i].file, &err),
            AT_ERR_INPUT);
        cr_expect_not_null(strstr(err.text, BAD_FILES[i].error), "%s", err.text);
    }
    cr_assert_eq(library.count, 1);
}

/* As many as fit, each of which uses the one before. */
Test(common, a_chain_has_an_end)
{
    char text[200], file[40];
    add("n0.cuh", "/*!autotune\ncommon n0\n*/");
    for (int i = 1; i < 70; i++) {
        snprintf(file, sizeof file, "n%d.cuh", i);
        snprintf(text, sizeof text, "/*!autotune\ncommon n%d\nuse n%d\n*/", i, i - 1);
        add(file, text);
    }
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_with(op, MINI_SPACE("use n63\n"));
    cr_assert_eq(t->text.part_count, 65);
    atx_template_close(t);
    at_error err = { 0 };
    static const char LONGER[] = MINI_SPACE("use n64\n");
    cr_assert_eq(atx_template_read_with(&t, op, &library, LONGER, strlen(LONGER), "t.cu", &err),
                 AT_ERR_INPUT);
    cr_assert_not_null(
        strstr(err.text, "n1.cuh:3:5: found 'n0', one file of common code too many; expected at most 64"),
        "%s", err.text);
    atx_op_close(op);
}
