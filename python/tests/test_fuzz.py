"""For any arguments, a function returns a result or raises one of the documented exceptions."""

from __future__ import annotations

import array
import datetime
import decimal
import fractions
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from samples import CONTRADICTORY, EMPTY, cells, texts

import gridmill

GOOD = [*texts("easy", 4), CONTRADICTORY]
DTYPES = [
    "u1",
    "i1",
    "i8",
    ">i4",
    "u8",
    "f8",
    "f2",
    "?",
    "c8",
    "O",
    "U81",
    "S5",
    "M8[s]",
    "m8[D]",
    "V8",
    "U0",
    ">U81",
]
SCALARS: list[Any] = [
    None, True, 0, 5, -1, 2**70, 1.5, float("nan"), float("inf"), 1j, "", "x", EMPTY, GOOD[0], b"", b"\xff", EMPTY.encode(),
    "\ud800" * 81, "1" * 1000, object(), object, len, ..., NotImplemented, {}, set(), (), [], frozenset({1}), range(3),
    slice(1), bytearray(81), memoryview(b"1" * 81), datetime.date(2020, 1, 1), decimal.Decimal(1), fractions.Fraction(1, 3),
    np.uint8(3), np.int64(-3), np.float64(2), np.bool_(True), np.datetime64("NaT"), np.str_(EMPTY), pd.NA, pd.NaT, pa.scalar(1),
    array.array("d", [1.0] * 81), iter([1, 2]), lambda: 1,
]  # fmt: skip


def text(rng: random.Random) -> str:
    kind = rng.randrange(5)
    if kind == 0:
        return rng.choice(GOOD)
    if kind == 1:
        return "".join(rng.choices(".0123456789", [30, *[1] * 10], k=81))
    if kind == 2:
        return "".join(
            rng.choices(".0123456789 \n,;x|-\0é\ud8001F", k=rng.choice([0, 1, 16, 80, 81, 82, 256]))
        )
    if kind == 3:
        return rng.choice(GOOD)[: rng.randrange(82)]
    return rng.choice(GOOD) + rng.choice(["\n", " ", ",remark", "1", "\r\n", "\t", ";"])


def grid(rng: random.Random) -> np.ndarray[Any, Any]:
    shape = rng.choice(
        [
            (0,),
            (),
            (81,),
            (9, 9),
            (2, 81),
            (3, 9, 9),
            (1, 81),
            (81, 1),
            (0, 81),
            (2, 80),
            (9, 9, 9),
            (3,),
            (16,),
            (4, 4),
        ]
    )
    numbers = np.random.default_rng(rng.randrange(2**32)).integers(-1 if rng.random() < 0.3 else 0, 11, shape)
    made = numbers if rng.random() < 0.5 else cells(GOOD)
    try:
        made = made.astype(rng.choice(DTYPES))
    except (TypeError, ValueError):
        pass
    if made.ndim and rng.random() < 0.5:
        made = rng.choice([made[::-1], made.T, made[::2], made[..., ::-1], np.asfortranarray(made), made[:0]])
    return made


def listed(rng: random.Random, depth: int) -> list[Any]:
    kind = rng.randrange(4)
    count = rng.choice([0, 1, 2, 3, 9])
    if kind == 0:
        return [text(rng) for _ in range(count)]
    if kind == 1:
        return [text(rng) if rng.random() < 0.7 else rng.choice(SCALARS) for _ in range(count)]
    if kind == 2:
        return [rng.randrange(-1, 11) for _ in range(rng.choice([0, 9, 16, 80, 81]))]
    return [anything(rng, depth + 1) for _ in range(count)]


def column(rng: random.Random) -> Any:
    values = rng.choice(
        [
            [text(rng) for _ in range(3)],
            [text(rng), None],
            cells(GOOD).tolist(),
            listed(rng, 5),
            [rng.choice(SCALARS)] * 2,
        ]
    )
    make: Callable[[Any], Any] = rng.choice(
        [
            pa.array, pl.Series, pd.Series, lambda values: pa.chunked_array([values, values]),
            lambda values: pa.array(values).dictionary_encode(), lambda values: pd.Series(values, dtype="category"),
            lambda values: pl.Series(values, dtype=pl.Categorical), lambda values: pa.array(values, pa.string_view()),
            lambda values: pa.array(values, pa.list_(pa.uint8(), 81)), lambda values: pa.table({"puzzle": values}),
            lambda values: pl.DataFrame({"puzzle": values}), lambda values: pd.DataFrame({"puzzle": values}), pd.Index,
            lambda values: pa.array(values).slice(1),
        ]
    )  # fmt: skip
    try:
        return make(values)
    except Exception:  # noqa: BLE001  (the packages raise exceptions of many types)
        return values


