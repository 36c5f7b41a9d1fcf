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

typedef enum at_status {
    AT_OK = 0,
    AT_ERR_USAGE,     /* the caller or the command line broke a documented rule */
    AT_ERR_INPUT,     /* a file or value from outside is bad                    */
    AT_ERR_DEVICE,    /* GPU, driver or NVRTC is missing or said no             */
    AT_ERR_STORE,     /* SQLite said no, or the database is not ours            */
    AT_ERR_NOT_FOUND, /* the thing asked for does not exist                     */
    AT_ERR_MEMORY,    /* out of host memory                                     */
    AT_ERR_SYSTEM,    /* the operating system said no (files, processes)        */
    AT_ERR_CANCELLED, /* cancelled before its end: the tuner's own, never the library's */
    AT_ERR_INTERNAL   /* a bug of ours, whatever was asked for: the text names the version and asks for a
                       report                                              */
} at_status;

#define AT_ERROR_TEXT 1024

typedef struct at_error {
    at_status status;
    char text[AT_ERROR_TEXT]; /* one or a few lines, no final newline */
} at_error;

#if defined(__GNUC__)
#define AT_API                 __attribute__((visibility("default")))
#define AT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define AT_MUST_CHECK          __attribute__((warn_unused_result))
#else
#define AT_API
#define AT_PRINTF(text, first)
#define AT_MUST_CHECK
#endif

/* Fills *err (when not NULL) and returns status, so that it can end a function. Long texts are cut. */
AT_API at_status at_fail(at_error *err, at_status status, const char *format, ...) AT_PRINTF(3, 4);

/* A word for a status: "usage", "input", ... Never NULL. */
AT_API const char *at_status_name(at_status status);

#ifdef __cplusplus
}
#endif
#endif
