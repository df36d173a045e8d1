//! Files that are sent to the page, and files that are removed from it.

use std::fs;
use std::io::{self, Cursor, Read};
use std::path::Path;

use serde_json::{Value, json};

use super::helpers::{PUZZLE, file, open};
use crate::reply::Refusal;

fn remove(shown: &super::helpers::Shown, id: &Value) -> Result<Value, Refusal> {
    shown.collection.remove(&serde_json::from_value(json!({ "id": id })).unwrap())
}

#[test]
fn files_that_are_sent_are_shown_and_taken_away() {
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
fn what_is_no_file_of_puzzles_is_refused_with_its_name() {
    let shown = open(&[]);
    let refusal = shown.collection.take_in("quiz.csv", Cursor::new("quiz,puzzle\n1,2\n")).unwrap_err();
    assert!(refusal.message.contains("quiz.csv"), "{refusal:?}");
    assert_eq!(shown.state()["files"], json!([]));
}

/// Fails like a connection that breaks off.
struct BrokenOff;

impl Read for BrokenOff {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("it broke off"))
    }
}

#[test]
fn a_file_that_breaks_off_says_so_and_is_taken_away() {
    let shown = open(&[]);
    // This is enough text to detect the format.
    let text = Cursor::new(format!("{PUZZLE}\n").repeat(1000));
    let sent = shown.collection.take_in("slow.txt", text.chain(BrokenOff)).unwrap();
    shown.wait_for(|state| state["files"][0]["error"].is_string());
    assert!(shown.state()["files"][0]["error"].as_str().unwrap().contains("slow.txt"));
    remove(&shown, &sent["id"]).unwrap();
    assert_eq!(shown.rows(json!({}), json!({}))["total"], 0);
}
