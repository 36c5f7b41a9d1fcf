/* packed.h - a pack as text, for `explain --pack`. */
#pragma once

#include "pack/pack.h"

void atx_print_pack(const atx_pack_set *set);
