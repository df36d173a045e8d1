"""Puzzles as arrays: their cells, and isomorphs of them."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import NDArray

from . import _gridmill
from ._input import Puzzles, Shape, options, rows_of, whole

Cells = NDArray[np.uint8]


def cells(puzzles: Puzzles, *, shape: Shape = None, threads: int | None = None) -> Cells:
    """Returns puzzles, in any of their forms, as a new array of uint8 of shape (n, 81), 0 for a blank.

    >>> import gridmill
    >>> gridmill.cells(["." * 80 + "1"])[0, 78:]
    array([0, 0, 1], dtype=uint8)
    """
    return _gridmill.cells(rows_of(puzzles, shape), options(threads, "raise"))


def tokens(puzzles: Puzzles, *, shape: Shape = None, threads: int | None = None) -> Cells:
    """Returns puzzles, or solutions, as training code reads them: with 1 added, so that 0 is left for padding.

    >>> import gridmill
    >>> gridmill.tokens("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")[0, :4]
    array([6, 4, 1, 1], dtype=uint8)
    """
    array = cells(puzzles, shape=shape, threads=threads)
    array += 1
    return array


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
) -> Cells | tuple[Cells, Cells]:
    """Makes random isomorphs of puzzles, and with the same changes of their solutions.

    Digits are renamed, bands, stacks, rows in a band and columns in a stack permuted, and the grid is transposed or not: each of
    1,218,998,108,160 ways is as likely as any other. Returns an array of uint8 of shape (n * times, 81), the isomorphs of a puzzle
    one behind the other; with `solutions` two of them. A solution that is not that of its puzzle is a `MalformedError`.

    What a puzzle becomes depends on the seed and on its number, which is its index plus `first`: the same seed gives the same
    bytes, for any number of threads, in one piece or several, and those of `gridmill shuffle`.

    >>> import gridmill
    >>> made = gridmill.generate(10)
    >>> puzzles, solutions = gridmill.augment(made.puzzle, made.solution, times=1000, seed=3)
    >>> puzzles.shape, gridmill.check(puzzles, solutions).verdict.counts()
    ((10000, 81), {'ok': 10000})
    """
    rows = rows_of(puzzles, shape)
    answers = None if solutions is None else rows_of(solutions, shape, "solutions")
    numbers = whole("times", times), whole("seed", seed), whole("first", first)
    made, *solved = _gridmill.augment(rows, answers, *numbers, options(threads, "raise"))
    return (made, solved[0]) if solved else made


def shuffle(puzzles: Puzzles, *, seed: int = 1, shape: Shape = None, threads: int | None = None) -> Cells:
    """Turns each puzzle into a random isomorph: `augment` with one for each, as an array.

    >>> import gridmill
    >>> gridmill.shuffle(["." * 80 + "1"]).sum(axis=1).shape
    (1,)
    """
    return augment(puzzles, times=1, seed=seed, shape=shape, threads=threads)
