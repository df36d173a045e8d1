"""Answers are right, by checks that share no code with the engine, and equal those of the command."""

from __future__ import annotations

import csv
import os
import pathlib
import random
import subprocess
from typing import Any

import numpy as np
import pytest
import samples
from samples import (
    CONTRADICTORY,
    DATASETS,
    EMPTY,
    cells,
    is_contradictory,
    is_solution,
    solutions,
    text,
    texts,
)

import gridmill

SETS = ["easy", "medium", "hard", "minimal", "multiple", "none", "classics"]


def fixture() -> list[tuple[str, str, str]]:
    """Returns puzzles of every kind, their numbers of solutions, and the solution if there is only one."""
    lines = (DATASETS / "fixtures" / "counts.txt").read_text().splitlines()
    rows = [line.split(":") for line in lines if line and not line.startswith("#")]
    return [(row[0], row[1], row[2]) for row in rows]


def random_clues(count: int, seed: int) -> list[str]:
    """Returns random puzzles: solved grids without some clues and with wrong ones, and two special cases."""
    rng = random.Random(seed)
    generated = [EMPTY, CONTRADICTORY]
    grids = [text(row) for row in gridmill.solve(texts("easy", 20)).solution]
    for _ in range(count - 2):
        grid = list(rng.choice(grids))
        kept = rng.choice([25, 30, 40, 60, 81])
        for cell in rng.sample(range(81), 81 - kept):
            grid[cell] = "."
        for cell in rng.sample(range(81), rng.choice([0, 0, 1, 2])):
            grid[cell] = rng.choice("123456789")
        generated.append("".join(grid))
    return generated


@pytest.mark.parametrize("name", SETS)
def test_every_solution_follows_the_rules_and_keeps_the_clues(name: str) -> None:
    puzzles = cells(texts(name))
    found = gridmill.solve(puzzles)
    has_one = (found.status == "unique") | (found.status == "multiple")
    for puzzle, solution, has in zip(puzzles, found.solution, has_one, strict=True):
        assert is_solution(puzzle, solution) if has else not solution.any()
    expected = name if name in ("multiple", "none") else "unique"
    assert found.status.counts() == {expected: len(puzzles)}


@pytest.mark.parametrize("name", SETS)
def test_answers_agree_with_trying_all_digits(name: str) -> None:
    puzzles = cells(texts(name, 4))
    found = gridmill.solve(puzzles)
    expected = [solutions(puzzle, 2) for puzzle in puzzles]
    assert list(found.status) == [["none", "unique", "multiple"][len(grids)] for grids in expected]
    for solution, grids in zip(found.solution, expected, strict=True):
        assert len(grids) != 1 or solution.tolist() == grids[0]


def test_answers_to_random_clues_agree_with_trying_all_digits() -> None:
    puzzles = cells(random_clues(120, seed=20))
    found = gridmill.solve(puzzles)
    expected = [samples.status(puzzle) for puzzle in puzzles]
    assert list(found.status) == expected
    assert set(expected) == {"unique", "multiple", "none", "conflict"}
    counted = gridmill.count(puzzles, limit=20)
    assert counted.solutions.tolist() == [len(solutions(puzzle, 20)) for puzzle in puzzles]


def test_counts_and_solutions_of_the_fixture_are_right() -> None:
    puzzles = [puzzle for puzzle, _, _ in fixture()]
    counted = gridmill.count(puzzles, limit=1000)
    assert [str(count) if count < 1000 else "1000+" for count in counted.solutions] == [
        count for _, count, _ in fixture()
    ]
    found = gridmill.solve(puzzles)
    for row, status, (_, count, solution) in zip(found.solution, found.status, fixture(), strict=True):
        assert (status == "unique") == (count == "1")
        assert not solution or text(row) == solution


def test_known_counts_are_found() -> None:
    assert gridmill.count("." * 16, shape="2x2").solutions[0] == 288
    # There are 28,200,960 full 6x6 grids. One in 720 begins with this row.
    assert gridmill.count("123456" + "." * 30, shape="2x3").solutions[0] == 39_168


def test_every_verdict_except_unique_has_a_reason() -> None:
    puzzles = random_clues(200, seed=21)
    found = gridmill.verify(puzzles)
    assert list(found.verdict) == list(gridmill.solve(puzzles).status)
    for verdict, reason, puzzle in zip(found.verdict, found.reason, cells(puzzles), strict=True):
        assert (reason is None) == (verdict == "unique")
        assert (verdict == "conflict") == is_contradictory(puzzle)
    kept = gridmill.verify(["x", None, EMPTY])
    assert list(kept.verdict) == ["malformed", "malformed", "multiple"]
    assert all(kept.reason)
    with pytest.raises(gridmill.MalformedError):
        gridmill.verify([EMPTY, None], malformed="raise")


