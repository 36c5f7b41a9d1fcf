/*
 * model_file.c - a model as bytes: magic, the place in its store up to which it has learned, then the model
 * of each op and device, field by field, little-endian, with a checksum of all at the end. A file may come
 * from anyone: values out of range are refused, and so are extra bytes. The bundled model is trusted, and
 * only the part of one op is read, so that a first answer does not take longer for a larger model.
 */
#include "model/model_internal.h"

#include "util/out_file.h"
#include "util/regular.h"
#include "util/str.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what a model knows of itself ---- */

at_status atx_op_model_room(atx_op_model *p, at_error *err)
{
    p->edge_room = malloc(sizeof(float) * ATX_MAX_SEEN * ATX_MAX_EDGES);
    if (!p->edge_room)
        return atx_no_memory(err);
    for (int k = 0; k < ATX_MAX_SEEN; k++)
        p->edges[k].of = p->edge_room + (size_t)k * ATX_MAX_EDGES;
    return AT_OK;
}

void atx_op_model_clear(atx_op_model *p)
{
    for (int i = 0; i < ATX_MODEL_MEMBERS; i++)
        atx_forest_clear(&p->slower[i]);
    atx_forest_clear(&p->best);
    atx_forest_clear(&p->loss);
    free(p->edge_room);
    free(p->candidates);
    *p = (atx_op_model){ .candidates = NULL };
}

void atx_model_close(atx_model *m)
{
    if (!m)
        return;
    for (int i = 0; i < m->count; i++)
        atx_op_model_clear(&m->ops[i]);
    free(m->ops);
    free(m->bytes);
    free(m);
}

static int64_t tree_count(const atx_op_model *p)
{
    int64_t trees = p->best.count + p->loss.count;
    for (int i = 0; i < ATX_MODEL_MEMBERS; i++)
        trees += p->slower[i].count;
    return trees;
}

atx_training_samples atx_op_model_samples(const atx_op_model *p)
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
                                   .expected_loss = p->expected_loss,
                                   .most_loss = p->most_loss };
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

bool atx_model_of_op(atx_training_samples *out, const atx_model *model, int i)
{
    if (!model || i < 0 || i >= model->count)
        return false;
    *out = atx_op_model_samples(&model->ops[i]);
    return true;
}

bool atx_op_model_is_of(const atx_op_model *known, const atx_op *op)
{
    return strcmp(known->op, op->name) == 0 && strcmp(op->text.proof_hash, known->op_hash) == 0;
}

double atx_op_model_distance(const atx_op_model *known, const atx_gpu_model *device)
{
    const atx_gpu_model learned = { .name = known->device, .cc = known->cc, .sms = known->sms };
    bool own = !*device->name || strcmp(known->device, device->name) == 0;
    return own ? 0 : DBL_MIN + atx_gpu_distance(&learned, device);
}

enum { MOST_OPS = 255 }; /* their number is a byte */

static const char MAGIC[8] = { 'a', 't', 'm', 'o', 'd', 'e', 'l', '1' };
static const char BESIDE[8] = {
    'a', 't', 'm', 'o', 'd', 'e', 'l', '2'
}; /* a store: newest_trial and kept are first */

/* ---- writing ---- */

static void put(atx_str *out, uint64_t value, int bytes)
{
    unsigned char b[8];
    for (int i = 0; i < bytes; i++)
        b[i] = (unsigned char)(value >> 8 * i);
    atx_str_add_bytes(out, b, (size_t)bytes);
}

static void put_text(atx_str *out, const char *text)
{
    size_t len = strlen(text);
    put(out, len, 1);
    atx_str_add_bytes(out, text, len);
}

static void put_float(atx_str *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(out, bits, 4);
}

static void put_forest(atx_str *out, const atx_forest *f)
{
    put(out, (uint64_t)f->count, 2);
    if (f->count)
        atx_str_add_bytes(out, f->bytes, atx_forest_bytes(f));
}

