/*
 * pool_worker.c - the worker's side of a pool: one job after the other, in a process that may be ended at any
 * time.
 */
#include "compile/pool.h"

#include "compile/ahead.h"
#include "compile/pool_frames.h"
#include "util/bug.h"
#include "util/clock.h"
#include "util/wire.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* How much is mapped now, in bytes; 0: unknown. */
static rlim_t mapped_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%llu", &pages) != 1)
        pages = 0;
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* A template gone wild shall not take the machine along. Beyond what is mapped now: sanitizers map terabytes.
 */
static void limit_memory(rlim_t bytes)
{
    struct rlimit limit;
    rlim_t mapped = mapped_bytes();
    if (mapped && bytes && getrlimit(RLIMIT_AS, &limit) == 0 && mapped + bytes < limit.rlim_cur) {
        limit.rlim_cur = mapped + bytes;
        setrlimit(RLIMIT_AS, &limit);
    }
}

static void put_resources(at__str *body, const at__resources *r)
{
    at__put_i64(body, r->registers);
    at__put_i64(body, r->shared_bytes);
    at__put_i64(body, r->spill_bytes);
    at__put_i64(body, r->stack_bytes);
}

/* The first job that names the folder has this process make its own there, which the pool removes. */
static void use_ahead(at__nvrtc *nvrtc, at__str *own, const char *folder)
{
    if (own->len || !*folder)
        return;
    at__ahead_own_make(own, folder, (long)getpid());
    at__nvrtc_compile_ahead(nvrtc, at__str_text(own));
}

/* Serves one job: `request` becomes `reply`. */
static at_status serve(at__nvrtc *nvrtc, at__str *own_ahead, const at__str *request, at__str *reply,
                       at_error *err)
{
    at__reader r = { .at = at__str_text(request), .end = at__str_text(request) + request->len };
    int64_t tag = at__get_i64(&r);
    int cc = (int)at__get_i64(&r);
    at__code kind = (at__code)at__get_i64(&r);
    const char *name = at__get_text(&r), *source = at__get_text(&r), *ahead = at__get_text(&r),
               *headers = at__get_text(&r);
    at__str code = { 0 }, log = { 0 };
    at__resources resources = AT__RESOURCES_UNKNOWN;
    bool ok = false;

    if (r.bad)
        return at__bug(err, "a compile worker was sent an unreadable job");
    use_ahead(nvrtc, own_ahead, ahead);
    double start_s = at__now_s();
    at_status status = at__nvrtc_use_headers(nvrtc, headers, err);
    if (status == AT_OK)
        status = at__nvrtc_compile(nvrtc, &ok, &code, &log, &resources, source, name, cc, kind, err);
    double compile_s = at__now_s() - start_s;
    if (status == AT_OK) {
        at__put_i64(reply, tag);
        at__put_i64(reply, ok);
        put_resources(reply, &resources);
        at__put_f64(reply, compile_s);
        at__put_bytes(reply, at__str_text(&code), code.len);
        at__put_bytes(reply, at__str_text(&log), log.len);
    }
    at__str_clear(&code);
    at__str_clear(&log);
    return status;
}

/* Tells the pool that NVRTC cannot be used. */
static void send_failure(at_status status, const at_error *why)
{
    at__str body = { 0 };
    at__put_i64(&body, status);
    at__put_text(&body, why->text);
    at_status sent = at__wire_send(AT__CHILD_FD, FAILED, &body, NULL);
    (void)sent; /* nobody is left to be told */
    at__str_clear(&body);
}

/* After a job that took much memory the next one begins in a new worker: less than half would be left. */
static at_status serve_all(at__nvrtc *nvrtc, rlim_t memory_bytes, at_error *err)
{
    at__str request = { 0 }, reply = { 0 }, ahead = { 0 };
    uint32_t kind = 0;
    rlim_t enough = mapped_bytes() + memory_bytes / 2;
    at_status status = at__wire_send(AT__CHILD_FD, READY, &reply, err);
    while (status == AT_OK && mapped_bytes() <= enough) {
        if ((status = at__wire_recv(AT__CHILD_FD, &kind, &request, err)) != AT_OK || kind == 0)
            break;
        at__str_reset(&reply);
        if ((status = serve(nvrtc, &ahead, &request, &reply, err)) == AT_OK)
            status = at__wire_send(AT__CHILD_FD, RESULT, &reply, err);
    }
    at__str_clear(&ahead);
    at__str_clear(&request);
    at__str_clear(&reply);
    return status;
}

/* What NVRTC does once, at its first kernel, is done while nobody waits: the device is starting. */
static at_status warm_up(at__nvrtc *nvrtc, at_error *err)
{
    at__str code = { 0 }, log = { 0 };
    at__resources resources;
    bool ok;
    at_status status =
        at__nvrtc_compile(nvrtc, &ok, &code, &log, &resources, "extern \"C\" __global__ void k() {}",
                          "warm.cu", at__nvrtc_nearest(nvrtc, INT_MAX), AT__CUBIN, err);
    at__str_clear(&code);
    at__str_clear(&log);
    return status;
}

int at__pool_worker_main(const char *memory_bytes)
{
    at_error err = { 0 };
    at__nvrtc *nvrtc = NULL;
    rlim_t bytes = strtoull(memory_bytes, NULL, 10);
    limit_memory(bytes);
    at_status status = at__nvrtc_open(&nvrtc, &err);
    if (status == AT_OK)
        status = warm_up(nvrtc, &err);
    if (status == AT_OK)
        status = serve_all(nvrtc, bytes, &err);
    if (status != AT_OK)
        send_failure(status, &err);
    at__nvrtc_close(nvrtc);
    return status == AT_OK ? 0 : 1;
}
