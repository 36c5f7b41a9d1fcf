/*
 * adopt_draft.h - Private to adopt*.c: what `autotune adopt` sees in a file before it writes. The kernel, its
 * arguments, its launches, and what may become parameters. It borrows the input.
 *
 * Order: atx_draft_active (branches), atx_draft_read (kernel, arguments, template), atx_draft_reach (what the
 * kernel uses), atx_draft_params, atx_draft_launch, atx_draft_roles, atx_draft_sizes; then the two writers.
 */
#pragma once

#include "declare/declare.h"
#include "exchange/adopt.h"
#include "source/declarator.h"
#include "source/host_launch.h"

#include <string.h>

#define ATX_DRAFT_ARGS    64
#define ATX_DRAFT_PARAMS  16
#define ATX_DRAFT_TARGS   24
#define ATX_DRAFT_ALIASES 4
#define ATX_DRAFT_EXTRA   4
#define ATX_DRAFT_REQUIRE 24
#define ATX_DRAFT_RULES   24
#define ATX_DRAFT_VALUES  8
#define ATX_DRAFT_STRUCTS ATX_MAX_STRUCTS
#define ATX_DRAFT_FIELDS  32
#define ATX_DRAFT_SWAPS   4
#define ATX_DRAFT_ASSUMED 4
#define ATX_DRAFT_GROWN   256
#define ATX_DRAFT_BUCKETS 256
#define ATX_DRAFT_EXPR    192 /* characters of an expression that is taken over, with the final zero */

/* Tokens begin..end. */
typedef struct atx_span {
    size_t begin, end;
} atx_span;

typedef struct atx_draft_type {
    const char *dtype;       /* "f32"; NULL: not known                                   */
    int lanes;               /* of float4: 4                                             */
    int targ;                /* which argument of the kernel's template it is; -1: none  */
    bool structure;          /* a struct of the file                                     */
    bool of_enum;            /* an enum of the file                                      */
    bool usual;              /* `dtype` is what most others call so: nothing here says it  */
    size_t body;             /* its '{'; 0: that is not known                            */
    size_t list;             /* the '<' of its template's arguments; 0: it is none       */
    char name[ATX_MAX_WORD]; /* its last word, in the file                         */
} atx_draft_type;

typedef struct atx_draft_arg {
    atx_kernel_arg arg;
    char name[ATX_MAX_WORD]; /* in the declarations                                */
    atx_span span;
    size_t token; /* its name                                                      */
    int stars;
    atx_draft_type type;
    /* Of a buffer, by what the kernel's code does with it. */
    bool read, written, atomic, lost; /* lost: it goes to code that is not read    */
    bool index;                       /* what it holds chooses elements of another one */
    char size[ATX_DRAFT_EXPR];        /* its elements; "": not known                         */
    char holds[ATX_DRAFT_EXPR];       /* of indices: "index N", "offsets N"; "": not known   */
    uint64_t dims;                    /* bit i: argument i is in its size; 63 - i: extra size i */
    /* Of a scalar. */
    bool dim;
    char value[ATX_DRAFT_EXPR]; /* as the file's launch has it; "": not known      */
    bool null;                  /* a pointer that the host passes as null: the number 0 */
    bool own;       /* `value` is of parameters or iterations: an argument of the template's own */
    int structure;  /* of which of the draft's structs it is, from 1; 0: of a type */
    bool scratch;   /* of several kernels: passed on from one to the next          */
    int size_stage; /* which of these had it first                                 */
    bool field;     /* what a pointer in a struct by value goes to: no parameter of its own */
    /* Of a buffer, by what the host does with it. */
    bool fresh;                     /* what the kernel does first is to write it                       */
    bool zeroed;                    /* the host sets it to 0 before the launch                         */
    bool role_guessed;              /* nothing is seen to be written, and this one might be */
    bool size_guessed;              /* neither the kernel's index nor the host's allocation is understood */
    bool before;                    /* the launch passes it from its middle, and the kernel goes back */
    size_t allocated;               /* the token of the allocation that `size` is by, or is compared with */
    char host_size[ATX_DRAFT_EXPR]; /* what that has, where it is not as large as `size`   */
} atx_draft_arg;

