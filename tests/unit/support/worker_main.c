/*
 * worker_main.c - for $AUTOTUNE_EXE in tests: a compile worker, and processes that misbehave.
 *
 *   __compile  a compile worker, as in autotune itself; with AT_WORKER_IDLE in the environment one that says
 *              nothing
 *   __device   a replay for a supervisor elsewhere, as in autotune itself
 *   __orphan   starts a child that never looks at its socket, tells its process id, and is killed
 *   __sleep    that child
 */
#include "compile/pool.h"
#include "device/device.h"
#include "util/wire.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int orphan_main(void)
{
    static const char *const ARGV[] = { "autotune", "__sleep", NULL };
    atx_child child = { 0 };
    atx_str body = { 0 };
    if (atx_child_spawn(&child, ARGV, NULL) != AT_OK)
        return 1;
    atx_put_i64(&body, child.pid);
    if (atx_wire_send(ATX_CHILD_FD, 1, &body, NULL) != AT_OK)
        return 1;
    return raise(SIGKILL);
}

int main(int argc, char **argv)
{
    const char *mode = argc >= 2 ? argv[1] : "";
    if (strcmp(mode, "__compile") == 0 && getenv("AT_WORKER_IDLE"))
        return pause();
    if (strcmp(mode, "__compile") == 0 && argc == 3)
        return atx_pool_worker_main(argv[2]);
    if (strcmp(mode, "__device") == 0 && argc == 3)
        return atx_replay_main(argv[2]);
    if (strcmp(mode, "__orphan") == 0)
        return orphan_main();
    if (strcmp(mode, "__sleep") == 0)
        return pause();
    fprintf(stderr, "autotune_worker: __compile, __device, __orphan or __sleep was expected\n");
    return 2;
}
