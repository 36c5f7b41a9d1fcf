"""What people see: rows and help that fit a terminal of 60, 80 and 200 columns, colours only where they are wanted, and
in a pipe whole lines. usage: test_terminal.py AUTOTUNE FIXTURE_STORE"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

AUTOTUNE, FIXTURE = map(os.path.abspath, sys.argv[1:3])
WIDTHS = (60, 80, 200)
folder = tempfile.TemporaryDirectory()
ESCAPE = re.compile(r"\x1b\[[0-9;]*[mK]")


def environment(**more):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("AUTOTUNE") and name not in ("NO_COLOR", "CLICOLOR_FORCE")}
    return {**kept, "TERM": "xterm", "AUTOTUNE_NO_SHIPPED": "1", "XDG_DATA_HOME": folder.name,
            "XDG_CACHE_HOME": folder.name, **more}


def in_terminal(columns, *args, **more):
    """What a terminal of so many columns gets, escape sequences included; both streams are the terminal's."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = subprocess.Popen([AUTOTUNE, *args], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, cwd=folder.name,
                               env=environment(**more))
    os.close(theirs)
    got = b""
    try:
        while part := os.read(ours, 65536):
            got += part
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    process.wait()
    return got.decode().replace("\r\n", "\n")


def in_pipe(*args, **more):
    return subprocess.run([AUTOTUNE, *args], capture_output=True, text=True, cwd=folder.name, env=environment(**more))


def words(text):
    return ESCAPE.sub("", text).split()


class Terminal(unittest.TestCase):
    TUNE = ("tune", "--device", "replay:a.db", "4096x4096", "f32", "--quiet")

    def fits(self, text, columns):
        for line in ESCAPE.sub("", text).split("\n"):
            self.assertLessEqual(len(line), columns, line)

    COMPARE = ("compare", "a.db", "a.db")

    def test_the_help_of_every_command_fits(self):
        commands = re.findall(r"^  ([a-z]+) ", in_pipe("--help").stdout.split("commands:")[1].split("exit codes:")[0], re.M)
        self.assertGreater(len(commands), 15)
        for command in commands:
            for columns in WIDTHS:
                with self.subTest(f"{command} {columns}"):
                    self.fits(in_terminal(columns, command, "--help"), columns)

    def test_rows_and_help_fit_and_say_the_same_as_in_a_pipe(self):
        for command in (self.TUNE, ("show", "4096x4096", "--db", "a.db"), ("query", "4096x4096", "--db", "a.db"),
                        self.COMPARE, ("list",), ("list", "transpose/tile"), ("--help",), ("tune", "--help")):
            piped = in_pipe(*command)
            for columns in WIDTHS:
                with self.subTest(command=command, columns=columns):
                    seen = in_terminal(columns, *command)
                    self.fits(seen, columns)
                    if command not in (self.COMPARE,):  # which has a summary on stderr
                        self.assertEqual(words(seen), words(piped.stdout))

    def test_the_page_shows_what_a_terminal_gets(self):
        root = os.path.abspath(f"{__file__}/../../..")
        with open(f"{root}/tuner/cli/terminal.md", encoding="utf-8") as file:
            shown = dict(re.findall(r"^## (\d+) columns\n\n```text\n(.*?)\n```", file.read(), re.DOTALL | re.MULTILINE))
        self.assertEqual(list(map(int, shown)), list(WIDTHS))
        with open(f"{folder.name}/shapes.txt", "w", encoding="utf-8") as file:
            file.write("4096x4096 u8\n1000003x3 f32\n")
        for columns in WIDTHS:
            got = in_terminal(columns, "tune", "--device", f"replay:{root}/db/recordings/h200.jsonl.gz", "--shapes", "shapes.txt",
                              "--strategy", "exhaustive", "--quiet", "--db", f"page{columns}.db", NO_COLOR="1")
            rows = got[got.index("problem "):].rstrip("\n")
            self.assertEqual(rows, shown[str(columns)])

    def test_json_and_source_are_never_wrapped(self):
        for command in (("query", "4096x4096", "--db", "a.db", "--json"), ("export", "4096x4096", "--db", "a.db")):
            self.assertEqual(in_terminal(60, *command), in_pipe(*command).stdout)

    def test_a_pipe_gets_one_line_a_row(self):
        lines = in_pipe(*self.TUNE).stdout.splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertGreater(len(lines[1]), 80)

    def test_a_pipe_gets_no_progress(self):
        said = in_pipe(*self.TUNE[:-1], "--force").stderr.splitlines()
        self.assertTrue(said and all("warning: " in line or "have a winner" in line for line in said), said)
        self.assertIn("search [", in_pipe(*self.TUNE[:-1], "--force", "--verbose").stderr)

    def test_colours_are_for_terminals_and_for_who_wants_them(self):
        show = ("show", "4096x4096", "--db", "none.db")  # an error
        self.assertIn("\x1b[", in_terminal(80, *show))
        self.assertIn("\x1b[", in_terminal(80, *self.TUNE))
        self.assertNotIn("\x1b[", in_terminal(80, *show, NO_COLOR="1"))
        self.assertNotIn("\x1b[", in_terminal(80, *show, "--color=never"))
        self.assertNotIn("\x1b[", in_terminal(80, *show, TERM="dumb"))
        self.assertNotIn("\x1b[", in_pipe(*show).stderr)
        self.assertIn("\x1b[", in_pipe(*show, CLICOLOR_FORCE="1").stderr)
        self.assertIn("\x1b[", in_pipe(*show, "--color", "always", NO_COLOR="1").stderr)
        self.assertNotIn("\x1b[", in_pipe(*self.TUNE, "--color", "always", "--json").stdout)
        wrong = in_pipe(*show, "--color", "blue")
        self.assertEqual((wrong.returncode, wrong.stderr),
                         (2, "autotune: error: --color: found 'blue'; expected auto, always or never\n"))

    def test_a_version_is_asked_for_in_three_ways(self):
        self.assertEqual({in_pipe(word).stdout for word in ("--version", "-V", "version")}, {in_pipe("--version").stdout})


if __name__ == "__main__":
    with folder:
        subprocess.run([FIXTURE, os.path.join(folder.name, "a.db")], check=True, stdout=subprocess.DEVNULL)
        unittest.main(argv=sys.argv[:1])
