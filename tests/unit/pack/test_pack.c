/*
 * test_pack.c - a pack answers with the kernel that it chose, in C as in the tuner, and never with one that
 * is not for the sizes. The C is compiled and asked for every size of small ranges, and for some that are
 * huge.
 */
#include "pack/pack_map.h"
#include "pack/pack_internal.h"
#include "pack_support.h"
#include "temporary.h"

#include <dlfcn.h>
#include <unistd.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 801 }; /* CUresult */

typedef struct plan {
    int kernel;
    unsigned grid[3], block[3], shared;
} plan;

static void *compile(const atx_pack *pack, const char *folder)
{
    return compile_all(&pack, 1, folder);
}

typedef int find_function(plan *plan, int model, int64_t batch, int64_t rows, int64_t cols,
                          const int64_t *aligns);

/* Both answer alike; kernels of model `model` have numbers from `first` on. */
static void compare_model(const atx_pack *pack, find_function *find, int model, int first,
                          const int64_t *sizes, int64_t align)
{
    atx_problem problem;
    atx_geometry g;
    plan got;
    const int64_t aligns[] = { align, align };
    cr_assert_eq(atx_problem_init(&problem, pack->domain.op, pack->domain.type, sizes, 3, NULL), AT_OK);
    cr_assert_eq(atx_problem_set_aligns(&problem, aligns, 2, NULL), AT_OK);
    const int kernel = atx_pack_find(&g, pack, &problem);
    const int status = find(&got, model, sizes[0], sizes[1], sizes[2], aligns);
    cr_assert_eq(status, kernel < 0 ? NOT_SUPPORTED : SUCCESS);
    cr_assert_eq(got.kernel, kernel < 0 ? -1 : first + kernel,
                 "%ldx%ldx%ld@%ld: kernel %d in C, %d in the tuner", (long)sizes[0], (long)sizes[1],
                 (long)sizes[2], (long)align, got.kernel, kernel);
    for (int i = 0; i < 3 && kernel >= 0; i++)
        cr_assert(got.grid[i] == g.grid[i] && got.block[i] == g.block[i]);
    cr_assert(kernel < 0 || got.shared == g.shared_bytes);
}

static void compare(const atx_pack *pack, find_function *find, const int64_t *sizes, int64_t align)
{
    compare_model(pack, find, 0, 0, sizes, align);
}

/* Each constant of the kernel's source is what the tuner makes it for these sizes, or declared as right for
 * all. */
static void check_constants(const atx_pack *pack, const int64_t *sizes, int64_t align)
{
    atx_problem problem;
    atx_geometry g;
    int64_t slots[ATX_MAX_SLOTS];
    int n = 0;
    cr_assert_eq(atx_problem_init(&problem, pack->domain.op, pack->domain.type, sizes, 3, NULL), AT_OK);
    cr_assert_eq(atx_problem_set_aligns(&problem, &align, 1, NULL), AT_OK);
    const int kernel = atx_pack_find(&g, pack, &problem);
    cr_assert_geq(kernel, 0, "%ldx%ldx%ld has no kernel", (long)sizes[0], (long)sizes[1], (long)sizes[2]);
    const atx_pack_kernel *k = &pack->kernels[kernel];
    cr_assert_eq(atx_problem_bind(slots, &problem, &pack->limits, NULL), AT_OK);
    cr_assert_eq(atx_config_bind(slots, k->t, &k->config, NULL), AT_OK);
    for (size_t i = 0; i < k->t->scope.let_count; i++) {
        const atx_let *let = &k->t->scope.lets[i];
        if (let->rendered && slots[let->slot] != k->consts[n++])
            cr_assert(let->general && (let->any || let->general_value == k->consts[n - 1]), "%s %s",
                      k->t->name, let->name);
    }
}

static const char *const RANGES[] = { "batch=1..4", "rows=1..8192", "cols=1..8192" };

