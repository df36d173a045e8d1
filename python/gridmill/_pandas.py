"""Columns of results as pandas has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ._columns import Bytes, Name, Names, Numbers

if TYPE_CHECKING:
    from ._result import Result

WHOLE = {"uint64": "UInt64", "int64": "Int64", "uint32": "UInt32"}
"""The types of pandas that have missing values, for each type of whole numbers."""


def series(result: Result, name: str) -> Any:
    """Returns a column: texts, a categorical, or numbers."""
    column = result._columns.get(name)
    if isinstance(column, Names):
        return pd.Categorical.from_codes(column.values.codes, list(column.values.categories))
    if isinstance(column, Name):
        return pd.Categorical.from_codes(-column.missing.astype(np.int8), [column.values])
    if isinstance(column, Numbers):
        if column.missing is None or column.values.dtype.kind == "f":
            return column.values
        numbers = pd.array(column.values, dtype=WHOLE[column.values.dtype.name])
        numbers[column.missing] = pd.NA
        return numbers
    if isinstance(column, Bytes):
        missing = np.zeros(len(result), np.bool_) if column.missing is None else column.missing
        keys = [None if none else key.tobytes() for none, key in zip(missing, column.values, strict=True)]
        return pd.array(np.asarray(keys, dtype=object), dtype=object)
    values = result._texts(name)
    texts = [text.decode(errors="replace") if isinstance(text, bytes) else text for text in values]
    return pd.array(np.asarray(texts, dtype=object), dtype="str" if _has_str() else object)


def _has_str() -> bool:
    """Returns whether texts have a type of their own: from pandas 3 on."""
    return int(pd.__version__.split(".")[0]) >= 3
