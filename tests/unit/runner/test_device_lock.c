/* test_device_lock.c - runs on one device take turns, also those of different users. */
#include "runner/device_lock.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define UUID   "GPU-5c5c5c5c"
#define NOBODY 65534

static char folder[64];
static atx_device_lock first, second;
static char why[200];

static void begin(void)
{
    TEMPORARY(folder, "device-lock");
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chmod(folder, 01777), 0); /* as /tmp is */
}

static void end(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    (void)!system(command);
}

TestSuite(device_lock, .init = begin, .fini = end, .timeout = 600);

static void path_of(char out[200], const char *kind)
{
    snprintf(out, 200, "%s/autotune-" UUID ".%s", folder, kind);
}

static void open_both(void)
{
    cr_assert(atx_device_lock_open(&first, folder, UUID, why, sizeof why), "%s", why);
    cr_assert(atx_device_lock_open(&second, folder, UUID, why, sizeof why), "%s", why);
}

static void close_both(void)
{
    atx_device_lock_close(&first);
    atx_device_lock_close(&second);
}

Test(device_lock, one_has_the_device_at_a_time)
{
    open_both();
    cr_assert(atx_device_lock_try(&first));
    cr_assert_not(atx_device_lock_try(&second));
    atx_device_lock_end(&first);
    atx_device_lock_wait(&second);
    cr_assert_not(atx_device_lock_try(&first));
    atx_device_lock_end(&second);
    cr_assert(atx_device_lock_try(&first));
    close_both();
}

Test(device_lock, whoever_waits_is_not_overtaken)
{
    open_both();
    cr_assert(atx_device_lock_try(&first));
    cr_assert_not(atx_device_lock_try(&second), "it stands in the door now");
    atx_device_lock_end(&first);
    cr_assert_not(atx_device_lock_try(&first), "the other one was there before");
    atx_device_lock_wait(&second);
    close_both();
}

/* What a user without rights finds when the first has the device; exit codes tell. */
static int as_nobody(void)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        atx_device_lock mine;
        if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
            _exit(9);
        if (!atx_device_lock_open(&mine, folder, UUID, why, sizeof why))
            _exit(8);
        _exit(atx_device_lock_try(&mine) ? 7 : 0);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void need_root(void)
{
    if (geteuid() != 0)
        cr_skip_test("only root can be two users");
}

Test(device_lock, of_two_users_whatever_the_mask_of_the_first)
{
    char path[200];
    struct stat info;
    need_root();
    umask(077);
    cr_assert(atx_device_lock_open(&first, folder, UUID, why, sizeof why), "%s", why);
    path_of(path, "lock");
    cr_assert_eq(stat(path, &info), 0);
    cr_assert_eq(info.st_mode & 0777, 0666, "mode %o", info.st_mode & 0777);
    cr_assert(atx_device_lock_try(&first));
    int found = as_nobody();
    cr_assert_eq(found, 0, "7: both have the device, 8: no lock could be had; found %d", found);
    atx_device_lock_close(&first);
}

/* As an older autotune or another program left them. */
Test(device_lock, with_files_that_others_may_only_read)
{
    char path[200];
    static const char *const KINDS[] = { "lock", "door" };
    need_root();
    for (int i = 0; i < 2; i++) {
        path_of(path, KINDS[i]);
        close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
        cr_assert_eq(chmod(path, 0644), 0);
    }
    cr_assert(atx_device_lock_open(&first, folder, UUID, why, sizeof why), "%s", why);
    cr_assert(atx_device_lock_try(&first));
    cr_assert_eq(as_nobody(), 0);
    atx_device_lock_close(&first);
}

/* Nothing to take turns with: it says which file, and why; trying and ending are harmless. */
static void expect_none(const char *words)
{
    cr_assert_not(atx_device_lock_open(&first, folder, UUID, why, sizeof why));
    cr_assert(strstr(why, words) && strstr(why, "/autotune-" UUID "."), "%s", why);
    cr_assert(atx_device_lock_try(&first));
    atx_device_lock_wait(&first);
    atx_device_lock_end(&first);
    atx_device_lock_close(&first);
}

Test(device_lock, no_link_is_followed)
{
    char path[200], target[200];
    path_of(path, "lock");
    snprintf(target, sizeof target, "%s/elsewhere", folder);
    cr_assert_eq(symlink(target, path), 0);
    expect_none("is a symbolic link");
    cr_assert_neq(access(target, F_OK), 0);
}

Test(device_lock, what_is_no_file_is_refused_and_not_waited_for)
{
    char path[200];
    path_of(path, "door");
    cr_assert_eq(mkfifo(path, 0666), 0);
    expect_none("is no regular file");
}

Test(device_lock, without_permission_it_says_so)
{
    need_root();
    char path[200];
    path_of(path, "lock");
    close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    cr_assert_eq(as_nobody(), 8);
}

Test(device_lock, children_do_not_inherit_them)
{
    cr_assert(atx_device_lock_open(&first, folder, UUID, why, sizeof why), "%s", why);
    cr_assert(fcntl(first.door, F_GETFD) & FD_CLOEXEC);
    cr_assert(fcntl(first.device, F_GETFD) & FD_CLOEXEC);
    atx_device_lock_close(&first);
}
