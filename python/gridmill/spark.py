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
from ._batches import KEY, MARK, OWN, Cluster, Comparison
from ._files import Paths, cut, plain_tables, schema
from ._input import Shape
from ._jobs import JOBS

__all__ = list(_batches.FUNCTIONS)


def read(
    spark: SparkSession,
    paths: Paths,
    *,
    column: str | int | None = None,
    delimiter: str | None = None,
    shape: Shape = None,
    shard_bytes: int = 64 << 20,
) -> DataFrame:
    """Returns the records of files as a data frame.

    Files, columns, arguments and errors are those of `gridmill.read`. A task reads a shard of `shard_bytes`, whatever the
    size of its file. Compressed files, and files whose puzzles span several lines, are one shard each. All nodes must be
    able to read the files.
    """
    shards = cut(paths, column, delimiter, shape, shard_bytes)
    columns = schema(shards[0])

    def tables(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for table in plain_tables(shards[number], columns):
                    yield from table.to_batches()

    numbers = spark.range(0, len(shards), 1, numPartitions=len(shards))
    return numbers.mapInArrow(tables, from_arrow_schema(columns))


class _Spark(Cluster[DataFrame]):
    """The functions on data frames of Spark."""

    def annotate(self, records: DataFrame, function: str, column: str, options: dict[str, Any]) -> DataFrame:
        schema = _batches.annotate(_schema(records).empty_table(), function, column, options).schema
        return _map(
            records, lambda table: _batches.annotate_in_portions(table, function, column, options), schema
        )

    def repeats(self, records: DataFrame, others: DataFrame | None, how: Comparison) -> DataFrame:
        order = how.order
        keys = _keys(records, how, True)
        if others is not None:
            keys = keys.unionAll(_keys(others, how, False))
        if how.parts is not None:
            keys = keys.repartition(how.parts, KEY)
        same = Window.partitionBy(KEY).orderBy(OWN, *order)
        record = F.struct(OWN, *order)
        firsts = F.first(record).over(same).alias("first")
        before = F.lag(record).over(same).alias("before")
        later = keys.select(OWN, *how.place, record.alias("record"), firsts, before)
        chosen = (F.col(OWN) == 1) & F.col("before").isNotNull()
        if not how.duplicates:
            chosen &= F.col(f"first.{OWN}") == 0
        is_apart = F.when(F.col("before") == F.col("record"), F.raise_error(_batches.APART))
        names = [F.col(f"first.{name}").alias(first) for name, first in zip(order, how.firsts, strict=True)]
        return later.where(chosen & is_apart.otherwise(F.lit(True))).select(*how.place, *names)

    def select(self, records: DataFrame, found: DataFrame, how: Comparison) -> DataFrame:
        marked = _marked(records, how.column)
        if how.duplicates:
            # A join moves the columns of the place to the front, so this restores their order.
            return marked.join(found, list(how.place), "left_anti").select(*records.columns)
        names = [_batches.free_name(name, records.columns) for name in how.firsts]
        found = found.toDF(*how.place, *names)
        return marked.join(found, list(how.place)).select(*records.columns, *names)


def _keys(frame: DataFrame, how: Comparison, own: bool) -> DataFrame:
    """The place and the key of each record that has a key."""
    schema = _schema(frame)
    _batches.require_keys(schema, how, own)
    if how.marks:
        frame = _marked(frame, how.column if own else how.other_column)
        schema = _schema(frame)
    places = ((name, schema.field(name).type) for name in how.place)
    fields = [*places, (KEY, pa.binary()), (OWN, pa.int8())]
    return _map(frame, lambda table: [_batches.keyed(table, how, own)], pa.schema(fields))


def _marked(frame: DataFrame, column: str) -> DataFrame:
    """A data frame with the mark of each record, by Spark alone."""
    quoted = column.replace("`", "``")
    return frame.withColumn(MARK, F.xxhash64(F.col(f"`{quoted}`")))


def _map(frame: DataFrame, function: Callable[[Any], Iterable[Any]], schema: Any) -> DataFrame:
    """Applies a function to the Arrow tables of a data frame. It makes tables of each."""

    def tables(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for table in function(pa.Table.from_batches([batch])):
                yield from table.cast(schema).to_batches()

    return frame.mapInArrow(tables, from_arrow_schema(schema))


def _schema(frame: DataFrame) -> Any:
    """The columns of a data frame."""
    if not isinstance(frame, DataFrame):
        raise TypeError(f"a pyspark.sql.DataFrame is needed, not {type(frame).__name__}")
    return to_arrow_schema(frame.schema)


_CLUSTER = _Spark()
(
    solve,
    verify,
    check,
    count,
    rate,
    canon,
    backdoors,
    unavoidable,
    minimal,
    minimize,
    candidates,
    explain,
    hint,
    neighbors,
) = map(_CLUSTER.job, JOBS)
dedupe, duplicates, overlap = _CLUSTER.dedupe, _CLUSTER.duplicates, _CLUSTER.overlap
