"""Neighbors, backdoors and unavoidable sets equal those of the command, and neighbors those that trying all exchanges of clues
finds."""

from __future__ import annotations

import csv
import itertools
import os
import pickle
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from samples import CONTRADICTORY, EMPTY, cells, text, texts

import gridmill

COMMAND = os.environ.get("GRIDMILL_COMMAND")

SEEDS = texts("minimal", 12)
# Only the first and the last one have exactly one solution.
MIXED = [SEEDS[0], "x", EMPTY, CONTRADICTORY, None, SEEDS[1]]


def exchanged(seed: NDArray[np.uint8], remove: int, add: int) -> NDArray[np.uint8]:
    """Returns all grids that differ from a puzzle by `remove` removed clues and `add` added ones."""
    side = int(np.sqrt(len(seed)))
    found = []
    for removed in itertools.combinations(np.flatnonzero(seed), remove):
        base = seed.copy()
        base[list(removed)] = 0
        for added in itertools.combinations(np.flatnonzero(base == 0), add):
            for digits in itertools.product(range(1, side + 1), repeat=add):
                if all(digit != seed[cell] for cell, digit in zip(added, digits, strict=True)):
                    grid = base.copy()
                    grid[list(added)] = digits
                    found.append(grid)
    return np.array(found)


@pytest.mark.parametrize("minimal", [True, False])
@pytest.mark.parametrize(("remove", "add"), [(1, 1), (2, 1), (1, 2), (2, 2)])
def test_one_neighbor_of_each_class_of_isomorphs_is_listed(remove: int, add: int, minimal: bool) -> None:
    seeds = gridmill.minimize(cells(texts("4x4", 4)), shape="2x2").minimal
    found = gridmill.neighbors(seeds, remove=remove, add=add, minimal=minimal, shape="2x2")
    listed = found.listed
    np.testing.assert_array_equal(np.diff(listed.offsets), found.neighbors)
    for record, seed in enumerate(seeds):
        own = slice(listed.offsets[record], listed.offsets[record + 1])
        assert (listed.record[own] == record).all()
        grids = exchanged(seed, remove, add)
        wanted = gridmill.solve(grids, shape="2x2").status == "unique"
        if minimal:
            wanted &= gridmill.minimal(grids, shape="2x2").status == "minimal"
        expected = gridmill.canon(grids[wanted], shape="2x2").canonical
        forms = [form.tobytes() for form in listed.canonical[own]]
        assert len(set(forms)) == len(forms) and set(forms) == {form.tobytes() for form in expected}
    forms = gridmill.canon(listed.puzzle, shape="2x2").canonical
    np.testing.assert_array_equal(listed.canonical, forms)
    assert ((listed.removed > 0).sum(axis=1) == remove).all() and (
        (listed.added > 0).sum(axis=1) == add
    ).all()
    kept = np.where(listed.removed > 0, 0, seeds[listed.record])
    np.testing.assert_array_equal(listed.puzzle, np.where(listed.added > 0, listed.added, kept))


@pytest.mark.skipif(COMMAND is None, reason="needs GRIDMILL_COMMAND, a build of the command")
@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({}, []),
        ({"remove": 2, "minimal": False}, ["--remove", "2", "--all"]),
        ({"clues": (24, None)}, ["--clues", "24.."]),
    ],
)
def test_neighbors_equal_those_of_the_command(
    tmp_path: Path, arguments: dict[str, Any], options: list[str]
) -> None:
    assert COMMAND is not None
    path = tmp_path / "seeds.txt"
    seeds = [*SEEDS, "x", EMPTY, CONTRADICTORY]
    path.write_text("\n".join(seeds) + "\n")
    command = [COMMAND, "neighbors", str(path), "--each", *options]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    rows = gridmill.neighbors(seeds, malformed="keep", **arguments).listed.to_polars().rows()
    found = [",".join([str(record + 1), *grids]) for record, *grids in rows]
    assert lines == ["record,puzzle,canonical,removed,added", *found] and len(lines) > 100


def rows_of_command(tmp_path: Path, *arguments: str) -> list[list[str]]:
    """Returns the fields of the command's rows, without the header."""
    assert COMMAND is not None
    path = tmp_path / "seeds.txt"
    path.write_text("\n".join([*SEEDS, "x", EMPTY, CONTRADICTORY]) + "\n")
    command, *options = arguments
    ran = subprocess.run([COMMAND, command, str(path), *options], capture_output=True, text=True, check=False)
    return list(csv.reader(ran.stdout.splitlines()))[1:]


@pytest.mark.skipif(COMMAND is None, reason="needs GRIDMILL_COMMAND, a build of the command")
@pytest.mark.parametrize("hits", [None, 1])
def test_unavoidable_sets_equal_those_of_the_command(tmp_path: Path, hits: int | None) -> None:
    wanted = [] if hits is None else ["--hits", str(hits)]
    rows = rows_of_command(tmp_path, "unavoidable", "--cells", "8", *wanted)
    seeds = [*SEEDS, "x", EMPTY, CONTRADICTORY]
    found = gridmill.unavoidable_sets(seeds, cells=8, hits=hits, malformed="keep")
    listed = found.listed
    names = [
        " ".join(f"r{cell // 9 + 1}c{cell % 9 + 1}" for cell in np.flatnonzero(grid))
        for grid in listed.unavoidable
    ]
    assert [[str(record + 1), cells] for record, cells in zip(listed.record, names, strict=True)] == [
        [record, cells] for record, _, cells, _ in rows
    ]
    assert len(rows) > 100
    solutions = gridmill.solve(SEEDS).solution[listed.record]
    assert ((listed.unavoidable == solutions) | (listed.unavoidable == 0)).all()
    counted = gridmill.unavoidable(seeds, cells=8, hits=hits, malformed="keep")
    np.testing.assert_array_equal(counted.sets[: len(SEEDS)], found.sets[: len(SEEDS)])
    assert repr(listed) == f"<{len(rows):,} unavoidable sets of 15 puzzles>"


