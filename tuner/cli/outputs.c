/*
 * outputs.c - refuses an output that is also an input of the command, since it would be overwritten before or
 * while it is read. Compares devices and inodes, and real names of files that do not exist yet. Opens
 * nothing.
 */
#include "cli/commands.h"
#include "db/store.h"
#include "util/real_path.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

enum { TEMPLATE_DEPTH = 1 }; /* DIR/x.cu, DIR/op/x.cu, DIR/common/x.cuh */

static bool holds(const char *folder, const struct stat *file, int depth)
{
    bool found = false;
    struct stat info;
    ATX_LOCAL(atx_str) name = { 0 };
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && !found && (e = readdir(dir));) {
        if (fstatat(dirfd(dir), e->d_name, &info, 0) != 0)
            continue;
        found = info.st_dev == file->st_dev && info.st_ino == file->st_ino;
        if (!S_ISDIR(info.st_mode) || depth == 0 || e->d_name[0] == '.')
            continue;
        atx_str_reset(&name);
        atx_str_addf(&name, "%s/%s", folder, e->d_name);
        found = found || holds(atx_str_text(&name), file, depth - 1);
    }
    if (dir)
        closedir(dir);
    return found;
}

/* `output` is a name that leads to the file; `named` is the user's name of it. */
static at_status check_one(const char *option, const char *named, const char *output, const atx_in_use *use,
                           at_error *err)
{
    const char *relation = atx_same_file(use->path, output)                     ? "is"
                           : use->database && atx_store_owns(use->path, output) ? "belongs to"
                                                                                : NULL;
    return relation ? atx_fail(err, AT_ERR_USAGE, "%s: '%s' %s %s in use, %s; expected another file", option,
                               named, relation, use->what, use->path)
                    : AT_OK;
}

at_status atx_check_output(const char *option, const char *path, const atx_in_use *files,
                           const char *templates_dir, at_error *err)
{
    struct stat info;
    bool to_stdout = !path || strcmp(path, "-") == 0;
    const char *output = to_stdout ? "/dev/stdout" : path, *named = to_stdout ? "stdout" : path;
    bool exists = stat(output, &info) == 0;
    if (!*output || (exists && !S_ISREG(info.st_mode)) || (to_stdout && !exists))
        return AT_OK; /* the input is a file */
    for (; files->what; files++)
        if (files->path && *files->path) {
            ATX_TRY(check_one(option, named, output, files, err));
        }
    if (exists && atx_store_is_database(output))
        return atx_fail(err, AT_ERR_USAGE,
                        "%s: '%s' is a database; expected another file, or that one removed before", option,
                        named);
    if (exists && templates_dir && holds(templates_dir, &info, TEMPLATE_DEPTH))
        return atx_fail(err, AT_ERR_USAGE, "%s: '%s' is one of the templates of %s; expected another file",
                        option, named, templates_dir);
    return AT_OK;
}
