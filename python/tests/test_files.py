"""Files are read as the command reads them, whole or in shards, and tables are written."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import random
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import run as run_python
from samples import texts

pa = pytest.importorskip("pyarrow")

from clusters import FORMATS, ROOT, run

import gridmill
from gridmill import _files
from gridmill._files import cut, plain_tables

PUZZLE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"

# The two ways to read a file: by its path, or as a stream (e.g. from an object store).
PLACES = ["path", "stream"]


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Lets the engine open paths itself, or gives it streams that Python opened."""
    if request.param == "stream":
        monkeypatch.setattr(_files, "_source", _files._stream)
    return str(request.param)


def in_shards(path: Path | list[str], shard_bytes: int = 64 << 20, **how: Any) -> Any:
    """Returns the records of all shards, as the tasks of clusters read them."""
    paths = path if isinstance(path, list) else str(path)
    shards = cut(paths, shard_bytes=shard_bytes, **how)
    tables = [table for shard in shards for table in plain_tables(shard)]
    assert all(table.schema == tables[0].schema for table in tables)
    return pa.concat_tables(tables)


def generated_texts(count: int, seed: int = 3) -> list[str]:
    """Returns puzzles as texts."""
    texts: list[str] = gridmill.generate(count, seed=seed).to_arrow()["puzzle"].to_pylist()
    return texts


# Formats that the command reads.


@pytest.mark.parametrize("path", FORMATS, ids=lambda path: path.name)
def test_files_of_all_formats_are_read_as_the_command_reads_them(path: Path, place: str) -> None:
    rows = list(csv.DictReader(io.StringIO(run("convert", path, "--to", "csv").decode())))
    found = gridmill.read(path).to_arrow()
    column = "question" if "question" in rows[0] else "puzzle"
    assert found["puzzle"].to_pylist() == [row[column] for row in rows]
    assert found["malformed"].null_count == len(rows)
    for name in rows[0].keys() - {"puzzle"}:
        assert [text or "" for text in found[name].to_pylist()] == [row[name] for row in rows]
    for shard_bytes in (50, 64 << 20):
        shards = in_shards(path, shard_bytes)
        assert shards.to_pydict() == found.to_pydict()
    if "pencilmarks" not in path.name:
        solved = csv.DictReader(io.StringIO(run("solve", path, "--to", "csv").decode()))
        assert gridmill.solve(shards["puzzle"]).to_arrow()["solution"].to_pylist() == [
            row["gridmill_solution" if "gridmill_solution" in row else "solution"] for row in solved
        ]


@pytest.mark.parametrize("name", ["4x4.txt", "6x6.txt", "16x16.txt", "easy.txt"])
def test_puzzles_of_any_size_need_no_option(name: str) -> None:
    path = ROOT / "datasets" / name
    lines = run("convert", path, "--to", "line").decode().split()
    found = gridmill.read(path).to_arrow()
    assert found["puzzle"].to_pylist() == lines
    side = round(len(lines[0]) ** 0.5)
    shape = {4: "2x2", 6: "2x3", 9: None, 16: "4x4"}[side]
    assert set(gridmill.verify(found["puzzle"][:50], shape=shape).verdict) == {"unique"}


def test_the_largest_puzzles_are_read() -> None:
    cells = [place * 7 % 26 for place in range(625)]
    letters = "".join(".ABCDEFGHIJKLMNOPQRSTUVWXY"[cell] for cell in cells)
    text = f"{letters}\n{' '.join(map(str, cells))}\n".encode()
    found = gridmill.read(text, shape="5x5 A-Y").to_arrow()
    assert found["malformed"].null_count == 2
    assert gridmill.cells(found["puzzle"], shape="5x5 A-Y").tolist() == [cells, cells]


def test_several_sizes_in_one_file_are_read_with_shape_mixed() -> None:
    text = f"{PUZZLE}\n1.....3..4.....2\n".encode()
    assert gridmill.read(text).to_arrow()["malformed"].to_pylist()[1].startswith("16 cells, but the puzzles")
    mixed = gridmill.read(text, shape="mixed").to_arrow()
    assert mixed["puzzle"].to_pylist() == [PUZZLE, "1.....3..4.....2"]
    assert mixed["malformed"].null_count == 2


def with_spaces(puzzle: str) -> str:
    return puzzle.replace(".", " ")


def numbers(puzzle: str) -> list[int]:
    return [int(cell) for cell in puzzle.replace(".", "0")]


# Formats that need no option. Each has the lines before the records, and a function that writes a record.
WRITTEN: dict[str, tuple[str, Callable[[str], str]]] = {
    "csv": ("id,quizzes,solutions\n", lambda puzzle: f'7,{puzzle},"a,b"'),
    "semicolons": ("# made\nPuzzle;rating\n", lambda puzzle: f"{puzzle};1.5"),
    "lists in csv": ("puzzle\n", lambda puzzle: f'"{numbers(puzzle)}"'),
    "json": ("", lambda puzzle: json.dumps({"id": 7, "question": puzzle})),
    "lists in json": ("", lambda puzzle: json.dumps({"quiz": numbers(puzzle), "a": None})),
    "bank": ("# top\n", lambda puzzle: f"0000183b305c {puzzle}  1.2"),
    "hodoku": ("", lambda puzzle: f":0000:x:{puzzle}:::"),
    "spaces for blanks": ("", with_spaces),
    "zeros for blanks": ("", lambda puzzle: puzzle.replace(".", "0")),
    "cells with spaces between": ("", lambda puzzle: " ".join(puzzle) + " ; easy"),
}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("shard_bytes", [7, 333, 1 << 20])
def test_the_column_of_puzzles_is_found_and_read(
    tmp_path: Path, name: str, shard_bytes: int, place: str
) -> None:
    top, line = WRITTEN[name]
    puzzles = generated_texts(20)
    path = tmp_path / "puzzles"
    path.write_text(top + "".join(line(puzzle) + "\n\n" for puzzle in puzzles))
    found = in_shards(path, shard_bytes)
    assert found["puzzle"].to_pylist() == puzzles
    text = path.read_bytes()
    assert [text[at:].split(b"\n")[0].decode() for at in found["offset"].to_pylist()] == list(
        map(line, puzzles)
    )


