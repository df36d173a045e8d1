"""The engine room, in Rust. Not for others: `gridmill` has what they need."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._arrays import Cells
from ._columns import Found
from ._input import Shape

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

class TextPart:
    names: list[str]
    body: int
    next: int
    has_a_record_a_line: bool
    is_done: bool
    def __init__(
        self,
        file: str,
        head: bytes,
        column: str | None,
        delimiter: str | None,
        shape: Shape,
        start: int = 0,
        stop: int | None = None,
    ) -> None: ...
    def read(self, piece: bytes) -> Table: ...

def answer(
    rows: Rows, others: Rows | None, job: str, arguments: dict[str, Any], options: dict[str, Any]
) -> Found: ...
def generate(wanted: dict[str, Any], threads: int | None) -> Found: ...
def augment(
    rows: Rows, solutions: Rows | None, times: int, seed: int, first: int, options: dict[str, Any]
) -> list[Cells]: ...
def cells(rows: Rows, options: dict[str, Any]) -> Cells: ...
