"""A process can fork at any time, and then both it and its child can call. Spawned processes can call too."""

from __future__ import annotations

import pytest
from processes import run

SETUP = """
import multiprocessing, os, pickle, signal, sys, threading, time
import numpy as np
import gridmill

PROPER = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
signal.alarm(500)

def call(number=0):
    found = gridmill.solve([PROPER] * 500, threads=[None, 1, 2][number % 3])
    made = gridmill.generate(2, seed=number + 1)
    return found.status.counts() == {"unique": 500} and len(made) == 2

def forked(function):
    child = os.fork()
    if child == 0:
        signal.alarm(500)
        done = 1
        try:
            done = 0 if function() else 1
        finally:
            os._exit(done)
    return child

def exit_code(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


def run_with_setup(script: str) -> str:
    """Runs the setup and then a script, and returns its output."""
    return run(SETUP + script)


def test_parent_and_child_can_both_call_after_a_fork() -> None:
    script = """
assert call()
children = [forked(call) for _ in range(4)]
assert call(1)
print([exit_code(child) for child in children], call(2))
"""
    assert run_with_setup(script) == "[0, 0, 0, 0] True\n"


def test_a_grandchild_can_call() -> None:
    script = """
assert call()
print(exit_code(forked(lambda: call(1) and exit_code(forked(call)) == 0 and call())))
"""
    assert run_with_setup(script) == "0\n"


def test_a_child_forked_during_calls_of_other_threads_can_call() -> None:
    script = """
is_done = threading.Event()
def loop(number):
    while not is_done.is_set():
        call(number)
workers = [threading.Thread(target=loop, args=(number,)) for number in range(3)]
for worker in workers:
    worker.start()
codes = set()
for number in range(12):
    time.sleep(0.01)
    codes.add(exit_code(forked(lambda: call(number))))
is_done.set()
for worker in workers:
    worker.join()
print(codes, call())
"""
    assert run_with_setup(script) == "{0} True\n"


def test_a_child_can_read_a_result_of_its_parent() -> None:
    script = """
found = gridmill.solve([PROPER] * 3)
print(exit_code(forked(lambda: len(pickle.dumps(found)) > 0 and found.to_arrow().num_rows == 3 and len(found) == 3)))
"""
    assert run_with_setup(script) == "0\n"


def test_a_child_that_makes_no_call_exits() -> None:
    """At its exit, a child does not wait for threads that only its parent has."""
    script = """
call()
child = os.fork()
if child == 0:
    sys.exit(7)
print(exit_code(child))
"""
    assert run_with_setup(script) == "7\n"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_of_processes_can_call(method: str, tmp_path: object) -> None:
    """The functions are in a module, because spawned processes import them."""
    script = f"""
sys.path.insert(0, {str(tmp_path)!r})
with open({str(tmp_path)!r} + "/work.py", "w") as file:
    file.write('''
import gridmill
def work(number):
    made = gridmill.generate(3, seed=number + 1)
    return gridmill.solve(made.puzzle, threads=1 + number % 2)
''')
from work import work
if __name__ == "__main__":
    call()
    with multiprocessing.get_context({method!r}).Pool(4) as pool:
        results = pool.map(work, range(24))
    print(len(results), all(result.status.counts() == {{"unique": 3}} for result in results))
"""
    assert run_with_setup(script) == "24 True\n"


def test_forked_data_loader_workers_can_augment_while_the_parent_calls() -> None:
    """As in a data loader, forked workers take indices from one queue and put arrays into another."""
    script = """
puzzles = gridmill.generate(64).puzzle

def worker(tasks, batches):
    for epoch, start in iter(tasks.get, None):
        part = puzzles[start : start + 8]
        batches.put((epoch, start, gridmill.augment(part, seed=epoch, first=start)))

context = multiprocessing.get_context("fork")
loaded = []
for epoch in range(3):
    tasks, batches = context.SimpleQueue(), context.SimpleQueue()
    workers = [context.Process(target=worker, args=(tasks, batches), daemon=True) for _ in range(4)]
    for process in workers:
        process.start()
    for start in range(0, 64, 8):
        tasks.put((epoch, start))
    made = {}
    for _ in range(8):
        _, start, batch = batches.get()
        made[start] = batch
        assert call(epoch)
    for _ in workers:
        tasks.put(None)
    for process in workers:
        process.join()
    loaded.append(np.array_equal(np.concatenate([made[start] for start in sorted(made)]), gridmill.augment(puzzles, seed=epoch)))
print(loaded)
"""
    assert run_with_setup(script) == "[True, True, True]\n"


def test_ctrl_c_ends_a_call_in_a_forked_child() -> None:
    script = """
call()
def interrupt():
    # Waits until the endless call has worked for a while.
    while time.process_time() - time.thread_time() < 0.5:
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)

child = os.fork()
if child == 0:
    signal.alarm(500)
    try:
        threading.Thread(target=interrupt, daemon=True).start()
        gridmill.count("." * 81)
    except KeyboardInterrupt:
        os._exit(5 if call() else 6)
    os._exit(1)
print(exit_code(child))
"""
    assert run_with_setup(script) == "5\n"


def test_a_process_can_exit_while_a_thread_is_in_a_call() -> None:
    script = """
threading.Thread(target=gridmill.count, args=("." * 81,), daemon=True).start()
while time.process_time() - time.thread_time() < 0.5:
    time.sleep(0.001)
print("the end", flush=True)
"""
    assert run_with_setup(script) == "the end\n"