def anything(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.randrange(7 if depth < 3 else 3)
    if kind == 0:
        return rng.choice(SCALARS)
    if kind == 1:
        return text(rng)
    if kind == 2:
        return grid(rng)
    if kind == 3:
        return tuple(listed(rng, depth))
    if kind == 4:
        return column(rng)
    return listed(rng, depth)


OPTIONS: dict[str, list[Any]] = {
    "shape": [
        None,
        None,
        None,
        "3x3",
        "2x2",
        (3, 3),
        "4x4",
        "5x5",
        "2x3",
        (0, 0),
        "x",
        5,
        (2**70, 1),
        b"3x3",
    ],
    "threads": [None, 1, 2, 3, 0, -1, 2**70, "1", 1.5],
    "malformed": ["raise", "keep", "keep", "drop", None],
}
SOLUTIONS = {"same": "others", "check": "solutions", "augment": "solutions"}
OPTIONS_OF_FUNCTION: dict[str, dict[str, list[Any]]] = {
    "solve": {"limit": [1, 2, 100, 0, -1, 2**40, 2**70, None, "2"]},
    "count": {"limit": [1, 5, 1000, -1, 2**70, None]},
    "verify": {},
    "check": {},
    "canon": {},
    "keys": {"isomorphic": [True, False, None, 5], "same_solution": [True, False, None]},
    "same": {"isomorphic": [True, False, None, 5], "same_solution": [True, False, "x"]},
    "rate": {
        "up_to": [1.5, 2.3, 0.1, float("nan"), "x"],
        "scale": ["se", "x", None],
        "ties": ["minlex", "reading", None],
    },
    "minimize": {"seed": [1, 0, -1, 2**64, 1.5, None], "orders": [1, 2, 0, -1]},
    "neighbors": {
        "remove": [1, 0, 4, -1, 2**70, 1.5, None],
        "add": [1, 0, 4, "x"],
        "minimal": [True, False, 5],
        "clues": [17, (20, None), (30, 20), (None, None), -1, 2**70, "x"],
        "pattern": ["x" * 81, "x", "\ud800", 5],
    },
    "augment": {"times": [0, 1, 3, -1, 2**62, 1.5], "seed": [0, -1, 2**64], "first": [0, 2**63, -1]},
    "shuffle": {"seed": [1, -1, 2**64, None]},
    "cells": {},
    "tokens": {},
}

EXPECTED = (TypeError, ValueError, OverflowError, MemoryError)


@pytest.mark.parametrize("name", OPTIONS_OF_FUNCTION)
def test_any_argument_gives_a_result_or_a_documented_exception(name: str) -> None:
    rng = random.Random(f"{name} 1")
    function = getattr(gridmill, name)
    choices = {**OPTIONS, **OPTIONS_OF_FUNCTION[name]}
    if name in ("augment", "shuffle", "cells", "tokens"):
        del choices["malformed"]
    if name == "count":
        # Counting all solutions of some puzzles would take too long.
        choices["limit"] = [*choices["limit"], 10]
    answered = 0
    for _ in range(400):
        given = [anything(rng)] if rng.random() < 0.7 else [GOOD]
        given += (
            [anything(rng) if rng.random() < 0.5 else GOOD]
            if name in SOLUTIONS and rng.random() < 0.6 + (name == "check")
            else []
        )
        options = {key: rng.choice(values) for key, values in choices.items() if rng.random() < 0.25}
        if name == "count":
            options.setdefault("limit", 10)
        if name == "rate":
            options.setdefault("up_to", 1.5)
        try:
            found = function(*given, **options)
        except EXPECTED as error:
            assert str(error), repr(error)
            assert "failed to extract" not in str(error)
            continue
        answered += 1
        if isinstance(found, gridmill.Result):
            assert found.to_arrow().num_rows == len(found)
            assert len(found.to_pandas()) == len(found)
            assert len(repr(found)) > 0
    assert answered > 20


GENERATE_OPTIONS: dict[str, list[Any]] = {
    "count": [0, 1, 3, -1, 2**70, None, "x"],
    "seed": [0, 1, 2**63, -1, 2**64, None],
    "clues": [30, 40, (25, 40), (40, 25), 5, 82, -1, None, (1, 2, 3), "x", 1.5, 2**70, (30,), [28, 30]],
    "symmetry": [None, "rotate180", "mirror", "x", 5],
    "minimal": [False, True, None, 5],
    "pattern": [None, "x" * 81, "." * 81, "x", "1" * 81, "\ud800", 5],
    "guesses": [None, 0, (0, 100), (5, 1), -1, "x"],
    "no_guess": [False, True, "x"],
    "er": [None, (1.0, 3.0), 99.0, float("nan"), "x", (3.0, 1.0), -1.0],
    "technique": [(), "naked-single", "x", ["x-wing"], 5, [5], None],
    "scale": ["sukaku", "se", "x", None],
    "method": [None, "bands", "diagonal", "x", 5],
    "distinct": [False, True],
    "no_isomorphs": [False, True, "x"],
    "attempts": [100, 1, 0, -1, 2**70, "x"],
    "shape": [None, "2x2", "2x3", "4x4", "x", 5, (3, 3)],
    "threads": [None, 1, 2, 0, -1, 2**40, "x"],
}


def test_any_request_for_puzzles_is_fulfilled_or_refused() -> None:
    """`generate` also raises `RuntimeError`, if it finds no such puzzle."""
    rng = random.Random(5)
    fulfilled = 0
    for _ in range(600):
        request = {key: rng.choice(values) for key, values in GENERATE_OPTIONS.items() if rng.random() < 0.18}
        request.setdefault("count", 2)
        request.setdefault("attempts", 200)
        if request["attempts"] is None:
            del request["attempts"]
        try:
            found = gridmill.generate(**request)
        except (*EXPECTED, RuntimeError) as error:
            assert str(error)
            continue
        fulfilled += 1
        assert len(found) == request["count"]
        assert found.to_arrow().num_rows == len(found)
    assert fulfilled > 20
