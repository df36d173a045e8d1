"""The jobs of the library: functions that have an answer for each puzzle (e.g. `solve`).

The engine defines their columns, the types of these, and the names of statuses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

from . import _gridmill
from ._flat import (
    Enumerated,
    Explained,
    Flat,
    Hinted,
    Neighborhoods,
    Neighbors,
    Solutions,
    Steps,
    UnavoidableListed,
    UnavoidableSets,
)
from ._input import (
    Malformed,
    Progress,
    Puzzles,
    Shape,
    WholeRange,
    given_answers,
    given_records,
    options,
    range_of,
    whole,
)
from ._result import (
    Backdoors,
    Candidates,
    Canonical,
    Checked,
    Counted,
    Keyed,
    Matched,
    Minimality,
    Minimized,
    Rated,
    Result,
    Solved,
    Unavoidable,
    Verified,
)

Kind = TypeVar("Kind", bound=Result)

Scale = Literal["se", "sukaku", "sukaku-2020"]
"""The techniques that are used: those of Sudoku Explainer ("se"), or of a version of SukakuExplainer."""

BOUNDS: dict[str, tuple[int, ...]] = {
    "limit": (0,),
    "seed": (0,),
    "orders": (1,),
    "rounds": (1, 2**32 - 1),
    "remove": (1, 3),
    "add": (1, 3),
    "cells": (0, 16),
    "digits": (2, 4),
    "hits": (0, 625),
    "budget_guesses": (0,),
}
"""The lower bound, and for some the upper bound, of arguments that are integers."""


LISTS: dict[str, tuple[str, type[Flat]]] = {
    "explain": ("steps", Steps),
    "enumerate": ("listed", Solutions),
    "neighbors": ("listed", Neighbors),
    "unavoidable_sets": ("listed", UnavoidableSets),
}
"""The jobs that have a list for each puzzle: the attribute with the lists of all puzzles, and its class."""


def _run_job(kind: type[Kind], job: str, arguments: dict[str, Any], **bounds: tuple[int, ...]) -> Kind:
    """Runs a job, and returns its answers as a result of `kind`. `arguments` are those of its function.
    `bounds` replaces the bounds of some integers."""
    for name, ends in BOUNDS.items():
        number = arguments.get(name)
        if number is not None:
            arguments[name] = whole(name, number, *bounds.get(name, ends))
    shape, malformed = arguments.pop("shape"), arguments.pop("malformed")
    common = options(arguments.pop("threads"), malformed, arguments.pop("progress"))
    given = {"puzzle": arguments.pop("puzzles")}
    inputs = [given_records(given["puzzle"], shape)]
    others = arguments.pop("others", None)
    beside = None if others is None else given_records(others, shape, "others")
    if "solutions" in arguments:
        given["solution"] = arguments.pop("solutions")
        beside = given_answers(given["solution"], shape, "solutions", inputs[0], malformed)
        inputs.append(beside)
    found, listed = _gridmill.answer(inputs[0], beside, job, arguments, common)
    result = kind(given, shape, found, inputs)
    if listed:
        name, flat = LISTS[job]
        setattr(result, name, flat(listed, shape, inputs[0]))
    return result


def solve(
    puzzles: Puzzles,
    *,
    limit: int = 2,
    budget_guesses: int | None = None,
    budget_time: float | None = None,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Solved:
    """Solves puzzles, and proves for each that its solution is the only one.

    Every solution is checked against the rules. Columns: `puzzle`; `solution`, 0 in every cell where there is none;
    `status`: unique, multiple, none, conflict (two equal clues in a house), malformed, solved (with `limit=1`), or
    budget (given up);
    `guesses`, choices of the engine without proof, the same in every run; `time_ns`, the time charged to the puzzle.

    - `limit`: how many solutions are looked for; 1 finds one and proves nothing about others.
    - `budget_guesses`, `budget_time`: the guesses, or the seconds, after which a puzzle is given up, with the status budget.
      With the same `budget_guesses`, the same puzzles are given up in every run.
    - `shape`: the rows and columns of a box, such as `"2x3"` for 6x6 puzzles; 9x9 if it is None.
    - `progress`: a function that is called with how many puzzles are done and how many there are, at most ten times a
      second and at the end. If it raises an exception, the call ends with it.
    - `threads`: how many; all cores if it is None.
    - `malformed`: `"raise"` a `MalformedError` that names the record, or `"keep"` it, with that status.

    Returns a `Solved`; `help(gridmill.Solved)` lists its columns and their types. Raises `MalformedError` for a record
    that is no puzzle unless it is kept, `TypeError` for an object that can't hold puzzles, and `ValueError` for an
    array of another shape and for invalid arguments. All functions raise these.

    >>> import gridmill
    >>> found = gridmill.solve(["1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..", "." * 81])
    >>> list(found.status)
    ['unique', 'multiple']
    """
    return _run_job(Solved, "solve", locals(), limit=(1, 2**32 - 1))


def verify(
    puzzles: Puzzles,
    *,
    budget_guesses: int | None = None,
    budget_time: float | None = None,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "keep",
) -> Verified:
    """Proves that puzzles have exactly one solution.

    Columns: `puzzle`; `verdict`: unique, multiple, none, conflict (two equal clues in a house), malformed, budget
    (given up); `reason`, None for a good one. A malformed record is a verdict here, unless `malformed="raise"`.

    - `budget_guesses`, `budget_time`, `shape`, `progress`, `threads`: see `solve`.

    Returns a `Verified`; `help(gridmill.Verified)` lists its columns and their types. Raises errors as `solve` does.

    >>> import gridmill
    >>> found = gridmill.verify(["1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..", "55" + "." * 79])
    >>> list(found.verdict), found.reason[1]
    (['unique', 'conflict'], 'row 1 holds two 5s')
    """
    return _run_job(Verified, "verify", locals())


def check(
    puzzles: Puzzles,
    solutions: Puzzles,
    *,
    budget_guesses: int | None = None,
    budget_time: float | None = None,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "keep",
) -> Checked:
    """Proves that each solution solves its puzzle, and that the puzzle has no other.

    `solutions` has one for each puzzle, in any of the forms of puzzles. Columns: `puzzle`; `solution`; `verdict`: ok, wrong,
    not-unique (right, and not the only one), malformed, budget (right, and the search for another was given up); `reason`, None
    for a good one. A malformed record is a verdict here, unless `malformed="raise"`.

    - `budget_guesses`, `budget_time`, `shape`, `progress`, `threads`: see `solve`.

    Returns a `Checked`; `help(gridmill.Checked)` lists its columns and their types. Raises errors as `solve` does, and
    `ValueError` if there is not a solution for each puzzle.

    >>> import gridmill
    >>> made = gridmill.generate(2)
    >>> list(gridmill.check(made.puzzle, made.solution).verdict)
    ['ok', 'ok']
    >>> gridmill.check(made.puzzle, made.solution[::-1]).verdict.counts()
    {'wrong': 2}
    """
    return _run_job(Checked, "check", locals())


def count(
    puzzles: Puzzles,
    *,
    limit: int = 0,
    budget_guesses: int | None = None,
    budget_time: float | None = None,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Counted:
    """Counts the solutions of puzzles: all of them, or up to `limit`.

    Columns: `puzzle`; `solutions`; `status`: unique, multiple, none, conflict, malformed, budget (given up;
    the count so far); `guesses`; `time_ns`. A puzzle of few clues may have more solutions than anyone can
    wait for: press Ctrl-C to end the count, or bound it by `limit` or a budget.

    - `budget_guesses`, `budget_time`, `shape`, `progress`, `threads`, `malformed`: see `solve`.

    Returns a `Counted`; `help(gridmill.Counted)` lists its columns and their types. Raises errors as `solve` does.

    >>> import gridmill
    >>> gridmill.count("." * 16, shape="2x2").solutions
    array([288], dtype=uint64)
    """
    return _run_job(Counted, "count", locals())


def rate(
    puzzles: Puzzles,
    *,
    up_to: float | None = None,
    scale: Scale = "sukaku",
    ties: Literal["minlex", "reading"] = "minlex",
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Rated:
    """Rates how hard 9x9 puzzles are for people, on the scale of Sudoku Explainer.

    A puzzle is solved as people do it: in rounds, each by the easiest technique that finds something.
    Columns: `puzzle`; `er`, the highest rating of a round, and the attribute `rating`; `ep`, the highest up
    to the first placement; `ed`, that of the first round; `hardest`, the technique of `er`; `steps`, the
    number of rounds; `scale`, with its version: only ratings of the same one can be compared; `status`: rated, above (harder
    than `up_to`), unsolved, multiple, none, conflict, malformed. Unknown ratings are NaN in arrays, and
    missing in tables.

    - `up_to`: try no technique above this rating.
    - `scale`: which program's techniques and ratings are used.
    - `ties`: the order of cells that breaks ties, which matter from 7.5 up; `"reading"` for comparison with published ratings.
    - `progress`, `threads`, `malformed`: see `solve`.

    Returns a `Rated`; `help(gridmill.Rated)` lists its columns and their types. Raises errors as `solve` does, and
    `ValueError` for puzzles of another size.

    >>> import gridmill
    >>> found = gridmill.rate("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")
    >>> found.rating, found.hardest[0], found.steps
    (array([1.2]), 'hidden-single-box', array([14], dtype=uint32))
    """
    return _run_job(Rated, "rate", locals())


def canon(
    puzzles: Puzzles,
    *,
    maxlex: bool = False,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Canonical:
    """Computes the minlex form of puzzles, which all their isomorphs share.

    Two puzzles are the same in disguise (digits renamed, rows, columns, bands and stacks permuted, transposed) if and only
    if their forms are equal. Columns: `puzzle`; `canonical`, the form, 0 for a blank; `transform`, which turns the puzzle
    into the form: `T` or `-`, the rows, the columns, the new names of the digits; `automorphisms`, the number of
    transformations that map the puzzle onto itself; `status`: ok, conflict (two equal clues in a house, so there is no form),
    malformed. For 4x4, 6x6, 8x8 and 9x9.

    - `maxlex`: whether the form is the maxlex form, the greatest of all isomorphs, e.g. 987654321 and so on for a full grid.
    - `shape`, `progress`, `threads`, `malformed`: see `solve`.

    Returns a `Canonical`; `help(gridmill.Canonical)` lists its columns and their types. Raises errors as `solve` does,
    and `ValueError` for sizes that have no form here.

    >>> import gridmill
    >>> made = gridmill.generate(1)
    >>> disguised = gridmill.shuffle(made.puzzle, seed=7)
    >>> bool((gridmill.canon(made.puzzle).canonical == gridmill.canon(disguised).canonical).all())
    True
    """
    return _run_job(Canonical, "canon", locals())


def keys(
    puzzles: Puzzles,
    *,
    isomorphic: bool = False,
    same_solution: bool = False,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Keyed:
    """Returns keys that are equal for puzzles that count as the same: to group, join and shuffle by.

    Columns: `puzzle`; `key`, 41 bytes; `status`: ok, improper (without exactly one solution, where solutions are compared; it
    equals no other), malformed. Clues in conflict have no form, and are compared cell by cell.

    - `isomorphic`: whether isomorphs count as the same.
    - `same_solution`: whether solutions are compared in place of clues.
    - `shape`, `progress`, `threads`, `malformed`: see `solve`.

    Returns a `Keyed`; `help(gridmill.Keyed)` lists its columns and their types. Raises errors as `solve` does, and
    `ValueError` for isomorphs of sizes that `canon` does not take.

    >>> import gridmill
    >>> made = gridmill.generate(1)
    >>> disguised = gridmill.shuffle(made.puzzle)
    >>> keys = [gridmill.keys(puzzles, isomorphic=True).key for puzzles in (made.puzzle, disguised)]
    >>> bool((keys[0] == keys[1]).all())
    True
    """
    return _run_job(Keyed, "keys", locals())


def same(
    puzzles: Puzzles,
    others: Puzzles | None = None,
    *,
    isomorphic: bool = False,
    same_solution: bool = False,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Matched:
    """Finds the duplicates in a collection, or its puzzles that are also in another collection.

    Columns: `puzzle`; `same_as`, the index from 0 of the first puzzle of `others` that is the same, or
    without `others` of the first one before it, and -1 where there is none; `status` as in `keys`. So
    `found.same_as >= 0` marks the puzzles that leak from train to test, or the duplicates that you can
    remove.

    - `isomorphic`: whether isomorphs count as the same.
    - `same_solution`: whether solutions are compared in place of clues.
    - `shape`, `progress`, `threads`, `malformed`: see `solve`.

    Returns a `Matched`; `help(gridmill.Matched)` lists its columns and their types. Raises errors as `keys` does.

    >>> import gridmill
    >>> train = gridmill.generate(100).puzzle
    >>> test = gridmill.shuffle(train[:3], seed=5)
    >>> gridmill.same(test, train, isomorphic=True).same_as
    array([0, 1, 2])
    >>> gridmill.same(test, train).same_as
    array([-1, -1, -1])
    """
    return _run_job(Matched, "same", locals())


def backdoors(
    puzzles: Puzzles,
    *,
    up_to: float | None = None,
    all: bool = False,
    budget_guesses: int | None = None,
    budget_time: float | None = None,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Backdoors:
    """Finds the fewest cells of puzzles whose digits leave only naked and hidden singles to do.

    Columns: `puzzle`; `size`, the number of these cells, 0 if singles solve the puzzle; `backdoor`, the first set of that
    size, such as `r1c2 r3c4`; `status`: unique, more (every set has more than 3 cells), multiple, none, conflict, malformed,
    budget (given up). With `all` also `sets`, how many sets of that size there are, and `backdoors`, all of them, such as
    `r1c2 r3c4; r1c2 r5c5`.

    - `up_to`: use all techniques up to this rating in place of singles, for 9x9.
    - `budget_guesses`, `budget_time`, `shape`, `progress`, `threads`, `malformed`: see `solve`; each set that is tried is a
      guess.

    Returns a `Backdoors`; `help(gridmill.Backdoors)` lists its columns and their types. Raises errors as `solve` does,
    and `ValueError` if `up_to` is given for puzzles of another size than 9x9.

    >>> import gridmill
    >>> found = gridmill.backdoors("1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..")
    >>> found.size[0].item(), found.backdoor[0]
    (2, 'r1c2 r6c2')
    """
    return _run_job(Backdoors, "backdoors", locals())


def unavoidable(
    puzzles: Puzzles,
    *,
    cells: int = 12,
    digits: int = 2,
    hits: int | None = None,
    budget_guesses: int | None = None,
    budget_time: float | None = None,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Unavoidable:
    """Counts the minimal unavoidable sets of the solutions of puzzles.

    Some other full grid differs from the solution only in the cells of such a set, so every puzzle with this solution has a
    clue in it. Columns: `puzzle`; `sets`, how
    many there are of up to `cells` cells or within `digits` digits; `sizes`, how many of them have each number of cells, such as
    `4:3 6:26`; `least_clues`, a lower bound of the clues of every puzzle with this solution; `status`: unique, multiple, none,
    conflict, malformed, budget (given up).

    - `cells`: count all sets of up to this many cells, at most 16.
    - `digits`: count all sets within this many digits, 2 to 4.
    - `hits`: count only sets in which the puzzle has this many clues.
    - `budget_guesses`, `budget_time`, `shape`, `progress`, `threads`, `malformed`: see `solve`.

    Returns an `Unavoidable`; `help(gridmill.Unavoidable)` lists its columns and their types. Raises errors as `solve`
    does.

    >>> import gridmill
    >>> gridmill.unavoidable("1234341221434321", shape="2x2").sizes[0]
    '4:8 8:2 12:4'
    """
    return _run_job(Unavoidable, "unavoidable", locals())


def unavoidable_sets(
    puzzles: Puzzles,
    *,
    cells: int = 12,
    digits: int = 2,
    hits: int | None = None,
    budget_guesses: int | None = None,
    budget_time: float | None = None,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> UnavoidableListed:
    """Lists the minimal unavoidable sets that `unavoidable` counts.

    Columns: `puzzle`; `sets`, how many there are; `status`: unique, multiple, none, conflict, malformed, budget (given up). The
    attribute `listed` has the sets of all puzzles, smaller ones first: `unavoidable`, an array of a row for each, with the digits
    of the solution in the cells of the set and 0 in all others; `record`, the index of its puzzle; and `offsets`.

    - `cells`, `digits`, `hits`: see `unavoidable`.
    - `budget_guesses`, `budget_time`, `shape`, `progress`, `threads`, `malformed`: see `solve`.

    Returns an `UnavoidableListed`; `help(gridmill.UnavoidableListed)` lists its columns and their types. Raises errors as
    `solve` does.

    >>> import gridmill
    >>> listed = gridmill.unavoidable_sets("1234341221434321", shape="2x2", cells=4).listed
    >>> gridmill.texts(listed.unavoidable[:2], shape="2x2")
    ['12......21......', '1.3.3.1.........']
    """
    return _run_job(UnavoidableListed, "unavoidable_sets", locals())


def minimal(
    puzzles: Puzzles,
    *,
    budget_guesses: int | None = None,
    budget_time: float | None = None,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Minimality:
    """Finds which puzzles are minimal, and which clues of the others are redundant.

    Columns: `puzzle`; `status`: minimal, redundant, multiple, none, conflict, malformed, budget (a search was
    given up; in sizes other than 9x9 this can happen even without a budget); `redundant`, the clues that can each be removed
    alone, such as `r1c1 r9c9`, or nothing.

    - `budget_guesses`, `budget_time`, `shape`, `progress`, `threads`, `malformed`: see `solve`.

    Returns a `Minimality`; `help(gridmill.Minimality)` lists its columns and their types. Raises errors as `solve`
    does.

    >>> import gridmill
    >>> list(gridmill.minimal(gridmill.generate(1, minimal=True).puzzle).status)
    ['minimal']
    """
    return _run_job(Minimality, "minimal", locals())


def minimize(
    puzzles: Puzzles,
    *,
    seed: int = 1,
    orders: int = 1,
    by_clues: bool = False,
    budget_guesses: int | None = None,
    budget_time: float | None = None,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Minimized:
    """Removes clues of puzzles until removing any other would allow a second solution.

    Columns: `puzzle`; `minimal`; `status`: unique, multiple, none, conflict (these are left as they are: `minimal` is 0 in
    every cell), malformed, budget (a search was given up; in sizes other than 9x9 this can happen even without a budget);
    `clues` of the minimal puzzle. The same seed gives the same puzzles, for any number of threads.

    - `orders`: how many random orders are tried; the result with the fewest clues is kept.
    - `by_clues`: whether the orders depend on the clues of a puzzle in place of its index, so that it becomes the same in any
      part of a collection, as on clusters.
    - `budget_guesses`, `budget_time`, `shape`, `progress`, `threads`, `malformed`: see `solve`.

    Returns a `Minimized`; `help(gridmill.Minimized)` lists its columns and their types. Raises errors as `solve` does.

    >>> import gridmill
    >>> solved = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
    >>> gridmill.minimize(solved).clues < 30
    array([ True])
    """
    return _run_job(Minimized, "minimize", locals())


def candidates(
    puzzles: Puzzles,
    *,
    budget_guesses: int | None = None,
    budget_time: float | None = None,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Candidates:
    """Finds the digits that each cell holds in some solution.

    Columns: `puzzle`; `candidates`, a text with as many places for each cell as there are digits (729 for
    9x9): the digit where it is a candidate, `.` if not, and nothing for puzzles without a solution; `status`:
    unique, multiple, none, conflict, malformed, budget (given up, so nothing too).

    - `budget_guesses`, `budget_time`, `shape`, `progress`, `threads`, `malformed`: see `solve`.

    Returns a `Candidates`; `help(gridmill.Candidates)` lists its columns and their types. Raises errors as `solve`
    does.

    >>> import gridmill
    >>> gridmill.candidates("12" + "." * 14, shape="2x2").candidates[0]
    '1....2....34..34..34..3412..12...2341.3412341234.2341.3412341234'
    """
    return _run_job(Candidates, "candidates", locals())


def enumerate(
    puzzles: Puzzles,
    *,
    limit: int,
    budget_guesses: int | None = None,
    budget_time: float | None = None,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Enumerated:
    """Lists the solutions of puzzles: all of them, or up to `limit` of each.

    Columns: `puzzle`; `solutions`, how many are listed; `status`: unique, multiple, none, conflict,
    malformed, solved (with `limit=1`), budget (the solutions before it was given up). The attribute `listed`
    has the solutions of all puzzles, one after the other: `solution`, an array of a row for each, `record`,
    the index of its puzzle, and `offsets`. They have the order of `gridmill enumerate`, which is the same in
    every run, so that `limit` always lists the same ones.

    They are all kept in memory (81 bytes each), so you must give a `limit`; 0 lists all.

    Python has a function of the same name, so call it as `gridmill.enumerate` instead of importing it.

    - `budget_guesses`, `budget_time`, `shape`, `progress`, `threads`, `malformed`: see `solve`.

    Returns a `Enumerated`; `help(gridmill.Enumerated)` lists its columns and their types. Raises errors as `solve` does.

    >>> import gridmill
    >>> found = gridmill.enumerate(["12" + "." * 14, "1.....3..4.....2"], limit=0, shape="2x2")
    >>> found.solutions.tolist(), found.listed.offsets.tolist(), found.listed.solution.shape
    ([24, 1], [0, 24, 25], (25, 16))
    """
    return _run_job(Enumerated, "enumerate", locals())


def neighbors(
    puzzles: Puzzles,
    *,
    remove: int = 1,
    add: int = 1,
    minimal: bool = True,
    clues: WholeRange = None,
    pattern: str | None = None,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Neighborhoods:
    """Lists the neighbors of puzzles: those with exactly one solution that differ from them in a few clues.

    Hunters of puzzles call this a vicinity search, {-1+1}. Columns: `puzzle`; `neighbors`, how many there are; `status`:
    unique, multiple, none, conflict, malformed. Only puzzles with exactly one solution have neighbors. The attribute `listed`
    has the neighbors of all puzzles, one after the other: see `Neighbors`. Of isomorphs among the neighbors of a puzzle,
    the first is listed; those of different puzzles are not compared.

    - `remove`, `add`: how many clues are taken away, and how many others are put in: 1 to 3.
    - `minimal`: whether only minimal neighbors are listed, from which no clue can be removed.
    - `clues`: how many clues a neighbor has, as a number, or a pair of the least and the most.
    - `pattern`: the cells that have clues in a neighbor: x for a clue, . for a blank.
    - `shape`, `progress`, `threads`, `malformed`: see `solve`.

    A puzzle has some 50 neighbors with one clue exchanged, which take a millisecond, and thousands with `remove=2, add=2`,
    which take up to some seconds. Each takes 328 bytes of memory.

    Returns a `Neighborhoods`; `help(gridmill.Neighborhoods)` lists its columns and their types. Raises errors as
    `solve` does, and `ValueError` for sizes that `canon` does not take.

    >>> import gridmill
    >>> found = gridmill.neighbors("98.7..6..75..4......3..8.7.5....7.3...94.........2.1..3.......1.9...5.8...52....6")
    >>> found.neighbors.item(), found.listed.puzzle.shape
    (54, (54, 81))
    """
    arguments = locals()
    return _run_job(Neighborhoods, "neighbors", {**arguments, "clues": range_of("clues", clues)})


def explain(
    puzzles: Puzzles,
    *,
    until: float | None = None,
    rounds: int | None = None,
    scale: Scale = "sukaku",
    ties: Literal["minlex", "reading"] = "minlex",
    words: bool = False,
    text: bool = False,
    json: bool = False,
    grid: Literal["auto", "every", "never"] = "auto",
    reasons: bool = False,
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Explained:
    """Explains how people solve 9x9 puzzles, step by step, with ratings.

    A round uses the easiest technique that finds something, and makes all its deductions of the lowest rating
    together. Columns: `puzzle`; `status`: unique, multiple, none, conflict, malformed; `end`: solved, until,
    or stuck (no technique finds anything more); `er`, the highest rating of a round, NaN unless the end is
    solved; `ep`, the highest up to the first placement; `ed`, that of the first round; `rounds` and
    `deductions`, how many; `text` and `json`, if they are asked for. Puzzles without exactly one solution
    have no steps. The attribute `steps` has the steps of all puzzles, as a flat table: see `Steps`.

    A puzzle can also be a grid of candidates (pencilmarks of 729 characters). If the first text is one, all
    must be.

    - `until`: end before the first round above this rating, e.g. 4.2; `rounds`: end after this many rounds.
    - `scale`, `ties`: see `rate`.
    - `words`: whether each step has its `reason`.
    - `text`: whether there is the explanation in words, as `gridmill explain` writes it; `grid` and `reasons` are its options.
    - `json`: whether there is the object that `gridmill explain --to jsonl` writes, some 26 KB for each puzzle; the text has 11 KB.
    - `progress`, `threads`, `malformed`: see `solve`.

    A puzzle takes 0.04 ms of a processor if it is easy, 0.14 ms if it is rated 6 to 7, 5 ms above 9, and a second or more above 11; text and
    objects take half as long again. A step takes some 30 bytes of memory, and its reason as many as it has letters.

    Returns an `Explained`; `help(gridmill.Explained)` lists its columns and their types. Raises errors as `solve` does,
    and `ValueError` for puzzles of another size.

    >>> import gridmill
    >>> found = gridmill.explain(gridmill.generate(100).puzzle, words=True)
    >>> len(found.steps) == found.deductions.sum().item(), found.steps.reason[0].split()[0] != ""
    (True, True)
    """
    arguments = locals()
    if until is not None and rounds is not None:
        raise ValueError("until, rounds: expected one of them, because an explanation has one end")
    return _run_job(Explained, "explain", {**arguments, "all": None})


def hint(
    puzzles: Puzzles,
    *,
    all: bool = False,
    scale: Scale = "sukaku",
    ties: Literal["minlex", "reading"] = "minlex",
    words: bool = False,
    text: bool = False,
    json: bool = False,
    grid: Literal["auto", "never"] = "auto",
    shape: Shape = None,
    progress: Progress = None,
    threads: int | None = None,
    malformed: Malformed = "raise",
) -> Hinted:
    """Finds the next step of 9x9 puzzles: the first one of the easiest technique that finds something.

    A puzzle is the grid as filled in so far, or a grid of candidates (pencilmarks of 729 characters). If the
    first text is one, all must be. Columns: `puzzle`; `status`: unique, multiple, none, conflict, malformed;
    `rating`, NaN where there is no step; `deductions`, how many steps have that rating; `text` and `json`, if
    they are asked for. The attribute `steps` has the step of each puzzle that has one, as a flat table: see
    `Steps`.

    - `all`: every step of that rating, in place of the first one.
    - `words`, `text`, `json`: see `explain`; these are as `gridmill hint` writes them.
    - `scale`, `ties`: see `rate`.
    - `progress`, `threads`, `malformed`: see `solve`.

    Returns a `Hinted`; `help(gridmill.Hinted)` lists its columns and their types. Raises errors as `solve` does, and
    `ValueError` for puzzles of another size.

    >>> import gridmill
    >>> found = gridmill.hint("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79", words=True)
    >>> found.steps.technique[0], found.steps.reason[0]
    ('hidden-single-box', '8 has no other place in box 2 than r1c6')
    """
    arguments = locals()
    return _run_job(Hinted, "explain", {**arguments, "until": None, "rounds": 1, "reasons": True})


CLUSTER_JOBS: tuple[Callable[..., Result], ...] = (
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
)
"""The functions that clusters have too. They answer each puzzle on its own, so the work can be divided."""
