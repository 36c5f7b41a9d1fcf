/* checked.c - see checked.h. */
#include "cli/checked.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *atx_checked_name(const atx_compile_check_row *r)
{
    return r->t ? r->t->name : "(reference)";
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Columns of the table: as wide as the longest name. */
typedef struct widths {
    int op, name;
} widths;

static widths widths_of(const atx_compile_check_row *rows, size_t count)
{
    widths w = { 9, 16 };
    for (size_t i = 0; i < count; i++) {
        int op = (int)strlen(rows[i].op->name), name = (int)strlen(atx_checked_name(&rows[i]));
        w.op = op > w.op ? op : w.op;
        w.name = name > w.name ? name : w.name;
    }
    return w;
}

static void print_row(atx_compile_check_row *r, atx_format format, widths w)
{
    static const char *const FORMATS[] = {
        [ATX_TEXT] = " %7" PRId64 " %7" PRId64 " %6" PRId64 " %4" PRId64 "/%3" PRId64 "/%3" PRId64
                     " %8" PRId64 " %6" PRId64 "\n",
        [ATX_JSON] =
            ",\"configs\":%" PRId64 ",\"kernels\":%" PRId64 ",\"failed\":%" PRId64
            ",\"registers_min\":%" PRId64 ",\"registers_median\":%" PRId64 ",\"registers_max\":%" PRId64
            ",\"shared_max_bytes\":%" PRId64 ",\"spilling\":%" PRId64 "}\n",
        [ATX_CSV] = ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                    ",%" PRId64 "\n",
    };
    static const char *const HEADS[] = {
        [ATX_TEXT] = "sm_%-4d %-5s %-*s %-*s",
        [ATX_JSON] = "{\"schema\":\"autotune.compile/"
                     "1\",\"arch\":\"sm_%d\",\"dtype\":\"%s\",\"op\":\"%*s\",\"template\":\"%*s\"",
        [ATX_CSV] = "sm_%d,%s,%*s,%*s",
    };
    int64_t low = 0, middle = 0, high = 0;
    if (format != ATX_TEXT)
        w = (widths){ 0, 0 };
    if (r->register_count) {
        qsort(r->registers, r->register_count, sizeof *r->registers, by_value);
        low = r->registers[0];
        middle = r->registers[r->register_count / 2];
        high = r->registers[r->register_count - 1];
    }
    atx_print(stdout, HEADS[format], r->cc, atx_dtype_name(r->type), w.op, r->op->name, w.name,
              atx_checked_name(r));
    atx_print(stdout, FORMATS[format], r->configs, r->kernels, r->failed, low, middle, high, r->shared_max,
              r->spilling);
}

void atx_checked_print(atx_compile_check *check, atx_format format, int64_t failed, double seconds,
                       const char *nvrtc_version)
{
    atx_compile_check_row *rows = NULL;
    size_t count = atx_compile_check_rows(check, &rows);
    widths w = widths_of(rows, count);
    int64_t kernels = 0;
    if (format == ATX_TEXT)
        atx_print(stdout, "%-7s %-5s %-*s %-*s %7s %7s %6s %12s %8s %6s\n", "arch", "type", w.op, "op",
                  w.name, "template", "configs", "kernels", "failed", "registers", "shared", "spills");
    else if (format == ATX_CSV)
        atx_print(
            stdout,
            "arch,dtype,op,template,configs,kernels,failed,registers_min,registers_median,registers_max,"
            "shared_max_bytes,spilling\n");
    for (size_t i = 0; i < count; i++) {
        if (rows[i].kernels)
            print_row(&rows[i], format, w);
        kernels += rows[i].kernels;
    }
    if (format == ATX_TEXT)
        atx_print(stdout,
                  "%" PRId64 " kernels, %" PRId64 " failed, %.1f s, %.0f kernels a second, NVRTC %s\n",
                  kernels, failed, seconds, seconds > 0 ? (double)kernels / seconds : 0, nvrtc_version);
}
