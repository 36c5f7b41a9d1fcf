/*
 * device_name.c - a full name is preferred to words of one. A word ends between a letter or digit and any
 * other character.
 */
#include "lang/device_name.h"

#include "lang/record.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_INDEX 1023
#define LISTED    12 /* names in a message */

bool atx_device_name_is_replay(const char *name)
{
    return strncasecmp(name, ATX_REPLAY_NAME, sizeof ATX_REPLAY_NAME - 1) == 0;
}

bool atx_device_is_index(int *index, const char *text)
{
    int value = 0;
    if (!*text || (text[0] == '0' && text[1]))
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        value = 10 * value + (*text - '0');
        if (value > MAX_INDEX)
            return false;
    }
    *index = value;
    return true;
}

at_status atx_device_names_add(atx_device_names *names, const char *name, at_error *err)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return AT_OK;
    if (!atx_grow(&names->items, &names->cap, names->count, sizeof *names->items))
        return atx_no_memory(err);
    snprintf(names->items[names->count++], ATX_DEVICE_NAME, "%s", name);
    return AT_OK;
}

void atx_device_names_clear(atx_device_names *names)
{
    free(names->items);
    *names = (atx_device_names){ .count = 0 };
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) != 0;
}

/* Is there a boundary of words between two characters that follow each other? */
static bool is_between(char before, char after)
{
    return !is_word(before) || !is_word(after);
}

bool atx_device_name_has(const char *name, const char *words)
{
    size_t len = strlen(words);
    if (!len)
        return false;
    for (const char *at = strcasestr(name, words); at; at = strcasestr(at + 1, words))
        if ((at == name || is_between(at[-1], *at)) && is_between(at[len - 1], at[len]))
            return true;
    return false;
}

static bool has_a_word(const char *text)
{
    while (*text && !is_word(*text))
        text++;
    return *text;
}

static bool may_be(const char *name, const char *words)
{
    return !atx_device_name_is_replay(name) || strncasecmp(words, "replay", 6) == 0;
}

const char *atx_device_names_find(bool *several, const atx_device_names *names, const char *words)
{
    const char *found = NULL;
    *several = false;
    for (size_t i = 0; i < names->count; i++)
        if (strcasecmp(names->items[i], words) == 0)
            return names->items[i];
    for (size_t i = 0; i < names->count && has_a_word(words); i++) {
        if (!may_be(names->items[i], words) || !atx_device_name_has(names->items[i], words))
            continue;
        *several = found != NULL;
        if (found)
            return NULL;
        found = names->items[i];
    }
    return found;
}

/* Those with the words, or all. */
static void list(atx_str *out, const atx_device_names *names, const char *words, bool all)
{
    int listed = 0;
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->items[i];
        if (!all && (!may_be(name, words) || !atx_device_name_has(name, words)))
            continue;
        if (listed == LISTED)
            atx_str_add(out, ", ...");
        if (listed++ < LISTED)
            atx_str_addf(out, "%s'%s'", listed > 1 ? ", " : "", name);
    }
}

at_status atx_device_names_choose(char out[ATX_DEVICE_NAME], const atx_device_names *names, const char *words,
                                  const char *hint, at_error *err)
{
    bool several;
    ATX_LOCAL(atx_str) known = { 0 };
    const char *found = atx_device_names_find(&several, names, words);
    if (found) {
        snprintf(out, ATX_DEVICE_NAME, "%s", found);
        return AT_OK;
    }
    list(&known, names, words, !several);
    if (several)
        atx_fail(err, AT_ERR_USAGE,
                 "found '%s', which several devices have in their names; expected one of %s", words,
                 atx_str_text(&known));
    else if (known.len)
        atx_fail(err, AT_ERR_USAGE,
                 "found '%s'; expected one of these devices, by its name or whole words of it: %s%s", words,
                 atx_str_text(&known), hint);
    else
        atx_fail(err, AT_ERR_USAGE, "found '%s'; expected no name: nothing is stored of any device%s", words,
                 hint);
    return AT_ERR_USAGE;
}
