/* test_indices.c - names that are families, n[k], and what goes over them: sum(k: n[k]). */
#include <inttypes.h>
#include <stdio.h>

#include "declare_support.h"

/* ---- expressions ---- */

/* n0 to n3, and one that belongs to no family. */
static const char *const NAMES[] = { "n0", "n1", "n2", "n3", "one", "sum" };
static const int64_t VALUES[] = { 2, 3, 5, 7, 1, 100 };
enum { COUNT = sizeof NAMES / sizeof *NAMES };

static int find(const void *context, const char *name, size_t len)
{
    (void)context;
    for (int i = 0; i < COUNT; i++)
        if (strlen(NAMES[i]) == len && memcmp(NAMES[i], name, len) == 0)
            return i;
    return -1;
}

/* j is 2 here; k and l have no value of their own; up goes the other way. */
static const atx_indices INDICES = {
    .items = { { "j", 0, 3, 2, true },
               { "k", 0, 3, 0, false },
               { "l", 0, 3, 0, false },
               { "up", 3, 0, 0, false } },
    .count = 4,
};
static const atx_scope SCOPE = { .find = find, .indices = &INDICES };

static at_status evaluate(int64_t *out, const char *text, at_error *err)
{
    atx_expr *expr = NULL;
    const atx_where place = { .file = "x.cu", .line = 12, .column = 5 };
    at_status status = atx_expr_compile(&expr, text, strlen(text), &SCOPE, place, err);
    if (status == AT_OK)
        status = atx_expr_eval(out, expr, VALUES, err);
    atx_expr_close(expr);
    return status;
}

static const struct {
    const char *text;
    int64_t value;
} MEANT[] = {
    { "n[j]", 5 },
    { "n[j + 1] - n[j - 2]", 5 },
    { "n[0] + n[ 1 ]", 5 },
    { "j * 10 + j", 22 },
    { "sum(k: n[k])", 17 },
    { "sum(k: k)", 6 },
    { "product(k: n[k])", 210 },
    { "product(k > j: n[k])", 7 },
    { "product(k >= j: n[k])", 35 },
    { "product(k < j: n[k])", 6 },
    { "product(k <= 1: n[k])", 6 },
    { "product(k == 3: n[k])", 7 },
    { "product(k != j: n[k]) + one", 43 },
    { "sum(k < j + 1: n[k])", 10 },
    { "min(k: n[k] % 5)", 0 },
    { "max(k: n[k] % 5)", 3 },
    { "gcd(k: 6 * n[k])", 6 },
    { "gcd(k == 3: -n[k])", 7 },
    { "all(k: n[k])", 1 },
    { "all(k: n[k] - 7)", 0 },
    { "any(k: n[k] == 5)", 1 },
    { "any(k: n[k] == 4)", 0 },
    { "all(k < 2: n[k] < 5) && !any(k > 2: n[k] == 5)", 1 },
    { "sum(k: sum(l > k: n[l]))", 15 + 12 + 7 },
    { "sum(k > 0: n[k - 1])", 10 },
    { "sum(up > 0: n[up - 1])", 10 },
    /* of none */
    { "sum(k > 9: n[k])", 0 },
    { "product(k > 9: n[k])", 1 },
    { "all(k > 9: n[k])", 1 },
    { "any(k > 9: n[k])", 0 },
    { "gcd(k > 9: n[k])", 0 },
    { "sum(k > 9: n[k + 90] + min(l > 9: n[l])) + one", 1 },
    /* functions and names stay what they are */
    { "min(j, 3)", 2 },
    { "max(n[j], one) + gcd(j, 4)", 7 },
    { "sum + 1", 101 },
    /* what is not taken is not evaluated */
    { "any(k: n[k] == 5 || 1 / (n[k] - 7))", 1 },
};

Test(indices, expressions_are_what_would_be_written_by_hand)
{
    for (size_t i = 0; i < sizeof MEANT / sizeof *MEANT; i++) {
        int64_t value = -1;
        at_error err = { 0 };
        cr_assert_eq(evaluate(&value, MEANT[i].text, &err), AT_OK, "%s", err.text);
        cr_assert_eq(value, MEANT[i].value, "%s is %" PRId64, MEANT[i].text, value);
    }
}

