/* test_hide.c - what CUDA_VISIBLE_DEVICES names for a runner. */
#include "runner/hide.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const struct {
    const char *before;
    int ordinal;
    const char *after; /* NULL: nothing is hidden */
    int named;
    int gpus; /* 0: unknown */
} CASES[] = {
    { NULL, 0, "0", 0, 0 },
    { NULL, 12, "12", 0, 0 },
    { "4,7", 0, "4", 2, 0 },
    { "4,7", 1, "7", 2, 0 },
    { "GPU-8932f937,GPU-01", 1, "GPU-01", 2, 0 },
    { "4,7", 2, NULL, 0, 0 },
    { "4", 1, NULL, 0, 0 },
    { "", 0, NULL, 0, 0 },
    { "MIG-GPU-8932f937/1/0,3", 0, "MIG-GPU-8932f937/1/0", 2, 0 },
    { "4,,5", 1, NULL, 0, 0 },
    /* The driver's list ends where no device is named: a runner must not show what is behind. */
    { "4,,5", 0, NULL, 0, 0 },
    { "0,-1,1", 2, NULL, 0, 0 },
    { "0,-1,1", 0, NULL, 0, 0 },
    { "NoDevFiles", 0, NULL, 0, 0 },
    { "4,4", 1, NULL, 0, 0 },
    { "0,7,1", 2, NULL, 0, 2 }, /* no GPU has the number 7 */
    { "0,7,1", 0, NULL, 0, 2 },
    { "0,7,1", 2, "1", 3, 8 },
};

Test(hide, a_runner_shows_its_own_gpu_alone)
{
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_hidden hidden = { 0 };
        unsetenv("CUDA_VISIBLE_DEVICES");
        if (CASES[i].before)
            setenv("CUDA_VISIBLE_DEVICES", CASES[i].before, 1);
        atx_hide_others(&hidden, CASES[i].ordinal, CASES[i].gpus);
        const char *after = getenv("CUDA_VISIBLE_DEVICES");
        cr_expect_eq(hidden.others, CASES[i].after != NULL, "case %zu", i);
        cr_expect_eq(hidden.named, CASES[i].named, "case %zu: %d", i, hidden.named);
        cr_expect_str_eq(after, CASES[i].after ? CASES[i].after : CASES[i].before, "case %zu: %s", i, after);
        atx_hidden_clear(&hidden);
    }
}
