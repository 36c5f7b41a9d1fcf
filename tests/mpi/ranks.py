#!/usr/bin/env python3
"""Ranks of mpirun as one autotune: ranks.py TEST AUTOTUNE SOURCE DRIVER KERNELS PRELOAD. Exit code 77: skipped.

Devices are replays of the recordings of an H200, in as much time as it took (?pace=1) or a part of it; gpus
has the scripted driver of tests/e2e. AT_MPI_ROUNDS: of `killed`. AT_MPI_PACE, AT_MPI_TRIALS: of `equal`.
"""
import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

TEST, AUTOTUNE, SOURCE, DRIVER, KERNELS, PRELOAD = sys.argv[1:7]
SHAPES = f"{SOURCE}/db/recordings/shapes.txt"
WORK = tempfile.mkdtemp(prefix="autotune-mpi-")
LIMIT = 300  # seconds after which a run counts as hung
HOURS = 10_000_000  # milliseconds: more than any test takes
ENV = {**os.environ, "HOME": WORK, "XDG_CACHE_HOME": f"{WORK}/cache", "AUTOTUNE_NO_SHIPPED": "1",
       # MPIs keep what they allocate, and a sanitizer's library is not the first where one is preloaded.
       "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0", "OMPI_ALLOW_RUN_AS_ROOT": "1",
       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,vader,tcp"}
for name in ("AUTOTUNE_DB", "AUTOTUNE_CACHE", "AUTOTUNE_MPI", "AUTOTUNE_RANK_TIMEOUT"):
    ENV.pop(name, None)


def skip(why):
    print("skipped:", why)
    shutil.rmtree(WORK, ignore_errors=True)
    sys.exit(77)


def launchers():
    """mpirun of each MPI that has a module, by its name."""
    found = {}
    for name, options in (("openmpi", ["--oversubscribe", "--bind-to", "none"]), ("mpich", [])):
        program = shutil.which(f"mpirun.{name}")
        if not program and shutil.which("mpirun"):
            said = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, env=ENV).stdout
            program = "mpirun" if ("Open MPI" in said) == (name == "openmpi") else None
        if program and os.path.exists(f"{os.path.dirname(AUTOTUNE)}/autotune-mpi-{name}.so"):
            found[name] = [program, *options]
    return found or skip("no MPI with its module (Debian: openmpi-bin libopenmpi-dev, or mpich libmpich-dev)")


def recording():
    """As a database, which is opened at once; a dump is read anew by every rank."""
    path = f"{WORK}/recording.db"
    if not os.path.exists(path):
        subprocess.run([AUTOTUNE, "merge", path, f"{SOURCE}/db/recordings/h200.jsonl.gz"], check=True, env=ENV,
                       capture_output=True)
    return path


def command(db, pace="", trials=60, program=AUTOTUNE):
    return [program, "tune", "--device", f"replay:{recording()}{pace}", "--shapes", SHAPES, "--strategy", "random",
            "--max-trials", str(trials), "--quiet", "--db", f"{WORK}/{db}"]


def run(args, **env):
    return subprocess.run(args, env={**ENV, **env}, capture_output=True, text=True, timeout=LIMIT)


def rows(db, sql="SELECT count(*) FROM trial"):
    try:
        with sqlite3.connect(f"file:{WORK}/{db}?mode=ro", uri=True, timeout=10) as store:
            return store.execute(sql).fetchall()
    except sqlite3.Error:
        return [(0,)]


def scripted(script, problems=4):
    """The environment of ranks with the scripted driver, and a list of problems for them."""
    with open(f"{WORK}/script", "w", encoding="utf-8") as file:
        file.write(script)
    with open(f"{WORK}/shapes", "w", encoding="utf-8") as file:
        file.writelines(["64x64 f32\n", "32x96 f32\n", "96x96 f32\n", "128x64 f32\n"][:problems])
    os.makedirs(KERNELS, exist_ok=True)
    return {"AT_SCRIPT": f"{WORK}/script", "LD_LIBRARY_PATH": f"{DRIVER}:{ENV.get('LD_LIBRARY_PATH', '')}",
            "AUTOTUNE_CACHE": f"{KERNELS}/mpi.db"}


