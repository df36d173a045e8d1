"""Shared by the tests of clusters: a collection, the program's answers, and a worker that is killed."""

from __future__ import annotations

import os
import random
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pytest

ROOT = Path(__file__).resolve().parents[2]
# A file of each format that the program reads.
FORMATS = sorted((ROOT / "datasets" / "formats").iterdir())


def program() -> str:
    """Returns the program that results are compared with: `GRIDMILL_COMMAND`, or a build of this folder."""
    builds = [str(ROOT / "target" / build / "gridmill") for build in ("release", "debug")]
    for path in [os.environ.get("GRIDMILL_COMMAND"), *builds]:
        if path and Path(path).exists():
            return path
    pytest.skip("there is no program to compare with: build it, or name it in GRIDMILL_COMMAND")


def run(*arguments: object) -> bytes:
    """Runs the program. It may report faults in the data, because some records are malformed."""
    done = subprocess.run([program(), *map(str, arguments), "--quiet"], capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout


# The place of a record: its file, and the offset there.
Place = tuple[str, int]


@dataclass
class Collection:
    """Two files of a collection, and a file of another one that shares puzzles with it."""

    folder: Path
    files: list[Path]
    other: Path

    def rows(self, function: str) -> Any:
        """Returns the program's answer for each record, in order, as strings."""
        how = {"verify": ["--all", "--output", "-"], "canon": ["--transform"], "count": ["--limit", "5"]}
        return _csv(run(function, *self.files, *how.get(function, [])))

    def places(self) -> set[Place]:
        """Returns all records."""
        return {(str(file), offset) for file in self.files for offset in _offsets(file)}

    def duplicates(self, *how: object) -> dict[Place, Place]:
        """Returns the duplicates that the program finds, and the record that each is a duplicate of."""
        listed = self.folder / "duplicates.csv"
        run("dedupe", "--isomorphic", *self.files, *how, "--list-duplicates", listed)
        rows = _csv(listed.read_bytes()).to_pylist()
        files = {str(file): _offsets(file) for file in [*self.files, self.other]}
        return {
            (row["file"], files[row["file"]][int(row["record"]) - 1]): (
                row["first_file"],
                files[row["first_file"]][int(row["first_record"]) - 1],
            )
            for row in rows
        }

    def overlap(self) -> dict[Place, Place]:
        """Returns the records of the other file that the program finds in the first file, and where."""
        rows = _csv(run("overlap", "--isomorphic", self.other, self.files[0])).to_pylist()
        there, here = _offsets(self.other), _offsets(self.files[0])
        return {
            (str(self.other), there[int(row["record"]) - 1]): (
                str(self.files[0]),
                here[int(row["other_record"]) - 1],
            )
            for row in rows
        }


def _csv(text: bytes) -> Any:
    """Returns the rows of CSV, as strings."""
    names = text[: text.index(b"\n")].decode().split(",")
    convert = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    return pyarrow.csv.read_csv(pa.BufferReader(text), convert_options=convert)


def _offsets(file: Path) -> list[int]:
    """Returns where the records of a file begin."""
    offsets, at = [], 0
    for line in file.read_bytes().splitlines(keepends=True):
        if line.strip() and not line.startswith(b"#"):
            offsets.append(at)
        at += len(line)
    return offsets


def make_collection(folder: Path, count: int) -> Collection:
    """Writes a collection: a fifth of its records are isomorphs of others, some are malformed."""
    base = run("generate", "-n", count * 4 // 5, "--seed", 1).decode().split()
    again = folder / "again.txt"
    again.write_text("\n".join(base[: count // 5]) + "\n")
    isomorphs = run("shuffle", again, "--seed", 2).decode().split()
    broken = ["12", "1" * 81, "." * 80 + "!", "." * 81]
    lines = base + isomorphs + broken * (count // 2000 + 1)
    random.Random(3).shuffle(lines)
    half = len(lines) // 2
    files = [folder / "a.txt", folder / "b.txt"]
    files[0].write_text("# the first\n\n" + "\n".join(lines[:half]) + "\n")
    files[1].write_bytes("\r\n".join(lines[half:]).encode())
    other = folder / "other.txt"
    others = run("generate", "-n", count // 20, "--seed", 4).decode().split() + isomorphs[: count // 20]
    other.write_text("\n".join(others + broken) + "\n")
    again.unlink()
    return Collection(folder, files, other)


class Killer(threading.Thread):
    """Kills a worker in the middle of a job, once `after` batches have begun.

    `kill` gets the names of the workers that have begun a batch, and returns whether it killed one. The thread
    then creates a file `killed` beside the folder. Batches wait for it, so that the job does not end too early.
    """

    def __init__(self, folder: Path, after: int, kill: Callable[[list[str]], bool]) -> None:
        super().__init__(daemon=True)
        self.folder = folder
        self.after = after
        self.kill = kill
        self.killed = False
        self.stopped = False
        folder.mkdir()

    def run(self) -> None:
        while not self.killed and not self.stopped:
            time.sleep(0.01)
            marks = [name.split("_")[0] for name in os.listdir(self.folder)]
            if len(marks) >= self.after:
                self.killed = self.kill(marks)
        (self.folder.parent / "killed").touch()

    def __enter__(self) -> Killer:  # noqa: PYI034
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped = True
        self.join()

    def batches(self) -> int:
        """Returns the number of batches that have begun."""
        return len(os.listdir(self.folder))


COMPARED = {
    "solve": ["solution", "status", "guesses"],
    "verify": ["verdict", "reason"],
    "rate": ["er", "ep", "ed", "hardest", "steps", "scale", "status"],
    "canon": ["canonical", "transform", "status"],
    "count": ["solutions", "status", "guesses"],
    "backdoors": ["size", "backdoor", "status"],
    "minimal": ["status", "redundant"],
    "candidates": ["candidates", "status"],
}


# Options for the functions and for the program. Counting the solutions of an empty grid would never end
# without a limit.
OPTIONS: dict[str, dict[str, Any]] = {"count": {"limit": 5}}


def assert_equal(found: Any, rows: Any, columns: list[str]) -> None:
    """Asserts that a table has the values of the program's rows, in any order.

    For malformed records the program writes 0 for numbers, and another reason.
    """
    found = found.sort_by([("file", "ascending"), ("offset", "ascending")])
    assert len(found) == len(rows)
    verdict = "verdict" if "verdict" in columns else "status"
    assert "malformed" in rows.column(verdict).to_pylist()
    assert _texts(found.column(verdict)) == _texts(rows.column(verdict))
    could_be_read = pc.not_equal(rows.column(verdict), "malformed")
    for name in columns:
        texts = _texts(found.column(name).filter(could_be_read))
        assert texts == _texts(rows.column(name).filter(could_be_read)), f"{name} differs"


def _texts(column: Any) -> list[str]:
    """Returns a column as the program writes it. Null becomes an empty text."""
    if pa.types.is_floating(column.type):
        return ["" if number is None else f"{number:.1f}" for number in column.to_pylist()]
    return ["" if text is None else text for text in column.cast(pa.string()).to_pylist()]


def places(found: Any, prefix: str = "") -> list[Place]:
    """Returns the places of the records of a table."""
    return list(zip(*(found.column(prefix + name).to_pylist() for name in ("file", "offset")), strict=True))


def pairs(found: Any, prefix: str) -> dict[Place, Place]:
    """Returns the place of each record, with the place of the record that it equals."""
    return dict(zip(places(found), places(found, prefix), strict=True))
