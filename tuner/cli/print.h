/*
 * print.h - what the commands print with. Text of others (names, logs, messages, what a database holds)
 * reaches a terminal as util/printable.h makes it, nothing else does.
 */
#ifndef AUTOTUNE_PRINT_H
#define AUTOTUNE_PRINT_H

#include <autotune/status.h>
#include <stdio.h>

void at__put(FILE *to, const char *text);
void at__print(FILE *to, const char *format, ...) AT_PRINTF(2, 3);

#endif
