"""The engine room, in Rust. Not for others: `gridmill` has what they need."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Shape: TypeAlias = str | tuple[int, int] | None

Options: TypeAlias = dict[str, Any]
Found: TypeAlias = list[tuple[str, str, Any, NDArray[np.bool_] | None, list[str] | None]]
Cells: TypeAlias = NDArray[np.uint8]

class Rows:
    shape: tuple[int, int]
    @staticmethod
    def of_array(name: str, array: NDArray[np.uint8], shape: Shape) -> Rows: ...
    @staticmethod
    def of_list(name: str, list: Sequence[object], shape: Shape) -> Rows: ...
    @staticmethod
    def of_lists(
        name: str,
        cells: NDArray[np.uint8],
        lengths: NDArray[np.int64],
        missing: NDArray[np.bool_],
        shape: Shape,
    ) -> Rows: ...
    @staticmethod
    def of_arrow(name: str, column: object, shape: Shape) -> Rows: ...
    def __len__(self) -> int: ...

class Column:
    @staticmethod
    def of_rows(rows: Rows) -> Column: ...
    @staticmethod
    def of_cells(
        rows: Rows, cells: NDArray[np.uint8], missing: NDArray[np.bool_] | None = None
    ) -> Column: ...
    @staticmethod
    def of_bytes(bytes: NDArray[np.uint8], missing: NDArray[np.bool_] | None = None) -> Column: ...
    @staticmethod
    def of_codes(codes: NDArray[np.int8], names: list[str]) -> Column: ...
    @staticmethod
    def of_numbers(numbers: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> Column: ...
    @staticmethod
    def of_notations(bytes: NDArray[np.uint8]) -> Column: ...
    @staticmethod
    def of_texts(texts: list[str | None]) -> Column: ...
    def to_list(self) -> list[str | bytes | list[int] | None]: ...

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
    rows: Rows, others: Rows | None, job: str, arguments: dict[str, Any], options: Options
) -> Found: ...
def scale_version(scale: str, ties: str) -> str: ...
def generate(wanted: dict[str, Any], threads: int | None) -> Found: ...
def augment(
    rows: Rows, solutions: Rows | None, draw: dict[str, Any], options: Options
) -> tuple[Cells, Cells | None]: ...
def cells(rows: Rows, options: Options) -> Cells: ...
