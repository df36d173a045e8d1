"""Puzzles as arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import _gridmill
from ._call import options
from ._input import Shape, rows_of


def cells(puzzles: object, *, shape: Shape = None, threads: int | None = None) -> NDArray[np.uint8]:
    """Returns puzzles, in any of their forms, as a new array of uint8 of shape (n, 81), 0 for a blank.

    >>> import gridmill
    >>> gridmill.cells(["." * 80 + "1"]).sum()
    np.uint64(1)
    """
    array: NDArray[np.uint8] = _gridmill.cells(rows_of(puzzles, shape), options(threads, "raise"))["cells"]
    return array


def tokens(puzzles: object, *, shape: Shape = None, threads: int | None = None) -> NDArray[np.uint8]:
    """Returns puzzles, or solutions, as training code reads them: with 1 added, so that 0 is left for padding.

    >>> import gridmill
    >>> gridmill.tokens("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")[0, :4]
    array([6, 4, 1, 1], dtype=uint8)
    """
    array = cells(puzzles, shape=shape, threads=threads)
    array += 1
    return array
