"""The work of the tasks of Ray and of Spark on a batch of records, as Arrow tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from inspect import getdoc
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

import gridmill

from ._jobs import JOBS
from ._shards import FILE, OFFSET, PUZZLE

Order = tuple[str, str]
# The columns that say which record comes first, as `read` gives them.
ORDER: Order = (FILE, OFFSET)

# The columns of records on their way to those of the same key, beside those of the order.
PART = "part"
KEY = "key"
OWN = "own"

# What is said of an order that does not tell records apart, or has nulls.
APART = "the columns of the order must be different for each record"

# Powers of an odd number without a pattern.
WEIGHTS = np.cumprod(np.full(64, 0x9E3779B97F4A7C15, np.uint64))

# What clusters add to the options of a function: a batch has no place among the others, so no index may count.
ADDED = {"minimize": {"by_clues": True}}

# What a cluster has.
FUNCTIONS = sorted(["read", "dedupe", "duplicates", "overlap", *(job.__name__ for job in JOBS)])

Records = TypeVar("Records")


@dataclass(frozen=True)
class Comparison:
    """How records are compared: their puzzles are in `column`, `options` are those of `gridmill.keys`."""

    column: str
    order: Order
    parts: int | None
    """The number of parts that keys are shuffled into, if it is said."""
    options: dict[str, Any]


class Cluster(ABC, Generic[Records]):
    """The functions on records that a cluster has: a dataset of Ray, or a data frame of Spark."""

    @abstractmethod
    def annotate(self, records: Records, function: str, column: str, options: dict[str, Any]) -> Records:
        """Returns the records with the columns of a function behind their own: see `annotate`."""

    @abstractmethod
    def later(
        self,
        records: Records,
        others: Records | None,
        how: Comparison,
        duplicates: bool,
    ) -> Records:
        """Returns the records that are not the first of their key, and that first one: see `later`."""

    @abstractmethod
    def select(self, records: Records, found: Records, order: Order, are_within: bool) -> Records:
        """Returns the records that are among those found, and the first one of each; or those that are not."""

    def job(self, function: Callable[..., Any]) -> Callable[..., Records]:
        """Returns a function of this package as one for records."""
        name = function.__name__

        def of_records(
            records: Records, *, column: str = "puzzle", threads: int = 1, **options: Any
        ) -> Records:
            return self.annotate(
                records, name, column, {"threads": threads, **ADDED.get(name, {}), **options}
            )

        of_records.__name__ = of_records.__qualname__ = name
        of_records.__doc__ = f"""Returns the records with the columns of `gridmill.{name}` behind their own.

        `column` has the puzzles, `options` are those of the function. A record that can't be read is a row of
        status `malformed`. A task has as many `threads`; in Spark, set `spark.task.cpus` to as many. A name that
        is taken gets `gridmill_` in front.

        Raises `ValueError` if there is no such column, and `TypeError` if it has no puzzles: at once if the
        columns are known, and otherwise when it runs.

        The function for arrays:

        """ + str(getdoc(function))
        return of_records

    def dedupe(
        self,
        records: Records,
        *,
        against: Records | None = None,
        column: str = "puzzle",
        order: Order = ORDER,
        parts: int | None = None,
        **options: Any,
    ) -> Records:
        """Returns the records without duplicates, and without those that are in `against`.

        Of the records that count as the same, the one of least `order` stays, a pair of columns: the file and
        where in it. Together they are different for each record. Records that can't be read stay. What counts as
        the same is said by the `options` of `gridmill.keys`: `isomorphic`, `same_solution`, `shape`.

        The shuffle moves keys of 41 bytes and the columns of the order, in `parts` parts, each of which must fit
        into the memory of a task; in Ray it runs at once. The records are read a second time.
        """
        found = self.later(records, against, Comparison(column, order, parts, options), True)
        return self.select(records, found, order, False)

    def duplicates(
        self,
        records: Records,
        *,
        against: Records | None = None,
        column: str = "puzzle",
        order: Order = ORDER,
        parts: int | None = None,
        **options: Any,
    ) -> Records:
        """Returns what `dedupe` takes out, and what that is a duplicate of.

        The columns are file and offset of each duplicate, and first_file and first_offset of the one that stays;
        the names are those of `order`.
        """
        return self.later(records, against, Comparison(column, order, parts, options), True)

    def overlap(
        self,
        records: Records,
        other: Records,
        *,
        column: str = "puzzle",
        order: Order = ORDER,
        parts: int | None = None,
        **options: Any,
    ) -> Records:
        """Returns the records that are in another dataset or data frame too.

        Behind their own columns are other_file and other_offset of the first one there; the names are those of
        `order`. Both have a `column` and an `order`, as for `dedupe`.
        """
        found = self.later(records, other, Comparison(column, order, parts, options), False)
        return self.select(records, found, order, True)


def prefix(duplicates: bool) -> str:
    """Returns what stands in front of the columns of the first record of a key."""
    return "first_" if duplicates else "other_"


def annotate(table: Any, function: str, column: str, options: dict[str, Any]) -> Any:
    """Returns a table with the columns behind its own that a function of this package has for its puzzles.

    A name that is taken gets `gridmill_` in front. A record that can't be read is a row of status
    `malformed`.
    """
    result = getattr(gridmill, function)(_puzzles(table, column), malformed="keep", **options).to_arrow()
    for name in result.column_names:
        if name != PUZZLE:
            free = name if name not in table.column_names else f"gridmill_{name}"
            table = table.append_column(free, _plain(result.column(name)))
    return table


def annotated_schema(schema: Any, function: str, column: str, options: dict[str, Any]) -> Any:
    """Returns the columns that `annotate` gives a table; raises what the function raises."""
    require_puzzles(schema, column)
    taken = pa.schema([(name, pa.string()) for name in schema.names]).empty_table()
    fields = list(annotate(taken, function, column, options).schema)
    return pa.schema(list(schema) + fields[len(schema) :])


def require_puzzles(schema: Any, column: str) -> None:
    """Raises `ValueError` if there is no such column, and `TypeError` if it can't hold puzzles."""
    _require(schema, column)
    kind = schema.field(column).type
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    data = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind)
    cells = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    if not (text or data or cells and pa.types.is_integer(kind.value_type)):
        raise TypeError(f"column {column!r} is {kind}: puzzles are strings or lists of integers")


