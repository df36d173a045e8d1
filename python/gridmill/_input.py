"""Reads the arguments of functions: puzzles in all their forms, and the options that functions share."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _gridmill
from ._gridmill import GivenRecords


class HasArray(Protocol):
    """An object that NumPy can turn into an array."""

    def __array__(self, dtype: Any = ..., /) -> NDArray[Any]: ...


class HasArrowArray(Protocol):
    """An Arrow column in one piece."""

    def __arrow_c_array__(self, requested_schema: Any = ...) -> Any: ...


class HasArrowStream(Protocol):
    """An Arrow column in pieces."""

    def __arrow_c_stream__(self, requested_schema: Any = ...) -> Any: ...


Puzzles: TypeAlias = str | bytes | Sequence[Any] | NDArray[Any] | HasArray | HasArrowArray | HasArrowStream
"""Puzzles in any form that functions take: one as a text; a list or another sequence of texts or of lists of
cells; an array of cells or of texts; a column of pandas, Polars, pyarrow or others."""

Shape = str | tuple[int, int] | None
"""The rows and columns of a box: `"2x3"` or `(2, 3)` for 6x6 puzzles, None for 9x9. If texts leave open which
characters are digits, append these in order, e.g. `"4x4 0-9A-F"`."""

EXPECTED = (
    "expected an array of integers of shape (n, 81) or (n, 9, 9), a str, a list of strings or of lists of cells, "
    "or a column of strings of pandas, Polars or Arrow"
)

BLOCK = 1 << 14
"""The number of records that are narrowed at a time, so that intermediate arrays take little memory."""

NUMBERS_ADVICE: str = _gridmill.NUMBERS_ADVICE
"""Advice for messages about puzzles that are numbers. CSV readers take a puzzle for a number unless they are given a type."""

Malformed = Literal["raise", "keep"]
"""What to do with a record that is no puzzle: raise an exception, or keep it as a row with the status malformed."""

Progress = Callable[[int, int], object] | None
"""A function that is called with the number of records done and the number of all."""

UNREADABLE_POLARS_TYPES = ("Null", "Object", "Categorical", "Enum")
"""Types of Polars that are read as lists, because its Arrow export of them can't be read, or even ends the
process. For the last three, that is so before version 1.34."""

MOST_THREADS = 1024
"""The most threads, as in the command. More do not help, and exceed the limits of the system."""


def given_records(puzzles: Puzzles, shape: Shape, name: str = "puzzles") -> GivenRecords:
    """Puzzles in the form that the engine reads, without a copy if that is possible."""
    if isinstance(puzzles, (str, bytes)):
        return GivenRecords(name, "list", [puzzles], shape)
    if isinstance(puzzles, (list, tuple)):
        return GivenRecords(name, "list", puzzles if isinstance(puzzles, list) else list(puzzles), shape)
    if type(puzzles) is np.ndarray:
        return _of_array(puzzles, shape, name)
    if _is_table(puzzles):
        table = "table" if not _is_own(puzzles) and hasattr(puzzles, "__getitem__") else "table.to_arrow()"
        raise TypeError(
            f'{name}: expected the column of the puzzles, such as {table}["puzzle"], found a whole table'
        )
    dtype = str(getattr(puzzles, "dtype", None))
    if dtype.startswith(UNREADABLE_POLARS_TYPES) or "(Null" in dtype:
        return GivenRecords(name, "list", puzzles.to_list(), shape)  # type: ignore[union-attr]
    if type(puzzles).__name__ == "MaskedArray":
        raise TypeError(f"{name}: expected an array without a mask, such as puzzles.filled(0)")
    if _has_arrow(puzzles):
        try:
            return GivenRecords(name, "arrow", puzzles, shape)
        except (ImportError, NotImplementedError):
            # A pandas column needs pyarrow for this, and a type that pyarrow knows. If not, it is read as an
            # array below.
            pass
    if hasattr(puzzles, "__array__") or hasattr(puzzles, "__array_interface__"):
        return _of_array(np.asarray(puzzles), shape, name)
    if isinstance(puzzles, Sequence) and not isinstance(puzzles, (bytearray, memoryview)):
        return given_records(_read_out(puzzles), shape, name)
    raise TypeError(f"{name}: {EXPECTED}; found {type(puzzles).__name__}")


def given_answers(
    answers: Puzzles, shape: Shape, name: str, puzzles: GivenRecords, malformed: Malformed
) -> GivenRecords:
    """Answers in the form that the engine reads, one for each puzzle. If malformed records are kept, a list may
    have anything, such as the numbers and dicts of a model, and is never a single grid."""
    if malformed == "keep" and isinstance(answers, (list, tuple)) and len(answers) == len(puzzles):
        listed = answers if isinstance(answers, list) else list(answers)
        records = GivenRecords(name, "answers", listed, shape)
    else:
        records = given_records(answers, shape, name)
    records.set_puzzles(puzzles)
    return records


def _read_out(puzzles: Sequence[Any]) -> Puzzles:
    """A sequence of another type as a list, or its slice of all items if that has a type that is faster to read."""
    try:
        # A slice of a Hugging Face column is read a hundred times faster than its items one by one.
        found: Puzzles = puzzles[:]
    except TypeError:
        return list(puzzles)
    return list(puzzles) if type(found) is type(puzzles) else found


def _has_arrow(puzzles: object) -> bool:
    """Whether a column is read by Arrow. A column of pandas with a NumPy type is not, because its objects may be of any type."""
    if not (hasattr(puzzles, "__arrow_c_array__") or hasattr(puzzles, "__arrow_c_stream__")):
        return False
    dtype = getattr(puzzles, "dtype", None)
    return not (isinstance(dtype, np.dtype) and dtype.kind in "Ofiu")


def cells_of(array: NDArray[Any], shape: Shape, name: str) -> NDArray[np.uint8]:
    """Integers as an array of bytes with a row of cells for each puzzle."""
    side, cells = size_of(shape)
    if array.shape in [(cells,), (side, side)] or array.shape[1:] == (side, side):
        array = array.reshape(-1, cells)
    elif array.ndim != 2 or array.shape[1] != cells:
        hint = "" if shape else "; for puzzles of another size say shape=, such as shape='2x3' for 6x6"
        hint = NUMBERS_ADVICE if array.ndim == 1 and array.max() > side else hint
        expected = f"expected an array of shape (n, {cells}) or (n, {side}, {side})"
        raise ValueError(f"{name}: {expected}, found {array.shape}{hint}")
    if array.dtype != np.uint8:
        array = _narrowed(array, side)
    # A view, so that it keeps its shape if the caller changes that of the array.
    return np.ascontiguousarray(array).view()


def _narrowed(array: NDArray[Any], side: int) -> NDArray[np.uint8]:
    """Integers of another type as bytes. Numbers that can't be a cell become 255, so that their records are malformed."""
    narrow = np.empty(array.shape, np.uint8)
    for start in range(0, len(array), BLOCK):
        block = array[start : start + BLOCK]
        narrow[start : start + BLOCK] = np.where((block < 0) | (block > side), 255, block)
    return narrow


