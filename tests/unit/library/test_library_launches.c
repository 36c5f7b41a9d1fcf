/*
 * test_library_launches.c - who launches by himself what at_find tells, gets the right answer: the kernels
 * are executed on the CPU (tuner/machine), with the geometry, the arguments and the names that the library
 * gave.
 */
#include "library_support.h"

#include "machine/machine.h"

#include <sys/stat.h>
#include <unistd.h>

TestSuite(library_launches, .init = set_up, .fini = tear_down);

/* out[i] = table[i % 4] * in[i] + in[last] */
static const char OP[] =
    "/*!autotune\nop mix\nshape n\ntype T = f32\narg out T[n] output\narg in T[n] input uniform -1 1\n"
    "arg table f32[4] input uniform 0 1 into c_table\narg work T[n] inout constant 0\narg n i32\narg last "
    "i64 = n - "
    "1\n"
    "reference mix_reference\ngrid 1\nblock 1\ncheck exact\ntraffic 8 * n\n*/\n"
    "__constant__ float c_table[4];\n"
    "extern \"C\" __global__ void mix_reference(T *out, const T *in, T *work, int n, long long last) {\n"
    "    for (int i = 0; i < n; i++) out[i] = c_table[i % 4] * in[i] + in[last];\n}\n";

static const struct {
    const char *name, *text, *kernels[2];
    int launch_count, variable_count;
} TEMPLATES[] = {
    { "the operation's own order",
      "/*!autotune\ntemplate plain\nparam N = 32\ngrid ceil_div(n, N)\nblock N\n*/\n__constant__ float "
      "c_table[4];\n"
      "extern \"C\" __global__ void mix_plain(T *out, const T *in, T *work, int n, long long last) {\n"
      "    int i = blockIdx.x * N + threadIdx.x;\n    if (i < n) out[i] = c_table[i % 4] * in[i] + "
      "in[last];\n}\n",
      { "mix_plain" },
      1,
      1 },
    { "an order of its own, and the table as a parameter",
      "/*!autotune\ntemplate own\nparam N = 32\narg last in table n out\ngrid ceil_div(n, N)\nblock N\n*/\n"
      "extern \"C\" __global__ void mix_own(long long last, const T *in, const float *table, int n, T *out) "
      "{\n"
      "    int i = blockIdx.x * N + threadIdx.x;\n    if (i < n) out[i] = table[i % 4] * in[i] + "
      "in[last];\n}\n",
      { "mix_own" },
      1,
      0 },
    { "an instance of a kernel template, in a namespace as its table",
      "/*!autotune\ntemplate scoped\nparam N = 16\nkernel inner::mix<T, N>\narg n last out in\n"
      "grid ceil_div(n, N)\nblock N\n*/\n__constant__ float c_table[4];\n"
      "namespace inner {\ntemplate <class E, int M> __global__ void mix(int n, long long last, E *out, const "
      "E *in) {\n"
      "    int i = blockIdx.x * M + threadIdx.x;\n    if (i < n) out[i] = c_table[i % 4] * in[i] + "
      "in[last];\n}\n}\n",
      { "inner::mix<T, N>" },
      1,
      1 },
    { "scalars of its own",
      "/*!autotune\ntemplate sized\nparam N = 32\nscalar tiles u8 = ceil_div(n, N)\nscalar each f32 = 1 / N\n"
      "scalar tail bool = n % N != 0\narg tail out in each n last tiles\ngrid ceil_div(n, N)\nblock N\n*/\n"
      "__constant__ float c_table[4];\n"
      "extern \"C\" __global__ void mix_sized(bool tail, T *out, const T *in, float each, int n, long long "
      "last,\n"
      "    unsigned char tiles) {\n    int i = blockIdx.x * N + threadIdx.x;\n"
      "    if (i < n && tail && tiles == gridDim.x) out[i] = c_table[i % 4] * in[i] + in[last] * (each * "
      "N);\n}\n",
      { "mix_sized" },
      1,
      1 },
    { "two launches",
      "/*!autotune\ntemplate twice\nparam N = 32\nlaunch mix_scale grid ceil_div(n, N) block N arg n work "
      "in\n"
      "launch mix_add grid 1 block N shared 4 * N arg last out in work n\n*/\n__constant__ float "
      "c_table[4];\n"
      "extern \"C\" __global__ void mix_scale(int n, T *work, const T *in) {\n"
      "    int i = blockIdx.x * N + threadIdx.x;\n    if (i < n) work[i] = c_table[i % 4] * in[i];\n}\n"
      "extern \"C\" __global__ void mix_add(long long last, T *out, const T *in, const T *work, int n) {\n"
      "    extern __shared__ float added[];\n    added[threadIdx.x] = in[last];\n"
      "    for (int i = threadIdx.x; i < n; i += N) out[i] = work[i] + added[threadIdx.x];\n}\n",
      { "mix_scale", "mix_add" },
      2,
      1 },
    { "a loop, whose kernel is told where it is",
      "/*!autotune\ntemplate part\nparam N = 64\nrepeat 2\nscalar from i32 = N * iteration\n"
      "arg from out in n last\ngrid 1\nblock N\n*/\n__constant__ float c_table[4];\n"
      "extern \"C\" __global__ void mix_part(int from, T *out, const T *in, int n, long long last) {\n"
      "    int i = from + threadIdx.x;\n    if (i < n) out[i] = c_table[i % 4] * in[i] + in[last];\n}\n",
      { "mix_part", "mix_part" },
      2,
      1 },
};

