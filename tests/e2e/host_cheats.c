/* host_cheats.c - see host_cheats.h. */
#include "host_cheats.h"

#include <stddef.h>
#include <string.h>

typedef struct launch {
    unsigned char *out;
    const unsigned char *in;
    uint64_t scratch;
    size_t bytes;
    int element;
    uint64_t *memory;
} launch;

static void copy(const launch *l)
{
    memcpy(l->out, l->in, l->bytes);
}

/* Where the output already begins with the answer, all of it is thought to be there. */
static void skip(const launch *l)
{
    if (memcmp(l->out, l->in, (size_t)l->element) != 0)
        copy(l);
}

/* Does its work at its first launch, or its first two. */
static void once(const launch *l)
{
    if (l->memory[0]++ == 0)
        copy(l);
}

static void few(const launch *l)
{
    if (l->memory[0]++ < 2)
        copy(l);
}

/* Knows one output, and works for no other. */
static void address(const launch *l)
{
    if (!l->memory[0])
        l->memory[0] = (uintptr_t)l->out;
    if (l->memory[0] == (uintptr_t)l->out)
        copy(l);
}

/* Works for the output at the lowest address that it has seen: the first set. */
static void lowest(const launch *l)
{
    if (!l->memory[0] || (uintptr_t)l->out < l->memory[0])
        l->memory[0] = (uintptr_t)l->out;
    if (l->memory[0] == (uintptr_t)l->out)
        copy(l);
}

/* Does nothing in its launches 3, 5, 7, ... */
static void every_other(const launch *l)
{
    const uint64_t mine = l->memory[0]++;
    if (mine < 2 || mine % 2)
        copy(l);
}

/* Undoes a poison that is the complement of the answer. */
static void flip(const launch *l)
{
    for (size_t i = 0; i < l->bytes; i++)
        l->out[i] = (unsigned char)~l->out[i];
}

/* Leaves a mark in scratch memory that the work is done. */
static void mark(const launch *l)
{
    int *at = (int *)(uintptr_t)l->scratch;
    if (*at != 77)
        copy(l);
    *at = 77;
}

/* The upper half is thought to be there since the last time. */
static void half(const launch *l)
{
    memcpy(l->out, l->in, l->memory[0]++ ? l->bytes / 2 : l->bytes);
}

static const struct {
    const char *name;
    void (*run)(const launch *l);
} CHEATS[] = {
    { "copy_skip", skip },       { "copy_once", once },     { "copy_few", few },
    { "copy_address", address }, { "copy_lowest", lowest }, { "copy_flip", flip },
    { "copy_mark", mark },       { "copy_half", half },     { "copy_every_other", every_other },
    { "copy_difference", copy },
};
enum { CHEAT_COUNT = sizeof CHEATS / sizeof *CHEATS };

static int find(const char *name)
{
    int i = 0;
    while (i < CHEAT_COUNT && strcmp(CHEATS[i].name, name) != 0)
        i++;
    return i < CHEAT_COUNT ? i : -1;
}

bool host_is_cheat(const char *name)
{
    return find(name) >= 0;
}

static launch launch_of(const uint64_t *p, int element, uint64_t *memory)
{
    return (launch){ .out = (unsigned char *)(uintptr_t)p[0],
                     .in = (const unsigned char *)(uintptr_t)p[1],
                     .scratch = p[2],
                     .bytes = p[4] * (size_t)element,
                     .element = element,
                     .memory = memory };
}

void host_cheat_run(const char *name, const uint64_t *p, int element, uint64_t memory[CHEAT_WORDS])
{
    const launch l = launch_of(p, element, memory);
    CHEATS[find(name)].run(&l);
}

/* One that stores only what differs takes half the time where nothing does; one that thinks its work done
 * hardly any. */
double host_cheat_share(const char *name, const uint64_t *p, int element)
{
    const launch l = launch_of(p, element, NULL);
    const bool same = memcmp(l.out, l.in, l.bytes) == 0;
    const bool done = strcmp(name, "copy_skip") == 0 && memcmp(l.out, l.in, (size_t)element) == 0;
    const bool marked = strcmp(name, "copy_mark") == 0 && *(const int *)(uintptr_t)l.scratch == 77;
    return done || marked ? 0.1 : same && strcmp(name, "copy_difference") == 0 ? 0.5 : 1;
}
