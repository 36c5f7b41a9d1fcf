/*
 * trace.c - one line an event, made in `line` under the lock and written whole. A device is a "process" of
 * the picture, a track one of its "threads". Invariant: `pending` counts what stdio holds, and a line that
 * would not fit is written after a flush; so whenever the process dies, the file ends behind a whole line.
 */
#include "util/trace.h"

#include "util/clock.h"
#include "util/str.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMED = 1024 };

/* Flushed this often, so that the file of a killed run is nearly complete. */
#define FLUSH_S 0.5

/* stdio's buffer. It is flushed before a line that does not fit, so that the file never ends within one. */
enum { BUFFER_BYTES = 1 << 16 };

struct atx_trace {
    pthread_mutex_t lock;
    FILE *file;
    double origin_s, flushed_s;
    int named[MAX_NAMED]; /* tracks that have their name */
    int named_count;
    atx_str line;
    bool begun;     /* an event is in the file: the next one needs a comma */
    size_t pending; /* bytes in stdio's buffer */
    char buffer[BUFFER_BYTES];
    int error; /* errno of the first failed write; 0: none */
};

at_status atx_trace_open(atx_trace **out, const char *path, at_error *err)
{
    atx_trace *t = calloc(1, sizeof *t);
    if (!t)
        return atx_no_memory(err);
    t->file = fopen(path, "we");
    if (!t->file) {
        free(t);
        return atx_fail(err, AT_ERR_SYSTEM, "%s: %s", path, strerror(errno));
    }
    setvbuf(t->file, t->buffer, _IOFBF, sizeof t->buffer); /* a size alone is ignored by some */
    pthread_mutex_init(&t->lock, NULL);
    t->origin_s = t->flushed_s = atx_now_s();
    fputs("[", t->file);
    t->pending = 1;
    *out = t;
    return AT_OK;
}

at_status atx_trace_close(atx_trace *t, at_error *err)
{
    if (!t)
        return AT_OK;
    fputs("\n]\n", t->file);
    if (fclose(t->file) != 0 && !t->error)
        t->error = errno;
    int error = t->error;
    pthread_mutex_destroy(&t->lock);
    atx_str_clear(&t->line);
    free(t);
    return error ? atx_fail(err, AT_ERR_SYSTEM, "the trace is not complete: %s", strerror(error)) : AT_OK;
}

/* ---- with the lock held ---- */

static bool flush(atx_trace *t)
{
    t->flushed_s = atx_now_s();
    t->pending = 0;
    return fflush(t->file) == 0;
}

static void write_line(atx_trace *t)
{
    size_t size = t->line.len + 2; /* a comma, a newline */
    bool bad = t->line.failed;
    if (t->pending + size >= BUFFER_BYTES || atx_now_s() - t->flushed_s > FLUSH_S)
        bad |= !flush(t);
    bad = bad || fprintf(t->file, "%s\n%s", t->begun ? "," : "", atx_str_text(&t->line)) < 0;
    t->begun = true;
    t->pending += size;
    if (bad && !t->error)
        t->error = t->line.failed ? ENOMEM : errno;
    atx_str_reset(&t->line);
}

static int thread_of(atx_trace_row row)
{
    return (int)row.track + (row.track == ATX_TRACK_COMPILER ? row.worker : 0);
}

/* Names a process or a thread of the picture, once. */
static void name_once(atx_trace *t, const char *what, int device, int thread, int id, const char *name)
{
    for (int i = 0; i < t->named_count; i++)
        if (t->named[i] == id)
            return;
    if (t->named_count == MAX_NAMED)
        return;
    t->named[t->named_count++] = id;
    atx_str_addf(&t->line, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s\"}}",
                 what, device, thread, name);
    write_line(t);
}

static void name_track(atx_trace *t, atx_trace_row row)
{
    enum { TRACKS = 4096, PROCESS = TRACKS - 1 };
    static const char *const NAMES[] = { "device", "store", "compiler" };
    char name[32];
    snprintf(name, sizeof name, "autotune, device %d", row.device);
    name_once(t, "process_name", row.device, 0, row.device * TRACKS + PROCESS, name);
    snprintf(name, sizeof name, row.track == ATX_TRACK_COMPILER ? "%s %d" : "%s", NAMES[row.track],
             row.worker);
    name_once(t, "thread_name", row.device, thread_of(row), row.device * TRACKS + thread_of(row), name);
}

/* ---- for everybody ---- */

void atx_trace_span(atx_trace *t, atx_trace_row row, const char *name, const char *detail, double start_s,
                    double end_s)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    name_track(t, row);
    atx_str_add(&t->line, "{\"ph\":\"X\",\"name\":");
    atx_str_add_json(&t->line, name);
    atx_str_addf(&t->line, ",\"pid\":%d,\"tid\":%d,\"ts\":%.1f,\"dur\":%.1f", row.device, thread_of(row),
                 1e6 * (start_s - t->origin_s), end_s > start_s ? 1e6 * (end_s - start_s) : 0.0);
    if (*detail) {
        atx_str_add(&t->line, ",\"args\":{\"detail\":");
        atx_str_add_json(&t->line, detail);
        atx_str_add(&t->line, "}");
    }
    atx_str_add(&t->line, "}");
    write_line(t);
    pthread_mutex_unlock(&t->lock);
}

void atx_trace_count(atx_trace *t, int device, const char *name, int64_t value)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    atx_str_add(&t->line, "{\"ph\":\"C\",\"name\":");
    atx_str_add_json(&t->line, name);
    atx_str_addf(&t->line, ",\"pid\":%d,\"ts\":%.1f,\"args\":{\"value\":%lld}}", device,
                 1e6 * (atx_now_s() - t->origin_s), (long long)value);
    write_line(t);
    pthread_mutex_unlock(&t->lock);
}
