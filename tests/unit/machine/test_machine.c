/* test_machine.c - instructions on the machine, each family by values that were worked out by hand. */
#include "machine_support.h"

/* ---- single instructions ---- */

typedef struct sample {
    const char *text; /* %d1, %d2, %d3 to %d0; %r, %h, %f, %fd of the same numbers hold the same bits */
    uint64_t a, b, c, wanted;
} sample;

/* The kind of register that has the result: that of the first operand. */
static const char *store_of(const char *text)
{
    const char *at = strchr(text, '%');
    if (strncmp(at, "%p", 2) == 0)
        return "selp.b64 %d0, 1, 0, %p0;";
    if (strncmp(at, "%h", 2) == 0)
        return "cvt.u64.u16 %d0, %h0;";
    if (strncmp(at, "%r", 2) == 0)
        return "cvt.u64.u32 %d0, %r0;";
    if (strncmp(at, "%fd", 3) == 0)
        return "mov.b64 %d0, %fd0;";
    return strncmp(at, "%f", 2) == 0 ? "mov.b32 %r0, %f0; cvt.u64.u32 %d0, %r0;" : "";
}

static uint64_t evaluate(const sample *s)
{
    atx_str body = { 0 };
    run *r = calloc(1, sizeof *r);
    const uint64_t values[3] = { s->a, s->b, s->c };
    for (int i = 1; i <= 3; i++)
        atx_str_addf(&body,
                     "mov.b64 %%d%d, 0x%llx;\ncvt.u32.u64 %%r%d, %%d%d;\ncvt.u16.u64 %%h%d, %%d%d;\n"
                     "mov.b32 %%f%d, %%r%d;\nmov.b64 %%fd%d, %%d%d;\nsetp.ne.b64 %%p%d, %%d%d, 0;\n",
                     i, (unsigned long long)values[i - 1], i, i, i, i, i, i, i, i, i, i);
    atx_str_addf(&body, "%s;\n%s\nst.global.u64 [%%out], %%d0;", s->text, store_of(s->text));
    run_body(r, body.data);
    cr_assert(r->result.finding.kind == ATX_FINDING_NONE, "%s: %s", s->text, r->result.finding.text);
    uint64_t out;
    memcpy(&out, r->out, sizeof out);
    atx_str_clear(&body);
    free(r);
    return out;
}

static void expect(const sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t got = evaluate(&samples[i]);
        cr_assert(got == samples[i].wanted, "%s of 0x%llx, 0x%llx, 0x%llx: 0x%llx, not 0x%llx",
                  samples[i].text, (unsigned long long)samples[i].a, (unsigned long long)samples[i].b,
                  (unsigned long long)samples[i].c, (unsigned long long)got,
                  (unsigned long long)samples[i].wanted);
    }
}
#define EXPECT(samples) expect(samples, sizeof samples / sizeof *samples)

