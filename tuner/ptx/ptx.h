/*
 * ptx.h - a parser of PTX: a module of variables and functions, each function a list of typed instructions
 * with the line of the source (.loc) and of the text that they come from.
 *
 * Unknown PTX is refused by name, with both lines; nothing is guessed. Names are borrowed from the module,
 * which owns all. Read-only after parsing: thread-safe.
 */
#pragma once

#include "util/fail.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ATX_PTX_MAX_VECTOR = 64, ATX_PTX_NO_INDEX = -1 };

/* The order within a kind is that of the size. */
typedef enum atx_ptx_type {
    ATX_PTX_NO_TYPE,
    ATX_PTX_PRED,
    ATX_PTX_B8,
    ATX_PTX_B16,
    ATX_PTX_B32,
    ATX_PTX_B64,
    ATX_PTX_B128,
    ATX_PTX_U8,
    ATX_PTX_U16,
    ATX_PTX_U32,
    ATX_PTX_U64,
    ATX_PTX_S8,
    ATX_PTX_S16,
    ATX_PTX_S32,
    ATX_PTX_S64,
    ATX_PTX_F16,
    ATX_PTX_F16X2,
    ATX_PTX_BF16,
    ATX_PTX_BF16X2,
    ATX_PTX_TF32,
    ATX_PTX_F32,
    ATX_PTX_F64,
    ATX_PTX_F32X2,
    ATX_PTX_E4M3X2,
    ATX_PTX_E5M2X2,
    ATX_PTX_U16X2,
    ATX_PTX_S16X2,
    ATX_PTX_E4M3, /* these five only of mma, where registers hold several */
    ATX_PTX_E5M2,
    ATX_PTX_S4,
    ATX_PTX_U4,
    ATX_PTX_B1,
    ATX_PTX_TYPE_COUNT
} atx_ptx_type;

typedef enum atx_ptx_space {
    ATX_PTX_GENERIC, /* also of instructions that name none */
    ATX_PTX_GLOBAL,
    ATX_PTX_SHARED, /* .shared and .shared::cta */
    ATX_PTX_SHARED_CLUSTER,
    ATX_PTX_LOCAL,
    ATX_PTX_CONST,
    ATX_PTX_PARAM
} atx_ptx_space;

/* The word before the first point of an instruction; several forms share one. */
typedef enum atx_ptx_op {
#define ATX_PTX_OP(NAME, text) ATX_PTX_##NAME,
#include "ptx/ptx_ops.h"
#undef ATX_PTX_OP
    ATX_PTX_OP_COUNT
} atx_ptx_op;

typedef enum atx_ptx_round {
    ATX_PTX_ROUND_NONE,
    ATX_PTX_RN,
    ATX_PTX_RZ,
    ATX_PTX_RM,
    ATX_PTX_RP,
    ATX_PTX_RNA,
    ATX_PTX_RNI, /* to an integer */
    ATX_PTX_RZI,
    ATX_PTX_RMI,
    ATX_PTX_RPI,
    ATX_PTX_RS /* stochastic: refused */
} atx_ptx_round;

typedef enum atx_ptx_compare { /* of setp and set; ..U: also true where a number is none (NaN) */
                               ATX_PTX_NO_COMPARE,
                               ATX_PTX_EQ,
                               ATX_PTX_NE,
                               ATX_PTX_LT,
                               ATX_PTX_LE,
                               ATX_PTX_GT,
                               ATX_PTX_GE,
                               ATX_PTX_LO, /* unsigned, whatever the type is */
                               ATX_PTX_LS,
                               ATX_PTX_HI,
                               ATX_PTX_HS,
                               ATX_PTX_EQU,
                               ATX_PTX_NEU,
                               ATX_PTX_LTU,
                               ATX_PTX_LEU,
                               ATX_PTX_GTU,
                               ATX_PTX_GEU,
                               ATX_PTX_NUM,
                               ATX_PTX_NAN
} atx_ptx_compare;

/* The operation of an atom, red, redux, setp, set, vote or bar.red. */
typedef enum atx_ptx_action {
    ATX_PTX_NO_ACTION,
    ATX_PTX_DO_ADD,
    ATX_PTX_DO_INC,
    ATX_PTX_DO_DEC,
    ATX_PTX_DO_MIN,
    ATX_PTX_DO_MAX,
    ATX_PTX_DO_AND,
    ATX_PTX_DO_OR,
    ATX_PTX_DO_XOR,
    ATX_PTX_DO_EXCH,
    ATX_PTX_DO_CAS,
    ATX_PTX_DO_POPC,
    ATX_PTX_DO_ALL,
    ATX_PTX_DO_ANY,
    ATX_PTX_DO_UNI,
    ATX_PTX_DO_BALLOT
} atx_ptx_action;

