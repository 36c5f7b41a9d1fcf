/* test_instance_need.c - how much memory a container has left, by the files of its control group. */
#include "explain/instance_need.h"

#include "store_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/stat.h>

TestSuite(instance_need);

static void write_in(const folder *f, const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* A build has just read 3 GB of sources: the kernel gives them back before anybody is refused memory. */
Test(instance_need, files_and_names_that_a_container_holds_in_memory_are_free)
{
    folder f = folder_make();
    write_in(&f, "memory.max", "8000\n");
    write_in(&f, "memory.current", "7500\n");
    write_in(&f, "memory.stat",
             "anon 900\nfile 6100\nshmem 100\ninactive_file 1000\nactive_file 5000\nslab_reclaimable 300\n"
             "slab_unreclaimable 200\n");
    cr_assert_eq(atx_group_memory(f.path), 8000 - (7500 - 1000 - 5000 - 300));
    folder_remove(&f);
}

Test(instance_need, so_are_those_of_an_older_kernel)
{
    folder f = folder_make();
    char path[400];
    snprintf(path, sizeof path, "%s/memory", f.path);
    cr_assert_eq(mkdir(path, 0777), 0);
    write_in(&f, "memory/memory.limit_in_bytes", "8000\n");
    write_in(&f, "memory/memory.usage_in_bytes", "7500\n");
    write_in(&f, "memory/memory.stat", "cache 6000\nrss 900\ninactive_file 1000\nactive_file 5000\n");
    cr_assert_eq(atx_group_memory(f.path), 8000 - 1500);
    folder_remove(&f);
}

Test(instance_need, a_group_without_a_limit_leaves_everything)
{
    folder f = folder_make();
    cr_assert_eq(atx_group_memory(f.path), INT64_MAX);
    write_in(&f, "memory.max", "max\n");
    write_in(&f, "memory.current", "7500\n");
    cr_assert_eq(atx_group_memory(f.path), INT64_MAX);
    folder_remove(&f);
}
