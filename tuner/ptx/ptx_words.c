/*
 * ptx_words.c - the meaning of the words behind the points. One table: a word sets one field, of any
 * instruction or of one op alone; rows of an op are tried first. Combinations are not checked here: the code
 * that executes them refuses those that it does not support.
 */
#include "ptx/ptx_internal.h"

#include <string.h>

/* The field that a row sets. */
typedef enum effect {
    NOTHING, /* a hint */
    FLAG,
    ROUND,
    COMPARE,
    ACTION,
    SCOPE,
    SEMANTICS,
    VECTOR,
    FORM,
    LAYOUT,
    SPACE
} effect;

typedef struct row {
    const char *words;
    int op; /* ATX_PTX_NO_OP: any */
    effect effect;
    int value; /* of the first word; the others have the ones that follow */
} row;

static const row rows[] = {
    /* forms of one op */
    { "up down bfly idx", ATX_PTX_SHFL, FORM, ATX_PTX_SHFL_UP },
    { "idx", ATX_PTX_BRX, NOTHING, 0 },
    { "any all", ATX_PTX_MATCH, FORM, ATX_PTX_MATCH_ANY },
    { "f4e b4e rc8 ecl ecr rc16", ATX_PTX_PRMT, FORM, ATX_PTX_PRMT_F4E },
    { "finite infinite number notanumber normal subnormal", ATX_PTX_TESTP, FORM, ATX_PTX_TEST_FINITE },
    { "row col", ATX_PTX_MMA, LAYOUT, ATX_PTX_BY_ROWS },
    { "row col", ATX_PTX_WMMA, LAYOUT, ATX_PTX_BY_ROWS },
    { "popc", ATX_PTX_MMA, NOTHING, 0 }, /* behind .xor or .and */
    { "popc", ATX_PTX_WMMA, NOTHING, 0 },
    { "m8n8", ATX_PTX_LDMATRIX, NOTHING, 0 },
    { "m8n8", ATX_PTX_STMATRIX, NOTHING, 0 },
    { "m8n8", ATX_PTX_MOVMATRIX, NOTHING, 0 },
    { "trans", ATX_PTX_NO_OP, FLAG, ATX_PTX_TRANSPOSED },
    { "x1 x2", ATX_PTX_NO_OP, VECTOR, 1 },
    { "x4", ATX_PTX_NO_OP, VECTOR, 4 },
    { "to", ATX_PTX_CVTA, FLAG, ATX_PTX_TO_SPACE },
    { "shiftamt", ATX_PTX_BFIND, FLAG, ATX_PTX_SHIFT_AMOUNT },
    { "l", ATX_PTX_SHF, FLAG, ATX_PTX_LEFT },
    { "r", ATX_PTX_SHF, NOTHING, 0 },
    { "clamp", ATX_PTX_NO_OP, FLAG, ATX_PTX_CLAMP },
    { "wrap", ATX_PTX_NO_OP, FLAG, ATX_PTX_WRAP },
    { "wide", ATX_PTX_NO_OP, FLAG, ATX_PTX_WIDE },
    { "hi", ATX_PTX_MUL, FLAG, ATX_PTX_HI_HALF },
    { "hi", ATX_PTX_MAD, FLAG, ATX_PTX_HI_HALF },
    { "hi", ATX_PTX_MADC, FLAG, ATX_PTX_HI_HALF },
    { "hi", ATX_PTX_MUL24, FLAG, ATX_PTX_HI_HALF },
    { "hi", ATX_PTX_MAD24, FLAG, ATX_PTX_HI_HALF },
    { "hi", ATX_PTX_DP2A, FLAG, ATX_PTX_HI_HALF },
    { "lo", ATX_PTX_MUL, FLAG, ATX_PTX_LO_HALF },
    { "lo", ATX_PTX_MAD, FLAG, ATX_PTX_LO_HALF },
    { "lo", ATX_PTX_MADC, FLAG, ATX_PTX_LO_HALF },
    { "lo", ATX_PTX_MUL24, FLAG, ATX_PTX_LO_HALF },
    { "lo", ATX_PTX_MAD24, FLAG, ATX_PTX_LO_HALF },
    { "lo", ATX_PTX_DP2A, FLAG, ATX_PTX_LO_HALF },
    { "all any uni ballot", ATX_PTX_VOTE, ACTION, ATX_PTX_DO_ALL },
    { "uni", ATX_PTX_NO_OP, FLAG, ATX_PTX_UNIFORM },
    { "proxy", ATX_PTX_FENCE, FORM, ATX_PTX_FENCE_PROXY },
    { "proxy::async", ATX_PTX_FENCE, FORM, ATX_PTX_FENCE_PROXY },
    { "proxy::alias", ATX_PTX_FENCE, FORM, ATX_PTX_FENCE_PROXY },
    { "async mbarrier_init", ATX_PTX_FENCE, NOTHING, 0 },
    { "gl", ATX_PTX_FENCE, SCOPE, ATX_PTX_SCOPE_GPU },
    { "fractional range", ATX_PTX_CREATEPOLICY, NOTHING, 0 },
    { "launch_dependents wait", ATX_PTX_GRIDDEPCONTROL, NOTHING, 0 },

    /* flags */
    { "ftz", ATX_PTX_NO_OP, FLAG, ATX_PTX_FTZ },
    { "sat", ATX_PTX_NO_OP, FLAG, ATX_PTX_SAT },
    { "satfinite", ATX_PTX_NO_OP, FLAG, ATX_PTX_SAT },
    { "approx", ATX_PTX_NO_OP, FLAG, ATX_PTX_APPROX },
    { "full", ATX_PTX_NO_OP, FLAG, ATX_PTX_FULL },
    { "cc", ATX_PTX_NO_OP, FLAG, ATX_PTX_CC },
    { "NaN", ATX_PTX_NO_OP, FLAG, ATX_PTX_NAN_RESULT },
    { "xorsign", ATX_PTX_NO_OP, FLAG, ATX_PTX_XORSIGN },
    { "abs", ATX_PTX_NO_OP, FLAG, ATX_PTX_ABS_RESULT },
    { "relu", ATX_PTX_NO_OP, FLAG, ATX_PTX_RELU },
    { "nc", ATX_PTX_NO_OP, FLAG, ATX_PTX_NON_COHERENT },
    { "aligned", ATX_PTX_NO_OP, FLAG, ATX_PTX_ALIGNED },
    { "sync", ATX_PTX_NO_OP, FLAG, ATX_PTX_SYNC },
    { "noinc", ATX_PTX_NO_OP, FLAG, ATX_PTX_NO_INCREMENT },

    { "rn rz rm rp rna rni rzi rmi rpi", ATX_PTX_NO_OP, ROUND, ATX_PTX_RN },
    { "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan", ATX_PTX_NO_OP, COMPARE, ATX_PTX_EQ },
    { "add inc dec min max and or xor exch cas popc", ATX_PTX_NO_OP, ACTION, ATX_PTX_DO_ADD },
    { "noftz", ATX_PTX_NO_OP, NOTHING, 0 }, /* of atom.add.f16, which has no other kind */
    { "cta cluster gpu sys", ATX_PTX_NO_OP, SCOPE, ATX_PTX_SCOPE_CTA },
    { "weak relaxed acquire release acq_rel sc volatile mmio", ATX_PTX_NO_OP, SEMANTICS, ATX_PTX_WEAK },
    { "v2", ATX_PTX_NO_OP, VECTOR, 2 },
    { "v4", ATX_PTX_NO_OP, VECTOR, 4 },
    { "v8", ATX_PTX_NO_OP, VECTOR, 8 },

    { "global shared shared::cluster local const param", ATX_PTX_NO_OP, SPACE, ATX_PTX_GLOBAL },
    { "shared::cta", ATX_PTX_NO_OP, SPACE, ATX_PTX_SHARED },
    { "param::entry", ATX_PTX_NO_OP, SPACE, ATX_PTX_PARAM },
    { "param::func", ATX_PTX_NO_OP, SPACE, ATX_PTX_PARAM },

    /* where a value is kept: no effect on what it is */
    { "cg", ATX_PTX_CP, FLAG, ATX_PTX_CACHED_GLOBAL },
    { "ca cg cs cv lu wb wt", ATX_PTX_NO_OP, NOTHING, 0 },
    { "L1 L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate", ATX_PTX_NO_OP,
      NOTHING, 0 },
    { "L2 L2::evict_normal L2::evict_unchanged L2::evict_first L2::evict_last", ATX_PTX_NO_OP, NOTHING, 0 },
    { "L2::64B L2::128B L2::256B", ATX_PTX_NO_OP, NOTHING, 0 },
    { "L2::cache_hint", ATX_PTX_NO_OP, FLAG, ATX_PTX_HINTED },
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

static bool is_word(const char *word, int len, const char *name)
{
    return strncmp(word, name, (size_t)len) == 0 && name[len] == '\0';
}

/* The number of the word among the blank-separated ones, from 0; -1: it is none of them. */
static int find_among(const char *words, const char *word, int len)
{
    for (int k = 0; *words; k++) {
        const size_t one = strcspn(words, " ");
        if (one == (size_t)len && memcmp(words, word, one) == 0)
            return k;
        words += one + (words[one] == ' ');
    }
    return -1;
}

/* ---- ops whose words are more than a table can say ---- */

/* A form that a word makes of the form that is there; 0: any. */
typedef struct step {
    const char *word;
    int op, before, after;
} step;

static const step steps[] = {
    { "async", ATX_PTX_CP, ATX_PTX_FORM_NONE, ATX_PTX_ASYNC_COPY },
    { "commit_group", ATX_PTX_CP, ATX_PTX_ASYNC_COPY, ATX_PTX_ASYNC_COMMIT },
    { "wait_group", ATX_PTX_CP, ATX_PTX_ASYNC_COPY, ATX_PTX_ASYNC_WAIT },
    { "wait_all", ATX_PTX_CP, ATX_PTX_ASYNC_COPY, ATX_PTX_ASYNC_WAIT_ALL },
    { "mbarrier", ATX_PTX_CP, ATX_PTX_ASYNC_COPY, ATX_PTX_ASYNC_ARRIVE },
    { "arrive", ATX_PTX_CP, ATX_PTX_ASYNC_ARRIVE, ATX_PTX_ASYNC_ARRIVE },
    { "bulk", ATX_PTX_CP, ATX_PTX_ASYNC_COPY, ATX_PTX_BULK_COPY },
    { "commit_group", ATX_PTX_CP, ATX_PTX_BULK_COPY, ATX_PTX_BULK_COMMIT },
    { "wait_group", ATX_PTX_CP, ATX_PTX_BULK_COPY, ATX_PTX_BULK_WAIT },
    { "read", ATX_PTX_CP, ATX_PTX_BULK_WAIT, ATX_PTX_BULK_WAIT_READ },
    { "bulk_group", ATX_PTX_CP, ATX_PTX_BULK_COPY, ATX_PTX_BULK_COPY },
    { "mbarrier::complete_tx::bytes", ATX_PTX_CP, ATX_PTX_BULK_COPY, ATX_PTX_BULK_COPY },
    { "async", ATX_PTX_ST, ATX_PTX_FORM_NONE, ATX_PTX_STORE_ASYNC },
    { "mbarrier::complete_tx::bytes", ATX_PTX_ST, ATX_PTX_STORE_ASYNC, ATX_PTX_STORE_ASYNC },
    { "sync", ATX_PTX_BAR, ATX_PTX_FORM_NONE, ATX_PTX_BAR_SYNC },
    { "sync", ATX_PTX_BAR, ATX_PTX_BAR_WARP, ATX_PTX_BAR_WARP },
    { "arrive", ATX_PTX_BAR, ATX_PTX_FORM_NONE, ATX_PTX_BAR_ARRIVE },
    { "red", ATX_PTX_BAR, ATX_PTX_FORM_NONE, ATX_PTX_BAR_RED },
    { "warp", ATX_PTX_BAR, ATX_PTX_FORM_NONE, ATX_PTX_BAR_WARP },
    { "cluster", ATX_PTX_BAR, ATX_PTX_FORM_NONE, ATX_PTX_BAR_CLUSTER_WAIT },
    { "arrive", ATX_PTX_BAR, ATX_PTX_BAR_CLUSTER_WAIT, ATX_PTX_BAR_CLUSTER_ARRIVE },
    { "wait", ATX_PTX_BAR, ATX_PTX_BAR_CLUSTER_WAIT, ATX_PTX_BAR_CLUSTER_WAIT },
    { "init", ATX_PTX_MBARRIER, ATX_PTX_FORM_NONE, ATX_PTX_MBAR_INIT },
    { "inval", ATX_PTX_MBARRIER, ATX_PTX_FORM_NONE, ATX_PTX_MBAR_INVAL },
    { "arrive", ATX_PTX_MBARRIER, ATX_PTX_FORM_NONE, ATX_PTX_MBAR_ARRIVE },
    { "arrive_drop", ATX_PTX_MBARRIER, ATX_PTX_FORM_NONE, ATX_PTX_MBAR_ARRIVE_DROP },
    { "expect_tx", ATX_PTX_MBARRIER, ATX_PTX_FORM_NONE, ATX_PTX_MBAR_EXPECT_TX },
    { "expect_tx", ATX_PTX_MBARRIER, ATX_PTX_MBAR_ARRIVE, ATX_PTX_MBAR_ARRIVE_EXPECT_TX },
    { "test_wait", ATX_PTX_MBARRIER, ATX_PTX_FORM_NONE, ATX_PTX_MBAR_TEST_WAIT },
    { "try_wait", ATX_PTX_MBARRIER, ATX_PTX_FORM_NONE, ATX_PTX_MBAR_TRY_WAIT },
    { "parity", ATX_PTX_MBARRIER, ATX_PTX_MBAR_TEST_WAIT, ATX_PTX_MBAR_TEST_WAIT_PARITY },
    { "parity", ATX_PTX_MBARRIER, ATX_PTX_MBAR_TRY_WAIT, ATX_PTX_MBAR_TRY_WAIT_PARITY },
    { "load", ATX_PTX_WMMA, ATX_PTX_FORM_NONE, ATX_PTX_WMMA_LOAD },
    { "a", ATX_PTX_WMMA, ATX_PTX_WMMA_LOAD, ATX_PTX_WMMA_LOAD_A },
    { "b", ATX_PTX_WMMA, ATX_PTX_WMMA_LOAD, ATX_PTX_WMMA_LOAD_B },
    { "c", ATX_PTX_WMMA, ATX_PTX_WMMA_LOAD, ATX_PTX_WMMA_LOAD_C },
    { "store", ATX_PTX_WMMA, ATX_PTX_FORM_NONE, ATX_PTX_WMMA_STORE },
    { "d", ATX_PTX_WMMA, ATX_PTX_WMMA_STORE, ATX_PTX_WMMA_STORE },
    { "mma", ATX_PTX_WMMA, ATX_PTX_FORM_NONE, ATX_PTX_WMMA_MMA },
};

static bool take_step(atx_ptx_instruction *i, const char *word, int len)
{
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        if (steps[k].op == i->op && steps[k].before == i->form && is_word(word, len, steps[k].word)) {
            i->form = (uint8_t)steps[k].after;
            return true;
        }
    return false;
}

static bool has_steps(int op)
{
    return op == ATX_PTX_CP || op == ATX_PTX_BAR || op == ATX_PTX_MBARRIER || op == ATX_PTX_ST ||
           op == ATX_PTX_WMMA;
}

/* ---- fields ---- */

static bool put_type(atx_ptx_instruction *i, int type)
{
    uint8_t *const places[] = { &i->type, &i->from, &i->more_types[0], &i->more_types[1] };
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        if (*places[k] == ATX_PTX_NO_TYPE) {
            *places[k] = (uint8_t)type;
            return true;
        }
    return false;
}

/* Copies name what they write first. */
static bool put_space(atx_ptx_instruction *i, int space)
{
    if (i->op == ATX_PTX_CP && i->to_space == ATX_PTX_GENERIC)
        i->to_space = (uint8_t)space;
    else if (i->space == ATX_PTX_GENERIC)
        i->space = (uint8_t)space;
    else
        return i->op == ATX_PTX_FENCE;
    return true;
}

static bool put_once(uint8_t *field, int value)
{
    if (*field)
        return false;
    *field = (uint8_t)value;
    return true;
}

static bool apply(atx_ptx_instruction *i, effect to, int value)
{
    switch (to) {
    case NOTHING:
        return true;
    case FLAG:
        i->flags |= (uint32_t)value;
        return true;
    case ROUND:
        return put_once(&i->round, value);
    case COMPARE:
        return put_once(&i->compare, value);
    case ACTION:
        return put_once(&i->action, value);
    case SCOPE:
        return put_once(&i->scope, value);
    case SEMANTICS:
        i->semantics = (uint8_t)value;
        return true;
    case VECTOR:
        i->vector = (uint8_t)value;
        return true;
    case FORM:
        return put_once(&i->form, value);
    case LAYOUT:
        return put_once(&i->layout[i->layout[0] != ATX_PTX_NO_LAYOUT], value);
    case SPACE:
        return put_space(i, value);
    }
    return false;
}

/* "m16n8k16" */
static bool put_shape(atx_ptx_instruction *i, const char *word, int len)
{
    static const char LETTERS[] = "mnk";
    uint16_t shape[3] = { 0 };
    int part = -1;
    if (i->op != ATX_PTX_MMA && i->op != ATX_PTX_WMMA)
        return false;
    for (int k = 0; k < len; k++)
        if (part < 2 && word[k] == LETTERS[part + 1])
            part++;
        else if (part >= 0 && word[k] >= '0' && word[k] <= '9' && shape[part] < 1000)
            shape[part] = (uint16_t)(10 * shape[part] + word[k] - '0');
        else
            return false;
    if (part != 2 || i->shape[0])
        return false;
    memcpy(i->shape, shape, sizeof shape);
    return true;
}

/* False: no row has the word. */
static bool apply_row(atx_ptx_instruction *i, const char *word, int len, bool *applied)
{
    const row *general = NULL, *own = NULL;
    int at = 0;
    for (int k = 0; k < ROW_COUNT && !own; k++) {
        const row *r = &rows[k];
        const int found = r->op == ATX_PTX_NO_OP || r->op == i->op ? find_among(r->words, word, len) : -1;
        if (found < 0)
            continue;
        at = found;
        *(r->op == i->op ? &own : &general) = r;
    }
    const row *r = own ? own : general;
    *applied = r && apply(i, r->effect, r->effect == NOTHING ? 0 : r->value + at);
    return r != NULL;
}

static int find_type(const char *word, int len)
{
    for (int type = ATX_PTX_PRED; type < ATX_PTX_TYPE_COUNT; type++)
        if (is_word(word, len, atx_ptx_type_name(type)))
            return type;
    return ATX_PTX_NO_TYPE;
}

bool atx_ptx_apply_word(atx_ptx_instruction *i, const char *word, int len)
{
    if (has_steps(i->op) && take_step(i, word, len))
        return true;
    const int type = find_type(word, len);
    if (type != ATX_PTX_NO_TYPE)
        return put_type(i, type);
    bool applied;
    return apply_row(i, word, len, &applied) ? applied : put_shape(i, word, len);
}

int atx_ptx_find_op(const char *word, int len)
{
    static const struct {
        const char *word;
        int op;
    } OTHERS[] = { { "barrier", ATX_PTX_BAR }, { "membar", ATX_PTX_FENCE } };
    for (size_t k = 0; k < sizeof OTHERS / sizeof *OTHERS; k++)
        if (is_word(word, len, OTHERS[k].word))
            return OTHERS[k].op;
    for (int op = ATX_PTX_NO_OP + 1; op < ATX_PTX_OP_COUNT; op++)
        if (is_word(word, len, atx_ptx_op_name(op)))
            return op;
    return ATX_PTX_NO_OP;
}

int atx_ptx_find_special(const char *word, int len)
{
    static const char *const NAMES[] = {
#define ATX_PTX_SPECIAL(NAME, text) text,
#include "ptx/ptx_ops.h"
#undef ATX_PTX_SPECIAL
    };
    for (int i = 0; i < ATX_PTX_SPECIAL_COUNT; i++)
        if (is_word(word, len, NAMES[i]))
            return i;
    return -1;
}
