/* test_out_file.c - outputs: whole or not at all, and what was there before stays until then. */
#include "util/out_file.h"

#include "util/str.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

int __real_link(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);

static enum { AS_IT_IS, NO_LINKS, SOMEBODY_IS_FIRST } links;

static char folder[64];

static void enter(void)
{
    cr_assert(mkdtemp(TEMPORARY(folder, "out")) && chdir(folder) == 0);
    umask(022);
}

static int entries(bool remove_them)
{
    int count = 0;
    DIR *dir = opendir(".");
    for (struct dirent *e; (e = readdir(dir));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            count++;
            if (remove_them)
                remove(e->d_name);
        }
    closedir(dir);
    return count;
}

static void leave(void)
{
    entries(true);
    cr_assert(chdir("/") == 0 && rmdir(folder) == 0);
}

TestSuite(out_file, .timeout = 600, .init = enter, .fini = leave);

static void expect_text(const char *name, const char *text)
{
    atx_str found = { 0 };
    cr_assert_eq(atx_str_read_file(&found, name, 1 << 20, NULL), AT_OK);
    cr_assert_str_eq(atx_str_text(&found), text);
    atx_str_clear(&found);
}

static void put(const char *name, const char *text, mode_t mode)
{
    FILE *file = fopen(name, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0 && chmod(name, mode) == 0);
}

static atx_out_file *open_ok(const char *path)
{
    atx_out_file *file = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_out_open(&file, path, &err), AT_OK, "%s", err.text);
    return file;
}

static void write_ok(const char *path, const char *text)
{
    at_error err = { 0 };
    atx_out_file *file = open_ok(path);
    cr_assert(atx_out_write(file, text, strlen(text)));
    cr_assert_eq(atx_out_commit(file, &err), AT_OK, "%s", err.text);
}

static mode_t mode_of(const char *name)
{
    struct stat info;
    cr_assert_eq(stat(name, &info), 0);
    return info.st_mode & 07777;
}

Test(out_file, what_was_there_stays_until_all_is_written)
{
    put("x", "before", 0640);
    atx_out_file *file = open_ok("x");
    cr_assert(atx_out_write(file, "after", 5));
    expect_text("x", "before");
    cr_assert_eq(atx_out_commit(file, NULL), AT_OK);
    expect_text("x", "after");
    cr_assert_eq(mode_of("x"), 0640, "it keeps its permissions");
    atx_out_discard(open_ok("x"));
    atx_out_discard(open_ok("new"));
    expect_text("x", "after");
    cr_assert_eq(entries(false), 1);
}

Test(out_file, a_new_file_has_the_permissions_of_any_new_file)
{
    write_ok("x", "text");
    cr_assert_eq(mode_of("x"), 0644);
    umask(002);
    write_ok("y", "text");
    cr_assert_eq(mode_of("y"), 0664);
    write_ok("empty", "");
    expect_text("empty", "");
}

int __wrap_link(const char *from, const char *to)
{
    if (links == SOMEBODY_IS_FIRST)
        put(to, "theirs", 0644);
    if (links != NO_LINKS)
        return __real_link(from, to);
    errno = EPERM; /* as FAT has it */
    return -1;
}

static void expect_taken(const char *name)
{
    at_error err = { 0 };
    cr_expect_eq(atx_out_write_new(name, "ours", 4, &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "is there, and nothing is overwritten"), "%s", err.text);
}

Test(out_file, a_new_file_takes_no_place_of_another)
{
    at_error err = { 0 };
    for (links = AS_IT_IS; links <= NO_LINKS; links++) {
        put("there", "theirs", 0644);
        cr_assert_eq(symlink("nowhere", "dangling"), 0);
        expect_taken("there");
        expect_taken("dangling");
        expect_text("there", "theirs");
        cr_expect_eq(entries(false), 2);
        cr_expect_eq(atx_out_write_new("new", "ours", 4, &err), AT_OK, "%s", err.text);
        expect_text("new", "ours");
        cr_expect_eq(mode_of("new"), 0644);
        cr_expect_eq(entries(true), 3);
    }
}

Test(out_file, what_comes_between_a_look_and_the_last_step_stays)
{
    links = SOMEBODY_IS_FIRST;
    expect_taken("x");
    expect_text("x", "theirs");
    cr_expect_eq(entries(false), 1);
}

Test(out_file, links_stay_links)
{
    struct stat info;
    cr_assert_eq(symlink("real", "soft") | symlink("soft", "soft2"), 0);
    for (int i = 0; i < 2; i++) { /* not there yet, and there */
        write_ok("soft2", i ? "two" : "one");
        expect_text("real", i ? "two" : "one");
        cr_assert(lstat("soft2", &info) == 0 && S_ISLNK(info.st_mode));
        cr_assert(lstat("real", &info) == 0 && S_ISREG(info.st_mode));
    }
}

