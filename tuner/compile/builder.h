/*
 * builder.h - from a configuration to a kernel that can be launched: render, look in the cache, compile,
 * bind.
 *
 * One thread uses a builder. It borrows the pool, the cache, NVRTC's handle and the cancel.
 */
#ifndef AUTOTUNE_BUILDER_H
#define AUTOTUNE_BUILDER_H

#include "device/device.h"
#include "compile/pool.h"
#include "util/cancel.h"
#include "db/store.h"

typedef struct at__builder {
    at__pool *pool;     /* NULL on a replay */
    at__store *cache;   /* compiled kernels; NULL: none, also after it has failed once */
    at__nvrtc *nvrtc;   /* for its version; NULL: kernels are rendered, not compiled, which a replay needs */
    at__cancel *cancel; /* ends a wait; NULL: nothing does */
    int cc;
    int owners;           /* who has jobs with the pool, so far: the next one's number is one more */
    int64_t compiled;     /* kernels compiled, not counting cache hits */
    at_error cache_error; /* why the cache was given up: it only saves time */
} at__builder;

/* A source and what became of it. Zero it before use; clear it after. */
typedef struct at__build {
    at__str source;
    char source_hash[AT__HASH_TEXT];
    char key[AT__HASH_TEXT]; /* of the compiled kernel in the cache */
    at__str cubin, log;
    at__resources resources; /* -1: unknown, of a kernel that an older version put into the cache */
    bool done, ok;
    bool cached;      /* it came from the cache, not from a compiler */
    int owner;        /* of its job, which at__build_begin handed to the pool; 0: there is none */
    double compile_s; /* 0: from the cache */
} at__build;
void at__build_clear(at__build *build);

/* Renders and, when the cache knows the kernel, completes the build (build->done). */
at_status at__build_start(at__build *build, at__builder *builder, const at__template *t, at__dtype type,
                          const at__config *config, const int64_t *slots, at_error *err) AT_MUST_CHECK;

/* Takes over a compiled kernel and remembers it in the cache. Failures are not remembered: they are cheap. */
void at__build_finish(at__build *build, at__builder *builder, at__compiled *compiled);

/*
 * Hashes build->source, looks in the cache and, where the pool has room, has it compiled, without waiting:
 * several are compiled side by side. at__build_wait must follow, or at__build_drop.
 */
at_status at__build_begin(at__build *build, at__builder *builder, const char *name,
                          at_error *err) AT_MUST_CHECK;

/*
 * Waits until build->source is compiled; hands it over if nobody has. Jobs of others go on meanwhile.
 * AT_ERR_CANCELLED: the builder was cancelled, and all that is being compiled is given up.
 */
at_status at__build_wait(at__build *build, at__builder *builder, const char *name,
                         at_error *err) AT_MUST_CHECK;
void at__build_drop(at__build *build,
                    at__builder *builder); /* its job is given up; then as at__build_clear */

/*
 * A kernel that does not load although the cache gave it: true when it came from there, and now is to be
 * compiled, which puts it there again. False for one that was compiled: nothing better is to be had.
 */
bool at__build_distrust(at__build *build);

/* Hashes build->source and looks in the cache; at__build_start does this itself. */
at_status at__build_look_up(at__build *build, at__builder *builder, at_error *err) AT_MUST_CHECK;

/* A winner's kernel, by the hash of its source: the cache keeps it for longer than others. */
void at__builder_keep(at__builder *builder, const char *source_hash);

/*
 * Fills the geometry and the arguments of a launch: `launch` and `op`'s arguments over bound slots. Buffers
 * are numbered in the order of the op's buffer arguments. The cubin is borrowed from `build`.
 */
at_status at__kernel_bind(at__kernel *out, const at__build *build, const char *name, const at__launch *launch,
                          const at__op *op, const int64_t *slots, at_error *err) AT_MUST_CHECK;

/*
 * The kernels that judge outputs, in the order of at__op_referees, with the op's grid and block; without any:
 * not a kernel. AT_ERR_INPUT: the code has no such kernel, or it takes other parameters.
 */
at_status at__referee_bind(at__kernel *out, const at__build *build, const at__op *op, const int64_t *slots,
                           at_error *err) AT_MUST_CHECK;

/* Whether code has these kernels, with their parameters. AT_ERR_INPUT says what is wrong. */
at_status at__referee_check(const at__op *op, const void *code, size_t len, at_error *err) AT_MUST_CHECK;

/*
 * The same of a template: what of the op's arguments its kernel takes, and under the name that the compiler
 * gave it, which is borrowed from the cubin; without one (a replay) its own. AT_ERR_INPUT: no launch can be
 * made of this configuration, or its code has no such kernel.
 */
at_status at__template_bind(at__kernel *out, const at__build *build, const at__template *t,
                            const int64_t *slots, at_error *err) AT_MUST_CHECK;

#endif