Test(pack, the_written_C_chooses_as_the_tuner_does)
{
    packed p = make("transpose", ATX_F32, RANGES, 3, 8, 0);
    char folder[64];
    cr_assert(mkdtemp(TEMPORARY(folder, "pack")));
    void *so = compile(p.pack, folder);
    find_function *find = (find_function *)dlsym(so, "packed_find");
    static const int64_t HUGE[] = { 4097, 65536, 1 << 20, (int64_t)1 << 31, (int64_t)1 << 45 };
    for (int64_t rows = 1; rows <= 70; rows++)
        for (int64_t cols = 1; cols <= 70; cols++)
            for (int64_t align = 4; align <= 256; align *= 8)
                compare(p.pack, find, (int64_t[]){ 1 + rows % 2, rows, cols }, align);
    for (size_t i = 0; i < sizeof HUGE / sizeof *HUGE; i++)
        for (int64_t other = 1; other <= 1 << 16; other *= 16)
            compare(p.pack, find, (int64_t[]){ 3, HUGE[i], other }, 256);
    dlclose(so);
    clear(&p);
}

typedef int model_function(const char *device, int capability, int multiprocessors);

Test(pack, each_model_of_GPU_has_its_own_choice_and_others_take_the_one_most_like_them)
{
    packed a = make_for("NVIDIA H200", "transpose", ATX_F32, RANGES, 3, 4, 0),
           b = make_for("NVIDIA H100 80GB HBM3", "transpose", ATX_F32, RANGES, 3, 6, 0);
    b.pack->limits.sms = 114; /* as the PCIe card of that name's family has */
    char folder[64];
    cr_assert(mkdtemp(TEMPORARY(folder, "pack")));
    void *so = compile_all((const atx_pack *[]){ a.pack, b.pack }, 2, folder);
    model_function *model = (model_function *)dlsym(so, "packed_model");
    cr_assert_eq(model("NVIDIA H200", 90, 132), 0);
    cr_assert_eq(model("NVIDIA H100 80GB HBM3", 90, 132), 1, "by its name");
    cr_assert_eq(model("NVIDIA H200 NVL", 90, 132), 0, "as many multiprocessors");
    cr_assert_eq(model("NVIDIA H100 PCIe", 90, 114), 1, "as many multiprocessors");
    cr_assert_eq(model("NVIDIA A100", 80, 108), -1, "code for 9.0 does not run there");
    cr_assert_eq(model("NVIDIA B200", 100, 148), -1);
    find_function *find = (find_function *)dlsym(so, "packed_find");
    for (int64_t rows = 1; rows <= 40; rows++)
        for (int64_t cols = 1; cols <= 40; cols++) {
            compare_model(a.pack, find, 0, 0, (int64_t[]){ 1, rows, cols }, 256);
            compare_model(b.pack, find, 1, a.pack->kernel_count, (int64_t[]){ 1, rows, cols }, 256);
        }
    plan got;
    const int64_t aligns[] = { 256, 256 };
    cr_assert_eq(find(&got, 2, 1, 8, 8, aligns), NOT_SUPPORTED, "there are two models");
    dlclose(so);
    clear(&a);
    clear(&b);
}

/* What the library takes is what the C would. */
Test(pack, a_description_that_is_read_chooses_as_the_pack_did)
{
    packed a = make_for("NVIDIA H200", "transpose", ATX_F32, RANGES, 3, 4, 0),
           b = make_for("NVIDIA H100 80GB HBM3", "transpose", ATX_F32, RANGES, 3, 6, 0);
    atx_pack_files files = { 0 };
    atx_pack_set *set = NULL;
    at_error err = { 0 };
    char folder[64], path[80];
    cr_assert(mkdtemp(TEMPORARY(folder, "pack")));
    write_files(&files, (const atx_pack *[]){ a.pack, b.pack }, 2);
    write_text(folder, "packed.json", &files.description);
    snprintf(path, sizeof path, "%s/packed.json", folder);
    cr_assert_eq(atx_pack_read(&set, path, a.catalog, &err), AT_OK, "%s", err.text);
    cr_assert_eq(set->count, 2);
    cr_assert_eq(set->code_count, b.pack->kernel_count, "those of both are there once");
    cr_assert_eq(atx_pack_model(set, "NVIDIA H100 80GB HBM3", 90, 132), 1);
    cr_assert_eq(atx_pack_model(set, "NVIDIA A100", 80, 108), -1);
    for (int64_t rows = 1; rows <= 600; rows += 1 + rows / 16)
        for (int64_t cols = 1; cols <= 600; cols += 1 + cols / 16)
            for (int m = 0; m < 2; m++) {
                const atx_pack *before = m ? b.pack : a.pack;
                atx_geometry g = { .grid = { 0 } }, h = { .grid = { 0 } };
                atx_problem problem;
                cr_assert_eq(atx_problem_init(&problem, before->domain.op, ATX_F32,
                                              (int64_t[]){ 1, rows, cols }, 3, NULL),
                             AT_OK);
                const int kernel = atx_pack_find(&g, before, &problem);
                problem.op = set->domain.op; /* each catalog has its own */
                cr_assert_eq(atx_pack_find(&h, set->packs[m], &problem), kernel);
                cr_assert_eq(memcmp(&g, &h, sizeof g), 0);
                char code[24];
                snprintf(code, sizeof code, "\177ELF none %d", kernel);
                cr_assert_str_eq(atx_str_text(&set->codes[set->code_of[m][kernel]]), code);
            }
    atx_pack_set_close(set);
    atx_pack_files_clear(&files);
    clear(&a);
    clear(&b);
}

