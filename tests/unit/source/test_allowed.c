/* test_allowed.c - which files a folder of templates may have read, and what a refusal says. */
#include "source/allowed.h"

#include "scratch_support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The folder of templates is `work/kernels`, the working directory `work`, and `lib` is beside it. */
static void begin(void)
{
    static const char *const FOLDERS[] = { "lib", "home", "work", "work/kernels", "work/.git" };
    static const char *const FILES[] = { "lib/l.h",           "secret",           "work/w.cu",
                                         "work/kernels/k.cu", "work/.git/config", "work/kernels/.own" };
    enter_scratch();
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++)
        cr_assert_eq(mkdir(FOLDERS[i], 0777), 0);
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++)
        fclose(fopen(FILES[i], "w"));
    cr_assert_eq(symlink("../../secret", "work/kernels/link"), 0);
    cr_assert_eq(symlink("..", "work/up"), 0);
    cr_assert_eq(chdir("work"), 0);
    setenv("HOME", "../home", 1);
}

TestSuite(allowed, .init = begin, .fini = leave_scratch);

static at_status check_with(const char *allow, const atx_headers *headers, const char *path, at_error *err)
{
    atx_allowed *allowed = NULL;
    at_status status = atx_allowed_open(&allowed, "kernels", allow, headers, err);
    if (status == AT_OK)
        status = atx_allowed_check(allowed, path, err);
    atx_allowed_close(allowed);
    return status;
}

static bool is_allowed(const char *path)
{
    return check_with(NULL, NULL, path, NULL) == AT_OK;
}

Test(allowed, own_files_and_those_of_the_working_directory)
{
    cr_expect(is_allowed("kernels/k.cu"));
    cr_expect(is_allowed("kernels/.own"));
    cr_expect(is_allowed("kernels/../w.cu"));
    cr_expect(is_allowed("kernels/none.cu"), "it is not there: reading it says so");
}

Test(allowed, nothing_outside_by_whatever_name)
{
    static const char *const NAMES[] = { "../secret",   "kernels/link",
                                         "up/secret",   "kernels/../../secret",
                                         "/etc/passwd", "/",
                                         "..",          "../lib/l.h" };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        cr_expect(!is_allowed(NAMES[i]), "%s", NAMES[i]);
}

Test(allowed, nothing_hidden_in_the_working_directory)
{
    cr_expect(!is_allowed(".git/config"));
}

/* A name that only begins as a folder's is not in it. */
Test(allowed, a_folder_beside_with_a_longer_name)
{
    cr_assert_eq(mkdir("../work2", 0777), 0);
    fclose(fopen("../work2/a", "w"));
    cr_expect(!is_allowed("../work2/a"));
}

Test(allowed, the_home_directory_is_no_working_directory)
{
    char here[200];
    at_error err = { 0 };
    cr_assert_not_null(getcwd(here, sizeof here));
    setenv("HOME", here, 1);
    cr_expect_eq(check_with(NULL, NULL, "w.cu", &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "it holds the home directory"), "%s", err.text);
    cr_expect(is_allowed("kernels/k.cu"));
    setenv("HOME", "kernels", 1);
    cr_expect(!is_allowed("w.cu"), "nor one above it");
}

Test(allowed, folders_that_the_user_names)
{
    atx_headers *headers = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_headers_open(&headers, "../lib", &err), AT_OK, "%s", err.text);
    cr_expect_eq(check_with(NULL, headers, "../lib/l.h", &err), AT_OK, "%s", err.text);
    atx_headers_close(headers);
    cr_expect_eq(check_with("../home:../lib", NULL, "../lib/l.h", &err), AT_OK, "%s", err.text);
    cr_expect_eq(check_with("../home:../lib", NULL, "../secret", NULL), AT_ERR_INPUT);
    cr_expect_eq(check_with("/", NULL, "../secret", &err), AT_OK, "%s", err.text);
    cr_expect_eq(check_with("../none", NULL, "w.cu", &err), AT_ERR_USAGE);
    cr_expect(strstr(err.text, "allow: ../none: No such file or directory; expected a folder"), "%s",
              err.text);
}

/* Such a folder keeps the name of its link: between folders stands ':'. */
Test(allowed, a_folder_with_a_colon_by_the_name_of_a_link)
{
    at_error err = { 0 };
    cr_assert_eq(rename("../lib", "../l:b"), 0);
    cr_assert_eq(symlink("l:b", "../link"), 0);
    cr_expect_eq(check_with("../link", NULL, "../link/l.h", &err), AT_OK, "%s", err.text);
    cr_expect_eq(check_with("../link", NULL, "../secret", NULL), AT_ERR_INPUT);
}

Test(allowed, a_refusal_names_the_file_and_the_option)
{
    at_error err = { 0 };
    char text[400];
    cr_assert_eq(check_with(NULL, NULL, "kernels/link", &err), AT_ERR_INPUT);
    snprintf(text, sizeof text, "kernels/link, which is %s/secret: found a file outside", scratch.path);
    cr_expect(strstr(err.text, text), "%s", err.text);
    snprintf(text, sizeof text, "or --allow %s (`allow` in a program, AUTOTUNE_ALLOW)", scratch.path);
    cr_expect(strstr(err.text, text), "%s", err.text);
}
