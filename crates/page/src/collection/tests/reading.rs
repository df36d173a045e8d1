//! Files of all formats, read in small pieces.

use std::fs;
use std::path::{Path, PathBuf};

use gridmill_core::grid::{Pencilmarks, Puzzle};
use gridmill_core::solver::{SolutionLimit, SolverKind};
use gridmill_data::pipeline::{Input, InputRecord};
use gridmill_data::text::{FormatOptions, GridPuzzle, PuzzleKind, PuzzleText};
use serde_json::{Value, json};

use super::helpers::{PUZZLE, Shown, file, named, open, try_open, value};

/// The puzzle files in the repository.
fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["datasets", "datasets/formats", "datasets/fixtures", "tests/cli/packed"];
    let files = folders.iter().flat_map(|folder| fs::read_dir(root.join(folder)).unwrap());
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file() && !path.ends_with("README.md") && !path.ends_with("SHA256SUMS"));
    files.sort();
    assert!(files.len() > 20, "{files:?}");
    files
}

/// The result of a plain reader for a record: its number, its text, and the puzzle or the fault.
type Plain = (u64, Vec<u8>, Result<(String, usize, String), String>);

fn plain<P: PuzzleText>(path: &Path) -> Vec<Plain> {
    let input = Input::open(Some(path), false).unwrap();
    let about = |record: InputRecord<P>| {
        let puzzle = record.puzzle.map_err(|fault| fault.kind.to_string()).map(|puzzle| {
            let mut line = Vec::new();
            puzzle.write(&mut line);
            (String::from_utf8(line).unwrap(), puzzle.clue_count(), puzzle.shape().to_string())
        });
        (record.number, record.text, puzzle)
    };
    input.records::<P>(&FormatOptions::default()).unwrap().map(|record| about(record.unwrap())).collect()
}

/// The records of a collection, in the form of a plain reader, but with all of their lines.
fn shown(shown: &Shown) -> Vec<Plain> {
    let text = |row: u32| {
        let entry = shown.collection.index.get(row).unwrap();
        let mut text = vec![0; entry.len as usize];
        shown.collection.file_of(&entry).read(entry.position, &mut text).unwrap();
        text
    };
    let shape = |row: u64| {
        let question = serde_json::from_value(json!({ "row": row })).unwrap();
        let record = value(shown.collection.record(&question).unwrap());
        record["grid"]["shape"].as_str().unwrap().to_owned()
    };
    let about = |row: &Value| {
        let number = |name: &str| row[name].as_u64().unwrap();
        let string = |name: &str| row[name].as_str().unwrap().to_owned();
        let puzzle = match row["fault"].as_str() {
            Some(fault) => {
                assert_eq!((&row["status"], &row["puzzle"]), (&json!("malformed"), &Value::Null));
                Err(fault.to_owned())
            }
            None => Ok((string("puzzle"), number("clues") as usize, shape(number("row")))),
        };
        let row = number("row") as u32;
        let number = shown.collection.number_of(row, &shown.collection.index.get(row).unwrap());
        (number.into(), text(row), puzzle)
    };
    shown.all_rows().iter().map(about).collect()
}

fn check_as_plain(path: &Path, chunk_bytes: Option<usize>) {
    let collection = try_open(vec![named(path)], chunk_bytes, u32::MAX).unwrap();
    collection.wait_for(|state| state["is_indexed"] == true);
    let kind = collection.collection.files().get(0).content.as_ref().unwrap().layout.kind();
    let expected = match kind {
        PuzzleKind::Classic => plain::<Puzzle>(path),
        PuzzleKind::AnyShape => plain::<GridPuzzle>(path),
        PuzzleKind::Pencilmarks => plain::<Pencilmarks>(path),
    };
    let found = shown(&collection);
    assert_eq!(found.len(), expected.len(), "{}", path.display());
    for (found, expected) in found.iter().zip(&expected) {
        let about = |record: &Plain| (record.0, record.2.clone());
        assert_eq!(about(found), about(expected), "{} in chunks of {chunk_bytes:?}", path.display());
        // A plain reader keeps only the beginning of a record that is too long.
        let text = &expected.1[..expected.1.len().min(9999)];
        assert!(found.1.len() < expected.1.len() + 200 || text.len() == 9999);
        assert!(memchr::memmem::find(&found.1, text).is_some(), "{} {}", path.display(), found.0);
    }
}

#[test]
fn rows_are_the_records_of_every_format() {
    for path in fixtures() {
        check_as_plain(&path, None);
        if fs::metadata(&path).unwrap().len() < 5000 {
            check_as_plain(&path, Some(200));
        }
    }
}

#[test]
fn positions_are_exact_whatever_stands_between_records() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(70_000);
    let wide = format!("\"{}\n\"\"{}\"", "y".repeat(40_000), "z".repeat(40_000));
    let rows: String = (0..9).map(|row| format!("{}\r\n", &PUZZLE[row * 9..][..9])).collect();
    for (name, text) in [
        (
            "lines",
            format!("\u{feff}# by hand\r\n\r\n{PUZZLE}\r\n{long}\r\n# {long}\n{PUZZLE} easy\nshort\n{long}"),
        ),
        (
            "csv",
            format!(
                "\u{feff}# top\nid;puzzle;note\r\n\"1\n2\";{PUZZLE};{wide}\r\n# more\r\n2;{PUZZLE}\n3;\"{PUZZLE}\";x"
            ),
        ),
        ("longcsv", format!("id,puzzle\n1,{PUZZLE}\n{},2\n3,{PUZZLE}\n", "w".repeat(1_100_000))),
        ("rows", format!("Grid 1\r\n{rows}\r\nGrid 2\r\n{}\r\n\r\n\r\n{rows}", &rows[..30])),
        (
            "objects",
            format!("{{\"puzzle\":\"{PUZZLE}\"}}\n\n{{\"puzzle\":1}}\n{long}\n{{\"puzzle\":\"{PUZZLE}\"}}"),
        ),
        ("wrong", format!("{PUZZLE}\n{}5\n\n{PUZZLE}", "5".repeat(80))),
        ("empty", String::new()),
        ("none", "# nothing\n".to_owned()),
    ] {
        let path = file(&folder, name, text);
        for chunk_bytes in [None, Some(1), Some(90), Some(5000)] {
            check_as_plain(&path, chunk_bytes);
        }
    }
}

