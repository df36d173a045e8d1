"""Measures the cost of `--resume`, and of 64 parts by `--shard`."""

import itertools
import os
import pathlib
import resource
import statistics
import subprocess
import time

from common import give_up

ROUNDS = 5
PARTS = 64


def parts(program, puzzles, directory):
    """Prints the table. `puzzles` is a large file with one puzzle per line."""
    directory = pathlib.Path(directory)
    solve = [program, "solve", puzzles, "-q", "-o"]
    whole, other, copy = (directory / name for name in ("whole.csv", "other.csv", "copy"))
    shards = [directory / f"part{number:02}.csv" for number in range(1, PARTS + 1)]
    split = [[*solve, shard, "--shard", f"{number}/{PARTS}"] for number, shard in enumerate(shards, 1)]
    ways = {
        "in one piece": [[*solve, whole]],
        "in one piece, then sync": [[*solve, whole], ["sync", whole]],
        "--resume": [[*solve, other, "--resume"]],
        f"{PARTS} parts, one after another": split,
    }
    times = {name: [] for name in [*ways, "dd conv=fsync of the rows"]}
    for turn in range(ROUNDS):
        names = list(ways) if turn % 2 == 0 else list(ways)[::-1]
        for name in names:
            for path in [whole, other, copy, *shards]:
                path.unlink(missing_ok=True)
            os.sync()
            times[name].append(measured(ways[name]))
        subprocess.run([*solve, whole], check=True)
        times["dd conv=fsync of the rows"].append(
            measured([["dd", f"if={whole}", f"of={copy}", "bs=1M", "conv=fsync", "status=none"]])
        )
    check(whole, other, shards, [ways["--resume"], split])
    base, synced = (median(times[name], "cpu") for name in ("in one piece", "in one piece, then sync"))
    print("| | user | system | wall | CPU, ratio to one piece | ratio to one piece with sync |\n|---|---:|---:|---:|---:|---:|")
    for name, measures in times.items():
        user, system, wall, cpu = (median(measures, kind) for kind in ("user", "system", "wall", "cpu"))
        ratios = f"{cpu / base:.3f} | {cpu / synced:.3f}" if name in ways else " | "
        print(f"| {name} | {user:.2f} s | {system:.2f} s | {wall:.2f} s | {ratios} |")


def measured(commands):
    """Runs commands, and returns their processor times, user and system, and their time by the clock."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    for command in commands:
        subprocess.run(command, check=True)
    wall, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return {"user": user, "system": system, "wall": wall, "cpu": user + system}


def median(measures, kind):
    return statistics.median(measure[kind] for measure in measures)


def check(whole, other, shards, commands):
    """Checks that the rows of all runs are equal except for their times."""
    for command in itertools.chain(*commands):
        subprocess.run(command, check=True)
    together = (line for number, shard in enumerate(shards) for line in rows(shard, number > 0))
    for name, lines in (("--resume", rows(other)), ("--shard", together)):
        if any(one != another for one, another in zip(rows(whole), lines, strict=True)):
            give_up(f"{name} gives different rows")


def rows(path, skips_header=False):
    """Yields the rows of a file without their last column, the time."""
    with open(path, "rb") as file:
        if skips_header:
            next(file)
        for line in file:
            yield line.rpartition(b",")[0]
