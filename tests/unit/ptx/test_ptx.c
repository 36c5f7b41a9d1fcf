/* test_ptx.c - PTX taken apart, and texts that are none. */
#include "ptx/ptx.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char HEAD[] = ".version 8.0\n.target sm_90a\n.address_size 64\n";

/* HEAD and this; NULL with the error in *err when it is refused. */
static atx_ptx_module *parse(const char *text, at_error *err)
{
    static char whole[20000];
    atx_ptx_module *m = NULL;
    snprintf(whole, sizeof whole, "%s%s", HEAD, text);
    return atx_ptx_parse(&m, whole, strlen(whole), err) == AT_OK ? m : NULL;
}

/* In a kernel with some registers. */
static atx_ptx_module *parse_body(const char *body, at_error *err)
{
    static char text[16000];
    snprintf(text, sizeof text,
             ".visible .entry k(.param .u64 a, .param .align 8 .b8 b[12], .param .u32 c)\n{\n"
             ".reg .pred %%p<4>;\n.reg .b32 %%r<8>;\n.reg .b64 %%rd<8>;\n.reg .f32 %%f<4>;\n%s\n}\n",
             body);
    return parse(text, err);
}

#define assert_refused(body, ...)                                                                            \
    do {                                                                                                     \
        at_error refusal = { 0 };                                                                            \
        const char *const parts[] = { __VA_ARGS__ };                                                         \
        cr_assert(!parse_body(body, &refusal), "taken: %s", body);                                           \
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)                                            \
            cr_assert(strstr(refusal.text, parts[k]), "'%s' is not in '%s'", parts[k], refusal.text);        \
    } while (0)

Test(ptx, tells_version_target_and_files)
{
    at_error err = { 0 };
    atx_ptx_module *m = parse(".file 1 \"dir/k.cu\", 123, 456\n", &err);
    cr_assert(m, "%s", err.text);
    cr_assert(m->version == 80 && m->target == 90);
    cr_assert(m->file_count == 2 && !m->files[0]);
    cr_assert_str_eq(m->files[1], "dir/k.cu");
    atx_ptx_close(m);
}

Test(ptx, lays_parameters_out_as_a_launch_packs_them)
{
    at_error err = { 0 };
    atx_ptx_module *m = parse_body("ret;", &err);
    cr_assert(m, "%s", err.text);
    const atx_ptx_function *f = &m->functions[atx_ptx_find_entry(m, "k")];
    cr_assert(f->param_count == 3 && f->param_bytes == 24);
    cr_assert(m->variables[f->params[0]].offset == 0 && m->variables[f->params[1]].offset == 8);
    cr_assert(m->variables[f->params[2]].offset == 20);
    atx_ptx_close(m);
}

Test(ptx, an_instruction_has_types_flags_and_operands)
{
    at_error err = { 0 };
    atx_ptx_module *m = parse_body("@!%p1 mad.wide.s32 %rd1, %r2, -5, %rd3;\n"
                                   "ld.global.nc.L1::no_allocate.v2.u32 {%r1, _}, [%rd1+-8];",
                                   &err);
    cr_assert(m, "%s", err.text);
    const atx_ptx_function *f = &m->functions[0];
    const atx_ptx_instruction *mad = &f->instructions[0], *ld = &f->instructions[1];
    cr_assert(mad->op == ATX_PTX_MAD && mad->type == ATX_PTX_S32 && mad->flags == ATX_PTX_WIDE);
    cr_assert(mad->guard == 1 && mad->guard_negated && mad->group_count == 4);
    cr_assert(atx_ptx_group(f, mad, 2)->kind == ATX_PTX_NUMBER && atx_ptx_group(f, mad, 2)->value == -5);
    cr_assert(ld->op == ATX_PTX_LD && ld->space == ATX_PTX_GLOBAL && ld->vector == 2 && ld->width[0] == 2);
    cr_assert(atx_ptx_group(f, ld, 0)[1].kind == ATX_PTX_NOTHING);
    cr_assert(atx_ptx_group(f, ld, 1)->kind == ATX_PTX_ADDRESS && atx_ptx_group(f, ld, 1)->value == -8);
    atx_ptx_close(m);
}

