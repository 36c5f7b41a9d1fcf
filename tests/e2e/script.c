/* script.c - see script.h. */
#include "script.h"

#include "h200.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WORDS = 12 };

typedef struct words {
    char *list[MAX_WORDS];
    int count;
} words;

static _Noreturn void refuse(const char *why, const char *word)
{
    fprintf(stderr, "scripted driver: %s: '%s'\n", why, word);
    abort();
}

static const char *word(const words *w, int i)
{
    if (i >= w->count)
        refuse("a word is missing after", w->list[0]);
    return w->list[i];
}

static void keep(char out[MAX_WORD], const char *text)
{
    if (strlen(text) >= MAX_WORD)
        refuse("a word is too long", text);
    strcpy(out, text);
}

static rule *add(rules *list, const words *w)
{
    if (list->count == MAX_RULES)
        refuse("too many rules", w->list[0]);
    rule *r = &list->list[list->count++];
    *r = (rule){ 0 };
    keep(r->what, word(w, 1));
    return r;
}

static void read_tail(rule *r, const words *w, int from)
{
    for (int i = from; i < w->count; i++)
        if (strcmp(w->list[i], "sticky") == 0)
            r->sticky = true;
        else if (strcmp(w->list[i], "code") == 0)
            r->code = atoi(word(w, ++i));
        else if (strcmp(w->list[i], "once") == 0)
            keep(r->once, word(w, ++i));
        else if (strcmp(w->list[i], "while") == 0)
            keep(r->during, word(w, ++i));
        else if (strcmp(w->list[i], "create") == 0)
            keep(r->create, word(w, ++i));
        else
            refuse("unknown word", w->list[i]);
}

static void read_action(rule *r, const char *text)
{
    static const char *const NAMES[] = { [WRONG] = "wrong",   [UNWRITTEN] = "unwritten", [BEHIND] = "behind",
                                         [BEFORE] = "before", [INPUT] = "input",         [FAR] = "far",
                                         [HANG] = "hang",     [REFUSED] = "refused" };
    r->action = FAULT;
    r->code = atoi(text);
    for (int i = WRONG; i <= REFUSED; i++)
        if (strcmp(NAMES[i], text) == 0)
            r->action = (action)i;
    if (r->action == FAULT && r->code <= 0)
        refuse("unknown action", text);
}

static bool read_rule(script *s, const words *w)
{
    const char *what = w->list[0];
    bool is_time = strcmp(what, "time") == 0, is_kernel = strcmp(what, "kernel") == 0;
    bool is_energy = strcmp(what, "energy") == 0;
    if (is_time || is_energy || is_kernel) {
        rule *r = add(is_time ? &s->time : is_energy ? &s->energy : &s->kernel, w);
        r->threads = strcmp(word(w, 2), "*") == 0 ? 0 : atoi(word(w, 2));
        if (!is_kernel)
            r->ns = atof(word(w, 3));
        else
            read_action(r, word(w, 3));
        read_tail(r, w, 4);
    } else if (strcmp(what, "fail") == 0) {
        rule *r = add(&s->fail, w);
        r->at = atol(word(w, 2));
        r->code = atoi(word(w, 3));
        read_tail(r, w, 4);
    } else if (strcmp(what, "late") == 0) {
        rule *r = add(&s->late, w);
        r->at = atol(r->what);
        r->ns = atof(word(w, 2));
    } else if (strcmp(what, "slow") == 0) {
        rule *r = add(&s->slow, w);
        r->ns = 1e6 * atof(word(w, 2));
        read_tail(r, w, 3);
    } else if (strcmp(what, "hold") == 0) {
        rule *r = add(&s->hold, w);
        keep(r->until, word(w, 2));
        read_tail(r, w, 3);
    } else {
        return false;
    }
    return true;
}

