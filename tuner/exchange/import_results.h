/*
 * import_results.h - formats that are a list of results, each a configuration and a time. A format says where
 * they stand in one of its results; parameters are those of the first. Private to import_*.c.
 */
#pragma once

#include "exchange/import_trials.h"

typedef struct atx_import_result {
    atx_import_setting settings[ATX_MAX_PARAMS + 1];
    int count;
    uint32_t time;    /* 0: none */
    uint32_t failure; /* why there is none; 0: it does not say */
    double unit_s;
} atx_import_result;

typedef at_status atx_import_look(atx_import_result *out, const atx_import_file *file, uint32_t node,
                                  at_error *err);

/* One more setting; too many are reported when the parameter is added. */
void atx_import_add_setting(atx_import_result *out, uint32_t name, uint32_t value);

at_status atx_import_read_results(atx_import_file *file, uint32_t list, atx_import_look *look,
                                  at_error *err) AT_MUST_CHECK;
