/* test_sequence.c - loops around launches: how they are declared, and the launches that they come to. */
#include "compile/sequence.h"
#include "declare_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define OP(lines)                                                                                            \
    "/*!autotune\nop mini\nshape n steps\ntype T = f32\narg out T[n] output\narg in T[n] input constant 1\n" \
    "scratch tmp T[n]\narg state T[n] inout constant 1\narg more T[n + steps] inout constant 1\n"            \
    "arg half f16[n] output\narg n i32\nreference r\ngrid n\nblock 1\ntraffic n\n" lines "*/ r"
#define STEPS(lines) "/*!autotune\ntemplate t\n" lines "\n*/ mini_t f g"

enum { OUT, IN, TMP, STATE, MORE, HALF, SIZE, N = 64 };

/* One launch as "0 64: out tmp 8", with scalars that iterations change; all of them, "; " between. */
static char *launches_of(const char *op_text, const char *template_text, int64_t steps, at_status *status,
                         at_error *err)
{
    static char text[4096];
    static const char *const BUFFERS[] = { "out", "in", "tmp", "state", "more", "half" };
    int64_t slots[ATX_MAX_SLOTS] = { N, steps };
    atx_kernel kernel = { .more_count = ATX_MAX_STEPS - 1 };
    atx_kernel_launch one;
    atx_str launches = { 0 };
    size_t at = 0, len = 0;
    atx_op *op = read_op(op_text);
    atx_template *t = template_text ? read_template(op, template_text) : NULL;
    for (int i = 0; i < ATX_MAX_ARGS; i++) /* as scalars are */
        kernel.args[i].buffer = kernel.more[0].args[i].buffer = kernel.more[1].args[i].buffer = -1;
    const atx_sequence sequence = { op, t, t ? &t->call.loops : &op->expected.loops };
    text[0] = '\0';
    *status = atx_sequence_write(&launches, &sequence, &kernel, slots, err);
    kernel.launches = launches.data;
    kernel.launches_len = launches.len;
    while (*status == AT_OK && atx_kernel_next(&one, &kernel, &at) && len < sizeof text - 100) {
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%d %d:", len ? "; " : "", one.step,
                                (int)one.geometry.grid[0]);
        for (int i = 0; i < one.arg_count; i++)
            if (one.args[i].buffer >= 0)
                len += (size_t)snprintf(text + len, sizeof text - len, " %s", BUFFERS[one.args[i].buffer]);
            else if (one.args[i].value)
                len += (size_t)snprintf(text + len, sizeof text - len, " %d", (int)one.args[i].value);
    }
    atx_str_clear(&launches);
    atx_template_close(t);
    atx_op_close(op);
    return text;
}

static void expect(const char *lines, int64_t steps, const char *launches)
{
    at_status status;
    at_error err = { 0 };
    char source[1024];
    snprintf(source, sizeof source, STEPS("%s"), lines);
    const char *found = launches_of(OP(""), source, steps, &status, &err);
    cr_assert_eq(status, AT_OK, "%s: %s", lines, err.text);
    cr_assert_str_eq(found, launches, "%s", lines);
}

Test(sequence, a_loop_repeats_what_is_in_it)
{
    expect("repeat steps\narg out\ngrid 7\nblock 1", 3, "0 7: out; 0 7: out; 0 7: out");
    expect("repeat steps\narg out\ngrid iteration + 1\nblock 1", 3, "0 1: out; 0 2: out; 0 3: out");
    expect("repeat k = 2..steps + 1\narg out\ngrid k\nblock 1", 2, "0 2: out; 0 3: out");
    expect("repeat k = steps..1 down\narg out\ngrid 1 << k\nblock 1", 3, "0 8: out; 0 4: out; 0 2: out");
    expect("launch f grid 1 block 1 arg out\nrepeat steps\nlaunch g grid 2 block 1 arg tmp\nend\n"
           "launch f grid 3 block 1 arg out",
           2, "0 1: out; 1 2: tmp; 1 2: tmp; 2 3: out");
}