Test(machine, whole_numbers_wrap_saturate_and_divide)
{
    static const sample SAMPLES[] = {
        { "add.s32 %r0, %r1, %r2", 0x7fffffff, 1, 0, 0x80000000 },
        { "add.sat.s32 %r0, %r1, %r2", 0x7fffffff, 1, 0, 0x7fffffff },
        { "sub.sat.s32 %r0, %r1, %r2", 0x80000000, 1, 0, 0x80000000 },
        { "add.u16 %h0, %h1, %h2", 0xffff, 2, 0, 1 },
        { "sub.u64 %d0, %d1, %d2", 0, 1, 0, UINT64_MAX },
        { "mul.lo.s32 %r0, %r1, %r2", 0xffffffff, 7, 0, 0xfffffff9 },
        { "mul.hi.s32 %r0, %r1, %r2", 0xffffffff, 7, 0, 0xffffffff },
        { "mul.hi.u32 %r0, %r1, %r2", 0xffffffff, 7, 0, 6 },
        { "mul.hi.u64 %d0, %d1, %d2", UINT64_MAX, 3, 0, 2 },
        { "mul.hi.s64 %d0, %d1, %d2", UINT64_MAX, 3, 0, UINT64_MAX },
        { "mul.wide.s32 %d0, %r1, %r2", 0xffffffff, 5, 0, (uint64_t)-5 },
        { "mul.wide.u32 %d0, %r1, -1", 2, 0, 0, 0x1fffffffe },
        { "mul.wide.s16 %r0, %h1, %h2", 0xffff, 5, 0, 0xfffffffb },
        { "mad.lo.s32 %r0, %r1, %r2, %r3", 3, 4, 5, 17 },
        { "mad.hi.u32 %r0, %r1, %r2, %r3", 0x80000000, 4, 5, 7 },
        { "mad.wide.s32 %d0, %r1, %r2, %d3", 0xffffffff, 8, 100, 92 },
        { "mad.wide.u32 %d0, %r1, %r2, %d3", 0xffffffff, 8, 100, 0x7fffffff8 + 100 },
        { "div.s32 %r0, %r1, %r2", (uint32_t)-7, 2, 0, (uint32_t)-3 },
        { "rem.s32 %r0, %r1, %r2", (uint32_t)-7, 2, 0, (uint32_t)-1 },
        { "div.s32 %r0, %r1, %r2", 0x80000000, 0xffffffff, 0, 0x80000000 },
        { "div.u64 %d0, %d1, %d2", UINT64_MAX, 10, 0, UINT64_MAX / 10 },
        { "min.s32 %r0, %r1, %r2", 0xffffffff, 1, 0, 0xffffffff },
        { "min.u32 %r0, %r1, %r2", 0xffffffff, 1, 0, 1 },
        { "max.s64 %d0, %d1, %d2", UINT64_MAX, 1, 0, 1 },
        { "abs.s32 %r0, %r1", (uint32_t)-5, 0, 0, 5 },
        { "neg.s16 %h0, %h1", 5, 0, 0, 0xfffb },
        { "sad.s32 %r0, %r1, %r2, %r3", (uint32_t)-5, 5, 100, 110 },
        { "sad.u32 %r0, %r1, %r2, %r3", 3, 5, 100, 102 },
        { "add.u16x2 %r0, %r1, %r2", 0x0001ffff, 0x00020003, 0, 0x00030002 },
        { "min.s16x2 %r0, %r1, %r2", 0x00018000, 0xffff0003, 0, 0xffff8000 },
        { "max.u16x2 %r0, %r1, %r2", 0x00018000, 0xffff0003, 0, 0xffff8000 },
        { "max.s16x2.relu %r0, %r1, %r2", 0x00018000, 0xffff8001, 0, 0x00010000 },
        { "dp4a.s32.s32 %r0, %r1, %r2, %r3", 0xff020304, 0x01010101, 10, 18 },
        { "dp4a.u32.s32 %r0, %r1, %r2, %r3", 0xff020304, 0x01010101, 10, 274 },
        { "vabsdiff4.u32.u32.u32 %r0, %r1, %r2, %r3", 0x01ff0305, 0x02010307, 9, 0x01fe0002 },
        { "vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3", 0x01ff0305, 0x02010307, 9, 1 + 254 + 2 + 9 },
        { "vabsdiff4.s32.s32.s32 %r0, %r1, %r2, %r3", 0x01ff0305, 0x02010307, 9, 0x01020002 },
        { "vabsdiff2.u32.u32.u32.add %r0, %r1, %r2, %r3", 0x00010003, 0x00020001, 9, 1 + 2 + 9 },
        { "fns.b32 %r0, %r1, %r2, %r3", 0xb0, 0, 2, 5 },
        { "fns.b32 %r0, %r1, %r2, %r3", 0xb0, 31, (uint32_t)-2, 5 },
        { "fns.b32 %r0, %r1, %r2, %r3", 0xb0, 4, 0, 4 },
        { "fns.b32 %r0, %r1, %r2, %r3", 0xb0, 5, 4, UINT32_MAX },
        { "dp2a.lo.s32.s32 %r0, %r1, %r2, %r3", 0xffff0003, 0x0204, 1, 11 },
        { "add.cc.u32 %r4, %r1, %r2; addc.u32 %r0, %r3, 0", 0xffffffff, 1, 7, 8 },
        { "sub.cc.u32 %r4, %r1, %r2; subc.u32 %r0, %r3, 0", 0, 1, 7, 6 },
        { "add.cc.u64 %d4, %d1, %d2; addc.u64 %d0, %d3, 0", UINT64_MAX, 1, 7, 8 },
        { "mad.lo.cc.u32 %r4, %r1, %r2, %r3; madc.hi.u32 %r0, %r1, %r2, 0", 0x80000000, 3, 0x80000000, 2 },
    };
    EXPECT(SAMPLES);
}

