/*
 * ptx_words.c - what the words behind the points mean. One table: a word sets one field, of any instruction
 * or of one op alone; rows of an op are looked at first. Whether a combination exists is not asked here: who
 * executes it knows what it can do, and refuses the rest.
 */
#include "ptx/ptx_parts.h"

#include <string.h>

/* What a row does with its value. */
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
    SPACE
} effect;

typedef struct row {
    const char *word;
    int op; /* AT__PTX_NO_OP: any */
    effect effect;
    int value;
} row;

static const row rows[] = {
    /* forms of one op */
    { "up", AT__PTX_SHFL, FORM, AT__PTX_SHFL_UP },
    { "down", AT__PTX_SHFL, FORM, AT__PTX_SHFL_DOWN },
    { "bfly", AT__PTX_SHFL, FORM, AT__PTX_SHFL_BFLY },
    { "idx", AT__PTX_SHFL, FORM, AT__PTX_SHFL_IDX },
    { "idx", AT__PTX_BRX, NOTHING, 0 },
    { "any", AT__PTX_MATCH, FORM, AT__PTX_MATCH_ANY },
    { "all", AT__PTX_MATCH, FORM, AT__PTX_MATCH_ALL },
    { "f4e", AT__PTX_PRMT, FORM, AT__PTX_PRMT_F4E },
    { "b4e", AT__PTX_PRMT, FORM, AT__PTX_PRMT_B4E },
    { "rc8", AT__PTX_PRMT, FORM, AT__PTX_PRMT_RC8 },
    { "ecl", AT__PTX_PRMT, FORM, AT__PTX_PRMT_ECL },
    { "ecr", AT__PTX_PRMT, FORM, AT__PTX_PRMT_ECR },
    { "rc16", AT__PTX_PRMT, FORM, AT__PTX_PRMT_RC16 },
    { "finite", AT__PTX_TESTP, FORM, AT__PTX_TEST_FINITE },
    { "infinite", AT__PTX_TESTP, FORM, AT__PTX_TEST_INFINITE },
    { "number", AT__PTX_TESTP, FORM, AT__PTX_TEST_NUMBER },
    { "notanumber", AT__PTX_TESTP, FORM, AT__PTX_TEST_NOT_NUMBER },
    { "normal", AT__PTX_TESTP, FORM, AT__PTX_TEST_NORMAL },
    { "subnormal", AT__PTX_TESTP, FORM, AT__PTX_TEST_SUBNORMAL },
    { "m8n8k4", AT__PTX_MMA, FORM, AT__PTX_MMA_M8N8K4 },
    { "m16n8k4", AT__PTX_MMA, FORM, AT__PTX_MMA_M16N8K4 },
    { "m16n8k8", AT__PTX_MMA, FORM, AT__PTX_MMA_M16N8K8 },
    { "m16n8k16", AT__PTX_MMA, FORM, AT__PTX_MMA_M16N8K16 },
    { "row", AT__PTX_MMA, NOTHING, 0 },
    { "col", AT__PTX_MMA, NOTHING, 0 },
    { "m8n8", AT__PTX_LDMATRIX, NOTHING, 0 },
    { "m8n8", AT__PTX_STMATRIX, NOTHING, 0 },
    { "m8n8", AT__PTX_MOVMATRIX, NOTHING, 0 },
    { "trans", AT__PTX_NO_OP, FLAG, AT__PTX_TRANSPOSED },
    { "x1", AT__PTX_NO_OP, VECTOR, 1 },
    { "x2", AT__PTX_NO_OP, VECTOR, 2 },
    { "x4", AT__PTX_NO_OP, VECTOR, 4 },
    { "to", AT__PTX_CVTA, FLAG, AT__PTX_TO_SPACE },
    { "shiftamt", AT__PTX_BFIND, FLAG, AT__PTX_SHIFT_AMOUNT },
    { "l", AT__PTX_SHF, FLAG, AT__PTX_LEFT },
    { "r", AT__PTX_SHF, NOTHING, 0 },
    { "clamp", AT__PTX_NO_OP, FLAG, AT__PTX_CLAMP },
    { "wrap", AT__PTX_NO_OP, FLAG, AT__PTX_WRAP },
    { "wide", AT__PTX_NO_OP, FLAG, AT__PTX_WIDE },
    { "hi", AT__PTX_MUL, FLAG, AT__PTX_HI_HALF },
    { "hi", AT__PTX_MAD, FLAG, AT__PTX_HI_HALF },
    { "hi", AT__PTX_MADC, FLAG, AT__PTX_HI_HALF },
    { "hi", AT__PTX_MUL24, FLAG, AT__PTX_HI_HALF },
    { "hi", AT__PTX_MAD24, FLAG, AT__PTX_HI_HALF },
    { "hi", AT__PTX_DP2A, FLAG, AT__PTX_HI_HALF },
    { "lo", AT__PTX_MUL, FLAG, AT__PTX_LO_HALF },
    { "lo", AT__PTX_MAD, FLAG, AT__PTX_LO_HALF },
    { "lo", AT__PTX_MADC, FLAG, AT__PTX_LO_HALF },
    { "lo", AT__PTX_MUL24, FLAG, AT__PTX_LO_HALF },
    { "lo", AT__PTX_MAD24, FLAG, AT__PTX_LO_HALF },
    { "lo", AT__PTX_DP2A, FLAG, AT__PTX_LO_HALF },
    { "uni", AT__PTX_VOTE, ACTION, AT__PTX_DO_UNI },
    { "uni", AT__PTX_NO_OP, FLAG, AT__PTX_UNIFORM },
    { "all", AT__PTX_VOTE, ACTION, AT__PTX_DO_ALL },
    { "any", AT__PTX_VOTE, ACTION, AT__PTX_DO_ANY },
    { "ballot", AT__PTX_VOTE, ACTION, AT__PTX_DO_BALLOT },
    { "proxy", AT__PTX_FENCE, FORM, AT__PTX_FENCE_PROXY },
    { "async", AT__PTX_FENCE, NOTHING, 0 },
    { "proxy::async", AT__PTX_FENCE, FORM, AT__PTX_FENCE_PROXY },
    { "proxy::alias", AT__PTX_FENCE, FORM, AT__PTX_FENCE_PROXY },
    { "mbarrier_init", AT__PTX_FENCE, NOTHING, 0 },
    { "gl", AT__PTX_FENCE, SCOPE, AT__PTX_SCOPE_GPU },
    { "fractional", AT__PTX_CREATEPOLICY, NOTHING, 0 },
    { "range", AT__PTX_CREATEPOLICY, NOTHING, 0 },
    { "launch_dependents", AT__PTX_GRIDDEPCONTROL, NOTHING, 0 },
    { "wait", AT__PTX_GRIDDEPCONTROL, NOTHING, 0 },
    { "L1", AT__PTX_NO_OP, NOTHING, 0 },
    { "L2", AT__PTX_NO_OP, NOTHING, 0 },

    /* flags */
    { "ftz", AT__PTX_NO_OP, FLAG, AT__PTX_FTZ },
    { "sat", AT__PTX_NO_OP, FLAG, AT__PTX_SAT },
    { "satfinite", AT__PTX_NO_OP, FLAG, AT__PTX_SAT },
    { "approx", AT__PTX_NO_OP, FLAG, AT__PTX_APPROX },
    { "full", AT__PTX_NO_OP, FLAG, AT__PTX_FULL },
    { "cc", AT__PTX_NO_OP, FLAG, AT__PTX_CC },
    { "NaN", AT__PTX_NO_OP, FLAG, AT__PTX_NAN_RESULT },
    { "xorsign", AT__PTX_NO_OP, FLAG, AT__PTX_XORSIGN },
    { "abs", AT__PTX_NO_OP, FLAG, AT__PTX_ABS_RESULT },
    { "relu", AT__PTX_NO_OP, FLAG, AT__PTX_RELU },
    { "nc", AT__PTX_NO_OP, FLAG, AT__PTX_NON_COHERENT },
    { "aligned", AT__PTX_NO_OP, FLAG, AT__PTX_ALIGNED },
    { "sync", AT__PTX_NO_OP, FLAG, AT__PTX_SYNC },
    { "noinc", AT__PTX_NO_OP, FLAG, AT__PTX_NO_INCREMENT },

    { "rn", AT__PTX_NO_OP, ROUND, AT__PTX_RN },
    { "rz", AT__PTX_NO_OP, ROUND, AT__PTX_RZ },
    { "rm", AT__PTX_NO_OP, ROUND, AT__PTX_RM },
    { "rp", AT__PTX_NO_OP, ROUND, AT__PTX_RP },
    { "rna", AT__PTX_NO_OP, ROUND, AT__PTX_RNA },
    { "rni", AT__PTX_NO_OP, ROUND, AT__PTX_RNI },
    { "rzi", AT__PTX_NO_OP, ROUND, AT__PTX_RZI },
    { "rmi", AT__PTX_NO_OP, ROUND, AT__PTX_RMI },
    { "rpi", AT__PTX_NO_OP, ROUND, AT__PTX_RPI },

    { "eq", AT__PTX_NO_OP, COMPARE, AT__PTX_EQ },
    { "ne", AT__PTX_NO_OP, COMPARE, AT__PTX_NE },
    { "lt", AT__PTX_NO_OP, COMPARE, AT__PTX_LT },
    { "le", AT__PTX_NO_OP, COMPARE, AT__PTX_LE },
    { "gt", AT__PTX_NO_OP, COMPARE, AT__PTX_GT },
    { "ge", AT__PTX_NO_OP, COMPARE, AT__PTX_GE },
    { "lo", AT__PTX_NO_OP, COMPARE, AT__PTX_LO },
    { "ls", AT__PTX_NO_OP, COMPARE, AT__PTX_LS },
    { "hi", AT__PTX_NO_OP, COMPARE, AT__PTX_HI },
    { "hs", AT__PTX_NO_OP, COMPARE, AT__PTX_HS },
    { "equ", AT__PTX_NO_OP, COMPARE, AT__PTX_EQU },
    { "neu", AT__PTX_NO_OP, COMPARE, AT__PTX_NEU },
    { "ltu", AT__PTX_NO_OP, COMPARE, AT__PTX_LTU },
    { "leu", AT__PTX_NO_OP, COMPARE, AT__PTX_LEU },
    { "gtu", AT__PTX_NO_OP, COMPARE, AT__PTX_GTU },
    { "geu", AT__PTX_NO_OP, COMPARE, AT__PTX_GEU },
    { "num", AT__PTX_NO_OP, COMPARE, AT__PTX_NUM },
    { "nan", AT__PTX_NO_OP, COMPARE, AT__PTX_NAN },

    { "add", AT__PTX_NO_OP, ACTION, AT__PTX_DO_ADD },
    { "inc", AT__PTX_NO_OP, ACTION, AT__PTX_DO_INC },
    { "dec", AT__PTX_NO_OP, ACTION, AT__PTX_DO_DEC },
    { "min", AT__PTX_NO_OP, ACTION, AT__PTX_DO_MIN },
    { "max", AT__PTX_NO_OP, ACTION, AT__PTX_DO_MAX },
    { "and", AT__PTX_NO_OP, ACTION, AT__PTX_DO_AND },
    { "or", AT__PTX_NO_OP, ACTION, AT__PTX_DO_OR },
    { "xor", AT__PTX_NO_OP, ACTION, AT__PTX_DO_XOR },
    { "exch", AT__PTX_NO_OP, ACTION, AT__PTX_DO_EXCH },
    { "cas", AT__PTX_NO_OP, ACTION, AT__PTX_DO_CAS },
    { "popc", AT__PTX_NO_OP, ACTION, AT__PTX_DO_POPC },
    { "noftz", AT__PTX_NO_OP, NOTHING, 0 }, /* of atom.add.f16, which has no other kind */

    { "cta", AT__PTX_NO_OP, SCOPE, AT__PTX_SCOPE_CTA },
    { "cluster", AT__PTX_NO_OP, SCOPE, AT__PTX_SCOPE_CLUSTER },
    { "gpu", AT__PTX_NO_OP, SCOPE, AT__PTX_SCOPE_GPU },
    { "sys", AT__PTX_NO_OP, SCOPE, AT__PTX_SCOPE_SYS },
    { "weak", AT__PTX_NO_OP, SEMANTICS, AT__PTX_WEAK },
    { "relaxed", AT__PTX_NO_OP, SEMANTICS, AT__PTX_RELAXED },
    { "acquire", AT__PTX_NO_OP, SEMANTICS, AT__PTX_ACQUIRE },
    { "release", AT__PTX_NO_OP, SEMANTICS, AT__PTX_RELEASE },
    { "acq_rel", AT__PTX_NO_OP, SEMANTICS, AT__PTX_ACQ_REL },
    { "sc", AT__PTX_NO_OP, SEMANTICS, AT__PTX_SC },
    { "volatile", AT__PTX_NO_OP, SEMANTICS, AT__PTX_VOLATILE },
    { "mmio", AT__PTX_NO_OP, SEMANTICS, AT__PTX_MMIO },

    { "v2", AT__PTX_NO_OP, VECTOR, 2 },
    { "v4", AT__PTX_NO_OP, VECTOR, 4 },
    { "v8", AT__PTX_NO_OP, VECTOR, 8 },

    { "global", AT__PTX_NO_OP, SPACE, AT__PTX_GLOBAL },
    { "shared", AT__PTX_NO_OP, SPACE, AT__PTX_SHARED },
    { "shared::cta", AT__PTX_NO_OP, SPACE, AT__PTX_SHARED },
    { "shared::cluster", AT__PTX_NO_OP, SPACE, AT__PTX_SHARED_CLUSTER },
    { "local", AT__PTX_NO_OP, SPACE, AT__PTX_LOCAL },
    { "const", AT__PTX_NO_OP, SPACE, AT__PTX_CONST },
    { "param", AT__PTX_NO_OP, SPACE, AT__PTX_PARAM },
    { "param::entry", AT__PTX_NO_OP, SPACE, AT__PTX_PARAM },
    { "param::func", AT__PTX_NO_OP, SPACE, AT__PTX_PARAM },

    /* where a value is kept: no effect on what it is */
    { "cg", AT__PTX_CP, FLAG, AT__PTX_CACHED_GLOBAL },
    { "ca", AT__PTX_NO_OP, NOTHING, 0 },
    { "cg", AT__PTX_NO_OP, NOTHING, 0 },
    { "cs", AT__PTX_NO_OP, NOTHING, 0 },
    { "cv", AT__PTX_NO_OP, NOTHING, 0 },
    { "lu", AT__PTX_NO_OP, NOTHING, 0 },
    { "wb", AT__PTX_NO_OP, NOTHING, 0 },
    { "wt", AT__PTX_NO_OP, NOTHING, 0 },
    { "L1::evict_normal", AT__PTX_NO_OP, NOTHING, 0 },
    { "L1::evict_unchanged", AT__PTX_NO_OP, NOTHING, 0 },
    { "L1::evict_first", AT__PTX_NO_OP, NOTHING, 0 },
    { "L1::evict_last", AT__PTX_NO_OP, NOTHING, 0 },
    { "L1::no_allocate", AT__PTX_NO_OP, NOTHING, 0 },
    { "L2::evict_normal", AT__PTX_NO_OP, NOTHING, 0 },
    { "L2::evict_unchanged", AT__PTX_NO_OP, NOTHING, 0 },
    { "L2::evict_first", AT__PTX_NO_OP, NOTHING, 0 },
    { "L2::evict_last", AT__PTX_NO_OP, NOTHING, 0 },
    { "L2::64B", AT__PTX_NO_OP, NOTHING, 0 },
    { "L2::128B", AT__PTX_NO_OP, NOTHING, 0 },
    { "L2::256B", AT__PTX_NO_OP, NOTHING, 0 },
    { "L2::cache_hint", AT__PTX_NO_OP, FLAG, AT__PTX_HINTED },
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

static bool is_word(const char *word, int len, const char *name)
{
    return strncmp(word, name, (size_t)len) == 0 && name[len] == '\0';
}

/* ---- ops whose words are more than a table can say ---- */

/* A form that a word makes of the form that is there; 0: any. */
typedef struct step {
    const char *word;
    int op, before, after;
} step;

static const step steps[] = {
    { "async", AT__PTX_CP, AT__PTX_FORM_NONE, AT__PTX_ASYNC_COPY },
    { "commit_group", AT__PTX_CP, AT__PTX_ASYNC_COPY, AT__PTX_ASYNC_COMMIT },
    { "wait_group", AT__PTX_CP, AT__PTX_ASYNC_COPY, AT__PTX_ASYNC_WAIT },
    { "wait_all", AT__PTX_CP, AT__PTX_ASYNC_COPY, AT__PTX_ASYNC_WAIT_ALL },
    { "mbarrier", AT__PTX_CP, AT__PTX_ASYNC_COPY, AT__PTX_ASYNC_ARRIVE },
    { "arrive", AT__PTX_CP, AT__PTX_ASYNC_ARRIVE, AT__PTX_ASYNC_ARRIVE },
    { "bulk", AT__PTX_CP, AT__PTX_ASYNC_COPY, AT__PTX_BULK_COPY },
    { "commit_group", AT__PTX_CP, AT__PTX_BULK_COPY, AT__PTX_BULK_COMMIT },
    { "wait_group", AT__PTX_CP, AT__PTX_BULK_COPY, AT__PTX_BULK_WAIT },
    { "read", AT__PTX_CP, AT__PTX_BULK_WAIT, AT__PTX_BULK_WAIT_READ },
    { "bulk_group", AT__PTX_CP, AT__PTX_BULK_COPY, AT__PTX_BULK_COPY },
    { "mbarrier::complete_tx::bytes", AT__PTX_CP, AT__PTX_BULK_COPY, AT__PTX_BULK_COPY },
    { "async", AT__PTX_ST, AT__PTX_FORM_NONE, AT__PTX_STORE_ASYNC },
    { "mbarrier::complete_tx::bytes", AT__PTX_ST, AT__PTX_STORE_ASYNC, AT__PTX_STORE_ASYNC },
    { "sync", AT__PTX_BAR, AT__PTX_FORM_NONE, AT__PTX_BAR_SYNC },
    { "sync", AT__PTX_BAR, AT__PTX_BAR_WARP, AT__PTX_BAR_WARP },
    { "arrive", AT__PTX_BAR, AT__PTX_FORM_NONE, AT__PTX_BAR_ARRIVE },
    { "red", AT__PTX_BAR, AT__PTX_FORM_NONE, AT__PTX_BAR_RED },
    { "warp", AT__PTX_BAR, AT__PTX_FORM_NONE, AT__PTX_BAR_WARP },
    { "cluster", AT__PTX_BAR, AT__PTX_FORM_NONE, AT__PTX_BAR_CLUSTER_WAIT },
    { "arrive", AT__PTX_BAR, AT__PTX_BAR_CLUSTER_WAIT, AT__PTX_BAR_CLUSTER_ARRIVE },
    { "wait", AT__PTX_BAR, AT__PTX_BAR_CLUSTER_WAIT, AT__PTX_BAR_CLUSTER_WAIT },
    { "init", AT__PTX_MBARRIER, AT__PTX_FORM_NONE, AT__PTX_MBAR_INIT },
    { "inval", AT__PTX_MBARRIER, AT__PTX_FORM_NONE, AT__PTX_MBAR_INVAL },
    { "arrive", AT__PTX_MBARRIER, AT__PTX_FORM_NONE, AT__PTX_MBAR_ARRIVE },
    { "arrive_drop", AT__PTX_MBARRIER, AT__PTX_FORM_NONE, AT__PTX_MBAR_ARRIVE_DROP },
    { "expect_tx", AT__PTX_MBARRIER, AT__PTX_FORM_NONE, AT__PTX_MBAR_EXPECT_TX },
    { "expect_tx", AT__PTX_MBARRIER, AT__PTX_MBAR_ARRIVE, AT__PTX_MBAR_ARRIVE_EXPECT_TX },
    { "test_wait", AT__PTX_MBARRIER, AT__PTX_FORM_NONE, AT__PTX_MBAR_TEST_WAIT },
    { "try_wait", AT__PTX_MBARRIER, AT__PTX_FORM_NONE, AT__PTX_MBAR_TRY_WAIT },
    { "parity", AT__PTX_MBARRIER, AT__PTX_MBAR_TEST_WAIT, AT__PTX_MBAR_TEST_WAIT_PARITY },
    { "parity", AT__PTX_MBARRIER, AT__PTX_MBAR_TRY_WAIT, AT__PTX_MBAR_TRY_WAIT_PARITY },
};

static bool take_step(at__ptx_instruction *i, const char *word, int len)
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
    return op == AT__PTX_CP || op == AT__PTX_BAR || op == AT__PTX_MBARRIER || op == AT__PTX_ST;
}

