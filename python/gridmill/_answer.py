"""The jobs of the library: an answer for each puzzle, in columns of the types that the library says."""

from __future__ import annotations

from typing import Any

from . import _gridmill
from ._call import Malformed, options
from ._columns import Cells, Kind, Notations, Numbers, ShortTexts, names, truths
from ._gridmill import Rows


def answer(
    rows: Rows, job: str, arguments: dict[str, Any], threads: int | None, malformed: Malformed
) -> dict[str, Kind]:
    """Returns the columns of a job for the puzzles of some rows."""
    found = _gridmill.answer(rows, job, arguments, options(threads, malformed))
    return {
        name: _column(kind, values, missing, all_names) for name, kind, values, missing, all_names in found
    }


def _column(kind: str, values: Any, missing: Any, all_names: list[str] | None) -> Kind:
    if kind == "cells":
        return Cells(values, truths(missing))
    if kind == "texts":
        return ShortTexts(Notations(values))
    return Numbers(values, truths(missing)) if all_names is None else names(values, all_names)
