"""Generates puzzles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from . import _gridmill
from ._input import (
    Progress,
    RatingRange,
    Shape,
    WholeRange,
    given_records,
    range_of,
    size_of,
    threads_of,
    whole,
)
from ._jobs import Scale
from ._result import Generated


def generate(
    count: int = 1,
    *,
    seed: int = 1,
    first: int = 0,
    clues: WholeRange = None,
    symmetry: Literal["rotate180", "rotate90", "mirror", "diagonal"] | None = None,
    minimal: bool = False,
    pattern: str | None = None,
    guesses: WholeRange = None,
    no_guess: bool = False,
    er: RatingRange = None,
    technique: str | Sequence[str] = (),
    scale: Scale = "sukaku",
    method: Literal["bands", "backtracking", "cycle", "diagonal"] | None = None,
    distinct: bool = False,
    no_isomorphs: bool = False,
    attempts: int | None = None,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
) -> Generated:
    """Generates puzzles with exactly one solution, by removing clues from random full grids.

    Columns: `puzzle`, `solution`, `clues`, `guesses`, and with `er` or `technique` also `er` and `scale`. The same arguments
    give the same puzzles as `gridmill generate` does, for any number of threads. Each range is a number, or a pair of the least
    and the most, of which one may be None.

    - `first`: skip the first `first` puzzles, so that you can split a job into pieces: `generate(1000, first=5000)` makes puzzles
      5000 to 5999. This is free if every attempt gives a puzzle: for 9x9 with no option other than `minimal` or `symmetry`. Otherwise
      the skipped puzzles are made too, so give each piece a seed of its own instead.
    - `clues`: the number of clues; None removes as many as possible.
    - `symmetry`: the symmetry of the places of the clues.
    - `minimal`: only puzzles from which no clue can be removed.
    - `pattern`: where the clues are: x for a clue, a digit for a clue of that digit, . for a blank.
    - `guesses`: how many the engine needs; `no_guess`: only what naked and hidden singles solve.
    - `er`: the rating as `rate` gives it; `technique`: at least one of these must find something; `scale`: see `rate`.
    - `method`: how full grids are made.
    - `distinct`, `no_isomorphs`: leave out puzzles that equal an earlier one, or are isomorphs of it.
    - `attempts`: give up, with `RuntimeError`, after this many attempts in a row without a puzzle.
    - `shape`, `progress`, `threads`: see `solve`.

    Returns a `Generated`; `help(gridmill.Generated)` lists its columns and their types. Raises `RuntimeError` after
    `attempts` without a puzzle, and `ValueError` for invalid arguments.

    >>> import gridmill
    >>> made = gridmill.generate(3, clues=(26, 28), symmetry="rotate180")
    >>> len(made), bool(((made.clues >= 26) & (made.clues <= 28)).all())
    (3, True)
    """
    # All other arguments are passed on unchanged.
    wanted = locals() | {
        "count": whole("count", count),
        "seed": whole("seed", seed),
        "first": whole("first", first),
        "clues": range_of("clues", clues, size_of(shape)[1]),
        "guesses": range_of("guesses", guesses),
        "er": range_of("er", er),
        "technique": [technique] if isinstance(technique, str) else list(technique),
        "attempts": None if attempts is None else whole("attempts", attempts, 1),
    }
    (_, _, puzzles, *_), *found = _gridmill.generate(wanted, threads_of(threads), progress)
    return Generated({"puzzle": puzzles}, shape, found, [given_records(puzzles, shape)])
