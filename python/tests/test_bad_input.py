"""Wrong input raises an exception that names the record and says what was expected."""

from __future__ import annotations

import csv
import datetime
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from samples import CONTRADICTORY, cells, texts
from test_docs import folder_of_command

import gridmill

GOOD = texts("easy", 3)
CELLS = cells(GOOD)


def changed(value: int, dtype: str) -> np.ndarray[Any, Any]:
    """Returns three puzzles. The second has a wrong value in row 2, column 3."""
    puzzles = CELLS.astype(dtype)
    puzzles[1, 11] = value
    return puzzles


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("u1", 10),
        ("u1", 255),
        ("i1", -1),
        ("i8", 10),
        ("i8", -1),
        ("i8", 256),
        ("i8", 257),
        ("i8", 2**62),
        ("u8", 2**63),
    ],
)
def test_the_error_for_an_invalid_value_names_record_row_and_column(dtype: str, value: int) -> None:
    for given in (
        changed(value, dtype),
        changed(value, dtype).reshape(-1, 9, 9),
        list(changed(value, dtype)),
    ):
        with pytest.raises(
            gridmill.MalformedError, match=r"puzzles\[1\]: expected 0 to 9 in row 2, column 3, found"
        ) as caught:
            gridmill.solve(given)
        assert caught.value.record == 1
        found = gridmill.solve(given, malformed="keep")
        assert list(found.status) == ["unique", "malformed", "unique"]


@pytest.mark.parametrize("value", [10, 256, -1, 2**40])
def test_an_invalid_value_in_arrow_lists_is_found(value: int) -> None:
    given = pa.array(changed(value, "i8").tolist(), pa.list_(pa.int64()))
    with pytest.raises(gridmill.MalformedError, match=r"puzzles\[1\]: expected 0 to 9 in row 2, column 3"):
        gridmill.solve(given)


@pytest.mark.parametrize(
    ("dtype", "advice"),
    [("f8", "astype"), ("f4", "astype"), ("c16", ""), ("?", ""), ("M8[s]", ""), ("m8[s]", ""), ("V1", "")],
)
def test_an_array_of_an_unsupported_type_is_refused(dtype: str, advice: str) -> None:
    given = np.zeros((2, 81), dtype)
    with pytest.raises(TypeError, match=rf"puzzles: expected integers .*{advice}"):
        gridmill.solve(given)


@pytest.mark.parametrize(
    "shape", [(), (3,), (80,), (82,), (2, 80), (81, 2), (2, 9, 8), (2, 3, 9, 9), (1, 1), (2, 0), (2, 162)]
)
def test_an_array_of_the_wrong_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(
        ValueError, match=r"puzzles: expected an array of shape \(n, 81\) or \(n, 9, 9\), found"
    ):
        gridmill.solve(np.zeros(shape, np.uint8))


def test_arrays_of_objects_are_read_like_lists() -> None:
    ragged = np.empty(3, object)
    ragged[:] = [list(row) for row in CELLS]
    np.testing.assert_array_equal(gridmill.solve(ragged).solution, gridmill.solve(GOOD).solution)
    with pytest.raises(ValueError, match="one dimension"):
        gridmill.solve(np.array([["a", "b"], ["c", "d"]], object))


TEXTS: dict[str, tuple[str, str]] = {
    "80 cells": ("." * 80, "80 cells where 81 are needed"),
    "82 cells": ("." * 82, "text after cell 81"),
    "an empty text": ("", "81"),
    "only blanks": (" " * 10, ""),
    "a letter": ("." * 40 + "#" + "." * 40, "'#' is neither digit nor blank"),
    "a surrogate": ("." * 40 + "\ud800" + "." * 40, ""),
    "two bytes": ("." * 40 + "é" + "." * 40, ""),
    "a digit of another script": ("." * 40 + "٣" + "." * 40, ""),
    "a zero byte": ("." * 40 + "\0" + "." * 40, ""),
    "16x16": ("." * 256, '256 cells where 81 are needed; for 16x16 puzzles say shape="4x4"'),
    "6x6": ("." * 36, '36 cells where 81 are needed; for 6x6 puzzles say shape="2x3"'),
    "two puzzles": ("." * 81 + "\n" + "." * 81, ""),
    "a long text": ("1" * 100_000, ""),
}


