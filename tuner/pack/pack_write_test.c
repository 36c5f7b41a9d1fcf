/*
 * pack_write_test.c - NAME_test.c, a program that includes NAME.c and compares its kernels with the
 * operation's reference, bit for bit, for sizes on both sides of each comparison of the tree, and for some
 * that were drawn. pack_test.inc is what is the same for all packs.
 */
#include "pack/pack_write.h"

#include "lang/catalog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWN = 48, MOST_DRAWS = 400 /* for a node */ };

/* Problems of a test have an eighth of this: all of them are compared on the host. */
#define TEST_MEMORY ((int64_t)1 << 30)

at_status atx_pack_can_test(const atx_pack *pack, at_error *err)
{
    const atx_op *op = pack->domain.op;
    const char *why = op->expected.check.rule != 0 ? "its outputs are compared with a tolerance"
                      : !op->expected.reference[0] ? "its reference is no kernel of its own"
                                                   : NULL;
    for (int i = 0; i < op->arg_count && !why; i++)
        if (op->args[i].check.rule != 0 || op->args[i].input.stated)
            why = "its data is not any bits";
    return why ? atx_fail(err, AT_ERR_INPUT, "%s has no test program: %s", op->name, why) : AT_OK;
}

/* "case N: return EXPRESSION;" */
static void add_bytes_function(atx_str *out, const atx_pack *pack, at_status *status, at_error *err)
{
    const atx_op *op = pack->domain.op;
    int n = 0;
    atx_str_add(
        out,
        "\n/* Bytes of a buffer; below 0: too many. */\nstatic int64_t pt_bytes(const pk_operation *o, int "
        "buffer)\n{\n    int flag = 0, *bad = &flag;\n    int64_t count = 0, each = 1;\n");
    for (int i = 0; i < op->arg_count && *status == AT_OK; i++) {
        if (op->args[i].role == ATX_SCALAR)
            continue;
        atx_str_addf(out, "    if (buffer == %d) {\n        each = %d;\n        count = ", n++,
                     atx_dtype_bytes(atx_arg_type(&op->args[i], pack->domain.type)));
        *status = atx_pack_add_op_expr(out, pack, op->args[i].expr, err);
        atx_str_add(out, ";\n    }\n");
    }
    atx_str_add(out, "    count = pk_mul(bad, count, each);\n    return flag ? -1 : count;\n}\n");
    atx_str_addf(out, "\n#define PT_BUFFERS %d\n", n);
}

static void add_inputs(atx_str *out, const atx_op *op)
{
    atx_str_add(out, "static const int pt_is_input[PT_BUFFERS] = {");
    for (int i = 0, n = 0; i < op->arg_count; i++)
        if (op->args[i].role != ATX_SCALAR)
            atx_str_addf(out, "%s%d", n++ ? ", " : " ", op->args[i].role != ATX_OUTPUT);
    atx_str_add(out, " };\n");
}

/* Sizes of a test are extents, then the order. What is right is computed on the host. */
static at_status add_host_reference(atx_str *out, const atx_op *op, at_error *err)
{
    atx_str_add(
        out,
        "\nstatic int pt_choose(pk_launch *l, pk_operation *o, const int64_t *sizes, const int64_t "
        "*aligns)\n{\n    int64_t all[3 * PK_DIMS];\n"
        "    return pk_layout(all, PK_DIMS, sizes, pt_order(sizes).dims) ? pk_choose(l, o, pt_model, all, "
        "aligns) : -1;\n}\n");
    atx_pack_add_part(out, ATX_PACK_LAYOUT_TEST);
    atx_str_add(out, "\nstatic CUresult pt_call_reference(CUfunction function, const pt_buffer *buffers, "
                     "const pk_operation *o)\n{\n    const int64_t sizes[] = { ");
    for (int i = 0; i < op->shape.dim_count; i++)
        atx_str_addf(out, "o->s[%d], ", i);
    for (int k = 0; k < op->shape.layout_count; k++)
        for (int i = 0; i < op->shape.dim_count; i++)
            atx_str_addf(out, "o->s[%d], ", op->shape.stride_slots[k][i]);
    atx_str_add(
        out, "};\n    (void)function;\n"
             "    return pt_permute(pt_pointer(buffers, 0), pt_pointer(buffers, 1), (size_t)pt_bytes(o, 1), "
             "sizes);\n}\n");
    return atx_str_status(out, err);
}

