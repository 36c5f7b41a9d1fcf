/*
 * status.h - how every call of this project says what went wrong.
 *
 * Fallible functions return at_status, put their outputs first and take an
 * at_error last. The error may be NULL. On failure outputs keep the value
 * they had. A kernel candidate that does not compile, launch or verify is a
 * result (an outcome stored with its trial), never an error.
 *
 * Threads: an at_error belongs to its caller; nothing here is shared.
 */
#ifndef AUTOTUNE_STATUS_H
#define AUTOTUNE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers stay what they are; later versions may add some. */
typedef enum at_status {
    AT_OK = 0,
    AT_ERR_USAGE = 1,     /* the caller or the command line broke a documented rule */
    AT_ERR_INPUT = 2,     /* a file or value from outside is bad                    */
    AT_ERR_DEVICE = 3,    /* GPU, driver or NVRTC is missing or said no             */
    AT_ERR_STORE = 4,     /* SQLite said no, or the database is not ours            */
    AT_ERR_NOT_FOUND = 5, /* the thing asked for does not exist                     */
    AT_ERR_MEMORY = 6,    /* out of host memory                                     */
    AT_ERR_SYSTEM = 7,    /* the operating system said no (files, processes)        */
    AT_ERR_CANCELLED = 8, /* cancelled before its end                               */
    AT_ERR_INTERNAL = 9   /* a bug of ours, whatever was asked for: the text names the version and asks for a
                           report                                              */
} at_status;

#define AT_ERROR_TEXT 1024

/* Filled by calls that fail; needs no initial value. Has its final size: later versions add no members. */
typedef struct at_error {
    at_status status;
    char text[AT_ERROR_TEXT]; /* one or a few lines, no final newline; longer ones are cut */
} at_error;

#if defined(__GNUC__)
#define AUTOTUNE_API  __attribute__((visibility("default")))
#define AT_MUST_CHECK __attribute__((warn_unused_result))
#else
#define AUTOTUNE_API
#define AT_MUST_CHECK
#endif

/* A word for a status: "usage", "input", ... Never NULL. */
AUTOTUNE_API const char *at_status_name(at_status status);

#ifdef __cplusplus
}
#endif
#endif
