/*
 * arch.c - a table by compute capability, ascending: shared memory, and multiprocessors, L2 and
 * memory of a common card. It stands in for what the driver would say where there is no device. A
 * capability without a row takes the newest older one, so it never promises more than the hardware
 * has.
 */
#include "lang/arch.h"

#include "util/str.h"

#include <stdbool.h>
#include <string.h>

static const struct {
    int cc, sms, shared_kib, l2_mib, memory_gib;
} ARCHS[] = {
    { 75, 40, 64, 4, 16 },       { 80, 108, 163, 40, 40 },    { 86, 84, 99, 6, 24 },
    { 87, 16, 163, 4, 32 },      { 89, 128, 99, 72, 24 },     { 90, 132, 227, 50, 80 },
    { 100, 148, 227, 126, 180 }, { 103, 148, 227, 126, 270 }, { 120, 170, 99, 96, 32 },
    { 121, 48, 99, 24, 128 },
};
enum { ARCH_COUNT = sizeof ARCHS / sizeof *ARCHS };

static at_status unknown(const char *text, at_error *err)
{
    at__str known = { 0 };
    for (int i = 0; i < ARCH_COUNT; i++)
        at__str_addf(&known, " sm_%d", ARCHS[i].cc);
    at_fail(err, AT_ERR_USAGE, "--arch: found '%.40s'; expected one of:%s", text, at__str_text(&known));
    at__str_clear(&known);
    return AT_ERR_USAGE;
}

/* "90" or "9.0", nothing else; 0 when it is neither. */
static int number(const char *text)
{
    int cc = 0, digits = 0, point = -1;
    for (; *text && digits < 4; text++) {
        if (*text == '.' && point < 0 && digits > 0) {
            point = digits;
        } else if (*text >= '0' && *text <= '9') {
            cc = cc * 10 + (*text - '0');
            digits++;
        } else {
            return 0;
        }
    }
    bool whole = !*text && digits > 0 && (point < 0 || point == digits - 1);
    return whole ? cc : 0;
}

static at__limits limits_of(int row)
{
    return (at__limits){ .cc = ARCHS[row].cc,
                         .sms = ARCHS[row].sms,
                         .warp_size = 32,
                         .max_threads_per_block = 1024,
                         .max_shared_bytes = ARCHS[row].shared_kib * 1024,
                         .max_static_shared_bytes = 49152,
                         .max_registers_per_block = 65536,
                         .max_grid_x = 2147483647,
                         .l2_bytes = (int64_t)ARCHS[row].l2_mib << 20,
                         .memory_bytes = (int64_t)ARCHS[row].memory_gib << 30 };
}

at_status at__arch_parse(at__limits *out, const char *text, at_error *err)
{
    int cc = number(strncmp(text, "sm_", 3) == 0        ? text + 3
                    : strncmp(text, "compute_", 8) == 0 ? text + 8
                                                        : text);
    for (int i = 0; i < ARCH_COUNT; i++)
        if (ARCHS[i].cc == cc) {
            *out = limits_of(i);
            return AT_OK;
        }
    return unknown(text, err);
}

void at__arch_limits(at__limits *out, int64_t cc)
{
    int row = 0;
    while (row + 1 < ARCH_COUNT && ARCHS[row + 1].cc <= cc)
        row++;
    *out = limits_of(row);
    out->cc = cc;
}

int64_t at__memory_bytes(int64_t memory_mib)
{
    int64_t bytes = 0;
    if (memory_mib <= 0)
        return 0;
    return __builtin_mul_overflow(memory_mib, (int64_t)1 << 20, &bytes) ? INT64_MAX : bytes;
}
