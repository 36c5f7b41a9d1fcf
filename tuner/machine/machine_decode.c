/*
 * machine_decode.c - instructions as the parser has them to instructions as they run: operands become places
 * of lanes, labels instructions, addresses a register and an offset.
 */
#include "machine/machine_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct decoder {
    at__machine *machine;
    at__program *program;
    int32_t entry, number; /* of functions */
    at__code *code;
    const at__ptx_function *function;
    const int32_t *joins;
    at_error *err;
} decoder;

static const char *source_of(char out[300], const decoder *c, const at__ptx_instruction *i)
{
    out[0] = '\0';
    if (i->file >= 0)
        snprintf(out, 300, " (source %s:%d)", c->machine->module->files[i->file], i->line);
    return out;
}

static at_status refuse(const decoder *c, const at__ptx_instruction *i, const char *why)
{
    char source[300];
    at_fail(c->err, AT_ERR_INPUT, "PTX:%d: '%s%s%s%s%s' is not known to the machine%s%s%s", i->text_line,
            at__ptx_op_name(i->op), i->type ? "." : "", at__ptx_type_name(i->type), i->from ? "." : "",
            at__ptx_type_name(i->from), *why ? ": " : "", why, source_of(source, c, i));
    return AT_ERR_INPUT;
}

/* ---- operands ---- */

/* ~ of the place of a constant; equal ones share it. INT32_MIN: out of memory. */
static int32_t constant(at__code *code, uint64_t value)
{
    for (int32_t i = 0; i < code->constant_count && i < 64; i++)
        if (code->constants[(size_t)i * AT__LANES] == value)
            return ~i;
    if ((size_t)code->constant_count == code->constant_cap) {
        const size_t cap = code->constant_cap ? 2 * code->constant_cap : 32;
        uint64_t *grown = realloc(code->constants, cap * AT__LANES * sizeof *grown);
        if (!grown)
            return INT32_MIN;
        code->constants = grown;
        code->constant_cap = cap;
    }
    for (int l = 0; l < AT__LANES; l++)
        code->constants[(size_t)code->constant_count * AT__LANES + (size_t)l] = value;
    return ~code->constant_count++;
}

/* The type that a number in this group has. */
static int number_type(const at__ptx_instruction *i, int group)
{
    const bool converts = i->op == AT__PTX_CVT || i->op == AT__PTX_SET;
    return group > 0 && converts && i->from ? i->from : i->type;
}

static uint64_t number_bits(const at__ptx_operand *o, int type)
{
    if (type == AT__PTX_F32 && o->real_bits == 64)
        return at__bits_f32((float)at__f64((uint64_t)o->value));
    if (type == AT__PTX_F64 && o->real_bits == 32)
        return at__bits_f64((double)at__f32((uint64_t)o->value));
    return (uint64_t)o->value;
}

/* Where a variable is; *frame: counted from the frame of its function. false: it has no address. */
static bool variable_address(uint64_t *out, bool *frame, const decoder *c, int32_t variable)
{
    const at__ptx_module *m = c->machine->module;
    const at__ptx_variable *v = &m->variables[variable];
    const at__ptx_function *entry = &m->functions[c->entry];
    const int32_t region = c->machine->variable_regions[variable];
    *frame = false;
    if (region >= 0)
        *out = c->machine->regions[region].address;
    else if (v->space == AT__PTX_SHARED && v->external)
        *out = (uint64_t)(AT__MACHINE_SHARED_BASE + (entry->shared_bytes + 15) / 16 * 16);
    else if (v->space == AT__PTX_SHARED)
        *out = (uint64_t)(AT__MACHINE_SHARED_BASE + v->offset);
    else if (v->space == AT__PTX_LOCAL || v->space == AT__PTX_PARAM) {
        bool of_entry = false;
        for (int k = 0; k < c->function->param_count && c->function->is_entry; k++)
            of_entry = of_entry || c->function->params[k] == variable;
        *frame = !of_entry;
        *out = (uint64_t)v->offset + (of_entry ? 0 : AT__MACHINE_LOCAL_BASE);
    } else
        return false;
    return true;
}

