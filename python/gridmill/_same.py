"""Puzzles that count as the same: keys, and duplicates."""

from __future__ import annotations

from . import _gridmill
from ._input import Malformed, Shape, options, rows_of
from ._result import Result, data_of


def keys(
    puzzles: object,
    *,
    isomorphic: bool = True,
    same_solution: bool = False,
    shape: Shape = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Result:
    """Returns keys that are equal for puzzles that count as the same: to group, join and shuffle by.

    Columns: `puzzle`; `key`, 41 bytes; `status`: ok, improper (without exactly one solution, where solutions are compared; it
    equals no other), malformed. Clues in conflict have no form, and are compared cell by cell.

    - `isomorphic`: whether isomorphs count as the same.
    - `same_solution`: whether solutions are compared in place of clues.
    - `shape`, `threads`, `malformed`: see `solve`.

    >>> import gridmill
    >>> made = gridmill.generate(1)
    >>> (gridmill.keys(made.puzzle).key == gridmill.keys(gridmill.shuffle(made.puzzle)).key).all()
    np.True_
    """
    rows = rows_of(puzzles, shape)
    found = _gridmill.keys(rows, isomorphic, same_solution, options(threads, malformed))
    return Result({"puzzle": puzzles}, shape, data_of(found), [rows])


def same(
    puzzles: object,
    others: object = None,
    *,
    isomorphic: bool = False,
    same_solution: bool = False,
    shape: Shape = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Result:
    """Finds duplicates in a collection, or what of it is in another one.

    Columns: `puzzle`; `same_as`, the index from 0 of the first puzzle of `others` that is the same, or without `others` of the
    first one before it, and -1 where there is none; `status` as in `keys`. So `found.same_as >= 0` says which puzzles leak from
    train to test, or may go.

    - `isomorphic`: whether isomorphs count as the same.
    - `same_solution`: whether solutions are compared in place of clues.
    - `shape`, `threads`, `malformed`: see `solve`.

    >>> import gridmill
    >>> train = gridmill.generate(100).puzzle
    >>> test = gridmill.shuffle(train[:3], seed=5)
    >>> gridmill.same(test, train, isomorphic=True).same_as
    array([0, 1, 2])
    >>> gridmill.same(test, train).same_as
    array([-1, -1, -1])
    """
    rows = rows_of(puzzles, shape)
    others_rows = None if others is None else rows_of(others, shape, "others")
    found = _gridmill.same(rows, others_rows, isomorphic, same_solution, options(threads, malformed))
    return Result({"puzzle": puzzles}, shape, data_of(found), [rows])