typedef struct atx_draft_field {
    char name[ATX_MAX_WORD];
    atx_draft_type type; /* of a number; of what a pointer goes to       */
    bool pointer, constant;
    int structure;              /* of which struct it is, from 1; 0: a number   */
    long count;                 /* of elements                                  */
    int buffer;                 /* which argument a pointer goes to; -1: none   */
    char value[ATX_DRAFT_EXPR]; /* by value; "": not known         */
    atx_span given;             /* what the host sets it to; empty: not known           */
} atx_draft_field;

/* A struct of the file, or a vector as CUDA has them, that an argument is or a buffer is made of. */
typedef struct atx_draft_struct {
    char name[ATX_MAX_WORD]; /* in the declarations                                       */
    size_t body;             /* its '{'; 0: it is a vector, or stands nowhere             */
    size_t list;             /* the '<' of its template's arguments; 0: it is none        */
    char vector[ATX_MAX_WORD];
    long bytes, align;
    long asked;    /* alignment that the file asks for; 0: none                            */
    bool listed;   /* `fields` are all of it                                              */
    bool sized;    /* `bytes` are                                                         */
    bool pointers; /* it has some                                                         */
    bool by_value; /* an argument is one                                                  */
    atx_draft_field fields[ATX_DRAFT_FIELDS];
    int field_count;
} atx_draft_struct;

/* An array in __constant__ memory, of a known type. */
typedef struct atx_draft_variable {
    atx_kernel_arg arg;
    char name[ATX_MAX_WORD];
    char size[ATX_MAX_WORD]; /* "3 * 3"; "": not made of numbers */
} atx_draft_variable;

typedef enum atx_draft_kind {
    ATX_DRAFT_MACRO,    /* #define X 4, with or without #ifndef */
    ATX_DRAFT_CONSTANT, /* constexpr int X = 4;                  */
    ATX_DRAFT_TARG,     /* an argument of the kernel's template  */
    ATX_DRAFT_UNDEFINED /* used, and defined nowhere             */
} atx_draft_kind;

typedef struct atx_draft_param {
    char name[ATX_MAX_WORD];
    atx_draft_kind kind;
    long value;                    /* the author's */
    int axis;                      /* of the block that it is the size of; -1: of none */
    bool boolean;                  /* false true   */
    bool guarded;                  /* by #ifndef   */
    bool guessed;                  /* no value stands in the file */
    long values[ATX_DRAFT_VALUES]; /* that the file's launches have, besides */
    int value_count;
    char line[ATX_MAX_WORD]; /* its name in the declaration, where that is another one; "": the same */
} atx_draft_param;

typedef enum atx_meaning { ATX_MEANS_TYPE, ATX_MEANS_NUMBER, ATX_MEANS_TRUTH, ATX_MEANS_OTHER } atx_meaning;

/* A parameter of the kernel's template, and what stands for it in the `kernel` line. */
typedef struct atx_draft_targ {
    char name[ATX_MAX_WORD];
    atx_meaning meaning;
    bool pack;
    atx_span preset, given; /* its default; what the file's launch has: empty where there is none */
    char text[ATX_DRAFT_EXPR];
    const char *dtype; /* of a type that is known */
    bool asked;
} atx_draft_targ;

typedef struct atx_draft_function {
    size_t name, open, body, end; /* tokens: its name, "(", "{", "}" */
} atx_draft_function;

typedef struct atx_draft_macro {
    size_t name; /* tokens of `all` */
    size_t open; /* the bracket of its arguments; 0: it has none */
    atx_span body;
    bool guarded, reached, followed;
    size_t next; /* of its bucket, from 1; 0: it is the last */
} atx_draft_macro;

