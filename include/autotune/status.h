/*
 * status.h - status codes and error texts of all calls.
 *
 * Functions that can fail return at_status. Outputs are their first parameters, an at_error is the last, and
 * may be NULL. A call that fails does not change its outputs. A kernel candidate that does not compile,
 * launch or verify is a result (an outcome stored with its trial), never an error.
 *
 * Threads: an at_error belongs to its caller; nothing here is shared.
 */
#ifndef AUTOTUNE_STATUS_H
#define AUTOTUNE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers never change; later versions may add some. */
typedef enum at_status {
    AT_OK = 0,
    AT_ERR_USAGE = 1,     /* the caller or the command line broke a documented rule */
    AT_ERR_INPUT = 2,     /* a file or value from outside is wrong                   */
    AT_ERR_DEVICE = 3,    /* GPU, driver or NVRTC is missing or failed               */
    AT_ERR_STORE = 4,     /* SQLite failed, or the file is not an autotune database  */
    AT_ERR_NOT_FOUND = 5, /* it does not exist                                       */
    AT_ERR_MEMORY = 6,    /* out of host memory                                      */
    AT_ERR_SYSTEM = 7,    /* the operating system reported an error (file, process)  */
    AT_ERR_CANCELLED = 8, /* cancelled                                               */
    AT_ERR_INTERNAL = 9   /* a bug of autotune; the text has the version and asks for a report */
} at_status;

#define AT_ERROR_TEXT 1024

/* Filled by calls that fail; needs no initial value. Later versions add no members. */
typedef struct at_error {
    at_status status;
    char text[AT_ERROR_TEXT]; /* one or a few lines without a final newline; longer texts are cut */
} at_error;

#if defined(__GNUC__)
#define AUTOTUNE_API  __attribute__((visibility("default")))
#define AT_MUST_CHECK __attribute__((warn_unused_result))
#else
#define AUTOTUNE_API
#define AT_MUST_CHECK
#endif

/* The name of a status: "usage", "input", ... Never NULL. */
AUTOTUNE_API const char *at_status_name(at_status status);

#ifdef __cplusplus
}
#endif
#endif