@pytest.mark.parametrize("what", TEXTS)
def test_the_error_for_an_invalid_text_names_its_record(what: str) -> None:
    bad, expected = TEXTS[what]
    for given in (
        [GOOD[0], bad, GOOD[1]],
        (GOOD[0], bad, GOOD[1]),
        np.array([GOOD[0], bad, GOOD[1]], object),
    ):
        with pytest.raises(gridmill.MalformedError, match=rf"puzzles\[1\]: .*{expected}") as caught:
            gridmill.solve(given)
        assert caught.value.reason
        found = gridmill.solve(given, malformed="keep")
        assert list(found.status) == ["unique", "malformed", "unique"]
        assert found.to_arrow().num_rows == 3


@pytest.mark.parametrize("bad", [b"\xff" * 81, b"\xff", b"." * 40 + b"\xc3\x28" + b"." * 39, b"\0" * 81])
def test_bytes_that_are_not_a_puzzle_are_malformed(bad: bytes) -> None:
    forms: list[Any] = [[GOOD[0], bad], pa.array([GOOD[0].encode(), bad]), pl.Series([GOOD[0].encode(), bad])]
    for given in forms:
        with pytest.raises(gridmill.MalformedError, match=r"puzzles\[1\]"):
            gridmill.solve(given)
        found = gridmill.solve(given, malformed="keep")
        assert list(found.status) == ["unique", "malformed"]
        assert found.to_arrow().num_rows == 2
        assert len(found.to_pandas()) == 2


def test_the_first_malformed_record_is_named_for_any_number_of_threads() -> None:
    given = texts("easy") * 5
    for bad in (9999, 7001, 5001):
        given[bad] = "x"
        for threads in (1, 2, 7):
            with pytest.raises(gridmill.MalformedError) as caught:
                gridmill.solve(given, threads=threads)
            assert caught.value.record == bad


ITEMS: dict[str, Any] = {
    "an integer": 5,
    "a float": 1.5,
    "an object": object(),
    "a list": [1, 2],
    "bytearray": bytearray(b"." * 81),
    "a date": datetime.date(2020, 1, 1),
    "a dict": {},
    "a class": str,
    "complex": 1j,
    "a bool": True,
    "an array": np.zeros(80, np.uint8),
}


@pytest.mark.parametrize("what", ITEMS)
def test_an_item_among_texts_that_is_not_a_text_is_malformed(what: str) -> None:
    with pytest.raises(
        gridmill.MalformedError,
        match=r"puzzles\[1\]: (expected a str or a list of 81 cells, found|\d+ cells? where 81 are needed)",
    ):
        gridmill.solve([GOOD[0], ITEMS[what]])
    answers = [GOOD[0], ITEMS[what], "no"]
    for found in [
        gridmill.verify(answers).verdict,
        gridmill.check([GOOD[0]] * 3, answers).verdict,
        gridmill.score(answers, [GOOD[0]] * 3, malformed="keep").status,
    ]:
        assert (found == "malformed").tolist() == [False, True, True]


@pytest.mark.parametrize("what", ITEMS)
def test_a_list_of_items_that_are_not_puzzles_is_refused(what: str) -> None:
    with pytest.raises((TypeError, ValueError), match=r"puzzles.*(expected|needed)"):
        gridmill.solve([ITEMS[what]] * 2)


