/* instance_setup.c - see instance_setup.h. */
#include "explain/instance_setup.h"

#include "tune/setup.h"

at_status atx_instance_describe(atx_setup *setup, const atx_problem *problem, const int64_t *slots,
                                at_error *err)
{
    return atx_setup_describe(setup, problem, slots, err);
}
