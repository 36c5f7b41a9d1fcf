/*
 * test_pack_layout.c - packs of permutations: the written C makes the one form of extents and an order that
 * the tuner makes, and answers with the same kernel and launch.
 */
#include "lang/layout.h"
#include "pack/pack_write.h"
#include "pack_layout_support.h"
#include "util/rng.h"
#include "temporary.h"

#include <unistd.h>

enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_SUPPORTED = 801, RANK = 7, DRAWN = 4000 }; /* CUresult */

typedef struct plan {
    int kernel;
    unsigned grid[3], block[3], shared;
} plan;

typedef int find_function(plan *plan, int model, int rank, const int64_t *extents, const int *order,
                          const int64_t *aligns);

static const char PROBLEMS[] =
    "permute 64x48x32 2,1,0\npermute 100x12x64 1,0,2\npermute 3x700x2x50 3,1,0,2\n"
    "permute 8x9x10x11x12 4,2,0,3,1\npermute 512x3x513 2,1,0\npermute 20x30x7 1,0,2\n"
    "permute 4096x3x2 2,1,0@4\npermute 33x65x129x5 2,0,3,1\n";

typedef struct asked {
    int rank, order[ATX_MAX_RANK];
    int64_t extents[ATX_MAX_RANK], align;
} asked;

/* Extents of 1, small ones and large ones; any order. */
static asked draw(atx_rng *rng)
{
    asked a = { .rank = 1 + (int)atx_rng_below(rng, RANK), .align = (int64_t)4 << atx_rng_below(rng, 7) };
    for (int i = 0; i < a.rank; i++) {
        const int at = (int)atx_rng_below(rng, (uint64_t)i + 1);
        a.extents[i] = (int64_t)atx_rng_below(rng, (uint64_t)1 << atx_rng_below(rng, 8)) + 1;
        a.order[i] = a.order[at];
        a.order[at] = i;
    }
    return a;
}

