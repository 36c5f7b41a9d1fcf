/*
 * packed.c - a map of a pack: which kernel serves which sizes, and where the expected loss is; letters stand
 * for kernels.
 */
#include "cli/packed.h"

#include "cli/print.h"
#include "pack/pack_map.h"

#include <inttypes.h>
#include <stdio.h>

enum { WIDTH = 40, HEIGHT = 20, SPOTS = 6 };

static void print_loss(const char *what, const atx_pack_loss *l)
{
    if (!l->problems) {
        atx_print(stdout, "  %-34s none is known\n", what);
        return;
    }
    atx_print(stdout, "  %-34s mean %.1f %%, median %.1f %%, 95 of 100 within %.1f %%, worst %.1f %%", what,
              100 * l->mean, 100 * l->median, 100 * l->p95, 100 * l->worst);
    if (l->unanswered)
        atx_print(stdout, "; %d of %d have no kernel", l->unanswered, l->problems);
    atx_print(stdout, "\n");
}

static void print_kernels(const atx_pack_set *set, int model)
{
    const atx_pack *pack = set->packs[model];
    atx_print(stdout, "  kernels; bytes of code; mean loss with it and those above\n");
    for (int k = 0; k < pack->kernel_count; k++) {
        ATX_LOCAL(atx_str) config = { 0 };
        atx_config_text(&config, pack->kernels[k].t, &pack->kernels[k].config);
        atx_print(stdout, "  %c %6zu %7.1f %%  %s %s\n", 'A' + k, atx_pack_code_bytes(set, model, k),
                  100 * pack->curve[k].mean, pack->kernels[k].t->name, atx_str_text(&config));
    }
}

static void print_map(const atx_pack *pack, bool odd)
{
    const atx_op *op = pack->domain.op;
    atx_pack_map map;
    if (op->shape.layout_count) /* two sizes say little of a problem that has an order */
        return;
    atx_pack_map_fill(&map, pack, WIDTH, HEIGHT, odd);
    atx_print(stdout, "\n  %s: %s %" PRId64 " to %" PRId64 " to the right",
              odd ? "one more than such a multiple" : "multiples of 64, or of a smaller power of two",
              op->shape.dims[map.x].name, map.xs[0], map.xs[map.width - 1]);
    atx_print(stdout, map.y < 0 ? "\n" : ", %s downwards\n", map.y < 0 ? "" : op->shape.dims[map.y].name);
    for (int y = 0; y < map.height; y++) {
        char line[ATX_PACK_MAP_CELLS + 1] = "";
        for (int x = 0; x < map.width; x++)
            line[x] = map.kernels[y][x] < 0 ? '.' : (char)('A' + map.kernels[y][x]);
        if (map.y < 0)
            atx_print(stdout, "           %s\n", line);
        else
            atx_print(stdout, "  %8" PRId64 " %s\n", map.ys[y], line);
    }
}

static void print_spots(const atx_pack *pack)
{
    atx_pack_spot spots[SPOTS + 1];
    const int count = atx_pack_spots(spots, SPOTS, pack);
    atx_print(stdout, "\n  where it loses the most: mean loss, problems, first kernel\n");
    for (int i = 0; i < count; i++) {
        const atx_pack_node *leaf = spots[i].leaf;
        atx_print(stdout, "  %7.1f %% %5d  %c  %s\n", 100 * leaf->loss, leaf->problems, 'A' + leaf->order[0],
                  spots[i].where.len ? atx_str_text(&spots[i].where) : "everywhere");
        atx_str_clear(&spots[i].where);
    }
}

void atx_print_pack(const atx_pack_set *set)
{
    atx_print(stdout, "pack %s: %s %s\n", set->name, set->domain.op->name, atx_dtype_name(set->domain.type));
    for (int m = 0; m < set->count; m++) {
        const atx_pack *pack = set->packs[m];
        atx_print(stdout, "\n%s sm_%d: %d kernels of %d\n", pack->device[0] ? pack->device : "other GPUs of",
                  (int)pack->limits.cc, pack->code_count, pack->candidates);
        print_loss("loss, sizes not used to choose", &pack->held_out);
        print_loss("loss, sizes chosen by", &pack->chosen);
        print_kernels(set, m);
        print_map(pack, false);
        print_map(pack, true);
        print_spots(pack);
    }
}
