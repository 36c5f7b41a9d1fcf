/* test_struct.c - structs of an op: laid out as this compiler lays them out, what fields hold and are, bad
 * lines. */
#include "declare_support.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define OP(lines)                                                                                            \
    "/*!autotune\nop mini\nshape n\ntype T = f32\narg y T[n] output\narg x T[n] input uniform -1 1\n" lines  \
    "\nreference r\ngrid 1\nblock 1\ntraffic n\n*/ r"

typedef struct two {
    float x;
    double y;
} two;

/* Small ones between large ones, arrays, another struct, an alignment of its own, room at the end. */
typedef struct mixed {
    unsigned char a;
    short b;
    unsigned char c;
    long long d;
    _Bool e;
    float f[3][3];
    two g;
    signed char h;
    two i[2];
    _Alignas(16) float j[4];
    void *k;
    char l;
} mixed;

#define MIXED                                                                                                \
    OP("struct two = f32 x, f64 y\nstruct mixed = u8 a, i16 b, u8 c, i64 d, bool e, f32 f[3][3], two g, i8 " \
       "h, "                                                                                                 \
       "two i[2], \\\n  f32 j[4] align 16, const T *k = x, i8 l\nlet bytes = sizeof(mixed)")

Test(struct, fields_lie_where_a_compiler_puts_them)
{
    static const struct {
        const char *name;
        size_t offset;
    } FIELDS[] = {
        { "a", offsetof(mixed, a) },           { "b", offsetof(mixed, b) },
        { "c", offsetof(mixed, c) },           { "d", offsetof(mixed, d) },
        { "e", offsetof(mixed, e) },           { "f", offsetof(mixed, f) },
        { "g.x", offsetof(mixed, g.x) },       { "g.y", offsetof(mixed, g.y) },
        { "h", offsetof(mixed, h) },           { "i[0].x", offsetof(mixed, i[0].x) },
        { "i[0].y", offsetof(mixed, i[0].y) }, { "i[1].x", offsetof(mixed, i[1].x) },
        { "i[1].y", offsetof(mixed, i[1].y) }, { "j", offsetof(mixed, j) },
        { "k", offsetof(mixed, k) },           { "l", offsetof(mixed, l) },
    };
    enum { COUNT = sizeof FIELDS / sizeof *FIELDS };
    atx_op *op = read_op(MIXED);
    const atx_struct *s = atx_struct_find(op, "mixed", 5);
    cr_assert(s && s->field_count == COUNT);
    for (int i = 0; i < COUNT; i++) {
        cr_expect_str_eq(s->fields[i].name, FIELDS[i].name);
        cr_expect_eq(s->fields[i].offset, (int64_t)FIELDS[i].offset, "%s at %lld, not %zu", FIELDS[i].name,
                     (long long)s->fields[i].offset, FIELDS[i].offset);
    }
    cr_expect_eq(s->fields[5].count, 9);
    cr_expect_eq(s->bytes, (int64_t)sizeof(mixed));
    cr_expect_eq(s->align, (int64_t) _Alignof(mixed));
    cr_expect_str_eq(op->args[s->fields[14].arg].name, "x");
    atx_op_close(op);
}

typedef struct view {
    int n;
    float half, m[2];
    unsigned char flags[3];
    double same[2];
    float *y;
    float w[4];
} view;

