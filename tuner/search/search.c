/*
 * search.c - one index over several spaces.
 *
 * A space begins at the sum of the counts before it. Counts go up to INT64_MAX each, so no sum is formed: to
 * an index, counts are taken from what is left of `total` as long as something is; from an index, they are
 * taken from the index. Spaces are few, so nothing is kept between calls.
 */
#include "search/search.h"

#include <string.h>

void atx_search_count(atx_search *search)
{
    int64_t total = 0;
    for (int i = 0; i < search->space_count; i++)
        if (__builtin_add_overflow(total, atx_space_count(search->spaces[i]), &total)) {
            total = INT64_MAX;
            break;
        }
    search->total = total;
}

int64_t atx_search_index(const atx_search *search, int which, int64_t local)
{
    int64_t left = search->total;
    for (int i = 0; i < which; i++) {
        int64_t count = atx_space_count(search->spaces[i]);
        if (count >= left)
            return -1;
        left -= count;
    }
    return local >= 0 && local < left ? search->total - left + local : -1;
}

const atx_space *atx_search_locate(const atx_search *search, int64_t index, int *which, int64_t *local)
{
    if (index < 0 || index >= search->total)
        return NULL;
    for (int i = 0; i < search->space_count; i++) {
        int64_t count = atx_space_count(search->spaces[i]);
        if (index < count) {
            *which = i;
            *local = index;
            return search->spaces[i];
        }
        index -= count;
    }
    return NULL;
}

int64_t atx_search_find(const atx_search *search, const atx_template *t, const atx_config *config)
{
    for (int i = 0; i < search->space_count; i++)
        if (atx_space_template(search->spaces[i]) == t)
            return atx_search_index(search, i, atx_space_find(search->spaces[i], config));
    return -1;
}

int64_t atx_search_default(const atx_search *search, int which)
{
    const atx_space *space = search->spaces[which];
    atx_config config = { { 0 } };
    memcpy(config.values, atx_space_template(space)->scope.defaults, sizeof config.values);
    return atx_search_index(search, which, atx_space_find(space, &config));
}
