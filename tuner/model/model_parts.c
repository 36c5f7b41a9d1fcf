/* model_parts.c - what a model knows of itself: its parts, what they were learned from, what they are of. */
#include "model/model_parts.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

at_status atx_part_room(atx_part_of_model *p, at_error *err)
{
    p->edge_room = malloc(sizeof(float) * ATX_MAX_SEEN * ATX_MAX_EDGES);
    if (!p->edge_room)
        return atx_no_memory(err);
    for (int k = 0; k < ATX_MAX_SEEN; k++)
        p->edges[k].of = p->edge_room + (size_t)k * ATX_MAX_EDGES;
    return AT_OK;
}

void atx_part_of_model_clear(atx_part_of_model *p)
{
    for (int i = 0; i < ATX_MODEL_MEMBERS; i++)
        atx_forest_clear(&p->slower[i]);
    atx_forest_clear(&p->best);
    atx_forest_clear(&p->loss);
    free(p->edge_room);
    free(p->candidates);
    *p = (atx_part_of_model){ .candidates = NULL };
}

void atx_model_close(atx_model *m)
{
    if (!m)
        return;
    for (int i = 0; i < m->count; i++)
        atx_part_of_model_clear(&m->parts[i]);
    free(m->parts);
    free(m->bytes);
    free(m);
}

static int64_t tree_count(const atx_part_of_model *p)
{
    int64_t trees = p->best.count + p->loss.count;
    for (int i = 0; i < ATX_MODEL_MEMBERS; i++)
        trees += p->slower[i].count;
    return trees;
}

atx_training_samples atx_part_training_samples(const atx_part_of_model *p)
{
    return (atx_training_samples){ .op = p->op,
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

int64_t atx_model_newest(const atx_model *model)
{
    return model ? model->newest_trial : 0;
}

void atx_model_keep(atx_model *model)
{
    model->kept = true;
}

bool atx_model_is_kept(const atx_model *model)
{
    return model && model->kept;
}

bool atx_model_part(atx_training_samples *out, const atx_model *model, int i)
{
    if (!model || i < 0 || i >= model->count)
        return false;
    *out = atx_part_training_samples(&model->parts[i]);
    return true;
}

bool atx_part_is_of(const atx_part_of_model *part, const atx_op *op)
{
    return strcmp(part->op, op->name) == 0 && strcmp(op->text.proof_hash, part->op_hash) == 0;
}

double atx_part_distance(const atx_part_of_model *part, const atx_gpu_model *device)
{
    const atx_gpu_model learned = { .name = part->device, .cc = part->cc, .sms = part->sms };
    bool own = !*device->name || strcmp(part->device, device->name) == 0;
    return own ? 0 : DBL_MIN + atx_gpu_distance(&learned, device);
}
