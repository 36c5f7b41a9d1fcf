/* test_file_hash.c - the hash of a file's contents, and the list that saves reading a large one again. */
#include "util/file_hash.h"
#include "util/str.h"

#include "scratch_support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LARGE = (1 << 20) + 1 };

static void begin(void)
{
    char here[200];
    enter_scratch();
    cr_assert_not_null(getcwd(here, sizeof here));
    setenv("XDG_CACHE_HOME", here, 1);
}

TestSuite(file_hash, .init = begin, .fini = leave_scratch);

static void put(const char *name, size_t size, char fill)
{
    char *bytes = malloc(size);
    memset(bytes, fill, size);
    FILE *file = fopen(name, "w");
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(bytes);
}

/* Until the file's times are older than a second change could be. */
static void wait_until_old(const char *name)
{
    struct stat info;
    do {
        nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
        cr_assert_eq(stat(name, &info), 0);
    } while (time(NULL) - info.st_ctim.tv_sec <= 2);
}

/* As if it had changed just now, however long this process waits for a processor. */
static void change_later(const char *name)
{
    const struct timespec later = { .tv_sec = time(NULL) + 3600 }, times[2] = { later, later };
    cr_assert_eq(utimensat(AT_FDCWD, name, times, 0), 0);
}

static void hash_of(char hash[ATX_HASH_TEXT], const char *name)
{
    struct stat info;
    at_error err = { 0 };
    cr_assert_eq(atx_file_hash(hash, &info, name, &err), AT_OK, "%s", err.text);
}

/* Of the contents as they are, read here. */
static void expect_right(const char *name)
{
    char hash[ATX_HASH_TEXT], right[ATX_HASH_TEXT];
    atx_str text = { 0 };
    cr_assert_eq(atx_str_read_file(&text, name, 2 * LARGE, NULL), AT_OK);
    atx_hash_text(right, text.data, text.len);
    atx_str_clear(&text);
    hash_of(hash, name);
    cr_expect_str_eq(hash, right, "%s", name);
}

static void read_list(atx_str *list)
{
    cr_assert_eq(atx_str_read_file(list, "autotune/contents", 1 << 20, NULL), AT_OK);
}

Test(file_hash, small_and_large_files_have_that_of_their_contents)
{
    put("small", 10, 'a');
    expect_right("small");
    put("large", LARGE, 'a');
    change_later("large");
    expect_right("large");
    put("large", LARGE, 'b');
    change_later("large");
    expect_right("large");
    cr_expect_neq(access("autotune/contents", F_OK), 0, "what may have changed again is not written down");
}

/* Seen by what the list says: it is believed. */
Test(file_hash, a_large_file_that_did_not_change_is_not_read_again)
{
    char hash[ATX_HASH_TEXT], other[ATX_HASH_TEXT];
    atx_str list = { 0 };
    put("large", LARGE, 'a');
    wait_until_old("large");
    expect_right("large");
    read_list(&list);
    char *written = strrchr(list.data, ' ');
    memset(written + 1, '7', ATX_HASH_TEXT - 1);
    FILE *file = fopen("autotune/contents", "w");
    fputs(list.data, file);
    fclose(file);
    memset(other, '7', sizeof other - 1);
    other[sizeof other - 1] = '\0';
    hash_of(hash, "large");
    cr_expect_str_eq(hash, other);
    put("large", LARGE, 'b');
    expect_right("large");
    atx_str_clear(&list);
}

Test(file_hash, a_damaged_list_is_no_harm)
{
    static const char *const BAD[] = { "", "\n\n", "1 2 3", "autotune\0", "1 2 3 4 5 zzz\n" };
    put("large", LARGE, 'a');
    wait_until_old("large");
    cr_assert_eq(mkdir("autotune", 0700), 0);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        FILE *file = fopen("autotune/contents", "w");
        fputs(BAD[i], file);
        fclose(file);
        expect_right("large");
        expect_right("large");
    }
    remove("autotune/contents");
    cr_assert_eq(mkfifo("autotune/contents", 0600), 0);
    expect_right("large");
}
