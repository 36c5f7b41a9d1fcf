/* test_installed.c - the model of the GPUs in this machine, read from where the driver tells. */
#include "lookup/lookup_internal.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void folder_make(void)
{
    cr_assert(mkdtemp(TEMPORARY(folder, "test")) && chdir(folder) == 0);
}

static void folder_remove(void)
{
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

static void gpu(const char *address, const char *information)
{
    char path[64];
    cr_assert_eq(mkdir(address, 0755), 0);
    snprintf(path, sizeof path, "%s/information", address);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(information, file) >= 0 && fclose(file) == 0);
}

static const char *installed(const char *where)
{
    static char name[64];
    atx_installed_model(name, sizeof name, where);
    return name;
}

TestSuite(installed, .init = folder_make, .fini = folder_remove);

Test(installed, is_the_model_that_the_driver_names)
{
    gpu("0000:61:00.0", "Model: \t\t NVIDIA H200\nIRQ:   \t\t 345\nGPU UUID: \t GPU-1\n");
    cr_expect_str_eq(installed("."), "NVIDIA H200");
}

Test(installed, several_of_one_model_are_that_model)
{
    gpu("0000:61:00.0", "Model: \t\t NVIDIA H200\n");
    gpu("0000:62:00.0", "Model: \t\t NVIDIA H200\n");
    cr_expect_str_eq(installed("."), "NVIDIA H200");
}

Test(installed, different_models_are_none_in_particular)
{
    gpu("0000:61:00.0", "Model: \t\t NVIDIA H200\n");
    gpu("0000:62:00.0", "Model: \t\t NVIDIA H100 80GB HBM3\n");
    cr_expect_str_eq(installed("."), "");
}

Test(installed, nothing_is_said_of_what_cannot_be_read)
{
    cr_expect_str_eq(installed("nowhere"), "");
    gpu("0000:61:00.0", "IRQ: 345\n");
    cr_expect_str_eq(installed("."), "");
}

Test(installed, a_name_that_does_not_fit_is_none)
{
    gpu("0000:61:00.0", "Model: \t\t NVIDIA of more than sixty-three bytes, which no product has had so far, "
                        "and none will\n");
    cr_expect_str_eq(installed("."), "");
}