Test(ptx, numbers_are_read_in_every_base)
{
    static const struct {
        const char *text;
        int64_t value;
        int real_bits;
    } CASES[] = {
        { "0", 0, 0 },
        { "017", 15, 0 },
        { "0x1F", 31, 0 },
        { "0b101", 5, 0 },
        { "4294967295U", UINT32_MAX, 0 },
        { "-9223372036854775808", INT64_MIN, 0 },
        { "0f3F800000", 0x3f800000, 32 },
        { "0d3FF0000000000000", 0x3ff0000000000000, 64 },
        { "1.5", 0x3ff8000000000000, 64 },
        { "-0f3F800000", (int64_t)0xbf800000, 32 },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char body[100];
        at_error err = { 0 };
        snprintf(body, sizeof body, "mov.b64 %%rd1, %s;", CASES[i].text);
        atx_ptx_module *m = parse_body(body, &err);
        cr_assert(m, "%s: %s", CASES[i].text, err.text);
        const atx_ptx_operand *o = atx_ptx_group(&m->functions[0], m->functions[0].instructions, 1);
        cr_assert(o->value == CASES[i].value && o->real_bits == CASES[i].real_bits, "%s: %lld", CASES[i].text,
                  (long long)o->value);
        atx_ptx_close(m);
    }
}

Test(ptx, labels_are_found_forwards_backwards_and_by_scope)
{
    at_error err = { 0 };
    atx_ptx_module *m = parse_body("again: { .reg .b32 t; bra done; done: mov.u32 t, 1; }\n"
                                   "{ bra done; done: bra again; }\nbra last; last:",
                                   &err);
    cr_assert(m, "%s", err.text);
    const atx_ptx_function *f = &m->functions[0];
    static const int WANTED[] = { 1, -1, 3, 0, 5 };
    for (int i = 0; i < f->instruction_count; i++)
        if (f->instructions[i].op == ATX_PTX_BRA)
            cr_assert(atx_ptx_group(f, &f->instructions[i], 0)->index == WANTED[i], "%d: %d", i,
                      atx_ptx_group(f, &f->instructions[i], 0)->index);
    atx_ptx_close(m);
}

Test(ptx, instructions_know_their_line_where_code_was_inlined_too)
{
    at_error err = { 0 };
    atx_ptx_module *m = parse_body(".loc 1 7 3\nmov.u32 %r1, 1;\n"
                                   ".loc 1 41 9, function_name $L__info_string0, inlined_at 1 8 5\n"
                                   "mov.u32 %r2, 2;",
                                   &err);
    cr_assert(m, "%s", err.text);
    const atx_ptx_function *f = &m->functions[0];
    cr_assert(f->instructions[0].line == 7 && f->instructions[1].line == 41);
    cr_assert(f->instructions[0].file == -1, "no .file has this number");
    cr_assert(f->instructions[1].text_line == f->instructions[0].text_line + 2);
    atx_ptx_close(m);
}

Test(ptx, variables_have_sizes_values_and_addresses_of_others)
{
    at_error err = { 0 };
    atx_ptx_module *m = parse(".const .align 4 .u32 table[2][2] = {{1, 2}, {0x10, -1}};\n"
                              ".global .f32 f = 0f3F800000;\n.global .u64 at[2] = {generic(f) + 4, table};\n"
                              ".extern .shared .align 16 .b8 room[];\n.shared .b8 tile[100];\n",
                              &err);
    cr_assert(m, "%s", err.text);
    int32_t words[4];
    memcpy(words, m->variables[0].initial, sizeof words);
    cr_assert(m->variables[0].bytes == 16 && words[0] == 1 && words[2] == 16 && words[3] == -1);
    cr_assert(m->variables[2].patch_count == 2 && m->variables[2].patches[0].addend == 4);
    cr_assert(m->variables[2].patches[0].variable == 1 && m->variables[2].patches[1].offset == 8);
    cr_assert(m->variables[3].external && m->shared_bytes == 100);
    atx_ptx_close(m);
}

