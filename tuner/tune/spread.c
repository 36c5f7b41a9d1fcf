/* spread.c - see spread.h. */
#include "tune/spread.h"

#include <stdlib.h>

enum { NOBODY = -1 };

static int count_workers(const at__tune_options *o)
{
    int count = 0;
    for (int i = 0; i < o->place_count; i++)
        count += o->places[i].workers;
    return count;
}

/* How many one device gets; --jobs counts for all together. */
static int part_of(const at__tune_options *o, int total, int device)
{
    int all = o->jobs > 0 && o->jobs < total ? o->jobs : total;
    return all / o->device_count + (device < all % o->device_count);
}

/* Takes workers of one place, or of any, until the device has its part. */
static void take(int *owner, int *has, const at__tune_options *o, int total, int device, bool only_own)
{
    int w = 0;
    for (int i = 0; i < o->place_count; i++)
        for (int k = 0; k < o->places[i].workers; k++, w++) {
            bool suits = !only_own || o->places[i].site == o->device_places[device];
            if (owner[w] != NOBODY || !suits || *has >= part_of(o, total, device))
                continue;
            owner[w] = device;
            ++*has;
        }
}

int *at__spread_all(const at__tune_options *o)
{
    int total = count_workers(o);
    int *owner = calloc((size_t)total + 1, sizeof *owner);
    int *has = calloc((size_t)o->device_count + 1, sizeof *has);
    for (int i = 0; i < total && owner; i++)
        owner[i] = NOBODY;
    for (int pass = 0; pass < 2 && owner && has; pass++)
        for (int d = 0; d < o->device_count; d++)
            take(owner, &has[d], o, total, d, pass == 0);
    if (!has) {
        free(owner);
        owner = NULL;
    }
    free(has);
    return owner;
}

at__site **at__spread_of(int *count, const int *all, const at__tune_options *o, int device)
{
    int w = 0;
    at__site **places = calloc((size_t)count_workers(o) + 1, sizeof *places);
    *count = 0;
    for (int i = 0; i < o->place_count && places; i++)
        for (int k = 0; k < o->places[i].workers; k++, w++)
            if (all[w] == device)
                places[(*count)++] = o->places[i].site;
    *count += *count == 0; /* more devices than workers: one here */
    return places;
}
