"""gridmill on Spark: its functions for data frames, as tasks of one processor each.

    import gridmill.spark
    puzzles = gridmill.spark.read(spark, "/data/puzzles")
    gridmill.spark.solve(puzzles).write.parquet("/data/solved")

Batches are Arrow tables from end to end. Needs `pyspark`, version 3.5 or later, and `pyarrow`. The guide is
`docs/clusters.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from inspect import signature
from operator import and_
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from . import _batches
from ._batches import APART, KEY, MARK, OWN, Cluster, Comparison
from ._files import Paths, cut, plain_tables, schema
from ._input import Shape
from ._jobs import CLUSTER_JOBS

__all__ = list(_batches.FUNCTIONS)


def read(
    spark: SparkSession,
    paths: Paths,
    *,
    column: str | int | None = None,
    delimiter: str | None = None,
    shape: Shape = None,
    header: bool = True,
    shard_bytes: int = 64 << 20,
) -> DataFrame:
    """Returns the records of files as a data frame.

    Files, columns, arguments and errors are those of `gridmill.read`. A task reads a shard of `shard_bytes`, whatever the
    size of its file. Compressed files, and files whose puzzles span several lines, are one shard each. All nodes must be
    able to read the files.
    """
    shards = cut(paths, column, delimiter, shape, header, shard_bytes)
    fields = schema(shards[0])
    columns = pa.schema([(field.name, _batches.plain_type(field.type)) for field in fields])
    names: list[str] = []
    for name in columns.names:
        names.append(_batches.free_name(name, names, "own"))

    def tables(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for table in plain_tables(shards[number], columns):
                    yield from table.rename_columns(names).to_batches()

    numbers = spark.range(0, len(shards), 1, numPartitions=len(shards))
    kinds = zip(names, columns.types, strict=True)
    return numbers.mapInArrow(tables, _spark_schema(pa.schema(kinds)))


class _Spark(Cluster[DataFrame]):
    """The functions on data frames of Spark."""

    def schema(self, records: DataFrame) -> Any:
        return _schema(records)

    def annotate(self, records: DataFrame, function: str, column: str, options: dict[str, Any]) -> DataFrame:
        schema = _batches.annotate(_schema(records).empty_table(), function, column, options).schema
        return _map(
            records, lambda table: _batches.annotate_in_portions(table, function, column, options), schema
        )

    def repeats(self, records: DataFrame, others: DataFrame | None, comparison: Comparison) -> DataFrame:
        keys = _keys(records, comparison, True)
        if others is not None:
            keys = keys.unionAll(_keys(others, comparison, False))
        if comparison.parts is not None:
            keys = keys.repartition(comparison.parts, KEY)
        place = keys.columns[: len(comparison.place)]
        order = place[: len(comparison.order)]
        same = Window.partitionBy(KEY).orderBy(OWN, *order)
        record = F.struct(OWN, *order)
        firsts = F.first(record).over(same).alias("first")
        before = F.lag(record).over(same).alias("before")
        later = keys.select(OWN, *place, record.alias("record"), firsts, before)
        chosen = (F.col(OWN) == 1) & F.col("before").isNotNull()
        if not comparison.within:
            chosen &= F.col(f"first.{OWN}") == 0
        which = F.concat_ws(", ", *(F.col(name).cast("string") for name in order))
        error = F.raise_error(
            F.concat(F.lit(f"{APART}: two records have {', '.join(comparison.order)} "), which)
        )
        is_apart = F.when(F.col("before") == F.col("record"), error)
        found = later.where(chosen & is_apart.otherwise(F.lit(True)))
        return found.select(*place, *(f"first.{name}" for name in order)).toDF(
            *comparison.place, *comparison.firsts
        )

    def select(self, records: DataFrame, found: DataFrame, comparison: Comparison) -> DataFrame:
        columns = records.columns
        marked = _marked(records, comparison.column)
        place = [*(marked.columns[columns.index(name)] for name in comparison.order), MARK]
        found_place = [f"place{number}" for number in range(len(place))]
        firsts = [f"first{number}" for number in range(len(comparison.firsts))]
        found = found.toDF(*found_place, *firsts)
        # Nulls are compared too, because Spark leaves out the other side, and its errors, if a column has only nulls.
        pairs = zip(place, found_place, strict=True)
        is_found = reduce(and_, (marked[name].eqNullSafe(found[other]) for name, other in pairs))
        if comparison.within:
            return marked.join(found, is_found, "left_anti").select(*marked.columns[:-1]).toDF(*columns)
        names = [_batches.free_name(name, columns) for name in comparison.firsts]
        return marked.join(found, is_found).select(*marked.columns[:-1], *firsts).toDF(*columns, *names)


def _keys(frame: DataFrame, comparison: Comparison, own: bool) -> DataFrame:
    """The place and the key of each record that has a key. Columns of the place have names without special characters."""
    schema = _schema(frame)
    if comparison.marks:
        columns = frame.columns
        frame = _marked(frame, comparison.column if own else comparison.other_column).toDF(*columns, MARK)
        schema = _schema(frame)
    places = ((f"place{number}", schema.field(name).type) for number, name in enumerate(comparison.place))
    fields = pa.schema([*places, (KEY, pa.binary()), (OWN, pa.int8())])
    return _map(
        frame, lambda table: [_batches.keyed(table, comparison, own).rename_columns(fields.names)], fields
    )


def _marked(frame: DataFrame, column: str) -> DataFrame:
    """A data frame with plain names and the mark of each record, by Spark alone."""
    plain = _plain_names(frame)
    return plain.withColumn(MARK, F.xxhash64(plain.columns[frame.columns.index(column)]))


def _plain_names(frame: DataFrame) -> DataFrame:
    """A data frame with other names, because Spark takes a name with a dot for a field of a column, and `ID` for `id`."""
    return frame.toDF(*(f"column{number}" for number in range(len(frame.columns))))


def _map(frame: DataFrame, function: Callable[[Any], Iterable[Any]], schema: Any) -> DataFrame:
    """Applies a function to the Arrow tables of a data frame. It makes tables of each."""
    names = frame.columns

    def tables(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for table in function(pa.Table.from_batches([batch]).rename_columns(names)):
                yield from table.cast(schema).to_batches()

    return _plain_names(frame).mapInArrow(tables, _spark_schema(schema))


def _spark_schema(columns: Any) -> Any:
    """The schema of Spark for columns of Arrow. A timestamp without a zone stays one; before 4.3 one must ask for that."""
    can_ask = "prefer_timestamp_ntz" in signature(from_arrow_schema).parameters
    options: Any = {"prefer_timestamp_ntz": True} if can_ask else {}
    return from_arrow_schema(columns, **options)


def _schema(frame: DataFrame) -> Any:
    """The columns of a data frame."""
    if not isinstance(frame, DataFrame):
        raise TypeError(f"a pyspark.sql.DataFrame is needed, not {type(frame).__name__}")
    # From 4.3 on, Spark needs the time zone of timestamps.
    takes_zone = "timezone" in signature(to_arrow_schema).parameters
    zone: Any = {"timezone": frame.sparkSession.conf.get("spark.sql.session.timeZone")} if takes_zone else {}
    return to_arrow_schema(frame.schema, **zone)


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
) = map(_CLUSTER.job, CLUSTER_JOBS)
dedupe, duplicates, overlap = _CLUSTER.dedupe, _CLUSTER.duplicates, _CLUSTER.overlap