def size_of(shape: Shape) -> tuple[int, int]:
    """The side of a grid, and its number of cells."""
    rows, columns = GivenRecords("", "list", [], shape).shape
    side = rows * columns
    return side, side * side


def _is_own(puzzles: object) -> bool:
    """Whether an object is a result or records of this package."""
    return type(puzzles).__module__.startswith("gridmill.") and hasattr(puzzles, "to_arrow")


def _is_table(puzzles: object) -> bool:
    """Whether an object is a whole table (a data frame, a result, or records) instead of a column."""
    if (
        type(puzzles).__name__ == "LazyFrame"
        or _is_own(puzzles)
        or hasattr(puzzles, "to_arrow")
        and not hasattr(puzzles, "__getitem__")
    ):
        return True
    has_columns = hasattr(puzzles, "columns") or hasattr(puzzles, "column_names")
    return has_columns and hasattr(puzzles, "shape") and np.size(puzzles.shape) == 2


def _of_array(array: NDArray[Any], shape: Shape, name: str) -> GivenRecords:
    if array.shape == (0,):
        # An empty selection from a column can have any type.
        return GivenRecords(name, "list", [], shape)
    kind = array.dtype.kind if array.size else "u"
    if kind == "f" and array.ndim == 1 and np.isnan(array).all():
        # pandas makes such a column of texts that are all missing.
        return GivenRecords(name, "list", [None] * len(array), shape)
    if kind in "ui":
        return GivenRecords(name, "array", cells_of(array, shape, name), shape)
    if kind in "USTO":
        if array.ndim > 1:
            raise ValueError(
                f"{name}: expected strings in one dimension, found an array of shape {array.shape}"
            )
        return GivenRecords(name, "list", np.atleast_1d(array).tolist(), shape)
    hint = ""
    if kind == "f":
        hint = (
            "; make them integers if all are whole, such as by astype('uint8') of NumPy"
            if array.ndim > 1
            else NUMBERS_ADVICE
        )
    raise TypeError(f"{name}: expected integers from 0 (blank) to the side, found {array.dtype}{hint}")


