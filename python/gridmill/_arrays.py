"""Converts puzzles to arrays of cells and to texts, and makes isomorphs of them."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from . import _gridmill
from ._gridmill import Column
from ._input import Malformed, Puzzles, Shape, given_records, options, whole

Cells = NDArray[np.uint8]


def cells(
    puzzles: Puzzles, *, shape: Shape = None, threads: int | None = None, malformed: Malformed = "raise"
) -> Cells:
    """Returns puzzles, in any of their forms, as a new array of uint8 of shape (n, 81), 0 for a blank.

    Raises `MalformedError` for a record that is no puzzle. With `malformed="keep"` its cells are 0, as those of a puzzle without
    clues are; `tokens` and `verify` tell them apart.

    >>> import gridmill
    >>> gridmill.cells(["." * 80 + "1"])[0, 78:]
    array([0, 0, 1], dtype=uint8)
    """
    return _gridmill.cells(given_records(puzzles, shape), 0, options(threads, malformed))


def tokens(
    puzzles: Puzzles, *, shape: Shape = None, threads: int | None = None, malformed: Malformed = "raise"
) -> Cells:
    """Returns puzzles, or solutions, as training code reads them: with 1 added, because models use 0 for padding.

    A new array of uint8 of shape (n, 81): 1 for a blank, 2 to 10 for the digits. Raises `MalformedError` for a record that is no
    puzzle; with `malformed="keep"` it is padding, 0 in every cell.

    >>> import gridmill
    >>> gridmill.tokens("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")[0, :4]
    array([6, 4, 1, 1], dtype=uint8)
    >>> (gridmill.tokens(["." * 81, "x", None], malformed="keep") == 0).all(axis=1)
    array([False,  True,  True])
    """
    return _gridmill.cells(given_records(puzzles, shape), 1, options(threads, malformed))


@overload
def texts(
    puzzles: Puzzles,
    *,
    shape: Shape = None,
    threads: int | None = None,
    malformed: Literal["raise"] = "raise",
) -> list[str]: ...


@overload
def texts(
    puzzles: Puzzles, *, shape: Shape = None, threads: int | None = None, malformed: Malformed
) -> list[str | None]: ...


def texts(
    puzzles: Puzzles, *, shape: Shape = None, threads: int | None = None, malformed: Malformed = "raise"
) -> list[str] | list[str | None]:
    """Returns puzzles, or solutions, as texts in the form that tables have. It is the inverse of `cells`, and
    brings texts of any form into one.

    A list of str: `.` for a blank, and in sides above 9 the letters of the texts that were given, or those of `shape`. Raises
    `MalformedError` for a record that is no puzzle; with `malformed="keep"` it is None.

    >>> import gridmill
    >>> gridmill.texts([[1, 0, 0, 0, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0, 0, 2]], shape="2x2")
    ['1.....3..4.....2']
    >>> gridmill.texts("1000003004000002", shape="2x2")
    ['1.....3..4.....2']
    """
    records = given_records(puzzles, shape)
    array = _gridmill.cells(records, 1, options(threads, malformed))
    missing = array[:, 0] == 0
    array -= (~missing)[:, np.newaxis]
    return Column(records, "cells", array, missing).to_list()


@overload
def augment(
    puzzles: Puzzles,
    solutions: None = None,
    times: int = 1,
    seed: int = 1,
    *,
    first: int = 0,
    shape: Shape = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Cells: ...


@overload
def augment(
    puzzles: Puzzles,
    solutions: Puzzles,
    times: int = 1,
    seed: int = 1,
    *,
    first: int = 0,
    shape: Shape = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> tuple[Cells, Cells]: ...


def augment(
    puzzles: Puzzles,
    solutions: Puzzles | None = None,
    times: int = 1,
    seed: int = 1,
    *,
    first: int = 0,
    shape: Shape = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Cells | tuple[Cells, Cells]:
    """Makes random isomorphs of puzzles, and applies the same changes to their solutions.

    Digits are renamed, bands, stacks, rows in a band and columns in a stack permuted, and the grid is
    transposed or not: each of 1,218,998,108,160 ways is as likely as any other. Returns an array of
    uint8 of shape (n * times, 81), the isomorphs of a puzzle one after the other; with `solutions` two of
    them. Raises `MalformedError` for a record that is no puzzle, or a solution that is not that of its
    puzzle; with `malformed="keep"` both have only blanks, 0 in every cell, which no solution has otherwise.

    The isomorphs of a puzzle depend on the seed and on its number, which is its index plus `first`. So the
    same seed gives the same bytes for any number of threads, in one call or several, and also in `gridmill
    shuffle`.

    >>> import gridmill
    >>> made = gridmill.generate(10)
    >>> puzzles, solutions = gridmill.augment(made.puzzle, made.solution, times=1000, seed=3)
    >>> puzzles.shape, gridmill.check(puzzles, solutions).verdict.counts()
    ((10000, 81), {'ok': 10000})
    """
    records = given_records(puzzles, shape)
    answers = None if solutions is None else given_records(solutions, shape, "solutions")
    numbers = whole("times", times), whole("seed", seed), whole("first", first)
    made, *solved = _gridmill.augment(records, answers, *numbers, options(threads, malformed))
    return (made, solved[0]) if solved else made


def shuffle(
    puzzles: Puzzles,
    *,
    seed: int = 1,
    shape: Shape = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Cells:
    """Turns each puzzle into a random isomorph: `augment` with one for each, as an array of uint8 of shape (n, 81).

    Raises `MalformedError` for a record that is no puzzle; with `malformed="keep"` it has only blanks, as in `cells`.

    >>> import gridmill
    >>> gridmill.shuffle(["." * 80 + "1"]).sum(axis=1).shape
    (1,)
    """
    return augment(puzzles, times=1, seed=seed, shape=shape, threads=threads, malformed=malformed)
