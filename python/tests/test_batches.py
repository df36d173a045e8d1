"""The work of cluster tasks on a table. These tests need pyarrow, but no cluster."""

from __future__ import annotations

from dataclasses import replace

import pytest

pa = pytest.importorskip("pyarrow")

import gridmill
from gridmill import _batches
from gridmill._batches import Comparison

GRID = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


def records(*puzzles: str) -> object:
    columns = {"file": ["a.txt"] * len(puzzles), "offset": range(0, 82 * len(puzzles), 82), "puzzle": puzzles}
    return pa.table({name: list(values) for name, values in columns.items()})


def duplicates(table: object, **options: object) -> list[int]:
    how = Comparison("puzzle", "puzzle", _batches.ORDER, None, options, within=True, marks=False)
    return [row["offset"] for row in _batches.repeats(_batches.keyed(table, how, True), how).to_pylist()]


def test_duplicates_include_isomorphs_only_on_request() -> None:
    generated = gridmill.generate(1).puzzle
    texts = gridmill.solve(generated).to_arrow()["puzzle"].to_pylist()
    again = gridmill.solve(gridmill.shuffle(generated, seed=3)).to_arrow()["puzzle"].to_pylist()
    table = records(*texts, *again, *texts)
    assert duplicates(table) == [164]
    assert duplicates(table, isomorphic=True) == [82, 164]


def test_a_column_of_solutions_is_checked_against_its_puzzles() -> None:
    generated = gridmill.generate(2, seed=5).to_arrow()
    table = generated.append_column("answer", generated["solution"].take([0, 0]))
    found = _batches.annotate(table, "check", "puzzle", {"solutions": "answer"})
    assert found.column_names[-3:] == ["answer", "verdict", "reason"]
    assert found["verdict"].to_pylist() == ["ok", "wrong"]
    with pytest.raises(ValueError, match="no column 'solutions'"):
        _batches.annotate(table, "check", "puzzle", {"solutions": "solutions"})


def test_the_error_for_a_malformed_record_names_its_file_and_offset() -> None:
    table = records("." * 81, "12")
    with pytest.raises(ValueError, match=r"a\.txt, offset 82: 2 cells where 81 are needed"):
        _batches.annotate(table, "solve", "puzzle", {"malformed": "raise"})


@pytest.mark.parametrize("no_reason", [None, "", "NaN"])
def test_records_with_a_reason_in_the_column_malformed_are_malformed(no_reason: str | None) -> None:
    reasons = pa.array([no_reason, "the row has 4 fields", no_reason], pa.string())
    table = records(GRID, GRID, "12").append_column("malformed", reasons)
    found = _batches.annotate(table, "verify", "puzzle", {})
    assert found["verdict"].to_pylist() == ["unique", "malformed", "malformed"]
    assert found["reason"].to_pylist()[1:] == ["the row has 4 fields", "2 cells where 81 are needed"]
    other = _batches.annotate(table.append_column("quizzes", table["puzzle"]), "verify", "quizzes", {})
    assert other["verdict"].to_pylist() == found["verdict"].to_pylist()
    assert duplicates(table) == []
    with pytest.raises(ValueError, match=r"a\.txt, offset 82: the row has 4 fields$"):
        _batches.annotate(table, "solve", "puzzle", {"malformed": "raise"})
    many = pa.concat_tables([table.slice(1, 1)] * 100)
    with pytest.raises(ValueError, match="no record of 100 is a puzzle, as their column 'malformed' says"):
        _batches.annotate(many, "solve", "puzzle", {"malformed": "keep"})


def test_a_boolean_column_malformed_says_which_records_are() -> None:
    table = records(GRID, GRID).append_column("malformed", pa.array([True, False]))
    assert _batches.annotate(table, "verify", "puzzle", {})["verdict"].to_pylist() == ["malformed", "unique"]