/* ---- fields ---- */

static bool put_type(at__ptx_instruction *i, int type)
{
    uint8_t *const places[] = { &i->type, &i->from, &i->more_types[0], &i->more_types[1] };
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        if (*places[k] == AT__PTX_NO_TYPE) {
            *places[k] = (uint8_t)type;
            return true;
        }
    return false;
}

/* Copies name what they write first. */
static bool put_space(at__ptx_instruction *i, int space)
{
    if (i->op == AT__PTX_CP && i->to_space == AT__PTX_GENERIC)
        i->to_space = (uint8_t)space;
    else if (i->space == AT__PTX_GENERIC)
        i->space = (uint8_t)space;
    else
        return i->op == AT__PTX_FENCE;
    return true;
}

static bool put_once(uint8_t *field, int value)
{
    if (*field)
        return false;
    *field = (uint8_t)value;
    return true;
}

static bool apply(at__ptx_instruction *i, const row *r)
{
    switch (r->effect) {
    case NOTHING:
        return true;
    case FLAG:
        i->flags |= (uint32_t)r->value;
        return true;
    case ROUND:
        return put_once(&i->round, r->value);
    case COMPARE:
        return put_once(&i->compare, r->value);
    case ACTION:
        return put_once(&i->action, r->value);
    case SCOPE:
        return put_once(&i->scope, r->value);
    case SEMANTICS:
        i->semantics = (uint8_t)r->value;
        return true;
    case VECTOR:
        i->vector = (uint8_t)r->value;
        return true;
    case FORM:
        return put_once(&i->form, r->value);
    case SPACE:
        return put_space(i, r->value);
    }
    return false;
}