static void put_op(atx_str *out, const atx_op_model *p)
{
    put_text(out, p->op);
    put_text(out, p->op_hash);
    put_text(out, p->device);
    put_text(out, p->learned_at);
    put(out, (uint64_t)p->cc, 4);
    put(out, (uint64_t)p->sms, 4);
    put(out, (uint64_t)p->trials, 8);
    put(out, (uint64_t)p->problems, 8);
    put_float(out, (float)p->usual);
    put_float(out, (float)p->expected_loss);
    put(out, (uint64_t)p->feature_count, 1);
    for (int i = 0; i < p->feature_count; i++) {
        put_text(out, p->names[i]);
        put(out, (uint64_t)p->edges[i].count, 1);
        for (int k = 0; k < p->edges[i].count; k++)
            put_float(out, p->edges[i].of[k]);
    }
    put(out, (uint64_t)p->template_count, 1);
    for (int i = 0; i < p->template_count; i++) {
        put_text(out, p->templates[i].name);
        put_text(out, p->templates[i].hash);
        put(out, (uint64_t)p->templates[i].param_count, 1);
    }
    put(out, (uint64_t)p->candidate_count, 2);
    for (int i = 0; i < p->candidate_count; i++) {
        put(out, (uint64_t)p->candidates[i].which, 1);
        for (int k = 0; k < p->templates[p->candidates[i].which].param_count; k++)
            put(out, p->candidates[i].places[k], 2);
    }
    for (int i = 0; i < ATX_MODEL_MEMBERS; i++)
        put_forest(out, &p->slower[i]);
    put_forest(out, &p->best);
    put_forest(out, &p->loss);
}

at_status atx_model_pack(atx_str *out, const atx_model *model, at_error *err)
{
    char hash[ATX_HASH_TEXT];
    if (model->count > MOST_OPS)
        return atx_fail(
            err, AT_ERR_INPUT,
            "found %d operations, each on a device, to write down; a model holds at most %d: learn "
            "from fewer databases",
            model->count, MOST_OPS);
    bool beside = model->newest_trial > 0 || model->kept; /* its own store may be empty still */
    atx_str_add_bytes(out, beside ? BESIDE : MAGIC, sizeof MAGIC);
    if (beside) {
        put(out, (uint64_t)model->newest_trial, 8);
        put(out, model->kept, 1);
    }
    put(out, (uint64_t)model->count, 1);
    for (int i = 0; i < model->count; i++)
        put_op(out, &model->ops[i]);
    at_status status = atx_str_status(out, err);
    if (status != AT_OK)
        return status;
    atx_hash_text(hash, out->data, out->len);
    atx_str_add_bytes(out, hash, ATX_HASH_TEXT - 1);
    if (out->len > ATX_MODEL_MAX_BYTES)
        return atx_fail(err, AT_ERR_INPUT,
                        "found a model of %zu bytes to write down; expected at most %zu: learn from fewer "
                        "databases",
                        out->len, ATX_MODEL_MAX_BYTES);
    return atx_str_status(out, err);
}

/* ---- reading ---- */

typedef struct reader {
    const unsigned char *at, *end;
    bool bad;     /* too short, or a number out of range */
    bool trusted; /* trees are what the build has tested */
} reader;

/* The next bytes; NULL: there are fewer. */
static const unsigned char *take(reader *r, size_t bytes)
{
    const unsigned char *at = r->at;
    if (r->bad || (size_t)(r->end - r->at) < bytes) {
        r->bad = true;
        return NULL;
    }
    r->at += bytes;
    return at;
}

