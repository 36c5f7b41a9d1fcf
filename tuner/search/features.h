/*
 * features.h - configurations of several templates as short vectors of small numbers, for a model to
 * learn from.
 *
 * A feature is a parameter (one of the same name in several templates is one feature), how often two divides
 * a parameter's value where that varies, the template, a figure of the launch (threads a block, blocks,
 * shared memory), or whether a trial is of this problem or from elsewhere. Each has up to ATX_MAX_LEVELS
 * levels; levels of an ordered feature have a place on a line.
 */
#pragma once

#include "search/search.h"

#define ATX_MAX_FEATURES 64
#define ATX_MAX_LEVELS   64

/* The place where a template has no such parameter. */
#define ATX_ABSENT (-1e9f)

typedef struct atx_feature {
    int levels;
    bool ordered;
    float place[ATX_MAX_LEVELS]; /* of each level, mostly 0 to 1 */
} atx_feature;

typedef struct atx_features atx_features;

/* Borrows the search. */
at_status atx_features_open(atx_features **out, const atx_search *search, at_error *err) AT_MUST_CHECK;
void atx_features_close(atx_features *features);

int atx_features_count(const atx_features *features);
const atx_feature *atx_features_at(const atx_features *features, int i);

/* The levels of a configuration, as many as there are features. */
void atx_features_levels(uint8_t *out, const atx_features *features, int64_t index);

/* Makes them the levels of a trial from elsewhere; the search must have such. */
void atx_features_mark_elsewhere(uint8_t *levels, const atx_features *features);
