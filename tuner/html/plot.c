/*
 * plot.c - maps values to pixels, linearly or by their logarithm. Marks on a logarithmic axis are powers of
 * ten, or 1, 2, 5 times these where it spans less than two of them; on a linear one, multiples of 1, 2 or 5
 * times a power of ten, about five of them.
 */
#include "html/plot.h"

#include "html/markup.h"
#include <math.h>

enum { LEFT = 62, RIGHT = 12, TOP = 8, BOTTOM = 40 };
enum { MANY = 100 }; /* points that would hide each other if they were larger */

/* An axis with its ends in pixels. */
typedef struct scale {
    double low, high; /* of the values, or of their logarithms */
    double from, to;  /* pixels */
    bool logarithmic;
} scale;

int atx_hue_of(size_t n)
{
    return (int)((double)n * 137.508) % 360; /* the golden angle */
}

static bool fits(const atx_axis *axis, double value)
{
    return isfinite(value) && (!axis->logarithmic || value > 0);
}

static double place(const scale *s, double value)
{
    double v = s->logarithmic ? log10(value) : value;
    double share = s->high > s->low ? (v - s->low) / (s->high - s->low) : 0.5;
    return s->from + share * (s->to - s->from);
}

static scale make_scale(const atx_axis *axis, double least, double most, double from, double to)
{
    double low = axis->low < axis->high ? axis->low : least;
    double high = axis->low < axis->high ? axis->high : most;
    scale s = { .from = from, .to = to, .logarithmic = axis->logarithmic };
    s.low = s.logarithmic ? log10(low) : low;
    s.high = s.logarithmic ? log10(high) : high;
    double margin = 0.05 * (s.high - s.low);
    if (axis->low >= axis->high) {
        s.low -= margin;
        s.high += margin;
    }
    return s;
}

/* 1, 2 or 5 times a power of ten, so that about five steps cover the axis. */
static double step_of(const scale *s)
{
    double rough = (s->high - s->low) / 5, power = pow(10, floor(log10(rough > 0 ? rough : 1)));
    double lead = rough / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

typedef void mark_at(atx_str *out, const scale *s, double value, double other);

enum { MOST_MARKS = 16 }; /* twice what step_of() comes to */

static void each_mark(atx_str *out, const scale *s, double other, mark_at *mark)
{
    static const double LEADS[] = { 1, 2, 5 };
    if (!s->logarithmic) {
        double step = step_of(s);
        double first = ceil(s->low / step), last = s->high / step + 1e-9;
        for (int i = 0; i < MOST_MARKS && first + i <= last; i++)
            mark(out, s, (first + i) * step, other);
        return;
    }
    int leads = s->high - s->low < 2 ? 3 : 1;
    for (int power = (int)floor(s->low); power <= s->high; power++)
        for (int i = 0; i < leads; i++) {
            double v = LEADS[i] * pow(10, power);
            if (log10(v) >= s->low && log10(v) <= s->high)
                mark(out, s, v, other);
        }
}

/* 500, 20k, 1M: short, whatever the power of ten. */
static void add_number(atx_str *out, double value)
{
    const char *unit = value >= 1e9 ? "G" : value >= 1e6 ? "M" : value >= 1e3 ? "k" : "";
    double by = value >= 1e9 ? 1e9 : value >= 1e6 ? 1e6 : value >= 1e3 ? 1e3 : 1;
    atx_str_addf(out, "%.4g%s</text>\n", value / by, unit);
}

static void mark_x(atx_str *out, const scale *s, double value, double y)
{
    double x = place(s, value);
    atx_str_addf(
        out, "<path class=\"axis\" d=\"M%.1f %dV%.1f\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
        x, TOP, y + 4, x, y + 17);
    add_number(out, value);
}

static void mark_y(atx_str *out, const scale *s, double value, double width)
{
    double y = place(s, value);
    atx_str_addf(out,
                 "<path class=\"axis\" d=\"M%d %.1fH%.1f\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
                 LEFT, y, width, LEFT - 6, y + 4);
    add_number(out, value);
}

static void add_points(atx_str *out, const atx_plot *p, const scale *sx, const scale *sy)
{
    for (size_t i = 0; i < p->count; i++) {
        const atx_point *point = &p->points[i];
        if (!fits(&p->x, point->x) || !fits(&p->y, point->y))
            continue;
        atx_str_addf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"%s style=\"--hue:%d\"",
                     place(sx, point->x), place(sy, point->y), p->count < MANY ? 4 : 3,
                     p->ringed && p->ringed[i] ? " class=\"on\"" : "", point->hue);
        if (point->what) {
            atx_html_add(out, "><title>$$$</title></circle>\n", point->kind ? point->kind : "",
                         point->kind ? " " : "", point->what);
        } else {
            atx_str_add(out, "/>\n");
        }
    }
}