def test_columns_of_a_file_are_appended_and_keep_their_names(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.csv"
    path.write_text(f"file,quizzes,Solutions,a,a\nx,{PUZZLE.replace('.', '0')},y,1,2\n")
    found = gridmill.read(path)
    assert found.columns == (*_files.COLUMNS, "own_file", "quizzes", "Solutions", "a", "a_2")
    [row] = found.to_arrow().to_pylist()
    assert (row["file"], row["own_file"], row["a_2"]) == (str(path), "x", "2")
    assert (row["puzzle"], row["quizzes"]) == (PUZZLE, PUZZLE.replace(".", "0"))
    path.write_text(f"Puzzle,cells\n5,{PUZZLE}\n")
    assert gridmill.read(path, column="cells").columns[4:] == ("own_Puzzle", "cells")


def test_lists_of_cells_are_kept_as_lines_and_other_lists_as_json(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.jsonl"
    path.write_text(json.dumps({"quiz": numbers(PUZZLE), "rating": [1, 2]}) + "\n")
    [row] = gridmill.read(path).to_arrow().to_pylist()
    assert (row["quiz"], row["rating"]) == (PUZZLE, "[1, 2]")


# Shards.


@pytest.mark.parametrize("seed", range(10))
def test_shards_of_any_cut_have_each_line_once(tmp_path: Path, seed: int, place: str) -> None:
    choose = random.Random(seed)
    lines = [
        choose.choice(["", "", "abc", PUZZLE, "1" * choose.choice([1, 3, 120]), "ü" * 4]) for _ in range(20)
    ]
    lines.append(PUZZLE)
    feed = choose.choice(["\n", "\r\n"])
    text = choose.choice(["", "\ufeff"]) + feed.join(lines) + choose.choice(["", feed])
    path = tmp_path / "puzzles.txt"
    path.write_bytes(text.encode())
    # A shard of a byte takes as long as a large one, so one seed has those of one byte, the next those of two.
    for shard_bytes in (1 + seed % 2, choose.randrange(3, 400), 10_000):
        found = in_shards(path, shard_bytes)
        assert found["puzzle"].to_pylist() == [line for line in lines if line]
        assert found["malformed"].is_valid().to_pylist() == [line != PUZZLE for line in lines if line]
        for offset, puzzle in zip(found["offset"].to_pylist(), found["puzzle"].to_pylist(), strict=True):
            assert text.encode()[offset:].startswith(puzzle.encode())


def test_batches_of_any_size_have_all_records(tmp_path: Path, place: str) -> None:
    puzzles = generated_texts(2_000) * 5
    path = tmp_path / "puzzles.txt"
    path.write_text("\n".join(puzzles))
    for batch_bytes in (1, 300_000, 1 << 30):
        batches = list(gridmill.read(path, batch_bytes=batch_bytes))
        assert [puzzle for batch in batches for puzzle in batch["puzzle"].to_pylist()] == puzzles
        assert (len(batches) > 1) == (batch_bytes < 1 << 20)
    text = path.read_bytes()
    for offset in pa.table(gridmill.read(path))["offset"].to_pylist():
        assert text[offset - 1 : offset] in (b"", b"\n")


def test_blank_lines_comments_and_remarks_are_left_out(tmp_path: Path, place: str) -> None:
    path = tmp_path / "puzzles.txt"
    path.write_bytes(b"# rated\n \t \n" + PUZZLE.encode() + b", hard\n\xff\xfe\nd\re\x01f\n" + b" " * 81)
    for shard_bytes in (5, 1000):
        found = in_shards(path, shard_bytes)
        assert found["puzzle"].to_pylist() == [PUZZLE, "\ufffd\ufffd", "d\re\x01f", "." * 81]
        assert found["offset"].to_pylist() == [12, 100, 103, 109]


def test_a_broken_row_of_csv_is_one_record_and_affects_no_other(tmp_path: Path, place: str) -> None:
    path = tmp_path / "puzzles.csv"
    row = f"5,{PUZZLE}\r\n".encode()
    path.write_bytes(b'\xef\xbb\xbfid,puzzle\r\n1,abc\r\n"2","d,ef"\r\n3,x,y\r\n\r\n4,"open\r\n' + row)
    for shard_bytes in (3, 1000):
        found = in_shards(path, shard_bytes)
        assert found["id"].to_pylist() == ["1", "2", "3", "4", "5"]
        assert found["puzzle"].to_pylist() == ["abc", "d,ef", "x,y", '"open', PUZZLE]
        assert found["offset"].to_pylist() == [14, 21, 33, 42, 51]
    command = csv.DictReader(io.StringIO(run("verify", path, "--all", "-o", "-").decode()))
    reasons = [row["reason"] or None for row in command]
    assert found["malformed"].to_pylist() == reasons


def test_other_columns_are_kept_and_missing_values_are_null(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.jsonl"
    path.write_text(
        f'{{"id": 1, "puzzle": "a\\u0062"}}\n{{"puzzle": "{PUZZLE}", "id": "x"}}\n{{"id": null}}\n[]\n'
    )
    for shard_bytes in (1, 1000):
        found = in_shards(path, shard_bytes)
        assert found["id"].to_pylist() == ["1", "x", None, None]
        assert found["puzzle"].to_pylist() == ["ab", PUZZLE, '{"id": null}', "[]"]


def test_files_with_records_of_several_lines_are_read_as_one_shard(tmp_path: Path, place: str) -> None:
    puzzles = generated_texts(3)
    grids = tmp_path / "grids.txt"
    grids.write_text(
        "\n\n".join("\n".join(puzzle[row : row + 9] for row in range(0, 81, 9)) for puzzle in puzzles)
    )
    found = in_shards(grids, 1)
    assert (found["puzzle"].to_pylist(), found["offset"].to_pylist()) == (puzzles, [0, 91, 182])
    rows = tmp_path / "rows.csv"
    rows.write_text("note,puzzle\n" + "".join(f'"two\nlines",{puzzle}\n' for puzzle in puzzles))
    assert in_shards(rows)["note"].to_pylist() == ["two\nlines"] * 3
    with pytest.raises(ValueError, match="byte 12 begins a row of several lines: read the file whole"):
        in_shards(rows, 100)


def test_a_file_or_shard_without_a_puzzle_is_an_error(tmp_path: Path, place: str) -> None:
    path = tmp_path / "puzzles.txt"
    path.write_text("# words\nabc\ndef\n")
    says = r"puzzles.txt, read as line: no record is a puzzle; the first one, at byte 8: 'a' is neither digit"
    for read in (lambda: gridmill.read(path).to_arrow(), lambda: in_shards(path)):
        with pytest.raises(ValueError, match=says):
            read()
    # A shard with a few malformed records may be the end of a file, but a whole shard of them is an error.
    path.write_text(f"{PUZZLE}\n" * 10 + "abc\n" * 50)
    assert in_shards(path, 820)["malformed"].null_count == 10
    path.write_text(f"{PUZZLE}\n" * 10 + "abc\n" * 150)
    with pytest.raises(ValueError, match=r"the first one, at byte 820: 'a' is"):
        in_shards(path, 820)
    assert gridmill.read(path).to_arrow()["malformed"].null_count == 10


def test_an_ambiguous_shape_must_be_given(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.txt"
    path.write_text("." * 324 + "\n")
    with pytest.raises(ValueError, match="18x18 puzzles may have boxes of .*; choose one by shape="):
        cut(str(path))
    assert [shard.size for shard in cut(str(path), shape="3x6 A-R")] == [325]


# Locations of files, and compression.

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zip": lambda text: zipped(text),
}


def zipped(text: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("readme.md", "nothing")
        archive.writestr("puzzles.csv", text)
    return packed.getvalue()


@pytest.mark.parametrize("packing", PACKERS)
def test_compressed_files_are_read_as_one_shard(tmp_path: Path, packing: str) -> None:
    path = tmp_path / f"puzzles.csv.{packing}"
    path.write_bytes(PACKERS[packing](f"id,puzzle\n1,{PUZZLE}\n2,{PUZZLE}".encode()))
    found = in_shards(path, 4)
    assert (found["id"].to_pylist(), found["offset"].to_pylist()) == (["1", "2"], [10, 94])
    assert (
        gridmill.read(path.read_bytes() if packing != "bz2" else path).to_arrow()["puzzle"].to_pylist()
        == [PUZZLE] * 2
    )
    if packing == "zip":
        assert len(gridmill.read(f"{path}:puzzles.csv").to_arrow()) == 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Writes files to several folders. Hidden files and those of Hadoop (e.g. `_SUCCESS`) are not data."""
    for number, name in enumerate(
        ["a.csv", "in/b.csv", "in/deep/c.csv", "in/d[1].csv", ".hidden/e.csv", "_temporary/f.csv"]
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(f"id,puzzle\n{number},{PUZZLE}\n")
    (tmp_path / "_SUCCESS").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "ids"),
    [
        ("", "0123"),
        ("in", "123"),
        ("*.csv", "0"),
        ("**/*.csv", "0123"),
        ("in/*.csv", "13"),
        ("i?/[bx].csv", "1"),
        ("i*/d*", "23"),
        ("in/d[1].csv", "3"),
        ("in/[!b]*.csv", "3"),
    ],
)
def test_folders_patterns_and_uris_name_files(folder: Path, path: str, ids: str) -> None:
    for name in (f"{folder}/{path}", f"file://{folder}/{path}", f"file:{folder}/{path}"):
        if "?" in path and "file:" in name:
            continue
        found = gridmill.read(name).to_arrow()
        assert sorted(found["id"].to_pylist()) == sorted(ids), name
        assert found["file"].to_pylist() == sorted(found["file"].to_pylist())
    assert in_shards([f"{folder}/{path}"]).num_rows == len(ids)


def test_files_in_stores_of_fsspec_are_read(folder: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    store.put(f"{folder}/", "/sets/", recursive=True)
    found = in_shards(["memory:///sets/in"], 20)
    assert sorted(found["id"].to_pylist()) == ["1", "2", "3"]
    assert found["file"][0].as_py().startswith("memory:///sets/in/")
    assert gridmill.read("memory:///sets/*/b.csv").to_arrow()["id"].to_pylist() == ["1"]


def test_s3_uris_of_spark_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.fs

    class Store:
        @staticmethod
        def from_uri(uri: str) -> tuple[None, str]:
            return None, uri

    monkeypatch.setattr(pyarrow.fs, "FileSystem", Store)
    for uri in ("s3a://bucket/folder", "s3n://bucket/folder", "s3://bucket/folder"):
        assert _files._store(uri) == (None, "s3://bucket/folder")


def test_written_records_are_read_back_unchanged(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"id,question\n1,{PUZZLE}\n2,12\n")
    records = gridmill.read(tmp_path / "a.csv")
    for name in ("b.csv", "b.jsonl", "b.parquet"):
        gridmill.write(records, tmp_path / name)
        again = gridmill.read(tmp_path / name)
        assert again.columns == records.columns
        for kept in ("puzzle", "malformed", "id", "question"):
            assert again.to_arrow()[kept].to_pylist() == records.to_arrow()[kept].to_pylist()
        assert again.to_polars()["puzzle"].to_list() == [PUZZLE, "12"]
        # A written table may have only malformed records.
        gridmill.write(records.to_arrow().slice(1), tmp_path / name)
        assert gridmill.read(tmp_path / name).to_arrow()["malformed"].to_pylist() == [
            "2 cells where 81 are needed"
        ]


def test_rows_with_too_few_or_too_many_fields_keep_their_values() -> None:
    text = f"id,puzzle,note\n1,{PUZZLE}\n2,{PUZZLE},a,b\n3,{PUZZLE},c\n"
    rows = gridmill.read(text.encode()).to_arrow().select(["puzzle", "id", "note"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        (PUZZLE, "1", None),
        (PUZZLE, "2", "a,b"),
        (PUZZLE, "3", "c"),
    ]


def test_documents_in_a_folder_are_skipped_unless_named(tmp_path: Path) -> None:
    for name in ("README.md", "readme", "LICENSE.txt", "notes.md", "sub.csv"):
        (tmp_path / name).write_text(f"puzzle\n{PUZZLE}\n")
    files = gridmill.read(tmp_path).to_arrow()["file"].to_pylist()
    assert files == [str(tmp_path / "sub.csv")]
    assert len(gridmill.read(tmp_path / "notes.md").to_arrow()) == 1


def test_the_order_of_columns_may_differ_between_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"id,puzzle,source\n1,{PUZZLE},x\n")
    (tmp_path / "b.jsonl").write_text(json.dumps({"source": "y", "puzzle": PUZZLE, "id": "2"}))
    pq = pytest.importorskip("pyarrow.parquet")
    large = pa.table({"source": ["z"], "id": ["3"], "puzzle": [PUZZLE]})
    large = large.cast(pa.schema([(name, pa.large_string()) for name in large.column_names]))
    pq.write_table(large, tmp_path / "c.parquet")
    found = gridmill.read(tmp_path).to_arrow()
    assert found.column_names[4:] == ["id", "source"]
    assert found.select(["id", "source"]).to_pylist() == [
        {"id": id, "source": source} for id, source in [("1", "x"), ("2", "y"), ("3", "z")]
    ]
    assert (
        pa.concat_tables(
            table
            for shard in cut(tmp_path)
            for table in _files.plain_tables(shard, _files.schema(cut(tmp_path)[0]))
        ).column_names
        == found.column_names
    )


def test_the_column_of_puzzles_can_be_given_by_number() -> None:
    assert gridmill.read(f"a,b\n{PUZZLE},{PUZZLE}\n".encode(), column=2).columns[4:] == ("a", "b")
    with pytest.raises(
        TypeError, match="expected a path, several paths, bytes or an open file of bytes, found int"
    ):
        gridmill.read(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"records\.to_arrow\(\)\['puzzle'\]"):
        gridmill.read(f"puzzle\n{PUZZLE}\n".encode())["puzzle"]


def test_the_error_for_unsupported_json_says_how_to_fix_it() -> None:
    for text, says in [
        (b'[{"puzzle": "1"}]', r"a JSON array of objects; convert it first: jq -c '\.\[\]' FILE > OTHER"),
        (b'{"puzzle": "%s", "er": NaN}\n' % PUZZLE.encode(), "NaN is not JSON, write null"),
    ]:
        with pytest.raises(ValueError, match=says):
            gridmill.read(text).to_arrow()


def test_errors_for_unreadable_files_and_wrong_arguments_say_why(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"id,puzzle\n1,{PUZZLE}\n")
    (tmp_path / "b.csv").write_text(f"number,puzzle\n1,{PUZZLE}\n")
    (tmp_path / "c.csv").write_text(f"1,2\n1,{PUZZLE}\n")
    (tmp_path / "d.jsonl").write_text(json.dumps({"a": PUZZLE}))
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "nothing").mkdir()
    for paths, column, error, says in [
        ("none.txt", None, FileNotFoundError, "does not exist"),
        ("none*.txt", None, FileNotFoundError, "does not exist: no file has such a name"),
        ("empty.txt", None, ValueError, "there are no records: .*empty.txt has none"),
        ("nothing", None, ValueError, "there are no records: .*nothing has no files"),
        ("a.csv", "quizzes", ValueError, "no column 'quizzes'; its columns are: id, puzzle; name the one"),
        ("d.jsonl", None, ValueError, "their keys are: a; name the one with the puzzles: column="),
        (["a.csv", "b.csv"], None, ValueError, r"different columns from .*: number \(string\) and id"),
        (["a.csv", "a.csv"], None, ValueError, r"a\.csv is named twice"),
        ([], None, ValueError, "no records"),
    ]:
        named = [str(tmp_path / path) for path in ([paths] if isinstance(paths, str) else paths)]
        for read in (cut, gridmill.read):
            with pytest.raises(error, match=says):
                read(named, column=column)
    with pytest.raises(
        ValueError, match="no column of that name|no record is a puzzle|columns are"
    ) as caught:
        gridmill.read(tmp_path / "a.csv", column="quizzes").to_polars()
    assert caught.type is ValueError
    with pytest.raises(ValueError, match="batch_bytes=0: expected a whole number from 1"):
        gridmill.read(tmp_path, batch_bytes=0)
    with pytest.raises(ValueError, match='delimiter="ab": expected one character'):
        gridmill.read(tmp_path, delimiter="ab")


# Columns of files.


def parquet_of(path: Path, columns: dict[str, Any], **how: Any) -> Any:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table(columns)
    parquet.write_table(table, path, **how)
    return table


def test_a_source_without_records_is_an_error_in_any_form(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "none.parquet"
    pq.write_table(pa.table({"puzzle": pa.array([], pa.string())}), path)
    for nothing in (path, b"", b"question,answer\n"):
        with pytest.raises(ValueError, match="there are no records: .* ha(s|ve) none"):
            gridmill.read(nothing)


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_lists_of_cells_in_csv_and_json_can_be_given_as_solutions(ending: str, tmp_path: Path) -> None:
    solution = gridmill.solve(PUZZLE).solution
    whole, rows = solution[0].tolist(), solution[0].reshape(9, 9).tolist()
    path = tmp_path / f"pairs.{ending}"
    if ending == "jsonl":
        path.write_text(json.dumps({"question": PUZZLE, "answer": whole, "square": rows}))
    else:
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([["question", "answer", "square"], [PUZZLE, whole, rows]])
    found = gridmill.read(path).to_arrow()
    for column in ("answer", "square"):
        assert list(gridmill.check(found["puzzle"], found[column]).verdict) == ["ok"]


def test_categories_of_polars_are_written_as_parquet(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    frame = gridmill.verify(["1.....3..4.....2", "." * 16], shape="2x2").to_polars()
    frame = frame.with_columns(kind=pl.Series(["a", "b"], dtype=pl.Categorical))
    gridmill.write(frame, tmp_path / "found.parquet")
    written = gridmill.read(tmp_path / "found.parquet").to_polars()
    assert written["verdict"].to_list() == ["unique", "multiple"]
    assert written["kind"].to_list() == ["a", "b"]


def test_parquet_is_cut_between_row_groups(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.parquet"
    puzzles = generated_texts(10)
    table = parquet_of(path, {"id": range(10), "quizzes": puzzles}, row_group_size=3)
    assert len(cut(str(path), shard_bytes=1)) == 4
    found = in_shards(path, 1)
    assert found.select(["id", "quizzes"]).to_pydict() == table.to_pydict()
    assert (found["puzzle"].to_pylist(), found["offset"].to_pylist()) == (puzzles, list(range(10)))
    assert gridmill.read(path).to_arrow().to_pydict() == found.to_pydict()


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.binary(), pa.list_(pa.int64()), pa.list_(pa.uint8(), 81)]
)
def test_puzzles_in_parquet_may_be_texts_or_lists(tmp_path: Path, kind: Any) -> None:
    if pa.types.is_fixed_size_list(kind) and int(pa.__version__.split(".")[0]) < 17:
        pytest.skip(
            "before version 17 pyarrow can't read lists of a fixed size with a null among them from Parquet"
        )
    path = tmp_path / "puzzles.parquet"
    puzzles = generated_texts(5)
    values = list(map(numbers, puzzles)) if pa.types.is_nested(kind) else puzzles
    parquet_of(path, {"puzzle": pa.array([*values, None], kind), "more": range(6)})
    found = gridmill.read(path)
    assert found.columns == (*_files.COLUMNS, "more")
    assert found.to_arrow()["puzzle"].to_pylist() == [*puzzles, ""]
    assert found.to_arrow()["malformed"].to_pylist() == [None] * 5 + ["0 cells where 81 are needed"]


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv"])
def test_columns_of_polars_in_which_everything_is_missing_are_written(tmp_path: Path, ending: str) -> None:
    pl = pytest.importorskip("polars")
    columns = {"puzzle": [PUZZLE] * 2, "note": [None] * 2, "tags": [[], []], "more": [{"a": None}] * 2}
    path = tmp_path / f"table.{ending}"
    gridmill.write(pl.DataFrame(columns), path)
    found = gridmill.read(path).to_arrow()
    assert found["puzzle"].to_pylist() == [PUZZLE] * 2 and found["note"].to_pylist() == [None] * 2
    assert found.column_names == [*_files.COLUMNS, "note", "tags", "more"]


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv"])
def test_lists_with_cells_out_of_range_or_too_few_are_malformed(tmp_path: Path, ending: str) -> None:
    cells = gridmill.generate(60).puzzle.astype(int)
    wrong = np.where(cells == 0, -1, cells).tolist() + (cells + 1).tolist()
    short = [row[:length] for row in gridmill.generate(30).solution.tolist() for length in (27, 28, 40, 41)]
    tokens = [row for row in [*wrong, *short] if len(row) != 81 or {-1, 10} & set(row)]
    path = tmp_path / f"puzzles.{ending}"
    gridmill.write(pa.table({"puzzle": [*tokens, cells[0].tolist()]}), path)
    reasons = gridmill.read(path).to_arrow()["malformed"].to_pylist()
    assert all(reasons[:-1]) and reasons[-1] is None
    direct = gridmill.verify([*tokens, cells[0]], malformed="keep").verdict == "malformed"
    assert direct.tolist() == [reason is not None for reason in reasons]


@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz", "jsonl"])
def test_reasons_of_malformed_records_are_kept_when_they_are_written_and_read_again(
    tmp_path: Path, ending: str
) -> None:
    first, again = tmp_path / "first.csv", tmp_path / f"again.{ending}"
    first.write_text(f"id,puzzle\n1,{PUZZLE}\n2,{PUZZLE},more\n{PUZZLE}\n4,12\n")
    records = gridmill.read(first)
    reasons = records.to_arrow()["malformed"].to_pylist()
    assert [reason is not None for reason in reasons] == [False, True, True, True]
    gridmill.write(records, again)
    assert gridmill.read(again).to_arrow()["malformed"].to_pylist() == reasons
    assert in_shards(again)["malformed"].to_pylist() == reasons


def test_each_text_in_parquet_is_one_record_whatever_it_contains(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.parquet"
    texts = [
        PUZZLE,
        "",
        "# no comment",
        " ",
        '"',
        'a"b',
        "a\r",
        "two\nlines",
        "a,b",
        str(numbers(PUZZLE)),
        PUZZLE,
    ]
    parquet_of(path, {"puzzle": texts})
    found = gridmill.read(path).to_arrow()
    good = [PUZZLE if text in (PUZZLE, str(numbers(PUZZLE))) else text for text in texts]
    assert found["puzzle"].to_pylist() == good
    assert found["malformed"].is_null().to_pylist() == [text == PUZZLE for text in good]
    parquet_of(path, {"puzzle": ["x" * 5] * 3})
    with pytest.raises(ValueError, match="no record is a puzzle; the first one, at row 0: 5 cells where"):
        gridmill.read(path).to_arrow()


@pytest.mark.parametrize("form", ["file", "stream"])
def test_arrow_files_are_read_whole(tmp_path: Path, form: str) -> None:
    path = tmp_path / "puzzles.arrow"
    table = pa.table({"puzzle": generated_texts(6), "id": range(6)})
    with (pa.ipc.new_file if form == "file" else pa.ipc.new_stream)(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=4)
    found = in_shards(path, 10)
    assert found.select(["puzzle", "id"]).to_pydict() == table.to_pydict()
    assert found["offset"].to_pylist() == list(range(6))


# Arguments that are not a path, and packages that accept records.


def test_bytes_and_streams_are_read(tmp_path: Path) -> None:
    text = f"id,puzzle\n1,{PUZZLE}\n2,{PUZZLE}\n".encode()
    records = gridmill.read(text)
    assert repr(records) == "<Records of 1 file: file, offset, puzzle, malformed, id>"
    assert records.to_arrow().to_pydict() == records.to_arrow().to_pydict()
    assert records.to_arrow()["file"].to_pylist() == [None] * 2
    path = tmp_path / "puzzles.csv"
    path.write_bytes(text)
    with path.open("rb") as stream:
        records = gridmill.read(stream)
        assert records.to_arrow()["file"].to_pylist() == [str(path)] * 2
        with pytest.raises(ValueError, match="the stream has been read"):
            records.to_arrow()
    with (
        path.open() as stream,
        pytest.raises(TypeError, match="expected a stream of bytes, found one of str"),
    ):
        gridmill.read(stream)  # type: ignore[arg-type]


class Failing(io.BytesIO):
    """A stream that raises an exception at its end."""

    def read(self, size: int | None = -1) -> bytes:
        found = super().read(size)
        if not found:
            raise KeyError("the store is gone")
        return found


def test_an_exception_raised_by_a_stream_is_propagated() -> None:
    for text in (f"{PUZZLE}\n".encode(), gzip.compress(f"{PUZZLE}\n".encode())):
        with pytest.raises(KeyError, match="the store is gone"):
            gridmill.read(Failing(text)).to_arrow()


def test_other_packages_accept_records_directly(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    pd = pytest.importorskip("pandas")
    paths = [tmp_path / name for name in ("a.txt", "b.txt")]
    for path in paths:
        path.write_text(f"{PUZZLE}\nbad\n")
    records = gridmill.read(paths)
    rows = [(str(path), at, text) for path in paths for at, text in ((0, PUZZLE), (82, "bad"))]
    assert records.to_polars().select("file", "offset", "puzzle").rows() == rows
    assert pl.DataFrame(records).equals(records.to_polars())
    assert duckdb.sql('SELECT file, "offset", puzzle FROM records').fetchall() == rows
    frame = records.to_pandas()
    assert list(frame[["file", "offset", "puzzle"]].itertuples(index=False, name=None)) == rows
    assert frame["malformed"].isna().tolist() == [True, False] * 2
    assert isinstance(frame, pd.DataFrame)
    with pytest.raises(TypeError, match="found a whole table"):
        gridmill.solve(records)


def test_local_files_need_no_pyarrow(tmp_path: Path) -> None:
    pytest.importorskip("polars")
    path = tmp_path / "puzzles.csv"
    path.write_text(f"id,puzzle\n7,{PUZZLE}\n")
    script = f"""
        import sys
        sys.modules["pyarrow"] = None
        import polars as pl
        import gridmill
        records = gridmill.read({str(path)!r})
        assert records.to_polars()["id"].to_list() == ["7"]
        [batch] = records
        assert (len(batch), batch["id"], batch["offset"], batch["malformed"]) == (1, ["7"], [10], [None])
        found = gridmill.solve(batch["puzzle"])
        assert gridmill.solve(pl.DataFrame(batch)["puzzle"]).status.counts() == found.status.counts()
        gridmill.write(found, {str(tmp_path / "solved.csv")!r})
        print(found.guesses[0])
    """
    assert run_python(script).strip() == "0"
    assert (
        (tmp_path / "solved.csv").read_text().startswith("puzzle,solution,status,guesses,time_ns\n" + PUZZLE)
    )


def test_iterating_takes_constant_memory(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.txt"
    path.write_text(f"{PUZZLE}\n" * 400_000)
    script = f"""
        import resource
        import gridmill
        import pyarrow

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

        records = gridmill.read({str(path)!r}, batch_bytes=1 << 20)
        for batch in records:
            before = peak()
            break
        count = sum(len(batch) for batch in records)
        gridmill.write(records, {str(tmp_path / "again.csv")!r})
        assert count == 400_000
        print(peak() - before)
    """
    # The file has 33 MB, and its table would take as much again.
    assert float(run_python(script)) < 15


# Writing.


def test_results_are_written_as_csv_and_json(tmp_path: Path) -> None:
    puzzles = [PUZZLE, "." * 81, None]
    found = gridmill.rate(puzzles, malformed="keep")
    gridmill.write(found, tmp_path / "rated.csv")
    rows = list(csv.DictReader((tmp_path / "rated.csv").open()))
    assert [row["er"] for row in rows] == [f"{found.er[0]:.1f}", "", ""]
    assert [row["status"] for row in rows] == ["rated", "multiple", "malformed"]
    assert rows[2]["puzzle"] == ""
    gridmill.write(found, tmp_path / "rated.jsonl")
    objects = [json.loads(line) for line in (tmp_path / "rated.jsonl").open()]
    assert objects == found.to_arrow().to_pylist()


def test_written_tables_are_read_back_unchanged(tmp_path: Path) -> None:
    texts = ["a,b", 'say "x"', "two\nlines", "", "ü", "\x01\\", None]
    table = pa.table({"puzzle": [PUZZLE] * 7, "text, of some": texts, "number": [1, None, -3, 4, 5, 6, 7]})
    for ending in ("csv", "jsonl", "parquet", "ndjson", "csv.gz", "jsonl.zst", "csv.xz", "CSV"):
        path = tmp_path / f"table.{ending}"
        gridmill.write(table, path)
        found = gridmill.read(path).to_arrow()
        assert found["puzzle"].to_pylist() == [PUZZLE] * 7, ending
        assert found["text, of some"].to_pylist() == texts
    assert list(csv.reader((tmp_path / "table.csv").open(newline="")))[1:] == [
        [PUZZLE, text or "", "" if number is None else str(number)]
        for text, number in zip(texts, table["number"].to_pylist(), strict=True)
    ]


def test_values_of_all_types_are_written(tmp_path: Path) -> None:
    columns = {
        "flag": [True, None],
        "small": pa.array([1.5, float("nan")], pa.float32()),
        "bytes": [b"\x00\xff", None],
        "list": [[1, None], []],
        "nested": [{"a": "x", "b": [2.0]}, None],
        "names": pa.array(["n", None]).dictionary_encode(),
        "nothing": pa.nulls(2),
        "view": pa.array(["v,w", None], pa.string_view()),
    }
    table = pa.table(columns)
    gridmill.write(table, tmp_path / "a.jsonl")
    first, second = (json.loads(line) for line in (tmp_path / "a.jsonl").open())
    assert first == {
        "flag": True,
        "small": 1.5,
        "bytes": "00ff",
        "list": [1, None],
        "nested": {"a": "x", "b": [2.0]},
        "names": "n",
        "nothing": None,
        "view": "v,w",
    }
    assert second == {**dict.fromkeys(first), "list": []}
    gridmill.write(table, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines()[1:] == [
        'true,1.5,00ff,"[1,null]","{""a"":""x"",""b"":[2.0]}",n,,"v,w"',
        ",,,[],,,,",
    ]


def test_a_failed_write_leaves_the_old_file_unchanged(tmp_path: Path) -> None:
    def broken() -> Iterator[Any]:
        yield pa.record_batch({"puzzle": [PUZZLE]})
        raise OSError("the source is gone")

    for ending in ("csv", "jsonl.gz", "parquet"):
        path = tmp_path / f"table.{ending}"
        path.write_bytes(b"as it was")
        schema = pa.schema([("puzzle", pa.string())])
        with pytest.raises(Exception, match="the source is gone"):
            gridmill.write(pa.RecordBatchReader.from_batches(schema, broken()), path)
        assert path.read_bytes() == b"as it was"
    assert len(os.listdir(tmp_path)) == 3


def test_errors_for_impossible_writes_say_why(tmp_path: Path) -> None:
    table = pa.table({"puzzle": [PUZZLE], "day": pa.array([0], pa.date32())})
    for given, name, error, says in [
        (
            table,
            "a.xlsx",
            ValueError,
            "expected a name that ends in .csv, .jsonl, .ndjson, one of these and .gz",
        ),
        (table, "a.parquet.gz", ValueError, "expected a name that ends in"),
        (table, "a.csv", TypeError, 'column "day" is Date32: .* cast it, or write Parquet'),
        (np.zeros(81), "a.csv", TypeError, "has __arrow_c_stream__, found ndarray"),
        (table["puzzle"], "a.csv", TypeError, "can't be read"),
        (table.select(["puzzle"]), "none/a.csv", OSError, "none/a.csv: can't be written"),
        (table, "s3://bucket/a.csv", ValueError, "files are written to local folders"),
    ]:
        path = name if "://" in name else str(tmp_path / name)
        with pytest.raises(error, match=says):
            gridmill.write(given, path)
    assert os.listdir(tmp_path) == []


def test_missing_values_are_read_back_as_null(tmp_path: Path) -> None:
    rated = gridmill.rate(texts("hard", 3), up_to=1.5)
    for name in ("rated.csv", "rated.jsonl"):
        gridmill.write(rated, tmp_path / name)
        found = gridmill.read(tmp_path / name).to_arrow()
        assert found["er"].null_count == found["hardest"].null_count == 3
        gridmill.write(found, tmp_path / "again.csv")
        assert gridmill.read(tmp_path / "again.csv").to_arrow()["er"].null_count == 3


def test_the_index_of_a_data_frame_is_written_if_it_has_a_name(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    pq = pytest.importorskip("pyarrow.parquet")
    frame = pd.DataFrame({"puzzle": texts("easy", 4)})
    if not hasattr(frame, "__arrow_c_stream__"):
        pytest.skip("this pandas exports no tables of Arrow")
    for given, names in [(frame[::2], ["puzzle"]), (frame[::2].rename_axis("id"), ["id", "puzzle"])]:
        gridmill.write(given, tmp_path / "some.csv")
        assert (tmp_path / "some.csv").read_text().splitlines()[0].split(",") == names
        gridmill.write(given, tmp_path / "some.parquet")
        assert pq.read_table(tmp_path / "some.parquet").column_names == names


def test_a_series_is_written_as_its_only_column(tmp_path: Path) -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    path = tmp_path / "one.csv"
    of_pandas = pd.Series([PUZZLE], name="puzzle")
    # Before 2.2, pandas exports no tables of Arrow.
    exports = hasattr(of_pandas.to_frame(), "__arrow_c_stream__")
    for series in (pl.Series("puzzle", [PUZZLE]), *([of_pandas] if exports else [])):
        gridmill.write(series, path)
        assert path.read_text() == f"puzzle\n{PUZZLE}\n"


def test_an_archive_of_several_collections_says_how_to_choose_one(tmp_path: Path) -> None:
    path = tmp_path / "sets.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", PUZZLE)
        archive.writestr("b.txt", PUZZLE)
    with pytest.raises(
        OSError, match=f'several files of puzzles: a.txt, b.txt; choose one, e.g. "{path}:a.txt"'
    ):
        gridmill.read(path).to_arrow()
    assert len(gridmill.read(f"{path}:a.txt").to_arrow()) == 1


def test_a_file_that_has_changed_since_it_was_named_is_an_error(tmp_path: Path, place: str) -> None:
    path = tmp_path / "puzzles.txt"
    path.write_text(f"{PUZZLE}\n" * 10)
    shards = cut(str(path), shard_bytes=400)
    for lines in (9, 11):
        path.write_text(f"{PUZZLE}\n" * lines)
        with pytest.raises(ValueError, match=r"puzzles.txt has changed: it had 820 bytes, and has \d+ now"):
            list(plain_tables(shards[0]))


@pytest.mark.parametrize("paths", [b"x", io.BytesIO(b"x"), 3, None, [b"x"]], ids=str)
def test_clusters_take_paths_alone(paths: Any) -> None:
    with pytest.raises(TypeError, match="expected a path, or several; found"):
        cut(paths)


def test_a_column_that_has_no_nearest_type_is_named(tmp_path: Path) -> None:
    pq, path = pytest.importorskip("pyarrow.parquet"), str(tmp_path / "puzzles.parquet")
    pq.write_table(pa.table({"puzzle": [PUZZLE], "id": pa.array([2**64 - 1], pa.uint64())}), path)
    [shard] = cut(path)
    columns = pa.schema([*_files.schema(shard)][:4] + [pa.field("id", pa.int64())])
    with pytest.raises(
        ValueError, match=r"puzzles.parquet: the column 'id' \(uint64\) can't be read as int64"
    ):
        list(plain_tables(shard, columns))


def test_a_folder_of_hugging_face_is_read(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    datasets.Dataset.from_dict({"puzzle": texts("easy", 3)}).save_to_disk(tmp_path / "set")
    assert gridmill.read(tmp_path / "set").to_arrow()["puzzle"].to_pylist() == texts("easy", 3)


def test_the_error_for_parquet_without_puzzles_calls_it_a_table(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"a": ["1"]}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="the table has no column with a usual name"):
        gridmill.read(tmp_path / "a.parquet")


def test_text_that_is_not_utf_8_is_an_error(tmp_path: Path, place: str) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes(f"puzzle,name\n{PUZZLE},Bern\n{PUZZLE},Z\u00fcrich\n".encode("latin-1"))
    with pytest.raises(
        ValueError, match=r"latin\.csv: the record at byte 99 is not UTF-8; convert the file first"
    ):
        gridmill.read(path).to_arrow()


def test_csv_without_a_header_is_read_with_header_false(tmp_path: Path, place: str) -> None:
    path = tmp_path / "bare.csv"
    path.write_text(f"a,{PUZZLE},1\nb,{PUZZLE},2\n")
    with pytest.raises(ValueError, match="no header row; header=False reads it"):
        gridmill.read(path)
    found = gridmill.read(path, header=False).to_arrow()
    assert found.select(["puzzle", "1", "3"]).to_pylist() == [
        {"puzzle": PUZZLE, "1": "a", "3": "1"},
        {"puzzle": PUZZLE, "1": "b", "3": "2"},
    ]
    assert in_shards(path, 5, header=False).to_pylist() == found.to_pylist()


@pytest.mark.parametrize("header", ["", "id,puzzle,other\n"])
def test_a_compressed_file_without_records_is_left_out(tmp_path: Path, header: str) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(header.encode()))
    with pytest.raises(ValueError, match=r"there are no records: .*a\.csv\.gz has none"):
        gridmill.read(tmp_path)
    (tmp_path / "b.csv").write_text(f"id,puzzle\n7,{PUZZLE}\n8,\n")
    found = gridmill.read(tmp_path).to_arrow()
    assert found["id"].to_pylist() == ["7", "8"] and found.to_pydict() == in_shards(tmp_path).to_pydict()


def test_an_empty_field_of_a_column_of_puzzles_is_null(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.csv"
    path.write_text(f"id,question\n1,\n2,{PUZZLE}\n")
    found = gridmill.read(path).to_arrow()
    assert found["question"].to_pylist() == [None, PUZZLE]
    assert found["malformed"].to_pylist() == ["0 cells where 81 are needed", None]


def test_an_empty_list_of_paths_is_an_error() -> None:
    with pytest.raises(ValueError, match="the list of paths is empty"):
        gridmill.read([])


@pytest.mark.parametrize("name", ["again.parquet", "again.csv", "again.jsonl"])
def test_reasons_stay_as_they_were_when_records_are_read_again(tmp_path: Path, name: str) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(f'{{"puzzle": null}}\n{{"puzzle": "{PUZZLE}"}}\nno object\n')
    records = gridmill.read(path)
    gridmill.write(records, tmp_path / name)
    before, after = (
        table.to_arrow()["malformed"].to_pylist()
        for table in (gridmill.read(path), gridmill.read(tmp_path / name))
    )
    assert after == before and before[1] is None
