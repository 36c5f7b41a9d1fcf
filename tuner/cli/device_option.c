/*
 * device_option.c - --device of commands that read stored results. A number is a GPU of this machine, as in
 * commands that measure; the driver gives its name. Anything else is a name.
 */
#include "cli/commands.h"
#include "device/device.h"

#include <stdio.h>
#include <string.h>

static at_status read_gpu(atx_target *out, const char *ordinal, at_error *err)
{
    atx_cancel cancel = { .flag = &atx_cancel_requested };
    ATX_CLOSED(atx_device) *device = NULL;
    at_error cause = { 0 };
    at_status status = atx_device_open(&device, ordinal, &cancel, &cause);
    if (status != AT_OK)
        return atx_fail(err, status, "--device %s: %s", ordinal, cause.text);
    const atx_device_info *info = atx_device_info_of(device);
    *out = (atx_target){ .cc = info->limits.cc, .sms = info->limits.sms, .full = true };
    snprintf(out->name, sizeof out->name, "%s", info->name);
    return AT_OK;
}

at_status atx_check_device_option(const char *text, at_error *err)
{
    const size_t most = ATX_DEVICE_NAME - 1, len = text ? strlen(text) : 0;
    if (len > most)
        return atx_fail(err, AT_ERR_USAGE, "--device: found a name of %zu characters; expected at most %zu",
                        len, most);
    if (text && !len)
        return atx_fail(err, AT_ERR_USAGE, "--device: found nothing; expected a number or a device's name");
    return AT_OK;
}

/* The checks that need no store; *done: no others are left. */
static at_status read_option(atx_target *out, bool *done, const char *text, at_error *err)
{
    int index;
    at_status status = atx_check_device_option(text, err);
    *out = (atx_target){ .full = false };
    *done = !text || atx_device_is_index(&index, text);
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
    return atx_fail(err, status, "--device: %s%s", cause->text,
                    status == AT_ERR_USAGE ? "; a number is a GPU of this machine" : "");
}

at_status atx_device_option(atx_target *out, const char *text, atx_store *store, bool with_shipped,
                            at_error *err)
{
    bool done;
    atx_target asked;
    at_error cause = { 0 };
    ATX_TRY(read_option(&asked, &done, text, err));
    return say_option(atx_lookup_device(out, &asked, store, with_shipped, &cause), &cause, err);
}

at_status atx_stored_device_option(atx_target *out, const char *text, atx_store *store, at_error *err)
{
    bool done;
    at_error cause = { 0 };
    at_status status = read_option(out, &done, text, err);
    if (status != AT_OK || done)
        return status;
    return say_option(atx_store_choose_device(out->name, store, text, &cause), &cause, err);
}
