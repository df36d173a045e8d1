"""Cuts files of puzzles into shards, and reads a shard as Arrow tables.

A shard of text is a range of the bytes of a file, as in `gridmill solve --shard`: its records are the lines
that begin in it. A shard of Parquet is a range of row groups. A compressed file is one shard. Files may lie
wherever `pyarrow.fs` reaches.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.fs
import pyarrow.parquet

from ._lines import BYTE_ORDER_MARK, codec, filesystem, line_starts, whole_lines

FILE = "file"
OFFSET = "offset"
PUZZLE = "puzzle"
# Stands between the columns of a file that has one.
NO_DELIMITER = "\x01"
# Lines of text that are records: those that are not blank and no comments, or 81 blanks of a puzzle.
RECORD = r"^[^#\s]|^\s+[^\s]|^ {81}$"
# A line with more than a puzzle, of 16 cells or more, on it.
REMARK = r"^\s*([^\s,;]{16,})[\s,;].*$"


@dataclass(frozen=True)
class TextShard:
    """The lines of a text file that begin from byte `start` to before `stop`, or to its end.

    Each is a puzzle. Blank lines and lines that begin with `#` are no records. A remark behind a puzzle stays
    where it is.
    """

    file: str
    start: int
    stop: int | None

    @property
    def schema(self) -> Any:
        """The columns of its tables."""
        return _schema([pa.field(PUZZLE, pa.string())])

    @property
    def size(self) -> int | None:
        """The number of bytes of the file that it has, if that is known."""
        return None if self.stop is None else self.stop - self.start

    def tables(self) -> Iterator[Any]:
        """Yields its records, in order, as tables that fit into memory."""
        for start, text in whole_lines(self.file, self.start, self.stop):
            lines = _read_csv(_plain_lines(text), (PUZZLE,), NO_DELIMITER, quotes=False)
            table = _placed(self.file, start + line_starts(text), lines)
            if any(mark in text for mark in (b"#", b" ", b"\t", b",", b";")):
                table = _without_remarks(table)
            yield table


@dataclass(frozen=True)
class CsvShard:
    """The rows of a CSV file that begin from byte `start` to before `stop`, or to its end; one a line.

    All columns are strings. A row of more or fewer fields than the header has nulls for all of them.
    """

    file: str
    start: int
    stop: int | None
    names: tuple[str, ...]
    delimiter: str

    @property
    def schema(self) -> Any:
        """The columns of its tables."""
        return _schema([pa.field(name, pa.string()) for name in self.names])

    @property
    def size(self) -> int | None:
        """The number of bytes of the file that it has, if that is known."""
        return None if self.stop is None else self.stop - self.start

    def tables(self) -> Iterator[Any]:
        """Yields its rows, in order, as tables that fit into memory."""
        for start, text in whole_lines(self.file, self.start, self.stop):
            offsets = line_starts(text)
            try:
                rows = _read_csv(_utf8(text), self.names, self.delimiter, quotes=b'"' in text)
            except pa.ArrowInvalid:
                rows = None
            if rows is None or len(rows) != len(offsets):
                rows = self._read_line_by_line(_utf8(text))
            yield _placed(self.file, start + offsets, rows)

    def _read_line_by_line(self, text: bytes) -> Any:
        """Returns a row for each line, whatever is wrong with others."""
        lines = [line.rstrip("\r") for line in text.decode().split("\n")]
        rows = [self._fields(line) for line in lines if line]
        columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
        return pa.table(columns, names=list(self.names))

    def _fields(self, line: str) -> Sequence[str | None]:
        """Returns the fields of a line."""
        try:
            fields = next(csv.reader([line], delimiter=self.delimiter))
        except csv.Error:
            fields = []
        return fields if len(fields) == len(self.names) else [None] * len(self.names)


@dataclass(frozen=True)
class ParquetShard:
    """Some row groups of a Parquet file; `rows` stand in front of them."""

    file: str
    row_groups: tuple[int, ...]
    rows: int
    columns: Any
    size: int | None

    @property
    def schema(self) -> Any:
        """The columns of its tables."""
        return _schema(list(self.columns))

    def tables(self) -> Iterator[Any]:
        """Yields its rows, in order, as tables that fit into memory."""
        source, inside = filesystem(self.file)
        with source.open_input_file(inside) as stream:
            at = self.rows
            batches = pyarrow.parquet.ParquetFile(stream).iter_batches(
                row_groups=list(self.row_groups), use_threads=False
            )
            for batch in batches:
                yield _placed(self.file, np.arange(at, at + len(batch)), pa.Table.from_batches([batch]))
                at += len(batch)


Shard = TextShard | CsvShard | ParquetShard


def cut(paths: str | Iterable[str], column: str | None, delimiter: str, shard_bytes: int) -> list[Shard]:
    """Returns the shards of some files, in the order of the paths.

    Raises `FileNotFoundError` for a path that does not exist, and `ValueError` if there are no records, if a
    file lacks the column, or if files have different columns.
    """
    if shard_bytes < 1:
        raise ValueError(f"shard_bytes is {shard_bytes}: a shard has one byte at least")
    files = [
        file
        for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)
        for file in _files(os.fspath(path))
    ]
    with ThreadPoolExecutor(16) as threads:
        per_file = threads.map(
            lambda file: list(_cut_file(file[0], file[1], column, delimiter, shard_bytes)), files
        )
        shards = [shard for some in per_file for shard in some]
    if not shards:
        raise ValueError(
            "there are no records: " + (f"{files[0][0]} is empty" if files else f"{paths} has no files")
        )
    first = shards[0]
    for shard in shards:
        if shard.schema != first.schema:
            columns = f"{_columns(shard)} and {_columns(first)}"
            raise ValueError(f"{shard.file} has other columns than {first.file}: {columns}; read them apart")
    return shards


def _files(path: str) -> Iterator[tuple[str, int]]:
    """Yields the name and the size of the file, or of each file that is right in the folder."""
    if "://" not in path:
        # Tasks run in other folders.
        path = os.path.abspath(path)
    source, inside = filesystem(path)
    info = source.get_file_info(inside)
    if info.type == pa.fs.FileType.NotFound:
        raise FileNotFoundError(f"{path} does not exist")
    if info.type == pa.fs.FileType.File:
        yield path, info.size
        return
    entries = source.get_file_info(pa.fs.FileSelector(inside))
    for entry in sorted(entries, key=lambda entry: str(entry.base_name)):
        if entry.type == pa.fs.FileType.File and entry.base_name[0] not in "._":
            yield f"{path.rstrip('/')}/{entry.base_name}", entry.size


def _cut_file(file: str, size: int, column: str | None, delimiter: str, shard_bytes: int) -> Iterator[Shard]:
    """Yields the shards of a file."""
    if file.endswith(".parquet"):
        yield from _cut_parquet(file, column, shard_bytes)
        return
    if file.endswith((".xz", ".zip")):
        raise ValueError(f"{file} can't be read here: unpack it, or compress it with gzip or zstd")
    if column is None:
        for start, stop in _ranges(file, 0, size, shard_bytes):
            yield TextShard(file, start, stop)
        return
    names, behind_header = _header(file, delimiter)
    _require(column, names, file)
    for start, stop in _ranges(file, behind_header, size, shard_bytes):
        yield CsvShard(file, start, stop, names, delimiter)


def _ranges(file: str, start: int, size: int, shard_bytes: int) -> Iterator[tuple[int, int | None]]:
    """Yields the ranges of bytes of a file that become shards."""
    if codec(file):
        yield start, None
        return
    for at in range(start, size, shard_bytes):
        yield at, min(at + shard_bytes, size)


def _header(file: str, delimiter: str) -> tuple[tuple[str, ...], int]:
    """Returns the names of the columns of a CSV file, and how many bytes its header has."""
    source, inside = filesystem(file)
    with source.open_input_stream(inside, compression=codec(file)) as stream:
        text = stream.read(1 << 16)
    line = text[: text.find(b"\n") + 1] or text
    fields = line.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace").rstrip("\r\n")
    return tuple(next(csv.reader([fields], delimiter=delimiter), [])), len(line)


def _cut_parquet(file: str, column: str | None, shard_bytes: int) -> Iterator[ParquetShard]:
    """Yields the shards of a Parquet file: as many row groups as fit into `shard_bytes`, and one at least."""
    source, inside = filesystem(file)
    with source.open_input_file(inside) as stream:
        parquet = pyarrow.parquet.ParquetFile(stream)
        columns = parquet.schema_arrow.remove_metadata()
        _require(column or PUZZLE, columns.names, file)
        groups: list[int] = []
        rows = in_groups = size = 0
        for group in range(parquet.num_row_groups):
            found = parquet.metadata.row_group(group)
            if groups and size + found.total_byte_size > shard_bytes:
                yield ParquetShard(file, tuple(groups), rows, columns, size)
                rows, in_groups, size, groups = rows + in_groups, 0, 0, []
            groups.append(group)
            in_groups += found.num_rows
            size += found.total_byte_size
        if in_groups:
            yield ParquetShard(file, tuple(groups), rows, columns, size)


def _require(column: str, names: Sequence[str], file: str) -> None:
    """Raises `ValueError` if the column is not there, or if the names are of no use."""
    if column not in names:
        raise ValueError(f"{file} has no column {column!r}: it has {', '.join(names)}")
    for name in names:
        if name in (FILE, OFFSET):
            raise ValueError(f"{file} has a column {name!r}, but a column of that name is added: rename it")
        if names.count(name) > 1:
            raise ValueError(f"{file} has two columns {name!r}")


def _columns(shard: Shard) -> str:
    """Returns the columns of a shard in writing."""
    return ", ".join(f"{field.name} ({field.type})" for field in list(shard.schema)[2:])


def _schema(fields: list[Any]) -> Any:
    """Returns the columns of a shard: where a record stands, and what it has."""
    return pa.schema([pa.field(FILE, pa.string()), pa.field(OFFSET, pa.int64()), *fields])


def _placed(file: str, offsets: Any, rows: Any) -> Any:
    """Returns rows with the columns of where they stand in front."""
    return rows.add_column(0, OFFSET, [pa.array(offsets, pa.int64())]).add_column(
        0, FILE, [pa.repeat(file, len(rows))]
    )


def _utf8(text: bytes) -> bytes:
    """Returns a text that is UTF-8: with the replacement character for what is not."""
    return text if text.isascii() else text.decode("utf-8", "replace").encode()


def _plain_lines(text: bytes) -> bytes:
    """Returns lines of UTF-8 that end with LF or CRLF, and have no delimiter."""
    text = _utf8(text).replace(NO_DELIMITER.encode(), b" ")
    return text.replace(b"\r\n", b"\n").replace(b"\r", b" ") if b"\r" in text else text


def _without_remarks(table: Any) -> Any:
    """Returns the rows of a text that are records, with nothing behind the puzzles."""
    table = table.filter(pc.match_substring_regex(table.column(PUZZLE), RECORD))
    puzzles = pc.replace_substring_regex(table.column(PUZZLE), REMARK, r"\1")
    return table.set_column(table.column_names.index(PUZZLE), PUZZLE, puzzles)


def _read_csv(text: bytes, names: Sequence[str], delimiter: str, quotes: bool) -> Any:
    """Returns a row of strings for each line that is not empty."""
    return pyarrow.csv.read_csv(
        pa.BufferReader(text),
        read_options=pyarrow.csv.ReadOptions(column_names=list(names), use_threads=False),
        parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, quote_char='"' if quotes else False),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False, check_utf8=False
        ),
    )
