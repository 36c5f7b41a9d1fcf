/*
 * library_faults.c - a program that uses <autotune/autotune.h> as its users do, while calls fail (faults.c).
 *
 *     library_faults DATABASE [compile]     with `compile` also code, from NVRTC or the cache
 *
 * Prints a line for each question: the answer, or "error" and which. An answer must be the one that is given
 * when nothing fails: that is for the caller to compare. Each question is asked twice of one tuner, so that
 * what failed the first time may not spoil the second.
 */
#include <autotune/autotune.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    at_problem problem;
    at_target target;
} QUESTIONS[] = {
    { "tuned",
      { .struct_bytes = sizeof(at_problem),
        .op = "transpose",
        .type = AT_TYPE_F32,
        .size_count = 2,
        .sizes = { 4096, 4096 } },
      { sizeof(at_target), "NVIDIA H200", "sm_90", 132 } },
    { "any_device",
      { .struct_bytes = sizeof(at_problem),
        .op = "transpose",
        .type = AT_TYPE_I32,
        .size_count = 2,
        .sizes = { 4096, 4096 } },
      AT_TARGET_INIT },
    { "near",
      { .struct_bytes = sizeof(at_problem),
        .op = "transpose",
        .type = AT_TYPE_F32,
        .size_count = 2,
        .sizes = { 4096, 2048 } },
      { sizeof(at_target), "NVIDIA H200", "sm_90", 132 } },
    { "other_device",
      { .struct_bytes = sizeof(at_problem),
        .op = "transpose",
        .type = AT_TYPE_F32,
        .size_count = 2,
        .sizes = { 4096, 4096 } },
      { sizeof(at_target), "NVIDIA A100", "sm_80", 108 } },
    { "none",
      { .struct_bytes = sizeof(at_problem),
        .op = "copy",
        .type = AT_TYPE_F32,
        .size_count = 1,
        .sizes = { 1000 } },
      { sizeof(at_target), NULL, "sm_90", 132 } },
};
enum { QUESTION_COUNT = sizeof QUESTIONS / sizeof *QUESTIONS };

static void print_error(const char *name, const char *what, at_status status, const at_error *err)
{
    printf("%s %s: error %s: %s\n", name, what, at_status_name(status),
           err->status == status ? err->text : "AND NO TEXT");
}

static unsigned sum_of(const char *bytes, size_t count)
{
    unsigned sum = 2166136261u;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * 16777619u;
    return sum;
}

static void show_source(const char *name, const at_found *found)
{
    at_error err = { 0 };
    char *source = NULL;
    at_status status = at_source(&source, found, &err);
    if (status == AT_OK)
        printf("%s source: %zu %08x\n", name, strlen(source), sum_of(source, strlen(source)));
    else
        print_error(name, "source", status, &err);
    at_free(source);
}

static void show_code(const char *name, at_tuner *tuner, const at_found *found)
{
    at_error err = { 0 };
    at_code *code = NULL;
    at_status status = at_compile(&code, tuner, found, AT_CODE_CUBIN, NULL, &err);
    if (status == AT_OK)
        printf("%s code: %zu %08x\n", name, code->bytes, sum_of(code->data, code->bytes));
    else
        print_error(name, "code", status, &err);
    at_code_close(code);
}

static void ask(at_tuner *tuner, int i, bool compile)
{
    at_error err = { 0 };
    at_found *found = NULL;
    const char *name = QUESTIONS[i].name;
    at_status status = at_find(&found, tuner, &QUESTIONS[i].problem, &QUESTIONS[i].target, &err);
    if (status != AT_OK) {
        print_error(name, "answer", status, &err);
        return;
    }
    printf("%s answer: %s %s %s %s %lld %.3g %s\n", name, at_match_name(found->match), found->template_name,
           found->config, found->device, (long long)found->launches[0]->grid[0], found->median_s, found->why);
    show_source(name, found);
    if (compile && i == 0)
        show_code(name, tuner, found);
    at_found_close(found);
}

int main(int argc, char **argv)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    if (argc < 2)
        return 2;
    options.database = argv[1];
    at_status status = at_open(&tuner, &options, &err);
    if (status != AT_OK)
        print_error("tuner", "open", status, &err);
    for (int i = 0; tuner && i < 2 * QUESTION_COUNT; i++)
        ask(tuner, i % QUESTION_COUNT, argc > 2);
    at_close(tuner);
    if (fflush(stdout) == 0)
        return 0;
    fprintf(stderr, "library_faults: cannot write what was found\n");
    return 5;
}
