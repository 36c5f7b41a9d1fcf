/*
 * terminal.c - colours follow no-color.org and bixense.com/clicolors. A stdout that is fitted to a terminal
 * is a glibc stream whose write function collects a line, wraps it and passes it on, so that rows which
 * commands print piece by piece fit too.
 */
#include "cli/terminal.h"

#include "mpi/launched.h"
#include "util/wrap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LEAST_WIDTH 20
#define USUAL_WIDTH 80  /* of a terminal that does not tell */
#define HELP_WIDTH  110 /* at most */

#define FURTHER_IN 4

/* A stream that is fitted has no descriptor of its own. */
static int fd_of(const FILE *to)
{
    return to == stderr ? STDERR_FILENO : STDOUT_FILENO;
}

/* mpirun gives ranks a terminal whose other end may be a file. */
static bool is_terminal(FILE *to)
{
    atx_launched launched;
    return isatty(fd_of(to)) && !atx_launched_find(&launched);
}

size_t atx_terminal_width(FILE *to)
{
    struct winsize size = { 0 };
    if (!is_terminal(to))
        return 0;
    if (ioctl(fd_of(to), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return USUAL_WIDTH;
    return size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
}

size_t atx_help_width(void)
{
    const size_t width = atx_terminal_width(stdout);
    return width && width < HELP_WIDTH ? width : HELP_WIDTH;
}

bool atx_terminal_draws(FILE *to)
{
    const char *term = getenv("TERM");
    return is_terminal(to) && term && strcmp(term, "dumb") != 0;
}

bool atx_terminal_has_colors(FILE *to)
{
    const char *never = getenv("NO_COLOR"), *always = getenv("CLICOLOR_FORCE");
    if (never && *never)
        return false;
    return (always && *always && strcmp(always, "0") != 0) || atx_terminal_draws(to);
}

at_status atx_terminal_color_option(const char *text, at_error *err)
{
    const bool always = text && strcmp(text, "always") == 0, never = text && strcmp(text, "never") == 0;
    if (!text || strcmp(text, "auto") == 0)
        return AT_OK;
    if (!always && !never)
        return atx_fail(err, AT_ERR_USAGE, "--color: found '%s'; expected auto, always or never", text);
    if (setenv("NO_COLOR", never ? "1" : "", 1) != 0 || setenv("CLICOLOR_FORCE", always ? "1" : "0", 1) != 0)
        return atx_no_memory(err);
    return AT_OK;
}

/* ---- lines that fit ---- */

static bool write_all(const char *text, size_t len)
{
    while (len) {
        ssize_t wrote = write(STDOUT_FILENO, text, len);
        if (wrote < 0 && errno != EINTR)
            return false;
        text += wrote > 0 ? wrote : 0;
        len -= wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

/* One line, without its newline. */
static bool write_line(const char *line, size_t len)
{
    ATX_LOCAL(atx_str) out = { 0 };
    size_t indent = 0;
    while (indent < len && line[indent] == ' ')
        indent++;
    atx_str_add_bytes(&out, line, indent);
    const atx_wrap_box box = { indent, indent + FURTHER_IN, atx_terminal_width(stdout) };
    atx_wrap(&out, line + indent, len - indent, box);
    atx_str_add(&out, "\n");
    return !out.failed && write_all(out.data, out.len);
}

static ssize_t write_fitted(void *cookie, const char *text, size_t len)
{
    atx_str *line = cookie;
    size_t at = 0;
    for (const char *end; (end = memchr(text + at, '\n', len - at)); at = (size_t)(end - text) + 1) {
        atx_str_add_bytes(line, text + at, (size_t)(end - text) - at);
        if (line->failed || !write_line(atx_str_text(line), line->len))
            return 0; /* an error of the stream */
        atx_str_reset(line);
    }
    atx_str_add_bytes(line, text + at, len - at);
    return (ssize_t)len;
}

static int close_fitted(void *cookie)
{
    atx_str *line = cookie;
    bool good = !line->failed && write_all(atx_str_text(line), line->len);
    atx_str_clear(line);
    free(line);
    return good ? 0 : EOF;
}

void atx_terminal_fit_stdout(void)
{
    const cookie_io_functions_t functions = { .write = write_fitted, .close = close_fitted };
    atx_str *line = atx_terminal_width(stdout) ? calloc(1, sizeof *line) : NULL;
    FILE *fitted = line ? fopencookie(line, "w", functions) : NULL;
    if (!fitted) { /* lines are as wide as they are */
        free(line);
        return;
    }
    setvbuf(fitted, NULL, _IOLBF, BUFSIZ);
    fflush(stdout);
    stdout = fitted;
}