/* A loop of the host around the launch. */
typedef struct atx_draft_loop {
    size_t head, end;           /* tokens: `for`, behind its body                           */
    char counter[ATX_MAX_WORD]; /* in the file; "": it has none                             */
    char name[ATX_MAX_WORD];    /* of the iteration, in the declarations                    */
    char first[ATX_DRAFT_EXPR]; /* NAME = first..last; "" of `last`: not understood         */
    char last[ATX_DRAFT_EXPR];
    char value[ATX_DRAFT_EXPR]; /* of the counter, by the iteration                         */
    bool down;
    int swaps[ATX_DRAFT_SWAPS][2]; /* arguments that change places after each iteration        */
    int swap_count;
} atx_draft_loop;

/* Macros that the file's build defines, as it seems, and values for them. */
typedef struct atx_draft_assumed {
    char names[ATX_DRAFT_ASSUMED][ATX_MAX_WORD];
    long values[ATX_DRAFT_ASSUMED];
    int count;
    atx_token left_by; /* the condition that leaves out what is wanted */
} atx_draft_assumed;

/* Where `text` has more characters than the file: behind the byte at[i] of that, by[i]; in order. */
typedef struct atx_draft_grown {
    size_t at[ATX_DRAFT_GROWN], by[ATX_DRAFT_GROWN];
    int count;
} atx_draft_grown;

typedef struct atx_draft {
    const atx_adopt_input *in;
    atx_draft_grown grown;
    atx_draft_assumed assumed;
    atx_str text;           /* without what #if leaves out                          */
    atx_tokens code;        /* of the text: no directives                           */
    atx_tokens all;         /* with them                                            */
    unsigned char *reached; /* of each token of `code`: the kernel's code and what that calls; 2: followed */
    size_t *next_same;      /* of each token of `code`: where its text stands next; behind the last: first */
    atx_draft_function *functions;
    size_t function_count, function_cap;
    atx_draft_macro *macros;
    size_t macro_count, macro_cap;
    size_t macro_buckets[ATX_DRAFT_BUCKETS]; /* by their names: the first of each, from 1 */
    atx_kernel_text kernel_text;
    size_t body_end;             /* the kernel's last token                             */
    char kernel[ATX_MAX_KERNEL]; /* its name alone                                      */
    char called[ATX_MAX_KERNEL]; /* ns::f<T, TILE>                                      */
    bool asks_arguments;         /* a template whose arguments are not understood       */
    bool shared;                 /* there is an array of dynamic shared memory          */
    bool grid_sync;              /* it waits for the whole grid                         */
    bool reads_block;            /* it reads blockDim                                   */
    int axes;                    /* of threadIdx or blockDim that it reads: 1 to 3      */
    long bound;                  /* of __launch_bounds__; 0: none, -1: not understood   */
    atx_span bound_is;           /* that expression                                     */
    int overloads, overload;     /* how many kernels of the name there are; which is taken */
    atx_draft_targ targs[ATX_DRAFT_TARGS];
    int targ_count;
    atx_draft_arg args[ATX_DRAFT_ARGS];
    int arg_count;
    atx_draft_variable variables[ATX_DRAFT_ARGS];
    int variable_count;
    atx_draft_struct structs[ATX_DRAFT_STRUCTS];
    int struct_count;
    atx_draft_param params[ATX_DRAFT_PARAMS];
    int param_count;
    char lone_dim[ATX_MAX_WORD]; /* where no argument is a dimension; "": one is */
    size_t wanted_launch;        /* the token of the launch that is meant; 0: the one that says most */
    bool several;                /* `kernel` is the function that launches several */
    /* The file's own launch of it. */
    bool launched;
    atx_host_launch launch;
    atx_draft_loop loops[ATX_HOST_LOOPS]; /* around it, from the outside */
    int loop_count;
    bool in_loop;                                           /* it is in one of which nothing is written */
    char grid[3][ATX_DRAFT_EXPR], block[3][ATX_DRAFT_EXPR]; /* expressions; "": not known, or 1 */
    char shared_bytes[ATX_DRAFT_EXPR];
    char extra[ATX_DRAFT_EXTRA][ATX_MAX_WORD]; /* sizes that the host alone has, in its own words */
    char extra_name[ATX_DRAFT_EXTRA][ATX_MAX_WORD];
    bool extra_extent[ATX_DRAFT_EXTRA]; /* it is what tensors have in all directions */
    bool extra_counts[ATX_DRAFT_EXTRA]; /* it says how often a loop is run */
    bool extra_unused[ATX_DRAFT_EXTRA]; /* nothing that is written names it */
    int extra_count;
    bool grid_guessed, block_guessed, shared_guessed;
    char require[ATX_DRAFT_REQUIRE][ATX_DRAFT_EXPR]; /* what sizes must be, by the kernel's code */
    int require_count;
    struct {
        char text[ATX_DRAFT_EXPR];
        const char *why;
    } rules[ATX_DRAFT_RULES]; /* what parameters must be for it to compile */
    int rule_count;
    char block_param[3][ATX_MAX_WORD]; /* a parameter of the draft's own, for blockDim; "": none */
    char block_from[3][ATX_DRAFT_ALIASES][ATX_MAX_WORD]; /* what the host calls it */
    long block_value[3];
    char block_as[3][ATX_MAX_WORD]; /* the parameter of the file that the launch writes as its number; "":
                                       none */
    bool block_literal;             /* it is a number in the launch */
    atx_adopted *out;
    at_error *err;
} atx_draft;

