/* print.c - a line is formatted once; most are short and printable already, and go out as they are. */
#include "cli/print.h"

#include "cli/exit_codes.h"
#include "cli/terminal.h"
#include "util/printable.h"
#include "util/str.h"
#include "util/wrap.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *atx_whole(const atx_str *text)
{
    if (!text->failed)
        return atx_str_text(text);
    fflush(stdout);
    fputs("autotune: error: out of memory\n", stderr);
    exit(ATX_EXIT_SYSTEM); /* processes that this one started end with it */
}

/* An answer goes out whole or the program ends; of a message what there was the memory for is better than
 * nothing. */
static const char *made(FILE *to, const atx_str *text)
{
    return to == stdout ? atx_whole(text) : atx_str_text(text);
}

void atx_put(FILE *to, const char *text)
{
    ATX_LOCAL(atx_str) printable = { 0 };
    if (atx_is_printable(text)) {
        fputs(text, to);
        return;
    }
    atx_str_add_printable(&printable, text);
    fputs(made(to, &printable), to);
}

void atx_print(FILE *to, const char *format, ...)
{
    char line[512];
    ATX_LOCAL(atx_str) text = { 0 };
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
    va_end(again);
    va_end(args);
}

void atx_print_line(FILE *to, size_t indent, const char *text)
{
    ATX_LOCAL(atx_str) lines = { 0 };
    const size_t width = atx_terminal_width(to);
    const char *rest = text;
    if (width && atx_columns(text, strlen(text)) > width) {
        const size_t first = strspn(text, " ");
        atx_str_add_bytes(&lines, text, first);
        rest += first;
        atx_wrap(&lines, rest, strlen(rest), (atx_wrap_box){ first, indent, width });
        rest = made(to, &lines);
    }
    atx_put(to, rest);
    atx_put(to, "\n");
}

static const char *const CODES[] = {
    [ATX_BOLD] = "\033[1m", [ATX_DIM] = "\033[2m", [ATX_RED] = "\033[1;31m", [ATX_YELLOW] = "\033[33m"
};

/* Escape sequences are ours alone: those of the text are printed as such. */
static void add_painted(atx_str *out, bool colors, atx_color color, const char *text)
{
    atx_str_add(out, colors ? CODES[color] : "");
    atx_str_add_printable(out, text);
    atx_str_add(out, colors ? "\033[0m" : "");
}

void atx_paint(FILE *to, atx_color color, const char *text)
{
    ATX_LOCAL(atx_str) painted = { 0 };
    add_painted(&painted, atx_terminal_has_colors(to), color, text);
    fputs(made(to, &painted), to);
}

const char *atx_most_of(int64_t count)
{
    return count < 20 ? "at most" : "95 of 100 at most";
}

void atx_say(atx_color color, const char *kind, const char *text)
{
    ATX_LOCAL(atx_str) line = { 0 };
    atx_str_add(&line, "autotune: ");
    add_painted(&line, *kind && atx_terminal_has_colors(stderr), color, kind);
    atx_str_add_printable(&line, text);
    atx_str_add(&line, "\n");
    fputs(line.failed ? text : atx_str_text(&line), stderr);
}