def test_the_error_for_a_malformed_solution_says_that_it_is_a_solution() -> None:
    table = records(GRID).append_column("solution", [["12"]])
    with pytest.raises(ValueError, match=r"a\.txt, offset 0: solution: 2 cells where 81 are needed"):
        _batches.annotate(table, "check", "puzzle", {"solutions": "solution", "malformed": "raise"})


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([b"abcd"], pa.binary(4), b"abcd"),
        ([86_400_000_000_000], pa.duration("ns"), 86_400_000_000),
        ([3_600_000_000], pa.time64("us"), "01:00:00.000000"),
        ([3_600], pa.time32("s"), "01:00:00"),
    ],
)
def test_types_that_spark_lacks_are_converted(values: list[object], kind: object, expected: object) -> None:
    plain = _batches._plain(pa.chunked_array([pa.array(values, kind)]))
    plain = plain.cast(pa.int64()) if pa.types.is_duration(plain.type) else plain
    assert plain.to_pylist() == [expected]


def test_the_error_for_a_missing_column_names_its_argument() -> None:
    how = Comparison("puzzle", "other", _batches.ORDER, None, {"shape": None}, within=False, marks=True)
    with pytest.raises(ValueError, match="no column 'other'.*by other_column="):
        _batches.require_keys(records(GRID).schema, how, False)
    with pytest.raises(ValueError, match="expected one column or more"):
        _batches._comparison("puzzle", (), None, False, False, None)


@pytest.mark.parametrize(("puzzle", "shape"), [("1.....3..4.....2", "2x2"), ("1" + "." * 254 + "G", "4x4")])
def test_a_job_fails_if_no_puzzle_of_many_has_the_expected_size(puzzle: str, shape: str) -> None:
    table = records("12", *[puzzle] * 99)
    for run in (lambda: duplicates(table), lambda: _batches.annotate(table, "verify", "puzzle", {})):
        with pytest.raises(ValueError, match=f'these are of others: say shape="{shape}"'):
            run()
    assert duplicates(records(puzzle, puzzle), shape=shape) == [82]
    # If there are fewer, or one puzzle has the expected size, they are malformed records, as in the command.
    for some in (records(*[puzzle] * 99), records("." * 81, *[puzzle] * 99)):
        found = _batches.annotate(some, "solve", "puzzle", {"malformed": "keep"})
        assert found["status"].to_pylist()[1:] == ["malformed"] * (len(some) - 1)


@pytest.mark.parametrize("solution", ["", None, "nonsense", "1" * 80])
@pytest.mark.parametrize("count", [1, 99, 1000])
def test_records_with_an_unreadable_solution_are_malformed(solution: str | None, count: int) -> None:
    table = records(*[GRID] * count).append_column("solution", [pa.array([solution] * count, pa.string())])
    found = _batches.annotate(table, "check", "puzzle", {"solutions": "solution"})
    assert found["verdict"].to_pylist() == ["malformed"] * count


def test_different_records_with_the_same_place_are_not_confused() -> None:
    """E.g. record numbers that start again in each file, if they are the order of several files."""
    first, second, third = gridmill.texts(gridmill.generate(3).puzzle)
    table = pa.table({"id": [1, 2, 2, 2], "puzzle": [first, second, first, "12"]})
    other = pa.table({"id": [1, 2, 2], "puzzle": [third, first, second]})
    how = Comparison("puzzle", "puzzle", ("id",), None, {"shape": None}, within=True, marks=True)
    found = _batches.repeats(_batches.keyed(table, how, True), how)
    assert _batches.kept_records(table, [found], how)["puzzle"].to_pylist() == [first, second, "12"]
    how = replace(how, within=False)
    keys = pa.concat_tables([_batches.keyed(table, how, True), _batches.keyed(other, how, False)])
    kept = _batches.kept_records(table, [_batches.repeats(keys, how)], how)
    assert kept.select(["puzzle", "other_id"]).to_pydict() == {
        "puzzle": [first, second, first],
        "other_id": [2, 2, 2],
    }


