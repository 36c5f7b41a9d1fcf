/*
 * machine_decode.c - instructions as the parser has them to instructions as they run: operands become places
 * of lanes, labels instructions, addresses a register and an offset.
 */
#include "machine/machine_internal.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct decoder {
    atx_machine *machine;
    atx_program *program;
    int32_t entry, number; /* of functions */
    atx_code *code;
    const atx_ptx_function *function;
    const int32_t *joins;
    at_error *err;
} decoder;

static const char *source_of(char out[300], const decoder *c, const atx_ptx_instruction *i)
{
    out[0] = '\0';
    if (i->file >= 0)
        snprintf(out, 300, " (source %s:%d)", c->machine->module->files[i->file], i->line);
    return out;
}

static at_status refuse(const decoder *c, const atx_ptx_instruction *i, const char *why)
{
    char source[300];
    atx_fail(c->err, AT_ERR_INPUT, "PTX:%d: '%s%s%s%s%s' is not known to the machine%s%s%s", i->text_line,
             atx_ptx_op_name(i->op), i->type ? "." : "", atx_ptx_type_name(i->type), i->from ? "." : "",
             atx_ptx_type_name(i->from), *why ? ": " : "", why, source_of(source, c, i));
    return AT_ERR_INPUT;
}

/* ---- operands ---- */

/* ~ of the place of a constant; equal ones share it. INT32_MIN: out of memory. */
static int32_t constant(atx_code *code, uint64_t value)
{
    for (int32_t i = 0; i < code->constant_count && i < 64; i++)
        if (code->constants[(size_t)i * ATX_LANES] == value)
            return ~i;
    if ((size_t)code->constant_count == code->constant_cap) {
        const size_t cap = code->constant_cap ? 2 * code->constant_cap : 32;
        uint64_t *grown = realloc(code->constants, cap * ATX_LANES * sizeof *grown);
        if (!grown)
            return INT32_MIN;
        code->constants = grown;
        code->constant_cap = cap;
    }
    for (int l = 0; l < ATX_LANES; l++)
        code->constants[(size_t)code->constant_count * ATX_LANES + (size_t)l] = value;
    return ~code->constant_count++;
}

/* The type that a number in this group has. */
static int number_type(const atx_ptx_instruction *i, int group)
{
    const bool converts = i->op == ATX_PTX_CVT || i->op == ATX_PTX_SET;
    return group > 0 && converts && i->from ? i->from : i->type;
}

static uint64_t number_bits(const atx_ptx_operand *o, int type)
{
    if (type == ATX_PTX_F32 && o->real_bits == 64)
        return atx_bits_f32((float)atx_f64((uint64_t)o->value));
    if (type == ATX_PTX_F64 && o->real_bits == 32)
        return atx_bits_f64((double)atx_f32((uint64_t)o->value));
    return (uint64_t)o->value;
}

/* Where a variable is; *frame: counted from the frame of its function. false: it has no address. */
static bool variable_address(uint64_t *out, bool *frame, const decoder *c, int32_t variable)
{
    const atx_ptx_module *m = c->machine->module;
    const atx_ptx_variable *v = &m->variables[variable];
    const atx_ptx_function *entry = &m->functions[c->entry];
    const int32_t region = c->machine->variable_regions[variable];
    *frame = false;
    if (region >= 0)
        *out = c->machine->regions[region].address;
    else if (v->space == ATX_PTX_SHARED && v->external)
        *out = (uint64_t)(ATX_MACHINE_SHARED_BASE + (entry->shared_bytes + 15) / 16 * 16);
    else if (v->space == ATX_PTX_SHARED)
        *out = (uint64_t)(ATX_MACHINE_SHARED_BASE + v->offset);
    else if (v->space == ATX_PTX_LOCAL || v->space == ATX_PTX_PARAM) {
        bool of_entry = false;
        for (int k = 0; k < c->function->param_count && c->function->is_entry; k++)
            of_entry = of_entry || c->function->params[k] == variable;
        *frame = !of_entry;
        *out = (uint64_t)v->offset + (of_entry ? 0 : ATX_MACHINE_LOCAL_BASE);
    } else
        return false;
    return true;
}

static at_status decode_address(decoder *c, atx_decoded *d, const atx_ptx_operand *o, int32_t *ref,
                                int *addresses)
{
    uint64_t address = 0;
    bool frame = false;
    if (*addresses == 3)
        return refuse(c, d->ptx, "it has four addresses");
    if (o->base == ATX_PTX_BASE_VARIABLE && !variable_address(&address, &frame, c, o->index))
        return refuse(c, d->ptx, "this variable has no address");
    *ref = o->base == ATX_PTX_BASE_REGISTER ? o->index : constant(c->code, 0);
    d->offset[*addresses] = (int64_t)(address + (uint64_t)o->value);
    d->frame[*addresses] = frame ? ATX_BASE_FRAME : ATX_BASE_FIXED;
    ++*addresses;
    return AT_OK;
}

