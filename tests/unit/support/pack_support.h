/* pack_support.h - packs by the model that comes with the program, for tests of packs and of the library. */
#pragma once

#include "lang/arch.h"
#include "lang/catalog.h"
#include "pack/pack.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct packed {
    atx_catalog *catalog;
    atx_model *model;
    atx_predictor *predictor;
    atx_pack *pack;
} packed;

static inline packed make_for(const char *device_name, const char *name, atx_dtype type,
                              const char *const *ranges, int count, int kernels, double within)
{
    packed p = { 0 };
    at_error err = { 0 };
    bool own = false;
    atx_pack_domain domain;
    atx_limits limits;
    const atx_gpu_model *device = atx_gpu_model_find(device_name);
    cr_assert_eq(atx_catalog_open(&p.catalog, NULL, &err), AT_OK, "%s", err.text);
    const atx_op *op = atx_catalog_find_op(p.catalog, name);
    cr_assert_eq(atx_pack_domain_read(&domain, op, type, ranges, count, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_model_shipped(&p.model, op, device, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_predictor_open(&p.predictor, p.model, p.catalog, op, device, &own, &err), AT_OK, "%s",
                 err.text);
    atx_arch_limits(&limits, 90);
    const atx_pack_request request = { .domain = &domain,
                                       .catalog = p.catalog,
                                       .predictor = p.predictor,
                                       .limits = &limits,
                                       .device = device->name,
                                       .kernels = kernels,
                                       .within = within,
                                       .problems = 60,
                                       .seed = 7 };
    cr_assert_eq(atx_pack_make(&p.pack, &request, &err), AT_OK, "%s", err.text);
    return p;
}

static inline packed make(const char *name, atx_dtype type, const char *const *ranges, int count, int kernels,
                          double within)
{
    return make_for("NVIDIA H200", name, type, ranges, count, kernels, within);
}

static inline void clear(packed *p)
{
    atx_pack_close(p->pack);
    atx_predictor_close(p->predictor);
    atx_model_close(p->model);
    atx_catalog_close(p->catalog);
}

static inline void write_text(const char *dir, const char *name, const atx_str *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "w");
    cr_assert(file && fwrite(text->data, 1, text->len, file) == text->len && fclose(file) == 0);
}

/* Its files, of kernels that are no code. */
static inline void write_files(atx_pack_files *files, const atx_pack *const *packs, int count)
{
    atx_pack_compiled *models = calloc((size_t)count, sizeof *models);
    at_error err = { 0 };
    for (int m = 0; m < count; m++) {
        models[m].pack = packs[m];
        for (int k = 0; k < packs[m]->kernel_count; k++)
            atx_str_addf(&models[m].codes[k], "\177ELF none %d",
                         k); /* so much the driver of tests looks at */
    }
    cr_assert_eq(atx_pack_write(files, models, count, "packed", "autotune pack", &err), AT_OK, "%s",
                 err.text);
    for (int m = 0; m < count; m++)
        atx_pack_compiled_clear(&models[m]);
    free(models);
}

#ifdef AT_CUDA_INCLUDE
/* The written C as a shared object; its kernels are no code, since nothing is launched. */
static inline void *compile_all(const atx_pack *const *packs, int count, const char *folder)
{
    atx_pack_files files = { 0 };
    char command[1024], object[256];
    write_files(&files, packs, count);
    write_text(folder, "packed.h", &files.header);
    write_text(folder, "packed.c", &files.source);
    snprintf(object, sizeof object, "%s/packed.so", folder);
    snprintf(command, sizeof command,
             "cc -O1 -std=c11 -Wall -Wextra -Werror -shared -fPIC -I'%s' -o '%s' '%s/packed.c'",
             AT_CUDA_INCLUDE, object, folder);
    cr_assert_eq(system(command), 0, "%s",
                 command); // NOLINT(cert-env33-c): the compiler is what is tested with
    void *so = dlopen(object, RTLD_LAZY);
    cr_assert(so, "%s", dlerror());
    atx_pack_files_clear(&files);
    return so;
}
#endif
