/*
 * arch.c - a table by compute capability, ascending: shared memory, and multiprocessors, L2 and memory of a
 * common card. It is used where there is no driver to ask. A capability without a row takes the newest older
 * one, so the limits are never above those of the hardware.
 */
#include "lang/arch.h"

#include "util/str.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int cc, sms, shared_kib, l2_mib, memory_gib;
    int sm_threads, sm_blocks, sm_shared_kib; /* that a multiprocessor holds at once */
} ARCHS[] = {
    { 75, 40, 64, 4, 16, 1024, 16, 64 },        { 80, 108, 163, 40, 40, 2048, 32, 164 },
    { 86, 84, 99, 6, 24, 1536, 16, 100 },       { 87, 16, 163, 4, 32, 1536, 16, 164 },
    { 89, 128, 99, 72, 24, 1536, 24, 100 },     { 90, 132, 227, 50, 80, 2048, 32, 228 },
    { 100, 148, 227, 126, 180, 2048, 32, 228 }, { 103, 148, 227, 126, 270, 2048, 32, 228 },
    { 120, 170, 99, 96, 32, 1536, 24, 100 },    { 121, 48, 99, 24, 128, 1536, 24, 100 },
};
enum { ARCH_COUNT = sizeof ARCHS / sizeof *ARCHS };

static at_status unknown(const char *text, at_error *err)
{
    ATX_LOCAL(atx_str) known = { 0 };
    for (int i = 0; i < ARCH_COUNT; i++)
        atx_str_addf(&known, " sm_%d", ARCHS[i].cc);
    atx_fail(err, AT_ERR_USAGE, "found '%.40s'; expected one of:%s", text, atx_str_text(&known));
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

static atx_limits limits_of(int row)
{
    return (atx_limits){ .cc = ARCHS[row].cc,
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

at_status atx_arch_parse(atx_limits *out, const char *text, at_error *err)
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

/* Compute capabilities that have variants. */
static bool has_variant(int64_t cc, char variant)
{
    return (variant == 'a' && cc >= 90) || (variant == 'f' && cc >= 100);
}

at_status atx_arch_parse_variant(atx_limits *out, char *variant, const char *text, at_error *err)
{
    char plain[16];
    const size_t len = strlen(text);
    *variant = len > 1 && len < sizeof plain && strchr("af", text[len - 1]) ? text[len - 1] : '\0';
    if (!*variant)
        return atx_arch_parse(out, text, err);
    memcpy(plain, text, len - 1);
    plain[len - 1] = '\0';
    at_status status = atx_arch_parse(out, plain, err);
    if (status == AT_OK && !has_variant(out->cc, *variant))
        status = atx_fail(err, AT_ERR_USAGE,
                          "found '%s'; expected sm_90a or newer, sm_100f or newer, or no letter", text);
    return status;
}

char atx_arch_variant(const char *words, int cc)
{
    if (!words)
        return 0;
    if (strcmp(words, ATX_TARGET_SPECIFIC) == 0)
        return has_variant(cc, 'a') ? 'a' : '\0';
    for (const char *at = words; *at; at += *at == ' ') {
        char *end = NULL;
        const size_t len = strcspn(at, " ");
        const long listed = len > 3 ? strtol(at + 3, &end, 10) : 0;
        const char variant = end ? *end : '\0';
        if (has_variant(listed, variant) && (variant == 'a' ? listed == cc : listed / 10 == cc / 10))
            return variant;
        at += len;
    }
    return 0;
}

void atx_arch_text(char out[ATX_ARCH_TEXT], int64_t cc, char variant)
{
    snprintf(out, ATX_ARCH_TEXT, "sm_%d%.1s", (int)cc, &variant);
}

static int row_of(int64_t cc)
{
    int row = 0;
    while (row + 1 < ARCH_COUNT && ARCHS[row + 1].cc <= cc)
        row++;
    return row;
}

void atx_arch_limits(atx_limits *out, int64_t cc)
{
    *out = limits_of(row_of(cc));
    out->cc = cc;
}

static int64_t round_up(int64_t value, int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Registers are given to warps in units of 256, and to four warps at a time. */
static int64_t blocks_by_registers(int64_t warps, int64_t registers)
{
    enum { REGISTERS = 65536, UNIT = 256, TOGETHER = 4 };
    int64_t of_warp = round_up(registers * 32, UNIT);
    return of_warp > 0 ? REGISTERS / of_warp / TOGETHER * TOGETHER / warps : INT64_MAX;
}

atx_occupancy atx_arch_occupancy(int64_t cc, int64_t threads, int64_t registers, int64_t shared_bytes)
{
    const int row = row_of(cc);
    const int64_t warps = round_up(threads > 0 ? threads : 1, 32) / 32;
    const int64_t own = ARCHS[row].cc >= 80 ? 1024 : 0; /* shared bytes that each block costs besides */
    const int64_t unit = ARCHS[row].cc >= 80 ? 128 : 256;
    const int64_t shared = round_up((shared_bytes > 0 ? shared_bytes : 0) + own, unit);
    const struct {
        const char *what;
        int64_t blocks;
    } BOUNDS[] = {
        { "threads", ARCHS[row].sm_threads / 32 / warps },
        { "registers", blocks_by_registers(warps, registers > 0 ? registers : 0) },
        { "shared memory", shared ? ARCHS[row].sm_shared_kib * 1024 / shared : INT64_MAX },
        { "blocks", ARCHS[row].sm_blocks },
    };
    atx_occupancy o = { .blocks = INT64_MAX, .max_warps = ARCHS[row].sm_threads / 32 };
    for (size_t i = 0; i < sizeof BOUNDS / sizeof *BOUNDS; i++)
        if (BOUNDS[i].blocks < o.blocks) {
            o.blocks = BOUNDS[i].blocks;
            o.limit = BOUNDS[i].what;
        }
    o.warps = o.blocks * warps;
    return o;
}

int64_t atx_memory_bytes(int64_t memory_mib)
{
    int64_t bytes = 0;
    if (memory_mib <= 0)
        return 0;
    return __builtin_mul_overflow(memory_mib, (int64_t)1 << 20, &bytes) ? INT64_MAX : bytes;
}
