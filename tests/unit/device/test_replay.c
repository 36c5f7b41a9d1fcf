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
static void record(const folder *f, const at__problem_key *key)
{
    at__store *store = open_ok(f->db, AT__STORE_WRITE);
    for (int i = 0; i < CONFIGS; i++) {
        char *config = long_config(i);
        at__trial_row row = trial_of(config, 1e-6 * (i + 1));
        put_ok(store, key, &H200, &row, 1);
        free(config);
    }
    at__store_close(store);
}

/* What one of them is answered with. */
static at__measured answer(at__device *device, const at__problem_key *key, int which)
{
    char *config = long_config(which);
    at__str identity = { 0 };
    at__trial trial = { .tag = which };
    at__measured m = { .tag = -1 };
    bool got = false;
    at_error err = { 0 };
    at__str_addf(&identity, "%s %s %s %s %s", key->op, key->shape, key->type_key,
                 trial_of(config, 1).template_name, config);
    trial.kernel.identity = identity.data;
    cr_assert_eq(at__device_submit(device, &trial, &err), AT_OK, "%.200s", err.text);
    for (int i = 0; i < 100 && !got; i++) {
        struct pollfd fd = at__device_fd(device);
        cr_assert_eq(at__device_pump(device, &m, &got, &err), AT_OK, "%.200s", err.text);
        if (!got)
            poll(&fd, 1, 10000);
    }
    cr_assert(got);
    free(config);
    at__str_clear(&identity);
    return m;
}

static void ignore(void *context, const char *template_name, const char *template_hash, const char *config)
{
    (void)context, (void)template_name, (void)template_hash, (void)config;
}

static void expect_all(at__device *device, const at__problem_key *key)
{
    for (int i = 0; i < CONFIGS; i++) {
        at__measured m = answer(device, key, i);
        cr_expect_eq(m.tag, i);
        cr_expect_float_eq(m.timing.median_s, 1e-6 * (i + 1), 1e-12, "%g", m.timing.median_s);
    }
}

Test(replay, tells_configurations_apart_however_long_they_are)
{
    folder f = folder_make();
    char spec[200];
    at__device *device = NULL;
    at_error err = { 0 };
    record(&f, &KEY);
    snprintf(spec, sizeof spec, "replay:%s", f.db);
    cr_assert_eq(at__device_open(&device, spec, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at__device_recorded(device, &KEY, false, ignore, NULL, &err), AT_OK, "%s", err.text);
    expect_all(device, &KEY);
    at__device_close(device);
    folder_remove(&f);
}

/* A recording of a device with a name of so many letters. */
static at_status open_named(at__device **out, const folder *f, size_t len, at_error *err)
{
    char spec[200];
    at__fingerprint named = H200;
    const at__trial_row row = trial_of("N=0", 1e-6);
    at__store *store = open_ok(f->db, AT__STORE_WRITE);
    memset(named.device, 'A', len);
    named.device[len - 1] = 'Z';
    named.device[len] = '\0';
    put_ok(store, &KEY, &named, &row, 1);
    at__store_close(store);
    snprintf(spec, sizeof spec, "replay:%s", f->db);
    return at__device_open(out, spec, NULL, err);
}

Test(replay, has_the_whole_name_of_the_recorded_device)
{
    enum { MOST = 117 };
    folder f = folder_make();
    at__device *device = NULL;
    at_error err = { 0 };
    cr_assert_eq(open_named(&device, &f, MOST, &err), AT_OK, "%s", err.text);
    const char *name = at__device_info_of(device)->name;
    cr_expect(strncmp(name, "replay of A", 11) == 0 && strlen(name) == 10 + MOST &&
                  name[strlen(name) - 1] == 'Z',
              "%s", name);
    at__device_close(device);
    folder_remove(&f);
}

Test(replay, refuses_a_recorded_device_whose_name_it_would_have_to_cut)
{
    folder f = folder_make();
    at__device *device = NULL;
    at_error err = { 0 };
    cr_assert_eq(open_named(&device, &f, 118, &err), AT_ERR_DEVICE);
    cr_expect(strstr(err.text, "a name of 118 characters, AAA") && strstr(err.text, "at most 117"), "%s",
              err.text);
    folder_remove(&f);
}

/* ---- elsewhere ---- */

static at_status spawn_here(at__site *site, at__child *out, const char *const *argv, at_error *err)
{
    (void)site;
    return at__child_spawn(out, argv, err);
}

/* A place that is none: its children are this process's own. */
static at__site site = { .name = "elsewhere", .spawn = spawn_here };

static void expect_all_elsewhere(const char *spec, const at__problem_key *key)
{
    at__device *device = NULL;
    at__setup setup = { .buffer_count = 0 };
    at_error err = { 0 };
    setenv("AUTOTUNE_EXE", AT_WORKER, 1);
    cr_assert_eq(at__device_start_at(&device, &site, spec, -1, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at__device_await(device, NULL, NULL, NULL, &err), AT_OK, "%.200s", err.text);
    cr_assert_eq(at__device_setup(device, &setup, &err), AT_OK, "%s", err.text);
    expect_all(device, key);
    at__device_close(device);
}

Test(replay, elsewhere_has_names_of_problems_as_long_as_here)
{
    folder f = folder_make();
    char shape[400], spec[200];
    memset(shape, '1', sizeof shape - 1);
    shape[sizeof shape - 1] = '\0';
    const at__problem_key key = { .op = KEY.op, .shape = shape, .type_key = KEY.type_key };
    record(&f, &key);
    snprintf(spec, sizeof spec, "replay:%s", f.db);
    expect_all_elsewhere(spec, &key);
    folder_remove(&f);
}

Test(replay, elsewhere_is_told_the_whole_name_of_a_recording)
{
    folder f = folder_make();
    at__str spec = { 0 };
    record(&f, &KEY);
    at__str_add(&spec, "replay:");
    for (int i = 0; i < 500; i++)
        at__str_add(&spec, "/.");
    at__str_add(&spec, f.db);
    expect_all_elsewhere(at__str_text(&spec), &KEY);
    at__str_clear(&spec);
    folder_remove(&f);
}
