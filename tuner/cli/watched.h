/* watched.h - whether files have changed since they were looked at, by their time and size. */
#pragma once

#include "lang/catalog.h"

/* Everything that a template is made of, and all files of DIR (NULL: none), as one number. */
uint64_t atx_watched_state(const atx_template *t, const char *dir); /* t NULL: it could not be read */
