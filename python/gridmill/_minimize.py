"""Minimal puzzles."""

from __future__ import annotations

from ._answer import answer
from ._call import Malformed, whole
from ._input import Shape, rows_of
from ._result import Result


def minimize(
    puzzles: object,
    *,
    seed: int = 1,
    orders: int = 1,
    shape: Shape = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Result:
    """Takes clues out of puzzles until none can go without a second solution.

    Columns: `puzzle`; `minimal`; `status`: unique, multiple, none, conflict (these are left as they are: `minimal` is 0 in
    every cell), malformed, budget (other sizes than 9x9: a search was given up); `clues` of the minimal puzzle. The same seed
    gives the same puzzles, for any number of threads.

    - `orders`: how many random orders are tried; the result with the fewest clues is kept.
    - `shape`, `threads`, `malformed`: see `solve`.

    >>> import gridmill
    >>> solved = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
    >>> gridmill.minimize(solved).clues < 30
    array([ True])
    """
    rows = rows_of(puzzles, shape)
    arguments = {"seed": whole("seed", seed), "orders": whole("orders", orders, 1)}
    return Result(puzzles, shape, answer(rows, "minimize", arguments, threads, malformed), rows)


def minimal(
    puzzles: object,
    *,
    shape: Shape = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Result:
    """Tells which puzzles are minimal, and which clues of the others are redundant.

    Columns: `puzzle`; `status`: minimal, redundant, multiple, none, conflict, malformed, budget (other sizes than 9x9: a search
    was given up); `redundant`, the clues that could each go alone, such as `r1c1 r9c9`, and nothing where there are none.

    - `shape`, `threads`, `malformed`: see `solve`.

    >>> import gridmill
    >>> list(gridmill.minimal(gridmill.generate(1, minimal=True).puzzle).status)
    ['minimal']
    """
    rows = rows_of(puzzles, shape)
    return Result(puzzles, shape, answer(rows, "minimal", {}, threads, malformed), rows)
