/* test_learn_portfolio.c - which of the configurations that were tried a look-up scores. */
#include "model/learn_portfolio.h"

#include <criterion/criterion.h>

Test(portfolio, has_few_configurations_but_good_ones_for_every_problem)
{
    static const atx_tried TRIED[] = { { 0, 0, 0.00f }, { 1, 0, 0.02f }, { 1, 1, 0.01f }, { 1, 2, 0.00f },
                                       { 2, 2, 0.01f }, { 3, 3, 0.02f }, { 4, 3, 0.50f } };
    unsigned char chosen[5];
    cr_assert_eq(atx_portfolio_choose(chosen, TRIED, 7, 5, 4, &(atx_portfolio_rules){ 0.03, 1, 100 }, NULL),
                 AT_OK);
    cr_assert(chosen[1] && chosen[3], "one serves three problems, the other one serves the fourth");
    cr_assert(!chosen[0] && !chosen[2] && !chosen[4]);
}
