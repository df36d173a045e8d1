//! Files that change while they are shown, and requests that make no sense.

use std::fs;
use std::path::Path;

use hyper::StatusCode;
use serde_json::{Value, json};

use super::helpers::{PUZZLE, file, open};

/// Changes a file while it is shown, and checks that this is told, and that the other file stays.
fn check_change(change: impl Fn(&Path), expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "changes.txt", format!("{PUZZLE}\n").repeat(500));
    let other = file(&folder, "stays.txt", format!("{PUZZLE}\n"));
    let (alone, both) = (open(&[&path]), open(&[&path, &other]));
    assert_eq!(both.rows(json!({}), json!({}))["total"], 501);
    // The threads in the background would meet a file that is half written, and call it shorter.
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
fn files_that_change_lose_their_rows() {
    check_change(|path| fs::write(path, format!("{PUZZLE}\n").repeat(200)).unwrap(), "changed");
    let other = PUZZLE.replace('9', "8");
    check_change(|path| fs::write(path, format!("{PUZZLE}\n{other}\n").repeat(300)).unwrap(), "changed");
    check_change(|path| fs::remove_file(path).unwrap(), "went away");
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
    // Seen in between, it is gone.
    check_change(become_folder, "while it was shown");
}

#[test]
fn a_file_that_grows_keeps_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "grows.txt", format!("{PUZZLE}\n").repeat(500));
    let shown = open(&[&path]);
    let before = shown.state();
    assert_eq!(before["files"][0]["has_grown"], false);
    let mut log = fs::File::options().append(true).open(&path).unwrap();
    for _ in 0..3 {
        std::io::Write::write_all(&mut log, format!("{PUZZLE}\n").as_bytes()).unwrap();
        let rows = shown.try_rows(json!({"from": 400, "count": 200})).unwrap();
        assert_eq!((&rows["total"], rows["rows"].as_array().unwrap().len()), (&json!(500), 100));
    }
    let state = shown.state();
    assert_eq!((&state["records"], &state["files"][0]["error"]), (&json!(500), &Value::Null));
    assert_eq!(state["files"][0]["has_grown"], true);
    assert!(state["revision"].as_u64() > before["revision"].as_u64());
    // What becomes another text after that is found out, too.
    fs::write(&path, format!("{}\n", PUZZLE.replace('9', "8")).repeat(900)).unwrap();
    shown.wait_for(|state| state["files"][0]["error"].is_string());
}

#[test]
fn other_records_of_the_same_length_are_found_out() {
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
fn requests_that_make_no_sense_are_refused() {
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
fn questions_that_change_nothing_are_no_news() {
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