typedef enum atx_ptx_layout { ATX_PTX_NO_LAYOUT, ATX_PTX_BY_ROWS, ATX_PTX_BY_COLUMNS } atx_ptx_layout;

typedef enum atx_ptx_scope {
    ATX_PTX_NO_SCOPE,
    ATX_PTX_SCOPE_CTA,
    ATX_PTX_SCOPE_CLUSTER,
    ATX_PTX_SCOPE_GPU,
    ATX_PTX_SCOPE_SYS
} atx_ptx_scope;

typedef enum atx_ptx_semantics {
    ATX_PTX_WEAK,
    ATX_PTX_RELAXED,
    ATX_PTX_ACQUIRE,
    ATX_PTX_RELEASE,
    ATX_PTX_ACQ_REL,
    ATX_PTX_SC,
    ATX_PTX_VOLATILE,
    ATX_PTX_MMIO
} atx_ptx_semantics;

/* Special registers, which the hardware sets. */
typedef enum atx_ptx_special {
#define ATX_PTX_SPECIAL(NAME, text) ATX_PTX_SPECIAL_##NAME,
#include "ptx/ptx_ops.h"
#undef ATX_PTX_SPECIAL
    ATX_PTX_SPECIAL_COUNT
} atx_ptx_special;

typedef enum atx_ptx_operand_kind {
    ATX_PTX_NOTHING,    /* "_": a result that is dropped            */
    ATX_PTX_REGISTER,   /* index: of the function's registers       */
    ATX_PTX_NUMBER,     /* value: bits of the instruction's type    */
    ATX_PTX_SPECIAL_OF, /* index: atx_ptx_special                   */
    ATX_PTX_ADDRESS,    /* [register + value], [variable + value], [value] */
    ATX_PTX_VARIABLE,   /* index: the variable whose address is meant, plus value */
    ATX_PTX_LABEL,      /* index: of an instruction, may be one past the last     */
    ATX_PTX_FUNCTION,   /* index: of the module's functions         */
    ATX_PTX_TABLE       /* index: of the function's branch tables   */
} atx_ptx_operand_kind;

/* Where `index` of an ADDRESS points. */
typedef enum atx_ptx_base { ATX_PTX_BASE_NONE, ATX_PTX_BASE_REGISTER, ATX_PTX_BASE_VARIABLE } atx_ptx_base;

typedef struct atx_ptx_operand {
    uint8_t kind;      /* atx_ptx_operand_kind                      */
    uint8_t base;      /* of an ADDRESS: atx_ptx_base               */
    bool negated;      /* !%p                                       */
    uint8_t real_bits; /* of a NUMBER: 32 for 0f.., 64 for 0d.. and 1.5, as bits in `value`; 0: an integer */
    int32_t index;
    int64_t value;
} atx_ptx_operand;

/* Bits of atx_ptx_instruction.flags. */
enum {
    ATX_PTX_FTZ = 1 << 0,
    ATX_PTX_SAT = 1 << 1,
    ATX_PTX_APPROX = 1 << 2,
    ATX_PTX_FULL = 1 << 3,
    ATX_PTX_WIDE = 1 << 4,
    ATX_PTX_HI_HALF = 1 << 5, /* mul.hi, mad.hi */
    ATX_PTX_LO_HALF = 1 << 6,
    ATX_PTX_CC = 1 << 7,          /* add.cc: writes the carry */
    ATX_PTX_CARRY_IN = 1 << 8,    /* addc, subc, madc         */
    ATX_PTX_UNIFORM = 1 << 9,     /* bra.uni                  */
    ATX_PTX_NAN_RESULT = 1 << 10, /* min.NaN               */
    ATX_PTX_XORSIGN = 1 << 11,
    ATX_PTX_ABS_RESULT = 1 << 12,
    ATX_PTX_RELU = 1 << 13,
    ATX_PTX_NON_COHERENT = 1 << 14, /* ld.global.nc        */
    ATX_PTX_ALIGNED = 1 << 15,      /* bar.sync, barrier.sync.aligned, ldmatrix.aligned */
    ATX_PTX_TRANSPOSED = 1 << 16,   /* ldmatrix.trans      */
    ATX_PTX_NO_INCREMENT = 1 << 17, /* cp.async.mbarrier.arrive.noinc */
    ATX_PTX_TO_SPACE = 1 << 18,     /* cvta.to             */
    ATX_PTX_SHIFT_AMOUNT = 1 << 19, /* bfind.shiftamt      */
    ATX_PTX_CLAMP = 1 << 20,        /* shf.clamp           */
    ATX_PTX_WRAP = 1 << 21,
    ATX_PTX_LEFT = 1 << 22,    /* shf.l */
    ATX_PTX_SYNC = 1 << 23,    /* of all lanes of a mask: shfl.sync, bar.warp.sync, barrier.cluster.wait */
    ATX_PTX_INEXACT = 1 << 24, /* the ISA leaves the last bits of the result open: compare with a tolerance */
    ATX_PTX_HINTED = 1 << 25,  /* has a cache policy as its last operand: no effect here */
    ATX_PTX_CACHED_GLOBAL = 1 << 26 /* cp.async.cg */
};

