"""gridmill on Spark, with two executors: its results equal those of the program, even if one is killed.

`GRIDMILL_SPARK_PUZZLES` sets the number of puzzles; the default is 20,000. It needs Java 17.
"""

from __future__ import annotations

import datetime
import decimal
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pyspark = pytest.importorskip("pyspark")

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from clusters import (
    COMPARED,
    FORMATS,
    OPTIONS,
    Collection,
    Killer,
    assert_equal,
    make_collection,
    pairs,
    places,
)
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import gridmill.spark

pytestmark = pytest.mark.spark

PUZZLES = int(os.environ.get("GRIDMILL_SPARK_PUZZLES", "20000"))
# Bytes of a shard. Each executor gets several, and each is large enough to be worth a task, because starting
# one takes a while.
SHARD = max(PUZZLES * 82 // 8, 1000)
# Smaller shards, so that an executor can be killed in the middle of them.
SMALL = SHARD // 5
# The number of batches that begin before a worker is killed.
BATCHES = 12


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return make_collection(tmp_path_factory.mktemp("collection"), PUZZLES)


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def read(spark: SparkSession, collection: Collection, shard_bytes: int = SHARD) -> Any:
    return gridmill.spark.read(spark, map(str, collection.files), shard_bytes=shard_bytes)


def table(frame: Any) -> Any:
    """Returns the rows of a data frame."""
    if hasattr(frame, "toArrow"):
        return frame.toArrow()
    return pa.Table.from_batches(frame._collect_as_arrow())  # Spark 3.5


def test_files_of_all_formats_are_read_as_on_one_machine(spark: SparkSession) -> None:
    tables = {path.name: path for path in FORMATS if path.suffix in (".csv", ".jsonl")}
    for paths in (
        [path for path in FORMATS if path.name not in tables],
        *([path] for path in tables.values()),
    ):
        found = table(gridmill.spark.read(spark, paths, shard_bytes=100))
        found = found.sort_by([("file", "ascending"), ("offset", "ascending")])
        assert found.to_pydict() == gridmill.read(paths).to_arrow().to_pydict()


@pytest.mark.parametrize("function", list(COMPARED))
def test_results_equal_those_of_the_program(
    spark: SparkSession, collection: Collection, function: str
) -> None:
    frame = read(spark, collection)
    found = table(getattr(gridmill.spark, function)(frame, **OPTIONS.get(function, {})))
    assert found.column_names[:3] == ["file", "offset", "puzzle"]
    assert_equal(found, collection.rows(function), COMPARED[function])


def test_minimize_does_not_depend_on_the_batches(spark: SparkSession, collection: Collection) -> None:
    found = table(gridmill.spark.minimize(read(spark, collection, SHARD * 8).limit(300), seed=3))
    expected = gridmill.minimize(found["puzzle"], seed=3, by_clues=True, malformed="keep").to_arrow()
    assert found["minimal"].to_pylist() == expected["minimal"].to_pylist()


def test_duplicates_equal_those_of_the_program(spark: SparkSession, collection: Collection) -> None:
    found = collection.duplicates()
    for shard_bytes in (SHARD, SHARD * 3):
        frame = read(spark, collection, shard_bytes)
        assert pairs(table(gridmill.spark.duplicates(frame, isomorphic=True)), "first_") == found
        kept = places(table(gridmill.spark.dedupe(frame, isomorphic=True)))
        assert sorted(kept) == sorted(collection.places() - set(found))


def test_dedupe_removes_puzzles_of_another_collection(spark: SparkSession, collection: Collection) -> None:
    other = gridmill.spark.read(spark, str(collection.other))
    found = collection.duplicates("--against", collection.other)
    frame = read(spark, collection)
    how = {"against": other, "isomorphic": True}
    assert pairs(table(gridmill.spark.duplicates(frame, **how)), "first_") == found
    kept = places(table(gridmill.spark.dedupe(frame, **how)))
    assert set(kept) == collection.places() - set(found)


def test_the_overlap_equals_that_of_the_program(spark: SparkSession, collection: Collection) -> None:
    other = gridmill.spark.read(spark, str(collection.other))
    first = gridmill.spark.read(spark, str(collection.files[0]), shard_bytes=SHARD)
    found = table(gridmill.spark.overlap(other, first, isomorphic=True))
    assert found.column_names == ["file", "offset", "puzzle", "malformed", "other_file", "other_offset"]
    assert pairs(found, "other_") == collection.overlap()


def marked(frame: Any, folder: Path) -> Any:
    """Adds tasks that record their executor to a frame. Once enough have begun, they wait for the kill."""
    name = str(folder)

    def mark(batches: Iterator[Any]) -> Iterator[Any]:
        import pathlib
        import time
        import uuid

        # The executor started a daemon, and the daemon started this process.
        daemon = os.getppid()
        executor = pathlib.Path(f"/proc/{daemon}/stat").read_text().rpartition(")")[2].split()[1]
        (pathlib.Path(name) / f"{executor}_{uuid.uuid4()}").touch()
        # Limited, so that the test fails if nothing kills the job.
        for _ in range(3000):
            if len(os.listdir(name)) < BATCHES or (pathlib.Path(name).parent / "killed").exists():
                break
            time.sleep(0.1)
        yield from batches

    return frame.mapInArrow(mark, frame.schema)


def kill(executors: list[str]) -> bool:
    """Kills an executor that has worked."""
    os.kill(int(executors[0]), signal.SIGKILL)
    return True


@pytest.mark.parametrize("function", ["solve", "dedupe"])
def test_results_are_complete_although_an_executor_is_killed(
    spark: SparkSession, collection: Collection, tmp_path: Path, function: str
) -> None:
    with Killer(tmp_path / "marks", BATCHES, kill) as killer:
        frame = marked(read(spark, collection, SMALL), killer.folder)
        how = {"isomorphic": True} if function == "dedupe" else {}
        found = table(getattr(gridmill.spark, function)(frame, **how))
        assert killer.killed and killer.batches() > 24
    if function == "solve":
        assert_equal(found, collection.rows("solve"), COMPARED["solve"])
    else:
        assert sorted(places(found)) == sorted(collection.places() - set(collection.duplicates()))


def test_lists_of_cells_are_read_and_a_taken_name_gets_a_prefix(spark: SparkSession) -> None:
    frame = spark.createDataFrame([([0] * 81, "mine")], "cells array<int>, status string")
    found = table(gridmill.spark.solve(frame, column="cells"))
    assert found.column_names == ["cells", "status", "solution", "gridmill_status", "guesses", "time_ns"]
    assert found.column("gridmill_status").to_pylist() == ["multiple"]


def test_invalid_arguments_are_refused_before_the_job(spark: SparkSession, collection: Collection) -> None:
    frame = read(spark, collection)
    numbers = spark.range(5)
    other = spark.createDataFrame([(1, 0, "." * 81)], "file long, offset long, puzzle string")
    for call, error, says in [
        (lambda: gridmill.spark.solve(frame, column="quizzes"), ValueError, "no column 'quizzes': the col"),
        (lambda: gridmill.spark.solve(numbers, column="id"), TypeError, "strings or lists of integers"),
        (lambda: gridmill.spark.solve(frame, effort=3), TypeError, "effort"),
        (lambda: gridmill.spark.solve(["1" * 81]), TypeError, "a pyspark.sql.DataFrame is needed"),
        (lambda: gridmill.spark.dedupe(frame, order=("file", "puzzle")), TypeError, "so it has integers"),
        (
            lambda: gridmill.spark.overlap(frame, other, order=("file", "offset")),
            TypeError,
            "'file' is string here and int64 in the other collection",
        ),
    ]:
        with pytest.raises(error, match=says):
            call()


def test_dedupe_keeps_one_new_neighbor_of_each_class(spark: SparkSession) -> None:
    seeds = gridmill.texts(gridmill.generate(30, minimal=True).puzzle)
    records = spark.createDataFrame([*enumerate(seeds)], "id long, puzzle string")
    found = gridmill.spark.neighbors(records)
    known = records.withColumn("neighbor", F.lit(0))
    new = gridmill.spark.dedupe(found, against=known, isomorphic=True, order=("id", "neighbor"))
    listed = gridmill.neighbors(seeds).listed
    again = gridmill.same(listed.canonical).same_as >= 0
    again |= gridmill.same(listed.puzzle, seeds, isomorphic=True).same_as >= 0
    expected = gridmill.texts(listed.puzzle[~again])
    assert found.count() == len(listed)
    assert sorted(table(new)["puzzle"].to_pylist()) == sorted(expected)


def test_equal_puzzles_with_the_same_place_are_an_error(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("a", 0, "." * 81)] * 2, "file string, offset long, puzzle string")
    with pytest.raises(Exception, match="must be different for each record"):
        gridmill.spark.duplicates(frame).count()