static uint64_t get(reader *r, int bytes, uint64_t most)
{
    uint64_t value = 0;
    const unsigned char *at = take(r, (size_t)bytes);
    for (int i = 0; at && i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    r->bad = r->bad || value > most;
    return r->bad ? 0 : value;
}

static void get_text(reader *r, char *out, size_t room)
{
    size_t len = (size_t)get(r, 1, room - 1);
    if (r->bad || (size_t)(r->end - r->at) < len || memchr(r->at, 0, len)) {
        r->bad = true;
        len = 0;
    }
    memcpy(out, r->at, len);
    out[len] = '\0';
    r->at += len;
}

static float get_float(reader *r)
{
    float value;
    uint32_t bits = (uint32_t)get(r, 4, UINT32_MAX);
    memcpy(&value, &bits, sizeof value);
    r->bad |= !isfinite(value);
    return isfinite(value) ? value : 0;
}

/* Skips the trees and counts them. Also stores where each begins, if `begins` is not NULL. */
static int take_forest(uint32_t *begins, reader *r, int count)
{
    const unsigned char *first = r->at, *tree = first;
    if (r->trusted && !begins && !r->bad) {
        for (int i = 0; i < count; i++)
            tree += atx_tree_bytes(*tree);
        r->at = tree;
        return count;
    }
    for (int i = 0; i < count && !r->bad; i++) {
        size_t left = (size_t)(r->end - tree), leaves = left ? *tree : 0;
        if (begins)
            begins[i] = (uint32_t)(tree - first);
        r->bad = leaves < 1 || leaves > ATX_MAX_LEAVES || left < atx_tree_bytes((int)leaves);
        tree += r->bad ? 0 : atx_tree_bytes((int)leaves);
    }
    r->at = tree;
    return r->bad ? 0 : count;
}

/* Its trees stay where they lie. */
static at_status get_forest(atx_forest *f, reader *r, int features, at_error *err)
{
    int count = (int)get(r, 2, ATX_MODEL_MAX_TREES);
    f->begins = malloc(((size_t)count + 1) * sizeof *f->begins);
    if (!f->begins)
        return atx_no_memory(err);
    f->bytes = r->at;
    f->count = take_forest(f->begins, r, count);
    for (int i = 0; i < f->count && !r->trusted; i++)
        r->bad |= !atx_tree_is_sound(f->bytes + f->begins[i], features);
    return AT_OK;
}

/* `of` gets the numbers; how many. */
static int get_edges(float *of, reader *r)
{
    int count = (int)get(r, 1, ATX_MAX_EDGES);
    const unsigned char *at = take(r, 4 * (size_t)count);
    for (int k = 0; at && k < count; k++, at += 4) {
        uint32_t bits = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        memcpy(&of[k], &bits, sizeof bits);
        r->bad |= !isfinite(of[k]) || (k > 0 && of[k] < of[k - 1]);
    }
    return at ? count : 0;
}

/* Edges of one feature lie behind those of another. */
static at_status get_features(atx_op_model *p, reader *r, at_error *err)
{
    int count = (int)get(r, 1, ATX_MAX_SEEN);
    at_status status = atx_op_model_room(p, err);
    float *next = p->edge_room;
    for (; status == AT_OK && p->feature_count < count && !r->bad; p->feature_count++) {
        atx_edges *e = &p->edges[p->feature_count];
        get_text(r, p->names[p->feature_count], ATX_MAX_NAME);
        *e = (atx_edges){ .of = next, .count = get_edges(next, r) };
        next += e->count;
    }
    return status;
}

static at_status get_candidates(atx_op_model *p, reader *r, at_error *err)
{
    int count = (int)get(r, 1, ATX_MODEL_MAX_TEMPLATES);
    for (; p->template_count < count && !r->bad; p->template_count++) {
        atx_model_template *t = &p->templates[p->template_count];
        get_text(r, t->name, sizeof t->name);
        get_text(r, t->hash, sizeof t->hash);
        t->param_count = (int)get(r, 1, ATX_MAX_PARAMS);
    }
    count = (int)get(r, 2, ATX_MODEL_MAX_CANDIDATES);
    p->candidates = calloc((size_t)count + 1, sizeof *p->candidates);
    if (!p->candidates)
        return atx_no_memory(err);
    for (; p->candidate_count < count && !r->bad; p->candidate_count++) {
        atx_candidate *c = &p->candidates[p->candidate_count];
        c->which = (int)get(r, 1, 255);
        r->bad |= c->which >= p->template_count;
        for (int k = 0; !r->bad && k < p->templates[c->which].param_count; k++)
            c->places[k] = (uint16_t)get(r, 2, ATX_MAX_VALUES);
    }
    return AT_OK;
}

static void get_head(atx_op_model *p, reader *r)
{
    get_text(r, p->op, sizeof p->op);
    get_text(r, p->op_hash, sizeof p->op_hash);
    get_text(r, p->device, sizeof p->device);
}

/* What follows the head. */
static at_status get_op(atx_op_model *p, reader *r, at_error *err)
{
    get_text(r, p->learned_at, sizeof p->learned_at);
    p->cc = (int64_t)get(r, 4, INT32_MAX);
    p->sms = (int64_t)get(r, 4, INT32_MAX);
    p->trials = (int64_t)get(r, 8, INT64_MAX);
    p->problems = (int64_t)get(r, 8, INT64_MAX);
    p->usual = (double)get_float(r);
    p->expected_loss = (double)get_float(r);
    p->most_loss = -1;
    at_status status = get_features(p, r, err);
    ATX_THEN(status, get_candidates(p, r, err));
    for (int i = 0; i < ATX_MODEL_MEMBERS && status == AT_OK; i++)
        status = get_forest(&p->slower[i], r, p->feature_count, err);
    ATX_THEN(status, get_forest(&p->best, r, p->feature_count, err));
    return status == AT_OK ? get_forest(&p->loss, r, p->feature_count, err) : status;
}

/* ---- an op that is not asked for ---- */

/* A byte; 0: there is none. A look-up skips tens of thousands. */
static size_t get_byte(reader *r)
{
    r->bad = r->bad || r->at == r->end;
    return r->bad ? 0 : *r->at++;
}

static void skip_text(reader *r)
{
    take(r, get_byte(r));
}

static void skip_candidates(reader *r)
{
    int params[ATX_MODEL_MAX_TEMPLATES] = { 0 };
    int templates = (int)get(r, 1, ATX_MODEL_MAX_TEMPLATES);
    for (int i = 0; i < templates; i++) {
        skip_text(r);
        skip_text(r);
        params[i] = (int)get(r, 1, ATX_MAX_PARAMS);
    }
    for (int count = (int)get(r, 2, ATX_MODEL_MAX_CANDIDATES); count > 0 && !r->bad; count--) {
        size_t which = get_byte(r);
        r->bad = which >= (size_t)templates || !take(r, 2 * (size_t)params[which]);
    }
}

/* What get_part reads, in its order. */
static void skip_op(reader *r)
{
    skip_text(r);
    take(r, 4 + 4 + 8 + 8 + 4 + 4);
    for (int features = (int)get(r, 1, ATX_MAX_SEEN); features > 0 && !r->bad; features--) {
        skip_text(r);
        take(r, 4 * get_byte(r));
    }
    skip_candidates(r);
    for (int i = 0; i < ATX_MODEL_MEMBERS + 2; i++)
        take_forest(NULL, r, (int)get(r, 2, ATX_MODEL_MAX_TREES));
}

/* The checksum is of what was written, so that damage is not taken for knowledge. */
static bool is_whole(const unsigned char *bytes, size_t size)
{
    char hash[ATX_HASH_TEXT];
    const size_t tail = ATX_HASH_TEXT - 1;
    if (size < sizeof MAGIC + tail ||
        (memcmp(bytes, MAGIC, sizeof MAGIC) != 0 && memcmp(bytes, BESIDE, sizeof BESIDE) != 0))
        return false;
    atx_hash_text(hash, bytes, size - tail);
    return memcmp(bytes + size - tail, hash, tail) == 0;
}

static at_status get_ops(atx_model *m, reader *r, int count, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < count && !r->bad && status == AT_OK; i++) {
        atx_op_model *p = &m->ops[m->count++];
        get_head(p, r);
        status = get_op(p, r, err);
    }
    return status;
}

