/*
 * link_mpi.c - see link.h: the only file that uses MPI. A module of its own, compiled by the MPI's compiler.
 *
 * Errors are returned as codes. A rank that is gone is not an error of MPI here: the code that waits for it
 * finds out.
 */
#include "mpi/link.h"

#include <mpi.h>
#include <stdlib.h>

enum { TAG = 7 };

static int outcome(int code)
{
    return code == MPI_SUCCESS ? ATX_LINK_DONE : ATX_LINK_FAILED;
}

static const char *link_begin(int *rank, int *size)
{
    int given = 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
        return "MPI_Init_thread failed";
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (given < MPI_THREAD_FUNNELED)
        return "this MPI was built without threads; expected MPI_THREAD_FUNNELED";
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    return NULL;
}

static int link_send(int to, const void *bytes, int count, void **request)
{
    MPI_Request *r = malloc(sizeof *r);
    if (!r)
        return ATX_LINK_FAILED;
    int code = MPI_Isend(bytes, count, MPI_BYTE, to, TAG, MPI_COMM_WORLD, r);
    *request = r;
    if (code == MPI_SUCCESS)
        return ATX_LINK_DONE;
    free(r);
    *request = NULL;
    return ATX_LINK_FAILED;
}

static int link_sent(void **request)
{
    int done = 0;
    int code = MPI_Test(*request, &done, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS && !done)
        return ATX_LINK_NOT_YET;
    free(*request);
    *request = NULL;
    return outcome(code);
}

static int link_arrived(int *from, int *count)
{
    MPI_Status status;
    int there = 0;
    int code = MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status);
    if (code != MPI_SUCCESS)
        return ATX_LINK_FAILED;
    if (!there)
        return ATX_LINK_NOT_YET;
    *from = status.MPI_SOURCE;
    return outcome(MPI_Get_count(&status, MPI_BYTE, count));
}

static int link_take(int from, void *bytes, int count)
{
    return outcome(MPI_Recv(bytes, count, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void link_end(void)
{
    MPI_Finalize();
}

static void link_abort(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

__attribute__((visibility("default"))) extern const atx_link atx_mpi_link;
const atx_link atx_mpi_link = {
    .version = ATX_LINK_VERSION,
    .begin = link_begin,
    .send = link_send,
    .sent = link_sent,
    .arrived = link_arrived,
    .take = link_take,
    .end = link_end,
    .abort = link_abort,
};
