"""Finds files of puzzles, reads their records as Arrow tables (whole or in shards), and writes tables to files.

The engine reads text, as the command does. This module adds names of files, object stores and Parquet. Only the last two
need pyarrow.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, NoReturn, cast
from urllib.parse import urlsplit

import numpy as np

from . import _gridmill
from ._gridmill import GivenRecords, Reader, are_from_read, columns_of
from ._input import Shape, whole

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

FILE, OFFSET, PUZZLE, MALFORMED = COLUMNS = ("file", "offset", "puzzle", "malformed")
"""The columns that all records have. Those of the file come after them."""

STEP = 8 << 20
"""Bytes of text in a table."""

PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")

FEW = 100
"""A shard with fewer records than that may have only malformed ones, e.g. at the end of a file."""

FormatArgs = tuple[str | None, str | None, Shape, bool]
"""The arguments about the format: the column, the delimiter, the shape, and whether CSV has a header."""


def _format_args(column: str | int | None, delimiter: str | None, shape: Shape, header: bool) -> FormatArgs:
    """The choices of the user as the engine takes them: the column by its name, or by its number as a text."""
    return None if column is None else str(column), delimiter, shape, header


Field = tuple[str, Any]
"""A column of a file and its type. None means strings."""


@dataclass(frozen=True)
class Text:
    """The records of a text file, or those that begin in a range of its bytes."""

    file: str
    format_args: FormatArgs
    range: tuple[int, int] | None = None
    size: int | None = None
    """Its number of bytes, if known."""
    file_size: int | None = None
    """The number of bytes of the whole file, if known. A task may read it much later, so a change is an error."""
    data: bytes | None = None
    """The bytes of a file in memory, which has no name."""
    fields: tuple[Field, ...] = ()

    def open(self) -> Reader:
        """Opens the file, and detects its format."""
        if self.data is not None:
            return Reader(None, io.BytesIO(self.data), self.format_args)
        found = None if self.file_size is None else _file_size(self.file)
        if found != self.file_size:
            raise ValueError(
                f"{self.file} has changed: it had {self.file_size:,} bytes, and has {found:,} now; read it again"
            )
        return Reader(self.file, _source(self.file), self.format_args, self.range)

    def empty(self) -> object:
        """Returns a table without records."""
        return self.open().empty()

    def tables(self, step: int = STEP) -> Iterator[Any]:
        """Yields the records in order, as tables that have `__arrow_c_stream__`."""
        reader = self.open()
        yield from _tables_of(reader, step)
        _require_puzzle(reader, self.file, self.range is not None)


class StreamRecords:
    """The records of an open stream, which can be read once."""

    def __init__(self, stream: IO[bytes], format_args: FormatArgs) -> None:
        name = getattr(stream, "name", None)
        self.file = name if isinstance(name, str) else ""
        self.reader = Reader(self.file or None, stream, format_args)
        self.fields = _fields(self.reader)
        self.is_read = False

    def empty(self) -> object:
        """Returns a table without records."""
        return self.reader.empty()

    def tables(self, step: int = STEP) -> Iterator[Any]:
        """Yields the records, in order."""
        if self.is_read:
            raise ValueError(
                "the stream has been read: open it again, or keep its table, such as by to_arrow()"
            )
        self.is_read = True
        yield from _tables_of(self.reader, step)
        _require_puzzle(self.reader, self.file, False)


def _tables_of(reader: Reader, step: int) -> Iterator[Any]:
    """Yields the tables of a text."""
    while table := reader.read(step):
        yield table


def _require_puzzle(reader: Reader, file: str, is_part: bool) -> None:
    """Raises `ValueError` if no record is a puzzle, because then the format was probably detected wrongly. A part of a file
    may have only a few malformed records, e.g. at the end."""
    if reader.first_malformed is not None and reader.malformed == reader.count >= (FEW if is_part else 1):
        at, reason = reader.first_malformed
        name = f"{file or 'the input'}, read as {reader.format}"
        raise ValueError(f"{name}: no record is a puzzle; the first one, at byte {at}: {reason}")


@dataclass(frozen=True)
class Columnar:
    """Some row groups of a Parquet file, or a whole Arrow file. `row` is the number of rows before them."""

    file: str
    format_args: FormatArgs
    groups: tuple[int, ...] | None
    row: int
    size: int | None
    fields: tuple[Field, ...]

    def empty(self) -> Any:
        return schema(self, is_named_once=True).empty_table()

    def tables(self, step: int = STEP) -> Iterator[Any]:
        """Yields the rows, in order, as tables of some ten thousand."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column, _, shape, _ = self.format_args
        row, has_puzzle, reason = self.row, False, None
        for batch in _batches_of(self.file, self.groups):
            place, own = columns_of(batch.schema.names, column)
            puzzles = batch.column(place)
            if isinstance(puzzles.type, pa.BaseExtensionType):
                puzzles = puzzles.storage
            reader = Reader.from_records(GivenRecords(self.file, "arrow", puzzles, None), shape)
            read = pa.concat_tables(map(pa.table, [reader.empty(), *_tables_of(reader, STEP)]))
            # Records that an earlier `read` made may all be malformed, e.g. those that were put aside.
            has_puzzle |= reader.malformed < reader.count or are_from_read(batch.schema.names)
            reason = reason or reader.first_malformed and reader.first_malformed[1]
            known = reasons_of(batch) if are_from_read(batch.schema.names) else None
            columns = [
                pa.repeat(self.file, len(batch)).dictionary_encode(),
                pa.array(np.arange(row, row + len(batch), dtype=np.int64)),
                read[PUZZLE],
                read[MALFORMED] if known is None else pc.coalesce(known, read[MALFORMED]),
                *(values for name, values in zip(own, batch.columns, strict=True) if name is not None),
            ]
            yield pa.table(columns, schema=schema(self, is_named_once=True))
            row += len(batch)
        if reason and not has_puzzle and (self.groups is None or row - self.row >= FEW):
            raise ValueError(
                f"{self.file}: no record is a puzzle; the first one, at row {self.row}: {reason}"
            )


