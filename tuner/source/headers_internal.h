/*
 * headers_internal.h - definitions shared by the files of headers.h. Private to headers*.c.
 *
 * headers.c finds files, reads them and walks from one to the next; headers_note.c makes notes, compares them
 * with the current files, and names the files that changed.
 */
#pragma once

#include "source/directives.h"
#include "source/folders.h"
#include "source/headers.h"
#include "util/sha256.h"

#include <sys/stat.h>

enum { ATX_HEADER_NAME = 512, ATX_HEADER_LISTS = 64 };

typedef struct atx_header {
    char *path;  /* without links followed: as the compiler will see it */
    char *shown; /* in its folder                                       */
    size_t path_len;
    int folder;       /* that it is below; -1: none                                */
    struct stat seen; /* of the contents that `hash` is of; st_ino 0: none yet */
    char hash[ATX_HASH_TEXT];
    size_t *includes; /* indices of files */
    size_t include_count, include_cap;
    bool reached; /* in the walk that is under way */
} atx_header;

struct atx_headers {
    atx_folders folders;
    atx_header *files;
    size_t file_count, file_cap;
    uint8_t *used;                 /* a bit for the hash of each name in the files; NULL: none was read */
    char *lists[ATX_HEADER_LISTS]; /* that are known, the newest in the place of the oldest; NULL: none */
    unsigned list_next;
};

/* Files in the order in which they are met; each once. */
typedef struct atx_header_walk {
    size_t *files;
    size_t count, cap;
} atx_header_walk;

/* *found false: it is none of theirs, as CUDA's are. `includer` NULL: a text of ours. */
at_status atx_headers_find(size_t *index, bool *found, atx_headers *h, const char *includer, const char *name,
                           bool quoted, at_error *err) AT_MUST_CHECK;

/* What a directive names; false: it cannot be in a folder. */
bool atx_headers_copy_name(char name[ATX_HEADER_NAME], const atx_directive *d);

at_status atx_headers_meet(atx_header_walk *w, atx_headers *h, size_t file, at_error *err) AT_MUST_CHECK;

/* Meets all that is reached from the files in `w`, which stay before what is reached. */
at_status atx_headers_follow(atx_header_walk *w, atx_headers *h, at_error *err) AT_MUST_CHECK;

/* The list ("NAME HASH" of each, sorted, a line each) of all that is reached from the files in `w`; ends the
 * walk. *bytes: of the files. */
at_status atx_headers_walk(atx_str *list, size_t *bytes, atx_header_walk *w, atx_headers *h,
                           at_error *err) AT_MUST_CHECK;
