/*
 * progress.c - the progress line. Its text and its next due time are pure functions of the state and the
 * time; only atx_display_show and atx_display_erase write. On a terminal the line is redrawn in place,
 * elsewhere lines are added, if at all.
 */
#include "cli/progress.h"

#include "cli/print.h"
#include "cli/terminal.h"

#include "util/clock.h"

#include <stdint.h>
#include <stdio.h>

#define REDRAW_S  0.1
#define TURN_S    3.0
#define VERBOSE_S 2.0
enum { BAR = 20, LEAST_BAR = 5, BRACKETS = 3 }; /* characters */

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

static void duration(atx_str *out, double s)
{
    if (s < 100)
        atx_str_addf(out, "%.0f s", s);
    else if (s < 6000)
        atx_str_addf(out, "%.0f min", s / 60);
    else
        atx_str_addf(out, "%.1f h", s / 3600);
}

static void time_left(atx_str *out, const atx_progress *p, double list_left_s)
{
    if (p->left_s >= 0) {
        atx_str_add(out, "  ");
        duration(out, p->left_s);
        atx_str_add(out, " left");
    }
    if (p->problem_count > 1 && list_left_s >= 0) {
        atx_str_add(out, p->left_s >= 0 ? ", " : "  ");
        duration(out, list_left_s);
        atx_str_add(out, " for all");
    }
}

/* Bytes and operations a second, as far as they can be told. */
static void rates(atx_str *out, const atx_progress *p)
{
    atx_problem_key key = { 0 };
    ATX_LOCAL(atx_str) shape = { 0 };
    if (atx_problem_key_of(&key, &shape, p->problem, NULL) == AT_OK) {
        if (key.traffic_bytes > 0)
            atx_str_addf(out, ", %.0f GB/s", 1e-9 * (double)key.traffic_bytes / p->best_s);
        if (key.ops_count > 0)
            atx_str_addf(out, ", %.0f GFLOP/s", atx_gflop_per_s(key.ops_count, p->best_s));
    }
}

static void best_so_far(atx_str *out, const atx_progress *p)
{
    atx_str_addf(out, "  best %.2f us", 1e6 * p->best_s);
    rates(out, p);
    if (p->best_share > 0)
        atx_str_addf(out, ", %.1f %% of copy", 100 * p->best_share);
    atx_str_addf(out, "  %s", p->best);
}

static void add_count(atx_str *out, const atx_progress *p)
{
    atx_str_addf(out, " %lld/%s%lld", (long long)p->done, p->total_is_estimate ? "~" : "",
                 (long long)p->total);
    if (p->failed)
        atx_str_addf(out, " (%lld failed)", (long long)p->failed);
}

/* As wide as the text before and behind it leaves room for; a few characters say nothing. */
static void add_bar(atx_str *out, const atx_progress *p, size_t room)
{
    int size = room > BAR + BRACKETS ? BAR : (int)room - BRACKETS;
    int filled = p->total > 0 ? (int)(size * (double)p->done / (double)p->total) : 0;
    if (size < LEAST_BAR)
        return;
    atx_str_add(out, " [");
    for (int i = 0; i < size; i++)
        atx_str_add(out, i < filled ? "#" : ".");
    atx_str_add(out, "]");
}

static void add_head(atx_str *out, const atx_progress *p)
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
}

/* Behind a whole figure: two blanks or a comma separate them. */
static void cut(atx_str *line, size_t width)
{
    if (line->failed || line->len <= width)
        return;
    size_t len = width;
    while (len && line->data[len] != ',' && !(line->data[len] == ' ' && line->data[len + 1] == ' '))
        len--;
    line->len = len ? len : width;
    line->data[line->len] = '\0';
}

void atx_progress_line(atx_str *out, const atx_progress *p, double list_left_s, size_t width)
{
    ATX_LOCAL(atx_str) behind = { 0 };
    add_head(out, p);
    if (p->phase != ATX_PHASE_SETUP)
        add_count(&behind, p);
    time_left(&behind, p, list_left_s);
    size_t both = out->len + behind.len;
    if (p->phase != ATX_PHASE_SETUP)
        add_bar(out, p, !width ? SIZE_MAX : both < width ? width - both : 0);
    atx_str_add(out, atx_str_text(&behind));
    if (p->phase != ATX_PHASE_SETUP && p->best_s > 0)
        best_so_far(out, p);
    if (width)
        cut(out, width);
    out->failed |= behind.failed;
}

void atx_display_init(atx_display *display, bool quiet, bool verbose)
{
    *display = (atx_display){ .quiet = quiet, .verbose = verbose, .shown = -1 };
    display->terminal = atx_terminal_draws(stderr);
    display->list.began_s = atx_now_s();
}

void atx_display_finished(atx_display *display, bool measured, double now_s)
{
    display->list.finished++;
    display->list.measured += measured;
    if (measured)
        display->list.last_s = now_s;
}

static int devices_seen(const atx_display *d)
{
    int count = 0;
    for (int i = 0; i < ATX_DISPLAY_DEVICES; i++)
        count += d->seen[i].problem != 0;
    return count ? count : 1;
}

double atx_display_list_left(const atx_display *d, const atx_progress *p, double now_s)
{
    const atx_list_time *l = &d->list;
    const double todo = (double)(p->problem_count - l->finished);
    double left = -1;
    if (l->measured)
        left = (l->last_s - l->began_s) / l->measured * todo - (now_s - l->last_s);
    else if (p->left_s >= 0)
        left = p->left_s + (p->elapsed_s + p->left_s) * (todo - devices_seen(d)) / devices_seen(d);
    else
        return -1;
    return left > p->left_s ? left : p->left_s > 0 ? p->left_s : 0;
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
    bool turns = seen->problem != p->problem_index + 1 || seen->phase != p->phase;
    bool due = !d->quiet;

    if (d->terminal && d->shown >= 0 && d->shown != p->device && now_s - d->turn_s < TURN_S)
        due = false;
    else if (d->terminal)
        due = due && (now_s - d->last_s >= REDRAW_S || d->shown < 0);
    else
        due = due && d->verbose && (turns || now_s - d->last_s >= VERBOSE_S);
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
    ATX_LOCAL(atx_str) line = { 0 };
    const double now_s = atx_now_s();
    const size_t width = d->terminal ? atx_terminal_width(stderr) : 0;
    if (!atx_display_due(d, p, now_s))
        return;
    atx_progress_line(&line, p, atx_display_list_left(d, p, now_s), width ? width - 1 : 0);
    atx_display_erase(d);
    atx_print(stderr, d->terminal ? "%s" : "%s\n", atx_str_text(&line));
    fflush(stderr);
    d->drawn = d->terminal;
}