def reasons_of(table: Any) -> Any:
    """Why records that an earlier `read` made are malformed, null for the others; `None` for a table of other records. CSV of
    Ray has empty texts for missing ones, and data frames of Spark made from pandas have "NaN"."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not set(COLUMNS).issubset(table.schema.names):
        return None
    reasons = table.column(MALFORMED)
    if pa.types.is_dictionary(reasons.type):
        reasons = reasons.cast(reasons.type.value_type)
    none = pa.scalar(None, pa.string())
    if pa.types.is_boolean(reasons.type):
        return pc.if_else(pc.fill_null(reasons, False), "it is marked as malformed", none)
    reasons = reasons.cast(pa.string())
    return pc.if_else(pc.is_in(reasons, pa.array(["", "NaN"])), none, reasons)


Shard = Text | Columnar
"""The input of a task."""


def schema(shard: Shard, *, is_named_once: bool = False) -> pa.Schema:
    """The columns of a shard, for pyarrow. With `is_named_once`, names of files are a dictionary, which stores each once."""
    import pyarrow as pa

    file = pa.dictionary(pa.int32(), pa.string()) if is_named_once else pa.string()
    kinds = [file, pa.int64(), pa.string(), pa.string()]
    own = [(name, kind or pa.string()) for name, kind in shard.fields]
    return pa.schema([*zip(COLUMNS, kinds, strict=True), *own])


def plain_tables(shard: Shard, columns: Any = None) -> Iterator[Any]:
    """Yields the records of a shard for tasks of clusters, as one or more tables of pyarrow. `columns` are those of the
    first shard, because JSON keys may come in another order in each."""
    import pyarrow as pa

    columns = columns or schema(shard)
    yield columns.empty_table()
    for table in shard.tables():
        found = pa.table(table).select(columns.names)
        converted = [_as_type(shard, name, found[name], columns.field(name).type) for name in columns.names]
        yield pa.table(converted, schema=columns)


def _as_type(shard: Shard, name: str, values: Any, kind: Any) -> Any:
    """A column in another type. Parts of a microsecond are cut off, because Spark has none."""
    import pyarrow as pa

    is_time = pa.types.is_timestamp(kind) or pa.types.is_duration(kind)
    try:
        return values.cast(kind, safe=not is_time)
    except pa.ArrowInvalid as error:
        raise ValueError(
            f"{shard.file}: the column {name!r} ({values.type}) can't be read as {kind}: {error}"
        ) from error


def cut(
    paths: Paths,
    column: str | int | None = None,
    delimiter: str | None = None,
    shape: Shape = None,
    header: bool = True,
    shard_bytes: int | None = 64 << 20,
) -> list[Shard]:
    """Returns the files of some paths, in order, cut into shards of `shard_bytes` if their format allows it. None keeps them
    whole.

    Raises `FileNotFoundError` for a path that does not exist, and `ValueError` if there are no records, if the format of a file
    can't be detected, or if files have different columns.
    """
    from concurrent.futures import ThreadPoolExecutor

    if shard_bytes is not None:
        whole("shard_bytes", shard_bytes, 1)
    each = [paths] if isinstance(paths, (str, os.PathLike)) else _several(paths)
    if not each:
        raise ValueError("there are no records: the list of paths is empty")
    files = [file for path in each for file in _files(os.fspath(path))]
    format_args = _format_args(column, delimiter, shape, header)
    with ThreadPoolExecutor(16) as threads:
        per_file = threads.map(
            lambda file: list(_cut_file(file[0], file[1], format_args, shard_bytes)), files
        )
        shards = [shard for some in per_file for shard in some]
    if not shards:
        names = ", ".join(map(str, each))
        raise ValueError(
            f"there are no records: {f'{files[0][0]} has none' if files else f'{names} has no files'}"
        )
    first = shards[0]
    seen: set[str] = set()
    for file, _ in files:
        if file in seen:
            raise ValueError(f"{file} is named twice: leave one of them out")
        seen.add(file)
    for shard in shards:
        if dict(shard.fields) != dict(first.fields):
            columns = f"{_written(shard)} and {_written(first)}"
            raise ValueError(
                f"{shard.file} has different columns from {first.file}: {columns}; read them separately"
            )
    return shards


def _several(paths: Iterable[str | os.PathLike[str]]) -> list[str | os.PathLike[str]]:
    """The paths of a list. Anything else is an error, e.g. bytes and open files, which only `gridmill.read` takes."""
    each = list(paths) if isinstance(paths, Iterable) and not hasattr(paths, "read") else [None]
    if not all(isinstance(path, (str, os.PathLike)) for path in each):
        raise TypeError(f"expected a path, or several; found {type(paths).__name__}")
    return cast("list[str | os.PathLike[str]]", each)


def _cut_file(
    file: str, size: int | None, format_args: FormatArgs, shard_bytes: int | None
) -> Iterator[Shard]:
    """Yields the shards of a file."""
    if file.lower().endswith(PARQUET + ARROW):
        yield from _cut_columns(file, size, format_args, shard_bytes)
        return
    whole_file = Text(file, format_args, size=size)
    reader = whole_file.open()
    whole_file = replace(whole_file, fields=_fields(reader), file_size=size)
    if size is None or not reader.has_ranges:
        # An empty file is left out, as those with ranges are. Spark writes one for each partition without rows, and compresses it.
        if reader.read(1) is not None:
            yield whole_file
    elif size <= reader.body_offset + (shard_bytes or size):
        yield from [whole_file] if reader.body_offset < size else []
    else:
        for start in range(reader.body_offset, size, int(shard_bytes or size)):
            stop = min(start + int(shard_bytes or size), size)
            yield replace(whole_file, range=(start, stop), size=stop - start)


def _cut_columns(
    file: str, size: int | None, format_args: FormatArgs, shard_bytes: int | None
) -> Iterator[Columnar]:
    """Yields the shards of a Parquet file, each with as many row groups as fit into `shard_bytes` (at least one). An Arrow
    file is one shard."""
    import pyarrow as pa
    import pyarrow.parquet

    with _stream(file) as stream:
        parquet = pa.parquet.ParquetFile(stream) if file.lower().endswith(PARQUET) else None
        if parquet is not None and parquet.metadata.num_rows == 0:
            return
        columns = parquet.schema_arrow if parquet else _open_arrow(stream).schema
        try:
            _, own = columns_of(columns.names, format_args[0])
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from None
        texts = (pa.string(), pa.large_string(), getattr(pa, "string_view", pa.string)())
        fields = tuple(
            (name, None if field.type in texts else field.type)
            for name, field in zip(own, columns, strict=True)
            if name is not None
        )
        whole_file = Columnar(file, format_args, None, 0, size, fields)
        if parquet is None or shard_bytes is None:
            yield whole_file
            return
        groups: list[int] = []
        row = rows = packed = 0
        for group in range(parquet.num_row_groups):
            found = parquet.metadata.row_group(group)
            if groups and packed + found.total_byte_size > shard_bytes:
                yield replace(whole_file, groups=tuple(groups), row=row, size=packed)
                row, rows, packed, groups = row + rows, 0, 0, []
            groups.append(group)
            rows += found.num_rows
            packed += found.total_byte_size
        if rows:
            yield replace(whole_file, groups=tuple(groups), row=row, size=packed)


def _batches_of(file: str, groups: tuple[int, ...] | None) -> Iterator[Any]:
    """Yields the batches of a Parquet or Arrow file: those of some row groups, or all."""
    import pyarrow as pa
    import pyarrow.parquet

    with _stream(file) as stream:
        if file.lower().endswith(PARQUET):
            parquet = pa.parquet.ParquetFile(stream)
            yield from parquet.iter_batches(row_groups=groups and list(groups), use_threads=groups is None)
            return
        reader = _open_arrow(stream)
        if hasattr(reader, "num_record_batches"):
            yield from map(reader.get_batch, range(reader.num_record_batches))
        else:
            yield from reader


def _open_arrow(stream: Any) -> Any:
    """Opens an Arrow file, or an Arrow stream in a file."""
    import pyarrow as pa

    try:
        return pa.ipc.open_file(stream)
    except pa.ArrowInvalid:
        stream.seek(0)
        return pa.ipc.open_stream(stream)


def _fields(reader: Reader) -> tuple[Field, ...]:
    """The columns of a text file."""
    return tuple((name, None) for name in reader.names[len(COLUMNS) :])


def _written(shard: Shard) -> str:
    """The columns of a shard as text, for messages."""
    return ", ".join(f"{name} ({kind or 'string'})" for name, kind in shard.fields) or "puzzles alone"


def _files(path: str) -> Iterator[tuple[str, int | None]]:
    """Yields the name and size of each file of a path. The path is a file, a folder (with its subfolders), or a pattern."""
    local = _local(path)
    if local is not None and (os.path.isfile(local) or _is_in_archive(local)):
        yield local, os.path.getsize(local) if os.path.isfile(local) else None
        return
    if local is not None and os.path.exists(local) and not os.path.isdir(local):
        raise ValueError(f"{path} is no file: hand over an open stream, such as sys.stdin.buffer")
    base, pattern, query = _parted(path if local is None else local, local is not None)
    entries = _in_folder(base) if local is not None else _in_store(base, query)
    if entries is None:
        raise FileNotFoundError(f"{path} does not exist")
    found = sorted(
        entry for entry in entries if pattern.fullmatch(entry[0]) and not DOCUMENTS.fullmatch(entry[0])
    )
    if not found and pattern is not ALL:
        raise FileNotFoundError(f"{path} does not exist: no file has such a name")
    for name, size in found:
        yield f"{base.rstrip('/')}/{name}{query}" if name else base + query, size


ALL = re.compile(".*", re.DOTALL)
"""The pattern of all files in a folder."""


def _local(path: str) -> str | None:
    """The absolute path of a local file, because tasks run in other folders. None for the URI of a store."""
    if path.startswith("file:"):
        # Imported here, because it takes longer than all other imports.
        from urllib.request import url2pathname

        parts = urlsplit(path)
        if parts.netloc not in ("", "localhost"):
            raise ValueError(f"{path}: expected file:///path, found the host {parts.netloc!r}")
        return os.path.abspath(url2pathname(parts.path))
    return None if "://" in path else os.path.abspath(path)


def _is_in_archive(path: str) -> bool:
    """Whether a path names a file in an archive, e.g. `archive.zip:puzzles.csv`."""
    archive, colon, _ = path.rpartition(":")
    return colon != "" and archive.lower().endswith(".zip") and os.path.isfile(archive)


def _parted(path: str, is_local: bool) -> tuple[str, re.Pattern[str], str]:
    """Splits a path into the folder before the first pattern, the pattern, and the query after a question mark."""
    path, mark, query = (path, "", "") if is_local else path.partition("?")
    special = re.search(r"[*[]|\?" if is_local else r"[*[]", path)
    if special is None or (is_local and os.path.exists(path)):
        return path, ALL, mark + query
    base, _, _ = path[: special.start()].rpartition("/")
    return base or "/", _pattern(path[len(base) + 1 :]), mark + query


def _pattern(glob: str) -> re.Pattern[str]:
    """The regular expression of a glob. `*` matches within a name, and `**` across folders. If the glob matches a folder, it
    matches all files below it too."""
    meanings = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[[^]]+\])", glob)
    texts = [
        meanings.get(part) or (f"[{part[1:-1].replace('!', '^', 1)}]" if part[:1] == "[" else re.escape(part))
        for part in parts
    ]
    return re.compile("".join(texts) + "(?:/.*)?")


DOCUMENTS = re.compile(
    r"(.*/)?((readme|licen[cs]e|copying|changelog|sha256sums)[^/]*|[^/]*\.(md|rst|html|pdf|py|ipynb|ya?ml)"
    r"|dataset_info\.json|state\.json)",
    re.IGNORECASE,
)
"""Documents in folders of data, e.g. `README.txt` and `LICENSE`, and what Hugging Face writes beside data. They are read only
if a path names them."""


def _in_folder(folder: str) -> list[tuple[str, int]] | None:
    """The files in a local folder and its subfolders, without hidden ones. None if there is no such folder."""
    if not os.path.isdir(folder):
        return None
    found = []
    for inside, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name[0] not in "._"]
        paths = [os.path.join(inside, name) for name in names if name[0] not in "._"]
        found += [
            (os.path.relpath(path, folder).replace(os.sep, "/"), os.path.getsize(path)) for path in paths
        ]
    return found


def _in_store(uri: str, query: str) -> list[tuple[str, int]] | None:
    """The files in a folder of a store. A URI of a file gives that file with an empty name. None if there is neither."""
    import pyarrow as pa
    import pyarrow.fs

    store, inside = _store(uri + query)
    info = store.get_file_info(inside)
    if info.type == pa.fs.FileType.NotFound:
        return None
    if info.type == pa.fs.FileType.File:
        return [("", info.size)]
    entries = store.get_file_info(pa.fs.FileSelector(inside, recursive=True))
    files = [(entry.path[len(inside) :].lstrip("/"), entry) for entry in entries if entry.is_file]
    return [(name, entry.size) for name, entry in files if not re.search(r"(^|/)[._]", name)]


def _store(uri: str) -> tuple[Any, str]:
    """The file system of a URI, and the path in it. It is one of fsspec if pyarrow does not know the scheme."""
    import pyarrow as pa
    import pyarrow.fs

    uri = re.sub("^s3[an]:", "s3:", uri)
    try:
        found: tuple[Any, str] = pa.fs.FileSystem.from_uri(uri)
        return found
    except pa.ArrowInvalid as error:
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise ValueError(f"{uri}: {error}; fsspec may know it: pip install fsspec") from error
    system, inside = url_to_fs(uri)
    return pa.fs.PyFileSystem(pa.fs.FSSpecHandler(system)), inside


def _stream(file: str) -> Any:
    """Opens a local file, or one in a store."""
    if _local(file) is not None:
        return open(file, "rb")
    store, inside = _store(file)
    return store.open_input_file(inside)


def _file_size(file: str) -> int:
    """The number of bytes of a file."""
    if _local(file) is not None:
        return os.path.getsize(file)
    store, inside = _store(file)
    return int(store.get_file_info(inside).size)


def _source(file: str) -> Any:
    """A path or stream for the engine. bzip2 is unpacked here, because the engine unpacks everything else."""
    if file.lower().endswith(".bz2"):
        import bz2

        return bz2.open(_stream(file))
    return file if _local(file) is not None else _stream(file)


class Records:
    """The records of files, which are read on demand: batch by batch in constant memory, or all at once as a table.

    `pyarrow`, Polars, DuckDB and others take it as it is, as it has `__arrow_c_stream__`. It may be read several times, unless
    it was made from an open stream.

    >>> import gridmill
    >>> records = gridmill.read(b"id,puzzle\\n7,1.....3..4.....2\\n")
    >>> records.columns
    ('file', 'offset', 'puzzle', 'malformed', 'id')
    >>> [gridmill.solve(batch["puzzle"], shape="2x2").status.counts() for batch in records]
    [{'unique': 1}]
    """

    def __init__(self, shards: Sequence[Shard | StreamRecords], batch_bytes: int) -> None:
        self._shards = shards
        self._batch_bytes = batch_bytes

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return (*COLUMNS, *(name for name, _ in self._shards[0].fields))

    def __repr__(self) -> str:
        files = len(self._shards)
        return f"<Records of {files:,} file{'s' * (files != 1)}: {', '.join(self.columns)}>"

    def _tables(self) -> Iterator[Any]:
        """Yields tables that have `__arrow_c_stream__`. The first has no records, because a stream begins with the columns."""
        first = self._shards[0]
        yield first.empty()
        for shard in self._shards:
            if shard.fields == first.fields:
                yield from shard.tables(self._batch_bytes)
            else:
                yield from _in_order(shard.tables(self._batch_bytes), self.columns)

    def __iter__(self) -> Iterator[Any]:
        """Yields batches of pyarrow. If it is not installed, they are tables that Polars takes, and `batch[name]` is a list."""
        try:
            import pyarrow as pa
        except ImportError:
            yield from islice(self._tables(), 1, None)
            return
        for table in self._tables():
            yield from pa.table(table).to_batches()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Passes batches to other packages on demand, by the Arrow protocol."""
        return _gridmill.stream(self._tables())

    def to_arrow(self) -> pa.Table:
        """Returns a table of pyarrow."""
        import pyarrow as pa

        return pa.concat_tables([pa.table(table) for table in self._tables()]).unify_dictionaries()

    def to_polars(self) -> pl.DataFrame:
        """Returns a data frame of Polars."""
        import polars as pl

        # Table by table, because Polars would wrap an error of a stream in one of its own.
        return pl.concat([pl.DataFrame(table) for table in self._tables()])

    def to_pandas(self) -> pd.DataFrame:
        """Returns a data frame of pandas. Needs pyarrow."""
        return self.to_arrow().to_pandas()

    def __getitem__(self, name: object) -> NoReturn:
        raise TypeError(
            f"records are read batch by batch: take a table, such as records.to_arrow()[{name!r}], or iterate over batches"
        )


