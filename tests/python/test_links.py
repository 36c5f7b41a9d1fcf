#!/usr/bin/env python3
"""Prose that a program can check: links, anchors and width of every *.md, the size of README.md, one date a page of
results, no hashes of templates, the exit codes of tuner/cli/README.md, the include graph of tuner/README.md. Needs
only Python."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 100
README_LINES = 150
FENCE = re.compile(r"^ *(```|~~~)")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)", re.S)
PICTURE = re.compile(r'<(?:img|source)\b[^>]*\b(?:src|srcset)="([^"]+)"')
HASH = re.compile(r"\.cu, hash [0-9a-f]{12}")
DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")


def pages(root):
    """Every *.md outside of build folders."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith((".", "build"))]
        found += [Path(folder, f) for f in files if f.endswith(".md")]
    return sorted(found)


def prose(text):
    """The lines of a page with those of code blocks emptied."""
    lines, code = [], False
    for line in text.split("\n"):
        fence = FENCE.match(line)
        code ^= bool(fence)
        lines.append("" if code or fence or line.startswith("    ") else line)
    return lines


def slug(heading):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(page):
    """All anchors of a page; a heading that is there again gets a number."""
    seen = {}
    for line in prose(page.read_text(encoding="utf-8")):
        heading = re.match(r"#+ +(.*)", line)
        if heading:
            name = slug(heading[1])
            seen[name] = seen.get(name, -1) + 1
    return {f"{name}-{i}" if i else name for name, count in seen.items() for i in range(count + 1)}


def broken_links(root):
    """What is wrong with each relative link: texts that name its page."""
    wrong = []
    for page in pages(root):
        text = re.sub(r"`[^`\n]*`", "", "\n".join(prose(page.read_text(encoding="utf-8"))))
        for target in LINK.findall(text) + PICTURE.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists():
                wrong.append(f"{page.relative_to(root)}: {target}: there is no such file")
            elif anchor and (file.suffix != ".md" or anchor not in anchors(file)):
                wrong.append(f"{page.relative_to(root)}: {target}: there is no such heading")
    return wrong


def wide_lines(lines):
    """Numbers of the lines that are too wide; only those of tables may be."""
    return [i + 1 for i, line in enumerate(lines) if len(line) > WIDTH and not line.startswith("|")]


def edges(table):
    """Of the rows of `tools/layers --graph`: who includes whom, without how often. "All but a, b" are the folders of
    the other rows without these."""
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", table, re.M))
    named = {folder: set(re.findall(r"[a-z]\w*", text.removeprefix("all but "))) for folder, text in rows.items()}
    return {folder: set(rows) - {folder} - named[folder] if text.startswith("all but ") else named[folder]
            for folder, text in rows.items()}


class Prose(unittest.TestCase):
    """The pages as they are."""

    def test_every_link_and_anchor_resolves(self):
        self.assertGreater(len(pages(ROOT)), 10)
        self.assertEqual(broken_links(ROOT), [])

    def test_the_front_page_is_short(self):
        lines = (ROOT / "README.md").read_text(encoding="utf-8").rstrip("\n").split("\n")
        self.assertLessEqual(len(lines), README_LINES)
        self.assertEqual(wide_lines(lines), [])

    def test_lines_of_prose_are_short(self):
        for page in pages(ROOT):
            with self.subTest(page=str(page.relative_to(ROOT))):
                self.assertEqual(wide_lines(prose(page.read_text(encoding="utf-8"))), [])

    def test_a_page_of_results_has_one_date_near_its_top(self):
        for page in pages(ROOT):
            lines = prose(page.read_text(encoding="utf-8"))
            marks = [i for i, line in enumerate(lines) if line.startswith("Measured on ")]
            with self.subTest(page=str(page.relative_to(ROOT))):
                self.assertLessEqual(len(marks), 1)
                for i in marks:
                    self.assertRegex(lines[i], r"^Measured on 20\d\d-\d\d-\d\d[ ,]")
                    self.assertEqual(len(DATE.findall("\n".join(lines))), 1)

    def test_no_output_shows_the_hash_of_a_template(self):
        """The next change of a template, or of how hashes are made, would leave it behind."""
        for page in pages(ROOT):
            with self.subTest(page=str(page.relative_to(ROOT))):
                self.assertEqual(HASH.findall(page.read_text(encoding="utf-8")), [])

    def test_every_exit_code_is_documented(self):
        codes = re.findall(r"ATX_EXIT_\w+ = (\d+)", (ROOT / "tuner/cli/exit_codes.h").read_text(encoding="utf-8"))
        rows = re.findall(r"^\| (\d+) \|", (ROOT / "tuner/cli/README.md").read_text(encoding="utf-8"), re.M)
        self.assertEqual(rows, codes)

    def test_the_include_graph_is_that_of_the_code(self):
        page = (ROOT / "tuner/README.md").read_text(encoding="utf-8")
        shown = edges(page[page.index("| folder | includes |"):page.index("## Invariants")])
        drawn = subprocess.run([ROOT / "tools/layers", "--graph"], capture_output=True, text=True, check=False)
        self.assertEqual(shown, edges(drawn.stdout), "paste into tuner/README.md:\n" +
                         re.sub(r" \d+|\s\(how often\)", "", drawn.stdout))


class Checks(unittest.TestCase):
    """What they say to wrong pages."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def put(self, name, text):
        (self.root / name).write_text(text, encoding="utf-8")
        return self.root / name

    def test_links(self):
        self.put("b.md", "# One `code`, two\n\n```\n# none\n```\n# Twice\n# Twice\n")
        self.put("a.md", "# A\n[x](b.md#one-code-two) [y](b.md#twice-1) [z](#a) [w](https://example.org/none)\n"
                         "    [code](none.md)\n`[code](none.md)`\n")
        self.assertEqual(broken_links(self.root), [])
        self.put("a.md", "[x](c.md) [a\nb](b.md#none) ![y](b.svg) [z](#a)\n")
        self.assertEqual([w.split(": ")[1] for w in broken_links(self.root)], ["c.md", "b.md#none", "b.svg", "#a"])

    def test_width(self):
        self.assertEqual(wide_lines(["x" * 100, "x" * 101, "|" + "x" * 200 + "|"]), [2])
        self.assertEqual(wide_lines(prose("```\n" + "x" * 101 + "\n```\n" + "x" * 101)), [4])

    def test_graph(self):
        self.assertEqual(edges("| folder | includes |\n| --- | --- |\n| `b` | a 3, c 1 |\n"), {"b": {"a", "c"}})
        self.assertEqual(edges("| `a` | nothing |\n| `b` | a |\n| `c` | all but a |\n")["c"], {"b"})


if __name__ == "__main__":
    unittest.main()
