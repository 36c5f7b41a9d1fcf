/*
 * device.c - chooses the kind of device by the user's words; every other call goes through the kind's table.
 * This file knows a kind only by its opening function.
 */
#include "device/device_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char REPLAY[] = "replay:", PACE[] = "?pace=";
#define LEAST_PACE 0.001
#define MOST_PACE  1e6

bool atx_device_is_replay(const char *spec)
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
        return atx_fail(err, AT_ERR_USAGE,
                        "--device: found '%s'; expected replay:FILE?pace=N, how many times as fast as the "
                        "device was, %g to %g",
                        spec, LEAST_PACE, MOST_PACE);
    if (!len)
        return atx_fail(
            err, AT_ERR_USAGE,
            "--device: found '%s'; expected replay:FILE, a database or a dump with recorded trials", spec);
    return AT_OK;
}

at_status atx_device_spec_parse(const char *spec, at_error *err)
{
    int ordinal;
    if (atx_device_is_replay(spec))
        return check_replay(spec, err);
    if (!atx_device_is_index(&ordinal, spec))
        return atx_fail(
            err, AT_ERR_USAGE,
            "--device: found '%s'; expected the number of a GPU of this machine, as in `autotune list "
            "devices`, or replay:FILE",
            spec);
    return AT_OK;
}

at_status atx_device_replay_parse(atx_replay_spec *out, const char *spec, at_error *err)
{
    const char *path = spec + sizeof REPLAY - 1;
    size_t len = 0;
    *out = (atx_replay_spec){ .pace = 0 };
    ATX_TRY(check_replay(spec, err));
    take_pace(&out->pace, &len, path); /* a good one, as was seen */
    atx_str_add_bytes(&out->file, path, len);
    ATX_TRY(atx_str_status(&out->file, err));
    const char *at = strrchr(atx_str_text(&out->file), '@');
    if (at && access(atx_str_text(&out->file), F_OK) != 0) {
        if (strlen(at + 1) >= sizeof out->name)
            return atx_fail(err, AT_ERR_USAGE,
                            "--device: found a name of %zu characters behind @; expected at most %zu",
                            strlen(at + 1), sizeof out->name - 1);
        len = (size_t)(at - atx_str_text(&out->file));
        strcpy(out->name, at + 1);
        atx_str_clear(&out->file);
        atx_str_add_bytes(&out->file, path, len);
    }
    return atx_str_status(&out->file, err);
}

static at_status open_replay(atx_device **out, const char *spec, const atx_cancel *cancel, at_error *err)
{
    atx_replay_spec replay;
    at_status status = atx_device_replay_parse(&replay, spec, err);
    ATX_THEN(status, atx_device_open_replay(out, &replay, cancel, err));
    atx_str_clear(&replay.file);
    return status;
}

at_status atx_device_start_at(atx_device **out, atx_site *site, const char *spec, int number,
                              const atx_cancel *cancel, at_error *err)
{
    atx_runner_at at = { .site = site, .spec = spec, .number = number };
    bool replay = atx_device_is_replay(spec);
    at_status status = atx_device_spec_parse(spec, err);
    if (status == AT_OK && replay && !site)
        return open_replay(out, spec, cancel, err);
    if (status == AT_OK && replay)
        status = open_replay(&at.recording, spec, cancel, err);
    if (status != AT_OK)
        return status;
    at.ordinal = replay ? ATX_REPLAY_ORDINAL : (int)strtol(spec, NULL, 10);
    return atx_device_start_runner(out, &at, err);
}

int atx_device_guess(void)
{
    enum { MOST = 64 };
    char path[32];
    int count = 0;
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    for (const char *at = visible; at && count < MOST; count++) {
        const char *comma = strchr(at, ',');
        at = comma ? comma + 1 : NULL;
    }
    while (!visible && count < MOST && snprintf(path, sizeof path, "/dev/nvidia%d", count) > 0 &&
           access(path, F_OK) == 0)
        count++;
    return count > 1 ? count : 1;
}

at_status atx_device_await(atx_device *device, atx_cancel *cancel, atx_device_found *found, void *context,
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

at_status atx_device_open(atx_device **out, const char *spec, atx_cancel *cancel, at_error *err)
{
    atx_device *device = NULL;
    at_status status = atx_device_start_at(&device, NULL, spec, -1, cancel, err);
    ATX_THEN(status, atx_device_await(device, cancel, NULL, NULL, err));
    if (status == AT_OK)
        *out = device;
    else
        atx_device_close(device);
    return status;
}

void atx_device_close(atx_device *device)
{
    if (device)
        device->kind->close(device);
}

void atx_device_set_cancel(atx_device *device, atx_cancel *cancel)
{
    device->cancel = cancel;
}

const atx_device_info *atx_device_info_of(const atx_device *device)
{
    return &device->info;
}

bool atx_device_is_lost(const atx_device *device)
{
    return device->lost;
}

at_status atx_device_setup(atx_device *device, const atx_setup *setup, at_error *err)
{
    return device->kind->setup(device, setup, err);
}

int atx_device_queued(const atx_device *device)
{
    return device->kind->queued(device);
}

at_status atx_device_submit(atx_device *device, const atx_trial *trial, at_error *err)
{
    return device->kind->submit(device, trial, err);
}

struct pollfd atx_device_fd(const atx_device *device)
{
    return device->kind->fd(device);
}

at_status atx_device_pump(atx_device *device, atx_measured *out, bool *got, at_error *err)
{
    return device->kind->pump(device, out, got, err);
}

at_status atx_device_remeasure(atx_device *device, const atx_remeasure_request *request,
                               atx_remeasure_row *rows, atx_remeasure_notes *notes, at_error *err)
{
    return device->kind->remeasure(device, request, rows, notes, err);
}

atx_resources atx_device_recorded_resources(atx_device *device, const char *identity)
{
    return device->kind->recorded_resources ? device->kind->recorded_resources(device, identity)
                                            : ATX_RESOURCES_UNKNOWN;
}

at_status atx_device_recorded(atx_device *device, const atx_problem_key *problem, bool warm,
                              atx_recorded_visit *visit, void *context, at_error *err)
{
    return device->kind->recorded ? device->kind->recorded(device, problem, warm, visit, context, err)
                                  : AT_OK;
}

/* 40 launches at 40 GB/s: a hundredth of a GPU's bandwidth, and more launches than a trial has. */
#define DEADLINE_S        4.0
#define DEADLINE_S_A_BYTE (40 / 40e9)
#define DEADLINE_ENERGY_S                                                                                    \
    4.0 /* half a second between two steps of a counter, and two for one that stands still */

double atx_trial_deadline_s(const atx_setup *setup)
{
    double bytes = 0;
    for (int i = 0; i < setup->buffer_count; i++)
        bytes += (double)setup->buffers[i].bytes;
    return DEADLINE_S + (setup->energy ? DEADLINE_ENERGY_S : 0) + DEADLINE_S_A_BYTE * bytes;
}
