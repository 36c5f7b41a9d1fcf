/*
 * runner_wire.c - writing and reading the bodies of frames. A reader checks counts before it uses them, and
 * checks `bad` once, at the end: its result is whole or an error. Both ends are one program, so a malformed
 * frame is a bug of ours.
 */
#include "device/runner_wire.h"

#include "util/bug.h"

#include <poll.h>
#include <string.h>

static void write_step(atx_str *body, const atx_kernel_step *s)
{
    atx_put_text(body, s->name);
    atx_put_bytes(body, &s->geometry, sizeof s->geometry);
    atx_put_i64(body, s->arg_count);
    atx_put_bytes(body, s->args, sizeof s->args);
}

static void write_kernel(atx_str *body, const atx_kernel *k)
{
    atx_put_text(body, k->identity);
    atx_put_bytes(body, k->cubin, k->cubin_len);
    atx_put_text(body, k->name);
    atx_put_bytes(body, &k->geometry, sizeof k->geometry);
    atx_put_i64(body, k->arg_count);
    atx_put_bytes(body, k->args, sizeof k->args);
    atx_put_i64(body, k->more_count);
    for (int i = 0; i < k->more_count; i++)
        write_step(body, &k->more[i]);
    atx_put_bytes(body, k->launches, k->launches_len);
    atx_put_i64(body, k->launch_count);
    atx_put_i64(body, k->map_count);
    atx_put_bytes(body, k->maps, sizeof k->maps);
    atx_put_i64(body, k->variable_count);
    for (int i = 0; i < k->variable_count; i++) {
        atx_put_text(body, k->variables[i].name);
        atx_put_i64(body, k->variables[i].buffer);
    }
    atx_put_i64(body, k->struct_bytes);
    atx_put_bytes(body, k->structs, sizeof k->structs);
    atx_put_i64(body, k->pointer_count);
    atx_put_bytes(body, k->pointers, sizeof k->pointers);
}

bool atx_read_plain(void *out, size_t size, atx_reader *in)
{
    size_t len = 0;
    const void *bytes = atx_get_bytes(in, &len);
    if (in->bad || len != size) {
        in->bad = true;
        return false;
    }
    memcpy(out, bytes, size);
    return true;
}

static void read_step(atx_kernel_step *out, atx_reader *in)
{
    out->name = atx_get_text(in);
    atx_read_plain(&out->geometry, sizeof out->geometry, in);
    out->arg_count = (int)atx_get_i64(in);
    atx_read_plain(out->args, sizeof out->args, in);
    if (out->arg_count < 0 || out->arg_count > ATX_MAX_ARGS)
        in->bad = true;
}

static void read_variables(atx_kernel *out, atx_reader *in)
{
    out->variable_count = (int)atx_get_i64(in);
    if (out->variable_count < 0 || out->variable_count > ATX_MAX_ARGS)
        in->bad = true;
    for (int i = 0; i < out->variable_count && !in->bad; i++) {
        out->variables[i].name = atx_get_text(in);
        out->variables[i].buffer = (int)atx_get_i64(in);
        if (out->variables[i].buffer < 0 || out->variables[i].buffer >= ATX_MAX_ARGS)
            in->bad = true;
    }
}

static void read_kernel(atx_kernel *out, atx_reader *in)
{
    *out = (atx_kernel){ .identity = atx_get_text(in) };
    out->cubin = atx_get_bytes(in, &out->cubin_len);
    if (out->cubin_len == 0)
        out->cubin = NULL; /* of an answer in a file */
    out->name = atx_get_text(in);
    atx_read_plain(&out->geometry, sizeof out->geometry, in);
    out->arg_count = (int)atx_get_i64(in);
    atx_read_plain(out->args, sizeof out->args, in);
    out->more_count = (int)atx_get_i64(in);
    if (out->arg_count < 0 || out->arg_count > ATX_MAX_ARGS || out->more_count < 0 ||
        out->more_count > ATX_MAX_STEPS - 1)
        in->bad = true;
    for (int i = 0; i < out->more_count && !in->bad; i++)
        read_step(&out->more[i], in);
    out->launches = atx_get_bytes(in, &out->launches_len);
    out->launch_count = (int)atx_get_i64(in);
    if (out->launches_len == 0)
        out->launches = NULL;
    out->map_count = (int)atx_get_i64(in);
    atx_read_plain(out->maps, sizeof out->maps, in);
    if (out->map_count < 0 || out->map_count > ATX_MAX_MAPS)
        in->bad = true;
    read_variables(out, in);
    out->struct_bytes = (int)atx_get_i64(in);
    atx_read_plain(out->structs, sizeof out->structs, in);
    out->pointer_count = (int)atx_get_i64(in);
    atx_read_plain(out->pointers, sizeof out->pointers, in);
    if (out->pointer_count < 0 || out->pointer_count > ATX_MAX_ARGS)
        in->bad = true;
}

