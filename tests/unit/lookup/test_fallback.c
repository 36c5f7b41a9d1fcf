/* test_fallback.c - the kernel for problems without measurements: which template, and which of its
 * configurations.
 */
#include "lookup/fallback.h"
#include "store_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define OP                                                                                                   \
    "/*!autotune\nop fill\nshape n\ntype T = f32\narg out T[n] output\nreference r\ngrid 1\nblock 32\n"      \
    "check exact\ntraffic n * sizeof(T)\n*/\nextern \"C\" __global__ void r(T *out) {}\n"

#define TEMPLATE(name, lines)                                                                                \
    "/*!autotune\ntemplate " name "\n" lines "grid n\nblock 32\n*/\n"                                        \
    "extern \"C\" __global__ void fill_" name "(T *out) {}\n"

static void write_file(const folder *f, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/fill/%s", f->path, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert(fputs(text, file) >= 0 && fclose(file) == 0);
}

/* The files' names are those of the order. */
static folder write_templates(const char *const *templates)
{
    folder f = folder_make();
    char name[300];
    snprintf(name, sizeof name, "%s/fill", f.path);
    cr_assert_eq(mkdir(name, 0777), 0);
    write_file(&f, "op.cu", OP);
    for (int i = 0; templates[i]; i++) {
        snprintf(name, sizeof name, "%d.cu", i);
        write_file(&f, name, templates[i]);
    }
    return f;
}

typedef struct choice {
    at_status status;
    char text[300]; /* "plain A=1", or why there is none */
} choice;

/* For this many elements, of the templates in this order. */
static choice choose(const char *const *templates, int64_t n)
{
    choice c = { AT_OK, "" };
    at_error err = { 0 };
    atx_catalog *catalog = NULL;
    atx_problem problem;
    atx_str text = { 0 };
    int64_t slots[ATX_MAX_SLOTS];
    const atx_limits limits = {
        .cc = 90, .sms = 132, .max_threads_per_block = 1024, .max_grid_x = 2147483647
    };
    const atx_template *t = NULL;
    atx_config config;
    folder f = write_templates(templates);
    cr_assert_eq(atx_catalog_open(&catalog, f.path, &err), AT_OK, "%s", err.text);
    const atx_op *op = atx_catalog_find_op(catalog, "fill");
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F32, &n, 1, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_bind(slots, &problem, &limits, &err), AT_OK, "%s", err.text);
    c.status = atx_fallback(&t, &config, catalog, op, slots, NULL, &err);
    if (c.status == AT_OK)
        atx_config_text(&text, t, &config);
    snprintf(c.text, sizeof c.text, "%.60s%.130s%.100s", t ? t->name : "", t ? " " : err.text,
             atx_str_text(&text));
    atx_str_clear(&text);
    atx_catalog_close(catalog);
    folder_remove(&f);
    return c;
}

static void expect_choice(const char *wanted, int64_t n, const char *const *templates)
{
    const choice found = choose(templates, n);
    cr_assert_str_eq(found.text, wanted);
}

#define expect(wanted, n, ...) expect_choice(wanted, n, (const char *const[]){ __VA_ARGS__, NULL })

Test(fallback, more_choices_go_first_whatever_the_order)
{
    static const char FEW[] = TEMPLATE("few", "param A = 1 2\n"),
                      MANY[] = TEMPLATE("many", "param A = 1 2 3\n");
    static const char TWO[] = TEMPLATE("two", "param A = 1 2\nparam B = 5 6\n");
    expect("many A=1", 10, FEW, MANY);
    expect("many A=1", 10, MANY, FEW);
    expect("two A=1 B=5", 10, MANY, TWO, FEW);
}

Test(fallback, of_as_many_choices_the_name_decides)
{
    static const char B[] = TEMPLATE("b", "param A = 1 2\n"), A[] = TEMPLATE("a", "param A = 3 4\n");
    static const char C[] = TEMPLATE("c", "param A = 5 6\n");
    expect("a A=3", 10, A, B, C);
    expect("a A=3", 10, C, B, A);
    expect("a A=3", 10, B, A, C);
}

Test(fallback, declared_defaults_go_before_other_configurations)
{
    static const char MANY[] = TEMPLATE("many", "param A = 1 2 3\nrequire A > 2\ndefault A=2\n");
    static const char FEW[] = TEMPLATE("few", "param A = 1 2\ndefault A=2\n");
    expect("few A=2", 10, MANY, FEW);
    expect("many A=3", 10, MANY);
}

Test(fallback, a_template_that_does_not_fit_gives_way_and_the_last_word_tells_why)
{
    static const char MANY[] = TEMPLATE("many", "param A = 1 2 3\nrequire n % 4 == 0 # whole accesses\n");
    static const char FEW[] = TEMPLATE("few", "param A = 1 2\nrequire n < 100 # small\n");
    expect("many A=1", 400, MANY, FEW);
    expect("few A=1", 99, MANY, FEW);
    choice none = choose((const char *const[]){ MANY, FEW, NULL }, 401);
    cr_assert_eq(none.status, AT_ERR_NOT_FOUND);
    cr_assert(strstr(none.text, "many: ") && strstr(none.text, "whole accesses") &&
                  strstr(none.text, "small"),
              "%s", none.text);
}
