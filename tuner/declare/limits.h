/* limits.h - how many of everything a declaration may have. */
#pragma once

#define ATX_MAX_DIMS         8
#define ATX_MAX_PITCHES      2
#define ATX_MAX_ALIGNS       4
#define ATX_MAX_SWAPS        8
#define ATX_MAX_CHOICES      8 /* of one dimension */
#define ATX_MAX_LAYOUTS      2 /* of an op of laid out data: its input's and its output's */
#define ATX_MAX_SIZES        (ATX_MAX_DIMS * (1 + ATX_MAX_LAYOUTS) + ATX_MAX_PITCHES + ATX_MAX_ALIGNS)
#define ATX_MAX_SAME         4 /* other ops that some problems of an op are of */
#define ATX_MAX_PARAMS       32
#define ATX_MAX_VALUES       4096 /* of one parameter */
#define ATX_MAX_ARGS         64
#define ATX_MAX_OWN          32 /* arguments of a template's own */
#define ATX_MAX_MAPS         8  /* of them tensor maps */
#define ATX_MAX_SLOTS        256
#define ATX_MAX_NAME         64   /* characters of a name, with the final zero */
#define ATX_MAX_USES         16   /* files of common code that one file names */
#define ATX_MAX_SHARED       64   /* files of common code whose declarations one template has */
#define ATX_MAX_TYPES        4    /* named types of an op, besides T */
#define ATX_MAX_STRUCTS      16   /* of an op */
#define ATX_MAX_FIELDS       32   /* of a struct */
#define ATX_MAX_STRUCT_BYTES 4096 /* the limit of a kernel's parameters */
#define ATX_MAX_FILES        8    /* in the `source` or `include` lines of a template */
#define ATX_MAX_OPTIONS      16   /* for the compiler */
#define ATX_MAX_METRICS      8    /* of an op */
#define ATX_MAX_LOOPS        8    /* of the host, around launches */
#define ATX_MAX_KERNEL       256  /* characters of a kernel's name expression, with the final zero */

/* The architecture of code with instructions that only one architecture has. */
#define ATX_TARGET_SPECIFIC "specific"
