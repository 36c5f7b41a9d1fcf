/*
 * library_kernel.c - from a problem to a kernel that works here: what is known for it and for the alignment
 * of its buffers, compiled, loaded and bound; what the compiler or the driver refuses is replaced by the next
 * best. `slow` is held.
 */
#include "library/library.h"

#include "compile/cubin.h"

#include <string.h>

/* ---- alignment ---- */

static int64_t align_of(const atx_steps *steps, int buffer)
{
    return ATX_FULL_ALIGN >>
           (steps->words[buffer / ATX_STEPS_OF_A_WORD] >> 4 * (buffer % ATX_STEPS_OF_A_WORD) & 15);
}

/* The alignment of an argument's buffer, in the op's order, -1: the op declares none. */
static int align_index(const atx_op *op, int arg)
{
    for (int i = 0; i < op->shape.align_count; i++)
        if (op->shape.aligns[i].arg == arg)
            return i;
    return -1;
}

/* Bytes that an argument's address must be a multiple of. `k`: its align_index. */
static int64_t least_align(const atx_op *op, int arg, int k, const at_problem *problem)
{
    const atx_arg *a = &op->args[arg];
    const int64_t of_type = at_type_bits(problem->type) / 8;
    if (k >= 0)
        return problem->alignments[k] ? problem->alignments[k] : of_type;
    if (a->structure || !atx_arg_is_single(a))
        return ATX_FULL_ALIGN;
    return a->own_type ? atx_dtype_bytes(a->type) : of_type;
}

/* What is asked of the store: the caller's problem with the alignment of the buffers, where he promised none.
 */
static at_status read_steps(at_problem *out, const atx_op *op, const at_problem *problem,
                            const atx_steps *steps, at_error *err)
{
    *out = *problem;
    if (!op->shape.layout_count)
        out->layout = (at_layout){ 0 };
    for (int i = 0, buffer = 0; i < op->arg_count; i++) {
        if (op->args[i].role == ATX_SCALAR)
            continue;
        int64_t align = align_of(steps, buffer);
        int k = align_index(op, i);
        int64_t least = least_align(op, i, k, problem);
        if (align < least)
            return atx_fail(err, AT_ERR_USAGE,
                            "%s: buffer %d begins at a multiple of %d bytes and no more; expected device "
                            "memory that is aligned to %d bytes",
                            op->name, buffer, (int)align, (int)least);
        if (k >= 0 && !problem->alignments[k])
            out->alignments[k] = align;
        buffer++;
    }
    return AT_OK;
}

/* ---- the kernel ---- */

/* Where the kernel's variables are; names are the code's. */
static at_status find_variables(atx_prepared *p, atx_gpu *gpu, const atx_kept_code *code, at_error *err)
{
    const atx_found_parts *f = p->finding;
    for (int i = 0; i < f->shown.variable_count; i++) {
        const char *name = NULL;
        int64_t unused = 0;
        struct atx_prepared_variable *v = &p->variables[i];
        v->bytes = f->variables[i].arg->bytes;
        ATX_TRY(
            atx_cubin_variable(&name, &unused, code->bytes.data, code->bytes.len, f->variables[i].name, err));
        ATX_TRY(atx_gpu_variable(&v->at, gpu, p->module, name, v->bytes, err));
    }
    return AT_OK;
}

static at_status bind(atx_prepared *p, atx_gpu *gpu, const atx_kept_code *code, at_error *err)
{
    const atx_found_parts *f = p->finding;
    int64_t slots[ATX_MAX_SLOTS] = { 0 };

    at_status status = atx_finding_bind(slots, f, err);
    atx_build_clear(&p->build);
    ATX_THEN(status, atx_template_bind(&p->kernel, &p->build, f->t, slots, err));
    ATX_THEN(status, find_variables(p, gpu, code, err));
    for (; p->buffer_count < f->shown.buffer_count && status == AT_OK; p->buffer_count++) {
        const at_arg *arg = f->shown.buffers[p->buffer_count];
        p->buffers[p->buffer_count] =
            (struct atx_prepared_buffer){ arg->name, arg->bytes, arg->role != AT_ROLE_INPUT };
    }
    return status;
}