static at_status decode_address(decoder *c, at__decoded *d, const at__ptx_operand *o, int32_t *ref,
                                int *addresses)
{
    uint64_t address = 0;
    bool frame = false;
    if (*addresses == 3)
        return refuse(c, d->ptx, "it has four addresses");
    if (o->base == AT__PTX_BASE_VARIABLE && !variable_address(&address, &frame, c, o->index))
        return refuse(c, d->ptx, "this variable has no address");
    *ref = o->base == AT__PTX_BASE_REGISTER ? o->index : constant(c->code, 0);
    d->offset[*addresses] = (int64_t)(address + (uint64_t)o->value);
    d->frame[*addresses] = frame ? AT__BASE_FRAME : AT__BASE_FIXED;
    ++*addresses;
    return AT_OK;
}

/* Where an instruction goes that goes elsewhere; AT__PTX_NOTHING: it does not. */
static at__ptx_operand_kind target_kind(int op)
{
    switch (op) {
    case AT__PTX_BRA:
        return AT__PTX_LABEL;
    case AT__PTX_BRX:
        return AT__PTX_TABLE;
    case AT__PTX_CALL:
        return AT__PTX_FUNCTION;
    default:
        return AT__PTX_NOTHING;
    }
}

static at_status decode_operand(decoder *c, at__decoded *d, int group, const at__ptx_operand *o, int32_t *ref,
                                int *addresses)
{
    uint64_t address = 0;
    bool frame = false;
    switch ((at__ptx_operand_kind)o->kind) {
    case AT__PTX_NOTHING:
        *ref = c->code->slots - 1;
        return AT_OK;
    case AT__PTX_REGISTER:
        if (d->ptx->op == AT__PTX_CALL)
            return refuse(c, d->ptx, "parameters of calls are variables");
        *ref = o->index;
        return AT_OK;
    case AT__PTX_NUMBER:
        *ref = constant(c->code, number_bits(o, number_type(d->ptx, group)));
        return AT_OK;
    case AT__PTX_ADDRESS:
        return decode_address(c, d, o, ref, addresses);
    case AT__PTX_VARIABLE:
        if (d->ptx->op == AT__PTX_CALL && group != 1)
            return variable_address(&address, &frame, c, o->index) && frame
                       ? AT_OK
                       : refuse(c, d->ptx, "a parameter of the call lies elsewhere than in its function");
        if ((d->ptx->op != AT__PTX_MOV && d->ptx->op != AT__PTX_CVTA) ||
            !variable_address(&address, &frame, c, o->index))
            return refuse(c, d->ptx, "an address of a variable is only taken by mov");
        d->frame[0] = frame ? AT__BASE_FRAME : AT__BASE_FIXED;
        *ref = constant(c->code, address + (uint64_t)o->value);
        return AT_OK;
    case AT__PTX_SPECIAL_OF:
        return d->ptx->op == AT__PTX_MOV ? AT_OK
                                         : refuse(c, d->ptx, "a special register is only read by mov");
    case AT__PTX_LABEL:
    case AT__PTX_TABLE:
    case AT__PTX_FUNCTION:
        d->target = o->index;
        return o->kind == target_kind(d->ptx->op) ? AT_OK
                                                  : refuse(c, d->ptx, "addresses of code are not known");
    }
    return refuse(c, d->ptx, "an operand of an unknown kind");
}

static uint64_t kept_bits(const decoder *c, const at__ptx_operand *o)
{
    if (o->kind != AT__PTX_REGISTER)
        return UINT64_MAX;
    const int bytes = at__ptx_type_bytes(c->function->registers[o->index].type);
    return bytes == 0 || bytes >= 8 ? UINT64_MAX : ((uint64_t)1 << (8 * bytes)) - 1;
}

/* ---- who executes it ---- */

/* Operands of ops that have always as many; a result that two ops share counts. Others see to it themselves.
 */
