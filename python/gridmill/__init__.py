"""A high-throughput batch engine for Sudoku, on arrays, lists and columns.

>>> import gridmill
>>> found = gridmill.solve("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")
>>> found.status[0], int(found.guesses[0])
('unique', 0)
>>> found.solution[0, :9]
array([5, 3, 4, 6, 7, 8, 9, 1, 2], dtype=uint8)
"""

from ._arrays import augment, cells, shuffle, texts, tokens
from ._collections import select, split, stats
from ._columns import CandidateLists, Categorical, LongTexts, ShortTexts
from ._files import Records, read, write
from ._flat import (
    Enumerated,
    Explained,
    Hinted,
    Neighborhoods,
    Neighbors,
    Solutions,
    Steps,
    UnavoidableListed,
    UnavoidableSets,
)
from ._generate import generate
from ._gridmill import __version__ as __version__
from ._input import MalformedError, Puzzles
from ._jobs import (
    backdoors,
    candidates,
    canon,
    check,
    count,
    enumerate,
    explain,
    hint,
    keys,
    minimal,
    minimize,
    neighbors,
    rate,
    same,
    solve,
    unavoidable,
    unavoidable_sets,
    verify,
)
from ._result import (
    Backdoors,
    Candidates,
    Canonical,
    Checked,
    Counted,
    Divided,
    Generated,
    Keyed,
    Matched,
    Minimality,
    Minimized,
    Rated,
    Result,
    Scored,
    Solved,
    Unavoidable,
    Verified,
)
from ._score import score

__all__ = [
    "Backdoors",
    "CandidateLists",
    "Candidates",
    "Canonical",
    "Categorical",
    "Checked",
    "Counted",
    "Divided",
    "Enumerated",
    "Explained",
    "Generated",
    "Hinted",
    "Keyed",
    "LongTexts",
    "MalformedError",
    "Matched",
    "Minimality",
    "Minimized",
    "Neighborhoods",
    "Neighbors",
    "Puzzles",
    "Rated",
    "Records",
    "Result",
    "Scored",
    "ShortTexts",
    "Solutions",
    "Solved",
    "Steps",
    "Unavoidable",
    "UnavoidableListed",
    "UnavoidableSets",
    "Verified",
    "augment",
    "backdoors",
    "candidates",
    "canon",
    "cells",
    "check",
    "count",
    "enumerate",
    "explain",
    "generate",
    "hint",
    "keys",
    "minimal",
    "minimize",
    "neighbors",
    "rate",
    "read",
    "same",
    "score",
    "select",
    "shuffle",
    "solve",
    "split",
    "stats",
    "texts",
    "tokens",
    "unavoidable",
    "unavoidable_sets",
    "verify",
    "write",
]
