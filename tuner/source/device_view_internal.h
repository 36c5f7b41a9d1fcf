/*
 * device_view_internal.h - a view that is being made. Private to device_view*.c: device_view.c finds what is
 * reached, device_view_members.c what of a class is the host's, device_view_blank.c decides about headers and
 * blanks the rest.
 */
#pragma once

#include "source/device_items.h"
#include "source/device_view.h"

enum { ATX_AS_MACRO = 1, ATX_WHOLLY = 2 }; /* how a word is reached */

/* Entries of one word, by their indices: of atx_items.names, or of lines. */
typedef struct atx_chains {
    size_t *first; /* of each word; SIZE_MAX: none */
    size_t *next;
} atx_chains;

typedef struct atx_view {
    char *text;
    const atx_device_request *request;
    atx_items t;
    atx_chains names, defines;
    uint8_t *reached; /* of each word */
    bool *replaced;   /* of each word */
    bool *global;     /* of each item: it is in no namespace */
    bool *namespaces; /* of each word: one that the text has */
    uint32_t *queue;  /* words whose entries are to be visited; each may be twice in it */
    size_t queued, visited;
    bool *kept; /* of each span */
    bool *host; /* of each token: it is of a function of the host's within a class */
} atx_view;

/* Do the kernels need a header of this library's, as far as they are known? */
bool atx_view_has_library(const atx_view *v, const char *library);

/* Finds `host`. */
void atx_view_mark_members(atx_view *v);

/* Blanks what is not kept, or not reached. */
void atx_view_blank(atx_view *v);
