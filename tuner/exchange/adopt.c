/* adopt.c - a draft: of a sequence of kernels, or of one. What was written is read again by the parser of
 * declarations. */
#include "exchange/adopt_draft.h"

static at_status read_again(const atx_draft *d)
{
    atx_str kernel = { 0 };
    atx_draft_add_code(&kernel, d);
    at_status status = atx_str_status(&kernel, d->err);
    if (status == AT_OK)
        status = atx_draft_read_again(d->out, d->in->path, kernel.data, d->err);
    atx_str_clear(&kernel);
    return status;
}

static at_status make(atx_draft *d)
{
    at_status status = atx_draft_understand(d);
    if (status != AT_OK)
        return status;
    if (d->in->space) {
        atx_draft_write_space(d);
    } else {
        atx_draft_write_op(d);
        atx_draft_write_template(d);
    }
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
    at_error ignored = { 0 };
    at_status status = in->kernel || in->space ? AT_ERR_INPUT : atx_draft_sequence(out, in, &ignored);
    if (status == AT_OK)
        return AT_OK;
    atx_draft *d = atx_draft_begin(out, in, err);
    if (!d)
        return atx_no_memory(err);
    status = make(d);
    if (status == AT_OK) {
        atx_draft_note_unknown(d);
        d->out->launched = d->launched;
        status = read_again(d);
    }
    if (status == AT_ERR_INPUT && out->t.len && !in->space)
        status = write_guesses(d);
    atx_draft_close(d);
    if (status != AT_OK)
        atx_adopted_clear(out);
    return status;
}
