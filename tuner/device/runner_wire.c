/*
 * runner_wire.c - writing and reading the bodies of frames. A reader checks counts before it uses
 * them as such, and looks at `bad` once, at the end: what it gives is whole or an error. Both ends
 * are one program, so a malformed frame is a bug of ours.
 */
#include "device/runner_wire.h"

#include "util/bug.h"

#include <poll.h>
#include <string.h>

static void write_step(at__str *body, const at__kernel_step *s)
{
    at__put_text(body, s->name);
    at__put_bytes(body, &s->geometry, sizeof s->geometry);
    at__put_i64(body, s->arg_count);
    at__put_bytes(body, s->args, sizeof s->args);
}

static void write_kernel(at__str *body, const at__kernel *k)
{
    at__put_text(body, k->identity);
    at__put_bytes(body, k->cubin, k->cubin_len);
    at__put_text(body, k->name);
    at__put_bytes(body, &k->geometry, sizeof k->geometry);
    at__put_i64(body, k->arg_count);
    at__put_bytes(body, k->args, sizeof k->args);
    at__put_i64(body, k->more_count);
    for (int i = 0; i < k->more_count; i++)
        write_step(body, &k->more[i]);
    at__put_i64(body, k->variable_count);
    for (int i = 0; i < k->variable_count; i++) {
        at__put_text(body, k->variables[i].name);
        at__put_i64(body, k->variables[i].buffer);
    }
}

bool at__read_plain(void *out, size_t size, at__reader *in)
{
    size_t len = 0;
    const void *bytes = at__get_bytes(in, &len);
    if (in->bad || len != size) {
        in->bad = true;
        return false;
    }
    memcpy(out, bytes, size);
    return true;
}

static void read_step(at__kernel_step *out, at__reader *in)
{
    out->name = at__get_text(in);
    at__read_plain(&out->geometry, sizeof out->geometry, in);
    out->arg_count = (int)at__get_i64(in);
    at__read_plain(out->args, sizeof out->args, in);
    if (out->arg_count < 0 || out->arg_count > AT__MAX_ARGS)
        in->bad = true;
}

static void read_variables(at__kernel *out, at__reader *in)
{
    out->variable_count = (int)at__get_i64(in);
    if (out->variable_count < 0 || out->variable_count > AT__MAX_ARGS)
        in->bad = true;
    for (int i = 0; i < out->variable_count && !in->bad; i++) {
        out->variables[i].name = at__get_text(in);
        out->variables[i].buffer = (int)at__get_i64(in);
        if (out->variables[i].buffer < 0 || out->variables[i].buffer >= AT__MAX_ARGS)
            in->bad = true;
    }
}

static void read_kernel(at__kernel *out, at__reader *in)
{
    *out = (at__kernel){ .identity = at__get_text(in) };
    out->cubin = at__get_bytes(in, &out->cubin_len);
    if (out->cubin_len == 0)
        out->cubin = NULL; /* of an answer in a file */
    out->name = at__get_text(in);
    at__read_plain(&out->geometry, sizeof out->geometry, in);
    out->arg_count = (int)at__get_i64(in);
    at__read_plain(out->args, sizeof out->args, in);
    out->more_count = (int)at__get_i64(in);
    if (out->arg_count < 0 || out->arg_count > AT__MAX_ARGS || out->more_count < 0 ||
        out->more_count > AT__MAX_STEPS - 1)
        in->bad = true;
    for (int i = 0; i < out->more_count && !in->bad; i++)
        read_step(&out->more[i], in);
    read_variables(out, in);
}

static at_status well_formed(const at__reader *in, at_error *err)
{
    return in->bad ? at__bug(err, "a malformed message between the supervisor and the device runner") : AT_OK;
}

void at__write_setup(at__str *body, const at__setup *s)
{
    at__put_bytes(body, s->buffers, sizeof s->buffers);
    at__put_i64(body, s->buffer_count);
    write_kernel(body, &s->reference);
    write_kernel(body, &s->referee);
    at__put_bytes(body, &s->answer, sizeof s->answer);
    for (int i = 0; i < AT__CHECK_PARTS; i++)
        at__put_bytes(body, s->verify[i].cubin, s->verify[i].len);
    at__put_i64(body, s->gaps);
    at__put_i64(body, s->copy_bytes);
    at__put_i64(body, s->own_copies);
    at__put_i64(body, s->energy);
    at__put_i64(body, s->warm);
    at__put_i64(body, (int64_t)s->seed);
}

at_status at__read_setup(at__setup *out, at__reader *in, at_error *err)
{
    *out = (at__setup){ 0 };
    at__read_plain(out->buffers, sizeof out->buffers, in);
    out->buffer_count = (int)at__get_i64(in);
    read_kernel(&out->reference, in);
    read_kernel(&out->referee, in);
    at__read_plain(&out->answer, sizeof out->answer, in);
    for (int i = 0; i < AT__CHECK_PARTS; i++)
        out->verify[i].cubin = at__get_bytes(in, &out->verify[i].len);
    out->gaps = at__get_i64(in) != 0;
    out->copy_bytes = at__get_i64(in);
    out->own_copies = at__get_i64(in) != 0;
    out->energy = at__get_i64(in) != 0;
    out->warm = at__get_i64(in) != 0;
    out->seed = (uint64_t)at__get_i64(in);
    if (out->buffer_count < 0 || out->buffer_count > AT__MAX_ARGS)
        in->bad = true;
    return well_formed(in, err);
}

void at__write_trial(at__str *body, const at__trial *t)
{
    at__put_i64(body, t->tag);
    write_kernel(body, &t->kernel);
    at__put_i64(body, t->is_copy);
    at__put_f64(body, t->best_s);
}

at_status at__read_trial(at__trial *out, at__reader *in, at_error *err)
{
    *out = (at__trial){ .tag = at__get_i64(in) };
    read_kernel(&out->kernel, in);
    out->is_copy = at__get_i64(in) != 0;
    out->best_s = at__get_f64(in);
    return well_formed(in, err);
}

void at__write_final(at__str *body, const at__finalist *list, int count, uint64_t seed, double budget_until_s)
{
    at__put_i64(body, count);
    at__put_i64(body, (int64_t)seed);
    at__put_f64(body, budget_until_s);
    for (int i = 0; i < count; i++) {
        write_kernel(body, &list[i].kernel);
        at__put_i64(body, list[i].is_copy);
        at__put_i64(body, list[i].is_memcpy);
    }
}

at_status at__read_final(at__finalist *list, int *count, uint64_t *seed, double *budget_until_s,
                         at__reader *in, at_error *err)
{
    *count = (int)at__get_i64(in);
    *seed = (uint64_t)at__get_i64(in);
    *budget_until_s = at__get_f64(in);
    if (*count < 0 || *count > AT__MAX_FINALISTS)
        in->bad = true;
    for (int i = 0; i < *count && !in->bad; i++) {
        read_kernel(&list[i].kernel, in);
        list[i].is_copy = at__get_i64(in) != 0;
        list[i].is_memcpy = at__get_i64(in) != 0;
    }
    return well_formed(in, err);
}

bool at__final_is_to_end(void)
{
    at__str body = { 0 };
    uint32_t kind = 0;
    struct pollfd fd = { .fd = AT__CHILD_FD, .events = POLLIN };
    bool ends = poll(&fd, 1, 0) > 0 &&
                (at__wire_recv(AT__CHILD_FD, &kind, &body, NULL) != AT_OK || kind == AT__CANCEL || kind == 0);
    at__str_clear(&body);
    return ends;
}
