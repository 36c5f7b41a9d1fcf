"""One comparison: the libraries opened, then problem by problem prepared, checked, timed by turns."""

import random
import sys
import time
import traceback

from . import device as gpu
from .peers import Memcpy, Skip
from .problems import Permutation
from .race import describe, race


class DeviceLost(Exception):
    """A library has broken the device's context: nothing can be measured any more."""


def _reason(error):
    """In one line."""
    if isinstance(error, Skip):
        return str(error)
    text = str(error).strip().splitlines()
    return f"failed: {type(error).__name__}: {text[0][:160] if text else ''}"


class Comparison:
    """Holds what all problems share; rows are documents as results.py describes them."""

    def __init__(self, peers, device, seconds=1.0, seed=1, verbose=False):
        self._device, self._seconds, self._seed, self._verbose = device, seconds, seed, verbose
        self._memcpy = Memcpy()
        self._peers, self.libraries = [], {}
        for peer in peers:
            try:
                peer.open(device)
            except Exception as error:  # a library that cannot be used is one less
                self._explain(error)
                self.libraries[peer.name] = {"title": peer.title, "skipped": _reason(error)}
            else:
                self._peers.append(peer)
                self.libraries[peer.name] = {"title": peer.title, "version": peer.version}

    def _explain(self, error):
        if self._verbose and not isinstance(error, Skip):
            traceback.print_exception(type(error), error, error.__traceback__, file=sys.stderr)

    def _checked(self, work, prepare, copy=False):
        """(batch, what is known of it), after its output was compared."""
        prepared = prepare(work)
        work.poison(copy)
        if prepared.launch:
            prepared.launch(0)
        self._device.sync()
        right = work.is_right(prepared.output, copy)
        batch = prepared.batch or gpu.Batch(work, prepared.launch)
        known = {"right": right, **prepared.detail}
        if prepared.note:
            known["note"] = prepared.note
        return batch, {**known, "launches": batch.count, "captured": batch.captured}

    def _prepared(self, work):
        """All that will be timed: {("copies" or "results", name): (batch, known)}; and what will not, and why."""
        wanted, ready, refused = [("copies", self._memcpy.name, self._memcpy.prepare, True)], {}, {}
        for peer in self._peers:
            if isinstance(work.problem, Permutation) and not peer.permutes:
                refused["results", peer.name] = {"skipped": "only transposes"}
                continue
            if hasattr(peer, "prepare_copy"):
                wanted.append(("copies", peer.name, peer.prepare_copy, True))
            wanted.append(("results", peer.name, peer.prepare, False))
        for group, name, prepare, copy in wanted:
            began = time.perf_counter()
            try:
                batch, known = self._checked(work, prepare, copy)
                ready[group, name] = batch, {**known, "prepare_seconds": round(time.perf_counter() - began, 3)}
            except Exception as error:  # says what it cannot do, each in its own way
                self._explain(error)
                refused[group, name] = {"skipped": _reason(error)}
                self._survive(name)
        return ready, refused

    def _survive(self, name):
        try:
            self._device.sync()
        except Exception as error:
            raise DeviceLost(f"{name} broke the device, {_reason(error)}; leave it out with --peers") from error

    def measure(self, problem):
        """The problem's row."""
        work = gpu.Work(self._device, problem, self._seed)
        ready, refused = self._prepared(work)
        samples = race({key: batch for key, (batch, _) in ready.items()}, self._device.sync, self._seconds,
                       random.Random(self._seed))
        row = {"problem": str(problem), "class": problem.kind, "bytes": problem.bytes, "sets": work.sets,
               "copies": {}, "results": {}}
        for (group, name), (_, known) in ready.items():
            row[group][name] = {**describe(samples[group, name]), **known}
        for (group, name), why in refused.items():
            row[group][name] = why
        copies = {name: copy["seconds"] for name, copy in row["copies"].items() if copy.get("right")}
        best = min(copies, key=copies.get)
        row["ceiling"] = {"name": best, "seconds": copies[best]}
        return row
