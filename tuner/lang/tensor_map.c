/* tensor_map.c - sizes are evaluated, and checked as the driver would, which only says that one is wrong. */
#include "lang/tensor_map.h"

#include <inttypes.h>

/* Of cuda.h's CUtensorMapDataType. */
static const char *const TYPES[] = { "UINT8", "UINT16",  "UINT32",  "INT32",   "UINT64",
                                     "INT64", "FLOAT16", "FLOAT32", "FLOAT64", "BFLOAT16" };

/* The meaning of a word, in bytes, by its number in cuda.h. */
typedef struct choice {
    const char *word;
    int64_t bytes;
} choice;
static const choice SWIZZLES[] = { { "NONE", 0 }, { "32B", 32 }, { "64B", 64 }, { "128B", 128 } };
static const choice INTERLEAVES[] = { { "NONE", 0 }, { "16B", 16 }, { "32B", 32 } };
static const choice L2[] = { { "NONE", 0 }, { "L2_64B", 64 }, { "L2_128B", 128 }, { "L2_256B", 256 } };

const char *atx_tensor_type_word(int type)
{
    return TYPES[type];
}

const char *atx_tensor_swizzle_word(int swizzle)
{
    return SWIZZLES[swizzle].word;
}

const char *atx_tensor_interleave_word(int interleave)
{
    return INTERLEAVES[interleave].word;
}

const char *atx_tensor_l2_word(int l2)
{
    return L2[l2].word;
}

/* T of an op is known by its size alone: which of several types of that size it is, a map need not know.
 * ATX_DTYPES: there are several, or it is storage. */
static atx_dtype type_of_size(const atx_op *op, int64_t bytes)
{
    atx_dtype found = ATX_DTYPES;
    int count = 0;
    for (int i = 0; i < ATX_DTYPES; i++)
        if ((op->types & 1u << i) && atx_dtype_bytes((atx_dtype)i) == bytes) {
            found = (atx_dtype)i;
            count++;
        }
    return count == 1 && !op->storage ? found : ATX_DTYPES;
}

/* -1: there is none. */
static int number_of(atx_dtype type, int64_t bytes)
{
    enum { NONE = -1 };
    switch (type) {
    case ATX_F16:
        return 6;
    case ATX_F32:
        return 7;
    case ATX_F64:
        return 8;
    case ATX_BF16:
        return 9;
    default:
        return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 4 : NONE;
    }
}

static at_status eval(int64_t *out, const atx_expr *expr, int64_t least, int64_t most, const int64_t *slots,
                      at_error *err)
{
    at_status status = atx_expr_eval(out, expr, slots, err);
    if (status != AT_OK || (*out >= least && *out <= most))
        return status;
    return atx_fail_at(err, atx_expr_where(expr), "'%s' is %" PRId64 "; expected %" PRId64 " to %" PRId64,
                       atx_expr_text(expr), *out, least, most);
}

static at_status eval_choice(int32_t *out, const atx_expr *expr, const choice *list, int count,
                             const int64_t *slots, at_error *err)
{
    int64_t value = 0;
    ATX_TRY(expr ? atx_expr_eval(&value, expr, slots, err) : AT_OK);
    for (*out = 0; *out < count; ++*out)
        if (list[*out].bytes == value)
            return AT_OK;
    return atx_fail_at(err, atx_expr_where(expr),
                       "'%s' is %" PRId64 "; expected 0 or bytes that a tensor map knows, %" PRId64
                       " at most",
                       atx_expr_text(expr), value, list[count - 1].bytes);
}

