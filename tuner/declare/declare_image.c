/*
 * declare_image.c - writing and loading images of templates.
 *
 * A structure is copied, then each of its pointers is replaced by twice the offset of its target, plus one if
 * the target is fixed. Invariant: every pointer of every structure is named here once. test_catalog compares
 * the images of two readings, which differ in a pointer that is not.
 */
#include "declare/declare_image.h"

#include "expr/expr_code.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

/* A copy of structures, behind those that are there. Returns where it is. */
static size_t place(atx_image_writer *w, const void *from, size_t bytes)
{
    static const char ZERO[8] = { 0 };
    size_t at = w->structures.len - w->begin;
    if (bytes)
        atx_str_add_bytes(&w->structures, from, bytes);
    atx_str_add_bytes(&w->structures, ZERO, (8 - bytes % 8) % 8);
    return at;
}

static size_t keep(atx_image_writer *w, const void *data, size_t bytes)
{
    static const char ZERO[8] = { 0 };
    atx_str_add_bytes(&w->fixed, ZERO, (8 - w->fixed.len % 8) % 8);
    size_t at = w->fixed.len;
    atx_str_add_bytes(&w->fixed, data, bytes);
    return at;
}

static void set_word(atx_image_writer *w, size_t at, uint64_t value)
{
    if (!w->structures.failed)
        memcpy(w->structures.data + w->begin + at, &value, sizeof value);
}

static void point(atx_image_writer *w, size_t at, size_t to, bool fixed)
{
    uint32_t link = (uint32_t)at;
    set_word(w, at, 2 * (uint64_t)to + fixed);
    atx_str_add_bytes(&w->links, &link, sizeof link);
}

/* The pointer at `at` is to a text; a file's name is one for many lines. */
static void point_text(atx_image_writer *w, size_t at, const char *text)
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

static void point_place(atx_image_writer *w, size_t at, const atx_where *where)
{
    point_text(w, at + offsetof(atx_where, file), where->file);
}

static void point_expr(atx_image_writer *w, size_t at, const atx_expr *e)
{
    if (!e) {
        set_word(w, at, 0);
        return;
    }
    size_t copy = place(w, e, sizeof *e);
    point_place(w, copy + offsetof(atx_expr, where), &e->where);
    point_text(w, copy + offsetof(atx_expr, text), e->text);
    point_text(w, copy + offsetof(atx_expr, shown), e->shown);
    point(w, copy + offsetof(atx_expr, code), keep(w, e->code, e->count * sizeof *e->code), true);
    point(w, at, copy, false);
}

static void point_params(atx_image_writer *w, const atx_template *t)
{
    for (int i = 0; i < t->scope.param_count; i++) {
        const atx_param *p = &t->scope.params[i];
        size_t at = offsetof(atx_template, scope.params) + (size_t)i * sizeof *p, count = (size_t)p->count;
        point_text(w, at + offsetof(atx_param, meaning), p->meaning);
        point(w, at + offsetof(atx_param, values), keep(w, p->values, count * sizeof *p->values), true);
        point_place(w, at + offsetof(atx_param, where), &p->where);
        if (!p->labels)
            continue;
        size_t labels = place(w, p->labels, count * sizeof *p->labels);
        point(w, at + offsetof(atx_param, labels), labels, false);
        for (size_t k = 0; k < count; k++)
            point_text(w, labels + k * sizeof *p->labels, p->labels[k]);
    }
}

static void point_lets(atx_image_writer *w, const atx_template *t)
{
    size_t lets = place(w, t->scope.lets, t->scope.let_count * sizeof *t->scope.lets);
    point(w, offsetof(atx_template, scope.lets), lets, false);
    for (size_t i = 0; i < t->scope.let_count; i++, lets += sizeof *t->scope.lets) {
        point_text(w, lets + offsetof(atx_let, meaning), t->scope.lets[i].meaning);
        point_expr(w, lets + offsetof(atx_let, expr), t->scope.lets[i].expr);
        point_place(w, lets + offsetof(atx_let, where), &t->scope.lets[i].where);
    }
}

