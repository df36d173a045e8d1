"""Minimal puzzles."""

from __future__ import annotations

from . import _gridmill
from ._call import Malformed, options, whole
from ._columns import Cells, Kind, Numbers, names, truths
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
    found = _gridmill.minimize(
        rows, whole("seed", seed), whole("orders", orders, 1), options(threads, malformed)
    )
    has_none = truths(found["clues"] == 0)
    columns: dict[str, Kind] = {
        "minimal": Cells(found["minimal"], has_none),
        "status": names(found["status"], _gridmill.STATUSES),
        "clues": Numbers(found["clues"], has_none),
    }
    return Result(puzzles, shape, columns, rows)
