"""Results of functions: columns with a value for each puzzle. Each function has a class of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ._columns import (
    CandidateLists,
    Categorical,
    Data,
    Found,
    LongTexts,
    ShortTexts,
    data_of,
    texts_of_pandas,
)
from ._gridmill import Column, GivenRecords, Table
from ._input import Shape, given_records

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


# Columns that `explain` and `hint` have if they are asked for.
OPTIONAL_COLUMNS = ("text", "json")

NO_COLUMN = (
    "a result is no array and has no rows: take a column, such as found.{}, or a table by found.to_pandas(), "
    "found.to_polars() or found.to_arrow()"
)


class Result:
    """The columns that a function found, with a value for each puzzle, in the order of the puzzles.

    Each column is an attribute; tables have them all, the puzzles first. `pyarrow`, Polars, DuckDB and others take a
    result as it is, as it has `__arrow_c_stream__`. Each function returns a class of its own, whose docstring has the types
    of the columns and their shapes for `n` puzzles of 9x9.

    >>> import gridmill
    >>> found = gridmill.solve(["1.....3..4.....2", "." * 16], shape="2x2")
    >>> found.columns
    ('puzzle', 'solution', 'status', 'guesses', 'time_ns')
    >>> found.solution.shape
    (2, 16)
    """

    puzzle: Any
    """The puzzles as they were given, not copied."""

    def __init__(
        self,
        given: Mapping[str, Any],
        shape: Shape,
        found: Found,
        inputs: Sequence[GivenRecords],
    ) -> None:
        self._given = given
        self._shape = shape
        self._engine_columns = found
        self._inputs = inputs

    @cached_property
    def _found(self) -> dict[str, Data]:
        """The columns of the engine. They are made on first use, because making them takes as long as solving a puzzle."""
        return data_of(self._engine_columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order of tables."""
        return (*self._given, *self._found)

    # Hidden from type checkers, which know the columns from the classes below. With these functions they
    # would accept any name, and a result in place of an array or a list.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                # An object that is being copied or unpickled has no columns yet, so looking for them would
                # recurse.
                raise AttributeError(name)
            if name in self._given:
                return self._given[name]
            if name not in self._found:
                wanted = f"; call the function with {name}=True" if name in OPTIONAL_COLUMNS else ""
                raise AttributeError(
                    f"{type(self).__name__} has no {name!r}: it has {', '.join(self.columns)}{wanted}"
                )
            return self._found[name].values

        def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
            raise TypeError(NO_COLUMN.format(next(iter(self._found))))

        # Without it, pandas would raise an error that does not help, because it would not even ask for an
        # array.
        def __iter__(self) -> NoReturn:
            raise TypeError(NO_COLUMN.format(next(iter(self._found))))

        def __getitem__(self, name: object) -> NoReturn:
            raise TypeError(NO_COLUMN.format(name if name in self.columns else next(iter(self._found))))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.columns]

    def __len__(self) -> int:
        """Returns the number of puzzles."""
        return len(self._inputs[0])

    def __repr__(self) -> str:
        counts = [repr(data.values) for data in self._found.values() if data.kind == "names"]
        return f"<{type(self).__name__} of {len(self):,} puzzles: {'; '.join(counts) or ', '.join(self.columns)}>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inputs": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._inputs = [given_records(values, self._shape) for values in self._given.values()]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Passes the table to other packages, by the Arrow protocol."""
        given = [Column.from_records(records) for records in self._inputs]
        found = [data.to_column(self._inputs[0]) for data in self._found.values()]
        return Table(list(self.columns), given + found).__arrow_c_stream__()

    def to_dict(self) -> dict[str, Any]:
        """Returns the columns by their names, as arrays and lists, e.g. for `map` of Hugging Face datasets."""
        values = {name: getattr(self, name) for name in self.columns}
        return {name: _plain(value, len(self)) for name, value in values.items()}

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
        columns = [texts_of_pandas(Column.from_records(records)) for records in self._inputs]
        columns += [data.to_pandas(self._inputs[0]) for data in self._found.values()]
        index = puzzles.index if isinstance(puzzles, pd.Series) else None
        return pd.DataFrame(dict(zip(self.columns, columns, strict=True)), index=index)


def _plain(values: Any, records: int) -> Any:
    """A column of texts or lists as a Python list, because few packages know the types of this one."""
    if isinstance(values, (str, bytes)):
        return [values] * records
    return (
        list(values) if isinstance(values, (Categorical, ShortTexts, LongTexts, CandidateLists)) else values
    )


class Solved(Result):
    """The result of `solve`.

    - `solution`: uint8 (n, 81)
    - `status`: Categorical (n,)
    - `guesses`, `time_ns`: uint64 (n,)

    >>> import gridmill
    >>> gridmill.solve("1.....3..4.....2", shape="2x2")
    <Solved of 1 puzzles: <1 names: unique: 1>>
    """

    solution: NDArray[np.uint8]
    status: Categorical
    guesses: NDArray[np.uint64]
    time_ns: NDArray[np.uint64]


class Verified(Result):
    """The result of `verify`.

    - `verdict`: Categorical (n,)
    - `reason`: list of str or None (n,)

    >>> import gridmill
    >>> gridmill.verify("." * 81).reason
    ['two solutions or more']
    """

    verdict: Categorical
    reason: list[str | None]


class Checked(Result):
    """The result of `check`.

    - `solution`: what was given
    - `verdict`: Categorical (n,)
    - `reason`: list of str or None (n,)

    >>> import gridmill
    >>> gridmill.check("1.....3..4.....2", "1324423124133142", shape="2x2").verdict[0]
    'ok'
    """

    solution: Any
    verdict: Categorical
    reason: list[str | None]


class Counted(Result):
    """The result of `count`.

    - `solutions`, `guesses`, `time_ns`: uint64 (n,)
    - `status`: Categorical (n,)

    >>> import gridmill
    >>> gridmill.count("12" + "." * 14, shape="2x2").solutions.item()
    24
    """

    solutions: NDArray[np.uint64]
    status: Categorical
    guesses: NDArray[np.uint64]
    time_ns: NDArray[np.uint64]


ROUNDS = "rounds_"
"""The prefix of the columns that count the rounds of each technique (e.g. `rounds_x-wing`)."""


class Rated(Result):
    """The result of `rate`.

    - `er`, `ep`, `ed`: float64 (n,)
    - `hardest`, `status`: Categorical (n,)
    - `steps`: uint32 (n,)
    - `scale`: str

    >>> import gridmill
    >>> found = gridmill.rate("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")
    >>> found.rounds("hidden-single-box"), found.rounds("x-wing")
    (array([7], dtype=uint16), array([0], dtype=uint16))
    """

    er: NDArray[np.float64]
    ep: NDArray[np.float64]
    ed: NDArray[np.float64]
    hardest: Categorical
    steps: NDArray[np.uint32]
    scale: str
    status: Categorical

    @cached_property
    def _found(self) -> dict[str, Data]:
        return data_of(
            [column for column in self._engine_columns if not column[0].startswith((ROUNDS, "up_to"))]
        )

    @property
    def rating(self) -> NDArray[np.float64]:
        """The ratings: another name of `er`."""
        return self.er

    def rounds(self, technique: str) -> NDArray[np.uint16]:
        """Returns the number of rounds in which a technique, such as `"x-wing"`, found something, for each puzzle. It is 0 for
        puzzles that were not rated, e.g. those above `up_to`; `explain(puzzles, until=...).steps` has their steps."""
        rounds = {
            column[0].removeprefix(ROUNDS): column[2]
            for column in self._engine_columns
            if column[0].startswith(ROUNDS)
        }
        if technique not in rounds:
            raise ValueError(f"expected one of {', '.join(rounds)}, found {technique!r}")
        found: NDArray[np.uint16] = rounds[technique]
        return found


class Canonical(Result):
    """The result of `canon`.

    - `canonical`: uint8 (n, 81)
    - `transform`: ShortTexts (n,)
    - `automorphisms`: uint32 (n,)
    - `status`: Categorical (n,)

    >>> import gridmill
    >>> gridmill.canon("." * 16, shape="2x2").automorphisms
    array([128], dtype=uint32)
    """

    canonical: NDArray[np.uint8]
    transform: ShortTexts
    automorphisms: NDArray[np.uint32]
    status: Categorical


class Keyed(Result):
    """The result of `keys`.

    - `key`: uint8 (n, 41)
    - `status`: Categorical (n,)

    >>> import gridmill
    >>> gridmill.keys("." * 81).key.shape
    (1, 41)
    """

    key: NDArray[np.uint8]
    status: Categorical


class Matched(Result):
    """The result of `same`.

    - `same_as`: int64 (n,)
    - `status`: Categorical (n,)

    >>> import gridmill
    >>> gridmill.same(["." * 81] * 2).same_as
    array([-1,  0])
    """

    same_as: NDArray[np.int64]
    status: Categorical


class Divided(Result):
    """The result of `split`.

    - `part`: uint8 (n,)
    - `status`: Categorical (n,)

    >>> import gridmill
    >>> gridmill.split(["." * 81] * 3, (1, 1)).part
    array([1, 1, 1], dtype=uint8)
    """

    part: NDArray[np.uint8]
    status: Categorical


class Backdoors(Result):
    """The result of `backdoors`.

    - `size`: uint32 (n,)
    - `backdoor`: ShortTexts (n,)
    - `sets`: uint32 (n,)
    - `backdoors`: LongTexts (n,)
    - `status`: Categorical (n,)

    `sets` and `backdoors` are there with `all=True`.

    >>> import gridmill
    >>> gridmill.backdoors("1.....3..4.....2", shape="2x2").size
    array([0], dtype=uint32)
    """

    size: NDArray[np.uint32]
    backdoor: ShortTexts
    sets: NDArray[np.uint32]
    backdoors: LongTexts
    status: Categorical


class Unavoidable(Result):
    """The result of `unavoidable`.

    - `sets`: uint32 (n,)
    - `sizes`: ShortTexts (n,)
    - `least_clues`: uint32 (n,)
    - `status`: Categorical (n,)

    >>> import gridmill
    >>> gridmill.unavoidable("1234341221434321", shape="2x2").sets
    array([14], dtype=uint32)
    """

    sets: NDArray[np.uint32]
    sizes: ShortTexts
    least_clues: NDArray[np.uint32]
    status: Categorical


class Minimality(Result):
    """The result of `minimal`.

    - `status`: Categorical (n,)
    - `redundant`: ShortTexts (n,)

    >>> import gridmill
    >>> gridmill.minimal("13....3..4.....2", shape="2x2").redundant[0]
    'r1c2'
    """

    status: Categorical
    redundant: ShortTexts


class Minimized(Result):
    """The result of `minimize`.

    - `minimal`: uint8 (n, 81)
    - `status`: Categorical (n,)
    - `clues`: uint32 (n,)

    >>> import gridmill
    >>> gridmill.minimize("1324423124133142", shape="2x2").minimal.shape
    (1, 16)
    """

    minimal: NDArray[np.uint8]
    status: Categorical
    clues: NDArray[np.uint32]


class Candidates(Result):
    """The result of `candidates`.

    - `candidates`: ShortTexts (n,)
    - `status`: Categorical (n,)
    - `holds`: bool (n, 81, 9), whether a cell holds a digit (from index 0) in some solution
    - `masks`: uint16 (n, 81), with a bit for each digit: 1 for the digit 1, 2 for the digit 2, 4 for 3; uint32 above 16x16

    Tables do not have the last two.

    >>> import gridmill
    >>> found = gridmill.candidates("12" + "." * 14, shape="2x2")
    >>> found.candidates[0][:16]
    '1....2....34..34'
    >>> found.masks[0, :4], found.holds[0, 2]
    (array([ 1,  2, 12, 12], dtype=uint16), array([False, False,  True,  True]))
    """

    candidates: ShortTexts
    status: Categorical

    def __init__(
        self,
        given: Mapping[str, object],
        shape: Shape,
        found: Found,
        inputs: Sequence[GivenRecords],
    ) -> None:
        *columns, (_, _, masks, *_) = found
        self.masks: NDArray[np.uint16] | NDArray[np.uint32] = masks
        super().__init__(given, shape, columns, inputs)

    @property
    def holds(self) -> NDArray[np.bool_]:
        """Whether a cell holds a digit in some solution: a row for each puzzle, a column for each cell, and its digits."""
        rows, columns = self._inputs[0].shape
        bits = np.uint32(1) << np.arange(rows * columns, dtype=np.uint32)
        holds: NDArray[np.bool_] = (self.masks[:, :, np.newaxis] & bits.astype(self.masks.dtype)) > 0
        return holds


class Scored(Result):
    """The result of `score`.

    - `grid`: what was given
    - `right`, `wrong`, `open`, `changed`: int32 (n,)
    - `status`: Categorical (n,)

    >>> import gridmill
    >>> gridmill.score("1" + "." * 15, "1.....3..4.....2", shape="2x2").changed
    array([3], dtype=int32)
    """

    grid: Any
    right: NDArray[np.int32]
    wrong: NDArray[np.int32]
    open: NDArray[np.int32]
    changed: NDArray[np.int32]
    status: Categorical


class Generated(Result):
    """The result of `generate`. It has `er` and `scale` if you asked for a rating or a technique.

    - `puzzle`, `solution`: uint8 (n, 81)
    - `clues`: uint32 (n,)
    - `guesses`: uint64 (n,)
    - `er`: float64 (n,)
    - `scale`: str

    >>> import gridmill
    >>> gridmill.generate(2).solution.shape
    (2, 81)
    """

    puzzle: NDArray[np.uint8]
    solution: NDArray[np.uint8]
    clues: NDArray[np.uint32]
    guesses: NDArray[np.uint64]
    er: NDArray[np.float64]
    scale: str