def _in_order(tables: Iterator[Any], columns: Sequence[str]) -> Iterator[Any]:
    """Yields tables with their columns in this order."""
    import pyarrow as pa

    for table in tables:
        yield pa.table(table).select(list(columns))


def read(
    paths: Paths | bytes | IO[bytes],
    *,
    column: str | int | None = None,
    delimiter: str | None = None,
    shape: Shape = None,
    header: bool = True,
    batch_bytes: int = STEP,
) -> Records:
    """Returns the records of files of puzzles, in any format that the command reads. They are read on demand.

    `paths` is one path or several: of a file, of a folder (all files in it and its subfolders, except names that begin
    with a dot or `_`, and documents such as `README.md` and `LICENSE`), or a pattern such as `sets/**/*.csv`. URIs are those of `pyarrow.fs` and of fsspec, such as
    `s3://bucket/folder`, also `file:`, `s3a:` and `s3n:`. It may also be an open file of bytes, which is read once, or `bytes`.

    The format is detected: lines, CSV, JSON Lines, banks, grids, HoDoKu libraries, pencilmarks. gzip, zstd, xz and zip are
    unpacked, and bzip2 by the name `.bz2`. Files named `.parquet`, `.pq`, `.arrow`, `.feather` and `.ipc` are read by pyarrow.

    Columns: `file` (dictionary of strings: the absolute path or the URI, null for bytes), `offset` (int64: the byte of the
    unpacked text at which the record begins, or the row of a file of columns, from 0), `puzzle` (string: the puzzle as the
    command writes it, or the text of a malformed record), `malformed` (string: why it is no puzzle, null if it is one).
    After them come the columns or keys of the file under their own names, as strings in text files. A column `puzzle` is
    replaced by the puzzle that was read; if another name is already taken, `own_` is prefixed. JSON Lines have the keys of
    the first object, and those in the first 64 KiB.

    - `column`: the name of the column with the puzzles, if it is not one of the usual names, or its number from 1.
    - `delimiter`: the separator of CSV fields, if it can't be detected.
    - `shape`: the size of the puzzles, such as `"2x3"`, if their number of cells leaves it open; `"mixed"` for lines of several
      sizes.
    - `header`: False for CSV without a header, whose columns are called 1, 2 and so on.
    - `batch_bytes`: how many bytes of text a batch has, up to 256 KiB more.

    Raises `FileNotFoundError` for a path that does not exist, and `ValueError` if there are no records, if a format can't be
    detected, if files have different columns, and in the end if no record of a file is a puzzle.

    >>> import gridmill
    >>> found = gridmill.read(b"source,question\\nmine,1.....3..4.....2\\nother,1...\\n").to_polars()
    >>> found.select("offset", "puzzle", "malformed", "source").rows()
    [(16, '1.....3..4.....2', None, 'mine'), (38, '1...', '4 cells where 16 are needed', 'other')]
    """
    whole("batch_bytes", batch_bytes, 1)
    format_args = _format_args(column, delimiter, shape, header)
    shards: Sequence[Shard | StreamRecords]
    if isinstance(paths, (bytes, bytearray, memoryview)):
        given = Text("", format_args, data=bytes(paths))
        reader = given.open()
        if reader.has_ranges and reader.body_offset >= len(paths):
            raise ValueError("there are no records: the bytes have none")
        shards = [replace(given, fields=_fields(reader))]
    elif hasattr(paths, "read"):
        shards = [StreamRecords(cast("IO[bytes]", paths), format_args)]
    elif isinstance(paths, (str, os.PathLike, Iterable)):
        shards = cut(cast("Paths", paths), column, delimiter, shape, header, None)
    else:
        found = type(paths).__name__
        raise TypeError(f"expected a path, several paths, bytes or an open file of bytes, found {found}")
    return Records(shards, batch_bytes)