def test_a_large_column_without_a_puzzle_is_an_error() -> None:
    table = records(*["not a puzzle"] * 100)
    for run in (lambda: duplicates(table), lambda: _batches.annotate(table, "verify", "puzzle", {})):
        with pytest.raises(
            ValueError, match="no record of 100 is a puzzle: .*; the first one: 'n' is neither"
        ):
            run()
    assert duplicates(records(*["not a puzzle"] * 99)) == []


def test_a_new_column_whose_name_is_taken_gets_a_prefix_and_then_a_number() -> None:
    table = records(GRID)
    for _ in range(3):
        table = _batches.annotate(table, "verify", "puzzle", {})
    assert [name for name in table.column_names if "verdict" in name] == [
        "verdict",
        "gridmill_verdict",
        "gridmill_verdict_2",
    ]


@pytest.mark.parametrize("local", _batches.LOCAL)
def test_arguments_that_are_meaningless_on_clusters_are_refused(local: str) -> None:
    class Tables(_batches.Cluster):
        schema = annotate = repeats = select = None

    with pytest.raises(TypeError, match=f"{local}: not an argument on clusters, because "):
        Tables().job(gridmill.explain)(records(GRID), **{local: True})


def test_explain_and_hint_add_a_column_of_json() -> None:
    table = records(*gridmill.texts(gridmill.generate(2).puzzle))
    for function in ("explain", "hint"):
        found = _batches.annotate(table, function, "puzzle", _batches.ADDED[function])
        assert found["json"].type == pa.string() and '"technique":' in found["json"][1].as_py()


def test_each_neighbor_is_a_row_with_the_columns_of_its_record() -> None:
    seeds = gridmill.texts(gridmill.generate(2, minimal=True).puzzle)
    # The second seed is in another portion.
    given = [seeds[0], "12", *["." * 81] * _batches.FEW, seeds[1]]
    tables = list(
        _batches.annotate_in_portions(records(*given), "neighbors", "puzzle", {"malformed": "keep"})
    )
    found = pa.concat_tables(tables)
    names = ["file", "offset", "own_puzzle", "neighbor", "puzzle", "canonical", "removed", "added"]
    assert len(tables) == 2 and found.column_names == names
    expected = gridmill.neighbors(seeds)
    assert (
        found.select(names[4:]).to_pydict() == expected.listed.to_arrow().drop_columns("record").to_pydict()
    )
    first = expected.neighbors.item(0)
    assert found["own_puzzle"].to_pylist() == [seeds[record] for record in expected.listed.record]
    assert found["neighbor"].to_pylist()[: first + 1] == [*range(1, first + 1), 1]
    assert set(found["offset"].to_pylist()) == {0, 82 * (len(given) - 1)}
    again = _batches.annotate(found.slice(0, 2), "neighbors", "puzzle", {})
    assert (
        again.column_names[3:5] == ["own_neighbor", "own_puzzle_2"] and again.column_names[-5:] == names[3:]
    )


def test_a_search_for_neighbors_fails_only_if_no_record_is_a_puzzle() -> None:
    seed = gridmill.texts(gridmill.generate(1, minimal=True).puzzle)[0]
    run = _batches.annotate_in_portions
    tables = run(records(*["12"] * 500, seed), "neighbors", "puzzle", {"malformed": "keep"})
    assert len(pa.concat_tables(tables)) == gridmill.neighbors(seed).neighbors.item()
    with pytest.raises(ValueError, match="no record of 501 is a puzzle"):
        list(run(records(*["12"] * 501), "neighbors", "puzzle", {"malformed": "keep"}))


def test_the_error_for_a_missing_column_of_the_order_suggests_order() -> None:
    how = Comparison("puzzle", "puzzle", _batches.ORDER, None, {}, within=True, marks=False)
    with pytest.raises(ValueError, match="no column 'file': .*; say by order= which columns"):
        _batches.require_keys(pa.schema([("puzzle", pa.string())]), how, True)
    with pytest.raises(ValueError, match="no column 'file': .*; say by order= which columns"):
        _batches.keyed(pa.table({"puzzle": ["." * 81]}), how, True)
