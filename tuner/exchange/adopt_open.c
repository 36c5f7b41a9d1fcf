/* adopt_open.c - what a draft is made of, step by step: all that is read of a file and understood, before
 * anything is written. And the draft as the parser of declarations reads it. */
#include "exchange/adopt_draft.h"

#include <stdlib.h>

static at_status read_text(atx_draft *d, size_t wanted)
{
    at_status status = atx_draft_active(&d->text, &d->assumed, d->in->text, wanted, d->err);
    if (status != AT_OK)
        return status;
    if (!atx_draft_expand_launches(&d->text, &d->grown))
        return atx_no_memory(d->err);
    const char *text = atx_str_text(&d->text);
    if (!atx_code_read(&d->code, text))
        return atx_no_memory(d->err);
    if (!atx_tokens_read(&d->all, text, strlen(text), &(atx_lex_options){ .active = true }))
        return atx_no_memory(d->err);
    return AT_OK;
}

static at_status read_file(atx_draft *d)
{
    at_status status = read_text(d, SIZE_MAX);
    atx_token wanted;
    if (status == AT_OK && atx_draft_left_out(&wanted, d)) {
        atx_tokens_clear(&d->code);
        atx_tokens_clear(&d->all);
        status = read_text(d, wanted.begin);
    }
    return status == AT_OK ? atx_draft_read(d) : status;
}

/* What no tuning problem would say. */
static at_status understand(atx_draft *d)
{
    at_status status = read_file(d);
    if (status != AT_OK)
        return status;
    atx_draft_targs(d);
    for (int i = 0; i < d->arg_count; i++)
        atx_draft_type_of(&d->args[i].type, d, d->args[i].span.begin, d->args[i].token);
    atx_draft_names(d);
    atx_draft_find_launch(d);
    if (!d->in->space) {
        atx_draft_template_types(d);
        if ((status = atx_draft_structs(d)) != AT_OK)
            return status;
    }
    atx_draft_params(d);
    if ((status = atx_draft_template(d)) != AT_OK)
        return status;
    atx_draft_name_op(d);
    return AT_OK;
}

/* What one would. */
static at_status understand_launch(atx_draft *d)
{
    atx_draft_launch(d);
    atx_draft_roles(d);
    atx_draft_nulls(d);
    at_status status = atx_draft_outputs(d);
    if (status != AT_OK)
        return status;
    atx_draft_sizes(d);
    atx_draft_finish_loops(d);
    atx_draft_order(d);
    return AT_OK;
}

atx_draft *atx_draft_begin(atx_adopted *adopted, const atx_adopt_input *in, at_error *err)
{
    atx_draft *d = calloc(1, sizeof *d);
    *adopted = (atx_adopted){ 0 };
    if (d) {
        d->in = in;
        d->out = adopted;
        d->err = err;
    }
    return d;
}

at_status atx_draft_understand(atx_draft *d)
{
    at_status status = understand(d);
    return status == AT_OK && !d->in->space ? understand_launch(d) : status;
}

void atx_draft_close(atx_draft *d)
{
    if (!d)
        return;
    atx_tokens_clear(&d->code);
    atx_tokens_clear(&d->all);
    atx_str_clear(&d->text);
    free(d->reached);
    free(d->next_same);
    free(d->functions);
    free(d->macros);
    free(d);
}

/* ---- read again ---- */

/* The template with the kernels behind it in place of its `source` and `include` lines, as nobody knows yet
 * where it will lie.
 */
static void with_source(atx_str *out, const char *text, const char *kernels)
{
    const char *line = strstr(text, "source  "), *end = line ? strstr(line, "\n\n") : NULL;
    atx_str_add_bytes(out, text, line ? (size_t)(line - text) : strlen(text));
    atx_str_add(out, end ? end : "");
    atx_str_add(out, kernels);
}

void atx_draft_add_code(atx_str *out, const atx_draft *d)
{
    const atx_tokens *code = &d->code;
    const size_t begin = code->items[d->kernel_text.head].begin;
    atx_str_add_bytes(out, code->text + begin, code->items[d->body_end].end - begin);
    atx_str_add(out, "\n");
}

at_status atx_draft_read_again(const atx_adopted *out, const char *path, const char *kernels, at_error *err)
{
    atx_op *op = NULL;
    atx_template *t = NULL;
    at_error why = { 0 };
    atx_str text = { 0 };
    with_source(&text, atx_str_text(&out->t), kernels);
    at_status status = atx_str_status(&text, &why);
    if (status == AT_OK)
        status = atx_op_read(&op, out->op.data, out->op.len, "op.cu", &why);
    if (status == AT_OK)
        status = atx_template_read(&t, op, text.data, text.len, "adopted.cu", &why);
    atx_str_clear(&text);
    atx_template_close(t);
    atx_op_close(op);
    return status == AT_OK
               ? AT_OK
               : atx_fail(err, status,
                          "%s: the draft is not valid, which is a fault of autotune if the file compiles: %s",
                          path, why.text);
}

void atx_adopted_clear(atx_adopted *adopted)
{
    atx_str_clear(&adopted->op);
    atx_str_clear(&adopted->t);
    *adopted = (atx_adopted){ 0 };
}
