/*
 * library_exit.c - the program's end while kernels are compiled. exit() takes NVRTC's data away, and a thread
 * that compiles then crashes: exit() first waits for the running compilation, and no other begins.
 *
 * exit() works backwards: NVRTC must have made its data before the guard is registered, which takes a
 * compilation. Threads of the library compile an empty kernel first: only these 24 ms have no guard. The
 * first kernel of a tuner that a caller's own thread waits for has none.
 */
#include "library/library.h"

#include <stdlib.h>
#include <unistd.h>

/* It outlives the tuner: a program may end without at_close. */
struct atx_exit_guard {
    at_tuner *tuner; /* NULL: it was closed */
};

int __cxa_atexit(void (*call)(void *), void *argument, void *library);
extern void *__dso_handle;

void atx_later_end(atx_later *later)
{
    pthread_mutex_lock(&later->mutex);
    atomic_store(&later->stop, true);
    pthread_mutex_unlock(&later->mutex);
    if (later->has_thread)
        pthread_join(later->thread, NULL);
    later->has_thread = false;
}

/* `slow` tells a thread that holds it: the program's `log` may call exit(). Then nothing is waited for. */
static void end_at_exit(void *context)
{
    struct atx_exit_guard *guard = context;
    at_tuner *tuner = guard->tuner;
    free(guard);
    if (!tuner || tuner->owner != getpid() || pthread_mutex_lock(&tuner->slow) != 0)
        return;
    tuner->guard = NULL;
    tuner->ends = true;
    pthread_mutex_unlock(&tuner->slow);
    atx_later_end(&tuner->later);
}

bool atx_library_guard_exit(at_tuner *tuner)
{
    if (tuner->guard || tuner->ends)
        return tuner->guard;
    struct atx_exit_guard *guard = calloc(1, sizeof *guard);
    if (!guard || __cxa_atexit(end_at_exit, guard, &__dso_handle) != 0) {
        free(guard);
        return false;
    }
    guard->tuner = tuner;
    tuner->guard = guard;
    return true;
}

bool atx_library_guard_first(at_tuner *tuner, int cc)
{
    ATX_LOCAL(atx_compiled) nothing = { 0 };
    const atx_nvrtc_source source = { "extern \"C\" __global__ void k() {}\n", "empty", cc, ATX_CUBIN };
    if (tuner->guard || tuner->ends)
        return !tuner->ends;
    at_status status = atx_nvrtc_compile(tuner->nvrtc, &nothing.ok, &nothing.code, &nothing.log,
                                         &nothing.resources, &source, NULL);
    return status == AT_OK && atx_library_guard_exit(tuner);
}

void atx_library_drop_guard(at_tuner *tuner)
{
    if (tuner->guard)
        tuner->guard->tuner = NULL;
}
