"""Results with any number of items per puzzle: the steps of explanations, solutions and neighbors. They are flat tables."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._columns import CandidateLists, Categorical, Data, Found, LongTexts, data_of
from ._gridmill import Column, GivenRecords, Table
from ._input import Shape
from ._result import Result

if TYPE_CHECKING:
    import pandas as pd


class Flat(Result):
    """Columns with a value for each item of all puzzles: those of the first puzzle, then those of the second, and so on.

    The items of puzzle `i` begin at `offsets[i]` and end before `offsets[i + 1]`. `record` has the index of
    the puzzle for each item.
    """

    record: NDArray[np.uint32]
    """The index of the puzzle."""

    _items = ""
    """The items in words, if the name of the class is not their name."""

    def __init__(self, found: Found, shape: Shape, records: GivenRecords | None) -> None:
        *columns, (_, _, offsets, *_) = found
        self.offsets: NDArray[np.int64] = offsets
        """Where the items of each puzzle begin, and finally where those of the last one end: int64 (n + 1,)."""
        super().__init__({}, shape, columns, [])
        self._puzzles = records

    def __len__(self) -> int:
        """Returns the number of items."""
        return int(self.offsets[-1])

    def __repr__(self) -> str:
        return f"<{len(self):,} {self._items or type(self).__name__.lower()} of {len(self.offsets) - 1:,} puzzles>"

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_puzzles": None}

    def _alphabet_records(self) -> GivenRecords:
        """Puzzles whose alphabet is used to write cells."""
        return self._puzzles or GivenRecords("puzzles", "list", [], self._shape)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Passes the table to other packages, by the Arrow protocol."""
        columns: list[Column] = [data.to_column(self._alphabet_records()) for data in self._found.values()]
        return Table(list(self.columns), columns).__arrow_c_stream__()

    def to_pandas(self) -> pd.DataFrame:
        """Returns a data frame of pandas. Grids are strings, names are categories."""
        import pandas as pd

        return pd.DataFrame(
            {name: data.to_pandas(self._alphabet_records()) for name, data in self._found.items()}
        )


class Steps(Flat):
    """The steps of explanations: each places a digit or removes candidates by a technique. For `m` steps:

    - `record`: uint32 (m,), the index of the puzzle
    - `round`: uint16 (m,), from 1: the steps of a round are made together
    - `technique`: Categorical (m,)
    - `rating`: float64 (m,)
    - `cell`: int8 (m,), where a digit is placed: 0 to 80 in reading order, -1 for none (missing in tables)
    - `digit`: uint8 (m,), that digit, 0 for none (missing in tables)
    - `removed`: CandidateLists (m,), the candidates that the pattern removes; a step that places a digit shows them as its reason, but they stay in the grid
    - `reason`: LongTexts (m,), why, in words; with `words=True`
    - `offsets`: int64 (n + 1,), where the steps of each puzzle begin

    >>> import gridmill
    >>> found = gridmill.explain("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")
    >>> steps = found.steps
    >>> steps.technique[0], int(steps.cell[0]), int(steps.digit[0])
    ('hidden-single-box', 5, 8)
    """

    round: NDArray[np.uint16]
    technique: Categorical
    rating: NDArray[np.float64]
    cell: NDArray[np.int8]
    digit: NDArray[np.uint8]
    removed: CandidateLists
    reason: LongTexts


class Solutions(Flat):
    """The solutions of puzzles. For `m` of them:

    - `record`: uint32 (m,), the index of the puzzle
    - `solution`: uint8 (m, 81)
    - `offsets`: int64 (n + 1,), where the solutions of each puzzle begin

    >>> import gridmill
    >>> found = gridmill.enumerate(["12" + "." * 14, "." * 16], limit=5, shape="2x2")
    >>> found.listed.solution.shape, found.listed.record.tolist()
    ((10, 16), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    """

    solution: NDArray[np.uint8]


class Neighbors(Flat):
    """The neighbors of puzzles. For `m` of them:

    - `record`: uint32 (m,), the index of the puzzle
    - `puzzle`: uint8 (m, 81), the neighbor
    - `canonical`: uint8 (m, 81), its minlex form
    - `removed`, `added`: uint8 (m, 81), the clues that were taken away and those that were put in, 0 in all other cells
    - `offsets`: int64 (n + 1,), where the neighbors of each puzzle begin

    >>> import gridmill
    >>> listed = gridmill.neighbors("1.....3..4.....2", shape="2x2").listed
    >>> gridmill.texts(listed.puzzle, shape="2x2")
    ['3.....3..4.....2', '.1....3..4.....2', '...1..3..4.....2', '......34.4.....2']
    """

    puzzle: NDArray[np.uint8]
    canonical: NDArray[np.uint8]
    removed: NDArray[np.uint8]
    added: NDArray[np.uint8]