enum { ATX_PTX_GROUPS = 6 };

/*
 * operands[first .. first+sum of width) of the function, by groups: a group is one operand as written, a
 * vector {..} one of several. Results come first.
 */
typedef struct atx_ptx_instruction {
    uint16_t op;             /* atx_ptx_op                                        */
    uint8_t more_types[2];   /* of mma: the second factor's, the addend's */
    uint8_t type, from;      /* atx_ptx_type: of the result; of the operands of cvt, set, mad.wide.. */
    uint8_t space, to_space; /* atx_ptx_space; cp.async: from `space` to `to_space` */
    uint8_t round, compare, action, scope, semantics;
    uint8_t vector;    /* 1, 2, 4, 8: elements of a memory access            */
    uint8_t form;      /* an atx_ptx_form: the variant of the op             */
    uint8_t layout[2]; /* atx_ptx_layout: of mma's and wmma's A and B, or of the matrix in memory */
    uint16_t shape[3]; /* of mma, wmma: m, n, k                               */
    uint8_t group_count;
    uint8_t width[ATX_PTX_GROUPS]; /* operands of each group                    */
    uint32_t flags;
    uint32_t first; /* operand                                               */
    int32_t guard;  /* register of @%p; ATX_PTX_NO_INDEX                     */
    bool guard_negated;
    bool
        guesses; /* a load of what a cas of the function compares next: it does no harm if others change it */
    int32_t file;                   /* of the source, of the module's files; ATX_PTX_NO_INDEX: no .loc      */
    int32_t line;                   /* likewise; where code was inlined, the innermost       */
    int32_t outer_file, outer_line; /* where the outermost call to it is; else the same */
    int32_t text_line;              /* of the PTX, from 1                                    */
} atx_ptx_instruction;

/* Forms of ops that have several; others are ATX_PTX_FORM_NONE. */
typedef enum atx_ptx_form {
    ATX_PTX_FORM_NONE,
    ATX_PTX_SHFL_UP,
    ATX_PTX_SHFL_DOWN,
    ATX_PTX_SHFL_BFLY,
    ATX_PTX_SHFL_IDX,
    ATX_PTX_BAR_SYNC,
    ATX_PTX_BAR_ARRIVE,
    ATX_PTX_BAR_RED,
    ATX_PTX_BAR_WARP,
    ATX_PTX_BAR_CLUSTER_ARRIVE,
    ATX_PTX_BAR_CLUSTER_WAIT,
    ATX_PTX_ASYNC_COPY, /* cp.async            */
    ATX_PTX_ASYNC_COMMIT,
    ATX_PTX_ASYNC_WAIT, /* wait_group N        */
    ATX_PTX_ASYNC_WAIT_ALL,
    ATX_PTX_ASYNC_ARRIVE, /* cp.async.mbarrier.arrive */
    ATX_PTX_BULK_COPY,
    ATX_PTX_BULK_COMMIT,
    ATX_PTX_BULK_WAIT,
    ATX_PTX_BULK_WAIT_READ,
    ATX_PTX_STORE_ASYNC, /* st.async            */
    ATX_PTX_FENCE_PROXY, /* fence.proxy.async and the like */
    ATX_PTX_MBAR_INIT,
    ATX_PTX_MBAR_INVAL,
    ATX_PTX_MBAR_ARRIVE,
    ATX_PTX_MBAR_ARRIVE_DROP,
    ATX_PTX_MBAR_EXPECT_TX,
    ATX_PTX_MBAR_ARRIVE_EXPECT_TX,
    ATX_PTX_MBAR_TEST_WAIT,
    ATX_PTX_MBAR_TRY_WAIT,
    ATX_PTX_MBAR_TEST_WAIT_PARITY,
    ATX_PTX_MBAR_TRY_WAIT_PARITY,
    ATX_PTX_MATCH_ANY,
    ATX_PTX_MATCH_ALL,
    ATX_PTX_PRMT_F4E,
    ATX_PTX_PRMT_B4E,
    ATX_PTX_PRMT_RC8,
    ATX_PTX_PRMT_ECL,
    ATX_PTX_PRMT_ECR,
    ATX_PTX_PRMT_RC16,
    ATX_PTX_WMMA_LOAD, /* of a matrix that is not named */
    ATX_PTX_WMMA_LOAD_A,
    ATX_PTX_WMMA_LOAD_B,
    ATX_PTX_WMMA_LOAD_C,
    ATX_PTX_WMMA_STORE,
    ATX_PTX_WMMA_MMA,
    ATX_PTX_TEST_FINITE,
    ATX_PTX_TEST_INFINITE,
    ATX_PTX_TEST_NUMBER,
    ATX_PTX_TEST_NOT_NUMBER,
    ATX_PTX_TEST_NORMAL,
    ATX_PTX_TEST_SUBNORMAL,
    ATX_PTX_ISSPACE
} atx_ptx_form;

