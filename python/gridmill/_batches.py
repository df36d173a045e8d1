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

from ._files import FEW, FILE, OFFSET
from ._input import rows_of
from ._jobs import JOBS

Order = tuple[str, ...]
# The columns that say which record comes first, as `read` gives them.
ORDER: Order = (FILE, OFFSET)

# The columns of records on their way to those of the same key, beside those of the order.
PART = "part"
KEY = "key"
OWN = "own"
# The row of a record in its table.
ROW = "gridmill_row"

# What is said of an order that does not tell records apart, or has nulls.
APART = "the columns of the order must be different for each record"

# Powers of an odd number without a pattern.
WEIGHTS = np.cumprod(np.full(64, 0x9E3779B97F4A7C15, np.uint64))

# What clusters add to the options of a function: a batch has no place among the others, so no index may count. Solutions are in a
# column of that name. A row has no list of steps, so these are in an object.
ADDED: dict[str, dict[str, Any]] = {
    "minimize": {"by_clues": True},
    "check": {"solutions": "solution"},
    "explain": {"json": True},
    "hint": {"json": True},
}

# Arguments that name a column of records, which the function for arrays takes in its place.
GIVEN = ("solutions",)

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
    duplicates: bool
    """Whether records are compared with those before them too, or with those of another collection alone."""

    @property
    def firsts(self) -> list[str]:
        """The names of the columns of the first record of a key."""
        return [("first_" if self.duplicates else "other_") + name for name in self.order]


class Cluster(ABC, Generic[Records]):
    """The functions on records that a cluster has: a dataset of Ray, or a data frame of Spark."""

    @abstractmethod
    def annotate(self, records: Records, function: str, column: str, options: dict[str, Any]) -> Records:
        """Returns the records with the columns of a function behind their own: see `annotate`."""

    @abstractmethod
    def later(self, records: Records, others: Records | None, how: Comparison) -> Records:
        """Returns the records that are not the first of their key, and that first one: see `later`."""

    @abstractmethod
    def select(self, records: Records, found: Records, how: Comparison) -> Records:
        """Returns the records that are not among the duplicates found; or those found, and the first one of each."""

    def job(self, function: Callable[..., Any]) -> Callable[..., Records]:
        """Returns a function of this package as one for records."""
        name = function.__name__

        def of_records(
            records: Records, *, column: str = "puzzle", threads: int = 1, **options: Any
        ) -> Records:
            usual = {"threads": threads, "malformed": "keep", **ADDED.get(name, {})}
            return self.annotate(records, name, column, {**usual, **options})

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
        order: str | Order = ORDER,
        parts: int | None = None,
        **options: Any,
    ) -> Records:
        """Returns the records without duplicates, and without those that are in `against`.

        Of the records that count as the same, the one of least `order` stays. These columns, by default the file
        and where in it, are together different for each record, and the last one has integers. Records that can't
        be read stay. What counts as the same is said by the `options` of `gridmill.keys`: `isomorphic`,
        `same_solution`, `shape`.

        The shuffle moves keys of 41 bytes and the columns of the order, in `parts` parts, each of which must fit
        into the memory of a task; in Ray it runs at once. The records are read a second time.
        """
        how = Comparison(column, _columns(order), parts, options, True)
        return self.select(records, self.later(records, against, how), how)

    def duplicates(
        self,
        records: Records,
        *,
        against: Records | None = None,
        column: str = "puzzle",
        order: str | Order = ORDER,
        parts: int | None = None,
        **options: Any,
    ) -> Records:
        """Returns what `dedupe` takes out, and what that is a duplicate of.

        The columns are file and offset of each duplicate, and first_file and first_offset of the one that stays;
        the names are those of `order`.
        """
        return self.later(records, against, Comparison(column, _columns(order), parts, options, True))

    def overlap(
        self,
        records: Records,
        other: Records,
        *,
        column: str = "puzzle",
        order: str | Order = ORDER,
        parts: int | None = None,
        **options: Any,
    ) -> Records:
        """Returns the records that are in another dataset or data frame too.

        Behind their own columns are other_file and other_offset of the first one there; the names are those of
        `order`. Both have a `column` and an `order`, as for `dedupe`.
        """
        how = Comparison(column, _columns(order), parts, options, False)
        return self.select(records, self.later(records, other, how), how)


