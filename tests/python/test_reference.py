#!/usr/bin/env python3
"""templates/reference*.md against the parser: every word that it knows has a row, every example of a row is taken, and
so are the declarations that stand in the pages.

    tests/python/test_reference.py BUILD
"""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else ROOT / "build"
REFERENCE = sorted((ROOT / "templates").glob("reference*.md"))
# Declarations of templates are of the operation that the same pages declare before them.
PAGES = [("README.md", "existing_kernel.md"), ("own_kernel.md", "own_kernel_checked.md", "own_kernel_used.md"), ("coming_from.md",)]
DECLARE = ROOT / "tuner/declare"
TABLES = {"An operation": "declare_op.c", "A template": "declare_template.c", "Common code": "declare_common.c"}
NO_WORDS = ["declare_dim.c", "declare_lines.c", "declare_names.c", "declare_common.c", "declare_gather.c"]  # of blocks and files, not of lines
CODE = re.compile(r"`([^`]*)`")

# What examples are put into. The file has all kernels that an example may name.
OP = """op ex
shape batch=1 rows cols
type T = f16 f32
arg out T[rows] output
arg in T[rows] input uniform 0 1
arg rows i64
scratch tmp T[rows]
reference ex_reference
grid 1
block 32
check within 4 ulp
traffic rows * sizeof(T)"""
TEMPLATE = """template t
param N = 32 64
grid rows
block N"""
KERNELS = "__global__ void ex_reference() {}\n__global__ void ex_t() {}\n__global__ void ex_tile() {}\n"
# Lines that an example takes the place of, besides those of its own word where that may stand once.
INSTEAD = {"type T = storage": ["arg in", "check"], "launch": ["grid", "block"]}
ADDED = {"type A", "pitch", "let", "require", "arg", "scratch", "align", "near", "param", "const"}


def tables(page):
    """The rows of each section of a page, as lists of cells, without the table's head."""
    found, section = {}, ""
    for line in page.split("\n"):
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("|"):
            cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            found.setdefault(section, []).append(cells)
    return {section: rows[2:] for section, rows in found.items()}


ROWS = tables("\n".join(page.read_text(encoding="utf-8") for page in REFERENCE))


def keywords(file):
    """The words that may begin a line, from the parser's table."""
    text = (DECLARE / file).read_text(encoding="utf-8")
    table = text[text.index("atx_keyword KEYWORDS[]"):]
    return re.findall(r'\.word = "(\w+)"', table[:table.index("{ 0 }")])


def later_words(files):
    """The words that these parts of the parser ask for behind the first one of a line, and what inputs hold."""
    text = "".join((DECLARE / file).read_text(encoding="utf-8") for file in files)
    asked = re.findall(r'(?:sees_word|skip_word|lines_take)\(&?\w+, "([a-z]\w*)"', text)
    asked += re.findall(r'strcmp\([\w>.-]+, "([a-z]\w+)"\)', text)
    asked += re.findall(r'^    \{ "(\w+)", ATX_\w+, read_', text, re.M) + re.findall(r'\}, +\{ "(\w+)", ATX_', text)
    for words in re.findall(r"\bWORDS\[\] = \{([^}]*)\}", text):
        asked += re.findall(r'"(\w+)"', words)
    return sorted(set(asked))


def with_line(base, line):
    """A declaration with this line in it: for the one of its word, or where all that it may name is known."""
    word = line.split()[0]
    out, lines = [word] if line.startswith("launch") else [word + " "], base.split("\n")
    if any(line.startswith(kind) for kind in ADDED):
        out = []
    for begin, others in INSTEAD.items():
        out += others if line.startswith(begin) else []
    kept = [one for one in lines if not any(one.startswith(o) for o in out)]
    place = [i for i, one in enumerate(lines) if out and one.startswith(out[0])]
    last = next((i for i, one in enumerate(kept) if one.startswith(("reference", "grid"))), len(kept))
    kept.insert(min(place[0], len(kept)) if place else last, line)
    return "\n".join(kept)


def block(declaration):
    return f"/*!autotune\n{declaration}\n*/\n{KERNELS}"


def declarations(page):
    """The declarations in a page's ```cuda blocks, without what follows them in their files."""
    fenced = re.findall(r"^```cuda[^\n]*\n/\*!autotune\n(.*?)\*/", page, re.M | re.S)
    return [text for text in fenced if text.split()[0] != "common"]


class Folder:
    """A folder of declarations that the program reads, in the project that it is run in."""

    def __init__(self):
        self.project = Path(tempfile.mkdtemp())
        self.root = self.project / "templates"
        unittest.addModuleCleanup(shutil.rmtree, self.project)

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def warnings(self):
        """What the program has against them: nothing if they pass."""
        done = subprocess.run([BUILD / "autotune", "list", "templates", "--templates", self.root], check=False,
                              capture_output=True, text=True, cwd=self.project)
        said = done.stderr.replace(str(self.root) + "/", "")
        return said if done.returncode == 0 else f"{said}exit {done.returncode}"


