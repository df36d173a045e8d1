//! Files of all formats, read in small chunks; files that are uploaded, or changed or removed while they are
//! shown; and invalid requests.

use std::fs;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use gridmill_core::grid::{Pencilmarks, Puzzle};
use gridmill_core::solver::{EngineKind, SolutionLimit};
use gridmill_data::pipeline::{Input, InputRecord};
use gridmill_data::text::{FormatOptions, GridPuzzle, PuzzleKind, PuzzleText};
use hyper::StatusCode;
use serde_json::{Value, json};

use super::{PUZZLE, Shown, file, named, open, try_open, value};
use crate::reply::Refusal;

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
fn positions_are_exact_with_any_text_between_records() {
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
    let mut engine = EngineKind::Bitmask.build();
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
fn unreadable_files_do_not_affect_the_others() {
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
fn a_file_beyond_the_limit_for_records_shows_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "many.txt", format!("{PUZZLE}\n").repeat(10));
    let collection = try_open(vec![named(&path), named(&path)], None, 15).unwrap();
    collection.wait_for(|state| state["is_indexed"] == true);
    let state = collection.state();
    assert!(state["files"][1]["error"].as_str().unwrap().contains("more than 15 records"), "{state}");
    assert_eq!((&state["records"], collection.all_rows().len()), (&json!(10), 10));
}

#[test]
fn a_partly_unpacked_archive_frees_its_disk_space() {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli/packed/classics.txt.gz");
    // The limit for records stops the unpacking, like a full disk.
    let collection = try_open(vec![named(&packed)], Some(500), 15).unwrap();
    collection.wait_for(|state| state["is_indexed"] == true);
    let state = collection.state();
    assert!(state["files"][0]["error"].is_string(), "{state}");
    let files = collection.collection.files();
    let content = files.get(0).content.as_ref().unwrap();
    assert_eq!((content.text.metadata().unwrap().len(), &state["files"][0]["bytes"]), (0, &json!(0)));
}

#[test]
fn a_collection_without_files_is_empty() {
    let collection = open(&[]);
    assert_eq!(collection.state()["files"], json!([]));
    assert_eq!(collection.rows(json!({}), json!({}))["total"], 0);
    assert_eq!(value(collection.collection.state())["error"], Value::Null);
}

fn remove(shown: &Shown, id: &Value) -> Result<Value, Refusal> {
    shown.collection.remove(&serde_json::from_value(json!({ "id": id })).unwrap())
}

#[test]
fn uploaded_files_are_shown_and_can_be_removed() {
    let folder = tempfile::tempdir().unwrap();
    let named = file(&folder, "named.txt", format!("{PUZZLE}\n"));
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli/packed/classics.txt.gz");
    for shown in [open(&[]), open(&[&named])] {
        let before = shown.all_rows().len();
        let sent = shown.collection.take_in("a.gz", Cursor::new(fs::read(&packed).unwrap())).unwrap();
        let table =
            shown.collection.take_in("b.csv", Cursor::new(format!("id,puzzle\n1,{PUZZLE}\n"))).unwrap();
        shown.wait_until_solved();
        let state = shown.state();
        let files = state["files"].as_array().unwrap();
        let [first, second] = [&files[files.len() - 2], &files[files.len() - 1]];
        assert_eq!(
            (&first["id"], &first["name"], &first["records"]),
            (&sent["id"], &json!("a.gz"), &json!(41))
        );
        assert_eq!((&second["name"], &second["format"]), (&json!("b.csv"), &json!("csv")));
        assert_eq!(first["can_reload"], false);
        assert_eq!(shown.all_rows().len(), before + 42);
        assert_eq!(shown.rows(json!({"clues": [17, 40]}), json!({}))["total"], before + 42);
        remove(&shown, &sent["id"]).unwrap();
        assert_eq!(shown.rows(json!({"clues": [17, 40]}), json!({}))["total"], before + 1);
        let rows = shown.all_rows();
        assert_eq!((rows.len(), &rows[before]["row"]), (before + 1, &json!(before)));
        assert!(remove(&shown, &sent["id"]).is_err());
        remove(&shown, &table["id"]).unwrap();
        assert_eq!(shown.all_rows().len(), before);
    }
}

