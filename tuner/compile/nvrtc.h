/*
 * nvrtc.h - the one door to NVRTC. The library is opened at run time: the program starts without it.
 *
 * 11.8 to 13.x. Where the library and CUDA's headers, which f16 and bf16 kernels include, are looked for, and
 * in which order: README.md. Threads: use one atx_nvrtc from one thread; separate processes scale where
 * threads do not.
 */
#pragma once

#include "util/fail.h"
#include "lang/record.h"
#include "source/headers.h"
#include "util/str.h"
#include <stdint.h>

typedef struct atx_nvrtc atx_nvrtc;

/*
 * AT_ERR_DEVICE when it is missing or too old: what was tried, and what to install or set. AT_ERR_USAGE: a
 * folder of $AUTOTUNE_HEADERS cannot be read.
 */
at_status atx_nvrtc_open(atx_nvrtc **out, at_error *err) AT_MUST_CHECK;

/* The same, but these are the user's folders of headers, "DIR:DIR"; NULL, "": none. no_environment: and no
 * variable says where something is. */
at_status atx_nvrtc_open_with(atx_nvrtc **out, const char *headers, bool no_environment,
                              at_error *err) AT_MUST_CHECK;

void atx_nvrtc_close(atx_nvrtc *nvrtc);
ATX_CLOSES(atx_nvrtc)

const char *atx_nvrtc_version(const atx_nvrtc *nvrtc); /* "13.0" */
const char *atx_nvrtc_path(const atx_nvrtc *nvrtc);    /* what was opened */

/* The folders of CUDA's headers, in the order of a search; NULL: there is no i-th. */
const char *atx_nvrtc_headers(const atx_nvrtc *nvrtc, int i);

/*
 * AT_ERR_DEVICE when a driver for this version of CUDA (12040: 12.4; 0: unknown) loads none of the kernels
 * that this NVRTC makes: its major version is older. The text says what to install or set.
 */
at_status atx_nvrtc_check_driver(const atx_nvrtc *nvrtc, int cuda, at_error *err) AT_MUST_CHECK;

/* From now on these are the user's folders of headers, "DIR:DIR", and not those of $AUTOTUNE_HEADERS. */
at_status atx_nvrtc_use_headers(atx_nvrtc *nvrtc, const char *folders, at_error *err) AT_MUST_CHECK;

/* What a note was made of (atx_headers_list): then an error says which header is another one now. */
void atx_nvrtc_know_headers(atx_nvrtc *nvrtc, const char *list);

/* Whether it can make a cubin for this compute capability (90). */
bool atx_nvrtc_supports(const atx_nvrtc *nvrtc, int cc);

/* The newest compute capability up to `cc` that it knows, for PTX on a GPU that is newer than NVRTC; 0: none.
 */
int atx_nvrtc_nearest(const atx_nvrtc *nvrtc, int cc);

/* ATX_LINED_PTX: with the source line of each instruction. ATX_PORTABLE_PTX: for devices that are newer than
 * cc, so never for a variant of it. */
typedef enum atx_code { ATX_CUBIN, ATX_PTX, ATX_LINED_PTX, ATX_PORTABLE_PTX } atx_code;

/*
 * From now on large headers are compiled ahead (ahead.h), into files in this folder, which is private to this
 * process; "": not any more. Of an NVRTC before 12.8 nothing changes. The code is the same with and without.
 */
void atx_nvrtc_compile_ahead(atx_nvrtc *nvrtc, const char *folder);

/*
 * PTX from now on: optimised as little as this NVRTC can (13.0 and newer), in a third of the time, or as
 * ever. For kernels that run once: they then run two or three times as long.
 */
void atx_nvrtc_hurry(atx_nvrtc *nvrtc, bool hurry);

/*
 * What is compiled: a text, its name in messages, for sm_<cc>; for a variant of it (sm_90a) where the text
 * says so (render_pragmas.h), or where it needs one: a cubin that ptxas refuses for that reason is tried
 * again.
 */
typedef struct atx_nvrtc_source {
    const char *text, *name;
    int cc;
    atx_code kind;
} atx_nvrtc_source;

/*
 * Compiles a source. *ok tells whether the compiler accepted it; a
 * refusal is no error: the reason is in *log, errors before warnings. AT_ERR_DEVICE only when NVRTC itself
 * failed or does not know cc; AT_ERR_INPUT when the user's headers are not those that the source was written
 * down with. `code` and `log` are replaced. Warnings go to the log of a success; ptxas' resource lines do
 * not: they are parsed. NVRTC's own cache is not used, so that the time taken is the time a compilation
 * takes. What the source may include, and how the rest is refused: includes.h.
 */
at_status atx_nvrtc_compile(atx_nvrtc *nvrtc, bool *ok, atx_str *code, atx_str *log, atx_resources *resources,
                            const atx_nvrtc_source *source, at_error *err) AT_MUST_CHECK;

/*
 * A log as the cache of compiled kernels keeps it: with the resources as a line that ptxas could have
 * written. atx_nvrtc_digest takes such a log, or one of ptxas itself, apart; what it does not find is -1.
 * `raw` is written to.
 */
void atx_nvrtc_log_with_resources(atx_str *out, const char *log, const atx_resources *resources);
void atx_nvrtc_digest(char *raw, atx_str *log, atx_resources *resources);

/* Moves errors, each with the lines that belong to it, before warnings: the beginning of a log then has the
 * reason. */
void atx_nvrtc_errors_first(char *log);

/* The first error of a log: "FILE(LINE): error: TEXT". */
typedef struct atx_log_error {
    const char *file, *text; /* within the log, not terminated */
    int file_len, text_len, line;
} atx_log_error;
bool atx_nvrtc_first_error(atx_log_error *out, const char *log); /* false: none has a place */

/* What logs of one mistake have in common, whatever numbers a configuration puts into them. */
void atx_nvrtc_cause(atx_str *out, const char *log);

/* Everything but the source that the code depends on (options, NVRTC version, cc), as part of a cache key. */
void atx_nvrtc_key(atx_str *out, const atx_nvrtc *nvrtc, int cc, atx_code kind);
