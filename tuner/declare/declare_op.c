/*
 * declare_op.c - the block that declares an operation; the format is in templates/reference.md.
 *
 * KEYWORDS has a reader for each line. Slots are handed out in this order: dimensions, sizeof(T)
 * and the device's limits, then pitches, alignments and lets as they are declared. Templates
 * continue behind the last one, which is why an op must be whole before they are read. A line may
 * use only what lines above it declare, so that one pass resolves every name.
 */
#include "declare/declare.h"

#include <stdlib.h>
#include <string.h>

#include "declare/declare_common.h"
#include "declare/declare_files.h"
#include "declare/declare_internal.h"
#include "source/normalized.h"
#include "util/str.h"

static void read_op(atx_lines *lines, void *target)
{
    atx_op *op = target;
    atx_read_plain_name(op->name, lines);
    op->about = atx_lines_comment(lines);
}

/* The names that every expression of the op may use, besides dimensions; known once these are. */
static void add_common_symbols(atx_lines *lines, atx_op *op)
{
    atx_symbols *s = &op->scope.symbols;
    if (lines->status != AT_OK)
        return;
    op->scope.sizeof_slot = s->count;
    at_status status = atx_put_symbol(s, "sizeof(T)", lines->err);
    op->scope.device_slot = s->count;
    for (int i = 0; i < ATX_LIMIT_COUNT && status == AT_OK; i++) {
        char name[ATX_MAX_NAME] = "device.";
        strcat(name, atx_limit_names[i]);
        status = atx_put_symbol(s, name, lines->err);
    }
    atx_lines_note(lines, status);
    if (op->shape.dims[op->shape.dim_count - 1].optional)
        atx_lines_fail(lines, lines->line,
                       "found only dimensions with a default; expected one without at the end");
    atx_add_dim_words(lines, op);
}

static void read_shape(atx_lines *lines, void *target)
{
    atx_op *op = target;
    do {
        if (op->shape.dim_count == ATX_MAX_DIMS)
            atx_lines_fail(lines, lines->at, "found more than %d dimensions; expected fewer", ATX_MAX_DIMS);
        else
            atx_read_dim(lines, op);
    } while (!atx_lines_at_end(lines));
    add_common_symbols(lines, op);
}

/* NAME = DIM. Its slot follows those of earlier declarations. */
static void read_pitch(atx_lines *lines, void *target)
{
    atx_op *op = target;
    atx_pitch *pitch = &op->shape.pitches[op->shape.pitch_count];
    if (op->shape.pitch_count == ATX_MAX_PITCHES) {
        atx_lines_fail(lines, lines->at, "found more than %d pitches; expected fewer", ATX_MAX_PITCHES);
        return;
    }
    const char *at = atx_lines_name(pitch->name, lines, "the name of a pitch");
    pitch->slot = atx_add_symbol(lines, pitch->name, at);
    atx_lines_take(lines, "=", NULL);
    pitch->dim = atx_read_dim_name(lines, op);
    op->shape.pitch_count++;
}

static void read_type_word(atx_lines *lines, atx_op *op)
{
    char word[ATX_MAX_NAME];
    atx_dtype type;
    at_error cause = { 0 };
    const char *at = atx_lines_name(word, lines, "'storage' or element types");
    if (atx_dtype_parse(&type, word, strlen(word), &cause) != AT_OK)
        atx_lines_fail(lines, at, "found %s, or 'storage'", cause.text);
    else if (op->types & 1u << type)
        atx_lines_fail(lines, at, "found '%s' a second time; expected each type once", word);
    else
        op->types |= 1u << type;
}

/* NAME = ..., with another name than T. */
static bool names_another_type(const atx_lines *lines)
{
    atx_lines after = *lines;
    atx_lines_skip(&after, atx_lines_word(lines));
    return !atx_lines_sees_word(lines, "T") && atx_lines_word(lines) > 0 && atx_lines_sees(&after, "=");
}

static void read_type(atx_lines *lines, void *target)
{
    atx_op *op = target;
    if (names_another_type(lines)) {
        atx_read_named_type(lines, op);
        return;
    }
    if (op->types)
        atx_lines_fail(lines, lines->at, "found type T a second time; expected it once");
    atx_lines_take(lines, "T", NULL);
    atx_lines_take(lines, "=", NULL);
    if (atx_lines_skip_word(lines, "storage")) {
        op->storage = true;
        op->types = (1u << ATX_BOOLEAN) - 1; /* all before it */
        return;
    }
    do
        read_type_word(lines, op);
    while (!atx_lines_at_end(lines));
}

