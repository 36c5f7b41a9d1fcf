/*
 * declare_param.c - a parameter of a template and its values: integers, ranges, or words; and the line
 * `general`, which gives values of consts that are right for all sizes.
 *
 * A word is a value that the kernel knows as the constant NAME_word. Words are numbered from 0, except true
 * and false alone, which are 1 and 0.
 */
#include "declare/declare_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

static void add_value(atx_param *param, size_t *cap, int64_t value, atx_lines *lines, const char *at)
{
    if (param->count == ATX_MAX_VALUES)
        atx_lines_fail(lines, at, "found more than %d values of '%s'; expected fewer", ATX_MAX_VALUES,
                       param->name);
    else if (atx_lines_grow(lines, &param->values, cap, (size_t)param->count, sizeof *param->values))
        param->values[param->count++] = value;
}

/* 16, 1..8 or 0..64:16 */
static void read_numbers(atx_param *param, size_t *cap, atx_lines *lines)
{
    const char *at = lines->at;
    int64_t first = atx_lines_integer(lines, "an integer"), last = first, step = 1;
    if (atx_lines_skip_sign(lines, "..")) {
        last = atx_lines_integer(lines, "the last value of the range");
        if (atx_lines_skip_sign(lines, ":"))
            step = atx_lines_integer(lines, "the step of the range");
    }
    if (first > last || step < 1)
        atx_lines_fail(lines, at,
                       "found a range that is empty or without end; expected FIRST..LAST:STEP upwards");
    for (int64_t value = first; lines->status == AT_OK && value <= last;) {
        add_value(param, cap, value, lines, at);
        if (__builtin_add_overflow(value, step, &value))
            return;
    }
}

static void read_label(atx_param *param, size_t *cap, size_t *label_cap, atx_lines *lines)
{
    char word[ATX_MAX_NAME], symbol[2 * ATX_MAX_NAME];
    const char *at = atx_lines_name(word, lines, "a word");
    snprintf(symbol, sizeof symbol, "%s_%s", param->name, word);
    const int slot = atx_add_symbol(lines, symbol, at);
    if (param->count == 0)
        param->label_slot = slot;
    if (lines->status != AT_OK ||
        !atx_lines_grow(lines, &param->labels, label_cap, (size_t)param->count, sizeof *param->labels))
        return;
    const int count = param->count;
    char *label = atx_text_copy(word, strlen(word));
    if (label)
        add_value(param, cap, count, lines, at);
    else
        atx_lines_note(lines, atx_no_memory(lines->err));
    if (param->count > count)
        param->labels[count] = label;
    else
        free(label);
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
static void check_distinct(const atx_param *param, atx_lines *lines, const char *at)
{
    size_t bytes = (size_t)param->count * sizeof *param->values;
    if (lines->status != AT_OK)
        return;
    int64_t *sorted = malloc(bytes);
    if (!sorted) {
        atx_lines_note(lines, atx_no_memory(lines->err));
        return;
    }
    memcpy(sorted, param->values, bytes);
    qsort(sorted, (size_t)param->count, sizeof *sorted, compare_values);
    for (int i = 1; i < param->count; i++)
        if (sorted[i] == sorted[i - 1])
            atx_lines_fail(lines, at, "found value %lld of '%s' twice; expected each once",
                           (long long)sorted[i], param->name);
    free(sorted);
}

static void read_values(atx_param *param, atx_lines *lines)
{
    size_t cap = 0, label_cap = 0;
    const char *at = lines->at;
    bool words = atx_lines_word(lines) > 0;
    if (atx_lines_at_end(lines))
        atx_lines_expected(lines, "the parameter's values");
    while (!atx_lines_at_end(lines)) {
        if ((atx_lines_word(lines) > 0) != words)
            atx_lines_expected(lines, words ? "another word" : "another integer or range");
        else if (words)
            read_label(param, &cap, &label_cap, lines);
        else
            read_numbers(param, &cap, lines);
    }
    number_truth(param);
    check_distinct(param, lines, at);
}

void atx_read_param(atx_lines *lines, void *target)
{
    struct atx_template_scope *scope = &((atx_reading *)target)->t->scope;
    if (scope->param_count == ATX_MAX_PARAMS) {
        atx_lines_fail(lines, lines->at, "found more than %d parameters; expected fewer", ATX_MAX_PARAMS);
        return;
    }
    atx_param *param = &scope->params[scope->param_count++]; /* atx_template_close frees it */
    param->label_slot = -1;
    const char *at = atx_read_assigned_name(param->name, lines);
    param->where = atx_lines_where(lines, at);
    param->slot = atx_add_symbol(lines, param->name, at);
    read_values(param, lines);
    param->meaning = atx_lines_comment(lines);
}

static void read_any(atx_lines *lines, const char *expected)
{
    char word[ATX_MAX_NAME];
    const char *at = lines->at;
    atx_lines_name(word, lines, expected);
    if (strcmp(word, "any") != 0)
        atx_lines_fail(lines, at, "found '%s'; expected %s", word, expected);
}

static void read_general_let(atx_let *let, atx_lines *lines)
{
    let->general = true;
    let->any = isalpha((unsigned char)*lines->at);
    if (let->any)
        read_any(lines, "a value of the const, or any");
    else
        let->general_value = atx_lines_integer(lines, "a value of the const, or any");
}

/* "EDGE=1", "KEEP=any": with which value of a const a kernel is right for all sizes. Of a parameter "any". */
void atx_read_general(atx_lines *lines, void *target)
{
    struct atx_template_scope *scope = &((atx_reading *)target)->t->scope;
    do {
        char name[ATX_MAX_NAME];
        atx_let *let = NULL;
        atx_param *param = NULL;
        const char *at = atx_read_assigned_name(name, lines);
        for (size_t i = 0; i < scope->let_count; i++)
            if (scope->lets[i].rendered && strcmp(scope->lets[i].name, name) == 0)
                let = &scope->lets[i];
        for (int i = 0; i < scope->param_count; i++)
            if (strcmp(scope->params[i].name, name) == 0)
                param = &scope->params[i];
        if (param) {
            param->general = true;
            read_any(lines, "any: the parameter is not the kernel's, but its launch's");
        } else if (let) {
            read_general_let(let, lines);
        } else {
            atx_lines_fail(lines, at, "found '%s'; expected the name of a const or a parameter above", name);
            return;
        }
    } while (!atx_lines_at_end(lines));
}
