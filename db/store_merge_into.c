/*
 * store_merge_into.c - merging into a file by its name. A missing file is built under another name and then
 * renamed, unless another process has made it meanwhile: then the new file is merged into that one. So a file
 * that others may have opened is never replaced, and a half-built file is never visible.
 *
 * Input from a pipe is also collected in a file first: it may be slow, and other processes would wait for the
 * lock.
 *
 * While the file is built, an empty file beside it is locked. Its name contains the name of the file, so that
 * the next merge can find what a killed merge has left (util/beside.h). It is a separate file because a
 * network file system may take a lock on the database itself for one of SQLite's.
 */
#include "db/store_internal.h"
#include "util/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DATABASE_MODE = 0644 }; /* as SQLite makes files */

static at_status merge_ordinary(const char *path, const char *const *paths, int count,
                                const atx_cancel *cancel, atx_merge_counts *counts, at_error *err)
{
    ATX_CLOSED(atx_store) *store = NULL;
    ATX_TRY(atx_store_open(&store, path, ATX_STORE_WRITE, err));
    return atx_store_merge(store, paths, count, cancel, counts, err);
}

static at_status build(const char *built, const char *path, const char *const *paths, int count,
                       const atx_cancel *cancel, atx_merge_counts *counts, at_error *err)
{
    ATX_CLOSED(atx_store) *store = NULL;
    ATX_TRY(atx_store_open_as(&store, built, path, err));
    ATX_TRY(atx_store_merge(store, paths, count, cancel, counts, err));
    /* a file that is renamed leaves its log behind */
    return atx_journal_leave_log(store, err);
}

/* A log that a database of this name left behind would be taken for the new one's. */
static bool take_name(const char *built, const char *path)
{
    bool taken = !atx_store_has_files_beside(path) &&
                 renameat2(AT_FDCWD, built, AT_FDCWD, path, RENAME_NOREPLACE) == 0;
    if (taken)
        atx_sync_name(path);
    return taken;
}

/* Merges the built file into one that appeared meanwhile; counts the rows that are new there. */
static at_status merge_built(const char *built, const char *path, const atx_cancel *cancel,
                             atx_merge_counts *counts, at_error *err)
{
    atx_merge_counts there = { 0 };
    at_status status = merge_ordinary(path, &built, 1, cancel, &there, err);
    counts->trials_taken = there.trials_taken;
    counts->winners_taken = there.winners_taken;
    counts->sources_taken = there.sources_taken;
    return status;
}

static bool any_pipe(const char *const *paths, int count)
{
    struct stat info;
    for (int i = 0; i < count; i++)
        if (stat(strcmp(paths[i], "-") == 0 ? "/dev/stdin" : paths[i], &info) == 0 && !S_ISREG(info.st_mode))
            return true;
    return false;
}

/* An empty file that is held, *fd, and one named after it for the database. Both are new: where others may
 * write to the folder, no other user can have put a link there. */
static at_status make_files(atx_str *held, int *fd, atx_str *built, const char *path, at_error *err)
{
    *fd = atx_make_beside(held, path, DATABASE_MODE);
    int file = -1;
    if (*fd >= 0) {
        atx_str_addf(built, "%s-db", held->data);
        file = built->failed ? -1 : open(built->data, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, DATABASE_MODE);
    }
    if (file < 0)
        return atx_fail(err, AT_ERR_STORE, "%s: cannot make a file in its folder: %s", path, strerror(errno));
    close(file);
    return AT_OK;
}

static at_status merge_built_first(const char *path, const char *const *paths, int count,
                                   const atx_cancel *cancel, atx_merge_counts *counts, at_error *err)
{
    atx_str held = { 0 }, built = { 0 };
    at_status status = atx_store_make_parents(path, 0777, err);
    if (status != AT_OK)
        return status;
    int fd = -1;
    if ((status = make_files(&held, &fd, &built, path, err)) != AT_OK)
        goto done;
    status = build(built.data, path, paths, count, cancel, counts, err);
    if (status == AT_OK && take_name(built.data, path))
        goto done;
    ATX_THEN(status, merge_built(built.data, path, cancel, counts, err));
    atx_store_remove(built.data);
done:
    if (fd >= 0) {
        unlink(held.data);
        close(fd);
    }
    atx_str_clear(&held);
    atx_str_clear(&built);
    return status;
}

at_status atx_store_merge_into(const char *path, const char *const *paths, int count,
                               const atx_cancel *cancel, atx_merge_counts *counts, at_error *err)
{
    struct stat info;
    atx_merge_counts unused = { 0 };
    at_error ignored;
    err = err ? err : &ignored;
    counts = counts ? counts : &unused;
    ATX_TRY(atx_store_check_name(path, err));
    atx_clean_beside(path);
    bool is_new = lstat(path, &info) != 0 && errno == ENOENT;
    return is_new || any_pipe(paths, count) ? merge_built_first(path, paths, count, cancel, counts, err)
                                            : merge_ordinary(path, paths, count, cancel, counts, err);
}