Test(struct, by_value_it_has_the_values_of_its_fields)
{
    atx_op *op =
        read_op(OP("struct view = i32 n, f32 half = 1 / 2, f32 m[2] = { 0.25, n / 8 }, u8 flags[3] = 7, \\\n"
                   " f64 same[2] = 1e3, T *y, f32 w[4] uniform 5 6\narg v view"));
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    unsigned char bytes[ATX_MAX_STRUCT_BYTES];
    at_error err = { 0 };
    view v;
    slots[atx_symbols_find(&op->scope.symbols, "n", 1)] = 20;
    const atx_struct *s = atx_arg_struct(op, &op->args[2]);
    cr_assert_eq(s->bytes, (int64_t)sizeof v);
    cr_assert_eq(op->args[2].scalar_bytes, (int)sizeof v);
    cr_assert_eq(atx_struct_value(bytes, s, slots, &err), AT_OK, "%s", err.text);
    memcpy(&v, bytes, sizeof v);
    cr_expect(v.n == 20 && v.half == 0.5f && v.m[0] == 0.25f && v.m[1] == 2.5f);
    cr_expect(v.flags[0] == 7 && v.flags[2] == 7 && v.same[0] == 1000 && v.same[1] == 1000);
    cr_expect(!v.y, "whoever launches knows the address");
    for (int i = 0; i < 4; i++)
        cr_expect(v.w[i] >= 5 && v.w[i] < 6 && (i == 0 || v.w[i] < v.w[0] || v.w[i] > v.w[0]), "%g",
                  (double)v.w[i]);
    /* The buffer that it has is no parameter of a template that does not name it. */
    atx_template *t = read_template(op, MINI_SPACE(""));
    cr_assert_eq(t->call.steps[0].arg_count, 2);
    cr_expect_str_eq(atx_template_arg(t, t->call.steps[0].args[0])->name, "x");
    cr_expect_str_eq(atx_template_arg(t, t->call.steps[0].args[1])->name, "v");
    atx_template_close(t);
    atx_op_close(op);
}

/* What an op's arguments are refused for where they are used. */
Test(struct, a_value_that_a_field_does_not_have_is_refused)
{
    atx_op *op = read_op(OP("struct view = u8 n\narg v view"));
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    unsigned char bytes[ATX_MAX_STRUCT_BYTES];
    at_error err = { 0 };
    slots[atx_symbols_find(&op->scope.symbols, "n", 1)] = 256;
    cr_assert_eq(atx_struct_value(bytes, atx_arg_struct(op, &op->args[2]), slots, &err), AT_ERR_INPUT);
    cr_expect_not_null(strstr(err.text, "found 256; expected 0 to 255, as u8 has"), "%s", err.text);
    atx_op_close(op);
}

static const struct {
    const char *source, *message;
} BAD[] = {
    { OP("struct s = f32 a, f32 a"), "op.cu:7:23: found field 'a' a second time" },
    { OP("struct s = f99 a"), "op.cu:7:12: found 'f99'; expected an element type, a struct" },
    { OP("struct s = T a"), "found 'T'; expected an element type" },
    { OP("struct s = f32 a b"), "op.cu:7:18: found 'b'; expected" },
    { OP("struct s ="), "op.cu:7:11: found the end of the line" },
    { OP("struct s = f32 a[0]"), "found 0 elements; expected 1 to 4096" },
    { OP("struct s = f32 a[2000]"), "found a struct of more than 4096 bytes" },
    { OP("struct s = f32 a align 3"), "found an alignment of 3 bytes; expected a power of two" },
    { OP("struct s = f32 a[2] = { 1 }"), "found 1 values; expected 2, as many as 'a' has" },
    { OP("struct s = f32 a = { 1, 2 }"), "found more than 1 values" },
    { OP("struct s = float *z"), "found no buffer 'z' for the pointer 'z'" },
    { OP("struct s = float *z = n"), "found no buffer 'n' for the pointer 'z'" },
    { OP("struct s = float *y\narg p s[n] input"),
      "'y' is of s: a pointer; expected such a struct to be passed by value" },
    { OP("struct s = i32 m\narg p s"),
      "found no dimension or let called 'm', which a field without a value has" },
    { OP("struct s = i32 m uniform 0 1\narg p s[n] input"), "'m' is of i32: expected range" },
    { OP("struct s = i32 m\narg p s[n] input range 0 9"), "'p' is of s: expected nothing: its fields say" },
    { OP("struct s bytes 6 align 4"), "found 6 bytes; expected 1 to 4096, a multiple of the alignment" },
    { OP("struct s bytes 8\nstruct t = s a"), "whose fields are not known" },
    { OP("struct s = f32 a\nstruct s = f32 a"), "found struct 's' a second time" },
};

Test(struct, explains_bad_lines)
{
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        atx_op *op = NULL;
        at_error err = { 0 };
        cr_expect_eq(atx_op_read(&op, BAD[i].source, strlen(BAD[i].source), "op.cu", &err), AT_ERR_INPUT,
                     "%s", BAD[i].source);
        cr_expect(strstr(err.text, BAD[i].message), "%s\nfound: %s\nexpected: %s", BAD[i].source, err.text,
                  BAD[i].message);
        atx_op_close(op);
    }
}
