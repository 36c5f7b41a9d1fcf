/*
 * emulation.h - runs rendered kernels on the CPU; a program includes it once.
 *
 * A CUDA block is run as fibers that switch at barriers. Buffers end at an unmapped page, so that an access
 * beyond them is a fault; the bytes in front, behind, and after the dynamic shared memory must stay as they
 * were. Generated code is compiled with sanitizer traps. A fault or trap names the case that ran.
 */
#ifndef CPU_EMULATION_H
#define CPU_EMULATION_H

#include "shim.h"

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

uint3 threadIdx, blockIdx, blockDim, gridDim;
unsigned cpu_cluster; /* blocks in each */

namespace
{

/* --- fibers --- */

/* swapcontext would do for every switch, but asks the kernel each time: it starts a fiber, _longjmp does the
 * rest. */

enum State { READY, AT_BARRIER, AT_WARP_BARRIER, AT_CLUSTER_BARRIER, FINISHED };

constexpr unsigned MAX_THREADS = 1024, MAX_CLUSTER = 8, MAX_FIBERS = MAX_CLUSTER * MAX_THREADS, WARP = 32;
constexpr size_t STACK_BYTES = 128 * 1024;

struct Fiber {
    ucontext_t start;
    jmp_buf place;
    bool started;
    State state;
    uint3 index, block;
};

Fiber fibers[MAX_FIBERS];
Fiber *running;
jmp_buf scheduler;
char *stacks;
/* What every thread does. */
void (*thread_main)();

void pause_at(State state)
{
    running->state = state;
    if (_setjmp(running->place) == 0)
        _longjmp(scheduler, 1);
}

/* A fiber lives on: it runs its thread of one block after the other, of one case after the other. */
void fiber_main()
{
    for (;;) {
        thread_main();
        pause_at(FINISHED);
    }
}

void resume(Fiber *fiber)
{
    running = fiber;
    threadIdx = fiber->index;
    blockIdx = fiber->block;
    if (_setjmp(scheduler) != 0)
        return;
    if (fiber->started)
        _longjmp(fiber->place, 1);
    fiber->started = true;
    setcontext(&fiber->start);
}

bool stacks_open()
{
    stacks = (char *)mmap(nullptr, MAX_FIBERS * STACK_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED)
        perror("mmap");
    return stacks != MAP_FAILED;
}

void start_fibers()
{
    for (unsigned i = 0; i < MAX_FIBERS; i++) {
        Fiber *f = &fibers[i];
        f->started = false;
        getcontext(&f->start);
        f->start.uc_stack.ss_sp = stacks + i * STACK_BYTES;
        f->start.uc_stack.ss_size = STACK_BYTES;
        f->start.uc_link = nullptr;
        makecontext(&f->start, fiber_main, 0);
    }
}

/* Those of one block of the grid. */
void number_fibers(Fiber *first, unsigned threads, unsigned block)
{
    for (unsigned i = 0; i < threads; i++) {
        first[i].index = { i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y };
        first[i].block = { block % gridDim.x, block / gridDim.x % gridDim.y, block / gridDim.x / gridDim.y };
        first[i].state = READY;
    }
}

/* Runs a warp's threads until each stands at the block's barrier, or its cluster's, or has finished. */
void run_warp(unsigned first, unsigned end)
{
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = first; i < end; i++)
            if (fibers[i].state == READY) {
                resume(&fibers[i]);
                again = again || fibers[i].state == AT_WARP_BARRIER;
            }
        for (unsigned i = first; i < end; i++)
            if (fibers[i].state == AT_WARP_BARRIER)
                fibers[i].state = READY;
    }
}

unsigned count_fibers(unsigned first, unsigned threads, State state)
{
    unsigned count = 0;
    for (unsigned i = first; i < first + threads; i++)
        count += fibers[i].state == state;
    return count;
}

/* Lets those go on that wait at this barrier, if all of them do. False: only some do. */
bool release(unsigned first, unsigned threads, State barrier)
{
    const unsigned waiting = count_fibers(first, threads, barrier);
    for (unsigned i = first; waiting == threads && i < first + threads; i++)
        fibers[i].state = READY;
    return waiting == 0 || waiting == threads;
}

/* So many blocks at a time. False: some threads ended while others wait at a barrier. */
bool run_cluster(unsigned blocks, unsigned threads)
{
    const unsigned all = blocks * threads;
    while (count_fibers(0, all, FINISHED) < all) {
        for (unsigned first = 0; first < all; first += threads) {
            for (unsigned i = 0; i < threads; i += WARP)
                run_warp(first + i, first + (i + WARP < threads ? i + WARP : threads));
            if (!release(first, threads, AT_BARRIER))
                return false;
        }
        if (count_fibers(0, all, READY) == 0 && !release(0, all, AT_CLUSTER_BARRIER))
            return false;
    }
    return true;
}