class UnavoidableSets(Flat):
    """The minimal unavoidable sets of the solutions of puzzles. For `m` of them:

    - `record`: uint32 (m,), the index of the puzzle
    - `unavoidable`: uint8 (m, 81), the digits of the solution in the cells of the set, 0 in all other cells
    - `offsets`: int64 (n + 1,), where the sets of each puzzle begin

    >>> import gridmill
    >>> found = gridmill.unavoidable_sets("1234341221434321", shape="2x2")
    >>> (found.listed.unavoidable > 0).sum(axis=1)
    array([ 4,  4,  4,  4,  4,  4,  4,  4,  8,  8, 12, 12, 12, 12])
    """

    unavoidable: NDArray[np.uint8]

    _items = "unavoidable sets"


class Explained(Result):
    """The result of `explain`. `text` and `json` are there if they were asked for.

    - `status`, `end`: Categorical (n,)
    - `er`, `ep`, `ed`: float64 (n,)
    - `rounds`, `deductions`: uint32 (n,)
    - `text`, `json`: LongTexts (n,)
    - `steps`: Steps, of all puzzles

    >>> import gridmill
    >>> gridmill.explain("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79").er
    array([1.2])
    """

    status: Categorical
    end: Categorical
    er: NDArray[np.float64]
    ep: NDArray[np.float64]
    ed: NDArray[np.float64]
    rounds: NDArray[np.uint32]
    deductions: NDArray[np.uint32]
    text: LongTexts
    json: LongTexts
    steps: Steps


class Hinted(Result):
    """The result of `hint`. `text` and `json` are there if they were asked for.

    - `status`: Categorical (n,)
    - `rating`: float64 (n,)
    - `deductions`: uint32 (n,)
    - `text`, `json`: LongTexts (n,)
    - `steps`: Steps, of all puzzles: one of each, or with `all=True` all of its rating

    >>> import gridmill
    >>> gridmill.hint("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79").rating
    array([1.2])
    """

    status: Categorical
    rating: NDArray[np.float64]
    deductions: NDArray[np.uint32]
    text: LongTexts
    json: LongTexts
    steps: Steps

    @cached_property
    def _found(self) -> dict[str, Data]:
        # A hint has one round, so `er` and `ep` say the same as `ed`, and are left out.
        names = {
            "status": "status",
            "ed": "rating",
            "deductions": "deductions",
            "text": "text",
            "json": "json",
        }
        columns = data_of(self._engine_columns)
        return {new: columns[name] for name, new in names.items() if name in columns}


class Enumerated(Result):
    """The result of `enumerate`.

    - `solutions`: uint64 (n,), how many
    - `status`: Categorical (n,)
    - `listed`: Solutions, of all puzzles

    >>> import gridmill
    >>> gridmill.enumerate("12" + "." * 14, limit=0, shape="2x2").solutions
    array([24], dtype=uint64)
    """

    solutions: NDArray[np.uint64]
    status: Categorical
    listed: Solutions


class Neighborhoods(Result):
    """The result of `neighbors`. The column of that name counts them.

    - `neighbors`: uint64 (n,)
    - `status`: Categorical (n,)
    - `listed`: Neighbors, of all puzzles

    >>> import gridmill
    >>> gridmill.neighbors("1.....3..4.....2", shape="2x2").listed
    <4 neighbors of 1 puzzles>
    """

    neighbors: NDArray[np.uint64]
    status: Categorical
    listed: Neighbors


class UnavoidableListed(Result):
    """The result of `unavoidable_sets`.

    - `sets`: uint64 (n,)
    - `status`: Categorical (n,)
    - `listed`: UnavoidableSets, of all puzzles

    >>> import gridmill
    >>> gridmill.unavoidable_sets("1234341221434321", shape="2x2").sets
    array([14], dtype=uint64)
    """

    sets: NDArray[np.uint64]
    status: Categorical
    listed: UnavoidableSets
