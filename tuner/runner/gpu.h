/*
 * gpu.h - one CUDA device through the Driver API, opened at run time. Only gpu_cuda*.c include <cuda.h>.
 *
 * Used by runner processes, and by the library when it launches: the supervisor never loads a driver. One
 * thread uses an atx_gpu; all work goes to one stream, in order. Failures are AT_ERR_DEVICE with the driver's
 * own words; after some of them (a kernel that faulted) the context is lost for good, and atx_gpu_is_lost
 * returns true.
 */
#pragma once

#include "device/trial.h"

typedef struct atx_gpu atx_gpu;
typedef struct atx_module atx_module; /* a loaded cubin and its kernel */
typedef struct atx_graph atx_graph;   /* a recorded series of launches */
typedef uint64_t atx_ptr;             /* an address on the device      */

/* AT_ERR_DEVICE: no driver library, no device, or one that is too old. */
at_status atx_gpu_count(int *out, at_error *err) AT_MUST_CHECK;

/* The identity of a GPU, on any machine. */
#define ATX_UUID_TEXT 64
at_status atx_gpu_uuid(char out[ATX_UUID_TEXT], int ordinal, at_error *err) AT_MUST_CHECK;
at_status atx_gpu_open(atx_gpu **out, int ordinal, at_error *err) AT_MUST_CHECK;

/* The same in two steps: the second, the device's context, takes as long again. Meanwhile it is known for
 * which device to compile. What atx_gpu_find returns can only be entered or closed. */
at_status atx_gpu_find(atx_gpu **out, int ordinal, at_error *err) AT_MUST_CHECK;
at_status atx_gpu_enter(atx_gpu *gpu, at_error *err) AT_MUST_CHECK;
at_status atx_gpu_cc(int64_t *cc, atx_gpu *gpu, at_error *err) AT_MUST_CHECK;
void atx_gpu_close(atx_gpu *gpu);

/*
 * For a program that has its own contexts: opens the driver and nothing else. The calls below then work on
 * the context that is current in the calling thread, after atx_gpu_current_device; those that need the
 * stream, the stopwatch or a recording must not be used.
 */
at_status atx_gpu_attach(atx_gpu **out, at_error *err) AT_MUST_CHECK;

/* The identity of a context, never used twice. AT_ERR_USAGE: this thread has none. Thread-safe. */
at_status atx_gpu_current(uint64_t *id, const atx_gpu *gpu, at_error *err) AT_MUST_CHECK;

/* The context itself, to make it another thread's current one. Thread-safe, both. */
at_status atx_gpu_context(void **out, const atx_gpu *gpu, at_error *err) AT_MUST_CHECK;
at_status atx_gpu_set_context(const atx_gpu *gpu, void *context, at_error *err) AT_MUST_CHECK;

at_status atx_gpu_current_device(atx_gpu *gpu, at_error *err) AT_MUST_CHECK;
int atx_gpu_ordinal(const atx_gpu *gpu); /* of that device, as --device takes it */

/* Are launches on this stream of the caller's recorded into a graph, or may they be? Thread-safe. */
bool atx_gpu_is_capturing(const atx_gpu *gpu, void *stream);

/* Name, UUID, limits, free memory; `driver` is the CUDA version that the driver supports ("CUDA 13.0"). */
at_status atx_gpu_info(atx_device_info *out, atx_gpu *gpu, at_error *err) AT_MUST_CHECK;
at_status atx_gpu_describe(atx_device_info *out, atx_gpu *gpu, at_error *err) AT_MUST_CHECK; /* no memory */
at_status atx_gpu_memory(int64_t *free_bytes, atx_gpu *gpu, at_error *err) AT_MUST_CHECK;

/* Whether the context can still be used: tries it. */
bool atx_gpu_is_lost(atx_gpu *gpu);

/*
 * After a refusal: may it be due to what went before or what others do, rather than to what was asked for? Of
 * the first one since a kernel was loaded. A geometry, resources or code that a device refuses, it refuses
 * always; everything else (no memory, an unknown error, a stopwatch without a time) may pass.
 */
bool atx_gpu_may_pass(const atx_gpu *gpu);

at_status atx_gpu_alloc(atx_ptr *out, atx_gpu *gpu, int64_t bytes, at_error *err) AT_MUST_CHECK;
void atx_gpu_free(atx_gpu *gpu, atx_ptr ptr); /* 0 is allowed */

/* Sets the attributes of the kernel that the geometry (NULL: a plain one) needs: dynamic shared memory above
 * the static limit, clusters of more than ATX_PORTABLE_CLUSTER blocks, the carveout. */
at_status atx_gpu_load(atx_module **out, atx_gpu *gpu, const void *cubin, const char *kernel,
                       const atx_geometry *geometry, at_error *err) AT_MUST_CHECK;
/* All that a candidate launches, from one copy of its code, if this device can launch it:
 * atx_gpu_check_launch. */
at_status atx_gpu_load_all(atx_module **out, atx_gpu *gpu, const atx_kernel *kernel,
                           at_error *err) AT_MUST_CHECK;
