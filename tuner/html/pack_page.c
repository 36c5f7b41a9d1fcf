/* pack_page.c - a section for each model of GPU; a kernel has its colour and its letter on the whole page. */
#include "html/pack_page.h"

#include "html/markup.h"
#include "html/plot.h"
#include "pack/pack_map.h"

#include <inttypes.h>
#include <stdio.h>

enum { CELL = 9, MARGIN = 60, SPOTS = 8 };

static void add_percent(atx_str *out, const char *frame, double loss)
{
    char text[32];
    snprintf(text, sizeof text, "%.1f %%", 100 * loss);
    atx_html_add(out, frame, text);
}

static void add_loss(atx_str *out, const char *what, const atx_pack_loss *l)
{
    char count[32];
    snprintf(count, sizeof count, "%d", l->problems);
    atx_html_add(out, "<tr><td>$</td><td>$</td>", what, count);
    add_percent(out, "<td>$</td>", l->mean);
    add_percent(out, "<td>$</td>", l->median);
    add_percent(out, "<td>$</td>", l->p95);
    add_percent(out, "<td>$</td>", l->worst);
    snprintf(count, sizeof count, "%d", l->unanswered);
    atx_html_add(out, "<td>$</td></tr>\n", count);
}

static void add_losses(atx_str *out, const atx_pack *pack)
{
    atx_str_add(out, "<table><tr><th>loss expected against the best known</th><th>problems</th><th>mean</th>"
                     "<th>median</th><th>95 of 100</th><th>worst</th><th>without a kernel</th></tr>\n");
    add_loss(out, "sizes that were not used to choose", &pack->held_out);
    add_loss(out, "sizes that were", &pack->chosen);
    atx_str_add(out, "</table>\n");
}

static void add_kernels(atx_str *out, const atx_pack_set *set, int model)
{
    const atx_pack *pack = set->packs[model];
    atx_str_add(out, "<table><tr><th></th><th>template</th><th>configuration</th><th>code, bytes</th>"
                     "<th>mean loss with it and those above</th></tr>\n");
    for (int k = 0; k < pack->kernel_count; k++) {
        const atx_pack_kernel *kernel = &pack->kernels[k];
        ATX_LOCAL(atx_str) config = { 0 };
        char letter[] = { (char)('A' + k), 0 }, bytes[32];
        atx_config_text(&config, kernel->t, &kernel->config);
        snprintf(bytes, sizeof bytes, "%zu", atx_pack_code_bytes(set, model, k));
        atx_str_addf(out, "<tr><td style=\"background:hsl(%d,60%%,60%%);color:#000\">",
                     atx_hue_of((size_t)k));
        atx_html_add(out, "$</td><td>$</td><td>$</td><td>$</td>", letter, kernel->t->name,
                     atx_str_text(&config), bytes);
        add_percent(out, "<td>$</td></tr>\n", pack->curve[k].mean);
    }
    atx_str_add(out, "</table>\n");
}

/* The median and what 95 of 100 are within, of packs of 1, 2, ... kernels. */
static void add_curve(atx_str *out, const atx_pack *pack)
{
    atx_point points[2 * ATX_PACK_MAX_KERNELS];
    size_t count = 0;
    for (int n = 0; n < pack->code_count && pack->packs[n].problems; n++) {
        points[count++] = (atx_point){ n + 1, 100 * pack->packs[n].median, 210, "median", NULL };
        points[count++] = (atx_point){ n + 1, 100 * pack->packs[n].p95, 30, "95 of 100", NULL };
    }
    const atx_plot plot = { .caption =
                                "Loss of packs with fewer kernels, in percent: the median (blue) and what 95 "
                                "of 100 sizes are within (orange), of sizes that were not used to choose",
                            .x = { .label = "kernels" },
                            .y = { .label = "loss, percent" },
                            .width = 560,
                            .height = 260,
                            .points = points,
                            .count = count };
    atx_plot_add(out, &plot);
}

/* Sizes at the ends and in the middle of an axis. */
static void add_ticks(atx_str *out, const atx_pack_map *map, int bottom)
{
    for (int i = 0; i < 3; i++) {
        const int x = (map->width - 1) * i / 2, y = (map->height - 1) * i / 2;
        atx_str_addf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%" PRId64 "</text>",
                     MARGIN + x * CELL + CELL / 2, bottom + 14, map->xs[x]);
        if (map->y >= 0)
            atx_str_addf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%" PRId64 "</text>\n", MARGIN - 4,
                         bottom - y * CELL - 1, map->ys[y]);
    }
}

