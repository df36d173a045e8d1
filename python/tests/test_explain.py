"""Explanations, hints and lists of solutions equal those of the command and are consistent with the grids."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import CONTRADICTORY, EMPTY, cells, solutions, texts

import gridmill

COMMAND = os.environ.get("GRIDMILL_COMMAND")
needs_command = pytest.mark.skipif(COMMAND is None, reason="needs GRIDMILL_COMMAND, a build of the command")

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"

# Two hundred different puzzles. The last ones have no explanation.
MANY = [
    *texts("easy", 80),
    *texts("medium", 80),
    *texts("minimal", 35),
    *texts("multiple", 3),
    EMPTY,
    CONTRADICTORY,
]


def printed(folder: Path, puzzles: list[str], *arguments: str) -> str:
    """Returns the command's output for puzzles."""
    assert COMMAND is not None
    path = folder / "puzzles.txt"
    path.write_text("\n".join(puzzles) + "\n")
    command = [COMMAND, arguments[0], str(path), *arguments[1:]]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@needs_command
@pytest.mark.parametrize(
    ("name", "arguments", "options"),
    [
        ("explain", {}, []),
        ("explain", {"until": 2.3, "scale": "se"}, ["--until", "2.3", "--scale", "se"]),
        (
            "explain",
            {"rounds": 5, "grid": "every", "ties": "reading"},
            ["--until", "5", "--grid", "every", "--ties", "reading"],
        ),
        ("explain", {"grid": "never", "reasons": True}, ["--grid", "never", "--reasons"]),
        ("hint", {}, []),
        ("hint", {"all": True, "grid": "never"}, ["--all", "--grid", "never"]),
    ],
)
def test_text_and_json_equal_those_of_the_command(
    name: str, arguments: dict[str, Any], options: list[str], tmp_path: Path
) -> None:
    function = getattr(gridmill, name)
    found = function(MANY, text=True, json=True, **arguments)
    assert list(found.json) == printed(tmp_path, MANY, name, "--to", "jsonl", *options).splitlines()
    output = printed(tmp_path, MANY, name, *options)
    headings = re.findall(r"^record \d+: .*\n", output, re.MULTILINE)
    whole = "\n".join(heading + (text or "") for heading, text in zip(headings, found.text, strict=True))
    assert whole == output
    statuses = [heading.split()[2].rstrip(":") for heading in headings]
    assert statuses == list(found.status)


@needs_command
def test_json_repeats_puzzles_as_they_were_given(tmp_path: Path) -> None:
    puzzles = [EASY.replace(".", "0"), EASY, EASY.replace(".", "_")]
    objects = printed(tmp_path, puzzles, "explain", "--to", "jsonl").splitlines()
    assert list(gridmill.explain(puzzles, json=True).json) == objects
    # Blank cells are written as dots.
    assert gridmill.explain(cells(puzzles[:1]), json=True).json[0] == objects[1]


