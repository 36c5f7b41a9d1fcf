/*
 * test_memory_kernels.c - as test_memory.c: every allocation in turn fails, of what compiles kernels and what
 * runs them on the CPU.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "memory_support.h"
#include "compile/builder.h"
#include "declare/declare_files.h"
#include "explain/instance.h"
#include "lang/arch.h"
#include "source/allowed.h"
#include "temporary.h"

static char answer_folder[64];
static const atx_problem *watched_problem;

/* 64 zeroes of f32, as numpy.save writes them. */
static void put_answer(const char *path)
{
    static const char HEAD[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (64,), }\n";
    const unsigned char begin[10] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof HEAD - 1, 0 };
    const float zeroes[64] = { 0 };
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert(fwrite(begin, 1, sizeof begin, file) == sizeof begin &&
              fwrite(HEAD, 1, sizeof HEAD - 1, file) == sizeof HEAD - 1 &&
              fwrite(zeroes, 1, sizeof zeroes, file) == sizeof zeroes);
    cr_assert_eq(fclose(file), 0);
}

/* A kernel that copies its input, which is not what the file says is right. */
static at_status load_kernel(atx_program *p, at_error *err)
{
    static const char PTX[] = ".version 8.5\n.target sm_90\n.address_size 64\n"
                              ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"
                              ".reg .b32 %r<2>;\n.reg .b64 %d<5>;\n"
                              "ld.param.u64 %d0, [k_0];\nld.param.u64 %d1, [k_1];\nmov.u32 %r0, %tid.x;\n"
                              "mul.wide.u32 %d2, %r0, 4;\nadd.s64 %d3, %d1, %d2;\nadd.s64 %d4, %d0, %d2;\n"
                              "ld.global.u32 %r1, [%d3];\nst.global.u32 [%d4], %r1;\nret;\n}\n";
    at_status status = atx_ptx_parse(&p->module, PTX, sizeof PTX - 1, err);
    if (status != AT_OK)
        return status;
    p->compiled = true;
    p->entries[0] = atx_ptx_find_entry(p->module, "k");
    p->kernel = (atx_kernel){ .name = "k", .arg_count = 2, .args = { { .buffer = 0 }, { .buffer = 1 } } };
    p->kernel.geometry = (atx_geometry){ .grid = { 1, 1, 1 }, .block = { 64, 1, 1 } };
    return AT_OK;
}

static at_status watch_kernel(at_error *err)
{
    int64_t bound[ATX_MAX_SLOTS] = { 0 };
    atx_limits limits;
    atx_instance *instance = NULL;
    atx_tally *tally = NULL;
    atx_sample sample;
    atx_program p = { .module = NULL };
    atx_flaws flaws = { .count = 0 };
    atx_instance_options options = { .problem = watched_problem, .slots = bound, .cc = 90, .answer = true };
    atx_arch_limits(&limits, 90);
    at_status status = atx_problem_bind(bound, watched_problem, &limits, err);
    if (status == AT_OK)
        status = atx_instance_open(&instance, &options, err);
    if (status == AT_OK)
        status = load_kernel(&p, err);
    if (status == AT_OK)
        status = atx_instance_try(&flaws, instance, &p, err);
    if (status == AT_OK)
        status = atx_tally_open(&tally, p.module, err);
    if (status == AT_OK)
        status = atx_instance_count(tally, &sample, instance, &p, 0, err);
    if (status == AT_OK)
        count((size_t)flaws.count + 100 * (size_t)atx_tally_all(tally).traffic[ATX_GLOBAL_LOAD].bytes);
    atx_tally_close(tally);
    atx_program_close(&p);
    atx_instance_close(instance);
    return status;
}

/* What nobody has watched to its end must not pass for a kernel without a flaw. */
Test(memory, a_kernel_that_is_watched)
{
    static const char OP[] = "/*!autotune\nop watched\nshape n\ntype T = f32\narg y T[n] output\n"
                             "arg x T[n] input uniform 1 2\nreference file \"answer.npy\"\ntraffic n\n*/\n";
    char path[100], file[100];
    atx_op *watched = NULL;
    atx_problem problem;
    atx_allowed *allowed = NULL;
    atx_str notes = { 0 };
    at_error err = { 0 };
    TEMPORARY(answer_folder, "memory");
    cr_assert_not_null(mkdtemp(answer_folder));
    snprintf(path, sizeof path, "%s/answer.npy", answer_folder);
    snprintf(file, sizeof file, "%s/op.cu", answer_folder);
    put_answer(path);
    cr_assert_eq(atx_op_read(&watched, OP, sizeof OP - 1, file, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_allowed_open(&allowed, answer_folder, NULL, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_op_note_files(&notes, watched, allowed, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&problem, watched, ATX_F32, (int64_t[]){ 64 }, 1, &err), AT_OK, "%s",
                 err.text);
    watched_problem = &problem;
    fail_each(watch_kernel);
    cr_assert_eq(made, 1 + 100 * 256, "a wrong result, and 64 numbers that were read");
    atx_op_close(watched);
    atx_str_clear(&notes);
    atx_allowed_close(allowed);
    cr_assert_eq(remove(path), 0);
    cr_assert_eq(rmdir(answer_folder), 0);
}

static atx_nvrtc *nvrtc;

/* A key without the architecture would be that of other devices' kernels, too. */
static at_status look_up_kernel(at_error *err)
{
    atx_builder builder = { .nvrtc = nvrtc, .cc = 90 };
    atx_build build = { .done = false };
    atx_str_add(&build.source, "__global__ void k() {}");
    at_status status = atx_str_status(&build.source, err);
    if (status == AT_OK)
        status = atx_build_look_up(&build, &builder, err);
    for (const char *at = build.key; *at; at++)
        count((size_t)*at);
    atx_build_clear(&build);
    return status;
}

Test(memory, keys_of_compiled_kernels)
{
    if (atx_nvrtc_open(&nvrtc, NULL) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    fail_each(look_up_kernel);
    atx_nvrtc_close(nvrtc);
}
