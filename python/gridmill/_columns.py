"""The columns of results, and how each becomes one of Arrow and of pandas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._gridmill import Column, Rows
from ._input import Shape, rows_of

Missing = NDArray[np.bool_] | None


class Categorical(Sequence[str | None]):
    """Names out of a few, one for each record.

    `codes` has the place of each name in `categories` (-1 for none). Compared with a name it gives an array of truths,
    so `result.solution[result.status == "unique"]` has the solutions of the proper puzzles.

    >>> import gridmill
    >>> status = gridmill.solve(["1.....3..4.....2", "." * 16], shape="2x2").status
    >>> status == "unique"
    array([ True, False])
    >>> status.counts()
    {'unique': 1, 'multiple': 1}
    """

    codes: NDArray[np.int8]
    categories: tuple[str, ...]

    def __init__(self, codes: NDArray[np.int8], categories: Sequence[str]) -> None:
        self.codes = codes
        self.categories = tuple(categories)

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[str | None]:
        names = (*self.categories, None)
        return iter([names[code] for code in self.codes.tolist()])

    def __getitem__(self, place: Any) -> Any:
        """Returns the name of a record, None for none, or the names of several as a `Categorical`."""
        found = self.codes[place]
        if isinstance(found, np.ndarray):
            return Categorical(found, self.categories)
        return None if found < 0 else self.categories[found]

    def __eq__(self, other: object) -> NDArray[np.bool_]:  # type: ignore[override]
        """Returns for each record whether it has that name, or that of the other one."""
        if isinstance(other, str):
            if other not in self.categories:
                raise ValueError(f"expected one of {', '.join(self.categories)}, found {other!r}")
            return np.asarray(self.codes == self.categories.index(other))
        return np.asarray(np.asarray(self) == np.asarray(other))

    def __ne__(self, other: object) -> NDArray[np.bool_]:  # type: ignore[override]
        return ~(self == other)

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        names = self._names()[self.codes]
        return names if dtype is None else names.astype(dtype)

    def counts(self) -> dict[str, int]:
        """Returns how many records have each name that occurs."""
        counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.categories))
        return {name: int(count) for name, count in zip(self.categories, counts, strict=True) if count}

    def _names(self) -> NDArray[np.str_]:
        """Returns the categories, and an empty name for -1 behind them."""
        return np.array([*self.categories, ""])

    def __repr__(self) -> str:
        counts = ", ".join(f"{name}: {count:,}" for name, count in self.counts().items())
        return f"<{len(self):,} names: {counts}>"


class Kind(Protocol):
    """A column: what a result has as an attribute, and what of it is in tables."""

    @property
    def values(self) -> Any:
        """The value of the attribute."""

    def to_column(self, rows: Rows) -> Column:
        """Returns the column of tables."""


class Cells:
    """Grids: cells as an array, text in tables."""

    def __init__(self, values: NDArray[np.uint8], missing: Missing = None) -> None:
        self.values = values
        self.missing = missing

    def to_column(self, rows: Rows) -> Column:
        return Column.of_cells(rows, self.values, self.missing)


class Bytes:
    """Keys: rows of bytes."""

    def __init__(self, values: NDArray[np.uint8], missing: Missing = None) -> None:
        self.values = values
        self.missing = missing

    def to_column(self, rows: Rows) -> Column:
        return Column.of_bytes(self.values, self.missing)


class Names:
    """Names out of a few."""

    def __init__(self, values: Categorical) -> None:
        self.values = values

    def to_column(self, rows: Rows) -> Column:
        return Column.of_codes(self.values.codes, list(self.values.categories))


class Numbers:
    """Numbers, of which some may be missing."""

    def __init__(self, values: NDArray[Any], missing: Missing = None) -> None:
        self.values = values
        self.missing = missing

    def to_column(self, rows: Rows) -> Column:
        return Column.of_numbers(self.values, self.missing)


class Texts:
    """Texts, of which some may be None."""

    def __init__(self, values: list[str | None]) -> None:
        self.values = values

    def to_column(self, rows: Rows) -> Column:
        return Column.of_texts(self.values)


class Notations(Sequence[str]):
    """Short texts of ASCII, kept as rows of bytes with zeros behind.

    >>> import gridmill
    >>> gridmill.canon(["1.....3..4.....2"], shape="2x2").transform[0]
    '-/4321/1234/4132'
    """

    def __init__(self, bytes: NDArray[np.uint8]) -> None:
        self.bytes = bytes

    def __len__(self) -> int:
        return len(self.bytes)

    def __getitem__(self, place: Any) -> Any:
        """Returns the text of a record, or the texts of several."""
        found = self.bytes[place]
        if found.ndim == 2:
            return Notations(found)
        return found.tobytes().rstrip(b"\0").decode("ascii")

    def __eq__(self, other: object) -> NDArray[np.bool_]:  # type: ignore[override]
        """Returns for each record whether its text is that one, or that of the other one."""
        return np.asarray(np.asarray(self) == np.asarray(other))

    def __ne__(self, other: object) -> NDArray[np.bool_]:  # type: ignore[override]
        return ~(self == other)

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        width = self.bytes.shape[1]
        texts = np.ascontiguousarray(self.bytes).view(f"S{width}").reshape(len(self)).astype(f"U{width}")
        return texts if dtype is None else texts.astype(dtype)

    def __repr__(self) -> str:
        return f"<{len(self):,} texts>"


class Given:
    """Grids as they were given."""

    def __init__(self, values: object, shape: Shape, rows: Rows) -> None:
        self.values = values
        self.shape = shape
        self.rows = rows

    def __getstate__(self) -> tuple[object, Shape]:
        return self.values, self.shape

    def __setstate__(self, state: tuple[object, Shape]) -> None:
        self.values, self.shape = state
        self.rows = rows_of(self.values, self.shape)

    def to_column(self, rows: Rows) -> Column:
        return Column.of_rows(self.rows)


class ShortTexts:
    """Short texts of ASCII; an empty one is missing in tables."""

    def __init__(self, values: Notations) -> None:
        self.values = values

    def to_column(self, rows: Rows) -> Column:
        return Column.of_notations(self.values.bytes)


class Name:
    """One name for all records."""

    def __init__(self, values: str, missing: NDArray[np.bool_]) -> None:
        self.values = values
        self.missing = missing

    def to_column(self, rows: Rows) -> Column:
        return Column.of_codes(-self.missing.astype(np.int8), [self.values])


def names(codes: NDArray[np.int8], categories: Sequence[str]) -> Names:
    """Returns a column of names by their places."""
    return Names(Categorical(codes, categories))


def truths(array: ArrayLike) -> Missing:
    """Returns which records are missing; None if none is."""
    missing = np.asarray(array, np.bool_)
    return missing if missing.any() else None
