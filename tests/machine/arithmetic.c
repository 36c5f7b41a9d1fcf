/*
 * arithmetic.c - operands are, in this order: every special one with every other; then by turns any bits,
 * numbers of the exponents around 0 (a third operand near minus the product, so that all that is rounded
 * shows), and subnormal ones. Instructions with one operand of 16 bits are tried on all values.
 */
#include "arithmetic.h"

#include "declare/data.h"
#include "machine/machine.h"
#include "util/sha256.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMON_THREADS = 8192, ALL_OF_16_BITS = 65536 };

/* ---- rows ---- */

static const struct kind {
    const char *name;
    int bytes;
} KINDS[] = {
    { "f16", 2 },   { "bf16", 2 },   { "f16x2", 4 },  { "bf16x2", 4 }, { "f32", 4 },     { "f64", 8 },
    { "s8", 4 },    { "u8", 4 },     { "s16", 2 },    { "u16", 2 },    { "b16", 2 },     { "s32", 4 },
    { "u32", 4 },   { "b32", 4 },    { "s64", 8 },    { "u64", 8 },    { "b64", 8 },     { "pred", 4 },
    { "nz32", 4 },  { "nz64", 8 },   { "amount", 4 }, { "lane", 4 },   { "byte", 4 },    { "small", 4 },
    { "few16", 4 }, { "fewb16", 4 }, { "few32", 4 },  { "near16", 4 }, { "nearb16", 4 }, { "near32", 4 },
    { "few8", 4 },  { "few64", 8 },
};

static void read_place(place *p, const char *word, const char *line)
{
    const char *star = strchr(word, '*');
    p->count = star ? atoi(word) : 1;
    snprintf(p->type, sizeof p->type, "%s", star ? star + 1 : word);
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (strcmp(KINDS[i].name, p->type) == 0)
            p->bytes = KINDS[i].bytes;
    if (!p->bytes || p->count < 1 || p->count > 4) {
        fprintf(stderr, "arithmetic.txt: found '%s' in '%s'; expected a type\n", word, line);
        exit(2);
    }
}

bool row_read(row *out, const char *line)
{
    char words[160], *rest = words, *word;
    *out = (row){ .approximate = *line == '~' };
    snprintf(out->text, sizeof out->text, "%.*s", (int)strcspn(line, "\n"), line);
    if (!*out->text || *out->text == '#')
        return false;
    snprintf(words, sizeof words, "%s", out->text + out->approximate);
    char *literals = strchr(words, ';');
    if (literals) {
        snprintf(out->literals, sizeof out->literals, "%s", literals + 1);
        *literals = '\0';
    }
    for (int i = 0; (word = strtok_r(rest, " ", &rest)); i++)
        if (i == 0)
            snprintf(out->instruction, sizeof out->instruction, "%s", word);
        else if (i == 1)
            read_place(&out->out, word, line);
        else if (i > 2 && out->in_count < MOST_OPERANDS)
            read_place(&out->in[out->in_count++], word, line);
    const bool all = out->in_count == 1 && out->in[0].bytes == 2;
    out->threads = all ? ALL_OF_16_BITS : COMMON_THREADS;
    return true;
}

int64_t row_bytes(const row *r, const place *p)
{
    return r->threads * p->count * p->bytes;
}

/* ---- PTX ---- */

static const char *register_of(const place *p)
{
    return p->bytes == 2 ? "b16" : p->bytes == 4 ? "b32" : "b64";
}

/* "%a0" or "{%a0, %a1}". */
static void add_operand(atx_str *to, const row *r, const place *p, char name)
{
    const bool braces = strncmp(r->instruction, "mma", 3) == 0;
    atx_str_add(to, braces ? "{" : "");
    for (int i = 0; i < p->count; i++)
        atx_str_addf(to, "%s%%%c%d", i ? ", " : "", name, i);
    atx_str_add(to, braces ? "}" : "");
}

static void add_loads(atx_str *to, const place *p, int slot)
{
    const char name = (char)('a' + slot);
    atx_str_addf(to, "ld.param.u64 %%at, [p%d];\nmad.wide.u32 %%at, %%thread, %d, %%at;\n", slot,
                 p->count * p->bytes);
    for (int i = 0; i < p->count; i++)
        atx_str_addf(to, "ld.global.%s %%%c%d, [%%at+%d];\n", register_of(p), name, i, i * p->bytes);
}