/* Where an instruction goes that goes elsewhere; ATX_PTX_NOTHING: it does not. */
static atx_ptx_operand_kind target_kind(int op)
{
    switch (op) {
    case ATX_PTX_BRA:
        return ATX_PTX_LABEL;
    case ATX_PTX_BRX:
        return ATX_PTX_TABLE;
    case ATX_PTX_CALL:
        return ATX_PTX_FUNCTION;
    default:
        return ATX_PTX_NOTHING;
    }
}

static at_status decode_operand(decoder *c, atx_decoded *d, int group, const atx_ptx_operand *o, int32_t *ref,
                                int *addresses)
{
    uint64_t address = 0;
    bool frame = false;
    switch ((atx_ptx_operand_kind)o->kind) {
    case ATX_PTX_NOTHING:
        *ref = c->code->slots - 1;
        return AT_OK;
    case ATX_PTX_REGISTER:
        if (d->ptx->op == ATX_PTX_CALL && group != 1)
            return refuse(c, d->ptx, "parameters of calls are variables");
        *ref = o->index;
        return AT_OK;
    case ATX_PTX_NUMBER:
        *ref = constant(c->code, number_bits(o, number_type(d->ptx, group)));
        return AT_OK;
    case ATX_PTX_ADDRESS:
        return decode_address(c, d, o, ref, addresses);
    case ATX_PTX_VARIABLE:
        if (d->ptx->op == ATX_PTX_CALL && group != 1)
            return variable_address(&address, &frame, c, o->index) && frame
                       ? AT_OK
                       : refuse(c, d->ptx,
                                "a parameter of the call is at another offset than in its function");
        if ((d->ptx->op != ATX_PTX_MOV && d->ptx->op != ATX_PTX_CVTA) ||
            !variable_address(&address, &frame, c, o->index))
            return refuse(c, d->ptx, "an address of a variable is only taken by mov");
        d->frame[0] = frame ? ATX_BASE_FRAME : ATX_BASE_FIXED;
        *ref = constant(c->code, address + (uint64_t)o->value);
        return AT_OK;
    case ATX_PTX_SPECIAL_OF:
        c->program->uses_reserved = c->program->uses_reserved ||
                                    o->index == ATX_PTX_SPECIAL_RESERVED_SMEM_OFFSET_0 ||
                                    o->index == ATX_PTX_SPECIAL_RESERVED_SMEM_OFFSET_1;
        return d->ptx->op == ATX_PTX_MOV ? AT_OK
                                         : refuse(c, d->ptx, "a special register is only read by mov");
    case ATX_PTX_LABEL:
    case ATX_PTX_TABLE:
    case ATX_PTX_FUNCTION:
        d->target = o->index;
        if (o->kind == ATX_PTX_FUNCTION && d->ptx->op == ATX_PTX_MOV) {
            *ref = constant(c->code, atx_function_address(o->index));
            return AT_OK;
        }
        return o->kind == target_kind(d->ptx->op) ? AT_OK
                                                  : refuse(c, d->ptx, "addresses of code are not known");
    }
    return refuse(c, d->ptx, "an operand of an unknown kind");
}

static uint64_t kept_bits(const decoder *c, const atx_ptx_operand *o)
{
    if (o->kind != ATX_PTX_REGISTER)
        return UINT64_MAX;
    const int bytes = atx_ptx_type_bytes(c->function->registers[o->index].type);
    return bytes == 0 || bytes >= 8 ? UINT64_MAX : ((uint64_t)1 << (8 * bytes)) - 1;
}

/* ---- who executes it ---- */

/* Operands of ops that have always as many; a result that two ops share counts. Others see to it themselves.
 */
