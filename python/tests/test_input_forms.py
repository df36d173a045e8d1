"""Puzzles can be given in many forms, and the answers do not depend on the form."""

from __future__ import annotations

import array
import collections
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from samples import CONTRADICTORY, cells, text, texts

import gridmill

TEXTS = [*texts("hard", 20), *texts("multiple", 5), *texts("none", 5), CONTRADICTORY, *texts("easy", 10)]
CELLS = cells(TEXTS)
EXPECTED = gridmill.solve(TEXTS)
RAW = [puzzle.encode() for puzzle in TEXTS]


def with_zeros() -> list[str]:
    return [puzzle.replace(".", "0") for puzzle in TEXTS]


def padded(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns the array as a view of every second row and column of a larger array."""
    larger = np.full((2 * len(array), 2 * array.shape[1]), 77, array.dtype)
    larger[::2, ::2] = array
    return larger[::2, ::2]


def read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array = array.copy()
    array.flags.writeable = False
    return array


def in_chunks(kind: pa.DataType, values: list[Any]) -> pa.ChunkedArray:
    """Returns a column in three chunks. One is empty, and one is a slice with an offset."""
    first = pa.array(values[:7], kind)
    rest = pa.array([values[0], *values[7:], values[0]], kind)
    return pa.chunked_array([first, pa.array([], kind), rest.slice(1, len(values) - 7)], kind)


def views(values: list[str]) -> np.ndarray[Any, Any]:
    if not hasattr(getattr(np, "dtypes", None), "StringDType"):
        pytest.skip("this NumPy has no StringDType")
    return np.array(values, np.dtypes.StringDType())


LISTS = CELLS.tolist()
ROWS = CELLS.reshape(-1, 9, 9).tolist()


class Lazy(Sequence[Any]):
    """A column that reads its items on demand, as those of Hugging Face do."""

    def __init__(self, items: Any, has_slices: bool = True) -> None:
        self.items, self.has_slices = items, has_slices

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice) and not self.has_slices:
            raise TypeError("expected a whole number")
        return self.items[place]


FORMS: dict[str, Callable[[], Any]] = {
    "list of str": lambda: TEXTS,
    "tuple of str": lambda: tuple(TEXTS),
    "list of bytes": lambda: RAW,
    "list of str and bytes": lambda: [*TEXTS[:9], *RAW[9:]],
    "list of str with 0 for blanks": with_zeros,
    "list of str with line ends": lambda: [puzzle + "\r\n" for puzzle in TEXTS],
    "list of numpy.str_": lambda: [np.str_(puzzle) for puzzle in TEXTS],
    "list of lists": lambda: LISTS,
    "list of tuples": lambda: [tuple(puzzle) for puzzle in LISTS],
    "list of rows": lambda: CELLS.reshape(-1, 9, 9).tolist(),
    "list of arrays": lambda: list(CELLS),
    "list of arrays of int64": lambda: list(CELLS.astype(np.int64)),
    "list of rows of tuples": lambda: [[tuple(row) for row in puzzle] for puzzle in ROWS],
    "list of lists of numpy.int64": lambda: [list(puzzle) for puzzle in CELLS.astype(np.int64)],
    "list of lists with numpy.uint8": lambda: [[*puzzle[:80], np.uint8(puzzle[80])] for puzzle in LISTS],
    "list of columns of Polars": lambda: [pl.Series(puzzle) for puzzle in LISTS],
    "list of columns of Arrow": lambda: [pa.array(puzzle) for puzzle in LISTS],
    "list of lazy columns": lambda: [Lazy(puzzle) for puzzle in LISTS],
    "lazy column of str": lambda: Lazy(TEXTS),
    "lazy column without slices": lambda: Lazy(TEXTS, has_slices=False),
    "lazy column of lists": lambda: Lazy(LISTS),
    "lazy column of an array": lambda: Lazy(CELLS),
    "deque": lambda: collections.deque(TEXTS),
    "list of squares": lambda: list(CELLS.reshape(-1, 9, 9)),
    "list of array.array": lambda: [array.array("B", puzzle) for puzzle in LISTS],
    "uint8": lambda: CELLS,
    "squares of uint8": lambda: CELLS.reshape(-1, 9, 9),
    **{kind: lambda kind=kind: CELLS.astype(kind) for kind in ("i1", "i2", "i4", "i8", "u2", "u4", "u8")},
    "int64 of the other byte order": lambda: CELLS.astype(np.dtype(np.int64).newbyteorder()),
    "uint16 of the other byte order": lambda: CELLS.astype(np.dtype(np.uint16).newbyteorder()),
    "every second row": lambda: np.repeat(CELLS, 2, axis=0)[::2],
    "reversed rows": lambda: CELLS[::-1].copy()[::-1],
    "reversed columns": lambda: CELLS[:, ::-1].copy()[:, ::-1],
    "strides in both axes": lambda: padded(CELLS),
    "strides in both axes of int16": lambda: padded(CELLS.astype(np.int16)),
    "transposed": lambda: CELLS.T.copy().T,
    "squares transposed": lambda: CELLS.reshape(-1, 9, 9).transpose(0, 2, 1).copy().transpose(0, 2, 1),
    "Fortran order": lambda: np.asfortranarray(CELLS),
    "read-only": lambda: read_only(CELLS),
    "unaligned": lambda: np.frombuffer(b"x" + CELLS.astype("<i8").tobytes(), "<i8", offset=1).reshape(-1, 81),
    "memory of bytes": lambda: np.frombuffer(CELLS.tobytes(), np.uint8).reshape(-1, 81),
    "array of U": lambda: np.array(TEXTS),
    "array of S": lambda: np.array(RAW),
    "array of U of the other byte order": lambda: np.array(TEXTS).astype(np.dtype("U81").newbyteorder()),
    "every second of U": lambda: np.repeat(np.array(TEXTS), 2)[::2],
    "array of objects": lambda: np.array(TEXTS, object),
    "array of StringDType": lambda: views(TEXTS),
    "numpy.matrix": lambda: np.asmatrix(CELLS),
    "pandas.Series of objects": lambda: pd.Series(TEXTS, dtype=object),
    "pandas.Series": lambda: pd.Series(TEXTS),
    "pandas.Series with an index": lambda: pd.Series(TEXTS, index=range(len(TEXTS), 0, -1)),
    "pandas.Series of string": lambda: pd.Series(TEXTS, dtype="string"),
    "pandas.Series of string[python]": lambda: pd.Series(TEXTS, dtype="string[python]"),
    "pandas.Series of string[pyarrow]": lambda: pd.Series(TEXTS, dtype="string[pyarrow]"),
    "pandas.Series of category": lambda: pd.Series(TEXTS, dtype="category"),
    "pandas.Series of ArrowDtype": lambda: pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.large_string())),
    "pandas.Series, a slice": lambda: pd.Series([*TEXTS, "no puzzle"]).iloc[:-1],
    "polars.Series": lambda: pl.Series(TEXTS),
    "polars.Series, a slice": lambda: pl.Series(["no puzzle", *TEXTS])[1:],
    "polars.Series of Categorical": lambda: pl.Series(TEXTS, dtype=pl.Categorical),
    "polars.Series of Enum": lambda: pl.Series(TEXTS, dtype=pl.Enum(sorted(set(TEXTS)))),
    "polars.Series of Binary": lambda: pl.Series(RAW),
    "polars.Series of List": lambda: pl.Series(LISTS, dtype=pl.List(pl.UInt8)),
    "polars.Series of List of Int64": lambda: pl.Series(LISTS),
    "polars.Series of Array": lambda: pl.Series(LISTS, dtype=pl.Array(pl.UInt8, 81)),
    "polars.Series of Array of Array": lambda: pl.Series(ROWS, dtype=pl.Array(pl.UInt8, (9, 9))),
    "polars.Series of List of List": lambda: pl.Series(ROWS),
    "polars.Series of List of Array": lambda: pl.Series(ROWS, dtype=pl.List(pl.Array(pl.Int16, 9))),
    "polars.Series in two chunks": lambda: pl.Series(TEXTS[:9]).append(pl.Series(TEXTS[9:])),
    **{
        f"pyarrow.{kind}": lambda kind=kind: pa.array(TEXTS, kind)
        for kind in (pa.string(), pa.large_string(), pa.string_view())
    },
    **{
        f"pyarrow.{kind}": lambda kind=kind: pa.array(RAW, kind)
        for kind in (pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(81))
    },
    "pyarrow dictionary": lambda: pa.array(TEXTS).dictionary_encode(),
    "pyarrow dictionary of int8": lambda: (
        pa.array(TEXTS).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
    ),
    "pyarrow dictionary, a slice": lambda: pa.array(["no puzzle", *TEXTS]).dictionary_encode()[1:],
    "pyarrow dictionary of lists": lambda: pa.DictionaryArray.from_arrays(
        range(len(LISTS)), pa.array(LISTS, pa.list_(pa.int64()))
    ),
    "pyarrow list of uint8": lambda: pa.array(LISTS, pa.list_(pa.uint8())),
    "pyarrow list of int8": lambda: pa.array(LISTS, pa.list_(pa.int8())),
    "pyarrow large_list of int32": lambda: pa.array(LISTS, pa.large_list(pa.int32())),
    "pyarrow list, a slice": lambda: pa.array([[1], *LISTS, [2]], pa.list_(pa.uint8()))[1:-1],
    "pyarrow fixed_size_list": lambda: pa.array(LISTS, pa.list_(pa.int64(), 81)),
    "pyarrow fixed_size_list, a slice": lambda: pa.array([[0] * 81, *LISTS], pa.list_(pa.uint8(), 81))[1:],
    "pyarrow list of lists": lambda: pa.array(ROWS),
    "pyarrow list of lists, a slice": lambda: pa.array([ROWS[1], *ROWS, [[1], [2]]])[1:-1],
    "pyarrow fixed_size_list of lists": lambda: pa.array(ROWS, pa.list_(pa.large_list(pa.uint8()), 9)),
    "pyarrow list of fixed_size_list": lambda: pa.array(ROWS, pa.large_list(pa.list_(pa.int8(), 9))),
    "pyarrow fixed_size_lists, a slice": lambda: pa.array(
        [ROWS[1], *ROWS], pa.list_(pa.list_(pa.uint8(), 9), 9)
    )[1:],
    "pyarrow list of tensors": lambda: pa.FixedShapeTensorArray.from_numpy_ndarray(CELLS.reshape(-1, 9, 9)),
    "pyarrow string, a slice": lambda: pa.array(["no puzzle", *TEXTS, "nor this"])[1:-1],
    **{
        f"chunks of {kind}": lambda kind=kind: in_chunks(kind, TEXTS)
        for kind in (pa.string(), pa.large_string(), pa.string_view())
    },
    "chunks of lists": lambda: in_chunks(pa.list_(pa.uint8()), LISTS),
    "chunks of fixed_size_list": lambda: in_chunks(pa.list_(pa.uint8(), 81), LISTS),
    "the puzzles of a result": lambda: EXPECTED.to_arrow()["puzzle"],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_input_gives_the_same_answers(form: str) -> None:
    given = FORMS[form]()
    found = gridmill.solve(given)
    assert len(found) == len(TEXTS)
    assert list(found.status) == list(EXPECTED.status)
    np.testing.assert_array_equal(found.solution, EXPECTED.solution)
    np.testing.assert_array_equal(found.guesses, EXPECTED.guesses)
    assert found.puzzle is given


@pytest.mark.parametrize("form", FORMS)
def test_the_table_of_every_form_has_the_puzzles_and_solutions_as_texts(form: str) -> None:
    result = gridmill.solve(FORMS[form]())
    puzzles = result.to_arrow()["puzzle"]
    assert all(isinstance(puzzle, (str, bytes)) for puzzle in puzzles.to_pylist())
    # pyarrow can't sort views, and joins and concatenates only tables of the same types.
    assert puzzles.type not in (pa.large_string(), pa.string_view())
    found = result.to_pandas()
    assert [puzzle.strip().replace("0", ".") for puzzle in as_texts(found["puzzle"])] == TEXTS
    assert list(found["solution"].dropna()) == [text(row) for row in EXPECTED.solution if row[0]]


def as_texts(column: Any) -> list[str]:
    """Returns a column of texts, of bytes, or of lists of cells as texts."""

    def one(value: Any) -> str:
        if isinstance(value, (str, bytes)):
            return value if isinstance(value, str) else value.decode()
        return text(np.array(value))

    return [one(value) for value in column]


ONE = {
    "str": TEXTS[0],
    "bytes": RAW[0],
    "numpy.str_": np.str_(TEXTS[0]),
    "list of cells": LISTS[0],
    "tuple of cells": tuple(LISTS[0]),
    "list of rows": CELLS[0].reshape(9, 9).tolist(),
    "list of arrays of rows": list(CELLS[0].reshape(9, 9)),
    "81 cells": CELLS[0],
    "81 cells of int64": CELLS[0].astype(np.int64),
    "a square": CELLS[0].reshape(9, 9),
    "a square of strides": np.asfortranarray(CELLS[0].reshape(9, 9)),
    "array of one text": np.array(TEXTS[0]),
    "list of one text": TEXTS[:1],
    "array of one row": CELLS[:1],
}


@pytest.mark.parametrize("form", ONE)
def test_a_single_puzzle_gives_a_result_of_length_one(form: str) -> None:
    found = gridmill.solve(ONE[form])
    assert len(found) == 1
    np.testing.assert_array_equal(found.solution, EXPECTED.solution[:1])


NO_PUZZLES: dict[str, Callable[[], Any]] = {
    "list": list,
    "tuple": tuple,
    "array": lambda: np.empty((0, 81), np.uint8),
    "array of int64": lambda: np.empty((0, 81), np.int64),
    "squares": lambda: np.empty((0, 9, 9), np.uint8),
    "array of U": lambda: np.empty(0, "U81"),
    "array of S": lambda: np.empty(0, "S81"),
    "array of objects": lambda: np.empty(0, object),
    "array of float64": lambda: np.empty(0),
    "pandas.Series": lambda: pd.Series([], dtype=object),
    "pandas.Series of float64": lambda: pd.Series([], dtype="float64"),
    "pandas.Series of string": lambda: pd.Series([], dtype="string"),
    "pandas.Series of category": lambda: pd.Series([], dtype="category"),
    "polars.Series": lambda: pl.Series([], dtype=pl.String),
    "polars.Series of Null": lambda: pl.Series([]),
    "polars.Series of Categorical": lambda: pl.Series([], dtype=pl.Categorical),
    "polars.Series of Array": lambda: pl.Series([], dtype=pl.Array(pl.UInt8, 81)),
    "pyarrow.string": lambda: pa.array([], pa.string()),
    "pyarrow.null": lambda: pa.array([], pa.null()),
    "pyarrow list": lambda: pa.array([], pa.list_(pa.uint8())),
    "pyarrow dictionary": lambda: pa.array([], pa.string()).dictionary_encode(),
    "no chunks": lambda: pa.chunked_array([], pa.string()),
    "no chunks of lists": lambda: pa.chunked_array([], pa.list_(pa.uint8(), 81)),
    "an empty chunk": lambda: pa.chunked_array([pa.array([], pa.string())]),
    "an empty slice": lambda: pa.array(TEXTS)[5:5],
}


@pytest.mark.parametrize("form", NO_PUZZLES)
def test_no_puzzles_give_an_empty_result_and_an_empty_table(form: str) -> None:
    found = gridmill.solve(NO_PUZZLES[form]())
    assert len(found) == 0
    assert found.solution.shape == (0, 81)
    assert found.solution.dtype == np.uint8
    assert list(found.status) == []
    assert found.to_arrow().num_rows == 0
    assert found.to_arrow().column_names == list(found.columns)
    assert found.to_polars().shape == (0, 5)
    assert found.to_pandas().shape == (0, 5)


MISSING: dict[str, Callable[[], Any]] = {
    "list with None": lambda: [TEXTS[0], None, TEXTS[1]],
    "list with NaN": lambda: [TEXTS[0], float("nan"), TEXTS[1]],
    "array of objects": lambda: np.array([TEXTS[0], None, TEXTS[1]]),
    "pandas.Series of objects": lambda: pd.Series([TEXTS[0], None, TEXTS[1]], dtype=object),
    "pandas.Series of objects with NaN": lambda: pd.Series([TEXTS[0], np.nan, TEXTS[1]], dtype=object),
    "pandas.Series of objects with pandas.NA": lambda: pd.Series([TEXTS[0], pd.NA, TEXTS[1]], dtype=object),
    "list with pandas.NA": lambda: [TEXTS[0], pd.NA, TEXTS[1]],
    "pandas.Series": lambda: pd.Series([TEXTS[0], None, TEXTS[1]]),
    "pandas.Series of string": lambda: pd.Series([TEXTS[0], None, TEXTS[1]], dtype="string"),
    "pandas.Series of category": lambda: pd.Series([TEXTS[0], None, TEXTS[1]], dtype="category"),
    "polars.Series": lambda: pl.Series([TEXTS[0], None, TEXTS[1]]),
    "polars.Series of Categorical": lambda: pl.Series([TEXTS[0], None, TEXTS[1]], dtype=pl.Categorical),
    "polars.Series of List": lambda: pl.Series([LISTS[0], None, LISTS[1]]),
    "polars.Series of Array": lambda: pl.Series([LISTS[0], None, LISTS[1]], dtype=pl.Array(pl.UInt8, 81)),
    "pyarrow.string": lambda: pa.array([TEXTS[0], None, TEXTS[1]]),
    "pyarrow.string, a slice": lambda: pa.array([None, TEXTS[0], None, TEXTS[1]])[1:],
    "pyarrow.string_view": lambda: pa.array([TEXTS[0], None, TEXTS[1]], pa.string_view()),
    "pyarrow dictionary": lambda: pa.array([TEXTS[0], None, TEXTS[1]]).dictionary_encode(),
    "pyarrow dictionary with a null value": lambda: pa.DictionaryArray.from_arrays(
        [0, 1, 2], [TEXTS[0], None, TEXTS[1]]
    ),
    "pyarrow list": lambda: pa.array([LISTS[0], None, LISTS[1]], pa.list_(pa.uint8())),
    "pyarrow list, a slice": lambda: pa.array([None, LISTS[0], None, LISTS[1]], pa.list_(pa.uint8()))[1:],
    "pyarrow fixed_size_list": lambda: pa.array([LISTS[0], None, LISTS[1]], pa.list_(pa.uint8(), 81)),
    "pyarrow list of lists": lambda: pa.array([ROWS[0], None, ROWS[1]]),
    "pyarrow list of lists with a null row": lambda: pa.array([ROWS[0], [*ROWS[0][:8], None], ROWS[1]]),
    "pyarrow fixed_size_lists": lambda: pa.array(
        [ROWS[0], [*ROWS[0][:8], None], ROWS[1]], pa.list_(pa.list_(pa.uint8(), 9), 9)
    ),
    "list of lists": lambda: [LISTS[0], None, LISTS[1]],
    "list of rows": lambda: [ROWS[0], float("nan"), ROWS[1]],
}


@pytest.mark.parametrize("form", MISSING)
def test_a_missing_puzzle_is_malformed(form: str) -> None:
    with pytest.raises(gridmill.MalformedError) as caught:
        gridmill.solve(MISSING[form]())
    assert (caught.value.name, caught.value.record) == ("puzzles", 1)
    found = gridmill.solve(MISSING[form](), malformed="keep")
    assert list(found.status) == ["unique", "malformed", "unique"]
    assert not found.solution[1].any()
    np.testing.assert_array_equal(found.solution[::2], EXPECTED.solution[:2])
    table = found.to_arrow().to_pylist()
    assert [row["solution"] is None for row in table] == [False, True, False]
    assert [row["guesses"] is None for row in table] == [False, True, False]


def test_a_column_of_nan_alone_has_only_malformed_records() -> None:
    for column in (pd.Series([float("nan")] * 2), np.full(2, np.nan)):
        assert gridmill.verify(column).verdict.counts() == {"malformed": 2}


def test_a_column_of_nulls_has_only_malformed_records() -> None:
    for given in (pa.nulls(3), pl.Series([None, None, None]), [None, None, None], pa.nulls(3, pa.string())):
        found = gridmill.solve(given, malformed="keep")
        assert list(found.status) == ["malformed"] * 3
    none = pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int32()), pa.array([], pa.string()))
    assert list(gridmill.solve(none, malformed="keep").status) == ["malformed"] * 2


@pytest.mark.parametrize(
    "given",
    [
        memoryview(CELLS.tobytes()),
        array.array("B", CELLS.tobytes()),
        bytearray(RAW[0]),
        (puzzle for puzzle in TEXTS),
        iter(TEXTS),
        map(str, TEXTS),
        set(TEXTS),
        {"puzzle": TEXTS},
        dict(enumerate(TEXTS)),
        range(82),
        None,
        5,
        object(),
        TEXTS[0].encode,
    ],
    ids=lambda given: type(given).__name__,
)
def test_the_error_for_an_unsupported_object_says_what_was_expected(given: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"puzzles: expected .*(puzzles|array)"):
        gridmill.solve(given)


@pytest.mark.parametrize(
    "given",
    [
        pd.DataFrame({"puzzle": TEXTS}),
        pl.DataFrame({"puzzle": TEXTS}),
        pa.table({"puzzle": TEXTS}),
        pa.record_batch({"puzzle": TEXTS}),
        EXPECTED,
        pa.array([{"puzzle": puzzle} for puzzle in TEXTS]),
    ],
    ids=lambda given: f"{type(given).__module__}.{type(given).__name__}",
)
def test_the_error_for_a_whole_table_suggests_choosing_a_column(given: Any) -> None:
    with pytest.raises(
        TypeError,
        match=r'expected the column of the puzzles, such as table(\.to_arrow\(\))?\["puzzle"\], found a whole table',
    ):
        gridmill.solve(given)


@pytest.mark.parametrize("end", ["\n", "\n\n", "\r\n\r\n", " \n \n", "\n "])
@pytest.mark.parametrize("begin", ["", "\n", "\n\n"])
def test_blank_lines_around_a_puzzle_are_ignored(begin: str, end: str) -> None:
    solution = gridmill.texts(gridmill.solve(TEXTS[0]).solution)[0]
    assert gridmill.check([TEXTS[0]], [begin + solution + end]).verdict[0] == "ok"


def test_texts_and_lists_of_cells_may_be_mixed() -> None:
    rows = [[puzzle[row : row + 9] for row in range(0, 81, 9)] for puzzle in TEXTS]
    mixed: list[Any] = [[TEXTS, LISTS, ROWS, rows, CELLS][place % 5][place] for place in range(len(TEXTS))]
    expected = EXPECTED.to_arrow()
    assert gridmill.solve(mixed).to_arrow()["solution"].equals(expected["solution"])
    assert (
        gridmill.solve(mixed[1:]).to_arrow()["solution"].to_pylist() == expected["solution"].to_pylist()[1:]
    )
    for bad in ([], 0, 3.5, True, {"error": 1}, None):
        found = gridmill.verify([bad, *mixed])
        assert found.verdict[0] == "malformed"
        assert (found.verdict[1:] == EXPECTED.status).all()


@pytest.mark.parametrize("answer", [5, 3.5, True, {"grid": 1}, [], None])
def test_answers_may_all_be_something_else_than_grids(answer: Any) -> None:
    for count in (1, 9, 81):
        puzzles = (TEXTS * 9)[:count]
        assert (gridmill.score([answer] * count, puzzles, malformed="keep").status == "malformed").all()
        scored = gridmill.score([answer] * count, None, puzzles, malformed="keep")
        assert (scored.status == "malformed").all()
        assert (gridmill.check(puzzles, [answer] * count).verdict == "malformed").all()
    empty = gridmill.score(pl.Series([[], []]), TEXTS[:2], malformed="keep")
    assert (empty.status == "malformed").all()


@pytest.mark.parametrize("form", ["flat", "rows", "one", "Arrow", "rows of Arrow", "Polars", "texts"])
def test_null_in_a_list_is_a_blank(form: str) -> None:
    flat = [[cell or None for cell in puzzle] for puzzle in LISTS]
    rows = [[[cell or None for cell in row] for row in puzzle] for puzzle in ROWS]
    given: Any = {
        "flat": flat,
        "rows": rows,
        "one": flat[0],
        "Arrow": pa.array(flat, pa.list_(pa.int64())),
        "rows of Arrow": pa.array(rows, pa.list_(pa.list_(pa.uint8()))),
        "Polars": pl.Series(flat),
        "texts": [str(puzzle) for puzzle in flat[:20]] + [json.dumps(puzzle) for puzzle in rows[20:]],
    }[form]
    expected = EXPECTED.solution[:1] if form == "one" else EXPECTED.solution
    np.testing.assert_array_equal(gridmill.solve(given).solution, expected)


@pytest.mark.parametrize("separator", [", ", ",", " "])
@pytest.mark.parametrize("cells", [27, 28, 40, 41, 80, 82])
def test_a_list_of_too_few_or_too_many_cells_in_a_text_is_malformed(cells: int, separator: str) -> None:
    solution = [*gridmill.generate(1).solution[0].tolist(), 1][:cells]
    found = gridmill.verify(f"[{separator.join(map(str, solution))}]", malformed="keep")
    assert found.reason[0] in (f"{cells} cells where 81 are needed", "text after cell 81")
    assert found.verdict[0] == "malformed"


def test_a_number_in_the_text_of_a_list_that_is_not_a_cell_is_named() -> None:
    for number, reason in [(10, "10 is too large"), (255, "255 is too large"), (-1, "'-' is neither digit")]:
        found = gridmill.verify(str([*LISTS[0][:5], number, *LISTS[0][6:]]), malformed="keep")
        assert str(found.reason[0]).startswith(reason)


def test_a_text_after_the_cells_is_refused_in_every_notation() -> None:
    for spelling in (TEXTS[0], " ".join(TEXTS[0].replace(".", "0")), str(LISTS[0])):
        assert gridmill.solve(spelling).status[0] == EXPECTED.status[0]
        with pytest.raises(gridmill.MalformedError, match="text after cell 81"):
            gridmill.solve(spelling + " wait, no")


def test_texts_may_have_commas_between_all_cells() -> None:
    puzzle = TEXTS[0]
    rows = [",".join(puzzle[row : row + 9]) for row in range(0, 81, 9)]
    for spelling in (",".join(puzzle), ", ".join(puzzle), "\n".join(rows), ",\n".join(rows) + ",\n"):
        found = gridmill.solve([spelling])
        assert gridmill.texts(found.solution) == gridmill.texts(gridmill.solve([puzzle]).solution)
    assert gridmill.verify([puzzle[:80] + "," + puzzle[80]]).verdict[0] == "malformed"
