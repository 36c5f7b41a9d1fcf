/*
 * device.c - which kind of device a user means, and the way to its functions: every other call goes
 * through the kind's table. This file knows no kind but by its opening function.
 */
#include "device/device_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char REPLAY[] = "replay:", PACE[] = "?pace=";
#define LEAST_PACE 0.001
#define MOST_PACE  1e6

bool at__device_is_replay(const char *spec)
{
    return strncmp(spec, REPLAY, sizeof REPLAY - 1) == 0;
}

/* "?pace=4": the pace, *len what goes before. False: no pace that there can be. */
static bool take_pace(double *pace, size_t *len, const char *path)
{
    const char *asked = strrchr(path, '?');
    char *end = NULL;
    *len = strlen(path);
    *pace = 0;
    if (!asked || strncmp(asked, PACE, sizeof PACE - 1) != 0 || access(path, F_OK) == 0)
        return true;
    *len = (size_t)(asked - path);
    *pace = strtod(asked + sizeof PACE - 1, &end);
    return end != asked + sizeof PACE - 1 && *end == '\0' && *pace >= LEAST_PACE && *pace <= MOST_PACE;
}

static at_status check_replay(const char *spec, at_error *err)
{
    double pace = 0;
    size_t len = 0;
    if (!take_pace(&pace, &len, spec + sizeof REPLAY - 1))
        return at_fail(err, AT_ERR_USAGE,
                       "--device: found '%s'; expected replay:FILE?pace=N, how many times as fast as the "
                       "device was, %g to %g",
                       spec, LEAST_PACE, MOST_PACE);
    if (!len)
        return at_fail(
            err, AT_ERR_USAGE,
            "--device: found '%s'; expected replay:FILE, a database or a dump with recorded trials", spec);
    return AT_OK;
}

at_status at__device_spec_parse(const char *spec, at_error *err)
{
    int ordinal;
    if (at__device_is_replay(spec))
        return check_replay(spec, err);
    if (!at__device_is_index(&ordinal, spec))
        return at_fail(
            err, AT_ERR_USAGE,
            "--device: found '%s'; expected the number of a GPU of this machine, as in `autotune list "
            "devices`, or replay:FILE",
            spec);
    return AT_OK;
}

at_status at__device_replay_parse(at__replay_spec *out, const char *spec, at_error *err)
{
    const char *path = spec + sizeof REPLAY - 1;
    size_t len = 0;
    *out = (at__replay_spec){ .pace = 0 };
    at_status status = check_replay(spec, err);
    if (status != AT_OK)
        return status;
    take_pace(&out->pace, &len, path); /* a good one, as was seen */
    at__str_add_bytes(&out->file, path, len);
    status = at__str_status(&out->file, err);
    if (status != AT_OK)
        return status;
    const char *at = strrchr(at__str_text(&out->file), '@');
    if (at && access(at__str_text(&out->file), F_OK) != 0) {
        if (strlen(at + 1) >= sizeof out->name)
            return at_fail(err, AT_ERR_USAGE,
                           "--device: found a name of %zu characters behind @; expected at most %zu",
                           strlen(at + 1), sizeof out->name - 1);
        len = (size_t)(at - at__str_text(&out->file));
        strcpy(out->name, at + 1);
        at__str_clear(&out->file);
        at__str_add_bytes(&out->file, path, len);
    }
    return at__str_status(&out->file, err);
}

static at_status open_replay(at__device **out, const char *spec, const at__cancel *cancel, at_error *err)
{
    at__replay_spec replay;
    at_status status = at__device_replay_parse(&replay, spec, err);
    if (status == AT_OK)
        status = at__device_open_replay(out, &replay, cancel, err);
    at__str_clear(&replay.file);
    return status;
}

at_status at__device_start_at(at__device **out, at__site *site, const char *spec, int number,
                              const at__cancel *cancel, at_error *err)
{
    at__runner_at at = { .site = site, .spec = spec, .number = number };
    bool replay = at__device_is_replay(spec);
    at_status status = at__device_spec_parse(spec, err);
    if (status == AT_OK && replay && !site)
        return open_replay(out, spec, cancel, err);
    if (status == AT_OK && replay)
        status = open_replay(&at.tape, spec, cancel, err);
    if (status != AT_OK)
        return status;
    at.ordinal = replay ? AT__REPLAY_ORDINAL : (int)strtol(spec, NULL, 10);
    return at__device_start_runner(out, &at, err);
}

at_status at__device_await(at__device *device, at__cancel *cancel, at__device_found *found, void *context,
                           at_error *err)
{
    device->cancel = cancel;
    device->found = found;
    device->context = context;
    at_status status = device->kind->await ? device->kind->await(device, err) : AT_OK;
    device->cancel = NULL;
    device->found = NULL;
    return status;
}

at_status at__device_open(at__device **out, const char *spec, at__cancel *cancel, at_error *err)
{
    at__device *device = NULL;
    at_status status = at__device_start_at(&device, NULL, spec, -1, cancel, err);
    if (status == AT_OK)
        status = at__device_await(device, cancel, NULL, NULL, err);
    if (status == AT_OK)
        *out = device;
    else
        at__device_close(device);
    return status;
}

void at__device_close(at__device *device)
{
    if (device)
        device->kind->close(device);
}

void at__device_set_cancel(at__device *device, at__cancel *cancel)
{
    device->cancel = cancel;
}

const at__device_info *at__device_info_of(const at__device *device)
{
    return &device->info;
}

bool at__device_is_lost(const at__device *device)
{
    return device->lost;
}

at_status at__device_setup(at__device *device, const at__setup *setup, at_error *err)
{
    return device->kind->setup(device, setup, err);
}

int at__device_queued(const at__device *device)
{
    return device->kind->queued(device);
}

at_status at__device_submit(at__device *device, const at__trial *trial, at_error *err)
{
    return device->kind->submit(device, trial, err);
}

struct pollfd at__device_fd(const at__device *device)
{
    return device->kind->fd(device);
}

at_status at__device_pump(at__device *device, at__measured *out, bool *got, at_error *err)
{
    return device->kind->pump(device, out, got, err);
}

at_status at__device_final(at__device *device, const at__finalist *list, int count, uint64_t seed,
                           double budget_until_s, at__final_row *rows, at__final_notes *notes, at_error *err)
{
    return device->kind->final(device, list, count, seed, budget_until_s, rows, notes, err);
}

at__resources at__device_recorded_resources(at__device *device, const char *identity)
{
    return device->kind->recorded_resources ? device->kind->recorded_resources(device, identity)
                                            : AT__RESOURCES_UNKNOWN;
}

at_status at__device_recorded(at__device *device, const at__problem_key *problem, bool warm,
                              at__recorded_visit *visit, void *context, at_error *err)
{
    return device->kind->recorded ? device->kind->recorded(device, problem, warm, visit, context, err)
                                  : AT_OK;
}

/* 40 launches at 40 GB/s: a hundredth of what a GPU of today moves, and more launches than a trial has. */
#define DEADLINE_S        4.0
#define DEADLINE_S_A_BYTE (40 / 40e9)
#define DEADLINE_WEIGH_S                                                                                     \
    4.0 /* half a second between two steps of a counter, and two for one that stands still */

double at__trial_deadline_s(const at__setup *setup)
{
    double bytes = 0;
    for (int i = 0; i < setup->buffer_count; i++)
        bytes += (double)setup->buffers[i].bytes;
    return DEADLINE_S + (setup->energy ? DEADLINE_WEIGH_S : 0) + DEADLINE_S_A_BYTE * bytes;
}
