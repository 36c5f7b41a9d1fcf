/*
 * older_program.c - a program that was compiled with another header: one whose structs lack their last
 * members (OLDER), or one whose structs have some that the library does not know (NEWER); see CMakeLists.txt
 * beside, which makes the headers of this one. Guards lie behind all that the library may write to.
 */
#include <autotune/autotune.h>

#include <stdio.h>
#include <string.h>

/* The initializers of the headers that are made for it name the first member only. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define GUARD 0x5a

static int failures;

static void expect(int holds, const char *what, const at_error *err)
{
    if (holds)
        return;
    fprintf(stderr, "not so: %s (%s)\n", what, err->text);
    failures++;
}

/* A struct, and memory behind it that is nobody's but ours. */
typedef struct guarded {
    at_problem problem;
    unsigned char guard[512];
} guarded;

static guarded make_problem(void)
{
    const at_problem begin = AT_PROBLEM_INIT;
    guarded g;
    memset(&g, GUARD, sizeof g);
    g.problem = begin;
    return g;
}

static int is_whole(const guarded *g)
{
    for (size_t i = 0; i < sizeof g->guard; i++)
        if (g->guard[i] != GUARD)
            return 0;
    return 1;
}

static void ask(at_tuner *tuner)
{
    at_error err = { AT_OK, "" };
    at_target target = AT_TARGET_INIT;
    at_found *found = NULL;
    char *source = NULL;
    guarded g = make_problem();
    target.arch = "sm_90";
    expect(at_problem_parse(&g.problem, tuner, "transpose 3x17x1000@4 f32", &err) == AT_OK && is_whole(&g),
           "a problem is read, and nothing behind it is written", &err);
    expect(g.problem.size_count == 3 && g.problem.sizes[2] == 1000 && g.problem.alignments[1] == 4 &&
               g.problem.struct_bytes == sizeof g.problem,
           "it is the one that was written", &err);
    expect(at_find(&found, tuner, &g.problem, &target, &err) == AT_OK, "it has an answer", &err);
    if (!found)
        return;
    at_found copy = *found; /* as long as this program's header says */
    expect(strcmp(copy.shape, "3x17x1000@4") == 0 && copy.launch_count == 1, "of that problem", &err);
    const at_launch *launch = copy.launches[0];
    int scalars = 0;
    for (int i = 0; i < launch->arg_count; i++)
        scalars += launch->args[i]->role == AT_ROLE_SCALAR;
    expect(launch->arg_count == 7 && scalars == 5 && strcmp(launch->args[1]->name, "in") == 0,
           "its arguments are told one by one", &err);
    expect(at_source(&source, &copy, &err) == AT_OK && source && strstr(source, "transpose"),
           "a copy of the answer is as good as the answer", &err);
    at_free(source);
    at_found_close(found);
    const at_run_options run = AT_RUN_OPTIONS_INIT; /* there may be no GPU: what they say is read before */
    expect(at_prepare(NULL, tuner, &g.problem, &run, &err) != AT_ERR_USAGE, "options of a run are understood",
           &err);
}

#ifdef NEWER
static void refuse(at_tuner *tuner)
{
    at_error err = { AT_OK, "" };
    at_found *found = NULL;
    guarded g = make_problem();
    expect(at_problem_parse(&g.problem, tuner, "transpose 8x8 f32", &err) == AT_OK, "a problem is read",
           &err);
    expect(g.problem.later == 0, "what the library does not know is 0", &err);
    g.problem.later = 1;
    expect(at_find(&found, tuner, &g.problem, NULL, &err) == AT_ERR_USAGE &&
               strstr(err.text, "does not know"),
           "a member that the library does not know is refused when it says something", &err);
}
#else
static void refuse(at_tuner *tuner)
{
    at_error err = { AT_OK, "" };
    const int64_t extents[] = { 8, 8 };
    const int order[] = { 1, 0 };
    guarded g = make_problem();
    (void)tuner;
    g.problem.op = "untouched";
    expect(at_permute(&g.problem, AT_TYPE_F32, 2, extents, order, &err) == AT_ERR_USAGE && is_whole(&g) &&
               strcmp(g.problem.op, "untouched") == 0,
           "what the struct has no room for is refused, and nothing is written", &err);
    g.problem.struct_bytes = 0;
    expect(at_permute(&g.problem, AT_TYPE_F32, 2, extents, order, &err) == AT_ERR_USAGE,
           "a size of 0 is refused", &err);
}
#endif

int main(void)
{
    at_error err = { AT_OK, "" };
    at_tuner *tuner = NULL;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    options.cache = "";
    expect(at_open(&tuner, &options, &err) == AT_OK, "a tuner opens", &err);
    if (tuner) {
        ask(tuner);
        refuse(tuner);
    }
    at_close(tuner);
    return failures != 0;
}
