/* checked.c - see checked.h. */
#include "cli/checked.h"

#include "cli/report.h"
#include "lang/arch.h"

#include <inttypes.h>
#include <stdio.h>
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

/* A row, whose registers are sorted. */
static int64_t registers_at(const atx_compile_check_row *r, size_t place)
{
    return r->register_count ? r->registers[place] : -1;
}

static void walk(atx_row *row, const void *item)
{
    const atx_compile_check_row *r = item;
    char arch[ATX_ARCH_TEXT];
    atx_arch_text(arch, r->cc, r->variant);
    const size_t count = r->register_count;
    atx_row_text(row, "arch", arch);
    atx_row_text(row, "dtype", atx_dtype_name(r->type));
    atx_row_text(row, "op", r->op ? r->op->name : NULL);
    atx_row_text(row, "template", atx_checked_name(r));
    atx_row_int(row, "configs", r->configs);
    atx_row_int(row, "kernels", r->kernels);
    atx_row_int(row, "failed", r->failed);
    atx_row_int(row, "registers_min", registers_at(r, 0));
    atx_row_int(row, "registers_median", registers_at(r, count / 2));
    atx_row_int(row, "registers_max", registers_at(r, count ? count - 1 : 0));
    atx_row_int(row, "shared_bytes_max", r->shared_max);
    atx_row_int(row, "spilling", r->spilling);
}

static void add_text(atx_str *out, const atx_compile_check_row *r, widths w)
{
    const size_t count = r->register_count;
    char arch[ATX_ARCH_TEXT];
    atx_arch_text(arch, r->cc, r->variant);
    atx_str_addf(out,
                 "%-7s %-5s %-*s %-*s %7" PRId64 " %7" PRId64 " %6" PRId64 " %4" PRId64 "/%3" PRId64
                 "/%3" PRId64 " %8" PRId64 " %6" PRId64 "\n",
                 arch, atx_dtype_name(r->type), w.op, r->op->name, w.name, atx_checked_name(r), r->configs,
                 r->kernels, r->failed, count ? registers_at(r, 0) : 0,
                 count ? registers_at(r, count / 2) : 0, count ? registers_at(r, count - 1) : 0,
                 r->shared_max, r->spilling);
}

void atx_checked_print(atx_compile_check *check, atx_format format, int64_t failed, double seconds,
                       const char *nvrtc_version)
{
    atx_compile_check_row *rows = NULL;
    size_t count = atx_compile_check_rows(check, &rows);
    widths w = widths_of(rows, count);
    int64_t kernels = 0;
    ATX_LOCAL(atx_str) out = { 0 };
    if (format == ATX_TEXT)
        atx_str_addf(&out, "%-7s %-5s %-*s %-*s %7s %7s %6s %12s %8s %6s\n", "arch", "type", w.op, "op",
                     w.name, "template", "configs", "kernels", "failed", "registers", "shared", "spills");
    atx_report_heads(&out, format, walk, &(atx_compile_check_row){ .cc = 0 });
    for (size_t i = 0; i < count; i++) {
        atx_compile_check_row *r = &rows[i];
        kernels += r->kernels;
        if (r->register_count)
            qsort(r->registers, r->register_count, sizeof *r->registers, by_value);
        if (r->kernels && format == ATX_TEXT)
            add_text(&out, r, w);
        else if (r->kernels)
            atx_report_row(&out, format, "autotune.check/1", walk, r);
    }
    if (format == ATX_TEXT)
        atx_str_addf(&out,
                     "%" PRId64 " kernels, %" PRId64 " failed, %.1f s, %.0f kernels a second, NVRTC %s\n",
                     kernels, failed, seconds, seconds > 0 ? (double)kernels / seconds : 0, nvrtc_version);
    atx_print(stdout, "%s", atx_whole(&out));
}