#[test]
fn verdicts_are_those_of_a_search() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("datasets");
    let paths =
        ["classics.txt", "multiple.txt", "none.txt", "formats/objects.jsonl"].map(|name| root.join(name));
    let paths = paths.each_ref().map(PathBuf::as_path);
    let collection = open(&paths);
    let at_once = collection.rows(json!({}), json!({}));
    let is_known = |row: &Value| row["status"].is_string();
    assert!(at_once["rows"].as_array().unwrap().iter().all(is_known));
    let mut engine = SolverKind::Bitmask.build();
    let mut status = |puzzle: &str| {
        let puzzle: Puzzle = puzzle.parse().unwrap();
        let found = engine.solve(&puzzle, SolutionLimit::UNIQUENESS);
        gridmill_core::jobs::Status::proved(&puzzle, &found).name()
    };
    collection.wait_until_solved();
    let mut file = 0;
    for (number, row) in collection.all_rows().iter().enumerate() {
        assert_eq!(row["row"], number);
        if let Some(puzzle) = row["puzzle"].as_str() {
            assert_eq!(row["status"], status(puzzle), "{row}");
            assert_eq!(row["guesses"].is_u64(), row["status"] != "conflict", "{row}");
        }
        let next = row["file"].as_u64().unwrap();
        let first = collection.collection.files().get(next as u16).id(0).unwrap();
        assert!(next == file || next == file + 1 && first as usize == number, "{row}");
        file = next;
    }
    assert_eq!(file, 3);
}

#[test]
fn compressed_files_and_pipes_are_unpacked() {
    let packed =
        |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("tests/cli/packed").join(name);
    let (gz, zst) = (packed("classics.txt.gz"), packed("classics.txt.zst"));
    let plain = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("datasets/classics.txt");
    let text = fs::read(&plain).unwrap();
    let reader = std::io::Cursor::new(text.clone());
    let piped = super::super::CollectionFile {
        path: None,
        input: Ok(Input::from_reader("a pipe", reader)),
        options: FormatOptions::default(),
    };
    let expected = open(&[&plain]);
    let collection = try_open(vec![named(&gz), named(&zst), piped], None, u32::MAX).unwrap();
    collection.wait_for(|state| state["is_indexed"] == true);
    let expected = shown(&expected);
    let all = shown(&collection);
    assert_eq!(all, [&expected[..], &expected, &expected].concat());
    let state = collection.state();
    let note = format!("unpacked to a temporary file of {} bytes", text.len());
    assert_eq!(state["files"][0]["note"], note);
    assert_eq!(state["files"][1]["bytes"], text.len());
}

#[test]
fn files_that_cannot_be_read_leave_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let good = file(&folder, "good.txt", format!("{PUZZLE}\n"));
    let bad = file(&folder, "bad.csv", "quiz,puzzle\n1,2\n");
    let cut = file(
        &folder,
        "cut.gz",
        &fs::read(fixtures().iter().find(|path| path.ends_with("classics.txt.gz")).unwrap()).unwrap()[..60],
    );
    let missing = folder.path().join("missing.txt");
    let collection = open(&[&missing, &good, &cut, &bad, folder.path()]);
    let state = collection.state();
    let errors: Vec<bool> = (0..5).map(|file| state["files"][file]["error"].is_string()).collect();
    assert_eq!(errors, [true, false, true, true, true], "{state}");
    assert_eq!(collection.all_rows().len(), 1);
    for file in [&missing, &bad] {
        assert!(try_open(vec![named(file), named(file)], None, u32::MAX).is_err());
    }
}

#[test]
fn there_is_an_end_of_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "many.txt", format!("{PUZZLE}\n").repeat(10));
    let collection = try_open(vec![named(&path), named(&path)], None, 15).unwrap();
    collection.wait_for(|state| state["is_indexed"] == true);
    let state = collection.state();
    assert!(state["files"][1]["error"].as_str().unwrap().contains("more than 15 records"), "{state}");
    assert_eq!((&state["records"], collection.all_rows().len()), (&json!(10), 10));
}

#[test]
fn an_archive_that_is_given_up_leaves_no_space_taken() {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli/packed/classics.txt.gz");
    // The limit for records stops the unpacking, as a full disk would.
    let collection = try_open(vec![named(&packed)], Some(500), 15).unwrap();
    collection.wait_for(|state| state["is_indexed"] == true);
    let state = collection.state();
    assert!(state["files"][0]["error"].is_string(), "{state}");
    let files = collection.collection.files();
    let content = files.get(0).content.as_ref().unwrap();
    assert_eq!((content.text.metadata().unwrap().len(), &state["files"][0]["bytes"]), (0, &json!(0)));
}

#[test]
fn a_collection_of_no_files_is_empty() {
    let collection = open(&[]);
    assert_eq!(collection.state()["files"], json!([]));
    assert_eq!(collection.rows(json!({}), json!({}))["total"], 0);
    assert_eq!(value(collection.collection.state())["error"], Value::Null);
}