static int operand_count(int op)
{
    switch (op) {
    case AT__PTX_ABS:
    case AT__PTX_NEG:
    case AT__PTX_NOT:
    case AT__PTX_CNOT:
    case AT__PTX_POPC:
    case AT__PTX_CLZ:
    case AT__PTX_BREV:
    case AT__PTX_BFIND:
    case AT__PTX_RCP:
    case AT__PTX_SQRT:
    case AT__PTX_RSQRT:
    case AT__PTX_EX2:
    case AT__PTX_LG2:
    case AT__PTX_SIN:
    case AT__PTX_COS:
    case AT__PTX_TANH:
    case AT__PTX_TESTP:
    case AT__PTX_CVTA:
    case AT__PTX_ISSPACEP:
    case AT__PTX_GETCTARANK:
        return 2;
    case AT__PTX_ADD:
    case AT__PTX_SUB:
    case AT__PTX_MUL:
    case AT__PTX_MUL24:
    case AT__PTX_DIV:
    case AT__PTX_REM:
    case AT__PTX_AND:
    case AT__PTX_OR:
    case AT__PTX_XOR:
    case AT__PTX_SHL:
    case AT__PTX_SHR:
    case AT__PTX_COPYSIGN:
    case AT__PTX_BMSK:
    case AT__PTX_MAPA:
        return 3;
    case AT__PTX_MAD:
    case AT__PTX_MAD24:
    case AT__PTX_FMA:
    case AT__PTX_SAD:
    case AT__PTX_BFE:
    case AT__PTX_SHF:
    case AT__PTX_PRMT:
    case AT__PTX_DP4A:
    case AT__PTX_DP2A:
    case AT__PTX_SELP:
    case AT__PTX_SLCT:
        return 4;
    case AT__PTX_BFI:
    case AT__PTX_LOP3:
        return 5;
    default:
        return 0;
    }
}

static bool has_its_operands(const at__ptx_instruction *i)
{
    const int count = operand_count(i->op), g = i->group_count;
    for (int k = 0; k < g && count; k++)
        if (i->width[k] != 1)
            return false;
    if (i->op == AT__PTX_MIN || i->op == AT__PTX_MAX)
        return g == 3 || (g == 4 && i->type == AT__PTX_F32);
    if (i->op == AT__PTX_SETP)
        return i->action ? g == 4 || g == 5 : g == 3 || g == 4;
    if (i->op == AT__PTX_SET)
        return g == (i->action ? 4 : 3);
    return !count || g == count;
}

typedef at__handler *selector(const at__ptx_instruction *i);

static at__handler *select_handler(const at__ptx_instruction *i)
{
    static selector *const SELECTORS[] = { at__select_int,      at__select_logic,  at__select_compare,
                                           at__select_move,     at__select_float,  at__select_approx,
                                           at__select_convert,  at__select_half,   at__select_mma,
                                           at__select_memory,   at__select_atomic, at__select_async,
                                           at__select_mbarrier, at__select_warp,   at__select_matrix,
                                           at__select_control,  at__select_barrier };
    for (size_t k = 0; k < sizeof SELECTORS / sizeof *SELECTORS; k++) {
        at__handler *found = SELECTORS[k](i);
        if (found)
            return found;
    }
    return NULL;
}

static bool waits_for_lanes(const at__ptx_instruction *i)
{
    switch (i->op) {
    case AT__PTX_SHFL:
    case AT__PTX_VOTE:
    case AT__PTX_MATCH:
    case AT__PTX_REDUX:
    case AT__PTX_ELECT:
        return true;
    case AT__PTX_BAR:
        return i->form == AT__PTX_BAR_WARP;
    default:
        return false;
    }
}

/* Functions of the device's own libraries, whose bodies are not in the module. */
static at_status check_call(const decoder *c, const at__decoded *d)
{
    const at__ptx_function *f = &c->machine->module->functions[d->target];
    const bool heap = strcmp(f->name, "malloc") == 0 || strcmp(f->name, "free") == 0;
    char why[200];
    if (f->has_body || at__is_system_function(f->name))
        return AT_OK;
    snprintf(why, sizeof why, "it calls '%.100s', which %s", f->name,
             heap ? "needs the heap of a device" : "has no body here");
    return refuse(c, d->ptx, why);
}

