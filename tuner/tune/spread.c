/* spread.c - see spread.h. */
#include "tune/spread.h"

#include <stdlib.h>

enum { NONE = -1 };

static int count_workers(const atx_tune_options *o)
{
    int count = 0;
    for (int i = 0; i < o->place_count; i++)
        count += o->places[i].workers;
    return count;
}

/* How many one device gets; --jobs counts for all together. */
static int part_of(const atx_tune_options *o, int total, int device)
{
    int all = o->jobs > 0 && o->jobs < total ? o->jobs : total;
    return all / o->device_count + (device < all % o->device_count);
}

/* Of the workers of its own place, which others there want too. */
static int own_part_of(const atx_tune_options *o, int device)
{
    int workers = 0, devices = 0, before = 0;
    for (int i = 0; i < o->place_count; i++)
        if (o->places[i].site == o->device_places[device])
            workers += o->places[i].workers;
    for (int d = 0; d < o->device_count; d++)
        if (o->device_places[d] == o->device_places[device]) {
            devices++;
            before += d < device;
        }
    return workers / devices + (before < workers % devices);
}

/* Takes workers of its own place, or of any, until the device has so many. */
static void take(int *owner, int *has, const atx_tune_options *o, int device, int most, bool only_own)
{
    int w = 0;
    for (int i = 0; i < o->place_count; i++)
        for (int k = 0; k < o->places[i].workers; k++, w++) {
            bool suits = !only_own || o->places[i].site == o->device_places[device];
            if (owner[w] != NONE || !suits || *has >= most)
                continue;
            owner[w] = device;
            ++*has;
        }
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

int *atx_spread_all(const atx_tune_options *o)
{
    int total = count_workers(o);
    int *owner = calloc((size_t)total + 1, sizeof *owner);
    int *has = calloc((size_t)o->device_count + 1, sizeof *has);
    for (int i = 0; i < total && owner; i++)
        owner[i] = NONE;
    for (int d = 0; d < o->device_count && owner && has; d++)
        take(owner, &has[d], o, d, smaller(own_part_of(o, d), part_of(o, total, d)), true);
    for (int d = 0; d < o->device_count && owner && has; d++)
        take(owner, &has[d], o, d, part_of(o, total, d), false);
    if (!has) {
        free(owner);
        owner = NULL;
    }
    free(has);
    return owner;
}

atx_site **atx_spread_of(int *count, const int *all, const atx_tune_options *o, int device)
{
    int w = 0;
    atx_site **places = calloc((size_t)count_workers(o) + 1, sizeof *places);
    *count = 0;
    for (int i = 0; i < o->place_count && places; i++)
        for (int k = 0; k < o->places[i].workers; k++, w++)
            if (all[w] == device)
                places[(*count)++] = o->places[i].site;
    *count += *count == 0; /* more devices than workers: one here */
    return places;
}