/* The text without what #if and its kin leave out: the same bytes, blanked. What conditions ask for that
 * leave out the byte `wanted` (SIZE_MAX: none) is assumed. */
at_status atx_draft_active(atx_str *out, atx_draft_assumed *assumed, const char *text, size_t wanted,
                           at_error *err) AT_MUST_CHECK;

/* The name of the kernel that `text` has not, and the file has. false: `text` has it, or neither. */
bool atx_draft_left_out(atx_token *name, const atx_draft *d);

/* Calls of macros that launch a kernel, or begin a loop, are written as what they stand for. false: no
 * memory.
 */
bool atx_draft_expand_launches(atx_str *text, atx_draft_grown *grown);

/* AT_ERR_INPUT: no kernel, several of which none was named, or one that cannot be understood. */
at_status atx_draft_read(atx_draft *d) AT_MUST_CHECK;

/* What the types among its template's arguments are: before structs are read. After the launch is found. */
void atx_draft_template_types(atx_draft *d);
/* Its other arguments, and how it is called: `d->called`. */
at_status atx_draft_template(atx_draft *d) AT_MUST_CHECK;
/* Of an argument of the template at token `at`, which may be a parameter of the function around it: what that
 * is. */
atx_span atx_draft_instance(const atx_draft *d, atx_span span, size_t at);
/* The next place from token *at on that names an instance, k<4>: in a launch, or for a function that makes
 * one.
 */
bool atx_draft_next_mention(atx_span *list, const atx_draft *d, size_t *at);
void atx_draft_mangle(atx_str *called, const atx_draft *d); /* where its name has overloads: its symbol */
void atx_draft_targs(atx_draft *d); /* the parameters of its template, before all else */
/* "a::b::": open at a token; `unnamed` for each of those without a name. */
void atx_draft_namespaces(atx_str *out, const atx_draft *d, size_t end, const char *unnamed);

/* The type of tokens begin..end, through typedef, using and #define of the file. */
void atx_draft_type_of(atx_draft_type *out, const atx_draft *d, size_t begin, size_t end);
void atx_draft_type_in(atx_draft_type *out, const atx_draft *d, const atx_tokens *t, atx_span span);

/* The pointers that the name of a type is of: typedef const float *Floats. *constant: of what is not written.
 */
