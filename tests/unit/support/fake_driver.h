/* fake_driver.h - a libcuda.so.1 without a GPU: it takes kernels and records the launches.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { FAKE_ATTRIBUTES = 4, FAKE_PARAMS = 64 };

typedef struct fake_record {
    int loads, unloads, launches;
    unsigned grid[3], block[3], shared_bytes;
    int64_t params[5]; /* of the last launch: transpose has five */
    void *stream;
    const void *attributes; /* of that launch */
    unsigned attribute_count;
    int attribute_ids[FAKE_ATTRIBUTES]; /* the first of them, as cuda.h numbers them */
    unsigned attribute_values[FAKE_ATTRIBUTES][3];
    void *waited;                   /* the stream that was last waited for */
    void *current;                  /* the context of the thread that asks */
    int64_t later[FAKE_PARAMS - 5]; /* parameters behind `params` */
} fake_record;

#define FAKE_PRIMARY 0xc0deu  /* the primary context */
#define FAKE_MEMORY  0x10000u /* below it there is no memory of the device */

/* Where the variables of every module are. */
#define FAKE_VARIABLE 0x5000000u

/* The last copy within the device, and how many launches there were before it. */
typedef struct fake_copy {
    uint64_t to, from, bytes;
    void *stream;
    int launches;
} fake_copy;
fake_copy fake_copied(void);

/* Found with dlsym. A context is any number but 0; the calling thread's own. */
typedef fake_record fake_read_call(void);
int fake_use_context(uintptr_t context);
fake_record fake_read(void);
size_t fake_record_bytes(void);  /* for callers in other languages, whose record must be as large */
size_t fake_name_len(void);      /* of the kernel that was last asked for */
void fake_use_cuda(int version); /* supported from now on, 13000 at first */
void fake_capture(int on);       /* from now on this thread's streams are being captured, or not */

/* Requests that the device refuses from now on. NULL, and 0: none. */
void fake_refuse_code(const char *text); /* to load code that has this text in it           */
void fake_limit_shared(int bytes);       /* dynamic shared memory beyond this               */
void fake_limit_threads(int count);      /* what it says a block of any kernel can have     */
void fake_limit_resident(int count);     /* blocks of a multiprocessor, or clusters, at once */
