"""The number of threads changes only the time, and calls from several Python threads run at the same time."""

from __future__ import annotations

import threading
import timeit
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from processes import run
from samples import CONTRADICTORY, EMPTY, cells, texts

import gridmill

PUZZLES = cells(
    [
        *texts("hard", 300),
        *texts("easy", 300),
        *texts("multiple", 200),
        *texts("none", 200),
        CONTRADICTORY,
        *texts("minimal", 300),
    ]
)
PUZZLES[700, 5] = 77
LISTED = [*texts("hard", 100), "x", *texts("easy", 20), None]

CALLS: dict[str, Callable[[int], Any]] = {
    "solve": lambda threads: gridmill.solve(PUZZLES, threads=threads, malformed="keep"),
    "solve texts": lambda threads: gridmill.solve(LISTED, threads=threads, malformed="keep"),
    "solve one solution": lambda threads: gridmill.solve(PUZZLES, limit=1, threads=threads, malformed="keep"),
    "solve 16x16": lambda threads: gridmill.solve(texts("16x16", 20), shape="4x4", threads=threads),
    "count": lambda threads: gridmill.count(PUZZLES, limit=50, threads=threads, malformed="keep"),
    "verify": lambda threads: gridmill.verify(PUZZLES, threads=threads),
    "check": lambda threads: gridmill.check(PUZZLES, PUZZLES[::-1].copy(), threads=threads),
    "canon": lambda threads: gridmill.canon(PUZZLES, threads=threads, malformed="keep"),
    "keys": lambda threads: gridmill.keys(PUZZLES, threads=threads, malformed="keep"),
    "same": lambda threads: gridmill.same(PUZZLES, PUZZLES[::-3].copy(), threads=threads, malformed="keep"),
    "rate": lambda threads: gridmill.rate(PUZZLES[290:320], up_to=3.4, threads=threads),
    "minimize": lambda threads: gridmill.minimize(PUZZLES[250:450], seed=3, threads=threads),
    "neighbors": lambda threads: gridmill.neighbors(PUZZLES[980:1060], threads=threads).listed,
    "generate": lambda threads: gridmill.generate(40, seed=5, clues=(24, 27), threads=threads),
    "augment": lambda threads: gridmill.augment(PUZZLES[:300], times=3, seed=5, threads=threads),
    "shuffle": lambda threads: gridmill.shuffle(PUZZLES[:300], seed=5, threads=threads),
    "score": lambda threads: gridmill.score(PUZZLES, PUZZLES, threads=threads, malformed="keep"),
    "texts": lambda threads: gridmill.texts(texts("easy"), threads=threads),
    "cells": lambda threads: gridmill.cells(texts("easy"), threads=threads),
}


def without_times(result: Any) -> Any:
    """Returns the part of a result that must be the same in every run."""
    if not isinstance(result, gridmill.Result):
        return result if isinstance(result, list) else result.tolist()
    table = result.to_arrow()
    return table.drop_columns([name for name in table.column_names if name == "time_ns"]).to_pylist()


@pytest.mark.parametrize("call", CALLS)
def test_any_number_of_threads_gives_the_same_answers(call: str) -> None:
    one = without_times(CALLS[call](1))
    for threads in (2, 7):
        again = without_times(CALLS[call](threads))
        # Unknown ratings and the `scale` of these are None in tables (NaN would equal nothing), so tables can
        # be compared.
        assert again == one


FEW = [
    *texts("hard", 30),
    *texts("multiple", 30),
    *texts("none", 30),
    CONTRADICTORY,
    EMPTY,
    *texts("minimal", 10),
]
JOBS: dict[str, dict[str, Any]] = {
    "solve": {},
    "verify": {},
    "count": {"limit": 3000},
    "canon": {},
    "keys": {},
    "backdoors": {},
    "unavoidable": {"cells": 6},
    "unavoidable_sets": {"cells": 6},
    "minimal": {},
    "candidates": {},
}


@pytest.mark.parametrize("job", JOBS)
def test_a_few_records_have_the_same_answers_as_among_many(job: str) -> None:
    """A few records are processed in the calling thread, with the worker of the previous call."""
    answer, options = getattr(gridmill, job), JOBS[job]
    many = without_times(answer(FEW, **options))
    few = [without_times(answer(FEW[start : start + 7], **options)) for start in range(0, len(FEW), 7)]
    assert [row for part in few for row in part] == many
    if job == "solve":
        assert without_times(gridmill.solve(FEW[:5], limit=1))[0]["status"] == "solved"
        assert without_times(gridmill.solve(FEW[:5])) == many[:5]


def test_a_call_with_one_puzzle_takes_microseconds() -> None:
    """About 10 µs in a release build. Waking a pool of threads would take ten times as long."""
    seconds = timeit.repeat(lambda: gridmill.solve(FEW[0]), number=20, repeat=100)
    assert min(seconds) / 20 < 100e-6


def test_a_call_lets_other_threads_of_python_run() -> None:
    """The main thread continues while another thread is in a call that never ends."""
    script = """
        import os, threading, time
        import gridmill

        threading.Thread(target=gridmill.count, args=("." * 81,), daemon=True).start()
        while time.process_time() - time.thread_time() < 0.5:
            time.sleep(0.001)
        print("the main thread goes on", flush=True)
        os._exit(0)
    """
    assert run(script) == "the main thread goes on\n"


def test_calls_from_several_threads_at_once_have_the_right_answers() -> None:
    """The calls have different numbers of threads, so that some share a pool and others do not."""
    expected = gridmill.solve(PUZZLES, malformed="keep")

    def call(number: int) -> bool:
        found = gridmill.solve(PUZZLES, malformed="keep", threads=[None, 1, 2][number % 3])
        table = gridmill.generate(5, seed=number).to_arrow()
        return np.array_equal(found.solution, expected.solution) and table.num_rows == 5

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(call, range(60)))


def test_simultaneous_exceptions_reach_the_threads_of_their_calls() -> None:
    def call(number: int) -> bool:
        given = [*texts("easy", 50), "x" * number]
        try:
            gridmill.solve(given)
        except gridmill.MalformedError as error:
            return error.record == 50
        return False

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(call, range(40)))


def test_an_array_may_change_while_a_call_reads_it() -> None:
    """It is unspecified which values the call reads, but it returns an answer for each puzzle."""
    puzzles = np.repeat(PUZZLES[:300], 20, axis=0)
    is_done = threading.Event()

    def change() -> None:
        rng = np.random.default_rng(1)
        while not is_done.is_set():
            puzzles[rng.integers(len(puzzles), size=50)] = rng.integers(0, 12, 81)

    worker = threading.Thread(target=change)
    worker.start()
    try:
        for _ in range(5):
            assert len(gridmill.solve(puzzles, malformed="keep")) == len(puzzles)
    finally:
        is_done.set()
        worker.join()


def test_empty_grids_are_solved_by_every_thread() -> None:
    assert gridmill.solve([EMPTY] * 3, threads=3).status.counts() == {"multiple": 3}