Test(machine, bits_shift_and_fields_move)
{
    static const sample SAMPLES[] = {
        { "shl.b32 %r0, %r1, %r2", 1, 31, 0, 0x80000000 },
        { "shl.b32 %r0, %r1, %r2", 1, 32, 0, 0 },
        { "shr.s32 %r0, %r1, %r2", 0x80000000, 99, 0, 0xffffffff },
        { "shr.u64 %d0, %d1, %r2", UINT64_MAX, 63, 0, 1 },
        { "shr.s16 %h0, %h1, 1", 0x8000, 0, 0, 0xc000 },
        { "not.b16 %h0, %h1", 0x00ff, 0, 0, 0xff00 },
        { "cnot.b32 %r0, %r1", 0, 0, 0, 1 },
        { "shf.l.wrap.b32 %r0, %r1, %r2, %r3", 0x80000000, 1, 1, 3 },
        { "shf.r.wrap.b32 %r0, %r1, %r2, %r3", 0x80000000, 1, 31, 3 },
        { "shf.r.clamp.b32 %r0, %r1, %r2, %r3", 5, 9, 40, 9 },
        { "popc.b64 %r0, %d1", UINT64_MAX, 0, 0, 64 },
        { "clz.b32 %r0, %r1", 1, 0, 0, 31 },
        { "clz.b32 %r0, %r1", 0, 0, 0, 32 },
        { "brev.b32 %r0, %r1", 1, 0, 0, 0x80000000 },
        { "bfind.u32 %r0, %r1", 0x100, 0, 0, 8 },
        { "bfind.s32 %r0, %r1", 0xfffffffe, 0, 0, 0 },
        { "bfind.u32 %r0, %r1", 0, 0, 0, 0xffffffff },
        { "bfind.shiftamt.u32 %r0, %r1", 0x100, 0, 0, 23 },
        { "bfe.u32 %r0, %r1, %r2, %r3", 0xabcd1234, 8, 8, 0x12 },
        { "bfe.s32 %r0, %r1, %r2, %r3", 0xabcd9234, 8, 8, 0xffffff92 },
        { "bfe.s32 %r0, %r1, %r2, %r3", 0x80000000, 28, 8, 0xfffffff8 },
        { "bfe.u64 %d0, %d1, %r2, %r3", 0xabcd000000000000, 48, 16, 0xabcd },
        { "bfi.b32 %r0, %r1, %r2, 8, 8", 0xff12, 0xaaaaaaaa, 0, 0xaaaa12aa },
        { "bfi.b64 %d0, %d1, %d2, 60, 8", 0xf, 0, 0, 0xf000000000000000 },
        { "lop3.b32 %r0, %r1, %r2, %r3, 0x96", 5, 3, 9, 5 ^ 3 ^ 9 },
        { "prmt.b32 %r0, %r1, %r2, 0x5410", 0x33221100, 0x77665544, 0, 0x55441100 },
        { "prmt.b32 %r0, %r1, %r2, 0x000b", 0x80221100, 0, 0, 0x000000ff },
        { "prmt.b32.f4e %r0, %r1, %r2, %r3", 0x33221100, 0x77665544, 1, 0x44332211 },
        { "mov.b32 {%h0, %h4}, %r1", 0x12345678, 0, 0, 0x5678 },
        { "mov.b64 %d0, {%r1, %r2}", 1, 2, 0, 0x200000001 },
        { "xor.pred %p0, %p1, %p2", 1, 1, 0, 0 },
        { "not.pred %p0, %p1", 0, 0, 0, 1 },
    };
    EXPECT(SAMPLES);
}

