"""Puzzles as they are given, and what is made of them: arrays of cells, or columns of texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import MalformedError
from ._gridmill import Rows

Shape = str | tuple[int, int] | None
"""The rows and columns of a box, `"2x3"` or `(2, 3)` for 6x6 puzzles; None for 9x9."""

EXPECTED = (
    "expected puzzles: an array of integers of shape (n, 81) or (n, 9, 9), a str, a list of strings, "
    "or a column of strings of pandas, Polars or Arrow"
)


def rows_of(puzzles: object, shape: Shape, name: str = "puzzles") -> Rows:
    """Returns puzzles in the form that the engine reads, without a copy where that is possible."""
    if isinstance(puzzles, Rows):
        return puzzles
    if isinstance(puzzles, (str, bytes)):
        return Rows.of_list(name, [puzzles], shape)
    if isinstance(puzzles, (list, tuple)):
        return _of_list(puzzles, shape, name)
    if _is_table(puzzles):
        raise TypeError(
            f'{name}: expected the column of the puzzles, such as table["puzzle"], found a whole table'
        )
    if str(getattr(puzzles, "dtype", None)) == "Null":
        # Polars hands out nulls alone in a form that the engine's Arrow refuses.
        return Rows.of_list(name, [None] * len(np.asarray(puzzles)), shape)
    if hasattr(puzzles, "__arrow_c_array__") or hasattr(puzzles, "__arrow_c_stream__"):
        try:
            return Rows.of_arrow(name, puzzles, shape)
        except (ImportError, NotImplementedError):
            # A column of pandas needs pyarrow for it, and a type that pyarrow has. Without, it is an array.
            pass
    if hasattr(puzzles, "__array__") or hasattr(puzzles, "__array_interface__"):
        return _of_array(np.asarray(puzzles), shape, name)
    raise TypeError(f"{name}: {EXPECTED}; found {type(puzzles).__name__}")


def cells_of(array: NDArray[Any], shape: Shape, name: str) -> NDArray[np.uint8]:
    """Returns integers as an array with a row of cells for each puzzle."""
    side, cells = _size(shape)
    if array.shape in [(cells,), (side, side)]:
        array = array.reshape(1, cells)
    elif array.shape[1:] == (side, side):
        array = array.reshape(-1, cells)
    elif array.ndim != 2 or array.shape[1] != cells:
        if array.size == 0 and array.ndim == 1:
            return np.empty((0, cells), np.uint8)
        hint = "" if shape else "; for puzzles of another size say shape=, such as shape='2x3' for 6x6"
        expected = f"expected an array of shape (n, {cells}) or (n, {side}, {side})"
        raise ValueError(f"{name}: {expected}, found {array.shape}{hint}")
    if array.dtype != np.uint8:
        array = _narrowed(array, side, name)
    return np.ascontiguousarray(array)


def _narrowed(array: NDArray[Any], side: int, name: str) -> NDArray[np.uint8]:
    """Returns integers of another type as bytes. What is no cell becomes 255."""
    outside = (array < 0) | (array > side)
    narrow: NDArray[np.uint8] = array.astype(np.uint8)
    narrow[outside] = 255
    return narrow


def _size(shape: Shape) -> tuple[int, int]:
    """Returns the side and the number of cells."""
    rows, columns = Rows.of_list("", [], shape).shape
    side = rows * columns
    return side, side * side


def _is_table(puzzles: object) -> bool:
    """Returns whether it is a data frame or a table, and no column."""
    return hasattr(puzzles, "columns") and hasattr(puzzles, "shape") and np.size(puzzles.shape) == 2


def _of_array(array: NDArray[Any], shape: Shape, name: str) -> Rows:
    kind = array.dtype.kind
    if kind in "ui":
        return Rows.of_array(cells_of(array, shape, name), shape)
    if kind in "USTO":
        if array.ndim == 0:
            array = array.reshape(1)
        if array.ndim == 1:
            return _of_list(array.tolist(), shape, name)
        raise ValueError(f"{name}: expected strings in one dimension, found an array of shape {array.shape}")
    hint = "; say puzzles.astype('uint8') if all are whole" if kind == "f" else ""
    raise TypeError(f"{name}: expected integers from 0 (blank) to the side, found {array.dtype}{hint}")


def _of_list(puzzles: Sequence[object], shape: Shape, name: str) -> Rows:
    """Returns puzzles of a list of texts, or of lists of cells."""
    first = next((item for item in puzzles if not _is_missing(item)), None)
    if first is None or isinstance(first, (str, bytes)):
        return Rows.of_list(name, puzzles, shape)
    if isinstance(first, (int, np.integer)):
        return _of_numbers(puzzles, shape, name)
    if not isinstance(first, Iterable):
        raise TypeError(f"{name}: {EXPECTED}; found a list of {type(first).__name__}")
    return _of_lists(puzzles, shape, name)


def _of_numbers(puzzles: Sequence[object], shape: Shape, name: str) -> Rows:
    """Returns one puzzle of a list of cells, or of a list of rows."""
    try:
        array = np.asarray(puzzles)
    except ValueError:
        array = np.empty(0, object)
    if array.dtype.kind in "USTO":
        raise TypeError(f"{name}: {EXPECTED}; found a list of integers and others")
    return _of_array(array, shape, name)


def _is_missing(item: object) -> bool:
    """Returns whether an item of a list stands for none: None, NaN, or the NA of pandas."""
    is_nan = isinstance(item, float) and math.isnan(item)
    return item is None or is_nan or type(item).__name__ == "NAType"


def _of_lists(puzzles: Sequence[Any], shape: Shape, name: str) -> Rows:
    """Returns puzzles of lists of cells, one by one so that an exception can name the record."""
    side, cells = _size(shape)
    if len(puzzles) == side and all(np.shape(row) == (side,) for row in puzzles):
        return _of_numbers(puzzles, shape, name)
    made = np.empty((len(puzzles), cells), np.uint8)
    for record, puzzle in enumerate(puzzles):
        try:
            one = np.asarray(puzzle)
        except ValueError:
            raise MalformedError(name, record, "expected rows of equal lengths") from None
        if one.dtype.kind not in "ui":
            raise MalformedError(name, record, f"expected integers, found {one.dtype}")
        if one.shape not in [(cells,), (side, side)]:
            expected = f"expected {cells} cells, or {side} rows of {side}"
            raise MalformedError(name, record, f"{expected}, found shape {one.shape}")
        made[record] = _narrowed(one.reshape(cells), side, name)
    return Rows.of_array(made, shape)