def require_keys(schema: Any, how: Comparison) -> None:
    """Raises `ValueError` or `TypeError` if there can be no keys, or no record that comes first."""
    require_puzzles(schema, how.column)
    gridmill.keys([], **how.options)
    for name in how.order:
        _require(schema, name)
    kind = schema.field(how.order[1]).type
    if not pa.types.is_integer(kind):
        raise TypeError(
            f"column {how.order[1]!r} is {kind}: it orders the records of a file, so it has integers"
        )


def _require(schema: Any, column: str) -> None:
    if column not in schema.names:
        raise ValueError(f"there is no column {column!r}: the columns are {', '.join(schema.names)}")


def keyed(table: Any, how: Comparison, own: bool) -> Any:
    """Returns the key of each record and where it stands; nothing of records without a key.

    `own` is false for those of another collection, which come first.
    """
    for name in how.order:
        if table.column(name).null_count:
            raise ValueError(f"{APART}: {name!r} has nulls")
    options = {"threads": 1, **how.options}
    key = gridmill.keys(_puzzles(table, how.column), malformed="keep", **options).to_arrow().column("key")
    there = key.is_valid()
    where = table.select(list(how.order)).filter(there)
    columns = {KEY: key.filter(there), OWN: np.full(len(where), own, np.int8)}
    return pa.table({**columns, **{name: _plain(where.column(name)) for name in how.order}})


