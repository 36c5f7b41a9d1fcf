/* test_beside.c - files beside others: what a killed process left behind goes, what somebody holds stays. */
#include "util/beside.h"

#include "scratch_support.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

TestSuite(beside, .init = enter_scratch, .fini = leave_scratch, .timeout = 120);

/* A process that has made one for `path`, with a file named after it, and holds it until it is killed. */
static pid_t hold(atx_str *name, const char *path)
{
    int made[2];
    cr_assert_eq(pipe(made), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char after[200];
        int fd = atx_make_beside(name, path, 0600);
        snprintf(after, sizeof after, "%s-db", name->data);
        fclose(fopen(after, "w"));
        if (fd < 0 || write(made[1], name->data, name->len + 1) < 0)
            _exit(1);
        for (;;)
            pause();
    }
    char text[200];
    ssize_t len = read(made[0], text, sizeof text);
    cr_assert_gt(len, 0);
    atx_str_add(name, text);
    close(made[0]);
    close(made[1]);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    cr_assert_eq(waitpid(pid, NULL, 0), pid);
}

static bool is_there(const atx_str *name, const char *ending)
{
    char path[300];
    snprintf(path, sizeof path, "%s%s", atx_str_text(name), ending);
    return access(path, F_OK) == 0;
}

static void make_another(const char *path)
{
    atx_str name = { 0 };
    int fd = atx_make_beside(&name, path, 0600);
    cr_assert_geq(fd, 0);
    unlink(name.data);
    close(fd);
    atx_str_clear(&name);
}

Test(beside, what_was_left_behind_goes_and_what_is_held_stays)
{
    atx_str dead = { 0 }, alive = { 0 }, other = { 0 };
    pid_t first = hold(&dead, "a.db"), second = hold(&alive, "a.db"), third = hold(&other, "b.db");
    end(first);
    end(third);
    cr_assert(is_there(&dead, "") && is_there(&dead, "-db"), "a kill leaves them");
    make_another("a.db");
    cr_expect(!is_there(&dead, "") && !is_there(&dead, "-db"));
    cr_expect(is_there(&alive, "") && is_there(&alive, "-db"));
    cr_expect(is_there(&other, ""), "it is of another file");
    end(second);
    make_another("./a.db");
    cr_expect(!is_there(&alive, "") && !is_there(&alive, "-db"));
    atx_str_clear(&dead);
    atx_str_clear(&alive);
    atx_str_clear(&other);
}

/* Names that are alike, and a link: nobody else's files are touched. */
Test(beside, files_of_others_stay)
{
    static const char *const NAMES[] = { "a.db",
                                         "a.db.1-0.new",
                                         "a.db.autotune-1.new",
                                         "a.db.autotune-1-0.new2",
                                         "a.db.autotune-x-0.new",
                                         "a.db.autotune--0.new",
                                         "xa.db.autotune-1-0.new",
                                         "a.db.autotune-1-0" };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        fclose(fopen(NAMES[i], "w"));
    cr_assert_eq(symlink("a.db", "a.db.autotune-7-0.new"), 0);
    make_another("a.db");
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        cr_expect_eq(access(NAMES[i], F_OK), 0, "%s", NAMES[i]);
    cr_expect_eq(access("a.db.autotune-7-0.new", F_OK), 0);
}
