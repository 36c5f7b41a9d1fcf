/* program.c - NVRTC's PTX names kernels as they are mangled; which entry is meant, cubin.h knows. */
#include "explain/program.h"

#include "compile/connection.h"
#include "compile/cubin.h"
#include "lang/render.h"

#include <string.h>
#include <unistd.h>

/* NVRTC puts the current folder before names that are relative, as those of built-in files are. */
static void shorten_names(at__ptx_module *module)
{
    char folder[4096];
    const size_t len = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    for (int32_t i = 0; i < module->file_count && len > 1; i++) {
        char *name = module->files[i];
        if (name && strncmp(name, folder, len) == 0 && name[len] == '/')
            memmove(name, name + len + 1, strlen(name + len + 1) + 1);
    }
}

static at_status compile(at__program *p, at__nvrtc *nvrtc, const char *name, int cc, at_error *err)
{
    at__resources unused;
    bool ok = false;
    at_status status = at__str_status(&p->build.source, err);
    p->resources = AT__RESOURCES_UNKNOWN;
    if (status == AT_OK)
        status = at__nvrtc_compile(nvrtc, &ok, &p->build.cubin, &p->build.log, &unused,
                                   at__str_text(&p->build.source), name, cc, AT__LINED_PTX, err);
    if (status == AT_OK && !ok)
        return at_fail(err, AT_ERR_INPUT, "%s does not compile:\n%.900s", name, at__str_text(&p->build.log));
    p->compiled = status == AT_OK;
    if (status == AT_OK)
        status = at__ptx_parse(&p->module, p->build.cubin.data, p->build.cubin.len, err);
    if (status == AT_OK)
        shorten_names(p->module);
    return status;
}

/* Names from PTX are not terminated. */
static bool is_name(const char *entry, const char *in_text)
{
    const size_t len = strlen(entry);
    return strncmp(in_text, entry, len) == 0 && !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                        "0123456789_$",
                                                        in_text[len] ? in_text[len] : ' ');
}

static at_status find_entry(int32_t *out, const at__program *p, const char *name, at_error *err)
{
    for (int32_t f = 0; f < p->module->function_count; f++)
        if (p->module->functions[f].is_entry && is_name(p->module->functions[f].name, name)) {
            *out = f;
            return AT_OK;
        }
    return at_fail(err, AT_ERR_INPUT, "found no kernel '%.60s' in the compiled code", name);
}

/* Of variables in PTX, which at__template_bind does not look at. */
static at_status check_into(const at__program *p, const at__template *t, at_error *err)
{
    for (int v = 0; v < p->module->variable_count; v++)
        for (int i = 0; i < t->op->arg_count; i++) {
            const at__ptx_variable *var = &p->module->variables[v];
            if ((var->space == AT__PTX_CONST || var->space == AT__PTX_GLOBAL) && t->op->args[i].variable[0] &&
                strcmp(var->name, t->op->args[i].variable) == 0 && !at__template_fills(t, i))
                return at__template_refuse_both(t, i, err);
        }
    return AT_OK;
}

static at_status find_entries(at__program *p, at_error *err)
{
    at_status status = find_entry(&p->entries[0], p, p->kernel.name, err);
    for (int i = 0; i < p->kernel.more_count && status == AT_OK; i++)
        status = find_entry(&p->entries[i + 1], p, p->kernel.more[i].name, err);
    return status;
}

at_status at__program_of_template(at__program *p, at__nvrtc *nvrtc, const at__template *t, at__dtype type,
                                  const at__config *config, const int64_t *slots, int cc, at_error *err)
{
    at_status status = at__render(&p->build.source, t, type, config, slots, err);
    if (status == AT_OK)
        status = compile(p, nvrtc, t->file, cc, err);
    if (status == AT_OK)
        status = at__template_bind(&p->kernel, &p->build, t, slots, err);
    if (status == AT_OK)
        status = check_into(p, t, err);
    return status == AT_OK ? find_entries(p, err) : status;
}

at_status at__program_of_reference(at__program *p, at__nvrtc *nvrtc, const at__problem *problem,
                                   const int64_t *slots, int cc, at_error *err)
{
    const at__op *op = problem->op;
    size_t unused;
    at_status status = at__render_reference(&p->build.source, problem, err);
    if (status == AT_OK)
        status = compile(p, nvrtc, op->file, cc, err);
    if (status == AT_OK)
        status = at__kernel_bind(&p->kernel, &p->build, op->reference, &op->launch, op, slots, err);
    if (status == AT_OK)
        status = at__cubin_name(&p->kernel.name, &unused, p->build.cubin.data, p->build.cubin.len,
                                op->reference, err);
    return status == AT_OK ? find_entries(p, err) : status;
}

at_status at__program_of_referees(at__program *p, at__nvrtc *nvrtc, const at__problem *problem,
                                  const int64_t *slots, int cc, at_error *err)
{
    const at__op *op = problem->op;
    at_status status = at__render_reference(&p->build.source, problem, err);
    if (status == AT_OK)
        status = compile(p, nvrtc, op->file, cc, err);
    if (status == AT_OK)
        status = at__referee_bind(&p->kernel, &p->build, op, slots, err);
    return status == AT_OK ? find_entries(p, err) : status;
}

at_status at__program_measure(at__program *p, at__nvrtc *nvrtc, const char *name, int cc, at_error *err)
{
    at__str code = { 0 }, log = { 0 };
    bool ok = false;
    at_status status = at__nvrtc_compile(nvrtc, &ok, &code, &log, &p->resources,
                                         at__str_text(&p->build.source), name, cc, AT__CUBIN, err);
    if (status == AT_OK && !ok)
        status = at_fail(err, AT_ERR_INPUT, "%s does not compile:\n%.900s", name, at__str_text(&log));
    at__str_clear(&code);
    at__str_clear(&log);
    return status;
}

void at__program_close(at__program *p)
{
    at__ptx_close(p->module);
    at__build_clear(&p->build);
    *p = (at__program){ .module = NULL };
}
