/*
 * test_arithmetic.c - the machine's results of single instructions, held against those that an H200 gave
 * (h200/arithmetic.txt, made by ask_device): the same bits where the ISA says which, near them where it does
 * not.
 */
#include "arithmetic.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_table(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/machine/%s", AT_SOURCE_DIR, name);
    FILE *file = fopen(path, "re");
    cr_assert_not_null(file, "%s", path);
    return file;
}

Test(arithmetic, every_instruction_is_known_to_the_machine)
{
    FILE *file = open_table("arithmetic.txt");
    char line[256];
    int rows = 0;
    while (fgets(line, sizeof line, file)) {
        row r;
        at_error err = { 0 };
        unsigned char *out = NULL;
        if (!row_read(&r, line))
            continue;
        rows++;
        cr_expect(row_on_machine(&out, &r, &err) == AT_OK, "%s: %s", r.text, err.text);
        free(out);
    }
    fclose(file);
    cr_expect(rows > 250);
}

Test(arithmetic, results_are_to_the_bit_what_an_h200_gave)
{
    FILE *file = open_table("h200/arithmetic.txt");
    char line[256], hash[17];
    int rows = 0;
    while (fgets(line, sizeof line, file)) {
        row r;
        at_error err = { 0 };
        unsigned char *out = NULL;
        if (*line == '#' || !row_read(&r, line + 17))
            continue;
        rows++;
        cr_assert(row_on_machine(&out, &r, &err) == AT_OK, "%s: %s", r.text, err.text);
        row_hash(hash, &r, out);
        cr_expect(strncmp(hash, line, 16) == 0, "%s: found results of hash %s", line, hash);
        free(out);
    }
    fclose(file);
    cr_expect(rows > 250);
}

static uint64_t f64_at(const unsigned char *bytes, int64_t i)
{
    uint64_t bits;
    memcpy(&bits, bytes + 8 * i, 8);
    return bits;
}

static bool is_nan(uint64_t bits)
{
    return (bits & INT64_MAX) > 0x7ff0000000000000;
}

/* Not what a processor makes of it: x86 and arm64 differ in sign, and in which operand they prefer. */
static uint64_t nan_of(unsigned char *const in[], int count, int64_t i)
{
    for (int k = 0; k < count; k++)
        if (is_nan(f64_at(in[k], i)))
            return f64_at(in[k], i) | (uint64_t)1 << 51;
    return 0xfff8000000000000; /* CUDART_NAN */
}

Test(arithmetic, an_f64_that_is_not_a_number_is_the_same_on_every_processor)
{
    static const char *const ROWS[] = { "add.rn.f64 f64 = f64 f64",     "add.rp.f64 f64 = f64 f64",
                                        "sub.rn.f64 f64 = f64 f64",     "sub.rm.f64 f64 = f64 f64",
                                        "mul.rn.f64 f64 = f64 f64",     "mul.rz.f64 f64 = f64 f64",
                                        "div.rn.f64 f64 = f64 f64",     "fma.rn.f64 f64 = f64 f64 f64",
                                        "fma.rp.f64 f64 = f64 f64 f64", "sqrt.rn.f64 f64 = f64",
                                        "sqrt.rm.f64 f64 = f64",        "rcp.rn.f64 f64 = f64",
                                        "rsqrt.approx.f64 f64 = f64" };
    int nans = 0;
    for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++) {
        row r;
        at_error err = { 0 };
        unsigned char *out = NULL, *in[MOST_OPERANDS] = { NULL };
        cr_assert(row_read(&r, ROWS[k]));
        for (int slot = 0; slot < r.in_count; slot++)
            in[slot] = row_operand(&r, slot);
        cr_assert(row_on_machine(&out, &r, &err) == AT_OK, "%s: %s", r.text, err.text);
        for (int64_t i = 0; i < r.threads; i++) {
            const uint64_t found = f64_at(out, i), wanted = nan_of(in, r.in_count, i);
            nans += is_nan(found);
            cr_assert(!is_nan(found) || found == wanted, "%s: thread %lld: found %016llx, expected %016llx",
                      r.text, (long long)i, (unsigned long long)found, (unsigned long long)wanted);
        }
        for (int slot = 0; slot < r.in_count; slot++)
            free(in[slot]);
        free(out);
    }
    cr_expect(nans > 100);
}