static bool read_text(script *s, const words *w)
{
    const struct {
        const char *name;
        char *to;
    } TEXTS[] = { { "times", s->times }, { "log", s->log }, { "counted", s->counted }, { "gone", s->gone } };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        if (strcmp(TEXTS[i].name, w->list[0]) == 0) {
            keep(TEXTS[i].to, word(w, 1));
            return true;
        }
    return false;
}

static void read_number(script *s, const words *w)
{
    const char *what = w->list[0], *value = word(w, 1);
    if (strcmp(what, "element") == 0)
        s->element = atoi(value);
    else if (strcmp(what, "count") == 0)
        s->devices = atoi(value);
    else if (strcmp(what, "cuda") == 0)
        s->cuda = atoi(value);
    else if (strcmp(what, "memory") == 0)
        s->memory_bytes = atoll(value);
    else if (strcmp(what, "free") == 0)
        s->free_bytes = atoll(value);
    else if (strcmp(what, "l2") == 0)
        s->l2_bytes = atoll(value);
    else if (strcmp(what, "touch") == 0)
        s->touch_bytes = atoll(value);
    else if (strcmp(what, "pace") == 0)
        s->pace = atof(value);
    else if (strcmp(what, "warm") == 0)
        s->warm = atof(value);
    else if (strcmp(what, "noise") == 0)
        s->noise = atof(value);
    else
        refuse("unknown setting", what);
}

static void read_line(script *s, char *line)
{
    words w = { 0 };
    char *rest = NULL;
    line[strcspn(line, "#")] = '\0';
    for (char *at = strtok_r(line, " \t", &rest); at; at = strtok_r(NULL, " \t", &rest)) {
        if (w.count == MAX_WORDS)
            refuse("too many words", at);
        w.list[w.count++] = at;
    }
    if (w.count && !read_rule(s, &w) && !read_text(s, &w))
        read_number(s, &w);
}

/* A line that says whom those below concern. */
static bool read_section(script *s, bool *skip, const char *line, int device)
{
    if (strncmp(line, "on ", 3) != 0)
        return false;
    *skip = atoi(line + 3) != device;
    return s->sections = true;
}

static void read_for(script *out, const char *text, int device)
{
    char *rest = NULL, *copy = strdup(text);
    bool skip = false;
    *out = (script){ .element = 4,
                     .devices = 1,
                     .cuda = H200_CUDA,
                     .memory_bytes = (int64_t)H200_MEMORY_BYTES,
                     .free_bytes = -1,
                     .l2_bytes = 60 << 20 };
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (!read_section(out, &skip, line, device) && !skip)
            read_line(out, line);
    if (out->free_bytes < 0)
        out->free_bytes = out->memory_bytes;
    free(copy);
}

void script_read(script *out, const char *text)
{
    read_for(out, text, -1);
}

static void read_file(script *out, int device)
{
    static char text[1 << 16];
    size_t len = 0;
    const char *path = getenv("AT_SCRIPT");
    FILE *file = path && *path ? fopen(path, "r") : NULL;
    if (path && *path && !file)
        refuse("cannot be read", path);
    if (file) {
        len = fread(text, 1, sizeof text - 1, file);
        fclose(file);
    }
    text[len] = '\0';
    read_for(out, text, device);
}

void script_read_file(script *out)
{
    read_file(out, -1);
}

void script_read_on(script *out, int device)
{
    if (out->sections)
        read_file(out, device);
}

rule *script_find(rules *list, const char *name, int threads)
{
    for (int i = 0; i < list->count; i++) {
        rule *r = &list->list[i];
        if ((r->threads == 0 || r->threads == threads) && fnmatch(r->what, name, 0) == 0)
            return r;
    }
    return NULL;
}

bool script_happens(const rule *r)
{
    if (r->during[0] && access(r->during, F_OK) != 0)
        return false;
    if (r->once[0] && unlink(r->once) != 0)
        return false;
    if (r->create[0]) {
        int fd = open(r->create, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
        if (fd >= 0)
            close(fd);
    }
    return true;
}