/* A buffer argument that has no alignment yet, -1: there is none of that name. */
static int find_buffer(const atx_op *op, const char *name)
{
    for (int i = 0; i < op->arg_count; i++) {
        bool taken = op->args[i].role == ATX_SCALAR || op->args[i].role == ATX_SCRATCH ||
                     strcmp(op->args[i].name, name) != 0;
        for (int k = 0; k < op->shape.align_count; k++)
            taken = taken || op->shape.aligns[k].arg == i;
        if (!taken)
            return i;
    }
    return -1;
}

static int find_pitch(const atx_op *op, const atx_expr *elements)
{
    for (int i = 0; i < op->shape.pitch_count; i++)
        if (atx_expr_reads(elements, op->shape.pitches[i].slot))
            return i;
    return -1;
}

/* NAME = ARG */
static void read_align(atx_lines *lines, void *target)
{
    atx_op *op = target;
    atx_align *align = &op->shape.aligns[op->shape.align_count];
    char arg[ATX_MAX_NAME];
    if (op->shape.align_count == ATX_MAX_ALIGNS) {
        atx_lines_fail(lines, lines->at, "found more than %d alignments; expected fewer", ATX_MAX_ALIGNS);
        return;
    }
    const char *at = atx_read_assigned_name(align->name, lines);
    align->slot = atx_add_symbol(lines, align->name, at);
    at = atx_lines_name(arg, lines, "a buffer argument");
    align->arg = find_buffer(op, arg);
    if (align->arg < 0) {
        atx_lines_fail(lines, at, "found '%s'; expected an input, output or inout without alignment", arg);
        return;
    }
    align->pitch = find_pitch(op, op->args[align->arg].expr);
    op->shape.align_count++;
}

/* template NAME P=V...: the values are looked at when its templates are known. */
static void read_trusted(atx_lines *lines, atx_op *op)
{
    op->expected.trusted_where = atx_lines_where(lines, lines->at);
    atx_read_plain_name(op->expected.trusted, lines);
    op->expected.trusted_config = atx_text_copy(lines->at, (size_t)(lines->line_end - lines->at));
    if (!op->expected.trusted_config)
        atx_lines_note(lines, atx_no_memory(lines->err));
    for (char *c = op->expected.trusted_config; c && *c; c++) /* a line may go on */
        *c = (unsigned char)*c <= ' ' || *c == '\\' ? ' ' : *c;
    lines->at = lines->line_end;
}

static void read_reference(atx_lines *lines, void *target)
{
    atx_op *op = target;
    if (atx_lines_skip_word(lines, "template")) {
        read_trusted(lines, op);
        return;
    }
    if (atx_lines_skip_word(lines, "file")) {
        op->expected.answer_where = atx_lines_where(lines, lines->at);
        op->expected.answer = atx_lines_string(lines, "a file, as in file \"answer.npy\"");
        return;
    }
    const char *at = atx_read_free_name(op->expected.reference, lines,
                                        "the name of a kernel, template NAME, or file \"answer.npy\"");
    if (!atx_lines_source_has(lines, op->expected.reference))
        atx_lines_fail(lines, at, "found no kernel '%s' in this file; expected it below the declaration",
                       op->expected.reference);
}

static void read_grid(atx_lines *lines, void *target)
{
    atx_read_grid(lines, ((atx_op *)target)->expected.launch.grid);
}

static void read_block(atx_lines *lines, void *target)
{
    atx_read_grid(lines, ((atx_op *)target)->expected.launch.block);
}

static void read_ceiling(atx_lines *lines, void *target)
{
    static const char *const ENDS[] = { NULL };
    atx_op *op = target;
    if (atx_lines_skip_word(lines, "none"))
        return;
    if (atx_lines_skip_word(lines, "gflops")) {
        op->goal.peak = atx_lines_expr(lines);
        return;
    }
    atx_read_plain_name(op->goal.ceiling_op, lines);
    op->goal.ceiling_dim_count =
        atx_read_exprs(lines, op->goal.ceiling_dims, ATX_MAX_DIMS, ENDS, "the end of the line");
}

/* The one word `op`: the keyword alone would not say which default it is. */
static void read_default(atx_lines *lines, void *target)
{
    atx_lines_take(lines, "op", NULL);
    ((atx_op *)target)->by_default = true;
}

static void read_use(atx_lines *lines, void *target)
{
    atx_read_uses(lines, &((atx_op *)target)->uses);
}