/* Of the op the model on that device, else on the one most like it. */
static at_status get_one_op(atx_model *m, reader *r, int count, const atx_op *op, const atx_gpu_model *device,
                            at_error *err)
{
    atx_op_model *p = &m->ops[0];
    reader found = { .at = NULL };
    double least = INFINITY;
    for (int i = 0; i < count && !r->bad && least > 0; i++) {
        const reader head = *r;
        get_head(p, r);
        double distance = atx_op_model_is_of(p, op) ? atx_op_model_distance(p, device) : INFINITY;
        found = distance < least ? head : found;
        least = fmin(least, distance);
        if (least > 0)
            skip_op(r);
    }
    if (!found.at)
        return AT_OK;
    *r = found;
    get_head(p, r);
    m->count = 1;
    return get_op(p, r, err);
}

/* Takes `own`, the bytes where they are a copy. There is room for `most` parts, as far as there are any. */
static at_status begin_model(atx_model **out, reader *r, unsigned char *own, int *count, int most,
                             at_error *err)
{
    bool beside = memcmp(r->at, BESIDE, sizeof BESIDE) == 0;
    take(r, sizeof MAGIC);
    int64_t newest = beside ? (int64_t)get(r, 8, INT64_MAX) : 0;
    bool kept = beside && get(r, 1, 1);
    atx_model *m = calloc(1, sizeof *m);
    *count = (int)get(r, 1, MOST_OPS);
    if (m)
        *m = (atx_model){ .newest_trial = newest,
                          .kept = kept,
                          .bytes = own,
                          .ops = calloc((size_t)(*count < most ? *count + 1 : most), sizeof *m->ops) };
    if (!m || !m->ops) {
        if (!m)
            free(own);
        atx_model_close(m);
        atx_no_memory(err);
        return AT_ERR_MEMORY;
    }
    *out = m;
    return AT_OK;
}