static void point_requires(atx_image_writer *w, const atx_template *t)
{
    size_t requires = place(w, t->scope.requires, t->scope.require_count * sizeof *t->scope.requires);
    point(w, offsetof(atx_template, scope.requires), requires, false);
    for (size_t i = 0; i < t->scope.require_count; i++, requires += sizeof *t->scope.requires) {
        point_expr(w, requires + offsetof(atx_require, expr), t->scope.requires[i].expr);
        point_text(w, requires + offsetof(atx_require, reason), t->scope.requires[i].reason);
        point_place(w, requires + offsetof(atx_require, where), &t->scope.requires[i].where);
    }
}

static void point_launch(atx_image_writer *w, size_t at, const atx_launch *launch)
{
    atx_launch copy = *launch;
    atx_expr **all[ATX_LAUNCH_EXPRS];
    atx_launch_exprs(all, &copy);
    for (int i = 0; i < ATX_LAUNCH_EXPRS; i++)
        point_expr(w, at + (size_t)((char *)all[i] - (char *)&copy), *all[i]);
}

static void point_loops(atx_image_writer *w, const atx_template *t)
{
    for (size_t i = 0; i < (size_t)t->call.loops.count; i++) {
        const atx_loop *loop = &t->call.loops.items[i];
        const size_t at = offsetof(atx_template, call.loops.items) + i * sizeof *loop;
        point_expr(w, at + offsetof(atx_loop, first), loop->first);
        point_expr(w, at + offsetof(atx_loop, last), loop->last);
        point_place(w, at + offsetof(atx_loop, where), &loop->where);
    }
}

/* Arguments of the template's own, of which some are tensor maps. */
static void point_own_args(atx_image_writer *w, const atx_template *t)
{
    size_t own = place(w, t->call.own, t->call.own_count * sizeof *t->call.own);
    point(w, offsetof(atx_template, call.own), own, false);
    for (size_t i = 0; i < t->call.own_count; i++, own += sizeof *t->call.own) {
        if (t->call.own[i].expr)
            point_expr(w, own + offsetof(atx_arg, expr), t->call.own[i].expr);
        point_place(w, own + offsetof(atx_arg, where), &t->call.own[i].where);
    }
    for (int i = 0; i < t->call.map_count; i++) {
        const size_t at = offsetof(atx_template, call.maps) + (size_t)i * sizeof *t->call.maps;
        atx_tensor_map copy = t->call.maps[i];
        atx_expr **all[ATX_TENSOR_MAP_EXPRS];
        atx_tensor_map_exprs(all, &copy);
        for (int k = 0; k < ATX_TENSOR_MAP_EXPRS; k++)
            point_expr(w, at + (size_t)((char *)all[k] - (char *)&copy), *all[k]);
        point_place(w, at + offsetof(atx_tensor_map, where), &t->call.maps[i].where);
    }
}

static void point_paths(atx_image_writer *w, size_t at, const atx_paths *paths)
{
    for (size_t i = 0; i < (size_t)paths->count; i++) {
        point_text(w, at + offsetof(atx_paths, items) + i * sizeof(char *), paths->items[i]);
        point_place(w, at + offsetof(atx_paths, where) + i * sizeof(atx_where), &paths->where[i]);
    }
}

static void point_options(atx_image_writer *w, const atx_template *t)
{
    for (size_t i = 0; i < (size_t)t->build.option_count; i++) {
        size_t at = offsetof(atx_template, build.options) + i * sizeof *t->build.options;
        point_text(w, at + offsetof(atx_compiler_option, text), t->build.options[i].text);
        point_expr(w, at + offsetof(atx_compiler_option, when), t->build.options[i].when);
        point_place(w, at + offsetof(atx_compiler_option, where), &t->build.options[i].where);
    }
}

