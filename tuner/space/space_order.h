/*
 * space_order.h - in which order a walk binds parameters. Private to space*.c.
 */
#pragma once

#include "space/space_rules.h"

/* Writes the parameters of the set, each once, into `order`, which has room for all of them. Pure. */
void atx_space_order(int *order, const atx_rules *rules, atx_param_set params);
