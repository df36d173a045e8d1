"""Counting solutions."""

from __future__ import annotations

from ._answer import answer
from ._call import Malformed, whole
from ._input import Shape, rows_of
from ._result import Result


def count(
    puzzles: object,
    *,
    limit: int = 0,
    shape: Shape = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Result:
    """Counts the solutions of puzzles: all of them, or up to `limit`.

    Columns: `puzzle`; `solutions`; `status`: unique, multiple, none, conflict, malformed; `guesses`; `time_ns`. A puzzle of
    few clues may have more solutions than a life has nanoseconds: Ctrl-C ends the count, `limit` bounds it.

    - `shape`, `threads`, `malformed`: see `solve`.

    >>> import gridmill
    >>> gridmill.count("." * 16, shape="2x2").solutions
    array([288], dtype=uint64)
    """
    rows = rows_of(puzzles, shape)
    columns = answer(rows, "count", {"limit": whole("limit", limit)}, threads, malformed)
    return Result(puzzles, shape, columns, rows)
