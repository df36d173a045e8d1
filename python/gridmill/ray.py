"""gridmill on Ray: its functions for datasets, as tasks of one processor each.

    import gridmill.ray
    puzzles = gridmill.ray.read("/data/puzzles")
    gridmill.ray.solve(puzzles).write_parquet("/data/solved")

Batches are Arrow tables from end to end. Needs `ray[data]` and `pyarrow`. The guide is `docs/clusters.md`.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pyarrow as pa
import ray
import ray.data
from ray.data import Dataset
from ray.data.block import BlockMetadata
from ray.data.context import ShuffleStrategy
from ray.data.datasource import ReadTask
from ray.exceptions import RayTaskError

from . import _batches
from ._batches import Cluster, Comparison
from ._files import Paths, Shard, cut, plain_tables, schema
from ._input import Shape
from ._jobs import CLUSTER_JOBS

__all__ = list(_batches.FUNCTIONS)

LEAST = (2, 48)
if tuple(map(int, ray.__version__.split(".")[:2])) < LEAST:
    raise ImportError(
        f"gridmill.ray needs Ray {LEAST[0]}.{LEAST[1]} or later, found {ray.__version__}: pip install -U 'ray[data]'"
    )

# The number of records whose keys make one part of the shuffle, if the user gives no number of parts. Each
# part costs a task, so there should be few; but a part must fit into the memory of a task.
RECORDS_A_PART = 500_000

# With at most that many parts, keys are shuffled by sorting. For a million records it takes half the time,
# because Ray's usual shuffle starts a process for each part. With more parts, sorting makes too many objects:
# one for each block and part.
FEW_PARTS = 64


def read(
    paths: Paths,
    *,
    column: str | int | None = None,
    delimiter: str | None = None,
    shape: Shape = None,
    header: bool = True,
    shard_bytes: int = 64 << 20,
) -> Dataset:
    """Returns the records of files as a dataset.

    Files, columns, arguments and errors are those of `gridmill.read`. A task reads a shard of `shard_bytes`, whatever the
    size of its file. Compressed files, and files whose puzzles span several lines, are one shard each. All nodes must be
    able to read the files.
    """
    shards = cut(paths, column, delimiter, shape, header, shard_bytes)
    dataset: Dataset = ray.data.read_datasource(_Files(shards), override_num_blocks=len(shards))
    return dataset


_Datasource: Any = ray.data.Datasource


class _Files(_Datasource):  # type: ignore[misc]
    """Files that are cut into shards. Each shard is a task."""

    def __init__(self, shards: list[Shard]) -> None:
        super().__init__()
        self._shards = shards

    def get_name(self) -> str:
        return "Puzzles"

    def estimate_inmemory_data_size(self) -> int | None:
        return sum(shard.size or 0 for shard in self._shards) or None

    def get_read_tasks(self, parallelism: int, *_args: Any, **_more: Any) -> list[ReadTask]:
        return [
            ReadTask(
                partial(plain_tables, shard, schema(self._shards[0])),
                BlockMetadata(
                    num_rows=None, size_bytes=shard.size, input_files=(str(shard.file),), exec_stats=None
                ),
                schema=schema(self._shards[0]),
            )
            for shard in self._shards
        ]


class _Ray(Cluster[Dataset]):
    """The functions on datasets of Ray."""

    def schema(self, records: Dataset) -> Any:
        if not isinstance(records, Dataset):
            raise TypeError(f"a ray.data.Dataset is needed, not {type(records).__name__}")
        schema = getattr(records.schema(fetch_if_missing=False), "base_schema", None)
        return schema if isinstance(schema, pa.Schema) else None

    def annotate(self, records: Dataset, function: str, column: str, options: dict[str, Any]) -> Dataset:
        given = [options[name] for name in _batches.GIVEN if name in options]
        schema = self.schema(records) or pa.schema([(name, pa.string()) for name in [column, *given]])
        _batches.annotate(schema.empty_table(), function, column, options)
        arguments = {"function": function, "column": column, "options": options}
        return _map(records, _batches.annotate_in_portions, arguments, num_cpus=options["threads"])

    def repeats(self, records: Dataset, others: Dataset | None, comparison: Comparison) -> Dataset:
        keys: Dataset = _keys(records, comparison, True)
        if others is not None:
            keys = keys.union(_keys(others, comparison, False))
        # Materialized, because the number of parts depends on the number of keys.
        keys = _materialized(keys)
        if not keys.count():
            # Ray can't group a dataset without rows, because it has no columns.
            return keys
        parts = comparison.parts or keys.count() // RECORDS_A_PART + _processors()
        keys = _map(keys, _batches.with_part, {"parts": parts})
        if parts <= FEW_PARTS:
            keys.context.shuffle_strategy = ShuffleStrategy.SORT_SHUFFLE_PULL_BASED
        grouped: Any = keys.groupby(_batches.PART, num_partitions=parts)
        found: Dataset = grouped.map_groups(
            _batches.repeats, batch_format="pyarrow", fn_kwargs={"comparison": comparison}
        )
        return found

    def select(self, records: Dataset, found: Dataset, comparison: Comparison) -> Dataset:
        # Sorted, so that a task fetches only blocks with places between those of its first and last record.
        # Both are materialized, because `sort` and `to_arrow_refs` would otherwise run a lazy dataset twice,
        # once to learn its columns.
        found = _materialized(found)
        refs = _materialized(found.sort(list(comparison.order))).to_arrow_refs() if found.count() else []
        bounds: Any = ray.remote(_bounds)
        ends = ray.get([bounds.remote(ref, comparison) for ref in refs])
        blocks = [(*end, ref) for end, ref in zip(ends, refs, strict=True) if end is not None]
        return _map(records, _select, {"blocks": blocks, "comparison": comparison})


def _keys(dataset: Dataset, comparison: Comparison, own: bool) -> Dataset:
    """The place and the key of each record."""
    return _map(dataset, _batches.keyed, {"comparison": comparison, "own": own})


def _processors() -> int:
    """The number of processors of the cluster."""
    resources: Any = ray.cluster_resources
    return int(resources().get("CPU", 1))


def _bounds(found: Any, comparison: Comparison) -> Any:
    """The bounds of the places of the duplicates in a block. None if there are none."""
    return _batches.bounds(found, comparison) if len(found) else None


def _select(table: Any, blocks: list[Any], comparison: Comparison) -> Any:
    """The records of a block that are (or are not) duplicates. It fetches only blocks with places near its own."""
    least, greatest = _batches.bounds(table, comparison)
    near = [ref for first, last, ref in blocks if first <= greatest and last >= least]
    return _batches.kept_records(table, ray.get(near), comparison)


def _map(dataset: Dataset, function: Any, arguments: dict[str, Any], **options: Any) -> Dataset:
    """Applies a function to the blocks of a dataset."""
    # `batch_size=None` keeps blocks as they are. With a size, Ray would collect rows until a batch is full,
    # in tasks apart from reading.
    made: Dataset = dataset.map_batches(
        function, batch_size=None, batch_format="pyarrow", fn_kwargs=arguments, **options
    )
    return made


def _materialized(dataset: Dataset) -> Dataset:
    """The dataset after its tasks have run. An error of this package is raised as it is, e.g. a `ValueError`, because Ray raises one of
    its own, which has only the text of the error in the task."""
    try:
        made: Dataset = dataset.materialize()
    except RayTaskError as error:
        raised = re.findall(r"^(ValueError|TypeError): (.+)$", str(error), re.MULTILINE)
        if not raised:
            raise
        kind, text = raised[-1]
        raise (ValueError if kind == "ValueError" else TypeError)(text) from error
    return made


_CLUSTER = _Ray()
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
