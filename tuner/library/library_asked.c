/*
 * library_asked.c - a file of the problems that at_run was asked for, for `autotune pack --shapes` and
 * `autotune tune --shapes`. A problem's line is written at its first call, so that it survives if the program
 * is killed; the number of calls follows when the tuner is closed.
 */
#include "library/library.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

at_status atx_asked_open(atx_asked *a, const char *path, at_error *err)
{
    if (!path || !*path)
        return AT_OK;
    if (pthread_mutex_init(&a->mutex, NULL) != 0)
        return atx_no_memory(err);
    a->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    a->is_open = a->file >= 0;
    if (a->is_open)
        return AT_OK;
    pthread_mutex_destroy(&a->mutex);
    return atx_fail(err, AT_ERR_USAGE, "log_shapes: found '%s'; expected a file to write to: %s", path,
                    strerror(errno));
}

/* One write(2), so that lines of other processes stay whole. A failed write is ignored. */
static void write_line(const atx_asked *a, const atx_problem *problem, int64_t calls)
{
    ATX_LOCAL(atx_str) line = { 0 };
    atx_str_addf(&line, "%s ", problem->op->name);
    atx_problem_shape(&line, problem);
    atx_str_addf(&line, " %s", atx_dtype_name(problem->type));
    if (calls > 1)
        atx_str_addf(&line, " calls=%" PRId64, calls);
    atx_str_add(&line, "\n");
    if (atx_str_status(&line, NULL) == AT_OK && write(a->file, line.data, line.len) < 0)
        return;
}

void atx_asked_note(atx_asked *a, const atx_problem *problem)
{
    if (!a->is_open)
        return;
    pthread_mutex_lock(&a->mutex);
    const size_t before = a->problems.count;
    if (atx_problem_set_add(&a->problems, problem, 1, NULL) == AT_OK && a->problems.count > before)
        write_line(a, problem, 1);
    pthread_mutex_unlock(&a->mutex);
}

void atx_asked_close(atx_asked *a)
{
    if (!a->is_open)
        return;
    for (size_t i = 0; i < a->problems.count; i++)
        if (a->problems.calls[i] > 1)
            write_line(a, &a->problems.problems[i], a->problems.calls[i] - 1);
    atx_problem_set_clear(&a->problems);
    close(a->file);
    pthread_mutex_destroy(&a->mutex);
}
