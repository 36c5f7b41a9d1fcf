"""Timing by turns: all kernels in every round, in random order, so that a drift of the device meets all of them."""

import statistics
import time

MIN_ROUNDS, MAX_ROUNDS = 7, 31


def race(batches, finish, seconds, rng, now=time.perf_counter):
    """Seconds a launch of every batch, {name: [...]}, a value a round, for about `seconds`.

    A batch has start(), which enqueues, and seconds(), which tells the time of a launch after finish(). Batches that
    are timed from outside (`wall`) come last: they wait for the device. The first round only warms up.
    """
    samples = {name: [] for name in batches}
    began, rounds = now(), 0
    while rounds <= MIN_ROUNDS or (rounds <= MAX_ROUNDS and now() - began < seconds):
        order = list(batches)
        rng.shuffle(order)
        order.sort(key=lambda name: batches[name].wall)
        for name in order:
            batches[name].start()
        finish()
        if rounds > 0:
            for name in order:
                samples[name].append(batches[name].seconds())
        rounds += 1
    return samples


def describe(samples):
    """Of the samples of one batch: median, minimum, spread ((p90 - p10) / median)."""
    values, middle = sorted(samples), statistics.median(samples)
    low, high = values[len(values) // 10], values[len(values) - 1 - len(values) // 10]
    return {"seconds": middle, "min_seconds": values[0], "spread": (high - low) / middle, "rounds": len(values)}