int atx_draft_alias_stars(const atx_draft *d, atx_span type, bool *constant);

/* A struct that CUDA's headers have, and whose fields are its own affair. */
bool atx_draft_opaque(long *bytes, long *align, const char *name);

/* Of one element of a type; 0: not known. */
long atx_draft_bytes(const atx_draft *d, const atx_draft_type *type);
/* Structs that arguments are or buffers are made of; pointers in those by value become arguments behind the
 * kernel's own. AT_ERR_INPUT: a buffer of structs with pointers. After the launch is found. */
at_status atx_draft_structs(atx_draft *d) AT_MUST_CHECK;
void atx_draft_write_struct(atx_draft *d, const atx_draft_struct *s, bool *asked);
long atx_draft_vector_align(
    const atx_draft_type *type); /* bytes that float4 and its like begin at multiples of */
/* "p.n" at token i: that field of a struct by value; NULL: it is none. */
const atx_draft_field *atx_draft_find_field(const atx_draft *d, const atx_tokens *t, size_t i);
bool atx_draft_has_reals(const atx_draft *d, int structure);

/* What the kernel's code reaches; macros and functions of the file. */
at_status atx_draft_reach(atx_draft *d) AT_MUST_CHECK;
bool atx_draft_uses(const atx_draft *d, const char *name);
const atx_draft_macro *atx_draft_find_macro(const atx_draft *d, const char *name);
const atx_draft_function *atx_draft_find_function(const atx_draft *d, const char *name);

/* "int NAME = VALUE" before token `before`, within the braces that enclose that: the tokens of VALUE. */
bool atx_draft_definition(atx_span *out, const atx_draft *d, const char *name, size_t before);

/* "NAME.x = VALUE;", the last one before token `before`, of a dim3: its tokens. Unsure: by a condition that
 * is not about itself, or made of itself. */
typedef enum atx_draft_set { ATX_DRAFT_NEVER, ATX_DRAFT_SET, ATX_DRAFT_UNSURE } atx_draft_set;
atx_draft_set atx_draft_member(atx_span *out, const atx_draft *d, const char *name, char axis, size_t before);

void atx_draft_params(atx_draft *d);
void atx_draft_note_unknown(atx_draft *d);                   /* out->unknown */
bool atx_draft_shapes(const atx_draft *d, const char *name); /* the size of an array, an unrolled loop ... */
/* Whether the launch's grid is a quotient of it: elements that a block works on, and not sizes of data. */
bool atx_draft_divides_grid(const atx_draft *d, const char *name);
void atx_draft_values(atx_str *out, const atx_draft *d, const atx_draft_param *p);
atx_draft_param *atx_draft_find_param(atx_draft *d, const char *name);
/* The same by what the host calls it, too: k<THREADS> is of template <int BLOCK>. */
const atx_draft_param *atx_draft_given_param(const atx_draft *d, const char *name);
/* Of (n + 31) / NAME, or block.y, whose number `less` at token i is one less than NAME: what that is in the
 * draft, a parameter, or the block in that direction before others. NULL: neither. */
const char *atx_draft_divisor(const atx_draft *d, const atx_tokens *t, size_t i, int axis, long less);
const char *atx_draft_param_line(const atx_draft_param *p); /* its name in the declaration */
bool atx_draft_names_param(const atx_draft *d, const char *text);
int atx_draft_block_axis(const char *name);

bool atx_draft_is_type_word(const atx_tokens *t, size_t i); /* int, const, dim3 ... */
/* Whether a word stands within the braces of an enum. */
bool atx_draft_is_enumerator(const atx_tokens *t, const char *word);
/* The type word of the declaration that name `i` is in, as "dim3" of "dim3 a(1), i(2)"; count: none. */
size_t atx_draft_declared_type(const atx_tokens *t, size_t i);
bool atx_draft_plain_number(long *out, const atx_tokens *t, size_t i);

