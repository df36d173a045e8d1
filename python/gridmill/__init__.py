"""A high-throughput batch engine for Sudoku, on arrays, lists and columns.

>>> import gridmill
>>> found = gridmill.solve("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")
>>> found.status[0], found.guesses[0]
('unique', 0)
>>> found.solution[0, :9]
array([5, 3, 4, 6, 7, 8, 9, 1, 2], dtype=uint8)
"""

from ._columns import Categorical
from ._errors import MalformedError
from ._result import Result
from ._solve import solve

__all__ = ["Categorical", "MalformedError", "Result", "solve"]