def ran_well(done):
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return sorted(line for line in done.stdout.splitlines() if "[replay]" in line)


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def parent_of(pid):
    """Its parent's number, behind a name that may have blanks and brackets; None: it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return None


def children_of(process):
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if parent_of(pid) == process]


def ranks_of(db):
    """The processes that are ranks, by their numbers."""
    found = {}
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                line = file.read().split(b"\0")
            with open(f"/proc/{pid}/environ", "rb") as file:
                env = dict(e.split(b"=", 1) for e in file.read().split(b"\0") if b"=" in e)
        except (OSError, ValueError):
            continue
        rank = env.get(b"OMPI_COMM_WORLD_RANK", env.get(b"PMI_RANK"))
        if line[:2] == [AUTOTUNE.encode(), b"tune"] and f"{WORK}/{db}".encode() in line and rank:
            found[pid] = int(rank)
    # A child looks like its rank until it has become another program.
    return {rank: pid for pid, rank in found.items() if parent_of(pid) not in {*found, None}}


def rank_at_work(job, db, number):
    """A rank's process, once 60 trials are stored. It is looked for before: on a busy machine looking takes long."""
    found = {}
    wait_for(lambda: found.update(ranks_of(db)) or number in found or job.poll() is not None)
    wait_for(lambda: rows(db)[0][0] > 60 or job.poll() is not None)
    assert job.poll() is None, "the run has ended already"
    return found[number]