/* How the pack, and the reference, are called with the test's buffers. */
static at_status add_calls(atx_str *out, const atx_pack_writing *w, at_error *err)
{
    const atx_op *op = w->op;
    atx_str_add(
        out,
        "\ntypedef struct pt_buffer pt_buffer;\nstatic void *pt_pointer(const pt_buffer *buffers, int i);\n"
        "static CUstream pt_stream;\n");
    if (op->shape.layout_count)
        atx_str_add(
            out, "\ntypedef struct pt_dims {\n    int dims[PK_DIMS];\n} pt_dims;\n\n"
                 "static pt_dims pt_order(const int64_t *sizes)\n{\n    pt_dims order;\n"
                 "    for (int i = 0; i < PK_DIMS; i++)\n        order.dims[i] = (int)sizes[PK_DIMS + i];\n"
                 "    return order;\n}\n");
    atx_str_addf(out,
                 "\nstatic CUresult pt_call(const pt_buffer *buffers, const int64_t "
                 "*sizes)\n"
                 "{\n    return %s(",
                 w->name);
    for (int i = 0, n = 0; i < op->arg_count; i++)
        if (op->args[i].role != ATX_SCALAR)
            atx_str_addf(out, "pt_pointer(buffers, %d), ", n++);
    if (op->shape.layout_count)
        atx_str_add(out, "PK_DIMS, sizes, pt_order(sizes).dims, ");
    for (int i = 0; i < op->shape.dim_count && !op->shape.layout_count; i++)
        atx_str_addf(out, "sizes[%d], ", i);
    atx_str_add(out, "pt_stream);\n}\n");
    if (op->shape.layout_count)
        return add_host_reference(out, op, err);
    atx_str_add(
        out,
        "\nstatic int pt_choose(pk_launch *l, pk_operation *o, const int64_t *sizes, const int64_t *aligns)\n"
        "{\n    return pk_choose(l, o, pt_model, sizes, aligns);\n}\n\nstatic CUresult "
        "pt_call_reference(CUfunction function, const pt_buffer *buffers, "
        "const pk_operation *operation)\n{\n    const pk_operation o = *operation;\n    pk_launch l;\n"
        "    if (!pt_references[pt_model].launch(&l, operation))\n        return "
        "CUDA_ERROR_NOT_SUPPORTED;\n");
    for (int i = 0, n = 0; i < op->arg_count; i++)
        if (op->args[i].role != ATX_SCALAR)
            atx_str_addf(out, "    void *value_%d = pt_pointer(buffers, %d);\n", i, n++);
    atx_pack_add_values(out, op);
    atx_str_add(out, "    void *arguments[] = { ");
    for (int i = 0; i < op->arg_count; i++)
        atx_str_addf(out, "%s&value_%d", i ? ", " : "", i);
    atx_str_add(out,
                ", NULL };\n    return cuLaunchKernel(function, (unsigned)l.grid[0], (unsigned)l.grid[1], "
                "(unsigned)l.grid[2], (unsigned)l.block[0], (unsigned)l.block[1],\n                          "
                "(unsigned)l.block[2], (unsigned)l.shared, pt_stream, arguments, NULL);\n}\n");
    return atx_str_status(out, err);
}

/* ---- the problems ---- */

typedef struct test_case {
    atx_problem problem;
    int64_t bytes;
} test_case;

typedef struct test_cases {
    const atx_pack *pack;
    atx_limits limits; /* of problems that are drawn */
    atx_rng rng;
    test_case items[DRAWN + 4 * ATX_PACK_MAX_NODES];
    int count, missed; /* missed: nodes that no problem of this size was found for */
} test_cases;

static bool has_case(const test_cases *c, const atx_problem *problem)
{
    const size_t bytes = (size_t)atx_pack_number_count(problem->op) * sizeof *problem->dims;
    for (int i = 0; i < c->count; i++)
        if (memcmp(c->items[i].problem.dims, problem->dims, bytes) == 0)
            return true;
    return false;
}

