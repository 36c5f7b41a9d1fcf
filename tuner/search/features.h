/*
 * features.h - configurations of several templates as short vectors of small numbers, for a model to
 * learn from.
 *
 * A feature is a parameter (one of the same name in several templates is one feature), how often two divides
 * a parameter's value where that varies, the template, or a figure of the launch: threads a block, blocks,
 * shared memory. Each has up to AT__MAX_LEVELS levels; levels of an ordered feature have a place on a line.
 */
#ifndef AUTOTUNE_FEATURES_H
#define AUTOTUNE_FEATURES_H

#include "search/search.h"

#define AT__MAX_FEATURES 64
#define AT__MAX_LEVELS   64

/* The place where a template has no such parameter. */
#define AT__ABSENT (-1e9f)

typedef struct at__feature {
    int levels;
    bool ordered;
    float place[AT__MAX_LEVELS]; /* of each level, mostly 0 to 1 */
} at__feature;

typedef struct at__features at__features;

/* Borrows the search. */
at_status at__features_open(at__features **out, const at__search *search, at_error *err) AT_MUST_CHECK;
void at__features_close(at__features *features);

int at__features_count(const at__features *features);
const at__feature *at__features_at(const at__features *features, int i);

/* The levels of a configuration, as many as there are features. */
void at__features_levels(uint8_t *out, const at__features *features, int64_t index);

#endif
