"""Puzzles of other sizes, by `shape`, as texts and as arrays."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from samples import cells, is_solution, solutions, text, texts

import gridmill

SIZES = {"4x4": (2, 2), "6x6": (2, 3), "16x16": (4, 4)}


def given(size: str) -> list[str]:
    return texts(size, 20)


@pytest.mark.parametrize("size", SIZES)
def test_texts_and_arrays_of_every_size_have_the_same_solutions(size: str) -> None:
    shape = SIZES[size]
    puzzles = cells(given(size))
    side = shape[0] * shape[1]
    found = gridmill.solve(given(size), shape=shape)
    assert found.status.counts() == {"unique": 20}
    assert all(is_solution(*pair, shape) for pair in zip(puzzles, found.solution, strict=True))
    squares = puzzles.reshape(-1, side, side)
    lists = pa.array(puzzles.tolist(), pa.list_(pa.int16(), side * side))
    forms: list[Any] = [puzzles, squares, puzzles.astype(np.int64), puzzles.tolist(), list(squares), lists]
    for form in forms:
        same = gridmill.solve(form, shape=f"{shape[0]}x{shape[1]}")
        np.testing.assert_array_equal(same.solution, found.solution)


@pytest.mark.parametrize("size", ["4x4", "6x6"])
def test_small_sizes_agree_with_trying_all_digits(size: str) -> None:
    shape = SIZES[size]
    puzzles = cells(given(size))
    found = gridmill.solve(puzzles, shape=shape)
    expected = [solutions(puzzle, 2, shape) for puzzle in puzzles]
    assert found.solution.tolist() == [one for (one,) in expected]


def test_tables_write_16x16_puzzles_in_the_usual_notation() -> None:
    found = gridmill.solve(cells(given("16x16")), shape=(4, 4))
    assert found.to_pandas()["solution"].tolist() == [text(row) for row in found.solution]
    assert found.to_pandas()["puzzle"].tolist() == given("16x16")


def test_both_notations_of_16x16_puzzles_have_the_same_solutions() -> None:
    """16x16 puzzles are written with 1 to 9 and A to G, or with 0 to 9 and A to F."""
    hexadecimal = [
        puzzle.translate(str.maketrans("123456789ABCDEFG", "0123456789ABCDEF")) for puzzle in given("16x16")
    ]
    usual = gridmill.solve(given("16x16"), shape=(4, 4))
    other = gridmill.solve(hexadecimal, shape=(4, 4))
    np.testing.assert_array_equal(usual.solution, other.solution)


def test_puzzles_of_25x25_cells_are_solved() -> None:
    side = 25
    rows = [[(5 * (row % 5) + row // 5 + column) % side + 1 for column in range(side)] for row in range(side)]
    solved = np.array(rows, np.uint8).reshape(1, -1)
    assert is_solution(solved[0], solved[0], (5, 5))
    puzzle = solved.copy()
    puzzle[0, ::3] = 0
    found = gridmill.solve(puzzle, shape="5x5", limit=1)
    assert is_solution(puzzle[0], found.solution[0], (5, 5))
    as_text = gridmill.solve(text(puzzle[0]), shape="5x5", limit=1)
    np.testing.assert_array_equal(as_text.solution, found.solution)


def test_shapes_2x3_and_3x2_have_different_boxes() -> None:
    tall = gridmill.solve("." * 36, shape=(3, 2), limit=1)
    wide = gridmill.solve("." * 36, shape=(2, 3), limit=1)
    blank = np.zeros(36, np.uint8)
    assert is_solution(blank, tall.solution[0], (3, 2))
    assert is_solution(blank, wide.solution[0], (2, 3))


@pytest.mark.parametrize(
    "shape",
    ["", "3", "x", "3x", "0x3", "3x0", "1000x1000", "6x6", "-2x3", "3 by 3", (0, 3), (6, 6), (2**62, 4)],
)
def test_the_error_for_an_invalid_shape_says_what_was_expected(shape: Any) -> None:
    with pytest.raises(ValueError, match=r"shape=.*expected the rows and columns of a box"):
        gridmill.solve("." * 81, shape=shape)


@pytest.mark.parametrize(
    "shape", [3, 9.0, (3,), (3, 3, 3), [2, "3"], {}, b"3x3", (-2, 3), (2.0, 3.0), (2**70, 1)]
)
def test_an_object_that_is_not_a_shape_is_refused(shape: Any) -> None:
    with pytest.raises(ValueError, match="shape=.*expected the rows and columns of a box"):
        gridmill.solve("." * 81, shape=shape)


def test_the_error_for_an_array_of_another_size_suggests_shape() -> None:
    with pytest.raises(
        ValueError, match=r"expected an array of shape \(n, 81\) or \(n, 9, 9\), found \(20, 36\); .*shape="
    ):
        gridmill.solve(cells(given("6x6")))
    with pytest.raises(gridmill.MalformedError, match=r"puzzles\[0\]: 36 cells where 81 are needed"):
        gridmill.solve(given("6x6"))


def test_a_budget_ends_calls_that_would_not_end_otherwise() -> None:
    full = gridmill.solve(np.zeros((1, 625), int), shape="5x5", limit=1).solution
    some = np.where(np.arange(625) % 3, 0, full).astype(np.uint8)
    for function, puzzles in [
        (gridmill.minimize, full),
        (gridmill.minimal, some),
        (gridmill.candidates, some),
    ]:
        begun = time.monotonic()
        found = function(puzzles, shape="5x5", budget_time=0.5)
        assert list(found.status) == ["budget"] and time.monotonic() - begun < 20


@pytest.mark.parametrize("answer", ["r" * 256, "12345678" + "." * 248, "R" * 256])
def test_answers_that_leave_their_alphabet_open_are_read_in_that_of_the_puzzles(answer: str) -> None:
    empty = "." * 240 + "123456789ABCDEFG"
    verdict = gridmill.check([empty] * 2, [answer] * 2, shape="4x4").verdict
    assert list(verdict) == ["malformed" if answer[0] in "rR" else "wrong"] * 2
    for puzzles in ([empty], gridmill.cells([empty], shape="4x4")):
        found = gridmill.score([answer], puzzles, shape="4x4", malformed="keep")
        assert found.status[0] == ("malformed" if answer[0] in "rR" else "changed")
    if answer[0] != "1":
        assert list(gridmill.count([answer], shape="4x4", malformed="keep").status) == ["malformed"]