static int kernel_of(atx_geometry *g, const atx_pack *pack, const asked *a)
{
    atx_layout_pair layout;
    atx_problem problem;
    at_error err = { 0 };
    cr_assert_eq(atx_layout_permuted(&layout, a->rank, a->extents, a->order, NULL, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(atx_layout_problem(&problem, pack->domain.op, ATX_F32, &layout, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(atx_problem_set_aligns(&problem, &a->align, 1, &err), AT_OK, "%s", err.text);
    cr_assert(atx_pack_is_dense(&problem));
    return atx_pack_find(g, pack, &problem);
}

Test(pack_layout, the_written_C_chooses_as_the_tuner_does)
{
    atx_catalog *catalog = NULL;
    at_error err = { 0 };
    char folder[64];
    int taken[8] = { 0 };
    atx_rng rng = { 11 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    atx_pack_domain domain = read_problems(catalog, PROBLEMS);
    atx_pack *pack = make_permutations(catalog, &domain);
    cr_assert_leq(pack->kernel_count, (int)(sizeof taken / sizeof *taken));
    cr_assert(mkdtemp(TEMPORARY(folder, "pack")));
    void *so = compile_all((const atx_pack *const[]){ pack }, 1, folder);
    find_function *find = (find_function *)dlsym(so, "packed_find");
    for (int n = 0; n < DRAWN; n++) {
        const asked a = draw(&rng);
        const int64_t aligns[] = { a.align, a.align };
        atx_geometry g;
        plan got;
        const int kernel = kernel_of(&g, pack, &a);
        const int status = find(&got, 0, a.rank, a.extents, a.order, aligns);
        cr_assert_eq(status, kernel < 0 ? NOT_SUPPORTED : SUCCESS, "%d", status);
        cr_assert_eq(got.kernel, kernel, "%d of rank %d: kernel %d in C, %d in the tuner", n, a.rank,
                     got.kernel, kernel);
        for (int i = 0; i < 3 && kernel >= 0; i++)
            cr_assert(got.grid[i] == g.grid[i] && got.block[i] == g.block[i]);
        cr_assert(kernel < 0 || got.shared == g.shared_bytes);
        if (kernel >= 0)
            taken[kernel]++;
    }
    for (int k = 0; k < pack->kernel_count; k++)
        cr_expect_gt(taken[k], 0, "kernel %d is never taken", k);
    dlclose(so);
    atx_pack_close(pack);
    atx_pack_domain_clear(&domain);
    atx_catalog_close(catalog);
}

Test(pack_layout, the_written_C_refuses_what_is_no_permutation)
{
    static const struct {
        int rank;
        int64_t extents[3];
        int order[3];
    } WRONG[] = { { 3, { 4, 5, 6 }, { 0, 1, 1 } }, { 3, { 4, 5, 6 }, { 0, 1, 3 } },
                  { 3, { 4, 0, 6 }, { 2, 1, 0 } }, { 3, { 4, 5, 6 }, { -1, 1, 0 } },
                  { 0, { 4, 5, 6 }, { 0, 1, 2 } }, { 3, { INT64_MAX, 5, 6 }, { 2, 1, 0 } } };
    const int64_t aligns[] = { 256, 256 };
    atx_catalog *catalog = NULL;
    at_error err = { 0 };
    char folder[64];
    plan got;
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    atx_pack_domain domain = read_problems(catalog, PROBLEMS);
    atx_pack *pack = make_permutations(catalog, &domain);
    cr_assert(mkdtemp(TEMPORARY(folder, "pack")));
    void *so = compile_all((const atx_pack *const[]){ pack }, 1, folder);
    find_function *find = (find_function *)dlsym(so, "packed_find");
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
        cr_assert_eq(find(&got, 0, WRONG[i].rank, WRONG[i].extents, WRONG[i].order, aligns), INVALID_VALUE,
                     "%zu", i);
    cr_assert_eq(find(&got, 0, 3, (int64_t[]){ 4, 5, 6 }, (int[]){ 2, 1, 0 }, aligns), SUCCESS);
    const int64_t twos[] = { 2, 2, 2, 2, 2, 2, 2, 2, 2 };
    cr_assert_eq(find(&got, 0, 9, twos, (int[]){ 8, 7, 6, 5, 4, 3, 2, 1, 0 }, aligns), INVALID_VALUE,
                 "nine dimensions are left");
    cr_assert_eq(find(&got, 0, 9, twos, (int[]){ 6, 5, 4, 3, 2, 1, 0, 7, 8 }, aligns), SUCCESS, "eight");
    dlclose(so);
    atx_pack_close(pack);
    atx_pack_domain_clear(&domain);
    atx_catalog_close(catalog);
}

/* They are drawn from eight. */
Test(pack_layout, the_test_program_has_no_problem_twice)
{
    enum { LONGEST = 256 };
    atx_catalog *catalog = NULL;
    at_error err = { 0 };
    atx_str text = { 0 };
    int count = 0;
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    atx_pack_domain domain = read_problems(catalog, PROBLEMS);
    atx_pack *pack = make_permutations(catalog, &domain);
    const atx_pack_compiled model = { .pack = pack, .has_test = true };
    const atx_pack_writing writing = {
        .models = &model, .count = 1, .op = domain.op, .name = "packed", .command = "autotune pack"
    };
    cr_assert_eq(atx_pack_write_test(&text, &writing, &err), AT_OK, "%s", err.text);
    const char *row = strstr(atx_str_text(&text), "pt_cases_0[]");
    cr_assert(row);
    for (row = strchr(row, '\n') + 1; *row == ' '; row = strchr(row, '\n') + 1, count++) {
        char one[LONGEST];
        snprintf(one, sizeof one, "%.*s", (int)(strchr(row, '\n') - row), row);
        cr_assert(!strstr(row + strlen(one), one), "%s", one);
    }
    cr_assert_geq(count, domain.problem_count, "%d", count);
    atx_str_clear(&text);
    atx_pack_close(pack);
    atx_pack_domain_clear(&domain);
    atx_catalog_close(catalog);
}

Test(pack_layout, problems_are_listed_and_dense)
{
    atx_catalog *catalog = NULL;
    atx_shapes shapes = { 0 };
    atx_pack_domain domain;
    at_error err = { 0 };
    static const char VIEW[] = "permute 12x20x16 2,1,0 in=400,20,1\n";
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    const atx_op *op = atx_catalog_find_op(catalog, "permute");
    cr_assert_eq(atx_pack_domain_read(&domain, op, ATX_F32, NULL, 0, &err), AT_ERR_USAGE);
    cr_assert(strstr(err.text, "expected --shapes FILE"), "%s", err.text);
    cr_assert_eq(atx_shapes_parse(&shapes, VIEW, strlen(VIEW), "asked.txt", catalog, NULL, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(atx_pack_domain_list(&domain, op, ATX_F32, &shapes, "asked.txt", &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "expected dense buffers"), "%s", err.text);
    atx_shapes_clear(&shapes);
    atx_catalog_close(catalog);
}

Test(pack_layout, another_size_keeps_the_order)
{
    atx_catalog *catalog = NULL;
    at_error err = { 0 };
    atx_problem other;
    atx_str shape = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    atx_pack_domain domain = read_problems(catalog, "permute 3x700x2x50 3,1,0,2\n");
    cr_assert(atx_pack_with_size(&other, &domain.problems[0], 4, 51), "the output's slowest of four");
    atx_problem_shape(&shape, &other);
    cr_assert_str_eq(atx_str_text(&shape), "3x700x2x51:3.1.0.2");
    cr_assert(!atx_pack_with_size(&other, &domain.problems[0], 3, 7), "it has four dimensions");
    atx_str_clear(&shape);
    atx_pack_domain_clear(&domain);
    atx_catalog_close(catalog);
}