def threads_of(threads: int | None) -> int | None:
    """The number of threads, if it is valid."""
    if not (threads is None or hasattr(threads, "__index__")):
        raise TypeError(f"threads={threads!r}: expected a whole number, or None for all cores")
    if threads is not None and not 1 <= operator.index(threads) <= MOST_THREADS:
        raise ValueError(f"threads={threads}: expected 1 to {MOST_THREADS:,}, or None for all cores")
    return threads


def whole(name: str, number: int, least: int = 0, most: int = 2**64 - 1) -> int:
    """The integer of an argument, if it is within bounds."""
    if not hasattr(number, "__index__"):
        raise TypeError(f"{name}={number!r}: expected a whole number")
    if not least <= operator.index(number) <= most:
        raise ValueError(f"{name}={number}: expected a whole number from {least} to {most:,}")
    return number


WholeRange: TypeAlias = int | tuple[int | None, int | None] | None
"""A range of whole numbers: a number, or a pair of the least and the most, either of which may be None."""

RatingRange: TypeAlias = float | tuple[float | None, float | None] | None
"""A range of ratings."""

MOST = {"clues": 625, "guesses": 2**32 - 1, "er": 13.0}
"""The upper bound of each kind of range, for ranges without an upper bound."""


def range_of(name: str, given: Any, most: float | None = None) -> tuple[Any, Any] | None:
    """The bounds of a range, e.g. (24, 26). A number is a range of its own; `None` at one end leaves that end open, up to `most`."""
    if given is None:
        return None
    ends = list(given) if isinstance(given, (tuple, list)) else [given, given]
    if len(ends) == 2 and None in ends and ends != [None, None]:
        least = 1.0 if name == "er" else 0
        ends = [least if ends[0] is None else ends[0], (most or MOST[name]) if ends[1] is None else ends[1]]
    are_numbers = all(isinstance(end, (int, float, np.number)) and end >= 0 for end in ends)
    if len(ends) != 2 or not are_numbers or ends[0] > ends[1]:
        raise ValueError(f"{name}={given!r}: expected a number, or a pair of the least and the most")
    if name != "er" and not all(isinstance(end, (int, np.integer)) for end in ends):
        raise ValueError(f"{name}={given!r}: expected whole numbers")
    return ends[0], ends[1]


def options(threads: int | None, malformed: Malformed, progress: Progress = None) -> dict[str, Any]:
    """The options in the form that the engine takes."""
    if malformed not in ("raise", "keep"):
        raise ValueError(f"malformed={malformed!r}: expected 'raise' or 'keep'")
    if progress is not None and not callable(progress):
        raise TypeError(f"progress: expected a function of two numbers, found {type(progress).__name__}")
    return {"threads": threads_of(threads), "keep": malformed == "keep", "progress": progress}


class MalformedError(ValueError):
    """A record is no puzzle of the size that was expected.

    `name` is the argument that has it, `record` its index there, from 0, and `reason` says what is wrong with
    it. A data loader of PyTorch raises an error of a worker again from its text alone: then `name` is that text, and `record` -1.

    >>> import gridmill
    >>> try:
    ...     gridmill.solve(["1.....3..4.....2", "12"], shape="2x2")
    ... except gridmill.MalformedError as error:
    ...     print(error.record, error.reason)
    1 2 cells where 16 are needed
    """

    def __init__(self, name: str, record: int = -1, reason: str = "") -> None:
        super().__init__(f"{name}[{record}]: {reason}" if reason else name)
        self.name = name
        self.record = record
        self.reason = reason

    def __reduce__(self) -> tuple[type[MalformedError], tuple[str, int, str]]:
        """Lets pickle create the exception again in another process."""
        return type(self), (self.name, self.record, self.reason)
