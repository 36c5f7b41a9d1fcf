/*
 * ptx.h - PTX as text, taken apart: a module of variables and functions, each function a list of typed
 * instructions with the line of the source (.loc) and of the text that they come from.
 *
 * What is not known is refused by name, with both lines: nothing that parses is guessed at later. Names are
 * borrowed from the module, which owns all. Read-only after parsing: thread-safe.
 */
#ifndef AUTOTUNE_PTX_H
#define AUTOTUNE_PTX_H

#include <autotune/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AT__PTX_MAX_VECTOR = 64, AT__PTX_NO_INDEX = -1 };

/* The order within a kind is that of the size. */
typedef enum at__ptx_type {
    AT__PTX_NO_TYPE,
    AT__PTX_PRED,
    AT__PTX_B8,
    AT__PTX_B16,
    AT__PTX_B32,
    AT__PTX_B64,
    AT__PTX_B128,
    AT__PTX_U8,
    AT__PTX_U16,
    AT__PTX_U32,
    AT__PTX_U64,
    AT__PTX_S8,
    AT__PTX_S16,
    AT__PTX_S32,
    AT__PTX_S64,
    AT__PTX_F16,
    AT__PTX_F16X2,
    AT__PTX_BF16,
    AT__PTX_BF16X2,
    AT__PTX_TF32,
    AT__PTX_F32,
    AT__PTX_F64,
    AT__PTX_F32X2,
    AT__PTX_E4M3X2,
    AT__PTX_E5M2X2,
    AT__PTX_U16X2,
    AT__PTX_S16X2,
    AT__PTX_TYPE_COUNT
} at__ptx_type;

typedef enum at__ptx_space {
    AT__PTX_GENERIC, /* also of instructions that name none */
    AT__PTX_GLOBAL,
    AT__PTX_SHARED, /* .shared and .shared::cta */
    AT__PTX_SHARED_CLUSTER,
    AT__PTX_LOCAL,
    AT__PTX_CONST,
    AT__PTX_PARAM
} at__ptx_space;

/* One word of PTX each, without what follows the first point; several forms share one. */
typedef enum at__ptx_op {
#define AT__PTX_OP(NAME, text) AT__PTX_##NAME,
#include "ptx/ptx_ops.h"
#undef AT__PTX_OP
    AT__PTX_OP_COUNT
} at__ptx_op;

typedef enum at__ptx_round {
    AT__PTX_ROUND_NONE,
    AT__PTX_RN,
    AT__PTX_RZ,
    AT__PTX_RM,
    AT__PTX_RP,
    AT__PTX_RNA,
    AT__PTX_RNI, /* to an integer */
    AT__PTX_RZI,
    AT__PTX_RMI,
    AT__PTX_RPI,
    AT__PTX_RS /* stochastic: refused */
} at__ptx_round;

typedef enum at__ptx_compare { /* of setp and set; ..U: also true where a number is none (NaN) */
                               AT__PTX_NO_COMPARE,
                               AT__PTX_EQ,
                               AT__PTX_NE,
                               AT__PTX_LT,
                               AT__PTX_LE,
                               AT__PTX_GT,
                               AT__PTX_GE,
                               AT__PTX_LO, /* unsigned, whatever the type is */
                               AT__PTX_LS,
                               AT__PTX_HI,
                               AT__PTX_HS,
                               AT__PTX_EQU,
                               AT__PTX_NEU,
                               AT__PTX_LTU,
                               AT__PTX_LEU,
                               AT__PTX_GTU,
                               AT__PTX_GEU,
                               AT__PTX_NUM,
                               AT__PTX_NAN
} at__ptx_compare;

/* What an atom, red, redux, setp, set, vote or bar.red does with its operands. */
typedef enum at__ptx_action {
    AT__PTX_NO_ACTION,
    AT__PTX_DO_ADD,
    AT__PTX_DO_INC,
    AT__PTX_DO_DEC,
    AT__PTX_DO_MIN,
    AT__PTX_DO_MAX,
    AT__PTX_DO_AND,
    AT__PTX_DO_OR,
    AT__PTX_DO_XOR,
    AT__PTX_DO_EXCH,
    AT__PTX_DO_CAS,
    AT__PTX_DO_POPC,
    AT__PTX_DO_ALL,
    AT__PTX_DO_ANY,
    AT__PTX_DO_UNI,
    AT__PTX_DO_BALLOT
} at__ptx_action;