static void write_text(const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/mix/%s", home.path, name);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* A tuner that knows one template of the operation. */
static at_tuner *tuner_of(const char *text)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    char folder_path[300];
    snprintf(folder_path, sizeof folder_path, "%s/mix", home.path);
    cr_assert(mkdir(folder_path, 0777) == 0 || access(folder_path, W_OK) == 0);
    write_text("op.cu", OP);
    write_text("t.cu", text);
    options.templates = home.path;
    cr_assert_eq(at_open(&tuner, &options, &err), AT_OK, "%s", err.text);
    cr_assert_str_eq(at_warnings(tuner), "");
    return tuner;
}

enum { SIZE = 100 };
static const at_problem MIX = {
    .struct_bytes = sizeof(at_problem), .op = "mix", .type = AT_TYPE_F32, .size_count = 1, .sizes = { SIZE }
};
static float input[SIZE], table[4] = { 0.5f, 2, -3, 0.25f };

/* ---- a program of its own that launches ---- */

typedef struct launcher {
    atx_machine *machine;
    atx_ptx_module *module;
    int regions[ATX_MAX_ARGS]; /* of the buffers, in at_found's order */
} launcher;

static void fill_buffers(launcher *l, const at_found *found)
{
    at_error err = { 0 };
    for (int i = 0; i < found->buffer_count; i++) {
        const at_arg *arg = found->buffers[i];
        const void *begin = strcmp(arg->name, "in") == 0      ? (void *)input
                            : strcmp(arg->name, "table") == 0 ? table
                                                              : NULL;
        cr_assert_eq(arg->buffer, i);
        cr_assert_eq(atx_machine_add_buffer(
                         &l->regions[i], l->machine,
                         &(atx_machine_buffer){ arg->name, arg->bytes, arg->align, 0, begin }, &err),
                     AT_OK, "%s", err.text);
    }
}

static void fill_variables(launcher *l, const at_found *found, const at_code *code)
{
    cr_assert_eq(code->variable_count, found->variable_count);
    for (int i = 0; i < code->variable_count; i++) {
        const at_arg *from = found->variables[i]->arg;
        bool there = false;
        for (int r = 0; r < atx_machine_region_count(l->machine); r++) {
            const atx_machine_region *region = atx_machine_region_at(l->machine, r);
            if (region->kind == ATX_REGION_BUFFER || strcmp(region->name, code->variables[i]) != 0)
                continue;
            there = true;
            memcpy(region->data, atx_machine_region_at(l->machine, l->regions[from->buffer])->data,
                   (size_t)from->bytes);
        }
        cr_assert(there, "%s", code->variables[i]);
    }
}

static void launch(launcher *l, const at_launch *how, const char *kernel)
{
    at_error err = { 0 };
    atx_machine_result result = { 0 };
    unsigned char bytes[256] = { 0 };
    atx_machine_launch go = { .function = atx_ptx_find_entry(l->module, kernel),
                              .shared_bytes = how->dynamic_shared_bytes,
                              .arguments = bytes };
    cr_assert_geq(go.function, 0, "no kernel %s", kernel);
    const atx_ptx_function *f = &l->module->functions[go.function];
    cr_assert_eq(f->param_count, how->arg_count);
    for (int i = 0; i < how->arg_count; i++) {
        const at_arg *arg = how->args[i];
        const uint64_t value = arg->buffer < 0
                                   ? (uint64_t)arg->value
                                   : atx_machine_region_at(l->machine, l->regions[arg->buffer])->address;
        memcpy(bytes + l->module->variables[f->params[i]].offset, &value,
               arg->buffer < 0 ? (size_t)arg->bytes : sizeof value);
    }
    for (int d = 0; d < 3; d++) {
        go.grid[d] = (uint32_t)how->grid[d];
        go.block[d] = (uint32_t)how->block[d];
    }
    go.argument_bytes = f->param_bytes;
    cr_assert_eq(atx_machine_run(&result, l->machine, &go, &err), AT_OK, "%s", err.text);
    cr_assert_eq(result.finding.kind, ATX_FINDING_NONE, "%s", result.finding.text);
}

