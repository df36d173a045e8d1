"""Scores partly filled grids. Training code makes rewards of such scores."""

from __future__ import annotations

from . import _gridmill
from ._input import Malformed, Puzzles, Shape, given_answers, given_records, options
from ._jobs import solve
from ._result import Scored


def score(
    grids: Puzzles,
    puzzles: Puzzles | None = None,
    solutions: Puzzles | None = None,
    *,
    shape: Shape = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Scored:
    """Scores partly filled grids against the puzzles that they began as, against their solutions, or against both.

    Columns: `puzzle`, if it is given; `grid`; `right` and `wrong`, how many filled cells have the digit of the solution, and how
    many another one; `open`, how many are blank; `changed`, the number of clues that were changed or removed; clues are in none of the other counts;
    `status`: solved (also by another solution, where a puzzle has several), solvable (a solution can still be reached),
    unsolvable, conflict (two equal digits in a house), changed, malformed. Without puzzles all cells count, none is a clue, and only
    the solution is right: a grid with a wrong cell is unsolvable, or a conflict.
    With solutions a grid in which no cell is wrong needs no search. Without them puzzles are solved first; where one has several,
    cells are compared with the first that is found, and where it has none, every filled cell is wrong.

    - `shape`, `threads`, `malformed`: see `solve`.

    If a solution has no digits (`solve` returns this for a puzzle without one), the puzzle counts as having no solution.

    Returns a `Scored`; `help(gridmill.Scored)` lists its columns and their types. Raises errors as `solve` does, and
    `MalformedError` for a solution that is not that of its puzzle; with `malformed="keep"` the counts are 0, and
    missing in tables.

    >>> import gridmill
    >>> puzzle, solution = "1.....3..4.....2", "1324423124133142"
    >>> found = gridmill.score(["132...3..4.....2", "124...3..4.....2", solution], [puzzle] * 3, [solution] * 3, shape="2x2")
    >>> found.right, found.wrong, found.open, list(found.status)
    (array([ 2,  0, 12], dtype=int32), array([0, 2, 0], dtype=int32), array([10, 10,  0], dtype=int32), ['solvable', 'unsolvable', 'solved'])
    """
    begun = None if puzzles is None else given_records(puzzles, shape)
    if solutions is None:
        if puzzles is None:
            raise TypeError("expected puzzles, or solutions, or both to score the grids by")
        solutions = solve(puzzles, limit=1, shape=shape, threads=threads, malformed=malformed).solution
    solved = given_records(solutions, shape, "solutions")
    answers = given_answers(grids, shape, "grids", solved if begun is None else begun, malformed)
    if begun is not None and len(begun) != len(answers):
        raise ValueError(f"puzzles: expected one for each of {len(answers)} grids, found {len(begun)}")
    found = _gridmill.score(answers, begun, solved, options(threads, malformed))
    given = {"grid": grids} if begun is None else {"puzzle": puzzles, "grid": grids}
    return Scored(given, shape, found, [answers] if begun is None else [begun, answers])