TEXTS = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
PACKED = (".gz", ".zst", ".xz")


def write(table: object, path: str | os.PathLike[str]) -> None:
    """Writes a result, records, or any table that has `__arrow_c_stream__`. The name of the file decides the format.

    `.csv` is CSV with a header, `.jsonl` and `.ndjson` are JSON Lines, each also with `.gz`, `.zst` or `.xz` appended;
    `.parquet` and `.pq` are Parquet, by pyarrow. Batches are written as they come, so records of any number need little
    memory. The file gets its name only when it is complete; until then an older file of that name stays unchanged.

    Grids and names are texts. A missing value is an empty field in CSV (an empty text is in quotes), and `null` in JSON.
    Keys are hexadecimal digits; lists and objects are JSON, also in fields of CSV. The index of a data frame of pandas is
    left out unless it has a name.

    Raises `ValueError` for another ending of the name, `TypeError` if it is no table or a column has a type without a usual
    text, such as a date, and `OSError` if the file can't be written.

    >>> import gridmill, tempfile
    >>> found = gridmill.canon(["1.....3..4.....2", "." * 16], shape="2x2")
    >>> path = tempfile.mkdtemp() + "/forms.csv.gz"
    >>> gridmill.write(found, path)
    >>> gridmill.read(path, column="canonical").to_polars()["canonical"][1]
    '................'
    """
    name = os.fspath(path)
    local = _local(name)
    if local is None:
        raise ValueError(
            f"{name}: files are written to local folders; for a store, write to_arrow() by pyarrow"
        )
    table = _as_table(table)
    if not hasattr(table, "__arrow_c_stream__"):
        found = type(table).__name__
        raise TypeError(f"expected a result, or a table that has __arrow_c_stream__, found {found}")
    tables = table._tables() if isinstance(table, Records) else iter([table])
    stem, packing = os.path.splitext(local.lower())
    form = TEXTS.get(os.path.splitext(stem)[1] if packing in PACKED else packing)
    if form is not None:
        _gridmill.write(local, form, tables)
    elif packing in PARQUET:
        _write_parquet(local, tables)
    else:
        texts = ", ".join(TEXTS)
        expected = f"{texts}, one of these and {', '.join(PACKED)}, or {', '.join(PARQUET)}"
        raise ValueError(f"{name}: expected a name that ends in {expected}")


