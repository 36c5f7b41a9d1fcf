/* packed.h - a pack as text, for `explain --pack`. */
#ifndef AUTOTUNE_CLI_PACKED_H
#define AUTOTUNE_CLI_PACKED_H

#include "pack/pack.h"

void atx_print_pack(const atx_pack_set *set);

#endif