def test_check_distinguishes_right_and_wrong_solutions() -> None:
    proper, several = cells(texts("minimal", 50)), cells(texts("multiple", 10))
    right = gridmill.solve(proper).solution
    wrong = right.copy()
    wrong[:, [0, 1]] = wrong[:, [1, 0]]
    assert gridmill.check(proper, right).verdict.counts() == {"ok": 50}
    found = gridmill.check(proper, wrong)
    assert found.verdict.counts() == {"wrong": 50}
    assert all(found.reason)
    assert gridmill.check(proper, right[::-1].copy()).verdict.counts() == {"wrong": 50}
    assert gridmill.check(several, gridmill.solve(several).solution).verdict.counts() == {"not-unique": 10}
    for form in (right, [text(row) for row in right], right.reshape(-1, 9, 9).astype(np.int64)):
        assert gridmill.check(texts("minimal", 50), form).verdict.counts() == {"ok": 50}
    kept = gridmill.check([*texts("easy", 1), "x", texts("easy", 1)[0]], [None, EMPTY, "y"])
    assert kept.verdict.counts() == {"malformed": 3}
    assert gridmill.check(proper[:1], [EMPTY]).verdict[0] in ("wrong", "malformed")


def test_check_refuses_collections_of_different_lengths() -> None:
    with pytest.raises(ValueError, match="expected one for each of 2 puzzles, found 1"):
        gridmill.check(texts("easy", 2), texts("easy", 1))
    with pytest.raises(gridmill.MalformedError) as caught:
        gridmill.check(texts("easy", 2), [texts("easy", 1)[0], None], malformed="raise")
    assert (caught.value.name, caught.value.record) == ("solutions", 1)


# The program to compare with. `.ci/run` sets the variable to a build of it.
COMMAND = os.environ.get("GRIDMILL_COMMAND")
needs_command = pytest.mark.skipif(COMMAND is None, reason="needs GRIDMILL_COMMAND, a build of the command")


def rows_of_command(path: pathlib.Path, *arguments: str) -> list[dict[str, str]]:
    """Returns the rows that the command writes."""
    assert COMMAND is not None
    out = path.with_suffix(".out.csv")
    command = [COMMAND, *arguments, "-o", str(out)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode in (0, 1), run.stderr
    with out.open(newline="") as file:
        return list(csv.DictReader(file))


def rows_of_result(found: Any, names: list[str]) -> list[dict[str, str]]:
    """Returns the rows of a result as texts, as in CSV."""
    rows = found.to_arrow().select(names).to_pylist()
    return [{name: "" if row[name] is None else str(row[name]) for name in names} for row in rows]


# Each function, the arguments of its command, and the columns that both have.
CALLS: dict[str, tuple[Any, list[str], list[str]]] = {
    "solve": (gridmill.solve, ["solve"], ["puzzle", "solution", "status", "guesses"]),
    "verify": (gridmill.verify, ["verify"], ["puzzle", "verdict", "reason"]),
    "canon": (gridmill.canon, ["canon"], ["puzzle", "canonical", "status"]),
    "rate": (
        lambda given: gridmill.rate(given, up_to=4.4),
        ["rate", "--up-to", "4.4"],
        ["puzzle", "er", "ep", "ed", "hardest", "steps", "scale", "status"],
    ),
    "minimize": (
        lambda given: gridmill.minimize(given, seed=7),
        ["minimize", "--seed", "7"],
        ["puzzle", "minimal", "status", "clues"],
    ),
}


@needs_command
@pytest.mark.parametrize("call", CALLS)
def test_tables_equal_the_output_of_the_command(call: str, tmp_path: pathlib.Path) -> None:
    function, arguments, names = CALLS[call]
    puzzles = [puzzle for name in ("easy", "medium", "minimal") for puzzle in texts(name, 30)]
    if call in ("solve", "verify"):
        puzzles = [*puzzles, *texts("multiple", 20), *texts("none", 20), *random_clues(50, seed=23)]
    path = tmp_path / "puzzles.txt"
    path.write_text("".join(f"{puzzle}\n" for puzzle in puzzles))
    written = rows_of_command(path, *arguments, str(path))
    found = rows_of_result(function(puzzles), names)
    if call == "verify":
        found = [row for row in found if row["verdict"] != "unique"]
    assert found == [{name: row[name] for name in names} for row in written]


@needs_command
def test_generated_and_shuffled_puzzles_equal_those_of_the_command(tmp_path: pathlib.Path) -> None:
    written = rows_of_command(
        tmp_path / "made", "generate", "-n", "30", "--seed", "9", "--clues", "24..26", "--to=csv"
    )
    generated = gridmill.generate(30, seed=9, clues=(24, 26))
    names = ["puzzle", "solution", "clues"]
    assert rows_of_result(generated, names) == [{name: row[name] for name in names} for row in written]
    path = tmp_path / "puzzles.txt"
    path.write_text("".join(f"{puzzle}\n" for puzzle in texts("easy", 30)))
    run = subprocess.run(
        [str(COMMAND), "shuffle", "--seed", "4", str(path)],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    assert [text(row) for row in gridmill.shuffle(texts("easy", 30), seed=4)] == run.stdout.split()
