"""Verifying puzzles, and the solutions beside them."""

from __future__ import annotations

from . import _gridmill
from ._call import Malformed, options
from ._columns import Given, Kind, Texts, names
from ._input import Shape, rows_of
from ._result import Result


def verify(
    puzzles: object,
    *,
    shape: Shape = None,
    threads: int | None = None,
    malformed: Malformed = "keep",
) -> Result:
    """Proves that puzzles have exactly one solution.

    Columns: `puzzle`; `verdict`: unique, multiple, none, conflict (two equal clues in a house), malformed; `reason`, None for
    a good one. A malformed record is a verdict here, unless `malformed="raise"`.

    - `shape`, `threads`: see `solve`.

    >>> import gridmill
    >>> found = gridmill.verify(["1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..", "55" + "." * 79])
    >>> list(found.verdict), found.reason[1]
    (['unique', 'conflict'], 'row 1 holds two 5s')
    """
    rows = rows_of(puzzles, shape)
    found = _gridmill.verify(rows, options(threads, malformed))
    columns: dict[str, Kind] = {
        "verdict": names(found["verdict"], _gridmill.VERDICTS),
        "reason": Texts(found["reason"]),
    }
    return Result(puzzles, shape, columns, rows)


def check(
    puzzles: object,
    solutions: object,
    *,
    shape: Shape = None,
    threads: int | None = None,
    malformed: Malformed = "keep",
) -> Result:
    """Proves that each solution is that of its puzzle, and that there is no other.

    `solutions` has one for each puzzle, in any of the forms of puzzles. Columns: `puzzle`; `solution`; `verdict`: ok, wrong,
    not-unique (right, and not the only one), malformed; `reason`, None for a good one. A malformed record is a verdict here,
    unless `malformed="raise"`.

    - `shape`, `threads`: see `solve`.

    >>> import gridmill
    >>> made = gridmill.generate(2)
    >>> list(gridmill.check(made.puzzle, made.solution).verdict)
    ['ok', 'ok']
    >>> gridmill.check(made.puzzle, made.solution[::-1]).verdict.counts()
    {'wrong': 2}
    """
    rows, answers = rows_of(puzzles, shape), rows_of(solutions, shape, "solutions")
    found = _gridmill.check(rows, answers, options(threads, malformed))
    columns: dict[str, Kind] = {
        "solution": Given(solutions, shape, answers),
        "verdict": names(found["verdict"], _gridmill.VERDICTS),
        "reason": Texts(found["reason"]),
    }
    return Result(puzzles, shape, columns, rows)