RAGGED: dict[str, tuple[Any, str]] = {
    "lists of other lengths": ([0] * 80, "80 cells where 81 are needed"),
    "rows of other lengths": ([[0] * 9] * 8 + [[0] * 8], "80 cells where 81 are needed"),
    "a list of another size": ([0] * 256, '256 cells where 81 are needed; for 16x16 puzzles say shape="4x4"'),
    "a list with None for a row": ([[0] * 9] * 8 + [None], "73 cells where 81 are needed"),
    "a list with a float": ([0] * 80 + [1.5], "expected a whole number in row 9, column 9, found float"),
    "a list of floats": ([0.0] * 81, "expected a whole number in row 1, column 1, found float"),
    "an array of floats": (np.zeros(81), "expected a whole number in row 1, column 1, found float"),
    "a list with a text": ([0] * 80 + ["1"], "expected a whole number in row 9, column 9, found str"),
    "a list of bools": ([True] * 81, "expected a whole number in row 1, column 1, found bool"),
    "a list with a list": ([[[0]] * 9] * 9, "expected a whole number in row 1, column 1, found list"),
    "a list with a large integer": ([0] * 80 + [10], "expected 0 to 9 in row 9, column 9, found 10"),
    "a list with a huge integer": ([2**70] * 81, f"expected 0 to 9 in row 1, column 1, found {2**70}"),
    "a list with a negative integer": ([0] * 9 + [-1] * 72, "expected 0 to 9 in row 2, column 1, found -1"),
    "an empty list": ([], "0 cells where 81 are needed"),
    "None": (None, "expected a puzzle, found None, NaN or null"),
    "NaN": (float("nan"), "expected a puzzle, found None, NaN or null"),
    "a number": (5, "expected a str or a list of 81 cells, found int"),
    "a dict": ({}, "expected a str or a list of 81 cells, found dict"),
    "a set": (set(range(81)), "expected a str or a list of 81 cells, found set"),
    "a generator": (iter(range(81)), "expected a str or a list of 81 cells, found range_iterator"),
}


