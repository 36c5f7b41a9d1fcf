/* test_replay.c - what a replay finds of a recording, here and as a process for a supervisor elsewhere. */
#include "device/device.h"
#include "store_support.h"
#include "util/wire.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

TestSuite(replay);

enum { CONFIGS = 2, LONG = 5000 };

/* "N=000 ... 0", "N=000 ... 1": only the end tells which. */
static char *long_config(int last)
{
    char *text = malloc(LONG + 1);
    cr_assert_not_null(text);
    memset(text, '0', LONG);
    memcpy(text, "N=", 2);
    text[LONG - 1] = (char)('0' + last);
    text[LONG] = '\0';
    return text;
}

/* Those of one problem, with a median of 1 us, 2 us. */
static void record(const folder *f, const atx_problem_key *key)
{
    atx_store *store = open_ok(f->db, ATX_STORE_WRITE);
    for (int i = 0; i < CONFIGS; i++) {
        char *config = long_config(i);
        atx_trial_row row = trial_of(config, 1e-6 * (i + 1));
        put_ok(store, key, &H200, &row, 1);
        free(config);
    }
    atx_store_close(store);
}

/* What one of them is answered with. */
static atx_measured answer(atx_device *device, const atx_problem_key *key, int which)
{
    char *config = long_config(which);
    atx_str identity = { 0 };
    atx_trial trial = { .tag = which };
    atx_measured m = { .tag = -1 };
    bool got = false;
    at_error err = { 0 };
    atx_str_addf(&identity, "%s %s %s %s %s", key->op, key->shape, key->type_key,
                 trial_of(config, 1).template_name, config);
    trial.kernel.identity = identity.data;
    cr_assert_eq(atx_device_submit(device, &trial, &err), AT_OK, "%.200s", err.text);
    for (int i = 0; i < 100 && !got; i++) {
        struct pollfd fd = atx_device_fd(device);
        cr_assert_eq(atx_device_pump(device, &m, &got, &err), AT_OK, "%.200s", err.text);
        if (!got)
            poll(&fd, 1, 10000);
    }
    cr_assert(got);
    free(config);
    atx_str_clear(&identity);
    return m;
}

static void ignore(void *context, const char *template_name, const char *template_hash, const char *config)
{
    (void)context, (void)template_name, (void)template_hash, (void)config;
}

static void expect_all(atx_device *device, const atx_problem_key *key)
{
    for (int i = 0; i < CONFIGS; i++) {
        atx_measured m = answer(device, key, i);
        cr_expect_eq(m.tag, i);
        cr_expect_float_eq(m.timing.median_s, 1e-6 * (i + 1), 1e-12, "%g", m.timing.median_s);
    }
}

Test(replay, tells_configurations_apart_however_long_they_are)
{
    folder f = folder_make();
    char spec[200];
    atx_device *device = NULL;
    at_error err = { 0 };
    record(&f, &KEY);
    snprintf(spec, sizeof spec, "replay:%s", f.db);
    cr_assert_eq(atx_device_open(&device, spec, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_device_recorded(device, &KEY, false, ignore, NULL, &err), AT_OK, "%s", err.text);
    expect_all(device, &KEY);
    atx_device_close(device);
    folder_remove(&f);
}

/* A recording of a device with a name of so many letters. */
static at_status open_named(atx_device **out, const folder *f, size_t len, at_error *err)
{
    char spec[200];
    atx_fingerprint named = H200;
    const atx_trial_row row = trial_of("N=0", 1e-6);
    atx_store *store = open_ok(f->db, ATX_STORE_WRITE);
    memset(named.device, 'A', len);
    named.device[len - 1] = 'Z';
    named.device[len] = '\0';
    put_ok(store, &KEY, &named, &row, 1);
    atx_store_close(store);
    snprintf(spec, sizeof spec, "replay:%s", f->db);
    return atx_device_open(out, spec, NULL, err);
}

Test(replay, has_the_whole_name_of_the_recorded_device)
{
    enum { MOST = 117 };
    folder f = folder_make();
    atx_device *device = NULL;
    at_error err = { 0 };
    cr_assert_eq(open_named(&device, &f, MOST, &err), AT_OK, "%s", err.text);
    const char *name = atx_device_info_of(device)->name;
    cr_expect(strncmp(name, "replay of A", 11) == 0 && strlen(name) == 10 + MOST &&
                  name[strlen(name) - 1] == 'Z',
              "%s", name);
    atx_device_close(device);
    folder_remove(&f);
}

Test(replay, refuses_a_recorded_device_whose_name_it_would_have_to_cut)
{
    folder f = folder_make();
    atx_device *device = NULL;
    at_error err = { 0 };
    cr_assert_eq(open_named(&device, &f, 118, &err), AT_ERR_DEVICE);
    cr_expect(strstr(err.text, "a name of 118 characters, AAA") && strstr(err.text, "at most 117"), "%s",
              err.text);
    folder_remove(&f);
}

/* ---- elsewhere ---- */

static at_status spawn_here(atx_site *site, atx_child *out, const char *const *argv, at_error *err)
{
    (void)site;
    return atx_child_spawn(out, argv, err);
}

/* A place that is none: its children are this process's own. */
static atx_site site = { .name = "elsewhere", .spawn = spawn_here };

static void expect_all_elsewhere(const char *spec, const atx_problem_key *key)
{
    atx_device *device = NULL;
    atx_setup setup = { .buffer_count = 0 };
    at_error err = { 0 };
    setenv("AUTOTUNE_EXE", AT_WORKER, 1);
    cr_assert_eq(atx_device_start_at(&device, &site, spec, -1, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_device_await(device, NULL, NULL, NULL, &err), AT_OK, "%.200s", err.text);
    cr_assert_eq(atx_device_setup(device, &setup, &err), AT_OK, "%s", err.text);
    expect_all(device, key);
    atx_device_close(device);
}

Test(replay, elsewhere_has_names_of_problems_as_long_as_here)
{
    folder f = folder_make();
    char shape[400], spec[200];
    memset(shape, '1', sizeof shape - 1);
    shape[sizeof shape - 1] = '\0';
    const atx_problem_key key = { .op = KEY.op, .shape = shape, .type_key = KEY.type_key };
    record(&f, &key);
    snprintf(spec, sizeof spec, "replay:%s", f.db);
    expect_all_elsewhere(spec, &key);
    folder_remove(&f);
}

Test(replay, elsewhere_is_told_the_whole_name_of_a_recording)
{
    folder f = folder_make();
    atx_str spec = { 0 };
    record(&f, &KEY);
    atx_str_add(&spec, "replay:");
    for (int i = 0; i < 500; i++)
        atx_str_add(&spec, "/.");
    atx_str_add(&spec, f.db);
    expect_all_elsewhere(atx_str_text(&spec), &KEY);
    atx_str_clear(&spec);
    folder_remove(&f);
}
