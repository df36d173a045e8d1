"""Rating how hard puzzles are for people."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from . import _gridmill
from ._answer import answer
from ._call import Malformed
from ._columns import Name
from ._input import Shape, rows_of
from ._result import Result

Scale = Literal["se", "sukaku", "sukaku-2020"]
"""The techniques that count: Sudoku Explainer's, or SukakuExplainer's."""


ROUNDS = "rounds_"
"""How the names of columns begin that say in how many rounds a technique found something."""


class Rated(Result):
    """Ratings of puzzles.

    >>> import gridmill
    >>> found = gridmill.rate("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")
    >>> found.rounds("hidden-single-box"), found.rounds("x-wing")
    (array([7], dtype=uint16), array([0], dtype=uint16))
    """

    @property
    def rating(self) -> NDArray[np.float64]:
        """The ratings: another name of `er`."""
        ratings: NDArray[np.float64] = self.er
        return ratings

    def rounds(self, technique: str) -> NDArray[np.uint16]:
        """Returns in how many rounds a technique, such as `"x-wing"`, found something for each puzzle."""
        if technique not in self._rounds:
            raise ValueError(f"expected one of {', '.join(self._rounds)}, found {technique!r}")
        return self._rounds[technique]

    _rounds: dict[str, NDArray[np.uint16]]


def rate(
    puzzles: object,
    *,
    up_to: float | None = None,
    scale: Scale = "sukaku",
    ties: Literal["minlex", "reading"] = "minlex",
    shape: Shape = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Rated:
    """Rates how hard 9x9 puzzles are for people, on the scale of Sudoku Explainer.

    A puzzle is solved as people do, in rounds, each by the cheapest technique that finds something. Columns: `puzzle`; `er`, the
    highest rating of a round, and the attribute `rating`; `ep`, the highest up to the first placement; `ed`, that of the first
    round; `hardest`, the technique of `er`; `steps`, the number of rounds; `scale`, with its version: compare ratings of one
    only; `status`: rated, above (harder than `up_to`), unsolved, multiple, none, conflict, malformed. What is not known is NaN
    in arrays, and missing in tables.

    - `up_to`: try no technique above this rating.
    - `scale`: whose techniques count.
    - `ties`: which order of cells decides, from 7.5 up; `"reading"` for comparison with published ratings.
    - `threads`, `malformed`: see `solve`.

    >>> import gridmill
    >>> found = gridmill.rate("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")
    >>> found.rating, found.hardest[0], found.steps
    (array([1.2]), 'hidden-single-box', array([14], dtype=uint32))
    """
    rows = rows_of(puzzles, shape)
    arguments = {"up_to": up_to, "scale": scale, "ties": ties}
    columns = answer(rows, "rate", arguments, threads, malformed)
    rounds = {name: columns.pop(name).values for name in list(columns) if name.startswith(ROUNDS)}
    if up_to is not None:
        del columns["up_to"]
    versions = columns["scale"].values.codes
    columns["scale"] = Name(_gridmill.scale_version(scale, ties), versions < 0)
    result = Rated(puzzles, shape, columns, rows)
    result._rounds = {name.removeprefix(ROUNDS): values for name, values in rounds.items()}
    return result