/* The device of the current context, and what is known for it. */
static at_status find_here(atx_found_parts **out, at_tuner *tuner, atx_gpu *gpu, const at_problem *problem,
                           at_error *err)
{
    atx_target target = { 0 };
    atx_device_info *here = &tuner->here;
    at_status status = atx_gpu_current_device(gpu, err);
    if (status == AT_OK && !(here->name[0] && here->ordinal == atx_gpu_ordinal(gpu)))
        status = atx_gpu_describe(here, gpu, err);
    if (status != AT_OK)
        return status;
    memcpy(target.name, here->name, sizeof target.name);
    target.full = true;
    target.cc = here->limits.cc;
    target.sms = here->limits.sms;
    tuner->cuda = here->cuda;
    return atx_finding_make(out, tuner, problem, &target, &here->limits, err);
}

/* The same for buffers that are so aligned. */
at_status atx_library_find_for(atx_found_parts **out, at_tuner *tuner, atx_gpu *gpu,
                               const at_problem *problem, const atx_steps *steps, at_error *err)
{
    const atx_op *op = NULL;
    at_problem asked = *problem;
    at_status status = atx_catalog_get_op(&op, tuner->catalog, problem->op, err);
    if (op)
        status = read_steps(&asked, op, problem, steps, err);
    return status == AT_OK ? find_here(out, tuner, gpu, &asked, err) : status;
}

/* ---- kernels that work here ---- */

/* Can the device launch these kernels so? */
static at_status check_launches(const atx_prepared *p, atx_gpu *gpu, at_error *err)
{
    at_status status = atx_gpu_check_launch(gpu, p->module, 0, &p->kernel.geometry, err);
    for (int i = 0; i < p->kernel.more_count && status == AT_OK; i++)
        status = atx_gpu_check_launch(gpu, p->module, i + 1, &p->kernel.more[i].geometry, err);
    return status;
}

/* The kernel of the finding, compiled and loaded. */
static at_status make_kernel(atx_prepared *p, at_tuner *tuner, atx_gpu *gpu, at_error *err)
{
    const atx_kept_code *code = p->finding->packed_code;
    at_status status = code ? AT_OK : atx_library_code(&code, tuner, p->finding, err);
    ATX_THEN(status, atx_library_load(&p->module, tuner, gpu, p->finding, code, p->context, err));
    if (status == AT_ERR_DEVICE && code && code->cached) {
        status = atx_library_code_again(&code, tuner, p->finding, err);
        ATX_THEN(status, atx_library_load(&p->module, tuner, gpu, p->finding, code, p->context, err));
    }
    ATX_THEN(status, bind(p, gpu, code, err));
    return status == AT_OK ? check_launches(p, gpu, err) : status;
}

/* The driver refuses the kernel, today and tomorrow: look-ups are to answer with something else. */
static at_status exclude_unloaded(at_tuner *tuner, atx_gpu *gpu, const atx_found_parts *f,
                                  const at_error *cause, at_error *err)
{
    at_error why = { 0 };
    if (cause->status != AT_ERR_DEVICE || atx_gpu_may_pass(gpu))
        return AT_OK;
    atx_fail(&why, AT_ERR_DEVICE, "%s with %s cannot be loaded: %.900s", f->t->text.file, f->shown.config,
             cause->text);
    return atx_exclude(tuner->excluded, &f->problem, f->cc, f->t, &f->config, &why, err);
}

/* Names the first choice and says why it is not used. `warning`: of an earlier error, or "". */
static at_status warn(const at_tuner *tuner, atx_found_parts *f, const at_error *first, const char *warning,
                      at_error *err)
{
    ATX_LOCAL(atx_str) text = { 0 };
    at_found *s = &f->shown;
    if (!*warning && first->status == AT_OK) {
        if (*s->warning)
            atx_library_log(tuner, s->warning);
        return AT_OK;
    }
    atx_str_add(&text, *warning ? warning : s->warning);
    if (first->status != AT_OK)
        atx_str_addf(&text, "%s%.*s; %s with %s takes its place", text.len ? "; " : "",
                     (int)strcspn(first->text, "\n"), first->text, f->t->name, s->config);
    at_status status = atx_str_status(&text, err);
    ATX_THEN(status, atx_finding_keep(&s->warning, f, atx_str_text(&text), err));
    if (status == AT_OK)
        atx_library_log(tuner, s->warning);
    return status;
}

