"""A high-throughput batch engine for Sudoku, on arrays, lists and columns.

>>> import gridmill
>>> found = gridmill.solve("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")
>>> found.status[0], int(found.guesses[0])
('unique', 0)
>>> found.solution[0, :9]
array([5, 3, 4, 6, 7, 8, 9, 1, 2], dtype=uint8)
"""

from importlib.metadata import version as _version

from ._augment import augment, shuffle
from ._canon import canon, keys, same
from ._cells import cells, tokens
from ._columns import Categorical, Notations
from ._count import count
from ._errors import MalformedError
from ._generate import generate
from ._minimize import minimal, minimize
from ._rate import Rated, rate
from ._result import Result
from ._solve import solve
from ._verify import check, verify

__version__ = _version("gridmill")

__all__ = [
    "Categorical",
    "MalformedError",
    "Notations",
    "Rated",
    "Result",
    "augment",
    "canon",
    "cells",
    "check",
    "count",
    "generate",
    "keys",
    "minimal",
    "minimize",
    "rate",
    "same",
    "shuffle",
    "solve",
    "tokens",
    "verify",
]
