/* library_target.c - at_find: for which device it is asked, and the answer. */
#include "library/library.h"

#include "lang/arch.h"
#include "lang/device_name.h"

#include <stdio.h>
#include <string.h>

/* A GPU of this machine, by its number. `slow` is held: which one it is, is asked once. */
static at_status read_gpu(atx_target *out, at_tuner *tuner, int ordinal, at_error *err)
{
    atx_gpu *gpu = NULL;
    atx_device_info info;
    if (tuner->numbered.full && tuner->number == ordinal) {
        *out = tuner->numbered;
        return AT_OK;
    }
    at_status status = atx_gpu_find(&gpu, ordinal, err);
    ATX_THEN(status, atx_gpu_describe(&info, gpu, err));
    atx_gpu_close(gpu);
    if (status != AT_OK)
        return status;
    *out = (atx_target){ .cc = info.limits.cc, .sms = info.limits.sms, .full = true };
    memcpy(out->name, info.name, sizeof out->name);
    tuner->numbered = *out;
    tuner->number = ordinal;
    return AT_OK;
}

/* `slow` is held. */
static at_status read_target(atx_target *out, char *variant, at_tuner *tuner, const at_target *given,
                             at_error *err)
{
    int ordinal;
    at_target room;
    atx_limits limits = { 0 };
    at_status status = AT_OK;
    *out = (atx_target){ 0 };
    if (!given)
        return AT_OK;
    const at_target *target = atx_library_struct(&room, sizeof room, given, "at_target", err);
    if (!target)
        return AT_ERR_USAGE;
    if (target->sms < 0)
        return atx_fail(err, AT_ERR_USAGE, "found sms = %d; expected 0 or more multiprocessors", target->sms);
    size_t len = target->device ? strlen(target->device) : 0;
    if (len >= sizeof out->name)
        return atx_fail(err, AT_ERR_USAGE, "at_find: the device's name is longer than %zu characters",
                        sizeof out->name - 1);
    if (target->arch && *target->arch)
        status = atx_arch_parse_variant(&limits, variant, target->arch, err);
    if (status == AT_OK && len && atx_device_is_index(&ordinal, target->device))
        status = read_gpu(out, tuner, ordinal, err);
    else if (len)
        memcpy(out->name, target->device, len);
    out->cc = limits.cc ? limits.cc : out->cc;
    out->sms = target->sms ? target->sms : out->sms;
    return status;
}

at_status at_find(at_found **out, at_tuner *tuner, const at_problem *given, const at_target *target,
                  at_error *err)
{
    atx_found_parts *f = NULL;
    atx_target wanted;
    at_problem room;
    char variant = 0;
    if (!out || !tuner || !given)
        return atx_fail(err, AT_ERR_USAGE, "at_find: an argument is NULL");
    const at_problem *problem = atx_library_struct(&room, sizeof room, given, "at_problem", err);
    if (!problem)
        return AT_ERR_USAGE;
    pthread_mutex_lock(&tuner->slow);
    at_status status = read_target(&wanted, &variant, tuner, target, err);
    ATX_THEN(status, atx_finding_make(&f, tuner, problem, &wanted, NULL, err));
    pthread_mutex_unlock(&tuner->slow);
    if (!f)
        return status;
    f->variant = f->cc ? variant : 0;
    variant = f->variant || !f->t ? f->variant : atx_arch_variant(f->t->build.target, f->cc);
    snprintf(f->arch + strlen(f->arch), 2, "%.1s", &variant);
    *out = &f->shown;
    return AT_OK;
}

void at_found_close(at_found *found)
{
    if (found)
        atx_finding_close((atx_found_parts *)found->parts);
}