static void read_recorded(atx_lines *lines, void *target)
{
    (void)lines;
    ((atx_op *)target)->recorded = true;
}

static const atx_keyword KEYWORDS[] = {
    { .word = "op", .form = "op NAME", .once = true, .required = true, .read = read_op },
    { .word = "shape",
      .form = "shape DIM...",
      .once = true,
      .required = true,
      .after = "op",
      .read = read_shape },
    { .word = "type", .form = "type T = storage", .required = true, .after = "op", .read = read_type },
    { .word = "struct", .after = "shape", .read = atx_read_struct },
    { .word = "pitch", .after = "shape", .read = read_pitch },
    { .word = "each", .read = atx_read_each },
    { .word = "let", .after = "shape", .read = atx_read_let },
    { .word = "require", .after = "shape", .read = atx_read_require },
    { .word = "strides", .once = true, .after = "shape", .read = atx_read_strides },
    { .word = "arg",
      .form = "arg NAME T[EXPR] output",
      .required = true,
      .of_kernels = true,
      .after = "shape",
      .read = atx_read_arg },
    { .word = "scratch", .after = "shape", .read = atx_read_scratch },
    { .word = "align", .after = "arg", .read = read_align },
    { .word = "reference",
      .form = "reference KERNEL",
      .once = true,
      .required = true,
      .of_kernels = true,
      .read = read_reference },
    { .word = "grid", .once = true, .after = "shape", .read = read_grid },
    { .word = "block", .once = true, .after = "shape", .read = read_block },
    { .word = "repeat", .after = "arg", .read = atx_read_op_repeat },
    { .word = "shared", .once = true, .after = "shape", .expr = offsetof(atx_op, expected.launch.shared) },
    { .word = "check", .read = atx_read_check },
    { .word = "traffic",
      .form = "traffic EXPR",
      .once = true,
      .required = true,
      .of_kernels = true,
      .after = "shape",
      .expr = offsetof(atx_op, goal.traffic) },
    { .word = "ops", .once = true, .after = "shape", .expr = offsetof(atx_op, goal.ops) },
    { .word = "metric", .after = "shape", .read = atx_read_metric },
    { .word = "objective", .once = true, .after = "shape", .read = atx_read_objective },
    { .word = "ceiling", .once = true, .after = "shape", .read = read_ceiling },
    { .word = "near", .after = "shape", .read = atx_read_near },
    { .word = "same", .after = "arg", .read = atx_read_same },
    { .word = "default", .once = true, .read = read_default },
    { .word = "recorded", .once = true, .read = read_recorded },
    { .word = "use", .after = "op", .read = read_use },
    { .word = "language", .once = true, .read = atx_read_language },
    { 0 },
};

static void check_outputs(const atx_op *op, atx_lines *lines)
{
    for (int i = 0; i < op->arg_count; i++)
        if (atx_role_is_output(op->args[i].role))
            return;
    atx_lines_fail(lines, lines->next, "found no argument that is output or inout; expected one");
}

/* Lines for the op's kernels may be missing if the right answer is in a file; that has one output. */
static void check_reference(const atx_op *op, atx_lines *lines)
{
    const char *validators[ATX_MAX_STEPS];
    bool needs_launch =
        (!op->expected.answer && !op->expected.trusted[0]) || atx_op_validators(validators, op) > 0;
    int outputs = 0;
    for (int i = 0; i < op->arg_count; i++)
        outputs += atx_role_is_output(op->args[i].role);
    if (op->expected.answer && outputs > 1)
        atx_lines_fail(lines, lines->next, "found %d outputs and an answer in a file; expected one output",
                       outputs);
    if (needs_launch && (!op->expected.launch.grid[0] || !op->expected.launch.block[0]))
        atx_lines_fail(lines, lines->next,
                       "found the end of the declaration; expected a line '%s EXPR...' in it",
                       op->expected.launch.grid[0] ? "block" : "grid");
}

/* A share of a rate is that of the time in which so many operations could be done. */
static at_status check_peak(const atx_op *op, at_error *err)
{
    if (!op->goal.peak || op->goal.ops)
        return AT_OK;
    return atx_fail_at(err, atx_expr_where(op->goal.peak),
                       "found a ceiling in GFLOP/s and no 'ops' line; expected one, which says how many "
                       "operations there are");
}

