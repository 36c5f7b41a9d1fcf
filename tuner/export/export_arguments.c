/* export_arguments.c - a launch in an exported file, and the arguments of its kernel. */
#include "export/export_internal.h"

#include "cut/cut.h"
#include "lang/launches.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *atx_export_element(const atx_arg *arg)
{
    return arg->structure ? "void" : arg->own_type ? atx_dtype_cuda(arg->type, false) : "T";
}

const char *atx_export_qualifier(const atx_arg *arg)
{
    return arg->role == ATX_INPUT ? "const " : "";
}

/* Where the kernel's own parameter is another pointer than the op's argument: the cast that makes it one. */
static at_status add_cast(atx_str *out, const atx_arg *arg, const char *text, const char *kernel, int index,
                          at_error *err)
{
    ATX_LOCAL(atx_str) type = { 0 };
    char plain[80], other[80];
    const char *element = atx_export_element(arg);
    snprintf(plain, sizeof plain, "%s *", element);
    snprintf(other, sizeof other, "const %s *", element);
    atx_cut_parameter(&type, text, kernel, index);
    const char *found = atx_str_text(&type);
    bool same =
        !found[0] || strcmp(found, other) == 0 || (arg->role != ATX_INPUT && strcmp(found, plain) == 0);
    if (!same)
        atx_str_addf(out, "(%s)", found);
    return atx_str_status(&type, err);
}

/* The bytes of it stand before the launch, under its name. Types within a kernel template are its own. */
static at_status add_struct(atx_str *out, const atx_launcher *l, const atx_arg *arg, const char *text,
                            const char *kernel, int index, at_error *err)
{
    ATX_LOCAL(atx_str) type = { 0 };
    if (!strchr(kernel, '<'))
        atx_cut_value(&type, text, kernel, index);
    const char *name = type.len ? atx_str_text(&type) : atx_arg_struct(l->op, arg)->name;
    if (strncmp(name, "const ", 6) == 0)
        name += 6;
    atx_str_addf(out, "*(const %s *)%s", name, arg->name);
    return atx_str_status(&type, err);
}

at_status atx_export_structs(atx_str *out, const atx_launcher *l, at_error *err)
{
    unsigned char bytes[ATX_MAX_STRUCT_BYTES];
    at_status status = AT_OK;
    for (int i = 0; i < l->op->arg_count && status == AT_OK; i++) {
        const atx_arg *arg = &l->op->args[i];
        const atx_struct *s = arg->role == ATX_SCALAR ? atx_arg_struct(l->op, arg) : NULL;
        if (!s || !atx_template_takes(l->t, i))
            continue;
        status = atx_struct_value(bytes, s, l->slots, err);
        atx_str_addf(out, "    alignas(%d) unsigned char %s[] = {", s->align > 16 ? (int)s->align : 16,
                     arg->name);
        for (int64_t k = 0; k < s->bytes; k++)
            atx_str_addf(out, "%s%d", k == 0 ? " " : k % 24 == 0 ? ",\n        " : ", ", bytes[k]);
        atx_str_add(out, " };\n");
        for (int k = 0; k < s->field_count; k++)
            if (s->fields[k].pointer)
                atx_str_addf(out, "    memcpy(%s + %" PRId64 ", &%s, sizeof(void *));\n", arg->name,
                             s->fields[k].offset, l->op->args[s->fields[k].arg].name);
    }
    return status;
}

static at_status add_scalar(atx_str *out, const atx_launcher *l, const atx_arg *arg, at_error *err)
{
    int64_t value = 0;
    const char *type = atx_dtype_cuda(arg->type, false);
    at_status status = atx_scalar_value(&value, arg, l->slots, err);
    if (atx_dtype_is_real(arg->type))
        atx_str_addf(out, "(%s)%.17e", type, arg->expr ? atx_scalar_real(arg, value) : arg->real);
    else if (arg->type == ATX_I64 || arg->type == ATX_I32)
        atx_str_addf(out, arg->type == ATX_I64 ? "%" PRId64 "LL" : "%" PRId64, value);
    else
        atx_str_addf(out, "(%s)%" PRId64, type, value);
    return status;
}

/* "out", "4096LL". `text`: what defines the kernel; `position`: of its parameters. */
static at_status add_argument(atx_str *out, const atx_launcher *l, const atx_passed *p, const char *text,
                              int position, at_error *err)
{
    const int index = p->args ? p->args[position] : position;
    const atx_arg *arg = atx_template_arg(l->t, index);
    if (arg->map) {
        atx_str_add(out, arg->name);
        return AT_OK;
    }
    if (arg->role == ATX_SCALAR && arg->structure)
        return add_struct(out, l, arg, text, p->kernel, position, err);
    if (arg->role == ATX_SCALAR)
        return add_scalar(out, l, arg, err);
    /* Types within a kernel template are its own. */
    at_status status = AT_OK;
    if (!strchr(p->kernel, '<'))
        status = add_cast(out, arg, text, p->kernel, position, err);
    else if (arg->structure)
        atx_str_addf(out, "(%s%s *)", atx_export_qualifier(arg), atx_arg_struct(l->op, arg)->name);
    if (p->numbered)
        atx_str_addf(out, "(%s%s *)buffers[%d]", atx_export_qualifier(arg), atx_export_element(arg),
                     atx_arg_buffer(l->op, index));
    else
        atx_str_add(out, arg->name);
    return status;
}

