/* adopt_space_expr.c - Python's expressions of a T1 file, token by token. */
#include "exchange/adopt_space_internal.h"

#include "util/chars.h"

#include <assert.h>
#include <string.h>

const char *atx_adopt_space_dim(int i)
{
    static const char *const DIMS[] = { "problem_x", "problem_y", "problem_z", "problem_u",
                                        "problem_v", "problem_w", "problem_s", "problem_t" };
    static_assert(sizeof DIMS / sizeof *DIMS >= ATX_MAX_DIMS, "each dimension has a name");
    return DIMS[i];
}

uint32_t atx_space_member(const atx_json *json, uint32_t object, const char *name)
{
    return object && json->nodes[object].kind == ATX_JSON_OBJECT ? atx_json_member(json, object, name) : 0;
}

/* "ProblemSize[1]" -> problem_y. How many characters it takes; 0: it is none. */
static size_t take_size(atx_str *out, const atx_import_file *file, const char *at)
{
    static const char WORD[] = "ProblemSize";
    const size_t n = sizeof WORD - 1;
    if (strncmp(at, WORD, n) != 0 || atx_is_word_part(at[n]))
        return 0;
    if (at[n] == '[' && atx_is_digit(at[n + 1]) && at[n + 2] == ']' && at[n + 1] - '0' < file->size_count) {
        atx_str_add(out, atx_adopt_space_dim(at[n + 1] - '0'));
        return n + 3;
    }
    if (at[n] == '[' || file->size_count != 1)
        return 0;
    atx_str_add(out, atx_adopt_space_dim(0));
    return n;
}

/* "max(tile)" -> 8: of all values of a parameter. */
static size_t take_extreme(atx_str *out, const atx_import_file *file, const char *at)
{
    const bool most = strncmp(at, "max(", 4) == 0;
    const size_t n = strcspn(at, ")");
    if ((!most && strncmp(at, "min(", 4) != 0) || !at[n])
        return 0;
    const int p = atx_import_find_param(file, at + 4, n - 4);
    if (p < 0 || file->params[p].values[0].word)
        return 0;
    int64_t found = file->params[p].values[0].number;
    for (size_t i = 1; i < file->params[p].count; i++) {
        const int64_t v = file->params[p].values[i].number;
        found = (most ? v > found : v < found) ? v : found;
    }
    atx_str_add_int(out, found);
    return n + 1;
}

/* The name or number at `at`. 0: it has no meaning here. */
static size_t take_word(atx_str *out, const atx_import_file *file, const char *at, bool alone)
{
    size_t n = take_size(out, file, at), len = 0;
    if (!n)
        n = take_extreme(out, file, at);
    while (!n && atx_is_word_part(at[len]))
        len++;
    if (!n && (strspn(at, "0123456789") == len || (!alone && atx_import_find_param(file, at, len) >= 0))) {
        atx_str_add_bytes(out, at, len);
        n = len;
    }
    return n;
}

void atx_space_expr(atx_str *out, const atx_import_file *file, uint32_t node, bool alone)
{
    atx_str text = { 0 }, made = { 0 };
    atx_json_add_text(&text, &file->json, node);
    const char *at = atx_str_text(&text);
    bool good = *at && !strstr(at, "**");
    while (good && *at) {
        size_t n = 1;
        if (atx_is_word_part(*at))
            good = (n = take_word(&made, file, at, alone)) > 0;
        else if (at[0] == '/' && at[1] == '/')
            n = 1; /* the other one stays */
        else if (strchr(" +-*/()%", *at))
            atx_str_add_bytes(&made, at, 1);
        else
            good = false;
        at += n;
    }
    if (good)
        atx_str_add(out, atx_str_text(&made));
    out->failed = out->failed || text.failed || made.failed;
    atx_str_clear(&made);
    atx_str_clear(&text);
}