static at_status read_all(atx_op *op, const char *source, size_t len, at_error *err)
{
    struct atx_op_scope *in = &op->scope;
    atx_lines lines;
    at_status status = atx_lines_open(&lines, source, len, op->text.file, "op", err);
    if (status != AT_OK)
        return status;
    lines.in = (atx_declaring){ &in->symbols,  &in->lets,          &in->let_count,  &in->let_cap,
                                &in->requires, &in->require_count, &in->require_cap };
    if ((status = atx_read_keywords(&lines, KEYWORDS, &op->recorded, op)) != AT_OK)
        return status;
    if (!op->types)
        atx_lines_fail(&lines, lines.next,
                       "found the end of the declaration; expected a line 'type T = storage' in it");
    atx_op_share_check(op);
    atx_loops_complete(&op->expected.loops, 1, &lines);
    if (!op->recorded) {
        check_outputs(op, &lines);
        check_reference(op, &lines);
    }
    status = lines.status == AT_OK ? check_peak(op, err) : lines.status;
    ATX_THEN(status, atx_write_objective(op, err));
    ATX_THEN(status, atx_find_offsets(op, err));
    ATX_THEN(status, atx_loops_check(&op->expected.loops, in->lets, in->let_count, in->requires,
                                     in->require_count, err));
    return status == AT_OK ? atx_check_numbers(op, err) : status;
}

static at_status hash_op(atx_op *op, at_error *err)
{
    static const char *const CHOOSES[] = { "metric", "objective", NULL };
    at_status status = atx_normalized_hash(op->text.hash, op->text.source, op->text.source_len, NULL, err);
    memcpy(op->text.proof_hash, op->text.hash, sizeof op->text.hash);
    if (status == AT_OK && op->goal.metric_count)
        status = atx_normalized_hash(op->text.proof_hash, op->text.source, op->text.source_len, CHOOSES, err);
    return status;
}

at_status atx_op_read(atx_op **out, const char *source, size_t len, const char *file, at_error *err)
{
    return atx_op_read_with(out, NULL, source, len, file, err);
}

at_status atx_op_read_with(atx_op **out, const atx_commons *commons, const char *source, size_t len,
                           const char *file, at_error *err)
{
    size_t own_len;
    const char *own = atx_bundle_own(&own_len, source, len);
    atx_bundle bundle;
    atx_str notes = { 0 };
    atx_op *op = calloc(1, sizeof *op);
    if (!op)
        return atx_no_memory(err);

    at_status status = AT_OK;
    op->text.file = atx_text_copy(file, strlen(file));
    if (!op->text.file) {
        status = atx_no_memory(err);
        goto done;
    }
    if ((status = read_all(op, own, own_len, err)) != AT_OK)
        goto done;
    if (own == source && commons && commons->allowed &&
        (status = atx_op_note_files(&notes, op, commons->allowed, err)) != AT_OK)
        goto done;
    const atx_bundle_request request = {
        .source = source, .len = len, .file = file, .uses = &op->uses, .data = atx_str_text(&notes)
    };
    if ((status = atx_bundle_make(&bundle, &request, commons, err)) != AT_OK)
        goto done;
    op->text.source = bundle.source;
    op->text.source_len = bundle.len;
    op->text.parts = bundle.parts;
    op->text.part_count = bundle.part_count;
    op->text.headers = bundle.headers;
    op->text.data = bundle.data;
    if ((status = hash_op(op, err)) != AT_OK)
        goto done;
    *out = op;
    op = NULL;
done:
    atx_str_clear(&notes);
    atx_op_close(op);
    return status;
}

void atx_op_close(atx_op *op)
{
    if (!op)
        return;
    atx_symbols_clear(&op->scope.symbols);
    atx_lets_clear(op->scope.lets, op->scope.let_count);
    atx_requires_clear(op->scope.requires, op->scope.require_count);
    free(op->scope.requires);
    for (int i = 0; i < op->arg_count; i++) {
        atx_expr_close(op->args[i].expr);
        atx_input_clear(&op->args[i].input);
    }
    atx_structs_clear(op);
    atx_launch_clear(&op->expected.launch);
    atx_loops_clear(&op->expected.loops);
    atx_expr_close(op->goal.traffic);
    atx_expr_close(op->goal.ops);
    atx_expr_close(op->goal.peak);
    atx_metrics_clear(op);
    atx_same_clear(op);
    for (int i = 0; i < ATX_MAX_DIMS; i++)
        atx_expr_close(op->goal.ceiling_dims[i]);
    free(op->expected.answer);
    free(op->expected.trusted_config);
    free(op->about);
    free(op->text.source);
    free(op->text.headers);
    free(op->text.data);
    atx_parts_close(op->text.parts, op->text.part_count);
    free(op->text.file);
    free(op);
}