class Words(unittest.TestCase):
    def test_every_line_of_a_declaration_has_a_row(self):
        for section, file in TABLES.items():
            with self.subTest(section=section):
                shown = {CODE.findall(row[0])[0].split()[0] for row in ROWS[section]}
                others = {"common"} if section == "A template" else set()  # it reads common code's lines as its own
                self.assertEqual(shown, set(keywords(file)) - others, f"{file} and the rows of templates/reference*.md")

    def test_every_other_word_is_there(self):
        of_templates = ["declare_template.c", "declare_param.c", "declare_source.c", "declare_launch.c", "declare_target.c", "declare_tensor_map.c"]
        others = sorted({path.name for path in DECLARE.glob("declare_*.c")} - {*of_templates, *NO_WORDS})
        for sections, files in ((["A template"], of_templates), (["An operation", "What inputs hold"], others)):
            cells = [cell for section in sections for row in ROWS[section] for cell in row]
            codes = [code for cell in cells for code in CODE.findall(cell)]
            shown = set(re.findall(r"\w+", " ".join(codes)))
            self.assertTrue(later_words(files))
            for word in later_words(files):
                with self.subTest(word=word):
                    self.assertTrue(word in shown, f"expected a row with it in templates/reference*.md, {sections[0]}")

    def test_every_limit_is_there(self):
        text = (DECLARE / "declare.c").read_text(encoding="utf-8")
        names = re.search(r"atx_limit_names\[\] = \{(.*?)\};", text, re.S)
        known = {f"`device.{name}`" for name in re.findall(r'"(\w+)"', names[1])}
        self.assertEqual({row[0] for row in ROWS["Expressions"]}, known)


class Examples(unittest.TestCase):
    def test_every_row_has_one_that_is_taken(self):
        folder, files = Folder(), 0
        for section in [*TABLES, "What inputs hold"]:
            for row in ROWS[section]:
                form, example = CODE.findall(row[0])[0], CODE.findall(row[-1])
                wanted = "arg" if section == "What inputs hold" else form.split()[0]
                self.assertIn(wanted, [line.split()[0] for line in example], row[0])
                self.put(folder, section, f"ex{files}", *example)
                files += 1
        self.assertGreater(files, 60)
        self.assertEqual(folder.warnings(), "")

    @staticmethod
    def put(folder, section, name, *example):
        op, template = OP, TEMPLATE
        if any(line.startswith("replaces") for line in example):
            folder.put(f"{name}/tile.cu", block(TEMPLATE.replace("template t", "template tile")).replace("ex_", f"{name}_"))
        if section == "Common code":
            text = "\n".join(example) if example[0].startswith("common") else f"common {name}\n{example[0]}"
            folder.put(f"common/{text.split()[1]}.cuh", block(text))
            return
        for line in example:
            if section == "A template":
                template = with_line(template, line)
            else:
                op = with_line(op, line)
        folder.put(f"{name}/mine.cu", KERNELS)  # for `source` and `include`
        folder.put(f"{name}/headers/none.h", "")
        folder.put(f"{name}/op.cu", block(re.sub(r"^op \w+", f"op {name}", op)).replace("ex_t", f"{name}_t"))
        folder.put(f"{name}/t.cu", block(template).replace("ex_t", f"{name}_t").replace("void ex_", f"void {name}_"))

    def test_the_parser_refuses_a_wrong_one(self):
        for wrong in ("near turned rows cost 10", "arg x T[rows] input unifrom 0 1", "check within 4"):
            folder = Folder()
            self.put(folder, "An operation", "wrong", wrong)
            self.assertIn("wrong/op.cu:", folder.warnings(), wrong)

    def test_declarations_of_the_pages_are_taken(self):
        for pages in PAGES:
            folder, op = Folder(), ""
            for text in declarations("\n".join((ROOT / "templates" / page).read_text(encoding="utf-8") for page in pages)):
                name = text.split()[1]
                for path in re.findall(r"^source +(\S+)", text, re.M):
                    folder.put(f"page_{op}/{path}", "")
                if text.startswith("op"):
                    op = name
                    reference = re.findall(r"^reference +(\w+)", text, re.M) or ["none"]
                    folder.put(f"page_{op}/op.cu", block(re.sub(r"^op +\w+", f"op page_{op}", text)).replace(
                        "ex_reference", reference[0]))
                else:
                    folder.put(f"page_{op}/{name}.cu", block(text).replace("ex_t", f"page_{op}_{name}"))
            with self.subTest(pages=pages):
                self.assertEqual(folder.warnings(), "")


if __name__ == "__main__":
    unittest.main()