static void add_running_best(atx_str *out, const atx_plot *p, const scale *sx, const scale *sy)
{
    double best = INFINITY;
    bool begun = false;
    atx_str_add(out, "<path class=\"best\" d=\"");
    for (size_t i = 0; i < p->count; i++) {
        if (!fits(&p->x, p->points[i].x) || !fits(&p->y, p->points[i].y) || !(p->points[i].y < best))
            continue;
        best = p->points[i].y;
        atx_str_addf(out, begun ? "H%.1fV%.1f" : "M%.1f %.1f", place(sx, p->points[i].x), place(sy, best));
        begun = true;
    }
    atx_str_addf(out, begun ? "H%.1f\"/>\n" : "\"/>\n", sx->to);
}

/* Least and most of the points that can be shown; false when there is none. */
static bool ends_of(const atx_plot *p, double x[2], double y[2])
{
    bool any = false;
    for (size_t i = 0; i < p->count; i++) {
        const atx_point *q = &p->points[i];
        if (!fits(&p->x, q->x) || !fits(&p->y, q->y))
            continue;
        x[0] = any ? fmin(x[0], q->x) : q->x;
        x[1] = any ? fmax(x[1], q->x) : q->x;
        y[0] = any ? fmin(y[0], q->y) : q->y;
        y[1] = any ? fmax(y[1], q->y) : q->y;
        any = true;
    }
    return any;
}

void atx_html_key(atx_str *out, int hue, const char *name)
{
    atx_str_addf(out, "<span class=\"kind\"><span class=\"key\" style=\"--hue:%d\"></span>", hue);
    atx_html_add(out, "$</span>", name);
}

/* Every kind once, in the order of the points. */
static void add_legend(atx_str *out, const atx_plot *p)
{
    for (size_t i = 0; i < p->count; i++) {
        size_t before = 0;
        while (before < i && p->points[before].hue != p->points[i].hue)
            before++;
        if (before == i && p->points[i].kind) {
            atx_str_add(out, "\n");
            atx_html_key(out, p->points[i].hue, p->points[i].kind);
        }
    }
}

void atx_plot_add(atx_str *out, const atx_plot *p)
{
    double x[2] = { 0 }, y[2] = { 0 };
    if (!ends_of(p, x, y))
        return;
    double right = p->width - RIGHT, bottom = p->height - BOTTOM;
    scale sx = make_scale(&p->x, x[0], x[1], LEFT, right), sy = make_scale(&p->y, y[0], y[1], bottom, TOP);
    atx_html_add(out, "<figure><div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"$\">",
                 p->caption);
    atx_str_addf(out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\"", p->width,
                 p->height, p->width, p->height);
    atx_html_add(out, " aria-label=\"$: $ by $\">\n", p->caption, p->y.label, p->x.label);
    each_mark(out, &sx, bottom, mark_x);
    each_mark(out, &sy, right, mark_y);
    atx_str_addf(out, "<path class=\"axis\" d=\"M%d %dV%.1fH%.1f\"/>\n", LEFT, TOP, bottom, right);
    add_points(out, p, &sx, &sy);
    if (p->running_best)
        add_running_best(out, p, &sx, &sy);
    atx_str_addf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", (LEFT + right) / 2, p->height - 6);
    atx_html_add(out, "$</text>\n", p->x.label);
    atx_str_addf(out, "<text transform=\"translate(13 %.1f) rotate(-90)\" text-anchor=\"middle\">",
                 (TOP + bottom) / 2);
    atx_html_add(out, "$</text>\n</svg></div><figcaption>$", p->y.label, p->caption);
    add_legend(out, p);
    atx_str_add(out, "</figcaption></figure>\n");
}
