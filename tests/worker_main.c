/* worker_main.c - a compile worker and nothing else: what the tests put in $AUTOTUNE_EXE. */
#include "pool.h"

#include <string.h>

int main(int argc, char **argv)
{
    return argc == 2 && strcmp(argv[1], "__compile") == 0 ? at__pool_worker_main() : 2;
}
