"""Columns of results: categories, texts and lists, and their conversion to columns of Arrow and pandas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ._gridmill import Column, GivenRecords, Table

Found = Sequence[tuple[str, str, Any, NDArray[np.bool_] | None, str | None]]
"""Columns from the engine: the name, the kind, the values, which of them are missing, and all names of a
categorical column, separated by spaces."""

Text = TypeVar("Text", str, str | None)


class _Texts(Sequence[Text]):
    """Texts that take little memory. They are compared one by one like arrays, because results are filtered so."""

    __slots__ = ()

    def __eq__(self, other: object) -> NDArray[np.bool_]:  # type: ignore[override]
        """Whether the text of each record equals the other text, or the text at the same index of the others."""
        return np.asarray(np.asarray(self) == np.asarray(other))

    def __ne__(self, other: object) -> NDArray[np.bool_]:  # type: ignore[override]
        return ~(self == other)

    __hash__ = None  # type: ignore[assignment]


class Categorical(_Texts[str | None]):
    """A column of names from a fixed set, one for each record.

    `codes` has the index of each name in `categories` (-1 for none). Comparing it with a name gives a boolean array, so `result.solution[result.status == "unique"]` has the solutions of the proper puzzles.

    >>> import gridmill
    >>> status = gridmill.solve(["1.....3..4.....2", "." * 16], shape="2x2").status
    >>> status == "unique"
    array([ True, False])
    >>> status.counts()
    {'unique': 1, 'multiple': 1}
    """

    __slots__ = ("categories", "codes")

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
        """Whether each record has that name, or the name at the same index of the others. None finds those without one."""
        if other is None:
            return np.asarray(self.codes < 0)
        if isinstance(other, str):
            if other not in self.categories:
                raise ValueError(f"expected one of {', '.join(self.categories)}, found {other!r}")
            return np.asarray(self.codes == self.categories.index(other))
        return super().__eq__(other)

    __hash__ = None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        # The code -1 is the last name. With None, an array has objects, so pandas finds what is missing.
        has_none = bool((self.codes < 0).any())
        names = np.array([*self.categories, None if has_none else ""])[self.codes]
        return names if dtype is None else names.astype(dtype)

    def counts(self) -> dict[str, int]:
        """Returns how many records have each name that occurs."""
        counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.categories))
        return {name: int(count) for name, count in zip(self.categories, counts, strict=True) if count}

    def __repr__(self) -> str:
        counts = [f"{name}: {count:,}" for name, count in self.counts().items()]
        nameless = int((self.codes < 0).sum())
        return f"<{len(self):,} names: {', '.join([*counts, f'None: {nameless:,}'] if nameless else counts)}>"


class ShortTexts(_Texts[str]):
    """Short texts of ASCII, kept as rows of bytes that are padded with zeros.

    >>> import gridmill
    >>> gridmill.canon(["1.....3..4.....2"], shape="2x2").transform[0]
    '-/4321/1234/4132'
    """

    __slots__ = ("bytes",)

    def __init__(self, bytes: NDArray[np.uint8]) -> None:
        self.bytes = bytes

    def __len__(self) -> int:
        return len(self.bytes)

    def __getitem__(self, place: Any) -> Any:
        """Returns the text of a record, or the texts of several."""
        found = self.bytes[place]
        if found.ndim == 2:
            return ShortTexts(found)
        return found.tobytes().rstrip(b"\0").decode("ascii")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        width = self.bytes.shape[1]
        texts = np.ascontiguousarray(self.bytes).view(f"S{width}").reshape(len(self)).astype(f"U{width}")
        return texts if dtype is None else texts.astype(dtype)

    def __repr__(self) -> str:
        return f"<{len(self):,} texts>"


class _Runs(Sequence[Any]):
    """Items that are runs of one array. Item `i` begins at `offsets[i]` and ends before `offsets[i + 1]`."""

    offsets: NDArray[np.int64]

    def _between(self, start: int, stop: int) -> Any:
        """The item in this part of the array."""
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, place: Any) -> Any:
        """Returns an item, or a list of several."""
        found = np.arange(len(self))[place]
        if isinstance(found, np.ndarray):
            return [self[index] for index in found.tolist()]
        return self._between(self.offsets[found], self.offsets[found + 1])


class LongTexts(_Runs, _Texts[str | None]):
    """Texts of any length, one after the other in `bytes`, as UTF-8. Text `i` begins at `offsets[i]`.

    An empty text is None.

    >>> import gridmill
    >>> found = gridmill.hint(["53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"], text=True)
    >>> found.text[0].splitlines()[0]
    'hidden single in a box, 1.2 (scale sukaku-1)'
    """

    def __init__(self, bytes: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.bytes = bytes
        self.offsets = offsets

    def _between(self, start: int, stop: int) -> str | None:
        return self.bytes[start:stop].tobytes().decode() if stop > start else None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(list(self), dtype=dtype or object)

    def __repr__(self) -> str:
        return f"<{len(self):,} texts>"


class CandidateLists(_Runs):
    """Candidates of 9x9 grids, any number for each step, one after the other in `cells` and `digits`.

    Those of index `i` begin at `offsets[i]`. An item is an array of uint16: `9 * cell + digit`, with cells 0 to 80 and digits from 0.

    >>> import gridmill
    >>> grid = ".6.2...3..8.....4..35.612......8...42.6....78.7..1....4....3.6....8....35........"
    >>> steps = gridmill.explain(grid).steps
    >>> xy_wing = (steps.technique == "xy-wing").argmax()
    >>> cell, digit = divmod(int(steps.removed[xy_wing][0]), 9)
    >>> f"r{cell // 9 + 1}c{cell % 9 + 1} can't be {digit + 1}"
    "r7c2 can't be 1"
    """

    def __init__(self, values: NDArray[np.uint16], offsets: NDArray[np.int64]) -> None:
        self.values = values
        self.offsets = offsets

    def _between(self, start: int, stop: int) -> NDArray[np.uint16]:
        return self.values[start:stop]

    @property
    def cells(self) -> NDArray[np.uint8]:
        """The cells of all candidates: 0 to 80, in reading order."""
        return (self.values // 9).astype(np.uint8)

    @property
    def digits(self) -> NDArray[np.uint8]:
        """The digits of all candidates: 1 to 9."""
        return (self.values % 9 + 1).astype(np.uint8)

    def __repr__(self) -> str:
        return f"<{len(self):,} lists of {len(self.values):,} candidates>"


NAMES = ("names", "name")
"""The kinds of columns that are categories in tables."""


@dataclass(slots=True)
class Data:
    """A column: the values that a result has as an attribute, and which of them are missing in tables.

    The kinds are `cells` (arrays in attributes, texts in tables), `bytes`, `numbers`, `names`, `name` (the same for all
    records), `short_texts` and `long_texts` (an empty one counts as missing), `texts`, and `lists` of candidates.
    """

    kind: str
    values: Any
    missing: NDArray[np.bool_] | None = None

    def to_column(self, records: GivenRecords) -> Column:
        """The column of tables. Cells become texts in the alphabet of the puzzles."""
        if self.kind in NAMES:
            return Column.of_codes(*self._names(records))
        values = self.values
        if isinstance(values, ShortTexts):
            values = values.bytes
        elif isinstance(values, LongTexts):
            values = (values.bytes, values.offsets)
        elif isinstance(values, CandidateLists):
            values = (values.values, values.offsets)
        return Column(records, self.kind, values, self.missing)

    def to_pandas(self, records: GivenRecords) -> Any:
        """The column of data frames: texts, a categorical, or numbers."""
        import pandas as pd

        if self.kind in NAMES:
            return pd.Categorical.from_codes(*self._names(records))
        if self.kind == "lists":
            return pd.Series(list(self.values), dtype=object)
        if self.kind == "bytes":
            keys = np.array([key.tobytes() for key in self.values], dtype=object)
            if self.missing is not None:
                keys[self.missing] = None
            return pd.array(keys, dtype=object)
        if self.kind != "numbers":
            return texts_of_pandas(self.to_column(records))
        if self.missing is None or self.values.dtype.kind == "f":
            return self.values
        return pd.arrays.IntegerArray(self.values.copy(), self.missing.copy())

    def _names(self, records: GivenRecords) -> tuple[NDArray[np.int8], list[str]]:
        """The index of each record's name (-1 for none), and the names."""
        if isinstance(self.values, Categorical):
            return self.values.codes, list(self.values.categories)
        missing = np.zeros(len(records), np.int8) if self.missing is None else self.missing.astype(np.int8)
        return -missing, [self.values]


