/* program.c - NVRTC's PTX has mangled names of kernels; cubin.h finds the entry that is meant. */
#include "explain/program.h"

#include "compile/connection.h"
#include "compile/cubin.h"
#include "lang/render.h"

#include <string.h>
#include <unistd.h>

/* NVRTC puts the current folder before names that are relative, as those of built-in files are. */
static void shorten_names(atx_ptx_module *module)
{
    char folder[4096];
    const size_t len = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    for (int32_t i = 0; i < module->file_count && len > 1; i++) {
        char *name = module->files[i];
        if (name && strncmp(name, folder, len) == 0 && name[len] == '/')
            memmove(name, name + len + 1, strlen(name + len + 1) + 1);
    }
}

static at_status compile(atx_program *p, atx_nvrtc *nvrtc, const char *name, int cc, at_error *err)
{
    atx_resources unused;
    bool ok = false;
    at_status status = atx_str_status(&p->build.source, err);
    p->resources = ATX_RESOURCES_UNKNOWN;
    ATX_THEN(status,
             atx_nvrtc_compile(nvrtc, &ok, &p->build.cubin, &p->build.log, &unused,
                               &(atx_nvrtc_source){ atx_str_text(&p->build.source), name, cc, ATX_LINED_PTX },
                               err));
    if (status == AT_OK && !ok)
        return atx_fail(err, AT_ERR_INPUT, "%s does not compile:\n%.900s", name, atx_str_text(&p->build.log));
    p->compiled = status == AT_OK;
    ATX_THEN(status, atx_ptx_parse(&p->module, p->build.cubin.data, p->build.cubin.len, err));
    if (status == AT_OK)
        shorten_names(p->module);
    return status;
}

/* Names from PTX are not terminated. */
static bool is_name(const char *entry, const char *in_text)
{
    const size_t len = strlen(entry);
    return strncmp(in_text, entry, len) == 0 &&
           !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$",
                   in_text[len] ? in_text[len] : ' ');
}

static at_status find_entry(int32_t *out, const atx_program *p, const char *name, at_error *err)
{
    for (int32_t f = 0; f < p->module->function_count; f++)
        if (p->module->functions[f].is_entry && is_name(p->module->functions[f].name, name)) {
            *out = f;
            return AT_OK;
        }
    return atx_fail(err, AT_ERR_INPUT, "found no kernel '%.60s' in the compiled code", name);
}

/* Of variables in PTX, which atx_template_bind does not look at. */
static at_status check_into(const atx_program *p, const atx_template *t, at_error *err)
{
    for (int v = 0; v < p->module->variable_count; v++)
        for (int i = 0; i < t->op->arg_count; i++) {
            const atx_ptx_variable *var = &p->module->variables[v];
            if ((var->space == ATX_PTX_CONST || var->space == ATX_PTX_GLOBAL) && t->op->args[i].variable[0] &&
                strcmp(var->name, t->op->args[i].variable) == 0 && !atx_template_fills(t, i))
                return atx_template_refuse_both(t, i, err);
        }
    return AT_OK;
}

static at_status find_entries(atx_program *p, at_error *err)
{
    at_status status = find_entry(&p->entries[0], p, p->kernel.name, err);
    for (int i = 0; i < p->kernel.more_count && status == AT_OK; i++)
        status = find_entry(&p->entries[i + 1], p, p->kernel.more[i].name, err);
    return status;
}

at_status atx_program_of_template(atx_program *p, atx_nvrtc *nvrtc, const atx_program_request *r,
                                  at_error *err)
{
    const atx_template *t = r->t;
    ATX_TRY(atx_render(&p->build.source, t, r->type, r->config, r->slots, err));
    ATX_TRY(compile(p, nvrtc, t->text.file, r->cc, err));
    ATX_TRY(atx_template_bind(&p->kernel, &p->build, t, r->slots, err));
    ATX_TRY(check_into(p, t, err));
    return find_entries(p, err);
}

at_status atx_program_of_reference(atx_program *p, atx_nvrtc *nvrtc, const atx_problem *problem,
                                   const int64_t *slots, int cc, at_error *err)
{
    const atx_op *op = problem->op;
    size_t unused;
    ATX_TRY(atx_render_reference(&p->build.source, problem, err));
    ATX_TRY(compile(p, nvrtc, op->text.file, cc, err));
    ATX_TRY(atx_reference_bind(&p->kernel, &p->build, op, slots, err));
    ATX_TRY(atx_cubin_name(&p->kernel.name, &unused, p->build.cubin.data, p->build.cubin.len,
                           op->expected.reference, err));
    return find_entries(p, err);
}

at_status atx_program_of_validators(atx_program *p, atx_nvrtc *nvrtc, const atx_problem *problem,
                                    const int64_t *slots, int cc, at_error *err)
{
    const atx_op *op = problem->op;
    ATX_TRY(atx_render_reference(&p->build.source, problem, err));
    ATX_TRY(compile(p, nvrtc, op->text.file, cc, err));
    ATX_TRY(atx_validator_bind(&p->kernel, &p->build, op, slots, err));
    return find_entries(p, err);
}

at_status atx_program_measure(atx_program *p, atx_nvrtc *nvrtc, const char *name, int cc, at_error *err)
{
    ATX_LOCAL(atx_str) code = { 0 }, log = { 0 };
    bool ok = false;
    ATX_TRY(atx_nvrtc_compile(nvrtc, &ok, &code, &log, &p->resources,
                              &(atx_nvrtc_source){ atx_str_text(&p->build.source), name, cc, ATX_CUBIN },
                              err));
    if (!ok)
        return atx_fail(err, AT_ERR_INPUT, "%s does not compile:\n%.900s", name, atx_str_text(&log));
    return AT_OK;
}

void atx_program_close(atx_program *p)
{
    atx_ptx_close(p->module);
    atx_build_clear(&p->build);
    *p = (atx_program){ .module = NULL };
}
