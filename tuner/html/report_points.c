/* report_points.c - which winners the report shows, the points of its plots, a colour for each template. */
#include "html/report_internal.h"
#include "html/type_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool atx_html_wants(const atx_html_options *o, const atx_answer *a)
{
    return (!o->device || strcmp(a->fingerprint.device, o->device) == 0) &&
           (!o->op || strcmp(a->op, o->op) == 0) && (!o->shape || strcmp(a->shape, o->shape) == 0);
}

int atx_html_hue(atx_html_page *page, const char *template_name)
{
    size_t i = 0;
    while (i < page->kind_count && strcmp(page->kinds[i].name, template_name) != 0)
        i++;
    if (i < page->kind_count)
        return atx_hue_of(i);
    if (!atx_grow(&page->kinds, &page->kind_cap, page->kind_count, sizeof *page->kinds)) {
        page->failed = true;
        return 0;
    }
    atx_html_kind *made = &page->kinds[page->kind_count++];
    *made = (atx_html_kind){ .wins = 0 };
    snprintf(made->name, sizeof made->name, "%s", template_name);
    return atx_hue_of(i);
}

bool atx_html_cloud_open(atx_html_cloud *c, size_t most)
{
    *c = (atx_html_cloud){ .points = calloc(most, sizeof *c->points),
                           .texts = calloc(most, sizeof *c->texts) };
    return c->points && c->texts;
}

void atx_html_cloud_close(atx_html_cloud *c)
{
    free(c->points);
    free(c->texts);
}

void atx_html_cloud_add(atx_html_cloud *c, atx_point point, const atx_answer *a, const char *figure)
{
    char *text = c->texts[c->count];
    snprintf(text, sizeof *c->texts, "%.60s %.40s: %.40s", a->shape, atx_html_type(a->type_key), figure);
    point.what = text;
    c->points[c->count++] = point;
}