static int operand_count(int op)
{
    switch (op) {
    case ATX_PTX_ABS:
    case ATX_PTX_NEG:
    case ATX_PTX_NOT:
    case ATX_PTX_CNOT:
    case ATX_PTX_POPC:
    case ATX_PTX_CLZ:
    case ATX_PTX_BREV:
    case ATX_PTX_BFIND:
    case ATX_PTX_RCP:
    case ATX_PTX_SQRT:
    case ATX_PTX_RSQRT:
    case ATX_PTX_EX2:
    case ATX_PTX_LG2:
    case ATX_PTX_SIN:
    case ATX_PTX_COS:
    case ATX_PTX_TANH:
    case ATX_PTX_TESTP:
    case ATX_PTX_CVTA:
    case ATX_PTX_ISSPACEP:
    case ATX_PTX_GETCTARANK:
        return 2;
    case ATX_PTX_ADD:
    case ATX_PTX_SUB:
    case ATX_PTX_MUL:
    case ATX_PTX_MUL24:
    case ATX_PTX_DIV:
    case ATX_PTX_REM:
    case ATX_PTX_AND:
    case ATX_PTX_OR:
    case ATX_PTX_XOR:
    case ATX_PTX_SHL:
    case ATX_PTX_SHR:
    case ATX_PTX_COPYSIGN:
    case ATX_PTX_BMSK:
    case ATX_PTX_MAPA:
        return 3;
    case ATX_PTX_MAD:
    case ATX_PTX_MAD24:
    case ATX_PTX_FMA:
    case ATX_PTX_SAD:
    case ATX_PTX_BFE:
    case ATX_PTX_SHF:
    case ATX_PTX_PRMT:
    case ATX_PTX_DP4A:
    case ATX_PTX_DP2A:
    case ATX_PTX_FNS:
    case ATX_PTX_VABSDIFF2:
    case ATX_PTX_VABSDIFF4:
    case ATX_PTX_SELP:
    case ATX_PTX_SLCT:
        return 4;
    case ATX_PTX_BFI:
    case ATX_PTX_LOP3:
        return 5;
    default:
        return 0;
    }
}

static bool has_its_operands(const atx_ptx_instruction *i)
{
    const int count = operand_count(i->op), g = i->group_count;
    for (int k = 0; k < g && count; k++)
        if (i->width[k] != 1)
            return false;
    if (i->op == ATX_PTX_MIN || i->op == ATX_PTX_MAX)
        return g == 3 || (g == 4 && i->type == ATX_PTX_F32);
    if (i->op == ATX_PTX_SETP)
        return i->action ? g == 4 || g == 5 : g == 3 || g == 4;
    if (i->op == ATX_PTX_SET)
        return g == (i->action ? 4 : 3);
    return !count || g == count;
}

typedef atx_handler *selector(const atx_ptx_instruction *i);

static atx_handler *select_handler(const atx_ptx_instruction *i)
{
    static selector *const SELECTORS[] = { atx_select_int,     atx_select_logic,    atx_select_compare,
                                           atx_select_move,    atx_select_float,    atx_select_approx,
                                           atx_select_convert, atx_select_half,     atx_select_mma,
                                           atx_select_wmma,    atx_select_memory,   atx_select_atomic,
                                           atx_select_async,   atx_select_mbarrier, atx_select_warp,
                                           atx_select_matrix,  atx_select_control,  atx_select_barrier };
    for (size_t k = 0; k < sizeof SELECTORS / sizeof *SELECTORS; k++) {
        atx_handler *found = SELECTORS[k](i);
        if (found)
            return found;
    }
    return NULL;
}

static bool waits_for_lanes(const atx_ptx_instruction *i)
{
    switch (i->op) {
    case ATX_PTX_SHFL:
    case ATX_PTX_VOTE:
    case ATX_PTX_MATCH:
    case ATX_PTX_REDUX:
    case ATX_PTX_ELECT:
        return true;
    case ATX_PTX_BAR:
        return i->form == ATX_PTX_BAR_WARP;
    default:
        return false;
    }
}

/* Functions of the device's own libraries, whose bodies are not in the module. */
static at_status check_call(const decoder *c, const atx_decoded *d)
{
    const atx_ptx_function *f = &c->machine->module->functions[d->target];
    char why[200];
    if (f->has_body || atx_is_system_function(f->name))
        return AT_OK;
    snprintf(why, sizeof why, "it calls '%.100s', which has no body here", f->name);
    return refuse(c, d->ptx, why);
}