def _columns(order: str | Order) -> Order:
    """Returns the columns of an order, which may be one by its name."""
    return (order,) if isinstance(order, str) else tuple(order)


def annotate(table: Any, function: str, column: str, options: dict[str, Any]) -> Any:
    """Returns a table with the columns behind its own that a function of this package has for its puzzles.

    A name that is taken gets `gridmill_` in front. A record that can't be read is a row of status
    `malformed`.
    """
    given = {name: _puzzles(table, options[name]) for name in options if name in GIVEN}
    result = _with_place(table, getattr(gridmill, function), _puzzles(table, column), **{**options, **given})
    result = result.to_arrow()
    for name in result.column_names[1 + len(given) :]:
        free = name if name not in table.column_names else f"gridmill_{name}"
        table = table.append_column(free, _plain(result.column(name)))
    return table


def _with_place(table: Any, function: Callable[..., Any], puzzles: Any, **options: Any) -> Any:
    """Returns what a function finds. If a malformed record ends it, the error says where the record stands in the input.

    Raises `ValueError` where no record is a puzzle, because all are of another size.
    """
    try:
        found = function(puzzles, **options)
        verdict = found.verdict if "verdict" in found.columns else found.status
        if options.get("shape") is None and (verdict == "malformed").all():
            _require_no_shape(puzzles)
        return found
    except gridmill.MalformedError as error:
        if not set(ORDER).issubset(table.column_names):
            raise
        file, offset = (table.column(name)[error.record].as_py() for name in ORDER)
        raise ValueError(f"{file}, offset {offset}: {error.reason}") from error


def _require_no_shape(puzzles: Any) -> None:
    """Raises `ValueError` if there are puzzles of a size that should have been said."""
    for shape in rows_of(puzzles, None).shapes():
        if shape is not None:
            raise ValueError(
                f'puzzles of 9x9 cells are expected, and these are of others: say shape="{shape}"'
            )


def _require_puzzles(puzzles: Any, found: Any, column: str) -> None:
    """Raises `ValueError` if none of many records is a puzzle: another column was meant, and nothing would be a duplicate."""
    if len(found) >= FEW and (found.status == "malformed").all():
        reason = gridmill.verify(puzzles[:1]).reason[0]
        raise ValueError(f"column {column!r}: no record is a puzzle; the first one: {reason}")


def require_keys(schema: Any, how: Comparison) -> None:
    """Raises `ValueError` or `TypeError` if there can be no keys, or no record that comes first."""
    gridmill.keys(_puzzles(schema.empty_table(), how.column), **how.options)
    for name in how.order:
        _require(schema, name, "say by order= which columns tell the records apart")
    kind = schema.field(how.order[-1]).type
    if not pa.types.is_integer(kind):
        raise TypeError(
            f"column {how.order[-1]!r} is {kind}: it orders the records of a file, so it has integers; cast it"
        )


def _require(schema: Any, column: str, advice: str) -> None:
    if column not in schema.names:
        raise ValueError(
            f"there is no column {column!r}: the columns are {', '.join(schema.names)}; {advice}"
        )


def keyed(table: Any, how: Comparison, own: bool) -> Any:
    """Returns where each record stands and its key; nothing of records without a key.

    `own` is false for those of another collection, which come first.
    """
    places = _places(table, how)
    for name in how.order:
        if places.column(name).null_count:
            raise ValueError(f"{APART}: {name!r} has nulls")
    options = {"threads": 1, "malformed": "keep", **how.options}
    found = _with_place(table, gridmill.keys, _puzzles(table, how.column), **options)
    _require_puzzles(_puzzles(table, how.column), found, how.column)
    key = found.to_arrow().column("key")
    keys = places.append_column(KEY, key).filter(key.is_valid())
    return keys.append_column(OWN, [np.full(len(keys), own, np.int8)])


