"""Results: columns with a value for each record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _gridmill
from ._columns import Kind, Names
from ._gridmill import Column, Rows
from ._input import Shape, rows_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


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

    _columns: dict[str, Kind]

    def __init__(
        self, puzzles: object, shape: Shape, columns: Mapping[str, Kind], rows: Rows | None = None
    ) -> None:
        self._puzzles = puzzles
        self._shape = shape
        self._columns = dict(columns)
        self._rows = rows_of(puzzles, shape) if rows is None else rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order of tables."""
        return ("puzzle", *self._columns)

    @property
    def puzzle(self) -> Any:
        """The puzzles, as they were given."""
        return self._puzzles

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            # Before there are columns, as in a copy that is being made, there are none to look into.
            raise AttributeError(name)
        if name not in self._columns:
            raise AttributeError(f"{type(self).__name__} has no {name!r}: it has {', '.join(self.columns)}")
        return self._columns[name].values

    def __getitem__(self, name: str) -> Any:
        """Returns a column by its name."""
        if name not in self.columns:
            hint = "; rows are those of to_pandas() and so on, and of each column"
            raise KeyError(f"expected one of {', '.join(self.columns)}, found {name!r}{hint}")
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        """Iterates over the names of the columns."""
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._columns]

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        counts = [repr(column.values) for column in self._columns.values() if isinstance(column, Names)]
        return f"<{type(self).__name__} of {len(self):,} puzzles: {'; '.join(counts) or ', '.join(self.columns)}>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_rows": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._rows = rows_of(self._puzzles, self._shape)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hands the table to other packages, by the protocol of Arrow."""
        columns = [column.to_column(self._rows) for column in self._columns.values()]
        return _gridmill.stream(list(self.columns), [Column.of_rows(self._rows), *columns])

    def _texts(self, name: str) -> list[Any]:
        """Returns a column of texts, or of bytes, as a list."""
        column = self._columns.get(name)
        return (Column.of_rows(self._rows) if column is None else column.to_column(self._rows)).to_list()

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

        from ._pandas import series

        index = self._puzzles.index if isinstance(self._puzzles, pd.Series) else None
        return pd.DataFrame({name: series(self, name) for name in self.columns}, index=index)
