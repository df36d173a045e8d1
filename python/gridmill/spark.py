"""gridmill on Spark: its functions for data frames, as tasks of one processor each.

    import gridmill.spark
    puzzles = gridmill.spark.read(spark, "/data/puzzles")
    gridmill.spark.solve(puzzles).write.parquet("/data/solved")

Batches are Arrow tables from end to end. Needs `pyspark`, version 3.5 or later, and `pyarrow`. The guide is
`docs/clusters.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from . import _batches
from ._batches import KEY, ORDER, OWN, Order
from ._shards import cut

__all__ = ["canon", "count", "dedupe", "duplicates", "minimal", "overlap", "rate", "read", "solve", "verify"]


def read(
    spark: SparkSession,
    paths: str | Iterable[str],
    *,
    column: str | None = None,
    delimiter: str = ",",
    shard_bytes: int = 64 << 20,
) -> DataFrame:
    """Returns the records of files as a data frame; a task reads `shard_bytes` of a file, whatever its size.

    A path is that of a file, or of a folder for all files that are right in it; also a URI such as
    `s3://bucket/folder`. Files named `.parquet` are Parquet; others are CSV with a header if `column` is
    given, and text with a puzzle a line if not. A record is one line. Those named `.gz`, `.zst` and `.bz2`
    are unpacked, each by one task.

    The columns are `file`, `offset` (where the record begins in the file: the byte, or in Parquet the row,
    from 0), and `puzzle` or all columns of the file. Those of CSV are strings.

    Raises `FileNotFoundError` for a path that does not exist, and `ValueError` if there are no records, if a
    file lacks the column, or if files have different columns.
    """
    shards = cut(paths, column, delimiter, shard_bytes)

    def tables(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for table in shards[number].tables():
                    yield from table.to_batches()

    numbers = spark.range(0, len(shards), 1, numPartitions=len(shards))
    return numbers.mapInArrow(tables, from_arrow_schema(shards[0].schema))


def _job(function: str) -> Callable[..., DataFrame]:
    """Returns the function for data frames that has the columns of a function for puzzles."""

    def job(frame: DataFrame, *, column: str = "puzzle", threads: int = 1, **options: Any) -> DataFrame:
        return _annotate(frame, function, column, threads, options)

    job.__name__ = job.__qualname__ = function
    job.__doc__ = f"""Returns the data frame with the columns of `gridmill.{function}` behind its own.

    These are {_batches.JOBS[function]}.

    `column` has the puzzles, `options` are those of the function. A record that can't be read is a row of
    status `malformed`. With more `threads`, set `spark.task.cpus` to as many. A name that is taken gets
    `gridmill_` in front.

    Raises `ValueError` if there is no such column, and `TypeError` if it has no puzzles.
    """
    return job


solve, verify, count, rate, canon, minimal = map(_job, _batches.JOBS)


def dedupe(
    frame: DataFrame,
    *,
    against: DataFrame | None = None,
    column: str = "puzzle",
    order: Order = ORDER,
    isomorphic: bool = True,
    same_solution: bool = False,
) -> DataFrame:
    """Returns the records of a data frame without duplicates, and without those that are in `against`.

    Of the records that count as the same, the one of least `order` stays, a pair of columns: the file and
    where in it. Together they are different for each record. Records that can't be read stay. What counts as
    the same is said by `isomorphic` and `same_solution`, as for `gridmill.keys`.

    The shuffle moves keys of 41 bytes and the columns of the order. The data frame is read a second time, for
    its records.
    """
    options = {"isomorphic": isomorphic, "same_solution": same_solution}
    found = _later(frame, against, column, order, options, "first_", True)
    return frame.join(found, list(order), "left_anti")


def duplicates(
    frame: DataFrame,
    *,
    against: DataFrame | None = None,
    column: str = "puzzle",
    order: Order = ORDER,
    isomorphic: bool = True,
    same_solution: bool = False,
) -> DataFrame:
    """Returns what `dedupe` takes out, and what that is a duplicate of.

    The columns are file and offset of each duplicate, and first_file and first_offset of the one that stays;
    the names are those of `order`.
    """
    options = {"isomorphic": isomorphic, "same_solution": same_solution}
    return _later(frame, against, column, order, options, "first_", True)


def overlap(
    frame: DataFrame,
    other: DataFrame,
    *,
    column: str = "puzzle",
    order: Order = ORDER,
    isomorphic: bool = True,
    same_solution: bool = False,
) -> DataFrame:
    """Returns the records of a data frame that are in another one too.

    Behind their own columns are other_file and other_offset of the first one there; the names are those of
    `order`. Both have a `column` and an `order`, as for `dedupe`.
    """
    options = {"isomorphic": isomorphic, "same_solution": same_solution}
    found = _later(frame, other, column, order, options, "other_", False)
    return frame.join(found, list(order)).select(*frame.columns, *("other_" + name for name in order))


def _annotate(
    frame: DataFrame, function: str, column: str, threads: int, options: dict[str, Any]
) -> DataFrame:
    """Returns the data frame with the columns of a function behind its own."""
    options = {"threads": threads, **options}
    schema = _batches.annotated_schema(_schema(frame), function, column, options)
    return _map(frame, lambda table: _batches.annotate(table, function, column, options), schema)


def _later(
    frame: DataFrame,
    other: DataFrame | None,
    column: str,
    order: Order,
    options: dict[str, Any],
    prefix: str,
    duplicates: bool,
) -> DataFrame:
    """Returns the records of a data frame that are not the first of their key, and that first one.

    Without `duplicates`, only those whose first one is of the other data frame.
    """
    keys = _keys(frame, column, order, True, options)
    if other is not None:
        keys = keys.unionAll(_keys(other, column, order, False, options))
    same = Window.partitionBy(KEY).orderBy(OWN, *order)
    record = F.struct(OWN, *order)
    firsts = F.first(record).over(same).alias("first")
    before = F.lag(record).over(same).alias("before")
    later = keys.select(OWN, *order, record.alias("record"), firsts, before)
    chosen = (F.col(OWN) == 1) & F.col("before").isNotNull()
    if not duplicates:
        chosen &= F.col(f"first.{OWN}") == 0
    chosen &= F.when(F.col("before") == F.col("record"), F.raise_error(_batches.APART)).otherwise(F.lit(True))
    return later.where(chosen).select(
        *order, *(F.col(f"first.{name}").alias(prefix + name) for name in order)
    )


def _keys(frame: DataFrame, column: str, order: Order, own: bool, options: dict[str, Any]) -> DataFrame:
    """Returns the key of each record and where it stands; nothing of records without a key."""
    schema = _schema(frame)
    _batches.require_puzzles(schema, column)
    _batches.require_order(schema, order)
    options = {"threads": 1, **options}
    fields = [(KEY, pa.binary()), (OWN, pa.int8()), *((name, schema.field(name).type) for name in order)]
    return _map(frame, lambda table: _batches.keyed(table, column, order, own, options), pa.schema(fields))


def _map(frame: DataFrame, function: Callable[[Any], Any], schema: Any) -> DataFrame:
    """Returns what a function makes of the Arrow tables of a data frame."""

    def tables(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from function(pa.Table.from_batches([batch])).cast(schema).to_batches()

    return frame.mapInArrow(tables, from_arrow_schema(schema))


def _schema(frame: DataFrame) -> Any:
    """Returns the columns of a data frame."""
    if not isinstance(frame, DataFrame):
        raise TypeError(f"a pyspark.sql.DataFrame is needed, not {type(frame).__name__}")
    return to_arrow_schema(frame.schema)
