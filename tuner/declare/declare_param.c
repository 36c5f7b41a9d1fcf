/*
 * declare_param.c - a parameter of a template and its values: integers, ranges, or words.
 *
 * A word is a value that the kernel knows as the constant NAME_word; words are numbered from 0, but of
 * true and false alone by what they mean.
 */
#include "declare/declare_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

static at_status out_of_memory(const atx_lines *lines)
{
    return atx_no_memory(lines->err);
}

static at_status add_value(atx_param *param, size_t *cap, int64_t value, const atx_lines *lines,
                           const char *at)
{
    if (param->count == ATX_MAX_VALUES)
        return atx_lines_fail(lines, at, "found more than %d values of '%s'; expected fewer", ATX_MAX_VALUES,
                              param->name);
    if (!atx_grow(&param->values, cap, (size_t)param->count, sizeof *param->values))
        return out_of_memory(lines);
    param->values[param->count++] = value;
    return AT_OK;
}

/* 16, 1..8 or 0..64:16 */
static at_status read_numbers(atx_param *param, size_t *cap, atx_lines *lines)
{
    const char *at = lines->at;
    int64_t first, last, step = 1;

    at_status status = atx_lines_integer(&first, lines, "an integer");
    if (status != AT_OK || !atx_lines_sees(lines, ".."))
        return status == AT_OK ? add_value(param, cap, first, lines, at) : status;
    atx_lines_skip(lines, 2);
    if ((status = atx_lines_integer(&last, lines, "the last value of the range")) != AT_OK)
        return status;
    if (atx_lines_sees(lines, ":")) {
        atx_lines_skip(lines, 1);
        if ((status = atx_lines_integer(&step, lines, "the step of the range")) != AT_OK)
            return status;
    }
    if (first > last || step < 1)
        return atx_lines_fail(
            lines, at, "found a range that is empty or without end; expected FIRST..LAST:STEP upwards");
    for (int64_t value = first;;) {
        if ((status = add_value(param, cap, value, lines, at)) != AT_OK)
            return status;
        if (__builtin_add_overflow(value, step, &value) || value > last)
            return AT_OK;
    }
}

static at_status read_label(atx_param *param, size_t *cap, size_t *label_cap, atx_symbols *symbols,
                            atx_lines *lines)
{
    char word[ATX_MAX_NAME], symbol[2 * ATX_MAX_NAME];
    const char *at = lines->at;
    int slot;

    at_status status = atx_lines_name(word, lines, "a word");
    if (status != AT_OK)
        return status;
    snprintf(symbol, sizeof symbol, "%s_%s", param->name, word);
    if ((status = atx_add_symbol(&slot, symbols, symbol, lines, at)) != AT_OK)
        return status;
    if (param->count == 0)
        param->label_slot = slot;
    if (!atx_grow(&param->labels, label_cap, (size_t)param->count, sizeof *param->labels))
        return out_of_memory(lines);
    if (!(param->labels[param->count] = atx_text_copy(word, strlen(word))))
        return out_of_memory(lines);
    if ((status = add_value(param, cap, param->count, lines, at)) != AT_OK)
        free(param->labels[param->count]);
    return status;
}

static bool is_truth(const char *word)
{
    return strcmp(word, "true") == 0 || strcmp(word, "false") == 0;
}

/* Words are numbered, but true and false are 1 and 0 in whatever order. */
static void number_truth(atx_param *param)
{
    param->truth = param->labels != NULL;
    for (int i = 0; i < param->count && param->truth; i++)
        param->truth = is_truth(param->labels[i]);
    for (int i = 0; i < param->count && param->truth; i++)
        param->values[i] = param->labels[i][0] == 't';
}

static int compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sorted copy: a parameter may have thousands of values. */
static at_status check_distinct(const atx_param *param, const atx_lines *lines, const char *at)
{
    at_status status = AT_OK;
    size_t bytes = (size_t)param->count * sizeof *param->values;
    int64_t *sorted = malloc(bytes);
    if (!sorted)
        return out_of_memory(lines);
    memcpy(sorted, param->values, bytes);
    qsort(sorted, (size_t)param->count, sizeof *sorted, compare_values);
    for (int i = 1; i < param->count && status == AT_OK; i++)
        if (sorted[i] == sorted[i - 1])
            status = atx_lines_fail(lines, at, "found value %lld of '%s' twice; expected each once",
                                    (long long)sorted[i], param->name);
    free(sorted);
    return status;
}

static at_status read_values(atx_param *param, atx_symbols *symbols, atx_lines *lines)
{
    size_t cap = 0, label_cap = 0;
    const char *at = lines->at;
    bool words = atx_lines_word(lines) > 0;
    at_status status = AT_OK;

    if (atx_lines_at_end(lines))
        return atx_lines_expected(lines, "the parameter's values");
    while (status == AT_OK && !atx_lines_at_end(lines)) {
        if ((atx_lines_word(lines) > 0) != words)
            return atx_lines_expected(lines, words ? "another word" : "another integer or range");
        status =
            words ? read_label(param, &cap, &label_cap, symbols, lines) : read_numbers(param, &cap, lines);
    }
    if (status != AT_OK)
        return status;
    number_truth(param);
    return check_distinct(param, lines, at);
}

at_status atx_read_param(atx_template *t, atx_lines *lines)
{
    const char *at = lines->at;

    if (t->scope.param_count == ATX_MAX_PARAMS)
        return atx_lines_fail(lines, at, "found more than %d parameters; expected fewer", ATX_MAX_PARAMS);
    atx_param *param = &t->scope.params[t->scope.param_count];
    param->where = atx_lines_where(lines, at);
    param->label_slot = -1;
    at_status status = atx_read_assigned_name(param->name, &at, lines);
    if (status != AT_OK ||
        (status = atx_add_symbol(&param->slot, &t->scope.symbols, param->name, lines, at)) != AT_OK)
        return status;
    t->scope.param_count++; /* from here on atx_template_close frees it */
    if ((status = read_values(param, &t->scope.symbols, lines)) != AT_OK)
        return status;
    return atx_lines_comment(&param->meaning, lines);
}
