/* scene_setup.c - see scene_setup.h. */
#include "explain/scene_setup.h"

#include "tune/setup.h"

at_status at__scene_describe(at__setup *setup, const at__problem *problem, const int64_t *slots,
                             at_error *err)
{
    return at__setup_describe(setup, problem, slots, err);
}