def test_an_order_of_nulls_alone_is_an_error(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, "." * 81), (2, "." * 81)], "id long, puzzle string")
    frame = frame.withColumn("source", F.lit(None).cast("string"))
    with pytest.raises(Exception, match="'source' of order= has nulls"):
        gridmill.spark.dedupe(frame, order=("source", "id")).count()


def test_different_records_with_the_same_place_are_not_confused(spark: SparkSession) -> None:
    first, second = gridmill.texts(gridmill.generate(2).puzzle)
    rows = [(1, first), (2, second), (2, first), (2, "12")]
    columns = "id long, `the puzzle` string"
    frame, other = spark.createDataFrame(rows, columns), spark.createDataFrame(rows[:2], columns)
    kept = gridmill.spark.dedupe(frame, column="the puzzle", order="id")
    assert kept.columns == ["id", "the puzzle"]
    assert sorted(map(tuple, kept.collect())) == sorted([(1, first), (2, second), (2, "12")])
    both = gridmill.spark.overlap(frame, other, column="the puzzle", order="id")
    assert both.count() == 3


def test_columns_of_any_name_and_type_are_kept(spark: SparkSession, tmp_path: Path) -> None:
    puzzle = gridmill.texts(gridmill.generate(1).puzzle)[0]
    at = datetime.datetime(2024, 1, 2, 3, 4, 5, 6)
    columns = "puzzle string, `a.b` int, ID int, id int, `x``y` int, at timestamp"
    frame = spark.createDataFrame([(puzzle, 1, 2, 3, 4, at), (puzzle, 5, 6, 7, 8, None)], columns)
    for found in (
        gridmill.spark.solve(frame),
        gridmill.spark.dedupe(frame, order="a.b"),
        gridmill.spark.overlap(frame, frame, order="a.b"),
    ):
        first = min(found.collect(), key=lambda row: row[1])
        assert tuple(first)[:6] == (puzzle, 1, 2, 3, 4, at)
        assert found.columns[:6] == frame.columns
    assert gridmill.spark.duplicates(frame, order="a.b").collect() == [(5, 1)]


