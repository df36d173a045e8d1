"""The arguments that functions share, and their bounds."""

from __future__ import annotations

import operator
from typing import Any, Literal

Malformed = Literal["raise", "keep"]
"""The fate of a record that is no puzzle: an exception, or a row that says so."""


MOST_THREADS = 1024
"""As many as the command takes: more would help nobody, and run into the limits of the system."""


def threads_of(threads: int | None) -> int | None:
    """Returns a number of threads that can be."""
    if threads is not None and not 1 <= operator.index(threads) <= MOST_THREADS:
        raise ValueError(f"threads={threads}: expected 1 to {MOST_THREADS:,}, or None for all cores")
    return threads


def whole(name: str, number: int, least: int = 0, most: int = 2**64 - 1) -> int:
    """Returns the whole number of an argument, if it is within bounds."""
    if not least <= operator.index(number) <= most:
        raise ValueError(f"{name}={number}: expected a whole number from {least} to {most:,}")
    return number


def options(threads: int | None, malformed: Malformed) -> dict[str, Any]:
    """Returns the options that the engine takes."""
    if malformed not in ("raise", "keep"):
        raise ValueError(f"malformed={malformed!r}: expected 'raise' or 'keep'")
    return {"threads": threads_of(threads), "keep": malformed == "keep"}
