/* print.c - a line is formatted once; most are short and printable already, and go out as they are. */
#include "cli/print.h"

#include "cli/exit_codes.h"
#include "util/printable.h"
#include "util/str.h"

#include <stdarg.h>
#include <stdlib.h>

const char *atx_whole(const atx_str *text)
{
    if (!text->failed)
        return atx_str_text(text);
    fflush(stdout);
    fputs("autotune: error: out of memory\n", stderr);
    exit(ATX_EXIT_SYSTEM); /* what this process started ends with it */
}

/* An answer goes out whole or the program ends; of a message what there was the memory for is better than
 * nothing. */
static const char *made(FILE *to, const atx_str *text)
{
    return to == stdout ? atx_whole(text) : atx_str_text(text);
}

void atx_put(FILE *to, const char *text)
{
    atx_str printable = { 0 };
    if (atx_is_printable(text)) {
        fputs(text, to);
        return;
    }
    atx_str_add_printable(&printable, text);
    fputs(made(to, &printable), to);
    atx_str_clear(&printable);
}

void atx_print(FILE *to, const char *format, ...)
{
    char line[512];
    atx_str text = { 0 };
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int need = vsnprintf(line, sizeof line, format, args);
    if (need >= 0 && (size_t)need < sizeof line) {
        atx_put(to, line);
    } else {
        atx_str_addv(&text, format, again);
        atx_put(to, made(to, &text));
    }
    atx_str_clear(&text);
    va_end(again);
    va_end(args);
}
