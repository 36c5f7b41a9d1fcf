/* words.c - a table with open addresses, at most half full. A word that joints part is known by its first
 * 63 characters, of which there is a copy. */
#include "source/words.h"

#include "util/str.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024, SPLICED = 64 };

static uint64_t hash_of(const char *text, size_t len)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

/* The slot of a word, or the free one where it would be. */
static struct atx_word *slot_of(const atx_words *w, const char *text, size_t len)
{
    size_t i = hash_of(text, len) & (w->slot_count - 1);
    while (w->slots[i].text && (w->slots[i].len != len || memcmp(w->slots[i].text, text, len) != 0))
        i = (i + 1) & (w->slot_count - 1);
    return &w->slots[i];
}

static bool grow(atx_words *w)
{
    atx_words larger = *w;
    if (w->slot_count && w->count * 2 < w->slot_count)
        return true;
    larger.slot_count = w->slot_count ? 2 * w->slot_count : FIRST_SLOTS;
    if (!(larger.slots = calloc(larger.slot_count, sizeof *larger.slots)))
        return false;
    for (size_t i = 0; i < w->slot_count; i++)
        if (w->slots[i].text)
            *slot_of(&larger, w->slots[i].text, w->slots[i].len) = w->slots[i];
    free(w->slots);
    *w = larger;
    return true;
}

static uint32_t add(atx_words *w, const char *text, size_t len)
{
    if (!grow(w))
        return ATX_NO_WORD;
    struct atx_word *slot = slot_of(w, text, len);
    if (!slot->text)
        *slot = (struct atx_word){ .text = text, .len = len, .id = (uint32_t)w->count++ };
    return slot->id;
}

static const char *keep_spliced(atx_words *w, const char *word, size_t len)
{
    char *copy = atx_text_copy(word, len);
    if (!copy || !atx_grow(&w->copies, &w->copy_cap, w->copy_count, sizeof *w->copies)) {
        free(copy);
        return NULL;
    }
    return w->copies[w->copy_count++] = copy;
}

uint32_t atx_words_add_token(atx_words *w, const char *text, const atx_token *t)
{
    char word[SPLICED];
    if (!t->spliced)
        return add(w, text + t->begin, t->end - t->begin);
    size_t len = atx_token_copy(word, sizeof word, text, t);
    len = len < sizeof word ? len : sizeof word - 1;
    const uint32_t known = atx_words_find(w, word, len);
    const char *copy = known == ATX_NO_WORD ? keep_spliced(w, word, len) : NULL;
    return known != ATX_NO_WORD ? known : copy ? add(w, copy, len) : ATX_NO_WORD;
}

uint32_t atx_words_find(const atx_words *w, const char *text, size_t len)
{
    const struct atx_word *slot = w->slot_count ? slot_of(w, text, len) : NULL;
    return slot && slot->text ? slot->id : ATX_NO_WORD;
}

void atx_words_clear(atx_words *w)
{
    for (size_t i = 0; i < w->copy_count; i++)
        free(w->copies[i]);
    free(w->copies);
    free(w->slots);
    *w = (atx_words){ 0 };
}
