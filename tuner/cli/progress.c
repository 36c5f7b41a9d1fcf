/*
 * progress.c - when a line is due and what it says are pure functions of the state and the time;
 * only atx_display_show and atx_display_erase write. On a terminal the line is redrawn in place,
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

static const char *phase_name(atx_phase phase)
{
    static const char *const NAMES[] = {
        [ATX_PHASE_SETUP] = "set up",
        [ATX_PHASE_CEILING] = "copies",
        [ATX_PHASE_SEARCH] = "search",
        [ATX_PHASE_REMEASURE] = "re-measure",
    };
    return NAMES[phase];
}

static void time_left(atx_str *out, double s)
{
    if (s < 0)
        return;
    if (s < 100)
        atx_str_addf(out, "  %.0f s left", s);
    else
        atx_str_addf(out, "  %.0f min left", s / 60);
}

/* Bytes and operations a second, as far as they can be told. */
static void rates(atx_str *out, const atx_progress *p)
{
    atx_problem_key key = { 0 };
    atx_str shape = { 0 };
    if (atx_problem_key_of(&key, &shape, p->problem, NULL) == AT_OK) {
        if (key.traffic_bytes > 0)
            atx_str_addf(out, ", %.0f GB/s", 1e-9 * (double)key.traffic_bytes / p->best_s);
        if (key.ops_count > 0)
            atx_str_addf(out, ", %.0f GFLOP/s", atx_gflop_per_s(key.ops_count, p->best_s));
    }
    atx_str_clear(&shape);
}

static void best_so_far(atx_str *out, const atx_progress *p)
{
    atx_str_addf(out, "  best %.2f us", 1e6 * p->best_s);
    rates(out, p);
    if (p->best_share > 0)
        atx_str_addf(out, ", %.1f %% of copy", 100 * p->best_share);
    atx_str_addf(out, "  %s", p->best);
}

static void add_trials(atx_str *out, const atx_progress *p)
{
    int filled = p->total > 0 ? (int)(BAR * (double)p->done / (double)p->total) : 0;
    atx_str_add(out, " [");
    for (int i = 0; i < BAR; i++)
        atx_str_add(out, i < filled ? "#" : ".");
    atx_str_addf(out, "] %lld/%lld", (long long)p->done, (long long)p->total);
    if (p->failed)
        atx_str_addf(out, " (%lld failed)", (long long)p->failed);
    time_left(out, p->left_s);
    if (p->best_s > 0)
        best_so_far(out, p);
}

void atx_progress_line(atx_str *out, const atx_progress *p, int width)
{
    if (p->device < 0)
        atx_str_add(out, "replay");
    else
        atx_str_addf(out, "GPU %d", p->device);
    if (p->helping > 0)
        atx_str_addf(out, " and %d more", p->helping);
    atx_str_addf(out, "  %d/%d ", p->problem_index + 1, p->problem_count);
    atx_problem_show(out, p->problem);
    atx_str_addf(out, " %s  %s", atx_dtype_name(p->problem->type), phase_name(p->phase));
    if (p->doing && *p->doing)
        atx_str_addf(out, ": %s", p->doing);
    if (p->phase != ATX_PHASE_SETUP)
        add_trials(out, p);
    if (!out->failed && width > 0 && out->len > (size_t)width) {
        out->len = (size_t)width;
        out->data[out->len] = '\0';
    }
}

void atx_display_init(atx_display *display, bool quiet, bool verbose)
{
    const char *term = getenv("TERM");
    *display = (atx_display){ .quiet = quiet, .verbose = verbose, .shown = -1 };
    display->terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col - 1 : 79;
}

void atx_display_erase(atx_display *display)
{
    if (display->drawn)
        fputs("\r\033[K", stderr);
    display->drawn = false;
}

bool atx_display_due(atx_display *d, const atx_progress *p, double now_s)
{
    struct atx_seen *seen = &d->seen[(unsigned)p->device % ATX_DISPLAY_DEVICES];
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
    *seen = (struct atx_seen){ p->problem_index + 1, p->phase };
    return true;
}

void atx_display_show(atx_display *d, const atx_progress *p)
{
    atx_str line = { 0 };
    if (!atx_display_due(d, p, atx_now_s()))
        return;
    atx_progress_line(&line, p, d->terminal ? terminal_width() : 0);
    atx_display_erase(d);
    atx_print(stderr, d->terminal ? "%s" : "%s\n", atx_str_text(&line));
    fflush(stderr);
    d->drawn = d->terminal;
    atx_str_clear(&line);
}
