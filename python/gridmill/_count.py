"""Counting solutions."""

from __future__ import annotations

from . import _gridmill
from ._call import Malformed, options, whole
from ._columns import Kind, Numbers, names, truths
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
    found = _gridmill.count(rows, whole("limit", limit), options(threads, malformed))
    status = names(found["status"], _gridmill.STATUSES)
    is_malformed = truths(status.values == "malformed")
    columns: dict[str, Kind] = {
        "solutions": Numbers(found["solutions"], is_malformed),
        "status": status,
        "guesses": Numbers(found["guesses"], is_malformed),
        "time_ns": Numbers(found["time_ns"], is_malformed),
    }
    return Result(puzzles, shape, columns, rows)
