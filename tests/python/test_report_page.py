"""The page that `autotune report` writes: tags close, nothing is loaded from elsewhere, no script; and, where there is
a Chromium, it is laid out as meant. usage: test_report_page.py AUTOTUNE DUMP"""
import html.parser
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

AUTOTUNE, DUMP = sys.argv[1:3]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
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

    def test_a_long_shape_stays_in_one_line_and_axes_are_short(self):
        self.assertIn('<td class="b"><a href="#p', self.text)
        self.assertIn(">1M</text>", self.text)
        self.assertNotIn("e+", "".join(re.findall(r">([^<>]*)</text>", self.text)))

    @unittest.skipUnless(CHROMIUM, "there is no Chromium here")
    def test_chromium_lays_it_out_light_and_dark(self):
        light, dark = self.picture(1), self.picture(0)
        self.assertGreater(min(light.size, dark.size), 60000, "an empty page compresses to some thousand bytes")
        self.assertGreater(min(light.corner), 240)
        self.assertLess(max(dark.corner), 40)

    @unittest.skipUnless(CHROMIUM, "there is no Chromium here")
    def test_on_a_narrow_screen_rows_stay_low(self):
        rows = self.picture(1, "500,2400", '<style>svg,details,h1,h2,h3,p{display:none}</style>')
        self.assertGreater(rows.size, 70000, "rows as high as a letter a line leave half of the page empty")

    def picture(self, scheme, window="1200,1600", more=""):
        """A screenshot in Chromium's scheme 0, dark, or 1, light."""
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/r.html", "w", encoding="utf-8") as file:
                file.write(self.text.replace("</head>", more + "</head>"))
            seen = subprocess.run(
                [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                 f"--blink-settings=preferredColorScheme={scheme}", f"--screenshot={folder}/r.png",
                 f"--window-size={window}", f"file://{folder}/r.html"], capture_output=True, timeout=120, check=False)
            try:
                with open(f"{folder}/r.png", "rb") as file:
                    return Picture(file.read())
            except FileNotFoundError:
                self.skipTest(f"Chromium does not start here: {seen.stderr.decode()[-300:]}")


class Picture:
    """A PNG: its bytes, and the colour of its first pixel, which no filter changes."""

    def __init__(self, png):
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        self.size, data, at = len(png), b"", 8
        while at < len(png):
            length = int.from_bytes(png[at:at + 4], "big")
            if png[at + 4:at + 8] == b"IDAT":
                data += png[at + 8:at + 8 + length]
            at += length + 12
        self.corner = tuple(zlib.decompress(data)[1:4])


unittest.main(argv=sys.argv[:1])
