"""Measures the Python package: its speed compared with the library, its memory, and isomorphs compared with a loop over NumPy.

Runs in an environment that has the package: `scripts/measure python` finds it.
"""

import statistics
import subprocess
import sys
import tempfile
import time
import timeit

import gridmill
import numpy as np
import pyarrow as pa

ROUNDS = 11
PAIRS = 2000
TIMES = 1000


def main(puzzles, library):
    with open(puzzles) as file:
        lines = file.read().split()
    array, column = gridmill.cells(lines), pa.array(lines)
    speed(library, {"uint8 array": array, "Arrow strings": column, "lists of cells": array.tolist()})
    memory("uint8 array", array)
    memory("Arrow strings", array)
    isomorphs(array[:TIMES])
    calls(lines[0])


def speed(library, inputs):
    """Prints the time of `solve`, and its ratio to the time of the library for the same puzzles."""
    process = subprocess.Popen(library, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    found = {"solve_all": []} | {name: [] for name in inputs} | {f"{name}, to_arrow": [] for name in inputs}
    for _ in range(ROUNDS):
        process.stdin.write("\n")
        seconds, unique, guesses = process.stdout.readline().split()
        found["solve_all"].append(float(seconds))
        for name, puzzles in inputs.items():
            taken, result = timed(lambda: gridmill.solve(puzzles))
            found[name].append(taken)
            assert (result.status == "unique").sum() == int(unique), "the verdicts differ from those of the library"
            assert result.guesses.sum() == int(guesses), "the guesses differ from those of the library"
            taken, table = timed(result.to_arrow)
            found[f"{name}, to_arrow"].append(taken)
            del result, table
    process.stdin.close()
    library = statistics.median(found["solve_all"])
    print("| | time | ratio to solve_all |\n|---|---:|---:|")
    for name, times in found.items():
        print(f"| {name} | {statistics.median(times):.3f} s | {statistics.median(times) / library:.2f} |")


def memory(name, cells):
    """Prints how much the memory of a process grows while it solves, and how much of that is the result."""
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file, cells)
        file.flush()
        subprocess.run([sys.executable, __file__, "memory", name, file.name], check=True)


def grow(name, path):
    """Prints the figures of `memory`, in a new process, because earlier work would leave memory that is used again."""
    cells = np.load(path)
    if name == "Arrow strings":
        offsets = np.arange(0, cells.size + 1, 81, np.int32)
        text = np.where(cells == 0, ord("."), cells + ord("0")).astype(np.uint8)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(text)]
        puzzles = pa.Array.from_buffers(pa.string(), len(cells), buffers)
        del cells
    else:
        puzzles = cells
    gridmill.solve(puzzles[:10_000])
    with open("/proc/self/clear_refs", "w") as peak:
        peak.write("5")
    before = status("VmRSS")
    result = gridmill.solve(puzzles)
    grown = status("VmHWM") - before
    output = sum(column.nbytes for column in (result.solution, result.status.codes, result.guesses, result.time_ns))
    print(f"memory, {name}: {grown / 1e6:.0f} MB more at most, of which {output / 1e6:.0f} MB are the result")


def status(name):
    """Returns a value of /proc/self/status in bytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name + ":")) * 1024


def isomorphs(puzzles):
    """Prints the time of an isomorph with its solution, and that of a Python loop over NumPy arrays."""
    solutions = gridmill.solve(puzzles).solution
    ours, theirs = [], []
    for turn in range(ROUNDS):
        taken, made = timed(lambda: gridmill.augment(puzzles, solutions, times=TIMES, seed=turn))
        ours.append(taken / len(made[0]))
        rng = np.random.default_rng(turn)
        pairs = [(puzzles[place % len(puzzles)], solutions[place % len(puzzles)]) for place in range(PAIRS)]
        taken, loop = timed(lambda: [isomorph(puzzle, solution, rng) for puzzle, solution in pairs])
        theirs.append(taken / PAIRS)
        sample = slice(0, len(made[0]), TIMES // 2)
        for puzzles_made, solutions_made in [(made[0][sample], made[1][sample]), map(np.stack, zip(*loop))]:
            assert (gridmill.check(puzzles_made, solutions_made).verdict == "ok").all(), "wrong isomorphs"
    ours, theirs = statistics.median(ours), statistics.median(theirs)
    print(f"isomorph with solution: {ours * 1e9:.0f} ns, loop over NumPy {theirs * 1e9:.0f} ns, {theirs / ours:.0f} times as long")


def isomorph(puzzle, solution, rng):
    """Returns a random isomorph of a puzzle and its solution, made in the way of a typical training loop."""
    digits = np.concatenate([[0], rng.permutation(9) + 1]).astype(np.uint8)
    rows, columns = (
        np.concatenate([3 * band + rng.permutation(3) for band in rng.permutation(3)]) for _ in range(2)
    )
    transposed = rng.random() < 0.5

    def changed(cells):
        grid = cells.reshape(9, 9)
        return digits[(grid.T if transposed else grid)[rows][:, columns]].reshape(81)

    return changed(puzzle), changed(solution)


def calls(puzzle):
    """Prints the time of a call with one puzzle."""
    for job in (gridmill.solve, gridmill.verify, gridmill.count, gridmill.canon, gridmill.keys):
        seconds = timeit.repeat(lambda: job(puzzle), number=TIMES, repeat=ROUNDS)
        print(f"one puzzle, {job.__name__}: {min(seconds) / TIMES * 1e6:.1f} µs")


def timed(work):
    begun = time.perf_counter()
    result = work()
    return time.perf_counter() - begun, result


if __name__ == "__main__":
    grow(*sys.argv[2:]) if sys.argv[1] == "memory" else main(sys.argv[1], sys.argv[2:])
