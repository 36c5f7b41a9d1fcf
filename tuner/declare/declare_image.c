/*
 * declare_image.c - writing and loading images of templates.
 *
 * A structure is copied as it is, then each of its pointers replaced: by where it points to, times two, and
 * one more when that is fixed. Invariant: every pointer of every structure is named here once. test_catalog
 * compares the images of two readings, which differ in what is not.
 */
#include "declare/declare_image.h"

#include "expr/expr_code.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

/* A copy of structures, behind those that are there. Returns where it is. */
static size_t place(at__image_writer *w, const void *from, size_t bytes)
{
    static const char ZERO[8] = { 0 };
    size_t at = w->structures.len - w->begin;
    if (bytes)
        at__str_add_bytes(&w->structures, from, bytes);
    at__str_add_bytes(&w->structures, ZERO, (8 - bytes % 8) % 8);
    return at;
}

static size_t keep(at__image_writer *w, const void *data, size_t bytes)
{
    static const char ZERO[8] = { 0 };
    at__str_add_bytes(&w->fixed, ZERO, (8 - w->fixed.len % 8) % 8);
    size_t at = w->fixed.len;
    at__str_add_bytes(&w->fixed, data, bytes);
    return at;
}

static void set_word(at__image_writer *w, size_t at, uint64_t value)
{
    if (!w->structures.failed)
        memcpy(w->structures.data + w->begin + at, &value, sizeof value);
}

static void point(at__image_writer *w, size_t at, size_t to, bool fixed)
{
    uint32_t link = (uint32_t)at;
    set_word(w, at, 2 * (uint64_t)to + fixed);
    at__str_add_bytes(&w->links, &link, sizeof link);
}

/* The pointer at `at` is to a text; a file's name is one for many lines. */
static void point_text(at__image_writer *w, size_t at, const char *text)
{
    const int most = (int)(sizeof w->kept / sizeof *w->kept);
    int i = 0;
    if (!text) {
        set_word(w, at, 0);
        return;
    }
    while (i < w->kept_count && w->kept[i].text != text)
        i++;
    size_t to = i < w->kept_count ? w->kept[i].at : keep(w, text, strlen(text) + 1);
    if (i == w->kept_count && i < most) {
        w->kept[i].text = text;
        w->kept[w->kept_count++].at = to;
    }
    point(w, at, to, true);
}

static void point_place(at__image_writer *w, size_t at, const at__where *where)
{
    point_text(w, at + offsetof(at__where, file), where->file);
}

static void point_expr(at__image_writer *w, size_t at, const at__expr *e)
{
    if (!e) {
        set_word(w, at, 0);
        return;
    }
    size_t copy = place(w, e, sizeof *e);
    point_place(w, copy + offsetof(at__expr, where), &e->where);
    point_text(w, copy + offsetof(at__expr, text), e->text);
    point_text(w, copy + offsetof(at__expr, shown), e->shown);
    point(w, copy + offsetof(at__expr, code), keep(w, e->code, e->count * sizeof *e->code), true);
    point(w, at, copy, false);
}

static void point_params(at__image_writer *w, const at__template *t)
{
    for (int i = 0; i < t->param_count; i++) {
        const at__param *p = &t->params[i];
        size_t at = offsetof(at__template, params) + (size_t)i * sizeof *p, count = (size_t)p->count;
        point_text(w, at + offsetof(at__param, meaning), p->meaning);
        point(w, at + offsetof(at__param, values), keep(w, p->values, count * sizeof *p->values), true);
        point_place(w, at + offsetof(at__param, where), &p->where);
        if (!p->labels)
            continue;
        size_t labels = place(w, p->labels, count * sizeof *p->labels);
        point(w, at + offsetof(at__param, labels), labels, false);
        for (size_t k = 0; k < count; k++)
            point_text(w, labels + k * sizeof *p->labels, p->labels[k]);
    }
}

static void point_lets(at__image_writer *w, const at__template *t)
{
    size_t lets = place(w, t->lets, t->let_count * sizeof *t->lets);
    point(w, offsetof(at__template, lets), lets, false);
    for (size_t i = 0; i < t->let_count; i++, lets += sizeof *t->lets) {
        point_text(w, lets + offsetof(at__let, meaning), t->lets[i].meaning);
        point_expr(w, lets + offsetof(at__let, expr), t->lets[i].expr);
        point_place(w, lets + offsetof(at__let, where), &t->lets[i].where);
    }
}

static void point_requires(at__image_writer *w, const at__template *t)
{
    size_t requires = place(w, t->requires, t->require_count * sizeof *t->requires);
    point(w, offsetof(at__template, requires), requires, false);
    for (size_t i = 0; i < t->require_count; i++, requires += sizeof *t->requires) {
        point_expr(w, requires + offsetof(at__require, expr), t->requires[i].expr);
        point_text(w, requires + offsetof(at__require, reason), t->requires[i].reason);
        point_place(w, requires + offsetof(at__require, where), &t->requires[i].where);
    }
}