/* ---- any of them ---- */

static unsigned next_random(unsigned *state, unsigned below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % below;
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    return b ? greatest_divisor(b, a % b) : a < 0 ? -a : a;
}

/* What a fold makes of its values so far and the next one. */
static int64_t fold_in(unsigned kind, int64_t so_far, int64_t next)
{
    const int64_t results[] = { so_far + next,
                                so_far * next,
                                so_far && next,
                                so_far || next,
                                greatest_divisor(so_far, next),
                                so_far < next ? so_far : next,
                                so_far > next ? so_far : next };
    return results[kind];
}

/* Adds what is drawn from `state` to the text; returns its value by the rules. Indices that have none are -1.
 */
static int64_t draw(char *text, unsigned *state, int depth, int64_t values[4])
{
    static const char *const FOLDS[] = { "sum", "product", "all", "any", "gcd", "min", "max" };
    static const int64_t NOTHING[] = { 0, 1, 1, 0, 0, 99, -99 };
    char *end = text + strlen(text);
    const unsigned kind = depth ? next_random(state, 3) : 0, index = next_random(state, 4);
    const char *name = INDICES.items[index].name;
    if (kind == 1) {
        strcpy(end, "(");
        const int64_t left = draw(end, state, depth - 1, values);
        strcat(end, " - ");
        const int64_t right = draw(end, state, depth - 1, values);
        strcat(end, ")");
        return left - right;
    }
    if (kind == 0 || values[index] >= 0) { /* of j where this one has no value */
        const unsigned of = values[index] >= 0 ? index : 0;
        sprintf(end, index & 1 ? "n[%s]" : "%s", INDICES.items[of].name);
        return index & 1 ? VALUES[values[of]] : values[of];
    }
    const unsigned fold = next_random(state, 7), least = fold < 5 ? next_random(state, 6) : 0;
    int64_t found = NOTHING[fold];
    const unsigned begin = *state;
    for (int i = 0; i < 5; i++) { /* at first for the text alone */
        char body[4096] = "";
        const int64_t value = i ? (index == 3 ? 4 - i : i - 1) : 0;
        *state = begin;
        values[index] = value;
        const int64_t next = draw(body, state, depth - 1, values) % 5;
        if (!i)
            sprintf(end, "%s(%s >= %u: %s %% 5)", FOLDS[fold], name, least, body);
        else if (value >= least)
            found = fold_in(fold, found, next);
    }
    values[index] = -1;
    return found;
}

Test(indices, any_folds_are_what_they_mean)
{
    unsigned state = 3;
    for (int i = 0; i < 3000; i++) {
        char text[4096] = "";
        int64_t values[4] = { 2, -1, -1, -1 }, value = -1, meant = draw(text, &state, 1 + i % 5, values);
        at_error err = { 0 };
        cr_assert_eq(evaluate(&value, text, &err), AT_OK, "%s: %s", text, err.text);
        cr_assert_eq(value, meant, "%s is %" PRId64 ", meant was %" PRId64, text, value, meant);
    }
}

