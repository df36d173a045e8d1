"""What all functions have in common."""

from __future__ import annotations

from typing import Any, Literal

Malformed = Literal["raise", "keep"]
"""What becomes of a record that is no puzzle: an exception, or a row that says so."""


def options(threads: int | None, malformed: Malformed) -> dict[str, Any]:
    """Returns the options that the engine takes."""
    if malformed not in ("raise", "keep"):
        raise ValueError(f"malformed={malformed!r}: expected 'raise' or 'keep'")
    if threads is not None and threads < 1:
        raise ValueError(f"threads={threads}: expected 1 or more, or None for all cores")
    return {"threads": threads, "keep": malformed == "keep"}