/* Unless it is there. false: it is none of the domain, or too large. */
static bool add_case(test_cases *c, const atx_problem *problem)
{
    int64_t slots[ATX_MAX_SLOTS];
    test_case *item = &c->items[c->count];
    for (int i = 0; i < problem->op->shape.dim_count; i++)
        if (!atx_pack_is_within(&c->pack->domain.dims[i], problem->dims[i]))
            return false;
    if (atx_problem_bind(slots, problem, &c->pack->limits, NULL) != AT_OK)
        return false;
    item->bytes = atx_pack_bytes(problem, slots);
    item->problem = *problem;
    const bool fits = item->bytes <= c->limits.memory_bytes / 8;
    c->count += fits && !has_case(c, problem);
    return fits;
}

/* A problem that a node asks about moved to both sides of its comparison. false: too large on each. */
static bool add_sides(test_cases *c, const atx_pack_node *node, const atx_problem *drawn)
{
    atx_problem moved;
    if (node->which < 0 || node->which >= drawn->op->shape.dim_count ||
        (node->test != ATX_PACK_AT_MOST && node->test != ATX_PACK_MULTIPLE))
        return add_case(c, drawn);
    const int64_t size = drawn->dims[node->which],
                  near = node->test == ATX_PACK_MULTIPLE ? size / node->value * node->value : node->value;
    bool added = false;
    for (int64_t side = -1; side <= 1; side++)
        added |= atx_pack_with_size(&moved, drawn, node->which, near + side) && add_case(c, &moved);
    return added;
}

/* Problems for which a node is asked, or is the leaf; for a comparison, on both of its sides. */
static void add_node(test_cases *c, int node)
{
    atx_pack_sample s;
    bool added = false;
    for (int n = 0; n < MOST_DRAWS && !added; n++)
        added = atx_pack_draw(&s, &c->rng, &c->pack->domain, ATX_PACK_ANY, &c->limits) &&
                atx_pack_meets(c->pack, &s.problem, node) && add_sides(c, &c->pack->nodes[node], &s.problem);
    c->missed += !added;
}

static int by_bytes(const void *a, const void *b)
{
    const test_case *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes > y->bytes) - (x->bytes < y->bytes)
                                : memcmp(x->problem.dims, y->problem.dims, sizeof x->problem.dims);
}

/* The smallest first: when the time is over, most have been tried. */
static test_cases *find_cases(const atx_pack *pack, uint64_t seed)
{
    test_cases *c = calloc(1, sizeof *c);
    atx_pack_sample s;
    if (!c)
        return NULL;
    c->pack = pack;
    c->rng = (atx_rng){ ~seed };
    c->limits = pack->limits;
    c->limits.memory_bytes = TEST_MEMORY;
    for (int i = 0; i < DRAWN; i++)
        if (atx_pack_draw(&s, &c->rng, &pack->domain, ATX_PACK_ANY, &c->limits))
            add_case(c, &s.problem);
    for (int n = 0; n < pack->node_count; n++)
        add_node(c, n);
    qsort(c->items, (size_t)c->count, sizeof *c->items, by_bytes);
    return c;
}

/* Its sizes; of an op of layouts extents and the order, with further dimensions of 1 behind them. */
static void add_case_sizes(atx_str *out, const atx_problem *p)
{
    const int count = p->op->shape.dim_count, layouts = p->op->shape.layout_count;
    int64_t sizes[ATX_MAX_DIMS];
    int order[ATX_MAX_DIMS];
    const int rank = layouts ? atx_pack_permutation(sizes, order, p) : 0;
    for (int i = 0; i < count; i++)
        atx_str_addf(out, "%s%" PRId64, i ? ", " : "", !layouts ? p->dims[i] : i < rank ? sizes[i] : 1);
    for (int i = 0; i < count && layouts; i++)
        atx_str_addf(out, ", %d", i < rank ? order[i] : i);
}

static void add_cases(atx_str *out, const test_cases *c)
{
    if (c->count == 0)
        atx_str_add(out, "    { 0 } /* none */\n");
    for (int n = 0; n < c->count; n++) {
        atx_str_add(out, "    { ");
        add_case_sizes(out, &c->items[n].problem);
        atx_str_add(out, " },\n");
    }
}

