/*
 * gpu.h - one CUDA device through the Driver API, opened at run time. The one door to <cuda.h> is
 * gpu_cuda*.c.
 *
 * Used by runner processes, and by the library when it launches: the supervisor never loads a driver. One
 * thread uses an at__gpu; all work goes to one stream, in order. Failures are AT_ERR_DEVICE with the driver's
 * own words; after some of them (a kernel that faulted) the context is lost for good: at__gpu_is_lost tells.
 */
#ifndef AUTOTUNE_GPU_H
#define AUTOTUNE_GPU_H

#include "device/trial.h"

typedef struct at__gpu at__gpu;
typedef struct at__module at__module; /* a loaded cubin and its kernel */
typedef struct at__graph at__graph;   /* a recorded series of launches */
typedef uint64_t at__ptr;             /* an address on the device      */

/* AT_ERR_DEVICE: no driver library, no device, or one that is too old. */
at_status at__gpu_count(int *out, at_error *err) AT_MUST_CHECK;

/* What tells a GPU from all others, on whatever machine. */
#define AT__UUID_TEXT 64
at_status at__gpu_uuid(char out[AT__UUID_TEXT], int ordinal, at_error *err) AT_MUST_CHECK;
at_status at__gpu_open(at__gpu **out, int ordinal, at_error *err) AT_MUST_CHECK;

/* The same in two steps: the second, the device's context, takes as long again. Meanwhile it is known for
 * which device to compile. What at__gpu_find returns can only be entered or closed. */
at_status at__gpu_find(at__gpu **out, int ordinal, at_error *err) AT_MUST_CHECK;
at_status at__gpu_enter(at__gpu *gpu, at_error *err) AT_MUST_CHECK;
at_status at__gpu_cc(int64_t *cc, at__gpu *gpu, at_error *err) AT_MUST_CHECK;
void at__gpu_close(at__gpu *gpu);

/*
 * For a program that has its own contexts: opens the driver and nothing else. The calls below then work on
 * the context that is current in the calling thread, after at__gpu_current_device; those that need the
 * stream, the stopwatch or a recording must not be used.
 */
at_status at__gpu_attach(at__gpu **out, at_error *err) AT_MUST_CHECK;

/* Tells contexts apart, also from those that are gone. AT_ERR_USAGE: this thread has none. Thread-safe. */
at_status at__gpu_current(uint64_t *id, const at__gpu *gpu, at_error *err) AT_MUST_CHECK;
at_status at__gpu_current_device(at__gpu *gpu, at_error *err) AT_MUST_CHECK;
int at__gpu_ordinal(const at__gpu *gpu); /* of that device, as --device takes it */

/* Is what is launched on this stream of the caller's recorded into a graph, or may it be? Thread-safe. */
bool at__gpu_is_capturing(const at__gpu *gpu, void *stream);

/* Name, UUID, limits, free memory; `driver` is the CUDA version that the driver supports ("CUDA 13.0"). */
at_status at__gpu_info(at__device_info *out, at__gpu *gpu, at_error *err) AT_MUST_CHECK;
at_status at__gpu_describe(at__device_info *out, at__gpu *gpu, at_error *err) AT_MUST_CHECK; /* no memory */
at_status at__gpu_memory(int64_t *free_bytes, at__gpu *gpu, at_error *err) AT_MUST_CHECK;

/* Whether the context can still be used: tries it. */
bool at__gpu_is_lost(at__gpu *gpu);

/*
 * After a refusal: may it be due to what went before or what others do, rather than to what was asked for? Of
 * the first one since a kernel was loaded. A geometry, resources or code that a device refuses, it refuses
 * always; everything else (no memory, an unknown error, a stopwatch without a time) may pass.
 */
bool at__gpu_may_pass(const at__gpu *gpu);

at_status at__gpu_alloc(at__ptr *out, at__gpu *gpu, int64_t bytes, at_error *err) AT_MUST_CHECK;
void at__gpu_free(at__gpu *gpu, at__ptr ptr); /* 0 is allowed */

/* `shared_bytes` of dynamic shared memory are opted into when they exceed the static limit. */
at_status at__gpu_load(at__module **out, at__gpu *gpu, const void *cubin, const char *kernel,
                       int64_t shared_bytes, at_error *err) AT_MUST_CHECK;
