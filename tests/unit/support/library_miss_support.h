/*
 * library_miss_support.h - what tests of tuning at the first use share: a program that a test writes, and
 * tuners that start it. One copy a file.
 */
#pragma once

#include "fake_driver.h"
#include "library_support.h"

#include "util/clock.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define LONG_S 400.0 /* what must not be waited for */
#define SOON_S 100.0 /* the machine may be busy     */

static const at_problem COPY = {
    .struct_bytes = sizeof(at_problem), .op = "copy", .type = AT_TYPE_F32, .size_count = 1, .sizes = { 1000 }
};
static char program[200], started[200];

static inline void write_script(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert(fputs(text, file) >= 0 && fclose(file) == 0);
    cr_assert_eq(chmod(path, mode), 0);
}

/* The shell's words, once it has written down that it was started. */
static inline void be_program(const char *words)
{
    char text[1200];
    snprintf(text, sizeof text, "#!/bin/sh\necho \"$$ $*\" >>'%s'\n%s\n", started, words);
    write_script(program, text, 0755);
}

/* Three trials will do: the result does not matter here. */
static inline void be_real_program(const char *before)
{
    char words[700];
    snprintf(
        words, sizeof words,
        "%s\nexport LD_LIBRARY_PATH='%s' AT_SCRIPT='%s/script'\nexec '%s' \"$@\" --max-trials 3 --jobs 2",
        before, AT_DRIVER_FOLDER, home.path, AT_REAL);
    be_program(words);
}

static inline int count_starts(void)
{
    int count = 0;
    FILE *file = fopen(started, "r");
    for (int c; file && (c = getc(file)) != EOF;)
        count += c == '\n';
    if (file)
        fclose(file);
    return count;
}

static inline void set_up_tuning(void)
{
    char script[200];
    set_up();
    snprintf(program, sizeof program, "%s/program", home.path);
    snprintf(started, sizeof started, "%s/started", home.path);
    snprintf(script, sizeof script, "%s/script", home.path);
    write_script(script, "l2 100000\nnoise 0.005\n", 0644);
    umask(022);
    set_or_unset("AUTOTUNE_CACHE", AT_KERNEL_CACHE);
    fake_use_context(1);
}

static inline at_open_options options_of(double tune_s)
{
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    options.database = home.db;
    options.tune_s = tune_s;
    options.program = program;
    return options;
}

static inline at_tuner *open_with(const at_open_options *options)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    cr_assert_eq(at_open(&tuner, options, &err), AT_OK, "%s", err.text);
    return tuner;
}

static inline at_tuner *open_tuning(double tune_s)
{
    const at_open_options options = options_of(tune_s);
    return open_with(&options);
}

static inline const at_found *prepare_ok(at_tuner *tuner)
{
    at_error err = { 0 };
    const at_found *found = NULL;
    at_status status = at_prepare(&found, tuner, &COPY, NULL, &err);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
    return found;
}

static inline void run_ok(at_tuner *tuner)
{
    at_error err = { 0 };
    const at_buffer buffers[] = { { .address = (void *)(uintptr_t)0x10000000 },
                                  { .address = (void *)(uintptr_t)0x20000000 } };
    at_status status = at_run(tuner, &COPY, buffers, 2, NULL, NULL, &err);
    if (status == AT_ERR_DEVICE && strstr(err.text, "NVRTC"))
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_OK, "%s", err.text);
}

static inline void expect_warning(const at_found *found, const char *text)
{
    cr_assert_eq(found->match, AT_MATCH_NONE, "%s", found->why);
    cr_assert(strstr(found->warning, text), "expected %s in: %s", text, found->warning);
}

/* The first number that it wrote down: of a process that must be gone. */
static inline pid_t pid_of_start(void)
{
    int pid = 0;
    FILE *file = fopen(started, "r");
    cr_assert(file && fscanf(file, "%d", &pid) == 1);
    fclose(file);
    return pid;
}

static inline void wait_for_starts(int count)
{
    for (double start_s = atx_now_s(); count_starts() < count; usleep(2000))
        cr_assert_lt(atx_now_s() - start_s, LONG_S);
}

static inline void make_file(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", home.path, name);
    write_script(path, "", 0644);
}