static at_status decode_one(decoder *c, atx_decoded *d, int32_t index)
{
    const atx_ptx_instruction *i = &c->function->instructions[index];
    const atx_ptx_operand *o = &c->function->operands[i->first];
    int refs = 0, addresses = 0;
    *d = (atx_decoded){ .ptx = i,
                        .guard = i->guard,
                        .guard_negated = i->guard_negated,
                        .target = -1,
                        .join = c->joins[index],
                        .keep = UINT64_MAX,
                        .syncs = waits_for_lanes(i),
                        .bytes = (uint8_t)atx_ptx_type_bytes(i->type) };
    const int32_t zero = constant(c->code, 0);
    for (int k = 0; k < ATX_MAX_REFS; k++)
        d->ref[k] = zero;
    if (i->group_count > 0 && i->width[0] > 0)
        d->keep = kept_bits(c, o);
    for (int g = 0; g < i->group_count; g++) {
        d->at[g] = (uint8_t)refs;
        for (int k = 0; k < i->width[g]; k++, refs++, o++) {
            if (refs == ATX_MAX_REFS)
                return refuse(c, i, "it has too many operands");
            const at_status status = decode_operand(c, d, g, o, &d->ref[refs], &addresses);
            if (status != AT_OK)
                return status;
            if (d->ref[refs] == INT32_MIN)
                return atx_fail(c->err, AT_ERR_MEMORY, "out of memory for a kernel's constants");
            if (o->negated && i->op != ATX_PTX_SETP && i->op != ATX_PTX_VOTE && i->op != ATX_PTX_BAR &&
                i->op != ATX_PTX_SET)
                return refuse(c, i, "'!' in front of an operand");
        }
    }
    if (!has_its_operands(i))
        return refuse(c, i, "it has another number of operands");
    const bool by_address = i->op == ATX_PTX_CALL && o[-1 - i->width[2]].kind == ATX_PTX_REGISTER;
    if (target_kind(i->op) != ATX_PTX_NOTHING && d->target < 0 && !by_address)
        return refuse(c, i, "it names no place in the code");
    d->run = select_handler(i);
    if (d->run && i->op == ATX_PTX_MOV && o[-1].kind != ATX_PTX_REGISTER && i->width[0] == 1 &&
        i->width[1] == 1 && i->type != ATX_PTX_PRED)
        d->run = atx_special_mov(o[-1].kind);
    if (d->run && by_address) {
        c->program->calls_addresses = true;
        d->run = atx_call_address;
        return AT_OK;
    }
    if (d->run && i->op == ATX_PTX_CALL)
        return check_call(c, d);
    return d->run ? AT_OK : refuse(c, i, "");
}

/* ---- functions ---- */

static at_status decode_function(decoder *c, int32_t number, at_error *err)
{
    int32_t *joins = NULL;
    const atx_ptx_function *f = &c->machine->module->functions[number];
    static const atx_ptx_instruction END = { .op = ATX_PTX_RET, .guard = -1, .file = -1 };
    atx_code *code = &c->program->functions[number];
    if (code->code)
        return AT_OK;
    c->number = number;
    c->function = f;
    c->code = code;
    code->function = f;
    code->slots = f->register_count + 1;
    code->code = calloc((size_t)f->instruction_count + 1, sizeof *code->code);
    if (!code->code)
        return atx_fail(err, AT_ERR_MEMORY, "out of memory for a kernel's instructions");
    at_status status = atx_find_joins(&joins, f, err);
    c->joins = joins;
    for (int32_t k = 0; k < f->instruction_count && status == AT_OK; k++)
        status = decode_one(c, &code->code[k], k);
    code->code[f->instruction_count] = (atx_decoded){ .ptx = &END,
                                                      .run = atx_select_control(&END),
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
    const atx_ptx_module *m = c->machine->module;
    const atx_code *code = &c->program->functions[number];
    for (int32_t k = 0; k < m->functions[number].instruction_count; k++) {
        const atx_decoded *d = &code->code[k];
        if (d->ptx->op != ATX_PTX_CALL || d->target < 0 || !m->functions[d->target].has_body ||
            c->program->functions[d->target].code)
            continue;
        *more = true;
        const at_status status = decode_function(c, d->target, c->err);
        if (status != AT_OK)
            return status;
    }
    return AT_OK;
}

at_status atx_decode(atx_machine *machine, int32_t entry, at_error *err)
{
    const atx_ptx_module *m = machine->module;
    if (machine->program.entry == entry)
        return AT_OK;
    atx_program_clear(&machine->program, m);
    machine->program.functions = calloc((size_t)m->function_count + 1, sizeof *machine->program.functions);
    if (!machine->program.functions)
        return atx_fail(err, AT_ERR_MEMORY, "out of memory for a kernel's functions");
    decoder c = { .machine = machine, .program = &machine->program, .entry = entry, .err = err };
    at_status status = decode_function(&c, entry, err);
    for (bool more = true; more && status == AT_OK;) {
        more = false;
        for (int32_t f = 0; f < m->function_count && status == AT_OK; f++) {
            if (machine->program.calls_addresses && m->functions[f].has_body && !m->functions[f].is_entry)
                status = decode_function(&c, f, err); /* any may be meant */
            if (machine->program.functions[f].code && status == AT_OK)
                status = decode_called(&c, f, &more);
        }
    }
    if (status == AT_OK)
        machine->program.entry = entry;
    else
        atx_program_clear(&machine->program, m);
    return status;
}

void atx_program_clear(atx_program *program, const atx_ptx_module *module)
{
    for (int32_t f = 0; program->functions && f < module->function_count; f++) {
        free(program->functions[f].code);
        free(program->functions[f].constants);
    }
    free(program->functions);
    *program = (atx_program){ .entry = ATX_PTX_NO_INDEX };
}
