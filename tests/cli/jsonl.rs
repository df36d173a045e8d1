//! JSON Lines as input and output.

use serde_json::{Value, json};

use crate::program::{Ran, Scratch, gridmill, run, solve, untimed};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

/// The rows of a run, without times.
fn objects(ran: &Ran) -> Vec<Value> {
    let row = |line| serde_json::from_str::<Value>(line).unwrap();
    let mut rows: Vec<Value> = ran.out.lines().map(row).collect();
    for row in &mut rows {
        row.as_object_mut().unwrap().remove("time_ns").unwrap();
    }
    rows
}

fn nested() -> Value {
    let rows = LINE.as_bytes().chunks(9);
    let row = |row: &[u8]| row.iter().map(|&cell| if cell == b'.' { 0 } else { cell - b'0' }).collect();
    Value::from(rows.map(row).collect::<Vec<Value>>())
}

/// Every record gets a row, in order, even if it isn't a puzzle or an object.
#[test]
fn rows_keep_the_keys_of_the_input_objects() {
    let scratch = Scratch::new();
    let lines = [
        json!({"id": 1, "puzzle": LINE, "more": {"a": [1, "\""]}}).to_string(),
        json!({"id": null, "puzzle": nested()}).to_string() + "\r",
        String::new(),
        json!({"puzzle": &LINE[1..]}).to_string(),
        "{ }".to_owned(),
        format!("{{\"puzzle\": \"{LINE}\""),
        LINE.to_owned(),
    ];
    let file = scratch.file("p.jsonl", lines.join("\n"));
    let whole = solve(&file, &[]);
    let end = |status| json!({"solution": null, "status": status, "guesses": 0});
    let good = json!({"solution": SOLVED, "status": "unique", "guesses": 0});
    let expected = [
        (json!({"id": 1, "puzzle": LINE, "more": {"a": [1, "\""]}}), good.clone()),
        (json!({"id": null, "puzzle": nested()}), good),
        (json!({"puzzle": &LINE[1..]}), end("malformed")),
        (json!({"puzzle": null}), end("malformed")),
        (json!({"puzzle": &lines[5]}), end("malformed")),
        (json!({"puzzle": LINE}), end("malformed")),
    ];
    let expected: Vec<Value> = expected
        .into_iter()
        .map(|(mut row, end)| {
            row.as_object_mut().unwrap().extend(end.as_object().unwrap().clone());
            row
        })
        .collect();
    assert_eq!(objects(&whole), expected, "{}", whole.out);
    assert_eq!(whole.code, Some(1));
    for place in ["4:92: record 3: malformed: 80", "5:1: record 4", "6:94: record 5", "7:1: record 6"] {
        assert!(whole.err.contains(&format!("p.jsonl:{place}")), "{place}: {}", whole.err);
    }
    for arguments in [&["--chunk-bytes", "1", "-t", "3"][..], &["--no-mmap", "--chunk-bytes", "100"]] {
        assert_eq!(objects(&solve(&file, arguments)), expected, "{arguments:?}");
    }
    let piped = run(gridmill().args(["solve", "-"]).write_stdin(lines.join("\n")));
    assert_eq!(objects(&piped), expected);
}

#[test]
fn the_output_name_or_an_option_chooses_csv_or_json_lines() {
    let scratch = Scratch::new();
    let table = scratch.file("t.csv", format!("id,puzzle\n\"a \"\"b\"\"\",{LINE}\nshort\n"));
    let objects_in = scratch.file("o.jsonl", format!("{{\"puzzle\":\"{LINE}\"}}\n"));
    let of_table = solve(&table, &["--to", "jsonl"]);
    let row = json!({"id": "a \"b\"", "puzzle": LINE, "solution": SOLVED, "status": "unique", "guesses": 0});
    assert_eq!(objects(&of_table)[0], row);
    assert_eq!(objects(&of_table)[1]["id"], "short");
    for (file, name, is_json) in [
        (&table, "r.jsonl", true),
        (&table, "r.NDJSON", true),
        (&table, "r.csv", false),
        (&table, "r", false),
        (&objects_in, "r", true),
        (&objects_in, "r.csv", false),
    ] {
        let out = scratch.path(name);
        solve(file, &["-o", out.to_str().unwrap()]);
        let first = std::fs::read_to_string(&out).unwrap();
        assert_eq!(first.starts_with('{'), is_json, "{name}: {first}");
    }
    assert!(
        solve(&objects_in, &["--to", "csv"])
            .out
            .starts_with(&format!("puzzle,solution,status,guesses,time_ns\n{LINE},"))
    );
    let packed = scratch.path("r.jsonl.gz");
    solve(&table, &["-o", packed.to_str().unwrap()]);
    let checked = run(gridmill().arg("check").arg(&packed));
    assert!(checked.err.contains("malformed"), "{}", checked.err);
    assert_eq!((checked.code, checked.out.lines().count()), (Some(1), 1), "{}", checked.out);
}

