/*
 * source_support.h - templates in a folder of their own, with files beside them, for tests of `source` lines:
 * a template stands in op/t.cu.
 */
#pragma once

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "declare_support.h"
#include "declare/declare_common.h"
#include "lang/render.h"
#include "temporary.h"

#define END "grid 1\nblock 1\n*/\n"

#define expect_text(text, part) cr_expect(strstr(text, part), "expected\n%s\nin\n%s", part, text)

static char folder[64];

static void make(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    cr_assert_eq(mkdir(path, 0777), 0);
}

static void begin_folder(void)
{
    TEMPORARY(folder, "source");
    cr_assert_not_null(mkdtemp(folder));
    make("op");
}

static void end(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
}

static void put(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

/* A template that stands in op/t.cu, where `root` is the folder of templates. */
static at_status read_below(atx_template **t, const atx_op *op, const char *text, const char *root,
                            at_error *err)
{
    atx_allowed *allowed = NULL;
    char path[200];
    snprintf(path, sizeof path, "%s/op/t.cu", folder);
    at_status status = atx_allowed_open(&allowed, root, NULL, NULL, err);
    const atx_commons files = { .allowed = allowed };
    if (status == AT_OK)
        status = atx_template_read_with(t, op, &files, text, strlen(text), path, err);
    atx_allowed_close(allowed);
    return status;
}

static at_status read_here(atx_template **t, const atx_op *op, const char *text, at_error *err)
{
    return read_below(t, op, text, folder, err);
}

static atx_template *must_read(const atx_op *op, const char *text)
{
    atx_template *t = NULL;
    at_error err = { 0 };
    cr_assert_eq(read_here(&t, op, text, &err), AT_OK, "%s", err.text);
    return t;
}

static char *render(const atx_template *t, const char *config_text)
{
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    atx_config config = { { 0 } };
    atx_str out = { 0 };
    at_error err = { 0 };
    bind_problem(slots, t->op, 64, 64);
    cr_assert_eq(atx_config_parse(&config, t, config_text, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_render(&out, t, ATX_F32, &config, slots, &err), AT_OK, "%s", err.text);
    return out.data;
}
