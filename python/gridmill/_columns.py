"""Columns of results: names out of a few, short texts, and how each becomes one of Arrow and of pandas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ._gridmill import Column, Rows, Table

Found = Sequence[tuple[str, str, Any, NDArray[np.bool_] | None, Sequence[str] | None]]
"""Columns as the engine has them: the name, the kind, the values, which are missing, and the names that there are."""

Text = TypeVar("Text", str, str | None)


class _Texts(Sequence[Text]):
    """Texts that take little memory, and are compared one by one, as arrays are."""

    def __eq__(self, other: object) -> NDArray[np.bool_]:  # type: ignore[override]
        """Returns for each record whether its text is that one, or that of the other one."""
        return np.asarray(np.asarray(self) == np.asarray(other))

    def __ne__(self, other: object) -> NDArray[np.bool_]:  # type: ignore[override]
        return ~(self == other)

    __hash__ = None  # type: ignore[assignment]


class Categorical(_Texts[str | None]):
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
        return super().__eq__(other)

    __hash__ = None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        # For -1, the empty name behind the others.
        names = np.array([*self.categories, ""])[self.codes]
        return names if dtype is None else names.astype(dtype)

    def counts(self) -> dict[str, int]:
        """Returns how many records have each name that occurs."""
        counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.categories))
        return {name: int(count) for name, count in zip(self.categories, counts, strict=True) if count}

    def __repr__(self) -> str:
        counts = ", ".join(f"{name}: {count:,}" for name, count in self.counts().items())
        return f"<{len(self):,} names: {counts}>"


class Notations(_Texts[str]):
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

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        width = self.bytes.shape[1]
        texts = np.ascontiguousarray(self.bytes).view(f"S{width}").reshape(len(self)).astype(f"U{width}")
        return texts if dtype is None else texts.astype(dtype)

    def __repr__(self) -> str:
        return f"<{len(self):,} texts>"


NAMES = ("names", "name")
"""The kinds of columns that are categories in tables."""


@dataclass
class Data:
    """A column: what a result has as an attribute, and which of the values are missing in tables.

    The kinds are `cells` (arrays in attributes, texts in tables), `bytes`, `numbers`, `names`, `name` (the same for all
    records), `notations` (of which an empty one is missing) and `texts`.
    """

    kind: str
    values: Any
    missing: NDArray[np.bool_] | None = None

    def to_column(self, rows: Rows) -> Column:
        """Returns the column of tables; cells are written as in the puzzles."""
        if self.kind in NAMES:
            return Column.of_codes(*self._names())
        values = self.values.bytes if isinstance(self.values, Notations) else self.values
        return Column(rows, self.kind, values, self._nulls())

    def to_pandas(self, rows: Rows) -> Any:
        """Returns the column of data frames: texts, a categorical, or numbers."""
        import pandas as pd

        if self.kind in NAMES:
            return pd.Categorical.from_codes(*self._names())
        nulls = self._nulls()
        if self.kind == "bytes":
            keys = np.array([key.tobytes() for key in self.values], dtype=object)
            keys[self.missing] = None
            return pd.array(keys, dtype=object)
        if self.kind != "numbers":
            return texts_of_pandas(self.to_column(rows))
        if nulls is None or self.values.dtype.kind == "f":
            return self.values
        return pd.arrays.IntegerArray(self.values.copy(), nulls.copy())

    def _nulls(self) -> NDArray[np.bool_] | None:
        """Returns which values are missing; None if none is."""
        return self.missing if self.missing is not None and self.missing.any() else None

    def _names(self) -> tuple[NDArray[np.int8], list[str]]:
        """Returns for each record the place of its name, -1 for none, and the names."""
        if isinstance(self.values, Categorical):
            return self.values.codes, list(self.values.categories)
        return -np.asarray(self.missing, np.int8), [self.values]


def texts_of_pandas(column: Column) -> Any:
    """Returns texts as pandas has them: as objects, and with a type of their own from pandas 3 on."""
    import pandas as pd

    if int(pd.__version__.split(".")[0]) < 3:
        return np.asarray(column.to_list(), dtype=object)
    return pd.array(_texts_of_arrow(column), dtype="str")


def _texts_of_arrow(column: Column) -> Any:
    """Returns texts as pyarrow has them, because pandas takes these as they are; as a list where that is not to be had."""
    try:
        import pyarrow as pa
    except ImportError:
        return column.to_list()
    texts = pa.table(Table(["text"], [column])).column(0)
    # Texts may have been given as bytes or as categories, which pandas would keep as such.
    return texts if texts.type in (pa.string(), pa.large_string()) else column.to_list()


def data_of(found: Found) -> dict[str, Data]:
    """Returns columns as results have them."""
    columns = {}
    for name, kind, values, missing, names in found:
        if names is not None:
            values, missing = Categorical(values, names), None
        elif kind == "notations":
            values = Notations(values)
        columns[name] = Data(kind, values, missing)
    return columns
