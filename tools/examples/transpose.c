/*
 * transpose.c - an example: asks what is known of a transpose, prints it, and runs it where there is a GPU.
 *
 *     cc transpose.c $(pkg-config --cflags --libs autotune) -ldl -o transpose
 *     ./transpose [ROWS COLS [TYPE [DEVICE]]]
 *
 * A program that computes on the GPU has device memory already; this one takes it from the driver, which it
 * opens by hand to need nothing but a C compiler.
 */
#include <autotune/autotune.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the few calls of the CUDA driver that bring memory ---- */

typedef struct driver {
    void *library;
    int (*init)(unsigned flags);
    int (*retain)(void **context, int device);
    int (*set_current)(void *context);
    int (*allocate)(uint64_t *address, size_t bytes);
    int (*release)(uint64_t address);
    int (*to_device)(uint64_t to, const void *from, size_t bytes);
    int (*to_host)(void *to, uint64_t from, size_t bytes);
    int (*wait)(void);
} driver;

/* NULL, or why there is no GPU to use. */
static const char *driver_open(driver *d)
{
    const struct {
        const char *name;
        void *call;
    } CALLS[] = {
        { "cuInit", &d->init },
        { "cuDevicePrimaryCtxRetain", &d->retain },
        { "cuCtxSetCurrent", &d->set_current },
        { "cuMemAlloc_v2", &d->allocate },
        { "cuMemFree_v2", &d->release },
        { "cuMemcpyHtoD_v2", &d->to_device },
        { "cuMemcpyDtoH_v2", &d->to_host },
        { "cuCtxSynchronize", &d->wait },
    };
    void *context = NULL;
    d->library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!d->library)
        return "no CUDA driver";
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        void *symbol = dlsym(d->library, CALLS[i].name);
        if (!symbol)
            return "the CUDA driver is too old";
        memcpy(CALLS[i].call, &symbol, sizeof symbol);
    }
    if (d->init(0) || d->retain(&context, 0) || d->set_current(context))
        return "no CUDA device";
    return NULL;
}

/* ---- look up and print ---- */

static int complain(const at_error *err)
{
    fprintf(stderr, "transpose: %s: %s\n", at_status_name(err->status), err->text);
    return 1;
}

static void print_found(const at_found *f)
{
    printf("%s %s %s: %s\n", f->op, f->shape, f->type, at_match_name(f->match));
    if (*f->why)
        printf("  why       %s\n", f->why);
    if (*f->warning)
        printf("  warning   %s\n", f->warning);
    if (*f->arch)
        printf("  device    %s, %s, %d multiprocessors\n", f->device, f->arch, f->sms);
    if (!f->template_name)
        return;
    const at_launch *launch = f->launches[0]; /* a transpose has one */
    printf("  template  %s\n  config    %s\n", f->template_name, f->config);
    printf("  launch    grid %" PRId64 "x%" PRId64 "x%" PRId64 ", block %" PRId64 "x%" PRId64 "x%" PRId64
           ", %" PRId64 " bytes of dynamic shared memory\n",
           launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0], launch->block[1],
           launch->block[2], launch->dynamic_shared_bytes);
    if (f->median_s > 0)
        printf("  measured  %.2f us, %.0f GB/s, for %s on %s\n", 1e6 * f->median_s, f->gb_per_s,
               f->measured_shape, f->measured_device);
}

static int look_up(at_tuner *tuner, const at_problem *problem, const char *device)
{
    at_error err = { AT_OK, "" };
    at_target target = AT_TARGET_INIT;
    at_found *found = NULL;
    char *source = NULL;

    target.device = device;
    if (at_find(&found, tuner, problem, &target, &err) != AT_OK)
        return complain(&err);
    print_found(found);
    if (at_source(&source, found, &err) == AT_OK)
        printf("  source    %zu bytes, kernel %s\n", strlen(source), found->launches[0]->kernel);
    at_free(source);
    at_found_close(found);
    return 0;
}

