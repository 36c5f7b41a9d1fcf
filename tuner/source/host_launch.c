/* host_launch.c - see host_launch.h. A launch is found by its <<<; its kernel is before that. */
#include "source/host_launch.h"

#include "source/declarator.h"

#include <string.h>

/* "<<<" at token i: the lexer has "<<" and "<"; "<< <", as some formatters leave it. */
static bool opens(const atx_tokens *t, size_t i)
{
    return atx_tokens_is(t, i, "<<") && atx_tokens_is(t, i + 1, "<");
}

static bool closes(const atx_tokens *t, size_t i)
{
    return (atx_tokens_is(t, i, ">>") && atx_tokens_is(t, i + 1, ">")) ||
           (atx_tokens_is(t, i, ">") && atx_tokens_is(t, i + 1, ">>"));
}

/* The ">>>" that belongs to the "<<<" before `begin`; count: none. */
static size_t find_close(const atx_tokens *t, size_t begin)
{
    for (size_t i = begin; i < t->count && !atx_tokens_is(t, i, ";"); i++) {
        if (closes(t, i))
            return i;
        if (atx_tokens_opens(t, i))
            i = atx_tokens_match(t, i);
    }
    return t->count;
}

/* Commas of begin..end that no bracket encloses. */
static int split(size_t (*out)[2], int max, const atx_tokens *t, size_t begin, size_t end)
{
    int count = 0;
    for (size_t at = begin; at < end && count < max; at = out[count++][1] + 1) {
        out[count][0] = at;
        out[count][1] = atx_code_comma(t, at, end);
    }
    return count;
}

/* Behind a '<' of a template's arguments that ends at the '>' before `end`; 0: it is none. */
static size_t find_list(const atx_tokens *t, size_t end)
{
    if (!end || !(atx_tokens_is(t, end - 1, ">") || atx_tokens_is(t, end - 1, ">>")) ||
        t->items[end - 1].pair >= end)
        return 0;
    return t->items[end - 1].pair + 1;
}

/* Behind the statement that begins at token i: a block, or up to ';', what it depends on included. */
static size_t statement_end(const atx_tokens *t, size_t i)
{
    static const char *const HEADS[] = { "for", "while", "if", "switch", NULL };
    enum { MOST_HEADS = 16 };
    for (int n = 0; n < MOST_HEADS && i < t->count && atx_token_is_one_of(t->text, &t->items[i], HEADS) &&
                    atx_tokens_is(t, i + 1, "(");
         n++)
        i = atx_tokens_match(t, i + 1) + 1;
    return atx_tokens_is(t, i, "{") ? atx_tokens_match(t, i) : atx_tokens_find(t, i, t->count, ";");
}

/* The launch whose "<<<" is at token i. */
static bool read_angles(atx_host_launch *out, const atx_tokens *t, size_t i)
{
    const size_t close = find_close(t, i + 2), list = find_list(t, i);
    const size_t open = close + 2;
    size_t name = list ? list - 1 : i; /* behind the name */
    if (close >= t->count || !atx_tokens_is(t, open, "(") || !name || !atx_tokens_is_word(t, name - 1))
        return false;
    *out = (atx_host_launch){ .at = name - 1 };
    out->list = list;
    out->list_end = list ? i - 1 : 0;
    out->config_count = split(out->config, 4, t, i + 2, close);
    out->arg_count = split(out->args, ATX_HOST_ARGS, t, open + 1, atx_tokens_match(t, open));
    return true;
}

/* What a call names is looked for among so many tokens before it: a file may have thousands of calls. */
enum { MOST_BACK = 2048 };

/* "&name, &other" of an array of arguments that is defined before the call: void *args[] = { &a, &b }; */
static int read_array(size_t (*out)[2], const atx_tokens *t, size_t name, size_t before)
{
    for (size_t i = before; i > 0 && before - i < MOST_BACK; i--) {
        const size_t at = i - 1;
        if (!atx_tokens_is_word(t, at) || !atx_tokens_is(t, at + 1, "[") || !at ||
            !atx_tokens_is(t, at - 1, "*"))
            continue;
        size_t brace = atx_tokens_match(t, at + 1) + 1;
        brace += atx_tokens_is(t, brace, "=");
        if (!atx_code_same(t, at, name) || !atx_tokens_is(t, brace, "{"))
            continue;
        const int count = split(out, ATX_HOST_ARGS, t, brace + 1, atx_tokens_match(t, brace));
        for (int k = 0; k < count; k++) {
            size_t and = out[k][1];
            while (and > out[k][0] && !atx_tokens_is(t, and-1, "&"))
                and--;
            out[k][0] = and;
        }
        return count;
    }
    return -1;
}

/* The kernel of "(void *)k<T>", "(k<T>)", "HIP_KERNEL_NAME(k<T>)". */
static void read_name(atx_host_launch *out, const atx_tokens *t, size_t begin, size_t end)
{
    while (end > begin && atx_tokens_is(t, end - 1, ")") && t->items[end - 1].pair >= begin) {
        begin = t->items[end - 1].pair + 1;
        end--;
    }
    const size_t list = find_list(t, end);
    *out =
        (atx_host_launch){ .at = (list ? list - 1 : end) - 1, .list = list, .list_end = list ? end - 1 : 0 };
    while (out->at > begin && !atx_tokens_is_word(t, out->at))
        out->at--;
}

/* cudaLaunchKernel(k, grid, block, args, shared, stream) and hipLaunchKernelGGL(k, grid, block, shared,
 * stream, arguments...) at its name. */