/* An integer that tokens of `t` are, by what the file defines; false: none. */
bool atx_draft_number(long *out, const atx_draft *d, const atx_tokens *t, atx_span span);

/* Whether tokens of the code name a variable of the whole file that begins with 0. */
bool atx_draft_is_set_later(const atx_draft *d, atx_span span);

/* Tokens of the host as an expression of declarations, of that direction of a grid. false: not understood,
 * *out is as it was. */
bool atx_draft_expression(atx_str *out, const atx_draft *d, atx_span span, int axis);

/* The same of a grid, where a size that only the host has becomes one of the problem's. */
bool atx_draft_grid(atx_str *out, atx_draft *d, atx_span span, int axis);

/* Whether the kernel multiplies blockIdx of a direction by blockDim of another one, or by a number (k < 0):
 * blockIdx.y * blockDim.x. */
bool atx_draft_multiplies(const atx_draft *d, int axis, int k, long number);

void atx_draft_find_launch(atx_draft *d);
/* Whether a launch is of this kernel, and not of another one of its name. */
bool atx_draft_is_of_kernel(const atx_draft *d, const atx_host_launch *l);
/* Of "dim3(a, b)", "a", or the name of one of these: component k. Empty: 1. false: not understood. */
bool atx_draft_component(atx_span *out, const atx_draft *d, atx_span from, int k);
void atx_draft_launch(atx_draft *d);
void atx_draft_guess_block(atx_draft *d);
void atx_draft_launch_block(atx_draft *d);
/* Whether the kernel is made for so many threads in that direction, and no others. */
bool atx_draft_fixes_block(const atx_draft *d, int axis, long value);
void atx_draft_read_side(atx_draft *d); /* of blocks that are a side of a tile; once the grid is known */
/* Loops of the host around the launch, whose iterations differ: before the values of the arguments are read.
 */
void atx_draft_loops(atx_draft *d);
void atx_draft_finish_loops(atx_draft *d); /* after roles and sizes: swapped buffers are alike */
void atx_draft_forget_loops(atx_draft *d);
void atx_draft_write_loops(atx_draft *d);
const atx_draft_loop *atx_draft_find_counter(const atx_draft *d, size_t token);
bool atx_draft_is_of_iteration(const atx_draft *d, const char *expression);

/* Whether the launch is made with this name of the declarations: its grid, block, shared memory, loops, or an
 * argument of the template's own. */
bool atx_draft_launches_with(const atx_draft *d, const char *name);

void atx_draft_roles(atx_draft *d);
void atx_draft_nulls(atx_draft *d); /* pointers that are null: after the launch and the roles */
atx_span atx_draft_not_null(const atx_tokens *t, atx_span span); /* p + i of c ? p + i : nullptr */

size_t atx_draft_base(const atx_tokens *t, size_t i); /* where "a.b[i].name" begins: the token of `a` */

/* Adds what the kernel's code does with what `name` points to: an element of it is name[i], or name[i][j] of
 * two dimensions. Less than that may be given on, to be read and written. */
typedef struct atx_draft_named {
    const char *name;
    long dims;
    bool member; /* of a struct: p.name[i] */
} atx_draft_named;
void atx_draft_role_of(atx_draft_arg *a, const atx_draft *d, const atx_draft_named *n);
void atx_draft_sizes(atx_draft *d);
void atx_draft_order(atx_draft *d); /* of what buffers hold: after their sizes */

/* Names that declarations leave free: of the arguments; of a parameter, as near to `wanted` as can be. */
void atx_draft_names(atx_draft *d);
void atx_draft_free_name(char out[ATX_MAX_WORD], const atx_draft *d, const char *wanted);

bool atx_draft_names_word(const char *text, const char *word);

/* Which arguments are dimensions, by a bit each: those of `first` before others, as far as there is room.
 * What is none has a value. */
void atx_draft_choose_dims(atx_draft *d, uint64_t dims, uint64_t first);