Test(sequence, a_loop_may_have_no_iteration)
{
    expect("launch f grid 1 block 1 arg out\nrepeat k = 1..steps\nlaunch g grid 2 block 1 arg tmp", 0,
           "0 1: out");
    expect("launch f grid 1 block 1 arg out\nrepeat steps % 2\nlaunch g grid 2 block 1 arg tmp", 4,
           "0 1: out");
    expect("launch f grid 1 block 1 arg out\nrepeat steps % 2\nlaunch g grid 2 block 1 arg tmp", 5,
           "0 1: out; 1 2: tmp");
}

Test(sequence, loops_nest_and_read_the_outer_one)
{
    expect("repeat k = 1..steps\nrepeat j = k..1 down\narg out\ngrid 10 * k + j\nblock 1", 3,
           "0 11: out; 0 22: out; 0 21: out; 0 33: out; 0 32: out; 0 31: out");
    expect("repeat k = 1..steps\nlaunch f grid k block 1 arg out\nrepeat 2\nlaunch g grid 5 + iteration "
           "block 1 arg tmp\n"
           "end\nend\nrepeat k = 8..8\nlaunch f grid k block 1 arg tmp",
           2, "0 1: out; 1 5: tmp; 1 6: tmp; 0 2: out; 1 5: tmp; 1 6: tmp; 2 8: tmp");
}

Test(sequence, a_scalar_has_the_value_of_its_iteration)
{
    expect("repeat steps\nscalar at i32 = 10 + iteration\narg out at\ngrid 1\nblock 1", 2,
           "0 1: out 10; 0 1: out 11");
    expect("repeat k = 1..steps\nrepeat j = k - 1..0 down\nscalar length i32 = 1 << k\n"
           "scalar distance u8 = 1 << j\narg out length distance\ngrid 1\nblock 1",
           3, "0 1: out 2 1; 0 1: out 4 2; 0 1: out 4 1; 0 1: out 8 4; 0 1: out 8 2; 0 1: out 8 1");
}

/* As two pointers that a program exchanges. */
Test(sequence, buffers_are_swapped_after_each_iteration)
{
    expect("repeat steps swap state out\narg state out\ngrid 1\nblock 1", 3,
           "0 1: state out; 0 1: out state; 0 1: state out");
    expect("repeat steps swap state out\nlaunch f grid 1 block 1 arg state\nend\nlaunch g grid 1 block 1 arg "
           "state",
           3, "0 1: state; 0 1: out; 0 1: state; 1 1: out");
}

/* The last one writes the output, whatever their number; the input is read once, and written never. */
Test(sequence, a_chain_begins_with_its_input_and_ends_in_its_output)
{
    expect("repeat steps swap out tmp from in\narg out tmp\ngrid 1\nblock 1", 1, "0 1: out in");
    expect("repeat steps swap out tmp from in\narg out tmp\ngrid 1\nblock 1", 2, "0 1: tmp in; 0 1: out tmp");
    expect("repeat steps swap out tmp from in\narg out tmp\ngrid 1\nblock 1", 3,
           "0 1: out in; 0 1: tmp out; 0 1: out tmp");
    expect("repeat steps swap out tmp from in\nlaunch f grid 1 block 1 arg out tmp\nend\nlaunch g grid 1 "
           "block 1 arg out",
           2, "0 1: tmp in; 0 1: out tmp; 1 1: out");
}

Test(sequence, the_reference_has_loops_too)
{
    at_status status;
    at_error err = { 0 };
    const char *found = launches_of(OP("repeat steps swap out tmp from in\n"), NULL, 2, &status, &err);
    cr_assert_eq(status, AT_OK, "%s", err.text);
    cr_assert_str_eq(found, "0 64: tmp in in state more half; 0 64: out in tmp state more half");
}

