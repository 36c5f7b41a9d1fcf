/*
 * gpu_model.c - a table by name, from NVIDIA's data sheets. For a GPU that is not in it the driver is asked.
 */
#include "lang/gpu_model.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define OTHER_ARCH 4.0  /* another compute capability */
#define ARCH_STEP  0.01 /* and the nearest first      */

static const atx_gpu_model MODELS[] = {
    { "Tesla T4", 75, 40, 320 },
    { "NVIDIA GeForce RTX 2080 Ti", 75, 68, 616 },
    { "Quadro RTX 6000", 75, 72, 672 },
    { "NVIDIA A100-PCIE-40GB", 80, 108, 1555 },
    { "NVIDIA A100-SXM4-40GB", 80, 108, 1555 },
    { "NVIDIA A100 80GB PCIe", 80, 108, 1935 },
    { "NVIDIA A100-SXM4-80GB", 80, 108, 2039 },
    { "NVIDIA A30", 80, 56, 933 },
    { "NVIDIA A10", 86, 72, 600 },
    { "NVIDIA A10G", 86, 80, 600 },
    { "NVIDIA A40", 86, 84, 696 },
    { "NVIDIA RTX A6000", 86, 84, 768 },
    { "NVIDIA GeForce RTX 3080", 86, 68, 760 },
    { "NVIDIA GeForce RTX 3090", 86, 82, 936 },
    { "NVIDIA GeForce RTX 3090 Ti", 86, 84, 1008 },
    { "NVIDIA L4", 89, 58, 300 },
    { "NVIDIA L40", 89, 142, 864 },
    { "NVIDIA L40S", 89, 142, 864 },
    { "NVIDIA RTX 6000 Ada Generation", 89, 142, 960 },
    { "NVIDIA GeForce RTX 4080", 89, 76, 717 },
    { "NVIDIA GeForce RTX 4090", 89, 128, 1008 },
    { "NVIDIA H100 PCIe", 90, 114, 2039 },
    { "NVIDIA H100 80GB HBM3", 90, 132, 3350 },
    { "NVIDIA H100 NVL", 90, 132, 3938 },
    { "NVIDIA H800", 90, 132, 3350 },
    { "NVIDIA H20", 90, 78, 4000 },
    { "NVIDIA GH200 120GB", 90, 132, 4000 },
    { "NVIDIA GH200 480GB", 90, 132, 4000 },
    { "NVIDIA H200", 90, 132, 4800 },
    { "NVIDIA H200 NVL", 90, 132, 4800 },
    { "NVIDIA B200", 100, 148, 8000 },
    { "NVIDIA GB200", 100, 148, 8000 },
    { "NVIDIA B300 SXM6 AC", 103, 148, 8000 },
    { "NVIDIA GB300", 103, 148, 8000 },
    { "NVIDIA GeForce RTX 5080", 120, 84, 960 },
    { "NVIDIA GeForce RTX 5090", 120, 170, 1792 },
    { "NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 120, 188, 1792 },
    { "NVIDIA RTX PRO 6000 Blackwell Server Edition", 120, 188, 1597 },
    { "NVIDIA GB10", 121, 48, 273 },
};
enum { MODEL_COUNT = sizeof MODELS / sizeof *MODELS };

const atx_gpu_model *atx_gpu_model_at(int i)
{
    return i >= 0 && i < MODEL_COUNT ? &MODELS[i] : NULL;
}

const atx_gpu_model *atx_gpu_model_find(const char *name)
{
    const char *slice = strstr(name, " MIG ");
    size_t len = slice ? (size_t)(slice - name) : strlen(name);
    for (int i = 0; i < MODEL_COUNT; i++)
        if (strlen(MODELS[i].name) == len && strncasecmp(MODELS[i].name, name, len) == 0)
            return &MODELS[i];
    return NULL;
}

static atx_gpu_model complete(const atx_gpu_model *m)
{
    atx_gpu_model out = *m;
    const atx_gpu_model *row = m->name ? atx_gpu_model_find(m->name) : NULL;
    if (!row)
        return out;
    out.cc = out.cc ? out.cc : row->cc;
    out.sms = out.sms ? out.sms : row->sms;
    out.gb_per_s = row->gb_per_s;
    return out;
}

static double factors_of_two(int64_t a, int64_t b)
{
    return a > 0 && b > 0 ? fabs(log2((double)a / (double)b)) : 0;
}

double atx_gpu_distance(const atx_gpu_model *a, const atx_gpu_model *b)
{
    const atx_gpu_model x = complete(a), y = complete(b);
    double d = factors_of_two(x.sms, y.sms) + factors_of_two(x.gb_per_s, y.gb_per_s);
    if (x.cc > 0 && y.cc > 0 && x.cc != y.cc)
        d += OTHER_ARCH + ARCH_STEP * fabs((double)(x.cc - y.cc));
    return d;
}
