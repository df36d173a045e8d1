"""Functions on whole collections: dividing them into parts, selecting puzzles, and counting what they have."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _gridmill
from ._arrays import cells
from ._input import (
    Malformed,
    Progress,
    Puzzles,
    RatingRange,
    Shape,
    WholeRange,
    given_records,
    options,
    range_of,
    whole,
)
from ._jobs import Scale, _run_job
from ._result import Divided

Status = Literal["unique", "multiple", "none", "conflict", "malformed"]

Stratify = Literal["clues"] | Sequence[Any] | NDArray[Any] | None
"""The values that are represented in proportion: `"clues"` for the number of clues, or a value for each puzzle."""


def split(
    puzzles: Puzzles,
    ratio: Sequence[int],
    *,
    isomorphic: bool = False,
    same_solution: bool = False,
    stratify: Stratify = None,
    bins: float | None = None,
    seed: int = 1,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Divided:
    """Divides a collection at random into parts that share no puzzle, such as train and test sets.

    Puzzles that are the same are all in one part, so that nothing leaks. Columns: `puzzle`; `part`, the
    number of its part, from 0; `status` as in `keys`. Puzzles that can't be compared are in part 0: malformed
    ones, and with `same_solution` those without exactly one solution. The parts are those of `gridmill split`
    for the same options.

    - `ratio`: the sizes of the parts in proportion to each other, such as `(8, 1, 1)`: 2 to 256 numbers above 0. Sizes are as near to
      it as whole groups of puzzles that are the same allow.
    - `isomorphic`: whether isomorphs count as the same; `same_solution`: whether solutions are compared in place of clues.
    - `stratify`: let each part have its share of the puzzles with each value: `"clues"`, or a value for each puzzle, such as its
      rating; up to 10,000 different ones. None and NaN are a value of their own. `bins`: the width of bins of numbers, which begin
      at 0.
    - `shape`, `progress`, `threads`, `malformed`: see `solve`.

    Returns a `Divided`; `help(gridmill.Divided)` lists its columns and their types. Raises errors as `solve` does, and
    `OSError` if it needs more than 256 MB of memory and can't write the rest to the folder for temporary files.

    >>> import gridmill
    >>> import numpy as np
    >>> train = gridmill.generate(90).puzzle
    >>> found = gridmill.split(np.concatenate([train, gridmill.shuffle(train[:10])]), (8, 2), isomorphic=True)
    >>> np.bincount(found.part), bool((found.part[:10] == found.part[90:]).all())
    (array([80, 20]), True)
    """
    arguments = locals()
    if not isinstance(ratio, (Sequence, np.ndarray)) or not all(hasattr(size, "__index__") for size in ratio):
        raise TypeError(
            f"ratio={ratio!r}: expected the sizes of the parts as whole numbers, such as (8, 1, 1)"
        )
    arguments["seed"] = whole("seed", seed)
    numbers = [whole("ratio", number, 1, 2**32 - 1) for number in ratio]
    if not 2 <= len(numbers) <= 256:
        raise ValueError(f"ratio={tuple(ratio)}: expected 2 to 256 numbers, one for each part")
    strata = _strata(puzzles, arguments.pop("stratify"), arguments.pop("bins"), shape, threads, malformed)
    return _run_job(Divided, "split", {**arguments, "ratio": numbers, "strata": strata})


def select(
    puzzles: Puzzles,
    *,
    clues: WholeRange = None,
    status: Status | Sequence[Status] = (),
    guesses: WholeRange = None,
    minimal: bool = False,
    er: RatingRange = None,
    technique: str | Sequence[str] = (),
    scale: Scale = "sukaku",
    invert: bool = False,
    skip: int = 0,
    take: int | None = None,
    sample: int | None = None,
    stratify: Stratify = None,
    bins: float | None = None,
    seed: int = 1,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> NDArray[np.bool_]:
    """Selects the puzzles that meet all conditions, or some of them at random. Returns a bool for each puzzle.

    The puzzles are those that `gridmill select` takes. Each range is a number, or a pair of the least and the most, of which
    None leaves one open. A malformed record, with `malformed="keep"`, meets no condition but the status malformed.

    - `clues`: how many; `status`: the verdict, or any of several; `guesses`: how many it takes to prove the status;
      `minimal`: only proper puzzles from which no clue can be taken.
    - `er`, `technique`, `scale`: see `generate`; only proper 9x9 puzzles meet these.
    - `invert`: take those that do not meet the conditions.
    - `skip`, `take`: skip this many of the selected puzzles, then take this many of the rest.
    - `sample`: choose this many of these at random by `seed`; every set of them is equally likely. `stratify`, `bins`: represent
      each value in proportion, see `split`.
    - `shape`, `progress`, `threads`, `malformed`: see `solve`.

    A condition takes as long as the function that computes it: `solve` for `status` and `guesses`, `minimal`
    and `rate` for theirs, and no time for `clues`. Puzzles are rated last, and no higher than `er` asks,
    because ratings take longest.

    Returns an array of bool of shape (n,). Raises errors as `solve` does, and `ValueError` for impossible conditions.

    >>> import gridmill
    >>> puzzles = gridmill.generate(100).puzzle
    >>> few = gridmill.select(puzzles, clues=(0, 23))
    >>> few.sum().item() == ((puzzles > 0).sum(axis=1) <= 23).sum().item()
    True
    >>> gridmill.select(puzzles, sample=10).sum().item()
    10
    """
    wanted = {
        "clues": range_of("clues", clues),
        "status": [status] if isinstance(status, str) else list(status),
        "guesses": range_of("guesses", guesses),
        "minimal": minimal,
        "er": range_of("er", er),
        "technique": [technique] if isinstance(technique, str) else list(technique),
        "scale": scale,
        "invert": invert,
        "skip": whole("skip", skip),
        "take": None if take is None else whole("take", take),
        "sample": None if sample is None else whole("sample", sample, 0, 2**32 - 1),
        "seed": whole("seed", seed),
        "strata": _strata(puzzles, stratify, bins, shape, threads, malformed),
    }
    if wanted["strata"] is not None and sample is None:
        raise ValueError("stratify= needs sample=, the number of puzzles to choose")
    return _gridmill.select(given_records(puzzles, shape), wanted, options(threads, malformed, progress))


def stats(
    puzzles: Puzzles,
    *,
    isomorphic: bool = False,
    neighbors: bool = False,
    backdoors: bool = False,
    bands: bool = False,
    rating: bool = False,
    scale: Scale = "sukaku",
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "keep",
) -> dict[str, Any]:
    """Returns what is in a collection: the figures that `gridmill stats --to json` writes, as a dict.

    `records`; `duplicates`, the records with the same cells as an earlier one; `statuses`, `clues` and `symmetries`, dicts
    of how many puzzles there are of each; `guesses` and `time_ns`, dicts of mean, p50, p90, p99 and max, None where nothing
    was searched; `ratings`, `neighbors`, `backdoors` and `bands`, if you ask for them. Keys are texts.

    - `isomorphic`: whether isomorphs are duplicates.
    - `neighbors`: count puzzles that are one exchanged clue away from another, and their clusters (up to 9x9).
    - `backdoors`: count puzzles by the size of their smallest backdoors, from "0" to "3", and "more".
    - `bands`: count the bands and stacks of solutions by their class, from "1" to "416" (9x9 only).
    - `rating`, `scale`: rate the puzzles, too: this takes most of the time.
    - `shape`, `progress`, `threads`, `malformed`: see `solve`. Malformed records are counted, unless `malformed="raise"`.

    Raises errors as `solve` does.

    >>> import gridmill
    >>> figures = gridmill.stats([*gridmill.generate(3).puzzle.tolist(), [0] * 81, [0] * 81])
    >>> figures["records"], figures["duplicates"], figures["statuses"]["unique"], figures["clues"]["0"]
    (5, 1, 3, 2)
    """
    figures = {"neighbors": neighbors, "backdoors": backdoors, "bands": bands, "rating": rating}
    arguments = {"isomorphic": isomorphic, "same_solution": False, "scale": scale, **figures}
    found = _gridmill.stats(given_records(puzzles, shape), arguments, options(threads, malformed, progress))
    counted: dict[str, Any] = json.loads(found)
    del counted["files"]
    return counted


def _strata(
    puzzles: Puzzles,
    stratify: Stratify,
    bins: float | None,
    shape: Shape,
    threads: int | None,
    malformed: Malformed,
) -> dict[str, Any] | None:
    """The value of each puzzle as a text, and the width of bins. None if puzzles are not stratified."""
    if bins is not None and not (isinstance(bins, (int, float, np.number)) and bins > 0):
        raise ValueError(f"bins={bins!r}: expected the width of the bins, a number above 0")
    if stratify is None:
        if bins is not None:
            raise ValueError(f"bins={bins}: needs stratify=, whose numbers it groups")
        return None
    if isinstance(stratify, str):
        if stratify != "clues":
            raise ValueError(f"stratify={stratify!r}: expected 'clues', or a value for each puzzle")
        stratify = (cells(puzzles, shape=shape, threads=threads, malformed=malformed) > 0).sum(axis=1)
    values = stratify.tolist() if isinstance(stratify, np.ndarray) else list(stratify)
    records = len(given_records(puzzles, shape))
    if len(values) != records:
        raise ValueError(f"stratify: expected a value for each of {records} puzzles, found {len(values)}")
    for value in values if bins is not None else ():
        if not (_is_missing(value) or _is_number(value)):
            raise ValueError(
                f"bins={bins}: expected stratify= to be numbers, because these fall into bins, found {value!r}"
            )
    return {"values": [None if _is_missing(value) else str(value) for value in values], "bins": bins}


def _is_number(value: Any) -> bool:
    """Whether a value is a number, or the text of one, as a column of CSV has it; an empty text is a missing one."""
    try:
        return value == "" or float(value) == float(value)
    except (TypeError, ValueError):
        return False


def _is_missing(value: object) -> bool:
    """Whether a value is missing: None, NaN, or pandas.NA."""
    is_nan = isinstance(value, float) and math.isnan(value)
    return value is None or is_nan or type(value).__name__ == "NAType"
