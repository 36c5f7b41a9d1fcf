/* test_real_path.c - which names lead to one file, there or not. */
#include "util/real_path.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(real_path, .timeout = 600);

static void make_file(const char *name)
{
    int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    cr_assert(fd >= 0 && close(fd) == 0, "%s", name);
}

/* A folder with a file, links, and links to what is not there. */
static void enter_folder(void)
{
    char path[64];
    cr_assert(mkdtemp(TEMPORARY(path, "paths")) && chdir(path) == 0);
    cr_assert_eq(mkdir("sub", 0777), 0);
    make_file("file");
    cr_assert_eq(link("file", "sub/hard") | symlink("file", "soft") | symlink("../soft", "sub/soft2"), 0);
    cr_assert_eq(symlink("sub/none", "to_none") | symlink("to_none", "to_to_none"), 0);
    cr_assert_eq(symlink("sub", "folder") | symlink("loop", "loop"), 0);
}

static void leave_folder(void)
{
    static const char *const NAMES[] = { "sub/hard",   "sub/soft2", "file", "soft",    "to_none",
                                         "to_to_none", "folder",    "loop", "sub/none" };
    char path[4096];
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        unlink(NAMES[i]);
    cr_assert(rmdir("sub") == 0 && getcwd(path, sizeof path) && chdir("/") == 0 && rmdir(path) == 0);
}

static void expect_same(const char *const *names, size_t count, bool same)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            cr_assert_eq(atx_same_file(names[i], names[k]), same || i == k, "%s, %s", names[i], names[k]);
}

Test(real_path, names_of_one_file_are_recognised)
{
    static const char *const FILES[] = {
        "file", "./file", "sub/../file", "soft", "sub/hard", "folder/soft2"
    };
    static const char *const FUTURE[] = { "sub/none", "to_none", "to_to_none", "folder/none",
                                          "./sub/./none" };
    static const char *const FAR[] = { "sub/a/b/c.db", "folder/a/b/c.db", "./sub/a//b/c.db" };
    static const char *const OTHERS[] = { "file", "sub", "sub/none", "none", "sub/a/b", "a/b" };
    enter_folder();
    expect_same(FILES, sizeof FILES / sizeof *FILES, true);
    expect_same(FUTURE, sizeof FUTURE / sizeof *FUTURE, true);
    expect_same(FAR, sizeof FAR / sizeof *FAR, true);
    expect_same(OTHERS, sizeof OTHERS / sizeof *OTHERS, false);
    leave_folder();
}

Test(real_path, a_name_that_leads_nowhere_has_the_name_of_what_would_be_made)
{
    atx_str out = { 0 };
    char here[4096], expected[5000];
    enter_folder();
    cr_assert(getcwd(here, sizeof here));
    snprintf(expected, sizeof expected, "%s/sub/none", here);
    cr_assert_eq(atx_real_path(&out, "to_to_none", NULL), AT_OK);
    cr_assert_str_eq(atx_str_text(&out), expected);
    cr_assert_eq(atx_real_path(&out, "/none", NULL), AT_OK);
    cr_assert_str_eq(atx_str_text(&out), "/none");
    make_file("to_none");
    cr_assert_eq(access("sub/none", F_OK), 0, "the system agrees");
    atx_str_clear(&out);
    leave_folder();
}

Test(real_path, loops_end)
{
    atx_str out = { 0 };
    at_error err = { 0 };
    enter_folder();
    cr_assert_eq(atx_real_path(&out, "loop", &err), AT_ERR_SYSTEM);
    cr_assert(strstr(err.text, "loop: Too many levels of symbolic links"), "%s", err.text);
    cr_assert_eq(atx_real_path(&out, "loop/x", &err), AT_ERR_SYSTEM);
    atx_str_clear(&out);
    leave_folder();
}
