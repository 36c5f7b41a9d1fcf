/* fail.h - how our own code fills an at_error. */
#pragma once

#include <autotune/status.h>
#include <stdlib.h>

#if defined(__GNUC__)
#define AT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define AT_PRINTF(text, first)
#endif

/* Fills *err (when not NULL) and returns status, so that it can end a function. Long texts are cut. */
at_status atx_fail(at_error *err, at_status status, const char *format, ...) AT_PRINTF(3, 4);

/* "out of memory"; returns AT_ERR_MEMORY. */
at_status atx_no_memory(at_error *err);

/* The next step of several: left out unless all steps before it went well. */
#define ATX_THEN(status, ...) ((status) = (status) == AT_OK ? (__VA_ARGS__) : (status))

/* A step whose failure ends the function. Local variables that own something are declared as below. */
#define ATX_TRY(...)                                                                                         \
    do {                                                                                                     \
        const at_status atx_tried = (__VA_ARGS__);                                                           \
        if (atx_tried != AT_OK)                                                                              \
            return atx_tried;                                                                                \
    } while (0)

/*
 * Local variables that are released at the end of their block, in the opposite order of their declarations:
 *
 *   ATX_LOCAL(atx_str) text = { 0 };         atx_str_clear(&text), harmless on a zeroed one
 *   ATX_CLOSED(atx_store) *store = NULL;     atx_store_close(store); its header has ATX_CLOSES(atx_store)
 *   ATX_FREED int64_t *slots = malloc(size); free(slots)
 */
#define ATX_LOCAL(type)  __attribute__((cleanup(type##_clear))) type
#define ATX_CLOSED(type) __attribute__((cleanup(type##_close_at))) type
#define ATX_FREED        __attribute__((cleanup(atx_free_at)))

#define ATX_CLOSES(type)                                                                                     \
    static inline void type##_close_at(type **at)                                                            \
    {                                                                                                        \
        type##_close(*at);                                                                                   \
    }

static inline void atx_free_at(void *at)
{
    free(*(void **)at);
}
