"""gridmill on Ray, on three nodes: its results equal those of the program, even if a node is killed.

`GRIDMILL_RAY_PUZZLES` sets the number of puzzles; the default is 20,000.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

import numpy as np
import pyarrow as pa
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
from ray.cluster_utils import Cluster

import gridmill.ray

pytestmark = pytest.mark.ray

PUZZLES = int(os.environ.get("GRIDMILL_RAY_PUZZLES", "20000"))
# Bytes of a shard. Each node gets several, and each is large enough to be worth a task, because starting one
# takes a while.
SHARD = max(PUZZLES * 82 // 8, 1000)
# Smaller shards, so that a node can be killed in the middle of them.
SMALL = SHARD // 5
# The number of batches that begin before a worker is killed.
BATCHES = 12
NODE: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 256 << 20, "include_dashboard": False}
# The cluster notices a dead node within seconds. Idle workers are kept, because starting one takes seconds on
# a busy machine.
SYSTEM = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 1000,
    "health_check_failure_threshold": 8,
    "num_workers_soft_limit": 4,
    "idle_worker_killing_time_threshold_ms": 600_000,
    # Normal priority. With Ray's default, workers took minutes to start while a build was running.
    "worker_niceness": 0,
}


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return make_collection(tmp_path_factory.mktemp("collection"), PUZZLES)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    cluster = Cluster(initialize_head=True, head_node_args={**NODE, "_system_config": SYSTEM})
    try:
        for _ in range(2):
            cluster.add_node(**NODE)
        ray.init(cluster.address, log_to_driver=False, logging_level="error")
        ray.data.DataContext.get_current().enable_progress_bars = False
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()


def read(collection: Collection, shard_bytes: int = SHARD) -> Any:
    return gridmill.ray.read(map(str, collection.files), shard_bytes=shard_bytes)


def table(dataset: Any) -> Any:
    """Returns the rows of a dataset."""
    # Blocks without rows may have no columns.
    return pa.concat_tables(ray.get(dataset.to_arrow_refs()), promote_options="default")


def test_files_of_all_formats_are_read_as_on_one_machine(cluster: Any) -> None:
    tables = {path.name: path for path in FORMATS if path.suffix in (".csv", ".jsonl")}
    for paths in (
        [path for path in FORMATS if path.name not in tables],
        *([path] for path in tables.values()),
    ):
        found = table(gridmill.ray.read(paths, shard_bytes=100))
        found = found.sort_by([("file", "ascending"), ("offset", "ascending")])
        assert found.to_pydict() == gridmill.read(paths).to_arrow().to_pydict()


@pytest.mark.parametrize("function", list(COMPARED))
def test_results_equal_those_of_the_program(cluster: Any, collection: Collection, function: str) -> None:
    found = table(getattr(gridmill.ray, function)(read(collection), **OPTIONS.get(function, {})))
    assert found.column_names[:3] == ["file", "offset", "puzzle"]
    assert_equal(found, collection.rows(function), COMPARED[function])


def test_minimize_does_not_depend_on_the_batches(cluster: Any, collection: Collection) -> None:
    found = table(gridmill.ray.minimize(read(collection).limit(300), seed=3))
    expected = gridmill.minimize(found["puzzle"], seed=3, by_clues=True, malformed="keep").to_arrow()
    assert found["minimal"].to_pylist() == expected["minimal"].to_pylist()


def test_duplicates_equal_those_of_the_program(cluster: Any, collection: Collection) -> None:
    found = collection.duplicates()
    for shard_bytes, parts in ((SHARD, 8), (SHARD * 3, None)):
        dataset = read(collection, shard_bytes)
        how = {"parts": parts, "isomorphic": True}
        assert pairs(table(gridmill.ray.duplicates(dataset, **how)), "first_") == found
        kept = places(table(gridmill.ray.dedupe(dataset, **how)))
        assert len(kept) == len(set(kept))
        assert set(kept) == collection.places() - set(found)


def test_dedupe_removes_puzzles_of_another_collection(cluster: Any, collection: Collection) -> None:
    other = gridmill.ray.read(str(collection.other))
    found = collection.duplicates("--against", collection.other)
    dataset = read(collection)
    how = {"against": other, "parts": 4, "isomorphic": True}
    assert pairs(table(gridmill.ray.duplicates(dataset, **how)), "first_") == found
    kept = places(table(gridmill.ray.dedupe(dataset, **how)))
    assert set(kept) == collection.places() - set(found)


def test_the_overlap_equals_that_of_the_program(cluster: Any, collection: Collection) -> None:
    other = gridmill.ray.read(str(collection.other))
    first = gridmill.ray.read(str(collection.files[0]), shard_bytes=SHARD)
    found = table(gridmill.ray.overlap(other, first, parts=4, isomorphic=True))
    assert found.column_names == ["file", "offset", "puzzle", "malformed", "other_file", "other_offset"]
    assert pairs(found, "other_") == collection.overlap()


def marked(dataset: Any, folder: Path) -> Any:
    """Adds tasks that record their node to a dataset. Once enough have begun, they wait for the kill."""
    name = str(folder)

    def mark(batch: Any) -> Any:
        import os
        import time
        import uuid

        import ray

        (pathlib.Path(name) / f"{ray.get_runtime_context().get_node_id()}_{uuid.uuid4()}").touch()
        # Limited, so that the test fails if nothing kills the job.
        for _ in range(3000):
            if len(os.listdir(name)) < BATCHES or (pathlib.Path(name).parent / "killed").exists():
                break
            time.sleep(0.1)
        return batch

    return dataset.map_batches(mark, batch_format="pyarrow", batch_size=None)


def kill_in(cluster: Any) -> Callable[[list[str]], bool]:
    """Returns a function that kills a node that has worked, except the first one, which runs the cluster."""

    def kill(marks: list[str]) -> bool:
        for node in cluster.worker_nodes:
            if node.node_id in marks:
                node.kill_raylet()
                return True
        return False

    return kill


@pytest.mark.parametrize("function", ["solve", "dedupe"])
def test_results_are_complete_although_a_node_is_killed(
    cluster: Any, collection: Collection, tmp_path: Path, function: str
) -> None:
    while sum(node["Alive"] for node in ray.nodes()) < 3:
        cluster.add_node(**NODE)
    with Killer(tmp_path / "marks", BATCHES, kill_in(cluster)) as killer:
        dataset = marked(read(collection, SMALL), killer.folder)
        if function == "solve":
            found = table(gridmill.ray.solve(dataset))
        else:
            found = table(gridmill.ray.dedupe(dataset, parts=8, isomorphic=True))
        assert killer.killed and killer.batches() > 24
    assert sum(not node["Alive"] for node in ray.nodes()) >= 1
    if function == "solve":
        assert_equal(found, collection.rows("solve"), COMPARED["solve"])
    else:
        assert sorted(places(found)) == sorted(collection.places() - set(collection.duplicates()))


def test_arrays_of_cells_are_read_and_a_taken_name_gets_a_prefix(cluster: Any) -> None:
    cells = np.zeros((3, 81), np.uint8)
    dataset = ray.data.from_numpy(cells).add_column("status", lambda batch: ["mine"] * len(batch))
    found = table(gridmill.ray.solve(dataset, column="data"))
    assert found.column_names == ["data", "status", "solution", "gridmill_status", "guesses", "time_ns"]
    assert found.column("gridmill_status").to_pylist() == ["multiple"] * 3


def test_invalid_arguments_are_refused_before_the_job(cluster: Any, collection: Collection) -> None:
    dataset = read(collection)
    numbers = ray.data.range(5)
    for call, error, says in [
        (
            lambda: gridmill.ray.solve(dataset, column="quizzes"),
            ValueError,
            "no column 'quizzes': the columns",
        ),
        (lambda: gridmill.ray.solve(numbers, column="id"), TypeError, "strings or lists of integers"),
        (lambda: gridmill.ray.solve(dataset, effort=3), TypeError, "effort"),
        (lambda: gridmill.ray.solve(["1" * 81]), TypeError, "a ray.data.Dataset is needed"),
        (lambda: gridmill.ray.dedupe(dataset, order=("file", "puzzle")), TypeError, "so it has integers"),
        (lambda: gridmill.ray.dedupe(numbers, column="id"), TypeError, "strings or lists of integers"),
        (
            lambda: gridmill.ray.dedupe(gridmill.ray.verify(puzzles_with_id("a")), order="id"),
            TypeError,
            "column 'id' is string",
        ),
        (
            lambda: gridmill.ray.overlap(puzzles_with_id("a"), puzzles_with_id(1), order=("id", "row")),
            TypeError,
            "'id' is string here and int64 in the other collection",
        ),
    ]:
        with pytest.raises(error, match=says):
            call()


def puzzles_with_id(identifier: str | int) -> Any:
    """A puzzle with the columns `id` and `row`, twice."""
    rows = pa.table({"id": [identifier] * 2, "row": pa.array([1, 2], pa.int32()), "puzzle": ["." * 81] * 2})
    return ray.data.from_arrow(rows)


def test_columns_of_an_order_may_be_integers_of_two_types(cluster: Any) -> None:
    other = ray.data.from_arrow(pa.table({"row": [7], "puzzle": ["." * 81]}))
    found = table(gridmill.ray.overlap(puzzles_with_id("a"), other, order="row", parts=2))
    assert found.column("other_row").to_pylist() == [7, 7]


def test_dedupe_keeps_one_new_neighbor_of_each_class(cluster: Any) -> None:
    seeds = gridmill.texts(gridmill.generate(30, minimal=True).puzzle)
    records = ray.data.from_items(
        [{"id": number, "puzzle": seed} for number, seed in enumerate(seeds)], override_num_blocks=3
    )
    found = gridmill.ray.neighbors(records)
    known = records.add_column("neighbor", lambda rows: [0] * len(rows))
    new = gridmill.ray.dedupe(found, against=known, isomorphic=True, order=("id", "neighbor"))
    listed = gridmill.neighbors(seeds).listed
    again = gridmill.same(listed.canonical).same_as >= 0
    again |= gridmill.same(listed.puzzle, seeds, isomorphic=True).same_as >= 0
    expected = gridmill.texts(listed.puzzle[~again])
    assert found.count() == len(listed)
    assert sorted(table(new)["puzzle"].to_pylist()) == sorted(expected)


def test_order_may_be_a_single_column(cluster: Any) -> None:
    rows = [
        {"id": number, "puzzle": "." * (80 - number % 2) + "1" * (1 + number % 2)} for number in (3, 2, 1)
    ]
    for order in ("id", ("id",)):
        found = table(gridmill.ray.duplicates(ray.data.from_items(rows), order=order, parts=2))
        assert found.to_pylist() == [{"id": 3, "first_id": 1}]


def test_malformed_records_are_never_duplicates(cluster: Any) -> None:
    dataset = ray.data.from_arrow(pa.table({"id": [1, 2], "puzzle": ["12", "12"]}))
    assert gridmill.ray.duplicates(dataset, order="id").count() == 0
    assert gridmill.ray.dedupe(dataset, order="id").count() == 2


def test_malformed_records_are_kept_unless_malformed_is_raise(cluster: Any) -> None:
    dataset = ray.data.from_arrow(pa.table({"puzzle": pa.nulls(3)}))
    assert table(gridmill.ray.solve(dataset))["status"].to_pylist() == ["malformed"] * 3
    with pytest.raises(Exception, match=r"puzzles\[0\]: expected a puzzle"):
        gridmill.ray.solve(dataset, malformed="raise").materialize()


def test_equal_puzzles_with_the_same_place_are_an_error(cluster: Any) -> None:
    rows = [{"file": "a", "offset": 0, "puzzle": "." * 81}] * 2
    with pytest.raises(ValueError, match="must be different for each record"):
        gridmill.ray.dedupe(ray.data.from_items(rows), parts=2)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([None, "a"], "'key' of order= has nulls"),
        (pa.array([2**64 - 1, 1], pa.uint64()), "'key' of order= is uint64"),
        ([[1], [2]], r"'key' is list<\w+: int64>: it can't order"),
    ],
)
def test_values_without_an_order_are_an_error(cluster: Any, values: Any, message: str) -> None:
    records = pa.table({"key": values, "id": [1, 2], "puzzle": ["." * 81] * 2})
    with pytest.raises((ValueError, TypeError), match=message):
        gridmill.ray.dedupe(ray.data.from_arrow(records), order=("key", "id"))


def test_columns_of_the_order_may_have_any_name(cluster: Any) -> None:
    rows = [{"part": 1, "key": "a", "own": 3 - number, "puzzle": "." * 81} for number in range(3)]
    kept = gridmill.ray.dedupe(ray.data.from_items(rows), order=("part", "key", "own"), parts=2)
    assert table(kept)["own"].to_pylist() == [1]


def test_different_records_with_the_same_place_are_not_confused(cluster: Any) -> None:
    first, second = gridmill.texts(gridmill.generate(2).puzzle)
    rows = [(1, first), (2, second), (2, first), (2, "12")]
    dataset = ray.data.from_items([{"id": number, "puzzle": puzzle} for number, puzzle in rows])
    kept = table(gridmill.ray.dedupe(dataset, order="id", parts=2)).to_pylist()
    assert sorted((row["id"], row["puzzle"]) for row in kept) == sorted([(1, first), (2, second), (2, "12")])
