"""Puzzles of `datasets/` for the tests, and facts about them that are computed without the package."""

from __future__ import annotations

import functools
import pathlib
import random

import numpy as np
from numpy.typing import NDArray

DATASETS = pathlib.Path(__file__).resolve().parent.parent.parent / "datasets"

LETTERS = ".123456789ABCDEFGHIJKLMNOP"

CONTRADICTORY = "11" + "." * 79
EMPTY = "." * 81


@functools.cache
def texts(name: str, count: int | None = None) -> list[str]:
    """Returns the first puzzles of a file."""
    lines = (DATASETS / f"{name}.txt").read_text().splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith("#")][:count]


def cells(puzzles: list[str]) -> NDArray[np.uint8]:
    """Returns puzzles as an array with a row for each."""
    rows = [[LETTERS.index("." if cell == "0" else cell) for cell in puzzle] for puzzle in puzzles]
    return np.array(rows, np.uint8)


def text(row: NDArray[np.integer]) -> str:
    """Returns cells as a text."""
    return "".join(LETTERS[cell] for cell in row.ravel())


def boxes(rows: int, columns: int) -> NDArray[np.intp]:
    """Returns the houses of a grid with boxes of that size: a row for each, with the places of its cells."""
    side = rows * columns
    place = np.arange(side * side).reshape(side, side)
    of_boxes = place.reshape(columns, rows, rows, columns).swapaxes(1, 2).reshape(side, side)
    return np.concatenate([place, place.T, of_boxes])


def is_solution(puzzle: NDArray[np.uint8], grid: NDArray[np.uint8], shape: tuple[int, int] = (3, 3)) -> bool:
    """Returns whether a grid keeps the clues of a puzzle and has every digit once in each house."""
    side = shape[0] * shape[1]
    wanted = np.arange(1, side + 1)
    keeps = np.array_equal(grid[puzzle > 0], puzzle[puzzle > 0])
    return keeps and bool((np.sort(grid[boxes(*shape)], axis=1) == wanted).all())


@functools.cache
def peers(shape: tuple[int, int]) -> list[list[int]]:
    """Returns the other cells of the houses of each cell."""
    side = shape[0] * shape[1]
    found: list[set[int]] = [set() for _ in range(side * side)]
    for house in boxes(*shape).tolist():
        for cell in house:
            found[cell].update(house)
    return [sorted(others - {cell}) for cell, others in enumerate(found)]


def solutions(puzzle: NDArray[np.uint8], limit: int, shape: tuple[int, int] = (3, 3)) -> list[list[int]]:
    """Returns up to `limit` solutions, by trying digits where the fewest are left."""
    side = shape[0] * shape[1]
    houses = [
        [house for house, cells in enumerate(boxes(*shape).tolist()) if cell in cells]
        for cell in range(side * side)
    ]
    grid = [0] * (side * side)
    taken = [0] * (3 * side)
    found: list[list[int]] = []

    def place(cell: int, digit: int) -> None:
        grid[cell] = digit
        for house in houses[cell]:
            taken[house] ^= 1 << digit

    def search(blanks: list[int]) -> None:
        fewest, chosen, left = side + 1, -1, 0
        for cell in blanks:
            a, b, c = houses[cell]
            free = ~(taken[a] | taken[b] | taken[c]) & ((2 << side) - 2)
            if free.bit_count() < fewest:
                fewest, chosen, left = free.bit_count(), cell, free
                if fewest < 2:
                    break
        if chosen < 0:
            found.append(list(grid))
            return
        rest = [cell for cell in blanks if cell != chosen]
        for digit in range(1, side + 1):
            if left >> digit & 1 and len(found) < limit:
                place(chosen, digit)
                search(rest)
                place(chosen, digit)
        grid[chosen] = 0

    if not is_contradictory(puzzle, shape):
        for cell, digit in enumerate(puzzle.tolist()):
            if digit:
                place(cell, digit)
        search([cell for cell, digit in enumerate(grid) if digit == 0])
    return found


def is_contradictory(puzzle: NDArray[np.uint8], shape: tuple[int, int] = (3, 3)) -> bool:
    """Returns whether two equal clues share a house."""
    grid = puzzle.tolist()
    return any(
        grid[cell] and grid[cell] in [grid[o] for o in others] for cell, others in enumerate(peers(shape))
    )


def status(puzzle: NDArray[np.uint8], shape: tuple[int, int] = (3, 3)) -> str:
    """Returns the status that `solve` must find for a puzzle."""
    if is_contradictory(puzzle, shape):
        return "conflict"
    return ["none", "unique", "multiple"][len(solutions(puzzle, 2, shape))]


def disguised(puzzle: NDArray[np.uint8], rng: random.Random) -> NDArray[np.uint8]:
    """Returns a random isomorph of a 9x9 puzzle: digits and lines are permuted, and it may be transposed."""

    def lines() -> list[int]:
        bands = rng.sample(range(3), 3)
        return [3 * band + line for band in bands for line in rng.sample(range(3), 3)]

    digits = np.array([0, *rng.sample(range(1, 10), 9)], np.uint8)
    grid = digits[puzzle.reshape(9, 9)][lines()][:, lines()]
    return np.ascontiguousarray(grid.T if rng.random() < 0.5 else grid).reshape(81)
