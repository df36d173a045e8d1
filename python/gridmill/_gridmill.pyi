"""The engine room, in Rust. Not for others: `gridmill` has what they need."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._arrays import Cells
from ._columns import Found
from ._input import Progress, Shape

NUMBERS: str

class Rows:
    shape: tuple[int, int]
    def __init__(
        self, name: str, form: Literal["array", "list", "arrow"], puzzles: object, shape: Shape
    ) -> None: ...
    def __len__(self) -> int: ...
    def shapes(self) -> list[str | None]: ...

class Column:
    def __init__(
        self, rows: Rows, kind: str, values: Any, missing: NDArray[np.bool_] | None = None
    ) -> None: ...
    @staticmethod
    def of_rows(rows: Rows) -> Column: ...
    @staticmethod
    def of_codes(codes: NDArray[np.int8], names: list[str]) -> Column: ...
    def to_list(self) -> list[str | None]: ...

class Table:
    def __init__(self, names: list[str], columns: list[Column]) -> None: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Reader:
    names: list[str]
    body: int
    has_ranges: bool
    count: int
    malformed: int
    first: tuple[int, str] | None
    def __init__(
        self,
        file: str | None,
        source: object,
        column: str | None = None,
        delimiter: str | None = None,
        shape: Shape = None,
        range: tuple[int, int] | None = None,
    ) -> None: ...
    @staticmethod
    def of_rows(rows: Rows, shape: Shape = None) -> Reader: ...
    def read(self, batch_bytes: int) -> Table | None: ...
    def empty(self) -> Table: ...

def answer(
    rows: Rows, others: Rows | None, job: str, arguments: dict[str, Any], options: dict[str, Any]
) -> tuple[Found, Found]: ...
def generate(wanted: dict[str, Any], threads: int | None, progress: Progress) -> Found: ...
def augment(
    rows: Rows, solutions: Rows | None, times: int, seed: int, first: int, options: dict[str, Any]
) -> list[Cells]: ...
def cells(rows: Rows, options: dict[str, Any]) -> Cells: ...
def columns_of(names: list[str], column: str | None = None) -> tuple[int, list[str | None]]: ...
def stream(tables: Iterator[object]) -> object: ...
def write(path: str, form: str, tables: Iterator[object]) -> None: ...