@pytest.mark.parametrize("what", RAGGED)
def test_the_error_for_an_invalid_list_of_cells_names_record_and_reason(what: str) -> None:
    bad, reason = RAGGED[what]
    with pytest.raises(gridmill.MalformedError) as caught:
        gridmill.solve([CELLS[0].tolist(), bad])
    assert (caught.value.record, caught.value.reason) == (1, reason)
    found = gridmill.verify([None, CELLS[0].tolist(), bad, CELLS[1].tolist()])
    assert found.reason[2] == reason
    assert [puzzle is None for puzzle in found.to_arrow()["puzzle"].to_pylist()] == [True, False, True, False]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([5, 6], r"puzzles: expected texts, or 81 cells, found a list of 2 numbers; .* lost their zeros"),
        ([5.5, 6.0], r"puzzles: expected texts, or 81 cells, found a list of 2 numbers; .* lost their zeros"),
        ([{}, {}], r"puzzles\[0\]: expected texts or lists of cells, found dict"),
        (pl.Series([5, 6]), r"found Int64; .* lost their zeros"),
        (pl.Series([5, 6])[:0], r"found Int64$"),
    ],
)
def test_a_list_or_column_of_numbers_is_refused_with_what_was_found(given: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        gridmill.solve(given)


@pytest.mark.parametrize("dtype", ["f8", "i8", "?", "O", "U1"])
def test_an_empty_array_of_any_type_has_no_puzzles(dtype: str) -> None:
    for shape in [(0,), (0, 81), (0, 9, 9)]:
        assert len(gridmill.solve(np.zeros(shape, dtype))) == 0
    with pytest.raises(ValueError, match="expected an array of shape"):
        gridmill.solve(np.zeros((0, 5), dtype))


def test_reasons_for_malformed_texts_equal_those_of_the_command(tmp_path: Path) -> None:
    folder = folder_of_command()
    if not folder:
        pytest.skip("needs the command: cargo build, or GRIDMILL_COMMAND=/path/of/gridmill")
    # The command speaks of its options where Python advises `shape=`.
    bad = [text for text, why in TEXTS.values() if text.isprintable() and text.strip() and "shape" not in why]
    puzzles = [*GOOD, *bad, GOOD[0][:40] + "x" + GOOD[0][41:], CONTRADICTORY, "." * 81]
    with (tmp_path / "puzzles.csv").open("w") as file:
        csv.writer(file).writerows([["id", "puzzle"], *([0, puzzle] for puzzle in puzzles)])
    line = [
        f"{folder}/gridmill",
        "verify",
        "--all",
        "--columns",
        "reason",
        "-q",
        str(tmp_path / "puzzles.csv"),
    ]
    rows = csv.reader(subprocess.run(line, check=False, capture_output=True, text=True).stdout.splitlines())
    # Remarks after a comma exist only in files, so the advice would not help here.
    advice = "; separate a remark with a comma, a semicolon or a tab"
    reasons = [reason.removesuffix(advice) or None for (reason,) in rows][1:]
    assert gridmill.verify(puzzles).reason == reasons


def test_the_error_for_an_arrow_list_of_the_wrong_length_names_its_record() -> None:
    given = pa.array([CELLS[0].tolist(), [0] * 80, [], None], pa.list_(pa.uint8()))
    with pytest.raises(gridmill.MalformedError, match=r"puzzles\[1\]: 80 cells where 81 are needed"):
        gridmill.solve(given)
    found = gridmill.solve(given, malformed="keep")
    assert list(found.status) == ["unique", *["malformed"] * 3]
    assert found.to_arrow()["puzzle"].to_pylist() == [GOOD[0], None, None, None]


@pytest.mark.parametrize(
    "given",
    [
        pa.array([1, 2, 3]),
        pa.array([1.5]),
        pa.array([True]),
        pa.array([datetime.datetime(2020, 1, 1)]),
        pa.array([[1.5] * 81]),
        pa.array([["1"] * 81]),
        pa.array([1, 1, 2]).dictionary_encode(),
        pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())),
        pl.Series([1, 2]),
        pl.Series([1.5]),
        pl.Series([object()], dtype=pl.Object),
        pl.Series([[1.5] * 81]),
        pd.Series([1, 2, 3]),
        pd.Series([1.5]),
        pd.Series([True]),
        pd.Series(pd.to_datetime(["2020-01-01"])),
        pd.Series([1, 2], dtype="category"),
        pd.Index([1, 2, 3]),
        pd.DataFrame(CELLS[:, :2]),
        pa.scalar("x"),
    ],
    ids=lambda given: f"{type(given).__module__}.{getattr(given, 'dtype', getattr(given, 'type', ''))}",
)
def test_a_column_of_an_unsupported_type_is_refused(given: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="puzzles"):
        gridmill.solve(given)


@pytest.mark.parametrize("threads", [0, -1, 1025, 10**6, 2**40, 2**70, -(2**70)])
def test_an_invalid_number_of_threads_is_refused(threads: int) -> None:
    with pytest.raises((ValueError, OverflowError), match="expected 1 to 1,024, or None for all cores"):
        gridmill.solve(GOOD, threads=threads)


@pytest.mark.parametrize("threads", ["2", 1.5, [1], b"1"])
def test_a_number_of_threads_of_the_wrong_type_is_refused(threads: Any) -> None:
    with pytest.raises(TypeError, match=r"threads=.*: expected a whole number, or None for all cores"):
        gridmill.solve(GOOD, threads=threads)