static void point_launch(at__image_writer *w, size_t at, const at__launch *launch)
{
    for (size_t i = 0; i < 3; i++) {
        point_expr(w, at + offsetof(at__launch, grid) + i * sizeof(void *), launch->grid[i]);
        point_expr(w, at + offsetof(at__launch, block) + i * sizeof(void *), launch->block[i]);
    }
    point_expr(w, at + offsetof(at__launch, shared), launch->shared);
}

static void point_paths(at__image_writer *w, size_t at, const at__paths *paths)
{
    for (size_t i = 0; i < (size_t)paths->count; i++) {
        point_text(w, at + offsetof(at__paths, items) + i * sizeof(char *), paths->items[i]);
        point_place(w, at + offsetof(at__paths, where) + i * sizeof(at__where), &paths->where[i]);
    }
}

static void point_options(at__image_writer *w, const at__template *t)
{
    for (size_t i = 0; i < (size_t)t->option_count; i++) {
        size_t at = offsetof(at__template, options) + i * sizeof *t->options;
        point_text(w, at + offsetof(at__compiler_option, text), t->options[i].text);
        point_expr(w, at + offsetof(at__compiler_option, when), t->options[i].when);
        point_place(w, at + offsetof(at__compiler_option, where), &t->options[i].where);
    }
}

/* The text of the template, and what it is made of. */
static void point_source(at__image_writer *w, const at__template *t)
{
    size_t parts = place(w, t->parts, (size_t)t->part_count * sizeof *t->parts);
    point(w, offsetof(at__template, source), keep(w, t->source, t->source_len + 1), true);
    point(w, offsetof(at__template, parts), parts, false);
    for (int i = 0; i < t->part_count; i++, parts += sizeof *t->parts)
        point_text(w, parts + offsetof(at__part, file), t->parts[i].file);
    for (size_t i = 0; i < (size_t)t->shared_count; i++)
        point_text(w, offsetof(at__template, shared) + i * sizeof(char *), t->shared[i]);
    for (size_t i = 0; i < (size_t)t->uses.count; i++)
        point_place(w, offsetof(at__template, uses.where) + i * sizeof(at__where), &t->uses.where[i]);
}

void at__image_write(at__image *out, at__image_writer *w, const at__template *t)
{
    const at__str *names = &t->symbols.text;
    const size_t text = offsetof(at__template, symbols.text);
    w->begin = w->structures.len;
    w->kept_count = 0;
    *out = (at__image){ .begin = (uint32_t)w->begin, .link = (uint32_t)(w->links.len / sizeof(uint32_t)) };
    place(w, t, sizeof *t);
    set_word(w, offsetof(at__template, op), 0);
    if (!w->structures.failed)
        w->structures.data[w->begin + offsetof(at__template, loaded)] = false;
    point_text(w, offsetof(at__template, about), t->about);
    point_text(w, offsetof(at__template, file), t->file);
    point_text(w, offsetof(at__template, headers), t->headers);
    point(w, text + offsetof(at__str, data), keep(w, names->data, names->len + 1), true);
    point_params(w, t);
    point_lets(w, t);
    point_requires(w, t);
    point_expr(w, offsetof(at__template, fixed), t->fixed);
    point_launch(w, offsetof(at__template, launch), &t->launch);
    for (size_t i = 0; i < (size_t)t->more_count; i++)
        point_launch(w, offsetof(at__template, more) + i * sizeof(at__step) + offsetof(at__step, launch),
                     &t->more[i].launch);
    point_paths(w, offsetof(at__template, sources), &t->sources);
    point_paths(w, offsetof(at__template, includes), &t->includes);
    point_options(w, t);
    point_source(w, t);
    out->bytes = (uint32_t)(w->structures.len - w->begin);
    out->link_count = (uint32_t)(w->links.len / sizeof(uint32_t)) - out->link;
}

at_status at__image_writer_status(const at__image_writer *w, at_error *err)
{
    at_status status = at__str_status(&w->structures, err);
    if (status == AT_OK)
        status = at__str_status(&w->links, err);
    return status == AT_OK ? at__str_status(&w->fixed, err) : status;
}

void at__image_writer_clear(at__image_writer *w)
{
    at__str_clear(&w->structures);
    at__str_clear(&w->links);
    at__str_clear(&w->fixed);
}

/* ---- loading ---- */

at_status at__image_load(at__template **out, const at__op *op, const at__images *images, size_t i,
                         at_error *err)
{
    const at__image *image = &images->of[i];
    const uint32_t *link = images->links + image->link, *end = link + image->link_count;
    unsigned char *loaded = malloc(image->bytes);
    if (!loaded)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    memcpy(loaded, images->structures + image->begin, image->bytes);
    for (; link < end; link++) {
        uint64_t to;
        memcpy(&to, loaded + *link, sizeof to);
        const unsigned char *pointer = (to & 1 ? images->fixed : loaded) + to / 2;
        memcpy(loaded + *link, &pointer, sizeof pointer);
    }
    at__template *t = (at__template *)(void *)loaded;
    t->op = op;
    t->loaded = true;
    *out = t;
    return AT_OK;
}