def _as_table(table: Any) -> Any:
    """A data frame of pandas without its index, or with the index as a column if it has a name. A series of pandas or Polars
    is a table of one column, and a dataset of Hugging Face is a table of pyarrow. Other tables are returned as they are."""
    if hasattr(table, "with_format"):
        table = table.with_format("arrow")[:]
    if hasattr(table, "to_frame"):
        table = table.to_frame()
    if type(table).__module__.startswith("polars.") and "Null" in str(table.schema):
        table = _without_null_type(table)
    if not hasattr(table, "reset_index"):
        return table
    return table.reset_index(drop=all(name is None for name in table.index.names))


def _without_null_type(frame: Any) -> Any:
    """A data frame of Polars without its type Null, which other packages can't read from it. Columns and lists in which
    everything is missing so far have it."""
    import polars as pl

    def readable(dtype: Any) -> Any:
        if isinstance(dtype, pl.List):
            return pl.List(readable(dtype.inner))
        if isinstance(dtype, pl.Struct):
            return pl.Struct([pl.Field(field.name, readable(field.dtype)) for field in dtype.fields])
        return pl.String if dtype == pl.Null else dtype

    return frame.cast({name: readable(dtype) for name, dtype in frame.schema.items() if "Null" in str(dtype)})


def _write_parquet(path: str, tables: Iterator[Any]) -> None:
    """Writes tables as a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet

    partial = f"{path}.{os.getpid()}.partial"
    writer = None
    try:
        for table in tables:
            # Polars makes better tables itself: what it streams has categories that no Parquet file can have.
            if hasattr(table, "to_arrow"):
                table = table.to_arrow()
            reader = pa.RecordBatchReader.from_stream(table)
            writer = writer or pa.parquet.ParquetWriter(partial, reader.schema)
            for batch in reader:
                writer.write_batch(batch)
        if writer is not None:
            writer.close()
            os.replace(partial, path)
    finally:
        if writer is not None and os.path.exists(partial):
            writer.close()
            os.remove(partial)
