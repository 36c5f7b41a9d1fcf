/*
 * learn_portfolio.c - which configurations a look-up scores, out of those that were tried.
 *
 * They are a greedy cover: the configuration that helps most problems which still need one comes next, of
 * equals the one that was met first, so that equal input gives an equal choice. A portfolio is in ascending
 * order, each configuration once, so that one is found by halving.
 */
#include "model/learn_portfolio.h"

#include <stdlib.h>
#include <string.h>

static const atx_portfolio_rules RULES = { .near = 0.03, .times = 8, .most = 700 };

static int most_helpful(const int *helps, const unsigned char *chosen, int configs)
{
    int best = -1;
    for (int i = 0; i < configs; i++)
        if (!chosen[i] && helps[i] > 0 && (best < 0 || helps[i] > helps[best]))
            best = i;
    return best;
}

at_status atx_portfolio_choose(unsigned char *chosen, const atx_tried *tried, int count, int configs,
                               int problems, const atx_portfolio_rules *rules, at_error *err)
{
    int *helps = calloc((size_t)configs + 1, sizeof *helps);
    int *needs = calloc((size_t)problems + 1, sizeof *needs);
    if (!helps || !needs) {
        free(helps);
        free(needs);
        return atx_no_memory(err);
    }
    memset(chosen, 0, (size_t)configs);
    for (int i = 0; i < problems; i++)
        needs[i] = rules->times;
    for (int done = 0; done < rules->most; done++) {
        memset(helps, 0, (size_t)configs * sizeof *helps);
        for (int i = 0; i < count; i++)
            helps[tried[i].config] += (double)tried[i].slower <= rules->near && needs[tried[i].problem] > 0;
        int best = most_helpful(helps, chosen, configs);
        if (best < 0)
            break;
        chosen[best] = 1;
        for (int i = 0; i < count; i++)
            if (tried[i].config == best && (double)tried[i].slower <= rules->near &&
                needs[tried[i].problem] > 0)
                needs[tried[i].problem]--;
    }
    free(helps);
    free(needs);
    return AT_OK;
}

static int place_of(const atx_param *p, int64_t value)
{
    for (int i = 0; i < p->count; i++)
        if (p->values[i] == value)
            return i;
    return 0;
}

static int which_template(const atx_op_model *p, const atx_template *t)
{
    for (int i = 0; i < p->template_count; i++)
        if (strcmp(p->templates[i].name, t->name) == 0)
            return i;
    return -1;
}

static bool candidate_of(atx_candidate *out, const atx_op_model *known, const atx_sample *s)
{
    *out = (atx_candidate){ .which = which_template(known, s->t) };
    for (int k = 0; k < s->t->scope.param_count; k++)
        out->places[k] = (uint16_t)place_of(&s->t->scope.params[k], s->config.values[k]);
    return out->which >= 0;
}

static int by_candidate(const void *a, const void *b)
{
    const atx_candidate *x = a, *y = b;
    return x->which != y->which ? x->which - y->which : memcmp(x->places, y->places, sizeof x->places);
}

/* What an older portfolio has and this has not, of templates that are as they were then. */
at_status atx_keep_portfolio(atx_op_model *known, const atx_op_model *older, at_error *err)
{
    size_t room = (size_t)known->candidate_count + (size_t)older->candidate_count + 1;
    atx_candidate *all = realloc(known->candidates, room * sizeof *all);
    if (!all)
        return atx_no_memory(err);
    known->candidates = all;
    int own = known->candidate_count;
    for (int i = 0; i < older->candidate_count && known->candidate_count < ATX_MODEL_MAX_CANDIDATES; i++) {
        atx_candidate c = older->candidates[i];
        const atx_model_template *t = &older->templates[c.which];
        c.which = -1;
        for (int k = 0; k < known->template_count; k++)
            if (strcmp(known->templates[k].name, t->name) == 0 &&
                strcmp(known->templates[k].hash, t->hash) == 0)
                c.which = k;
        if (c.which >= 0 && !bsearch(&c, all, (size_t)own, sizeof c, by_candidate))
            all[known->candidate_count++] = c;
    }
    qsort(all, (size_t)known->candidate_count, sizeof *all, by_candidate);
    return AT_OK;
}

at_status atx_learn_portfolio(atx_op_model *known, const atx_samples *samples, const int *rows,
                              const float *slower, int row_count, at_error *err)
{
    const size_t room = (size_t)row_count + 1;
    atx_candidate *all = calloc(room, sizeof *all), *each = calloc(room, sizeof *each);
    atx_tried *tried = calloc(room, sizeof *tried);
    unsigned char *chosen = calloc(room, 1);
    int count = 0, configs = 0;
    at_status status = AT_OK;
    if (!all || !each || !tried || !chosen) {
        status = AT_ERR_MEMORY;
        atx_no_memory(err);
        goto done;
    }
    for (int i = 0; i < row_count; i++)
        if ((double)slower[i] <= RULES.near && candidate_of(&all[count], known, &samples->items[rows[i]])) {
            tried[count].problem = samples->items[rows[i]].problem;
            tried[count].slower = slower[i];
            each[count] = all[count];
            count++;
        }
    qsort(each, (size_t)count, sizeof *each, by_candidate);
    for (int i = 0; i < count; i++)
        if (i == 0 || by_candidate(&each[i], &each[configs - 1]) != 0)
            each[configs++] = each[i];
    for (int i = 0; i < count; i++) {
        const atx_candidate *found = bsearch(&all[i], each, (size_t)configs, sizeof *each, by_candidate);
        tried[i].config = found ? (int)(found - each) : 0;
    }
    status = atx_portfolio_choose(chosen, tried, count, configs, (int)samples->problem_count, &RULES, err);
    known->candidate_count = 0;
    for (int i = 0; i < configs && status == AT_OK; i++)
        if (chosen[i])
            each[known->candidate_count++] = each[i];
    if (status == AT_OK) {
        free(known->candidates);
        known->candidates = each;
        each = NULL;
    }
done:
    free(all);
    free(each);
    free(tried);
    free(chosen);
    return status;
}
