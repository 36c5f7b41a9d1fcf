/* machine_float.c */
#include "machine/machine_parts.h"
at__handler *at__select_float(const at__ptx_instruction *i)
{
    (void)i;
    return NULL;
}