def with_part(table: Any, parts: int) -> Any:
    """Returns a table of keys with the part of each: a number that is the same for the same key."""
    keys = _bytes(table.column(KEY))
    # Words of eight bytes, each with its own odd weight; what is left over would tell few keys apart.
    words = np.ascontiguousarray(keys[:, : keys.shape[1] // 8 * 8]).view(np.uint64)
    hashes = (words * WEIGHTS[: words.shape[1]]).sum(axis=1, dtype=np.uint64)
    return table.append_column(PART, [((hashes >> np.uint64(32)) % np.uint64(parts)).astype(np.int64)])


def later(table: Any, order: Order, duplicates: bool) -> Any:
    """Returns the own records that are not the first of their key, and that first one.

    Without `duplicates`, only those whose first one is of the other collection.
    """
    table = table.sort_by([(name, "ascending") for name in (KEY, OWN, *order)])
    keys = _bytes(table.column(KEY))
    rows = np.arange(len(keys))
    begins = np.ones(len(keys), bool)
    begins[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    first = np.maximum.accumulate(np.where(begins, rows, 0)) if len(rows) else rows
    own = table.column(OWN).to_numpy().astype(bool)
    found = rows[own & ~begins & (duplicates | ~own[first])]
    where = table.select(list(order))
    _require_apart(where.take(found), where.take(found - 1), own[found - 1])
    firsts = where.take(first[found]).rename_columns([prefix(duplicates) + name for name in order])
    return pa.table({**_columns(where.take(found)), **_columns(firsts)})


def _require_apart(records: Any, before: Any, own: npt.NDArray[np.bool_]) -> None:
    """Raises `ValueError` if a record stands where the one before it does."""
    together = own.copy()
    for name in records.column_names:
        together &= pc.equal(records.column(name), before.column(name)).to_numpy()
    if together.any():
        first = records.slice(int(together.argmax()), 1).to_pylist()[0]
        raise ValueError(
            f"{APART}: two records have {', '.join(f'{name} {at!r}' for name, at in first.items())}"
        )


def select(table: Any, found: list[Any], order: Order, are_within: bool) -> Any:
    """Returns the records of a table that are among those found, and the first one of each; or those that are not."""
    tables = _joined(found, table, order, prefix(not are_within))
    there, at = _positions(table, tables, order)
    if not are_within:
        keep = np.ones(len(table), bool)
        keep[there] = False
        return table.filter(pa.array(keep))
    return pa.table({**_columns(table.take(there)), **_columns(tables.drop_columns(list(order)).take(at))})


def _joined(found: list[Any], table: Any, order: Order, first: str) -> Any:
    """Returns the tables of those found as one, of the types that the table has."""
    kinds = [(name, _plain(table.column(name)).type) for name in order]
    schema = pa.schema(kinds + [(first + name, kind) for name, kind in kinds])
    return pa.concat_tables([schema.empty_table(), *(some.cast(schema) for some in found)])


def bounds(table: Any, order: Order) -> tuple[Any, Any]:
    """Returns what no record stands before, and what no record stands behind."""
    ends = [pc.min_max(_plain(table.column(name))).as_py() for name in order]
    return tuple(end["min"] for end in ends), tuple(end["max"] for end in ends)


def _positions(table: Any, found: Any, order: Order) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns the rows of a table that are among those found, in order, and the rows of these."""
    left = pa.table({**{name: _plain(table.column(name)) for name in order}, "there": np.arange(len(table))})
    right = found.select(list(order)).append_column("at", [np.arange(len(found))])
    both = left.join(right, list(order), join_type="inner", use_threads=False).sort_by("there")
    return both.column("there").to_numpy(), both.column("at").to_numpy()


def _columns(table: Any) -> dict[str, Any]:
    return dict(zip(table.column_names, table.columns, strict=True))


def _puzzles(table: Any, column: str) -> Any:
    """Returns the puzzles of a table as the functions of this package take them."""
    require_puzzles(table.schema, column)
    puzzles = table.column(column)
    if isinstance(puzzles.type, pa.BaseExtensionType):
        # Tensors: of fixed shape, or those of Ray.
        puzzles = pa.chunked_array([chunk.storage for chunk in puzzles.chunks], puzzles.type.storage_type)
    return puzzles


def _plain(column: Any) -> Any:
    """Returns a column as strings, numbers that Spark has too, or what it is."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _plain(column.cast(kind.value_type))
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return column.cast(pa.string())
    if pa.types.is_unsigned_integer(kind):
        return column.cast(pa.int64())
    return column


def _bytes(keys: Any) -> npt.NDArray[np.uint8]:
    """Returns keys as rows of bytes."""
    keys = keys.combine_chunks()
    width = keys.type.byte_width
    data = np.frombuffer(keys.buffers()[1], np.uint8, len(keys) * width, keys.offset * width)
    return data.reshape(-1, width)