/* Only members of the public header are used. */
static void compute(float out[SIZE], const at_found *found, const at_code *code)
{
    launcher l = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_ptx_parse(&l.module, code->data, code->bytes, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_machine_open(&l.machine, l.module, &err), AT_OK, "%s", err.text);
    fill_buffers(&l, found);
    fill_variables(&l, found, code);
    cr_assert_eq(code->kernel_count, found->launch_count);
    for (int i = 0; i < found->launch_count; i++)
        launch(&l, found->launches[i], code->kernels[i]);
    memcpy(out, atx_machine_region_at(l.machine, l.regions[0])->data, SIZE * sizeof *out);
    atx_machine_close(l.machine);
    atx_ptx_close(l.module);
}

Test(library_launches, what_at_find_tells_computes_the_problem)
{
    for (int i = 0; i < SIZE; i++)
        input[i] = (float)(i * 37 % 64) / 8;
    for (size_t k = 0; k < sizeof TEMPLATES / sizeof *TEMPLATES; k++) {
        at_error err = { 0 };
        at_code *code = NULL;
        float out[SIZE];
        at_tuner *tuner = tuner_of(TEMPLATES[k].text);
        at_found *found = find_ok(tuner, MIX, &ON_H200);
        cr_assert_str_eq(found->buffers[0]->name, "out");
        cr_assert_eq(found->launch_count, TEMPLATES[k].launch_count, "%s", TEMPLATES[k].name);
        cr_assert_eq(found->variable_count, TEMPLATES[k].variable_count, "%s", TEMPLATES[k].name);
        for (int i = 0; i < found->launch_count; i++)
            cr_assert_str_eq(found->launches[i]->kernel, TEMPLATES[k].kernels[i]);
        if (at_compile(&code, tuner, found, AT_CODE_PTX, NULL, &err) == AT_ERR_DEVICE)
            cr_skip_test("NVRTC is not installed");
        cr_assert_not_null(code, "%s", err.text);
        compute(out, found, code);
        for (int i = 0; i < SIZE; i++)
            cr_assert_eq(out[i], table[i % 4] * input[i] + input[SIZE - 1], "%s: out[%d] = %g",
                         TEMPLATES[k].name, i, (double)out[i]);
        at_found_close(found);
        at_close(tuner);
        at_code_close(code); /* outlives both */
    }
}

/* An error's text is cut, and of many faults it has the first few. */
Test(library_launches, the_compilers_whole_log_is_given)
{
    enum { FAULTS = 40 };
    at_error err = { 0 };
    at_code *code = NULL;
    char *log = NULL, text[8000];
    at_compile_options options = AT_COMPILE_OPTIONS_INIT;
    int len = snprintf(text, sizeof text,
                       "/*!autotune\ntemplate loud\nparam N = 32\narg out\ngrid 1\nblock N\n*/\n"
                       "extern \"C\" __global__ void mix_loud(T *out) {\n");
    for (int i = 0; i < FAULTS; i++)
        len += snprintf(text + len, sizeof text - (size_t)len, "    out[%d] = unknown_%d;\n", i, i);
    snprintf(text + len, sizeof text - (size_t)len, "}\n");
    at_tuner *tuner = tuner_of(text);
    at_found *found = find_ok(tuner, MIX, &ON_H200);
    options.log = &log;
    at_status status = at_compile(&code, tuner, found, AT_CODE_CUBIN, &options, &err);
    if (status == AT_ERR_DEVICE)
        cr_skip_test("NVRTC is not installed");
    cr_assert_eq(status, AT_ERR_INPUT);
    cr_assert(log && strstr(log, "unknown_0") && strstr(log, "unknown_39"), "%s", log);
    cr_assert(!strstr(err.text, "unknown_39"));
    at_free(log);
    at_found_close(found);
    at_close(tuner);
}
