/*
 * host_cheats.h - copies that are right when they are looked at, or that save work where nobody looks. Their
 * parameters: out, in, scratch or 1, 1, and the number of elements.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CHEAT_WORDS = 4 };

/* Is this kernel one of them? */
bool host_is_cheat(const char *name);

/* Runs it. `memory`: words that its module keeps from launch to launch, zero at first. */
void host_cheat_run(const char *name, const uint64_t *params, int element, uint64_t memory[CHEAT_WORDS]);

/* What part of a launch's time it takes: before it runs. */
double host_cheat_share(const char *name, const uint64_t *params, int element);
