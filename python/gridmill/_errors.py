"""The exceptions of this package."""

from __future__ import annotations


class MalformedError(ValueError):
    """A record is no puzzle of the size that was expected.

    `name` is the argument it stands in, `record` its index there, from 0, and `reason` what is wrong with it.

    >>> import gridmill
    >>> try:
    ...     gridmill.solve(["1.....3..4.....2", "12"], shape="2x2")
    ... except gridmill.MalformedError as error:
    ...     print(error.record, error.reason)
    1 expected 16 cells, found 2
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
