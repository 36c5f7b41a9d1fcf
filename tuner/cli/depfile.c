/* depfile.c - a rule of make without a recipe: blanks, # and $ of names are escaped, as compilers do. */
#include "cli/depfile.h"

#include "source/paths.h"
#include "util/out_file.h"

#include <stdlib.h>
#include <string.h>

static void add_name(atx_str *out, const char *name)
{
    for (; *name; name++) {
        if (strchr(" \t#", *name))
            atx_str_add(out, "\\");
        if (*name == '$')
            atx_str_add(out, "$");
        atx_str_add_bytes(out, name, 1);
    }
}

/* Built-in texts are no files and are left out. */
static void add_file(atx_str *out, const char *file)
{
    ATX_FREED char *path = realpath(file, NULL);
    if (path) {
        atx_str_add(out, " \\\n  ");
        add_name(out, path);
    }
}

static void add_parts(atx_str *out, const atx_part *parts, int count)
{
    for (int i = 0; i < count; i++)
        add_file(out, parts[i].file);
}

/* An array's file, which is named as seen from the op's. */
static void add_array(atx_str *out, const atx_op *op, const char *name)
{
    ATX_LOCAL(atx_str) path = { 0 };
    if (!name)
        return;
    atx_beside(&path, op->text.file, name);
    add_file(out, atx_str_text(&path));
}

/* The program's own comes first, with the built-in texts: a rule needs a prerequisite. */
static void add_op(atx_str *out, const atx_catalog *catalog, const atx_op *op)
{
    add_file(out, "/proc/self/exe");
    add_parts(out, op->text.parts, op->text.part_count);
    add_array(out, op, op->expected.answer);
    for (int i = 0; i < op->arg_count; i++)
        add_array(out, op, op->args[i].input.file);
    for (int i = 0; i < atx_catalog_template_count(catalog, op); i++) {
        const atx_template *t = atx_catalog_template(catalog, op, i);
        add_parts(out, t->text.parts, t->text.part_count);
    }
}

at_status atx_depfile_write(const char *path, const char *output, const atx_catalog *catalog,
                            const atx_op *op, at_error *err)
{
    ATX_LOCAL(atx_str) text = { 0 };
    ATX_TRY(atx_catalog_read(catalog, op, err));
    add_name(&text, output);
    atx_str_add(&text, ":");
    add_op(&text, catalog, op);
    atx_str_add(&text, "\n");
    ATX_TRY(atx_str_status(&text, err));
    return atx_out_write_all(path, atx_str_text(&text), text.len, err);
}
