/*
 * ask_device.c - asks a GPU for the results of arithmetic.txt, and holds the machine's against them:
 *
 *     build/tests/machine/ask_device [--part N OF] [--record FILE] <tests/machine/arithmetic.txt
 *
 * A row of FILE for each instruction, in the form that test_arithmetic reads. Exit code 0: what is defined
 * exactly is the same to the bit; 1: it is not; 3: there is no GPU here.
 */
#include "arithmetic.h"

#include "runner/gpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 12 };

static at_status on_device(unsigned char **out, atx_gpu *gpu, const row *r, at_error *err)
{
    atx_str text = { 0 };
    atx_module *module = NULL;
    atx_ptr at[MOST_OPERANDS + 1] = { 0 };
    void *params[MOST_OPERANDS + 1];
    const atx_geometry g = { .grid = { r->threads / THREADS_OF_A_BLOCK, 1, 1 },
                             .block = { THREADS_OF_A_BLOCK, 1, 1 } };
    row_ptx(&text, r);
    at_status status = atx_gpu_load(&module, gpu, atx_str_text(&text), "k", NULL, err);
    for (int i = 0; i <= r->in_count && status == AT_OK; i++) {
        const int64_t bytes = row_bytes(r, i ? &r->in[i - 1] : &r->out);
        unsigned char *initial = i ? row_operand(r, i - 1) : NULL;
        status = atx_gpu_alloc(&at[i], gpu, bytes, err);
        if (status == AT_OK)
            status =
                i ? atx_gpu_write(gpu, at[i], initial, bytes, err) : atx_gpu_zero(gpu, at[i], bytes, err);
        params[i] = &at[i];
        free(initial);
    }
    if (status == AT_OK)
        status = atx_gpu_launch(gpu, module, &g, params, err);
    *out = malloc((size_t)row_bytes(r, &r->out));
    if (status == AT_OK)
        status = atx_gpu_read(gpu, *out, at[0], row_bytes(r, &r->out), err);
    for (int i = 0; i <= r->in_count; i++)
        atx_gpu_free(gpu, at[i]);
    atx_gpu_unload(gpu, module);
    atx_str_clear(&text);
    return status;
}

static void show(const unsigned char *bytes, const place *p, int64_t i)
{
    for (int k = 0; k < p->count; k++) {
        uint64_t value = 0;
        memcpy(&value, bytes + (i * p->count + k) * p->bytes, (size_t)p->bytes);
        printf(" %0*llx", 2 * p->bytes, (unsigned long long)value);
    }
}

/* Threads whose results differ, with their operands. */
static void show_differences(const row *r, const unsigned char *device, const unsigned char *machine)
{
    const int64_t each = r->out.count * r->out.bytes;
    unsigned char *in[MOST_OPERANDS] = { NULL };
    int64_t count = 0;
    for (int i = 0; i < r->in_count; i++)
        in[i] = row_operand(r, i);
    for (int64_t i = 0; i < r->threads; i++) {
        if (memcmp(device + i * each, machine + i * each, (size_t)each) == 0 || ++count > SHOWN)
            continue;
        printf("   thread %lld:", (long long)i);
        for (int k = 0; k < r->in_count; k++) {
            show(in[k], &r->in[k], i);
            printf(",");
        }
        printf(" device");
        show(device, &r->out, i);
        printf(" machine");
        show(machine, &r->out, i);
        printf("\n");
    }
    printf("   %lld threads of %lld\n", (long long)count, (long long)r->threads);
    for (int i = 0; i < r->in_count; i++)
        free(in[i]);
}

static void record(FILE *to, const row *r, const unsigned char *device)
{
    char hash[17];
    row_hash(hash, r, device);
    if (to && !r->approximate)
        fprintf(to, "%s %s\n", hash, r->text);
}

/* Whether it is as it must be. */
static bool ask(atx_gpu *gpu, const row *r, FILE *to)
{
    unsigned char *device = NULL, *machine = NULL;
    at_error err = { 0 };
    bool same_bits = false;
    if (on_device(&device, gpu, r, &err) != AT_OK) {
        printf("REFUSED %s: %s\n", r->text, err.text);
        free(device);
        return false;
    }
    const at_status status = row_on_machine(&machine, r, &err);
    const double off = status == AT_OK ? row_apart(r, machine, device, &same_bits) : INFINITY;
    record(to, r, device);
    if (status != AT_OK)
        printf("UNKNOWN %s: %s\n", r->text, err.text);
    else
        printf("%s %s: %g\n", off == 0 ? "same" : r->approximate ? "near" : "DIFFERENT", r->text, off);
    if (status == AT_OK && off != 0)
        show_differences(r, device, machine);
    free(device);
    free(machine);
    return status == AT_OK && (off == 0 || r->approximate);
}

int main(int argc, char **argv)
{
    char line[256];
    at_error err = { 0 };
    atx_gpu *gpu = NULL;
    FILE *to = NULL;
    int part = 0, of = 1, n = 0, wrong = 0;
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--record") == 0)
            to = fopen(argv[++i], "we");
        else if (strcmp(argv[i], "--part") == 0 && i + 2 < argc) {
            part = atoi(argv[++i]);
            of = atoi(argv[++i]);
        }
    if (atx_gpu_open(&gpu, 0, &err) != AT_OK) {
        printf("skipped: %s\n", err.text);
        return 3;
    }
    while (fgets(line, sizeof line, stdin)) {
        row r;
        if (row_read(&r, line) && n++ % of == part)
            wrong += !ask(gpu, &r, to);
        fflush(stdout);
    }
    printf("%d rows, %d not as they must be\n", n, wrong);
    if (to)
        fclose(to);
    atx_gpu_close(gpu);
    return wrong ? 1 : 0;
}