/* ---- run, check, time ---- */

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int is_transpose(const unsigned char *out, const unsigned char *in, size_t rows, size_t cols,
                        size_t size)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++)
            if (memcmp(out + (c * rows + r) * size, in + (r * cols + c) * size, size) != 0)
                return 0;
    return 1;
}

/* The first call compiles and loads, or finds the kernel in the cache; the others only launch. */
static int time_calls(at_tuner *tuner, const at_problem *problem, const at_buffer *buffers, const driver *d)
{
    enum { CALLS = 100 };
    at_error err = { AT_OK, "" };
    double start_s = now_s();
    if (at_run(tuner, problem, buffers, 2, NULL, NULL, &err) != AT_OK)
        return complain(&err);
    printf("  first     %.1f ms on the CPU\n", 1e3 * (now_s() - start_s));
    d->wait();
    start_s = now_s();
    for (int i = 0; i < CALLS; i++)
        if (at_run(tuner, problem, buffers, 2, NULL, NULL, &err) != AT_OK)
            return complain(&err);
    double called_s = now_s() - start_s;
    d->wait();
    printf("  later     %.2f us on the CPU, %.2f us in all, a call\n", 1e6 * called_s / CALLS,
           1e6 * (now_s() - start_s) / CALLS);
    return 0;
}

static int run(at_tuner *tuner, const at_problem *problem, const driver *d)
{
    size_t rows = (size_t)problem->sizes[0], cols = (size_t)problem->sizes[1];
    size_t size = (size_t)at_type_bits(problem->type) / 8, bytes = rows * cols * size;
    unsigned char *in = malloc(bytes), *out = malloc(bytes);
    uint64_t device_in = 0, device_out = 0;
    const at_found *used = NULL;
    at_error err = { AT_OK, "" };
    int code = 1;

    if (!in || !out || d->allocate(&device_in, bytes) || d->allocate(&device_out, bytes)) {
        fprintf(stderr, "transpose: out of memory\n");
        goto done;
    }
    for (size_t i = 0; i < bytes; i++)
        in[i] = (unsigned char)(i * 2654435761u >> 13);
    if (at_prepare(&used, tuner, problem, NULL, &err) != AT_OK) {
        code = complain(&err);
        goto done;
    }
    printf("on this device:\n");
    print_found(used);
    const int64_t size_bytes = (int64_t)bytes;
    const at_buffer buffers[] = { { (void *)(uintptr_t)device_out, size_bytes },
                                  { (void *)(uintptr_t)device_in, size_bytes } };
    if (d->to_device(device_in, in, bytes) || time_calls(tuner, problem, buffers, d) != 0)
        goto done;
    code = d->to_host(out, device_out, bytes) != 0 || !is_transpose(out, in, rows, cols, size);
    printf("  result    %s\n", code ? "WRONG" : "right");
done:
    if (device_in)
        d->release(device_in);
    if (device_out)
        d->release(device_out);
    free(in);
    free(out);
    return code;
}

int main(int argc, char **argv)
{
    at_error err = { AT_OK, "" };
    at_problem problem = { .struct_bytes = sizeof(at_problem),
                           .op = "transpose",
                           .type = AT_TYPE_F32,
                           .size_count = 2,
                           .sizes = { 4096, 4096 } };
    at_tuner *tuner = NULL;
    driver d;

    if (argc > 2) {
        problem.sizes[0] = strtoll(argv[1], NULL, 10);
        problem.sizes[1] = strtoll(argv[2], NULL, 10);
    }
    if (argc > 3 && at_type_parse(&problem.type, argv[3], &err) != AT_OK)
        return complain(&err);
    if (at_open(&tuner, NULL, &err) != AT_OK)
        return complain(&err);
    int code = look_up(tuner, &problem, argc > 4 ? argv[4] : NULL);
    const char *missing = driver_open(&d);
    if (code == 0 && missing)
        printf("not run: %s\n", missing);
    else if (code == 0)
        code = run(tuner, &problem, &d);
    at_close(tuner);
    return code;
}
