"""A call needs little more memory than its input and its result."""

from __future__ import annotations

import pytest
from processes import run

SCRIPT = """
import resource, sys
import numpy as np
import gridmill

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

puzzles = np.repeat(gridmill.cells(["." * 6 + "6.9..2.4....5..35..1..1...5..6..........6....9.43.9....81...1..4..28..1...5."[:75]]), {count}, axis=0)
{form}
gridmill.solve(puzzles[:10_000])
before = peak()
found = {call}
out = sum(getattr(found, name).nbytes for name in {columns})
print((peak() - before - out) / 1e6)
"""


@pytest.mark.parametrize(
    ("call", "columns"),
    [
        ("gridmill.solve(puzzles)", ["solution", "guesses", "time_ns"]),
        ("gridmill.solve(puzzles, threads=1)", ["solution", "guesses", "time_ns"]),
        ("gridmill.keys(puzzles)", ["key"]),
    ],
)
def test_a_call_needs_at_most_fifty_megabytes_more_than_its_result(call: str, columns: list[str]) -> None:
    """In particular, it does not copy the given array."""
    count = 1_000_000 if "solve" in call else 100_000
    assert float(run(SCRIPT.format(count=count, form="", call=call, columns=columns))) < 50


def test_a_column_of_arrow_is_not_copied() -> None:
    form = "import pyarrow as pa; text = ''.join('.123456789'[cell] for cell in puzzles[0]); puzzles = pa.array([text] * 500_000)"
    script = SCRIPT.format(
        count=10, form=form, call="gridmill.solve(puzzles)", columns=["solution", "guesses", "time_ns"]
    )
    assert float(run(script)) < 50


def test_repeated_calls_take_no_more_memory() -> None:
    script = """
        import resource
        import numpy as np
        import gridmill

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

        puzzles = np.repeat(gridmill.generate(100).puzzle, 50, axis=0)
        texts = ["".join(".123456789"[cell] for cell in row) for row in puzzles]
        for number in range(40):
            found = gridmill.solve(puzzles)
            gridmill.solve(texts).to_arrow()
            gridmill.augment(puzzles, found.solution)
            gridmill.canon(puzzles[:500])
            if number == 10:
                before = peak()
        print(peak() - before)
    """
    assert float(run(script)) < 20