static at_status eval_dim(atx_tensor_layout *l, const atx_tensor_map *m, int i, int64_t bytes,
                          const int64_t *slots, at_error *err)
{
    enum { MOST_BOX = 256, MOST_STEP = 8 };
    int64_t dim = 0, box = 0, step = 1;
    at_status status = eval(&dim, m->dims[i], 1, (int64_t)1 << 32, slots, err);
    ATX_THEN(status, eval(&box, m->box[i], 1, MOST_BOX, slots, err));
    if (status == AT_OK && m->steps[i])
        status = eval(&step, m->steps[i], 1, MOST_STEP, slots, err);
    l->dims[i] = (uint64_t)dim;
    l->box[i] = (uint32_t)box;
    l->steps[i] = (uint32_t)step;
    if (status == AT_OK && i == 0 && box * bytes % 16 != 0)
        status =
            atx_fail_at(err, atx_expr_where(m->box[0]),
                        "a box of %" PRId64 " elements of %" PRId64 " bytes; expected a multiple of 16 bytes",
                        box, bytes);
    return status;
}

/* Of the dimension behind number i: dense, where the line says none. */
static at_status eval_stride(atx_tensor_layout *l, const atx_tensor_map *m, int i, int64_t bytes,
                             const int64_t *slots, at_error *err)
{
    const int64_t most = ((int64_t)1 << 40) - 16;
    int64_t stride = 0;
    at_status status = AT_OK;
    if (m->strides[i])
        status = eval(&stride, m->strides[i], 16, most, slots, err);
    else if (__builtin_mul_overflow(i ? (int64_t)l->strides[i - 1] : bytes, (int64_t)l->dims[i], &stride))
        stride = most + 1;
    if (status == AT_OK && (stride % 16 != 0 || stride > most))
        status = atx_fail_at(err, m->strides[i] ? atx_expr_where(m->strides[i]) : m->where,
                             "%" PRId64 " bytes from one to the next along dimension %d; expected a multiple "
                             "of 16 below 2^40",
                             stride, i + 2);
    l->strides[i] = (uint64_t)stride;
    return status;
}

at_status atx_tensor_layout_of(atx_tensor_layout *out, const atx_template *t, int map, const int64_t *slots,
                               at_error *err)
{
    const atx_tensor_map *m = &t->call.maps[map];
    const atx_arg *arg = &t->op->args[m->arg];
    const int64_t bytes = arg->own_type ? atx_dtype_bytes(arg->type) : slots[t->op->scope.sizeof_slot];
    atx_tensor_layout l = { .element_bytes = (int32_t)bytes, .rank = m->rank, .nan = m->nan };
    for (int i = 0; i < m->arg; i++)
        l.buffer += t->op->args[i].role != ATX_SCALAR;
    l.type = number_of(arg->own_type ? arg->type : type_of_size(t->op, bytes), bytes);
    if (l.type < 0)
        return atx_fail_at(err, m->where,
                           "no tensor map has elements of %" PRId64 " bytes; expected 8 at most", bytes);
    for (int i = 0; i < m->rank; i++)
        ATX_TRY(eval_dim(&l, m, i, bytes, slots, err));
    for (int i = 0; i + 1 < m->rank; i++)
        ATX_TRY(eval_stride(&l, m, i, bytes, slots, err));
    ATX_TRY(eval_choice(&l.swizzle, m->swizzle, SWIZZLES, sizeof SWIZZLES / sizeof *SWIZZLES, slots, err));
    ATX_TRY(eval_choice(&l.interleave, m->interleave, INTERLEAVES, sizeof INTERLEAVES / sizeof *INTERLEAVES,
                        slots, err));
    ATX_TRY(eval_choice(&l.l2, m->l2, L2, sizeof L2 / sizeof *L2, slots, err));
    if (l.swizzle && (int64_t)l.box[0] * bytes > SWIZZLES[l.swizzle].bytes)
        ATX_TRY(atx_fail_at(err, atx_expr_where(m->box[0]),
                            "rows of %" PRId64 " bytes in a box with swizzle %" PRId64
                            "; expected as many bytes at most",
                            (int64_t)l.box[0] * bytes, SWIZZLES[l.swizzle].bytes));
    *out = l;
    return AT_OK;
}
