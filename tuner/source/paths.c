/* paths.c - text alone: no link is followed, no file asked for. */
#include "source/paths.h"

#include <string.h>

size_t atx_folder_len(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

void atx_join_path(atx_str *out, const char *file, const char *name)
{
    atx_str_reset(out);
    if (name[0] != '/')
        atx_str_add_bytes(out, file, atx_folder_len(file));
    atx_str_add(out, name);
}

static bool is_up(const char *word, size_t len)
{
    return len == 2 && word[0] == '.' && word[1] == '.';
}

/* The last component of out, without slashes; its length. */
static size_t last_component(const atx_str *out, size_t *begin)
{
    size_t end = out->len;
    while (end && out->data[end - 1] == '/')
        end--;
    for (*begin = end; *begin && out->data[*begin - 1] != '/'; --*begin)
        ;
    return end - *begin;
}

/* Components without "." and without those that ".." takes back. */
static void add_component(atx_str *out, const char *word, size_t len)
{
    size_t begin, last = last_component(out, &begin);
    if (!word || len == 0 || (len == 1 && *word == '.'))
        return;
    if (out->data && is_up(word, len) && last && !is_up(out->data + begin, last)) {
        out->len = begin;
        out->data[begin] = '\0';
        return;
    }
    if (out->data && out->len && out->data[out->len - 1] != '/')
        atx_str_add(out, "/");
    atx_str_add_bytes(out, word, len);
}

void atx_beside(atx_str *out, const char *file, const char *name)
{
    ATX_LOCAL(atx_str) joined = { 0 };
    atx_join_path(&joined, file, name);
    const char *at = atx_str_text(&joined);
    if (*at == '/')
        atx_str_add(out, "/");
    for (size_t len; *at; at += len + (at[len] == '/')) {
        len = strcspn(at, "/");
        add_component(out, at, len);
    }
    out->failed = out->failed || joined.failed;
}