Test(ptx, kernels_say_their_block_and_cluster)
{
    at_error err = { 0 };
    atx_ptx_module *m = parse(".entry k() .maxntid 128, 2, 1 .minnctapersm 2 .explicitcluster\n"
                              ".reqnctapercluster 4, 1, 1\n{ ret; }\n",
                              &err);
    cr_assert(m, "%s", err.text);
    cr_assert(m->functions[0].block[0] == 128 && m->functions[0].block[1] == 2 &&
              !m->functions[0].block_required);
    cr_assert(m->functions[0].cluster[0] == 4);
    atx_ptx_close(m);
}

Test(ptx, a_mangled_kernel_is_found_by_its_name)
{
    at_error err = { 0 };
    atx_ptx_module *m = parse(".entry _ZN2ns1kIfLi4EEEvPT_() { ret; }\n.entry other() { ret; }\n", &err);
    cr_assert(m, "%s", err.text);
    cr_assert(atx_ptx_find_entry(m, "ns::k") == 0 && atx_ptx_find_entry(m, "other") == 1);
    cr_assert(atx_ptx_find_entry(m, "none") == -1 && atx_ptx_find_entry(m, NULL) == -1,
              "of two none is the only one");
    atx_ptx_close(m);
}

Test(ptx, what_it_does_not_know_is_refused_by_name_and_place)
{
    assert_refused("wgmma.fence.sync.aligned;", "PTX:10:", "wgmma");
    assert_refused("add.u32.strange %r1, %r2, %r3;", "add.u32.strange", ".strange");
    assert_refused(".loc 1 33 5\nfoo.u32 %r1;", "PTX:11:1", "foo", "33");
    assert_refused("mov.u32 %r1, %r99;", "%r99", "declared nowhere");
    assert_refused("bra nowhere;", "nowhere");
    assert_refused(".strange 4;", ".strange");
}

Test(ptx, a_malformed_text_is_an_error_with_its_place)
{
    assert_refused("mov.u32 %r1 %r2;", "PTX:10:13", "';'");
    assert_refused("mov.u32 %r1, 0x;", "PTX:10:");
    assert_refused("mov.u32 %r1, 99999999999999999999;", "PTX:10:");
    assert_refused("ld.u32 %r1, [%rd1;", "']'");
    assert_refused("{ mov.u32 %r1, 1;", "ends");
    assert_refused("@%r1 bra x; x:", "no predicate");
    assert_refused("/* no end", "expected an instruction");
    assert_refused(".reg .b32 x;\n.reg .b32 x;", "twice");
}

/* Within the entry there is no whole text. The copy is of its own, so that a sanitizer sees reads behind it.
 */
Test(ptx, a_text_that_ends_too_early_is_refused_with_its_place)
{
    static const char TEXT[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 g[2] = {1, 2};\n"
        ".entry k(.param .u64 a)\n{\n.reg .b64 %rd<3>;\n.reg .pred %p;\n.reg .b32 %r<3>;\n"
        "ld.param.u64 %rd1, [a];\nx: st.global.v2.u32 [%rd1+4], {%r1, %r2};\n@%p bra x;\n}";
    const size_t entry = (size_t)(strstr(TEXT, ".entry") - TEXT);
    for (size_t len = 0; len < sizeof TEXT; len++) {
        atx_ptx_module *m = NULL;
        at_error err = { 0 };
        char *part = malloc(len + 1);
        memcpy(part, TEXT, len);
        part[len] = '\0';
        const bool well = atx_ptx_parse(&m, part, len, &err) == AT_OK;
        cr_expect(len < sizeof TEXT - 1 || well, "%s", err.text);
        cr_expect(len <= entry || len == sizeof TEXT - 1 || !well, "read: %s", part);
        cr_expect(well || strstr(err.text, "PTX:"), "no place: %s", err.text);
        atx_ptx_close(m);
        free(part);
    }
}