def tell(process, number):
    """Sends a signal. One that is gone needs none: a machine may be so busy that a rank falls silent by itself."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)


def wait_for(what, seconds=LIMIT):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        got = what()
        if got:
            return got
        time.sleep(0.01)
    raise AssertionError("waited in vain")


def equal():
    """Eight ranks find what one process finds, in less time."""
    pace, trials = os.environ.get("AT_MPI_PACE", "2"), int(os.environ.get("AT_MPI_TRIALS", "60"))
    start = time.monotonic()
    alone = ran_well(run(command("alone.db", f"?pace={pace}", trials)))
    one_s = time.monotonic() - start
    assert len(alone) == 14, alone
    print(f"{len(alone)} problems, {trials} trials each, at {pace} times the pace of an H200")
    print(f"1 process: {one_s:.2f} s")
    for mpi, mpirun in launchers().items():
        start = time.monotonic()
        found = ran_well(run([*mpirun, "-n", "8", *command(f"{mpi}.db", f"?pace={pace}", trials)]))
        seconds = time.monotonic() - start
        assert found == alone, "\n".join(["found", *found, "expected", *alone])
        print(f"8 ranks of {mpi}: {seconds:.2f} s, {one_s / seconds:.2f} times as fast, "
              f"efficiency {one_s / seconds / 8:.0%}; the winners are those of one process")


def killed():
    """A rank is killed at a random moment: what rank 0 had stored is there, and the same command goes on."""
    alone = ran_well(run(command("alone.db")))
    seed = int(os.environ.get("AT_MPI_SEED", "1"))
    chance = random.Random(seed)
    rounds = int(os.environ.get("AT_MPI_ROUNDS", "3"))
    total = rows("alone.db")[0][0]
    kills = {0: 0, 1: 0}
    for number in range(rounds):
        mpi, mpirun = chance.choice(sorted(launchers().items()))
        db = f"killed{number}.db"
        args = [*mpirun, "-n", "4", *command(db, "?pace=4")]
        with subprocess.Popen(args, env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True) as job:
            wanted = chance.randrange(1, total * 3 // 4)
            wait_for(lambda: rows(db)[0][0] >= wanted or job.poll() is not None)
            ranks = ranks_of(db)
            stored = rows(db)[0][0]
            victim = chance.choice(sorted(ranks)) if ranks else None
            if victim is not None:
                try:
                    os.kill(ranks[victim], signal.SIGKILL)
                    kills[min(victim, 1)] += 1
                except ProcessLookupError:  # the run has just ended
                    pass
            try:
                job.wait(LIMIT)
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                raise AssertionError(f"round {number}, {mpi}: rank {victim} was killed, and the job did not end")
        wait_for(lambda: not ranks_of(db))
        kept = rows(db)[0][0]
        assert kept >= stored > 0, f"round {number}: {stored} trials were stored, {kept} are left"
        before = set(rows(db, "SELECT * FROM trial"))
        found = ran_well(run([*mpirun, "-n", "4", *command(db)]))
        lost = before - set(rows(db, "SELECT * FROM trial"))
        assert not lost, f"round {number}: {len(lost)} trials are gone"
        names = [line.split("[")[0] for line in found]
        assert names == [line.split("[")[0] for line in alone], "\n".join(["found", *found, "expected", *alone])
        os.remove(f"{WORK}/{db}")
    print(f"{rounds} rounds (seed {seed}): rank 0 was killed {kills[0]} times, others {kills[1]} times; "
          "no stored trial was lost, and the same command found what one process finds")


def frozen():
    """A rank that says nothing is told and given up, and others do its work, also when it comes back."""
    alone = ran_well(run(command("alone.db")))
    for mpi, mpirun in launchers().items():
        db = f"{mpi}.db"
        said = f"{WORK}/{mpi}.err"
        with open(said, "w", encoding="utf-8") as errors, \
             subprocess.Popen([a for a in [*mpirun, "-n", "3", *command(db, "?pace=0.3")] if a != "--quiet"],
                              env={**ENV, "AUTOTUNE_RANK_TIMEOUT": "2"}, stdout=subprocess.PIPE, stderr=errors,
                              text=True, start_new_session=True) as job:
            victim = rank_at_work(job, db, 2)
            tell(victim, signal.SIGSTOP)
            try:
                wait_for(lambda: " is gone: " in text_of(said) or job.poll() is not None)
                if mpi == "openmpi" and job.poll() is None:
                    tell(victim, signal.SIGCONT)
                out = job.communicate(timeout=LIMIT)[0]
            finally:
                if job.poll() is None:
                    os.killpg(job.pid, signal.SIGKILL)
        err = text_of(said)
        assert "rank 2 on" in err and "is lost: it has sent nothing for " in err, err
        assert "others of its model take over" in err, err
        found = sorted(line for line in out.splitlines() if "[replay]" in line)
        assert found == alone, "\n".join([f"with {mpi} found", *found, "expected", *alone, err])
        print(f"{mpi}, exit code {job.returncode}: a frozen rank was given up, and the others found what one process finds")


def recovers():
    """Open MPI can be told to let a job live: then the run goes on without the rank that died."""
    mpirun = launchers().get("openmpi") or skip("no Open MPI")
    alone = ran_well(run(command("alone.db")))
    args = [a for a in [*mpirun, "--enable-recovery", "-n", "3", *command("r.db", "?pace=0.3")] if a != "--quiet"]
    with subprocess.Popen(args, env={**ENV, "AUTOTUNE_RANK_TIMEOUT": "2"}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as job:
        tell(rank_at_work(job, "r.db", 1), signal.SIGKILL)
        try:
            out, err = job.communicate(timeout=LIMIT)
        finally:
            if job.poll() is None:
                os.killpg(job.pid, signal.SIGKILL)
    found = sorted(line for line in out.splitlines() if "[replay]" in line)
    assert found == alone and "rank 1 on" in err and "is gone" in err, "\n".join(found + [err])
    print("a rank was killed, and the run went on without it")


def starting():
    """A rank that is lost while its device starts is told, and the others do all the work."""
    env = {**ENV, **scripted(f"count 2\non 1\nslow cuDevicePrimaryCtxRetain {HOURS} create {WORK}/opens\n", 1),
           "AUTOTUNE_RANK_TIMEOUT": "2"}
    cases = [(mpi, "frozen", signal.SIGSTOP, mpirun) for mpi, mpirun in launchers().items()]
    cases += [(mpi, "killed", signal.SIGKILL, [*mpirun, "--enable-recovery"])
              for mpi, mpirun in launchers().items() if mpi == "openmpi"]
    said = "a device did not start, others go on without it: "
    for mpi, how, number, mpirun in cases:
        db = f"{mpi}-{how}.db"
        args = [*mpirun, "-n", "2", AUTOTUNE, "tune", "--shapes", f"{WORK}/shapes", "--only", "tile", "--max-trials",
                "4", "--db", f"{WORK}/{db}"]
        with open(f"{WORK}/{db}.err", "w", encoding="utf-8") as errors, \
             subprocess.Popen(args, env=env, stdout=subprocess.PIPE, stderr=errors, text=True,
                              start_new_session=True) as job:
            try:
                wait_for(lambda: job.poll() is not None or os.path.exists(f"{WORK}/opens"))
                if job.poll() is None:
                    victim = ranks_of(db)[1]
                    helpers = children_of(victim)
                    os.kill(victim, number)
                    wait_for(lambda: said in text_of(errors.name) or job.poll() is not None)
                    for pid in helpers:  # mpirun would wait until the device has started
                        tell(pid, signal.SIGKILL)
                out = job.communicate(timeout=LIMIT)[0]
            finally:
                if job.poll() is None:
                    os.killpg(job.pid, signal.SIGKILL)
        err = text_of(errors.name)
        if job.returncode == 3 and "NVRTC" in err:
            skip("no NVRTC")
        assert err.count(said) == 1 and "rank 1 on" in err.split(said)[1].splitlines()[0], err
        found = rows(db, "SELECT count(*), count(DISTINCT run_id) FROM winner")
        assert found == [(1, 1)], f"{found}\n{out}{err}"
        os.remove(f"{WORK}/opens")
        print(f"{mpi}: a rank was {how} while its device started, and the other one did its work")


def late():
    """The only device that has started is lost: another one, which starts when that was told, does all the work."""
    mpirun = launchers().get("openmpi") or skip("no Open MPI")
    env = {**ENV, **scripted(f"count 2\non 0\nslow cuDevicePrimaryCtxRetain {HOURS} while {WORK}/untold\n"
                             f"on 1\nslow cuMemAlloc_v2 {HOURS} create {WORK}/allocates\n"), "AUTOTUNE_RANK_TIMEOUT": "5"}
    args = [*mpirun, "--enable-recovery", "-n", "2", AUTOTUNE, "tune", "--shapes", f"{WORK}/shapes", "--only", "tile",
            "--max-trials", "4", "--db", f"{WORK}/late.db"]
    with open(f"{WORK}/untold", "w", encoding="utf-8"), open(f"{WORK}/late.err", "w", encoding="utf-8") as errors, \
         subprocess.Popen(args, env=env, stdout=subprocess.PIPE, stderr=errors, text=True,
                          start_new_session=True) as job:
        try:
            wait_for(lambda: os.path.exists(f"{WORK}/allocates") or job.poll() is not None)
            if job.poll() is None:
                victim = ranks_of("late.db")[1]
                for pid in [victim, *children_of(victim)]:
                    tell(pid, signal.SIGKILL)
                wait_for(lambda: "others of its model take over" in text_of(errors.name) or job.poll() is not None)
            os.remove(f"{WORK}/untold")
            out = job.communicate(timeout=LIMIT)[0]
        finally:
            if job.poll() is None:
                os.killpg(job.pid, signal.SIGKILL)
    err = text_of(errors.name)
    if job.returncode == 3 and "NVRTC" in err:
        skip("no NVRTC")
    assert "others of its model take over if they start" in err and "autotune: error" not in err, out + err
    assert rows("late.db", "SELECT count(*) FROM winner") == [(4,)], out + err
    print("the only device was lost, and one that started later did its work")


class Hosts:
    """Two hosts, as far as one machine goes: each with a name, a network and an address, and a cable between them."""

    def __enter__(self):
        if os.geteuid() != 0 or not all(shutil.which(p) for p in ("unshare", "nsenter", "ip")):
            skip("not root, or no unshare, nsenter, ip")
        self.all = [subprocess.Popen(["unshare", "--net", "--uts", "sh", "-c", f"hostname host{n} && exec sleep 600"],
                                     stderr=subprocess.DEVNULL) for n in "ab"]
        try:
            wait_for(lambda: all(self.name(n) == f"host{'ab'[n]}" or self.all[n].poll() is not None for n in (0, 1)))
            ends = [f"at{os.getpid()}{n}" for n in "ab"]
            self.ip("ip", "link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
            for n, end in enumerate(ends):
                self.ip("ip", "link", "set", end, "netns", str(self.all[n].pid))
                self.ip(*self.inside(n), "ip", "link", "set", end, "name", "cable")
                self.ip(*self.inside(n), "ip", "addr", "add", f"10.99.0.{n + 1}/24", "dev", "cable")
                for link in ("lo", "cable"):
                    self.ip(*self.inside(n), "ip", "link", "set", link, "up")
        except subprocess.CalledProcessError:
            subprocess.run(["ip", "link", "delete", ends[0]], stderr=subprocess.DEVNULL, check=False)
            self.__exit__()
            skip("no namespaces here")
        self.agent = f"{WORK}/agent"  # in place of ssh: options, a host, a command
        with open(self.agent, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\nhost=$1 && shift\n"
                       f"case $host in 10.99.0.1) p={self.all[0].pid} ;; *) p={self.all[1].pid} ;; esac\n"
                       "exec nsenter --target $p --net --uts sh -c \"$*\"\n")
        os.chmod(self.agent, 0o755)
        return self

    def __exit__(self, *_):
        networks = {os.readlink(f"/proc/{host.pid}/ns/net") for host in self.all if host.poll() is None}
        networks.discard(os.readlink("/proc/self/ns/net"))  # of a host that has not begun: never this machine's own
        for pid in filter(str.isdigit, os.listdir("/proc")):  # all that is left there
            try:
                if os.readlink(f"/proc/{pid}/ns/net") in networks:
                    os.kill(int(pid), signal.SIGKILL)
            except OSError:
                continue
        for host in self.all:  # and with them their networks
            host.kill()
            host.wait()

    @staticmethod
    def ip(*words):
        subprocess.run(words, check=True, stderr=subprocess.DEVNULL)

    def inside(self, number):
        return ["nsenter", "--target", str(self.all[number].pid), "--net", "--uts"]

    def name(self, number):
        return subprocess.run([*self.inside(number), "hostname"], capture_output=True, text=True).stdout.strip()

    def launcher(self, mpi, program):
        if mpi == "mpich":
            return [*self.inside(0), program, "-launcher", "ssh", "-launcher-exec", self.agent, "-hosts",
                    "10.99.0.1,10.99.0.2"]
        words = ["plm_rsh_agent", self.agent, "btl", "self,tcp", "btl_tcp_if_include", "10.99.0.0/24",
                 "oob_tcp_if_include", "10.99.0.0/24"]
        return [*self.inside(0), program, *(w for i in range(0, 8, 2) for w in ("--mca", *words[i:i + 2])), "--bind-to",
                "none", "--host", "10.99.0.1:2,10.99.0.2:2"]


def hosts():
    """Two hosts find what one process finds; when the network between them fails, the first goes on alone."""
    alone = ran_well(run(command("alone.db")))
    for mpi, mpirun in launchers().items():
        with Hosts() as two:
            start = [*two.launcher(mpi, mpirun[0]), "-n", "4"]
            done = run([a for a in [*start, *command(f"{mpi}.db", "?pace=4")] if a != "--quiet"])
            assert ran_well(done) == alone, done.stdout + done.stderr
            assert done.stderr.count(" on hosta: 1 device") == done.stderr.count(" on hostb: 1 device") == 2, done.stderr
            if mpi != "openmpi":  # the others speak through memory, which no cable is needed for
                print(f"{mpi}: two hosts found what one process finds")
                continue
            db, said, printed = f"{mpi}-cut.db", f"{WORK}/{mpi}.err", f"{WORK}/{mpi}.out"
            with open(said, "w", encoding="utf-8") as errors, open(printed, "w", encoding="utf-8") as output, \
                 subprocess.Popen([a for a in [*start, *command(db, "?pace=0.3")] if a != "--quiet"],
                                  env={**ENV, "AUTOTUNE_RANK_TIMEOUT": "2"}, stdout=output, stderr=errors,
                                  start_new_session=True) as job:
                try:
                    wait_for(lambda: rows(db)[0][0] > 60 or job.poll() is not None)
                    two.ip(*two.inside(1), "ip", "link", "set", "cable", "down")
                    wait_for(lambda: 0 not in ranks_of(db))
                finally:  # mpirun itself may wait for the other host for ever
                    if job.poll() is None:
                        os.killpg(job.pid, signal.SIGKILL)
            out = text_of(printed)
            err = text_of(said)
            assert err.count(" on hostb is lost: it has sent nothing for ") == 2, err
            found = sorted(line for line in out.splitlines() if "[replay]" in line)
            assert found == alone, "\n".join([f"with {mpi} found", *found, "expected", *alone, err])
            print(f"{mpi}: two hosts found what one process finds, and one alone when the other was cut off")


def mixed():
    """Ranks that run another program are refused, by rank and host."""
    other = f"{WORK}/other/autotune"
    os.makedirs(os.path.dirname(other))
    shutil.copy(AUTOTUNE, other)
    with open(other, "ab") as file:
        file.write(b"another build")
    for mpi, mpirun in launchers().items():
        shutil.copy(f"{os.path.dirname(AUTOTUNE)}/autotune-mpi-{mpi}.so", os.path.dirname(other))
        done = run([*mpirun, "-n", "2", *command("m.db"), ":", "-n", "1", *command("m.db", program=other)])
        assert done.returncode != 0 and not os.path.exists(f"{WORK}/m.db"), done
        assert done.stderr.count("error: rank 2 on ") == 1, done.stderr
        assert "another version, or other templates; expected one program on all ranks" in done.stderr, done.stderr
        print(f"{mpi}: another program is refused")


def told():
    """What keeps a rank from its work is said with its name and what to do, and the others go on."""
    env = scripted("count 1\n")
    with open(f"{WORK}/none", "w", encoding="utf-8") as file:
        file.write("count 0\n")
    for mpi, mpirun in launchers().items():
        args = [AUTOTUNE, "tune", "64x64", "--only", "tile", "--max-trials", "4", "--db", f"{WORK}/{mpi}.db"]
        done = run([*mpirun, "-n", "1", *args, ":", "-n", "1", "env", f"AT_SCRIPT={WORK}/none", "AUTOTUNE_NVRTC=/none",
                    *args], **env)
        if done.returncode == 3 and "NVRTC" in done.stderr:
            skip("no NVRTC")
        assert done.returncode == 0 and "64x64" in done.stdout, done
        lines = [line for line in done.stderr.splitlines() if "rank 1 on " in line]
        assert any("compiles nothing: found NVRTC (none) there; expected " in line for line in lines), done.stderr
        assert any(line.endswith(": 0 devices, 0 compile workers") for line in lines), done.stderr
        none = run([*mpirun, "-n", "2", *args, "--db", f"{WORK}/none.db"], **{**env, "AT_SCRIPT": f"{WORK}/none"})
        assert none.returncode == 3, none
        assert "none of 2 ranks has a GPU: the driver shows none (CUDA_VISIBLE_DEVICES)" in none.stderr, none.stderr
        for other in launchers():
            if other == mpi:
                continue
            wrong = run([*mpirun, "-n", "2", *command("wrong.db")],
                        AUTOTUNE_MPI=f"{os.path.dirname(AUTOTUNE)}/autotune-mpi-{other}.so")
            assert wrong.returncode != 0 and not os.path.exists(f"{WORK}/wrong.db"), wrong
            assert "it is another MPI than the one that started them" in wrong.stderr, wrong.stderr
        if mpi == "openmpi" and (os.cpu_count() or 1) > 1:
            bound = run([mpirun[0], "--oversubscribe", "--bind-to", "core", "-n", "2", *args, "--force", ":", "-n", "1", "env",
                         "AUTOTUNE_NVRTC=/none", *args, "--force"], **env)
            assert bound.stderr.count("as mpirun has bound it; `mpirun --bind-to none` gives it all") == 1, bound.stderr
            assert "rank 2 on" in bound.stderr and "compiles nothing: found NVRTC (none) there" in bound.stderr, bound.stderr
        print(f"{mpi}: ranks without GPU and compiler, of another MPI or bound to a core are told")


def without():
    """A program without a module says so when it is one of several, and does nothing."""
    bare = f"{WORK}/bin/autotune"
    os.makedirs(os.path.dirname(bare))
    shutil.copy(AUTOTUNE, bare)
    for by, env in (("Open MPI's mpirun", {"OMPI_COMM_WORLD_SIZE": "3", "OMPI_COMM_WORLD_RANK": "0"}),
                    ("MPICH's mpirun", {"PMI_SIZE": "3", "PMI_RANK": "0"}),
                    ("srun", {"SLURM_STEP_NUM_TASKS": "3", "SLURM_PROCID": "0"})):
        done = run(command("none.db", program=bare), **env)
        assert done.returncode == 2 and not os.path.exists(f"{WORK}/none.db"), done
        assert done.stderr.startswith(f"autotune: error: {by} started 3 processes, and this autotune was built "
                                      "without MPI"), done.stderr
        others = run(command("none.db", program=bare), **{k: v.replace("0", "1") for k, v in env.items()})
        assert others.returncode == 2 and others.stderr == "", others
        ran_well(run(command("alone.db", program=bare), AUTOTUNE_MPI="off", **env))
        ran_well(run([*command("shard.db", program=bare), "--shard", "1/1"], **env))
        assert run([bare, "list", "ops"], **env).returncode == 0
    print("without a module every launcher is told")


def gpus():
    """Ranks of one host share its GPUs: each is served once. Compilers of all ranks work."""
    env = scripted("count 3\n", 3)
    args = [AUTOTUNE, "tune", "--shapes", f"{WORK}/shapes", "--only", "tile", "--max-trials", "4"]
    alone = run([*args, "--device", "all", "--db", f"{WORK}/alone.db"], **env)
    if alone.returncode == 3 and "NVRTC" in alone.stderr:
        skip("no NVRTC")
    for mpi, mpirun in launchers().items():
        done = run([*mpirun, "-n", "2", *args, "--device", "all", "--db", f"{WORK}/{mpi}.db"], **env)
        assert done.returncode == 0, done
        devices = rows(f"{mpi}.db", "SELECT count(*), count(DISTINCT device_uuid) FROM run")
        assert devices == [(3, 3)], devices
        assert "rank 0 on" in done.stderr and "2 devices" in done.stderr and "rank 1 on" in done.stderr, done.stderr
        assert len(done.stdout.splitlines()) == len(alone.stdout.splitlines()) == 4, done.stdout + alone.stdout
        none = run([*mpirun, "-n", "2", *args, "--device", "7", "--db", f"{WORK}/none.db"], **env)
        assert "none of 2 ranks has a GPU that --device names" in none.stderr, none.stderr
        print(f"{mpi}: two ranks served three GPUs, each once")


def network():
    """A database on a network file system is warned of, once, with what to do; the run goes on."""
    preload = ENV.get("LD_PRELOAD", "")
    for number, name in (("6969", "NFS"), ("0BD00BD0", "Lustre"), ("47504653", "GPFS"), ("19830326", "BeeGFS"),
                         ("FF534D42", "CIFS")):
        done = run([a for a in command("n.db", trials=2) if a != "--quiet"], AT_FILE_SYSTEM=number,
                   LD_PRELOAD=f"{PRELOAD}:{preload}")
        assert done.returncode == 0, done.stderr
        said = f"warning: the database {WORK}/n.db is on {name}, a network file system"
        assert done.stderr.count(said) == 1 and "Expected a local disk: --db" in done.stderr, done.stderr
    merged = run([AUTOTUNE, "merge", f"{WORK}/m.db", f"{WORK}/n.db"], AT_FILE_SYSTEM="6969",
                 LD_PRELOAD=f"{PRELOAD}:{preload}")
    assert "m.db is on NFS, a network file system" in merged.stderr, merged.stderr
    ext4 = run([a for a in command("n.db", trials=2) if a != "--quiet"], AT_FILE_SYSTEM="EF53",
               LD_PRELOAD=f"{PRELOAD}:{preload}")
    assert "network file system" not in ext4.stderr, ext4.stderr
    print("a database on NFS, Lustre, GPFS, BeeGFS and CIFS is warned of")


try:
    globals()[TEST]()
finally:
    shutil.rmtree(WORK, ignore_errors=True)
