/*
 * scripted_internal.h - shared by the files of the scripted driver: its state, and how each entry begins.
 */
#pragma once

#include "scripted_driver.h"

#include "h200.h"
#include "host_cheats.h"
#include "host_kernels.h"
#include "script.h"

#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
enum { MAX_ALLOCATIONS = 4096, MAX_CALLS = 1 << 17, MAX_SIGHTS = 16, CAPTURE_FORBIDS = 900, NOT_FOUND = 500 };

enum { MAX_VARIABLES = 16 };

typedef struct module {
    uint64_t hash;                /* of its code */
    uint64_t memory[CHEAT_WORDS]; /* of kernels that cheat */
    int variable_count;
    struct {
        char name[MAX_WORD];
        size_t bytes;
        uint64_t at; /* its memory */
    } variables[MAX_VARIABLES];
} module;

typedef struct kernel {
    struct kernel *next; /* of all kernels that were looked up */
    module *module;
    char name[MAX_WORD];
    int params;
} kernel;

typedef struct launch {
    const kernel *kernel; /* NULL: a copy of params[2] bytes from params[1] to params[0] */
    unsigned threads;
    uint64_t geometry; /* a hash */
    uint64_t params[HOST_PARAMS];
} launch;

typedef struct graph {
    launch *list;
    size_t count, cap;
} graph;

typedef struct event {
    double at_ns;
} event;

typedef struct allocation {
    unsigned char *at;
    size_t bytes;
} allocation;

/* Where kernels of one name found their buffers. */
typedef struct sight {
    char name[MAX_WORD];
    long alignments[2];
} sight;

typedef struct scripted_state {
    bool started, hangs;
    script script;
    int lost;    /* the code of every call from now on */
    int pending; /* becomes `lost` when somebody waits */
    double now_ns, waited_ns, microjoules;
    uint64_t random;
    graph *capture;        /* NULL: none under way */
    const module *running; /* of the kernel that runs */
    allocation memory[MAX_ALLOCATIONS];
    int allocations, modules;
    kernel *kernels;
    const char *calls[MAX_CALLS];
    long call_count;
    sight sights[MAX_SIGHTS];
} scripted_state;
extern scripted_state scripted;

/* The one stream, by its address. */
extern char scripted_stream;

/* Counts a call, and fails it where the script wants that; `of_context`: or where the context is lost. */
int scripted_enter(const char *name, bool of_context);

/* Whether these bytes are all of one allocation. */
bool scripted_is_memory(const unsigned char *at, int64_t bytes);

/* Memory of the device that is nobody's but the driver's. 0: there is no room. */
uint64_t scripted_take(size_t bytes);
bool scripted_give(uint64_t at);

/* Where the script says `warm`: whether a launch finds its input in the L2. Afterwards its buffers are there.
 */
bool scripted_l2_finds(const launch *l);
void scripted_l2_begin(void);

/* Notes how a launch found its buffers aligned. */
void scripted_remember_sight(const launch *l);

#define ENTRY(name, ...)                                                                                     \
    EXPORT int name(__VA_ARGS__);                                                                            \
    EXPORT int name(__VA_ARGS__)

/* First in each entry: of the driver as such, and of the context. */
#define ENTER_DRIVER(name)                                                                                   \
    do {                                                                                                     \
        int code_ = scripted_enter(#name, false);                                                            \
        if (code_ != OK)                                                                                     \
            return code_;                                                                                    \
    } while (0)
#define ENTER(name)                                                                                          \
    do {                                                                                                     \
        int code_ = scripted_enter(#name, true);                                                             \
        if (code_ != OK)                                                                                     \
            return code_;                                                                                    \
    } while (0)
