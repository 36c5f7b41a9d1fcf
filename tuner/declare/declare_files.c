/*
 * declare_files.c - the arrays in files that an op names, `input file` and `reference file`. Their contents
 * decide which results are right, and may decide how long a kernel takes. So a note of their contents is part
 * of the op's text and of the texts and hashes of its templates: with other data earlier results do not
 * count.
 *
 * A missing file is noted as missing: a look-up then gives a near answer, and a run reports the file.
 */
#include "declare/declare_files.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "source/part_line.h"
#include "source/paths.h"
#include "util/file_hash.h"
#include "util/regular.h"

static bool is_absent(const char *path)
{
    return access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

static const atx_op_file *find_file(const atx_op *op, const char *name)
{
    for (int i = 0; i < op->text.file_count; i++)
        if (strcmp(op->text.files[i].name, name) == 0)
            return &op->text.files[i];
    return NULL;
}

static at_status note_file(atx_str *notes, atx_op *op, const char *name, const atx_where *w,
                           const atx_allowed *allowed, at_error *err)
{
    ATX_LOCAL(atx_str) path = { 0 };
    at_error cause = { 0 };
    char hash[ATX_HASH_TEXT] = "absent";
    atx_op_file *file = &op->text.files[op->text.file_count];
    if (find_file(op, name))
        return AT_OK;
    atx_join_path(&path, op->text.file, name);
    at_status status = atx_str_status(&path, &cause);
    ATX_THEN(status, atx_allowed_check(allowed, path.data, &cause));
    if (status == AT_OK && !is_absent(path.data))
        status = atx_file_hash(hash, &file->seen, path.data, &cause);
    if (status == AT_OK) {
        file->name = name;
        op->text.file_count++;
        atx_str_addf(notes, ATX_PART_DATA "%s %s\n", hash, name);
    } else {
        atx_fail(err, status, "%s:%d:%d: %s", w->file, w->line, w->column, cause.text);
    }
    return status;
}

at_status atx_op_note_files(atx_str *notes, atx_op *op, const atx_allowed *allowed, at_error *err)
{
    for (int i = 0; i < op->arg_count; i++)
        if (op->args[i].input.file)
            ATX_TRY(note_file(notes, op, op->args[i].input.file, &op->args[i].input.where, allowed, err));
    if (op->expected.answer)
        ATX_TRY(note_file(notes, op, op->expected.answer, &op->expected.answer_where, allowed, err));
    return atx_str_status(notes, err);
}

at_status atx_op_find_file(atx_str *path, const atx_op *op, const char *name, at_error *err)
{
    struct stat now;
    const atx_op_file *file = find_file(op, name);
    atx_join_path(path, op->text.file, name);
    ATX_TRY(atx_str_status(path, err));
    if (!file)
        return atx_fail(err, AT_ERR_INPUT,
                        "%s: found the file '%s', and no folder of templates that it was read from; expected "
                        "--templates DIR with it",
                        op->text.file, name);
    if (file->seen.st_ino ? stat(path->data, &now) == 0 && !atx_same_contents(&file->seen, &now)
                          : !is_absent(path->data))
        return atx_fail(err, AT_ERR_INPUT,
                        "%s: it changed after this program read %s; expected a new run, which measures with "
                        "what it holds now",
                        path->data, op->text.file);
    return AT_OK;
}
