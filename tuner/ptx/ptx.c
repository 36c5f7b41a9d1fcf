/* ptx.c - see ptx.h. Names of enumerators, and queries of a module. */
#include "ptx/ptx.h"

#include <string.h>

static const char *const op_names[] = {
#define ATX_PTX_OP(NAME, text) [ATX_PTX_##NAME] = text,
#include "ptx/ptx_ops.h"
#undef ATX_PTX_OP
};

typedef struct type_row {
    const char *name;
    int bytes;
} type_row;

static const type_row types[ATX_PTX_TYPE_COUNT] = {
    [ATX_PTX_NO_TYPE] = { "", 0 },      [ATX_PTX_PRED] = { "pred", 0 },   [ATX_PTX_B8] = { "b8", 1 },
    [ATX_PTX_B16] = { "b16", 2 },       [ATX_PTX_B32] = { "b32", 4 },     [ATX_PTX_B64] = { "b64", 8 },
    [ATX_PTX_B128] = { "b128", 16 },    [ATX_PTX_U8] = { "u8", 1 },       [ATX_PTX_U16] = { "u16", 2 },
    [ATX_PTX_U32] = { "u32", 4 },       [ATX_PTX_U64] = { "u64", 8 },     [ATX_PTX_S8] = { "s8", 1 },
    [ATX_PTX_S16] = { "s16", 2 },       [ATX_PTX_S32] = { "s32", 4 },     [ATX_PTX_S64] = { "s64", 8 },
    [ATX_PTX_F16] = { "f16", 2 },       [ATX_PTX_F16X2] = { "f16x2", 4 }, [ATX_PTX_BF16] = { "bf16", 2 },
    [ATX_PTX_BF16X2] = { "bf16x2", 4 }, [ATX_PTX_TF32] = { "tf32", 4 },   [ATX_PTX_F32] = { "f32", 4 },
    [ATX_PTX_F64] = { "f64", 8 },       [ATX_PTX_F32X2] = { "f32x2", 8 }, [ATX_PTX_E4M3X2] = { "e4m3x2", 2 },
    [ATX_PTX_E5M2X2] = { "e5m2x2", 2 }, [ATX_PTX_U16X2] = { "u16x2", 4 }, [ATX_PTX_S16X2] = { "s16x2", 4 },
    [ATX_PTX_E4M3] = { "e4m3", 0 },     [ATX_PTX_E5M2] = { "e5m2", 0 },   [ATX_PTX_S4] = { "s4", 0 },
    [ATX_PTX_U4] = { "u4", 0 },         [ATX_PTX_B1] = { "b1", 0 },
};

const char *atx_ptx_op_name(int op)
{
    return op >= 0 && op < ATX_PTX_OP_COUNT ? op_names[op] : "";
}

const char *atx_ptx_type_name(int type)
{
    return type >= 0 && type < ATX_PTX_TYPE_COUNT ? types[type].name : "";
}

int atx_ptx_type_bytes(int type)
{
    return type >= 0 && type < ATX_PTX_TYPE_COUNT ? types[type].bytes : 0;
}

const char *atx_ptx_space_name(int space)
{
    static const char *const NAMES[] = { "generic", "global", "shared", "shared::cluster",
                                         "local",   "const",  "param" };
    return space >= 0 && space <= ATX_PTX_PARAM ? NAMES[space] : "";
}

const atx_ptx_operand *atx_ptx_group(const atx_ptx_function *f, const atx_ptx_instruction *i, int g)
{
    const atx_ptx_operand *at = f->operands + i->first;
    for (int k = 0; k < g; k++)
        at += i->width[k];
    return at;
}

/* Whether the mangled name says `written`: its identifiers in their order, as in _ZN2ns1kE. */
static bool is_mangled(const char *name, const char *written)
{
    const char *at = name;
    if (strncmp(at, "_Z", 2) != 0)
        return false;
    at += 2;
    at += *at == 'N';
    while (*written) {
        const size_t len = strcspn(written, ":");
        size_t digits = strspn(at, "0123456789"), number = 0;
        for (size_t i = 0; i < digits && i < 6; i++)
            number = 10 * number + (size_t)(at[i] - '0');
        at += digits;
        if (digits == 0 || number != len || strncmp(at, written, len) != 0)
            return false;
        at += len;
        written += len;
        written += strspn(written, ":");
    }
    return true;
}

int32_t atx_ptx_find_entry(const atx_ptx_module *module, const char *name)
{
    int32_t found = ATX_PTX_NO_INDEX, count = 0;
    for (int32_t i = 0; i < module->function_count; i++) {
        const atx_ptx_function *f = &module->functions[i];
        if (!f->is_entry || !f->has_body)
            continue;
        if (name && strcmp(f->name, name) == 0)
            return i;
        if (!name || is_mangled(f->name, name)) {
            found = i;
            count++;
        }
    }
    return count == 1 ? found : ATX_PTX_NO_INDEX;
}
