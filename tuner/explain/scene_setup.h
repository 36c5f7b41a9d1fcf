/* scene_setup.h - what a runner would be told of a problem's buffers. Private to scene*.c */
#ifndef AUTOTUNE_EXPLAIN_SCENE_SETUP_H
#define AUTOTUNE_EXPLAIN_SCENE_SETUP_H

#include "device/trial.h"

/* at__setup_describe of tune/setup.h, whose headers have other meanings for words of the machine's. */
at_status at__scene_describe(at__setup *setup, const at__problem *problem, const int64_t *slots,
                             at_error *err) AT_MUST_CHECK;

#endif
