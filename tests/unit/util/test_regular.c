/* test_regular.c - files that must be regular ones: what is none is refused, and nothing waits for it. */
#include "util/regular.h"

#include "scratch_support.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

TestSuite(regular, .init = enter_scratch, .fini = leave_scratch, .timeout = 60);

static void expect_refused(const char *path, const char *says)
{
    atx_str text = { 0 };
    at_error err = { 0 };
    cr_expect_eq(atx_regular_read(&text, path, 100, &err), AT_ERR_INPUT, "%s", path);
    cr_expect(strstr(err.text, says), "%s", err.text);
    cr_expect_null(text.data);
}

Test(regular, what_is_no_file_is_named)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "socket" };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    cr_assert_eq(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    cr_assert_eq(symlink("pipe", "link"), 0);
    expect_refused("pipe", "pipe: found a pipe; expected a regular file");
    expect_refused("link", "link: found a pipe; expected a regular file");
    expect_refused("socket", "socket: found a socket; expected a regular file");
    expect_refused(".", ".: found a folder; expected a regular file");
    expect_refused("/dev/zero", "/dev/zero: found a device; expected a regular file");
    expect_refused("none", "none: No such file or directory");
    close(fd);
}

Test(regular, a_file_is_read_whole_or_not_at_all)
{
    atx_str text = { 0 };
    FILE *file = fopen("file", "w");
    fputs("0123456789", file);
    fclose(file);
    cr_assert_eq(atx_regular_read(&text, "file", 10, NULL), AT_OK);
    cr_assert_str_eq(atx_str_text(&text), "0123456789");
    atx_str_clear(&text);
    cr_assert_eq(atx_regular_read(&text, "file", 9, NULL), AT_ERR_INPUT);
}
