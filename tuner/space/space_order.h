/*
 * space_order.h - in which order a walk binds parameters. Private to space*.c.
 */
#ifndef AUTOTUNE_SPACE_ORDER_H
#define AUTOTUNE_SPACE_ORDER_H

#include "space/space_rules.h"

/* Writes the parameters of the set, each once, into `order`, which has room for all of them. Pure. */
void at__space_order(int *order, const at__rules *rules, at__param_set params);

#endif