Test(machine, comparisons_know_signs_and_what_is_no_number)
{
    enum { NAN_BITS = 0x7fc00000, ONE = 0x3f800000 };
    static const sample SAMPLES[] = {
        { "setp.lt.s32 %p0, %r1, %r2", 0xffffffff, 0, 0, 1 },
        { "setp.lt.u32 %p0, %r1, %r2", 0xffffffff, 0, 0, 0 },
        { "setp.lo.u32 %p0, %r1, %r2", 1, 2, 0, 1 },
        { "setp.eq.b16 %p0, %h1, %h2", 0x10005, 5, 0, 1 },
        { "setp.lt.f32 %p0, %f1, %f2", NAN_BITS, ONE, 0, 0 },
        { "setp.ltu.f32 %p0, %f1, %f2", NAN_BITS, ONE, 0, 1 },
        { "setp.ne.f32 %p0, %f1, %f2", NAN_BITS, ONE, 0, 0 },
        { "setp.neu.f32 %p0, %f1, %f2", NAN_BITS, ONE, 0, 1 },
        { "setp.nan.f32 %p0, %f1, %f2", NAN_BITS, ONE, 0, 1 },
        { "setp.eq.ftz.f32 %p0, %f1, %f2", 1, 0, 0, 1 },
        { "setp.eq.f32 %p0, %f1, %f2", 1, 0, 0, 0 },
        { "setp.eq.and.s32 %p0, %r1, %r2, !%p3", 4, 4, 1, 0 },
        { "setp.gt.s32 %p4|%p0, %r1, %r2", 4, 5, 0, 1 },
        { "set.eq.u32.s32 %r0, %r1, %r2", 4, 4, 0, 0xffffffff },
        { "set.lt.f32.f32 %f0, %f1, %f2", 0, ONE, 0, ONE },
        { "selp.b32 %r0, %r1, %r2, %p3", 4, 5, 0, 5 },
        { "slct.b32.s32 %r0, %r1, %r2, %r3", 4, 5, 0xffffffff, 5 },
        { "testp.infinite.f32 %p0, %f1", 0x7f800000, 0, 0, 1 },
        { "testp.subnormal.f32 %p0, %f1", 1, 0, 0, 1 },
    };
    EXPECT(SAMPLES);
}

/* Which comparisons hold of 1 and 2, 2 and 2, 2 and 1, no number and 2. */
Test(machine, every_comparison_of_numbers_with_a_point)
{
    static const struct {
        const char *word, *holds;
    } COMPARISONS[] = { { "eq", "0100" },  { "ne", "1010" },  { "lt", "1000" },  { "le", "1100" },
                        { "gt", "0010" },  { "ge", "0110" },  { "equ", "0101" }, { "neu", "1011" },
                        { "ltu", "1001" }, { "leu", "1101" }, { "gtu", "0011" }, { "geu", "0111" },
                        { "num", "1110" }, { "nan", "0001" } };
    static const struct {
        const char *type, *kind;
        uint64_t one, two, none;
    } TYPES[] = { { "f32", "f", 0x3f800000, 0x40000000, 0x7fc00000 },
                  { "ftz.f32", "f", 0x3f800000, 0x40000000, 0x7fc00000 },
                  { "f64", "fd", 0x3ff0000000000000, 0x4000000000000000, 0x7ff8000000000000 },
                  { "f16", "h", 0x3c00, 0x4000, 0x7e00 } };
    for (size_t t = 0; t < sizeof TYPES / sizeof *TYPES; t++)
        for (size_t w = 0; w < sizeof COMPARISONS / sizeof *COMPARISONS; w++)
            for (int k = 0; k < 4; k++) {
                const uint64_t one = TYPES[t].one, two = TYPES[t].two;
                const uint64_t first[] = { one, two, two, TYPES[t].none }, second[] = { two, two, one, two };
                char text[80];
                snprintf(text, sizeof text, "setp.%s.%s %%p0, %%%s1, %%%s2", COMPARISONS[w].word,
                         TYPES[t].type, TYPES[t].kind, TYPES[t].kind);
                const uint64_t wanted = (uint64_t)(COMPARISONS[w].holds[k] - '0');
                const sample s = { text, first[k], second[k], 0, wanted };
                expect(&s, 1);
            }
}