/* Each byte changed in turn would take minutes: each word of the description is. */
Test(pack, a_description_that_is_wrong_is_refused_with_its_place)
{
    static const struct {
        const char *from, *to, *why;
    } WRONG[] = { { "autotune.pack/1", "autotune.pack/2", "expected autotune.pack/1" },
                  { "\"op\": \"transpose\"", "\"op\": \"nothing\"", "there is no such operation" },
                  { "\"op_hash\": \"", "\"op_hash\": \"0", "has changed since the pack was made" },
                  { "\"hash\": \"", "\"hash\": \"0", "has changed since the pack was made" },
                  { "\"template\": \"", "\"template\": \"no", "has none of that name" },
                  { "\"constants\": [", "\"constants\": [7, ", "constants; expected" },
                  { "\"code\": 0", "\"code\": 99", "expected a whole number from 0 to" },
                  { "\"yes\": 1", "\"yes\": 0", "expected a whole number from 1 to" },
                  { "\"order\": [0", "\"order\": [1", "once" },
                  { "\"of\": \"", "\"of\": \"x", "has no such" },
                  { "\"codes\": [", "\"codes\": [\"*\", ", "expected a cubin in base 64" },
                  { "\"sizes\": {\"batch\": [[1", "\"sizes\": {\"batch\": [[9", "[least, largest]" },
                  { "\"models\"", "\"moduls\"", "found no member 'models'" } };
    packed p = make("transpose", ATX_F32, RANGES, 3, 4, 0);
    atx_pack_files files = { 0 };
    char folder[64], path[80];
    cr_assert(mkdtemp(TEMPORARY(folder, "pack")));
    write_files(&files, (const atx_pack *[]){ p.pack }, 1);
    snprintf(path, sizeof path, "%s/packed.json", folder);
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        const char *text = atx_str_text(&files.description), *at = strstr(text, WRONG[i].from);
        atx_str changed = { 0 };
        atx_pack_set *set = NULL;
        at_error err = { 0 };
        cr_assert(at, "%s", WRONG[i].from);
        atx_str_add_bytes(&changed, text, (size_t)(at - text));
        atx_str_addf(&changed, "%s%s", WRONG[i].to, at + strlen(WRONG[i].from));
        write_text(folder, "packed.json", &changed);
        cr_assert_eq(atx_pack_read(&set, path, p.catalog, &err), AT_ERR_INPUT, "%s", WRONG[i].to);
        cr_assert(strstr(err.text, WRONG[i].why), "%s", err.text);
        atx_str_clear(&changed);
    }
    atx_pack_files_clear(&files);
    clear(&p);
}

/* Sizes whose product has no 64 bits, which the tuner refuses as a problem. */
Test(pack, sizes_that_no_memory_holds_have_no_kernel)
{
    packed p = make("transpose", ATX_F32, RANGES, 3, 4, 0);
    char folder[64];
    plan got;
    cr_assert(mkdtemp(TEMPORARY(folder, "pack")));
    void *so = compile(p.pack, folder);
    find_function *find = (find_function *)dlsym(so, "packed_find");
    const int64_t aligns[] = { 256, 256 };
    cr_assert_eq(find(&got, 0, 1, INT64_MAX, INT64_MAX, aligns), NOT_SUPPORTED);
    cr_assert_eq(find(&got, 0, 1, (int64_t)1 << 32, (int64_t)1 << 32, aligns), NOT_SUPPORTED);
    cr_assert_eq(find(&got, 0, 0, 16, 16, aligns), NOT_SUPPORTED);
    cr_assert_eq(find(&got, 0, 1, -16, 16, aligns), NOT_SUPPORTED);
    dlclose(so);
    clear(&p);
}

