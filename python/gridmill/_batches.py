"""The work of a Ray or Spark task on a batch of records, which is an Arrow table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from inspect import getdoc
from textwrap import dedent
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

import gridmill

from ._files import FEW, FILE, MALFORMED, OFFSET, reasons_of
from ._input import Shape, given_records, whole
from ._jobs import CLUSTER_JOBS

Order = tuple[str, ...]
# The columns that order records, as `read` returns them.
ORDER: Order = (FILE, OFFSET)

# Extra columns of keys during the shuffle, besides those of the order.
PART = "gridmill_part"
KEY = "gridmill_key"
OWN = "gridmill_own"
# The row of a record in its table.
ROW = "gridmill_row"
# A hash of the puzzle as it was given. With it, records that have the same place by mistake are not taken for one another.
MARK = "gridmill_mark"

# The message for an order that has the same values for two records that count as the same.
APART = "the columns of order= must be different for each record"

# Powers of an odd constant that has no pattern in its bits, so that hashes are well distributed.
WEIGHTS = np.cumprod(np.full(64, 0x9E3779B97F4A7C15, np.uint64))

# Options that clusters add to a function. Results must not depend on the index of a puzzle, because a task
# does not know where its batch is in the collection, so `minimize` goes by the clues. `check` takes its
# solutions from a column. A row can't have a list of steps, so these are JSON.
ADDED: dict[str, dict[str, Any]] = {
    "minimize": {"by_clues": True},
    "check": {"solutions": "solution"},
    "explain": {"json": True},
    "hint": {"json": True},
}

# Arguments that are a name of a column here, and the column itself in the function for arrays.
GIVEN = ("solutions",)

# Arguments of functions for arrays that a task can't take, and why.
LOCAL = {
    "progress": "a task reports none; Ray and Spark show which tasks are done",
    "words": "a row has no list of steps; text=True describes them in words",
    "by_clues": "a task does not know where its batch is, so orders always depend on the clues",
}

# The functions of a cluster.
FUNCTIONS = sorted(["read", "dedupe", "duplicates", "overlap", *(job.__name__ for job in CLUSTER_JOBS)])

# The function that has a row for each neighbor instead of one for each record.
NEIGHBORS = "neighbors"

JOB_DOC = """\
    Returns the records with the columns of `gridmill.{name}` after their own. A record that can't be read is a row of
    status `malformed`. If a name is already taken, `gridmill_` is prefixed.
{usual}"""

NEIGHBORS_DOC = """\
    Returns a row for each neighbor of the records: the columns of its record, then `neighbor`, its number from 1 among
    those of the record, `puzzle`, `canonical`, `removed` and `added`. If the record has one of these names, `own_` is
    prefixed there, e.g. `own_puzzle`. A record without neighbors, e.g. one that can't be read, has no row.
{usual}"""

USUAL_DOC = """
    `column` has the puzzles, `options` are those of the function. `threads` is the number of threads of a task
    (1 by default); in Spark, set `spark.task.cpus` to the same number.

    Raises `ValueError` if there is no such column or no record of a batch of 100 or more is a puzzle, and `TypeError` if it
    can't hold puzzles: at once if the columns are known, and otherwise when it runs.

    The function for arrays:
    """

Records = TypeVar("Records")


@dataclass(frozen=True)
class Comparison:
    """How records are compared. Their puzzles are in `column`, and `options` are those of `gridmill.keys`."""

    column: str
    other_column: str
    """The column of the other collection."""
    order: Order
    parts: int | None
    """The number of parts that keys are shuffled into, if the user gave one."""
    options: dict[str, Any]
    within: bool
    """Whether records are also compared with earlier ones of the same collection, or only with another one."""
    marks: bool
    """Whether the places of duplicates have a mark, because records are looked up by them."""

    @property
    def place(self) -> Order:
        """The columns of the place of a record."""
        return (*self.order, MARK) if self.marks else self.order

    @property
    def firsts(self) -> list[str]:
        """The names of the columns of the first record of a key."""
        return [("first_" if self.within else "other_") + name for name in self.order]


class Cluster(ABC, Generic[Records]):
    """The functions on records that a cluster has: a dataset of Ray, or a data frame of Spark."""

    @abstractmethod
    def schema(self, records: Records) -> Any:
        """The columns of records. None if only running a task can find them."""

    @abstractmethod
    def annotate(self, records: Records, function: str, column: str, options: dict[str, Any]) -> Records:
        """The records with the columns of a function after their own: see `annotate_in_portions`."""

    @abstractmethod
    def repeats(self, records: Records, others: Records | None, comparison: Comparison) -> Records:
        """The records whose key an earlier record has: see `repeats`."""

    @abstractmethod
    def select(self, records: Records, found: Records, comparison: Comparison) -> Records:
        """With `comparison.within` the records that are not in `found`, otherwise those that are: see `kept_records`."""

    def job(self, function: Callable[..., Any]) -> Callable[..., Records]:
        """A function of this package, turned into one for records."""
        name = function.__name__

        def of_records(
            records: Records, *, column: str = "puzzle", threads: int = 1, **options: Any
        ) -> Records:
            for local, reason in LOCAL.items():
                if local in options:
                    raise TypeError(f"{local}: not an argument on clusters, because {reason}")
            usual = {"threads": threads, "malformed": "keep", **ADDED.get(name, {})}
            return self.annotate(records, name, column, {**usual, **options})

        of_records.__name__ = of_records.__qualname__ = name
        lead = NEIGHBORS_DOC if name == NEIGHBORS else JOB_DOC
        of_records.__doc__ = f"{dedent(lead.format(name=name, usual=USUAL_DOC))}\n{getdoc(function)}"
        return of_records

    def dedupe(
        self,
        records: Records,
        *,
        against: Records | None = None,
        column: str = "puzzle",
        order: str | Order = ORDER,
        parts: int | None = None,
        isomorphic: bool = False,
        same_solution: bool = False,
        shape: Shape = None,
    ) -> Records:
        """Returns the records without duplicates, and without those that are in `against`.

        Of the records that count as the same, the first by `order` is kept. These columns (by default the file and the
        offset in it) must together be different for each of them, and the last one must have integers. Records that can't
        be read are kept. `isomorphic`, `same_solution` and `shape` say what counts as the same, as in `gridmill.keys`.

        The shuffle moves keys of 41 bytes and the columns of the order, in `parts` parts, each of which must fit
        into the memory of a task; in Ray it runs at once. The records are read a second time.
        """
        comparison = _comparison(column, order, parts, isomorphic, same_solution, shape)
        return self.select(records, self._checked_repeats(records, against, comparison), comparison)

    def duplicates(
        self,
        records: Records,
        *,
        against: Records | None = None,
        column: str = "puzzle",
        order: str | Order = ORDER,
        parts: int | None = None,
        isomorphic: bool = False,
        same_solution: bool = False,
        shape: Shape = None,
    ) -> Records:
        """Returns the records that `dedupe` removes, and of which record each is a duplicate.

        The columns are file and offset of each duplicate, and first_file and first_offset of the one that is kept;
        the names are those of `order`.
        """
        comparison = replace(_comparison(column, order, parts, isomorphic, same_solution, shape), marks=False)
        return self._checked_repeats(records, against, comparison)

    def overlap(
        self,
        records: Records,
        other: Records,
        *,
        column: str = "puzzle",
        other_column: str | None = None,
        order: str | Order = ORDER,
        parts: int | None = None,
        isomorphic: bool = False,
        same_solution: bool = False,
        shape: Shape = None,
    ) -> Records:
        """Returns the records that are in another dataset or data frame too.

        After their own columns they have other_file and other_offset, the place of the first equal record there. The names
        are those of `order`; if one is already taken, `gridmill_` is prefixed. Both have an `order`, as for `dedupe`, and a
        `column`, or the other one an `other_column`.
        """
        comparison = _comparison(column, order, parts, isomorphic, same_solution, shape)
        comparison = replace(comparison, other_column=other_column or column, within=False)
        return self.select(records, self._checked_repeats(records, other, comparison), comparison)

    def _checked_repeats(self, records: Records, others: Records | None, comparison: Comparison) -> Records:
        """`repeats`, if the columns that are known are right."""
        schema = self.schema(records)
        if schema is not None:
            require_keys(schema, comparison, True)
        other_schema = None if others is None else self.schema(others)
        if other_schema is not None:
            require_keys(other_schema, comparison, False)
            require_same_order(schema, other_schema, comparison)
        return self.repeats(records, others, comparison)


def _comparison(
    column: str,
    order: str | Order,
    parts: int | None,
    isomorphic: bool,
    same_solution: bool,
    shape: Shape,
) -> Comparison:
    """The comparison of `dedupe` for these arguments. `order` may be the name of a single column."""
    if parts is not None:
        whole("parts", parts, 1)
    options = {"isomorphic": isomorphic, "same_solution": same_solution, "shape": shape}
    columns = (order,) if isinstance(order, str) else tuple(order)
    if not columns:
        raise ValueError("order=(): expected one column or more, whose values tell records apart")
    return Comparison(column, column, columns, parts, options, within=True, marks=True)


def annotate_in_portions(table: Any, function: str, column: str, options: dict[str, Any]) -> Iterator[Any]:
    """The tables of `annotate`. Each has the neighbors of only a few records, because a record may have thousands."""
    if function != NEIGHBORS:
        yield annotate(table, function, column, options)
        return
    if len(table) >= FEW:
        _require_puzzle(*_puzzles_and_reasons(table, column), options.get("shape"))
    # Batches of fewer than FEW records are not checked: the whole table was, and a portion may lack a puzzle.
    portion = FEW - 1
    for start in range(0, max(len(table), 1), portion):
        yield annotate(table.slice(start, portion), function, column, options)


def annotate(table: Any, function: str, column: str, options: dict[str, Any]) -> Any:
    """Runs a function of this package on the puzzles of a table, and appends its columns.

    If a name is already taken, `gridmill_` is prefixed. A record that can't be read is a row of status `malformed`.
    """
    given = {name: _puzzles(table, options[name], name) for name in options if name in GIVEN}
    puzzles, reasons = _puzzles_and_reasons(table, column)
    result = _run_naming_place(table, getattr(gridmill, function), puzzles, reasons, **{**options, **given})
    if function == NEIGHBORS:
        return _with_neighbors(table, result.listed)
    result = result.to_arrow()
    for name in result.column_names[1 + len(given) :]:
        values = _plain(result.column(name))
        if name == "reason" and reasons is not None:
            values = pc.coalesce(reasons, values)
        table = table.append_column(free_name(name, table.column_names), values)
    return table


def _with_neighbors(table: Any, listed: gridmill.Neighbors) -> Any:
    """A row for each neighbor: the columns of its record, its number there, and its own columns. The neighbors are in
    the column `puzzle`, so that other functions find them there."""
    numbers = np.arange(1, len(listed) + 1) - listed.offsets[listed.record]
    found = listed.to_arrow().set_column(0, "neighbor", [numbers])
    names = found.column_names
    for name in table.column_names:
        names.append(free_name(name, names, "own"))
    rows = table.take(listed.record).rename_columns(names[found.num_columns :])
    for name in found.column_names:
        rows = rows.append_column(name, _plain(found.column(name)))
    return rows


def free_name(name: str, taken: list[str], prefix: str = "gridmill") -> str:
    """A free name for a column. If the name is taken, it is `gridmill_status`, `gridmill_status_2` and so on, as in the
    command. Upper and lower case count as equal, because Spark compares names so."""
    known = {other.lower() for other in taken}
    free, number = name if name.lower() not in known else f"{prefix}_{name}", 2
    while free.lower() in known:
        free, number = f"{prefix}_{name}_{number}", number + 1
    return free


def _run_naming_place(
    table: Any, function: Callable[..., Any], puzzles: Any, reasons: Any, **options: Any
) -> Any:
    """Runs a function on puzzles. If a malformed record ends it, the error has the file and offset of the record, so that
    the user can find it in the input, and its reason, which is among `reasons` if the record was already malformed.

    Raises `ValueError` if no record of many is a puzzle, e.g. because all have another size.
    """
    try:
        found = function(puzzles, **options)
        verdict = found.verdict if "verdict" in found.columns else found.status
        if len(found) >= FEW and (verdict == "malformed").all():
            _require_puzzle(puzzles, reasons, options.get("shape"))
        return found
    except gridmill.MalformedError as error:
        if not set(ORDER).issubset(table.column_names):
            raise
        file, offset = (table.column(name)[error.record].as_py() for name in ORDER)
        known = None if reasons is None else reasons[error.record].as_py()
        part = "solution: " if error.name in GIVEN else ""
        raise ValueError(f"{file}, offset {offset}: {known or part + error.reason}") from error


def _require_puzzle(puzzles: Any, reasons: Any, shape: Shape) -> None:
    """Raises `ValueError` if no record is a puzzle: the column is probably wrong, or all puzzles have another size.

    A batch with few records may have only malformed ones, e.g. at the end of a file.
    """
    found = gridmill.keys(puzzles, shape=shape, malformed="keep")
    if not (found.status == "malformed").all():
        return
    sizes = (
        [size for size in given_records(puzzles, None).shapes() if size is not None] if shape is None else []
    )
    if sizes:
        raise ValueError(
            f'puzzles of 9x9 cells are expected, but these are of others: say shape="{sizes[0]}"'
        )
    if reasons is not None and reasons.null_count == 0:
        raise ValueError(
            f"no record of {len(puzzles):,} is a puzzle, as their column {MALFORMED!r} says; the first one: {reasons[0].as_py()}"
        )
    reason = gridmill.verify(puzzles[:1], shape=shape).reason[0]
    raise ValueError(
        f"no record of {len(puzzles):,} is a puzzle: another column= or shape= is needed; the first one: {reason}"
    )


def require_keys(schema: Any, comparison: Comparison, own: bool) -> None:
    """Raises `ValueError` or `TypeError` if the columns have no puzzles to make keys of, or no order of records."""
    column = comparison.column if own else comparison.other_column
    argument = "column" if own else "other_column"
    gridmill.keys(_puzzles(schema.empty_table(), column, argument), **comparison.options)
    _require_order(schema, comparison)


def require_same_order(schema: Any, other_schema: Any, comparison: Comparison) -> None:
    """Raises `TypeError` if a column of the order has another type in the other collection."""
    if schema is None:
        return
    for name in comparison.order:
        kind, other_kind = (plain_type(columns.field(name).type) for columns in (schema, other_schema))
        if kind != other_kind and not (pa.types.is_integer(kind) and pa.types.is_integer(other_kind)):
            raise TypeError(
                f"column {name!r} is {kind} here and {other_kind} in the other collection: cast one of them, because both are sorted together"
            )


def _require_order(schema: Any, comparison: Comparison) -> None:
    """Raises `ValueError` if a column of the order is missing, and `TypeError` if the last one has no integers."""
    for name in comparison.order:
        _require(schema, name, "say by order= which columns tell the records apart")
        kind = schema.field(name).type
        if pa.types.is_nested(kind):
            raise TypeError(f"column {name!r} is {kind}: it can't order records")
    kind = schema.field(comparison.order[-1]).type
    if not pa.types.is_integer(kind) and not pa.types.is_null(kind):
        raise TypeError(
            f"column {comparison.order[-1]!r} is {kind}: it orders the records of a file, so it has integers; cast it, e.g. to int64"
        )


def _require(schema: Any, column: str, advice: str) -> None:
    if column not in schema.names:
        raise ValueError(
            f"there is no column {column!r}: the columns are {', '.join(schema.names)}; {advice}"
        )


def keyed(table: Any, comparison: Comparison, own: bool) -> Any:
    """The place and the key of each record that has a key.

    `own` is false for the other collection, whose records sort first.
    """
    _require_order(table.schema, comparison)
    column = comparison.column if own else comparison.other_column
    places = _places(table, comparison, column)
    for name in comparison.order:
        if places.column(name).null_count:
            raise ValueError(
                f"column {name!r} of order= has nulls, which have no place in an order: fill them, or leave the column out"
            )
    options = {"threads": 1, "malformed": "keep", **comparison.options}
    found = _run_naming_place(table, gridmill.keys, *_puzzles_and_reasons(table, column), **options)
    key = found.to_arrow().column("key")
    keys = places.append_column(KEY, key).filter(key.is_valid())
    return keys.append_column(OWN, [np.full(len(keys), own, np.int8)])


def with_part(table: Any, parts: int) -> Any:
    """A table of keys with the part of each. Equal keys have the same part, so that one task can compare them."""
    hashes = _hashes(_bytes(table.column(KEY)))
    return table.append_column(PART, [((hashes >> np.uint64(32)) % np.uint64(parts)).astype(np.int64)])


def _hashes(keys: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """A hash of each key: its words of eight bytes, each with an odd weight of its own."""
    # The bytes that are left over are ignored, because few keys differ only there.
    words = np.ascontiguousarray(keys[:, : keys.shape[1] // 8 * 8]).view(np.uint64)
    hashes: npt.NDArray[np.uint64] = (words * WEIGHTS[: words.shape[1]]).sum(axis=1, dtype=np.uint64)
    return hashes


def repeats(table: Any, comparison: Comparison) -> Any:
    """The duplicates among the own records, each with the place of the first record with its key (the columns `comparison.firsts`).

    Without `comparison.within`, only duplicates of records of the other collection.
    """
    table = table.sort_by([(name, "ascending") for name in (KEY, OWN, *comparison.order)])
    keys = _bytes(table.column(KEY))
    rows = np.arange(len(keys))
    begins = np.ones(len(keys), bool)
    begins[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    first = np.maximum.accumulate(np.where(begins, rows, 0))
    own = table.column(OWN).to_numpy().astype(bool)
    found = rows[own & ~begins & (comparison.within | ~own[first])]
    where = table.select(list(comparison.order))
    _require_apart(where.take(found), where.take(found - 1), own[found - 1])
    places = table.select(list(comparison.place)).take(found)
    return _beside(places, where.take(first[found]).rename_columns(comparison.firsts))


def _require_apart(records: Any, before: Any, own: npt.NDArray[np.bool_]) -> None:
    """Raises `ValueError` if two records have the same place, because then the order does not decide which is first."""
    together = own.copy()
    for name in records.column_names:
        together &= pc.equal(records.column(name), before.column(name)).to_numpy()
    if together.any():
        first = records.slice(int(together.argmax()), 1).to_pylist()[0]
        raise ValueError(
            f"{APART}: two records have {', '.join(f'{name} {at!r}' for name, at in first.items())}"
        )


def kept_records(table: Any, found: list[Any], comparison: Comparison) -> Any:
    """With `comparison.within` the records of a table that are not in `found`, otherwise those that are, with the place of the
    first record of each."""
    places = _places(table, comparison, comparison.column)
    firsts = places.select(list(comparison.order)).rename_columns(comparison.firsts)
    schema = pa.schema([*places.schema, *firsts.schema])
    tables = pa.concat_tables([schema.empty_table(), *(some.cast(schema) for some in found)])
    rows = places.append_column(ROW, [np.arange(len(table))])
    kind = "left anti" if comparison.within else "inner"
    chosen = rows.join(tables, list(comparison.place), join_type=kind, use_threads=False).sort_by(ROW)
    table = table.take(chosen.column(ROW))
    return table if comparison.within else _beside(table, chosen.select(comparison.firsts))


def bounds(table: Any, comparison: Comparison) -> tuple[Any, Any]:
    """A lower and an upper bound of the places of the records, so that tasks fetch only blocks in between."""
    ends = [pc.min_max(_ordered(table, name)).as_py() for name in comparison.order]
    return tuple(end["min"] for end in ends), tuple(end["max"] for end in ends)


def _places(table: Any, comparison: Comparison, column: str) -> Any:
    """The places of the records of a table: the columns of the order, and a mark made of the puzzle in `column`, unless the
    table has one."""
    places = {name: _ordered(table, name) for name in comparison.place if name in table.column_names}
    if comparison.marks and MARK not in places:
        keys = gridmill.keys(_puzzles(table, column), shape=comparison.options["shape"], malformed="keep")
        places[MARK] = pa.array(_hashes(keys.key).view(np.int64))
    return pa.table(places)


def _ordered(table: Any, name: str) -> Any:
    """A column of the order. Raises `ValueError` if a value has no place among those of Spark, e.g. an integer of 2^63."""
    column = table.column(name)
    try:
        return _plain(column)
    except pa.ArrowInvalid as error:
        raise ValueError(
            f"column {name!r} of order= is {column.type}, and is compared as {plain_type(column.type)}: {error}; cast it before"
        ) from error


def _beside(table: Any, more: Any) -> Any:
    """A table with the columns of another one after its own."""
    for name in more.column_names:
        table = table.append_column(free_name(name, table.column_names), more.column(name))
    return table


def _puzzles(table: Any, column: str, argument: str = "column") -> Any:
    """The puzzles of a table, in a form that the functions of this package take."""
    return _puzzles_and_reasons(table, column, argument)[0]


def _puzzles_and_reasons(table: Any, column: str, argument: str = "column") -> tuple[Any, Any]:
    """The puzzles of a table, and the `reasons_of` its malformed records, which have no puzzle.

    Raises `ValueError` if there is no such column, and `TypeError` if it can't hold puzzles.
    """
    _require(table.schema, column, f"name the right one by {argument}=")
    puzzles = table.column(column)
    if isinstance(puzzles.type, pa.BaseExtensionType):
        # Tensors: those of fixed shape, or those of Ray.
        puzzles = pa.chunked_array([chunk.storage for chunk in puzzles.chunks], puzzles.type.storage_type)
    try:
        given_records(puzzles[:0], None)
    except TypeError as error:
        what = f"column {column!r} is {puzzles.type}: puzzles are strings or lists of integers; numbers have lost digits, so read files with `read`, or this column as text"
        raise TypeError(what) from error
    reasons = reasons_of(table)
    if reasons is not None:
        # One may be malformed although its puzzle could be read, e.g. if its row has a field too many.
        puzzles = pc.if_else(pc.is_valid(reasons), pa.scalar(None, puzzles.type), puzzles)
    return puzzles, reasons


def _plain(column: Any) -> Any:
    """A column in a type that Spark has too."""
    return column.cast(plain_type(column.type))


def plain_type(kind: Any) -> Any:
    """A type that Spark has too, for the values of a type: no dictionaries, large strings, unsigned numbers, times of day,
    or bytes and lists of fixed size."""
    types = pa.types
    if types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if types.is_large_string(kind) or types.is_string_view(kind):
        return pa.string()
    if types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return pa.binary()
    if types.is_duration(kind):
        return pa.duration("us")
    if types.is_time(kind):
        return pa.string()
    if types.is_unsigned_integer(kind):
        return pa.int64()
    if types.is_float16(kind):
        return pa.float32()
    if types.is_decimal256(kind):
        return pa.decimal128(kind.precision, kind.scale) if kind.precision <= 38 else pa.string()
    if types.is_map(kind):
        return pa.map_(plain_type(kind.key_type), plain_type(kind.item_type))
    if types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return pa.list_(plain_type(kind.value_type))
    if types.is_struct(kind):
        return pa.struct([field.with_type(plain_type(field.type)) for field in kind])
    return kind


def _bytes(keys: Any) -> npt.NDArray[np.uint8]:
    """Keys as rows of bytes."""
    keys = keys.combine_chunks()
    width = keys.type.byte_width
    data = np.frombuffer(keys.buffers()[1], np.uint8, len(keys) * width, keys.offset * width)
    return data.reshape(-1, width)