/* ---- of adopt_guess.c: what is written where the file does not say it ---- */

/* A whole number whose name ends so, or begins with "start": no size of a problem. */
bool atx_draft_is_offset(const atx_draft_arg *a);
const char *atx_draft_value(const atx_draft_arg *a); /* else 1, and of an offset 0 */

const char *atx_draft_element(const atx_draft *d);                          /* the type of T; never NULL */
const char *atx_draft_own_type(const atx_draft *d, const atx_draft_arg *a); /* NULL: it is T */
int atx_draft_first_extra(const atx_draft *d); /* that is no count of iterations; extra_count: none */
bool atx_draft_unset_constant(char name[ATX_MAX_WORD], const atx_draft *d); /* of those that it uses, one that
                                                                               no line of the draft fills */
bool atx_draft_reads_texture(char name[ATX_MAX_WORD],
                             const atx_draft *d); /* a template's argument that does */
const char *atx_draft_first_dim(const atx_draft *d);
void atx_draft_add_size(atx_str *out, const atx_draft *d, const atx_draft_arg *a);
void atx_draft_add_grid(atx_str *out, const atx_draft *d);
at_status atx_draft_outputs(atx_draft *d) AT_MUST_CHECK; /* a buffer is written, or AT_ERR_INPUT */

void atx_draft_ask(atx_draft *d, atx_str *out, const char *question);
void atx_draft_name_op(atx_draft *d);
void atx_draft_write_space(atx_draft *d); /* by the tuning problem in->space */
void atx_draft_write_op(atx_draft *d);
void atx_draft_write_template(atx_draft *d);

bool atx_draft_scalars(void); /* Whether declarations have scalars of all types, and a template's own. */
const char *atx_draft_scalar_type(const atx_draft *d, const atx_draft_arg *a);

/* ---- of adopt_open.c ---- */

atx_draft *atx_draft_begin(atx_adopted *adopted, const atx_adopt_input *in,
                           at_error *err);                  /* NULL: no memory */
at_status atx_draft_understand(atx_draft *d) AT_MUST_CHECK; /* all but the writing */
void atx_draft_close(atx_draft *d);                         /* NULL is allowed */
void atx_draft_add_code(atx_str *out, const atx_draft *d);  /* the kernel's text */

/* The draft in our own language, with the kernels' code: a failure is a fault of this program. */
at_status atx_draft_read_again(const atx_adopted *out, const char *path, const char *kernels,
                               at_error *err) AT_MUST_CHECK;

/* AT_ERR_INPUT: the file has no such launches, or they are not understood. */
at_status atx_draft_sequence(atx_adopted *out, const atx_adopt_input *in, at_error *err) AT_MUST_CHECK;

static inline bool atx_draft_is_real(const char *type)
{
    return type[0] != 'i' && type[0] != 'u' && strcmp(type, "bool") != 0;
}

/* "file.cu:12" of a token of `code` or `all`; which part of the input it is in. */
typedef struct atx_place {
    char text[300];
} atx_place;
atx_place atx_draft_place(const atx_draft *d, const atx_token *token);
bool atx_draft_same_part(const atx_draft *d, size_t i, size_t other);       /* tokens of one file */
atx_place atx_draft_host_place(const atx_draft *d, const atx_token *token); /* "line 12", "main.cu:12" */
atx_place atx_draft_launch_place(const atx_draft *d);                       /* "": no launch           */
int atx_draft_line(const atx_draft *d, const atx_token *token);
bool atx_draft_is_own(const atx_draft *d, const atx_token *token); /* of the file, not of a header */

static inline void atx_draft_word(char out[ATX_MAX_WORD], const atx_tokens *t, size_t i)
{
    out[0] = '\0';
    if (i < t->count && atx_token_copy(out, ATX_MAX_WORD, t->text, &t->items[i]) >= ATX_MAX_WORD)
        out[0] = '\0';
}