#[test]
fn an_upload_without_puzzles_is_refused_with_its_name() {
    let shown = open(&[]);
    let refusal = shown.collection.take_in("quiz.csv", Cursor::new("quiz,puzzle\n1,2\n")).unwrap_err();
    assert!(refusal.message.contains("quiz.csv"), "{refusal:?}");
    assert_eq!(shown.state()["files"], json!([]));
}

/// Fails like an interrupted connection.
struct BrokenOff;

impl Read for BrokenOff {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("it broke off"))
    }
}

#[test]
fn an_interrupted_upload_shows_an_error_and_can_be_removed() {
    let shown = open(&[]);
    // This is enough text to detect the format.
    let text = Cursor::new(format!("{PUZZLE}\n").repeat(1000));
    let sent = shown.collection.take_in("slow.txt", text.chain(BrokenOff)).unwrap();
    shown.wait_for(|state| state["files"][0]["error"].is_string());
    assert!(shown.state()["files"][0]["error"].as_str().unwrap().contains("slow.txt"));
    remove(&shown, &sent["id"]).unwrap();
    assert_eq!(shown.rows(json!({}), json!({}))["total"], 0);
}

/// Changes a file while it is shown, and checks that the page reports this and still shows the other file.
fn check_change(change: impl Fn(&Path), expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "changes.txt", format!("{PUZZLE}\n").repeat(500));
    let other = file(&folder, "stays.txt", format!("{PUZZLE}\n"));
    let (alone, both) = (open(&[&path]), open(&[&path, &other]));
    assert_eq!(both.rows(json!({}), json!({}))["total"], 501);
    // Otherwise the background could see a half-written file, and report that it became shorter.
    alone.wait_until_solved();
    both.wait_until_solved();
    change(&path);
    for _ in 0..2 {
        let refusal = alone.try_rows(json!({"from": 400, "count": 10})).unwrap_err();
        assert_eq!(refusal.status, StatusCode::CONFLICT);
        assert!(
            refusal.message.contains("changes.txt: ") && refusal.message.contains(expected),
            "{refusal:?}"
        );
    }
    assert!(
        both.try_rows(json!({"from": 0, "count": 1})).is_err()
            || both.state()["files"][0]["error"].is_string()
    );
    let rest = both.rows(json!({}), json!({}));
    assert_eq!((&rest["total"], &rest["rows"][0]["row"]), (&json!(1), &json!(500)));
    let state = both.state();
    assert!(state["files"][0]["error"].as_str().unwrap().contains(expected), "{expected}: {state}");
    assert_eq!(both.state()["files"][1]["error"], Value::Null);
}

#[test]
fn changed_files_lose_their_rows() {
    check_change(|path| fs::write(path, format!("{PUZZLE}\n").repeat(200)).unwrap(), "changed");
    let other = PUZZLE.replace('9', "8");
    check_change(|path| fs::write(path, format!("{PUZZLE}\n{other}\n").repeat(300)).unwrap(), "changed");
    check_change(|path| fs::remove_file(path).unwrap(), "was removed");
    let replace = |path: &Path| {
        let new = path.with_extension("new");
        fs::copy(path, &new).unwrap();
        fs::rename(new, path).unwrap();
    };
    check_change(replace, "replaced");
    let become_folder = |path: &Path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    };
    // If the file is checked between the two calls, it has been removed, so the message differs.
    check_change(become_folder, "while it was shown");
}

fn append(path: &Path, text: &str) {
    let mut log = fs::File::options().append(true).open(path).unwrap();
    std::io::Write::write_all(&mut log, text.as_bytes()).unwrap();
}

/// Waits until there are this many records, and all have been searched.
fn wait_for_records(shown: &Shown, records: usize) {
    shown.wait_for(|state| {
        state["records"] == records && state["solved"] == records && state["is_indexed"] == true
    });
}