at_status atx_model_unpack(atx_model **out, const void *bytes, size_t size, at_error *err)
{
    atx_model *m = NULL;
    int count;
    if (!is_whole(bytes, size))
        return atx_fail(err, AT_ERR_INPUT,
                        "it is no model of this version of autotune, or damaged; "
                        "`autotune learn` makes it anew");
    unsigned char *own = malloc(size);
    if (!own)
        return atx_no_memory(err);
    memcpy(own, bytes, size);
    reader r = { .at = own, .end = own + size - (ATX_HASH_TEXT - 1) };
    at_status status = begin_model(&m, &r, own, &count, MOST_OPS, err);
    ATX_THEN(status, get_ops(m, &r, count, err));
    if (status == AT_OK && (r.bad || r.at != r.end))
        status = atx_fail(err, AT_ERR_INPUT, "found a number out of range; `autotune learn` makes it anew");
    if (status == AT_OK)
        *out = m;
    else
        atx_model_close(m);
    return status;
}

at_status atx_model_shipped(atx_model **out, const atx_op *op, const atx_gpu_model *device, at_error *err)
{
    const unsigned char *bytes = atx_shipped_model;
    reader r = { .at = bytes, .end = bytes + atx_shipped_model_bytes, .trusted = true };
    atx_model *m = NULL;
    int count;
    *out = NULL;
    if (!atx_shipped_model_bytes)
        return AT_OK;
    at_status status = begin_model(&m, &r, NULL, &count, op ? 1 : MOST_OPS, err);
    ATX_THEN(status, op ? get_one_op(m, &r, count, op, device, err) : get_ops(m, &r, count, err));
    if (status == AT_OK && !r.bad)
        *out = m;
    else
        atx_model_close(m);
    return status;
}

static bool is_absent(const char *path)
{
    return access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* That it is absent is asked again where it could not be read: it may have gone, or the first question
 * failed. */
at_status atx_model_read(atx_model **out, const char *path, at_error *err)
{
    atx_str text = { 0 };
    at_error cause = { 0 };
    if (is_absent(path))
        return atx_fail(err, AT_ERR_NOT_FOUND, "%s: there is no such file", path);
    at_status status = atx_regular_read(&text, path, ATX_MODEL_MAX_BYTES, err);
    if (status != AT_OK && status != AT_ERR_MEMORY && is_absent(path))
        status = atx_fail(err, AT_ERR_NOT_FOUND, "%s: there is no such file", path);
    if (status == AT_OK) {
        status = atx_model_unpack(out, atx_str_text(&text), text.len, &cause);
        if (status != AT_OK)
            atx_fail(err, status, "%s: %s", path, cause.text);
    }
    atx_str_clear(&text);
    return status;
}

at_status atx_model_write(const atx_model *model, const char *path, at_error *err)
{
    atx_str bytes = { 0 };
    at_status status = atx_model_pack(&bytes, model, err);
    ATX_THEN(status, atx_out_write_all(path, bytes.data, bytes.len, err));
    atx_str_clear(&bytes);
    return status;
}

static bool has_part(const atx_model *model, const atx_op_model *p)
{
    for (int i = 0; i < model->count; i++)
        if (strcmp(model->ops[i].op, p->op) == 0 && strcmp(model->ops[i].device, p->device) == 0)
            return true;
    return false;
}

at_status atx_model_write_with(const atx_model *model, const atx_model *rest, const char *path, at_error *err)
{
    atx_model all = *model;
    all.ops = malloc(sizeof *all.ops * (size_t)(model->count + (rest ? rest->count : 0) + 1));
    if (!all.ops)
        return atx_no_memory(err);
    all.count = 0; /* parts that stay go first: transposes are found without skipping others */
    for (int i = 0; rest && i < rest->count; i++)
        if (!has_part(model, &rest->ops[i]))
            all.ops[all.count++] = rest->ops[i];
    for (int i = 0; i < model->count; i++)
        all.ops[all.count++] = model->ops[i];
    at_status status = atx_model_write(&all, path, err);
    free(all.ops);
    return status;
}
