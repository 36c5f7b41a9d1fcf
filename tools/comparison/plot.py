"""The share of the copy ceiling by problem size, a panel a class, as an SVG that needs nothing else.

Permutations are compared at one size, so that theirs stand side by side, from our least share to our largest.
"""

import math
from xml.sax.saxutils import escape, quoteattr

from .problems import CLASSES, PERMUTED
from .results import OURS, libraries_of, share

# Colours that people with colour blindness tell apart (Okabe and Ito), ours the darkest; then more, for more libraries.
COLOURS = ("#000000", "#e69f00", "#56b4e9", "#009e73", "#d55e00", "#0072b2", "#cc79a7", "#b8a900", "#888888", "#7b4fa3")
PANEL_WIDTH, PANEL_HEIGHT, LEFT, TOP, GAP_X, GAP_Y, COLUMNS = 300, 190, 44, 74, 46, 58, 3
TOP_SHARE = 1.1


def _style(names):
    """Colour and radius by library."""
    return {name: (COLOURS[i % len(COLOURS)], 3.6 if name == OURS else 2.8) for i, name in enumerate(names)}


def _decades(rows):
    """Powers of ten that enclose what the rows move."""
    sizes = [2 * row["bytes"] for row in rows]
    low = math.floor(math.log10(min(sizes)))
    return low, max(math.ceil(math.log10(max(sizes))), low + 1)


def _size_name(power):
    return f"{10 ** (power % 3)} {('B', 'kB', 'MB', 'GB', 'TB')[min(power // 3, 4)]}"


class _Panel:
    """Places points in the frame of one class."""

    def __init__(self, index, kind, rows):
        self.x0 = LEFT + index % COLUMNS * (PANEL_WIDTH + GAP_X)
        self.y0 = TOP + index // COLUMNS * (PANEL_HEIGHT + GAP_Y)
        self.decades, self.order = _decades(rows), []
        if kind in PERMUTED:
            ranked = sorted(rows, key=lambda row: share(row, OURS) or 0)
            self.decades, self.order = (0, -1), [row["problem"] for row in ranked]

    def x_of_size(self, size):
        low, high = self.decades
        return self.x0 + PANEL_WIDTH * (math.log10(size) - low) / (high - low)

    def x(self, row):
        if self.order:
            return self.x0 + PANEL_WIDTH * (self.order.index(row["problem"]) + 0.5) / len(self.order)
        return self.x_of_size(2 * row["bytes"])

    def y(self, part):
        return self.y0 + PANEL_HEIGHT * (1 - min(part, TOP_SHARE) / TOP_SHARE)


def _frame(panel, kind, about):
    low, high = panel.decades
    yield (f'<text x="{panel.x0}" y="{panel.y0 - 8}" class="head">{escape(kind)}'
           f'<tspan class="small" dx="8">{escape(about)}</tspan></text>')
    yield f'<rect x="{panel.x0}" y="{panel.y0}" width="{PANEL_WIDTH}" height="{PANEL_HEIGHT}" class="frame"/>'
    for percent in (0, 25, 50, 75, 100):
        y = panel.y(percent / 100)
        line = "ceiling" if percent == 100 else "grid"
        yield f'<line x1="{panel.x0}" x2="{panel.x0 + PANEL_WIDTH}" y1="{y:.1f}" y2="{y:.1f}" class="{line}"/>'
        yield f'<text x="{panel.x0 - 5}" y="{y + 3.5:.1f}" class="small end">{percent} %</text>'
    for power in range(low, high + 1):
        x = panel.x_of_size(10.0 ** power)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{panel.y0}" y2="{panel.y0 + PANEL_HEIGHT}" class="grid"/>'
        yield f'<text x="{x:.1f}" y="{panel.y0 + PANEL_HEIGHT + 14}" class="small middle">{_size_name(power)}</text>'


def _points(panel, rows, names, style):
    """Ours is drawn last, over the others."""
    for name in sorted(names, key=lambda name: name == OURS):
        colour, radius = style[name]
        for row in rows:
            part = share(row, name)
            if part:
                tip = escape(f"{row['problem']}: {name} {100 * part:.1f} % of copy")
                yield (f'<circle cx="{panel.x(row):.1f}" cy="{panel.y(part):.1f}" r="{radius}" '
                       f'fill={quoteattr(colour)} fill-opacity="0.85"><title>{tip}</title></circle>')


def _legend(names, style, titles):
    x = LEFT
    for name in names:
        yield f'<circle cx="{x + 4}" cy="36" r="{style[name][1] + 1}" fill={quoteattr(style[name][0])}/>'
        yield f'<text x="{x + 13}" y="40">{escape(titles[name])}</text>'
        x += 30 + 6.4 * len(titles[name])


def to_svg(document, classes=None, size="bytes moved"):
    """The whole picture; classes without a problem have no panel. `classes`: {class: what it has}, transposes' unless given;
    `size`: what twice the `bytes` of a problem are."""
    names = libraries_of(document)
    rows = document["problems"]
    classes = classes or CLASSES
    kinds = [kind for kind in classes if any(row["class"] == kind for row in rows)]
    lines = -(-max(len(kinds), 1) // COLUMNS)
    width = LEFT + min(COLUMNS, max(len(kinds), 2)) * (PANEL_WIDTH + GAP_X) - 30
    height = TOP + lines * (PANEL_HEIGHT + GAP_Y) - 10
    style = _style(names)
    by = "" if kinds and set(kinds) <= set(PERMUTED) else f" by {size}"
    title = f"Share of the copy ceiling{by}; {document['conditions'].get('device', '')}, cold L2"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
             f'height="{height}" role="img" font-family="sans-serif" font-size="11.5">',
             f"<title>{escape(title)}</title>",
             "<style>.small{font-size:9.5px;fill:#555}.head{font-weight:bold}.head .small{font-weight:normal}"
             ".end{text-anchor:end}.middle{text-anchor:middle}.frame{fill:none;stroke:#999}"
             ".grid{stroke:#e4e4e4}.ceiling{stroke:#777;stroke-dasharray:4 3}</style>",
             f'<rect width="{width}" height="{height}" fill="#fff"/>',
             f'<text x="{LEFT}" y="18" class="head">{escape(title)}</text>']
    parts += _legend(names, style, {name: document["libraries"][name]["title"] for name in names})
    for index, kind in enumerate(kinds):
        chosen = [row for row in rows if row["class"] == kind]
        panel = _Panel(index, kind, chosen)
        parts += [*_frame(panel, kind, classes[kind]), *_points(panel, chosen, names, style)]
    return "\n".join([*parts, "</svg>"]) + "\n"
