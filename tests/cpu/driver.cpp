/*
 * driver.cpp - runs rendered templates that move data on the CPU and compares every byte with a plain loop; how they run is in
 * emulation.h.
 */
#include "emulation.h"

const cpu_cases *cpu_all;

namespace {

const cpu_case *current;
Buffer in, out; /* of this case */
int failures;

void describe(FILE *to)
{
    fprintf(to, "%s/%s %s %s [%s]: ", current->op, current->name, current->shape, current->type, current->config);
}

void fill_random(unsigned char *data, size_t bytes)
{
    uint64_t state = 0x9e3779b97f4a7c15u;

    for (size_t i = 0; i < bytes; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        data[i] = (unsigned char)(state >> 56);
    }
}

/* --- what is right --- */

void expect(unsigned char *out, const unsigned char *in)
{
    const size_t    es    = (size_t)current->element_bytes;
    const long long batch = current->dims[0], rows = current->dims[1], cols = current->dims[2];
    const bool      turned = strcmp(current->op, "transpose") == 0;

    for (long long b = 0; b < batch; b++)
        for (long long r = 0; r < rows; r++)
            for (long long c = 0; c < cols; c++) {
                const long long from = (b * rows + r) * current->pitches[0] + c;
                const long long to   = turned ? (b * cols + c) * current->pitches[1] + r : from;
                memcpy(out + (size_t)to * es, in + (size_t)from * es, es);
            }
}

bool compare(const unsigned char *right)
{
    const size_t es = (size_t)current->element_bytes;

    for (size_t i = 0; i < out.bytes; i += es)
        if (memcmp(out.data + i, right + i, es) != 0) {
            describe(stdout);
            printf("output element %zu is wrong: 0x", i / es);
            for (size_t k = es; k-- > 0;)
                printf("%02x", out.data[i + k]);
            printf(", expected 0x");
            for (size_t k = es; k-- > 0;)
                printf("%02x", right[i + k]);
            printf("\n");
            return false;
        }
    return true;
}

bool complain(const char *what)
{
    describe(stdout);
    printf("%s\n", what);
    return false;
}

bool launch()
{
    const char *wrong = run_grid(current->grid, current->block, current->shared ? current->shared() : nullptr, current->shared_bytes);
    return !wrong || complain(wrong);
}

bool run_case()
{
    const bool   turned    = strcmp(current->op, "transpose") == 0;
    const size_t in_bytes  = (size_t)(current->dims[0] * current->dims[1] * current->pitches[0] * current->element_bytes);
    const size_t out_bytes = (size_t)(current->dims[0] * current->dims[turned ? 2 : 1] * current->pitches[1] * current->element_bytes);
    unsigned char *right = (unsigned char *)malloc(out_bytes), *before = (unsigned char *)malloc(in_bytes);
    bool good;

    in  = buffer_open(in_bytes, current->aligns[0]);
    out = buffer_open(out_bytes, current->aligns[1]);
    fill_random(in.data, in_bytes);
    memcpy(before, in.data, in_bytes);
    memcpy(right, out.data, out_bytes); /* what lies between rows must stay */
    expect(right, in.data);
    good = launch() && compare(right);
    if (good && memcmp(before, in.data, in_bytes) != 0)
        good = complain("changed its input");
    if (good && (!guards_hold(&in) || !guards_hold(&out)))
        good = complain("wrote outside its buffers");
    free(right);
    free(before);
    buffer_close(&in);
    buffer_close(&out);
    return good;
}

} // namespace

/* usage: templates [SHARE OF]: of so many parts of the cases, this one */
int main(int argc, char **argv)
{
    const unsigned share = argc > 2 ? (unsigned)atoi(argv[1]) : 0, of = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    unsigned seen = 0, cases = 0;

    catch_faults();
    if (!stacks_open())
        return 2;
    thread_main = [] { current->kernel(out.data, in.data); };
    start_fibers();
    for (const cpu_cases *part = cpu_all; part; part = part->next)
        for (size_t i = 0; i < part->count; i++, seen++) {
            if (seen % of != share)
                continue;
            current = &part->rows[i];
            failures += !run_case();
            cases++;
        }
    printf("%u cases, %d wrong\n", cases, failures);
    return failures > 0 || cases == 0;
}
