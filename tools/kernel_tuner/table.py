"""table.py - what the runs amount to: when each had a configuration within 1 % of the best known, and the table."""

NEAR = 1.01
HOPELESS = 1.05  # by the tuner's own times: such a configuration is not within NEAR of its best


def key_of(config):
    return " ".join(f"{name}={value}" for name, value in sorted(config.items()))


def incumbents(trials):
    """What the tuner would have answered if it had been stopped: (seconds, configuration), by its own times."""
    best, found = float("inf"), []
    for trial in trials:
        if trial["seconds"] is not None and trial["seconds"] < best:
            best = trial["seconds"]
            found.append((trial["at_s"], trial["config"]))
    return found


def to_time(runs, at_most=8):
    """The configurations that the common timing needs: winners, and the last incumbents of each run that were near."""
    chosen = {}
    for run in runs:
        times = {key_of(trial["config"]): trial["seconds"] for trial in run["trials"]}
        answers = [config for _, config in incumbents(run["trials"])]
        near = [config for config in answers if times[key_of(config)] <= HOPELESS * times[key_of(answers[-1])]]
        for config in [run["winner"]] + near[-at_most:]:
            if config:
                chosen[key_of(config)] = config
    return list(chosen.values())


def near_at(run, times, best):
    """The first time at which the run's answer was within 1 % of the best known, by the common timing, or None. A
    winner that only a re-measurement chose counts at the end of the run."""
    for at_s, config in incumbents(run["trials"]):
        if times.get(key_of(config), float("inf")) <= NEAR * best:
            return at_s
    if times.get(key_of(run["winner"] or {}), float("inf")) <= NEAR * best:
        return run["wall_s"]
    return None


def judge(result):
    """Adds to a kernel's runs what follows from the common times."""
    times = {key: entry["seconds"] for key, entry in result["times"].items() if "seconds" in entry}
    best = min(times.values(), default=None)
    result["best_known_s"] = best
    for run in result["runs"]:
        if not run.get("winner"):
            continue
        run["near_at_s"] = near_at(run, times, best) if best else None
        run["common_s"] = times.get(key_of(run["winner"]))
        run["wrong"] = "wrong result" in result["times"].get(key_of(run["winner"]), {}).get("error", "")
        run["tried"] = len(run["trials"])
        run["tried_a_second"] = run["tried"] / run["wall_s"] if run["wall_s"] else None
    return result


def _number(value, format_):
    return "" if value is None else format(value, format_)


def _reached(result, run):
    if run["near_at_s"] is not None or result["best_known_s"] is None:
        return _number(run["near_at_s"], ".1f")
    return "not within the limit" if run.get("limited") else "never"


def _since_its_process(run):
    """Kernel Tuner's clock starts where tune_kernel is called; autotune's with its process."""
    if run["near_at_s"] is None:
        return ""
    return f"{run['near_at_s'] + run.get('prepared_s', 0):.1f}"


def _times_sooner(result, run):
    """How many times sooner the first tool was near the best than this run; at least, where the limit ended it."""
    first = result["runs"][0].get("near_at_s")
    if run is result["runs"][0] or not first:
        return ""
    if run["near_at_s"] is None:
        return f"> {run['wall_s'] / first:.1f}" if run.get("limited") else ""
    return f"{run['near_at_s'] / first:.1f}"


def _row(result, run):
    cells = [result["kernel"], result["shape"], str(result["space"]), run["tool"]]
    if not run.get("winner"):
        why = f"failed: {run.get('error', 'no winner')}".replace("|", "/").replace("\n", " ")
        return cells + [why[:90]] + [""] * 6
    return cells + [_reached(result, run), _times_sooner(result, run), _since_its_process(run), _number(run["wall_s"], ".1f"), str(run["tried"]),
                    _number(run["tried_a_second"], ".1f"),
                    "wrong result" if run["wrong"] else _number(run["common_s"] and run["common_s"] * 1e6, ".1f")]


def markdown(results):
    head = ["kernel", "size", "space", "tuner", "within 1 % after, s", "times autotune's", "since its process began, s", "whole run, s", "tried",
            "a second", "winner, µs"]
    lines = [head, ["---"] * 4 + ["---:"] * 7]
    for result in results:
        lines += [_row(result, run) for run in result["runs"]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def seconds(results):
    """Where autotune's time goes. Compilers and the device work at the same time."""
    head = ["kernel", "first trial after, s", "compilers", "kernels compiled", "one takes, s", "compilers busy, s each",
            "trials on the device, s", "re-measurement, s", "whole run, s"]
    lines = [head, ["---"] + ["---:"] * 8]
    for result in results:
        run = result["runs"][0] if result["runs"] else {}
        found = run.get("phases")
        if not found:
            continue
        each = found["compilers_busy"] / max(1, found["compilers"])
        lines.append([result["kernel"], _number(found["first_trial"], ".2f"), str(found["compilers"]),
                      str(found["compiled"]), _number(found["compilers_busy"] / max(1, found["compiled"]), ".2f"),
                      _number(each, ".2f"), _number(found["trials_busy"], ".2f"),
                      _number(found["re-measurement"], ".2f"), _number(run["wall_s"], ".2f")])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
