"""Solving."""

from __future__ import annotations

from ._answer import answer
from ._call import Malformed, whole
from ._input import Shape, rows_of
from ._result import Result


def solve(
    puzzles: object,
    *,
    limit: int = 2,
    shape: Shape = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Result:
    """Solves puzzles, and proves for each that its solution is the only one.

    Every solution is checked against the rules. Columns: `puzzle`; `solution`, 0 in every cell where there is none;
    `status`: unique, multiple, none, conflict (two equal clues in a house), malformed, or solved (with `limit=1`);
    `guesses`, choices of the engine without proof, the same in every run; `time_ns`, the time charged to the puzzle.

    - `limit`: how many solutions are looked for; 1 finds one and proves nothing about others.
    - `shape`: the rows and columns of a box, such as `"2x3"` for 6x6 puzzles; 9x9 if it is None.
    - `threads`: how many; all cores if it is None.
    - `malformed`: `"raise"` a `MalformedError` that names the record, or `"keep"` it, with that status.

    >>> import gridmill
    >>> found = gridmill.solve(["1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..", "." * 81])
    >>> list(found.status)
    ['unique', 'multiple']
    """
    rows = rows_of(puzzles, shape)
    arguments = {"limit": whole("limit", limit, 1, 2**32 - 1)}
    return Result(puzzles, shape, answer(rows, "solve", arguments, threads, malformed), rows)
