/* pack_layout_support.h - packs of permutations, of kernels and a tree that are given. */
#pragma once

#include "pack/pack_internal.h"
#include "pack_support.h"

static inline atx_pack_domain read_problems(const atx_catalog *catalog, const char *text)
{
    at_error err = { 0 };
    atx_shapes shapes = { 0 };
    atx_pack_domain domain;
    cr_assert_eq(atx_shapes_parse(&shapes, text, strlen(text), "asked.txt", catalog, NULL, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(atx_pack_domain_list(&domain, atx_catalog_find_op(catalog, "permute"), ATX_F32, &shapes,
                                      "asked.txt", &err),
                 AT_OK, "%s", err.text);
    atx_shapes_clear(&shapes);
    return domain;
}

/* With all configurations of a few: more kernels than any choice would take. */
static inline atx_pack *make_permutations(const atx_catalog *catalog, const atx_pack_domain *domain)
{
    static const char *const KERNELS[][2] = { { "gather", "VEC=16 RANK=8" },
                                              { "gather", "VEC=4 RANK=4" },
                                              { "runs", "WORD=4 TILE=16384 LANES=128" },
                                              { "runs", "WORD=4 TILE=8192 LANES=512" },
                                              { "direct", "VEC=4 EACH=1 SIDE=in" } };
    atx_pack *pack = calloc(1, sizeof *pack);
    cr_assert(pack);
    pack->domain = *domain;
    atx_arch_limits(&pack->limits, 90);
    pack->limits.sms = 132;
    for (size_t i = 0; i < sizeof KERNELS / sizeof *KERNELS; i++) {
        at_error err = { 0 };
        atx_pack_kernel k = { .t = atx_catalog_find_template(catalog, domain->op, KERNELS[i][0]),
                              .example = domain->problems[0] },
                        forms[2];
        int64_t slots[ATX_MAX_SLOTS];
        cr_assert_eq(atx_config_parse(&k.config, k.t, KERNELS[i][1], &err), AT_OK, "%s", err.text);
        cr_assert_eq(atx_problem_bind(slots, &k.example, &pack->limits, &err), AT_OK, "%s", err.text);
        cr_assert_gt(atx_pack_forms(forms, &k, slots), 0, "%s", KERNELS[i][0]);
        pack->kernels[pack->kernel_count++] = forms[0];
    }
    pack->code_count = pack->kernel_count;
    pack->node_count = 5;
    pack->nodes[0] = (atx_pack_node){ .test = ATX_PACK_AT_MOST, .which = 7, .value = 16, .yes = 1, .no = 2 };
    pack->nodes[1] = (atx_pack_node){ .order = { 4, 3, 0, 1, 2 } };
    /* The stride in the input of the output's fastest dimension. */
    pack->nodes[2] =
        (atx_pack_node){ .test = ATX_PACK_AT_MOST, .which = 8 + 7, .value = 1, .yes = 3, .no = 4 };
    pack->nodes[3] = (atx_pack_node){ .order = { 0, 1, 2, 3, 4 } };
    pack->nodes[4] = (atx_pack_node){ .order = { 2, 0, 1, 3, 4 } };
    return pack;
}
