/* catalog_ceiling.c - an op may be compared with one that is read after it, so this waits for all of them. */
#include "lang/catalog_ceiling.h"

at_status atx_check_ceiling(const atx_catalog *c, const atx_op *op, at_error *err)
{
    if (!op->goal.ceiling_op[0])
        return AT_OK;
    const atx_op *goal = NULL;
    at_status status = atx_catalog_get_op(&goal, c, op->goal.ceiling_op, err);
    if (status != AT_OK)
        return status;
    if (!goal)
        return atx_fail(err, AT_ERR_INPUT, "%s: found ceiling '%s'; expected the name of an op",
                        op->text.file, op->goal.ceiling_op);
    int missing = goal->shape.dim_count - op->goal.ceiling_dim_count;
    if (missing < 0 || (missing > 0 && !goal->shape.dims[missing - 1].optional))
        return atx_fail(err, AT_ERR_INPUT, "%s: found %d sizes for ceiling '%s'; expected %d", op->text.file,
                        op->goal.ceiling_dim_count, goal->name, goal->shape.dim_count);
    return AT_OK;
}