def test_steps_lead_to_the_solution_and_equal_those_in_json() -> None:
    puzzles = MANY[:120]
    found = gridmill.explain(puzzles, words=True, json=True)
    solved = gridmill.solve(puzzles).solution
    rated = gridmill.rate(puzzles)
    np.testing.assert_array_equal(found.er, rated.er)
    np.testing.assert_array_equal(found.rounds, rated.steps)
    assert set(found.end) == {"solved"}
    steps = found.steps
    assert len(steps) == found.deductions.sum() == steps.offsets[-1]
    np.testing.assert_array_equal(np.repeat(np.arange(len(puzzles)), np.diff(steps.offsets)), steps.record)
    places = steps.cell >= 0
    assert (solved[steps.record[places], steps.cell[places]] == steps.digit[places]).all()
    removed = steps.removed
    records = np.repeat(steps.record, np.diff(removed.offsets))
    assert (solved[records, removed.cells] != removed.digits).all()
    at = 0
    for written in found.json:
        for round in json.loads(written)["explanation"]["rounds"]:
            for step in round["steps"]:
                assert steps.round[at] == round["round"] and steps.rating[at] == step["rating"]
                assert steps.technique[at] == step["technique"] and steps.reason[at] == step["reason"]
                placed = step["placed"] and (step["placed"]["cell"], step["placed"]["digit"])
                assert placed == (named(steps.cell[at]), steps.digit[at]) if placed else steps.cell[at] == -1
                expected = {(one["cell"], one["digit"]) for one in step["removed"]}
                assert expected == {(named(one // 9), one % 9 + 1) for one in removed[at]}
                at += 1
    assert at == len(steps)


def named(cell: int) -> str:
    return f"r{cell // 9 + 1}c{cell % 9 + 1}"


@pytest.mark.parametrize("threads", [1, 3])
def test_results_do_not_depend_on_threads_and_malformed_records_have_no_steps(threads: int) -> None:
    puzzles = [MANY[0], "12", *MANY[1:60], None, EMPTY, *MANY[60:90]]
    found = gridmill.explain(puzzles, words=True, text=True, json=True, threads=threads, malformed="keep")
    good = [record for record, puzzle in enumerate(puzzles) if puzzle not in ("12", None)]
    alone = gridmill.explain([puzzles[record] for record in good], words=True, text=True, json=True)
    assert [found.status[record] for record in (1, 61, 62)] == ["malformed", "malformed", "multiple"]
    assert [found.text[record] for record in good] == list(alone.text)
    assert [found.json[record] for record in good] == list(alone.json) and found.json[1] is None
    np.testing.assert_array_equal(found.steps.record, np.array(good)[alone.steps.record])
    assert list(found.steps.reason) == list(alone.steps.reason)
    with pytest.raises(gridmill.MalformedError, match=r"puzzles\[1\]"):
        gridmill.explain(puzzles)


def test_tables_have_nulls_and_lists() -> None:
    import polars as pl

    found = gridmill.explain([MANY[100], EMPTY], words=True)
    table = found.steps.to_arrow()
    assert str(table.schema.field("removed").type) == "large_list<item: uint16 not null>"
    assert table["cell"].null_count == (found.steps.cell < 0).sum() == table["digit"].null_count
    frame = found.steps.to_polars()
    assert frame["removed"].list.len().to_list() == np.diff(found.steps.removed.offsets).tolist()
    pandas = found.steps.to_pandas()
    assert pandas["reason"].to_list() == frame["reason"].to_list() == list(found.steps.reason)
    assert found.to_polars()["er"].to_list()[1] is None
    assert pl.DataFrame(found)["end"].to_list() == ["solved", None]


def test_results_with_lists_can_be_pickled() -> None:
    found = gridmill.explain(MANY[:3], words=True, text=True)
    again = pickle.loads(pickle.dumps(found))
    assert list(again.text) == list(found.text) and again.steps.to_arrow() == found.steps.to_arrow()
    listed = gridmill.enumerate(["." * 16], limit=3, shape="2x2").listed
    assert pickle.loads(pickle.dumps(listed)).to_arrow() == listed.to_arrow()


def test_a_full_grid_has_the_rating_of_rate() -> None:
    full = gridmill.solve(EASY).solution
    found = gridmill.explain(full)
    assert (found.end[0], found.er[0], found.er[0]) == ("solved", 0.0, gridmill.rate(full).er[0])


def test_hint_continues_from_candidates() -> None:
    explained = gridmill.explain(MANY[100], rounds=3, json=True)
    state = json.loads(explained.json[0])["explanation"]["pencilmarks"]
    for puzzles in [state, [state], np.array([state])]:
        found = gridmill.hint(puzzles, words=True)
        following = gridmill.explain(MANY[100], words=True).steps
        first = (following.round == 4).argmax()
        assert found.steps.reason[0] == following.reason[first] and found.rating[0] == following.rating[first]
    # A puzzle without pencilmarks is accepted too.
    assert gridmill.hint(EASY).deductions[0] == gridmill.hint(EASY, all=True).steps.offsets[1]
    assert len(gridmill.hint(EASY).steps) == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"rounds": 0}, "rounds=0: expected a whole number from 1"),
        ({"until": 4, "rounds": 2}, "until, rounds: expected one of them"),
        ({"until": 4.25}, "until=4.25: expected a rating from 1.0 to 13.0"),
        ({"grid": "often"}, 'grid="often": expected one of auto, every, never'),
        ({"scale": "mine"}, "scale: "),
        ({"shape": "2x2"}, 'shape="2x2": only 9x9 puzzles can be rated and explained'),
    ],
)
def test_invalid_arguments_are_refused(arguments: dict[str, Any], expected: str) -> None:
    with pytest.raises(ValueError, match=re.escape(expected)):
        gridmill.explain([EASY] if "shape" not in arguments else ["." * 16], **arguments)


