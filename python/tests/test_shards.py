"""Files that are cut into shards have each of their records once."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

import gridmill
from gridmill import _shards
from gridmill._shards import cut

PUZZLE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


def read(path: Path | list[str], column: str | None = None, shard_bytes: int = 64 << 20) -> Any:
    paths = path if isinstance(path, list) else str(path)
    shards = cut(paths, column, shard_bytes=shard_bytes)
    tables = [table for shard in shards for table in shard.tables()]
    assert all(table.schema == shards[0].schema for table in tables)
    return pa.concat_tables(tables)


@pytest.mark.parametrize("seed", range(10))
def test_any_cut_has_each_line_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    choose = random.Random(seed)
    for size in ("HEAD", "STEP"):
        monkeypatch.setattr(_shards, size, choose.choice([8, 64, 1 << 20]))
    lines = ["".join(choose.choices("abc", k=choose.choice([0, 1, 3, 6]))) for _ in range(20)] + ["a"]
    feed = choose.choice(["\n", "\r\n"])
    text = choose.choice(["", "\ufeff"]) + feed.join(lines) + choose.choice(["", feed])
    path = tmp_path / "puzzles.txt"
    path.write_bytes(text.encode())
    for shard_bytes in (1, 2, choose.randrange(3, 40), 1000):
        found = read(path, shard_bytes=shard_bytes)
        assert found["puzzle"].to_pylist() == [line for line in lines if line]
        for offset, puzzle in zip(found["offset"].to_pylist(), found["puzzle"].to_pylist(), strict=True):
            assert text.encode()[offset:].startswith(puzzle.encode())


def test_blank_lines_comments_and_remarks_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.txt"
    path.write_bytes(b"# rated\n \t \n" + PUZZLE.encode() + b", hard\n\xff\xfe\nd\re\x01f\n" + b" " * 81)
    for shard_bytes in (5, 1000):
        found = read(path, shard_bytes=shard_bytes)
        assert found["puzzle"].to_pylist() == [PUZZLE, "\ufffd\ufffd", "d\re\x01f", " " * 81]
        assert found["offset"].to_pylist() == [12, 100, 103, 109]


def test_a_broken_row_of_csv_is_a_record_and_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.csv"
    path.write_bytes(b'\xef\xbb\xbfid,puzzle\r\n1,abc\r\n"2","d,ef"\r\n3,x,y\r\n\r\n4,"open\r\n5,ghi\r\n')
    for shard_bytes in (3, 1000):
        found = read(path, "puzzle", shard_bytes)
        assert found["id"].to_pylist() == ["1", "2", None, "4", "5"]
        assert found["puzzle"].to_pylist()[:3] == ["abc", "d,ef", None]
        assert found["offset"].to_pylist() == [14, 21, 33, 42, 51]


def of_spaces(puzzle: str) -> str:
    return puzzle.replace(".", " ")


def numbers(puzzle: str) -> list[int]:
    return [int(cell) for cell in puzzle.replace(".", "0")]


# How the files of each format are written that no option is needed for, by the lines in front of the records, that of a
# record, and the column of the puzzles.
FORMATS: dict[str, tuple[str, Callable[[str], str], str]] = {
    "csv": ("id,quizzes,solutions\n", lambda puzzle: f'7,{puzzle},"a,b"', "quizzes"),
    "semicolons": ("# made\nPuzzle;rating\n", lambda puzzle: f"{puzzle};1.5", "Puzzle"),
    "lists in csv": ("puzzle\n", lambda puzzle: f'"{numbers(puzzle)}"', "puzzle"),
    "json": ("", lambda puzzle: json.dumps({"id": 7, "question": puzzle}), "question"),
    "lists in json": ("", lambda puzzle: json.dumps({"puzzle": numbers(puzzle), "a": None}), "puzzle"),
    "bank": ("# top\n", lambda puzzle: f"0000183b305c {puzzle}  1.2", "puzzle"),
    "hodoku": ("", lambda puzzle: f":0000:x:{puzzle}:::", "puzzle"),
    "spaces": ("", of_spaces, "puzzle"),
    "cells apart": ("", lambda puzzle: " ".join(puzzle) + " ; easy", "puzzle"),
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("shard_bytes", [7, 333, 1 << 20])
def test_what_the_command_reads_is_read_without_options(tmp_path: Path, name: str, shard_bytes: int) -> None:
    top, line, column = FORMATS[name]
    made = gridmill.generate(20, seed=3)
    puzzles = list(made.to_arrow()["puzzle"].to_pylist())
    path = tmp_path / "puzzles"
    path.write_text(top + "".join(line(puzzle) + "\n\n" for puzzle in puzzles))
    found = read(path, shard_bytes=shard_bytes)
    assert gridmill.solve(found[column]).solution.tolist() == made.solution.tolist()
    text = path.read_bytes()
    assert [text[at:].split(b"\n")[0].decode() for at in found["offset"].to_pylist()] == list(
        map(line, puzzles)
    )


def test_other_columns_are_kept_and_what_is_missing_is_null(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.jsonl"
    path.write_text('{"id": 1, "puzzle": "a\\u0062"}\n{"puzzle": "c", "id": "x"}\n{"id": null}\n[]\n')
    for shard_bytes in (1, 1000):
        found = read(path, shard_bytes=shard_bytes)
        assert found["id"].to_pylist() == ["1", "x", None, None]
        assert found["puzzle"].to_pylist() == ["ab", "c", None, None]


def test_grids_and_rows_over_lines_are_read_as_one_shard(tmp_path: Path) -> None:
    made = gridmill.generate(3, seed=3)
    puzzles = list(made.to_arrow()["puzzle"].to_pylist())
    grids = tmp_path / "grids.txt"
    grids.write_text(
        "\n\n".join("\n".join(puzzle[row : row + 9] for row in range(0, 81, 9)) for puzzle in puzzles)
    )
    assert gridmill.solve(read(grids, shard_bytes=1)["puzzle"]).solution.tolist() == made.solution.tolist()
    rows = tmp_path / "rows.csv"
    rows.write_text("note,puzzle\n" + "".join(f'"two\nlines",{puzzle}\n' for puzzle in puzzles))
    assert read(rows)["note"].to_pylist() == ["two\nlines"] * 3
    with pytest.raises(ValueError, match="byte 12 begins a row of several lines: read the file whole"):
        read(rows, shard_bytes=100)


def test_the_shape_is_said_where_it_is_open(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.txt"
    path.write_text("." * 324 + "\n")
    with pytest.raises(ValueError, match="18x18 puzzles may have boxes of"):
        cut(str(path))
    assert [shard.size for shard in cut(str(path), shape="3x6 A-R")] == [325]


def test_compressed_files_and_folders(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "b.csv.gz", "wb") as file:
        file.write(b"id,puzzle\n1,abc\n2,def")
    (tmp_path / "a.csv").write_text("id,puzzle\n3,ghi\n")
    (tmp_path / "_SUCCESS").write_text("")
    found = read(tmp_path, "puzzle", 4)
    assert found["id"].to_pylist() == ["3", "1", "2"]
    assert [Path(file).name for file in found["file"].to_pylist()] == ["a.csv", "b.csv.gz", "b.csv.gz"]
    assert found["offset"].to_pylist() == [10, 10, 16]


def test_parquet_is_cut_between_row_groups(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "puzzles.parquet"
    table = pa.table({"id": range(10), "puzzle": list("abcdefghij")})
    parquet.write_table(table, path, row_group_size=3)
    assert len(cut(str(path), shard_bytes=1)) == 4
    found = read(path, "puzzle", 1)
    assert found.select(["id", "puzzle"]).to_pydict() == table.to_pydict()
    assert found["offset"].to_pylist() == list(range(10))


def test_what_can_not_be_read_is_an_error_that_says_why(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,puzzle\n1,abc\n")
    (tmp_path / "b.csv").write_text("number,puzzle\n1,abc\n")
    (tmp_path / "c.csv").write_text("file,puzzle\n1,abc\n")
    (tmp_path / "empty.txt").write_text("")
    for paths, column, error, says in [
        ("none.txt", None, FileNotFoundError, "does not exist"),
        ("empty.txt", None, ValueError, "no records"),
        ("a.csv", "quizzes", ValueError, "no column 'quizzes'; its columns are: id, puzzle"),
        ("c.csv", "puzzle", ValueError, "rename it"),
        (["a.csv", "b.csv"], "puzzle", ValueError, "other columns"),
        ([], None, ValueError, "no records"),
    ]:
        named = [str(tmp_path / path) for path in ([paths] if isinstance(paths, str) else paths)]
        with pytest.raises(error, match=says):
            cut(named, column, shard_bytes=100)