static void expect_failure(const char *lines, int64_t steps, const char *message)
{
    at_status status;
    at_error err = { 0 };
    char source[1024];
    snprintf(source, sizeof source, STEPS("%s"), lines);
    launches_of(OP(""), source, steps, &status, &err);
    cr_assert_eq(status, AT_ERR_INPUT, "%s", lines);
    cr_assert(strstr(err.text, message), "found: %s\nexpected: %s", err.text, message);
}

Test(sequence, says_what_cannot_be_launched)
{
    expect_failure("repeat steps\nscalar at u8 = 250 + iteration\narg out at\ngrid 1\nblock 1", 9,
                   "found at = 256; expected 0 to 255, as t.cu:4:8 declares it u8");
    expect_failure("repeat steps\narg out\ngrid 1\nblock 1", 4097, "t.cu:3:8: found more than 4096 launches");
    expect_failure("repeat steps\nrepeat k = 1..0\narg out\ngrid 1\nblock 1", 1 << 30,
                   "found more than 4096 launches");
    expect_failure("repeat steps\narg out\ngrid 1\nblock 1", 0, "t.cu:3:8: found no launch at all");
    expect_failure("repeat steps\narg out\ngrid iteration\nblock 1", 2, "grid 'iteration' is 0; expected 1");
    expect_failure("repeat steps swap state more\narg out\ngrid 1\nblock 1", 2,
                   "found 64, 66 and 64 elements in buffers");
    expect_failure("repeat n / (steps - 2)\narg out\ngrid 1\nblock 1", 2, "division by zero");
}

static const struct {
    const char *lines, *message;
} BAD[] = {
    { "repeat", "t.cu:3:7: found nothing more; expected a number" },
    { "repeat k = 1\ngrid 1\nblock 1", "t.cu:3:13: found the end of the line; expected '..'" },
    { "repeat k = 1..\ngrid 1\nblock 1", "found nothing more; expected a number" },
    { "repeat n = 1..2\ngrid 1\nblock 1", "t.cu:3:8: found 'n' a second time; expected a new name" },
    { "repeat 2\nrepeat 2\ngrid 1\nblock 1", "t.cu:4:8: found 'iteration' a second time" },
    { "repeat 2 swap\ngrid 1\nblock 1", "found the end of the line; expected a buffer of the operation" },
    { "repeat 2 swap out n\ngrid 1\nblock 1",
      "t.cu:3:19: found 'n'; expected a buffer of the operation mini" },
    { "repeat 2 swap out in\ngrid 1\nblock 1", "t.cu:3:19: found the input 'in', which no kernel may write" },
    { "repeat 2 swap out out\ngrid 1\nblock 1", "t.cu:3:15: found one buffer; expected two" },
    { "repeat 2 swap out half\ngrid 1\nblock 1", "t.cu:3:15: found buffers of other types" },
    { "repeat 2 swap out tmp from half\ngrid 1\nblock 1", "t.cu:3:15: found buffers of other types" },
    { "repeat 2 twice\ngrid 1\nblock 1", "t.cu:3:10: found 'twice'; expected the end of the line" },
    { "end\ngrid 1\nblock 1", "t.cu:3:1: found the end of no loop; expected a line 'repeat EXPR'" },
    { "launch f grid 1 block 1\nrepeat 2", "found the end of a loop without a launch (line 4)" },
    { "repeat 2\nlet a = iteration\ngrid 1\nblock 1",
      "t.cu:4:9: found 'iteration', which names a loop's iteration" },
    { "repeat 2\nrequire iteration < 2\ngrid 1\nblock 1", "which names a loop's iteration" },
};

Test(sequence, explains_bad_lines)
{
    atx_op *op = read_op(OP(""));
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        atx_template *t = NULL;
        at_error err = { 0 };
        char source[512];
        snprintf(source, sizeof source, STEPS("%s"), BAD[i].lines);
        cr_assert_eq(atx_template_read(&t, op, source, strlen(source), "t.cu", &err), AT_ERR_INPUT, "%s",
                     BAD[i].lines);
        cr_assert(strstr(err.text, BAD[i].message), "found: %s\nexpected: %s", err.text, BAD[i].message);
    }
    atx_op_close(op);
}