/* Of each model of GPU, for comparisons of its own. */
static at_status add_all_cases(atx_str *out, const atx_pack_writing *w, at_error *err)
{
    int count[ATX_PACK_MAX_MODELS], missed[ATX_PACK_MAX_MODELS];
    for (int m = 0; m < w->count; m++) {
        test_cases *cases = find_cases(w->models[m].pack, (uint64_t)m + 1);
        if (!cases)
            return atx_no_memory(err);
        atx_str_addf(out, "static const int64_t pt_cases_%d[][PT_SIZES] = {\n", m);
        add_cases(out, cases);
        atx_str_add(out, "};\n");
        count[m] = cases->count;
        missed[m] = cases->missed;
        free(cases);
    }
    atx_str_addf(out, "#define PT_MOST_MIB %d\n", (int)(TEST_MEMORY / 8 >> 20));
    atx_str_add(out, "static const struct {\n    const int64_t (*sizes)[PT_SIZES]; /* of few bytes first "
                     "*/\n    int count;\n"
                     "    int missed; /* nodes of the tree that no problem of PT_MOST_MIB leads to */\n"
                     "} pt_cases[PK_MODELS] = {\n");
    for (int m = 0; m < w->count; m++)
        atx_str_addf(out, "    { pt_cases_%d, %d, %d },\n", m, count[m], missed[m]);
    atx_str_add(out, "};\n");
    return AT_OK;
}

/* The op's reference, compiled and launched as each model of GPU has it. */
static at_status add_references(atx_str *out, const atx_pack_writing *w, at_error *err)
{
    at_status status = AT_OK;
    if (w->op->shape.layout_count) {
        atx_str_add(out, "\n#define PT_HOST_REFERENCE\nstatic int pt_model;\n");
        return AT_OK;
    }
    for (int m = 0; m < w->count && status == AT_OK; m++) {
        char name[40];
        snprintf(name, sizeof name, "pt_reference_image_%d", m);
        atx_pack_add_image(out, name, &w->models[m].reference);
        status = atx_pack_add_reference(out, w->models[m].pack, m, err);
    }
    atx_str_add(out,
                "\nstatic const struct {\n    const void *image;\n"
                "    int (*launch)(pk_launch *, const pk_operation *);\n} pt_references[PK_MODELS] = {\n");
    for (int m = 0; m < w->count; m++)
        atx_str_addf(out, "    { pt_reference_image_%d, pt_reference_%d },\n", m, m);
    atx_str_addf(out, "};\nstatic const char pt_reference_name[] = \"%s\";\nstatic int pt_model;\n",
                 w->op->expected.reference);
    return status;
}

at_status atx_pack_write_test(atx_str *out, const atx_pack_writing *w, at_error *err)
{
    const char *name = w->name;
    at_status status = AT_OK;
    atx_str_addf(
        out,
        "/* Tests %s.c on device 0:  cc %s_test.c -lcuda\n *\n"
        " *     %s_test [SECONDS]          compares all kernels with the reference, for so long at most: 20\n"
        " *     %s_test SECONDS SIZES...   compares for these sizes of one problem, or several; with 0 "
        "seconds times each\n *\n"
        " * Exit code 1: a result is wrong; 3: the time was over before each kernel was compared. */\n"
        "#include \"%s.c\"\n\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include "
        "<time.h>\n",
        name, name, name, name, name);
    atx_str_addf(out, "\n#define PT_SIZES %d\n#define PT_ELEMENT %d\n#define PT_ANY_ALIGNMENT %d\n",
                 (w->op->shape.layout_count ? 2 : 1) * w->op->shape.dim_count,
                 atx_dtype_bytes(w->models[0].pack->domain.type), w->op->shape.align_count > 0);
    add_bytes_function(out, w->models[0].pack, &status, err);
    add_inputs(out, w->op);
    ATX_THEN(status, add_references(out, w, err));
    ATX_THEN(status, add_calls(out, w, err));
    ATX_THEN(status, add_all_cases(out, w, err));
    atx_pack_add_part(out, ATX_PACK_TEST);
    atx_str_add(out, "\nstatic void *pt_pointer(const pt_buffer *buffers, int i)\n{\n"
                     "    return (void *)(uintptr_t)(buffers[i].all + buffers[i].begin);\n}\n");
    return status == AT_OK ? atx_str_status(out, err) : status;
}
