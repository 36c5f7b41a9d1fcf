/* scene_setup.c - see scene_setup.h. */
#include "explain/scene_setup.h"

#include "tune/setup.h"

at_status atx_scene_describe(atx_setup *setup, const atx_problem *problem, const int64_t *slots,
                             at_error *err)
{
    return atx_setup_describe(setup, problem, slots, err);
}
