/* option.h - the compiler's options that a declaration may name: none that reads or writes a file. */
#pragma once

#include <stdbool.h>

/* One word, "-use_fast_math" or "--maxrregcount=32"; a value may still be the name of a parameter. */
bool atx_option_is_known(const char *text);

/* Of those: has nvcc it, too? */
bool atx_option_is_nvccs(const char *text);

/* For messages. */
const char *atx_known_options(void);