@pytest.mark.skipif(COMMAND is None, reason="needs GRIDMILL_COMMAND, a build of the command")
def test_all_backdoors_equal_those_of_the_command(tmp_path: Path) -> None:
    rows = rows_of_command(tmp_path, "backdoors", "--all", "--columns", "size,sets,backdoors,status")
    table = gridmill.backdoors([*SEEDS, "x", EMPTY, CONTRADICTORY], all=True, malformed="keep").to_arrow()
    names = ["size", "sets", "backdoors", "status"]
    found = zip(*(table[name].to_pylist() for name in names), strict=True)
    assert [["" if value is None else str(value) for value in row] for row in found] == rows
    assert any(int(sets) > 1 for _, sets, *_ in rows if sets)
    assert gridmill.backdoors(SEEDS).columns == ("puzzle", "size", "backdoor", "status")


def test_a_pattern_and_a_number_of_clues_limit_the_neighbors() -> None:
    whole = gridmill.neighbors(SEEDS).listed
    cells_of_one = whole.puzzle[0] > 0
    pattern = "".join("x" if clue else "." for clue in cells_of_one)
    listed = gridmill.neighbors(SEEDS, pattern=pattern).listed
    assert len(listed) and ((listed.puzzle > 0) == cells_of_one).all()
    fitting = whole.canonical[((whole.puzzle > 0) == cells_of_one).all(axis=1)]
    assert {form.tobytes() for form in fitting} <= {form.tobytes() for form in listed.canonical}
    clues = (cells(SEEDS) > 0).sum(axis=1)
    for wanted in (int(clues[0]), (int(clues[0]), None), (None, int(clues[0]))):
        least, most = wanted if isinstance(wanted, tuple) else (wanted, wanted)
        is_within = (clues >= (least or 0)) & (clues <= (most or 81))
        found = gridmill.neighbors(SEEDS, clues=wanted)
        np.testing.assert_array_equal(found.neighbors > 0, is_within)


def test_only_puzzles_with_one_solution_have_neighbors() -> None:
    found = gridmill.neighbors(MIXED, malformed="keep")
    assert list(found.status) == ["unique", "malformed", "multiple", "conflict", "malformed", "unique"]
    alone = gridmill.neighbors([MIXED[0], MIXED[5]])
    np.testing.assert_array_equal(found.neighbors[[0, 5]], alone.neighbors)
    np.testing.assert_array_equal(found.listed.puzzle, alone.listed.puzzle)
    assert found.neighbors[1:5].sum() == 0 and set(found.listed.record.tolist()) == {0, 5}
    none = gridmill.neighbors([])
    assert len(none) == len(none.listed) == 0 and none.listed.puzzle.shape == (0, 81)
    with pytest.raises(gridmill.MalformedError, match=r"puzzles\[1\]"):
        gridmill.neighbors(MIXED)


def test_neighbors_can_be_given_as_puzzles_and_converted_to_tables() -> None:
    found = gridmill.neighbors(SEEDS)
    assert found.to_polars().columns == ["puzzle", "neighbors", "status"]
    listed = found.listed
    assert pickle.loads(pickle.dumps(listed)).to_arrow() == listed.to_arrow()
    frame = listed.to_pandas()
    assert frame["puzzle"].to_list() == [text(puzzle) for puzzle in listed.puzzle]
    assert list(frame.columns) == ["record", "puzzle", "canonical", "removed", "added"]
    again = gridmill.neighbors(frame["puzzle"][:5])
    np.testing.assert_array_equal(again.listed.puzzle, gridmill.neighbors(listed.puzzle[:5]).listed.puzzle)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"remove": 4}, "remove=4: expected a whole number from 1 to 3"),
        ({"add": 0}, "add=0: expected a whole number from 1 to 3"),
        ({"clues": (30, 20)}, "clues=(30, 20): expected a number, or a pair of the least and the most"),
        ({"clues": 2.5}, "clues=2.5: expected whole numbers"),
        ({"pattern": "x" * 80}, "pattern: expected 81 cells, as in the puzzles, found 80"),
        ({"pattern": "5" * 81}, "pattern: expected x in place of digits"),
        ({"pattern": "!" * 81}, "pattern: '!'"),
        ({"shape": "4x4"}, 'shape="4x4": expected puzzles of 4x4, 6x6, 8x8 or 9x9 cells'),
    ],
)
def test_invalid_arguments_are_refused(arguments: dict[str, Any], expected: str) -> None:
    with pytest.raises(ValueError, match=re.escape(expected)):
        gridmill.neighbors(SEEDS if "shape" not in arguments else ["." * 256], **arguments)
