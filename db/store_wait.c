/*
 * store_wait.c - waiting for what another process has locked: it is tried again and again, less often as
 * time goes by, until the store's wait time is over or its user asks to end. Time is counted by what was
 * slept, so that a process that is stopped meanwhile has its wait time still. Where the file system has no
 * locks nothing is waited for.
 */
#include "db/store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 1, MORE_MS = 3, LONGEST_MS = 50 }; /* of a sleep: the first, each next one, the last ones */
enum {
    TRIED_BEFORE = 3
}; /* before it is asked whether there are locks at all: most are given back by then */

static int asked(const atx_store *store)
{
    return store->cancel && atx_cancel_asked(store->cancel);
}

/* A signal that is not the user's wish to end shortens nothing. */
static void sleep_ms(const atx_store *store, int ms)
{
    struct timespec left = { .tv_nsec = ms * 1000000L };
    while (nanosleep(&left, &left) != 0 && errno == EINTR && !asked(store))
        ;
}

/* A file of the database's folder without a name, so that nothing is left of it whenever this process is
 * killed. Network file systems have no such files: there it loses its name before anything else is done with
 * it. */
static int open_nameless(const char *path)
{
    atx_str name = { 0 };
    const char *slash = strrchr(path, '/');
    atx_str_add_bytes(&name, slash ? path : ".", slash ? (size_t)(slash - path) + 1 : 1);
    int fd = name.failed ? -1 : open(name.data, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) {
        atx_str_reset(&name);
        atx_str_addf(&name, "%s.lock-XXXXXX", path);
        fd = name.failed ? -1 : mkostemp(name.data, O_CLOEXEC);
        if (fd >= 0)
            unlink(name.data);
    }
    atx_str_clear(&name);
    return fd;
}

/*
 * SQLite takes "no locks" (ENOLCK, as of NFS without its lock daemon) for a lock of somebody else's. A new
 * file beside the database tells: opening the database's own by hand would drop the locks that are there.
 * Where no file can be made nobody knows.
 */
static void try_a_lock(atx_store *store)
{
    struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    store->tried_lock = true;
    int fd = open_nameless(store->path);
    if (fd >= 0) {
        store->no_locks = fcntl(fd, F_SETLK, &all) == 0 ? 0 : errno;
        close(fd);
    }
}

/* SQLite asks before each new try for one lock; `tries`: those before. 0: no more of them. */
static int wait_more(void *context, int tries)
{
    atx_store *store = context;
    int ms = FIRST_MS + MORE_MS * (tries < LONGEST_MS ? tries : LONGEST_MS);
    if (tries == 0)
        store->waited_ms = 0;
    if (tries == TRIED_BEFORE && !store->tried_lock)
        try_a_lock(store);
    if (asked(store) || store->no_locks || store->waited_ms >= store->wait_ms)
        return 0;
    ms = ms < LONGEST_MS ? ms : LONGEST_MS;
    ms = ms < store->wait_ms - store->waited_ms ? ms : store->wait_ms - store->waited_ms;
    sleep_ms(store, ms);
    store->waited_ms += ms;
    return 1;
}

void atx_store_wait_for_locks(atx_store *store)
{
    sqlite3_busy_handler(store->db, wait_more, store);
}
