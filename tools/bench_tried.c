/* bench_tried.c - see bench_tried.h. A strategy has no state of its own to name its runs: each place of the
 * table below has an open function. */
#include "bench_tried.h"

#include "util/regular.h"

#include <stdlib.h>
#include <string.h>

static struct tried {
    char name[64];
    atx_strategy strategy;
} tried[ATX_MOST_TRIED];
static int tried_count;
static atx_str text;

/* What is left of a run's line. */
typedef struct walk {
    const atx_search *search;
    char *seen; /* indices that were proposed */
    const char *at;
    int64_t left;
} walk;

static const char *end_of(const char *from, const char *any_of)
{
    return from + strcspn(from, any_of);
}

/* The configurations of a strategy's run; "" if there is none with this seed. */
static const char *find_run(const char *name, uint64_t seed)
{
    char head[96];
    const int len = snprintf(head, sizeof head, "%s\t%llu\t", name, (unsigned long long)seed);
    for (const char *line = atx_str_text(&text); *line; line = end_of(line, "\n"), line += *line == '\n')
        if (strncmp(line, head, (size_t)len) == 0)
            return line + len;
    return "";
}

static at_status open_run(void **state, const atx_search *search, const char *name, at_error *err)
{
    walk *w = calloc(1, sizeof *w);
    if (!w || !(w->seen = calloc((size_t)search->total, 1))) {
        free(w);
        return atx_no_memory(err);
    }
    w->search = search;
    w->at = find_run(name, search->seed);
    w->left = search->max_trials;
    *state = w;
    return AT_OK;
}

/* clang-format off */
#define OPEN(n)                                                                                              \
    static at_status open_##n(void **state, const atx_search *search, at_error *err)                         \
    {                                                                                                        \
        return open_run(state, search, tried[n].name, err);                                                  \
    }
OPEN(0) OPEN(1) OPEN(2) OPEN(3) OPEN(4) OPEN(5) OPEN(6) OPEN(7)
#undef OPEN

static at_status (*const OPENS[ATX_MOST_TRIED])(void **, const atx_search *, at_error *) = {
    open_0, open_1, open_2, open_3, open_4, open_5, open_6, open_7
};
/* clang-format on */

/* Of any template that has such a configuration; below zero: none has. */
static int64_t index_of(const atx_search *search, const char *config)
{
    int64_t index = -1;
    for (int i = 0; i < search->space_count && index < 0; i++) {
        const atx_template *t = atx_space_template(search->spaces[i]);
        atx_config values;
        if (atx_config_parse(&values, t, config, NULL) == AT_OK)
            index = atx_search_find(search, t, &values);
    }
    return index;
}

/* One that was tried before costs nothing, and neither does one that is not in the space. */
static int64_t propose(void *state)
{
    walk *w = state;
    char config[4096];
    while (*w->at && *w->at != '\n' && w->left > 0) {
        const char *end = end_of(w->at, "\t\n");
        const size_t len = (size_t)(end - w->at);
        snprintf(config, sizeof config, "%.*s", (int)(len < sizeof config ? len : sizeof config - 1), w->at);
        w->at = end + (*end == '\t');
        const int64_t index = index_of(w->search, config);
        if (index < 0 || w->seen[index])
            continue;
        w->seen[index] = 1;
        w->left--;
        return index;
    }
    return ATX_NO_MORE;
}

static void report(void *state, int64_t index, const atx_finding *finding)
{
    (void)state;
    (void)index;
    (void)finding;
}

static void close_run(void *state)
{
    walk *w = state;
    free(w->seen);
    free(w);
}

static bool is_known(const char *name, size_t len)
{
    for (int i = 0; i < tried_count; i++)
        if (strlen(tried[i].name) == len && strncmp(tried[i].name, name, len) == 0)
            return true;
    return false;
}

at_status atx_bench_tried_read(const atx_strategy **strategies, int *count, int most, const char *path,
                               at_error *err)
{
    at_status status = atx_regular_read(&text, path, (size_t)1 << 30, err);
    if (status != AT_OK)
        return status;
    for (const char *line = atx_str_text(&text); *line; line = end_of(line, "\n"), line += *line == '\n') {
        const size_t len = (size_t)(end_of(line, "\t\n") - line);
        if (len == 0 || len >= sizeof tried[0].name || is_known(line, len))
            continue;
        if (tried_count == ATX_MOST_TRIED || *count == most)
            return atx_fail(err, AT_ERR_INPUT, "%s: more than %d strategies", path, tried_count);
        struct tried *t = &tried[tried_count];
        memcpy(t->name, line, len);
        t->strategy = (atx_strategy){ .name = t->name,
                                      .about = "as another tuner tried them",
                                      .open = OPENS[tried_count],
                                      .propose = propose,
                                      .report = report,
                                      .close = close_run };
        strategies[(*count)++] = &t->strategy;
        tried_count++;
    }
    return AT_OK;
}

void atx_bench_tried_clear(void)
{
    atx_str_clear(&text);
    tried_count = 0;
}
