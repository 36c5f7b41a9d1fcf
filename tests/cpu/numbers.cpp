/*
 * numbers.cpp - runs rendered templates that compute on the CPU. Inputs are as the op declares them, the right answer is
 * that of the op's reference kernel, and outputs are compared as the op declares it: all three by the code that the runner
 * uses on the device (lang/data.h). How kernels run is in emulation.h.
 */
#include "emulation.h"

#include "lang/data.h"

#include <vector>

const cpu_problem *cpu_problems;

namespace {

constexpr at__u64 SEED = 7;
constexpr int FULL_ALIGN = 256;
enum Role { INPUT = 1, OUTPUT, INOUT, SCRATCH }; /* as at__role */

const cpu_problem *problem;
const cpu_candidate *current;
const cpu_launch *launched;
std::vector<void *> addresses; /* of the buffers, for this candidate */

void describe(FILE *to)
{
    fprintf(to, "%s %s %s %s [%s]: ", problem->op, problem->shape, problem->type, current->name, current->config);
}

bool complain(const char *what)
{
    describe(stdout);
    printf("%s\n", what);
    return false;
}

void fill(unsigned char *data, const cpu_buffer *b, int stream)
{
    const int bytes = at__number_bytes(b->number);
    const bool input = b->role == INPUT || b->role == INOUT;
    for (long long i = 0; i < b->numbers; i++) {
        at__u64 bits = ~0ull; /* NaN, or -1 */
        if (input && b->how == AT__BITS)
            bits = at__random(SEED + (at__u64)stream, (at__u64)i);
        else if (input)
            bits = at__generate((at__u64)i, (at__u64)b->numbers, b->number, b->how, b->a, b->b, SEED + (at__u64)stream);
        else if (b->zero)
            bits = 0;
        at__set_bits(data, (at__u64)i, bytes, bits);
    }
}

using Contents = std::vector<std::vector<unsigned char>>; /* of all buffers */

bool wrong_element(const cpu_buffer *b, long long i, at__u64 got, at__u64 right)
{
    describe(stdout);
    printf("element %lld of '%s' is %.9g, expected %.9g\n", i, b->name, at__number_value(got, b->number), at__number_value(right, b->number));
    return false;
}

bool output_is_right(const cpu_buffer *b, const unsigned char *got, const unsigned char *right)
{
    const int bytes = at__number_bytes(b->number);
    double off = 0, all = 0;
    for (long long i = 0; i < b->numbers; i++) {
        const at__u64 x = at__bits_at(got, (at__u64)i, bytes), y = at__bits_at(right, (at__u64)i, bytes);
        const double wrong = at__wrong_by(x, y, b->number, b->rule, b->relative, b->absolute), value = at__number_value(y, b->number);
        if (b->rule != AT__NORM ? wrong != 0 : !at__is_finite(wrong))
            return wrong_element(b, i, x, y);
        off += wrong * wrong;
        all += value * value;
    }
    return b->rule != AT__NORM || off <= b->relative * b->relative * all || complain("the whole output is farther off than its norm allows");
}

bool run_launches()
{
    for (int i = 0; i < current->launch_count; i++) {
        launched = &current->launches[i];
        unsigned char *shared = current->shared ? current->shared() : nullptr;
        if (const char *wrong = run_grid(launched->grid, launched->block, shared, launched->shared_bytes, current->cluster))
            return complain(wrong);
    }
    return true;
}

/* What the buffers hold before and after; false: said why. */
bool run_candidate(Contents &before, Contents &after)
{
    std::vector<Buffer> buffers;
    bool good;

    addresses.clear();
    for (int i = 0; i < problem->buffer_count; i++) {
        const cpu_buffer *b = &problem->buffers[i];
        buffers.push_back(buffer_open((size_t)b->numbers * (size_t)at__number_bytes(b->number), FULL_ALIGN));
        fill(buffers[i].data, b, i);
        addresses.push_back(buffers[i].data);
        before.emplace_back(buffers[i].data, buffers[i].data + buffers[i].bytes);
    }
    good = run_launches();
    for (Buffer &b : buffers) {
        if (good && !guards_hold(&b))
            good = complain("wrote outside its buffers");
        after.emplace_back(b.data, b.data + b.bytes);
        buffer_close(&b);
    }
    return good;
}

/* Outputs are right, inputs as they were. */
bool is_right(const Contents &before, const Contents &after, const Contents &right)
{
    for (int i = 0; i < problem->buffer_count; i++) {
        const cpu_buffer *b = &problem->buffers[i];
        if (b->role == INPUT && before[i] != after[i])
            return complain("changed its input");
        if ((b->role == OUTPUT || b->role == INOUT) && !output_is_right(b, after[i].data(), right[i].data()))
            return false;
    }
    return true;
}

/* The number of candidates that are wrong. The first is the reference, which must leave no element as it was. */
int run_problem()
{
    Contents right;
    int failures = 0;

    for (size_t k = 0; k < problem->count; k++) {
        Contents before, after;
        current = &problem->candidates[k];
        bool good = run_candidate(before, after);
        if (k == 0)
            right = after;
        good = good && is_right(before, after, right);
        if (k == 0 && good && before == after)
            good = complain("the reference changes nothing");
        failures += !good;
    }
    return failures;
}

} // namespace

/* usage: numbers [SHARE OF]: of so many parts of the problems, this one */
int main(int argc, char **argv)
{
    const unsigned share = argc > 2 ? (unsigned)atoi(argv[1]) : 0, of = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    unsigned seen = 0, cases = 0;
    int failures = 0;

    catch_faults();
    if (!stacks_open())
        return 2;
    thread_main = [] { launched->kernel(addresses.data()); };
    start_fibers();
    for (problem = cpu_problems; problem; problem = problem->next)
        if (seen++ % of == share) {
            failures += run_problem();
            cases += (unsigned)problem->count;
        }
    printf("%u cases, %d wrong\n", cases, failures);
    return failures > 0;
}
