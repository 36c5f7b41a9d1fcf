"""The page that `autotune report` writes: tags close, nothing is loaded from elsewhere, one script; and, where there is
a Chromium, it is laid out as meant and does what it should. Where the package axe-core-python is and
$AUTOTUNE_TEST_ALL is set, axe finds nothing. usage: test_report_page.py AUTOTUNE DUMP"""
import base64
import hashlib
import html.parser
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

AUTOTUNE, DUMP = sys.argv[1:3]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
VOID = {"meta", "br", "circle", "path", "input"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.problems, self.ids, self.links, self.counts = [], [], set(), [], {}
        self.ids_in, self.attrs = {}, {}

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if "id" in attrs:
            self.ids.add(attrs["id"])
            self.ids_in[attrs["id"]] = list(self.open)
        self.attrs.setdefault(tag, []).append(attrs)
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
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.stored = f"{folder.name}/stored.db"  # a dump is read anew by each command
        subprocess.run([AUTOTUNE, "merge", cls.stored, DUMP], capture_output=True, check=True)
        made = subprocess.run([AUTOTUNE, "report", "--db", cls.stored, "--front", "time,registers"], capture_output=True, check=True, text=True)
        cls.text = made.stdout
        cls.page = Page()
        cls.page.feed(cls.text)
        cls.two_runs = cls.report_of_two_runs(folder.name)

    @classmethod
    def report_of_two_runs(cls, folder):
        """Of a database with an earlier run, under another driver and half as fast, beside that run alone."""
        dump = subprocess.run([AUTOTUNE, "dump", "--db", cls.stored], capture_output=True, check=True, text=True).stdout
        def slower(line):
            line = re.sub(r'"(median|min)_s":([0-9.e-]+)', lambda m: f'"{m[1]}_s":{2 * float(m[2])}', line)
            line = re.sub(r'"driver":"[^"]*"', '"driver":"1.2.3"', line)
            return re.sub(r'"(measured_at|rank_at)":"2026-11-2', r'"\1":"2026-01-0', line)
        with open(f"{folder}/earlier.jsonl", "w", encoding="utf-8") as file:
            file.write("\n".join(slower(line) if '"kind":"winner"' in line else line for line in dump.splitlines()) + "\n")
        for words in (["merge", f"{folder}/all.db", cls.stored, f"{folder}/earlier.jsonl"],
                      ["report", "--db", f"{folder}/all.db", "--before", f"{folder}/earlier.jsonl", "-o", f"{folder}/page.html"]):
            subprocess.run([AUTOTUNE, *words], capture_output=True, check=True)
        with open(f"{folder}/page.html", encoding="utf-8") as file:
            return file.read()

    def test_tags_close_in_their_order(self):
        self.assertEqual(self.page.problems, [])
        self.assertEqual(self.page.open, [])

    def test_nothing_comes_from_elsewhere_and_nothing_runs(self):
        scripts = re.findall("<script>(.*?)</script>", self.text, re.DOTALL)
        self.assertEqual(len(scripts), 1)
        digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
        self.assertIn(f"content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'\"", self.text)
        self.assertNotIn("url(", self.text)
        self.assertEqual([link for link in self.page.links if not link.startswith("#")], [])

    def test_a_front_is_ringed_and_listed_as_show_prints_it(self):
        shown = subprocess.run([AUTOTUNE, "show", "16384x16384", "f32", "--db", self.stored, "--front", "time,registers", "--json"],
                               capture_output=True, check=True, text=True).stdout.splitlines()
        expected = [f"{row['template']} {row['config']}" for row in map(json.loads, shown)]
        section = self.text[self.text.index("<summary>transpose 16384x16384 "):].split("</details>")[0].split("<h3>Front</h3>")[1]
        listed = re.findall("<td><code>(.*?)</code></td></tr>", section.split("</table>")[0])
        ringed = re.findall('class="on" style="[^"]*"><title>(.*?)</title>', section)
        self.assertGreater(len(expected), 3)
        self.assertEqual(listed, expected)
        self.assertEqual(sorted(ringed), sorted(expected))

    def test_a_front_is_plotted_where_its_first_figure_is_zero(self):
        made = subprocess.run([AUTOTUNE, "report", "--db", self.stored, "--front", "spill_bytes,time"], capture_output=True, check=True, text=True)
        section = made.stdout.split("<h3>Front</h3>")[1].split("</table>")[0]
        listed = section.count("<td><code>")
        self.assertGreater(listed, 0)
        self.assertEqual(section.count('class="on"'), listed)

    def test_each_row_leads_to_its_problem(self):
        self.assertGreater(len(self.page.links), 10)
        self.assertEqual({link[1:] for link in self.page.links} - self.page.ids, set())

    def test_what_a_link_leads_to_is_inside_what_it_opens(self):
        for link in self.page.links:
            self.assertEqual(self.page.ids_in[link[1:]][-1], "details")

    def test_pictures_have_names_and_what_scrolls_can_be_reached_by_keyboard(self):
        self.assertTrue(all(svg.get("aria-label") for svg in self.page.attrs["svg"]))
        self.assertTrue(all(th.get("scope") == "col" for th in self.page.attrs["th"]))
        wide = [div for div in self.page.attrs["div"] if div.get("class") == "wide"]
        self.assertEqual(len(wide), self.page.counts["table"] + self.page.counts["svg"])
        self.assertTrue(all(div.get("tabindex") == "0" and div.get("aria-label") for div in wide))

    def test_every_template_of_a_plot_is_in_its_legend(self):
        for figure in re.findall("<figure>.*?</figure>", self.text, re.DOTALL):
            hues = set(re.findall(r'<circle[^>]*--hue:(\d+)', figure))
            legend = re.findall(r'class="key" style="--hue:(\d+)"></span>([^<]+)', figure)
            self.assertEqual({hue for hue, _ in legend}, hues)
            self.assertEqual(len(dict(legend)), len({name for _, name in legend}))

    def test_cells_of_figures_are_numbers_and_types_are_the_users(self):
        rows = re.findall(r"<tr><td.*?</tr>", self.text.split("Problem by problem", maxsplit=1)[0])
        self.assertGreater(len(rows), 10)
        for row in rows:
            cells = [re.sub("<[^>]*>", "", cell) for cell in re.findall("<td[^>]*>(.*?)</td>", row)]
            self.assertRegex(cells[1], r"^(u8|f16|f32|f64|c128) \(any of \d+ bytes?\)$")
            for cell in cells[2:7]:
                float(cell)

    def test_commands_of_a_problem_answer(self):
        commands = re.findall(r"<code>autotune ((?:export|show) [^<]*)</code>", self.text)
        self.assertGreater(len(commands), 20)
        for command in commands[:2]:
            subprocess.run([AUTOTUNE, *shlex.split(html.unescape(command))], capture_output=True, check=True)

    def test_operations_are_told_apart_where_there_are_several(self):
        self.assertNotIn(">operation</th>", self.text)
        with tempfile.TemporaryDirectory() as folder:
            dump = subprocess.run([AUTOTUNE, "dump", "--db", self.stored], capture_output=True, check=True, text=True).stdout
            lines = [line.replace('"op":"transpose"', '"op":"turned"') for line in dump.splitlines()
                     if '"kind":"winner"' in line]
            with open(f"{folder}/d.jsonl", "w", encoding="utf-8") as file:
                file.write("\n".join([dump.rstrip("\n"), *lines, ""]))
            made = subprocess.run([AUTOTUNE, "report", "--db", f"{folder}/d.jsonl"], capture_output=True, check=True, text=True)
        self.assertIn(">operation</th>", made.stdout)
        self.assertIn("<tr><td>turned</td>", made.stdout)

    def test_before_and_after_says_what_compare_says(self):
        self.assertNotIn("Before and after", self.text)
        self.assertIn("14 problems in common: 0 slower, 14 faster, 0 unclear, 0 same; geometric mean of time after / time before "
                      "0.500", self.two_runs)
        section = self.two_runs.split("Before and after</h2>")[1].split("</section>")[0]
        rows = re.findall(r"<tr><td>faster</td>.*?</tr>", section)
        self.assertEqual(len(rows), 14)
        cells = [re.sub("<[^>]*>", "", cell) for cell in re.findall("<td[^>]*>(.*?)</td>", rows[0])]
        self.assertAlmostEqual(float(cells[4]), 2 * float(cells[5]), delta=0.02)
        self.assertEqual(cells[6], "0.500")
        self.assertEqual(section.count("<circle"), 14)
        shape = cells[1].split()[1]
        made = subprocess.run([AUTOTUNE, "report", "--db", f"{self.folder}/all.db", "--before", f"{self.folder}/earlier.jsonl",
                               "--shape", shape], capture_output=True, check=True, text=True)
        chosen = made.stdout.split("Before and after</h2>")[1].split("</section>")[0]
        of_shape = [row for row in rows if re.search(f">[a-z_]+ {re.escape(shape)}</td>", row)]
        self.assertEqual(re.findall(r"<tr><td>faster</td>.*?</tr>", chosen), of_shape)
        self.assertLess(len(of_shape), len(rows))
        self.assertEqual(chosen.count("<circle"), len(of_shape))
        self.assertRegex(chosen, f"{len(of_shape)} problems? in common: 0 slower, {len(of_shape)} faster")

    def test_a_problem_shows_its_winners_from_run_to_run(self):
        self.assertNotIn("<h3>Runs</h3>", self.text)
        runs = self.two_runs.split("<h3>Runs</h3>")[1].split("</table>")[0]
        self.assertEqual(runs.count("<circle"), 2)
        drivers = re.findall(r"<tr><td class=\"b\">([^<]*)</td><td>([^<]*)</td>", runs)
        self.assertEqual([driver for _, driver in drivers][0], "1.2.3", "in the order of measurement")
        self.assertEqual([at for at, _ in drivers], sorted(at for at, _ in drivers))
        self.assertEqual(len(drivers), 2)

    def test_the_page_of_two_runs_is_as_well_made(self):
        page = Page()
        page.feed(self.two_runs)
        self.assertEqual((page.problems, page.open), ([], []))
        wide = [div for div in page.attrs["div"] if div.get("class") == "wide"]
        self.assertEqual(len(wide), page.counts["table"] + page.counts["svg"])

    def test_the_map_of_sizes_has_every_problem_in_a_class(self):
        figure = next(part for part in re.findall("<figure>.*?</figure>", self.text, re.DOTALL) if "Map of sizes" in part)
        self.assertEqual(figure.count("<circle"), 14)
        self.assertIn("97 % and more", figure)

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

    @unittest.skipUnless(CHROMIUM, "there is no Chromium here")
    def test_links_open_rows_are_filtered_and_sorted(self):
        seen = self.after("""
            var rows = function () { return Array.from(document.querySelector('tbody').rows) };
            var shown = function () { return rows().filter(function (r) { return !r.hidden }) };
            var input = document.querySelector('input'), head = document.querySelectorAll('th button')[2];
            var times = function () { return rows().map(function (r) { return +r.cells[2].textContent }) };
            var open = document.querySelectorAll('details[open]').length;
            input.value = '8191 F16'; input.dispatchEvent(new Event('input'));
            var few = shown().map(function (r) { return r.cells[0].textContent + ' ' + r.cells[1].textContent });
            input.value = ''; input.dispatchEvent(new Event('input'));
            head.click(); var up = times(); head.click(); var down = times();
            var sort = head.parentNode.getAttribute('aria-sort');
            dispatchEvent(new Event('beforeprint'));
            say({open: open, few: few, all: shown().length, up: up, down: down, sort: sort,
                 folded: document.querySelectorAll('details:not([open])').length})""", "#p3")
        self.assertEqual((seen["open"], seen["few"]), (1, ["8191x8193 f16 (any of 2 bytes)"]))
        self.assertEqual((seen["all"], seen["sort"], seen["folded"]), (len(seen["up"]), "descending", 0))
        self.assertEqual(seen["up"], sorted(seen["up"]))
        self.assertEqual(seen["down"], sorted(seen["up"], reverse=True))

    @unittest.skipUnless(CHROMIUM and importlib.util.find_spec("axe_core_python") and os.environ.get("AUTOTUNE_TEST_ALL"),
                         "no Chromium, no axe-core-python, or $AUTOTUNE_TEST_ALL is not set")
    def test_axe_finds_nothing(self):
        place = importlib.util.find_spec("axe_core_python").submodule_search_locations[0]
        with open(f"{place}/axe.min.js", encoding="utf-8") as file:
            axe = file.read().replace("</script", "<\\/script")
        for scheme, text in ((0, self.text), (1, self.text), (1, self.two_runs)):
            found = self.after(axe + """;document.querySelectorAll('details').forEach(function (d) { d.open = true });
                axe.run().then(function (r) { say(r.violations.map(function (v) {
                    return [v.id, v.nodes[0].html, v.nodes[0].failureSummary] })) })""", scheme=scheme, text=text)
            self.assertEqual(found, [])

    def after(self, script, place="", scheme=1, text=None):
        """What a script on the page says, which may take the place of the page then."""
        say = ("function say(x){document.documentElement.innerHTML='<pre>SAID'+JSON.stringify(x)"
               ".replace(/&/g,'&amp;').replace(/</g,'&lt;')+'SAID</pre>'}")
        text = re.sub("<meta http-equiv[^>]*>", "", text or self.text).replace("</body>", f"<script>{say}{script}</script></body>")
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/r.html", "w", encoding="utf-8") as file:
                file.write(text)
            seen = subprocess.run(
                [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                 f"--blink-settings=preferredColorScheme={scheme}", "--virtual-time-budget=60000", "--dump-dom",
                 f"file://{folder}/r.html{place}"], capture_output=True, timeout=300, check=False)
            said = re.search("SAID(.*)SAID", seen.stdout.decode(), re.DOTALL)
            if not said and "<html" not in seen.stdout.decode():
                self.skipTest(f"Chromium does not start here: {seen.stderr.decode()[-300:]}")
            self.assertTrue(said, seen.stdout.decode()[-500:])
            return json.loads(html.unescape(said[1]))

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
