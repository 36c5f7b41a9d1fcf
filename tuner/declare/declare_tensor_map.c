/*
 * declare_tensor_map.c - a line that defines an argument of the template's own: a tensor map, by which the
 * copy engine finds boxes of a buffer.
 *
 *     tensormap NAME = BUFFER dims EXPR... [strides EXPR...] box EXPR... [steps EXPR...] [swizzle EXPR]
 *               [interleave EXPR] [l2 EXPR] [nan]
 *
 * The innermost dimension comes first, as in CUDA.
 */
#include <stddef.h>
#include <string.h>

#include "declare/declare_internal.h"

static const char *const ENDS[] = { "strides", "box", "steps", "swizzle", "interleave", "l2", "nan", NULL };
static const char EXPECTED[] =
    "'strides', 'box', 'steps', 'swizzle', 'interleave', 'l2', 'nan' or the end of the line";

static int find_buffer(atx_lines *lines, const atx_op *op)
{
    char name[ATX_MAX_NAME];
    const char *at = atx_lines_name(name, lines, "a buffer of the operation");
    for (int i = 0; i < op->arg_count; i++)
        if (strcmp(op->args[i].name, name) == 0 && op->args[i].role != ATX_SCALAR)
            return i;
    atx_lines_fail(lines, at, "found '%s'; expected a buffer of the operation %s", name, op->name);
    return 0;
}

/* As many as there are dimensions, less `fewer`. */
static void read_sizes(atx_lines *lines, atx_tensor_map *map, atx_expr **out, const char *word, int fewer)
{
    const char *at = lines->at;
    const int count = atx_read_exprs(lines, out, ATX_MAX_TENSOR_DIMS, ENDS, EXPECTED);
    if (count != map->rank - fewer)
        atx_lines_fail(lines, at, "found %d sizes behind '%s'; expected %d, of %d dimensions", count, word,
                       map->rank - fewer, map->rank);
}

static void read_options(atx_lines *lines, atx_tensor_map *map)
{
    while (lines->status == AT_OK && !atx_lines_at_end(lines)) {
        if (atx_lines_skip_word(lines, "steps"))
            read_sizes(lines, map, map->steps, "steps", 0);
        else if (atx_lines_skip_word(lines, "swizzle"))
            atx_read_exprs(lines, &map->swizzle, 1, ENDS, EXPECTED);
        else if (atx_lines_skip_word(lines, "interleave"))
            atx_read_exprs(lines, &map->interleave, 1, ENDS, EXPECTED);
        else if (atx_lines_skip_word(lines, "l2"))
            atx_read_exprs(lines, &map->l2, 1, ENDS, EXPECTED);
        else if (atx_lines_skip_word(lines, "nan"))
            map->nan = true;
        else
            atx_lines_expected(lines, EXPECTED);
    }
}

void atx_read_tensor_map(atx_lines *lines, void *target)
{
    atx_template *t = ((atx_reading *)target)->t;
    atx_arg *arg = atx_begin_own_arg(lines, t);
    if (!arg)
        return;
    if (t->call.map_count == ATX_MAX_MAPS) {
        atx_lines_fail(lines, lines->at, "found more than %d tensor maps; expected fewer", ATX_MAX_MAPS);
        return;
    }
    atx_tensor_map *map = &t->call.maps[t->call.map_count++];
    arg->map = t->call.map_count;
    arg->own_type = true;
    arg->type = ATX_U8;
    arg->scalar_bytes = ATX_TENSOR_MAP_BYTES;
    atx_lines_take(lines, "=", NULL);
    map->arg = find_buffer(lines, t->op);
    map->where = arg->where;
    atx_lines_take(lines, "dims", "'dims' and the sizes of the buffer, the innermost first");
    map->rank = atx_read_exprs(lines, map->dims, ATX_MAX_TENSOR_DIMS, ENDS, EXPECTED);
    if (atx_lines_skip_word(lines, "strides"))
        read_sizes(lines, map, map->strides, "strides", 1);
    atx_lines_take(lines, "box", "'box' and the sizes of what one copy brings");
    read_sizes(lines, map, map->box, "box", 0);
    read_options(lines, map);
}
