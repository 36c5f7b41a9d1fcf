/* import_declare.h - a foreign space in our own declaration format. Private to import*.c. */
#pragma once

#include "exchange/import.h"
#include "exchange/import_file.h"
#include "lang/problem.h"

/*
 * Declares the space of `file` as item->declaration and reads it back as item->op and item->t. Conditions
 * come from `space`, a T1 declaration; NULL: there are none. Omissions go to options->warning. When
 * `file` itself is the T1 declaration, nothing may be left out.
 */
at_status atx_import_declare(atx_imported *item, const atx_import_file *file, const atx_import_file *space,
                             const atx_import_options *options, at_error *err) AT_MUST_CHECK;

/* The configuration of a trial, by the parameters of the declared template. */
void atx_import_config(atx_config *out, const atx_template *t, const atx_import_trial *trial);

/* The problem that was recorded: sizes as the file says, or 1. */
at_status atx_import_problem(atx_problem *out, const atx_imported *item, const atx_import_file *file,
                             at_error *err) AT_MUST_CHECK;
