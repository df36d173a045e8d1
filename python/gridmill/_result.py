"""Results: columns with a value for each record, and how each becomes one of Arrow and of pandas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ._gridmill import Column, Rows, Table
from ._input import Shape, rows_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

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
    """Returns texts as pandas has them: with a type of their own from pandas 3 on."""
    import pandas as pd

    has_str = int(pd.__version__.split(".")[0]) >= 3
    return pd.array(np.asarray(column.to_list(), dtype=object), dtype="str" if has_str else object)


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


class Result:
    """The columns that a function found, with a value for each puzzle, in the order of the puzzles.

    Each column is an attribute; tables have them all, the puzzles first. `pyarrow`, Polars, DuckDB and others take a
    result as it is, as it has `__arrow_c_stream__`.

    >>> import gridmill
    >>> found = gridmill.solve(["1.....3..4.....2", "." * 16], shape="2x2")
    >>> found.columns
    ('puzzle', 'solution', 'status', 'guesses', 'time_ns')
    >>> found.solution.shape
    (2, 16)
    """

    def __init__(
        self,
        given: Mapping[str, object],
        shape: Shape,
        found: Mapping[str, Data],
        rows: Sequence[Rows],
    ) -> None:
        self._given = given
        self._shape = shape
        self._found = found
        self._rows = rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order of tables."""
        return (*self._given, *self._found)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            # Before there are columns, as in a copy that is being made, there are none to look into.
            raise AttributeError(name)
        if name in self._given:
            return self._given[name]
        if name not in self._found:
            raise AttributeError(f"{type(self).__name__} has no {name!r}: it has {', '.join(self.columns)}")
        return self._found[name].values

    def __getitem__(self, name: str) -> Any:
        """Returns a column by its name."""
        if name not in self.columns:
            hint = "; rows are those of to_pandas() and so on, and of each column"
            raise KeyError(f"expected one of {', '.join(self.columns)}, found {name!r}{hint}")
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        """Iterates over the names of the columns."""
        return iter(self.columns)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.columns]

    def __len__(self) -> int:
        return len(self._rows[0])

    def __repr__(self) -> str:
        counts = [repr(data.values) for data in self._found.values() if data.kind == "names"]
        return f"<{type(self).__name__} of {len(self):,} puzzles: {'; '.join(counts) or ', '.join(self.columns)}>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_rows": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._rows = [rows_of(values, self._shape) for values in self._given.values()]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hands the table to other packages, by the protocol of Arrow."""
        given = [Column.of_rows(rows) for rows in self._rows]
        found = [data.to_column(self._rows[0]) for data in self._found.values()]
        return Table(list(self.columns), given + found).__arrow_c_stream__()

    def to_arrow(self) -> pa.Table:
        """Returns a table of pyarrow."""
        import pyarrow as pa

        return pa.table(self)

    def to_polars(self) -> pl.DataFrame:
        """Returns a data frame of Polars."""
        import polars as pl

        return pl.DataFrame(self)

    def to_pandas(self) -> pd.DataFrame:
        """Returns a data frame of pandas. Grids are strings, names are categories; a column of pandas keeps its index."""
        import pandas as pd

        puzzles = next(iter(self._given.values()))
        columns = [texts_of_pandas(Column.of_rows(rows)) for rows in self._rows]
        columns += [data.to_pandas(self._rows[0]) for data in self._found.values()]
        index = puzzles.index if isinstance(puzzles, pd.Series) else None
        return pd.DataFrame(dict(zip(self.columns, columns, strict=True)), index=index)
