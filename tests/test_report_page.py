"""The page that `autotune report` writes: tags close, nothing is loaded from elsewhere, no script; and, where there is
a Chromium, it is laid out as meant. usage: test_report_page.py AUTOTUNE DUMP"""
import html.parser
import shutil
import subprocess
import sys
import tempfile
import unittest

AUTOTUNE, DUMP = sys.argv[1:3]
VOID = {"meta", "br", "circle", "path"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.problems, self.ids, self.links, self.counts = [], [], set(), [], {}

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if "id" in attrs:
            self.ids.add(attrs["id"])
        for name in ("src", "href"):
            if name in attrs:
                self.links.append(attrs[name])
        if any(name.startswith("on") for name in attrs):
            self.problems.append(f"<{tag}> has a handler")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.problems.append(f"</{tag}> closes {self.open[-1:]} in line {self.getpos()[0]}")
        else:
            self.open.pop()


class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made = subprocess.run([AUTOTUNE, "report", "--db", DUMP], capture_output=True, check=True, text=True)
        cls.text = made.stdout
        cls.page = Page()
        cls.page.feed(cls.text)

    def test_tags_close_in_their_order(self):
        self.assertEqual(self.page.problems, [])
        self.assertEqual(self.page.open, [])

    def test_nothing_comes_from_elsewhere_and_nothing_runs(self):
        self.assertNotIn("script", self.page.counts)
        self.assertNotIn("url(", self.text)
        self.assertEqual([link for link in self.page.links if not link.startswith("#")], [])

    def test_each_row_leads_to_its_problem(self):
        self.assertGreater(len(self.page.links), 10)
        self.assertEqual({link[1:] for link in self.page.links} - self.page.ids, set())

    def test_light_and_dark(self):
        self.assertIn("prefers-color-scheme:dark", self.text)

    @unittest.skipUnless(shutil.which("chromium"), "there is no Chromium here")
    def test_chromium_lays_it_out(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/r.html", "w") as file:
                file.write(self.text)
            seen = subprocess.run(
                ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                 f"--screenshot={folder}/r.png", "--window-size=1200,1600", f"file://{folder}/r.html"],
                capture_output=True, timeout=120)
            try:
                with open(f"{folder}/r.png", "rb") as file:
                    picture = file.read()
            except FileNotFoundError:
                self.skipTest(f"Chromium does not start here: {seen.stderr.decode()[-300:]}")
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(len(picture), 60000, "an empty page compresses to some thousand bytes")


unittest.main(argv=sys.argv[:1])