def texts_of_pandas(column: Column) -> Any:
    """Texts in the type that pandas uses: objects, or `str` from pandas 3 on."""
    import pandas as pd

    if int(pd.__version__.split(".")[0]) < 3:
        return np.asarray(column.to_list(), dtype=object)
    return pd.array(_texts_of_arrow(column), dtype="str")


def _texts_of_arrow(column: Column) -> Any:
    """Texts as a column of pyarrow, because pandas takes it without a copy; a list if pyarrow is not installed."""
    try:
        import pyarrow as pa
    except ImportError:
        return column.to_list()
    texts = pa.table(Table(["text"], [column])).column(0)
    # If the texts were given as bytes or categories, pandas would keep that type.
    return texts if texts.type in (pa.string(), pa.large_string()) else column.to_list()


KINDS: dict[str, Callable[[Any], Any]] = {
    "short_texts": ShortTexts,
    "long_texts": lambda runs: LongTexts(*runs),
    "lists": lambda runs: CandidateLists(*runs),
}
"""The functions that turn the engine's values of some kinds into columns."""


def data_of(found: Found) -> dict[str, Data]:
    """The engine's columns, as results have them."""
    columns = {}
    for name, kind, values, missing, names in found:
        if names is not None:
            values, missing = Categorical(values, names.split()), None
        elif kind in KINDS:
            values = KINDS[kind](values)
        columns[name] = Data(kind, values, missing)
    return columns
