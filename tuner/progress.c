/* progress.c - see progress.h. */
#include "progress.h"

#include "util/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_S 0.1
#define PLAIN_S  30.0
#define BAR      20

static const char *phase_name(at__phase phase)
{
    static const char *const NAMES[] = {
        [AT__PHASE_SETUP] = "set up",
        [AT__PHASE_CEILING] = "copies",
        [AT__PHASE_SEARCH] = "search",
        [AT__PHASE_FINAL] = "final",
    };
    return NAMES[phase];
}

static void time_left(at__str *out, double s)
{
    if (s < 0)
        return;
    if (s < 100)
        at__str_addf(out, "  %.0f s left", s);
    else
        at__str_addf(out, "  %.0f min left", s / 60);
}

void at__progress_line(at__str *out, const at__progress *p, int width)
{
    int filled = p->total > 0 ? (int)(BAR * p->done / p->total) : 0;
    at__str_addf(out, "GPU %d  %d/%d ", p->device, p->problem_index + 1, p->problem_count);
    at__problem_shape(out, p->problem);
    at__str_addf(out, " %s  %s [", at__dtype_name(p->problem->type), phase_name(p->phase));
    for (int i = 0; i < BAR; i++)
        at__str_add(out, i < filled ? "#" : ".");
    at__str_addf(out, "] %lld/%lld", (long long)p->done, (long long)p->total);
    if (p->failed)
        at__str_addf(out, " (%lld failed)", (long long)p->failed);
    time_left(out, p->left_s);
    if (p->best_s > 0) {
        at__str_addf(out, "  best %.2f us", 1e6 * p->best_s);
        if (p->best_share > 0)
            at__str_addf(out, " = %.1f %% of copy", 100 * p->best_share);
        at__str_addf(out, "  %s", p->best);
    }
    if (!out->failed && width > 0 && out->len > (size_t)width) {
        out->len = (size_t)width;
        out->data[out->len] = '\0';
    }
}

void at__display_init(at__display *display, bool quiet, bool verbose)
{
    const char *term = getenv("TERM");
    *display = (at__display){ .quiet = quiet, .verbose = verbose, .problem = -1 };
    display->terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col - 1 : 79;
}

void at__display_erase(at__display *display)
{
    if (display->drawn)
        fputs("\r\033[K", stderr);
    display->drawn = false;
}

void at__display_show(at__display *d, const at__progress *p)
{
    double now = at__now_s();
    at__str line = { 0 };
    bool news = p->problem_index != d->problem || p->phase != d->phase;
    bool due = d->terminal ? now - d->last_s >= REDRAW_S : now - d->last_s >= (d->verbose ? 2.0 : PLAIN_S);

    if (d->quiet || !(due || (news && (d->terminal || d->verbose))))
        return;
    at__progress_line(&line, p, d->terminal ? terminal_width() : 0);
    at__display_erase(d);
    fprintf(stderr, d->terminal ? "%s" : "%s\n", at__str_text(&line));
    fflush(stderr);
    d->drawn = d->terminal;
    d->last_s = now;
    d->problem = p->problem_index;
    d->phase = p->phase;
    at__str_clear(&line);
}
