/* test_plan.c - a plan's verdict is that of all lets and all requirements in their order. */
#include "lang/arch.h"
#include "lang/catalog.h"
#include "model/plan.h"
#include "util/rng.h"

#include <criterion/criterion.h>
#include <string.h>

enum { CONFIGS = 200 };

static void draw(atx_config *out, const atx_template *t, atx_rng *rng)
{
    *out = (atx_config){ { 0 } };
    for (int i = 0; i < t->scope.param_count; i++)
        out->values[i] = t->scope.params[i].values[atx_rng_below(rng, (uint64_t)t->scope.params[i].count)];
}

/* How many of the configurations are valid. */
static int compare(const atx_template *t, const int64_t *bound, atx_rng *rng)
{
    int64_t one[ATX_MAX_SLOTS], other[ATX_MAX_SLOTS];
    size_t bytes = (size_t)t->scope.symbols.count * sizeof *one;
    atx_plan plan;
    at_error err = { 0 };
    int valid = 0;
    cr_assert_eq(atx_plan_make(&plan, t, &err), AT_OK, "%s", err.text);
    memcpy(one, bound, sizeof one);
    bool any = atx_plan_begin(&plan, one);
    for (int k = 0; k < CONFIGS; k++) {
        atx_config config;
        draw(&config, t, rng);
        memcpy(other, bound, sizeof other);
        bool expected = atx_config_validate(other, t, &config, NULL) == AT_OK;
        bool allowed = any && atx_plan_allows(&plan, one, &config);
        cr_assert_eq(allowed, expected, "%s, configuration %d", t->name, k);
        cr_assert(!allowed || memcmp(one, other, bytes) == 0, "%s: other values", t->name);
        valid += allowed;
    }
    atx_plan_clear(&plan);
    return valid;
}

Test(plan, allows_what_is_valid_and_leaves_the_same_values)
{
    static const int64_t SIZES[][2] = { { 4096, 4096 }, { 3000, 5000 }, { 3, 999999 }, { 77, 33 } };
    atx_catalog *catalog = NULL;
    at_error err = { 0 };
    atx_rng rng = { .state = 7 };
    int valid = 0;
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    const atx_op *op = atx_catalog_find_op(catalog, "transpose");
    for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++)
        for (int i = 0; i < atx_catalog_template_count(catalog, op); i++) {
            int64_t slots[ATX_MAX_SLOTS] = { 0 };
            atx_problem p;
            atx_limits limits;
            atx_arch_limits(&limits, 90);
            cr_assert_eq(atx_problem_init(&p, op, s % 2 ? ATX_F32 : ATX_U8, SIZES[s], 2, &err), AT_OK);
            cr_assert_eq(atx_problem_bind(slots, &p, &limits, &err), AT_OK, "%s", err.text);
            valid += compare(atx_catalog_template(catalog, op, i), slots, &rng);
        }
    cr_expect_gt(valid, 100, "%d valid", valid);
    atx_catalog_close(catalog);
}