static void add_stores(atx_str *to, const row *r)
{
    const bool pred = strcmp(r->out.type, "pred") == 0;
    atx_str_addf(to, "ld.param.u64 %%at, [out];\nmad.wide.u32 %%at, %%thread, %d, %%at;\n",
                 r->out.count * r->out.bytes);
    if (pred)
        atx_str_add(to, "selp.b32 %o0, 1, 0, %q0;\n");
    for (int i = 0; i < r->out.count; i++)
        atx_str_addf(to, "st.global.%s [%%at+%d], %%o%d;\n", register_of(&r->out), i * r->out.bytes, i);
}

void row_ptx(atx_str *to, const row *r)
{
    char literals[sizeof r->literals], *rest = literals, *word;
    const bool pred = strcmp(r->out.type, "pred") == 0;
    atx_str_add(to, ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out");
    for (int i = 0; i < r->in_count; i++)
        atx_str_addf(to, ", .param .u64 p%d", i);
    atx_str_addf(to,
                 ")\n{\n.reg .b64 %%at;\n.reg .b32 %%thread, %%t<3>;\n.reg .pred %%q<1>;\n.reg .%s %%o<4>;\n",
                 register_of(&r->out));
    for (int i = 0; i < r->in_count; i++)
        atx_str_addf(to, ".reg .%s %%%c<4>;\n", register_of(&r->in[i]), 'a' + i);
    atx_str_add(to, "mov.u32 %t0, %tid.x;\nmov.u32 %t1, %ctaid.x;\nmov.u32 %t2, %ntid.x;\n"
                    "mad.lo.u32 %thread, %t1, %t2, %t0;\n");
    for (int i = 0; i < r->in_count; i++)
        add_loads(to, &r->in[i], i);
    atx_str_addf(to, "%s ", r->instruction);
    add_operand(to, r, &r->out, pred ? 'q' : 'o');
    for (int i = 0; i < r->in_count; i++) {
        atx_str_add(to, ", ");
        add_operand(to, r, &r->in[i], (char)('a' + i));
    }
    memcpy(literals, r->literals, sizeof literals);
    while ((word = strtok_r(rest, " ", &rest)))
        atx_str_addf(to, ", %s", word);
    atx_str_add(to, ";\n");
    add_stores(to, r);
    atx_str_add(to, "ret;\n}\n");
}

/* ---- operands ---- */

static const uint64_t F64_SPECIAL[] = {
    0x0000000000000000, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000,
    0x3fefffffffffffff, 0x3ff0000000000001, 0x4000000000000000, 0x3fe0000000000000, 0x3ff8000000000000,
    0x4004000000000000, 0x405fe00000000000, 0x406fe00000000000, 0x40dfffe000000000, 0x40efffe000000000,
    0x41dfffffffc00000, 0x41e0000000000000, 0x41efffffffe00000, 0x41f0000000000000, 0x43dfffffffffffff,
    0x43e0000000000000, 0x43f0000000000000, 0x47efffffe0000000, 0x47effffff0000000, 0x380fffffc0000000,
    0x36a0000000000000, 0x3690000000000000, 0x7fe0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000,
    0x7ff8000000000000, 0x7ff0000000000001,
};
static const uint64_t F32_SPECIAL[] = {
    0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x3f800000, 0x3f7fffff, 0x3f800001, 0x40000000,
    0x3f000000, 0x3fc00000, 0x40200000, 0x42ff0000, 0x437f8000, 0x43e00000, 0x43e80000, 0x43e80001,
    0x47600000, 0x476fffff, 0x47700000, 0x477ff000, 0x46fffe00, 0x4effffff, 0x4f000000, 0x4f7fffff,
    0x4f800000, 0x5f000000, 0x5f800000, 0x33800000, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001,
};
static const uint64_t F16_SPECIAL[] = {
    0x0000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0x3bff, 0x3c01, 0x4000, 0x3800, 0x3e00,
    0x4100, 0x57f0, 0x5bf8, 0x5f00, 0x5f40, 0x7bff, 0x7b00, 0x7c00, 0x7e00, 0x7c01,
};
static const uint64_t BF16_SPECIAL[] = {
    0x0000, 0x0001, 0x007f, 0x0080, 0x3f80, 0x3f7f, 0x3f81, 0x4000, 0x3f00, 0x3fc0,
    0x4020, 0x43e0, 0x4760, 0x4f00, 0x5f00, 0x7f7f, 0x7f00, 0x7f80, 0x7fc0, 0x7f81,
};
static const uint64_t WHOLE_SPECIAL[] = {
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    63,
    64,
    127,
    128,
    255,
    256,
    32767,
    32768,
    65535,
    65536,
    0x7fffff,
    0x800000,
    0xffffff,
    0x1000001,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x100000000,
    0x1fffffffffffff,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xffffffff80000000,
    0xffffffffffffff80,
    0xffffffffffffffff,
};

typedef struct format {
    const char *type;
    const uint64_t *special;
    int count, exponent_bits, mantissa_bits; /* 0: whole numbers */
} format;

#define SPECIAL(table) table, (int)(sizeof table / sizeof *table)
static const format FORMATS[] = {
    { "f64", SPECIAL(F64_SPECIAL), 11, 52 },
    { "f32", SPECIAL(F32_SPECIAL), 8, 23 },
    { "f16", SPECIAL(F16_SPECIAL), 5, 10 },
    { "bf16", SPECIAL(BF16_SPECIAL), 8, 7 },
};
static const format WHOLE = { "", SPECIAL(WHOLE_SPECIAL), 0, 0 };

/* Of one number; packed ones are two of it. */
static const format *format_of(const char *type, bool *packed)
{
    char name[12];
    snprintf(name, sizeof name, "%s", type);
    char *pair = strstr(name, "x2");
    *packed = pair != NULL;
    if (pair)
        *pair = '\0';
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (strcmp(FORMATS[i].type, name) == 0)
            return &FORMATS[i];
    return &WHOLE;
}

/* A number with an exponent of [-4, 4) around 1. */
static uint64_t near_one(const format *f, uint64_t any)
{
    const uint64_t bias = ((uint64_t)1 << (f->exponent_bits - 1)) - 1,
                   mantissa = any & (((uint64_t)1 << f->mantissa_bits) - 1);
    const uint64_t exponent = bias + (any >> 56) % 8 - 4, sign = any >> 63;
    return sign << (f->exponent_bits + f->mantissa_bits) | exponent << f->mantissa_bits | mantissa;
}

static uint64_t subnormal(const format *f, uint64_t any)
{
    const uint64_t mantissa = any & (((uint64_t)1 << f->mantissa_bits) - 1);
    return (any >> 63) << (f->exponent_bits + f->mantissa_bits) | ((any >> 60) & 1) << f->mantissa_bits |
           mantissa;
}

static uint64_t special(const format *f, int64_t n)
{
    const uint64_t value = f->special[n % f->count], negative = (uint64_t)(n / f->count % 2);
    return f->exponent_bits ? value ^ negative << (f->exponent_bits + f->mantissa_bits) : value;
}

static uint64_t number(const format *f, int slot, int64_t i, uint64_t any)
{
    const int64_t n = f->count * (f->exponent_bits ? 2 : 1);
    if (i < n * n)
        return special(f, slot == 0 ? i % n : slot == 1 ? i / n : i * 7 + i / n);
    if (!f->exponent_bits)
        return i % 3 ? any : any >> (any >> 58);
    return i % 4 == 0 ? any : i % 4 == 3 ? subnormal(f, any) : near_one(f, any);
}

/* Four small numbers, in e4m3 or e5m2. */
static uint64_t few_bytes(uint64_t any)
{
    static const uint64_t BYTES[] = { 0x00, 0x38, 0xb8, 0x40, 0xc0, 0x48, 0x30, 0xb0 };
    uint64_t value = 0;
    for (int k = 0; k < 4; k++)
        value |= BYTES[any >> 3 * k & 7] << 8 * k;
    return value;
}

static uint64_t few_doubles(uint64_t any)
{
    static const double NUMBERS[] = { 0, 1, -1, 2, -2, 3, 4, -5 };
    uint64_t value;
    memcpy(&value, &NUMBERS[any % 8], sizeof value);
    return value;
}

static uint64_t few(const char *type, uint64_t any)
{
    static const uint32_t HALVES[] = { 0x0000, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4200, 0x4400, 0xc500 };
    static const uint32_t BRAINS[] = { 0x0000, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4040, 0x4080, 0xc0a0 };
    if (strcmp(type, "few8") == 0)
        return few_bytes(any);
    if (strcmp(type, "few64") == 0)
        return few_doubles(any);
    if (strcmp(type, "few16") == 0)
        return HALVES[any % 8] | HALVES[any / 8 % 8] << 16;
    if (strcmp(type, "fewb16") == 0)
        return BRAINS[any % 8] | BRAINS[any / 8 % 8] << 16;
    return BRAINS[any % 8] << 16;
}

/* Types that restrict an operand; false: any of its format. */
static bool restricted(uint64_t *out, const char *type, uint64_t any)
{
    if (strncmp(type, "few", 3) == 0)
        *out = few(type, any);
    else if (strcmp(type, "amount") == 0)
        *out = any % 7 ? any % 40 : any;
    else if (strcmp(type, "lane") == 0)
        *out = any % 32;
    else if (strcmp(type, "byte") == 0) /* what 64 bits are moved by: more than a byte is undefined */
        *out = any % 7 ? any % 70 : any % 256;
    else if (strcmp(type, "small") == 0)
        *out = any % 5;
    else if (strcmp(type, "near32") == 0)
        *out = near_one(&FORMATS[1], any);
    else if (strcmp(type, "near16") == 0)
        *out = near_one(&FORMATS[2], any) | near_one(&FORMATS[2], any * 0x9e3779b97f4a7c15u) << 16;
    else if (strcmp(type, "nearb16") == 0)
        *out = near_one(&FORMATS[3], any) | near_one(&FORMATS[3], any * 0x9e3779b97f4a7c15u) << 16;
    else
        return false;
    return true;
}

static uint64_t operand(const row *r, const place *p, int slot, int64_t i)
{
    const uint64_t any = atx_random(77 + (uint64_t)slot, (uint64_t)i);
    bool packed = false;
    uint64_t value;
    const format *f = format_of(p->type, &packed);
    if (restricted(&value, p->type, any))
        return value;
    if (r->threads == ALL_OF_16_BITS)
        return (uint64_t)i;
    value = number(f, slot, i, any);
    if (packed)
        value = (value & 0xffff) | number(f, slot, i + 3 * slot + 1, any * 0x9e3779b97f4a7c15u) << 16;
    if (strncmp(p->type, "nz", 2) == 0 && (p->bytes == 4 ? (uint32_t)value == 0 : value == 0))
        value = 5; /* what nothing can be divided by */
    return value;
}

/* The third of a sum of products, so that nearly all of it is cancelled. */
static uint64_t cancelling(const row *r, int64_t i, uint64_t c)
{
    const uint64_t a = operand(r, &r->in[0], 0, i), b = operand(r, &r->in[1], 1, i);
    if (strcmp(r->in[2].type, "f64") == 0) {
        double x, y;
        memcpy(&x, &a, 8);
        memcpy(&y, &b, 8);
        const double product = -(x * y);
        memcpy(&c, &product, 8);
    } else if (strcmp(r->in[2].type, "f32") == 0) {
        const uint32_t a32 = (uint32_t)a, b32 = (uint32_t)b;
        uint32_t c32;
        float x, y;
        memcpy(&x, &a32, 4);
        memcpy(&y, &b32, 4);
        const float product = -(x * y);
        memcpy(&c32, &product, 4);
        c = c32 ^ (uint32_t)(i / 4 % 4);
    }
    return c;
}

unsigned char *row_operand(const row *r, int slot)
{
    const place *p = &r->in[slot];
    const int64_t count = r->threads * p->count;
    unsigned char *bytes = malloc((size_t)row_bytes(r, p));
    for (int64_t i = 0; bytes && i < count; i++) {
        uint64_t value = operand(r, p, slot, i);
        if (slot == 2 && strncmp(r->instruction, "fma", 3) == 0 && i > COMMON_THREADS / 2 && i % 4 == 1)
            value = cancelling(r, i, value);
        memcpy(bytes + i * p->bytes, &value, (size_t)p->bytes);
    }
    return bytes;
}

/* ---- the machine ---- */

static at_status launch(atx_machine *machine, const atx_ptx_module *m, const row *r,
                        const uint64_t *addresses, at_error *err)
{
    atx_machine_result result;
    const atx_machine_launch l = { .function = atx_ptx_find_entry(m, "k"),
                                   .grid = { (uint32_t)(r->threads / THREADS_OF_A_BLOCK), 1, 1 },
                                   .block = { THREADS_OF_A_BLOCK, 1, 1 },
                                   .arguments = addresses,
                                   .argument_bytes = 8 * (r->in_count + 1) };
    at_status status = atx_machine_run(&result, machine, &l, err);
    if (status == AT_OK && result.finding.kind != ATX_FINDING_NONE)
        status = atx_fail(err, AT_ERR_INPUT, "%s", result.finding.text);
    return status;
}

at_status row_on_machine(unsigned char **out, const row *r, at_error *err)
{
    atx_str text = { 0 };
    atx_ptx_module *m = NULL;
    atx_machine *machine = NULL;
    uint64_t addresses[MOST_OPERANDS + 1];
    int region = 0;
    row_ptx(&text, r);
    at_status status = atx_ptx_parse(&m, text.data, text.len, err);
    if (status == AT_OK)
        status = atx_machine_open(&machine, m, err);
    for (int i = r->in_count; i >= 0 && status == AT_OK; i--) { /* the result last */
        unsigned char *initial = i ? row_operand(r, i - 1) : NULL;
        status = atx_machine_add_buffer(
            &region, machine,
            &(atx_machine_buffer){ i ? "operand" : "out", row_bytes(r, i ? &r->in[i - 1] : &r->out), 256,
                                   i ? ATX_REGION_INITIALISED : ATX_REGION_OUTPUT, initial },
            err);
        if (status == AT_OK)
            addresses[i] = atx_machine_region_at(machine, region)->address;
        free(initial);
    }
    if (status == AT_OK)
        status = launch(machine, m, r, addresses, err);
    if (status == AT_OK && !(*out = malloc((size_t)row_bytes(r, &r->out))))
        status = atx_no_memory(err);
    if (status == AT_OK && *out)
        memcpy(*out, atx_machine_region_at(machine, region)->data, (size_t)row_bytes(r, &r->out));
    atx_machine_close(machine);
    atx_ptx_close(m);
    atx_str_clear(&text);
    return status;
}

/* ---- comparing ---- */

static double value_of(const format *f, uint64_t bits)
{
    const int width = 1 + f->exponent_bits + f->mantissa_bits;
    const uint64_t mantissa = bits & (((uint64_t)1 << f->mantissa_bits) - 1);
    const int most = (1 << f->exponent_bits) - 1, exponent = (int)(bits >> f->mantissa_bits) & most;
    const double sign = bits >> (width - 1) & 1 ? -1 : 1;
    if (exponent == most)
        return mantissa ? NAN : sign * INFINITY;
    const double whole = (double)(mantissa | (exponent ? (uint64_t)1 << f->mantissa_bits : 0));
    return sign * ldexp(whole, (exponent ? exponent : 1) - (most >> 1) - f->mantissa_bits);
}

static double apart(const format *f, uint64_t got, uint64_t wanted)
{
    const double x = value_of(f, got), y = value_of(f, wanted);
    if (got == wanted || (isnan(x) && isnan(y)) || x == y)
        return 0;
    if (!isfinite(x) || !isfinite(y))
        return INFINITY;
    int exponent = 0;
    frexp(y, &exponent);
    const int least = 2 - (1 << (f->exponent_bits - 1)); /* of normal numbers */
    if (exponent - 1 < least)
        exponent = least + 1;
    return fabs(x - y) / ldexp(1, exponent - 1 - f->mantissa_bits);
}

double row_apart(const row *r, const unsigned char *got, const unsigned char *wanted, bool *same_bits)
{
    const int64_t bytes = row_bytes(r, &r->out);
    bool packed = false;
    const format *f = format_of(r->out.type, &packed);
    const int width = packed ? 2 : r->out.bytes;
    double most = 0;
    *same_bits = memcmp(got, wanted, (size_t)bytes) == 0;
    for (int64_t i = 0; i < bytes && !*same_bits; i += width) {
        uint64_t x = 0, y = 0;
        memcpy(&x, got + i, (size_t)width);
        memcpy(&y, wanted + i, (size_t)width);
        const double off = f->exponent_bits ? apart(f, x, y) : x == y ? 0 : INFINITY;
        most = off > most ? off : most;
    }
    return most;
}

void row_hash(char out[17], const row *r, const unsigned char *bytes)
{
    const int64_t count = row_bytes(r, &r->out);
    char text[ATX_HASH_TEXT];
    bool packed = false;
    const format *f = format_of(r->out.type, &packed);
    const int width = packed ? 2 : r->out.bytes;
    unsigned char *copy = malloc((size_t)count);
    for (int64_t i = 0; copy && i < count; i += width) {
        uint64_t value = 0;
        memcpy(&value, bytes + i, (size_t)width);
        if (f->exponent_bits && isnan(value_of(f, value)))
            value = UINT64_MAX;
        memcpy(copy + i, &value, (size_t)width);
    }
    atx_hash_text(text, copy, copy ? (size_t)count : 0);
    snprintf(out, 17, "%.16s", text);
    free(copy);
}