/* --- buffers --- */

constexpr size_t PAGE = 4096;

struct Buffer {
    unsigned char *pages, *data;
    size_t page_bytes, bytes;
};

/* The last place with this alignment, and no more, that leaves room behind it; 16 bytes are full alignment
 * here. */
size_t place_for(size_t room, size_t align)
{
    return align >= 256 ? room / 16 * 16 : (room - align) / (2 * align) * (2 * align) + align;
}

Buffer buffer_open(size_t bytes, int align)
{
    Buffer b = {};

    b.bytes = bytes;
    b.page_bytes = (bytes + 2 * PAGE - 1) / PAGE * PAGE; /* at least a page of guard, or a part of it */
    b.pages = (unsigned char *)mmap(nullptr, b.page_bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                                    -1, 0);
    if (b.pages == MAP_FAILED || mprotect(b.pages + PAGE, b.page_bytes, PROT_READ | PROT_WRITE) != 0) {
        perror("mmap");
        exit(2);
    }
    b.data = b.pages + PAGE + place_for(b.page_bytes - bytes, (size_t)align);
    memset(b.pages + PAGE, 0xa5, b.page_bytes);
    return b;
}

void buffer_close(Buffer *b)
{
    munmap(b->pages, b->page_bytes + 2 * PAGE);
}

bool guards_hold(const Buffer *b)
{
    for (const unsigned char *p = b->pages + PAGE; p < b->pages + PAGE + b->page_bytes; p++)
        if ((p < b->data || p >= b->data + b->bytes) && *p != 0xa5)
            return false;
    return true;
}

/* --- launches --- */

/* One launch over its whole grid; nullptr, or what it did wrong. `shared`: its dynamic shared memory and the
 * guard behind it. */
const char *run_grid(const unsigned grid[3], const unsigned block[3], unsigned char *shared,
                     unsigned shared_bytes, unsigned cluster = 1)
{
    const unsigned threads = block[0] * block[1] * block[2], blocks = grid[0] * grid[1] * grid[2];

    if (threads == 0 || threads > MAX_THREADS)
        return "not a possible block";
    if (cluster == 0 || cluster > MAX_CLUSTER || grid[0] % cluster != 0)
        return "not a possible cluster";
    blockDim = { block[0], block[1], block[2] };
    gridDim = { grid[0], grid[1], grid[2] };
    cpu_cluster = cluster;
    for (unsigned number = 0; number < blocks; number += cluster) {
        for (unsigned i = 0; i < cluster; i++)
            number_fibers(fibers + i * threads, threads, number + i);
        if (shared)
            memset(shared, 0x5a, shared_bytes + cpu_guard_bytes);
        if (!run_cluster(cluster, threads)) {
            start_fibers(); /* some of them would go on in the middle of this kernel */
            return "some threads of a block ended while others wait at a barrier";
        }
        for (size_t i = 0; shared && i < cpu_guard_bytes; i++)
            if (shared[shared_bytes + i] != 0x5a)
                return "wrote behind its dynamic shared memory";
    }
    return nullptr;
}

/* --- faults --- */

void describe(FILE *to); /* of the program: names the case that runs */

void on_signal(int number)
{
    describe(stdout);
    printf("%s in thread %u,%u of block %u\n",
           number == SIGILL ? "undefined behaviour (index, alignment, shift or overflow)"
                            : "access outside its buffers",
           threadIdx.x, threadIdx.y, blockIdx.x);
    fflush(stdout);
    _exit(1);
}

void catch_faults()
{
    static char signal_stack[64 * 1024];
    const stack_t on = { signal_stack, 0, sizeof signal_stack };
    struct sigaction action = {};

    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    sigaltstack(&on, nullptr);
    for (int number : { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP })
        sigaction(number, &action, nullptr);
}

} // namespace

void cpu_barrier()
{
    pause_at(AT_BARRIER);
}
void cpu_warp_barrier(unsigned)
{
    pause_at(AT_WARP_BARRIER);
}
void cpu_cluster_barrier()
{
    pause_at(AT_CLUSTER_BARRIER);
}

unsigned cpu_shuffle(unsigned value, int lane)
{
    static unsigned values[MAX_THREADS];
    const unsigned self = threadIdx.x;

    values[self] = value;
    pause_at(AT_WARP_BARRIER);
    const unsigned result = values[self / WARP * WARP + (unsigned)lane];
    pause_at(AT_WARP_BARRIER);
    return result;
}

#endif