Test(pack, every_size_has_a_kernel_whose_constants_are_right_for_it)
{
    packed p = make("transpose", ATX_U8, RANGES, 3, 8, 0);
    for (int64_t rows = 1; rows < 4000; rows = rows * 3 + 1)
        for (int64_t cols = 1; cols < 4000; cols = cols * 2 + 5)
            check_constants(p.pack, (int64_t[]){ 1 + cols % 3, rows, cols }, rows % 2 ? 256 : 1);
    clear(&p);
}

static bool hold(const atx_template *t, const int64_t *slots, bool prefers)
{
    bool all = true;
    for (size_t i = 0; i < t->scope.require_count; i++) {
        int64_t holds = 0;
        if (t->scope.requires[i].prefers == prefers)
            all = all && atx_expr_eval(&holds, t->scope.requires[i].expr, slots, NULL) == AT_OK && holds;
    }
    return all;
}

/* With few kernels some sizes take one that its template would not choose for them. What it requires holds
 * all the same. */
Test(pack, a_kernel_runs_where_its_template_would_prefer_another)
{
    packed p = make("transpose", ATX_U8, RANGES, 3, 8, 0);
    int preferred = 0, others = 0;
    for (int64_t rows = 64; rows < 8000; rows += 488)
        for (int64_t cols = 64; cols < 8000; cols += 633) {
            atx_problem problem;
            atx_geometry g;
            int64_t slots[ATX_MAX_SLOTS];
            const int64_t sizes[] = { 1, rows, cols };
            cr_assert_eq(atx_problem_init(&problem, p.pack->domain.op, ATX_U8, sizes, 3, NULL), AT_OK);
            cr_assert_eq(atx_problem_bind(slots, &problem, &p.pack->limits, NULL), AT_OK);
            const int kernel = atx_pack_take(&g, p.pack, &problem, slots);
            cr_assert_geq(kernel, 0);
            cr_assert(hold(p.pack->kernels[kernel].t, slots, false));
            *(hold(p.pack->kernels[kernel].t, slots, true) ? &preferred : &others) += 1;
        }
    cr_assert(preferred > 0 && others > 0, "%d and %d", preferred, others);
    clear(&p);
}

/* A model says of a few bytes that they take next to no time; a cost of 0.02 us is not a thousand times that.
 */
Test(pack, what_is_expected_of_a_few_bytes_is_no_less_than_a_launch)
{
    static const char *const ANY[] = { "cols=1..1000000000" };
    packed p = make("copy", ATX_F32, ANY, 1, 4, 0);
    cr_expect_lt(p.pack->held_out.worst, 0.5, "%.3f", p.pack->held_out.worst);
    clear(&p);
}

/* Of batches of small matrices the best templates have the sizes as constants: another one stands in for
 * them. */
Test(pack, a_template_stands_in_for_those_whose_sizes_are_constants)
{
    static const char *const SMALL[] = { "batch=1..1000000", "rows=2..30", "cols=2..30" };
    packed p = make("transpose", ATX_U8, SMALL, 3, 3, 0);
    int standing_in = 0;
    for (int k = 0; k < p.pack->kernel_count; k++)
        standing_in += p.pack->kernels[k].t->replace_count > 0;
    cr_expect_gt(standing_in, 0);
    cr_expect_lt(p.pack->held_out.p95, 0.8, "%.3f", p.pack->held_out.p95);
    clear(&p);
}

/* One whose constants are those of a single matrix serves no other. */
Test(pack, kernels_are_for_more_than_one_problem)
{
    enum { DRAWN = 3000 };
    static const char *const LONG[] = { "rows=4..40", "cols=50000..3000000" };
    packed p = make("transpose", ATX_U8, LONG, 2, 24, 0);
    int valid[24] = { 0 };
    atx_rng rng = { 5 };
    for (int i = 0; i < DRAWN; i++) {
        atx_pack_sample s;
        atx_geometry g;
        cr_assert(atx_pack_draw(&s, &rng, &p.pack->domain, ATX_PACK_ANY, &p.pack->limits));
        for (int k = 0; k < p.pack->kernel_count; k++)
            valid[k] += atx_pack_allows(&g, &p.pack->kernels[k], s.slots);
    }
    for (int k = 0; k < p.pack->kernel_count; k++)
        cr_assert_gt(valid[k], DRAWN / 40, "%s serves %d of %d", p.pack->kernels[k].t->name, valid[k], DRAWN);
    clear(&p);
}