Test(machine, arithmetic_with_a_point_rounds_as_told)
{
    static const sample SAMPLES[] = {
        { "add.f32 %f0, %f1, %f2", 0x3f800000, 0x33800000, 0, 0x3f800000 }, /* 1 + 2^-24: even */
        { "add.rp.f32 %f0, %f1, %f2", 0x3f800000, 0x33800000, 0, 0x3f800001 },
        { "add.rz.f32 %f0, %f1, %f2", 0x3f800000, 0xb3000000, 0, 0x3f7fffff },
        { "sub.rm.f32 %f0, %f1, %f2", 0x3f800000, 0x3f800000, 0, 0x80000000 },
        { "mul.f32 %f0, %f1, %f2", 0x40000000, 0x40400000, 0, 0x40c00000 },
        { "mul.ftz.f32 %f0, %f1, %f2", 0x00400000, 0x3f800000, 0, 0 },
        { "mul.sat.f32 %f0, %f1, %f2", 0x40000000, 0x40400000, 0, 0x3f800000 },
        { "fma.rn.f32 %f0, %f1, %f2, %f3", 0x3f800001, 0x3f800001, 0xbf800002, 0x28800000 }, /* 2^-46 */
        { "mul.f32 %f0, %f1, %f2", 0x7f800000, 0, 0, 0x7fffffff },
        { "div.rn.f32 %f0, %f1, %f2", 0x3f800000, 0x40400000, 0, 0x3eaaaaab },
        { "div.rz.f32 %f0, %f1, %f2", 0x3f800000, 0x40400000, 0, 0x3eaaaaaa },
        { "rcp.rn.f32 %f0, %f1", 0x40800000, 0, 0, 0x3e800000 },
        { "sqrt.rn.f32 %f0, %f1", 0x40800000, 0, 0, 0x40000000 },
        { "sqrt.rp.f32 %f0, %f1", 0x40000000, 0, 0, 0x3fb504f4 },
        { "min.f32 %f0, %f1, %f2", 0x7fc00000, 0x40000000, 0, 0x40000000 },
        { "min.NaN.f32 %f0, %f1, %f2", 0x7fc00000, 0x40000000, 0, 0x7fffffff },
        { "min.f32 %f0, %f1, %f2", 0x80000000, 0, 0, 0x80000000 },
        { "max.f32 %f0, %f1, %f2", 0x80000000, 0, 0, 0 },
        { "neg.f32 %f0, %f1", 0x3f800000, 0, 0, 0xbf800000 },
        { "abs.ftz.f32 %f0, %f1", 0x80000001, 0, 0, 0 },
        { "copysign.f32 %f0, %f1, %f2", 0x80000000, 0x3f800000, 0, 0xbf800000 },
        { "add.rn.f64 %fd0, %fd1, %fd2", 0x3ff0000000000000, 0x3ff0000000000000, 0, 0x4000000000000000 },
        { "add.rp.f64 %fd0, %fd1, %fd2", 0x3ff0000000000000, 0x3c00000000000000, 0, 0x3ff0000000000001 },
        { "fma.rn.f64 %fd0, %fd1, %fd2, %fd3", 0x4000000000000000, 0x4008000000000000, 0x3ff0000000000000,
          0x401c000000000000 },
        { "add.rn.f32x2 %d0, %d1, %d2", 0x3f8000003f800000, 0x400000003f800000, 0, 0x4040000040000000 },
        { "fma.rn.f32x2 %d0, %d1, %d2, %d3", 0x3f80000040000000, 0x4000000040400000, 0x3f8000003f800000,
          0x4040000040e00000 },
        { "ex2.approx.f32 %f0, %f1", 0x40400000, 0, 0, 0x41000000 },
        { "lg2.approx.f32 %f0, %f1", 0x41000000, 0, 0, 0x40400000 },
        { "rsqrt.approx.f32 %f0, %f1", 0x40800000, 0, 0, 0x3f000000 },
    };
    EXPECT(SAMPLES);
}

