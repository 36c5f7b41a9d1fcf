"""What all rounds of tools/soak share: running a program and judging how it ended, scratch folders, databases."""
import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time

HANGS_AFTER_S = 300  # a machine may be busy, a sanitizer slow; nothing here takes more than seconds
INTERRUPTED = {129, 130, 143}
DOCUMENTED = {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16, 141, *INTERRUPTED}  # all exit codes but that of a bug of autotune's


class Failure(Exception):
    """A promise was broken; the text says which, and how it looked."""


class Result:
    """How a program ended. `code` is below zero when a signal ended it."""

    def __init__(self, args, code, out, err, seconds):
        self.args, self.code, self.out, self.err, self.seconds = args, code, out, err, seconds

    def __str__(self):
        return f"{' '.join(map(str, self.args))}\nexit {self.code}, {self.seconds:.2f} s\n" \
               f"--- stdout\n{self.out[-1000:]}\n--- stderr\n{self.err[-6000:]}"


def expect(condition, text, result=None):
    if not condition:
        raise Failure(text if result is None else f"{text}\n{result}")


class Lab:
    """Where the programs are, and a scratch folder; nothing of the user's is read or written."""

    def __init__(self, build, keep):
        self.source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        self.build, self.keep = os.path.abspath(build), keep
        self.folder = tempfile.mkdtemp(prefix="autotune-soak-")
        self.count = 0
        self.program = self.copied("autotune")
        self.faulty = self.copied("tests/faults/autotune_faults")
        self.library = self.copied("tests/faults/library_faults")
        self.quick = self.copied("tests/e2e/autotune_quick")
        self.fixture = self.copied("tests/cli/fixture_store")
        self.driver = os.path.dirname(self.copied("tests/e2e/driver/libcuda.so.1"))

    def copied(self, name):
        """A program as it is now: it may be built again while this goes on."""
        path, here = os.path.join(self.build, name), os.path.join(self.folder, "programs")
        os.makedirs(here, exist_ok=True)
        try:
            return shutil.copy(path, here)
        except FileNotFoundError:
            folder = os.path.relpath(self.build)
            raise SystemExit(f"soak: {path} is missing: `tools/setup tests {folder}` builds it") from None

    def data(self, name):
        return os.path.join(self.source, name)

    def close(self):
        if not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    @contextlib.contextmanager
    def scratch(self):
        """A folder for one try; it stays when the try fails and --keep was given."""
        self.count += 1
        path = os.path.join(self.folder, str(self.count))
        os.mkdir(path)
        try:
            yield path
        except Failure as failure:
            if self.keep:
                raise Failure(f"{failure}\n(in {path})") from None
            shutil.rmtree(path, ignore_errors=True)
            raise
        else:
            shutil.rmtree(path, ignore_errors=True)

    def environment(self, folder, more=None):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("AUTOTUNE_", "XDG_", "AT_"))}
        env.update(HOME=folder, AT_SOAK=folder, ASAN_OPTIONS="abort_on_error=1:allocator_may_return_null=1",
                   UBSAN_OPTIONS="print_stacktrace=1", LC_ALL="C.UTF-8")
        env.update(more or {})
        return env

    def start(self, args, folder, more=None, **options):
        """A process of its own group, so that a terminal's signals do not reach it twice. Its output goes to files: a
        process that is killed leaves helpers for a moment, and they would hold a pipe open."""
        self.count += 1
        names = [os.path.join(folder, f".{kind}.{self.count}") for kind in ("out", "err")]
        with open(names[0], "wb") as out, open(names[1], "wb") as err:
            process = subprocess.Popen([str(a) for a in args], cwd=folder, env=self.environment(folder, more),
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                                       **options)
        process.output, process.began = names, time.monotonic()
        return process

    def finish(self, process):
        """Waits for its end. Not to end is a failure, as is a sanitizer's report."""
        hung = False
        try:
            process.wait(HANGS_AFTER_S)
        except subprocess.TimeoutExpired:
            hung = True
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        texts = []
        for name in process.output:
            with open(name, "rb") as file:
                texts.append(file.read().decode("utf-8", "replace"))
            os.unlink(name)
        result = Result(process.args, process.returncode, *texts, time.monotonic() - process.began)
        expect(not hung, f"hangs: did not end in {HANGS_AFTER_S} s", result)
        expect("Sanitizer" not in result.err and "runtime error:" not in result.err, "a sanitizer's report", result)
        return result

    def run(self, args, folder, more=None, **options):
        """As `finish`, and it must have ended by itself, with an exit code that is documented and a word about it."""
        return checked(self.finish(self.start(args, folder, more, **options)))

    def run_well(self, args, folder, more=None):
        result = self.run(args, folder, more)
        expect(result.code == 0, "expected to end well", result)
        return result


def checked(result, killed=()):
    """`killed`: signals that may have ended it."""
    if result.code < 0 and -result.code in killed:
        return result
    expect(result.code >= 0, f"a crash: signal {-result.code}", result)
    expect(result.code in DOCUMENTED, f"exit code {result.code} is not documented, or a bug of autotune's", result)
    expect(result.code in {0, *INTERRUPTED} or result.out.strip() or result.err.strip(), "failed without a word", result)
    return result


# ---- processes ----

def helpers_of(folder):
    """Processes that were started from there, through whatever others: their number and role."""
    mark, found = f"AT_SOAK={folder}".encode(), []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                ours = mark in file.read().split(b"\0")
            with open(f"/proc/{name}/cmdline", "rb") as file:
                line = file.read().split(b"\0")
        except OSError:
            continue
        if ours and line != [b""]:  # a zombie has neither
            found.append((int(name), "runner" if b"__device" in line else "worker" if b"__compile" in line else "main"))
    return found


def expect_nobody_left(folder):
    until = time.monotonic() + 60
    while helpers_of(folder) and time.monotonic() < until:
        time.sleep(0.005)
    left = helpers_of(folder)
    expect(not left, f"processes are left: {left}")


# ---- databases ----

KEY = "op, shape, type_key, device, driver, cold, template, template_hash, config"
TRIALS = f"SELECT {KEY}, outcome, median_s FROM trials_all"
WINNERS = f"SELECT {KEY}, median_s FROM winners_all"
SOURCES = "SELECT hash, length(text) FROM source"


def is_there(path):
    return os.path.exists(path) and os.path.getsize(path) > 0


def content(path):
    """All that was measured, as a set of rows; the file must be whole. One that does not exist holds nothing."""
    if not is_there(path):
        return frozenset()
    db = sqlite3.connect(path, timeout=60)
    try:
        found = db.execute("PRAGMA integrity_check").fetchall()
        expect(found == [("ok",)], f"{path} is damaged: {found[:3]}")
        expect(db.execute("PRAGMA foreign_key_check").fetchall() == [], f"{path}: rows that belong to nothing")
        if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'trials_all'").fetchone():
            expect(db.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,), f"{path} has some tables only")
            return frozenset()
        kinds = (("trial", TRIALS), ("winner", WINNERS), ("source", SOURCES))
        return frozenset((kind, *row) for kind, sql in kinds for row in db.execute(sql))
    except sqlite3.DatabaseError as error:
        raise Failure(f"{path} cannot be read: {error}") from None
    finally:
        db.close()


def said(rows):
    return "\n".join(sorted(map(str, rows))[:5])


def expect_kept(before, now, what):
    lost = before - now
    expect(not lost, f"{what}: {len(lost)} rows that were stored are lost:\n{said(lost)}")
