/* test_builder.c - builds that wait: for a compiler, for another builder, until their user cancels. */
#include "compile/builder.h"

#include "store_support.h"
#include "util/clock.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Text that an entry of a table needs. */
#define KEY(digit) digit digit digit digit digit digit digit digit

static void need_nvrtc(void)
{
    atx_nvrtc *nvrtc = NULL;
    setenv("AUTOTUNE_EXE", AT_WORKER, 1);
    if (atx_nvrtc_open(&nvrtc, NULL) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    atx_nvrtc_close(nvrtc);
}

static void begin(atx_build *build, atx_builder *builder, const char *name)
{
    at_error err = { 0 };
    atx_str_addf(&build->source, "extern \"C\" __global__ void %s(float *p) { p[threadIdx.x] = 1; }\n", name);
    cr_assert_eq(atx_build_begin(build, builder, "k.cu", &err), AT_OK, "%s", err.text);
}

Test(builder, a_wait_that_is_cancelled_leaves_other_builds_alone, .init = need_nvrtc)
{
    atomic_int flag = 1;
    at_error err = { 0 };
    atx_cancel cancel = { .flag = &flag };
    atx_build first = { .done = false }, second = { .done = false };
    atx_builder builder = { .cancel = &cancel, .cc = 80 };
    cr_assert_eq(atx_nvrtc_open(&builder.nvrtc, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_pool_open(&builder.pool, (atx_pool_options){ .workers = 1 }, &err), AT_OK, "%s",
                 err.text);
    begin(&first, &builder, "first");
    begin(&second, &builder, "second");
    cr_assert_eq(atx_build_wait(&first, &builder, "k.cu", &err), AT_ERR_CANCELLED);
    flag = 0;
    cr_assert_eq(atx_build_wait(&second, &builder, "k.cu", &err), AT_OK, "%s", err.text);
    cr_assert(second.ok);
    cr_assert_eq(atx_build_wait(&first, &builder, "k.cu", &err), AT_OK, "%s", err.text);
    cr_assert(first.ok);
    atx_build_clear(&first);
    atx_build_clear(&second);
    atx_pool_close(builder.pool);
    atx_nvrtc_close(builder.nvrtc);
}

/* Others wait for it: it is theirs before its own user needs it. */
Test(builder, what_is_compiled_is_taken_without_a_wait_for_it, .init = need_nvrtc)
{
    const int other = 0;
    at_error err = { 0 };
    atx_build build = { .done = false };
    atx_builder builder = { .claims = atx_claims_open(), .cc = 80 };
    folder f = folder_make();
    cr_assert_eq(atx_nvrtc_open(&builder.nvrtc, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_pool_open(&builder.pool, (atx_pool_options){ .workers = 1 }, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(atx_store_open_cache(&builder.cache, f.db, NULL, &err), AT_OK, "%s", err.text);
    begin(&build, &builder, "kernel");
    cr_assert(!atx_claims_take(builder.claims, &other, build.key));
    atx_build_give_back(&build); /* its search ends while it compiles */
    cr_assert(atx_claims_take(builder.claims, &other, build.key));
    while (!atx_build_take(&build, &builder)) {
        atx_pool_wait(builder.pool, NULL, 50);
        cr_assert_eq(atx_pool_pump(builder.pool, &err), AT_OK, "%s", err.text);
    }
    cr_assert(build.done && build.ok);
    cr_assert(atx_claims_take(builder.claims, &other, build.key));
    atx_build_clear(&build);
    atx_pool_close(builder.pool);
    atx_nvrtc_close(builder.nvrtc);
    atx_store_close(builder.cache);
    atx_claims_close(builder.claims);
    folder_remove(&f);
}

/* A device may measure for seconds before it takes over what was compiled ahead. */
Test(builder, nobody_waits_for_what_is_compiled_ahead, .init = need_nvrtc)
{
    const int other = 0;
    at_error err = { 0 };
    atx_build build = { .done = false };
    atx_builder builder = { .claims = atx_claims_open(), .ahead = true, .cc = 80 };
    folder f = folder_make();
    cr_assert_eq(atx_nvrtc_open(&builder.nvrtc, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_pool_open(&builder.pool, (atx_pool_options){ .workers = 1 }, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(atx_store_open_cache(&builder.cache, f.db, NULL, &err), AT_OK, "%s", err.text);
    begin(&build, &builder, "kernel");
    cr_assert(build.owner && atx_claims_take(builder.claims, &other, build.key));
    atx_build_drop(&build, &builder);
    atx_pool_close(builder.pool);
    atx_nvrtc_close(builder.nvrtc);
    atx_store_close(builder.cache);
    atx_claims_close(builder.claims);
    folder_remove(&f);
}

/* It would be found in the cache and nowhere else. */
Test(builder, without_a_cache_nothing_is_left_to_another_builder, .init = need_nvrtc)
{
    const int other = 0;
    at_error err = { 0 };
    atx_cancel cancel = { .until_s = atx_now_s() + 60 };
    atx_build probe = { .done = false }, build = { .done = false };
    atx_builder builder = { .cancel = &cancel, .cc = 80 };
    atx_claims *claims = atx_claims_open();
    folder f = folder_make();
    cr_assert_eq(atx_nvrtc_open(&builder.nvrtc, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_pool_open(&builder.pool, (atx_pool_options){ .workers = 1 }, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(atx_store_open_cache(&builder.cache, f.db, NULL, &err), AT_OK, "%s", err.text);
    begin(&probe, &builder, "kernel");
    cr_assert(atx_claims_take(claims, &other, probe.key));
    atx_build_drop(&probe, &builder);
    builder.claims = claims;
    begin(&build, &builder, "kernel");
    cr_assert_gt(build.elsewhere_s, 0);
    atx_store_close(builder.cache);
    builder.cache = NULL;
    cr_assert_eq(atx_build_wait(&build, &builder, "k.cu", &err), AT_OK, "%s", err.text);
    cr_assert(build.ok);
    atx_build_clear(&build);
    atx_pool_close(builder.pool);
    atx_nvrtc_close(builder.nvrtc);
    atx_claims_close(claims);
    folder_remove(&f);
}

Test(builder, a_kernel_has_one_claim_until_it_is_given_back)
{
    const char a[ATX_HASH_TEXT] = KEY("aaaaaaaa"), b[ATX_HASH_TEXT] = KEY("bbbbbbbb");
    const int builders[2] = { 0 };
    atx_claims *claims = atx_claims_open();
    cr_assert(atx_claims_take(claims, &builders[0], a));
    cr_assert(!atx_claims_take(claims, &builders[1], a), "another builder compiles it");
    cr_assert(atx_claims_take(claims, &builders[0], a), "a builder does not wait for itself");
    cr_assert(atx_claims_take(claims, &builders[1], b));
    atx_claims_give_back(claims, &builders[1], a);
    cr_assert(!atx_claims_take(claims, &builders[1], a), "it is another's");
    atx_claims_give_back(claims, &builders[0], a);
    cr_assert(atx_claims_take(claims, &builders[1], a));
    cr_assert(!atx_claims_take(claims, &builders[0], b));
    atx_claims_close(claims);
}