/* No model knows it. */
Test(pack, kernels_of_an_operation_without_a_model_are_those_that_won_for_such_sizes)
{
    static const char *const WORDS[] = { "tokens=1..65536", "hidden=4096" };
    atx_catalog *catalog = NULL;
    atx_lookup *winners = NULL;
    atx_pack *pack = NULL;
    atx_pack_domain domain;
    atx_limits limits;
    atx_found found;
    atx_problem problem;
    at_error err = { 0 };
    const atx_target target = { .name = "NVIDIA H200", .cc = 90, .sms = 132, .full = true };
    const int64_t sizes[] = { 4096, 4096 };
    unsetenv("AUTOTUNE_NO_SHIPPED");
    setenv("AUTOTUNE_NO_MODEL", "1", 1); /* the bundled one knows it, as every built-in operation */
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    const atx_op *op = atx_catalog_find_op(catalog, "group_quant");
    cr_assert_eq(atx_pack_domain_read(&domain, op, ATX_BF16, WORDS, 2, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_lookup_open(&winners, NULL, catalog, &err), AT_OK, "%s", err.text);
    atx_lookup_add_shipped(winners);
    atx_arch_limits(&limits, 90);
    limits.sms = 132;
    const atx_pack_request request = { .domain = &domain,
                                       .catalog = catalog,
                                       .winners = winners,
                                       .target = &target,
                                       .limits = &limits,
                                       .device = target.name,
                                       .kernels = 8,
                                       .problems = 60,
                                       .seed = 7 };
    cr_assert_eq(atx_pack_make(&pack, &request, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&problem, op, ATX_BF16, sizes, 2, NULL), AT_OK);
    cr_assert_eq(atx_lookup_find(&found, winners, &problem, &target, &err), AT_OK, "%s", err.text);
    bool has = false;
    for (int k = 0; k < pack->kernel_count; k++)
        has = has || (pack->kernels[k].t == found.t &&
                      memcmp(&pack->kernels[k].config, &found.config, sizeof found.config) == 0);
    cr_assert(has && pack->unknown);
    atx_pack_close(pack);
    atx_lookup_close(winners);
    atx_catalog_close(catalog);
}

/* Of sizes below 2^32, kernels that take them as constants for exact shapes take them for such numbers; and
 * the leading dimensions are not read. */
Test(pack, arguments_of_kernels_for_small_sizes_are_narrow)
{
    static const char *const LARGE[] = { "rows=1..4096", "cols=1..8589934592" };
    packed p = make("transpose", ATX_U8, RANGES, 3, 8, 0), wide = make("transpose", ATX_U8, LARGE, 2, 8, 0);
    int narrow = 0;
    for (int k = 0; k < 8; k++) {
        const atx_pack_kernel *kernel = &p.pack->kernels[k];
        atx_str text = { 0 };
        at_error err = { 0 };
        cr_assert_eq(atx_pack_render(&text, p.pack, k, &err), AT_OK, "%s", err.text);
        cr_assert_eq(kernel->narrow, kernel->t->scope.fixed != NULL, "%s", kernel->t->name);
        cr_assert(!strstr(atx_str_text(&text), "long long rows = (unsigned)autotune_rows;") ==
                  !kernel->narrow);
        cr_assert(!strstr(atx_str_text(&text), "long long ld_out = (unsigned)autotune_rows;") ==
                  !kernel->narrow);
        cr_assert(!wide.pack->kernels[k].narrow);
        narrow += kernel->narrow;
        atx_str_clear(&text);
    }
    cr_assert_gt(narrow, 0);
    clear(&p);
    clear(&wide);
}

/* Its kernel has the value of another one of the same code: one that named it would be wrong. */
Test(pack, a_parameter_of_the_launch_alone_is_no_constant_of_the_source)
{
    packed p = make("transpose", ATX_U8, RANGES, 3, 8, 0);
    const atx_template *t = atx_catalog_find_template(p.catalog, p.pack->domain.op, "strips");
    atx_pack_kernel k = { .t = t, .example = p.pack->kernels[0].example, .consts = { 4, 16 } };
    atx_str text = { 0 };
    at_error err = { 0 };
    cr_assert(t && t->scope.params[0].general && strcmp(t->scope.params[0].name, "THREADS") == 0);
    memcpy(k.config.values, t->scope.defaults, sizeof k.config.values);
    cr_assert_eq(atx_pack_render_kernel(&text, &k, &p.pack->limits, &err), AT_OK, "%s", err.text);
    cr_assert(strstr(atx_str_text(&text), "constexpr int PER = 4;"));
    cr_assert(!strstr(atx_str_text(&text), "constexpr int THREADS = "));
    atx_str_clear(&text);
    clear(&p);
}

Test(pack, a_narrow_kernel_does_not_run_for_larger_sizes)
{
    static const char *const LARGE[] = { "rows=1", "cols=4294967296..8589934592" };
    packed p = make("transpose", ATX_U8, LARGE, 2, 4, 0);
    const int64_t sizes[] = { 1, 1, (int64_t)UINT32_MAX + 1 };
    int allowed = 0;
    for (int k = 0; k < p.pack->kernel_count; k++) {
        atx_pack_kernel kernel = p.pack->kernels[k];
        atx_problem problem;
        atx_geometry g;
        int64_t slots[ATX_MAX_SLOTS];
        cr_assert_eq(atx_problem_init(&problem, p.pack->domain.op, ATX_U8, sizes, 3, NULL), AT_OK);
        cr_assert_eq(atx_problem_bind(slots, &problem, &p.pack->limits, NULL), AT_OK);
        cr_assert(!kernel.narrow);
        allowed += atx_pack_allows(&g, &kernel, slots);
        kernel.narrow = true;
        cr_assert(!atx_pack_allows(&g, &kernel, slots), "kernel %d", k);
    }
    cr_assert_gt(allowed, 0);
    clear(&p);
}

Test(pack, a_constant_that_is_not_for_the_sizes_keeps_the_kernel_away)
{
    packed p = make("transpose", ATX_F32, RANGES, 3, 4, 0);
    atx_problem problem;
    atx_geometry g;
    cr_assert_eq(atx_problem_init(&problem, p.pack->domain.op, ATX_F32, (int64_t[]){ 1, 65, 63 }, 3, NULL),
                 AT_OK);
    const int kernel = atx_pack_find(&g, p.pack, &problem);
    cr_assert_geq(kernel, 0);
    const atx_template *t = p.pack->kernels[kernel].t;
    int64_t slots[ATX_MAX_SLOTS]; /* with the constants of these sizes */
    cr_assert_eq(atx_problem_bind(slots, &problem, &p.pack->limits, NULL), AT_OK);
    cr_assert_eq(atx_config_bind(slots, t, &p.pack->kernels[kernel].config, NULL), AT_OK);
    for (size_t i = 0, n = 0; i < t->scope.let_count; i++) {
        if (!t->scope.lets[i].rendered)
            continue;
        int64_t *value = &p.pack->kernels[kernel].consts[n++], right = *value;
        *value = 1 - right;
        const bool fits = t->scope.lets[i].any || slots[t->scope.lets[i].slot] == *value ||
                          (t->scope.lets[i].general && t->scope.lets[i].general_value == *value);
        cr_assert_eq(atx_pack_find(&g, p.pack, &problem) == kernel, fits, "%s", t->scope.lets[i].name);
        *value = right;
    }
    clear(&p);
}

/* A map says what the pack does: each cell is asked for again. */
Test(pack, a_map_shows_which_kernel_takes_which_sizes)
{
    packed p = make("transpose", ATX_F32, RANGES, 3, 6, 0);
    atx_pack_map map;
    for (int odd = 0; odd <= 1; odd++) {
        int seen = 0;
        atx_pack_map_fill(&map, p.pack, 24, 16, odd);
        cr_assert(map.x == 2 && map.y == 1, "cols to the right, rows downwards");
        cr_assert(map.width > 12 && map.width <= 24 && map.height > 8 && map.height <= 16);
        cr_assert_eq(map.xs[map.width - 1], 8192);
        for (int y = 0; y < map.height; y++)
            for (int x = 0; x < map.width; x++) {
                atx_geometry g;
                atx_problem problem;
                const int64_t sizes[] = { 1, map.ys[y], map.xs[x] };
                cr_assert_eq(atx_problem_init(&problem, p.pack->domain.op, ATX_F32, sizes, 3, NULL), AT_OK);
                cr_assert_eq(map.kernels[y][x], atx_pack_find(&g, p.pack, &problem));
                cr_assert(map.xs[x] < 65 || map.xs[x] == 8192 || map.xs[x] % 64 == odd);
                seen |= 1 << map.kernels[y][x];
            }
        cr_assert(seen & (seen - 1), "more than one kernel is used");
    }
    clear(&p);
}

/* Its conditions lead to the leaf: a tree that is known. */
Test(pack, spots_say_how_to_get_to_the_leaves_that_lose_the_most)
{
    packed p = make("transpose", ATX_F32, RANGES, 3, 2, 0);
    static const atx_pack_node TREE[] = {
        { .test = ATX_PACK_AT_MOST, .which = 1, .value = 33, .yes = 1, .no = 2 },
        { .test = ATX_PACK_LEAF, .order = { 1, 0 }, .loss = 0.1, .problems = 10 },
        { .test = ATX_PACK_MULTIPLE, .which = 2, .value = 8, .yes = 3, .no = 4 },
        { .test = ATX_PACK_LEAF, .order = { 0, 1 }, .loss = 0.9, .problems = 1 },
        { .test = ATX_PACK_LEAF, .order = { 0, 1 }, .loss = 0.5, .problems = 4 },
    };
    atx_pack_spot spots[3];
    memcpy(p.pack->nodes, TREE, sizeof TREE);
    p.pack->node_count = 5;
    cr_assert_eq(atx_pack_spots(spots, 2, p.pack), 2);
    cr_assert_str_eq(atx_str_text(&spots[0].where), "rows > 33, cols % 8 != 0");
    cr_assert_str_eq(atx_str_text(&spots[1].where), "rows <= 33");
    for (int i = 0; i < 2; i++)
        atx_str_clear(&spots[i].where);
    clear(&p);
}

Test(pack, more_kernels_lose_less_and_within_ends_early)
{
    packed all = make("transpose", ATX_F16, RANGES, 3, 16, 0);
    for (int n = 1; n < all.pack->kernel_count; n++) {
        const atx_pack_loss *fewer = &all.pack->curve[n - 1], *more = &all.pack->curve[n];
        cr_assert_leq(more->unanswered, fewer->unanswered);
        cr_assert(more->unanswered < fewer->unanswered || more->mean <= fewer->mean + 1e-6);
    }
    packed few = make("transpose", ATX_F16, RANGES, 3, 16, 0.4);
    cr_assert_lt(few.pack->kernel_count, all.pack->kernel_count);
    clear(&few);
    clear(&all);
}

Test(pack, equal_requests_give_equal_packs)
{
    packed a = make("transpose", ATX_F16, RANGES, 3, 6, 0), b = make("transpose", ATX_F16, RANGES, 3, 6, 0);
    cr_assert_eq(a.pack->kernel_count, b.pack->kernel_count);
    for (int k = 0; k < a.pack->kernel_count; k++) {
        cr_assert_str_eq(a.pack->kernels[k].t->name, b.pack->kernels[k].t->name);
        cr_assert_arr_eq(&a.pack->kernels[k].config, &b.pack->kernels[k].config, sizeof(atx_config));
    }
    clear(&a);
    clear(&b);
}

Test(pack, what_cannot_be_packed_is_refused_in_words)
{
    atx_catalog *catalog = NULL;
    atx_pack_domain domain;
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK);
    const atx_op *transpose = atx_catalog_find_op(catalog, "transpose");
    static const struct {
        const char *range, *why;
    } WRONG[] = { { "rows=5..1", "1 <= FIRST <= LAST" },  { "rows=0..4", "1 <= FIRST <= LAST" },
                  { "rows=1..2..3", "NAME=FIRST..LAST" }, { "depth=1..2", "one of batch, rows, cols" },
                  { "rows", "one of batch, rows, cols" }, { "rows=1..4", "no range of cols" } };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        cr_assert_eq(atx_pack_domain_read(&domain, transpose, ATX_F32, &WRONG[i].range, 1, &err),
                     AT_ERR_USAGE);
        cr_assert(strstr(err.text, WRONG[i].why), "%s: %s", WRONG[i].range, err.text);
    }
    atx_catalog_close(catalog);
}
