"""Results: columns, tables for other packages, copies, and errors for wrong names."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import re
import subprocess
import sys
import textwrap
import typing
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from clusters import ROOT
from processes import run
from samples import CONTRADICTORY, EMPTY, cells, text, texts

import gridmill

PUZZLES = [*texts("hard", 5), "x", *texts("multiple", 2), *texts("none", 2), CONTRADICTORY, None]
SOLVED = gridmill.solve(PUZZLES, malformed="keep")
STATUSES = [*["unique"] * 5, "malformed", *["multiple"] * 2, *["none"] * 2, "conflict", "malformed"]

RESULTS: dict[str, Callable[[], Any]] = {
    "solve": lambda: SOLVED,
    "count": lambda: gridmill.count(PUZZLES, limit=9, malformed="keep"),
    "verify": lambda: gridmill.verify(PUZZLES),
    "check": lambda: gridmill.check(PUZZLES, PUZZLES[::-1]),
    "canon": lambda: gridmill.canon(PUZZLES, malformed="keep"),
    "keys": lambda: gridmill.keys(PUZZLES, malformed="keep"),
    "same": lambda: gridmill.same(PUZZLES, PUZZLES[1:], malformed="keep"),
    "rate": lambda: gridmill.rate(PUZZLES, up_to=3.0, malformed="keep"),
    "minimize": lambda: gridmill.minimize(PUZZLES, malformed="keep"),
    "backdoors": lambda: gridmill.backdoors(PUZZLES, all=True, malformed="keep"),
    "unavoidable": lambda: gridmill.unavoidable(PUZZLES, cells=6, malformed="keep"),
    "unavoidable_sets": lambda: gridmill.unavoidable_sets(PUZZLES, cells=6, malformed="keep"),
    "minimal": lambda: gridmill.minimal(PUZZLES, malformed="keep"),
    "neighbors": lambda: gridmill.neighbors(PUZZLES, malformed="keep"),
    "candidates": lambda: gridmill.candidates(PUZZLES, malformed="keep"),
    "explain": lambda: gridmill.explain(PUZZLES, text=True, json=True, malformed="keep"),
    "hint": lambda: gridmill.hint(PUZZLES, text=True, json=True, malformed="keep"),
    "score": lambda: gridmill.score(PUZZLES, PUZZLES, malformed="keep"),
    "generate": lambda: gridmill.generate(12),
    "generate by rating": lambda: gridmill.generate(12, er=(1.0, 3.0)),
    "solve arrays": lambda: gridmill.solve(cells(texts("easy", 12))),
    "solve a column": lambda: gridmill.solve(pa.array(PUZZLES), malformed="keep"),
    "solve nothing": lambda: gridmill.solve([]),
}


def rows(result: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = result.to_arrow().to_pylist()
    return found


@pytest.mark.parametrize("call", RESULTS)
def test_a_result_has_its_columns_as_attributes_in_a_dict_and_in_tables(call: str) -> None:
    result = RESULTS[call]()
    length = 0 if call == "solve nothing" else 12
    assert len(result) == length
    assert result.columns[0] == "puzzle"
    assert set(result.columns) <= set(dir(result))
    assert result.to_arrow().column_names == list(result.columns)
    assert result.to_polars().columns == list(result.columns)
    assert list(result.to_pandas().columns) == list(result.columns)
    for table in (result.to_arrow(), result.to_polars(), result.to_pandas()):
        assert len(table) == length
    columns = result.to_dict()
    assert list(columns) == list(result.columns)
    for column in columns.values():
        assert len(column) == length
        assert not type(column).__module__.startswith("gridmill")


LINE = re.compile(
    r"^- (`\w+`(?:, `\w+`)*): (?:(\w+) (\(.*\))|(list of str or None) \(n,\)|(str|what was given))$",
    re.MULTILINE,
)


@pytest.mark.parametrize("call", RESULTS)
def test_the_docstring_of_a_result_has_the_types_and_shapes_of_its_columns(call: str) -> None:
    result = RESULTS[call]()
    columns = {name: getattr(result, name) for name in result.columns}
    described = {
        name: groups
        for names, *groups in LINE.findall(inspect.getdoc(type(result)) or "")
        for name in re.findall(r"\w+", names)
    }
    declared = typing.get_type_hints(type(result))
    is_generated = isinstance(result, gridmill.Generated)
    assert set(described) | {"puzzle"} >= set(columns)
    assert set(described) - set(columns) <= ({"er", "scale"} if is_generated else set())
    for name in columns.keys() & described.keys():
        kind, shape, texts, other = described[name]
        column, hint = columns[name], declared[name]
        if other == "what was given":
            assert hint is Any
        elif other:
            assert type(column) is hint is str
        elif texts:
            assert hint == list[str | None]
            assert {type(value) for value in column} <= {str, type(None)}
        elif isinstance(column, np.ndarray):
            assert typing.get_args(typing.get_args(hint)[1]) == (column.dtype.type,)
            assert kind == column.dtype.name
            assert shape == str(column.shape).replace(f"({len(result)},", "(n,")
        else:
            assert (kind, shape) == (type(column).__name__, "(n,)")
            assert hint is type(column)


def test_the_error_for_a_result_used_as_an_array_says_what_to_use() -> None:
    attempts: list[Callable[[Any], Any]] = [np.asarray, np.array, list, pd.DataFrame, pd.Series, dict]
    for attempt in attempts:
        with pytest.raises(TypeError, match=r"such as found\.solution, or a table by found\.to_pandas\(\)"):
            attempt(SOLVED)
    with pytest.raises(TypeError):
        SOLVED["solution"]  # type: ignore[index]


def test_type_checkers_report_unknown_columns_and_wrong_types(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = """
        import numpy as np
        import gridmill
        from gridmill import Puzzles
        from numpy.typing import NDArray

        def solve(puzzles: Puzzles) -> gridmill.Solved:
            return gridmill.solve(puzzles)

        found = solve([[0] * 81])
        numbers: NDArray[np.uint64] = found.guesses
        shares: list[bool] = (gridmill.rate("." * 81).rating > 2.0).tolist()
        name: str = gridmill.verify(np.zeros((2, 81), int)).verdict.categories[0]
        found.solutoin
        found["solution"]
        gridmill.rate("").solution
        gridmill.solve(5)
    """
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(program))
    mypy = [
        sys.executable,
        "-m",
        "mypy",
        "--hide-error-context",
        "--no-error-summary",
        # Kept, because mypy takes 15 s to read NumPy.
        "--cache-dir",
        str(ROOT / "target/python/mypy"),
    ]
    lines = subprocess.run(
        [*mypy, str(file)], check=False, capture_output=True, text=True
    ).stdout.splitlines()
    errors = [line for line in lines if ": error: " in line]
    expected = [
        '"Solved" has no attribute "solutoin"',
        'Value of type "Solved" is not indexable',
        '"Rated" has no attribute "solution"',
        'Argument 1 to "solve" has incompatible type "int"',
    ]
    assert len(errors) == len(expected), lines
    for error, message in zip(errors, expected, strict=True):
        assert re.search(message, error)


@pytest.mark.parametrize("call", RESULTS)
def test_arrow_pandas_and_polars_have_the_same_values(call: str) -> None:
    result = RESULTS[call]()
    expected = rows(result)
    assert result.to_polars().to_dicts() == expected
    frame = result.to_pandas()
    for name in result.columns:
        values = [None if pd.isna(value) else value for value in frame[name].tolist()]
        assert values == [row[name] for row in expected], name


@pytest.mark.parametrize("call", RESULTS)
def test_a_result_can_be_pickled_and_copied(call: str) -> None:
    result = RESULTS[call]()
    copies = [
        pickle.loads(pickle.dumps(result, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    ]
    for other in [*copies, copy.copy(result), copy.deepcopy(result)]:
        assert type(other) is type(result)
        assert len(other) == len(result)
        assert repr(other) == repr(result)
        assert rows(other) == rows(result)


def test_tables_have_texts_and_nulls_for_missing_values() -> None:
    table = SOLVED.to_arrow()
    assert table["puzzle"].to_pylist() == PUZZLES
    assert table["status"].to_pylist() == STATUSES
    has_one = [status in ("unique", "multiple") for status in STATUSES]
    assert [row["solution"] is not None for row in rows(SOLVED)] == has_one
    assert [row["guesses"] is not None for row in rows(SOLVED)] == [
        status != "malformed" for status in STATUSES
    ]
    assert table["solution"][0].as_py() == text(SOLVED.solution[0])
    assert pa.types.is_dictionary(table["status"].type)
    assert table["guesses"].type == pa.uint64()
    frame = SOLVED.to_pandas()
    assert isinstance(frame["status"].dtype, pd.CategoricalDtype)
    assert frame["guesses"].isna().tolist() == [status == "malformed" for status in STATUSES]
    assert frame["solution"].isna().tolist() == [not has for has in has_one]


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_converts_to_a_data_frame_and_a_table(name: str) -> None:
    """Data frames refuse categories with equal names."""
    found = RESULTS[name]()
    frame, table = found.to_pandas(), found.to_arrow()
    assert list(frame) == table.column_names
    for column in table.columns:
        for chunk in column.chunks if pa.types.is_dictionary(column.type) else ():
            names = chunk.dictionary.to_pylist()
            assert len(set(names)) == len(names)


def test_missing_names_equal_none() -> None:
    hardest = gridmill.rate(PUZZLES, up_to=1.5, malformed="keep").hardest
    assert (hardest == None).tolist() == [name is None for name in hardest]
    assert (hardest != None).tolist() == [name is not None for name in hardest]
    assert "None: " in repr(hardest) and "None" not in repr(SOLVED.status)


def test_attributes_are_arrays_with_zeros_for_missing_values() -> None:
    assert SOLVED.solution.dtype == np.uint8
    assert SOLVED.solution.shape == (12, 81)
    assert not SOLVED.solution[[5, 8, 9, 10, 11]].any()
    assert SOLVED.guesses.dtype == np.uint64
    assert SOLVED.time_ns.dtype == np.uint64
    assert SOLVED.time_ns[0] > 0
    assert SOLVED.solution.flags.c_contiguous
    assert SOLVED.solution.flags.writeable


def test_other_packages_accept_a_result_directly() -> None:
    expected = rows(SOLVED)
    found = SOLVED
    assert pa.table(SOLVED).to_pylist() == expected
    assert pa.RecordBatchReader.from_stream(SOLVED).read_all().to_pylist() == expected
    assert pl.DataFrame(SOLVED).to_dicts() == expected
    counts = duckdb.sql("select status::varchar, count(*) from found group by 1").fetchall()
    assert dict(counts) == {status: STATUSES.count(status) for status in set(STATUSES)}
    assert len(found) == 12


def test_tables_can_be_made_repeatedly_and_outlive_their_result() -> None:
    result = gridmill.solve(cells(texts("easy", 20)))
    first, second = result.to_arrow(), result.to_arrow()
    del result
    gc.collect()
    assert first == second
    assert first.num_rows == 20


def test_tables_of_more_records_than_a_chunk_are_complete() -> None:
    puzzles = np.repeat(cells(texts("easy", 1)), 1_100_000, axis=0)
    puzzles[-1] = 0
    table = gridmill.solve(puzzles).to_arrow()
    assert table.num_rows == 1_100_000
    assert table["puzzle"].chunk(0).type == pa.string()
    assert table.slice(1_099_998).to_pylist()[1]["puzzle"] == EMPTY
    assert table.slice(1_099_998).to_pylist()[0]["puzzle"] == texts("easy", 1)[0]


def test_pandas_needs_no_pyarrow() -> None:
    script = """
        import sys
        sys.modules["pyarrow"] = None
        import gridmill
        import pandas as pd
        proper = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
        for dtype in (object, None, "string", "category"):
            try:
                column = pd.Series([proper, None], dtype=dtype)
            except (ImportError, AttributeError):
                continue
            frame = gridmill.solve(column, malformed="keep").to_pandas()
            print(frame["status"].tolist(), frame["solution"][0][:9], frame["solution"].isna()[1])
        try:
            gridmill.solve(proper).to_arrow()
        except ImportError as error:
            print("pyarrow" in str(error))
    """
    lines = run(script).splitlines()
    assert lines[-1] == "True"
    assert set(lines[:-1]) == {"['unique', 'malformed'] 534678912 True"}
    assert len(lines) >= 3


def test_only_numpy_is_imported() -> None:
    script = """
        import sys
        import gridmill
        gridmill.solve(["." * 81]).status.counts()
        print([name for name in ("pandas", "polars", "pyarrow", "ray", "pyspark") if name in sys.modules])
    """
    assert run(script) == "[]\n"


def test_the_error_for_an_unknown_column_lists_the_columns() -> None:
    with pytest.raises(
        AttributeError, match="no 'solutions': it has puzzle, solution, status, guesses, time_ns"
    ):
        _ = SOLVED.solutions
    assert not hasattr(SOLVED, "_private")
    assert not hasattr(SOLVED, "__len_hint__")


def test_repr_shows_the_counts() -> None:
    assert repr(SOLVED).startswith("<Solved of 12 puzzles: ")
    for part in ("unique: 5", "multiple: 2", "none: 2", "conflict: 1", "malformed: 2"):
        assert part in repr(SOLVED)
    assert "12" in repr(gridmill.generate(12))


def test_statuses_compare_with_names_and_with_one_another() -> None:
    status = SOLVED.status
    np.testing.assert_array_equal(status == "unique", np.array(STATUSES) == "unique")
    np.testing.assert_array_equal(status != "unique", np.array(STATUSES) != "unique")
    assert (status == SOLVED.status[:]).all()
    assert (status == np.array(STATUSES)).all()
    assert (status == STATUSES).all()
    assert not (status != gridmill.verify(PUZZLES).verdict).any()
    with pytest.raises(ValueError, match="expected one of .*unique.*, found 'uniqe'"):
        _ = status == "uniqe"


def test_statuses_are_a_sequence_of_names() -> None:
    status = SOLVED.status
    assert list(status) == STATUSES
    assert status[0] == "unique"
    assert status[-1] == "malformed"
    assert list(status[3:7]) == STATUSES[3:7]
    assert list(status[np.array(STATUSES) == "none"]) == ["none", "none"]
    assert list(reversed(status)) == STATUSES[::-1]
    assert "unique" in list(status)
    assert status.counts() == {name: STATUSES.count(name) for name in status.categories if name in STATUSES}
    assert np.asarray(status).tolist() == STATUSES
    assert np.asarray(status, dtype=object).tolist() == STATUSES
    assert pd.Series(list(status)).tolist() == STATUSES
    assert status.codes.dtype == np.int8
    assert [status.categories[code] for code in status.codes] == STATUSES
    with pytest.raises(IndexError):
        _ = status[12]
    for other in (pickle.loads(pickle.dumps(status)), copy.deepcopy(status), copy.copy(status)):
        assert list(other) == STATUSES


def test_a_malformed_error_has_record_and_reason_and_can_be_pickled() -> None:
    with pytest.raises(gridmill.MalformedError) as caught:
        gridmill.solve([EMPTY, "x"])
    error = caught.value
    assert isinstance(error, ValueError)
    assert (error.name, error.record) == ("puzzles", 1)
    assert str(error) == f"puzzles[1]: {error.reason}"
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert (type(other), str(other), other.record) == (type(error), str(error), 1)
    # The data loader of PyTorch creates it again from its text only.
    again = gridmill.MalformedError(f"Caught in a worker:\n{error}")
    assert (str(again), again.record) == (f"Caught in a worker:\n{error}", -1)


def test_the_error_for_a_column_that_was_not_requested_names_its_argument() -> None:
    with pytest.raises(AttributeError, match="call the function with text=True"):
        _ = gridmill.explain(EMPTY, malformed="keep").text  # type: ignore[union-attr]


def test_malformed_puzzles_have_no_number_of_solutions_or_neighbors() -> None:
    pa = pytest.importorskip("pyarrow")
    puzzles = ["1.....3..4.....2", "x"]
    for found, column in (
        (gridmill.enumerate(puzzles, limit=0, shape="2x2", malformed="keep"), "solutions"),
        (gridmill.neighbors(puzzles, shape="2x2", malformed="keep"), "neighbors"),
    ):
        counts = pa.table(found)[column]
        assert counts[0].as_py() > 0 and counts[1].as_py() is None


def test_the_input_is_never_changed() -> None:
    puzzles = cells(texts("hard", 50))
    listed = texts("hard", 50).copy()
    before, before_listed = puzzles.copy(), listed.copy()
    for given in (puzzles, puzzles.reshape(-1, 9, 9), listed):
        for call in (
            gridmill.solve,
            gridmill.count,
            gridmill.canon,
            gridmill.minimize,
            gridmill.shuffle,
            gridmill.tokens,
        ):
            call(given)
    np.testing.assert_array_equal(puzzles, before)
    assert listed == before_listed


def test_the_input_is_kept_while_its_result_lives_and_freed_after() -> None:
    class Kept(np.ndarray):
        """An array that allows weak references."""

    puzzles = cells(texts("easy", 50)).view(Kept)
    watched = weakref.ref(puzzles)
    result = gridmill.solve(puzzles)
    table = result.to_arrow()
    del puzzles
    gc.collect()
    assert watched() is not None
    assert len(result.puzzle) == 50
    del result
    gc.collect()
    assert watched() is None
    assert table.num_rows == 50


def test_calls_leak_no_references() -> None:
    puzzles, column, listed = cells(texts("easy", 50)), pa.array(texts("easy", 50)), texts("easy", 50).copy()
    for given in (puzzles, column, listed, listed[0]):
        before = sys.getrefcount(given)
        for _ in range(5):
            gridmill.solve(given).to_arrow()
            gridmill.keys(given)
            with pytest.raises(ValueError):
                gridmill.solve(given, shape="2x2")
        gc.collect()
        assert sys.getrefcount(given) <= before + 1


def test_a_column_of_arrow_is_freed_with_its_result() -> None:
    before = pa.total_allocated_bytes()
    for _ in range(3):
        column = pa.array(texts("easy") * 20)
        assert pa.total_allocated_bytes() > before + 1_000_000
        gridmill.solve(column).to_arrow()
        del column
    gc.collect()
    assert pa.total_allocated_bytes() <= before + 100_000


def test_the_puzzle_of_a_result_can_be_solved_again() -> None:
    generated = gridmill.generate(20)
    again = gridmill.solve(generated.puzzle)
    np.testing.assert_array_equal(again.solution, generated.solution)
    from_table = gridmill.solve(generated.to_arrow()["puzzle"])
    np.testing.assert_array_equal(from_table.solution, generated.solution)
    from_polars = gridmill.solve(generated.to_polars()["puzzle"])
    np.testing.assert_array_equal(from_polars.solution, generated.solution)


def test_names_that_are_missing_are_missing_in_arrays() -> None:
    hardest = gridmill.rate([*texts("easy", 2), EMPTY]).hardest
    assert np.asarray(hardest).tolist()[2] is None
    assert pd.Series(hardest).isna().tolist() == [False, False, True]
    assert np.asarray(hardest[:2]).dtype.kind == "U"
