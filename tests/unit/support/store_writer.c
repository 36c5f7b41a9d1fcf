/*
 * store_writer.c - a process that the store's tests start, and kill: store_writer FILE COUNT FIRST writes
 * batches and says the number of each once it is stored; with LIMIT, in bytes, kernels into a cache.
 */
#include "store_support.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc == 5)
        return store_write_kernels(argv[1], atoi(argv[2]), atoi(argv[3]), atoll(argv[4]), stdout);
    if (argc != 4)
        return 2;
    return store_write_batches(argv[1], atoi(argv[2]), atoi(argv[3]), stdout);
}
