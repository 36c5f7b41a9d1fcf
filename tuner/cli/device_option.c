/*
 * device_option.c - --device of commands that read what is stored: a number is a GPU of this machine, as for
 * commands that measure, and the driver is asked which that is; anything else is a name.
 */
#include "cli/commands.h"
#include "device/device.h"

#include <stdio.h>
#include <string.h>

static at_status read_gpu(at__target *out, const char *ordinal, at_error *err)
{
    at__cancel cancel = { .flag = &at__cancel_requested };
    at__device *device = NULL;
    at_error cause = { 0 };
    at_status status = at__device_open(&device, ordinal, &cancel, &cause);
    if (status != AT_OK)
        return at_fail(err, status, "--device %s: %s", ordinal, cause.text);
    const at__device_info *info = at__device_info_of(device);
    *out = (at__target){ .cc = info->limits.cc, .sms = info->limits.sms, .full = true };
    snprintf(out->name, sizeof out->name, "%s", info->name);
    at__device_close(device);
    return AT_OK;
}

at_status at__check_device_option(const char *text, at_error *err)
{
    const size_t most = AT__DEVICE_NAME - 1, len = text ? strlen(text) : 0;
    if (len > most)
        return at_fail(err, AT_ERR_USAGE, "--device: found a name of %zu characters; expected at most %zu",
                       len, most);
    if (text && !len)
        return at_fail(err, AT_ERR_USAGE, "--device: found nothing; expected a number or a device's name");
    return AT_OK;
}

/* What needs no store; *done: that is all of it. */
static at_status read_option(at__target *out, bool *done, const char *text, at_error *err)
{
    int index;
    at_status status = at__check_device_option(text, err);
    *out = (at__target){ .full = false };
    *done = !text || at__device_is_index(&index, text);
    if (status == AT_OK && text && *done)
        return read_gpu(out, text, err);
    if (status == AT_OK && text)
        snprintf(out->name, sizeof out->name, "%s", text);
    return status;
}

static at_status say_option(at_status status, const at_error *cause, at_error *err)
{
    if (status == AT_OK)
        return AT_OK;
    return at_fail(err, status, "--device: %s%s", cause->text,
                   status == AT_ERR_USAGE ? "; a number is a GPU of this machine" : "");
}

at_status at__device_option(at__target *out, const char *text, at__store *store, bool with_shipped,
                            at_error *err)
{
    bool done;
    at__target asked;
    at_error cause = { 0 };
    at_status status = read_option(&asked, &done, text, err);
    if (status != AT_OK)
        return status;
    return say_option(at__lookup_device(out, &asked, store, with_shipped, &cause), &cause, err);
}

at_status at__stored_device_option(at__target *out, const char *text, at__store *store, at_error *err)
{
    bool done;
    at_error cause = { 0 };
    at_status status = read_option(out, &done, text, err);
    if (status != AT_OK || done)
        return status;
    return say_option(at__store_choose_device(out->name, store, text, &cause), &cause, err);
}