def test_new_names_differ_from_others_by_more_than_case(spark: SparkSession, tmp_path: Path) -> None:
    puzzle = gridmill.texts(gridmill.generate(1).puzzle)[0]
    (tmp_path / "a.csv").write_text(f"Puzzle,Status,ID,id\n{puzzle},mine,1,2\n")
    found = gridmill.spark.solve(gridmill.spark.read(spark, str(tmp_path / "a.csv")))
    assert found.columns[4:9] == ["Status", "ID", "own_id", "solution", "gridmill_status"]
    found.write.parquet(str(tmp_path / "solved"))
    assert spark.read.parquet(str(tmp_path / "solved")).select("status", "own_id").collect() == [
        ("mine", "2")
    ]


def test_parquet_of_all_types_is_read(spark: SparkSession, tmp_path: Path) -> None:
    puzzles = gridmill.generate(2).puzzle
    gridmill.write(gridmill.solve(puzzles), tmp_path / "solved.parquet")
    assert gridmill.spark.read(spark, str(tmp_path / "solved.parquet")).collect()[1]["status"] == "unique"
    cells = pa.FixedSizeListArray.from_arrays(pa.array(puzzles.ravel()), 81)
    names = pa.array(["a", None]).dictionary_encode()
    columns = {
        "cells": cells,
        "large": cells.cast(pa.large_list(pa.int64())),
        "names": names,
        "ms": pa.array([1, None], pa.timestamp("ms")),
        "ns": pa.array([1_500, None], pa.timestamp("ns")),
        "long": pa.array([decimal.Decimal("1.5"), None], pa.decimal256(40, 1)),
        "map": pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.uint32())),
        "half": pa.array(np.array([0.5, 1.5], np.float16)),
        "bytes": pa.array([b"a", None], pa.large_binary()),
        "record": pa.array([{"count": 1}, None], pa.struct([("count", pa.uint32())])),
    }
    pq.write_table(pa.table(columns), tmp_path / "types.parquet")
    frame = gridmill.spark.read(spark, str(tmp_path / "types.parquet"), column="cells")
    # In a session of another zone, a timestamp without a zone would be another time if it had the type timestamp.
    assert dict(frame.dtypes)["ms"] == "timestamp_ntz"
    found = gridmill.spark.solve(frame).collect()
    assert [row["status"] for row in found] == ["unique"] * 2
    assert found[0]["ns"].microsecond == 1 and found[0]["long"] == "1.5" and found[0]["map"] == {"a": 1}
    assert found[0]["large"] == puzzles[0].tolist()
    assert found[0]["names"] == "a" and found[0]["record"] == (1,) and found[1]["half"] == 1.5


def test_a_row_with_too_many_fields_is_malformed_in_every_function(
    spark: SparkSession, tmp_path: Path
) -> None:
    puzzle = gridmill.texts(gridmill.generate(1).puzzle)[0]
    (tmp_path / "a.csv").write_text(f"id,puzzle\n1,{puzzle},more\n2,{puzzle}\n3,{puzzle}\n")
    frame = gridmill.spark.read(spark, str(tmp_path / "a.csv"))
    assert [row["status"] for row in gridmill.spark.solve(frame).collect()] == [
        "malformed",
        "unique",
        "unique",
    ]
    assert sorted(row["id"] for row in gridmill.spark.dedupe(frame).collect()) == ["1", "2"]
