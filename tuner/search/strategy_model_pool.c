/* strategy_model_pool.c - the candidates: a changing sample of the space, and neighbours of proposals and of
 * the fastest. */
#include "search/strategy_model_internal.h"

#include <math.h>

#define FRESH 16 /* candidates exchanged for new ones with every proposal                       */

int64_t atx_model_draw(atx_model *m)
{
    for (int64_t tries = 0; tries < m->search.total; tries++) {
        if (m->place == m->search.total)
            m->place = 0;
        int64_t index = (int64_t)atx_permute_at(&m->order, (uint64_t)m->place++);
        if (!atx_index_set_has(&m->seen, index))
            return index;
    }
    return -1;
}

static void set_gain(atx_model *m, int slot, double gain)
{
    m->slot.gain[slot] = gain;
    m->slot.poorest[slot / ATX_MODEL_BLOCK] = -1;
}

void atx_model_free_slot(atx_model *m, int slot)
{
    if (m->slot.slots[slot] >= 0)
        atx_index_set_remove(&m->pooled, m->slot.slots[slot]);
    m->slot.slots[slot] = -1;
    set_gain(m, slot, -INFINITY);
}

/* A deferred candidate may have lost its slot, and come back as a neighbour of a proposal. */
static void recall_spills(atx_model *m, int slot)
{
    m->slot.error[slot] = 0;
    m->slot.unsure[slot] = 1;
    if (!atx_index_set_has(&m->deferred, m->slot.slots[slot]))
        return;
    for (int i = 0; i < ATX_MODEL_SPILLED && i < m->spilled_count; i++)
        if (m->spilled[i].index == m->slot.slots[slot]) {
            m->slot.error[slot] = m->spilled[i].error;
            m->slot.unsure[slot] = m->spilled[i].unsure;
        }
}

void atx_model_put_slot(atx_model *m, int slot, int64_t index)
{
    uint8_t levels[ATX_MAX_FEATURES];
    atx_model_free_slot(m, slot);
    if (!atx_index_set_add(&m->pooled, index))
        return;
    m->slot.slots[slot] = index;
    atx_features_levels(levels, m->features, index);
    atx_surrogate_place(m->surrogate, slot, levels);
    recall_spills(m, slot);
    set_gain(m, slot, INFINITY); /* until it is known */
}

void atx_model_forget_poorest(atx_model *m)
{
    for (int b = 0; b < ATX_MODEL_SLOTS / ATX_MODEL_BLOCK; b++)
        m->slot.poorest[b] = -1;
}

int atx_model_poorest_slot(atx_model *m)
{
    int poorest = 0;
    for (int first = 0; first < m->slot.slot_count; first += ATX_MODEL_BLOCK) {
        int *of_block = &m->slot.poorest[first / ATX_MODEL_BLOCK];
        if (*of_block < 0) {
            *of_block = first;
            for (int i = first + 1; i < first + ATX_MODEL_BLOCK && i < m->slot.slot_count; i++)
                if (m->slot.gain[i] < m->slot.gain[*of_block])
                    *of_block = i;
        }
        if (m->slot.gain[*of_block] < m->slot.gain[poorest])
            poorest = *of_block;
    }
    return poorest;
}

static void offer(atx_model *m, int64_t index)
{
    if (index >= 0 && !atx_index_set_has(&m->seen, index) && !atx_index_set_has(&m->pooled, index))
        atx_model_put_slot(m, atx_model_poorest_slot(m), index);
}

static void offer_neighbours(atx_model *m, int64_t of)
{
    int64_t list[256], local = 0;
    int which = 0;
    const atx_space *space = atx_search_locate(&m->search, of, &which, &local);
    if (!space)
        return;
    int64_t count = atx_space_neighbours(list, 256, space, local, ATX_HAMMING);
    for (int64_t i = 0; i < count && i < 256; i++)
        offer(m, atx_search_index(&m->search, which, list[i]));
}

/* Into the free slots what the walk gives next. */
static void fill_free(atx_model *m)
{
    for (int i = 0; i < m->slot.slot_count; i++) {
        int64_t index = -1;
        if (m->slot.slots[i] >= 0)
            continue;
        for (int tries = 0; tries < 8 && index < 0; tries++) {
            index = atx_model_draw(m);
            if (index < 0)
                return;
            index = atx_index_set_has(&m->pooled, index) ? -1 : index;
        }
        if (index >= 0)
            atx_model_put_slot(m, i, index);
    }
}

void atx_model_renew_pool(atx_model *m)
{
    if (m->pooled.count + m->seen.count == (size_t)m->search.total) /* draws would find no other one */
        return;
    fill_free(m);
    if (m->search.total <= ATX_MODEL_SLOTS) { /* all are there */
        for (int64_t i = 0; i < m->search.total; i++)
            offer(m, i);
        return;
    }
    for (int i = 0; i < FRESH; i++)
        offer(m, atx_model_draw(m));
    for (int i = 0; i < m->fastest.best_count && m->fastest.best_changed; i++)
        offer_neighbours(m, m->fastest.best[i]);
    m->fastest.best_changed = false;
    if (m->newest >= 0)
        offer_neighbours(m, m->newest);
}
