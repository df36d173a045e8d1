"""Canonical forms, keys, duplicates, minimal puzzles, ratings, generated puzzles and isomorphs are right."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from samples import (
    CONTRADICTORY,
    EMPTY,
    cells,
    disguised,
    is_contradictory,
    is_solution,
    solutions,
    text,
    texts,
)

import gridmill

PUZZLES = cells([*texts("minimal", 60), *texts("hard", 20), *texts("multiple", 20)])


def disguises(seed: int) -> NDArray[np.uint8]:
    """Returns an isomorph of each puzzle, computed without the package."""
    rng = random.Random(seed)
    return np.stack([disguised(puzzle, rng) for puzzle in PUZZLES])


def same_clues(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> bool:
    """Returns whether two puzzles have the same numbers of clues per digit, up to renaming digits."""
    return sorted(np.bincount(a, minlength=10)[1:]) == sorted(np.bincount(b, minlength=10)[1:])


def test_isomorphs_and_no_others_share_a_canonical_form() -> None:
    forms = gridmill.canon(PUZZLES).canonical
    for seed in (1, 2):
        np.testing.assert_array_equal(gridmill.canon(disguises(seed)).canonical, forms)
    # No two of these puzzles are isomorphs, so no two forms are equal.
    assert len({form.tobytes() for form in forms}) == len(PUZZLES)
    assert all(same_clues(form, puzzle) for form, puzzle in zip(forms, PUZZLES, strict=True))
    np.testing.assert_array_equal(gridmill.canon(forms).canonical, forms)
    assert all(text(form) <= text(puzzle) for form, puzzle in zip(forms, PUZZLES, strict=True))


def test_maxlex_forms_are_shared_by_isomorphs_and_not_below_any_of_them() -> None:
    forms = gridmill.canon(PUZZLES, maxlex=True).canonical
    for seed in range(3):
        isomorphs = disguises(seed)
        np.testing.assert_array_equal(gridmill.canon(isomorphs, maxlex=True).canonical, forms)
        assert all(list(form) >= list(isomorph) for form, isomorph in zip(forms, isomorphs, strict=True))


def test_automorphisms_are_counted() -> None:
    assert gridmill.canon(EMPTY).automorphisms[0] == 3_359_232
    assert (gridmill.canon(PUZZLES).automorphisms >= 1).all()


def test_contradictory_clues_have_no_canonical_form() -> None:
    found = gridmill.canon([CONTRADICTORY, EMPTY])
    assert list(found.status) == ["conflict", "ok"]
    assert found.to_arrow()["canonical"].to_pylist() == [None, EMPTY]


def test_isomorphs_and_no_others_share_an_isomorphic_key() -> None:
    keys = gridmill.keys(PUZZLES, isomorphic=True).key
    assert keys.shape == (len(PUZZLES), 41)
    assert len({key.tobytes() for key in keys}) == len(PUZZLES)
    np.testing.assert_array_equal(gridmill.keys(disguises(3), isomorphic=True).key, keys)
    listed = gridmill.keys([text(puzzle) for puzzle in disguises(4)], isomorphic=True)
    np.testing.assert_array_equal(listed.key, keys)


def test_puzzles_with_different_clues_have_different_keys() -> None:
    plain = gridmill.keys(PUZZLES).key
    np.testing.assert_array_equal(gridmill.keys(PUZZLES.copy()).key, plain)
    other = gridmill.keys(disguises(5)).key
    assert (plain != other).any(axis=1).all()


def test_keys_by_solution_equal_the_keys_of_the_solutions() -> None:
    proper = PUZZLES[:60]
    solved = gridmill.solve(proper).solution
    for isomorphic in (False, True):
        of_puzzles = gridmill.keys(proper, isomorphic=isomorphic, same_solution=True)
        of_solutions = gridmill.keys(solved, isomorphic=isomorphic, same_solution=True)
        np.testing.assert_array_equal(of_puzzles.key, of_solutions.key)
    improper = gridmill.keys(PUZZLES[80:], same_solution=True)
    assert improper.status.counts() == {"improper": 20}


@pytest.mark.parametrize("isomorphic", [False, True])
def test_duplicates_equal_those_found_with_a_dictionary_of_keys(isomorphic: bool) -> None:
    rng = np.random.default_rng(7)
    pile = np.concatenate([PUZZLES, disguises(6), PUZZLES])[rng.permutation(3 * len(PUZZLES))]
    keys = [key.tobytes() for key in gridmill.keys(pile, isomorphic=isomorphic).key]
    first: dict[bytes, int] = {}
    expected = []
    for record, key in enumerate(keys):
        expected.append(first.get(key, -1))
        first.setdefault(key, record)
    found = gridmill.same(pile, isomorphic=isomorphic)
    assert found.same_as.tolist() == expected
    assert (found.same_as < 0).sum() == len(PUZZLES) * (1 if isomorphic else 2)


def test_matches_in_another_collection_are_the_first_there() -> None:
    others = np.concatenate([PUZZLES[:30], PUZZLES[:30], disguises(8)[50:60]])
    found = gridmill.same(PUZZLES, others, isomorphic=True).same_as
    assert found[:30].tolist() == list(range(30))
    assert found[30:50].tolist() == [-1] * 20
    assert found[50:60].tolist() == list(range(60, 70))
    plain = gridmill.same(PUZZLES, others).same_as
    assert plain[:30].tolist() == list(range(30))
    assert plain[30:].tolist() == [-1] * 70
    assert gridmill.same(PUZZLES, []).same_as.tolist() == [-1] * 100
    assert len(gridmill.same([], PUZZLES)) == 0


def test_the_error_for_a_malformed_puzzle_in_others_names_it() -> None:
    with pytest.raises(gridmill.MalformedError, match=r"others\[1\]"):
        gridmill.same(texts("easy", 1), [EMPTY, "x"])
    kept = gridmill.same(["x", "x", EMPTY, None], malformed="keep")
    assert kept.same_as.tolist() == [-1] * 4


def test_no_clue_of_a_minimized_puzzle_can_be_removed() -> None:
    solved = gridmill.solve(PUZZLES[:30]).solution
    found = gridmill.minimize(solved, seed=11)
    assert found.status.counts() == {"unique": 30}
    np.testing.assert_array_equal(found.clues, (found.minimal > 0).sum(axis=1))
    np.testing.assert_array_equal(gridmill.solve(found.minimal).solution, solved)
    for puzzle in found.minimal:
        clues = np.flatnonzero(puzzle)
        without_one = np.repeat(puzzle[None], len(clues), axis=0)
        without_one[np.arange(len(clues)), clues] = 0
        assert gridmill.solve(without_one).status.counts() == {"multiple": len(clues)}
    for puzzle, solution in zip(found.minimal[:3], solved, strict=False):
        assert solutions(puzzle, 2) == [solution.tolist()]


def test_minimize_depends_on_the_seed_and_more_orders_never_add_clues() -> None:
    solved = gridmill.solve(PUZZLES[:20]).solution
    one = gridmill.minimize(solved, seed=1)
    np.testing.assert_array_equal(one.minimal, gridmill.minimize(solved, seed=1).minimal)
    assert (one.minimal != gridmill.minimize(solved, seed=2).minimal).any()
    assert (gridmill.minimize(solved, seed=1, orders=5).clues <= one.clues).all()


def test_redundant_clues_are_those_that_can_be_removed_one_at_a_time() -> None:
    found = gridmill.minimal(PUZZLES[:80])
    for puzzle, status, redundant in zip(PUZZLES[:80], found.status, found.redundant, strict=True):
        clues = np.flatnonzero(puzzle)
        without_one = np.repeat(puzzle[None], len(clues), axis=0)
        without_one[np.arange(len(clues)), clues] = 0
        removable = clues[gridmill.solve(without_one).status == "unique"]
        assert redundant == " ".join(f"r{cell // 9 + 1}c{cell % 9 + 1}" for cell in removable)
        assert status == ("redundant" if len(removable) else "minimal")
    kept = gridmill.minimal([CONTRADICTORY, EMPTY, "x"], malformed="keep")
    assert list(kept.status) == ["conflict", "multiple", "malformed"]


def test_minimize_by_clues_does_not_depend_on_the_other_puzzles() -> None:
    puzzles = [*texts("easy", 40), "12", *texts("easy", 10)]
    whole = gridmill.minimize(puzzles, by_clues=True, seed=5, malformed="keep").minimal
    part = gridmill.minimize(puzzles[30:], by_clues=True, seed=5, malformed="keep").minimal
    assert (whole[30:] == part).all() and (whole[:10] == whole[41:]).all()
    assert (whole != gridmill.minimize(puzzles, by_clues=True, seed=6, malformed="keep").minimal).any()


@pytest.mark.parametrize("size", ["2x2", "2x3"])
def test_candidates_are_the_digits_of_all_solutions(size: str) -> None:
    shape = (int(size[0]), int(size[2]))
    side = shape[0] * shape[1]
    puzzles = gridmill.generate(20, shape=size, seed=4).puzzle
    # Most puzzles lose clues, so that they have many solutions. The last one gets a contradiction.
    puzzles[:15, : 2 * side] = 0
    puzzles[19, :2] = 1
    found = gridmill.candidates(puzzles, shape=size).candidates
    for puzzle, candidates in zip(puzzles, found, strict=True):
        expected = [set(cells) for cells in zip(*solutions(puzzle, 10**6, shape), strict=True)]
        cells = [candidates[at : at + side] for at in range(0, len(candidates), side)]
        assert [{int(digit) for digit in cell if digit != "."} for cell in cells] == expected


def test_puzzles_without_exactly_one_solution_are_not_minimized() -> None:
    given = [texts("multiple", 1)[0], texts("none", 1)[0], CONTRADICTORY, "x"]
    found = gridmill.minimize(given, malformed="keep")
    assert list(found.status) == ["multiple", "none", "conflict", "malformed"]
    assert not found.minimal.any()
    assert found.to_arrow()["minimal"].to_pylist() == [None] * 4


def test_isomorphs_have_the_same_rating() -> None:
    expected = gridmill.rate(PUZZLES[:12], up_to=6.6)
    found = gridmill.rate(disguises(9)[:12], up_to=6.6)
    np.testing.assert_array_equal(found.er, expected.er)
    np.testing.assert_array_equal(found.rating, found.er)
    assert list(found.hardest) == list(expected.hardest)


def test_easy_puzzles_have_the_ratings_of_singles() -> None:
    found = gridmill.rate(texts("easy", 50))
    assert found.status.counts() == {"rated": 50}
    assert found.er.max() <= 2.3
    assert (found.ed <= found.er).all()
    blanks = (cells(texts("easy", 50)) == 0).sum(axis=1)
    assert (found.steps <= blanks).all()
    hardest = found.rounds("hidden-single-box")
    assert hardest.shape == (50,)
    assert (hardest[found.hardest == "hidden-single-box"] > 0).all()
    with pytest.raises(ValueError, match="expected one of .*x-wing"):
        found.rounds("x wing")


def test_a_rating_above_the_limit_is_unknown() -> None:
    found = gridmill.rate(
        [*texts("hard", 3), *texts("easy", 1), CONTRADICTORY, texts("multiple", 1)[0]], up_to=2.3
    )
    assert list(found.status) == ["above"] * 3 + ["rated", "conflict", "multiple"]
    assert np.isnan(found.er[[0, 1, 2, 4, 5]]).all()
    assert [row["er"] is None for row in found.to_arrow().to_pylist()] == [True] * 3 + [False, True, True]
    assert found.scale.startswith("sukaku")


def test_generated_puzzles_have_one_solution_and_the_requested_properties() -> None:
    generated = gridmill.generate(20, seed=3, clues=(24, 28), symmetry="rotate180")
    assert (gridmill.generate(3, clues=(30, None)).clues >= 30).all()
    assert (gridmill.generate(3, clues=(12, None), shape="2x3").clues >= 12).all()
    assert gridmill.check(generated.puzzle, generated.solution).verdict.counts() == {"ok": 20}
    assert all(is_solution(*pair) for pair in zip(generated.puzzle, generated.solution, strict=True))
    np.testing.assert_array_equal(generated.clues, (generated.puzzle > 0).sum(axis=1))
    assert ((generated.clues >= 24) & (generated.clues <= 28)).all()
    np.testing.assert_array_equal(generated.puzzle > 0, (generated.puzzle > 0)[:, ::-1])
    minimal = gridmill.generate(10, minimal=True)
    np.testing.assert_array_equal(gridmill.minimize(minimal.puzzle).minimal, minimal.puzzle)
    rated = gridmill.generate(5, er=(2.5, 4.0))
    np.testing.assert_array_equal(gridmill.rate(rated.puzzle).er, rated.er)
    assert ((rated.er >= 2.5) & (rated.er <= 4.0)).all()
    easy = gridmill.generate(5, no_guess=True)
    assert not gridmill.solve(easy.puzzle).guesses.any()
    with_pattern = gridmill.generate(2, pattern="".join("x" if cell % 2 else "." for cell in range(81)))
    assert (np.flatnonzero(with_pattern.puzzle[0]) % 2 == 1).all()


def test_generated_puzzles_depend_only_on_the_seed() -> None:
    one = gridmill.generate(20, seed=3)
    np.testing.assert_array_equal(one.puzzle, gridmill.generate(20, seed=3).puzzle)
    np.testing.assert_array_equal(one.puzzle[:5], gridmill.generate(5, seed=3).puzzle)
    assert (one.puzzle != gridmill.generate(20, seed=4).puzzle).any()
    small = gridmill.generate(10, shape="2x3")
    assert small.puzzle.shape == (10, 36)
    assert all(is_solution(*pair, (2, 3)) for pair in zip(small.puzzle, small.solution, strict=True))


def test_impossible_requests_for_puzzles_are_explained() -> None:
    with pytest.raises(ValueError, match="scale"):
        gridmill.generate(1, scale="none")  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="attempts"):
        gridmill.generate(1, clues=17, attempts=3)
    with pytest.raises(ValueError, match="17"):
        gridmill.generate(1, clues=16)
    assert len(gridmill.generate(0)) == 0


def test_augmented_puzzles_are_isomorphs_with_matching_solutions() -> None:
    proper = PUZZLES[:40]
    solved = gridmill.solve(proper).solution
    puzzles, answers = gridmill.augment(proper, solved, times=5, seed=2)
    assert puzzles.shape == answers.shape == (200, 81)
    assert all(is_solution(*pair) for pair in zip(puzzles, answers, strict=True))
    np.testing.assert_array_equal(
        gridmill.canon(puzzles).canonical, np.repeat(gridmill.canon(proper).canonical, 5, axis=0)
    )
    assert len({puzzle.tobytes() for puzzle in puzzles}) == 200
    np.testing.assert_array_equal(gridmill.augment(proper, times=5, seed=2), puzzles)
    np.testing.assert_array_equal(gridmill.augment(proper[10:], times=5, seed=2, first=10), puzzles[50:])
    assert (gridmill.augment(proper, times=5, seed=3) != puzzles).any()
    np.testing.assert_array_equal(gridmill.shuffle(proper, seed=2), gridmill.augment(proper, seed=2))


def test_augment_moves_a_clue_to_every_cell_and_every_digit() -> None:
    """In 4,000 isomorphs, the only clue of a puzzle is in every cell and is every digit many times."""
    puzzle = np.zeros((1, 81), np.uint8)
    puzzle[0, 0] = 1
    generated: Any = gridmill.augment(puzzle, times=4000, seed=1)
    places, digits = np.nonzero(generated)[1], generated.max(axis=1)
    assert np.bincount(places, minlength=81).min() > 20
    assert np.bincount(digits, minlength=10)[1:].min() > 350


def test_augment_refuses_wrong_solutions() -> None:
    proper = PUZZLES[:3]
    wrong = gridmill.solve(proper).solution[::-1].copy()
    with pytest.raises(gridmill.MalformedError, match=r"solutions\[0\]"):
        gridmill.augment(proper, wrong)
    with pytest.raises(ValueError, match="expected one for each of 3 puzzles, found 2"):
        gridmill.augment(proper, wrong[:2])
    with pytest.raises(MemoryError, match="times"):
        gridmill.augment(proper, times=10**15)


def test_cells_and_tokens_accept_every_form() -> None:
    given = [text(puzzle) for puzzle in PUZZLES]
    for form in (given, PUZZLES, PUZZLES.reshape(-1, 9, 9).astype(int), np.array(given)):
        found = gridmill.cells(form)
        np.testing.assert_array_equal(found, PUZZLES)
        np.testing.assert_array_equal(gridmill.tokens(form), PUZZLES + 1)
        assert found.dtype == np.uint8
        assert not np.shares_memory(found, PUZZLES)
    with pytest.raises(gridmill.MalformedError):
        gridmill.cells([EMPTY, None])


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"minimal": True},
        {"symmetry": "rotate180"},
        {"symmetry": "rotate90", "minimal": True},
        {"clues": (24, 25)},
        {"method": "backtracking"},
        {"no_guess": True},
        {"er": (2.0, 4.0)},
        {"technique": "x-wing"},
        {"distinct": True},
        {"no_isomorphs": True},
        {"guesses": (1, 9)},
        {"shape": "2x2"},
        {"shape": "2x3", "clues": 12},
        {"shape": "4x4"},
    ],
    ids=str,
)
def test_generating_in_pieces_gives_the_same_puzzles(how: dict[str, Any]) -> None:
    whole = gridmill.generate(10, seed=3, **how)
    pieces = [
        gridmill.generate(count, seed=3, first=first, **how) for first, count in [(0, 3), (3, 1), (4, 6)]
    ]
    for name in whole.columns:
        if name != "scale":
            np.testing.assert_array_equal(
                np.concatenate([getattr(piece, name) for piece in pieces]), getattr(whole, name)
            )


def test_generation_can_start_at_a_distant_record() -> None:
    assert len(gridmill.generate(3, first=10**15)) == 3
    with pytest.raises(ValueError, match="first=-1"):
        gridmill.generate(1, first=-1)


def test_malformed_records_are_kept_as_zeros_in_arrays() -> None:
    given = [text(PUZZLES[0]), "x", EMPTY, None, text(PUZZLES[1])]
    solved = gridmill.solve(given, malformed="keep").solution
    bad = [1, 3]
    for call in (gridmill.cells, gridmill.tokens, gridmill.shuffle, gridmill.augment):
        with pytest.raises(gridmill.MalformedError, match=r"puzzles\[1\]"):
            call(given)
        kept = call(given, malformed="keep")
        assert not kept[bad].any()
        good = call([given[0]], malformed="keep")
        np.testing.assert_array_equal(kept[0], good[0])
    np.testing.assert_array_equal(gridmill.cells(given, malformed="keep")[[0, 4]], PUZZLES[:2])
    zeros = (gridmill.tokens(given, malformed="keep") == 0).all(axis=1)
    assert zeros.tolist() == [False, True, False, True, False]
    wrong = solved.copy()
    wrong[4, :2] = wrong[4, 1::-1]
    with pytest.raises(gridmill.MalformedError, match=r"solutions\[1\]: .* in the solution"):
        gridmill.augment([given[0], given[4]], wrong[[0, 4]])
    puzzles, answers = gridmill.augment(given, wrong, times=3, malformed="keep")
    groups = puzzles.reshape(5, 3, 81), answers.reshape(5, 3, 81)
    # The third puzzle has no clues, which is allowed.
    assert [part.any(axis=(1, 2)).tolist() for part in groups] == [
        [True, False, False, False, False],
        [True, False, True, False, False],
    ]
    whole = gridmill.augment(PUZZLES[:1], solved[:1], times=3)
    np.testing.assert_array_equal(np.stack([puzzles[:3], answers[:3]]), np.stack(whole))


@pytest.mark.parametrize(
    ("shape", "given", "expected"),
    [
        ("2x2", "1000003004000002", "1.....3..4.....2"),
        ("4x4", "A" + "." * 254 + "P", "A" + "." * 254 + "P"),
        ("4x4 0-9A-F", "0" + "." * 254 + "F", "0" + "." * 254 + "F"),
        ("4x4", [1] + [0] * 254 + [16], "1" + "." * 254 + "G"),
        ("4x4 A-P", [1] + [0] * 254 + [16], "A" + "." * 254 + "P"),
        ("5x5", [1] + [0] * 623 + [25], "1" + "." * 623 + "P"),
    ],
)
def test_texts_use_the_notation_of_the_shape(shape: str, given: Any, expected: str) -> None:
    assert gridmill.texts(given, shape=shape) == [expected]
    assert (
        gridmill.texts([given, "x", None, given], shape=shape, malformed="keep")
        if isinstance(given, str)
        else True
    )
    assert gridmill.texts(gridmill.cells([given], shape=shape), shape=shape.split(" ")[0])


def test_texts_are_the_inverse_of_cells() -> None:
    assert gridmill.texts(PUZZLES) == [text(puzzle) for puzzle in PUZZLES]
    listed = [text(PUZZLES[0]).replace(".", "0"), None, "x", text(PUZZLES[1]) + "\n"]
    assert gridmill.texts(listed, malformed="keep") == [text(PUZZLES[0]), None, None, text(PUZZLES[1])]
    with pytest.raises(gridmill.MalformedError):
        gridmill.texts(listed)
    assert gridmill.texts([]) == []


def scored(grid: NDArray[np.uint8], puzzle: NDArray[np.uint8], solution: NDArray[np.uint8]) -> list[Any]:
    """Returns the score that a grid must get by definition."""
    free = puzzle == 0
    right = int(((grid == solution) & free).sum())
    wrong = int(((grid != solution) & (grid > 0) & free).sum())
    changed = int(((grid != puzzle) & ~free).sum())
    if changed:
        status = "changed"
    elif is_contradictory(grid):
        status = "conflict"
    elif (grid > 0).all():
        status = "solved"
    else:
        status = "solvable" if solutions(grid, 1) else "unsolvable"
    return [right, wrong, int(((grid == 0) & free).sum()), changed, status]


def test_scores_agree_with_their_definition() -> None:
    rng = np.random.default_rng(1)
    puzzles = np.concatenate([PUZZLES[:30], PUZZLES[80:]])
    answers = gridmill.solve(puzzles, limit=1).solution
    filled = rng.choice([0.1, 0.6], (len(puzzles), 1))
    grids = np.where(rng.random(puzzles.shape) < filled, answers, puzzles)
    for record in range(0, len(grids), 2):
        places = rng.choice(np.flatnonzero(puzzles[record] == 0), 1 + record % 3)
        grids[record, places] = rng.integers(1, 10, len(places))
    grids[5] = answers[5]
    grids[7, np.flatnonzero(puzzles[7])[:2]] = 0
    grids[9, np.flatnonzero(puzzles[9])[0]] = puzzles[9].max() % 9 + 1
    expected = [scored(*trio) for trio in zip(grids, puzzles, answers, strict=True)]
    assert {row[-1] for row in expected} == {"solved", "solvable", "unsolvable", "conflict", "changed"}
    for found in (gridmill.score(grids, puzzles, answers), gridmill.score(grids, puzzles)):
        assert found.columns == ("puzzle", "grid", "right", "wrong", "open", "changed", "status")
        rows = found.to_arrow().select(["right", "wrong", "open", "changed", "status"]).to_pylist()
        assert [list(row.values()) for row in rows] == expected
    alone = gridmill.score(grids, solutions=answers)
    assert alone.columns[0] == "grid"
    np.testing.assert_array_equal(alone.right + alone.wrong + alone.open, np.full(len(grids), 81))
    np.testing.assert_array_equal(alone.right, ((grids == answers) & (grids > 0)).sum(axis=1))
    few = [gridmill.score(grids[i : i + 1], puzzles[i : i + 1]).status[0] for i in range(len(grids))]
    assert few == [row[-1] for row in expected]


def test_without_puzzles_only_the_solution_is_right() -> None:
    right, other = gridmill.generate(2, seed=1).solution
    partly = np.where(np.arange(81) < 60, right, 0)
    wrong = np.where(np.arange(81) < 20, other, 0)
    double = partly.copy()
    double[:2] = right[0]
    found = gridmill.score([right, partly, other, wrong, double], solutions=[right] * 5)
    assert list(found.status) == ["solved", "solvable", "unsolvable", "unsolvable", "conflict"]


def test_another_solution_of_a_puzzle_counts_as_solved() -> None:
    puzzle = PUZZLES[80]
    first, second, *_ = solutions(puzzle, 2)
    found = gridmill.score([first, second], [puzzle] * 2, [first] * 2)
    assert list(found.status) == ["solved", "solved"]
    assert found.wrong.tolist() == [0, sum(a != b for a, b in zip(first, second, strict=True))]


def test_score_reports_invalid_grids_puzzles_and_solutions() -> None:
    puzzle, solution = text(PUZZLES[0]), text(gridmill.solve(PUZZLES[0]).solution[0])
    grids = [puzzle, "x", puzzle, puzzle, puzzle]
    puzzles = [puzzle, puzzle, None, puzzle, puzzle]
    answers = [solution, solution, solution, "y", solution[::-1]]
    for record, name in [(1, "grids"), (2, "puzzles"), (3, "solutions"), (4, "solutions")]:
        with pytest.raises(gridmill.MalformedError, match=rf"{name}\[0\]"):
            gridmill.score(*([column[record]] for column in (grids, puzzles, answers)))
    found = gridmill.score(grids, puzzles, answers, malformed="keep")
    assert list(found.status) == ["solvable", *["malformed"] * 4]
    assert found.to_arrow()["open"].to_pylist()[1:] == [None] * 4
    for cell in range(81):
        with pytest.raises(gridmill.MalformedError, match="of the solution is blank"):
            gridmill.score([solution], [puzzle], [solution[:cell] + "." + solution[cell + 1 :]])
    assert gridmill.score(grids[:1], [CONTRADICTORY]).changed[0] > 0
    assert list(gridmill.score([CONTRADICTORY], [CONTRADICTORY]).status) == ["conflict"]
    with pytest.raises(ValueError, match="puzzles: expected one for each of 2 grids, found 1"):
        gridmill.score([puzzle] * 2, [puzzle], [solution] * 2)
    with pytest.raises(ValueError, match="solutions: expected one for each of 2 grids, found 1"):
        gridmill.score([puzzle] * 2, [puzzle] * 2, [solution])
    with pytest.raises(TypeError, match="expected puzzles, or solutions, or both"):
        gridmill.score([puzzle])
