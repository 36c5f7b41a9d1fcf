/*
 * progress.c - when a line is due and what it says are pure functions of the state and the time;
 * only at__display_show and at__display_erase write. On a terminal the line is redrawn in place,
 * elsewhere lines are added seldom.
 */
#include "cli/progress.h"

#include "cli/print.h"

#include "util/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_S  0.1
#define TURN_S    3.0
#define PLAIN_S   30.0
#define VERBOSE_S 2.0
#define BAR       20

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

/* Bytes and operations a second, as far as they can be told. */
static void rates(at__str *out, const at__progress *p)
{
    at__problem_key key = { 0 };
    at__str shape = { 0 };
    if (at__problem_key_of(&key, &shape, p->problem, NULL) == AT_OK) {
        if (key.traffic_bytes > 0)
            at__str_addf(out, ", %.0f GB/s", 1e-9 * (double)key.traffic_bytes / p->best_s);
        if (key.ops_count > 0)
            at__str_addf(out, ", %.0f GFLOP/s", at__gflop_per_s(key.ops_count, p->best_s));
    }
    at__str_clear(&shape);
}

static void best_so_far(at__str *out, const at__progress *p)
{
    at__str_addf(out, "  best %.2f us", 1e6 * p->best_s);
    rates(out, p);
    if (p->best_share > 0)
        at__str_addf(out, ", %.1f %% of copy", 100 * p->best_share);
    at__str_addf(out, "  %s", p->best);
}

static void add_trials(at__str *out, const at__progress *p)
{
    int filled = p->total > 0 ? (int)(BAR * (double)p->done / (double)p->total) : 0;
    at__str_add(out, " [");
    for (int i = 0; i < BAR; i++)
        at__str_add(out, i < filled ? "#" : ".");
    at__str_addf(out, "] %lld/%lld", (long long)p->done, (long long)p->total);
    if (p->failed)
        at__str_addf(out, " (%lld failed)", (long long)p->failed);
    time_left(out, p->left_s);
    if (p->best_s > 0)
        best_so_far(out, p);
}

void at__progress_line(at__str *out, const at__progress *p, int width)
{
    if (p->device < 0)
        at__str_add(out, "replay");
    else
        at__str_addf(out, "GPU %d", p->device);
    if (p->helping > 0)
        at__str_addf(out, " and %d more", p->helping);
    at__str_addf(out, "  %d/%d ", p->problem_index + 1, p->problem_count);
    at__problem_shape(out, p->problem);
    at__str_addf(out, " %s  %s", at__dtype_name(p->problem->type), phase_name(p->phase));
    if (p->doing && *p->doing)
        at__str_addf(out, ": %s", p->doing);
    if (p->phase != AT__PHASE_SETUP)
        add_trials(out, p);
    if (!out->failed && width > 0 && out->len > (size_t)width) {
        out->len = (size_t)width;
        out->data[out->len] = '\0';
    }
}

void at__display_init(at__display *display, bool quiet, bool verbose)
{
    const char *term = getenv("TERM");
    *display = (at__display){ .quiet = quiet, .verbose = verbose, .shown = -1 };
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

bool at__display_due(at__display *d, const at__progress *p, double now_s)
{
    struct at__seen *seen = &d->seen[(unsigned)p->device % AT__DISPLAY_DEVICES];
    bool starts = seen->problem != p->problem_index + 1, turns = starts || seen->phase != p->phase;
    bool due = !d->quiet;

    if (d->terminal && d->shown >= 0 && d->shown != p->device && now_s - d->turn_s < TURN_S)
        due = false;
    else if (d->terminal)
        due = due && (now_s - d->last_s >= REDRAW_S || d->shown < 0);
    else
        due = due &&
              (starts || (d->verbose && turns) || now_s - d->last_s >= (d->verbose ? VERBOSE_S : PLAIN_S));
    if (!due)
        return false;
    if (d->shown != p->device)
        d->turn_s = now_s;
    d->shown = p->device;
    d->last_s = now_s;
    *seen = (struct at__seen){ p->problem_index + 1, p->phase };
    return true;
}

void at__display_show(at__display *d, const at__progress *p)
{
    at__str line = { 0 };
    if (!at__display_due(d, p, at__now_s()))
        return;
    at__progress_line(&line, p, d->terminal ? terminal_width() : 0);
    at__display_erase(d);
    at__print(stderr, d->terminal ? "%s" : "%s\n", at__str_text(&line));
    fflush(stderr);
    d->drawn = d->terminal;
    at__str_clear(&line);
}