typedef enum at__ptx_scope {
    AT__PTX_NO_SCOPE,
    AT__PTX_SCOPE_CTA,
    AT__PTX_SCOPE_CLUSTER,
    AT__PTX_SCOPE_GPU,
    AT__PTX_SCOPE_SYS
} at__ptx_scope;

typedef enum at__ptx_semantics {
    AT__PTX_WEAK,
    AT__PTX_RELAXED,
    AT__PTX_ACQUIRE,
    AT__PTX_RELEASE,
    AT__PTX_ACQ_REL,
    AT__PTX_SC,
    AT__PTX_VOLATILE,
    AT__PTX_MMIO
} at__ptx_semantics;

/* Registers that hold what the hardware knows. */
typedef enum at__ptx_special {
#define AT__PTX_SPECIAL(NAME, text) AT__PTX_SPECIAL_##NAME,
#include "ptx/ptx_ops.h"
#undef AT__PTX_SPECIAL
    AT__PTX_SPECIAL_COUNT
} at__ptx_special;

typedef enum at__ptx_operand_kind {
    AT__PTX_NOTHING,    /* "_": a result that nobody wants          */
    AT__PTX_REGISTER,   /* index: of the function's registers       */
    AT__PTX_NUMBER,     /* value: bits of the instruction's type    */
    AT__PTX_SPECIAL_OF, /* index: at__ptx_special                   */
    AT__PTX_ADDRESS,    /* [register + value], [variable + value], [value] */
    AT__PTX_VARIABLE,   /* index: the variable whose address is meant, plus value */
    AT__PTX_LABEL,      /* index: of an instruction, may be one past the last     */
    AT__PTX_FUNCTION,   /* index: of the module's functions         */
    AT__PTX_TABLE       /* index: of the function's branch tables   */
} at__ptx_operand_kind;

/* Where `index` of an ADDRESS points. */
typedef enum at__ptx_base { AT__PTX_BASE_NONE, AT__PTX_BASE_REGISTER, AT__PTX_BASE_VARIABLE } at__ptx_base;

typedef struct at__ptx_operand {
    uint8_t kind;      /* at__ptx_operand_kind                      */
    uint8_t base;      /* of an ADDRESS: at__ptx_base               */
    bool negated;      /* !%p                                       */
    uint8_t real_bits; /* of a NUMBER: 32 for 0f.., 64 for 0d.. and 1.5, as bits in `value`; 0: an integer */
    int32_t index;
    int64_t value;
} at__ptx_operand;

/* Bits of at__ptx_instruction.flags. */
enum {
    AT__PTX_FTZ = 1 << 0,
    AT__PTX_SAT = 1 << 1,
    AT__PTX_APPROX = 1 << 2,
    AT__PTX_FULL = 1 << 3,
    AT__PTX_WIDE = 1 << 4,
    AT__PTX_HI_HALF = 1 << 5, /* mul.hi, mad.hi */
    AT__PTX_LO_HALF = 1 << 6,
    AT__PTX_CC = 1 << 7,          /* add.cc: writes the carry */
    AT__PTX_CARRY_IN = 1 << 8,    /* addc, subc, madc         */
    AT__PTX_UNIFORM = 1 << 9,     /* bra.uni                  */
    AT__PTX_NAN_RESULT = 1 << 10, /* min.NaN               */
    AT__PTX_XORSIGN = 1 << 11,
    AT__PTX_ABS_RESULT = 1 << 12,
    AT__PTX_RELU = 1 << 13,
    AT__PTX_NON_COHERENT = 1 << 14, /* ld.global.nc        */
    AT__PTX_ALIGNED = 1 << 15,      /* bar.sync, barrier.sync.aligned, ldmatrix.aligned */
    AT__PTX_TRANSPOSED = 1 << 16,   /* ldmatrix.trans      */
    AT__PTX_NO_INCREMENT = 1 << 17, /* cp.async.mbarrier.arrive.noinc */
    AT__PTX_TO_SPACE = 1 << 18,     /* cvta.to             */
    AT__PTX_SHIFT_AMOUNT = 1 << 19, /* bfind.shiftamt      */
    AT__PTX_CLAMP = 1 << 20,        /* shf.clamp           */
    AT__PTX_WRAP = 1 << 21,
    AT__PTX_LEFT = 1 << 22,    /* shf.l */
    AT__PTX_SYNC = 1 << 23,    /* of all lanes of a mask: shfl.sync, bar.warp.sync, barrier.cluster.wait */
    AT__PTX_INEXACT = 1 << 24, /* the ISA leaves the last bits of the result open: compare with a tolerance */
    AT__PTX_HINTED = 1 << 25,  /* has a cache policy as its last operand: no effect here */
    AT__PTX_CACHED_GLOBAL = 1 << 26 /* cp.async.cg */
};

