"""Cuts files of puzzles into shards, and reads a shard as Arrow tables.

A shard of text is a range of the bytes of a file, as in `gridmill solve --shard`: its records are those that begin in it. A
shard of Parquet is a range of row groups. A compressed file is one shard. Files may lie wherever `pyarrow.fs` reaches.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet

from ._gridmill import TextPart
from ._input import Shape

FILE = "file"
OFFSET = "offset"
PUZZLE = "puzzle"
# Bytes by which the format of a file is detected, and bytes that are read at once.
HEAD = 1 << 20
STEP = 8 << 20
CODECS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}


@dataclass(frozen=True)
class TextShard:
    """The records of a text file that begin from byte `start` to before `stop`, or to its end.

    `how` is what the user says of the format: the column, the delimiter and the shape.
    """

    file: str
    how: tuple[str | None, str | None, Shape]
    start: int
    stop: int | None
    size: int | None
    """The number of bytes of the file that it has, if that is known."""
    schema: Any
    """The columns of its tables: those of the file are strings."""

    def tables(self) -> Iterator[Any]:
        """Yields its records, in order, as tables that fit into memory."""
        with _open(self.file) as stream:
            head = stream.read(HEAD)
            part = TextPart(self.file, head, *self.how, self.start, self.stop)
            if part.next != len(head):
                stream.seek(part.next)
            while not part.is_done:
                yield pa.table(part.read(stream.read(STEP)))


@dataclass(frozen=True)
class ParquetShard:
    """Some row groups of a Parquet file; `rows` stand in front of them."""

    file: str
    row_groups: tuple[int, ...]
    rows: int
    size: int | None
    schema: Any

    def tables(self) -> Iterator[Any]:
        """Yields its rows, in order, as tables that fit into memory."""
        with _open(self.file) as stream:
            at = self.rows
            batches = pyarrow.parquet.ParquetFile(stream).iter_batches(
                row_groups=list(self.row_groups), use_threads=False
            )
            for batch in batches:
                places = [pa.repeat(self.file, len(batch)), pa.array(range(at, at + len(batch)), pa.int64())]
                yield pa.table([*places, *batch.columns], schema=self.schema)
                at += len(batch)


Shard = TextShard | ParquetShard


def cut(
    paths: str | Iterable[str],
    column: str | None = None,
    delimiter: str | None = None,
    shape: Shape = None,
    shard_bytes: int = 64 << 20,
) -> list[Shard]:
    """Cuts files into shards of `shard_bytes`, in the order of the paths; a task reads each, whatever the size of its file.

    A path is that of a file, or of a folder for all files that are right in it; also a URI such as
    `s3://bucket/folder`. Files named `.parquet` are Parquet, others text whose format is detected as the
    command does: lines, CSV, JSON Lines, banks, grids. Those named `.gz`, `.zst` and `.bz2` are unpacked,
    each by one task.

    The columns are `file`, `offset` (where the record begins in the file: the byte, or in Parquet the row,
    from 0), and `puzzle` or all columns of the file. Those of text are strings.

    - `column`: which has the puzzles, if its name is none of the usual ones.
    - `delimiter`: what sets the fields of CSV apart, if it can't be seen.
    - `shape`: the size of the puzzles, such as `"2x3"`, if their number of cells leaves it open.

    Raises `FileNotFoundError` for a path that does not exist, and `ValueError` if there are no records, if a
    file lacks the column, if files have different columns, or if a format can't be detected.
    """
    if shard_bytes < 1:
        raise ValueError(f"shard_bytes is {shard_bytes}: a shard has one byte at least")
    files = [
        file
        for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)
        for file in _files(os.fspath(path))
    ]
    how = (column, delimiter, shape)
    with ThreadPoolExecutor(16) as threads:
        per_file = threads.map(lambda file: list(_cut_file(file[0], file[1], how, shard_bytes)), files)
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
    source, inside = pa.fs.FileSystem.from_uri(path)
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


def _codec(file: str) -> str | None:
    """Returns how a file is compressed, by the end of its name; `None` if it is not."""
    return CODECS.get(os.path.splitext(file)[1])


def _open(file: str) -> Any:
    """Opens a file, from its beginning alone if it is compressed."""
    source, inside = pa.fs.FileSystem.from_uri(file)
    if codec := _codec(file):
        return source.open_input_stream(inside, compression=codec)
    return source.open_input_file(inside)


def _cut_file(
    file: str, size: int, how: tuple[str | None, str | None, Shape], shard_bytes: int
) -> Iterator[Shard]:
    """Yields the shards of a file."""
    if file.endswith(".parquet"):
        yield from _cut_parquet(file, how[0], shard_bytes)
        return
    if file.endswith((".xz", ".zip")):
        raise ValueError(f"{file} can't be read here: unpack it, or compress it with gzip or zstd")
    with _open(file) as stream:
        text = TextPart(file, stream.read(HEAD), *how)
    schema = _schema(file, how[0], [pa.field(name, pa.string()) for name in text.names])
    known = None if _codec(file) else size
    if known is None or text.body < size <= text.body + shard_bytes or not text.has_a_record_a_line:
        yield TextShard(file, how, 0, None, known, schema)
    else:
        for at in range(text.body, size, shard_bytes):
            stop = min(at + shard_bytes, size)
            yield TextShard(file, how, at, stop, stop - at, schema)


def _cut_parquet(file: str, column: str | None, shard_bytes: int) -> Iterator[ParquetShard]:
    """Yields the shards of a Parquet file: as many row groups as fit into `shard_bytes`, and one at least."""
    with _open(file) as stream:
        parquet = pyarrow.parquet.ParquetFile(stream)
        schema = _schema(file, column or PUZZLE, list(parquet.schema_arrow.remove_metadata()))
        groups: list[int] = []
        rows = in_groups = size = 0
        for group in range(parquet.num_row_groups):
            found = parquet.metadata.row_group(group)
            if groups and size + found.total_byte_size > shard_bytes:
                yield ParquetShard(file, tuple(groups), rows, size, schema)
                rows, in_groups, size, groups = rows + in_groups, 0, 0, []
            groups.append(group)
            in_groups += found.num_rows
            size += found.total_byte_size
        if in_groups:
            yield ParquetShard(file, tuple(groups), rows, size, schema)


def _schema(file: str, column: str | None, fields: list[Any]) -> Any:
    """Returns the columns of a shard: where a record stands, and what it has.

    Raises `ValueError` if the column of the puzzles is not there, or if the names are of no use.
    """
    names = [field.name for field in fields]
    if column is not None and column not in names:
        raise ValueError(f"{file} has no column {column!r}: it has {', '.join(names)}")
    for name in names:
        if name in (FILE, OFFSET):
            raise ValueError(f"{file} has a column {name!r}, but a column of that name is added: rename it")
        if names.count(name) > 1:
            raise ValueError(f"{file} has two columns {name!r}")
    return pa.schema([pa.field(FILE, pa.string()), pa.field(OFFSET, pa.int64()), *fields])


def _columns(shard: Shard) -> str:
    """Returns the columns of a shard in writing."""
    return ", ".join(f"{field.name} ({field.type})" for field in list(shard.schema)[2:])