Test(machine, conversions_round_clamp_and_extend)
{
    static const sample SAMPLES[] = {
        { "cvt.s64.s32 %d0, %r1", 0xffffffff, 0, 0, UINT64_MAX },
        { "cvt.u64.u32 %d0, %r1", 0xffffffff, 0, 0, 0xffffffff },
        { "cvt.s32.s8 %r0, %r1", 0x180, 0, 0, 0xffffff80 },
        { "cvt.u16.u8 %h0, %h1", 0x1ff, 0, 0, 0xff },
        { "cvt.sat.u8.s32 %r0, %r1", 300, 0, 0, 255 },
        { "cvt.sat.u8.s32 %r0, %r1", (uint32_t)-3, 0, 0, 0 },
        { "cvt.rzi.s32.f32 %r0, %f1", 0xc0200000, 0, 0, (uint32_t)-2 },
        { "cvt.rni.s32.f32 %r0, %f1", 0x40200000, 0, 0, 2 },
        { "cvt.rmi.s32.f32 %r0, %f1", 0xc0200000, 0, 0, (uint32_t)-3 },
        { "cvt.rzi.u32.f32 %r0, %f1", 0xc0200000, 0, 0, 0 },
        { "cvt.rzi.s32.f32 %r0, %f1", 0x7f800000, 0, 0, 0x7fffffff },
        { "cvt.rzi.s32.f32 %r0, %f1", 0x7fc00000, 0, 0, 0 },
        { "cvt.rn.f32.s32 %f0, %r1", 16777217, 0, 0, 0x4b800000 },
        { "cvt.rp.f32.s32 %f0, %r1", 16777217, 0, 0, 0x4b800001 },
        { "cvt.rn.f32.u64 %f0, %d1", UINT64_MAX, 0, 0, 0x5f800000 },
        { "cvt.rn.f64.s64 %fd0, %d1", (uint64_t)-1, 0, 0, 0xbff0000000000000 },
        { "cvt.f64.f32 %fd0, %f1", 0x3f800000, 0, 0, 0x3ff0000000000000 },
        { "cvt.rn.f32.f64 %f0, %fd1", 0x3ff0000010000000, 0, 0, 0x3f800000 },
        { "cvt.rz.f32.f64 %f0, %fd1", 0x3fefffffffffffff, 0, 0, 0x3f7fffff },
        { "cvt.rn.f16.f32 %h0, %f1", 0x3f800000, 0, 0, 0x3c00 },
        { "cvt.rn.f16.f32 %h0, %f1", 0x477ff000, 0, 0, 0x7c00 }, /* 65520: halfway to 2^16 */
        { "cvt.rz.f16.f32 %h0, %f1", 0x477ff000, 0, 0, 0x7bff },
        { "cvt.rn.f16.f32 %h0, %f1", 0x33000000, 0, 0, 0 }, /* 2^-25: half of the smallest */
        { "cvt.rn.f16.f32 %h0, %f1", 0x33000001, 0, 0, 1 },
        { "cvt.f32.f16 %f0, %h1", 0x0001, 0, 0, 0x33800000 },
        { "cvt.f32.f16 %f0, %h1", 0xfc00, 0, 0, 0xff800000 },
        { "cvt.rn.bf16.f32 %h0, %f1", 0x3f808000, 0, 0, 0x3f80 },
        { "cvt.rn.bf16.f32 %h0, %f1", 0x3f818000, 0, 0, 0x3f82 },
        { "cvt.f32.bf16 %f0, %h1", 0xc040, 0, 0, 0xc0400000 },
        { "cvt.rn.f16x2.f32 %r0, %f1, %f2", 0x3f800000, 0x40000000, 0, 0x3c004000 },
        { "cvt.rn.bf16x2.f32 %r0, %f1, %f2", 0x3f800000, 0x40000000, 0, 0x3f804000 },
        { "cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2", 0x3f800000, 0x44800000, 0, 0x387e },
        { "cvt.rn.satfinite.e5m2x2.f32 %h0, %f1, %f2", 0x3f800000, 0x40400000, 0, 0x3c42 },
        { "cvt.rn.f16x2.e4m3x2 %r0, %h1", 0x3840, 0, 0, 0x3c004000 },
        { "cvt.rna.tf32.f32 %r0, %f1", 0x3f801000, 0, 0, 0x3f802000 },
        { "cvt.rni.f32.f32 %f0, %f1", 0x40200000, 0, 0, 0x40000000 },
    };
    EXPECT(SAMPLES);
}