static at_status decode_one(decoder *c, at__decoded *d, int32_t index)
{
    const at__ptx_instruction *i = &c->function->instructions[index];
    const at__ptx_operand *o = &c->function->operands[i->first];
    int refs = 0, addresses = 0;
    *d = (at__decoded){ .ptx = i,
                        .guard = i->guard,
                        .guard_negated = i->guard_negated,
                        .target = -1,
                        .join = c->joins[index],
                        .keep = UINT64_MAX,
                        .syncs = waits_for_lanes(i),
                        .bytes = (uint8_t)at__ptx_type_bytes(i->type) };
    const int32_t zero = constant(c->code, 0);
    for (int k = 0; k < AT__MAX_REFS; k++)
        d->ref[k] = zero;
    if (i->group_count > 0 && i->width[0] > 0)
        d->keep = kept_bits(c, o);
    for (int g = 0; g < i->group_count; g++) {
        d->at[g] = (uint8_t)refs;
        for (int k = 0; k < i->width[g]; k++, refs++, o++) {
            if (refs == AT__MAX_REFS)
                return refuse(c, i, "it has too many operands");
            const at_status status = decode_operand(c, d, g, o, &d->ref[refs], &addresses);
            if (status != AT_OK)
                return status;
            if (d->ref[refs] == INT32_MIN)
                return at_fail(c->err, AT_ERR_MEMORY, "out of memory for a kernel's constants");
            if (o->negated && i->op != AT__PTX_SETP && i->op != AT__PTX_VOTE && i->op != AT__PTX_BAR &&
                i->op != AT__PTX_SET)
                return refuse(c, i, "'!' in front of an operand");
        }
    }
    if (!has_its_operands(i))
        return refuse(c, i, "it has another number of operands");
    if (target_kind(i->op) != AT__PTX_NOTHING && d->target < 0)
        return refuse(c, i, "it names no place in the code");
    d->run = select_handler(i);
    if (d->run && i->op == AT__PTX_MOV && o[-1].kind != AT__PTX_REGISTER && i->width[0] == 1 &&
        i->width[1] == 1 && i->type != AT__PTX_PRED)
        d->run = at__special_mov(o[-1].kind);
    if (d->run && i->op == AT__PTX_CALL)
        return check_call(c, d);
    return d->run ? AT_OK : refuse(c, i, "");
}

/* ---- functions ---- */

static at_status decode_function(decoder *c, int32_t number, at_error *err)
{
    int32_t *joins = NULL;
    const at__ptx_function *f = &c->machine->module->functions[number];
    static const at__ptx_instruction END = { .op = AT__PTX_RET, .guard = -1, .file = -1 };
    at__code *code = &c->program->functions[number];
    if (code->code)
        return AT_OK;
    c->number = number;
    c->function = f;
    c->code = code;
    code->function = f;
    code->slots = f->register_count + 1;
    code->code = calloc((size_t)f->instruction_count + 1, sizeof *code->code);
    if (!code->code)
        return at_fail(err, AT_ERR_MEMORY, "out of memory for a kernel's instructions");
    at_status status = at__find_joins(&joins, f, err);
    c->joins = joins;
    for (int32_t k = 0; k < f->instruction_count && status == AT_OK; k++)
        status = decode_one(c, &code->code[k], k);
    code->code[f->instruction_count] = (at__decoded){ .ptx = &END,
                                                      .run = at__select_control(&END),
                                                      .guard = -1,
                                                      .target = -1,
                                                      .join = -1,
                                                      .keep = UINT64_MAX };
    free(joins);
    return status;
}

/* Functions that are called from one that is decoded; *more: some were not. */
static at_status decode_called(decoder *c, int32_t number, bool *more)
{
    const at__ptx_module *m = c->machine->module;
    const at__code *code = &c->program->functions[number];
    for (int32_t k = 0; k < m->functions[number].instruction_count; k++) {
        const at__decoded *d = &code->code[k];
        if (d->ptx->op != AT__PTX_CALL || !m->functions[d->target].has_body ||
            c->program->functions[d->target].code)
            continue;
        *more = true;
        const at_status status = decode_function(c, d->target, c->err);
        if (status != AT_OK)
            return status;
    }
    return AT_OK;
}

at_status at__decode(at__machine *machine, int32_t entry, at_error *err)
{
    const at__ptx_module *m = machine->module;
    if (machine->program.entry == entry)
        return AT_OK;
    at__program_clear(&machine->program, m);
    machine->program.functions = calloc((size_t)m->function_count + 1, sizeof *machine->program.functions);
    if (!machine->program.functions)
        return at_fail(err, AT_ERR_MEMORY, "out of memory for a kernel's functions");
    decoder c = { .machine = machine, .program = &machine->program, .entry = entry, .err = err };
    at_status status = decode_function(&c, entry, err);
    for (bool more = true; more && status == AT_OK;) {
        more = false;
        for (int32_t f = 0; f < m->function_count && status == AT_OK; f++)
            if (machine->program.functions[f].code)
                status = decode_called(&c, f, &more);
    }
    if (status == AT_OK)
        machine->program.entry = entry;
    else
        at__program_clear(&machine->program, m);
    return status;
}

void at__program_clear(at__program *program, const at__ptx_module *module)
{
    for (int32_t f = 0; program->functions && f < module->function_count; f++) {
        free(program->functions[f].code);
        free(program->functions[f].constants);
    }
    free(program->functions);
    *program = (at__program){ .entry = AT__PTX_NO_INDEX };
}