#[test]
fn appended_records_follow_the_others_of_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "grows.txt", format!("{PUZZLE}\n").repeat(500));
    let other = file(&folder, "stays.txt", format!("{PUZZLE}\n"));
    let shown = open(&[&path, &other]);
    wait_for_records(&shown, 501);
    let before = shown.state();
    let fewer = PUZZLE.replacen('5', ".", 1);
    for more in 1..=3 {
        append(&path, &format!("{fewer}\n"));
        wait_for_records(&shown, 501 + more);
        let rows = shown.all_rows();
        assert_eq!((&rows[499 + more]["puzzle"], &rows[499 + more]["file"]), (&json!(fewer), &json!(0)));
        assert_eq!((&rows[500 + more]["row"], &rows[500 + more]["file"]), (&json!(500 + more), &json!(1)));
        assert_eq!(shown.rows(json!({"clues": [29, 29]}), json!({"by": "clues"}))["total"], more);
        let question = serde_json::from_value(json!({ "row": 499 + more })).unwrap();
        assert_eq!(shown.collection.record(&question).unwrap()["number"], 500 + more);
    }
    let state = shown.state();
    assert_eq!(state["files"][0]["error"], Value::Null);
    assert!(state["revision"].as_u64() > before["revision"].as_u64());
    // A later change to another text is noticed too.
    fs::write(&path, format!("{}\n", PUZZLE.replace('9', "8")).repeat(900)).unwrap();
    shown.wait_for(|state| state["files"][0]["error"].is_string());
}

#[test]
fn an_incomplete_last_record_is_read_again_when_the_file_grows() {
    let rows: String = (0..9).map(|row| format!("{}\n", &PUZZLE[row * 9..][..9])).collect();
    for (name, text, cut) in [
        ("lines.txt", format!("{PUZZLE}\n{PUZZLE}\n"), 100),
        ("rows.txt", format!("{rows}\n{rows}"), 130),
        ("table.csv", format!("id,puzzle,note\n1,{PUZZLE},\"a\n2\"\n2,{PUZZLE},\"b\nc\"\n"), 192),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = file(&folder, name, &text[..cut]);
        let shown = open(&[&path]);
        shown.wait_until_solved();
        append(&path, &text[cut..]);
        let is_whole =
            |state: &Value| state["files"][0]["bytes"] == text.len() && state["is_indexed"] == true;
        shown.wait_for(is_whole);
        shown.wait_until_solved();
        let puzzles: Vec<Value> = shown.all_rows().iter().map(|row| row["puzzle"].clone()).collect();
        assert_eq!(puzzles, [PUZZLE, PUZZLE], "{name}");
        assert_eq!(shown.state()["solved"], 2, "{name}");
    }
}

#[test]
fn a_changed_file_is_read_again_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "changes.txt", format!("{PUZZLE}\n").repeat(5));
    let other = file(&folder, "stays.txt", format!("{PUZZLE}\n"));
    let shown = open(&[&path, &other]);
    shown.wait_until_solved();
    let ask = |id: &Value| shown.collection.reload(&serde_json::from_value(json!({ "id": id })).unwrap());
    let id = |place: usize| shown.state()["files"][place]["id"].clone();
    assert!(ask(&id(0)).unwrap_err().message.contains("has not changed"));
    let fewer = PUZZLE.replacen('5', ".", 1);
    fs::write(&path, format!("{fewer}\n{fewer}\n")).unwrap();
    shown.wait_for(|state| state["files"][0]["can_reload"] == true);
    let old = id(0);
    ask(&old).unwrap();
    wait_for_records(&shown, 3);
    let rows: Vec<(Value, Value)> =
        shown.all_rows().iter().map(|row| (row["row"].clone(), row["puzzle"].clone())).collect();
    assert_eq!(rows, [(json!(0), json!(fewer)), (json!(1), json!(fewer)), (json!(2), json!(PUZZLE))]);
    assert_eq!(ask(&old).unwrap_err().status, StatusCode::CONFLICT);
    fs::remove_file(&path).unwrap();
    shown.wait_for(|state| state["files"][0]["can_reload"] == true);
    assert!(ask(&id(0)).unwrap_err().message.contains("changes.txt"));
    assert_eq!(shown.all_rows().len(), 1);
}