enum { AT__PTX_GROUPS = 6 };

/*
 * operands[first .. first+sum of width) of the function, by groups: a group is one operand as written, a
 * vector {..} one of several. Results come first.
 */
typedef struct at__ptx_instruction {
    uint16_t op;             /* at__ptx_op                                        */
    uint8_t more_types[2];   /* of mma: the second factor's, the addend's */
    uint8_t type, from;      /* at__ptx_type: of the result; of what cvt, set, mad.wide.. read from */
    uint8_t space, to_space; /* at__ptx_space; cp.async: from `space` to `to_space` */
    uint8_t round, compare, action, scope, semantics;
    uint8_t vector; /* 1, 2, 4, 8: elements of a memory access            */
    uint8_t form;   /* an at__ptx_form, what tells forms of one op apart  */
    uint8_t group_count;
    uint8_t width[AT__PTX_GROUPS]; /* operands of each group                    */
    uint32_t flags;
    uint32_t first; /* operand                                               */
    int32_t guard;  /* register of @%p; AT__PTX_NO_INDEX                     */
    bool guard_negated;
    int32_t file;                   /* of the source, of the module's files; AT__PTX_NO_INDEX: no .loc      */
    int32_t line;                   /* likewise; where code was inlined, the innermost       */
    int32_t outer_file, outer_line; /* where the outermost call to it is; else the same */
    int32_t text_line;              /* of the PTX, from 1                                    */
} at__ptx_instruction;

/* Forms of ops that have several; others are AT__PTX_FORM_NONE. */
typedef enum at__ptx_form {
    AT__PTX_FORM_NONE,
    AT__PTX_SHFL_UP,
    AT__PTX_SHFL_DOWN,
    AT__PTX_SHFL_BFLY,
    AT__PTX_SHFL_IDX,
    AT__PTX_BAR_SYNC,
    AT__PTX_BAR_ARRIVE,
    AT__PTX_BAR_RED,
    AT__PTX_BAR_WARP,
    AT__PTX_BAR_CLUSTER_ARRIVE,
    AT__PTX_BAR_CLUSTER_WAIT,
    AT__PTX_ASYNC_COPY, /* cp.async            */
    AT__PTX_ASYNC_COMMIT,
    AT__PTX_ASYNC_WAIT, /* wait_group N        */
    AT__PTX_ASYNC_WAIT_ALL,
    AT__PTX_ASYNC_ARRIVE, /* cp.async.mbarrier.arrive */
    AT__PTX_BULK_COPY,
    AT__PTX_BULK_COMMIT,
    AT__PTX_BULK_WAIT,
    AT__PTX_BULK_WAIT_READ,
    AT__PTX_STORE_ASYNC, /* st.async            */
    AT__PTX_FENCE_PROXY, /* fence.proxy.async and the like */
    AT__PTX_MBAR_INIT,
    AT__PTX_MBAR_INVAL,
    AT__PTX_MBAR_ARRIVE,
    AT__PTX_MBAR_ARRIVE_DROP,
    AT__PTX_MBAR_EXPECT_TX,
    AT__PTX_MBAR_ARRIVE_EXPECT_TX,
    AT__PTX_MBAR_TEST_WAIT,
    AT__PTX_MBAR_TRY_WAIT,
    AT__PTX_MBAR_TEST_WAIT_PARITY,
    AT__PTX_MBAR_TRY_WAIT_PARITY,
    AT__PTX_MATCH_ANY,
    AT__PTX_MATCH_ALL,
    AT__PTX_PRMT_F4E,
    AT__PTX_PRMT_B4E,
    AT__PTX_PRMT_RC8,
    AT__PTX_PRMT_ECL,
    AT__PTX_PRMT_ECR,
    AT__PTX_PRMT_RC16,
    AT__PTX_MMA_M8N8K4,
    AT__PTX_MMA_M16N8K4,
    AT__PTX_MMA_M16N8K8,
    AT__PTX_MMA_M16N8K16,
    AT__PTX_TEST_FINITE,
    AT__PTX_TEST_INFINITE,
    AT__PTX_TEST_NUMBER,
    AT__PTX_TEST_NOT_NUMBER,
    AT__PTX_TEST_NORMAL,
    AT__PTX_TEST_SUBNORMAL,
    AT__PTX_ISSPACE
} at__ptx_form;