/* Instead of a kernel that cannot be compiled or loaded, if a pack has one. *before: the finding that it
 * takes the place of, for the caller to close. */
static bool take_pack(atx_found_parts **before, atx_prepared *p, at_tuner *tuner, atx_gpu *gpu)
{
    atx_found_parts *packed = NULL;
    *before = p->finding;
    tuner->packs_only = true;
    at_status status = atx_library_find_for(&packed, tuner, gpu, &p->problem, &p->steps, NULL);
    tuner->packs_only = false;
    p->finding = packed;
    p->buffer_count = 0;
    if (status == AT_OK && make_kernel(p, tuner, gpu, NULL) == AT_OK)
        return true;
    atx_finding_close(packed);
    p->finding = *before;
    *before = NULL;
    p->buffer_count = 0;
    return false;
}

/* A pack's kernel stands in for one that would have to be compiled; for one launch where too many wait for
 * that. */
static bool stand_in(atx_prepared *p, at_tuner *tuner, atx_gpu *gpu)
{
    atx_found_parts *wanted = NULL;
    if (!take_pack(&wanted, p, tuner, gpu))
        return false;
    p->passing = atx_later_is_full(&tuner->later);
    p->later = p->passing ? NULL : atx_later_make(tuner, wanted);
    p->stands_in = p->later;
    if (p->stands_in || p->passing) {
        atx_finding_close(wanted);
        return true;
    }
    atx_finding_close(p->finding);
    p->finding = wanted;
    p->buffer_count = 0;
    return false;
}

static at_status make_soon(atx_prepared *p, at_tuner *tuner, atx_gpu *gpu, bool later, at_error *err)
{
    if (!later || !atx_later_wanted(tuner, p->finding))
        return make_kernel(p, tuner, gpu, err);
    tuner->no_compile = true;
    at_status status = make_kernel(p, tuner, gpu, err);
    tuner->no_compile = false;
    if (status != AT_ERR_NOT_FOUND || stand_in(p, tuner, gpu))
        return status == AT_ERR_NOT_FOUND ? AT_OK : status;
    return make_kernel(p, tuner, gpu, err);
}

/* The known configurations of the problem, the best first, until one works here. */
at_status atx_library_fill(atx_prepared *p, at_tuner *tuner, atx_gpu *gpu, const char *warning, bool later,
                           at_error *err)
{
    bool again = true;
    at_error first = { 0 };
    at_status status = AT_OK;
    while (status == AT_OK && again) {
        at_error cause = { 0 };
        atx_finding_close(p->finding);
        p->finding = NULL;
        p->buffer_count = 0;
        status = atx_library_find_for(&p->finding, tuner, gpu, &p->problem, &p->steps, err);
        if (status != AT_OK)
            return status;
        const atx_found_parts *f = p->finding;
        const int tried = atx_exclusions_of(&first, tuner->excluded, &f->problem, f->cc).tried;
        if (first.status != AT_OK && (!f->t || tried >= ATX_EXCLUDED_IN_ALL))
            return atx_fail(err, first.status, "%s", first.text);
        if (!f->t)
            return atx_fail(err, AT_ERR_NOT_FOUND, "%s", f->shown.why);
        status = make_soon(p, tuner, gpu, later, &cause);
        again = status != AT_OK;
        atx_found_parts *before = NULL;
        if (again && !f->packed && take_pack(&before, p, tuner, gpu)) {
            atx_finding_close(before);
            return AT_OK;
        }
        if (again)
            status = exclude_unloaded(tuner, gpu, f, &cause, err);
        if (again && !atx_excluded(tuner->excluded, &f->problem, f->cc, f->t, &f->config))
            return status == AT_OK ? atx_fail(err, cause.status, "%s", cause.text) : status;
    }
    return status == AT_OK ? warn(tuner, p->finding, &first, warning, err) : status;
}