/* All that a candidate launches, from one copy of its code. */
at_status at__gpu_load_all(at__module **out, at__gpu *gpu, const at__kernel *kernel,
                           at_error *err) AT_MUST_CHECK;
/* One more kernel of a module that is loaded: its next step. AT__MAX_STEPS in all. */
at_status at__gpu_load_step(at__module *module, at__gpu *gpu, const char *kernel, int64_t shared_bytes,
                            at_error *err) AT_MUST_CHECK;
/* AT_ERR_DEVICE, as the launch would say: the kernel of a step takes too much for a block of so many threads.
 */
at_status at__gpu_check_block(at__gpu *gpu, const at__module *module, int step, const at__geometry *geometry,
                              at_error *err) AT_MUST_CHECK;
/* A variable of its code, __constant__ or __device__. AT_ERR_DEVICE: there is none, or it has fewer bytes. */
at_status at__gpu_variable(at__ptr *out, at__gpu *gpu, const at__module *module, const char *name,
                           int64_t bytes, at_error *err) AT_MUST_CHECK;
/* module NULL is allowed; gpu NULL: the kernel stays loaded for as long as its context lives. */
void at__gpu_unload(at__gpu *gpu, at__module *module);

/*
 * As the driver says: registers, static shared memory, local memory, of each the most that a step needs; the
 * others are unknown.
 */
at__resources at__module_resources(const at__module *module);

/* The same of a step behind the first, which is 0. */
at_status at__gpu_launch_step(at__gpu *gpu, const at__module *module, int step, const at__geometry *geometry,
                              void **params, at_error *err) AT_MUST_CHECK;
at_status at__gpu_launch_step_on(const at__gpu *gpu, void *stream, const at__module *module, int step,
                                 const at__geometry *geometry, void **params, at_error *err) AT_MUST_CHECK;

/* Enqueues. `params` point to the arguments, as cuLaunchKernel wants them. */
at_status at__gpu_launch(at__gpu *gpu, const at__module *module, const at__geometry *geometry, void **params,
                         at_error *err) AT_MUST_CHECK;

/* The same on a stream of the caller's (a CUstream; NULL: the default one). Thread-safe. */
at_status at__gpu_launch_on(const at__gpu *gpu, void *stream, const at__module *module,
                            const at__geometry *geometry, void **params, at_error *err) AT_MUST_CHECK;
at_status at__gpu_copy(at__gpu *gpu, at__ptr to, at__ptr from, int64_t bytes, at_error *err) AT_MUST_CHECK;
/* The same on a stream of the caller's. Thread-safe. */
at_status at__gpu_copy_on(const at__gpu *gpu, void *stream, at__ptr to, at__ptr from, int64_t bytes,
                          at_error *err) AT_MUST_CHECK;
at_status at__gpu_zero(at__gpu *gpu, at__ptr to, int64_t bytes, at_error *err) AT_MUST_CHECK;

/* Waits for everything before it, then reads, or writes. */
at_status at__gpu_read(at__gpu *gpu, void *to, at__ptr from, int64_t bytes, at_error *err) AT_MUST_CHECK;
at_status at__gpu_write(at__gpu *gpu, at__ptr to, const void *from, int64_t bytes,
                        at_error *err) AT_MUST_CHECK;
at_status at__gpu_wait(at__gpu *gpu, at_error *err) AT_MUST_CHECK;

/* A stopwatch on the device: start and stop are enqueued, read waits. AT_ERR_DEVICE also for no positive
 * time. */
at_status at__gpu_timer_start(at__gpu *gpu, at_error *err) AT_MUST_CHECK;
at_status at__gpu_timer_stop(at__gpu *gpu, at_error *err) AT_MUST_CHECK;
at_status at__gpu_timer_read(double *seconds, at__gpu *gpu, at_error *err) AT_MUST_CHECK;

/* Launches between begin and end are recorded instead of run. */
at_status at__gpu_record_begin(at__gpu *gpu, at_error *err) AT_MUST_CHECK;
at_status at__gpu_record_end(at__graph **out, at__gpu *gpu, at_error *err) AT_MUST_CHECK;
at_status at__gpu_replay(at__gpu *gpu, const at__graph *graph, at_error *err) AT_MUST_CHECK;
void at__gpu_drop(at__gpu *gpu, at__graph *graph); /* NULL is allowed */

#endif