/* One more kernel of a module that is loaded: its next step. ATX_MAX_STEPS in all. */
at_status atx_gpu_load_step(atx_module *module, atx_gpu *gpu, const char *kernel,
                            const atx_geometry *geometry, at_error *err) AT_MUST_CHECK;
/* AT_ERR_DEVICE, where the launch would be refused: the kernel of a step takes too much for a block of so
 * many threads, a cluster has no room, or not all blocks of a cooperative grid have room at once. */
at_status atx_gpu_check_launch(atx_gpu *gpu, const atx_module *module, int step, const atx_geometry *geometry,
                               at_error *err) AT_MUST_CHECK;
/* A variable of its code, __constant__ or __device__. AT_ERR_DEVICE: there is none, or it has fewer bytes. */
at_status atx_gpu_variable(atx_ptr *out, atx_gpu *gpu, const atx_module *module, const char *name,
                           int64_t bytes, at_error *err) AT_MUST_CHECK;
/* module NULL is allowed; gpu NULL: the kernel stays loaded for as long as its context lives. */
void atx_gpu_unload(atx_gpu *gpu, atx_module *module);

/*
 * As the driver says: registers, static shared memory, local memory, of each the most that a step needs; the
 * others are unknown.
 */
atx_resources atx_module_resources(const atx_module *module);

/* The same of a step behind the first, which is 0. */
at_status atx_gpu_launch_step(atx_gpu *gpu, const atx_module *module, int step, const atx_geometry *geometry,
                              void **params, at_error *err) AT_MUST_CHECK;

/* Enqueues. `params` point to the arguments, as for cuLaunchKernel. */
at_status atx_gpu_launch(atx_gpu *gpu, const atx_module *module, const atx_geometry *geometry, void **params,
                         at_error *err) AT_MUST_CHECK;

/* Room for those of one launch. */
typedef struct atx_encoded_maps {
    _Alignas(64) unsigned char bytes[ATX_MAX_MAPS][ATX_TENSOR_MAP_BYTES];
} atx_encoded_maps;

/* Encodes the tensor maps that a launch takes for the addresses of these buffers, and has params[] point to
 * them. */
at_status atx_gpu_encode_maps(void **params, atx_encoded_maps *maps, const atx_gpu *gpu,
                              const atx_kernel *kernel, const atx_kernel_launch *one, const uint64_t *buffers,
                              at_error *err) AT_MUST_CHECK;

/* A launch on a stream of the caller's (a CUstream; NULL: the default one). */
typedef struct atx_stream_launch {
    void *stream;
    int step; /* of the module; the first is 0 */
    const atx_geometry *geometry;
    void **params;
    const void *attributes; /* CUlaunchAttribute, so many */
    int attribute_count;
} atx_stream_launch;

/* Enqueues it. Thread-safe. */
at_status atx_gpu_launch_on(const atx_gpu *gpu, const atx_module *module, const atx_stream_launch *launch,
                            at_error *err) AT_MUST_CHECK;
at_status atx_gpu_copy(atx_gpu *gpu, atx_ptr to, atx_ptr from, int64_t bytes, at_error *err) AT_MUST_CHECK;
/* The same on a stream of the caller's. Thread-safe. */
at_status atx_gpu_copy_on(const atx_gpu *gpu, void *stream, atx_ptr to, atx_ptr from, int64_t bytes,
                          at_error *err) AT_MUST_CHECK;
at_status atx_gpu_zero(atx_gpu *gpu, atx_ptr to, int64_t bytes, at_error *err) AT_MUST_CHECK;

/* Waits for everything before it, then reads, or writes. */
at_status atx_gpu_read(atx_gpu *gpu, void *to, atx_ptr from, int64_t bytes, at_error *err) AT_MUST_CHECK;
at_status atx_gpu_write(atx_gpu *gpu, atx_ptr to, const void *from, int64_t bytes,
                        at_error *err) AT_MUST_CHECK;
at_status atx_gpu_wait(atx_gpu *gpu, at_error *err) AT_MUST_CHECK;

/* A stopwatch on the device: start and stop are enqueued, read waits. AT_ERR_DEVICE also for no positive
 * time. */
at_status atx_gpu_timer_start(atx_gpu *gpu, at_error *err) AT_MUST_CHECK;
at_status atx_gpu_timer_stop(atx_gpu *gpu, at_error *err) AT_MUST_CHECK;
at_status atx_gpu_timer_read(double *seconds, atx_gpu *gpu, at_error *err) AT_MUST_CHECK;

/* Launches between begin and end are recorded instead of run. */
at_status atx_gpu_record_begin(atx_gpu *gpu, at_error *err) AT_MUST_CHECK;
at_status atx_gpu_record_end(atx_graph **out, atx_gpu *gpu, at_error *err) AT_MUST_CHECK;
at_status atx_gpu_replay(atx_gpu *gpu, const atx_graph *graph, at_error *err) AT_MUST_CHECK;
void atx_gpu_drop(atx_gpu *gpu, atx_graph *graph); /* NULL is allowed */
