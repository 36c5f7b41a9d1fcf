/* beside.c - names that are free: the process's number makes them its own, the system says when one is not.
 */
#include "util/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_TRIES = 100 }; /* files that a process of this number left behind when it was killed */

int at__make_beside(at__str *name, const char *path, mode_t mode)
{
    int fd = -1;
    for (int i = 0; i < MAX_TRIES && fd < 0; i++) {
        at__str_reset(name);
        at__str_addf(name, "%s.%ld-%d.new", path, (long)getpid(), i);
        if (name->failed) {
            errno = ENOMEM;
            break;
        }
        fd = open(name->data, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

void at__sync_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? at__text_copy(path, slash == path ? 1 : (size_t)(slash - path)) : NULL;
    int fd = open(folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}
