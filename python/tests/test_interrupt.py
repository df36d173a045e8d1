"""Ctrl-C ends a call early, and the process continues."""

from __future__ import annotations

import inspect
import threading
import time
from typing import Any

import numpy as np
import pytest
from processes import run
from samples import DATASETS, EMPTY

import gridmill

# A puzzle without a solution. Proving this takes most of a second.
LONG = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4........."

# Calls that take several seconds of processor time or more, except those in `QUICK`.
CALLS = {
    "count": f"gridmill.count('{EMPTY}')",
    "count on one thread": f"gridmill.count(['{EMPTY}'] * 5, threads=1)",
    "count 16x16": "gridmill.count(np.zeros(256, int), shape='4x4')",
    "solve": "gridmill.solve(many)",
    "count a few": f"gridmill.count(['{LONG}'] * 16)",
    "solve on one thread": "gridmill.solve(many, threads=1)",
    "solve 25x25": "gridmill.solve(np.zeros(625, int), shape='5x5', limit=10**9)",
    "verify": "gridmill.verify(many)",
    "check": "gridmill.check(many, many)",
    "canon": "gridmill.canon(many)",
    "keys": "gridmill.keys(many)",
    "same": "gridmill.same(many, isomorphic=True)",
    "same in others": "gridmill.same(many[:5], many, isomorphic=True)",
    "rate": "gridmill.rate(many)",
    "rate on one thread": "gridmill.rate(many, threads=1)",
    "minimize": "gridmill.minimize(many)",
    "minimize with many orders": "gridmill.minimize(gridmill.solve(hard).solution[:1], orders=10**9)",
    "minimize 16x16": "gridmill.minimize(gridmill.solve(np.zeros(256, int), shape='4x4', limit=1).solution, shape='4x4', orders=10**9)",
    "neighbors": "gridmill.neighbors(hard, remove=2, add=2)",
    "generate": "gridmill.generate(10**9)",
    "generate an impossible puzzle": "gridmill.generate(1, clues=17, attempts=10**9)",
    "generate by rating": "gridmill.generate(10**6, er=(9.0, 9.5))",
    "enumerate": f"gridmill.enumerate('{EMPTY}', limit=0)",
    "explain": "gridmill.explain(many)",
    "explain in words": "gridmill.explain(many, words=True, text=True, json=True)",
    "hint": "gridmill.hint(many)",
    "split": "gridmill.split(many, (1, 1), isomorphic=True)",
    "select": "gridmill.select(many, er=5.0)",
    "select minimal": "gridmill.select(many, minimal=True)",
    "stats": "gridmill.stats(many, isomorphic=True)",
    "stats with ratings": "gridmill.stats(many, rating=True)",
    "augment": "gridmill.augment(hard, times=50_000)",
    "augment one puzzle": "gridmill.augment(hard[:1], times=5_000_000)",
    "shuffle": "gridmill.shuffle(np.repeat(many, 2, axis=0))",
}

# Calls that end within a second or two, and the seconds after which they are interrupted.
QUICK = {"check": 0.25, "augment": 0.5, "augment one puzzle": 0.5}

# A timer of processor time sends the signal instead of a key press, so that it comes in the middle of the
# work however busy the machine is. At most two threads are used, because the time until a thread checks for
# signals counts for each core. The call is repeated, because a fast machine may finish the first one before
# the signal.
SCRIPT = """
import os, signal, sys, time
import numpy as np
import gridmill

if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
hard = gridmill.cells(open(sys.argv[1]).read().split()[:100])
many = np.repeat(hard, 30_000, axis=0)
signal.signal(signal.SIGPROF, signal.getsignal(signal.SIGINT))
begun = time.process_time()
try:
    signal.setitimer(signal.ITIMER_PROF, {seconds})
    while True:
        {call}
except KeyboardInterrupt:
    print(time.process_time() - begun)
print(gridmill.solve(hard).status[0], gridmill.solve(hard, threads=1).status[0])
"""


@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_ends_a_call_and_the_process_continues(call: str) -> None:
    after = QUICK.get(call, 0.4)
    assert is_interrupted(CALLS[call], after, within=after if call in QUICK else 1)


def test_an_exception_raised_by_a_signal_handler_ends_the_call() -> None:
    script = """
        import signal
        import gridmill

        class Stopped(Exception):
            pass

        def stop(*_):
            raise Stopped

        signal.signal(signal.SIGPROF, stop)
        try:
            signal.setitimer(signal.ITIMER_PROF, 0.3)
            gridmill.count("." * 81)
        except Stopped:
            print("told")
    """
    assert run(script) == "told\n"


