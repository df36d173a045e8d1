"""A stand-in for the parts of torch that the recipes use, because torch is a download of gigabytes.

The workers of the loader are forked processes, as in torch. The recipe has also been run by hand with torch.
"""

from __future__ import annotations

import multiprocessing
import types
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple


class Tensor(NamedTuple):
    """An array, with its names in torch."""

    array: Any

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    @property
    def dtype(self) -> str:
        return f"torch.{self.array.dtype}"

    def numpy(self) -> Any:
        return self.array


class DataLoader:
    """Returns the items of a data set for the keys of a sampler, in order. Workers make the items."""

    dataset: Any = None

    def __init__(self, dataset: Any, *, sampler: Iterable[Any], num_workers: int, **_: Any) -> None:
        self.own, self.sampler, self.num_workers = dataset, sampler, num_workers

    def __iter__(self) -> Iterator[Any]:
        # A class attribute, because forked workers inherit it. Workers could not receive the data set itself,
        # because they could not find its class by name.
        DataLoader.dataset = self.own
        with multiprocessing.get_context("fork").Pool(self.num_workers) as workers:
            yield from workers.map(_item, self.sampler)


def _item(key: Any) -> Any:
    return DataLoader.dataset[key]


def modules() -> dict[str, types.ModuleType]:
    """Returns the modules by their names."""
    torch, utils, data = (types.ModuleType(name) for name in ("torch", "torch.utils", "torch.utils.data"))
    torch.__dict__.update(from_numpy=Tensor, utils=utils)
    utils.__dict__.update(data=data)
    data.__dict__.update(DataLoader=DataLoader, Dataset=object, Sampler=object)
    return {module.__name__: module for module in (torch, utils, data)}
