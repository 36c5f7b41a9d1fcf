/*
 * option.c - a word is one compiler option, with or without a value. Values are letters, digits and a few
 * signs, so that an option cannot contain another one. Options for ptxas are checked as options of their own.
 */
#include "declare/option.h"

#include <stddef.h>
#include <string.h>

typedef enum value { NO_VALUE, NVRTC_ONLY /* nor a value */, SIMPLE, MACRO, PTXAS } value;

typedef struct known {
    const char *name; /* without its dashes */
    value value;
} known;

static const known KNOWN[] = {
    { "use_fast_math", NO_VALUE },
    { "use_fast_math", SIMPLE },
    { "extra-device-vectorization", NO_VALUE },
    { "ftz", SIMPLE },
    { "prec-sqrt", SIMPLE },
    { "prec-div", SIMPLE },
    { "fmad", SIMPLE },
    { "maxrregcount", SIMPLE },
    { "dopt", SIMPLE },
    { "std", SIMPLE },
    { "restrict", NO_VALUE },
    { "default-device", NVRTC_ONLY },
    { "device-as-default-execution-space", NVRTC_ONLY },
    { "Xptxas", PTXAS },
    { "ptxas-options", PTXAS },
    { "D", MACRO },
    { "define-macro", MACRO },
};

static const known KNOWN_PTXAS[] = {
    { "O", SIMPLE },
    { "O0", NO_VALUE },
    { "O1", NO_VALUE },
    { "O2", NO_VALUE },
    { "O3", NO_VALUE },
    { "opt-level", SIMPLE },
    { "dlcm", SIMPLE },
    { "dscm", SIMPLE },
    { "def-load-cache", SIMPLE },
    { "def-store-cache", SIMPLE },
    { "allow-expensive-optimizations", SIMPLE },
    { "disable-optimizer-constants", NO_VALUE },
};

static bool is_simple(const char *text)
{
    static const char GOOD[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-";
    return *text && strspn(text, GOOD) == strlen(text);
}

/* NAME, or NAME=VALUE */
static bool is_macro(const char *text)
{
    static const char GOOD[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-*/()<>=.:&|!";
    bool letter = (*text | 0x20) >= 'a' && (*text | 0x20) <= 'z';
    return (letter || *text == '_') && strspn(text, GOOD) == strlen(text);
}

static const known *one_of(const known *list, size_t count, const char *text);

static bool value_fits(value v, const char *text)
{
    return v == SIMPLE  ? is_simple(text)
           : v == MACRO ? is_macro(text)
                        : one_of(KNOWN_PTXAS, sizeof KNOWN_PTXAS / sizeof *KNOWN_PTXAS, text) != NULL;
}

static const known *one_of(const known *list, size_t count, const char *text)
{
    text += text[0] == '-';
    text += text[0] == '-';
    size_t n = strcspn(text, "=");
    for (size_t i = 0; i < count; i++) {
        const known *k = &list[i];
        if (strncmp(text, "D", 1) == 0 && k->value == MACRO && strcmp(k->name, "D") == 0 &&
            is_macro(text + 1))
            return k; /* -DNAME */
        if (strlen(k->name) != n || memcmp(k->name, text, n) != 0)
            continue;
        if (k->value <= NVRTC_ONLY ? !text[n] : text[n] && value_fits(k->value, text + n + 1))
            return k;
    }
    return NULL;
}

static const known *known_of(const char *text)
{
    return text[0] == '-' ? one_of(KNOWN, sizeof KNOWN / sizeof *KNOWN, text) : NULL;
}

bool atx_option_is_known(const char *text)
{
    return known_of(text) != NULL;
}

bool atx_option_is_nvccs(const char *text)
{
    const known *k = known_of(text);
    return k && k->value != NVRTC_ONLY;
}

const char *atx_known_options(void)
{
    return "-use_fast_math -ftz= -prec-sqrt= -prec-div= -fmad= -maxrregcount= -extra-device-vectorization "
           "-dopt= -std= -restrict -default-device -Xptxas=-O -Xptxas=-dlcm= -DNAME=";
}
