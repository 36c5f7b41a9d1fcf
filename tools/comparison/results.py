"""Results as JSON, CSV and tables. Times are seconds; speeds count the bytes read and written, 1e9 a second.

A document has `conditions`, `libraries` ({name: {"title", "version"} or {"title", "skipped"}}), `problems`, `left_out`
({problem: why}) and `stopped` ("" or why it ended early).
A problem has `problem`, `class`, `bytes` (one way), `sets`, `ceiling` ({"name",
"seconds"}), `copies` and `results`: by library {"seconds", "right", ...} or {"skipped": why}.
"""

import csv
import io
import json
import os
import statistics

from .problems import CLASSES

OURS = "autotune"
TIE = 0.01  # closer ones count as equally fast


def write_atomically(path, text):
    """So that an interrupt leaves the old file or the new one."""
    temporary = f"{path}.new"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)


def to_json(document):
    return json.dumps(document, indent=1) + "\n"


def libraries_of(document):
    """Those that were there, ours first."""
    return [name for name, library in document["libraries"].items() if "skipped" not in library]


def share(row, library):
    """Of the copy ceiling, 1 for as fast; None where there is no right result."""
    result = row["results"].get(library, {})
    if "seconds" not in result or not result["right"]:
        return None
    return row["ceiling"]["seconds"] / result["seconds"]


def best_other(row):
    """The name of the fastest library but ours, None: no other."""
    shares = {name: share(row, name) for name in row["results"] if name != OURS}
    return max((name for name in shares if shares[name]), key=shares.get, default=None)


def lead(row):
    """How many times faster than the best other ours is; None where one of them is missing."""
    other = best_other(row)
    ours = share(row, OURS)
    return ours / share(row, other) if other and ours else None


def _speed(row, seconds):
    return 2e-9 * row["bytes"] / seconds


def _cell(row, library):
    result = row["results"].get(library, {})
    if "seconds" not in result:
        return "-"
    if not result["right"]:
        return "WRONG"
    untuned = "~" if result.get("match", "exact") != "exact" else ""
    return f"{untuned}{_speed(row, result['seconds']):.0f}"


def _aligned(lines):
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(cell.ljust(width) if i < 2 else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


def to_text(document):
    """A line a problem in GB/s, then the summary, then what is missing and why."""
    names = libraries_of(document)
    lines = [["problem", "class", "copy", *names, "share", "lead"]]
    for row in document["problems"]:
        ours, ahead = share(row, OURS), lead(row)
        lines.append([row["problem"], row["class"], f"{_speed(row, row['ceiling']['seconds']):.0f}",
                      *(_cell(row, name) for name in names), f"{100 * ours:.1f} %" if ours else "-",
                      f"{ahead:.2f}x" if ahead else "-"])
    parts = [_aligned(lines)] if document["problems"] else []
    parts += [summary(document), missing(document)]
    return "\n\n".join(part for part in parts if part) + "\n"


def summary_rows(document):
    """By class: [class, problems, {library: median share}, median lead, problems where no other is ahead by a TIE]."""
    rows = []
    for kind in [*CLASSES, "all"]:
        chosen = [row for row in document["problems"] if kind in (row["class"], "all")]
        if not chosen:
            continue
        medians = {}
        for name in libraries_of(document):
            shares = [share(row, name) for row in chosen]
            shares = [value for value in shares if value]
            medians[name] = statistics.median(shares) if shares else None
        leads = [value for value in map(lead, chosen) if value]
        rows.append([kind, len(chosen), medians, statistics.median(leads) if leads else None,
                     sum(value >= 1 - TIE for value in leads)])
    return rows


def summary(document):
    """Median shares of the copy ceiling by class, as a table."""
    names = libraries_of(document)
    lines = [["median share of copy", "problems", *names, "lead", "first or tied"]]
    for kind, count, medians, ahead, first in summary_rows(document):
        lines.append([kind, str(count), *(f"{100 * medians[name]:.0f} %" if medians[name] else "-" for name in names),
                      f"{ahead:.2f}x" if ahead else "-", f"{first} of {count}"])
    return _aligned(lines) if len(lines) > 1 else ""


def _shown(problems):
    return ", ".join(problems[:3]) + (f" and {len(problems) - 3} more" if len(problems) > 3 else "")


def missing(document):
    """What has no figure: libraries that are not there, problems that one refused, an early end."""
    lines = [f"{name} ({library['title']}): skipped: {library['skipped']}"
             for name, library in document["libraries"].items() if "skipped" in library]
    reasons = {}
    for row in document["problems"]:
        for name, result in row["results"].items():
            if "skipped" in result:
                reasons.setdefault((name, result["skipped"]), []).append(row["problem"])
    for (name, reason), problems in reasons.items():
        lines.append(f"{name}: {reason}: {_shown(problems)}")
    untuned = [row["problem"] for row in document["problems"]
               if row["results"].get(OURS, {}).get("match", "exact") != "exact"]
    if untuned:
        lines.append(f"~ not tuned, so the kernel of another shape or a default: {_shown(untuned)}")
    lines += [f"left out: {problem}: {why}" for problem, why in document.get("left_out", {}).items()]
    if document["stopped"]:
        lines.append(f"ended early: {document['stopped']}")
    return "\n".join(lines)


def to_csv(document):
    """A line a problem and library."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["problem", "class", "bytes", "library", "seconds", "gb_per_s", "share_of_copy", "spread", "right",
                     "note"])
    for row in document["problems"]:
        both = [(f"copy:{name}", result) for name, result in row["copies"].items()] + list(row["results"].items())
        for name, result in both:
            cells = [row["problem"], row["class"], row["bytes"], name]
            if "seconds" in result:
                seconds = result["seconds"]
                cells += [f"{seconds:.4e}", f"{_speed(row, seconds):.1f}", f"{row['ceiling']['seconds'] / seconds:.4f}",
                          f"{result['spread']:.4f}", "yes" if result["right"] else "no", result.get("note", "")]
            else:
                cells += ["", "", "", "", "", result["skipped"]]
            writer.writerow(cells)
    return out.getvalue()