static at_status well_formed(const atx_reader *in, at_error *err)
{
    return in->bad ? atx_bug(err, "a malformed message between the supervisor and the device runner") : AT_OK;
}

void atx_write_setup(atx_str *body, const atx_setup *s)
{
    atx_put_bytes(body, s->buffers, sizeof s->buffers);
    atx_put_i64(body, s->buffer_count);
    write_kernel(body, &s->reference);
    write_kernel(body, &s->validator);
    atx_put_bytes(body, &s->answer, sizeof s->answer);
    for (int i = 0; i < ATX_CHECK_PARTS; i++)
        atx_put_bytes(body, s->verify[i].cubin, s->verify[i].len);
    atx_put_i64(body, s->gaps);
    atx_put_i64(body, s->moved_bytes);
    atx_put_i64(body, s->copy_bytes);
    atx_put_i64(body, s->own_copies);
    atx_put_i64(body, s->energy);
    atx_put_i64(body, s->warm);
    atx_put_i64(body, (int64_t)s->seed);
    atx_put_i64(body, (int64_t)s->chance);
}

at_status atx_read_setup(atx_setup *out, atx_reader *in, at_error *err)
{
    *out = (atx_setup){ 0 };
    atx_read_plain(out->buffers, sizeof out->buffers, in);
    out->buffer_count = (int)atx_get_i64(in);
    read_kernel(&out->reference, in);
    read_kernel(&out->validator, in);
    atx_read_plain(&out->answer, sizeof out->answer, in);
    for (int i = 0; i < ATX_CHECK_PARTS; i++)
        out->verify[i].cubin = atx_get_bytes(in, &out->verify[i].len);
    out->gaps = atx_get_i64(in) != 0;
    out->moved_bytes = atx_get_i64(in);
    out->copy_bytes = atx_get_i64(in);
    out->own_copies = atx_get_i64(in) != 0;
    out->energy = atx_get_i64(in) != 0;
    out->warm = atx_get_i64(in) != 0;
    out->seed = (uint64_t)atx_get_i64(in);
    out->chance = (uint64_t)atx_get_i64(in);
    if (out->buffer_count < 0 || out->buffer_count > ATX_MAX_ARGS)
        in->bad = true;
    return well_formed(in, err);
}

void atx_write_trial(atx_str *body, const atx_trial *t)
{
    atx_put_i64(body, t->tag);
    write_kernel(body, &t->kernel);
    atx_put_i64(body, t->is_copy);
    atx_put_f64(body, t->best_s);
}

at_status atx_read_trial(atx_trial *out, atx_reader *in, at_error *err)
{
    *out = (atx_trial){ .tag = atx_get_i64(in) };
    read_kernel(&out->kernel, in);
    out->is_copy = atx_get_i64(in) != 0;
    out->best_s = atx_get_f64(in);
    return well_formed(in, err);
}

void atx_write_remeasure(atx_str *body, const atx_remeasure_request *r)
{
    atx_put_i64(body, r->count);
    atx_put_i64(body, (int64_t)r->seed);
    atx_put_f64(body, r->budget_until_s);
    for (int i = 0; i < r->count; i++) {
        write_kernel(body, &r->list[i].kernel);
        atx_put_i64(body, r->list[i].is_copy);
        atx_put_i64(body, r->list[i].is_memcpy);
    }
}

at_status atx_read_remeasure(atx_remeasure_request *out, atx_top_candidate *list, atx_reader *in,
                             at_error *err)
{
    *out = (atx_remeasure_request){ .list = list, .count = (int)atx_get_i64(in) };
    out->seed = (uint64_t)atx_get_i64(in);
    out->budget_until_s = atx_get_f64(in);
    if (out->count < 0 || out->count > ATX_MAX_TOP_CANDIDATES)
        in->bad = true;
    for (int i = 0; i < out->count && !in->bad; i++) {
        read_kernel(&list[i].kernel, in);
        list[i].is_copy = atx_get_i64(in) != 0;
        list[i].is_memcpy = atx_get_i64(in) != 0;
    }
    return well_formed(in, err);
}

at_status atx_runner_reply(uint32_t kind, const atx_str *body, at_error *err)
{
    ATX_TRY(atx_str_status(body, err));
    return atx_wire_send(ATX_CHILD_FD, kind, body, err);
}

at_status atx_runner_reply_failure(at_status failure, const at_error *cause, at_error *err)
{
    ATX_LOCAL(atx_str) body = { 0 };
    atx_put_i64(&body, failure);
    atx_put_text(&body, cause->text);
    return atx_runner_reply(ATX_FAILED, &body, err);
}

bool atx_remeasure_is_to_end(void)
{
    ATX_LOCAL(atx_str) body = { 0 };
    uint32_t kind = 0;
    struct pollfd fd = { .fd = ATX_CHILD_FD, .events = POLLIN };
    return poll(&fd, 1, 0) > 0 &&
           (atx_wire_recv(ATX_CHILD_FD, &kind, &body, NULL) != AT_OK || kind == ATX_CANCEL || kind == 0);
}