/* A file that may not grow stands for a disk that is full. */
Test(out_file, a_full_disk_keeps_what_was_there)
{
    static char text[100000];
    at_error err = { 0 };
    struct rlimit small = { 20000, RLIM_INFINITY };
    put("x", "before", 0644);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    memset(text, 'x', sizeof text);
    atx_out_file *file = open_ok("x");
    cr_assert(!atx_out_write(file, text, sizeof text));
    cr_assert(!atx_out_write(file, "y", 1), "nothing more is tried");
    cr_assert_eq(atx_out_commit(file, &err), AT_ERR_SYSTEM);
    cr_assert_str_eq(err.text, "x: could not be written: File too large; it is as it was");
    expect_text("x", "before");

    /* So little that only the last flush meets it. */
    small.rlim_cur = 10;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    file = open_ok("x");
    cr_assert(atx_out_write(file, text, 100));
    cr_assert_eq(atx_out_commit(file, &err), AT_ERR_SYSTEM);
    expect_text("x", "before");
    cr_assert_eq(entries(false), 1, "nothing is left beside it");
}

Test(out_file, a_full_device_is_told)
{
    at_error err = { 0 };
    atx_out_file *file = open_ok("/dev/full");
    cr_assert(atx_out_write(file, "text", 4));
    cr_assert_eq(atx_out_commit(file, &err), AT_ERR_SYSTEM);
    cr_assert_str_eq(err.text, "/dev/full: could not be written: No space left on device");
}

static void *read_pipe(void *out)
{
    FILE *file = fopen("pipe", "r");
    cr_assert(file && fgets(out, 100, file));
    fclose(file);
    return NULL;
}

Test(out_file, a_pipe_is_written_and_stays_one)
{
    char seen[100] = "";
    struct stat info;
    pthread_t reader;
    cr_assert_eq(mkfifo("pipe", 0644), 0);
    cr_assert_eq(pthread_create(&reader, NULL, read_pipe, seen), 0);
    write_ok("pipe", "through\n");
    pthread_join(reader, NULL);
    cr_assert_str_eq(seen, "through\n");
    cr_assert(lstat("pipe", &info) == 0 && S_ISFIFO(info.st_mode));
}

/* `{ echo head; autotune dump -o /dev/fd/3; echo tail; } 3>x` */
Test(out_file, a_descriptor_goes_on_where_it_is)
{
    char names[2][40];
    int fd = open("x", O_CREAT | O_WRONLY, 0644);
    cr_assert(fd >= 0 && write(fd, "head ", 5) == 5);
    snprintf(names[0], sizeof names[0], "/dev/fd/%d", fd);
    snprintf(names[1], sizeof names[1], "/proc/self/fd/%d", fd);
    write_ok(names[0], "one ");
    write_ok(names[1], "two ");
    cr_assert(write(fd, "tail", 4) == 4);
    close(fd);
    expect_text("x", "head one two tail");
}

Test(out_file, the_file_that_stdout_is_goes_on_too)
{
    static const char *const NAMES[] = { "/dev/stdout", "-", NULL, "x", "soft" };
    int fd = open("x", O_CREAT | O_WRONLY | O_APPEND, 0644);
    cr_assert_eq(symlink("/dev/stdout", "soft"), 0);
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    cr_assert(fd >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        write_ok(NAMES[i], "more ");
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(fd);
    expect_text("x", "more more more more more ");
}

static void expect_refused(const char *path, at_status expected, const char *text)
{
    atx_out_file *file = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_out_open(&file, path, &err), expected, "%s", path);
    cr_assert_str_eq(err.text, text);
    cr_assert(!file);
}

Test(out_file, what_cannot_be_written_is_refused)
{
    cr_assert_eq(mkdir("sub", 0777), 0);
    expect_refused("", AT_ERR_USAGE, "-o: found an empty name; expected a file, or - for stdout");
    expect_refused("sub", AT_ERR_USAGE, "-o: 'sub' is a directory; expected a file, or - for stdout");
    expect_refused("none/x", AT_ERR_SYSTEM, "none/x: cannot be written: its folder does not exist");
    expect_refused("/dev/fd/999", AT_ERR_SYSTEM, "/dev/fd/999: cannot be written: Bad file descriptor");
    cr_assert_eq(entries(false), 1);
}

/* Permissions mean nothing to root. */
Test(out_file, permissions_count_as_they_do_for_a_shell)
{
    cr_assert_eq(mkdir("sub", 0777), 0);
    put("protected", "before", 0444);
    put("sub/open", "before", 0666);
    cr_assert_eq(chmod(".", 0777) | chmod("sub", 0555), 0);
    if (geteuid() == 0)
        cr_assert_eq(seteuid(65534), 0);
    expect_refused("protected", AT_ERR_SYSTEM, "protected: cannot be written: Permission denied");
    expect_refused("sub/new", AT_ERR_SYSTEM, "sub/new: cannot be written: Permission denied");
    write_ok("sub/open", "after"); /* in a folder that takes no file beside it */
    expect_text("sub/open", "after");
    if (getuid() == 0)
        cr_assert_eq(seteuid(0), 0);
    cr_assert_eq(chmod("sub", 0777) | remove("sub/open"), 0);
}

/* Its reader takes the end of the first writer for the end of all. */
Test(out_file, looking_whether_a_pipe_can_be_written_does_not_end_it)
{
    at_error err = { 0 };
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    int reader = open("pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct pollfd fd = { .fd = reader, .events = POLLIN };
    cr_assert_geq(reader, 0);
    cr_assert_eq(atx_out_check("pipe", &err), AT_OK, "%s", err.text);
    cr_assert_eq(poll(&fd, 1, 0), 0, "nobody has written and gone");
    close(reader);
}