static void add_cell(atx_str *out, const atx_pack_map *map, const atx_op *op, int x, int y, int bottom)
{
    const int kernel = map->kernels[y][x];
    char what[160];
    int used = snprintf(what, sizeof what, "%s %" PRId64, op->shape.dims[map->x].name, map->xs[x]);
    if (map->y >= 0)
        used += snprintf(what + used, sizeof what - (size_t)used, ", %s %" PRId64,
                         op->shape.dims[map->y].name, map->ys[y]);
    if (kernel < 0)
        snprintf(what + used, sizeof what - (size_t)used, ": none");
    else
        snprintf(what + used, sizeof what - (size_t)used, ": %c", 'A' + kernel);
    atx_str_addf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"", MARGIN + x * CELL,
                 bottom - (y + 1) * CELL, CELL, CELL);
    if (kernel < 0)
        atx_str_add(out, "none\" stroke=\"currentColor\"");
    else
        atx_str_addf(out, "hsl(%d,60%%,60%%)\"", atx_hue_of((size_t)kernel));
    atx_html_add(out, "><title>$</title></rect>\n", what);
}

static void add_map(atx_str *out, const atx_pack *pack, bool odd)
{
    const atx_op *op = pack->domain.op;
    atx_pack_map map;
    if (op->shape.layout_count) /* two sizes say little of a problem that has an order */
        return;
    atx_pack_map_fill(&map, pack, ATX_PACK_MAP_CELLS, ATX_PACK_MAP_CELLS, odd);
    const int bottom = map.height * CELL + 4;
    atx_html_add(out, "<figure><figcaption>$: $ to the right$$</figcaption>\n",
                 odd ? "one more than such a multiple" : "multiples of 64, or of a smaller power of two",
                 op->shape.dims[map.x].name, map.y < 0 ? "" : ", upwards ",
                 map.y < 0 ? "" : op->shape.dims[map.y].name);
    atx_str_addf(out,
                 "<svg width=\"%d\" height=\"%d\" font-size=\"11\" fill=\"currentColor\" role=\"img\">\n",
                 MARGIN + map.width * CELL + 40, bottom + 22);
    for (int y = 0; y < map.height; y++)
        for (int x = 0; x < map.width; x++)
            add_cell(out, &map, op, x, y, bottom);
    add_ticks(out, &map, bottom);
    atx_str_add(out, "</svg></figure>\n");
}

static void add_spots(atx_str *out, const atx_pack *pack)
{
    atx_pack_spot spots[SPOTS + 1];
    const int count = atx_pack_spots(spots, SPOTS, pack);
    atx_str_add(out, "<h3>Where it loses the most</h3>\n<table><tr><th>where</th><th>mean loss</th>"
                     "<th>problems</th><th>first kernel</th></tr>\n");
    for (int i = 0; i < count; i++) {
        char problems[32], letter[] = { (char)('A' + spots[i].leaf->order[0]), 0 };
        snprintf(problems, sizeof problems, "%d", spots[i].leaf->problems);
        atx_html_add(out, "<tr><td>$</td>",
                     spots[i].where.len ? atx_str_text(&spots[i].where) : "everywhere");
        add_percent(out, "<td>$</td>", spots[i].leaf->loss);
        atx_html_add(out, "<td>$</td><td>$</td></tr>\n", problems, letter);
        atx_str_clear(&spots[i].where);
    }
    atx_str_add(out, "</table>\n");
}

at_status atx_html_pack(atx_str *out, const atx_pack_set *set, at_error *err)
{
    atx_html_begin(out, set->name);
    atx_html_add(out, "<p>A pack of $, $. Made by <code>$</code></p>\n", set->domain.op->name,
                 atx_dtype_name(set->domain.type), set->command);
    for (int m = 0; m < set->count; m++) {
        const atx_pack *pack = set->packs[m];
        char arch[32];
        snprintf(arch, sizeof arch, "sm_%d", (int)pack->limits.cc);
        atx_html_add(out, "<h2>$ $</h2>\n", pack->device[0] ? pack->device : "other GPUs of", arch);
        add_losses(out, pack);
        add_kernels(out, set, m);
        add_curve(out, pack);
        add_map(out, pack, false);
        add_map(out, pack, true);
        add_spots(out, pack);
    }
    atx_html_end(out);
    return atx_str_status(out, err);
}
