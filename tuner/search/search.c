/*
 * search.c - one index over several spaces.
 *
 * A space begins at the sum of the counts before it. Counts go up to INT64_MAX each, so no sum is formed: to
 * an index, counts are taken from what is left of `total` as long as something is; from an index, they are
 * taken from the index. Spaces are few, so nothing is kept between calls.
 */
#include "search/search.h"

#include <string.h>

void at__search_count(at__search *search)
{
    int64_t total = 0;
    for (int i = 0; i < search->space_count; i++)
        if (__builtin_add_overflow(total, at__space_count(search->spaces[i]), &total)) {
            total = INT64_MAX;
            break;
        }
    search->total = total;
}

int64_t at__search_index(const at__search *search, int which, int64_t local)
{
    int64_t left = search->total;
    for (int i = 0; i < which; i++) {
        int64_t count = at__space_count(search->spaces[i]);
        if (count >= left)
            return -1;
        left -= count;
    }
    return local >= 0 && local < left ? search->total - left + local : -1;
}

const at__space *at__search_locate(const at__search *search, int64_t index, int *which, int64_t *local)
{
    if (index < 0 || index >= search->total)
        return NULL;
    for (int i = 0; i < search->space_count; i++) {
        int64_t count = at__space_count(search->spaces[i]);
        if (index < count) {
            *which = i;
            *local = index;
            return search->spaces[i];
        }
        index -= count;
    }
    return NULL;
}

int64_t at__search_find(const at__search *search, const at__template *t, const at__config *config)
{
    for (int i = 0; i < search->space_count; i++)
        if (at__space_template(search->spaces[i]) == t)
            return at__search_index(search, i, at__space_find(search->spaces[i], config));
    return -1;
}

int64_t at__search_default(const at__search *search, int which)
{
    const at__space *space = search->spaces[which];
    at__config config = { { 0 } };
    memcpy(config.values, at__space_template(space)->defaults, sizeof config.values);
    return at__search_index(search, which, at__space_find(space, &config));
}