def test_a_call_continues_after_a_signal_handler_that_raises_nothing() -> None:
    script = """
        import signal
        import gridmill

        signals = []
        signal.signal(signal.SIGPROF, lambda *_: signals.append(1))
        signal.setitimer(signal.ITIMER_PROF, 0.01, 0.01)
        # A fast machine may need more than one call.
        while not signals:
            found = gridmill.count("." * 9 + "123456789" + "." * 63, limit=3_000_000)
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(found.solutions[0])
    """
    assert run(script) == "3000000\n"


def test_ctrl_c_reaches_the_main_thread_during_a_call_in_another_thread() -> None:
    script = """
        import os, signal, threading, time
        import gridmill

        def interrupt():
            # Waits until the endless call has worked for a while.
            while time.process_time() - time.thread_time() < 0.5:
                time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=gridmill.count, args=("." * 81,), daemon=True).start()
        try:
            threading.Thread(target=interrupt, daemon=True).start()
            time.sleep(600)
        except KeyboardInterrupt:
            print(gridmill.solve("." * 81, threads=1).status[0], flush=True)
        os._exit(0)
    """
    assert run(script) == "multiple\n"


def is_interrupted(call: str, after: float, within: float) -> bool:
    """Returns whether a call, interrupted after `after` seconds of processor time, ends within `within` more.

    One of three runs is enough, because the processor may be busy with other work.
    """

    def taken() -> float:
        seconds, statuses = run(
            SCRIPT.format(call=call, seconds=after), str(DATASETS / "hard.txt")
        ).splitlines()
        assert statuses == "unique unique"
        return float(seconds)

    return any(taken() < after + within for _ in range(3))


def test_ctrl_c_ends_reading_a_long_list() -> None:
    assert is_interrupted("gridmill.cells(['.' * 81] * 3_000_000)", after=0.1, within=0.1)


MANY = [line.split()[0] for line in (DATASETS / "hard.txt").read_text().splitlines()[:100]]

WITH_PROGRESS = [
    name
    for name in gridmill.__all__
    if inspect.isfunction(getattr(gridmill, name))
    and "progress" in inspect.signature(getattr(gridmill, name)).parameters
]


@pytest.mark.parametrize("name", WITH_PROGRESS)
def test_progress_ends_with_the_total(name: str) -> None:
    given: dict[str, tuple[Any, ...]] = {
        "check": (MANY, gridmill.solve(MANY).solution),
        "generate": (len(MANY),),
        "split": (MANY, (1, 1)),
    }
    more = {"enumerate": {"limit": 1}}
    calls: list[tuple[int, int]] = []
    threads = set()

    def progress(done: int, total: int) -> None:
        calls.append((done, total))
        threads.add(threading.get_ident())

    getattr(gridmill, name)(*given.get(name, (MANY,)), progress=progress, **more.get(name, {}))
    assert calls[-1] == (len(MANY), len(MANY)) and calls == sorted(calls)
    assert threads == {threading.get_ident()}


def test_progress_comes_at_most_ten_times_a_second_and_can_end_the_call() -> None:
    many = np.repeat(gridmill.cells(MANY), 10_000, axis=0)
    times: list[float] = []

    class Enough(Exception):
        pass

    def progress(done: int, total: int) -> None:
        assert total == len(many) and 0 <= done < total
        times.append(time.monotonic())
        if len(times) == 5:
            raise Enough

    begun = time.monotonic()
    with pytest.raises(Enough):
        gridmill.rate(many, progress=progress)
    assert len(times) == 5 and time.monotonic() - begun < 20
    assert np.diff(times).min() > 0.09
    # The next call works as usual.
    assert len(gridmill.solve(MANY, progress=lambda done, total: None)) == len(MANY)
    with pytest.raises(TypeError, match="progress: expected a function"):
        gridmill.solve(MANY, progress=1)  # type: ignore[arg-type]


def test_a_failed_call_never_reports_complete_progress() -> None:
    calls: list[tuple[int, int]] = []
    with pytest.raises(gridmill.MalformedError):
        gridmill.solve([*MANY, "12"], progress=lambda *call: calls.append(call))
    assert (len(MANY) + 1, len(MANY) + 1) not in calls
