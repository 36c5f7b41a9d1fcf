/* depfile.c - a rule of make without a recipe: blanks, # and $ of names are escaped, as compilers do. */
#include "cli/depfile.h"

#include "source/paths.h"
#include "util/out_file.h"

#include <stdlib.h>
#include <string.h>

static void add_name(at__str *out, const char *name)
{
    for (; *name; name++) {
        if (strchr(" \t#", *name))
            at__str_add(out, "\\");
        if (*name == '$')
            at__str_add(out, "$");
        at__str_add_bytes(out, name, 1);
    }
}

/* What is built in is no file, and is left out. */
static void add_file(at__str *out, const char *file)
{
    char *path = realpath(file, NULL);
    if (path) {
        at__str_add(out, " \\\n  ");
        add_name(out, path);
    }
    free(path);
}

static void add_parts(at__str *out, const at__part *parts, int count)
{
    for (int i = 0; i < count; i++)
        add_file(out, parts[i].file);
}

/* An array's file, which is named as seen from the op's. */
static void add_array(at__str *out, const at__op *op, const char *name)
{
    at__str path = { 0 };
    if (!name)
        return;
    at__beside(&path, op->file, name);
    add_file(out, at__str_text(&path));
    at__str_clear(&path);
}

/* The program's own comes first, with what is built in: a rule without any would be none. */
static void add_op(at__str *out, const at__catalog *catalog, const at__op *op)
{
    add_file(out, "/proc/self/exe");
    add_parts(out, op->parts, op->part_count);
    add_array(out, op, op->answer);
    for (int i = 0; i < op->arg_count; i++)
        add_array(out, op, op->args[i].input.file);
    for (int i = 0; i < at__catalog_template_count(catalog, op); i++) {
        const at__template *t = at__catalog_template(catalog, op, i);
        add_parts(out, t->parts, t->part_count);
    }
}

at_status at__depfile_write(const char *path, const char *output, const at__catalog *catalog,
                            const at__op *op, at_error *err)
{
    at__str text = { 0 };
    at_status status = at__catalog_read(catalog, op, err);
    if (status != AT_OK)
        return status;
    add_name(&text, output);
    at__str_add(&text, ":");
    add_op(&text, catalog, op);
    at__str_add(&text, "\n");
    status = at__str_status(&text, err);
    if (status == AT_OK)
        status = at__out_write_all(path, at__str_text(&text), text.len, err);
    at__str_clear(&text);
    return status;
}
