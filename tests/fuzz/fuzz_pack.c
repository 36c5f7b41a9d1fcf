/*
 * fuzz_pack.c - any text as a pack's description: refused with a message, or a pack that answers for any
 * sizes. Hashes that stand as @op and @NAME, of a template, are those of the catalog, so that what follows is
 * read.
 */
#include "pack/pack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* "@op" or "@NAME": its hash, and the characters that it stands for; NULL: neither. */
static const char *hash_at(size_t *len, const atx_catalog *catalog, const char *at, const char *end)
{
    const atx_op *op = atx_catalog_find_op(catalog, "transpose");
    char name[ATX_MAX_NAME] = "";
    size_t n = 0;
    while (at + 1 + n < end && n + 1 < sizeof name &&
           (at[1 + n] == '_' || (at[1 + n] >= 'a' && at[1 + n] <= 'z')))
        n++;
    memcpy(name, at + 1, n);
    *len = n + 1;
    const atx_template *t = atx_catalog_find_template(catalog, op, name);
    return strcmp(name, "op") == 0 ? op->text.hash : t ? t->text.hash : NULL;
}

static void ask(const atx_pack_set *set)
{
    static const int64_t SIZES[] = { 1, 7, 33, 64, 1000, 65536 };
    enum { COUNT = sizeof SIZES / sizeof *SIZES };
    for (int m = 0; m < set->count; m++)
        for (int i = 0; i < COUNT * COUNT; i++) {
            atx_geometry g;
            atx_problem problem;
            const int64_t sizes[] = { 1, SIZES[i / COUNT], SIZES[i % COUNT] };
            if (atx_problem_init(&problem, set->domain.op, set->domain.type, sizes, 3, NULL) != AT_OK)
                continue;
            const int kernel = atx_pack_find(&g, set->packs[m], &problem);
            require(kernel >= -1 && kernel < set->packs[m]->kernel_count);
        }
    require(atx_pack_model(set, "NVIDIA H200", 90, 132) < set->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static atx_catalog *catalog; /* opened once: it takes longer than most inputs */
    const char *at = (const char *)data, *end = at + size;
    atx_str text = { 0 };
    atx_pack_set *set = NULL;
    at_error err = { 0 };
    if (!catalog)
        require(atx_catalog_open(&catalog, NULL, NULL) == AT_OK);
    while (at < end) {
        size_t len = 1;
        const char *hash = *at == '@' ? hash_at(&len, catalog, at, end) : NULL;
        if (hash)
            atx_str_add(&text, hash);
        else
            atx_str_add_bytes(&text, at, len = 1);
        at += len;
    }
    if (atx_pack_parse(&set, atx_str_text(&text), text.len, "fuzz.json", catalog, &err) == AT_OK)
        ask(set);
    else
        require(err.status == AT_ERR_INPUT && err.text[0]);
    atx_pack_set_close(set);
    atx_str_clear(&text);
    return 0;
}
