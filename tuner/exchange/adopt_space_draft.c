/* adopt_space_draft.c - what adopt_read.c found of the kernel, for the one who writes by a tuning problem. */
#include "exchange/adopt_draft.h"
#include "exchange/adopt_space_write.h"

void atx_draft_write_space(atx_draft *d)
{
    atx_draft_roles(d);
    atx_space_param params[ATX_DRAFT_ARGS], constants[ATX_DRAFT_ARGS];
    for (int i = 0; i < d->arg_count; i++)
        params[i] = (atx_space_param){ .name = d->args[i].name[0] ? d->args[i].name : d->args[i].arg.name,
                                       .dtype = d->args[i].type.dtype,
                                       .pointer = d->args[i].arg.pointer,
                                       .constant = d->args[i].arg.constant,
                                       .read = d->args[i].read && !d->args[i].lost,
                                       .written = d->args[i].written && !d->args[i].lost };
    for (int i = 0; i < d->variable_count; i++)
        constants[i] = (atx_space_param){ .name = d->variables[i].arg.name,
                                          .dtype = d->variables[i].arg.type,
                                          .size = d->variables[i].size,
                                          .pointer = true,
                                          .constant = true };
    const atx_space_kernel kernel = { .space = d->in->space,
                                      .op = d->out->name,
                                      .source = d->in->source,
                                      .includes = d->in->includes,
                                      .text = d->in->text,
                                      .called = d->called,
                                      .asks_arguments = d->asks_arguments,
                                      .shared = d->shared,
                                      .params = params,
                                      .constants = constants,
                                      .param_count = d->arg_count,
                                      .constant_count = d->variable_count,
                                      .undefined = d->in->undefined };
    atx_space_write(d->out, &kernel);
}
