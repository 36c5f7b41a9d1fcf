/*
 * script.h - the properties and faults of the scripted driver, as a test sets them.
 *
 * One setting a line, words between blanks; '#' starts a comment. THREADS is a block's number of threads, or
 * *; NAME a kernel's name, with * and ? as in a shell.
 *
 *   element 4                    bytes of the elements that kernels move (default 4)
 *   memory 1000000               of the device, in bytes;  free N: likewise
 *   l2 1048576                   bytes of the L2 cache
 *   count 2                      devices; CUDA_VISIBLE_DEVICES names those that are shown
 *   cuda 12040                   version that the driver supports (default 13000)
 *   on 1                         what follows, up to the next such line, holds for one device
 *   counted PATH                 there are devices only while this file exists; counting them removes it
 *   gone PATH                    there is no device while this file exists
 *   pace 1                       waiting takes this many times what the device takes (default 0: no time)
 *   noise 0.02                   times vary by so much
 *   warm 0.5                     a launch that finds its input in the L2 takes this many times as long
 *                                (default 0: as long as any)
 *   touch 64                     of each of its buffers a launch reads or writes so much (default 0: all)
 *   times nan                    or zero, negative, endless: readings of the stopwatch
 *   log PATH                     the name of every call is appended to this file
 *   slow CALL MS                 a call takes so long
 *   time NAME THREADS NS         how long a launch takes; the first that fits counts. Without
 *                                one: 10 to 20 us, by the code and the geometry
 *   late N NS                    the N-th time that the stopwatch is read, the host was away between
 *                                its two events for so long
 *   energy NAME THREADS UJ       microjoules of a launch, which scripted_nvml.c counts (default 0)
 *   kernel NAME THREADS ACTION   its fault: wrong, unwritten, behind, before, input,
 *                                far, hang, refused, or a driver's code, which then is the
 *                                context's for good
 *   fail CALL N CODE             the N-th time that this process calls CALL (*: any), it fails so
 *   hold NAME PATH               a kernel is found only when this file is there, or after 1.5 s: so a run
 * goes on slowly until it has come to what the test is about, however busy the machine is
 *
 * After `kernel`, `fail`, `slow` and, before it waits, `hold`:
 *
 *   once PATH      only while the file exists; doing it removes it
 *   while PATH     only while the file exists; a slow call then lasts no longer than the file
 *   create PATH    makes a file when it happens
 *   sticky         the code is the context's for good
 *   code N         of `refused`; without it 1, an invalid value
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_RULES = 64, MAX_WORD = 200 };

/* Driver codes that tests use, by their numbers in <cuda.h>. */
enum {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_IMAGE = 200,
    ILLEGAL_ADDRESS = 700,
    COOPERATIVE_TOO_LARGE = 720,
    NOT_SUPPORTED = 801
};

typedef enum action {
    RIGHT,
    WRONG,     /* one element               */
    UNWRITTEN, /* the last element          */
    BEHIND,
    BEFORE,
    INPUT,
    FAR, /* the start of all other memory */
    HANG,
    REFUSED, /* the launch itself         */
    FAULT    /* seen by whoever waits     */
} action;

typedef struct rule {
    char what[MAX_WORD]; /* a kernel or a call */
    int threads;         /* 0: any             */
    long at, seen;
    action action;
    int code;
    bool sticky;
    double ns; /* of energy: microjoules */
    char once[MAX_WORD], during[MAX_WORD], create[MAX_WORD];
    char until[MAX_WORD]; /* of hold */
} rule;

typedef struct rules {
    rule list[MAX_RULES];
    int count;
} rules;

typedef struct script {
    int element, devices, cuda;
    int64_t memory_bytes, free_bytes, l2_bytes, touch_bytes;
    bool sections; /* lines that begin with `on` */
    double pace, noise, warm;
    char times[MAX_WORD], log[MAX_WORD], counted[MAX_WORD], gone[MAX_WORD];
    rules time, energy, kernel, fail, slow, late, hold;
} script;

/* Ends the process, with a message, at a line that says nothing known: a test would test nothing. */
void script_read(script *out, const char *text);

/* $AT_SCRIPT names the file; without it everything has its default. */
void script_read_file(script *out);

/* Anew, now that it is known for which device. */
void script_read_on(script *out, int device);

/* The first rule for a kernel that fits; NULL: none. Does not look at `once`. */
rule *script_find(rules *list, const char *name, int threads);

/* Whether a rule applies now: uses up its `once`, makes its `create`. */
bool script_happens(const rule *r);