typedef struct at__ptx_register {
    const char *name; /* "%r17" */
    uint8_t type;     /* at__ptx_type: PRED, B16, B32, B64, F32, ... */
} at__ptx_register;

/* A .global, .const or .shared variable of the module, a .shared, .local or .param one of a function. */
typedef struct at__ptx_variable {
    const char *name;
    uint8_t space, type; /* of an element */
    bool external;       /* .extern .shared NAME[]: the launch gives its size */
    int64_t bytes;       /* 0 where the launch gives them */
    int64_t align;
    int64_t offset;   /* within its space: of parameters, and of shared and local variables as laid out */
    int32_t function; /* that it belongs to; AT__PTX_NO_INDEX: the module */
    unsigned char *initial;        /* `bytes` long, or NULL: zeroes (.global, .const) or nothing known */
    struct at__ptx_patch *patches; /* addresses of other variables within `initial` */
    int32_t patch_count;
} at__ptx_variable;

typedef struct at__ptx_patch {
    int64_t offset, addend;
    int32_t variable;
    bool generic; /* generic(name): else the address within its space */
} at__ptx_patch;

typedef struct at__ptx_table {
    int32_t *targets; /* instructions */
    int32_t count;
} at__ptx_table;

typedef struct at__ptx_function {
    const char *name; /* as in the text: mangled where C++ mangles */
    bool is_entry;    /* .entry; else .func */
    bool has_body;
    int32_t *params,
        *results; /* of the module's variables: kernel parameters; those of a .func may be registers */
    int32_t param_count, result_count;
    int64_t param_bytes;
    int64_t local_bytes;  /* of a frame: .local variables, and .param ones of calls */
    int64_t shared_bytes; /* of an entry: all static shared variables that it may use */
    at__ptx_register *registers;
    int32_t register_count;
    at__ptx_instruction *instructions;
    int32_t instruction_count;
    at__ptx_operand *operands;
    int32_t operand_count;
    at__ptx_table *tables;
    int32_t table_count;
    int32_t block[3];    /* .reqntid or .maxntid; 0: not said */
    bool block_required; /* .reqntid */
    int32_t cluster[3];  /* .reqnctapercluster; 0: not said   */
} at__ptx_function;

typedef struct at__ptx_module {
    int version;  /* 80 for 8.0 */
    int target;   /* 90 for sm_90, sm_90a */
    char **files; /* by the number that .file gives them; a row may be NULL */
    int32_t file_count;
    at__ptx_variable *variables;
    int32_t variable_count;
    at__ptx_function *functions;
    int32_t function_count;
    int64_t shared_bytes; /* of static shared variables that are of no entry alone */
} at__ptx_module;

/*
 * Parses a whole text of `len` bytes. AT_ERR_INPUT: the text is malformed, or has something that is not known
 * here, by name; with line and column of the PTX and the source line where there is one.
 */
at_status at__ptx_parse(at__ptx_module **out, const char *text, size_t len, at_error *err) AT_MUST_CHECK;
void at__ptx_close(at__ptx_module *module); /* NULL is allowed */

/* The entry of this name; of a mangled one also by what it was written as (`ns::k`). NULL name: the only one.
 * AT__PTX_NO_INDEX: none. */
int32_t at__ptx_find_entry(const at__ptx_module *module, const char *name);

const char *at__ptx_op_name(int op);     /* "ld" */
const char *at__ptx_type_name(int type); /* "u32" */
const char *at__ptx_space_name(int space);
int at__ptx_type_bytes(int type); /* 0: no type, or a predicate */

/* Group `g`'s first operand: of a vector, of which width[g] follow. */
const at__ptx_operand *at__ptx_group(const at__ptx_function *f, const at__ptx_instruction *i, int g);

#endif