static const struct {
    const char *text, *message;
} REFUSED[] = {
    { "n[k]", "12:7: index 'k' has no value here; expected it within 'sum(k: ...)' or the like" },
    { "one + k", "12:11: index 'k' has no value here; expected it within 'sum(k: ...)' or the like" },
    { "n[j + 9]", "12:5: unknown name 'n11', which 'n[j + 9]' is here" },
    { "m[j]", "12:5: unknown name 'm2', which 'm[j]' is here" },
    { "sum(k: n[k - 1])", "12:12: unknown name 'n-1', which 'n[k - 1]' is here" },
    { "n[one]", "12:7: found 'one'; expected an index or a number below 1000" },
    { "n[1000]", "12:7: found '1000'; expected an index or a number below 1000" },
    { "n[j * 2]", "12:9: found '*'; expected ']'" },
    { "sum(k n[k])", "12:11: found 'n'; expected a comparison or ':'" },
    { "sum(k > 1 n[k])", "12:15: found 'n'; expected ':'" },
    { "sum(k: n[k]", "12:16: found nothing more; expected an operator or ')'" },
    { "sum(j: n[j])", "12:9: index 'j' has a value here; expected another one" },
    { "sum(k: sum(k: n[k]))", "12:16: index 'k' has a value here; expected another one" },
    { "min(k > 9: n[k])", "12:5: found no value of 'k' to take the min of; expected one at least" },
    { "product(n0)",
      "12:5: unknown function 'product'; expected one of min max ceil_div gcd is_pow2 log2 abs "
      "sizeof, or sum product all any of an index" },
    { "sum(k: 1 / (n[k] - 5))", "12:14: division by zero in '1 / (n[k] - 5)'" },
};

Test(indices, messages_tell_the_place_in_the_text)
{
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        int64_t value;
        at_error err = { 0 };
        cr_assert_eq(evaluate(&value, REFUSED[i].text, &err), AT_ERR_INPUT, "%s", REFUSED[i].text);
        cr_assert_str_eq(err.text + strlen("x.cu:"), REFUSED[i].message, "%s", REFUSED[i].text);
    }
}

/* Each level has every element of the one below: with 60 elements three levels are 216,000. */
Test(indices, what_comes_to_too_much_code_is_refused_at_once)
{
    static const atx_indices MANY = {
        .items = { { "a", 0, 59, 0, false }, { "b", 0, 59, 0, false }, { "c", 0, 59, 0, false } }, .count = 3
    };
    const char *const text = "sum(a: sum(b: sum(c: one)))";
    const atx_scope scope = { .find = find, .indices = &MANY };
    const atx_where place = { .file = "x.cu", .line = 1, .column = 1 };
    atx_expr *expr = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_expr_compile(&expr, text, strlen(text), &scope, place, &err), AT_ERR_INPUT);
    cr_assert_not_null(strstr(err.text, "the expression comes to more than 16384 steps"), "%s", err.text);
}

/* An expression of a declaration without indices reads as it did: T[count], and a list of sizes. */
Test(indices, without_indices_a_bracket_ends_an_expression)
{
    const atx_scope none = { .find = find };
    const atx_where place = { .file = "x.cu", .line = 1, .column = 1 };
    atx_expr *expr = NULL;
    size_t used = 0;
    at_error err = { 0 };
    cr_assert_eq(atx_expr_compile_first(&expr, &used, "n0[1]", 5, &none, place, &err), AT_OK, "%s", err.text);
    cr_assert_eq(used, 2);
    atx_expr_close(expr);
}

/* ---- declarations ---- */

static const atx_let *let_called(const atx_let *lets, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(lets[i].name, name) == 0)
            return &lets[i];
    return NULL;
}

static atx_op *op_of_sizes(void)
{
    return read_op(
        "/*!autotune\nop mini\nshape n0=1 n1=1 n2\ntype T = storage\neach j k = 0..2 # dimensions\n"
        "let count = product(k: n[k])\nlet after[j] = product(k > j: n[k])\n"
        "arg y T[count] output\nreference r\ngrid 1\nblock 1\ntraffic count\n*/ r");
}

Test(indices, a_family_is_a_let_for_each_value)
{
    atx_op *op = op_of_sizes();
    int64_t slots[ATX_MAX_SLOTS], sizes[3] = { 4, 5, 6 };
    atx_limits limits = some_limits();
    atx_problem problem;
    at_error err = { 0 };
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F32, sizes, 3, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_bind(slots, &problem, &limits, &err), AT_OK, "%s", err.text);
    static const struct {
        const char *name;
        int64_t value;
    } WANTED[] = { { "count", 120 }, { "after0", 30 }, { "after1", 6 }, { "after2", 1 } };
    for (size_t i = 0; i < sizeof WANTED / sizeof *WANTED; i++) {
        const atx_let *let = let_called(op->scope.lets, op->scope.let_count, WANTED[i].name);
        cr_assert_not_null(let, "%s", WANTED[i].name);
        cr_assert_eq(slots[let->slot], WANTED[i].value, "%s", WANTED[i].name);
    }
    cr_assert_eq(op->scope.let_count, 4);
    atx_op_close(op);
}

