/* print.c - a line is formatted once; most are short and printable already, and go out as they are. */
#include "cli/print.h"

#include "cli/exit_codes.h"
#include "util/printable.h"

#include <stdarg.h>
#include <stdlib.h>

const char *at__whole(const at__str *text)
{
    if (!text->failed)
        return at__str_text(text);
    fflush(stdout);
    fputs("autotune: error: out of memory\n", stderr);
    exit(AT__EXIT_SYSTEM); /* what this process started ends with it */
}

/* An answer goes out whole or the program ends; of a message what there was the memory for is better than
 * nothing. */
static const char *made(FILE *to, const at__str *text)
{
    return to == stdout ? at__whole(text) : at__str_text(text);
}

void at__put(FILE *to, const char *text)
{
    at__str printable = { 0 };
    if (at__is_printable(text)) {
        fputs(text, to);
        return;
    }
    at__str_add_printable(&printable, text);
    fputs(made(to, &printable), to);
    at__str_clear(&printable);
}

void at__print(FILE *to, const char *format, ...)
{
    char line[512];
    at__str text = { 0 };
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int need = vsnprintf(line, sizeof line, format, args);
    if (need >= 0 && (size_t)need < sizeof line) {
        at__put(to, line);
    } else {
        at__str_addv(&text, format, again);
        at__put(to, made(to, &text));
    }
    at__str_clear(&text);
    va_end(again);
    va_end(args);
}
