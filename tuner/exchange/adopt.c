/* adopt.c - the steps of a draft, in their order. What was written is read again by the parser of
 * declarations. */
#include "exchange/adopt_draft.h"

#include <stdlib.h>

/* The template with the kernel behind it in place of its `source` and `include` lines, as nobody knows yet
 * where it will lie.
 */
static void with_source(atx_str *out, const char *text, const char *kernel, size_t len)
{
    const char *line = strstr(text, "source  "), *end = line ? strstr(line, "\n\n") : NULL;
    atx_str_add_bytes(out, text, line ? (size_t)(line - text) : strlen(text));
    atx_str_add(out, end ? end : "");
    atx_str_add_bytes(out, kernel, len);
}

/* The draft in our own language: a failure is a fault of this program. */
static at_status read_again(const atx_draft *d)
{
    const atx_tokens *code = &d->code;
    const size_t begin = code->items[d->kernel_text.head].begin;
    atx_op *op = NULL;
    atx_template *t = NULL;
    at_error why = { 0 };
    atx_str text = { 0 };
    with_source(&text, atx_str_text(&d->out->t), code->text + begin, code->items[d->body_end].end - begin);
    at_status status = atx_str_status(&text, &why);
    if (status == AT_OK)
        status = atx_op_read(&op, d->out->op.data, d->out->op.len, "op.cu", &why);
    if (status == AT_OK)
        status = atx_template_read(&t, op, text.data, text.len, "adopted.cu", &why);
    atx_str_clear(&text);
    atx_template_close(t);
    atx_op_close(op);
    return status == AT_OK
               ? AT_OK
               : atx_fail(d->err, status, "%s: the draft is not valid, which is a fault of autotune: %s",
                          d->in->path, why.text);
}

static at_status read_file(atx_draft *d)
{
    at_status status = atx_draft_active(&d->text, d->in->text, d->err);
    if (status != AT_OK)
        return status;
    const char *text = atx_str_text(&d->text);
    if (!atx_code_read(&d->code, text))
        return atx_no_memory(d->err);
    if (!atx_tokens_read(&d->all, text, strlen(text), &(atx_lex_options){ .active = true }))
        return atx_no_memory(d->err);
    return atx_draft_read(d);
}

/* All that a tuning problem would say. */
static at_status write(atx_draft *d)
{
    atx_draft_launch(d);
    atx_draft_roles(d);
    at_status status = atx_draft_outputs(d);
    if (status != AT_OK)
        return status;
    atx_draft_sizes(d);
    atx_draft_finish_loops(d);
    atx_draft_write_op(d);
    atx_draft_write_template(d);
    return AT_OK;
}

static at_status make(atx_draft *d)
{
    at_status status = read_file(d);
    if (status != AT_OK)
        return status;
    atx_draft_targs(d);
    for (int i = 0; i < d->arg_count; i++)
        atx_draft_type_of(&d->args[i].type, d, d->args[i].span.begin, d->args[i].token);
    atx_draft_names(d);
    atx_draft_find_launch(d);
    if (!d->in->space && (status = atx_draft_structs(d)) != AT_OK)
        return status;
    atx_draft_params(d);
    if ((status = atx_draft_template(d)) != AT_OK)
        return status;
    atx_draft_name_op(d);
    status = d->in->space ? AT_OK : write(d);
    if (d->in->space)
        atx_draft_write_space(d);
    if (status != AT_OK)
        return status;
    status = atx_str_status(&d->out->op, d->err);
    return status == AT_OK ? atx_str_status(&d->out->t, d->err) : status;
}

/* Without what was taken from the launch, should that be no expression of ours after all, or no line. */
static at_status write_guesses(atx_draft *d)
{
    for (int k = 0; k < 3; k++)
        d->grid[k][0] = '\0';
    d->shared_bytes[0] = '\0';
    d->grid_guessed = d->shared_guessed = true;
    d->grid_sync = d->launch.cooperative = false;
    atx_draft_forget_loops(d);
    d->out->questions = 0;
    atx_str_reset(&d->out->op);
    atx_str_reset(&d->out->t);
    atx_draft_write_op(d);
    atx_draft_write_template(d);
    at_status status = atx_str_status(&d->out->op, d->err);
    if (status == AT_OK)
        status = atx_str_status(&d->out->t, d->err);
    return status == AT_OK ? read_again(d) : status;
}

at_status atx_adopt(atx_adopted *out, const atx_adopt_input *in, at_error *err)
{
    atx_draft *d = calloc(1, sizeof *d);
    *out = (atx_adopted){ 0 };
    if (!d)
        return atx_no_memory(err);
    d->in = in;
    d->out = out;
    d->err = err;
    at_status status = make(d);
    if (status == AT_OK) {
        atx_draft_note_unknown(d);
        d->out->launched = d->launched;
    }
    if (status == AT_OK)
        status = read_again(d);
    if (status == AT_ERR_INPUT && out->t.len && !in->space)
        status = write_guesses(d);
    atx_tokens_clear(&d->code);
    atx_tokens_clear(&d->all);
    atx_str_clear(&d->text);
    free(d->reached);
    free(d->functions);
    free(d->macros);
    free(d);
    if (status != AT_OK)
        atx_adopted_clear(out);
    return status;
}

void atx_adopted_clear(atx_adopted *adopted)
{
    atx_str_clear(&adopted->op);
    atx_str_clear(&adopted->t);
    *adopted = (atx_adopted){ 0 };
}
