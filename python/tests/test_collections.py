"""Parts, selections and statistics of collections equal those of the command."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import CONTRADICTORY, EMPTY, cells, texts

import gridmill

COMMAND = os.environ.get("GRIDMILL_COMMAND")
needs_command = pytest.mark.skipif(COMMAND is None, reason="needs GRIDMILL_COMMAND, a build of the command")

PROPER = [*texts("easy", 60), *texts("medium", 60), *texts("minimal", 60), *texts("hard", 20)]
# Some occur twice, some are isomorphs of others, and some do not have exactly one solution.
PUZZLES = [
    *PROPER,
    *PROPER[::7],
    *gridmill.shuffle(PROPER[::5], seed=3).astype("U1").tolist(),
    *texts("multiple", 5),
    *texts("none", 5),
    EMPTY,
    CONTRADICTORY,
]
PUZZLES = ["".join(puzzle).replace("0", ".") for puzzle in PUZZLES]
NUMBERS = [f"{place % 37 / 10:.1f}" if place % 11 else "" for place in range(len(PUZZLES))]


def run(folder: Path, *arguments: str, malformed: bool = False) -> str:
    """Writes the puzzles to a table in a folder, and runs the command on it."""
    assert COMMAND is not None
    rows = [f"{place},{puzzle},{NUMBERS[place]}" for place, puzzle in enumerate(PUZZLES)]
    rows += ["last,12,1.0"] if malformed else []
    (folder / "puzzles.csv").write_text("\n".join(["id,puzzle,number", *rows]) + "\n")
    command = [COMMAND, arguments[0], "puzzles.csv", *arguments[1:]]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@needs_command
@pytest.mark.parametrize("ratio", [(1, 1), (80, 10, 10), (9, 1)])
@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({}, []),
        ({"isomorphic": True, "seed": 7}, ["--isomorphic", "--seed", "7"]),
        ({"same_solution": True}, ["--same-solution"]),
        ({"stratify": "clues"}, ["--stratify", "clues"]),
        ({"stratify": "clues", "bins": 3, "isomorphic": True}, ["--stratify", "clues by 3", "--isomorphic"]),
        ({"stratify": NUMBERS}, ["--stratify", "number"]),
        ({"stratify": NUMBERS, "bins": 0.5, "seed": 2}, ["--stratify", "number by 0.5", "--seed", "2"]),
    ],
    ids=str,
)
def test_parts_equal_those_of_the_command(
    arguments: dict[str, Any], options: list[str], ratio: tuple[int, ...], tmp_path: Path
) -> None:
    names = [f"part{part}.csv" for part in range(len(ratio))]
    outputs = [option for name in names for option in ("-o", name)]
    run(tmp_path, "split", "--ratio", ":".join(map(str, ratio)), *outputs, *options)
    part = np.full(len(PUZZLES), 255)
    for number, name in enumerate(names):
        for row in (tmp_path / name).read_text().splitlines()[1:]:
            part[int(row.split(",")[0])] = number
    np.testing.assert_array_equal(gridmill.split(PUZZLES, ratio, **arguments).part, part)


def test_isomorphs_are_never_in_different_parts() -> None:
    found = gridmill.split(PUZZLES, (6, 4), isomorphic=True)
    first, second = cells(PUZZLES)[found.part == 0], cells(PUZZLES)[found.part == 1]
    assert abs(len(first) - 0.6 * len(PUZZLES)) < 5
    assert (gridmill.same(second, first, isomorphic=True).same_as < 0).all()
    # A different seed gives different parts, but a different number of threads does not.
    assert (gridmill.split(PUZZLES, (6, 4), isomorphic=True, seed=2).part != found.part).any()
    assert (gridmill.split(PUZZLES, (6, 4), isomorphic=True, threads=1).part == found.part).all()


def test_records_that_cannot_be_compared_are_in_the_first_part() -> None:
    found = gridmill.split([*PROPER, "12", None, EMPTY], (1, 9), same_solution=True, malformed="keep")
    assert found.part[-3:].tolist() == [0, 0, 0]
    assert list(found.status)[-3:] == ["malformed", "malformed", "improper"]
    assert found.to_polars()["part"].to_list() == found.part.tolist()
    with pytest.raises(gridmill.MalformedError):
        gridmill.split([*PROPER, "12"], (1, 9))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"ratio": (1,)}, "ratio=\\(1,\\): expected 2 to 256"),
        ({"ratio": (1, 0)}, "ratio=0: expected a whole number"),
        ({"ratio": (1, 1), "bins": 2.0}, "bins=2.0: needs stratify="),
        ({"ratio": (1, 1), "stratify": "rating"}, "stratify='rating': expected 'clues'"),
        (
            {"ratio": (1, 1), "stratify": [1, 2]},
            "stratify: expected a value for each of 200 puzzles, found 2",
        ),
        ({"ratio": (1, 1), "stratify": "clues", "bins": 0}, "above 0"),
        ({"ratio": (1, 1), "stratify": ["easy"] * 200, "bins": 0.5}, "to be numbers, .*, found 'easy'"),
    ],
    ids=str,
)
def test_invalid_arguments_of_split_are_refused(arguments: dict[str, Any], expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        gridmill.split(PROPER, **arguments)


@needs_command
@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({}, []),
        ({"clues": (17, 25)}, ["--clues", "17..25"]),
        ({"clues": 26, "invert": True}, ["--clues", "26", "--invert"]),
        ({"status": "unique", "guesses": (1, 5)}, ["--status", "unique", "--guesses", "1..5"]),
        ({"status": ("multiple", "malformed")}, ["--status", "multiple,malformed"]),
        ({"status": "malformed", "invert": True}, ["--status", "malformed", "--invert"]),
        ({"minimal": True}, ["--minimal"]),
        ({"er": (2.0, 3.0)}, ["--er", "2.0..3.0"]),
        ({"er": 1.5, "scale": "se", "clues": (0, 30)}, ["--er", "1.5", "--scale", "se", "--clues", "..30"]),
        ({"technique": "pointing"}, ["--technique", "pointing"]),
        ({"skip": 5, "take": 20, "clues": (0, 30)}, ["--skip", "5", "--take", "20", "--clues", "..30"]),
        ({"take": 0}, ["--take", "0"]),
        ({"sample": 30, "seed": 9}, ["--sample", "30", "--seed", "9"]),
        (
            {"sample": 30, "skip": 100, "status": "unique"},
            ["--sample", "30", "--skip", "100", "--status", "unique"],
        ),
        ({"sample": 40, "stratify": "clues"}, ["--sample", "40", "--stratify", "clues"]),
        (
            {"sample": 40, "stratify": [*NUMBERS, 1.0], "bins": 0.5},
            ["--sample", "40", "--stratify", "number by 0.5"],
        ),
    ],
    ids=str,
)
def test_selected_puzzles_equal_those_of_the_command(
    arguments: dict[str, Any], options: list[str], tmp_path: Path
) -> None:
    rows = run(tmp_path, "select", *options, malformed=True).splitlines()[1:]
    places = [len(PUZZLES) if row.startswith("last") else int(row.split(",")[0]) for row in rows]
    given = [*PUZZLES, "12"]
    if arguments.get("stratify") == "clues":
        # Malformed records have no number of clues, so they are left out.
        given, places = PUZZLES, [place for place in places if place < len(PUZZLES)]
    found = gridmill.select(given, malformed="keep", **arguments)
    assert found.dtype == bool and found.shape == (len(given),)
    np.testing.assert_array_equal(np.flatnonzero(found), places)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"status": "good"}, 'status="good": expected one of unique, multiple, none, conflict, malformed'),
        ({"technique": "luck"}, "technique: there is no technique"),
        ({"er": 99}, "expected ratings from 1.0 to 13.0"),
        ({"clues": (1.5, 2)}, "expected whole numbers"),
        ({"stratify": "clues"}, "stratify= needs sample="),
        ({"take": -1}, "take=-1"),
        ({"er": 1.2, "shape": "2x2"}, "only 9x9 puzzles can be rated"),
    ],
    ids=str,
)
def test_invalid_arguments_of_select_are_refused(arguments: dict[str, Any], expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        gridmill.select(PROPER if "shape" not in arguments else ["." * 16], **arguments)


@needs_command
@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({}, []),
        ({"isomorphic": True}, ["--isomorphic"]),
        ({"rating": True, "scale": "se"}, ["--rating", "--scale", "se"]),
        ({"neighbors": True, "backdoors": True, "bands": True}, ["--neighbors", "--backdoors", "--bands"]),
    ],
    ids=str,
)
def test_statistics_equal_those_of_the_command(
    arguments: dict[str, Any], options: list[str], tmp_path: Path
) -> None:
    expected = json.loads(run(tmp_path, "stats", "--to", "json", *options, malformed=True))
    found = gridmill.stats([*PUZZLES, "12"], **arguments)
    del expected["files"]
    for statistics in (expected, found):
        assert statistics.pop("time_ns")["max"] > 0
    assert found == expected


def test_statistics_work_for_no_puzzles_and_for_other_sizes() -> None:
    assert gridmill.stats([])["records"] == 0
    found = gridmill.stats(["." * 16, "1" + "." * 15], shape="2x2", isomorphic=True)
    assert (found["duplicates"], found["clues"]) == (0, {"0": 1, "1": 1})
    with pytest.raises(gridmill.MalformedError):
        gridmill.stats(["12"], malformed="raise")


def test_malformed_records_are_kept_when_clues_are_stratified() -> None:
    puzzles = [*gridmill.texts(gridmill.generate(20, seed=3).puzzle), "bad"]
    found = gridmill.split(puzzles, (8, 2), stratify="clues", malformed="keep")
    assert (found.part[20], list(found.status)[20]) == (0, "malformed")
    chosen = gridmill.select(puzzles, sample=5, stratify="clues", malformed="keep")
    assert chosen.sum() == 5
    with pytest.raises(gridmill.MalformedError):
        gridmill.split(puzzles, (8, 2), stratify="clues")