/* Downwards, so that each can be made of the one before it. A template knows the op's indices. */
Test(indices, a_family_may_be_made_of_its_own_earlier_ones)
{
    atx_op *op = op_of_sizes();
    atx_template *t =
        read_template(op, MINI_SPACE("each b = 1..0\nconst s2 = 1\nconst s[b] = s[b + 1] * n[b + 1]\n"
                                     "require all(k: s[k] == after[k])\n"));
    static const char *const NAMED[] = { "s2", "s1", "s0" };
    cr_assert_eq(t->scope.let_count, 3);
    for (int i = 0; i < 3; i++) {
        cr_assert_str_eq(t->scope.lets[i].name, NAMED[i]);
        cr_assert(t->scope.lets[i].rendered);
    }
    atx_template_close(t);
    atx_op_close(op);
}

/* 62 characters: with a digit it is as long as a name may be. */
#define LONGEST "a123456789b123456789c123456789d123456789e123456789f123456789g1"

Test(indices, a_name_with_its_index_is_as_long_as_a_name_may_be)
{
    atx_op *op = op_of_sizes();
    atx_template *t = read_template(op, MINI_SPACE("let " LONGEST "[k] = n[k]\n"));
    cr_assert_eq(t->scope.let_count, 3);
    cr_expect(let_called(t->scope.lets, t->scope.let_count, LONGEST "2"));
    atx_template_close(t);
    atx_op_close(op);
}

static const struct {
    const char *lines, *message;
} WRONG[] = {
    { "let a[d] = 1\n", "t.cu:3:7: found 'd'; expected an index of a line 'each' above" },
    { "let a[] = 1\n", "t.cu:3:7: found ']'; expected an index" },
    { "let " LONGEST "3[k] = 1\n",
      "t.cu:3:5: found a name of 63 characters; expected at most 62 before an index" },
    { "let a[k = 1\n", "t.cu:3:9: found '='; expected ']'" },
    { "let n[k] = 1\n", "t.cu:3:5: found 'n0' a second time; expected a new name" },
    { "each count = 0..7\n", "t.cu:3:6: found 'count' a second time; expected a new name" },
    { "each k = 0..7\n", "t.cu:3:6: found 'k' a second time; expected a new name" },
    { "let k = 1\n", "t.cu:3:5: found 'k' a second time; expected a new name" },
    { "each min = 0..7\n", "t.cu:3:6: found 'min'; expected a name that C++, CUDA and autotune leave free" },
    { "each a b c = 0..7\n", "t.cu:3:10: found more than 4 indices; expected fewer" },
    { "each = 0..7\n", "t.cu:3:6: found '='; expected the name of an index" },
    { "each a 0..7\n", "t.cu:3:8: found '0..7'; expected another index, or '=' and their values" },
    { "each a = 0,7\n", "t.cu:3:11: found ','; expected '..' and the last value" },
    { "each a = 0..-1\n", "t.cu:3:10: found the values 0 to -1; expected them from 0 to 255" },
    { "each much_too_long_a_name = 0..7\n",
      "t.cu:3:6: found an index of 20 characters; expected at most 15" },
};

Test(indices, wrong_lines_say_what_was_expected)
{
    atx_op *op = op_of_sizes();
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        char source[400];
        atx_template *t = NULL;
        at_error err = { 0 };
        snprintf(source, sizeof source, "/*!autotune\ntemplate t\n%sgrid 1\nblock 1\n*/\nvoid mini_t() {}\n",
                 WRONG[i].lines);
        cr_assert_eq(atx_template_read(&t, op, source, strlen(source), "t.cu", &err), AT_ERR_INPUT, "%s",
                     WRONG[i].lines);
        cr_assert_str_eq(err.text, WRONG[i].message);
    }
    atx_op_close(op);
}