Test(machine, numbers_of_16_bits_are_computed_exactly_and_rounded_once)
{
    static const sample SAMPLES[] = {
        { "add.f16 %h0, %h1, %h2", 0x3c00, 0x3c00, 0, 0x4000 },
        { "add.rn.f16x2 %r0, %r1, %r2", 0x3c004000, 0x3c00bc00, 0, 0x40003c00 },
        { "sub.f16 %h0, %h1, %h2", 0x7c00, 0x7c00, 0, 0x7fff },
        { "mul.f16 %h0, %h1, %h2", 0x7bff, 0x4000, 0, 0x7c00 },
        { "mul.sat.f16 %h0, %h1, %h2", 0x4000, 0x4000, 0, 0x3c00 },
        { "fma.rn.f16 %h0, %h1, %h2, %h3", 0x3c01, 0x3c01, 0xbc02, 0x0010 }, /* 2^-20 */
        { "fma.rn.relu.f16 %h0, %h1, %h2, %h3", 0x3c00, 0xbc00, 0, 0 },
        { "mul.ftz.f16 %h0, %h1, %h2", 0x0200, 0x3c00, 0, 0 },
        { "fma.rn.bf16x2 %r0, %r1, %r2, %r3", 0x3f804000, 0x40404040, 0x3f803f80, 0x408040e0 },
        { "max.bf16 %h0, %h1, %h2", 0x3f80, 0xc000, 0, 0x3f80 },
        { "min.NaN.f16 %h0, %h1, %h2", 0x7e00, 0x3c00, 0, 0x7fff },
        { "neg.bf16x2 %r0, %r1", 0x3f803f80, 0, 0, 0xbf80bf80 },
        { "setp.lt.f16 %p0, %h1, %h2", 0xbc00, 0x3c00, 0, 1 },
        { "setp.lt.f16x2 %p4|%p0, %r1, %r2", 0x3c00bc00, 0x40003c00, 0, 1 },
        { "set.gt.f16x2.f16x2 %r0, %r1, %r2", 0x40003c00, 0x3c003c00, 0, 0x3c000000 },
        { "ex2.approx.f16 %h0, %h1", 0x4000, 0, 0, 0x4400 },
    };
    EXPECT(SAMPLES);
}