/* The text of the template, and its pieces. */
static void point_source(atx_image_writer *w, const atx_template *t)
{
    size_t parts = place(w, t->text.parts, (size_t)t->text.part_count * sizeof *t->text.parts);
    point(w, offsetof(atx_template, text.source), keep(w, t->text.source, t->text.source_len + 1), true);
    point(w, offsetof(atx_template, text.parts), parts, false);
    for (int i = 0; i < t->text.part_count; i++, parts += sizeof *t->text.parts)
        point_text(w, parts + offsetof(atx_part, file), t->text.parts[i].file);
    for (size_t i = 0; i < (size_t)t->text.shared_count; i++)
        point_text(w, offsetof(atx_template, text.shared) + i * sizeof(char *), t->text.shared[i]);
    for (size_t i = 0; i < (size_t)t->uses.count; i++)
        point_place(w, offsetof(atx_template, uses.where) + i * sizeof(atx_where), &t->uses.where[i]);
}

void atx_image_write(atx_image *out, atx_image_writer *w, const atx_template *t)
{
    const atx_str *names = &t->scope.symbols.text;
    const size_t text = offsetof(atx_template, scope.symbols.text);
    w->begin = w->structures.len;
    w->kept_count = 0;
    *out = (atx_image){ .begin = (uint32_t)w->begin, .link = (uint32_t)(w->links.len / sizeof(uint32_t)) };
    place(w, t, sizeof *t);
    set_word(w, offsetof(atx_template, op), 0);
    if (!w->structures.failed)
        w->structures.data[w->begin + offsetof(atx_template, loaded)] = false;
    point_text(w, offsetof(atx_template, about), t->about);
    point_text(w, offsetof(atx_template, text.file), t->text.file);
    point_text(w, offsetof(atx_template, text.headers), t->text.headers);
    point(w, text + offsetof(atx_str, data), keep(w, names->data, names->len + 1), true);
    point_params(w, t);
    point_lets(w, t);
    point_requires(w, t);
    point_expr(w, offsetof(atx_template, scope.fixed), t->scope.fixed);
    for (size_t i = 0; i < (size_t)t->call.step_count; i++)
        point_launch(w,
                     offsetof(atx_template, call.steps) + i * sizeof(atx_step) + offsetof(atx_step, launch),
                     &t->call.steps[i].launch);
    point_loops(w, t);
    point_own_args(w, t);
    point_paths(w, offsetof(atx_template, build.sources), &t->build.sources);
    point_paths(w, offsetof(atx_template, build.includes), &t->build.includes);
    point_options(w, t);
    point_source(w, t);
    out->bytes = (uint32_t)(w->structures.len - w->begin);
    out->link_count = (uint32_t)(w->links.len / sizeof(uint32_t)) - out->link;
}

at_status atx_image_writer_status(const atx_image_writer *w, at_error *err)
{
    ATX_TRY(atx_str_status(&w->structures, err));
    ATX_TRY(atx_str_status(&w->links, err));
    return atx_str_status(&w->fixed, err);
}

void atx_image_writer_clear(atx_image_writer *w)
{
    atx_str_clear(&w->structures);
    atx_str_clear(&w->links);
    atx_str_clear(&w->fixed);
}

/* ---- loading ---- */

at_status atx_image_load(atx_template **out, const atx_op *op, const atx_images *images, size_t i,
                         at_error *err)
{
    const atx_image *image = &images->of[i];
    const uint32_t *link = images->links + image->link, *end = link + image->link_count;
    unsigned char *loaded = malloc(image->bytes);
    if (!loaded)
        return atx_no_memory(err);
    memcpy(loaded, images->structures + image->begin, image->bytes);
    for (; link < end; link++) {
        uint64_t to;
        memcpy(&to, loaded + *link, sizeof to);
        const unsigned char *pointer = (to & 1 ? images->fixed : loaded) + to / 2;
        memcpy(loaded + *link, &pointer, sizeof pointer);
    }
    atx_template *t = (atx_template *)(void *)loaded;
    t->op = op;
    t->loaded = true;
    *out = t;
    return AT_OK;
}