#[test]
fn keys_with_unusual_names_are_chosen_by_option() {
    let scratch = Scratch::new();
    let text = json!({"cells": LINE, "solution": "mine", "filled": SOLVED}).to_string() + "\n";
    let file = scratch.file("p", &text);
    let unknown = solve(&file, &[]);
    assert_eq!((unknown.code, &unknown.out[..]), (Some(2), ""));
    let expected = "no key with a usual name for puzzles; their keys are: cells, filled, solution; name the one with the puzzles: --puzzle-column NAME";
    assert!(unknown.err.contains(expected), "{}", unknown.err);
    let rows = objects(&solve(&file, &["--puzzle-column", "cells"]));
    assert_eq!((&rows[0]["solution"], &rows[0]["gridmill_solution"]), (&json!("mine"), &json!(SOLVED)));
    let check = |column| {
        run(gridmill().args(["check", "--puzzle-column", "cells", "--solution-column", column]).arg(&file))
    };
    assert_eq!((check("filled").code, check("solution").code, check("x").code), (Some(0), Some(1), Some(2)));
    let no_object = solve(&scratch.file("q", "{puzzle}\n"), &[]);
    assert!(no_object.code == Some(2) && no_object.err.contains("no line"), "{}", no_object.err);
}

/// All commands read JSON Lines. Commands that select records write the lines unchanged.
#[test]
fn other_commands_read_json_lines() {
    let scratch = Scratch::new();
    let line = format!("{{\"n\":1,\"puzzle\":\"{LINE}\"}}\n");
    let file = scratch.file("p", line.repeat(2));
    let ran = |arguments: &[&str]| run(gridmill().args(arguments).arg(&file));
    assert_eq!(ran(&["dedupe", "-q"]).out, line);
    assert_eq!(ran(&["select", "--clues", "30", "-q"]).out, line.repeat(2));
    assert_eq!(ran(&["verify"]).code, Some(0));
    assert_eq!(ran(&["canon", "--to", "csv"]).rows()[1][0], LINE);
    assert_eq!(ran(&["shuffle"]).out.lines().count(), 2);
    let count = objects(&ran(&["count"]));
    let expected = json!({"n": 1, "puzzle": LINE, "solutions": 1, "status": "unique", "guesses": 0});
    assert_eq!(count[0], expected);
    let small = scratch.file("s", "{\"puzzle\":[[1,0,0,0],[0,0,3,0],[0,4,0,0],[0,0,0,2]]}\n");
    assert_eq!(objects(&solve(&small, &[]))[0]["status"], "unique");
    assert_eq!(untimed(&solve(&small, &["--to", "csv"]).out).lines().count(), 2);
}

#[test]
fn an_ambiguous_puzzle_key_is_refused() {
    let scratch = Scratch::new();
    let line = format!("{{\"quizzes\": \"{0}\", \"puzzle\": \"{0}\"}}\n", "1.....3..4.....2");
    let file = scratch.file("two.jsonl", line);
    let ran = run(gridmill().arg("solve").arg(&file));
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("quizzes (column 1), puzzle (column 2)"), "{}", ran.err);
    let ran = run(gridmill().args(["solve", "--puzzle-column", "quizzes"]).arg(&file));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

/// Commands that write tables write JSON Lines if the input is JSON Lines, or if the name of the output asks
/// for them.
#[test]
fn tables_are_written_as_json_lines() {
    let scratch = Scratch::new();
    let file = scratch.file("p", json!({"id": 7, "puzzle": LINE}).to_string() + "\nbad\n");
    let ran = |arguments: &[&str]| run(gridmill().args(arguments).arg(&file));
    let first = |ran: &Ran| serde_json::from_str::<Value>(ran.out.lines().next().unwrap()).unwrap();
    let canon = ran(&["canon", "-q", "--automorphisms"]);
    let row = first(&canon);
    assert_eq!((&row["id"], &row["automorphisms"], &row["status"]), (&json!(7), &json!(1), &json!("ok")));
    assert_eq!(row["canonical"].as_str().unwrap().len(), 81);
    let bad: Value = serde_json::from_str(canon.out.lines().nth(1).unwrap()).unwrap();
    assert_eq!((&bad["puzzle"], &bad["canonical"]), (&json!("bad"), &Value::Null));
    let minimized = first(&ran(&["minimize", "-q"]));
    assert!(minimized["clues"].as_u64().unwrap() > 16 && minimized["minimal"].is_string(), "{minimized}");
    assert_eq!(first(&ran(&["minimal", "-q"]))["status"], "redundant");
    assert!(ran(&["canon", "-q", "--to", "csv"]).out.starts_with("puzzle,canonical,status\n"));
    let out = scratch.path("o.jsonl");
    assert_eq!(run(gridmill().args(["canon", "-q", LINE, "-o"]).arg(&out)).code, Some(0));
    assert!(std::fs::read_to_string(out).unwrap().starts_with("{\"puzzle\":"));
}