static const row *find_row(int op, const char *word, int len)
{
    const row *general = NULL;
    for (int k = 0; k < ROW_COUNT; k++) {
        const row *r = &rows[k];
        if ((r->op != AT__PTX_NO_OP && r->op != op) || !is_word(word, len, r->word))
            continue;
        if (r->op == op)
            return r;
        general = r;
    }
    return general;
}

static int find_type(const char *word, int len)
{
    for (int type = AT__PTX_PRED; type < AT__PTX_TYPE_COUNT; type++)
        if (is_word(word, len, at__ptx_type_name(type)))
            return type;
    return AT__PTX_NO_TYPE;
}

bool at__ptx_apply_word(at__ptx_instruction *i, const char *word, int len)
{
    if (has_steps(i->op) && take_step(i, word, len))
        return true;
    const int type = find_type(word, len);
    if (type != AT__PTX_NO_TYPE)
        return put_type(i, type);
    const row *r = find_row(i->op, word, len);
    return r && apply(i, r);
}

int at__ptx_find_op(const char *word, int len)
{
    static const struct {
        const char *word;
        int op;
    } OTHERS[] = { { "barrier", AT__PTX_BAR }, { "membar", AT__PTX_FENCE } };
    for (size_t k = 0; k < sizeof OTHERS / sizeof *OTHERS; k++)
        if (is_word(word, len, OTHERS[k].word))
            return OTHERS[k].op;
    for (int op = AT__PTX_NO_OP + 1; op < AT__PTX_OP_COUNT; op++)
        if (is_word(word, len, at__ptx_op_name(op)))
            return op;
    return AT__PTX_NO_OP;
}

int at__ptx_find_special(const char *word, int len)
{
    static const char *const NAMES[] = {
#define AT__PTX_SPECIAL(NAME, text) text,
#include "ptx/ptx_ops.h"
#undef AT__PTX_SPECIAL
    };
    for (int i = 0; i < AT__PTX_SPECIAL_COUNT; i++)
        if (is_word(word, len, NAMES[i]))
            return i;
    return -1;
}
