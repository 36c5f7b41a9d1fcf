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
