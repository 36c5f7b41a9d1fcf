/* temporary.c - see temporary.h. */
#include "temporary.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[200];
static pid_t owner;

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info, (void)type, (void)walk;
    remove(path);
    return 0;
}

static void remove_folder(void)
{
    if (getpid() == owner) /* and not a process that a test has forked */
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Of Criterion's runner, before it starts the processes of tests, which have BXFI_MAP. */
__attribute__((constructor)) static void make_folder(void)
{
    if (getenv("BXFI_MAP"))
        return;
    /* Arrays of tests are short, and tests change their folder: a long or relative one is not taken. */
    const char *given = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/autotune-XXXXXX",
             given && *given == '/' && strlen(given) < 24 ? given : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(1);
    }
    chmod(folder, 0711); /* tests of other users go through it */
    owner = getpid();
    setenv("TMPDIR", folder, 1);
    atexit(remove_folder);
}

char *temporary_path(char *out, size_t size, const char *name)
{
    const int len = snprintf(out, size, "%s/%s-XXXXXX", getenv("TMPDIR"), name);
    if (len < 0 || (size_t)len >= size)
        abort();
    return out;
}
