"""gridmill on Ray: its functions for datasets, as tasks of one processor each.

    import gridmill.ray
    puzzles = gridmill.ray.read("/data/puzzles")
    gridmill.ray.solve(puzzles).write_parquet("/data/solved")

Batches are Arrow tables from end to end. Needs `ray[data]` and `pyarrow`. The guide is `docs/clusters.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa
import ray
import ray.data
from ray.data import Dataset
from ray.data.block import BlockMetadata
from ray.data.datasource import ReadTask

from . import _batches
from ._batches import ORDER, Order
from ._shards import Shard, cut

__all__ = ["canon", "count", "dedupe", "duplicates", "minimal", "overlap", "rate", "read", "solve", "verify"]


def read(
    paths: str | Iterable[str],
    *,
    column: str | None = None,
    delimiter: str = ",",
    shard_bytes: int = 64 << 20,
) -> Dataset:
    """Returns the records of files as a dataset; a task reads `shard_bytes` of a file, whatever its size.

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
    dataset: Dataset = ray.data.read_datasource(_Files(shards), override_num_blocks=len(shards))
    return dataset


_Datasource: Any = ray.data.Datasource


class _Files(_Datasource):  # type: ignore[misc]
    """Files that are cut into shards, a task each."""

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
                shard.tables,
                BlockMetadata(
                    num_rows=None, size_bytes=shard.size, input_files=(shard.file,), exec_stats=None
                ),
                schema=shard.schema,
            )
            for shard in self._shards
        ]


def _job(function: str) -> Callable[..., Dataset]:
    """Returns the function for datasets that has the columns of a function for puzzles."""

    def job(dataset: Dataset, *, column: str = "puzzle", threads: int = 1, **options: Any) -> Dataset:
        return _annotate(dataset, function, column, threads, options)

    job.__name__ = job.__qualname__ = function
    job.__doc__ = f"""Returns the dataset with the columns of `gridmill.{function}` behind its own.

    These are {_batches.JOBS[function]}.

    `column` has the puzzles, `options` are those of the function. A record that can't be read is a row of
    status `malformed`. A task takes as many processors as `threads`. A name that is taken gets `gridmill_` in
    front.

    Raises `ValueError` if there is no such column, and `TypeError` if it has no puzzles: at once if the
    columns of the dataset are known, and otherwise when it runs.
    """
    return job


solve, verify, count, rate, canon, minimal = map(_job, _batches.JOBS)


def dedupe(
    dataset: Dataset,
    *,
    against: Dataset | None = None,
    column: str = "puzzle",
    order: Order = ORDER,
    isomorphic: bool = True,
    same_solution: bool = False,
    parts: int = 256,
) -> Dataset:
    """Returns the records of a dataset without duplicates, and without those that are in `against`.

    Of the records that count as the same, the one of least `order` stays, a pair of columns: the file and
    where in it. Together they are different for each record. Records that can't be read stay. What counts as
    the same is said by `isomorphic` and `same_solution`, as for `gridmill.keys`.

    The shuffle runs at once: it moves keys of 41 bytes and the columns of the order, in `parts` parts, each
    of which must fit into the memory of a task. The dataset is read a second time, for its records.
    """
    options = {"isomorphic": isomorphic, "same_solution": same_solution}
    found = _later(dataset, against, column, order, parts, options, "first_", True)
    return _select(dataset, found, order, "first_", "without")


def duplicates(
    dataset: Dataset,
    *,
    against: Dataset | None = None,
    column: str = "puzzle",
    order: Order = ORDER,
    isomorphic: bool = True,
    same_solution: bool = False,
    parts: int = 256,
) -> Dataset:
    """Returns what `dedupe` takes out, and what that is a duplicate of.

    The columns are file and offset of each duplicate, and first_file and first_offset of the one that stays;
    the names are those of `order`.
    """
    options = {"isomorphic": isomorphic, "same_solution": same_solution}
    return _later(dataset, against, column, order, parts, options, "first_", True)