typedef struct atx_ptx_register {
    const char *name; /* "%r17" */
    uint8_t type;     /* atx_ptx_type: PRED, B16, B32, B64, F32, ... */
} atx_ptx_register;

/* A .global, .const or .shared variable of the module, a .shared, .local or .param one of a function. */
typedef struct atx_ptx_variable {
    const char *name;
    uint8_t space, type; /* of an element */
    bool external;       /* .extern .shared NAME[]: the launch gives its size */
    int64_t bytes;       /* 0 where the launch gives them */
    int64_t align;
    int64_t offset;   /* within its space: of parameters, and of shared and local variables as laid out */
    int32_t function; /* that it belongs to; ATX_PTX_NO_INDEX: the module */
    unsigned char *initial;        /* `bytes` long, or NULL: zeroes (.global, .const) or nothing known */
    struct atx_ptx_patch *patches; /* addresses of other variables within `initial` */
    int32_t patch_count;
} atx_ptx_variable;

typedef struct atx_ptx_patch {
    int64_t offset, addend;
    int32_t variable; /* ATX_PTX_NO_INDEX: a function's address */
    int32_t function;
} atx_ptx_patch;

typedef struct atx_ptx_table {
    int32_t *targets; /* instructions */
    int32_t count;
} atx_ptx_table;

typedef struct atx_ptx_function {
    const char *name; /* as in the text: mangled where C++ mangles */
    bool is_entry;    /* .entry; else .func */
    bool has_body;
    int32_t *params,
        *results; /* of the module's variables: kernel parameters; those of a .func may be registers */
    int32_t param_count, result_count;
    int64_t param_bytes;
    int64_t local_bytes;  /* of a frame: .local variables, and .param ones of calls */
    int64_t shared_bytes; /* of an entry: all static shared variables that it may use */
    atx_ptx_register *registers;
    int32_t register_count;
    atx_ptx_instruction *instructions;
    int32_t instruction_count;
    atx_ptx_operand *operands;
    int32_t operand_count;
    atx_ptx_table *tables;
    int32_t table_count;
    int32_t block[3];    /* .reqntid or .maxntid; 0: not said */
    bool block_required; /* .reqntid */
    int32_t cluster[3];  /* .reqnctapercluster; 0: not said   */
} atx_ptx_function;

typedef struct atx_ptx_module {
    int version;  /* 80 for 8.0 */
    int target;   /* 90 for sm_90, sm_90a */
    char **files; /* by the number that .file gives them; a row may be NULL */
    int32_t file_count;
    atx_ptx_variable *variables;
    int32_t variable_count;
    atx_ptx_function *functions;
    int32_t function_count;
    int64_t shared_bytes; /* of static shared variables that are of no entry alone */
} atx_ptx_module;

/*
 * Parses a whole text of `len` bytes. AT_ERR_INPUT: the text is malformed, or has something that is not known
 * here, by name; with line and column of the PTX and the source line where there is one.
 */
at_status atx_ptx_parse(atx_ptx_module **out, const char *text, size_t len, at_error *err) AT_MUST_CHECK;
void atx_ptx_close(atx_ptx_module *module); /* NULL is allowed */

/* The entry of this name; of a mangled one also by its name in the source (`ns::k`). NULL name: the only one.
 * ATX_PTX_NO_INDEX: none. */
int32_t atx_ptx_find_entry(const atx_ptx_module *module, const char *name);

const char *atx_ptx_op_name(int op);     /* "ld" */
const char *atx_ptx_type_name(int type); /* "u32" */
const char *atx_ptx_space_name(int space);
int atx_ptx_type_bytes(int type); /* 0: no type, or a predicate */

/* Group `g`'s first operand: of a vector, of which width[g] follow. */
const atx_ptx_operand *atx_ptx_group(const atx_ptx_function *f, const atx_ptx_instruction *i, int g);
