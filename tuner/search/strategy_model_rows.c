/*
 * strategy_model_rows.c - the trials as the model has them.
 *
 * Trials of another problem, or of another device, serve a search until it has enough of its own. They are
 * rows with a feature of their own, "elsewhere", so that the model learns how much they have in common with
 * the trials here. By what factor all is slower there is taken from the configurations that were timed at
 * both.
 */
#include "search/strategy_model_internal.h"

#include <math.h>
#include <string.h>

void atx_model_add_row(atx_model *m, const atx_model_row *row)
{
    uint8_t levels[ATX_MAX_FEATURES];
    atx_features_levels(levels, m->features, row->index);
    if (row->elsewhere)
        atx_features_mark_elsewhere(levels, m->features);
    m->rows[atx_surrogate_add(m->surrogate, levels)] = *row;
}

void atx_model_remove_row(atx_model *m, int at)
{
    size_t later = (size_t)(atx_surrogate_rows(m->surrogate) - at - 1);
    atx_surrogate_remove(m->surrogate, at);
    memmove(m->rows + at, m->rows + at + 1, later * sizeof *m->rows);
}

void atx_model_keep_rows(atx_model *m, const bool *keep)
{
    int rows = atx_surrogate_rows(m->surrogate), first = 0;
    while (first < rows && keep[first])
        first++;
    if (first == rows)
        return;
    atx_surrogate_clear(m->surrogate);
    for (int i = 0; i < rows; i++)
        if (keep[i]) {
            atx_model_row row = m->rows[i];
            atx_model_add_row(m, &row);
        }
}

void atx_model_add_elsewhere(atx_model *m)
{
    for (int i = 0; i < m->search.elsewhere_count && i < ATX_MODEL_ROWS / 2; i++) {
        const atx_elsewhere *e = &m->search.elsewhere[i];
        atx_model_add_row(m, &(atx_model_row){ .index = e->index, .seconds = e->seconds, .elsewhere = true });
    }
}

/* The mean of log(here / there) over what was timed at both; of all of each where nothing was. */
static double shift_of(const atx_model *m)
{
    double both = 0, here = 0, there = 0;
    int both_count = 0, here_count = 0, there_count = 0, rows = atx_surrogate_rows(m->surrogate);
    for (int i = 0; i < rows; i++) {
        const atx_model_row *r = &m->rows[i];
        if (!isfinite(r->seconds))
            continue;
        *(r->elsewhere ? &there : &here) += log(r->seconds);
        ++*(r->elsewhere ? &there_count : &here_count);
        for (int k = 0; k < rows && r->elsewhere; k++)
            if (!m->rows[k].elsewhere && m->rows[k].index == r->index && isfinite(m->rows[k].seconds)) {
                both += log(m->rows[k].seconds / r->seconds);
                both_count++;
            }
    }
    if (both_count)
        return both / both_count;
    return here_count && there_count ? here / here_count - there / there_count : 0;
}

void atx_model_set_elsewhere(atx_model *m)
{
    if (!m->search.elsewhere_count)
        return;
    double shift = shift_of(m);
    for (int i = 0; i < atx_surrogate_rows(m->surrogate); i++)
        if (m->rows[i].elsewhere)
            atx_surrogate_set(m->surrogate, i, log(m->rows[i].seconds) + shift);
}

void atx_model_drop_elsewhere(atx_model *m)
{
    bool keep[ATX_MODEL_ROWS] = { false };
    for (int i = 0; i < atx_surrogate_rows(m->surrogate); i++)
        keep[i] = !m->rows[i].elsewhere;
    atx_model_keep_rows(m, keep);
    m->search.elsewhere_count = 0;
}
