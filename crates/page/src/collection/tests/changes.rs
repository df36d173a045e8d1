//! Files that change while they are shown, and requests that make no sense.

use std::fs;
use std::path::Path;

use hyper::StatusCode;
use serde_json::{Value, json};

use super::helpers::{PUZZLE, Shown, file, open};

/// Changes a file while it is shown, and checks that the page reports this, and that the other file
/// stays.
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
    // If the check comes between the two calls, the file has been removed, so the message differs.
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
fn the_records_of_a_file_that_grows_come_after_its_others() {
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
fn a_record_that_goes_on_is_read_again() {
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
fn a_changed_file_is_read_again_when_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "changes.txt", format!("{PUZZLE}\n").repeat(5));
    let other = file(&folder, "stays.txt", format!("{PUZZLE}\n"));
    let shown = open(&[&path, &other]);
    shown.wait_until_solved();
    let ask = |id: &Value| shown.collection.reload(&serde_json::from_value(json!({ "id": id })).unwrap());
    let id = |place: usize| shown.state()["files"][place]["id"].clone();
    assert!(ask(&id(0)).unwrap_err().message.contains("shown as it is"));
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
