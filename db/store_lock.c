/*
 * store_lock.c - who tunes a problem for a database: one process at a time, one thread in it.
 *
 * A file beside the database is locked, one byte for each problem. The lock is that of an open file (OFD): it
 * goes when its process ends, however it ends, and threads exclude each other as processes do. The file is
 * empty and never removed: one that is removed while others have it would be two.
 */
#include "db/store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { LOCK_MODE = 0666, PLACES = 1 << 30 };

static bool take(int fd, uint64_t what)
{
    struct flock range = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)(what % PLACES), .l_len = 1
    };
    int code;
    do
        code = fcntl(fd, F_OFD_SETLK, &range);
    while (code != 0 && errno == EINTR);
    return code == 0;
}

at_status atx_store_lock_problem(int *fd, const char *database, uint64_t what, at_error *err)
{
    atx_str path = { 0 };
    at_status status = atx_store_check_name(database, err);
    if (status == AT_OK)
        status = atx_store_make_parents(database, 0777, err);
    atx_str_addf(&path, "%s-tuning", database);
    if (status == AT_OK)
        status = atx_str_status(&path, err);
    int file = status == AT_OK ? open(path.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, LOCK_MODE) : -1;
    if (status == AT_OK && file < 0)
        status = atx_fail(err, AT_ERR_STORE, "%s: %s", path.data, strerror(errno));
    if (status == AT_OK && !take(file, what)) {
        bool busy = errno == EAGAIN || errno == EACCES;
        status = busy ? atx_fail(err, AT_ERR_NOT_FOUND, "%s: another process tunes this problem", database)
                      : atx_fail(err, AT_ERR_STORE, "%s: cannot be locked: %s", path.data, strerror(errno));
        close(file);
    }
    if (status == AT_OK)
        *fd = file;
    atx_str_clear(&path);
    return status;
}
