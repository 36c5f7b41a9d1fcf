/* model_parts.c - what a model knows of itself: its parts, what they were learned from, what they are of. */
#include "model/model_parts.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

at_status at__part_room(at__part_of_model *p, at_error *err)
{
    p->edge_room = malloc(sizeof(float) * AT__MAX_SEEN * AT__MAX_EDGES);
    if (!p->edge_room)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (int k = 0; k < AT__MAX_SEEN; k++)
        p->edges[k].of = p->edge_room + (size_t)k * AT__MAX_EDGES;
    return AT_OK;
}

void at__part_of_model_clear(at__part_of_model *p)
{
    for (int i = 0; i < AT__MODEL_MEMBERS; i++)
        at__forest_clear(&p->slower[i]);
    at__forest_clear(&p->best);
    at__forest_clear(&p->loss);
    free(p->edge_room);
    free(p->candidates);
    *p = (at__part_of_model){ .candidates = NULL };
}

void at__model_close(at__model *m)
{
    if (!m)
        return;
    for (int i = 0; i < m->count; i++)
        at__part_of_model_clear(&m->parts[i]);
    free(m->parts);
    free(m->bytes);
    free(m);
}

static int64_t tree_count(const at__part_of_model *p)
{
    int64_t trees = p->best.count + p->loss.count;
    for (int i = 0; i < AT__MODEL_MEMBERS; i++)
        trees += p->slower[i].count;
    return trees;
}

at__lessons at__part_lessons(const at__part_of_model *p)
{
    return (at__lessons){ .op = p->op,
                          .device = p->device,
                          .learned_at = p->learned_at,
                          .cc = p->cc,
                          .sms = p->sms,
                          .trials = p->trials,
                          .problems = p->problems,
                          .candidates = p->candidate_count,
                          .trees = tree_count(p),
                          .doubt = p->doubt };
}

int64_t at__model_newest(const at__model *model)
{
    return model ? model->newest_trial : 0;
}

void at__model_keep(at__model *model)
{
    model->kept = true;
}

bool at__model_is_kept(const at__model *model)
{
    return model && model->kept;
}

bool at__model_part(at__lessons *out, const at__model *model, int i)
{
    if (!model || i < 0 || i >= model->count)
        return false;
    *out = at__part_lessons(&model->parts[i]);
    return true;
}

bool at__part_is_of(const at__part_of_model *part, const at__op *op)
{
    return strcmp(part->op, op->name) == 0 && strcmp(op->proof_hash, part->op_hash) == 0;
}

double at__part_distance(const at__part_of_model *part, const at__gpu_model *device)
{
    const at__gpu_model learned = { .name = part->device, .cc = part->cc, .sms = part->sms };
    bool own = !*device->name || strcmp(part->device, device->name) == 0;
    return own ? 0 : DBL_MIN + at__gpu_distance(&learned, device);
}