def with_part(table: Any, parts: int) -> Any:
    """Returns a table of keys with the part of each: a number that is the same for the same key."""
    keys = _bytes(table.column(KEY))
    # Words of eight bytes, each with its own odd weight; what is left over would tell few keys apart.
    words = np.ascontiguousarray(keys[:, : keys.shape[1] // 8 * 8]).view(np.uint64)
    hashes = (words * WEIGHTS[: words.shape[1]]).sum(axis=1, dtype=np.uint64)
    return table.append_column(PART, [((hashes >> np.uint64(32)) % np.uint64(parts)).astype(np.int64)])


def later(table: Any, how: Comparison) -> Any:
    """Returns the own records that are not the first of their key, and that first one.

    Without `how.duplicates`, only those whose first one is of the other collection.
    """
    table = table.sort_by([(name, "ascending") for name in (KEY, OWN, *how.order)])
    keys = _bytes(table.column(KEY))
    rows = np.arange(len(keys))
    begins = np.ones(len(keys), bool)
    begins[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    first = np.maximum.accumulate(np.where(begins, rows, 0))
    own = table.column(OWN).to_numpy().astype(bool)
    found = rows[own & ~begins & (how.duplicates | ~own[first])]
    where = table.select(list(how.order))
    _require_apart(where.take(found), where.take(found - 1), own[found - 1])
    return _beside(where.take(found), where.take(first[found]).rename_columns(how.firsts))


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


def select(table: Any, found: list[Any], how: Comparison) -> Any:
    """Returns the records of a table that are not among the duplicates found; or those found, and the first one of each."""
    places = _places(table, how)
    schema = pa.schema([*places.schema, *places.rename_columns(how.firsts).schema])
    tables = pa.concat_tables([schema.empty_table(), *(some.cast(schema) for some in found)])
    rows = places.append_column(ROW, [np.arange(len(table))])
    kind = "left anti" if how.duplicates else "inner"
    chosen = rows.join(tables, list(how.order), join_type=kind, use_threads=False).sort_by(ROW)
    table = table.take(chosen.column(ROW))
    return table if how.duplicates else _beside(table, chosen.select(how.firsts))


def bounds(table: Any, how: Comparison) -> tuple[Any, Any]:
    """Returns what no record stands before, and what no record stands behind."""
    ends = [pc.min_max(column).as_py() for column in _places(table, how).columns]
    return tuple(end["min"] for end in ends), tuple(end["max"] for end in ends)


def _places(table: Any, how: Comparison) -> Any:
    """Returns where the records of a table stand."""
    return pa.table({name: _plain(table.column(name)) for name in how.order})


def _beside(table: Any, more: Any) -> Any:
    """Returns a table with the columns of another one behind its own."""
    for name in more.column_names:
        table = table.append_column(name, more.column(name))
    return table


def _puzzles(table: Any, column: str) -> Any:
    """Returns the puzzles of a table as the functions of this package take them.

    Raises `ValueError` if there is no such column, and `TypeError` if it can't hold puzzles.
    """
    _require(table.schema, column, "name that of the puzzles by column=, and that of solutions by solutions=")
    puzzles = table.column(column)
    if isinstance(puzzles.type, pa.BaseExtensionType):
        # Tensors: of fixed shape, or those of Ray.
        puzzles = pa.chunked_array([chunk.storage for chunk in puzzles.chunks], puzzles.type.storage_type)
    try:
        rows_of(puzzles[:0], None)
    except TypeError as error:
        what = f"column {column!r} is {puzzles.type}: puzzles are strings or lists of integers"
        raise TypeError(what) from error
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