static bool read_call(atx_host_launch *out, const atx_tokens *t, size_t i)
{
    enum { MOST = ATX_HOST_ARGS + 5 };
    static const int LISTED[] = { 1, 2, 4, 5 }, FLAT[] = { 1, 2, 3, 4 };
    size_t parts[MOST][2];
    const size_t open = i + 1, end = atx_tokens_match(t, open);
    const int count = end < t->count ? split(parts, MOST, t, open + 1, end) : 0;
    const bool flat = atx_tokens_is(t, i, "hipLaunchKernelGGL");
    if (count < 4 + flat)
        return false;
    read_name(out, t, parts[0][0], parts[0][1]);
    out->cooperative = atx_tokens_is(t, i, "cudaLaunchCooperativeKernel");
    for (int k = 0; k < 4 && (flat ? FLAT : LISTED)[k] < count; k++) {
        memcpy(out->config[k], parts[(flat ? FLAT : LISTED)[k]], sizeof out->config[k]);
        out->config_count++;
    }
    if (flat)
        memcpy(out->args, parts[5], sizeof *parts * (size_t)(count - 5));
    out->arg_count = flat                             ? count - 5
                     : parts[3][1] == parts[3][0] + 1 ? read_array(out->args, t, parts[3][0], i)
                                                      : -1;
    return true;
}

/* "config.MEMBER = ...;", or "config = {...}" whose part `nth` it is, before token i: the last one. */
static bool read_member(size_t out[2], const atx_tokens *t, size_t config, size_t i, const char *member,
                        int nth)
{
    size_t parts[4][2];
    for (size_t at = i; at-- > 0 && i - at <= MOST_BACK;) {
        if (!atx_code_same(t, at, config))
            continue;
        if (atx_tokens_is(t, at + 1, ".") && atx_tokens_is(t, at + 2, member)) {
            if (!atx_tokens_is(t, at + 3, "=")) /* config.gridDim.x = ... */
                return false;
            out[0] = at + 4;
            out[1] = atx_tokens_find(t, at + 4, t->count, ";");
            return true;
        }
        const size_t brace = at + 1 + atx_tokens_is(t, at + 1, "=");
        if (!atx_tokens_is(t, brace, "{") ||
            split(parts, 4, t, brace + 1, atx_tokens_match(t, brace)) <= nth ||
            atx_tokens_is(t, brace + 1, "."))
            continue;
        memcpy(out, parts[nth], sizeof parts[nth]);
        return true;
    }
    return false;
}

/* cudaLaunchKernelEx(&config, k<T>, arguments...) at its name. */
static bool read_configured(atx_host_launch *out, const atx_tokens *t, size_t i)
{
    static const char *const MEMBERS[] = { "gridDim", "blockDim", "dynamicSmemBytes" };
    enum { MOST = ATX_HOST_ARGS + 2 };
    size_t parts[MOST][2];
    const size_t open = i + 1, end = atx_tokens_match(t, open);
    const int count = end < t->count ? split(parts, MOST, t, open + 1, end) : 0;
    if (count < 2)
        return false;
    read_name(out, t, parts[1][0], parts[1][1]);
    for (int k = 0; k < 3; k++)
        out->config_count +=
            out->config_count == k && read_member(out->config[k], t, parts[0][1] - 1, i, MEMBERS[k], k);
    out->arg_count = count - 2;
    memcpy(out->args, parts[2], sizeof *parts * (size_t)out->arg_count);
    return true;
}

/* "while (0)" or "while (false)" at token i. */
static bool is_done_once(const atx_tokens *t, size_t i)
{
    static const char *const NEVER[] = { "0", "false", NULL };
    return atx_tokens_is(t, i, "while") && atx_tokens_is(t, i + 3, ")") &&
           atx_token_is_one_of(t->text, &t->items[i + 2], NEVER);
}

void atx_host_find_loops(atx_host_launch *launch, const atx_tokens *t)
{
    static const char *const LOOPS[] = { "for", "while", "do", NULL };
    const size_t at = launch->at;
    launch->loop_count = 0;
    for (size_t i = 0; i < at && launch->loop_count < ATX_HOST_LOOPS; i++) {
        if (!atx_token_is_one_of(t->text, &t->items[i], LOOPS))
            continue;
        const bool has_head = atx_tokens_is(t, i + 1, "(");
        const size_t begin = has_head ? atx_tokens_match(t, i + 1) + 1 : i + 1;
        const size_t end = begin <= at ? statement_end(t, begin) : begin;
        if (begin > at || end <= at || (atx_tokens_is(t, i, "do") && is_done_once(t, end + 1)))
            continue;
        launch->loops[launch->loop_count] = i;
        launch->bodies[launch->loop_count][0] = begin;
        launch->bodies[launch->loop_count++][1] = end;
    }
}

bool atx_host_launch_next(atx_host_launch *out, const atx_tokens *t, const char *kernel, size_t *at)
{
    static const char *const CALLS[] = { "cudaLaunchKernel", "cudaLaunchCooperativeKernel", "hipLaunchKernel",
                                         "hipLaunchKernelGGL", NULL };
    while (*at < t->count) {
        const size_t i = (*at)++;
        bool found = false;
        if (opens(t, i))
            found = read_angles(out, t, i);
        else if (atx_tokens_is_word(t, i) && atx_tokens_is(t, i + 1, "(") &&
                 atx_token_is_one_of(t->text, &t->items[i], CALLS))
            found = read_call(out, t, i);
        else if (atx_tokens_is(t, i, "cudaLaunchKernelEx") && atx_tokens_is(t, i + 1, "("))
            found = read_configured(out, t, i);
        if (found && (!kernel || atx_tokens_is(t, out->at, kernel)))
            return true;
    }
    return false;
}