#[test]
fn changed_records_of_the_same_length_are_detected() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "same.txt", format!("{PUZZLE}\n").repeat(5));
    let shown = open(&[&path]);
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let same = fs::File::options().write(true).open(&path).unwrap();
    std::io::Write::write_all(&mut &same, format!("{}\n{}", &PUZZLE[1..], PUZZLE).as_bytes()).unwrap();
    same.set_modified(modified).unwrap();
    let refusal = shown.try_rows(json!({"from": 0, "count": 5})).unwrap_err();
    assert_eq!(refusal.status, StatusCode::CONFLICT);
}

#[test]
fn invalid_requests_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "few.txt", format!("{PUZZLE}\n").repeat(3));
    let shown = open(&[&path]);
    for question in [
        json!({}),
        json!({"from": 0, "count": 201}),
        json!({"from": -1, "count": 1}),
        json!({"from": 0, "count": 1, "more": 1}),
        json!({"from": 0, "count": 1, "filter": {"clue": [1, 2]}}),
        json!({"from": 0, "count": 1, "filter": {"clues": [2, 1]}}),
        json!({"from": 0, "count": 1, "filter": {"clues": [-2, 1]}}),
        json!({"from": 0, "count": 1, "filter": {"clues": [1]}}),
        json!({"from": 0, "count": 1, "filter": {"guesses": [3, 2]}}),
        json!({"from": 0, "count": 1, "filter": {"time_ns": [3, 2]}}),
        json!({"from": 0, "count": 1, "filter": {"er": [3, 2.9]}}),
        json!({"from": 0, "count": 1, "filter": {"er": [-1, 2]}}),
        json!({"from": 0, "count": 1, "filter": {"er": [null, 2]}}),
        json!({"from": 0, "count": 1, "filter": {"status": ["good"]}}),
        json!({"from": 0, "count": 1, "filter": {"symmetry": ["all"]}}),
        json!({"from": 0, "count": 1, "filter": {"file": 1}}),
        json!({"from": 0, "count": 1, "sort": {"by": "size"}}),
        json!({"from": 0, "count": 1, "sort": {"by": "row", "up": true}}),
    ] {
        let refusal = shown.try_rows(question.clone()).unwrap_err();
        assert_eq!(refusal.status, StatusCode::BAD_REQUEST, "{question}");
    }
    let other_file = shown.try_rows(json!({"from": 0, "count": 1, "filter": {"file": 1}})).unwrap_err();
    assert_eq!(other_file.message, "there is no file 2, only 1");
    for (row, number) in [(3, "4"), (u64::MAX, "18446744073709551615")] {
        let question = serde_json::from_value(json!({ "row": row })).unwrap();
        let refusal = shown.collection.record(&question).unwrap_err();
        assert_eq!(refusal.message, format!("there is no record {number}"));
    }
    for from in [3, 4, u64::MAX] {
        let answer = shown.try_rows(json!({"from": from, "count": 200})).unwrap();
        assert_eq!((&answer["total"], &answer["rows"]), (&json!(3), &json!([])));
    }
}

#[test]
fn requests_that_change_nothing_keep_the_revision() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "goes.txt", format!("{PUZZLE}\n").repeat(3));
    let shown = open(&[&path]);
    shown.wait_until_solved();
    let ask = || {
        let before = shown.state()["revision"].as_u64().unwrap();
        let rows = shown.try_rows(json!({"from": 0, "count": 3, "sort": {"by": "er"}}));
        (rows.is_ok(), shown.state()["revision"].as_u64().unwrap() - before)
    };
    assert!(ask().0);
    assert_eq!(ask(), (true, 0));
    let before = shown.state()["revision"].as_u64().unwrap();
    fs::remove_file(path).unwrap();
    assert!(!ask().0);
    assert_eq!(shown.state()["revision"], before + 1);
    assert_eq!(ask(), (false, 0));
}
