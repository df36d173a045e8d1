//! The files that a server shows.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::{Answer, Server, serve, wait_until};

const PUZZLE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

fn dataset(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets").join(name)
}

fn ask(server: &Server, name: &str, body: &Value) -> Value {
    let answer = server.question(name, &body.to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

/// Waits until all records have a verdict, and returns the state.
pub(crate) fn solved(server: &Server) -> Value {
    let mut state = Value::Null;
    wait_until("all records have a verdict", || {
        state = ask(server, "collection", &json!({}));
        state["is_indexed"] == true && state["solved"] == state["records"]
    });
    state
}

/// Sends the form that asks for a download.
fn download(server: &Server, fields: &[(&str, &str)]) -> Answer {
    let mut form = form_urlencoded::Serializer::new(String::new());
    let body = form.append_pair("token", &server.token).extend_pairs(fields).finish();
    let origin = format!("Origin: http://{}\r\n", server.address);
    server.ask("POST /api/export HTTP/1.1", &origin, &body)
}

#[test]
fn missing_packed_plain_and_piped_files_are_listed() {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/packed/classics.txt.gz");
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.txt");
    let mut command = serve();
    command.args([&missing, &packed, &dataset("classics.txt")]).arg("-").stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    write!(child.stdin.take().unwrap(), "{PUZZLE}\n{PUZZLE}\n").unwrap();
    let server = Server::from_child(child);
    let state = solved(&server);
    let file = |number: usize| &state["files"][number];
    assert!(file(0)["error"].as_str().unwrap().contains("missing.txt: can't be opened"), "{state}");
    assert!(file(1)["note"].as_str().unwrap().starts_with("unpacked to a temporary file of"), "{state}");
    assert_eq!((&file(2)["note"], &file(2)["error"]), (&Value::Null, &Value::Null));
    assert_eq!((&file(3)["name"], &file(3)["records"]), (&json!("<stdin>"), &json!(2)));
    let rows = ask(&server, "rows", &json!({"filter": {"file": 3}, "from": 0, "count": 10}));
    assert_eq!((&rows["rows"][1]["puzzle"], &rows["rows"][1]["status"]), (&json!(PUZZLE), &json!("unique")));
    let record = ask(&server, "record", &json!({"row": rows["rows"][1]["row"]}));
    assert_eq!(record["grid"]["clues"].as_array().unwrap().len(), 81);
}

#[test]
fn the_server_does_not_start_if_no_file_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one.txt"), folder.path().join("two.txt"));
    let output = serve().args([&one, &two]).output().unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{messages}");
    assert!(messages.contains("one.txt: can't be opened") && messages.contains("two.txt: can't be opened"));
    assert!(!messages.contains("http://"), "{messages}");
}

#[test]
fn the_puzzle_column_can_be_given_and_is_required_if_ambiguous() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    fs::write(&path, format!("cells;puzzle;quiz\n{PUZZLE};x;y\n")).unwrap();
    let server = Server::from_command(serve().arg(&path).args(["--puzzle-column", "cells"]));
    solved(&server);
    assert_eq!(ask(&server, "rows", &json!({"from": 0, "count": 1}))["rows"][0]["puzzle"], PUZZLE);
    let refused = serve().arg(&path).output().unwrap();
    let messages = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(2) && messages.contains("--puzzle-column"), "{messages}");
}

#[test]
fn a_puzzle_can_be_given_instead_of_a_file() {
    let server = Server::from_command(serve().arg(PUZZLE));
    let state = solved(&server);
    assert_eq!((&state["records"], &state["files"][0]["note"]), (&json!(1), &Value::Null));
}

#[test]
fn downloads_are_sent_as_attachments() {
    let server =
        Server::from_command(serve().args([dataset("classics.txt"), dataset("formats/columns.csv")]));
    solved(&server);
    let of_unique = [("form", "csv"), ("filter", "{\"status\":[\"unique\"]}")];
    let answer = download(&server, &[&of_unique[..], &[("own", "yes"), ("known", "yes")]].concat());
    assert_eq!(answer.status, 200);
    assert!(answer.head.contains("content-disposition: attachment; filename=\"collection-table.csv\""));
    let all = "row,file,record,puzzle,source,answer,rating,clues,status,guesses,time_ns,er\n";
    assert!(answer.body.contains(all), "{}", answer.body);
    assert!(download(&server, &of_unique).body.contains("row,file,record,puzzle\n"));
    let refused = download(&server, &[("form", "records")]);
    assert_eq!(refused.status, 400);
    assert!(refused.error().contains("differ in the format"), "{}", refused.body);
    let lines = download(&server, &[("form", "records"), ("filter", "{\"file\":0}")]);
    assert!(lines.head.contains("filename=\"classics-records.txt\""), "{}", lines.head);
    assert_eq!(download(&server, &[("form", "xml")]).status, 400);
}

#[test]
fn rows_of_a_changed_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("changes.txt");
    fs::write(&path, format!("{PUZZLE}\n").repeat(3)).unwrap();
    let server = Server::from_command(serve().arg(&path));
    solved(&server);
    fs::write(&path, format!("{PUZZLE}\n")).unwrap();
    let refused = server.question("rows", &json!({"from": 0, "count": 3}).to_string());
    assert_eq!(refused.status, 409);
    assert!(refused.error().contains("changes.txt: it was changed"), "{}", refused.body);
    server.assert_responds();
    assert!(ask(&server, "collection", &json!({}))["files"][0]["error"].is_string());
}

/// The pipe stays open, and the interrupt comes before its first record or after it. The texts are longer
/// than the buffer of a pipe, so the server must be reading once they are written.
#[test]
#[cfg(unix)]
fn an_interrupt_ends_the_reading_of_a_pipe() {
    let blank = "\n".repeat(1 << 20);
    for text in [&blank, &format!("{blank}id,"), &format!("{PUZZLE}\n").repeat(20_000)] {
        let mut child = serve().arg("-").stdin(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(text.as_bytes()).unwrap();
        crate::ends::interrupt(&child);
        assert_eq!(crate::ends::end(&mut child), Some(130), "{} bytes", text.len());
    }
}

/// So few descriptors are left that the server can check a file only by its path.
#[test]
#[cfg(unix)]
fn rows_stay_when_file_descriptors_run_out() {
    let folder = tempfile::tempdir().unwrap();
    let [stays, changes] = ["stays.txt", "changes.txt"].map(|name| folder.path().join(name));
    for path in [&stays, &changes] {
        fs::write(path, format!("{PUZZLE}\n")).unwrap();
    }
    let program = env!("CARGO_BIN_EXE_gridmill");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -n 32; exec '{program}' serve --port 0 \"$@\""), "sh"]);
    command.args([&stays, &changes]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let server = Server::from_command(&mut command);
    solved(&server);
    let _silent: Vec<_> = (0..60).map(|_| server.connect()).collect();
    fs::write(&changes, format!("# another\n{PUZZLE}\n")).unwrap();
    let mut state = Value::Null;
    // The server checks the files in order, so it has checked the first one by the time the second one has
    // its error.
    wait_until("the server has checked the files", || {
        state = ask(&server, "collection", &json!({}));
        state["files"][1]["error"].is_string()
    });
    assert_eq!((&state["files"][0]["records"], &state["files"][0]["error"]), (&json!(1), &Value::Null));
}