def overlap(
    dataset: Dataset,
    other: Dataset,
    *,
    column: str = "puzzle",
    order: Order = ORDER,
    isomorphic: bool = True,
    same_solution: bool = False,
    parts: int = 256,
) -> Dataset:
    """Returns the records of a dataset that are in another one too.

    Behind their own columns are other_file and other_offset of the first one there; the names are those of
    `order`. Both have a `column` and an `order`, as for `dedupe`.
    """
    options = {"isomorphic": isomorphic, "same_solution": same_solution}
    found = _later(dataset, other, column, order, parts, options, "other_", False)
    return _select(dataset, found, order, "other_", "within")


def _annotate(dataset: Dataset, function: str, column: str, threads: int, options: dict[str, Any]) -> Dataset:
    """Returns the dataset with the columns of a function behind its own."""
    options = {"threads": threads, **options}
    schema = _known_schema(dataset)
    _batches.annotated_schema(schema or pa.schema([(column, pa.string())]), function, column, options)
    arguments = {"function": function, "column": column, "options": options}
    return _map(dataset, _batches.annotate, arguments, num_cpus=threads)


def _later(
    dataset: Dataset,
    other: Dataset | None,
    column: str,
    order: Order,
    parts: int,
    options: dict[str, Any],
    prefix: str,
    duplicates: bool,
) -> Dataset:
    """Returns the records of a dataset that are not the first of their key: see `_batches.later`."""
    keyed = {"column": column, "order": order, "options": {"threads": 1, **options}, "parts": parts}
    keys = []
    for records, own in ((dataset, True), (other, False)):
        if records is None:
            continue
        schema = _known_schema(records)
        if schema is not None:
            _batches.require_puzzles(schema, column)
            _batches.require_order(schema, order)
        keys.append(_map(records, _keyed, {**keyed, "own": own}))
    together = keys[0].union(keys[1]) if other is not None else keys[0]
    grouped: Any = together.groupby(_batches.PART, num_partitions=parts)
    arguments = {"order": order, "prefix": prefix, "duplicates": duplicates}
    found: Dataset = grouped.map_groups(_batches.later, batch_format="pyarrow", fn_kwargs=arguments)
    return found


def _keyed(table: Any, parts: int, **how: Any) -> Any:
    """Returns the key, the place and the part of each record."""
    return _batches.with_part(_batches.keyed(table, **how), parts)


def _select(dataset: Dataset, found: Dataset, order: Order, prefix: str, function: str) -> Dataset:
    """Returns the records of a dataset that are, or are not, among those found.

    These are sorted, so that a task fetches only what lies between the first and the last of its records.
    """
    # Made before it is sorted: to learn its columns, `sort` would make it twice.
    refs = found.materialize().sort(list(order)).to_arrow_refs()
    bounds: Any = ray.remote(_bounds)
    ends = ray.get([bounds.remote(ref, order) for ref in refs])
    blocks = [(*end, ref) for end, ref in zip(ends, refs, strict=True) if end is not None]
    arguments = {"blocks": blocks, "order": order, "prefix": prefix, "function": function}
    return _map(dataset, _select_batch, arguments)


def _bounds(found: Any, order: Order) -> Any:
    """Returns between which records those found are; `None` if there are none."""
    return _batches.bounds(found, order) if len(found) else None


def _select_batch(table: Any, blocks: list[Any], order: Order, prefix: str, function: str) -> Any:
    """Returns the records of a block that `_select` wants."""
    least, greatest = _batches.bounds(table, order)
    near = [ref for first, last, ref in blocks if first <= greatest and last >= least]
    return getattr(_batches, function)(table, ray.get(near), order, prefix)


def _map(dataset: Dataset, function: Any, arguments: dict[str, Any], **how: Any) -> Dataset:
    """Returns what a function makes of the blocks of a dataset."""
    # With batches of so many rows, Ray would wait for as many, and read in tasks apart.
    made: Dataset = dataset.map_batches(
        function, batch_size=None, batch_format="pyarrow", fn_kwargs=arguments, **how
    )
    return made


def _known_schema(dataset: Any) -> Any:
    """Returns the columns of a dataset, or `None` if a task must run to tell."""
    if not isinstance(dataset, Dataset):
        raise TypeError(f"a ray.data.Dataset is needed, not {type(dataset).__name__}")
    schema = getattr(dataset.schema(fetch_if_missing=False), "base_schema", None)
    return schema if isinstance(schema, pa.Schema) else None
