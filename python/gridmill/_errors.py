"""What goes wrong with puzzles."""

from __future__ import annotations


class MalformedError(ValueError):
    """A record is no puzzle of the size that was expected.

    `name` is the argument it stands in, `record` its index there, from 0, and `reason` what is wrong with it.
    """

    name: str
    record: int
    reason: str

    def __init__(self, name: str, record: int, reason: str) -> None:
        super().__init__(f"{name}[{record}]: {reason}")
        self.name = name
        self.record = record
        self.reason = reason

    def __reduce__(self) -> tuple[type[MalformedError], tuple[str, int, str]]:
        """Says how to make the exception anew in another process."""
        return type(self), (self.name, self.record, self.reason)
