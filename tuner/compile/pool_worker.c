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
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Behind the runner, which otherwise waits for a processor between two launches, and times the wait. */
#define NICENESS 5

/* MAPPED_BYTES: no more; before glibc 2.35 mallopt refuses it, and M_TRIM_THRESHOLD would leave 128 KiB. */
enum { KEPT_BYTES = 1 << 30, MAPPED_BYTES = 32 << 20, PAD_BYTES = 16 << 20 };

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

/*
 * NVRTC takes and frees megabytes for each kernel. What is given back to the system must be taken and cleared
 * again, page by page: 2,700 faults and 45 calls a kernel, which hinder other workers as well.
 */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    mallopt(M_TOP_PAD, PAD_BYTES);
#endif
}

static void put_resources(atx_str *body, const atx_resources *r)
{
    atx_put_i64(body, r->registers);
    atx_put_i64(body, r->shared_bytes);
    atx_put_i64(body, r->spill_bytes);
    atx_put_i64(body, r->stack_bytes);
}

/* The first job that names the folder has this process make its own there, which the pool removes. */
static void use_ahead(atx_nvrtc *nvrtc, atx_str *own, const char *folder)
{
    if (own->len || !*folder)
        return;
    atx_ahead_own_make(own, folder, (long)getpid());
    atx_nvrtc_compile_ahead(nvrtc, atx_str_text(own));
}

/* Serves one job: `request` becomes `reply`. */
static at_status serve(atx_nvrtc *nvrtc, atx_str *own_ahead, const atx_str *request, atx_str *reply,
                       at_error *err)
{
    atx_reader r = { .at = atx_str_text(request), .end = atx_str_text(request) + request->len };
    int64_t tag = atx_get_i64(&r);
    int cc = (int)atx_get_i64(&r);
    atx_code kind = (atx_code)atx_get_i64(&r);
    const char *name = atx_get_text(&r), *source = atx_get_text(&r), *ahead = atx_get_text(&r),
               *headers = atx_get_text(&r);
    ATX_LOCAL(atx_str) code = { 0 }, log = { 0 };
    atx_resources resources = ATX_RESOURCES_UNKNOWN;
    bool ok = false;

    if (r.bad)
        return atx_bug(err, "a compile worker was sent an unreadable job");
    use_ahead(nvrtc, own_ahead, ahead);
    double start_s = atx_now_s();
    ATX_TRY(atx_nvrtc_use_headers(nvrtc, headers, err));
    ATX_TRY(atx_nvrtc_compile(nvrtc, &ok, &code, &log, &resources,
                              &(atx_nvrtc_source){ source, name, cc, kind }, err));
    double compile_s = atx_now_s() - start_s;
    atx_put_i64(reply, tag);
    atx_put_i64(reply, ok);
    put_resources(reply, &resources);
    atx_put_f64(reply, compile_s);
    atx_put_bytes(reply, atx_str_text(&code), code.len);
    atx_put_bytes(reply, atx_str_text(&log), log.len);
    return AT_OK;
}

/* Tells the pool that NVRTC cannot be used. */
static void send_failure(at_status status, const at_error *why)
{
    ATX_LOCAL(atx_str) body = { 0 };
    atx_put_i64(&body, status);
    atx_put_text(&body, why->text);
    at_status sent = atx_wire_send(ATX_CHILD_FD, FAILED, &body, NULL);
    (void)sent; /* the supervisor has ended */
}

/* After a job that took much memory the next one begins in a new worker: less than half would be left. */
static at_status serve_all(atx_nvrtc *nvrtc, rlim_t memory_bytes, at_error *err)
{
    ATX_LOCAL(atx_str) request = { 0 }, reply = { 0 }, ahead = { 0 };
    uint32_t kind = 0;
    rlim_t enough = mapped_bytes() + memory_bytes / 2;
    at_status status = atx_wire_send(ATX_CHILD_FD, READY, &reply, err);
    while (status == AT_OK && mapped_bytes() <= enough) {
        if ((status = atx_wire_recv(ATX_CHILD_FD, &kind, &request, err)) != AT_OK || kind == 0)
            break;
        atx_str_reset(&reply);
        if ((status = serve(nvrtc, &ahead, &request, &reply, err)) == AT_OK)
            status = atx_wire_send(ATX_CHILD_FD, RESULT, &reply, err);
    }
    return status;
}

/* NVRTC's work at its first kernel is done early, while the device is starting. */
static at_status warm_up(atx_nvrtc *nvrtc, at_error *err)
{
    ATX_LOCAL(atx_str) code = { 0 }, log = { 0 };
    atx_resources resources;
    bool ok;
    return atx_nvrtc_compile(nvrtc, &ok, &code, &log, &resources,
                             &(atx_nvrtc_source){ "extern \"C\" __global__ void k() {}", "warm.cu",
                                                  atx_nvrtc_nearest(nvrtc, INT_MAX), ATX_CUBIN },
                             err);
}

int atx_pool_worker_main(const char *memory_bytes)
{
    at_error err = { 0 };
    ATX_CLOSED(atx_nvrtc) *nvrtc = NULL;
    rlim_t bytes = strtoull(memory_bytes, NULL, 10);
    limit_memory(bytes);
    keep_memory();
    setpriority(PRIO_PROCESS, 0, NICENESS);
    at_status status = atx_nvrtc_open(&nvrtc, &err);
    ATX_THEN(status, warm_up(nvrtc, &err));
    ATX_THEN(status, serve_all(nvrtc, bytes, &err));
    if (status != AT_OK)
        send_failure(status, &err);
    return status == AT_OK ? 0 : 1;
}
