/*
 * builder.h - from a configuration to a kernel that can be launched: render, look in the cache, compile,
 * bind.
 *
 * One thread uses a builder. It borrows the pool, the cache, NVRTC's handle and the cancel.
 */
#pragma once

#include "device/device.h"
#include "compile/claims.h"
#include "compile/pool.h"
#include "util/cancel.h"
#include "db/store.h"

typedef struct atx_builder {
    atx_pool *pool;     /* NULL on a replay */
    atx_store *cache;   /* compiled kernels; NULL: none, also after it has failed once */
    atx_nvrtc *nvrtc;   /* for its version; NULL: kernels are rendered, not compiled, which a replay needs */
    atx_claims *claims; /* of other builders with this cache; NULL: there are none */
    atx_cancel *cancel; /* ends a wait; NULL: nothing does */
    bool ahead;         /* what it begins is taken over only later: no other builder shall wait for that */
    int cc;
    int owners;           /* who has jobs with the pool, so far: the next one's number is one more */
    int64_t compiled;     /* kernels compiled, not counting cache hits */
    at_error cache_error; /* why the cache was given up: it only saves time */
} atx_builder;

/* A source and its result. Zero it before use; clear it after. */
typedef struct atx_build {
    atx_str source;
    char source_hash[ATX_HASH_TEXT];
    char key[ATX_HASH_TEXT]; /* of the compiled kernel in the cache */
    atx_str cubin, log;
    atx_str launches;        /* of a kernel in loops: its launches, made when it is bound the first time */
    atx_resources resources; /* -1: unknown, of a kernel that an older version put into the cache */
    bool done, ok;
    bool cached;          /* it came from the cache, not from a compiler */
    atx_claims *claims;   /* that have its key; NULL: none */
    const void *claimant; /* the builder that claimed it */
    double elsewhere_s;   /* since when another builder compiles it, on atx_now_s(); 0: none does */
    int owner;            /* of its job, which atx_build_begin handed to the pool; 0: there is none */
    double compile_s;     /* 0: from the cache */
} atx_build;
void atx_build_clear(atx_build *build);
void atx_build_give_back(atx_build *build); /* another builder may compile it now */

/*
 * Renders and, when the cache knows the kernel, completes the build (build->done). Where another builder is
 * compiling it (build->elsewhere_s), the cache is to be asked again, by atx_build_look_up.
 */
at_status atx_build_start(atx_build *build, atx_builder *builder, const atx_template *t, atx_dtype type,
                          const atx_config *config, const int64_t *slots, at_error *err) AT_MUST_CHECK;

/* Takes over a compiled kernel and remembers it in the cache. Failures are not remembered: they are cheap. */
void atx_build_finish(atx_build *build, atx_builder *builder, atx_compiled *compiled);

/*
 * Hashes build->source, looks in the cache and, where the pool has room, has it compiled, without waiting:
 * several are compiled side by side. atx_build_wait must follow, or atx_build_drop.
 */
at_status atx_build_begin(atx_build *build, atx_builder *builder, const char *name,
                          at_error *err) AT_MUST_CHECK;

/* Takes over its compiler's results since atx_pool_pump, without waiting. False: none. */
bool atx_build_take(atx_build *build, atx_builder *builder);

/*
 * Waits until build->source is compiled; submits it first if needed. Jobs of others go on meanwhile.
 * AT_ERR_CANCELLED: the builder was cancelled; running compilations go on.
 */
at_status atx_build_wait(atx_build *build, atx_builder *builder, const char *name,
                         at_error *err) AT_MUST_CHECK;
void atx_build_drop(atx_build *build,
                    atx_builder *builder); /* its job is given up; then as atx_build_clear */

/*
 * A kernel that does not load although the cache gave it: true when it came from there, and now is to be
 * compiled, which puts it there again. False for one that was compiled: nothing better is to be had.
 */
bool atx_build_distrust(atx_build *build);

/* Hashes build->source and looks in the cache; atx_build_start does this itself. */
at_status atx_build_look_up(atx_build *build, atx_builder *builder, at_error *err) AT_MUST_CHECK;

/* A winner's kernel, by the hash of its source: the cache keeps it for longer than others. */
void atx_builder_keep(atx_builder *builder, const char *source_hash);

/*
 * Fills the geometry and the arguments of the launches of the op's reference, in its loops, over bound slots.
 * Buffers are numbered in the order of the op's buffer arguments; the cubin is borrowed from `build`, which
 * is bound for one problem and configuration.
 */
at_status atx_reference_bind(atx_kernel *out, atx_build *build, const atx_op *op, const int64_t *slots,
                             at_error *err) AT_MUST_CHECK;

/*
 * The kernels that validate outputs, in the order of atx_op_validators, with the op's grid and block; without
 * any: not a kernel. AT_ERR_INPUT: the code has no such kernel, or it takes other parameters.
 */
at_status atx_validator_bind(atx_kernel *out, const atx_build *build, const atx_op *op, const int64_t *slots,
                             at_error *err) AT_MUST_CHECK;

/* Whether code has these kernels, with their parameters. AT_ERR_INPUT names the error. */
at_status atx_validator_check(const atx_op *op, const void *code, size_t len, at_error *err) AT_MUST_CHECK;

/*
 * The same of a template: what of the op's arguments its kernel takes, and under the name that the compiler
 * gave it, which is borrowed from the cubin; without one (a replay) its own. AT_ERR_INPUT: no launch can be
 * made of this configuration, or its code has no such kernel.
 */
at_status atx_template_bind(atx_kernel *out, atx_build *build, const atx_template *t, const int64_t *slots,
                            at_error *err) AT_MUST_CHECK;
