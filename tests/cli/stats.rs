//! `gridmill stats`.

use crate::program::{Scratch, gridmill, run};
use serde_json::{Value, json};

const A: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const A_SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

#[test]
fn every_figure_of_a_small_collection() {
    let scratch = Scratch::new();
    let (conflict, empty) = (A.replacen("53", "55", 1), ".".repeat(81));
    let lopsided = format!("1{}", ".".repeat(80)).replacen("1..", ".1.", 1);
    let first = scratch.file("p.txt", format!("{A}\n{}\nbad\n{conflict}\n", A.replace('.', "0")));
    let second = scratch.file("q.csv", format!("puzzle\n{empty}\n{A_SOLVED}\n{A}\n{lopsided}\n"));
    let stats = |arguments: &[&str]| {
        let ran = run(gridmill().arg("stats").args([&first, &second]).args(arguments));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        ran.out
    };
    let figures = |arguments: &[&str]| {
        let mut figures: Value = serde_json::from_str(&stats(arguments)).unwrap();
        let times = figures["time_ns"].take();
        assert!(times["p50"].as_u64() <= times["max"].as_u64() && times["max"].as_u64() > Some(0));
        figures
    };
    let found = figures(&["--json"]);
    assert_eq!((&found["records"], &found["duplicates"]), (&json!(8), &json!(2)));
    let statuses = json!({ "unique": 4, "multiple": 2, "none": 0, "conflict": 1, "malformed": 1 });
    assert_eq!(found["statuses"], statuses);
    assert_eq!(found["clues"], json!({ "0": 1, "1": 1, "30": 4, "81": 1 }));
    // A is the same after half a turn; the empty and the full grid have every symmetry.
    let symmetries = json!({ "none": 1, "rotate180": 6, "rotate90": 2, "mirror": 2, "diagonal": 2 });
    assert_eq!(found["symmetries"], symmetries);
    assert_eq!(figures(&["--json", "--threads", "3", "--memory", "64K", "--chunk-bytes", "100"]), found);
    let table = stats(&[]);
    for line in ["duplicates                      2   25.00 %", "clues 30                        4   57.14 %"]
    {
        assert!(table.lines().any(|it| it == line), "{table}");
    }
}

#[test]
fn nothing_has_no_figures() {
    let ran = run(gridmill().args(["stats", "-", "--json"]).write_stdin(""));
    let figures: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &figures["records"], &figures["guesses"]), (Some(0), &json!(0), &Value::Null));
}
