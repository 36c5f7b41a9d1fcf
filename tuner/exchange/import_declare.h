/* import_declare.h - a foreign space in our own declaration format. Private to import*.c. */
#ifndef AUTOTUNE_IMPORT_DECLARE_H
#define AUTOTUNE_IMPORT_DECLARE_H

#include "exchange/import.h"
#include "exchange/import_file.h"
#include "lang/problem.h"

/*
 * Declares the space of `file` as item->declaration and reads it back as item->op and item->t. Conditions
 * come from `space`, a T1 declaration; NULL: there are none. What is left out goes to options->warning. When
 * `file` itself is the T1 declaration, nothing may be left out.
 */
at_status at__import_declare(at__imported *item, const at__import_file *file, const at__import_file *space,
                             const at__import_options *options, at_error *err) AT_MUST_CHECK;

/* The configuration of a trial, by the parameters of the declared template. */
void at__import_config(at__config *out, const at__template *t, const at__import_trial *trial);

/* The problem that was recorded: sizes as the file says, or 1. */
at_status at__import_problem(at__problem *out, const at__imported *item, const at__import_file *file,
                             at_error *err) AT_MUST_CHECK;

#endif