def test_an_argument_of_another_type_is_named() -> None:
    with pytest.raises(TypeError, match="up_to='x': must be real number, not str"):
        gridmill.rate(GOOD, up_to="x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="isomorphic=2: "):
        gridmill.keys(GOOD, isomorphic=2)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="words='no': "):
        gridmill.explain(GOOD, words="no")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="minimal=1: "):
        gridmill.select(GOOD, minimal=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no_guess=1: "):
        gridmill.generate(1, no_guess=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [0, -1, 2**40, 2**70, 1.5, "2", None])
def test_an_invalid_limit_is_refused(limit: Any) -> None:
    with pytest.raises((ValueError, OverflowError, TypeError), match=rf"^limit={re.escape(repr(limit))}: "):
        gridmill.solve(GOOD, limit=limit)


@pytest.mark.parametrize("limit", [1, 2, 3, 100, 2**31])
def test_any_valid_limit_is_accepted(limit: int) -> None:
    found = gridmill.solve([GOOD[0], CONTRADICTORY], limit=limit)
    assert list(found.status) == ["solved" if limit == 1 else "unique", "conflict"]


@pytest.mark.parametrize("malformed", ["", "drop", "Raise", None, 1, True])
def test_malformed_must_be_raise_or_keep(malformed: Any) -> None:
    with pytest.raises(ValueError, match="expected 'raise' or 'keep'"):
        gridmill.solve(GOOD, malformed=malformed)


def test_options_are_keyword_only_and_unknown_names_are_refused() -> None:
    with pytest.raises(TypeError):
        gridmill.solve(GOOD, 2)  # type: ignore[misc]
    with pytest.raises(TypeError, match="tresads"):
        gridmill.solve(GOOD, tresads=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        gridmill.solve()  # type: ignore[call-arg]


class Lying:
    """An object that claims to be an array or a column, but is neither."""

    def __init__(self, name: str, value: Any) -> None:
        setattr(type(self), name, lambda *_, **__: value)


@pytest.mark.parametrize("name", ["__array__", "__arrow_c_array__", "__arrow_c_stream__"])
@pytest.mark.parametrize("value", [None, 5, "text", (), (1, 2), object(), b"capsule"])
def test_an_object_that_breaks_a_protocol_is_refused(name: str, value: Any) -> None:
    class Liar(Lying):
        pass

    with pytest.raises((TypeError, ValueError)):
        gridmill.solve(Liar(name, value))


def test_an_exception_raised_by_the_given_object_is_propagated() -> None:
    class Failing:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        gridmill.solve(Failing())


def test_a_stream_can_be_read_only_once() -> None:
    """A capsule is empty after the first call, and the error of the second call says so."""
    capsule = pa.chunked_array([GOOD]).__arrow_c_stream__()

    class Once:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return capsule

    assert len(gridmill.solve(Once())) == 3
    with pytest.raises(TypeError, match="can't be read"):
        gridmill.solve(Once())


def test_the_error_for_records_or_results_says_how_to_choose_a_column() -> None:
    for table in (gridmill.read(b"." * 81), gridmill.solve("." * 81)):
        with pytest.raises(TypeError, match=r'table\.to_arrow\(\)\["puzzle"\], found a whole table'):
            gridmill.verify(table)  # type: ignore[arg-type]


def test_the_error_for_a_number_that_is_not_whole_names_its_argument() -> None:
    for call, says in [
        (
            lambda: gridmill.split(["." * 81] * 5, (0.8, 0.2)),
            r"ratio=\(0\.8, 0\.2\): expected the sizes of the parts as whole numbers",
        ),
        (
            lambda: gridmill.split(["." * 81] * 5, 8),
            r"ratio=8: expected the sizes of the parts as whole numbers, such as \(8, 1, 1\)",
        ),
        (lambda: gridmill.split(["." * 81] * 5, (8, 2), seed=None), "seed=None: expected a whole number"),
        (lambda: gridmill.generate(1e3), r"count=1000\.0: expected a whole number"),
    ]:
        with pytest.raises(TypeError, match=says):
            call()


def test_score_names_the_collection_that_is_too_short() -> None:
    with pytest.raises(ValueError, match="puzzles: expected one for each of 2 grids, found 1"):
        gridmill.score(["." * 81] * 2, ["." * 81])
    found = gridmill.score(["5" + "." * 80, "no"], ["." * 81] * 2, malformed="keep")
    assert (found.right - 2 * found.wrong).tolist()[1] == 0 and found.right.dtype == np.int32