@pytest.mark.parametrize(("shape", "size"), [("2x2", 16), ("2x3", 36), ("3x3", 81)])
@pytest.mark.parametrize("limit", [1, 2, 7, 3000])
def test_enumerate_lists_each_solution_once_in_order_of_puzzles(shape: str, size: int, limit: int) -> None:
    rng = np.random.default_rng(1)
    boxes = tuple(map(int, shape.split("x")))
    full = gridmill.solve(np.zeros((1, size), int), shape=shape, limit=1).solution[0]
    some = np.where(rng.random((40, size)) < 0.45, 0, full).astype(np.uint8)
    found = gridmill.enumerate(some, limit=limit, shape=shape)
    listed = found.listed
    np.testing.assert_array_equal(np.diff(listed.offsets), found.solutions)
    for record, puzzle in enumerate(some):
        own = listed.solution[listed.offsets[record] : listed.offsets[record + 1]]
        known = {tuple(grid) for grid in solutions(puzzle, 5000, boxes)}
        assert len({tuple(grid) for grid in own.tolist()}) == len(own) == min(limit, len(known))
        assert {tuple(grid) for grid in own.tolist()} <= known
    one_by_one = [gridmill.enumerate(puzzle, limit=limit, shape=shape).listed.solution for puzzle in some]
    np.testing.assert_array_equal(np.concatenate(one_by_one), listed.solution)


@needs_command
def test_listed_solutions_equal_those_of_the_command(tmp_path: Path) -> None:
    puzzles = [*texts("multiple", 20), *texts("easy", 20), CONTRADICTORY]
    found = gridmill.enumerate(puzzles, limit=50)
    lines = printed(
        tmp_path, puzzles, "enumerate", "--limit", "50", "--to", "csv", "--columns", "solution"
    ).splitlines()
    assert [line for line in lines[1:] if line.strip('"')] == found.listed.to_polars()["solution"].to_list()


def test_enumerate_stops_at_its_budget() -> None:
    found = gridmill.enumerate([EMPTY, EASY], limit=0, budget_guesses=500)
    assert list(found.status) == ["budget", "unique"] and 0 < found.solutions[0] < 1000
    with pytest.raises(TypeError, match="limit"):
        gridmill.enumerate(EASY)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("shape", "dtype"), [("2x2", np.uint16), ("4x4", np.uint16), ("3x3", np.uint16), ("5x5", np.uint32)]
)
def test_masks_have_the_digits_of_the_candidates(shape: str, dtype: type) -> None:
    side = int(shape[0]) ** 2
    full = gridmill.solve(np.zeros((1, side * side), int), shape=shape, limit=1).solution[0]
    some = np.where(np.arange(side * side) % (3 * side) < 3, 0, full).astype(np.uint8)
    wrong = np.where(full == 1, 2, full)
    found = gridmill.candidates([some.tolist(), [1], wrong.tolist()], shape=shape, malformed="keep")
    assert list(found.status)[1:] == ["malformed", "conflict"]
    assert found.masks.dtype == dtype and found.masks.shape == (3, side * side)
    assert found.holds.dtype == bool and found.holds.shape == (3, side * side, side)
    text = np.frombuffer(found.candidates[0].encode(), np.uint8).reshape(-1, side)
    np.testing.assert_array_equal(found.holds[0], text != ord("."))
    np.testing.assert_array_equal(found.masks, (found.holds * 2 ** np.arange(side)).sum(axis=2))
    assert not found.masks[1:].any() and "masks" not in found.to_arrow().column_names
    assert (pickle.loads(pickle.dumps(found)).masks == found.masks).all()


def test_masks_do_not_depend_on_how_digits_are_written() -> None:
    by_number = gridmill.candidates(" ".join(["12", *["0"] * 255]), shape="4x4")
    by_letter = gridmill.candidates("C" + "." * 255, shape="4x4 1-9A-G")
    assert by_number.masks[0, 0] == by_letter.masks[0, 0] == 1 << 11
    np.testing.assert_array_equal(by_number.holds, by_letter.holds)
