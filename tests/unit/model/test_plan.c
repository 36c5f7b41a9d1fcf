/* test_plan.c - a plan's verdict is that of all lets and all requirements in their order. */
#include "lang/arch.h"
#include "lang/catalog.h"
#include "model/plan.h"
#include "util/rng.h"

#include <criterion/criterion.h>
#include <string.h>

enum { CONFIGS = 200 };

static void draw(at__config *out, const at__template *t, at__rng *rng)
{
    *out = (at__config){ { 0 } };
    for (int i = 0; i < t->param_count; i++)
        out->values[i] = t->params[i].values[at__rng_below(rng, (uint64_t)t->params[i].count)];
}

/* How many of the configurations are valid. */
static int compare(const at__template *t, const int64_t *bound, at__rng *rng)
{
    int64_t one[AT__MAX_SLOTS], other[AT__MAX_SLOTS];
    size_t bytes = (size_t)t->symbols.count * sizeof *one;
    at__plan plan;
    at_error err = { 0 };
    int valid = 0;
    cr_assert_eq(at__plan_make(&plan, t, &err), AT_OK, "%s", err.text);
    memcpy(one, bound, sizeof one);
    bool any = at__plan_begin(&plan, one);
    for (int k = 0; k < CONFIGS; k++) {
        at__config config;
        draw(&config, t, rng);
        memcpy(other, bound, sizeof other);
        bool expected = at__config_validate(other, t, &config, NULL) == AT_OK;
        bool allowed = any && at__plan_allows(&plan, one, &config);
        cr_assert_eq(allowed, expected, "%s, configuration %d", t->name, k);
        cr_assert(!allowed || memcmp(one, other, bytes) == 0, "%s: other values", t->name);
        valid += allowed;
    }
    at__plan_clear(&plan);
    return valid;
}

Test(plan, allows_what_is_valid_and_leaves_the_same_values)
{
    static const int64_t SIZES[][2] = { { 4096, 4096 }, { 3000, 5000 }, { 3, 999999 }, { 77, 33 } };
    at__catalog *catalog = NULL;
    at_error err = { 0 };
    at__rng rng = { .state = 7 };
    int valid = 0;
    cr_assert_eq(at__catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    const at__op *op = at__catalog_find_op(catalog, "transpose");
    for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++)
        for (int i = 0; i < at__catalog_template_count(catalog, op); i++) {
            int64_t slots[AT__MAX_SLOTS] = { 0 };
            at__problem p;
            at__limits limits;
            at__arch_limits(&limits, 90);
            cr_assert_eq(at__problem_init(&p, op, s % 2 ? AT__F32 : AT__U8, SIZES[s], 2, &err), AT_OK);
            cr_assert_eq(at__problem_bind(slots, &p, &limits, &err), AT_OK, "%s", err.text);
            valid += compare(at__catalog_template(catalog, op, i), slots, &rng);
        }
    cr_expect_gt(valid, 100, "%d valid", valid);
    at__catalog_close(catalog);
}