/* "out, in, 1LL, 4096LL"; with a cast where the kernel takes another pointer. */
static at_status write_arguments(atx_str *out, const atx_launcher *l, const atx_passed *p, at_error *err)
{
    ATX_FREED char *text = atx_text_copy(atx_str_text(out), out->len); /* it grows below */
    if (!text)
        return atx_no_memory(err);
    for (int i = 0; i < p->count; i++) {
        atx_str_add(out, i ? ", " : "");
        ATX_TRY(add_argument(out, l, p, text, i, err));
    }
    return AT_OK;
}

/* The launcher goes on only where this call succeeds. */
static void add_function_attribute(atx_str *out, bool *has_status, const char *kernel, const char *attribute,
                                   int64_t value)
{
    atx_str_addf(out,
                 "    %sstatus = cudaFuncSetAttribute(%s, cudaFuncAttribute%s, %" PRId64
                 ");\n    if (status != cudaSuccess)\n        return status;\n",
                 *has_status ? "" : "cudaError_t ", kernel, attribute, value);
    *has_status = true;
}

static void add_function_attributes(atx_str *out, bool *has_status, const char *kernel, const atx_geometry *g)
{
    if (g->shared_bytes > 0)
        add_function_attribute(out, has_status, kernel, "MaxDynamicSharedMemorySize", g->shared_bytes);
    if (atx_geometry_cluster(g) > ATX_PORTABLE_CLUSTER)
        add_function_attribute(out, has_status, kernel, "NonPortableClusterSizeAllowed", 1);
    if (g->carveout)
        add_function_attribute(out, has_status, kernel, "PreferredSharedMemoryCarveout", g->carveout - 1);
}

static void add_attribute(atx_str *out, int *count, const char *id, const char *member, int64_t value)
{
    atx_str_addf(out, "    attributes[%d].id = cudaLaunchAttribute%s;\n", *count, id);
    atx_str_addf(out, "    attributes[%d].val.%s = %" PRId64 ";\n", *count, member, value);
    ++*count;
}

/* A launch with attributes, in braces of its own. */
static at_status add_launch_with(atx_str *out, const atx_launcher *l, const atx_passed *p,
                                 const atx_geometry *g, at_error *err)
{
    ATX_LOCAL(atx_str) text = { 0 };
    int count = 0;
    atx_str_add(&text, "    cudaLaunchAttribute attributes[3] = {};\n    cudaLaunchConfig_t config = {};\n");
    if (atx_geometry_cluster(g) > 1) {
        add_attribute(&text, &count, "ClusterDimension", "clusterDim.x", g->cluster[0]);
        atx_str_addf(&text, "    attributes[0].val.clusterDim.y = %" PRId64 ";\n", g->cluster[1]);
        atx_str_addf(&text, "    attributes[0].val.clusterDim.z = %" PRId64 ";\n", g->cluster[2]);
    }
    if (g->cooperative)
        add_attribute(&text, &count, "Cooperative", "cooperative", 1);
    if (g->programmatic)
        add_attribute(&text, &count, "ProgrammaticStreamSerialization",
                      "programmaticStreamSerializationAllowed", 1);
    atx_str_addf(&text, "    config.gridDim = dim3(%" PRId64 ", %" PRId64 ", %" PRId64 ");\n", g->grid[0],
                 g->grid[1], g->grid[2]);
    atx_str_addf(&text, "    config.blockDim = dim3(%" PRId64 ", %" PRId64 ", %" PRId64 ");\n", g->block[0],
                 g->block[1], g->block[2]);
    atx_str_addf(&text,
                 "    config.dynamicSmemBytes = %" PRId64 ";\n    config.stream = stream;\n"
                 "    config.attrs = attributes;\n    config.numAttrs = %d;\n"
                 "    if (cudaError_t refused = cudaLaunchKernelEx(&config, %s, ",
                 g->shared_bytes, count, p->kernel);
    at_status status = write_arguments(&text, l, p, err);
    atx_str_add(&text, "))\n        return refused;\n");
    atx_str_add(out, "    {\n");
    for (const char *at = atx_str_text(&text); *at;) {
        const size_t n = strcspn(at, "\n") + 1;
        atx_str_add(out, "    ");
        atx_str_add_bytes(out, at, n);
        at += n;
    }
    atx_str_add(out, "    }\n");
    out->failed |= text.failed;
    return status;
}

/* One launch, with its kernel's arguments. */
at_status atx_export_launch(atx_str *out, const atx_launcher *l, const atx_passed *p, const atx_geometry *g,
                            bool *has_status, at_error *err)
{
    if (!p->numbered)
        add_function_attributes(out, has_status, p->kernel, g);
    if (!atx_geometry_is_plain(g))
        return add_launch_with(out, l, p, g, err);
    atx_str_addf(out,
                 "    %s<<<dim3(%" PRId64 ", %" PRId64 ", %" PRId64 "), dim3(%" PRId64 ", %" PRId64
                 ", %" PRId64 "), %" PRId64 "%s>>>(",
                 p->kernel, g->grid[0], g->grid[1], g->grid[2], g->block[0], g->block[1], g->block[2],
                 g->shared_bytes, p->numbered ? "" : ", stream");
    at_status status = write_arguments(out, l, p, err);
    atx_str_add(out, ");\n");
    return status;
}
